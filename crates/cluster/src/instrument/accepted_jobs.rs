//! Accepted jobs of a run as a cohort, in order of submission.
//!
//! Jobs of one run wait in the same queue, so their waits are not independent and the spread of the
//! jobs says nothing of the spread of the mean: batches of them are what half-widths rest on.

use crate::batch::record::State;
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::kernel::stats::{BatchMeans, WarmUp};
use crate::measure::cohort::{Cohort, Subject};
use crate::workload::Job;

use super::metrics::FinishedRun;

/// The accepted jobs of a run, in order of submission; their work is processor time.
impl Cohort for FinishedRun<'_> {
    fn capacity(&self) -> Option<f64> {
        Some(f64::from(self.procs))
    }

    fn each(&self, see: &mut dyn FnMut(&Subject)) {
        let shared = !self.record.usage().is_empty();
        let came = |job: &Job| self.until.is_none_or(|end| job.submit_time <= end);
        for (id, job) in self.accepted().filter(|(_, job)| came(job)) {
            let state = self.record.state(id);
            let has_left = state.is_over() || state == State::Cancelled;
            let end = has_left.then(|| self.record.end_time(id));
            see(&Subject {
                begin: job.submit_time,
                served: self.served(id, shared),
                end,
                area: real(job.area()) / 1e9,
                class: 0,
                done: state.has_run(),
            });
        }
    }

    fn means(&self) -> &'static [&'static str] {
        &["wait-time.mean", "response-time.mean", "slowdown.mean", "bounded-slowdown.mean"]
    }

    fn batches(&self, warm_up: WarmUp) -> Vec<BatchMeans> {
        let mut batches = [(); 4].map(|()| BatchMeans::default());
        let run = FinishedRun { warm_up, ..*self };
        for (id, job) in run.observed() {
            let seen = run.observe(id, job);
            let values = [
                seen.wait.as_secs_f64(),
                seen.response.as_secs_f64(),
                seen.slowdown(),
                seen.bounded_slowdown(),
            ];
            for (batch, value) in batches.iter_mut().zip(values) {
                batch.record(value);
            }
        }
        Vec::from(batches)
    }
}

/// A number as the nearest real one, which is dear to find for a wide number.
fn real(number: u128) -> f64 {
    u64::try_from(number).map_or_else(|_| number as f64, |number| number as f64)
}

impl FinishedRun<'_> {
    /// Start of the service of a job, as a [`Subject`] has it; `shared` if processors are.
    fn served(&self, id: JobId, shared: bool) -> Option<SimTime> {
        let (begin, state) = (self.jobs[id.index()].submit_time, self.record.state(id));
        if !state.has_run() && state != State::Running {
            return None;
        }
        if !shared {
            return Some(begin.saturating_add(self.waited(id)));
        }
        let run_time = self.asked(id).run_time;
        let until = if state == State::Running { self.until? } else { self.record.end_time(id) };
        let late = until.since(begin).saturating_sub(run_time);
        match state {
            // how much is left of it is not recorded: it waits on if it is late already
            State::Running if !late.is_zero() => None,
            _ => Some(begin.saturating_add(late)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collections::Interval;
    use crate::instrument::{Reason, Record};
    use crate::kernel::SimDuration;
    use crate::measure::half_widths::{HalfWidth, half_widths};

    fn at(seconds: u64) -> SimTime {
        SimTime::from_nanos(seconds * 1_000_000_000)
    }

    #[test]
    fn jobs_wait_until_they_start_leave_or_the_run_ends() {
        // run for 10 s on 2 processors: at once, after 5 s, never, cancelled after 3 s, rejected,
        // and after the end
        let submits = [0, 1, 2, 3, 4, 30];
        let job = |(number, submit): (u64, u64)| Job::new(number, at(submit), 2, SimDuration::from_secs(10));
        let jobs: Vec<Job> = (1..).zip(submits).map(job).collect();
        let mut record = Record::new(jobs.len());
        for (job, start) in [(0, 0), (1, 6)] {
            record.started(JobId(job), at(start), &[Interval::new(0, 1)], Reason::Head);
        }
        record.ended(JobId(0), at(10));
        record.withdrawn(JobId(3), at(6));
        record.rejected(JobId(4), at(4), Reason::TooLarge);
        let until = Some(at(20));
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 4, until, warm_up: WarmUp::None };
        let mut seen = Vec::new();
        run.each(&mut |subject| seen.push(*subject));
        let waited =
            |subject: &Subject| (subject.waited().map(|wait| wait.as_secs_f64() as u64), subject.done);
        assert_eq!(
            seen.iter().map(waited).collect::<Vec<_>>(),
            [(Some(0), true), (Some(5), false), (None, false), (None, false)]
        );
        let until: Vec<SimTime> = seen.iter().map(Subject::waits_until).collect();
        assert_eq!(until, [at(0), at(6), SimTime::MAX, at(6)]);
        assert!(seen.iter().all(|subject| (subject.area - 20.0).abs() < 1e-9));
        assert_eq!(run.capacity().map(f64::to_bits), Some(4.0_f64.to_bits()));
    }

    /// The half-widths of jobs that wait so many seconds each and then run for 10 s.
    fn half_widths_of(waits: &[u64]) -> Vec<HalfWidth> {
        let (mut jobs, mut record) = (Vec::new(), Record::new(waits.len()));
        for (place, &wait) in (0..).zip(waits) {
            jobs.push(Job::new(1, SimTime::ZERO, 1, SimDuration::from_secs(10)));
            record.started(JobId(place), at(wait), &[Interval::new(0, 0)], Reason::Head);
            record.ended(JobId(place), at(wait + 10));
        }
        let warm_up = WarmUp::None;
        half_widths(&FinishedRun { jobs: &jobs, record: &record, procs: 1, until: None, warm_up }, warm_up)
    }

    #[test]
    fn half_widths_of_twenty_jobs_worked_by_hand() {
        let waits: Vec<u64> = (0..20).map(|place| 10 * (place % 2)).collect();
        let found = half_widths_of(&waits);
        // ten 0 and ten 10: variance 500/19, t(0.975, 19) = 2.093024: 2.093024 × sqrt(500/19/20) =
        // 2.400864
        let close = |metric: &str, expected: f64| {
            let found = found.iter().find(|found| found.metric == metric).expect("an interval");
            assert!((found.half_width - expected).abs() < 1e-5, "{found:?}");
        };
        close("wait-time.mean", 2.400_864);
        close("response-time.mean", 2.400_864);
        close("slowdown.mean", 0.240_086_4);
        close("bounded-slowdown.mean", 0.240_086_4);
        assert_eq!(half_widths_of(&[1; 19]), [], "too few jobs");
    }
}
