//! Reservations of processors: who waits for them, who is interrupted, and whether they have what
//! they need.

use std::fs;
use std::sync::Arc;

use clustersim_cluster::batch::machine::{Reservation, ReservationUse, Reservations};
use clustersim_cluster::instrument::{Reason, SiteModel};
use clustersim_cluster::judge::{self, Attempt, Piece, RequestedReservation, Row};
use clustersim_cluster::policy::{Detail, Feature, Outcomes, Setting, Watching, simulate_watched};
use clustersim_jobs::workload::{Job, Walltime};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimError, SimTime, Simulation};
use clustersim_language::ids::JobId;
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::cluster::{jobs, metric, policy, rows, run, starts};
use clustersim_testing::program::Place;

pub(crate) const SPACE: [&str; 9] = [
    "'fcfs'",
    "'easy'",
    "'conservative'",
    "'sjf'",
    "'first-fit'",
    "'best-fit'",
    "'worst-fit'",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', reservations = 3 } }",
    "{ kind = 'space-sharing', backfill = 'easy-sjbf' }",
];
/// Estimates that are corrected while jobs run.
const CORRECTED: &str = "'easy-plus-plus'";

pub(crate) fn at(seconds: u64) -> SimTime {
    SimTime::from_secs(seconds).unwrap()
}

/// One of so many processors from one instant to another [s], known from the start.
fn maintenance(from: u64, to: u64, procs: u32) -> Reservation {
    Reservation {
        number: 1,
        time: 1,
        from: at(from),
        to: at(to),
        known: SimTime::ZERO,
        procs,
        purpose: ReservationUse::Maintenance,
        shrinks: false,
    }
}

fn advance(from: u64, to: u64, procs: u32) -> Reservation {
    Reservation { purpose: ReservationUse::Advance, ..maintenance(from, to, procs) }
}

fn reserved_at(
    jobs: &Arc<Vec<Job>>,
    procs: u32,
    name: &str,
    reservations: &[Reservation],
    site: SiteModel,
) -> Result<Outcomes, SimError> {
    let all = Reservations { all: reservations.to_vec(), ..Reservations::NONE };
    reserved_with(jobs, procs, name, all, site)
}

pub(crate) fn reserved_with(
    jobs: &Arc<Vec<Job>>,
    procs: u32,
    name: &str,
    reservations: Reservations,
    site: SiteModel,
) -> Result<Outcomes, SimError> {
    let setting = Setting { procs, level: 1, until: None, warm_up: WarmUp::None, site };
    let detail = Detail::Job { resources: None, faults: None, reservations, pools: Vec::new() };
    simulate_watched(Arc::clone(jobs), setting, policy(name), Simulation::new(1), detail, Watching::default())
}

pub(crate) fn reserved(
    jobs: &Arc<Vec<Job>>,
    procs: u32,
    name: &str,
    reservations: &[Reservation],
) -> Outcomes {
    reserved_at(jobs, procs, name, reservations, SiteModel::default()).unwrap()
}

/// (job, start, end) of the runs that were interrupted [s].
fn attempts(outcomes: &Outcomes) -> Vec<(u32, u64, u64)> {
    let secs = |at: SimTime| at.as_nanos() / 1_000_000_000;
    outcomes
        .record
        .outages()
        .attempts()
        .iter()
        .map(|one| (one.job.0, secs(one.start), secs(one.end)))
        .collect()
}

/// What reservations had: (processors, from, to [s]).
fn taken(outcomes: &Outcomes) -> Vec<(String, u64, u64)> {
    let secs = |at: SimTime| at.as_nanos() / 1_000_000_000;
    let all = outcomes.record.reserved().taken().iter();
    all.map(|one| (one.processors.to_string(), secs(one.from), secs(one.to))).collect()
}

