//! Dumps and configurations from their text to jobs and nodes, and the messages about wrong ones.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;
use crate::kernel::SimDuration;
use crate::registry::Problem;
use crate::workload::resources::{Demand, FeatureNames, Features, GpuLists};
use crate::workload::swf::{Cause, Effect, Log, Options};
use crate::workload::{Attribute, Job, WaitMark};

const DUMP: &str = include_str!("../../../../../tests/data/sacct.txt");
const CONF: &str = include_str!("../../../../../tests/data/slurm.conf");

/// A dump in which nothing is missing.
const PLAIN: Reading = Reading {
    clock: SiteClock::Fixed(0),
    eligible: false,
    unit: Unit::Processors,
    resources: false,
    attributes: false,
    most_unread: 0.0,
};

fn site() -> Site {
    read_conf(CONF.as_bytes()).expect("right")
}

fn log_of(text: &str, reading: &Reading) -> Result<Log, Problem> {
    read(text.as_bytes(), reading, Some(&site()), &Options::default())
}

fn secs(span: SimDuration) -> f64 {
    span.as_secs_f64()
}

fn job(log: &Log, number: u64) -> &Job {
    log.jobs.iter().find(|job| job.number == number).expect("there")
}

#[test]
fn every_kind_of_record_becomes_what_it_is() {
    let log = log_of(DUMP, &PLAIN).expect("right");
    let numbers: Vec<u64> = log.jobs.iter().map(|job| job.number).collect();
    assert_eq!(numbers, [1001, 1003, 1004, 1010, 1012, 1012]);
    let plain = job(&log, 1001);
    assert_eq!((plain.procs, secs(plain.run_time), secs(plain.estimate)), (64, 3600.0, 7200.0));
    assert_eq!((plain.status, plain.recorded_wait().map(secs)), (1, Some(300.0)));
    assert_eq!((plain.user, plain.group, plain.queue(), plain.partition()), (1, 1, Some(1), Some(1)));
    // a task of an array that ran into its limit, and one that failed
    assert_eq!((job(&log, 1003).status, job(&log, 1004).status), (0, 0));
    assert_eq!(job(&log, 1004).run_time, SimDuration::from_secs(630));
    // the parts of a heterogeneous job: processors added, the longer run time; without a limit, the
    // longer one of their partitions
    let whole = job(&log, 1010);
    assert_eq!(
        (whole.procs, secs(whole.run_time), secs(whole.estimate), whole.status),
        (160, 7205.0, 172_800.0, 5)
    );
    assert!(plain.asks_for_time() && !whole.asks_for_time());
    // two tries, with the limit of their partition
    let tries: Vec<_> = log.jobs.iter().filter(|job| job.number == 1012).collect();
    assert_eq!((tries[0].status, secs(tries[0].run_time)), (0, 300.0));
    assert_eq!((tries[1].status, secs(tries[1].estimate)), (1, 86_400.0));
    assert_eq!(log.unix_origin(), Some(1_772_352_000));
    assert_eq!((log.header.procs(), log.header.nodes()), (Some(120 * 64 + 8 * 32 + 4 * 8), Some(132)));
}

#[test]
fn what_is_left_out_is_counted() {
    let log = log_of(DUMP, &PLAIN).expect("right");
    let counts: Vec<_> = log.report.tallies().map(|(cause, tally)| (cause.name(), tally.count)).collect();
    let expected = [
        ("no-run-time", 1),
        ("job-number-twice", 1),
        ("still-running", 1),
        ("job-step", 3),
        ("heterogeneous-part", 1),
        ("held-back", 3),
        ("tried-again", 1),
        ("memory", 2),
        ("generic-resources", 1),
        ("features", 1),
        ("pending", 7),
        ("cancelled-before-start", 1),
    ];
    assert_eq!(counts, expected);
    assert_eq!(log.report.tally(Cause::Step).lines, [3, 4, 5]);
    let away = [Effect::Dropped, Effect::Folded, Effect::NotRun].map(|effect| log.report.total(effect));
    let accounted = log.jobs.len() as u64 + away.iter().sum::<u64>();
    assert_eq!(log.report.jobs, accounted);
    let unused = log.header.entries().find(|(key, _)| *key == "Note").map(|(_, value)| value);
    assert_eq!(unused, Some("columns not used: ExitCode"));
}

