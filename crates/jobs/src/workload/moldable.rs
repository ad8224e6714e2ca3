//! Jobs that can be started on other numbers of processors than they ask for, and keep that number
//! from their start to their end.
//!
//! A moldable job differs from a rigid one in one thing: before it starts, a policy may choose its
//! size, among those that [`Moldable::sizes`] gives; the size that it asks for is always among
//! them. Its run time and what was requested for it change by a law of [`speedup`]. Which jobs are
//! moldable is drawn, job by job in order of submission, from the stream `workload/moldable`,
//! unless all are. What a job asks for is the size that its log or its model gives it.
//!
//! Source: D. G. Feitelson and L. Rudolph, "Toward convergence in job schedulers for parallel
//! supercomputers", JSSPP 1996 (rigid and moldable jobs); W. Cirne and F. Berman, "A model for
//! moldable supercomputer jobs", IPDPS 2001.

use std::sync::Arc;

use crate::ids::JobId;
use crate::kernel::SimDuration;
use crate::kernel::rng::Stream;
use crate::registry::{Bounds, Complaint, Key, Kind, Params, choices, code, key, keys};

use super::Job;
use super::speedup::{self, Law};

choices! {
    /// On which numbers of processors a moldable job can run.
    enum Choice {
        Any = "any", "every number from the fewest to the most";
        PowersOfTwo = "powers-of-two", "the powers of two among them";
    }
}

const KEYS: &[Key] = &keys! {
    "law" Kind::Component("speedup"), or "downey" =>
        "how much faster a job runs on more processors, and slower on fewer";
    "share" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 1.0 =>
        "how many of the jobs are moldable; which ones is drawn";
    "least" Kind::Count { least: 1, most: u32::MAX as u64 }, or_count 1 =>
        "the fewest processors a moldable job can run on, unless it asks for fewer";
    "most" Kind::Count { least: 1, most: u32::MAX as u64 }, absent "the machine" =>
        "the most processors a moldable job can run on, unless it asks for more";
    "least-factor" Kind::Number(Bounds::Within(0.0, 1.0)), absent "no such bound" =>
        "the fewest processors over those that the job asks for, rounded up; counts with `least`, the \
         larger one holds";
    "most-factor" Kind::Number(Bounds::Within(1.0, 4_294_967_295.0)), absent "no such bound" =>
        "the most processors over those that the job asks for, rounded down; counts with `most`, the \
         smaller one holds";
    "sizes" Choice::CHOICES, or "any" =>
        "on which numbers of processors a moldable job can run; that which it asks for is always one";
};

/// Moldable jobs, and how long they run.
pub const MOLDABLE: Key = key! {
    "moldable" Kind::Table(KEYS), absent "jobs run on the processors that they ask for" =>
        "which jobs can run on other numbers of processors than they ask for, and how long then; the policy \
         chooses, if its `molding` says so (detail `job` only)",
        source "W. Cirne and F. Berman, IPDPS 2001"
};

/// A part of a number of processors that makes no difference.
const SLACK: f64 = 1e-12;

/// Most sizes that a job may be given.
const MOST_SIZES: u32 = 100_000;

/// The numbers of processors on which moldable jobs can run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sizes {
    /// The fewest; above zero.
    pub least: u32,
    /// The most, of which a machine may have fewer.
    pub most: u32,
    /// The fewest over those asked for.
    pub least_factor: f64,
    /// The most over those asked for.
    pub most_factor: f64,
    /// True if only powers of two.
    pub powers_of_two: bool,
}

impl Sizes {
    /// Every number of processors.
    pub const ANY: Sizes = Sizes {
        least: 1,
        most: u32::MAX,
        least_factor: 0.0,
        most_factor: f64::INFINITY,
        powers_of_two: false,
    };

    /// The sizes of a job that asks for `asked` on a machine of `procs`, in ascending order;
    /// `asked` is one of them.
    pub fn of(&self, asked: u32, procs: u32) -> Vec<u32> {
        let (least, most) = self.bounds(asked, procs);
        let mut sizes: Vec<u32> = if self.powers_of_two {
            (0..u32::BITS).map(|bit| 1 << bit).filter(|size| (least..=most).contains(size)).collect()
        } else {
            (least..=most).collect()
        };
        if let Err(place) = sizes.binary_search(&asked) {
            sizes.insert(place, asked);
        }
        sizes
    }

    /// The fewest and the most of a job that asks for `asked` on a machine of `procs`, the size
    /// asked for aside.
    fn bounds(&self, asked: u32, procs: u32) -> (u32, u32) {
        let times = |factor: f64| f64::from(asked) * factor;
        // `as` saturates; what is a whole number but for the last digits of a factor is one
        let least = self.least.max((times(self.least_factor) * (1.0 - SLACK)).ceil() as u32);
        let most = self.most.min(procs).min((times(self.most_factor) * (1.0 + SLACK)).floor() as u32);
        (least, most)
    }

    /// Returns true if `size` is one of a job that asks for `asked`.
    fn allow(&self, asked: u32, size: u32) -> bool {
        let (least, most) = self.bounds(asked, u32::MAX);
        let fits = !self.powers_of_two || size.is_power_of_two();
        size == asked || (least..=most).contains(&size) && fits
    }
}

/// Moldable jobs of a workload, their sizes, and the law by which they run.
#[derive(Clone, Debug)]
pub struct Moldable {
    law: Arc<dyn Law>,
    sizes: Sizes,
    /// Moldable jobs, in order; `None` if all are.
    which: Option<Vec<JobId>>,
}

