//! The words that stand in tables of parameter sweeps.

use crate::registry::definition::Words;
use crate::sweep::record::PlanTrigger;
use crate::sweep::tables::{Direction, DrawnValue};

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
    words.definitions.extend(directions.definitions.into_iter().chain(values.definitions));
    words
}
