//! Errors of an agent: values that it gets, and may go on after.

use crate::kernel::SimDuration;
use crate::platform::ExecutionFailed;

use super::Task;

/// Reason that an operation of an agent was not done.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AgentError {
    /// A link failed, nothing joins the hosts, or the agent at the other end is gone.
    #[error("transfer failure: {0}")]
    TransferFailure(String),
    /// This host failed, or did not work from the beginning.
    #[error("host failure: host `{0}` failed")]
    HostFailure(String),
    /// Not done in the time that it was given.
    #[error("it was not done within {0}")]
    TimedOut(SimDuration),
    /// Never to be done: a number that is none, or a program's own mistake.
    #[error("fatal: {0}")]
    Fatal(String),
}

impl From<ExecutionFailed> for AgentError {
    fn from(failed: ExecutionFailed) -> Self {
        match failed {
            ExecutionFailed::Host(host) => AgentError::HostFailure(host),
            ExecutionFailed::Wrong(_) => AgentError::Fatal(failed.to_string()),
        }
    }
}

/// A task that was not sent, given back.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct NotSent {
    /// The task.
    pub task: Task,
    /// Cause.
    #[source]
    pub error: AgentError,
}

impl From<NotSent> for AgentError {
    fn from(not_sent: NotSent) -> Self {
        not_sent.error
    }
}
