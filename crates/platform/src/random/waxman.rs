//! Waxman's random graphs: routers at random places of a plane, joined the likelier the nearer they
//! are.
//!
//! Two routers at distance d are joined with probability alpha × exp(-d / (beta × L)). A larger
//! `alpha` gives more links, a larger `beta` more long ones among them. The latency of a link grows
//! with its length: `latency` is that of a link as long as the plane's side. Each host hangs on a
//! router that is drawn for it. Routes are the shortest by latency.
//!
//! What the draws leave unconnected is joined: as long as there are routers that the first one does
//! not reach, the shortest line between those it reaches and those it does not is added.
//!
//! Source: B. M. Waxman, "Routing of multipoint connections", IEEE Journal on Selected Areas in
//! Communications 6(9), 1988, equation 1 (there with alpha and beta named the other way round); the
//! names as in K. Calvert, M. Doar, E. Zegura, IEEE Communications 35(6), 1997. Deviation: L is the
//! diagonal of the plane and not the largest distance between two routers, so that one router more
//! does not move the others' links.

use crate::Platform;
use crate::kernel::rng::{Streams, math};
use crate::registry::{Bounds, Entry, Kind, keys};
use crate::topology::{Graph, Vertex};

use super::draws::{
    BANDWIDTH, CORES, HOST_BANDWIDTH, HOST_LATENCY, HOSTS, HostsOnRouters, LATENCY, Links, One, ROUTERS,
    SPEED,
};
use super::{Generator, Undrawable};

pub(super) const ENTRY: Entry<dyn Generator> = Entry::published(
    "waxman",
    "routers on a plane, joined the likelier the nearer they are; routes are the shortest by latency",
    "B. M. Waxman, IEEE JSAC 6(9), 1988; K. Calvert, M. Doar, E. Zegura, IEEE Communications 35(6), 1997",
    &keys! {
        ..HOSTS;
        ..ROUTERS;
        "alpha" Kind::Number(Bounds::Within(1e-6, 1.0)), or_number 0.4 =>
            "how likely two routers at one place are joined", source "B. M. Waxman, IEEE JSAC 6(9), 1988";
        "beta" Kind::Number(Bounds::Within(1e-3, 1.0)), or_number 0.2 =>
            "how far links reach, as a share of the plane's diagonal", source "B. M. Waxman, IEEE JSAC 6(9), 1988";
        ..SPEED;
        ..CORES;
        "bandwidth" BANDWIDTH => "data rate of a link between routers";
        "latency" LATENCY =>
            "latency of a link as long as the plane's side; that of others goes by their length";
        ..HOST_BANDWIDTH;
        ..HOST_LATENCY;
    },
    |params| {
        Ok(Box::new(Waxman {
            hosts: HostsOnRouters::read(params)?,
            routers: params.read("routers")?,
            alpha: params.read("alpha")?,
            beta: params.read("beta")?,
            lines: Links::read(params, "")?,
        }))
    },
);

#[derive(Debug)]
struct Waxman {
    hosts: HostsOnRouters,
    routers: usize,
    alpha: f64,
    beta: f64,
    lines: Links,
}

/// A place on the plane, whose side is 1.
type Place = (f64, f64);

fn distance(one: Place, other: Place) -> f64 {
    let (across, along) = (one.0 - other.0, one.1 - other.1);
    (across * across + along * along).sqrt()
}

impl Waxman {
    fn places(&self, streams: &Streams) -> Vec<Place> {
        let place = |router: usize| {
            let mut stream = streams.of("platform/place", "router", router as u64);
            (stream.uniform01(), stream.uniform01())
        };
        (0..self.routers).map(place).collect()
    }

    /// Pairs of routers that are joined, the earlier of each pair second.
    fn joined(&self, places: &[Place], streams: &Streams) -> Vec<(usize, usize)> {
        let reach = self.beta * 2.0_f64.sqrt();
        let mut pairs = Vec::new();
        for router in 1..places.len() {
            let mut stream = streams.of("platform/joined", "router", router as u64);
            for other in 0..router {
                let likely = self.alpha * math::exp(-distance(places[router], places[other]) / reach);
                if stream.uniform01() < likely {
                    pairs.push((router, other));
                }
            }
        }
        connect(places, &mut pairs);
        pairs
    }
}

/// Adds the shortest pairs that let the first place reach all others.
fn connect(places: &[Place], pairs: &mut Vec<(usize, usize)>) {
    let mut joined = vec![Vec::new(); places.len()];
    for &(one, other) in pairs.iter() {
        joined[one].push(other);
        joined[other].push(one);
    }
    let mut is_reached = vec![false; places.len()];
    // of each place that is not reached, how near one is that is, and which
    let mut nearest = vec![(f64::INFINITY, 0); places.len()];
    let mut from = Some(0);
    while let Some(start) = from {
        let mut next = vec![start];
        while let Some(place) = next.pop() {
            if std::mem::replace(&mut is_reached[place], true) {
                continue;
            }
            next.extend(&joined[place]);
            for (other, near) in nearest.iter_mut().enumerate() {
                let distance = distance(places[place], places[other]);
                if (distance, place) < *near {
                    *near = (distance, place);
                }
            }
        }
        let open = (0..places.len()).filter(|&place| !is_reached[place]);
        from = open.min_by(|&one, &other| nearest[one].0.total_cmp(&nearest[other].0));
        pairs.extend(from.map(|place| (place.max(nearest[place].1), place.min(nearest[place].1))));
    }
}

impl Generator for Waxman {
    fn draw(&self, streams: &Streams) -> Result<Platform, Undrawable> {
        let places = self.places(streams);
        let mut graph = Graph::default();
        let routers: Vec<Vertex> = places.iter().map(|_| graph.router()).collect();
        for (router, other) in self.joined(&places, streams) {
            let kind = format!("line-{router}");
            let (ends, times) = ((routers[router], routers[other]), distance(places[router], places[other]));
            self.lines.join(&mut graph, One(&kind, other), ends, times, streams)?;
        }
        self.hosts.add(&mut graph, &routers, streams)?;
        Ok(graph.build())
    }
}
