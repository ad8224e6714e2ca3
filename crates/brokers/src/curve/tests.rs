//! Curves against worked values, and against plain sums and bisection.

use proptest::prelude::*;

use super::{
    Cubic, Curve, CurveCursor, CurveError, Interpolation, LEAST_AVAILABILITY, LEAST_BANDWIDTH, Linear,
    Stepwise, availability, table,
};
use crate::kernel::{SimDuration, SimTime};
use crate::registry::Catalogue;

fn at(secs: f64) -> SimTime {
    SimTime::ZERO + SimDuration::ceil_secs(secs)
}

fn points(points: &[(f64, f64)]) -> Vec<(SimTime, f64)> {
    points.iter().map(|&(secs, value)| (at(secs), value)).collect()
}

fn curve(of: &[(f64, f64)], interpolation: &dyn Interpolation, least: f64) -> Curve {
    Curve::new(&points(of), interpolation, least).expect("points of a test")
}

const EXAMPLE: &[(f64, f64)] = &[(0.0, 10.0), (60.0, 20.0), (120.0, 15.0)];

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= 1e-12 * expected.abs()
}

#[test]
fn a_cubic_has_the_slopes_of_the_last_three_steps() {
    let cubic = curve(EXAMPLE, &Cubic, 0.001);
    assert!(near(cubic.value_at(at(90.0)), 18.4375), "{}", cubic.value_at(at(90.0)));
    assert!(near(cubic.value_at(at(75.0)), 19.804_687_5), "{}", cubic.value_at(at(75.0)));
    assert!(near(cubic.value_at(at(30.0)), 15.0), "the first interval is straight");
    assert!((cubic.value_at(at(119.999_999_999)) - 15.0).abs() < 1e-9, "every interval ends at its point");
    for interpolation in [&Cubic as &dyn Interpolation, &Linear, &Stepwise] {
        let curve = curve(EXAMPLE, interpolation, 0.001);
        for &(time, value) in EXAMPLE {
            assert_eq!(curve.value_at(at(time)).to_bits(), value.to_bits(), "{interpolation:?} at {time}");
        }
        assert_eq!(curve.points().collect::<Vec<_>>(), points(EXAMPLE));
    }
}

/// Known beforehand: a packet of 600 KB on the cubic in KB/s, one of 150 KB on a line, and a task
/// of 2000 Mop on 100 Mop/s.
#[test]
fn worked_packets_and_tasks_end_at_their_nanosecond() {
    let cubic = curve(EXAMPLE, &Cubic, 0.001);
    let end = cubic.end(at(60.0), 600.0).expect("an end");
    assert_eq!(end, SimTime::from_nanos(90_636_858_311));
    let in_bytes = cubic.scaled(1000.0);
    assert_eq!(in_bytes.end(at(60.0), 600e3), Some(end));
    // 10 h + h² / 12 = 150: h = 6 √150 - 60
    let linear = curve(&EXAMPLE[..2], &Linear, 0.001);
    assert_eq!(linear.end(SimTime::ZERO, 150.0), Some(SimTime::from_nanos(13_484_692_284)));
    let share = curve(&[(0.0, 1.0), (60.0, 0.25)], &Stepwise, LEAST_AVAILABILITY);
    assert_eq!(share.scaled(100e6).end(at(50.0), 2000e6), Some(at(100.0)));
    assert_eq!(share.integral(at(50.0), at(100.0)).to_bits(), 20.0_f64.to_bits());
    assert_eq!(share.mean(at(50.0), at(100.0)).to_bits(), 0.4_f64.to_bits());
}

#[test]
fn the_first_value_holds_before_the_first_point_and_the_last_one_after_the_last() {
    for interpolation in [&Cubic as &dyn Interpolation, &Linear, &Stepwise] {
        let late = curve(&[(10.0, 4.0), (20.0, 8.0)], interpolation, 1.0);
        let values = [0.0, 9.9, 10.0, 20.0, 1e9].map(|secs| late.value_at(at(secs)));
        assert_eq!(format!("{values:?}"), "[4.0, 4.0, 4.0, 8.0, 8.0]", "{interpolation:?}");
        assert_eq!(late.end(at(0.0), 20.0), Some(at(5.0)));
        assert_eq!(late.end(at(30.0), 20.0), Some(at(32.5)));
        assert_eq!(late.points().collect::<Vec<_>>(), points(&[(10.0, 4.0), (20.0, 8.0)]));
        let one = curve(&[(10.0, 4.0)], interpolation, 1.0);
        assert_eq!(one.end(at(5.0), 40.0), Some(at(15.0)));
        assert_eq!(one.integral(at(0.0), at(100.0)).to_bits(), 400.0_f64.to_bits());
    }
}

