//! A plain Ousterhout matrix for the judge of slices: every step looks at all jobs of all rows.
//!
//! Rows are slices, columns processors (J. K. Ousterhout, ICDCS 1982; "ClusterSchedSim", SIMULATION
//! 80(4-5), 2004, figure 5). The four steps are clean, compact, schedule and fill. A job holds its
//! own cells in one row; replicas of it are in other rows where its very columns are free, and give
//! way to jobs that need a cell of them.

use crate::collections::{Interval, IntervalSet, OrderedMap};

use super::GangRules;

/// The cells of a job.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// The row of its own cells.
    pub(super) row: u64,
    /// Columns of the job's own cells.
    pub(super) on: Vec<Interval>,
    /// Columns that no other job has in its row: in buddy packing the whole block.
    booked: Vec<Interval>,
}

/// A row: what jobs have of their own in it, and which have replicas.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Rows that are opened later have greater numbers; none is used twice.
    pub(super) number: u64,
    /// Columns in service that are no job's own.
    vacant: IntervalSet,
    own: Vec<usize>,
    replicas: Vec<usize>,
}

/// The matrix.
#[derive(Clone, Debug)]
pub(super) struct Matrix<'a> {
    rules: &'a GangRules<'a>,
    procs: u32,
    level: usize,
    /// Columns out of service.
    out: IntervalSet,
    pub(super) rows: Vec<Row>,
    /// Jobs by their places in order of submission.
    pub(super) jobs: OrderedMap<usize, Cells>,
    /// Number of the row that is opened next.
    pub(super) opened: u64,
}

fn meet(one: &[Interval], other: &[Interval]) -> bool {
    one.iter().any(|one| other.iter().any(|other| one.first <= other.last && other.first <= one.last))
}

impl Row {
    /// Returns true if no other job has any of these columns; those of a block that are out of
    /// service are nobody's.
    fn has_room_for(&self, columns: &[Interval], out: &IntervalSet) -> bool {
        let taken = columns.iter().flat_map(|part| self.vacant.missing(*part));
        taken.into_iter().all(|part| out.missing(part).is_empty())
    }

    /// Returns true if a job runs in it.
    pub(super) fn serves(&self, job: usize) -> bool {
        self.own.contains(&job) || self.replicas.contains(&job)
    }

    /// Jobs that run in it, and true of each that has only a replica.
    pub(super) fn cells(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        let own = self.own.iter().map(|job| (*job, false));
        own.chain(self.replicas.iter().map(|job| (*job, true)))
    }

    /// Jobs that run in it.
    pub(super) fn members(&self) -> impl Iterator<Item = usize> + '_ {
        self.own.iter().chain(&self.replicas).copied()
    }
}

impl<'a> Matrix<'a> {
    pub(super) fn new(rules: &'a GangRules<'a>, procs: u32, level: u32) -> Self {
        let (out, level) = (IntervalSet::default(), level as usize);
        Matrix { rules, procs, level, out, rows: Vec::new(), jobs: OrderedMap::new(), opened: 0 }
    }

    /// Columns go out of service; the jobs on them have been taken out.
    pub(super) fn fail(&mut self, part: Interval) {
        let fresh = self.out.missing(part);
        fresh.iter().for_each(|part| _ = self.out.insert(*part));
        for row in &mut self.rows {
            let gone: Vec<Interval> = row.vacant.within(part).collect();
            gone.into_iter().for_each(|part| _ = row.vacant.remove(part));
        }
    }

    /// Columns are back: those that no job's block has are vacant.
    pub(super) fn repair(&mut self, part: Interval) {
        let back: Vec<Interval> = self.out.within(part).collect();
        back.iter().for_each(|part| _ = self.out.remove(*part));
        for row in &mut self.rows {
            for column in back.iter().flat_map(|part| part.first..=part.last) {
                let one = Interval::new(column, column);
                let holds = |job: &usize| self.jobs.get(job).is_some_and(|cells| meet(&cells.booked, &[one]));
                if !row.own.iter().any(holds) {
                    row.vacant.insert(one);
                }
            }
        }
    }

    /// A row without jobs.
    fn empty_row(&self) -> Row {
        let mut vacant = IntervalSet::full(self.procs);
        self.out.iter().for_each(|part| _ = vacant.remove(part));
        Row { number: self.opened, vacant, own: Vec::new(), replicas: Vec::new() }
    }

    /// Returns true if a row without jobs takes `tasks` tasks.
    pub(super) fn could_hold(&self, tasks: u32) -> bool {
        self.columns(&self.empty_row(), tasks).is_some()
    }

    /// Returns true if a row may be opened for a job of so many tasks, where one that is opened
    /// next may be kept for another.
    fn opens_for(&self, tasks: u32, kept: Option<u64>) -> bool {
        let taken = usize::from(kept == Some(self.opened));
        self.rows.len() + taken < self.level && self.could_hold(tasks)
    }

