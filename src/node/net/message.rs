//! Messages, and the queues of a network interface in which they wait.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use crate::kernel::Signal;
use crate::node::app::task::Task;
use crate::units::Bytes;

/// A message in transit.
#[derive(Clone, Debug)]
pub(in crate::node) struct Message {
    /// The node of its destination.
    pub(in crate::node) to: u32,
    /// The destination.
    pub(in crate::node) task: Rc<Task>,
    /// Which of the destination's senders sent it.
    pub(in crate::node) sender: u32,
    pub(in crate::node) size: Bytes,
}

/// The network interface of a node.
#[derive(Debug)]
#[repr(C)]
pub(in crate::node) struct Nic {
    pub(super) sending: Cell<bool>,
    pub(super) outgoing: RefCell<VecDeque<Message>>,
    /// Something is queued.
    pub(super) posted: Signal,
    pub(super) incoming: RefCell<VecDeque<Message>>,
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

    /// Queues a message for sending.
    pub(in crate::node) fn post(&self, message: Message) {
        self.outgoing.borrow_mut().push_back(message);
        if !self.sending.get() {
            self.sending.set(true);
            self.posted.set();
        }
    }
}
