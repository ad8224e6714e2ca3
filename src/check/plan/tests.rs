//! Faults, each of which breaks one promise of the run that is written by hand, and files that are damaged or missing.

use super::fixture::{GRAPH, TASKS, TESTBED, TRANSFERS, Testbed, Written};
use super::{DRAWN, LinkUse, NO_HOSTS, NO_PLANS, NO_TRANSFERS, PROMISES, SEVERAL, STOPPED, TOGETHER};

#[test]
fn a_run_that_keeps_every_promise_passes() {
    for run in [Written::new(), Written::drawn()] {
        assert_eq!(run.broken(), (vec![], String::new()));
        assert_eq!(run.unjudged(), []);
    }
}

/// A fault: what it is, the run that has it, and the beginning of the promise that it breaks.
type Fault = (&'static str, Written, &'static str);

fn faults_of_tasks() -> Vec<Fault> {
    let run = Written::new;
    let once = "every task of the graph";
    let allowed = "tasks run on cores";
    vec![
        ("a task has two rows", run().and("tasks", "v,w,a,1,3,4.5,2,2,3.5,3.5,1\n"), once),
        ("a row is of no task", run().and("tasks", "v,w2,a,1,3,4.5,2,2,3.5,3.5,1\n"), once),
        ("a task has no row", run().with("graph", "\"w/r\" [", "\"w/z\" [size=\"1\"];\n  \"w/r\" ["), once),
        (
            "a task has no end",
            run().with("tasks", "2,2,3.5,3.5,1", "2,2,,3.5,1").with("hosts", "3,4.5,0.45", "2,3,0.3"),
            once,
        ),
        ("a task starts before it is ready", run().with("tasks", "4.5,2,2", "4.5,2.5,2"), once),
        ("a task runs in no attempt", run().with("tasks", "2,2,3.5,3.5,1", "2,2,3.5,3.5,0"), once),
        ("a host has no such core", run().with("tasks", "s,w,a,1", "s,w,a,2"), allowed),
        ("a host cannot run a task", run().with("graph", "\"time:a\"=\"1.5\", ", ""), allowed),
        (
            "a host does not exist",
            run().with("tasks", "w,c", "w,e").with("transfers", "b,c", "b,e").with(
                "hosts",
                "c,1,1,1,0.2\n",
                "",
            ),
            allowed,
        ),
        ("two tasks are on one core", run().with("tasks", "s,w,a,1", "s,w,a,0"), "no core computes two"),
        (
            "a task does not wait for its parent",
            run().with("tasks", "4.5,2,2,3.5", "4.5,1.9,1.999999999,3.499999999"),
            "no task starts before its parents",
        ),
        (
            "a task is a nanosecond too short",
            run().with("tasks", "4,5,4,4,5", "4,5,4,4,4.999999999"),
            "tasks compute for as long",
        ),
        ("the makespan is not the last end", Written { makespan: 5.000_000_002, ..run() }, "the makespan"),
        ("the makespan is below the bound", Written { lower_bound: 5.001, ..run() }, "the makespan"),
        ("a host counts a task too many", run().with("hosts", "d,1,0", "d,1,1"), "hosts compute"),
        ("a host is busy for too long", run().with("hosts", "2,0.4", "2.1,0.42"), "hosts compute"),
        ("a utilization is another", run().with("hosts", "2,0.4", "2,0.5"), "hosts compute"),
        ("a host has no row", run().with("hosts", "b,1,2,2,0.4\n", ""), "hosts compute"),
        ("a host has two rows", run().and("hosts", "d,1,0,0,0\n"), "hosts compute"),
    ]
}

fn faults_of_transfers() -> Vec<Fault> {
    let run = Written::new;
    let (arrived, sent) = ("no task starts before its data", "transfers carry the data");
    let void = Testbed { void: Some((1, 2)), ..TESTBED };
    vec![
        (
            "a task does not wait for its data",
            run().with("tasks", "5.5,4,4,5", "5.5,3.75,3.75,4.75"),
            arrived,
        ),
        ("data are not sent", run().with("transfers", "t,x,w,b,c,0,3.5,3.5,4\n", ""), arrived),
        ("data are sent elsewhere", run().with("transfers", "b,c", "b,d"), arrived),
        (
            "data are sent before their task has ended",
            run().with("transfers", "3.5,3.5,4", "3.25,3.25,3.75").with("tasks", "5.5,4,4", "5.5,3.75,4"),
            sent,
        ),
        ("a transfer is before it is ready", run().with("transfers", "2,2.5,4", "2.75,2.5,4"), sent),
        (
            "a transfer has another size",
            run().with("graph", "\"w/u\" [size=\"1000000", "\"w/u\" [size=\"9"),
            sent,
        ),
        ("a transfer is from another host", run().with("transfers", "t,w,a,b", "t,w,d,b"), sent),
        ("a transfer is made twice", run().and("transfers", "t,x,w,b,c,0,3.5,4,4.5\n"), sent),
        ("a transfer has no edge", run().and("transfers", "r,u,w,a,b,0,1,4,4.5\n"), sent),
        ("a control edge is sent", run().and("transfers", "s,v,w,a,b,0,2,4,4.5\n"), sent),
        ("a transfer has no route", Written { testbed: void, ..run() }, "nothing is sent between"),
        (
            "data have no route",
            Written { testbed: void, ..run() }.without("transfers"),
            "nothing is sent between",
        ),
        (
            "a transfer is a nanosecond too short",
            run().with("transfers", "3.5,3.5,4", "3.5,3.5,3.999999999").with(
                "tasks",
                "5.5,4,4",
                "5.5,3.999999999,4",
            ),
            "transfers take as long",
        ),
        (
            "a link carries two transfers",
            run().with("transfers", "2,2.5,4", "2,2,3.5").with("tasks", "4,5,4,4,5", "4,5,3.5,4,5"),
            "no link carries two",
        ),
        (
            "a transfer overtakes",
            run().with("transfers", "s,u,w,a,b,1000000,2,2.5,4\n", "").with(
                "transfers",
                "r,t",
                "s,u,w,a,b,1000000,2,2.5,4\nr,t",
            ),
            "links carry transfers in the planned order",
        ),
    ]
}

