//! Transfers: data in packets, of which one is outstanding.
//!
//! The next packet enters the network when the one before it has left the last queue of the route.
//! A packet arrives a latency after it left, so a transfer takes the sum of its services and waits,
//! and one latency. Over several queues each packet is stored and forwarded. Where there are 0
//! bytes no packet is sent: what remains is the latency.
//!
//! Source: A. Takefusa and others, HPDC 1999, section 3.3, steps (7), (8) and (10).

use std::cell::Cell;
use std::rc::Rc;

use crate::kernel::{SimDuration, SimTime, hold, now};
use crate::queue::{PacketQueue, QueuedPacket};
use crate::station::StationTraffic;

/// The queues from one end to another, in order.
pub type QueueRoute = Rc<[Rc<PacketQueue>]>;

/// Data to be sent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PacketTransfer {
    /// Amount.
    pub bytes: f64,
    /// The size of a packet; the last one is what is left.
    pub packet: f64,
    /// Kind of its traffic.
    pub traffic: StationTraffic,
    /// Priority, where that counts.
    pub priority: i64,
}

/// Times of a transfer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TransferTimes {
    /// Instant at which its first packet entered the first queue.
    pub entered: SimTime,
    /// Instant at which its last packet left the last queue.
    pub left: SimTime,
}

/// The numbers of transfers, which tell them apart.
#[derive(Debug, Default)]
pub struct TransferNumbers(Cell<u64>);

impl TransferNumbers {
    fn next(&self) -> u64 {
        self.0.set(self.0.get() + 1);
        self.0.get()
    }
}

/// Sends data along a route, and returns when its last packet has arrived. `watch` is called with
/// each packet when it has left.
pub async fn send(
    flows: &TransferNumbers,
    route: &QueueRoute,
    transfer: PacketTransfer,
    mut watch: impl FnMut(&PacketRun),
) -> TransferTimes {
    let PacketTransfer { mut bytes, packet, traffic, priority } = transfer;
    let flow = flows.next();
    let entered = now();
    let mut number = 0;
    while bytes > 0.0 {
        let sent = QueuedPacket { bytes: bytes.min(packet), traffic, priority, flow };
        bytes = (bytes - packet).max(0.0);
        for (place, queue) in route.iter().enumerate() {
            let arrived = now();
            let service = queue.pass(&sent).await;
            watch(&PacketRun {
                flow,
                number,
                hop: place,
                bytes: sent.bytes,
                arrived,
                start: service.start,
                end: now(),
            });
            if place + 1 < route.len() {
                travel(queue.latency, traffic).await;
            }
        }
        number += 1;
    }
    let left = now();
    let latency = match route.last() {
        Some(last) if number > 0 => last.latency,
        _ => route.iter().map(|queue| queue.latency).sum(),
    };
    travel(latency, traffic).await;
    TransferTimes { entered, left }
}

/// A packet that has left a queue.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PacketRun {
    /// The number of its transfer.
    pub flow: u64,
    /// Number in the transfer, from 0.
    pub number: u64,
    /// Number of the queue in the route, from 0.
    pub hop: usize,
    /// Size.
    pub bytes: f64,
    /// Instant at which it entered the queue.
    pub arrived: SimTime,
    /// Instant at which it was served.
    pub start: SimTime,
    /// Instant at which it left.
    pub end: SimTime,
}

async fn travel(latency: SimDuration, traffic: StationTraffic) {
    if latency > SimDuration::ZERO {
        match traffic {
            StationTraffic::Probe => hold(latency).background().await,
            _ => hold(latency).await,
        }
    }
}
