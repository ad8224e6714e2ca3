//! Hosts, their cores, and what it takes to send something from one host to another.
//!
//! A grid is a platform as schedulers and the execution of a plan see it: a matrix of pairs of
//! hosts. A transfer takes the latency that holds when it starts, and then its bytes over the least
//! bandwidth of the route, which may change meanwhile. Within a host it takes no time, and over a
//! pair that no route joins (a void pair) nothing can be sent.
//!
//! Source: "DAGSim" (hosts, links, and a matrix that may be asymmetric and have void entries).
//! Cores are as many places to run.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::model::core_groups::CoreGroups;
use crate::model::forecasting::Measured;
use crate::platform::sharing::LinkId;
use crate::platform::{Host, HostId, LeastOf, Link, Platform, RouteClasses, Trace};

/// A core of a host: what computes one task after another. Cores are numbered host by host. Behind
/// them are the numbers of groups of cores that a task of several holds together
/// ([`Grid::together`]).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Core(pub u32);

impl Core {
    /// Number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of cores of a host are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CoresUsed {
    /// All that it has.
    #[default]
    All,
    /// One.
    One,
}

/// Cost of a transfer between two hosts where nothing changes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairCost {
    /// Seconds before the first byte.
    pub latency: f64,
    /// The least bandwidth of the route [bytes/s].
    pub bandwidth: f64,
    /// True if a link of the route changes over time; then the numbers are those of the start of
    /// the run.
    pub changes: bool,
}

impl PairCost {
    /// Time that `bytes` take.
    pub fn span(&self, bytes: u64) -> SimDuration {
        let latency = SimDuration::ceil_secs(self.latency);
        latency.saturating_add(SimDuration::ceil_ratio(bytes as f64, self.bandwidth))
    }
}

/// Sums of the costs of transfers over several pairs of hosts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSums {
    /// Number of pairs there are.
    pub(crate) count: u64,
    /// The sums of latencies, of seconds for each byte, and of bandwidths.
    pub(crate) latency: f64,
    pub(crate) per_byte: f64,
    pub(crate) bandwidth: f64,
    /// The greatest latency and the least bandwidth.
    pub(crate) greatest_latency: f64,
    pub(crate) least_bandwidth: f64,
}

impl Default for PairSums {
    fn default() -> Self {
        let [latency, per_byte, bandwidth, greatest_latency] = [0.0; 4];
        let least_bandwidth = f64::INFINITY;
        PairSums { count: 0, latency, per_byte, bandwidth, greatest_latency, least_bandwidth }
    }
}

impl PairSums {
    /// Adds a pair.
    pub(crate) fn add(&mut self, cost: &PairCost) {
        self.count += 1;
        self.latency += cost.latency;
        self.per_byte += 1.0 / cost.bandwidth;
        self.bandwidth += cost.bandwidth;
        self.greatest_latency = self.greatest_latency.max(cost.latency);
        self.least_bandwidth = self.least_bandwidth.min(cost.bandwidth);
    }
}

/// The most hosts of which all pairs are kept once they were asked for.
const KEPT: usize = 2_048;

/// The most pairs that sums over all of them keep; of more pairs those are kept that are asked for
/// one by one, since most never carry anything.
const KEPT_BY_SUMS: usize = 1 << 16;

/// The most routes over several links of which one changes that are kept, with what is known of
/// their least bandwidths.
const MOST_CHANGING: usize = 1 << 16;

/// State of a pair: not asked for yet, void, or the place of its cost.
const UNKNOWN: u32 = u32::MAX;
const VOID: u32 = u32::MAX - 1;

/// Hosts, cores and pairs of hosts; see the module's essay.
#[derive(Debug)]
pub struct Grid {
    platform: Arc<Platform>,
    host_of: Vec<HostId>,
    first_core: Vec<u32>,
    groups: CoreGroups,
    mean_speed: f64,
    /// By row and column: the place of the pair's cost. Empty if there are too many hosts.
    pairs: Vec<Cell<u32>>,
    costs: RefCell<Vec<PairCost>>,
    /// The least bandwidth of routes over several links, of which one changes.
    changing: RefCell<OrderedMap<Vec<LinkId>, Rc<LeastOf>>>,
    /// Cost of a transfer by class, where routes fall into classes that are alike.
    classes: Option<(RouteClasses, Vec<Cell<Option<PairCost>>>)>,
    steady_pairs: OnceCell<PairSums>,
    has_steady_links: OnceCell<bool>,
}

