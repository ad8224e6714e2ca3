//! Finding the flows that a change can reach, and filling them again.
//!
//! What must be found, and why it is enough, stands at the head of `max_min`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::exact::Exact;
use super::max_min::{BOUND, FlowId, MaxMin, Member, RISING, SharingPolicy, Stop};

/// The state of a link that filling looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Basin {
    /// The solving in which it was last part of the region.
    round: u32,
    /// True if flows stopped on it since its level was worked out.
    stale: bool,
    /// The level of its entry in the heap that counts, or [`NO_ENTRY`].
    entered: u64,
    /// Capacity that is not taken by the rates of its flows, those left out that rise or are fresh.
    /// Not kept for fatpipes.
    pub(super) left: Exact,
    /// Usage times weight of the flows that rise.
    weight: Exact,
}

impl Basin {
    /// Of a link of this capacity without flows.
    pub(super) fn new(capacity: f64) -> Self {
        let (left, weight) = (Exact::of(capacity), Exact::default());
        Basin { round: 0, stale: false, entered: NO_ENTRY, left, weight }
    }

    /// The level at which it is full.
    #[inline]
    fn level(&self) -> f64 {
        (self.left.value() / self.weight.value()).max(0.0)
    }
}

/// A level and a link or flow in one number, the lowest level first. Levels are not negative, so
/// that the order of their bits is theirs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Entry(u128);

impl Entry {
    #[inline]
    fn new(level: u64, index: u32) -> Self {
        Entry(u128::from(level) << 32 | u128::from(index))
    }

    #[inline]
    fn level(self) -> u64 {
        (self.0 >> 32) as u64
    }

    #[inline]
    fn index(self) -> u32 {
        self.0 as u32
    }
}

/// The level of a link that has no entry: the bits of no level.
const NO_ENTRY: u64 = u64::MAX;

/// The scratch of [`MaxMin::solve`], kept so that solving allocates nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    round: u32,
    /// Of all links.
    pub(super) basins: Vec<Basin>,
    /// The flows of the region, with the rates that they had.
    flows: Vec<(u32, f64)>,
    links: Vec<u32>,
    /// Of the links, those before this place have been looked at for flows that they stop.
    looked: usize,
    /// Links by a level at which they are barely full, or not yet; of the entries of one link the
    /// one that it knows counts.
    heap: BinaryHeap<Reverse<Entry>>,
    /// Flows with a bound, by the level at which they meet it.
    bounds: BinaryHeap<Reverse<Entry>>,
    /// The links that are full at the level that has been reached.
    full: Vec<u32>,
    /// The flows that rise on them, and on which.
    stopping: Vec<(u32, u32)>,
    /// Flows outside of the set that are higher.
    joining: Vec<u32>,
    /// Flows that have not stopped yet.
    rising: usize,
    changed: Vec<FlowId>,
}

impl MaxMin {
    /// Finds the rates after all changes since the last time; gives the flows whose rate is another
    /// now, in no particular order, new ones always.
    ///
    /// # Complexity
    /// With n flows in the set that the changes can reach, m links that these cross, p crossings of
    /// theirs and q flows on those links: O(p + q + (n + m) log (n + m)). Links that come to the
    /// top of the heap before their turn add O(log m) each.
    pub fn solve(&mut self) -> &[FlowId] {
        self.region.changed.clear();
        if self.dirty.is_empty() && self.due.is_empty() || self.no_flows_meet() {
            return &self.region.changed;
        }
        let mut region = std::mem::take(&mut self.region);
        region.begin(self);
        region.find(self);
        region.fill(self);
        region.end(self);
        self.dirty.clear();
        self.due.clear();
        self.region = region;
        &self.region.changed
    }
}

