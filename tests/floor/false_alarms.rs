//! How often is a warning wrong, and how often does it find what it is for?
//!
//! Asked of queues of which it is known whether they settle: M/M/1, M/E₄/1, M/M/4 and M/M/32,
//! started empty, first come, first served. Below load 1 they settle, so that a warning of a long
//! run is a false alarm; above load 1 they never do. Seeds are consecutive and none is chosen. The
//! full study, which prints the figures of `docs/warnings.md`, is `.ci/warnings`; the test that
//! runs with every change takes 60 runs of 10,000 jobs and allows for chance: if a warning is wrong
//! once in 50 runs, more than 5 of 60 are in 1 case of 1,000.
//!
//! A run of jobs here is what a run of the simulator gives to its warnings, jobs and a record; only
//! the queue is computed directly. The same queues are served by calls too, each a run of the
//! program: the signs are made of another record there.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

use clustersim::system::standard;
use clustersim_cluster::instrument::metrics::FinishedRun;
use clustersim_cluster::instrument::{Reason, Record};
use clustersim_experiment::measure::half_widths::{HalfWidth, half_widths};
use clustersim_experiment::measure::signs::Signs;
use clustersim_experiment::scenario::{Session, check, from_text};
use clustersim_jobs::workload::Job;
use clustersim_kernel::rng::distribution::Exponential;
use clustersim_kernel::rng::{Sampler, Streams};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::collections::Interval;
use clustersim_language::ids::JobId;

/// A queue with exponential gaps, so many servers, and service times that are the mean of so many
/// exponential ones.
#[derive(Clone, Copy)]
struct Queue {
    name: &'static str,
    servers: u32,
    stages: u32,
}

const QUEUES: [Queue; 4] = [
    Queue { name: "M/M/1", servers: 1, stages: 1 },
    Queue { name: "M/E4/1", servers: 1, stages: 4 },
    Queue { name: "M/M/4", servers: 4, stages: 1 },
    Queue { name: "M/M/32", servers: 32, stages: 1 },
];

impl Queue {
    /// The first so many jobs, with a mean service time of 100 s, and what becomes of them.
    fn run(self, load: f64, jobs: u32, seed: u64) -> (Vec<Job>, Record) {
        let law = |mean| Sampler::new(Exponential::new(mean).unwrap());
        let gap = law(100.0 / (load * f64::from(self.servers)));
        let stage = law(100.0 / f64::from(self.stages));
        let streams = Streams::new(seed, 0);
        let (mut arrivals, mut services) = (streams.stream("arrivals"), streams.stream("service"));
        let mut free: BinaryHeap<Reverse<(SimTime, u32)>> =
            (0..self.servers).map(|server| Reverse((SimTime::ZERO, server))).collect();
        let (mut now, mut list, mut record) = (SimTime::ZERO, Vec::new(), Record::new(jobs as usize));
        for place in 0..jobs {
            now = now.saturating_add(SimDuration::ceil_secs(gap.draw(&mut arrivals)));
            let service: f64 = (0..self.stages).map(|_| stage.draw(&mut services)).sum();
            let run_time = SimDuration::ceil_secs(service);
            let Reverse((at, server)) = free.pop().unwrap();
            let start = now.max(at);
            let end = start.saturating_add(run_time);
            free.push(Reverse((end, server)));
            list.push(Job::new(u64::from(place) + 1, now, 1, run_time));
            record.started(JobId(place), start, &[Interval::new(server, server)], Reason::Head);
            record.ended(JobId(place), end);
        }
        (list, record)
    }
}

/// Of so many runs, how many have each warning.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Warned {
    runs: u32,
    saturated: u32,
    warm_up_not_over: u32,
    batches_correlate: u32,
    short_run: u32,
}

impl Warned {
    fn of(queue: Queue, load: f64, jobs: u32, runs: u32) -> Self {
        let mut warned = Warned { runs, ..Warned::default() };
        for seed in 1..=u64::from(runs) {
            let (list, record) = queue.run(load, jobs, seed);
            let run = FinishedRun {
                jobs: &list,
                record: &record,
                procs: queue.servers,
                until: None,
                warm_up: WarmUp::None,
            };
            let signs = Signs::of(&run, run.warm_up);
            let widths = half_widths(&run, run.warm_up);
            let any = |wrong: fn(&HalfWidth) -> bool| u32::from(widths.iter().any(wrong));
            warned.saturated += u32::from(signs.saturated);
            warned.warm_up_not_over += u32::from(signs.warm_up_not_over);
            warned.batches_correlate += any(|width| width.correlates);
            warned.short_run += any(|width| !width.correlates && !width.long_enough);
        }
        let percent = |count: u32| format!("{:.1} %", f64::from(count) * 100.0 / f64::from(runs));
        println!(
            "| {} | {load} | {jobs} | {} | {} | {} | {} |",
            queue.name,
            percent(warned.saturated),
            percent(warned.warm_up_not_over),
            percent(warned.batches_correlate),
            percent(warned.short_run)
        );
        warned
    }
}

