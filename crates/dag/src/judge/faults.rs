//! Faults of runs, each of which breaks one promise.

use crate::kernel::SimTime;

use super::fixture::{TESTBED, Testbed, Written};

/// A fault: what it is, the run that has it, and the beginning of the promise that it breaks.
pub(super) type Fault = (&'static str, Written, &'static str);

pub(super) fn faults_of_tasks() -> Vec<Fault> {
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
        (
            "a task waits for nothing",
            run().with("tasks", "4,5,4,4,5,5", "4,5,4,4.5,5.5,5.5"),
            "ready of tasks.csv",
        ),
        (
            "a task is ready too early",
            run().with("tasks", "4.5,5.5,4,4,5", "4.5,5.5,3.9,4,5"),
            "ready of tasks.csv",
        ),
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
        ("a host counts a task too many", run().with("hosts", "d,1,0", "d,1,1"), "hosts.csv has"),
        ("a host is busy for too long", run().with("hosts", "2,0.4", "2.1,0.42"), "hosts.csv has"),
        ("a utilization is another", run().with("hosts", "2,0.4", "2,0.5"), "hosts.csv has"),
        ("a utilization is missing", run().with("hosts", "2,0.4", "2,"), "hosts.csv has"),
        ("a host has no row", run().with("hosts", "b,1,2,2,0.4\n", ""), "hosts.csv has"),
        ("a host has two rows", run().and("hosts", "d,1,0,0,0\n"), "hosts.csv has"),
    ]
}

/// The link of host `b` does not work at this nanosecond.
pub(super) fn failing(nanos: u64) -> Testbed {
    Testbed { failure: Some((1, SimTime::from_nanos(nanos))), ..TESTBED }
}

pub(super) fn faults_of_transfers() -> Vec<Fault> {
    let run = Written::new;
    let (arrived, sent) = ("no task starts before its data", "transfers carry the data");
    let void = Testbed { void: Some((1, 2)), ..TESTBED };
    vec![
        (
            "a task does not wait for its data",
            run().with("tasks", "5.5,4,4,5", "5.5,3.75,3.75,4.75"),
            arrived,
        ),
        ("data are not sent", run().with("transfers", "t,x,w,,b,c,0,3.5,3.5,4\n", ""), arrived),
        ("data are sent elsewhere", run().with("transfers", "b,c", "b,d"), arrived),
        (
            "data are sent before their task has ended",
            run().with("transfers", "3.5,3.5,4", "3.25,3.25,3.75").with("tasks", "5.5,4,4", "5.5,3.75,4"),
            sent,
        ),
        (
            "a transfer waits for nothing",
            run().with("transfers", "3.5,3.5,4", "3.5,3.75,4.25"),
            "ready of transfers.csv",
        ),
        (
            "data are ready late",
            run().with("transfers", "3.5,3.5,4", "3.75,3.75,4.25"),
            "ready of transfers.csv",
        ),
        ("a transfer is before it is ready", run().with("transfers", "2,2.5,4", "2.75,2.5,4"), sent),
        (
            "a transfer has another size",
            run().with("graph", "\"w/u\" [size=\"1000000", "\"w/u\" [size=\"9"),
            sent,
        ),
        ("a transfer is from another host", run().with("transfers", "t,w,,a,b", "t,w,,d,b"), sent),
        ("a transfer is made twice", run().and("transfers", "t,x,w,,b,c,0,3.5,4,4.5\n"), sent),
        ("a transfer has no edge", run().and("transfers", "r,u,w,,a,b,0,1,4,4.5\n"), sent),
        ("a control edge is sent", run().and("transfers", "s,v,w,,a,b,0,2,4,4.5\n"), sent),
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
            "a transfer outlasts a failure of its link",
            Written { testbed: failing(3_750_000_000), ..run() },
            "transfers take as long",
        ),
        (
            "a transfer does not arrive, and nothing fails",
            run().with("transfers", "t,x,w,,b,c,0,3.5", "t,x,w,,b,c,0,3.5,3.5,\nt,x,w,,b,c,0,3.5"),
            "transfers take as long",
        ),
        (
            "a link carries two transfers",
            run().with("transfers", "2,2.5,4", "2,2,3.5").with("tasks", "4,5,4,4,5", "4,5,3.5,4,5"),
            "no link carries two",
        ),
        (
            "a transfer overtakes",
            run().with("transfers", "s,u,w,,a,b,1000000,2,2.5,4\n", "").with(
                "transfers",
                "r,t",
                "s,u,w,,a,b,1000000,2,2.5,4\nr,t",
            ),
            "links carry transfers in the planned order",
        ),
        (
            "a transfer overtakes where links fail",
            Written { testbed: failing(9_000_000_000), ..run() }
                .with("transfers", "s,u,w,,a,b,1000000,2,2.5,4\n", "")
                .with("transfers", "r,t", "s,u,w,,a,b,1000000,2,2.5,4\nr,t"),
            "links carry transfers in the planned order",
        ),
    ]
}

