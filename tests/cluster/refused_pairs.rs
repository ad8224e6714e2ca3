//! The README names every pair of features of a cluster that is refused, and no other.

use std::fs;

use clustersim_testing::program::{Place, repository};

/// A feature: its name in the README, and what a scenario that has it says.
struct Feature {
    name: &'static str,
    /// Keys of the policy; if they begin with its kind, in the place of EASY.
    policy: &'static str,
    workload: &'static str,
    cluster: &'static str,
    tables: &'static str,
}

const NONE: Feature = Feature { name: "", policy: "", workload: "", cluster: "", tables: "" };

const FEATURES: [Feature; 18] = [
    Feature {
        name: "memory and GPUs",
        tables: "[[cluster.group]]\nnodes = 4\nprocessors = 4\nmemory = \"16GiB\"\n[[workload.demand]]\nmemory = \"1GiB\"\n",
        ..NONE
    },
    Feature {
        name: "reservations of processors",
        tables: "[[cluster.reservation]]\nat = \"1h\"\nfor = \"1h\"\n",
        ..NONE
    },
    Feature {
        name: "advance reservations",
        tables: "[[cluster.reservation]]\nat = \"3h\"\nfor = \"1h\"\nuse = \"advance\"\n",
        ..NONE
    },
    Feature {
        name: "failing nodes",
        tables: "[cluster.failures]\nprocessors-per-node = 1\nup = \"20d\"\ndown = \"1h\"\n",
        ..NONE
    },
    Feature {
        name: CHECKPOINTS,
        tables: "[cluster.failures]\nprocessors-per-node = 1\nup = \"20d\"\ndown = \"1h\"\ncheckpoint = { interval = \"1h\", cost = \"2min\" }\n",
        ..NONE
    },
    Feature { name: "pools", cluster: "pools = { matlab = 2 }\n", ..NONE },
    Feature { name: "limits of run times", cluster: "kill-at-estimate = true\n", ..NONE },
    Feature { name: "power", cluster: "power = { idle = \"100W\", busy = \"200W\" }\n", ..NONE },
    Feature { name: "cancellation", workload: "patience = \"1h\"\n", ..NONE },
    Feature { name: "dependencies", workload: "dependencies = \"dependencies.csv\"\n", ..NONE },
    Feature {
        name: "moldable jobs",
        policy: "molding = \"efficient\"\n",
        tables: "[workload.moldable]\nlaw = { kind = \"downey\", variance = 0.2, parallelism = 2 }\n",
        ..NONE
    },
    Feature {
        name: "sizes found by forecast",
        policy: "molding = \"earliest-end\"\n",
        tables: "[workload.moldable]\nlaw = { kind = \"downey\", variance = 0.2, parallelism = 2 }\n",
        ..NONE
    },
    Feature {
        name: "conservative backfilling",
        policy: "kind = \"space-sharing\"\nbackfill = \"conservative\"\n",
        ..NONE
    },
    Feature {
        name: "variants of EASY",
        policy: "kind = \"space-sharing\"\nbackfill = { kind = \"easy\", extra = \"all\" }\n",
        ..NONE
    },
    Feature {
        name: "EASY with several promises",
        policy: "kind = \"space-sharing\"\nbackfill = { kind = \"easy\", reservations = 3 }\n",
        ..NONE
    },
    Feature { name: "gang scheduling", policy: "kind = \"gang\"\n", ..NONE },
    Feature {
        name: "`decide = \"event\"`",
        policy: "kind = \"space-sharing\"\nbackfill = \"easy\"\ndecide = \"event\"\n",
        ..NONE
    },
    Feature {
        name: "detail `task`",
        policy: "kind = \"gang\"\n",
        workload: "structure = \"cpu\"\n",
        cluster: "detail = \"task\"\n",
        ..NONE
    },
];

/// Whoever has them has failing nodes, so of them only what is refused beyond is named.
const CHECKPOINTS: &str = "checkpoints";

/// A scenario with these features; nothing if both are policies, or rules of sizes.
fn scenario(features: &[&Feature]) -> Option<String> {
    let of = |part: fn(&Feature) -> &'static str| features.iter().map(|one| part(one)).collect::<String>();
    let policies = features.iter().filter(|one| one.policy.starts_with("kind")).count();
    let has = |name: &str| features.iter().any(|one| one.name == name);
    let machine = match (has("memory and GPUs"), has("detail `task`")) {
        (true, _) => "",
        (false, true) => "nodes = 16\n",
        (false, false) => "procs = 16\n",
    };
    let easy = if policies == 0 { "kind = \"space-sharing\"\nbackfill = \"easy\"\n" } else { "" };
    let sizes = features.iter().filter(|one| one.policy.starts_with("molding")).count();
    (policies < 2 && sizes < 2).then(|| {
        format!(
            "title = \"A pair\"\n[workload]\nkind = \"swf\"\nfile = \"log.swf\"\n{}[policy]\n{easy}{}[cluster]\n{machine}{}{}",
            of(|one| one.workload),
            of(|one| one.policy),
            of(|one| one.cluster),
            of(|one| one.tables)
        )
    })
}

/// The pairs that the README names.
fn named() -> Vec<[String; 2]> {
    let readme = fs::read_to_string(repository("README.md")).unwrap();
    let (_, table) = readme.split_once("| feature | refused with |\n|---|---|\n").unwrap();
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let mut pairs = Vec::new();
    for row in rows {
        let [features, with] = row.trim_matches('|').split('|').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        for feature in features.split(", ") {
            pairs.extend(with.split(", ").map(|other| pair(feature.trim(), other.trim())));
        }
    }
    pairs.sort();
    pairs
}

fn pair(one: &str, other: &str) -> [String; 2] {
    let mut pair = [one.to_owned(), other.to_owned()];
    pair.sort();
    pair
}

#[test]
fn the_readme_names_the_pairs_of_features_that_are_refused_and_no_other() {
    let place = Place::new();
    let job = |number: u32| {
        format!("{number} {} -1 60 {} -1 -1 -1 90 -1 1 1 1 -1 0 -1 -1 -1\n", number * 10, 1 + number % 3)
    };
    place.file("log.swf", format!("; MaxProcs: 16\n{}", (1..=20).map(job).collect::<String>()));
    place.file("dependencies.csv", "job,kind,on\n5,after-ok,3\n");
    let is_refused = |text: &str| {
        place.file("pair.toml", text);
        let output = place.run(&["validate", "pair.toml"]);
        assert!([0, 2].contains(&output.status), "{text}\n{}", output.stderr);
        output.status == 2
    };
    let mut refused = Vec::new();
    for (number, one) in FEATURES.iter().enumerate() {
        assert!(!is_refused(&scenario(&[one]).unwrap()), "`{}` is refused alone", one.name);
        for other in &FEATURES[number + 1..] {
            let of_checkpoints = [one.name, other.name].contains(&CHECKPOINTS);
            let both = scenario(&[one, other]);
            // checkpoints are those of failing nodes
            let is_new = !of_checkpoints || [one.name, other.name].contains(&"limits of run times");
            if let Some(text) = both.filter(|_| is_new)
                && is_refused(&text)
            {
                refused.push(pair(one.name, other.name));
            }
        }
    }
    refused.sort();
    assert_eq!(refused, named());
}
