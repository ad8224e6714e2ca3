//! The machine as a rule sees it that decides which jobs start: what fits now, what a job that does
//! not fit is promised, what may start next to that promise, and what is booked.
//!
//! Rules are written over the trait, once for counts of processors and for nodes.

use crate::batch::planned::{Planned, before};
use crate::batch::queue::{BackfillWindow, Waiting};
use crate::batch::record::Reason;
use crate::batch::running::NEXT_NANO;
use crate::batch::timetable::{Counts, Timetable};
use crate::kernel::{SimDuration, SimTime};
use crate::registry::choices;

use super::{Picks, View};

choices! {
    /// Processors that jobs may use if they outlast the shadow time.
    pub(super) enum Extra {
        Count = "count", "as many as the head leaves free at its shadow time";
        None = "none", "none: a job that overtakes ends by the shadow time";
        All = "all", "all that are free, and so the head may be delayed: as AccaSim does";
    }
}

/// A job that was picked.
#[derive(Clone, Copy, Debug)]
pub(super) struct PickedJob {
    pub(super) job: Waiting,
    /// Time for which it was taken to run.
    pub(super) judged: SimDuration,
    /// Time until the promise next to which it started.
    pub(super) until: SimDuration,
}

/// State of a machine, but for the jobs that run: while it is the same and no job starts, ends or
/// is extended, what is free at an instant stays so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MachineState {
    /// Changes of the nodes by service and reservations.
    pub(super) nodes: u64,
    /// Reservations that are known and not over.
    pub(super) planned: usize,
    /// Changes of pools, where a waiting job asks for any.
    pub(super) pools: u64,
}

/// Capacity now, the jobs that wait for it, and those that are picked to start.
pub(super) trait Room {
    /// Capacity over time.
    type Table: Timetable;
    /// Promise to a job that does not fit.
    type Promise;
    /// Condition for jobs to start next to a promise.
    type Window;

    /// The instant, the queue, and the running jobs.
    fn view(&self) -> &View<'_>;

    /// Free processors, less those of picked jobs.
    fn free(&self) -> u64;

    /// Returns true if a processor is free that no picked job gets.
    fn any(&self) -> bool {
        self.free() > 0
    }

    /// Returns true if a job behind the head may fit now.
    fn could_start(&self) -> bool;

    /// Returns true if a job fits on what is in service, once nothing runs.
    fn suffices(&self, job: &Waiting) -> bool;

    /// Lets the rule be asked again at this instant, if it picks any job.
    fn ask_again(&mut self);

    /// Returns true if jobs run past their estimates.
    fn overdue(&self) -> bool;

    /// Bookings now: the running jobs, and reservations of processors. Jobs past their
    /// estimates go on for `late`; `None`: they are not booked.
    fn timetable(&self, late: Option<SimDuration>) -> Self::Table {
        self.timetable_before(late, SimTime::MAX)
    }

    /// The same, of the site's reservations those alone that begin before an instant, which is
    /// later than now.
    fn timetable_before(&self, late: Option<SimDuration>, instant: SimTime) -> Self::Table;

    /// Returns true if a timetable may be kept from one decision to the next, by a rule that
    /// reports all changes to it. Jobs past their estimates, which are taken to go on for `late`,
    /// have no booking in it that moves with time.
    fn keeps(&self, _late: SimDuration) -> bool {
        false
    }

    /// State of the machine, where timetables are kept; `None` while jobs run past their estimates.
    fn state(&self) -> Option<MachineState> {
        None
    }

    /// Brings a timetable that is kept to this decision; these jobs give up their bookings, as they
    /// still wait.
    fn renew(&self, _: &mut Self::Table, _waiting: &[Waiting], _late: SimDuration) {}

    /// Books reservations of the site that have not begun, and that the timetable does not have.
    fn withhold(&self, table: &mut Self::Table, ahead: &[Planned]);

    /// Tells a timetable of this instant.
    fn begin(&self, table: &mut Self::Table);

    /// Returns true if a job fits now, next to those that are picked.
    fn fits(&self, job: &Waiting) -> bool;

    /// Returns true if a job that has a booking fits now, for its span, next to those that are
    /// picked and to reservations of the site; jobs may go on for longer than they are booked.
    fn fits_for(&self, job: &Waiting, _span: SimDuration) -> bool {
        self.fits(job)
    }

    /// The promise to a job that does not fit: the earliest estimated end at which it does, jobs
    /// past their estimates going on for `late`, and those that were picked at this instant for as
    /// long as they were taken to run. `None`: it would not fit if nothing ran.
    fn promise(&self, job: &Waiting, late: SimDuration, picked: &[PickedJob]) -> Option<Self::Promise>;

    /// As [`Room::promise`], not before an instant that is later than now.
    fn promise_from(
        &self,
        job: &Waiting,
        from: SimTime,
        late: SimDuration,
        picked: &[PickedJob],
    ) -> Option<Self::Promise>;

    /// The promise to a job that it starts at this time, and not before.
    fn promise_at(&self, job: &Waiting, time: SimTime, picked: &[PickedJob]) -> Self::Promise;

    /// Time of a promise.
    fn time(promise: &Self::Promise) -> SimTime;

    /// Condition for starts next to a promise.
    fn window(&self, promise: Self::Promise, extra: Extra) -> Self::Window;

    /// A bound of the condition: a job that it does not take may not start.
    fn bound(window: &Self::Window) -> &BackfillWindow;

    /// The same, to change it.
    fn bound_mut(window: &mut Self::Window) -> &mut BackfillWindow;

    /// Reason for which a job may start that is taken to run for so long, and that the bound takes.
    fn reason(&self, window: &Self::Window, job: &Waiting, judged: SimDuration) -> Option<Reason>;

