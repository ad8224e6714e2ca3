//! The spans of a timeline that are drawn one by one, in few bytes; the others are shares of cells.
//!
//! Drawn are those that hold the most lanes x time, among equals the first. A column after another:
//! names (the number of the stem, then its numbers), starts (to the one before), lengths, what lies
//! behind (where anything does), the name of each span, facts (0 none, else one more), then the
//! intervals of each: how many, and of each the gap to the one before and the rows beyond the
//! first. Times are in a unit that is finer than any screen.

use std::cmp::Reverse;

use serde_json::{Value as Json, json};

use crate::collections::{Interval, sort_by_numbers};

use super::names::{Name, Stems};
use super::packed::Packed;
use super::rows::Lanes;
use super::shade::Shade;

/// Spans at most.
const MOST_BARS: usize = 120_000;
/// Intervals at most, over all spans: each takes two bytes or more.
const MOST_INTERVALS: usize = 500_000;
/// Bytes of all columns at most; as text they are a third more.
const MOST_BYTES: usize = 2_900_000;

/// Bytes that a span takes, about.
const BYTES_OF_BAR: usize = 28;

const NANOS_PER_SEC: u64 = 1_000_000_000;
/// Units that a timeline is at most long, but for the finest.
const FINEST: u64 = 100_000_000;

/// A span.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bar<'a> {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) name: Name,
    /// 0, or what lies behind the others.
    pub(super) kind: u8,
    pub(super) on: &'a [Interval],
    /// Facts in the order of their names: 0 for none, else one more.
    pub(super) facts: &'a [u64],
}

/// A span that may be drawn.
#[derive(Clone, Copy, Debug)]
struct Kept {
    from: u64,
    to: u64,
    name: Name,
    order: u64,
    on: Part,
    facts: Part,
    kind: u8,
}

/// Short lists, one behind the other.
#[derive(Debug)]
struct Lists<T>(Vec<T>);

/// One of them.
#[derive(Clone, Copy, Debug)]
struct Part {
    first: u32,
    count: u32,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists(Vec::new())
    }
}

impl<T: Copy> Lists<T> {
    fn add(&mut self, list: &[T]) -> Part {
        let first = self.0.len() as u32;
        self.0.extend_from_slice(list);
        Part { first, count: list.len() as u32 }
    }

    fn of(&self, part: Part) -> &[T] {
        &self.0[part.first as usize..][..part.count as usize]
    }

    /// Leaves out all lists but these.
    fn keep_only<'a>(&mut self, parts: impl Iterator<Item = &'a mut Part>) {
        let all = std::mem::take(self);
        parts.for_each(|part| *part = self.add(all.of(*part)));
    }
}

/// Lanes x time.
#[inline]
pub(super) fn area(from: u64, to: u64, on: &[Interval]) -> u128 {
    let lanes: u64 = on.iter().map(|part| part.count()).sum();
    u128::from(to.saturating_sub(from)) * u128::from(lanes)
}

/// A number in units that are one, a second [ns] or a part of it.
#[inline]
fn in_units(number: u64, unit: u64) -> u64 {
    // division by what the compiler knows is several times faster
    match unit {
        1 => number,
        NANOS_PER_SEC => number / NANOS_PER_SEC,
        unit => number / unit,
    }
}

/// Spans: the largest, and the shares of the others.
#[derive(Debug, Default)]
pub(super) struct Bars {
    kept: Vec<Kept>,
    on: Lists<Interval>,
    facts: Lists<u64>,
    count: u64,
    first: u64,
    last: u64,
    rest: Shade,
    /// Spans of this area are not drawn, nor smaller ones, once some were left out.
    floor: Option<u128>,
}

impl Bars {
    /// Returns true if a span of this area may still be drawn; if not, it need only be
    /// [`Bars::shade`]d.
    #[inline]
    pub(super) fn may_take(&self, area: u128) -> bool {
        self.floor.is_none_or(|floor| area > floor)
    }

    /// Adds a span.
    pub(super) fn add(&mut self, bar: Bar<'_>, lanes: &Lanes) {
        let Bar { from, to, name, kind, on, facts } = bar;
        if kind == 0 && !self.may_take(area(from, to, on)) {
            return self.shade(from, to.max(from), on, lanes);
        }
        let (order, to) = (self.count, to.max(from));
        self.counted(from, to);
        let (on, facts) = (self.on.add(on), self.facts.add(facts));
        self.kept.push(Kept { from, to, name, order, on, facts, kind });
        if self.kept.len() >= 2 * MOST_BARS || self.on.0.len() >= 2 * MOST_INTERVALS {
            self.keep(MOST_BARS, lanes);
            self.on.keep_only(self.kept.iter_mut().map(|bar| &mut bar.on));
            self.facts.keep_only(self.kept.iter_mut().map(|bar| &mut bar.facts));
        }
    }

