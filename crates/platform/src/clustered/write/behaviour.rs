//! Behaviours of hosts and links: names that stand for constants, and the files that others are in.
//!
//! A series whose values all last a multiple of a step is a file of the template, which begins at
//! an offset. Any other of a host, or of a link without latency, is a file of measured values,
//! which begins with it. What neither can hold is said change by change.

use crate::clustered::read::behaviour::BehaviourOf;
use crate::clustered::write::instant;
use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::{SimDuration, SimTime};
use crate::{Course, Round, Stretch, Trace};

/// Changes of one value that are listed, and values of one file.
pub(super) const MOST_CHANGES: usize = 10_000;
/// From how many constants in a row on they are a series.
const RUN: usize = 8;

/// A value, and in seconds the latency of a link.
type Pair = [f64; 2];

/// A behaviour from an instant on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) from: SimTime,
    course: PairCourse,
}

#[derive(Clone, Debug, PartialEq)]
enum PairCourse {
    Constant(Pair),
    /// The values of a round, each with when it begins in it; its length, and how far into it the
    /// piece begins.
    Round(Vec<(u64, Pair)>, u64, u64),
}

/// The behaviour over time of a host, or of a link with its latency, and whether that is all of it.
pub(super) fn pieces(values: &Trace, latency: Option<&Trace>, step: SimDuration) -> (Vec<Piece>, bool) {
    let none = Trace::constant(0.0);
    let (values, is_whole) = values.stretches(MOST_CHANGES);
    let (latencies, also) = latency.unwrap_or(&none).stretches(MOST_CHANGES);
    let begins: OrderedSet<SimTime> = values.iter().chain(&latencies).map(|stretch| stretch.from).collect();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut is_listed = true;
    let begins: Vec<SimTime> = begins.into_iter().collect();
    for (place, &from) in begins.iter().enumerate() {
        let [value, latency] = [course_at(&values, from), course_at(&latencies, from)];
        let until = begins.get(place + 1).copied();
        is_listed &= join(from, until, [value, latency], &mut pieces);
    }
    pieces.dedup_by(|later, earlier| {
        let constant = |piece: &Piece| match piece.course {
            PairCourse::Constant(pair) => Some(pair.map(f64::to_bits)),
            PairCourse::Round(..) => None,
        };
        constant(later).is_some_and(|pair| constant(earlier) == Some(pair))
    });
    (in_series(&pieces, step), is_whole && also && is_listed)
}

/// Course of these stretches from an instant on.
fn course_at(stretches: &[Stretch], at: SimTime) -> Course {
    let place = stretches.partition_point(|stretch| stretch.from <= at).max(1) - 1;
    match &stretches[place].course {
        Course::Round(round) => {
            let into = round.phase.as_nanos() + at.since(stretches[place].from).as_nanos();
            let phase = SimDuration::from_nanos(into % round.length.as_nanos());
            Course::Round(Round { phase, ..round.clone() })
        }
        constant @ Course::Constant(_) => constant.clone(),
    }
}

/// Adds the behaviour of a value and a latency. Returns false if not all of its changes are listed.
fn join(from: SimTime, until: Option<SimTime>, courses: [Course; 2], pieces: &mut Vec<Piece>) -> bool {
    let nanos = |span: &SimDuration| span.as_nanos();
    let course = match courses {
        [Course::Constant(value), Course::Constant(latency)] => PairCourse::Constant([value, latency]),
        [Course::Round(round), Course::Constant(latency)] => {
            let values = round.values.iter().map(|(at, value)| (nanos(at), [*value, latency])).collect();
            PairCourse::Round(values, nanos(&round.length), nanos(&round.phase))
        }
        [Course::Constant(value), Course::Round(round)] => {
            let values = round.values.iter().map(|(at, latency)| (nanos(at), [value, *latency])).collect();
            PairCourse::Round(values, nanos(&round.length), nanos(&round.phase))
        }
        [Course::Round(one), Course::Round(other)] if one.length == other.length => {
            let is_alike = one.phase == other.phase;
            let phase = if is_alike { nanos(&one.phase) } else { 0 };
            let [one, other] = [one, other].map(|round| if is_alike { round } else { round.rotated() });
            let instants: OrderedSet<u64> =
                one.values.iter().chain(&other.values).map(|(at, _)| nanos(at)).collect();
            let pair = |at: u64| (at, [of(&one, at), of(&other, at)]);
            PairCourse::Round(instants.into_iter().map(pair).collect(), nanos(&one.length), phase)
        }
        [Course::Round(one), Course::Round(other)] => {
            let [one, other] = [one.rotated(), other.rotated()];
            let (mut at, mut count) = (0, 0);
            while until.is_none_or(|until| from.as_nanos() + at < until.as_nanos()) && count <= MOST_CHANGES {
                let pair = [of(&one, at % nanos(&one.length)), of(&other, at % nanos(&other.length))];
                let from = SimTime::from_nanos(from.as_nanos() + at);
                pieces.push(Piece { from, course: PairCourse::Constant(pair) });
                at = next(&one, at).min(next(&other, at));
                count += 1;
            }
            return count <= MOST_CHANGES;
        }
    };
    pieces.push(Piece { from, course });
    true
}

