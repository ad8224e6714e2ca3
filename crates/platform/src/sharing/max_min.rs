//! Weighted max-min shares that are kept up while flows come and go.
//!
//! Rates are those of progressive filling: flow f has the rate `weight × level`, and its level is
//! the highest that no limit of it forbids. [`MaxMin::solve`] solves again only what a change can
//! reach.
//!
//! A flow is *stopped* by a link that is full when it stops rising, and no flow on that link rises
//! higher; or by its bound. Rates are the right ones as soon as that holds for every flow. So a set
//! of flows is filled again while all others keep their rates:
//! 1. What has come, or has another bound, is in the set. A flow that is stopped by a link that one
//!    of the set crosses, or that itself was changed, joins it, until none is left to join. All
//!    others are stopped where nothing changes.
//! 2. The set is filled over what the others leave.
//! 3. Where a link is full and a flow on it is outside of the set and higher, that one joins there
//!    and then, and the flows that join after it by 1. They rise with the set from the level that
//!    it has reached. All of them were higher: a flow that joins by 1. is stopped by a link that
//!    one of the others crosses, and no flow on a link is higher than one that is stopped by it. So
//!    none of them crosses a link that stopped a flow lower down, where it would have joined, and
//!    all that has been found before holds.
//!
//! A flow joins once, and most of the set does change then. Fatpipe links join no flows: they are
//! bounds of each of their flows.
//!
//! A heap has each link at the level where it would be full. That level only rises while other
//! flows stop, so that an entry is looked at again no sooner than it comes to the top; a flow that
//! joins may lower it, and then it is entered once more.
//!
//! *No drift.* What a link has left and what its flows weigh are exact sums ([`Exact`]), so it does
//! not matter what came and went before, nor in which order: flows that are entered in another
//! order have the same rates bit for bit.
//!
//! Sources: D. Bertsekas and R. Gallager, "Data Networks", 2nd edition 1992, section 6.5.2
//! (progressive filling); weights and bounds as in H. Casanova and L. Marchal, "A Network Model for
//! Simulation of Grid Application", RR2002-40, LIP, ENS Lyon; solving again only what a change has
//! touched is an idea of SimGrid's (B. Donassolo, H. Casanova, A. Legrand, P. Velho, "Fast and
//! scalable simulation of volunteer computing systems using SimGrid", LSAP 2010, section 3). Theirs
//! takes all that is joined to the change.

use crate::ids::index;
use smallvec::SmallVec;

use super::exact::{Exact, LEAST, MOST};
use super::filling::{Basin, Region};

/// The largest weight: a hundred million of them do not come near the end of a sum's range.
const HEAVIEST: f64 = 1e12;

index! {
    /// A link of a [`MaxMin`], numbered from 0 in the order of creation.
    pub struct LinkId(pub(super) u32);
}

impl LinkId {
    /// The link of this number.
    pub const fn new(index: u32) -> Self {
        LinkId(index)
    }
}

index! {
    /// A flow of a [`MaxMin`]; the number is given again after the flow was removed.
    pub struct FlowId(pub(super) u32);
}

/// The sharing of a link among its flows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharingPolicy {
    /// Flows share its capacity.
    Shared,
    /// Each may have all of it.
    Fatpipe,
}

/// A link on a flow's route, and how much of it a unit of the flow's rate takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Crossing {
    /// The link.
    pub link: LinkId,
    /// Capacity per rate; 1 for the data of a flow.
    pub usage: f64,
}

/// A number outside of what sums can hold, or a link that is not there.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
pub enum OutOfRange {
    /// Of a capacity.
    #[error("a capacity of {0}: 0, or from {LEAST:e} to {MOST:e}, was expected")]
    Capacity(f64),
    /// Of a flow's weight, or its weight times a usage.
    #[error("a weight of {0}: one from {LEAST:e} to 1e12, on each link times its usage, was expected")]
    Weight(f64),
    /// Of a bound.
    #[error("a bound of {0}: a number of 0 or more was expected")]
    Bound(f64),
    /// Of how many packets a transfer is cut into.
    #[error(
        "a transfer of {0} packets: at most 1e7 were expected; packets may be larger, or transfers flows"
    )]
    Packets(f64),
    /// No link of this number was made.
    #[error("there is no link {0}")]
    NoLink(usize),
}

