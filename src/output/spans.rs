//! Spans that may overlap, as a timeline.
//!
//! Spans of a lane that overlap go on further lanes of it, each on the first that is free. Spans of no length are left out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::io;

use crate::collections::Interval;
use crate::kernel::SimTime;

use super::lanes::{Label, LaneSink};

/// What was done on a lane from when to when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedSpan<'a> {
    /// The lane, a place among their names.
    pub lane: u32,
    /// What it is called.
    pub name: &'a str,
    /// From when.
    pub start: SimTime,
    /// To when.
    pub end: SimTime,
}

/// Pushes lanes of these names with these spans, in any order.
///
/// # Errors
/// What the sink says.
pub fn push_spans(lanes: &[String], spans: &[NamedSpan<'_>], sink: &mut dyn LaneSink) -> io::Result<()> {
    let mut order: Vec<u32> = (0..spans.len() as u32).collect();
    order.retain(|span| spans[*span as usize].end > spans[*span as usize].start);
    order.sort_by_key(|span| (spans[*span as usize].start, spans[*span as usize].lane));
    let mut lane_parts = vec![Parts::default(); lanes.len()];
    let mut events = Vec::with_capacity(2 * order.len());
    for (number, span) in (0_u32..).zip(&order) {
        let span = &spans[*span as usize];
        let Some(parts) = lane_parts.get_mut(span.lane as usize) else { continue };
        let part = parts.take(span.start, span.end);
        // ends before begins of one instant
        events.push((span.start, true, number, part as u32));
        events.push((span.end, false, number, part as u32));
    }
    events.sort_unstable();
    let mut first_part = Vec::with_capacity(lanes.len());
    let mut next = 0;
    for (name, parts) in lanes.iter().zip(&lane_parts) {
        first_part.push(next);
        for place in 0..parts.count {
            let further = if place == 0 { String::new() } else { format!(" ({})", place + 1) };
            sink.lane(next, &format!("{name}{further}"))?;
            next += 1;
        }
    }
    let mut names = BTreeMap::<&str, u64>::new();
    for (at, begins, number, part) in events {
        let span = &spans[order[number as usize] as usize];
        let lane = first_part[span.lane as usize] + part;
        let on = [Interval::new(lane, lane)];
        if !begins {
            sink.end(at, &on)?;
            continue;
        }
        let fresh = names.len() as u64 + 1;
        let number = *names.entry(span.name).or_insert(fresh);
        let name = (number == fresh).then_some(span.name);
        sink.begin(at, &on, Label { number, name, facts: &[] })?;
    }
    Ok(())
}

/// The parts of a lane, each for spans that do not overlap.
#[derive(Clone, Default)]
struct Parts {
    busy: BinaryHeap<Reverse<(SimTime, usize)>>,
    free: BTreeSet<usize>,
    count: usize,
}

impl Parts {
    /// The first part that is free from `start` on, which is not before that of the span before; a further one if none is.
    fn take(&mut self, start: SimTime, end: SimTime) -> usize {
        while let Some(&Reverse((over, part))) = self.busy.peek()
            && over <= start
        {
            self.busy.pop();
            self.free.insert(part);
        }
        let part = self.free.pop_first().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.busy.push(Reverse((end, part)));
        part
    }
}

#[cfg(test)]
mod tests {
    use crate::output::{LaneSource, Lanes, perfetto};

    use super::*;

    struct Agents<'a>(&'a [NamedSpan<'a>]);

    impl LaneSource for Agents<'_> {
        fn lanes(&self) -> Lanes {
            Lanes { title: "agents", number: 1, counters: &[] }
        }

        fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
            push_spans(&["a".to_owned(), "b".to_owned()], self.0, sink)
        }
    }

    fn lane(lane: u32, name: &str, start: u64, end: u64) -> NamedSpan<'_> {
        NamedSpan { lane, name, start: SimTime::from_nanos(start), end: SimTime::from_nanos(end) }
    }

    fn text(spans: &[NamedSpan<'_>]) -> Vec<u8> {
        let mut out = Vec::new();
        perfetto::write(&Agents(spans), &mut out).expect("into memory");
        out
    }

    #[test]
    fn spans_that_overlap_go_on_lanes_of_their_own() {
        let apart = text(&[lane(0, "x", 0, 5), lane(0, "y", 5, 9), lane(1, "x", 2, 4)]);
        let over = text(&[lane(0, "x", 0, 6), lane(0, "y", 5, 9), lane(1, "x", 2, 4)]);
        let holds = |bytes: &[u8], name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
        assert!(!holds(&apart, b"a (2)") && holds(&over, b"a (2)"));
        assert_eq!(text(&[lane(0, "x", 3, 3)]), text(&[]));
    }
}
