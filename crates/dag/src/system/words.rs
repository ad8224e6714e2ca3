//! The words in tables of task graphs, and figures of a run on the terminal.

use crate::StepKind;
use crate::execution::{ExecutedTask, PlanCause};
use crate::kernel::SimTime;
use crate::measure::class::Class;
use crate::output::number::{grouped, plain, span};
use crate::output::{LevelOverTime, Shown, ShownList, ShownStrip};
use crate::registry::definition::Words;
use crate::report::figures::{NOTHING, percent};
use crate::system::assembly::Ended;
use crate::text::in_one_line;

/// Causes of plans, and steps of the critical path.
pub(super) fn of_tables() -> Words {
    let (title, about) = (
        "Plans of task graphs",
        "Why plans were made and what takes time: columns of plans.csv and of the report.",
    );
    let mut words = Words::new(title, about, "cause", ("column", "`cause` of plans.csv"), PlanCause::WORDS);
    let steps = Words::new(title, about, "step", ("column", "`step` of the critical path"), StepKind::WORDS);
    words.definitions.extend(steps.definitions);
    words
}

/// Tasks of the critical path that are printed.
const PRINTED: usize = 8;

/// Rows of statistics of a stream of workflows.
const OF_STREAMS: [(&str, &str); 2] = [("response-time", "response time"), ("slowdown", "slowdown")];

/// Lines on the terminal, in order.
const LINES: [(&str, &str); 13] = [
    ("makespan", "{makespan}[, {gap%} above the lower bound]"),
    ("tasks", "{tasks.completed} of {@tasks} computed"),
    ("scheduler", "{@scheduler}"),
    ("plan", "[{plan-makespan}[, in error by {plan-error!0%}]]"),
    ("speedup", "{speedup}"),
    ("hosts", "{@hosts}, {hosts.unused} unused, cores busy {utilization} of the time"),
    ("transfers", "{transfers}, {bytes.transferred}"),
    ("plan bound", "[{@plan bound}]"),
    ("plan steps", "[{steps.lengthened} steps made the longest chain longer]"),
    ("plans", "[{@plans}]"),
    ("best", "[{@best}]"),
    ("optimum", "[{@optimum}]"),
    ("kinds", "[{@kinds}]"),
];
/// Line of a stream of workflows.
const FAIRNESS: (&str, &str) = ("fairness", "{fairness}");

/// Figures of a run on the terminal.
pub(super) fn on_the_terminal(ended: &Ended) -> Shown<'_> {
    let outcomes = &ended.outcomes;
    let is_stream = outcomes.graph().applications().len() > 1;
    let optional = [
        ("plan bound", plan_bound(ended)),
        ("plans", Some(grouped(outcomes.plans.len() as u64)).filter(|_| outcomes.plans.len() > 1)),
        ("best", best(ended)),
        ("optimum", optimum(ended)),
        ("kinds", kinds(&ended.figures.classes)),
    ];
    let mut facts = vec![
        ("tasks", grouped(outcomes.tasks.len() as u64)),
        ("scheduler", scheduler(ended)),
        ("hosts", grouped(outcomes.problem.grid.hosts().len() as u64)),
    ];
    facts.extend(optional.into_iter().filter_map(|(name, text)| Some((name, text?))));
    Shown {
        statistics: if is_stream { OF_STREAMS.to_vec() } else { Vec::new() },
        lines: LINES.into_iter().chain(is_stream.then_some(FAIRNESS)).collect(),
        facts,
        shares: Some(("critical-path", "critical path")),
        lists: path(ended).into_iter().collect(),
        strip: in_use(ended),
        batch_means_of: None,
    }
}

/// The scheduler, and those that took over from it.
fn scheduler(ended: &Ended) -> String {
    let mut text = ended.scheduler.clone();
    for taken in &ended.outcomes.take_overs {
        text += &format!(", then {} from {} on", taken.scheduler, span(taken.at.as_secs_f64()));
    }
    text
}

