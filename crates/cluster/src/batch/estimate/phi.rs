//! The phi model of users' estimates: some are exact, the others too long by a uniform factor.
//!
//! With probability phi a job runs exactly as long as is estimated; else run time over estimate is
//! uniform between 0 and 1 (MODELS 2.5). Phi = 0.2 resembles production logs, phi = 1 is exact. The
//! mean of such estimates is infinite, as a few users ask for anything; `at-most` bounds them, but
//! never below the run time.
//!
//! Source: Y. Zhang, H. Franke, J. E. Moreira, A. Sivasubramaniam, "An integrated approach to
//! parallel scheduling using gang-scheduling, backfilling, and migration", IEEE TPDS 14(3), 2003.
//!
//! Every job takes two draws, so that the jobs that are exact under one phi are exact under any
//! larger one, and the factors of the others are the same.

use crate::kernel::SimDuration;
use crate::kernel::rng::Stream;
use crate::registry::{Bounds, Entry, Kind, entry};
use crate::workload::Job;

use super::Estimates;

pub(super) const ENTRY: Entry<dyn Estimates> = entry! {
    "phi" => "exact with probability phi, else the run time over a number uniform between 0 and 1",
    source "Y. Zhang, H. Franke, J. E. Moreira, A. Sivasubramaniam, IEEE TPDS 14(3), 2003",
    keys {
        "phi" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 0.2 =>
            "the share of jobs that run exactly as long as is estimated",
            source "0.2 resembles production logs: the same";
        "at-most" Kind::Duration(Bounds::Positive), absent "no bound" =>
            "the longest estimate; a job that runs longer has its run time";
    },
    reads |params| {
        let at_most: Option<SimDuration> = params.read("at-most")?;
        Phi { phi: params.read("phi")?, at_most: at_most.unwrap_or(SimDuration::MAX) }
    }
};

#[derive(Debug)]
struct Phi {
    phi: f64,
    at_most: SimDuration,
}

impl Estimates for Phi {
    fn estimate(&mut self, job: &Job, stream: Option<&mut Stream>) -> SimDuration {
        let Some(stream) = stream else { return job.run_time };
        let (exact, ratio) = (stream.uniform01() < self.phi, stream.open01());
        if exact {
            return job.run_time;
        }
        let estimate = SimDuration::ceil_secs(job.run_time.as_secs_f64() / ratio);
        estimate.min(self.at_most).max(job.run_time)
    }

    fn draws(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimTime;
    use crate::kernel::rng::Streams;

    use super::*;

    #[test]
    fn the_share_of_exact_estimates_is_phi_and_the_ratios_of_the_others_are_uniform() {
        const JOBS: u32 = 40_000;
        let job = Job::new(1, SimTime::ZERO, 1, SimDuration::from_secs(1000));
        for phi in [0.0, 0.2, 1.0] {
            let mut stream = Streams::new(1, 0).stream("estimates");
            let mut model = Phi { phi, at_most: SimDuration::MAX };
            let (mut exact, mut sum, mut squares) = (0, 0.0, 0.0);
            for _ in 0..JOBS {
                let estimate = model.estimate(&job, Some(&mut stream));
                assert!(estimate >= job.run_time);
                if estimate == job.run_time {
                    exact += 1;
                } else {
                    let ratio = job.run_time.as_secs_f64() / estimate.as_secs_f64();
                    sum += ratio;
                    squares += ratio * ratio;
                }
            }
            let jobs = f64::from(JOBS);
            let deviation = (jobs * phi * (1.0 - phi)).sqrt();
            assert!((f64::from(exact) - jobs * phi).abs() <= 3.3 * deviation, "{phi}: {exact}");
            let others = f64::from(JOBS - exact);
            if others > 0.0 {
                // mean 1/2 and 1/3 of the square, with standard deviations sqrt(1/12) and
                // sqrt(4/45)
                assert!((sum / others - 0.5).abs() <= 3.3 * (1.0 / 12.0 / others).sqrt(), "{phi}");
                assert!((squares / others - 1.0 / 3.0).abs() <= 3.3 * (4.0 / 45.0 / others).sqrt(), "{phi}");
            }
        }
    }

    #[test]
    fn a_bound_on_estimates_is_none_on_run_times() {
        let mut stream = Streams::new(1, 0).stream("estimates");
        let mut model = Phi { phi: 0.0, at_most: SimDuration::from_secs(2000) };
        let job = |secs| Job::new(1, SimTime::ZERO, 1, SimDuration::from_secs(secs));
        for _ in 0..1000 {
            assert!(model.estimate(&job(1000), Some(&mut stream)) <= SimDuration::from_secs(2000));
            assert_eq!(model.estimate(&job(3000), Some(&mut stream)), SimDuration::from_secs(3000));
        }
    }
}