#[test]
fn a_job_asks_for_what_it_had_on_each_of_its_nodes() {
    let log = log_of(DUMP, &Reading { resources: true, ..PLAIN }).expect("right");
    let mut names = FeatureNames::default();
    let feature = ["a100", "partition:batch", "partition:gpu"].map(|name| names.take_in(name));
    let demands =
        log.demands.clone().on_nodes(&names, &mut GpuLists::default()).expect("all are there").demands;
    let of = |number| *demands.of(job(&log, number).demand);
    let batch = Demand { features: feature[1], ..Demand::PLAIN };
    assert_eq!(of(1001), Demand { procs: 64, memory: 240 << 30, ..batch });
    // processors alone may be anywhere in the partition
    assert_eq!((of(1003), of(1004)), (batch, batch));
    // the first part of a heterogeneous job says what all of its processors ask for
    let features = names.union(feature[0], feature[2]);
    assert_eq!(of(1010), Demand { procs: 32, memory: 100 << 30, gpus: 4, features, ..Demand::PLAIN });
    let counted = [Cause::Memory, Cause::Gres, Cause::Features].map(|cause| log.report.tally(cause).count);
    assert_eq!(counted, [0, 0, 0]);
}

#[test]
fn parts_of_jobs_are_alike_and_what_cannot_be_asked_for_is_counted() {
    let header = "JobID|Submit|Start|Elapsed|Timelimit|State|AllocCPUS|AllocNodes|AllocTRES|ReqMem|AllocGRES|Constraints";
    let rows = [
        // 10 processors, 7 GiB and 3 GPUs on two nodes
        "cpu=10,mem=7G,gres/gpu:v100=3|||",
        // without a number of nodes: a part has a GPU, or else a processor
        "cpu=10,gres/gpu=4|4Gn||",
        "cpu=10|512Mc||fast&large",
        "cpu=10||gpu:v100:2,craynetwork:1|fast|large",
    ];
    let nodes = ["2", "", "", "1"];
    let mut dump = format!("{header}\n");
    for ((row, nodes), number) in rows.iter().zip(nodes).zip(1..) {
        let row = row.replace("fast|large", "[fast*2]");
        dump +=
            &format!("{number}|2026-03-01T08:00:00|2026-03-01T08:00:00|60|10|COMPLETED|10|{nodes}|{row}\n");
    }
    let log = read(dump.as_bytes(), &Reading { resources: true, ..PLAIN }, None, &Options::default())
        .expect("right");
    let part = |number| {
        let demand = log.demands.of(job(&log, number).demand);
        (demand.procs, demand.memory, demand.gpus)
    };
    let (mib, gib) = (1 << 20, 1 << 30);
    assert_eq!([1, 2, 3, 4].map(part), [(5, 3584 * mib, 2), (3, gib, 1), (1, 512 * mib, 0), (10, 0, 2)]);
    assert_ne!(log.demands.of(job(&log, 3).demand).features, Features::NONE);
    let counted = [Cause::Gres, Cause::Features].map(|cause| log.report.tally(cause).lines.clone());
    assert_eq!(counted, [[5], [5]]);
    for bad in ["mem=much", "gres/gpu=some"] {
        let dump = format!("{header}\n1|2026-03-01T08:00:00||60|10|COMPLETED|10|1|{bad}|||\n");
        let wrong = read(dump.as_bytes(), &Reading { resources: true, ..PLAIN }, None, &Options::default());
        assert!(wrong.is_err(), "{bad}");
    }
}

/// A dump of jobs with these resources.
fn dump_of<'a>(resources: impl Iterator<Item = (u32, &'a str, &'a str)>) -> String {
    let mut dump = "JobID|Submit|Start|Elapsed|State|AllocCPUS|AllocTRES|Constraints\n".to_owned();
    for (number, tres, constraints) in resources {
        dump += &format!("{number}|100|100|60|COMPLETED|1|{tres}|{constraints}\n");
    }
    dump
}

#[test]
fn demands_and_features_of_a_dump_are_any_number() {
    let tres: Vec<String> = (1..=70_000).map(|megabytes| format!("cpu=1,mem={megabytes}M,node=1")).collect();
    let features: Vec<String> = (0..100).map(|number| format!("f{number}&g{}", number % 7)).collect();
    let rows = (1..)
        .zip(&tres)
        .map(|(number, tres)| (number, tres.as_str(), features[number as usize % 100].as_str()));
    let log = log_of(&dump_of(rows), &Reading { resources: true, ..PLAIN }).expect("read whole");
    assert_eq!(log.jobs.len(), 70_000);
    for job in &log.jobs {
        let (demand, names) = (log.demands.of(job.demand), log.demands.features());
        assert_eq!(demand.memory, job.number << 20);
        let found: Vec<&str> = names.names_of(demand.features).collect();
        let mut expected: Vec<&str> = features[job.number as usize % 100].split('&').collect();
        expected.sort_by_key(|name| names.iter().position(|known| known == *name));
        assert_eq!(found, expected);
    }
    assert_eq!(log.demands.features().iter().count(), 107);
}