/// Numbers of saturated and of cold runs among so many runs of calls, whose servers are such a
/// queue.
fn warned_of_calls(queue: Queue, load: f64, tasks: u32, runs: u32) -> [u32; 2] {
    let registry = standard();
    let codes = ["saturated", "warm-up-not-over"];
    let mut warned = [0; 2];
    for seed in 1..=runs {
        let text = format!(
            "title = \"Calls\"\nseed = {seed}\n[platform]\n[[platform.server]]\nname = \"s\"\nperformance = \"1Mop/s\"\n\
             procs = {}\n[platform.queues]\nbandwidth = \"1GBps\"\n[[client]]\nname = \"c\"\ntasks = {tasks}\n\
             arrivals.load = {load}\nclass = [{{ instructions = {{ kind = \"exponential\", mean = \"100Mop\" }} }}]\n\
             [scheduler]\nkind = \"round-robin\"\n",
            queue.servers
        );
        let scenario = check(&registry, from_text("calls.toml", text, Path::new(""), &[])).unwrap();
        let run = scenario.system.assemble(&registry, &scenario).unwrap().run;
        let over = run.run(&Session { only_figures: true, ..Session::default() }).unwrap();
        let warnings = &over.figures().warnings;
        for (count, code) in warned.iter_mut().zip(codes) {
            *count += u32::from(warnings.iter().any(|warning| warning.code == code));
        }
    }
    let percent = |count: u32| format!("{:.1} %", f64::from(count) * 100.0 / f64::from(runs));
    println!("| {} | {load} | {tasks} | {} | {} |", queue.name, percent(warned[0]), percent(warned[1]));
    warned
}

#[test]
fn servers_that_settle_are_warned_of_in_one_run_of_twenty_at_most_and_others_always() {
    for queue in [QUEUES[0], QUEUES[2]] {
        for load in [0.5, 0.8, 0.95] {
            let warned = warned_of_calls(queue, load, 2000, 20);
            assert!(warned.iter().sum::<u32>() <= 1, "{} at {load}: {warned:?}", queue.name);
        }
        assert_eq!(warned_of_calls(queue, 1.3, 2000, 5), [5, 5], "{} at 1.3", queue.name);
    }
}

#[test]
#[ignore = "minutes long: .ci/warnings"]
fn full_study_of_servers() {
    println!("| queue | load | tasks | saturated | warm-up-not-over |\n|---|---|---|---|---|");
    for queue in [QUEUES[0], QUEUES[2]] {
        for load in [0.5, 0.8, 0.95, 1.1, 1.3] {
            for tasks in [1_000, 3_000, 10_000] {
                let warned = warned_of_calls(queue, load, tasks, 100);
                assert!(
                    load > 1.0 || warned.into_iter().all(|count| count <= 5),
                    "{load} {tasks}: {warned:?}"
                );
                assert!(
                    load < 1.2 || warned.into_iter().all(|count| count == 100),
                    "{load} {tasks}: {warned:?}"
                );
            }
        }
    }
}

#[test]
fn a_settled_queue_is_hardly_ever_warned_of_and_one_above_load_1_always() {
    for queue in [QUEUES[0], QUEUES[1], QUEUES[2]] {
        for load in [0.5, 0.8] {
            let warned = Warned::of(queue, load, 10_000, 60);
            assert!(
                warned.saturated <= 2 && warned.warm_up_not_over <= 5,
                "{} at {load}: {warned:?}",
                queue.name
            );
        }
    }
    let warned = Warned::of(QUEUES[0], 1.1, 10_000, 20);
    assert_eq!((warned.saturated, warned.warm_up_not_over), (20, 20), "{warned:?}");
}

#[test]
#[ignore = "minutes long: .ci/warnings"]
fn full_study_of_settled_queues() {
    println!(
        "| queue | load | jobs | saturated | warm-up-not-over | batches-correlate | short-run |\n|---|---|---|---|---|---|---|"
    );
    let mut wrong = Vec::new();
    for queue in QUEUES {
        for load in [0.5, 0.8, 0.95] {
            for (jobs, runs) in [(1_000, 500), (10_000, 400), (100_000, 100)] {
                let warned = Warned::of(queue, load, jobs, runs);
                // a run of 100,000 jobs is long for every warning, but at load 0.95
                let counts = match jobs {
                    100_000 if load < 0.9 => vec![warned.batches_correlate, warned.short_run],
                    _ => Vec::new(),
                };
                let all = [warned.saturated, warned.warm_up_not_over].into_iter().chain(counts);
                if all.max().unwrap() * 20 > runs {
                    wrong.push((queue.name, load, jobs, warned));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "wrong more than once in twenty: {wrong:?}");
}

#[test]
#[ignore = "minutes long: .ci/warnings"]
fn full_study_of_queues_that_never_settle() {
    println!(
        "| queue | load | jobs | saturated | warm-up-not-over | batches-correlate | short-run |\n|---|---|---|---|---|---|---|"
    );
    for queue in QUEUES {
        for load in [1.02, 1.05, 1.1, 1.2] {
            for jobs in [1_000, 10_000] {
                let warned = Warned::of(queue, load, jobs, 200);
                if load > 1.09 && jobs == 10_000 {
                    assert!(warned.saturated >= 198 && warned.warm_up_not_over >= 198, "{warned:?}");
                }
            }
        }
    }
}
