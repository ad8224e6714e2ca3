//! Nodes that jobs share, over time: bookings name them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use crate::batch::node_resources::FreeResources;
use crate::batch::node_resources::chunk::{Chunk, Makes};
use crate::batch::node_resources::free::Free;
use crate::batch::node_resources::gpu_choice::Held;
use crate::batch::node_resources::placement::Part;
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::{DemandId, Demands, Resources};

use super::found::Found;
use super::from_now::{EachFromNow, FromNow};
use super::lane::{Lane, Taken};
use super::sums::Sums;
use super::{NEXT_NANO, Need, Span};

/// Nodes by name.
#[derive(Debug)]
pub(super) struct NamedNodes {
    makes: Arc<Makes>,
    resources: Arc<Resources>,
    lanes: Vec<Lane>,
    /// The nodes that jobs are booked on.
    nodes: OrderedMap<JobId, Vec<u32>>,
    /// The nodes with jobs past their estimates.
    late: Vec<u32>,
    sums: Sums,
    /// The one waiting job that has a place which no node knows of.
    ahead: Option<Ahead>,
    /// Place of each node among the parts of that job, from 1; 0: it has none there.
    marks: Vec<u32>,
    /// The nodes that were open when the decision began.
    open: Vec<u32>,
    from_now: EachFromNow,
    /// The place that the last search found, until nodes change.
    found: Option<FoundPlace>,
}

/// A place, and the demand, processors and span that it was found for.
#[derive(Debug)]
struct FoundPlace {
    demand: DemandId,
    procs: u32,
    span: Span,
    place: Place,
}

/// The place of a waiting job that lasts for one decision.
#[derive(Debug)]
struct Ahead {
    job: JobId,
    span: Span,
    place: Place,
}

/// A place of a job: its part on each node.
pub(super) type Place = Vec<(u32, Taken)>;

impl NamedNodes {
    pub(super) fn new(resources: &FreeResources, now: SimTime) -> Self {
        let nodes = resources.empty.iter().zip(&resources.now);
        let lane = |(empty, now): (&Free, &Free)| {
            Lane::new(if now.is_down() { empty.shut() } else { empty.clone() })
        };
        NamedNodes {
            makes: Arc::clone(&resources.makes),
            resources: Arc::clone(&resources.resources),
            lanes: nodes.map(lane).collect(),
            nodes: OrderedMap::new(),
            late: Vec::new(),
            sums: Sums::new(now),
            ahead: None,
            marks: vec![0; resources.now.len()],
            open: resources.open_nodes().collect(),
            from_now: EachFromNow::new(),
            found: None,
        }
    }

    /// Forgets answers, as nodes change.
    fn forget(&mut self) {
        self.from_now.clear();
        self.found = None;
    }

    pub(super) fn demands(&self) -> &Demands {
        &self.resources.demands
    }

