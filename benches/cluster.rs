//! The main job's rows of the speed table: reading a log, replaying it, both with all outputs; and
//! what the size of the machine costs; then how decisions grow with the log and with the queue,
//! conservative backfilling while many jobs wait, and a site with features (`sites.rs`).
//!
//! `cargo bench --bench cluster` prints the table: medians over rounds in which the rows take
//! turns. The log is LANL-CM5 (122,055 jobs), or the cut that is shipped where the package has no
//! `tests/data/public`. `-- TEXT` runs only the rows whose name holds TEXT, `-- growth`,
//! `-- waiting` and `-- site` only the last parts.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark reads the wall clock; nothing here is a result of a model"
)]
#![expect(clippy::disallowed_methods, reason = "the bare loop draws with the machine's own logarithm")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

#[path = "../crates/cluster/tests/it/cluster.rs"]
#[expect(dead_code, reason = "shared with the tests, which use more of it")]
mod cluster;

#[expect(dead_code, reason = "shared with the kernel's rows, which use more of it")]
mod bare;
mod sites;
#[expect(dead_code, reason = "shared with the other systems' rows, which use more of it")]
mod table;

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clustersim_cluster::instrument::tables::JobRows;
use clustersim_cluster::instrument::{SiteModel, State};
use clustersim_cluster::policy::{Outcomes, Setting, simulate};
use clustersim_experiment::output::TableFormat;
use clustersim_jobs::workload::swf::{Options, read_file};
use clustersim_jobs::workload::synthetic::Rigid;
use clustersim_jobs::workload::{Job, load};
use clustersim_kernel::rng::Streams;
use clustersim_kernel::rng::distribution::{Exponential, Sampler, Uniform};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimTime, Simulation};

const ROUNDS: usize = 7;

/// A row that measures itself: its name, its floor, its goal, and what it measures.
type Measured<'a> = (&'a str, f64, f64, Box<dyn Fn() -> f64 + 'a>);

