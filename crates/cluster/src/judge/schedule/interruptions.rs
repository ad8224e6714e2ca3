//! Nodes that fail: no job is on a processor that is out of service, a job is interrupted only
//! then, and its work adds up.
//!
//! What is known of failures is read from `attempts.csv`, the runs that were interrupted, and
//! `outages.csv`, when nodes were out of service. At one instant jobs end, nodes come back, nodes
//! fail, and jobs start, in this order.

use crate::collections::{Interval, OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::{SimDuration, SimTime};
use crate::output::RowFile;
use crate::rows::{AttemptRow, OutageRow};
use crate::workload::resources::GpuShare;

use super::changes::Spread;
use super::{FeatureActs, Row, Violation, violation_of};

/// A run of a job that was interrupted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The job.
    pub number: u64,
    /// Instant at which the job was submitted.
    pub submit_time: SimTime,
    /// Instant at which the run started.
    pub start: SimTime,
    /// Instant at which it was interrupted.
    pub end: SimTime,
    /// Processors it had.
    pub on: Vec<Interval>,
    /// Work done that need not be done again.
    pub kept: SimDuration,
    /// GPUs it had, where they are distinguished.
    pub gpus: Vec<GpuShare>,
    /// The job on the processors of this run, if it may have been given others before.
    pub sized: Option<SizedRun>,
}

/// A job on the processors of one of its runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizedRun {
    /// Its whole work.
    pub work: SimDuration,
    /// Time for which it is estimated to run.
    pub estimate: SimDuration,
    /// Work of earlier runs that it need not do again.
    pub kept: SimDuration,
}

/// A span in which processors were out of service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Away {
    /// The processors.
    pub on: Interval,
    /// Instant at which their node failed.
    pub from: SimTime,
    /// Instant at which it was back; [`SimTime::MAX`] if it was not.
    pub to: SimTime,
}

/// Facts about nodes that failed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interruptions {
    /// The runs that were interrupted; those of a job in order.
    pub attempts: Vec<Attempt>,
    /// Spans in which processors were out of service.
    pub away: Vec<Away>,
    /// Work between two checkpoints, and what one costs; none if jobs write none.
    pub checkpoint: Option<(SimDuration, SimDuration)>,
    /// Time after an interruption before which a job does not start again.
    pub delay: SimDuration,
    /// True if interrupted jobs stand behind all others that came before they were interrupted.
    pub behind: bool,
    /// True if jobs run in slices: how long each ran is not known here, but no longer than it had
    /// its processors.
    pub in_slices: bool,
    /// Jobs without that delay, by number and submission: they wait inside reservations.
    pub undelayed: OrderedSet<(u64, SimTime)>,
    /// Acts of features of another crate, which may hold jobs again.
    pub acts: FeatureActs,
    /// Work of earlier runs that the last run of a job of another size need not do again, by number
    /// and submission.
    pub kept_to_the_last: OrderedMap<(u64, SimTime), SimDuration>,
}

/// Earlier runs of a job, together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::judge) struct Earlier {
    /// Work that it need not do again.
    pub(in crate::judge) kept: SimDuration,
    /// Time for which it had processors.
    pub(in crate::judge) held: SimDuration,
}

impl Attempt {
    pub(super) fn held(&self) -> u64 {
        self.on.iter().map(|on| on.count()).sum()
    }

    /// Reads the text of an `attempts.csv`, or says which line cannot be read.
    pub(in crate::judge) fn all(text: &str) -> Result<Vec<Attempt>, String> {
        let mut attempts = Vec::new();
        RowFile::<AttemptRow<'_>>::new(text)?.each(|row, line| {
            let AttemptRow { job: number, submitted: submit_time, start, end, on, kept, gpus_held, .. } = row;
            if submit_time > start || start > end {
                return Err(line.wrong("the run does not go from its submission over its start to its end"));
            }
            let gpus = gpus_held.map_or(Some(Vec::new()), |text| GpuShare::parse_all(&text));
            let gpus = gpus.ok_or_else(|| line.wrong("the GPUs that it had are none"))?;
            attempts.push(Attempt {
                number,
                submit_time,
                start,
                end,
                on: on.into_owned(),
                kept,
                gpus,
                sized: None,
            });
            Ok(())
        })?;
        Ok(attempts)
    }
}

