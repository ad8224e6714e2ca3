//! EASY backfilling with reservations for several jobs, of one queue or of several, or around
//! reservations of processors: they are booked in a timetable, and jobs start that move none.

use std::num::NonZeroUsize;

use crate::batch::Obstacle;
use crate::batch::node_resources::NodeTimetable;
use crate::batch::planned::before;
use crate::batch::queue::{BackfillWindow, Waiting};
use crate::batch::record::Reason;
use crate::batch::running::NEXT_NANO;
use crate::batch::timetable::{PooledTable, Timetable};
use crate::collections::{Cursor, OrderedMap};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::easy::{Easy, Made, at_least_one};
use super::room::{Extra, MachineState, PickedJob, Room};
use super::{Change, View};

/// Bookings of an instant at which jobs are picked one by one; on nodes those of running jobs are
/// kept for the next one.
#[derive(Debug)]
pub(super) struct Booked<T> {
    table: T,
    /// Instant before which all begin of the site's reservations that the table has.
    upto: SimTime,
    /// True while jobs are picked at the instant.
    goes_on: bool,
    /// Jobs that are booked, and have not started.
    placed: Vec<Waiting>,
    /// Jobs that wait and have a reservation.
    waiting: Vec<JobId>,
    /// Instant by which jobs that overtake have to be over, if the rule says so.
    ends_by: Option<SimTime>,
    /// The job that was picked last, and the time for which it is taken to run.
    picked: Option<(JobId, SimDuration)>,
    /// Jobs that were taken to run for other times at this instant, with their estimated ends.
    judged: Vec<(Waiting, SimTime)>,
    /// True if a job was picked after the first of those that wait had its place.
    picked_since: bool,
    /// State after the last decision, if nothing but arrivals has happened since.
    settled: Option<AfterDecision>,
}

/// Machine and queue as a decision left them, with all jobs that wait unable to start.
#[derive(Debug)]
struct AfterDecision {
    machine: MachineState,
    /// Jobs that came to wait since.
    arrived: Vec<Waiting>,
}

impl<T: Timetable> Booked<T> {
    fn new(table: T, upto: SimTime) -> Self {
        let (placed, waiting, judged) = (Vec::new(), Vec::new(), Vec::new());
        Booked {
            table,
            upto,
            goes_on: true,
            placed,
            waiting,
            ends_by: None,
            picked: None,
            judged,
            picked_since: false,
            settled: None,
        }
    }

    /// Books the site's reservations that begin before an instant, too.
    fn reach<R: Room<Table = T>>(&mut self, room: &R, instant: SimTime) {
        if instant > self.upto {
            let (all, there) = (before(room.view().planned, instant), before(room.view().planned, self.upto));
            room.withhold(&mut self.table, &all[..all.len() - there.len()]);
            self.upto = instant;
        }
    }

    /// Returns true if what was found of a start that is over by an instant holds in spite of those
    /// of the site's reservations that the table has not.
    fn reaches(&self, view: &View<'_>, over: SimTime) -> bool {
        over <= self.upto || view.planned.first().is_none_or(|last| last.from < self.upto)
    }

    /// Books a job from a start on, which may be the only one that waits with a booking.
    fn book(&mut self, job: Waiting, (span, start): (SimDuration, SimTime), alone: bool) {
        if alone {
            self.table.book_alone(&job, span, start);
        } else {
            self.table.book(&job, span, start);
        }
        self.picked_since &= !self.placed.is_empty();
        self.placed.push(job);
    }

    /// The same when a job has been picked, which is taken to run for so long.
    fn after(self, job: JobId, span: SimDuration) -> Self {
        Booked { picked: Some((job, span)), picked_since: true, goes_on: true, settled: None, ..self }
    }

    /// The same for the next decision; `None` if they are not kept.
    fn over<R: Room<Table = T>>(self, room: &R, late: SimDuration) -> Option<Self> {
        let machine = room.state().filter(|_| !self.picked_since);
        let settled = machine.map(|machine| AfterDecision { machine, arrived: Vec::new() });
        room.keeps(late).then_some(Booked { goes_on: false, settled, ..self })
    }

    /// Returns true if all is as the last decision left it, but that one job may have come that
    /// stands behind those with a place.
    fn is_settled<R: Room<Table = T>>(&self, room: &R) -> bool {
        let Some(settled) = &self.settled else { return false };
        let same = |(placed, waits): (&Waiting, &Waiting)| {
            (placed.job, placed.procs, placed.estimate) == (waits.job, waits.procs, waits.estimate)
        };
        let queue = room.view().queue;
        !room.view().again
            && settled.arrived.len() <= 1
            && self.placed.len() <= queue.len()
            && self.placed.iter().zip(queue.iter()).all(same)
            && Some(settled.machine) == room.state()
    }

