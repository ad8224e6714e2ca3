//! Dumps in local time over the ends of summer time, and suspended jobs.

use super::*;
use crate::registry::Problem;
use crate::units::calendar::date_time;
use crate::workload::swf::{Cause, Log, Options};
use crate::workload::{Attribute, Job};

const HEAD: &str = "JobID|Submit|Start|End|ElapsedRaw|Suspended|State|AllocCPUS\n";

fn read_on(clock: SiteClock, rows: &[&str]) -> Result<Log, Problem> {
    let dump: String =
        [HEAD.to_owned()].into_iter().chain(rows.iter().map(|row| format!("{row}\n"))).collect();
    read(
        dump.as_bytes(),
        &Reading { clock, most_unread: 1.0, ..Reading::default() },
        None,
        &Options::default(),
    )
}

fn paris() -> SiteClock {
    SiteClock::parse("Europe/Paris").expect("known")
}

/// Unix seconds of a submission and of a start.
fn times(log: &Log, number: u64) -> (i64, i64) {
    let job: &Job = log.jobs.iter().find(|job| job.number == number).expect("there");
    let secs = |nanos: u64| (nanos / 1_000_000_000).cast_signed();
    let submit = log.unix_origin().expect("dated") + secs(job.submit_time.as_nanos());
    (submit, submit + job.recorded_wait().map_or(0, |wait| secs(wait.as_nanos())))
}

/// Unix seconds of a time that is so many hours ahead of UTC.
fn at(text: &str, ahead: i64) -> i64 {
    date_time(text).expect("right").0 - ahead * 3600
}

#[test]
fn hours_that_are_repeated_are_those_that_the_run_time_says() {
    // clocks of Paris showed 02:00 to 03:00 twice on 25 October 2026
    let log = read_on(
        paris(),
        &[
            // 40 minutes: start in the first, end in the second of the hours
            "1|2026-10-25T01:00:00|2026-10-25T02:50:00|2026-10-25T02:30:00|2400|00:00:00|COMPLETED|1",
            // from the second hour to 04:00, of winter
            "2|2026-10-25T01:00:01|2026-10-25T02:30:00|2026-10-25T04:00:00|5400|00:00:00|COMPLETED|1",
            // from the first hour
            "3|2026-10-25T01:00:02|2026-10-25T02:30:00|2026-10-25T04:00:00|9000|00:00:00|COMPLETED|1",
            // the same, with a suspension of an hour
            "4|2026-10-25T01:00:03|2026-10-25T02:30:00|2026-10-25T04:00:00|5400|01:00:00|COMPLETED|1",
            // both in either hour: the earlier
            "5|2026-10-25T01:00:04|2026-10-25T02:10:00|2026-10-25T02:20:00|600|00:00:00|COMPLETED|1",
            // no reading fits: the earlier
            "6|2026-10-25T01:00:05|2026-10-25T02:10:00|2026-10-25T04:00:00|77|00:00:00|COMPLETED|1",
            // a submission that nothing decides
            "7|2026-10-25T02:15:00|2026-10-25T05:00:00|2026-10-25T06:00:00|3600|00:00:00|COMPLETED|1",
        ],
    )
    .expect("right");
    let half = "2026-10-25T02:30:00";
    assert_eq!(times(&log, 1), (at("2026-10-25T01:00:00", 2), at("2026-10-25T02:50:00", 2)));
    let starts = [2, 3, 4, 5, 6].map(|number| times(&log, number).1);
    let ten = "2026-10-25T02:10:00";
    assert_eq!(starts, [at(half, 1), at(half, 2), at(half, 2), at(ten, 2), at(ten, 2)]);
    assert_eq!(times(&log, 7), (at("2026-10-25T02:15:00", 2), at("2026-10-25T05:00:00", 1)));
    assert_eq!(log.report.tally(Cause::AmbiguousHour).lines, [6, 7, 8]);
    assert_eq!(log.report.tally(Cause::ClockJump).count, 0);
    let runs: Vec<u64> = log.jobs.iter().map(|job| job.run_time.as_nanos() / 1_000_000_000).collect();
    assert_eq!(runs, [2400, 5400, 9000, 5400, 600, 77, 3600]);
    assert_eq!(log.header.utc_offset(), Some(7200));
}