impl Interruptions {
    /// Reads the texts of an `attempts.csv` and an `outages.csv`.
    ///
    /// # Errors
    /// Which line of which of them cannot be read.
    pub fn read(attempts: &str, outages: &str) -> Result<Self, String> {
        let attempts = Attempt::all(attempts)?;
        let outages = RowFile::<OutageRow>::new(outages)?.all()?.into_iter();
        let away =
            |row: OutageRow| Away { on: row.processors, from: row.from, to: row.to.unwrap_or(SimTime::MAX) };
        let away = outages.map(away).collect();
        Ok(Interruptions { attempts, away, ..Interruptions::default() })
    }

    /// The interrupted runs as rows of jobs that ran for so long.
    pub(super) fn rows(&self) -> Vec<Row> {
        let row = |one: &Attempt| Row {
            number: one.number,
            submit_time: one.submit_time,
            considered: one.submit_time,
            follows: false,
            start: one.start,
            end: one.end,
            run_time: one.end.since(one.start),
            estimate: one.end.since(one.start),
            procs: one.held() as u32,
            on: one.on.clone(),
            gpus: one.gpus.clone(),
            ..Row::default()
        };
        self.attempts.iter().map(row).collect()
    }

    /// Earlier runs of each job that was interrupted, by number and submission.
    pub(in crate::judge) fn earlier(&self) -> OrderedMap<(u64, SimTime), Earlier> {
        let mut all: OrderedMap<_, Earlier> = OrderedMap::new();
        for one in &self.attempts {
            let earlier = all.entry((one.number, one.submit_time)).or_default();
            earlier.kept = earlier.kept.saturating_add(one.kept);
            earlier.held = earlier.held.saturating_add(one.end.since(one.start));
        }
        for (key, &kept) in &self.kept_to_the_last {
            all.entry(*key).or_default().kept = kept;
        }
        all
    }

    /// The work that a run with `work` to do has done after `held`, be it kept or not.
    pub(in crate::judge) fn does(&self, work: SimDuration, held: SimDuration) -> SimDuration {
        let Some((interval, cost)) = self.checkpoint else { return held.min(work) };
        let each = interval.as_nanos().saturating_add(cost.as_nanos());
        let kept = self.keeps(work, held);
        let (rest, since) =
            (work.saturating_sub(kept), held.as_nanos() - kept.as_nanos() / interval.as_nanos() * each);
        // behind the last checkpoint it only works
        let most = if rest > interval { interval } else { rest };
        kept.saturating_add(SimDuration::from_nanos(since).min(most))
    }

    /// Time that a run with `work` to do lasts.
    pub(in crate::judge) fn lasts(&self, work: SimDuration) -> SimDuration {
        let Some((interval, cost)) = self.checkpoint else { return work };
        let written = work.as_nanos().saturating_sub(1) / interval.as_nanos();
        SimDuration::from_nanos(work.as_nanos().saturating_add(written.saturating_mul(cost.as_nanos())))
    }

    /// The work kept of a run with `work` to do that is interrupted after `held`.
    pub(in crate::judge) fn keeps(&self, work: SimDuration, held: SimDuration) -> SimDuration {
        let Some((interval, cost)) = self.checkpoint else { return SimDuration::ZERO };
        let each = interval.as_nanos().saturating_add(cost.as_nanos());
        // the end of the work writes none
        let most = work.as_nanos().saturating_sub(1) / interval.as_nanos();
        SimDuration::from_nanos((held.as_nanos() / each).min(most) * interval.as_nanos())
    }
}

