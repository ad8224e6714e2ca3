//! How schemes answer to multiprogramming and to their own parameters: experiments A5 and A10 to
//! A12, in closed batches of 16 nodes and jobs of 16 tasks, nearest neighbours, all at time 0.

use clustersim_jobs::workload::parallel::Times;

use super::published::OUT_OF_STEP;
use super::support::{application, ends, iterations, law, layout, node, pattern, simulate};

/// Mean end of `jobs` jobs of `count` iterations under a policy [ms]; the multiprogramming level is
/// the number of jobs.
fn mean(policy: &str, jobs: u32, count: u32, compute: f64, io: &Times, seed: u64) -> f64 {
    mean_on("", policy, jobs, count, compute, io, seed)
}

/// The same on nodes that differ from the default as told.
fn mean_on(nodes: &str, policy: &str, jobs: u32, count: u32, compute: f64, io: &Times, seed: u64) -> f64 {
    let job = || application(16, iterations(count, law(compute, 0.1), io.clone(), pattern("nn"), 1024));
    let all = (0..jobs).map(|_| (0, job())).collect();
    let ends = ends(&simulate(&layout(16, &node(nodes), ""), jobs, &format!("policy = {policy}"), seed, all));
    ends.iter().sum::<f64>() / ends.len() as f64
}

/// Experiment A5: alone on its nodes a job takes the same under every scheme; blocking costs it
/// little.
#[test]
fn a_job_alone_takes_the_same_under_every_scheme() {
    let of = |policy: &str| mean(&format!("\"{policy}\""), 1, 200, 0.001, &Times::None, 1);
    let local = of("local");
    for policy in ["gang", "sy", "dcs", "pb", "dcs-sy", "pb-sy"] {
        let other = of(policy);
        assert!((other / local - 1.0).abs() < 0.01, "{policy}: {other} ms, LOCAL {local} ms");
    }
    for policy in ["sb", "dcs-sb", "pb-sb", "ics", "cc"] {
        let other = of(policy);
        assert!((other / local - 1.0).abs() < 0.03, "{policy}: {other} ms, LOCAL {local} ms");
    }
}

/// Experiment A10: computed SB 2132, 2163, 2342, 5553, 10487 and GS 2129, 4141, 8383, 16867, 33835
/// ms at 1, 2, 4, 8, 16 jobs.
#[test]
fn slices_cost_in_proportion_to_the_level_and_blocking_only_once_processors_are_full() {
    let io = law(0.015, 0.1);
    let of = |policy: &str, jobs| mean(&format!("\"{policy}\""), jobs, 100, 0.005, &io, 1);
    let levels = [1, 2, 4, 8, 16];
    let (gang, sb, pb) = (
        levels.map(|level| of("gang", level)),
        levels.map(|level| of("sb", level)),
        levels.map(|level| of("pb", level)),
    );
    println!("A10: GS {gang:.0?}, SB {sb:.0?}, PB {pb:.0?} ms at {levels:?} jobs");
    for (mean, level) in gang.iter().zip(levels) {
        assert!((mean / (gang[0] * f64::from(level)) - 1.0).abs() < 0.05, "{level} jobs: {mean} ms");
    }
    for scheme in [sb, pb] {
        assert!(scheme[2] < 1.35 * scheme[0], "{scheme:?}");
        // full from 4 jobs on: twice the jobs, about twice the time
        assert!(scheme[4] / scheme[3] > 1.6 && scheme[3] / scheme[2] > 1.5, "{scheme:?}");
    }
}

/// Experiment A11, with the jobs out of step on the nodes, as in `published`: spinning for longer
/// than a context switch costs time that others could have used.
#[test]
fn a_longer_spin_than_a_context_switch_costs() {
    let of = |threshold: &str| {
        let wait = format!("{{ kind = \"spin-block\", threshold = \"{threshold}\" }}");
        let policy =
            format!("{{ kind = \"coscheduling\", scheme = {{ kind = \"actions\", wait = {wait} }} }}");
        mean_on(OUT_OF_STEP, &policy, 5, 300, 0.002, &Times::None, 1)
    };
    let means = ["200us", "500us", "1ms", "2ms", "5ms"].map(of);
    println!("A11: {means:.0?} ms");
    assert!(means.is_sorted(), "{means:?}");
    assert!(means[4] > 1.7 * means[0], "{means:?}");
}

/// Experiment A12: a daemon that looks less often leaves processors spinning.
#[test]
fn a_boost_daemon_that_looks_seldom_costs() {
    let of = |period: &str| {
        let periodic = format!("{{ kind = \"boost\", period = \"{period}\" }}");
        let policy = format!(
            "{{ kind = \"coscheduling\", scheme = {{ kind = \"actions\", periodic = {periodic} }} }}"
        );
        mean(&policy, 5, 300, 0.002, &Times::None, 1)
    };
    let means = ["500us", "1ms", "5ms", "20ms", "50ms"].map(of);
    println!("A12: {means:.0?} ms");
    assert!(means.is_sorted(), "{means:?}");
    assert!(means[4] > 3.0 * means[1], "{means:?}");
}
