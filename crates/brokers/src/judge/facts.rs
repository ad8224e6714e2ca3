//! Facts about the servers and queues that a run was on.

use serde_json::Value as Json;

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};

use super::speed::StationSpeed;

/// A server or a queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum JudgedStation {
    /// A server, by number.
    Server(usize),
    /// A queue, by number.
    Queue(usize),
}

/// Facts about a server or a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct StationFacts {
    /// Number of tasks that it serves at once; 1 for a queue.
    pub processors: u32,
    /// True if it serves in order of arrival.
    pub in_order: bool,
    /// True if it serves all at once.
    pub is_shared: bool,
    /// Time for which a packet travels after it left.
    pub latency: SimDuration,
}

/// Values that a scheduler goes by, if files have them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ChoiceRule {
    /// The least predicted time.
    Predictions,
    /// The first results in truth.
    Truth,
    /// The highest performance.
    Performance,
    /// One server after the other.
    Turn,
}

/// Rules of a scenario for tasks that ask for a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct AskingRules {
    /// Duration of an answer, if it is not drawn.
    pub query: Option<SimDuration>,
    /// The wait of a task for which no server is in question.
    pub after: SimDuration,
    /// Number of such waits of a task at most.
    pub times: u64,
    /// Values that the scheduler goes by, if files have them.
    pub choice: Option<ChoiceRule>,
    /// True if servers are left out that are not predicted to be in time.
    pub has_opt: bool,
    /// True if monitors find out which servers are up.
    pub reads_servers: bool,
}

/// A server as its scenario describes it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DescribedStation {
    /// Name of the server.
    pub name: String,
    /// Operations per second of a processor.
    pub performance: f64,
    /// Price of a second of service, if it has one.
    pub price: Option<f64>,
}

/// The queues of a path, there and back.
pub(crate) type QueueRoutes = [Vec<usize>; 2];

/// Further facts of a run whose numbers are judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WholeRun<'a> {
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
    /// Bytes of a packet.
    pub packet: f64,
    /// True if probes go through queues, and if readings cost servers operations.
    pub probed: [bool; 2],
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

/// The environment that a run was in: clients, servers and queues by name.
pub(crate) trait BrokerFacts {
    /// Number of classes the client of this name has.
    fn classes(&self, client: &str) -> Option<usize>;

    /// The server of this name.
    fn server(&self, name: &str) -> Option<usize>;

    /// The queue of this name.
    fn queue(&self, name: &str) -> Option<usize>;

    /// The facts about a server or queue.
    fn station(&self, of: JudgedStation) -> StationFacts;

    /// Operations of a processor in a second, or bytes, as they are described.
    fn speed(&self, of: JudgedStation) -> &StationSpeed;

    /// The availability of a server by its measured series, if it has one.
    fn availability(&self, server: usize) -> Option<&StationSpeed>;

    /// The spans of a window in which a station is down by a trace.
    fn down(&self, of: JudgedStation, window: (SimTime, SimTime)) -> Vec<(SimTime, SimTime)>;

    /// Returns true if a server may fail, whenever that is.
    fn fails(&self, server: usize) -> bool;

    /// Returns true if others send packets or tasks through a station.
    fn has_others(&self, of: JudgedStation) -> bool;
}