/// No processor has a job while it is out of service.
///
/// # Complexity
/// n log n in the intervals of all runs and outages.
pub fn in_service(rows: &[Row], known: &Interruptions) -> Vec<Violation> {
    let spans: Vec<Span> = known.away.iter().map(|away| (away.on, away.from, away.to)).collect();
    let mut violations = Vec::new();
    conflicts(rows, &spans, |at, on, conflict| {
        let (row, what) = match conflict {
            Conflict::Stays(row, _) => {
                (row, format!("it stays on processors among {on}, which go out of service"))
            }
            Conflict::Starts(row, _) => {
                (row, format!("it starts on processors among {on}, which are out of service"))
            }
            Conflict::Spans(..) => return,
        };
        violations.push(violation_of(&rows[row], at, what));
    });
    violations
}

/// Processors that jobs may not have, from when and to when.
pub(super) type Span = (Interval, SimTime, SimTime);

/// Processors that two have at once, by their indices.
pub(super) enum Conflict {
    /// A job stays when the span begins.
    Stays(usize, usize),
    /// A job starts during the span.
    Starts(usize, usize),
    /// The second span begins during the first.
    Spans(usize, usize),
}

/// Finds where runs of jobs and spans meet, and among which processors. At one instant jobs end,
/// spans end, spans begin, and jobs start.
pub(super) fn conflicts(rows: &[Row], spans: &[Span], mut found: impl FnMut(SimTime, Interval, Conflict)) {
    let mut changes: Vec<(SimTime, u8, usize)> = Vec::new();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.start < row.end) {
        changes.extend([(row.end, 0, index), (row.start, 3, index)]);
    }
    for (index, &(_, from, to)) in spans.iter().enumerate().filter(|(_, (_, from, to))| from < to) {
        changes.extend([(to, 1, index), (from, 2, index)]);
    }
    changes.stable_sort();
    let (mut held, mut taken) = (Spread::default(), Spread::default());
    for (at, what, index) in changes {
        match what {
            0 => rows[index].on.iter().for_each(|&on| held.remove(on)),
            1 => taken.remove(spans[index].0),
            2 => {
                let on = spans[index].0;
                held.meets(on).into_iter().for_each(|row| found(at, on, Conflict::Stays(row, index)));
                taken.meets(on).into_iter().for_each(|other| found(at, on, Conflict::Spans(other, index)));
                taken.insert(on, index);
            }
            _ => {
                for &on in &rows[index].on {
                    taken.meets(on).into_iter().for_each(|span| found(at, on, Conflict::Starts(index, span)));
                    held.insert(on, index);
                }
            }
        }
    }
}

/// Each run that is cut short, of a job that is interrupted or lost, ends exactly when a node of it
/// fails; a job that is interrupted keeps what its checkpoints have written, and its last run has
/// the rest to do. Rows take over how long their last runs have to be, if the run times of their
/// jobs are known: `rows` then have those.
pub fn work_adds_up(rows: &mut [Row], known: &Interruptions) -> Vec<Violation> {
    adds_up(rows, known, "no node of it fails")
}

