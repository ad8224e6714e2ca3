//! Serving: an agent computes what it gets, in the order of getting, until it is told that there is no more.
//!
//! What several roles have in common: those who serve have a channel each, by their place in the cast, and whoever sends to them
//! dismisses them at the end.

use async_trait::async_trait;

use crate::agent::{Agent, AgentError, Behaviour, Channel, Task};
use crate::platform::HostId;

/// What is sent when there is no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Over;

/// Somebody who serves.
#[derive(Debug)]
pub(super) struct Serving {
    channel: Channel,
}

impl Serving {
    /// The one at this place in the cast.
    pub(super) fn at(place: usize) -> Self {
        Serving { channel: channel(place) }
    }
}

/// The channel of who serves at this place in the cast.
pub(super) fn channel(place: usize) -> Channel {
    Channel(place as u32)
}

/// Tells who serves there that there is no more, when what was put before has been got.
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
