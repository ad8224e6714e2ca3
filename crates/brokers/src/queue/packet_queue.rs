//! A queue of a network: packets are served at its bandwidth, and arrive a latency after they left.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::curve::Curve;
use crate::kernel::stats::DurationTable;
use crate::kernel::{Either, Event, SimDuration, SimTime, hold, now, race};
use crate::station::fcfs::EnteredPacket;
use crate::station::ordered::DemandNumber;
use crate::station::served::StationTerms;
use crate::station::{
    Discipline, Fcfs, Rate, Served, ServiceSpan, StationCopy, StationDemand, StationTraffic, Usage,
};

/// A queue of packets.
#[derive(Debug)]
pub struct PacketQueue {
    /// Place among all queues.
    pub number: u32,
    /// Name.
    pub name: String,
    /// Time for which a packet travels after it left.
    pub latency: SimDuration,
    /// Bandwidth known without any measurement \[bytes/s\].
    pub nominal: f64,
    /// The series by which it serves, if it is measured \[bytes/s\].
    pub measured: Option<Curve>,
    station: QueueStation,
    delays: RefCell<DurationTable>,
    /// Instant from which delays count.
    from: SimTime,
    /// True if a packet of a client or of a probe came here.
    is_used: Cell<bool>,
}

#[derive(Debug)]
enum QueueStation {
    Fcfs(Box<QueueInOrder>),
    Served(Rc<Served>),
}

/// A queue in order of arrival.
#[derive(Debug)]
struct QueueInOrder {
    fcfs: RefCell<Fcfs>,
    /// Packets moved up, as one before them left the line.
    moved: Event,
}

impl QueueInOrder {
    async fn pass(&self, packet: &QueuedPacket) -> ServiceSpan {
        let entered = self.fcfs.borrow_mut().enter(now(), packet.bytes, packet.traffic);
        let EnteredPacket { number, mut service, may_move } = entered;
        let mut leaving = LeavingQueue { queue: self, number: Some(number) };
        loop {
            let mut rest = hold(service.end.since(now()));
            if packet.traffic == StationTraffic::Probe {
                rest = rest.background();
            }
            if !may_move {
                rest.await;
                break;
            }
            if let Either::Left(()) = race(rest, self.moved.wait()).await {
                break;
            }
            // one that ends at this instant does not move
            service = self.fcfs.borrow().service(number).unwrap_or(service);
        }
        leaving.number = None;
        service
    }
}

/// Leaves the queue; unserved, if it has a number still.
struct LeavingQueue<'a> {
    queue: &'a QueueInOrder,
    number: Option<DemandNumber>,
}

impl Drop for LeavingQueue<'_> {
    fn drop(&mut self) {
        if let Some(number) = self.number
            && self.queue.fcfs.borrow_mut().withdraw(now(), number)
        {
            self.queue.moved.set();
            self.queue.moved.clear();
        }
    }
}

impl PacketQueue {
    /// A queue in which nothing is; `nominal` is what is known of its bandwidth without any
    /// measurement.
    pub fn new(name: String, number: u32, latency: SimDuration, nominal: f64, terms: StationTerms) -> Self {
        let from = terms.from;
        let measured = match &terms.rate {
            Rate::Measured(curve) => Some(curve.curve().clone()),
            Rate::Constant(_) => None,
        };
        let station = if terms.discipline == Discipline::Fcfs {
            QueueStation::Fcfs(Box::new(QueueInOrder {
                fcfs: RefCell::new(Fcfs::new(terms.rate, terms.extraneous, terms.from)),
                moved: Event::new("packets before it"),
            }))
        } else {
            QueueStation::Served(Served::new(("queue", number), terms))
        };
        PacketQueue {
            number,
            name,
            latency,
            nominal,
            measured,
            station,
            delays: RefCell::default(),
            from,
            is_used: Cell::new(false),
        }
    }

    /// A packet passes through, but for its latency. Dropped before that, it leaves the line, or
    /// what it has of a queue that is shared; what is being served by then in an order is served to
    /// its end.
    pub async fn pass(&self, packet: &QueuedPacket) -> ServiceSpan {
        let entered = now();
        self.is_used.set(true);
        let service = match &self.station {
            QueueStation::Fcfs(in_order) => in_order.pass(packet).await,
            QueueStation::Served(served) => {
                let demand = StationDemand {
                    work: packet.bytes,
                    priority: packet.priority,
                    flow: packet.flow,
                    processors: 1,
                };
                // queues do not fail
                served
                    .serve(demand, packet.traffic)
                    .await
                    .unwrap_or(ServiceSpan { start: entered, end: now() })
            }
        };
        if packet.traffic == StationTraffic::Own && entered >= self.from {
            self.delays.borrow_mut().record(now() - entered);
        }
        service
    }

    /// The queue as it is, to be looked at ahead, and its discipline.
    pub fn copy(&self) -> (StationCopy, Discipline) {
        match &self.station {
            QueueStation::Fcfs(in_order) => {
                let mut fcfs = in_order.fcfs.borrow_mut();
                // once, not for each copy
                fcfs.look(now());
                (fcfs.copy(), Discipline::Fcfs)
            }
            QueueStation::Served(served) => (served.copy(), served.discipline),
        }
    }

    /// Returns true if a packet of a client or of a probe came here.
    pub fn is_used(&self) -> bool {
        self.is_used.get()
    }

    /// Traffic carried up to the end of the run.
    pub fn usage(&self, end: SimTime) -> Usage {
        match &self.station {
            QueueStation::Fcfs(in_order) => in_order.fcfs.borrow_mut().usage(end),
            QueueStation::Served(served) => served.usage(end),
        }
    }

    /// Times that packets of tasks spent here.
    pub fn delays(&self) -> DurationTable {
        self.delays.borrow().clone()
    }
}

/// A packet on its way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct QueuedPacket {
    /// Size.
    pub bytes: f64,
    /// Kind of its traffic.
    pub traffic: StationTraffic,
    /// Priority, where that counts.
    pub priority: i64,
    /// The number of its transfer, from 1.
    pub flow: u64,
}
