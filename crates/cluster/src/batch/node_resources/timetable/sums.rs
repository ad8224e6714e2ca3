//! Whole chunks that all nodes hold together over time, of the demands that jobs are asked for: a
//! bound of what can be had, since a job stays on its nodes for its span while what is free moves
//! from node to node.

use crate::batch::node_resources::chunk::Chunk;
use crate::batch::profile::Profile;
use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::workload::resources::DemandId;

use super::lane::Lane;
use super::{Need, Span};

/// Demands up to which the sums of all are kept; they are found again when others are asked for.
const FEW: usize = if cfg!(test) { 2 } else { 16 };

/// Sums over time, demand by demand.
#[derive(Debug)]
pub(super) struct Sums {
    /// Instant of the last decision.
    pub(super) now: SimTime,
    each: OrderedMap<DemandId, Sum>,
}

#[derive(Debug)]
struct Sum {
    profile: Profile,
    /// Changes that are not in the profile yet.
    changes: Vec<(SimTime, i64)>,
}

impl Sums {
    pub(super) fn new(now: SimTime) -> Self {
        Sums { now, each: OrderedMap::new() }
    }

    /// A decision begins. Earlier instants are forgotten.
    pub(super) fn begin(&mut self, now: SimTime) {
        self.now = now;
        self.each.values_mut().for_each(|sum| sum.profile.advance(now));
    }

    /// Whole chunks of a job's demand.
    pub(super) fn of(&mut self, need: &Need<'_>, lanes: &[Lane]) -> &Profile {
        if self.each.len() >= FEW && !self.each.contains_key(&need.demand) {
            self.each.clear();
        }
        let now = self.now;
        let made = || {
            let (mut changes, ever) = (Vec::new(), Span { from: now, to: SimTime::MAX });
            let mut note = |from, to, held: i64| changes.extend([(from, held), (to, -held)]);
            let able = lanes.iter().filter(|lane| need.chunk.may_be_on(lane.make()));
            able.for_each(|lane| lane.chunks_within(&need.chunk, ever, &mut note));
            Sum { profile: Profile::of_changes((now, 0), changes), changes: Vec::new() }
        };
        &self.each.entry(need.demand).or_insert_with(made).profile
    }

    /// Adds what a node holds within a span to all sums, or (`-1`) takes it from them.
    pub(super) fn note<'c>(
        &mut self,
        lane: &Lane,
        chunk: impl Fn(DemandId) -> Chunk<'c>,
        span: Span,
        sign: i64,
    ) {
        let span = Span { from: span.from.max(self.now), ..span };
        if span.from >= span.to {
            return;
        }
        for (&demand, sum) in &mut self.each {
            let chunk = chunk(demand);
            if chunk.may_be_on(lane.make()) {
                let mut note =
                    |from, to, held: i64| sum.changes.extend([(from, sign * held), (to, -sign * held)]);
                lane.chunks_within(&chunk, span, &mut note);
            }
        }
    }

    /// All nodes have been changed that a booking is on.
    pub(super) fn settle(&mut self) {
        self.each.values_mut().for_each(|sum| sum.profile.change_by(&mut sum.changes));
    }
}
