//! A level over time (processors in use, jobs in the queue) in equal spans, none of which hides an
//! extreme.
//!
//! A level changes in steps. Of each span of time the least and the greatest level that lasted in
//! it are kept, and the mean over its length: a peak of one second in a year is drawn as high as it
//! was. A level that rises and falls more often than a picture has pixels is a solid band in these
//! spans; over weeks it has the same of each day in addition, 24 h from the beginning on, from the
//! same changes. The last day may be shorter.

use std::mem::replace;

use serde_json::{Value as Json, json};

use crate::collections::sort_by_numbers;
use crate::report::html::rounded;

/// Equal spans of time in which a page draws levels.
pub const SPANS: usize = 720;
/// A day [ns].
const DAY: u64 = 86_400_000_000_000;
/// Days after which a level may have a value a day.
const MANY_DAYS: u64 = 10;
/// Changes beyond which a line is a solid band: two for each pixel of the narrowest picture, which
/// is 320 pixels wide without its axis.
const MOST_CHANGES: usize = 2 * 320;

/// The levels in equal spans.
#[derive(Debug, Default, PartialEq)]
pub struct Levels {
    least: Vec<i64>,
    mean: Vec<f64>,
    greatest: Vec<i64>,
}

/// A level as a page draws it.
#[derive(Debug, PartialEq)]
pub struct LevelCurve {
    /// In equal spans.
    spans: Levels,
    /// Day by day, where equal spans are a solid band.
    days: Option<Levels>,
}

/// Changes of a level: instants \[ns\] and amounts, in any order. A change by 1 takes 8 bytes.
///
/// Rises and falls are kept apart, as one of them often comes in the order of time.
#[derive(Debug, Default)]
pub struct Changes {
    up: Vec<u64>,
    down: Vec<u64>,
    rises: Vec<(u64, i64)>,
    falls: Vec<(u64, i64)>,
}

impl Changes {
    /// The level changes by an amount at an instant.
    #[inline]
    pub fn push(&mut self, at: u64, amount: i64) {
        match amount {
            1 => self.up.push(at),
            -1 => self.down.push(at),
            _ if amount > 0 => self.rises.push((at, amount)),
            _ => self.falls.push((at, amount)),
        }
    }

    /// Returns true if there are no changes of levels.
    pub fn is_empty(&self) -> bool {
        self.up.is_empty() && self.down.is_empty() && self.rises.is_empty() && self.falls.is_empty()
    }

    /// Returns true if a line of them is a solid band: there are many, and the level also falls.
    fn are_dense(&self) -> bool {
        let falls = self.down.len() + self.falls.len();
        falls > 0 && falls + self.up.len() + self.rises.len() > MOST_CHANGES
    }

    /// In the order of time. The order at one instant is of no matter: what does not last is not
    /// seen.
    fn in_order(&mut self) -> impl Iterator<Item = (u64, i64)> {
        sort_by_numbers(&mut self.up, |at| (*at, 0));
        sort_by_numbers(&mut self.down, |at| (*at, 0));
        sort_by_numbers(&mut self.rises, |(at, _)| (*at, 0));
        sort_by_numbers(&mut self.falls, |(at, _)| (*at, 0));
        let ones = merged(self.up.iter().map(|at| (*at, 1)), self.down.iter().map(|at| (*at, -1)));
        merged(ones, merged(self.rises.iter().copied(), self.falls.iter().copied()))
    }
}

/// Two lists of changes in the order of time as one.
fn merged(
    mut one: impl Iterator<Item = (u64, i64)>,
    mut other: impl Iterator<Item = (u64, i64)>,
) -> impl Iterator<Item = (u64, i64)> {
    let (mut first, mut second) = (one.next(), other.next());
    std::iter::from_fn(move || {
        let is_first = match (first, second) {
            (Some(first), Some(second)) => first.0 <= second.0,
            (first, _) => first.is_some(),
        };
        if is_first { replace(&mut first, one.next()) } else { replace(&mut second, other.next()) }
    })
}

impl Extend<(u64, i64)> for Changes {
    fn extend<T: IntoIterator<Item = (u64, i64)>>(&mut self, changes: T) {
        changes.into_iter().for_each(|(at, amount)| self.push(at, amount));
    }
}

