//! Jitter: every job is submitted somewhat later than the log says.
//!
//! Each submission moves later by a span of its own, uniform over the whole nanoseconds from 0 to
//! `by`, both included. The gap between two submissions so changes by `by` at most, earlier or
//! later; how much later the whole log lies means nothing. Jobs are then sorted by submission
//! again; those of one instant keep the order of the log. No job is lost, taken twice or
//! renumbered.
//!
//! Schedulers are chaotic: a submission a few seconds off may move a mean wait by a tenth, by which
//! job happens to be backfilled where. Jitter measures that, and only that; that another month has
//! other users it does not show.
//!
//! Source: D. Tsafrir, K. Ouaknine and D. G. Feitelson, "Reducing performance evaluation
//! sensitivity and variability by input shaking", MASCOTS 2007. Deviation: there run times may be
//! shaken too, and by a share of the value.

use crate::kernel::SimDuration;
use crate::kernel::rng::Streams;
use crate::registry::{Bounds, Entry, Kind, keys};
use crate::workload::Job;

use super::{CannotRandomize, Randomization, RandomizedLog};

pub(super) const ENTRY: Entry<dyn Randomization> = Entry::published(
    "jitter",
    "every job is submitted later by a random span of its own, then they are sorted again",
    "D. Tsafrir, K. Ouaknine and D. G. Feitelson, MASCOTS 2007 (input shaking)",
    &keys! {
        "by" Kind::Duration(Bounds::Positive) =>
            "how much later a job is submitted at most; every span from zero is equally likely";
    },
    |params| Ok(Box::new(Jitter { by: params.read("by")? })),
);

/// Submissions that are each a random span late.
#[derive(Clone, Copy, Debug)]
pub struct Jitter {
    /// The longest span.
    pub by: SimDuration,
}

impl Randomization for Jitter {
    fn randomize(&self, mut jobs: Vec<Job>, streams: &Streams) -> Result<RandomizedLog, CannotRandomize> {
        let mut stream = streams.stream("workload/jitter");
        for job in &mut jobs {
            // the longest span there is needs no bound above it: that would not be a number of 64
            // bits
            let span = stream.below(self.by.as_nanos().saturating_add(1));
            let moved = job.submit_time.checked_add(SimDuration::from_nanos(span));
            job.submit_time = moved.ok_or(CannotRandomize::TooLate)?;
        }
        let mut places: Vec<u32> = (0..jobs.len() as u32).collect();
        places.sort_by_key(|&place| jobs[place as usize].submit_time);
        let jobs = places.iter().map(|&place| jobs[place as usize]).collect();
        Ok(RandomizedLog { jobs, places })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::kernel::SimTime;

    fn jobs(submits: &[u64]) -> Vec<Job> {
        let job = |(number, &nanos): (u64, &u64)| {
            Job::new(number, SimTime::from_nanos(nanos), 1, SimDuration::from_secs(1))
        };
        (1..).zip(submits).map(job).collect()
    }

    fn shaken(submits: &[u64], by: u64, replication: u64) -> Vec<Job> {
        let jitter = Jitter { by: SimDuration::from_nanos(by) };
        let log = jobs(submits);
        let shaken = jitter.randomize(log.clone(), &Streams::new(7, replication)).expect("early enough");
        let numbers: Vec<u64> = shaken.places.iter().map(|&place| log[place as usize].number).collect();
        assert_eq!(numbers, shaken.jobs.iter().map(|job| job.number).collect::<Vec<_>>());
        shaken.jobs
    }

    #[test]
    fn each_job_moves_by_the_next_draw_of_the_stream_and_ties_keep_the_order_of_the_log() {
        let mut stream = Streams::new(7, 0).stream("workload/jitter");
        let mut expected: Vec<(u64, u64)> = [(10, 1), (10, 2), (11, 3), (12, 4), (12, 5), (12, 6)]
            .map(|(submit, number)| (submit + stream.below(3), number))
            .to_vec();
        expected.sort_unstable();
        let found = shaken(&[10, 10, 11, 12, 12, 12], 2, 0);
        let found: Vec<_> = found.iter().map(|job| (job.submit_time.as_nanos(), job.number)).collect();
        // sorted by (submission, place in the log), which is what a stable sort gives
        assert_eq!(found, expected);
    }

    #[test]
    fn both_ends_are_drawn_and_replications_differ() {
        let found = shaken(&[0; 300], 2, 0);
        let count = |nanos| found.iter().filter(|job| job.submit_time.as_nanos() == nanos).count();
        // 100 each, standard deviation 8
        assert!((0..3).all(|nanos| count(nanos).abs_diff(100) < 40), "{} {}", count(0), count(2));
        assert_eq!(found, shaken(&[0; 300], 2, 0));
        assert_ne!(found, shaken(&[0; 300], 2, 1));
    }

    #[test]
    fn a_submission_past_the_end_of_time_is_reported() {
        let jitter = Jitter { by: SimDuration::MAX };
        let moved = jitter.randomize(jobs(&[u64::MAX - 1; 4]), &Streams::new(7, 0));
        assert_eq!(moved, Err(CannotRandomize::TooLate));
    }

    proptest! {
        #[test]
        fn every_job_is_there_once_and_late_by_no_more_than_asked(
            mut submits in vec(0_u64..1000, 1..100), by in 1_u64..500, replication in 0_u64..4,
        ) {
            submits.sort_unstable();
            let mut found = shaken(&submits, by, replication);
            prop_assert!(found.is_sorted_by_key(|job| job.submit_time));
            found.sort_by_key(|job| job.number);
            prop_assert_eq!(found.len(), submits.len());
            for (job, (number, submit)) in found.iter().zip((1..).zip(submits)) {
                let late = job.submit_time.as_nanos().checked_sub(submit);
                prop_assert!(job.number == number && late.is_some_and(|late| late <= by));
            }
        }
    }
}
