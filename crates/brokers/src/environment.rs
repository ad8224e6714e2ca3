//! The global computing environment: clients, servers, and the network between them (HPDC 1999,
//! section 3.1 and figure 2).

use std::cell::OnceCell;
use std::fmt;
use std::rc::Rc;

use crate::call::Call;
use crate::completion::{Foresight, Lookahead, LostAt};
use crate::curve::Curve;
use crate::info::{ClientNumber, NetworkInfo, Path, PathDirection, ServerInfo, ServerNumber};
use crate::kernel::{SimDuration, SimTime, now};
use crate::outages::ServerOutages;
use crate::queue::PacketQueue;
use crate::station::{Discipline, Rate, Served, StationAhead};
use crate::transfer::{QueueRoute, TransferNumbers};

/// A server.
#[derive(Debug)]
pub struct BrokerServer {
    /// Name.
    pub name: String,
    /// Operations per second of a processor.
    pub performance: f64,
    /// Number of its processors.
    pub processors: u32,
    /// Price of one second of service; with `None`, a task costs the performance of its server.
    pub price: Option<f64>,
    /// Measured availability of the server.
    pub availability: Option<Curve>,
    /// Queue and what it serves.
    pub station: Rc<Served>,
}

impl BrokerServer {
    /// Performance, load and availability at this instant.
    pub fn info(&self) -> ServerInfo {
        self.info_with(self.station.number().into_iter().sum::<u64>() as f64)
    }

    /// The same, if its load were this.
    pub fn info_with(&self, load: f64) -> ServerInfo {
        let availability = match &self.availability {
            Some(curve) => curve.value_at(now()),
            None => crate::curve::availability(load),
        };
        let is_up = self.station.is_up();
        ServerInfo { time: now(), performance: self.performance, load, availability, is_up }
    }

    /// Processors among which it divides a task, if they are free.
    pub fn divided(&self, call: &Call) -> u32 {
        // what is shared gives each one processor at most
        if self.station.discipline == Discipline::Ps { 1 } else { call.processors }
    }

    /// Performance, load and availability without any measurement.
    pub fn nominal(&self) -> ServerInfo {
        let time = SimTime::ZERO;
        ServerInfo { time, performance: self.performance, load: 0.0, availability: 1.0, is_up: true }
    }
}

/// A queue as it is described, with nothing in it.
#[derive(Clone, Debug)]
pub struct DescribedQueue {
    /// Number of the queue.
    pub number: usize,
    /// Rate of the queue.
    pub rate: Rate,
    /// The rate that is known without any measurement \[bytes/s\].
    pub nominal: f64,
    /// The time that a packet travels after it left.
    pub latency: SimDuration,
}

/// Maker of the queues of a network: each is made when something first goes through it.
pub trait QueueLayout: fmt::Debug {
    /// The queues of a path, in order.
    fn route(&self, path: Path) -> Vec<usize>;

    /// The queue of a number, in which nothing is.
    fn queue(&self, number: usize) -> PacketQueue;

    /// The same as it is described.
    fn described(&self, number: usize) -> DescribedQueue;

    /// Number of queues there are.
    fn len(&self) -> usize;