fn faults_of_plans() -> Vec<Fault> {
    let run = Written::new;
    let not_started = "plans have places";
    let consistent = "a plan gives no core";
    vec![
        ("tasks start before there is a plan", run().with("plans", "0,arrival", "1,arrival"), not_started),
        ("a plan ends too early", run().with("plans", "0,5.5", "0,5.4"), not_started),
        ("a plan counts too many tasks", run().with("plans", "al,6", "al,7"), not_started),
        ("a plan counts too few tasks", run().with("plans", "al,6", "al,5"), not_started),
        ("the first plan moves a task", run().with("plans", "6,0", "6,1"), not_started),
        ("a plan has tasks that have started", run().and("plans", "3,period,3,1,9,1,1\n"), not_started),
        (
            "a plan moves a task that has started",
            run().and("plans", "3,period,2,1,9,1,1\n").with("tasks", "3,4.5,2", "8,9,2"),
            not_started,
        ),
        (
            "plans are out of order",
            run().and("plans", "3,period,2,0,9,1,1\n2,period,2,0,9,1,1\n"),
            not_started,
        ),
        ("a task is started again", run().with("tasks", "2,2,3.5,3.5,1", "2,2,3.5,3.5,2"), not_started),
        (
            "a task has no place in a plan",
            run().with("tasks", "3,4.5,2", ",,2").with("plans", "6", "5"),
            not_started,
        ),
        ("planned times overlap", run().with("tasks", "4,5,4,4,5", "3,4,4,4,5"), consistent),
        ("a child is planned too early", run().with("tasks", "3,4.5,2", "2,3.5,2"), consistent),
        ("planned times are reversed", run().with("tasks", "3,4.5,2", "4.5,3,2"), consistent),
        ("a prediction is before the start", run().with("tasks", "2,2,3.5,3.5", "2,2,3.5,1.5"), consistent),
        (
            "a core takes the wrong task",
            run().with("tasks", "b,0,4,5", "b,0,3,3.5").with("tasks", "b,0,2.5,3.5", "b,0,3.5,4.5"),
            "cores compute their tasks in",
        ),
    ]
}

fn faults_of_loads() -> Vec<Fault> {
    let run = Written::drawn;
    let (computed, carried) = ("tasks compute for as long", "transfers take as long");
    vec![
        ("a host is loaded earlier", run().with("loads", "b,3.5,0.25", "b,3.25,0.25"), computed),
        ("a host is never available", run().with("loads", "c,0,1", "c,0,0"), computed),
        ("a host has no load in the file", run().with("loads", "host,c,0,1\n", ""), computed),
        (
            "a task is too short for its load",
            run().with("tasks", "4,5,4,4,5", "4,5,4,4,4.999999998"),
            computed,
        ),
        ("a link carries more", run().with("loads", "la,2,500000", "la,2,500001"), carried),
        ("a link has no load in the file", run().with("loads", "link,lb,0,1000000\n", ""), carried),
    ]
}

#[test]
fn each_fault_breaks_the_promise_it_is_about_and_no_other() {
    let mut broken = vec![false; PROMISES.len()];
    for (fault, run, promise) in
        [faults_of_tasks(), faults_of_transfers(), faults_of_plans(), faults_of_loads()].into_iter().flatten()
    {
        let about = PROMISES.iter().position(|(words, _)| words.starts_with(promise)).expect(promise);
        let (found, words) = run.broken();
        assert_eq!(found, [about], "{fault}: {words}");
        broken[about] = true;
    }
    assert!(broken.iter().all(|broken| *broken), "a promise that no fault breaks: {broken:?}");
}

