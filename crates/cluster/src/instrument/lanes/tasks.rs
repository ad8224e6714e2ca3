//! The timeline of a run at detail `task`: tasks on processors, and messages as arrows.
//!
//! One lane a processor, named with its node; on it a span for every time in which the processor
//! did one thing for one task, named by job number, rank and activity (`12.3 spin`), or by the
//! activity alone. An idle processor has no span. A message is an arrow from the mark at which its
//! task has sent it to the mark at which the other has taken it. One counter is the queue length.

use std::io;

use crate::collections::{Interval, OrderedMap};
use crate::ids::JobId;
use crate::instrument::profile::Activity;
use crate::instrument::task_metrics::TaskRun;
use crate::instrument::timeline::{self, ActivitySpan};
use crate::kernel::SimTime;
use crate::output::{Arrow, Label, LaneSink, LaneSource, LaneTotal, Lanes};

use super::changes::{What, changes};
use super::{PROCESSORS, QUEUE_LENGTH};

/// The timeline of the tasks of a run.
#[derive(Clone, Copy, Debug)]
pub struct TaskLanes<'a> {
    /// The run.
    pub run: TaskRun<'a>,
    /// Activities of its processors, and its messages.
    pub timeline: &'a timeline::Timeline,
}

/// Event at an instant, in the order in which it is pushed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Ends,
    Begins,
    Marks,
    Counts,
}

/// Numbers of the names of spans, by what they are of.
type Names = OrderedMap<(Option<(JobId, u32)>, Activity), u64>;

impl LaneSource for TaskLanes<'_> {
    fn lanes(&self) -> Lanes {
        Lanes { counters: &[QUEUE_LENGTH], causes: Activity::WORDS, ..PROCESSORS }
    }

    fn totals(&self) -> Vec<LaneTotal> {
        let profile = self.run.profile;
        let window = (profile.observed_from(), profile.to);
        let whole = profile.processors.len() as f64 * window.1.since(window.0).as_secs_f64();
        let total = |activity: Activity| {
            let (metrics, causes) = (vec![format!("profile.{}", activity.name())], vec![activity.name()]);
            LaneTotal { metrics, causes, window, whole, once: false }
        };
        // an idle processor has no span
        Activity::ALL.into_iter().filter(|activity| *activity != Activity::Idle).map(total).collect()
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        for (processor, node) in (0..).zip(&self.run.profile.nodes) {
            sink.lane(processor, &format!("processor {processor} (node {node})"))?;
        }
        let (timeline, changes) = (self.timeline, changes(&self.run.run));
        let mut waiting = 0;
        let (mut names, mut marked) = (Names::new(), [false; MARKS.len()]);
        for (at, what, place) in in_order(timeline, changes.iter().map(|change| change.at)) {
            match what {
                Part::Ends => sink.end(at, &lane(timeline.spans[place].processor))?,
                Part::Begins => begin(sink, &self.run, &timeline.spans[place], &mut names)?,
                Part::Marks => {
                    let end = &timeline.ends[place];
                    let (mark, arrow) = if end.sent {
                        (0, Arrow::Begins(end.message))
                    } else {
                        (1, Arrow::Ends(end.message))
                    };
                    let name = (!std::mem::replace(&mut marked[mark], true)).then_some(MARKS[mark]);
                    let label = Label { number: mark as u64 + 1, name, facts: &[], cause: "" };
                    sink.mark(at, end.processor, label, arrow)?;
                }
                Part::Counts => {
                    match changes[place].what {
                        What::Submitted | What::Interrupted => waiting += 1,
                        What::Started | What::Withdrawn => waiting -= 1,
                        What::Ended => {}
                    }
                    if changes.get(place + 1).is_none_or(|next| next.at != at) {
                        sink.count(at, 0, waiting)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The names of marks, from number 1 on.
const MARKS: [&str; 2] = ["send", "receive"];
/// The number of the first name of a slice.
const FIRST_NAME: u64 = 3;

/// Everything that happens, in order: instant, what, and its place in its list.
fn in_order(
    timeline: &timeline::Timeline,
    changes: impl Iterator<Item = SimTime>,
) -> Vec<(SimTime, Part, usize)> {
    let busy = timeline.spans.iter().enumerate().filter(|(_, span)| span.activity != Activity::Idle);
    let mut all: Vec<(SimTime, Part, usize)> = busy
        .flat_map(|(place, span)| [(span.from, Part::Begins, place), (span.to, Part::Ends, place)])
        .collect();
    all.extend(timeline.ends.iter().enumerate().map(|(place, end)| (end.at, Part::Marks, place)));
    all.extend(changes.enumerate().map(|(place, at)| (at, Part::Counts, place)));
    all.sort_unstable();
    all
}

fn lane(processor: u32) -> [Interval; 1] {
    [Interval::new(processor, processor)]
}

/// Begins a span.
fn begin(
    sink: &mut dyn LaneSink,
    run: &TaskRun<'_>,
    span: &ActivitySpan,
    names: &mut Names,
) -> io::Result<()> {
    let next = FIRST_NAME + names.len() as u64;
    let key = (span.task, span.activity);
    let known = names.get(&key).copied();
    let number = |job: JobId| run.run.jobs[job.index()].number;
    let name = span.activity.name();
    let fresh = known.is_none().then(|| match span.task {
        Some((job, rank)) => format!("{}.{rank} {name}", number(job)),
        None => name.to_owned(),
    });
    let facts = span.task.map(|(job, rank)| [("job", number(job)), ("rank", u64::from(rank))]);
    let label = Label {
        number: *names.entry(key).or_insert(next),
        name: fresh.as_deref(),
        facts: facts.as_ref().map_or(&[], |facts| facts),
        cause: name,
    };
    sink.begin(span.from, &lane(span.processor), label)
}
