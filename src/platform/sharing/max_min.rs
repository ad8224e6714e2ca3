//! Weighted max-min shares that are kept up while flows come and go.
//!
//! Rates are those of [progressive filling](super::progressive_filling): flow f has the rate `weight × level`, and its level is
//! the highest that no limit of it forbids. [`MaxMin::solve`] finds anew only what a change can reach.
//!
//! A flow is *stopped* by a link that is full when it stops rising, and nobody on that link rises higher; or by its bound. Rates are
//! the right ones as soon as that holds for every flow. So a set of flows is filled again while all others keep their rates:
//! 1. What has come, or has another bound, is in the set. Whoever is stopped by a link that one of the set crosses, or that itself
//!    was changed, joins it, until nobody is left to join. All others are stopped where nothing changes.
//! 2. The set is filled over what the others leave.
//! 3. Where a link stopped one of the set, and somebody outside the set is higher, that one joins: back to 1. Else all is right.
//!
//! Most of the set does change then, and few rounds are needed; after [`MOST_ROUNDS`] everything on the links that are crossed joins
//! at once, so that there are never many. Fatpipe links join nobody: they are bounds of each of their flows.
//!
//! A heap has each link at the level where it would be full. That level only rises while other flows stop, so that an entry is
//! looked at again no sooner than it comes to the top.
//!
//! *No drift.* What a link carries and what its flows weigh are exact sums ([`Exact`]), so it does not matter what came and went
//! before, nor in which order: flows that are entered in another order have the same rates bit for bit.
//!
//! Sources: progressive filling as cited [there](super::progressive_filling); solving again only what a change has touched is an
//! idea of SimGrid's (B. Donassolo, H. Casanova, A. Legrand, P. Velho, "Fast and scalable simulation of volunteer
//! computing systems using SimGrid", LSAP 2010, section 3). Theirs takes all that is joined to the change.

use super::exact::{Exact, LEAST, MOST};

/// Rounds of filling after which everything on the links that are crossed joins.
pub(super) const MOST_ROUNDS: usize = 8;

/// The largest weight: a hundred million of them do not come near the end of a sum's range.
const HEAVIEST: f64 = 1e12;

/// A link of a [`MaxMin`], numbered from 0 in the order of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LinkId(pub(super) u32);

impl LinkId {
    /// The link of this number.
    pub const fn new(index: u32) -> Self {
        LinkId(index)
    }

    /// Its number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A flow of a [`MaxMin`]; the number is given again after the flow was removed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowId(pub(super) u32);

impl FlowId {
    /// Its number: less than the most flows there ever were at once.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// How the flows on a link get on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// They share its capacity.
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
    /// Which of the flow's hops this is.
    pub(super) hop: u32,
    /// Usage times weight.
    pub(super) weight: f64,
}

/// Where a flow stopped, apart from the rest of it because whole links look at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    /// Rate per weight; infinite if nothing stopped it, or it is new.
    pub(super) level: f64,
    /// The link that stopped it, or [`BOUND`], or [`RISING`].
    pub(super) by: u32,
    /// The solving in which it was last in the set.
    pub(super) turn: u32,
}

/// Stopped by its bound, or by nothing.
pub(super) const BOUND: u32 = u32::MAX;
/// Not yet stopped.
pub(super) const RISING: u32 = u32::MAX - 1;

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) policy: Policy,
    pub(super) capacity: f64,
    /// What the rates of its flows take, those of fresh ones left out. Not kept for fatpipes.
    pub(super) load: Exact,
    pub(super) members: Vec<Member>,
    /// How many of its members it stops.
    pub(super) stopped: u32,
    pub(super) dirty: bool,
    /// Whether it has less capacity than when it was last solved.
    pub(super) tightened: bool,
}

/// A link on a flow's route, as the flow has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) link: u32,
    /// Where the link has it among its members.
    place: u32,
    pub(super) usage: f64,
    /// Usage times weight.
    pub(super) weight: Exact,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    pub(super) weight: f64,
    /// The least of its own bound and those of its fatpipes; infinite if there is none.
    pub(super) bound: f64,
    own_bound: f64,
    pub(super) rate: f64,
    /// Not solved since it came.
    pub(super) fresh: bool,
    /// To be solved in any case.
    pub(super) due: bool,
    pub(super) alive: bool,
    pub(super) shared: Vec<Hop>,
    pipes: Vec<Hop>,
}

impl Flow {
    /// What the flow takes of a link.
    #[inline]
    pub(super) fn taken(&self, usage: f64) -> Exact {
        Exact::of(usage * self.rate)
    }
}

/// Links, flows and their max-min rates; the module's essay tells how they are kept up.
#[derive(Clone, Debug, Default)]
pub struct MaxMin {
    pub(super) links: Vec<Link>,
    pub(super) flows: Vec<Flow>,
    free: Vec<u32>,
    /// Links that changed, or whose flows did.
    pub(super) dirty: Vec<u32>,
    /// Flows to be solved in any case.
    pub(super) due: Vec<u32>,
    pub(super) stops: Vec<Stop>,
    pub(super) region: super::filling::Region,
}

