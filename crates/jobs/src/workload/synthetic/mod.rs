//! Synthetic workloads: jobs drawn from distributions instead of read from a log.
//!
//! Each model draws arrivals, sizes, run times and estimates from streams of their own, so that
//! changing one of its distributions moves no draw of the others. [`Rigid`] has independent
//! features of any law; the other models are published ones, with their published parameters unless
//! the scenario says otherwise.

mod downey;
mod independent;
mod lublin_feitelson;
mod model;
mod rigid;

pub(super) use downey::DOWNEY;
pub(super) use independent::SYNTHETIC;
pub(super) use lublin_feitelson::{LUBLIN_FEITELSON, LUBLIN_FEITELSON_WHOLE};
pub(super) use model::{JOBS, count_of_jobs};
pub use rigid::{DrawError, Rigid};