impl FromIterator<(u64, i64)> for Changes {
    fn from_iter<T: IntoIterator<Item = (u64, i64)>>(changes: T) -> Self {
        let mut all = Changes::default();
        all.extend(changes);
        all
    }
}

/// The level that starts at 0 and changes so from `from` to `to` \[ns\], as a page draws it. Levels
/// that do not last are not seen.
pub fn level_curve(mut changes: Changes, from: u64, to: u64) -> LevelCurve {
    let lasts = to.saturating_sub(from);
    let is_banded = changes.are_dense() && lasts > MANY_DAYS * DAY;
    // of more days than spans a value a day is no less dense
    let days = Some(lasts.div_ceil(DAY) as usize).filter(|days| is_banded && *days < SPANS);
    let spans = levels(&mut changes, (from, to), u128::from(lasts), SPANS);
    let day_by_day = |days| levels(&mut changes, (from, to), u128::from(DAY) * days as u128, days);
    LevelCurve { spans, days: days.map(day_by_day) }
}

/// The level in `parts` spans that are `length` \[ns\] together and not shorter than `from..to`,
/// with which the last one ends.
fn levels(changes: &mut Changes, (from, to): (u64, u64), length: u128, parts: usize) -> Levels {
    if from >= to || parts == 0 {
        return Levels::default();
    }
    let span = Span { least: i64::MAX, greatest: i64::MIN, sum: 0 };
    let mut spans = Spans { length, filled: vec![span; parts], current: 0, end: 0 };
    spans.enter(0);
    let (mut level, mut since) = (0, from);
    for (at, change) in changes.in_order() {
        let at = at.clamp(from, to);
        spans.lasted(level, since - from, at - from);
        since = at;
        level = i64::saturating_add(level, change);
    }
    spans.lasted(level, since - from, to - from);
    let filled = spans.filled;
    let whole = u128::from(to - from) * parts as u128;
    let lasts = |span: u128| whole.min((span + 1) * length) - span * length;
    Levels {
        least: filled.iter().map(|span| span.least).collect(),
        mean: (0..).zip(&filled).map(|(place, span)| span.sum as f64 / lasts(place) as f64).collect(),
        greatest: filled.iter().map(|span| span.greatest).collect(),
    }
}

/// Spans being filled. Instants are counted in nanoseconds times the number of spans, so that all
/// bounds are whole.
struct Spans {
    length: u128,
    filled: Vec<Span>,
    /// The one that is being filled.
    current: usize,
    /// The first nanosecond that is not before the end of that one.
    end: u64,
}

/// The least and the greatest level of a span, and the sum of levels times how long they lasted.
#[derive(Clone, Copy)]
struct Span {
    least: i64,
    greatest: i64,
    sum: i128,
}

impl Span {
    /// A level lasted for so long in it.
    #[inline]
    fn add(&mut self, level: i64, lasted: u128) {
        self.least = self.least.min(level);
        self.greatest = self.greatest.max(level);
        self.sum += i128::from(level) * lasted.cast_signed();
    }
}

impl Spans {
    /// Goes on with this span, if there is one.
    fn enter(&mut self, span: usize) {
        let right = (span as u128 + 1) * self.length;
        self.current = span;
        self.end = right.div_ceil(self.filled.len() as u128) as u64;
    }

    /// The level lasted from the one instant, to which all before it did, to the other.
    #[inline]
    fn lasted(&mut self, level: i64, begin: u64, end: u64) {
        if begin >= end {
            return;
        }
        let parts = self.filled.len() as u128;
        // most levels last within a span, which costs no product of wide numbers
        if end < self.end {
            return self.filled[self.current].add(level, u128::from(end - begin) * parts);
        }
        let (mut begin, end) = (u128::from(begin) * parts, u128::from(end) * parts);
        while begin < end {
            let right = (self.current as u128 + 1) * self.length;
            let until = end.min(right);
            self.filled[self.current].add(level, until - begin);
            begin = until;
            if begin == right {
                self.enter(self.current + 1);
            }
        }
    }
}

