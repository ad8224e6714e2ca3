//! The flow interconnect: messages are flows over the links of a platform, which share their
//! bandwidth.
//!
//! Nodes are joined as the hosts of a cluster of [`platform`](crate::platform::Cluster) are: by a
//! crossbar, whose nodes have a cable to one switch each, with or without a backbone in its middle,
//! or by a fat tree, a torus, a dragonfly or a full mesh. A message waits for the latencies of its
//! route and then has the rate that max-min fairness gives it, until all of it has been carried. At
//! its end it is ready at its destination, whose receive DMA serves one message at a time as in
//! `linear`. Alone on the network a message thus takes the latency of its route, and its size over
//! the least bandwidth of that; corrections (`lv08`) make more of both.
//!
//! ```text
//!   node ── up ──▶ switch ══ (backbone) ══ switch ── down ──▶ node: receive DMA
//!   (one flow a message, no process a message)
//! ```
//!
//! `latency` is that of one cable: in a crossbar a message crosses two, and with the defaults takes
//! as long as in `linear`. A topology may have more hosts than the cluster has nodes; nodes are
//! then the first of them. The latency by which tasks decide how long to spin is that of the
//! longest route.
//!
//! Left out: the load of a platform's limiters and loopbacks; messages within a node skip the wire.
//!
//! Source: the flow model of H. Casanova and L. Marchal, RR2002-40, LIP, ENS Lyon, 2002, and those
//! of the topologies, each in its file.

use std::cell::OnceCell;
use std::fmt;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use crate::kernel::{SimDuration, SimTime};
use crate::node::cluster_state::ClusterState;
use crate::platform::network::{
    CORRECTIONS, Carrier as _, Flow, Network, Started, TransferClass, TransferObserver, Transfers, Transport,
};
use crate::platform::sharing::LinkId;
use crate::platform::topology::keys::{SHAPE, TOPOLOGIES, TOPOLOGY_SOURCES, misplaced, shape};
use crate::platform::{Builder, Cluster, End, Flows, Host, HostId, Link, Platform, Request, ZoneId};
use crate::registry::{Absent, Complaint, Entry, Key, Kind, Params, code, entry};
use crate::units::{Bandwidth, Bytes};

use super::Interconnect;
use super::linear::{self, BANDWIDTH, LATENCY, Linear};
use crate::node::cluster_state::{Carried, Carrier, Parcel};

pub(super) const ENTRY: Entry<dyn Interconnect> = entry! {
    "flow" => "messages are flows that share the links of a crossbar, fat tree, torus, dragonfly or mesh",
    source "Casanova and Marchal, RR2002-40, LIP, ENS Lyon, 2002",
    keys KEYS,
    reads |params| Flowing::read(params)?
};

const ITSELF: [Key; 4] = [
    Key::new("topology", Kind::Choice(&TOPOLOGIES))
        .or("crossbar")
        .about("how nodes are joined")
        .source(TOPOLOGY_SOURCES),
    Key { default: Absent::Text("5us"), about: "how long it takes to get across a cable", ..LATENCY },
    Key { about: "data that a cable carries per second, in either direction", ..BANDWIDTH },
    Key::new(
        "backbone",
        Kind::Table(&[
            Key { default: Absent::Error, about: "data carried per second", source: "", ..BANDWIDTH },
            Key { default: Absent::Text("0s"), about: "how long it takes to get across", ..LATENCY },
        ]),
    )
    .absent("nothing lies in the middle")
    .about("of a star: a link that all routes between nodes cross"),
];

const KEYS: &[Key] =
    &Key::joined::<{ ITSELF.len() + SHAPE.len() + CORRECTIONS.len() }>(&[&ITSELF, &SHAPE, &CORRECTIONS]);

#[derive(Clone, Debug)]
struct Flowing {
    cables: Cluster,
    /// Nodes that there is room for.
    room: u32,
    /// The platform that joins them; built again for each number of nodes of a crossbar or mesh.
    platform: Arc<Platform>,
    /// The longest route, and the route back.
    longest: [Vec<Link>; 2],
    model: Flow,
    /// The law of receive DMAs.
    ports: Linear,
}

impl Flowing {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let topology: String = params.read("topology")?;
        if let Some(first) = misplaced(params, &topology).into_iter().next() {
            return Err(first);
        }
        let (shape, hosts) = shape(params, &topology)?;
        let link = |table: &Params<'_>| -> Result<Link, Complaint> {
            let (bandwidth, latency): (Bandwidth, SimDuration) =
                (table.read("bandwidth")?, table.read("latency")?);
            Ok(Link::new(bandwidth.bytes_per_sec(), latency.as_secs_f64()))
        };
        // two are enough for the longest route through a crossbar or mesh
        let mut cables = Cluster::new("node", hosts.unwrap_or(2), Host::new("", 1.0), link(params)?);
        cables.backbone =
            if params.has("backbone") { Some(link(&params.section("backbone"))?) } else { None };
        cables.shape = shape;
        let platform = laid(&cables).map_err(|why| params.complaint("topology", why))?;
        let model = Flow::read(params)?;
        if let Err(why) = model.carrier(&platform) {
            let complaint = Complaint::new(code::RANGE, why.to_string(), params.span("bandwidth"));
            return Err(complaint.label("corrections included"));
        }
        let room = cables.shape.most_hosts().unwrap_or(platform.hosts().len() as u32);
        let longest = longest(&platform);
        Ok(Flowing {
            cables,
            room,
            platform: Arc::new(platform),
            longest,
            model,
            ports: Linear::read(params)?,
        })
    }

    /// The platform that joins `nodes` nodes.
    fn platform(&self, nodes: u32) -> Arc<Platform> {
        assert!(nodes <= self.room, "no more nodes than there is room for");
        if self.cables.shape.most_hosts().is_none() {
            return Arc::clone(&self.platform);
        }
        let cables = Cluster { numbers: (0..nodes).collect(), ..self.cables.clone() };
        Arc::new(laid(&cables).expect("a crossbar or mesh of any size is as right as one of two nodes"))
    }
}