#[test]
fn a_type_of_gpu_is_a_feature_of_the_nodes() {
    let rows = [
        (1, "cpu=4,gres/gpu:h100=2,gres/gpu=2,node=1", ""),
        (2, "cpu=4,gres/gpu:a100_1g.5gb=1,node=1", "fast"),
        (3, "cpu=4,gres/gpu:a100=1,gres/gpu:v100=1,node=1", ""),
        (4, "cpu=4,gres/gpu=2,node=1", ""),
        (5, "cpu=4,gres/gpu:h100=0,node=1", ""),
        (6, "cpu=4,gres/shard=3,node=1", ""),
    ];
    let dump = dump_of(rows.into_iter());
    let log = log_of(&dump, &Reading { resources: true, ..PLAIN }).expect("right");
    let of = |number| {
        let demand = log.demands.of(job(&log, number).demand);
        (demand.gpus, log.demands.features().names_of(demand.features).collect::<Vec<_>>().join(" "))
    };
    let expected = [(2, "gpu:h100"), (1, "fast gpu:a100_1g.5gb"), (2, ""), (2, ""), (0, ""), (1, "")];
    for ((number, _, _), (gpus, features)) in rows.into_iter().zip(expected) {
        assert_eq!(of(number.into()), (gpus, features.to_owned()), "{number}");
    }
    let lines = [Cause::GpuTypes, Cause::Gres].map(|cause| log.report.tally(cause).lines.clone());
    assert_eq!(lines, [vec![4], vec![]]);
    // where jobs ask for processors alone, all of them are counted as not simulated
    let plain = log_of(&dump, &PLAIN).expect("right");
    assert_eq!([Cause::GpuTypes, Cause::Gres].map(|cause| plain.report.tally(cause).count), [0, 6]);
}

#[test]
fn parts_of_gpus_are_asked_for_of_one_gpu_on_each_node() {
    let rows = [
        (1, "cpu=1,gres/shard=3,node=1", ""),
        (2, "cpu=1,gres/shard:a100=3,gres/shard=3,node=1", ""),
        (3, "cpu=1,gres/mps=50,node=1", ""),
        (4, "cpu=1,gres/gpu=1,gres/shard=3,node=1", ""),
        (5, "cpu=1,gres/shard=0,node=1", ""),
        (6, "cpu=1,gres/craynetwork=1,node=1", ""),
    ];
    let log = log_of(&dump_of(rows.into_iter()), &Reading { resources: true, ..PLAIN }).expect("right");
    let of = |number| {
        let demand = log.demands.of(job(&log, number).demand);
        let features = log.demands.features().names_of(demand.features).collect::<Vec<_>>().join(" ");
        (demand.gpus, demand.gpu_choice.parts, features)
    };
    let expected = [(1, 3, ""), (1, 3, "gpu:a100"), (1, 50, ""), (1, 0, ""), (0, 0, ""), (0, 0, "")];
    for ((number, ..), (gpus, parts, features)) in rows.into_iter().zip(expected) {
        assert_eq!(of(number.into()), (gpus, parts, features.to_owned()), "{number}");
    }
    assert_eq!(log.report.tally(Cause::Gres).lines, [5, 7]);
    let wrong = dump_of([(1, "cpu=1,gres/shard=many,node=1", "")].into_iter());
    assert!(log_of(&wrong, &Reading { resources: true, ..PLAIN }).is_err());
}

