//! Every sample of a public source gives what was counted in it by other programs.

use std::ops::ControlFlow;

use super::*;
use crate::collections::OrderedMap;
use crate::import::table::open;
use crate::import::table::size::Size;
use crate::kernel::SimTime;
use crate::workload::UNKNOWN_ID;
use crate::workload::swf::{Cause, Effect};

/// Samples and how each is read.
pub(super) const SAMPLES: &[(&str, &str)] = &[
    ("eagle-sample.csv.gz", "like = \"eagle\""),
    ("eagle-sample.parquet", "like = \"eagle\""),
    ("eagle-sample.json.gz", "like = \"eagle\""),
    ("eagle-60.jsonl.gz", "like = \"eagle\""),
    ("kestrel.parquet", "like = \"kestrel\""),
    ("alcf-aurora.csv.gz", "like = \"alcf\""),
    ("fdata.parquet", "like = \"f-data\""),
    ("fdata-text.parquet", "like = \"f-data\""),
    ("pm100.parquet", "like = \"pm100\""),
    ("m100-job-table.parquet", "like = \"m100\""),
    ("adastra-mi250.parquet", "like = \"adastra\""),
    ("lassen-allocation.csv.gz", "like = \"lassen\""),
    ("supercloud.csv.gz", "like = \"supercloud\""),
    ("acme-seren.csv.gz", "like = \"acme\""),
    ("acme-kalos.csv.gz", "like = \"acme\""),
    ("helios.csv.gz", "like = \"helios\""),
    ("philly.json.gz", "like = \"philly\""),
    (
        "alibaba-2025.csv.gz",
        "[columns]\nsubmit = \"creation_time\"\nstart = \"scheduled_time\"\nend = \"deletion_time\"\n\
         procs = \"cpu_request\"\nnodes = { value = 1 }\ngpus = \"gpu_request\"\ntimes = { unit = \"s\", origin = \"trace\" }",
    ),
    ("alibaba-2026-spot.csv.gz", "like = \"gfs-2026\""),
    (
        "edges.csv.gz",
        "[columns]\nsubmit = \"when\"\nstart = \"from\"\nend = \"to\"\nprocs = \"cores\"\nuser = { column = \"who\", none = \"NA\" }\n\
         times = { unit = \"s\" }",
    ),
    ("opendc-bitbrains-small-tasks.parquet", "like = \"opendc\""),
    ("opendc-surf-week-head2000-tasks.parquet", "like = \"opendc\""),
    ("opendc-workflow-tasks.parquet", "like = \"opendc\""),
    (
        "opendc-small-gpu-tasks.parquet",
        "like = \"opendc\"\n[columns]\nrun-time = { column = \"duration\", unit = \"s\" }\ntimes = { unit = \"s\" }",
    ),
    ("openb-head500.csv.gz", "like = \"openb\""),
    ("surf-lisa-head300.csv.gz", "like = \"surf-lisa\""),
    ("bluewaters-torque.txt.gz", "like = \"torque\""),
];

/// Counts of a sample, as `expected.csv` has them.
fn counted(name: &str, columns: &str) -> Vec<String> {
    let bytes = sample(name);
    let read = log_of(name, &bytes, columns);
    let log = read.unwrap_or_else(|mistakes| panic!("{name}: {mistakes:?}"));
    let mapping = mapping(columns);
    let mut sizes = OrderedMap::new();
    let mut rows = 0;
    open::read(Input::Bytes(&bytes), name, &mapping, &mut |row, wrong| {
        rows += 1;
        sizes.insert(rows, Size::of(&mapping, row, wrong));
        ControlFlow::Continue(())
    })
    .expect("read once already");
    assert_eq!(rows, log.report.jobs, "{name}: every row is counted");
    let (mut gpu_jobs, mut sums, mut users) = (0, [0.0; 3], Vec::new());
    for job in &log.jobs {
        let size = sizes[&job.number];
        gpu_jobs += u64::from(size.gpus > 0);
        let amounts = [size.gpus, size.procs.unwrap_or(0), size.nodes.unwrap_or(0)];
        for (sum, amount) in sums.iter_mut().zip(amounts) {
            *sum += f64::from(amount) * job.run_time.as_secs_f64();
        }
        users.extend((job.user != UNKNOWN_ID).then_some(job.user));
    }
    users.sort_unstable();
    users.dedup();
    let first = SimTime::ZERO + log.origin;
    let dropped = log.report.tallies().filter(|(cause, _)| cause.effect() == Effect::Dropped);
    let name_of = |cause: Cause| match cause {
        // the samples distinguish what is one cause here
        Cause::NoRunTime => "zero-run-time",
        Cause::NoSubmit => "no-submit",
        other => other.name(),
    };
    let mut dropped: Vec<String> =
        dropped.map(|(cause, tally)| format!("{} {}", tally.count, name_of(cause))).collect();
    dropped.sort_by_key(|text| text.split(' ').next_back().map(ToOwned::to_owned));
    let [gpus, procs, nodes] = sums.map(|sum| ((sum * 1e3).round() / 1e3).to_string());
    vec![
        rows.to_string(),
        log.jobs.len().to_string(),
        gpu_jobs.to_string(),
        gpus,
        procs,
        nodes,
        (first.as_nanos() / 1_000_000_000).to_string(),
        users.len().to_string(),
        log.report.tally(Cause::StartBeforeSubmit).count.to_string(),
        dropped.join("; "),
    ]
}

