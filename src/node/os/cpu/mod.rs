//! CPU schedulers: the order in which the ready tasks of a node run.
//!
//! A [`RunQueue`] is pure: it holds the tasks that are ready and could run, answers which is next and for how long, and
//! whether one of them should take the processor from the task that runs. One that keeps account of time is a [`TimedQueue`]
//! as well. The processes that carry it out (the scheduler of each processor, the interrupt service, the clock) are the same
//! for all. A task that runs is not in the queue; a task that waits for I/O or is blocked is not either.

mod fair;
mod gang;
mod per_processor;
mod round_robin;
mod solaris;
mod two_level;

use std::fmt;
use std::ops::ControlFlow;

use slotmap::new_key_type;

use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Entry, Table};

pub(in crate::node) use gang::Gang;
pub(in crate::node) use per_processor::PerProcessor;
pub use two_level::Reservation;

new_key_type! {
    /// A task on its node.
    pub struct TaskKey;
}

/// How a task comes to be ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entering {
    /// It has just been started.
    New,
    /// Its I/O is over, or what it was blocked for has come.
    Woken,
    /// It ran and was preempted by one of higher rank; its quantum is not used up.
    Preempted,
    /// Its quantum is used up.
    Expired,
    /// It gave the processor away by itself, to another ready task.
    Yielded,
    /// It was ready, and a message or the boost daemon raises it to the front.
    Boosted,
    /// It ran, and another was boosted over it.
    Displaced,
}

/// The ready tasks of a node, in the order in which they run: what every run queue says.
pub trait RunQueue: fmt::Debug {
    /// Takes in a task.
    fn enter(&mut self, task: TaskKey, how: Entering);

    /// Takes out the task that processor `cpu` of the node is to run now.
    fn pick(&mut self, cpu: usize) -> Option<TaskKey>;

    /// Takes out this task; whether it was there.
    fn remove(&mut self, task: TaskKey) -> bool;

    /// Takes out this task, which is to run now though another may be first.
    fn take(&mut self, task: TaskKey) {
        self.remove(task);
    }

    /// How long a task that was picked may run before others are dispatched; `None`: without limit.
    fn quantum(&self, task: TaskKey) -> Option<SimDuration>;

    /// A running task has run for `span` since it was picked or last charged. Comes before it enters again, and, if the
    /// queue is a [`TimedQueue`], whenever the task stands still.
    fn ran(&mut self, task: TaskKey, span: SimDuration);

    /// Returns true if a ready task has higher rank than `running`.
    fn outranks(&self, running: TaskKey) -> bool;

    /// Returns true if the first of the ready tasks, just boosted, is to run in place of `running`, which spins. Where ranks can be
    /// equal, an equal one is enough: strict rank would let a task that does nothing keep out one whose partner runs just now.
    fn boosted_outranks(&self, running: TaskKey) -> bool {
        self.outranks(running)
    }

    /// The rank of a running task, greater if higher: of several that a ready task outranks, the lowest makes room.
    fn rank(&self, running: TaskKey) -> i128 {
        let _ = running;
        0
    }

    /// How many tasks are ready.
    fn len(&self) -> usize;

    /// Returns true if none is.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shows the ready tasks in the order in which they would run, until `look` has seen enough.
    fn scan(&self, look: &mut dyn FnMut(TaskKey) -> ControlFlow<()>);

    /// A task has ended, or left the node, and is not in the queue: it will not come back.
    fn forget(&mut self, task: TaskKey);

    /// The same queue, if it keeps account of time: every [`TimedQueue`] overrides it.
    fn timed(&mut self) -> Option<&mut dyn TimedQueue> {
        None
    }
}

/// A run queue that keeps account of time: of shares that tasks have had, or of budgets that they have left.
pub trait TimedQueue: RunQueue {
    /// The present instant, before any other call in it; where time alone changes the order, it does so now.
    fn at(&mut self, now: SimTime);

    /// A task that has not been ready yet asks for a share. By itself that changes nothing: it competes as any other.
    fn reserve(&mut self, task: TaskKey, of: Reservation) {
        let _ = (task, of);
    }

    /// A task that was picked goes on from the present instant, until [`RunQueue::ran`] says for how long.
    fn resumes(&mut self, task: TaskKey);

    /// A running task, its time charged before, waits for I/O or is blocked: it competes no more until it is woken.
    fn sleeps(&mut self, task: TaskKey);

    /// When the passing of time alone next changes something, such as a budget that is full again.
    fn next_raise(&mut self) -> Option<SimTime> {
        None
    }
}

/// Makes the run queues of nodes.
pub trait CpuScheduler: fmt::Debug {
    /// The empty run queue of a node.
    fn run_queue(&self) -> Box<dyn RunQueue>;

    /// Returns true if its run queues keep the shares that tasks reserve: they are then [`TimedQueue`]s.
    fn keeps_reservations(&self) -> bool {
        false
    }
}

/// The CPU schedulers by name.
pub fn table() -> Table<dyn CpuScheduler> {
    const ENTRIES: &[Entry<dyn CpuScheduler>] =
        &[fair::ENTRY, round_robin::ENTRY, solaris::ENTRY, two_level::ENTRY];
    Table::new("cpu-scheduler", "which ready task of a node runs next, and for how long", ENTRIES)
}
