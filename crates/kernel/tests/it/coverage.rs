//! Do 95 % intervals hold the true mean 95 times in 100? Asked of M/M/1, whose mean wait is load /
//! (1 - load) services.
//!
//! One server of the kernel (a [`Facility`], first come, first served), customers as processes, a
//! warm-up of 2,000 customers cut off. An experiment is what a user would do: 10 replications of
//! 10^4 customers and Student's interval over their means, or one run and its batch means. Seeds
//! are consecutive and none is chosen. The full study, 1,000 experiments each, is `.ci/coverage`;
//! the tests that run with every change take 100 and allow for chance: of 100 intervals that hold
//! with probability 0.95, fewer than 88 do in 2 cases of 1,000.
//!
//! Where the interval of a single run is known to fail (load 0.9, short runs), it must say so:
//! there [`BatchMeans::is_long_enough`] must deny it. That some runs are long enough is asked as
//! well.

use std::cell::RefCell;
use std::rc::Rc;

use clustersim_kernel::rng::distribution::Exponential;
use clustersim_kernel::rng::{Sampler, Streams};
use clustersim_kernel::stats::{BatchMeans, ConfidenceInterval};
use clustersim_kernel::{Facility, SimDuration, Simulation, hold, now, spawn, stream};

/// Customers cut off at the beginning.
const WARM_UP: usize = 2_000;

/// Waits of so many customers after the warm-up, in services, in order of arrival.
fn waits(load: f64, customers: usize, streams: Streams) -> Vec<f64> {
    let waits = Rc::new(RefCell::new(Vec::with_capacity(WARM_UP + customers)));
    let simulation = Simulation::with_streams(streams);
    simulation.enter(|| {
        let server = Facility::new("server", 1);
        let waits = Rc::clone(&waits);
        let gap = Sampler::new(Exponential::new(1.0 / load).unwrap());
        let service = Sampler::new(Exponential::new(1.0).unwrap());
        spawn("arrivals", async move {
            let (mut gaps, mut services) = (stream("arrivals"), stream("service"));
            for _ in 0..WARM_UP + customers {
                hold(SimDuration::ceil_secs(gap.draw(&mut gaps))).await;
                let span = SimDuration::ceil_secs(service.draw(&mut services));
                let (server, waits) = (server.clone(), Rc::clone(&waits));
                spawn("customer", async move {
                    let arrived = now();
                    server.use_for(span).await;
                    let wait = (now() - arrived).as_nanos() - span.as_nanos();
                    waits.borrow_mut().push(wait as f64 / 1e9);
                });
            }
        });
    });
    simulation.run().unwrap();
    let mut waits = waits.take();
    assert_eq!(waits.len(), WARM_UP + customers);
    waits.split_off(WARM_UP)
}

/// Of so many experiments of 10 replications of 10^4 customers, those whose interval holds the mean
/// wait.
fn held_by_replications(load: f64, experiments: u64) -> u64 {
    let holds = |experiment: &u64| {
        let mean = |replication| {
            let waits = waits(load, 10_000, Streams::new(*experiment, replication));
            waits.iter().sum::<f64>() / waits.len() as f64
        };
        let means: Vec<f64> = (0..10).map(mean).collect();
        ConfidenceInterval::of(&means, 0.95).unwrap().contains(load / (1.0 - load))
    };
    let held = (1..=experiments).filter(holds).count() as u64;
    println!("replications, load {load}: {held} of {experiments} hold");
    held
}

/// What single runs say of themselves.
#[derive(Debug, Default)]
struct Singles {
    /// Those whose plain interval over the batches holds the mean wait.
    plain: u64,
    /// Those whose widest interval does.
    held: u64,
    /// Those found long enough.
    trusted: u64,
}

fn single_runs(load: f64, customers: usize, runs: u64) -> Singles {
    let mut singles = Singles::default();
    let truth = load / (1.0 - load);
    for seed in 1..=runs {
        let mut batches = BatchMeans::default();
        for wait in waits(load, customers, Streams::new(seed, 0)) {
            batches.record(wait);
        }
        singles.plain += u64::from(batches.interval(0.95).unwrap().contains(truth));
        singles.held += u64::from(batches.widest_interval(0.95).unwrap().contains(truth));
        singles.trusted += u64::from(batches.is_long_enough());
    }
    println!("batch means, load {load}, {customers} customers, {runs} runs: {singles:?}");
    singles
}

#[test]
fn replications_at_load_50_hold_the_mean() {
    assert!(held_by_replications(0.5, 100) >= 88);
}

#[test]
fn replications_at_load_80_hold_the_mean() {
    assert!(held_by_replications(0.8, 100) >= 88);
}

#[test]
fn single_runs_hold_the_mean_or_say_that_they_are_too_short() {
    assert!(single_runs(0.8, 10_000, 100).held >= 88);
    let long = single_runs(0.5, 20_000, 50);
    assert!(long.held >= 43 && long.trusted >= 43, "a long run is believed");
    for (load, customers) in [(0.9, 10_000), (0.9, 3_000), (0.8, 3_000), (0.5, 300)] {
        let short = single_runs(load, customers, 100);
        assert!(short.trusted <= 3, "load {load}, {customers} customers");
    }
}

/// The study proper: between 92 and 98 of 100.
fn assert_coverage(held: u64, experiments: u64) {
    assert!((920..=980).contains(&(held * 1000 / experiments)), "{held} of {experiments}");
}

#[test]
#[ignore = "minutes long: .ci/coverage"]
fn full_study_of_replications_at_load_50() {
    assert_coverage(held_by_replications(0.5, 1000), 1000);
}

#[test]
#[ignore = "minutes long: .ci/coverage"]
fn full_study_of_replications_at_load_80() {
    assert_coverage(held_by_replications(0.8, 1000), 1000);
}

#[test]
#[ignore = "minutes long: .ci/coverage"]
fn full_study_of_single_runs() {
    let mut complaints = Vec::new();
    for load in [0.5, 0.8, 0.9] {
        for customers in [300, 1_000, 3_000, 10_000, 30_000] {
            let singles = single_runs(load, customers, 1000);
            let fails = singles.held < 920;
            // where the interval fails it says so, in at least 90 runs of 100
            if fails && singles.trusted > 100 {
                complaints.push((load, customers, singles));
            }
        }
    }
    assert!(complaints.is_empty(), "{complaints:?}");
    assert_coverage(single_runs(0.8, 10_000, 1000).held, 1000);
}