/// The mean level in `parts` equal spans of `from..to` \[ns\], where `held` are amounts with the
/// instants from and to which each lasts, in any order. None if the whole is empty.
///
/// # Complexity
/// A step for each amount and each span, and memory for the spans alone.
pub fn means(held: impl Iterator<Item = (u64, u64, u64)>, from: u64, to: u64, parts: usize) -> Vec<f64> {
    // nanoseconds times parts: the bounds of all spans are whole
    let width = u128::from(to.saturating_sub(from));
    if width == 0 || parts == 0 {
        return Vec::new();
    }
    let place = |at: u64| u128::from(at.clamp(from, to) - from) * parts as u128;
    let mut inside = vec![0_u128; parts];
    let mut across = vec![0_i128; parts + 1];
    for (begin, end, amount) in held {
        let (begin, end, amount) = (place(begin), place(end), u128::from(amount));
        let (first, last) = ((begin / width) as usize, (end / width) as usize);
        if begin >= end {
            continue;
        }
        if first == last {
            inside[first] += amount * (end - begin);
            continue;
        }
        inside[first] += amount * ((first as u128 + 1) * width - begin);
        if last < parts {
            inside[last] += amount * (end - last as u128 * width);
        }
        across[first + 1] += amount.cast_signed();
        across[last] -= amount.cast_signed();
    }
    let mut level = 0_i128;
    let spans = inside.into_iter().zip(across).map(|(partly, change)| {
        level += change;
        (partly + level.unsigned_abs() * width) as f64 / width as f64
    });
    spans.collect()
}

impl LevelCurve {
    /// Returns true if the level is 0 all the time.
    pub fn is_zero(&self) -> bool {
        self.spans.least.iter().chain(&self.spans.greatest).all(|level| *level == 0)
    }

    /// As a document, every value divided by `whole`.
    pub fn to_json(&self, whole: f64) -> Json {
        let mut drawn = self.spans.to_json(whole);
        if let Some(days) = &self.days {
            drawn["days"] = days.to_json(whole);
        }
        drawn
    }
}

