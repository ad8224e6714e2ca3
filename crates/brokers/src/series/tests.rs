//! Series in both formats, real ones, and every mistake with its place.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{MeasuredSeries, SeriesFormat, SeriesOf, read_series, read_series_csv, read_series_named};
use crate::curve::{Cubic, LEAST_AVAILABILITY, LEAST_BANDWIDTH, Linear, Stepwise, availability};
use crate::kernel::{SimDuration, SimTime};
use crate::platform::measured::{Units, Use};
use crate::registry::Problem;
use crate::registry::{Sources, Span};
use crate::text::{MOST_MISTAKES, Mistakes, read_file};

fn at(secs: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs(secs)
}

fn in_kilobytes() -> SeriesFormat {
    let mut format = SeriesFormat::new(SeriesOf::Bandwidth);
    format.units.state("bandwidth", "kBps").expect("a unit");
    format
}

fn secs(series: &MeasuredSeries) -> Vec<(f64, f64)> {
    series.points.iter().map(|(at, value)| (at.as_secs_f64(), *value)).collect()
}

/// Message, line, column and width of every mistake.
fn mistakes(read: Result<MeasuredSeries, Mistakes<Problem>>) -> Vec<(String, u64, usize, usize)> {
    let mistake = |problem: Problem| {
        let place = problem.place.expect("a place");
        (problem.message, place.line, place.column, place.width)
    };
    read.expect_err("mistakes").into_iter().map(mistake).collect()
}

fn as_text(found: &[(String, u64, usize, usize)]) -> Vec<(&str, u64, usize, usize)> {
    found.iter().map(|(what, line, column, width)| (what.as_str(), *line, *column, *width)).collect()
}

#[test]
fn lines_of_a_time_and_a_value_are_shifted_to_the_first_sample() {
    let text = "# a comment\n\n925142400.5   113\n  925142460.5\t118.5\r\n925142520.5 2Mbps\n925142580.5 -\n925142821 0\n";
    let series = read_series(text, &in_kilobytes()).expect("a series");
    assert_eq!(secs(&series), [(0.0, 113e3), (60.0, 118.5e3), (120.0, 250e3), (420.5, 0.0)]);
    assert_eq!(series.shifted_by, SimDuration::from_millis(925_142_400_500));
    assert_eq!((series.period, series.gaps, series.missing), (SimDuration::from_secs(60), 1, 1));
    let more = read_series("5 1 0.9 x\n6 2 0.8 y\n", &in_kilobytes()).expect("further columns");
    assert_eq!(secs(&more), [(0.0, 1e3), (1.0, 2e3)]);
    let one = read_series("7 1", &in_kilobytes()).expect("one sample");
    assert_eq!((one.period, one.gaps, secs(&one)), (SimDuration::ZERO, 0, vec![(0.0, 1e3)]));
}

#[test]
fn columns_have_names_and_may_be_others() {
    let expected = [(0.0, 1e3), (10.0, 2e3)];
    for text in [
        "time,value\n5,1\n15,2\n",
        "# c\nhost,value,time\na,1,5\nb,\"2\",15\n",
        "bandwidth,time\n1,5\n2,15\n",
    ] {
        let series = read_series_csv(text, &in_kilobytes()).expect(text);
        assert_eq!(secs(&series), expected, "{text}");
    }
    let named = |time: &str, value: &str| SeriesFormat {
        time: Some(time.to_owned()),
        value: Some(value.to_owned()),
        ..in_kilobytes()
    };
    let text = "at,up,down\n5,1,7\n15,2,\n25,,8\n";
    assert_eq!(secs(&read_series_csv(text, &named("at", "up")).expect("up")), expected);
    let down = read_series_csv(text, &named("at", "down")).expect("down");
    assert_eq!((secs(&down), down.missing), (vec![(0.0, 7e3), (20.0, 8e3)], 1));
    let found = mistakes(read_series_csv(text, &named("att", "top")));
    assert_eq!(
        found.iter().map(|(.., line, column, width)| (*line, *column, *width)).collect::<Vec<_>>(),
        [(1, 1, 2), (1, 1, 10)]
    );
    let found = mistakes(read_series_csv(text, &SeriesFormat::new(SeriesOf::Load)));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(mistakes(read_series_csv("time;value\n1;2\n", &in_kilobytes()))[0].0.contains("no commas"));
    let found = mistakes(read_series_csv("time,value,value\n1,2,3\n", &in_kilobytes()));
    assert_eq!(as_text(&found), [("two columns are called `value`", 1, 12, 5)]);
}

