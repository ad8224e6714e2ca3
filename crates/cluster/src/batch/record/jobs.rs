//! The record of a run: when each job started and ended, where, and why then.
//!
//! ```text
//! Expected ──(1) started──▶ Running ──(2) ended──▶ Completed
//!     │ ◀──(5) interrupted────┤ ├────(4) killed──▶ Killed
//!     │                       │ └────(6) lost──▶ Lost
//!     ├────(3) rejected──▶ Rejected  └──(7) cancelled──▶ Cancelled
//!     └────(8) withdrawn─────────────────────────────────────▲
//! ```
//!
//! Where nodes fail, the outcome of a job is that of its last run; [`Outages`] has earlier ones.
//!
//! A run that is stopped leaves jobs Expected or Running. Each column of the record stands by
//! itself, so that no byte is lost to alignment; [`places`](super::places) has the processors.

use std::borrow::Cow;
use std::sync::Arc;

use crate::batch::pools::Pools;
use crate::collections::{Interval, OrderedMap, OrderedSet, sort_by_numbers};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::definition::words;
use crate::workload::resources::{GpuShare, Resources};
use crate::workload::{Attributes, Job};

use super::feature_steps::FeatureSteps;
use super::matrix::MatrixSpans;
use super::outages::{Attempt, Outages};
use super::own_cells::OwnCells;
use super::places::{Keep, Places};
use super::reason::{OwnReason, Reason};
use super::reservations::Reserved;
use super::site::SiteModel;

words! {
    /// State of a job.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum State {
        Expected = "waiting", "not started yet: not submitted, or waiting";
        Running = "running", "started and not ended";
        Completed = "completed", "ended by itself";
        Killed = "killed", "ended by its limit: it would have gone on";
        Cancelled = "cancelled", "taken away by its user, before it started or while it ran";
        Lost = "lost", "ended because a node failed that it ran on";
        Rejected = "rejected", "refused: `reason` says why";
    }
}

impl State {
    /// Name in the column `final_state` of Batsim's jobs.csv; `None` for a job that has not left.
    pub const fn final_state(self) -> Option<&'static str> {
        match self {
            State::Expected | State::Running => None,
            State::Completed => Some("COMPLETED_SUCCESSFULLY"),
            State::Killed => Some("COMPLETED_WALLTIME_REACHED"),
            State::Cancelled => Some("CANCELLED"),
            State::Lost => Some("COMPLETED_FAILED"),
            State::Rejected => Some("REJECTED"),
        }
    }

    /// Returns true if it is that of a job that ran and left, by itself or by its limit.
    pub fn has_run(self) -> bool {
        matches!(self, State::Completed | State::Killed)
    }

    /// Returns true if it is that of a job that ran and left, for whatever reason.
    pub fn is_over(self) -> bool {
        self.has_run() || self == State::Lost
    }
}

/// Outcome of one job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Instant at which it started; when it was refused or cancelled, if it did not.
    pub start: SimTime,
    /// Instant at which it ended.
    pub end: SimTime,
    /// State of the job.
    pub state: State,
    /// Reason that it started then, or was rejected.
    pub reason: Reason,
}

impl Outcome {
    /// Returns true if it had processors and has left.
    pub fn ran(&self) -> bool {
        self.state.is_over() || (self.state == State::Cancelled && self.reason != Reason::Withdrawn)
    }
}

