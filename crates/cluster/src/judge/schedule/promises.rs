//! The promises that a policy makes.
//!
//! A policy is known here by the names of its parts alone, as the resolved scenario has them. Every
//! promise is listed, also one that a schedule does not suffice to judge: [`judge`](super::judge())
//! says so and why.

use crate::kernel::SimDuration;
use crate::registry::definition::words;
use crate::workload::resources::Resources;

use super::{
    FeatureActs, Interruptions, LimitedQueues, Moldable, Order, OwnNodes, PoolSupply, PriorityRule,
    Reservations,
};

words! {
    /// Something that every schedule, or every schedule of some policies, keeps.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Promise {
        /// [`dependencies`](super::dependencies()).
        Dependencies = "dependencies", "no job starts before those have left that it depends on, and a job that cannot start any more is refused";
        /// [`cancellation`](super::cancellation()).
        Cancellation = "cancellation", "jobs are cancelled when their users want it, and no others";
        /// [`moldable`](super::moldable()).
        Moldable = "moldable", "moldable jobs have sizes that they can have, and run on them for as long as their law says";
        /// [`complete`](super::complete()).
        Complete = "complete", "the jobs are those of the workload, none lost, made up or refused without need";
        /// [`each_job`](super::each_job()).
        EachJob = "each-job", "each job starts after its submission, for its run time, on as many processors as it needs";
        /// [`limit`](super::limit()).
        Limit = "limit", "no job runs longer than it may, and one that is killed runs for just so long";
        /// [`work_adds_up`](super::work_adds_up).
        WorkAddsUp = "work-adds-up", "a job is interrupted only when a node of it fails, and then does again what it has not kept";
        /// [`in_service`](super::in_service).
        InService = "in-service", "no job is on a processor that is out of service";
        /// [`interrupted_by_maintenance`](super::interrupted_by_maintenance).
        Interrupted = "interrupted", "a job is interrupted only when maintenance begins that takes processors of it, and then begins again";
        /// Both of these, where nodes fail and processors are reserved.
        Interruptions = "interruptions", "a job is interrupted only when a node of it fails or maintenance begins that takes processors of it, and then does again what it has not kept";
        /// [`granted`](super::granted).
        Granted = "granted", "reservations have their processors from their beginnings, or while they lack some none is free";
        /// [`exclusive`](super::exclusive).
        Exclusive = "exclusive", "no job is on processors that are reserved";
        /// [`respects_reservations`](super::respects_reservations).
        Respected = "respected", "no job is started that by the estimates delays a known reservation";
        /// [`jobs_in_reservations`](super::jobs_in_reservations()).
        JobsInReservations = "jobs-in-reservations", "a job that is to run inside a reservation does so, and nowhere else";
        /// [`no_overlap`](super::no_overlap()), [`shared`](super::shared) or
        /// [`crowded`](super::crowded).
        NoOverlap = "no-overlap", "no processor is held by more jobs than it takes";
        /// [`on_nodes`](super::on_nodes()).
        OnNodes = "on-nodes", "nodes give no more memory and GPUs than they have, and only to jobs that may be there";
        /// [`on_own_nodes`](super::on_own_nodes()).
        OnOwnNodes = "on-own-nodes", "jobs of queues with nodes of their own are on these";
        /// [`in_pools`](super::in_pools).
        InPools = "in-pools", "no more of a pool is held than there is, and jobs ask for the amounts that the workload says";
        /// [`in_order`](super::in_order()).
        InOrder = "in-order", "nothing overtakes";
        /// [`nothing_fits`](super::nothing_fits()),
        /// [`nothing_fits_on`](super::nothing_fits_on).
        NothingFits = "nothing-fits", "no job waits while enough processors are free for it";
        /// [`head_starts`](super::head_starts).
        HeadStarts = "head-starts", "the head of the queue starts once it fits";
        /// [`queue_heads_start`](super::queue_heads_start).
        QueueHeads = "queue-heads", "the head of each of several queues that share nodes starts once it fits beside what is promised before it";
        /// [`shadow_time`](super::shadow_time).
        ShadowTime = "shadow-time", "the head of the queue starts at its first shadow time at the latest";
        /// [`reservation_promise`](super::reservation_promise()).
        ReservationPromise = "reservation-promise", "no job starts later than the reservation that it could get when it was submitted";
        /// [`acts_kept`](super::acts_kept).
        ActsKept = "acts-kept", "no job runs while a feature of another crate holds it, or has rejected it";
        /// Jobs that features are to hold are not known here.
        OwnFeatures = "own-features", "the promises of a feature of another crate";
        /// Queues keep their limits.
        Limits = "limits", "no queue exceeds its limits";
        /// Jobs get the sizes that the policy's rule gives.
        Sized = "sized", "each job is given the size that the rule of the policy gives it";
        /// Jobs get the processors that the policy's rule chooses.
        Placed = "placed", "each job is given the processors that the allocation chooses";
        /// Jobs have their time in slices of a matrix, whose rows take them in order.
        Slices = "slices", "each job has its run time in slices, and jobs start in order where rows have free columns";
        /// Tasks have processors when the scheme gives them, and jobs start in order.
        Scheme = "scheme", "tasks run when the scheme lets them, and jobs start in order where slots are free";
        /// Promises that are not known here.
        Own = "own", "the promises of a policy, queue or backfilling of another crate";
    }
}

