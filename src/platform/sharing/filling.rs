//! Filling a region again: the flows that a change can reach, and the links between them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::exact::Exact;
use super::max_min::{FlowId, MaxMin, Policy};

/// A link of the region while it is filled.
#[derive(Clone, Copy, Debug, Default)]
struct Basin {
    /// The solving in which it was last part of the region.
    turn: u32,
    /// Whether flows stopped on it since its level was worked out.
    stale: bool,
    /// Capacity that flows which have stopped do not take.
    left: Exact,
    /// Usage times weight of the flows that rise.
    weight: Exact,
}

impl Basin {
    /// The level at which it is full.
    #[inline]
    fn level(&self) -> f64 {
        (self.left.value() / self.weight.value()).max(0.0)
    }
}

/// A level and a link or flow; levels are not negative, so that the order of their bits is theirs.
type Entry = (u64, u32);

/// The scratch of [`MaxMin::solve`], kept so that solving allocates nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    turn: u32,
    basins: Vec<Basin>,
    /// The solving in which each flow was last part of the region, and whether it still rises.
    rising: Vec<(u32, bool)>,
    /// The flows of the region, with the rates that they had.
    flows: Vec<(u32, f64)>,
    links: Vec<u32>,
    heap: BinaryHeap<Reverse<Entry>>,
    /// Flows with a bound by the level at which they meet it, the lowest last.
    bounds: Vec<Entry>,
    full: Vec<u32>,
    changed: Vec<FlowId>,
}

impl MaxMin {
    /// Finds the rates after all changes since the last time; gives the flows whose rate is another now, in no particular order, new
    /// ones always.
    ///
    /// # Complexity
    /// With n flows that the changes can reach, m links between them and p crossings: O(p + (n + m) log (n + m)), and the
    /// members of those links once, when they are found and when they are full. Links that come to the top of the heap before their turn add
    /// O(log m) each.
    pub fn solve(&mut self) -> &[FlowId] {
        let mut region = std::mem::take(&mut self.region);
        region.changed.clear();
        if !self.dirty.is_empty() || !self.due.is_empty() {
            self.sink_floor();
            region.begin(self.links.len(), self.flows.len());
            region.find(self);
            region.fill(self);
            region.end(self);
            self.dirty.clear();
            self.due.clear();
            self.floor = f64::INFINITY;
        }
        self.region = region;
        &self.region.changed
    }
}

impl MaxMin {
    /// One of the flows that the last [`MaxMin::solve`] told.
    pub(in crate::platform) fn changed(&self, place: usize) -> FlowId {
        self.region.changed[place]
    }
}

impl Region {
    fn begin(&mut self, links: usize, flows: usize) {
        self.basins.resize(links, Basin::default());
        self.rising.resize(flows, (0, false));
        if self.turn == u32::MAX {
            self.turn = 0;
            self.basins.fill(Basin::default());
            self.rising.fill((0, false));
        }
        self.turn += 1;
        self.flows.clear();
        self.links.clear();
        self.bounds.clear();
    }

    /// Everything at or above the floor that shares links with what has changed.
    fn find(&mut self, shares: &MaxMin) {
        for &link in &shares.dirty {
            self.reach_link(shares, link);
        }
        for &flow in &shares.due {
            if shares.flows[flow as usize].alive {
                self.reach_flow(shares, flow);
            }
        }
        let mut next = 0;
        while let Some(&link) = self.links.get(next) {
            next += 1;
            for member in &shares.links[link as usize].members {
                if shares.flows[member.flow as usize].level >= shares.floor {
                    self.reach_flow(shares, member.flow);
                }
            }
        }
    }

    #[inline]
    fn reach_link(&mut self, shares: &MaxMin, link: u32) {
        let basin = &mut self.basins[link as usize];
        if basin.turn != self.turn {
            let full = &shares.links[link as usize];
            let left = Exact::of(full.capacity) - full.load;
            *basin = Basin { turn: self.turn, stale: false, left, weight: Exact::default() };
            self.links.push(link);
        }
    }

    fn reach_flow(&mut self, shares: &MaxMin, index: u32) {
        if self.rising[index as usize].0 == self.turn {
            return;
        }
        self.rising[index as usize] = (self.turn, true);
        let flow = &shares.flows[index as usize];
        self.flows.push((index, flow.rate));
        if flow.bound < f64::INFINITY {
            self.bounds.push(((flow.bound / flow.weight).to_bits(), index));
        }
        for hop in &flow.shared {
            self.reach_link(shares, hop.link);
            let basin = &mut self.basins[hop.link as usize];
            basin.weight += hop.weight;
            if !flow.fresh {
                basin.left += flow.taken(hop.usage);
            }
        }
    }

