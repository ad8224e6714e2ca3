//! Reading tables of jobs: rows and bytes a second, for tables of few columns and of many.
//!
//! `cargo bench --bench import` prints the table; `-- ROWS` sets the number of rows, a million
//! unless stated. Tables are made in memory; the processor time is from their bytes to the
//! jobs, and stands next to that of a bare loop that counts the ends of their lines.
//!
//! `-- memory ROWS` writes a table to a file, reads it, and prints the greatest memory of the
//! process in bytes a job: of rows in order of submission, and of shuffled ones (Linux).

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark reads the wall clock; nothing here is a result of a model"
)]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

use std::fmt::Write;
use std::fs::{self, File};
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use clustersim_jobs::import::table::{Input, Mapping, mapping_of, read};
use clustersim_jobs::workload::swf::Options;

const ROUNDS: usize = 3;

/// Form of the times of a table.
#[derive(Clone, Copy, PartialEq)]
enum Times {
    Dates,
    Seconds,
}

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let first = words.next();
    if first.as_deref() == Some("memory") {
        let rows = words.next().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
        return memory(rows);
    }
    let rows: u64 = first.and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let dates = columns("");
    let seconds = columns("unit = \"s\"");
    let rome = columns("zone = \"Europe/Rome\"");
    println!("| table | rows/s | MB/s | times a bare scan |\n|---|---|---|---|");
    let few = csv(rows, Times::Dates, 0);
    measure("CSV, 10 columns, dates", &few, rows, &dates);
    measure("CSV, 10 columns, dates in Europe/Rome", &few, rows, &rome);
    measure("CSV, 10 columns, seconds", &csv(rows, Times::Seconds, 0), rows, &seconds);
    measure("CSV, 20 columns, dates", &csv(rows, Times::Dates, 10), rows, &dates);
    measure("CSV, 60 columns, dates", &csv(rows / 4, Times::Dates, 50), rows / 4, &dates);
    measure("JSON lines, 10 keys, dates", &json(rows / 4), rows / 4, &dates);
}

fn columns(times: &str) -> Mapping {
    let text = format!(
        "[columns]\nsubmit = \"submit\"\nstart = \"start\"\nend = \"end\"\nprocs = \"procs\"\nnodes = \"nodes\"\ngpus = \"gpus\"\n\
         limit = {{ column = \"limit\", unit = \"min\" }}\nuser = \"user\"\nstate = \"state\"\ntimes = {{ {times} }}"
    );
    mapping_of(&text).unwrap()
}

fn measure(name: &str, bytes: &[u8], rows: u64, mapping: &Mapping) {
    let round = |_| {
        let start = processor_seconds();
        let log = read(Input::Bytes(bytes), "t", mapping, false, &Options::default()).unwrap();
        assert_eq!(log.report.jobs, rows);
        black_box(log.jobs.len());
        processor_seconds() - start
    };
    let scan = |_| {
        let start = processor_seconds();
        black_box(black_box(bytes).split(|&byte| byte == b'\n').count());
        processor_seconds() - start
    };
    let (seconds, bare) = (median((0..ROUNDS).map(round)), median((0..ROUNDS).map(scan)));
    let (rows, bytes) = (rows as f64 / seconds, bytes.len() as f64 / seconds / 1e6);
    println!("| {name} | {rows:.0} | {bytes:.0} | {:.1} |", seconds / bare);
}

