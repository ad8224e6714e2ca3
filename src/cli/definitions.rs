//! The words of results, warnings and files with their meanings, gathered from the modules that declare them.

use crate::agent;
use crate::cli::exit_status::EXIT_STATUSES;
use crate::instrument::explanation::{CauseKind, ObstacleKind};
use crate::instrument::profile::Activity;
use crate::instrument::{Reason, State};
use crate::output::Table;
use crate::registry::Registry;
use crate::registry::definition::Definition;
use crate::scenario::{self, metrics};
use crate::study::results;
use crate::study::row;
use crate::study::warnings;
use crate::workload::swf::{Cause, Effect};

/// Where the words for what holds one job back stand.
const CAUSE: &str = "`cause` of a span of `explanation` (`run --explain JOB --json`)";
/// Where the words for what keeps it from overtaking stand.
const BAR: &str = "`bar` of a span of `explanation` (`run --explain JOB --json`)";

/// Words of one sort.
pub(super) struct Sort {
    /// What they are called together.
    pub(super) title: &'static str,
    /// Where they stand.
    pub(super) about: &'static str,
    /// The words.
    pub(super) definitions: Vec<Definition>,
}

/// Every word but the metrics, sort by sort.
pub(super) fn sorts() -> Vec<Sort> {
    vec![
        Sort {
            title: "Warnings",
            about: "`code` of `warnings` in summary.json and study.json; on a terminal their texts stand below the results.",
            definitions: warnings(),
        },
        Sort {
            title: "Repairs and drops",
            about: "What reading a log had to do, counted by cause; `-v` lists the lines.",
            definitions: Cause::ALL.map(cause).into(),
        },
        Sort {
            title: "States of jobs",
            about: "`state` of an explanation, and `final_state` of jobs.csv.",
            definitions: states(),
        },
        Sort {
            title: "Reasons",
            about: "Why a job started when it did, or was rejected: `reason` of jobs.csv.",
            definitions: of_words("reason", "column", "`reason` of jobs.csv", Reason::WORDS),
        },
        Sort {
            title: "Causes of waiting",
            about: "What holds a job back: `cause` of each span of `explanation` (`run --explain --json`).",
            definitions: of_words("cause of waiting", "member", CAUSE, CauseKind::WORDS),
        },
        Sort {
            title: "Bars to overtaking",
            about: "Why a job that waits may not overtake, or when it can start: `bar` of such a span; null where the rule does not report it.",
            definitions: of_words("bar to overtaking", "member", BAR, ObstacleKind::WORDS),
        },
        Sort {
            title: "Activities of processors",
            about: "Where the time of processors goes at detail `task`: the metrics `profile`, profile.csv and trace.pftrace.",
            definitions: of_words("activity", "", "", Activity::WORDS),
        },
        Sort {
            title: "Operations of agents",
            about: "What an agent did and what came of it: `operation` and `outcome` of operations.csv.",
            definitions: [
                of_words("operation", "column", "`operation` of operations.csv", agent::Operation::WORDS),
                of_words("outcome", "column", "`outcome` of operations.csv", agent::Outcome::WORDS),
            ]
            .concat(),
        },
        Sort {
            title: "States of runs",
            about: "How a run of a study ended.",
            definitions: of_words("state of a run", "column", "`state` of results.csv", row::State::WORDS),
        },
    ]
}

/// Every word of results, warnings and files.
pub fn definitions(registry: &Registry) -> Vec<Definition> {
    let mut all = metrics::definitions(registry);
    all.extend(sorts().into_iter().flat_map(|sort| sort.definitions));
    let status = |&(status, about): &(u8, &'static str)| {
        Definition::new("exit status", format!("exit-status.{status}"), about.replace('\n', " "))
    };
    all.extend(tables(registry).iter().flat_map(Table::definitions));
    all.extend(EXIT_STATUSES.iter().map(status));
    all
}

/// The table of every file of rows: those of runs, then that of studies.
pub(super) fn tables(registry: &Registry) -> Vec<Table> {
    let mut all = scenario::tables(registry);
    all.push(results::declared());
    all
}

fn of_words(
    sort: &'static str,
    label: &'static str,
    place: &'static str,
    words: &[(&'static str, &'static str)],
) -> Vec<Definition> {
    words.iter().map(|&(name, about)| Definition::new(sort, name, about).fact(label, place)).collect()
}

fn warnings() -> Vec<Definition> {
    let definition = |(code, about, meaning)| Definition::new("warning", code, meaning).fact("says", about);
    warnings::CODES.map(definition).into()
}

fn cause(cause: Cause) -> Definition {
    let effect = match cause.effect() {
        Effect::Dropped => "the job is not in the workload",
        Effect::Repaired => "the job is in the workload, with something changed",
        Effect::Kept => "the job is in the workload as it is recorded",
        Effect::Cut => "the job is left out, as the window requests",
        Effect::Folded => "the record is no job of its own, but part of another",
    };
    Definition::new("cause", cause.name(), cause.about()).fact("effect", effect)
}

fn states() -> Vec<Definition> {
    let named = |state: State| Definition::new("state of a job", state.name(), state.about());
    let in_batsim = |state: State| {
        let name = state.final_state()?;
        Some(Definition::new("final state", name, state.about()).fact("column", "`final_state` of jobs.csv"))
    };
    State::ALL.into_iter().map(named).chain(State::ALL.into_iter().filter_map(in_batsim)).collect()
}
