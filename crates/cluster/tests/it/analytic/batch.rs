//! Clusters whose jobs are customers of queueing theory (`MODELS.md` section 7, experiments B).
//!
//! Jobs as wide as the machine make it one server, jobs of one processor make it as many servers as
//! it has processors, and gang scheduling by slices that are short beside jobs shares the machine
//! evenly among jobs as wide as it. None of it depends on how many processors there are, or on the
//! rule of backfilling, which has nothing to do for such jobs.

use std::sync::Arc;

use clustersim_jobs::workload::Job;
use clustersim_kernel::rng::Streams;
use clustersim_kernel::rng::distribution::{Hyperexponential, Sampler};
use clustersim_kernel::{SimDuration, SimTime};

use crate::cluster::{policy, run_shared};

use super::{agree, exponential, secs};

/// A part of the jobs, one in so many, is cut off at the beginning.
const CUT: usize = 20;

/// What jobs are like and where they run; services have the mean 1.
#[derive(Clone, Copy)]
struct Case<'a> {
    jobs: u32,
    arrivals: f64,
    width: u32,
    procs: u32,
    level: u32,
    policy: &'a str,
}

/// Mean wait and mean response of the jobs after the warm-up [s].
fn means(seed: u64, case: Case<'_>, service: &Sampler) -> [f64; 2] {
    let streams = Streams::new(seed, 0);
    let [mut gaps, mut services] = ["gaps", "services"].map(|name| streams.stream(name));
    let gap = exponential(1.0 / case.arrivals);
    let mut at = SimTime::ZERO;
    let mut job = |number: u32| {
        at = at.saturating_add(secs(gap.draw(&mut gaps)));
        let run_time = secs(service.draw(&mut services)).max(SimDuration::from_nanos(1));
        Job::new(u64::from(number), at, case.width, run_time)
    };
    let jobs: Arc<Vec<Job>> = Arc::new((0..case.jobs).map(&mut job).collect());
    let outcomes = run_shared(&jobs, case.procs, case.level, policy(case.policy)).unwrap();
    let (mut wait, mut response) = (0.0, 0.0);
    let cut = jobs.len() / CUT;
    for (one, job) in outcomes.record.outcomes().zip(jobs.iter()).skip(cut) {
        wait += one.start.since(job.submit_time).as_secs_f64();
        response += one.end.since(job.submit_time).as_secs_f64();
    }
    let count = (jobs.len() - cut) as f64;
    [wait / count, response / count]
}

#[test]
fn jobs_as_wide_as_the_machine_are_m_m_1() {
    let (load, service) = (0.7, exponential(1.0));
    for policy in ["'fcfs'", "'easy'", "'conservative'"] {
        let case = Case { jobs: 60_000, arrivals: load, width: 24, procs: 24, level: 1, policy };
        let theory = [("wait", load / (1.0 - load)), ("response", 1.0 / (1.0 - load))];
        agree(&theory, |seed| means(seed, case, &service).to_vec());
    }
}

/// The mean wait at `servers` servers of rate 1 under `arrivals`: Erlang C.
fn erlang_c(arrivals: f64, servers: u32) -> f64 {
    // Erlang B by its recurrence
    let blocked = (1..=servers).fold(1.0, |b: f64, n| arrivals * b / (f64::from(n) + arrivals * b));
    let free = f64::from(servers) - arrivals;
    let waits = f64::from(servers) * blocked / (free + arrivals * blocked);
    waits / free
}

#[test]
fn jobs_of_one_processor_are_m_m_n() {
    let service = exponential(1.0);
    assert!((erlang_c(0.5, 1) - 1.0).abs() < 1e-12);
    for policy in ["'fcfs'", "'easy'", "'conservative'"] {
        let case = Case { jobs: 120_000, arrivals: 3.0, width: 1, procs: 4, level: 1, policy };
        let wait = erlang_c(3.0, 4);
        agree(&[("wait", wait), ("response", wait + 1.0)], |seed| means(seed, case, &service).to_vec());
    }
}

/// The mean response does not depend on the law of services: here their coefficient of variation is
/// 2.
#[test]
fn gang_scheduling_with_short_slices_is_processor_sharing() {
    let load = 0.6;
    let service = Sampler::new(Hyperexponential::balanced(1.0, 2.0).unwrap());
    let policy = "{ kind = 'gang', quantum = '500us', switch = '0s' }";
    let case = Case { jobs: 60_000, arrivals: load, width: 8, procs: 8, level: 1000, policy };
    agree(&[("response", 1.0 / (1.0 - load))], |seed| means(seed, case, &service)[1..].to_vec());
}
