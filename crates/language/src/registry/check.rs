//! From what was written to what holds: every mistake reported, every default filled in, every
//! shorthand expanded.

use crate::registry::parse::default_value;
use crate::registry::{
    Absent, Bounds, Catalogue, Complaint, Complaints, Key, KeyValue, Kind, Node, Params, Preset, Quantity,
    Registry, Row, Sources, Span, Tree, Value, code, nearest, suggestion,
};
use crate::units::{BadQuantity, Bandwidth, Bytes, Flops, Moment, Power, Speed, duration, share};

/// Checks the table `tree` against `keys`.
///
/// Gives the resolved table back if nothing was wrong with it: its keys are those of `keys`, in
/// that order, with defaults filled in; components are tables that begin with `kind`; paths are
/// relative to the root of `sources`. Otherwise `complaints` has grown by everything that is wrong.
pub fn check(
    registry: &Registry,
    sources: &Sources,
    node: &Node,
    keys: &[Key],
    complaints: &mut Vec<Complaint>,
) -> Option<Node> {
    let tree = node.as_table()?;
    let mut checker = Checker { registry, sources, complaints: Complaints::new() };
    let resolved = checker.table(tree, node.span, keys, None);
    complaints.extend(Vec::from(checker.complaints));
    Some(Node::new(Value::Table(resolved?), node.span))
}

/// The complaint about a key that is none of `known`.
pub fn unknown_key<'a>(slot: &KeyValue, known: impl Iterator<Item = &'a str> + Clone) -> Complaint {
    let help = if known.clone().next().is_none() {
        "this takes no keys".to_owned()
    } else {
        suggestion(&slot.name, known)
    };
    let message = format!("unknown key `{}`", slot.name);
    Complaint::new(code::UNKNOWN_KEY, message, slot.span).label("not known here").help(help)
}

/// Returns true if a key of `keys` means something in a table, by the choice that another key of
/// the table has.
fn means_something(key: &Key, tree: &Tree, keys: &[Key]) -> bool {
    let Absent::OnlyIf { key: other, is, .. } = key.default else { return true };
    let by_default = || {
        let other = keys.iter().find(|key| key.name == other)?;
        if let Absent::Text(text) = other.default { Some(text) } else { None }
    };
    tree.get(other).and_then(Node::as_text).or_else(by_default) == Some(is)
}

/// The complaint about a key that none of `keys` is, in a table; one of a table below may be meant.
fn unknown_key_of(registry: &Registry, slot: &KeyValue, tree: &Tree, keys: &[Key]) -> Complaint {
    let meant = keys.iter().filter(|key| means_something(key, tree, keys)).map(|key| key.name);
    let below = one_table_below(registry, &slot.name, keys);
    let complaint = unknown_key(slot, meant.clone());
    if below.is_empty() || nearest(&slot.name, meant).is_some() {
        return complaint;
    }
    complaint.help(format!("did you mean `{}`?", below.join("` or `")))
}

/// The keys of this name in the tables that `keys` have, as `policy.backfill`.
fn one_table_below(registry: &Registry, name: &str, keys: &[Key]) -> Vec<String> {
    let has = |own: &[Key]| own.iter().any(|key| key.name == name);
    let holds = |key: &&Key| match key.kind {
        Kind::Table(own) => has(own),
        Kind::Component(table) => {
            let mut components = registry.tables().filter(|one| one.name() == table);
            components.any(|table| table.rows().iter().any(|row| has(row.keys)))
        }
        _ => false,
    };
    keys.iter().filter(holds).map(|key| format!("{}.{name}", key.name)).collect()
}

struct Checker<'a> {
    registry: &'a Registry,
    sources: &'a Sources,
    complaints: Complaints,
}