impl Grid {
    /// The hosts of `platform`.
    pub fn new(platform: Arc<Platform>, used: CoresUsed) -> Self {
        let hosts = platform.hosts();
        let cores = |host: &Host| if used == CoresUsed::One { 1 } else { host.cores };
        let (mut host_of, mut first_core) = (Vec::new(), vec![0]);
        for (number, host) in hosts.iter().enumerate() {
            host_of.resize(host_of.len() + cores(host) as usize, HostId::new(number as u32));
            first_core.push(host_of.len() as u32);
        }
        let mean_speed = hosts.iter().map(Host::speed).sum::<f64>() / hosts.len().max(1) as f64;
        let classes = platform.route_classes();
        let classes = classes.map(|classes| {
            let costs = vec![Cell::new(None); classes.count()];
            (classes, costs)
        });
        let is_kept = hosts.len() <= KEPT && classes.is_none();
        let pairs = if is_kept { vec![Cell::new(UNKNOWN); hosts.len().pow(2)] } else { Vec::new() };
        Grid {
            groups: CoreGroups::behind(host_of.len() as u32),
            host_of,
            first_core,
            mean_speed,
            pairs,
            costs: RefCell::default(),
            changing: RefCell::default(),
            classes,
            steady_pairs: OnceCell::new(),
            has_steady_links: OnceCell::new(),
            platform,
        }
    }

    /// The same hosts and cores, with nothing known of pairs yet.
    pub(crate) fn again(&self) -> Self {
        let is_one = self.host_of.len() == self.hosts().len();
        Grid::new(Arc::clone(&self.platform), if is_one { CoresUsed::One } else { CoresUsed::All })
    }

    /// The platform.
    pub fn platform(&self) -> &Arc<Platform> {
        &self.platform
    }

    /// Hosts, by number.
    pub fn hosts(&self) -> impl ExactSizeIterator<Item = HostId> + use<> {
        (0..self.platform.hosts().len() as u32).map(HostId::new)
    }

    /// Cores, host by host.
    pub fn cores(&self) -> impl ExactSizeIterator<Item = Core> + use<> {
        (0..self.host_of.len() as u32).map(Core)
    }

    /// The cores of a host.
    pub fn cores_of(&self, host: HostId) -> impl ExactSizeIterator<Item = Core> + use<> {
        (self.first_core[host.index()]..self.first_core[host.index() + 1]).map(Core)
    }

    /// The host of a core or of a group.
    #[inline]
    pub fn host_of(&self, core: Core) -> HostId {
        match self.host_of.get(core.index()) {
            Some(host) => *host,
            None => self.host_of[self.first_of(core).index()],
        }
    }

    /// The place of a core among those of its host, from 0; of a group that of its lowest core.
    pub fn rank(&self, core: Core) -> u32 {
        self.first_of(core).0 - self.first_core[self.host_of(core).index()]
    }

    /// The number of these cores of one host where a task holds them together; a core by itself
    /// stands for itself.
    pub fn together(&self, cores: &[Core]) -> Core {
        self.groups.of(cores)
    }

    /// The cores that a number stands for: of a core itself, of a group its cores, ascending.
    pub fn members(&self, core: Core) -> impl ExactSizeIterator<Item = Core> + use<> {
        let group = self.groups.members(core);
        let count = group.as_ref().map_or(1, |group| group.len());
        (0..count).map(move |place| group.as_ref().map_or(core, |group| group[place]))
    }

    /// Returns true if this is a core, or what stands for several.
    pub fn knows(&self, core: Core) -> bool {
        let is_core = |core: Core| core.index() < self.host_of.len();
        is_core(core) || self.groups.know(core) && self.members(core).all(is_core)
    }

    /// Returns true if all cores that a number stands for are of one host.
    pub fn is_on_one_host(&self, core: Core) -> bool {
        let mut hosts = self.members(core).map(|member| self.host_of(member));
        let first = hosts.next();
        first.is_some() && hosts.all(|host| Some(host) == first)
    }

    /// The core at which a place is looked at and ordered: a core itself, of a group the first core
    /// of its host.
    pub(crate) fn place_of(&self, core: Core) -> Core {
        if core.index() < self.host_of.len() {
            return core;
        }
        Core(self.first_core[self.host_of(core).index()])
    }

    /// The lowest core that a number stands for.
    pub fn first_of(&self, core: Core) -> Core {
        self.members(core).next().expect("a group has cores")
    }

    /// A host.
    pub fn host(&self, host: HostId) -> &Host {
        self.platform.host(host)
    }

    /// A host's speed over the mean speed of all hosts.
    pub fn relative_speed(&self, host: HostId) -> f64 {
        self.host(host).speed() / self.mean_speed
    }

    /// Work per second of a host of mean speed.
    pub fn mean_speed(&self) -> f64 {
        self.mean_speed
    }

    /// Returns true if no link ever has another latency or bandwidth.
    pub fn has_steady_links(&self) -> bool {
        let stays = |trace: &Trace| trace.next_change(SimTime::ZERO).is_none();
        let links = || self.platform.links().kinds().flat_map(|link| [&link.latency, &link.bandwidth]);
        *self.has_steady_links.get_or_init(|| links().all(stays))
    }