    /// Adds a span that is not drawn as one.
    pub(super) fn shade(&mut self, from: u64, to: u64, on: &[Interval], lanes: &Lanes) {
        self.counted(from, to);
        self.rest.add_all(from, to, on, lanes);
    }

    fn counted(&mut self, from: u64, to: u64) {
        self.first = if self.count == 0 { from } else { self.first.min(from) };
        self.last = self.last.max(to);
        self.count += 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Keeps the largest, so many at most, in the order that they have; the others become shares of
    /// cells.
    fn keep(&mut self, most: usize, lanes: &Lanes) {
        let intervals = |bars: &[Kept]| bars.iter().map(|bar| bar.on.count as usize).sum::<usize>();
        if self.kept.len() <= most && intervals(&self.kept) <= MOST_INTERVALS {
            return;
        }
        let on = &self.on;
        let rank =
            |(place, bar): (usize, &Kept)| (Reverse(area(bar.from, bar.to, on.of(bar.on))), bar.order, place);
        let mut ranks: Vec<_> = self.kept.iter().enumerate().map(rank).collect();
        if most < ranks.len() {
            ranks.select_nth_unstable(most);
        }
        let many = |&(.., place): &(_, _, usize)| self.kept[place].on.count as usize;
        if ranks.iter().take(most).map(many).sum::<usize>() > MOST_INTERVALS {
            ranks.sort_unstable();
        }
        let (mut count, mut intervals) = (0, 0);
        let mut fits = vec![false; ranks.len()];
        for rank in &ranks {
            // one with too many intervals is left out alone
            if count < most && intervals + many(rank) <= MOST_INTERVALS {
                count += 1;
                intervals += many(rank);
                fits[rank.2] = true;
            }
        }
        self.floor = ranks.iter().filter(|rank| fits[rank.2]).map(|rank| rank.0.0).min();
        let mut fits = fits.into_iter();
        self.kept.retain(|bar| {
            let fits = fits.next() == Some(true);
            if !fits && bar.kind == 0 {
                self.rest.add_all(bar.from, bar.to, on.of(bar.on), lanes);
            }
            fits
        });
    }

    /// As a document; of each fact, whether it is a time.
    pub(super) fn drawn(&mut self, stems: &Stems, lanes: &Lanes, facts: &[bool]) -> Json {
        self.keep(MOST_BARS, lanes);
        let unit = self.unit();
        sort_by_numbers(&mut self.kept, |bar| (bar.from, bar.order));
        let (packed, used, names, intervals) = loop {
            let columns = self.columns(unit, stems, lanes, facts);
            let length = columns.0.len();
            if length <= MOST_BYTES {
                break columns;
            }
            let fewer = (self.kept.len() as u64 * MOST_BYTES as u64 / length as u64) as usize;
            self.keep(fewer - fewer / 50, lanes);
        };
        json!({
            "spans": self.kept.len(),
            "of": self.count,
            "from": self.first as f64 / NANOS_PER_SEC as f64,
            "to": self.last as f64 / NANOS_PER_SEC as f64,
            "unit": unit as f64 / NANOS_PER_SEC as f64,
            "stems": used.iter().map(|&stem| stems.text(stem)).collect::<Vec<_>>(),
            "names": names,
            "intervals": intervals,
            "rows": lanes.count(),
            "packed": packed.text(),
            "rest": self.rest.to_json(lanes.count()),
        })
    }

    /// The coarsest unit that is as exact as the picture needs [ns]: a power of ten up to a second.
    fn unit(&self) -> u64 {
        let mut unit = NANOS_PER_SEC;
        let whole = |unit: u64| {
            self.kept.iter().all(|bar| bar.from.is_multiple_of(unit) && bar.to.is_multiple_of(unit))
        };
        while unit > 1 && (self.last - self.first) / unit < FINEST && !whole(unit) {
            unit /= 10;
        }
        unit
    }

    /// All columns, the stems that names have, how many names there are, and how many intervals.
    fn columns(
        &self,
        unit: u64,
        stems: &Stems,
        lanes: &Lanes,
        facts: &[bool],
    ) -> (Packed, Vec<u32>, usize, usize) {
        let mut packed = Packed::with_capacity(self.kept.len() * BYTES_OF_BAR);
        let (first, of_bars) = self.names();
        let names = || first.iter().map(|bar| self.kept[*bar as usize].name);
        let mut used: Vec<u32> = names().map(|name| name.stem).collect();
        used.sort_unstable();
        used.dedup();
        let holes: Vec<usize> = used.iter().map(|stem| stems.holes(*stem)).collect();
        let place = |name: &Name| used.binary_search(&name.stem).unwrap_or_default();
        packed.differences(names().map(|name| place(&name) as u64));
        for number in 0..2 {
            let having = names().filter(|name| holes[place(name)] > number);
            packed.differences(having.map(|name| name.numbers[number]));
        }
        let at = |nanos: u64| in_units(nanos, unit);
        packed.differences(self.kept.iter().map(|bar| at(bar.from)));
        self.kept.iter().for_each(|bar| packed.unsigned(at(bar.to) - at(bar.from)));
        packed.differences(of_bars.into_iter().map(u64::from));
        self.kept.iter().for_each(|bar| packed.unsigned(u64::from(bar.kind)));
        for (fact, is_time) in facts.iter().enumerate() {
            let unit = if *is_time { unit } else { 1 };
            for bar in &self.kept {
                let value = self.facts.of(bar.facts).get(fact).and_then(|value| value.checked_sub(1));
                packed.unsigned(value.map_or(0, |value| in_units(value, unit) + 1));
            }
        }
        let (mut intervals, mut rows) = (0, Vec::new());
        for bar in &self.kept {
            rows.clear();
            rows.extend(self.on.of(bar.on).iter().filter_map(|part| lanes.rows(*part)));
            rows.sort_unstable();
            rows.dedup_by(|next, one| {
                let joins = next.0 <= one.1 + 1;
                one.1 = if joins { one.1.max(next.1) } else { one.1 };
                joins
            });
            intervals += rows.len();
            packed.unsigned(rows.len() as u64);
            let mut free = 0;
            for &(first, last) in &rows {
                packed.unsigned(first - free);
                packed.unsigned(last - first);
                free = last + 1;
            }
        }
        (packed, used, first.len(), intervals)
    }

    /// The spans that are the first of their name, whose names are the list of these, and the place
    /// of that of each span.
    fn names(&self) -> (Vec<u32>, Vec<u32>) {
        let name = |bar: u32| self.kept[bar as usize].name;
        let mut order: Vec<u32> = (0..self.kept.len() as u32).collect();
        sort_by_numbers(&mut order, |bar| (name(*bar).numbers[0], u64::from(*bar)));
        let mut first: Vec<u32> = (0..self.kept.len() as u32).collect();
        for likely in order.chunk_by_mut(|one, other| name(*one).numbers[0] == name(*other).numbers[0]) {
            if likely.len() == 1 {
                continue;
            }
            likely.sort_by_key(|bar| name(*bar));
            for same in likely.chunk_by(|one, other| name(*one) == name(*other)) {
                same.iter().for_each(|bar| first[*bar as usize] = same[0]);
            }
        }
        let (mut names, mut places) = (Vec::new(), first);
        for bar in 0..places.len() {
            let first = places[bar] as usize;
            if first == bar {
                places[bar] = names.len() as u32;
                names.push(bar as u32);
            } else {
                places[bar] = places[first];
            }
        }
        (names, places)
    }
}

#[cfg(test)]
mod tests {
    use crate::report::html::packed::Reader;

