//! The words of results of jobs: states, reasons, causes of waiting, activities, and what reading a log had to do.

use crate::instrument::explanation::{Obstacle, WaitCause as Wait};
use crate::instrument::profile::Activity;
use crate::instrument::{Reason, State};
use crate::registry::definition::{Definition, Words};
use crate::workload::swf::{Cause, Effect};

/// Where the words for what holds one job back stand.
const CAUSE: &str = "`cause` of a span of `explanation` (`run --explain JOB --json`)";
/// Where the words for what keeps it from overtaking stand.
const BAR: &str = "`bar` of a span of `explanation` (`run --explain JOB --json`)";

/// All of them, sort by sort.
pub(super) fn words() -> Vec<Words> {
    vec![
        Words {
            title: "Repairs and drops",
            about: "What reading a log had to do, counted by cause; `-v` lists the lines.",
            definitions: Cause::ALL.map(cause).into(),
        },
        Words {
            title: "States of jobs",
            about: "`state` of an explanation, and `final_state` of jobs.csv.",
            definitions: states(),
        },
        Words::new(
            "Reasons",
            "Why a job started when it did, or was rejected: `reason` of jobs.csv.",
            "reason",
            ("column", "`reason` of jobs.csv"),
            Reason::WORDS,
        ),
        Words::new(
            "Causes of waiting",
            "What holds a job back: `cause` of each span of `explanation` (`run --explain --json`).",
            "cause of waiting",
            ("member", CAUSE),
            Wait::WORDS,
        ),
        Words::new(
            "Bars to overtaking",
            "Why a job that waits may not overtake, or when it can start: `bar` of such a span; null where the rule does not report it.",
            "bar to overtaking",
            ("member", BAR),
            Obstacle::WORDS,
        ),
        Words::new(
            "Activities of processors",
            "Where the time of processors goes at detail `task`: the metrics `profile`, profile.csv and trace.pftrace.",
            "activity",
            ("", ""),
            Activity::WORDS,
        ),
    ]
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
