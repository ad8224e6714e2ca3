//! The service that each job of a matrix has had, slice by slice, without a step for slices in
//! which nothing changes.
//!
//! ```text
//!            ┌─ switch ─┬───── quantum ─────┐
//! row 0      │          │    jobs run       │
//! row 1                                     │ switch │    jobs run    │
//! ```
//!
//! While the rows stay as they are, they take turns in a cycle, and all jobs in a row are served
//! alike. So the service of each row is one number, jobs of the same rows (their own and those of
//! their replicas) stand in one line in the order of what they are still due, and the first of each
//! line is the next to end. When that is follows from whole cycles and what is left of one, in
//! whole nanoseconds. A slice is a switch and a quantum; it has no switch if its row ran before, or
//! if nothing did. A job that comes to the row that runs is served from then on, and one that is
//! frozen is not until it thaws.
//!
//! Source: the coarse form of J. K. Ousterhout, ICDCS 1982, as in "ClusterSchedSim", SIMULATION
//! 80(4-5), 2004, section 5.

use std::rc::Rc;

use crate::collections::{OrderedMap, OrderedSet};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::RowId;

/// The slice that runs, up to and with the instant at which it ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slice {
    /// Row.
    pub row: RowId,
    /// Instant at which its jobs begin to run: after its switch.
    pub runs: SimTime,
    /// Instant at which it ends.
    pub ends: SimTime,
    /// The place of its row in the cycle.
    at: usize,
}

/// A job: what it is due by, in service of its rows.
#[derive(Clone, Debug)]
enum Standing {
    Served { rows: Rc<[RowId]>, due: u64 },
    Frozen { rows: Rc<[RowId]>, left: u64, until: SimTime },
}

/// Service that slices have given and will give to the jobs of a matrix.
#[derive(Clone, Debug)]
pub struct Service {
    quantum: u64,
    switch: u64,
    /// The rows that have turns, in their order.
    cycle: Vec<RowId>,
    slice: Option<Slice>,
    /// Service of rows before the present slice [ns].
    had: OrderedMap<RowId, u64>,
    lines: OrderedMap<Rc<[RowId]>, OrderedSet<(u64, JobId)>>,
    jobs: OrderedMap<JobId, Standing>,
    thaws: OrderedSet<(SimTime, JobId)>,
    slices: u64,
    switches: u64,
}

impl Service {
    /// No jobs and no slice yet; slices of this quantum, above zero, and this switch.
    pub fn new(quantum: SimDuration, switch: SimDuration) -> Self {
        Service {
            quantum: quantum.as_nanos().max(1),
            switch: switch.as_nanos(),
            cycle: Vec::new(),
            slice: None,
            had: OrderedMap::new(),
            lines: OrderedMap::new(),
            jobs: OrderedMap::new(),
            thaws: OrderedSet::new(),
            slices: 0,
            switches: 0,
        }
    }

    /// The slice that runs, if one does.
    pub fn slice(&self) -> Option<Slice> {
        self.slice
    }

    /// Numbers of slices begun so far, and of those with a switch.
    pub fn counts(&self) -> (u64, u64) {
        (self.slices, self.switches)
    }

    /// Begins the next slice at `now`, of the row `row` of `cycle`; with none the machine is idle
    /// from now on. The switch to another row takes its time, unless nothing runs from which to
    /// switch: `follows` is false then.
    ///
    /// # Panics
    /// If the row is not in the cycle.
    pub fn begin(&mut self, cycle: Vec<RowId>, row: Option<RowId>, follows: bool, now: SimTime) {
        let before = self.slice.take().map(|slice| {
            *self.had.entry(slice.row).or_default() += served(slice, now);
            slice.row
        });
        self.had.retain(|row, _| cycle.contains(row));
        self.cycle = cycle;
        let Some(row) = row else { return };
        let at = self.cycle.iter().position(|&other| other == row).expect("a row of the cycle has its turn");
        let switches = follows && before.is_some_and(|before| before != row);
        let switch = if switches { self.switch } else { 0 };
        let runs = now.saturating_add(SimDuration::from_nanos(switch));
        let ends = runs.saturating_add(SimDuration::from_nanos(self.quantum));
        self.slice = Some(Slice { row, runs, ends, at });
        self.slices += 1;
        self.switches += u64::from(switches);
    }