    fn fill(&mut self, shares: &mut MaxMin) {
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.clear();
        let rising = self.links.iter().filter(|&&link| !self.basins[link as usize].weight.is_nothing());
        entries.extend(rising.map(|&link| Reverse((self.basins[link as usize].level().to_bits(), link))));
        self.heap = BinaryHeap::from(entries);
        self.bounds.sort_unstable_by_key(|&entry| Reverse(entry));
        loop {
            let level = self.next_full();
            while self.bounds.last().is_some_and(|&(_, flow)| !self.rising[flow as usize].1) {
                self.bounds.pop();
            }
            match (level, self.bounds.last().copied()) {
                (None, None) => break,
                (Some(level), Some((bound, _))) if level < bound => self.fill_to(shares, level),
                (Some(level), None) => self.fill_to(shares, level),
                (_, Some((level, flow))) => {
                    self.bounds.pop();
                    let bound = shares.flows[flow as usize].bound;
                    self.stop(shares, flow, f64::from_bits(level), bound);
                }
            }
        }
        // nothing limits these
        for &(flow, _) in &self.flows {
            if self.rising[flow as usize].1 {
                let flow = &mut shares.flows[flow as usize];
                (flow.rate, flow.level) = (f64::INFINITY, f64::INFINITY);
            }
        }
    }

    /// The least level at which a link is full, as bits; every entry of the heap at that level is up to date then.
    fn next_full(&mut self) -> Option<u64> {
        self.full.clear();
        let mut lowest = None;
        while let Some(mut top) = self.heap.peek_mut() {
            let Reverse((level, link)) = *top;
            if lowest.is_some_and(|lowest| level > lowest) {
                break;
            }
            let basin = &mut self.basins[link as usize];
            if basin.weight.is_nothing() {
                std::collections::binary_heap::PeekMut::pop(top);
            } else if basin.stale {
                basin.stale = false;
                *top = Reverse((basin.level().to_bits(), link));
            } else {
                lowest = Some(level);
                self.full.push(link);
                std::collections::binary_heap::PeekMut::pop(top);
            }
        }
        // taken out to look for others at the same level: they go back until it is known that no bound comes first
        for &link in &self.full {
            self.heap.push(Reverse((lowest?, link)));
        }
        lowest
    }

    /// Stops all flows on the links that are full at `level`.
    fn fill_to(&mut self, shares: &mut MaxMin, level: u64) {
        for _ in 0..self.full.len() {
            self.heap.pop();
        }
        let at = f64::from_bits(level);
        for index in 0..self.full.len() {
            let link = self.full[index] as usize;
            for place in 0..shares.links[link].members.len() {
                let flow = shares.links[link].members[place].flow;
                if self.rising[flow as usize] == (self.turn, true) {
                    let rate = shares.flows[flow as usize].weight * at;
                    self.stop(shares, flow, at, rate);
                }
            }
        }
    }

    #[inline]
    fn stop(&mut self, shares: &mut MaxMin, index: u32, level: f64, rate: f64) {
        self.rising[index as usize].1 = false;
        let flow = &mut shares.flows[index as usize];
        (flow.level, flow.rate) = (level, rate);
        for hop in &flow.shared {
            let basin = &mut self.basins[hop.link as usize];
            basin.left -= flow.taken(hop.usage);
            basin.weight -= hop.weight;
            basin.stale = true;
        }
    }

    /// Takes up what the links carry now, and who has another rate.
    fn end(&mut self, shares: &mut MaxMin) {
        for &link in &self.links {
            let full = &mut shares.links[link as usize];
            debug_assert!(full.policy == Policy::Shared, "a fatpipe joins nobody");
            full.load = Exact::of(full.capacity) - self.basins[link as usize].left;
        }
        for &(index, before) in &self.flows {
            let flow = &mut shares.flows[index as usize];
            let fresh = std::mem::take(&mut flow.fresh);
            flow.due = false;
            if fresh || flow.rate.to_bits() != before.to_bits() {
                self.changed.push(FlowId(index));
            }
        }
    }
}
