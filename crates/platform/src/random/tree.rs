//! Random trees: every router hangs below one that was there before it, every host on some router.
//!
//! Router 0 is the root. Each further one is put below an earlier router that is drawn among those
//! with fewer than `children` below them, each equally likely. Without that bound this is the
//! random recursive tree, whose depth grows as e × ln n. There is one route between two hosts.
//!
//! Source: R. T. Smythe, H. M. Mahmoud, "A survey of recursive trees", Theory of Probability and
//! Mathematical Statistics 51, 1995. The bound on children is a choice of ours.

use crate::Platform;
use crate::kernel::rng::Streams;
use crate::registry::{Entry, Kind, keys};
use crate::topology::{Graph, Vertex};

use super::draws::{
    BANDWIDTH, CORES, HOST_BANDWIDTH, HOST_LATENCY, HOSTS, HostsOnRouters, LATENCY, Links, One, ROUTERS,
    SPEED,
};
use super::{Generator, Undrawable};

pub(super) const ENTRY: Entry<dyn Generator> = Entry::published(
    "tree",
    "routers, each below an earlier one, and hosts on any of them",
    "R. T. Smythe, H. M. Mahmoud, Theory of Probability and Mathematical Statistics 51, 1995",
    &keys! {
        ..HOSTS;
        ..ROUTERS;
        "children" Kind::Count { least: 1, most: u32::MAX as u64 }, absent "any number of them" =>
            "the most routers just below one";
        ..SPEED;
        ..CORES;
        "bandwidth" BANDWIDTH => "data rate of the link from a router to the one above";
        "latency" LATENCY => "latency of the link from a router to the one above";
        ..HOST_BANDWIDTH;
        ..HOST_LATENCY;
    },
    |params| {
        Ok(Box::new(Tree {
            hosts: HostsOnRouters::read(params)?,
            routers: params.read("routers")?,
            children: params.read::<Option<u32>>("children")?.unwrap_or(u32::MAX),
            lines: Links::read(params, "")?,
        }))
    },
);

#[derive(Debug)]
struct Tree {
    hosts: HostsOnRouters,
    routers: usize,
    children: u32,
    lines: Links,
}

impl Generator for Tree {
    fn draw(&self, streams: &Streams) -> Result<Platform, Undrawable> {
        let mut graph = Graph::default();
        let mut routers: Vec<Vertex> = vec![graph.router()];
        let mut below = vec![0_u32];
        for number in 1..self.routers {
            // one is always open: the last that was added has none below
            let open: Vec<usize> = (0..number).filter(|&router| below[router] < self.children).collect();
            let drawn = streams.of("platform/above", "router", number as u64).below(open.len() as u64);
            let above = open[drawn as usize];
            below[above] += 1;
            below.push(0);
            let router = graph.router();
            self.lines.join(&mut graph, One("line", number), (router, routers[above]), 1.0, streams)?;
            routers.push(router);
        }
        self.hosts.add(&mut graph, &routers, streams)?;
        Ok(graph.build())
    }
}
