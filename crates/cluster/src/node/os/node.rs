//! A node: its processors, the tasks on it, its run queue and its network interface.
//!
//! ```text
//!                    ┌─────────── assigned ───────────┐
//!          (1) start │          (2) dispatch          ▼
//!   ─────▶ Ready ────┴──────────────────────────▶ Running ──(7) end──▶ Done
//!            ▲  ▲ ◀──(3) preempted, expired, yielded──┘ │
//!            │  └───────(5) I/O over────── IoWait ◀─(4)─┤
//!            └──(6) interrupt serviced──── Blocked ◀────┘ spin limit
//! ```
//!
//! A task that spins for a message is Running: it holds its processor and uses up its quantum. (2),
//! (3) are done by the scheduler process of a processor, (1) by the front end, (4), (5), (7) and
//! blocking by the task's own process, (6) by the interrupt service.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 2.1 and 3.2. Several processors
//! share one run queue, or have one each and steal, which the paper left open.

use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use slotmap::SlotMap;

use crate::instrument::timeline::Timeline;
use crate::kernel::{Signal, SimDuration, SimTime, now};
use crate::units::{Bandwidth, Bytes};

use super::cpu::{Entering, Gang, PerProcessor, Reservation, RunQueue, TaskKey, TimedQueue};
use super::memory::Memory;
use super::processor::Processor;
use crate::node::app::task::{Message, State, Task};
use crate::node::params::{InterruptPreemption, NodeParams};

/// One node of the cluster.
///
/// What a message touches lies together, at the beginning: thousands of nodes do not fit a
/// processor's cache.
#[derive(Debug)]
#[repr(C)]
pub(in crate::node) struct Node {
    pub(in crate::node) cpus: Box<[Processor]>,
    pub(in crate::node) params: Rc<NodeParams>,
    pub(in crate::node) index: u32,
    /// Tasks of this node that wait for their I/O.
    in_io: Cell<u32>,
    /// Messages that have reached the node.
    arrivals: Cell<u64>,
    /// The timeline of its processors, if that is recorded, and the number of the first of them.
    timeline: OnceCell<(Rc<RefCell<Timeline>>, u32)>,
    pub(in crate::node) nic: Nic,
    ready: RefCell<Ready>,
    tasks: RefCell<SlotMap<TaskKey, Rc<Task>>>,
    memory: Option<RefCell<Memory>>,
    /// True if the run queue keeps account of time.
    keeps_time: bool,
    /// The last instant that it was given.
    given_at: Cell<SimTime>,
    /// A ready task outranks a running one: the clock is to look at its next tick.
    pub(in crate::node) tick: Signal,
    /// Until when the clock sees no change by the passing of time alone.
    expected: Cell<SimTime>,
    /// Instant at which the clock's ticks fall: a tick is a whole number of periods after this.
    pub(super) tick_phase: u64,
}

/// The network interface of a node.
#[derive(Debug)]
#[repr(C)]
pub(in crate::node) struct Nic {
    /// True while its process is at work: it sends, and then deposits the messages that have come
    /// meanwhile.
    pub(in crate::node) sending: Cell<bool>,
    pub(in crate::node) outgoing: RefCell<VecDeque<Message>>,
    /// Something is queued.
    pub(in crate::node) posted: Signal,
    pub(in crate::node) incoming: RefCell<VecDeque<Message>>,
}

/// The order of the ready tasks: the node's own, shared or by processor, or the slice's.
#[derive(Debug)]
enum Ready {
    Shared(Box<dyn RunQueue>),
    PerProcessor(PerProcessor),
    Gang(Gang),
}

/// The slot of a task: a node, and the processor of it that a slice gives it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Slot {
    /// The node.
    pub node: u32,
    /// The processor, if slices decide; else the node's scheduler chooses.
    pub cpu: u32,
}

/// The scheduler that decides which tasks run on a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Local {
    /// The node's own CPU scheduler.
    Own,
    /// The slices of a gang scheduler.
    Slices,
}

/// The urgency of a ready task's request for a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::node) enum CpuRequest {
    /// The task has become ready by itself: a higher rank counts at the next tick.
    Ready,
    /// The interrupt service has woken it: a higher rank counts at once, unless ticks decide there
    /// too.
    Woken,
    /// The interrupt service has boosted it: its rank counts as soon, and against a task that spins
    /// the same rank is enough.
    Boosted,
}

impl Ready {
    fn queue(&mut self) -> &mut dyn RunQueue {
        match self {
            Ready::Shared(queue) => queue.as_mut(),
            Ready::PerProcessor(queues) => queues,
            Ready::Gang(gang) => gang,
        }
    }
}

