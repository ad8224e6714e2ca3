//! An application task on its node: compute, I/O, send, receive.
//!
//! The process of a task ([`super::program`]) reads as the paper's `DoAppTask`; the verbs it uses are here. A task needs its
//! processor for all of them, and `scheduled` is the paper's `WaitUntilScheduled`: what a task wants to do when it does not
//! run is put off until its turn comes.
//!
//! A message that is not there is waited for by spinning. The spin costs no events: the task's process waits for the
//! message, and while it waits its processor is charged with spinning, its quantum runs, and its spin limit goes on,
//! each standing still while the task does not run. A message that comes while the task does not run is only stored;
//! the spin is over the moment the task next runs.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 3.2 and 4.2.2.

use std::cell::Cell;
use std::rc::Rc;

use slotmap::Key;

use crate::instrument::profile::Activity;
use crate::instrument::timeline::Link;
use crate::kernel::{Either, Signal, SimDuration, SimTime, Work, hold, now, race};
use crate::units::Bytes;

use super::job::JobTasks;
use crate::node::fabric::Fabric;
use crate::node::net::nic::Message;
use crate::node::os::cpu::{Entering, TaskKey};
use crate::node::os::node::{Claim, Node};
use crate::node::os::wait::{Spinning, Step};

/// Where a task stands; see [`crate::node::os::node`] for the transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::node) enum State {
    Ready,
    Running,
    IoWait,
    Blocked,
    Done,
}

/// What a task does when it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::node) enum Doing {
    Compute,
    /// Composes or decomposes a message.
    Message,
    /// Busy-waits for the message of this peer.
    Spin {
        from: u32,
    },
    /// A daemon's burst.
    Burst,
}

impl Doing {
    pub(in crate::node) fn is_spin(self) -> bool {
        matches!(self, Doing::Spin { .. })
    }

    pub(in crate::node) fn activity(self) -> Activity {
        match self {
            Doing::Compute => Activity::Compute,
            Doing::Message => Activity::Message,
            Doing::Spin { .. } => Activity::Spin,
            Doing::Burst => Activity::Daemon,
        }
    }
}

/// The task of a peer, where it is, and what this task is to it.
#[derive(Clone, Debug)]
pub(in crate::node) struct Peer {
    pub(in crate::node) task: Rc<Task>,
    pub(in crate::node) node: u32,
    /// Which of the peer's senders this task is.
    pub(in crate::node) sender: u32,
}

/// Senders whose messages a task counts beside its state.
const FEW: usize = 4;

/// A task on a node.
///
/// Thousands of tasks do not fit a processor's cache: what a message touches of one lies together, at the beginning.
#[derive(Debug)]
#[repr(C)]
pub(in crate::node) struct Task {
    pub(in crate::node) key: TaskKey,
    pub(in crate::node) doing: Cell<Doing>,
    /// How many messages are there and not consumed.
    unconsumed: Cell<u64>,
    /// These by sender, for the first of them.
    few: [Cell<u32>; FEW],
    pub(in crate::node) state: Cell<State>,
    /// Whether its spin limit is used up and it yields as soon as somebody else is ready.
    pub(in crate::node) would_yield: Cell<bool>,
    /// Whether it wants to know when its turn comes again, though it spins in vain.
    pub(in crate::node) returns: Cell<bool>,
    /// Whether an interrupt is pending for it.
    pub(in crate::node) raised: Cell<bool>,
    /// The processor of its node on which it runs, or ran last.
    pub(in crate::node) cpu: Cell<u32>,
    /// Its turn has come, or what it spins for is there.
    turn: Signal,
    /// What it does with its processor.
    work: Work,
    /// What it is part of; none for a daemon of the operating system.
    pub(in crate::node) job: Option<Rc<JobTasks>>,
    /// Processor time it has had and its run queue was not told of [ns].
    received: Cell<u64>,
    going_since: Cell<SimTime>,
    spin_limit: Work,
    /// Messages by sender that are there and not consumed, for all but the first senders.
    more: Box<[Cell<u32>]>,
    /// Its working set.
    pub(in crate::node) memory: Bytes,
    pub(in crate::node) rank: u32,
    /// Waits of its peers that began while it did not run: how many, and the sum of their beginnings [ns].
    awaited_by: Cell<(u64, u128)>,
}

impl Task {
    pub(in crate::node) fn new(
        key: TaskKey,
        job: Option<Rc<JobTasks>>,
        (index, rank): (u32, u32),
        senders: usize,
        memory: Bytes,
    ) -> Self {
        Task {
            key,
            rank,
            job,
            memory,
            state: Cell::new(State::IoWait),
            doing: Cell::new(Doing::Compute),
            cpu: Cell::new(0),
            would_yield: Cell::new(false),
            returns: Cell::new(false),
            raised: Cell::new(false),
            work: Work::new(("work of task", index)),
            spin_limit: Work::limit(("spin limit of task", index)),
            received: Cell::new(0),
            going_since: Cell::new(now()),
            turn: Signal::new(("turn of task", index)),
            few: Default::default(),
            more: vec![Cell::new(0); senders.saturating_sub(FEW)].into(),
            unconsumed: Cell::new(0),
            awaited_by: Cell::default(),
        }
    }

