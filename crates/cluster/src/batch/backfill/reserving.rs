//! EASY backfilling with reservations for several jobs, or around reservations of processors: they
//! are booked in a timetable, and jobs start that move none.

use std::num::NonZeroUsize;

use crate::batch::Obstacle;
use crate::batch::node_resources::{FreeResources, NodeTimetable};
use crate::batch::queue::{BackfillWindow, Waiting};
use crate::batch::record::Reason;
use crate::batch::timetable::Timetable;
use crate::collections::Cursor;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::easy::{Easy, at_least_one};
use super::room::{PickedJob, Room};

/// Bookings of an instant at which jobs are picked one by one.
#[derive(Debug)]
pub(super) struct Booked<T> {
    table: T,
    /// Jobs that wait and have a reservation.
    waiting: Vec<JobId>,
    /// Time for which the job that was picked last is taken to run.
    span: SimDuration,
}

impl<T> Booked<T> {
    fn new(table: T) -> Self {
        Booked { table, waiting: Vec::new(), span: SimDuration::ZERO }
    }

    fn after(self, span: SimDuration) -> Self {
        Booked { span, ..self }
    }
}

impl Booked<NodeTimetable> {
    /// The job that was picked last has started, and is on these nodes.
    pub(super) fn started(&mut self, nodes: &FreeResources, job: Waiting, now: SimTime) {
        self.table.runs(nodes, job.job, job.procs, now.saturating_add(self.span));
    }
}

impl Easy {
    /// The first blocked jobs of the queue reserve their earliest place each; others start where no
    /// reservation moves. Gives back what is booked if the rule is to be asked again.
    pub(super) fn behind_reservations<R: Room>(
        &mut self,
        room: &mut R,
        kept: Option<Booked<R::Table>>,
    ) -> Option<Booked<R::Table>> {
        let now = room.view().now;
        let mut booked = kept.unwrap_or_else(|| Booked::new(room.timetable(Some(self.overdue))));
        let mut taken = Vec::new();
        let waiting: Vec<Waiting> = room.view().queue.iter().copied().collect();
        let mut reserved = 0;
        for job in &waiting {
            if reserved == self.reservations.get() || !room.any() {
                break;
            }
            if booked.waiting.contains(&job.job) {
                reserved += 1;
                continue;
            }
            let (span, table) = (at_least_one(self.judged(job)), &mut booked.table);
            match table.earliest(job, span, now) {
                Some(start) if start == now => {
                    table.book(job, span, now);
                    taken.push(job.job);
                    if !room.start_in(table, *job, span, Reason::Reservation) {
                        return Some(booked.after(span));
                    }
                }
                Some(start) => {
                    table.book(job, at_least_one(job.estimate), start);
                    booked.waiting.push(job.job);
                    reserved += 1;
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
            let (span, table) = (at_least_one(judged), &mut booked.table);
            let passed = taken.contains(&job.job) || booked.waiting.contains(&job.job);
            if passed || !table.holds(&job, span, now) {
                continue;
            }
            table.book(&job, span, now);
            if !room.start_in(table, job, span, Reason::DelaysNoReservation) {
                self.picked.push(PickedJob { job, judged, until: SimDuration::ZERO });
                return Some(booked.after(span));
            }
        }
        None
    }
}

impl Easy {
    /// Obstacle of a job that still waits.
    pub(super) fn obstacle_in<R: Room>(&self, room: &R, job: &Waiting) -> Obstacle {
        let view = room.view();
        let Some(head) = view.queue.head() else { return Obstacle::Unknown };
        if !view.planned.is_empty() {
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
        for one in view.queue.iter() {
            if places == self.reservations.get() as u64 {
                break;
            }
            let span = at_least_one(self.judged(one));
            let Some(start) = table.earliest(one, span, view.now) else { continue };
            match one.job == job.job {
                true if head.job == job.job => return Obstacle::Promised(start),
                true => return Obstacle::Reserved(start),
                false => table.book(one, at_least_one(one.estimate), start),
            }
            places += 1;
        }
        if room.fits(job) { Obstacle::Reservations(places) } else { Obstacle::Short }
    }
}