#[test]
fn work_that_never_ends_has_no_end_and_no_work_ends_at_once() {
    let slow = curve(&[(0.0, 0.0)], &Linear, LEAST_BANDWIDTH);
    assert_eq!(slow.end(at(7.0), 0.0), Some(at(7.0)));
    assert_eq!(slow.end(at(7.0), -1.0), Some(at(7.0)));
    assert_eq!(slow.end(at(7.0), 3.0), Some(at(10.0)));
    assert_eq!(slow.end(at(7.0), 1e12), None, "past the end of time");
    assert_eq!([f64::INFINITY, f64::NAN].map(|work| slow.end(at(7.0), work)), [None; 2]);
    assert_eq!(slow.scaled(0.0).end(at(7.0), 1.0), None);
    let nothing = curve(&[(0.0, 2.0), (5.0, 0.0)], &Stepwise, 0.0);
    assert_eq!(nothing.end(SimTime::ZERO, 10.0), Some(at(5.0)));
    assert_eq!(nothing.end(SimTime::ZERO, 10.5), None);
    assert_eq!(slow.end(SimTime::MAX, 1.0), None);
    assert_eq!(slow.integral(SimTime::MAX, SimTime::ZERO).to_bits(), 0);
}

/// A cubic from 20 at 10 s over 1 at 20 s to 1 at 30 s is `1 - 8.55 x + …` after 20 s: it falls
/// below 1, and below 0.
#[test]
fn where_a_cubic_falls_below_the_least_value_the_least_value_is_integrated() {
    let of = [(0.0, 40.0), (10.0, 20.0), (20.0, 1.0), (30.0, 1.0), (40.0, 30.0)];
    let (free, cut) = (curve(&of, &Cubic, 0.0), curve(&of, &Cubic, 1.0));
    assert!(near(cut.value_at(at(22.0)), 1.0) && free.value_at(at(22.0)) < 0.5);
    assert!(near(cut.integral(at(20.0), at(30.0)), 10.0), "{}", cut.integral(at(20.0), at(30.0)));
    assert_eq!(cut.end(at(20.0), 5.0), Some(at(25.0)));
    assert_eq!(cut.points().collect::<Vec<_>>(), points(&of));
    // from 30 s on: 1 + 1.45 x + 0.29 x² - 0.0145 x³ is never below
    let expected = 10.0 + 72.5 + 0.29 / 3.0 * 1e3 - 0.0145 / 4.0 * 1e4;
    assert!(near(cut.integral(at(30.0), at(40.0)), expected));
    // the line from 4 to 0 is below 1 for the last quarter: 7.5 + 1, to a nanosecond's rounding of
    // where it is cut
    let line = curve(&[(0.0, 4.0), (4.0, 0.0), (8.0, 4.0)], &Linear, 1.0);
    assert!(near(line.integral(at(0.0), at(4.0)), 8.5) && near(line.integral(at(0.0), at(8.0)), 17.0));
    assert_eq!(line.end(at(3.0), 2.0), Some(at(5.0)));
    let values = [3.0, 4.0, 5.0, 5.5].map(|secs| line.value_at(at(secs)));
    assert_eq!(format!("{values:?}"), "[1.0, 1.0, 1.0, 1.5]");
    assert_eq!(line.points().map(|(_, value)| value).collect::<Vec<_>>(), [4.0, 1.0, 4.0]);
}

#[test]
fn points_a_nanosecond_apart_have_integrals_that_rise() {
    let nanos = |of: &[(u64, f64)]| of.iter().map(|&(at, value)| (SimTime::from_nanos(at), value)).collect();
    let of: Vec<(SimTime, f64)> = nanos(&[(5, 1e18), (6, 2.0), (7, 2.0), (8, 1e18), (9, 2.0), (1_009, 2.0)]);
    let steep = Curve::new(&of, &Cubic, 1.0).expect("a curve");
    assert_eq!(steep.points().collect::<Vec<_>>(), of);
    for instant in (0..1_100).map(SimTime::from_nanos) {
        let next = instant + SimDuration::from_nanos(1);
        assert!(steep.integral(instant, next) >= 0.999e-9, "{instant}");
        assert!(steep.end(instant, steep.integral(instant, next)).is_some_and(|end| end <= next));
    }
}

