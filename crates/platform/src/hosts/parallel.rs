//! Parallel tasks: computation on several hosts and transfers between them, as one thing.
//!
//! All parts begin at once, each with its share of its host or links as if it were alone, and the
//! task ends when the last part does. A part that fails ends the task, and the others are taken
//! back at the same instant.
//!
//! Source: the parallel tasks of SimGrid (H. Casanova et al., JPDC 74(10), 2014). Deviation: there
//! all parts progress at one common rate and end together, so that a part that waits for others
//! takes less of its host or links; here it takes all it can get, ends earlier and leaves more to
//! others from then on. Where hosts and links are not shared both end at the same instant.

use std::pin::Pin;

use futures_util::future::try_join_all;

use crate::network::{Network, TransferFailed};
use crate::{ExecutionFailed, HostId, Processors};

/// A parallel task: computations on hosts, and transfers between hosts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Parallel {
    /// Hosts, and the work of each in the unit of speeds.
    pub computations: Vec<(HostId, f64)>,
    /// From where, to where, and how much in the unit of bandwidths.
    pub transfers: Vec<(HostId, HostId, f64)>,
}

/// Reason that a parallel task was not done.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ParallelFailed {
    /// One of its computations failed.
    #[error(transparent)]
    Execution(#[from] ExecutionFailed),
    /// One of its transfers failed.
    #[error(transparent)]
    Transfer(#[from] TransferFailed),
}

/// Does all parts of a task at once, and waits for the last.
///
/// # Errors
/// What the first part fails with, at that instant.
///
/// # Panics
/// Outside a simulation, or if a host is of another platform.
pub async fn execute_parallel(
    processors: &Processors,
    network: &Network,
    task: &Parallel,
) -> Result<(), ParallelFailed> {
    type Part<'a> = Pin<Box<dyn Future<Output = Result<(), ParallelFailed>> + 'a>>;
    let computations = task.computations.iter().map(|&(host, work)| -> Part<'_> {
        Box::pin(async move { Ok(processors.execute(host, work, 1.0, None).await?) })
    });
    let transfers = task.transfers.iter().map(|&(from, to, size)| -> Part<'_> {
        Box::pin(async move { Ok(network.transfer(from, to, size, None).await?) })
    });
    try_join_all(computations.chain(transfers)).await?;
    Ok(())
}