    /// Returns true if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The network: the queues of each path.
#[derive(Debug)]
pub struct QueueNetwork {
    layout: Box<dyn QueueLayout>,
    servers: usize,
    routes: Vec<OnceCell<QueueRoute>>,
    described: Vec<OnceCell<Box<[DescribedQueue]>>>,
    queues: Vec<OnceCell<Rc<PacketQueue>>>,
    /// The numbers of transfers.
    pub flows: TransferNumbers,
}

impl QueueNetwork {
    /// A network between these numbers of clients and servers.
    pub fn new(layout: Box<dyn QueueLayout>, clients: usize, servers: usize) -> Self {
        let paths = 2 * clients * servers;
        let routes = std::iter::repeat_with(OnceCell::new).take(paths).collect();
        let described = std::iter::repeat_with(OnceCell::new).take(paths).collect();
        let queues = std::iter::repeat_with(OnceCell::new).take(layout.len()).collect();
        QueueNetwork { layout, servers, routes, described, queues, flows: TransferNumbers::default() }
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

    /// The queues of a path as they are described.
    pub fn described(&self, path: Path) -> &[DescribedQueue] {
        self.described[self.number(path)].get_or_init(|| {
            let queues = self.layout.route(path).into_iter();
            queues.map(|number| self.layout.described(number)).collect()
        })
    }

    /// Seconds that a packet travels between the queues of a path.
    pub fn between(&self, path: Path) -> f64 {
        let queues = self.described(path);
        let but_last = queues.iter().take(queues.len().saturating_sub(1));
        but_last.map(|queue| queue.latency.as_secs_f64()).sum()
    }

    /// The queue at a place of a path, looked at ahead.
    pub(super) fn queue_ahead(&self, path: Path, place: usize, foresight: Foresight) -> StationAhead {
        let (copy, discipline) = self.route(path)[place].copy();
        match foresight {
            Foresight::Known => StationAhead::known(copy),
            _ => StationAhead::expected(copy, now(), (discipline, 1)),
        }
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
    outages: Vec<OnceCell<ServerOutages>>,
}

impl Environment {
    /// An environment of clients, servers (one at least) and the network between them; `packet` is
    /// the bytes of a packet.
    pub fn new(
        clients: Vec<String>,
        servers: Vec<BrokerServer>,
        layout: Box<dyn QueueLayout>,
        packet: f64,
    ) -> Self {
        let network = QueueNetwork::new(layout, clients.len(), servers.len());
        let outages = std::iter::repeat_with(OnceCell::new).take(servers.len()).collect();
        Environment { clients, servers, network, packet, outages }
    }

    /// A server fails at these instants.
    pub(super) fn fails(&self, server: ServerNumber, outages: ServerOutages) {
        self.outages[server.index()].set(outages).ok();
    }

    /// The outages of a server; `None` if it never fails.
    pub fn outages(&self, server: ServerNumber) -> Option<&ServerOutages> {
        self.outages[server.index()].get()
    }

    /// A look ahead from this instant.
    pub fn ahead(&self, foresight: Foresight) -> Lookahead<'_> {
        Lookahead::new(self, foresight)
    }

    /// A server looked at ahead.
    pub(super) fn server_ahead(&self, server: ServerNumber, foresight: Foresight) -> StationAhead {
        let BrokerServer { performance, processors, station, .. } = self.server(server);
        let terms = (station.discipline, *processors);
        match foresight {
            Foresight::Built => StationAhead::alone(Rate::Constant(*performance), terms.0, terms.1),
            Foresight::Alone => StationAhead::alone(station.rate(), terms.0, terms.1),
            Foresight::Expected => StationAhead::expected(station.copy(), now(), terms),
            Foresight::Known => StationAhead::known(station.copy()),
        }
    }

    /// The figures of a path without any measurement.
    pub fn nominal(&self, path: Path) -> NetworkInfo {
        self.ahead(Foresight::Built).figures(path, self.packet)
    }

    /// The figures that a sender of packets of `packet` bytes finds of a path by its state now.
    pub fn reading(&self, path: Path, packet: f64) -> NetworkInfo {
        self.ahead(Foresight::Expected).figures(path, packet.min(self.packet))
    }

    /// Seconds that a task takes alone on a server of the mean performance, behind the network in
    /// the mean, all as they were built.
    pub fn alone_on_mean(&self, call: &Call) -> f64 {
        let Call { client, send, receive, instructions, priority, .. } = *call;
        let (mut network, mut speed) = (0.0, 0.0);
        for server in self.server_numbers() {
            for (direction, bytes) in PathDirection::ALL.into_iter().zip([send, receive]) {
                let path = Path { client, server, direction };
                let arrived = self.ahead(Foresight::Built).carry(path, (bytes, priority), SimTime::ZERO);
                network += arrived.as_secs_f64();
            }
            let described = self.server(server);
            speed += described.performance * f64::from(described.divided(call));
        }
        let count = self.servers.len().max(1) as f64;
        network / count + instructions * count / speed
    }

    /// The time that a task which is issued at an instant takes alone on the server that is fastest
    /// for it.
    pub fn alone_on_fastest(&self, call: &Call, issued: SimTime) -> SimDuration {
        let mut least = SimTime::MAX;
        for server in self.server_numbers().filter(|server| self.can_execute(*server, call)) {
            let alone = self.ahead(Foresight::Alone).before(least).complete(call, server, issued);
            least = alone.map_or(least, |alone| alone.back.min(least));
        }
        least.since(issued)
    }

    /// Returns true if a server has the processors that a task needs.
    pub fn can_execute(&self, server: ServerNumber, call: &Call) -> bool {
        self.server(server).processors >= call.processors
    }

    /// The instant at which the results of a task that is sent to a server now are back, if no
    /// further work of ours comes: others send what they are going to send, and servers fail as
    /// they will. If this server fails the task, it goes on then to the one of the other
    /// `candidates` from which it is back first. The end of time if it is never back, or not before
    /// `bound`.
    pub fn would_complete(
        &self,
        call: &Call,
        server: ServerNumber,
        candidates: &[ServerNumber],
        bound: SimTime,
    ) -> SimTime {
        let from = |server, at, bound| self.ahead(Foresight::Known).before(bound).complete(call, server, at);
        match from(server, now(), bound) {
            Ok(completion) => completion.back,
            Err(LostAt(lost)) => {
                let others = candidates.iter().filter(|other| **other != server);
                others.fold(SimTime::MAX, |least, other| {
                    from(*other, lost, bound.min(least))
                        .map_or(least, |completion| completion.back.min(least))
                })
            }
        }
    }

    /// Cost of a task that a server executed for `service`.
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
}