/// A line whose slope is infinite after the second point.
#[derive(Debug)]
struct Broken;
impl Interpolation for Broken {
    fn between(&self, _: &[(SimTime, f64)], index: usize) -> [f64; 4] {
        [1.0, 1.0 / (1.0 - index as f64), 0.0, 0.0]
    }
}

#[test]
fn points_that_are_no_curve_are_refused() {
    let refused = |of: &[(f64, f64)], least| Curve::new(&points(of), &Cubic, least).expect_err("no curve");
    assert_eq!(refused(&[], 1.0), CurveError::NoPoint);
    assert_eq!(refused(&[(0.0, 1.0), (2.0, 1.0), (2.0, 3.0)], 1.0), CurveError::NotRising(2));
    for value in [-1.0, f64::NAN, f64::INFINITY, 1.1e18] {
        assert_eq!(refused(&[(0.0, 1.0), (2.0, value)], 1.0), CurveError::Value(1));
        assert_eq!(refused(&[(0.0, 1.0)], value), CurveError::Least);
    }
    let refused = Curve::new(&points(EXAMPLE), &Broken, 1.0).expect_err("it is infinite");
    assert_eq!(refused, CurveError::Interpolation(1));
}

#[test]
fn every_interpolation_is_in_the_table_and_pieces_are_small() {
    let names: Vec<&str> = table().rows().iter().map(|row| row.name).collect();
    assert_eq!(names, ["cubic", "linear", "step"]);
    assert_eq!(size_of::<super::pieces::Piece>(), 40);
    assert_eq!([0.0, 1.0, 3.0].map(availability).map(f64::to_bits), [1.0, 0.5, 0.25].map(f64::to_bits));
}

/// A value that was small for a second after a long past of large ones: the sum of the past takes
/// nothing from it.
#[test]
fn a_long_past_takes_no_digits_from_a_sum() {
    let mut of: Vec<(f64, f64)> = (0..100_000).map(|index| (f64::from(index) * 10.0, 1.25e9)).collect();
    of.push((1e6, 0.0));
    of.extend((1..100).map(|index| (1e6 + f64::from(index), 0.0)));
    let of = curve(&of, &Stepwise, 1.0);
    assert_eq!(of.end(at(1e6), 50.0), Some(at(1e6 + 50.0)));
    assert_eq!(of.end(at(5.0), 1.25e9 * (1e6 - 5.0)), Some(at(1e6)));
    assert_eq!(of.integral(at(1e6 + 1.0), at(1e6 + 98.5)).to_bits(), 97.5_f64.to_bits());
}

/// The integral by plain sums: every piece by itself, from instant to instant.
fn summed(curve: &Curve, from: SimTime, to: SimTime) -> f64 {
    let inner = curve.points().map(|(at, _)| at).filter(|at| (from..to).contains(at));
    let ends: Vec<SimTime> = [from].into_iter().chain(inner).chain([to]).collect();
    ends.windows(2).map(|pair| curve.integral(pair[0], pair[1])).sum()
}

/// The least instant at which the integral has reached `work`, by bisection over all instants.
fn bisected(curve: &Curve, start: SimTime, work: f64) -> Option<SimTime> {
    let is_reached = |at: u64| curve.integral(start, SimTime::from_nanos(at)) >= work;
    let (mut low, mut high) = (start.as_nanos(), u64::MAX);
    if !is_reached(high) {
        return None;
    }
    while high - low > 1 {
        let middle = low.midpoint(high);
        if is_reached(middle) { high = middle } else { low = middle }
    }
    Some(SimTime::from_nanos(high))
}

