//! Joints of links, found out of routes.
//!
//! A platform declares routes, as lists of links, and not where links begin and end. Here each link
//! gets two ends. A route from a to b over k and l says that one end of k is at a, the other end of
//! k meets an end of l, and the other end of l is at b. Ends that meet are one *joint*, and a joint
//! that no node sits at is drawn as a dot: a switch or router. Short routes are taken first, so
//! that a longer one finds the ends already known and goes on from there.
//!
//! A link that has more than two nodes at its ends is a bus: all of it is one joint. A link both
//! ends of which turn out to meet lies *in* its joint: a backbone that every route over a switch
//! crosses. Nodes between which a route has no link at all meet in a joint without links.

use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::sharing::LinkId;

/// A route between two nodes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct DrawnRoute {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) links: Vec<LinkId>,
}

/// Two joints, and the link between them; none where they are joined without one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Edge {
    pub(super) ends: (usize, usize),
    pub(super) link: Option<LinkId>,
}

/// Joints, numbered from 0; of so many nodes the first ones are theirs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Joints {
    pub(super) count: usize,
    nodes: usize,
    pub(super) edges: Vec<Edge>,
    /// Links that lie in a joint.
    pub(super) inside: OrderedMap<usize, Vec<LinkId>>,
}

impl Joints {
    /// All links that are drawn: as lines, or in a joint.
    pub(super) fn links(&self) -> impl Iterator<Item = LinkId> {
        let inside = self.inside.range(self.nodes..).flat_map(|(_, links)| links.iter().copied());
        self.edges.iter().filter_map(|edge| edge.link).chain(inside)
    }

    /// Returns true if the drawn links form a path between the ends of the route.
    pub(super) fn shows(&self, route: &DrawnRoute) -> bool {
        let mut here = self.touched(OrderedSet::from([route.from]));
        for &link in &route.links {
            let lines = self.edges.iter().filter(|edge| edge.link == Some(link)).flat_map(|edge| {
                let (one, other) = edge.ends;
                [(one, other), (other, one)]
            });
            let mut there: OrderedSet<usize> =
                lines.filter(|(from, _)| here.contains(from)).map(|(_, to)| to).collect();
            // what would lie in a node is not drawn
            let inside = here.range(self.nodes..);
            there.extend(
                inside.filter(|&joint| self.inside.get(joint).is_some_and(|all| all.contains(&link))),
            );
            here = self.touched(there);
        }
        here.contains(&route.to)
    }

    /// These joints, and those that they are joined with without a link.
    fn touched(&self, mut joints: OrderedSet<usize>) -> OrderedSet<usize> {
        let without = self.edges.iter().filter(|edge| edge.link.is_none());
        let near: Vec<usize> = without
            .flat_map(|edge| [edge.ends, (edge.ends.1, edge.ends.0)])
            .filter(|(from, _)| joints.contains(from))
            .map(|(_, to)| to)
            .collect();
        joints.extend(near);
        joints
    }
}

/// Sets of ends that are one joint. Ends 0 up to the number of nodes are the nodes.
struct Ends {
    nodes: usize,
    above: Vec<usize>,
    of_link: OrderedMap<LinkId, [usize; 2]>,
    /// Pairs of joints that are joined without a link.
    touching: OrderedSet<(usize, usize)>,
}

impl Ends {
    fn top(&self, mut end: usize) -> usize {
        while self.above[end] != end {
            end = self.above[end];
        }
        end
    }

    fn fresh(&mut self) -> usize {
        self.above.push(self.above.len());
        self.above.len() - 1
    }

    /// Lets two ends meet; two nodes stay apart and touch.
    fn meet(&mut self, one: usize, other: usize) {
        let (low, high) = {
            let (one, other) = (self.top(one), self.top(other));
            (one.min(other), one.max(other))
        };
        if low == high {
            return;
        }
        if high < self.nodes {
            self.touching.insert((low, high));
        } else {
            self.above[high] = low;
        }
    }

