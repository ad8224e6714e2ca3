//! Bandwidth: the worker that a task reaches soonest.

use super::{Strategy, Waiting};
use crate::registry::Entry;

pub(super) const ENTRY: Entry<dyn Strategy> = Entry {
    name: "bandwidth",
    about: "the worker that a task reaches soonest",
    source: "\"Scheduling Distributed Applications: the SimGrid Simulation Framework\", 2003, section V (Bandwidth)",
    keys: &[],
    build: |_| Ok(Box::new(Bandwidth)),
};

#[derive(Debug)]
struct Bandwidth;

impl Strategy for Bandwidth {
    fn merit(&self, waiting: &Waiting) -> Option<f64> {
        Some(-waiting.receive)
    }
}
