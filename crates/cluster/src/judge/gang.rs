//! Gang scheduling at detail `job`, gone through slice by slice: when each job starts, where, and
//! when it ends.
//!
//! At an instant jobs end, columns fail or are back, jobs are cancelled, then others arrive. While
//! a slice runs, jobs that fit come into the matrix; where it ends, and where none runs, the steps
//! between slices are taken and the next row has its turn: after a switch, if another row had the
//! turn before and the machine was not empty. A job progresses in slices of rows in which it or a
//! replica is. Cycles in which nothing can change are passed over as a whole. Queue, overtaking and
//! estimates are those of the scenario; run times are those of the workload, cut at limits.
//!
//! The first job that starts or ends otherwise is reported: what follows depends on it.

use crate::check::{Judgement, Violation};
use crate::collections::{Interval, OrderedMap, OrderedSet};
use crate::kernel::{SimDuration, SimTime};

use super::gang_runs::{Lives, unknown_by_limits};
use super::matrix::Matrix;
use super::matrix_rows::{Stand, compared};
use super::rows::Fate;
use super::run::JobRun;
use super::{GangRules, Order, STOPPED, Submitted};

/// Result of going through the slices.
#[derive(Default)]
pub(super) struct Slices {
    pub(super) violations: Vec<Violation>,
    /// Time for which interrupted runs ran, by job and number, and the last run of each job.
    ran: OrderedMap<(usize, usize), SimDuration>,
    last: OrderedMap<usize, SimDuration>,
    /// Spans in which jobs stood in rows.
    stood: Vec<Stand>,
    begun: u64,
    switches: u64,
    migrations: u64,
}

const BROKEN: &str = "the slices are others than the rows of jobs.csv make, so their rows are not known";
const MOLDED: &str = "run times of jobs on the processors that they were given are not in the files";
const FOLLOWED: &str = "jobs follow others, and in which order those of one instant came is not in the files";
const OWN_QUEUE: &str = "the order of the queue is not known here";

/// One of the counts of slices.
type Count = fn(&Slices) -> u64;

/// The slice that runs.
#[derive(Clone, Copy)]
struct Slice {
    row: u64,
    runs: u64,
    ends: u64,
}

/// State of the matrix, the queue and the slices at an instant.
pub(super) struct Replay<'a> {
    pub(super) run: &'a JobRun<'a>,
    pub(super) rules: &'a GangRules<'a>,
    pub(super) matrix: Matrix<'a>,
    /// Waiting jobs in the order of the queue.
    pub(super) queue: OrderedSet<(u64, usize)>,
    /// Jobs that are to arrive, or to wait again.
    pub(super) arrivals: OrderedSet<(u64, usize)>,
    pub(super) lives: Lives<'a>,
    slice: Option<Slice>,
    pub(super) now: u64,
    /// Until when service has been given.
    served: u64,
    /// Service that is left, and until when the job is frozen.
    pub(super) left: OrderedMap<usize, (u64, u64)>,
    /// Rows in which jobs stand, by job and true for a replica: since when, and on which columns.
    standing: OrderedMap<(usize, u32, bool), (u64, Vec<Interval>)>,
    /// Returns true if the last turn changed the matrix, or something has since.
    pub(super) is_changed: bool,
    found: Slices,
}