/// The platform of these cables, or what is wrong with them.
fn laid(cables: &Cluster) -> Result<Platform, String> {
    let mut builder = Builder::new();
    builder.cluster(ZoneId::TOP, cables).map_err(|why| why.to_string())?;
    Ok(builder.build())
}

/// The first of the longest routes from the first host, and the route back.
fn longest(platform: &Platform) -> [Vec<Link>; 2] {
    let route_of = |from: u32, to: u32| {
        let mut route = Vec::new();
        let gone = platform.route(HostId::new(from), HostId::new(to), &mut route);
        gone.expect("a cluster joins all of its hosts");
        route
    };
    let hosts = platform.hosts().len() as u32;
    let (mut far, mut most) = (0, 0);
    for to in 1..hosts {
        let length = route_of(0, to).len();
        if length > most {
            (far, most) = (to, length);
        }
    }
    let links = |route: Vec<LinkId>| route.iter().map(|link| platform.link(*link).into_owned()).collect();
    if far == 0 { [const { Vec::new() }; 2] } else { [links(route_of(0, far)), links(route_of(far, 0))] }
}

impl Interconnect for Flowing {
    fn latency(&self, size: Bytes) -> SimDuration {
        let mut flows = Flows::new(self.model.model).expect("it was tried when it was read");
        let [route, back] = [0, 1].map(|direction: usize| -> Vec<LinkId> {
            let links = self.longest[direction].iter();
            links.map(|link| flows.add_link(link.clone()).expect("as the model")).collect()
        });
        let request =
            Request { size: size.get() as f64, route: &route, back: &back, bound: None, extra_latency: 0.0 };
        flows.start(request).expect("a size, over links that are there");
        let mut now = SimTime::ZERO;
        while let Some(next) = flows.next_event() {
            now = next;
            flows.advance(now);
        }
        now.since(SimTime::ZERO)
    }

    fn room(&self) -> Option<u32> {
        Some(self.room)
    }

    fn carrier(&self, nodes: u32) -> Rc<dyn Carrier> {
        let platform = self.platform(nodes);
        let ports = Rc::new(self.ports.network(nodes));
        Rc::new(Carrying { platform, model: self.model, ports, network: OnceCell::new() })
    }
}

/// A carrier of messages as flows.
struct Carrying {
    platform: Arc<Platform>,
    model: Flow,
    /// The receive DMAs of the nodes.
    ports: Rc<linear::Network>,
    /// From the start of the run on.
    network: OnceCell<Network>,
}

impl fmt::Debug for Carrying {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Carrying").field("hosts", &self.platform.hosts().len()).finish_non_exhaustive()
    }
}

/// A message in transit, which goes on to its port when its flow ends.
struct Coming {
    /// The cluster, held weakly, since it holds what holds this.
    cluster: Weak<ClusterState>,
    ports: Rc<linear::Network>,
    parcel: Parcel,
}

impl TransferObserver for Coming {
    fn ended(&self, end: End) {
        debug_assert_eq!(end, End::Completed, "links of an interconnect work for ever");
        if let Some(cluster) = self.cluster.upgrade() {
            self.ports.due(&Carried(cluster), self.parcel.clone(), SimDuration::ZERO);
        }
    }
}

impl Carrier for Carrying {
    fn start(self: Rc<Self>, cluster: &Carried) {
        let network = Network::begin(&self.platform, &self.model);
        let network = network.expect("the links were tried when they were read");
        self.network.set(network).expect("it is started once");
        Rc::clone(&self.ports).start(cluster);
    }

    fn enter(&self, cluster: &Carried, parcel: Parcel) {
        let (from, to) = (parcel.from, parcel.message.to);
        if from == to {
            return self.ports.due(cluster, parcel, SimDuration::ZERO);
        }
        let size = parcel.message.size.get() as f64;
        let what = Transfers { from: HostId::new(from), to: HostId::new(to), size, bound: None };
        let network = self.network.get().expect("it has been started");
        let coming = Coming { cluster: Rc::downgrade(&cluster.0), ports: Rc::clone(&self.ports), parcel };
        let started = network.start(what, Some(Rc::new(coming)), TransferClass::Foreground);
        let started = started.expect("all nodes are joined, and a message has a size");
        debug_assert!(started != Started::Over, "a route between two nodes has links");
    }
}