    /// Whether it has its processor now, nobody working on that in the kernel's name.
    pub(in crate::node) fn is_going(&self) -> bool {
        self.work.is_going()
    }

    /// It has been put on its processor, where it may go on unless that is seized.
    pub(in crate::node) fn dispatched(&self, going: bool) {
        let (waits, since) = self.awaited_by.take();
        if let Some(job) = &self.job {
            job.dispatched(waits, since);
        }
        if going {
            self.go();
        }
    }

    /// It goes on.
    pub(in crate::node) fn go(&self) {
        self.going_since.set(now());
        self.work.go();
        self.spin_limit.go();
        match self.doing.get() {
            Doing::Spin { from } if !self.has_message(from) && !self.returns.take() => {}
            _ => self.wake(),
        }
    }

    /// It stands still.
    pub(in crate::node) fn stop(&self) {
        if self.work.is_going() {
            self.received.set(self.received.get() + now().since(self.going_since.get()).as_nanos());
            self.work.pause();
            self.spin_limit.pause();
        }
    }

    /// Lets its process look again, if it waits for its turn or a message.
    pub(in crate::node) fn wake(&self) {
        self.turn.give();
    }

    /// Processor time it has had since the last call.
    pub(in crate::node) fn take_received(&self) -> SimDuration {
        debug_assert!(!self.work.is_going(), "it stands still when its time is told");
        SimDuration::from_nanos(self.received.take())
    }

    /// Whether it waits for a message that is not there.
    pub(in crate::node) fn spins_in_vain(&self) -> bool {
        matches!(self.doing.get(), Doing::Spin { from } if !self.has_message(from))
    }

    /// How many messages of a sender are there and not consumed.
    #[inline]
    fn messages(&self, from: u32) -> &Cell<u32> {
        let from = from as usize;
        self.few.get(from).unwrap_or_else(|| &self.more[from - FEW])
    }

    #[inline]
    pub(in crate::node) fn has_message(&self, from: u32) -> bool {
        self.messages(from).get() > 0
    }

    /// Messages that are there and not consumed.
    pub(in crate::node) fn unconsumed(&self) -> u64 {
        self.unconsumed.get()
    }

    /// A message of a sender is there; says whether it is the one that the task waits for.
    pub(in crate::node) fn deposit(&self, from: u32) -> bool {
        self.messages(from).update(|messages| messages + 1);
        self.unconsumed.set(self.unconsumed.get() + 1);
        self.doing.get() == Doing::Spin { from }
    }

    /// A message of a sender is there no more.
    fn consume(&self, from: u32) {
        self.messages(from).update(|messages| messages - 1);
        self.unconsumed.set(self.unconsumed.get() - 1);
    }

    /// A wait of a peer for it begins; if it does not run, its next dispatch ends that.
    fn awaited(&self) {
        if self.state.get() != State::Running {
            let (waits, since) = self.awaited_by.get();
            self.awaited_by.set((waits + 1, since + u128::from(now().as_nanos())));
        }
    }

    /// Time on a processor is charged to its job.
    pub(in crate::node) fn charge(&self, activity: Activity, span: SimDuration) {
        if let Some(job) = &self.job {
            job.charge(activity, span);
        }
    }
}

/// What a message goes to, as a timeline has it.
fn link(node: u32, task: TaskKey, sender: u32) -> Link {
    (node, task.data().as_ffi(), sender)
}

/// A task and its node: what the process of the task has in hand.
#[derive(Debug)]
pub(in crate::node) struct Place {
    pub(in crate::node) node: Rc<Node>,
    pub(in crate::node) task: Rc<Task>,
    pub(in crate::node) fabric: Rc<Fabric>,
    pub(in crate::node) round_trip: SimDuration,
}

impl Place {
    /// Waits until the task runs.
    async fn scheduled(&self) {
        while !self.task.is_going() {
            self.task.turn.wait().await;
        }
    }

    /// The task does something else from now on.
    fn begin(&self, doing: Doing) {
        if self.task.state.get() == State::Running {
            self.task.doing.set(doing);
            self.node.processor(&self.task).reckon(&self.node);
        } else {
            self.task.doing.set(doing);
        }
    }

    /// Has the processor for `span`, in as many turns as that takes.
    async fn work(&self, doing: Doing, span: SimDuration) {
        self.begin(doing);
        self.task.work.set(span);
        self.task.work.done().await;
    }

    /// Computes for `span` of processor time.
    pub(in crate::node) async fn compute(&self, span: SimDuration) {
        self.work(Doing::Compute, span).await;
    }

    /// A daemon's burst.
    pub(in crate::node) async fn burst(&self, span: SimDuration) {
        self.work(Doing::Burst, span).await;
    }

    /// Sleeps from now on, as one who waits for I/O but is not counted as such.
    pub(in crate::node) async fn rest(&self) {
        self.scheduled().await;
        self.leave(State::IoWait);
        self.node.with_ready(|ready| ready.sleeps(self.task.key));
    }

