//! Topics of questions to `explain`: keys, components, and the words of results.
//!
//! A name is looked up in three steps. What the first finds is the answer, and what the second
//! finds beyond that is named with it; the third is taken where both find nothing:
//!
//! 1. exactly: a key by its path, as written in a scenario (`policy.backfill.reservations`) or with
//!    the component in brackets (`policy[gang].quantum`); a component (`easy`, `policy.gang`) or a
//!    key of one (`worker.request-data`); a word of results (`wait-time.mean`);
//! 2. nearly: names that end or begin with it (`reservations`, `wait-time`);
//! 3. keys that take it as a value (`mser-5`).

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::registry::definition::Definition;
use crate::registry::{Catalogue, Key, Kind, Registry, Row, nearest};

/// Something that can be explained.
#[derive(Clone, Debug)]
pub enum Topic {
    /// A key. In the path, a component's keys stand behind its name in brackets:
    /// `policy[space-sharing].queue`.
    Key {
        /// The path at which it may be written.
        path: String,
        /// Declaration.
        key: Key,
    },
    /// A component.
    Component {
        /// The name of its table.
        table: &'static str,
        /// The row of the component in the table.
        row: Row,
    },
    /// A word of results, warnings or files.
    Word(Definition),
}

/// The topics found under a name.
#[derive(Clone, Debug)]
pub struct Found {
    /// Topics of this very name.
    pub exact: Vec<Topic>,
    /// Topics of which it is a part of the name, or a value that they take.
    pub near: Vec<Topic>,
}

/// Every key of a document with `keys`, each once, without those of components.
pub fn keys_of(keys: &[Key]) -> Vec<Topic> {
    let mut topics = Vec::new();
    walk(keys, "", &mut topics);
    topics
}

/// Every key of a document with `keys`, each once, and every component of the registry.
pub fn topics(registry: &Registry, keys: &[Key]) -> Vec<Topic> {
    let mut topics = keys_of(keys);
    for table in registry.tables() {
        for row in table.rows() {
            topics.push(Topic::Component { table: table.name(), row });
            if row.preset.is_none() {
                walk(row.keys, &format!("{}[{}].", table.name(), row.name), &mut topics);
            }
        }
    }
    topics
}

fn walk(keys: &[Key], prefix: &str, topics: &mut Vec<Topic>) {
    for key in keys {
        let path = format!("{prefix}{}", key.name);
        topics.push(Topic::Key { path: path.clone(), key: *key });
        walk(key.kind.keys(), &format!("{path}."), topics);
        // its tables have names that the author gives them
        if let Kind::Map(&Kind::Table(inner)) = key.kind {
            walk(inner, &format!("{path}.NAME."), topics);
        }
    }
}

/// The tables of components that a document with `keys` may name, directly or in other components.
pub fn reached(registry: &Registry, keys: &[Key]) -> BTreeSet<&'static str> {
    let mut reached = BTreeSet::new();
    let mut open = keys_of(keys);
    while let Some(topic) = open.pop() {
        let Topic::Key { key, .. } = topic else { continue };
        let Inside::Components(tables) = inside(&key.kind) else { continue };
        for name in tables.into_iter().filter(|name| reached.insert(*name)) {
            let rows = registry.tables().filter(|table| table.name() == name).flat_map(Catalogue::rows);
            open.extend(rows.flat_map(|row| keys_of(row.keys)));
        }
    }
    reached
}

/// The topics of the name `asked`.
pub fn find(topics: &[Topic], asked: &str) -> Found {
    let is_called =
        |topic: &&Topic| topic.name() == asked || matches!(topic, Topic::Word(word) if word.is_called(asked));
    let segments: Vec<&str> = asked.split('.').collect();
    let mut exact: Vec<&Topic> = topics.iter().filter(is_called).collect();
    // a key at its own path is there already
    exact.extend(
        behind(topics, &[String::new()], &segments).into_iter().filter(|topic| topic.name() != asked),
    );
    if exact.is_empty() {
        exact = of_component(topics, &segments);
    }
    let is_exact = |topic: &Topic| exact.iter().any(|found| std::ptr::eq(*found, topic));
    let near = |topic: &&Topic| is_part(topic, &segments) && !is_exact(topic);
    let mut near: Vec<&Topic> = topics.iter().filter(near).collect();
    if exact.is_empty() && near.is_empty() {
        near = topics.iter().filter(|topic| topic.values().any(|word| word == asked)).collect();
    }
    let own = |found: Vec<&Topic>| found.into_iter().cloned().collect();
    Found { exact: own(exact), near: own(near) }
}

