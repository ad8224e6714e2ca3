//! The cast of a scenario: all its agents, as each of them is told before it begins.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::kernel::rng::Streams;
use crate::platform::{HostId, Platform};

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
    /// The random streams of the run, for what is drawn before it begins. Within it an agent asks
    /// [`stream`](crate::kernel::stream), so that the run knows that something random is drawn in it.
    pub streams: Streams,
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
