//! Jobs that run inside reservations of processors, as advance reservations promise it to them.
//!
//! ```text
//! submitted ─▶ waits for its reservation ─starts on its processors─▶ runs ─▶ ends, or is
//!      │                                                                  killed at its end
//!      └─ none that is still to come can take it: rejected
//! ```
//!
//! Policies do not know them: their processors are those of the reservation, which no other job
//! gets. In the order of submission a job starts as soon as its reservation has begun and has
//! enough free, if by its estimate it is over before the reservation is; else it waits for the next
//! time that this takes place, and delays no job. What it asks for of pools is of the reservation's
//! share. A job that outlasts its estimate is killed when the reservation is over, as Slurm does
//! it. One that is interrupted waits there again, and is cancelled if its user has lost patience by
//! then, before any starts at the instant.
//!
//! Source: W. Smith, I. Foster, V. Taylor, "Scheduling with advanced reservations", IPDPS 2000
//! (jobs with a promised time); Slurm, Advanced Resource Reservation Guide.

use std::cell::RefCell;
use std::rc::Rc;

use tracing::debug;

use crate::batch::machine::{Reservation, Reservations};
use crate::batch::pools::PoolShare;
use crate::collections::{Interval, OrderedMap};
use crate::ids::JobId;
use crate::instrument::explanation::WaitCause;
use crate::instrument::{Reason, State};
use crate::kernel::{SimTime, now};
use crate::policy::front_end::Site;
use crate::workload::Job;

use super::nodes::SiteNodes;
use super::shares::ReservedShares;
use super::standing::Reserving;

/// The jobs that run inside reservations, and how far they are.
#[derive(Debug, Default)]
pub(super) struct JobsInReservations {
    /// The number of each one's reservation.
    of: OrderedMap<JobId, u32>,
    /// The reservations that such jobs have by number, each in order of their ends.
    all: OrderedMap<u32, Vec<Reservation>>,
    /// Waiting jobs, in order of submission.
    waiting: Vec<JobId>,
    running: OrderedMap<JobId, Running>,
    /// True where users cancel jobs: then none starts before those have given up that were
    /// interrupted at the instant.
    pub(super) users_cancel: bool,
    /// True while users may cancel jobs that were interrupted at this instant.
    is_open: bool,
}

/// A job inside a reservation.
#[derive(Debug)]
struct Running {
    /// Number and time of the reservation.
    which: (u32, u32),
    on: Vec<Interval>,
}

impl JobsInReservations {
    pub(super) fn new(reservations: &Reservations) -> Self {
        let of = reservations.inside.clone();
        let mut all: OrderedMap<u32, Vec<Reservation>> =
            of.values().map(|&number| (number, Vec::new())).collect();
        for one in &reservations.all {
            all.get_mut(&one.number).into_iter().for_each(|times| times.push(*one));
        }
        all.values_mut().for_each(|times| times.sort_by_key(|one| one.to));
        JobsInReservations { of, all, ..JobsInReservations::default() }
    }

    /// Returns true if a job runs inside a reservation, if at all.
    pub(super) fn has(&self, job: JobId) -> bool {
        self.of.contains_key(&job)
    }

    /// Returns true if none starts now, as a job was interrupted here at this instant, and this is
    /// one that runs here.
    pub(super) fn is_interrupted(&self, job: JobId) -> bool {
        self.is_open && self.has(job)
    }

    /// A job has left: true if it waited here.
    pub(super) fn left(&mut self, job: JobId) -> bool {
        let before = self.waiting.len();
        if self.has(job) {
            self.waiting.retain(|&other| other != job);
        }
        self.waiting.len() < before
    }

    /// Lets a job wait for its reservation, in order of submission.
    fn wait(&mut self, id: JobId) {
        let place = self.waiting.partition_point(|&other| other < id);
        self.waiting.insert(place, id);
    }

    /// Returns true if a reservation that is not over at `now` can take a job, which asks for so
    /// much of pools.
    fn can_be(
        &self,
        (nodes, shares): (Option<&SiteNodes>, &ReservedShares),
        (id, job, asked): (JobId, &Job, &[PoolShare]),
        now: SimTime,
    ) -> bool {
        let Some(all) = self.of.get(&id).and_then(|number| self.all.get(number)) else { return false };
        let takes = |one: &Reservation| {
            let on_nodes = nodes.is_none_or(|nodes| nodes.could_hold(one.number, job));
            let holds = on_nodes && shares.suffice(one.number, asked);
            job.procs <= one.procs && holds && one.from.max(now).saturating_add(job.estimate) <= one.to
        };
        all[all.partition_point(|one| one.to <= now)..].iter().any(takes)
    }
}

impl Reserving {
    /// Submits a job that runs inside a reservation.
    pub(super) fn submit_inside(&mut self, site: &mut Site<'_>, id: JobId) {
        let number = site.number(id);
        debug!(at = now().as_secs_f64(), job = number, "arrives, and waits for its reservation");
        self.inside.wait(id);
        let reservation = self.inside.of.get(&id).copied().unwrap_or_default();
        if let Some(mut explanation) = site.explains(id) {
            explanation.note(WaitCause::Inside(reservation), now());
        }
        self.serve_inside(site);
        self.reject_outside(site, |waits| waits == id);
    }

