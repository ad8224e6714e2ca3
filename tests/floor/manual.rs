//! The manual, the reference, `explain` and the schema are of one origin, and what none of them is
//! made from is held to what the program does.

use std::fs;
use std::process::Command;

use clustersim::system::standard;
use clustersim_agents::names::NAMES;
use clustersim_experiment::scenario::metrics;
use clustersim_experiment::scenario::{root_keys, systems};
use clustersim_language::registry::Key;
use clustersim_language::registry::topic::{Found, Topic, find, topics};
use clustersim_platform::simgrid::{ELEMENTS, REFUSED};
use serde_json::Value;

use clustersim_testing::program::{Place, program, repository};

fn printed(arguments: &[&str]) -> String {
    let output = Place::new().run(arguments);
    assert_eq!(output.status, 0, "{arguments:?}: {}", output.stderr);
    output.stdout
}

fn reference() -> String {
    printed(&["manual", "--format", "markdown"])
}

#[test]
fn the_reference_is_current() {
    let registry = standard();
    let names = systems(&registry).iter().map(|system| system.name());
    let pages = names.map(|name| (name, format!("docs/reference/{name}.md")));
    for (part, page) in pages.chain([("common", "docs/reference.md".to_owned())]) {
        let committed = fs::read_to_string(repository(&page)).unwrap_or_default();
        let printed = printed(&["manual", part, "--format", "markdown"]);
        assert!(committed == printed, "{page} is not what the program says: run .ci/reference");
    }
    assert_eq!(fs::read_dir(repository("docs/reference")).unwrap().count(), systems(&registry).len());
}

#[test]
fn the_parts_of_the_manual_are_the_whole_of_it() {
    let items = |text: &str| {
        let mut lines: Vec<String> =
            text.lines().filter(|line| line.starts_with("- `")).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let registry = standard();
    let names = systems(&registry).iter().map(|system| system.name()).chain(["common"]);
    let parts: String = names.map(|name| printed(&["manual", name, "--format", "markdown"])).collect();
    assert_eq!(items(&parts), items(&reference()));
    let output = Place::new().run(&["manual", "dags"]);
    assert_eq!(output.status, 2);
    assert!(
        output.stderr.contains("did you mean `dag`") || output.stderr.contains("`dag`"),
        "{}",
        output.stderr
    );
}

/// Every property of the schema with the path of names that leads to it, definitions once each.
fn properties<'a>(schema: &'a Value, found: &mut Vec<(&'a str, &'a Value)>) {
    match schema {
        Value::Object(object) => {
            // a key may be called `properties`, too
            let is_table = object.get("type").is_some_and(|kind| kind == "object");
            if let Some(Value::Object(own)) = object.get("properties").filter(|_| is_table) {
                found.extend(own.iter().map(|(name, value)| (name.as_str(), value)));
            }
            object.values().for_each(|inner| properties(inner, found));
        }
        Value::Array(values) => values.iter().for_each(|inner| properties(inner, found)),
        _ => {}
    }
}

/// How a description in the schema begins.
fn told_as(key: &Key) -> String {
    format!("{} [{}]", key.about, key.kind.unit())
}

/// Whether what is told of a key's default is what the schema has.
fn has_default(key: &Key, default: Option<&Value>) -> bool {
    let words = key.default.words();
    match default {
        Some(Value::String(text)) => words == format!("\"{text}\""),
        Some(Value::Number(number)) => words.parse::<f64>().ok() == number.as_f64(),
        Some(Value::Bool(flag)) => words == flag.to_string(),
        _ => true,
    }
}

#[test]
fn every_key_of_the_schema_is_explained_with_the_same_meaning_and_default() {
    let schema: Value = serde_json::from_str(&printed(&["schema"])).unwrap();
    let (registry, reference) = (standard(), reference());
    let topics = topics(&registry, root_keys(&registry));
    let mut found = Vec::new();
    properties(&schema, &mut found);
    // those of [expect] are metrics, and explained as such
    let bounded = metrics::bounded(&standard());
    let is_key = |name: &str| name != "kind" && bounded.iter().all(|metric| metric.name != name);
    let keys: Vec<_> = found.iter().filter(|(name, _)| is_key(name)).collect();
    assert!(keys.len() > 30, "the schema has only {} keys", keys.len());
    for (name, property) in keys {
        let description = property["description"].as_str().unwrap_or_default();
        // a key with one meaning may have another default in another component
        let told = topics.iter().find_map(|topic| match topic {
            Topic::Key { path, key }
                if key.name == *name
                    && description.starts_with(&told_as(key))
                    && has_default(key, property.get("default")) =>
            {
                Some((path, key))
            }
            _ => None,
        });
        let (path, key) = told.unwrap_or_else(|| panic!("`{name}` ({description}) cannot be explained"));
        let Found { exact, .. } = find(&topics, path);
        assert_eq!(exact.first().map(Topic::name), Some(path.as_str()), "asked for `{path}`");
        assert!(!key.about.trim().is_empty(), "`{path}` has no meaning");
        assert!(reference.contains(&format!("- `{path}`: ")), "the reference does not tell of `{path}`");
    }
}

