//! Spans that may overlap, as a timeline, and arrows between them.
//!
//! Spans of a lane that overlap go on further lanes of it, each on the first that is free. Spans of
//! no length are left out, and so are their arrows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use crate::collections::{Interval, OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::SimTime;

use super::lanes::{Arrow, Label, LaneSink};

/// Span of a lane, with its name and cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NamedSpan<'a> {
    /// The lane, a place among their names.
    pub lane: u32,
    /// Name.
    pub name: &'a str,
    /// The word of its cause, one of [`Lanes::causes`](super::Lanes).
    pub cause: &'static str,
    /// Start.
    pub start: SimTime,
    /// End.
    pub end: SimTime,
}

/// An arrow from the end of one span to the beginning of another, by their places among the spans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpanArrow {
    /// The span at whose end it begins.
    pub from: usize,
    /// The span at whose beginning it ends.
    pub to: usize,
}

/// Names of the ends of arrows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrowNames {
    /// Name of their beginnings.
    pub begin: &'static str,
    /// Name of their ends.
    pub end: &'static str,
}

/// Pushes lanes of these names with these spans, in any order.
///
/// # Errors
/// What the sink says.
pub fn push_spans(lanes: &[String], spans: &[NamedSpan<'_>], sink: &mut dyn LaneSink) -> io::Result<()> {
    push(lanes, spans, &[], [""; 2], sink)
}

/// The same with arrows between spans, whose ends are marks of these names.
///
/// # Errors
/// What the sink says.
pub fn push_spans_and_arrows(
    lanes: &[String],
    spans: &[NamedSpan<'_>],
    arrows: &[SpanArrow],
    ends: ArrowNames,
    sink: &mut dyn LaneSink,
) -> io::Result<()> {
    push(lanes, spans, arrows, [ends.begin, ends.end], sink)
}

/// The lane of a span that takes no time.
const NOT_DRAWN: u32 = u32::MAX;

/// Spans on their lanes: those of a lane that overlap on further lanes of it.
pub(crate) struct Layout {
    /// Of each span: the number of its lane, counted with the further ones.
    lane_of: Vec<u32>,
    /// Spans in order of start, then lane.
    pub(crate) begins: Vec<u32>,
    /// Spans in order of end.
    pub(crate) ends: Vec<u32>,
    /// Of each lane: on how many its spans are.
    parts: Vec<u32>,
}

impl Layout {
    /// Layout of `spans` spans on `lanes` lanes; `span` gives of each by its place the lane, the
    /// start and the end.
    pub(crate) fn of(lanes: usize, spans: usize, span: impl Fn(u32) -> (u32, SimTime, SimTime)) -> Self {
        let mut begins: Vec<u32> = (0..spans as u32).collect();
        begins.retain(|&place| {
            let (lane, start, end) = span(place);
            end > start && (lane as usize) < lanes
        });
        begins.stable_sort_by_key(|&place| (span(place).1, span(place).0));
        let mut lane_parts = vec![Parts::default(); lanes];
        let mut lane_of = vec![NOT_DRAWN; spans];
        for &place in &begins {
            let (lane, start, end) = span(place);
            lane_of[place as usize] = lane_parts[lane as usize].take(start, end) as u32;
        }
        // of equal ends that of the span that began first
        let mut ends = begins.clone();
        ends.stable_sort_by_key(|&place| span(place).2);
        let parts: Vec<u32> = lane_parts.into_iter().map(|parts| parts.count as u32).collect();
        let mut next = 0;
        let before = |count: &u32| {
            next += count;
            next - count
        };
        let first: Vec<u32> = parts.iter().map(before).collect();
        for &place in &begins {
            lane_of[place as usize] += first[span(place).0 as usize];
        }
        Layout { lane_of, begins, ends, parts }
    }

    /// The number of the lane that a span is on; `None` if it is not drawn.
    pub(crate) fn lane_of(&self, place: usize) -> Option<u32> {
        self.lane_of.get(place).copied().filter(|lane| *lane != NOT_DRAWN)
    }

    /// All lanes by number, those of these names and the further ones.
    pub(crate) fn lanes<'a>(&'a self, names: &'a [String]) -> impl Iterator<Item = (u32, String)> + 'a {
        let further = |part: u32| if part == 0 { String::new() } else { format!(" ({})", part + 1) };
        let all = names.iter().zip(&self.parts);
        (0..).zip(
            all.flat_map(move |(name, parts)| {
                (0..*parts).map(move |part| format!("{name}{}", further(part)))
            }),
        )
    }
}

/// Merges lists in order of time, each item with the number of its list; each list is in that
/// order. Of equal times the first list is first.
fn merged<const N: usize>(
    lists: [&[u32]; N],
    at: impl Fn(usize, u32) -> SimTime,
) -> impl Iterator<Item = (usize, u32)> {
    let mut next = [0; N];
    std::iter::from_fn(move || {
        let heads = (0..N).filter_map(|list| Some((list, *lists[list].get(next[list])?)));
        let (list, item) = heads.min_by_key(|&(list, item)| at(list, item))?;
        next[list] += 1;
        Some((list, item))
    })
}

fn push(
    lanes: &[String],
    spans: &[NamedSpan<'_>],
    arrows: &[SpanArrow],
    marks: [&str; 2],
    sink: &mut dyn LaneSink,
) -> io::Result<()> {
    const ARROWS_BEGIN: usize = 0;
    const ENDS: usize = 1;
    const BEGINS: usize = 2;
    let of = |place: u32| &spans[place as usize];
    let layout =
        Layout::of(lanes.len(), spans.len(), |place| (of(place).lane, of(place).start, of(place).end));
    let ends_of = |number: u32| (arrows[number as usize].from, arrows[number as usize].to);
    let mut begin: Vec<u32> = (0..arrows.len() as u32).collect();
    begin.retain(|&arrow| {
        let (from, to) = ends_of(arrow);
        layout.lane_of(from).is_some() && layout.lane_of(to).is_some()
    });
    let mut end = begin.clone();
    begin.stable_sort_by_key(|&arrow| spans[ends_of(arrow).0].end);
    end.stable_sort_by_key(|&arrow| spans[ends_of(arrow).1].start);
    for (number, name) in layout.lanes(lanes) {
        sink.lane(number, &name)?;
    }
    let at = |list, item| match list {
        ARROWS_BEGIN => spans[ends_of(item).0].end,
        ENDS => of(item).end,
        BEGINS => of(item).start,
        _ => spans[ends_of(item).1].start,
    };
    let lane = |place: usize| layout.lane_of(place).expect("what is not drawn is in no list");
    let first_name = if arrows.is_empty() { 1 } else { marks.len() as u64 + 1 };
    let (mut names, mut is_named) = (OrderedMap::<&str, u64>::new(), [false; 2]);
    for (list, item) in merged([&begin, &layout.ends, &layout.begins, &end], at) {
        let time = at(list, item);
        let (mark, place, arrow) = match list {
            ENDS | BEGINS => {
                let on = [Interval::new(lane(item as usize), lane(item as usize))];
                if list == ENDS {
                    sink.end(time, &on)?;
                    continue;
                }
                let fresh = names.len() as u64 + first_name;
                let number = *names.entry(of(item).name).or_insert(fresh);
                let name = (number == fresh).then_some(of(item).name);
                sink.begin(time, &on, Label { number, name, facts: &[], cause: of(item).cause })?;
                continue;
            }
            ARROWS_BEGIN => (0, ends_of(item).0, Arrow::Begins(u64::from(item))),
            _ => (1, ends_of(item).1, Arrow::Ends(u64::from(item))),
        };
        let name = (!std::mem::replace(&mut is_named[mark], true)).then_some(marks[mark]);
        sink.mark(time, lane(place), Label { number: mark as u64 + 1, name, facts: &[], cause: "" }, arrow)?;
    }
    Ok(())
}

/// The parts of a lane, each for spans that do not overlap.
#[derive(Clone, Default)]
struct Parts {
    busy: BinaryHeap<Reverse<(SimTime, usize)>>,
    free: OrderedSet<usize>,
    count: usize,
}

impl Parts {
    /// The first part that is free from `start` on, which is not before that of the span before; a
    /// further one if none is.
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
            Lanes { title: "agents", number: 1, counters: &[], causes: &[] }
        }

        fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
            push_spans(&["a".to_owned(), "b".to_owned()], self.0, sink)
        }
    }

    fn lane(lane: u32, name: &str, start: u64, end: u64) -> NamedSpan<'_> {
        NamedSpan { lane, name, cause: "", start: SimTime::from_nanos(start), end: SimTime::from_nanos(end) }
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

    /// Pushed items, in words.
    #[derive(Default)]
    struct Words(Vec<String>);

    impl LaneSink for Words {
        fn lane(&mut self, number: u32, name: &str) -> io::Result<()> {
            self.0.push(format!("{number} is {name}"));
            Ok(())
        }

        fn begin(&mut self, at: SimTime, on: &[Interval], label: Label<'_>) -> io::Result<()> {
            let name = label.name.unwrap_or("the same");
            self.0.push(format!("{} on {} begins {}: {name}", at.as_nanos(), on[0].first, label.number));
            Ok(())
        }

        fn end(&mut self, at: SimTime, on: &[Interval]) -> io::Result<()> {
            self.0.push(format!("{} on {} ends", at.as_nanos(), on[0].first));
            Ok(())
        }

        fn mark(&mut self, at: SimTime, on: u32, label: Label<'_>, arrow: Arrow) -> io::Result<()> {
            let name = label.name.unwrap_or("the same");
            self.0.push(format!("{} on {on} {arrow:?} {}: {name}", at.as_nanos(), label.number));
            Ok(())
        }

        fn count(&mut self, _: SimTime, _: usize, _: u64) -> io::Result<()> {
            unreachable!("spans have no counters")
        }
    }

    #[test]
    fn arrows_lead_from_the_ends_of_spans_to_the_beginnings_of_others() {
        let spans = [
            lane(0, "a", 0, 5),
            lane(0, "b", 5, 9),
            lane(1, "c", 5, 6),
            lane(0, "d", 5, 6),
            lane(1, "e", 7, 7),
        ];
        let arrows = [(0, 1), (0, 3), (2, 4), (4, 2), (0, 9)].map(|(from, to)| SpanArrow { from, to });
        let mut words = Words::default();
        let names = ["p".to_owned(), "q".to_owned()];
        let ends = ArrowNames { begin: "from", end: "to" };
        push_spans_and_arrows(&names, &spans, &arrows, ends, &mut words).expect("taken");
        // what is of no length, or not there, has no arrow
        assert_eq!(
            words.0,
            [
                "0 is p",
                "1 is p (2)",
                "2 is q",
                "0 on 0 begins 3: a",
                "5 on 0 Begins(0) 1: from",
                "5 on 0 Begins(1) 1: the same",
                "5 on 0 ends",
                "5 on 0 begins 4: b",
                "5 on 1 begins 5: d",
                "5 on 2 begins 6: c",
                "5 on 0 Ends(0) 2: to",
                "5 on 1 Ends(1) 2: the same",
                "6 on 1 ends",
                "6 on 2 ends",
                "9 on 0 ends",
            ]
        );
    }
}