/// Goes through all slices of a run.
pub(super) fn replay<'a>(
    run: &'a JobRun<'a>,
    rules: &'a GangRules<'a>,
    submitted: &Submitted<'_>,
) -> Result<Slices, &'static str> {
    let is_known =
        matches!(rules.queue, "first-fit" | "best-fit" | "worst-fit") || Order::of(rules.queue).is_some();
    match () {
        () if run.facts.stopped => return Err(STOPPED),
        () if run.facts.molds => return Err(MOLDED),
        () if submitted.followers.is_some() => return Err(FOLLOWED),
        () if !is_known => return Err(OWN_QUEUE),
        () => unknown_by_limits(rules).map_or(Ok(()), Err)?,
    }
    let mut considered: Vec<u64> = run.jobs.iter().map(|job| job.submit_time.as_nanos()).collect();
    for (place, at) in submitted.held.into_iter().flatten() {
        considered[*place] = considered[*place].max(at.as_nanos());
    }
    for (place, outcome) in run.outcomes.iter().enumerate() {
        let Some(outcome) = outcome else { continue };
        let from = SimTime::from_nanos(considered[place]);
        let attempt = run.attempts.iter().find(|(other, _)| *other == place).map(|(_, one)| one.start);
        let from = run.waits_from(place, from, attempt.or(outcome.start).unwrap_or(outcome.end));
        considered[place] = from.as_nanos();
    }
    let mut replay = Replay {
        run,
        rules,
        matrix: Matrix::new(rules, run.facts.procs, run.facts.level),
        queue: OrderedSet::new(),
        arrivals: OrderedSet::new(),
        lives: Lives::new(run, submitted),
        slice: None,
        now: 0,
        served: 0,
        left: OrderedMap::new(),
        standing: OrderedMap::new(),
        is_changed: true,
        found: Slices::default(),
    };
    let accepted =
        |place: &usize| run.outcomes[*place].as_ref().is_some_and(|one| one.fate != Fate::Rejected);
    let places = (0..run.jobs.len()).filter(accepted);
    replay.arrivals = places.map(|place| (considered[place], place)).collect();
    let cancelled =
        |place: &usize| run.outcomes[*place].as_ref().is_some_and(|one| one.fate == Fate::Cancelled);
    let mut cancels: Vec<(u64, usize)> = (0..run.jobs.len())
        .filter(cancelled)
        .filter_map(|place| Some((run.outcomes[place].as_ref()?.end.as_nanos(), place)))
        .collect();
    cancels.sort_unstable();
    replay.go(&cancels);
    let Lives { ran, last, .. } = replay.lives;
    Ok(Slices { ran, last, ..replay.found })
}

