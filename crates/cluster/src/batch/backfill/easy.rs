//! EASY (aggressive) backfilling: a queued job may overtake if the head of the queue is not
//! delayed.
//!
//! Source: D. A. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; the exact rule as in A. W.
//! Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001. For the head that does not fit, shadow time
//! and extra processors follow from the estimates of the running jobs. In queue order, a job that
//! fits now is started if by its estimate it is over by the shadow time, or if it needs at most the
//! extra processors; these are used up by jobs that last longer.
//!
//! What the name covers differs from program to program, so each difference is a key, and the
//! published rule the default:
//!
//! - `reservations` above 1 protects that many jobs from the head on, by reservations in an
//!   availability profile. A job among them that can start at once without moving a reservation
//!   before it is started, and uses up none.
//! - `order`: which job is offered the window first. `sjbf` is part of EASY++ (D. Tsafrir, Y.
//!   Etsion, D. G. Feitelson, IEEE TPDS 18(6), 2007).
//! - `extra`: whether jobs that outlast the shadow time may use the extra processors. AccaSim 1.1.3
//!   lets them use all that are free, which its reservation does not keep
//!   (`EASYBackfilling.scheduling_method` passes no reserved nodes on).
//! - `judged-by`: what decides whether a candidate is over by the shadow time. CQSim judges
//!   candidates by their run times, and running jobs by their requests (`Backfill.py`,
//!   `Cqsim_sim.py`).
//! - `head-reservation`: whether shadow time and extra processors are found again at each decision,
//!   or the head keeps the time that it was first given and is not started before it, as in
//!   AccaSim.
//! - `overdue`: how long a running job past its estimate is taken to go on.
//!
//! Where processors are out of service (nodes fail), those that are there count alone: when others
//! come back is not known. A head that needs more than there are has no shadow time, and does not
//! keep others waiting: the reservation is that of the first job in the queue which the processors
//! in service suffice for, which is started as soon as it fits; jobs before it overtake none, and
//! are not protected. So site schedulers do, which pass over jobs whose nodes are down (Slurm,
//! sched/backfill). With `head-reservation = "kept"` such a head keeps all others waiting, and with
//! several `reservations` it holds none.
//!
//! Where processors are reserved (maintenance, and what was promised in advance), shadow time and
//! extra processors do not say enough: what is free falls again where a reservation begins. Then
//! the head reserves its earliest place in the availability profile around the reservations that
//! are known, as with several `reservations`, and a job overtakes if the profile has enough free as
//! long as its estimate. Without reservations of processors the two are the same rule. The options
//! mean the same: with `extra = "none"` no job overtakes that outlasts the promise, with `"all"`
//! the head's place is not kept, and a head that keeps its first place starts when that is due, or
//! as soon after that as it fits around the reservations.
//!
//! How events of one second are ordered belongs to the policy (`decide`), and which estimates are
//! used (`estimates`), too.

use std::num::NonZeroUsize;

use crate::batch::Obstacle;
use crate::batch::node_resources::NodeTimetable;
use crate::batch::queue::{BackfillWindow, Waiting};
use crate::batch::record::Reason;
use crate::batch::running::NEXT_NANO;
use crate::batch::timetable::PooledTable;
use crate::collections::{Cursor, OrderedMap};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Params, choices, entry, keys};

use super::candidates::{Candidates, Order};
use super::node_room::NodeRoom;
use super::pooled_room::PooledRoom;
use super::reserving::Booked;
use super::room::{CountRoom, Extra, PickedJob, Room};
use super::{Backfill, Capabilities, Change, Decides, Picks, View};

