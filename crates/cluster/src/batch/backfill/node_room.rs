//! Nodes with what they have, as rules see them.
//!
//! Where a job starts is chosen when it starts, and what others may have afterwards follows from
//! that. So a rule picks one job at a time, with the parts of nodes that it may have, and is asked
//! again.

use std::sync::Arc;

use crate::batch::node_resources::{Instant, NodeTimetable, Reservation};
use crate::batch::planned::{Planned, before};
use crate::batch::queue::{BackfillWindow, Waiting};
use crate::batch::record::Reason;
use crate::batch::running::NEXT_NANO;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::room::{CountRoom, Extra, MachineState, PickedJob, Room, until};
use super::{NodesNow, Picks, View};

/// Nodes with what they have.
pub(super) struct NodeRoom<'v, 'p> {
    view: View<'v>,
    nodes: NodesNow<'v>,
    picks: &'p mut Picks,
}

/// Condition for starts next to a promise on nodes.
pub(super) struct NodeWindow {
    promise: Reservation,
    extra: Extra,
    bound: BackfillWindow,
}

impl<'v, 'p> NodeRoom<'v, 'p> {
    pub(super) fn new(view: &View<'v>, nodes: NodesNow<'v>, picks: &'p mut Picks) -> Self {
        NodeRoom { view: *view, nodes, picks }
    }

    fn instant(&self) -> Instant<'_> {
        let View { now, running, planned, .. } = self.view;
        Instant { now, running, resources: self.nodes.resources, planned }
    }

    /// The parts of nodes that reservations leave to a job which starts now for a span.
    fn around(&self, span: SimDuration) -> Option<Reservation> {
        let View { now, planned, .. } = self.view;
        let around = || self.nodes.resources.around(planned, now, now.saturating_add(span));
        (!planned.is_empty()).then(around)
    }

    /// Ends of the running jobs, in order: those picked at this instant end as they were judged.
    fn ends(&self, late: SimDuration, picked: &[PickedJob]) -> Vec<(SimTime, JobId)> {
        let now = self.view.now;
        let mut ends = self.view.running.jobs_by(now, late);
        if picked.iter().any(|one| one.judged != one.job.estimate) {
            for (end, job) in &mut ends {
                let own = picked.iter().find(|one| one.job.job == *job);
                *end = own.map_or(*end, |one| now.saturating_add(one.judged.max(NEXT_NANO)));
            }
            ends.sort_by_key(|&(end, _)| end);
        }
        ends
    }

    fn pick(&mut self, job: Waiting, reason: Reason, alongside: Option<Reservation>) -> bool {
        self.picks.start(job, reason);
        self.picks.alongside = alongside;
        self.picks.again = true;
        false
    }
}

impl View<'_> {
    /// Returns true if a job fits on what is in service, once nothing runs.
    pub(crate) fn suffices(&self, job: &Waiting) -> bool {
        match self.nodes {
            Some(nodes) => NodeRoom::new(self, nodes, &mut Picks::default()).suffices(job),
            None => CountRoom::new(self, &mut Picks::default()).suffices(job),
        }
    }
}

impl Room for NodeRoom<'_, '_> {
    type Table = NodeTimetable;
    type Promise = Reservation;
    type Window = NodeWindow;

