//! `trace.pftrace`: a run as a timeline that ui.perfetto.dev opens.
//!
//! One track a processor that ever ran a job, in order of number, below a track `processors`; on it a slice a job,
//! named by the job's number, with its size, user, wait, run time and estimate. Two counters tell the queue length and
//! the used processors after each instant at which they change. A job on many processors has a slice on each, so
//! the file grows with jobs times processors: some 100 bytes a slice.
//!
//! At detail `task` the slices are those of [`tasks`](write_tasks). Here a processor runs one job at a time and ends come before starts of the same instant: slices of a track never
//! overlap, which Perfetto demands (they must nest). A job that starts and ends in the instant at which the run is
//! stopped has no slice. Times are nanoseconds of simulated time. The bytes depend on the run alone.
//!
//! Source: perfetto.dev, "Synthetic TrackEvent", and the field numbers in `protos/perfetto/trace` of its sources.

mod changes;
mod lanes;
mod message;
mod packet;
mod tasks;

use std::io::{self, Write};

use crate::ids::JobId;
use crate::instrument::metrics::Run;

use changes::{What, changes};
use packet::{Annotation, Packets, Track};

pub use lanes::{Lane, write as write_lanes};
pub use tasks::write as write_tasks;

/// Tracks that are not a processor's; processor `p` has the identity `FIRST_PROCESSOR + p`.
const QUEUE: u64 = 1;
const USED: u64 = 2;
const PROCESSORS: u64 = 3;
const FIRST_PROCESSOR: u64 = 16;

/// Writes the whole trace.
///
/// # Errors
/// What the writer says.
pub fn write(run: &Run<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut packets = Packets::new(out);
    packets.begin()?;
    packets.track(&Track::counter(QUEUE, "queue length", "jobs"))?;
    packets.track(&Track::counter(USED, "used processors", "processors"))?;
    packets.track(&Track::parent(PROCESSORS, "processors"))?;
    for processor in used(run) {
        let name = format!("processor {processor}");
        packets.track(&Track::child(
            PROCESSORS,
            FIRST_PROCESSOR + u64::from(processor),
            &name,
            u64::from(processor),
        ))?;
    }
    let (mut waiting, mut busy) = (Counter::new(QUEUE), Counter::new(USED));
    let changes = changes(run);
    for instant in changes.chunk_by(|one, next| one.at == next.at) {
        let at = instant[0].at.as_nanos();
        for change in instant {
            let size: u64 = run.record.processors(change.job).iter().map(|part| part.count()).sum();
            match change.what {
                What::Submitted => waiting.value += 1,
                What::Withdrawn => waiting.value -= 1,
                What::Started => {
                    waiting.value -= 1;
                    busy.value += size;
                    start(&mut packets, run, change.job)?;
                }
                What::Ended => {
                    busy.value -= size;
                    for track in tracks(run, change.job) {
                        packets.end(at, track)?;
                    }
                }
            }
        }
        waiting.tell(&mut packets, at)?;
        busy.tell(&mut packets, at)?;
    }
    packets.finish()
}

/// Begins the slices of a job.
fn start<W: Write>(packets: &mut Packets<'_, W>, run: &Run<'_>, id: JobId) -> io::Result<()> {
    let (job, outcome) = (&run.jobs[id.index()], run.record.outcome(id));
    let wait = outcome.start.since(job.submit_time);
    let mut told = vec![
        (Annotation::Processors, u64::from(job.procs)),
        (Annotation::Wait, wait.as_nanos()),
        (Annotation::RunTime, job.run_time.as_nanos()),
        (Annotation::Estimate, job.estimate.as_nanos()),
    ];
    if job.user != crate::workload::UNKNOWN_ID {
        told.push((Annotation::User, u64::from(job.user)));
    }
    packets.describe(u64::from(id.0) + 1, &job.number.to_string(), &told);
    for track in tracks(run, id) {
        packets.start(outcome.start.as_nanos(), track)?;
    }
    Ok(())
}

/// The tracks that a job ran on.
fn tracks<'a>(run: &'a Run<'_>, id: JobId) -> impl Iterator<Item = u64> + 'a {
    let parts = run.record.processors(id).into_owned();
    parts
        .into_iter()
        .flat_map(|part| part.first..=part.last)
        .map(|processor| FIRST_PROCESSOR + u64::from(processor))
}

/// The processors that ever ran a job, in order.
fn used(run: &Run<'_>) -> impl Iterator<Item = u32> {
    let mut parts: Vec<_> =
        (0..).map(JobId).zip(run.jobs).flat_map(|(id, _)| run.record.processors(id).into_owned()).collect();
    parts.sort_unstable();
    let mut next = 0_u64;
    parts.into_iter().flat_map(move |part| {
        let fresh = u64::from(part.first).max(next)..=u64::from(part.last);
        next = next.max(u64::from(part.last) + 1);
        fresh.map(|processor| processor as u32)
    })
}

/// A counter, told where it differs from what was told last.
struct Counter {
    track: u64,
    value: u64,
    told: Option<u64>,
}

impl Counter {
    fn new(track: u64) -> Self {
        Counter { track, value: 0, told: None }
    }

    fn tell<W: Write>(&mut self, packets: &mut Packets<'_, W>, at: u64) -> io::Result<()> {
        if self.told == Some(self.value) {
            return Ok(());
        }
        self.told = Some(self.value);
        packets.count(at, self.track, self.value)
    }
}
