//! The rows and jobs of the matrix, and the four steps that change them.

use crate::collections::{Interval, IntervalSet, OrderedMap, OrderedSet};
use crate::ids::JobId;

use super::packing::Columns;
use super::row::Row;
use super::{EmptyRows, MatrixPosition, MatrixShape, Role, RowChoice, RowId, RowMember};

/// A job of the matrix.
#[derive(Clone, Debug)]
struct Held {
    row: RowId,
    tasks: u32,
    columns: Columns,
    replicas: OrderedSet<RowId>,
}

/// An Ousterhout matrix.
///
/// ```
/// use clustersim_cluster::batch::gang_matrix::{Matrix, MatrixShape};
/// use clustersim_language::ids::JobId;
///
/// let mut matrix = Matrix::new(MatrixShape::new(8, 4));
/// for (job, tasks) in (0..).zip([5, 4, 4, 2]) {
///     matrix.insert(JobId(job), tasks);
/// }
/// let rows = |matrix: &Matrix| -> Vec<Vec<u32>> {
///     matrix.rows().map(|row| row.jobs().map(|(job, _)| job.0).collect()).collect()
/// };
/// assert_eq!(rows(&matrix), [[0, 3], [1, 2]]);
///
/// // job 0 ends, job 1 moves up into its columns, and has a replica where it was
/// matrix.remove(JobId(0));
/// matrix.compact();
/// matrix.fill();
/// assert_eq!(rows(&matrix), [[1, 3], [1, 2]]);
/// ```
#[derive(Clone, Debug)]
pub struct Matrix {
    shape: MatrixShape,
    /// Columns in service.
    pub(super) in_service: IntervalSet,
    /// In order of their keys.
    pub(super) rows: Vec<Row>,
    jobs: OrderedMap<JobId, Held>,
    pub(super) opened: u64,
    /// Jobs that came since the last compaction.
    unsettled: OrderedSet<JobId>,
    /// Jobs that came since the last filling.
    unfilled: OrderedSet<JobId>,
    /// Jobs that came, or whose rows are others, since the last query.
    touched: OrderedSet<JobId>,
    /// Tasks of all jobs.
    tasks: u64,
    /// Cells that are some job's own.
    booked: u64,
}

impl Matrix {
    /// A matrix without rows.
    pub fn new(shape: MatrixShape) -> Self {
        Matrix {
            shape,
            in_service: IntervalSet::full(shape.nodes),
            rows: Vec::new(),
            jobs: OrderedMap::new(),
            opened: 0,
            unsettled: OrderedSet::new(),
            unfilled: OrderedSet::new(),
            touched: OrderedSet::new(),
            tasks: 0,
            booked: 0,
        }
    }

    /// Size and rules.
    pub fn shape(&self) -> MatrixShape {
        self.shape
    }

