//! Faults, each of which breaks one promise of the run that is written by hand, and files that are
//! damaged or missing.

use super::faults::{
    failing, faults_of_attempts, faults_of_cores, faults_of_files, faults_of_loads, faults_of_plans,
    faults_of_tasks, faults_of_transfers, with_attempts, with_input, with_output, with_shared_file,
    with_wide_task,
};
use super::fixture::{GRAPH, TASKS, TESTBED, TRANSFERS, Testbed, Written};
use super::verdict::PROMISES;
use super::{
    DECISIONS, DRAWN, KnownPredictions, LinkUse, NO_PLANS, NO_TRANSFERS, PartLeft, SEVERAL, STOPPED, TOGETHER,
};
use crate::kernel::SimDuration;

#[test]
fn a_run_that_keeps_every_promise_passes() {
    for run in [Written::new(), Written::drawn(), with_attempts(), with_wide_task()] {
        assert_eq!(run.broken(), (vec![], String::new()));
        assert_eq!(run.unjudged(), [("the choice of cores and orders".to_owned(), DECISIONS)]);
    }
}

#[test]
fn each_fault_breaks_the_promise_it_is_about() {
    let mut broken = vec![false; PROMISES.len()];
    for (fault, run, promise) in [
        faults_of_tasks(),
        faults_of_attempts(),
        faults_of_cores(),
        faults_of_transfers(),
        faults_of_plans(),
        faults_of_files(),
        faults_of_loads(),
    ]
    .into_iter()
    .flatten()
    {
        let (found, words) = run.broken();
        assert!(found.iter().any(|words| words.starts_with(promise)), "{fault}: {found:?} {words}");
        let about = PROMISES.iter().position(|(words, _)| words.starts_with(promise));
        about.into_iter().for_each(|place| broken[place] = true);
    }
    // the last two have other ways to be judged, and are broken by runs that are recorded whole
    assert!(
        broken[..PROMISES.len() - 2].iter().all(|broken| *broken),
        "a promise that no fault breaks: {broken:?}"
    );
}

#[test]
fn a_run_that_takes_no_time_has_no_utilization() {
    let mut run = Written { makespan: 0.0, lower_bound: 0.0, ..Written::new() };
    let texts = [
        ("tasks", "r,w,a,0,0,0,0,0,0,0,1\n"),
        ("transfers", ""),
        ("plans", "0,arrival,1,0,0,1,1\n"),
        ("hosts", "a,2,1,0,\nb,1,0,0,\nc,1,0,0,\nd,1,0,0,\n"),
    ];
    for (text, (name, rows)) in run.texts.iter_mut().zip(texts) {
        assert_eq!(text.0, name);
        let header = text.1.split_inclusive('\n').next().expect("a header").to_owned();
        text.1 = header + rows;
    }
    run.texts[6].1.clear();
    run.texts[4].1 = "digraph \"a run\" {\n  \"w/r\" [size=\"0\"];\n}\n".to_owned();
    assert_eq!(run.broken(), (vec![], String::new()));
}

#[test]
fn what_happened_is_said_of_task_transfer_and_host() {
    let (_, words) = Written::new().with("tasks", "s,w,a,1", "s,w,a,0").broken();
    assert!(words.contains("at 0 s: task `w/s` starts on a core that computes `w/r`"), "{words}");
    let (_, words) = Written::new().with("transfers", "2,2.5,4", "2,2,3.5").broken();
    assert!(
        words.contains(
            "the transfer from `w/s` to `w/u` starts on a link that carries the transfer from `w/r`"
        )
    );
    let (_, words) = Written::new().with("hosts", "d,1,0", "d,1,1").broken();
    assert!(words.ends_with("hosts.csv, line 5: tasks is `1`, and should be 0"), "{words}");
}

#[test]
fn what_the_files_do_not_have_is_not_judged_and_said_so() {
    let run = Written::new;
    let why = |run: Written, promise: &str| {
        assert_eq!(run.broken(), (vec![], String::new()), "{promise}");
        run.unjudged().into_iter().find(|(found, _)| found.starts_with(promise)).map(|(_, why)| why)
    };
    assert_eq!(why(run().without("transfers"), "no task starts before its data"), Some(NO_TRANSFERS));
    assert_eq!(why(run().without("transfers"), "nothing is sent between"), None);
    assert_eq!(why(run().without("plans"), "plans have places"), Some(NO_PLANS));
    let drawn = Written { testbed: Testbed { are_loads_known: false, ..TESTBED }, ..run() };
    assert_eq!(why(drawn.clone(), "tasks compute for as long"), Some(DRAWN));
    assert_eq!(why(drawn, "transfers take as long"), Some(DRAWN));
    let stopped = Written { stopped: true, ..run() };
    let stopped = stopped.with("tasks", "2,2,3.5,3.5,1", "2,2,,3.5,1").without("hosts");
    assert_eq!(why(stopped, "the makespan"), Some(STOPPED));
    let together = Written { testbed: Testbed { link_use: LinkUse::Shared, ..TESTBED }, ..run() };
    let together = together.with("transfers", "2,2.5,4", "2,2,4");
    assert_eq!(why(together.clone(), "no link carries"), Some(TOGETHER));
    assert_eq!(why(together, "transfers take as long"), Some(TOGETHER));
    assert!(run().without("tasks").unjudged().len() == PROMISES.len());
    assert!(run().without("graph").unjudged().len() == PROMISES.len());
}