    /// The same at a decision; `None` if they have to be made again.
    fn at<R: Room<Table = T>>(mut self, room: &R, late: SimDuration) -> Option<Self> {
        if room.view().again && self.goes_on {
            return Some(self);
        }
        room.keeps(late).then(|| {
            room.renew(&mut self.table, &self.placed, late);
            Booked::new(self.table, self.upto)
        })
    }
}

impl Booked<PooledTable<NodeTimetable>> {
    /// Follows a change of the machine. Returns false if that cannot be followed.
    pub(super) fn follow(&mut self, change: Change<'_>) -> bool {
        match change {
            Change::Waits(job, _) => self.settled.iter_mut().for_each(|one| one.arrived.push(job)),
            Change::Withdrawn(job) => {
                self.settled.iter_mut().for_each(|one| one.arrived.retain(|other| other.job != job.job));
            }
            Change::Sorted(_) => {}
            _ => self.settled = None,
        }
        let machine = &mut self.table.machine;
        match change {
            Change::Placed { job, now, nodes } => {
                let estimate = at_least_one(job.estimate);
                let span = self.picked.filter(|&(picked, _)| picked == job.job).map_or(estimate, |one| one.1);
                machine.runs(nodes, job.job, job.procs, now.saturating_add(span));
                self.placed.retain(|one| one.job != job.job);
                if span != estimate {
                    self.judged.push((job, now.saturating_add(estimate)));
                }
            }
            Change::Ended { job, procs, .. } => {
                self.judged.retain(|(one, _)| one.job != job);
                machine.leaves(job, procs);
            }
            Change::Extended { job, procs, to, .. } => {
                self.judged.retain(|(one, _)| one.job != job);
                machine.until(job, procs, to);
            }
            Change::Processors => return false,
            Change::Waits(..) | Change::Withdrawn(_) | Change::Started(_) | Change::Sorted(_) => {}
        }
        true
    }

    /// Takes the jobs to run for as long as they are estimated to that were taken to run for other
    /// times.
    pub(super) fn by_estimates(&mut self) {
        for (job, end) in self.judged.drain(..) {
            self.table.machine.until(job.job, job.procs, end);
        }
    }
}

/// Reservations of an instant: so many for each queue.
struct Reserved {
    most: usize,
    queues: usize,
    /// Jobs of each queue that have one.
    counts: OrderedMap<u16, usize>,
    /// Queues that have all of theirs.
    full: usize,
}

impl Reserved {
    fn new(view: &View<'_>, most: NonZeroUsize) -> Self {
        let queues = view.queues.map_or(1, |queues| queues.count);
        Reserved { most: most.get(), queues, counts: OrderedMap::new(), full: 0 }
    }

    /// Reservations of a queue.
    fn of(&self, queue: u16) -> usize {
        self.counts.get(&queue).copied().unwrap_or_default()
    }

    /// Returns true if a queue has another one.
    fn has_more(&self, queue: u16) -> bool {
        self.of(queue) < self.most
    }

    /// Returns true if no queue has another one.
    fn all(&self) -> bool {
        self.full == self.queues
    }

    fn take(&mut self, queue: u16) {
        let count = self.counts.entry(queue).or_default();
        *count += 1;
        self.full += usize::from(*count == self.most);
    }
}

/// Queue of a job, of several that share nodes.
fn queue_of(view: &View<'_>, job: &Waiting) -> u16 {
    view.queues.map_or(0, |queues| queues.of(job.job))
}

/// Reservations of the site up to which all are booked, however far ahead they are.
const FEW: usize = if cfg!(test) { 1 } else { 2 };

/// Instant by which every job is over that starts now, or the end of time where few reservations of
/// the site are ahead.
fn foreseen(easy: &Easy, view: &View<'_>, waiting: &[Waiting]) -> SimTime {
    if view.planned.len() <= FEW {
        return SimTime::MAX;
    }
    let longest = waiting.iter().map(|job| at_least_one(job.estimate.max(easy.judged(job)))).max();
    view.now.saturating_add(longest.unwrap_or(NEXT_NANO))
}

impl Easy {
    /// Time for which a job that may have a reservation is looked for a place: the one head by its
    /// estimate, as one that overtakes nobody.
    fn looked_for(&self, job: &Waiting) -> SimDuration {
        let alone = self.reservations == NonZeroUsize::MIN;
        at_least_one(if alone { job.estimate } else { self.judged(job) })
    }

