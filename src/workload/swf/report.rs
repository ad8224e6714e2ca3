//! What reading a log had to do: every drop and repair counted by its cause, with the lines it happened in. The causes are
//! those of every format of logs, so that all are told alike.

use tracing::debug;

/// What a cause does to a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The job is not in the workload.
    Dropped,
    /// The job is in the workload, with something mended.
    Repaired,
    /// The job is in the workload as it stands, and worth a look.
    Kept,
    /// The job is left out because the window was asked for.
    Cut,
    /// The record is no job of its own, but part of another one.
    Folded,
}

/// Why a job was dropped, repaired, cut or looked at twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cause {
    /// Run time unknown or zero: dropped.
    NoRunTime,
    /// Neither allocated nor requested processors: dropped.
    NoProcs,
    /// Submit time unknown: dropped.
    NoSubmit,
    /// Allocated processors unknown: the requested ones are used.
    ProcsFromRequest,
    /// No requested time: the run time is the estimate.
    EstimateFromRunTime,
    /// Requested time below the run time: the estimate is raised to it.
    EstimateRaised,
    /// Job number unknown: numbered by its place.
    NoNumber,
    /// Job number of a job further up: kept, so that two jobs have one number.
    NumberTwice,
    /// Submitted before the job of the line before: sorted.
    LateSubmit,
    /// Fields after the eighteenth: left unread.
    ExtraFields,
    /// Submitted outside the window: cut.
    OutsideWindow,
    /// Never started: dropped.
    NeverStarted,
    /// Not over yet: dropped.
    StillRunning,
    /// Does what detail `job` cannot express: dropped.
    Inexpressible,
    /// Computes, but nothing tells how fast: dropped.
    NoSpeed,
    /// Submitted or running later than virtual time reaches: dropped.
    BeyondClock,
    /// A step of a job: folded.
    Step,
    /// A part of a heterogeneous job: its processors are added to those of the first part.
    Part,
    /// A task of an array without a number of its own: numbered behind all others.
    ArrayTask,
    /// Ran longer than its walltime, at which it ends.
    CutAtWalltime,
    /// Could not start when it was submitted: kept.
    HeldBack,
    /// Ended to be tried again: every try is a job.
    TriedAgain,
    /// In a state that is not known: kept, its status unknown.
    UnknownState,
    /// Asked for memory: kept without.
    Memory,
    /// Asked for generic resources: kept without.
    Gres,
    /// Asked for nodes with features: kept without.
    Features,
    /// Its preceding job is not in the workload: it depends on nobody.
    PrecedingAbsent,
    /// Its preceding job does not stand before it: it depends on nobody.
    PrecedingLater,
}

impl Cause {
    /// All causes, in the order they are reported.
    pub const ALL: [Cause; 28] = [
        Cause::NoRunTime,
        Cause::NoProcs,
        Cause::NoSubmit,
        Cause::ProcsFromRequest,
        Cause::EstimateFromRunTime,
        Cause::EstimateRaised,
        Cause::NoNumber,
        Cause::NumberTwice,
        Cause::LateSubmit,
        Cause::ExtraFields,
        Cause::OutsideWindow,
        Cause::NeverStarted,
        Cause::StillRunning,
        Cause::Inexpressible,
        Cause::NoSpeed,
        Cause::BeyondClock,
        Cause::Step,
        Cause::Part,
        Cause::ArrayTask,
        Cause::CutAtWalltime,
        Cause::HeldBack,
        Cause::TriedAgain,
        Cause::UnknownState,
        Cause::Memory,
        Cause::Gres,
        Cause::Features,
        Cause::PrecedingAbsent,
        Cause::PrecedingLater,
    ];

