//! What a batch scheduler decides with: the queue, the running jobs by estimated end, what is free on nodes that jobs
//! share, the rows of gang scheduling, what is promised to real-time jobs, and pure decisions over them; the [`machine`]
//! that a policy changes, and the [`record`] that it writes.
//!
//! Nothing here waits, and no decision changes the machine: it reads a view and answers with jobs or
//! processors, and a policy carries it out. So a rule can be tested by hand, without a kernel.

pub mod admission;
pub mod allocation;
pub mod backfill;
pub mod estimate;
pub mod gang_matrix;
pub mod limits;
pub mod machine;
pub mod molding;
pub mod node_resources;
pub mod node_selection;
mod obstacle;
pub mod planned;
mod profile;
pub mod queue;
pub mod record;
mod running;
mod slots;

pub use obstacle::Obstacle;
pub use profile::Profile;
pub use queue::Queue;
pub use running::{Running, Shadow};
pub use slots::Slots;

/// How property tests of decisions are run: the same cases every time, and nothing left in files.
#[cfg(test)]
fn seeded(cases: u32) -> proptest::test_runner::Config {
    use proptest::test_runner::{Config, RngSeed};
    Config { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}

/// The component of a table that a scenario would write like this.
#[cfg(test)]
fn built<T: ?Sized + 'static>(text: &str, table: crate::registry::Table<T>) -> Box<T> {
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
