//! The process of an application task: `DoAppTask`.
//!
//! ```text
//! for each iteration: compute ─▶ I/O ─▶ send to every peer ─▶ receive from every peer
//! ```
//!
//! There are also pipelines, whose stages receive first, and recorded sequences of steps. The verbs
//! that these use follow: compute, I/O, send, receive. A task needs its processor for all of them,
//! and `scheduled` is the paper's `WaitUntilScheduled`: what a task wants to do when it does not
//! run is put off until it is dispatched.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 2.2, 3.2 and 4.2.2.

use std::rc::Rc;

use slotmap::Key;

use crate::instrument::timeline::Link;
use crate::kernel::{Either, SimDuration, SimTime, hold, now, race};
use crate::node::cluster_state::ClusterState;
use crate::node::os::cpu::{Entering, TaskKey};
use crate::node::os::node::{CpuRequest, Node};
use crate::node::os::wait::{Spinning, Step};
use crate::units::Bytes;
use crate::workload::parallel::{
    Application, Iterations, Pipeline, Program, Quality, RecordedStep, TaskTimes,
};

use super::task::{Doing, Message, ResumedBy, State, Task};

/// The task of a peer, where it is, and what this task is to it.
#[derive(Clone, Debug)]
pub(in crate::node) struct Peer {
    pub(in crate::node) task: Rc<Task>,
    pub(in crate::node) node: u32,
    /// Place of this task among the peer's senders.
    pub(in crate::node) sender: u32,
}

/// The tasks that a task exchanges messages with.
#[derive(Debug, Default)]
pub(in crate::node) struct Peers {
    /// The peers it sends to and their ranks, in the order of sending.
    pub(in crate::node) to: Box<[(Peer, u32)]>,
    /// The peers it receives from, in the order of receiving.
    pub(in crate::node) from: Box<[(Peer, u32)]>,
}

/// The part of an application that one task is.
pub(in crate::node) struct Part<'a> {
    pub(in crate::node) process: &'a TaskProcess,
    pub(in crate::node) application: &'a Application,
    pub(in crate::node) rank: u32,
    pub(in crate::node) peers: &'a Peers,
}

impl Part<'_> {
    /// Runs the task from its start to its end.
    pub(in crate::node) async fn run(&self, times: &mut TaskTimes) {
        match &self.application.program {
            Program::Iterations(iterations) => self.iterate(iterations, times).await,
            Program::Pipeline(pipeline) => self.pass_on(pipeline, times).await,
            Program::Recorded(tasks) => self.play(&tasks[self.rank as usize]).await,
        }
    }

    async fn iterate(&self, program: &Iterations, times: &mut TaskTimes) {
        let start = now();
        for iteration in 0..program.iterations {
            if let Some((release, _)) = self.due(start, iteration) {
                self.process.sleep_until(release).await;
            }
            if program.compute.of(0).is_some() {
                self.process.compute(self.process.node.params.scaled(times.compute())).await;
            }
            if program.io.of(0).is_some() {
                self.process.io(times.io()).await;
            }
            for (peer, _) in &self.peers.to {
                for _ in 0..program.messages {
                    self.process.send(peer, program.size).await;
                }
            }
            for (sender, (peer, _)) in (0..).zip(&self.peers.from) {
                for _ in 0..program.messages {
                    self.process.receive(sender, peer).await;
                }
            }
            if let (Some((release, deadline)), Some(job)) =
                (self.due(start, iteration), &self.process.task.job)
            {
                job.frame(release, deadline);
            }
        }
    }

    /// The release of an iteration and its deadline after that; `None` for best effort.
    fn due(&self, start: SimTime, iteration: u32) -> Option<(SimTime, SimDuration)> {
        match self.application.quality {
            Quality::BestEffort => None,
            Quality::RealTime { period, deadline, .. } => {
                Some((release(start, period, u64::from(iteration)), deadline))
            }
        }
    }

    async fn pass_on(&self, pipeline: &Pipeline, times: &mut TaskTimes) {
        let start = now();
        for frame in 0..u64::from(pipeline.frames) {
            let release = release(start, pipeline.period, frame);
            match self.peers.from.first() {
                Some((before, _)) => self.process.receive(0, before).await,
                None => self.process.sleep_until(release).await,
            }
            self.process.compute(self.process.node.params.scaled(times.compute())).await;
            match (self.peers.to.first(), &self.process.task.job) {
                (Some((after, _)), _) => self.process.send(after, pipeline.size).await,
                (None, Some(job)) => job.frame(release, pipeline.deadline),
                (None, None) => {}
            }
        }
    }

    async fn play(&self, steps: &[RecordedStep]) {
        let process = self.process;
        for &step in steps {
            match step {
                RecordedStep::Compute(span) => process.compute(process.node.params.scaled(span)).await,
                RecordedStep::Io(span) => process.io(span).await,
                RecordedStep::Send { to, size } => process.send(find(&self.peers.to, to).1, size).await,
                RecordedStep::Receive { from } => {
                    let (sender, peer) = find(&self.peers.from, from);
                    process.receive(sender, peer).await;
                }
            }
        }
    }
}