const KEYS: &[Key] = &keys! {
    "reservations" Kind::Count { least: 1, most: 1_000_000 }, or_count 1 =>
        "how many waiting jobs, from the head on, must not be delayed by those that overtake",
        source "1: Lifka, JSSPP 1995";
    "order" Order::CHOICES, or "queue" =>
        "in which order jobs may overtake",
        source "sjbf: D. Tsafrir, Y. Etsion, D. G. Feitelson, IEEE TPDS 18(6), 2007";
    "extra" Extra::CHOICES, or "count" =>
        "which processors a job may use that overtakes and outlasts the shadow time",
        source "A. W. Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001";
    "judged-by" JudgedBy::CHOICES, or "estimate" => "how long a job that would overtake is taken to run";
    "head-reservation" Made::CHOICES, or "recomputed" => "when the head's reservation is made";
    "overdue" Kind::Duration(Bounds::NotNegative), or "1ns" =>
        "how long a running job past its estimate is taken to go on from now, a nanosecond at least";
};

pub(super) const ENTRY: Entry<dyn Backfill> = entry! {
    "easy" => "a job may overtake if the head of the queue is not delayed by the estimates",
    source "D. A. Lifka, JSSPP 1995; A. W. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001",
    keys KEYS,
    reads |params| Easy::read(params)?
};

choices! {
    /// Instant at which the head's reservation is made.
    pub(super) enum Made {
        Recomputed = "recomputed", "computed again at every decision";
        Kept = "kept", "kept from the first decision on, and the head not started before it: as AccaSim does";
    }
}

choices! {
    /// Time by which a candidate is judged.
    enum JudgedBy {
        Estimate = "estimate", "the estimate, as for everything else";
        RunTime = "run-time", "the run time, which no scheduler knows: as CQSim does";
    }
}

#[derive(Debug)]
pub(super) struct Easy {
    pub(super) reservations: NonZeroUsize,
    pub(super) extra: Extra,
    judged_by: JudgedBy,
    pub(super) made: Made,
    pub(super) overdue: SimDuration,
    /// The candidates, where the queue itself does not do.
    candidates: Option<Candidates>,
    /// Run time of each candidate, by job, where they are judged by it.
    run_times: OrderedMap<JobId, SimDuration>,
    /// The reservation that a head keeps.
    pub(super) kept: Option<(JobId, SimTime)>,
    /// Instant at which the head that keeps it is to be started, if nothing else happens.
    due: Option<SimTime>,
    /// The jobs that were picked at this instant, where they are picked one by one.
    pub(super) picked: Vec<PickedJob>,
    /// Bookings on nodes, kept from one decision to the next.
    nodes: Option<Booked<PooledTable<NodeTimetable>>>,
}

