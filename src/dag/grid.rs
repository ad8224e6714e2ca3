//! Hosts, their cores, and what it takes to send something from one host to another.
//!
//! A grid is a platform as schedulers and the execution of a plan see it: a matrix of pairs of hosts. A transfer takes the latency
//! that holds when it starts, and then its bytes over the least bandwidth of the route, which may change under way. Within a host
//! it takes no time, and over a pair that no route joins (a void pair) nothing can be sent.
//!
//! Source: "DAGSim" (hosts, links, and a matrix that may be asymmetric and have void entries). Cores are as many places to run.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use crate::kernel::{SimDuration, SimTime};
use crate::platform::sharing::LinkId;
use crate::platform::{Host, HostId, Link, Platform, Trace};

/// A core of a host: what computes one task after another. Cores are numbered host by host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Core(pub u32);

impl Core {
    /// Its number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How many cores of a host are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CoresUsed {
    /// All that it has.
    #[default]
    All,
    /// One.
    One,
}

/// What a transfer between two hosts takes where nothing changes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairCost {
    /// Seconds before the first byte.
    pub latency: f64,
    /// The least bandwidth of the route [bytes/s].
    pub bandwidth: f64,
    /// Whether a link of the route changes over time; then the numbers are those of the start of the run.
    pub changes: bool,
}

impl PairCost {
    /// How long so many bytes take.
    pub fn span(&self, bytes: u64) -> SimDuration {
        let latency = SimDuration::ceil_secs(self.latency);
        latency.saturating_add(SimDuration::ceil_secs(bytes as f64 / self.bandwidth))
    }
}

/// The most hosts of which all pairs are kept once they were asked for.
const KEPT: usize = 2_048;

/// Changes of bandwidths after which a transfer over several links is taken to never end: these may be 0 in turn, for ever.
const MOST_CHANGES: u32 = 1_000_000;

/// What is known of a pair: not asked for yet, void, or the place of its cost.
const UNKNOWN: u32 = u32::MAX;
const VOID: u32 = u32::MAX - 1;

/// Hosts, cores and pairs of hosts; see the module's essay.
#[derive(Debug)]
pub struct Grid {
    platform: Arc<Platform>,
    host_of: Vec<HostId>,
    first_core: Vec<u32>,
    mean_speed: f64,
    /// By row and column: the place of the pair's cost. Empty if there are too many hosts.
    pairs: Vec<Cell<u32>>,
    costs: RefCell<Vec<PairCost>>,
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
        let pairs =
            if hosts.len() <= KEPT { vec![Cell::new(UNKNOWN); hosts.len().pow(2)] } else { Vec::new() };
        Grid { host_of, first_core, mean_speed, pairs, costs: RefCell::default(), platform }
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

    /// The host of a core.
    pub fn host_of(&self, core: Core) -> HostId {
        self.host_of[core.index()]
    }

    /// The place of a core among those of its host, from 0.
    pub fn rank(&self, core: Core) -> u32 {
        core.0 - self.first_core[self.host_of(core).index()]
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

    /// What a transfer from one host to another takes; nothing if the pair is void.
    pub fn pair(&self, from: HostId, to: HostId) -> Option<PairCost> {
        let place = from.index() * self.platform.hosts().len() + to.index();
        let Some(kept) = self.pairs.get(place) else { return self.measured(from, to) };
        if kept.get() == UNKNOWN {
            kept.set(self.place(self.measured(from, to)));
        }
        (kept.get() != VOID).then(|| self.costs.borrow()[kept.get() as usize])
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
        let at_start = |trace: &Trace| {
            changes |= trace.next_change(SimTime::ZERO).is_some();
            trace.value_at(SimTime::ZERO)
        };
        let cost = self.cost_by(from, to, at_start)?;
        Some(PairCost { changes, ..cost })
    }

    /// What a transfer takes if the bandwidths and latencies of links are what `known` makes of their traces.
    pub(in crate::dag) fn cost_by(
        &self,
        from: HostId,
        to: HostId,
        mut known: impl FnMut(&Trace) -> f64,
    ) -> Option<PairCost> {
        let mut route = Vec::new();
        let extra = self.platform.route_with_delay(from, to, &mut route).ok()?;
        let mut cost = PairCost { latency: extra, bandwidth: f64::INFINITY, changes: false };
        for link in route.iter().map(|link| self.link(*link)) {
            cost.latency += known(&link.latency);
            cost.bandwidth = cost.bandwidth.min(known(&link.bandwidth));
        }
        Some(cost)
    }

    /// When a transfer that starts now and has the links of its route to itself ends; nothing if it never does, or the pair is void.
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
        match route[..] {
            [only] => self.link(only).bandwidth.finish(begun, bytes as f64),
            _ => self.least_bandwidth(&route, begun, bytes as f64),
        }
    }

    fn link(&self, link: LinkId) -> &Link {
        &self.platform.links()[link.index()]
    }

    /// When so many bytes are over the link of the route that has the least bandwidth at each instant.
    fn least_bandwidth(&self, route: &[LinkId], from: SimTime, bytes: f64) -> Option<SimTime> {
        let (mut at, mut left) = (from, bytes);
        for _ in 0..MOST_CHANGES {
            let bandwidths = route.iter().map(|link| self.link(*link).bandwidth.value_at(at));
            let bandwidth = bandwidths.fold(f64::INFINITY, f64::min);
            let until = route.iter().filter_map(|link| self.link(*link).bandwidth.next_change(at)).min();
            let needed = if bandwidth > 0.0 { Some(SimDuration::ceil_secs(left / bandwidth)) } else { None };
            let end = needed.map(|needed| at.saturating_add(needed));
            match (end, until) {
                (Some(end), Some(until)) if end > until => {}
                (Some(end), _) => return Some(end),
                (None, None) => return None,
                (None, Some(_)) => {}
            }
            let until = until?;
            left -= bandwidth * until.since(at).as_secs_f64();
            at = until;
        }
        None
    }
}
