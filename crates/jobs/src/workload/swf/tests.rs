//! Reading logs, line by line.

use proptest::prelude::*;

use crate::kernel::{SimDuration, SimTime};
use crate::units::Moment;
use crate::units::calendar::NoInstant;
use crate::workload::Job;

use super::*;

/// A job line of the fields that matter.
fn job(number: &str, submit: &str, run: &str, procs: &str, asked_procs: &str, asked: &str) -> String {
    format!("{number} {submit} 7 {run} {procs} -1 -1 {asked_procs} {asked} -1 1 3 4 -1 0 -1 -1 -1\n")
}

fn log(text: &str) -> Result<Log, Error> {
    read(text.as_bytes(), &Options::default())
}

#[test]
fn a_plain_line_gives_a_job() {
    let log =
        log(&format!("; MaxProcs: 64\n{}", job("15", "599850", "3477", "4", "4", "53940"))).expect("fine");
    let job = &log.jobs[0];
    assert_eq!((job.number, job.procs, job.user, job.group), (15, 4, 3, 4));
    assert_eq!((job.submit_time, log.origin), (SimTime::ZERO, SimDuration::from_secs(599_850)));
    assert_eq!((job.run_time, job.estimate), (SimDuration::from_secs(3477), SimDuration::from_secs(53_940)));
    assert_eq!(job.recorded_wait(), Some(SimDuration::from_secs(7)));
    assert_eq!((log.attributes.of(0).executable, job.queue(), job.partition()), (None, Some(0), None));
    assert_eq!((log.header.procs(), log.report.tallies().count()), (Some(64), 0));
}

