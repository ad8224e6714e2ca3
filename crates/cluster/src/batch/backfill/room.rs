//! The machine as a rule sees it that decides which jobs start: what fits now, and what is booked.
//!
//! Rules are written over the trait, once for counts of processors and for nodes.

use crate::batch::queue::Waiting;
use crate::batch::record::Reason;
use crate::batch::timetable::{Counts, Timetable};
use crate::kernel::SimDuration;

use super::{Picks, View};

/// Capacity now, the jobs that wait for it, and those that are picked to start.
pub(super) trait Room {
    /// Its capacity over time.
    type Table: Timetable;

    /// The instant, the queue, and the running jobs.
    fn view(&self) -> &View<'_>;

    /// Returns true if jobs run past their estimates.
    fn overdue(&self) -> bool;

    /// What is booked now: the running jobs, and reservations of processors. Jobs past their
    /// estimates are not.
    fn timetable(&self) -> Self::Table;

    /// Tells a timetable of this instant.
    fn begin(&self, table: &mut Self::Table);

    /// Returns true if a job fits now, beside those that are picked.
    fn fits(&self, job: &Waiting) -> bool;

    /// Picks a job, which fits.
    fn start(&mut self, job: Waiting, reason: Reason);
}

/// Processors that are all alike.
pub(super) struct CountRoom<'v, 'p> {
    view: View<'v>,
    picks: &'p mut Picks,
    /// Processors that are free beside the picked jobs.
    free: u64,
}

impl<'v, 'p> CountRoom<'v, 'p> {
    pub(super) fn new(view: &View<'v>, picks: &'p mut Picks) -> Self {
        CountRoom { view: *view, picks, free: view.free }
    }
}

impl Room for CountRoom<'_, '_> {
    type Table = Counts;

    fn view(&self) -> &View<'_> {
        &self.view
    }

    fn overdue(&self) -> bool {
        self.view.running.overdue(self.view.now) > 0
    }

    fn timetable(&self) -> Counts {
        let now = self.view.now;
        let overdue = self.view.running.overdue(now);
        Counts::new(self.view.profile(SimDuration::from_nanos(1)), now).without_overdue(overdue)
    }

    fn begin(&self, table: &mut Counts) {
        table.begin(self.view.now, self.view.running.overdue(self.view.now));
    }

    fn fits(&self, job: &Waiting) -> bool {
        u64::from(job.procs) <= self.free
    }

    fn start(&mut self, job: Waiting, reason: Reason) {
        self.free -= u64::from(job.procs);
        self.picks.start(job, reason);
    }
}
