//! Knowledge of the scheduling unit about networks and servers (HPDC 1999, figure 3: `NetworkInfo`,
//! `ServerInfo`).

use crate::ids::index;
use crate::kernel::SimTime;
use crate::registry::definition::words;

index! {
    /// A client: its place among all clients, in the order of the scenario.
    pub struct ClientNumber(pub u32);
}

index! {
    /// A server: its place among all servers, in the order of the scenario.
    pub struct ServerNumber(pub u32);
}

words! {
    /// Direction of data on a path.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum PathDirection {
        Send = "send", "from the client to the server";
        Receive = "receive", "from the server to the client";
    }
}

/// The network between a client and a server, in one direction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Path {
    /// The client.
    pub client: ClientNumber,
    /// The server.
    pub server: ServerNumber,
    /// Direction of the data.
    pub direction: PathDirection,
}

/// Measured or predicted state of a path.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NetworkInfo {
    /// Instant of the measurement, or of the prediction.
    pub time: SimTime,
    /// Bytes per second.
    pub bandwidth: f64,
    /// Seconds.
    pub latency: f64,
}

/// Measured or predicted state of a server.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ServerInfo {
    /// Instant of the measurement, or of the prediction.
    pub time: SimTime,
    /// Operations per second of a processor that does nothing else.
    pub performance: f64,
    /// Tasks in its queue and in service.
    pub load: f64,
    /// The share of a processor that one more task gets: what its series says, if it has one, else
    /// 1/(1 + `load`).
    pub availability: f64,
    /// True if it works.
    pub is_up: bool,
}

/// One series of measurements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SeriesKey {
    /// Bytes per second of a path.
    Bandwidth(Path),
    /// Seconds of a path.
    Latency(Path),
    /// Tasks at a server.
    Load(ServerNumber),
    /// The share of a server that one more task gets.
    Availability(ServerNumber),
}