#[test]
fn a_site_lists_its_gpus_by_kind_and_with_parts() {
    let listed = |gres: &str| {
        let conf = format!("NodeName=g[1-2] CPUs=8 Gres={gres}\n");
        let site = conf::read(conf.as_bytes()).expect("right");
        assert_eq!(site.remarks, Vec::<String>::new(), "{gres}");
        site.groups[0].listed_gpus()
    };
    let of = |kind: &str, count, parts, is_instance| {
        let kind = Some(kind.to_owned()).filter(|kind| !kind.is_empty());
        ListedGpus { kind, count, parts, is_instance }
    };
    assert_eq!(listed("gpu:4"), None);
    assert_eq!(listed("gpu:a100:4(S:0-1)"), Some(vec![of("a100", 4, 1, false)]));
    let mixed = vec![of("a100", 2, 8, false), of("v100", 1, 1, false)];
    assert_eq!(listed("gpu:a100:2,gpu:v100:1,shard:a100:16"), Some(mixed));
    assert_eq!(listed("gpu:4,mps:400"), Some(vec![of("", 4, 100, false)]));
    let instances = vec![of("a100", 1, 16, false), of("a100_3g.20gb", 3, 1, true)];
    assert_eq!(listed("gpu:a100:1,gpu:a100_3g.20gb:3,shard:16"), Some(instances));
}

#[test]
fn a_start_before_the_submission_moves_the_submission() {
    let head = "JobID|Submit|Eligible|Start|End|ElapsedRaw|State|AllocCPUS\n";
    let rows = "1|1000|1000|1100|1160|60|COMPLETED|1\n2|1200|1300|1150|1210|60|COMPLETED|1\n";
    for (reading, waits) in [(PLAIN, [100.0, 0.0]), (Reading { eligible: true, ..PLAIN }, [100.0, 0.0])] {
        let log = log_of(&format!("{head}{rows}"), &reading).expect("right");
        let found: Vec<f64> = log.jobs.iter().map(|job| job.recorded_wait().map_or(-1.0, secs)).collect();
        assert_eq!(found, waits);
        assert_eq!(job(&log, 2).submit_time.as_secs_f64().to_bits(), 150_f64.to_bits());
        let tally = log.report.tally(Cause::StartBeforeSubmit);
        assert_eq!((tally.count, tally.lines.as_slice()), (1, [3].as_slice()));
    }
}

#[test]
fn attributes_of_a_dump_are_kept_where_that_is_asked_for() {
    let log = log_of(DUMP, &PLAIN).expect("right");
    assert!(
        [Attribute::Account, Attribute::Gpus, Attribute::Nodes].iter().all(|&one| !log.attributes.has(one))
    );
    let log = log_of(DUMP, &Reading { attributes: true, ..PLAIN }).expect("right");
    let of = |number| {
        let place = log.jobs.iter().position(|job| job.number == number).expect("there");
        let stated = log.attributes.of(place);
        (stated.account, stated.qos, stated.nodes, stated.gpus)
    };
    assert_eq!(of(1001), (Some("p1"), Some("normal"), Some(1), Some(0)));
    assert_eq!(of(1004), (Some("p2"), Some("normal"), Some(1), Some(0)));
    // parts of a heterogeneous job add up
    assert_eq!(of(1010), (Some("p1"), Some("high"), Some(3), Some(4)));
    assert!(!log.attributes.has(Attribute::Energy) && !log.attributes.has(Attribute::Class));
    let dump = "JobID|Submit|Elapsed|State|NCPUS|ConsumedEnergyRaw\n1|10|60|CD|2|1500\n2|11|60|CD|2|\n\
                3|12|60|CD|2|18446744073709551610\n";
    let log = log_of(dump, &Reading { attributes: true, ..PLAIN }).expect("right");
    assert_eq!([0, 1, 2].map(|place| log.attributes.of(place).energy), [Some(1_500_000), None, None]);
}

#[test]
fn options_say_what_a_job_takes_and_when_it_is_submitted() {
    let nodes = log_of(DUMP, &Reading { unit: Unit::Nodes, ..PLAIN }).expect("right");
    assert_eq!((job(&nodes, 1001).procs, job(&nodes, 1010).procs, nodes.header.procs()), (1, 3, Some(132)));
    let eligible = log_of(DUMP, &Reading { eligible: true, ..PLAIN }).expect("right");
    let late = job(&eligible, 1004);
    assert_eq!((late.submit_time.as_secs_f64(), late.recorded_wait().map(secs)), (2160.0, Some(0.0)));
    assert_eq!(eligible.report.tally(Cause::HeldBack).count, 0);
    let west = log_of(DUMP, &Reading { clock: SiteClock::Fixed(-5 * 3600), ..PLAIN }).expect("right");
    assert_eq!(west.unix_origin(), Some(1_772_352_000 + 5 * 3600));
}

