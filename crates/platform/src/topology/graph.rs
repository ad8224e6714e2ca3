//! Platforms of hosts and routers that are joined by edges.
//!
//! Generators and measurements say what is joined with what; here it becomes a platform. An edge is
//! a link that is crossed in both directions, or in one. Routes are those of [`EdgeGraph`], by the
//! latencies at the start of the run.

use crate::hosts::Host;
use crate::kernel::{SimDuration, SimTime};
use crate::links::Link;
use crate::topology::{EdgeGraph, Joins, Vertex};
use crate::{Builder, Platform, PlatformError, Symmetry};

/// Hosts and routers, and the edges between them.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    builder: Builder,
    edges: EdgeGraph,
}

impl Graph {
    /// Adds a host.
    ///
    /// # Errors
    /// There is one of its name.
    pub(crate) fn host(&mut self, host: Host) -> Result<Vertex, PlatformError> {
        self.builder.host(host)?;
        Ok(self.edges.host())
    }

    /// Adds a router.
    pub(crate) fn router(&mut self) -> Vertex {
        self.edges.router()
    }

    /// Joins two points by a link.
    ///
    /// # Errors
    /// There is a link of this name.
    pub(crate) fn edge(
        &mut self,
        name: impl Into<String>,
        ends: (Vertex, Vertex),
        link: Link,
        symmetry: Symmetry,
    ) -> Result<(), PlatformError> {
        let nanos = SimDuration::ceil_secs(link.latency.value_at(SimTime::ZERO)).as_nanos();
        let link = self.builder.link(name, link)?;
        self.edges.edge(ends, link, nanos, symmetry);
        Ok(())
    }

