//! Offered load: the share of a machine that a workload asks for.
//!
//! `offered load = Σ procs × run time / (processors × span of arrivals)`, the span running from the
//! first to the last submission. It may exceed 1. Scaling to a load multiplies every inter-arrival
//! time by one factor and leaves sizes and run times alone, the usual method to vary the load of a
//! log (Feitelson, *Workload Modeling for Computer Systems Performance Evaluation*, 2015, section
//! on load manipulation).

use crate::kernel::{PAST_THE_END, SimDuration, SimTime};
use crate::registry::{Complaint, Span, code};

use super::Job;

/// Reason that a workload cannot be scaled to a load.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LoadError {
    /// Every job is submitted at one instant (or there are none): there is no span to stretch.
    #[error("all jobs are submitted at one instant: there are no inter-arrival times to scale")]
    NoSpan,
    /// A submission would fall past the end of virtual time.
    #[error("at this load the last job would be submitted {PAST_THE_END}")]
    TooLate,
}

/// The load that jobs (sorted by submission) offer to a machine of `procs` processors; `None`
/// without a span.
///
/// Jobs that need more than `procs` count for nothing, as they never run.
pub fn offered<'a>(jobs: impl IntoIterator<Item = &'a Job>, procs: u32) -> Option<f64> {
    let (mut first, mut last) = (None, SimTime::ZERO);
    // processor time asked for [processor ns]
    let mut demand = 0_u128;
    for job in jobs {
        first.get_or_insert(job.submit_time);
        last = job.submit_time;
        demand += if job.procs <= procs { job.area() } else { 0 };
    }
    let span = last.since(first?);
    (!span.is_zero()).then(|| demand as f64 / (f64::from(procs) * span.as_nanos() as f64))
}

/// Scales jobs to the load that the key at `at` states, if it states one.
///
/// # Errors
/// The jobs cannot have that load.
pub(super) fn scale_to(jobs: &mut [Job], procs: u32, load: Option<f64>, at: Span) -> Result<(), Complaint> {
    let Some(load) = load else { return Ok(()) };
    scale(jobs, procs, load).map_err(|why| Complaint::new(code::CONTRADICTION, why.to_string(), at))
}

/// Moves the submissions so that the workload offers `load` to `procs` processors.
///
/// The first submission stays where it is. Each later one moves to the nearest nanosecond of its
/// scaled place, so the order of submission is kept.
///
/// # Errors
/// [`LoadError`], and then no job has moved.
pub fn scale(jobs: &mut [Job], procs: u32, load: f64) -> Result<(), LoadError> {
    let offered = offered(&*jobs, procs).ok_or(LoadError::NoSpan)?;
    let stretch = offered / load;
    let first = jobs[0].submit_time;
    let place = |submit: SimTime| -> Option<SimTime> {
        let nanos = (submit.since(first).as_nanos() as f64 * stretch).round();
        let fits = nanos < u64::MAX as f64;
        fits.then(|| first.checked_add(SimDuration::from_nanos(nanos as u64))).flatten()
    };
    if jobs.last().is_none_or(|job| place(job.submit_time).is_none()) {
        return Err(LoadError::TooLate);
    }
    for job in jobs {
        job.submit_time = place(job.submit_time).expect("no job is submitted after the last one");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs() -> Vec<Job> {
        // 4 × 50 + 2 × 100 + 100 × 9 (never fits) over 100 s on 8 processors: load 0.5
        [(0, 4, 50), (40, 100, 9), (100, 2, 100)]
            .into_iter()
            .zip(1..)
            .map(|((submit, procs, run), number)| {
                let submit = SimTime::from_secs(submit).expect("small");
                Job::new(number, submit, procs, SimDuration::from_secs(run))
            })
            .collect()
    }

    #[test]
    fn the_offered_load_is_the_share_asked_of_the_machine() {
        let load = offered(&jobs(), 8).expect("a span");
        assert!((load - 0.5).abs() < 1e-15, "{load}");
    }

    #[test]
    fn scaling_stretches_inter_arrival_times_only() {
        let mut scaled = jobs();
        scale(&mut scaled, 8, 1.0).expect("a span");
        let submits: Vec<f64> = scaled.iter().map(|job| job.submit_time.as_secs_f64()).collect();
        assert_eq!(submits, [0.0, 20.0, 50.0]);
        assert!((offered(&scaled, 8).expect("a span") - 1.0).abs() < 1e-15);
        assert_eq!(scaled[0].run_time, jobs()[0].run_time);
    }

    #[test]
    fn a_workload_without_a_span_or_past_the_end_of_time_is_reported() {
        assert_eq!(scale(&mut jobs()[..1], 8, 0.5), Err(LoadError::NoSpan));
        assert_eq!(scale(&mut [], 8, 0.5), Err(LoadError::NoSpan));
        let mut kept = jobs();
        assert_eq!(scale(&mut kept, 8, 1e-12), Err(LoadError::TooLate));
        assert_eq!(kept, jobs());
    }
}