    /// Crosses a link from the end `at`, to go on to one of the ends `then`; gives the end at which
    /// it leads on.
    fn cross(&mut self, at: usize, link: LinkId, buses: &OrderedSet<LinkId>, then: &[usize]) -> usize {
        let Some(&ends) = self.of_link.get(&link) else {
            let first = self.fresh();
            let second = if buses.contains(&link) { first } else { self.fresh() };
            self.of_link.insert(link, [first, second]);
            return self.cross(at, link, buses, then);
        };
        if ends[0] == ends[1] && self.top(at) < self.nodes {
            // a node at a bus stays a node
            let bus = self.top(ends[0]);
            self.touching.insert((self.top(at), bus));
            return ends[1];
        }
        let here = self.top(at);
        let [first, second] = ends.map(|end| self.top(end));
        let leads_on = |end: usize| then.iter().any(|&then| self.top(then) == end);
        let is_backwards = match (first == here, second == here) {
            (true, _) => false,
            (false, true) => true,
            // neither end was known to be here
            _ if leads_on(second) => false,
            _ => leads_on(first) || first < self.nodes,
        };
        let (near, far) = if is_backwards { (ends[1], ends[0]) } else { (ends[0], ends[1]) };
        self.meet(near, at);
        far
    }
}

/// Links that more than two nodes are next to.
fn buses(routes: &[DrawnRoute]) -> OrderedSet<LinkId> {
    let mut adjacent: OrderedMap<LinkId, OrderedSet<usize>> = OrderedMap::new();
    for route in routes {
        let ends = [(route.links.first(), route.from), (route.links.last(), route.to)];
        for (link, node) in ends {
            adjacent.extend(
                link.filter(|link| !adjacent.contains_key(link)).map(|&link| (link, OrderedSet::new())),
            );
            link.and_then(|link| adjacent.get_mut(link)).into_iter().for_each(|nodes| {
                nodes.insert(node);
            });
        }
    }
    adjacent.into_iter().filter(|(_, nodes)| nodes.len() > 2).map(|(link, _)| link).collect()
}

/// The joints of `nodes` nodes with these routes between them.
pub(super) fn joints(nodes: usize, mut routes: Vec<DrawnRoute>) -> Joints {
    routes.stable_sort_by_key(|route| (route.links.len(), route.from, route.to));
    let buses = buses(&routes);
    let mut ends =
        Ends { nodes, above: (0..nodes).collect(), of_link: OrderedMap::new(), touching: OrderedSet::new() };
    let mut meeting = None;
    for route in &routes {
        if route.links.is_empty() {
            let at = *meeting.get_or_insert_with(|| ends.fresh());
            ends.touching.extend([(route.from, at), (route.to, at)]);
            continue;
        }
        let mut at = route.from;
        for (place, link) in route.links.iter().enumerate() {
            let then = match route.links.get(place + 1) {
                Some(next) => ends.of_link.get(next).map_or(Vec::new(), |ends| ends.to_vec()),
                None => vec![route.to],
            };
            at = ends.cross(at, *link, &buses, &then);
        }
        let last = route.links.last().is_some_and(|link| buses.contains(link));
        if last {
            let bus = ends.top(at);
            ends.touching.insert((route.to, bus));
        } else {
            ends.meet(at, route.to);
        }
    }
    numbered(&ends)
}