/// The keys that a path leads to from `prefixes`, as it would be written in a scenario: where a key
/// takes a component, the next part of the path is a key of any of its components.
fn behind<'a>(topics: &'a [Topic], prefixes: &[String], segments: &[&str]) -> Vec<&'a Topic> {
    let Some((segment, rest)) = segments.split_first() else { return Vec::new() };
    let paths: Vec<String> = prefixes.iter().map(|prefix| format!("{prefix}{segment}")).collect();
    let mut found = Vec::new();
    let mut next = Vec::new();
    // a name that the author gives may have any spelling
    let mut named = Vec::new();
    for topic in topics {
        let Topic::Key { path, key } = topic else { continue };
        if !paths.contains(path) {
            continue;
        }
        found.push(topic);
        match inside(&key.kind) {
            Inside::Keys => next.push(format!("{path}.")),
            Inside::Named => named.push(format!("{path}.NAME.")),
            Inside::Components(tables) => {
                next.extend(of_components(topics, |of, _| tables.contains(&of)));
                next.push(format!("{path}."));
            }
            Inside::Nothing => {}
        }
    }
    if rest.is_empty() {
        return found;
    }
    let mut further = behind(topics, &next, rest);
    further.extend(behind(topics, &named, &rest[1..]));
    further
}

/// The keys below a key.
enum Inside {
    /// Own keys.
    Keys,
    /// Names that the author gives, with keys below each.
    Named,
    /// The keys of a component of these tables, and perhaps keys of its own.
    Components(Vec<&'static str>),
    /// No key.
    Nothing,
}

fn inside(kind: &Kind) -> Inside {
    match kind {
        Kind::Table(_) | Kind::FirstOrTable(_) | Kind::DistributionOr(..) => Inside::Keys,
        Kind::Component(table) => Inside::Components(vec![table]),
        Kind::ComponentOfAny(tables) => Inside::Components(tables.to_vec()),
        Kind::Distribution(_) | Kind::DistributionWith(..) => Inside::Components(vec!["distribution"]),
        Kind::List(inner) | Kind::OneOrList(inner) | Kind::CountOr(_, inner) => inside(inner),
        Kind::Map(Kind::Table(_)) => Inside::Named,
        _ => Inside::Nothing,
    }
}

/// The beginnings of the paths of components' keys, of those that `is` takes by table and name.
fn of_components(topics: &[Topic], is: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let prefix = |topic: &Topic| match topic {
        Topic::Component { table, row } if is(table, row.name) => Some(format!("{table}[{}].", row.name)),
        _ => None,
    };
    topics.iter().filter_map(prefix).collect()
}

/// A component behind the name of its table (`policy.gang`), or a key behind the name of a
/// component or of a table (`worker.request-data`, `backfill.reservations`).
fn of_component<'a>(topics: &'a [Topic], segments: &[&str]) -> Vec<&'a Topic> {
    let Some((&first, rest)) = segments.split_first() else { return Vec::new() };
    let is_named = |topic: &&Topic| match topic {
        Topic::Component { table, row } => *table == first && rest == [row.name],
        Topic::Key { .. } | Topic::Word(_) => false,
    };
    let named: Vec<&Topic> = topics.iter().filter(is_named).collect();
    if !named.is_empty() {
        return named;
    }
    behind(topics, &of_components(topics, |table, name| table == first || name == first), rest)
}

/// Returns true if the parts of a name are the last or the first ones of a topic's name.
fn is_part(topic: &Topic, segments: &[&str]) -> bool {
    let name = without_brackets(topic.name());
    let parts: Vec<&str> = name.split('.').collect();
    match topic {
        Topic::Key { .. } => parts.ends_with(segments),
        Topic::Word(_) => parts.starts_with(segments) || parts.ends_with(segments),
        Topic::Component { table, .. } => segments == [*table],
    }
}

/// The nearest name, key or word to `asked`.
pub fn nearest_topic<'a>(topics: &'a [Topic], asked: &str) -> Option<&'a str> {
    let own = |topic: &'a Topic| if let Topic::Key { key, .. } = topic { key.name } else { topic.name() };
    nearest(asked, topics.iter().map(own).chain(topics.iter().flat_map(Topic::values)))
}

/// All that is known of topics, as texts for a terminal, in their order. Keys that components
/// declare alike are one text, which names the components.
pub fn texts(topics: &[Topic]) -> Vec<String> {
    let alike = |one: &Key, other: &Key| key_text("", one) == key_text("", other);
    groups(topics, alike).iter().map(Group::text).collect()
}

/// The lines of topics ([`Topic::line`]), in their order. Keys of components with one meaning share
/// a line.
pub fn lines(topics: &[Topic]) -> Vec<(String, &str)> {
    groups(topics, |one, other| one.about == other.about).iter().map(Group::line).collect()
}

/// A topic, or keys of one name that components share.
struct Group<'a> {
    first: &'a Topic,
    /// The components, if there are several.
    components: Vec<&'a str>,
}