impl Easy {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let reservations: u64 = params.read("reservations")?;
        let (order, judged_by) = (params.read("order")?, params.read("judged-by")?);
        let (extra, made): (Extra, Made) = (params.read("extra")?, params.read("head-reservation")?);
        let many = reservations > 1;
        for (key, set) in [("extra", extra != Extra::Count), ("head-reservation", made == Made::Kept)] {
            if many && set {
                let message = format!("`{key}` is about the one reservation of the head");
                let complaint = params
                    .complaint(key, message)
                    .note("several are asked for", Some(params.span("reservations")));
                return Err(complaint.help("write reservations = 1, or leave it out"));
            }
        }
        let overdue: SimDuration = params.read("overdue")?;
        Ok(Easy { extra, made, overdue, ..Easy::new(reservations as usize, order, judged_by) })
    }

    fn new(reservations: usize, order: Order, judged_by: JudgedBy) -> Self {
        let as_queued = order == Order::Queue && judged_by == JudgedBy::Estimate;
        Easy {
            reservations: NonZeroUsize::new(reservations).unwrap_or(NonZeroUsize::MIN),
            extra: Extra::Count,
            judged_by,
            made: Made::Recomputed,
            overdue: SimDuration::from_nanos(1),
            candidates: (!as_queued).then(|| Candidates::new(order)),
            run_times: OrderedMap::new(),
            kept: None,
            due: None,
            picked: Vec::new(),
            nodes: None,
        }
    }

    /// The published rule: one reservation, for the head.
    #[cfg(test)]
    pub(super) fn published() -> Self {
        Easy::new(1, Order::Queue, JudgedBy::Estimate)
    }

    pub(super) fn judged(&self, waiting: &Waiting) -> SimDuration {
        match self.judged_by {
            JudgedBy::Estimate => waiting.estimate,
            JudgedBy::RunTime => self.run_times[&waiting.job],
        }
    }

    /// The first job from a place on that the bound takes, how long it runs, and the place after
    /// it.
    pub(super) fn first_fit(
        &self,
        view: &View<'_>,
        from: Cursor,
        bound: &BackfillWindow,
    ) -> Option<(Waiting, SimDuration, Cursor)> {
        match &self.candidates {
            None => view.queue.first_fit(from, bound).map(|(job, after)| (job, job.estimate, after)),
            Some(candidates) => {
                candidates.first_fit(from, bound).map(|(one, after)| (one.waiting, one.judged, after))
            }
        }
    }

    /// The place of the first job that may overtake: behind the last that was picked, if the rule
    /// is asked again.
    pub(super) fn first_place(&self, view: &View<'_>) -> Cursor {
        match (self.picked.last(), &self.candidates) {
            (Some(last), None) => view.queue.behind(&last.job),
            (Some(last), Some(candidates)) => candidates.behind(&last.job, last.judged),
            (None, None) => view.queue.behind_head(),
            (None, Some(_)) => Cursor::START,
        }
    }

    /// Decides which jobs start now.
    fn decide<R: Room>(&mut self, room: &mut R, kept: Option<Booked<R::Table>>) -> Option<Booked<R::Table>> {
        let again = room.view().again;
        if !again {
            self.picked.clear();
        }
        let kept = match kept {
            Some(kept) if self.holds_as_booked(room, &kept) => return Some(self.look_at_arrival(room, kept)),
            kept => kept,
        };
        let head = room.view().queue.head()?;
        let planned = !room.view().planned.is_empty();
        if self.made == Made::Kept && planned {
            return self.behind_reservations(room, kept);
        }
        if self.made == Made::Kept {
            self.keeping(room);
            return None;
        }
        let several = self.reservations > NonZeroUsize::MIN || planned || room.view().queues.is_some();
        if !room.could_start() {
            return kept.filter(|_| several);
        }
        if several {
            return self.behind_reservations(room, kept);
        }
        if let Some(promise) = room.promise(&head, self.overdue, &self.picked) {
            self.behind_promise(room, head, promise);
        } else {
            self.behind_a_startable_one(room);
        }
        None
    }

    /// One promise, to the head: the others fit before it or next to it.
    fn behind_promise<R: Room>(&mut self, room: &mut R, head: Waiting, promise: R::Promise) {
        let mut window = room.window(promise, self.extra);
        let mut place = self.first_place(room.view());
        if let Some(last) = self.picked.last().filter(|_| self.extra == Extra::All) {
            // the head may be delayed by those that were picked, which changes no reason
            R::bound_mut(&mut window).until = last.until;
        }
        while R::bound(&window).free > 0
            && let Some((job, judged, after)) = self.first_fit(room.view(), place, R::bound(&window))
        {
            place = after;
            if job.job == head.job {
                continue;
            }
            let Some(reason) = room.reason(&window, &job, judged) else { continue };
            let until = R::bound(&window).until;
            if !room.start_alongside(&mut window, job, reason) {
                self.picked.push(PickedJob { job, judged, until });
                return;
            }
        }
    }

    /// The head needs more than is in service, and it is unknown when the rest comes back: it is
    /// promised nothing, and the first job that the machine in service suffices for has the promise
    /// in its place.
    fn behind_a_startable_one<R: Room>(&mut self, room: &mut R) {
        let Some(next) = room.view().queue.iter().find(|one| room.suffices(one)).copied() else { return };
        if room.fits(&next) {
            // it is started first; then the rule is asked again, about the jobs that run then
            room.ask_again();
            room.start(next, Reason::HeadUnable);
        } else if let Some(promise) = room.promise(&next, self.overdue, &self.picked) {
            self.behind_promise(room, next, promise);
        }
    }

    /// The head keeps the reservation that it was first given, and is not started before it.
    fn keeping<R: Room>(&mut self, room: &mut R) {
        let mut started = 0;
        let waiting: Vec<Waiting> = room.view().queue.iter().copied().collect();
        room.ask_again();
        for &head in &waiting {
            let kept = self.kept.filter(|&(job, _)| job == head.job);
            if kept.is_some_and(|(_, time)| room.view().now < time) || !room.fits(&head) {
                self.kept = kept;
                break;
            }
            self.kept = None;
            started += 1;
            if !room.start(head, Reason::Head) {
                return;
            }
        }
        let Some(&head) = waiting.get(started) else { return };
        if started > 0 {
            // these are started first; then the rule is asked again, about the jobs that run then
            return;
        }
        let Some(promise) = self.promise(room, head) else { return };
        self.kept = Some((head.job, R::time(&promise)));
        self.behind_promise(room, head, promise);
    }

    /// Promise to the head: found again, unless it keeps the one that it has.
    pub(super) fn promise<R: Room>(&self, room: &R, head: Waiting) -> Option<R::Promise> {
        match self.kept.filter(|&(job, _)| job == head.job) {
            Some((_, time)) => Some(room.promise_at(&head, time, &self.picked)),
            None => room.promise(&head, self.overdue, &self.picked),
        }
    }
}

