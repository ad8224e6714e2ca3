//! Jobs, and the processors that they are on.

use crate::batch::record::{Keep, Reason, Record, State};
use crate::collections::{Interval, IntervalSet};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::Unlawful;
use super::loads::Loads;

/// Processors, the jobs on them, and the record of it.
#[derive(Clone, Debug)]
pub struct Machine {
    procs: u32,
    /// Processors with a free slot.
    free: IntervalSet,
    /// Processors out of service.
    out: IntervalSet,
    /// Processors that were taken away and are in service.
    taken: IntervalSet,
    /// Number of tasks each has; none where one is all that fits.
    loads: Option<Loads>,
    record: Record,
}

impl Machine {
    /// A machine of `procs` free processors, for a run of `jobs` jobs.
    pub fn new(procs: u32, jobs: usize) -> Self {
        Machine {
            procs,
            free: IntervalSet::full(procs),
            out: IntervalSet::default(),
            taken: IntervalSet::default(),
            loads: None,
            record: Record::new(jobs),
        }
    }

    /// The same with processors that take up to `level` tasks each.
    #[must_use]
    pub fn shared(self, level: u32) -> Self {
        Machine { loads: (level > 1).then(|| Loads::new(self.procs, level)), ..self }
    }

    /// The same with a record that keeps places so long; nothing may have started.
    #[must_use]
    pub fn keeping(self, keep: Keep) -> Self {
        Machine { record: self.record.keeping(keep), ..self }
    }

    /// Number of processors there are.
    pub fn procs(&self) -> u32 {
        self.procs
    }

    /// The processors with a free slot.
    pub fn free(&self) -> &IntervalSet {
        &self.free
    }

    /// Number of processors out of service.
    pub fn out_of_service(&self) -> u64 {
        self.out.count()
    }

    /// Slots without a task of the processors in service: one of each, unless they are shared.
    pub fn free_slots(&self) -> u64 {
        self.loads.as_ref().map_or_else(|| self.free.count(), |loads| loads.free_slots(self.free.iter()))
    }