impl Levels {
    fn to_json(&self, whole: f64) -> Json {
        let share = |values: &[i64]| -> Vec<Json> {
            values.iter().map(|&value| rounded(value as f64 / whole)).collect()
        };
        let mean: Vec<Json> = self.mean.iter().map(|value| rounded(value / whole)).collect();
        json!({ "least": share(&self.least), "mean": mean, "greatest": share(&self.greatest) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(mut changes: Changes, from: u64, to: u64, parts: usize) -> Levels {
        super::levels(&mut changes, (from, to), u128::from(to - from), parts)
    }

    /// From noon of the first day the level is 6 for two days, but for an hour of 30, and then 1;
    /// one more in every second minute until the end, at 06:00 of the eleventh day.
    #[test]
    fn a_dense_level_has_the_mean_of_each_day_from_the_beginning() {
        const HOUR: u64 = DAY / 24;
        let end = 10 * DAY + 6 * HOUR;
        let steps = [(12 * HOUR, 6), (20 * HOUR, 24), (21 * HOUR, -24), (60 * HOUR, -5)];
        let minutes =
            (0..end / (HOUR / 30)).flat_map(|two| [(two * HOUR / 30, 1), (two * HOUR / 30 + HOUR / 60, -1)]);
        let changes = || steps.into_iter().chain(minutes.clone());
        let later = |by: u64| changes().map(move |(at, change)| (at + by, change)).collect::<Changes>();
        let curve = level_curve(later(5), 5, end + 5);
        let days = curve.days.expect("as it changes every minute over more than ten days");
        // 12 h of 6 and 1 h of 24, 24 h of 6, 12 h of 6 and of 1, then 1; and everywhere one half
        let mut mean = vec![(12.0 * 6.0 + 24.0) / 24.0 + 0.5, 6.5, 4.0];
        mean.resize(11, 1.5);
        assert_eq!(days.mean, mean);
        let [least, greatest] = [&days.least, &days.greatest].map(|list| [list[0], list[1], list[10]]);
        assert_eq!((least, greatest), ([0, 6, 1], [31, 7, 2]));
        // the days are of the account that the equal spans are of
        let by_spans: f64 = curve.spans.mean.iter().sum::<f64>() / SPANS as f64;
        let by_days: f64 = mean[..10].iter().sum::<f64>() + mean[10] * 0.25;
        assert!((by_spans - by_days / 10.25).abs() < 1e-9, "{by_spans} {by_days}");
    }

    #[test]
    fn few_changes_a_short_time_a_count_and_years_have_no_days() {
        let alternating = |count: u64, end: u64| -> Changes {
            (0..count).map(|place| (end / count * place, if place % 2 == 0 { 3 } else { -3 })).collect()
        };
        let most = MOST_CHANGES as u64;
        assert!(level_curve(alternating(most + 1, 11 * DAY), 0, 11 * DAY).days.is_some());
        assert_eq!(level_curve(alternating(most, 11 * DAY), 0, 11 * DAY).days, None);
        assert_eq!(level_curve(alternating(9 * most, 10 * DAY), 0, 10 * DAY).days, None);
        assert_eq!(level_curve(alternating(9 * most, 800 * DAY), 0, 800 * DAY).days, None);
        let count: Changes = (0..9 * most).map(|place| (11 * DAY / most / 9 * place, 1)).collect();
        assert_eq!(level_curve(count, 0, 11 * DAY).days, None);
    }

    #[test]
    fn spans_hold_least_mean_and_greatest() {
        let changes = vec![(0, 2), (5, 4), (6, -4), (15, -2)];
        let levels = levels(changes.into_iter().collect(), 0, 20, 2);
        assert_eq!(levels, Levels { least: vec![2, 0], mean: vec![2.4, 1.0], greatest: vec![6, 2] });
    }

    #[test]
    fn a_job_counts_in_every_span_it_touches() {
        // four processors from 5 to 40, two from 12 to 16
        let changes = || [(5, 4), (12, 2), (16, -2), (40, -4)].into_iter().collect();
        let means = |from, to, parts| {
            let mean = levels(changes(), from, to, parts).mean;
            assert_eq!(mean, super::means([(5, 40, 4), (12, 16, 2)].into_iter(), from, to, parts));
            mean
        };
        assert_eq!(means(0, 40, 4), [2.0, 4.8, 4.0, 4.0]);
        assert_eq!(means(0, 40, 1), [(4.0 * 35.0 + 8.0) / 40.0]);
        assert_eq!(means(20, 30, 3), [4.0, 4.0, 4.0]);
    }

    #[test]
    fn a_peak_of_a_nanosecond_in_a_year_is_kept() {
        let year = 31_536_000 * 1_000_000_000;
        let peak = 12_345_678_901_234_567;
        let changes = [(0, 10), (peak, 90), (peak + 1, -90), (peak + 7, -10), (peak + 8, 10)];
        let levels = levels(changes.into_iter().collect(), 0, year, 800);
        assert_eq!(levels.greatest.iter().max(), Some(&100));
        assert_eq!(levels.least.iter().min(), Some(&0));
        assert_eq!(levels.greatest.iter().filter(|&&level| level == 10).count(), 799);
    }

    #[test]
    fn what_does_not_last_is_not_seen_and_nothing_gives_nothing() {
        assert_eq!(levels([(3, 50), (3, -50)].into_iter().collect(), 0, 10, 1).greatest, [0]);
        assert_eq!(levels([(3, 50)].into_iter().collect(), 10, 10, 4), Levels::default());
    }

    #[test]
    fn changes_by_one_are_in_order_with_all_others() {
        let last = u64::MAX;
        let mut changes: Changes =
            [(9, 1), (3, -1), (7, 5), (last, -1), (1, 1), (9, -3), (last, 4), (last, 1)]
                .into_iter()
                .collect();
        let mut ordered: Vec<(u64, i64)> = changes.in_order().collect();
        assert!(ordered.is_sorted_by_key(|(at, _)| *at));
        ordered.sort_unstable();
        assert_eq!(ordered, [(1, 1), (3, -1), (7, 5), (9, -3), (9, 1), (last, -1), (last, 1), (last, 4)]);
    }
}