/// The run as the validator knows it.
pub(crate) fn known(outcomes: &Outcomes, reservations: &[Reservation]) -> judge::Reservations {
    let record = &outcomes.record;
    let asked = reservations.iter().map(|one| RequestedReservation {
        which: (one.number, one.time),
        from: one.from,
        to: one.to,
        known: one.known,
        procs: one.procs,
        interrupts: one.purpose == ReservationUse::Maintenance,
        shrinks: false,
    });
    let pieces = record.reserved().taken().iter();
    let pieces = pieces.map(|one| Piece { which: one.which, on: one.processors, from: one.from, to: one.to });
    let attempts = record.outages().attempts().iter().map(|one| Attempt {
        number: outcomes.jobs[one.job.index()].number,
        submit_time: outcomes.jobs[one.job.index()].submit_time,
        start: one.start,
        end: one.end,
        on: one.on.clone(),
        kept: one.kept,
        gpus: one.gpus.to_vec(),
        sized: None,
    });
    judge::Reservations {
        requested: asked.collect(),
        pieces: pieces.collect(),
        attempts: attempts.collect(),
        ..judge::Reservations::default()
    }
}

#[test]
fn nobody_is_started_who_would_run_into_maintenance_of_the_whole_machine() {
    // (submission, processors, run time, request): the second would end at 110 if it started at 60
    let all = jobs(&[(0, 4, 60, 60), (10, 6, 50, 50), (20, 4, 30, 30), (30, 2, 100, 100)]);
    let window = [maintenance(100, 150, 8)];
    let begun = |name| {
        let outcomes = reserved(&all, 8, name, &window);
        assert_eq!((attempts(&outcomes), taken(&outcomes)), (vec![], vec![("0-7".to_owned(), 100, 150)]));
        starts(&outcomes)
    };
    // nothing overtakes: the third and fourth wait behind the second, which waits for the
    // maintenance
    assert_eq!(begun("'fcfs'"), [0, 150, 200, 200]);
    // the second is promised 150; the third is over at 50; the fourth would run into the
    // maintenance, and starts beside the second
    assert_eq!(begun("'easy'"), [0, 150, 20, 150]);
    assert_eq!(begun("'conservative'"), [0, 150, 20, 150]);
    assert_eq!(begun("'first-fit'"), [0, 150, 20, 150]);
}

#[test]
fn the_head_is_promised_the_time_after_a_reservation_and_not_delayed_by_those_who_overtake() {
    // half of the machine from 100 to 150; the first needs three quarters
    let all = jobs(&[(0, 6, 120, 120), (1, 4, 200, 200), (2, 4, 98, 98)]);
    let begun = |name| starts(&reserved(&all, 8, name, &[advance(100, 150, 4)]));
    assert_eq!(begun("'fcfs'"), [150, 270, 270]);
    // the second leaves the reservation what it needs, but not the first at 150; the third is over
    // at 100
    assert_eq!(begun("'easy'"), [150, 270, 2]);
    assert_eq!(begun("'conservative'"), [150, 270, 2]);
    // whatever fits starts: the second until 201, and the third beside it until 100
    assert_eq!(begun("'first-fit'"), [201, 1, 2]);
}

#[test]
fn a_job_that_ends_as_a_reservation_begins_is_in_nobodys_way() {
    for purpose in [ReservationUse::Maintenance, ReservationUse::Advance] {
        let window = Reservation { purpose, ..maintenance(50, 60, 8) };
        let all = jobs(&[(0, 8, 50, 50), (60, 8, 5, 5)]);
        let outcomes = reserved(&all, 8, "'fcfs'", &[window]);
        assert_eq!((starts(&outcomes), attempts(&outcomes)), (vec![0, 60], vec![]));
        assert_eq!(taken(&outcomes), [("0-7".to_owned(), 50, 60)]);
        assert_eq!(metric(&outcomes, "reservations.late"), Some(0.0));
    }
}

