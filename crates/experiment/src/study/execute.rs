//! Making the runs of a study on several threads.
//!
//! Each thread takes the next run that is wanted, makes it, and hands its row over, until none is
//! wanted. Runs are taken replication by replication over all points, recorded logs first, so that
//! an interrupted study has something of every point. A point that has enough ([`Stopping`]) wants
//! no more; what ran ahead is in the journal and is left out of the results.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::collections::{OrderedMap, OrderedSet};
use crate::scenario::{Point, Repeat, Study};
use crate::study::row::{Row, Rows, RunKey, State};
use crate::study::run::NoRow;
use crate::study::run_metrics::SharedNames;
use crate::study::stopping::Stopping;
use crate::study::{threads, to_power};

/// The progress of a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StudyStatus {
    /// Points that have all they need.
    pub points_done: u64,
    /// All points.
    pub points: u64,
    /// Runs that are over, earlier sessions included.
    pub done: u64,
    /// Runs that are known to be wanted, over or not.
    pub wanted: u64,
    /// Runs being made.
    pub running: u64,
    /// Runs that ended with an error.
    pub failed: u64,
}

/// A study to be executed, and the means.
pub struct Execution<'a> {
    /// The points.
    pub study: &'a Study,
    /// Makes a run, on the thread that calls it; `None` if it was broken off, and then no further
    /// run is begun.
    pub make: &'a (dyn Fn(RunKey) -> Result<Option<Row>, NoRow> + Sync),
    /// Returns true for runs that may be made: all of them, or those of a shard.
    pub wanted: &'a (dyn Fn(RunKey) -> bool + Sync),
    /// Threads that make runs, each one at a time.
    pub threads: usize,
    /// Called with the progress of the study and its rows after every run.
    pub watch: &'a (dyn Fn(StudyStatus, &Rows) + Sync),
    /// Called with the rows when a pilot is over, before what it asks for is made.
    pub piloted: &'a (dyn Fn(&Rows) + Sync),
}

/// Keeps a row the moment its run is over, as a journal does.
pub type KeepRow<'a> = dyn FnMut(&Row) -> io::Result<()> + Send + 'a;

/// Makes every wanted run that is not among `rows`, keeps it, and gives all rows back.
///
/// # Errors
/// A row or a run cannot be kept, or an input cannot be read any more; then no further run is
/// begun.
pub fn execute(execution: &Execution<'_>, rows: Rows, keep: &mut KeepRow<'_>) -> io::Result<Rows> {
    let (rows, is_whole) = stage(execution, rows, keep)?;
    match execution.study.repeat {
        // the pilot is there now, and says what else is wanted
        Repeat::ToPower { .. } if is_whole => {
            (execution.piloted)(&rows);
            stage(execution, rows, keep).map(|(rows, _)| rows)
        }
        _ => Ok(rows),
    }
}

/// Makes the runs that the rows of earlier ones ask for; false if one was broken off.
fn stage(execution: &Execution<'_>, rows: Rows, keep: &mut KeepRow<'_>) -> io::Result<(Rows, bool)> {
    let shared = Mutex::new(Shared::new(execution, rows, keep));
    threads::on_each(execution.threads, || {
        loop {
            // a statement of its own: the lock is not held while the run is made
            let next = lock(&shared).begin(execution);
            let Some(key) = next else { break };
            let made = (execution.make)(key);
            lock(&shared).end(execution, made);
        }
    })?;
    let shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    match shared.stopped {
        Some(error) => Err(error),
        None => Ok((shared.rows, !shared.broken_off)),
    }
}

/// The rows that count: of every point that of the recorded log, if its log is randomized, and the
/// replications before its end. What ran ahead, and rows that no point asked for, are gone.
///
/// # Errors
/// The runs that are missing.
pub fn settle(study: &Study, mut rows: Rows) -> Result<Rows, Vec<RunKey>> {
    let (kept, missing) = wanted_and_missing(study, &rows);
    if !missing.is_empty() {
        return Err(missing);
    }
    // both are in order
    let mut kept = kept.into_iter().peekable();
    rows.retain(|key, _| kept.next_if_eq(key).is_some());
    Ok(rows)
}

/// The rows that count so far: those that [`settle`] would keep, of every point up to the first
/// replication that is missing.
pub fn settled_so_far<'a>(study: &Study, rows: &'a Rows) -> OrderedMap<RunKey, &'a Row> {
    let kept = wanted_and_missing(study, rows).0.into_iter();
    kept.filter_map(|key| Some((key, rows.get(&key)?))).collect()
}