/// The starts of the tasks.
const ATTEMPTS: &str = "\
task,application,attempt,host,core,ready,start,end,lost,data
r,w,1,a,0,0,0,1,,
s,w,1,a,1,0,0,2,,
v,w,1,a,0,2,2,3.5,,1 1
t,w,1,b,0,2.5,2.5,3.5,,1@0
u,w,1,b,0,4,4,5,,1@1
x,w,1,c,0,4,4,5,,1@2
";

/// The run with every start of a task.
pub(super) fn with_attempts() -> Written {
    Written::new().and("attempts", ATTEMPTS)
}

pub(super) fn faults_of_attempts() -> Vec<Fault> {
    let run = with_attempts;
    let every = "attempts.csv has every start";
    let data = "no task starts before its data";
    vec![
        ("a start has no row", run().with("attempts", "x,w,1,c,0,4,4,5,,1@2\n", ""), every),
        ("a start is not the last one", run().with("attempts", "x,w,1,c,0,4,4", "x,w,1,c,0,4,3.9"), every),
        ("a start is the second of one", run().with("attempts", "x,w,1,c", "x,w,2,c"), every),
        ("a start has no end", run().with("attempts", "4,4,5,,1@2", "4,4,,,1@2"), every),
        ("a start is lost though nothing fails", run().with("attempts", "4,4,5,,1@2", "4,4,,4.5,1@2"), every),
        ("a task is started again and was not lost", run().and("attempts", "x,w,2,c,0,5,5,6,,1@2\n"), every),
        (
            "starts are out of order",
            run().with("attempts", "r,w,1,a,0,0,0,1,,\ns,w", "s,w").and("attempts", "r,w,1,a,0,0,0,1,,\n"),
            every,
        ),
        ("data came by no transfer", run().with("attempts", "1@2", "1"), data),
        ("data came by another transfer", run().with("attempts", "1@1", "1@0"), data),
        ("data came by a transfer that there is not", run().with("attempts", "1@1", "1@9"), data),
        ("data are of no attempt", run().with("attempts", "1@1", "2@1"), data),
        ("data are of too few parents", run().with("attempts", "1 1", "1"), data),
    ]
}

/// A table with the column of further cores behind that of the core; task `v` has core 1, too.
fn with_further(text: &str, core: usize) -> String {
    let line = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        let further = match cells[0] {
            "task" => "further-cores",
            "v" => "1",
            _ => "",
        };
        cells.insert(core + 1, further);
        cells.join(",") + "\n"
    };
    text.lines().map(line).collect()
}

/// A run in which task `v` holds both cores of its host.
pub(super) fn with_wide_task() -> Written {
    let v =
        "  {\"task\":\"v\",\"host\":\"a\",\"core\":0,\"start\":3.0,\"end\":4.5,\"transfers\":[null,null]},\n";
    let wide = v.replace("4.5,", "4.5,\"further-cores\":[1],");
    let mut run = with_attempts()
        .with("graph", "\"time:b\"=\"9\"", "\"time:b\"=\"9\", cores=\"2\"")
        .with("hosts", "3,4.5,0.45", "3,6,0.6")
        .with("plan-file", v, "")
        .with("plan-file", "  {\"task\":\"t\"", &format!("{wide}  {{\"task\":\"t\""));
    for (name, text) in &mut run.texts {
        match *name {
            "tasks" => *text = with_further(text, 3),
            "attempts" => *text = with_further(text, 4),
            _ => {}
        }
    }
    run
}

pub(super) fn faults_of_cores() -> Vec<Fault> {
    let run = with_wide_task;
    let both = |old: &str, new: &str| {
        let run = run().with("tasks", &format!("v,w,a{old}"), &format!("v,w,a{new}"));
        run.with("attempts", &format!("v,w,1,a{old}"), &format!("v,w,1,a{new}"))
    };
    let allowed = "tasks run on cores";
    vec![
        ("a task holds too few cores", both(",0,1,", ",0,,"), allowed),
        ("a task holds a core that there is not", both(",0,1,", ",0,2,"), allowed),
        ("a task holds a core twice", both(",0,1,", ",1,1,"), allowed),
        ("a task that asks for one core holds two", run().with("tasks", "s,w,a,1,,", "s,w,a,0,1,"), allowed),
        (
            "a task begins while one of its cores computes",
            run().with("tasks", "1,3,0,0,2,2,1", "1,3,0.5,0.5,2.5,2.5,1").with(
                "attempts",
                "a,1,,0,0,2",
                "a,1,,0.5,0.5,2.5",
            ),
            "no core computes two",
        ),
        (
            "a task is planned on a core that is to compute",
            run().with("tasks", "1,3,0,", "1,3.5,0,"),
            "a plan gives no core",
        ),
        (
            "a start was on other cores",
            run().with("attempts", "v,w,1,a,0,1,", "v,w,1,a,0,,"),
            "attempts.csv has every start",
        ),
        (
            "plan.json has another further core",
            run().with("plan-file", "[1],\"tr", "[0],\"tr"),
            "plan.json has",
        ),
        ("plan.json has a core less", run().with("plan-file", "\"further-cores\":[1],", ""), "plan.json has"),
        (
            "a host has one core of a task in use",
            run().with("hosts", "3,6,0.6", "3,4.5,0.45"),
            "hosts.csv has",
        ),
    ]
}

