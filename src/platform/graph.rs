//! Platforms of hosts and routers that are joined by lines, whose routes are the shortest ways.
//!
//! Generators and measurements tell what is joined with what; here it becomes a platform. A line is a link that is crossed in both
//! ways, or in one. A way is the shorter the less the latencies at the start of the run add up to, and of equal latencies the fewer
//! links it has; of equals the one over points that were added earlier. Hosts forward nothing: only routers lie between the ends of
//! a way. A line from host to host is the way between these two, whatever else there is.
//!
//! Source: E. W. Dijkstra, Numerische Mathematik 1, 1959. Deviation: none.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BinaryHeap;

use crate::kernel::{SimDuration, SimTime};
use crate::platform::host::{Host, HostId};
use crate::platform::link::Link;
use crate::platform::sharing::LinkId;
use crate::platform::{Builder, Platform, WrongPart};

/// A host or a router of a graph, numbered from 0 in the order in which they are added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Point(usize);

/// In which ways a line is crossed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ways {
    /// From the one to the other and back.
    Both,
    /// From the first to the second.
    There,
}

/// What is at the end of a line, and what crossing it takes.
#[derive(Clone, Copy, Debug)]
struct Line {
    to: usize,
    link: LinkId,
    nanos: u64,
}

/// Hosts and routers, and the lines between them.
#[derive(Debug, Default)]
pub(super) struct Graph {
    builder: Builder,
    /// The host at each point; none at routers.
    hosts: Vec<Option<HostId>>,
    lines: Vec<Vec<Line>>,
    is_one_way: bool,
}

/// A way as far as it is known: latency, links, and the line that it ends with.
#[derive(Clone, Copy, Debug)]
struct Reached {
    nanos: u64,
    links: u32,
    by: Option<(usize, LinkId)>,
}

impl Graph {
    /// Adds a host.
    ///
    /// # Errors
    /// There is one of its name.
    pub(super) fn host(&mut self, host: Host) -> Result<Point, WrongPart> {
        let id = self.builder.host(host)?;
        Ok(self.point(Some(id)))
    }

    /// Adds a router.
    pub(super) fn router(&mut self) -> Point {
        self.point(None)
    }

    fn point(&mut self, host: Option<HostId>) -> Point {
        self.hosts.push(host);
        self.lines.push(Vec::new());
        Point(self.hosts.len() - 1)
    }

    /// Joins two points by a link.
    ///
    /// # Errors
    /// There is a link of this name.
    pub(super) fn line(
        &mut self,
        name: impl Into<String>,
        (from, to): (Point, Point),
        link: Link,
        ways: Ways,
    ) -> Result<(), WrongPart> {
        let nanos = SimDuration::ceil_secs(link.latency.value_at(SimTime::ZERO)).as_nanos();
        let link = self.builder.link(name, link)?;
        self.lines[from.0].push(Line { to: to.0, link, nanos });
        match ways {
            Ways::Both => self.lines[to.0].push(Line { to: from.0, link, nanos }),
            Ways::There => self.is_one_way = true,
        }
        Ok(())
    }

    /// The platform, with a route for every pair of hosts that lines lead between.
    ///
    /// # Complexity
    /// A search over all lines for each host, and memory for every route.
    pub(super) fn build(mut self) -> Platform {
        let ends: Vec<(usize, HostId)> =
            self.hosts.iter().enumerate().filter_map(|(point, host)| Some((point, (*host)?))).collect();
        for &(from, host) in &ends {
            let reached = self.search(from);
            let direct: BTreeMap<usize, LinkId> =
                self.lines[from].iter().rev().map(|line| (line.to, line.link)).collect();
            for &(to, other) in &ends {
                // where every line is crossed in both ways, the way back is the way there
                if to == from || to < from && !self.is_one_way {
                    continue;
                }
                let way = match direct.get(&to) {
                    Some(&link) => vec![link],
                    None => match way(&reached, to) {
                        Some(way) => way,
                        None => continue,
                    },
                };
                if self.is_one_way {
                    self.builder.route(host, other, &way);
                } else {
                    self.builder.symmetric_route(host, other, &way);
                }
            }
        }
        self.builder.build()
    }

    /// The shortest ways from a point to all others.
    fn search(&self, from: usize) -> Vec<Option<Reached>> {
        let mut reached: Vec<Option<Reached>> = vec![None; self.lines.len()];
        let mut next = BinaryHeap::from([Reverse((0_u64, 0_u32, from))]);
        reached[from] = Some(Reached { nanos: 0, links: 0, by: None });
        while let Some(Reverse((nanos, links, point))) = next.pop() {
            let is_stale = reached[point].is_none_or(|best| (best.nanos, best.links) < (nanos, links));
            if is_stale || point != from && self.hosts[point].is_some() {
                continue;
            }
            for line in &self.lines[point] {
                let length = (nanos.saturating_add(line.nanos), links + 1);
                if reached[line.to].is_none_or(|best| length < (best.nanos, best.links)) {
                    let by = Some((point, line.link));
                    reached[line.to] = Some(Reached { nanos: length.0, links: length.1, by });
                    next.push(Reverse((length.0, length.1, line.to)));
                }
            }
        }
        reached
    }
}

/// The links up to a point, in order, if it was reached.
fn way(reached: &[Option<Reached>], to: usize) -> Option<Vec<LinkId>> {
    let mut way = Vec::new();
    let mut at = reached[to]?;
    while let Some((point, link)) = at.by {
        way.push(link);
        at = reached[point]?;
    }
    way.reverse();
    Some(way)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hosts at a square of routers: 1 + 1 ms over the one side, 3 ms over the other.
    #[test]
    fn a_way_has_the_least_latency_and_of_equals_the_fewest_links() {
        let mut graph = Graph::default();
        let [a, b] = ["a", "b"].map(|name| graph.host(Host::new(name, 1.0)).expect("one"));
        let [r, s, t] = [graph.router(), graph.router(), graph.router()];
        let ends = [(a, r), (r, s), (s, t), (r, t), (t, b)];
        for (name, ends, latency) in
            [("up", 0, 0.0), ("first", 1, 1e-3), ("second", 2, 1e-3), ("long", 3, 3e-3), ("down", 4, 0.0)]
                .map(|(name, line, latency)| (name, ends[line], latency))
        {
            graph.line(name, ends, Link::new(1e6, latency), Ways::Both).expect("one");
        }
        graph.line("as-long", (r, t), Link::new(1e6, 2e-3), Ways::Both).expect("one");
        let platform = graph.build();
        let names = |from: u32, to: u32| {
            let mut route = Vec::new();
            platform.route(HostId::new(from), HostId::new(to), &mut route).expect("joined");
            route.iter().map(|&link| platform.link_name(link).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(0, 1), ["up", "as-long", "down"]);
        assert_eq!(names(1, 0), ["down", "as-long", "up"]);
    }

    #[test]
    fn hosts_forward_nothing_and_a_line_of_one_way_leads_nowhere_back() {
        let mut graph = Graph::default();
        let [a, b, c] = ["a", "b", "c"].map(|name| graph.host(Host::new(name, 1.0)).expect("one"));
        graph.line("ab", (a, b), Link::new(1e6, 1e-3), Ways::Both).expect("one");
        graph.line("bc", (b, c), Link::new(1e6, 1e-3), Ways::There).expect("one");
        let platform = graph.build();
        let joins =
            |from: u32, to: u32| platform.route(HostId::new(from), HostId::new(to), &mut Vec::new()).is_ok();
        let found = [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2)].map(|(from, to)| joins(from, to));
        assert_eq!(found, [true, true, true, false, false]);
    }
}