impl Nic {
    pub(in crate::node) fn new(index: u32) -> Self {
        Nic {
            posted: Signal::new(("message for network interface", index)),
            outgoing: RefCell::default(),
            incoming: RefCell::default(),
            sending: Cell::new(false),
        }
    }
}

impl Node {
    pub(in crate::node) fn new(index: u32, params: Rc<NodeParams>, local: Local, tick_phase: u64) -> Self {
        let count = params.processors as usize;
        let mut ready = match local {
            Local::Own if params.own_queues => {
                Ready::PerProcessor(PerProcessor::new(count, || params.scheduler.run_queue()))
            }
            Local::Own => Ready::Shared(params.scheduler.run_queue()),
            Local::Slices => Ready::Gang(Gang::new(count)),
        };
        let keeps_time = ready.queue().timed().is_some();
        assert!(
            local == Local::Slices || keeps_time || !params.scheduler.keeps_reservations(),
            "a run queue that keeps the shares that tasks reserve is a timed queue"
        );
        let memory = params.memory.map(|size| RefCell::new(Memory::new(size.get())));
        let cpus =
            (0..count).map(|cpu| Processor::new(cpu, index * params.processors + cpu as u32)).collect();
        Node {
            index,
            keeps_time,
            given_at: Cell::new(SimTime::MAX),
            params,
            cpus,
            nic: Nic::new(index),
            tick: Signal::new(("tick", index)),
            tasks: RefCell::default(),
            ready: RefCell::new(ready),
            memory,
            in_io: Cell::new(0),
            arrivals: Cell::new(0),
            expected: Cell::new(SimTime::MAX),
            tick_phase,
            timeline: OnceCell::new(),
        }
    }

    /// Records what its processors do, the first of which has this number.
    pub(in crate::node) fn keep_timeline(&self, timeline: &Rc<RefCell<Timeline>>, first: u32) {
        let kept = self.timeline.set((Rc::clone(timeline), first));
        assert!(kept.is_ok(), "a timeline is begun once");
    }

    /// The timeline recorded of all nodes, which is given up.
    pub(in crate::node) fn take_timeline(&self) -> Option<Timeline> {
        self.timeline.get().map(|(timeline, _)| timeline.take())
    }

    /// Notes something of a processor, if that is recorded.
    #[inline]
    pub(in crate::node) fn note(&self, cpu: u32, note: impl FnOnce(&mut Timeline, u32)) {
        if let Some((timeline, first)) = self.timeline.get() {
            note(&mut timeline.borrow_mut(), first + cpu);
        }
    }

    /// The processor on which a task runs, or ran last.
    #[inline]
    pub(in crate::node) fn processor(&self, task: &Task) -> &Processor {
        &self.cpus[task.cpu.get() as usize]
    }

    /// Acts on the run queue.
    pub(in crate::node) fn with_ready<R>(&self, act: impl FnOnce(&mut dyn RunQueue) -> R) -> R {
        let mut ready = self.ready.borrow_mut();
        let queue = ready.queue();
        // a second look at the same instant brings nothing new
        if self.keeps_time
            && self.given_at.replace(now()) != now()
            && let Some(queue) = queue.timed()
        {
            queue.at(now());
        }
        act(queue)
    }

    /// Acts on the run queue, if it keeps account of time.
    pub(in crate::node) fn timed<R>(&self, act: impl FnOnce(&mut dyn TimedQueue) -> R) -> Option<R> {
        if !self.keeps_time {
            return None;
        }
        self.with_ready(|ready| ready.timed().map(act))
    }

    /// Charges a task with the time it has run for.
    pub(in crate::node) fn charge(&self, running: &Task) {
        let ran = running.take_received();
        if !ran.is_zero() || self.keeps_time {
            self.with_ready(|ready| ready.ran(running.key, ran));
        }
    }

    /// A task that is not ready yet asks for a share.
    pub(in crate::node) fn reserve(&self, task: TaskKey, of: Reservation) {
        if let Ready::PerProcessor(queues) = &mut *self.ready.borrow_mut() {
            queues.settle(task);
        }
        self.timed(|ready| ready.reserve(task, of));
    }

    /// A task that ran, its time charged before, waits for I/O or is blocked.
    pub(in crate::node) fn sleeps(&self, task: &Task) {
        self.timed(|ready| ready.sleeps(task.key));
    }

    /// Assigns a processor for the slice; gives the task that had it.
    ///
    /// # Panics
    /// If the node has a scheduler of its own.
    pub(in crate::node) fn assign(&self, cpu: usize, task: Option<TaskKey>) -> Option<TaskKey> {
        match &mut *self.ready.borrow_mut() {
            Ready::Gang(gang) => gang.assign(cpu, task),
            _ => panic!("a node with a scheduler of its own follows no slices"),
        }
    }