/// The hold that the jobs of a schedule have on their processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holding {
    /// Each has its own.
    Alone,
    /// A processor takes this number at once.
    Shared(u32),
    /// So too, and jobs move: the schedule states where they were last.
    Moving(u32),
    /// Tasks leave their processors before their jobs end.
    Leaving,
}

/// Facts about a run besides its schedule.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub struct Facts<'a> {
    /// The kind of the policy.
    pub policy: &'a str,
    /// The discipline of its queue; empty if it has none.
    pub queue: &'a str,
    /// The rule by which jobs overtake; empty if it does not say.
    pub backfill: &'a str,
    /// Further rules of its decisions.
    pub decides: DecisionRules<'a>,
    /// Processors of the machine.
    pub procs: u32,
    /// The hold that jobs have on processors.
    pub holding: Holding,
    /// True if a job holds its processors for exactly its run time, whatever others do.
    pub rigid: bool,
    /// The time for which a job may go on after the time it requested, if it is killed then.
    pub grace: Option<SimDuration>,
    /// True if limits are of all runs of a job together, and not of each.
    pub limit_of_job: bool,
    /// The supply of nodes beyond processors and the demand of jobs, if they count.
    pub resources: Option<&'a Resources>,
    /// Rule of its queue, if that is by priority.
    pub priority: Option<&'a PriorityRule>,
    /// Queues of the policy, if there are any.
    pub limits: Option<&'a LimitedQueues>,
    /// Queues with nodes of their own, if there are any.
    pub own_nodes: Option<&'a OwnNodes>,
    /// Pools beside processors, if there are any.
    pub pools: Option<&'a PoolSupply>,
    /// True if jobs may depend on others.
    pub depends: bool,
    /// True if jobs before which others failed are held for ever.
    pub holds_failed: bool,
    /// True if jobs may be cancelled.
    pub cancellation: bool,
    /// Facts about nodes that failed, if nodes may fail.
    pub failing: Option<&'a Interruptions>,
    /// Sizes that jobs may be given and their run times, if they may be given other ones.
    pub moldable: Option<&'a Moldable>,
    /// Facts about reservations of processors, if there are any.
    pub reserved: Option<&'a Reservations>,
    /// Acts of features of another crate, if there are any.
    pub acts: Option<&'a FeatureActs>,
    /// True if the run was stopped with jobs in it.
    pub stopped: bool,
}

/// The decisions of a policy, beyond its queue and its rule of overtaking; a rule that it does not
/// state is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecisionRules<'a> {
    /// Instant at which it does.
    pub when: &'a str,
    /// Time that it takes jobs to run.
    pub estimates: &'a str,
    /// True if predictions that are outlasted are made longer.
    pub corrects: bool,
    /// Jobs of a queue that EASY promises a start.
    pub reservations: usize,
    /// The rule by which jobs get their sizes.
    pub molding: &'a str,
    /// In which order jobs may overtake.
    pub order: &'a str,
    /// Processors of jobs that outlast the shadow time.
    pub extra: &'a str,
    /// By what it is judged whether they do.
    pub judged_by: &'a str,
    /// Instant at which the reservation of the head is made.
    pub reservation: &'a str,
    /// Time for which a job past its estimate is taken to go on.
    pub overdue: &'a str,
}

impl DecisionRules<'_> {
    /// As the published rules do: once an instant, by requests.
    pub const PUBLISHED: DecisionRules<'static> = DecisionRules {
        when: "instant",
        estimates: "requested",
        corrects: false,
        reservations: 1,
        molding: "",
        order: "queue",
        extra: "count",
        judged_by: "estimate",
        reservation: "recomputed",
        overdue: "1ns",
    };

    /// Returns true if it goes by the times that jobs request, by those that they run, or by
    /// predictions that follow from the schedule.
    pub(super) fn known_estimates(&self) -> bool {
        matches!(self.estimates, "" | "requested" | "exact") || self.predicts() && !self.molds()
    }

    /// Returns true if it decides after each event, and not once when an instant is over.
    pub(super) fn by_event(&self) -> bool {
        self.when == "event"
    }

    /// Returns true if it goes by the last two run times of each user.
    pub(super) fn predicts(&self) -> bool {
        self.estimates == "last-two"
    }

    /// Returns true if sizes are other ones than jobs ask for.
    pub(super) fn molds(&self) -> bool {
        !matches!(self.molding, "" | "as-requested")
    }

    /// Returns true if sizes follow from forecasts.
    pub(super) fn forecasts_sizes(&self) -> bool {
        self.molding == "earliest-end"
    }

    /// Returns true if jobs overtake by their run times, and others are planned by estimates.
    pub(super) fn judges_by_run_times(&self) -> bool {
        self.judged_by == "run-time" && self.estimates != "exact"
    }
}

