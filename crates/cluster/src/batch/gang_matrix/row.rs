//! One row of the matrix: which columns are whose.

use crate::collections::{Interval, IntervalSet, OrderedMap, OrderedSet};
use crate::ids::JobId;

use super::freed::Freed;
use super::{Role, RowId};

/// Cells of one job, side by side, up to the column `last`.
#[derive(Clone, Copy, Debug)]
struct Run {
    last: u32,
    job: JobId,
    role: Role,
}

/// A row and the jobs in it.
#[derive(Clone, Debug)]
pub struct Row {
    id: RowId,
    jobs: OrderedMap<JobId, Role>,
    own: usize,
    changes: u64,
    /// By their first columns.
    runs: OrderedMap<u32, Run>,
    /// Columns in service that are no job's own: free, or a replica's.
    vacant: IntervalSet,
    /// Columns to which jobs may move that could not at the last compaction.
    pub(super) vacated: Freed,
    /// Columns to which replicas may come that could not at the last filling.
    pub(super) freed: Freed,
}

impl Row {
    /// A row of free columns, none of which was looked at.
    pub(super) fn new(id: RowId, free: &IntervalSet) -> Self {
        let mut freed = Freed::default();
        free.iter().for_each(|part| freed.add(part));
        Row {
            id,
            jobs: OrderedMap::new(),
            own: 0,
            changes: 0,
            runs: OrderedMap::new(),
            vacant: free.clone(),
            vacated: Freed::default(),
            freed,
        }
    }

    /// Key.
    pub fn id(&self) -> RowId {
        self.id
    }

    /// The jobs in it, in order of submission.
    pub fn jobs(&self) -> impl Iterator<Item = (JobId, Role)> {
        self.jobs.iter().map(|(&job, &role)| (job, role))
    }

    /// Cells of a job in the row.
    pub fn role(&self, job: JobId) -> Option<Role> {
        self.jobs.get(&job).copied()
    }

    /// Returns true if no job is in it, replicas included.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Number of times that a job or a replica came or left: while it stays the same, so do the
    /// cells.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns true if the row is some job's own.
    pub(super) fn is_home(&self) -> bool {
        self.own > 0
    }

    /// The columns that a job may be given.
    pub(super) fn vacant(&self) -> &IntervalSet {
        &self.vacant
    }

    /// Opens all of the row to jobs of other rows, as when it gets the first job of its own.
    pub(super) fn vacate(&mut self) {
        for part in self.vacant.iter() {
            self.vacated.add(part);
        }
    }

    /// Returns true if a job may be given these columns.
    pub(super) fn is_vacant(&self, columns: &[Interval]) -> bool {
        columns.iter().all(|&part| self.runs_in(part).all(|run| run.role == Role::Replica))
    }

    /// Returns true if a replica may be given these columns.
    pub(super) fn is_free(&self, columns: &[Interval]) -> bool {
        columns.iter().all(|&part| self.runs_in(part).next().is_none())
    }

    /// Puts the jobs that have this role in any of the columns into `found`.
    pub(super) fn find(&self, role: Role, columns: &[Interval], found: &mut OrderedSet<JobId>) {
        for &part in columns {
            found.extend(self.runs_in(part).filter(|run| run.role == role).map(|run| run.job));
        }
    }

    /// The runs that overlap some columns.
    ///
    /// # Complexity
    /// A binary search, and a step for each run found.
    fn runs_in(&self, part: Interval) -> impl Iterator<Item = &Run> {
        let before = self.runs.range(..part.first).next_back();
        let reaching = before.map(|(_, run)| run).filter(move |run| run.last >= part.first);
        reaching.into_iter().chain(self.runs.range(part.first..=part.last).map(|(_, run)| run))
    }

    /// Books columns that are free. A block may have some that are out of service: these are not
    /// vacant anyway.
    pub(super) fn book(&mut self, job: JobId, role: Role, columns: &[Interval], in_service: &IntervalSet) {
        let twice = self.jobs.insert(job, role);
        assert!(twice.is_none(), "a job is in a row once");
        for &part in columns {
            self.runs.insert(part.first, Run { last: part.last, job, role });
            if role == Role::Own {
                for part in in_service.within(part) {
                    assert!(self.vacant.remove(part), "no cell is two jobs' own");
                }
            }
        }
        self.own += usize::from(role == Role::Own);
        self.changes += 1;
    }

    /// Gives up what a job has: the columns it booked.
    pub(super) fn leave(&mut self, job: JobId, columns: &[Interval], in_service: &IntervalSet) {
        let role = self.jobs.remove(&job).expect("a job leaves a row that it is in");
        for &part in columns {
            self.runs.remove(&part.first);
            self.freed.add(part);
            if role == Role::Own {
                in_service.within(part).for_each(|part| _ = self.vacant.insert(part));
                self.vacated.add(part);
            }
        }
        self.own -= usize::from(role == Role::Own);
        self.changes += 1;
    }

    /// Columns go out of service, on which no job has cells.
    pub(super) fn lose(&mut self, part: Interval) {
        let gone: Vec<Interval> = self.vacant.within(part).collect();
        gone.into_iter().for_each(|part| _ = self.vacant.remove(part));
    }

    /// Columns are back in service: those that no block has are vacant again.
    pub(super) fn regain(&mut self, part: Interval) {
        let mut vacant = IntervalSet::default();
        vacant.insert(part);
        let before = self.runs.range(..=part.last).filter(|(_, run)| run.last >= part.first);
        for (&first, run) in before.filter(|(_, run)| run.role == Role::Own) {
            let taken: Vec<Interval> = vacant.within(Interval::new(first, run.last)).collect();
            taken.into_iter().for_each(|part| _ = vacant.remove(part));
        }
        for part in vacant.iter() {
            self.vacant.insert(part);
            self.vacated.add(part);
            self.freed.add(part);
        }
    }
}
