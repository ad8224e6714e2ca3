//! The drawn timeline of a page: a sink of lanes, spans and arrows, bounded in size whatever their
//! number.
//!
//! ```text
//! LaneSource ── begin, end, mark ──▶ Gantt ── span ──▶ largest spans (lanes x time) ──▶ page
//!                                      │                └─ all others: shares of cells
//!                                      └─ arrows, every 2^k-th
//! ```
//!
//! Spans that are pushed as such may overlap, and may lie behind the others: reservations behind
//! the jobs in them.

use std::io;

use serde_json::{Value as Json, json};
use smallvec::SmallVec;

use crate::collections::{Interval, OrderedMap};
use crate::kernel::SimTime;
use crate::output::{Arrow, Counter, Label, LaneSink, LaneSource};

use super::bars::{Bar, Bars, area};
use super::names::{Name, Stems};
use super::packed::Packed;
use super::rows::Lanes;
use super::thinned::Thinned;

/// The end of the name of a fact that is a time.
const NANOS: &str = "_ns";
/// Names that are remembered for spans to come.
const MOST_NAMES: usize = 200_000;
/// Facts of different names.
const MOST_FACTS: usize = 16;
/// Words that a fact can be, at most; a span has no such fact where it is another one.
const MOST_WORDS: usize = 256;
/// Arrows that are drawn, at most; of more, every second.
const MOST_ARROWS: usize = 20_000;
/// Arrows in progress that are remembered, at most.
const MOST_OPEN: usize = 200_000;

/// A timeline as a page draws it.
#[derive(Debug, Default)]
pub(crate) struct Gantt {
    lanes: Lanes,
    stems: Stems,
    names: OrderedMap<u64, Name>,
    /// The names of facts.
    facts: Vec<&'static str>,
    /// The words that facts are, in order of first use; the value of such a fact is the place of
    /// its word.
    words: Vec<(&'static str, Vec<String>)>,
    /// Kinds of spans that lie behind others.
    behind: Vec<&'static str>,
    bars: Bars,
    /// Spans that have begun, by their intervals of lanes.
    open: OrderedMap<(u32, u32), Vec<Begun>>,
    arrows: Arrows,
    /// Of each counter the last value, and its changes.
    counts: Vec<(u64, Vec<(u64, i64)>)>,
    last: u64,
}

/// A span that has begun.
#[derive(Clone, PartialEq, Debug)]
struct Begun {
    from: u64,
    name: Name,
    facts: Facts,
}

/// The facts of a span that has begun, as [`Bar`] has them.
type Facts = SmallVec<[u64; 6]>;

/// The facts of a span in the order of their names: 0 for none, else one more.
#[derive(Default)]
pub(super) struct Known {
    values: [u64; MOST_FACTS],
    count: usize,
}

impl Known {
    /// Sets the fact at this place; there is none beyond the last place.
    #[inline]
    pub(super) fn set(&mut self, place: usize, value: u64) {
        if let Some(known) = self.values.get_mut(place) {
            *known = value.saturating_add(1);
            self.count = self.count.max(place + 1);
        }
    }

    fn values(&self) -> &[u64] {
        &self.values[..self.count]
    }
}

/// A span that is over; without facts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over<'a> {
    pub(crate) from: SimTime,
    pub(crate) to: SimTime,
    pub(crate) on: &'a [Interval],
    pub(crate) name: &'a str,
    /// Kind of the span, if it lies behind the others.
    pub behind: Option<&'static str>,
}

/// Drawn timeline of a source.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// Lanes and spans as a document; null if there is no span.
    pub packed: Json,
    /// The counters that have values, with their changes: instants and amounts.
    pub counters: Vec<(Counter, Vec<(u64, i64)>)>,
    /// Instant of the last event.
    pub last: u64,
}

/// The timeline of a source.
pub(crate) fn timeline(source: &dyn LaneSource) -> Timeline {
    let mut gantt = Gantt::default();
    let declared = source.lanes();
    source.push(&mut gantt).expect("a sink in memory takes all");
    let (last, counts) = (gantt.last, std::mem::take(&mut gantt.counts));
    let mut packed = gantt.drawn();
    if !packed.is_null() {
        packed["title"] = json!(declared.title);
    }
    let counted = declared.counters.iter().copied().zip(counts.into_iter().map(|(_, changes)| changes));
    Timeline { packed, counters: counted.filter(|(_, changes)| !changes.is_empty()).collect(), last }
}

impl Gantt {
    /// Adds a lane; before any span.
    pub(crate) fn lane(&mut self, number: u32, name: &str) {
        let name = self.stems.name(name);
        self.lanes.add(number, name, self.stems.holes(name.stem));
    }

