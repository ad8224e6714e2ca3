//! Every component of every table keeps the contract of the registry: its name and keys are well
//! formed, it can be built, and the table it resolves to builds the same again.
//!
//! A new component is covered by being in its table; one whose keys have no defaults needs a line
//! in `WRITTEN`.

use clustersim::system::standard;
use clustersim_experiment::scenario::root_keys;
use clustersim_language::registry::{
    Absent, Catalogue, Complaint, Key, Kind, Params, Quantity, Registry, Row, Sources, Span, Tree, Value,
    check, parse_file, to_toml,
};
use clustersim_language::registry::{Node, code};

/// How components are written that cannot be built from their name alone: table, name, keys.
const WRITTEN: &[(&str, &str, &str)] = &[
    ("application", "dag-text", "file = \"graph.dag\""),
    ("application", "dax", "file = \"graph.dax\""),
    ("application", "dot", "file = \"graph.dot\""),
    ("application", "mixed", "of = [\"random\", \"chain\"]"),
    ("application", "pegasus", "file = \"graph.yml\""),
    ("application", "stg", "file = \"graph.stg\""),
    ("application", "wfformat", "file = \"graph.json\""),
    ("class", "iterations", "compute = \"1ms\""),
    ("class", "pipeline", "compute = \"1ms\", period = \"10ms\""),
    ("distribution", "bounded-pareto", "shape = 1.1, low = \"1s\", high = \"1d\""),
    ("distribution", "constant", "value = \"5min\""),
    ("distribution", "discrete", "values = [\"1s\", \"2s\"], weights = [1, 3]"),
    ("distribution", "empirical", "values = [\"1s\", \"2s\", \"1h\"]"),
    ("distribution", "erlang", "stages = 3, mean = \"1h\""),
    ("distribution", "exponential", "mean = \"1h\""),
    ("distribution", "gamma", "cv = 2, mean = \"1h\""),
    ("distribution", "geometric", "mean = \"10s\""),
    ("distribution", "hyperexponential", "mean = \"1h\", cv = 3"),
    ("distribution", "log-uniform", "low = \"1s\", high = \"1d\""),
    ("distribution", "lognormal", "mean = \"1h\", cv = 1.5"),
    ("distribution", "pareto", "shape = 2.5, low = \"1s\""),
    ("distribution", "poisson", "mean = \"10s\""),
    ("distribution", "triangular", "low = \"1s\", mode = \"2s\", high = \"1h\""),
    ("distribution", "truncated-normal", "mean = \"1h\", cv = 0.5, low = \"1s\", high = \"1d\""),
    ("distribution", "uniform", "low = \"1s\", high = \"2s\""),
    ("distribution", "weibull", "shape = 0.7, scale = \"1h\""),
    ("distribution", "zipf", "ranks = 10, exponent = 1.5"),
    ("efficiency", "amdahl", "parallel = 0.9"),
    ("efficiency", "constant", "share = 0.8"),
    (
        "generator",
        "clusters",
        "sites = 2, clusters = 2, hosts = 3, speed = \"1Gf\", host-bandwidth = \"1Gbps\", host-latency = \"1us\", \
         cluster-bandwidth = \"1Gbps\", cluster-latency = \"1ms\", site-bandwidth = \"1Gbps\", site-latency = \"9ms\"",
    ),
    (
        "generator",
        "tree",
        "hosts = 4, routers = 3, speed = \"1Gf\", bandwidth = \"1Gbps\", latency = \"1ms\", host-bandwidth = \"1Gbps\", \
         host-latency = \"1us\"",
    ),
    (
        "generator",
        "waxman",
        "hosts = 4, routers = 3, speed = \"1Gf\", bandwidth = \"1Gbps\", latency = \"1ms\", host-bandwidth = \"1Gbps\", \
         host-latency = \"1us\"",
    ),
    ("pattern", "explicit", "peers = [[1], [0]]"),
    ("randomization", "jitter", "by = \"10min\""),
    ("queue-model", "extraneous", "actual = \"400kBps\", size = \"10kB\""),
    ("queue-model", "measured", "file = \"bandwidth.txt\""),
    ("server-load", "extraneous", "utilization = 0.3, size = \"200Mop\""),
    ("sweep", "dax", "file = \"sweep.dax\""),
    ("sweep", "pst", "file = \"sweep.txt\""),
    ("sweep", "wfformat", "file = \"sweep.json\""),
    ("structure", "iterations", "compute = \"10ms\""),
    ("workload", "batsim", "file = \"workload.json\""),
    ("workload", "downey", "jobs = 10"),
    ("workload", "lublin-feitelson", "jobs = 10"),
    ("workload", "lublin-feitelson-whole", "jobs = 10"),
    ("workload", "parallel", "jobs = 10, class = [\"comm\", \"video\"]"),
    ("workload", "slurm", "file = \"sacct.txt\""),
    ("workload", "swf", "file = \"log.swf.gz\""),
    ("workload", "table", "file = \"jobs.csv\", like = \"acme\""),
    ("workload", "task-trace", "file = \"trace.jsonl\""),
    ("workload", "synthetic", "jobs = 10, arrivals = \"1s\", sizes = 2, run-times = \"1h\""),
    ("prediction", "gaussian", "deviation = 0.1"),
    ("prediction", "lognormal", "cv = 0.1"),
    ("prediction", "uniform", "error = 0.1"),
    ("scheduler", "portfolio", "of = [\"dls\", \"heft\"]"),
    ("scheduler", "take-over", "schedulers = [\"dls\", \"heft\"]"),
    ("sweep-scheduler", "recorded", "file = \"dialogue.jsonl\""),
    ("scheduler", "fixed", "file = \"tests/data/workflows/plan.json\""),
];