    fn view(&self) -> &View<'_> {
        &self.view
    }

    fn free(&self) -> u64 {
        if self.nodes.resources.any() { self.view.free } else { 0 }
    }

    fn could_start(&self) -> bool {
        // around reservations the head may fit for as long as it is judged to run
        let head = usize::from(self.view.planned.is_empty());
        self.view.queue.iter().skip(head).any(|job| self.fits(job))
    }

    fn suffices(&self, job: &Waiting) -> bool {
        self.fits(job) || self.promise(job, SimDuration::ZERO, &[]).is_some()
    }

    fn ask_again(&mut self) {
        self.picks.again = true;
    }

    fn overdue(&self) -> bool {
        self.view.running.overdue(self.view.now) > 0
    }

    fn timetable_before(&self, late: Option<SimDuration>, instant: SimTime) -> NodeTimetable {
        let planned = before(self.view.planned, instant);
        NodeTimetable::new(Instant { planned, ..self.instant() }, Arc::clone(self.nodes.jobs), late)
    }

    fn keeps(&self, late: SimDuration) -> bool {
        late <= NEXT_NANO || !self.overdue()
    }

    fn state(&self) -> Option<MachineState> {
        let (nodes, planned) = (self.nodes.resources.changes(), self.view.planned.len());
        (!self.overdue()).then_some(MachineState { nodes, planned, pools: 0 })
    }

    fn renew(&self, table: &mut NodeTimetable, waiting: &[Waiting], _: SimDuration) {
        table.begin(self.instant());
        waiting.iter().for_each(|one| table.leaves(one.job, one.procs));
    }

    fn withhold(&self, table: &mut NodeTimetable, ahead: &[Planned]) {
        ahead.iter().rev().for_each(|one| table.reserve(one));
    }

    fn begin(&self, table: &mut NodeTimetable) {
        table.begin(self.instant());
    }

    fn fits(&self, job: &Waiting) -> bool {
        self.nodes.fits(job, None)
    }

    fn fits_for(&self, job: &Waiting, span: SimDuration) -> bool {
        self.nodes.fits(job, self.around(span).as_ref())
    }

    fn promise(&self, job: &Waiting, late: SimDuration, picked: &[PickedJob]) -> Option<Reservation> {
        self.nodes.resources.reserve(self.nodes.asking(job), self.ends(late, picked))
    }

    fn promise_from(
        &self,
        job: &Waiting,
        from: SimTime,
        late: SimDuration,
        picked: &[PickedJob],
    ) -> Option<Reservation> {
        // what ends before is not looked at before, and has left by then
        let ends = self.ends(late, picked).into_iter().map(|(end, job)| (end.max(from), job));
        self.nodes.resources.reserve(self.nodes.asking(job), ends)
    }

    fn promise_at(&self, job: &Waiting, time: SimTime, picked: &[PickedJob]) -> Reservation {
        let by = time.max(self.view.now);
        let until = |end: SimTime, job: JobId| {
            let own = picked.iter().find(|one| one.job.job == job);
            own.map_or(end, |one| self.view.now.saturating_add(one.judged))
        };
        let gone = self.view.running.each().filter(|&(end, job, _)| until(end, job) <= by);
        let gone = gone.map(|(_, job, _)| job);
        self.nodes.resources.reserve_at(self.nodes.asking(job), time, gone)
    }

    fn time(promise: &Reservation) -> SimTime {
        promise.time
    }

    fn window(&self, promise: Reservation, extra: Extra) -> NodeWindow {
        let free = self.view.free;
        let left = if extra == Extra::None { 0 } else { free };
        let bound = BackfillWindow { free, extra: left, until: until(&self.view, promise.time) };
        NodeWindow { promise, extra, bound }
    }

    fn bound(window: &NodeWindow) -> &BackfillWindow {
        &window.bound
    }

    fn bound_mut(window: &mut NodeWindow) -> &mut BackfillWindow {
        &mut window.bound
    }

    fn reason(&self, window: &NodeWindow, job: &Waiting, judged: SimDuration) -> Option<Reason> {
        if !self.nodes.fits(job, None) {
            return None;
        }
        if judged <= window.bound.until {
            return Some(Reason::BeforeShadow);
        }
        let fits = match window.extra {
            Extra::Count => self.nodes.fits(job, Some(&window.promise)),
            Extra::None => false,
            Extra::All => true,
        };
        fits.then_some(Reason::Extra)
    }

    fn extra(&self, window: &NodeWindow, job: &Waiting) -> u64 {
        let (demand, resources) = (self.nodes.asking(job).demand, self.nodes.resources);
        match window.extra {
            Extra::Count => resources.capacity_alongside(demand, &window.promise),
            Extra::None => 0,
            Extra::All => resources.capacity(demand),
        }
    }

    fn start_alongside(&mut self, window: &mut NodeWindow, job: Waiting, reason: Reason) -> bool {
        let alongside = reason == Reason::Extra && window.extra == Extra::Count;
        let alongside = alongside.then(|| window.promise.clone());
        self.pick(job, reason, alongside)
    }

    fn start_in(
        &mut self,
        table: &mut NodeTimetable,
        job: Waiting,
        span: SimDuration,
        reason: Reason,
    ) -> bool {
        let alongside = table.alongside(self.nodes.resources, &job, span);
        // where jobs go on for longer than they were taken to, what fits now may not fit for long
        let fits = self.nodes.fits(&job, Some(&alongside));
        let alongside = if fits { Some(alongside) } else { self.around(span) };
        self.pick(job, reason, alongside)
    }

    fn start(&mut self, job: Waiting, reason: Reason) -> bool {
        self.pick(job, reason, None)
    }
}