/// The bound of the plan; as that is a predicted end, so is what it is compared with.
fn plan_bound(ended: &Ended) -> Option<String> {
    let (bound, plan) = (ended.figures.number("plan-bound")?, ended.figures.number("plan-makespan")?);
    Some(if plan > bound {
        let above = percent(plan / bound - 1.0);
        format!("{}: the search was cut off, and the plan is at most {above} above the best", span(bound))
    } else {
        "the plan is the best there is, as predicted".to_owned()
    })
}

/// Means of each kind of workflow, where there are several.
fn kinds(kinds: &[Class]) -> Option<String> {
    let of = |kind: &Class| {
        let [response, slowdown] = [0, 1].map(|place: usize| kind.metrics[place].number());
        let response = response.map_or_else(|| NOTHING.to_owned(), span);
        let slowdown = slowdown.map_or_else(|| NOTHING.to_owned(), plain);
        format!("{}: response {response}, slowdown {slowdown}", kind.name)
    };
    (kinds.len() > 1).then(|| kinds.iter().map(of).collect::<Vec<_>>().join("; "))
}

/// Excess of the makespan over another one.
fn above(ended: &Ended, least: SimTime) -> String {
    let own = ended.gap.as_ref().and_then(|report| report.compared.first()?.makespan);
    own.map_or_else(|| NOTHING.to_owned(), |own| percent(own.as_secs_f64() / least.as_secs_f64() - 1.0))
}

/// The best of the schedulers that the run is compared with.
fn best(ended: &Ended) -> Option<String> {
    let compared = &ended.gap.as_ref()?.compared;
    let (best, least) = ended.gap.as_ref()?.best().filter(|_| compared.len() > 1)?;
    let count = compared.iter().filter(|one| one.makespan.is_some()).count();
    let (least, above) = (span(least.as_secs_f64()), above(ended, least));
    Some(format!("{}, {least}, of {count} schedulers; this one is {above} above it", best.name))
}

/// The optimum, or between what it lies.
fn optimum(ended: &Ended) -> Option<String> {
    let optimum = ended.gap.as_ref()?.optimum?;
    let seconds = |at: SimTime| span(at.as_secs_f64());
    Some(match optimum.proven() {
        Some(least) => format!("{}; this run is {} above it", seconds(least), above(ended, least)),
        None => format!(
            "from {} to {}, the search met its limit; this run is {} above the best plan found",
            seconds(optimum.bound),
            seconds(optimum.best),
            above(ended, optimum.best)
        ),
    })
}

/// The tasks of the critical path, the first and the last of them.
fn path(ended: &Ended) -> Option<ShownList> {
    ended.outcomes.makespan().filter(|makespan| *makespan > SimTime::ZERO)?;
    let computed = ended.path.iter().filter(|step| step.kind == StepKind::Computes);
    let graph = ended.outcomes.graph();
    let names: Vec<String> =
        computed.map(|step| in_one_line(&graph.task(step.task).name).into_owned()).collect();
    let shown = if names.len() > PRINTED {
        format!("{} … {}", names[..PRINTED / 2].join(" "), names[names.len() - PRINTED / 2..].join(" "))
    } else {
        names.join(" ")
    };
    let title = format!("{} tasks on the critical path", grouped(names.len() as u64));
    Some(ShownList { title, lines: vec![shown] })
}

/// Cores in use over time.
fn in_use(ended: &Ended) -> Option<ShownStrip<'_>> {
    let grid = &ended.outcomes.problem.grid;
    let cores = |task: &ExecutedTask| {
        let count = task.core.map_or(0, |core| grid.members(core).len()) as u64;
        Some((task.start?, task.end?, count))
    };
    Some(ShownStrip {
        title: "cores in use over time",
        from: SimTime::ZERO,
        to: ended.outcomes.makespan()?,
        level: LevelOverTime::InUse {
            spans: Box::new(ended.outcomes.tasks.iter().filter_map(cores)),
            of: grid.cores().len() as u64,
        },
    })
}