impl MaxMin {
    /// Finds the rate of a flow that shares no link with another, if there is nothing else to be
    /// found: of the links that changed no other flow is on one. The same rate, bit for bit, as
    /// filling gives it.
    fn no_flows_meet(&mut self) -> bool {
        let one = match self.due[..] {
            [] => None,
            [one] if self.flows[one as usize].is_alive() => Some(one),
            _ => return false,
        };
        let few = |link: u32, most: usize| self.links[link as usize].members.len() <= most;
        let links = one.map_or(&[][..], |flow| &self.flows[flow as usize].shared);
        if !links.iter().all(|&link| few(link, 1)) || !self.dirty.iter().all(|&link| few(link, 0)) {
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
            let link = self.flows[index as usize].shared[place] as usize;
            self.region.basins[link].left = Exact::of(self.links[link].capacity) - taken;
        }
        if fresh || rate.to_bits() != before.to_bits() {
            self.region.changed.push(FlowId(index));
        }
        true
    }

    /// One of the flows that the last [`MaxMin::solve`] changed.
    pub(crate) fn changed(&self, place: usize) -> FlowId {
        self.region.changed[place]
    }
}

impl Region {
    fn begin(&mut self, shares: &mut MaxMin) {
        if self.round == u32::MAX {
            self.round = 0;
            self.basins.iter_mut().for_each(|basin| basin.round = 0);
            shares.stops.iter_mut().for_each(|stop| stop.round = 0);
        }
        self.round += 1;
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
            self.reach_link(link);
            let changed = &mut shares.links[link as usize];
            changed.dirty = false;
            if std::mem::take(&mut changed.tightened) {
                // a flow that stays as it is must fit; a little lower, because of rounding
                let full = shares.full_at(link, self.round) * (1.0 - 1e-9);
                self.reach_above(shares, link, full);
            }
        }
        self.close(shares);
    }

    /// Lets every flow join that a crossed link stops.
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

    /// Lets every flow on a link join that is not lower than `level`.
    fn reach_above(&mut self, shares: &mut MaxMin, link: u32, level: f64) {
        for place in 0..shares.links[link as usize].members.len() {
            let flow = shares.links[link as usize].members[place].flow;
            if shares.stops[flow as usize].level >= level {
                self.reach_flow(shares, flow);
            }
        }
    }

    #[inline]
    fn reach_link(&mut self, link: u32) {
        let basin = &mut self.basins[link as usize];
        if basin.round != self.round {
            (basin.round, basin.stale, basin.entered) = (self.round, false, NO_ENTRY);
            self.links.push(link);
        }
    }

    fn reach_flow(&mut self, shares: &mut MaxMin, index: u32) {
        let stop = &mut shares.stops[index as usize];
        if stop.round == self.round {
            return;
        }
        stop.round = self.round;
        shares.release(index);
        let flow = &shares.flows[index as usize];
        self.flows.push((index, flow.rate));
        for (link, taken, weight) in shares.demands(index) {
            self.reach_link(link);
            let basin = &mut self.basins[link as usize];
            basin.weight += weight;
            if !flow.fresh {
                basin.left += taken;
            }
        }
    }

    fn fill(&mut self, shares: &mut MaxMin) {
        self.enter_all(shares);
        self.rising = self.flows.len();
        while self.rising > 0 {
            let level = self.next_full();
            let bound =
                self.next_bound(shares).filter(|bound| level.is_none_or(|level| bound.level() <= level));
            if let Some(bound) = bound {
                let (first, flow) = (bound.level(), bound.index());
                // what is full later may be full later still, now that this flow leaves it
                // something
                self.put_back();
                self.bounds.pop();
                let bound = shares.flows[flow as usize].bound;
                self.stop(shares, flow, (f64::from_bits(first), BOUND), bound);
            } else if let Some(level) = level {
                self.fill_to(shares, f64::from_bits(level));
            } else {
                break;
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

    /// Enters the links of the set, and its flows with bounds.
    fn enter_all(&mut self, shares: &MaxMin) {
        let mut entries = std::mem::take(&mut self.heap).into_vec();
        entries.clear();
        for &link in &self.links {
            let basin = &mut self.basins[link as usize];
            if !basin.weight.is_nothing() {
                basin.entered = basin.level().to_bits();
                entries.push(Reverse(Entry::new(basin.entered, link)));
            }
        }
        self.heap = BinaryHeap::from(entries);
        self.bounds.clear();
        for &(index, _) in &self.flows {
            self.bounds
                .extend(shares.flows[index as usize].meets().map(|level| Reverse(Entry::new(level, index))));
        }
    }

    /// Enters a link at the level at which it would be full now, be that lower or higher than
    /// before.
    fn enter(&mut self, link: u32) {
        let basin = &mut self.basins[link as usize];
        let level = basin.level().to_bits();
        basin.stale = false;
        if basin.entered != level {
            basin.entered = level;
            self.heap.push(Reverse(Entry::new(level, link)));
        }
    }

    /// Enters the links again that were taken out last.
    fn put_back(&mut self) {
        for place in 0..self.full.len() {
            self.enter(self.full[place]);
        }
    }

    /// The least level at which a link is full, as bits; takes the links that are full there out of
    /// the heap.
    fn next_full(&mut self) -> Option<u64> {
        self.full.clear();
        let mut lowest = None;
        while let Some(mut top) = self.heap.peek_mut() {
            let (level, link) = (top.0.level(), top.0.index());
            if lowest.is_some_and(|lowest| level > lowest) {
                break;
            }
            let basin = &mut self.basins[link as usize];
            if basin.entered != level {
                PeekMut::pop(top);
            } else if basin.weight.is_nothing() {
                basin.entered = NO_ENTRY;
                PeekMut::pop(top);
            } else if basin.stale {
                basin.stale = false;
                basin.entered = basin.level().to_bits();
                *top = Reverse(Entry::new(basin.entered, link));
            } else {
                lowest = Some(level);
                basin.entered = NO_ENTRY;
                self.full.push(link);
                PeekMut::pop(top);
            }
        }
        lowest
    }

    /// The flow that meets its bound first of those that rise.
    fn next_bound(&mut self, shares: &MaxMin) -> Option<Entry> {
        while let Some(&Reverse(first)) = self.bounds.peek() {
            if shares.stops[first.index() as usize].by == RISING {
                return Some(first);
            }
            self.bounds.pop();
        }
        None
    }

    /// Stops all flows on the links that are full at `level`; or, where flows outside of the set
    /// are higher, lets these join first.
    fn fill_to(&mut self, shares: &mut MaxMin, level: f64) {
        self.stopping.clear();
        self.joining.clear();
        for &link in &self.full {
            for &Member { flow, .. } in &shares.links[link as usize].members {
                let stop = &shares.stops[flow as usize];
                if stop.by == RISING {
                    self.stopping.push((flow, link));
                } else if stop.round != self.round && stop.level > level {
                    self.joining.push(flow);
                }
            }
        }
        if !self.joining.is_empty() {
            self.join(shares);
            return;
        }
        for place in 0..self.stopping.len() {
            let (flow, link) = self.stopping[place];
            // it may cross two of them
            if shares.stops[flow as usize].by == RISING {
                let rate = shares.flows[flow as usize].weight * level;
                self.stop(shares, flow, (level, link), rate);
            }
        }
    }

    /// Lets those of `joining`, and the flows they lead to, rise from the level that has been
    /// reached.
    fn join(&mut self, shares: &mut MaxMin) {
        let before = self.flows.len();
        for place in 0..self.joining.len() {
            let flow = self.joining[place];
            self.reach_flow(shares, flow);
        }
        self.close(shares);
        self.rising += self.flows.len() - before;
        for place in before..self.flows.len() {
            let (index, _) = self.flows[place];
            let flow = &shares.flows[index as usize];
            self.bounds.extend(flow.meets().map(|level| Reverse(Entry::new(level, index))));
            for &link in &flow.shared {
                self.enter(link);
            }
        }
        self.put_back();
    }

    #[inline]
    fn stop(&mut self, shares: &mut MaxMin, index: u32, (level, by): (f64, u32), rate: f64) {
        self.rising -= 1;
        shares.stops[index as usize] = Stop { level, by, round: self.round };
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

    /// Collects the flows that have another rate.
    fn end(&mut self, shares: &mut MaxMin) {
        for &link in &self.links {
            debug_assert!(self.basins[link as usize].weight.is_nothing(), "a flow that rises is stopped");
            debug_assert!(
                shares.links[link as usize].policy == SharingPolicy::Shared,
                "a fatpipe joins no flows"
            );
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