#[test]
fn gaps_are_longer_than_three_periods() {
    let series =
        read_series("0 1\n10 1\n20 1\n50 1\n60 1\n91 1\n200 1\n210 1\n", &in_kilobytes()).expect("a series");
    assert_eq!((series.period, series.gaps), (SimDuration::from_secs(10), 2));
}

#[test]
fn availabilities_and_loads_are_numbers_of_their_own() {
    let mut format = SeriesFormat::new(SeriesOf::Availability);
    let text = "0 1\n1 0.25\n2 30%\n";
    assert_eq!(secs(&read_series(text, &format).expect("shares")), [(0.0, 1.0), (1.0, 0.25), (2.0, 0.3)]);
    format.units = Units { time: 60_000_000_000, use_of: Use::UsedPercent, ..Units::default() };
    assert_eq!(secs(&read_series("0 0\n1 25\n", &format).expect("use")), [(0.0, 1.0), (60.0, 0.75)]);
    let load = SeriesFormat::new(SeriesOf::Load);
    let series = read_series("0 0\n1 3\n2 1\n", &load).expect("loads");
    assert_eq!(secs(&series), [(0.0, 0.0), (1.0, 3.0), (2.0, 1.0)]);
    let curve = series.map(availability).curve(&Stepwise, LEAST_AVAILABILITY).expect("a curve");
    assert_eq!(curve.integral(at(0), at(4)).to_bits(), (1.0 + 0.25 + 0.5 + 0.5_f64).to_bits());
    let found = mistakes(read_series("0 -1\n1 1e19\n2 2x\n3 inf\n", &load));
    assert_eq!(found.len(), 4, "{found:?}");
}

#[test]
fn every_mistake_of_a_text_is_reported_at_its_place() {
    let text = "0 1\n# c\n  3 x\nminus 1\n3 0.5\n9\n2 -4\n4 inf\n5 1 1\n6 1Mf\n7 1e99\n";
    let found = mistakes(read_series(text, &in_kilobytes()));
    let expected = [
        ("`x` does not begin with a number", 3, 5, 1),
        ("`minus` is no time", 4, 1, 5),
        ("this sample is at the time of the one before it", 5, 1, 1),
        ("this line has no value", 6, 1, 1),
        ("`-4` is negative", 7, 3, 2),
        ("this sample is earlier than the one before it", 7, 1, 1),
        ("`inf` does not begin with a number", 8, 3, 3),
        ("this line has another number of columns than the first", 9, 1, 5),
        ("`Mf` is no unit here", 10, 3, 3),
        ("`1e99` is out of range", 11, 3, 4),
    ];
    assert_eq!(as_text(&found), expected);
    let many = read_series(&"1 x\n".repeat(300), &in_kilobytes()).expect_err("mistakes");
    assert_eq!((many.len(), many.count()), (MOST_MISTAKES, 599));
}

