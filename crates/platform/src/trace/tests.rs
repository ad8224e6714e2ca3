//! Values of traces, and ends of work by them, worked by hand.

use super::*;

fn secs(secs: f64) -> SimTime {
    SimTime::ZERO + SimDuration::ceil_secs(secs)
}

fn trace(points: &[(f64, f64)], periodicity: Option<f64>) -> Trace {
    let points: Vec<(SimTime, f64)> = points.iter().map(|&(time, value)| (secs(time), value)).collect();
    Trace::new(&points, periodicity.map(SimDuration::ceil_secs)).expect("points of a test")
}

/// A host of speed 10 and work of 100: 50 by 5 s, 15 by 8, none by 10, 20 by 12, where it begins
/// again, and 15 at full speed.
#[test]
fn work_waits_while_nothing_is_available_and_goes_on_when_the_trace_comes_round() {
    let host = trace(&[(0.0, 1.0), (5.0, 0.5), (8.0, 0.0), (10.0, 1.0)], Some(2.0));
    assert_eq!(host.finish(SimTime::ZERO, 100.0 / 10.0), Some(secs(13.5)));
    assert_eq!(host.integral(SimTime::ZERO, secs(13.5)).to_bits(), 10.0_f64.to_bits());
    // from the middle of the standstill, and 100 rounds of 8.5 later
    assert_eq!(host.finish(secs(9.0), 2.0), Some(secs(12.0)));
    assert_eq!(host.finish(secs(9.0), 2.0 + 850.0), Some(secs(1_212.0)));
    assert_eq!(host.finish(secs(9.0), 2.0 + 850.0 + 0.25), Some(secs(1_212.25)));
    let changes: Vec<Option<SimTime>> =
        [0.0, 7.9, 8.0, 11.0, 12.0].map(|at| host.next_change(secs(at))).into();
    assert_eq!(changes, [5.0, 8.0, 10.0, 12.0, 17.0].map(|at| Some(secs(at))));
    let values = [0.0, 4.9, 5.0, 8.0, 10.0, 12.0, 17.0].map(|at| host.value_at(secs(at)));
    assert_eq!(format!("{values:?}"), "[1.0, 1.0, 0.5, 0.0, 1.0, 1.0, 0.5]");
}

/// 16,749,766 flop at 1 Mflop/s, of which a half is available at first: by seconds at full
/// availability a nanosecond later.
#[test]
fn whole_work_at_a_whole_rate_ends_exactly_where_the_value_holds() {
    let nanos = |trace: &Trace, from, work| {
        trace.finish_at(secs(from), work, 2e6).map(|end| end.since(secs(from)).as_nanos())
    };
    let half = trace(&[(0.0, 0.5), (100.0, 1.0)], None);
    assert_eq!(nanos(&half, 0.0, 16_749_766.0), Some(16_749_766_000));
    assert_eq!(nanos(&half, 100.0, 33_499_532.0), Some(16_749_766_000));
    assert_eq!(
        half.finish(secs(100.0), 16.749_766),
        Some(secs(100.0) + SimDuration::from_nanos(16_749_766_001))
    );
    // half of the speed until 100 s, and all of it from then on
    assert_eq!(nanos(&half, 90.0, 30e6), Some(20_000_000_000));
    assert_eq!((nanos(&half, 0.0, 0.0), nanos(&trace(&[(0.0, 0.0)], None), 0.0, 1.0)), (Some(0), None));
}

#[test]
fn work_that_ends_with_a_round_ends_before_the_zeros_of_the_next() {
    let host = trace(&[(0.0, 0.0), (3.0, 1.0)], Some(1.0));
    assert_eq!(host.finish(SimTime::ZERO, 1.0), Some(secs(4.0)));
    assert_eq!(host.finish(SimTime::ZERO, 3.0), Some(secs(12.0)));
    assert_eq!(host.finish(secs(3.0), 2.0), Some(secs(8.0)));
    assert_eq!(trace(&[(0.0, 0.0), (3.0, 0.0)], Some(1.0)).finish(secs(1.0), 1.0), None);
    assert_eq!(trace(&[(0.0, 1.0), (3.0, 0.0)], None).finish(secs(1.0), 2.5), None);
    assert_eq!(trace(&[(0.0, 1.0), (3.0, 0.0)], None).finish(secs(1.0), 2.0), Some(secs(3.0)));
}

