//! `matrix.csv` against itself and `jobs.csv`, and against the slices that are gone through.
//!
//! A job has cells of its own in one row at a time, from its start to its end; a replica is in
//! another row, on the very processors of these cells. A processor of a row has one job at a time.
//! Which row that is, and where replicas are, follows from the slices.

use crate::check::Violation;
use crate::collections::{Interval, OrderedMap};
use crate::kernel::SimTime;
use crate::output::RowFile;
use crate::rows::MatrixSpanRow;

use super::run::JobRun;

/// A span in which a job stands in a row.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Stand {
    pub(super) from: SimTime,
    /// The place of the row, from 1.
    pub(super) row: u32,
    pub(super) on: Vec<Interval>,
    /// Number and submission of the job.
    pub(super) job: (u64, SimTime),
    pub(super) is_replica: bool,
    pub(super) to: SimTime,
}

impl Stand {
    fn broken(&self, what: impl Into<String>) -> Violation {
        Violation { job: self.job.0, at: self.from, what: what.into() }
    }

    /// Returns true if a processor is of both.
    fn meets(&self, other: &Stand) -> bool {
        let meet = |one: &Interval, next: &Interval| one.first <= next.last && next.first <= one.last;
        self.on.iter().any(|one| other.on.iter().any(|next| meet(one, next)))
    }

    /// The span in words.
    fn described(&self) -> String {
        let on: Vec<String> = self.on.iter().map(ToString::to_string).collect();
        let role = if self.is_replica { "a replica" } else { "its own cells" };
        format!("{role} in row {} on {} until {}", self.row, on.join(" "), self.to)
    }
}

/// The rows of a `matrix.csv`.
///
/// # Errors
/// The first cell that cannot be read.
pub(super) fn read(text: &str) -> Result<Vec<Stand>, String> {
    let mut all = Vec::new();
    RowFile::<MatrixSpanRow<'_>>::new(text)?.each(|row, _| {
        let is_replica = match &*row.role {
            "own" => false,
            "replica" => true,
            other => return Err(format!("job {}: the role `{other}` in matrix.csv is none", row.job)),
        };
        let (job, on) = ((row.job, row.submitted), row.on.into_owned());
        all.push(Stand { from: row.from, row: row.row, on, job, is_replica, to: row.to });
        Ok(())
    })?;
    Ok(all)
}

/// Rows of the table that contradict each other, the machine, or the rows of jobs.
pub(super) fn by_itself(run: &JobRun<'_>, stands: &[Stand]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let order = |one: &Stand| (one.from, one.row, one.on.first().copied());
    for pair in stands.windows(2).filter(|pair| order(&pair[0]) > order(&pair[1])) {
        violations.push(pair[1].broken("its row in matrix.csv stands behind one that comes later"));
    }
    for one in stands {
        let is_there = (1..=run.facts.level).contains(&one.row)
            && !one.on.is_empty()
            && one.on.iter().all(|part| part.last < run.facts.procs);
        if !is_there || one.from >= one.to {
            violations
                .push(one.broken(format!("matrix.csv gives it no cells or no time: {}", one.described())));
        }
    }
    violations.extend(shared_cells(stands));
    let mut by_job: OrderedMap<(u64, SimTime), Vec<&Stand>> = OrderedMap::new();
    stands.iter().for_each(|one| by_job.entry(one.job).or_default().push(one));
    let mut known: OrderedMap<(u64, SimTime), Vec<usize>> = OrderedMap::new();
    for (place, job) in run.jobs.iter().enumerate() {
        known.entry((job.number, job.submit_time)).or_default().push(place);
    }
    for (job, places) in &known {
        let stands = by_job.remove(job).unwrap_or_default();
        // which spans are of which of two jobs alike, or of one that has not left, is not known
        if let ([place], true) = (&places[..], run.outcomes[places[0]].is_some()) {
            let attempts = run.attempts.iter().filter(|(other, _)| other == place);
            let lives: Vec<(SimTime, SimTime, &[Interval])> =
                attempts.map(|(_, one)| (one.start, one.end, &one.on[..])).collect();
            violations.extend(of_job(run, *place, lives, &stands));
        }
    }
    let unknown = by_job.into_values().flatten().filter(|_| !known.is_empty());
    violations.extend(unknown.map(|one| one.broken("matrix.csv has it, and the workload has no such job")));
    violations
}

