//! Jobs that wait for others: when each could be considered, by the ends that the schedule has.
//!
//! A job is considered from its submission on, and from the instant on at which the last of those
//! that it depends on has left. It is submitted as the workload has it, or, after a think time,
//! when another has left. A job that may only start after another has succeeded, which then did
//! not, is refused: when that one leaves, or at its own submission.
//!
//! Where failed dependencies hold, such a job stays for ever, and so do those that wait for it:
//! they have no rows, unless their users cancelled them.
//!
//! The schedule does not show when a job was refused. That follows from the rules: too large a job
//! at its submission, one whose queue forbids it when it is considered.

use crate::collections::{OrderedMap, OrderedSet};
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::workload::cancellation::Cancellations;
use crate::workload::dependency::{Dependencies, Edge, Rule};
use crate::workload::{Job, Workload};

use super::row::Key;
use super::{ScheduledJobs, Violation};

/// Status of a job that failed, and of one that was cancelled, in its log.
const NO_SUCCESS: [i8; 2] = [0, 5];

/// A workload as the schedule makes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// Jobs in order of submission, submitted when they were, with the ids that the workload gives
    /// them.
    pub jobs: Vec<(JobId, Job)>,
    /// Jobs that had to be refused because of the outcome of others, and were.
    pub refused: OrderedSet<usize>,
    /// Jobs that are held for ever, and have no rows.
    pub held: OrderedSet<usize>,
    /// Jobs of them that follow others that are held for ever, and are not submitted.
    pub never_submitted: OrderedSet<usize>,
    /// Instant at which the last of the others that a job waits for had left, once the job is
    /// submitted.
    pub others_left: OrderedMap<JobId, SimTime>,
    /// The jobs that break the rules.
    pub violations: Vec<Violation>,
}

/// The departure of a job.
#[derive(Clone, Copy)]
struct Left {
    at: SimTime,
    succeeded: bool,
}

/// The place of a job's row.
#[derive(Clone, Copy)]
enum Place {
    Ran(usize),
    Refused(usize),
    Cancelled(usize),
}

struct Sweep<'a> {
    schedule: &'a mut ScheduledJobs,
    jobs: &'a [Job],
    procs: u32,
    /// True if jobs before which others failed are held for ever.
    holds_failed: bool,
    cancelled: Option<&'a Cancellations>,
    refused_at: &'a dyn Fn(&Job, SimTime) -> Option<SimTime>,
    /// The rows that no job has taken yet.
    rows: OrderedMap<Key, Vec<Place>>,
    left: OrderedMap<JobId, Left>,
    /// Rows of jobs that had to be refused, and were.
    rightly: OrderedSet<usize>,
    /// The jobs by the time of their submission.
    submitted: OrderedMap<(SimTime, JobId), Job>,
    refused: OrderedSet<JobId>,
    held: OrderedSet<JobId>,
    never_submitted: OrderedSet<JobId>,
    others_left: OrderedMap<JobId, SimTime>,
    violations: Vec<Violation>,
}

/// Finds out when each job of `work` could be considered, and writes it into the rows; rows of jobs
/// that had to be refused for what became of others leave the schedule.
///
/// # Complexity
/// n log n in the jobs and their dependencies.
pub fn dependencies(schedule: &mut ScheduledJobs, work: &Workload, procs: u32) -> Replayed {
    dependencies_inside(schedule, work, (procs, false), &|_, _| None)
}

