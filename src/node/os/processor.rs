//! A processor: who runs on it, what it does at every instant, and the process that schedules it.
//!
//! [`schedule`] is the CPU scheduler process of the paper (`DoScheduler`). It sleeps while a task runs and is called when
//! the task's quantum is over, when the task leaves the processor by itself, and when somebody else is to run; a timer
//! tick that changes nothing never happens. The end of a task's compute phase does not call it: the task's own process
//! waits for its work, which goes on while the task runs.
//!
//! Work done in the kernel's name (interrupt service, a boost daemon's look, a front end's decision) *seizes* the processor:
//! the task's work, its quantum and a switch under way stand still meanwhile. One such at a time; others queue behind.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 3.2. Decisions of our own: an interrupt also stops a context
//! switch, which goes on afterwards; the cost of a switch is paid if the task is not the one that ran there last, and
//! the first dispatch ever is free. The switch to a slice is paid in place of that to the task that runs first in it, and
//! counts as one if another ran there before.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use crate::instrument::profile::{Account, Activity, Spent};
use crate::kernel::{
    Either, Facility, Signal, SimDuration, SimTime, Work, hold, now, race, settle, settle_after,
};

use super::cpu::{Entering, TaskKey};
use super::node::{Claim, Node};
use crate::node::app::task::{Doing, State, Task};

/// One processor of a node.
///
/// What every change of what it does touches lies together, at the beginning; thousands of them do not fit a cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub(in crate::node) struct Processor {
    running: RefCell<Option<Rc<Task>>>,
    /// What is done in the kernel's name, if anything.
    seized: Cell<Option<Activity>>,
    switching: Cell<Option<Activity>>,
    /// How the running task is to be replaced.
    replace: Cell<Option<Entering>>,
    /// Whether the switch to a slice stands for the one to whoever runs first in it.
    prepaid: Cell<bool>,
    /// Whether it is idle and has been called to somebody ready.
    called: Cell<bool>,
    /// Whether the interrupt service has raised somebody while a switch was under way.
    pub(in crate::node) raised: Cell<bool>,
    /// Whether a boost daemon looks after this processor.
    pub(in crate::node) has_daemon: Cell<bool>,
    /// Which processor of its node it is.
    cpu: u32,
    account: RefCell<Account>,
    quantum: Work,
    /// Who ran here last.
    last: Cell<Option<TaskKey>>,
    /// Who is to run in its place, though of the same rank.
    raised_task: Cell<Option<TaskKey>>,
    /// A new slice begins: the cost of switching to it.
    slice: Cell<Option<SimDuration>>,
    /// Calls the scheduler.
    pub(in crate::node) call: Signal,
    /// A switch under way.
    switch: Work,
    /// Whoever works in the kernel's name has it.
    kernel: Facility,
    /// There is another interrupt …
    interrupted: Signal,
    /// … for one of the tasks that the network interface wants woken or raised, in order.
    interrupts: RefCell<VecDeque<TaskKey>>,
    /// A task spins beside ready ones: the boost daemon is to look at its next period.
    pub(in crate::node) spinning: Signal,
}

impl Processor {
    /// Processor `cpu` of its node, called `index`.
    pub(in crate::node) fn new(cpu: usize, index: u32) -> Self {
        Processor {
            cpu: cpu as u32,
            call: Signal::new(("call", index)),
            spinning: Signal::new(("spinning", index)),
            interrupts: RefCell::default(),
            interrupted: Signal::new(("interrupts", index)),
            running: RefCell::default(),
            last: Cell::default(),
            prepaid: Cell::default(),
            called: Cell::default(),
            raised: Cell::default(),
            replace: Cell::default(),
            raised_task: Cell::default(),
            slice: Cell::default(),
            seized: Cell::default(),
            kernel: Facility::new(("kernel", index), 1),
            quantum: Work::limit(("quantum", index)),
            switch: Work::new(("switch", index)),
            switching: Cell::default(),
            has_daemon: Cell::default(),
            account: RefCell::new(Account::new(now())),
        }
    }

    /// The network interface wants a task woken or raised.
    pub(in crate::node) fn interrupt(&self, task: TaskKey) {
        self.interrupts.borrow_mut().push_back(task);
        self.interrupted.give();
    }

