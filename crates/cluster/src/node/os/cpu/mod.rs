//! CPU schedulers: the order in which the ready tasks of a node run.
//!
//! A [`RunQueue`] is pure: it holds the tasks that are ready, answers which is next and for how
//! long, and whether one of them should take the processor from the task that runs. A
//! [`TimedQueue`] also keeps account of time. The processes that carry it out (schedulers of
//! processors, the interrupt service, the clock) are the same for all. A task that runs, waits or
//! is blocked is not in the queue.

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

/// The way in which a task becomes ready.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entering {
    /// Started for the first time.
    New,
    /// Woken: its I/O is over, or the event that it was blocked for has come.
    Woken,
    /// Preempted by one of higher rank; its quantum is not used up.
    Preempted,
    /// At the end of its quantum.
    Expired,
    /// Yielded by itself, to another ready task.
    Yielded,
    /// Raised to the front by a message or the boost daemon, while ready.
    Boosted,
    /// Displaced while it ran: another was boosted over it.
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

    /// Time for which a picked task may run before others are dispatched; `None` if unlimited.
    fn quantum(&self, task: TaskKey) -> Option<SimDuration>;

    /// Charges a running task for `span` since it was picked or last charged: before it enters
    /// again, and, if the queue is a [`TimedQueue`], whenever the task stands still.
    fn ran(&mut self, task: TaskKey, span: SimDuration);

    /// Returns true if a ready task has higher rank than `running`.
    fn outranks(&self, running: TaskKey) -> bool;

    /// Returns true if the first ready task, boosted now, is to run in place of `running`, which
    /// spins. An equal rank is enough: else a task that does nothing could keep out one whose
    /// partner runs.
    fn boosted_outranks(&self, running: TaskKey) -> bool {
        self.outranks(running)
    }

    /// Rank of a running task, greater if higher: the lowest that a task outranks makes room.
    fn rank(&self, running: TaskKey) -> i128 {
        let _ = running;
        0
    }

    /// Number of ready tasks.
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

/// A run queue that keeps account of time: of shares that tasks have had, or budgets left to them.
pub trait TimedQueue: RunQueue {
    /// Sets the present instant, before any other call in it, and changes the order by time alone.
    fn at(&mut self, now: SimTime);

    /// Reserves a share for a task that has not been ready yet; by itself that changes no order.
    fn reserve(&mut self, task: TaskKey, of: Reservation) {
        let _ = (task, of);
    }

    /// A task that was picked goes on from now, until [`RunQueue::ran`] says for how long.
    fn resumes(&mut self, task: TaskKey);

    /// A running task, its time charged before, waits or is blocked: it competes when woken.
    fn sleeps(&mut self, task: TaskKey);

    /// Instant at which time alone next changes something, such as a budget that is full again.
    fn next_raise(&mut self) -> Option<SimTime> {
        None
    }
}

/// Makes the run queues of nodes.
pub trait CpuScheduler: fmt::Debug {
    /// The empty run queue of a node.
    fn run_queue(&self) -> Box<dyn RunQueue>;

    /// Returns true if its run queues, then [`TimedQueue`]s, keep shares that tasks reserve.
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
