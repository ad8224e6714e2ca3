//! The rules of the model worked by hand. Moments against their laws are in
//! `tests/cluster/analytic/workloads.rs`.

use super::*;
use crate::kernel::rng::distribution::Gamma;
use crate::kernel::rng::math;
use crate::registry::{Key, Node, Registry, Sources, Span, Tree, Value, check};

use super::arrivals::{Arrivals, HALF_HOURS, weights};
use super::sizes::Sizes;

fn sizes(procs: u32) -> Sizes {
    let stages = [0.8, 4.5, math::log2(f64::from(procs))];
    Sizes { serial: 0.2, powers: 0.4, stages, first: 0.86, procs }
}

const LIMITS: &[Key] = &[params::LONGEST, params::LONGEST_GAP];

/// The class of these keys, all of them at their defaults.
fn class(of: params::Published, keys: &'static [Key]) -> Class {
    let mut sources = Sources::new("");
    let id = sources.add("test.toml", "", "");
    let (registry, mut complaints) = (Registry::new(), Vec::new());
    let node = Node::new(Value::Table(Tree::default()), Span::new(id, 0..0));
    let checked = check(&registry, &sources, &node, keys, &mut complaints).expect("defaults hold");
    let params = Params::new(&registry, &sources, &checked);
    let outer = Node::new(Value::Table(Tree::default()), Span::new(id, 0..0));
    let outer = check(&registry, &sources, &outer, LIMITS, &mut complaints).expect("defaults hold");
    let limits = params::Limits::read(&Params::new(&registry, &sources, &outer)).expect("they are told");
    Class::read(&params, of, &limits).expect("published values hold")
}

#[test]
fn sizes_stay_within_the_machine_and_powers_within_its_powers() {
    let mut stream = Streams::new(1, 0).stream("sizes");
    for procs in [23, 100, 128] {
        let law = sizes(procs);
        let drawn: Vec<u32> = (0..20_000).map(|_| law.draw(&mut stream)).collect();
        assert!(drawn.iter().all(|size| (1..=procs).contains(size)), "{procs}");
        assert!(drawn.iter().any(|&size| size > procs / 2), "{procs}");
    }
    let all_powers = Sizes { serial: 0.0, powers: 1.0, ..sizes(100) };
    assert!((0..5_000).all(|_| all_powers.draw(&mut stream).is_power_of_two()));
}

#[test]
fn half_hours_weigh_one_on_average_and_most_in_the_afternoon() {
    let (weights, inside) = weights(&Gamma::new(8.1737, 3.9631).expect("valid"));
    let mean = weights.iter().sum::<f64>() / HALF_HOURS as f64;
    assert!((mean - 1.0).abs() < 1e-12 && inside > 0.9, "{mean} {inside}");
    let heaviest = (0..HALF_HOURS).max_by(|&one, &other| weights[one].total_cmp(&weights[other]));
    // half hour 28 of the law, counted from 1: from 13:30 to 14:00
    assert_eq!(heaviest, Some(27));
}

#[test]
fn a_gap_is_paid_out_of_the_half_hours_it_passes() {
    let mut weights = [1.0; HALF_HOURS];
    (weights[0], weights[1]) = (2.0, 0.0);
    let mut arrivals = Arrivals::new(&weights, 0.0);
    // half of the first half hour, which weighs two; then its other half and, across one without
    // weight, half of the third
    let times = [1800.0, 2700.0, 900.0].map(|gap| arrivals.after(gap).to_bits());
    assert_eq!(times, [900.0, 4500.0, 5400.0].map(f64::to_bits));
    // whole days are passed at once: 49 weights a day, beginning at a quarter to midnight
    let mut late = Arrivals::new(&[1.0; HALF_HOURS], 85_500.0);
    let times = [900.0, 10.0 * 86_400.0].map(|gap| late.after(gap).to_bits());
    assert_eq!(times, [900.0, 864_900.0].map(f64::to_bits));
}

#[test]
fn one_class_moves_no_draw_of_the_other() {
    let streams = Streams::new(5, 0);
    let batch = || class(params::BATCH, params::BATCH_CLASS);
    let interactive = class(params::INTERACTIVE, params::INTERACTIVE_CLASS);
    let both = Both { interactive, batch: batch(), start: 0.0 };
    let (jobs, taken) = both.draw(2_000, &streams, 128).expect("it fits");
    assert!(taken > 8_000 && jobs.is_sorted_by_key(|job| job.submit_time));
    let own = batch();
    let mut alone = Jobs::new(&own, ("batch/", Some(1)), 0.0, &streams, 128).expect("it fits");
    let of_batch: Vec<_> = jobs.iter().filter(|job| job.queue() == Some(1)).collect();
    assert!(of_batch.len() > 100);
    for job in of_batch {
        assert_eq!(*job, alone.job(job.number));
    }
}
