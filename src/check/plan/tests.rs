//! A run written by hand that keeps every promise, and faults, each of which breaks one.
//!
//! ```text
//!   a 0   r r r r v v v v v v          r ─▶ t ─▶ x      data
//!   a 1   s s s s s s s s              s ─▶ u           data
//!   b             t t t t . . u u u u  r ─▶ v           data that stay on their host
//!   c                         x x x x  s ─▶ v           control
//! ```

use crate::kernel::{SimDuration, SimTime};

use super::{DRAWN, LinkUse, NO_HOSTS, NO_PLANS, NO_TRANSFERS, PROMISES, PlanFiles, PlatformFacts, SEVERAL};
use super::{STOPPED, TOGETHER, TransferEnd, judge_plans};

const TASKS: &str = "\
task,application,host,core,planned-start,planned-end,ready,start,end,predicted,attempts
r,w,a,0,0,1,0,0,1,1,1
s,w,a,1,1,3,0,0,2,2,1
t,w,b,0,2.5,3.5,2.5,2.5,3.5,3.5,1
u,w,b,0,4,5,4,4,5,5,1
v,w,a,0,3,4.5,2,2,3.5,3.5,1
x,w,c,0,4.5,5.5,4,4,5,5,1
";
const TRANSFERS: &str = "\
from-task,to-task,application,from-host,to-host,bytes,ready,start,end
r,t,w,a,b,1000000,1,1,2.5
s,u,w,a,b,1000000,2,2.5,4
t,x,w,b,c,0,3.5,3.5,4
";
const PLANS: &str = "\
at,cause,tasks,moved,end,questions,looked-at
0,arrival,6,0,5.5,12,24
";
const HOSTS: &str = "\
host,cores,tasks,busy,utilization
a,2,3,4.5,0.45
b,1,2,2,0.4
c,1,1,1,0.2
d,1,0,0,0
";
const GRAPH: &str = r#"digraph "a run" {
  "w/r" [size="1e9"];
  "w/s" [size="2000000000"];
  "w/t" [size="2e9", color="red"];
  "w/u" [size="2e9"];
  "w/v" ["time:a"="1.5", "time:b"="9"];
  "w/x" [size="1e9"];
  "w/r" -> "w/t" [size="1000000"];
  "w/s" -> "w/u" [size="1000000"];
  "w/r" -> "w/v" [size="10"];
  "w/s" -> "w/v";
  "w/t" -> "w/x" [size="0"];
}
"#;

/// Hosts `a` to `d` of constant speed; every pair has half a second and 1 MB/s, over the link of the sender.
#[derive(Clone, Copy)]
struct Testbed {
    void: Option<(usize, usize)>,
    link_use: LinkUse,
    are_loads_known: bool,
    /// A sender, and when its link does not work.
    failure: Option<(usize, SimTime)>,
}

const TESTBED: Testbed =
    Testbed { void: None, link_use: LinkUse::InRowOrder, are_loads_known: true, failure: None };

impl PlatformFacts for Testbed {
    fn host(&self, name: &str) -> Option<usize> {
        ["a", "b", "c", "d"].iter().position(|host| *host == name)
    }

    fn cores(&self, host: usize) -> u32 {
        if host == 0 { 2 } else { 1 }
    }

    fn speed(&self, host: usize) -> f64 {
        if host == 1 { 2e9 } else { 1e9 }
    }

    fn computed(&self, _: usize, start: SimTime, seconds: f64) -> Option<SimTime> {
        self.are_loads_known.then(|| start.saturating_add(SimDuration::ceil_secs(seconds)))
    }

    fn is_joined(&self, from: usize, to: usize) -> bool {
        self.void != Some((from, to))
    }

    fn carried(&self, _: usize, _: usize, bytes: u64, start: SimTime) -> TransferEnd {
        let end = start.saturating_add(SimDuration::ceil_secs(0.5 + bytes as f64 / 1e6));
        match self.link_use {
            _ if !self.are_loads_known => TransferEnd::Unknown,
            LinkUse::Together => TransferEnd::NotBefore(end),
            _ => TransferEnd::At(end),
        }
    }

    fn link_use(&self) -> LinkUse {
        self.link_use
    }

    fn fails(&self, from: usize, _: usize, start: SimTime) -> Option<SimTime> {
        self.failure.filter(|(sender, at)| *sender == from && *at >= start).map(|(_, at)| at)
    }

    fn route(&self, from: usize, _: usize, links: &mut Vec<usize>) {
        links.push(from);
    }
}

