//! Metrics and keys of all systems.

use crate::measure::family::{Aim, Family};
use crate::measure::metric::Metric;
use crate::registry::{Node, Sources, Value, parse_file};

use super::*;

/// The metrics that scenarios of a system may have: of a cluster at both details, of agents with
/// flows.
fn bounded(system: &dyn System) -> Vec<Metric> {
    let texts = match system.name() {
        "cluster" => &["cluster.detail = \"job\"\n", "cluster.detail = \"task\"\n"][..],
        _ => &["flows = { file = \"flows.csv\" }\n"],
    };
    let of = |text: &&str| {
        let id = Sources::new("").add("test.toml", *text, "");
        let tree = parse_file(text, id, &mut Vec::new());
        system.bounded(&Node::new(Value::Table(tree), crate::registry::Span::new(id, 0..0)))
    };
    texts.iter().flat_map(of).collect()
}

#[test]
fn every_metric_that_can_be_bounded_is_declared_with_its_unit() {
    for system in SYSTEMS {
        for metric in bounded(system) {
            let family = system.family(&metric.name);
            let family = family.unwrap_or_else(|| panic!("`{}` has no definition", metric.name));
            assert_eq!(family.unit, metric.unit, "{}", metric.name);
        }
    }
}

#[test]
fn every_metric_that_is_declared_can_be_bounded() {
    for system in SYSTEMS {
        let known = bounded(system);
        for name in system.families().iter().copied().flatten().flat_map(Family::names) {
            assert!(known.iter().any(|metric| metric.name == name), "no run has `{name}`");
        }
    }
}

#[test]
fn the_aim_of_a_metric_is_that_of_its_family() {
    let (jobs, agents): (&dyn System, &dyn System) = (&cluster::Jobs, &agents::Agents);
    assert_eq!((jobs.aim("pace.mean"), jobs.aim("class.video.pace.cv")), (Aim::Higher, Aim::Lower));
    assert_eq!((agents.aim("agents.failed"), agents.aim("steady-state.share")), (Aim::Lower, Aim::Higher));
    assert_eq!((jobs.aim("no-such-metric"), jobs.aim("jobs.held")), (Aim::None, Aim::None));
}

#[test]
fn shares_are_read_in_percent_and_counts_and_ratios_are_not() {
    let is_share = |name: &str| SYSTEMS.iter().any(|system| system.is_share(name));
    let of_all = ["utilization", "memory.utilization", "profile.compute", "host-utilization.mean"];
    let of_part =
        ["steady-state.share", "steady-state.overlap", "deadlines.missed", "class.a.deadlines.missed"];
    for share in of_all.into_iter().chain(of_part) {
        assert!(is_share(share), "{share}");
    }
    for other in ["steady-state.throughput", "deadlines.jitter", "slowdown.mean", "jobs.held", "no-such"] {
        assert!(!is_share(other), "{other}");
    }
}

#[test]
fn no_key_of_one_system_is_another_thing_in_another() {
    let registry = standard();
    for key in crate::scenario::root_keys(&registry) {
        let of = SYSTEMS.iter().filter_map(|system| system.keys().iter().find(|own| own.name == key.name));
        let kinds: Vec<_> = of.map(|own| std::mem::discriminant(&own.kind)).collect();
        assert!(kinds.windows(2).all(|pair| pair[0] == pair[1]), "{}", key.name);
    }
}
