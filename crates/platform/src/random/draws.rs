//! The keys of hosts and links that generators have in common, and their draws, each from
//! streams of its own.

use crate::kernel::rng::{Sampler, Streams};
use crate::registry::{Complaint, Kind, Params, Quantity, named_keys};
use crate::sharing::{LEAST, MOST};
use crate::topology::{Graph, Vertex};
use crate::{Host, Link, Symmetry};

use super::{MOST_HOSTS, MOST_ROUTERS, Undrawable};

pub(super) const BANDWIDTH: Kind = Kind::Distribution(Quantity::Bandwidth);
pub(super) const LATENCY: Kind = Kind::Distribution(Quantity::Duration);
pub(super) const COUNT: Kind = Kind::Distribution(Quantity::Count);

named_keys! {
    pub(super) SPEED = "speed" Kind::Distribution(Quantity::Speed) => "how fast a core of a host computes";
    pub(super) CORES = "cores" COUNT, or_count 1 => "cores of a host";
    pub(super) HOSTS = "hosts" Kind::Count { least: 1, most: MOST_HOSTS as u64 } => "how many hosts there are";
    pub(super) ROUTERS = "routers" Kind::Count { least: 1, most: MOST_ROUTERS as u64 } =>
        "how many routers there are";
    pub(super) HOST_BANDWIDTH = "host-bandwidth" BANDWIDTH =>
        "data rate of the link that joins a host to its router";
    pub(super) HOST_LATENCY = "host-latency" LATENCY => "latency of the link that joins a host to its router";
}

/// The distributions that hosts are drawn from.
#[derive(Debug)]
pub(super) struct Hosts {
    speed: Sampler,
    cores: Sampler,
}

/// The distributions that links are drawn from.
#[derive(Debug)]
pub(super) struct Links {
    bandwidth: Sampler,
    latency: Sampler,
}

/// One of many: what they are called, and its number from 0.
#[derive(Clone, Copy)]
pub(super) struct One<'a>(pub(super) &'a str, pub(super) usize);

impl One<'_> {
    pub(super) fn name(self) -> String {
        format!("{}-{}", self.0, self.1)
    }
}

pub(super) fn law(params: &Params<'_>, key: &str) -> Result<Sampler, Complaint> {
    params.component::<Sampler>(key, "distribution").map(|sampler| *sampler)
}

impl Hosts {
    pub(super) fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        Ok(Hosts { speed: law(params, "speed")?, cores: law(params, "cores")? })
    }

    /// The speed and the cores of `one`.
    pub(super) fn draw(&self, one: One<'_>, streams: &Streams) -> Result<(f64, u32), Undrawable> {
        let speed = self.speed.draw(&mut streams.of("platform/speed", one.0, one.1 as u64));
        if !(speed.is_finite() && speed > 0.0) {
            return Err(one.undrawable("speed", speed, "expected more than 0"));
        }
        let cores = self.cores.draw(&mut streams.of("platform/cores", one.0, one.1 as u64)).round();
        if !(1.0..=1e6).contains(&cores) {
            return Err(one.undrawable("number of cores", cores, "expected 1 to 1,000,000"));
        }
        Ok((speed, cores as u32))
    }

    /// A host of its own draws.
    pub(super) fn host(&self, one: One<'_>, streams: &Streams) -> Result<Host, Undrawable> {
        let (speed, cores) = self.draw(one, streams)?;
        Ok(Host { cores, ..Host::new(one.name(), speed) })
    }
}

impl Links {
    /// Of the keys `before` + `bandwidth` and `latency`.
    pub(super) fn read(params: &Params<'_>, before: &str) -> Result<Self, Complaint> {
        let bandwidth = law(params, &format!("{before}bandwidth"))?;
        Ok(Links { bandwidth, latency: law(params, &format!("{before}latency"))? })
    }

    /// Joins two points by a link of its own draws, its latency taken `times`.
    pub(super) fn join(
        &self,
        graph: &mut Graph,
        one: One<'_>,
        ends: (Vertex, Vertex),
        times: f64,
        streams: &Streams,
    ) -> Result<(), Undrawable> {
        graph.edge(one.name(), ends, self.link(one, times, streams)?, Symmetry::Symmetric).expect(ONCE);
        Ok(())
    }

    /// A link of its own draws, its latency taken `times`.
    pub(super) fn link(&self, one: One<'_>, times: f64, streams: &Streams) -> Result<Link, Undrawable> {
        let bandwidth = self.bandwidth.draw(&mut streams.of("platform/bandwidth", one.0, one.1 as u64));
        if !(LEAST..=MOST).contains(&bandwidth) {
            return Err(one.undrawable("bandwidth", bandwidth, "expected 1e-6 to 1e18 B/s"));
        }
        let latency = times * self.latency.draw(&mut streams.of("platform/latency", one.0, one.1 as u64));
        if !(0.0..=1e6).contains(&latency) {
            return Err(one.undrawable("latency", latency, "expected 0 to 1e6 s"));
        }
        Ok(Link::new(bandwidth, latency))
    }
}

/// Reason that names cannot clash.
pub(super) const ONCE: &str = "names are numbered, each once";

/// Hosts, each on a router that is drawn.
#[derive(Debug)]
pub(super) struct HostsOnRouters {
    hosts: usize,
    machines: Hosts,
    access: Links,
}

impl HostsOnRouters {
    pub(super) fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let (machines, access) = (Hosts::read(params)?, Links::read(params, "host-")?);
        Ok(HostsOnRouters { hosts: params.read("hosts")?, machines, access })
    }

    /// Adds the hosts and their links.
    pub(super) fn add(
        &self,
        graph: &mut Graph,
        routers: &[Vertex],
        streams: &Streams,
    ) -> Result<(), Undrawable> {
        for number in 0..self.hosts {
            let host = graph.host(self.machines.host(One("host", number), streams)?).expect(ONCE);
            let drawn = streams.of("platform/router", "host", number as u64).below(routers.len() as u64);
            let ends = (host, routers[drawn as usize]);
            self.access.join(graph, One("access", number), ends, 1.0, streams)?;
        }
        Ok(())
    }
}

impl One<'_> {
    fn undrawable(self, what: &'static str, value: f64, rule: &'static str) -> Undrawable {
        Undrawable::Value { what, whose: format!("`{}`", self.name()), value, rule }
    }
}