#[test]
fn every_mistake_of_a_table_is_reported_at_its_place() {
    let found = mistakes(read_series_csv("time,value\n1\n2,-1\n0,1\n5,NaN\n5,3\n", &in_kilobytes()));
    let expected = [
        ("this line lacks a column", 2, 1, 1),
        ("`-1` is negative", 3, 3, 2),
        ("this sample is earlier than the one before it", 4, 1, 1),
        ("this sample is at the time of the one before it", 6, 1, 1),
    ];
    assert_eq!(as_text(&found), expected);
    let bare = mistakes(read_series_csv("time,value\n1,5\n", &SeriesFormat::new(SeriesOf::Bandwidth)));
    assert_eq!(as_text(&bare), [("`5` has no unit, and none was stated", 2, 3, 1)]);
    for (text, message) in [
        ("", "the series has no samples"),
        ("# none\n", "the series has no samples"),
        ("time,value\n", "the series has no samples"),
        ("time,value\n1,\n2,NaN\n", "no sample of the series has a value"),
    ] {
        let problems = read_series_csv(text, &in_kilobytes()).expect_err("nothing");
        assert_eq!((problems.len(), problems[0].message.as_str()), (1, message), "{text}");
    }
    assert_eq!(
        read_series("", &in_kilobytes()).expect_err("nothing")[0].message,
        "the series has no samples"
    );
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/public/timeseries").join(name)
}

#[test]
fn real_series_are_read_and_followed() {
    let mut sources = Sources::new("");
    let span = Span::new(sources.add("scenario.toml", "file", ""), 0..4);
    let mut format = SeriesFormat::new(SeriesOf::Availability);
    format.units.use_of = Use::UsedPercent;
    let node = read_series_named(&data("planetlab-node.txt"), ("node", span), &format).expect("PlanetLab");
    assert_eq!((node.points.len(), node.period, node.gaps), (288, SimDuration::from_secs(300), 0));
    let curve = node.curve(&Stepwise, LEAST_AVAILABILITY).expect("a curve");
    let (start, end) = (at(0), at(288 * 300));
    let mean = node.points.iter().map(|(_, value)| value).sum::<f64>() / 288.0;
    assert!((curve.mean(start, end) - mean).abs() < 1e-12);
    for instant in [1_000, 40_000, 86_399].map(at) {
        let work = curve.integral(start, instant);
        let found = curve.end(start, work).expect("before its end");
        assert!(found.as_nanos().abs_diff(instant.as_nanos()) <= 1, "{found} {instant}");
    }
    let machine = read_series_named(&data("bitbrains-network.csv"), ("machine", span), &in_kilobytes());
    let machine = machine.expect("Bitbrains");
    assert_eq!((machine.points.len(), machine.period, machine.gaps), (288, SimDuration::from_secs(300), 1));
    let [line, cubic] = [
        machine.curve(&Linear, LEAST_BANDWIDTH).expect("a curve"),
        machine.curve(&Cubic, LEAST_BANDWIDTH).expect("a curve"),
    ];
    for (instant, value) in &machine.points {
        assert_eq!(line.value_at(*instant).to_bits(), value.max(1.0).to_bits());
        assert_eq!(cubic.value_at(*instant).to_bits(), value.max(1.0).to_bits());
    }
    let missing = read_series_named(&data("none.csv"), ("none.csv", span), &format).expect_err("no file");
    assert!(missing[0].message.contains("cannot read `none.csv`") && missing[0].span == Some(span));
}

/// The node's series is a row of the table of all nodes, on a clock of its own.
#[test]
fn the_series_of_a_node_is_that_of_the_table_of_nodes() {
    let table = read_file(&data("planetlab-cpu-20110303-200hosts.csv.gz"), 1 << 24).expect("the table");
    let row = table.lines().nth(1).expect("a row");
    let mut text =
        String::from("# 146-179_surfsnel_dsl_internl_net_colostate_557, CPU use [%], 3 March 2011\n");
    for (value, index) in row.split(',').skip(1).zip(0..) {
        writeln!(text, "{} {value}", 1_299_110_400 + 300 * index).expect("a string can be written");
    }
    assert_eq!(read_file(&data("planetlab-node.txt"), 1 << 20).expect("the series"), text);
}
