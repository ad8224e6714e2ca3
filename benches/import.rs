//! Reading tables of jobs: rows and bytes a second, for tables of few columns and of many.
//!
//! `cargo bench --bench import` prints the table; `-- ROWS` sets the number of rows, a million
//! unless stated. Tables are made in memory; what is measured is from their bytes to the jobs.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark reads the wall clock; nothing here is a result of a model"
)]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

use std::fmt::Write;
use std::hint::black_box;
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
    let rows: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let dates = columns("");
    let seconds = columns("unit = \"s\"");
    let rome = columns("zone = \"Europe/Rome\"");
    println!("| table | rows/s | MB/s |\n|---|---|---|");
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
        let start = Instant::now();
        let log = read(Input::Bytes(bytes), "t", mapping, false, &Options::default()).unwrap();
        assert_eq!(log.report.jobs, rows);
        black_box(log.jobs.len());
        start.elapsed().as_secs_f64()
    };
    let mut seconds: Vec<f64> = (0..ROUNDS).map(round).collect();
    seconds.sort_by(f64::total_cmp);
    let median = seconds[ROUNDS / 2];
    println!("| {name} | {:.0} | {:.0} |", rows as f64 / median, bytes.len() as f64 / median / 1e6);
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