#[test]
fn everything_that_can_be_explained_has_a_meaning_and_stands_in_both_manuals() {
    let (registry, reference, man) = (standard(), reference(), printed(&["man"]));
    for topic in topics(&registry, root_keys(&registry)) {
        let (name, about) = match &topic {
            Topic::Key { path, key } => (path.clone(), key.about),
            Topic::Component { table, row } => (format!("{table} \"{}\"", row.name), row.about),
            Topic::Word(word) => (word.name.to_string(), &*word.about),
        };
        assert!(!about.trim().is_empty(), "`{name}` has no meaning");
        assert!(topic.text().contains(about), "explain does not tell what `{name}` means");
        assert!(reference.contains(&format!("- `{name}`: ")), "the reference does not tell of `{name}`");
        let escaped = name.replace('-', "\\-");
        assert!(man.contains(&escaped), "the manual page does not tell of `{name}`");
    }
}

#[test]
fn the_manual_page_has_the_sections_of_one_and_tells_what_help_tells() {
    let (man, reference) = (printed(&["manual"]), reference());
    assert_eq!(man, printed(&["man", "--format", "man"]));
    let chapters: Vec<&str> = man.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
    assert_eq!(
        chapters,
        [
            "NAME",
            "SYNOPSIS",
            "COMMANDS",
            "SCENARIOS",
            "COMPONENTS",
            "METRICS",
            "\"WORDS OF RESULTS\"",
            "FILES",
            "ENVIRONMENT",
            "\"EXIT STATUS\"",
            "\"CODES OF DIAGNOSTICS\"",
            "\"SYSTEM CLUSTER: JOBS ON A CLUSTER\"",
            "\"SYSTEM AGENTS: AGENTS ON A PLATFORM\"",
            "\"SYSTEM DAG: TASK GRAPHS ON A PLATFORM\"",
            "\"SYSTEM SWEEP: A PARAMETER SWEEP\"",
            "\"SYSTEM BROKERS: GLOBAL COMPUTING\"",
        ]
    );
    let help = printed(&["--help"]);
    let (_, statuses) = help.split_once("Exit status:\n").unwrap();
    for line in statuses.lines().map(str::trim).filter(|line| !line.is_empty()) {
        assert!(reference.contains(line), "the reference does not tell `{line}`");
    }
    let commands = help.split_once("Commands:\n").unwrap().1.split("\n\n").next().unwrap();
    let names =
        commands.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    for name in names.filter_map(|line| line.split(' ').next()).filter(|name| *name != "help") {
        assert!(reference.contains(&format!("### clustersim {name}\n")), "`{name}` is not in the reference");
        let flags = printed(&[name, "--help"]);
        for flag in flags.split_whitespace().filter_map(|word| word.strip_prefix("--")) {
            let flag: String =
                flag.chars().take_while(|letter| letter.is_ascii_alphabetic() || *letter == '-').collect();
            let told = flag == "help" || reference.contains(&format!("--{flag}"));
            assert!(told, "`{name} --{flag}` is not in the reference");
        }
    }
}

#[test]
fn the_files_of_a_run_are_those_that_a_run_leaves() {
    let place = Place::new();
    assert_eq!(place.run(&["init"]).status, 0);
    let mut arguments = vec!["run", "scenario.toml", "-o", "out", "--set", "record.swf=true", "--trace"];
    arguments.extend(cfg!(feature = "parquet").then_some("--parquet"));
    let output = place.run(&arguments);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let reference = reference();
    for name in place.names("out") {
        assert!(reference.contains(&format!("- `{name}`: ")), "the reference does not tell of `{name}`");
    }
}

