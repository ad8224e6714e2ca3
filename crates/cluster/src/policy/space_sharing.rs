//! Space sharing: a job has its processors to itself, from its start to its end.
//!
//! Once an instant that brought news, jobs are started as the queue discipline says, while it names
//! one; then the backfilling rule says which jobs may overtake a head that does not fit (MODELS
//! 2.2). With `queue = "fcfs"` and `backfill = "none"` this is plain first come, first served; with
//! `"easy"` it is EASY. The reservation of EASY goes to the job that is the head when it is made:
//! under `sjf`, a shorter job that arrives later takes the head's place, and its reservation with
//! it. With `"conservative"` every job has a reservation, in the order in which the queue was when
//! it came, and the rule decides about all starts. Disciplines that start whatever fits leave
//! backfilling nothing to do, nor could it keep a promise under them, so the two together are
//! refused.
//!
//! `estimates` says how long jobs are taken to run, by the queue and by backfilling alike. `queues`
//! are limits that hold jobs back or reject them. `decide` is for comparing with programs that
//! decide after every event of an instant.
//!
//! | like | is |
//! |---|---|
//! | EASY++ | `estimates = "last-two"`, `backfill = "easy-sjbf"` |
//! | CQSim, EASY | `decide = "event"`, `backfill = { kind = "easy", judged-by = "run-time" }` |
//! | AccaSim, EASY | `backfill = { kind = "easy", head-reservation = "kept", extra = "all" }` |
//!
//! EASY++ (Tsafrir, Etsion, Feitelson 2007) is the preset `easy-plus-plus`. In AccaSim 1.1.3, a
//! head on an idle machine waits there for the next submission.

use async_trait::async_trait;

use crate::batch::Obstacle;
use crate::batch::backfill::{Change, Decides, NodesNow, Picked, View};
use crate::batch::molding::When;
use crate::batch::node_resources::Reservation;
use crate::batch::queue::Waiting;
use crate::collections::IntervalSet;
use crate::instrument::Reason;
use crate::instrument::explanation::{Of, Shortage, WaitCause};
use crate::kernel::now;
use crate::registry::{Entry, Key, Preset, choices, entry, presets};

use super::batch_scheduler::BatchScheduler;
use super::components::Components;
use super::earlier_runs::queued;
use super::feature::{Feature, Refusal};
use super::{FrontEnd, News, Policy, PolicyError, SiteEvent, why};

/// Keys of its components, with that of the time of decisions before those of places.
const KEYS: [Key; Components::KEYS.len() + 1] = {
    let (before, last) = Components::KEYS.split_at(5);
    let decide = Key::new("decide", Decide::CHOICES).or("instant").about("when jobs are chosen to start");
    Key::joined(&[before, &[decide], last])
};

pub(super) const ENTRY: Entry<dyn Policy> = entry! {
    "space-sharing" =>
        "jobs have their processors to themselves and start in queue order, others overtaking by rule",
    source "D. A. Lifka, JSSPP 1995; A. W. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001; queues: ClusterSchedSim, SIMULATION 80(4-5), 2004",
    keys &KEYS,
    reads |params| SpaceSharing {
        components: Some(Components::read(params)?),
        decide: params.read("decide")?,
    }
};

/// The published disciplines and rules of backfilling as policies of their own names.
pub(super) const PRESETS: &[Preset] = &presets! { "space-sharing":
    "best-fit" ("queue" = "best-fit", "backfill" = "none") =>
        "space sharing; of the jobs that fit, the one that leaves fewest processors free starts";
    "conservative" ("backfill" = "conservative") =>
        "space sharing, first come first served with conservative backfilling: every job has a reservation";
    "easy" ("backfill" = "easy") => "space sharing, first come first served with EASY backfilling";
    "easy-plus-plus" ("backfill" = "easy-sjbf", "estimates" = "last-two") =>
        "EASY++: EASY by corrected predictions from the user's last two run times, the shortest job overtaking first";
    "fcfs" ("backfill" = "none") => "space sharing, first come first served; nothing overtakes";
    "first-fit" ("queue" = "first-fit", "backfill" = "none") =>
        "space sharing; the earliest job that fits starts, whichever jobs wait before it";
    "largest" ("queue" = "largest", "backfill" = "none") =>
        "space sharing, the job that needs most processors first; nothing overtakes";
    "sjf" ("queue" = "sjf", "backfill" = "none") =>
        "space sharing, shortest job first by estimates; nothing overtakes";
    "smallest" ("queue" = "smallest", "backfill" = "none") =>
        "space sharing, the job that needs fewest processors first; nothing overtakes";
    "worst-fit" ("queue" = "worst-fit", "backfill" = "none") =>
        "space sharing; of the jobs that fit, the one that leaves most processors free starts";
};