/// Topics in their order; keys of components that have one name and are `alike` are one group.
fn groups(topics: &[Topic], alike: impl Fn(&Key, &Key) -> bool) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for topic in topics {
        let own = topic.component_key();
        let joins = |group: &&mut Group<'_>| match (own, group.first.component_key()) {
            (Some((path, _, key)), Some((first, _, other))) => {
                without_brackets(path) == without_brackets(first) && alike(key, other)
            }
            _ => false,
        };
        match groups.iter_mut().find(joins) {
            Some(group) => group.components.extend(own.map(|(_, component, _)| component)),
            None => groups.push(Group {
                first: topic,
                components: own.into_iter().map(|(_, component, _)| component).collect(),
            }),
        }
    }
    groups
}

impl<'a> Group<'a> {
    /// The one text of all.
    fn text(&self) -> String {
        match self.first {
            Topic::Key { path, key } if self.components.len() > 1 => {
                key_text(&without_brackets(path), key) + &wrapped(&self.components)
            }
            topic => topic.text(),
        }
    }

    /// The one line of all.
    fn line(&self) -> (String, &'a str) {
        match self.first {
            Topic::Key { path, key } if self.components.len() > 1 => (without_brackets(path), key.about),
            topic => topic.line(),
        }
    }
}

/// Names of components, with commas between, in lines of at most 100 columns.
fn wrapped(names: &[&str]) -> String {
    const INDENT: usize = 19;
    let mut text = format!("  {:<16}", "components");
    let mut column = INDENT - 1;
    for (place, name) in (1..).zip(names) {
        let comma = if place == names.len() { "" } else { "," };
        let width = name.chars().count() + comma.len() + 1;
        if column + width > 100 {
            text += &format!("\n{:1$}", "", INDENT - 1);
            column = INDENT - 1;
        }
        text += &format!(" {name}{comma}");
        column += width;
    }
    text + "\n"
}

fn without_brackets(path: &str) -> String {
    let mut plain = String::new();
    let mut depth = 0;
    for letter in path.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            other if depth == 0 => plain.push(other),
            _ => {}
        }
    }
    plain
}

impl Topic {
    /// Path, or its name.
    pub fn name(&self) -> &str {
        match self {
            Topic::Key { path, .. } => path,
            Topic::Component { row, .. } => row.name,
            Topic::Word(word) => &word.name,
        }
    }

    /// Path, component and declaration, if it is a key of a component.
    fn component_key(&self) -> Option<(&str, &str, &Key)> {
        let Topic::Key { path, key } = self else { return None };
        let (_, rest) = path.split_once('[')?;
        Some((path, rest.split_once(']')?.0, key))
    }

    /// The words that it takes as a value.
    fn values(&self) -> impl Iterator<Item = &str> {
        let words = if let Topic::Key { key, .. } = self { key.kind.words() } else { &[] };
        words.iter().map(|(word, _)| *word)
    }

    /// By what `explain` finds exactly it, and its meaning in one line.
    pub fn line(&self) -> (String, &str) {
        match self {
            Topic::Key { path, key } => (path.clone(), key.about),
            Topic::Component { table, row } => (format!("{table}.{}", row.name), row.about),
            Topic::Word(word) => (word.name.to_string(), &word.about),
        }
    }

    /// All that is known of it, as text for a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // writing into a String cannot fail
        let _ = match self {
            Topic::Key { path, key } => {
                text = key_text(path, key);
                Ok(())
            }
            Topic::Component { table, row } => explain_component(&mut text, table, row),
            Topic::Word(word) => {
                text = word.text();
                Ok(())
            }
        };
        text
    }
}

fn key_text(path: &str, key: &Key) -> String {
    let mut text = String::new();
    // writing into a String cannot fail
    let _ = explain_key(&mut text, path, key);
    text
}

fn explain_key(text: &mut String, path: &str, key: &Key) -> std::fmt::Result {
    writeln!(text, "{path}\n    {}", key.about)?;
    writeln!(text, "  value    {}", key.kind.expected())?;
    writeln!(text, "  default  {}", key.default.words())?;
    for (name, about) in key.kind.words() {
        writeln!(text, "  {name:<16} {about}")?;
    }
    key.kind.keys().iter().try_for_each(|key| listed(text, key))?;
    if !key.source.is_empty() {
        writeln!(text, "  source   {}", key.source)?;
    }
    Ok(())
}

fn explain_component(text: &mut String, table: &str, row: &Row) -> std::fmt::Result {
    writeln!(text, "{table} \"{}\"\n    {}", row.name, row.about)?;
    if let Some(preset) = row.preset {
        let set: Vec<String> =
            preset.set.iter().map(|(name, value)| format!("{name} = \"{value}\"")).collect();
        writeln!(text, "  stands for kind = \"{}\", {}", preset.kind, set.join(", "))?;
    }
    row.keys.iter().try_for_each(|key| listed(text, key))?;
    if !row.source.is_empty() {
        writeln!(text, "  source   {}", row.source)?;
    }
    Ok(())
}

/// A key in the list of those below a table or a component.
fn listed(text: &mut String, key: &Key) -> std::fmt::Result {
    writeln!(text, "  {:<24} {} [{}]", key.name, key.about, key.kind.unit())
}