    /// Its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::NoRunTime => "no-run-time",
            Cause::NoProcs => "no-procs",
            Cause::NoSubmit => "no-submit-time",
            Cause::ProcsFromRequest => "procs-from-request",
            Cause::EstimateFromRunTime => "estimate-from-run-time",
            Cause::EstimateRaised => "estimate-raised",
            Cause::NoNumber => "no-job-number",
            Cause::NumberTwice => "job-number-twice",
            Cause::LateSubmit => "late-submit",
            Cause::ExtraFields => "extra-fields",
            Cause::OutsideWindow => "outside-window",
            Cause::NeverStarted => "never-started",
            Cause::StillRunning => "still-running",
            Cause::Inexpressible => "inexpressible",
            Cause::NoSpeed => "no-speed",
            Cause::BeyondClock => "beyond-clock",
            Cause::Step => "job-step",
            Cause::Part => "heterogeneous-part",
            Cause::ArrayTask => "array-task",
            Cause::CutAtWalltime => "cut-at-walltime",
            Cause::HeldBack => "held-back",
            Cause::TriedAgain => "tried-again",
            Cause::UnknownState => "unknown-state",
            Cause::Memory => "memory",
            Cause::Gres => "generic-resources",
            Cause::Features => "features",
            Cause::PrecedingAbsent => "preceding-absent",
            Cause::PrecedingLater => "preceding-later",
        }
    }

    /// What happened, in words that follow a count of jobs.
    pub const fn about(self) -> &'static str {
        match self {
            Cause::NoRunTime => "dropped: run time unknown or zero",
            Cause::NoProcs => "dropped: neither allocated nor requested processors",
            Cause::NoSubmit => "dropped: submit time unknown",
            Cause::ProcsFromRequest => "took requested processors, the allocated being unknown",
            Cause::EstimateFromRunTime => "took the run time as estimate, no time being requested",
            Cause::EstimateRaised => "had an estimate below the run time, raised to it",
            Cause::NoNumber => "numbered by place",
            Cause::NumberTwice => "had the number of a job further up, and kept it",
            Cause::LateSubmit => "submitted before the line above, and sorted",
            Cause::ExtraFields => "had more than 18 fields, the rest left unread",
            Cause::OutsideWindow => "left out: submitted outside the window",
            Cause::NeverStarted => "dropped: never started, or not yet",
            Cause::StillRunning => "dropped: still running, their run time not known",
            Cause::Inexpressible => {
                "dropped: communicate, stage data or replay a trace, which detail `job` cannot express"
            }
            Cause::NoSpeed => "dropped: compute, and no `speed` tells how fast",
            Cause::BeyondClock => "dropped: submitted later than in 285 years, or running for longer",
            Cause::Step => "passed over: job steps, whose jobs stand for them",
            Cause::Part => "joined with the first part of a heterogeneous job",
            Cause::ArrayTask => "numbered behind all others: tasks of arrays without JobIDRaw",
            Cause::CutAtWalltime => "cut at the walltime, which the run would have passed",
            Cause::HeldBack => {
                "could not start when submitted (dependency, begin time, limit of an array); their wait is longer"
            }
            Cause::TriedAgain => {
                "ended by a requeue, a preemption or a failed node; every try that is told is a job"
            }
            Cause::UnknownState => "kept, in a state that is not known",
            Cause::Memory => "asked for memory, which is not simulated",
            Cause::Gres => "had GPUs or other generic resources, which are not simulated",
            Cause::Features => "asked for nodes with features, which are not simulated",
            Cause::PrecedingAbsent => "named a preceding job that is not there, and wait for nobody",
            Cause::PrecedingLater => {
                "named a preceding job that is not submitted before them, and wait for nobody"
            }
        }
    }

    /// What it does to a job.
    pub const fn effect(self) -> Effect {
        match self {
            Cause::NoRunTime
            | Cause::NoProcs
            | Cause::NoSubmit
            | Cause::NeverStarted
            | Cause::StillRunning
            | Cause::Inexpressible
            | Cause::NoSpeed
            | Cause::BeyondClock => Effect::Dropped,
            Cause::OutsideWindow => Effect::Cut,
            Cause::Step | Cause::Part => Effect::Folded,
            Cause::NumberTwice
            | Cause::HeldBack
            | Cause::TriedAgain
            | Cause::UnknownState
            | Cause::Memory
            | Cause::Gres
            | Cause::Features => Effect::Kept,
            _ => Effect::Repaired,
        }
    }
}

/// How often a cause happened, and where.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Jobs it happened to.
    pub count: u64,
    /// The lines of the first of them, as many as were asked for.
    pub lines: Vec<u64>,
}

/// What reading a log had to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Job lines read.
    pub jobs: u64,
    tallies: [Tally; Cause::ALL.len()],
    keep: usize,
}

impl Report {
    /// An empty report that keeps the first `keep` lines of each cause.
    pub(crate) fn new(keep: usize) -> Self {
        Report { jobs: 0, tallies: Default::default(), keep }
    }

    /// Counts a record that `cause` happened to, in `line`.
    pub(crate) fn count(&mut self, cause: Cause, line: u64) {
        self.count_many(cause, 1, line);
    }

    /// Counts so many jobs that one record stands for and `cause` happened to, in `line`.
    pub(crate) fn count_many(&mut self, cause: Cause, jobs: u64, line: u64) {
        debug!(line, cause = cause.name(), effect = ?cause.effect(), "job not taken as it stands");
        let tally = &mut self.tallies[cause as usize];
        tally.count = tally.count.saturating_add(jobs);
        if tally.lines.len() < self.keep {
            tally.lines.push(line);
        }
    }

    /// Counts the jobs that the window leaves out; no lines are kept of what was asked for.
    pub(super) fn cut(&mut self, jobs: u64) {
        self.tallies[Cause::OutsideWindow as usize].count += jobs;
    }

    /// How often a cause happened, and where.
    pub fn tally(&self, cause: Cause) -> &Tally {
        &self.tallies[cause as usize]
    }

    /// The causes that happened, in the order of [`Cause::ALL`].
    pub fn tallies(&self) -> impl Iterator<Item = (Cause, &Tally)> {
        Cause::ALL.into_iter().map(|cause| (cause, self.tally(cause))).filter(|(_, tally)| tally.count > 0)
    }

    /// Jobs that causes of this effect happened to (a job is counted once for each cause).
    pub fn total(&self, effect: Effect) -> u64 {
        self.tallies().filter(|(cause, _)| cause.effect() == effect).map(|(_, tally)| tally.count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_stand_at_their_own_place() {
        for (place, cause) in Cause::ALL.into_iter().enumerate() {
            assert_eq!(cause as usize, place, "{}", cause.name());
        }
    }

    #[test]
    fn a_report_counts_all_and_keeps_the_first_lines() {
        let mut report = Report::new(2);
        for line in [4, 8, 9] {
            report.count(Cause::NoProcs, line);
        }
        report.count(Cause::LateSubmit, 9);
        assert_eq!(*report.tally(Cause::NoProcs), Tally { count: 3, lines: vec![4, 8] });
        assert_eq!(report.total(Effect::Dropped), 3);
        assert_eq!(report.tallies().count(), 2);
    }
}
