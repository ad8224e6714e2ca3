//! Keys and components by the words people ask for them with, for `explain`.

use std::fmt::Write;

use crate::registry::suggest::nearest;
use crate::registry::{Key, Kind, Registry, Row};

/// Something that can be explained: a key at its path, or a component of a table.
#[derive(Clone, Debug)]
pub enum Topic {
    /// A key. In the path, a component's keys stand behind its name in brackets: `policy[space-sharing].queue`.
    Key {
        /// Where it may be written.
        path: String,
        /// Its declaration.
        key: Key,
    },
    /// A component.
    Component {
        /// The name of its table.
        table: &'static str,
        /// What the table shows of it.
        row: Row,
    },
}

/// Every key of a document with `keys`, each once, and every component of the registry.
pub fn topics(registry: &Registry, keys: &[Key]) -> Vec<Topic> {
    let mut topics = Vec::new();
    walk(keys, "", &mut topics);
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
        if let Kind::Table(inner) | Kind::FirstOrTable(inner) | Kind::List(&Kind::Table(inner)) = key.kind {
            walk(inner, &format!("{path}."), topics);
        }
        // its tables have names that the author gives them
        if let Kind::Map(&Kind::Table(inner)) = key.kind {
            walk(inner, &format!("{path}.NAME."), topics);
        }
    }
}

/// The topics that `asked` means: a path as written in a scenario (`policy.queue`), the end of one, or the name of
/// a component; if there is none of these, the keys that take it as a word (`mser-5`).
pub fn find(topics: &[Topic], asked: &str) -> Vec<Topic> {
    let wanted: Vec<&str> = asked.split('.').collect();
    let matches = |topic: &&Topic| match topic {
        Topic::Component { row, .. } => row.name == asked,
        Topic::Key { path, .. } => {
            let plain = without_brackets(path);
            let have: Vec<&str> = plain.split('.').collect();
            // a component's own key may be asked for behind any path that leads to it
            have.ends_with(&wanted) || path.contains('[') && have.last() == wanted.last() && wanted.len() > 1
        }
    };
    let found: Vec<Topic> = topics.iter().filter(matches).cloned().collect();
    let exact: Vec<Topic> = found.iter().filter(|topic| topic.name() == asked).cloned().collect();
    if !exact.is_empty() {
        return exact;
    }
    if !found.is_empty() {
        return found;
    }
    let takes = |topic: &&Topic| match topic {
        Topic::Key { key, .. } => key.kind.words().iter().any(|(word, _)| *word == asked),
        Topic::Component { .. } => false,
    };
    topics.iter().filter(takes).cloned().collect()
}

/// The nearest name, key or word to `asked`.
pub fn nearest_topic<'a>(topics: &'a [Topic], asked: &str) -> Option<&'a str> {
    let names = topics.iter().map(|topic| match topic {
        Topic::Key { key, .. } => key.name,
        Topic::Component { row, .. } => row.name,
    });
    let words = topics.iter().filter_map(|topic| match topic {
        Topic::Key { key, .. } => Some(key.kind.words().iter().map(|(word, _)| *word)),
        Topic::Component { .. } => None,
    });
    nearest(asked, names.chain(words.flatten()))
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
    /// Its path, or its name.
    pub fn name(&self) -> String {
        match self {
            Topic::Key { path, .. } => path.clone(),
            Topic::Component { row, .. } => row.name.to_owned(),
        }
    }

    /// All that is known of it, as text for a terminal.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // writing into a String cannot fail
        let _ = match self {
            Topic::Key { path, key } => explain_key(&mut text, path, key),
            Topic::Component { table, row } => explain_component(&mut text, table, row),
        };
        text
    }
}

fn explain_key(text: &mut String, path: &str, key: &Key) -> std::fmt::Result {
    writeln!(text, "{path}\n    {}", key.about)?;
    writeln!(text, "  value    {}", key.kind.expected())?;
    writeln!(text, "  default  {}", key.default.words())?;
    for (name, about) in key.kind.words() {
        writeln!(text, "  {name:<16} {about}")?;
    }
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
    for key in row.keys {
        writeln!(text, "  {:<24} {} [{}]", key.name, key.about, key.kind.unit())?;
    }
    if !row.source.is_empty() {
        writeln!(text, "  source   {}", row.source)?;
    }
    Ok(())
}
