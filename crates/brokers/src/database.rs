//! The resource database: what monitors measured (HPDC 1999, section 3.2 and figure 3).

use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::foreign::program::ForeignProgram;
use crate::foreign::store;
use crate::info::{NetworkInfo, Path, ServerInfo, ServerNumber};
use crate::registry::{Entry, Kind, Table, entry};

/// Keeps measurements, and gives them again. Measurements of one key are numbered from 0 in the
/// order in which they were put.
pub trait ResourceDb: fmt::Debug {
    /// A measurement of a path.
    fn put_network(&mut self, path: Path, info: NetworkInfo);

    /// A measurement of a server.
    fn put_server(&mut self, server: ServerNumber, info: ServerInfo);

    /// Gives `each` the measurements of a path from number `since` on that it has, in order;
    /// returns how many there have been.
    fn get_network(&mut self, path: Path, since: u64, each: &mut dyn FnMut(NetworkInfo)) -> u64;

    /// The same of a server.
    fn get_server(&mut self, server: ServerNumber, since: u64, each: &mut dyn FnMut(ServerInfo)) -> u64;

    /// The last measurement of a path.
    fn last_network(&mut self, path: Path) -> Option<NetworkInfo> {
        let mut last = None;
        self.get_network(path, 0, &mut |info| last = Some(info));
        last
    }

    /// The last measurement of a server.
    fn last_server(&mut self, server: ServerNumber) -> Option<ServerInfo> {
        let mut last = None;
        self.get_server(server, 0, &mut |info| last = Some(info));
        last
    }

    /// The run is over.
    fn finish(&mut self) {}

    /// The foreign program that it asks, if it does.
    fn program(&self) -> Option<&Rc<ForeignProgram>> {
        None
    }
}

/// The databases by name.
pub fn table() -> Table<dyn ResourceDb> {
    Table::new("database", "where measurements are kept", &[MEMORY, store::ENTRY])
}

const MEMORY: Entry<dyn ResourceDb> = entry!(
    "memory" => "in memory: the last measurements of each path and server",
    source "A. Takefusa and others, HPDC 1999",
    keys {
        "history" Kind::Count { least: 1, most: 1 << 32 }, or_count 1000 =>
            "how many of the last measurements of each path and server are kept";
    },
    reads |params| InMemory::new(params.read::<u64>("history")? as usize)
);

/// A database in memory that keeps the last measurements of each key.
#[derive(Clone, Debug)]
pub(crate) struct InMemory {
    history: usize,
    networks: OrderedMap<Path, Measured<NetworkInfo>>,
    servers: OrderedMap<ServerNumber, Measured<ServerInfo>>,
}

#[derive(Clone, Debug)]
struct Measured<T> {
    /// Number of measurements so far.
    count: u64,
    last: VecDeque<T>,
}

impl<T: Copy> Measured<T> {
    fn put(&mut self, history: usize, info: T) {
        if self.last.len() == history {
            self.last.pop_front();
        }
        self.last.push_back(info);
        self.count += 1;
    }

    fn get(&self, since: u64, each: &mut dyn FnMut(T)) -> u64 {
        let first = self.count - self.last.len() as u64;
        self.last.iter().skip(since.saturating_sub(first) as usize).for_each(|info| each(*info));
        self.count
    }
}

impl<T> Default for Measured<T> {
    fn default() -> Self {
        Measured { count: 0, last: VecDeque::new() }
    }
}

impl InMemory {
    /// Nothing is there; of each key the last `history` measurements will be kept, one at least.
    pub(crate) fn new(history: usize) -> Self {
        InMemory { history: history.max(1), networks: OrderedMap::new(), servers: OrderedMap::new() }
    }
}

impl ResourceDb for InMemory {
    fn put_network(&mut self, path: Path, info: NetworkInfo) {
        self.networks.entry(path).or_default().put(self.history, info);
    }

    fn put_server(&mut self, server: ServerNumber, info: ServerInfo) {
        self.servers.entry(server).or_default().put(self.history, info);
    }

    fn get_network(&mut self, path: Path, since: u64, each: &mut dyn FnMut(NetworkInfo)) -> u64 {
        self.networks.get(&path).map_or(0, |measured| measured.get(since, each))
    }

    fn get_server(&mut self, server: ServerNumber, since: u64, each: &mut dyn FnMut(ServerInfo)) -> u64 {
        self.servers.get(&server).map_or(0, |measured| measured.get(since, each))
    }

    fn last_network(&mut self, path: Path) -> Option<NetworkInfo> {
        self.networks.get(&path)?.last.back().copied()
    }

    fn last_server(&mut self, server: ServerNumber) -> Option<ServerInfo> {
        self.servers.get(&server)?.last.back().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimTime;

    #[test]
    fn the_last_measurements_are_kept_and_numbered() {
        let mut db = InMemory::new(3);
        let server = ServerNumber(4);
        assert_eq!(db.last_server(server), None);
        for time in 0..5 {
            let time = SimTime::from_nanos(time);
            db.put_server(
                server,
                ServerInfo { time, performance: 1.0, load: 0.0, availability: 1.0, is_up: true },
            );
        }
        let mut times = |since| {
            let mut times = Vec::new();
            let count = db.get_server(server, since, &mut |info| times.push(info.time.as_nanos()));
            (count, times)
        };
        assert_eq!(times(0), (5, vec![2, 3, 4]));
        assert_eq!(times(4), (5, vec![4]));
        assert_eq!(times(9), (5, vec![]));
        assert_eq!(db.get_server(ServerNumber(5), 0, &mut |_| ()), 0);
        assert_eq!(db.last_server(server).map(|info| info.time.as_nanos()), Some(4));
    }
}
