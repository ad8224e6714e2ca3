//! Forms of tables, of columns and of values.

use super::*;
use crate::kernel::SimDuration;
use crate::workload::Job;
use crate::workload::resources::{Demand, DemandId, NodeUse};
use crate::workload::swf::Cause;

const COLUMNS: &str = "[columns]\nsubmit = \"s\"\nrun-time = { column = \"r\", unit = \"s\" }\nprocs = \"p\"\ntimes = { unit = \"s\" }\n";

fn secs(span: SimDuration) -> f64 {
    span.as_secs_f64()
}

#[test]
fn rows_are_jobs_in_order_of_submission_even_if_they_repeat() {
    let log = log("s,r,p\n2000000005,10,1\n2000000000,7.5,2\n2000000005,10,1\n", COLUMNS);
    let jobs: Vec<_> = log.jobs.iter().map(|job| (job.number, job.procs, secs(job.run_time))).collect();
    assert_eq!(jobs, [(2, 2, 7.5), (1, 1, 10.0), (3, 1, 10.0)]);
    assert_eq!((log.unix_origin(), log.report.tally(Cause::LateSubmit).count), (Some(2_000_000_000), 1));
}

#[test]
fn text_may_be_packed_and_in_any_form() {
    use std::io::Write;
    let csv = "s,r,p\n2000000000,10,4\n2000000001,20,8\n";
    let jobs = log(csv, COLUMNS).jobs;
    let tsv = csv.replace(',', "\t");
    let lines = "{\"p\": 4, \"s\": 2000000000, \"r\": 10}\n\n{\"s\": \"2000000001\", \"r\": 20.0, \"p\": 8}";
    let array = format!("[{}]", lines.replace("\n\n", ","));
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(format!("\u{feff}{csv}").as_bytes()).expect("into memory");
        encoder.finish().expect("into memory")
    };
    let crlf = format!("\u{feff}{}", csv.replace('\n', "\r\n"));
    for (name, bytes) in [
        ("t.tsv", tsv.as_bytes()),
        ("t", tsv.as_bytes()),
        ("t.csv", csv.replace(',', ";").as_bytes()),
        ("t.jsonl", lines.as_bytes()),
        ("t.json", array.as_bytes()),
        ("t.csv.gz", &gzip),
        ("t.csv", crlf.as_bytes()),
        ("t.csv", csv.trim_end().as_bytes()),
    ] {
        assert_eq!(log_of(name, bytes, COLUMNS).expect(name).jobs, jobs, "{name}");
    }
}

#[test]
fn amounts_are_of_what_the_column_says() {
    let columns = "resources = \"allocated\"\n[columns]\nsubmit = \"s\"\nrun-time = { column = \"r\", unit = \"min\" }\n\
                   nodes = \"n\"\nprocs = { value = 4, per = \"node\" }\ngpus = { column = \"g\", per = \"node\" }\n\
                   memory = { column = \"m\", unit = \"GiB\", per = \"processor\" }\nlimit = { column = \"l\", unit = \"h\" }\n\
                   times = { unit = \"s\" }";
    let log = log(
        "s,r,n,g,m,l\n2000000000,1.5,3,2,2,1\n2000000000,1,2,0,0,UNLIMITED\n2000000000,1,1,1,1,0-01:00:00\n",
        columns,
    );
    let first = &log.jobs[0];
    assert_eq!((first.procs, secs(first.run_time), secs(first.estimate)), (12, 90.0, 3600.0));
    let part = Demand { procs: 4, gpus: 2, memory: 8 << 30, ..Demand::PLAIN };
    assert_eq!(*log.demands.of(first.demand), part);
    assert_eq!(
        (log.jobs[1].procs, secs(log.jobs[1].estimate), log.jobs[1].demand),
        (8, 60.0, DemandId::default())
    );
    assert_eq!(log.jobs[2].estimate, SimDuration::from_secs(3600));
}