impl Checker<'_> {
    /// Notes what is wrong; there is no value then.
    fn refuse<T>(&mut self, complaint: Complaint) -> Option<T> {
        self.complaints.push(complaint);
        None
    }

    /// Checks every key of a table; `of` is what a surrounding distribution is of.
    fn table(&mut self, tree: &Tree, span: Span, keys: &[Key], of: Option<Quantity>) -> Option<Tree> {
        let before = self.complaints.count();
        for slot in tree.slots() {
            if keys.iter().all(|key| key.name != slot.name) {
                let registry = self.registry;
                self.complaints.push_with(|| unknown_key_of(registry, slot, tree, keys));
            }
        }
        let mut resolved = Tree::default();
        for key in keys {
            let node = match tree.get(key.name) {
                Some(node) => self.value(node, key, of),
                None => self.default(key, span, of),
            };
            if let Some(node) = node {
                let span = tree.slot(key.name).map_or(span, |slot| slot.span);
                resolved.put(KeyValue { name: key.name.to_owned(), span, node });
            }
        }
        (self.complaints.count() == before).then_some(resolved)
    }

    fn default(&mut self, key: &Key, span: Span, of: Option<Quantity>) -> Option<Node> {
        let value = match key.default {
            Absent::Means(_) | Absent::OnlyIf { .. } => return None,
            Absent::Error => {
                let message = format!("missing key `{}`", key.name);
                let help = format!("`{}`: {}; expected {}", key.name, key.about, expected(&key.kind, of));
                let complaint = Complaint::new(code::MISSING_KEY, message, span).label(table_or_file(span));
                return self.refuse(complaint.help(help));
            }
            Absent::Text(text) => Value::String(text.to_owned()),
            Absent::Count(count) => Value::Integer(i64::try_from(count).unwrap_or(i64::MAX)),
            Absent::Number(number) => Value::Float(number),
            Absent::Flag(flag) => Value::Boolean(flag),
            Absent::List(texts) => Value::Array(
                texts.iter().map(|text| Node::new(Value::String((*text).to_owned()), span)).collect(),
            ),
            Absent::Written(text) => default_value(text, span),
            Absent::Table => Value::Table(Tree::default()),
        };
        self.value(&Node::new(value, span), key, of)
    }

    fn value(&mut self, node: &Node, key: &Key, of: Option<Quantity>) -> Option<Node> {
        let of_table = |tree| Node::new(Value::Table(tree), node.span);
        let result = match (&key.kind, &node.value) {
            (Kind::Component(table), _) => return self.component(node, key, table, None),
            (Kind::DistributionOr(_, keys), Value::Table(tree)) if tree.get("kind").is_none() => {
                return self.table(tree, node.span, keys, of).map(of_table);
            }
            (Kind::Distribution(quantity) | Kind::DistributionOr(quantity, _), _) => {
                return self.component(node, key, "distribution", Some(*quantity));
            }
            (Kind::DistributionWith(quantity, keys), _) => {
                return self.distribution_with(node, key, *quantity, keys);
            }
            (Kind::Table(keys) | Kind::FirstOrTable(keys), Value::Table(tree)) => {
                return self.table(tree, node.span, keys, of).map(of_table);
            }
            (Kind::FirstOrTable(keys @ [first, ..]), Value::String(_) | Value::Array(_)) => {
                let alone = Tree::from_iter([KeyValue::new(first.name, node.clone())]);
                return self.table(&alone, node.span, keys, of).map(of_table);
            }
            (Kind::CountOr(_, kind), Value::Table(_) | Value::Array(_)) => {
                return self.value(node, &Key { kind: **kind, ..*key }, of);
            }
            (Kind::List(kind), Value::Array(nodes)) => {
                return self.list(nodes, node.span, &Key { kind: **kind, ..*key }, of);
            }
            (Kind::OneOrList(kind), value) => {
                let alone = std::slice::from_ref(node);
                let nodes = if let Value::Array(nodes) = value { nodes } else { alone };
                return self.list(nodes, node.span, &Key { kind: **kind, ..*key }, of);
            }
            (Kind::Map(kind), Value::Table(tree)) => {
                return self.map(tree, node.span, &Key { kind: **kind, ..*key }, of);
            }
            (Kind::Path, Value::String(text)) if text.is_empty() => Err(out_of_range(node, key, of)),
            (Kind::Path, Value::String(text)) => {
                let path = self.sources.from_root(node.span.source, text);
                let path = path.to_string_lossy();
                // elsewhere a backslash is a letter of a name
                Ok(Value::String(if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() }))
            }
            _ => scalar(node, key, of).map(|()| node.value.clone()),
        };
        result.map_or_else(|complaint| self.refuse(complaint), |value| Some(Node::new(value, node.span)))
    }

    fn list(&mut self, nodes: &[Node], span: Span, each: &Key, of: Option<Quantity>) -> Option<Node> {
        let checked: Vec<Option<Node>> = nodes.iter().map(|node| self.value(node, each, of)).collect();
        let values: Option<Vec<Node>> = checked.into_iter().collect();
        Some(Node::new(Value::Array(values?), span))
    }

    fn map(&mut self, tree: &Tree, span: Span, each: &Key, of: Option<Quantity>) -> Option<Node> {
        let mut checked =
            |slot: &KeyValue| Some(KeyValue { node: self.value(&slot.node, each, of)?, ..slot.clone() });
        let slots: Vec<Option<KeyValue>> = tree.slots().iter().map(&mut checked).collect();
        let resolved: Option<Tree> = slots.into_iter().collect();
        resolved.map(|tree| Node::new(Value::Table(tree), span))
    }

    /// Checks a component written as a name, a bare value or a table, and tries to build it.
    fn component(&mut self, node: &Node, key: &Key, table: &str, of: Option<Quantity>) -> Option<Node> {
        let registry = self.registry;
        let catalogue = registry.find(table).expect("a key names a table that is registered");
        let before = self.complaints.len();
        let written = self.expand(node, key, catalogue, of)?;
        let kind = written.get("kind")?.clone();
        let row = self.row(&kind, catalogue)?;
        let mut rest = written;
        rest.take("kind");
        let name = match row.preset {
            Some(preset) => {
                self.apply(&preset, &mut rest, kind.span)?;
                preset.kind
            }
            None => row.name,
        };
        let checked = self.table(&rest, node.span, row.keys, of)?;
        let kind = KeyValue::new("kind", Node::new(Value::String(name.to_owned()), kind.span));
        let resolved = [kind].into_iter().chain(checked.slots().iter().cloned());
        let resolved = Node::new(Value::Table(resolved.collect()), node.span);
        if !self.registry.tries() {
            return Some(resolved);
        }
        let params = Params::new(self.registry, self.sources, &resolved);
        match catalogue.trial(name, &params) {
            Ok(()) => Some(resolved),
            Err(complaint) if self.complaints[before..].contains(&complaint) => None,
            Err(complaint) => self.refuse(complaint),
        }
    }

    /// Checks a distribution, and keys that stand further its own.
    fn distribution_with(&mut self, node: &Node, key: &Key, of: Quantity, keys: &[Key]) -> Option<Node> {
        let (mut law, mut further) = (node.clone(), Tree::default());
        if let Value::Table(tree) = &mut law.value {
            for key in keys {
                if let Some(slot) = tree.take(key.name) {
                    further.put(slot);
                }
            }
        }
        let law = self.component(&law, key, "distribution", Some(of));
        let further = self.table(&further, node.span, keys, None)?;
        let mut law = law?;
        if let Value::Table(tree) = &mut law.value {
            further.slots().iter().for_each(|slot| tree.put(slot.clone()));
        }
        Some(law)
    }

    /// The component as a table with `kind`.
    fn expand(
        &mut self,
        node: &Node,
        key: &Key,
        catalogue: &dyn Catalogue,
        of: Option<Quantity>,
    ) -> Option<Tree> {
        let named = |kind: Node| Tree::from_iter([KeyValue::new("kind", kind)]);
        let bare = |(kind, value): (&str, &str)| {
            let mut tree = named(Node::new(Value::String(kind.to_owned()), node.span));
            tree.put(KeyValue::new(value, node.clone()));
            tree
        };
        match (&node.value, catalogue.bare()) {
            (Value::Table(tree), _) if tree.get("kind").is_some() => Some(tree.clone()),
            (Value::Table(_), _) => {
                let names: Vec<&str> = catalogue.rows().iter().map(|row| row.name).collect();
                let message = format!("missing key `kind`: which {}?", catalogue.name());
                let complaint = Complaint::new(code::MISSING_KEY, message, node.span).label("in this table");
                self.refuse(complaint.help(format!("known: {}", names.join(", "))))
            }
            (Value::String(text), Some(value)) if text.trim_start().starts_with(is_number_start) => {
                Some(bare(value))
            }
            (Value::String(_), _) => Some(named(node.clone())),
            (Value::Integer(_) | Value::Float(_), Some(value)) => Some(bare(value)),
            (Value::Array(_), _) if catalogue.listed().is_some() => catalogue.listed().map(bare),
            _ => self.refuse(wrong_type(node, key, of)),
        }
    }

    fn row(&mut self, kind: &Node, catalogue: &dyn Catalogue) -> Option<Row> {
        let rows = catalogue.rows();
        let Some(text) = kind.as_text() else {
            let message = format!("`kind` names one {}, found {}", catalogue.name(), kind.type_name());
            return self.refuse(Complaint::new(code::TYPE, message, kind.span).label("expected a string"));
        };
        rows.iter().find(|row| row.name == text).copied().or_else(|| {
            let message = format!("unknown {} `{text}`", catalogue.name());
            let help = suggestion(text, rows.iter().map(|row| row.name));
            self.refuse(Complaint::new(code::UNKNOWN_NAME, message, kind.span).label("not known").help(help))
        })
    }

    /// Writes the keys of a preset; a written key that the preset sets is a contradiction.
    fn apply(&mut self, preset: &Preset, tree: &mut Tree, span: Span) -> Option<()> {
        for &(name, text) in preset.set {
            if let Some(slot) = tree.slot(name) {
                let message = format!("`{}` sets `{name}` itself, to \"{text}\"", preset.name);
                let complaint =
                    Complaint::new(code::CONTRADICTION, message, slot.span).label("set here as well");
                return self
                    .refuse(complaint.help(format!("write kind = \"{}\" to choose it freely", preset.kind)));
            }
            let node = Node::new(Value::String(text.to_owned()), span);
            tree.put(KeyValue::new(name, node));
        }
        Some(())
    }
}