/// Start, end and last processors of a run.
type Life<'a> = (SimTime, SimTime, &'a [Interval]);

/// Spans of a job that are not those of its row in `jobs.csv`, or of its interrupted runs before
/// that.
fn of_job<'a>(
    run: &'a JobRun<'_>,
    place: usize,
    mut lives: Vec<Life<'a>>,
    stands: &[&Stand],
) -> Vec<Violation> {
    let Some(outcome) = &run.outcomes[place] else { return Vec::new() };
    lives.extend(outcome.start.map(|start| (start, outcome.end, &outcome.on[..])));
    lives.retain(|(start, end, _)| start < end);
    let (replicas, own): (Vec<&Stand>, Vec<&Stand>) = stands.iter().partition(|one| one.is_replica);
    let mut violations = Vec::new();
    let mut broken = |what: &str| {
        let at = outcome.start.unwrap_or(outcome.end);
        violations.push(Violation { job: run.jobs[place].number, at, what: what.to_owned() });
    };
    let (mut rest, mut is_whole, mut is_there) = (&own[..], true, true);
    for (start, end, on) in lives {
        let count = rest.iter().take_while(|one| one.from < end).count();
        let (within, later) = rest.split_at(count);
        rest = later;
        let span = within.first().zip(within.last()).map(|(first, last)| (first.from, last.to));
        is_whole &= span == Some((start, end)) && within.windows(2).all(|pair| pair[0].to == pair[1].from);
        is_there &= within.last().is_none_or(|last| last.on == on);
    }
    if !is_whole || !rest.is_empty() {
        broken("matrix.csv does not have it in one row of its own from its start to its end");
    }
    if !is_there {
        broken("matrix.csv has it on other processors at its end than jobs.csv");
    }
    let astray = replicas.into_iter().filter(|one| !is_of(one, &own));
    violations.extend(
        astray.map(|one| one.broken(format!("it has no such cells of its own: {}", one.described()))),
    );
    violations
}

/// Returns true if a replica has the processors of the job's own cells all the time, in other rows.
fn is_of(replica: &Stand, own: &[&Stand]) -> bool {
    let during: Vec<&&Stand> =
        own.iter().filter(|one| one.from < replica.to && replica.from < one.to).collect();
    during.first().is_some_and(|one| one.from <= replica.from)
        && during.last().is_some_and(|one| replica.to <= one.to)
        && during.iter().all(|one| one.on == replica.on && one.row != replica.row)
}

/// Pairs of spans that have a processor of a row at one time.
fn shared_cells(stands: &[Stand]) -> Vec<Violation> {
    let mut in_time: Vec<&Stand> = stands.iter().collect();
    in_time.sort_by_key(|one| one.from);
    let (mut present, mut violations) = (OrderedMap::<u32, Vec<&Stand>>::new(), Vec::new());
    for one in in_time {
        let there = present.entry(one.row).or_default();
        there.retain(|other| other.to > one.from);
        if let Some(other) = there.iter().find(|other| other.meets(one)) {
            let what =
                format!("matrix.csv has job {} on the same processors of row {}", other.job.0, one.row);
            violations.push(one.broken(what));
        }
        there.push(one);
    }
    violations
}

/// Spans that the slices make and the table does not have, and the other way round.
pub(super) fn compared(stands: &[Stand], made: &[Stand]) -> Vec<Violation> {
    let count = |list: &[Stand]| {
        let mut counts: OrderedMap<Stand, i64> = OrderedMap::new();
        list.iter().for_each(|one| *counts.entry(one.clone()).or_default() += 1);
        counts
    };
    let mut more = count(stands);
    for (one, times) in count(made) {
        *more.entry(one).or_default() -= times;
    }
    let differing = more.into_iter().filter(|(_, more)| *more != 0);
    let violation = |(one, more): (Stand, i64)| match more {
        1.. => one.broken(format!("matrix.csv has {}, which the slices do not make", one.described())),
        _ => one.broken(format!("the slices make {}, which matrix.csv does not have", one.described())),
    };
    differing.map(violation).collect()
}
