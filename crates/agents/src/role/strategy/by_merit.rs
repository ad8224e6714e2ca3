//! Strategies that are a formula of what is known of a worker.
//!
//! *Throughput* is the share of the time of a task that is spent on one of its two parts, receiving
//! and computing; of which, there are two readings. The paper lets c be the time to process a task
//! and w the time to receive it, and prefers the highest w / (c + w): the worker that spends most
//! of its time receiving (*literal*). In the papers on bandwidth-centric allocation the same
//! letters stand the other way round, c for communication and w for work; then it is the worker
//! that spends most of its time computing (*swapped*). The figures of the paper do not show which
//! was simulated, so there are both.

use super::{Strategy, Waiting};
use crate::registry::{Entry, entry};

macro_rules! section {
    ($part:literal) => {
        concat!(
            "\"Scheduling Distributed Applications: the SimGrid Simulation Framework\", 2003, section V (",
            $part,
            ")"
        )
    };
}

/// The strategies, by name.
pub(super) const ENTRIES: &[Entry<dyn Strategy>] = &[
    entry! {
        "bandwidth" => "the worker that a task reaches soonest",
        source section!("Bandwidth"), builds ByMerit(|waiting| Some(-waiting.receive))
    },
    Entry::published("cpu", "the worker that computes fastest", section!("Computing power"), &[], |_| {
        Ok(Box::new(ByMerit(|waiting| Some(waiting.speed))))
    }),
    entry! {
        "throughput-literal" => "the worker that receives for the largest share of the time that a task takes, as the paper's formula is printed",
        source section!("Throughput"), builds ByMerit(|waiting| Some(share(waiting.receive, waiting)))
    },
    entry! {
        "throughput-swapped" => "the worker that computes for the largest share of the time that a task takes: the formula with the letters of bandwidth-centric allocation",
        source section!("Throughput"), builds ByMerit(|waiting| Some(share(waiting.process, waiting)))
    },
    Entry::published("workqueue", "the worker that asked first", section!("Work Queue"), &[], |_| {
        Ok(Box::new(ByMerit(|_| None)))
    }),
];

#[derive(Debug)]
struct ByMerit(fn(&Waiting) -> Option<f64>);

impl Strategy for ByMerit {
    fn merit(&self, waiting: &Waiting) -> Option<f64> {
        (self.0)(waiting)
    }
}

/// The share that a part has of the time that a task takes.
fn share(part: f64, waiting: &Waiting) -> f64 {
    let both = waiting.process + waiting.receive;
    if both > 0.0 { part / both } else { 0.0 }
}
