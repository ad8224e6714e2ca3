//! Parts that tests of this room share.

/// Configuration of property tests of decisions: the same cases every time, and nothing left in
/// files.
pub(in crate::batch) fn seeded(cases: u32) -> proptest::test_runner::Config {
    use proptest::test_runner::{Config, RngSeed};
    Config { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}

/// The component of a table that a scenario would write like this.
pub(in crate::batch) fn built<T: ?Sized + 'static>(text: &str, table: crate::registry::Table<T>) -> Box<T> {
    use crate::registry::{Catalogue, Key, Kind, Node, Params, Registry, Sources, Span, Value};
    let name = table.name();
    let mut registry = Registry::new();
    registry.table(table);
    let mut sources = Sources::new(".");
    let text = format!("it = {text}");
    let id = sources.add("test.toml", &text, "");
    let mut complaints = Vec::new();
    let tree = crate::registry::parse_file(&text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    let key = Key::new("it", Kind::Component(name)).about("it");
    let keys = Box::leak(Box::new([key]));
    let node = crate::registry::check(&registry, &sources, &node, keys, &mut complaints);
    let node = node.filter(|_| complaints.is_empty()).unwrap_or_else(|| panic!("{complaints:?}"));
    let built = Params::new(&registry, &sources, &node).component("it", name);
    built.unwrap_or_else(|complaint| panic!("{complaint:?}"))
}
