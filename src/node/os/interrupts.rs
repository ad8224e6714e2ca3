//! The interrupt service of a processor: wakes or boosts tasks in the name of the network interface.

use std::rc::Rc;

use crate::instrument::profile::Activity;
use crate::node::app::task::State;

use super::cpu::Entering;
use super::node::{CpuRequest, Node};

/// Its process.
pub(in crate::node) async fn service(node: Rc<Node>, cpu: usize) {
    let processor = &node.cpus[cpu];
    loop {
        let key = processor.interrupts.receive().await;
        processor.in_kernel(&node, Activity::Interrupt, node.params.interrupt).await;
        let Some(task) = node.task(key) else { continue };
        task.interrupt_pending.set(false);
        task.count(|counts| counts.interrupts += 1);
        match task.state.get() {
            State::Blocked => node.make_ready(&task, Entering::Woken, CpuRequest::Woken),
            State::Ready => {
                if node.boost(&task) {
                    node.request_cpu(key, CpuRequest::Boosted);
                }
            }
            State::Running | State::IoWait | State::Done => {}
        }
    }
}