/// The same where jobs are to run inside reservations: `refused_at` gives the instant at which one
/// is refused that could be considered from an instant on, as no reservation can take it; and where
/// jobs before which others failed are held for ever, or refused.
pub fn dependencies_inside(
    schedule: &mut ScheduledJobs,
    work: &Workload,
    (procs, holds_failed): (u32, bool),
    refused_at: &dyn Fn(&Job, SimTime) -> Option<SimTime>,
) -> Replayed {
    let none = Dependencies::default();
    let ties = work.dependencies.as_deref().unwrap_or(&none);
    let mut rows: OrderedMap<_, Vec<Place>> = OrderedMap::new();
    let ran = schedule.ran.iter().enumerate().map(|(index, row)| (row, Place::Ran(index)));
    let refused = schedule.refused.iter().enumerate().map(|(index, row)| (row, Place::Refused(index)));
    let cancelled = schedule.cancelled.iter().enumerate().map(|(index, row)| (row, Place::Cancelled(index)));
    for (row, place) in ran.chain(refused).chain(cancelled) {
        rows.entry(row.key()).or_default().push(place);
    }
    let mut sweep = Sweep {
        schedule,
        jobs: &work.jobs,
        procs,
        holds_failed,
        cancelled: work.cancellations.as_deref(),
        refused_at,
        rows,
        left: OrderedMap::new(),
        rightly: OrderedSet::new(),
        submitted: OrderedMap::new(),
        refused: OrderedSet::new(),
        held: OrderedSet::new(),
        never_submitted: OrderedSet::new(),
        others_left: OrderedMap::new(),
        violations: Vec::new(),
    };
    for id in in_order(ties, work.jobs.len()) {
        sweep.job(id, ties.of(id));
    }
    let Sweep { rightly, submitted, refused, held, never_submitted, others_left, violations, .. } = sweep;
    let mut place = 0;
    schedule.refused.retain(|_| {
        place += 1;
        !rightly.contains(&(place - 1))
    });
    let places = |of: &OrderedSet<JobId>| {
        let places = submitted.keys().enumerate().filter(|(_, key)| of.contains(&key.1));
        places.map(|(place, _)| place).collect()
    };
    let (refused, held) = (places(&refused), places(&held));
    let never_submitted = places(&never_submitted);
    let jobs = submitted.into_iter().map(|((_, id), job)| (id, job)).collect();
    Replayed { jobs, refused, held, never_submitted, others_left, violations }
}

impl Replayed {
    /// The jobs that are left to be looked for in the schedule.
    pub fn others(&self) -> Vec<Job> {
        self.left().map(|&(_, job)| job).collect()
    }

    /// Ids of these, in the same order.
    pub fn other_ids(&self) -> Vec<JobId> {
        self.left().map(|&(id, _)| id).collect()
    }

    fn left(&self) -> impl Iterator<Item = &(JobId, Job)> {
        let stays = |place: &usize| !self.refused.contains(place) && !self.held.contains(place);
        let jobs = self.jobs.iter().enumerate().filter(move |(place, _)| stays(place));
        jobs.map(|(_, job)| job)
    }
}

/// All jobs, each after those that it depends on.
fn in_order(ties: &Dependencies, jobs: usize) -> Vec<JobId> {
    let mut open: OrderedMap<JobId, usize> = OrderedMap::new();
    for edge in ties.edges() {
        *open.entry(edge.job).or_default() += 1;
    }
    let all = (0..jobs as u32).map(JobId);
    let mut order: Vec<JobId> = all.filter(|id| !open.contains_key(id)).collect();
    let mut next = 0;
    while let Some(&id) = order.get(next) {
        next += 1;
        for edge in ties.on(id) {
            if let Some(count) = open.get_mut(&edge.job) {
                *count -= 1;
                if *count == 0 {
                    order.push(edge.job);
                }
            }
        }
    }
    order
}