/// The outcomes of all jobs of a run.
///
/// A job that left costs 27 bytes, and two or more for each of several intervals; 18 where [`Keep`]
/// keeps places of running jobs only.
#[derive(Clone, Debug)]
pub struct Record {
    pub(super) starts: Vec<SimTime>,
    pub(super) ends: Vec<SimTime>,
    /// States, and the reasons as bytes.
    pub(super) fates: Vec<(State, u8)>,
    reasons: Reasons,
    pub(super) places: Places,
    /// Jobs that left, whatever became of them.
    left: usize,
    /// Numbers of processors in use from each instant on, where processors are shared.
    in_use: Vec<(SimTime, u32)>,
    /// Reservations that came due and could not be kept, where all jobs have one.
    moved: Option<u64>,
    /// From when on jobs were considered that had been held until others had left.
    pub(super) released: OrderedMap<JobId, SimTime>,
    /// Jobs that were submitted when others had left.
    pub(super) followers: OrderedSet<JobId>,
    /// Jobs that are submitted when others have left, which those had not when the run was stopped.
    pub(super) never_submitted: OrderedSet<JobId>,
    /// Jobs that wait for ever, as others before them did not succeed, or wait for ever too.
    pub(super) held_for_ever: OrderedSet<JobId>,
    /// Features of the site beyond giving processors.
    site: SiteModel,
    /// Resources of nodes beyond processors and demands of jobs, if they are known.
    pub(super) resources: Option<Arc<Resources>>,
    /// Pools beside processors with what jobs ask of them, if there are any.
    pub(super) pools: Option<Arc<Pools>>,
    /// GPUs of jobs, of their last runs, where they are distinguished.
    pub(super) gpus: OrderedMap<JobId, Box<[GpuShare]>>,
    /// Attributes of the jobs that only outputs show.
    pub(super) attributes: Arc<Attributes>,
    /// Outcome of nodes that failed.
    pub(super) outages: Outages,
    /// Requests of jobs that were given another size.
    pub(super) asked: OrderedMap<JobId, Job>,
    /// Processors of reservations.
    reserved: Reserved,
    /// Steps of features of another crate, if there are any.
    pub(super) steps: Option<FeatureSteps>,
    /// Columns of features of another crate, if they have any.
    pub(super) own_cells: Option<OwnCells>,
    /// Rows of the matrix in which jobs stood, if there is one and that is kept.
    pub(super) matrix: Option<MatrixSpans>,
}

impl Record {
    /// A record for this many jobs, none of them started.
    pub fn new(jobs: usize) -> Self {
        Record {
            starts: vec![SimTime::MAX; jobs],
            ends: vec![SimTime::MAX; jobs],
            fates: vec![(State::Expected, 0); jobs],
            reasons: Reasons::default(),
            places: Places::new(jobs, Keep::All),
            left: 0,
            in_use: Vec::new(),
            moved: None,
            released: OrderedMap::new(),
            followers: OrderedSet::new(),
            never_submitted: OrderedSet::new(),
            held_for_ever: OrderedSet::new(),
            site: SiteModel::default(),
            resources: None,
            pools: None,
            gpus: OrderedMap::new(),
            attributes: Arc::default(),
            outages: Outages::default(),
            asked: OrderedMap::new(),
            reserved: Reserved::default(),
            steps: None,
            own_cells: None,
            matrix: None,
        }
    }

    /// The same record that keeps places so long; no job may have started.
    #[must_use]
    pub fn keeping(self, keep: Keep) -> Self {
        Record { places: Places::new(self.starts.len(), keep), ..self }
    }

    /// The same of a site that does this beyond giving processors.
    #[must_use]
    pub fn at(self, site: SiteModel) -> Self {
        Record { site, ..self }
    }

    /// The same of nodes that have this beyond processors, if that is known.
    #[must_use]
    pub fn on_nodes(self, resources: Option<Arc<Resources>>) -> Self {
        Record { resources, ..self }
    }

    /// The same record of jobs with these attributes.
    #[must_use]
    pub fn of_jobs_with(self, attributes: Arc<Attributes>) -> Self {
        Record { attributes, ..self }
    }

    /// Attributes of the jobs that only outputs show.
    pub fn attributes(&self) -> &Attributes {
        &self.attributes
    }

    /// Resources of nodes beyond processors and demands of jobs, if they are known.
    pub fn resources(&self) -> Option<&Resources> {
        self.resources.as_deref()
    }

    /// Features of the site beyond giving processors.
    pub fn site(&self) -> &SiteModel {
        &self.site
    }

    /// Notes that a job starts on these processors.
    ///
    /// # Panics
    /// If the job is not [`State::Expected`].
    pub fn started(&mut self, job: JobId, now: SimTime, on: &[Interval], reason: Reason) {
        let at = job.index();
        assert!(self.fates[at].0 == State::Expected, "a job starts once");
        self.starts[at] = now;
        self.fates[at] = (State::Running, self.reasons.code(reason));
        self.places.put(job, on);
    }

