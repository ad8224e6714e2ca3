//! Figures of a log at a glance: jobs, sizes, times, load by week, how limits are kept.

use crate::collections::OrderedSet;
use crate::kernel::{SimDuration, SimTime};

use super::job::{Job, UNKNOWN_ID};
use super::swf::{Log, UNREQUESTED};

/// A week \[ns\].
const WEEK: u64 = 7 * 86_400 * 1_000_000_000;

/// The least, the middle and the greatest of some values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MiddleRange<T> {
    /// The least.
    pub least: T,
    /// The one that as many are below as above.
    pub median: T,
    /// The greatest.
    pub greatest: T,
}

/// A week of a log, from its first submission on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LogWeek {
    /// Jobs submitted in it.
    pub jobs: u64,
    /// Processors times run times of these [processor ns].
    pub area: u128,
}

/// Requested times and what became of them.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LimitUse {
    /// Jobs that requested a time.
    pub requested: u64,
    /// Jobs of these that ran to its end, or longer.
    pub reached: u64,
    /// Mean share of the requested time that jobs ran for.
    pub mean_share: f64,
}

/// Figures of a log.
#[derive(Clone, PartialEq, Debug)]
pub struct LogSummary {
    /// Jobs.
    pub jobs: u64,
    /// Users that are named.
    pub users: usize,
    /// Groups that are named.
    pub groups: usize,
    /// Queues that are named.
    pub queues: usize,
    /// Partitions that are named.
    pub partitions: usize,
    /// Time from the first submission to the last one.
    pub span: SimDuration,
    /// Processors of the machine, if the log states them.
    pub machine: Option<u64>,
    /// Most processors that were in use at once; jobs of unknown wait as if they had not waited.
    pub peak: u64,
    /// Processors of jobs.
    pub sizes: MiddleRange<u32>,
    /// Jobs by size: of one processor, of two, to four, to eight and so on.
    pub by_size: Vec<u64>,
    /// Run times.
    pub run_times: MiddleRange<SimDuration>,
    /// Recorded waits, if there are some.
    pub waits: Option<MiddleRange<SimDuration>>,
    /// Weeks from the first submission on.
    pub weeks: Vec<LogWeek>,
    /// Requested times.
    pub limits: LimitUse,
}

impl LogSummary {
    /// Figures of a log that was read with
    /// [`keep_unrequested`](super::swf::Options::keep_unrequested); a log has a job at least.
    pub fn of(log: &Log) -> LogSummary {
        let jobs = &log.jobs;
        let sizes: Vec<u32> = jobs.iter().map(|job| job.procs).collect();
        let waits: Vec<SimDuration> = jobs.iter().filter_map(Job::recorded_wait).collect();
        let last = jobs.last().map_or(SimTime::ZERO, |job| job.submit_time);
        LogSummary {
            jobs: jobs.len() as u64,
            users: different(jobs, |job| (job.user != UNKNOWN_ID).then_some(job.user)),
            groups: different(jobs, |job| (job.group != UNKNOWN_ID).then_some(job.group)),
            queues: different(jobs, |job| job.queue().map(u32::from)),
            partitions: different(jobs, |job| job.partition().map(u32::from)),
            span: last.since(SimTime::ZERO),
            machine: log.header.procs().map(u64::from),
            peak: recorded_peak(jobs),
            by_size: by_size(&sizes),
            sizes: middle(sizes).unwrap_or(MiddleRange { least: 0, median: 0, greatest: 0 }),
            run_times: middle(jobs.iter().map(|job| job.run_time).collect()).unwrap_or(NO_TIME),
            waits: middle(waits),
            weeks: weeks(jobs),
            limits: limits(jobs),
        }
    }

    /// The processors that loads are of: those of the machine, or else the most that were in use.
    pub fn processors(&self) -> u64 {
        self.machine.unwrap_or(self.peak).max(1)
    }

    /// The load that a week brings: its processor time over that of the processors.
    pub fn load(&self, week: LogWeek) -> f64 {
        week.area as f64 / (self.processors() as f64 * WEEK as f64)
    }
}

const NO_TIME: MiddleRange<SimDuration> =
    MiddleRange { least: SimDuration::ZERO, median: SimDuration::ZERO, greatest: SimDuration::ZERO };

fn different(jobs: &[Job], of: impl Fn(&Job) -> Option<u32>) -> usize {
    let mut seen = OrderedSet::new();
    jobs.iter().filter_map(of).for_each(|one| {
        seen.insert(one);
    });
    seen.len()
}