    /// Gives up the processor.
    fn leave(&self, state: State) {
        self.task.state.set(state);
        self.node.processor(&self.task).leave(&self.node);
    }

    /// Waits for I/O of `span`, without the processor; then the task is ready again.
    pub(in crate::node) async fn io(&self, span: SimDuration) {
        self.scheduled().await;
        self.begin(Doing::Compute);
        self.leave(State::IoWait);
        self.node.with_ready(|ready| ready.sleeps(self.task.key));
        self.node.change_io(1);
        hold(span).await;
        self.node.change_io(-1);
        self.node.make_ready(&self.task, Entering::Woken, Claim::Ready);
    }

    /// Waits without the processor until an instant; nothing if that has come.
    pub(in crate::node) async fn sleep_until(&self, instant: SimTime) {
        let span = instant.since(now());
        if !span.is_zero() {
            self.rest().await;
            let span = instant.since(now());
            hold(span).await;
            self.node.make_ready(&self.task, Entering::Woken, Claim::Ready);
        }
    }

    /// Sends a message: composes it, and leaves it to the network interface.
    pub(in crate::node) async fn send(&self, to: &Peer, size: Bytes) {
        self.work(Doing::Message, self.node.params.send_overhead).await;
        self.node.note(self.task.cpu.get() as usize, |timeline, processor| {
            timeline.sent(processor, link(to.node, to.task.key, to.sender), now());
        });
        self.node.nic.post(Message { to: to.node, task: Rc::clone(&to.task), sender: to.sender, size });
        if let Some(job) = &self.task.job {
            job.sent();
        }
    }

    /// Receives the next message of a sender: waits for it as the scheme says, and decomposes it.
    pub(in crate::node) async fn receive(&self, from: u32, peer: &Peer) {
        self.scheduled().await;
        if !self.task.has_message(from) {
            peer.task.awaited();
            self.wait_for(from).await;
        }
        self.task.consume(from);
        self.node.note(self.task.cpu.get() as usize, |timeline, processor| {
            timeline.received(processor, link(self.node.index, self.task.key, from), now());
        });
        self.work(Doing::Message, self.node.params.receive_overhead).await;
    }

    /// Waits, spinning first, until a message is there and the task runs.
    async fn wait_for(&self, from: u32) {
        let task = &*self.task;
        self.begin(Doing::Spin { from });
        self.node.processor(task).spin_begins(&self.node);
        let arrivals = self.node.arrivals();
        let mut spun = SimDuration::ZERO;
        loop {
            let wait = Spinning {
                spun,
                arrivals: self.node.arrivals() - arrivals,
                context_switch: self.node.params.context_switch,
                round_trip: self.round_trip,
            };
            match self.fabric.scheme.wait.step(&wait) {
                Step::Spin => self.message(from).await,
                Step::SpinFor(limit) => {
                    task.spin_limit.set(limit);
                    let ended = race(self.message(from), task.spin_limit.done()).await;
                    if matches!(ended, Either::Right(())) {
                        spun += limit;
                        self.back().await;
                        if task.has_message(from) {
                            return;
                        }
                        continue;
                    }
                }
                Step::Block => {
                    self.count(JobTasks::blocked);
                    self.leave(State::Blocked);
                    self.node.with_ready(|ready| ready.sleeps(task.key));
                    self.message(from).await;
                }
                Step::Yield => {
                    if self.node.with_ready(|ready| ready.is_empty()) {
                        task.would_yield.set(true);
                        task.returns.set(true);
                        task.turn.wait().await;
                        task.returns.set(false);
                        if !task.would_yield.take() {
                            // it has lost the processor meanwhile, as if it had yielded
                            spun = SimDuration::ZERO;
                        }
                    } else {
                        self.count(JobTasks::yielded);
                        task.returns.set(true);
                        self.node.processor(task).replace(Entering::Yielded);
                        task.turn.wait().await;
                        task.returns.set(false);
                        spun = SimDuration::ZERO;
                    }
                }
            }
            if task.is_going() && task.has_message(from) {
                return;
            }
        }
    }

    /// Waits until the task runs, though it spins in vain: its spin limit may be over at the very instant at which it is
    /// taken off its processor.
    async fn back(&self) {
        while !self.task.is_going() {
            self.task.returns.set(true);
            self.task.turn.wait().await;
        }
        self.task.returns.set(false);
    }

    /// Waits until the message of a sender is there and the task runs.
    async fn message(&self, from: u32) {
        while !(self.task.is_going() && self.task.has_message(from)) {
            self.task.turn.wait().await;
        }
    }

    fn count(&self, count: impl FnOnce(&JobTasks)) {
        if let Some(job) = &self.task.job {
            count(job);
        }
    }

    /// Ends the task, which takes its processor like all that it does, if no time.
    pub(in crate::node) async fn end(&self) {
        self.scheduled().await;
        self.leave(State::Done);
        self.node.remove(self.task.key);
    }
}
