//! Computing power: the worker that computes fastest.

use super::{Strategy, Waiting};
use crate::registry::Entry;

pub(super) const ENTRY: Entry<dyn Strategy> = Entry {
    name: "cpu",
    about: "the worker that computes fastest",
    source: "\"Scheduling Distributed Applications: the SimGrid Simulation Framework\", 2003, section V (Computing power)",
    keys: &[],
    build: |_| Ok(Box::new(Cpu)),
};

#[derive(Debug)]
struct Cpu;

impl Strategy for Cpu {
    fn merit(&self, waiting: &Waiting) -> Option<f64> {
        Some(waiting.speed)
    }
}
