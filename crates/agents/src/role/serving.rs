//! Serving: an agent computes what it gets, in the order of getting, until it is notified that
//! there is no more.
//!
//! What several roles have in common: agents that serve have a channel each, by their index in the
//! deployment, and the agent that sends to them dismisses them at the end.

use async_trait::async_trait;

use super::{Assignment, Role};
use crate::platform::{HostId, Platform};
use crate::{Agent, AgentError, Behaviour, Channel, Task};

/// Message that there is no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Over;

/// The role of agents that compute what the only agent of the role `client` sends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Server {
    pub(super) name: &'static str,
    pub(super) client: &'static str,
}

impl Role for Server {
    fn name(&self) -> &'static str {
        self.name
    }

    fn behaviour(&self, assignment: &Assignment, _: &Platform) -> Result<Box<dyn Behaviour>, String> {
        assignment.only(self.client)?;
        Ok(Box::new(Serving { channel: channel(assignment.index) }))
    }
}

/// An agent that serves.
#[derive(Debug)]
struct Serving {
    channel: Channel,
}

/// The channel of the agent that serves at this index in the deployment.
pub(super) fn channel(index: usize) -> Channel {
    Channel(index as u32)
}

/// Notifies the serving agent there that there is no more, when what was put before has been got.
pub(super) async fn dismiss(me: &Agent, host: HostId, channel: Channel) -> Result<(), AgentError> {
    Ok(me.put(Task::new("over", 0.0, 0.0).carrying(Over), host, channel).await?)
}

#[async_trait(?Send)]
impl Behaviour for Serving {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        loop {
            let mut task = me.get(self.channel).await?;
            if task.take::<Over>().is_some() {
                return Ok(());
            }
            me.execute(&task).await?;
        }
    }
}
