//! Whole chunks of a demand that nodes hold from now on, by the span for which they do.

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::DemandId;

use super::named::NamedNodes;
use super::{NEXT_NANO, Need, Span};

/// Whole chunks of a demand that start now.
#[derive(Debug)]
pub(super) struct FromNow {
    /// Chunks that start now.
    all: i64,
    /// Spans beyond which fewer fit, in order, and how many are lost then.
    lost: Vec<(SimDuration, i64)>,
}

/// The same of the demands that were asked about since nodes changed.
pub(super) type EachFromNow = OrderedMap<DemandId, FromNow>;

impl FromNow {
    /// Chunks that start now, of which so many are lost to a span that reaches beyond an instant.
    pub(super) fn new(now: SimTime, all: i64, lost: Vec<(SimTime, i64)>) -> Self {
        let mut lost: Vec<(SimDuration, i64)> =
            lost.into_iter().map(|(at, chunks)| (at.since(now), chunks)).collect();
        lost.sort_unstable();
        let mut sum = 0;
        for (_, chunks) in &mut lost {
            sum += *chunks;
            *chunks = sum;
        }
        FromNow { all, lost }
    }

    /// Chunks that fit throughout a span.
    pub(super) fn throughout(&self, span: SimDuration) -> i64 {
        let met = self.lost.partition_point(|&(free_for, _)| free_for < span);
        self.all - met.checked_sub(1).map_or(0, |last| self.lost[last].1)
    }
}

/// Nodes that are alike.
#[derive(Clone, Copy)]
struct Alike {
    /// Chunks that start now on each that is empty.
    empty: i64,
    /// True if they may take any and are not reserved now.
    able: bool,
    /// Instant from which on they are reserved.
    reserved: Option<SimTime>,
}

impl NamedNodes {
    /// Whole chunks of a job's demand that start now.
    pub(super) fn starting_now(&self, need: &Need<'_>, now: SimTime) -> FromNow {
        let (mut all, mut lost) = (0, Vec::new());
        let until = |at: SimTime| Span { from: now, to: at.saturating_add(NEXT_NANO) };
        let mut falls: Vec<SimTime> = Vec::new();
        let mut alike = self.outlines.answers();
        for &node in &self.open {
            let (outline, lane) = (self.outline_of(node), &self.lanes[node as usize]);
            let Alike { empty, able, reserved } = alike.of(node, || {
                let able = need.chunk.may_be_on(lane.make()) && !lane.is_reserved(until(now));
                let empty = if able { lane.empty().chunks(&need.chunk).into() } else { 0 };
                Alike { empty, able, reserved: lane.next_reserved(now) }
            });
            if !able || outline.is_full(now) {
                continue;
            }
            if outline.rises {
                let of_now = || lane.at(now).chunks(&need.chunk).into();
                let held: i64 = if outline.is_empty(now) { empty } else { of_now() };
                all += held;
                match (reserved, lost.last_mut()) {
                    (Some(at), Some((last, chunks))) if *last == at => *chunks += held,
                    (Some(at), _) if held > 0 => lost.push((at, held)),
                    _ => {}
                }
                continue;
            }
            let mut held = self.least(node, &need.chunk, until(now), now);
            if held == 0 {
                continue;
            }
            all += held;
            let ahead = self.begin_ahead(node);
            falls.extend(lane.falls(now).chain(ahead.map(|begins| begins.max(now))));
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
}