pub(super) fn at_least_one(span: SimDuration) -> SimDuration {
    span.max(NEXT_NANO)
}

impl Backfill for Easy {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            decides: if self.made == Made::Kept { Decides::Everything } else { Decides::Overtaking },
            follows: true,
            plans_around: true,
            on_nodes: true,
            joins_queues: (self.extra, self.made) == (Extra::Count, Made::Recomputed),
            ..Capabilities::PLAIN
        }
    }

    fn pick(&mut self, view: &View<'_>, picks: &mut Picks) {
        match (view.nodes, view.pools) {
            (Some(nodes), pools) => {
                let (mut kept, room) = (self.nodes.take(), NodeRoom::new(view, nodes, picks));
                kept.iter_mut().filter(|_| !view.again).for_each(Booked::by_estimates);
                self.nodes = self.decide(&mut PooledRoom::new(room, pools), kept);
            }
            (None, None) => {
                self.decide(&mut CountRoom::new(view, picks), None);
            }
            (None, pools) => {
                self.decide(&mut PooledRoom::new(CountRoom::new(view, picks), pools), None);
            }
        }
        if self.made == Made::Kept {
            // where nothing runs, no end will bring news
            let idle = picks.jobs.is_empty() && view.running.releases(view.now).next().is_none();
            self.due = self.kept.map(|(_, time)| time).filter(|&time| idle && time > view.now);
        }
    }

    fn wakes(&self) -> Option<SimTime> {
        self.due
    }

    fn obstacle(&self, view: &View<'_>, job: &Waiting) -> Obstacle {
        let picks = &mut Picks::default();
        match (view.nodes, view.pools) {
            (Some(nodes), pools) => {
                self.obstacle_in(&PooledRoom::new(NodeRoom::new(view, nodes, picks), pools), job)
            }
            (None, None) => self.obstacle_in(&CountRoom::new(view, picks), job),
            (None, pools) => self.obstacle_in(&PooledRoom::new(CountRoom::new(view, picks), pools), job),
        }
    }

    fn note(&mut self, change: Change<'_>) {
        if let Some(booked) = &mut self.nodes
            && !booked.follow(change)
        {
            self.nodes = None;
        }
        let Some(mut candidates) = self.candidates.take() else { return };
        match change {
            Change::Waits(waiting, run_time) => {
                if self.judged_by == JudgedBy::RunTime {
                    self.run_times.insert(waiting.job, run_time);
                }
                candidates.insert(waiting, self.judged(&waiting));
            }
            Change::Withdrawn(waiting) | Change::Started(waiting) => {
                candidates.remove(&waiting, self.judged(&waiting));
                self.run_times.remove(&waiting.job);
            }
            Change::Sorted(queue) => candidates.sort_again(queue, |waiting| self.judged(waiting)),
            Change::Ended { .. } | Change::Extended { .. } | Change::Placed { .. } | Change::Processors => {}
        }
        self.candidates = Some(candidates);
    }
}
