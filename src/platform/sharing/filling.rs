//! Finding the flows that a change can reach, and filling them again.
//!
//! What must be found, and why it is enough, stands at the head of `max_min`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::exact::Exact;
use super::max_min::{BOUND, FlowId, MOST_ROUNDS, MaxMin, Policy, RISING, Stop};

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
    /// The flows of the region, with the rates that they had.
    flows: Vec<(u32, f64)>,
    links: Vec<u32>,
    /// Of the links, those before this place have been looked at for flows that they stop.
    looked: usize,
    /// Links that stopped somebody, and at which level.
    stopping: Vec<(u32, f64)>,
    joining: Vec<u32>,
    heap: BinaryHeap<Reverse<Entry>>,
    /// Flows with a bound by the level at which they meet it, the lowest last.
    bounds: Vec<Entry>,
    full: Vec<u32>,
    /// Flows that have not stopped yet.
    rising: usize,
    changed: Vec<FlowId>,
}

impl MaxMin {
    /// Finds the rates after all changes since the last time; gives the flows whose rate is another now, in no particular order, new
    /// ones always.
    ///
    /// # Complexity
    /// With n flows in the set that the changes can reach, m links that these cross, p crossings of theirs and q flows on those links:
    /// O(p + q + (n + m) log (n + m)) for each of the rounds, of which there is
    /// seldom more than one. Links that come to the top of the heap before
    /// their turn add O(log m) each.
    pub fn solve(&mut self) -> &[FlowId] {
        self.region.changed.clear();
        if self.dirty.is_empty() && self.due.is_empty() || self.nobody_meets() {
            return &self.region.changed;
        }
        let mut region = std::mem::take(&mut self.region);
        region.begin(self);
        region.find(self);
        let mut rounds = 0;
        region.fill(self);
        while region.grow(self, rounds >= MOST_ROUNDS) {
            rounds += 1;
            region.fill(self);
        }
        region.end(self);
        self.dirty.clear();
        self.due.clear();
        self.region = region;
        &self.region.changed
    }
}

impl MaxMin {
    /// Finds the rate of a flow that shares no link with another, if there is nothing else to be found: of the links that changed
    /// nobody else is on one. The same rate, bit for bit, as filling gives it.
    fn nobody_meets(&mut self) -> bool {
        let one = match self.due[..] {
            [] => None,
            [one] if self.flows[one as usize].is_alive() => Some(one),
            _ => return false,
        };
        let few = |link: u32, most: usize| self.links[link as usize].members.len() <= most;
        let hops = one.map_or(&[][..], |flow| &self.flows[flow as usize].shared);
        if !hops.iter().all(|hop| few(hop.link, 1)) || !self.dirty.iter().all(|&link| few(link, 0)) {
            return false;
        }
        while let Some(link) = self.dirty.pop() {
            let link = &mut self.links[link as usize];
            (link.dirty, link.tightened) = (false, false);
        }
        let Some(index) = one else { return true };
        self.due.clear();
        self.release(index);
        let flow = &self.flows[index as usize];
        let levels = self.demands(index).map(|(link, _, weight)| {
            let capacity = Exact::of(self.links[link as usize].capacity);
            ((capacity.value() / weight.value()).max(0.0), link)
        });
        let first = levels.min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let bound = flow.bound / flow.weight;
        let (level, by, rate) = match first {
            Some((level, link)) if level < bound => (level, link, flow.weight * level),
            _ if flow.bound < f64::INFINITY => (bound, BOUND, flow.bound),
            _ => (f64::INFINITY, BOUND, f64::INFINITY),
        };
        let stop = &mut self.stops[index as usize];
        (stop.level, stop.by) = (level, by);
        if let Some(link) = self.links.get_mut(by as usize) {
            link.stopped += 1;
        }
        let flow = &mut self.flows[index as usize];
        let before = std::mem::replace(&mut flow.rate, rate);
        let fresh = std::mem::take(&mut flow.fresh);
        flow.due = false;
        for place in 0..self.flows[index as usize].shared.len() {
            let (taken, _) = self.demand(index, place);
            let link = self.flows[index as usize].shared[place].link;
            self.links[link as usize].load = taken;
        }
        if fresh || rate.to_bits() != before.to_bits() {
            self.region.changed.push(FlowId(index));
        }
        true
    }