#[test]
fn processors_come_from_nodes_or_gpus_where_nothing_states_them() {
    let columns = "[columns]\nsubmit = \"s\"\nrun-time = { column = \"r\", unit = \"s\" }\nnodes = \"n\"\ngpus = \"g\"\n\
                   procs = { column = \"p\", none = [0, \"?\"] }\ntimes = { unit = \"s\" }";
    let log = log("s,r,n,g,p\n2e9,1,3,0,?\n2e9,1,,5,0\n2e9,1,1,1,7\n2e9,1,0,0,\n", columns);
    assert_eq!(log.jobs.iter().map(|job| job.procs).collect::<Vec<_>>(), [3, 5, 7]);
    let count = |cause| log.report.tally(cause).count;
    assert_eq!((count(Cause::ProcsFromNodes), count(Cause::ProcsFromGpus), count(Cause::NoSize)), (1, 1, 1));
    assert_eq!(log.demands.of(log.jobs[0].demand).node_use, NodeUse::Exclusive);
    assert_eq!(log.demands.of(log.jobs[1].demand).node_use, NodeUse::Shared);
}

#[test]
fn the_first_column_that_states_something_serves() {
    let columns = "[columns]\nsubmit = [\"eligible\", \"s\"]\nrun-time = { column = \"r\", unit = \"s\" }\n\
                   procs = [\"used\", \"absent\", \"asked\"]\ntimes = { unit = \"s\" }\nuser = { column = \"u\", optional = true }";
    let log = log("s,eligible,r,used,asked\n2000000000,NaN,1,,2\n2000000000,2000000001,1,3,4\n", columns);
    let jobs: Vec<_> = log.jobs.iter().map(|job| (job.submit_time.as_nanos(), job.procs)).collect();
    assert_eq!(jobs, [(0, 2), (1_000_000_000, 3)]);
}

#[test]
fn parts_of_processors_and_gpus_are_held_whole_and_counted() {
    let columns = "[columns]\nsubmit = \"s\"\nrun-time = { column = \"r\", unit = \"s\" }\n\
                   procs = { column = \"p\", scale = 0.001, round = \"up\" }\ngpus = { column = \"g\", share = \"m\", of = 1000 }\n\
                   gpu-type = \"k\"\ntimes = { unit = \"s\" }";
    let log =
        log("s,r,p,g,m,k\n2e9,1,1500,1,460,T4\n2e9,1,3000,2,1000,A100\n2e9,1,29000,0,0,A100\n", columns);
    assert_eq!(log.jobs.iter().map(|job| job.procs).collect::<Vec<_>>(), [2, 3, 29]);
    let count = |cause| log.report.tally(cause).count;
    assert_eq!((count(Cause::RoundedUp), count(Cause::GpuPart)), (1, 1));
}

#[test]
fn a_start_before_the_submission_moves_that() {
    let columns = "[columns]\nsubmit = \"s\"\nstart = \"b\"\nend = \"e\"\nprocs = \"p\"\n\
                   times = { unit = \"s\", origin = \"trace\" }\nutc-offset = \"+01:00\"";
    let columns = columns.replace("\nutc-offset = \"+01:00\"", "");
    let log = log("s,b,e,p\n100,90,120,1\n95,100,110,1\n", &columns);
    let jobs: Vec<_> = log.jobs.iter().map(|job| (job.number, job.recorded_wait().map(secs))).collect();
    assert_eq!(jobs, [(1, Some(0.0)), (2, Some(5.0))]);
    assert_eq!((log.origin, log.unix_origin()), (SimDuration::from_secs(90), None));
    assert_eq!(log.report.tally(Cause::StartBeforeSubmit).lines, [2]);
}

