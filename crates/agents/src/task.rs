//! Tasks: what agents compute and send each other.

use std::any::Any;
use std::borrow::Cow;

use crate::ids::index;
use crate::platform::HostId;

index! {
    /// An agent of a run, numbered from 0 in the order in which they begin.
    pub struct AgentId(pub(super) u32);
}

/// The sender of a task, and its host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sender {
    /// The agent.
    pub agent: AgentId,
    /// The host that it was on.
    pub host: HostId,
}

/// Something to compute, to send, or both. It has one owner, and is gone when that drops it.
#[derive(Debug)]
pub struct Task {
    /// Name; many may have one name.
    pub name: Cow<'static, str>,
    /// Amount to compute, in the unit of the hosts' speeds.
    pub amount: f64,
    /// Amount to send, in the unit of the links' bandwidths.
    pub size: f64,
    /// Share of a host counts by this, against that of other tasks there.
    pub priority: f64,
    /// Value that the task carries.
    pub data: Option<Box<dyn Any>>,
    pub(super) sender: Option<Sender>,
}

impl Task {
    /// A task of priority 1 that carries nothing.
    pub fn new(name: impl Into<Cow<'static, str>>, amount: f64, size: f64) -> Self {
        Task { name: name.into(), amount, size, priority: 1.0, data: None, sender: None }
    }

    /// The same task, carrying `data`.
    #[must_use]
    pub fn carrying(self, data: impl Any) -> Self {
        Task { data: Some(Box::new(data)), ..self }
    }

    /// The same task, of this priority.
    #[must_use]
    pub fn of_priority(self, priority: f64) -> Self {
        Task { priority, ..self }
    }

    /// Takes out what it carries, if that is a `T`.
    pub fn take<T: Any>(&mut self) -> Option<T> {
        match self.data.take()?.downcast::<T>() {
            Ok(data) => Some(*data),
            Err(other) => {
                self.data = Some(other);
                None
            }
        }
    }

    /// The agent that put it last; none if it was never put.
    pub fn sender(&self) -> Option<Sender> {
        self.sender
    }
}
