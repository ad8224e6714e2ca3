//! The detailed interconnect: a process for every directed link, first come, first served.
//!
//! A message holds each link of its route for its size over the bandwidth. Its head goes on to the
//! next link as soon as it enters one, so on an idle network all of them pass it at the same time
//! (cut-through, with room to wait in front of every link); the latency of the whole route follows
//! the last. One message on an idle network thus takes exactly the time of `linear`, the receive
//! DMA at its destination included, which serves one message at a time here too. What differs is
//! that messages which share a link wait for each other.
//!
//! ```text
//!   crossbar:  a ──────▶ b   a link for every ordered pair     star:  a ──up──▶ switch ──down──▶ b
//! ```
//!
//! A link and its process come into being with its first message: a crossbar of 1,024 nodes has a
//! million links, of which a job uses a few.
//!
//! Source: the paper's linear model leaves links out ("ClusterSchedSim", SIMULATION 80(4-5), 2004,
//! section 3.2, names a detailed one as the alternative); cut-through after P. Kermani, L.
//! Kleinrock, Computer Networks 3, 1979.

use std::cell::RefCell;
use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::kernel::{Mailbox, SimDuration, hold, spawn_daemon};
use crate::registry::{Entry, Key, choices, entry};
use crate::units::Bytes;

use super::Interconnect;
use super::linear::{BANDWIDTH, LATENCY, Linear, Network};
use crate::node::cluster_state::{Carried, Carrier, Parcel};

pub(super) const ENTRY: Entry<dyn Interconnect> = entry! {
    "detailed" => "links that serve one message at a time, by themselves",
    source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 3.2; Kermani and Kleinrock, Computer Networks 3, 1979",
    keys {
        ..LATENCY;
        ..OF_EVERY_LINK;
        "topology" Topology::CHOICES, or "crossbar" => "which links there are";
    },
    reads |params| Detailed { wire: Linear::read(params)?, topology: params.read("topology")? }
};

const OF_EVERY_LINK: Key = Key { about: "bandwidth of every link", ..BANDWIDTH };

choices! {
    /// Links between the nodes.
    enum Topology {
        Crossbar = "crossbar", "a link from every node to every other";
        Star = "star", "one link up from every node to a switch, and one down";
    }
}

#[derive(Clone, Copy, Debug)]
struct Detailed {
    wire: Linear,
    topology: Topology,
}

impl Interconnect for Detailed {
    fn latency(&self, size: Bytes) -> SimDuration {
        self.wire.latency(size)
    }

    fn carrier(&self, nodes: u32) -> Rc<dyn Carrier> {
        let ports = Rc::new(self.wire.network(nodes));
        Rc::new(Carrying(Rc::new(Links { detailed: *self, ports, used: RefCell::default() })))
    }
}

/// A directed link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Link {
    /// From one node to another.
    Between(u32, u32),
    /// From a node to the switch.
    Up(u32),
    /// From the switch to a node.
    Down(u32),
}

impl Topology {
    fn first(self, parcel: &Parcel) -> Link {
        match self {
            Topology::Crossbar => Link::Between(parcel.from, parcel.message.to),
            Topology::Star => Link::Up(parcel.from),
        }
    }
}

impl Link {
    /// The link that comes after this one on the route of a message.
    fn next(self, parcel: &Parcel) -> Option<Link> {
        match self {
            Link::Between(..) | Link::Down(_) => None,
            Link::Up(_) => Some(Link::Down(parcel.message.to)),
        }
    }
}

#[derive(Debug)]
struct Links {
    detailed: Detailed,
    /// The receive DMAs of the nodes, and what lies between the last link and them.
    ports: Rc<Network>,
    /// Links that have been used, and the messages that wait in front of them.
    used: RefCell<OrderedMap<Link, Mailbox<Parcel>>>,
}

impl Links {
    /// The head of a message is at a link.
    fn queue(self: &Rc<Self>, cluster: &Carried, link: Link, parcel: Parcel) {
        let mut used = self.used.borrow_mut();
        let number = used.len() as u32;
        let line = used.entry(link).or_insert_with(|| {
            let line = Mailbox::new(("messages for link", number));
            spawn_daemon(("link", number), Rc::clone(self).pass(cluster.clone(), link, line.clone()));
            line
        });
        line.send(parcel);
    }

    /// The process of a link.
    async fn pass(self: Rc<Self>, cluster: Carried, link: Link, line: Mailbox<Parcel>) {
        loop {
            let parcel = line.receive().await;
            let next = link.next(&parcel);
            if let Some(next) = next {
                self.queue(&cluster, next, parcel.clone());
            }
            hold(self.detailed.wire.holds(parcel.message.size)).await;
            if next.is_none() {
                self.ports.due(&cluster, parcel, self.detailed.wire.latency(Bytes::new(0)));
            }
        }
    }
}

/// A carrier of messages over links; shared with their processes.
#[derive(Debug)]
struct Carrying(Rc<Links>);

impl Carrier for Carrying {
    fn start(self: Rc<Self>, cluster: &Carried) {
        Rc::clone(&self.0.ports).start(cluster);
    }

    fn enter(&self, cluster: &Carried, parcel: Parcel) {
        let Links { detailed, ports, .. } = &*self.0;
        if parcel.from == parcel.message.to {
            ports.due(cluster, parcel, SimDuration::ZERO);
        } else {
            self.0.queue(cluster, detailed.topology.first(&parcel), parcel);
        }
    }
}
