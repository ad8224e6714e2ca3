//! The timeline of a run: its jobs on processors, the queue length and the used processors.
//!
//! One lane a processor that ever ran a job; on it a span a run of a job, named by the job's
//! number, with its size, user, wait, run time and estimate, or if it was interrupted, with the
//! work that it kept. Two counters are the queue length and the used
//! processors after each instant at which they change. A processor runs one job at a time and ends
//! come before starts of the same instant: spans of a lane never overlap. A job that starts and
//! ends in the instant at which the run is stopped has no span.

use std::borrow::Cow;
use std::io;

use crate::collections::Interval;
use crate::ids::JobId;
use crate::instrument::metrics::{FinishedRun, Window};
use crate::output::{Counter, Label, LaneCause, LaneSink, LaneSource, LaneTotal, Lanes};
use crate::workload::UNKNOWN_ID;

use super::changes::{Change, What, changes};
use super::{PROCESSORS, QUEUE_LENGTH};

/// The timeline of the jobs of a run.
#[derive(Clone, Copy, Debug)]
pub struct JobLanes<'a> {
    /// The run.
    pub run: FinishedRun<'a>,
    /// True if a job holds all of its processors until it ends, and not each of them only until the
    /// task on it ends.
    pub holds_all: bool,
}

/// The cause of every span.
const RUNS: LaneCause = ("runs", "a job");

/// The places of the counters.
const QUEUE: usize = 0;
const USED: usize = 1;

impl LaneSource for JobLanes<'_> {
    fn lanes(&self) -> Lanes {
        const COUNTERS: &[Counter] =
            &[QUEUE_LENGTH, Counter { number: 2, name: "used processors", unit: "processors" }];
        Lanes { counters: COUNTERS, causes: &[RUNS], ..PROCESSORS }
    }

    fn totals(&self) -> Vec<LaneTotal> {
        if !self.holds_all {
            return Vec::new();
        }
        let (run, Window { from, to }) = (&self.run, self.run.window());
        let whole = f64::from(run.procs) * to.since(from).as_secs_f64();
        let (metrics, causes) = (vec!["utilization".to_owned()], vec![RUNS.0]);
        vec![LaneTotal { metrics, causes, window: (from, to), whole, once: true }]
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let run = &self.run;
        for processor in used(run) {
            sink.lane(processor, &format!("processor {processor}"))?;
        }
        let (mut waiting, mut busy) = (0, 0);
        let changes = changes(run);
        for instant in changes.chunk_by(|one, next| one.at == next.at) {
            let at = instant[0].at;
            for change in instant {
                let on = processors(run, change);
                let size: u64 = on.iter().map(|part| part.count()).sum();
                match change.what {
                    What::Submitted => waiting += 1,
                    What::Withdrawn => waiting -= 1,
                    What::Started => {
                        waiting -= 1;
                        busy += size;
                        let (number, facts) = described(run, change);
                        let label = Label {
                            number: u64::from(change.job.0) + 1,
                            name: Some(&number),
                            facts: &facts,
                            cause: RUNS.0,
                        };
                        sink.begin(at, &on, label)?;
                    }
                    What::Ended | What::Interrupted => {
                        waiting += u64::from(change.what == What::Interrupted);
                        busy -= size;
                        sink.end(at, &on)?;
                    }
                }
            }
            sink.count(at, QUEUE, waiting)?;
            sink.count(at, USED, busy)?;
        }
        Ok(())
    }
}

/// The processors of the run that changes.
fn processors<'a>(run: &FinishedRun<'a>, change: &Change) -> Cow<'a, [Interval]> {
    match change.attempt {
        Some(attempt) => Cow::Borrowed(&*run.record.outages().attempts()[attempt].on),
        None => run.record.processors(change.job),
    }
}

/// The name of a job, and facts of the run of it that starts.
fn described(run: &FinishedRun<'_>, change: &Change) -> (String, Vec<(&'static str, u64)>) {
    let (id, job) = (change.job, &run.jobs[change.job.index()]);
    let mut facts = if let Some(attempt) = change.attempt {
        let one = &run.record.outages().attempts()[attempt];
        vec![("processors", u64::from(one.procs())), ("kept_ns", one.kept.as_nanos())]
    } else {
        let wait = run.record.start_time(id).since(job.submit_time);
        vec![
            ("processors", u64::from(job.procs)),
            ("wait_ns", wait.as_nanos()),
            ("run_time_ns", job.run_time.as_nanos()),
            ("estimate_ns", job.estimate.as_nanos()),
        ]
    };
    if job.user != UNKNOWN_ID {
        facts.push(("user", u64::from(job.user)));
    }
    (job.number.to_string(), facts)
}

/// The processors that ever ran a job, in order.
fn used(run: &FinishedRun<'_>) -> impl Iterator<Item = u32> {
    let last = (0..).map(JobId).zip(run.jobs).flat_map(|(id, _)| run.record.processors(id).into_owned());
    let earlier = run.record.outages().attempts().iter().flat_map(|one| one.on.iter().copied());
    let mut parts: Vec<_> = last.chain(earlier).collect();
    parts.sort_unstable();
    let mut next = 0_u64;
    parts.into_iter().flat_map(move |part| {
        let fresh = u64::from(part.first).max(next)..=u64::from(part.last);
        next = next.max(u64::from(part.last) + 1);
        fresh.map(|processor| processor as u32)
    })
}