/// The name of a table at its place: the whole file has no header to point at.
fn table_or_file(span: Span) -> &'static str {
    if span.start == span.end { "in this file" } else { "in this table" }
}

fn is_number_start(first: char) -> bool {
    first.is_ascii_digit() || matches!(first, '.' | '-' | '+')
}

fn expected(kind: &Kind, of: Option<Quantity>) -> String {
    match (kind, of) {
        (Kind::Quantity(bounds), Some(quantity)) => quantity.kind(*bounds).expected(),
        _ => kind.expected(),
    }
}

fn wrong_type(node: &Node, key: &Key, of: Option<Quantity>) -> Complaint {
    let message = format!("`{}` cannot be {}", key.name, node.type_name());
    Complaint::new(code::TYPE, message, node.span).label(format!("expected {}", expected(&key.kind, of)))
}

fn out_of_range(node: &Node, key: &Key, of: Option<Quantity>) -> Complaint {
    let message = match &node.value {
        Value::String(text) => format!("`{}` cannot be \"{text}\"", key.name),
        Value::Integer(number) => format!("`{}` cannot be {number}", key.name),
        // as one would write it: 1e-300 has 302 digits otherwise
        Value::Float(number) if number.abs() > 0.0 && !(1e-6..1e15).contains(&number.abs()) => {
            format!("`{}` cannot be {number:e}", key.name)
        }
        Value::Float(number) => format!("`{}` cannot be {number}", key.name),
        _ => format!("`{}` is out of range", key.name),
    };
    Complaint::new(code::RANGE, message, node.span).label(format!("expected {}", expected(&key.kind, of)))
}

