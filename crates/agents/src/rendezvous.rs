//! A rendezvous: one task, the agent that puts it and the agent that gets it.
//!
//! ```text
//!   waiting ──1──▶ in progress ──2──▶ arrived
//!      │               └──3──▶ failed ◀── 4: host of the mailbox failed, or no transfer began
//!      └── 5: given up ──▶ gone
//! ```
//! 1. Both are there, or the put is eager.
//! 2. The network has carried the task, or there was nothing to carry it over.
//! 3. A link failed, or one of the two is gone.
//!
//! Each side has a signal of its own here. A rendezvous that is over is used again for another.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::kernel::{Signal, SimTime};
use crate::platform::network::TransferObserver;
use crate::platform::{End, HostId, TransferId};

use super::log::Log;
use super::record::{Entry, Operation, Outcome};
use super::{AgentError, Sender, Task};

/// Stage of a rendezvous.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    Waiting,
    InProgress(TransferId),
    Arrived,
    Failed,
    /// No agent is in it any more; it may still stand in the queue of its mailbox.
    Gone,
}

/// Cause of the failure of a rendezvous: a link, or an error.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Lost {
    Link(crate::platform::sharing::LinkId),
    Error(AgentError),
}

pub(super) struct Rendezvous {
    pub(super) stage: Cell<Stage>,
    pub(super) task: Cell<Option<Task>>,
    pub(super) sender: Cell<Option<Sender>>,
    pub(super) receiver: Cell<Option<Sender>>,
    /// The most its transfer may have.
    pub(super) bound: Cell<Option<f64>>,
    /// The number of its mailbox.
    pub(super) mailbox: Cell<u32>,
    /// Amount that its transfer carries, and the beginning of the transfer.
    size: Cell<f64>,
    started: Cell<SimTime>,
    lost: RefCell<Option<Box<Lost>>>,
    pub(super) sent: Signal,
    pub(super) got: Signal,
    log: Rc<Log>,
}

impl Rendezvous {
    pub(super) fn new(log: &Rc<Log>) -> Self {
        Rendezvous {
            stage: Cell::new(Stage::Waiting),
            task: Cell::new(None),
            sender: Cell::new(None),
            receiver: Cell::new(None),
            bound: Cell::new(None),
            mailbox: Cell::new(0),
            size: Cell::new(0.0),
            started: Cell::new(SimTime::ZERO),
            lost: RefCell::new(None),
            sent: Signal::new("the end of a put"),
            got: Signal::new("the end of a get"),
            log: Rc::clone(log),
        }
    }

    /// Makes it as new, for another task.
    pub(super) fn clear(&self) {
        self.stage.set(Stage::Waiting);
        self.task.set(None);
        self.sender.set(None);
        self.receiver.set(None);
        self.bound.set(None);
        self.lost.take();
        self.sent.clear();
        self.got.clear();
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage.get(), Stage::Arrived | Stage::Failed)
    }

    /// The transfer of `size` is about to start.
    pub(super) fn departs(&self, size: f64, now: SimTime) {
        self.size.set(size);
        self.started.set(now);
        self.log.departed(size);
    }

    /// The task is where it is got.
    pub(super) fn arrive(&self) {
        self.stage.set(Stage::Arrived);
        self.finish(Outcome::Done);
        self.sent.give();
        self.got.give();
    }

    /// Ends the rendezvous without success.
    pub(super) fn fail(&self, lost: Lost) {
        if let Stage::InProgress(_) = self.stage.replace(Stage::Failed) {
            self.finish(Outcome::Failed);
        }
        *self.lost.borrow_mut() = Some(Box::new(lost));
        self.sent.give();
        self.got.give();
    }

    /// Cause of its failure, if one was noted.
    pub(super) fn lost(&self) -> Option<Lost> {
        self.lost.borrow().as_deref().cloned()
    }

    /// Logs the end of the transfer.
    fn finish(&self, outcome: Outcome) {
        let size = self.size.get();
        self.log.transferred(size, outcome);
        if self.log.wants_operations()
            && let Some(Sender { agent, host }) = self.sender.get()
        {
            let (start, operation) = (self.started.get(), Operation::Transfer);
            let entry = Entry { operation, agent, host, amount: size, start, end: start, outcome };
            let task = self.task.take();
            self.log.operation(task.as_ref().map_or("", |task| &task.name), entry);
            self.task.set(task);
        }
    }

    /// The host that it is sent from.
    pub(super) fn source(&self) -> Option<HostId> {
        self.sender.get().map(|sender| sender.host)
    }
}

impl TransferObserver for Rendezvous {
    fn ended(&self, end: End) {
        match end {
            End::Completed => self.arrive(),
            End::Failed(link) => self.fail(Lost::Link(link)),
        }
    }
}
