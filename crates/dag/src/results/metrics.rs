//! The metrics of a run of task graphs.
//!
//! Source: "DAGSim" (makespan); H. Topcuoglu, S. Hariri, M.-Y. Wu, IEEE TPDS 13(3), 2002 (schedule
//! length ratio, speedup, efficiency).

use crate::collections::{OrderedMap, OrderedSet};
use crate::execution::Outcomes;
use crate::kernel::{SimDuration, SimTime};
use crate::measure::class::Class;
use crate::measure::cohort::{ListedCohort, Subject};
use crate::measure::family::{Aim, Family, Part, metrics_of};
use crate::measure::metric::{Metric, Value};
use crate::results::alone::response;
use crate::results::billing::Billing;
use crate::results::bounds::LowerBounds;
use crate::results::critical_path::{CriticalStep, Slack, StepKind};
use crate::results::gap::{GapReport, OptimalMakespan};
use crate::workflow::{EdgeNumber, TaskNumber};

const RUN: &str = "the whole run; nothing if a task has not ended";
const STREAM: &str = "the workflows of a run whose tasks have all ended";
const SEVERAL: &str = "the workflows of a run of several whose tasks have all ended; nothing where the scheduler has no plan for one of them alone";
const ZHAO: &str = "H. Zhao, R. Sakellariou, IPDPS 2006";
const CACHE: &str = "the whole run, with application.file-cache";
const HEFT: &str = "H. Topcuoglu, S. Hariri, M.-Y. Wu, IEEE TPDS 13(3), 2002";
const ASKED: &str = "runs with `record.gap`";
const SEARCHED: &str =
    "runs with `record.gap`, of graphs small enough whose workflows are all there from the beginning";
const OPTIMUM: &[Part] = &[("best", "the end of the best plan found"), ("bound", "what no plan ends before")];
const MEAN: &[Part] = &[("mean", "the arithmetic mean over tasks")];
const CANON: &str = "L.-C. Canon, E. Jeannot, HeteroPar 2007";
const PARTS: &[Part] = &[("mean", "the arithmetic mean"), ("max", "the maximum")];