    /// Adds so many lanes from 0 on, called by this word and their numbers; before any span. It
    /// costs no more than one lane.
    pub(crate) fn numbered_lanes(&mut self, count: u32, word: &str) {
        self.run_of_lanes(0, count, &format!("{word} 0"));
    }

    /// The same from another lane on, of which the first is called so; behind all lanes so far.
    pub(super) fn run_of_lanes(&mut self, first: u32, count: u32, name: &str) {
        let name = self.stems.name(name);
        self.lanes.add_run(first, count, name, self.stems.holes(name.stem));
    }

    /// Adds a span that is over.
    pub(crate) fn span(&mut self, span: Over<'_>) {
        let [from, to] = [span.from, span.to.max(span.from)].map(SimTime::as_nanos);
        let Some(behind) = span.behind else {
            let is_drawn = self.may_draw(from, to, span.on);
            let name = if is_drawn { self.stems.name(span.name) } else { Name::default() };
            return self.bar(from, to, span.on, name, &Known::default());
        };
        self.last = self.last.max(to);
        self.lanes.settle();
        let (name, kind) = (self.stems.name(span.name), place(&mut self.behind, behind) + 1);
        let bar = Bar { from, to, name, kind: kind as u8, on: span.on, facts: &[] };
        self.bars.add(bar, &self.lanes);
    }

    /// Returns true if a span may be drawn as a bar; if not, neither its name nor its facts are
    /// seen.
    pub(super) fn may_draw(&self, from: u64, to: u64, on: &[Interval]) -> bool {
        self.bars.may_take(area(from, to, on))
    }

    /// A name by its number, for [`Gantt::bar`].
    pub(super) fn named(&mut self, name: &str) -> Name {
        self.stems.name(name)
    }

    /// The same of a number and nothing else.
    pub(super) fn numbered(&mut self, number: u64) -> Name {
        self.stems.of_number(number)
    }

    /// Adds a span that is over.
    pub(super) fn bar(&mut self, from: u64, to: u64, on: &[Interval], name: Name, facts: &Known) {
        self.last = self.last.max(from).max(to);
        self.lanes.settle();
        self.bars.add(Bar { from, to, name, kind: 0, on, facts: facts.values() }, &self.lanes);
    }

    /// The place of a fact among those of a bar. Facts stand in the order in which this is called.
    pub(super) fn fact(&mut self, name: &'static str) -> usize {
        place(&mut self.facts, name)
    }

    /// The value of a fact that is a word.
    pub(super) fn word(&mut self, fact: &'static str, word: &str) -> Option<u64> {
        let known = self.words.iter().position(|(known, _)| std::ptr::eq(*known, fact) || *known == fact);
        let known = known.unwrap_or_else(|| {
            self.words.push((fact, Vec::new()));
            self.words.len() - 1
        });
        let words = &mut self.words[known].1;
        let place = words.iter().position(|known| known == word).or_else(|| {
            let is_new = !word.is_empty() && words.len() < MOST_WORDS;
            is_new.then(|| {
                words.push(word.to_owned());
                words.len() - 1
            })
        });
        Some(place? as u64)
    }

