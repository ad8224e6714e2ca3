//! Blocks of the manual, as the command line lays them out, and what a system adds to them.
//!
//! In texts, what stands between backticks is literal.

use crate::registry::Key;

/// A part of a manual.
#[derive(Clone, Debug)]
pub enum Block {
    /// The heading of a chapter.
    Chapter(String),
    /// The heading of a section.
    Section(String),
    /// A paragraph.
    Text(String),
    /// Lines that stay as they are.
    Verbatim(String),
    /// Something with a name, and what is known of it.
    Item(Item),
}

/// Something with a name: what it is, and facts about it.
#[derive(Clone, Debug)]
pub struct Item {
    /// Name.
    pub name: String,
    /// Meaning.
    pub about: String,
    /// Facts.
    pub facts: Vec<String>,
}

impl Item {
    /// An item without facts.
    pub fn new(name: &str, about: &str) -> Self {
        Item { name: name.to_owned(), about: about.to_owned(), facts: Vec::new() }
    }

    /// A key under its path: its values, its default and its source.
    pub fn of_key(path: &str, key: &Key) -> Self {
        let mut item = Item::new(path, key.about)
            .labelled("value", &format!("{} [{}]", key.kind.expected(), key.kind.unit()))
            .labelled("default", &key.default.words());
        for (name, about) in key.kind.words() {
            item = item.labelled(&format!("`{name}`"), about);
        }
        if key.source.is_empty() { item } else { item.labelled("source", key.source) }
    }

    /// The same item with one more fact.
    #[must_use]
    pub fn fact(mut self, fact: &str) -> Self {
        self.facts.push(fact.to_owned());
        self
    }

    /// The same item with a fact of this sort, if there is one.
    #[must_use]
    pub fn labelled(self, label: &str, fact: &str) -> Self {
        if fact.is_empty() { self.fact(label) } else { self.fact(&format!("{label}: {fact}")) }
    }
}
