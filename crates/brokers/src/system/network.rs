//! Queues and paths of a scenario.

use std::fmt;

use crate::collections::OrderedMap;
use crate::environment::{DescribedQueue, QueueLayout};
use crate::info::{Path, PathDirection};
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::queue::{LoadedModel, PacketQueue, QueueModel};
use crate::registry::{Complaint, Params, code, suggestion};
use crate::station::served::StationTerms;
use crate::station::{Discipline, Extraneous, ExtraneousStreams, Rate};
use crate::system::named::{fitting, report_twice};
use crate::units::Bandwidth;

/// A queue as it is described: each queue that is made of it has streams of its own.
#[derive(Clone, Debug)]
struct Described {
    latency: SimDuration,
    discipline: Discipline,
    model: LoadedModel,
}

/// Queues by description: those with a name, then one of its own for each path that leads over none
/// of them.
#[derive(Clone)]
pub(super) struct ScenarioNetwork {
    clients: Vec<String>,
    servers: Vec<String>,
    named: Vec<(String, Described)>,
    others: Option<Described>,
    /// By client and server: the places of named queues there and back.
    paths: OrderedMap<(usize, usize), [Vec<usize>; 2]>,
    streams: Streams,
    warm_up: SimTime,
}

impl fmt::Debug for ScenarioNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScenarioNetwork").field("queues", &self.named.len()).finish_non_exhaustive()
    }
}

/// Notes from reading a network.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) warnings: Vec<Complaint>,
    pub(super) draws: bool,
}

