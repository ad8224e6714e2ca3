//! A processor: its state, and the one place of each transition.
//!
//! ```text
//!              (1) requested             (2) switched
//!      Idle ────────────────▶ Requested ─────────────▶ Switching
//!      │ ▲ ◀──(3) none ready──────┘                    ▲      │
//!      │ │                                             │      │ (4) dispatched
//!      │ │                                             │      ▼
//!      │ └──────(5) the task leaves or makes room────────── Running
//!      └───────────────(2) after (5)───────────────────┘
//!
//!      any ──(6) interrupted──▶ interrupted from it ──(7) resumed──▶ the same
//! ```
//!
//! (1) is [`Processor::wake_if_idle`], (2) [`Processor::switch`], (3) [`Processor::idle`], (4)
//! [`Processor::dispatch`], (5) [`Processor::undispatch`], (6) and (7) [`Processor::in_kernel`]. A
//! switch that costs nothing is passed over. Every transition charges the time before it to what
//! the processor did, and to the task that ran.
//!
//! Work in the kernel's name (interrupt service, a look of the boost daemon, a decision of the
//! front end) interrupts the processor from whatever it does: the task's work, its quantum and a
//! switch in progress stand still meanwhile. One such at a time; others queue behind.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 3.2. Decision of our own: an
//! interrupt also stops a context switch, which is resumed afterwards.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::instrument::profile::{Account, Activity, Spent};
use crate::kernel::{Facility, Mailbox, Signal, SimDuration, SimTime, Work, hold, now};
use crate::node::app::task::Task;

use super::cpu::{Entering, TaskKey};
use super::node::Node;

/// The state of a processor towards the tasks of its node.
#[derive(Debug)]
enum CpuState {
    Idle,
    /// Idle, and its scheduler has been called to a ready task.
    Requested,
    /// The scheduler itself has it, for this.
    Switching(Activity),
    Running(Rc<Task>),
}

/// Preemption of the running task, which is to make room.
#[derive(Clone, Copy, Debug)]
pub(super) struct Preemption {
    /// The way in which it enters the run queue.
    pub(super) how: Entering,
    /// The task that is to run in its place, though of the same rank.
    pub(super) raised: Option<TaskKey>,
}

/// One processor of a node.
///
/// What every change of what it does touches lies together, at the beginning; thousands of them do
/// not fit a cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub(in crate::node) struct Processor {
    state: RefCell<CpuState>,
    /// The activity in the kernel's name, if it is interrupted from its state.
    interrupted: Cell<Option<Activity>>,
    /// The running task is to make room; while switching: the task that runs next is, if it is
    /// outranked.
    pub(super) preemption: Cell<Option<Preemption>>,
    /// True if a boost daemon looks after this processor.
    pub(in crate::node) has_daemon: Cell<bool>,
    /// Number of the processor on its node.
    cpu: u32,
    account: RefCell<Account>,
    pub(super) quantum: Work,
    /// The task that was dispatched last.
    pub(super) last: Cell<Option<TaskKey>>,
    /// A new slice begins: the cost of switching to it.
    pub(super) slice: Cell<Option<SimDuration>>,
    /// Calls the scheduler.
    pub(super) call: Signal,
    /// A switch in progress.
    switch: Work,
    /// The right to work in the kernel's name.
    kernel: Facility,
    /// Tasks that the network interface wants woken or raised.
    pub(in crate::node) interrupts: Mailbox<TaskKey>,
    /// A task spins while others are ready: the boost daemon is to look at its next period.
    pub(super) spinning: Signal,
}

