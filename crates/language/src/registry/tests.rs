//! The registry end to end, on a small table made for the purpose.

use crate::registry::{
    Absent, Bounds, Complaint, Entry, Key, Kind, Node, Params, Preset, Registry, Sources, Span, Table, Value,
    check, code, parse_file,
};

trait Animal {
    fn legs(&self) -> u32;
}

struct Plain(u32);

impl Animal for Plain {
    fn legs(&self) -> u32 {
        self.0
    }
}

const LEGS: Key =
    Key::new("legs", Kind::Count { least: 0, most: 100 }).or_count(4).about("how many legs it walks on");

const DOG: Entry<dyn Animal> = Entry {
    name: "dog",
    about: "barks",
    source: "",
    keys: &[
        LEGS,
        Key { name: "friend", kind: Kind::Component("animal"), default: Absent::Means("alone"), ..LEGS },
    ],
    build: |params| {
        let legs: u32 = params.read("legs")?;
        if legs == 13 {
            return Err(params.complaint("legs", "no dog has 13 legs"));
        }
        let friend =
            if params.has("friend") { params.component::<dyn Animal>("friend", "animal")?.legs() } else { 0 };
        Ok(Box::new(Plain(legs + friend)))
    },
};

const BIRD: Entry<dyn Animal> = Entry {
    name: "bird",
    about: "sings",
    source: "",
    keys: &[
        Key { name: "song", kind: Kind::Duration(Bounds::Positive), default: Absent::Error, ..LEGS },
        Key {
            name: "mood",
            kind: Kind::Choice(&[("glad", ""), ("sad", "")]),
            default: Absent::Text("glad"),
            ..LEGS
        },
    ],
    build: |params| params.pick("mood", &[("glad", 2), ("sad", 1)]).map(|legs| Box::new(Plain(legs)) as _),
};

const ROOT: &[Key] = &[
    Key { name: "pet", kind: Kind::Component("animal"), default: Absent::Text("dog"), ..LEGS },
    Key { name: "load", kind: Kind::Number(Bounds::Positive), default: Absent::Number(1.0), ..LEGS },
    Key { name: "log", kind: Kind::Path, default: Absent::Means("none"), ..LEGS },
    Key {
        name: "herd",
        kind: Kind::List(&Kind::Component("animal")),
        default: Absent::Written("[\"dog\", { kind = \"dog\", legs = 3 }]"),
        ..LEGS
    },
];

fn registry() -> Registry {
    let presets =
        [Preset { name: "stork", about: "clatters", kind: "bird", set: &[("song", "1h"), ("mood", "sad")] }];
    let mut registry = Registry::new();
    registry
        .table(Table::new("animal", "what lives here", &[DOG, BIRD]).presets(&presets).bare("dog", "legs"));
    registry
}

