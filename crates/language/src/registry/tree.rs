//! A scenario as written: values with their places.
//!
//! The tree owns its text, so that files, included files and overrides can be put together in one.

use std::fmt;

use crate::collections::OrderedMap;
use crate::registry::Span;

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// The place at which it was written; for a default, the table or name that left it out.
    pub span: Span,
}

/// The values that TOML can state, dates excepted.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    String(String),
    /// A whole number.
    Integer(i64),
    /// A real number; never not-a-number nor infinite.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// Values in order.
    Array(Vec<Node>),
    /// Keys and values.
    Table(Tree),
}

/// A table: keys with their values, in the order of the file.
#[derive(Clone, Default)]
pub struct Tree {
    slots: Vec<KeyValue>,
    /// The place of each key; empty while there are no more than [`FEW`], which are searched one by
    /// one.
    index: OrderedMap<String, usize>,
}

/// Keys that are searched one by one.
const FEW: usize = 32;

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.slots == other.slots
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tree").field("slots", &self.slots).finish_non_exhaustive()
    }
}

/// A key of a table, and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyValue {
    /// The key.
    pub name: String,
    /// The place of the key.
    pub span: Span,
    /// The value.
    pub node: Node,
}

impl KeyValue {
    /// A key that stands where its value does.
    pub fn new(name: impl Into<String>, node: Node) -> Self {
        KeyValue { name: name.into(), span: node.span, node }
    }
}

impl FromIterator<KeyValue> for Tree {
    fn from_iter<I: IntoIterator<Item = KeyValue>>(slots: I) -> Self {
        let mut tree = Tree::default();
        slots.into_iter().for_each(|slot| tree.put(slot));
        tree
    }
}

impl Node {
    /// `value` at `span`.
    pub fn new(value: Value, span: Span) -> Self {
        Node { value, span }
    }

    /// The same value, all of it at `span`.
    #[must_use]
    pub fn placed(self, span: Span) -> Self {
        let value = match self.value {
            Value::Array(nodes) => Value::Array(nodes.into_iter().map(|node| node.placed(span)).collect()),
            Value::Table(table) => {
                let moved = |slot: &KeyValue| KeyValue::new(&slot.name, slot.node.clone().placed(span));
                Value::Table(table.slots().iter().map(moved).collect())
            }
            plain => plain,
        };
        Node::new(value, span)
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The table, if it is one.
    pub fn as_table(&self) -> Option<&Tree> {
        match &self.value {
            Value::Table(tree) => Some(tree),
            _ => None,
        }
    }

    /// The value at a path, as [`Tree::at`] finds it, if this is a table.
    pub fn at(&self, path: &str) -> Option<&Node> {
        self.as_table()?.at(path)
    }

    /// The table at a path.
    pub fn table_at(&self, path: &str) -> Option<&Tree> {
        self.at(path)?.as_table()
    }

    /// The text at a path.
    pub fn text_at(&self, path: &str) -> Option<&str> {
        self.at(path)?.as_text()
    }

    /// The elements of an array; anything else has none.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::Array(items) => items,
            _ => &[],
        }
    }

    /// The name of the type in TOML, with its article.
    pub fn type_name(&self) -> &'static str {
        match &self.value {
            Value::String(_) => "a string",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a float",
            Value::Boolean(_) => "a boolean",
            Value::Array(_) => "an array",
            Value::Table(_) => "a table",
        }
    }
}

/// The place in a list of the first table that is called `name`, has the role of that name, or is
/// the one of that number from 0.
pub fn element(list: &[Node], name: &str) -> Option<usize> {
    let is_called = |node: &Node, key: &str| {
        let value = node.as_table().and_then(|table| table.get(key));
        let kind = value.and_then(Node::as_table).and_then(|table| table.get("kind"));
        kind.or(value).and_then(Node::as_text) == Some(name)
    };
    let by = |key: &str| list.iter().position(|node| is_called(node, key));
    let number = || name.parse().ok().filter(|place| *place < list.len());
    by("name").or_else(|| by("role")).or_else(number)
}

impl Tree {
    /// The keys and values, in order.
    pub fn slots(&self) -> &[KeyValue] {
        &self.slots
    }

    /// Returns true if nothing is written.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The slot of `name`.
    pub fn slot(&self, name: &str) -> Option<&KeyValue> {
        self.place(name).map(|place| &self.slots[place])
    }

    fn place(&self, name: &str) -> Option<usize> {
        if self.slots.len() <= FEW {
            return self.slots.iter().position(|slot| slot.name == name);
        }
        self.index.get(name).copied()
    }

    /// Numbers the slots again.
    fn number(&mut self) {
        self.index.clear();
        if self.slots.len() > FEW {
            self.index.extend(self.slots.iter().enumerate().map(|(place, slot)| (slot.name.clone(), place)));
        }
    }

