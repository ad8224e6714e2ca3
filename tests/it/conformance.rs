//! What every component of the registry promises, whoever wrote it.

use clustersim::registry::{
    Absent, Bounds, Catalogue, Key, Kind, Node, Quantity, Registry, Sources, Span, Value, check, parse_file,
    to_toml,
};
use clustersim::scenario::schema::ROOT;
use clustersim::scenario::standard;

/// A value that the key takes, as a scenario writes it.
fn sample(kind: &Kind) -> String {
    match kind {
        Kind::Flag => "true".to_owned(),
        Kind::Count { least, .. } => least.to_string(),
        Kind::Number(Bounds::Within(least, _)) | Kind::Share(Bounds::Within(least, _)) => {
            format!("{least:?}")
        }
        Kind::Number(_) | Kind::Share(_) => "1.5".to_owned(),
        Kind::Duration(_) | Kind::DurationOrCount | Kind::Quantity(_) => "\"90s\"".to_owned(),
        Kind::Bytes => "\"1 MiB\"".to_owned(),
        Kind::Flops | Kind::Speed => "\"1Gf\"".to_owned(),
        Kind::Bandwidth => "\"1Gbps\"".to_owned(),
        Kind::Text | Kind::Path => "\"some-text\"".to_owned(),
        Kind::Choice(choices) => format!("\"{}\"", choices[0].0),
        Kind::Component(_) => unreachable!("components have defaults"),
        Kind::Distribution(Quantity::Duration) => "\"1h\"".to_owned(),
        Kind::Distribution(_) => "2".to_owned(),
        Kind::Table(_) | Kind::Map(_) => "{}".to_owned(),
        Kind::List(of) => format!("[{}]", sample(of)),
    }
}

/// Values that must be in order, which one sample for all cannot give.
fn ordered(key: &Key) -> Option<&'static str> {
    match key.name {
        "high" => Some("\"3h\""),
        "mode" | "mean" | "scale" => Some("\"2h\""),
        _ => None,
    }
}

fn required(keys: &[Key]) -> String {
    let needed = keys.iter().filter(|key| key.default == Absent::Error);
    let lines: Vec<String> = needed
        .map(|key| {
            format!("{} = {}\n", key.name, ordered(key).map_or_else(|| sample(&key.kind), str::to_owned))
        })
        .collect();
    lines.concat()
}

/// The key under which a table's components are checked here.
fn root(table: &dyn Catalogue) -> &'static [Key] {
    let kind = match table.name() {
        "distribution" => Kind::Distribution(Quantity::Duration),
        name => Kind::Component(name),
    };
    let key = Key { name: "it", kind, default: Absent::Error, about: "", source: "" };
    Box::leak(Box::new([key]))
}

fn resolve(registry: &Registry, keys: &'static [Key], text: &str) -> Result<String, String> {
    let mut sources = Sources::new("");
    let id = sources.add("test.toml", text, "");
    let mut complaints = Vec::new();
    let tree = parse_file(text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    let resolved = check(registry, &sources, &node, keys, &mut complaints);
    match resolved {
        Some(node) if complaints.is_empty() => Ok(to_toml(node.as_table().unwrap())),
        _ => Err(format!("{text}\n{complaints:#?}")),
    }
}

#[test]
fn every_component_is_built_from_its_defaults_and_from_its_resolved_table() {
    let registry = standard();
    for table in registry.tables() {
        for row in table.rows() {
            let keys: Vec<Key> = row.keys.to_vec();
            let text = format!("[it]\nkind = \"{}\"\n{}", row.name, required(&keys));
            let resolved = resolve(&registry, root(table), &text).unwrap();
            assert_eq!(
                resolve(&registry, root(table), &resolved).unwrap(),
                resolved,
                "{} {}",
                table.name(),
                row.name
            );
        }
    }
}

#[test]
fn names_are_sorted_unique_kebab_case_and_explained() {
    let kebab = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    for table in standard().tables() {
        let rows = table.rows();
        assert!(rows.windows(2).all(|pair| pair[0].name < pair[1].name), "{}", table.name());
        for row in rows {
            assert!(kebab(row.name) && !row.about.is_empty() && !row.about.ends_with('.'), "{row:?}");
            for key in row.keys {
                assert!(kebab(key.name) && !key.about.is_empty() && !key.about.ends_with('.'), "{key:?}");
                assert_ne!(key.name, "kind", "`kind` names the component");
            }
        }
    }
}

#[test]
fn every_choice_of_every_key_can_be_built() {
    let registry = standard();
    for table in registry.tables() {
        for row in table.rows().iter().filter(|row| row.preset.is_none()) {
            for key in row.keys {
                let Kind::Choice(choices) = key.kind else { continue };
                for (choice, _) in choices {
                    let others: Vec<Key> =
                        row.keys.iter().filter(|other| other.name != key.name).copied().collect();
                    let text = format!(
                        "[it]\nkind = \"{}\"\n{} = \"{choice}\"\n{}",
                        row.name,
                        key.name,
                        required(&others)
                    );
                    resolve(&registry, root(table), &text).unwrap();
                }
            }
        }
    }
}

#[test]
fn every_key_of_the_language_has_a_default_or_says_why_not() {
    for key in ROOT {
        assert!(!key.about.is_empty(), "{}", key.name);
        if let Absent::Means(meaning) = key.default {
            assert!(!meaning.is_empty(), "{}", key.name);
        }
    }
    // what has no default is asked for by name
    let mandatory: Vec<&str> =
        ROOT.iter().filter(|key| key.default == Absent::Error).map(|key| key.name).collect();
    assert_eq!(mandatory, ["title", "workload"]);
}

#[test]
fn a_resolved_scenario_does_not_depend_on_the_order_of_its_tables() {
    let registry = standard();
    let one = "title = \"x\"\n[workload]\nkind = \"swf\"\nfile = \"a.swf\"\n[cluster]\nnodes = 4\n";
    let two = "title = \"x\"\n[cluster]\nnodes = 4\n[workload]\nfile = \"a.swf\"\nkind = \"swf\"\n";
    assert_eq!(resolve(&registry, ROOT, one).unwrap(), resolve(&registry, ROOT, two).unwrap());
}
