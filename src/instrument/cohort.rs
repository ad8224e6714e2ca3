//! Cohorts: what a run is about, one by one, as statistics of any system read it after the run.
//!
//! A cohort is a series of subjects in the system's own order: jobs, workflows, tasks, calls,
//! customers. Of each it says when it came, when its service began, when it left, and how much work
//! it asks for. From that alone the floor finds saturation and a warm-up that is not
//! over ([`signs`](super::signs)), in every system alike. Nothing is copied: a
//! cohort walks over the record that the run has anyway, as often as it is asked.

use crate::batch::record::State;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;

use super::metrics::FinishedRun;

/// One of what a run is about.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Subject {
    /// Arrival of the subject.
    pub begin: SimTime,
    /// Start of its service. Of what is served in turns with others, its end less the time that it
    /// takes alone; of what was interrupted, its last start less the time for which it was served
    /// before. `None` if it was not served.
    pub served: Option<SimTime>,
    /// Departure of the subject; `None` if it had not left when the run ended.
    pub end: Option<SimTime>,
    /// Work that it asks for [capacity × s].
    pub area: f64,
    /// Class of the subject, where the system has classes; else 0.
    pub class: u16,
    /// True if the subject came to its end, so that means are over it.
    pub done: bool,
}

impl Subject {
    /// Duration of the wait; `None` if the subject was not served.
    pub fn waited(&self) -> Option<SimDuration> {
        self.served.map(|served| served.since(self.begin))
    }

    /// End of the wait: the start of service, or else the departure; the end of time if neither
    /// came.
    pub(super) fn waits_until(&self) -> SimTime {
        self.served.or(self.end).unwrap_or(SimTime::MAX)
    }
}

/// The subjects of a run, in the system's own order.
pub trait Cohort {
    /// Work that can be done in a second, in the unit of [`Subject::area`] per second; `None` if
    /// there is no such bound.
    fn capacity(&self) -> Option<f64>;

    /// Shows every subject that came before the run ended, those of a warm-up too.
    fn each(&self, see: &mut dyn FnMut(&Subject));
}

/// A cohort that is kept as a list.
#[derive(Clone, Debug, Default)]
pub struct ListedCohort {
    /// Work that can be done in a second.
    pub capacity: Option<f64>,
    /// Subjects of the cohort in order.
    pub subjects: Vec<Subject>,
}

impl Cohort for ListedCohort {
    fn capacity(&self) -> Option<f64> {
        self.capacity
    }

    fn each(&self, see: &mut dyn FnMut(&Subject)) {
        self.subjects.iter().for_each(see);
    }
}

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
                area: job.area() as f64 / 1e9,
                class: 0,
                done: state.has_run(),
            });
        }
    }
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
    use crate::kernel::stats::WarmUp;

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
}