    /// Lets time pass until `now`, slices following each other in the cycle. A slice that ends now
    /// has not been followed by another yet.
    ///
    /// # Complexity
    /// A step for each row, however many slices pass.
    pub fn advance(&mut self, now: SimTime) {
        if let Some(slice) = self.slice
            && now > slice.ends
        {
            self.pass(slice, now);
        }
        while let Some(&(until, job)) = self.thaws.first()
            && until <= now
        {
            self.thaws.pop_first();
            if let Some(Standing::Frozen { rows, left, .. }) = self.jobs.remove(&job) {
                self.line_up(job, rows, left, now);
            }
        }
    }

    fn pass(&mut self, slice: Slice, now: SimTime) {
        let (rows, each) = (self.cycle.len() as u64, self.each());
        let passed = now.since(slice.ends).as_nanos();
        // slices begun since, the last of which is running
        let begun = passed.div_ceil(each);
        let whole = begun - 1;
        *self.had.entry(slice.row).or_default() += self.quantum;
        for (place, &row) in (0..rows).zip(&self.cycle) {
            // how many slices after the present one it has its first turn
            let first = (place + rows - slice.at as u64 - 1) % rows;
            let turns = whole / rows + u64::from(first < whole % rows);
            *self.had.entry(row).or_default() += turns * self.quantum;
        }
        let begins = slice.ends.saturating_add(SimDuration::from_nanos(whole * each));
        let at = ((slice.at as u64 + begun) % rows) as usize;
        let runs = begins.saturating_add(SimDuration::from_nanos(each - self.quantum));
        let ends = begins.saturating_add(SimDuration::from_nanos(each));
        self.slice = Some(Slice { row: self.cycle[at], runs, ends, at });
        self.slices += begun;
        self.switches += if rows > 1 { begun } else { 0 };
    }

    /// A slice that follows another, its switch included.
    fn each(&self) -> u64 {
        let switch = if self.cycle.len() > 1 { self.switch } else { 0 };
        self.quantum.saturating_add(switch)
    }

    fn of_row(&self, row: RowId, now: SimTime) -> u64 {
        let had = self.had.get(&row).copied().unwrap_or(0);
        had + self.slice.filter(|slice| slice.row == row).map_or(0, |slice| served(slice, now))
    }

    fn of(&self, rows: &[RowId], now: SimTime) -> u64 {
        rows.iter().map(|&row| self.of_row(row, now)).sum()
    }

    fn line_up(&mut self, job: JobId, rows: Rc<[RowId]>, left: u64, now: SimTime) {
        let due = self.of(&rows, now).saturating_add(left);
        self.lines.entry(Rc::clone(&rows)).or_default().insert((due, job));
        self.jobs.insert(job, Standing::Served { rows, due });
    }

    /// Service still due to a job; `None` if it is not here.
    pub fn left(&self, job: JobId, now: SimTime) -> Option<SimDuration> {
        let left = match self.jobs.get(&job)? {
            Standing::Served { rows, due } => due.saturating_sub(self.of(rows, now)),
            Standing::Frozen { left, .. } => *left,
        };
        Some(SimDuration::from_nanos(left))
    }

    /// From `now` on a job is served in these rows, in rising order. One that is new is due
    /// `run_time`.
    pub fn serve(&mut self, job: JobId, rows: &[RowId], run_time: SimDuration, now: SimTime) {
        let left = self.left(job, now).unwrap_or(run_time).as_nanos();
        let rows = match self.lines.get_key_value(rows) {
            Some((known, _)) => Rc::clone(known),
            None => Rc::from(rows),
        };
        match self.take(job) {
            Some(Standing::Frozen { until, .. }) if until > now => {
                self.thaws.insert((until, job));
                self.jobs.insert(job, Standing::Frozen { rows, left, until });
            }
            _ => self.line_up(job, rows, left, now),
        }
    }

    /// A job is not served from `now` until `until`.
    ///
    /// # Panics
    /// If it is not here.
    pub fn freeze(&mut self, job: JobId, until: SimTime, now: SimTime) {
        let left = self.left(job, now).expect("a frozen job is here").as_nanos();
        if until <= now {
            return;
        }
        if let Some(Standing::Served { rows, .. } | Standing::Frozen { rows, .. }) = self.take(job) {
            self.thaws.insert((until, job));
            self.jobs.insert(job, Standing::Frozen { rows, left, until });
        }
    }

    fn take(&mut self, job: JobId) -> Option<Standing> {
        let standing = self.jobs.remove(&job)?;
        match &standing {
            Standing::Served { rows, due } => {
                let line = self.lines.get_mut(rows).expect("a job that is served is in a run queue");
                line.remove(&(*due, job));
                if line.is_empty() {
                    self.lines.remove(rows);
                }
            }
            Standing::Frozen { until, .. } => {
                self.thaws.remove(&(*until, job));
            }
        }
        Some(standing)
    }

