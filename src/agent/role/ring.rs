//! A ring: every agent sends to the next one and gets from the one before, all at once, round after round.
//!
//! The agents of the role are a ring in the order of the scenario. In each round an agent computes its part, then sends while it
//! gets; the round is over for it when both are done. A ring of one sends to itself, in no time.

use async_trait::async_trait;

use super::{Role, Seat};
use crate::agent::{Agent, AgentError, Behaviour, Channel, Task};
use crate::platform::{HostId, Platform};
use crate::registry::{Entry, Key, Kind};
use crate::units::{Bytes, Flops};

pub(super) const ENTRY: Entry<dyn Role> = Entry {
    name: "ring-peer",
    about: "computes, and sends to the next agent of this role while it gets from the one before, round after round",
    source: "",
    keys: &[
        Key::new("rounds", Kind::count_from(0)).or_count(10).about("how often it sends"),
        Key::new("data", Kind::Bytes).or("1MB").about("what it sends"),
        Key::new("work", Kind::Flops).or("0f").about("what it computes before it sends"),
    ],
    build: |params| {
        let (data, work): (Bytes, Flops) = (params.read("data")?, params.read("work")?);
        Ok(Box::new(Ring { rounds: params.read("rounds")?, data: data.get() as f64, work: work.get() }))
    },
};

#[derive(Clone, Copy, Debug)]
struct Ring {
    rounds: u64,
    data: f64,
    work: f64,
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

    fn behaviour(&self, seat: &Seat, platform: &Platform) -> Result<Box<dyn Behaviour>, String> {
        let peers = seat.peers();
        let next = peers[(seat.rank() + 1) % peers.len()];
        seat.reaches(platform, [seat.cast.host(next)])?;
        let channels = (Channel(next as u32), Channel(seat.place as u32));
        Ok(Box::new(Peer { rule: *self, next: seat.cast.host(next), channels }))
    }
}

#[async_trait(?Send)]
impl Behaviour for Peer {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        let Ring { rounds, data, work } = self.rule;
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