/// A flow on a link, as the link has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) flow: u32,
    /// Index among the flow's hops.
    hop: u32,
}

/// The stop of a flow, apart from the rest of it because whole links look at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    /// Rate per weight; infinite if nothing stopped it, or it is new.
    pub(super) level: f64,
    /// The link that stopped it, or [`BOUND`], or [`RISING`].
    pub(super) by: u32,
    /// The solving in which it was last in the set.
    pub(super) round: u32,
}

/// Stopped by its bound, or by nothing.
pub(super) const BOUND: u32 = u32::MAX;
/// Not yet stopped.
pub(super) const RISING: u32 = u32::MAX - 1;

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) policy: SharingPolicy,
    pub(super) capacity: f64,
    pub(super) members: Vec<Member>,
    /// Number of its members it stops.
    pub(super) stopped: u32,
    pub(super) dirty: bool,
    /// True if it has less capacity than when it was last solved.
    pub(super) tightened: bool,
}

/// A link on a flow's route, as the flow has it.
#[derive(Clone, Copy, Debug)]
struct Hop {
    link: u32,
    /// Place among the link's members.
    place: u32,
}

/// A flow: what solving looks at, in a line of the cache.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(super) struct Flow {
    /// 0 if it is gone.
    pub(super) weight: f64,
    /// The least of its own bound and those of its fatpipes; infinite if there is none.
    pub(super) bound: f64,
    pub(super) rate: f64,
    /// Not solved since it came.
    pub(super) fresh: bool,
    /// To be solved in any case.
    pub(super) due: bool,
    /// True if it takes as much of each link as it has.
    plain: bool,
    /// The links that it shares.
    pub(super) shared: SmallVec<[u32; 6]>,
}

impl Flow {
    pub(super) fn is_alive(&self) -> bool {
        self.weight > 0.0
    }

    /// The level at which it meets its bound, as bits, if it has one.
    pub(super) fn meets(&self) -> Option<u64> {
        (self.bound < f64::INFINITY).then(|| (self.bound / self.weight).to_bits())
    }
}

/// The state of a flow that solving looks at seldom.
#[derive(Clone, Debug, Default)]
struct Aside {
    own_bound: f64,
    /// Place among the members of each shared link.
    places: Vec<u32>,
    /// Capacity of each shared link that a unit of rate takes.
    usages: Vec<f64>,
    pipes: Vec<(Hop, f64)>,
}

/// Links, flows and their max-min rates; the module's documentation says how they are kept up.
#[derive(Clone, Debug, Default)]
pub struct MaxMin {
    pub(super) links: Vec<Link>,
    pub(super) flows: Vec<Flow>,
    asides: Vec<Aside>,
    free: Vec<u32>,
    /// Links that changed, or whose flows did.
    pub(super) dirty: Vec<u32>,
    /// Flows to be solved in any case.
    pub(super) due: Vec<u32>,
    pub(super) stops: Vec<Stop>,
    pub(super) region: Region,
}

pub(crate) fn capacity_in_range(capacity: f64) -> Result<f64, OutOfRange> {
    let fine = capacity.abs() <= 0.0 || (LEAST..=MOST).contains(&capacity);
    if fine { Ok(capacity.abs()) } else { Err(OutOfRange::Capacity(capacity)) }
}

fn bound_in_range(bound: Option<f64>) -> Result<f64, OutOfRange> {
    match bound {
        None => Ok(f64::INFINITY),
        Some(bound) if bound >= 0.0 => Ok(bound),
        Some(bound) => Err(OutOfRange::Bound(bound)),
    }
}