    use super::*;

    const MILLI: u64 = 1_000_000;

    fn lanes(count: u32, stems: &mut Stems) -> Lanes {
        let mut lanes = Lanes::default();
        for lane in 0..count {
            let name = stems.name(&format!("processor {lane}"));
            lanes.add(lane, name, 1);
        }
        lanes
    }

    fn bars(count: u64, stems: &mut Stems, lanes: &Lanes) -> Bars {
        let mut bars = Bars::default();
        for number in 0..count {
            let mix = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let from = number * 30_000 * MILLI + mix % 1_000_000 * 123 * MILLI;
            let first = (mix % 500) as u32;
            let on = [Interval::new(first, first + 3), Interval::new(first + 9, first + 10)];
            let facts = [mix % 1_000 * MILLI + 1, mix % 200 + 1];
            let facts = if mix % 3 == 0 { &facts[..1] } else { &facts[..] };
            let name = stems.name(&(number + 1).to_string());
            let to = from + (mix % 50_000 + 1) * 1_000 * MILLI;
            bars.add(Bar { from, to, name, kind: (mix % 7 == 0).into(), on: &on, facts }, lanes);
        }
        bars
    }

    #[test]
    fn what_is_packed_reads_back() {
        let mut stems = Stems::default();
        let lanes = lanes(600, &mut stems);
        let mut bars = bars(300, &mut stems, &lanes);
        let drawn = bars.drawn(&stems, &lanes, &[true, false]);
        assert_eq!(
            (&drawn["stems"], &drawn["names"], &drawn["unit"]),
            (&json!(["\u{e000}"]), &json!(300), &json!(0.001))
        );
        let mut reader = Reader::of(drawn["packed"].as_str().expect("text"));
        let differences = |reader: &mut Reader| -> Vec<u64> {
            let mut value = 0;
            (0..300)
                .map(|_| {
                    value += reader.signed();
                    value.cast_unsigned()
                })
                .collect()
        };
        let unsigned = |reader: &mut Reader| -> Vec<u64> { (0..300).map(|_| reader.unsigned()).collect() };
        assert_eq!(differences(&mut reader), [0; 300], "one stem");
        let numbers = differences(&mut reader);
        let from = differences(&mut reader);
        let length = unsigned(&mut reader);
        let names = differences(&mut reader);
        let kinds = unsigned(&mut reader);
        let facts = [unsigned(&mut reader), unsigned(&mut reader)];
        for (place, bar) in bars.kept.iter().enumerate() {
            assert_eq!((from[place] * MILLI, length[place] * MILLI), (bar.from, bar.to - bar.from));
            assert_eq!(
                (numbers[names[place] as usize], kinds[place]),
                (bar.name.numbers[0], bar.kind.into())
            );
            let known = bars.facts.of(bar.facts);
            let value = |fact: usize, unit: u64| known.get(fact).map_or(0, |value| (value - 1) / unit + 1);
            assert_eq!([facts[0][place], facts[1][place]], [value(0, MILLI), value(1, 1)]);
        }
        for bar in &bars.kept {
            let mut next = 0;
            let held: Vec<Interval> = (0..reader.unsigned())
                .map(|_| {
                    let first = next + reader.unsigned() as u32;
                    let last = first + reader.unsigned() as u32;
                    next = last + 1;
                    Interval::new(first, last)
                })
                .collect();
            assert_eq!(held[..], *bars.on.of(bar.on));
        }
        assert!(reader.is_at_end());
    }

