//! One JSON value as a tree with places, so that a trace is checked by the same declarations as a
//! scenario.
//!
//! `null` is refused because nothing is unknown in a trace, and a number must be finite. A whole
//! number is an integer as it is in a scenario. A key that stands twice is reported. Reading one
//! line stops at the first mistake of syntax, because what follows it has no certain meaning.

use crate::registry::{Complaint, KeyValue, Node, SourceId, Span, Tree, Value, code};
use crate::text::json::{Mistake, Next, Reader};

/// The value that `text` holds, alone; `None` if there was a complaint. Places are bytes of `text`.
pub(super) fn parse(text: &str, source: SourceId, complaints: &mut Vec<Complaint>) -> Option<Node> {
    let before = complaints.len();
    let mut builder = Builder { source, complaints };
    let mut reader = Reader::of_line(text);
    let node = builder.value(&mut reader).and_then(|node| reader.finish().map(|()| node));
    match node {
        Ok(node) => (complaints.len() == before).then_some(node),
        Err(Mistake { at, width, message, expected }) => {
            let label =
                if expected.is_empty() { "not JSON".to_owned() } else { format!("expected {expected}") };
            builder.refuse(at, width, message, &label);
            None
        }
    }
}

/// Makes nodes of values.
struct Builder<'a> {
    source: SourceId,
    complaints: &'a mut Vec<Complaint>,
}

