//! The metrics of parameter sweeps, and the words that stand in their tables and on the terminal.

use crate::kernel::SimTime;
use crate::measure::family::Family;
use crate::output::number::{grouped, plain, span};
use crate::output::{LevelOverTime, Shown, ShownStrip};
use crate::registry::definition::Words;
use crate::results::host_time::ProcessorUse;
use crate::results::record::PlanTrigger;
use crate::results::tables::{Direction, DrawnValue};
use crate::system::assembly::Ended;
use crate::system::assembly::Settings;

/// The families of all metrics.
pub(super) const FAMILIES: &[&[Family]] = &[
    &crate::FAMILIES,
    &crate::OF_STORAGES,
    &crate::OF_LINKS_BETWEEN,
    &crate::OF_PRICES,
    &crate::OF_BUDGETS,
    &crate::OF_DEADLINES,
    &crate::OF_GAPS,
];

/// The families of metrics that runs with these settings may have.
pub(super) fn families_of(settings: &[&Settings]) -> Vec<&'static [Family]> {
    let any = |has: fn(&Settings) -> bool| settings.iter().any(|settings| has(settings));
    let has = [
        true,
        any(|settings| settings.has_limits),
        any(|settings| settings.may_join),
        any(|settings| settings.has_prices),
        any(|settings| settings.terms.budget.is_some()),
        any(|settings| settings.terms.deadline.is_some()),
        any(|settings| settings.gap.is_some()),
    ];
    FAMILIES.iter().zip(has).filter(|(_, has)| *has).map(|(families, _)| *families).collect()
}

/// Words of columns, as the manual has them.
pub(super) fn of_tables() -> Words {
    let (title, about) = (
        "Tables of parameter sweeps",
        "Why plans were made, where files were sent, and what was drawn: columns of tables and of the report.",
    );
    let mut words =
        Words::new(title, about, "trigger", ("column", "`trigger` of plans.csv"), PlanTrigger::WORDS);
    let directions = ("column", "`direction` of transfers.csv");
    let directions = Words::new(title, about, "direction", directions, Direction::WORDS);
    let values = ("column", "`resource` of loads.csv");
    let values = Words::new(title, about, "value", values, DrawnValue::WORDS);
    let uses = ("column", "`use` of a span of `--explain HOST`, in the document of `--json`");
    let uses = Words::new(title, about, "use", uses, ProcessorUse::WORDS);
    for others in [directions, values, uses] {
        words.definitions.extend(others.definitions);
    }
    words
}

/// Lines on the terminal, in order.
const LINES: [(&str, &str); 15] = [
    ("makespan", "{makespan}[, {gap%} above the lower bound]"),
    ("bound", "[{bound.compute} to compute, {bound.link} to send, {bound.task} for the longest task]"),
    ("optimum", "[{@optimum}]"),
    ("tasks", "{tasks.completed} of {@tasks} completed"),
    ("scheduler", "{@scheduler}"),
    ("plans", "[{plans}, {looks!0} pairs of task and host looked at[, {correctness.mean} ran as predicted]]"),
    ("predicted", "[{plan-makespan}[, in error by {plan-error!0%}]]"),
    ("hosts", "{@hosts}, {hosts.unused} unused, processors busy {utilization} of the time"),
    ("transfers", "{transfers}, {bytes.sent}; links busy {link-utilization} of the time"),
    ("saved", "{bytes.saved} of inputs were there already"),
    ("removed", "[{evictions} inputs to make room, {bytes.again} sent again]"),
    ("cost", "[{cost}[, {budget-left} of the budget left]]"),
    ("deadline", "[missed by {deadline-missed} tasks]"),
    ("lost", "[{failed-works!0} computations, {lost-time}]"),
    ("copies", "[{duplicates!0} of tasks, {discarded-time} thrown away]"),
];

/// Figures of a run on the terminal.
pub(super) fn on_the_terminal(ended: &Ended) -> Shown<'_> {
    let outcomes = &ended.outcomes;
    let mut facts = vec![
        ("tasks", grouped(outcomes.tasks.len() as u64)),
        ("scheduler", ended.scheduler.clone()),
        ("hosts", grouped(outcomes.grid.hosts.len() as u64)),
    ];
    facts.extend(optimum(ended).map(|optimum| ("optimum", optimum)));
    let spans = outcomes.tasks.iter().filter_map(|task| Some((task.start?, task.end?, 1)));
    let processors = outcomes.grid.hosts.iter().map(|host| u64::from(host.processors)).sum();
    let strip = outcomes.makespan().map(|to| ShownStrip {
        title: "processors in use over time",
        from: SimTime::ZERO,
        to,
        level: LevelOverTime::InUse { spans: Box::new(spans), of: processors },
    });
    Shown {
        lines: LINES.to_vec(),
        facts,
        shares: Some(("processor-time", "processor time")),
        strip,
        ..Shown::default()
    }
}

/// The optimum, or between what it lies.
fn optimum(ended: &Ended) -> Option<String> {
    let optimum = ended.optimum?;
    let seconds = |at: SimTime| span(at.as_secs_f64());
    Some(match (optimum.proven(), ended.outcomes.makespan()) {
        (Some(least), Some(makespan)) if least > SimTime::ZERO => {
            let above = plain((makespan.as_secs_f64() / least.as_secs_f64() - 1.0) * 100.0);
            format!("{}; this run is {above} % above it", seconds(least))
        }
        (Some(least), _) => seconds(least),
        (None, _) => format!(
            "not proven, as the search met its limit: from {} to {}",
            seconds(optimum.bound),
            seconds(optimum.best)
        ),
    })
}
