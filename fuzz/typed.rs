//! Mutations of a scenario by the kind of its values: what comes out is TOML again, and most of it gets past the parser.

use std::path::Path;
use std::sync::LazyLock;

use clustersim::system::standard;
use clustersim_experiment::scenario::{check, from_text};
use clustersim_language::registry::{
    KeyValue, Node, Registry, Sources, Span, Tree, Value, parse_file, to_toml,
};

/// Most that one call changes.
const CHANGES: u64 = 4;
/// Elements that an array grows to.
const LONGEST: usize = 64;

const INTEGERS: &[i64] = &[
    0,
    1,
    2,
    3,
    7,
    64,
    1_000,
    65_536,
    1_000_000,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    (1 << 53) + 1,
    i64::MAX,
    -1,
    i64::MIN,
];
const FLOATS: &[f64] =
    &[0.0, -0.0, 5e-324, 1e-9, 0.5, 0.999_999_999_9, 1.0, 1.000_000_1, 1e9, 1e18, 1.7e308, -1.0];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "0.000000001",
    "0.5",
    "3",
    "1000",
    "999999999",
    "18446744073",
    "1e18",
    "1e-18",
    "1e300",
    "-1",
];

static REGISTRY: LazyLock<Registry> = LazyLock::new(standard);

/// Names of all components, and other words that mean something.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = REGISTRY.tables().flat_map(|table| table.rows()).map(|row| row.name.to_owned());
    let others = [
        "job",
        "task",
        "all",
        "none",
        "a",
        "b",
        "",
        "\u{1b}[31m",
        "0",
        "1d",
        "10 MiB",
        "1Gf",
        "100Mbps",
        "50%",
    ];
    names.chain(others.map(str::to_owned)).collect()
});

/// A plain generator of numbers (splitmix64): the fuzzer gives the seed.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// The scenario with some values changed; `None` if the text is no TOML.
pub(crate) fn mutated(text: &str, seed: u32) -> Option<String> {
    let mut draws = Draws(seed.into());
    // with every default written out, each of them can be changed
    let resolved = if draws.below(8) == 0 { resolved(text) } else { None };
    let text = resolved.as_deref().unwrap_or(text);
    let mut sources = Sources::new("");
    let source = sources.add("mutated.toml", text, "");
    let mut complaints = Vec::new();
    let mut tree = parse_file(text, source, &mut complaints);
    if !complaints.is_empty() || tree.is_empty() {
        return None;
    }
    let slots = all_slots(&tree);
    for _ in 0..=draws.next() % CHANGES {
        let nowhere = Span::new(source, 0..0);
        let count = nodes(&tree);
        let at = draws.below(count.max(1));
        tree = table(&tree, &mut { at }, &mut draws, &slots, nowhere);
    }
    Some(to_toml(&tree))
}

fn resolved(text: &str) -> Option<String> {
    let written = from_text("mutated.toml", text.to_owned(), Path::new("no-such-directory"), &[]);
    check(&REGISTRY, written).ok().map(|scenario| scenario.resolved())
}

/// All keys with their values, to be put elsewhere.
fn all_slots(tree: &Tree) -> Vec<KeyValue> {
    let mut slots = Vec::new();
    for slot in tree.slots() {
        slots.push(slot.clone());
        below(&slot.node, &mut slots);
    }
    slots
}

fn below(node: &Node, slots: &mut Vec<KeyValue>) {
    match &node.value {
        Value::Table(tree) => slots.extend(all_slots(tree)),
        Value::Array(list) => list.iter().for_each(|node| below(node, slots)),
        _ => {}
    }
}

/// Values in a table, those of its tables and arrays included.
fn nodes(tree: &Tree) -> usize {
    tree.slots().iter().map(|slot| 1 + inside(&slot.node)).sum()
}

fn inside(node: &Node) -> usize {
    match &node.value {
        Value::Table(tree) => nodes(tree),
        Value::Array(list) => list.iter().map(|node| 1 + inside(node)).sum(),
        _ => 0,
    }
}

/// The table with the value of number `left` changed, or its key removed, moved or doubled.
fn table(tree: &Tree, left: &mut usize, draws: &mut Draws, slots: &[KeyValue], nowhere: Span) -> Tree {
    let mut changed = Tree::default();
    for slot in tree.slots() {
        let here = *left == 0;
        *left = left.wrapping_sub(1);
        if here && draws.below(8) == 0 {
            // the key is missing; or another one stands in its place
            if draws.below(2) == 0 {
                changed.put(draws.one(slots).clone());
            }
            continue;
        }
        let node = if here {
            other(&slot.node, draws, slots)
        } else {
            descend(&slot.node, left, draws, slots, nowhere)
        };
        changed.put(KeyValue { name: slot.name.clone(), span: slot.span, node });
    }
    changed
}

fn descend(node: &Node, left: &mut usize, draws: &mut Draws, slots: &[KeyValue], nowhere: Span) -> Node {
    let value = match &node.value {
        Value::Table(tree) => Value::Table(table(tree, left, draws, slots, nowhere)),
        Value::Array(list) => {
            let mut changed = Vec::new();
            for node in list {
                let here = *left == 0;
                *left = left.wrapping_sub(1);
                changed.push(if here {
                    other(node, draws, slots)
                } else {
                    descend(node, left, draws, slots, nowhere)
                });
            }
            Value::Array(changed)
        }
        plain => plain.clone(),
    };
    Node::new(value, node.span)
}

/// Another value of the same kind, or now and then of another one.
fn other(node: &Node, draws: &mut Draws, slots: &[KeyValue]) -> Node {
    let value = match &node.value {
        _ if draws.below(16) == 0 => draws.one(slots).node.value.clone(),
        Value::Integer(old) => match draws.below(4) {
            0 => Value::Integer(old.wrapping_add(1)),
            1 => Value::Integer(old.saturating_mul(1_000)),
            _ => Value::Integer(*draws.one(INTEGERS)),
        },
        Value::Float(old) => match draws.below(3) {
            0 if (old * 10.0).is_finite() => Value::Float(old * 10.0),
            _ => Value::Float(*draws.one(FLOATS)),
        },
        Value::Boolean(old) => Value::Boolean(!old),
        Value::String(old) => Value::String(text(old, draws, slots)),
        Value::Array(list) => Value::Array(array(list, draws, slots)),
        Value::Table(_) => draws.one(slots).node.value.clone(),
    };
    Node::new(value, node.span)
}

/// Another number with the same unit, or another word.
fn text(old: &str, draws: &mut Draws, slots: &[KeyValue]) -> String {
    let unit = old.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if unit.len() < old.len() && draws.below(4) != 0 {
        return format!("{}{unit}", draws.one(NUMBERS));
    }
    if draws.below(2) == 0
        && let Some(other) = draws.one(slots).node.as_text()
    {
        return other.to_owned();
    }
    draws.one(&WORDS).clone()
}

/// The array without an element, with one twice, in another order, or longer.
fn array(list: &[Node], draws: &mut Draws, slots: &[KeyValue]) -> Vec<Node> {
    let mut list = list.to_vec();
    if list.is_empty() {
        list.push(draws.one(slots).node.clone());
        return list;
    }
    let at = draws.below(list.len());
    match draws.below(5) {
        0 => drop(list.remove(at)),
        1 => list.push(list[at].clone()),
        2 => list.reverse(),
        3 => list = list.iter().cycle().take((list.len() * 8).min(LONGEST)).cloned().collect(),
        _ => list.clear(),
    }
    list
}
