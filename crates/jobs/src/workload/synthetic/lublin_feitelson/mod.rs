//! The model of Lublin and Feitelson: rigid jobs of four logs, with a daily cycle and run times
//! that grow with size.
//!
//! Source: U. Lublin and D. G. Feitelson, "The workload on parallel supercomputers: modeling the
//! characteristics of rigid jobs", JPDC 63(11), 2003, and the program of 1999 that the Parallel
//! Workloads Archive has of it, whose values are the defaults here. The rules of a class of jobs:
//!
//! - *Size* ([`sizes`]): a job is serial with one probability, its size a power of two with
//!   another; the logarithm of the other sizes, too, is uniform in two stages, small sizes being
//!   likelier.
//! - *Run time* ([`run_times`]): its logarithm is of one of two gamma laws; large jobs are more
//!   often of the second, the longer one.
//! - *Arrivals* ([`arrivals`]): the logarithm of gaps in busy hours is of a gamma law; half hours
//!   of the day weigh as another gamma law says, and time passes faster where they weigh more.
//!
//! `lublin-feitelson` has batch and interactive jobs, which arrive independently of each other;
//! they are in queue 1 and queue 0, as in its authors' program. `lublin-feitelson-whole` fits all
//! jobs by one class.
//!
//! Deviations: times keep their fractions of a second. The model is made for machines of a power of
//! two of processors; on others a power that would not fit is the largest that does. Sizes follow
//! the machine as the program's comments advise: `high` and `medium` stand as far from its
//! logarithm as the published ones from that of 128 processors.

mod arrivals;
mod jobs;
mod params;
mod run_times;
mod sizes;
#[cfg(test)]
mod tests;

use crate::kernel::rng::Streams;
use crate::registry::{Complaint, Entry, Params};
use crate::workload::Job;
use crate::workload::source::Source;

use super::model::{Drawn, Model};
use jobs::Jobs;
use params::{BOTH_KEYS, Class, WHOLE_KEYS};

const SOURCE: &str = "U. Lublin and D. G. Feitelson, JPDC 63(11), 2003";

pub(in crate::workload) const LUBLIN_FEITELSON: Entry<dyn Source> = Entry::published(
    "lublin-feitelson",
    "batch and interactive rigid jobs with a daily cycle, run times growing with size",
    SOURCE,
    BOTH_KEYS,
    |params| Ok(Box::new(Drawn::read(params, Both::read(params)?)?)),
);

pub(in crate::workload) const LUBLIN_FEITELSON_WHOLE: Entry<dyn Source> = Entry::published(
    "lublin-feitelson-whole",
    "the same model fitted to all jobs as one class",
    SOURCE,
    WHOLE_KEYS,
    |params| Ok(Box::new(Drawn::read(params, Whole::read(params)?)?)),
);

/// The queues of interactive and of batch jobs.
const QUEUES: [u16; 2] = [0, 1];

#[derive(Debug)]
struct Both {
    interactive: Class,
    batch: Class,
    /// Time of day at which the workload begins [s].
    start: f64,
}

#[derive(Debug)]
struct Whole {
    class: Class,
    start: f64,
}

impl Both {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let limits = params::Limits::read(params)?;
        Ok(Both {
            interactive: Class::read(&params.section("interactive"), params::INTERACTIVE, &limits)?,
            batch: Class::read(&params.section("batch"), params::BATCH, &limits)?,
            start: params.read("start")?,
        })
    }
}

impl Whole {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let limits = params::Limits::read(params)?;
        Ok(Whole { class: Class::read(params, params::WHOLE, &limits)?, start: params.read("start")? })
    }
}

impl Model for Both {
    const NAME: &'static str = "lublin-feitelson";

    fn draw(&self, jobs: u32, streams: &Streams, procs: u32) -> Result<(Vec<Job>, u64), Complaint> {
        let named = |name, queue| (name, Some(queue));
        let mut interactive =
            Jobs::new(&self.interactive, named("interactive/", QUEUES[0]), self.start, streams, procs)?;
        let mut batch = Jobs::new(&self.batch, named("batch/", QUEUES[1]), self.start, streams, procs)?;
        // the first to arrive is next; at one instant the interactive job
        let drawn = (1..=u64::from(jobs)).map(|number| {
            if batch.next < interactive.next { batch.job(number) } else { interactive.job(number) }
        });
        let drawn = drawn.collect();
        Ok((drawn, interactive.taken() + batch.taken()))
    }
}

impl Model for Whole {
    const NAME: &'static str = "lublin-feitelson-whole";

    fn draw(&self, jobs: u32, streams: &Streams, procs: u32) -> Result<(Vec<Job>, u64), Complaint> {
        let mut all = Jobs::new(&self.class, ("", None), self.start, streams, procs)?;
        let drawn = (1..=u64::from(jobs)).map(|number| all.job(number)).collect();
        Ok((drawn, all.taken()))
    }
}