    /// The next task that the network interface wants woken or raised.
    async fn next_interrupt(&self) -> TaskKey {
        loop {
            let next = self.interrupts.borrow_mut().pop_front();
            match next {
                Some(task) => return task,
                None => self.interrupted.wait().await,
            }
        }
    }

    /// Whether nobody runs, and nobody is being switched to.
    pub(in crate::node) fn is_idle(&self) -> bool {
        self.switching.get().is_none() && self.running.borrow().is_none()
    }

    /// Calls it to somebody ready, if it is idle and has not been called before; whether it comes.
    pub(in crate::node) fn comes(&self) -> bool {
        let comes = self.is_idle() && !self.called.get();
        if comes {
            self.called.set(true);
            self.call.set();
        }
        comes
    }

    /// Whether a switch is under way.
    pub(in crate::node) fn is_switching(&self) -> bool {
        self.switching.get().is_some()
    }

    pub(in crate::node) fn running(&self) -> Option<Rc<Task>> {
        self.running.borrow().clone()
    }

    pub(in crate::node) fn running_key(&self) -> Option<TaskKey> {
        self.running.borrow().as_ref().map(|task| task.key)
    }

    pub(in crate::node) fn running_doing(&self) -> Option<Doing> {
        self.running.borrow().as_ref().map(|task| task.doing.get())
    }

    /// Where its time went, up to `now`.
    pub(in crate::node) fn spent(&self, now: SimTime) -> Spent {
        self.account.borrow().spent(now)
    }

    /// Charges the time up to now to what the processor did and to who ran, and finds out what it does from now on.
    ///
    /// Called after every change of what it does, and before as well if who runs is to change.
    pub(in crate::node) fn reckon(&self, node: &Node) {
        let running = self.running.borrow();
        let activity = match (self.seized.get(), self.switching.get(), running.as_deref()) {
            (Some(seized), ..) => seized,
            (None, Some(switching), _) => switching,
            (None, None, Some(task)) => task.doing.get().activity(),
            (None, None, None) if node.is_in_io() => Activity::IoWait,
            (None, None, None) => Activity::Idle,
        };
        let (before, span) = self.account.borrow_mut().enter(activity, now());
        if !span.is_zero()
            && let Some(task) = running.as_deref()
        {
            task.charge(before, span);
        }
        node.note(self.cpu as usize, |timeline, processor| {
            let task = running.as_deref().filter(|_| before.is_of_one_task());
            let task = task.and_then(|task| Some((task.job.as_ref()?.id, task.rank)));
            timeline.spent(processor, (before, span), task, now());
        });
    }

    /// The running task is to make room, and to enter the run queue so.
    pub(in crate::node) fn replace(&self, how: Entering) {
        self.replace.set(Some(how));
        self.call.set();
    }

    /// The running task is to make room for one that has been raised.
    pub(in crate::node) fn replace_by(&self, raised: TaskKey) {
        self.raised_task.set(Some(raised));
        self.replace(Entering::Displaced);
    }

    /// It has been assigned to a task in the middle of a slice: whoever else runs makes room.
    pub(in crate::node) fn assigned(&self, task: TaskKey) {
        match self.running_key() {
            Some(running) if running != task => self.replace(Entering::Preempted),
            Some(_) => {}
            None => self.call.set(),
        }
    }

    /// A slice begins: whoever runs makes room, and after the switch whoever is assigned runs.
    pub(in crate::node) fn begin_slice(&self, cost: SimDuration) {
        self.slice.set(Some(cost));
        self.call.set();
    }

    /// The run queue has got another task while one runs here.
    pub(in crate::node) fn somebody_is_ready(&self) {
        let spins = self.running.borrow().as_ref().is_some_and(|task| {
            if task.would_yield.get() {
                task.wake();
            }
            task.spins_in_vain()
        });
        if spins && self.has_daemon.get() {
            self.spinning.set();
        }
    }

    /// The running task begins to spin.
    pub(in crate::node) fn spin_begins(&self, node: &Node) {
        if self.has_daemon.get() && node.with_ready(|ready| !ready.is_empty()) {
            self.spinning.set();
        }
    }

