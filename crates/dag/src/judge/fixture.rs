//! A run written by hand that keeps every promise.
//!
//! ```text
//!   a 0   r r r r v v v v v v          r ─▶ t ─▶ x      data
//!   a 1   s s s s s s s s              s ─▶ u           data
//!   b             t t t t . . u u u u  r ─▶ v           data that stay on their host
//!   c                         x x x x  s ─▶ v           control
//! ```

use crate::kernel::SimTime;
use crate::text::csv::{Reader, Row};

use crate::check::JudgedPromise;
use crate::check::loads::{Holds, at_instant};

use super::{
    ArrivedWorkflow, DrawnLoad, KnownPredictions, LinkUse, PartFailure, PartLeft, PlanFiles, PlatformFacts,
    judge_plans,
};

pub(super) const TASKS: &str = "\
task,application,host,core,planned-start,planned-end,ready,start,end,predicted,attempts
r,w,a,0,0,1,0,0,1,1,1
s,w,a,1,1,3,0,0,2,2,1
t,w,b,0,2.5,3.5,2.5,2.5,3.5,3.5,1
u,w,b,0,4,5,4,4,5,5,1
v,w,a,0,3,4.5,2,2,3.5,3.5,1
x,w,c,0,4.5,5.5,4,4,5,5,1
";
pub(super) const TRANSFERS: &str = "\
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
pub(super) const GRAPH: &str = r#"digraph "a run" {
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

const PLAN_FILE: &str = r#"[
  {"task":"r","host":"a","core":0,"start":0.0,"end":1.0,"transfers":[]},
  {"task":"v","host":"a","core":0,"start":3.0,"end":4.5,"transfers":[null,null]},
  {"task":"s","host":"a","core":1,"start":1.0,"end":3.0,"transfers":[]},
  {"task":"t","host":"b","core":0,"start":2.5,"end":3.5,"transfers":[0]},
  {"task":"u","host":"b","core":0,"start":4.0,"end":5.0,"transfers":[1]},
  {"task":"x","host":"c","core":0,"start":4.5,"end":5.5,"transfers":[2]}
]
"#;

/// Loads that leave hosts all their speed while they compute, and the link of `a` more and less
/// than 1 MB/s.
const LOADS: &str = "\
resource,name,from,available
host,a,0,1
host,b,0,1
host,b,3.5,0.25
host,b,4,1
host,c,0,1
link,la,0,1000000
link,la,1.5,1500000
link,la,2,500000
link,la,2.5,1000000
link,lb,0,1000000
";

/// Hosts `a` to `d` of constant speed; every pair has half a second and 1 MB/s, over the link of
/// the sender.
#[derive(Clone, Copy)]
pub(super) struct Testbed {
    pub(super) void: Option<(usize, usize)>,
    pub(super) link_use: LinkUse,
    pub(super) are_loads_known: bool,
    /// A sender, and when its link does not work.
    pub(super) failure: Option<(usize, SimTime)>,
    /// The link of a sender, as a transfer leaves it.
    pub(super) left: PartLeft,
}

pub(super) const TESTBED: Testbed = Testbed {
    void: None,
    link_use: LinkUse::OneByOne,
    are_loads_known: true,
    failure: None,
    left: PartLeft::AtArrival,
};

impl PlatformFacts for Testbed {
    fn hosts(&self) -> usize {
        4
    }

    fn host(&self, name: &str) -> Option<usize> {
        ["a", "b", "c", "d"].iter().position(|host| *host == name)
    }

