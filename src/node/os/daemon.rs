//! The boost daemon of a processor: looks, period by period, whether a task spins in vain while another could work.
//!
//! A daemon that looks at every period of its own would cost an event each even if everything computes. This one is armed
//! only while the running task spins in vain and others are ready; it then looks at the very instants at which the other
//! would, and a look that finds useful work under way costs nothing in the model either.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 4.2.2 (third technique, figure 7b).

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::instrument::profile::Activity;
use crate::kernel::{SimDuration, SimTime, now, settle_after};

use super::cpu::{Entering, TaskKey};
use super::node::{Node, next_multiple};
use super::periodic::{Candidate, PeriodicAction};
use super::processor::Processor;

/// The daemon of one processor.
#[derive(Debug)]
pub(in crate::node) struct Daemon {
    pub(in crate::node) node: Rc<Node>,
    /// Which processor of its node it looks after.
    pub(in crate::node) cpu: usize,
    pub(in crate::node) action: Rc<dyn PeriodicAction>,
    pub(in crate::node) period: SimDuration,
    /// Its looks fall at whole periods after this [ns].
    pub(in crate::node) phase: u64,
}

impl Daemon {
    /// The first instant of a look from `from` on.
    pub(in crate::node) fn next_look(&self, from: SimTime) -> SimTime {
        next_multiple(self.period.as_nanos(), self.phase, from)
    }
}

/// Its process.
pub(in crate::node) async fn boost(daemon: Daemon) {
    let processor = &daemon.node.cpus[daemon.cpu];
    let mut earliest = SimTime::ZERO;
    let mut seen = Seen::default();
    loop {
        processor.spinning.wait().await;
        while has_reason(&daemon.node, processor) {
            let instant = daemon.next_look(now().max(earliest));
            settle_after(instant.since(now())).await;
            earliest = instant.saturating_add(SimDuration::from_nanos(1));
            if !has_reason(&daemon.node, processor) {
                break;
            }
            if look(&daemon.node, processor, daemon.action.as_ref(), &mut seen).await {
                break;
            }
        }
    }
}

/// Looks over the ready tasks, and lets the one that the action names run; whether there is one.
pub(in crate::node) async fn look(
    node: &Node,
    processor: &Processor,
    action: &dyn PeriodicAction,
    seen: &mut Seen,
) -> bool {
    processor.in_kernel(node, Activity::Scheduler, node.params.boost_cost).await;
    if !has_reason(node, processor) {
        return false;
    }
    let Some(chosen) = seen.choose(node, action) else { return false };
    let ready = node.with_ready(|ready| {
        let was_ready = ready.remove(chosen);
        if was_ready {
            ready.enter(chosen, Entering::Boosted);
        }
        was_ready
    });
    if ready {
        if let Some(job) = node.task(chosen).and_then(|task| task.job.clone()) {
            job.boosted();
        }
        processor.replace(Entering::Displaced);
    }
    ready
}

/// Whether the running task spins in vain while others are ready.
pub(in crate::node) fn has_reason(node: &Node, processor: &Processor) -> bool {
    processor.running().is_some_and(|task| task.spins_in_vain()) && node.with_ready(|ready| !ready.is_empty())
}

/// The ready tasks that a look has seen; kept from one to the next, so that a look does not allocate.
#[derive(Default)]
pub(in crate::node) struct Seen {
    keys: Vec<TaskKey>,
    candidates: Vec<Candidate>,
}

impl Seen {
    /// Which ready task the action wants to run.
    fn choose(&mut self, node: &Node, action: &dyn PeriodicAction) -> Option<TaskKey> {
        self.keys.clear();
        self.candidates.clear();
        let tasks = node.tasks();
        node.with_ready(|ready| {
            ready.scan(&mut |key| {
                if let Some(task) = tasks.get(key) {
                    self.keys.push(key);
                    let waits = task.doing.get().is_spin();
                    self.candidates.push(Candidate {
                        waits,
                        message_there: waits && !task.spins_in_vain(),
                        unconsumed: task.unconsumed(),
                    });
                }
                ControlFlow::Continue(())
            });
        });
        action.choose(&self.candidates).map(|place| self.keys[place])
    }
}