/// Reads the queues and paths of `platform`.
///
/// # Errors
/// Everything that is wrong with them, and with the files they name.
pub(super) fn read(
    platform: &Params<'_>,
    (clients, servers): (&[String], &[String]),
    (streams, warm_up): (&Streams, SimTime),
    notes: &mut Notes,
) -> Result<ScenarioNetwork, Vec<Complaint>> {
    let mut complaints = Vec::new();
    let mut named = Vec::new();
    let tables: Vec<Params<'_>> = platform.items("queue").iter().map(|node| platform.with(node)).collect();
    for table in &tables {
        let name: Result<String, Complaint> = table.read("name");
        match (name, described(table, notes)) {
            (Ok(name), Ok(described)) => named.push((name, described)),
            (name, described) => {
                complaints.extend(name.err());
                complaints.extend(described.err().unwrap_or_default());
            }
        }
    }
    // queues that are refused have names too: a path over one is no second mistake
    let titled: Vec<(String, &Params<'_>)> =
        tables.iter().filter_map(|table| Some((table.read("name").ok()?, table))).collect();
    let all = titled.iter().map(|(name, table)| {
        (name.as_str(), table.complaint("name", format!("a second queue is called `{name}`")))
    });
    report_twice(all, &mut complaints);
    let names: Vec<String> = titled.into_iter().map(|(name, _)| name).collect();
    let mut paths = OrderedMap::new();
    for node in platform.items("path") {
        let table = platform.with(node);
        let queues = ["send", "receive"].map(|key| route(&table, key, &names, &mut complaints));
        let of = [fitting(&table, "client", clients), fitting(&table, "server", servers)];
        match of {
            [Ok(of_clients), Ok(of_servers)] => {
                for client in of_clients {
                    paths.extend(of_servers.iter().map(|server| ((client, *server), queues.clone())));
                }
            }
            other => complaints.extend(other.into_iter().filter_map(Result::err)),
        }
    }
    // queues that no path is left for need no description
    let is_complete = paths.len() == clients.len() * servers.len();
    let others = if is_complete {
        None
    } else {
        match described(&platform.section("queues"), notes) {
            Ok(described) => Some(described),
            Err(wrong) => {
                complaints.extend(wrong);
                None
            }
        }
    };
    if !complaints.is_empty() {
        return Err(complaints);
    }
    let (clients, servers) = (clients.to_vec(), servers.to_vec());
    Ok(ScenarioNetwork { clients, servers, named, others, paths, streams: *streams, warm_up })
}

/// The queues that a path names, by their places.
fn route(table: &Params<'_>, key: &str, names: &[String], complaints: &mut Vec<Complaint>) -> Vec<usize> {
    let mut places = Vec::new();
    for node in table.items(key) {
        let Some(name) = node.as_text() else { continue };
        match names.iter().position(|known| known == name) {
            Some(place) => places.push(place),
            None => {
                let complaint =
                    Complaint::new(code::UNKNOWN_NAME, format!("no queue is called `{name}`"), node.span);
                complaints.push(complaint.help(suggestion(name, names.iter().map(String::as_str))));
            }
        }
    }
    if table.items(key).is_empty() {
        complaints.push(table.complaint(key, "a path leads over one queue at least"));
    }
    places
}

/// Reads a queue and the files of its model.
fn described(table: &Params<'_>, notes: &mut Notes) -> Result<Described, Vec<Complaint>> {
    let model: Box<dyn QueueModel> = table.component("model", "queue-model")?;
    let bandwidth: Option<Bandwidth> = table.read("bandwidth")?;
    let bandwidth = bandwidth.map(Bandwidth::bytes_per_sec);
    if bandwidth.is_none() && !model.has_bandwidth() {
        let complaint = table.complaint("model", "nothing says how fast the queue is");
        let complaint = Complaint { code: code::MISSING_KEY, ..complaint };
        return Err(complaint
            .label("this model has no bandwidth")
            .help("write `bandwidth` of the queue, such as \"1MBps\"")
            .into());
    }
    if bandwidth.is_some_and(|bandwidth| bandwidth <= 0.0) {
        return Err(table
            .complaint("bandwidth", "a queue that serves nothing")
            .label("expected more than 0")
            .into());
    }
    if let Some((actual, ideal)) = model.idle_above().zip(bandwidth)
        && actual >= ideal
    {
        let message = "the actual bandwidth is not below the ideal one: there are no packets of others";
        notes.warnings.push(table.complaint("model", message));
    }
    notes.draws |= model.draws();
    let model = model.load(bandwidth)?;
    Ok(Described { latency: table.read("latency")?, discipline: table.read("discipline")?, model })
}

impl ScenarioNetwork {
    fn described(&self, number: usize) -> Option<(String, &Described)> {
        if let Some((name, described)) = self.named.get(number) {
            return Some((name.clone(), described));
        }
        let pair = number - self.named.len();
        let (pair, is_back) = (pair / 2, pair % 2 == 1);
        let client = &self.clients[pair / self.servers.len()];
        let server = &self.servers[pair % self.servers.len()];
        let name = if is_back { format!("{server}>{client}") } else { format!("{client}>{server}") };
        Some((name, self.others.as_ref()?))
    }

    /// Name of each queue, by number.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        (0..self.len()).filter_map(|number| Some(self.described(number)?.0))
    }

    /// The latency and discipline of a queue.
    pub(super) fn terms(&self, number: usize) -> Option<(SimDuration, Discipline)> {
        let (_, described) = self.described(number)?;
        Some((described.latency, described.discipline))
    }

    /// Speeds of the queues with a name, and last of those that each path has of its own.
    pub(super) fn rates(&self) -> impl Iterator<Item = &Rate> {
        let all = self.named.iter().map(|(_, described)| described).chain(&self.others);
        all.map(|described| &described.model.rate)
    }

    /// Returns true if others send packets through a queue.
    pub(super) fn has_others(&self, number: usize) -> bool {
        self.described(number).is_some_and(|(_, described)| described.model.others.is_some())
    }

    /// Number of pairs of clients and servers.
    pub(super) fn pairs(&self) -> usize {
        self.clients.len() * self.servers.len()
    }
}

impl QueueLayout for ScenarioNetwork {
    fn route(&self, path: Path) -> Vec<usize> {
        let pair = (path.client.index(), path.server.index());
        match self.paths.get(&pair) {
            Some(queues) => queues[path.direction as usize].clone(),
            None => {
                let pair = pair.0 * self.servers.len() + pair.1;
                vec![self.named.len() + 2 * pair + usize::from(path.direction == PathDirection::Receive)]
            }
        }
    }

    fn queue(&self, number: usize) -> PacketQueue {
        let (name, described) = self.described(number).expect("a path leads over it");
        let Described { latency, discipline, model } = described;
        let others = model.others.clone();
        let terms = StationTerms {
            discipline: *discipline,
            processors: 1,
            rate: model.rate.clone(),
            extraneous: others.map(|law| Extraneous::new(law, ExtraneousStreams::new(&self.streams, &name))),
            from: self.warm_up,
        };
        PacketQueue::new(name, number as u32, *latency, model.nominal, terms)
    }

    fn described(&self, number: usize) -> DescribedQueue {
        let (_, described) = self.described(number).expect("a path leads over it");
        let Described { latency, model, .. } = described;
        DescribedQueue { number, rate: model.rate.clone(), nominal: model.nominal, latency: *latency }
    }

    fn len(&self) -> usize {
        self.named.len() + 2 * self.pairs()
    }
}