    /// The platform.
    pub(crate) fn build(self) -> Platform {
        self.builder.build_joined(Joins::Edges(self.edges.finished()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HostId;
    use crate::kernel::rng::Streams;

    /// Two hosts at a square of routers: 1 + 1 ms over the one side, 3 ms over the other.
    #[test]
    fn a_route_has_the_least_latency_and_of_equals_the_fewest_links() {
        let mut graph = Graph::default();
        let [a, b] = ["a", "b"].map(|name| graph.host(Host::new(name, 1.0)).expect("one"));
        let [r, s, t] = [graph.router(), graph.router(), graph.router()];
        let ends = [(a, r), (r, s), (s, t), (r, t), (t, b)];
        for (name, ends, latency) in
            [("up", 0, 0.0), ("first", 1, 1e-3), ("second", 2, 1e-3), ("long", 3, 3e-3), ("down", 4, 0.0)]
                .map(|(name, edge, latency)| (name, ends[edge], latency))
        {
            graph.edge(name, ends, Link::new(1e6, latency), Symmetry::Symmetric).expect("one");
        }
        graph.edge("as-long", (r, t), Link::new(1e6, 2e-3), Symmetry::Symmetric).expect("one");
        let platform = graph.build();
        let names = |from: u32, to: u32| {
            let mut route = Vec::new();
            platform.route(HostId::new(from), HostId::new(to), &mut route).expect("joined");
            route.iter().map(|&link| platform.link_name(link).into_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(0, 1), ["up", "as-long", "down"]);
        assert_eq!(names(1, 0), ["down", "as-long", "up"]);
    }

    #[test]
    fn hosts_forward_nothing_and_a_line_of_one_way_leads_nowhere_back() {
        let mut graph = Graph::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| graph.host(Host::new(name, 1.0)).expect("one"));
        graph.edge("ab", (a, b), Link::new(1e6, 1e-3), Symmetry::Symmetric).expect("one");
        graph.edge("bc", (b, c), Link::new(1e6, 1e-3), Symmetry::OneWay).expect("one");
        let platform = graph.build();
        let joins =
            |from: u32, to: u32| platform.route(HostId::new(from), HostId::new(to), &mut Vec::new()).is_ok();
        let found = [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2)].map(|(from, to)| joins(from, to));
        assert_eq!(found, [true, true, true, false, false]);
    }

    /// Small graphs of all kinds of edges, against the route that trying every route finds.
    #[test]
    fn routes_of_random_graphs_are_the_shortest_and_lead_back_where_all_lines_do() {
        for case in 0..3_000 {
            let mut stream = Streams::new(6, 0).of("lines", "case", case);
            let mut below = |bound: u64| stream.below(bound) as usize;
            let mut graph = Graph::default();
            let (hosts, routers) = (2 + below(4), 1 + below(4));
            let mut points: Vec<Vertex> = (0..routers).map(|_| graph.router()).collect();
            points
                .extend((0..hosts).map(|host| graph.host(Host::new(format!("h{host}"), 1.0)).expect("one")));
            // the first edge of each host leads to a router, so that most hang on one
            let mut edges: Vec<(usize, usize, u64, bool)> = Vec::new();
            for host in routers..points.len() {
                edges.push((host, below(routers as u64), below(3) as u64, true));
            }
            for _ in 0..below(2 * points.len() as u64) {
                let ends = [0, 1].map(|_| below(points.len() as u64));
                if ends[0] != ends[1] && (ends[1] < routers || below(8) == 0) {
                    edges.push((ends[0], ends[1], below(3) as u64, case % 3 > 0 || below(2) == 0));
                }
            }
            for (number, &(from, to, latency, both)) in edges.iter().enumerate() {
                let routes = if both { Symmetry::Symmetric } else { Symmetry::OneWay };
                let link = Link::new(1.0, latency as f64);
                graph.edge(format!("l{number}"), (points[from], points[to]), link, routes).expect("one");
            }
            let platform = graph.build();
            let is_two_way = edges.iter().all(|edge| edge.3);
            for (from, to) in (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))) {
                let [start, end] = [from, to].map(|host| HostId::new(host as u32));
                let (mut route, mut back) = (Vec::new(), Vec::new());
                let found = platform.route(start, end, &mut route).is_ok();
                let numbers: Vec<usize> = route.iter().map(|link| link.index()).collect();
                let expected = shortest(&edges, routers, (routers + from, routers + to));
                let shown = (case, from, to, &numbers, &edges);
                assert_eq!(found, expected.is_some(), "{shown:?}");
                let Some(expected) = expected else { continue };
                let latency: u64 = numbers.iter().map(|&number| edges[number].2).sum();
                assert_eq!((latency, numbers.len()), expected, "{shown:?}");
                if is_two_way {
                    platform.route(end, start, &mut back).expect("joined");
                    back.reverse();
                    assert_eq!(route, back, "{shown:?}");
                }
            }
        }
    }

    /// Latency and links of the best route, by relaxing every edge until nothing is better (Bellman
    /// and Ford).
    fn shortest(
        edges: &[(usize, usize, u64, bool)],
        routers: usize,
        (from, to): (usize, usize),
    ) -> Option<(u64, usize)> {
        if from == to {
            return Some((0, 0));
        }
        let both = edges.iter().filter(|edge| edge.3).map(|&(from, to, latency, _)| (to, from, latency));
        let all: Vec<(usize, usize, u64)> =
            edges.iter().map(|&(from, to, latency, _)| (from, to, latency)).chain(both).collect();
        if let Some(index) = edges.iter().position(|&(one, other, _, both)| {
            (one, other) == (from, to) || both && (other, one) == (from, to)
        }) {
            return Some((edges[index].2, 1));
        }
        let points = all.iter().map(|&(one, other, _)| one.max(other) + 1).max().unwrap_or(0);
        let mut best = vec![None; points.max(from + 1).max(to + 1)];
        best[from] = Some((0, 0));
        for _ in 0..points {
            for &(one, other, latency) in &all {
                if one != from && one >= routers {
                    continue;
                }
                if let Some((before, links)) = best[one] {
                    let length = (before + latency, links + 1);
                    if best[other].is_none_or(|known| length < known) {
                        best[other] = Some(length);
                    }
                }
            }
        }
        best[to]
    }
}
