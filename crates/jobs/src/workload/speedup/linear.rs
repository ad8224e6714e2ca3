//! As many times as fast as there are processors: the work of a job is the same on any number of
//! them.

use crate::registry::Entry;

use super::Law;

pub(super) const ENTRY: Entry<dyn Law> =
    Entry::new("linear", "as many times as fast as there are processors", &[], |_| Ok(Box::new(Linear)));

#[derive(Debug)]
pub(super) struct Linear;

impl Law for Linear {
    fn speedup(&self, procs: u32, _: u32) -> f64 {
        f64::from(procs)
    }
}
