//! Names of random streams: another name is another draw, so they are never renamed. The list is
//! what the sources name.

use std::collections::BTreeSet;

use clustersim_testing::sources::sources;

/// The literals that name streams, in order; `{…}` stands for what is put in.
const NAMES: &[&str] = &[
    "allocation",
    "availability/{name}",
    "bandwidth/{name}",
    "broker/query-time",
    "broker/scheduler",
    "client/{name}/{purpose}",
    "dag/arrivals",
    "dag/{name}/{purpose}",
    "estimates",
    "expected/sizes",
    "extraneous/{station}/{purpose}",
    "failures/node-{number}",
    "failures/{}",
    "fidelity/weeks",
    "gang/skew",
    "load/{name}",
    "passes/player-{own}",
    "perturb/{what}/{whose}",
    "platform/failures/{name}",
    "platform/speed/{}",
    "prediction",
    "random",
    "scheduler/self-scheduling",
    "scheduler/{purpose}/{}/{}",
    "server/{name}/performance",
    "sweep/estimate",
    "sweep/heuristic",
    "sweep/queue-wait",
    "sweep/subset",
    "sweep/{name}/{purpose}",
    "task/{purpose}/job-{job}/rank-{rank}",
    "traffic/{}/{what}",
    "workload/arrivals",
    "workload/classes",
    "workload/demand",
    "workload/estimates",
    "workload/jitter",
    "workload/moldable",
    "workload/patience",
    "workload/run-times",
    "workload/sizes",
    "workload/weeks",
    "workload/{name}{of}",
];

/// The text between the quotes behind each `opening` of `text`.
fn literals<'a>(text: &'a str, opening: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(opening).filter_map(move |(at, _)| text[at + opening.len()..].split('"').next())
}

#[test]
fn no_stream_is_renamed() {
    let mut found = BTreeSet::new();
    for file in sources() {
        // tests name streams of their own
        if file.path.contains("/tests") || file.path.ends_with("/golden.rs") {
            continue;
        }
        let product = file.text.split("#[cfg(test)]").next().unwrap_or_default();
        let code: String = product.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        for opening in
            ["stream(\"", "stream(&format!(\"", "keyed(\"", "keyed(&format!(\"", "keyed_as(format_args!(\""]
        {
            found.extend(literals(&code, opening).map(str::to_owned));
        }
    }
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found, NAMES);
}