#[test]
fn the_files_of_a_run_of_agents_are_those_that_it_leaves() {
    let place = Place::new();
    place.file(
        "s.toml",
        "title = 'S'\n[[platform.host]]\nname = 'h'\nspeed = '1Mf'\n[[agent]]\nhost = 'h'\nrole = 'ring-peer'\n\
         [[flows.flow]]\nfrom = 'h'\nto = 'h'\nsize = '1kB'\n",
    );
    let output = place.run(&[
        "run",
        "s.toml",
        "-o",
        "out",
        "--set",
        "record.operations=true",
        "--trace",
        "--no-progress",
    ]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let reference = reference();
    let names = place.names("out");
    assert!(
        ["tasks.csv", "hosts.csv", "operations.csv", "flows.csv"]
            .iter()
            .all(|name| names.contains(&(*name).to_owned()))
    );
    for name in names {
        assert!(reference.contains(&format!("- `{name}`: ")), "the reference does not tell of `{name}`");
    }
}

#[test]
fn files_are_the_same_under_every_locale_and_names_stay_as_they_are() {
    let scenario = "title = 'S'\n[[platform.host]]\nname = '=1+1'\nspeed = '1.5Mf'\n[[agent]]\nhost = '=1+1'\n\
                    name = '=cmd, \"x\"'\nrole = { kind = 'ring-peer', work = '1Mf' }\n";
    let files = |locale: &str| {
        let place = Place::new();
        place.file("s.toml", scenario);
        let mut command = Command::new(program());
        command.args(["run", "s.toml", "-o", "out", "--set", "record.operations=true", "--no-progress"]);
        command.env("LC_ALL", locale).env("LANG", locale).env("TZ", "Asia/Kolkata");
        let output = place.wait(&mut command);
        assert_eq!(output.status, 0, "{}", output.stderr);
        ["tasks.csv", "hosts.csv", "operations.csv", "summary.json"]
            .map(|name| place.read(&format!("out/{name}")))
    };
    let german = files("de_DE.UTF-8");
    assert_eq!(german, files("C"));
    for text in german.map(|bytes| String::from_utf8(bytes).unwrap()) {
        assert!(!text.starts_with('\u{feff}') && !text.contains('\r'), "{text}");
        if !text.starts_with('{') {
            assert!(text.contains("=1+1"), "{text}");
        }
    }
    let operations = String::from_utf8(files("C")[2].clone()).unwrap();
    assert!(operations.contains("\"=cmd, \"\"x\"\""), "{operations}");
}

#[test]
fn every_name_of_msg_and_every_element_of_simgrid_stands_in_both_manuals() {
    let (reference, man) = (reference(), printed(&["manual"]).replace("\\-", "-"));
    for known in NAMES {
        for name in [known.msg, known.s4u, known.ours].into_iter().filter(|name| !name.is_empty()) {
            assert!(reference.contains(&format!("`{name}`")), "the reference does not tell of `{name}`");
            assert!(man.contains(name), "the manual page does not tell of `{name}`");
        }
    }
    for row in ELEMENTS {
        assert!(reference.contains(&format!("- `<{}>`: {}", row.name, row.about)), "`{}`", row.name);
        for attribute in row.attributes {
            assert!(reference.contains(&format!("  - `{}`: ", attribute.name)), "`{}`", attribute.name);
        }
    }
    for (name, _) in REFUSED {
        assert!(reference.contains(&format!("- `<{name}>`: ")), "`{name}`");
    }
}

#[test]
fn what_the_loader_takes_and_the_words_of_a_key_are_explained() {
    let include = printed(&["explain", "include"]);
    assert!(include.contains("taken in") && include.contains("an array of path"), "{include}");
    let word = printed(&["explain", "mser-5"]);
    assert!(word.starts_with("run.warm-up\n") && word.contains("\n  mser-5 "), "{word}");
    let schema: Value = serde_json::from_str(&printed(&["schema"])).unwrap();
    assert_eq!(schema["properties"]["include"]["type"], "array", "an editor must not refuse it");
    // taken in or not at all: set from the command line it would do nothing
    let place = Place::new();
    place.file("s.toml", "title = \"S\"\n[workload]\nkind = \"swf\"\nfile = \"l.swf\"\n");
    let told = place.run(&["run", "s.toml", "--set", "include=[]"]);
    assert!(told.status == 2 && told.stderr.contains("unknown key `include`"), "{}", told.stderr);
}
