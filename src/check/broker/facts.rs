//! What is known of the servers and queues that a run was on.

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
