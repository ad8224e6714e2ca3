//! The nodes: each is a process that is up, fails, is repaired, and is up again.

use crate::batch::machine::{Faults, Nodes};
use crate::collections::Interval;
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
    fn begins(&mut self, front: &FrontEnd) {
        let resources = front.resources();
        let nodes = Nodes::new(resources.as_ref(), front.procs(), self.rules.processors_per_node);
        for number in 0..nodes.count() {
            let (front, faults, part) = (front.clone(), self.faults.clone(), nodes.processors(number));
            spawn_daemon(("node", number), node(front, (number, part), faults, self.rules.then));
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
async fn node(front: FrontEnd, (number, part): (u32, Interval), faults: Faults, then: OnNodeFailure) {
    let mut draws = faults.draws().then(|| stream(&format!("failures/node-{number}")));
    let mut failures = 0;
    while let Some((up, down)) = faults.next(number, failures, now(), draws.as_mut()) {
        failures += 1;
        hold(up).await;
        if front.is_deserted() {
            // no job is started any more, so there is nothing to wait for
            return;
        }
        front.fail(number, part, then);
        hold(down).await;
        front.repair(number, part);
    }
}
