//! The files of a finished run, in its directory: of a run alone and of one that a study keeps.

use std::io;

use serde_json::Value as Json;

use crate::output::directory::{Partial, REPORT};
use crate::output::manifest::{Identity, document};
use crate::report::html::RunPage;
use crate::report::manifest::manifest;
use crate::report::summary::summary;
use crate::scenario::{Results, Scenario};

/// Writes every file of a run but its manifest; gives that without its last block.
///
/// # Errors
/// A file cannot be written.
pub fn write(
    scenario: &Scenario,
    identity: &Identity,
    results: &dyn Results,
    partial: &mut Partial,
) -> io::Result<Json> {
    let summary = summary(scenario, results.figures());
    partial.write("scenario.toml", scenario.text.as_bytes())?;
    partial.write("scenario.resolved.toml", scenario.resolved().as_bytes())?;
    partial.write("summary.json", &document(&summary))?;
    let page = scenario.record_report.then(|| RunPage::of(results, scenario));
    for (table, format) in results.tables(scenario) {
        match &page {
            Some(page) => partial.write_table(&page.passing(&*table), format)?,
            None => partial.write_table(&*table, format)?,
        }
    }
    results.write_others(scenario, &identity.resolved, partial)?;
    if let Some(lanes) = results.lanes().filter(|_| scenario.record_trace) {
        partial.write_lanes(&*lanes)?;
    }
    if let Some(page) = page {
        partial.write(REPORT, &page.drawn(&summary))?;
    }
    Ok(manifest(scenario, identity, results.manifest(), results.figures(), partial.outputs()))
}