/// Checks a value that is neither a table nor an array.
fn scalar(node: &Node, key: &Key, of: Option<Quantity>) -> Result<(), Complaint> {
    let kind = match (&key.kind, of) {
        (Kind::Quantity(bounds), of) => of.unwrap_or(Quantity::Number).kind(*bounds),
        (kind, _) => *kind,
    };
    let within = |holds: bool| if holds { Ok(()) } else { Err(out_of_range(node, key, of)) };
    // what was read, and is in range or not
    let read = |holds: Result<bool, BadQuantity>| match holds {
        Ok(holds) => within(holds),
        Err(bad) => Err(Complaint::new(code::QUANTITY, bad.problem, node.span)
            .label(format!("expected {}", bad.expected))
            .help(bad.help)),
    };
    match (kind, &node.value) {
        (Kind::Flag, Value::Boolean(_)) | (Kind::Text, Value::String(_)) | (Kind::Any, _) => Ok(()),
        (Kind::Count { least, most }, Value::Integer(number)) => {
            within(u64::try_from(*number).is_ok_and(|number| (least..=most).contains(&number)))
        }
        (Kind::CountOr(most, _), Value::Integer(number)) => {
            within(u64::try_from(*number).is_ok_and(|number| number <= most))
        }
        (Kind::Number(bounds) | Kind::Share(bounds), Value::Integer(number)) => {
            within(bounds.hold(*number as f64))
        }
        (Kind::Number(bounds) | Kind::Share(bounds), Value::Float(number)) => within(bounds.hold(*number)),
        (Kind::Share(bounds), Value::String(text)) => read(share(text).map(|number| bounds.hold(number))),
        (Kind::DurationOrCount(_), Value::Integer(number)) => within(*number >= 0),
        (Kind::DurationOrCount(words), Value::String(text)) => {
            // what begins like a number is meant as a span, anything else as one of the words
            let is_span = words.is_empty() || text.trim_start().starts_with(is_number_start);
            if is_span { read(duration(text).map(|_| true)) } else { choice(node, key, words, text) }
        }
        (Kind::Duration(bounds), Value::String(text)) => {
            read(duration(text).map(|nanos| bounds_of_duration(bounds, nanos)))
        }
        (Kind::Moment(bounds), Value::String(text)) => read(Moment::parse(text).map(|moment| match moment {
            Moment::After(nanos) => bounds_of_duration(bounds, nanos),
            _ => true,
        })),
        (Kind::Duration(_) | Kind::Moment(_), Value::Integer(number)) => Err(wrong_type(node, key, of)
            .help(format!("a bare number has no unit: write \"{number}s\" if seconds are meant"))),
        (Kind::Bytes, Value::String(text)) => read(Bytes::parse(text).map(|_| true)),
        (Kind::Flops, Value::String(text)) => read(Flops::parse(text).map(|_| true)),
        // nothing ever gets across at rate 0
        (Kind::Bandwidth, Value::String(text)) => {
            read(Bandwidth::parse(text).map(|rate| rate.bytes_per_sec() > 0.0))
        }
        (Kind::Speed, Value::String(text)) => read(Speed::parse(text).map(|_| true)),
        (Kind::Power, Value::String(text)) => read(Power::parse(text).map(|_| true)),
        (Kind::Choice(choices), Value::String(text)) => choice(node, key, choices, text),
        _ => Err(wrong_type(node, key, of)),
    }
}

fn bounds_of_duration(bounds: Bounds, nanos: u64) -> bool {
    match bounds {
        Bounds::Any | Bounds::NotNegative => true,
        Bounds::Positive => nanos > 0,
        Bounds::Within(..) => bounds.hold(nanos as f64 / 1e9),
    }
}

fn choice(node: &Node, key: &Key, choices: &[(&str, &str)], text: &str) -> Result<(), Complaint> {
    if choices.iter().any(|(name, _)| *name == text) {
        return Ok(());
    }
    let message = format!("`{}` cannot be \"{text}\"", key.name);
    let help = suggestion(text, choices.iter().map(|(name, _)| *name));
    Err(Complaint::new(code::UNKNOWN_NAME, message, node.span).label("not known").help(help))
}
