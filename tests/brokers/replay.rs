//! Figures 6 to 9 of HPDC 1999 as a test: what monitors measure on a replayed network is what was
//! measured on the real one, and so are forecasts by both; where real measurements were lost the
//! same are to be left out of the replay.
//!
//! The real network is a synthetic day: a mean of 120 KB/s, 40 % up and down with the hour, and
//! noise with memory. Its samples, one a minute, are the measurements of the day; the replay has
//! the curve through them, and a monitor that sends 300 KB every minute.

use std::f64::consts::TAU;
use std::fmt::Write;

use clustersim_forecast::{Forecaster, SlidingMedian, Smoothing};
use clustersim_kernel::rng::Streams;

use clustersim_testing::program::Place;

/// Samples of a day.
const SAMPLES: usize = 1440;

/// The day of a seed \[bytes/s\].
fn day(seed: u64) -> Vec<f64> {
    let mut stream = Streams::new(seed, 0).stream("replay/day");
    let (mean, memory, deviation) = (120e3, 0.9_f64, 0.15);
    let mut noise = 0.0;
    // a sinusoid by turning a point a little further each minute: the same on every machine
    let angle = TAU / SAMPLES as f64;
    let square = angle * angle;
    let (sine, cosine) = (angle * (1.0 - square / 6.0), 1.0 - square / 2.0 * (1.0 - square / 12.0));
    let mut point = (1.0, 0.0);
    let value = |_| {
        // near enough to normal
        let drawn = (0..12).map(|_| stream.uniform01()).sum::<f64>() - 6.0;
        noise = memory * noise + deviation * (1.0 - memory * memory).sqrt() * drawn;
        let hour = 0.4 * point.1;
        point = (cosine * point.0 - sine * point.1, sine * point.0 + cosine * point.1);
        (mean * (1.0 + hour + noise)).max(0.1 * mean)
    };
    (0..SAMPLES).map(value).collect()
}

/// The minutes of which the measurement is lost, one in twenty.
fn lost(seed: u64) -> Vec<bool> {
    let mut stream = Streams::new(seed, 0).stream("replay/lost");
    (0..SAMPLES).map(|sample| sample > 0 && stream.uniform01() < 0.05).collect()
}

/// What a monitor measures on the curve through the samples that were not lost: by minute, nothing
/// where none was made.
fn replayed(samples: &[f64], lost: &[bool], drops: bool) -> Vec<Option<f64>> {
    let place = Place::new();
    let (mut series, mut instants) = (String::new(), String::new());
    for (minute, value) in samples.iter().enumerate() {
        if lost[minute] {
            writeln!(instants, "{}", 60 * minute).unwrap();
        } else {
            writeln!(series, "{} {value}", 60 * minute).unwrap();
        }
    }
    let drop = if drops { "drop-at = \"lost.txt\", " } else { "" };
    let scenario = format!(
        r#"
title = "A day, replayed"
platform.server = [{{ name = "s", performance = "100Mop/s" }}]
platform.queue = [{{ name = "up", model = {{ kind = "measured", file = "day.txt", unit = "Bps" }} }}, {{ name = "down", bandwidth = "1MBps" }}]
platform.path = [{{ send = ["up"], receive = ["down"] }}]
monitor.network = {{ every = "60s", probe = "300kB", {drop}latency = false }}
record.measurements = true
client = [{{ name = "c", tasks = 1, arrivals = "86399s", class = [{{ instructions = "1Mop" }}] }}]
"#
    );
    place.file("day.txt", series).file("lost.txt", instants).file("s.toml", scenario);
    let output = place.run(&["run", "s.toml", "-q", "--no-progress", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let table = String::from_utf8(place.read("out/measurements.csv")).unwrap();
    let mut measured = vec![None; SAMPLES];
    for line in table.lines().filter(|line| line.contains(",bandwidth,c,s,")) {
        let cells: Vec<&str> = line.split(',').collect();
        let at: f64 = cells[0].parse().unwrap();
        measured[(at / 60.0) as usize] = Some(cells[4].parse().unwrap());
    }
    measured
}

/// What a forecaster says of each minute before it is measured.
fn forecasts(mut forecaster: impl Forecaster, values: &[Option<f64>]) -> Vec<Option<f64>> {
    let next = |value: &Option<f64>| {
        let forecast = forecaster.next();
        if let Some(value) = value {
            forecaster.add(*value);
        }
        forecast
    };
    values.iter().map(next).collect()
}

/// Pearson's correlation, and the relative differences in order, of what both have.
fn agreement(one: &[Option<f64>], other: &[Option<f64>]) -> (f64, Vec<f64>) {
    let both: Vec<(f64, f64)> =
        one.iter().zip(other).filter_map(|(one, other)| Some(((*one)?, (*other)?))).collect();
    assert!(both.len() > SAMPLES * 9 / 10, "{} compared", both.len());
    let count = both.len() as f64;
    let mean = both.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0 / count, sum.1 + pair.1 / count));
    let moments = both.iter().fold([0.0; 3], |[x, y, xy], pair| {
        let (dx, dy) = (pair.0 - mean.0, pair.1 - mean.1);
        [x + dx * dx, y + dy * dy, xy + dx * dy]
    });
    let mut differences: Vec<f64> = both.iter().map(|(one, other)| (other - one).abs() / one).collect();
    differences.sort_by(f64::total_cmp);
    (moments[2] / (moments[0] * moments[1]).sqrt(), differences)
}