/// The families, in the order in which they are shown.
pub const FAMILIES: [Family; 34] = [
    Family::new(
        "makespan",
        "s",
        Aim::Lower,
        "end of the last task, or arrival of the last file that is returned, from the beginning of the run",
        RUN,
    ),
    Family::count("tasks.completed", Aim::Higher, "tasks that ended", "the whole run"),
    Family::new(
        "schedule-length-ratio",
        "",
        Aim::Lower,
        "`makespan` / the longest chain of least execution times, transfers left out",
        RUN,
    )
    .source(HEFT),
    Family::new(
        "speedup",
        "",
        Aim::Higher,
        "the least time of all tasks one after another on one core at full availability / `makespan`; a task of several cores counts with each",
        RUN,
    )
    .source(HEFT),
    Family::share("efficiency", Aim::Higher, "`speedup` / cores", RUN).source(HEFT),
    Family::new("gap", "", Aim::Lower, "`makespan` / the lower bound - 1", RUN).signed(),
    Family::new(
        "gap.best",
        "",
        Aim::Lower,
        "`makespan` / the least makespan of this scheduler and those that it is compared with - 1",
        RUN,
    )
    .signed()
    .shown(ASKED),
    Family::new(
        "gap.optimal",
        "",
        Aim::Lower,
        "`makespan` / the optimum - 1, the optimum with all durations known, without failures and with transfers that have links to themselves; nothing if the search for it met its limit",
        RUN,
    )
    .signed()
    .shown(SEARCHED),
    Family::new("optimum", "s", Aim::None, "the same optimum, by branch and bound", "the whole run")
        .parts(OPTIMUM)
        .shown(SEARCHED),
    Family::share(
        "optimum.proven",
        Aim::None,
        "1 where the search for the optimum came to its end, so that `optimum.best` is the optimum, else 0",
        "the whole run",
    )
    .shown(SEARCHED),
    Family::new(
        "lower-bound",
        "s",
        Aim::None,
        "the greater of the longest chain of least execution times and all work over all speed",
        "the whole run",
    ),
    Family::share("utilization", Aim::None, "time of cores in use by tasks that ended / (cores x `makespan`); slow hosts are in use too, lost work is not", RUN),
    Family::new("idle-time", "s", Aim::None, "cores x `makespan` - time of cores in use by tasks that ended", RUN),
    Family::count("hosts.unused", Aim::None, "hosts that computed no task", "the whole run"),
    Family::count("transfers", Aim::Lower, "transfers between hosts that arrived", "the whole run"),
    Family::new("bytes.transferred", "B", Aim::Lower, "their sizes added up", "the whole run"),
    Family::new("transfer-time", "s", Aim::Lower, "their times from start to end added up", "the whole run"),
    Family::count(
        "transfers.saved",
        Aim::Higher,
        "times that a task needed no transfer of a file, as its host had it or was getting it for another",
        CACHE,
    ),
    Family::new("bytes.saved", "B", Aim::Higher, "their sizes added up", CACHE),
    Family::new("plan-makespan", "s", Aim::None, "end of the last task in the first plan", "the whole run"),
    Family::new("plan-error", "", Aim::None, "`makespan` / `plan-makespan` - 1", RUN).signed(),
    Family::new(
        "plan-bound",
        "s",
        Aim::None,
        "what no plan ends before, as predicted, if the scheduler of the first plan found out (`optimal`)",
        "the whole run",
    ),
    Family::new(
        "steps.lengthened",
        "",
        Aim::Lower,
        "steps of schedulers that made the longest chain of their plan longer, if they count them (`dcp`)",
        "the whole run",
    )
    .source("A. Jarry, H. Casanova, F. Berman, DAGSim, 2000"),
    Family::count("reschedules", Aim::None, "plans after the first", "the whole run"),
    Family::count(
        "tasks.late",
        Aim::Lower,
        "tasks that ended later than the plan by which they started says",
        "the whole run",
    ),
    Family::new(
        "slack",
        "s",
        Aim::None,
        "by how much a task could have ended later without delaying the last one: same cores, orders and durations",
        RUN,
    )
    .parts(MEAN)
    .source(CANON),
    Family::new(
        "planned-slack",
        "s",
        Aim::None,
        "the same by the plans: planned instants, and predicted transfers with links to themselves",
        RUN,
    )
    .parts(MEAN)
    .source(CANON),
    Family::new("response-time", "s", Aim::Lower, "end of the last task - arrival of the workflow", STREAM)
        .parts(PARTS),
    Family::new(
        "slowdown",
        "",
        Aim::Lower,
        "response time / that of the workflow if it were alone: the same arrival, loads, failures, scheduler and re-planning, and perfect predictions",
        SEVERAL,
    )
    .parts(PARTS)
    .source(ZHAO),
    Family::new(
        "normalized-response-time",
        "",
        Aim::Lower,
        "response time / the lower bound of the workflow by itself",
        STREAM,
    )
    .parts(PARTS),
    Family::new(
        "fairness",
        "",
        Aim::Lower,
        "standard deviation of the slowdowns of workflows / their mean",
        SEVERAL,
    )
    .source(ZHAO),
    Family::share(
        "critical-path",
        Aim::None,
        "time of the steps of the critical path of the execution / `makespan`, by what takes it",
        RUN,
    )
    .parts(StepKind::WORDS),
    Family::share(
        "deadlines.met",
        Aim::Higher,
        "workflows that ended within `application.deadline` of their arrivals / workflows; over replications, its mean is the probability to meet the deadline",
        "the whole run; nothing without a deadline",
    ),
    Family::new(
        "cost",
        "",
        Aim::Lower,
        "sum over hosts of price x billed time, in the currency of `run.cost`",
        "the whole run; nothing without `run.cost`",
    )
    .source("S. Abrishami, M. Naghibzadeh, D. H. J. Epema, Future Generation Computer Systems 29(1), 2013"),
];

/// Prices and deadlines of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Terms {
    /// The prices of its hosts, if they have any.
    pub billing: Option<Billing>,
    /// Longest time that a workflow may take from its arrival on, if there is a limit.
    pub deadline: Option<SimDuration>,
}