    /// Takes the running task off the processor, told of its time; the scheduler is not called.
    fn take(&self, node: &Node) -> Option<Rc<Task>> {
        self.reckon(node);
        let task = self.running()?;
        let going = self.seized.get().is_none();
        if going {
            task.stop();
            self.quantum.pause();
        }
        node.tell(&task);
        self.running.take();
        task.would_yield.set(false);
        self.last.set(Some(task.key));
        Some(task)
    }

    /// The running task leaves the processor by itself.
    pub(in crate::node) fn leave(&self, node: &Node) {
        self.take(node);
        self.reckon(node);
        self.call.set();
    }

    /// Works in the kernel's name for `cost`, once nobody else does.
    pub(in crate::node) async fn in_kernel(&self, node: &Node, activity: Activity, cost: SimDuration) {
        let turn = self.kernel.reserve().await;
        if cost.is_zero() {
            return;
        }
        self.seized.set(Some(activity));
        if let Some(task) = &*self.running.borrow() {
            task.stop();
            if node.keeps_time() {
                node.tell(task);
            }
        }
        self.quantum.pause();
        self.switch.pause();
        self.reckon(node);
        hold(cost).await;
        self.seized.set(None);
        self.reckon(node);
        if self.switching.get().is_some() {
            self.switch.go();
        } else if let Some(task) = &*self.running.borrow() {
            goes(node, task);
            task.go();
            self.quantum.go();
        }
        drop(turn);
    }

    /// Keeps the processor for `cost` that belongs to the scheduler itself, interrupts aside.
    async fn switch(&self, node: &Node, activity: Activity, cost: SimDuration) {
        if cost.is_zero() {
            return;
        }
        self.switching.set(Some(activity));
        self.reckon(node);
        self.switch.set(cost);
        if self.seized.get().is_none() {
            self.switch.go();
        }
        self.switch.done().await;
        self.switch.pause();
        self.switching.set(None);
        self.reckon(node);
    }

    fn run(&self, node: &Node, task: &Rc<Task>) {
        self.reckon(node);
        // what was wanted of the one before does not concern this one, but a slice that has begun meanwhile does
        self.replace.set(None);
        self.raised_task.set(None);
        self.call.clear();
        if self.slice.get().is_some() {
            self.call.set();
        }
        let going = self.seized.get().is_none();
        let quantum = node.with_ready(|ready| ready.quantum(task.key)).unwrap_or(SimDuration::MAX);
        self.quantum.set(quantum);
        self.last.set(Some(task.key));
        *self.running.borrow_mut() = Some(Rc::clone(task));
        self.reckon(node);
        if going {
            goes(node, task);
        }
        task.dispatched(going);
        if going {
            self.quantum.go();
        }
        if task.spins_in_vain() {
            self.spin_begins(node);
        }
    }
}

/// Tells the run queue that a task goes on, if that keeps account of time.
fn goes(node: &Node, task: &Task) {
    if node.keeps_time() {
        node.with_ready(|ready| ready.goes(task.key));
    }
}