    fn host_name(&self, host: usize) -> &str {
        ["a", "b", "c", "d"][host]
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

    fn availability(&self, _: usize, _: SimTime) -> Option<Holds> {
        self.are_loads_known.then_some((1.0, None))
    }

    fn is_joined(&self, from: usize, to: usize) -> bool {
        self.void != Some((from, to))
    }

    fn link_use(&self) -> LinkUse {
        self.link_use
    }

    fn may_fail(&self) -> bool {
        self.failure.is_some()
    }

    fn failures(&self, from: usize, to: usize, start: SimTime) -> Vec<PartFailure> {
        let of_sender = self.failure.filter(|(sender, at)| *sender == from && from != to && *at >= start);
        let failure = |(_, at)| PartFailure { at, left: self.left };
        of_sender.map(failure).into_iter().collect()
    }

    fn route(&self, from: usize, _: usize, links: &mut Vec<usize>) {
        links.push(from);
    }

    fn links(&self) -> usize {
        4
    }

    fn link(&self, name: &str) -> Option<usize> {
        self.host(name.strip_prefix('l')?)
    }

    fn latency(&self, _: usize, _: usize, _: SimTime) -> f64 {
        0.5
    }

    fn latency_changes(&self, _: usize, _: usize) -> bool {
        false
    }

    fn bandwidth(&self, _: usize, _: SimTime) -> Option<Holds> {
        self.are_loads_known.then_some((1e6, None))
    }

    fn drawn(&self, of: DrawnLoad, at: SimTime) -> Option<Holds> {
        let values: &[(f64, f64)] = match of {
            _ if self.are_loads_known => return None,
            DrawnLoad::Host(0 | 2) => &[(0.0, 1.0)],
            DrawnLoad::Host(1) => &[(0.0, 1.0), (3.5, 0.25), (4.0, 1.0)],
            DrawnLoad::Link(0) => &[(0.0, 1e6), (1.5, 1.5e6), (2.0, 5e5), (2.5, 1e6)],
            DrawnLoad::Link(1) => &[(0.0, 1e6)],
            _ => return None,
        };
        let instant = |seconds: f64| SimTime::from_nanos((seconds * 1e9) as u64);
        let values: Vec<_> = values.iter().map(|&(from, value)| (instant(from), value)).collect();
        at_instant(&values, at)
    }
}

/// The texts of a run, and what else is known of it.
#[derive(Clone)]
pub(super) struct Written {
    pub(super) texts: [(&'static str, String); 8],
    pub(super) makespan: f64,
    pub(super) lower_bound: f64,
    pub(super) testbed: Testbed,
    pub(super) stopped: bool,
    pub(super) work_conserving: bool,
    /// True if schedulers take over from one another.
    pub(super) takes_over: bool,
    pub(super) foresight: KnownPredictions,
}

impl Written {
    pub(super) fn new() -> Self {
        let texts = [
            ("tasks", TASKS),
            ("transfers", TRANSFERS),
            ("plans", PLANS),
            ("hosts", HOSTS),
            ("graph", GRAPH),
            ("loads", ""),
            ("plan-file", PLAN_FILE),
            ("attempts", ""),
        ];
        Written {
            texts: texts.map(|(name, text)| (name, text.to_owned())),
            makespan: 5.0,
            lower_bound: 3.0,
            testbed: TESTBED,
            stopped: false,
            work_conserving: false,
            takes_over: false,
            foresight: KnownPredictions::Perfect,
        }
    }

    /// The same under loads that were drawn and recorded.
    pub(super) fn drawn() -> Self {
        let testbed = Testbed { are_loads_known: false, ..TESTBED };
        Written { testbed, ..Written::new() }.and("loads", LOADS)
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

    pub(super) fn judged(&self) -> Result<Vec<JudgedPromise>, String> {
        let text = |name: &str| {
            let (_, text) = self.texts.iter().find(|(file, _)| *file == name)?;
            Some(text.as_str()).filter(|text| !text.is_empty())
        };
        let tasks = text("tasks").map(with_slack);
        let files = PlanFiles {
            tasks: tasks.as_deref(),
            transfers: text("transfers"),
            plans: text("plans"),
            hosts: text("hosts"),
            graph: text("graph"),
            loads: text("loads"),
            plan_file: text("plan-file"),
            attempts: text("attempts"),
            workflows: &[ArrivedWorkflow {
                name: "w".to_owned(),
                kind: "w".to_owned(),
                arrival: SimTime::ZERO,
            }],
            foresight: self.foresight,
            makespan: Some(self.makespan),
            lower_bound: Some(self.lower_bound),
            stopped: self.stopped,
            work_conserving: self.work_conserving,
            takes_over: self.takes_over,
            home: Some("d"),
            ..PlanFiles::default()
        };
        judge_plans(&files, &self.testbed)
    }

    /// The promises that are broken, and in words what happened.
    pub(super) fn broken(&self) -> (Vec<String>, String) {
        let judged = self.judged().expect("files that can be read");
        let broken = judged.iter().filter_map(|(promise, judged)| {
            let violations = judged.as_ref().ok().filter(|violations| !violations.is_empty())?;
            let words = violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            Some((promise.clone(), words))
        });
        let (promises, words): (Vec<_>, Vec<_>) = broken.unzip();
        (promises, words.join(" | "))
    }

    /// Promises that are not judged, with the reasons.
    pub(super) fn unjudged(&self) -> Vec<(String, &'static str)> {
        let judged = self.judged().expect("files that can be read");
        judged.into_iter().filter_map(|(promise, judged)| Some((promise, judged.err()?))).collect()
    }
}

/// A `tasks.csv` with the columns of slack, which are empty.
fn with_slack(text: &str) -> String {
    let (mut reader, mut row, mut whole) = (Reader::new(text), Row::default(), String::new());
    while reader.read(&mut row).expect("a table") {
        let more = if whole.is_empty() { ",slack,planned-slack" } else { ",," };
        whole.extend([row.whole().raw(), more, "\n"]);
    }
    whole
}