/// A row: its name, the jobs of one go, and the go.
type Row<'a> = (&'a str, usize, Box<dyn Fn() + 'a>);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [first, words @ ..] = &words[..]
        && first == "--program"
    {
        return table::program(words);
    }
    let asked = words.first().map(String::as_str);
    let logs = [
        "tests/data/public/swf/LANL-CM5-1994-4.1-cln.swf.gz",
        "scenarios/data/KTH-SP2-1996-2.1-cln-4-weeks.swf.gz",
    ];
    let logs = logs.map(|log| Path::new(env!("CARGO_MANIFEST_DIR")).join(log));
    let path = logs.into_iter().find(|path| path.exists()).unwrap();
    let log = read_file(&path, &Options::default()).unwrap();
    let (procs, jobs) = (log.header.procs().unwrap(), Arc::new(log.jobs));
    let (small, large, crowd) =
        (scaled(50_000, 868.0, 1), scaled(50_000, 868.0, 10_000), scaled(200_000, 86.8, 1));
    let replayed = cluster::run(&jobs, procs, cluster::policy("'easy'")).unwrap();
    let replay = |jobs: &Arc<Vec<Job>>, procs: u32, policy: &str| {
        black_box(cluster::run(jobs, procs, cluster::policy(policy)).unwrap());
    };
    // at load 0.9 on 10^4 processors: figures per job must not grow with the log; then queues of
    // known lengths
    let ninety = [100_000, 1_000_000].map(|jobs| scaled(jobs, 819.8, 100));
    let ninety_exact = overestimated(&ninety[0]);
    // a job every 868 s is about 36,000 a year, and load 0.85
    let (year, decade) = (scaled(36_000, 868.0, 1), scaled(360_000, 868.0, 1));
    let mut rows: Vec<Row<'_>> = vec![
        ("read the log", jobs.len(), Box::new(|| drop(black_box(read_file(&path, &Options::default()))))),
        ("replay, FCFS", jobs.len(), Box::new(|| replay(&jobs, procs, "'fcfs'"))),
        ("replay, EASY", jobs.len(), Box::new(|| replay(&jobs, procs, "'easy'"))),
        ("metrics", jobs.len(), Box::new(|| drop(black_box(replayed.run().metrics())))),
        ("jobs.csv", jobs.len(), Box::new(|| write_jobs(&replayed, &mut std::io::sink()))),
        ("read, replay by EASY, metrics, jobs.csv", jobs.len(), Box::new(|| end_to_end(&path))),
        ("EASY, 10^2 processors", small.len(), Box::new(|| replay(&small, 100, "'easy'"))),
        (
            "EASY, 10^6 processors, the same schedule",
            large.len(),
            Box::new(|| replay(&large, 1_000_000, "'easy'")),
        ),
    ];
    rows.push((
        "EASY, load 8.5: a queue of 170,000 jobs",
        crowd.len(),
        Box::new(|| replay(&crowd, 100, "'easy'")),
    ));
    for (name, jobs) in
        ["EASY, 10^4 processors, 10^5 jobs", "EASY, 10^4 processors, 10^6 jobs"].into_iter().zip(&ninety)
    {
        rows.push((name, jobs.len(), Box::new(|| replay(jobs, 10_000, "'easy'"))));
    }
    for (name, value) in [
        ("EASY++, 10^4 processors, 10^5 jobs", "'easy-plus-plus'"),
        ("conservative, 10^4 processors, 10^5 jobs", "'conservative'"),
        ("priority, 10^4 processors, 10^5 jobs", "{ kind = 'space-sharing', queue = 'priority' }"),
    ] {
        rows.push((name, ninety_exact.len(), Box::new(|| replay(&ninety_exact, 10_000, value))));
    }
    let slices = |jobs: &Arc<Vec<Job>>, quantum: &str| {
        let policy = format!("{{ kind = 'bgs', quantum = '{quantum}', switch = '0s' }}");
        black_box(cluster::run_shared(jobs, 100, 5, cluster::policy(&policy)).unwrap());
    };
    rows.push((
        "gang with backfilling, slices of 200 s, a year",
        year.len(),
        Box::new(|| slices(&year, "200s")),
    ));
    rows.push((
        "gang with backfilling, slices of 200 s, 10 years",
        decade.len(),
        Box::new(|| slices(&decade, "200s")),
    ));
    rows.push((
        "gang with backfilling, slices of 1 ms, a year",
        year.len(),
        Box::new(|| slices(&year, "1ms")),
    ));
    if let Some(text) = asked {
        rows.retain(|(name, ..)| name.contains(text));
    }
    let mut seconds = vec![Vec::new(); rows.len()];
    for _ in 0..ROUNDS {
        for ((_, _, go), seconds) in rows.iter().zip(&mut seconds) {
            let start = Instant::now();
            go();
            seconds.push(start.elapsed().as_secs_f64());
        }
    }
    println!("{}", path.file_name().unwrap().to_string_lossy());
    for ((name, jobs, _), mut seconds) in rows.into_iter().zip(seconds) {
        seconds.sort_by(f64::total_cmp);
        let median = seconds[ROUNDS / 2];
        println!("{name:<44} {:>8.2} M jobs/s {:>8.1} ms", jobs as f64 / median / 1e6, median * 1e3);
    }
    if asked.is_none_or(|text| text == "growth") {
        growth();
    }
    waiting(|name| asked.is_none_or(|text| text == "waiting" || name.contains(text)));
    sites::print(|name| asked.is_none_or(|text| name.contains(text)));
    ExitCode::SUCCESS
}

/// Conservative backfilling while many jobs wait, beside the floor and the goal of each row:
/// medians of three.
fn waiting(asked: impl Fn(&str) -> bool) {
    let pile = |jobs| overestimated(&scaled(jobs, 1.0, 1));
    // 20.5 processors for an hour each, at load 3 on 100
    let triple = overestimated(&scaled(10_000, 246.0, 1));
    let (log, procs) = overloaded("KTH-SP2-1996-2.1-cln");
    let first = SimTime::from_secs(144_000);
    let seconds = |policy, jobs: &Arc<Vec<Job>>, procs| timed_run(policy, jobs, procs, None).0;
    let an_end = |jobs: &Arc<Vec<Job>>| {
        let (seconds, ends) = timed_run("'conservative'", jobs, 100, first);
        seconds / ends as f64 * 1e3
    };
    let (thousand, ten) = (pile(1_000), pile(10_000));
    let rows: [Measured<'_>; 4] = [
        ("10^3 jobs wait [ms an end]", 0.6, 0.2, Box::new(|| an_end(&thousand))),
        ("10^4 jobs wait [ms an end]", 22.0, 3.0, Box::new(|| an_end(&ten))),
        ("10^4 jobs at load 3 [s]", 2.0, 0.7, Box::new(|| seconds("'conservative'", &triple, 100))),
        (
            "KTH-SP2 at load 1.1 [times EASY]",
            10.0,
            5.0,
            Box::new(|| seconds("'conservative'", &log, procs) / seconds("'easy'", &log, procs)),
        ),
    ];
    println!("{:<34} {:>9} {:>7} {:>7}", "conservative", "measured", "floor", "goal");
    for (name, floor, goal, go) in rows.iter().filter(|row| asked(row.0)) {
        let mut figures = [0; 3].map(|_| go());
        figures.sort_by(f64::total_cmp);
        println!("{name:<34} {:>9.3} {floor:>7.1} {goal:>7.1}", figures[1]);
    }
}

