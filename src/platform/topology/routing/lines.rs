//! Lines: hosts and routers that are joined by links, whose ways are those of the least latency.
//!
//! A way is the shorter the less the latencies add up to, and of equal latencies the fewer links it has; of equals it is that over the
//! points that were added earlier. Hosts forward nothing: only routers lie between the ends of a way. A line from host to host is the way
//! between these two, whatever else there is. Where every line is crossed in both ways, the way back is the way there.
//!
//! Nothing is kept for pairs of hosts. The ways from a point are searched for when the first of them is asked for, and kept: for each
//! *inner* point the line by which it is reached. A host that hangs on a router by a single line is no inner point: its ways begin with
//! that line and go on as the router's do. So n hosts on r routers need memory for n lines and at most r² numbers, and a way takes
//! O(length) but for the first from its router.
//!
//! Source: E. W. Dijkstra, Numerische Mathematik 1, 1959. Deviation: none.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use crate::platform::Ways;
use crate::platform::sharing::LinkId;
use crate::platform::topology::Walk;
use crate::platform::topology::routing::{Topology, Unjoined};

/// A host or a router among lines, numbered from 0 in the order in which they are added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::platform) struct LinePoint(u32);

/// What is at the end of a line, and what crossing it takes.
#[derive(Clone, Copy, Debug)]
struct Line {
    to: u32,
    link: LinkId,
    nanos: u64,
}

#[derive(Clone, Debug)]
struct Joined {
    is_host: bool,
    /// How many lines lead here.
    comers: u32,
    /// Those that lead from here, in the order in which they were added.
    lines: Vec<Line>,
}

/// A line between inner points, by their numbers.
#[derive(Clone, Copy, Debug)]
struct Inner {
    from: u32,
    to: u32,
    link: LinkId,
    nanos: u64,
}

/// No inner point, or no line.
const NONE: u32 = u32::MAX;

/// Hosts and routers, and the lines between them.
#[derive(Clone, Debug, Default)]
pub(in crate::platform) struct Lines {
    points: Vec<Joined>,
    /// Points of the hosts, by rank.
    hosts: Vec<u32>,
    is_one_way: bool,
    /// The number of each point among the inner ones.
    numbers: Vec<u32>,
    /// Of each inner point, whether it forwards and where its lines begin; the end of the last.
    inner: Vec<(bool, u32)>,
    between: Vec<Inner>,
    /// Of each inner point: the line by which each other one is reached from it.
    trees: Vec<OnceLock<Box<[u32]>>>,
}

impl Lines {
    /// Adds the host of the next rank.
    pub(in crate::platform) fn host(&mut self) -> LinePoint {
        self.hosts.push(self.points.len() as u32);
        self.point(true)
    }

    /// Adds a router.
    pub(in crate::platform) fn router(&mut self) -> LinePoint {
        self.point(false)
    }

    fn point(&mut self, is_host: bool) -> LinePoint {
        self.points.push(Joined { is_host, comers: 0, lines: Vec::new() });
        LinePoint(self.points.len() as u32 - 1)
    }

    /// Joins two points by a link that takes so long to cross.
    pub(in crate::platform) fn line(
        &mut self,
        (from, to): (LinePoint, LinePoint),
        link: LinkId,
        nanos: u64,
        ways: Ways,
    ) {
        let mut lead = |from: LinePoint, to: LinePoint| {
            self.points[from.0 as usize].lines.push(Line { to: to.0, link, nanos });
            self.points[to.0 as usize].comers += 1;
        };
        lead(from, to);
        match ways {
            Ways::BothWays => lead(to, from),
            Ways::OneWay => self.is_one_way = true,
        }
    }

