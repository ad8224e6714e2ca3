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
//! long as its estimate. Without reservations of processors the two are the same rule.
//!
//! How events of one second are ordered belongs to the policy (`decide`), and which estimates are
//! used (`estimates`), too.

use std::num::NonZeroUsize;

use crate::batch::Obstacle;
use crate::batch::profile::Profile;
use crate::batch::queue::{BackfillWindow, Waiting};
use crate::batch::record::Reason;
use crate::batch::running::Shadow;
use crate::collections::{Cursor, OrderedMap};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Params, choices, entry, keys};

use super::candidates::{Candidates, Order};
use super::{Backfill, Capabilities, Change, Decides, OnNodes, Picks, View};

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
    enum Made {
        Recomputed = "recomputed", "computed again at every decision";
        Kept = "kept", "kept from the first decision on, and the head not started before it: as AccaSim does";
    }
}

choices! {
    /// Processors that jobs may use if they outlast the shadow time.
    enum Extra {
        Count = "count", "as many as the head leaves free at its shadow time";
        None = "none", "none: a job that overtakes ends by the shadow time";
        All = "all", "all that are free, and so the head may be delayed: as AccaSim does";
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
    reservations: NonZeroUsize,
    extra: Extra,
    judged_by: JudgedBy,
    made: Made,
    overdue: SimDuration,
    /// The candidates, where the queue itself does not do.
    candidates: Option<Candidates>,
    /// Run time of each candidate, by job, where they are judged by it.
    run_times: OrderedMap<JobId, SimDuration>,
    /// The reservation that a head keeps.
    kept: Option<(JobId, SimTime)>,
    /// Instant at which the head that keeps it is to be started, if nothing else happens.
    due: Option<SimTime>,
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
        }
    }

    /// The published rule: one reservation, for the head.
    #[cfg(test)]
    pub(super) fn published() -> Self {
        Easy::new(1, Order::Queue, JudgedBy::Estimate)
    }

    fn judged(&self, waiting: &Waiting) -> SimDuration {
        match self.judged_by {
            JudgedBy::Estimate => waiting.estimate,
            JudgedBy::RunTime => self.run_times[&waiting.job],
        }
    }

    /// The processors that jobs may use which outlast the shadow time.
    fn extra(&self, view: &View<'_>, shadow: &Shadow) -> u64 {
        match self.extra {
            Extra::Count => shadow.extra,
            Extra::None => 0,
            Extra::All => view.free,
        }
    }

    /// The first job from a place on that the gap takes, how long it runs, and the place after it.
    fn first_fit(
        &self,
        view: &View<'_>,
        from: Cursor,
        gap: &BackfillWindow,
    ) -> Option<(Waiting, SimDuration, Cursor)> {
        match &self.candidates {
            None => view.queue.first_fit(from, gap).map(|(job, after)| (job, job.estimate, after)),
            Some(candidates) => {
                candidates.first_fit(from, gap).map(|(one, after)| (one.waiting, one.judged, after))
            }
        }
    }

    /// One reservation, for the head: the others fit before it or next to it.
    fn behind_shadow(&self, view: &View<'_>, head: Waiting, shadow: Shadow, picks: &mut Picks) {
        let extra = self.extra(view, &shadow);
        let until = SimDuration::from_nanos(shadow.time.as_nanos().saturating_sub(view.now.as_nanos()));
        let mut gap = BackfillWindow { free: view.free, extra, until };
        let mut place = if self.candidates.is_some() { Cursor::START } else { view.queue.behind_head() };
        while gap.free > 0
            && let Some((job, judged, after)) = self.first_fit(view, place, &gap)
        {
            place = after;
            if job.job == head.job {
                continue;
            }
            gap.free -= u64::from(job.procs);
            let outlasts = judged > gap.until;
            if outlasts {
                gap.extra -= u64::from(job.procs);
            }
            let reason = if outlasts { Reason::Extra } else { Reason::BeforeShadow };
            picks.start(job, reason);
        }
    }

    /// The head needs more processors than are in service, and it is unknown when others come back:
    /// it has no shadow time, and the first job that the processors in service suffice for has the
    /// reservation in its place.
    fn behind_a_startable_one(&self, view: &View<'_>, picks: &mut Picks) {
        let there = view.there();
        let Some(&next) = view.queue.iter().find(|one| u64::from(one.procs) <= there) else { return };
        let need = u64::from(next.procs);
        if need <= view.free {
            // it is started first; then the rule is asked again, about the jobs that run then
            picks.again = true;
            picks.start(next, Reason::HeadUnable);
        } else if let Some(shadow) = view.running.shadow_by(view.now, view.free, need, self.overdue) {
            self.behind_shadow(view, next, shadow, picks);
        }
    }

    /// The head keeps the reservation that it was first given, and is not started before it.
    fn keeping(&mut self, view: &View<'_>, picks: &mut Picks) {
        let mut free = view.free;
        for &head in view.queue.iter() {
            let kept = self.kept.filter(|&(job, _)| job == head.job);
            if kept.is_some_and(|(_, time)| view.now < time) || u64::from(head.procs) > free {
                self.kept = kept;
                break;
            }
            self.kept = None;
            free -= u64::from(head.procs);
            picks.start(head, Reason::Head);
        }
        let Some(&head) = view.queue.iter().nth(picks.jobs.len()) else { return };
        if !picks.jobs.is_empty() {
            // these are started first; then the rule is asked again, about the jobs that run then
            return;
        }
        let Some(shadow) = self.shadow(view, head) else { return };
        self.kept = Some((head.job, shadow.time));
        self.behind_shadow(view, head, shadow, picks);
    }

    /// Shadow time and extra processors of the head: found again, unless it keeps its reservation.
    fn shadow(&self, view: &View<'_>, head: Waiting) -> Option<Shadow> {
        let need = u64::from(head.procs);
        match self.kept.filter(|&(job, _)| job == head.job) {
            Some((_, time)) => {
                let by = view.free + view.running.released_by(time.max(view.now));
                Some(Shadow { time, extra: by.saturating_sub(need) })
            }
            None => view.running.shadow_by(view.now, view.free, need, self.overdue),
        }
    }

    /// The first jobs of the queue reserve their earliest place each, or are picked where that is
    /// now: the reservations.
    fn reserve(&self, view: &View<'_>, profile: &mut Profile, picks: &mut Picks) -> Vec<(JobId, SimTime)> {
        let (mut reserved, mut free) = (Vec::new(), view.free);
        for job in view.queue.iter() {
            if reserved.len() == self.reservations.get() || free == 0 {
                break;
            }
            let (procs, span) = (u64::from(job.procs), at_least_one(self.judged(job)));
            match profile.earliest(procs, span, view.now, SimTime::MAX) {
                Some(start) if start == view.now => {
                    profile.reserve(start, span, procs);
                    free -= procs;
                    picks.start(*job, Reason::Reservation);
                }
                Some(start) => {
                    profile.reserve(start, at_least_one(job.estimate), procs);
                    reserved.push((job.job, start));
                }
                None => {}
            }
        }
        reserved
    }

    /// The first blocked jobs of the queue reserve their earliest place each; others start where no
    /// reservation moves.
    pub(super) fn behind_reservations(&self, view: &View<'_>, picks: &mut Picks) {
        let mut profile = view.profile(self.overdue);
        self.reserve(view, &mut profile, picks);
        let started = picks.jobs.len();
        let free = view.free - picks.jobs.iter().map(|one| u64::from(one.waiting.procs)).sum::<u64>();
        let mut place = Cursor::START;
        let mut gap = BackfillWindow { free, extra: free, until: SimDuration::ZERO };
        while gap.free > 0
            && let Some((job, judged, after)) = self.first_fit(view, place, &gap)
        {
            place = after;
            let (procs, span) = (u64::from(job.procs), at_least_one(judged));
            let taken = picks.jobs[..started].iter().any(|one| one.waiting.job == job.job);
            if !taken && profile.holds(procs, view.now, span) {
                profile.reserve(view.now, span, procs);
                gap = BackfillWindow { free: gap.free - procs, extra: gap.free - procs, ..gap };
                picks.start(job, Reason::DelaysNoReservation);
            }
        }
    }
}

