//! Counts of jobs by their states, their times and slowdowns, by class too, and how far off the
//! means may be.

use serde_json::{Value as Json, json};

use crate::check::Recomputation;
use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;

use super::rows::Fate;
use super::run::{JobRun, Outcome, waited};
use super::{ClassRule, NO_EXECUTIONS, STOPPED, Submitted};

/// Run times below it count as this in the bounded slowdown \[s\].
const BOUND: f64 = 10.0;

const FOLLOW: &str = "the run was stopped, and jobs that follow others may never have been submitted";
const AT_ONCE: &str = "jobs were submitted just when others left, which may have held them or not";
const SERVED: &str = "what earlier runs in slices have left of the limits of killed jobs is not in the files";
const MOVED: &str = "the reservations that jobs had while they waited are not in the files";

/// The means of which a run states how far off they may be, in the order of [`times`].
const MEANS: [&str; 4] = ["wait-time", "response-time", "slowdown", "bounded-slowdown"];

/// Wait and response \[s\], slowdown and bounded slowdown of an observation.
fn times(job: &Job, outcome: &Outcome) -> [f64; 4] {
    let wait = waited(job, outcome).unwrap_or_default().as_secs_f64();
    let response = outcome.end.since(job.submit_time).as_secs_f64();
    let alone = outcome.alone.map_or(f64::NAN, SimDuration::as_secs_f64);
    [wait, response, response / alone, (response / alone.max(BOUND)).max(1.0)]
}

/// All of them.
pub(super) fn find(run: &JobRun<'_>, submitted: &Submitted<'_>, summary: &Json, found: &mut Recomputation) {
    states(run, submitted, found);
    let mut values: [Vec<f64>; 4] = Default::default();
    for (_, job, outcome) in run.observed() {
        for (place, value) in times(job, outcome).into_iter().enumerate() {
            values[place].push(value);
        }
    }
    // without dedicated times there is nothing that response times are over
    let is_known = run.observed().all(|(_, _, outcome)| outcome.alone.is_some());
    let names = if is_known { &MEANS[..] } else { &MEANS[..2] };
    for (name, values) in names.iter().zip(values) {
        found.half_width(&format!("{name}.mean"), values.iter().copied(), summary);
        found.spread(name, values);
    }
    if !is_known {
        let why = if run.facts.of_tasks { NO_EXECUTIONS } else { SERVED };
        found.never("slowdown", why);
        found.never("bounded-slowdown", why);
    }
    let recorded = run.observed().filter_map(|(_, job, _)| job.recorded_wait());
    found.spread("recorded-wait-time", recorded.map(SimDuration::as_secs_f64).collect());
    let (window, observed) = (run.window(), run.observed().count());
    let completed = run.observed().filter(|(_, _, outcome)| outcome.fate == Fate::Completed).count();
    let hours = window.length() as f64 / 3600e9;
    found.is("throughput", (hours > 0.0 && observed > 0).then(|| completed as f64 / hours));
    let makespan = run.last_end().map(|end| end.since(run.origin()).as_secs_f64());
    found.is("makespan", makespan);
    warm_up(run, found);
    users(run, submitted, found);
    if run.facts.molds {
        sizes(run, found);
    }
    if let Some(rule) = run.facts.classes {
        classes(run, rule, found);
    }
    moved(run, summary, found);
}

/// Observed jobs by their states; states that the site does not know are not in a summary.
fn states(run: &JobRun<'_>, submitted: &Submitted<'_>, found: &mut Recomputation) {
    if run.facts.stopped && submitted.followers.is_some() {
        return found.never("jobs.", FOLLOW);
    }
    let count = |which: &dyn Fn(Option<Fate>) -> bool| {
        run.submitted().filter(|(_, _, outcome)| which(outcome.map(|outcome| outcome.fate))).count() as u64
    };
    let of = |fate: Fate| count(&|one| one == Some(fate));
    found.count("jobs.submitted", count(&|_| true));
    found.count("jobs.completed", of(Fate::Completed));
    found.count("jobs.rejected", of(Fate::Rejected));
    found.count("jobs.unfinished", count(&|one| one.is_none()));
    let facts = run.facts;
    if facts.holds_failed {
        // in a run that was stopped their users may have been about to cancel them
        let stays = |place: &usize| run.for_ever.is_some_and(|held| held.all.contains(place));
        let held = run.submitted().filter(|(place, _, _)| stays(place)).count();
        found.known("jobs.held-for-ever", if facts.stopped { Err(STOPPED) } else { Ok(Some(held as f64)) });
    }
    let others = [
        ("jobs.killed", Fate::Killed, facts.grace.is_some() || facts.inside),
        ("jobs.cancelled", Fate::Cancelled, facts.cancels),
        ("jobs.lost", Fate::Lost, facts.fails_by.is_some()),
    ];
    for (name, fate, is_known) in others {
        if is_known {
            found.count(name, of(fate));
        }
    }
}