impl Facts<'_> {
    /// Returns true if jobs run in slices of a matrix.
    pub(super) fn in_slices(&self) -> bool {
        self.policy == "gang" && matches!(self.holding, Holding::Shared(_) | Holding::Moving(_))
    }

    /// Time for which a run of a job may last that has had processors for `held` before, if that is
    /// limited.
    pub(super) fn limit(&self, estimate: SimDuration, held: SimDuration) -> Option<SimDuration> {
        let limit = estimate.saturating_add(self.grace?);
        Some(if self.limit_of_job { limit.saturating_sub(held) } else { limit })
    }
}

impl Promise {
    /// The promises of a policy, in the order in which they are judged.
    pub(super) fn of(facts: &Facts<'_>) -> Vec<Promise> {
        let mut promises = Vec::new();
        promises.extend(facts.depends.then_some(Promise::Dependencies));
        promises.extend(facts.cancellation.then_some(Promise::Cancellation));
        promises.extend(facts.moldable.map(|_| Promise::Moldable));
        promises.push(Promise::Complete);
        match (facts.failing, facts.reserved) {
            (Some(_), Some(_)) => promises.push(Promise::Interruptions),
            (Some(_), None) => promises.push(Promise::WorkAddsUp),
            (None, Some(_)) => promises.push(Promise::Interrupted),
            (None, None) => {}
        }
        promises.push(Promise::EachJob);
        promises.extend(facts.grace.map(|_| Promise::Limit));
        promises.push(Promise::NoOverlap);
        promises.extend(facts.resources.map(|_| Promise::OnNodes));
        promises.extend(facts.own_nodes.map(|_| Promise::OnOwnNodes));
        promises.extend(facts.pools.map(|_| Promise::InPools));
        promises.extend(facts.failing.map(|_| Promise::InService));
        if facts.reserved.is_some() {
            promises.extend([Promise::Granted, Promise::Exclusive]);
            // slices tell no ends, so that a matrix plans around nothing
            promises.extend((facts.policy != "gang").then_some(Promise::Respected));
            let any = facts.reserved.is_some_and(|known| known.jobs_unknown || !known.inside.is_empty());
            promises.extend(any.then_some(Promise::JobsInReservations));
        }
        promises.extend(facts.acts.into_iter().flat_map(|_| [Promise::ActsKept, Promise::OwnFeatures]));
        if facts.limits.is_some_and(LimitedQueues::limit) {
            promises.push(Promise::Limits);
        }
        promises.extend(facts.decides.molds().then_some(Promise::Sized));
        Promise::of_order(facts, &mut promises);
        promises
    }

    /// The promises of which job starts when and where.
    fn of_order(facts: &Facts<'_>, promises: &mut Vec<Promise>) {
        match facts.policy {
            "space-sharing" => {}
            // at detail `job` the slices are gone through one by one with the other numbers of the
            // run
            "gang" if facts.holding != Holding::Leaving => return,
            "gang" => return promises.push(Promise::Slices),
            "coscheduling" => return promises.push(Promise::Scheme),
            _ => return promises.push(Promise::Own),
        }
        let orders = facts.own_nodes.map_or_else(|| vec![facts.queue], |own| own.orders(facts.queue));
        for promise in orders.into_iter().flat_map(|order| Promise::by_order(order, facts.backfill)) {
            if !promises.contains(promise) {
                promises.push(*promise);
            }
        }
        let share = facts.backfill == "easy" && facts.own_nodes.is_some_and(OwnNodes::share);
        promises.extend(share.then_some(Promise::QueueHeads));
        promises.push(Promise::Placed);
    }

    /// The promises to the jobs of a queue of this discipline under this rule of overtaking.
    pub(super) fn by_order(queue: &str, backfill: &str) -> &'static [Promise] {
        let ordered = Order::of(queue).is_some() || queue == "priority";
        match (queue, backfill) {
            (_, "none") if ordered => &[Promise::InOrder, Promise::HeadStarts],
            (_, "easy") if ordered => &[Promise::HeadStarts, Promise::ShadowTime],
            (_, "conservative") if ordered => &[Promise::ReservationPromise],
            ("first-fit" | "best-fit" | "worst-fit", _) => &[Promise::NothingFits],
            _ => &[Promise::Own],
        }
    }
}
