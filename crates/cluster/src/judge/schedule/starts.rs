//! The starts of a schedule: whether limits of queues let them through, and whether they keep what
//! is promised by the order of the queue and the rule of overtaking.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::collections::{OrderedMap, StableSort as _};
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::workload::resources::Resources;

use super::changes::{changes, estimated_end};
use super::divisions::Division;
use super::judge::{AHEAD, CUT, JOBS_INSIDE, PREDICTED, RESIZED, STOPPED, is_cut};
use super::reservation_promise::{reservation_promise_among, reservation_promise_in};
use super::runs::runs_within;
use super::{
    Charges, Facts, HeldBack, Interruptions, Judgement, LimitCounts, LimitTurn, LimitedQueues, NodeSupply,
    Order, Predictions, PriorityOrder, Promise, QueueHead, Reservations, RoomThen, Row, ScheduledJobs,
    SharingQueues, Submitted, Supply, Violation, corrected, head_starts, head_starts_on_nodes, held_back,
    in_the_order_by, nothing_fits_on, nothing_fits_on_nodes, predicted, predictions, queue_heads_start,
    shadow_time, shadow_time_on_nodes, violation_of,
};

const IN_SLICES: &str = "jobs have their time in slices, and limits are gone through with these";
const OF_QUEUES: &str = "which jobs are of which queue is not known";
const EVENTS: &str = "the policy decides after each event, and which jobs of a user are considered hangs on the \
    order of the events of an instant, which is not in the schedule";
const OTHER_ORDER: &str = "the order of the queue is not known here";

/// A run whose starts are judged, apart from its schedule.
pub(super) struct JudgedStarts<'a> {
    facts: &'a Facts<'a>,
    reserved: &'a Reservations,
    interrupted: &'a Interruptions,
    /// The jobs of the workload, or why they are not known.
    jobs: Result<Submitted<'a>, &'static str>,
    found: FoundOnce,
}

/// Answers that are the same for each promise, once one has asked for them.
#[derive(Default)]
struct FoundOnce {
    turns: OnceCell<LimitsOverTime>,
    predictions: OnceCell<Result<Option<Predictions>, &'static str>>,
}

/// Outcome of limits of queues.
#[derive(Default)]
struct LimitsOverTime {
    /// Instants at which they turned, by the job and the start of its run.
    turns: OrderedMap<(JobId, SimTime), Vec<LimitTurn>>,
    /// Starts that they did not let through.
    violations: Vec<Violation>,
}

/// Runs of the whole machine.
struct MachineRuns<'a> {
    /// All runs of all jobs outside reservations.
    rows: Cow<'a, [Row]>,
    jobs: Option<Submitted<'a>>,
    limits: &'a LimitsOverTime,
    refused: &'a [Row],
    /// True if queues that share no node are judged apart.
    is_divided: bool,
    /// Times that the policy predicts jobs to run, if it does.
    predictions: Option<&'a Predictions>,
}

impl<'a> JudgedStarts<'a> {
    /// The starts of a run, with what was reserved and interrupted, and its jobs or why these are
    /// not known.
    pub(super) fn new(
        facts: &'a Facts<'a>,
        (reserved, interrupted): (&'a Reservations, &'a Interruptions),
        jobs: Result<Submitted<'a>, &'static str>,
    ) -> Self {
        JudgedStarts { facts, reserved, interrupted, jobs, found: FoundOnce::default() }
    }