#[test]
fn one_time_of_day_for_submission_and_start_is_one_instant() {
    let head = "JobID|Submit|Eligible|Start|End|ElapsedRaw|State|AllocCPUS\n";
    // each zone with a day on which an hour is repeated (Lord Howe: half of one), its offsets in
    // seconds before and after, and a time in that hour
    let zones = [
        ("Europe/Paris", "2026-10-25", 7200, 3600, "02:30:00", "04:00:00"),
        ("America/New_York", "2026-11-01", -14_400, -18_000, "01:30:00", "03:00:00"),
        ("Australia/Lord_Howe", "2026-04-05", 39_600, 37_800, "01:45:00", "03:15:00"),
    ];
    for (zone, day, before, after, twice, end) in zones {
        let (from, to) = (format!("{day}T{twice}"), format!("{day}T{end}"));
        let by_clock = date_time(&to).expect("right").0 - date_time(&from).expect("right").0;
        for (offset, ran) in [(after, by_clock), (before, by_clock + before - after)] {
            let dump = format!("{head}1|{from}|{from}|{from}|{to}|{ran}|COMPLETED|1\n");
            for eligible in [false, true] {
                let clock = SiteClock::parse(zone).expect("known");
                let reading = Reading { clock, eligible, most_unread: 0.0, ..Reading::default() };
                let log = read(dump.as_bytes(), &reading, None, &Options::default()).expect("right");
                let instant = date_time(&from).expect("right").0 - offset;
                assert_eq!(times(&log, 1), (instant, instant), "{zone} {ran}");
                assert_eq!(log.report.tally(Cause::AmbiguousHour).count, 0, "{zone} {ran}");
                assert_eq!(log.report.tally(Cause::HeldBack).count, 0, "{zone} {ran}");
            }
        }
    }
}

#[test]
fn an_hour_that_does_not_exist_proves_the_zone_wrong() {
    let rows = ["1|2026-03-29T01:00:00|2026-03-29T02:30:00|2026-03-29T04:00:00|5400|00:00:00|COMPLETED|1"];
    let problem = read_on(paris(), &rows).expect_err("skipped");
    assert_eq!(problem.message, "no clock of this zone showed 2026-03-29T02:30:00: it was set forward then");
    assert_eq!(problem.place.map(|place| (place.line, place.column)), Some((2, 23)));
    // clocks of New York were set forward three weeks before
    let new_york = SiteClock::parse("America/New_York").expect("known");
    assert!(read_on(new_york, &rows).is_ok());
}

#[test]
fn without_a_zone_jumps_propose_a_rule() {
    let note = |rows: &[&str]| {
        let log = read_on(SiteClock::Fixed(3600), rows).expect("right");
        let note =
            log.header.entries().find(|(_, value)| value.starts_with("times of day")).map(|(_, note)| note);
        (log.report.tally(Cause::ClockJump).lines.clone(), note.unwrap_or_default().to_owned())
    };
    let plain = "1|2026-01-05T01:00:00|2026-01-05T02:00:00|2026-01-05T03:00:00|3600|00:00:00|COMPLETED|1";
    assert_eq!(note(&[plain]), (Vec::new(), String::new()));
    let spring = "2|2026-03-28T20:00:00|2026-03-28T22:00:00|2026-03-29T08:00:00|32400|00:00:00|COMPLETED|1";
    let autumn = "3|2026-10-25T01:00:00|2026-10-25T02:50:00|2026-10-25T02:30:00|2400|00:00:00|COMPLETED|1";
    let (lines, european) = note(&[plain, spring, autumn]);
    assert!(
        lines == [3, 4] && european.contains("rule of the EU (") && !european.contains("Europe/"),
        "{european}"
    );
    let american = "2|2026-03-07T20:00:00|2026-03-07T22:00:00|2026-03-08T08:00:00|32400|00:00:00|COMPLETED|1";
    assert!(note(&[plain, american]).1.contains("rule of the US ("));
    // times that state their zone do not jump
    let zoned = "2|2026-03-28T20:00:00Z|2026-03-28T22:00:00Z|2026-03-29T08:00:00Z|32400|00:00:00|COMPLETED|1";
    assert_eq!(note(&[zoned]).0, [] as [u64; 0]);
}

#[test]
fn suspension_is_noted_and_is_no_run_time() {
    let rows = [
        "1|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T12:00:00|3600|03:00:00|COMPLETED|64",
        "2|2026-03-01T08:30:00|2026-03-01T09:00:00|2026-03-01T12:00:00|10800|00:00:00|COMPLETED|64",
        // not stated, and stated with the suspension in it
        "3|2026-03-01T08:30:01|2026-03-01T09:00:00|2026-03-01T12:00:00||01:00:00|COMPLETED|64",
        "4|2026-03-01T08:30:02|2026-03-01T09:00:00|2026-03-01T12:00:00|10800|01:00:00|COMPLETED|64",
    ];
    let log = read_on(SiteClock::Fixed(0), &rows).expect("right");
    let runs: Vec<u64> = log.jobs.iter().map(|job| job.run_time.as_nanos() / 1_000_000_000).collect();
    assert_eq!(runs, [3600, 10_800, 7200, 7200]);
    assert_eq!(log.report.tally(Cause::Suspended).lines, [2, 4, 5]);
    assert!(log.attributes.has(Attribute::Suspended));
    let kept = [0, 1, 2, 3].map(|place| log.attributes.of(place).suspended);
    assert_eq!(kept, [Some(10_800_000), Some(0), Some(3_600_000), Some(3_600_000)]);
    assert_eq!(log.report.tally(Cause::ClockJump).count, 0);
}
