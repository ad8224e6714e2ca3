//! Predictions of run times by the last two of a user's jobs that ended, made once more from a
//! schedule.
//!
//! A job is predicted when it comes to be considered: the mean of the run times of the two jobs of
//! its user that ended last, and at most what was requested, which is the prediction without two
//! such jobs. Where predictions are corrected, one that a job outlasts grows step by step.

use crate::collections::{OrderedMap, StableSort as _};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::super::{Attempt, Interruptions, Row};
use super::held_back::Submitted;

/// Additions to a prediction that is outlasted, one after the other [min].
const LONGER: [u64; 11] = [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 3_000, 6_000];

const TWO_AT_ONCE: &str =
    "two jobs of a user ended at one instant, and which of them a prediction counts is not in the files";

/// Predictions of jobs, by the places of these in the workload.
pub(in crate::judge::schedule) type Predictions = OrderedMap<JobId, SimDuration>;

/// Run times of the jobs of a user that ended, in order of their ends.
type Ends = Vec<(SimTime, SimDuration)>;

/// Predicts every job; rows are the last runs of all jobs outside reservations and those that were
/// cancelled while they waited, with the times that they request.
///
/// # Errors
/// Several pairs of jobs may be the last two.
pub(in crate::judge::schedule) fn predictions(
    rows: &[Row],
    known: &Interruptions,
    jobs: Submitted<'_>,
) -> Result<Predictions, &'static str> {
    let earlier = known.earlier();
    let mut ends: OrderedMap<u32, Ends> = OrderedMap::new();
    for row in rows.iter().filter(|row| !row.on.is_empty() && !row.lost) {
        let Some((_, job)) = jobs.of(row) else { continue };
        let held = row.end.since(row.start);
        let before = earlier.get(&(row.number, row.submit_time)).copied().unwrap_or_default();
        let ran = match known.checkpoint {
            None => held,
            Some(_) if row.killed || row.cancelled => {
                before.kept.saturating_add(known.does(job.run_time.saturating_sub(before.kept), held))
            }
            Some(_) => job.run_time,
        };
        ends.entry(job.user).or_default().push((row.end, ran));
    }
    ends.values_mut().for_each(|all| all.stable_sort());
    let mut found = Predictions::new();
    for row in rows {
        let (Some(place), Some((_, job))) = (row.job, jobs.of(row)) else { continue };
        let all = ends.get(&job.user).map_or(&[][..], Vec::as_slice);
        let so_far = all.partition_point(|&(end, _)| end <= row.considered);
        let predicted = match all[..so_far] {
            [ref before @ .., (at, one), (end, other)] => {
                let mut tied = before.iter().rev().take_while(|end| end.0 == at);
                if tied.any(|&(_, ran)| ran != one || end == at && ran != other) {
                    return Err(TWO_AT_ONCE);
                }
                let sum = u128::from(one.as_nanos()) + u128::from(other.as_nanos());
                let mean = SimDuration::from_nanos(sum.div_ceil(2) as u64);
                mean.min(row.estimate).max(SimDuration::from_nanos(1))
            }
            _ => row.estimate,
        };
        found.insert(place, predicted);
    }
    Ok(found)
}

/// The rows with the predictions of their jobs as estimates.
pub(in crate::judge::schedule) fn predicted(rows: &mut [Row], all: &Predictions) {
    for row in rows {
        if let Some(&predicted) = row.job.and_then(|job| all.get(&job)) {
            row.estimate = predicted;
        }
    }
}

