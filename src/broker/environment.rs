//! The global computing environment: clients, servers, and the network between them (HPDC 1999, section 3.1 and figure 2).

use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

use crate::broker::call::Call;
use crate::broker::curve::Curve;
use crate::broker::info::{ClientNumber, NetworkInfo, Path, PathDirection, ServerInfo, ServerNumber};
use crate::broker::queue::PacketQueue;
use crate::broker::station::Served;
use crate::broker::transfer::{QueueRoute, TransferNumbers};
use crate::kernel::{SimDuration, SimTime, now};

/// A server.
#[derive(Debug)]
pub struct BrokerServer {
    /// What it is called.
    pub name: String,
    /// Operations per second of a processor.
    pub performance: f64,
    /// How many it has.
    pub processors: u32,
    /// What one second of service costs; if nothing is given, a task costs the performance of its server.
    pub price: Option<f64>,
    /// What is available of it, as it was measured.
    pub availability: Option<Curve>,
    /// Its queue and what it serves.
    pub station: Rc<Served>,
}

impl BrokerServer {
    /// What it is like now.
    pub fn info(&self) -> ServerInfo {
        self.info_with(self.station.number().into_iter().sum::<u64>() as f64)
    }

    /// The same, if its load were this.
    pub fn info_with(&self, load: f64) -> ServerInfo {
        let availability = match &self.availability {
            Some(curve) => curve.value_at(now()),
            None => crate::broker::curve::availability(load),
        };
        let is_up = self.station.is_up();
        ServerInfo { time: now(), performance: self.performance, load, availability, is_up }
    }

    /// What it is like without any measurement.
    pub fn nominal(&self) -> ServerInfo {
        let time = SimTime::ZERO;
        ServerInfo { time, performance: self.performance, load: 0.0, availability: 1.0, is_up: true }
    }
}

/// What makes the queues of a network: each is made when something first goes through it.
pub trait QueueLayout: fmt::Debug {
    /// The queues of a path, in order.
    fn route(&self, path: Path) -> Vec<usize>;

    /// The queue of a number, in which nothing is.
    fn queue(&self, number: usize) -> PacketQueue;

    /// How many queues there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is known of a path without any measurement.
    fn nominal(&self, path: Path) -> NetworkInfo;
}

/// The network: the queues of each path.
#[derive(Debug)]
pub struct QueueNetwork {
    layout: Box<dyn QueueLayout>,
    servers: usize,
    routes: Vec<OnceCell<QueueRoute>>,
    queues: Vec<OnceCell<Rc<PacketQueue>>>,
    /// The numbers of transfers.
    pub flows: TransferNumbers,
}

impl QueueNetwork {
    /// Between so many clients and servers.
    pub fn new(layout: Box<dyn QueueLayout>, clients: usize, servers: usize) -> Self {
        let routes = std::iter::repeat_with(OnceCell::new).take(2 * clients * servers).collect();
        let queues = std::iter::repeat_with(OnceCell::new).take(layout.len()).collect();
        QueueNetwork { layout, servers, routes, queues, flows: TransferNumbers::default() }
    }

    /// Paths have numbers: by client, then by server, there and back.
    pub fn number(&self, path: Path) -> usize {
        2 * (path.client.index() * self.servers + path.server.index()) + path.direction as usize
    }

    /// The queues of a path.
    pub fn route(&self, path: Path) -> &QueueRoute {
        self.routes[self.number(path)].get_or_init(|| {
            let queues = self.layout.route(path).into_iter();
            queues.map(|number| Rc::clone(self.queue(number))).collect()
        })
    }

    fn queue(&self, number: usize) -> &Rc<PacketQueue> {
        self.queues[number].get_or_init(|| Rc::new(self.layout.queue(number)))
    }

    /// The queues that a packet of a client or of a probe came to.
    pub fn used(&self) -> impl Iterator<Item = &Rc<PacketQueue>> {
        self.queues.iter().filter_map(OnceCell::get).filter(|queue| queue.is_used())
    }

    /// What is known of a path without any measurement.
    pub fn nominal(&self, path: Path) -> NetworkInfo {
        self.layout.nominal(path)
    }

    /// What the path is like now, by the state of its queues.
    pub fn info(&self, path: Path) -> NetworkInfo {
        let route = self.route(path);
        let bandwidth = route.iter().map(|queue| queue.bandwidth_now()).fold(f64::INFINITY, f64::min);
        let latency = route.iter().map(|queue| queue.latency.as_secs_f64()).sum();
        NetworkInfo { time: now(), bandwidth, latency }
    }
}