    /// Cost of a transfer from one host to another; `None` if the pair is void.
    #[inline]
    pub fn pair(&self, from: HostId, to: HostId) -> Option<PairCost> {
        if let Some((classes, costs)) = &self.classes
            && from != to
        {
            let known = &costs[classes.of(from.index(), to.index())];
            if known.get().is_none() {
                known.set(self.measured(from, to));
            }
            return known.get();
        }
        let place = from.index() * self.platform.hosts().len() + to.index();
        let Some(kept) = self.pairs.get(place) else { return self.measured(from, to) };
        if kept.get() == UNKNOWN {
            kept.set(self.place(self.measured(from, to)));
        }
        (kept.get() != VOID).then(|| self.costs.borrow()[kept.get() as usize])
    }

    /// As [`Grid::pair`], for one of all pairs.
    pub(crate) fn pair_in_passing(&self, from: HostId, to: HostId) -> Option<PairCost> {
        let is_kept = self.pairs.len() <= KEPT_BY_SUMS;
        if is_kept { self.pair(from, to) } else { self.measured(from, to) }
    }

    /// Cost of a transfer from any host to any other, if it is the same for all.
    pub(crate) fn any_pair(&self) -> Option<PairCost> {
        let alike = self.classes.as_ref().is_some_and(|(classes, _)| *classes == RouteClasses::All);
        if alike && self.hosts().len() > 1 { self.pair(HostId::new(0), HostId::new(1)) } else { None }
    }

    /// Sums of the costs of transfers over all ordered pairs of different hosts that are joined;
    /// `None` if a link changes.
    pub(crate) fn steady_pairs(&self) -> Option<PairSums> {
        let all = || {
            let mut sums = PairSums::default();
            for from in self.hosts() {
                for to in self.hosts().filter(|to| *to != from) {
                    self.pair_in_passing(from, to).into_iter().for_each(|cost| sums.add(&cost));
                }
            }
            sums
        };
        self.has_steady_links().then(|| *self.steady_pairs.get_or_init(all))
    }

    /// The place of a cost among those that differ.
    fn place(&self, cost: Option<PairCost>) -> u32 {
        let Some(cost) = cost else { return VOID };
        let mut costs = self.costs.borrow_mut();
        let known = costs.iter().rev().take(8).position(|known| *known == cost);
        match known {
            Some(back) => (costs.len() - 1 - back) as u32,
            None => {
                costs.push(cost);
                costs.len() as u32 - 1
            }
        }
    }

    fn measured(&self, from: HostId, to: HostId) -> Option<PairCost> {
        let mut changes = false;
        let at_start = |_, trace: &Trace| {
            changes |= trace.next_change(SimTime::ZERO).is_some();
            trace.value_at(SimTime::ZERO)
        };
        let cost = self.cost_by(from, to, at_start)?;
        Some(PairCost { changes, ..cost })
    }

    /// Cost of a transfer if `known` gives the latencies and bandwidths of links, which have these
    /// traces.
    pub(crate) fn cost_by(
        &self,
        from: HostId,
        to: HostId,
        mut known: impl FnMut(Measured, &Trace) -> f64,
    ) -> Option<PairCost> {
        let mut route = Vec::new();
        let extra = self.platform.route_with_delay(from, to, &mut route).ok()?;
        let mut cost = PairCost { latency: extra, bandwidth: f64::INFINITY, changes: false };
        for number in route {
            let link = self.link(number);
            cost.latency += known(Measured::Latency(number), &link.latency);
            cost.bandwidth = cost.bandwidth.min(known(Measured::Bandwidth(number), &link.bandwidth));
        }
        Some(cost)
    }

    /// Instant at which a transfer that starts now and has the links of its route to itself ends;
    /// `None` if it never does, or the pair is void.
    pub fn carried(&self, from: HostId, to: HostId, bytes: u64, start: SimTime) -> Option<SimTime> {
        if from == to {
            return Some(start);
        }
        let cost = self.pair(from, to)?;
        if !cost.changes {
            return Some(start.saturating_add(cost.span(bytes)));
        }
        let mut route = Vec::new();
        let extra = self.platform.route_with_delay(from, to, &mut route).ok()?;
        let latency: f64 = route.iter().map(|link| self.link(*link).latency.value_at(start)).sum();
        let begun = start.saturating_add(SimDuration::ceil_secs(latency + extra));
        if let [only] = route[..] {
            return self.link(only).bandwidth.finish(begun, bytes as f64);
        }
        let bandwidth = |link: &LinkId| self.link(*link).bandwidth.clone();
        let least = || Rc::new(LeastOf::new(route.iter().map(bandwidth).collect()));
        let known = self.changing.borrow().get(&route).cloned();
        let least = known.unwrap_or_else(|| {
            let mut changing = self.changing.borrow_mut();
            if changing.len() >= MOST_CHANGING {
                changing.clear();
            }
            Rc::clone(changing.entry(route.clone()).or_insert_with(least))
        });
        least.finish(begun, bytes as f64)
    }

