//! Bursts: partial executions of jobs that were checkpointed or swapped out, a line each.
//!
//! A log that has them states such a job twice (Standard Workload Format 2.2, usage notes): in one
//! line that sums it up, whose run time is that of all bursts and whose status is as that of any
//! job, and in a line for each burst, of status 2 if it was to be continued, of 3 if it completed
//! the job, and of 4 if it was killed. All have the number of the job; only the first burst has a
//! submit time. Bursts show how the machine of the log worked, so the line that sums a job up is
//! the job, and its bursts are left out, wherever they stand.
//!
//! The format does not say what bursts without such a line are. Here they are one job: it is
//! submitted with the first of them, its run time is their sum, and of processors, memory and
//! requested time the most of them counts. A burst of status 3 or 4 is the last; one more of the
//! same number begins another job.

use crate::collections::{OrderedMap, OrderedSet};

use super::record::{KeptRecord, Record};

/// A job of bursts while its log is read.
#[derive(Debug)]
pub(super) struct BurstJob {
    /// The bursts so far as one record.
    pub(super) record: KeptRecord,
    /// Number of the job, if it is known.
    number: Option<u64>,
    /// Ordinal of its first burst among the lines of jobs, counted from 1.
    pub(super) ordinal: u64,
    /// Number of jobs of the log that come before it.
    pub(super) place: usize,
    /// Lines of its bursts.
    pub(super) lines: Vec<u64>,
}

/// The bursts of a log while it is read.
#[derive(Debug, Default)]
pub(super) struct Bursts {
    jobs: Vec<BurstJob>,
    /// The jobs that are to be continued, by number.
    open: OrderedMap<Option<u64>, usize>,
}

impl Bursts {
    /// Takes in a burst of the job of this number, before which the log has `ordinal` lines of
    /// jobs, and `place` jobs.
    pub(super) fn push(&mut self, burst: &Record<'_>, number: Option<u64>, ordinal: u64, place: usize) {
        let open = *self.open.entry(number).or_insert(self.jobs.len());
        match self.jobs.get_mut(open) {
            Some(job) => {
                job.record.join(burst);
                job.lines.push(burst.line);
            }
            None => {
                let (record, lines) = (burst.kept(), vec![burst.line]);
                self.jobs.push(BurstJob { record, number, ordinal, place, lines });
            }
        }
        if burst.is_last_burst() {
            self.open.remove(&number);
        }
    }