/// Lets each run be estimated to last as its job was predicted when it started, and gives the
/// instants at which predictions are corrected, or are the whole request and outlasted; rows are
/// all runs of all jobs, and `requested` gives what a job requests and, where it has had processors
/// for a time before, for how long a run of it may last at the most. Unless predictions are
/// corrected they stay as they are.
pub(in crate::judge::schedule) fn corrected(
    rows: &mut [Row],
    known: &Interruptions,
    all: &Predictions,
    corrects: bool,
    requested: impl Fn(&Row, SimDuration) -> Option<(SimDuration, Option<SimDuration>)>,
) -> Vec<SimTime> {
    let mut earlier: OrderedMap<u64, Vec<&Attempt>> = OrderedMap::new();
    for one in &known.attempts {
        earlier.entry(one.number).or_default().push(one);
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.stable_sort_by_key(|&place| rows[place].start);
    let (mut found, mut counts) = (Vec::new(), OrderedMap::<JobId, usize>::new());
    for place in order {
        let row = &mut rows[place];
        let known_job = row.job.and_then(|job| Some((job, *all.get(&job)?)));
        let before = earlier.get(&row.number).into_iter().flatten().filter(|one| one.end <= row.start);
        let (mut kept, mut held) = (SimDuration::ZERO, SimDuration::ZERO);
        for one in before {
            kept = kept.saturating_add(one.kept);
            held = held.saturating_add(one.end.since(one.start));
        }
        let (Some((job, first)), Some((request, limit))) = (known_job, requested(row, held)) else {
            continue;
        };
        let whole = |count: usize| match count.checked_sub(1).map(|last| LONGER.get(last)) {
            None => first,
            Some(Some(minutes)) => first.saturating_add(SimDuration::from_secs(minutes * 60)).min(request),
            Some(None) => request,
        };
        let count = counts.entry(job).or_default();
        row.estimate = known.plans(whole(*count), kept, limit);
        let (start, end) = (row.start, row.end);
        let lasts = |count: usize| start.saturating_add(known.plans(whole(count), kept, limit));
        while !row.on.is_empty() && lasts(*count) < end {
            found.push(lasts(*count));
            if !corrects || whole(*count) >= request {
                break;
            }
            *count += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::workload::Job;

    use super::super::super::row;
    use super::*;

    #[test]
    fn a_prediction_is_the_mean_of_the_last_two_that_ended_and_grows_when_it_is_outlasted() {
        let secs = |secs: u64| secs * 1_000_000_000;
        let rows = |ends: [u64; 3]| -> Vec<Row> {
            let starts = [(0, 0, ends[0]), (0, 0, ends[1]), (0, 0, ends[2]), (50, 60, 400)];
            let run = |(place, (submit, start, end)): (u32, (u64, u64, u64))| Row {
                job: Some(JobId(place)),
                estimate: SimDuration::from_secs(300),
                ..row(u64::from(place), secs(submit), secs(start), secs(end - start), (place, place))
            };
            (0..).zip(starts).map(run).collect()
        };
        let jobs: Vec<Job> =
            (0..4).map(|number| Job::new(number, SimTime::ZERO, 1, SimDuration::ZERO)).collect();
        let jobs = Submitted { jobs: &jobs, ids: None };
        let known = Interruptions::default();
        let of = |ends| predictions(&rows(ends), &known, jobs).map(|all| all[&JobId(3)].as_nanos());
        assert_eq!([of([10, 20, 41]), of([10, 20, 51])], [Ok(secs(61) / 2), Ok(secs(15))]);
        assert_eq!(of([20, 20, 41]), Ok(secs(61) / 2));
        assert_eq!(of([60, 70, 80]), Ok(secs(300)));
        let early = |first: Row| Row {
            run_time: SimDuration::from_secs(9),
            start: SimTime::from_nanos(secs(11)),
            ..first
        };
        let mut tied = rows([20, 20, 41]);
        tied[0] = early(tied[0].clone());
        assert_eq!(predictions(&tied, &known, jobs), Err(TWO_AT_ONCE));
        let mut all = rows([10, 20, 41]);
        let found = predictions(&all, &known, jobs).expect("no two at once");
        predicted(&mut all, &found);
        let at =
            corrected(&mut all[3..], &known, &found, true, |_, _| Some((SimDuration::from_secs(300), None)));
        let at: Vec<u64> = at.into_iter().map(|at| at.as_nanos() / 500_000_000).collect();
        assert_eq!(at, [181, 301, 720], "after 30.5 s, a minute more, and what was requested");
    }
}
