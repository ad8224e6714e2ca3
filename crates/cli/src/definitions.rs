//! The words of results, warnings and files with their meanings, as the systems and the modules
//! that write them declare them.

use crate::exit_status::EXIT_STATUSES;
use crate::measure::own_warnings::WarningKind;
use crate::registry::Registry;
use crate::registry::definition::{Definition, Words};
use crate::scenario::{metrics, systems};
use clustersim_experiment::output::Table;
use clustersim_experiment::study::{results, row, warnings};

/// Every word but the metrics, sort by sort.
pub(super) fn words(registry: &Registry) -> Vec<Words> {
    let warning =
        |kind: WarningKind| Definition::new("warning", kind.code, kind.definition).fact("says", kind.about);
    let own: Vec<_> = systems(registry).iter().map(|system| system.warnings()).collect();
    let warnings = Words {
        title: "Warnings",
        about: "`code` of `warnings` in summary.json and study.json; on a terminal their texts stand below the results.",
        definitions: warnings::kinds(&own).into_iter().map(warning).collect(),
    };
    let (title, about, place) = ("States of runs", "How a run of a study ended.", "`state` of results.csv");
    let states = Words::new(title, about, "state of a run", ("column", place), row::State::WORDS);
    let own = systems(registry).iter().flat_map(|system| system.words());
    [warnings].into_iter().chain(own).chain([states]).collect()
}

/// Every word of results, warnings and files.
pub fn definitions(registry: &Registry) -> Vec<Definition> {
    let mut all = metrics::definitions(registry);
    all.extend(words(registry).into_iter().flat_map(|words| words.definitions));
    let status = |&(status, about): &(u8, &'static str)| {
        Definition::new("exit status", format!("exit-status.{status}"), about.replace('\n', " "))
    };
    for system in systems(registry) {
        let own = system.tables().iter().flat_map(Table::definitions).collect::<Vec<_>>();
        all.extend(own.into_iter().map(|definition| definition.fact("system", system.about())));
    }
    all.extend(results::declared().definitions());
    all.extend(EXIT_STATUSES.iter().map(status));
    all
}
