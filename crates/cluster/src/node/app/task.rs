//! A task on its node: its state, what it does when it runs, and the messages that are there for
//! it.
//!
//! A spin costs no events: the process of the task ([`super::process`]) waits for the message, and
//! while it waits its processor is charged with spinning, its quantum runs, and its spin limit goes
//! on, each paused while the task does not run. A message that comes while the task does not run is
//! only stored; the spin is over the moment the task next runs.

use std::cell::Cell;
use std::rc::Rc;

use crate::instrument::execution::Counts;
use crate::instrument::profile::Activity;
use crate::kernel::{Signal, SimDuration, SimTime, Work, now};
use crate::node::os::cpu::TaskKey;
use crate::units::Bytes;

use super::job::JobTasks;

/// The state of a task; see [`crate::node::os::node`] for the transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::node) enum State {
    Ready,
    Running,
    IoWait,
    Blocked,
    Done,
}

/// A message in transit.
#[derive(Clone, Debug)]
pub(in crate::node) struct Message {
    /// The node of its destination.
    pub(in crate::node) to: u32,
    /// The destination.
    pub(in crate::node) task: Rc<Task>,
    /// Place of the sending task among the destination's senders.
    pub(in crate::node) sender: u32,
    pub(in crate::node) size: Bytes,
}

/// The event that resumes the process of a task that spins, apart from the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::node) enum ResumedBy {
    /// Nothing else.
    Message,
    /// Next dispatch: its spin limit is used up, or it has yielded.
    Dispatch,
    /// Another task that is ready, to which it then yields, or its next dispatch.
    Ready,
}

