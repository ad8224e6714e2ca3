//! The record of a run: when each job started and ended, where, and why then.
//!
//! ```text
//! Expected ──(1) started──▶ Running ──(2) ended──▶ Completed
//!     │                        └─────(4) killed──▶ Killed
//!     └────(3) rejected──▶ Rejected
//! ```
//!
//! A run that is stopped leaves jobs Expected or Running. Processors of all jobs stand in one list, so a job costs
//! 32 bytes and 8 more for each interval it ran on.

use crate::collections::Interval;
use crate::ids::JobId;
use crate::kernel::SimTime;

use super::Site;

/// What has become of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not started yet: not submitted, or waiting.
    Expected,
    /// Started and not ended.
    Running,
    /// Ended by itself.
    Completed,
    /// Ended by its limit: it would have gone on.
    Killed,
    /// Refused: it needs more processors than there are, or asks for service that cannot be given.
    Rejected,
}

impl State {
    /// Whether it is that of a job that ran and left, by itself or by its limit.
    pub fn has_run(self) -> bool {
        matches!(self, State::Completed | State::Killed)
    }
}

/// Why a job was started when it was, or why it was rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It stood first in the queue, and there was room.
    Head,
    /// It fitted, and the discipline passes over jobs that do not.
    Fits,
    /// It overtook, being over by its estimate before the head of the queue can start.
    BeforeShadow,
    /// It overtook, on processors that the head of the queue leaves free.
    Extra,
    /// It overtook, delaying none of several reservations.
    BesideReservations,
    /// Its own reservation was reached, or could be moved to that instant, while jobs before it wait.
    Reservation,
    /// A limit that had held it back was lifted at that instant.
    LimitLifted,
    /// It was next, and a row of the matrix had room.
    Row,
    /// It was next, and a row had room once rows had been compacted.
    Compacted,
    /// It overtook, in another row than the one promised to the head of the queue.
    OtherRow,
    /// The share of processors or slices that it reserves could be kept.
    Admitted,
    /// Rejected: it needs more processors than there are.
    TooLarge,
    /// Rejected: a limit of its queue can never let it run.
    QueueLimit,
    /// Rejected: the policy refused it.
    Refused,
}

impl Reason {
    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Head => "head",
            Reason::Fits => "fits",
            Reason::BeforeShadow => "before-shadow",
            Reason::Extra => "extra-processors",
            Reason::BesideReservations => "beside-reservations",
            Reason::Reservation => "own-reservation",
            Reason::LimitLifted => "limit-lifted",
            Reason::Row => "row-with-room",
            Reason::Compacted => "after-compaction",
            Reason::OtherRow => "other-row",
            Reason::Admitted => "admitted",
            Reason::TooLarge => "too-large",
            Reason::QueueLimit => "queue-limit",
            Reason::Refused => "refused",
        }
    }

    /// Why the next job by a discipline starts: it stands first in the queue, or is the first that fits.
    pub fn next(first: bool) -> Self {
        if first { Reason::Head } else { Reason::Fits }
    }
}

/// What has become of one job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// When it started; when it was refused, if it was.
    pub start: SimTime,
    /// When it ended.
    pub end: SimTime,
    first_interval: u32,
    intervals: u32,
    /// How far it came.
    pub state: State,
    /// Why it started then, or was rejected.
    pub reason: Reason,
}

impl Outcome {
    const EXPECTED: Outcome = Outcome {
        start: SimTime::MAX,
        end: SimTime::MAX,
        first_interval: 0,
        intervals: 0,
        state: State::Expected,
        reason: Reason::Head,
    };
}

/// The outcomes of all jobs of a run.
#[derive(Clone, Debug, Default)]
pub struct Record {
    outcomes: Vec<Outcome>,
    intervals: Vec<Interval>,
    /// Jobs that left, completed, killed or rejected, in that order.
    left: Vec<JobId>,
    /// Where processors are shared: how many were in use from each instant on, at its end.
    in_use: Vec<(SimTime, u32)>,
    /// Reservations that came due and could not be kept, where all jobs have one.
    moved: Option<u64>,
    /// What the site does beyond giving processors.
    site: Site,
}

impl Record {
    /// A record for this many jobs, none of them started.
    pub fn new(jobs: usize) -> Self {
        Record {
            outcomes: vec![Outcome::EXPECTED; jobs],
            intervals: Vec::with_capacity(jobs),
            left: Vec::with_capacity(jobs),
            in_use: Vec::new(),
            moved: None,
            site: Site::default(),
        }
    }

    /// The same of a site that does this beyond giving processors.
    #[must_use]
    pub fn at(self, site: Site) -> Self {
        Record { site, ..self }
    }

    /// What the site does beyond giving processors.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Notes that a job starts on these processors.
    ///
    /// # Panics
    /// If the job is not [`State::Expected`].
    pub fn started(&mut self, job: JobId, now: SimTime, on: &[Interval], reason: Reason) {
        let first =
            u32::try_from(self.intervals.len()).expect("at most 2^32 intervals are allocated in a run");
        self.intervals.extend_from_slice(on);
        let outcome = &mut self.outcomes[job.index()];
        assert!(outcome.state == State::Expected, "a job starts once");
        *outcome = Outcome {
            start: now,
            first_interval: first,
            intervals: on.len() as u32,
            state: State::Running,
            reason,
            ..*outcome
        };
    }