fn capacity_in_range(capacity: f64) -> Result<f64, OutOfRange> {
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
    pub fn link(&mut self, capacity: f64, policy: Policy) -> Result<LinkId, OutOfRange> {
        let capacity = capacity_in_range(capacity)?;
        let (load, members) = (Exact::default(), Vec::new());
        self.links.push(Link { policy, capacity, load, members, stopped: 0, dirty: false, tightened: false });
        Ok(LinkId(self.links.len() as u32 - 1))
    }

    /// A flow of `weight` along `route`, of at most the rate `bound`. Its rate is 0 until [`MaxMin::solve`]. A link that the route
    /// has twice is taken twice if it is shared; of a fatpipe the larger usage counts.
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
            self.stops.push(Stop { level: f64::INFINITY, by: RISING, turn: 0 });
            self.flows.len() as u32 - 1
        });
        let flow = &mut self.flows[index as usize];
        (flow.weight, flow.own_bound) = (weight, own_bound);
        flow.rate = 0.0;
        self.stops[index as usize].level = f64::INFINITY;
        (flow.fresh, flow.due, flow.alive) = (true, true, true);
        for crossing in route {
            let link = &mut self.links[crossing.link.index()];
            let pipe = link.policy == Policy::Fatpipe;
            let hops = if pipe { &mut flow.pipes } else { &mut flow.shared };
            if let Some(hop) = hops.iter_mut().find(|hop| hop.link == crossing.link.0) {
                hop.usage = if pipe { hop.usage.max(crossing.usage) } else { hop.usage + crossing.usage };
                hop.weight = Exact::of(hop.usage * weight);
                link.members[hop.place as usize].weight = hop.usage * weight;
                continue;
            }
            let (place, hop) = (link.members.len() as u32, hops.len() as u32);
            let weight = crossing.usage * weight;
            link.members.push(Member { flow: index, hop, weight });
            let weight = Exact::of(weight);
            hops.push(Hop { link: crossing.link.0, place, usage: crossing.usage, weight });
        }
        self.flows[index as usize].bound = self.bound_of(index);
        self.due.push(index);
        Ok(FlowId(index))
    }

    /// Takes a flow away.
    pub fn remove(&mut self, id: FlowId) {
        let Some(flow) = self.flows.get(id.index()).filter(|flow| flow.alive) else { return };
        for hop in 0..flow.shared.len() {
            self.touch(self.flows[id.index()].shared[hop].link);
        }
        self.release(id.0);
        let flow = &mut self.flows[id.index()];
        flow.alive = false;
        let (shared, pipes) = (std::mem::take(&mut flow.shared), std::mem::take(&mut flow.pipes));
        for hop in shared.iter().chain(&pipes) {
            let link = &mut self.links[hop.link as usize];
            if link.policy == Policy::Shared && !self.flows[id.index()].fresh {
                link.load -= self.flows[id.index()].taken(hop.usage);
            }
            link.members.swap_remove(hop.place as usize);
            let pipe = link.policy == Policy::Fatpipe;
            if let Some(&moved) = link.members.get(hop.place as usize) {
                let flow = &mut self.flows[moved.flow as usize];
                let hops = if pipe { &mut flow.pipes } else { &mut flow.shared };
                hops[moved.hop as usize].place = hop.place;
            }
        }
        // the room of the lists is kept for whoever has the number next
        let flow = &mut self.flows[id.index()];
        (flow.shared, flow.pipes) = (shared, pipes);
        flow.shared.clear();
        flow.pipes.clear();
        self.free.push(id.0);
    }

    /// Gives a link another capacity.
    ///
    /// # Errors
    /// A capacity out of range, and a link that is not there; then nothing has changed.
    pub fn set_capacity(&mut self, id: LinkId, capacity: f64) -> Result<(), OutOfRange> {
        let capacity = capacity_in_range(capacity)?;
        let link = self.links.get_mut(id.index()).ok_or(OutOfRange::NoLink(id.index()))?;
        let before = std::mem::replace(&mut link.capacity, capacity);
        if link.policy == Policy::Fatpipe {
            for place in 0..self.links[id.index()].members.len() {
                let flow = self.links[id.index()].members[place].flow;
                self.rebound(flow);
            }
            return Ok(());
        }
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
        if let Some(flow) = self.flows.get_mut(id.index()).filter(|flow| flow.alive) {
            flow.own_bound = bound;
            self.rebound(id.0);
        }
        Ok(())
    }

    /// The rate of a flow as last solved; infinite where nothing limits it, 0 if it is new or gone.
    #[inline]
    pub fn rate(&self, id: FlowId) -> f64 {
        self.flows.get(id.index()).filter(|flow| flow.alive).map_or(0.0, |flow| flow.rate)
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
        let flow = &self.flows[flow as usize];
        let pipes = flow.pipes.iter().map(|hop| self.links[hop.link as usize].capacity / hop.usage);
        pipes.fold(flow.own_bound, f64::min)
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

    /// A level at which a link is not yet, or just, full, if the flows of the set of this `turn` rise for ever and the others stop where
    /// they last did.
    ///
    /// Starts from the level that all flows could have and lets those that stop below it leave more to the others, which raises it;
    /// it may be given up at any step, so eight are enough.
    pub(super) fn full_at(&self, link: u32, turn: u32) -> f64 {
        let link = &self.links[link as usize];
        let mut level = 0.0;
        for _ in 0..8 {
            let (mut left, mut weight) = (link.capacity, 0.0);
            for member in &link.members {
                let stop = &self.stops[member.flow as usize];
                if stop.turn != turn && stop.level < level {
                    left -= member.weight * stop.level;
                } else {
                    weight += member.weight;
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