    /// Notes that a job ends by itself.
    ///
    /// # Panics
    /// If the job is not [`State::Running`].
    pub fn ended(&mut self, job: JobId, now: SimTime) {
        self.over(job, now, State::Completed);
    }

    /// Notes that a job is cancelled by its user before it has started.
    ///
    /// # Panics
    /// If the job is not [`State::Expected`].
    pub fn withdrawn(&mut self, job: JobId, now: SimTime) {
        self.never_started(job, now, State::Cancelled, Reason::Withdrawn);
    }

    /// Notes that a job leaves its processors before it is over and waits again; `kept` is the work
    /// of this run that it need not do again.
    ///
    /// # Panics
    /// If the job is not [`State::Running`].
    pub fn interrupted(&mut self, job: JobId, now: SimTime, kept: SimDuration) {
        let at = job.index();
        assert!(self.fates[at].0 == State::Running, "only a running job is interrupted");
        let on = self.places.of(job).into_owned();
        let gpus = self.gpus.remove(&job).unwrap_or_default();
        let (start, ran) = (self.starts[at], SimDuration::ZERO);
        self.outages.add(Attempt { job, start, end: now, ran, kept, on, gpus });
        self.starts[at] = SimTime::MAX;
        self.fates[at] = (State::Expected, 0);
        self.places.vacate(job);
    }

    /// Outcome of nodes that failed.
    pub fn outages(&self) -> &Outages {
        &self.outages
    }

    /// The same, to note what happens to processors.
    pub fn outages_mut(&mut self) -> &mut Outages {
        &mut self.outages
    }

    /// Steps of features of another crate; `None` if there are no such features.
    pub fn steps(&self) -> Option<&FeatureSteps> {
        self.steps.as_ref()
    }

    /// The same, to note what they do; from the first use on there are such features.
    pub fn steps_mut(&mut self) -> &mut FeatureSteps {
        self.steps.get_or_insert_default()
    }

    /// Processors of reservations.
    pub fn reserved(&self) -> &Reserved {
        &self.reserved
    }

    /// The same, to note what they get.
    pub fn reserved_mut(&mut self) -> &mut Reserved {
        &mut self.reserved
    }

    /// Notes that a job is over: ended, killed at its limit, cancelled, or lost with a node.
    ///
    /// # Panics
    /// If the job is not [`State::Running`].
    pub fn over(&mut self, job: JobId, now: SimTime, state: State) {
        let state_now = &mut self.fates[job.index()].0;
        assert!(*state_now == State::Running, "only a running job ends");
        *state_now = state;
        self.ends[job.index()] = now;
        self.left += 1;
        self.places.left(job);
    }

    /// Notes that a running job is on other processors from now on, from the lowest.
    ///
    /// # Panics
    /// If the job is not [`State::Running`].
    pub fn migrated(&mut self, job: JobId, on: &[Interval]) {
        assert!(self.fates[job.index()].0 == State::Running, "only a running job moves");
        self.places.put(job, on);
    }

    /// Notes how many processors are in use from now on, where jobs share them.
    pub fn in_use(&mut self, now: SimTime, processors: u32) {
        match self.in_use.last_mut() {
            Some((at, count)) if *at == now => *count = processors,
            Some((_, count)) if *count == processors => {}
            _ => self.in_use.push((now, processors)),
        }
    }

    /// Notes the number of reservations that could not be kept, as jobs outlasted their estimates.
    pub fn reservations_moved(&mut self, moved: u64) {
        self.moved = Some(moved);
    }

    /// Number of reservations that could not be kept when due, where every waiting job has one.
    pub fn moved(&self) -> Option<u64> {
        self.moved
    }

    /// Numbers of processors in use, from each instant to the next; empty unless they are shared.
    pub fn usage(&self) -> &[(SimTime, u32)] {
        &self.in_use
    }

    /// Notes that a job is refused, at its submission or later.
    ///
    /// # Panics
    /// If the job is not [`State::Expected`].
    pub fn rejected(&mut self, job: JobId, now: SimTime, reason: Reason) {
        self.never_started(job, now, State::Rejected, reason);
    }