/// The value of a round at an instant in it.
fn of(round: &Round, at: u64) -> f64 {
    let place = round.values.partition_point(|(begins, _)| begins.as_nanos() <= at);
    round.values[place.max(1) - 1].1
}

/// The next instant after `at` at which a value of a round begins that began at 0.
fn next(round: &Round, at: u64) -> u64 {
    let length = round.length.as_nanos();
    let (begun, into) = (at - at % length, at % length);
    let place = round.values.partition_point(|(begins, _)| begins.as_nanos() <= into);
    begun + round.values.get(place).map_or(length, |(begins, _)| begins.as_nanos())
}

/// Makes many constants in a row one series, but for the last.
fn in_series(pieces: &[Piece], step: SimDuration) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    let mut rest = pieces;
    while !rest.is_empty() {
        let is_constant = |piece: &&Piece| matches!(piece.course, PairCourse::Constant(_));
        let run = rest.iter().take_while(is_constant).count();
        if run < RUN {
            let taken = run.max(1);
            all.extend_from_slice(&rest[..taken]);
            rest = &rest[taken..];
            continue;
        }
        let series = |skipped: usize| {
            let begun = rest[skipped].from;
            let values = rest[skipped..run - 1].iter().filter_map(|piece| match piece.course {
                PairCourse::Constant(pair) => Some((piece.from.since(begun).as_nanos(), pair)),
                PairCourse::Round(..) => None,
            });
            let length = rest[run - 1].from.since(begun).as_nanos();
            Piece { from: begun, course: PairCourse::Round(values.collect(), length, 0) }
        };
        // in steps from the first on, or from one after it
        let mut found = (0..RUN / 2).map(|skipped| (skipped, series(skipped)));
        let in_steps = found.find(|(_, series)| is_in_steps(&series.course, step));
        let held = in_steps
            .or_else(|| Some((0, series(0))).filter(|(_, series)| is_without_latency(&series.course)));
        match held {
            Some((skipped, series)) => {
                all.extend_from_slice(&rest[..skipped]);
                all.push(series);
                all.push(rest[run - 1].clone());
            }
            None => all.extend_from_slice(&rest[..run]),
        }
        rest = &rest[run..];
    }
    all
}

/// Returns true if all values of a round last a multiple of a step, and are not too many for a
/// file.
fn is_in_steps(course: &PairCourse, step: SimDuration) -> bool {
    let PairCourse::Round(values, length, _) = course else { return false };
    let step = step.as_nanos();
    length % step == 0 && length / step <= MOST_CHANGES as u64 && values.iter().all(|(at, _)| at % step == 0)
}

fn is_without_latency(course: &PairCourse) -> bool {
    let PairCourse::Round(values, ..) = course else { return false };
    values.iter().all(|(_, [_, latency])| *latency <= 0.0)
}

/// A behaviour as an event names it.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) offset: u64,
    /// Instant at which the behaviour is to be named again, as the name holds the value of the
    /// instant alone.
    pub(super) until: Option<SimTime>,
}

/// The behaviours of a text.
pub(super) struct Behaviours {
    step: SimDuration,
    /// Files: their names and texts.
    pub(super) files: Vec<(String, String)>,
    by_text: OrderedMap<String, String>,
    /// Hosts and links of which a value was rounded.
    pub(super) rounded: OrderedSet<String>,
}

impl Behaviours {
    /// No behaviours yet; each value of a series holds for a multiple of `step`.
    pub(super) fn new(step: SimDuration) -> Self {
        Behaviours { step, files: Vec::new(), by_text: OrderedMap::new(), rounded: OrderedSet::new() }
    }