#[test]
fn tasks_of_different_plans_may_be_planned_at_the_same_times() {
    // `t` takes longer than planned; `u` and `x` are planned again when it has ended
    let run = Written::new().and("plans", "3.5,completion,2,1,5.5,1,1\n");
    let run = run.with("tasks", "2.5,3.5,2.5", "2.5,5.5,2.5").with("tasks", "5.5,4,4,5", "5,4,4,5");
    let run = Written {
        foresight: KnownPredictions::Other,
        ..run.with("tasks", "4.5,5,4", "4,5,4").without("plan-file")
    };
    assert_eq!(run.broken(), (vec![], String::new()));
    assert!(run.unjudged().contains(&("cores compute their tasks in the planned order".to_owned(), SEVERAL)));
}

#[test]
fn a_task_that_a_failure_interrupted_may_be_started_again_later_than_its_children() {
    let run = Written::new().and("plans", "4.25,failure,1,1,6,1,1\n").without("hosts").without("plan-file");
    let run = Written { testbed: failing(9_000_000_000), ..run };
    let again = run.clone().with("tasks", "0,0,1,1,1", "4.5,4.5,5.5,5.5,2");
    let again = Written { makespan: 5.5, ..again };
    assert_eq!(again.broken(), (vec![], String::new()));
}

#[test]
fn a_file_that_was_written_at_home_once_is_there_though_its_task_was_computed_elsewhere_again() {
    let again = "x,w,1,d,0,4,4,4.5,4.5,1\nx,w,2,c,0,4,4,5,,1@2\n";
    let run = with_attempts().with("attempts", "x,w,1,c,0,4,4,5,,1@2\n", again);
    let run = run.with("graph", "\"w/x\" [size=\"1e9\"", "\"w/x\" [size=\"1e9\", output=\"1000\"");
    let is_returned =
        |run: &Written| !run.broken().0.iter().any(|promise| promise.starts_with("files that are"));
    assert!(is_returned(&run) && !is_returned(&run.with("attempts", "x,w,1,d", "x,w,1,b")));
}

#[test]
fn files_begin_and_end_at_a_home_host_and_go_to_a_host_once() {
    for run in [with_input(), with_output(), with_shared_file()] {
        let run = run.without("plan-file");
        assert_eq!(run.broken(), (vec![], String::new()));
    }
}

#[test]
fn a_transfer_that_a_failure_broke_off_may_be_sent_again() {
    let run = Written { testbed: failing(3_750_000_000), makespan: 5.5, ..Written::new() }.without("hosts");
    let run = run.without("plan-file").with("transfers", "3.5,3.5,4", "3.5,3.5,\nt,x,w,,b,c,0,3.75,4,4.5");
    let run = run.with("tasks", "5.5,4,4,5,5", "5.5,4.5,4.5,5.5,5.5");
    assert_eq!(run.broken(), (vec![], String::new()));
}

#[test]
fn a_late_transfer_is_found_though_one_of_no_time_shares_its_link_and_instant() {
    let late = Written::new().with("transfers", "2,2.5,4", "2,2.75,4.25");
    let run = late.and("transfers", "r,v,w,,a,b,10,1,2.75,2.75\n");
    let (_, words) = run.broken();
    assert!(words.contains("from `w/s` to `w/u` starts, and not as soon as it is ready"), "{words}");
}

#[test]
fn a_transfer_that_has_left_a_link_survives_a_failure_of_it() {
    // the transfer from `t` to `x`, of 0 bytes, leaves the link of `b` at once and arrives after
    // half a second
    let judged = |nanos, left| {
        let testbed = Testbed { link_use: LinkUse::Shared, left, ..failing(nanos) };
        let run = Written { testbed, ..Written::new() }.without("plan-file");
        run.broken().0.iter().any(|promise| promise.starts_with("transfers take as long"))
    };
    let half = SimDuration::from_nanos(500_000_000);
    assert!(judged(3_750_000_000, PartLeft::AtArrival));
    assert!(!judged(3_750_000_000, PartLeft::Last(half)) && !judged(3_750_000_000, PartLeft::Earlier));
    assert!(judged(3_600_000_000, PartLeft::Last(SimDuration::from_nanos(300_000_000))));
}