    /// Starts the jobs for which reservations that have begun have enough free.
    pub(super) fn serve_inside(&mut self, site: &mut Site<'_>) {
        if self.inside.waiting.is_empty() || self.inside.is_open {
            return;
        }
        for place in 0..self.begun.len() {
            self.serve_one(site, place);
        }
    }

    fn serve_one(&mut self, site: &mut Site<'_>, place: usize) {
        let (inside, standing) = (&mut self.inside, &mut self.begun[place]);
        let what = standing.what;
        let own = |id: &&JobId| inside.of.get(id) == Some(&what.number);
        let waiting: Vec<JobId> = inside.waiting.iter().filter(own).copied().collect();
        for id in waiting {
            let (job, asked) = (site.job(id), site.asked_of_pools(id));
            if now().saturating_add(job.estimate) > what.to {
                continue;
            }
            if !standing.shares.hold(&asked) {
                return;
            }
            let (on, gpus) = match &mut self.nodes {
                None if u64::from(job.procs) > standing.idle.count() => return,
                None => (standing.idle.highest(u64::from(job.procs)), Vec::new()),
                Some(nodes) => {
                    let Some(place) = nodes.place_inside(&what, (&standing.on, &standing.idle), (id, &job))
                    else {
                        return;
                    };
                    place
                }
            };
            on.iter().for_each(|&part| {
                standing.idle.remove(part);
            });
            inside.waiting.retain(|&other| other != id);
            site.machine_mut().give_back(&on);
            let started = site.machine_mut().start(id, job.procs, &on, Reason::Inside, now());
            assert!(started.is_ok(), "a job that waits starts on processors that are free");
            standing.shares.job_starts(site, &asked);
            site.starts_in_pools(id);
            if !gpus.is_empty() {
                site.record_mut().holds_gpus(id, gpus);
            }
            debug!(
                at = now().as_secs_f64(),
                job = job.number,
                number = what.number,
                "starts inside a reservation"
            );
            if let Some(mut explanation) = site.explanation() {
                explanation.starts(id, now(), Reason::Inside);
            }
            site.run(id);
            inside.running.insert(id, Running { which: (what.number, what.time), on });
        }
    }

    /// A job has left its processors: true if it ran inside a reservation, to which they go back.
    pub(super) fn ends_inside(&mut self, site: &mut Site<'_>, id: JobId) -> bool {
        let Some(running) = self.inside.running.remove(&id) else { return false };
        self.nodes.iter_mut().for_each(|nodes| nodes.leaves_inside(id));
        if site.state(id) == State::Expected {
            // its node failed: it waits here again
            self.inside.wait(id);
            self.inside.is_open = self.inside.users_cancel;
            if let Some(mut explanation) = site.explains(id) {
                explanation.note(WaitCause::Inside(running.which.0), now());
            }
        }
        let which = |what: &Reservation| (what.number, what.time);
        if let Some(standing) = self.begun.iter_mut().find(|one| which(&one.what) == running.which) {
            let on = site.machine().in_service(&running.on);
            site.machine_mut().take_away(&on);
            on.iter().for_each(|&part| {
                standing.idle.insert(part);
            });
            standing.shares.job_leaves(&site.asked_of_pools(id));
            standing.shares.feed(site);
        }
        self.serve_inside(site);
        true
    }

    /// Starts jobs inside reservations once those have given up whose users cancel them at this
    /// instant, as others are interrupted.
    pub(super) fn serve_after_cancellations(reserving: &Rc<RefCell<Self>>, site: &Site<'_>) {
        let reserving = Rc::clone(reserving);
        site.act_later(move |site| {
            let mut reserving = reserving.borrow_mut();
            reserving.inside.is_open = false;
            reserving.serve_inside(site);
            site.count_free();
        });
    }

    /// A reservation is over: jobs that are still inside it are killed, and those that no other can
    /// take are rejected.
    pub(super) fn end_all_inside(&mut self, site: &mut Site<'_>, what: &Reservation) {
        let own = |running: &Running| running.which == (what.number, what.time);
        let running = self.inside.running.iter();
        let inside: Vec<JobId> = running.filter(|(_, one)| own(one)).map(|(&id, _)| id).collect();
        for id in inside {
            self.inside.running.remove(&id);
            self.nodes.iter_mut().for_each(|nodes| nodes.leaves_inside(id));
            let number = site.number(id);
            debug!(at = now().as_secs_f64(), job = number, "is killed, as its reservation is over");
            site.kill(id);
        }
        self.reject_outside(site, |_| true);
    }

    /// Rejects the jobs, of those that are asked about, that wait for a reservation of which none
    /// that is to come can take them.
    fn reject_outside(&mut self, site: &mut Site<'_>, asked: impl Fn(JobId) -> bool) {
        let (inside, site_has) = (&mut self.inside, (self.nodes.as_ref(), &self.shares));
        let can_be = |id: JobId| {
            let (job, of_pools) = (site.job(id), site.asked_of_pools(id));
            inside.can_be(site_has, (id, &job, &of_pools), now())
        };
        let gone = |id: &&JobId| asked(**id) && !can_be(**id);
        let gone: Vec<JobId> = inside.waiting.iter().filter(gone).copied().collect();
        for id in gone {
            inside.waiting.retain(|&other| other != id);
            let number = site.number(id);
            debug!(at = now().as_secs_f64(), job = number, "rejected: no reservation can take it");
            site.reject(id, Reason::NoReservation);
        }
    }
}