impl Easy {
    /// Obstacle of a job that still waits where processors are reserved.
    fn obstacle_with_planned(&self, view: &View<'_>, head: Waiting, job: &Waiting) -> Obstacle {
        let (mut profile, mut places) = (view.profile(self.overdue), 0);
        for one in view.queue.iter().take(self.reservations.get()) {
            let (procs, span) = (u64::from(one.procs), at_least_one(one.estimate));
            let Some(start) = profile.earliest(procs, span, view.now, SimTime::MAX) else { continue };
            match one.job == job.job {
                true if head.job == job.job => return Obstacle::Promised(start),
                true => return Obstacle::Reserved(start),
                false => profile.reserve(start, span, procs),
            }
            places += 1;
        }
        if u64::from(job.procs) > view.free { Obstacle::Short } else { Obstacle::Reservations(places) }
    }
}

fn at_least_one(span: SimDuration) -> SimDuration {
    span.max(SimDuration::from_nanos(1))
}

impl Backfill for Easy {
    fn capabilities(&self) -> Capabilities {
        let published = (self.extra, self.made) == (Extra::Count, Made::Recomputed);
        let on_nodes = published
            && self.reservations == NonZeroUsize::MIN
            && self.candidates.is_none()
            && self.overdue <= SimDuration::from_nanos(1);
        Capabilities {
            decides: if self.made == Made::Kept { Decides::Everything } else { Decides::Overtaking },
            follows: self.candidates.is_some(),
            plans_around: published && self.judged_by == JudgedBy::Estimate,
            on_nodes: on_nodes.then_some(OnNodes::BehindShadow),
            ..Capabilities::PLAIN
        }
    }