/// The runs of a study that are missing.
pub fn missing(study: &Study, rows: &Rows) -> Vec<RunKey> {
    wanted_and_missing(study, rows).1
}

/// The runs of a study that are there, as far as they count, and those that are missing.
fn wanted_and_missing(study: &Study, rows: &Rows) -> (Vec<RunKey>, Vec<RunKey>) {
    let (mut kept, mut missing) = (Vec::new(), Vec::new());
    let rules = to_power::rules(study, rows);
    for ((number, point), repeat) in (0..).zip(&study.points).zip(&rules) {
        if point.scenario.is_randomized() {
            let key = (number, None);
            if rows.contains_key(&key) { &mut kept } else { &mut missing }.push(key);
        }
        let mut stopping = Stopping::new(repeat);
        while stopping.enough().is_none() {
            let key = (number, Some(stopping.next()));
            let Some(row) = rows.get(&key) else {
                missing.push(key);
                break;
            };
            stopping.take(row);
            kept.push(key);
        }
    }
    (kept, missing)
}

/// The runs that a point wants and does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunsLeft {
    /// Run of the recorded log.
    pub recorded: u64,
    /// Replications at the least.
    pub least: u64,
    /// Replications at the most.
    pub most: u64,
}

/// The runs that are left of every point, as far as the rows that are there say.
pub fn left(study: &Study, rows: &Rows) -> Vec<RunsLeft> {
    let of = |((number, point), repeat): ((u32, &Point), &Repeat)| {
        let mut stopping = Stopping::new(repeat);
        while stopping.enough().is_none()
            && let Some(row) = rows.get(&(number, Some(stopping.next())))
        {
            stopping.take(row);
        }
        let lacking = |count: u32| {
            (stopping.next()..count).filter(|next| !rows.contains_key(&(number, Some(*next)))).count() as u64
        };
        let most = if stopping.enough().is_some() { 0 } else { lacking(repeat.at_most()) };
        RunsLeft {
            recorded: u64::from(point.scenario.is_randomized() && !rows.contains_key(&(number, None))),
            least: lacking(stopping.wanted_at_least()).min(most),
            most,
        }
    };
    (0..).zip(&study.points).zip(&to_power::rules(study, rows)).map(of).collect()
}

fn lock<'a, 'k, 'b>(shared: &'a Mutex<Shared<'k, 'b>>) -> MutexGuard<'a, Shared<'k, 'b>> {
    // a thread that panicked while it held the lock was in `watch`, after the rows were in order
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The rule up to the end of a pilot.
fn first_stage(repeat: Repeat) -> Repeat {
    match repeat {
        Repeat::ToPower { pilot, .. } => Repeat::Times(pilot),
        other => other,
    }
}

/// The state that the threads share.
struct Shared<'k, 'a> {
    rows: Rows,
    stopping: Vec<Stopping>,
    /// Replications of every point at the most.
    most: Vec<u32>,
    /// The first replication of every point that did not fail.
    only: Vec<Option<RunKey>>,
    /// The next replication of every point that wants more, and before them the recorded logs.
    queue: OrderedSet<(Option<u32>, u32)>,
    names: SharedNames,
    /// Runs of recorded logs.
    recorded: u64,
    keep: &'k mut KeepRow<'a>,
    running: u64,
    failed: u64,
    /// Error after which no further run is begun.
    stopped: Option<io::Error>,
    /// True if a run was broken off.
    broken_off: bool,
}

impl<'k, 'a> Shared<'k, 'a> {
    fn new(execution: &Execution<'_>, mut rows: Rows, keep: &'k mut KeepRow<'a>) -> Self {
        let points = execution.study.points.len() as u32;
        let failed = rows.values().filter(|row| row.state == State::Failed).count() as u64;
        let randomized =
            (0..).zip(&execution.study.points).filter(|(_, point)| point.scenario.is_randomized());
        let recorded: Vec<(Option<u32>, u32)> = randomized.map(|(number, _)| (None, number)).collect();
        // a pilot is all that is known to be wanted before it is there
        let rules: Vec<Repeat> =
            to_power::rules(execution.study, &rows).into_iter().map(first_stage).collect();
        let mut names = SharedNames::default();
        rows.values_mut().for_each(|row| row.metrics.share(&mut names));
        let mut shared = Shared {
            rows,
            names,
            stopping: rules.iter().map(Stopping::new).collect(),
            most: rules.iter().map(Repeat::at_most).collect(),
            only: vec![None; points as usize],
            recorded: recorded.len() as u64,
            queue: (0..points).map(|point| (Some(0), point)).chain(recorded).collect(),
            keep,
            running: 0,
            failed,
            stopped: None,
            broken_off: false,
        };
        (0..points).for_each(|point| shared.advance(point));
        shared
    }