    /// Returns true if a job is on any of these columns.
    pub(super) fn is_on(&self, job: usize, part: Interval) -> bool {
        self.jobs.get(&job).is_some_and(|cells| meet(&cells.on, &[part]))
    }

    /// The columns that `tasks` tasks get in a row, and those that are booked for them.
    fn columns(&self, row: &Row, tasks: u32) -> Option<(Vec<Interval>, Vec<Interval>)> {
        if !self.rules.buddy {
            let mut on = Vec::new();
            row.vacant.lowest(tasks.into(), &mut on);
            let found: u64 = on.iter().map(|on| on.count()).sum();
            return (found == u64::from(tasks)).then(|| (on.clone(), on));
        }
        // the first block that begins at a multiple of its size and is vacant; the machine may cut
        // it
        let size = u64::from(tasks).next_power_of_two();
        let mut first = 0;
        while first + u64::from(tasks) <= u64::from(self.procs) {
            let last = (first + size).min(u64::from(self.procs)) - 1;
            let block = Interval::new(first as u32, last as u32);
            if row.vacant.missing(block).is_empty() {
                return Some((
                    vec![Interval::new(first as u32, (first + u64::from(tasks) - 1) as u32)],
                    vec![block],
                ));
            }
            first += size;
        }
        None
    }

    /// The row for `tasks` tasks that is not `kept`, with the columns there.
    fn row_for(&self, tasks: u32, kept: Option<u64>) -> Option<(usize, Vec<Interval>, Vec<Interval>)> {
        let open = self.rows.iter().enumerate().filter(|(_, row)| Some(row.number) != kept);
        let mut fitting =
            open.filter_map(|(at, row)| self.columns(row, tasks).map(|(on, booked)| (at, on, booked)));
        if !self.rules.best {
            return fitting.next();
        }
        let left = |at: usize, booked: &[Interval]| {
            self.rows[at].vacant.count() - booked.iter().map(|on| on.count()).sum::<u64>()
        };
        fitting.min_by_key(|(at, _, booked)| (left(*at, booked), *at))
    }

    /// Returns true if a job of `tasks` tasks finds columns.
    pub(super) fn fits(&self, tasks: u32) -> bool {
        self.opens_for(tasks, None) || self.row_for(tasks, None).is_some()
    }

    /// Schedule: puts a job in, into any row but `kept`.
    pub(super) fn insert(&mut self, job: usize, tasks: u32, kept: Option<u64>) -> bool {
        let found = self.row_for(tasks, kept).or_else(|| {
            if !self.opens_for(tasks, kept) {
                return None;
            }
            self.rows.push(self.empty_row());
            self.opened += 1;
            let at = self.rows.len() - 1;
            self.columns(&self.rows[at], tasks).map(|(on, booked)| (at, on, booked))
        });
        let Some((at, on, booked)) = found else { return false };
        self.settle(job, at, on, booked);
        true
    }

    /// Gives a job its own cells; replicas on any of them give way.
    fn settle(&mut self, job: usize, at: usize, on: Vec<Interval>, booked: Vec<Interval>) {
        let jobs = &self.jobs;
        let row = &mut self.rows[at];
        row.replicas.retain(|other| {
            *other != job && !jobs.get(other).is_some_and(|other| meet(&other.booked, &booked))
        });
        let taken: Vec<Interval> = booked.iter().flat_map(|part| row.vacant.within(*part)).collect();
        taken.into_iter().for_each(|part| _ = row.vacant.remove(part));
        row.own.push(job);
        row.own.sort_unstable();
        let number = row.number;
        self.jobs.insert(job, Cells { row: number, on, booked });
    }

    fn vacate(&mut self, job: usize, cells: &Cells) {
        for row in &mut self.rows {
            if row.number == cells.row && row.own.contains(&job) {
                row.own.retain(|other| *other != job);
                for part in cells.booked.iter().flat_map(|part| self.out.missing(*part)) {
                    row.vacant.insert(part);
                }
            }
        }
    }

    /// Clean: takes a job out, with its replicas.
    pub(super) fn remove(&mut self, job: usize) {
        let Some(cells) = self.jobs.remove(&job) else { return };
        self.vacate(job, &cells);
        self.rows.iter_mut().for_each(|row| row.replicas.retain(|other| *other != job));
    }

    /// Compact: jobs move to earlier rows with jobs in which their columns are vacant, and where
    /// jobs migrate to others; which did.
    pub(super) fn compact(&mut self) -> Vec<usize> {
        let mut migrated = Vec::new();
        if self.rules.unification || self.rules.migration.is_some() {
            self.move_up(false, &mut migrated);
        }
        if self.rules.migration.is_some() {
            self.move_up(true, &mut migrated);
        }
        if !self.rules.keeps_empty {
            self.rows.retain(|row| !row.own.is_empty());
        }
        migrated
    }