    fn facts(&mut self, facts: &[(&'static str, u64)]) -> Known {
        let mut known = Known::default();
        for (name, value) in facts {
            known.set(self.fact(name), *value);
        }
        known
    }

    /// The name of a label, remembered where it is said and found where it is not.
    fn name(&mut self, label: &Label<'_>) -> Name {
        let Some(text) = label.name else {
            return self.names.get(&label.number).copied().unwrap_or_default();
        };
        let name = self.stems.name(text);
        if self.names.len() >= MOST_NAMES {
            // the oldest go: what is named once is not asked for again
            self.names.pop_first();
        }
        self.names.insert(label.number, name);
        name
    }

    /// As a document; null if there is no span.
    pub(crate) fn drawn(mut self) -> Json {
        self.lanes.settle();
        for ((first, last), begun) in std::mem::take(&mut self.open) {
            for Begun { from, name, facts } in begun {
                let (on, to) = (&[Interval::new(first, last)], self.last);
                self.bars.add(Bar { from, to, name, kind: 0, on, facts: &facts }, &self.lanes);
            }
        }
        if self.bars.is_empty() {
            return Json::Null;
        }
        self.facts.truncate(MOST_FACTS);
        let is_time: Vec<bool> = self.facts.iter().map(|name| name.ends_with(NANOS)).collect();
        let mut drawn = self.bars.drawn(&self.stems, &self.lanes, &is_time);
        let facts = self.facts.iter().zip(is_time).map(|(name, is_time)| {
            let words = self.words.iter().find(|(fact, _)| fact == name).map(|(_, words)| words);
            json!({ "name": name.trim_end_matches(NANOS).replace('_', " "), "time": is_time, "words": words })
        });
        drawn["facts"] = facts.collect();
        drawn["behind"] = json!(self.behind);
        drawn["lanes"] = self.lanes.to_json(&self.stems);
        drawn["arrows"] = self.arrows.to_json(&self.lanes);
        drawn
    }
}

/// The place of a name in a list, to which it is added if need be.
fn place(names: &mut Vec<&'static str>, name: &'static str) -> usize {
    // most are the same text in memory
    names.iter().position(|known| std::ptr::eq(*known, name) || *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

impl LaneSink for Gantt {
    fn lane(&mut self, number: u32, name: &str) -> io::Result<()> {
        Gantt::lane(self, number, name);
        Ok(())
    }

    fn begin(&mut self, at: SimTime, on: &[Interval], label: Label<'_>) -> io::Result<()> {
        let (name, facts) = (self.name(&label), Facts::from_slice(self.facts(label.facts).values()));
        self.last = self.last.max(at.as_nanos());
        for part in on {
            let begun = self.open.entry((part.first, part.last)).or_default();
            begun.push(Begun { from: at.as_nanos(), name, facts: facts.clone() });
        }
        Ok(())
    }

    fn end(&mut self, at: SimTime, on: &[Interval]) -> io::Result<()> {
        self.last = self.last.max(at.as_nanos());
        let mut over: Option<Begun> = None;
        let mut parts: Vec<Interval> = Vec::new();
        for part in on {
            // in a timeline without overlap there is one; else the first that began ends first
            let Some(begun) = self.open.get_mut(&(part.first, part.last)) else { continue };
            let one = begun.remove(0);
            if begun.is_empty() {
                self.open.remove(&(part.first, part.last));
            }
            if over.as_ref().is_some_and(|known| *known != one) {
                self.close(over.take(), at, &std::mem::take(&mut parts));
            }
            parts.push(*part);
            over = Some(one);
        }
        self.close(over, at, &parts);
        Ok(())
    }

    fn mark(&mut self, at: SimTime, on: u32, _: Label<'_>, arrow: Arrow) -> io::Result<()> {
        self.last = self.last.max(at.as_nanos());
        self.arrows.add(at.as_nanos(), on, arrow);
        Ok(())
    }

    fn count(&mut self, at: SimTime, counter: usize, value: u64) -> io::Result<()> {
        self.last = self.last.max(at.as_nanos());
        if self.counts.len() <= counter {
            self.counts.resize(counter + 1, (0, Vec::new()));
        }
        let (last, changes) = &mut self.counts[counter];
        if *last != value {
            changes.push((at.as_nanos(), value.cast_signed().saturating_sub(last.cast_signed())));
            *last = value;
        }
        Ok(())
    }
}

impl Gantt {
    /// A span that had begun ends on these lanes.
    fn close(&mut self, span: Option<Begun>, at: SimTime, on: &[Interval]) {
        let Some(Begun { from, name, facts }) = span else { return };
        self.lanes.settle();
        let bar = Bar { from, to: at.as_nanos(), name, kind: 0, on, facts: &facts };
        self.bars.add(bar, &self.lanes);
    }
}

/// Arrows: every 2^k-th, so that there are never too many.
#[derive(Debug, Default)]
struct Arrows {
    open: OrderedMap<u64, (u64, u32)>,
    /// From when and where to when and where.
    drawn: Thinned<(u64, u32, u64, u32)>,
}

impl Arrows {
    fn add(&mut self, at: u64, on: u32, arrow: Arrow) {
        match arrow {
            Arrow::Begins(number) if self.open.len() < MOST_OPEN => _ = self.open.insert(number, (at, on)),
            Arrow::Begins(_) => {}
            Arrow::Ends(number) => {
                let Some((since, from)) = self.open.remove(&number) else { return };
                self.drawn.push((since, from, at, on), MOST_ARROWS);
            }
        }
    }

    /// As a document; null if there are none.
    fn to_json(&self, lanes: &Lanes) -> Json {
        let mut drawn: Vec<_> =
            self.drawn.kept.iter().map(|&(at, from, to, on)| (at, to, from, on)).collect();
        drawn.sort_unstable();
        let rows =
            drawn.iter().filter_map(|&(at, to, from, on)| Some((at, to, lanes.row(from)?, lanes.row(on)?)));
        let rows: Vec<(u64, u64, u64, u64)> = rows.collect();
        if rows.is_empty() {
            return Json::Null;
        }
        let mut packed = Packed::default();
        packed.differences(rows.iter().map(|row| row.0));
        rows.iter().for_each(|row| packed.unsigned(row.1.saturating_sub(row.0)));
        packed.differences(rows.iter().map(|row| row.2));
        packed.differences(rows.iter().map(|row| row.3));
        json!({ "drawn": rows.len(), "of": self.drawn.count, "packed": packed.text() })
    }
}

#[cfg(test)]
mod tests {
    use crate::output::Lanes as Declared;

    use super::*;

    /// So many spans on so many lanes, each with a name of its own, and an arrow from each to the
    /// next lane.
    struct Made {
        spans: u64,
        lanes: u32,
    }

    impl LaneSource for Made {
        fn lanes(&self) -> Declared {
            Declared { title: "agents", number: 1, counters: &[], causes: &[] }
        }

        fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
            (0..self.lanes).try_for_each(|lane| sink.lane(lane, &format!("worker {lane}")))?;
            for number in 0..self.spans {
                let mix = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                let at = |nanos| SimTime::from_nanos(number * 100_000_007 + nanos);
                let lane = number as u32 % self.lanes;
                let on = [Interval::new(lane, lane)];
                let name = format!("execute task-{}", mix % 50_000);
                let facts = [("rank", mix % 64), ("wait_ns", mix * 1_000_003)];
                let label = Label { number: number + 1, name: Some(&name), facts: &facts, cause: "" };
                sink.begin(at(0), &on, label)?;
                sink.mark(at(0), lane, label, Arrow::Begins(number))?;
                sink.end(at(mix % 90_000_000 + 1), &on)?;
                sink.mark(at(95_000_000), (lane + 1) % self.lanes, label, Arrow::Ends(number))?;
            }
            Ok(())
        }
    }

    #[test]
    fn a_page_stays_small_from_one_span_to_a_million() {
        for (spans, most) in [(1, 1_000), (1_000, 60_000), (100_000, 4_400_000), (1_000_000, 4_600_000)] {
            let drawn = timeline(&Made { spans, lanes: 40 }).packed;
            let bytes = drawn.to_string().len();
            assert!(bytes < most, "{spans} spans: {bytes} bytes");
            assert_eq!(drawn["of"], spans);
            assert_eq!(drawn["rest"].is_null(), drawn["spans"] == spans, "{spans}");
            let arrows = drawn["arrows"]["drawn"].as_u64().expect("arrows");
            assert!(arrows <= MOST_ARROWS as u64 && arrows >= spans.min(MOST_ARROWS as u64 / 2));
        }
    }

    #[test]
    fn the_same_timeline_gives_the_same_bytes_and_another_does_not() {
        let text = |spans| timeline(&Made { spans, lanes: 7 }).packed.to_string();
        assert_eq!(text(500), text(500));
        assert_ne!(text(500), text(501));
    }

    #[test]
    fn a_fact_has_a_bounded_number_of_words() {
        let mut gantt = Gantt::default();
        assert_eq!(
            ["head", "fits", "head", ""].map(|word| gantt.word("reason", word)),
            [Some(0), Some(1), Some(0), None]
        );
        let more = (2..300).map(|number| gantt.word("reason", &number.to_string()));
        assert_eq!(more.flatten().count(), MOST_WORDS - 2);
        assert_eq!((gantt.word("reason", "fits"), gantt.word("kind", "fits")), (Some(1), Some(0)));
    }

    #[test]
    fn a_span_ends_with_its_lanes_and_what_is_open_with_the_timeline() {
        let mut gantt = Gantt::default();
        let at = SimTime::from_nanos;
        let on = [Interval::new(1, 2), Interval::new(5, 5)];
        (0..6).for_each(|lane| Gantt::lane(&mut gantt, lane, &format!("p{lane}")));
        let label = |number, name| Label { number, name, facts: &[], cause: "" };
        gantt.begin(at(5), &on, label(1, Some("a"))).expect("taken");
        gantt.begin(at(6), &[Interval::new(0, 0)], label(2, Some("b"))).expect("taken");
        gantt.end(at(9), &on[..1]).expect("taken");
        gantt.end(at(11), &on[1..]).expect("taken");
        let drawn = gantt.drawn();
        assert_eq!(
            (&drawn["spans"], &drawn["intervals"], &drawn["to"]),
            (&json!(3), &json!(3), &json!(11e-9))
        );
        assert_eq!(Gantt::default().drawn(), Json::Null);
    }
}