#[test]
fn schedulers_that_take_over_may_place_tasks_as_the_run_goes_on() {
    let not_started =
        Some("plans have places for tasks that have not started, and only these are moved".to_owned());
    let of = |run: &Written| run.clone().without("plan-file").broken().0.first().cloned();
    let without = Written::new().with("tasks", "c,0,4.5,5.5", "c,0,,");
    assert_eq!(of(&without.clone().with("plans", "al,6", "al,5")), not_started);
    // `x` starts at 4: placed by one that took over before or then, or by one that was there first
    for (rows, is_kept) in [
        ("3,take-over,0,0,3,0,0\n", true),
        ("4,take-over,0,0,4,0,0\n", true),
        ("4.5,take-over,0,0,4.5,0,0\n", false),
        ("3,take-over,0,0,3,0,0\n3.5,take-over,2,0,6,1,1\n", false),
    ] {
        assert_eq!(of(&without.clone().and("plans", rows)).is_none(), is_kept, "{rows}");
    }
    let first = Written::new().with("tasks", "a,0,0,1,0", "a,0,,,0").with("tasks", "a,1,1,3,0", "a,1,,,0");
    let first = first.with("plans", "0,arrival,6", "2,take-over,4");
    let first = first.with("tasks", "3,4.5,2,2", "3,4.5,2,2");
    assert_eq!(of(&first), None, "{}", first.broken().1);
    // one that took over when all had started has no row; without such rules nothing was planned
    let later = first.without("plan-file").with("plans", "2,take-over,4", "2,completion,4");
    for takes_over in [true, false] {
        let run = Written { takes_over, ..later.clone() };
        let broken = run.broken().0;
        assert_eq!(not_started.iter().any(|words| broken.contains(words)), !takes_over, "{broken:?}");
    }
}

#[test]
fn damaged_files_are_errors_with_their_places() {
    let run = Written::new;
    let table = [
        (
            run().with("tasks", "2,2,3.5,3.5", "2,2,3.5s,3.5"),
            "tasks.csv, line 6, column 19: `3.5s` is no time",
        ),
        (run().with("tasks", "s,w,a,1", "s,w,a,-1"), "tasks.csv, line 3, column 7: `-1` is no count"),
        (
            run().with("tasks", "5,5,1\nv", "5,5\nv"),
            "tasks.csv, line 5, column 1: the row has not as many cells as",
        ),
        (
            run().with("tasks", "attempts", "tries"),
            "tasks.csv, line 1, column 1: the first line names no column",
        ),
        (
            run().with("transfers", "c,0,", "c,\"0,"),
            "transfers.csv, line 4, column 12: the quote is left open",
        ),
        (run().with("plans", "5.5", "soon"), "plans.csv, line 2, column 15: `soon` is no time"),
        (run().with("graph", "digraph", "graph"), "graph.dot, line 1, column 1: `digraph … {` should"),
        (run().with("graph", "2000000000", "-1"), "graph.dot, line 3, column 3: `-1` is no cost"),
        (
            run().with("graph", "\"w/x\" [size=\"1e9\"]", "\"w/x\""),
            "graph.dot, line 7, column 3: the task has no",
        ),
        (
            run().with("graph", "[size=\"10\"];", "[size=\"10\"] 3;"),
            "graph.dot, line 10, column 30: `;` should",
        ),
        (run().with("graph", "-> \"w/x", "-> \"w/y"), "graph.dot, line 12, column 12: no such task"),
        (
            run().with("graph", "\"w/s\" -> \"w/v\"", "\"w/r\" -> \"w/v\""),
            "graph.dot has the edge from `w/r` to `w/v` twice",
        ),
        (
            run().with("graph", "\"w/u\" [size=\"2", "\"w/t\" [size=\"2"),
            "graph.dot, line 5, column 3: the task is there twice",
        ),
        (run().with("graph", "size=\"10\"", "size=\"10"), "graph.dot, line 10, column 24: the quote is left"),
        (run().with("graph", "size=\"0\"];\n}", "size=\"0\"];"), "graph.dot ends too early"),
        (
            Written::drawn().with("loads", "link,lb", "cpu,lb"),
            "loads.csv, line 11, column 1: `cpu` is no host and no link",
        ),
        (Written::drawn().with("loads", "link,lb", "link,b"), "loads.csv, line 11, column 6: `b` is no link"),
        (Written::drawn().with("loads", "b,4,1", "b,3,1"), "loads.csv, line 5, column 1: loads begin at 0"),
        (Written::drawn().with("loads", "b,4,1", "b,4,-1"), "loads.csv, line 5, column 1: loads begin at 0"),
        (run().and("graph", "}\n"), "graph.dot, line 14, column 1: nothing should follow"),
    ];
    for (run, expected) in table {
        let error = run.judged().expect_err(expected);
        assert!(error.starts_with(expected), "{error}\n{expected}");
    }
}

#[test]
fn names_with_quotes_and_backslashes_are_read_back() {
    let run = Written::new();
    let graph = GRAPH.replace("w/r", r#"w/\"r\\\n"#);
    let tasks = TASKS.replace("r,w", "\"\"\"r\\\n\",w");
    let transfers = TRANSFERS.replace("r,t", "\"\"\"r\\\n\",t");
    let texts = [("tasks", tasks), ("transfers", transfers), ("graph", graph)];
    let run = Written {
        texts: [&texts[..], &run.texts[2..4], &run.texts[5..]].concat().try_into().expect("seven"),
        ..run
    }
    .without("plan-file");
    assert_eq!(run.broken(), (vec![], String::new()));
}