    /// The value of `name`.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.slot(name).map(|slot| &slot.node)
    }

    /// The value at a path of keys with points between them, for example `policy.backfill.kind`; of
    /// a list of tables the one that [`element`] finds.
    pub fn at(&self, path: &str) -> Option<&Node> {
        let mut names = path.split('.');
        let mut node = self.get(names.next()?)?;
        for name in names {
            node = match &node.value {
                Value::Array(list) => &list[element(list, name)?],
                _ => node.as_table()?.get(name)?,
            };
        }
        Some(node)
    }

    /// Puts `slot` in, in place of one of the same name or at the end.
    pub fn put(&mut self, slot: KeyValue) {
        match self.place(&slot.name) {
            Some(place) => self.slots[place] = slot,
            None if self.slots.len() <= FEW => {
                self.slots.push(slot);
                self.number();
            }
            None => {
                self.index.insert(slot.name.clone(), self.slots.len());
                self.slots.push(slot);
            }
        }
    }

    /// Puts `value` in under `name`, both at `span`.
    pub fn set(&mut self, name: &str, span: Span, value: Value) {
        self.put(KeyValue { name: name.to_owned(), span, node: Node::new(value, span) });
    }

    /// Takes the slot of `name` out.
    pub fn take(&mut self, name: &str) -> Option<KeyValue> {
        let place = self.place(name)?;
        let slot = self.slots.remove(place);
        self.number();
        Some(slot)
    }

    /// Takes out the slots of which `is_meant` holds, in order.
    pub fn take_all(&mut self, is_meant: impl Fn(&KeyValue) -> bool) -> Vec<KeyValue> {
        let (taken, left) = std::mem::take(&mut self.slots).into_iter().partition(is_meant);
        self.slots = left;
        self.number();
        taken
    }

    /// The slot of `name`, to change.
    pub fn slot_mut(&mut self, name: &str) -> Option<&mut KeyValue> {
        self.place(name).map(|place| &mut self.slots[place])
    }

    /// The table of `name`, to change.
    pub fn table_mut(&mut self, name: &str) -> Option<&mut Tree> {
        match &mut self.slot_mut(name)?.node.value {
            Value::Table(tree) => Some(tree),
            _ => None,
        }
    }

    /// Lays `other` over this: its values win, and tables are laid over tables, unless both name a
    /// `kind` and the kinds differ; then the upper table stands alone, because the keys of one kind
    /// mean nothing to another.
    pub fn overlay(&mut self, other: Tree) {
        for slot in other.slots {
            let lower = self.get(&slot.name).and_then(Node::as_table);
            match slot.node.value {
                Value::Table(upper) if lower.is_some_and(|lower| lower.same_kind(&upper)) => {
                    if let Some(lower) = self.table_mut(&slot.name) {
                        lower.overlay(upper);
                    }
                }
                value => self.put(KeyValue { node: Node { value, span: slot.node.span }, ..slot }),
            }
        }
    }

    fn same_kind(&self, other: &Tree) -> bool {
        match (self.get("kind"), other.get("kind")) {
            (Some(one), Some(two)) => one.as_text() == two.as_text(),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Sources;

    #[test]
    fn tables_of_few_and_of_many_keys_are_alike() {
        let span = Span::new(Sources::new("").add("", "", ""), 0..0);
        let slot = |key: usize, value: i64| KeyValue {
            name: format!("k{key}"),
            span,
            node: Node::new(Value::Integer(value), span),
        };
        let mut tree = Tree::default();
        for count in 0..3 * FEW {
            assert!(tree.get(&format!("k{count}")).is_none());
            tree.put(slot(count, 0));
            tree.put(slot(count / 2, 7));
            assert_eq!(tree.slots().len(), count + 1);
        }
        let odd = |slot: &KeyValue| slot.name.ends_with(['1', '3', '5', '7', '9']);
        let taken = tree.take_all(odd);
        assert_eq!((taken.len(), tree.slots().len()), (3 * FEW / 2, 3 * FEW / 2));
        assert!(taken.iter().all(|slot| tree.get(&slot.name).is_none()));
        taken.into_iter().for_each(|slot| tree.put(slot));
        for count in 0..3 * FEW {
            let name = format!("k{count}");
            assert_eq!(tree.take(&name).map(|slot| slot.name).as_ref(), Some(&name));
            assert!(tree.get(&name).is_none());
            if let Some(last) = tree.slots().last().map(|slot| slot.name.clone()) {
                tree.slot_mut(&last).expect("there").node.value = Value::Boolean(true);
                assert_eq!(tree.get(&last).map(|node| &node.value), Some(&Value::Boolean(true)));
            }
        }
        assert!(tree.is_empty());
    }
}
