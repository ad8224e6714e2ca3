//! A ring: every agent sends to the next one and gets from the one before, all at once, round after
//! round.
//!
//! The agents of the role are a ring in the order of the scenario. In each round an agent computes
//! its part, then sends while it gets; the round is over for it when both are done. A ring of one
//! sends to itself, in no time.

use async_trait::async_trait;

use super::demand::{Demand, data, work};
use super::{Assignment, Deployment, Role, TaskCount};
use crate::platform::{HostId, Platform};
use crate::registry::{Entry, Kind, entry, named_keys};
use crate::{Agent, AgentError, Behaviour, Channel, Task};

named_keys! {
    ROUNDS = "rounds" Kind::count_from(0), or_count 10 => "how often it sends";
}

pub(super) const ENTRY: Entry<dyn Role> = entry! {
    "ring-peer" => "computes, and sends to the next agent of this role while it gets from the one before, round after round",
    keys {
        ..ROUNDS;
        ..data("data", "1MB", "what it sends");
        ..work("work", "0f", "what it computes before it sends");
    },
    reads |params| Ring { rounds: params.read(ROUNDS.name)?, demand: Demand::read(params, "")? }
};

#[derive(Clone, Copy, Debug)]
struct Ring {
    rounds: u64,
    demand: Demand,
}

#[derive(Debug)]
struct Peer {
    rule: Ring,
    next: HostId,
    /// On which the next one gets, and on which this one does.
    channels: (Channel, Channel),
}

impl Role for Ring {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn tasks(&self, _: &Deployment, agents: u64) -> Option<TaskCount> {
        let computed = self.rounds.saturating_mul(agents);
        Some(TaskCount { key: ROUNDS.name, computed, ahead: 0 })
    }

    fn behaviour(&self, assignment: &Assignment, platform: &Platform) -> Result<Box<dyn Behaviour>, String> {
        let peers = assignment.peers();
        let next = peers[(assignment.rank() + 1) % peers.len()];
        assignment.reaches(platform, [assignment.deployment.host(next)])?;
        let channels = (Channel(next as u32), Channel(assignment.index as u32));
        Ok(Box::new(Peer { rule: *self, next: assignment.deployment.host(next), channels }))
    }
}

#[async_trait(?Send)]
impl Behaviour for Peer {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        let Ring { rounds, demand: Demand { data, work } } = self.rule;
        for _ in 0..rounds {
            if work > 0.0 {
                me.execute(&Task::new("part", work, 0.0)).await?;
            }
            let sent = me.start_put(Task::new("part", 0.0, data), self.next, self.channels.0)?;
            me.get(self.channels.1).await?;
            sent.done().await?;
        }
        Ok(())
    }
}
