//! The boost daemon of a processor: looks, period by period, whether a task spins without a message
//! while another could work.
//!
//! A daemon that looks at every period of its own would cost an event each even if everything
//! computes. This one is armed only while the running task spins without a message and others are
//! ready; it then looks at the very instants at which the other would, and a look that finds useful
//! work in progress costs nothing in the model either.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 4.2.2 (third technique, figure 7b).

use std::ops::ControlFlow;
use std::rc::Rc;

use crate::instrument::profile::Activity;
use crate::kernel::{SimDuration, SimTime, now, settle_after};

use super::clock::next_multiple;
use super::cpu::{Entering, TaskKey};
use super::node::Node;
use super::periodic::{Candidate, PeriodicAction};
use super::processor::Processor;

/// The daemon of one processor.
#[doc(hidden)]
#[derive(Debug)]
pub struct Daemon {
    node: Rc<Node>,
    /// Processor of its node that it looks after.
    cpu: usize,
    action: Rc<dyn PeriodicAction>,
    period: SimDuration,
    /// Looks fall at whole periods after this [ns].
    phase: u64,
    /// The ready tasks that a look has seen; kept from one to the next, so that a look does not
    /// allocate.
    seen: (Vec<TaskKey>, Vec<Candidate>),
}

impl Daemon {
    pub(in crate::node) fn new(
        (node, cpu): (&Rc<Node>, usize),
        action: &Rc<dyn PeriodicAction>,
        period: SimDuration,
        phase: u64,
    ) -> Self {
        node.cpus[cpu].has_daemon.set(true);
        let (node, action) = (Rc::clone(node), Rc::clone(action));
        Daemon { node, cpu, action, period, phase, seen: Default::default() }
    }

    /// Waits until the running task spins while others are ready.
    pub async fn armed(&self) {
        self.processor().spinning.wait().await;
    }

    /// The first instant of a look from `from` on.
    pub fn next_look(&self, from: SimTime) -> SimTime {
        next_multiple(self.period.as_nanos(), self.phase, from)
    }

    /// Returns true if the running task spins without a message while others are ready.
    pub fn has_reason(&self) -> bool {
        let spins = self.processor().running(|task| task.spins_without_message());
        spins == Some(true) && self.node.with_ready(|ready| !ready.is_empty())
    }

    /// Looks over the ready tasks, and lets the one that the action names run; whether there is
    /// one.
    pub async fn look(&mut self) -> bool {
        self.processor().in_kernel(&self.node, Activity::Scheduler, self.node.params.boost_cost).await;
        if !self.has_reason() {
            return false;
        }
        let chosen = self.choose().and_then(|key| self.node.task(key));
        let boosted = chosen.is_some_and(|task| self.node.boost(&task));
        if boosted {
            self.processor().preempt(Entering::Displaced);
        }
        boosted
    }

    fn processor(&self) -> &Processor {
        &self.node.cpus[self.cpu]
    }

    /// Ready task that the action wants to run.
    fn choose(&mut self) -> Option<TaskKey> {
        let (keys, candidates) = &mut self.seen;
        keys.clear();
        candidates.clear();
        let tasks = self.node.tasks();
        self.node.with_ready(|ready| {
            ready.scan(&mut |key| {
                if let Some(task) = tasks.get(key) {
                    keys.push(key);
                    let waits = task.doing.get().is_spin();
                    let message_there = waits && !task.spins_without_message();
                    candidates.push(Candidate { waits, message_there, unconsumed: task.unconsumed() });
                }
                ControlFlow::Continue(())
            });
        });
        self.action.choose(candidates).map(|place| keys[place])
    }
}

/// Process.
pub(in crate::node) async fn boost(mut daemon: Daemon) {
    let mut earliest = SimTime::ZERO;
    loop {
        daemon.armed().await;
        while daemon.has_reason() {
            let instant = daemon.next_look(now().max(earliest));
            settle_after(instant.since(now())).await;
            earliest = instant.saturating_add(SimDuration::from_nanos(1));
            if !daemon.has_reason() || daemon.look().await {
                break;
            }
        }
    }
}
