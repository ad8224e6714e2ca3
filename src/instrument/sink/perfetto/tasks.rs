//! `trace.pftrace` at detail `task`: tasks on processors, and messages as arrows.
//!
//! One track a processor, named with its node; on it a slice for every span in which the processor did one thing for one
//! task, named by job number, rank and activity (`12.3 spin`), or by the activity alone. An idle processor has no slice. A
//! message is a flow from the mark at which its task has sent it to the mark at which the other has taken it. One
//! counter tells the queue length.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::ids::JobId;
use crate::instrument::profile::Activity;
use crate::instrument::task_metrics::TaskRun;
use crate::instrument::timeline::{Span, Timeline};

use super::changes::{What, changes};
use super::packet::{Annotation, Flow, Packets, Track};
use super::{Counter, FIRST_PROCESSOR, PROCESSORS, QUEUE};

/// What happens at an instant, in the order in which that is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Ends,
    Begins,
    Marks,
    Counts,
}

/// Names of slices that have been told, by what they are of.
type Names = BTreeMap<(Option<(JobId, u32)>, Activity), u64>;

/// Writes the whole trace.
///
/// # Errors
/// What the writer says.
pub fn write(run: &TaskRun<'_>, timeline: &Timeline, out: &mut impl Write) -> io::Result<()> {
    let mut packets = Packets::new(out);
    packets.begin()?;
    packets.track(&Track::counter(QUEUE, "queue length", "jobs"))?;
    packets.track(&Track::parent(PROCESSORS, "processors"))?;
    for (processor, node) in (0_u64..).zip(&run.profile.nodes) {
        let name = format!("processor {processor} (node {node})");
        packets.track(&Track::child(PROCESSORS, FIRST_PROCESSOR + processor, &name, processor))?;
    }
    let changes = changes(&run.run);
    let mut queue = Counter::new(QUEUE);
    let (mut names, mut marked) = (Names::new(), [false; MARKS.len()]);
    for (at, what, place) in in_order(timeline, changes.iter().map(|change| change.at.as_nanos())) {
        match what {
            Part::Ends => packets.end(at, track(timeline.spans[place].processor))?,
            Part::Begins => begin(&mut packets, run, &timeline.spans[place], &mut names)?,
            Part::Marks => {
                let end = &timeline.ends[place];
                let (name, flow) =
                    if end.sent { (0, Flow::Begins(end.message)) } else { (1, Flow::Ends(end.message)) };
                let fresh = (!std::mem::replace(&mut marked[name], true)).then_some(MARKS[name]);
                packets.describe_once(name as u64 + 1, fresh, &[]);
                packets.mark(at, track(end.processor), flow)?;
            }
            Part::Counts => {
                match changes[place].what {
                    What::Submitted => queue.value += 1,
                    What::Started | What::Withdrawn => queue.value -= 1,
                    What::Ended => {}
                }
                if changes.get(place + 1).is_none_or(|next| next.at.as_nanos() != at) {
                    queue.tell(&mut packets, at)?;
                }
            }
        }
    }
    packets.finish()
}

/// The names of marks, from number 1 on.
const MARKS: [&str; 2] = ["send", "receive"];
/// The number of the first name of a slice.
const FIRST_NAME: u64 = 3;

/// Everything that happens, in order: instant [ns], what, and its place in its list.
fn in_order(timeline: &Timeline, changes: impl Iterator<Item = u64>) -> Vec<(u64, Part, usize)> {
    let busy = || timeline.spans.iter().enumerate().filter(|(_, span)| span.activity != Activity::Idle);
    let mut all: Vec<(u64, Part, usize)> = busy()
        .flat_map(|(place, span)| {
            [(span.from.as_nanos(), Part::Begins, place), (span.to.as_nanos(), Part::Ends, place)]
        })
        .collect();
    all.extend(timeline.ends.iter().enumerate().map(|(place, end)| (end.at.as_nanos(), Part::Marks, place)));
    all.extend(changes.enumerate().map(|(place, at)| (at, Part::Counts, place)));
    all.sort_unstable();
    all
}

fn track(processor: u32) -> u64 {
    FIRST_PROCESSOR + u64::from(processor)
}

/// Begins a slice.
fn begin<W: Write>(
    packets: &mut Packets<'_, W>,
    run: &TaskRun<'_>,
    span: &Span,
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
    let told =
        span.task.map(|(job, rank)| [(Annotation::Job, number(job)), (Annotation::Rank, u64::from(rank))]);
    let iid = *names.entry(key).or_insert(next);
    packets.describe_once(iid, fresh.as_deref(), told.as_ref().map_or(&[][..], |told| told));
    packets.start(span.from.as_nanos(), track(span.processor))
}
