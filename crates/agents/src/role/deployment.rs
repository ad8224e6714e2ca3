//! The deployment of a scenario: all its agents, as each of them knows them before it begins.

use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::kernel::rng::Streams;
use crate::platform::{HostId, Platform};

/// An agent of a scenario, as the others know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// The name of its role.
    pub role: &'static str,
    /// Host on which it begins.
    pub host: HostId,
}

/// All agents of a scenario, in its order.
#[derive(Clone, Debug, Default)]
pub struct Deployment {
    members: Vec<Member>,
    /// The index of each among those of its role.
    ranks: Vec<usize>,
    of_role: OrderedMap<&'static str, Vec<usize>>,
}

/// Place of an agent, and the other agents of the deployment.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// All agents of the scenario.
    pub deployment: Rc<Deployment>,
    /// Own index among them.
    pub index: usize,
    /// The random streams of the run, for what is drawn before it begins. Within it an agent asks
    /// [`stream`](crate::kernel::stream), so that the run knows that something random is drawn in
    /// it.
    pub streams: Streams,
}

impl FromIterator<Member> for Deployment {
    fn from_iter<T: IntoIterator<Item = Member>>(members: T) -> Self {
        let mut deployment = Deployment::default();
        for member in members {
            let role = deployment.of_role.entry(member.role).or_default();
            deployment.ranks.push(role.len());
            role.push(deployment.members.len());
            deployment.members.push(member);
        }
        deployment
    }
}

impl Deployment {
    /// The agents, in order.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Indices of all agents of a role, in order.
    pub fn of_role(&self, role: &str) -> &[usize] {
        self.of_role.get(role).map_or(&[], Vec::as_slice)
    }

    /// The host of the agent at an index.
    pub fn host(&self, index: usize) -> HostId {
        self.members[index].host
    }
}

impl Assignment {
    /// The host of the agent of this assignment.
    pub fn host(&self) -> HostId {
        self.deployment.host(self.index)
    }

    /// Indices of all agents of this one's role, in order.
    pub fn peers(&self) -> &[usize] {
        self.deployment.of_role(self.deployment.members[self.index].role)
    }

    /// The index of this agent among its peers.
    pub fn rank(&self) -> usize {
        self.deployment.ranks[self.index]
    }

    /// Looks whether this agent's host can send to each of `hosts`.
    ///
    /// # Errors
    /// It cannot send to one of them.
    pub fn reaches(
        &self,
        platform: &Platform,
        hosts: impl IntoIterator<Item = HostId>,
    ) -> Result<(), String> {
        let mut route = Vec::new();
        hosts.into_iter().try_for_each(|to| {
            let found = platform.route(self.host(), to, &mut route);
            found.map_err(|none| format!("has nothing to send over: {none}"))
        })
    }

    /// Indices of all agents of a role, to each of which this agent's host can send.
    ///
    /// # Errors
    /// There are none, or it cannot send to one of them.
    pub fn reachable(&self, role: &str, platform: &Platform) -> Result<&[usize], String> {
        let agents = self.deployment.of_role(role);
        if agents.is_empty() {
            return Err(format!("needs agents of the role `{role}`, and there are none"));
        }
        self.reaches(platform, agents.iter().map(|&index| self.deployment.host(index)))?;
        Ok(agents)
    }

    /// The host of the only agent of a role.
    ///
    /// # Errors
    /// There is none, or there are several.
    pub fn only(&self, role: &str) -> Result<HostId, String> {
        match self.deployment.of_role(role) {
            [index] => Ok(self.deployment.host(*index)),
            [] => Err(format!("needs an agent of the role `{role}`, and there is none")),
            _ => Err(format!("needs one agent of the role `{role}`, and there are several")),
        }
    }
}