/// Checks `text`; the resolved table, or the complaints.
fn resolve(text: &str) -> Result<(Registry, Sources, Node), Vec<Complaint>> {
    let (registry, mut sources) = (registry(), Sources::new("root"));
    let id = sources.add("test.toml", text, "");
    let mut complaints = Vec::new();
    let tree = parse_file(text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    match check(&registry, &sources, &node, ROOT, &mut complaints) {
        Some(node) if complaints.is_empty() => Ok((registry, sources, node)),
        _ => Err(complaints),
    }
}

fn legs(text: &str) -> u32 {
    let (registry, sources, node) = resolve(text).expect("valid");
    let params = Params::new(&registry, &sources, &node);
    params.component::<dyn Animal>("pet", "animal").expect("builds").legs()
}

fn only(text: &str) -> Complaint {
    let mut complaints = resolve(text).err().expect("invalid");
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    complaints.remove(0)
}

#[test]
fn a_component_may_be_absent_a_name_a_bare_value_a_table_or_a_preset() {
    assert_eq!(legs(""), 4);
    assert_eq!(legs("pet = \"dog\""), 4);
    assert_eq!(legs("pet = 3"), 3);
    assert_eq!(legs("pet = { kind = \"dog\", legs = 2 }"), 2);
    assert_eq!(legs("[pet]\nkind = \"dog\"\n[pet.friend]\nkind = \"stork\""), 5);
    assert_eq!(legs("pet = \"stork\""), 1);
}

#[test]
fn the_resolved_table_has_every_default_and_no_shorthand() {
    let (_, _, node) = resolve("pet = \"stork\"\nlog = \"./a/../b.swf\"").expect("valid");
    let tree = node.as_table().expect("a table");
    let text = |path: &str| tree.at(path).and_then(Node::as_text).map(ToOwned::to_owned);
    assert_eq!(text("pet.kind").as_deref(), Some("bird"));
    assert_eq!(text("pet.song").as_deref(), Some("1h"));
    assert_eq!(text("pet.mood").as_deref(), Some("sad"));
    assert_eq!(text("log").as_deref(), Some("b.swf"));
    assert_eq!(tree.get("load").map(|node| &node.value), Some(&Value::Float(1.0)));
}

#[test]
fn every_mistake_of_a_file_is_reported_at_its_value() {
    let text = "pet = { kind = \"bird\", mod = 1, song = \"3 parsecs\" }\nload = 0\nlog = 7\n";
    let complaints = resolve(text).err().expect("invalid");
    let found: Vec<(&str, &str)> = complaints
        .iter()
        .map(|complaint| (complaint.code.id, &text[complaint.span.expect("a place").range()]))
        .collect();
    assert_eq!(
        found,
        [
            (code::UNKNOWN_KEY.id, "mod"),
            (code::QUANTITY.id, "\"3 parsecs\""),
            (code::RANGE.id, "0"),
            (code::TYPE.id, "7"),
        ]
    );
    assert_eq!(complaints[0].help.as_deref(), Some("did you mean `mood`? known: song, mood"));
}

#[test]
fn an_unknown_name_comes_with_the_nearest_one() {
    let complaint = only("pet = \"bord\"");
    assert_eq!(complaint.message, "unknown animal `bord`");
    assert_eq!(complaint.help.as_deref(), Some("did you mean `bird`? known: bird, dog, stork"));
    assert_eq!(only("pet = { legs = 4 }").message, "missing key `kind`: which animal?");
    assert_eq!(only("pet = { kind = 4 }").message, "`kind` names one animal, found an integer");
    assert_eq!(only("pet = \"bird\"").message, "missing key `song`");
}

#[test]
fn a_preset_may_not_be_contradicted() {
    let complaint = only("pet = { kind = \"stork\", mood = \"glad\" }");
    assert_eq!(complaint.message, "`stork` sets `mood` itself, to \"sad\"");
    assert_eq!(complaint.help.as_deref(), Some("write kind = \"bird\" to choose it freely"));
}

#[test]
fn an_objection_of_a_component_inside_is_reported_once() {
    let complaint = only("pet = { kind = \"dog\", friend = 13 }");
    assert_eq!(complaint.message, "no dog has 13 legs");
}

#[test]
fn a_component_of_a_users_crate_joins_a_table() {
    let mut registry = registry();
    let cat = Entry { name: "cat", ..DOG };
    registry.add::<dyn Animal>("animal", cat);
    let names: Vec<&str> =
        registry.find("animal").expect("there").rows().iter().map(|row| row.name).collect();
    assert_eq!(names, ["bird", "cat", "dog", "stork"]);
}

#[test]
fn a_list_of_components_takes_names_and_tables_and_is_built_in_order() {
    let herd = |text: &str| {
        let (registry, sources, node) = resolve(text).expect("valid");
        let params = Params::new(&registry, &sources, &node);
        let herd = params.components::<dyn Animal>("herd", "animal").expect("builds");
        herd.iter().map(|animal| animal.legs()).collect::<Vec<u32>>()
    };
    assert_eq!(herd("herd = [\"stork\", 7]"), [1, 7]);
    assert_eq!(herd("[[herd]]\nkind = \"dog\"\nlegs = 2\n[[herd]]\nkind = \"stork\""), [2, 1]);
    assert_eq!(herd("herd = []"), Vec::<u32>::new());
    assert_eq!(herd(""), [4, 3], "as the default is written");
    let text = "[[herd]]\nkind = \"dog\"\n[[herd]]\nkind = \"dogg\"\n[[herd]]\nkind = \"dog\"\nlegs = 101\n";
    let complaints = resolve(text).err().expect("invalid");
    let places: Vec<&str> = complaints.iter().map(|bad| &text[bad.span.expect("a place").range()]).collect();
    assert_eq!(places, ["\"dogg\"", "101"]);
    assert_eq!(only("herd = \"dog\"").message, "`herd` cannot be a string");
}