choices! {
    /// Time at which jobs are chosen to start.
    enum Decide {
        Instant = "instant", "once an instant, when everything that happens in it has happened";
        Event = "event", "after each end and each submission of an instant, ends first, as CQSim does";
    }
}

#[derive(Debug)]
struct SpaceSharing {
    /// Until the run begins.
    components: Option<Components>,
    decide: Decide,
}

#[async_trait(?Send)]
impl Policy for SpaceSharing {
    fn name(&self) -> &'static str {
        "space-sharing"
    }

    fn refuses(&self, asked: &[Feature]) -> Vec<Refusal> {
        let rule = self.components.as_ref().map(|components| components.backfill.capabilities());
        Refusal::of(asked, |feature| match feature {
            Feature::Resources if rule.is_some_and(|rule| !rule.on_nodes) => {
                Some("has a rule of backfilling that counts processors, and knows no nodes")
            }
            Feature::JointQueues if rule.is_some_and(|rule| !rule.joins_queues) => Some(
                "has a rule of backfilling with one promise, to one head: `extra` and `head-reservation` of `easy` \
                 go with queues that share no nodes",
            ),
            Feature::Reservations if rule.is_some_and(|rule| !rule.plans_around) => Some(
                "has a rule of backfilling that does not plan around reservations of processors: `none`, `conservative` and `easy` do",
            ),
            Feature::DetailJob
            | Feature::DetailTask
            | Feature::Resources
            | Feature::JointQueues
            | Feature::Failures
            | Feature::Reservations
            | Feature::AdvanceReservations
            | Feature::ReservedPools
            | Feature::Pools
            | Feature::TakeOver => None,
        })
    }

    fn molds(&self) -> bool {
        self.components.as_ref().is_some_and(|components| components.molding.when() != When::Never)
    }

    async fn run(&mut self, front: FrontEnd) -> Result<(), PolicyError> {
        let Some(components) = self.components.take() else { return Ok(()) };
        let mut scheduler = BatchScheduler::new(front, components);
        while let Some(news) = scheduler.news().await {
            match self.decide {
                Decide::Instant => {
                    scheduler.take(news)?;
                    scheduler.decide()?;
                }
                Decide::Event => one_by_one(&mut scheduler, news)?,
            }
        }
        scheduler.close();
        Ok(())
    }
}

/// Decides after each end and each job that comes; the processors of jobs whose ends are still to
/// be reported count as held. All else that happens at the instant is known to its first decision,
/// for the machine is as it leaves it; where it changes capacity, it is one event with the ends of
/// the instant, whose processors may be gone by it.
fn one_by_one(scheduler: &mut BatchScheduler, news: News) -> Result<(), PolicyError> {
    let events: Vec<SiteEvent> = news.into_iter().collect();
    let ended = |event: &SiteEvent| if let &SiteEvent::Ended(id) = event { Some(id) } else { None };
    // a job cancelled at this instant is not started at it
    let keeps_capacity = |event: &SiteEvent| {
        matches!(
            event,
            SiteEvent::Ended(_)
                | SiteEvent::Left(_)
                | SiteEvent::Withdrawn(_)
                | SiteEvent::Arrived(_)
                | SiteEvent::Due(_)
        )
    };
    let changes = scheduler.lacks_reserved() || !events.iter().all(keeps_capacity);
    let (first, events): (Vec<_>, Vec<_>) = events.into_iter().partition(|event| match event {
        SiteEvent::Ended(_) => changes,
        SiteEvent::Left(_) | SiteEvent::Arrived(_) | SiteEvent::Due(_) => false,
        _ => true,
    });
    scheduler.hide(events.iter().filter_map(ended));
    first.into_iter().try_for_each(|event| scheduler.hear(event))?;
    if changes || events.is_empty() {
        scheduler.decide()?;
    }
    for event in events {
        ended(&event).into_iter().for_each(|id| scheduler.reveal(id));
        scheduler.hear(event)?;
        scheduler.decide()?;
    }
    Ok(())
}

impl BatchScheduler {
    /// Starts the jobs that are to start now.
    ///
    /// # Errors
    /// What the front end refused.
    pub fn decide(&mut self) -> Result<(), PolicyError> {
        if self.reserves {
            self.plan_around();
        }
        self.serve_due()?;
        self.touch_due();
        if self.components.limits.count_nodes() {
            self.components.limits.look_again(&mut self.turns);
            self.release();
        }
        // a start may let a job into a queue, or take one out, of another division too
        while self.enter_next() {
            self.settled();
            self.serve()?;
        }
        self.lifted.clear();
        self.returned = 0;
        self.explain();
        Ok(())
    }

