//! One JSON value as a tree with places, so that a trace is checked by the same declarations as a scenario.
//!
//! JSON as RFC 8259 has it, with these limits: objects and arrays stand at most 32 deep, `null` is refused because
//! nothing is unknown in a trace, and a number must be finite. A whole number is an integer as it is in a scenario.
//! A key that stands twice is told. Reading one line stops at the first mistake of syntax, because what follows it
//! has no certain meaning.

use crate::registry::code;
use crate::registry::{Complaint, Node, Slot, SourceId, Span, Tree, Value};

/// How deep arrays and objects may stand in each other.
const DEEPEST: usize = 32;

/// The value that `text` holds, alone; `None` if there was a complaint. Places are bytes of `text`.
pub(super) fn parse(text: &str, source: SourceId, complaints: &mut Vec<Complaint>) -> Option<Node> {
    let mut reader = Reader { text, at: 0, source, complaints };
    let value = reader.value(0)?;
    reader.skip_blanks();
    if reader.at < text.len() {
        reader.refuse(reader.at..text.len(), "something follows the value", "expected the end of the line");
        return None;
    }
    Some(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    source: SourceId,
    complaints: &'a mut Vec<Complaint>,
}

impl Reader<'_> {
    fn span(&self, start: usize) -> Span {
        Span::new(self.source, start..self.at)
    }

    fn refuse(&mut self, range: std::ops::Range<usize>, message: &str, label: &str) {
        let span = Span::new(self.source, range);
        self.complaints.push(Complaint::new(code::NOT_JSON, message, span).label(label));
    }

    /// Refuses the character that stands here, or the end.
    fn unexpected(&mut self, expected: &str) {
        let at = self.at;
        match self.text[at..].chars().next() {
            Some(found) => {
                let message = format!("unexpected `{}`", found.escape_debug());
                self.refuse(at..at + found.len_utf8(), &message, expected);
            }
            None => self.refuse(at..at, "the line ends too early", expected),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        self.skip_blanks();
        let start = self.at;
        if depth > DEEPEST {
            self.refuse(start..start + 1, "values stand too deep in each other", "expected a plain value");
            return None;
        }
        let value = match self.peek() {
            Some(b'{') => Value::Table(self.object(depth)?),
            Some(b'[') => Value::Array(self.array(depth)?),
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Some(Node::new(value, self.span(start)))
    }

    fn word(&mut self) -> Option<Value> {
        for (word, value) in [("true", true), ("false", false)] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Some(Value::Boolean(value));
            }
        }
        if self.text[self.at..].starts_with("null") {
            let range = self.at..self.at + 4;
            self.refuse(range, "`null` is not used", "leave the key out if there is no value");
        } else {
            self.unexpected("expected a value");
        }
        None
    }

    fn object(&mut self, depth: usize) -> Option<Tree> {
        self.at += 1;
        let mut slots: Vec<Slot> = Vec::new();
        self.skip_blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Some(Tree::default());
        }
        loop {
            self.skip_blanks();
            let start = self.at;
            if self.peek() != Some(b'"') {
                self.unexpected("expected a key in quotes");
                return None;
            }
            let name = self.string()?;
            let span = self.span(start);
            self.skip_blanks();
            if self.peek() != Some(b':') {
                self.unexpected("expected `:`");
                return None;
            }
            self.at += 1;
            let node = self.value(depth + 1)?;
            slots.push(Slot { name, span, node });
            self.skip_blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => {
                    self.unexpected("expected `,` or `}`");
                    return None;
                }
            }
        }
        self.at += 1;
        self.tree(slots)
    }

    /// The keys as a table; a key that stands twice is told.
    fn tree(&mut self, mut slots: Vec<Slot>) -> Option<Tree> {
        let places: Vec<Span> = slots.iter().map(|slot| slot.span).collect();
        slots.sort_by(|one, other| one.name.cmp(&other.name));
        let twice: Vec<(String, Span)> = slots
            .windows(2)
            .filter(|pair| pair[0].name == pair[1].name)
            .map(|pair| (pair[1].name.clone(), pair[1].span))
            .collect();
        for (name, span) in &twice {
            let message = format!("the key `{name}` stands twice");
            self.refuse(span.range(), &message, "the second");
        }
        if !twice.is_empty() {
            return None;
        }
        slots.sort_by_key(|slot| slot.span);
        debug_assert!(slots.iter().map(|slot| slot.span).eq(places), "keys keep their order");
        let mut tree = Tree::default();
        for slot in slots {
            tree.put(slot);
        }
        Some(tree)
    }

    fn array(&mut self, depth: usize) -> Option<Vec<Node>> {
        self.at += 1;
        let mut nodes = Vec::new();
        self.skip_blanks();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Some(nodes);
        }
        loop {
            nodes.push(self.value(depth + 1)?);
            self.skip_blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => {
                    self.unexpected("expected `,` or `]`");
                    return None;
                }
            }
        }
        self.at += 1;
        Some(nodes)
    }

    /// Leaves the grammar of strings to serde: only their end is found here.
    fn string(&mut self) -> Option<String> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        loop {
            match bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') if self.at + 1 < bytes.len() => self.at += 2,
                Some(_) => self.at += 1,
                None => {
                    self.refuse(
                        start..bytes.len(),
                        "the text has no end",
                        "expected `\"` before the line ends",
                    );
                    return None;
                }
            }
        }
        self.at += 1;
        let plain = &bytes[start + 1..self.at - 1];
        if plain.iter().all(|&byte| byte >= 0x20 && byte != b'\\') {
            return Some(self.text[start + 1..self.at - 1].to_owned());
        }
        match serde_json::from_str(&self.text[start..self.at]) {
            Ok(text) => Some(text),
            Err(_) => {
                self.refuse(start..self.at, "the text holds what JSON does not allow", "not a JSON string");
                None
            }
        }
    }

    /// Leaves the grammar of numbers to serde as well.
    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        let number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        while self.peek().is_some_and(number) {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let read = serde_json::from_str::<serde_json::Number>(text).ok();
        let value = read.and_then(|number| match number.as_i64() {
            Some(whole) => Some(Value::Integer(whole)),
            None => number.as_f64().filter(|number| number.is_finite()).map(Value::Float),
        });
        if value.is_none() {
            let message = format!("`{}` is no finite number", text.chars().take(40).collect::<String>());
            self.refuse(start..self.at, &message, "not a JSON number");
        }
        value
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
    fn told(text: &str) -> (String, std::ops::Range<usize>, String) {
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
    fn mistakes_are_told_at_their_place() {
        let told = |text: &str| {
            let (message, range, label) = told(text);
            (message, range.start, range.end, label)
        };
        let expected =
            |message: &str, start, end, label: &str| (message.to_owned(), start, end, label.to_owned());
        assert_eq!(told(r#"{"a": 1"#), expected("the line ends too early", 7, 7, "expected `,` or `}`"));
        assert_eq!(told(r#"{"a" 1}"#), expected("unexpected `1`", 5, 6, "expected `:`"));
        assert_eq!(told("{a: 1}"), expected("unexpected `a`", 1, 2, "expected a key in quotes"));
        assert_eq!(told("[1,]"), expected("unexpected `]`", 3, 4, "expected a value"));
        assert_eq!(
            told("[1] 2"),
            expected("something follows the value", 4, 5, "expected the end of the line")
        );
        assert_eq!(told("[1e999]"), expected("`1e999` is no finite number", 1, 6, "not a JSON number"));
        assert_eq!(told("01"), expected("`01` is no finite number", 0, 2, "not a JSON number"));
        assert_eq!(told("[null]").0, "`null` is not used");
        assert_eq!(told("\"abc").0, "the text has no end");
        assert_eq!(told(r#""\q""#).0, "the text holds what JSON does not allow");
        assert_eq!(
            told(r#"{"a": 1, "b": 2, "a": 3}"#),
            expected("the key `a` stands twice", 17, 20, "the second")
        );
        assert_eq!(told(&"[".repeat(50)).0, "values stand too deep in each other");
        assert_eq!(told("").0, "the line ends too early");
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
