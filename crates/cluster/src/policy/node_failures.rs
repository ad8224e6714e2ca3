//! The nodes of a machine that fail: each is a process that is up, fails, is repaired, and is up
//! again.
//!
//! They are daemons: a run is over when its jobs are, whatever nodes would still do. A node whose
//! trace is over stays up. Each draws from a stream of its own, named after its number.

use crate::batch::machine::{Faults, Nodes};
use crate::instrument::Failures;
use crate::kernel::{hold, now, spawn_daemon, stream};

use super::front_end::FrontEnd;

/// Makes the nodes, inside the simulation.
pub(super) fn begin(front: &FrontEnd, rules: Failures, faults: &Faults) {
    front.may_fail(rules);
    let nodes = Nodes { procs: front.procs(), per_node: rules.processors_per_node };
    for number in 0..nodes.count() {
        spawn_daemon(("node", number), node(front.clone(), number, nodes, faults.clone()));
    }
}

/// The life of a node.
async fn node(front: FrontEnd, number: u32, nodes: Nodes, faults: Faults) {
    let mut draws = faults.draws().then(|| stream(&format!("failures/node-{number}")));
    let mut failures = 0;
    while let Some((up, down)) = faults.next(number, failures, now(), draws.as_mut()) {
        failures += 1;
        hold(up).await;
        if front.is_deserted() {
            // no job is started any more, so there is nothing to wait for
            return;
        }
        front.fail(number, nodes);
        hold(down).await;
        front.repair(number, nodes);
    }
}