impl MaxMin {
    /// No links and no flows.
    pub fn new() -> Self {
        MaxMin::default()
    }

    /// A link of `capacity`, in units of rate.
    ///
    /// # Errors
    /// A capacity out of range.
    pub fn link(&mut self, capacity: f64, policy: SharingPolicy) -> Result<LinkId, OutOfRange> {
        let capacity = capacity_in_range(capacity)?;
        let members = Vec::new();
        self.links.push(Link { policy, capacity, members, stopped: 0, dirty: false, tightened: false });
        self.region.basins.push(Basin::new(capacity));
        Ok(LinkId(self.links.len() as u32 - 1))
    }

    /// A flow of `weight` along `route`, of at most the rate `bound`. Its rate is 0 until
    /// [`MaxMin::solve`]. A link that the route has twice is taken twice if it is shared; of a
    /// fatpipe the larger usage counts.
    ///
    /// # Errors
    /// Numbers out of range, and links that are not there; then nothing has changed.
    pub fn add(&mut self, weight: f64, bound: Option<f64>, route: &[Crossing]) -> Result<FlowId, OutOfRange> {
        let own_bound = bound_in_range(bound)?;
        for crossing in route {
            let taken = crossing.usage * weight;
            if crossing.link.index() >= self.links.len() {
                return Err(OutOfRange::NoLink(crossing.link.index()));
            } else if !(LEAST..=HEAVIEST).contains(&taken) {
                return Err(OutOfRange::Weight(taken));
            }
        }
        if !(LEAST..=HEAVIEST).contains(&weight) {
            return Err(OutOfRange::Weight(weight));
        }
        let index = self.free.pop().unwrap_or_else(|| {
            self.flows.push(Flow::default());
            self.asides.push(Aside::default());
            self.stops.push(Stop { level: f64::INFINITY, by: RISING, round: 0 });
            self.flows.len() as u32 - 1
        });
        let (flow, aside) = (&mut self.flows[index as usize], &mut self.asides[index as usize]);
        (flow.weight, aside.own_bound) = (weight, own_bound);
        (flow.rate, flow.plain) = (0.0, true);
        self.stops[index as usize].level = f64::INFINITY;
        (flow.fresh, flow.due) = (true, true);
        for &Crossing { link, usage } in route {
            let crossed = &mut self.links[link.index()];
            let place = crossed.members.len() as u32;
            let hop = if crossed.policy == SharingPolicy::Fatpipe {
                if let Some((_, most)) = aside.pipes.iter_mut().find(|(hop, _)| hop.link == link.0) {
                    *most = most.max(usage);
                    continue;
                }
                aside.pipes.push((Hop { link: link.0, place }, usage));
                aside.pipes.len() - 1
            } else {
                flow.plain &= usage.to_bits() == 1_f64.to_bits();
                if let Some(twice) = flow.shared.iter().position(|&shared| shared == link.0) {
                    flow.plain = false;
                    aside.usages[twice] += usage;
                    continue;
                }
                flow.shared.push(link.0);
                aside.places.push(place);
                aside.usages.push(usage);
                flow.shared.len() - 1
            };
            crossed.members.push(Member { flow: index, hop: hop as u32 });
        }
        self.flows[index as usize].bound = self.bound_of(index);
        self.due.push(index);
        Ok(FlowId(index))
    }