impl Sweep<'_> {
    fn job(&mut self, id: JobId, edges: &[Edge]) {
        let mut job = self.jobs[id.index()];
        let others: Option<Vec<(&Edge, Left)>> =
            edges.iter().map(|edge| Some((edge, *self.left.get(&edge.on)?))).collect();
        // nothing is known of a job that depends on one that had not left when the run was stopped
        let Some(others) = others else {
            if edges.iter().any(|edge| self.held.contains(&edge.on)) {
                return self.behind_held(id, edges, job);
            }
            self.submitted.insert((job.submit_time, id), job);
            return;
        };
        for (edge, other) in &others {
            if let Rule::ThinkTime(think) = edge.rule {
                job.submit_time = other.at.saturating_add(think);
            }
        }
        self.submitted.insert((job.submit_time, id), job);
        let too_large = job.procs > self.procs;
        let latest = others.iter().map(|(_, other)| other.at).max().unwrap_or_default();
        let considered = latest.max(job.submit_time);
        let failed = others.iter().filter(|(edge, other)| edge.rule == Rule::AfterOk && !other.succeeded);
        let failed = failed.min_by_key(|(edge, other)| (other.at, edge.on)).filter(|_| !too_large);
        // such a job waits for nothing until it is cancelled
        let never = failed.is_some() && self.holds_failed;
        // one that is submitted after another waits for that before
        let waits = others.iter().filter(|(edge, _)| !matches!(edge.rule, Rule::ThinkTime(_)));
        if let Some(left) = waits.map(|(_, other)| other.at).max() {
            self.others_left.insert(id, if never { SimTime::MAX } else { left });
        }
        let refused_at = match failed {
            Some((_, other)) => other.at.max(job.submit_time),
            None if too_large => job.submit_time,
            None => (self.refused_at)(&job, considered).unwrap_or(considered),
        };
        match (self.take(&job), failed) {
            (Some(Place::Ran(place)), _) => {
                let row = &mut self.schedule.ran[place];
                (row.considered, row.follows) = (considered, !others.is_empty() && latest == considered);
                let succeeded =
                    !row.killed && !row.cancelled && !row.lost && !NO_SUCCESS.contains(&job.status);
                self.left.insert(id, Left { at: row.end, succeeded });
                let (at, early) = (row.start, row.start < considered);
                let what = match failed {
                    Some((edge, _)) => {
                        let before = self.jobs[edge.on.index()].number;
                        Some(format!("it ran, though job {before} before it did not succeed"))
                    }
                    None if early => {
                        Some(format!("it starts before those have left that it depends on, at {considered}"))
                    }
                    None => None,
                };
                self.violations.extend(what.map(|what| Violation { job: job.number, at, what }));
            }
            (Some(Place::Refused(_)), Some(_)) if self.holds_failed => {
                self.left.insert(id, Left { at: refused_at, succeeded: false });
                let what = "it was refused, and is to be held for ever".to_owned();
                self.violations.push(Violation { job: job.number, at: refused_at, what });
            }
            (Some(Place::Refused(place)), _) => {
                self.schedule.refused[place].considered = refused_at;
                self.left.insert(id, Left { at: refused_at, succeeded: false });
                if failed.is_some() {
                    self.rightly.insert(place);
                    self.refused.insert(id);
                }
            }
            (Some(Place::Cancelled(place)), _) => {
                let row = &mut self.schedule.cancelled[place];
                row.considered = if never { row.end } else { considered };
                self.left.insert(id, Left { at: row.end, succeeded: false });
            }
            (None, Some(_)) if self.holds_failed => self.stays(id),
            // a job without a row is reported by `complete`
            (None, _) => {}
        }
    }

    /// A job that waits for one that is held for ever: it is, too, unless it was cancelled, and is
    /// not submitted if it follows that one.
    fn behind_held(&mut self, id: JobId, edges: &[Edge], job: Job) {
        let follows = |edge: &Edge| matches!(edge.rule, Rule::ThinkTime(_)) && self.held.contains(&edge.on);
        self.submitted.insert((job.submit_time, id), job);
        if edges.iter().any(follows) {
            self.held.insert(id);
            self.never_submitted.insert(id);
            return;
        }
        let row = if job.procs > self.procs { None } else { self.take(&job) };
        match row {
            Some(Place::Ran(place)) => {
                let row = &self.schedule.ran[place];
                let succeeded = !row.killed && !row.cancelled && !row.lost;
                self.left.insert(id, Left { at: row.end, succeeded });
                let what = "it ran, though one before it is held for ever".to_owned();
                self.violations.push(Violation { job: job.number, at: row.start, what });
            }
            Some(Place::Cancelled(place)) => {
                let row = &mut self.schedule.cancelled[place];
                row.considered = row.end;
                self.left.insert(id, Left { at: row.end, succeeded: false });
                self.others_left.insert(id, SimTime::MAX);
            }
            Some(Place::Refused(_)) => {
                let what = "it was refused, and is to be held for ever".to_owned();
                self.violations.push(Violation { job: job.number, at: job.submit_time, what });
            }
            None if job.procs > self.procs => {
                self.left.insert(id, Left { at: job.submit_time, succeeded: false });
            }
            None => self.stays(id),
        }
    }

    /// A job has no row as it is held for ever; one that its user is to cancel would have one.
    fn stays(&mut self, id: JobId) {
        if self.cancelled.is_none_or(|all| all.of(id).is_none()) {
            self.held.insert(id);
        }
    }

    /// The row of a job; of several alike, one with its run time and estimate if there is one.
    fn take(&mut self, job: &Job) -> Option<Place> {
        let rows = self.rows.get_mut(&(job.number, job.submit_time, job.procs))?;
        let like = |place: &Place| match *place {
            Place::Ran(place) => {
                let row = &self.schedule.ran[place];
                row.run_time == job.run_time && row.estimate == job.estimate
            }
            Place::Refused(_) | Place::Cancelled(_) => false,
        };
        let place = rows.iter().position(like).or(rows.len().checked_sub(1))?;
        Some(rows.remove(place))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::kernel::SimDuration;

    use super::super::{Row, row};
    use super::*;

    fn work(edges: &[(u32, u32, Rule)]) -> Workload {
        let job =
            |(number, submit)| Job::new(number, SimTime::from_nanos(submit), 1, SimDuration::from_nanos(9));
        let edge = |&(job, on, rule): &(u32, u32, Rule)| Edge { job: JobId(job), on: JobId(on), rule };
        let dependencies = Dependencies::new(edges.iter().map(edge).collect()).expect("no circle");
        let jobs = [(1, 0), (2, 1), (3, 2)].map(job).to_vec();
        Workload { jobs: Arc::new(jobs), dependencies: Some(Arc::new(dependencies)), ..Workload::default() }
    }

    #[test]
    fn a_job_that_starts_too_early_is_found() {
        let work = work(&[(1, 0, Rule::AfterOk), (2, 1, Rule::ThinkTime(SimDuration::from_nanos(5)))]);
        // 2 may start at 9 and ends at 18, and 3 is submitted at 23
        let good = ScheduledJobs {
            ran: vec![row(1, 0, 0, 9, (0, 0)), row(2, 1, 9, 9, (0, 0)), row(3, 23, 24, 9, (0, 0))],
            ..ScheduledJobs::default()
        };
        let mut looked = good.clone();
        let all = dependencies(&mut looked, &work, 4);
        assert_eq!(all.violations, []);
        let considered = looked.ran.iter().map(|row| row.considered.as_nanos());
        assert_eq!(considered.collect::<Vec<_>>(), [0, 9, 23]);
        assert_eq!(all.jobs.last().map(|(_, job)| job.submit_time.as_nanos()), Some(23));
        let mut early = good.clone();
        early.ran[1] = row(2, 1, 8, 10, (1, 1));
        assert_eq!(dependencies(&mut early, &work, 4).violations.len(), 1);
    }

    #[test]
    fn a_dependent_of_a_killed_job_is_refused_and_so_on() {
        let work = work(&[(1, 0, Rule::AfterOk), (2, 1, Rule::AfterAny)]);
        let mut first = row(1, 0, 0, 9, (0, 0));
        first.killed = true;
        let second = Row { on: Vec::new(), ..row(2, 1, 1, 0, (0, 0)) };
        let good = ScheduledJobs {
            ran: vec![first, row(3, 2, 9, 9, (0, 0))],
            refused: vec![second],
            ..ScheduledJobs::default()
        };
        let mut looked = good.clone();
        let all = dependencies(&mut looked, &work, 4);
        assert_eq!((all.others().len(), all.violations, looked.refused.len()), (2, Vec::new(), 0));
        assert_eq!(looked.ran[1].considered.as_nanos(), 9);
        let mut spared = good;
        spared.ran[0].killed = false;
        // it was refused without need, which `complete` reports
        assert_eq!(dependencies(&mut spared, &work, 4).others().len(), 3);
        assert_eq!(spared.refused.len(), 1);
    }

    #[test]
    fn a_dependent_of_a_killed_job_is_held_for_ever_and_so_on() {
        let work = work(&[(1, 0, Rule::AfterOk), (2, 1, Rule::AfterAny)]);
        let judged = |mut schedule: ScheduledJobs| {
            let all = dependencies_inside(&mut schedule, &work, (4, true), &|_, _| None);
            (all.others().len(), all.held.len(), all.violations.len())
        };
        let mut first = row(1, 0, 0, 9, (0, 0));
        first.killed = true;
        let good = ScheduledJobs { ran: vec![first], ..ScheduledJobs::default() };
        assert_eq!(judged(good.clone()), (1, 2, 0));
        // one that is held wrongly is left to be looked for
        let mut spared = good.clone();
        spared.ran[0].killed = false;
        assert_eq!(judged(spared), (3, 0, 0));
        let refused = Row { on: Vec::new(), ..row(2, 1, 1, 0, (0, 0)) };
        assert_eq!(judged(ScheduledJobs { refused: vec![refused], ..good.clone() }).2, 1);
        let mut ran = good;
        ran.ran.push(row(3, 2, 9, 9, (0, 0)));
        assert_eq!(judged(ran), (2, 1, 1));
    }
}
