//! The machine as the front end has it: processors, and the jobs that hold them or share them.
//!
//! Processors are numbered from 0 and kept as intervals, so a start costs by the number of intervals it takes and
//! not by the size of the machine. The machine trusts nobody: a start on busy processors, on too few, or of a job
//! that ran before is refused with its reason ([`Unlawful`]); the policy's name and the instant are added by whoever
//! calls. Jobs are rigid, processors alike; nothing fails.
//!
//! A machine of multiprogramming level 1 gives a processor to one job at a time. One of a higher level puts up to so many
//! tasks on each (`loads`); a task that ends before the others of its job may leave its place at once.

mod loads;
#[cfg(test)]
mod tests;
mod unlawful;

use crate::collections::{Interval, IntervalSet};
use crate::ids::JobId;
use crate::instrument::{Reason, Record, State};
use crate::kernel::SimTime;

use loads::Loads;

pub use unlawful::Unlawful;

/// Processors, the jobs on them, and the record of it.
#[derive(Clone, Debug)]
pub struct Machine {
    procs: u32,
    /// Processors with room for a task.
    free: IntervalSet,
    /// How many tasks each has; none where one is all that fits.
    loads: Option<Loads>,
    record: Record,
}

impl Machine {
    /// A machine of `procs` free processors, for a run of `jobs` jobs.
    pub fn new(procs: u32, jobs: usize) -> Self {
        Machine { procs, free: IntervalSet::full(procs), loads: None, record: Record::new(jobs) }
    }

    /// The same with processors that take up to `level` tasks each.
    #[must_use]
    pub fn shared(self, level: u32) -> Self {
        Machine { loads: (level > 1).then(|| Loads::new(self.procs, level)), ..self }
    }

    /// How many processors there are.
    pub fn procs(&self) -> u32 {
        self.procs
    }

    /// The processors with room for a task.
    pub fn free(&self) -> &IntervalSet {
        &self.free
    }

    /// What has happened so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The record, the machine being done with.
    pub fn into_record(self) -> Record {
        self.record
    }

    /// Starts a job that needs `needed` processors on exactly the processors `on`.
    ///
    /// # Errors
    /// The start is [`Unlawful`]; the machine must then not be used on.
    pub fn start(
        &mut self,
        job: JobId,
        needed: u32,
        on: &[Interval],
        reason: Reason,
        now: SimTime,
    ) -> Result<(), Unlawful> {
        match self.record.outcome(job).state {
            State::Expected => {}
            State::Rejected => return Err(Unlawful::Rejected),
            State::Running | State::Completed => return Err(Unlawful::Twice),
        }
        let given = on.iter().map(|interval| interval.count()).sum::<u64>();
        if given != u64::from(needed) {
            return Err(Unlawful::WrongCount { needed, given });
        }
        if let Some(&busy) = on.iter().find(|&&interval| !self.take(interval)) {
            return Err(Unlawful::Busy(busy));
        }
        self.record.started(job, now, on, reason);
        self.note_use(now);
        Ok(())
    }

    fn take(&mut self, interval: Interval) -> bool {
        match &mut self.loads {
            None => self.free.remove(interval),
            Some(loads) => loads.take(interval, &mut self.free),
        }
    }

    /// Ends a running job; its processors are free of it again.
    ///
    /// # Panics
    /// If the job is not running.
    pub fn end(&mut self, job: JobId, now: SimTime) {
        self.record.ended(job, now);
        for &interval in self.record.processors(job) {
            match &mut self.loads {
                None => {
                    let free = self.free.insert(interval);
                    assert!(free, "processors of a running job are not free");
                }
                Some(loads) => loads.give_back(interval, &mut self.free),
            }
        }
        self.note_use(now);
    }

    /// Ends a running job whose tasks have left their processors before; panics as [`Machine::end`].
    pub fn end_released(&mut self, job: JobId, now: SimTime) {
        self.record.ended(job, now);
    }

    /// A task leaves its processor before its job ends; panics if nobody is there.
    pub fn release(&mut self, processor: u32, now: SimTime) {
        let one = Interval::new(processor, processor);
        match &mut self.loads {
            None => assert!(self.free.insert(one), "a processor that is left was held"),
            Some(loads) => loads.give_back(one, &mut self.free),
        }
        self.note_use(now);
    }

    /// Where processors are shared, the record learns how many are in use.
    fn note_use(&mut self, now: SimTime) {
        if let Some(loads) = &self.loads {
            self.record.in_use(now, loads.in_use());
        }
    }

    /// Refuses a job that can never run, as one does that needs more processors than there are.
    pub fn reject(&mut self, job: JobId, now: SimTime) {
        self.record.rejected(job, now);
    }
}
