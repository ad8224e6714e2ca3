//! The words in tables and summaries of global computing.

use crate::broker::measured_tables::MeasuredKind;
use crate::broker::record::{GivenUp, TaskRejection, TaskState};
use crate::registry::definition::Words;

/// States of tasks, kinds of measurements, and reasons why servers are given up and tasks rejected.
pub(super) fn of_tables() -> Words {
    let (title, about) =
        ("Tables of global computing", "What became of tasks, and what was measured: columns of tables.");
    let words = |name, place, words| Words::new(title, about, name, place, words);
    let mut all = words("state", ("column", "`state` of tasks.csv"), TaskState::WORDS);
    for more in [
        words("kind", ("column", "`kind` of measurements.csv and forecasts.csv"), MeasuredKind::WORDS),
        words("reason", ("column", "`reason` of attempts.csv"), GivenUp::WORDS),
        words("reason", ("member", "`reason` of `rejections` in summary.json"), TaskRejection::WORDS),
    ] {
        all.definitions.extend(more.definitions);
    }
    all
}