fn is_kebab_case(name: &str) -> bool {
    let parts_are_words = name.split('-').all(|part| !part.is_empty());
    let letters = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    parts_are_words && letters && name.starts_with(|c: char| c.is_ascii_lowercase())
}

fn is_one_line(text: &str) -> bool {
    !text.trim().is_empty() && text.trim() == text && !text.contains('\n') && !text.ends_with('.')
}

/// Every row of every table.
fn for_every_row(mut act: impl FnMut(&Registry, &dyn Catalogue, &Row)) {
    let registry = standard();
    let mut rows = 0;
    for table in registry.tables() {
        for row in table.rows() {
            act(&registry, table, &row);
            rows += 1;
        }
    }
    assert!(rows >= 20, "only {rows} components were found");
}

/// The key under which `table` stands in a scenario.
fn slot_for(table: &dyn Catalogue) -> &'static [Key] {
    let kind = match table.name() {
        "distribution" => Kind::Distribution(Quantity::Duration),
        name => Kind::Component(name),
    };
    let key = Key::new("it", kind).about("a component");
    Box::leak(Box::new([key]))
}

/// `it = …` checked as a component of `table`: its resolved form, or what is wrong.
fn resolve(registry: &Registry, table: &dyn Catalogue, text: &str) -> Result<Tree, Vec<Complaint>> {
    let mut sources = Sources::new("");
    let id = sources.add("conformance.toml", text, "");
    let mut complaints = Vec::new();
    let tree = parse_file(text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    let resolved = check(registry, &sources, &node, slot_for(table), &mut complaints);
    match resolved.map(|node| node.value) {
        Some(Value::Table(tree)) if complaints.is_empty() => {
            // checking has built it once already; whoever reads the resolved scenario builds it
            // again
            let node = tree.get("it").unwrap();
            let kind = node.as_table().and_then(|tree| tree.get("kind")).and_then(Node::as_text).unwrap();
            table.trial(kind, &Params::new(registry, &sources, node)).map_err(|complaint| vec![complaint])?;
            Ok(tree)
        }
        _ => Err(complaints),
    }
}

fn written(table: &dyn Catalogue, row: &Row) -> String {
    let keys = WRITTEN.iter().find(|(of, name, _)| *of == table.name() && *name == row.name);
    match keys {
        Some((_, name, keys)) => format!("it = {{ kind = \"{name}\", {keys} }}\n"),
        None => format!("it = \"{}\"\n", row.name),
    }
}

#[test]
fn names_are_sorted_unique_and_kebab_case() {
    for table in standard().tables() {
        assert!(is_kebab_case(table.name()), "{}", table.name());
        let rows = table.rows();
        let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{}: {names:?}", table.name());
        assert!(names.iter().all(|name| is_kebab_case(name)), "{}: {names:?}", table.name());
    }
}

#[test]
fn every_component_and_key_says_in_one_line_what_it_is() {
    for_every_row(|_, table, row| {
        assert!(is_one_line(row.about), "{} {}: `{}`", table.name(), row.name, row.about);
        keys_are_well_formed(row.keys, row.name);
        assert!(row.keys.iter().all(|key| key.name != "kind"), "{}: `kind` is taken", row.name);
    });
    keys_are_well_formed(root_keys(&standard()), "the scenario");
}

fn keys_are_well_formed(keys: &[Key], whose: &str) {
    for key in keys {
        assert!(is_kebab_case(key.name), "{whose}: {}", key.name);
        assert!(is_one_line(key.about), "{whose}.{}: `{}`", key.name, key.about);
        assert_eq!(keys.iter().filter(|other| other.name == key.name).count(), 1, "{whose}.{}", key.name);
        if let Absent::Means(meaning) = key.default {
            assert!(is_one_line(meaning), "{whose}.{}: `{meaning}`", key.name);
        }
        if let Kind::Table(inner) = key.kind {
            keys_are_well_formed(inner, key.name);
        }
    }
}

#[test]
fn every_component_is_built_and_its_resolved_table_builds_it_again() {
    for_every_row(|registry, table, row| {
        let text = written(table, row);
        let resolved = resolve(registry, table, &text)
            .unwrap_or_else(|complaints| panic!("{}: {text}{complaints:#?}", table.name()));
        let first = to_toml(&resolved);
        let again = resolve(registry, table, &first)
            .unwrap_or_else(|complaints| panic!("{}: {first}{complaints:#?}", table.name()));
        assert_eq!(to_toml(&again), first, "{} {} resolves to something else", table.name(), row.name);
    });
}

#[test]
fn a_name_that_is_not_known_is_refused_with_the_nearest_one() {
    for_every_row(|registry, table, row| {
        let complaints = resolve(registry, table, &format!("it = \"{}x\"\n", row.name)).unwrap_err();
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert_eq!(complaints[0].code.id, code::UNKNOWN_NAME.id);
        let help = complaints[0].help.as_deref().unwrap_or_default();
        assert!(help.contains(row.name), "{} {}x: {help}", table.name(), row.name);
    });
}

#[test]
fn every_sample_is_of_a_component_that_needs_one() {
    let registry = standard();
    for (table, name, _) in WRITTEN {
        let rows = registry.find(table).unwrap().rows();
        let row = rows.iter().find(|row| row.name == *name);
        let row = row.unwrap_or_else(|| panic!("there is no {table} `{name}`"));
        assert!(
            row.keys.iter().any(|key| key.default == Absent::Error),
            "{name} is built from its name alone"
        );
    }
}
