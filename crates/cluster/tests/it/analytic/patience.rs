//! Servers whose customers have exponential patience: Erlang A.

use std::sync::Arc;

use clustersim_cluster::instrument::{SiteModel, State};
use clustersim_cluster::policy::{Setting, simulate};
use clustersim_jobs::workload::cancellation::{Cancel, Cancellations};
use clustersim_jobs::workload::{Job, Workload};
use clustersim_kernel::rng::Streams;
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimTime, Simulation};
use clustersim_language::ids::JobId;

use crate::cluster::policy;

use super::{agree, exponential, secs};

/// Jobs of one run, and those of them that are cut off at the beginning.
const JOBS: u32 = 30_000;
const WARM_UP: usize = 1_000;

/// The share of customers who give up, and the mean number of those who wait, at arrivals of rate
/// `arrivals`, services of mean one and patience of mean `patience`: a birth and death process that
/// dies at rate n + j / patience with j in the queue.
fn erlang_a(arrivals: f64, servers: u32, patience: f64) -> [f64; 2] {
    let (mut sum, mut weight, mut waiting) = (1.0, 1.0, 0.0);
    for customers in 1..2000_u32 {
        let in_service = f64::from(customers.min(servers));
        let queued = f64::from(customers.saturating_sub(servers));
        weight *= arrivals / (in_service + queued / patience);
        sum += weight;
        waiting += queued * weight;
    }
    let queue = waiting / sum;
    [queue / patience / arrivals, queue]
}

fn run(seed: u64, (arrivals, servers, patience): (f64, u32, f64), name: &str) -> Vec<f64> {
    let streams = Streams::new(seed, 0);
    let [mut gaps, mut services, mut waits] =
        ["gaps", "services", "patience"].map(|name| streams.stream(name));
    let [gap, service, wait] = [1.0 / arrivals, 1.0, patience].map(exponential);
    let (mut at, mut jobs, mut cancels) = (SimTime::ZERO, Vec::new(), Vec::new());
    for id in 0..JOBS {
        at = at.saturating_add(secs(gap.draw(&mut gaps)));
        let run_time = secs(service.draw(&mut services)).max(SimDuration::from_nanos(1));
        jobs.push(Job::new(u64::from(id), at, 1, run_time));
        cancels.push((JobId(id), Cancel::Waiting(secs(wait.draw(&mut waits)))));
    }
    let cancellations = Some(Arc::new(Cancellations::new(cancels)));
    let work = Workload { jobs: Arc::new(jobs), cancellations, ..Workload::default() };
    let site = SiteModel::default();
    let setting = Setting { procs: servers, level: 1, until: None, warm_up: WarmUp::None, site };
    let outcomes = simulate(work, setting, policy(name), Simulation::new(1)).unwrap();
    let all: Vec<_> = outcomes.record.outcomes().skip(WARM_UP).collect();
    let jobs = &outcomes.jobs[WARM_UP..];
    let gone = all.iter().filter(|one| one.state == State::Cancelled).count();
    let waited: f64 =
        all.iter().zip(jobs).map(|(one, job)| one.start.since(job.submit_time).as_secs_f64()).sum();
    let window = jobs.last().unwrap().submit_time.since(jobs[0].submit_time).as_secs_f64();
    vec![gone as f64 / all.len() as f64, waited / window]
}

fn agrees(arrivals: f64, servers: u32, patience: f64, name: &str) {
    let [share, queue] = erlang_a(arrivals, servers, patience);
    agree(&[("share", share), ("queue", queue)], |seed| run(seed, (arrivals, servers, patience), name));
}

#[test]
fn of_an_overloaded_server_half_the_customers_give_up() {
    // patience as long as a service: the customers are as those of infinitely many servers, a
    // Poisson number of mean 1.5
    let share = erlang_a(1.5, 1, 1.0)[0];
    // 1 - exp(-1.5)
    let busy = 0.776_869_839_851_570_2;
    assert!((share - (1.0 - busy / 1.5)).abs() < 1e-12);
    agrees(1.5, 1, 1.0, "'fcfs'");
}

#[test]
fn of_four_servers_at_load_95_those_who_wait_for_two_services_give_up() {
    agrees(3.8, 4, 2.0, "'easy'");
}

#[test]
fn reservations_of_those_who_give_up_are_free_for_others() {
    agrees(5.0, 4, 0.5, "'conservative'");
}
