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

use super::faults::{
    failing, faults_of_files, faults_of_plans, faults_of_tasks, faults_of_transfers, with_input, with_output,
    with_shared_file,
};

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
from-task,to-task,application,file,from-host,to-host,bytes,ready,start,end
r,t,w,,a,b,1000000,1,1,2.5
s,u,w,,a,b,1000000,2,2.5,4
t,x,w,,b,c,0,3.5,3.5,4
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
pub(super) struct Testbed {
    pub(super) void: Option<(usize, usize)>,
    pub(super) link_use: LinkUse,
    pub(super) are_loads_known: bool,
    /// A sender, and when its link does not work.
    pub(super) failure: Option<(usize, SimTime)>,
}

pub(super) const TESTBED: Testbed =
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

    fn memory(&self, host: usize) -> Option<u64> {
        (host == 1).then_some(1_000)
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
pub(super) struct Written {
    pub(super) texts: [(&'static str, String); 5],
    pub(super) makespan: f64,
    pub(super) lower_bound: f64,
    pub(super) testbed: Testbed,
    pub(super) stopped: bool,
    pub(super) work_conserving: bool,
}

impl Written {
    pub(super) fn new() -> Self {
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
    pub(super) fn with(mut self, file: &str, old: &str, new: &str) -> Self {
        let (_, text) = self.texts.iter_mut().find(|(name, _)| *name == file).expect("a file");
        assert_eq!(text.matches(old).count(), 1, "{old} in {file}");
        *text = text.replace(old, new);
        self
    }

    /// The same with these rows at the end of a file.
    pub(super) fn and(mut self, file: &str, rows: &str) -> Self {
        let (_, text) = self.texts.iter_mut().find(|(name, _)| *name == file).expect("a file");
        text.push_str(rows);
        self
    }

    /// The same without a file.
    pub(super) fn without(mut self, file: &str) -> Self {
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
            home: Some("d"),
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

#[test]
fn each_fault_breaks_the_promise_it_is_about_and_no_other() {
    let mut broken = vec![false; PROMISES.len()];
    for (fault, run, promise) in
        [faults_of_tasks(), faults_of_transfers(), faults_of_plans(), faults_of_files()].into_iter().flatten()
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
fn files_begin_and_end_at_a_home_host_and_go_to_a_host_once() {
    for run in [with_input(), with_output(), with_shared_file()] {
        assert_eq!(run.broken(), (vec![], String::new()));
    }
}

#[test]
fn a_transfer_that_a_failure_broke_off_may_be_sent_again() {
    let run = Written { testbed: failing(3_750_000_000), makespan: 5.5, ..Written::new() }.without("hosts");
    let run = run.with("transfers", "3.5,3.5,4", "3.5,3.5,\nt,x,w,,b,c,0,3.75,4,4.5");
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
            "transfers.csv, line 4, column 12: the quote is left open",
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