    fn pick(&mut self, view: &View<'_>, picks: &mut Picks) {
        if self.made == Made::Kept {
            self.keeping(view, picks);
            picks.again = true;
            // where nothing runs, no end will bring news
            let idle = picks.jobs.is_empty() && view.running.releases(view.now).next().is_none();
            self.due = self.kept.map(|(_, time)| time).filter(|&time| idle && time > view.now);
            return;
        }
        let Some(head) = view.queue.head().filter(|_| view.free > 0) else { return };
        if self.reservations > NonZeroUsize::MIN || !view.planned.is_empty() {
            self.behind_reservations(view, picks);
        } else if let Some(shadow) =
            view.running.shadow_by(view.now, view.free, u64::from(head.procs), self.overdue)
        {
            self.behind_shadow(view, head, shadow, picks);
        } else {
            self.behind_a_startable_one(view, picks);
        }
    }

    fn wakes(&self) -> Option<SimTime> {
        self.due
    }

    fn obstacle(&self, view: &View<'_>, job: &Waiting) -> Obstacle {
        let Some(head) = view.queue.head() else { return Obstacle::Unknown };
        if !view.planned.is_empty() {
            return self.obstacle_with_planned(view, head, job);
        }
        let there = view.there();
        if u64::from(job.procs) > there {
            return Obstacle::Away;
        }
        let kept = self.kept.is_some_and(|(job, _)| job == head.job);
        // as in `behind_a_startable_one`
        let can = |one: &&Waiting| kept || u64::from(one.procs) <= there;
        let head = view.queue.iter().find(can).copied().unwrap_or(head);
        let shadow = self.shadow(view, head);
        if head.job == job.job {
            return shadow.map_or(Obstacle::Unknown, |shadow| Obstacle::Promised(shadow.time));
        }
        if u64::from(job.procs) > view.free {
            return Obstacle::Short;
        }
        if self.reservations > NonZeroUsize::MIN {
            let mut profile = view.profile(self.overdue);
            let reserved = self.reserve(view, &mut profile, &mut Picks::default());
            let own = reserved.iter().find(|one| one.0 == job.job);
            return own
                .map_or(Obstacle::Reservations(reserved.len() as u64), |one| Obstacle::Reserved(one.1));
        }
        shadow.map_or(Obstacle::Unknown, |shadow| Obstacle::Shadow {
            shadow: shadow.time,
            ends: view.now.saturating_add(self.judged(job)),
            extra: self.extra(view, &shadow),
        })
    }

    fn note(&mut self, change: Change<'_>) {
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
            Change::Ended { .. } | Change::Extended { .. } | Change::Processors => {}
        }
        self.candidates = Some(candidates);
    }
}
