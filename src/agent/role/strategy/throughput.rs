//! Throughput: a share of the time that a task takes to be received and computed. Of which part, there are two readings.
//!
//! The paper lets c be the time to process a task and w the time to receive it, and prefers the highest w / (c + w): the worker that
//! spends most of its time receiving (*literal*). In the papers on bandwidth-centric allocation the same letters stand the other
//! way round, c for communication and w for work; then it is the worker that spends most of its time computing (*swapped*).
//! The figures of the paper do not show which was simulated, so there are both.

use super::{Strategy, Waiting};
use crate::registry::Entry;

const SOURCE: &str =
    "\"Scheduling Distributed Applications: the SimGrid Simulation Framework\", 2003, section V (Throughput)";

pub(super) const LITERAL: Entry<dyn Strategy> = Entry {
    name: "throughput-literal",
    about: "the worker that receives for the largest share of the time that a task takes, as the paper's formula is printed",
    source: SOURCE,
    keys: &[],
    build: |_| Ok(Box::new(Throughput(|waiting| waiting.receive))),
};

pub(super) const SWAPPED: Entry<dyn Strategy> = Entry {
    name: "throughput-swapped",
    about: "the worker that computes for the largest share of the time that a task takes: the formula with the letters of \
            bandwidth-centric allocation",
    source: SOURCE,
    keys: &[],
    build: |_| Ok(Box::new(Throughput(|waiting| waiting.process))),
};

#[derive(Debug)]
struct Throughput(fn(&Waiting) -> f64);

impl Strategy for Throughput {
    fn merit(&self, waiting: &Waiting) -> Option<f64> {
        let both = waiting.process + waiting.receive;
        Some(if both > 0.0 { (self.0)(waiting) / both } else { 0.0 })
    }
}