    /// Takes a flow away.
    pub fn remove(&mut self, id: FlowId) {
        let Some(flow) = self.flows.get(id.index()).filter(|flow| flow.is_alive()) else { return };
        for place in 0..flow.shared.len() {
            self.touch(self.flows[id.index()].shared[place]);
        }
        self.release(id.0);
        for place in 0..self.flows[id.index()].shared.len() {
            let flow = &self.flows[id.index()];
            let hop = Hop { link: flow.shared[place], place: self.asides[id.index()].places[place] };
            if !flow.fresh {
                let (taken, _) = self.demand(id.0, place);
                self.region.basins[hop.link as usize].left += taken;
            }
            if let Some(moved) = self.leave(hop) {
                self.asides[moved.flow as usize].places[moved.hop as usize] = hop.place;
            }
        }
        for place in 0..self.asides[id.index()].pipes.len() {
            let (hop, _) = self.asides[id.index()].pipes[place];
            if let Some(moved) = self.leave(hop) {
                self.asides[moved.flow as usize].pipes[moved.hop as usize].0.place = hop.place;
            }
        }
        // the room of the lists is kept for the flow that has the number next
        let (flow, aside) = (&mut self.flows[id.index()], &mut self.asides[id.index()]);
        flow.weight = 0.0;
        flow.shared.clear();
        aside.places.clear();
        aside.usages.clear();
        aside.pipes.clear();
        self.free.push(id.0);
    }

    /// Takes a flow off a link; gives the member that has its place there now, if there is one.
    fn leave(&mut self, hop: Hop) -> Option<Member> {
        let members = &mut self.links[hop.link as usize].members;
        members.swap_remove(hop.place as usize);
        members.get(hop.place as usize).copied()
    }

    /// The capacity that a flow takes at its rate on the `place`th link that it shares, and its
    /// weight there.
    #[inline]
    pub(super) fn demand(&self, flow: u32, place: usize) -> (Exact, Exact) {
        let (usage, flow) = (self.usage(flow, place), &self.flows[flow as usize]);
        (Exact::of(usage * flow.rate), Exact::of(usage * flow.weight))
    }

    #[inline]
    fn usage(&self, flow: u32, place: usize) -> f64 {
        if self.flows[flow as usize].plain { 1.0 } else { self.asides[flow as usize].usages[place] }
    }

    /// The links that a flow shares, what it takes of each at its rate, and its weight there.
    #[inline]
    pub(super) fn demands(&self, index: u32) -> impl Iterator<Item = (u32, Exact, Exact)> {
        let flow = &self.flows[index as usize];
        let plain = (Exact::of(flow.rate), Exact::of(flow.weight));
        flow.shared.iter().enumerate().map(move |(place, &link)| {
            let (taken, weight) = if flow.plain { plain } else { self.demand(index, place) };
            (link, taken, weight)
        })
    }

    /// Gives a link another capacity.
    ///
    /// # Errors
    /// A capacity out of range, and a link that is not there; then nothing has changed.
    pub fn set_capacity(&mut self, id: LinkId, capacity: f64) -> Result<(), OutOfRange> {
        let capacity = capacity_in_range(capacity)?;
        let link = self.links.get_mut(id.index()).ok_or(OutOfRange::NoLink(id.index()))?;
        let before = std::mem::replace(&mut link.capacity, capacity);
        if link.policy == SharingPolicy::Fatpipe {
            for place in 0..self.links[id.index()].members.len() {
                let flow = self.links[id.index()].members[place].flow;
                self.rebound(flow);
            }
            return Ok(());
        }
        let basin = &mut self.region.basins[id.index()];
        basin.left += Exact::of(capacity) - Exact::of(before);
        self.links[id.index()].tightened |= capacity < before;
        self.touch(id.0);
        Ok(())
    }

    /// Gives a flow another bound of its own, or none.
    ///
    /// # Errors
    /// A bound that is no number, or negative; then nothing has changed.
    pub fn set_bound(&mut self, id: FlowId, bound: Option<f64>) -> Result<(), OutOfRange> {
        let bound = bound_in_range(bound)?;
        if self.flows.get(id.index()).is_some_and(Flow::is_alive) {
            self.asides[id.index()].own_bound = bound;
            self.rebound(id.0);
        }
        Ok(())
    }