    /// Begins a slice in which these tasks run, each on its processor, after a switch of `cost`.
    ///
    /// A processor that has the same task as before, at no cost, goes on as if nothing had been.
    pub(in crate::node) fn begin_slice(&self, tasks: &[(Slot, TaskKey)], cost: SimDuration) {
        let mut tasks = tasks.iter().peekable();
        for (place, cpu) in self.cpus.iter().enumerate() {
            let task = tasks.next_if(|(slot, _)| slot.cpu as usize == place).map(|&(_, key)| key);
            // a task that has ended before the others of its job needs its slot no more
            let task = task.filter(|&key| self.tasks.borrow().contains_key(key));
            if self.assign(place, task) != task || !cost.is_zero() {
                cpu.begin_slice(cost);
            }
        }
    }

    pub(in crate::node) fn task(&self, key: TaskKey) -> Option<Rc<Task>> {
        self.tasks.borrow().get(key).cloned()
    }

    pub(in crate::node) fn tasks(&self) -> Ref<'_, SlotMap<TaskKey, Rc<Task>>> {
        self.tasks.borrow()
    }

    /// Puts a task on the node; it is not ready yet.
    pub(in crate::node) fn insert(&self, make: impl FnOnce(TaskKey) -> Task) -> Rc<Task> {
        let key = self.tasks.borrow_mut().insert_with_key(|key| Rc::new(make(key)));
        Rc::clone(&self.tasks.borrow()[key])
    }

    /// A task that has ended leaves the node.
    pub(in crate::node) fn remove(&self, key: TaskKey) {
        self.with_ready(|ready| ready.forget(key));
        if let Some(memory) = &self.memory {
            memory.borrow_mut().forget(key);
        }
        self.tasks.borrow_mut().remove(key);
    }

    /// A task is dispatched: how long it takes to bring in what of its working set is not in
    /// memory.
    pub(in crate::node) fn paging(&self, task: &Task) -> SimDuration {
        let Some(memory) = &self.memory else { return SimDuration::ZERO };
        let missing = memory.borrow_mut().dispatch(task.key, task.memory.get());
        transfer(Bytes::new(missing), self.params.paging_bandwidth)
    }

    pub(in crate::node) fn clear(&self) {
        self.tasks.borrow_mut().clear();
    }

    /// Messages that have reached the node so far.
    pub(in crate::node) fn arrivals(&self) -> u64 {
        self.arrivals.get()
    }

    pub(in crate::node) fn count_arrival(&self) {
        self.arrivals.set(self.arrivals.get() + 1);
    }

    pub(in crate::node) fn is_in_io(&self) -> bool {
        self.in_io.get() > 0
    }

    /// One more, or one fewer, of the node's tasks waits for its I/O.
    pub(in crate::node) fn change_io(&self, by: i32) {
        let before = self.in_io.get();
        self.in_io.set(before.checked_add_signed(by).expect("a task that leaves I/O has entered it"));
        if (before == 0) != (self.in_io.get() == 0) {
            for cpu in self.cpus.iter().filter(|cpu| cpu.is_idle()) {
                cpu.charge(self);
            }
        }
    }

    /// A task becomes ready, and requests a processor.
    pub(in crate::node) fn make_ready(&self, task: &Task, how: Entering, request: CpuRequest) {
        task.state.set(State::Ready);
        self.with_ready(|ready| ready.enter(task.key, how));
        if let Ready::Gang(gang) = &*self.ready.borrow() {
            // only the processor it is assigned can run it
            if let Some(cpu) = gang.cpu_of(task.key) {
                self.cpus[cpu].wake_if_idle();
            }
            return;
        }
        self.request_cpu(task.key, request);
    }

    /// Moves a task to the front, if it is still ready; whether it is.
    pub(super) fn boost(&self, task: &Task) -> bool {
        let boosted = self.with_ready(|ready| {
            let was_ready = ready.remove(task.key);
            if was_ready {
                ready.enter(task.key, Entering::Boosted);
            }
            was_ready
        });
        if boosted {
            task.count(|counts| counts.boosts += 1);
        }
        boosted
    }

    /// Requests a processor for a ready task: an idle one at once, else the one whose task is
    /// outranked.
    pub(super) fn request_cpu(&self, task: TaskKey, request: CpuRequest) {
        let home = match &*self.ready.borrow() {
            Ready::PerProcessor(queues) => queues.home_of(task),
            _ => None,
        };
        if home.is_some_and(|home| self.cpus[home].wake_if_idle()) || self.wake_an_idle_one() {
            return;
        }
        self.cpus.iter().for_each(Processor::task_is_ready);
        let at_once = request != CpuRequest::Ready
            && self.params.interrupt_preemption == InterruptPreemption::Immediate;
        if at_once {
            self.cpus.iter().for_each(Processor::preempt_next);
        }
        let outranked = self.cpus.iter().filter(|cpu| {
            cpu.running(|running| {
                let boosted = at_once && request == CpuRequest::Boosted && running.doing.get().is_spin();
                self.with_ready(|ready| {
                    if boosted { ready.boosted_outranks(running.key) } else { ready.outranks(running.key) }
                })
            }) == Some(true)
        });
        // one alone needs no rank
        let lower = |lowest, cpu| if self.rank(cpu) < self.rank(lowest) { cpu } else { lowest };
        match outranked.reduce(lower) {
            Some(cpu) if at_once => {
                cpu.preempt_for(task);
                if self.cpus.len() > 1 {
                    // two may have been promised the same processor: a tick lets the other have
                    // another
                    self.tick.set();
                }
            }
            Some(_) => self.tick.set(),
            None => self.arm_tick_by_time(),
        }
    }

    /// Wakes the first idle processor; whether there is one.
    fn wake_an_idle_one(&self) -> bool {
        self.cpus.iter().any(Processor::wake_if_idle)
    }

    /// Lets the clock, or the processor itself at once, see if the task dispatched last
    /// is outranked.
    pub(super) fn arm_preemption(&self, cpu: &Processor, at_once: bool) {
        match self.is_outranked(cpu) {
            true if at_once => cpu.preempt(Entering::Preempted),
            true => self.tick.set(),
            false => self.arm_tick_by_time(),
        }
        // a task may have gone back to the queue of another processor: that, or an idle one, is to
        // see it
        if self.params.own_queues && !self.with_ready(|ready| ready.is_empty()) {
            // an idle one may wake and take another than the one that outranks a running one
            self.wake_an_idle_one();
            self.arm_tick();
        }
    }

    /// A task has been put back: lets the clock see whether it outranks, now or later, a task that
    /// runs elsewhere.
    pub(super) fn arm_tick_for_others(&self) {
        if self.cpus.len() > 1 {
            self.arm_tick();
            self.arm_tick_by_time();
        }
    }

    /// Arms the next tick if a ready task outranks a running one.
    fn arm_tick(&self) {
        if self.cpus.iter().any(|cpu| self.is_outranked(cpu)) {
            self.tick.set();
        }
    }

    /// Lets the clock see if time alone will change something sooner than it has looked for.
    fn arm_tick_by_time(&self) {
        if let Some(raise) = self.timed(|ready| ready.next_raise()).flatten()
            && raise < self.expected.get()
        {
            self.tick.set();
        }
    }

    /// Returns true if its run queue goes by the time, so that time alone may change something.
    pub(in crate::node) fn keeps_time(&self) -> bool {
        self.keeps_time
    }

    /// The instant at which time alone next changes the order of the run queue, which the clock
    /// awaits from now on; [`SimTime::MAX`] if never.
    pub(in crate::node) fn expect_raise(&self) -> SimTime {
        let raise = self.timed(|ready| ready.next_raise()).flatten().unwrap_or(SimTime::MAX);
        self.expected.set(raise);
        raise
    }

    /// The rank of the task that runs on `cpu`.
    pub(in crate::node) fn rank(&self, cpu: &Processor) -> Option<i128> {
        cpu.running_key().map(|running| self.with_ready(|ready| ready.rank(running)))
    }

    /// Returns true if a ready task outranks the task that runs on `cpu`.
    pub(in crate::node) fn is_outranked(&self, cpu: &Processor) -> bool {
        cpu.running_key().is_some_and(|running| self.with_ready(|ready| ready.outranks(running)))
    }

    /// The processor on which the interrupt for a task is serviced: the one that runs it, or else
    /// the one with the least to lose: idle, or spinning, the first of equals.
    pub(in crate::node) fn interrupted_cpu(&self, task: &Task) -> &Processor {
        if task.state.get() == State::Running {
            return self.processor(task);
        }
        // no task, before one that spins, before one that does something
        let works = |cpu: &&Processor| cpu.running(|task| !task.doing.get().is_spin());
        self.cpus.iter().min_by_key(works).expect("a node has a processor")
    }
}

/// Time that `size` takes at `bandwidth`, rounded up.
pub(in crate::node) fn transfer(size: Bytes, bandwidth: Bandwidth) -> SimDuration {
    SimDuration::ceil_ratio(size.get() as f64, bandwidth.bytes_per_sec())
}