#[test]
fn forms_of_a_dump_are_read_alike() {
    let plain = log_of(DUMP, &PLAIN).expect("right");
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(DUMP.as_bytes()).expect("into memory");
    let packed = packed.finish().expect("into memory");
    let site = site();
    assert_eq!(read(&packed[..], &PLAIN, Some(&site), &Options::default()).expect("right"), plain);
    // `--parsable` ends its lines with a bar; joined dumps repeat the header; Windows ends lines
    // otherwise
    let header = DUMP.lines().next().expect("a header");
    let bars = DUMP.replace('\n', "|\r\n");
    assert_eq!(log_of(&bars, &PLAIN).expect("right").jobs, plain.jobs);
    assert_eq!(log_of(&format!("\u{feff}{DUMP}"), &PLAIN).expect("right").jobs, plain.jobs);
    let (first, second) = DUMP.split_at(DUMP.find("1010+0").expect("there"));
    let joined = log_of(&format!("{first}{header}\n\n{second}"), &PLAIN).expect("right");
    assert_eq!(joined.jobs, plain.jobs);
}

#[test]
fn array_tasks_without_a_number_of_their_own_come_behind_all_others() {
    let dump = "JobID|Submit|Elapsed|State|NCPUS\n7_1|10|1:00|CD|2\n7_2|11|1:00|CD|2\n30|12|1:00|CD|1\n";
    let log = log_of(dump, &PLAIN).expect("right");
    assert_eq!(log.jobs.iter().map(|job| job.number).collect::<Vec<_>>(), [31, 32, 30]);
    assert_eq!(
        (log.report.tally(Cause::ArrayTask).count, log.report.tally(Cause::NumberTwice).count),
        (2, 0)
    );
}

#[test]
fn a_limit_of_thousands_of_years_is_none() {
    let dump = "JobID|Submit|Elapsed|Timelimit|NCPUS\n1|10|1:00|2982616-04:14:00|2\n2|10|1:00|2:00|2\n";
    let log = log_of(dump, &PLAIN).expect("right");
    assert_eq!(log.jobs.iter().map(|job| secs(job.estimate)).collect::<Vec<_>>(), [60.0, 120.0]);
    assert_eq!(log.report.tally(Cause::EstimateFromRunTime).lines, [2]);
}

#[test]
fn in_a_dump_without_states_jobs_with_an_end_are_over() {
    let dump = "JobID|Submit|Start|End|Elapsed|NCPUS\n1|10|11|71|1:00|2\n2|10|11|Unknown|1:00|2\n";
    let log = log_of(dump, &PLAIN).expect("right");
    assert_eq!(log.jobs.iter().map(|job| (job.number, job.status)).collect::<Vec<_>>(), [(1, -1)]);
    assert_eq!(log.report.tally(Cause::StillRunning).lines, [3]);
}

fn found(text: &str) -> (String, Option<(u64, usize)>) {
    let problem = log_of(text, &PLAIN).expect_err("wrong");
    (problem.message, problem.place.map(|place| (place.line, place.column)))
}

#[test]
fn wrong_dumps_are_reported_at_their_place() {
    let head = "JobID|Submit|Start|ElapsedRaw|State|AllocCPUS";
    let line = |fields: &str| found(&format!("{head}\n{fields}\n"));
    let at = |message: &str, column| (message.to_owned(), Some((2, column)));
    assert_eq!(line("x|10|11|5|CD|1"), at("`x` is no name of a job", 1));
    assert_eq!(line("1|soon|11|5|CD|1"), at("`soon` is no time", 3));
    assert_eq!(line("1|10|11|-5|CD|1"), at("`-5` is no duration", 9));
    assert_eq!(line("1|10|11|5|CD|many"), at("`many` is no number", 14));
    assert_eq!(line("1|10|11|5|CD|1|name"), at("a record has 6 fields, this one has 7", 15));
    assert_eq!(line("1|10|11"), at("a record has 6 fields, this one has 3", 8));
    assert_eq!(line("|10|11|5|CD|1"), at("the record names no job", 1));
    assert_eq!(found("JobID Submit\n1 2\n").1, Some((1, 1)));
    assert_eq!(found("JobID|Submit|AllocCPUS\n").0, "the dump has no column `ElapsedRaw`");
    assert_eq!(found("JobID|Submit|Elapsed\n").0, "the dump has no column of processors");
    assert_eq!(found(&format!("{head}\n")).0, "the dump holds column names and no record");
    assert_eq!(found("").0, "the log is empty");
    assert_eq!(line("1|10|11|5|CD|1\u{0}").0, "this is not a text: it holds byte 0x00");
}

