//! The axes of a study as they are written: in `[[vary]]`, or on the command line.
//!
//! An axis is a table of keys' paths, each with the array of its values; several keys move
//! together, so they have equally many values. What is wrong with an axis by itself is reported
//! here; whether its values fit is seen at the points.

use crate::collections::{OrderedMap, OrderedSet};
use crate::registry::{Complaint, KeyValue, Node, SourceId, Span, Tree, Value, code, parse_value, to_inline};
use crate::scenario::overrides::{segments, unquoted};

/// Most points of a study.
const MOST_POINTS: usize = 10_000;
/// Axes whose counts of values a message lists.
const MOST_COUNTS: usize = 10;

/// Keys varied so far: the path of each, the key as written, and its place.
type Varied = OrderedMap<Vec<String>, (String, Span)>;

/// An axis: keys that move together through their values.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The paths of the keys.
    pub keys: Vec<String>,
    /// Label of each step: its values, with commas between those of several keys.
    pub labels: Vec<String>,
    pub(super) slots: Vec<KeyValue>,
}

/// The axes as written; what is wrong with them is complained of.
pub(super) fn axes(node: &Node, complaints: &mut Vec<Complaint>) -> Vec<Axis> {
    let Value::Array(tables) = &node.value else {
        let message = format!("`vary` cannot be {}", node.type_name());
        let complaint = Complaint::new(code::TYPE, message, node.span).label("expected an array of tables");
        complaints.push(complaint.help("write [[vary]], in double brackets, once an axis"));
        return Vec::new();
    };
    let (mut axes, mut varied): (Vec<Axis>, Varied) = (Vec::new(), Varied::new());
    for table in tables {
        let Some(tree) = table.as_table() else {
            let message = format!("an axis cannot be {}", table.type_name());
            complaints.push(Complaint::new(code::TYPE, message, table.span).label("expected a table"));
            continue;
        };
        axes.extend(axis(tree, table.span, &mut varied, complaints));
    }
    let points = axes.iter().map(|axis| axis.labels.len()).try_fold(1_usize, usize::checked_mul);
    if points.is_none_or(|points| points > MOST_POINTS) {
        let shown = axes.iter().take(MOST_COUNTS).map(|axis| axis.labels.len().to_string());
        let more = (axes.len() > MOST_COUNTS).then(|| "…".to_owned());
        let counts: Vec<String> = shown.chain(more).collect();
        let message =
            format!("the axes have {} points, and a study at most {MOST_POINTS}", counts.join(" x "));
        complaints.push(Complaint::new(code::RANGE, message, node.span).label("too many points"));
        return Vec::new();
    }
    axes
}

fn axis(tree: &Tree, span: Span, varied: &mut Varied, complaints: &mut Vec<Complaint>) -> Option<Axis> {
    let before = complaints.len();
    if tree.is_empty() {
        let complaint = Complaint::new(code::VARY, "an axis without keys", span).label("nothing is varied");
        complaints
            .push(complaint.help("write a key and its values: \"policy.backfill\" = [\"none\", \"easy\"]"));
    }
    let mut own = Vec::new();
    for slot in tree.slots() {
        complaints.extend(misuse(slot, tree, varied));
        let path = path_of(slot);
        if !varied.contains_key(&path) {
            varied.insert(path.clone(), (slot.name.clone(), slot.span));
            own.push(path);
        }
    }
    if complaints.len() > before {
        // a refused axis varies nothing
        own.iter().for_each(|path| drop(varied.remove(path)));
        return None;
    }
    let slots = tree.slots().to_vec();
    let steps = |text: fn(&Node) -> String| -> Vec<String> {
        let step =
            |step: usize| slots.iter().map(|slot| text(&values(slot)[step])).collect::<Vec<_>>().join(", ");
        (0..values(&slots[0]).len()).map(step).collect()
    };
    let short = steps(label_of);
    let differ = short.iter().collect::<OrderedSet<_>>().len() == short.len();
    let labels = if differ { short } else { steps(text_of) };
    Some(Axis { keys: slots.iter().map(|slot| slot.name.clone()).collect(), labels, slots })
}

