//! The nodes: each is a process that is up, fails, is repaired, and is up again.

use crate::batch::machine::{Faults, Nodes};
use crate::instrument::{Failures, OnNodeFailure};
use crate::kernel::{hold, now, spawn_daemon, stream};
use crate::policy::front_end::{FrontEnd, SiteFeature};
use crate::workload::Checkpoint;

/// Nodes that fail.
#[derive(Debug)]
pub(super) struct FailingNodes {
    pub(super) rules: Failures,
    pub(super) faults: Faults,
}

impl SiteFeature for FailingNodes {
    fn begins(&self, front: &FrontEnd) {
        let nodes = Nodes { procs: front.procs(), per_node: self.rules.processors_per_node };
        for number in 0..nodes.count() {
            let (front, faults) = (front.clone(), self.faults.clone());
            spawn_daemon(("node", number), node(front, number, nodes, faults, self.rules.then));
        }
    }

    fn interrupts(&self) -> bool {
        true
    }

    fn checkpoint(&self) -> Option<Checkpoint> {
        self.rules.checkpoint
    }
}

/// The life of a node.
async fn node(front: FrontEnd, number: u32, nodes: Nodes, faults: Faults, then: OnNodeFailure) {
    let mut draws = faults.draws().then(|| stream(&format!("failures/node-{number}")));
    let mut failures = 0;
    while let Some((up, down)) = faults.next(number, failures, now(), draws.as_mut()) {
        failures += 1;
        hold(up).await;
        if front.is_deserted() {
            // no job is started any more, so there is nothing to wait for
            return;
        }
        front.fail(number, nodes.processors(number), then);
        hold(down).await;
        front.repair(number, nodes.processors(number));
    }
}
