//! Spans that may overlap, as a timeline, and arrows between them.
//!
//! Spans of a lane that overlap go on further lanes of it, each on the first that is free. Spans of no length are left out, and
//! so are their arrows.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::io;

use crate::collections::Interval;
use crate::kernel::SimTime;

use super::lanes::{Arrow, Label, LaneSink};

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

/// An arrow from the end of one span to the beginning of another, by their places among the spans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpanArrow {
    /// The span at whose end it begins.
    pub from: usize,
    /// The span at whose beginning it ends.
    pub to: usize,
}

/// What the ends of arrows are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrowNames {
    /// Where they begin.
    pub begin: &'static str,
    /// Where they end.
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

/// The part of a lane on which a span lies that takes no time.
const NOT_DRAWN: u32 = u32::MAX;

/// What happens at an instant, in the order in which that is pushed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    ArrowBegins,
    Ends,
    Begins,
    ArrowEnds,
}

fn push(
    lanes: &[String],
    spans: &[NamedSpan<'_>],
    arrows: &[SpanArrow],
    marks: [&str; 2],
    sink: &mut dyn LaneSink,
) -> io::Result<()> {
    let mut order: Vec<u32> = (0..spans.len() as u32).collect();
    order.retain(|&one| spans[one as usize].end > spans[one as usize].start);
    order.sort_by_key(|&one| (spans[one as usize].start, spans[one as usize].lane));
    let mut lane_parts = vec![Parts::default(); lanes.len()];
    // the part of its lane that each span is on
    let mut part_of = vec![NOT_DRAWN; spans.len()];
    let mut events = Vec::with_capacity(2 * (order.len() + arrows.len()));
    for (number, place) in (0_u32..).zip(&order) {
        let span = &spans[*place as usize];
        let Some(parts) = lane_parts.get_mut(span.lane as usize) else { continue };
        part_of[*place as usize] = parts.take(span.start, span.end) as u32;
        events.push((span.start, Step::Begins, number));
        events.push((span.end, Step::Ends, number));
    }
    let is_drawn = |place: usize| part_of.get(place).is_some_and(|part| *part != NOT_DRAWN);
    for (number, arrow) in (0_u32..).zip(arrows) {
        if is_drawn(arrow.from) && is_drawn(arrow.to) {
            events.push((spans[arrow.from].end, Step::ArrowBegins, number));
            events.push((spans[arrow.to].start, Step::ArrowEnds, number));
        }
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
    let lane = |place: usize| first_part[spans[place].lane as usize] + part_of[place];
    let first_name = if arrows.is_empty() { 1 } else { marks.len() as u64 + 1 };
    let (mut names, mut is_named) = (BTreeMap::<&str, u64>::new(), [false; 2]);
    for (at, what, number) in events {
        let (mark, place, arrow) = match what {
            Step::Ends | Step::Begins => {
                let place = order[number as usize] as usize;
                let on = [Interval::new(lane(place), lane(place))];
                if what == Step::Ends {
                    sink.end(at, &on)?;
                    continue;
                }
                let fresh = names.len() as u64 + first_name;
                let number = *names.entry(spans[place].name).or_insert(fresh);
                let name = (number == fresh).then_some(spans[place].name);
                sink.begin(at, &on, Label { number, name, facts: &[] })?;
                continue;
            }
            Step::ArrowBegins => (0, arrows[number as usize].from, Arrow::Begins(u64::from(number))),
            Step::ArrowEnds => (1, arrows[number as usize].to, Arrow::Ends(u64::from(number))),
        };
        let name = (!std::mem::replace(&mut is_named[mark], true)).then_some(marks[mark]);
        sink.mark(at, lane(place), Label { number: mark as u64 + 1, name, facts: &[] }, arrow)?;
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

    /// What is pushed, in words.
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
