//! Roles: what the agents of a scenario do, one file a role or pair of roles.
//!
//! A scenario says where agents are and which role each has; a role says what such an agent does.
//! Before it begins, an agent knows the whole deployment: the roles and hosts of all agents of the
//! scenario, in their order. From that a worker finds its master and a peer its neighbours.
//!
//! A role is an entry of the table `role`; a user's own crate registers others. Its program is a
//! [`Behaviour`], with the verbs of [`Agent`](super::Agent): whatever a role can do, a program that
//! is written in Rust can do without it.

mod demand;
mod deployment;
mod dispatcher;
mod divisible;
pub mod divisible_load;
mod master;
mod nominal;
mod player;
mod ring;
mod serving;
pub mod steady_state;
pub mod strategy;
mod worker;

use std::fmt;

use crate::platform::Platform;
use crate::platform::network::Unloaded;
use crate::registry::Table;

use super::Behaviour;

pub use deployment::{Assignment, Deployment, Member};
use nominal::nominal;
use steady_state::Optimum;

/// Role of agents: the kind of program that they run.
pub trait Role: fmt::Debug {
    /// The name that a scenario calls it by.
    fn name(&self) -> &'static str;

    /// Program of the agent of this assignment. It may be asked for again when the agent's host has
    /// failed and works again.
    ///
    /// # Errors
    /// The part of the deployment or of the platform that the role misses, in words that follow the
    /// name of the role.
    fn behaviour(&self, assignment: &Assignment, platform: &Platform) -> Result<Box<dyn Behaviour>, String>;

    /// The tasks that `agents` agents of this role have computed, if a key of the role says how
    /// many. Others have none, or no known number.
    fn tasks(&self, _deployment: &Deployment, _agents: u64) -> Option<TaskCount> {
        None
    }

    /// Upper bound of the rate of all agents of the scenario together in the long run, if it is
    /// known. It is asked of an agent that is the only one of its role, in scenarios without
    /// background traffic and given flows in which no agent is killed.
    fn optimum(&self, _assignment: &Assignment, _network: &mut Unloaded<'_>) -> Option<Optimum> {
        None
    }
}

/// Tasks of the agents of a role, of which there may be more than memory holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskCount {
    /// The key of the role that says how many there are.
    pub key: &'static str,
    /// Tasks that are computed.
    pub computed: u64,
    /// Tasks that are sent before any of them is received.
    pub ahead: u64,
}

/// The roles that come with the simulator.
pub fn table() -> Table<dyn Role> {
    let entries = [
        dispatcher::DISPATCHER,
        dispatcher::SERVER,
        divisible::MASTER,
        divisible::WORKER,
        master::ENTRY,
        player::ENTRY,
        ring::ENTRY,
        worker::ENTRY,
    ];
    Table::new("role", "What an agent of a scenario does", &entries)
}
