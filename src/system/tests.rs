//! Metrics and keys of all systems.

use clustersim_experiment::measure::family::{Aim, Family};
use clustersim_experiment::measure::metric::Metric;
use clustersim_experiment::scenario::recognition::recognized;
use clustersim_language::registry::{Node, Sources, Value, parse_file};
use clustersim_language::text::mark::Head;

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
        system.bounded(&Node::new(Value::Table(tree), clustersim_language::registry::Span::new(id, 0..0)))
    };
    texts.iter().flat_map(of).collect()
}

#[test]
fn every_metric_that_can_be_bounded_is_declared_with_its_unit() {
    for system in SYSTEMS {
        for metric in bounded(*system) {
            let family = system.family(&metric.name);
            let family = family.unwrap_or_else(|| panic!("`{}` has no definition", metric.name));
            assert_eq!(family.unit, metric.unit, "{}", metric.name);
        }
    }
}

#[test]
fn every_metric_that_is_declared_can_be_bounded() {
    for system in SYSTEMS {
        let known = bounded(*system);
        for name in system.families().iter().copied().flatten().flat_map(Family::names) {
            assert!(known.iter().any(|metric| metric.name == name), "no run has `{name}`");
        }
    }
}

#[test]
fn the_aim_of_a_metric_is_that_of_its_family() {
    let (jobs, agents): (&dyn System, &dyn System) =
        (&clustersim_cluster::system::Jobs, &clustersim_agents::system::Agents);
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
    for key in clustersim_experiment::scenario::root_keys(&registry) {
        let of = SYSTEMS.iter().filter_map(|system| system.keys().iter().find(|own| own.name == key.name));
        let kinds: Vec<_> = of.map(|own| std::mem::discriminant(&own.kind)).collect();
        assert!(kinds.windows(2).all(|pair| pair[0] == pair[1]), "{}", key.name);
    }
}

#[test]
fn each_format_is_recognized_by_its_mark() {
    let registry = standard();
    for (text, expected) in [
        ("title = \"T\"\n", Some("a scenario (TOML)")),
        ("# a part\n\n[[cluster.group]] # g\nnodes = 2\n", Some("a scenario (TOML)")),
        ("\"policy.backfill\" = [\"none\"]\n", Some("a scenario (TOML)")),
        ("; Version: 2.2\n", Some("a log in the Standard Workload Format")),
        ("1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n", Some("a log in the Standard Workload Format")),
        ("JobID|User|Submit\n1|u|2026-03-01T00:00:00\n", Some("an accounting dump of Slurm (sacct)")),
        ("# site\nClusterName=c\nNodeName=n[1-4] CPUs=4\n", Some("a slurm.conf, the nodes of a site")),
        (
            "SlurmctldTimeout=300\nNodeName=n1 CPUs=4 State=UNKNOWN\n",
            Some("a slurm.conf, the nodes of a site"),
        ),
        (r#"{"nb_res": 4, "jobs": [], "profiles": {}}"#, Some("a workload of Batsim (JSON)")),
        (r#"{"arrival": "1s", "tasks": 3}"#, Some("a trace of parallel jobs (a JSON object on each line)")),
        (r#"{"name": "w", "schemaVersion": "1.5", "workflow": {}}"#, Some("a workflow in WfFormat (JSON)")),
        (r#"{"schema": "clustersim/manifest/1", "identity": {}}"#, Some("the manifest of a run or study")),
        (r#"{"schema": "clustersim/summary/1"}"#, Some("a JSON file of results")),
        (r#"[{"a": 1}]"#, Some("JSON of a kind that is not known")),
        (
            "<?xml version='1.0'?>\n<platform version=\"4.1\"><zone id=\"z\">",
            Some("a platform of SimGrid (XML)"),
        ),
        (
            "<platform version=\"4.1\"><actor host=\"a\" function=\"f\"/>",
            Some("a deployment of SimGrid (XML)"),
        ),
        ("# a grid\nDagGrid 1\nhost a 1 0\n", Some("a grid of DAGSim (`DagGrid 1`)")),
        ("DagDescription 1\nnode a 1\n", Some("a task graph in the text of DAGSim")),
        (
            "# a grid\nGridDescription 1\n0:ADD_CLUSTER <c> <b> <0>\n",
            Some("a grid of the Parameter Sweep Template (`GridDescription 1`)"),
        ),
        (
            "WorkDescription 1 1 1\nFile: <0> <f> <1> <1>\n",
            Some("an application of the Parameter Sweep Template (`WorkDescription`)"),
        ),
        ("<?xml version='1.0'?>\n<adag name=\"a\">", Some("a task graph of Pegasus (DAX, XML)")),
        ("// a graph\ndigraph G {\n  a [size = \"1\"];\n}\n", Some("a directed graph in DOT")),
        ("digraph G{a->b}", Some("a directed graph in DOT")),
        ("   2\n 0 0 0\n 1 5 1 0\n", Some("a graph of the Standard Task Graph Set")),
        ("<svg xmlns=\"x\"/>", Some("XML, but no platform and no deployment of SimGrid")),
        ("<!DOCTYPE html><html>", Some("a page of HTML")),
        ("host,speed\na,1Gf\n", Some("a table of comma-separated values")),
        ("\"host\",\"speed\"\na,1Gf\n", Some("a table of comma-separated values")),
        ("", None),
        ("\0\0\0", None),
        ("some words\nand more\n", None),
        // the keys of a weaker mark stand in it, too
        (r#"{"pegasus": "5.0", "jobs": [], "profiles": {}}"#, Some("an abstract workflow of Pegasus (YAML)")),
        ("pegasus: '5.0'\njobs: []\n", Some("an abstract workflow of Pegasus (YAML)")),
        ("PAR1\0\u{1}", Some("a Parquet file")),
    ] {
        let mark = recognized(&registry, &Head::new(text.as_bytes()));
        assert_eq!(mark.map(|mark| mark.about), expected, "{text}");
    }
}