    /// Notes that a job ends by itself.
    ///
    /// # Panics
    /// If the job is not [`State::Running`].
    pub fn ended(&mut self, job: JobId, now: SimTime) {
        self.over(job, now, State::Completed);
    }

    /// Notes that a job is killed at its limit.
    ///
    /// # Panics
    /// If the job is not [`State::Running`].
    pub fn killed(&mut self, job: JobId, now: SimTime) {
        self.over(job, now, State::Killed);
    }

    fn over(&mut self, job: JobId, now: SimTime, state: State) {
        let outcome = &mut self.outcomes[job.index()];
        assert!(outcome.state == State::Running, "only a running job ends");
        outcome.end = now;
        outcome.state = state;
        self.left.push(job);
    }

    /// Notes that a running job is on other processors from now on: from the lowest, where it ends unless it moves again.
    ///
    /// # Panics
    /// If the job is not [`State::Running`].
    pub fn migrated(&mut self, job: JobId, on: &[Interval]) {
        let outcome = &mut self.outcomes[job.index()];
        assert!(outcome.state == State::Running, "only a running job moves");
        let count = on.len() as u32;
        if count > outcome.intervals {
            outcome.first_interval =
                u32::try_from(self.intervals.len()).expect("at most 2^32 intervals are allocated in a run");
            self.intervals.extend_from_slice(on);
        } else {
            let first = outcome.first_interval as usize;
            self.intervals[first..first + on.len()].copy_from_slice(on);
        }
        outcome.intervals = count;
    }

    /// Notes how many processors are in use from now on, where jobs share them.
    pub fn in_use(&mut self, now: SimTime, processors: u32) {
        match self.in_use.last_mut() {
            Some((at, count)) if *at == now => *count = processors,
            Some((_, count)) if *count == processors => {}
            _ => self.in_use.push((now, processors)),
        }
    }

    /// Notes how many reservations came due that could not be kept, because a job outlasted its estimate.
    pub fn reservations_moved(&mut self, moved: u64) {
        self.moved = Some(moved);
    }

    /// How many reservations came due that could not be kept, where every waiting job has one.
    pub fn moved(&self) -> Option<u64> {
        self.moved
    }

    /// Where processors are shared: how many were in use, from each instant to the next; empty where they are not.
    pub fn usage(&self) -> &[(SimTime, u32)] {
        &self.in_use
    }

    /// Notes that a job is refused at its submission.
    ///
    /// # Panics
    /// If the job is not [`State::Expected`].
    pub fn rejected(&mut self, job: JobId, now: SimTime, reason: Reason) {
        let outcome = &mut self.outcomes[job.index()];
        assert!(outcome.state == State::Expected, "a job is rejected before it starts");
        *outcome = Outcome { start: now, end: now, state: State::Rejected, reason, ..*outcome };
        self.left.push(job);
    }

    /// What has become of a job.
    pub fn outcome(&self, job: JobId) -> &Outcome {
        &self.outcomes[job.index()]
    }

    /// What has become of each job, in order of submission.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// The processors a job ran on, from the lowest; none if it did not start.
    pub fn processors(&self, job: JobId) -> &[Interval] {
        let outcome = self.outcome(job);
        let first = outcome.first_interval as usize;
        &self.intervals[first..first + outcome.intervals as usize]
    }

    /// Jobs that left, in order of leaving; at equal times in order of submission.
    pub fn left(&self) -> Vec<JobId> {
        let mut left = self.left.clone();
        // nearly sorted: jobs leave as time goes
        left.sort_by_key(|&job| (self.outcome(job).end, job));
        left
    }

    /// How many jobs have left so far.
    pub fn left_count(&self) -> usize {
        self.left.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_takes_32_bytes() {
        assert_eq!(size_of::<Outcome>(), 32);
    }

    #[test]
    fn a_job_that_moves_is_where_it_was_last() {
        let mut record = Record::new(2);
        let on = |parts: &[(u32, u32)]| -> Vec<Interval> {
            parts.iter().map(|&(first, last)| Interval::new(first, last)).collect()
        };
        record.started(JobId(0), SimTime::ZERO, &on(&[(0, 3)]), Reason::Head);
        record.started(JobId(1), SimTime::ZERO, &on(&[(4, 5)]), Reason::Head);
        record.migrated(JobId(0), &on(&[(0, 1), (6, 7)]));
        assert_eq!(record.processors(JobId(0)), on(&[(0, 1), (6, 7)]));
        record.migrated(JobId(0), &on(&[(2, 5)]));
        assert_eq!(
            (record.processors(JobId(0)), record.processors(JobId(1))),
            (&on(&[(2, 5)])[..], &on(&[(4, 5)])[..])
        );
    }

    #[test]
    fn jobs_leave_in_order_of_end_then_of_submission() {
        let at = SimTime::from_nanos;
        let mut record = Record::new(4);
        for job in [2, 0, 1] {
            record.started(JobId(job), at(0), &[Interval::new(job, job)], Reason::Head);
        }
        record.ended(JobId(2), at(5));
        record.ended(JobId(0), at(5));
        record.rejected(JobId(3), at(5), Reason::TooLarge);
        record.ended(JobId(1), at(9));
        assert_eq!(record.left(), [JobId(0), JobId(2), JobId(3), JobId(1)]);
        assert_eq!(record.processors(JobId(2)), [Interval::new(2, 2)]);
        assert_eq!(record.processors(JobId(3)), []);
    }
}