/// Baselines that a run is measured against.
#[derive(Clone, Copy, Debug)]
pub struct Baselines<'a> {
    /// Lower bounds of its makespan.
    pub bounds: &'a LowerBounds,
    /// Lower bounds of each workflow by itself.
    pub each: &'a [LowerBounds],
    /// Response time of each workflow if it were alone, where that is known.
    pub alone: &'a [Option<SimDuration>],
    /// Distance from other schedulers and from the optimum, if that was asked for.
    pub gap: Option<&'a GapReport>,
    /// Prices and deadlines.
    pub terms: &'a Terms,
    /// The critical path of the execution.
    pub path: &'a [CriticalStep],
}

/// The values of the families, in their order.
pub fn metrics(outcomes: &Outcomes, against: &Baselines<'_>) -> Vec<Metric> {
    let Baselines { bounds, each, alone, gap, terms, path } = *against;
    let makespan = outcomes.makespan().map(SimTime::as_secs_f64);
    let grid = &outcomes.problem.grid;
    let cores = grid.cores().len() as f64;
    let by_host = outcomes.by_host();
    let busy: f64 = by_host.iter().map(|(_, busy)| busy.as_secs_f64()).sum();
    let ended = outcomes.tasks.iter().filter(|task| task.end.is_some()).count();
    let unused = by_host.iter().filter(|(tasks, _)| *tasks == 0).count();
    let arrived: Vec<(u64, SimDuration)> = outcomes
        .transfers
        .iter()
        .filter_map(|transfer| transfer.span().map(|(start, end)| (transfer.bytes, end.since(start))))
        .collect();
    let late = |task: &&crate::execution::ExecutedTask| {
        task.end.zip(task.planned).is_some_and(|(end, (_, planned))| end > planned)
    };
    let sequential = least_sequential(outcomes);
    let saved = saved(outcomes);
    let lengthened = outcomes.plans.iter().filter_map(|plan| plan.lengthened).reduce(|sum, more| sum + more);
    let plan = outcomes.plans.first().map(|plan| plan.end.as_secs_f64());
    let [response_mean, response_max] = mean_and_max(responses(outcomes).map(|(_, response)| response));
    let normalized = responses(outcomes).map(|(place, response)| response / each[place].lower());
    let [normalized_mean, normalized_max] = mean_and_max(normalized);
    let slowdowns = slowdowns(outcomes, alone);
    let [slowdown_mean, slowdown_max] = mean_and_max(slowdowns.iter().map(|(_, slowdown)| *slowdown));
    let speedup = sequential.zip(makespan).map(|(sequential, makespan)| sequential / makespan);
    let count = |count: usize| Value::Count(count as u64);
    let real =
        |value: Option<f64>| value.filter(|value| value.is_finite()).map_or(Value::Nothing, Value::Real);
    let slack = Slack::of(outcomes);
    let optimum = gap.and_then(|gap| gap.optimum);
    let above = |least: Option<SimTime>| {
        real(makespan.zip(least).map(|(makespan, least)| makespan / least.as_secs_f64() - 1.0))
    };
    let on_path = StepKind::ALL.map(|kind| real(share_of(path, kind)));
    let values = [
        real(makespan),
        count(ended),
        real(makespan.map(|makespan| makespan / bounds.path)),
        real(speedup),
        real(speedup.map(|speedup| speedup / cores)),
        real(outcomes.makespan().and_then(|makespan| bounds.gap(makespan))),
        above(gap.and_then(|gap| gap.best()).map(|(_, best)| best)),
        above(optimum.as_ref().and_then(OptimalMakespan::proven)),
        real(optimum.map(|optimum| optimum.best.as_secs_f64())),
        real(optimum.map(|optimum| optimum.bound.as_secs_f64())),
        optimum.map_or(Value::Nothing, |optimum| Value::Count(u64::from(optimum.proven().is_some()))),
        real(Some(bounds.lower())),
        real(makespan.map(|makespan| busy / (cores * makespan))),
        real(makespan.map(|makespan| cores * makespan - busy)),
        count(unused),
        count(arrived.len()),
        real(Some(arrived.iter().map(|(bytes, _)| *bytes as f64).sum())),
        real(Some(arrived.iter().map(|(_, span)| span.as_secs_f64()).sum())),
        saved.map_or(Value::Nothing, |(transfers, _)| Value::Count(transfers)),
        real(saved.map(|(_, bytes)| bytes as f64)),
        real(plan),
        real(makespan.zip(plan).map(|(makespan, plan)| makespan / plan - 1.0)),
        real(outcomes.plans.first().and_then(|plan| plan.bound).map(SimTime::as_secs_f64)),
        lengthened.map_or(Value::Nothing, Value::Count),
        count(outcomes.plans.len().saturating_sub(1)),
        count(outcomes.tasks.iter().filter(late).count()),
        real(mean_seconds(&slack.executed)),
        real(mean_seconds(&slack.planned)),
        real(response_mean),
        real(response_max),
        real(slowdown_mean),
        real(slowdown_max),
        real(normalized_mean),
        real(normalized_max),
        real(variation(&slowdowns)),
        on_path[0],
        on_path[1],
        on_path[2],
        on_path[3],
        real(terms.deadline.map(|deadline| in_time(outcomes, deadline))),
        real(terms.billing.as_ref().map(|billing| billing.cost(outcomes))),
    ];
    metrics_of(&FAMILIES, values)
}