#[test]
fn what_happened_is_said_of_task_transfer_and_host() {
    let (_, words) = Written::new().with("tasks", "s,w,a,1", "s,w,a,0").broken();
    assert_eq!(words, "at 0 s: task `w/s` starts on a core that computes `w/r`");
    let (_, words) = Written::new().with("transfers", "2,2.5,4", "2,2,3.5").broken();
    assert!(
        words.contains(
            "the transfer from `w/s` to `w/u` starts on a link that carries the transfer from `w/r`"
        )
    );
    let (_, words) = Written::new().with("hosts", "d,1,0", "d,1,1").broken();
    assert!(words.ends_with("host d computes 1 tasks, and 0 by their rows"), "{words}");
}

#[test]
fn what_the_files_do_not_have_is_not_judged_and_said_so() {
    let run = Written::new;
    let place =
        |promise: &str| PROMISES.iter().position(|(words, _)| words.starts_with(promise)).expect(promise);
    let why = |run: Written, promise: &str| {
        assert_eq!(run.broken(), (vec![], String::new()), "{promise}");
        run.unjudged().into_iter().find(|(found, _)| *found == place(promise)).map(|(_, why)| why)
    };
    assert_eq!(why(run().without("transfers"), "no task starts before its data"), Some(NO_TRANSFERS));
    assert_eq!(why(run().without("transfers"), "nothing is sent between"), None);
    assert_eq!(why(run().without("plans"), "plans have places"), Some(NO_PLANS));
    assert_eq!(why(run().without("hosts"), "hosts compute"), Some(NO_HOSTS));
    let drawn = Written { testbed: Testbed { are_loads_known: false, ..TESTBED }, ..run() };
    assert_eq!(why(drawn.clone(), "tasks compute for as long"), Some(DRAWN));
    assert_eq!(why(drawn, "transfers take as long"), Some(DRAWN));
    let stopped = Written { stopped: true, ..run() };
    let stopped = stopped.with("tasks", "2,2,3.5,3.5,1", "2,2,,3.5,1");
    assert_eq!(why(stopped, "the makespan"), Some(STOPPED));
    let together = Written { testbed: Testbed { link_use: LinkUse::Together, ..TESTBED }, ..run() };
    assert_eq!(why(together.clone(), "no link carries"), Some(TOGETHER));
    let late = together.with("transfers", "3.5,3.5,4", "3.5,3.5,4.25").with(
        "tasks",
        "5.5,4,4,5",
        "5.5,4.25,4.25,5.25",
    );
    let late = Written { makespan: 5.25, ..late }.without("hosts");
    assert_eq!(why(late, "transfers take as long"), None);
    assert!(run().without("tasks").unjudged().len() == PROMISES.len());
    assert!(run().without("graph").unjudged().len() == PROMISES.len());
}

#[test]
fn tasks_of_different_plans_may_be_planned_at_the_same_times() {
    // `t` takes longer than planned; `u` and `x` are planned again when it has ended
    let run = Written::new().and("plans", "3.5,completion,2,1,5.5,1,1\n");
    let run = run.with("tasks", "2.5,3.5,2.5", "2.5,5.5,2.5").with("tasks", "5.5,4,4,5", "5,4,4,5");
    let run = run.with("tasks", "4.5,5,4", "4,5,4");
    assert_eq!(run.broken(), (vec![], String::new()));
    let order = PROMISES.len() - 1;
    assert!(run.unjudged().contains(&(order, SEVERAL)));
}

#[test]
fn a_task_that_a_failure_interrupted_may_be_started_again_later_than_its_children() {
    let run = Written::new().and("plans", "4.25,failure,1,1,6,1,1\n").without("hosts");
    let again = run.clone().with("tasks", "0,0,1,1,1", "4.5,4.5,5.5,5.5,2");
    let again = Written { makespan: 5.5, ..again };
    assert_eq!(again.broken(), (vec![], String::new()));
}

#[test]
fn damaged_files_are_errors_with_their_places() {
    let run = Written::new;
    let table = [
        (
            run().with("tasks", "2,2,3.5,3.5", "2,2,3.5s,3.5"),
            "tasks.csv, line 6, column 19: `3.5s` is no time",
        ),
        (run().with("tasks", "s,w,a,1", "s,w,a,-1"), "tasks.csv, line 3, column 7: `-1` is no core"),
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
            "transfers.csv, line 4, column 11: the quote is left open",
        ),
        (run().with("plans", "5.5", "soon"), "plans.csv, line 2, column 15: `soon` is no time"),
        (run().with("hosts", "0.4\n", "NaN\n"), "hosts.csv, line 3, column 9: `NaN` is no number"),
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
        (
            Written::drawn().with("loads", "link,lb", "link,b"),
            "loads.csv, line 11, column 6: there is no link `b`",
        ),
        (Written::drawn().with("loads", "b,4,1", "b,3,1"), "loads.csv, line 5, column 8: loads begin at 0"),
        (Written::drawn().with("loads", "b,4,1", "b,4,-1"), "loads.csv, line 5, column 8: loads begin at 0"),
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
        texts: [&texts[..], &run.texts[2..4], &run.texts[5..]].concat().try_into().expect("six"),
        ..run
    };
    assert_eq!(run.broken(), (vec![], String::new()));
}