/// The joints in the order of their first ends.
fn numbered(ends: &Ends) -> Joints {
    let mut numbers: OrderedMap<usize, usize> = (0..ends.nodes).map(|node| (node, node)).collect();
    let mut number = |end: usize| {
        let (next, top) = (numbers.len(), ends.top(end));
        *numbers.entry(top).or_insert(next)
    };
    let mut edges = OrderedSet::new();
    let mut inside: OrderedMap<usize, Vec<LinkId>> = OrderedMap::new();
    let mut add = |one: usize, other: usize, link: Option<LinkId>| match (number(one), number(other), link) {
        (one, other, Some(link)) if one == other => inside.entry(one).or_default().push(link),
        (one, other, link) if one != other => {
            edges.insert(Edge { ends: (one.min(other), one.max(other)), link });
        }
        _ => {}
    };
    for (&link, &[first, second]) in &ends.of_link {
        add(first, second, Some(link));
    }
    for &(one, other) in &ends.touching {
        add(one, other, None);
    }
    Joints { count: numbers.len(), nodes: ends.nodes, edges: edges.into_iter().collect(), inside }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(all: &[(usize, usize, &[u32])]) -> Vec<DrawnRoute> {
        let route = |&(from, to, links): &(usize, usize, &[u32])| {
            let links: Vec<LinkId> = links.iter().copied().map(LinkId::new).collect();
            let back = DrawnRoute { from: to, to: from, links: links.iter().rev().copied().collect() };
            [DrawnRoute { from, to, links }, back]
        };
        all.iter().flat_map(route).collect()
    }

    fn drawn(joints: &Joints) -> Vec<(usize, usize, Option<usize>)> {
        joints.edges.iter().map(|edge| (edge.ends.0, edge.ends.1, edge.link.map(LinkId::index))).collect()
    }

    #[test]
    fn three_hosts_at_a_switch_have_a_joint_in_the_middle_that_holds_the_backbone() {
        let star = joints(3, routes(&[(0, 1, &[0, 9, 1]), (0, 2, &[0, 9, 2]), (1, 2, &[1, 9, 2])]));
        assert_eq!(drawn(&star), [(0, 3, Some(0)), (1, 3, Some(1)), (2, 3, Some(2))]);
        assert_eq!(star.inside, OrderedMap::from([(3, vec![LinkId::new(9)])]));
    }

    #[test]
    fn a_link_between_two_switches_stays_a_line() {
        // 0 and 1 at one switch, 2 and 3 at the other, link 9 between them
        let all = [
            (0, 1, &[0, 1][..]),
            (2, 3, &[2, 3]),
            (0, 2, &[0, 9, 2]),
            (0, 3, &[0, 9, 3]),
            (1, 2, &[1, 9, 2]),
            (1, 3, &[1, 9, 3]),
        ];
        let joints = joints(4, routes(&all));
        assert_eq!(joints.count, 6);
        assert_eq!(joints.edges.len(), 5);
        assert!(joints.inside.is_empty());
        let between = joints.edges.iter().find(|edge| edge.link == Some(LinkId::new(9))).expect("drawn");
        assert!(between.ends.0 >= 4 && between.ends.1 >= 4, "{between:?}");
    }

    #[test]
    fn hosts_in_a_row_pass_on_what_goes_further() {
        let row = joints(3, routes(&[(0, 1, &[0]), (1, 2, &[1]), (0, 2, &[0, 1])]));
        assert_eq!(drawn(&row), [(0, 1, Some(0)), (1, 2, Some(1))]);
    }

    #[test]
    fn a_link_of_three_hosts_is_a_bus() {
        let bus = joints(3, routes(&[(0, 1, &[0]), (1, 2, &[0]), (0, 2, &[0])]));
        assert_eq!(drawn(&bus), [(0, 3, None), (1, 3, None), (2, 3, None)]);
        assert_eq!(bus.inside, OrderedMap::from([(3, vec![LinkId::new(0)])]));
    }

    /// Two sites of clusters: 0 and 1 at one switch, 2 at another of the same site; at the other
    /// site 3, and 4 at another switch.
    #[test]
    fn switches_below_a_router_stay_apart() {
        let all = [
            (0, 1, &[0, 1][..]),
            (0, 2, &[0, 10, 11, 2]),
            (1, 2, &[1, 10, 11, 2]),
            (0, 3, &[0, 10, 20, 21, 12, 3]),
            (1, 3, &[1, 10, 20, 21, 12, 3]),
            (2, 3, &[2, 11, 20, 21, 12, 3]),
            (3, 4, &[3, 12, 13, 4]),
            (0, 4, &[0, 10, 20, 21, 13, 4]),
            (1, 4, &[1, 10, 20, 21, 13, 4]),
            (2, 4, &[2, 11, 20, 21, 13, 4]),
        ];
        let joints = joints(5, routes(&all));
        assert!(joints.inside.is_empty(), "{joints:?}");
        assert_eq!((joints.count, joints.edges.len()), (5 + 7, 11));
    }
}
