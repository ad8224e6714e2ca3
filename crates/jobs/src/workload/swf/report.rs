//! The report of reading a log: every drop and repair counted by its cause, with the lines it
//! happened in. The causes are those of every format of logs, so that all are reported alike.

use tracing::debug;

use crate::output::number::{counted, grouped};
use crate::registry::definition::words;

/// The effect of a cause on a job.
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
    /// The record is of a job that did not run, or not yet.
    NotRun,
    /// The record cannot be read.
    Unread,
}

words! {
    /// Reason that a job was dropped, repaired, cut or looked at twice; its meaning is in words
    /// that follow a count of jobs.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum Cause {
        NoRunTime = "no-run-time", "dropped: run time unknown or zero";
        NoProcs = "no-procs", "dropped: neither allocated nor requested processors";
        NoSubmit = "no-submit-time", "dropped: submit time unknown";
        ProcsFromRequest = "procs-from-request", "took requested processors, the allocated being unknown";
        EstimateFromRunTime = "estimate-from-run-time", "took the run time as estimate, no time being requested";
        EstimateRaised = "estimate-raised", "had an estimate below the run time, raised to it";
        NoNumber = "no-job-number", "numbered by place";
        NumberTwice = "job-number-twice", "had the number of a job further up, and kept it";
        LateSubmit = "late-submit", "submitted before the line above, and sorted";
        StartBeforeSubmit = "start-before-submit", "started before the submission, which is moved to the start";
        ExtraFields = "extra-fields", "had more than 18 fields, the rest left unread";
        OutsideWindow = "outside-window", "left out: submitted outside the window";
        NeverStarted = "never-started", "dropped: never started, or not yet";
        StillRunning = "still-running", "dropped: still running, the run time not known";
        Inexpressible = "inexpressible", "dropped: communication, staged data or a replayed trace, which detail `job` cannot express";
        NoSpeed = "no-speed", "dropped: computing, and no `speed` states how fast";
        BeyondClock = "beyond-clock", "dropped: submitted later than in 285 years, or running for longer";
        Step = "job-step", "passed over: job steps, whose jobs stand for them";
        Part = "heterogeneous-part", "joined with the first part of a heterogeneous job";
        Burst = "burst", "passed over: bursts of jobs that ran in parts (status 2, 3, 4), whose summary lines stand for them";
        JoinedBurst = "joined-burst", "joined with the first burst of a job that has no summary line";
        OfBursts = "of-bursts", "without a summary line: the run time is the sum of the bursts";
        ArrayTask = "array-task", "numbered behind all others: tasks of arrays without JobIDRaw";
        CutAtWalltime = "cut-at-walltime", "cut at the walltime, which the run would have passed";
        HeldBack = "held-back", "could not start when submitted (dependency, begin time, limit of an array); the wait is longer";
        TriedAgain = "tried-again", "ended by a requeue, a preemption or a failed node; every recorded try is a job";
        UnknownState = "unknown-state", "kept, in a state that is not known";
        Memory = "memory", "asked for memory, which is not simulated";
        Gres = "generic-resources", "had GPUs or other generic resources, which are not simulated";
        Features = "features", "asked for nodes with features, which are not simulated";
        GpuTypes = "gpu-types", "had GPUs of several types, any of which serve here";
        GpuPart = "gpu-part", "had a part of a GPU (a slice or a share), in place of which a whole one is held";
        AnyGpu = "any-gpu", "asked for a type of GPU, and no node has any: all GPUs serve";
        EndsBeforeStart = "ends-before-start", "dropped: ended before the start";
        NoSize = "no-size", "dropped: neither processors nor nodes nor GPUs";
        ProcsFromNodes = "procs-from-nodes", "took a processor a node, the processors being unknown";
        ProcsFromGpus = "procs-from-gpus", "took a processor a GPU, processors and nodes being unknown";
        RoundedUp = "rounded-up", "had an amount that is not whole, in place of which the next whole one is held";
        RunTimeDiffers = "run-time-differs", "with a recorded run time other than end minus start, which counts";
        NoZone = "no-zone", "with times whose zone nothing states, taken as UTC";
        PrecedingAbsent = "preceding-absent", "named a preceding job that is not there: none is waited for";
        PrecedingLater = "preceding-later", "named a preceding job that is not submitted earlier: none is waited for";
        Pending = "pending", "pending when the log was taken, and not run here";
        CancelledBefore = "cancelled-before-start", "cancelled before the start, and not run here";
        Suspended = "suspended", "suspended for a time, which is no run time";
        AmbiguousHour = "ambiguous-hour", "with a time in an hour that the clock repeats, taken as the earlier one";
        ClockJump = "clock-jump", "ended whole hours earlier or later, by the clock, than the run took: it changed meanwhile";
        UnreadFields = "unread-fields", "not read: too few fields, or more than can be told apart";
        UnreadName = "unread-job-id", "not read: the name of the job is none";
        UnreadTime = "unread-time", "not read: a time of day is none";
        UnreadRunTime = "unread-run-time", "not read: the run time is negative, missing or none";
        UnreadTimeLimit = "unread-time-limit", "not read: the time limit is none";
        UnreadNumber = "unread-number", "not read: an amount of processors or nodes is no number";
        UnreadResources = "unread-resources", "not read: an amount of memory, GPUs or energy is none";
        UnreadText = "unread-text", "not read: bytes that no text holds";
    }
}

