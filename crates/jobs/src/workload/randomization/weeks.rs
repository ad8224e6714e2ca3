//! Resampled weeks: a new log whose every week is a whole week of the old one, drawn with
//! replacement.
//!
//! The log is cut into weeks of 168 hours from its time 0, the first submission that `from` leaves.
//! What is left after the last whole week is never drawn; that week counts as whole if the log's
//! last submission falls on its last day or later, because a log cut after 28 days rarely ends in a
//! submission at midnight. Week k of the new log is then a week of the old one, each equally
//! likely, with all its jobs moved by the same number of whole weeks. So a user who submitted on
//! Tuesday at nine does so again: the cycles of day and week, the sessions of each user and which
//! were active together are kept; users, groups, sizes, run times and estimates are untouched. Jobs
//! are numbered afresh from 1, because a week drawn twice would give its numbers twice.
//!
//! Draws come from the stream `workload/weeks`, one a week of the new log.
//!
//! Source: D. Zakay and D. G. Feitelson, "Workload resampling for performance evaluation of
//! parallel job schedulers", Concurrency and Computation: Practice and Experience 26(12), 2014.
//! There the users are resampled and kept in step by time of week, so that the load can be changed
//! by adding users. Deviation: here whole weeks of all users together are drawn (a block bootstrap
//! with blocks of a week), which keeps how users interfere, but makes no week that was not there.
//! What was not independent from week to week (a deadline, a growing community) is lost.

use tracing::info;

use crate::kernel::SimTime;
use crate::kernel::rng::Streams;
use crate::registry::{Entry, Kind, keys};
use crate::workload::Job;

use super::{CannotRandomize, Randomization, RandomizedLog};

const DAY: u64 = 24 * 3600 * 1_000_000_000;
const WEEK: u64 = 7 * DAY;

pub(super) const ENTRY: Entry<dyn Randomization> = Entry::published(
    "weeks",
    "every week is a whole week of the log, drawn with replacement; what links one week to the next is lost",
    "D. Zakay and D. G. Feitelson, Concurrency and Computation 26(12), 2014, by weeks instead of users",
    &keys! {
        "weeks" Kind::Count { least: 1, most: 10_000 }, absent "as many as the log has" =>
            "how many weeks the new log has";
    },
    |params| Ok(Box::new(Weeks { weeks: params.read("weeks")? })),
);

/// Weeks of a log, drawn with replacement.
#[derive(Clone, Copy, Debug)]
pub struct Weeks {
    /// Weeks of the new log; `None`: as many whole weeks as the old one has.
    pub weeks: Option<u64>,
}

/// The whole weeks of a log whose last submission is at `last`.
fn whole_weeks(last: SimTime) -> u64 {
    let nanos = last.as_nanos();
    nanos / WEEK + u64::from(nanos % WEEK >= WEEK - DAY)
}

