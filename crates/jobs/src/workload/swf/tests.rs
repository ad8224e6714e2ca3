//! Reading logs, line by line.

use proptest::prelude::*;

use crate::kernel::{SimDuration, SimTime};
use crate::units::Moment;
use crate::units::calendar::NoInstant;
use crate::workload::estimate::{Rule, Source};
use crate::workload::resources::NodeUse;
use crate::workload::{Attribute, Job};

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

/// The log of this text with other fields at the end of its line.
fn log_of_extra(text: &str, more: &str) -> Log {
    log(&text.replace("q 1:ppn=12", more)).expect("fine")
}

#[test]
fn the_wild_forms_are_read() {
    let wild = "\u{feff}\r\n0\t1356996147 0 56011.5 64 489.00 1024 64 86400 68719476736 1 62 1 1 -1 1 1 1 \
                {1241,1241} q 1:ppn=12 \r\n  \t\n";
    let log = log(wild).expect("fine");
    assert_eq!(log.jobs[0].number, 0);
    assert_eq!(log.jobs[0].run_time, SimDuration::from_millis(56_011_500));
    // fields 19 to 21 are those of CERIT-SC's log
    assert_eq!((log.attributes.of(0).nodes, log.jobs[0].queue()), (Some(1), Some(1)));
    let odd = log_of_extra(wild, "q 1:ppn=12 more");
    assert_eq!((odd.report.tally(Cause::ExtraFields).count, odd.jobs[0].queue()), (1, None));
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

/// Counts and sums of a log of 21 fields: lines, jobs, jobs with GPUs, GPU-seconds,
/// processor-seconds, node-seconds, first submission, users, dropped.
fn figures(text: &str, options: &Options) -> [u64; 9] {
    let log = read(text.as_bytes(), options).expect("a log");
    let sum = |of: &dyn Fn(usize) -> u64| {
        let each = log.jobs.iter().enumerate();
        each.map(|(place, job)| of(place) * job.run_time.as_nanos() / 1_000_000_000).sum::<u64>()
    };
    let gpus = |place: usize| u64::from(log.attributes.of(place).gpus.unwrap_or(0));
    let mut users: Vec<u32> = log.jobs.iter().map(|job| job.user).collect();
    users.sort_unstable();
    users.dedup();
    [
        log.report.jobs,
        log.jobs.len() as u64,
        (0..log.jobs.len()).filter(|&place| gpus(place) > 0).count() as u64,
        sum(&gpus),
        sum(&|place| log.jobs[place].procs.into()),
        sum(&|place| log.attributes.of(place).nodes.unwrap_or(0).into()),
        log.unix_origin().expect("a date") as u64,
        users.len() as u64,
        log.report.total(Effect::Dropped),
    ]
}

const ALEA: &str = include_str!("../../../../../tests/data/extended-swf/synthetic-alea.swf");
const FRONTIER: &str = include_str!("../../../../../tests/data/extended-swf/synthetic-frontier.swf");

#[test]
fn logs_of_21_fields_have_their_known_counts() {
    for fields in [FieldForm::Auto, FieldForm::Alea] {
        let options = Options { fields, ..Options::default() };
        assert_eq!(figures(ALEA, &options), [40, 40, 28, 60_620, 2_496_312, 194_300, 1_735_690_303, 4, 0]);
        assert_eq!(
            figures(FRONTIER, &options),
            [50, 48, 19, 361_709_016, 5_821_615_688, 70_544_886, 1_704_067_895, 9, 2]
        );
    }
    let standard = Options { fields: FieldForm::Standard, ..Options::default() };
    let log = read(ALEA.as_bytes(), &standard).expect("a log");
    assert_eq!(
        (log.report.tally(Cause::ExtraFields).count, log.attributes.has(Attribute::Gpus)),
        (40, false)
    );
}

#[test]
fn layouts_gpus_and_nodes_of_their_own_are_asked_for_where_that_is_said() {
    let lines = "1 0 0 9 5 -1 -1 5 60 64 1 1 1 -1 -1 -1 -1 -1 6 30 fast:excl:2x4\n\
                 2 1 0 9 3 -1 -1 3 -1 -1 1 1 1 -1 -1 -1 -1 -1 -1 20 all\n\
                 3 2 0 9 8 -1 -1 8 60 -1 1 1 1 -1 -1 -1 -1 -1 {4,4,4,4,7,7,7,7} q_1d 2:ppn=4:x86_64#excl\n\
                 4 3 0 9 2 -1 -1 2 60 -1 1 1 1 -1 7 -1 -1 -1 {4,4} q_1d 1:ppn=2+1:ppn=1\n";
    let options = Options { resources: true, memory: Memory::Requested, ..Options::default() };
    let log = read(lines.as_bytes(), &options).expect("a log");
    let of = |place: usize| {
        let demand = log.demands.of(log.jobs[place].demand);
        let names: Vec<&str> = log.demands.features().names_of(demand.features).collect();
        (demand.procs, demand.gpus, demand.memory, demand.node_use, names)
    };
    assert_eq!(of(0), (4, 3, 64 << 10, NodeUse::Exclusive, vec!["?fast"]));
    assert_eq!(of(1), (3, 0, 0, NodeUse::Shared, vec![]));
    assert_eq!(of(2), (4, 0, 0, NodeUse::Exclusive, vec!["x86_64"]));
    assert_eq!(of(3), (2, 0, 0, NodeUse::Shared, vec![]));
    assert_eq!(log.report.tally(Cause::Features).lines, [4]);
    let sizes: Vec<_> = (0..4).map(|place| (log.jobs[place].procs, log.attributes.of(place).nodes)).collect();
    assert_eq!(sizes, [(8, Some(2)), (3, Some(3)), (8, Some(2)), (2, Some(1))]);
    // queues by their names, but where the log has a number
    let queues: Vec<_> = log.jobs.iter().map(Job::queue).collect();
    assert_eq!(queues, [Some(1), Some(2), Some(3), Some(7)]);
    let named: Vec<&str> = log.header.entries().map(|(_, value)| value).collect();
    assert_eq!(named, ["1 fast", "2 all", "3 q_1d"]);
    // the limit counts before the soft wall time, unless that is asked for
    let estimates = |source| {
        let estimate = Rule { source, ..Rule::default() };
        let log = read(lines.as_bytes(), &Options { estimate, ..Options::default() }).expect("a log");
        log.jobs.iter().map(|job| job.estimate.as_nanos() / 1_000_000_000).collect::<Vec<_>>()
    };
    assert_eq!(estimates(Source::Requested), [60, 20, 60, 60]);
    assert_eq!(estimates(Source::Soft), [30, 20, 60, 60]);
    assert_eq!(estimates(Source::Exact), [9; 4]);
}

#[test]
fn a_field_that_is_not_of_the_form_stated_has_its_place() {
    let line = "1 0 0 9 5 -1 -1 5 60 64 1 1 1 -1 -1 -1 -1 -1";
    for (more, at) in [
        (" x 30 all", "1:46: field 19"),
        (" 1 30 a=b", "1:51: field 21"),
        (" 1 30 7x4000000000", "1:51: field 21"),
    ] {
        let options = Options { fields: FieldForm::Alea, ..Options::default() };
        let wrong = read(format!("{line}{more}\n").as_bytes(), &options).expect_err("of no such form");
        assert!(wrong.to_string().starts_with(at), "{wrong}");
    }
    // two lines of 18 fields are no log of 21
    let plain = format!("{line}\n");
    assert!(read(plain.as_bytes(), &Options { fields: FieldForm::Cerit, ..Options::default() }).is_err());
    assert!(read(plain.as_bytes(), &Options::default()).is_ok());
}

#[test]
fn a_line_of_eighteen_fields_has_no_form_of_twenty_one() {
    let text = job("1", "0", "10", "4", "4", "20");
    let wrong = |text: &str, fields: FieldForm| {
        let error = read(text.as_bytes(), &Options { fields, ..Options::default() }).expect_err("refused");
        error.to_string()
    };
    for fields in [FieldForm::Alea, FieldForm::Cerit] {
        assert!(
            wrong(&text, fields).contains("the line has 18 fields, and the form"),
            "{}",
            wrong(&text, fields)
        );
    }
    let more = text.replace('\n', " 3 x\n");
    assert!(
        wrong(&more, FieldForm::Alea).contains("the line has 20 fields"),
        "{}",
        wrong(&more, FieldForm::Alea)
    );
    let other = text.replace('\n', " 3 x all\n");
    assert!(wrong(&other, FieldForm::Alea).contains("field 20 is not"), "{}", wrong(&other, FieldForm::Alea));
}
