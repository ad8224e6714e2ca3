//! Roles: what the agents of a scenario do, one file a role.
//!
//! A scenario says where agents are and which role each has; a role says what such an agent does. Before it begins, an agent is told the
//! whole cast: the roles and hosts of all agents of the scenario, in their order. From that a worker finds its master and a peer its
//! neighbours.
//!
//! A role is an entry of the table `role`; a user's own crate registers others. Its program is a [`Behaviour`], with the verbs of
//! [`Agent`](super::Agent): whatever a role can do, a program that is written in Rust can do without it.

mod dispatcher;
mod divisible;
pub mod divisible_load;
mod master;
mod player;
mod ring;
pub mod steady_state;
pub mod strategy;
mod worker;

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use crate::kernel::SimTime;
use crate::kernel::rng::Streams;
use crate::platform::{HostId, Platform};
use crate::registry::Table;

use super::Behaviour;

/// An agent of a scenario, as the others know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// The name of its role.
    pub role: &'static str,
    /// Where it begins.
    pub host: HostId,
}

/// All agents of a scenario, in its order.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    members: Vec<Member>,
    /// The place of each among those of its role.
    ranks: Vec<usize>,
    of_role: BTreeMap<&'static str, Vec<usize>>,
}

/// Where an agent begins, and who else is there.
#[derive(Clone, Debug)]
pub struct Seat {
    /// All agents of the scenario.
    pub cast: Rc<Cast>,
    /// Its own place among them.
    pub place: usize,
    /// The random streams of the run.
    pub streams: Streams,
}

/// What agents of a kind do.
pub trait Role: fmt::Debug {
    /// The name that a scenario calls it by.
    fn name(&self) -> &'static str;

    /// What the agent of this seat does. It may be asked for again when the agent's host has failed and works again.
    ///
    /// # Errors
    /// What the role misses in the cast or the platform, in words that follow the name of the role.
    fn behaviour(&self, seat: &Seat, platform: &Platform) -> Result<Box<dyn Behaviour>, String>;

    /// Tasks per second that agents of such a role can do together in the long run at the most, if that is known.
    fn best_rate(&self, _seat: &Seat, _platform: &Platform) -> Option<f64> {
        None
    }
}

impl FromIterator<Member> for Cast {
    fn from_iter<T: IntoIterator<Item = Member>>(members: T) -> Self {
        let mut cast = Cast::default();
        for member in members {
            let role = cast.of_role.entry(member.role).or_default();
            cast.ranks.push(role.len());
            role.push(cast.members.len());
            cast.members.push(member);
        }
        cast
    }
}

impl Cast {
    /// The agents, in order.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Places of all agents of a role, in order.
    pub fn of_role(&self, role: &str) -> &[usize] {
        self.of_role.get(role).map_or(&[], Vec::as_slice)
    }

    /// The host of the agent at a place.
    pub fn host(&self, place: usize) -> HostId {
        self.members[place].host
    }
}

impl Seat {
    /// The host of the agent of this seat.
    pub fn host(&self) -> HostId {
        self.cast.host(self.place)
    }

    /// Places of all agents of this one's role, in order.
    pub fn peers(&self) -> &[usize] {
        self.cast.of_role(self.cast.members[self.place].role)
    }

    /// The place of this agent among its peers.
    pub fn rank(&self) -> usize {
        self.cast.ranks[self.place]
    }

    /// The host of the only agent of a role.
    ///
    /// # Errors
    /// There is none, or there are several.
    pub fn only(&self, role: &str) -> Result<HostId, String> {
        match self.cast.of_role(role) {
            [place] => Ok(self.cast.host(*place)),
            [] => Err(format!("needs an agent of the role `{role}`, and there is none")),
            _ => Err(format!("needs one agent of the role `{role}`, and there are several")),
        }
    }
}

/// A way by itself, by what its links have at the start of a run.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Path {
    /// Seconds.
    latency: f64,
    /// Size per second of the narrowest link; infinite if there is none, 0 if nothing joins the hosts.
    bandwidth: f64,
}

impl Path {
    /// Seconds that `size` takes.
    fn secs(self, size: f64) -> f64 {
        self.latency + size / self.bandwidth
    }
}

/// The way from one host to another.
fn nominal(platform: &Platform, from: HostId, to: HostId) -> Path {
    let mut route = Vec::new();
    if platform.route(from, to, &mut route).is_err() {
        return Path { latency: 0.0, bandwidth: 0.0 };
    }
    let links = || route.iter().map(|link| &platform.links()[link.index()]);
    let latency = links().map(|link| link.latency.value_at(SimTime::ZERO)).sum();
    let bandwidths = links().map(|link| link.bandwidth.value_at(SimTime::ZERO));
    Path { latency, bandwidth: bandwidths.fold(f64::INFINITY, f64::min) }
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