/// A peer by its rank, and its place in the list.
fn find(list: &[(Peer, u32)], rank: u32) -> (u32, &Peer) {
    let found = (0..).zip(list).find(|(_, (_, other))| *other == rank);
    found.map(|(number, (peer, _))| (number, peer)).expect("every peer that a step names is known")
}

fn release(start: SimTime, period: SimDuration, number: u64) -> SimTime {
    start.saturating_add(SimDuration::from_nanos(period.as_nanos().saturating_mul(number)))
}

/// The link of a message, as a timeline has it.
fn link(node: u32, task: TaskKey, sender: u32) -> Link {
    (node, task.data().as_ffi(), sender)
}

/// A task on its node, as its process has it.
#[derive(Debug)]
pub(in crate::node) struct TaskProcess {
    pub(in crate::node) node: Rc<Node>,
    pub(in crate::node) task: Rc<Task>,
    pub(in crate::node) cluster: Rc<ClusterState>,
    pub(in crate::node) round_trip: SimDuration,
}

impl TaskProcess {
    /// Waits until the task runs.
    async fn scheduled(&self) {
        while !self.task.is_going() {
            self.task.resumption.wait().await;
        }
    }

    /// The task does something else from now on.
    fn begin(&self, doing: Doing) {
        self.task.doing.set(doing);
        if self.task.state.get() == State::Running {
            self.node.processor(&self.task).charge(&self.node);
        }
    }

    /// Has the processor for `span`, in as many dispatches as that takes.
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

    /// Sleeps from now on, as a task that waits for I/O, but not counted as such.
    pub(in crate::node) async fn rest(&self) {
        self.scheduled().await;
        self.sleep(State::IoWait);
    }

    /// Gives up the processor, and competes for it no more until the task is woken.
    fn sleep(&self, state: State) {
        self.leave(state);
        self.node.sleeps(&self.task);
    }

    /// Gives up the processor.
    fn leave(&self, state: State) {
        self.task.state.set(state);
        self.node.processor(&self.task).leave(&self.node);
    }

    /// The task is ready again.
    fn wake_up(&self) {
        self.node.make_ready(&self.task, Entering::Woken, CpuRequest::Ready);
    }

    /// Waits for I/O of `span`, without the processor; then the task is ready again.
    pub(in crate::node) async fn io(&self, span: SimDuration) {
        self.scheduled().await;
        self.begin(Doing::Compute);
        self.sleep(State::IoWait);
        self.node.change_io(1);
        hold(span).await;
        self.node.change_io(-1);
        self.wake_up();
    }

    /// Waits without the processor until an instant; nothing if that has come.
    pub(in crate::node) async fn sleep_until(&self, instant: SimTime) {
        if instant > now() {
            self.rest().await;
            hold(instant.since(now())).await;
            self.wake_up();
        }
    }