    /// Record of the run so far.
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
        match self.record.state(job) {
            State::Expected => {}
            State::Rejected => return Err(Unlawful::Rejected),
            State::Cancelled => return Err(Unlawful::Cancelled),
            State::Running | State::Completed | State::Killed | State::Lost => return Err(Unlawful::Twice),
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
            // of a processor out of service, or taken away, all slots are free
            Some(_) if [&self.out, &self.taken].iter().any(|all| all.within(interval).next().is_some()) => {
                false
            }
            Some(loads) => loads.take(interval, &mut self.free),
        }
    }

    /// A running job is over, in this state; its processors are free of it again.
    ///
    /// # Panics
    /// If the job is not running.
    pub fn end(&mut self, job: JobId, now: SimTime, state: State) {
        self.free_of(job);
        self.record.over(job, now, state);
        self.note_use(now);
    }

    /// A running job leaves its processors and waits again; `kept` is what it need not do again.
    /// Panics as [`Machine::end`].
    pub fn interrupt(&mut self, job: JobId, now: SimTime, kept: SimDuration) {
        self.free_of(job);
        self.record.interrupted(job, now, kept);
        self.note_use(now);
    }

    /// A node goes out of service: nothing starts on its processors, and those that a job still has
    /// do not become free when it ends.
    ///
    /// # Panics
    /// If it is out of service.
    pub fn fail(&mut self, node: u32, processors: Interval, now: SimTime) {
        let parts: Vec<Interval> = self.free.within(processors).collect();
        parts.into_iter().for_each(|part| {
            self.free.remove(part);
        });
        assert!(self.out.insert(processors), "a node that fails was in service");
        self.taken.within(processors).collect::<Vec<_>>().into_iter().for_each(|part| {
            self.taken.remove(part);
        });
        self.record.outages_mut().failed(node, processors, now);
    }

    /// Parts of these processors that are in service.
    pub fn in_service(&self, on: &[Interval]) -> Vec<Interval> {
        on.iter().flat_map(|&part| self.out.missing(part)).collect()
    }

    /// A node is back in service; no job has any of its processors.
    ///
    /// # Panics
    /// If it was not out of service, or a job is on it.
    pub fn repair(&mut self, node: u32, processors: Interval, now: SimTime) {
        let back = self.out.remove(processors) && self.free.insert(processors);
        assert!(back, "a node that comes back was out of service, and no job was on it");
        self.record.outages_mut().repaired(node, now);
    }

    /// Takes the highest `count` processors away on which no job is, or all if there are fewer:
    /// nothing starts on them until they are given back.
    pub fn take_highest(&mut self, count: u64) -> Vec<Interval> {
        let taken = match &self.loads {
            None => self.free.highest(count),
            Some(loads) => loads.idle(&self.free).highest(count),
        };
        self.take_away(&taken);
        taken
    }

    /// Processors on which nothing may start: those out of service, and those taken away.
    pub fn out_of_use(&self) -> IntervalSet {
        let mut all = self.out.clone();
        self.taken.iter().for_each(|part| _ = all.insert(part));
        all
    }

    /// Takes exactly these processors away, on which no job is; as [`Machine::take_highest`].
    ///
    /// # Panics
    /// If one of them is not free.
    pub fn take_away(&mut self, on: &[Interval]) {
        for &part in on {
            assert!(self.free.remove(part), "what is taken away was free");
            self.taken.insert(part);
        }
    }

    /// Gives processors back that were taken away.
    ///
    /// # Panics
    /// If one of them is free.
    pub fn give_back(&mut self, on: &[Interval]) {
        for &part in on {
            assert!(self.free.insert(part), "what is given back was taken away");
            self.taken.remove(part);
        }
    }

    /// The record, to note what happens to jobs and processors without a change of what is free.
    pub fn record_mut(&mut self) -> &mut Record {
        &mut self.record
    }

    /// The processors of a job are free of it.
    fn free_of(&mut self, job: JobId) {
        for &interval in self.record.processors(job).iter() {
            match &mut self.loads {
                None if self.out.count() == 0 => {
                    let free = self.free.insert(interval);
                    assert!(free, "processors of a running job are not free");
                }
                None => {
                    for part in self.out.missing(interval) {
                        let free = self.free.insert(part);
                        assert!(free, "processors of a running job are not free");
                    }
                }
                Some(loads) => loads.give_back(interval, &mut self.free, &self.out),
            }
        }
    }

    /// Puts a running job on exactly the processors `on` in place of those that it has.
    ///
    /// # Errors
    /// They are not as many, or not all have free slots; the machine must then not be used on.
    ///
    /// # Panics
    /// If the job is not running.
    pub fn relocate(&mut self, job: JobId, on: &[Interval], now: SimTime) -> Result<(), Unlawful> {
        let count = |on: &[Interval]| on.iter().map(|interval| interval.count()).sum::<u64>();
        let needed = count(&self.record.processors(job));
        if count(on) != needed {
            return Err(Unlawful::WrongCount { needed: needed as u32, given: count(on) });
        }
        self.free_of(job);
        if let Some(&busy) = on.iter().find(|&&interval| !self.take(interval)) {
            return Err(Unlawful::Busy(busy));
        }
        self.record.migrated(job, on);
        self.note_use(now);
        Ok(())
    }

    /// A task leaves its processor before its job ends; panics if no task is there.
    pub fn release(&mut self, processor: u32, now: SimTime) {
        let one = Interval::new(processor, processor);
        match &mut self.loads {
            None => assert!(self.free.insert(one), "a processor that is left was held"),
            Some(loads) => loads.give_back(one, &mut self.free, &self.out),
        }
        self.note_use(now);
    }

    /// Notes the processors in use in the record, where they are shared.
    fn note_use(&mut self, now: SimTime) {
        if let Some(loads) = &self.loads {
            self.record.in_use(now, loads.in_use());
        }
    }
}
