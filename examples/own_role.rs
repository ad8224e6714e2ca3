//! A role of one's own for agents of scenarios, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`; `Cargo.toml` names `clustersim` and
//! `async-trait`. Here, with a scenario that has `role = { kind = "gossip", fanout = 3 }` in an
//! `[[agent]]`:
//!
//! ```sh
//! cargo run --release --example own_role -- list roles
//! cargo run --release --example own_role -- explain gossip
//! cargo run --release --example own_role -- run rumour.toml
//! ```
//!
//! The rule: who hears the rumour for the first time reads it, and tells it to `fanout` others
//! drawn at random, who may have heard it already. The first agent of the role knows it from the
//! start. Who hears nothing for as long as its `patience` goes home. `tasks` of the result is how
//! many have heard it.

use std::process::ExitCode;

use async_trait::async_trait;
use clustersim::agents::role::{Assignment, Role};
use clustersim::agents::{Agent, AgentError, Behaviour, Channel, Task};
use clustersim::cli;
use clustersim::kernel::rng::Stream;
use clustersim::kernel::{SimDuration, stream};
use clustersim::platform::Platform;
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::system::standard;
use clustersim::units::{Bytes, Flops};

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the role.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn Role>("role", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the role.
const ENTRY: Entry<dyn Role> = Entry {
    name: "gossip",
    about: "tells a rumour that it hears to other agents of this role, drawn at random",
    source: "A. Demers and others, PODC 1987",
    keys: &[
        Key::new("fanout", Kind::count_from(1)).or_count(2).about("how many others are told"),
        Key::new("data", Kind::Bytes).or("1kB").about("what is sent with the rumour"),
        Key::new("work", Kind::Flops).or("1Mf").about("what reading it computes"),
        Key::new("patience", Kind::Duration(Bounds::Positive))
            .or("1min")
            .about("who hears nothing for so long goes home"),
    ],
    build: |params| {
        let (data, work): (Bytes, Flops) = (params.read("data")?, params.read("work")?);
        let (fanout, patience) = (params.read("fanout")?, params.read("patience")?);
        Ok(Box::new(Gossip { fanout, data: data.get() as f64, work: work.get(), patience }))
    },
};

/// The role, as a scenario has it.
#[derive(Clone, Copy, Debug)]
struct Gossip {
    fanout: u64,
    data: f64,
    work: f64,
    patience: SimDuration,
}

/// What an agent of it does.
#[derive(Debug)]
struct Gossiping {
    rule: Gossip,
    assignment: Assignment,
}

/// Agents of a role may share a host: each has the channel of its index among all agents.
fn channel(index: usize) -> Channel {
    Channel(u32::try_from(index).unwrap_or(u32::MAX))
}

impl Role for Gossip {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn behaviour(&self, assignment: &Assignment, _: &Platform) -> Result<Box<dyn Behaviour>, String> {
        if assignment.peers().len() < 2 {
            return Err("needs somebody to talk to".to_owned());
        }
        Ok(Box::new(Gossiping { rule: *self, assignment: assignment.clone() }))
    }
}

#[async_trait(?Send)]
impl Behaviour for Gossiping {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        // a stream of its own for each agent: who is told by one does not depend on what the others
        // draw
        let mut draws = stream(&format!("whom to tell/gossip-{}", self.assignment.rank()));
        let mut knows = false;
        if self.assignment.rank() == 0 {
            knows = true;
            self.spread(&me, &mut draws).await?;
        }
        loop {
            match me.get_within(channel(self.assignment.index), self.rule.patience).await {
                Ok(_) if knows => {}
                Ok(rumour) => {
                    knows = true;
                    me.execute(&rumour).await?;
                    self.spread(&me, &mut draws).await?;
                }
                Err(AgentError::TimedOut(_)) => return Ok(()),
                Err(other) => return Err(other),
            }
        }
    }
}

impl Gossiping {
    /// Tells others, one after the other; it does not wait until they listen.
    async fn spread(&self, me: &Agent, draws: &mut Stream) -> Result<(), AgentError> {
        let (count, own) = (self.assignment.peers().len() as u64, self.assignment.rank() as u64);
        for _ in 0..self.rule.fanout {
            // any but itself
            let drawn = (own + 1 + draws.below(count - 1)) % count;
            let index = self.assignment.peers()[usize::try_from(drawn).unwrap_or(0)];
            let rumour = Task::new("rumour", self.rule.work, self.rule.data);
            me.put_eager(rumour, self.assignment.deployment.host(index), channel(index)).await?;
        }
        Ok(())
    }
}