    /// One of the flows that the last [`MaxMin::solve`] told.
    pub(in crate::platform) fn changed(&self, place: usize) -> FlowId {
        self.region.changed[place]
    }
}

impl Region {
    fn begin(&mut self, shares: &mut MaxMin) {
        self.basins.resize(shares.links.len(), Basin::default());
        if self.turn == u32::MAX {
            self.turn = 0;
            self.basins.fill(Basin::default());
            shares.stops.iter_mut().for_each(|stop| stop.turn = 0);
        }
        self.turn += 1;
        self.flows.clear();
        self.links.clear();
        self.looked = 0;
    }

    /// The set as it is filled first.
    fn find(&mut self, shares: &mut MaxMin) {
        for place in 0..shares.due.len() {
            let flow = shares.due[place];
            if shares.flows[flow as usize].is_alive() {
                self.reach_flow(shares, flow);
            }
        }
        for place in 0..shares.dirty.len() {
            let link = shares.dirty[place];
            self.reach_link(shares, link);
            let changed = &mut shares.links[link as usize];
            changed.dirty = false;
            if std::mem::take(&mut changed.tightened) {
                // whoever stays as it is must fit; a little lower, because of rounding
                let full = shares.full_at(link, self.turn) * (1.0 - 1e-9);
                self.reach_above(shares, link, full);
            }
        }
        self.close(shares);
    }

    /// Lets everybody join whom a crossed link stops.
    fn close(&mut self, shares: &mut MaxMin) {
        while let Some(&link) = self.links.get(self.looked) {
            self.looked += 1;
            for place in 0..shares.links[link as usize].members.len() {
                if shares.links[link as usize].stopped == 0 {
                    break;
                }
                let flow = shares.links[link as usize].members[place].flow;
                if shares.stops[flow as usize].by == link {
                    self.reach_flow(shares, flow);
                }
            }
        }
    }

    /// Lets everybody on a link join who is not lower than `level`.
    fn reach_above(&mut self, shares: &mut MaxMin, link: u32, level: f64) {
        for place in 0..shares.links[link as usize].members.len() {
            let flow = shares.links[link as usize].members[place].flow;
            if shares.stops[flow as usize].level >= level {
                self.reach_flow(shares, flow);
            }
        }
    }

    /// Lets whoever is higher than one of the set may be join, and makes it ready to be filled again; false if there is nobody. With
    /// `whole` all on the links join of which one did.
    fn grow(&mut self, shares: &mut MaxMin, whole: bool) -> bool {
        self.joining.clear();
        for &(link, level) in &self.stopping {
            let members = shares.links[link as usize].members.iter().map(|member| member.flow);
            let outside = members.filter(|&flow| shares.stops[flow as usize].turn != self.turn);
            self.joining.extend(outside.filter(|&flow| shares.stops[flow as usize].level > level));
        }
        if self.joining.is_empty() {
            return false;
        }
        for &(index, _) in &self.flows {
            shares.release(index);
            for (link, taken, weight) in shares.demands(index) {
                let basin = &mut self.basins[link as usize];
                basin.left += taken;
                basin.weight += weight;
                basin.stale = false;
            }
        }
        for place in 0..self.joining.len() {
            let flow = self.joining[place];
            self.reach_flow(shares, flow);
        }
        self.close(shares);
        if whole {
            let mut place = 0;
            while let Some(&link) = self.links.get(place) {
                place += 1;
                self.reach_above(shares, link, 0.0);
            }
            self.looked = place;
        }
        true
    }