/// Accepted jobs that the warm-up leaves out.
fn warm_up(run: &JobRun<'_>, found: &mut Recomputation) {
    let left_out = (0..)
        .zip(run.accepted())
        .filter(|(number, (_, job, _))| !run.warm_up.keeps(*number, job.submit_time));
    found.count("warm-up/jobs", left_out.count() as u64);
    found.value("warm-up/found", json!(run.settles));
}

/// Jobs that were held until others had left, or submitted when others had.
fn users(run: &JobRun<'_>, submitted: &Submitted<'_>, found: &mut Recomputation) {
    if let Some(held) = submitted.held {
        if run.facts.stopped {
            found.never("jobs.held", STOPPED);
            found.never("held-time.mean", STOPPED);
        } else {
            let until: OrderedMap<usize, SimTime> = held.iter().copied().collect();
            let spans =
                || run.observed().filter_map(|(place, job, _)| Some((until.get(&place)?, job.submit_time)));
            // of a job that others leave exactly when it is submitted the files do not say whether
            // it was held
            let is_clear = spans().all(|(until, submit)| *until != submit);
            let spans: Vec<f64> = spans()
                .filter(|(until, submit)| *until > submit)
                .map(|(until, submit)| until.since(submit).as_secs_f64())
                .collect();
            if is_clear {
                found.count("jobs.held", spans.len() as u64);
                found.is("held-time.mean", mean(&spans));
            } else {
                found.never("jobs.held", AT_ONCE);
                found.never("held-time.mean", AT_ONCE);
            }
        }
    }
    if let Some(followers) = submitted.followers {
        let followers: OrderedMap<usize, ()> = followers.iter().map(|place| (*place, ())).collect();
        found.count(
            "jobs.followed",
            run.observed().filter(|(place, _, _)| followers.contains_key(place)).count() as u64,
        );
    }
}

/// Sizes that moldable jobs were given.
fn sizes(run: &JobRun<'_>, found: &mut Recomputation) {
    let molded = run.observed().filter(|(_, job, outcome)| outcome.procs != job.procs).count();
    let ratios: Vec<f64> =
        run.observed().map(|(_, job, outcome)| f64::from(outcome.procs) / f64::from(job.procs)).collect();
    found.count("jobs.molded", molded as u64);
    found.is("molding.size-ratio", mean(&ratios));
}

/// The mean times of each class, and how far their response times lie apart.
fn classes(run: &JobRun<'_>, rule: ClassRule, found: &mut Recomputation) {
    let mut classes: OrderedMap<String, (u64, Vec<[f64; 4]>)> = OrderedMap::new();
    for (place, job, outcome) in run.observed() {
        let stated = run.attributes.map(|all| all.of(place)).unwrap_or_default();
        let class = classes.entry(rule.of(job, &stated)).or_default();
        class.0 += u64::from(outcome.fate == Fate::Completed);
        class.1.push(times(job, outcome));
    }
    let mut responses = Vec::new();
    for (name, (completed, times)) in &classes {
        found.count(format!("classes/{name}/jobs.completed"), *completed);
        for (place, metric) in MEANS.into_iter().enumerate() {
            let values: Vec<f64> = times.iter().map(|times| times[place]).collect();
            found.is(format!("classes/{name}/{metric}.mean"), mean(&values));
        }
        responses.extend(mean(&times.iter().map(|times| times[1]).collect::<Vec<_>>()));
    }
    found.is("fairness", unevenness(&responses));
}

/// The standard deviation of all means over their mean; `None` for fewer than two.
pub(super) fn unevenness(means: &[f64]) -> Option<f64> {
    let middle = mean(means).filter(|_| means.len() > 1)?;
    let squares: f64 = means.iter().map(|one| (one - middle) * (one - middle)).sum();
    Some((squares / means.len() as f64).sqrt() / middle)
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Reservations of waiting jobs that could not be kept: none where no job outlasts its request and
/// nothing takes processors away, nor starts jobs ahead of all.
fn moved(run: &JobRun<'_>, summary: &Json, found: &mut Recomputation) {
    const NAME: &str = "reservations.moved";
    if summary["metrics"].get(NAME).is_none() {
        return;
    }
    let facts = run.facts;
    let is_plain = !facts.interrupts() && !facts.stopped && !facts.molds;
    let is_plain = is_plain && !run.acts.start_jobs();
    let outlasts = |(job, outcome): (&Job, &Outcome)| {
        outcome.start.is_some_and(|start| outcome.end.since(start) > job.estimate)
    };
    let left = run.jobs.iter().zip(&run.outcomes).filter_map(|(job, outcome)| Some((job, outcome.as_ref()?)));
    if is_plain && facts.requests && !left.into_iter().any(outlasts) {
        found.count(NAME, 0);
    } else {
        found.never(NAME, MOVED);
    }
}
