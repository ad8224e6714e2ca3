//! Reading and writing the disks of an agent's host.

use crate::kernel::{SimTime, now};
use crate::platform::{Access, AccessFailed};

use super::record::{Entry, Operation, Outcome};
use super::{Agent, AgentError};

impl Agent {
    /// Reads `size` from a disk of the host that the agent is on, with an equal share of what the
    /// disk can read. It goes on while the agent is suspended.
    ///
    /// # Errors
    /// [`AgentError::Fatal`] if the host has no such disk, or the size is none.
    pub async fn read(&self, disk: &str, size: f64) -> Result<(), AgentError> {
        self.access(disk, Access::Read, size).await
    }

    /// Writes `size` to a disk of the host that the agent is on, as [`Agent::read`] reads.
    ///
    /// # Errors
    /// As [`Agent::read`].
    pub async fn write(&self, disk: &str, size: f64) -> Result<(), AgentError> {
        self.access(disk, Access::Write, size).await
    }

    async fn access(&self, disk: &str, access: Access, size: f64) -> Result<(), AgentError> {
        let mut accessing =
            Accessing { agent: self, disk, access, size, since: now(), outcome: Outcome::Aborted };
        let result = self.runtime.disks.access(self.host(), disk, access, size).await;
        accessing.outcome = if result.is_ok() { Outcome::Done } else { Outcome::Failed };
        result.map_err(|failed: AccessFailed| AgentError::Fatal(failed.to_string()))
    }
}

/// A disk that is read or written; what became of it is logged at its end.
struct Accessing<'a> {
    agent: &'a Agent,
    disk: &'a str,
    access: Access,
    size: f64,
    since: SimTime,
    outcome: Outcome,
}

impl Drop for Accessing<'_> {
    fn drop(&mut self) {
        let log = &self.agent.runtime.log;
        if log.wants_operations() {
            let operation = match self.access {
                Access::Read => Operation::Read,
                Access::Write => Operation::Write,
            };
            let (agent, host, start) = (self.agent.id(), self.agent.host(), self.since);
            let (amount, outcome) = (self.size, self.outcome);
            log.operation(self.disk, Entry { operation, agent, host, amount, start, end: start, outcome });
        }
    }
}