    /// Takes the rows of `point` that are next in order.
    fn advance(&mut self, point: u32) {
        let stopping = &mut self.stopping[point as usize];
        while stopping.enough().is_none()
            && let Some(row) = self.rows.get(&(point, Some(stopping.next())))
        {
            stopping.take(row);
            let key = row.key();
            let_go_of_batches(&mut self.rows, &mut self.only[point as usize], key);
        }
    }

    /// The next run that is wanted.
    fn begin(&mut self, execution: &Execution<'_>) -> Option<RunKey> {
        while let Some((replication, point)) = self.queue.pop_first() {
            if let Some(number) = replication {
                if self.stopping[point as usize].enough().is_some() {
                    continue;
                }
                if number + 1 < self.most[point as usize] {
                    self.queue.insert((Some(number + 1), point));
                }
            }
            let key = (point, replication);
            if (execution.wanted)(key) && !self.rows.contains_key(&key) {
                self.running += 1;
                return Some(key);
            }
        }
        None
    }

    fn end(&mut self, execution: &Execution<'_>, made: Result<Option<Row>, NoRow>) {
        self.running -= 1;
        if self.stopped.is_some() {
            // the journal may end with a torn line, which stays the last
            return;
        }
        let row = match made {
            Ok(Some(row)) => (self.keep)(&row).map(|()| row),
            Ok(None) => {
                self.broken_off = true;
                self.queue.clear();
                return;
            }
            Err(NoRow(why)) => Err(io::Error::other(why)),
        };
        let mut row = match row {
            Ok(row) => row,
            Err(error) => {
                self.stopped = Some(error);
                self.queue.clear();
                return;
            }
        };
        self.failed += u64::from(row.state == State::Failed);
        let point = row.point;
        row.metrics.share(&mut self.names);
        self.rows.insert(row.key(), row);
        self.advance(point);
        (execution.watch)(self.standing(), &self.rows);
    }

    fn standing(&self) -> StudyStatus {
        let known = |stopping: &Stopping| u64::from(stopping.enough().unwrap_or(stopping.wanted_at_least()));
        StudyStatus {
            points_done: self.stopping.iter().filter(|stopping| stopping.enough().is_some()).count() as u64,
            points: self.stopping.len() as u64,
            done: self.rows.len() as u64,
            wanted: self.recorded + self.stopping.iter().map(known).sum::<u64>(),
            running: self.running,
            failed: self.failed,
        }
    }
}

/// Takes the batches out of a row and of the one before it that did not fail: they are read where
/// one run is all that a point has. `only` is the first replication of the point that did not fail.
fn let_go_of_batches(rows: &mut Rows, only: &mut Option<RunKey>, key: RunKey) {
    if rows.get(&key).is_none_or(|row| row.state == State::Failed) {
        return;
    }
    let first = *only.get_or_insert(key);
    if first != key {
        for key in [first, key] {
            if let Some(row) = rows.get_mut(&key) {
                row.drop_batches();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::row::{BatchFacts, Seldom};

    /// The rows of a point that hold batches, after rows of these states.
    fn with_batches(states: &[State]) -> Vec<u32> {
        let fact = BatchFacts {
            metric: "wait-time.mean".to_owned(),
            half_width: Some(1.0),
            correlate: false,
            worth: None,
            long_enough: true,
        };
        let row = |(number, state): (u32, &State)| {
            let row = Row { replication: Some(number), state: *state, ..Row::default() };
            let seldom = Seldom { batches: vec![fact.clone()], ..Seldom::default() }.boxed();
            (row.key(), Row { seldom, ..row })
        };
        let mut rows: Rows = (0..).zip(states).map(row).collect();
        let mut only = None;
        (0..states.len() as u32)
            .for_each(|number| let_go_of_batches(&mut rows, &mut only, (0, Some(number))));
        rows.values().filter(|row| !row.batches().is_empty()).filter_map(|row| row.replication).collect()
    }

    #[test]
    fn batches_stay_where_one_run_is_all_that_a_point_has() {
        use State::{Done, Failed};
        assert_eq!(with_batches(&[Done]), [0]);
        assert_eq!(with_batches(&[Failed, Done, Failed]), [0, 1, 2]);
        assert_eq!(with_batches(&[Done, Failed, Done, Done]), [1]);
    }
}
