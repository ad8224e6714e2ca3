//! The processes of a processor: its CPU scheduler, the paper's `DoScheduler`, and its interrupt
//! service.
//!
//! The scheduler sleeps while a task runs and is called when the task's quantum is over, when the
//! task leaves the processor by itself, and when another is to run; a timer tick that changes
//! nothing never happens. The end of a task's compute phase does not call it: the task's own
//! process waits for its work, which goes on while the task runs.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 3.2. Decisions of our own: the cost
//! of a switch is paid if the task is not the one that ran there last, and the first dispatch ever
//! is free. The switch to a slice is paid in place of that to the task that runs first in it, and
//! counts as one if another ran there before.

use std::mem::take;
use std::rc::Rc;

use crate::instrument::profile::Activity;
use crate::kernel::{Either, race};
use crate::node::app::task::{State, Task};

use super::cpu::Entering;
use super::node::{CpuRequest, Node};
use super::processor::{Preemption, Processor};

/// The scheduler of processor `cpu` of a node.
pub(in crate::node) async fn schedule(node: Rc<Node>, cpu: usize) {
    let processor = &node.cpus[cpu];
    let (mut slice_paid, mut put_back) = (false, false);
    loop {
        while let Some(cost) = processor.slice.take() {
            processor.switch(&node, Activity::Switch, cost).await;
            slice_paid = true;
        }
        let Some(task) = pick(&node, cpu) else {
            processor.idle(&node);
            processor.call.wait().await;
            continue;
        };
        // the task that was put back, or the last one with a queue of its own, may be left for
        // another processor
        if take(&mut put_back) || node.params.own_queues {
            node.arm_tick_for_others();
        }
        switch_to(&node, processor, &task, take(&mut slice_paid)).await;
        let how = run_until_preempted(&node, processor, &task).await;
        put_back = how.is_some_and(|how| enter_again(&node, processor, how));
    }
}

/// The task that a processor runs next.
fn pick(node: &Node, cpu: usize) -> Option<Rc<Task>> {
    let key = node.with_ready(|ready| ready.pick(cpu))?;
    let task = node.task(key).expect("a ready task is on its node");
    task.state.set(State::Running);
    task.cpu.set(cpu as u32);
    Some(task)
}

/// Pays for the switch to a task: from another one, for the run queue, and for what of its memory
/// is not there.
async fn switch_to(node: &Node, processor: &Processor, task: &Task, slice_paid: bool) {
    if processor.last.get().is_some_and(|last| last != task.key) {
        task.count(|counts| counts.switches += 1);
        if !slice_paid {
            processor.switch(node, Activity::Switch, node.params.context_switch).await;
        }
    }
    processor.switch(node, Activity::Scheduler, node.params.queue_operation).await;
    processor.switch(node, Activity::Paging, node.paging(task)).await;
}

/// Runs a task until it has left, `None`, or is to enter the run queue again.
async fn run_until_preempted(node: &Node, processor: &Processor, task: &Rc<Task>) -> Option<Entering> {
    let raised = processor.dispatch(node, task);
    node.arm_preemption(processor, raised);
    loop {
        match race(processor.call.wait(), processor.quantum.done()).await {
            Either::Right(()) => return Some(Entering::Expired),
            Either::Left(()) => {}
        }
        processor.running_key()?;
        if processor.slice.get().is_some() {
            return Some(Entering::Preempted);
        }
        if let Some(Preemption { how, .. }) = processor.preemption.get() {
            // a quantum that is used up at this very instant has been used up
            let loses = matches!(how, Entering::Preempted | Entering::Displaced);
            let used_up = loses && processor.quantum.left().is_zero();
            return Some(if used_up { Entering::Expired } else { how });
        }
    }
}

/// The running task enters the run queue again; whether one ran.
fn enter_again(node: &Node, processor: &Processor, how: Entering) -> bool {
    let raised = processor.preemption.get().and_then(|preemption| preemption.raised);
    let Some(task) = processor.undispatch(node) else { return false };
    task.state.set(State::Ready);
    node.with_ready(|ready| {
        ready.enter(task.key, how);
        // of equal rank, the raised one goes before the one that made room for it
        if let Some(raised) = raised
            && ready.remove(raised)
        {
            ready.enter(raised, Entering::Boosted);
        }
    });
    true
}

/// The interrupt service of a processor: wakes or boosts tasks in the name of the network
/// interface.
pub(in crate::node) async fn serve_interrupts(node: Rc<Node>, cpu: usize) {
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