    /// Processors of a job like this one that may outlast the promise.
    fn extra(&self, window: &Self::Window, job: &Waiting) -> u64;

    /// Picks a job, for which the condition gave this reason. Returns true if others may be picked
    /// too; else the rule is asked again when the job has started.
    fn start_alongside(&mut self, window: &mut Self::Window, job: Waiting, reason: Reason) -> bool;

    /// Picks a job, which is booked in the timetable from now on for its span. Returns as
    /// [`Room::start_alongside`].
    fn start_in(&mut self, table: &mut Self::Table, job: Waiting, span: SimDuration, reason: Reason) -> bool;

    /// Picks a job, which fits. Returns as [`Room::start_alongside`].
    fn start(&mut self, job: Waiting, reason: Reason) -> bool;
}

/// Processors that are all alike. All jobs of a decision are picked at once.
pub(super) struct CountRoom<'v, 'p> {
    view: View<'v>,
    picks: &'p mut Picks,
    /// Free processors, less those of picked jobs.
    free: u64,
}

/// Shadow time and extra processors.
pub(super) use crate::batch::running::Shadow;

impl<'v, 'p> CountRoom<'v, 'p> {
    pub(super) fn new(view: &View<'v>, picks: &'p mut Picks) -> Self {
        CountRoom { view: *view, picks, free: view.free }
    }
}

impl Room for CountRoom<'_, '_> {
    type Table = Counts;
    type Promise = Shadow;
    type Window = BackfillWindow;

    fn view(&self) -> &View<'_> {
        &self.view
    }

    fn free(&self) -> u64 {
        self.free
    }

    fn could_start(&self) -> bool {
        self.free > 0
    }

    fn suffices(&self, job: &Waiting) -> bool {
        u64::from(job.procs) <= self.view.there()
    }

    fn ask_again(&mut self) {
        self.picks.again = true;
    }

    fn overdue(&self) -> bool {
        self.view.running.overdue(self.view.now) > 0
    }

    fn timetable_before(&self, late: Option<SimDuration>, instant: SimTime) -> Counts {
        counts_of(&View { planned: before(self.view.planned, instant), ..self.view }, late)
    }

    fn withhold(&self, table: &mut Counts, ahead: &[Planned]) {
        ahead.iter().for_each(|one| table.withhold(one));
    }

    fn begin(&self, table: &mut Counts) {
        begin_counts(&self.view, table);
    }

    fn fits(&self, job: &Waiting) -> bool {
        u64::from(job.procs) <= self.free
    }

    fn promise(&self, job: &Waiting, late: SimDuration, _: &[PickedJob]) -> Option<Shadow> {
        self.view.running.shadow_by(self.view.now, self.view.free, job.procs.into(), late)
    }

    fn promise_from(
        &self,
        job: &Waiting,
        from: SimTime,
        late: SimDuration,
        _: &[PickedJob],
    ) -> Option<Shadow> {
        self.view.running.shadow_from((self.view.now, from), self.view.free, job.procs.into(), late)
    }

    fn promise_at(&self, job: &Waiting, time: SimTime, _: &[PickedJob]) -> Shadow {
        let by = self.view.free + self.view.running.released_by(time.max(self.view.now));
        Shadow { time, extra: by.saturating_sub(job.procs.into()) }
    }

    fn time(promise: &Shadow) -> SimTime {
        promise.time
    }

    fn window(&self, promise: Shadow, extra: Extra) -> BackfillWindow {
        let free = self.free;
        let extra = match extra {
            Extra::Count => promise.extra,
            Extra::None => 0,
            Extra::All => free,
        };
        BackfillWindow { free, extra, until: until(&self.view, promise.time) }
    }

    fn bound(window: &BackfillWindow) -> &BackfillWindow {
        window
    }

    fn bound_mut(window: &mut BackfillWindow) -> &mut BackfillWindow {
        window
    }

    fn reason(&self, window: &BackfillWindow, _: &Waiting, judged: SimDuration) -> Option<Reason> {
        Some(if judged > window.until { Reason::Extra } else { Reason::BeforeShadow })
    }

    fn extra(&self, window: &BackfillWindow, _: &Waiting) -> u64 {
        window.extra
    }

    fn start_alongside(&mut self, window: &mut BackfillWindow, job: Waiting, reason: Reason) -> bool {
        window.free -= u64::from(job.procs);
        if reason == Reason::Extra {
            window.extra -= u64::from(job.procs);
        }
        self.start(job, reason)
    }

    fn start_in(&mut self, _: &mut Counts, job: Waiting, _: SimDuration, reason: Reason) -> bool {
        self.start(job, reason)
    }

    fn start(&mut self, job: Waiting, reason: Reason) -> bool {
        self.free -= u64::from(job.procs);
        self.picks.start(job, reason);
        true
    }
}

/// Bookings of counts in a view, as [`Room::timetable`] has them.
pub(super) fn counts_of(view: &View<'_>, late: Option<SimDuration>) -> Counts {
    let now = view.now;
    match late {
        Some(late) => Counts::new(view.profile(late), now),
        None => {
            let profile = view.profile(NEXT_NANO);
            Counts::new(profile, now).without_overdue(view.running.overdue(now))
        }
    }
}

/// Tells bookings of counts of the instant of a view.
pub(super) fn begin_counts(view: &View<'_>, table: &mut Counts) {
    table.begin(view.now, view.running.overdue(view.now));
}

/// Time until a promise is due.
pub(super) fn until(view: &View<'_>, time: SimTime) -> SimDuration {
    SimDuration::from_nanos(time.as_nanos().saturating_sub(view.now.as_nanos()))
}