    fn never_started(&mut self, job: JobId, now: SimTime, state: State, reason: Reason) {
        let at = job.index();
        assert!(self.fates[at].0 == State::Expected, "a job is cancelled or rejected before it starts");
        (self.starts[at], self.ends[at]) = (now, now);
        self.fates[at] = (state, self.reasons.code(reason));
        self.left += 1;
        self.places.left(job);
    }

    /// Outcome of a job.
    pub fn outcome(&self, job: JobId) -> Outcome {
        let at = job.index();
        let (state, code) = self.fates[at];
        Outcome { start: self.starts[at], end: self.ends[at], state, reason: self.reasons.of(code) }
    }

    /// The state of a job, of its [outcome](Record::outcome).
    #[inline]
    pub fn state(&self, job: JobId) -> State {
        self.fates[job.index()].0
    }

    /// Last start of a job ([outcome](Record::outcome)); [`SimTime::MAX`] if it did not start.
    #[inline]
    pub fn start_time(&self, job: JobId) -> SimTime {
        self.starts[job.index()]
    }

    /// Instant at which a job left ([outcome](Record::outcome)); [`SimTime::MAX`] if it did not.
    #[inline]
    pub fn end_time(&self, job: JobId) -> SimTime {
        self.ends[job.index()]
    }

    /// Outcomes of all jobs, in order of submission.
    pub fn outcomes(&self) -> impl ExactSizeIterator<Item = Outcome> {
        (0..self.starts.len() as u32).map(|job| self.outcome(JobId(job)))
    }

    /// Processors of a job, from the lowest; none if it did not start or if they are not kept.
    pub fn processors(&self, job: JobId) -> Cow<'_, [Interval]> {
        self.places.of(job)
    }

    /// Jobs that left, in order of leaving; at equal times in order of submission.
    pub fn left(&self) -> Vec<JobId> {
        let mut left = Vec::with_capacity(self.left);
        let gone = |job: &JobId| !matches!(self.fates[job.index()].0, State::Expected | State::Running);
        left.extend((0..self.starts.len() as u32).map(JobId).filter(gone));
        sort_by_numbers(&mut left, |job| (self.ends[job.index()].as_nanos(), u64::from(job.0)));
        left
    }

    /// Number of jobs that have left so far.
    pub fn left_count(&self) -> usize {
        self.left
    }

    /// Notes the request of a job that is given another size; `None` if it keeps its own after all.
    pub fn molded(&mut self, job: JobId, asked: Option<Job>) {
        match asked {
            Some(asked) => self.asked.insert(job, asked),
            None => self.asked.remove(&job),
        };
    }

    /// A job as it asked to be run, if it was given another size.
    pub fn asked(&self, job: JobId) -> Option<&Job> {
        self.asked.get(&job)
    }
}

/// Reasons as bytes: the place of one declared here; own ones follow in the order of first use.
#[derive(Clone, Debug, Default)]
struct Reasons {
    own: Vec<&'static OwnReason>,
}

impl Reasons {
    /// The byte of a reason.
    ///
    /// # Panics
    /// If a run has more reasons than a byte has values: 256, those declared here included.
    fn code(&mut self, reason: Reason) -> u8 {
        let declared = Reason::ALL.len();
        let place = match reason {
            Reason::Own(own) => declared + self.place(own),
            _ => Reason::ALL.iter().position(|&other| other == reason).expect("every other one is declared"),
        };
        u8::try_from(place).expect("a run has 256 reasons at most")
    }

    fn place(&mut self, own: &'static OwnReason) -> usize {
        self.own.iter().position(|&other| std::ptr::eq(other, own) || other == own).unwrap_or_else(|| {
            self.own.push(own);
            self.own.len() - 1
        })
    }

    /// The reason of a byte.
    fn of(&self, code: u8) -> Reason {
        let place = usize::from(code);
        Reason::ALL.get(place).copied().unwrap_or_else(|| Reason::Own(self.own[place - Reason::ALL.len()]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fate_takes_2_bytes() {
        assert_eq!(size_of_val(&Record::new(1).fates[0]), 2);
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
            (&*record.processors(JobId(0)), &*record.processors(JobId(1))),
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
        assert_eq!(*record.processors(JobId(2)), [Interval::new(2, 2)]);
        assert_eq!(*record.processors(JobId(3)), []);
    }
}