fn median(rounds: impl Iterator<Item = f64>) -> f64 {
    let mut seconds: Vec<f64> = rounds.collect();
    seconds.sort_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// Reads tables of so many rows from a file, and prints the memory that a job took at the most.
fn memory(rows: u64) {
    let path = std::env::temp_dir().join(format!("clustersim-import-{}.csv", std::process::id()));
    println!("| table | rows | rows/s | bytes a job at the peak | kept |\n|---|---|---|---|---|");
    for (name, stride) in [("in order", 1), ("shuffled", 7_919)] {
        let mut file = std::io::BufWriter::new(File::create(&path).unwrap());
        write_rows(&mut file, rows, stride);
        drop(file);
        let mapping = columns("unit = \"s\"");
        // what is measured before is forgotten; elsewhere than on Linux there is nothing to measure
        fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = kibibytes("VmRSS");
        let start = processor_seconds();
        let file = File::open(&path).unwrap();
        let log = read(Input::File(&file), "t.csv", &mapping, false, &Options::default()).unwrap();
        let seconds = processor_seconds() - start;
        let of_job = |now: u64| now.saturating_sub(before) as f64 * 1024.0 / rows as f64;
        let (peak, kept) = (of_job(kibibytes("VmHWM")), of_job(kibibytes("VmRSS")));
        assert_eq!(log.jobs.len() as u64, rows);
        println!("| {name} | {rows} | {:.0} | {peak:.1} | {kept:.1} |", rows as f64 / seconds);
        drop(log);
        fs::remove_file(&path).unwrap();
    }
}

/// The seconds of processor time that this thread has had, where the system says; else those of the
/// clock.
fn processor_seconds() -> f64 {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let stat = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = stat.and_then(|stat| stat.split_whitespace().next()?.parse::<f64>().ok());
    nanos.map_or_else(|| BEGUN.elapsed().as_secs_f64(), |nanos| nanos / 1e9)
}

/// A figure of the process from what Linux says of it.
fn kibibytes(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Writes a table; with a stride above one, which has no factor in common with them, its rows are
/// in another order than their submissions.
fn write_rows(file: &mut impl std::io::Write, rows: u64, stride: u64) {
    file.write_all(b"job,user,submit,start,end,procs,nodes,gpus,limit,state\n").unwrap();
    for row in 0..rows {
        let submit = 1_500_000_000 + row * stride % rows * 5;
        let (start, end) = (submit + row % 97, submit + row % 97 + 600);
        writeln!(
            file,
            "{row},u{:04},{submit},{start},{end},{}.0,1,{},120,COMPLETED",
            row % 500,
            row % 128 + 1,
            row % 5
        )
        .unwrap();
    }
}

/// The times of a row, in the form of the table.
fn time(seconds: u64, times: Times) -> String {
    if times == Times::Seconds {
        return (1_767_225_600 + seconds).to_string();
    }
    let (day, rest) = (seconds / 86_400, seconds % 86_400);
    let (month, day) = (day / 28 % 12 + 1, day % 28 + 1);
    format!("2026-{month:02}-{day:02} {:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

fn csv(rows: u64, times: Times, more: usize) -> Vec<u8> {
    let mut text = String::from("job,user,submit,start,end,procs,nodes,gpus,limit,state");
    (0..more).for_each(|column| write!(text, ",c{column}").unwrap());
    text.push('\n');
    for row in 0..rows {
        let submit = row * 25 % 20_000_000;
        let [submit, start, end] = [0, row % 97, row % 97 + 600].map(|later| time(submit + later, times));
        let procs = row % 128 + 1;
        write!(text, "{row},u{:04},{submit},{start},{end},{procs}.0,1,{},120,COMPLETED", row % 500, row % 5)
            .unwrap();
        (0..more).for_each(|column| write!(text, ",v{column}").unwrap());
        text.push('\n');
    }
    text.into_bytes()
}

fn json(rows: u64) -> Vec<u8> {
    let mut text = String::new();
    for row in 0..rows {
        let submit = row * 25 % 20_000_000;
        let [submit, start, end] = [0, 10, 700].map(|later| time(submit + later, Times::Dates));
        writeln!(
            text,
            "{{\"job\": {row}, \"user\": \"u{:04}\", \"submit\": \"{submit}\", \"start\": \"{start}\", \"end\": \"{end}\", \
             \"procs\": {}, \"nodes\": 1, \"gpus\": 0, \"limit\": 120, \"state\": \"COMPLETED\"}}",
            row % 500,
            row % 128 + 1
        )
        .unwrap();
    }
    text.into_bytes()
}
