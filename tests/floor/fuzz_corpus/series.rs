//! What holds for any bytes read as a measured series, as lines of a time and a value or as
//! comma-separated values.

use clustersim_brokers::curve::{Cubic, Curve, CurveCursor, Interpolation, Linear, Stepwise, availability};
use clustersim_brokers::series::{MeasuredSeries, SeriesFormat, SeriesOf, read_series, read_series_csv};
use clustersim_jobs::workload::source::Problem;
use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::text::{MOST_MISTAKES, Mistakes};
use clustersim_platform::measured::{Units, Use};

/// Points of a series that are visited.
const VISITED: usize = 64;

/// Reading is total and repeatable. It gives samples at rising times, and curves through them, or
/// mistakes that lie in their lines.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let bare = Units { bandwidth: Some(1e3), time: 1_000_000, use_of: Use::UsedPercent, ..Units::default() };
    for of in [SeriesOf::Bandwidth, SeriesOf::Availability, SeriesOf::Load] {
        let column = |name: &str| Some(name.to_owned());
        let named = SeriesFormat { time: column("at"), value: column("v"), ..SeriesFormat::new(of) };
        for format in [SeriesFormat::new(of), SeriesFormat { units: bare.clone(), ..named }] {
            checked(text, &format, read_series);
            checked(text, &format, read_series_csv);
        }
    }
}

type Read = fn(&str, &SeriesFormat) -> Result<MeasuredSeries, Mistakes<Problem>>;

fn checked(text: &str, format: &SeriesFormat, read: Read) {
    match (read(text, format), read(text, format)) {
        (Ok(series), Ok(again)) => {
            assert_eq!(series, again, "read twice, it differs");
            sound(&series, format.of);
        }
        (Err(problems), Err(again)) => {
            assert_eq!(format!("{problems:?}"), format!("{again:?}"), "read twice, it differs");
            assert!((1..=MOST_MISTAKES).contains(&problems.len()));
            assert!(problems.iter().all(|problem| !problem.message.is_empty()));
            assert!(problems.iter().filter_map(|problem| problem.place.as_ref()).all(|place| place.line > 0));
        }
        _ => panic!("read twice, it differs"),
    }
}

fn sound(series: &MeasuredSeries, of: SeriesOf) {
    let points = &series.points;
    assert_eq!(points[0].0, SimTime::ZERO, "the first sample is at 0");
    assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0), "times rise");
    assert!(points.iter().all(|(_, value)| (0.0..=1e18).contains(value)));
    assert!(series.gaps < points.len() as u64);
    assert_eq!(series.period == SimDuration::ZERO, points.len() == 1);
    let series = if of == SeriesOf::Load { series.clone().map(availability) } else { series.clone() };
    for like in [&Cubic as &dyn Interpolation, &Linear, &Stepwise] {
        followed(&series.curve(like, 0.001).expect("a curve through a series"), &series);
    }
}

/// A curve passes through its points, and work ends where the integral has reached it.
fn followed(curve: &Curve, series: &MeasuredSeries) {
    let mut cursor = CurveCursor::new(curve.clone());
    assert_eq!(curve.points().count(), series.points.len());
    let (mut start, mut gathered) = (SimTime::ZERO, 0.0);
    for &(at, value) in series.points.iter().take(VISITED) {
        assert_eq!(curve.value_at(at).to_bits(), value.max(0.001).to_bits());
        let work = cursor.integral(start, at);
        assert!(work >= 0.000_999 * at.since(start).as_secs_f64(), "{work} from {start:?} to {at:?}");
        gathered += work;
        if let Some(end) = cursor.end(start, work) {
            assert_eq!(curve.end(start, work), Some(end));
            assert!(end >= start && curve.value_at(end) >= 0.001);
            // what a rounding of the work is worth in time, and a nanosecond
            let rounding = 2 + (work * 1e-15 / 0.001 * 1e9) as u64;
            assert!(end.as_nanos().abs_diff(at.as_nanos()) <= rounding, "{end:?} {at:?}");
        }
        start = at;
    }
    let whole = curve.integral(SimTime::ZERO, start);
    assert!((whole - gathered).abs() <= whole * 1e-9, "{whole} {gathered}");
}
