//! Nodes that jobs have whole, over time: bookings count them, kind by kind.

use std::sync::Arc;

use crate::batch::node_resources::free::Free;
use crate::batch::node_resources::gpu_choice::Held;
use crate::batch::node_resources::{FreeResources, Reservation};
use crate::batch::profile::{Profile, signed};
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::{NEXT_NANO, Need, Span};

/// Nodes that are alike.
#[derive(Debug)]
struct Kind {
    empty: Free,
    nodes: u32,
    /// Free nodes over time.
    profile: Profile,
    /// Nodes that jobs past their estimates have, and which the profile calls free.
    overdue: u64,
}

/// Nodes by kind.
#[derive(Debug)]
pub(super) struct WholeNodes {
    /// In the order of their first nodes.
    kinds: Vec<Kind>,
    /// Kind of each node.
    of_nodes: Arc<Vec<usize>>,
    counts: OrderedMap<JobId, Place>,
}

/// A place of a job: a number of nodes of each kind, in the order of kinds.
pub(super) type Place = Vec<(usize, u64)>;

impl WholeNodes {
    /// Nodes in service, with the class of each; classes are numbered by their first nodes.
    pub(super) fn new(resources: &FreeResources, of_nodes: Arc<Vec<usize>>, now: SimTime) -> Self {
        let mut kinds: Vec<Kind> = Vec::new();
        for ((empty, free), &kind) in resources.empty.iter().zip(&resources.now).zip(of_nodes.iter()) {
            if kind == kinds.len() {
                kinds.push(Kind::new(empty, 0, now));
            }
            kinds[kind].nodes += u32::from(!free.is_down());
        }
        kinds.iter_mut().for_each(|kind| kind.profile = Profile::idle(now, u64::from(kind.nodes)));
        WholeNodes { kinds, of_nodes, counts: OrderedMap::new() }
    }

    /// The nodes that a running job has.
    pub(super) fn place_of(&self, held: &Held) -> Place {
        let mut counts: OrderedMap<usize, u64> = OrderedMap::new();
        for part in &held.parts {
            *counts.entry(self.of_nodes[part.node as usize]).or_default() += 1;
        }
        counts.into_iter().collect()
    }