impl Replay<'_> {
    pub(super) fn broken(&mut self, job: usize, what: String) {
        let at = SimTime::from_nanos(self.now);
        self.found.violations.push(Violation { job: self.run.jobs[job].number, at, what });
    }

    fn go(&mut self, cancels: &[(u64, usize)]) {
        let mut cancels = cancels.iter().peekable();
        while self.found.violations.is_empty() {
            let jobs = [self.arrivals.first(), cancels.peek().copied()];
            let columns = self.lives.outages.first().map(|(at, ..)| *at);
            // nothing of what befalls columns matters once all jobs have left
            let columns = columns.filter(|_| jobs.iter().any(Option::is_some) || !self.is_over());
            let outside = jobs.into_iter().flatten().map(|(at, _)| *at).chain(columns).min();
            self.pass_over(outside);
            let ends = self.slice.map(|slice| slice.ends);
            let Some(next) = [outside, ends, self.next_end()].into_iter().flatten().min() else { break };
            self.now = next;
            self.serve();
            let mut is_news = self.end_jobs();
            is_news |= self.change_columns();
            while let Some((_, job)) = cancels.next_if(|(at, _)| *at == next) {
                is_news = true;
                let stand = self.stand(*job);
                self.queue.remove(&stand);
                self.take_out(*job);
            }
            while let Some(&(at, job)) = self.arrivals.first()
                && at == next
            {
                is_news = true;
                self.arrivals.pop_first();
                self.arrive(job);
            }
            self.is_changed |= is_news;
            match self.slice {
                Some(slice) if slice.ends > next => {
                    if is_news {
                        self.schedule();
                    }
                }
                _ => self.turn(),
            }
            self.note();
        }
        let waiting: Vec<usize> = self.queue.iter().map(|(_, job)| *job).collect();
        if let Some(job) = waiting.into_iter().next().filter(|_| self.found.violations.is_empty()) {
            self.broken(job, "it waits for ever by the slices".to_owned());
        }
    }

    /// Notes in which rows jobs stand after this instant.
    fn note(&mut self) {
        let mut present = OrderedMap::new();
        for (place, row) in (1..).zip(&self.matrix.rows) {
            for (job, is_replica) in row.cells() {
                present.insert((job, place, is_replica), self.matrix.jobs[&job].on.clone());
            }
        }
        for (key, (since, on)) in std::mem::take(&mut self.standing) {
            if present.get(&key) == Some(&on) {
                self.standing.insert(key, (since, on));
            } else if since < self.now {
                let (place, row, is_replica) = key;
                let job = (self.run.jobs[place].number, self.run.jobs[place].submit_time);
                let [from, to] = [since, self.now].map(SimTime::from_nanos);
                self.found.stood.push(Stand { from, row, on, job, is_replica, to });
            }
        }
        for (key, on) in present {
            self.standing.entry(key).or_insert((self.now, on));
        }
    }

    /// Returns true if no job waits or has cells.
    fn is_over(&self) -> bool {
        self.queue.is_empty() && self.matrix.jobs.is_empty()
    }

    pub(super) fn serves(&self, job: usize) -> bool {
        let row = self.slice.and_then(|slice| self.matrix.rows.iter().find(|row| row.number == slice.row));
        row.is_some_and(|row| row.serves(job))
    }

    /// Next end of a job of the present slice, if one ends in it.
    fn next_end(&self) -> Option<u64> {
        let slice = self.slice?;
        let row = self.matrix.rows.iter().find(|row| row.number == slice.row)?;
        let ends = row.members().filter_map(|job| {
            let (left, thaws) = self.left.get(&job)?;
            Some(self.served.max(slice.runs).max(*thaws).saturating_add(*left))
        });
        ends.min().filter(|end| *end <= slice.ends)
    }

    /// Gives the jobs of the present slice their time up to now.
    fn serve(&mut self) {
        if let Some(slice) = self.slice {
            let row = self.matrix.rows.iter().find(|row| row.number == slice.row);
            for job in row.into_iter().flat_map(super::matrix::Row::members) {
                if let Some((left, thaws)) = self.left.get_mut(&job) {
                    let from = self.served.max(slice.runs).max(*thaws);
                    *left -= self.now.min(slice.ends).saturating_sub(from).min(*left);
                }
            }
        }
        self.served = self.now;
    }

    /// Lets in the jobs that fit.
    fn schedule(&mut self) {
        while let Some(job) = self.next_job() {
            self.matrix.insert(job, self.run.jobs[job].procs, None);
            self.start(job);
        }
        if self.rules.backfills {
            self.backfill();
        }
    }

    /// The steps between slices, and the next slice.
    fn turn(&mut self) {
        let before = self.slice.map(|slice| slice.row).filter(|_| !self.matrix.jobs.is_empty());
        if self.is_changed {
            self.take_steps();
        }
        let next = self.matrix.next_row(before);
        self.slice = next.map(|row| self.begin(row, before));
    }

    /// Compact, schedule, fill.
    fn take_steps(&mut self) {
        let rows_of = |matrix: &Matrix<'_>| -> Vec<(usize, u64)> {
            let pairs = matrix.rows.iter().flat_map(|row| row.members().map(|job| (job, row.number)));
            let mut pairs: Vec<(usize, u64)> = pairs.collect();
            pairs.sort_unstable();
            pairs
        };
        let before = rows_of(&self.matrix);
        let migrated = self.matrix.compact();
        let thaws = self.now.saturating_add(self.rules.migration.unwrap_or_default().as_nanos());
        self.found.migrations += migrated.len() as u64;
        for job in migrated {
            if let Some((_, until)) = self.left.get_mut(&job) {
                *until = thaws;
            }
        }
        self.schedule();
        if self.rules.replicas {
            self.matrix.fill();
        }
        self.is_changed = rows_of(&self.matrix) != before;
    }

    fn begin(&mut self, row: u64, before: Option<u64>) -> Slice {
        let switches = before.is_some_and(|before| before != row);
        self.found.begun += 1;
        self.found.switches += u64::from(switches);
        let runs = self.now + if switches { self.rules.switch.as_nanos() } else { 0 };
        Slice { row, runs, ends: runs + self.rules.quantum.as_nanos() }
    }

    /// Passes over whole cycles in which nothing happens, where a slice begins now.
    fn pass_over(&mut self, outside: Option<u64>) {
        let Some(slice) = self.slice.filter(|_| !self.is_changed) else { return };
        let rows = self.matrix.in_turn().count() as u64;
        let is_frozen = self.left.values().any(|(_, thaws)| *thaws > self.now);
        let switch = if rows > 1 { self.rules.switch.as_nanos() } else { 0 };
        let begins = slice.runs.saturating_sub(switch);
        // the slice itself has to begin as each later one of its row does
        if is_frozen
            || self.now != begins
            || self.served != self.now
            || self.matrix.in_turn().all(|row| row.number != slice.row)
        {
            return;
        }
        let (quantum, cycle) =
            (self.rules.quantum.as_nanos(), rows * (self.rules.quantum.as_nanos() + switch));
        let each: Vec<(usize, u64)> = self
            .left
            .keys()
            .map(|job| (*job, self.matrix.in_turn().filter(|row| row.serves(*job)).count() as u64 * quantum))
            .collect();
        let by_jobs = each
            .iter()
            .map(|(job, gain)| self.left[job].0.saturating_sub(1).checked_div(*gain).unwrap_or(u64::MAX));
        let by_others = outside.map(|at| at.saturating_sub(self.now).saturating_sub(1) / cycle);
        let Some(cycles) = by_jobs.chain(by_others).min().filter(|cycles| *cycles > 0 && *cycles < u64::MAX)
        else {
            return;
        };
        for (job, gain) in each {
            if let Some((left, _)) = self.left.get_mut(&job) {
                *left -= gain * cycles;
            }
        }
        let passed = cycles * cycle;
        self.now += passed;
        self.served = self.now;
        self.slice = Some(Slice { row: slice.row, runs: slice.runs + passed, ends: slice.ends + passed });
        self.found.begun += cycles * rows;
        self.found.switches += if rows > 1 { cycles * rows } else { 0 };
    }
}

