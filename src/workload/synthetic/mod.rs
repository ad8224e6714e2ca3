//! Synthetic workloads: jobs drawn from distributions instead of read from a log.
//!
//! Each model draws arrivals, sizes, run times and estimates from streams of their own, so that changing one of its
//! distributions moves no draw of the others.

mod rigid;

pub use rigid::{DrawError, Rigid};