    /// Returns true if no job is here.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// The rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &Row> {
        self.rows.iter()
    }

    /// A row, unless it was deleted.
    pub fn row(&self, id: RowId) -> Option<&Row> {
        self.index_of(id).map(|at| &self.rows[at])
    }

    /// Jobs in a row, replicas included, in order of submission; none if the row was deleted.
    ///
    /// # Complexity
    /// A search for each job; empty cells are not looked at.
    pub fn members(&self, row: RowId) -> impl Iterator<Item = RowMember<'_>> {
        let jobs = self.row(row).into_iter().flat_map(Row::jobs);
        jobs.map(|(job, role)| RowMember { job, role, columns: &self.jobs[&job].columns.used })
    }

    /// The row whose slice follows that of `after` (which may be deleted by now), the first row
    /// coming after the last; the first row if there was no slice yet. `None` if there is nothing
    /// to run.
    ///
    /// It is `after` itself if there is no other.
    pub fn next_row(&self, after: Option<RowId>) -> Option<RowId> {
        if self.jobs.is_empty() {
            return None;
        }
        let split = after.map_or(0, |after| self.rows.partition_point(|row| row.id() <= after));
        let (done, due) = self.rows.split_at(split);
        due.iter().chain(done).find(|row| self.has_turns(row)).map(Row::id)
    }

    fn has_turns(&self, row: &Row) -> bool {
        self.shape.empty_rows == EmptyRows::Kept || !row.is_empty()
    }

    /// The rows that have their turns, in order: with empty rows deleted, those that hold a job.
    pub fn cycle(&self) -> Vec<RowId> {
        self.rows.iter().filter(|row| self.has_turns(row)).map(Row::id).collect()
    }

    /// The jobs, in order of submission.
    pub fn jobs(&self) -> impl Iterator<Item = JobId> {
        self.jobs.keys().copied()
    }

    /// Position of a job; `None` if it is not here.
    pub fn place(&self, job: JobId) -> Option<MatrixPosition<'_>> {
        self.jobs.get(&job).map(|held| MatrixPosition { row: held.row, columns: &held.columns.used })
    }

    /// The rows in which a job has replicas, in order.
    pub fn replicas(&self, job: JobId) -> impl Iterator<Item = RowId> {
        self.jobs.get(&job).into_iter().flat_map(|held| held.replicas.iter().copied())
    }

    /// The jobs that came since this was asked last, or that run in other rows than then, in order
    /// of submission; of those that left, nothing is reported.
    pub fn take_touched(&mut self) -> OrderedSet<JobId> {
        std::mem::take(&mut self.touched)
    }

    /// The tasks of the largest job that [`Matrix::insert`] takes now; it takes every smaller one.
    ///
    /// # Complexity
    /// A step for each row; with buddy packing, for each run of vacant columns and power of two.
    pub fn capacity(&self) -> u64 {
        if self.could_open() {
            return self.capacity_of_new_row();
        }
        self.rows.iter().map(|row| self.capacity_of(row)).max().unwrap_or(0)
    }

    /// Returns true if there are fewer rows than there may be.
    pub(super) fn could_open(&self) -> bool {
        self.rows.len() < self.shape.rows as usize
    }

    fn capacity_of(&self, row: &Row) -> u64 {
        self.shape.packing.capacity(row.vacant(), self.shape.nodes)
    }

    /// The tasks of the largest job that a row takes: an open one, or the one that is opened next.
    pub(super) fn capacity_in(&self, row: RowId) -> u64 {
        let new = if self.is_next(row) { self.capacity_of_new_row() } else { 0 };
        self.row(row).map_or(new, |row| self.capacity_of(row))
    }

    /// The tasks of the largest job that a row other than `row` takes.
    pub(super) fn capacity_alongside(&self, row: RowId) -> u64 {
        if self.could_open_another(Some(row)) {
            return self.capacity_of_new_row();
        }
        let others = self.rows.iter().filter(|other| other.id() != row);
        others.map(|other| self.capacity_of(other)).max().unwrap_or(0)
    }

    /// Returns true if this row is opened next.
    pub(super) fn is_next(&self, row: RowId) -> bool {
        self.could_open() && row == RowId(self.opened)
    }

    /// Returns true if there are fewer rows than there may be, one that is kept for a job counted
    /// if it is still to be opened.
    fn could_open_another(&self, kept: Option<RowId>) -> bool {
        let kept = kept.filter(|&kept| self.is_next(kept));
        self.rows.len() + usize::from(kept.is_some()) < self.shape.rows as usize
    }

    /// The cells of a row that no other job can have while a job is there; none if it is not.
    pub fn booked_by(&self, job: JobId) -> u64 {
        self.jobs.get(&job).map_or(0, |held| held.columns.count())
    }

    /// Tasks that could be added if every cell could be used, in rows that are open and rows that
    /// are not: what loss of capacity counts. Replicas count as free, and so do cells lost in
    /// blocks.
    pub fn free_slots(&self) -> u64 {
        self.in_service.count() * u64::from(self.shape.rows) - self.tasks
    }

    /// Cells lost in blocks of buddy packing: no task is on them, and no other job can have them.
    pub fn fragmented(&self) -> u64 {
        self.booked - self.tasks
    }

    /// Clean: takes a job out, with its replicas; whether it was there.
    ///
    /// # Complexity
    /// A few searches for each interval of its columns, in each row that it is in.
    pub fn remove(&mut self, job: JobId) -> bool {
        let Some(held) = self.jobs.remove(&job) else { return false };
        for row in held.replicas.iter().copied().chain([held.row]) {
            self.leave(row, job, held.columns.booked());
        }
        self.unsettled.remove(&job);
        self.unfilled.remove(&job);
        self.touched.remove(&job);
        self.tasks -= u64::from(held.tasks);
        self.booked -= held.columns.count();
        true
    }

    /// Compact: moves jobs to earlier rows that are not empty and where their own columns are
    /// vacant, and deletes the rows left without jobs.
    ///
    /// A job may leave the row that runs at present, and another come to its cells: a caller that
    /// wants slices to run undisturbed compacts between them.
    ///
    /// # Complexity
    /// For each two rows, a search for each interval vacated in the upper one since the last
    /// compaction; for each job found so, and each that came since, a search for each interval of
    /// its columns in each row.
    pub fn compact(&mut self) {
        if self.is_compact() {
            return;
        }
        self.move_up();
        self.prune();
    }

    /// Returns true if no cell was vacated and no job came since the last compaction.
    pub(super) fn is_compact(&self) -> bool {
        self.unsettled.is_empty() && self.rows.iter().all(|row| row.vacated.is_empty())
    }

    /// Deletes the rows left without jobs, as compaction does, and moves no job.
    pub fn prune(&mut self) {
        if self.shape.empty_rows == EmptyRows::Deleted {
            self.delete_empty();
        }
    }

    /// Moves jobs to earlier rows in their own columns.
    pub(super) fn move_up(&mut self) {
        // a job that had no row to go to has one now only if a cell of its columns was vacated
        // there
        let unsettled = std::mem::take(&mut self.unsettled);
        for from in 1..self.rows.len() {
            let (above, row) = (&self.rows[..from], &self.rows[from]);
            let new = unsettled.iter().filter(|&&job| row.role(job) == Some(Role::Own));
            let mut found: OrderedSet<JobId> = new.copied().collect();
            for upper in above {
                row.find(Role::Own, upper.vacated.parts(), &mut found);
            }
            for job in found {
                let columns = self.jobs[&job].columns.booked();
                if let Some(to) =
                    self.rows[..from].iter().position(|row| row.is_home() && row.is_vacant(columns))
                {
                    self.move_job(job, from, to);
                }
            }
        }
        self.rows.iter_mut().for_each(|row| row.vacated.clear());
    }

    /// Schedule: puts a job in, on the columns and in the row that the rules say; `None` if it does
    /// not fit.
    ///
    /// # Panics
    /// If the job is here already, or has no tasks.
    ///
    /// # Complexity
    /// A step for each row, one for each run of columns taken, and what the replicas that give way
    /// cost.
    pub fn insert(&mut self, job: JobId, tasks: u32) -> Option<MatrixPosition<'_>> {
        self.insert_alongside(job, tasks, None)
    }

    /// As [`Matrix::insert`], in any row but `kept`.
    ///
    /// # Panics
    /// As [`Matrix::insert`].
    pub fn insert_alongside(
        &mut self,
        job: JobId,
        tasks: u32,
        kept: Option<RowId>,
    ) -> Option<MatrixPosition<'_>> {
        assert!(tasks > 0, "a job has a task");
        assert!(!self.jobs.contains_key(&job), "a job is put into the matrix once");
        let at = self.choose_row(tasks, kept).or_else(|| self.open_row(tasks, kept))?;
        let columns = self.shape.packing.columns(self.rows[at].vacant(), tasks, self.shape.nodes)?;
        if !self.rows[at].is_home() {
            self.rows[at].vacate();
        }
        self.settle(job, at, columns.booked());
        self.unsettled.insert(job);
        self.unfilled.insert(job);
        self.touched.insert(job);
        self.tasks += u64::from(tasks);
        self.booked += columns.count();
        let held = Held { row: self.rows[at].id(), tasks, columns, replicas: OrderedSet::new() };
        let held = self.jobs.entry(job).or_insert(held);
        Some(MatrixPosition { row: held.row, columns: &held.columns.used })
    }

    /// Fill: gives jobs replicas where their columns are free.
    ///
    /// # Complexity
    /// For each two rows, a search for each interval freed in one since the last filling; for each
    /// job found so, and each that came since, a search for each interval of its columns.
    pub fn fill(&mut self) {
        let new = std::mem::take(&mut self.unfilled);
        for at in 0..self.rows.len() {
            let row = &self.rows[at];
            if row.vacant().count() > 0 && !(row.freed.is_empty() && new.is_empty()) {
                let mut found = new.clone();
                for (_, other) in self.rows.iter().enumerate().filter(|&(other, _)| other != at) {
                    other.find(Role::Own, row.freed.parts(), &mut found);
                }
                for job in found {
                    self.replicate(job, at);
                }
            }
            self.rows[at].freed.clear();
        }
    }

    fn replicate(&mut self, job: JobId, at: usize) {
        let row = &mut self.rows[at];
        let held = self.jobs.get_mut(&job).expect("a job that is found is here");
        if row.role(job).is_none() && row.is_free(held.columns.booked()) {
            row.book(job, Role::Replica, held.columns.booked(), &self.in_service);
            held.replicas.insert(row.id());
            self.touched.insert(job);
        }
    }

    fn choose_row(&self, tasks: u32, kept: Option<RowId>) -> Option<usize> {
        let MatrixShape { nodes, packing, choice, .. } = self.shape;
        let left =
            |row: &Row| packing.need(row.vacant(), tasks, nodes).map(|need| row.vacant().count() - need);
        let open = (0..).zip(&self.rows).filter(|(_, row)| Some(row.id()) != kept);
        let mut fitting = open.filter_map(|(at, row)| left(row).map(|left| (left, at)));
        match choice {
            RowChoice::First => fitting.next(),
            RowChoice::Best => fitting.min(),
        }
        .map(|(_, at)| at)
    }

    fn open_row(&mut self, tasks: u32, kept: Option<RowId>) -> Option<usize> {
        if u64::from(tasks) > self.capacity_of_new_row() || !self.could_open_another(kept) {
            return None;
        }
        self.rows.push(Row::new(RowId(self.opened), &self.in_service));
        self.opened += 1;
        Some(self.rows.len() - 1)
    }

    /// Books vacant columns as a job's own; replicas on any of them give way.
    fn settle(&mut self, job: JobId, at: usize, columns: &[Interval]) {
        let row = &mut self.rows[at];
        let mut obstructing = OrderedSet::new();
        row.find(Role::Replica, columns, &mut obstructing);
        for other in obstructing {
            let held = self.jobs.get_mut(&other).expect("a job with a replica is here");
            row.leave(other, held.columns.booked(), &self.in_service);
            held.replicas.remove(&row.id());
            self.touched.insert(other);
        }
        row.book(job, Role::Own, columns, &self.in_service);
    }

    fn move_job(&mut self, job: JobId, from: usize, to: usize) {
        let held = self.jobs.get_mut(&job).expect("a job that moves is here");
        held.row = self.rows[to].id();
        let columns = held.columns.clone();
        self.rows[from].leave(job, columns.booked(), &self.in_service);
        // its own replica there, if it has one, blocks it
        self.settle(job, to, columns.booked());
        self.touched.insert(job);
    }

    /// Moves jobs that found no earlier row in their own columns to the first earlier row with
    /// enough free columns, on others: which moved, in order.
    pub(super) fn migrate_up(&mut self) -> Vec<JobId> {
        let mut moved = Vec::new();
        for from in 1..self.rows.len() {
            let own = self.rows[from].jobs().filter(|&(_, role)| role == Role::Own).map(|(job, _)| job);
            for job in own.collect::<Vec<JobId>>() {
                let held = &self.jobs[&job];
                let mut homes =
                    (0..).zip(&self.rows[..from]).filter(|(_, row)| row.is_home()).map(|(at, _)| at);
                let mut others = homes.clone();
                let booked = held.columns.booked();
                if let Some(to) = homes.find(|&to: &usize| self.rows[to].is_vacant(booked)) {
                    // a job that migrated has freed columns; there may be more for it next time
                    self.move_job(job, from, to);
                    self.unsettled.insert(job);
                } else if let Some((to, columns)) =
                    others.find_map(|to| Some((to, self.columns_in(to, held.tasks)?)))
                {
                    self.migrate(job, from, to, columns);
                    moved.push(job);
                }
            }
        }
        self.rows.iter_mut().for_each(|row| row.vacated.clear());
        moved
    }

    fn columns_in(&self, row: usize, tasks: u32) -> Option<Columns> {
        self.shape.packing.columns(self.rows[row].vacant(), tasks, self.shape.nodes)
    }

    fn migrate(&mut self, job: JobId, from: usize, to: usize, columns: Columns) {
        let held = self.jobs.get_mut(&job).expect("a job that migrates is here");
        let (before, replicas) = (held.columns.clone(), std::mem::take(&mut held.replicas));
        held.row = self.rows[to].id();
        self.booked = self.booked - before.count() + columns.count();
        self.rows[from].leave(job, before.booked(), &self.in_service);
        for row in replicas {
            self.leave(row, job, before.booked());
        }
        self.settle(job, to, columns.booked());
        self.jobs.get_mut(&job).expect("a job that migrates is here").columns = columns;
        // its replicas are where its columns were, and new ones are to be looked for
        self.unfilled.insert(job);
        self.touched.insert(job);
    }

    fn delete_empty(&mut self) {
        for row in self.rows.iter().filter(|row| !row.is_home()) {
            for (job, _) in row.jobs() {
                self.jobs.get_mut(&job).expect("a job with a replica is here").replicas.remove(&row.id());
                self.touched.insert(job);
            }
        }
        self.rows.retain(Row::is_home);
    }

    fn index_of(&self, id: RowId) -> Option<usize> {
        self.rows.binary_search_by_key(&id, Row::id).ok()
    }

    fn leave(&mut self, row: RowId, job: JobId, columns: &[Interval]) {
        let at = self.index_of(row).expect("a row with jobs is not deleted");
        self.rows[at].leave(job, columns, &self.in_service);
    }
}