impl Randomization for Weeks {
    fn randomize(&self, jobs: Vec<Job>, streams: &Streams) -> Result<RandomizedLog, CannotRandomize> {
        let whole = jobs.last().map_or(0, |job| whole_weeks(job.submit_time));
        if whole < 2 {
            return Err(CannotRandomize::TooFewWeeks(whole));
        }
        let first_of = |week: u64| jobs.partition_point(|job| job.submit_time.as_nanos() / WEEK < week);
        let starts: Vec<usize> = (0..=whole).map(first_of).collect();
        let left_out = jobs.len() - starts.last().copied().unwrap_or(0);
        info!(weeks = whole, left_out, "weeks of the log are resampled");
        let mut stream = streams.stream("workload/weeks");
        let mut resampled = Vec::with_capacity(jobs.len());
        let mut places = Vec::with_capacity(jobs.len());
        for week in 0..self.weeks.unwrap_or(whole) {
            let drawn = stream.below(whole);
            let range = starts[drawn as usize]..starts[drawn as usize + 1];
            if resampled.len() + range.len() > u32::MAX as usize {
                return Err(CannotRandomize::TooManyJobs);
            }
            places.extend(range.start as u32..range.end as u32);
            for job in &jobs[range] {
                let within = job.submit_time.as_nanos() - drawn * WEEK;
                let nanos = week.checked_mul(WEEK).and_then(|start| start.checked_add(within));
                let submit_time = SimTime::from_nanos(nanos.ok_or(CannotRandomize::TooLate)?);
                submit_time.checked_add(job.run_time).ok_or(CannotRandomize::TooLate)?;
                let mut job = *job;
                job.submit_time = submit_time;
                job.number = resampled.len() as u64 + 1;
                resampled.push(job);
            }
        }
        if resampled.is_empty() {
            // only weeks without a job were drawn: the log is all gaps
            return Err(CannotRandomize::NothingDrawn);
        }
        Ok(RandomizedLog { jobs: resampled, places })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::kernel::SimDuration;

    fn job(number: u64, nanos: u64) -> Job {
        let user = (number % 5) as u32;
        let run_time = SimDuration::from_secs(1 + number % 7);
        let mut job = Job::new(number, SimTime::from_nanos(nanos), 1 + user, run_time);
        job.user = user;
        job.group = user + 10;
        job.estimate = SimDuration::from_secs(60);
        job
    }

    fn jobs(mut submits: Vec<u64>) -> Vec<Job> {
        submits.sort_unstable();
        (1..).zip(submits).map(|(number, nanos)| job(number, nanos)).collect()
    }

    fn resampled(jobs: &[Job], weeks: Option<u64>, replication: u64) -> Vec<Job> {
        let streams = Streams::new(7, replication);
        let new = Weeks { weeks }.randomize(jobs.to_vec(), &streams).expect("two weeks or more");
        let users: Vec<u32> = new.places.iter().map(|&place| jobs[place as usize].user).collect();
        assert_eq!(users, new.jobs.iter().map(|job| job.user).collect::<Vec<_>>());
        new.jobs
    }

    #[test]
    fn a_week_counts_if_the_log_reaches_its_last_day() {
        for (last, weeks) in
            [(0, 0), (6 * DAY - 1, 0), (6 * DAY, 1), (WEEK, 1), (2 * WEEK - DAY, 2), (2 * WEEK + DAY, 2)]
        {
            assert_eq!(whole_weeks(SimTime::from_nanos(last)), weeks, "{last}");
        }
    }

    #[test]
    fn three_weeks_worked_by_hand() {
        // one job in the first week, two in the second, none in the third, one in the fourth, which
        // is not whole
        let log = jobs(vec![0, WEEK + 5, WEEK + DAY, 3 * WEEK + 1]);
        let mut stream = Streams::new(7, 0).stream("workload/weeks");
        let drawn: Vec<u64> = (0..4).map(|_| stream.below(3)).collect();
        let mut expected = Vec::new();
        for (week, drawn) in (0..).zip(&drawn) {
            let week: u64 = week;
            match drawn {
                0 => expected.push((week * WEEK, 1)),
                1 => expected.extend([(week * WEEK + 5, 2), (week * WEEK + DAY, 3)]),
                _ => {}
            }
        }
        let found = resampled(&log, Some(4), 0);
        let found: Vec<_> = found.iter().map(|job| (job.submit_time.as_nanos(), job.user)).collect();
        assert_eq!(found, expected, "{drawn:?}");
        assert!(drawn.iter().any(|&week| week != drawn[0]), "the seed draws one week only: {drawn:?}");
    }

    #[test]
    fn every_week_is_drawn_about_equally_often() {
        let log = jobs(vec![0, WEEK, 2 * WEEK, 3 * WEEK + 6 * DAY]);
        let mut seen = [0_u32; 4];
        for job in resampled(&log, Some(4000), 0) {
            seen[job.user as usize - 1] += 1;
        }
        // 1,000 each, standard deviation 27
        assert!(seen.iter().all(|&count| count.abs_diff(1000) < 120), "{seen:?}");
    }

    #[test]
    fn a_log_of_less_than_two_weeks_has_nothing_to_draw_from() {
        let streams = Streams::new(7, 0);
        let short = Weeks { weeks: None }.randomize(jobs(vec![0, WEEK + DAY]), &streams);
        assert_eq!(short, Err(CannotRandomize::TooFewWeeks(1)));
    }

    #[test]
    fn jobs_past_the_end_of_time_are_reported() {
        let long = |nanos| Job::new(1, SimTime::from_nanos(nanos), 1, SimDuration::MAX);
        let log = vec![long(0), long(2 * WEEK)];
        let late = Weeks { weeks: Some(50) }.randomize(log, &Streams::new(7, 0));
        assert_eq!(late, Err(CannotRandomize::TooLate));
    }

    proptest! {
        #[test]
        fn every_job_is_one_of_the_log_moved_by_whole_weeks(
            mut submits in vec(0..8 * WEEK, 1..200), replication in 0_u64..3,
        ) {
            submits.extend([0, 2 * WEEK, 3 * WEEK, WEEK]);
            let log = jobs(submits);
            let new = resampled(&log, None, replication);
            prop_assert!(new.is_sorted_by_key(|job| job.submit_time));
            prop_assert_eq!(&new, &resampled(&log, None, replication));
            let whole = whole_weeks(log[log.len() - 1].submit_time);
            let as_drawn = |job: &Job| {
                let mut job = *job;
                job.number = 0;
                job.submit_time = SimTime::ZERO;
                job
            };
            for (number, found) in (1..).zip(&new) {
                prop_assert_eq!(found.number, number);
                prop_assert!(found.submit_time.as_nanos() / WEEK < whole);
                let within = found.submit_time.as_nanos() % WEEK;
                let same = log.iter().any(|job| {
                    job.submit_time.as_nanos() % WEEK == within && as_drawn(job) == as_drawn(found)
                });
                prop_assert!(same, "a job that the log has not");
            }
        }

        #[test]
        fn a_week_of_the_new_log_is_a_whole_week_of_the_old_one(submits in vec(0..6 * WEEK, 50..100)) {
            let log = jobs(submits.into_iter().chain([6 * WEEK - 1]).collect());
            let week_of = |jobs: &[Job], week: u64| -> Vec<(u64, u32, SimDuration)> {
                let inside = jobs.iter().filter(|job| job.submit_time.as_nanos() / WEEK == week);
                inside.map(|job| (job.submit_time.as_nanos() % WEEK, job.user, job.run_time)).collect()
            };
            let (one, other) = (resampled(&log, Some(20), 0), resampled(&log, Some(20), 1));
            prop_assert!(one != other);
            for week in 0..20 {
                let found = week_of(&one, week);
                prop_assert!((0..6).any(|old| week_of(&log, old) == found));
            }
        }
    }
}