impl Builder<'_> {
    fn span(&self, start: u64, end: u64) -> Span {
        Span::new(self.source, start as usize..end as usize)
    }

    fn refuse(&mut self, at: u64, width: usize, message: impl Into<String>, label: &str) {
        let span = self.span(at, at + width as u64);
        self.complaints.push(Complaint::new(code::NOT_JSON, message, span).label(label));
    }

    fn value(&mut self, reader: &mut Reader<'_>) -> Result<Node, Mistake> {
        let start = reader.place();
        let value = match reader.next_kind()? {
            Next::Object => Value::Table(self.object(reader)?),
            Next::Array => {
                let mut nodes = Vec::new();
                reader.array(|reader| {
                    nodes.push(self.value(reader)?);
                    Ok(())
                })?;
                Value::Array(nodes)
            }
            Next::Text => Value::String(reader.string()?),
            Next::Number => self.number(reader)?,
            Next::Word => {
                let word = reader.word()?;
                if word.is_none() {
                    let label = "leave the key out if there is no value";
                    self.refuse(start, 4, "`null` is not used", label);
                }
                Value::Boolean(word.unwrap_or_default())
            }
        };
        Ok(Node::new(value, self.span(start, reader.end())))
    }

    fn object(&mut self, reader: &mut Reader<'_>) -> Result<Tree, Mistake> {
        let mut slots: Vec<KeyValue> = Vec::new();
        reader.object(|reader, key| {
            let span = self.span(key.at, key.at + key.width as u64);
            slots.push(KeyValue { name: key.name, span, node: self.value(reader)? });
            Ok(())
        })?;
        // a key that stands twice is found among its neighbours by name
        slots.sort_by(|one, other| one.name.cmp(&other.name));
        let twice = slots.windows(2).filter(|pair| pair[0].name == pair[1].name);
        for KeyValue { name, span, .. } in twice.map(|pair| &pair[1]) {
            let complaint = Complaint::new(code::NOT_JSON, format!("the key `{name}` stands twice"), *span);
            self.complaints.push(complaint.label("the second"));
        }
        slots.dedup_by(|later, first| later.name == first.name);
        slots.sort_by_key(|slot| slot.span);
        Ok(slots.into_iter().collect())
    }

    fn number(&mut self, reader: &mut Reader<'_>) -> Result<Value, Mistake> {
        let start = reader.place();
        let text = reader.number()?;
        if let Ok(whole) = text.parse::<i64>() {
            return Ok(Value::Integer(whole));
        }
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        if number.is_none() {
            let message = format!("`{}` is no finite number", text.chars().take(40).collect::<String>());
            self.refuse(start, text.len(), message, "not a JSON number");
        }
        Ok(Value::Float(number.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::registry::{Sources, to_inline};

    fn read(text: &str) -> Result<Node, Vec<Complaint>> {
        let source = Sources::new("").add("", "", "");
        let mut complaints = Vec::new();
        parse(text, source, &mut complaints).ok_or(complaints)
    }

    /// Message, place and label of the only complaint.
    fn found(text: &str) -> (String, std::ops::Range<usize>, String) {
        let complaints = read(text).expect_err("wrong");
        let [complaint] = &complaints[..] else { panic!("{complaints:?}") };
        (complaint.message.clone(), complaint.span.expect("a place").range(), complaint.label.to_string())
    }

    #[test]
    fn values_keep_their_order_and_places() {
        let text = r#" { "b": [1, -2.5e1, "x\né"], "a": {"c": true, "d": {}} } "#;
        let node = read(text).expect("right");
        assert_eq!(to_inline(&node), r#"{ b = [1, -25.0, "x\né"], a = { c = true, d = { } } }"#);
        let tree = node.as_table().expect("an object");
        let place = |path: &str| &text[tree.at(path).expect("there").span.range()];
        assert_eq!((place("b"), place("a.c")), (r#"[1, -2.5e1, "x\né"]"#, "true"));
    }

    #[test]
    fn mistakes_are_reported_at_their_place() {
        let found = |text: &str| {
            let (message, range, label) = found(text);
            (message, range.start, range.end, label)
        };
        let expected =
            |message: &str, start, end, label: &str| (message.to_owned(), start, end, label.to_owned());
        assert_eq!(found(r#"{"a": 1"#), expected("the line ends too early", 7, 7, "expected `,` or `}`"));
        assert_eq!(found(r#"{"a" 1}"#), expected("unexpected `1`", 5, 6, "expected `:`"));
        assert_eq!(found("{a: 1}"), expected("unexpected `a`", 1, 2, "expected a key in quotes"));
        assert_eq!(found("[1,]"), expected("unexpected `]`", 3, 4, "expected a value"));
        assert_eq!(
            found("[1] 2"),
            expected("something follows the value", 4, 5, "expected the end of the line")
        );
        assert_eq!(found("[1e999]"), expected("`1e999` is no finite number", 1, 6, "not a JSON number"));
        assert_eq!(found("01"), expected("`01` is no number", 0, 2, "not JSON"));
        assert_eq!(found("[null]").0, "`null` is not used");
        assert_eq!(found("\"abc").0, "the text has no end");
        assert_eq!(found(r#""\q""#), expected("unexpected `q`", 2, 3, "expected an escape"));
        assert_eq!(
            found(r#"{"a": 1, "b": 2, "a": 3}"#),
            expected("the key `a` stands twice", 17, 20, "the second")
        );
        assert_eq!(found(&"[".repeat(100)).0, "values stand too deep in each other");
        assert_eq!(found("").0, "the line ends too early");
    }

    proptest! {
        #[test]
        fn whatever_serde_reads_is_read_and_nothing_else(text in r#"[\[\]{}:,"\\ a1e.+-]{0,24}|\{"[a-c]": ?[0-9.e-]{1,5}(, "[a-c]": (true|\[1, ?2\]))?\}"#) {
            let serde = serde_json::from_str::<serde_json::Value>(&text);
            let own = read(&text);
            if own.is_ok() {
                prop_assert!(serde.is_ok(), "{text}");
            } else if serde.is_ok() {
                let complaints = own.expect_err("refused");
                prop_assert!(complaints.iter().all(|bad| bad.message.ends_with("stands twice")
                    || bad.message.contains("finite") || bad.message.contains("deep")), "{text}: {complaints:?}");
            }
        }
    }
}
