//! What is known of the servers and queues that a run was on.

use serde_json::Value as Json;

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};

/// What serves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum JudgedStation {
    /// A server, by number.
    Server(usize),
    /// A queue, by number.
    Queue(usize),
}

/// What is known of a server or a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StationFacts {
    /// How many it serves at once; 1 for a queue.
    pub processors: u32,
    /// Whether it serves in order of arrival.
    pub in_order: bool,
    /// Whether it serves all at once.
    pub is_shared: bool,
    /// How long a packet travels after it left.
    pub latency: SimDuration,
}

/// A server as its scenario describes it.
#[derive(Clone, PartialEq, Debug)]
pub struct DescribedStation {
    /// Name of the server.
    pub name: String,
    /// Operations per second of a processor.
    pub performance: f64,
    /// Price of a second of service, if it has one.
    pub price: Option<f64>,
}

/// The queues of a path, there and back.
pub type QueueRoutes = [Vec<usize>; 2];

/// Further facts of a run whose numbers are judged.
#[derive(Clone, Copy, Debug)]
pub struct WholeRun<'a> {
    /// Contents of `summary.json`.
    pub summary: &'a Json,
    /// Contents of `manifest.json`.
    pub manifest: &'a Json,
    /// Title and seed of the scenario.
    pub named: (&'a str, u64),
    /// Instant at which the run was to be stopped, if one is stated.
    pub until: Option<SimTime>,
    /// True if the run keeps what decisions cost.
    pub has_regret: bool,
    /// The servers.
    pub servers: &'a [DescribedStation],
    /// By client and server; none where there are too many.
    pub routes: &'a OrderedMap<(String, String), QueueRoutes>,
    /// `servers.csv`.
    pub server_file: Option<&'a str>,
    /// `queues.csv`.
    pub queue_file: Option<&'a str>,
    /// `jobs.csv`.
    pub jobs: Option<&'a str>,
    /// `forecasters.csv`.
    pub forecasters: Option<&'a str>,
    /// `believed.csv`.
    pub believed: Option<&'a str>,
    /// True if the run has `agreement.csv`.
    pub has_agreement: bool,
}

/// What is known of the environment that a run was in: clients, servers and queues by name.
pub trait BrokerFacts {
    /// How many classes the client of this name has.
    fn classes(&self, client: &str) -> Option<usize>;

    /// The server of this name.
    fn server(&self, name: &str) -> Option<usize>;

    /// The queue of this name.
    fn queue(&self, name: &str) -> Option<usize>;

    /// What is known of a server or queue.
    fn station(&self, of: JudgedStation) -> StationFacts;

    /// Operations of a processor, or bytes, that are served between two instants by one who has it alone.
    fn work(&self, of: JudgedStation, from: SimTime, to: SimTime) -> f64;

    /// What is available of a server by its measured series, if it has one.
    fn availability(&self, server: usize, at: SimTime) -> Option<f64>;
}

/// Whether work is done between two instants, the later one rounded up to a nanosecond.
pub(super) fn is_done(
    facts: &dyn BrokerFacts,
    of: JudgedStation,
    (start, end): (SimTime, SimTime),
    work: f64,
) -> bool {
    // an instant before the end not all may be done; sums of floating point numbers err a little
    let before = SimTime::from_nanos(end.as_nanos().saturating_sub(2)).max(start);
    let slack = 1e-9 * work;
    end >= start
        && facts.work(of, start, end) >= work - slack
        && facts.work(of, start, before) <= work + slack
}
