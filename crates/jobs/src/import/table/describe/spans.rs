//! Units of limits, by the run times that go with them.

use crate::registry::toml_text;
use crate::workload::swf::Cause;

use super::guess::Guess;
use super::tally::{ColumnSurvey, ColumnType};
use super::words::{TIME_WORDS, unit_of};
use crate::import::table::input::Input;
use crate::import::table::read::report_on_first;
use crate::import::table::source::mapping_of;

/// Rows at the beginning that units are tried on.
const TRIED: u64 = 20_000;
/// Share of jobs that may run longer than a limit in the right unit.
const MOST_LONGER: f64 = 0.2;

/// Settles the unit of limits where nothing states it: the smallest in which most jobs keep theirs.
pub(super) fn settle(guess: &mut Guess, columns: &[ColumnSurvey], input: Input<'_>, file: &str) {
    let Some(limit) = guess.columns.iter().find(|own| own.key == "limit").cloned() else { return };
    let of_limit =
        |column: &&ColumnSurvey| limit.value.contains(&format!("column = {},", toml_text(&column.name)));
    let Some(column) = columns.iter().find(of_limit) else { return };
    if column.likely() == ColumnType::Span || unit_of(TIME_WORDS, &column.name).is_some() {
        return;
    }
    for unit in ["s", "min", "h"] {
        let mut tried = guess.clone();
        let value = limit.value.replace("unit = \"s\"", &format!("unit = \"{unit}\""));
        tried.put("limit", value.clone(), None);
        let Ok(mapping) = mapping_of(&tried.keys("columns")) else { return };
        let (jobs, report) = report_on_first(input, file, &mapping, TRIED);
        let longer = report.tally(Cause::EstimateRaised).count;
        if longer as f64 <= MOST_LONGER * jobs as f64 {
            let doubt = format!("in this unit {longer} of the first {jobs} jobs ran longer than it");
            guess.put("limit", value, Some(doubt));
            return;
        }
    }
}