/// The same of interruptions by whatever takes processors away; `no_cause` says that nothing does.
pub(super) fn adds_up(rows: &mut [Row], known: &Interruptions, no_cause: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut failures: OrderedMap<SimTime, Vec<Interval>> = OrderedMap::new();
    for away in &known.away {
        failures.entry(away.from).or_default().push(away.on);
    }
    let fails = |at: SimTime, on: &[Interval]| {
        let meets = |one: &Interval| on.iter().any(|on| on.first <= one.last && one.first <= on.last);
        failures.get(&at).is_some_and(|failed| failed.iter().any(meets))
    };
    let mut runs: OrderedMap<(u64, SimTime), Vec<&Attempt>> = OrderedMap::new();
    for attempt in &known.attempts {
        if !fails(attempt.end, &attempt.on) {
            let what = format!("its run is interrupted, though {no_cause}");
            violations.push(Violation { job: attempt.number, at: attempt.end, what });
        }
        runs.entry((attempt.number, attempt.submit_time)).or_default().push(attempt);
    }
    for row in rows {
        let mut broken = |at, what| violations.push(Violation { job: row.number, at, what });
        let mut rest = row.work.unwrap_or(row.run_time);
        let mut free = row.considered;
        let at_once = known.undelayed.contains(&(row.number, row.submit_time));
        let delay = if at_once { SimDuration::ZERO } else { known.delay };
        for run in runs.get(&(row.number, row.submit_time)).into_iter().flatten() {
            if run.start < free {
                let what = "it starts before it may, or before the end of its run before";
                broken(run.start, what.to_owned());
            }
            if let Some(sized) = run.sized {
                rest = sized.work.saturating_sub(sized.kept);
            } else if run.held() != u64::from(row.procs) {
                broken(run.start, format!("it does not have the {} processors that it needs", row.procs));
            }
            let keeps = known.keeps(rest, run.end.since(run.start));
            if keeps != run.kept && !(known.in_slices && run.kept < keeps) {
                broken(run.end, format!("it keeps {} of its work, and not {keeps}", run.kept));
            }
            if !known.in_slices && run.end.since(run.start) >= known.lasts(rest) {
                broken(run.end, "it is interrupted, though it was over by then".to_owned());
            }
            rest = rest.saturating_sub(run.kept);
            free = run.end.saturating_add(delay);
        }
        if let Some(kept) = known.kept_to_the_last.get(&(row.number, row.submit_time)) {
            rest = row.work.unwrap_or(row.run_time).saturating_sub(*kept);
        }
        if row.start < free {
            broken(row.start, "it starts before its run before is over, and a delay".to_owned());
        }
        let held = row.end.since(row.start);
        if row.lost {
            if !fails(row.end, &row.on) {
                broken(row.end, format!("it is lost, though {no_cause}"));
            }
            if !known.in_slices && held >= known.lasts(rest) {
                broken(row.end, "it is lost, though it was over by then".to_owned());
            }
            row.run_time = held;
        } else if row.killed || row.cancelled {
            if !known.in_slices && held > known.lasts(rest) {
                broken(row.end, "it continues, though it was over before".to_owned());
            }
            row.run_time = held;
        } else if known.in_slices {
            if held < known.lasts(rest) {
                broken(row.end, format!("it is over before it has run for {}", known.lasts(rest)));
            }
            row.run_time = held;
        } else {
            row.run_time = known.lasts(rest);
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    fn known() -> Interruptions {
        let attempts = "job_id,submission_time,attempt,starting_time,finish_time,allocated_resources,saved_work\n\
                        1,0,1,0,0.000000030,0-1,0.000000020\n";
        let outages = "node,processors,from,to\n0,0-1,0.000000030,0.000000050\n1,2-3,0.000000090,\n";
        let known = Interruptions::read(attempts, outages).expect("readable");
        Interruptions { checkpoint: Some((SimDuration::from_nanos(10), SimDuration::from_nanos(2))), ..known }
    }

    /// The last run of a job with 35 to do, of which 20 are done.
    fn last(start: u64, lasts: u64) -> Row {
        Row { run_time: SimDuration::from_nanos(35), ..row(1, 0, start, lasts, (2, 3)) }
    }

    #[test]
    fn what_is_kept_and_what_is_left_to_do_add_up() {
        let mut rows = [last(30, 17)];
        assert_eq!(work_adds_up(&mut rows, &known()), []);
        assert_eq!(rows[0].run_time, SimDuration::from_nanos(17));
        let mut early = [last(29, 17)];
        assert_eq!(work_adds_up(&mut early, &known()).len(), 1);
        let mut other = known();
        other.attempts[0].kept = SimDuration::from_nanos(30);
        assert_eq!(
            work_adds_up(&mut [last(30, 17)], &other)[0].what,
            "it keeps 0.00000003 s of its work, and not 0.00000002 s"
        );
        other = known();
        other.away.clear();
        assert_eq!(
            work_adds_up(&mut [last(30, 17)], &other)[0].what,
            "its run is interrupted, though no node of it fails"
        );
        let mut lost = [Row { lost: true, ..last(40, 3) }];
        assert_eq!(work_adds_up(&mut lost, &known()).len(), 1);
        let mut lost = [Row { lost: true, ..last(75, 15) }];
        assert_eq!(work_adds_up(&mut lost, &known()), []);
        let killed = |lasts| Row { killed: true, work: Some(SimDuration::from_nanos(35)), ..last(30, lasts) };
        assert_eq!([16, 17, 18].map(|lasts| work_adds_up(&mut [killed(lasts)], &known()).len()), [0, 0, 1]);
    }

    #[test]
    fn work_is_done_between_checkpoints_and_behind_the_last_one() {
        let nanos = SimDuration::from_nanos;
        let done = [0, 9, 11, 12, 13, 22, 36, 40].map(|held| known().does(nanos(35), nanos(held)).as_nanos());
        assert_eq!(done, [0, 9, 10, 10, 11, 20, 30, 34]);
        assert_eq!(Interruptions::default().does(nanos(35), nanos(20)), nanos(20));
    }

    #[test]
    fn a_job_on_a_node_that_is_down_is_found() {
        let on = |start, run, on| row(2, 0, start, run, on);
        let fine = [on(0, 30, (0, 1)), on(50, 9, (1, 1)), on(0, 90, (2, 3)), on(80, 99, (4, 4))];
        assert_eq!(in_service(&fine, &known()), []);
        for bad in [on(0, 31, (1, 2)), on(49, 1, (0, 0)), on(30, 1, (1, 4)), on(95, 1, (3, 3))] {
            assert_eq!(in_service(std::slice::from_ref(&bad), &known()).len(), 1, "{bad:?}");
        }
        assert_eq!(known().away[1].to, SimTime::MAX);
        assert_eq!(known().away[0], Away { on: Interval::new(0, 1), from: at(30), to: at(50) });
    }

    #[test]
    fn cells_may_be_quoted() {
        let attempts = "\"job_id\",submission_time,attempt,starting_time,finish_time,allocated_resources,saved_work,\"a, b\"\n\
                        \"1\",0,1,\"0\",0.000000030,\"0-1\",0.000000020,\"c\nd\"\n";
        let outages =
            "node,processors,from,to\n0,\"0-1\",0.000000030,\"0.000000050\"\n1,2-3,0.000000090,\"\"\n";
        let quoted = Interruptions::read(attempts, outages).expect("readable");
        assert_eq!(Interruptions { checkpoint: known().checkpoint, ..quoted }, known());
    }

    #[test]
    fn what_cannot_be_read_is_reported() {
        let found = |attempts: &str, outages: &str| Interruptions::read(attempts, outages).expect_err("no");
        let head =
            "job_id,submission_time,attempt,starting_time,finish_time,allocated_resources,saved_work\n";
        assert_eq!(found("", ""), "attempts.csv is empty");
        assert_eq!(
            found("job\n", ""),
            "attempts.csv, line 1, column 1: the first line names no column `job_id`"
        );
        assert!(found(&format!("{head}1,2,3\n"), "").starts_with("attempts.csv, line 2, column 1: "));
        assert!(found(&format!("{head}1,2,1,3,2,0,1\n"), "").ends_with("over its start to its end"));
        assert_eq!(
            found(head, "node,processors,from,to\n0,3-1,2,3\n"),
            "outages.csv, line 2, column 3: `3-1` is no interval"
        );
    }
}