    /// A job is served no longer; nothing if it is not here.
    pub fn leaves(&mut self, job: JobId) {
        self.take(job);
    }

    /// Takes out the jobs that have had all they are due by `now`, in order of submission.
    pub fn take_served(&mut self, now: SimTime) -> Vec<JobId> {
        let mut served = Vec::new();
        for (rows, line) in &self.lines {
            let had = self.of(rows, now);
            served.extend(line.iter().take_while(|(due, _)| *due <= had).map(|&(_, job)| job));
        }
        served.sort_unstable();
        for &job in &served {
            self.take(job);
        }
        served
    }

    /// Next event: the first end or thaw, and, unless slices go on as they are, the end of this
    /// slice. `None` if there is none.
    ///
    /// # Complexity
    /// A step for each two rows, for each line.
    pub fn next(&self, goes_on: bool, now: SimTime) -> Option<SimTime> {
        let slice = self.slice?;
        let ends = self.lines.iter().filter_map(|(rows, line)| {
            let &(due, _) = line.first()?;
            self.end_of(slice, rows, due - self.of(rows, now).min(due), now, goes_on)
        });
        let thaw = self.thaws.first().map(|&(until, _)| until);
        let over = (!goes_on).then_some(slice.ends);
        ends.chain(thaw).chain(over).min()
    }

    /// Instant at which a line has had `left` more.
    fn end_of(
        &self,
        slice: Slice,
        rows: &[RowId],
        mut left: u64,
        now: SimTime,
        goes_on: bool,
    ) -> Option<SimTime> {
        if rows.contains(&slice.row) {
            let from = now.max(slice.runs);
            let rest = slice.ends.since(from).as_nanos();
            if left <= rest {
                return Some(from.saturating_add(SimDuration::from_nanos(left)));
            }
            left -= rest;
        }
        let turns = self.cycle.iter().filter(|row| rows.contains(row)).count() as u64;
        if !goes_on || turns == 0 {
            return None;
        }
        let each = u128::from(self.each());
        let cycles = left.div_ceil(turns.saturating_mul(self.quantum)).saturating_sub(1);
        left -= cycles * turns * self.quantum;
        let mut passed = u128::from(cycles) * self.cycle.len() as u128 * each;
        for next in 1..=self.cycle.len() {
            let row = self.cycle[(slice.at + next) % self.cycle.len()];
            if rows.contains(&row) {
                if left <= self.quantum {
                    let span = passed + each - u128::from(self.quantum - left);
                    let span = u64::try_from(span).unwrap_or(u64::MAX);
                    return Some(slice.ends.saturating_add(SimDuration::from_nanos(span)));
                }
                left -= self.quantum;
            }
            passed += each;
        }
        None
    }
}

/// Service of the jobs of a slice by `now` [ns].
fn served(slice: Slice, now: SimTime) -> u64 {
    now.min(slice.ends).since(slice.runs).as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: [RowId; 2] = [RowId(0), RowId(1)];

    fn at(secs: u64) -> SimTime {
        SimTime::from_nanos(secs * 1_000_000_000)
    }

    /// Slices of 10 s and switches of 1 s from 0 on, the first row first: 0 to 10, 11 to 21, 22 to
    /// 32 and so on.
    fn in_turns(rows: &[RowId]) -> Service {
        let mut service = Service::new(SimDuration::from_secs(10), SimDuration::from_secs(1));
        service.begin(rows.to_vec(), Some(rows[0]), false, at(0));
        service
    }

    #[test]
    fn a_job_that_is_due_whole_slices_ends_with_its_last_one() {
        for (row, due, end) in [(0, 10, 10), (0, 20, 32), (0, 25, 49), (1, 10, 21), (1, 30, 65)] {
            let mut service = in_turns(&ROWS);
            service.serve(JobId(0), &[ROWS[row]], SimDuration::from_secs(due), at(0));
            assert_eq!(service.next(true, at(0)), Some(at(end)), "{due} s in row {row}");
            service.advance(at(end));
            assert_eq!(service.take_served(at(end)), [JobId(0)]);
        }
    }

    #[test]
    fn a_row_that_is_alone_has_slices_and_no_switches() {
        // six slices by 65, the first of which follows none
        let mut both = in_turns(&ROWS);
        both.advance(at(65));
        assert_eq!(both.counts(), (6, 5));
        let mut one = in_turns(&ROWS[..1]);
        one.advance(at(65));
        assert_eq!(one.counts(), (7, 0));
    }
}