    /// Sends a message: composes it, and leaves it to the network interface.
    pub(in crate::node) async fn send(&self, to: &Peer, size: Bytes) {
        self.work(Doing::Message, self.node.params.send_overhead).await;
        self.node.note(self.task.cpu.get(), |timeline, processor| {
            timeline.sent(processor, link(to.node, to.task.key, to.sender), now());
        });
        self.node.nic.post(Message { to: to.node, task: Rc::clone(&to.task), sender: to.sender, size });
        self.task.count(|counts| counts.messages += 1);
    }

    /// Receives the next message of a sender: waits for it as the scheme says, and decomposes it.
    pub(in crate::node) async fn receive(&self, from: u32, peer: &Peer) {
        self.scheduled().await;
        if !self.task.has_message(from) {
            peer.task.awaited();
            self.wait_for(from).await;
        }
        self.task.consume(from);
        self.node.note(self.task.cpu.get(), |timeline, processor| {
            timeline.received(processor, link(self.node.index, self.task.key, from), now());
        });
        self.work(Doing::Message, self.node.params.receive_overhead).await;
    }

    /// Waits as the wait action says until a message is there and the task runs.
    async fn wait_for(&self, from: u32) {
        self.begin(Doing::Spin { from, by: ResumedBy::Message });
        self.node.processor(&self.task).spin_begins(&self.node);
        let arrivals = self.node.arrivals();
        let mut spun = SimDuration::ZERO;
        while !self.has(from) {
            let wait = Spinning {
                spun,
                arrivals: self.node.arrivals() - arrivals,
                context_switch: self.node.params.context_switch,
                round_trip: self.round_trip,
            };
            match self.cluster.wait.step(&wait) {
                Step::Spin => self.message(from).await,
                Step::SpinFor(limit) => spun += self.spin_for(limit, from).await,
                Step::Block => self.block(from).await,
                Step::Yield => {
                    if self.yield_now(from).await {
                        spun = SimDuration::ZERO;
                    }
                }
            }
        }
    }

    /// Spins until the message is there, or for `limit` of processor time: how much of that is used
    /// up.
    async fn spin_for(&self, limit: SimDuration, from: u32) -> SimDuration {
        self.task.spin_limit.set(limit);
        if let Either::Left(()) = race(self.message(from), self.task.spin_limit.done()).await {
            return SimDuration::ZERO;
        }
        // the limit may be used up at the very instant at which the task loses its processor
        while !self.task.is_going() {
            self.spin_until(from, ResumedBy::Dispatch).await;
        }
        limit
    }

    /// Waits for the message without the processor, until an interrupt wakes the task.
    async fn block(&self, from: u32) {
        self.task.count(|counts| counts.blocks += 1);
        self.sleep(State::Blocked);
        self.message(from).await;
    }

    /// Gives the processor to another task that is ready, or keeps it until one is; whether it was
    /// dispatched again by then.
    async fn yield_now(&self, from: u32) -> bool {
        if self.node.with_ready(|ready| ready.is_empty()) {
            return self.spin_until(from, ResumedBy::Ready).await == ResumedBy::Dispatch;
        }
        self.task.count(|counts| counts.yields += 1);
        self.node.processor(&self.task).preempt(Entering::Yielded);
        self.spin_until(from, ResumedBy::Dispatch).await;
        true
    }

    /// Waits, spinning, until its process is resumed; gives what would resume it by then.
    async fn spin_until(&self, from: u32, by: ResumedBy) -> ResumedBy {
        self.task.doing.set(Doing::Spin { from, by });
        self.task.resumption.wait().await;
        let Doing::Spin { by, .. } = self.task.doing.replace(Doing::Spin { from, by: ResumedBy::Message })
        else {
            unreachable!("a task that spins does nothing else meanwhile")
        };
        by
    }

    /// Returns true if the message of a sender is there and the task runs.
    fn has(&self, from: u32) -> bool {
        self.task.is_going() && self.task.has_message(from)
    }

    /// Waits until the message of a sender is there and the task runs.
    async fn message(&self, from: u32) {
        while !self.has(from) {
            self.task.resumption.wait().await;
        }
    }

    /// Ends the task, which takes its processor like all that it does, if no time.
    pub(in crate::node) async fn end(&self) {
        self.scheduled().await;
        self.leave(State::Done);
        self.node.remove(self.task.key);
    }
}