pub(super) fn faults_of_plans() -> Vec<Fault> {
    let run = Written::new;
    let not_started = "plans have places";
    let consistent = "a plan gives no core";
    vec![
        (
            "a plan has no reason",
            run().with("plans", "0,arrival", "0,boredom"),
            "plans are made for a reason",
        ),
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
            "plan.json has a task elsewhere",
            run().with("plan-file", "\"c\",\"core\":0", "\"c\",\"core\":1"),
            "plan.json has",
        ),
        (
            "plan.json has another time",
            run().with("plan-file", "\"end\":5.5", "\"end\":5.6"),
            "plan.json has",
        ),
        ("plan.json has another order of transfers", run().with("plan-file", "[1]", "[2]"), "plan.json has"),
        (
            "plan.json has a task less",
            run().with("plan-file", "},\n  {\"task\":\"x", "}]\n{\"task\":\"x"),
            "plan.json has",
        ),
        (
            "a prediction is not the truth",
            run().with("tasks", "2,2,3.5,3.5", "2,2,3.5,3.6"),
            "predicted, planned-start",
        ),
        (
            "a plan knows more than the truth",
            run().with("tasks", "4.5,5.5,4", "4.5,5.4,4"),
            "predicted, planned-start",
        ),
        (
            "a core takes the wrong task",
            run().with("tasks", "b,0,4,5", "b,0,3,3.5").with("tasks", "b,0,2.5,3.5", "b,0,3.5,4.5"),
            "cores compute their tasks in",
        ),
    ]
}

/// A task that reads a file from the home host.
pub(super) fn with_input() -> Written {
    let run = Written::new().with("graph", "\"w/x\" [size=\"1e9\"", "\"w/x\" [size=\"1e9\", input=\"1000\"");
    run.and("transfers", ",x,w,,d,c,1000,0,0,0.501\n")
}

/// A task that writes a file which is returned.
pub(super) fn with_output() -> Written {
    let run = Written::new().with("graph", "\"w/x\" [size=\"1e9\"", "\"w/x\" [size=\"1e9\", output=\"1000\"");
    let run = run.and("transfers", "x,,w,,c,d,1000,5,5,5.501\n");
    Written { makespan: 5.501, ..run }.without("hosts")
}

/// Two tasks on one host that read the same file of another.
pub(super) fn with_shared_file() -> Written {
    let files = "\"w/t\" [size=\"1000000\", \"file:f\"=\"1000000\"];\n  \
                 \"w/r\" -> \"w/u\" [size=\"1000000\", \"file:f\"=\"1000000\"];";
    Written::new().with("graph", "\"w/t\" [size=\"1000000\"];", files).with("transfers", "r,t,w,", "r,t,w,f")
}

pub(super) fn faults_of_files() -> Vec<Fault> {
    let (arrived, sent) = ("no task starts before its data", "transfers carry the data");
    vec![
        (
            "a file from the home host is not sent",
            with_input().with("transfers", ",x,w,,d,c,1000,0,0,0.501\n", ""),
            arrived,
        ),
        (
            "a file is sent from elsewhere",
            with_input().with("transfers", ",x,w,,d,c,1000,0,0,0.501\n", "").with(
                "transfers",
                "r,t",
                ",x,w,,a,c,1000,0,0,0.501\nr,t",
            ),
            sent,
        ),
        (
            "a file is not returned",
            Written { makespan: 5.0, ..with_output().with("transfers", "x,,w,,c,d,1000,5,5,5.501\n", "") },
            "files that are to be returned",
        ),
        ("a return is no part of the makespan", Written { makespan: 5.0, ..with_output() }, "the makespan"),
        (
            "a file is sent to a host twice",
            with_shared_file().and("transfers", "r,u,w,f,a,b,1000000,1,4,5.5\n"),
            sent,
        ),
        (
            "a file is not sent to its second reader",
            with_shared_file().with("transfers", "r,t,w,f", "r,t,w,").with(
                "graph",
                "\"w/t\" [size=\"1000000\", \"file:f\"=\"1000000\"]",
                "\"w/t\" [size=\"1000000\"]",
            ),
            arrived,
        ),
        (
            "a host has too little memory",
            Written::new().with("graph", "color=\"red\"", "memory=\"2000\""),
            "tasks run on cores",
        ),
    ]
}

/// Of a run under loads that were drawn and recorded.
pub(super) fn faults_of_loads() -> Vec<Fault> {
    let run = Written::drawn;
    let (computed, carried) = ("tasks compute for as long", "transfers take as long");
    vec![
        ("a host is loaded earlier", run().with("loads", "b,3.5,0.25", "b,3.25,0.25"), computed),
        ("a load was not drawn", run().with("loads", "b,3.5,0.25", "b,3.5,0.75"), "loads.csv has"),
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