#[test]
fn maintenance_that_nobody_knew_of_interrupts_the_jobs_with_the_highest_processors() {
    let all = jobs(&[(0, 3, 100, 100), (0, 3, 100, 100), (0, 2, 40, 40)]);
    let window = Reservation { known: at(50), ..maintenance(50, 80, 4) };
    let outcomes = reserved(&all, 8, "'easy'", &[window]);
    // two processors are free at 50; the second job has the other two, and its third is free then
    assert_eq!(attempts(&outcomes), [(1, 0, 50)]);
    assert_eq!(starts(&outcomes), [0, 80, 0]);
    assert_eq!(taken(&outcomes), [("6-7".to_owned(), 50, 80), ("4-5".to_owned(), 50, 80)]);
    let reasons: Vec<Reason> = outcomes.record.outcomes().map(|one| one.reason).collect();
    assert_eq!(reasons, [Reason::Head, Reason::ReservationOver, Reason::Head]);
    let all_of = |names: [&str; 5]| names.map(|name| metric(&outcomes, name));
    let counts = [
        "jobs.interrupted",
        "interruptions",
        "reservations.started",
        "reservations.late",
        "reservations.lateness",
    ];
    assert_eq!(all_of(counts), [1.0, 1.0, 1.0, 0.0, 0.0].map(Some));
    // 50 s on three processors are done again; jobs have 300 + 150 + 300 + 80 processor seconds of
    // 8 for 180 s
    assert_eq!(metric(&outcomes, "processor-time.lost"), Some(150.0));
    assert_eq!(metric(&outcomes, "reservations.processor-time"), Some(120.0));
    assert_eq!(metric(&outcomes, "utilization"), Some(830.0 / 1440.0));
    // from 50 to 80 the second waits and one processor is free
    assert_eq!(metric(&outcomes, "loss-of-capacity"), Some(30.0 / 1440.0));
    // known before, it is waited for
    let outcomes = reserved(&all, 8, "'easy'", &[maintenance(50, 80, 4)]);
    assert_eq!((starts(&outcomes), attempts(&outcomes)), (vec![0, 80, 0], vec![]));
}

#[test]
fn an_advance_reservation_waits_for_jobs_that_outlast_their_estimates() {
    let all = jobs(&[(0, 4, 70, 30), (10, 2, 10, 10), (55, 2, 5, 5), (56, 1, 5, 5), (95, 1, 1, 1)]);
    for name in ["'fcfs'", "'easy'", "'conservative'", "'first-fit'"] {
        let outcomes = reserved(&all, 8, name, &[advance(50, 90, 6)]);
        // four processors are free at 50, and of those that are at 70 it takes the highest two
        assert_eq!(taken(&outcomes), [("4-7".to_owned(), 50, 90), ("2-3".to_owned(), 70, 90)], "{name}");
        assert_eq!(attempts(&outcomes), []);
        // conservative backfilling moves reservations that a job past its estimate holds up, one
        // behind the other
        let begun = if name == "'conservative'" { [0, 10, 76, 71, 95] } else { [0, 10, 70, 75, 95] };
        assert_eq!(starts(&outcomes), begun, "{name}");
        assert_eq!(metric(&outcomes, "reservations.late"), Some(1.0));
        assert_eq!(metric(&outcomes, "reservations.lateness"), Some(20.0));
        assert_eq!(metric(&outcomes, "reservations.processor-time"), Some(4.0 * 40.0 + 2.0 * 20.0));
    }
}

#[test]
fn a_reservation_that_becomes_known_moves_what_was_promised() {
    // the second is promised 100, until it is known at 50 that there is a reservation then
    let all = jobs(&[(0, 8, 100, 100), (1, 8, 20, 20), (60, 8, 1, 1)]);
    let window = Reservation { known: at(50), ..maintenance(110, 150, 8) };
    let outcomes = reserved(&all, 8, "'conservative'", &[window]);
    assert_eq!((starts(&outcomes), attempts(&outcomes)), (vec![0, 150, 100], vec![]));
    assert_eq!(metric(&outcomes, "reservations.moved"), Some(1.0));
}

#[test]
fn a_job_that_is_interrupted_is_limited_anew() {
    let all = jobs(&[(0, 1, 90, 30)]);
    let site = SiteModel {
        walltime: Some(Walltime { grace: SimDuration::from_secs(0), ..Walltime::default() }),
        ..SiteModel::default()
    };
    let window = Reservation { known: at(20), ..maintenance(20, 25, 1) };
    let outcomes = reserved_at(&all, 1, "'fcfs'", &[window], site).unwrap();
    assert_eq!((starts(&outcomes), outcomes.record.outcome(JobId(0)).end), (vec![25], at(55)));
}