impl Moldable {
    /// Jobs with these sizes and this law: those named, or all.
    pub fn new(law: Arc<dyn Law>, sizes: Sizes, which: Option<Vec<JobId>>) -> Self {
        let which = which.map(|mut which| {
            which.sort_unstable();
            which
        });
        Moldable { law, sizes, which }
    }

    /// Reads the table of a workload with `jobs` jobs on a machine of `procs` processors; which of
    /// them are moldable is drawn from `draws`, if need be.
    ///
    /// # Errors
    /// Bounds that contradict each other or leave too many sizes, or a law that cannot be.
    pub fn read(params: &Params<'_>, jobs: usize, procs: u32, draws: &mut Stream) -> Result<Self, Complaint> {
        let least: u32 = params.read("least")?;
        let most = params.read::<Option<u32>>("most")?;
        if most.is_some_and(|most| most < least) {
            let message = format!("`most` is below `least`, which is {least}");
            let complaint = Complaint::new(code::RANGE, message, params.span("most"));
            return Err(complaint.label("no number of processors lies between them"));
        }
        let sizes = Sizes {
            least,
            most: most.unwrap_or(u32::MAX),
            least_factor: params.read::<Option<f64>>("least-factor")?.unwrap_or(Sizes::ANY.least_factor),
            most_factor: params.read::<Option<f64>>("most-factor")?.unwrap_or(Sizes::ANY.most_factor),
            powers_of_two: params.read::<Choice>("sizes")? == Choice::PowersOfTwo,
        };
        let span = sizes.most.min(procs).saturating_sub(least);
        if !sizes.powers_of_two && span >= MOST_SIZES {
            let message = format!("a job of this machine could have more than {MOST_SIZES} sizes");
            let complaint = Complaint::new(code::RANGE, message, params.span("sizes"));
            return Err(complaint.help("write `most`, or sizes = \"powers-of-two\""));
        }
        let share: f64 = params.read("share")?;
        let which = (share < 1.0)
            .then(|| (0..jobs as u32).map(JobId).filter(|_| draws.uniform01() < share).collect());
        let law: Box<dyn Law> = params.component("law", "speedup")?;
        Ok(Moldable::new(Arc::from(law), sizes, which))
    }

    /// Returns true if a job is moldable.
    pub fn concerns(&self, job: JobId) -> bool {
        self.which.as_ref().is_none_or(|which| which.binary_search(&job).is_ok())
    }

    /// The sizes of a moldable job that asks for `asked` on a machine of `procs`, in ascending
    /// order.
    ///
    /// # Complexity
    /// One number each: as many as the machine has processors, if nothing bounds them.
    pub fn sizes(&self, asked: u32, procs: u32) -> Vec<u32> {
        self.sizes.of(asked, procs)
    }

    /// Returns true if a moldable job that asks for `asked` can run on `procs`.
    pub fn allows(&self, asked: u32, procs: u32) -> bool {
        self.sizes.allow(asked, procs)
    }

    /// Speed of a job that asks for `asked` on `procs`, relative to that on one processor.
    pub fn speedup(&self, procs: u32, asked: u32) -> f64 {
        self.law.speedup(procs, asked)
    }

    /// A time of a job on the processors that it asks for as it is on `procs`, rounded up to a
    /// nanosecond.
    pub fn time(&self, span: SimDuration, asked: u32, procs: u32) -> SimDuration {
        speedup::time(&*self.law, span, asked, procs)
    }

    /// Work of a job that asks for `asked`, done in `span` on so many processors, as the time that
    /// it takes on others, rounded down to a nanosecond.
    pub fn kept(&self, span: SimDuration, asked: u32, from_to: (u32, u32)) -> SimDuration {
        speedup::kept(&*self.law, span, asked, from_to)
    }

    /// A job on `procs` processors in place of those that it asks for: its run time and its request
    /// change alike.
    pub fn molded(&self, job: Job, procs: u32) -> Job {
        let [run_time, estimate] = [job.run_time, job.estimate].map(|span| self.time(span, job.procs, procs));
        let mut molded = job;
        (molded.procs, molded.run_time, molded.estimate) = (procs, run_time, estimate);
        molded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_lie_within_all_bounds_and_what_is_asked_for_is_one() {
        assert_eq!(Sizes::ANY.of(3, 5), [1, 2, 3, 4, 5]);
        let powers = Sizes { powers_of_two: true, ..Sizes::ANY };
        assert_eq!(powers.of(6, 20), [1, 2, 4, 6, 8, 16]);
        assert_eq!(powers.of(1, u32::MAX).last(), Some(&(1 << 31)));
        let factors = Sizes { least_factor: 0.5, most_factor: 1.5, ..Sizes::ANY };
        assert_eq!(factors.of(5, 100), [3, 4, 5, 6, 7]);
        let tenths = Sizes { least_factor: 0.1, most_factor: 1.1, ..Sizes::ANY };
        assert_eq!((tenths.of(30, 90).first(), tenths.of(30, 90).last()), (Some(&3), Some(&33)));
        let both = Sizes { least: 4, most: 6, ..factors };
        assert_eq!(both.of(5, 100), [4, 5, 6]);
        assert_eq!(both.of(20, 100), [20], "nothing else lies within");
        assert_eq!(both.of(2, 100), [2]);
        assert_eq!(Sizes::ANY.of(9, 4), [1, 2, 3, 4, 9]);
        for (sizes, asked) in [(powers, 6), (factors, 5), (both, 20), (both, 2)] {
            let all = sizes.of(asked, 40);
            assert!((1..=40).all(|size| sizes.allow(asked, size) == all.contains(&size)), "{sizes:?}");
        }
    }
}