    /// Gives a flow another weight.
    ///
    /// # Errors
    /// A weight out of range; then nothing has changed.
    pub fn set_weight(&mut self, id: FlowId, weight: f64) -> Result<(), OutOfRange> {
        let Some(flow) = self.flows.get_mut(id.index()).filter(|flow| flow.is_alive()) else { return Ok(()) };
        let usages = self.asides[id.index()].usages.iter().copied().chain([1.0]);
        if let Some(taken) =
            usages.map(|usage| usage * weight).find(|taken| !(LEAST..=HEAVIEST).contains(taken))
        {
            return Err(OutOfRange::Weight(taken));
        }
        flow.weight = weight;
        if !flow.due {
            flow.due = true;
            self.due.push(id.0);
        }
        Ok(())
    }

    /// The rate of a flow as last solved; infinite where nothing limits it, 0 if it is new or gone.
    #[inline]
    pub fn rate(&self, id: FlowId) -> f64 {
        self.flows.get(id.index()).filter(|flow| flow.is_alive()).map_or(0.0, |flow| flow.rate)
    }

    /// The capacity of a link, 0 if it is not there.
    pub fn capacity(&self, id: LinkId) -> f64 {
        self.links.get(id.index()).map_or(0.0, |link| link.capacity)
    }

    /// The flows on a link, in no particular order.
    pub fn flows_on(&self, id: LinkId) -> impl Iterator<Item = FlowId> {
        let members = self.links.get(id.index()).map_or(&[][..], |link| &link.members[..]);
        members.iter().map(|member| FlowId(member.flow))
    }

    fn bound_of(&self, flow: u32) -> f64 {
        let Aside { own_bound, pipes, .. } = &self.asides[flow as usize];
        let pipes = pipes.iter().map(|(hop, usage)| self.links[hop.link as usize].capacity / usage);
        pipes.fold(*own_bound, f64::min)
    }

    /// Takes up the bound of a flow after it, or one of its fatpipes, has changed.
    fn rebound(&mut self, index: u32) {
        let bound = self.bound_of(index);
        let flow = &mut self.flows[index as usize];
        let before = std::mem::replace(&mut flow.bound, bound);
        // one that did not hold and does not hold now makes no difference
        if flow.fresh || flow.rate < before && flow.rate <= bound {
            return;
        }
        if !flow.due {
            flow.due = true;
            self.due.push(index);
        }
    }

    fn touch(&mut self, link: u32) {
        let entry = &mut self.links[link as usize];
        if !entry.dirty {
            entry.dirty = true;
            self.dirty.push(link);
        }
    }

    /// The flow rises (again), or is gone.
    pub(super) fn release(&mut self, flow: u32) {
        let by = std::mem::replace(&mut self.stops[flow as usize].by, RISING);
        if let Some(link) = self.links.get_mut(by as usize) {
            link.stopped -= 1;
        }
    }

    /// A level at which a link is not yet, or barely, full, if the flows of the set of this `round`
    /// rise for ever and the others stop where they last did.
    ///
    /// Starts from the level that all flows could have and lets those that stop below it leave more
    /// to the others, which raises it; it may be given up at any step, so eight are enough.
    pub(super) fn full_at(&self, link: u32, round: u32) -> f64 {
        let link = &self.links[link as usize];
        let mut level = 0.0;
        for _ in 0..8 {
            let (mut left, mut weight) = (link.capacity, 0.0);
            for member in &link.members {
                let stop = &self.stops[member.flow as usize];
                let usage = self.usage(member.flow, member.hop as usize);
                let weighs = usage * self.flows[member.flow as usize].weight;
                if stop.round != round && stop.level < level {
                    left -= weighs * stop.level;
                } else {
                    weight += weighs;
                }
            }
            if weight <= 0.0 {
                return f64::INFINITY;
            }
            let higher = left.max(0.0) / weight;
            if higher <= level {
                break;
            }
            level = higher;
        }
        level
    }
}