    /// A decision begins, at which these nodes are open; these jobs are past their estimates.
    pub(super) fn begin<'h>(
        &mut self,
        now: SimTime,
        open: impl Iterator<Item = u32>,
        late: impl Iterator<Item = &'h Held>,
    ) {
        self.forget();
        self.open.clear();
        self.open.extend(open);
        for node in self.late.drain(..) {
            self.lanes[node as usize].begin();
        }
        for (node, taken) in late.flat_map(place_of) {
            self.lanes[node as usize].is_held(taken);
            self.late.push(node);
        }
        self.sums.begin(now);
    }

    /// Changes nodes within a span, and the sums with them.
    fn change<T>(
        &mut self,
        nodes: impl IntoIterator<Item = T>,
        span: Span,
        node_of: impl Fn(&T) -> u32,
        mut how: impl FnMut(&mut Lane, T, &Demands),
    ) {
        self.forget();
        let chunk = |demand| self.makes.chunk(*self.resources.demands.of(demand));
        for one in nodes {
            let lane = &mut self.lanes[node_of(&one) as usize];
            self.sums.note(lane, chunk, span, -1);
            how(lane, one, &self.resources.demands);
            self.sums.note(lane, chunk, span, 1);
        }
        self.sums.settle();
    }

    /// Nodes are reserved for a span. Gives those that are in service and on which nothing is
    /// booked meanwhile.
    pub(super) fn reserve(&mut self, nodes: impl Iterator<Item = u32>, span: Span) -> Vec<u32> {
        let mut free = Vec::new();
        let reserve = |lane: &mut Lane, node: u32, _: &Demands| {
            if lane.reserve(span) && lane.is_there() {
                free.push(node);
            }
        };
        self.change(nodes, span, |&node| node, reserve);
        free
    }

    pub(super) fn book(&mut self, job: JobId, span: Span, place: Place, now: SimTime) {
        let nodes = place.iter().map(|&(node, _)| node).collect();
        let book = |lane: &mut Lane, (_, taken): (u32, Taken), demands: &Demands| {
            lane.book(demands, (job, span, taken), now);
        };
        self.change(place, span, |&(node, _)| node, book);
        self.nodes.insert(job, nodes);
    }

    /// Takes out the booking of a job, of which this is what is not over.
    pub(super) fn take_out(&mut self, job: JobId, span: Span) -> Place {
        let nodes = self.nodes.remove(&job).unwrap_or_default();
        let mut place = Place::with_capacity(nodes.len());
        let take = |lane: &mut Lane, node: u32, demands: &Demands| {
            place.extend(lane.take_out(demands, job).map(|taken| (node, taken)));
        };
        self.change(nodes, span, |&node| node, take);
        place
    }

    /// A booking is over at another instant than it was.
    pub(super) fn until(&mut self, job: JobId, (was, to): (SimTime, SimTime)) {
        let nodes = self.nodes.get(&job).cloned().unwrap_or_default();
        let until = |lane: &mut Lane, _, demands: &Demands| lane.until(demands, job, to);
        self.change(nodes, Span { from: was.min(to), to: was.max(to) }, |&node| node, until);
    }

    /// Nodes that may take a chunk.
    fn able(&self, chunk: Chunk<'_>) -> impl Iterator<Item = (u32, &Lane)> {
        (0..).zip(&self.lanes).filter(move |(_, lane)| chunk.may_be_on(lane.make()))
    }

    /// Gives a waiting job a place that no other is looked for before it gives it up.
    pub(super) fn put_ahead(&mut self, job: JobId, span: Span, mut place: Place) {
        place.sort_unstable_by_key(|&(node, _)| node);
        for (mark, &(node, _)) in (1..).zip(&place) {
            self.marks[node as usize] = mark;
        }
        self.forget();
        self.ahead = Some(Ahead { job, span, place });
    }

    /// Gives that place up, if it is this job's.
    pub(super) fn gives_up(&mut self, job: JobId) {
        if let Some(ahead) = self.ahead.take_if(|ahead| ahead.job == job) {
            ahead.place.iter().for_each(|&(node, _)| self.marks[node as usize] = 0);
            self.forget();
        }
    }

    /// The part of a job on a node that is ahead, and the time that it has of a span.
    fn ahead_on(&self, node: u32, span: Span) -> Option<(&Taken, Span)> {
        let mark = self.marks[node as usize].checked_sub(1)?;
        let ahead = self.ahead.as_ref()?;
        let common = Span { from: span.from.max(ahead.span.from), to: span.to.min(ahead.span.to) };
        (common.from < common.to).then(|| (&ahead.place[mark as usize].1, common))
    }

    /// Parts of a node that are free throughout a span.
    pub(super) fn throughout(&self, node: u32, span: Span, now: SimTime) -> Free {
        let (lane, demands) = (&self.lanes[node as usize], self.demands());
        let free = lane.throughout(demands, span, now);
        let Some((taken, common)) = self.ahead_on(node, span) else { return free };
        let mut within = lane.throughout(demands, common, now);
        within.withhold(demands.of(taken.demand), taken.procs, &taken.gpus);
        free.both(&within)
    }

    /// Whole chunks that fit on a node throughout a span.
    pub(super) fn least(&self, node: u32, chunk: &Chunk<'_>, span: Span, now: SimTime) -> i64 {
        let lane = &self.lanes[node as usize];
        match self.ahead_on(node, span) {
            Some((taken, common)) if lane.procs(common).saturating_sub(taken.procs) < chunk.demand.procs => 0,
            Some(_) => i64::from(self.throughout(node, span, now).chunks(chunk)),
            None => lane.least(self.demands(), chunk, span, now),
        }
    }

    /// Whole chunks of a job's demand that start now.
    fn starting_now(&self, need: &Need<'_>, now: SimTime) -> FromNow {
        let (mut all, mut lost) = (0, Vec::new());
        let until = |at: SimTime| Span { from: now, to: at.saturating_add(NEXT_NANO) };
        let mut falls: Vec<SimTime> = Vec::new();
        for &node in &self.open {
            let lane = &self.lanes[node as usize];
            if !need.chunk.may_be_on(lane.make()) {
                continue;
            }
            let mut held = self.least(node, &need.chunk, until(now), now);
            if held == 0 {
                continue;
            }
            all += held;
            let ahead = self.ahead.as_ref().filter(|_| self.marks[node as usize] > 0);
            falls.extend(lane.falls(now).chain(ahead.map(|ahead| ahead.span.from.max(now))));
            falls.sort_unstable();
            for at in falls.drain(..) {
                let then = self.least(node, &need.chunk, until(at), now);
                if then < held {
                    lost.push((at, held - then));
                    held = then;
                }
            }
        }
        FromNow::new(now, all, lost)
    }

    /// The place of a job that the last search found, if it was for this span.
    pub(super) fn take_found(&mut self, need: &Need<'_>, span: Span) -> Option<Place> {
        let same =
            |one: &mut FoundPlace| (one.demand, one.procs, one.span) == (need.demand, need.procs, span);
        self.found.take_if(same).map(|one| one.place)
    }

    /// Returns true if a job may start now for a span.
    pub(super) fn holds_now(&mut self, need: &Need<'_>, span: SimDuration, now: SimTime) -> bool {
        let whole = i64::from(need.procs / need.chunk.demand.procs);
        let lanes = &self.lanes;
        if whole > 0 && !self.sums.of(need, lanes).holds(whole as u64, now, span) {
            return false;
        }
        if !self.from_now.contains_key(&need.demand) {
            let found = self.starting_now(need, now);
            self.from_now.insert(need.demand, found);
        }
        let there = self.from_now[&need.demand].throughout(span);
        // a smaller chunk fits where a further whole one does
        let sure = there > whole || need.procs.is_multiple_of(need.chunk.demand.procs);
        there >= whole && (sure || self.place(need, Span::new(now, span), now).is_some())
    }

    /// The earliest start from an instant on, which is not before `now`.
    pub(super) fn earliest(
        &mut self,
        need: &Need<'_>,
        (from, span): (SimTime, SimDuration),
        now: SimTime,
    ) -> Option<SimTime> {
        let whole = u64::from(need.procs / need.chunk.demand.procs);
        let mut at = from;
        if whole == 0 {
            return self.earliest_by_nodes(need, (at, span), now);
        }
        loop {
            let lanes = &self.lanes;
            at = self.sums.of(need, lanes).earliest(whole, span, at, SimTime::MAX)?;
            let within = Span::new(at, span);
            if let Some(place) = self.place(need, within, now) {
                self.found = Some(FoundPlace { demand: need.demand, procs: need.procs, span: within, place });
                return Some(at);
            }
            if at > now || self.late.is_empty() {
                return self.earliest_by_nodes(need, (at, span), now);
            }
            // what jobs past their estimates have is free in a nanosecond
            at = now.saturating_add(NEXT_NANO);
        }
    }

    /// An instant before which a job that is booked from `start` on cannot be, though it gives that
    /// up; `None` if that is `start`.
    pub(super) fn earlier(
        &mut self,
        need: &Need<'_>,
        (from, span): (SimTime, SimDuration),
        start: SimTime,
    ) -> Option<SimTime> {
        let (whole, lanes) = (u64::from(need.procs / need.chunk.demand.procs), &self.lanes);
        if whole == 0 { Some(from) } else { self.sums.of(need, lanes).earlier(whole, span, from, start) }
    }

    /// The earliest start, of what each node holds.
    fn earliest_by_nodes(
        &self,
        need: &Need<'_>,
        (from, span): (SimTime, SimDuration),
        now: SimTime,
    ) -> Option<SimTime> {
        // what is far ahead is looked at only if nothing is found before
        let last = self.able(need.chunk).map(|(_, lane)| lane.last()).max()?;
        let last = last.max(now).saturating_add(NEXT_NANO);
        let (mut begins, mut length) = (from, span.max(NEXT_NANO));
        loop {
            let before = begins.saturating_add(length);
            let found = self.earliest_within(need, (begins, before, span), now);
            if found.is_some() || before > last || before == SimTime::MAX {
                return found;
            }
            (begins, length) = (before, SimDuration::from_nanos(length.as_nanos().saturating_mul(2)));
        }
    }

    /// The earliest start in [`from`, `before`).
    fn earliest_within(
        &self,
        need: &Need<'_>,
        (from, before, span): (SimTime, SimTime, SimDuration),
        now: SimTime,
    ) -> Option<SimTime> {
        let size = need.chunk.demand.procs;
        let (whole, rest) = (need.procs / size, need.procs % size);
        // changes in how many whole chunks are held, and if there is a smaller one, instants at
        // which it may have come to fit
        let mut changes: Vec<(SimTime, i64, bool)> = Vec::new();
        for (_, lane) in self.able(need.chunk) {
            if whole > 0 {
                let mut note = |at, by| changes.push((at, by, by > 0));
                lane.holds(self.demands(), &need.chunk, (from, before, span), now, &mut note);
            }
            if rest > 0 {
                let ends = lane.ends(from, now).filter(|&at| at < before);
                changes.extend(ends.map(|at| (at, 0, true)));
            }
        }
        changes.sort_unstable_by_key(|&(at, ..)| at);
        let mut held = 0;
        for same in changes.chunk_by(|one, next| one.0 == next.0) {
            held += same.iter().map(|&(_, by, _)| by).sum::<i64>();
            let (at, rises) = (same[0].0, same.iter().any(|&(.., rises)| rises));
            let may = rises && held >= i64::from(whole);
            if may && self.place(need, Span::new(at, span), now).is_some() {
                return Some(at);
            }
        }
        None
    }

    /// The place of a job on nodes that hold it for a span: those idle for the shortest time before
    /// it. `None` if they do not hold it.
    pub(super) fn place(&self, need: &Need<'_>, span: Span, now: SimTime) -> Option<Place> {
        let mut found = Found::new(self, need, span, now);
        // the first nodes that hold it are enough, so those after the first are put in order only
        // as far as they are asked for
        let mut later = Vec::new();
        for (node, lane) in self.able(need.chunk) {
            let idle = || lane.idle_before(span.from, now);
            match found.holds(node) {
                Some(held) if idle() == SimDuration::ZERO => {
                    if let Some(place) = found.and(node, held) {
                        return Some(place);
                    }
                }
                Some(held) => later.push(Reverse((idle(), node, held))),
                None => {}
            }
        }
        let mut later = BinaryHeap::from(later);
        while let Some(Reverse((_, node, held))) = later.pop() {
            if let Some(place) = found.and(node, held) {
                return Some(place);
            }
        }
        None
    }

    /// Free parts of these nodes throughout a span that differ from what is free on them now.
    pub(super) fn less_within(
        &self,
        nodes: impl Iterator<Item = u32>,
        free: &[Free],
        span: Span,
    ) -> OrderedMap<u32, Free> {
        let within = |node: u32| {
            let (there, then) = (&free[node as usize], self.throughout(node, span, span.from));
            (then != *there).then(|| (node, there.both(&then)))
        };
        nodes.filter_map(within).collect()
    }
}

/// The place of what a running job holds.
pub(super) fn place_of(held: &Held) -> Place {
    let part = |part: &Part| {
        let gpus = held.gpus_on(part.node).to_vec();
        (part.node, Taken { demand: held.demand, procs: part.procs, gpus })
    };
    held.parts.iter().map(part).collect()
}
