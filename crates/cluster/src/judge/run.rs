//! A run of jobs, put together from its workload and its tables: which jobs are observed, and in
//! which window.
//!
//! Observed jobs were submitted after the warm-up and by the end of a run that was stopped. A
//! warm-up of a number of jobs counts accepted ones. The observations are the observed jobs that
//! were completed or killed. The window is from the end of the warm-up, without one from the first
//! accepted submission, to the last end of a job that ran, or to the end of a run that was stopped.

use crate::check::Violation;
use crate::collections::{Interval, OrderedMap, StableSort as _};
use crate::judge::{Attempt, Away, Earlier, FeatureActs, Interruptions, Piece, Reservations};
use crate::kernel::stats::{Mser5, WarmUp};
use crate::kernel::{SimDuration, SimTime};
use crate::output::{NoRows, RowFile};
use crate::rows::AttemptRow;
use crate::workload::resources::{GpuShare, Resources};
use crate::workload::{Attributes, Job};

use super::rows::{Behind, Fate, JudgedRow, each};
use super::{HeldForEver, JobFacts, JobFiles, Submitted, WarmUpRule};

/// Observations with which MSER-5 says anything: ten batches of five.
const LEAST_FOR_MSER: u64 = 50;

/// A job that left.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Outcome {
    pub(super) fate: Fate,
    /// Start of its last run, if it ran.
    pub(super) start: Option<SimTime>,
    /// End, or when it was cancelled; of a rejected job its submission.
    pub(super) end: SimTime,
    /// Processors that it had.
    pub(super) procs: u32,
    /// Run time alone on the processors that it asked for, as far as it is in the files.
    pub(super) alone: Option<SimDuration>,
    /// Time for which it had processors before its last run.
    pub(super) held: SimDuration,
    /// Time requested for the processors that it had.
    pub(super) request: SimDuration,
    pub(super) inside: bool,
    /// Returns true if it was rejected as no reservation could take it any more.
    pub(super) without_reservation: bool,
    /// Processors of its last run, where jobs share them or GPUs are distinguished.
    pub(super) on: Vec<Interval>,
    /// GPUs, where they are distinguished.
    pub(super) gpus: Vec<GpuShare>,
}

impl Outcome {
    pub(super) fn has_run(&self) -> bool {
        matches!(self.fate, Fate::Completed | Fate::Killed)
    }

    /// Last run of the job: start, end, processors.
    pub(super) fn last_run(&self) -> Option<(SimTime, SimTime, u32)> {
        Some((self.start?, self.end, self.procs))
    }
}

/// The instants between which a machine is observed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) from: SimTime,
    pub(super) to: SimTime,
}

impl Window {
    /// The part of a span that is in the window \[ns\].
    pub(super) fn part(&self, from: SimTime, to: SimTime) -> u128 {
        u128::from(to.min(self.to).since(from.max(self.from)).as_nanos())
    }

    /// Length of the window \[ns\].
    pub(super) fn length(&self) -> u128 {
        u128::from(self.to.since(self.from).as_nanos())
    }
}

/// A run.
pub(super) struct JobRun<'a> {
    pub(super) facts: &'a JobFacts<'a>,
    /// Jobs in order of submission.
    pub(super) jobs: &'a [Job],
    /// Attributes of them, if the jobs are known.
    pub(super) attributes: Option<&'a Attributes>,
    /// Outcome of each job; `None` if it had not left.
    pub(super) outcomes: Vec<Option<Outcome>>,
    /// Interrupted runs and the places of their jobs.
    pub(super) attempts: Vec<(usize, Attempt)>,
    pub(super) away: Vec<Away>,
    /// Acts of features of another crate.
    pub(super) acts: FeatureActs,
    /// Processors that reservations had.
    pub(super) pieces: Vec<Piece>,
    pub(super) warm_up: WarmUp,
    /// Jobs that are held for ever, where any can be.
    pub(super) for_ever: Option<HeldForEver<'a>>,
    /// Returns true if MSER-5 found where the waits settle; `None` if it was not asked.
    pub(super) settles: Option<bool>,
}

/// Finds jobs by number and submission.
struct Index<'a> {
    jobs: &'a [Job],
    /// Places in order of number and submission.
    order: Vec<u32>,
    taken: Vec<bool>,
}

