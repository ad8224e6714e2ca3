//! Hosts of a cluster on which every computation takes equally long, and when they are free.

use crate::model::grid::HostNumber;

/// Hosts on which every computation takes equally long; one alone if what is predicted of it
/// changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct AlikeHosts {
    /// In order.
    hosts: Vec<HostNumber>,
    /// Instant at which each has a processor free for ever.
    free: Vec<u64>,
    /// The two least of these.
    least: [u64; 2],
}

impl AlikeHosts {
    /// Adds a host, the greatest so far; its place.
    pub(crate) fn push(&mut self, host: HostNumber, free: u64) -> usize {
        self.hosts.push(host);
        self.free.push(free);
        self.set_free(self.hosts.len() - 1, free);
        self.hosts.len() - 1
    }

    /// A host is free from another instant on.
    pub(crate) fn set_free(&mut self, place: usize, free: u64) {
        self.free[place] = free;
        self.least = self.free.iter().fold([u64::MAX; 2], |[first, second], &free| {
            if free < first { [free, first] } else { [first, second.min(free)] }
        });
    }

    /// One of them.
    pub(crate) fn any(&self) -> HostNumber {
        self.hosts[0]
    }

    /// Instant at which a computation can start that is ready at an instant: on the host where it
    /// can first, and on the next.
    pub(crate) fn starts(&self, ready: u64) -> (u64, Option<u64>) {
        let [first, second] = self.least.map(|free| free.max(ready));
        (first, Some(second).filter(|_| self.hosts.len() > 1))
    }

    /// The lowest host that is free at an instant.
    pub(crate) fn lowest_free(&self, at: u64) -> Option<HostNumber> {
        self.free.iter().position(|free| *free <= at).map(|place| self.hosts[place])
    }

    /// The hosts, and when a computation can start on each that is ready at an instant.
    pub(crate) fn each_start(&self, ready: u64) -> impl Iterator<Item = (HostNumber, u64)> {
        self.hosts.iter().zip(&self.free).map(move |(host, free)| (*host, ready.max(*free)))
    }
}
