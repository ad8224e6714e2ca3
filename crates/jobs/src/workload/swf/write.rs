//! Writing jobs as a log in the Standard Workload Format, version 2.2.
//!
//! What a [`Job`](crate::workload::Job) does not keep is written as -1. Times have decimals only
//! where they are needed, so a log of whole seconds is read back as it was, but for the fields left
//! out; processors are written as allocated and as requested.

use std::io::{self, Write};

use crate::kernel::{SimDuration, SimTime};
use crate::workload::job::{Job, UNKNOWN_ID};

/// The estimate of a job for which no time was requested, where that is to be known; written as -1.
pub const UNREQUESTED: SimDuration = SimDuration::MAX;

/// The properties of a job that are written.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The job, with the processors that it has.
    pub job: Job,
    /// The processors that it asks for.
    pub requested_procs: u32,
    /// Number of its program, or [`UNKNOWN_ID`].
    pub executable: u32,
}

impl From<Job> for Line {
    fn from(job: Job) -> Self {
        Line { job, requested_procs: job.procs, executable: UNKNOWN_ID }
    }
}

/// Writes a header of these entries, then the jobs, submitted `origin` later than their times say.
///
/// # Errors
/// What the writer says.
pub fn write(
    header: &[(&str, String)],
    jobs: impl IntoIterator<Item = impl Into<Line>>,
    origin: SimDuration,
    out: &mut impl Write,
) -> io::Result<()> {
    for (key, value) in header {
        writeln!(out, "; {key}: {value}")?;
    }
    for line in jobs {
        let Line { job, requested_procs, executable } = line.into();
        let wait = job.recorded_wait().map_or("-1".to_owned(), seconds);
        let id = |number: u32| if number == UNKNOWN_ID { -1 } else { i64::from(number) };
        let queue = |number: Option<u16>| number.map_or(-1, i64::from);
        writeln!(
            out,
            "{} {} {wait} {} {} -1 -1 {} {} -1 {} {} {} {} {} {} -1 -1",
            job.number,
            seconds(job.submit_time.since(SimTime::ZERO) + origin),
            seconds(job.run_time),
            job.procs,
            requested_procs,
            if job.estimate == UNREQUESTED { "-1".to_owned() } else { seconds(job.estimate) },
            job.status,
            id(job.user),
            id(job.group),
            id(executable),
            queue(job.queue()),
            queue(job.partition()),
        )?;
    }
    Ok(())
}

fn seconds(span: SimDuration) -> String {
    let (whole, rest) = (span.as_nanos() / 1_000_000_000, span.as_nanos() % 1_000_000_000);
    if rest == 0 { whole.to_string() } else { format!("{whole}.{rest:09}").trim_end_matches('0').to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::workload::swf::{Options, read};

    use super::*;

    fn job() -> impl Strategy<Value = Job> {
        let times =
            (0..10_u64.pow(18), 1..10_u64.pow(15), 0..10_u64.pow(15), prop::option::of(0..10_u64.pow(15)));
        let ids = (any::<u32>(), prop::option::of(0..u32::MAX), prop::option::of(0..u16::MAX));
        // the others are those of partial executions
        let status = prop::sample::select(vec![-1, 0, 1, 5]);
        (times, ids, status, 1..=u32::MAX).prop_map(
            |((submit, run, more, wait), (number, user, queue), status, procs)| {
                let run_time = SimDuration::from_nanos(run);
                let mut job = Job::new(u64::from(number), SimTime::from_nanos(submit), procs, run_time);
                job.estimate = SimDuration::from_nanos(run + more);
                job.user = user.unwrap_or(UNKNOWN_ID);
                job.status = status;
                job.with_recorded_wait(wait.map(SimDuration::from_nanos)).in_queue(queue, None)
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(mut jobs in prop::collection::vec(job(), 1..30)) {
            jobs.sort_by_key(|job| job.submit_time);
            let first = jobs[0].submit_time.since(SimTime::ZERO);
            let shift = |job: &mut Job| job.submit_time = SimTime::ZERO + job.submit_time.since(SimTime::ZERO + first);
            jobs.iter_mut().for_each(shift);
            let mut bytes = Vec::new();
            let header = [("Version", "2.2".to_owned()), ("MaxProcs", "64".to_owned())];
            write(&header, jobs.iter().copied(), first, &mut bytes).expect("into memory");
            let log = read(&bytes, &Options::default()).expect("well formed");
            prop_assert_eq!(log.header.entry("Version"), Some("2.2"));
            prop_assert_eq!((log.header.procs(), log.origin), (Some(64), first));
            prop_assert_eq!(log.report.tallies().count(), 0);
            prop_assert_eq!(log.jobs, jobs);
        }
    }
}