#[test]
fn zones_are_those_of_the_time_the_columns_or_utc() {
    let table = "s,b,e,p\n2026-07-01 12:00:00,2026-07-01 12:00:00Z,2026-07-01 13:00:00Z,1\n";
    let columns = "[columns]\nsubmit = \"s\"\nstart = \"b\"\nend = \"e\"\nprocs = \"p\"\n";
    let utc = log(table, columns);
    assert_eq!((utc.unix_origin(), utc.report.tally(Cause::NoZone).count), (Some(1_782_907_200), 1));
    for zone in [
        "utc-offset = \"+02:00\"\n",
        "\ntimes = { zone = \"Europe/Rome\" }",
        "\ntimes = { zone = \"+02:00\" }",
    ] {
        let columns =
            if zone.starts_with('\n') { format!("{columns}{zone}") } else { format!("{zone}{columns}") };
        let log = log(table, &columns);
        assert_eq!(
            (log.unix_origin(), log.report.tally(Cause::NoZone).count),
            (Some(1_782_900_000), 0),
            "{zone}"
        );
        assert_eq!(log.calendar().and_then(|calendar| calendar.offset), Some(7200));
    }
}

#[test]
fn states_are_those_that_are_listed_or_unknown_and_counted() {
    let columns = format!(
        "{COLUMNS}state = \"z\"\nstates = {{ completed = [0, \"ok\"], failed = 1, dropped = \"queued\" }}"
    );
    let log =
        log("s,r,p,z\n2e9,1,1,0\n2e9,1,1,ok\n2e9,1,1,1\n2e9,1,1,odd\n2e9,1,1,queued\n2e9,1,1,\n", &columns);
    assert_eq!(log.jobs.iter().map(|job| job.status).collect::<Vec<_>>(), [1, 1, 0, -1, -1]);
    assert_eq!(log.report.tally(Cause::UnknownState).lines, [5]);
    assert_eq!(log.report.tally(Cause::StillRunning).lines, [6]);
}

#[test]
fn what_is_kept_next_to_jobs_is_what_the_columns_state() {
    let columns = format!(
        "{COLUMNS}account = \"a\"\nclass = \"c\"\nnodes = \"count(n)\"\n\
         power = {{ column = \"w\", unit = \"W\", per = \"node\", list = \"mean\" }}\nenergy = {{ column = \"w\", unit = \"kJ\", list = \"sum\" }}"
    );
    let rows = b"{\"s\": 2e9, \"r\": 1, \"p\": 4, \"a\": \"x\", \"c\": \"HP\", \"n\": [\"n1\", \"n2\"], \"w\": [1, 2, \"NaN\", 4.5]}\n\
                 {\"s\": 2e9, \"r\": 1, \"p\": 4, \"n\": [], \"w\": null}";
    let log = log_of("t.jsonl", rows, &columns).expect("right");
    let first = log.attributes.of(0);
    assert_eq!((first.account, first.class, first.nodes), (Some("x"), Some("HP"), Some(2)));
    assert_eq!((first.power, first.energy, first.qos), (Some(5000), Some(7_500_000), None));
    let second = log.attributes.of(1);
    assert_eq!((second.account, second.nodes, second.power), (None, None, None));
    let refused = format!("{COLUMNS}power = {{ column = \"w\", unit = \"W\", per = \"job\" }}");
    let mistakes = log_of("t.jsonl", rows, &refused).expect_err("a list");
    assert!(mistakes[0].message.contains("a list of 3 is no number"), "{mistakes:?}");
}

#[test]
fn users_of_any_name_are_numbered_as_they_come_up() {
    let columns = format!("{COLUMNS}user = \"u\"\nqueue = \"q\"\n");
    let log = log("s,r,p,u,q\n2e9,1,1,NA,x\n2e9,1,1,,y\n2e9,1,1,\"ben, b.\",x\n2e9,1,1,NA,\n", &columns);
    let users: Vec<u32> = log.jobs.iter().map(|job| job.user).collect();
    assert_eq!(users, [1, u32::MAX, 2, 1]);
    assert_eq!(log.jobs.iter().map(Job::queue).collect::<Vec<_>>(), [Some(1), Some(2), Some(1), None]);
}