impl<'a> Index<'a> {
    fn new(jobs: &'a [Job]) -> Self {
        let mut order: Vec<u32> = (0..jobs.len() as u32).collect();
        order.stable_sort_by_key(|&place| (jobs[place as usize].number, jobs[place as usize].submit_time));
        Index { jobs, order, taken: vec![false; jobs.len()] }
    }

    fn places(&self, key: (u64, SimTime)) -> impl Iterator<Item = usize> + Clone {
        let of = |place: &u32| (self.jobs[*place as usize].number, self.jobs[*place as usize].submit_time);
        let from = self.order.partition_point(|place| of(place) < key);
        let places = self.order[from..].iter().take_while(move |place| of(place) == key);
        places.map(|place| *place as usize)
    }

    /// The job of a row that no other row has; of several alike, one with its estimate and run
    /// time.
    fn take(&mut self, row: &JudgedRow<'_>) -> Option<usize> {
        let open = self.places((row.number, row.submitted)).filter(|place| !self.taken[*place]);
        let held = row.start.zip(row.end).map(|(start, end)| end.since(start));
        let best = open.max_by_key(|&place| {
            let job = &self.jobs[place];
            // the first of equals
            (
                job.procs == row.asked,
                job.estimate == row.requested,
                Some(job.run_time) == held,
                usize::MAX - place,
            )
        })?;
        self.taken[best] = true;
        Some(best)
    }
}

impl<'a> JobRun<'a> {
    /// Instant from which on a job waits that may from `from` on and does so until `until`: a
    /// feature of another crate may have held it.
    pub(super) fn waits_from(&self, place: usize, from: SimTime, until: SimTime) -> SimTime {
        let job = &self.jobs[place];
        self.acts.considered((job.number, job.submit_time), from, until)
    }

    /// Reads the tables; also what is wrong with the cells of the jobs.
    ///
    /// # Errors
    /// The first cell that cannot be read.
    pub(super) fn read(
        files: &JobFiles<'_>,
        facts: &'a JobFacts<'a>,
        submitted: Option<&Submitted<'a>>,
        dedicated: &OrderedMap<(u64, SimTime), SimDuration>,
    ) -> Result<(Self, Vec<Violation>), NoRows> {
        let known = match (files.attempts, files.outages) {
            (Some(attempts), Some(outages)) => Interruptions::read(attempts, outages)?,
            (Some(attempts), None) => {
                Interruptions { attempts: Attempt::all(attempts)?, ..Interruptions::default() }
            }
            (None, _) => Interruptions::default(),
        };
        let known = Interruptions { checkpoint: facts.checkpoint, ..known };
        let reserved = files.attempts.zip(files.reservations);
        let reserved = reserved.map(|(attempts, text)| Reservations::read(attempts, text)).transpose()?;
        let earlier = known.earlier();
        let jobs = submitted.map(|all| all.jobs).unwrap_or_default();
        let mut index = Index::new(jobs);
        let mut run = JobRun {
            facts,
            jobs,
            attributes: submitted.map(|all| all.attributes),
            outcomes: vec![None; jobs.len()],
            attempts: Vec::new(),
            away: known.away.clone(),
            acts: files.features.map(FeatureActs::read).transpose()?.unwrap_or_default(),
            pieces: reserved.map(|known| known.pieces).unwrap_or_default(),
            warm_up: WarmUp::None,
            for_ever: submitted.and_then(|all| all.for_ever),
            settles: None,
        };
        let gpus = facts.resources.is_some_and(Resources::distinguishes_gpus);
        let keeps_places = facts.shares || facts.gang.is_some() || gpus;
        let (mut violations, mut last) = (Vec::new(), None);
        each(files.jobs, |row| {
            let key = (row.number, row.submitted);
            let (place, before) = (index.take(&row), earlier.get(&key).copied().unwrap_or_default());
            let alone = match row.given {
                Some((_, _, dedicated)) => dedicated,
                None if facts.dedicates => dedicated.get(&key).copied(),
                None => place.and_then(|place| alone(&row, &jobs[place], facts, (&known, before))),
            };
            let held = before.held;
            let busy = facts.power.filter(|_| !facts.shares).map(|(_, busy)| busy);
            violations.extend(row.wrong(&Behind { workload: facts.workload, held, alone, busy }));
            if let Some(place) = place {
                violations.extend(of_workload(&row, &jobs[place], facts.request(&jobs[place], alone)));
            } else if submitted.is_some() {
                let what = "the workload has no such job".to_owned();
                violations.push(Violation { job: row.number, at: row.submitted, what });
            }
            if let Some(end) = row.end {
                let leaves = (end, row.submitted);
                if last.is_some_and(|last| last > leaves) {
                    let what = "it stands behind a job that left later".to_owned();
                    violations.push(Violation { job: row.number, at: end, what });
                }
                last = Some(leaves);
            }
            if let Some(place) = place {
                run.outcomes[place] = Some(outcome(row, alone, held, keeps_places));
            }
            Ok(())
        })?;
        for attempt in known.attempts {
            let place = index.places((attempt.number, attempt.submit_time)).next();
            run.attempts.extend(place.map(|place| (place, attempt)));
        }
        if let Some(text) = files.attempts {
            violations.extend(numbered(text)?);
        }
        run.find_warm_up();
        Ok((run, violations))
    }