/// What tasks of a client take alone: on servers as they are in the mean, and on the fastest one.
#[derive(Clone, Copy, Debug)]
struct Alone {
    /// Seconds per byte there, per operation, per byte back, and of latencies.
    mean: [f64; 4],
    fastest: [f64; 4],
}

impl Alone {
    fn seconds(by: [f64; 4], call: &Call) -> f64 {
        let service = call.instructions * by[1] / f64::from(call.processors);
        call.send * by[0] + service + call.receive * by[2] + by[3]
    }
}

/// All of it.
#[derive(Debug)]
pub struct Environment {
    /// Names of clients.
    pub clients: Vec<String>,
    /// The servers.
    pub servers: Vec<BrokerServer>,
    /// The network.
    pub network: QueueNetwork,
    /// Bytes of a packet.
    pub packet: f64,
    alone: Vec<Alone>,
}

impl Environment {
    /// Of clients, servers (one at least) and the network between them; packets have so many bytes.
    pub fn new(
        clients: Vec<String>,
        servers: Vec<BrokerServer>,
        layout: Box<dyn QueueLayout>,
        packet: f64,
    ) -> Self {
        let network = QueueNetwork::new(layout, clients.len(), servers.len());
        let count = servers.len().max(1) as f64;
        let performance = servers.iter().map(|server| server.performance).sum::<f64>() / count;
        let fastest = (0..servers.len())
            .rev()
            .max_by(|one, other| servers[*one].performance.total_cmp(&servers[*other].performance));
        let fastest = ServerNumber(fastest.unwrap_or(0) as u32);
        let alone = |client: u32| {
            let info =
                |server, direction| network.nominal(Path { client: ClientNumber(client), server, direction });
            let of = |server: ServerNumber, performance: f64| {
                let [there, back] = PathDirection::ALL.map(|direction| info(server, direction));
                [
                    there.bandwidth.recip(),
                    performance.recip(),
                    back.bandwidth.recip(),
                    there.latency + back.latency,
                ]
            };
            let mut mean = [0.0; 4];
            for server in 0..servers.len() as u32 {
                let of = of(ServerNumber(server), performance);
                mean.iter_mut().zip(of).for_each(|(mean, of)| *mean += of / count);
            }
            Alone { mean, fastest: of(fastest, servers[fastest.index()].performance) }
        };
        let alone =
            if servers.is_empty() { Vec::new() } else { (0..clients.len() as u32).map(alone).collect() };
        Environment { clients, servers, network, packet, alone }
    }

    /// Seconds that a task takes alone on the mean server, behind the mean network.
    pub fn alone_on_mean(&self, call: &Call) -> f64 {
        Alone::seconds(self.alone[call.client.index()].mean, call)
    }

    /// Seconds that a task takes alone on the fastest server; of equals the first.
    pub fn alone_on_fastest(&self, call: &Call) -> f64 {
        Alone::seconds(self.alone[call.client.index()].fastest, call)
    }

    /// What a task cost that a server executed for so long.
    pub fn cost(&self, server: ServerNumber, service: SimDuration) -> f64 {
        let server = self.server(server);
        server.price.map_or(server.performance, |price| price * service.as_secs_f64())
    }

    /// A server.
    pub fn server(&self, number: ServerNumber) -> &BrokerServer {
        &self.servers[number.index()]
    }

    /// All servers.
    pub fn server_numbers(&self) -> impl Iterator<Item = ServerNumber> + use<> {
        (0..self.servers.len() as u32).map(ServerNumber)
    }

    /// All clients.
    pub fn client_numbers(&self) -> impl Iterator<Item = ClientNumber> + use<> {
        (0..self.clients.len() as u32).map(ClientNumber)
    }

    /// When the results of a task that is sent now would be back, by the true state of queues and servers now and by their series,
    /// if nothing else came.
    pub fn would_complete(
        &self,
        client: ClientNumber,
        server: ServerNumber,
        (send, instructions, receive): (f64, f64, f64),
    ) -> SimTime {
        let arrived = self.would_arrive(Path { client, server, direction: PathDirection::Send }, now(), send);
        let ended = self.server(server).station.would_end(arrived, instructions);
        self.would_arrive(Path { client, server, direction: PathDirection::Receive }, ended, receive)
    }

    fn would_arrive(&self, path: Path, from: SimTime, bytes: f64) -> SimTime {
        self.network.route(path).iter().fold(from, |at, queue| {
            let left = if bytes > 0.0 { queue.would_leave(at, bytes) } else { at };
            left.saturating_add(queue.latency)
        })
    }
}