fn interpolations() -> impl Strategy<Value = &'static dyn Interpolation> {
    prop::sample::select(vec![&Cubic as &'static dyn Interpolation, &Linear, &Stepwise])
}

/// Points some seconds apart, from nearly nothing to a good deal, and some of them nothing.
fn series() -> impl Strategy<Value = Vec<(SimTime, f64)>> {
    let step = prop_oneof![1_u64..100, 1_000_000_u64..1_000_000_000, 1_000_000_000_u64..90_000_000_000];
    let value = prop_oneof![0.0..10.0, 0.0..1e6, Just(0.0)];
    (0_u64..100_000_000_000, prop::collection::vec((step, value), 1..60)).prop_map(|(mut time, steps)| {
        let point = |(step, value)| {
            time += step;
            (SimTime::from_nanos(time), value)
        };
        steps.into_iter().map(point).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn integrals_add_up_whatever_lies_between(
        of in series(), like in interpolations(), spans in prop::collection::vec(0_u64..4_000_000_000_000, 3),
    ) {
        let curve = Curve::new(&of, like, 0.5).expect("a curve");
        let mut ends: Vec<SimTime> = spans.into_iter().map(SimTime::from_nanos).collect();
        ends.sort_unstable();
        let whole = curve.integral(ends[0], ends[2]);
        let parts = curve.integral(ends[0], ends[1]) + curve.integral(ends[1], ends[2]);
        prop_assert!((whole - parts).abs() <= whole * 1e-12, "{} {}", whole, parts);
        prop_assert!((whole - summed(&curve, ends[0], ends[2])).abs() <= whole * 1e-12);
        prop_assert!(whole >= 0.499_999_999_999 * ends[2].since(ends[0]).as_secs_f64());
        let mut cursor = CurveCursor::new(curve.clone());
        for (from, to) in [(0, 2), (0, 1), (1, 2), (0, 2)] {
            let by_cursor = cursor.integral(ends[from], ends[to]);
            prop_assert_eq!(by_cursor.to_bits(), curve.integral(ends[from], ends[to]).to_bits());
            prop_assert_eq!(cursor.value_at(ends[to]).to_bits(), curve.value_at(ends[to]).to_bits());
        }
    }

    #[test]
    fn an_end_is_the_first_instant_at_which_the_integral_has_reached_the_work(
        of in series(), like in interpolations(), start in 0_u64..2_000_000_000_000, share in 0.0..1.0_f64, far: bool,
    ) {
        let curve = Curve::new(&of, like, 0.5).expect("a curve");
        let start = SimTime::from_nanos(start);
        let until = start + SimDuration::from_secs(if far { 3_000 } else { 30 });
        let work = curve.integral(start, until) * share;
        let end = curve.end(start, work).expect("before then");
        let by_bisection = bisected(&curve, start, work).expect("before then");
        // what a rounding of the sum is worth in time, and a nanosecond
        let rounding = 1 + (work * 4e-16 / 0.5 * 1e9) as u64;
        prop_assert!(end.as_nanos().abs_diff(by_bisection.as_nanos()) <= rounding, "{} {}", end, by_bisection);
        prop_assert!(end >= start && end <= until + SimDuration::from_nanos(rounding));
        prop_assert!(curve.integral(start, end) >= work * (1.0 - 1e-15));
        prop_assert_eq!(CurveCursor::new(curve.clone()).end(start, work), Some(end));
        let later = curve.end(start, work * 1.01).expect("before the end of time");
        prop_assert!(later >= end);
    }

    #[test]
    fn a_curve_is_that_of_its_interpolation_and_nowhere_below_the_least_value(
        of in series(), like in interpolations(), times in prop::collection::vec(0_u64..3_000_000_000_000, 20),
    ) {
        let (free, cut) = (Curve::new(&of, like, 0.0).expect("a curve"), Curve::new(&of, like, 2.0).expect("a curve"));
        for at in times.into_iter().map(SimTime::from_nanos) {
            let (free, cut) = (free.value_at(at), cut.value_at(at));
            prop_assert!(cut >= 2.0 && (cut - free.max(2.0)).abs() <= 1e-6 * cut, "{} {}", free, cut);
        }
        for (at, value) in of {
            prop_assert_eq!(cut.value_at(at).to_bits(), value.max(2.0).to_bits());
        }
    }

    /// Between points that are equally far apart the cubic is the straight line and a bend of at
    /// most 4/27 of the change of slope times the length of the interval.
    #[test]
    fn a_cubic_stays_near_the_straight_line(values in prop::collection::vec(100.0..1000.0_f64, 3..20), share in 0.0..1.0_f64) {
        let of: Vec<(f64, f64)> = values.iter().zip(0..).map(|(&value, index)| (f64::from(index) * 10.0, value)).collect();
        let (cubic, linear) = (curve(&of, &Cubic, 0.0), curve(&of, &Linear, 0.0));
        for index in 1..of.len() - 1 {
            let instant = at((index as f64 + share) * 10.0);
            let [before, from, to] = [index - 1, index, index + 1].map(|index| of[index].1);
            let bend = ((to - before) / 20.0 - (to - from) / 10.0).abs() * 10.0;
            let off = (cubic.value_at(instant) - linear.value_at(instant).max(0.0)).abs();
            prop_assert!(off <= bend * (4.0 / 27.0 + 1e-9) + 1e-9, "{} {}", off, bend);
        }
    }
}