    #[inline]
    fn reach_link(&mut self, shares: &MaxMin, link: u32) {
        let basin = &mut self.basins[link as usize];
        if basin.turn != self.turn {
            let full = &shares.links[link as usize];
            let left = Exact::of(full.capacity) - full.load;
            *basin = Basin { turn: self.turn, left, ..Basin::default() };
            self.links.push(link);
        }
    }

    fn reach_flow(&mut self, shares: &mut MaxMin, index: u32) {
        let stop = &mut shares.stops[index as usize];
        if stop.turn == self.turn {
            return;
        }
        stop.turn = self.turn;
        shares.release(index);
        let flow = &shares.flows[index as usize];
        self.flows.push((index, flow.rate));
        for (link, taken, weight) in shares.demands(index) {
            self.reach_link(shares, link);
            let basin = &mut self.basins[link as usize];
            basin.weight += weight;
            if !flow.fresh {
                basin.left += taken;
            }
        }
    }

    fn fill(&mut self, shares: &mut MaxMin) {
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.clear();
        let rising = self.links.iter().filter(|&&link| !self.basins[link as usize].weight.is_nothing());
        entries.extend(rising.map(|&link| Reverse((self.basins[link as usize].level().to_bits(), link))));
        self.heap = BinaryHeap::from(entries);
        self.stopping.clear();
        self.bounds.clear();
        for &(index, _) in &self.flows {
            let flow = &shares.flows[index as usize];
            if flow.bound < f64::INFINITY {
                self.bounds.push(((flow.bound / flow.weight).to_bits(), index));
            }
        }
        self.bounds.sort_unstable_by_key(|&entry| Reverse(entry));
        self.rising = self.flows.len();
        while self.rising > 0 {
            let level = self.next_full();
            while self.bounds.last().is_some_and(|&(_, flow)| shares.stops[flow as usize].by != RISING) {
                self.bounds.pop();
            }
            match (level, self.bounds.last().copied()) {
                (None, None) => break,
                (Some(level), Some((bound, _))) if level < bound => self.fill_to(shares, level),
                (Some(level), None) => self.fill_to(shares, level),
                (level, Some((first, flow))) => {
                    // what is full later may be full later still, now that this flow leaves it something
                    self.heap.extend(self.full.drain(..).filter_map(|link| Some(Reverse((level?, link)))));
                    self.bounds.pop();
                    let bound = shares.flows[flow as usize].bound;
                    self.stop(shares, flow, (f64::from_bits(first), BOUND), bound);
                }
            }
        }
        // nothing limits these
        for &(flow, _) in &self.flows {
            let stop = &mut shares.stops[flow as usize];
            if stop.by == RISING {
                (stop.level, stop.by) = (f64::INFINITY, BOUND);
                shares.flows[flow as usize].rate = f64::INFINITY;
            }
        }
    }

    /// The least level at which a link is full, as bits; takes the links that are full there out of the heap.
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
        lowest
    }

    /// Stops all flows on the links that are full at `level`.
    fn fill_to(&mut self, shares: &mut MaxMin, level: u64) {
        let at = f64::from_bits(level);
        for index in 0..self.full.len() {
            let link = self.full[index];
            self.stopping.push((link, at));
            for place in 0..shares.links[link as usize].members.len() {
                let flow = shares.links[link as usize].members[place].flow;
                let stop = &shares.stops[flow as usize];
                if stop.by == RISING && stop.turn == self.turn {
                    let rate = shares.flows[flow as usize].weight * at;
                    self.stop(shares, flow, (at, link), rate);
                }
            }
        }
    }

    #[inline]
    fn stop(&mut self, shares: &mut MaxMin, index: u32, (level, by): (f64, u32), rate: f64) {
        self.rising -= 1;
        shares.stops[index as usize] = Stop { level, by, turn: self.turn };
        if let Some(link) = shares.links.get_mut(by as usize) {
            link.stopped += 1;
        }
        let flow = &mut shares.flows[index as usize];
        flow.rate = rate;
        for (link, taken, weight) in shares.demands(index) {
            let basin = &mut self.basins[link as usize];
            basin.left -= taken;
            basin.weight -= weight;
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
