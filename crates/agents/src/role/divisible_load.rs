//! Divisible load: one load that can be cut anywhere, sent in one piece to each worker of a star,
//! one after the other.
//!
//! Worker i, in the order of sending, takes `latency + send × a` to be sent the share a, and then
//! `compute × a` to compute it. If all end together nothing can be moved from one to another to end
//! sooner, so the shares follow each other:
//!
//! a(i) × compute(i) = latency(i+1) + a(i+1) × (send(i+1) + compute(i+1))
//!
//! and add up to 1. Workers whose latency alone takes until the others are done get nothing; they
//! are left out from the end of the order. Without latencies the best order is that of `send`.
//!
//! Source: V. Bharadwaj, D. Ghose, V. Mani, T. G. Robertazzi, "Scheduling Divisible Loads in
//! Parallel and Distributed Systems", IEEE CS Press, 1996, chapters 3 and 5; O. Beaumont, H.
//! Casanova, A. Legrand, Y. Robert, Y. Yang, "Scheduling divisible loads on star and tree networks:
//! results and open problems", IEEE TPDS 16(3), 2005.

/// Cost of all of the load at a worker.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WholeLoad {
    /// Seconds before the first byte of a share arrives.
    pub latency: f64,
    /// Seconds to send all of it there, besides the latency.
    pub send: f64,
    /// Seconds to compute all of it there.
    pub compute: f64,
}

/// Division of a load.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut {
    /// The share of each worker, in the order in which they were given; those that are not worth
    /// the latency have 0.
    pub shares: Vec<f64>,
    /// Seconds from the first byte sent to the end of all.
    pub makespan: f64,
}

/// Cuts a load so that all workers that get a share end together. `None` if there are no workers,
/// or one neither receives nor computes in any time.
///
/// # Complexity
/// O(n²) for n workers with latencies, O(n) without.
pub fn cut(workers: &[WholeLoad]) -> Option<Cut> {
    (1..=workers.len()).rev().find_map(|count| {
        let mut cut = cut_among(&workers[..count])?;
        cut.shares.resize(workers.len(), 0.0);
        Some(cut)
    })
}

/// As [`cut`], with a share for each of them; `None` if one is not worth its latency.
fn cut_among(workers: &[WholeLoad]) -> Option<Cut> {
    // each share is `slope × the last one + offset`, from the last back to the first
    let (mut slope, mut offset) = (1.0, 0.0);
    let mut lines = vec![(slope, offset)];
    for pair in workers.windows(2).rev() {
        let [before, after] = pair else { continue };
        if before.compute <= 0.0 {
            return None;
        }
        let busy = after.send + after.compute;
        slope *= busy / before.compute;
        offset = (after.latency + busy * offset) / before.compute;
        lines.push((slope, offset));
    }
    let (slopes, offsets): (f64, f64) =
        lines.iter().fold((0.0, 0.0), |sums, line| (sums.0 + line.0, sums.1 + line.1));
    let last = (1.0 - offsets) / slopes;
    if last.is_nan() || last <= 0.0 || !slopes.is_finite() {
        return None;
    }
    let shares: Vec<f64> = lines.iter().rev().map(|(slope, offset)| slope * last + offset).collect();
    let first = workers.first()?;
    let makespan = first.latency + shares[0] * (first.send + first.compute);
    Some(Cut { shares, makespan })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(latency: f64, send: f64, compute: f64) -> WholeLoad {
        WholeLoad { latency, send, compute }
    }

    fn ends(workers: &[WholeLoad], cut: &Cut) -> Vec<f64> {
        let mut sent = 0.0;
        let shared = workers.iter().zip(&cut.shares).filter(|(_, share)| **share > 0.0);
        shared
            .map(|(worker, share)| {
                sent += worker.latency + worker.send * share;
                sent + worker.compute * share
            })
            .collect()
    }

    /// Two alike, sending as slow as computing: the first gets twice as much, 2/3 + 2/3 = 4/3.
    #[test]
    fn the_second_gets_half_of_what_the_first_computes_meanwhile() {
        let found = cut(&[whole(0.0, 1.0, 1.0); 2]).expect("a cut");
        assert!((found.shares[0] - 2.0 / 3.0).abs() < 1e-12 && (found.shares[1] - 1.0 / 3.0).abs() < 1e-12);
        assert!((found.makespan - 4.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn all_end_together_and_nothing_is_left() {
        let workers =
            [whole(0.1, 1.0, 9.0), whole(0.2, 0.5, 20.0), whole(0.0, 4.0, 7.0), whole(0.3, 2.0, 11.0)];
        let found = cut(&workers).expect("a cut");
        assert!((found.shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for end in ends(&workers, &found) {
            assert!((end - found.makespan).abs() < 1e-9, "{end} {}", found.makespan);
        }
    }

    #[test]
    fn a_worker_that_is_not_worth_the_latency_gets_nothing() {
        let workers = [whole(0.0, 0.1, 1.0), whole(5.0, 0.1, 1.0)];
        let found = cut(&workers).expect("a cut");
        assert_eq!(format!("{:?}", found.shares), "[1.0, 0.0]");
        assert!((found.makespan - 1.1).abs() < 1e-12);
        assert_eq!(cut(&[]), None);
    }
}