    /// The end of the warm-up, which MSER-5 may have found.
    fn find_warm_up(&mut self) {
        self.warm_up = match self.facts.warm_up {
            WarmUpRule::Given(warm_up) => warm_up,
            WarmUpRule::Found => {
                let mut seen = Mser5::default();
                let waits: Vec<(u64, f64)> = (0..)
                    .zip(self.accepted())
                    .filter_map(|(number, (_, job, outcome))| {
                        let outcome = outcome.filter(|outcome| outcome.has_run())?;
                        Some((number, waited(job, outcome)?.as_secs_f64()))
                    })
                    .collect();
                waits.iter().for_each(|(_, wait)| seen.record(*wait));
                let cut = if seen.count() < LEAST_FOR_MSER { None } else { seen.cut() };
                self.settles = Some(cut.is_some());
                match cut {
                    Some(cut @ 1..) => WarmUp::Count(waits[cut].0),
                    _ => WarmUp::None,
                }
            }
        };
    }

    /// Jobs that were not rejected, with their places.
    pub(super) fn accepted(&self) -> impl Iterator<Item = (usize, &Job, Option<&Outcome>)> {
        let all = self.jobs.iter().zip(&self.outcomes).enumerate();
        let all = all.map(|(place, (job, outcome))| (place, job, outcome.as_ref()));
        all.filter(|(_, _, outcome)| outcome.is_none_or(|outcome| outcome.fate != Fate::Rejected))
    }

    /// Observed jobs, with their places.
    pub(super) fn submitted(&self) -> impl Iterator<Item = (usize, &Job, Option<&Outcome>)> {
        let end = if self.facts.stopped { self.facts.until.unwrap_or(SimTime::MAX) } else { SimTime::MAX };
        let mut accepted = 0;
        let all = self.jobs.iter().zip(&self.outcomes).enumerate();
        all.map(|(place, (job, outcome))| (place, job, outcome.as_ref())).filter(
            move |(place, job, outcome)| {
                let before = accepted;
                accepted += u64::from(outcome.is_none_or(|outcome| outcome.fate != Fate::Rejected));
                let never = self.for_ever.is_some_and(|held| held.never_submitted.contains(place));
                self.warm_up.keeps(before, job.submit_time) && job.submit_time <= end && !never
            },
        )
    }

    /// Observed jobs that were accepted.
    pub(super) fn kept(&self) -> impl Iterator<Item = (usize, &Job, Option<&Outcome>)> {
        self.submitted()
            .filter(|(_, _, outcome)| outcome.is_none_or(|outcome| outcome.fate != Fate::Rejected))
    }

    /// The observations.
    pub(super) fn observed(&self) -> impl Iterator<Item = (usize, &Job, &Outcome)> {
        self.submitted().filter_map(|(place, job, outcome)| {
            Some((place, job, outcome.filter(|outcome| outcome.has_run())?))
        })
    }

    /// The first accepted submission.
    pub(super) fn origin(&self) -> SimTime {
        self.accepted().next().map_or(SimTime::ZERO, |(_, job, _)| job.submit_time)
    }

    /// The last end of a job that was not cancelled.
    pub(super) fn last_end(&self) -> Option<SimTime> {
        let left = self.outcomes.iter().flatten();
        let ran = left.filter(|outcome| !matches!(outcome.fate, Fate::Rejected | Fate::Cancelled));
        ran.map(|outcome| outcome.end).max()
    }

