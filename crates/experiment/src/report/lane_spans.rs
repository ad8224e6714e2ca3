//! Spans of the lanes of a timeline, gathered: sums of them and explanations are read off these.

use std::io;

use crate::collections::{Interval, OrderedMap};
use crate::kernel::SimTime;
use crate::output::{Arrow, Label, LaneSink, LaneSource};

/// A span of a lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct LaneSpan {
    /// Place of the name of its lane.
    pub(super) lane: usize,
    /// Start.
    pub(super) from: SimTime,
    /// End.
    pub(super) to: SimTime,
    /// Word of the cause.
    pub(super) cause: &'static str,
    /// Number of its name.
    pub(super) label: u64,
}

/// Spans of lanes, in the order in which they end.
#[derive(Debug, Default)]
pub(super) struct LaneSpans {
    /// Names of lanes, without the numbers of further lanes, in the order of the lanes.
    pub(super) names: Vec<String>,
    /// The spans.
    pub(super) spans: Vec<LaneSpan>,
    /// Instant of the last beginning or end on any lane.
    pub(super) last: SimTime,
    /// Names of spans by their numbers.
    labels: OrderedMap<u64, String>,
}

impl LaneSpans {
    /// The spans of the lanes of which the name is wanted.
    pub(super) fn of(source: &dyn LaneSource, is_wanted: &dyn Fn(&str) -> bool) -> Self {
        let all = LaneSpans::default();
        let mut gathering = Gathering {
            all,
            is_wanted,
            places: OrderedMap::new(),
            lanes: OrderedMap::new(),
            open: Open::new(),
        };
        source.push(&mut gathering).expect("what gathers spans has no errors");
        gathering.all
    }

    /// The name of a span.
    pub(super) fn name(&self, span: &LaneSpan) -> &str {
        self.labels.get(&span.label).map_or("", String::as_str)
    }
}

/// Name of a lane without the number of a further lane: `link a` of `link a (2)`.
fn base(name: &str) -> &str {
    let number = name.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    match number {
        Some((base, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            base
        }
        _ => name,
    }
}

/// Spans that have begun, by number of the lane, in order.
type Open = OrderedMap<u32, Vec<(SimTime, &'static str, u64)>>;

struct Gathering<'a> {
    all: LaneSpans,
    is_wanted: &'a dyn Fn(&str) -> bool,
    /// Places of names.
    places: OrderedMap<String, usize>,
    /// Places of the names of the wanted lanes.
    lanes: OrderedMap<u32, usize>,
    open: Open,
}

impl LaneSink for Gathering<'_> {
    fn lane(&mut self, number: u32, name: &str) -> io::Result<()> {
        let (name, next) = (base(name), self.all.names.len());
        if (self.is_wanted)(name) {
            let place = *self.places.entry(name.to_owned()).or_insert(next);
            if place == next {
                self.all.names.push(name.to_owned());
            }
            self.lanes.insert(number, place);
        }
        Ok(())
    }

    fn begin(&mut self, at: SimTime, on: &[Interval], label: Label<'_>) -> io::Result<()> {
        self.all.last = self.all.last.max(at);
        if let Some(name) = label.name {
            self.all.labels.insert(label.number, name.to_owned());
        }
        for (lane, _) in on.iter().flat_map(|part| self.lanes.range(part.first..=part.last)) {
            self.open.entry(*lane).or_default().push((at, label.cause, label.number));
        }
        Ok(())
    }

    fn end(&mut self, at: SimTime, on: &[Interval]) -> io::Result<()> {
        self.all.last = self.all.last.max(at);
        for (number, &lane) in on.iter().flat_map(|part| self.lanes.range(part.first..=part.last)) {
            let Some(open) = self.open.get_mut(number).filter(|open| !open.is_empty()) else { continue };
            let (from, cause, label) = open.remove(0);
            self.all.spans.push(LaneSpan { lane, from, to: at, cause, label });
        }
        Ok(())
    }

    fn mark(&mut self, _: SimTime, _: u32, _: Label<'_>, _: Arrow) -> io::Result<()> {
        Ok(())
    }

    fn count(&mut self, _: SimTime, _: usize, _: u64) -> io::Result<()> {
        Ok(())
    }
}