#[test]
fn policies_that_do_not_plan_around_reservations_say_so() {
    let gang = policy("{ kind = 'gang' }");
    assert!(gang.refuses(&[Feature::Reservations]).is_empty(), "it plans around none, and none needs it");
    for beyond in [Feature::AdvanceReservations, Feature::ReservedPools] {
        assert!(!gang.refuses(&[Feature::Reservations, beyond]).is_empty());
        for name in SPACE {
            assert!(policy(name).refuses(&[Feature::Reservations, beyond]).is_empty(), "{name}");
        }
    }
}

/// Four of 8 processors are maintained from 100 to 150 s. The second job is promised 150 s: from 60 s
/// on it would be in the way. The third leaves it enough at that time, the fourth would not; it
/// requests 300 s and runs for 60.
#[test]
fn each_option_of_easy_means_the_same_around_reservations() {
    let all = jobs(&[(0, 4, 60, 60), (10, 6, 50, 50), (20, 2, 300, 300), (30, 2, 60, 300)]);
    let window = maintenance(100, 150, 4);
    let begun = |all: &Arc<Vec<Job>>, options: &str| {
        let rule = format!("{{ kind = 'space-sharing', backfill = {{ kind = 'easy', {options} }} }}");
        starts(&reserved_at(all, 8, &rule, &[window], SiteModel::default()).unwrap())
    };
    assert_eq!(begun(&all, "extra = 'count'"), [0, 150, 20, 200]);
    assert_eq!(begun(&all, "extra = 'none'"), [0, 150, 150, 200]);
    assert_eq!(begun(&all, "extra = 'all'"), [0, 150, 20, 30]);
    assert_eq!(begun(&all, "judged-by = 'run-time'"), [0, 150, 20, 30]);
    // as it requests, the fourth is in the way at 150 s
    let long = jobs(&[(0, 4, 60, 60), (10, 6, 50, 50), (20, 2, 300, 300), (30, 2, 300, 300)]);
    assert_eq!(begun(&long, "extra = 'all'"), [0, 320, 20, 30]);
    // the first ends early, and then the second would be over before the maintenance
    let early = jobs(&[(0, 4, 30, 95), (10, 6, 50, 50), (20, 2, 300, 300)]);
    assert_eq!(begun(&early, "head-reservation = 'recomputed'"), [0, 30, 20]);
    assert_eq!(begun(&early, "head-reservation = 'kept'"), [0, 150, 20]);
}

pub(crate) fn any_jobs(perfect: bool) -> impl Strategy<Value = Arc<Vec<Job>>> {
    let job = (0..40_u64, 1..=8_u32, 1..60_u64, 0..40_u64);
    prop::collection::vec(job, 1..40).prop_map(move |rows| {
        let (mut at, mut all) = (0, Vec::new());
        for (gap, procs, run, more) in rows {
            at += gap;
            let estimate = match more {
                _ if perfect => run,
                _ if more % 2 == 0 => run + more,
                _ => 1 + run / 2,
            };
            all.push((at, procs, run, estimate));
        }
        jobs(&all)
    })
}

/// Reservations that together never need more than 8 processors: up to three beside each other,
/// each repeated.
pub(crate) fn any_reservations(short_notice: bool) -> impl Strategy<Value = Vec<Reservation>> {
    let one = (0..150_u64, 1..60_u64, 0..80_u64, 1..6_u32, any::<bool>(), prop::option::of(0..90_u64));
    let split = prop::sample::select(vec![vec![8], vec![3, 5], vec![1, 3, 4], vec![2]]);
    (prop::collection::vec(one, 3), split).prop_map(move |(ones, split)| {
        let mut all = Vec::new();
        for (number, (procs, (first, lasts, pause, times, interrupts, notice))) in
            (1..).zip(split.into_iter().zip(ones))
        {
            for time in 1..=times {
                let from = first + u64::from(time - 1) * (lasts + pause);
                let purpose = if interrupts { ReservationUse::Maintenance } else { ReservationUse::Advance };
                let notice = notice.filter(|_| short_notice);
                let known = at(notice.map_or(0, |notice| from.saturating_sub(notice)));
                all.push(Reservation {
                    number,
                    time,
                    from: at(from),
                    to: at(from + lasts),
                    known,
                    procs,
                    purpose,
                    shrinks: false,
                });
            }
        }
        all
    })
}