    /// The window.
    pub(super) fn window(&self) -> Window {
        let from = match self.warm_up {
            WarmUp::None => self.origin(),
            WarmUp::Until(end) => self.origin().max(end),
            WarmUp::Count(_) => self.kept().next().map_or(SimTime::MAX, |(_, job, _)| job.submit_time),
        };
        let until = self.facts.until.filter(|_| self.facts.stopped);
        let to = until.or_else(|| self.last_end()).unwrap_or(from);
        Window { from, to: to.max(from) }
    }

    /// The last instant at which anything happened to a job.
    pub(super) fn end(&self) -> SimTime {
        self.outcomes.iter().flatten().map(|outcome| outcome.end).max().unwrap_or_default()
    }
}

/// Time from submission to the last start, without earlier runs.
pub(super) fn waited(job: &Job, outcome: &Outcome) -> Option<SimDuration> {
    Some(outcome.start?.since(job.submit_time).saturating_sub(outcome.held))
}

/// The run time alone of a job: of one that is killed at its limit or cancelled while it runs the
/// work that it did; as its limit leaves it in slices without interruptions, at detail `task`, and
/// of one that did not come to an end of its run. `None` if the limit of its last run is what
/// earlier ones have left of it in slices.
fn alone(
    row: &JudgedRow<'_>,
    job: &Job,
    facts: &JobFacts<'_>,
    (known, before): (&Interruptions, Earlier),
) -> Option<SimDuration> {
    let is_again = facts.gang.is_some() && facts.interrupts();
    if is_again && row.fate == Fate::Completed {
        return Some(job.run_time);
    }
    if is_again && row.fate == Fate::Killed {
        let is_known = !facts.limit_of_job || before.held.is_zero();
        let limit = facts.limit(job, SimDuration::ZERO).filter(|_| is_known)?;
        let rest = job.run_time.saturating_sub(before.kept);
        return Some(before.kept.saturating_add(known.does(rest, limit)));
    }
    let ran = row.start.zip(row.end).filter(|_| facts.gang.is_none() && !facts.of_tasks);
    let limited = |(start, end): (SimTime, SimTime)| {
        let limit = facts.limit(job, before.held);
        !row.inside || limit.is_some_and(|limit| end.since(start) >= limit)
    };
    Some(match (row.fate, ran) {
        (Fate::Completed, Some(_)) => job.run_time,
        (Fate::Killed, Some(ran)) if !limited(ran) => facts.alone(job),
        (Fate::Killed | Fate::Cancelled, Some((start, end))) => {
            let rest = job.run_time.saturating_sub(before.kept);
            before.kept.saturating_add(known.does(rest, end.since(start)))
        }
        _ => facts.alone(job),
    })
}

fn outcome(row: JudgedRow<'_>, alone: Option<SimDuration>, held: SimDuration, keeps_places: bool) -> Outcome {
    Outcome {
        fate: row.fate,
        start: row.start,
        end: row.end.unwrap_or(row.submitted),
        procs: row.had(),
        alone,
        held,
        request: row.given.map_or(row.requested, |(_, given, _)| given),
        inside: row.inside,
        without_reservation: row.without_reservation,
        on: if keeps_places { row.on } else { Vec::new() },
        gpus: row.gpus,
    }
}

/// Size and request of a row that are not those of its job.
fn of_workload(row: &JudgedRow<'_>, job: &Job, request: Option<SimDuration>) -> Option<Violation> {
    let is_same = row.asked == job.procs && request.is_none_or(|request| row.requested == request);
    let what = || format!("it asked for {} processors and {}", job.procs, request.unwrap_or(job.estimate));
    (!is_same).then(|| Violation { job: row.number, at: row.submitted, what: what() })
}

/// Attempts whose numbers do not count the runs of their jobs.
fn numbered(text: &str) -> Result<Vec<Violation>, String> {
    let (mut counts, mut violations) = (OrderedMap::new(), Vec::new());
    RowFile::<AttemptRow<'_>>::new(text)?.each(|row, _| {
        let count: &mut u64 = counts.entry((row.job, row.submitted)).or_default();
        *count += 1;
        if row.attempt != *count {
            let what = format!("its run {count} is numbered {}", row.attempt);
            violations.push(Violation { job: row.job, at: row.end, what });
        }
        Ok(())
    })?;
    Ok(violations)
}