/// The mean absolute error of forecasts.
fn error(forecasts: &[Option<f64>], values: &[Option<f64>]) -> f64 {
    let errors: Vec<f64> = forecasts
        .iter()
        .zip(values)
        .filter_map(|(forecast, value)| Some(((*forecast)? - (*value)?).abs()))
        .collect();
    errors.iter().sum::<f64>() / errors.len() as f64
}

/// F7: correlation 0.999 or more, median difference 0.3 % at most, 95 % of them within 1.5 %;
/// forecasts too, whose errors differ by 1 % at most.
#[test]
fn a_replayed_day_is_measured_and_forecast_as_the_real_one() {
    for seed in 1998..2001 {
        let samples = day(seed);
        let real: Vec<Option<f64>> = samples.iter().copied().map(Some).collect();
        let replay = replayed(&samples, &[false; SAMPLES], false);
        let like = |what: &str, one: &[Option<f64>], other: &[Option<f64>]| {
            let (correlation, differences) = agreement(one, other);
            let (median, most) =
                (differences[differences.len() / 2], differences[differences.len() * 95 / 100]);
            assert!(
                correlation >= 0.999 && median <= 0.003 && most <= 0.015,
                "{what}: {correlation} {median} {most}"
            );
        };
        like("measured", &real, &replay);
        let medians = [&real, &replay].map(|values| forecasts(SlidingMedian::new(5), values));
        let smooth = [&real, &replay].map(|values| forecasts(Smoothing::new(0.5), values));
        for (what, [one, other]) in [("median of 5", medians), ("smoothing by 0.5", smooth)] {
            like(what, &one, &other);
            let (one, other) = (error(&one, &real), error(&other, &replay));
            assert!((one - other).abs() <= 0.01 * one, "{what}: {one} {other}");
        }
    }
}

/// F8: forecasts differ by more than 4 % somewhere if the replay measures what was lost of the real
/// day, and by 3 % at most, in the median 0.3 %, if it leaves out the same.
#[test]
fn the_same_measurements_left_out_bring_forecasts_together() {
    for seed in 1998..2001 {
        let (samples, lost) = (day(seed), lost(seed));
        let real: Vec<Option<f64>> =
            samples.iter().zip(&lost).map(|(value, is_lost)| (!is_lost).then_some(*value)).collect();
        let by_real = forecasts(Smoothing::new(0.5), &real);
        let differences = |drops: bool| {
            let replay = replayed(&samples, &lost, drops);
            agreement(&by_real, &forecasts(Smoothing::new(0.5), &replay)).1
        };
        let (all, same) = (differences(false), differences(true));
        assert!(*all.last().unwrap() > 0.04, "{:?}", all.last());
        assert!(*same.last().unwrap() <= 0.03 && same[same.len() / 2] <= 0.003, "{:?}", same.last());
    }
}

/// F8: an availability that is read at instants is that of the series, to the last bit.
#[test]
fn readings_of_a_replayed_server_are_its_series() {
    let place = Place::new();
    let mut stream = Streams::new(1998, 0).stream("replay/availability");
    let values: Vec<f64> = (0..500).map(|_| 0.05 + 0.95 * stream.uniform01()).collect();
    let mut series = String::new();
    for (sample, value) in values.iter().enumerate() {
        writeln!(series, "{} {value}", 10 * sample).unwrap();
    }
    place.file("cpu.txt", series).file(
        "s.toml",
        r#"
title = "A server, replayed"
platform.server = [{ name = "s", performance = "100Mop/s", availability = "cpu.txt" }]
platform.queues.bandwidth = "1MBps"
monitor.server.every = "10s"
record.measurements = true
client = [{ name = "c", tasks = 1, arrivals = "4995s", class = [{ send = "1B" }] }]
"#,
    );
    let output = place.run(&["run", "s.toml", "-q", "--no-progress", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let table = String::from_utf8(place.read("out/measurements.csv")).unwrap();
    let read: Vec<f64> = table
        .lines()
        .filter(|line| line.contains(",availability,"))
        .map(|line| line.rsplit(',').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(read, values);
}