impl Processor {
    /// Processor `cpu` of its node, called `index`.
    pub(super) fn new(cpu: usize, index: u32) -> Self {
        Processor {
            cpu: cpu as u32,
            state: RefCell::new(CpuState::Idle),
            interrupted: Cell::default(),
            preemption: Cell::default(),
            has_daemon: Cell::default(),
            account: RefCell::new(Account::new(now())),
            quantum: Work::limit(("quantum", index)),
            last: Cell::default(),
            slice: Cell::default(),
            call: Signal::new(("call", index)),
            switch: Work::new(("switch", index)),
            kernel: Facility::new(("kernel", index), 1),
            interrupts: Mailbox::new(("interrupts", index)),
            spinning: Signal::new(("spinning", index)),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        matches!(*self.state.borrow(), CpuState::Idle | CpuState::Requested)
    }

    /// Looks at the running task.
    #[inline]
    pub(super) fn running<R>(&self, look: impl FnOnce(&Rc<Task>) -> R) -> Option<R> {
        match &*self.state.borrow() {
            CpuState::Running(task) => Some(look(task)),
            _ => None,
        }
    }

    pub(super) fn running_key(&self) -> Option<TaskKey> {
        self.running(|task| task.key)
    }

    /// The use of its time, up to `now`.
    pub(in crate::node) fn spent(&self, now: SimTime) -> Spent {
        self.account.borrow().spent(now)
    }

    /// Charges the time up to now, after a change of what it does in its state.
    pub(in crate::node) fn charge(&self, node: &Node) {
        let state = self.state.borrow();
        self.charge_before(node, &state, &state);
    }

    /// Charges the time up to now to what the processor did and to the task that ran, as `before`
    /// has it, and finds out what it does from now on.
    #[inline]
    fn charge_before(&self, node: &Node, before: &CpuState, after: &CpuState) {
        let activity = match (self.interrupted.get(), after) {
            (Some(kernel), _) => kernel,
            (None, CpuState::Switching(activity)) => *activity,
            (None, CpuState::Running(task)) => task.doing.get().activity(),
            (None, _) if node.is_in_io() => Activity::IoWait,
            (None, _) => Activity::Idle,
        };
        let (activity, span) = self.account.borrow_mut().enter(activity, now());
        let task = match before {
            CpuState::Running(task) => Some(task),
            _ => None,
        };
        if let Some(task) = task
            && !span.is_zero()
        {
            task.charge(activity, span);
        }
        node.note(self.cpu, |timeline, processor| {
            let task = task.filter(|_| activity.is_of_one_task());
            let task = task.and_then(|task| Some((task.job.as_ref()?.id, task.rank)));
            timeline.spent(processor, (activity, span), task, now());
        });
    }

    /// Enters another state; gives the one before.
    #[inline]
    fn enter(&self, node: &Node, after: CpuState) -> CpuState {
        self.charge_before(node, &self.state.borrow(), &after);
        self.state.replace(after)
    }

    /// (1) Calls an idle processor to a ready task, if it has not been called yet; whether it picks
    /// one then.
    pub(super) fn wake_if_idle(&self) -> bool {
        let idle = matches!(*self.state.borrow(), CpuState::Idle);
        if idle {
            self.state.replace(CpuState::Requested);
            self.call.set();
        }
        idle
    }

    /// (2) Keeps the processor for `cost` that belongs to the scheduler itself, interrupts aside.
    pub(super) async fn switch(&self, node: &Node, activity: Activity, cost: SimDuration) {
        if cost.is_zero() {
            return;
        }
        self.enter(node, CpuState::Switching(activity));
        self.switch.set(cost);
        if self.interrupted.get().is_none() {
            self.switch.go();
        }
        self.switch.done().await;
        self.switch.pause();
    }

    /// (3) No task that it may run is ready.
    pub(super) fn idle(&self, node: &Node) {
        self.enter(node, CpuState::Idle);
    }

    /// (4) Puts a task on the processor; whether one has been raised while it was switching.
    pub(super) fn dispatch(&self, node: &Node, task: &Rc<Task>) -> bool {
        // a call for the task before does not concern this one, but a slice that has begun
        // meanwhile does
        self.call.clear();
        if self.slice.get().is_some() {
            self.call.set();
        }
        let quantum = node.with_ready(|ready| ready.quantum(task.key)).unwrap_or(SimDuration::MAX);
        self.quantum.set(quantum);
        self.last.set(Some(task.key));
        self.enter(node, CpuState::Running(Rc::clone(task)));
        task.dispatched();
        if self.interrupted.get().is_none() {
            self.resume(node, task);
        }
        if task.spins_without_message() {
            self.spin_begins(node);
        }
        self.preemption.take().is_some()
    }

    /// (5) Takes the running task off the processor, its time charged; the scheduler is not called.
    pub(super) fn undispatch(&self, node: &Node) -> Option<Rc<Task>> {
        let CpuState::Running(task) = self.enter(node, CpuState::Idle) else { return None };
        if self.interrupted.get().is_none() {
            task.stop();
            self.quantum.pause();
        }
        node.charge(&task);
        task.lost_processor();
        self.preemption.set(None);
        Some(task)
    }

    /// (5) The running task leaves the processor by itself.
    pub(in crate::node) fn leave(&self, node: &Node) {
        self.undispatch(node);
        self.call.set();
    }

    /// (6), (7) Works in the kernel's name for `cost`, after others that do.
    pub(in crate::node) async fn in_kernel(&self, node: &Node, activity: Activity, cost: SimDuration) {
        let kernel = self.kernel.reserve().await;
        if cost.is_zero() {
            return;
        }
        self.interrupted.set(Some(activity));
        self.running(|task| {
            task.stop();
            if node.keeps_time() {
                node.charge(task);
            }
        });
        self.quantum.pause();
        self.switch.pause();
        self.charge(node);
        hold(cost).await;
        self.interrupted.set(None);
        self.charge(node);
        match &*self.state.borrow() {
            CpuState::Switching(_) => self.switch.go(),
            CpuState::Running(task) => self.resume(node, task),
            CpuState::Idle | CpuState::Requested => {}
        }
        drop(kernel);
    }

    /// The running task goes on.
    fn resume(&self, node: &Node, task: &Task) {
        node.timed(|ready| ready.resumes(task.key));
        task.resume();
        self.quantum.go();
    }

    /// The running task is to make room, and to enter the run queue so.
    pub(in crate::node) fn preempt(&self, how: Entering) {
        let raised = self.preemption.get().and_then(|preemption| preemption.raised);
        self.preemption.set(Some(Preemption { how, raised }));
        self.call.set();
    }

    /// The running task is to make room for one that has been raised.
    pub(super) fn preempt_for(&self, raised: TaskKey) {
        self.preemption.set(Some(Preemption { how: Entering::Displaced, raised: Some(raised) }));
        self.call.set();
    }

    /// A task has been raised: while it is switching, the one that runs next is to make room if it
    /// is outranked.
    pub(super) fn preempt_next(&self) {
        if matches!(*self.state.borrow(), CpuState::Switching(_)) {
            self.preemption.set(Some(Preemption { how: Entering::Preempted, raised: None }));
        }
    }

    /// Assigns it to a task in the middle of a slice: any other that runs makes room.
    pub(in crate::node) fn assigned(&self, task: TaskKey) {
        match self.running_key() {
            Some(running) if running != task => self.preempt(Entering::Preempted),
            Some(_) => {}
            None => self.call.set(),
        }
    }

    /// A slice begins: the running task makes room, and after the switch the assigned one runs.
    pub(super) fn begin_slice(&self, cost: SimDuration) {
        self.slice.set(Some(cost));
        self.call.set();
    }

    /// The run queue has got another task while one runs here.
    pub(super) fn task_is_ready(&self) {
        let spins = self.running(|task| {
            task.other_is_ready();
            task.spins_without_message()
        });
        if spins == Some(true) && self.has_daemon.get() {
            self.spinning.set();
        }
    }

    /// The running task begins to spin.
    pub(in crate::node) fn spin_begins(&self, node: &Node) {
        if self.has_daemon.get() && node.with_ready(|ready| !ready.is_empty()) {
            self.spinning.set();
        }
    }
}