/// A log at load 1.1 and its processors, or the cut that is shipped.
fn overloaded(name: &str) -> (Arc<Vec<Job>>, u32) {
    let files =
        [format!("tests/data/public/swf/{name}.swf.gz"), format!("scenarios/data/{name}-4-weeks.swf.gz")];
    let mut paths = files.iter().map(|path| Path::new(env!("CARGO_MANIFEST_DIR")).join(path));
    let log = read_file(&paths.find(|path| path.exists()).unwrap(), &Options::default()).unwrap();
    let (procs, mut jobs) = (log.header.procs().unwrap(), log.jobs);
    let factor = load::offered(&jobs, procs).unwrap() / 1.1;
    let begin = jobs[0].submit_time;
    for job in &mut jobs {
        let after = SimDuration::ceil_secs(job.submit_time.since(begin).as_secs_f64() * factor);
        job.submit_time = begin + after;
    }
    (Arc::new(jobs), procs)
}

/// Ends per second over the length of the log at load 0.9, and over the length of the queue; once
/// each.
fn growth() {
    println!("growth{:>32} {:>16} {:>12}", "jobs", "ends", "ends/s");
    for policy in ["'easy'", "'conservative'"] {
        for jobs in [10_000, 100_000, 1_000_000] {
            let log = overestimated(&scaled(jobs, 819.8, 100));
            ends_per_second(&format!("{policy} log"), &log, 10_000, None);
        }
        // the first 40 hours of working a queue off, in which it stays about as long as it is
        for jobs in [100, 1_000, 10_000] {
            let pile = overestimated(&scaled(jobs, 1.0, 1));
            ends_per_second(&format!("{policy} queue"), &pile, 100, SimTime::from_secs(144_000));
        }
    }
}

fn ends_per_second(name: &str, jobs: &Arc<Vec<Job>>, procs: u32, until: Option<SimTime>) {
    let (seconds, ends) = timed_run(&name[..name.rfind(' ').unwrap()], jobs, procs, until);
    println!("{name:<24} {:>13} {ends:>16} {:>12.0}", jobs.len(), ends as f64 / seconds);
}

/// Seconds of processor time of a run under a policy, and the jobs that ended in it.
fn timed_run(policy: &str, jobs: &Arc<Vec<Job>>, procs: u32, until: Option<SimTime>) -> (f64, usize) {
    let setting = Setting { procs, level: 1, until, warm_up: WarmUp::None, site: SiteModel::default() };
    let mut run = None;
    let seconds = table::seconds_of(|| {
        run = Some(simulate(Arc::clone(jobs), setting, cluster::policy(policy), Simulation::new(1)));
    });
    let record = run.unwrap().unwrap().record;
    (seconds, record.outcomes().filter(|one| one.state == State::Completed).count())
}

fn end_to_end(path: &Path) {
    let log = read_file(path, &Options::default()).unwrap();
    let procs = log.header.procs().unwrap();
    let outcomes = cluster::run(&Arc::new(log.jobs), procs, cluster::policy("'easy'")).unwrap();
    black_box(outcomes.run().metrics());
    let mut file = tempfile::tempfile().unwrap();
    write_jobs(&outcomes, &mut file);
}

fn write_jobs(outcomes: &Outcomes, out: &mut (impl Write + Send)) {
    TableFormat::Csv.write(&JobRows { run: outcomes.run(), workload: "log" }, out).unwrap();
}

/// The same jobs with estimates up to five times their run times, so that most end early.
fn overestimated(jobs: &Arc<Vec<Job>>) -> Arc<Vec<Job>> {
    let mut jobs: Vec<Job> = jobs.to_vec();
    for job in &mut jobs {
        let tenths = 10 + job.number * 7 % 41;
        job.estimate = SimDuration::from_nanos(job.run_time.as_nanos() / 10 * tenths + 1);
        job.user = (job.number % 100) as u32;
    }
    Arc::new(jobs)
}

/// Jobs for 100 × `factor` processors, at load 0.85 if they come every 868 s; the schedule is the
/// same for every factor.
fn scaled(jobs: u32, every_secs: f64, factor: u32) -> Arc<Vec<Job>> {
    let exponential = |mean| Sampler::new(Exponential::new(mean).unwrap());
    let sizes = Sampler::new(Uniform::new(0.5, 40.5).unwrap());
    let model = Rigid {
        jobs,
        arrivals: exponential(every_secs),
        sizes,
        run_times: exponential(3600.0),
        estimates: None,
    };
    let mut jobs = model.draw(&Streams::new(1, 0), 100).unwrap();
    for job in &mut jobs {
        job.procs *= factor;
    }
    Arc::new(jobs)
}
