//! An agent's handle to itself: where it is, what time it is, and what it does apart from computing
//! and sending.

use std::any::Any;
use std::ops::Deref;
use std::rc::Rc;

use crate::kernel::{SimDuration, SimTime, hold, now};
use crate::platform::{HostId, Platform};

use super::{AgentError, AgentId, Mailbox, Peer};

/// Handle of an agent: the verbs of its program. See the [module](super).
///
/// It is given to the program at its beginning. A clone of it, for use under a combinator, is the
/// same agent.
#[derive(Clone, Debug)]
pub struct Agent(pub(super) Peer);

impl Deref for Agent {
    type Target = Peer;

    fn deref(&self) -> &Peer {
        &self.0
    }
}

impl Agent {
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
        self.runtime.note_wait(&self.body);
        hold(span).await;
    }

    /// Moves to another host at once; what it computes or gets meanwhile, under a combinator, stays
    /// where it was begun.
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

    /// From now on what is put into the mailbox is for this host: transfers start when they are
    /// put.
    pub fn receive_on(&self, mailbox: Mailbox) {
        self.runtime.mailboxes.borrow_mut().queue(mailbox.0).host = Some(self.host());
    }

    /// Keeps a value on this host, where all agents that are on it see it; it replaces the one of
    /// its type.
    pub fn keep_on_host<T: Any>(&self, value: T) {
        // what was replaced is dropped when nothing is borrowed any more
        drop(self.runtime.keep(self.host(), Rc::new(value)));
    }

    /// The value of this type that was kept on this host.
    pub fn kept_on_host<T: Any>(&self) -> Option<Rc<T>> {
        self.runtime.kept(self.host())
    }

    /// Returns true if a host works.
    ///
    /// # Panics
    /// If the host is of another platform.
    pub fn works(&self, host: HostId) -> bool {
        self.runtime.processors.works(host)
    }

    pub(super) fn check_works(&self, host: HostId) -> Result<(), AgentError> {
        let works = self.works(host);
        if works { Ok(()) } else { Err(AgentError::HostFailure(self.runtime.host_name(host))) }
    }
}
