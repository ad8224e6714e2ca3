//! Dumps of sound and odd records: the sound are read exactly, the odd are counted by cause.

use super::*;
use crate::kernel::SimDuration;
use crate::registry::Problem;
use crate::workload::Job;
use crate::workload::swf::{Cause, Effect, Log, Options, Report};

/// Names of the columns, in the order of [`fields`].
const HEAD: &str = "JobID|JobIDRaw|User|Group|Partition|QOS|JobName|Submit|Eligible|Start|End|ElapsedRaw|Suspended|\
     TimelimitRaw|State|AllocCPUS|ReqCPUS|AllocTRES|ReqTRES|Constraints";

/// Places in that order.
const ID: usize = 0;
const NAME: usize = 6;
const SUBMIT: usize = 7;
const START: usize = 9;
const END: usize = 10;
const ELAPSED: usize = 11;
const LIMIT: usize = 13;
const STATE: usize = 14;
const CPUS: usize = 15;
const TRES: usize = 17;
const CONSTRAINTS: usize = 19;

/// Number, submission and run time \[s\], estimate \[s\], processors.
type Plain = (u64, u64, u64, u64, u32);

/// Unix time of the first submission: Sunday, 1 March 2026, 00:00.
const FIRST: u64 = 1_772_323_200;

/// Draws that are the same on every machine.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A time of March 2026.
fn clock(secs: u64) -> String {
    let (day, rest) = ((secs - FIRST) / 86_400, (secs - FIRST) % 86_400);
    format!("2026-03-{:02}T{:02}:{:02}:{:02}", day + 1, rest / 3600, rest / 60 % 60, rest % 60)
}

/// A sound record, and the job that it is.
fn fields(number: u64, draws: &mut Draws) -> (Vec<String>, Plain) {
    let submit = FIRST + number * 60;
    let (wait, run) = (draws.below(7200), 1 + draws.below(86_400));
    let (procs, minutes) = (1 << draws.below(8), run / 60 + 1 + draws.below(600));
    let cells = [
        number.to_string(),
        number.to_string(),
        format!("u{}", draws.below(40)),
        format!("g{}", draws.below(6)),
        format!("p{}", draws.below(3)),
        "normal".to_owned(),
        format!("name {}", draws.below(9)),
        clock(submit),
        clock(submit),
        clock(submit + wait),
        clock(submit + wait + run),
        run.to_string(),
        "00:00:00".to_owned(),
        minutes.to_string(),
        "COMPLETED".to_owned(),
        procs.to_string(),
        procs.to_string(),
        format!("billing={procs},cpu={procs},mem={}M,node=1", procs * 4000),
        format!("cpu={procs},node=1"),
        String::new(),
    ];
    (cells.to_vec(), (number, submit, run, minutes * 60, procs))
}