/// The activity of a task that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::node) enum Doing {
    Compute,
    /// Composes or decomposes a message.
    Message,
    /// Busy-waits for the message of this peer.
    Spin {
        from: u32,
        by: ResumedBy,
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

/// Senders whose messages are counted next to the state of a task.
const FEW: usize = 4;

/// The messages that are there for a task and not consumed.
#[derive(Debug)]
#[repr(C)]
struct Messages {
    all: Cell<u64>,
    /// By sender, for the first of them.
    few: [Cell<u32>; FEW],
    /// By sender, for the others.
    more: Box<[Cell<u32>]>,
}

impl Messages {
    fn new(senders: usize) -> Self {
        let more = vec![Cell::new(0); senders.saturating_sub(FEW)].into();
        Messages { all: Cell::new(0), few: Default::default(), more }
    }

    #[inline]
    fn of(&self, sender: u32) -> &Cell<u32> {
        let sender = sender as usize;
        self.few.get(sender).unwrap_or_else(|| &self.more[sender - FEW])
    }

    fn add(&self, sender: u32) {
        self.of(sender).update(|messages| messages + 1);
        self.all.update(|messages| messages + 1);
    }

    fn remove(&self, sender: u32) {
        self.of(sender).update(|messages| messages - 1);
        self.all.update(|messages| messages - 1);
    }
}

/// A task on a node.
///
/// Thousands of tasks do not fit a processor's cache: what a message touches of one lies together,
/// at the beginning.
#[derive(Debug)]
#[repr(C)]
pub(in crate::node) struct Task {
    pub(in crate::node) key: TaskKey,
    pub(in crate::node) doing: Cell<Doing>,
    messages: Messages,
    pub(in crate::node) state: Cell<State>,
    /// True if an interrupt is pending for it.
    pub(in crate::node) interrupt_pending: Cell<bool>,
    /// The processor of its node on which it runs, or ran last.
    pub(in crate::node) cpu: Cell<u32>,
    /// Signals that it has been dispatched, or that the message that it spins for is there.
    pub(super) resumption: Signal,
    /// Work on its processor: it goes on exactly while the task has one, whether its end
    /// is awaited or not.
    pub(super) work: Work,
    /// The job that it is part of; `None` for a daemon of the operating system.
    pub(in crate::node) job: Option<Rc<JobTasks>>,
    /// Processor time it has had and its run queue was not charged with [ns].
    received: Cell<u64>,
    going_since: Cell<SimTime>,
    pub(super) spin_limit: Work,
    /// Working set.
    pub(in crate::node) memory: Bytes,
    pub(in crate::node) rank: u32,
    /// Waits of its peers that began while it did not run: how many, and the sum of their
    /// beginnings [ns].
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
            interrupt_pending: Cell::new(false),
            work: Work::new(("work of task", index)),
            spin_limit: Work::limit(("spin limit of task", index)),
            received: Cell::new(0),
            going_since: Cell::new(now()),
            resumption: Signal::new(("resumption of task", index)),
            messages: Messages::new(senders),
            awaited_by: Cell::default(),
        }
    }

    /// Returns true if it has its processor now, no work in the kernel's name interrupting it.
    pub(in crate::node) fn is_going(&self) -> bool {
        self.work.is_going()
    }

    /// Notes that it has been put on its processor.
    pub(in crate::node) fn dispatched(&self) {
        let (waits, since) = self.awaited_by.take();
        if let Some(job) = &self.job {
            job.dispatched(waits, since);
        }
    }

    /// Notes that it has lost its processor, as if it had yielded.
    pub(in crate::node) fn lost_processor(&self) {
        if let Doing::Spin { from, by: ResumedBy::Ready } = self.doing.get() {
            self.doing.set(Doing::Spin { from, by: ResumedBy::Dispatch });
        }
    }

    /// Another task is ready while it runs.
    pub(in crate::node) fn other_is_ready(&self) {
        if matches!(self.doing.get(), Doing::Spin { by: ResumedBy::Ready, .. }) {
            self.wake();
        }
    }

    /// Lets it go on.
    pub(in crate::node) fn resume(&self) {
        self.going_since.set(now());
        self.work.go();
        self.spin_limit.go();
        match self.doing.get() {
            Doing::Spin { from, by: ResumedBy::Message } if !self.has_message(from) => {}
            _ => self.wake(),
        }
    }

    /// Lets it stand still.
    pub(in crate::node) fn stop(&self) {
        if self.work.is_going() {
            self.received.set(self.received.get() + now().since(self.going_since.get()).as_nanos());
            self.work.pause();
            self.spin_limit.pause();
        }
    }

    /// Lets its process look again, if it waits for its processor or a message.
    pub(in crate::node) fn wake(&self) {
        self.resumption.give();
    }

    /// Processor time it has had since the last call.
    pub(in crate::node) fn take_received(&self) -> SimDuration {
        debug_assert!(!self.work.is_going(), "it stands still when its time is charged");
        SimDuration::from_nanos(self.received.take())
    }

    /// Returns true if it waits for a message that is not there.
    pub(in crate::node) fn spins_without_message(&self) -> bool {
        matches!(self.doing.get(), Doing::Spin { from, .. } if !self.has_message(from))
    }

    #[inline]
    pub(in crate::node) fn has_message(&self, from: u32) -> bool {
        self.messages.of(from).get() > 0
    }

    /// Messages that are there and not consumed.
    pub(in crate::node) fn unconsumed(&self) -> u64 {
        self.messages.all.get()
    }

    /// A message of a sender is there; says whether it is the one that the task waits for.
    pub(in crate::node) fn deposit(&self, sender: u32) -> bool {
        self.messages.add(sender);
        matches!(self.doing.get(), Doing::Spin { from, .. } if from == sender)
    }

    /// A message of a sender is there no more.
    pub(super) fn consume(&self, from: u32) {
        self.messages.remove(from);
    }

    /// A wait of a peer for it begins; if it does not run, its next dispatch ends that.
    pub(super) fn awaited(&self) {
        if self.state.get() != State::Running {
            let (waits, since) = self.awaited_by.get();
            self.awaited_by.set((waits + 1, since + u128::from(now().as_nanos())));
        }
    }

    /// Counts something of its job.
    #[inline]
    pub(in crate::node) fn count(&self, change: impl FnOnce(&mut Counts)) {
        if let Some(job) = &self.job {
            job.count(change);
        }
    }

    /// Time on a processor is charged to its job.
    pub(in crate::node) fn charge(&self, activity: Activity, span: SimDuration) {
        if let Some(job) = &self.job {
            job.charge(activity, span);
        }
    }
}
