//! All runs of all jobs: one that is interrupted waits again from then on, in the place that its
//! submission gives it, with the rest of its estimate.

use std::borrow::Cow;

use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::{SimDuration, SimTime};

use super::{Attempt, Interruptions, Row, SizedRun};

/// The rows of all runs, interrupted ones with those of their jobs, in order of submission; each is
/// estimated to last as long as what its job has not done by then, and the checkpoints in that.
pub fn all_runs<'a>(rows: Cow<'a, [Row]>, known: &Interruptions) -> Cow<'a, [Row]> {
    runs_within(rows, known, false, |_, _| None)
}

/// The same where a run is estimated to last no longer than its limit, by the estimate of its job
/// and the time for which that has had processors before; `exact` if the policy goes by how long
/// jobs run.
pub(super) fn runs_within<'a>(
    rows: Cow<'a, [Row]>,
    known: &Interruptions,
    exact: bool,
    limit: impl Fn(SimDuration, SimDuration) -> Option<SimDuration>,
) -> Cow<'a, [Row]> {
    if known.attempts.is_empty() && known.checkpoint.is_none() && !exact {
        return rows;
    }
    let earlier = if exact { known.earlier() } else { OrderedMap::new() };
    let mut attempts: OrderedMap<(u64, SimTime), Vec<&Attempt>> = OrderedMap::new();
    for attempt in &known.attempts {
        attempts.entry((attempt.number, attempt.submit_time)).or_default().push(attempt);
    }
    let mut all = Vec::with_capacity(rows.len() + known.attempts.len());
    for row in rows.iter() {
        let (mut considered, mut submitted) = (row.considered, row.submit_time);
        let (mut kept, mut held) = (SimDuration::ZERO, SimDuration::ZERO);
        // of several jobs that cannot be spans apart the first has them
        let key = (row.number, row.submit_time);
        let before = earlier.get(&key).copied().unwrap_or_default();
        let work = row.work.unwrap_or_else(|| known.work(row.run_time).saturating_add(before.kept));
        let expected = if exact { work } else { row.estimate };
        let lasts = |(expected, estimate), kept, held| known.plans(expected, kept, limit(estimate, held));
        let own = attempts.remove(&key).unwrap_or_default();
        for (next, attempt) in (1..).zip(&own) {
            let of_size = |run: &SizedRun| if exact { run.work } else { run.estimate };
            let sized = attempt.sized.as_ref();
            let planned = sized.map_or((expected, row.estimate), |run| (of_size(run), run.estimate));
            all.push(Row {
                considered,
                submit_time: submitted,
                start: attempt.start,
                end: attempt.end,
                run_time: attempt.end.since(attempt.start),
                estimate: lasts(planned, sized.map_or(kept, |run| run.kept), held),
                cancelled: false,
                procs: attempt.held() as u32,
                on: attempt.on.clone(),
                gpus: attempt.gpus.clone(),
                ..row.clone()
            });
            let starts = own.get(next).map_or(row.start, |next| next.start);
            considered = known.acts.considered(key, attempt.end.saturating_add(known.delay), starts);
            if known.behind {
                submitted = considered;
            }
            kept = kept.saturating_add(attempt.kept);
            held = held.saturating_add(attempt.end.since(attempt.start));
        }
        let kept = known.kept_to_the_last.get(&(row.number, row.submit_time)).copied().unwrap_or(kept);
        let estimate = lasts((expected, row.estimate), kept, held);
        all.push(Row { considered, submit_time: submitted, estimate, ..row.clone() });
    }
    all.stable_sort_by_key(|row| (row.submit_time, row.number));
    Cow::Owned(all)
}

impl Interruptions {
    /// Work of a run that lasts so long with its checkpoints.
    pub(super) fn work(&self, lasts: SimDuration) -> SimDuration {
        let Some((interval, cost)) = self.checkpoint else { return lasts };
        let each = interval.as_nanos().saturating_add(cost.as_nanos());
        let written = lasts.as_nanos().saturating_sub(1) / each;
        SimDuration::from_nanos(lasts.as_nanos().saturating_sub(written.saturating_mul(cost.as_nanos())))
    }

    /// Time for which a run is planned of a job that is estimated to need so much, of which it has
    /// kept a part: with its checkpoints, and within a limit. An estimate may be less than what is
    /// done already.
    pub(in crate::judge) fn plans(
        &self,
        estimate: SimDuration,
        kept: SimDuration,
        limit: Option<SimDuration>,
    ) -> SimDuration {
        let least = SimDuration::from_nanos(1);
        let expected = self.lasts(estimate.saturating_sub(kept).max(least));
        limit.map_or(expected, |limit| expected.min(limit.max(least)))
    }
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;

    use super::super::row;
    use super::*;

    #[test]
    fn an_interrupted_job_waits_again_with_the_rest_of_its_estimate() {
        let (at, nanos) = (SimTime::from_nanos, SimDuration::from_nanos);
        let attempt = |start, end, kept| Attempt {
            number: 1,
            submit_time: at(2),
            start: at(start),
            end: at(end),
            on: vec![Interval::new(2, 3)],
            kept: nanos(kept),
            gpus: Vec::new(),
            sized: None,
        };
        // 40 of work by its estimate, of which 20 and 10 are kept: 36 of them with checkpoints,
        // 22, and 10
        let known = Interruptions {
            attempts: vec![attempt(5, 30, 20), attempt(50, 61, 10)],
            checkpoint: Some((nanos(10), nanos(2))),
            ..Interruptions::default()
        };
        let last = Row { estimate: nanos(40), ..row(1, 2, 70, 10, (0, 1)) };
        let all = all_runs(Cow::Owned(vec![last, row(2, 3, 3, 5, (0, 0))]), &known);
        let spans = |row: &Row| {
            [row.considered, row.start, row.end, SimTime::ZERO.saturating_add(row.estimate)]
                .map(SimTime::as_nanos)
        };
        assert_eq!(
            all.iter().map(spans).collect::<Vec<_>>(),
            [[2, 5, 30, 46], [30, 50, 61, 22], [61, 70, 80, 10], [3, 3, 8, 5]]
        );
        assert_eq!(all[1].on, [Interval::new(2, 3)]);
        // a run of 10 does 10, and one of 46 does 40
        let known = Interruptions { attempts: Vec::new(), ..known };
        for (lasts, work) in [(1, 1), (10, 10), (13, 11), (22, 20), (34, 30), (46, 40)] {
            assert_eq!((known.work(nanos(lasts)), known.lasts(nanos(work))), (nanos(work), nanos(lasts)));
        }
    }
}
