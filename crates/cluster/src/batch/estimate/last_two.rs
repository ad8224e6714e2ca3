//! The mean of the user's last two run times.
//!
//! A job is taken to run as long as the last two of its user's jobs that ended did on average, and
//! never longer than was requested; a user without two such jobs is taken at the request. A job
//! that outlasts its prediction is given a longer one, step by step and again never beyond the
//! request: the first prediction and a minute, and 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50 and 100
//! hours; then the request. So predictions may be too short without any job being killed for it.
//!
//! Source: D. Tsafrir, Y. Etsion, D. G. Feitelson, "Backfilling using system-generated predictions
//! rather than user runtime estimates", IEEE TPDS 18(6), 2007. The steps are as the public
//! simulator pyss has them (`common_correctors.py`).
//!
//! Deviation: jobs of users that are not in the log are one user's. A prediction is made at
//! submission, and not made again when another job of the user ends while the first still waits.

use crate::collections::OrderedMap;
use crate::kernel::SimDuration;
use crate::kernel::rng::Stream;
use crate::registry::{Entry, Kind, entry};
use crate::workload::Job;

use super::Estimates;

pub(super) const ENTRY: Entry<dyn Estimates> = entry! {
    "last-two" => "the mean of the user's last two run times, at most what was requested, and longer step by step when outlasted",
    source "D. Tsafrir, Y. Etsion, D. G. Feitelson, IEEE TPDS 18(6), 2007",
    keys {
        "correct" Kind::Flag, or_flag true =>
            "whether a job that outlasts its prediction is given a longer one; else it counts as past its \
             estimate",
            source "D. Tsafrir, Y. Etsion, D. G. Feitelson, IEEE TPDS 18(6), 2007";
    },
    reads |params| LastTwo { correct: params.read("correct")?, users: OrderedMap::new() }
};

/// Additions to the first prediction, correction by correction [min].
const STEPS_MIN: [u64; 11] = [1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000];

#[derive(Debug)]
struct LastTwo {
    correct: bool,
    /// The last run time of each user, and the one before it.
    users: OrderedMap<u32, (SimDuration, Option<SimDuration>)>,
}

fn step(place: u32) -> Option<SimDuration> {
    let minutes = STEPS_MIN.get(place as usize)?;
    Some(SimDuration::from_secs(minutes * 60))
}

impl Estimates for LastTwo {
    fn estimate(&mut self, job: &Job, _: Option<&mut Stream>) -> SimDuration {
        let Some(&(last, Some(before))) = self.users.get(&job.user) else { return job.estimate };
        let sum = u128::from(last.as_nanos()) + u128::from(before.as_nanos());
        let mean = SimDuration::from_nanos(sum.div_ceil(2) as u64);
        mean.min(job.estimate).max(SimDuration::from_nanos(1))
    }

    fn corrected(&self, job: &Job, estimate: SimDuration, before: u32) -> Option<SimDuration> {
        if estimate >= job.estimate {
            return None;
        }
        let added = before.checked_sub(1).and_then(step).unwrap_or_default();
        let first = estimate.saturating_sub(added);
        let next = step(before).map_or(job.estimate, |more| first.saturating_add(more));
        Some(next.min(job.estimate))
    }

    fn corrects(&self) -> bool {
        self.correct
    }

    fn ended(&mut self, job: &Job, ran: SimDuration) {
        let seen = self.users.get(&job.user).map(|&(last, _)| last);
        self.users.insert(job.user, (ran, seen));
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimTime;

    use super::*;

    fn secs(secs: u64) -> SimDuration {
        SimDuration::from_secs(secs)
    }

    fn job(user: u32, requested: u64) -> Job {
        let mut job = Job::new(1, SimTime::ZERO, 1, secs(1));
        (job.user, job.estimate) = (user, secs(requested));
        job
    }

    #[test]
    fn two_jobs_of_the_same_user_must_have_ended() {
        let mut model = LastTwo { correct: true, users: OrderedMap::new() };
        assert_eq!(model.estimate(&job(7, 500), None), secs(500));
        model.ended(&job(7, 500), secs(100));
        assert_eq!(model.estimate(&job(7, 500), None), secs(500));
        model.ended(&job(7, 500), secs(40));
        assert_eq!(model.estimate(&job(7, 500), None), secs(70));
        assert_eq!(model.estimate(&job(7, 50), None), secs(50), "never more than is requested");
        assert_eq!(model.estimate(&job(8, 500), None), secs(500));
        model.ended(&job(7, 500), secs(60));
        assert_eq!(model.estimate(&job(7, 500), None), secs(50), "the two last ones count");
    }

    #[test]
    fn an_outlasted_prediction_grows_by_the_published_steps() {
        let model = LastTwo { correct: true, users: OrderedMap::new() };
        let asked = job(7, 1_000_000);
        let (mut estimate, mut seen) = (secs(70), Vec::new());
        for before in 0.. {
            let Some(next) = model.corrected(&asked, estimate, before) else { break };
            estimate = next;
            seen.push(estimate.as_nanos() / 1_000_000_000);
        }
        let minutes = STEPS_MIN.map(|minutes| 70 + 60 * minutes);
        assert_eq!(seen[..11], minutes);
        assert_eq!(seen[11..], [1_000_000], "then the request, and no more");
        assert_eq!(model.corrected(&job(7, 100), secs(70), 0), Some(secs(100)));
        assert_eq!(model.corrected(&job(7, 70), secs(70), 0), None);
    }
}