/// An odd record: its name, the change of a sound one, and the cause under which it is counted, if
/// it is not the very same job.
type Odd = (&'static str, fn(&mut Vec<String>), Option<Cause>);

const ODD: &[Odd] = &[
    // not read
    (
        "a number of which the rest is a question mark",
        |of| of[CPUS] = "16?".to_owned(),
        Some(Cause::UnreadNumber),
    ),
    (
        "a list that names no number",
        |of| (of[CPUS], of[TRES]) = (String::new(), "cpu=many,node=1".to_owned()),
        Some(Cause::UnreadResources),
    ),
    (
        "memory past all units",
        |of| of[TRES] = "cpu=4,mem=16?,node=1".to_owned(),
        Some(Cause::UnreadResources),
    ),
    ("a negative run time", |of| of[ELAPSED] = "-16".to_owned(), Some(Cause::UnreadRunTime)),
    ("a negative run time in words", |of| of[ELAPSED] = "-0:00:16".to_owned(), Some(Cause::UnreadRunTime)),
    (
        "a negative run time of 32 bits",
        |of| of[ELAPSED] = "4294967280".to_owned(),
        Some(Cause::UnreadRunTime),
    ),
    (
        "no run time and no end",
        |of| (of[ELAPSED], of[END]) = (String::new(), "Unknown".to_owned()),
        Some(Cause::UnreadRunTime),
    ),
    (
        "an end before the start alone",
        |of| {
            of[ELAPSED].clear();
            of.swap(START, END);
        },
        Some(Cause::UnreadRunTime),
    ),
    ("a day that is none", |of| of[SUBMIT] = "2026-02-30T00:00:00".to_owned(), Some(Cause::UnreadTime)),
    ("a time in other words", |of| of[START] = "Mar 01 08:05".to_owned(), Some(Cause::UnreadTime)),
    ("a limit that is none", |of| of[LIMIT] = "soon".to_owned(), Some(Cause::UnreadTimeLimit)),
    ("a name of no job", |of| of[ID] = "job".to_owned(), Some(Cause::UnreadName)),
    ("cut short", |of| of.truncate(9), Some(Cause::UnreadFields)),
    ("bytes of no text", |of| of[NAME] = "\u{0}".to_owned(), Some(Cause::UnreadText)),
    // read as what they are
    ("bars in a name", |of| of[NAME] = "crazy||name|".to_owned(), None),
    ("ends of lines in a name", |of| of[NAME] = "two\n\nlines".to_owned(), None),
    ("ends of lines and bars in a name", |of| of[NAME] = "a|b\nc|d\n".to_owned(), None),
    ("a name as a record begins", |of| of[NAME] = "x\n12345".to_owned(), None),
    ("a name as a header", |of| of[NAME] = "JobID|State".to_owned(), None),
    ("alternatives", |of| of[CONSTRAINTS] = "zen3|zen4".to_owned(), None),
    ("alternatives in parentheses", |of| of[CONSTRAINTS] = "(zen3|zen4)&ib".to_owned(), None),
    (
        "run times in words",
        |of| {
            let secs: u64 = of[ELAPSED].parse().expect("a number");
            of[ELAPSED] =
                format!("{}-{:02}:{:02}:{:02}", secs / 86_400, secs / 3600 % 24, secs / 60 % 60, secs % 60);
        },
        None,
    ),
    ("memory in other units", |of| of[TRES] = of[TRES].replace(",mem=", ",mem=4.5G,energy="), None),
    ("a run time from start and end", |of| of[ELAPSED].clear(), None),
    ("times with their zone", |of| of[SUBMIT] += "Z", None),
    // no jobs
    ("a step", |of| of[ID] += ".batch", Some(Cause::Step)),
    ("a step of a long list", |of| of[ID] = "7_[1,2,3...].0".to_owned(), Some(Cause::Step)),
    ("pending", |of| of[STATE] = "PENDING".to_owned(), Some(Cause::Pending)),
    (
        "pending, with fields that are none",
        |of| {
            (of[STATE], of[CPUS], of[START]) = ("PENDING".to_owned(), "16?".to_owned(), "soon".to_owned());
        },
        Some(Cause::Pending),
    ),
    (
        "a list of tasks cut short",
        |of| (of[ID], of[STATE]) = ("2_[1...".to_owned(), "PENDING".to_owned()),
        Some(Cause::Pending),
    ),
    (
        "cancelled before its start",
        |of| {
            (of[STATE], of[START], of[ELAPSED]) =
                ("CANCELLED by 7".to_owned(), "None".to_owned(), "0".to_owned());
        },
        Some(Cause::CancelledBefore),
    ),
    ("running", |of| of[STATE] = "RUNNING".to_owned(), Some(Cause::StillRunning)),
    ("no time at all", |of| of[ELAPSED] = "0".to_owned(), Some(Cause::NoRunTime)),
];

fn read_with(dump: &str, most_unread: f64) -> Result<Log, Problem> {
    let reading = Reading { resources: true, most_unread, ..Reading::default() };
    read(dump.as_bytes(), &reading, None, &Options::default())
}

fn plain(log: &Log, job: &Job) -> Plain {
    let secs = |span: SimDuration| span.as_nanos() / 1_000_000_000;
    let submit = log.unix_origin().expect("dated") as u64 + job.submit_time.as_nanos() / 1_000_000_000;
    (job.number, submit, secs(job.run_time), secs(job.estimate), job.procs)
}

fn unread(report: &Report) -> u64 {
    report.total(Effect::Unread)
}

#[test]
fn sound_records_are_read_exactly_and_each_odd_one_is_counted_under_its_cause() {
    let mut draws = Draws(20_261_128);
    let (mut dump, mut expected) = (format!("{HEAD}\n"), Vec::new());
    let mut counts = [0_u64; Cause::ALL.len()];
    let (mut sound, mut odd) = (0, 0);
    for number in 1..=8000 {
        let (mut cells, job) = fields(number, &mut draws);
        let is_odd = draws.below(10) == 0;
        if is_odd {
            let (_, change, cause) = ODD[odd % ODD.len()];
            odd += 1;
            change(&mut cells);
            match cause {
                Some(cause) => counts[cause as usize] += 1,
                None => expected.push(job),
            }
        } else {
            sound += 1;
            expected.push(job);
        }
        dump += &(cells.join("|") + "\n");
    }
    assert!(odd > 600 && sound > 6000, "{odd} {sound}");
    let log = read_with(&dump, 1.0).expect("some may be missing");
    let found: Vec<Plain> = log.jobs.iter().map(|job| plain(&log, job)).collect();
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(found.len(), expected.len());
    for cause in Cause::ALL {
        let is_judged = !matches!(cause.effect(), Effect::Repaired | Effect::Kept);
        assert!(!is_judged || log.report.tally(cause).count == counts[cause as usize], "{}", cause.name());
    }
    assert_eq!(log.report.jobs, 8000);
}

#[test]
fn every_kind_of_odd_record_is_counted_by_itself() {
    for (name, change, cause) in ODD {
        let mut draws = Draws(7);
        let mut dump = format!("{HEAD}\n");
        for number in 1..=5 {
            let (mut cells, _) = fields(number, &mut draws);
            if number == 3 {
                change(&mut cells);
            }
            dump += &(cells.join("|") + "\n");
        }
        let log = read_with(&dump, 1.0).expect("some may be missing");
        let numbers: Vec<u64> = log.jobs.iter().map(|job| job.number).collect();
        let expected: &[u64] = if cause.is_some() { &[1, 2, 4, 5] } else { &[1, 2, 3, 4, 5] };
        assert_eq!(numbers, expected, "{name}");
        if let Some(cause) = cause {
            assert_eq!(log.report.tally(*cause).lines, [4], "{name}");
            let is_unread = cause.effect() == Effect::Unread;
            assert_eq!(unread(&log.report), u64::from(is_unread), "{name}");
            assert_eq!(read_with(&dump, 0.0).is_err(), is_unread, "{name}");
        }
    }
}

/// A dump of so many sound records, of which those of these numbers have an odd size.
fn with_odd(records: u64, odd: impl Fn(u64, &[String]) -> bool) -> String {
    let mut draws = Draws(3);
    let mut dump = format!("{HEAD}\n");
    for number in 1..=records {
        let (mut cells, _) = fields(number, &mut draws);
        if odd(number, &cells) {
            cells[CPUS] = "16?".to_owned();
        }
        dump += &(cells.join("|") + "\n");
    }
    dump
}

#[test]
fn a_share_of_the_records_may_be_missing() {
    let dump = with_odd(300, |number, _| number % 100 == 0);
    let log = read_with(&dump, 0.01).expect("just as many as may be");
    assert_eq!((log.jobs.len(), unread(&log.report)), (297, 3));
    assert_eq!(log.report.tally(Cause::UnreadNumber).lines, [101, 201, 301]);
    let problem = read_with(&with_odd(300, |number, _| number % 75 == 0), 0.01).expect_err("four");
    assert_eq!(
        problem.message,
        "`16?` is no number: 4 of 300 records cannot be read (1.33 %), and at most 1 % may be"
    );
    assert_eq!(problem.place.map(|place| (place.line, place.width)), Some((76, 3)));
    let help = problem.help.expect("help");
    assert!(
        help.contains("an amount of processors or nodes is no number: 4 (line 76, 151, 226, …)"),
        "{help}"
    );
    assert!(help.contains("--most-unread"), "{help}");
    // at nothing the first is a mistake, as it stands
    let problem = read_with(&dump, 0.0).expect_err("strict");
    assert_eq!(
        (problem.message.as_str(), problem.place.map(|place| place.line)),
        ("`16?` is no number", Some(101))
    );
}

#[test]
fn a_cause_may_take_a_fifth_of_a_week_a_partition_or_a_group() {
    // a hundred records a partition, of which a cause takes a share
    let message = |odd: &dyn Fn(u64, &[String]) -> bool, records| {
        read_with(&with_odd(records, odd), 0.1)
            .map_or_else(|problem| problem.message, |log| log.jobs.len().to_string())
    };
    let of = |place: usize, name: &'static str, every: u64| {
        move |number: u64, cells: &[String]| cells[place] == name && number.is_multiple_of(every)
    };
    assert!(message(&of(3, "g4", 2), 3000).contains("records of group `g4` cannot be read for one cause"));
    assert!(
        message(&of(4, "p1", 4), 3000).contains("records of partition `p1` cannot be read for one cause")
    );
    // a week of 10,080 minutes that begins on the second day
    let week = |number: u64, _: &[String]| (1440..11_520).contains(&number) && number.is_multiple_of(4);
    assert!(
        message(&week, 30_000).contains("records of the week of 2026-03-02 cannot be read for one cause")
    );
    assert!(message(&of(4, "p1", 9), 3000).parse::<u64>().is_ok(), "spread, they may be missing");
    // two of two are no pattern, three are
    let rare = |most: u64| {
        let mut dump = with_odd(600, |_, _| false);
        let mut draws = Draws(1);
        for number in 601..=600 + most {
            let (mut cells, _) = fields(number, &mut draws);
            (cells[4], cells[CPUS]) = ("rare".to_owned(), "?".to_owned());
            dump += &(cells.join("|") + "\n");
        }
        read_with(&dump, 0.01).map(|log| log.jobs.len()).map_err(|problem| problem.message)
    };
    assert_eq!(rare(2), Ok(600));
    assert!(rare(3).expect_err("three").contains("3 of 3 records of partition `rare`"));
}