    fn move_up(&mut self, migrates: bool, migrated: &mut Vec<usize>) {
        for from in 1..self.rows.len() {
            for job in self.rows[from].own.clone() {
                let cells = self.jobs[&job].clone();
                let homes: Vec<usize> = (0..from).filter(|at| !self.rows[*at].own.is_empty()).collect();
                if let Some(&to) =
                    homes.iter().find(|at| self.rows[**at].has_room_for(&cells.booked, &self.out))
                {
                    self.vacate(job, &cells);
                    self.settle(job, to, cells.on, cells.booked);
                    continue;
                }
                let tasks = cells.on.iter().map(|on| on.count()).sum::<u64>() as u32;
                let others = homes.into_iter().filter(|_| migrates);
                let other =
                    others.into_iter().find_map(|at| Some((at, self.columns(&self.rows[at], tasks)?)));
                if let Some((to, (on, booked))) = other {
                    self.vacate(job, &cells);
                    self.rows.iter_mut().for_each(|row| row.replicas.retain(|other| *other != job));
                    self.settle(job, to, on, booked);
                    migrated.push(job);
                }
            }
        }
    }

    /// Fill: jobs get replicas where all their columns are free.
    pub(super) fn fill(&mut self) {
        let (jobs, out) = (&self.jobs, &self.out);
        for row in &mut self.rows {
            let mut free = row.vacant.clone();
            let take = |free: &mut IntervalSet, cells: &Cells| {
                for part in cells.booked.iter().flat_map(|part| out.missing(*part)) {
                    free.remove(part);
                }
            };
            row.replicas.iter().filter_map(|job| jobs.get(job)).for_each(|cells| take(&mut free, cells));
            for (job, cells) in jobs {
                let taken = cells.booked.iter().flat_map(|part| free.missing(*part));
                let is_free = taken.into_iter().all(|part| out.missing(part).is_empty());
                if is_free && cells.row != row.number && !row.replicas.contains(job) {
                    take(&mut free, cells);
                    row.replicas.push(*job);
                }
            }
        }
    }

    /// Rows that have slices, in order.
    pub(super) fn in_turn(&self) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(|row| self.rules.keeps_empty || !row.own.is_empty() || !row.replicas.is_empty())
    }

    /// The row whose slice follows that of `after`; `None` if no job is there.
    pub(super) fn next_row(&self, after: Option<u64>) -> Option<u64> {
        if self.jobs.is_empty() {
            return None;
        }
        let later = self.in_turn().find(|row| after.is_none_or(|after| row.number > after));
        later.or_else(|| self.in_turn().next()).map(|row| row.number)
    }

    /// The row that is promised to a job of `tasks` tasks which waits for columns, or for something
    /// else until `after`; the instant, and the columns that it leaves.
    pub(super) fn promise(
        &self,
        tasks: u32,
        after: Option<u64>,
        ends: impl Fn(usize) -> u64,
    ) -> Option<(u64, u64, u64)> {
        let promises = self.rows.iter().filter_map(|row| {
            let size = |job: &usize| self.jobs[job].booked.iter().map(|on| on.count()).sum::<u64>();
            let mut leaves: Vec<(u64, u64)> = row.own.iter().map(|job| (ends(*job), size(job))).collect();
            leaves.sort_unstable();
            let mut free = row.vacant.count();
            let fits_now = after.filter(|_| free >= u64::from(tasks));
            let when_left = leaves.iter().find_map(|(at, count)| {
                free += count;
                (free >= u64::from(tasks)).then_some((*at).max(after.unwrap_or(0)))
            });
            let shadow = fits_now.or(when_left)?;
            let all: u64 = leaves.iter().filter(|(at, _)| *at <= shadow).map(|(_, count)| count).sum();
            Some((shadow, row.number, row.vacant.count() + all - u64::from(tasks)))
        });
        let opens = after.filter(|_| self.opens_for(tasks, None));
        let all = u64::from(self.procs) - self.out.count();
        let new = opens.map(|after| (after, self.opened, all - u64::from(tasks)));
        promises.chain(new).min().map(|(shadow, row, extra)| (row, shadow, extra))
    }

    /// Returns true if `tasks` tasks fit in a row, or in any other one, be it open or not.
    pub(super) fn fits_in(&self, tasks: u32, row: u64) -> (bool, bool) {
        let is_next = row == self.opened && self.rows.len() < self.level;
        let new = (is_next && self.could_hold(tasks), self.opens_for(tasks, Some(row)));
        let mut fits =
            self.rows.iter().map(|other| (other.number == row, self.columns(other, tasks).is_some()));
        fits.try_fold(new, |(inside, alongside), (is_row, fits)| {
            Some((inside || is_row && fits, alongside || !is_row && fits))
        })
        .unwrap_or_default()
    }

    /// Columns booked by a job.
    pub(super) fn booked(&self, job: usize) -> u64 {
        self.jobs.get(&job).map_or(0, |cells| cells.booked.iter().map(|on| on.count()).sum())
    }
}