/// Mistakes of one key of an axis and its values.
fn misuse(slot: &KeyValue, tree: &Tree, varied: &Varied) -> Option<Complaint> {
    let name = &slot.name;
    let Value::Array(steps) = &slot.node.value else {
        let message = format!("the values of `{name}` cannot be {}", slot.node.type_name());
        let complaint =
            Complaint::new(code::TYPE, message, slot.node.span).label("expected an array of values");
        let dotted = slot.node.as_table().is_some();
        return Some(if dotted {
            complaint.help("write the path of a key in quotes: \"policy.backfill\"")
        } else {
            complaint
        });
    };
    if steps.is_empty() {
        let message = format!("`{name}` has no values");
        return Some(Complaint::new(code::VARY, message, slot.node.span).label("expected at least one"));
    }
    let path = path_of(slot);
    if path.iter().any(String::is_empty) {
        return Some(
            Complaint::new(code::VARY, format!("a key of `{name}` is empty"), slot.span).label("here"),
        );
    }
    if ["vary", "repeat", "crossover", "question", "include"].contains(&path[0].as_str()) {
        let message = format!("`{}` cannot be varied", path[0]);
        return Some(Complaint::new(code::VARY, message, slot.span).label("belongs to the whole study"));
    }
    let first = &tree.slots()[0];
    if values(first).len() != steps.len() && !values(first).is_empty() {
        let message =
            format!("`{name}` has {}, and `{}` has {}", steps.len(), first.name, values(first).len());
        let complaint = Complaint::new(code::VARY, message, slot.node.span);
        return Some(
            complaint
                .label("keys of one axis have equally many values")
                .note(format!("`{}` is here", first.name), Some(first.node.span)),
        );
    }
    // a path comes directly before those that begin with it
    let next = varied.range(path.clone()..).next().filter(|(other, _)| other.starts_with(&path));
    next.map(|(_, (other, at))| {
        let (message, label) = if other == name {
            (format!("`{name}` is varied twice"), "varied again")
        } else {
            (format!("`{name}` replaces what `{other}` sets"), "put this axis first")
        };
        Complaint::new(code::CONTRADICTION, message, slot.span)
            .label(label)
            .note(format!("`{other}` is varied here"), Some(*at))
    })
}

pub(super) fn values(slot: &KeyValue) -> &[Node] {
    slot.node.items()
}

pub(super) fn path_of(slot: &KeyValue) -> Vec<String> {
    segments(&slot.name, slot.span.source, None).into_iter().map(|(name, _)| name).collect()
}

/// A value as a heading: what has a name by it, a component by its kind with its settings in
/// brackets.
fn label_of(node: &Node) -> String {
    match &node.value {
        Value::Table(tree) => {
            let text = |key| tree.get(key).and_then(Node::as_text);
            let Some(kind) = text("name").or(text("kind")) else { return to_inline(node) };
            let settings = tree.slots().iter().filter(|slot| text("name").is_none() && slot.name != "kind");
            let settings: Vec<String> =
                settings.map(|slot| format!("{} {}", slot.name, label_of(&slot.node))).collect();
            if settings.is_empty() { kind.to_owned() } else { format!("{kind} ({})", settings.join(", ")) }
        }
        Value::Array(nodes) if !nodes.is_empty() && nodes.iter().all(|node| node.as_table().is_some()) => {
            nodes.iter().map(label_of).collect::<Vec<_>>().join(" + ")
        }
        _ => text_of(node),
    }
}

/// A value as people call it: a text bare, a component without settings by its kind.
pub(super) fn text_of(node: &Node) -> String {
    match &node.value {
        Value::String(text) => text.clone(),
        Value::Table(tree) if tree.slots().len() == 1 => match tree.get("kind").and_then(Node::as_text) {
            Some(kind) => kind.to_owned(),
            None => to_inline(node),
        },
        _ => to_inline(node),
    }
}

/// The axis of `--vary KEY=V1,V2`: values with commas between, or one TOML array.
///
/// # Errors
/// There is no key or no value, or a number that a scenario cannot hold.
pub(super) fn axis_of(text: &str, source: SourceId, start: usize) -> Result<KeyValue, Complaint> {
    let whole = Span::new(source, start..text.len());
    let assignment = &text[start..];
    let Some(equals) = unquoted(assignment, '=').next().filter(|&at| !assignment[..at].trim().is_empty())
    else {
        let complaint = Complaint::new(code::OVERRIDE, "`--vary` needs KEY=VALUE,VALUE", whole);
        return Err(complaint.label("no key and `=` here"));
    };
    let (span, from) = (Span::new(source, start..start + equals), start + equals + 1);
    let behind = Span::new(source, from..text.len());
    let node = match parse_value(text, source, from)? {
        Some(node) if matches!(node.value, Value::Array(_)) => node,
        _ => Node::new(Value::Array(pieces(text, source, from)?), behind),
    };
    Ok(KeyValue { name: assignment[..equals].trim().to_owned(), span, node })
}

/// The values between commas that stand in no bracket; each a TOML value, else a string.
fn pieces(text: &str, source: SourceId, from: usize) -> Result<Vec<Node>, Complaint> {
    let mut depth = 0_usize;
    let mut cuts = Vec::new();
    for (at, letter) in text[from..].char_indices() {
        match letter {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => cuts.push(from + at),
            _ => {}
        }
    }
    let quoted: Vec<usize> = unquoted(&text[from..], ',').map(|at| from + at).collect();
    cuts.retain(|cut| quoted.binary_search(cut).is_ok());
    cuts.push(text.len());
    let mut start = from;
    let mut nodes = Vec::new();
    for cut in cuts {
        let piece = &text[start..cut];
        if !piece.trim().is_empty() {
            let node = parse_value(&text[..cut], source, start)?;
            let bare = || Node::new(Value::String(piece.trim().to_owned()), Span::new(source, start..cut));
            nodes.push(node.unwrap_or_else(bare));
        }
        start = cut + 1;
    }
    Ok(nodes)
}
