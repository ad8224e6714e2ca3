//! From TOML text to a [`Tree`], with every syntax error of the text at once.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::collections::StableSort as _;
use crate::registry::{Complaint, Complaints, KeyValue, Node, SourceId, Span, Tree, Value, code};

/// Parses a whole file. What could be read is given back with the complaints, so that both kinds of
/// mistake of a file are reported together.
pub fn parse_file(text: &str, source: SourceId, complaints: &mut Vec<Complaint>) -> Tree {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut wrong = Complaints::new();
    for error in errors {
        wrong.push_with(|| syntax(&error, text, source));
    }
    let tree = Reader { source, start: 0, complaints: &mut wrong }.tree(table.get_ref());
    complaints.extend(Vec::from(wrong));
    tree
}

/// Parses the value that the text of `source` holds from byte `start` on, as it stands behind `=`;
/// `None` if it is not one.
///
/// # Errors
/// It is a number that a scenario cannot hold: an integer beyond 64 bits, `nan`, `inf`.
pub fn parse_value(text: &str, source: SourceId, start: usize) -> Result<Option<Node>, Complaint> {
    let Some(Ok(value)) = text.get(start..).map(DeValue::parse) else { return Ok(None) };
    let mut complaints = Complaints::new();
    let node = Reader { source, start, complaints: &mut complaints }.node(&value);
    let is_plain = complaints.is_empty();
    match complaints.into_iter().find(|complaint| complaint.code == code::RANGE) {
        Some(complaint) => Err(complaint.help("a text stands in quotes within the argument: KEY='\"nan\"'")),
        // a date is taken as a text
        None => Ok(node.filter(|_| is_plain)),
    }
}

/// The value that a key's declaration writes as its default; all of it stands at `span`.
///
/// # Panics
/// If the text is no TOML value: a mistake of the program.
pub(super) fn default_value(text: &str, span: Span) -> Value {
    let node =
        parse_value(text, span.source, 0).ok().flatten().expect("a default that is written is a TOML value");
    node.placed(span).value
}

/// Turns what the TOML parser gives into a tree; `start` is where its text begins in the source.
struct Reader<'a> {
    source: SourceId,
    start: usize,
    complaints: &'a mut Complaints,
}

fn syntax(error: &toml::de::Error, text: &str, source: SourceId) -> Complaint {
    let range = error.span().unwrap_or(0..0);
    let range = range.start.min(text.len())..range.end.min(text.len());
    let message = error.message().replace('\n', ", ");
    let word = text.get(range.clone()).unwrap_or_default();
    let bare = word.starts_with(|first: char| first.is_alphanumeric()) && !word.contains('"');
    let behind_equals = text.get(..range.start).is_some_and(|before| before.trim_end().ends_with('='));
    let complaint = Complaint::new(code::SYNTAX, message, Span::new(source, range)).label("here");
    if bare && behind_equals {
        return complaint.help(format!("a text, or a number with a unit, stands in quotes: \"{word}\""));
    }
    complaint
}

impl Reader<'_> {
    /// Notes what is wrong; there is no node then.
    fn refuse(&mut self, complaint: Complaint) -> Option<Node> {
        self.complaints.push(complaint);
        None
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source, self.start + range.start..self.start + range.end)
    }

    fn tree(&mut self, table: &DeTable<'_>) -> Tree {
        let mut slots: Vec<KeyValue> = Vec::with_capacity(table.len());
        for (key, value) in table {
            let Some(node) = self.node(value) else { continue };
            slots.push(KeyValue { name: key.get_ref().to_string(), span: self.span(key.span()), node });
        }
        slots.stable_sort_by_key(|slot| slot.span);
        slots.into_iter().collect()
    }

    fn node(&mut self, spanned: &Spanned<DeValue<'_>>) -> Option<Node> {
        let span = self.span(spanned.span());
        let value = match spanned.get_ref() {
            DeValue::String(text) => Value::String(text.to_string()),
            DeValue::Integer(number) => {
                let Ok(number) = i64::from_str_radix(number.as_str(), number.radix()) else {
                    let message = format!("`{number}` is out of range");
                    return self
                        .refuse(Complaint::new(code::RANGE, message, span).label("integers have 64 bits"));
                };
                Value::Integer(number)
            }
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(number) if number.is_finite() => Value::Float(number),
                _ => {
                    let message = format!("`{number}` is no finite number");
                    let complaint = Complaint::new(code::RANGE, message, span);
                    return self.refuse(complaint.label("expected a finite number"));
                }
            },
            DeValue::Boolean(flag) => Value::Boolean(*flag),
            DeValue::Datetime(_) => {
                let complaint = Complaint::new(code::TYPE, "a date is written as a string", span);
                let help = "write \"2026-03-01T06:00\" in quotes, or a duration from the start: \"36h\"";
                return self.refuse(complaint.label("a date").help(help));
            }
            DeValue::Array(values) => {
                Value::Array(values.iter().filter_map(|value| self.node(value)).collect())
            }
            DeValue::Table(table) => Value::Table(self.tree(table)),
        };
        Some(Node::new(value, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Sources;

    fn parse(text: &str) -> (Tree, Vec<Complaint>) {
        let source = Sources::new("").add("test.toml", text, "");
        let mut complaints = Vec::new();
        let tree = parse_file(text, source, &mut complaints);
        (tree, complaints)
    }

    #[test]
    fn keys_keep_the_order_of_the_file_and_their_places() {
        let (tree, complaints) = parse("b = 1\na = \"x\"\n[t]\nc = 1.5\n");
        assert!(complaints.is_empty());
        let names: Vec<&str> = tree.slots().iter().map(|slot| slot.name.as_str()).collect();
        assert_eq!(names, ["b", "a", "t"]);
        assert_eq!(tree.get("a").map(|node| node.span.range()), Some(10..13));
        assert_eq!(tree.at("t.c").map(|node| &node.value), Some(&Value::Float(1.5)));
    }

    #[test]
    fn several_syntax_errors_are_reported_at_once() {
        let (tree, complaints) = parse("a = 200us\nb = 3\nc = = 4\n");
        assert!(complaints.len() >= 2, "{complaints:?}");
        assert!(tree.get("b").is_some(), "what is right is still read");
    }

    #[test]
    fn dates_and_numbers_that_are_not_finite_are_refused() {
        let (_, complaints) = parse("a = 1979-05-27\nb = nan\nc = 99999999999999999999\n");
        let codes: Vec<_> = complaints.iter().map(|complaint| complaint.code).collect();
        assert_eq!(codes, [code::TYPE, code::RANGE, code::RANGE]);
    }
}