#[test]
fn a_dump_without_names_of_columns_is_refused_with_those_that_are_missing() {
    let (cells, _) = fields(5, &mut Draws(1));
    let problem = read_with(&(cells.join("|") + "\n"), 0.01).expect_err("no header");
    assert_eq!(
        problem.message,
        "the dump begins with a record, and no line names its columns: JobID, Submit, ElapsedRaw, AllocCPUS"
    );
    assert!(problem.help.is_some_and(|help| help.contains("--noheader")));
    // columns for the eye, and a record that does not begin with the name of a job
    for row in
        ["5            u1     2026-03-01T08:00:00   01:00:00         64 \n", "ada|2026-03-01T08:00:00|60|4\n"]
    {
        let twice = format!("{row}{row}");
        let found = read_with(&twice, 0.01).expect_err("no header");
        assert_eq!((found.message, found.place.map(|place| place.line)), (problem.message.clone(), Some(1)));
    }
    let found = read_with("JobID|User\n1|a\n", 0.01).expect_err("too little").message;
    assert_eq!(found, "the dump has no columns Submit, ElapsedRaw, AllocCPUS");
}

#[test]
fn columns_of_a_fixed_width_are_read_as_the_dashes_rule_them() {
    let dump = "       JobID      User              Submit               Start    Elapsed  Timelimit      State  AllocCPUS \n\
                ------------ --------- ------------------- ------------------- ---------- ---------- ---------- ---------- \n\
                1               u1     2026-03-01T08:00:00 2026-03-01T08:05:00 2-03:04:05 3-00:00:00  COMPLETED         64 \n\
                2_[1,3,5,+      u1     2026-03-01T08:00:00             Unknown   00:00:00 3-00:00:00    PENDING          2 \n\
                1.batch                2026-03-01T08:00:00 2026-03-01T08:05:00   01:00:00             COMPLETED         64 \n\
                3               u2     2026-03-01T08:10:00 2026-03-01T08:15:00   01:00:00   02:00:00 CANCELLED+      2.25K \n\
                4           a long+    2026-03-01T08:10:00 2026-03-01T08:15:00   01:00:00   02:00:00     FAILED        16? \n";
    let log = read_with(dump, 1.0).expect("right");
    let found: Vec<Plain> = log.jobs.iter().map(|job| plain(&log, job)).collect();
    let eight = FIRST + 8 * 3600;
    assert_eq!(found, [(1, eight, 183_845, 259_200, 64), (3, eight + 600, 3600, 7200, 2304)]);
    let lines =
        [Cause::Pending, Cause::Step, Cause::UnreadNumber].map(|cause| log.report.tally(cause).lines.clone());
    assert_eq!(lines, [[4], [5], [7]]);
    let problem = read_with("JobID Submit\n1 2\n", 1.0).expect_err("no rule");
    assert_eq!(problem.message, "this is no line of column names with `|` between them");
    assert_eq!(read_with("JobID Submit\n", 1.0).expect_err("no rule").place.map(|place| place.line), Some(1));
}