    /// The start that a job is promised now: the earliest, or the one that it keeps if it still
    /// holds then.
    fn promised<T: Timetable>(
        &self,
        table: &mut T,
        now: SimTime,
        job: &Waiting,
        span: SimDuration,
    ) -> Option<SimTime> {
        match self.kept_by(job) {
            // jobs past their estimates may be in its way just now
            Some(time) => [time.max(now), time.max(now.saturating_add(NEXT_NANO))]
                .into_iter()
                .find(|&at| table.holds(job, span, at)),
            None => table.earliest(job, span, now),
        }
    }

    /// The same next to all reservations of the site, of which the table gets as many as matter.
    fn promised_in<R: Room>(
        &self,
        room: &R,
        booked: &mut Booked<R::Table>,
        job: &Waiting,
        span: SimDuration,
    ) -> Option<SimTime> {
        let now = room.view().now;
        loop {
            let start = self.promised(&mut booked.table, now, job, span);
            let kept = || Some(self.kept_by(job)?.max(now.saturating_add(NEXT_NANO)));
            let over = |start: SimTime| start.saturating_add(span.max(at_least_one(job.estimate)));
            if booked.reaches(room.view(), start.or_else(kept).map_or(SimTime::MAX, over)) {
                return start;
            }
            let ahead = booked.upto.since(now).as_nanos().saturating_mul(4);
            booked.reach(room, now.saturating_add(SimDuration::from_nanos(ahead)));
        }
    }

    /// The start that a job keeps.
    fn kept_by(&self, job: &Waiting) -> Option<SimTime> {
        self.kept.filter(|&(head, _)| self.made == Made::Kept && head == job.job).map(|(_, time)| time)
    }

    /// Returns true if bookings hold as they stand, and at most one job has to be looked at: one
    /// that came since the last decision.
    pub(super) fn holds_as_booked<R: Room>(&self, room: &R, kept: &Booked<R::Table>) -> bool {
        self.made == Made::Recomputed
            && self.extra != Extra::All
            && room.view().queues.is_none()
            && kept.placed.len() == self.reservations.get()
            && kept.is_settled(room)
    }

    /// Decides where bookings hold as they stand.
    pub(super) fn look_at_arrival<R: Room>(
        &mut self,
        room: &mut R,
        mut kept: Booked<R::Table>,
    ) -> Booked<R::Table> {
        let Some(job) = kept.settled.as_mut().and_then(|settled| settled.arrived.pop()) else { return kept };
        let (now, judged) = (room.view().now, self.judged(&job));
        let span = at_least_one(judged);
        if u64::from(job.procs) > room.free() || !room.fits(&job) {
            return kept;
        }
        let ends = now.saturating_add(span);
        kept.reach(room, ends);
        room.begin(&mut kept.table);
        if kept.ends_by.is_some_and(|by| ends > by) || !kept.table.holds(&job, span, now) {
            return kept;
        }
        kept.table.starts(&job, span, now);
        if !room.start_in(&mut kept.table, job, span, Reason::DelaysNoReservation) {
            self.picked.push(PickedJob { job, judged, until: SimDuration::ZERO });
        }
        kept.after(job.job, span)
    }