/// All that the validator looks at.
fn look(outcomes: &Outcomes, reservations: &[Reservation], name: &str) -> Result<(), TestCaseError> {
    let known = known(outcomes, reservations);
    let mut last = rows(outcomes);
    let mut all = last.clone();
    all.extend(known.attempts.iter().map(|one| {
        let own = last.iter().find(|row| row.number == one.number).unwrap();
        Row { start: one.start, end: one.end, on: one.on.clone(), ..own.clone() }
    }));
    let over = last.iter().map(|row| row.end).max().unwrap();
    prop_assert_eq!(judge::interrupted_by_maintenance(&mut last, &known), [], "{}", name);
    prop_assert_eq!(judge::each_job(&last, 8), [], "{}", name);
    prop_assert_eq!(judge::no_overlap(&all), [], "{}", name);
    prop_assert_eq!(judge::exclusive(&all, &known), [], "{}", name);
    prop_assert_eq!(judge::granted(&all, &known, 8, over, &[]), [], "{}", name);
    if name == CORRECTED {
        return Ok(());
    }
    prop_assert_eq!(judge::respects_reservations(&all, &known, 8), [], "{}", name);
    if known.attempts.is_empty() {
        if name == "'fcfs'" {
            prop_assert_eq!(judge::in_order(&last), []);
        }
        if name.contains("-fit") {
            prop_assert_eq!(
                judge::nothing_fits_on(&last, judge::Supply::reserved(8, &known)),
                [],
                "{}",
                name
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn who_knows_of_reservations_and_of_run_times_is_in_nobodys_way(
        all in any_jobs(true),
        reservations in any_reservations(false),
    ) {
        for name in SPACE {
            let outcomes = reserved(&all, 8, name, &reservations);
            prop_assert!(!outcomes.stopped);
            prop_assert_eq!(attempts(&outcomes), [], "{}", name);
            prop_assert_eq!(metric(&outcomes, "reservations.late"), Some(0.0), "{}", name);
            if name == "'conservative'" {
                prop_assert_eq!(metric(&outcomes, "reservations.moved"), Some(0.0));
            }
            look(&outcomes, &reservations, name)?;
        }
    }

    #[test]
    fn reservations_have_what_they_need_and_jobs_all_leave(
        all in any_jobs(false),
        reservations in any_reservations(true),
    ) {
        for name in SPACE.into_iter().chain([CORRECTED]) {
            let outcomes = reserved(&all, 8, name, &reservations);
            prop_assert!(!outcomes.stopped);
            look(&outcomes, &reservations, name)?;
        }
    }

    #[test]
    fn a_reservation_that_begins_when_all_is_over_changes_nothing(all in any_jobs(false)) {
        for name in SPACE {
            let outcomes = reserved(&all, 8, name, &[advance(100_000, 100_001, 8)]);
            let plain = run(&all, 8, policy(name)).unwrap();
            prop_assert!(starts(&outcomes) == starts(&plain), "{}", name);
        }
    }
}

const SCENARIO: &str = r#"
title = "Maintenance and what was promised"

[cluster]
procs = 8

[[cluster.reservation]]
at = "100s"
for = "50s"
every = "200s"
times = 2

[[cluster.reservation]]
at = "160s"
for = "40s"
processors = 6
use = "advance"
notice = "20s"

[workload]
kind = "swf"
file = "log.swf"
estimate-floor = "none"

[policy]
kind = "POLICY"
"#;

/// (number, submission, processors, run time, request)
const JOBS: [(u32, u32, u32, u32, u32); 6] = [
    (1, 0, 4, 60, 60),
    (2, 10, 6, 50, 50),
    (3, 20, 4, 30, 30),
    (4, 30, 2, 100, 20),
    (5, 40, 2, 10, 10),
    (6, 290, 8, 20, 20),
];

fn log() -> String {
    let mut log = "; MaxProcs: 8\n".to_owned();
    for (number, submit, procs, run, request) in JOBS {
        log +=
            &format!("{number} {submit} -1 {run} {procs} -1 -1 {procs} {request} -1 1 1 1 -1 1 -1 -1 -1\n");
    }
    log
}

fn place(policy: &str) -> Place {
    let place = Place::new();
    place.file("scenario.toml", SCENARIO.replace("POLICY", policy)).file("log.swf", log());
    place
}

#[test]
fn a_run_with_reservations_is_checked_from_its_files() {
    for policy in ["fcfs", "easy", "conservative", "first-fit"] {
        let place = place(policy);
        let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
        assert_eq!(output.status, 0, "{policy}: {}", output.stderr);
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 0, "{policy}: {}{}", checked.stdout, checked.stderr);
        for kept in [
            "kept         reservations have",
            "kept         no job is on processors that are reserved",
            "kept         no job is started that by the estimates delays",
        ] {
            assert!(checked.stdout.contains(kept), "{policy}: {}", checked.stdout);
        }
        let promise = match policy {
            // up to the first job that outlasts its estimate
            "conservative" => "kept         no job starts later than the reservation",
            "easy" | "fcfs" => "kept         the head of the queue starts once it fits",
            _ => "kept         no job waits while enough processors are free for it",
        };
        assert!(checked.stdout.contains(promise), "{policy}: {}", checked.stdout);
    }
}

#[test]
fn what_the_files_of_a_run_with_reservations_tell() {
    let place = place("easy");
    let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress", "--explain", "2"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    insta::assert_snapshot!(output.stdout);
    let text = |name: &str| fs::read_to_string(place.path("out").join(name)).unwrap();
    insta::assert_snapshot!(text("reservations.csv"));
    insta::assert_snapshot!(text("attempts.csv"));
    insta::assert_snapshot!(text("jobs.csv"));
    let tampered = [
        ("reservations.csv", "1,2,0-7,300,350", "1,2,0-7,301,350", "later than it begins"),
        ("reservations.csv", "1,2,0-7,300,350", "1,2,1-7,300,350", "has 7 processors and needs 8"),
        (
            "reservations.csv",
            "1,2,0-7,300,350",
            "1,3,0-7,300,350",
            "there is no reservation 1 that takes place 3 times",
        ),
        (
            "reservations.csv",
            "2,1,2-7,",
            "2,1,0-5,",
            "it stays on processors among 0-5, which reservation 2 has",
        ),
    ];
    for (name, from, to, told) in tampered {
        let whole = text(name);
        fs::write(place.path("out").join(name), whole.replace(from, to)).unwrap();
        let checked = place.run(&["check", "out"]);
        assert!(checked.status == 1 && checked.stdout.contains(told), "{from}: {}", checked.stdout);
        fs::write(place.path("out").join(name), whole).unwrap();
    }
}

/// A log of four weeks, a job of an hour on two of four processors every two hours, from Sunday, 1
/// March 2026, 01:00 local time on.
fn dated_log(header: &str) -> String {
    let line = |number: u32| {
        let submit = (number - 1) * 7200;
        format!("{number} {submit} -1 3600 2 -1 -1 2 3600 -1 1 -1 -1 -1 -1 -1 -1 -1\n")
    };
    format!("; MaxProcs: 4\n{header}{}", (1..=336).map(line).collect::<String>())
}

const BEGINS: &str = "; UnixStartTime: 1772323200\n; TimeZone: 3600\n";

fn dated(at: &str, workload: &str) -> String {
    format!(
        "title = \"Dates\"\npolicy = \"easy\"\n[cluster]\nprocs = 4\n[[cluster.reservation]]\nat = \"{at}\"\nfor = \"1h\"\n\
         every = \"7d\"\ntimes = 2\nprocessors = 3\n[workload]\n{workload}\n"
    )
}

const OF_LOG: &str = "kind = \"swf\"\nfile = \"log.swf\"";

#[test]
fn a_reservation_begins_at_a_date_or_a_weekday_of_the_logs_calendar() {
    for (at, first) in [
        ("sunday 06:00", 5 * 3600),
        ("Monday 00:30", 23 * 3600 + 1800),
        ("2026-03-03T06:00", 53 * 3600),
        ("2026-03-03T06:00:00Z", 54 * 3600),
        ("53h", 53 * 3600),
    ] {
        let place = Place::new();
        place.file("log.swf", dated_log(BEGINS)).file("scenario.toml", dated(at, OF_LOG));
        let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
        assert_eq!(output.status, 0, "{at}: {}", output.stderr);
        let csv = String::from_utf8(place.read("out/reservations.csv")).unwrap();
        let column = csv.lines().next().unwrap().split(',').position(|name| name == "from").unwrap();
        let times: std::collections::BTreeSet<u64> = csv
            .lines()
            .skip(1)
            .map(|line| line.split(',').nth(column).unwrap().split('.').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(times.into_iter().collect::<Vec<_>>(), [first, first + 7 * 86_400], "{at}");
        let resolved = String::from_utf8(place.read("out/scenario.resolved.toml")).unwrap();
        assert!(resolved.contains(&format!("at = \"{at}\"")), "{resolved}");
        // the check knows when it was to begin, and the manifest repeats the run
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
        assert!(
            checked.stdout.contains(" kept         reservations have their processors"),
            "{}",
            checked.stdout
        );
        let again = place.run(&["run", "out/manifest.json", "-o", "out", "--no-progress"]);
        assert_eq!(again.status, 0, "{}", again.stderr);
    }
}

#[test]
fn a_date_needs_a_calendar_and_an_instant_of_the_run() {
    const DRAWN: &str = "kind = \"synthetic\"\njobs = 9\narrivals = \"1h\"\nsizes = 1\nrun-times = \"1h\"";
    let told = |header: &str, at: &str, workload: &str| {
        let place = Place::new();
        place.file("log.swf", dated_log(header)).file("scenario.toml", dated(at, workload));
        let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
        assert_eq!(output.status, 2, "{at}: {}", output.stderr);
        output.stderr
    };
    assert!(told(BEGINS, "sunday 06:00", DRAWN).contains("this workload has no calendar"));
    assert!(told("", "2026-03-03T06:00", OF_LOG).contains("this workload has no calendar"));
    let only_utc = "; UnixStartTime: 1772323200\n";
    assert!(told(only_utc, "sunday 06:00", OF_LOG).contains("how far its local time is ahead of UTC"));
    assert!(told(BEGINS, "2026-03-01T00:59", OF_LOG).contains("before the start of the run"));
    assert!(told(BEGINS, "2026-02-30T06:00", OF_LOG).contains("is no date with a time of day"));
    assert!(told(BEGINS, "someday 06:00", OF_LOG).contains("is no day of the week"));
    let window = "kind = \"synthetic\"";
    assert!(
        told("", "1h", &format!("{OF_LOG}\nfrom = \"monday 00:00\"")).contains("no calendar"),
        "{window}"
    );
}

#[test]
fn a_window_of_a_log_may_be_said_in_dates_on_the_command_line_and_in_studies() {
    let place = Place::new();
    place.file("log.swf", dated_log(BEGINS));
    let submitted = |args: &[&str]| -> u64 {
        let run = ["run", "log.swf", "-o", "out", "--force", "--no-progress"];
        let output = place.run(&[&run[..], args].concat());
        assert_eq!(output.status, 0, "{}", output.stderr);
        let summary: Json = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
        summary["metrics"]["jobs.submitted"]["value"].as_u64().unwrap()
    };
    // Monday 00:00 is 23 hours after the first job, and Tuesday 00:00 a day later
    assert_eq!(submitted(&["--from", "monday 00:00", "--to", "tuesday 00:00"]), 12);
    assert_eq!(submitted(&["--from", "2026-03-02T00:00:00", "--to", "2026-03-03T00:00"]), 12);
    assert_eq!(submitted(&["--from", "23h", "--to", "47h"]), 12);
    place.file("scenario.toml", dated("monday 06:00", OF_LOG));
    let vary = "workload.to=\"2026-03-10T00:00\",\"2026-03-20T00:00\"";
    let study = place.run(&["compare", "scenario.toml", "--vary", vary, "-o", "study", "--no-progress"]);
    assert_eq!(study.status, 0, "{}", study.stderr);
}
