//! The words of results of jobs: lines on the terminal, states, reasons, causes of waiting,
//! activities, and what reading a log had to do.

use crate::fidelity::{ErrorCause, FidelityWord, WaitFigure};
use crate::instrument::explanation::{Obstacle, WaitCause as Wait};
use crate::instrument::profile::Activity;
use crate::instrument::{Reason, State};
use crate::output::number::{grouped, plain};
use crate::output::{Shown, ShownStrip};
use crate::registry::definition::{Definition, Words};
use crate::system::experiment::Finished;
use crate::workload::swf::{Cause, Effect};

/// Place of the words for what holds one job back.
const CAUSE: &str = "`cause` of a span of `explanation` (`run --explain JOB --json`)";
/// Place of the words for what keeps it from overtaking.
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
        Words::new(
            "Words of fidelity",
            "How close simulated waits are to recorded ones: `word` of the object of `fidelity --json`.",
            "word of fidelity",
            ("member", "`word` of `fidelity --json`"),
            FidelityWord::WORDS,
        ),
        Words::new(
            "Figures of fidelity",
            "Figures of simulated and recorded waits: `figures` of the object of `fidelity --json`.",
            "figure of fidelity",
            ("member", "`figures` of `fidelity --json`"),
            WaitFigure::WORDS,
        ),
        Words::new(
            "Causes of error",
            "Jobs whose recorded wait may be another one than a simulated one, in words that follow \"jobs that\": \
             `error` of the object of `fidelity --json`, and `--without`.",
            "cause of error",
            ("member", "`cause` of `fidelity --json`"),
            ErrorCause::WORDS,
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
        Effect::NotRun => "the job did not run, or not yet, and is not in the workload",
        Effect::Unread => "the record cannot be read, and is not in the workload",
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

/// Rows of statistics on the terminal, in order.
const STATISTICS: [(&str, &str); 5] = [
    ("wait-time", "wait time"),
    ("recorded-wait-time", "  as in the log"),
    ("response-time", "response time"),
    ("slowdown", "slowdown"),
    ("bounded-slowdown", "bounded slowdown"),
];

/// Lines on the terminal, in order.
const LINES: [(&str, &str); 15] = [
    (
        "jobs",
        "[{@submitted} submitted: ]{jobs.completed} completed[, {jobs.killed!0} killed]\
         [, {jobs.cancelled!0} cancelled][, {jobs.lost!0} lost][, {jobs.rejected!0} rejected]\
         [, {jobs.unfinished!0} unfinished][, {jobs.held-for-ever!0} of them held for ever]",
    ),
    ("utilization", "{utilization}[, {@useful} of useful work]"),
    ("throughput", "{throughput}"),
    ("makespan", "{makespan}"),
    ("processors", "{@processors}"),
    ("failures", "[{node-failures} of nodes, {availability} in service]"),
    ("reservations", "[{reservations.started+time}, {reservations.late} late]"),
    ("interrupted", "[{interruptions+time}]"),
    (
        "GPUs",
        "[{gpus.utilization} held][; of the free ones {gpus.stranded} stranded][, {fragmentation} fragmented]",
    ),
    ("energy", "[{energy.total}, {energy.idle} of it idle]"),
    ("loss of CPU", "[{loss-of-cpu}]"),
    ("loss of capacity", "[{loss-of-capacity.per-slot}]"),
    ("skewness", "[{scheduling-skewness}]"),
    ("fairness", "[{fairness}]"),
    ("late frames", "[{deadlines.missed}]"),
];

/// Figures of a run on the terminal, above this strip chart.
pub(super) fn on_the_terminal<'a>(finished: &Finished, strip: ShownStrip<'a>) -> Shown<'a> {
    let number = |metric: &str| finished.figures.number(metric);
    let mut facts = vec![("processors", grouped(u64::from(finished.outcomes.setting.procs)))];
    if let Some(submitted) = number("jobs.submitted").filter(|_| !all_completed(finished)) {
        facts.push(("submitted", grouped(submitted as u64)));
    }
    // to all digits that are shown it may be the time that processors were held
    let percent = |metric: &str| number(metric).map(|share| format!("{} %", plain(share * 100.0)));
    let useful =
        percent("useful-utilization").filter(|useful| percent("utilization").as_ref() != Some(useful));
    facts.extend(useful.map(|useful| ("useful", useful)));
    // jobs of nodes are often shorter than the bound of their slowdowns
    let rows = if number("cpu-utilization").is_some() { &STATISTICS[..4] } else { &STATISTICS[..] };
    let has_profile = finished.outcomes.profile.is_some();
    Shown {
        statistics: rows.to_vec(),
        lines: if has_profile { &LINES[..] } else { &LINES[..10] }.to_vec(),
        facts,
        shares: Some(("profile", "processor time")),
        lists: Vec::new(),
        strip: Some(strip),
        batch_means_of: Some("jobs"),
    }
}

/// Returns true if every observed job was completed.
fn all_completed(finished: &Finished) -> bool {
    let number = |metric: &str| finished.figures.find(metric).map(|metric| metric.value);
    number("jobs.submitted") == number("jobs.completed")
}
