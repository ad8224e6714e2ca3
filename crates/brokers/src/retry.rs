//! Servers that a task has given up, and when they come into question for it again.
//!
//! A server that failed is out of question until a monitor has found it up again. One on which the
//! task would have been late is until all others have been tried. If no server is in question, the
//! task waits and tries all of them again, as often as [`Retry`] says.

use crate::info::ServerNumber;
use crate::kernel::{SimDuration, SimTime};
use crate::record::GivenUp;
use crate::registry::{Bounds, Complaint, Key, Kind, Params, keys};

/// The keys of another try.
pub const KEYS: &[Key] = &keys! {
    "after" Kind::Duration(Bounds::Positive), or "10s" => "how long a task waits before it tries all servers again";
    "times" Kind::Count { least: 0, most: u32::MAX as u64 }, or_count 1000 =>
        "how often it waits before it is rejected";
};

/// Another try of a task for which no server is in question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retry {
    /// Time that the task waits before it tries all servers again.
    pub after: SimDuration,
    /// Number of waits of the task before it is rejected.
    pub times: u32,
}

impl Retry {
    /// Reads [`KEYS`].
    ///
    /// # Errors
    /// A value that cannot be.
    pub fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        Ok(Retry { after: params.read("after")?, times: params.read("times")? })
    }
}

/// The servers that a task has given up, and has not tried since.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct GivenUpServers(Vec<(ServerNumber, GivenUp, SimTime)>);

impl GivenUpServers {
    /// Servers are given up at an instant.
    pub(crate) fn give_up(&mut self, servers: &[ServerNumber], reason: GivenUp, at: SimTime) {
        self.0.retain(|(server, ..)| !servers.contains(server));
        self.0.extend(servers.iter().map(|server| (*server, reason, at)));
    }

    /// Returns true if a server, which was found to be up last at `up`, is out of question.
    pub(crate) fn excludes(&self, server: ServerNumber, up: Option<SimTime>) -> bool {
        let given_up = self.0.iter().find(|(other, ..)| *other == server);
        given_up.is_some_and(|(_, reason, at)| *reason == GivenUp::Late || up.is_none_or(|up| up <= *at))
    }

    /// All others have been tried: those on which the task would have been late come into question
    /// again. Returns true if there are any.
    pub(crate) fn all_were_tried(&mut self) -> bool {
        let before = self.0.len();
        self.0.retain(|(_, reason, _)| *reason != GivenUp::Late);
        self.0.len() < before
    }

    /// All come into question again.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The servers.
    pub(crate) fn servers(&self) -> impl Iterator<Item = ServerNumber> {
        self.0.iter().map(|(server, ..)| *server)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_comes_into_question_again_when_it_is_up_or_all_were_tried() {
        let at = |secs| SimTime::from_secs(secs).expect("in range");
        let [late, failed, other] = [0, 1, 2].map(ServerNumber);
        let mut given_up = GivenUpServers::default();
        given_up.give_up(&[late], GivenUp::Late, at(5));
        given_up.give_up(&[failed], GivenUp::Failed, at(7));
        assert!(!given_up.excludes(other, None));
        // what was measured before it failed, or at that instant, is old
        assert!([None, Some(at(3)), Some(at(7))].into_iter().all(|up| given_up.excludes(failed, up)));
        assert!(!given_up.excludes(failed, Some(at(8))) && given_up.excludes(late, Some(at(8))));
        assert!(given_up.all_were_tried() && !given_up.all_were_tried());
        assert!(!given_up.excludes(late, None) && given_up.excludes(failed, None));
        given_up.clear();
        assert!(!given_up.excludes(failed, None) && given_up.servers().next().is_none());
    }
}
