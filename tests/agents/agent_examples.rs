//! The programs of agents in `examples/`, as they stand there: what they print, to the last digit.

#[path = "../../examples/monitoring.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod monitoring;
#[path = "../../examples/resource_selection.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod resource_selection;

/// The last column by hand: latency, 100 MB over the bandwidth, 6 Gf over what is available of the
/// speed. Hosts that differ from what is written on them are no reason to be wrong: the desk only
/// knows what its probes took.
#[test]
fn resources_are_selected_by_probes() {
    let told = "\
after 1.891 s of probes
near        130.00 s, took  130.00 s
middling     80.58 s, took   80.58 s  chosen
old-glory   162.51 s, took  162.51 s
far         420.20 s, took  420.20 s
5 agents, all over at 795.63964815 s
";
    assert_eq!(resource_selection::select().unwrap(), told);
}

/// `a` is loaded from 180 to 300 s and from 540 to 660 s; the link of `b` is thin from 480 s on.
/// What is forecast is 5 Gf at 200, 40 or 100 Mf/s, and 20 MB at 5 or 0.4 MB/s.
#[test]
fn a_scheduler_goes_by_what_monitors_have_seen() {
    let told = "\
at 120 s: task 0 to a, 29.2 s are forecast
at 244 s: task 1 to b, 57.2 s are forecast
at 368 s: task 2 to a, 29.2 s are forecast
at 492 s: task 3 to a, 29.2 s are forecast
at 616 s: task 4 to b, 100.4 s are forecast
task 0 was done by a at 149.0 s
task 1 was done by b at 298.1 s
task 2 was done by a at 397.0 s
task 3 was done by a at 521.0 s
task 4 was done by b at 716.8 s
6 agents, 88 reports
";
    assert_eq!(monitoring::monitor().unwrap(), told);
}