    /// The first blocked jobs of the queue, or of each queue, reserve their earliest place each;
    /// others start where no reservation moves. Gives back what is booked if the rule is to be
    /// asked again.
    pub(super) fn behind_reservations<R: Room>(
        &mut self,
        room: &mut R,
        kept: Option<Booked<R::Table>>,
    ) -> Option<Booked<R::Table>> {
        let now = room.view().now;
        let mut taken = Vec::new();
        let waiting: Vec<Waiting> = room.view().queue.iter().copied().collect();
        let upto = foreseen(self, room.view(), &waiting);
        let made = || Booked::new(room.timetable_before(Some(self.overdue), upto), upto);
        let mut booked = kept.and_then(|kept| kept.at(room, self.overdue)).unwrap_or_else(made);
        booked.reach(room, upto);
        let mut reserved = Reserved::new(room.view(), self.reservations);
        let alone = self.reservations == NonZeroUsize::MIN && room.view().queues.is_none();
        for job in &waiting {
            // a head that keeps its reservation gets it when it is the head, be any free or not
            let keeps = self.made == Made::Kept;
            if reserved.all() || !keeps && !room.any() {
                break;
            }
            let queue = queue_of(room.view(), job);
            if booked.waiting.contains(&job.job) {
                reserved.take(queue);
                continue;
            }
            if !reserved.has_more(queue) {
                continue;
            }
            let span = self.looked_for(job);
            let start = self.promised_in(room, &mut booked, job, span);
            match start {
                Some(start) if start == now => {
                    self.kept = None;
                    booked.table.starts(job, span, now);
                    taken.push(job.job);
                    if !room.start_in(&mut booked.table, *job, span, Reason::Reservation) {
                        return Some(booked.after(job.job, span));
                    }
                }
                Some(start) => {
                    // where all that is free may be used, the place is not kept
                    if self.extra != Extra::All {
                        booked.book(*job, (at_least_one(job.estimate), start), alone);
                    }
                    if keeps {
                        self.kept = Some((job.job, self.kept_by(job).unwrap_or(start)));
                    }
                    if self.extra == Extra::None {
                        booked.ends_by.get_or_insert(start);
                    }
                    booked.waiting.push(job.job);
                    reserved.take(queue);
                }
                // the head does not fit when it should, and others are over by then, or wait
                None if keeps => {
                    let kept = self.kept_by(job)?;
                    if self.extra != Extra::All {
                        booked.ends_by = Some(kept.max(now));
                    }
                    booked.waiting.push(job.job);
                    reserved.take(queue);
                }
                None => {}
            }
        }
        let mut place = if self.picked.is_empty() { Cursor::START } else { self.first_place(room.view()) };
        while room.any() {
            let free = room.free();
            let bound = BackfillWindow { free, extra: free, until: SimDuration::ZERO };
            let Some((job, judged, after)) = self.first_fit(room.view(), place, &bound) else { break };
            place = after;
            let span = at_least_one(judged);
            let outlasts = |by: SimTime| now.saturating_add(span) > by;
            let passed = taken.contains(&job.job)
                || booked.waiting.contains(&job.job)
                || booked.ends_by.is_some_and(outlasts);
            // what fits for a span fits now, which costs less to ask
            if passed || !room.fits(&job) || !booked.table.holds(&job, span, now) {
                continue;
            }
            booked.table.starts(&job, span, now);
            if !room.start_in(&mut booked.table, job, span, Reason::DelaysNoReservation) {
                self.picked.push(PickedJob { job, judged, until: SimDuration::ZERO });
                return Some(booked.after(job.job, span));
            }
        }
        booked.over(room, self.overdue)
    }
}

impl Easy {
    /// Obstacle of a job that still waits.
    pub(super) fn obstacle_in<R: Room>(&self, room: &R, job: &Waiting) -> Obstacle {
        let view = room.view();
        let Some(head) = view.queue.head() else { return Obstacle::Unknown };
        if view.queues.is_some() || !view.planned.is_empty() {
            return self.obstacle_in_table(room, head, job);
        }
        if !room.suffices(job) {
            return Obstacle::Away;
        }
        let kept = self.kept.is_some_and(|(job, _)| job == head.job);
        // as in `behind_a_startable_one`
        let can = |one: &&Waiting| kept || room.suffices(one);
        let head = view.queue.iter().find(can).copied().unwrap_or(head);
        let promise = self.promise(room, head);
        if head.job == job.job {
            return promise.map_or(Obstacle::Unknown, |promise| Obstacle::Promised(R::time(&promise)));
        }
        if !room.fits(job) {
            return Obstacle::Short;
        }
        if self.reservations > NonZeroUsize::MIN {
            return self.obstacle_in_table(room, head, job);
        }
        promise.map_or(Obstacle::Unknown, |promise| {
            let shadow = R::time(&promise);
            let ends = view.now.saturating_add(self.judged(job));
            let window = room.window(promise, self.extra);
            Obstacle::Shadow { shadow, ends, extra: room.extra(&window, job) }
        })
    }

    /// The same where the first jobs have reservations.
    fn obstacle_in_table<R: Room>(&self, room: &R, head: Waiting, job: &Waiting) -> Obstacle {
        let (view, mut table, mut places) = (room.view(), room.timetable(Some(self.overdue)), 0);
        let mut reserved = Reserved::new(view, self.reservations);
        let is_first = |reserved: &Reserved| match view.queues {
            Some(_) => reserved.of(queue_of(view, job)) == 0,
            None => head.job == job.job,
        };
        for one in view.queue.iter() {
            if reserved.all() {
                break;
            }
            let queue = queue_of(view, one);
            if !reserved.has_more(queue) {
                continue;
            }
            let span = self.looked_for(one);
            let Some(start) = self.promised(&mut table, view.now, one, span) else { continue };
            match one.job == job.job {
                true if is_first(&reserved) => return Obstacle::Promised(start),
                true => return Obstacle::Reserved(start),
                false => table.book(one, at_least_one(one.estimate), start),
            }
            reserved.take(queue);
            places += 1;
        }
        if room.fits(job) { Obstacle::Reservations(places) } else { Obstacle::Short }
    }
}
