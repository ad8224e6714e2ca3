//! The network interface: sends what tasks have queued, and deposits what comes for them.
//!
//! One process stands for the whole card (`DoNIC`). It sleeps until something is queued, sends that
//! with one DMA after the other, and then deposits what has come meanwhile; an interface that has
//! nothing to send deposits at once. The operating system is bypassed in both directions: a message
//! lands in its task's memory whether that runs or not. Only if the task is blocked, or if the
//! scheme wants it raised, is an interrupt raised.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 3.2 (figure 4) and 4.2.2 (figure
//! 7a). The check of the task's status overlaps with other work and costs nothing, as there.
//! Deviation: interrupts for a task that has one pending already are coalesced with it.

use std::rc::Rc;

use crate::kernel::hold;
use crate::node::app::task::{Message, State, Task};
use crate::node::cluster_state::{Carried, ClusterState, Parcel};
use crate::node::os::arrival::{Arrival, ArrivalAction, Reaction};
use crate::node::os::node::{Nic, Node};

impl Nic {
    /// Queues a message for sending.
    pub(in crate::node) fn post(&self, message: Message) {
        self.outgoing.borrow_mut().push_back(message);
        if !self.sending.get() {
            self.sending.set(true);
            self.posted.set();
        }
    }
}

/// The process of the network interface of `node`.
pub(in crate::node) async fn serve(cluster: Rc<ClusterState>, node: Rc<Node>) {
    let nic = &node.nic;
    let carried = Carried(Rc::clone(&cluster));
    loop {
        nic.posted.wait().await;
        loop {
            let next = nic.outgoing.borrow_mut().pop_front();
            if let Some(message) = next {
                hold(cluster.dma(node.index, message.size)).await;
                cluster.carrier.enter(&carried, Parcel { from: node.index, message });
                continue;
            }
            let come = nic.incoming.borrow_mut().pop_front();
            let Some(message) = come else { break };
            deposit(&node, &message, cluster.arrival.as_ref());
        }
        // from the beginning of its room again, which is in the cache
        nic.outgoing.borrow_mut().clear();
        nic.sending.set(false);
    }
}

/// A message has come to its node.
pub(super) fn receive(cluster: &ClusterState, parcel: Parcel) {
    let message = parcel.message;
    let node = &cluster.nodes[message.to as usize];
    if node.nic.sending.get() {
        node.nic.incoming.borrow_mut().push_back(message);
    } else {
        deposit(node, &message, cluster.arrival.as_ref());
    }
}

/// Puts a message into the memory of its task, and raises an interrupt if there is reason to.
fn deposit(node: &Node, message: &Message, action: &dyn ArrivalAction) {
    node.count_arrival();
    let task = &*message.task;
    let awaited = task.deposit(message.sender);
    match task.state.get() {
        State::Running if awaited && task.is_going() => task.wake(),
        State::Blocked if awaited => raise(node, task),
        State::Ready => {
            let arrival = Arrival { awaited, unconsumed: task.unconsumed() };
            if action.on(&arrival) == Reaction::Boost {
                raise(node, task);
            }
        }
        State::Running | State::Blocked | State::IoWait | State::Done => {}
    }
}

/// Raises an interrupt for a task.
fn raise(node: &Node, task: &Task) {
    if !task.interrupt_pending.replace(true) {
        node.interrupted_cpu(task).interrupts.send(task.key);
    }
}