#[test]
fn records_torn_by_ends_of_lines_are_joined_or_counted_once() {
    let sound = |number: u64| fields(number, &mut Draws(number)).0.join("|");
    let named = |number: u64, name: &str| {
        let mut cells = fields(number, &mut Draws(number)).0;
        name.clone_into(&mut cells[NAME]);
        cells.join("|")
    };
    // the first record is cut short, and the next one is whole
    let cut = sound(2).split('|').take(8).collect::<Vec<_>>().join("|");
    let dump = format!("{HEAD}\n{}\n{cut}\n{}\n{}\n", sound(1), sound(3), named(4, "a\nb|c\r\nd"));
    let log = read_with(&dump, 1.0).expect("right");
    assert_eq!(log.jobs.iter().map(|job| job.number).collect::<Vec<_>>(), [1, 3, 4]);
    assert_eq!(log.report.tally(Cause::UnreadFields).lines, [3]);
    // two that are cut short are two, and so is one at the end of a part of joined dumps
    let dump =
        format!("{HEAD}\n{}\n{cut}\n{cut}\n{}\n{cut}\n{HEAD}\n{}\n{cut}", sound(1), sound(3), sound(4));
    let log = read_with(&dump, 1.0).expect("right");
    assert_eq!(log.jobs.len(), 3);
    assert_eq!(log.report.tally(Cause::UnreadFields).lines, [3, 4, 6, 9]);
}