    fn link(&self, link: LinkId) -> Cow<'_, Link> {
        self.platform.link(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;
    use crate::kernel::rng::distribution::{Sampler, Uniform};
    use crate::platform::{
        Cluster, ClusterRouting, FatTree, Level, Perturbation, Shape, Sharing, ZoneId, perturb,
    };

    fn clusters() -> Vec<Cluster> {
        let cluster = |hosts, shape| Cluster {
            shape,
            ..Cluster::new("c", hosts, Host::new("", 1e9), Link::new(1e7 / 3.0, 1e-4 / 3.0))
        };
        let limiter = Some(Link::new(1e6 / 7.0, 0.0));
        let levels = vec![Level { down: 3, up: 1, cables: 1 }, Level { down: 4, up: 2, cables: 2 }];
        let tree = || Shape::FatTree(FatTree { levels: levels.clone() });
        vec![
            cluster(7, Shape::Mesh),
            Cluster { sharing: Sharing::Shared, limiter: limiter.clone(), ..cluster(5, Shape::Mesh) },
            cluster(9, Shape::Crossbar),
            Cluster {
                backbone: Some(Link::new(1e5, 1e-3 / 3.0)),
                limiter: limiter.clone(),
                ..cluster(6, Shape::Crossbar)
            },
            cluster(12, tree()),
            Cluster { limiter, routing: ClusterRouting::AsInSimGrid, ..cluster(12, tree()) },
        ]
    }

    #[test]
    fn cores_that_are_held_together_have_one_number_in_whatever_order_they_are_given() {
        let mut builder = crate::platform::Builder::new();
        for (name, cores) in [("a", 2), ("b", 4)] {
            builder.host(Host { cores, ..Host::new(name, 1e9) }).expect("a host");
        }
        let grid = Grid::new(Arc::new(builder.build()), CoresUsed::All);
        let (pair, three) = (grid.together(&[Core(5), Core(3)]), grid.together(&[Core(2), Core(3), Core(4)]));
        assert_eq!((pair, three, grid.together(&[Core(3), Core(5)])), (Core(6), Core(7), pair));
        assert_eq!(grid.together(&[Core(1)]), Core(1));
        assert_eq!(grid.members(pair).collect::<Vec<_>>(), [Core(3), Core(5)]);
        assert_eq!(grid.members(Core(4)).collect::<Vec<_>>(), [Core(4)]);
        assert_eq!((grid.host_of(pair), grid.rank(pair), grid.cores().len()), (HostId::new(1), 1, 6));
    }

    #[test]
    fn a_pair_costs_what_the_others_of_its_class_do() {
        for cluster in clusters() {
            let mut builder = crate::platform::Builder::new();
            builder.cluster(ZoneId::TOP, &cluster).expect("a cluster");
            let grid = Grid::new(Arc::new(builder.build()), CoresUsed::All);
            assert!(grid.classes.is_some(), "{:?}", cluster.shape);
            let mut sums = PairSums::default();
            for from in grid.hosts() {
                for to in grid.hosts().filter(|to| *to != from) {
                    let cost = grid.measured(from, to).expect("the pair is joined");
                    assert_eq!(grid.pair(from, to), Some(cost), "{:?}", cluster.shape);
                    sums.add(&cost);
                }
            }
            let known = grid.steady_pairs().expect("no link changes");
            assert_eq!(known.count, sums.count);
            assert_eq!(known.per_byte.to_bits(), sums.per_byte.to_bits());
            assert_eq!(known.latency.to_bits(), sums.latency.to_bits());
        }
    }

    #[test]
    fn routes_over_links_that_differ_have_no_classes() {
        let mut builder = crate::platform::Builder::new();
        builder.cluster(ZoneId::TOP, &clusters()[0]).expect("a cluster");
        let law = Sampler::new(Uniform::new(0.5, 1.5).expect("a law"));
        let drawn = Perturbation { bandwidth: Some(law), ..Perturbation::default() };
        let platform = perturb(&builder.build(), &drawn, &Streams::new(1, 0)).expect("drawn");
        let grid = Grid::new(Arc::new(platform), CoresUsed::All);
        assert!(grid.classes.is_none());
        let [one, other] =
            [1, 2].map(|to| grid.pair(HostId::new(0), HostId::new(to)).expect("the pair is joined"));
        assert_ne!(one.bandwidth.to_bits(), other.bandwidth.to_bits());
    }
}