    /// The name of what holds of a piece from `at` on.
    pub(super) fn named(&mut self, owner: &str, of: BehaviourOf, piece: &Piece, at: SimTime) -> Named {
        let since = at.since(piece.from).as_nanos();
        let (values, length, phase) = match &piece.course {
            PairCourse::Constant(pair) => {
                return Named { name: self.constant(owner, of, *pair), offset: 0, until: None };
            }
            PairCourse::Round(values, length, phase) => (values, *length, (phase + since) % length),
        };
        let step = self.step.as_nanos();
        if is_in_steps(&piece.course, self.step) && phase % step == 0 {
            let steps = (0..length / step).map(|number| value_at(values, number * step));
            let steps: Vec<Pair> = steps.collect();
            if let Some(text) = self.series(owner, of, &steps) {
                return Named { name: self.file(owner, text), offset: phase / step, until: None };
            }
        }
        if is_without_latency(&piece.course) {
            let text = measured(values, length, phase);
            return Named { name: self.file(owner, text), offset: 0, until: None };
        }
        let place = values.partition_point(|(begins, _)| *begins <= phase);
        let next = values.get(place).map_or(length, |(begins, _)| *begins) - phase;
        // in a series a file begins with a whole step
        let next = if is_in_steps(&piece.course, self.step) { next.min(step - phase % step) } else { next };
        let until = at.checked_add(SimDuration::from_nanos(next));
        Named { name: self.constant(owner, of, value_at(values, phase)), offset: 0, until }
    }

    /// The name of a constant.
    fn constant(&mut self, owner: &str, of: BehaviourOf, pair: Pair) -> String {
        if let Some(name) = stable(of, pair) {
            return name;
        }
        let text = self.series(owner, of, &[pair]).unwrap_or_else(|| measured(&[(0, pair)], 1, 0));
        self.file(owner, text)
    }

    /// The text of a series; `None` of shares that are no percentages.
    fn series(&mut self, owner: &str, of: BehaviourOf, values: &[Pair]) -> Option<String> {
        let mut text = format!("{}\n", values.len());
        for [value, latency] in values {
            match of {
                BehaviourOf::Host => text += &format!("{}\n", times(*value, 100.0).ok()?),
                BehaviourOf::Link => {
                    let millis = times(*latency, 1e3).unwrap_or_else(|nearest| {
                        self.rounded.insert(owner.to_owned());
                        nearest
                    });
                    text += &format!("{millis} {value}\n");
                }
            }
        }
        Some(text)
    }

    /// The name of the file with this text.
    fn file(&mut self, owner: &str, text: String) -> String {
        if let Some(name) = self.by_text.get(&text) {
            return name.clone();
        }
        let letter = |letter: char| {
            if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '_' }
        };
        let name = format!("{}-{}", owner.chars().map(letter).collect::<String>(), self.files.len() + 1);
        self.by_text.insert(text.clone(), name.clone());
        self.files.push((format!("{name}.txt"), text));
        name
    }
}

fn value_at(values: &[(u64, Pair)], at: u64) -> Pair {
    values[values.partition_point(|(begins, _)| *begins <= at).max(1) - 1].1
}

/// The text of measured values from a phase of their round on.
fn measured(values: &[(u64, Pair)], length: u64, phase: u64) -> String {
    let from = |(at, [value, _]): &(u64, Pair)| (SimDuration::from_nanos(*at), *value);
    let round = Round {
        values: values.iter().map(from).collect(),
        length: SimDuration::from_nanos(length),
        phase: SimDuration::from_nanos(phase),
    };
    let values = round.rotated().values;
    let last = values.last().map_or(0, |(at, _)| at.as_nanos());
    let lines = values.iter().map(|(at, value)| format!("{} {value}\n", instant(at.as_nanos())));
    format!("{}PERIODICITY {}\n", lines.collect::<String>(), instant(length - last))
}

/// The name of a published file that a constant has.
fn stable(of: BehaviourOf, [value, latency]: Pair) -> Option<String> {
    if of == BehaviourOf::Host {
        let percent = times(value, 100.0).ok().filter(|percent| percent.fract() <= 0.0)?;
        return Some(format!("stable_{percent:.0}"));
    }
    for (unit, size) in [("Mb", 1e6), ("Kb", 1e3)] {
        let count = (value / size).round();
        if value > 0.0 && latency <= 0.0 && (count * size).to_bits() == value.to_bits() {
            return Some(format!("stable_{count:.0}{unit}"));
        }
    }
    None
}

/// The number of which `value` is the quotient by `scale`; if there is none, the nearest.
fn times(value: f64, scale: f64) -> Result<f64, f64> {
    let nearest = value * scale;
    let is_it = |number: &f64| (number / scale).to_bits() == value.to_bits();
    let near = [nearest, nearest.round(), nearest.next_up(), nearest.next_down()];
    near.into_iter().find(is_it).ok_or(nearest)
}