impl Cause {
    /// The effect on a job.
    pub const fn effect(self) -> Effect {
        match self {
            Cause::NoRunTime
            | Cause::NoProcs
            | Cause::NoSubmit
            | Cause::NeverStarted
            | Cause::StillRunning
            | Cause::EndsBeforeStart
            | Cause::NoSize
            | Cause::Inexpressible
            | Cause::NoSpeed
            | Cause::BeyondClock => Effect::Dropped,
            Cause::OutsideWindow => Effect::Cut,
            Cause::Pending | Cause::CancelledBefore => Effect::NotRun,
            Cause::UnreadFields
            | Cause::UnreadName
            | Cause::UnreadTime
            | Cause::UnreadRunTime
            | Cause::UnreadTimeLimit
            | Cause::UnreadNumber
            | Cause::UnreadResources
            | Cause::UnreadText => Effect::Unread,
            Cause::Step | Cause::Part | Cause::Burst | Cause::JoinedBurst => Effect::Folded,
            Cause::NumberTwice
            | Cause::HeldBack
            | Cause::TriedAgain
            | Cause::UnknownState
            | Cause::RunTimeDiffers
            | Cause::NoZone
            | Cause::Suspended
            | Cause::AmbiguousHour
            | Cause::ClockJump
            | Cause::Memory
            | Cause::Gres
            | Cause::Features
            | Cause::GpuTypes
            | Cause::GpuPart
            | Cause::AnyGpu => Effect::Kept,
            _ => Effect::Repaired,
        }
    }
}

/// Number of times that a cause happened, and where.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Jobs it happened to.
    pub count: u64,
    /// The lines of the first of them, as many as were asked for.
    pub lines: Vec<u64>,
}

impl Tally {
    /// A cause that never happened.
    const NONE: Tally = Tally { count: 0, lines: Vec::new() };
}

/// The drops and repairs made while a log was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Job lines read.
    pub jobs: u64,
    tallies: [Tally; Cause::ALL.len()],
    keep: usize,
}

impl Report {
    /// An empty report that keeps the first `keep` lines of each cause.
    pub fn new(keep: usize) -> Self {
        Report { jobs: 0, tallies: [const { Tally::NONE }; Cause::ALL.len()], keep }
    }

    /// Counts a record that `cause` happened to, in `line`.
    pub fn count(&mut self, cause: Cause, line: u64) {
        self.count_many(cause, 1, line);
    }

    /// Counts a record in `line` by each of these causes that happened to it.
    pub fn count_all(&mut self, line: u64, causes: impl IntoIterator<Item = (Cause, bool)>) {
        causes.into_iter().filter(|(_, happened)| *happened).for_each(|(cause, _)| self.count(cause, line));
    }

    /// Counts `jobs` jobs that one record stands for and `cause` happened to, in `line`.
    pub fn count_many(&mut self, cause: Cause, jobs: u64, line: u64) {
        debug!(line, cause = cause.name(), effect = ?cause.effect(), "job not taken as it stands");
        let tally = &mut self.tallies[cause as usize];
        tally.count = tally.count.saturating_add(jobs);
        if tally.lines.len() < self.keep {
            tally.lines.push(line);
        }
    }

    /// Counts jobs that `cause` happened to after they were read, in no line.
    pub fn count_read(&mut self, cause: Cause, jobs: u64) {
        self.tallies[cause as usize].count += jobs;
    }

    /// Number of times that a cause happened, and where.
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

/// The report in words.
impl Report {
    /// Number of jobs and of every cause, in one line; `None` if nothing happened.
    pub fn short(&self) -> Option<String> {
        let causes: Vec<String> = self
            .tallies()
            .map(|(cause, tally)| format!("{} {}", grouped(tally.count), cause.name()))
            .collect();
        (!causes.is_empty()).then(|| {
            format!("{} read; {} (-v lists the lines)", counted(self.jobs, "job"), causes.join(", "))
        })
    }

    /// Every cause with the first lines in which it happened.
    pub fn long(&self) -> Vec<String> {
        let in_words = |(cause, tally): (Cause, &Tally)| {
            let lines: Vec<String> = tally.lines.iter().map(ToString::to_string).collect();
            let more = if tally.count > tally.lines.len() as u64 { ", …" } else { "" };
            let place =
                if lines.is_empty() { String::new() } else { format!(": line {}{more}", lines.join(", ")) };
            let is_record = matches!(cause.effect(), Effect::Folded | Effect::Unread);
            let one = if is_record { "record" } else { "job" };
            format!("{} {}{place}", counted(tally.count, one), cause.about())
        };
        self.tallies().map(in_words).collect()
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
    fn the_words_of_a_cause_fit_one_job_and_several() {
        let words = |jobs: u64| {
            let mut report = Report::new(0);
            report.jobs = jobs;
            report.count_read(Cause::NoZone, jobs);
            (report.long(), report.short())
        };
        let (long, short) = words(1);
        assert_eq!(long, ["1 job with times whose zone nothing states, taken as UTC"]);
        assert_eq!(short.as_deref(), Some("1 job read; 1 no-zone (-v lists the lines)"));
        assert_eq!(words(2).0, ["2 jobs with times whose zone nothing states, taken as UTC"]);
        // no verb is that of several alone, and nothing speaks of them
        for (cause, words) in Cause::ALL.map(|cause| (cause, format!(" {}", cause.about()))) {
            let plural = [" have ", " hold ", " their ", " they "].map(|word| words.contains(word));
            assert!(plural == [false; 4] || cause == Cause::CutAtWalltime, "{words}");
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
