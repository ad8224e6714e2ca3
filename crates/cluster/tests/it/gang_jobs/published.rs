//! The orderings of MODELS 2.5, experiments B5 and B6, at loads 0.5, 0.7 and 0.85: 320 nodes, sizes
//! 2^k, hyperexponential run times, ten seeds.

use std::sync::Arc;

use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::synthetic::Rigid;
use clustersim_kernel::rng::Streams;
use clustersim_kernel::rng::distribution::{Empirical, Exponential, Hyperexponential, Sampler};

use super::{metric, run};

const SEEDS: u64 = 10;

const POLICIES: [(&str, &str); 7] = [
    ("fcfs", "'fcfs'"),
    ("easy", "'easy'"),
    ("gs", "{ kind = 'gs', quantum = '200s', switch = '0s' }"),
    ("gs-ff", "{ kind = 'gs', quantum = '200s', switch = '0s', queue = 'first-fit' }"),
    ("bgs", "{ kind = 'bgs', quantum = '200s', switch = '0s' }"),
    ("mgs", "{ kind = 'mgs', quantum = '200s', switch = '0s' }"),
    ("bmgs", "{ kind = 'bmgs', quantum = '200s', switch = '0s' }"),
];

fn workload(seed: u64, offered: f64) -> Arc<Vec<Job>> {
    let model = Rigid {
        jobs: 1000,
        // the mean area of a job over the machine that is to be loaded
        arrivals: Sampler::new(Exponential::new(511.0 / 9.0 * 3600.0 / (320.0 * offered)).unwrap()),
        sizes: Sampler::new(Empirical::new((0..9).map(|k| f64::from(1 << k)).collect()).unwrap()),
        run_times: Sampler::new(Hyperexponential::balanced(3600.0, 3.0).unwrap()),
        estimates: None,
    };
    Arc::new(model.draw(&Streams::new(seed, 0), 320).unwrap())
}

/// Mean responses [s] of each policy, a figure a seed.
fn means(offered: f64) -> Vec<Vec<f64>> {
    let mut found = vec![Vec::new(); POLICIES.len()];
    for seed in 1..=SEEDS {
        let jobs = workload(seed, offered);
        for ((_, policy), found) in POLICIES.iter().zip(&mut found) {
            found.push(metric(&run(&jobs, 320, 5, policy), "response-time.mean").unwrap());
        }
    }
    for ((name, _), found) in POLICIES.iter().zip(&found) {
        let seeds: Vec<String> = found.iter().map(|mean| format!("{mean:.0}")).collect();
        let mean = mean(found);
        println!("load {offered}: {name:5} {mean:8.0} s of {}", seeds.join(" "));
    }
    found
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len() as f64
}

/// In how many seeds one is less than the other.
fn less(one: &[f64], other: &[f64]) -> usize {
    one.iter().zip(other).filter(|(one, other)| one < other).count()
}

/// What holds at every load: sharing time is twice as good as waiting, and migration does no harm
/// in the mean.
fn holds_at_every_load(found: &[Vec<f64>]) {
    let [fcfs, easy, gs, gs_ff, bgs, mgs, bmgs] = found else { panic!("seven policies") };
    assert!(mean(gs) < mean(fcfs) / 2.0, "B5");
    for other in [easy, gs, gs_ff, bgs, mgs, bmgs] {
        assert_eq!(less(other, fcfs), SEEDS as usize, "all are better than waiting, in every seed");
    }
    assert!(mean(mgs) <= mean(gs) && mean(bmgs) <= mean(bgs), "migration");
    assert!(less(mgs, gs) >= 9 && less(bmgs, bgs) >= 8, "migration, seed by seed");
    assert!(mean(bgs) < mean(easy) && mean(bgs) < mean(gs), "backfilling into the matrix");
}

#[test]
fn at_half_load_gang_scheduling_answers_before_easy() {
    let found = means(0.5);
    holds_at_every_load(&found);
    let [_, easy, gs, ..] = &found[..] else { panic!("seven policies") };
    assert!(mean(gs) < mean(easy) && less(gs, easy) >= 7);
}

#[test]
fn at_high_load_the_matrix_needs_backfilling_to_beat_easy() {
    for load in [0.7, 0.85] {
        let found = means(load);
        holds_at_every_load(&found);
        let [_, easy, gs, _, bgs, _, bmgs] = &found[..] else { panic!("seven policies") };
        assert!(mean(gs) > mean(easy), "the head of the queue blocks the matrix at load {load}");
        assert!(less(bgs, easy) >= 7 && less(bmgs, easy) >= 8, "load {load}");
    }
}

#[test]
fn overestimates_of_production_change_easy_little() {
    for load in [0.5, 0.7, 0.85] {
        let (mut exact, mut phi) = (Vec::new(), Vec::new());
        for seed in 1..=SEEDS {
            let jobs = workload(seed, load);
            let slowdown = |estimates: &str| {
                let policy = format!("{{ kind = 'easy', estimates = {estimates} }}");
                metric(&run(&jobs, 320, 1, &policy), "bounded-slowdown.mean").unwrap()
            };
            exact.push(slowdown("'exact'"));
            phi.push(slowdown("{ kind = 'phi', phi = 0.2 }"));
        }
        let change = mean(&phi) / mean(&exact) - 1.0;
        println!(
            "load {load}: bounded slowdown {:.1} exact, {:.1} with phi = 0.2: {change:+.3}",
            mean(&exact),
            mean(&phi)
        );
        assert!(change.abs() < 0.2, "B7 at load {load}: {change}");
    }
}
