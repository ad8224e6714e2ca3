//! The metrics of parameter sweeps, and the words that stand in their tables.

use crate::instrument::family::Family;
use crate::registry::definition::Words;
use crate::sweep;
use crate::sweep::host_time::ProcessorUse;
use crate::sweep::record::PlanTrigger;
use crate::sweep::tables::{Direction, DrawnValue};
use crate::system::sweep::assembly::Settings;

/// The families of all metrics.
pub(super) const FAMILIES: &[&[Family]] = &[
    &sweep::FAMILIES,
    &sweep::OF_STORAGES,
    &sweep::OF_LINKS_BETWEEN,
    &sweep::OF_PRICES,
    &sweep::OF_BUDGETS,
    &sweep::OF_DEADLINES,
    &sweep::OF_GAPS,
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

/// Those of columns, as the manual has them.
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
