//! Nodes that jobs share, over time: bookings name them.

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

use super::from_now::EachFromNow;
use super::lane::{Lane, Taken};
use super::outline::{Outline, Outlines};
use super::sums::Sums;
use super::{NEXT_NANO, Need, Span};

/// Nodes by name.
#[derive(Debug)]
pub(super) struct NamedNodes {
    makes: Arc<Makes>,
    resources: Arc<Resources>,
    pub(super) lanes: Vec<Lane>,
    pub(super) outlines: Outlines,
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
    pub(super) open: Vec<u32>,
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
        let lanes: Vec<Lane> = nodes.map(lane).collect();
        NamedNodes {
            makes: Arc::clone(&resources.makes),
            resources: Arc::clone(&resources.resources),
            outlines: Outlines::new(&lanes, now),
            lanes,
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
        self.sums.begin(now);
        for node in std::mem::take(&mut self.late) {
            self.lanes[node as usize].begin();
            self.outline(node);
        }
        for (node, taken) in late.flat_map(place_of) {
            self.lanes[node as usize].is_held(taken);
            self.outline(node);
            self.late.push(node);
        }
    }

    /// A node has changed: its outline is found.
    fn outline(&mut self, node: u32) {
        self.outlines.each[node as usize] = self.lanes[node as usize].outline(self.sums.now);
    }

    /// Outline of a node, of which the job that is ahead may have part.
    pub(super) fn outline_of(&self, node: u32) -> Outline {
        if self.marks[node as usize] > 0 { Outline::NONE } else { self.outlines.each[node as usize] }
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
            let at = node_of(&one) as usize;
            let lane = &mut self.lanes[at];
            self.sums.note(lane, chunk, span, -1);
            how(lane, one, &self.resources.demands);
            self.sums.note(lane, chunk, span, 1);
            self.outlines.each[at] = lane.outline(self.sums.now);
        }
        self.sums.settle();
    }

    /// Nodes are reserved for a span. Gives those that are in service and on which nothing is
    /// booked meanwhile.
    pub(super) fn reserve(&mut self, nodes: impl Iterator<Item = u32>, span: Span) -> Vec<u32> {
        let nodes: Vec<u32> = nodes.collect();
        self.outlines.part(&nodes);
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
            for (node, _) in ahead.place {
                self.marks[node as usize] = 0;
            }
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

    /// Instant from which on the job that is ahead has part of a node.
    pub(super) fn begin_ahead(&self, node: u32) -> Option<SimTime> {
        self.ahead.as_ref().filter(|_| self.marks[node as usize] > 0).map(|ahead| ahead.span.from)
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

    /// The place of a job that the last search found, if it was for this span.
    pub(super) fn take_found(&mut self, need: &Need<'_>, span: Span) -> Option<Place> {
        let same =
            |one: &mut FoundPlace| (one.demand, one.procs, one.span) == (need.demand, need.procs, span);
        self.found.take_if(same).map(|one| one.place)
    }

    /// Returns true if a job may start now for a span.
    pub(super) fn holds_now(&mut self, need: &Need<'_>, span: SimDuration, now: SimTime) -> bool {
        let whole = i64::from(need.procs / need.chunk.demand.procs);
        let known = self.from_now.get(&need.demand).map(|found| found.throughout(span));
        let there = match known {
            Some(there) => there,
            None if whole > 0 && !self.sums.of(need, &self.lanes).holds(whole as u64, now, span) => {
                return false;
            }
            None => {
                let found = self.starting_now(need, now);
                let there = found.throughout(span);
                self.from_now.insert(need.demand, found);
                there
            }
        };
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

    /// Free parts of these nodes throughout a span that differ from what is free on them now.
    pub(super) fn less_within(
        &self,
        nodes: impl Iterator<Item = u32>,
        free: &[Free],
        span: Span,
    ) -> OrderedMap<u32, Free> {
        let mut kept = self.outlines.answers();
        let within = |node: u32| {
            let (there, lane) = (&free[node as usize], &self.lanes[node as usize]);
            let outline = self.outline_of(node);
            // where only more becomes free, and nothing is reserved, the same is free throughout
            if outline.rises && kept.of(node, || !lane.is_reserved(span)) && *there == *lane.at(span.from) {
                return None;
            }
            let then = self.throughout(node, span, span.from);
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