fn middle<T: Ord + Copy>(mut values: Vec<T>) -> Option<MiddleRange<T>> {
    values.sort_unstable();
    let (least, greatest) = (*values.first()?, *values.last()?);
    Some(MiddleRange { least, median: values[(values.len() - 1) / 2], greatest })
}

/// Number of sizes up to each power of two.
fn by_size(sizes: &[u32]) -> Vec<u64> {
    let mut counts = Vec::new();
    for size in sizes {
        let power = u64::from(*size).next_power_of_two().trailing_zeros() as usize;
        if counts.len() <= power {
            counts.resize(power + 1, 0);
        }
        counts[power] += 1;
    }
    counts
}

/// The most processors that these jobs had at one instant; those of unknown wait as if they had not
/// waited.
pub fn recorded_peak(jobs: &[Job]) -> u64 {
    let start = |job: &Job| {
        job.submit_time.as_nanos().saturating_add(job.recorded_wait().unwrap_or_default().as_nanos())
    };
    let mut starts: Vec<(u64, u32)> = jobs.iter().map(|job| (start(job), job.procs)).collect();
    let mut ends: Vec<(u64, u32)> =
        jobs.iter().map(|job| (start(job).saturating_add(job.run_time.as_nanos()), job.procs)).collect();
    starts.sort_unstable();
    ends.sort_unstable();
    let (mut used, mut most, mut ended) = (0_u64, 0, ends.into_iter().peekable());
    for (at, procs) in starts {
        // what ends at this instant has made room
        while let Some((_, freed)) = ended.next_if(|(end, _)| *end <= at) {
            used -= u64::from(freed);
        }
        used += u64::from(procs);
        most = most.max(used);
    }
    most
}

fn weeks(jobs: &[Job]) -> Vec<LogWeek> {
    let mut weeks: Vec<LogWeek> = Vec::new();
    for job in jobs {
        // 285 years have 15,000 weeks
        let week = (job.submit_time.since(SimTime::ZERO).as_nanos() / WEEK) as usize;
        if weeks.len() <= week {
            weeks.resize(week + 1, LogWeek::default());
        }
        weeks[week].jobs += 1;
        weeks[week].area += job.area();
    }
    weeks
}

fn limits(jobs: &[Job]) -> LimitUse {
    let mut limits = LimitUse::default();
    for job in jobs.iter().filter(|job| job.estimate != UNREQUESTED && job.estimate > SimDuration::ZERO) {
        limits.requested += 1;
        limits.reached += u64::from(job.run_time >= job.estimate);
        limits.mean_share += job.run_time.as_secs_f64() / job.estimate.as_secs_f64();
    }
    if limits.requested > 0 {
        limits.mean_share /= limits.requested as f64;
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::swf::{Options, read};

    fn summary(text: &str) -> LogSummary {
        let options = Options { keep_unrequested: true, ..Options::default() };
        LogSummary::of(&read(text.as_bytes(), &options).expect("right"))
    }

    #[test]
    fn figures_are_those_of_the_jobs() {
        let text = "; MaxProcs: 10\n1 0 5 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n\
                    2 50 0 100 3 -1 -1 3 400 -1 1 2 1 1 1 1 -1 -1\n\
                    3 604900 0 50 1 -1 -1 1 -1 -1 1 1 1 1 2 1 -1 -1\n";
        let found = summary(text);
        assert_eq!((found.jobs, found.users, found.groups, found.queues), (3, 2, 1, 2));
        assert_eq!((found.machine, found.peak, found.processors()), (Some(10), 7, 10));
        assert_eq!(found.sizes, MiddleRange { least: 1, median: 3, greatest: 4 });
        assert_eq!(found.by_size, [1, 0, 2]);
        assert_eq!((found.limits.requested, found.limits.reached), (2, 1));
        assert!((found.limits.mean_share - 0.625).abs() < 1e-12);
        let jobs: Vec<u64> = found.weeks.iter().map(|week| week.jobs).collect();
        assert_eq!(jobs, [2, 1]);
        assert!((found.load(found.weeks[0]) - 700.0 / 6_048_000.0).abs() < 1e-12);
    }

    #[test]
    fn a_job_that_ends_makes_room_for_one_that_starts() {
        let text =
            "1 0 0 100 4 -1 -1 4 -1 -1 1 1 1 1 1 1 -1 -1\n2 100 0 10 5 -1 -1 5 -1 -1 1 1 1 1 1 1 -1 -1\n";
        assert_eq!((summary(text).peak, summary(text).machine), (5, None));
    }
}