/// The share of the critical path that steps of this kind take; `None` if there is no path.
fn share_of(path: &[CriticalStep], kind: StepKind) -> Option<f64> {
    let seconds = |steps: &mut dyn Iterator<Item = &CriticalStep>| {
        steps.map(|step| step.end.since(step.start).as_secs_f64()).sum::<f64>()
    };
    let whole = seconds(&mut path.iter());
    (whole > 0.0).then(|| seconds(&mut path.iter().filter(|step| step.kind == kind)) / whole)
}

/// The share of workflows whose last task ended so soon after their arrivals.
fn in_time(outcomes: &Outcomes, deadline: SimDuration) -> f64 {
    let applications = outcomes.graph().applications();
    let met = applications.iter().filter(|application| {
        let due = application.arrival.saturating_add(deadline);
        application.tasks().all(|task| outcomes.tasks[task.index()].end.is_some_and(|end| end <= due))
    });
    met.count() as f64 / applications.len() as f64
}

/// The means of workflows by their kind, which is the name of the workflow, in the order of names.
pub(crate) fn by_kind(outcomes: &Outcomes, alone: &[Option<SimDuration>]) -> Vec<Class> {
    let mut kinds: OrderedMap<&str, [Vec<f64>; 2]> = OrderedMap::new();
    let slowdowns = slowdowns(outcomes, alone);
    for (place, values) in [responses(outcomes).collect(), slowdowns].into_iter().enumerate() {
        for (application, value) in values {
            let kind = outcomes.graph().applications()[application].workflow.name();
            kinds.entry(kind).or_default()[place].push(value);
        }
    }
    let mean = |values: Vec<f64>| {
        let [mean, _] = mean_and_max(values.into_iter());
        mean.filter(|mean| mean.is_finite()).map_or(Value::Nothing, Value::Real)
    };
    let class = |(name, [responses, slowdowns]): (&str, [Vec<f64>; 2])| Class {
        name: name.to_owned(),
        metrics: vec![
            Metric { name: "response-time.mean".to_owned(), value: mean(responses), unit: "s" },
            Metric { name: "slowdown.mean".to_owned(), value: mean(slowdowns), unit: "" },
        ],
    };
    kinds.into_iter().map(class).collect()
}

/// The places of the workflows whose tasks have all ended, each with its response time in seconds.
fn responses(outcomes: &Outcomes) -> impl Iterator<Item = (usize, f64)> + '_ {
    let places = 0..outcomes.graph().applications().len();
    places.filter_map(|place| Some((place, response(outcomes, place)?.as_secs_f64())))
}

/// The same with their slowdowns; none if what one of them would take alone is unknown, or nothing.
pub(crate) fn slowdowns(outcomes: &Outcomes, alone: &[Option<SimDuration>]) -> Vec<(usize, f64)> {
    let of = |(place, response): (usize, f64)| {
        let alone = alone.get(place).copied().flatten()?.as_secs_f64();
        (alone > 0.0).then(|| (place, response / alone))
    };
    responses(outcomes).map(of).collect::<Option<_>>().unwrap_or_default()
}

