//! Work queue: the worker that asked first.

use super::{Strategy, Waiting};
use crate::registry::Entry;

pub(super) const ENTRY: Entry<dyn Strategy> = Entry {
    name: "workqueue",
    about: "the worker that asked first",
    source: "\"Scheduling Distributed Applications: the SimGrid Simulation Framework\", 2003, section V (Work Queue)",
    keys: &[],
    build: |_| Ok(Box::new(Workqueue)),
};

#[derive(Debug)]
struct Workqueue;

impl Strategy for Workqueue {
    fn merit(&self, _: &Waiting) -> Option<f64> {
        None
    }
}