#[test]
fn every_sample_gives_what_others_count_in_it() {
    let expected = String::from_utf8(sample("expected.csv")).expect("text");
    let mut read = 0;
    for (name, columns) in SAMPLES {
        if name.ends_with(".parquet") && !cfg!(feature = "parquet") {
            continue;
        }
        let line = expected.lines().find(|line| line.split(',').next() == Some(*name));
        let line = line.unwrap_or_else(|| panic!("{name} is counted"));
        let heads = expected.lines().next().expect("names of columns").split(',').skip(1);
        let found = counted(name, columns);
        for ((expected, found), of) in line.split(',').skip(1).zip(&found).zip(heads) {
            // what the table has no column for is not counted
            assert!(expected == "-" || expected == found, "{name}, {of}: expected {expected}, found {found}");
        }
        read += 1;
    }
    assert!(read >= 15, "{read}");
}

#[test]
fn texts_of_a_log_give_the_same_jobs_in_every_form() {
    let jobs = |name| log_of(name, &sample(name), "like = \"eagle\"").expect("right").jobs;
    assert_eq!(jobs("eagle-sample.csv.gz"), jobs("eagle-sample.json.gz"));
}

#[test]
fn recorded_durations_that_hold_the_wait_are_counted() {
    let log = log_of("acme-kalos.csv.gz", &sample("acme-kalos.csv.gz"), "like = \"acme\"").expect("right");
    assert_eq!(log.report.tally(Cause::RunTimeDiffers).count, 33, "{:?}", log.report.short());
    let seren = log_of("acme-seren.csv.gz", &sample("acme-seren.csv.gz"), "like = \"acme\"").expect("right");
    assert_eq!(seren.report.tally(Cause::RunTimeDiffers).count, 0);
}

#[test]
fn steps_are_no_times_until_their_length_is_written() {
    let bytes = sample("gavel-msr-seed0.tsv.gz");
    let complaints = mapping_of("like = \"gavel\"").expect_err("no run time");
    assert!(complaints[0].message.contains("how long jobs ran"), "{complaints:?}");
    let columns =
        "like = \"gavel\"\n[columns]\nrun-time = { column = \"steps\", unit = \"s\", scale = 0.001 }";
    let log = log_of("gavel-msr-seed0.tsv.gz", &bytes, columns).expect("right");
    let gpus = log.jobs.iter().map(|job| u64::from(job.procs)).sum::<u64>();
    let last = log.jobs.last().expect("jobs").submit_time;
    assert_eq!((log.jobs.len(), gpus, last.as_nanos() / 1_000_000_000), (2000, 3270, 2_590_914));
    assert_eq!(log.report.tally(Cause::ProcsFromGpus).count, 2000);
}

#[test]
fn a_table_of_nodes_is_groups_of_nodes_that_are_alike() {
    let nodes =
        "sn,cpu_milli,memory_mib,gpu,model\na,32000,262144,0,\nb,96000,393216,2,T4\nc,32000,262144,0,\n";
    let columns = "[columns]\nsubmit = \"sn\"\nrun-time = \"sn\"\nprocs = { column = \"cpu_milli\", scale = 0.001 }\n\
                   gpus = \"gpu\"\ngpu-type = \"model\"\nmemory = { column = \"memory_mib\", unit = \"MiB\", per = \"job\" }";
    let groups = read_nodes(Input::Bytes(nodes.as_bytes()), "n.csv", &mapping(columns)).expect("right");
    let plain = NodeGroup { nodes: 2, processors: 32, gpus: 0, gpu_type: None, memory: 256 << 30 };
    let with_gpus =
        NodeGroup { nodes: 1, processors: 96, gpus: 2, gpu_type: Some("T4".to_owned()), memory: 384 << 30 };
    assert_eq!(groups, [plain, with_gpus]);
    let name = "openb-nodes-head40.csv.gz";
    let groups = read_nodes(Input::Bytes(&sample(name)), name, &mapping(columns)).expect("right");
    assert_eq!(groups.iter().map(|group| group.nodes).sum::<u32>(), 40);
}