    #[test]
    fn a_hundred_thousand_spans_with_odd_times_take_less_than_four_megabytes() {
        let mut stems = Stems::default();
        let lanes = lanes(600, &mut stems);
        let drawn = bars(100_000, &mut stems, &lanes).drawn(&stems, &lanes, &[true, false]);
        assert_eq!(drawn["spans"], 100_000);
        let length = drawn["packed"].as_str().expect("text").len();
        assert!(length < 4_000_000, "{length} bytes");
    }

    #[test]
    fn of_too_many_spans_the_largest_are_drawn_and_the_others_are_shades() {
        let mut stems = Stems::default();
        let lanes = lanes(600, &mut stems);
        let count = 2 * MOST_BARS as u64 + 1_000;
        let mut all = bars(count, &mut stems, &lanes);
        all.keep(MOST_BARS, &lanes);
        assert_eq!((all.kept.len(), all.count), (MOST_BARS, count));
        // what `bars` makes, by area
        let area = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        let mut order: Vec<u64> = (0..count).collect();
        order.sort_by_key(|number| (Reverse(area(*number) % 50_000), *number));
        let mut kept: Vec<&Kept> = all.kept.iter().collect();
        assert!(kept.is_sorted_by_key(|bar| bar.order));
        let held = |bar: &Kept| super::area(bar.from, bar.to, all.on.of(bar.on));
        kept.sort_by_key(|bar| (Reverse(held(bar)), bar.order));
        assert_eq!(kept.iter().map(|bar| bar.order).collect::<Vec<_>>(), order[..MOST_BARS]);
        // what comes when some were left out is compared with the least that is drawn
        let least = held(kept[MOST_BARS - 1]);
        assert!(!all.may_take(least) && all.may_take(least + 1));
        assert!(!all.rest.to_json(600).is_null());
    }
}
