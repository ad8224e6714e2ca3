//! Programs of agents, and where and when they are begun.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::rc::Rc;

use async_trait::async_trait;

use crate::kernel::SimTime;
use crate::platform::HostId;

use super::{Agent, AgentError};

/// Program of an agent, as a type of its own; a closure does as well
/// ([`World::agent`](super::World::agent)).
#[async_trait(?Send)]
pub trait Behaviour: fmt::Debug {
    /// Lives on a host until it returns. An error counts the agent as failed, and the run goes on.
    ///
    /// # Errors
    /// What the program does not know how to go on after.
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError>;
}

/// Running program of an agent.
pub(super) type Running = Pin<Box<dyn Future<Output = Result<(), AgentError>>>>;

/// A program that can be begun once, or again and again.
pub(super) enum Program {
    Once(Box<dyn FnOnce(Agent) -> Running>),
    Again(Rc<dyn Fn(Agent) -> Running>),
}

impl Program {
    pub(super) fn once<F, R>(program: F) -> Self
    where
        F: FnOnce(Agent) -> R + 'static,
        R: Future<Output = Result<(), AgentError>> + 'static,
    {
        Program::Once(Box::new(move |me| Box::pin(program(me))))
    }
}

/// Outcome of a program whose host fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnFailure {
    /// Over.
    #[default]
    Die,
    /// Begins again on the same host when that works again.
    Restart,
}

/// An agent to be: where, what, and from when to when.
pub struct DeployedAgent {
    /// The host it begins on.
    pub host: HostId,
    /// Name; many may have one name.
    pub name: Cow<'static, str>,
    /// Instant at which it begins.
    pub start: SimTime,
    /// Instant at which it is killed, if it has not ended by then; other events of that instant go
    /// first.
    pub kill: Option<SimTime>,
    /// Outcome of it if its host fails. A program that can be begun only once is over.
    pub on_failure: OnFailure,
    pub(super) program: Program,
}

impl fmt::Debug for DeployedAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeployedAgent")
            .field("host", &self.host)
            .field("name", &self.name)
            .field("start", &self.start)
            .field("kill", &self.kill)
            .field("on_failure", &self.on_failure)
            .finish_non_exhaustive()
    }
}

impl DeployedAgent {
    /// An agent from the start of the run on, whose program is begun once.
    pub fn new<F, R>(host: HostId, name: impl Into<Cow<'static, str>>, program: F) -> Self
    where
        F: FnOnce(Agent) -> R + 'static,
        R: Future<Output = Result<(), AgentError>> + 'static,
    {
        Self::of(host, name.into(), Program::once(program))
    }

    /// The same for a behaviour.
    pub fn behaving(host: HostId, name: impl Into<Cow<'static, str>>, behaviour: Box<dyn Behaviour>) -> Self {
        Self::of(host, name.into(), Program::Once(Box::new(move |me| behaviour.run(me))))
    }

    /// An agent whose program is begun again whenever its host works again after it failed.
    pub fn restarting<F, R>(host: HostId, name: impl Into<Cow<'static, str>>, program: F) -> Self
    where
        F: Fn(Agent) -> R + 'static,
        R: Future<Output = Result<(), AgentError>> + 'static,
    {
        let program = Program::Again(Rc::new(move |me| -> Running { Box::pin(program(me)) }));
        DeployedAgent { on_failure: OnFailure::Restart, ..Self::of(host, name.into(), program) }
    }

    fn of(host: HostId, name: Cow<'static, str>, program: Program) -> Self {
        DeployedAgent { host, name, start: SimTime::ZERO, kill: None, on_failure: OnFailure::Die, program }
    }

    /// The same agent, begun at `start`.
    #[must_use]
    pub fn starting_at(self, start: SimTime) -> Self {
        DeployedAgent { start, ..self }
    }

    /// The same agent, killed at `kill`.
    #[must_use]
    pub fn killed_at(self, kill: SimTime) -> Self {
        DeployedAgent { kill: Some(kill), ..self }
    }
}