#[test]
fn before_the_first_point_the_fixed_value_holds_and_after_the_last_its_own() {
    let link = trace(&[(2.0, 5.0), (4.0, 20.0)], None).before(10.0);
    assert_eq!(link.integral(secs(1.0), secs(5.0)).to_bits(), 40.0_f64.to_bits());
    assert_eq!(link.finish(SimTime::ZERO, 30.0), Some(secs(4.0)));
    assert_eq!(link.finish(SimTime::ZERO, 50.0), Some(secs(5.0)));
    assert_eq!(link.finish(secs(10.0), 50.0), Some(secs(12.5)));
    assert_eq!(link.next_change(secs(4.0)), None);
    // the first point comes back 6 s after the last: a round takes 8 s, and begins at 2 s
    let round = trace(&[(2.0, 5.0), (4.0, 20.0)], Some(6.0)).before(10.0);
    assert_eq!(round.next_change(secs(4.0)), Some(secs(10.0)));
    assert_eq!(round.value_at(secs(10.0)).to_bits(), 5.0_f64.to_bits());
}

#[test]
fn a_circular_trace_may_begin_in_its_middle() {
    let host = trace(&[(0.0, 1.0), (5.0, 0.5), (8.0, 0.0), (10.0, 1.0)], Some(2.0));
    let later = host.clone().offset(SimDuration::from_secs(9));
    assert_eq!(later.finish(SimTime::ZERO, 2.0), Some(secs(3.0)));
    assert_eq!(later.next_change(SimTime::ZERO), Some(secs(1.0)));
    assert_eq!(later.integral(secs(1.0), secs(5.0)).to_bits(), 4.0_f64.to_bits());
    let measured = trace(&[(1000.0, 3.0), (1001.0, 4.0)], None).from_first();
    assert_eq!(measured.value_at(SimTime::ZERO).to_bits(), 3.0_f64.to_bits());
}

#[test]
fn points_that_are_no_trace_are_refused() {
    let at = SimTime::from_nanos;
    assert_eq!(Trace::new(&[(at(5), 1.0), (at(5), 2.0)], None), Err(TraceError::NotRising(1)));
    assert_eq!(Trace::new(&[(at(5), f64::NAN)], None), Err(TraceError::Value(0)));
    assert_eq!(Trace::new(&[(at(5), -0.5)], None), Err(TraceError::Value(0)));
    assert_eq!(Trace::new(&[], Some(SimDuration::from_secs(1))), Err(TraceError::Periodicity));
    assert_eq!(Trace::new(&[(at(5), 1.0)], Some(SimDuration::ZERO)), Err(TraceError::Periodicity));
    let far = Trace::new(&[(at(0), 1e-300)], None).expect("a slow trace");
    assert_eq!(far.finish(SimTime::ZERO, 1.0), Some(SimTime::MAX));
}

#[test]
fn the_mean_is_that_of_a_round_or_between_the_first_and_last_points() {
    let mean = |points: &[(f64, f64)], periodicity| trace(points, periodicity).mean();
    assert_eq!(Trace::constant(0.3).mean().to_bits(), 0.3_f64.to_bits());
    assert_eq!(mean(&[(5.0, 0.25)], None).to_bits(), 0.25_f64.to_bits());
    assert_eq!(mean(&[(0.0, 1.0), (3.0, 0.0), (4.0, 9.0)], None).to_bits(), 0.75_f64.to_bits());
    assert_eq!(mean(&[(2.0, 1.0), (5.0, 0.0)], Some(1.0)).to_bits(), 0.75_f64.to_bits());
}

#[test]
fn the_least_value_counts_what_holds_before_the_first_point_only_if_it_ever_does() {
    let late = trace(&[(2.0, 0.5), (4.0, 0.25)], None).before(0.125);
    assert_eq!(late.least().to_bits(), 0.125_f64.to_bits());
    assert_eq!(late.offset(SimDuration::from_secs(2)).least().to_bits(), 0.25_f64.to_bits());
    assert_eq!(Trace::constant(0.5).least().to_bits(), 0.5_f64.to_bits());
}