    fn serve(&mut self) -> Result<(), PolicyError> {
        if self.components.estimates.corrects() {
            self.correct();
        }
        if self.components.discipline.moves() {
            self.sort_again();
        }
        if self.rule.decides != Decides::Everything {
            loop {
                if self.components.molding.when() == When::Start {
                    self.fit_head()?;
                }
                let Some((next, alongside)) = self.next_by_discipline() else { break };
                let reason = self.queue.reason(next.job);
                let _started = self.launch(next, alongside.as_ref(), reason)?;
            }
        }
        if self.rule.decides == Decides::Nothing {
            return Ok(());
        }
        let (jobs, mut asked) = (self.front.jobs(), false);
        // the turn may come to another job than the head
        let fits_again = self.components.molding.when() == When::Start && self.front.interrupts();
        while !self.queue.is_empty() {
            if asked && fits_again {
                self.fit_head()?;
            }
            let mut picks = std::mem::take(&mut self.picks);
            picks.again = false;
            let view = View {
                planned: &self.planned,
                nodes: self.nodes.as_ref().map(|resources| NodesNow { resources, jobs: &jobs }),
                queues: self.divisions.joint(),
                pools: self.pools.as_ref(),
                again: std::mem::replace(&mut asked, true),
                ..View::new(now(), self.free(), &self.queue, &self.running)
            };
            self.components.backfill.pick(&view, &mut picks);
            let mut again = (picks.again || fits_again) && !picks.jobs.is_empty();
            for Picked { waiting: job, reason } in picks.jobs.drain(..) {
                // the start of one job may be what keeps another back by a limit
                if !self.components.limits.is_empty() && !self.places.contains_key(&job.job) {
                    again = true;
                    continue;
                }
                let first = self.queue.starts_with(job.job);
                let alongside = picks.alongside.take();
                again |= !self.launch(job, alongside.as_ref(), if first { Reason::Head } else { reason })?;
            }
            self.moved += std::mem::take(&mut picks.moved);
            self.picks = picks;
            if !again {
                break;
            }
        }
        Ok(())
    }

    /// Job that is next by the discipline; where nodes are reserved, with the parts of nodes that
    /// it may have.
    pub(super) fn next_by_discipline(&self) -> Option<(Waiting, Option<Reservation>)> {
        let next = match (&self.nodes, self.planned.is_empty()) {
            (Some(resources), true) => self.next_on_nodes(resources),
            (Some(resources), false) => return self.next_on_reserved_nodes(resources),
            (None, true) if self.pools.is_none() => self.components.discipline.next(&self.queue, self.free()),
            (None, _) => self.next_around_reservations(),
        };
        next.map(|next| (next, None))
    }

    /// Starts a job that waits: on nodes, next to a reservation if one is given. Returns false if a
    /// limit of nodes holds it back.
    pub(super) fn launch(
        &mut self,
        waiting: Waiting,
        alongside: Option<&Reservation>,
        reason: Reason,
    ) -> Result<bool, PolicyError> {
        let Some(mut resources) = self.nodes.take() else {
            return self.start(waiting, None, reason).map(|()| true);
        };
        let started = self.start_within_limits(&mut resources, waiting, alongside, reason);
        if matches!(started, Ok(true)) {
            let placed = Change::Placed { job: waiting, now: now(), nodes: &resources };
            self.components.backfill.note(placed);
        }
        self.nodes = Some(resources);
        started
    }

    /// Starts a job that waits, on processors of `among`, or of all that are free.
    ///
    /// # Errors
    /// The start is not lawful.
    pub fn start(
        &mut self,
        waiting: Waiting,
        among: Option<&IntervalSet>,
        reason: Reason,
    ) -> Result<(), PolicyError> {
        self.take_processors(waiting, among, reason)?;
        self.has_started(waiting.job, None);
        Ok(())
    }

    /// Starts a job that waits; limits and charges are told by [`BatchScheduler::has_started`].
    pub(super) fn take_processors(
        &mut self,
        waiting: Waiting,
        among: Option<&IntervalSet>,
        reason: Reason,
    ) -> Result<(), PolicyError> {
        let id = waiting.job;
        let reason = if self.lifted.contains(&id) { Reason::LimitLifted } else { reason };
        let reason =
            if self.returned > 0 { self.after_reservation(&waiting).unwrap_or(reason) } else { reason };
        if self.explains_at_hand() {
            why::note_start(&self.front, &self.queue, &waiting, 1);
        } else if let Some(mut explanation) = why::waits(&self.front) {
            explanation.is_apart(id);
        }
        self.queue.remove(&waiting);
        self.front.start_among(id, among, &*self.components.allocation, reason)?;
        let end = now().saturating_add(waiting.estimate);
        self.runs_until(id, waiting.procs, end);
        self.pools.iter_mut().for_each(|pools| pools.starts(id, end));
        self.note(Change::Started(waiting));
        if self.places_kept {
            self.places.remove(&id);
        }
        Ok(())
    }