/// Transfers and bytes that were saved as each file was sent to a host once; `None` where every
/// edge is sent by itself.
fn saved(outcomes: &Outcomes) -> Option<(u64, u64)> {
    let (graph, grid) = (outcomes.graph(), &outcomes.problem.grid);
    let rules = graph.file_rules();
    let host = |task: TaskNumber| {
        let record = &outcomes.tasks[task.index()];
        record.start.and(record.core).map(|core| grid.host_of(core))
    };
    let mut sent = OrderedSet::new();
    let (mut transfers, mut bytes) = (0, 0_u64);
    for edge in (0..graph.data_count() as u32).map(EdgeNumber) {
        let data = graph.data(edge);
        let from = data.from.map_or(rules.home, host);
        let (Some(size), Some(from), Some(to)) = (data.bytes, from, data.to.and_then(host)) else { continue };
        if from != to && !sent.insert((graph.first_of(edge), to)) {
            (transfers, bytes) = (transfers + 1, bytes.saturating_add(size));
        }
    }
    rules.cache.then_some((transfers, bytes))
}

/// The least seconds that all tasks take one after another on one core, at full availability, of
/// one of several cores on each; `None` if no host can run all.
fn least_sequential(outcomes: &Outcomes) -> Option<f64> {
    let problem = &outcomes.problem;
    let cores = |task| f64::from(outcomes.graph().task(task).cores);
    let on =
        |host| outcomes.graph().tasks().map(|task| problem.seconds(task, host) * cores(task)).sum::<f64>();
    problem.grid.hosts().map(on).filter(|seconds| seconds.is_finite()).min_by(f64::total_cmp)
}

/// The mean of these spans; `None` if there are none.
fn mean_seconds(spans: &[SimDuration]) -> Option<f64> {
    let sum: f64 = spans.iter().map(|span| span.as_secs_f64()).sum();
    (!spans.is_empty()).then(|| sum / spans.len() as f64)
}

fn mean_and_max(values: impl Iterator<Item = f64>) -> [Option<f64>; 2] {
    let values: Vec<f64> = values.collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    [(!values.is_empty()).then_some(mean), values.into_iter().max_by(f64::total_cmp)]
}

/// The coefficient of variation of the slowdowns; `None` of fewer than two workflows.
fn variation(slowdowns: &[(usize, f64)]) -> Option<f64> {
    let count = slowdowns.len() as f64;
    let mean = slowdowns.iter().map(|(_, slowdown)| slowdown).sum::<f64>() / count;
    let squares: f64 = slowdowns.iter().map(|(_, slowdown)| (slowdown - mean) * (slowdown - mean)).sum();
    (slowdowns.len() > 1).then(|| (squares / (count - 1.0)).sqrt() / mean)
}

/// The workflows of a run that arrived before it ended, in their order; `each` are the lower bounds
/// of each, `alone` its response times alone.
///
/// Work is time of the whole platform: of a workflow, the bound by area. Its service begins when it
/// would have to if it then took no longer than its lower bound.
pub fn cohort(outcomes: &Outcomes, each: &[LowerBounds], alone: &[Option<SimDuration>]) -> ListedCohort {
    const MEANS: &[&str] = &["response-time.mean", "slowdown.mean", "normalized-response-time.mean"];
    let mut cohort = ListedCohort::new(Some(1.0), MEANS);
    let mut slowdowns = slowdowns(outcomes, alone).into_iter().peekable();
    for (place, (workflow, bounds)) in outcomes.graph().applications().iter().zip(each).enumerate() {
        let (begin, response) = (workflow.arrival, response(outcomes, place));
        let slowdown = slowdowns.next_if(|(of, _)| *of == place).map(|(_, slowdown)| slowdown);
        if begin > outcomes.ended_at {
            continue;
        }
        let end = response.map(|response| begin.saturating_add(response));
        let subject = Subject::shared(begin, end, SimDuration::ceil_secs(bounds.lower()), bounds.area);
        let seconds = response.map(SimDuration::as_secs_f64);
        cohort.push(subject, &[seconds, slowdown, seconds.map(|seconds| seconds / bounds.lower())]);
    }
    cohort
}