    /// The same when all has been added, ready to tell ways.
    #[must_use]
    pub(in crate::platform) fn finished(mut self) -> Self {
        let hangs: Vec<bool> = (0..self.points.len()).map(|point| self.hangs(point).is_some()).collect();
        let mut count = 0;
        self.numbers = hangs
            .iter()
            .map(|&hangs| {
                if hangs {
                    NONE
                } else {
                    count += 1;
                    count - 1
                }
            })
            .collect();
        for (point, joined) in self.points.iter().enumerate().filter(|&(point, _)| !hangs[point]) {
            self.inner.push((!joined.is_host, self.between.len() as u32));
            let from = self.numbers[point];
            let lines = joined.lines.iter().filter(|line| !hangs[line.to as usize]);
            self.between.extend(lines.map(|&Line { to, link, nanos }| Inner {
                from,
                to: self.numbers[to as usize],
                link,
                nanos,
            }));
        }
        self.trees = vec![OnceLock::new(); self.inner.len()];
        self.inner.push((false, self.between.len() as u32));
        self
    }

    /// The line by which a host hangs on a router, if it has no other.
    fn hangs(&self, point: usize) -> Option<Line> {
        let Joined { is_host: true, comers: 1, lines } = &self.points[point] else { return None };
        let [line] = lines[..] else { return None };
        let router = &self.points[line.to as usize];
        let is_crossed_back = || router.lines.iter().any(|back| back.link == line.link);
        (!router.is_host && is_crossed_back()).then_some(line)
    }

    /// The inner point where the ways from or to a point begin or end, and the link between, if it is not that point itself.
    fn inner(&self, point: u32) -> (u32, Option<LinkId>) {
        match self.numbers[point as usize] {
            NONE => {
                let line = self.points[point as usize].lines[0];
                (self.numbers[line.to as usize], Some(line.link))
            }
            number => (number, None),
        }
    }

    /// The shortest ways from an inner point to all others.
    fn tree(&self, from: u32) -> Box<[u32]> {
        let mut reached_by = vec![NONE; self.trees.len()];
        let mut best = vec![(u64::MAX, u32::MAX); self.trees.len()];
        let mut next = BinaryHeap::from([Reverse((0_u64, 0_u32, from))]);
        best[from as usize] = (0, 0);
        while let Some(Reverse((nanos, links, point))) = next.pop() {
            let (forwards, first) = self.inner[point as usize];
            if best[point as usize] < (nanos, links) || point != from && !forwards {
                continue;
            }
            let end = self.inner[point as usize + 1].1;
            for index in first..end {
                let line = self.between[index as usize];
                let length = (nanos.saturating_add(line.nanos), links + 1);
                if length < best[line.to as usize] {
                    best[line.to as usize] = length;
                    reached_by[line.to as usize] = index;
                    next.push(Reverse((length.0, length.1, line.to)));
                }
            }
        }
        reached_by.into()
    }

    /// The links of the way between two points, in order.
    fn way(&self, from: u32, to: u32) -> Option<Vec<LinkId>> {
        let mut direct = self.points[from as usize].lines.iter().filter(|line| line.to == to);
        if let Some(line) = direct.next() {
            return Some(vec![line.link]);
        }
        let ((start, first), (end, last)) = (self.inner(from), self.inner(to));
        let mut way: Vec<LinkId> = last.into_iter().collect();
        let tree = self.trees[start as usize].get_or_init(|| self.tree(start));
        let mut at = end;
        while at != start {
            let line = self.between.get(tree[at as usize] as usize)?;
            way.push(line.link);
            at = line.from;
        }
        way.extend(first);
        way.reverse();
        Some(way)
    }
}

impl Topology for Lines {
    fn go(&self, from: u32, to: u32, walk: &mut Walk<'_>) -> Result<(), Unjoined> {
        if from == to {
            return Ok(());
        }
        let [from, to] = [from, to].map(|rank| self.hosts.get(rank as usize).copied());
        let (Some(from), Some(to)) = (from, to) else { return Err(Unjoined) };
        let way = if self.is_one_way || from < to {
            self.way(from, to)
        } else {
            self.way(to, from).map(|mut way| {
                way.reverse();
                way
            })
        };
        walk.links(&way.ok_or(Unjoined)?);
        Ok(())
    }
}