/// The scheduler of processor `cpu` of a node: a daemon that is called when who runs is to change.
pub(in crate::node) async fn schedule(node: Rc<Node>, cpu: usize) {
    let processor = &node.cpus[cpu];
    let mut put_back = false;
    loop {
        if let Some(cost) = processor.slice.take() {
            processor.switch(&node, Activity::Switch, cost).await;
            processor.prepaid.set(true);
            continue;
        }
        processor.called.set(false);
        let Some(key) = node.with_ready(|ready| ready.pick(cpu)) else {
            processor.reckon(&node);
            processor.call.wait().await;
            continue;
        };
        // who was put back, or whoever came last with a queue of its own, may be left for another processor
        if std::mem::take(&mut put_back) || node.params.own_queues {
            node.look_elsewhere();
        }
        let task = node.task(key).expect("who is ready is on the node");
        task.state.set(State::Running);
        task.cpu.set(cpu as u32);
        let prepaid = processor.prepaid.take();
        if processor.last.get().is_some_and(|last| last != key) {
            if let Some(job) = &task.job {
                job.switched_to();
            }
            if !prepaid {
                processor.switch(&node, Activity::Switch, node.params.context_switch).await;
            }
        }
        processor.switch(&node, Activity::Scheduler, node.params.queue_operation).await;
        processor.switch(&node, Activity::Paging, node.paging(&task)).await;
        processor.run(&node, &task);
        let raised = processor.raised.take();
        if node.is_outranked(processor) {
            if raised {
                processor.replace(Entering::Preempted);
            } else {
                node.tick.set();
            }
        } else {
            node.look_ahead();
        }
        if node.params.own_queues {
            node.look_round();
        }
        let left = stays(processor).await;
        let Some(how) = left else { continue };
        let Some(task) = processor.take(&node) else { continue };
        task.state.set(State::Ready);
        put_back = true;
        let raised = processor.raised_task.take();
        node.with_ready(|ready| {
            ready.enter(task.key, how);
            // of equal rank, who was raised goes before who made room for it
            if let Some(raised) = raised
                && ready.remove(raised)
            {
                ready.enter(raised, Entering::Boosted);
            }
        });
    }
}

/// Waits until the running task has left, `None`, or is to be put back into the run queue.
async fn stays(processor: &Processor) -> Option<Entering> {
    loop {
        match race(processor.call.wait(), processor.quantum.done()).await {
            Either::Right(()) => return Some(Entering::Expired),
            Either::Left(()) => {}
        }
        let replace = processor.replace.take();
        if processor.running.borrow().is_none() {
            return None;
        }
        if processor.slice.get().is_some() {
            return Some(Entering::Preempted);
        }
        if let Some(how) = replace {
            // a quantum that is used up at this very instant has been used up
            let loses = matches!(how, Entering::Preempted | Entering::Displaced);
            let used_up = loses && processor.quantum.left().is_zero();
            return Some(if used_up { Entering::Expired } else { how });
        }
    }
}

/// The clock of a node: calls schedulers at the next tick after a ready task has come to outrank a running one.
pub(in crate::node) async fn clock(node: Rc<Node>) {
    let mut next = SimTime::MAX;
    loop {
        let raise = node.expect_raise();
        match raise.min(next) {
            SimTime::MAX => {
                node.tick.wait().await;
                next = node.next_tick();
                continue;
            }
            until if !node.keeps_time() => settle_after(until.since(now())).await,
            until => {
                if let Either::Left(()) = race(node.tick.wait(), settle_after(until.since(now()))).await {
                    next = next.min(node.next_tick());
                    continue;
                }
            }
        }
        if now() >= raise {
            next = next.min(node.next_tick());
        }
        if now() >= next {
            next = SimTime::MAX;
            // after whoever began to settle in this instant, as a tick that is asked for only now
            settle().await;
            tick(&node).await;
        }
    }
}

/// A tick: as long as a ready task outranks a running one, the lowest of those that are outranked makes room.
pub(in crate::node) async fn tick(node: &Node) {
    for _ in &node.cpus {
        let outranked = node.cpus.iter().filter(|cpu| node.is_outranked(cpu));
        let Some(lowest) = outranked.min_by_key(|cpu| node.rank(cpu)) else { return };
        lowest.replace(Entering::Preempted);
        if node.cpus.len() == 1 {
            return;
        }
        // its scheduler takes one of the ready tasks before the next processor is looked at
        settle().await;
    }
}

/// Wakes or boosts tasks in the name of the network interface: the interrupt service of a processor.
pub(in crate::node) async fn service(node: Rc<Node>, cpu: usize) {
    let processor = &node.cpus[cpu];
    loop {
        let key = processor.next_interrupt().await;
        processor.in_kernel(&node, Activity::Interrupt, node.params.interrupt).await;
        let Some(task) = node.task(key) else { continue };
        task.raised.set(false);
        if let Some(job) = &task.job {
            job.interrupted();
        }
        match task.state.get() {
            State::Blocked => node.make_ready(&task, Entering::Woken, Claim::Woken),
            State::Ready => node.boost(&task, Claim::Boosted),
            State::Running | State::IoWait | State::Done => {}
        }
    }
}
