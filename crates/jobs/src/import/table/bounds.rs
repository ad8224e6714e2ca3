//! The largest values that cells of a table may have.

use crate::import::slurm::MOST_MILLIS;

/// The largest amount of processors, nodes and GPUs of a job.
pub(super) const MOST: f64 = u32::MAX as f64;
/// The largest amount of memory, energy and power of a job \[B, mJ, mW\].
pub(super) const LARGEST: f64 = 1e18;
/// Parts of an amount by which it may miss a whole one, after units and factors.
pub(super) const TOLERANCE: f64 = 1e-9;
/// Longest span of time \[ns\], as dumps have it.
pub(super) const MOST_NANOS: u64 = MOST_MILLIS * 1_000_000;