/// Time for which the runs of a job ran, that of this number of those that were interrupted, or the
/// last one.
pub(super) fn ran(slices: &Slices, job: usize, attempt: Option<usize>) -> Option<SimDuration> {
    match attempt {
        Some(attempt) => slices.ran.get(&(job, attempt)).copied(),
        None => slices.last.get(&job).copied(),
    }
}

/// Slices that were gone through to the end, or why there are none.
pub(super) fn whole<'a>(slices: &'a Result<Slices, &'static str>) -> Result<&'a Slices, &'static str> {
    match slices {
        Ok(slices) if slices.violations.is_empty() => Ok(slices),
        Ok(_) => Err(BROKEN),
        Err(why) => Err(why),
    }
}

/// The judgement of the slices.
pub(super) fn judged(slices: &Result<Slices, &'static str>) -> Judgement {
    slices.as_ref().map(|slices| slices.violations.clone()).map_err(|why| *why)
}

/// The judgement of the rows of a `matrix.csv`.
pub(super) fn rows(slices: &Result<Slices, &'static str>, stands: &[Stand]) -> Judgement {
    whole(slices).map(|slices| compared(stands, &slices.stood))
}

/// Counts of slices, switches and moves.
pub(super) fn find(slices: &Result<Slices, &'static str>, found: &mut crate::check::Recomputation) {
    let known = slices.as_ref().map_err(|why| *why);
    let counts: [(&str, Count); 3] = [
        ("gang.slices", |slices| slices.begun),
        ("gang.switches", |slices| slices.switches),
        ("gang.migrations", |slices| slices.migrations),
    ];
    for (name, of) in counts {
        found.known(name, known.map(|slices| Some(of(slices) as f64)));
    }
}
