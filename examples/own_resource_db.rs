//! A resource database of one's own for global computing, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`, and `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_resource_db -- run scenarios/global-computing.toml --set 'database={ kind = "replica", behind = 3 }'
//! ```
//!
//! It is a replica that lags: of each path and server it answers without the last `behind`
//! measurements.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clustersim::brokers::database::ResourceDb;
use clustersim::brokers::info::{NetworkInfo, Path, ServerInfo, ServerNumber};
use clustersim::cli;
use clustersim::registry::{Entry, Key, Kind, Registry};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the database.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn ResourceDb>("database", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the database.
const ENTRY: Entry<dyn ResourceDb> = Entry {
    name: "replica",
    about: "answers without the last measurements",
    source: "",
    keys: &[Key::new("behind", Kind::Count { least: 0, most: 1 << 20 })
        .or_count(1)
        .about("how many measurements it lags")],
    build: |params| {
        Ok(Box::new(Replica { behind: params.read::<u64>("behind")? as usize, ..Replica::default() }))
    },
};

#[derive(Debug, Default)]
struct Replica {
    behind: usize,
    networks: BTreeMap<Path, Vec<NetworkInfo>>,
    servers: BTreeMap<ServerNumber, Vec<ServerInfo>>,
}

impl Replica {
    /// Gives what has arrived by now from number `since` on, and says how many these are in all.
    fn answer<T: Copy>(&self, all: Option<&Vec<T>>, since: u64, each: &mut dyn FnMut(T)) -> u64 {
        let all = all.map_or(&[][..], |all| &all[..all.len().saturating_sub(self.behind)]);
        all.iter().skip(since as usize).for_each(|info| each(*info));
        all.len() as u64
    }
}

impl ResourceDb for Replica {
    fn put_network(&mut self, path: Path, info: NetworkInfo) {
        self.networks.entry(path).or_default().push(info);
    }

    fn put_server(&mut self, server: ServerNumber, info: ServerInfo) {
        self.servers.entry(server).or_default().push(info);
    }

    fn get_network(&mut self, path: Path, since: u64, each: &mut dyn FnMut(NetworkInfo)) -> u64 {
        self.answer(self.networks.get(&path), since, each)
    }

    fn get_server(&mut self, server: ServerNumber, since: u64, each: &mut dyn FnMut(ServerInfo)) -> u64 {
        self.answer(self.servers.get(&server), since, each)
    }
}
