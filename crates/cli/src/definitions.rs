//! The words of results, warnings and files with their meanings, as the systems and the modules
//! that write them declare them.

use crate::exit_status::EXIT_STATUSES;
use crate::measure::own_warnings::WarningKind;
use crate::registry::Registry;
use crate::registry::definition::{Definition, Words};
use crate::scenario::{System, metrics, systems, with_additions};
use clustersim_experiment::output::Table;
use clustersim_experiment::study::{results, row, warnings};

/// The words that results of every system may have, but the metrics, sort by sort.
pub(super) fn common_words() -> Vec<Words> {
    let (title, about, place) = ("States of runs", "How a run of a study ended.", "`state` of results.csv");
    let states = Words::new(title, about, "state of a run", ("column", place), row::State::WORDS);
    vec![warnings_of(warnings::kinds(&[])), states]
}

/// The words of a system's results but the metrics, sort by sort.
pub(super) fn words_of(system: &dyn System) -> Vec<Words> {
    let own = warnings::own(&system.warnings());
    let own = (!own.is_empty()).then(|| warnings_of(own));
    own.into_iter().chain(system.words()).collect()
}

fn warnings_of(kinds: Vec<WarningKind>) -> Words {
    let warning =
        |kind: WarningKind| Definition::new("warning", kind.code, kind.definition).fact("says", kind.about);
    Words {
        title: "Warnings",
        about: "`code` of `warnings` in summary.json and study.json; on a terminal their texts stand below the results.",
        definitions: kinds.into_iter().map(warning).collect(),
    }
}

/// Every word of results, warnings and files.
pub fn definitions(registry: &Registry) -> Vec<Definition> {
    let mut all = metrics::definitions(registry);
    let own = systems(registry).iter().flat_map(|system| words_of(*system));
    all.extend(common_words().into_iter().chain(own).flat_map(|words| words.definitions));
    let status = |&(status, about): &(u8, &'static str)| {
        Definition::new("exit status", format!("exit-status.{status}"), about.replace('\n', " "))
    };
    for system in systems(registry) {
        let tables = with_additions(registry, *system);
        let own = tables.iter().flat_map(Table::definitions).collect::<Vec<_>>();
        all.extend(own.into_iter().map(|definition| definition.fact("system", system.about())));
    }
    all.extend(results::declared().definitions());
    all.extend(EXIT_STATUSES.iter().map(status));
    all
}
