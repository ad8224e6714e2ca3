//! Actions of an agent on another.

use std::fmt;
use std::rc::Rc;

use crate::kernel::Process;
use crate::platform::HostId;

use super::AgentId;
use super::runtime::{Body, RunState, Runtime};

/// Another agent, alive or not.
#[derive(Clone)]
pub struct Peer {
    pub(super) runtime: Rc<Runtime>,
    pub(super) body: Rc<Body>,
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer")
            .field("id", &self.body.id)
            .field("name", &self.body.name)
            .finish_non_exhaustive()
    }
}

impl Peer {
    pub(super) fn new(runtime: &Rc<Runtime>, body: Rc<Body>) -> Self {
        Peer { runtime: Rc::clone(runtime), body }
    }

    /// Number.
    pub fn id(&self) -> AgentId {
        self.body.id
    }

    /// Name.
    pub fn name(&self) -> &str {
        &self.body.name
    }

    /// The host it is on, or was on at its end.
    pub fn host(&self) -> HostId {
        self.body.host.get()
    }

    /// Returns true if it has not ended.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn is_alive(&self) -> bool {
        self.body.process.get().is_some_and(Process::is_alive)
    }

    /// Returns true if it is suspended.
    pub fn is_suspended(&self) -> bool {
        self.body.run_state.get() == RunState::Suspended
    }

    /// Suspends it until it is resumed: what it computes stands still, and it does not go on after
    /// whatever it waits for. Transfers and sleeps go on. Nothing if it is suspended.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn suspend(&self) {
        if self.body.run_state.replace(RunState::Suspended) == RunState::Running {
            let computing = self.body.computing.borrow();
            computing.iter().for_each(|task| self.runtime.processors.pause(task));
        }
    }

    /// Lets it go on; nothing if it is not suspended.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn resume(&self) {
        if self.body.run_state.replace(RunState::Running) == RunState::Suspended {
            let computing = self.body.computing.borrow();
            computing.iter().for_each(|task| self.runtime.processors.resume(task));
            if let Some(resumed) = &*self.body.resumed.borrow() {
                resumed.give();
            }
        }
    }

    /// Kills it: what it does is taken back, and an agent in a rendezvous with it is notified. An
    /// agent that kills itself ends at its next await. Says whether there was an agent to kill.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn kill(&self) -> bool {
        self.body.process.get().is_some_and(Process::kill)
    }

    /// Waits until it has ended, however that came.
    pub async fn join(&self) {
        if let Some(process) = self.body.process.get() {
            // the run's outcomes say that it was killed
            let _killed = process.join().await;
        }
    }
}
