//! A tree as a TOML document, in the order of its keys.
//!
//! Plain values come first, then the tables, each under its own header: the layout people write by
//! hand. Equal trees give equal bytes.

use std::fmt::Write;

use crate::registry::{Node, Tree, Value};
use crate::text::in_toml;

/// The document. Reading it gives the same tree, places apart.
pub fn to_toml(tree: &Tree) -> String {
    let mut text = String::new();
    table(&mut text, tree, "");
    text
}

/// One value as it stands behind `=`.
pub fn to_inline(node: &Node) -> String {
    let mut text = String::new();
    inline(&mut text, node);
    text
}

fn table(text: &mut String, tree: &Tree, path: &str) {
    for slot in tree.slots().iter().filter(|slot| slot.node.as_table().is_none()) {
        let _ = write!(text, "{} = ", key(&slot.name));
        inline(text, &slot.node);
        text.push('\n');
    }
    for slot in tree.slots() {
        let Some(inner) = slot.node.as_table() else { continue };
        let path = if path.is_empty() { key(&slot.name) } else { format!("{path}.{}", key(&slot.name)) };
        let only_tables =
            !inner.is_empty() && inner.slots().iter().all(|slot| slot.node.as_table().is_some());
        if !only_tables {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}[{path}]");
        }
        table(text, inner, &path);
    }
}

fn inline(text: &mut String, node: &Node) {
    // writing into a String cannot fail
    let _ = match &node.value {
        Value::String(value) => write!(text, "{}", toml_text(value)),
        Value::Integer(value) => write!(text, "{value}"),
        Value::Float(value) => write!(text, "{value:?}"),
        Value::Boolean(value) => write!(text, "{value}"),
        Value::Array(values) => {
            text.push('[');
            for (index, value) in values.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { ", " });
                inline(text, value);
            }
            text.write_char(']')
        }
        Value::Table(tree) => {
            text.push('{');
            for (index, slot) in tree.slots().iter().enumerate() {
                let _ = write!(text, "{} {} = ", if index == 0 { "" } else { "," }, key(&slot.name));
                inline(text, &slot.node);
            }
            text.write_str(" }")
        }
    };
}

fn key(name: &str) -> String {
    let bare =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if bare { name.to_owned() } else { toml_text(name) }
}

/// A text as TOML writes it, in quotes.
pub fn toml_text(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for letter in value.chars() {
        match letter {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            control if control.is_control() => in_toml(control, &mut text),
            other => text.push(other),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Sources, parse_file};

    fn tree(text: &str) -> Tree {
        let source = Sources::new("").add("test.toml", text, "");
        let mut complaints = Vec::new();
        let tree = parse_file(text, source, &mut complaints);
        assert!(complaints.is_empty(), "{complaints:?}");
        tree
    }

    #[test]
    fn values_come_before_tables_and_empty_headers_are_left_out() {
        let text = to_toml(&tree("[a.b]\nc = 1\n[z]\n[y]\nx = [1.0, { k = \"v\" }]\n"));
        assert_eq!(text, "[a.b]\nc = 1\n\n[z]\n\n[y]\nx = [1.0, { k = \"v\" }]\n");
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let text =
            to_toml(&tree("\"a b\" = \"q\\\"\\\\\\n\\u0001µ\"\nf = 1e300\nt = true\nl = []\ne = {}\n"));
        assert_eq!(to_toml(&tree(&text)), text);
        assert!(text.starts_with("\"a b\" = \"q\\\"\\\\\\n\\u0001µ\"\nf = 1e300\n"), "{text}");
    }
}