/// The texts of a run, and what else is known of it.
#[derive(Clone)]
struct Written {
    texts: [(&'static str, String); 5],
    makespan: f64,
    lower_bound: f64,
    testbed: Testbed,
    stopped: bool,
    work_conserving: bool,
}

impl Written {
    fn new() -> Self {
        let texts = [
            ("tasks", TASKS),
            ("transfers", TRANSFERS),
            ("plans", PLANS),
            ("hosts", HOSTS),
            ("graph", GRAPH),
        ];
        Written {
            texts: texts.map(|(name, text)| (name, text.to_owned())),
            makespan: 5.0,
            lower_bound: 3.0,
            testbed: TESTBED,
            stopped: false,
            work_conserving: false,
        }
    }

    /// The same with another text in one place of a file.
    fn with(mut self, file: &str, old: &str, new: &str) -> Self {
        let (_, text) = self.texts.iter_mut().find(|(name, _)| *name == file).expect("a file");
        assert_eq!(text.matches(old).count(), 1, "{old} in {file}");
        *text = text.replace(old, new);
        self
    }

    /// The same with these rows at the end of a file.
    fn and(mut self, file: &str, rows: &str) -> Self {
        let (_, text) = self.texts.iter_mut().find(|(name, _)| *name == file).expect("a file");
        text.push_str(rows);
        self
    }

    /// The same without a file.
    fn without(mut self, file: &str) -> Self {
        let (_, text) = self.texts.iter_mut().find(|(name, _)| *name == file).expect("a file");
        text.clear();
        self
    }

    fn judged(&self) -> Result<Vec<(&'static str, super::Judgement)>, String> {
        let text = |name: &str| {
            let (_, text) = self.texts.iter().find(|(file, _)| *file == name)?;
            Some(text.as_str()).filter(|text| !text.is_empty())
        };
        let files = PlanFiles {
            tasks: text("tasks"),
            transfers: text("transfers"),
            plans: text("plans"),
            hosts: text("hosts"),
            graph: text("graph"),
            makespan: Some(self.makespan),
            lower_bound: Some(self.lower_bound),
            stopped: self.stopped,
            work_conserving: self.work_conserving,
        };
        judge_plans(&files, &self.testbed)
    }

    /// The promises that are broken, by their places, and in words what happened.
    fn broken(&self) -> (Vec<usize>, String) {
        let judged = self.judged().expect("files that can be read");
        let broken = judged.iter().enumerate().filter_map(|(place, (_, judged))| {
            let violations = judged.as_ref().ok().filter(|violations| !violations.is_empty())?;
            Some((place, violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")))
        });
        let (places, words): (Vec<_>, Vec<_>) = broken.unzip();
        (places, words.join(" | "))
    }

    /// Why promises are not judged, by their places.
    fn unjudged(&self) -> Vec<(usize, &'static str)> {
        let judged = self.judged().expect("files that can be read");
        let why =
            |(place, (_, judged)): (usize, &(&str, super::Judgement))| Some((place, *judged.as_ref().err()?));
        judged.iter().enumerate().filter_map(why).collect()
    }
}

#[test]
fn a_run_that_keeps_every_promise_passes() {
    let run = Written::new();
    assert_eq!(run.broken(), (vec![], String::new()));
    assert_eq!(run.unjudged(), []);
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

/// The link of host `b` does not work at this nanosecond.
fn failing(nanos: u64) -> Testbed {
    Testbed { failure: Some((1, SimTime::from_nanos(nanos))), ..TESTBED }
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
            "a transfer outlasts a failure of its link",
            Written { testbed: failing(3_750_000_000), ..run() },
            "transfers take as long",
        ),
        (
            "a transfer does not arrive, and nothing fails",
            run().with("transfers", "t,x,w,b,c,0,3.5", "t,x,w,b,c,0,3.5,3.5,\nt,x,w,b,c,0,3.5"),
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

#[test]
fn each_fault_breaks_the_promise_it_is_about_and_no_other() {
    let mut broken = vec![false; PROMISES.len()];
    for (fault, run, promise) in
        [faults_of_tasks(), faults_of_transfers(), faults_of_plans()].into_iter().flatten()
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
fn a_transfer_that_a_failure_broke_off_may_be_sent_again() {
    let run = Written { testbed: failing(3_750_000_000), makespan: 5.5, ..Written::new() }.without("hosts");
    let run = run.with("transfers", "3.5,3.5,4", "3.5,3.5,\nt,x,w,b,c,0,3.75,4,4.5");
    let run = run.with("tasks", "5.5,4,4,5,5", "5.5,4.5,4.5,5.5,5.5");
    assert_eq!(run.broken(), (vec![], String::new()));
}

#[test]
fn schedulers_that_take_over_may_place_tasks_as_the_run_goes_on() {
    let not_started = PROMISES.iter().position(|(words, _)| words.starts_with("plans have places"));
    let of = |run: &Written| run.broken().0.first().copied();
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
    let run = Written { texts: [&texts[..], &run.texts[2..4]].concat().try_into().expect("five"), ..run };
    assert_eq!(run.broken(), (vec![], String::new()));
}