    /// A decision begins; these jobs are past their estimates.
    pub(super) fn begin<'h>(&mut self, now: SimTime, late: impl Iterator<Item = &'h Held>) {
        for kind in &mut self.kinds {
            kind.profile.advance(now);
            kind.overdue = 0;
        }
        for held in late {
            for (kind, nodes) in self.place_of(held) {
                self.kinds[kind].overdue += nodes;
            }
        }
    }

    /// As many nodes of each kind are reserved for a span, whichever they are; gives the processors
    /// of those that are free then.
    pub(super) fn reserve(&mut self, nodes: impl Iterator<Item = u32>, span: Span) -> u64 {
        let mut counts: OrderedMap<usize, u64> = OrderedMap::new();
        for node in nodes {
            *counts.entry(self.of_nodes[node as usize]).or_default() += 1;
        }
        let mut procs = 0;
        for (kind, nodes) in counts {
            let kind = &mut self.kinds[kind];
            let free = u64::try_from(kind.profile.least(span.from, span.to)).unwrap_or(0);
            procs += free.min(nodes) * u64::from(kind.empty.procs());
            kind.profile.reserve(span.from, span.to.since(span.from), nodes);
        }
        procs
    }

    pub(super) fn book(&mut self, job: JobId, span: Span, place: Place) {
        for &(kind, nodes) in &place {
            self.kinds[kind].profile.reserve(span.from, span.to.since(span.from), nodes);
        }
        self.counts.insert(job, place);
    }

    /// Takes out the booking of a job, of which this is what is not over.
    pub(super) fn take_out(&mut self, job: JobId, span: Span) -> Place {
        let place = self.counts.remove(&job).unwrap_or_default();
        for &(kind, nodes) in &place {
            self.kinds[kind].profile.release(span.from, span.to, nodes);
        }
        place
    }

    /// Forgets the booking of a job that is over.
    pub(super) fn forget(&mut self, job: JobId) -> Place {
        self.counts.remove(&job).unwrap_or_default()
    }

    /// A booking is over at another instant than it was, neither of which is before `now`.
    pub(super) fn until(&mut self, job: JobId, (was, to): (SimTime, SimTime)) {
        for &(kind, nodes) in self.counts.get(&job).into_iter().flatten() {
            let profile = &mut self.kinds[kind].profile;
            if was < to {
                profile.reserve(was, to.since(was), nodes);
            } else {
                profile.release(to, was, nodes);
            }
        }
    }

    /// The earliest start from an instant on, which is not before `now`.
    pub(super) fn earliest(
        &self,
        need: &Need<'_>,
        (from, span): (SimTime, SimDuration),
        now: SimTime,
    ) -> Option<SimTime> {
        let mut able = self.kinds.iter().filter(|kind| kind.takes(need));
        if let (Some(kind), None) = (able.next(), able.next()) {
            let nodes = kind.nodes_for(need)?;
            return kind
                .first(nodes, from, now, |profile, from| profile.earliest(nodes, span, from, SimTime::MAX));
        }
        let mut times = vec![from];
        if from <= now && self.kinds.iter().any(|kind| kind.overdue > 0) {
            times.push(now.saturating_add(NEXT_NANO));
        }
        for kind in self.kinds.iter().filter(|kind| kind.takes(need)) {
            times.extend(kind.profile.rises(from));
        }
        times.sort_unstable();
        times.dedup();
        times.into_iter().find(|&at| self.place(need, Span::new(at, span), now).is_some())
    }

    /// Kind of the nodes that a job is booked on, and their number, if no other kind takes it.
    pub(super) fn only_kind(&self, job: JobId, need: &Need<'_>) -> Option<(usize, u64)> {
        let &[only] = &self.counts.get(&job)?[..] else { return None };
        let able = self.kinds.iter().filter(|kind| kind.takes(need)).count();
        (able == 1).then_some(only)
    }

    /// Moves a booking of so many nodes of a kind from its start to the earliest one before it.
    pub(super) fn move_forward(
        &mut self,
        (kind, nodes): (usize, u64),
        (from, span): (SimTime, SimDuration),
        (start, now): (SimTime, SimTime),
    ) -> Option<SimTime> {
        let kind = &mut self.kinds[kind];
        let found =
            kind.first(nodes, from, now, |profile, from| profile.earlier(nodes, span, from, start))?;
        kind.profile.move_forward(start, found, span, nodes);
        Some(found)
    }

    /// The place of a job for a span, on the lowest kinds that hold it; `None` if they do not.
    pub(super) fn place(&self, need: &Need<'_>, span: Span, now: SimTime) -> Option<Place> {
        let demand = &need.chunk.demand;
        let (mut whole, rest) = (u64::from(need.procs / demand.procs), need.procs % demand.procs);
        let mut place = Place::new();
        let mut rest_left = rest > 0;
        let last = need.chunk.of_procs(rest);
        for (number, kind) in self.kinds.iter().enumerate() {
            if whole == 0 {
                break;
            }
            let free = kind.throughout(span, now);
            let most = u64::from(kind.empty.chunks(&need.chunk));
            let mut taken = 0;
            if most > 0 && whole > 0 {
                taken = free.min(whole.div_ceil(most));
                let chunks = whole.min(taken * most);
                whole -= chunks;
                if rest_left && taken > 0 {
                    let room = |chunks: u64| {
                        let mut node = kind.empty.clone();
                        node.add(demand, chunks as u32 * demand.procs);
                        node.chunks(&last) > 0
                    };
                    let full = chunks / most > 0 && room(most);
                    rest_left = !(full || chunks % most > 0 && room(chunks % most));
                }
            }
            if taken > 0 {
                place.push((number, taken));
            }
        }
        if whole > 0 {
            return None;
        }
        if rest_left {
            // a further node, perhaps of a kind that takes no whole chunk
            let taken = |number: usize| place.iter().find(|one| one.0 == number).map_or(0, |one| one.1);
            let further = self.kinds.iter().enumerate().find(|&(number, kind)| {
                kind.empty.chunks(&last) > 0 && kind.throughout(span, now) > taken(number)
            });
            let number = further?.0;
            match place.binary_search_by_key(&number, |one| one.0) {
                Ok(at) => place[at].1 += 1,
                Err(at) => place.insert(at, (number, 1)),
            }
        }
        Some(place)
    }

    /// Nodes of each class that are free throughout a span.
    pub(super) fn throughout(&self, span: Span, now: SimTime) -> Reservation {
        let counts = self.kinds.iter().map(|kind| kind.throughout(span, now)).collect();
        Reservation::of_nodes(now, &self.of_nodes, counts)
    }
}

impl Kind {
    fn new(empty: &Free, nodes: u32, now: SimTime) -> Self {
        Kind { empty: empty.clone(), nodes, profile: Profile::idle(now, u64::from(nodes)), overdue: 0 }
    }

    /// Returns true if a node of this kind may take some of the job.
    fn takes(&self, need: &Need<'_>) -> bool {
        let size = need.chunk.demand.procs;
        self.empty.chunks(&need.chunk.of_procs(size.min(need.procs))) > 0
            || !need.procs.is_multiple_of(size)
                && self.empty.chunks(&need.chunk.of_procs(need.procs % size)) > 0
    }

    /// The first start that a search finds from an instant on, unless that is now and too few are
    /// free.
    fn first(
        &self,
        nodes: u64,
        from: SimTime,
        now: SimTime,
        search: impl Fn(&Profile, SimTime) -> Option<SimTime>,
    ) -> Option<SimTime> {
        let found = search(&self.profile, from.max(now))?;
        if found > now || self.profile.at(now) - signed(self.overdue) >= signed(nodes) {
            return Some(found);
        }
        search(&self.profile, now.saturating_add(NEXT_NANO))
    }

    /// Number of nodes that the job takes if it has them of this kind alone.
    fn nodes_for(&self, need: &Need<'_>) -> Option<u64> {
        let kind = Kind::new(&self.empty, self.nodes, SimTime::ZERO);
        let all = WholeNodes { kinds: vec![kind], of_nodes: Arc::default(), counts: OrderedMap::new() };
        let place = all.place(need, Span::new(SimTime::ZERO, NEXT_NANO), SimTime::MAX)?;
        place.first().map(|&(_, nodes)| nodes)
    }

    /// Number of nodes that are free throughout a span.
    fn throughout(&self, span: Span, now: SimTime) -> u64 {
        let least = self.profile.least(span.from, span.to);
        // jobs past their estimates have left a nanosecond later
        let late = span.from <= now && self.overdue > 0;
        let first = if late { self.profile.at(span.from) - signed(self.overdue) } else { least };
        u64::try_from(least.min(first)).unwrap_or(0)
    }
}