    /// The jobs, in the order of their first bursts, each with whether one of `summed` is its
    /// number, so that a line sums it up.
    pub(super) fn finish(self, summed: impl Iterator<Item = u64>) -> Vec<(BurstJob, bool)> {
        if self.jobs.is_empty() {
            return Vec::new();
        }
        let own: OrderedSet<u64> = self.jobs.iter().filter_map(|job| job.number).collect();
        let summed: OrderedSet<u64> = summed.filter(|number| own.contains(number)).collect();
        let is_summed = |job: &BurstJob| job.number.is_some_and(|number| summed.contains(&number));
        self.jobs
            .into_iter()
            .map(|mut job| {
                job.record.sum_up();
                let is_summed = is_summed(&job);
                (job, is_summed)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimTime;
    use crate::workload::dependency::Preceding;
    use crate::workload::swf::{Cause, Effect, Log, Options, read};

    /// A line: number, submit time, wait, run time, processors, status.
    fn line(number: i64, submit: i64, wait: i64, run: &str, procs: i64, status: i64) -> String {
        format!("{number} {submit} {wait} {run} {procs} -1 -1 -1 90 -1 {status} 3 4 -1 0 -1 -1 -1\n")
    }

    fn log(lines: &[String]) -> Log {
        read(lines.concat().as_bytes(), &Options::default()).expect("jobs are left")
    }

    /// Number, submission [s], run time [s], processors, status.
    fn jobs(log: &Log) -> Vec<(u64, f64, f64, u32, i8)> {
        let of = |job: &crate::workload::Job| {
            (job.number, job.submit_time.as_secs_f64(), job.run_time.as_secs_f64(), job.procs, job.status)
        };
        log.jobs.iter().map(of).collect()
    }

    fn counts(log: &Log) -> Vec<(&'static str, u64)> {
        log.report.tallies().map(|(cause, tally)| (cause.name(), tally.count)).collect()
    }

    #[test]
    fn bursts_are_left_out_where_a_line_sums_their_job_up_wherever_it_stands() {
        let summed = [
            line(1, 0, 5, "60", 4, 1),
            line(1, 0, 5, "20", 4, 2),
            line(1, -1, 7, "40", 4, 3),
            line(2, 10, 0, "30", 2, 4),
            line(3, 12, 0, "9", 1, 1),
            line(2, 10, 0, "30", 2, 0),
        ];
        let log = log(&summed);
        assert_eq!(jobs(&log), [(1, 0.0, 60.0, 4, 1), (2, 10.0, 30.0, 2, 0), (3, 12.0, 9.0, 1, 1)]);
        assert_eq!(counts(&log), [("late-submit", 1), ("burst", 3)]);
        assert_eq!(log.report.tally(Cause::Burst).lines, [2, 3, 4]);
        assert_eq!(log.report.jobs, log.jobs.len() as u64 + log.report.total(Effect::Folded));
    }

    #[test]
    fn a_summary_that_cannot_be_used_is_dropped_with_its_bursts() {
        let log = log(&[line(1, 0, 5, "-1", 4, 5), line(1, 0, 5, "20", 4, 3), line(2, 3, 0, "8", 1, 1)]);
        assert_eq!(jobs(&log), [(2, 0.0, 8.0, 1, 1)]);
        assert_eq!(counts(&log), [("no-run-time", 1), ("burst", 1)]);
    }

    #[test]
    fn bursts_alone_are_one_job_that_runs_for_their_sum() {
        let log = log(&[
            line(8, 0, 1, "5", 1, 1),
            line(7, 2, 3, "10.25", 4, 2),
            line(9, 4, 0, "6", 2, 2),
            line(7, -1, 50, "0.75", 6, 2),
            line(5, 2, 0, "1", 1, 1),
            line(7, -1, 60, "4", 4, 4),
            line(9, -1, 9, "1", 2, 2),
        ]);
        let expected = [(8, 0.0, 5.0, 1, 1), (7, 2.0, 15.0, 6, 0), (5, 2.0, 1.0, 1, 1), (9, 4.0, 7.0, 2, -1)];
        assert_eq!(jobs(&log), expected);
        assert_eq!(
            log.jobs[1].recorded_wait().map(crate::kernel::SimDuration::as_nanos),
            Some(3_000_000_000)
        );
        assert_eq!(
            log.jobs[1].estimate.as_secs_f64().to_bits(),
            90.0_f64.to_bits(),
            "the requested time of any burst"
        );
        assert_eq!(counts(&log), [("joined-burst", 3), ("of-bursts", 2)]);
        assert_eq!(log.report.tally(Cause::JoinedBurst).lines, [4, 6, 7]);
        assert_eq!(log.report.jobs, log.jobs.len() as u64 + log.report.total(Effect::Folded));
    }

    #[test]
    fn a_burst_after_the_last_one_of_its_number_begins_another_job() {
        let log = log(&[
            line(1, 0, 0, "3", 1, 3),
            line(1, 9, 0, "1", 1, 2),
            line(1, -1, 0, "1", 1, 3),
            line(2, -1, 0, "1", 1, 3),
            line(3, 11, 0, "0", 1, 3),
        ]);
        assert_eq!(jobs(&log), [(1, 0.0, 3.0, 1, 1), (1, 9.0, 2.0, 1, 1)]);
        let expected = [
            ("no-run-time", 1),
            ("no-submit-time", 1),
            ("job-number-twice", 1),
            ("joined-burst", 1),
            ("of-bursts", 2),
        ];
        assert_eq!(counts(&log), expected);
    }

    #[test]
    fn jobs_of_bursts_depend_on_others_and_others_on_them() {
        let with = |line: String, preceding: u64| line.replacen(" -1 -1\n", &format!(" {preceding} 0\n"), 1);
        let lines = [
            line(1, 0, 0, "3", 1, 2),
            line(1, -1, 0, "3", 1, 3),
            with(line(2, 1, 0, "4", 1, 1), 1),
            with(line(3, 2, 0, "4", 1, 3), 2),
        ];
        let options = Options { preceding: Preceding::ThinkTime, ..Options::default() };
        let log = read(lines.concat().as_bytes(), &options).expect("jobs are left");
        let edges: Vec<_> = log.edges.iter().map(|edge| (edge.on.0, edge.job.0)).collect();
        assert_eq!(edges, [(0, 1), (1, 2)]);
        assert_eq!(log.jobs[0].submit_time, SimTime::ZERO);
    }

    #[test]
    fn what_is_wrong_with_a_burst_is_reported_in_its_line() {
        let lines = [line(1, 0, 0, "3", 1, 2), line(1, -1, 0, "9000000001", 1, 3)];
        let error = read(lines.concat().as_bytes(), &Options::default()).expect_err("too long");
        assert_eq!(error.to_string(), "2:8: field 4 (run time) is out of range: at most 9000000000");
    }
}