#[test]
fn a_site_has_its_nodes_partitions_and_remarks() {
    let site = site();
    let groups: Vec<_> =
        site.groups.iter().map(|group| (group.nodes, group.processors, group.memory, group.gpus())).collect();
    let fat = [(1, 8, Some(256_000), 0), (3, 8, Some(256_000), 0)];
    assert_eq!(groups[2..], fat, "a line of nodes in different partitions is two groups");
    assert_eq!(groups[..2], [(120, 64, Some(256_000), 0), (8, 32, Some(512_000), 4)]);
    let names: Vec<_> = site.groups.iter().map(Group::feature_names).collect();
    let batch = "partition:batch";
    let expected =
        [vec!["skylake", "ib", batch], vec!["a100", "gpu:a100", "partition:gpu"], vec![], vec![batch]];
    assert_eq!(names, expected);
    assert_eq!((site.name.as_deref(), site.nodes(), site.processors()), (Some("example"), 132, 7968));
    let partitions: Vec<_> = site
        .partitions
        .iter()
        .map(|part| (part.name.as_str(), part.nodes, part.processors, part.most_time, part.default))
        .collect();
    let days = |days: u64| Some(days * 86_400_000);
    assert_eq!(
        partitions,
        [
            ("batch", 123, 120 * 64 + 24, days(2), true),
            ("gpu", 8, 256, days(1), false),
            ("all", 132, 7968, None, false),
        ]
    );
    assert_eq!(
        site.remarks,
        ["nodes in state FUTURE, left out: 10", "partitions with a priority of their own: 1",]
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: proptest::test_runner::RngSeed::Fixed(20_261_121),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_fields_give_a_log_or_an_error(rows in prop::collection::vec(prop::collection::vec("[-0-9:T_+.\\[\\]a-zA-Z=,|]{0,12}", 7), 0..6)) {
        let rows: String = rows.iter().map(|row| row.join("|") + "\n").collect();
        let dump = format!("JobID|Submit|Start|Elapsed|Timelimit|State|AllocTRES\n{rows}");
        if let Ok(log) = log_of(&dump, &PLAIN) {
            prop_assert!(log.jobs.iter().all(|job| job.procs > 0 && !job.run_time.is_zero()));
        }
    }

    #[test]
    fn any_lines_give_a_site_or_an_error(lines in prop::collection::vec("(NodeName|PartitionName|NodeSet|CPUs|Nodes|MaxTime)?=?[-n0-9\\[\\],: =a-zA-Z\\\\#]{0,30}", 0..8)) {
        if let Ok(site) = read_conf(lines.join("\n").as_bytes()) {
            prop_assert!(site.processors() >= site.nodes());
        }
    }
}

#[test]
fn waits_have_marks_and_the_time_that_a_job_was_held() {
    let log = log_of(DUMP, &PLAIN).expect("right");
    let stated: Vec<_> = (0..log.jobs.len()).map(|place| log.attributes.of(place)).collect();
    let count = |mark| stated.iter().filter(|one| one.marks.has(mark)).count() as u64;
    let tally = |cause| log.report.tally(cause).count;
    assert_eq!(count(WaitMark::Held), tally(Cause::HeldBack));
    assert_eq!(count(WaitMark::TriedAgain), tally(Cause::TriedAgain));
    assert_eq!(count(WaitMark::LeftOut), 2);
    for one in &stated {
        assert_eq!(one.marks.has(WaitMark::Held), one.held.is_some_and(|held| held > 0), "{one:?}");
    }
    // a column that most dumps have not
    let text = "JobID|Submit|Eligible|Start|End|ElapsedRaw|State|AllocCPUS|Reservation\n\
                1|2026-03-01T08:00:00|2026-03-01T08:01:40|2026-03-01T08:05:00|2026-03-01T09:05:00|3600|COMPLETED|4|school\n\
                2|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T08:05:00|2026-03-01T09:05:00|3600|COMPLETED|4|\n";
    let log = log_of(text, &PLAIN).expect("right");
    let (one, other) = (log.attributes.of(0), log.attributes.of(1));
    assert_eq!(
        (one.held, one.marks.has(WaitMark::Reserved), one.marks.has(WaitMark::Held)),
        (Some(100), true, true)
    );
    assert_eq!((other.held, other.marks.are_none()), (Some(0), true));
}
