//! Downey's law: a program has an average parallelism A, and the variance of its parallelism V = v
//! A^2 determines how soon more processors stop to help.
//!
//! ```text
//! v <= 1:  S(n) = A n / (A + v (n - 1) / 2)               1 <= n <= A
//!          S(n) = A n / (v (A - 1/2) + n (1 - v / 2))     A <= n <= 2 A - 1
//!          S(n) = A                                       2 A - 1 <= n
//! v >= 1:  S(n) = n A (v + 1) / (v (n + A - 1) + A)       1 <= n <= A + A v - v
//!          S(n) = A                                       A + A v - v <= n
//! ```
//!
//! Neighbouring forms agree where they meet, in n and in v. A log does not state A, so it may be
//! given as a factor of the processors that a job asks for: with 1 a job asks for its average
//! parallelism, as Downey's model of workloads has it. Below 1 it counts as 1.
//!
//! Source: A. B. Downey, "A model for speedup of parallel programs", UC Berkeley, UCB/CSD-97-933,
//! 1997.

use crate::registry::{Bounds, Entry, Kind, keys};

use super::Law;

pub(super) const ENTRY: Entry<dyn Law> = Entry::published(
    "downey",
    "programs with an average and a variance of parallelism",
    "A. B. Downey, UCB/CSD-97-933, 1997",
    &keys! {
        "parallelism" Kind::Number(Bounds::Positive), absent "1, or what `average` gives" =>
            "the average parallelism of a job over the processors that it asks for; below one processor it \
             counts as one";
        "average" Kind::Number(Bounds::Within(1.0, 4_294_967_295.0)), absent "what `parallelism` gives" =>
            "the average parallelism of every job, in place of `parallelism`";
        "variance" Kind::Number(Bounds::NotNegative), or_number 1.0 =>
            "the variance of parallelism over the square of its average (sigma); 0 runs as fast as it has \
             processors, up to the average";
    },
    |params| {
        let (factor, average) =
            (params.read::<Option<f64>>("parallelism")?, params.read::<Option<f64>>("average")?);
        let variance = params.read("variance")?;
        if factor.is_some() && average.is_some() {
            let complaint =
                params.complaint("average", "`parallelism` and `average` both state the average parallelism");
            let complaint = complaint.label("write one of them");
            return Err(complaint.note("`parallelism` is here", Some(params.span("parallelism"))));
        }
        let parallelism = average.map_or(Parallelism::Times(factor.unwrap_or(1.0)), Parallelism::Of);
        Ok(Box::new(Downey { parallelism, variance }))
    },
);

/// The average parallelism of a job.
#[derive(Clone, Copy, Debug)]
enum Parallelism {
    /// So many times the processors that it asks for.
    Times(f64),
    /// This.
    Of(f64),
}

#[derive(Debug)]
struct Downey {
    parallelism: Parallelism,
    variance: f64,
}

impl Law for Downey {
    fn speedup(&self, procs: u32, asked: u32) -> f64 {
        let average = match self.parallelism {
            Parallelism::Times(factor) => factor * f64::from(asked),
            Parallelism::Of(average) => average,
        };
        speedup(f64::from(procs), average.max(1.0), self.variance)
    }
}

/// Speed, relative to one processor, at which a program of average parallelism `average` and
/// variance of parallelism `variance` runs on `procs` processors.
pub(in crate::workload) fn speedup(procs: f64, average: f64, variance: f64) -> f64 {
    let (n, a, v) = (procs, average, variance);
    if v <= 1.0 {
        if n <= a {
            a * n / (a + v * (n - 1.0) / 2.0)
        } else if n < 2.0 * a - 1.0 {
            a * n / (v * (a - 0.5) + n * (1.0 - v / 2.0))
        } else {
            a
        }
    } else if n < a + a * v - v {
        n * a * (v + 1.0) / (v * (n + a - 1.0) + a)
    } else {
        a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_of_speedup_is_continuous_and_ends_at_the_average() {
        for variance in [0.0, 0.5, 1.0, 1.000_000_1, 3.0] {
            let at = |procs: f64| speedup(procs, 16.0, variance);
            assert!((at(1.0) - 1.0).abs() < 1e-12, "{variance}");
            assert!((at(1e6) - 16.0).abs() < 1e-12, "{variance}");
            for procs in 1..200 {
                let procs = f64::from(procs);
                let (below, above) = (at(procs - 1e-9), at(procs + 1e-9));
                assert!((above - below).abs() < 1e-7 && at(procs) <= procs + 1e-12, "{procs} {variance}");
            }
        }
        // without variance as fast as it has processors; both forms agree where they meet
        assert!((speedup(9.0, 16.0, 0.0) - 9.0).abs() < 1e-12);
        assert!((speedup(16.0, 16.0, 1.0) - 512.0 / 47.0).abs() < 1e-12);
    }

    #[test]
    fn where_forms_meet_both_give_the_published_value() {
        let near =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        // low variance, A = 8, v = 1/2: at n = A both give 2 A^2 / (2 A + v (A - 1)), at 2 A - 1
        // the second gives A
        near(speedup(8.0, 8.0, 0.5), 128.0 / 19.5);
        near(8.0 * 8.0 / (0.5 * 7.5 + 8.0 * 0.75), 128.0 / 19.5);
        near(8.0 * 15.0 / (0.5 * 7.5 + 15.0 * 0.75), 8.0);
        near(speedup(15.0, 8.0, 0.5), 8.0);
        near(speedup(12.0, 8.0, 0.5), 96.0 / 12.75);
        // high variance, A = 8, v = 2: the first form gives A at A + A v - v = 22
        near(22.0 * 8.0 * 3.0 / (2.0 * 29.0 + 8.0), 8.0);
        near(speedup(22.0, 8.0, 2.0), 8.0);
        near(speedup(4.0, 8.0, 2.0), 96.0 / 30.0);
        // at v = 1 both families are one, up to 2 A - 1 = A + A v - v
        for procs in 1..=15 {
            let n = f64::from(procs);
            near(speedup(n, 8.0, 1.0), n * 8.0 * 2.0 / (n + 7.0 + 8.0));
        }
        near(speedup(1.0, 1.0, 0.3), 1.0);
        near(speedup(7.0, 1.0, 4.0), 1.0);
    }

    #[test]
    fn the_average_is_a_factor_of_what_is_asked_for_or_fixed() {
        let at = |parallelism, procs, asked| Downey { parallelism, variance: 0.0 }.speedup(procs, asked);
        assert!((at(Parallelism::Times(2.0), 100, 8) - 16.0).abs() < 1e-12);
        assert!((at(Parallelism::Of(5.0), 100, 8) - 5.0).abs() < 1e-12);
        assert!((at(Parallelism::Times(0.01), 100, 8) - 1.0).abs() < 1e-12);
    }
}