#[test]
fn memory_is_what_was_requested_or_used_if_it_is_asked_for() {
    let line =
        |used: &str, requested: &str| format!("1 0 7 10 2 -1 {used} 2 10 {requested} 1 3 4 -1 0 -1 -1 -1\n");
    let text = [line("100", "200"), line("100", "-1"), line("-1", "0")].concat();
    let asked = |memory| {
        let log = read(text.as_bytes(), &Options { memory, ..Options::default() }).expect("fine");
        let of = |job: &Job| log.demands.of(job.demand).memory / 1024;
        log.jobs.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(asked(Memory::Ignored), [0, 0, 0]);
    assert_eq!(asked(Memory::Requested), [200, 100, 0]);
    assert_eq!(asked(Memory::Used), [100, 100, 0]);
}

#[test]
fn each_unknown_field_is_dropped_or_repaired_by_its_rule() {
    let text = [
        job("-1", "0", "10", "-1", "8", "-1"),
        job("2", "0", "0", "1", "1", "5"),
        job("3", "0", "-1", "-1", "-1", "5"),
        job("4", "0", "9", "0", "-1", "5"),
        job("5", "-1", "9", "1", "-1", "5"),
        job("6", "3", "9", "1", "-1", "5"),
    ]
    .concat();
    let log = log(&text).expect("two jobs are left");
    let counts: Vec<_> = log.report.tallies().map(|(cause, tally)| (cause.name(), tally.count)).collect();
    let expected = [
        ("no-run-time", 2),
        ("no-procs", 1),
        ("no-submit-time", 1),
        ("procs-from-request", 1),
        ("estimate-from-run-time", 1),
        ("estimate-raised", 1),
        ("no-job-number", 1),
    ];
    assert_eq!(counts, expected);
    assert_eq!(log.jobs.len(), 2);
    assert_eq!((log.jobs[0].procs, log.jobs[0].number), (8, 1));
    assert_eq!(log.jobs[1].estimate, SimDuration::from_secs(9));
}

#[test]
fn late_submissions_are_sorted_stably_and_counted() {
    let text = ["5", "9", "4", "9", "4"].map(|submit| job("1", submit, "1", "1", "1", "1"));
    let numbered = text.iter().enumerate().map(|(line, text)| text.replacen('1', &line.to_string(), 1));
    let log = log(&numbered.collect::<String>()).expect("fine");
    assert_eq!(log.jobs.iter().map(|job| job.number).collect::<Vec<_>>(), [2, 4, 0, 1, 3]);
    assert_eq!(log.report.tally(Cause::LateSubmit).lines, [3, 5]);
    assert_eq!(log.origin, SimDuration::from_secs(4));
}

#[test]
fn a_number_that_two_jobs_have_is_counted_and_kept() {
    let numbers = ["3", "1", "3", "7", "1", "3", "-1", "9"];
    let text = numbers.map(|number| job(number, "0", "1", "1", "1", "1")).concat();
    let log = log(&text).expect("fine");
    // the job without a number is called 7, by its place, as another one is
    assert_eq!(*log.report.tally(Cause::NumberTwice), Tally { count: 4, lines: vec![3, 5, 6, 7] });
    assert_eq!(log.jobs.iter().map(|job| job.number).collect::<Vec<_>>(), [3, 1, 3, 7, 1, 3, 7, 9]);
    assert_eq!((log.report.total(Effect::Dropped), log.report.total(Effect::Kept)), (0, 4));
}

#[test]
fn the_wild_forms_are_read() {
    let wild = "\u{feff}\r\n0\t1356996147 0 56011.5 64 489.00 1024 64 86400 68719476736 1 62 1 1 -1 1 1 1 \
                {1241,1241} q 1:ppn=12 \r\n  \t\n";
    let log = log(wild).expect("fine");
    assert_eq!(log.jobs[0].number, 0);
    assert_eq!(log.jobs[0].run_time, SimDuration::from_millis(56_011_500));
    assert_eq!(log.report.tally(Cause::ExtraFields).count, 1);
    assert_eq!((log.unix_origin(), log.header.procs()), (Some(1_356_996_147), None));
}

#[test]
fn a_window_counts_from_the_first_kept_submission() {
    let text = ["100", "110", "120", "130"].map(|submit| job("1", submit, "1", "1", "1", "1")).concat();
    let window = LogWindow {
        from: Some(SimDuration::from_secs(10).into()),
        to: Some(SimDuration::from_secs(30).into()),
    };
    let log = read(text.as_bytes(), &Options { window, ..Options::default() }).expect("two jobs are left");
    assert_eq!(log.jobs.len(), 2);
    assert_eq!(log.jobs[1].submit_time, SimTime::from_nanos(10_000_000_000));
    assert_eq!((log.origin, log.report.tally(Cause::OutsideWindow).count), (SimDuration::from_secs(110), 2));
    let upside_down = LogWindow { from: window.to, to: window.from };
    let nothing = read(text.as_bytes(), &Options { window: upside_down, ..Options::default() });
    assert_eq!(nothing.map_err(|error| error.kind), Err(ErrorKind::EmptyWindow));
}

#[test]
fn a_window_may_have_dates_where_the_log_has_a_calendar() {
    let hours = |hour: u64| job("1", &(hour * 3600).to_string(), "1", "1", "1", "1");
    let jobs: String = (0..48).map(hours).collect();
    // time 0 is Thursday, 1 January 1970, 22:00 local time
    let head = "; UnixStartTime: 72000\n; TimeZone: 7200\n";
    let cut = |head: &str, from: &str, to: &str| {
        let moment = |text: &str| Moment::parse(text).ok();
        let window = LogWindow { from: moment(from), to: moment(to) };
        let log = read(format!("{head}{jobs}").as_bytes(), &Options { window, ..Options::default() })?;
        Ok((log.origin.as_nanos() / 3_600_000_000_000, log.jobs.len()))
    };
    assert_eq!(cut(head, "1970-01-02T06:00", "saturday 00:00"), Ok((8, 18)));
    assert_eq!(cut(head, "1970-01-02T06:00Z", "12h"), Ok((10, 2)));
    assert_eq!(cut(head, "1970-01-01T00:00", "friday 00:00"), Ok((0, 2)), "from before the log");
    let kind = |found: Result<_, Error>| found.map_err(|error| error.kind);
    assert_eq!(kind(cut(head, "0s", "1970-01-01T22:00")), Err(ErrorKind::EmptyWindow));
    let no_offset = kind(cut("; UnixStartTime: 72000\n", "friday 06:00", "9d"));
    assert_eq!(no_offset, Err(ErrorKind::NoInstant("from", NoInstant::NoOffset)));
    assert_eq!(kind(cut("", "0s", "friday 06:00")), Err(ErrorKind::NoInstant("to", NoInstant::NoCalendar)));
}

#[test]
fn errors_have_line_and_column() {
    let good = job("1", "0", "1", "1", "1", "1");
    let error = |bad: &str| log(&format!("; a comment\n{good}{bad}")).expect_err("bad").to_string();
    assert_eq!(error("1 2 3\n"), "3:6: a job line has 18 fields, this one has 3");
    assert_eq!(error(&job("1", "x7", "1", "1", "1", "1")), "3:3: field 2 (submit time) is not a number");
    assert_eq!(
        error(&job("1", "0", "1", "1.5", "1", "1")),
        "3:9: field 5 (allocated processors) is not a whole number"
    );
    assert_eq!(
        error(&job("1", "0", "9000000001", "1", "1", "1")),
        "3:7: field 4 (run time) is out of range: at most 9000000000"
    );
    assert_eq!(error("\0\u{1}\u{2}"), "3:1: this is not a text: it holds byte 0x00");
    assert_eq!(log("").expect_err("bad").kind, ErrorKind::Empty);
    assert_eq!(log("; MaxProcs: 4\n").expect_err("bad").kind, ErrorKind::NoJobs);
    assert_eq!(log(&job("1", "0", "-1", "1", "1", "1")).expect_err("bad").kind, ErrorKind::NothingKept(1));
}

proptest! {
    #[test]
    fn any_bytes_give_a_log_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes, &Options::default());
    }

    #[test]
    fn any_numbers_give_a_log_or_an_error(
        fields in prop::collection::vec("[-+]?[0-9]{0,21}(\\.[0-9]{0,11})?(e[0-9]{1,3})?", 10..40),
    ) {
        let _ = read(fields.join(" ").as_bytes(), &Options::default());
    }
}
