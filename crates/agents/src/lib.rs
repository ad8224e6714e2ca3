//! Agents: programs on the hosts of a platform that compute, and send each other tasks.
//!
//! An agent is an async function that lives on a host and is known by a name. It asks for
//! computation and communication by the verbs of [`Agent`], and time passes while it waits. Agents
//! address hosts and channels, or mailboxes by name, and never links; the
//! [network](crate::platform::network) and the [processors](crate::platform::Processors) say how
//! long it takes.
//!
//! ```text
//!   put(task, host, channel) ──┐                       ┌──▶ both go on when the task has arrived
//!                              ├─ rendezvous: transfer ┤
//!   get(channel) on that host ─┘                       └──▶ or an error: host, link or peer fails
//! ```
//!
//! - A *rendezvous* begins when a task was put and is got: then the transfer starts, and at its end
//!   both go on. An eager put starts the transfer at once. Within a host it takes no time.
//! - Tasks of one mailbox are got in the order in which they were put, by agents in the order in
//!   which they asked.
//! - What cannot be done is a value ([`AgentError`]); nothing panics. A task has one owner: putting
//!   it moves it, and the one that gets it owns it, so that it can be neither put twice nor used
//!   after it was put.
//! - A host that fails ends its agents; agents in a rendezvous with one of them are notified.
//!   Programs can be begun again when the host works again ([`OnFailure`]).
//! - An agent that waits for what never comes is a deadlock, which names every agent that waits,
//!   what for and since when.
//!
//! [`World`] says which agent starts on which host, [`simulate`] runs it, [`Outcomes`] is what
//! comes out. The same world and seed give the same run.
//!
//! Sources: the MSG interface of H. Casanova, A. Legrand, L. Marchal, "Scheduling distributed
//! applications: the SimGrid simulation framework", CCGrid 2003, whose names are compared with ours
//! in [`names`]. Deviations: results are values and not codes, host data is found by its type,
//! transfers go on while an agent is suspended. Left out: files, virtual machines, and real time.
//!
//! ```
//! use std::sync::Arc;
//! use clustersim_agents::{Channel, Task, World, simulate};
//! use clustersim_kernel::Simulation;
//! use clustersim_platform::{Builder, Host, Link};
//!
//! let mut builder = Builder::new();
//! let alice = builder.host(Host::new("alice", 1e9))?;
//! let bob = builder.host(Host::new("bob", 1e9))?;
//! let wire = builder.link("wire", Link::new(1e6, 0.0))?;
//! builder.symmetric_route(alice, bob, &[wire]);
//!
//! let mut world = World::new(Arc::new(builder.build()));
//! world.agent(alice, "master", async move |me| {
//!     me.put(Task::new("work", 2e9, 1e6), bob, Channel(0)).await?;
//!     Ok(())
//! });
//! world.agent(bob, "worker", async move |me| {
//!     let task = me.get(Channel(0)).await?;
//!     me.execute(&task).await
//! });
//! let outcomes = simulate(world, Simulation::new(1), None)?;
//! assert_eq!(outcomes.ended_at.as_secs_f64(), 3.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compute;
mod error;
mod exchange;
mod flows;
mod handle;
mod life;
mod log;
mod mailbox;
pub mod names;
mod peer;
mod program;
pub mod record;
mod rendezvous;
pub mod role;
mod runtime;
pub mod sg;
mod simulate;
mod storage;
pub mod tables;
mod task;
mod world;

pub mod judge;
pub mod rows;
pub mod system;

pub use error::{AgentError, NotSent};
pub use exchange::{GetHandle, PutHandle};
pub(crate) use flows::{FLOW_FAMILIES, flow_metrics};
pub use flows::{FlowOutcome, FlowState, GivenFlow};
pub use handle::Agent;
pub use log::{Completed, Failure};
pub use mailbox::{Channel, Mailbox};
pub use peer::Peer;
pub use program::{Behaviour, DeployedAgent, OnFailure};
pub use record::{Operation, Outcome, Recording, Records};
pub use simulate::{FAMILIES, Outcomes, simulate};
pub use task::{AgentId, Sender, Task};
pub use world::World;

pub(crate) use clustersim_experiment::{check, measure, output, report, scenario};
pub(crate) use clustersim_kernel as kernel;
pub(crate) use clustersim_language::{collections, ids, registry, text, units};
pub(crate) use clustersim_platform as platform;