    /// Gives longer estimates to jobs that outlast theirs at this instant.
    fn correct(&mut self) {
        for (id, procs) in self.running.ending(now()) {
            let Some(known) = self.estimated.get_mut(&id) else { continue };
            let job = self.front.job(id);
            let Some(longer) = self.components.estimates.corrected(&job, known.estimate, known.corrections)
            else {
                continue;
            };
            (known.estimate, known.corrections) = (longer, known.corrections + 1);
            known.as_asked = self.front.as_asked(id, longer);
            let to = self.front.start_time(id).saturating_add(self.estimate(id));
            self.running.remove(id, procs, now());
            self.runs_until(id, procs, to);
            self.pools.iter_mut().for_each(|pools| pools.extends(id, now(), to));
            self.note(Change::Extended { job: id, procs, from: now(), to });
        }
    }

    /// Puts the queue into order again, if it is time.
    fn sort_again(&mut self) {
        let Some(ranking) = self.components.discipline.ranking().filter(|_| !self.queue.is_empty()) else {
            return;
        };
        if !ranking.due(now()) {
            return;
        }
        let (front, limits, interrupted) = (&self.front, &self.components.limits, &self.interrupted);
        self.queue.sort_again(|waiting| {
            let job = queued(front, interrupted, waiting.job);
            ranking.key(now(), &job, waiting.estimate, limits.priorities(&job))
        });
        if self.places_kept {
            self.places.extend(self.queue.iter().map(|&waiting| (waiting.job, waiting)));
        }
        if self.rule.follows {
            self.components.backfill.note(Change::Sorted(&self.queue));
        }
    }

    /// Explains what keeps the job back that is asked about, if one is.
    fn explain(&mut self) {
        let asked = why::waits(&self.front).map(|explanation| explanation.job());
        if let Some(id) = asked {
            self.enter(self.divisions.of(id));
        }
        let held = asked.and_then(|id| {
            let job = self.front.job(id);
            let (limit, queue) = self.components.limits.holds_back(id, &job)?;
            Some((limit, queue.to_owned()))
        });
        if let (Some((limit, queue)), Some(mut explanation)) = (held, why::waits(&self.front)) {
            return explanation.note(WaitCause::Limit(format!("{limit} ({queue})")), now());
        }
        let kept = if self.planned.is_empty() { None } else { self.kept_by_reservation() };
        if let (Some(cause), Some(mut explanation)) = (kept, why::waits(&self.front)) {
            return explanation.note(cause, now());
        }
        let (any, jobs) = (self.components.discipline.overtakes(), self.front.jobs());
        let view = View {
            planned: &self.planned,
            nodes: self.nodes.as_ref().map(|resources| NodesNow { resources, jobs: &jobs }),
            queues: self.divisions.joint(),
            pools: self.pools.as_ref(),
            ..View::new(now(), self.free(), &self.queue, &self.running)
        };
        let obstacle = |head: &Waiting, own: &Waiting| match self.rule.decides {
            Decides::Nothing if self.nodes.is_some() && head.job == own.job => Obstacle::Unknown,
            Decides::Nothing => Obstacle::Order,
            _ => match self.components.backfill.obstacle(&view, own) {
                Obstacle::Short => self.short_of_pool(own).unwrap_or(Obstacle::Short),
                other => other,
            },
        };
        let own = self.own_queue(asked);
        let queue = own.as_ref().unwrap_or(&self.queue);
        match &self.nodes {
            Some(resources) => {
                let shortage = |waiting: &Waiting| {
                    let of_nodes = || self.shortage_on_nodes(resources, waiting);
                    self.shortage_in_pools(waiting).unwrap_or_else(of_nodes)
                };
                why::explain_by(&self.front, queue, any, shortage, obstacle);
            }
            None if self.pools.is_some() => {
                let shortage = |waiting: &Waiting| {
                    let (need, free) = (u64::from(waiting.procs), view.free);
                    self.shortage_in_pools(waiting).unwrap_or(Shortage { need, free, of: Of::Processors })
                };
                why::explain_by(&self.front, queue, any, shortage, obstacle);
            }
            None => {
                let free = why::Free { count: view.free, of: Of::Processors, any };
                why::explain(&self.front, &self.queue, free, obstacle);
            }
        }
    }
}
