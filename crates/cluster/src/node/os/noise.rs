//! A daemon of the operating system: noise for the applications on its node.
//!
//! Every period it wakes up, wants a processor for a burst, as any task that has slept, and sleeps
//! again. A burst that is not over when the next is due delays that.
//!
//! Source: F. Petrini, D. J. Kerbyson, S. Pakin, Supercomputing 2003, where such noise is the
//! missing performance.

use std::rc::Rc;

use crate::kernel::{SimDuration, hold, now};
use crate::units::Bytes;

use super::clock::next_multiple;
use super::cpu::Entering;
use super::node::{CpuRequest, Node};
use crate::node::app::process::TaskProcess;
use crate::node::app::task::Task;
use crate::node::cluster_state::ClusterState;

/// The process of the daemon of a node, whose bursts are due at whole `period`s after `phase`.
pub(in crate::node) async fn run(
    cluster: Rc<ClusterState>,
    node: Rc<Node>,
    period: SimDuration,
    burst: SimDuration,
    phase: u64,
) {
    let task = node.insert(|key| Task::new(key, None, (node.index, 0), 0, Bytes::new(0)));
    let process = TaskProcess { node: Rc::clone(&node), task, cluster, round_trip: SimDuration::ZERO };
    loop {
        let due = next_multiple(period.as_nanos(), phase, now());
        hold(due.since(now())).background().await;
        node.make_ready(&process.task, Entering::Woken, CpuRequest::Ready);
        process.burst(burst).await;
        process.rest().await;
        // the next one, even if this one took no time
        hold(SimDuration::from_nanos(1)).background().await;
    }
}