    /// Times that the policy predicts jobs to run, if it goes by them.
    fn predict(&self, schedule: &ScheduledJobs) -> Result<Option<&Predictions>, &'static str> {
        let predict = || {
            if !self.facts.decides.predicts() {
                return Ok(None);
            }
            let jobs = if self.facts.stopped { Err(STOPPED) } else { self.jobs }?;
            let rows = considered(schedule);
            predictions(&self.reserved.outside(&rows), self.interrupted, jobs).map(Some)
        };
        self.found.predictions.get_or_init(predict).as_ref().map(Option::as_ref).map_err(|why| *why)
    }

    /// The schedule with the times that the policy takes jobs to run, where it plans with them
    /// around reservations.
    pub(super) fn believed<'r>(
        &self,
        promise: Promise,
        schedule: &'r ScheduledJobs,
    ) -> Result<Cow<'r, ScheduledJobs>, &'static str> {
        let all = if promise == Promise::Respected { self.predict(schedule)? } else { None };
        let Some(all) = all else { return Ok(Cow::Borrowed(schedule)) };
        let mut believed = schedule.clone();
        predicted(&mut believed.ran, all);
        predicted(&mut believed.cancelled, all);
        Ok(Cow::Owned(believed))
    }

    /// Judges limits of queues, or the order of starts.
    pub(super) fn judge(&self, promise: Promise, schedule: &ScheduledJobs) -> Judgement {
        if promise == Promise::Limits { self.limits(schedule) } else { self.order(promise, schedule) }
    }

    /// Runs of the whole machine, and what limits make of them.
    fn machine<'r>(&'r self, schedule: &'r ScheduledJobs) -> Result<MachineRuns<'r>, &'static str>
    where
        'a: 'r,
    {
        let facts = self.facts;
        let rows = match considered(schedule) {
            Cow::Borrowed(rows) => self.reserved.outside(rows),
            Cow::Owned(rows) => Cow::Owned(self.reserved.outside(&rows).into_owned()),
        };
        let rows = runs_within(rows, self.interrupted, false, |estimate, held| facts.limit(estimate, held));
        let limits = self.found.turns.get_or_init(|| self.limits_over_time(&rows));
        let predictions = self.predict(schedule)?;
        let (jobs, refused) = (self.jobs.ok(), &schedule.refused[..]);
        Ok(MachineRuns { rows, jobs, limits, refused, is_divided: false, predictions })
    }

    /// Outcome of limits for all runs of all jobs.
    fn limits_over_time(&self, rows: &[Row]) -> LimitsOverTime {
        let facts = self.facts;
        let queues = facts.limits.filter(|queues| queues.hold());
        let Some((queues, jobs)) = queues.zip(self.jobs.ok()) else { return LimitsOverTime::default() };
        let mut counts = LimitCounts::new(facts.limits, facts.resources);
        let order = self.interrupted_in_order();
        let interrupted = |row: &Row| order.get(&(row.number, row.start, row.end)).copied();
        let nodes = facts.resources.filter(|_| queues.count_nodes());
        let mut room = nodes.map(|resources| RoomThen::new(rows, self.nodes(resources)));
        let gains = room.as_ref().map_or_else(Vec::new, |room| room.gains().collect());
        let has_room = |at, row: &Row| room.as_mut().is_none_or(|room| room.has(at, row));
        let by_event = facts.decides.by_event();
        let HeldBack { turns, violations } =
            held_back(rows, (queues, by_event), jobs, |row| counts.of(row), interrupted, (gains, has_room));
        let own = rows.iter().zip(turns).filter(|(_, turns)| !turns.is_empty());
        let turns = own.filter_map(|(row, turns)| Some(((row.job?, row.start), turns))).collect();
        LimitsOverTime { turns, violations }
    }

    /// The nodes, and what has some of them apart from jobs.
    fn nodes<'r>(&'r self, resources: &'r Resources) -> NodeSupply<'r> {
        let away = self.facts.failing.map_or(&[][..], |known| &known.away);
        let (reserved, pools) = (self.reserved.nodes.as_ref(), self.facts.pools);
        NodeSupply { resources, away, reserved, pools }
    }

    /// Places of the ends of runs that were interrupted, and of the waits of their jobs from then
    /// on, in the order in which they come.
    fn interrupted_in_order(&self) -> OrderedMap<(u64, SimTime, SimTime), (usize, usize)> {
        // features of another crate hear of all of them first
        let all = self.interrupted.attempts.iter().filter(|_| self.facts.acts.is_none());
        // forecasts are made once all have left; else each waits before the next is interrupted
        let behind = if self.facts.decides.forecasts_sizes() { self.interrupted.attempts.len() } else { 0 };
        let places = |place| (place, place + behind);
        all.enumerate().map(|(place, one)| ((one.number, one.start, one.end), places(place))).collect()
    }

    /// Judges whether limits of queues are kept.
    fn limits(&self, schedule: &ScheduledJobs) -> Judgement {
        if self.facts.policy != "space-sharing" {
            return Err(IN_SLICES);
        }
        let jobs = if self.facts.stopped { Err(STOPPED) } else { self.jobs }?;
        let mut found = self.machine(schedule)?.limits.violations.clone();
        let queues = self.facts.limits.into_iter();
        let ran = || {
            let all = schedule.ran.iter().chain(&schedule.cancelled);
            let waited = |row: &&Row| !row.on.is_empty() || row.considered < row.end;
            all.filter(waited).filter(|row| self.reserved.of(row).is_none())
        };
        let mut counts = LimitCounts::new(self.facts.limits, self.facts.resources);
        for queues in queues {
            found.extend(ran().filter_map(|row| {
                let (queue, what) = queues.forbids(jobs.of(row)?.1, row, |row| counts.needed(row))?;
                let what = format!("it is let in, though queue `{queue}` grants at most {what}");
                Some(violation_of(row, row.considered, what))
            }));
        }
        Ok(found)
    }

    /// Judges the order of starts, if it can be judged.
    fn order(&self, promise: Promise, schedule: &ScheduledJobs) -> Judgement {
        let (facts, known) = (self.facts, self.jobs.is_ok());
        let why_not = match () {
            () if facts.stopped => Some(STOPPED),
            () if facts.depends && !known => Some("which jobs depend on which is not known"),
            () if self.reserved.jobs_unknown => Some(JOBS_INSIDE),
            () if facts.limits.is_some_and(LimitedQueues::hold) && !known => Some(OF_QUEUES),
            () if facts.decides.by_event() && facts.limits.is_some_and(LimitedQueues::in_turns) => {
                Some(EVENTS)
            }
            () if self.interrupted.acts.start_jobs() => Some(AHEAD),
            () if facts.own_nodes.is_some() && !known => Some(OF_QUEUES),
            () => None,
        };
        why_not.map_or(Ok(()), Err)?;
        let rows = considered(schedule);
        let machine = self.machine(schedule)?;
        let Some(own) = facts.own_nodes else {
            let (order, priority) = (facts.queue, facts.priority);
            let one = Division { rows, order, priority, members: Vec::new() };
            return self.in_division(promise, &one, &machine, None);
        };
        // each division as if it were alone
        let (mut found, mut why_not) = (Vec::new(), None);
        let parts = own.parts(&rows, (facts.queue, facts.priority));
        let machine = MachineRuns { is_divided: parts.len() > 1, ..machine };
        for division in &parts {
            let is_promised = match promise {
                Promise::QueueHeads => division.members.len() > 1,
                _ => Promise::by_order(division.order, facts.backfill).contains(&promise),
            };
            if is_promised {
                match self.in_division(promise, division, &machine, Some(&rows)) {
                    Ok(violations) => found.extend(violations),
                    Err(why) => why_not = Some(why),
                }
            }
        }
        why_not.filter(|_| found.is_empty()).map_or(Ok(found), Err)
    }

    /// The same in a division of the machine; `others` are the rows of all, if there are more.
    fn in_division(
        &self,
        promise: Promise,
        division: &Division<'_>,
        machine: &MachineRuns<'_>,
        others: Option<&[Row]>,
    ) -> Judgement {
        let facts = &Facts { queue: division.order, priority: division.priority, ..*self.facts };
        let reserved = self.reserved;
        not_by_rule(promise, facts).map_or(Ok(()), Err)?;
        let by_estimates =
            matches!(promise, Promise::ShadowTime | Promise::ReservationPromise | Promise::QueueHeads);
        // by them it is seen as well which jobs delay reservations of processors
        let by_run_time = facts.priority.is_some_and(|rule| rule.run_time.abs() > 0.0);
        let estimates_count = by_estimates || facts.queue == "sjf" || by_run_time || facts.reserved.is_some();
        let (interrupted, exact) = (self.interrupted, facts.decides.estimates == "exact");
        let mut rows = reserved.outside(&division.rows);
        if exact && estimates_count && rows.iter().any(|row| is_cut(row, interrupted)) {
            return Err(CUT);
        }
        let predictions = machine.predictions;
        if let Some(all) = predictions {
            predicted(rows.to_mut(), all);
        }
        let mut rows = runs_within(rows, interrupted, exact, |estimate, held| facts.limit(estimate, held));
        let mut outlasted = Vec::new();
        if let Some((all, jobs)) = predictions.zip(machine.jobs) {
            // limits are of what was requested
            let requested = |row: &Row, held| {
                let request = jobs.of(row)?.1.estimate;
                Some((request, facts.limit(request, held)))
            };
            outlasted = corrected(rows.to_mut(), interrupted, all, facts.decides.corrects, requested);
        }
        if !machine.limits.turns.is_empty() {
            let turns = |row: &Row| machine.limits.turns.get(&(row.job?, row.start)).cloned();
            rows.to_mut().iter_mut().for_each(|row| row.turns = turns(row).unwrap_or_default());
        }
        let ranking = facts.priority.zip(machine.jobs).map(|(rule, jobs)| {
            let decisions = self.decisions(&rows, division, machine, outlasted);
            let charges = Charges::new(&rule.charge, facts.resources, facts.pools);
            PriorityOrder::new(
                rule,
                &machine.rows,
                (jobs, facts.limits),
                (facts.procs, |row: &Row| charges.of(row)),
                decisions,
            )
        });
        let order = match &ranking {
            Some(ranking) => Order::Priority(ranking),
            None => Order::of(facts.queue).unwrap_or(Order::Submission),
        };
        let mut found = self.on_supply(promise, facts, (&rows, order), others);
        // a prediction that is outlasted is made longer, and may leave no room before a reservation
        let fits = matches!(promise, Promise::HeadStarts | Promise::NothingFits);
        if fits && predictions.is_some() && facts.reserved.is_some() {
            let outlasts = |row: &Row, at| row.start <= at && at < row.end && estimated_end(row) <= at;
            found.retain(|one| !rows.iter().any(|row| outlasts(row, one.at)));
        }
        Ok(found)
    }

    /// The same of all runs in an order, by what there is.
    fn on_supply(
        &self,
        promise: Promise,
        facts: &Facts<'_>,
        (rows, order): (&[Row], Order<'_>),
        others: Option<&[Row]>,
    ) -> Vec<Violation> {
        let (reserved, counts) = (self.reserved, promise != Promise::InOrder);
        let away = facts.failing.map_or(&[][..], |known| &known.away);
        let head = QueueHead::of(facts.backfill);
        if let Some(resources) = facts.resources.filter(|_| counts) {
            let supply = self.nodes(resources);
            let machine = others.unwrap_or(rows);
            let (promises, by_event) = (facts.decides.reservations, facts.decides.by_event());
            let queues = SharingQueues { rows, machine, order, promises, by_event };
            return match promise {
                Promise::QueueHeads => queue_heads_start(queues, supply),
                Promise::HeadStarts => head_starts_on_nodes(rows, supply, order, head),
                Promise::ShadowTime => shadow_time_on_nodes(rows, supply, order),
                Promise::ReservationPromise => {
                    reservation_promise_among((rows, order, by_event), machine, supply)
                }
                _ => nothing_fits_on_nodes(rows, supply),
            };
        }
        let (without, pools) = (reserved.without(away), facts.pools);
        let supply = Supply { away, without: &without, pools, ..Supply::reserved(facts.procs, reserved) };
        match promise {
            Promise::InOrder => in_the_order_by(rows, order, facts.decides.by_event()),
            Promise::HeadStarts => head_starts(rows, supply, order, head),
            Promise::ShadowTime => shadow_time(rows, supply, order),
            Promise::ReservationPromise => {
                reservation_promise_in((rows, order, facts.decides.by_event()), supply)
            }
            _ => nothing_fits_on(rows, supply),
        }
    }

    /// Instants at which the policy decides about a division, in order: when something happens to a
    /// job of it, or to the machine, and when predictions were outlasted; where the machine is not
    /// divided, to any job that the policy hears of.
    fn decisions(
        &self,
        rows: &[Row],
        division: &Division<'_>,
        machine: &MachineRuns<'_>,
        outlasted: Vec<SimTime>,
    ) -> Vec<SimTime> {
        let (facts, reserved) = (self.facts, self.reserved);
        let mut all = outlasted;
        all.extend(changes(rows).into_iter().map(|(at, ..)| at));
        let rest = facts.own_nodes.map_or(0, |own| own.queues.len());
        let is_here = |row: &&Row| {
            !machine.is_divided || division.members.contains(&row.queue.map_or(rest, usize::from))
        };
        // it hears of these before it rejects them
        let heard = |row: &&Row| {
            row.procs <= facts.procs
                && facts.pools.is_none_or(|pools| pools.could_take(row))
                && reserved.of(row).is_none()
                && self.interrupted.acts.rejected((row.number, row.submit_time)).is_none()
        };
        all.extend(machine.refused.iter().filter(is_here).filter(heard).map(|row| row.considered));
        all.extend(self.interrupted.away.iter().flat_map(|away| [away.from, away.to]));
        for one in &reserved.requested {
            all.extend([one.known, one.to]);
            all.extend((!machine.is_divided).then_some(one.from));
        }
        if facts.pools.is_some() {
            // others may wait for what one had that ran
            all.extend(machine.rows.iter().filter(|row| !row.on.is_empty()).map(|row| row.end));
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Reason that the rule of the policy cannot be held against a schedule, if it cannot.
fn not_by_rule(promise: Promise, facts: &Facts<'_>) -> Option<&'static str> {
    let decides = &facts.decides;
    if promise == Promise::NothingFits {
        return (facts.reserved.is_some() && !decides.known_estimates()).then_some(PREDICTED);
    }
    // the turn may come to others than the head, by the sizes with which they wait
    if decides.molding == "fits-now" && facts.backfill == "easy" && facts.failing.is_some() {
        return Some(RESIZED);
    }
    match Order::of(facts.queue) {
        None if facts.priority.is_none() => return Some(OTHER_ORDER),
        Some(Order::Submission) => {}
        _ if decides.molding == "fits-now" => return Some(RESIZED),
        Some(Order::Estimate) | None if !decides.known_estimates() => return Some(PREDICTED),
        _ => {}
    }
    let by_estimates =
        matches!(promise, Promise::ShadowTime | Promise::ReservationPromise | Promise::QueueHeads);
    let options = decides.extra == "all" || decides.judges_by_run_times() || decides.reservation == "kept";
    match promise {
        Promise::HeadStarts if decides.reservation == "kept" => {
            Some("the head keeps its first reservation, and does not start before it")
        }
        _ if by_estimates && !decides.known_estimates() => Some(PREDICTED),
        Promise::QueueHeads if options || decides.overdue != "1ns" && !decides.overdue.is_empty() => {
            Some("options of the backfilling are not those by which it is promised")
        }
        Promise::ShadowTime if options => Some("options of the backfilling let other jobs delay the head"),
        _ => None,
    }
}

/// The jobs that have waited, whether they have run or not, in order of submission.
fn considered(schedule: &ScheduledJobs) -> Cow<'_, [Row]> {
    if schedule.cancelled.is_empty() {
        return Cow::Borrowed(&schedule.ran);
    }
    let mut rows = [&schedule.ran[..], &schedule.cancelled].concat();
    rows.stable_sort_by_key(|row| (row.submit_time, row.number));
    Cow::Owned(rows)
}
