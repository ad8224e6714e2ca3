//! An agent's handle to itself: where it is, what time it is, and what it does apart from computing and sending.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use crate::kernel::{SimDuration, SimTime, hold, now};
use crate::platform::{HostId, Platform};

use super::life::{begin, park};
use super::program::Program;
use super::runtime::{Body, Runtime, Standing};
use super::{AgentError, AgentId, Mailbox, Peer};

/// What an agent acts by: the verbs of its program. See the [module](super).
///
/// It is given to the program at its beginning. A clone of it, for use under a combinator, is the same agent.
#[derive(Clone)]
pub struct Agent {
    pub(super) runtime: Rc<Runtime>,
    pub(super) body: Rc<Body>,
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Body { id, name, host, .. } = &*self.body;
        f.debug_struct("Agent")
            .field("id", id)
            .field("name", name)
            .field("host", &host.get())
            .finish_non_exhaustive()
    }
}

impl Agent {
    /// Its number.
    pub fn id(&self) -> AgentId {
        self.body.id
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.body.name
    }

    /// The host it is on.
    pub fn host(&self) -> HostId {
        self.body.host.get()
    }

    /// The platform it lives in.
    pub fn platform(&self) -> &Platform {
        &self.runtime.platform
    }

    /// The present instant.
    pub fn now(&self) -> SimTime {
        now()
    }

    /// Lets time pass.
    pub async fn sleep(&self, span: SimDuration) {
        hold(span).await;
    }

    /// Suspends itself until another agent resumes it.
    pub async fn suspend(&self) {
        self.body.standing.set(Standing::Suspended);
        park().await;
    }

    /// Moves to another host at once; what it computes or gets meanwhile, under a combinator, stays where it was begun.
    ///
    /// # Errors
    /// [`AgentError::HostFailure`] if that host does not work; the agent stays then.
    ///
    /// # Panics
    /// If the host is of another platform.
    pub fn migrate(&self, to: HostId) -> Result<(), AgentError> {
        self.check_works(to)?;
        self.runtime.move_out(&self.body, Some(to));
        Ok(())
    }

    /// Begins another agent on a host; it runs behind everything already scheduled for this instant.
    ///
    /// # Errors
    /// [`AgentError::HostFailure`] if that host does not work.
    ///
    /// # Panics
    /// If the host is of another platform.
    pub fn spawn<F, R>(
        &self,
        host: HostId,
        name: impl Into<Cow<'static, str>>,
        program: F,
    ) -> Result<Peer, AgentError>
    where
        F: FnOnce(Agent) -> R + 'static,
        R: Future<Output = Result<(), AgentError>> + 'static,
    {
        self.check_works(host)?;
        let body = begin(&self.runtime, host, name.into(), (Program::once(program), None));
        Ok(Peer::new(&self.runtime, body))
    }

    /// This agent as others see it, to be told to them.
    pub fn as_peer(&self) -> Peer {
        Peer::new(&self.runtime, Rc::clone(&self.body))
    }

    /// The agent of this number, alive or not.
    pub fn peer(&self, agent: AgentId) -> Option<Peer> {
        Some(Peer::new(&self.runtime, self.runtime.body(agent)?))
    }

    /// The first living agent of this name.
    ///
    /// # Complexity
    /// O(n) for n agents.
    pub fn peer_named(&self, name: &str) -> Option<Peer> {
        Some(Peer::new(&self.runtime, self.runtime.body_named(name)?))
    }

    /// The mailbox of this name, which comes into being when it is first asked for.
    pub fn mailbox(&self, name: &str) -> Mailbox {
        Mailbox(self.runtime.mailboxes.borrow_mut().named(name))
    }

    /// From now on what is put into the mailbox is for this host: transfers start when they are put.
    pub fn receive_on(&self, mailbox: Mailbox) {
        self.runtime.mailboxes.borrow_mut().line(mailbox.0).host = Some(self.host());
    }

    /// Keeps a value on this host, where all agents that are on it see it; it replaces the one of its type.
    pub fn keep_on_host<T: Any>(&self, value: T) {
        // what was replaced is dropped when nothing is borrowed any more
        drop(self.runtime.keep(self.host(), Rc::new(value)));
    }

    /// The value of this type that was kept on this host.
    pub fn kept_on_host<T: Any>(&self) -> Option<Rc<T>> {
        self.runtime.kept(self.host())
    }

    /// Whether a host works.
    ///
    /// # Panics
    /// If the host is of another platform.
    pub fn works(&self, host: HostId) -> bool {
        self.runtime.processors.works(host)
    }

    fn check_works(&self, host: HostId) -> Result<(), AgentError> {
        let works = self.works(host);
        if works { Ok(()) } else { Err(AgentError::HostFailure(self.runtime.host_name(host))) }
    }
}
