//! YAML texts: values with their places.
//!
//! A text is read from front to back: [`Reader::map`] and [`Reader::each`] go through what is
//! large, and [`Reader::value`] holds the rest, a part at a time. An alias is the value that its
//! anchor named, which is shared and not copied. Depth is bounded, and so is the number of values
//! that aliases stand for: a short text can stand for any number of them. Tags mean nothing, a
//! second document, merge keys (`<<`) and keys that are no words are mistakes.

use std::borrow::Cow;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};

use crate::text::{Mistake, Mistakes, Spot};

/// Greatest depth of values within each other.
const DEEPEST: usize = 64;
/// Values that aliases may stand for.
const MOST_ALIASED: u64 = 1_000_000;

/// A part of a text, or why it is read no further.
pub type Parsed<T> = Result<T, Mistake>;

/// A value and its place; of a list or a map the place where it begins.
#[derive(Debug, PartialEq)]
pub struct Value {
    /// The value itself.
    pub content: Content,
    /// Place in the text.
    pub spot: Spot,
    /// Values in it, it among them, those that aliases stand for counted as often as they are used.
    count: u64,
}

/// A value.
#[derive(Debug, PartialEq)]
pub enum Content {
    /// Nothing: `null`, `~` or an empty place.
    Null,
    /// A word, a number or a text.
    Text(Box<str>),
    /// A list.
    List(Vec<Rc<Value>>),
    /// A map, each key once.
    Map(Vec<(MemberName, Rc<Value>)>),
}

/// A key of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberName {
    /// The name.
    pub name: Box<str>,
    /// Place in the text.
    pub spot: Spot,
}

impl Value {
    /// The value of a key; `None` if this is no map, or has nothing there.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let Content::Map(entries) = &self.content else { return None };
        let found = entries.iter().find(|(known, _)| *known.name == *key)?;
        Some(&*found.1).filter(|value| value.content != Content::Null)
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The values of a list; none of anything else.
    pub fn list(&self) -> &[Rc<Value>] {
        match &self.content {
            Content::List(values) => values,
            _ => &[],
        }
    }
}

/// A YAML text that is read.
pub struct Reader<'t> {
    text: &'t str,
    parser: Parser<'t, StrInput<'t>>,
    /// Characters and bytes before the last place that was asked for.
    last: (usize, usize),
    /// By number of anchor, the values that have ended.
    anchors: Vec<Option<Rc<Value>>>,
    aliased: u64,
    wrong: Mistakes<Mistake>,
}

impl<'t> Reader<'t> {
    /// A reader at the beginning of a text.
    pub fn new(text: &'t str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let parser = Parser::new_from_str(text);
        Reader { text, parser, last: (0, 0), anchors: Vec::new(), aliased: 0, wrong: Mistakes::new() }
    }

    /// Goes through the map that the text is; `each` takes the value of its key.
    ///
    /// # Errors
    /// The text is no YAML, no map, or a bound is reached: it is read no further.
    pub fn map(&mut self, mut each: impl FnMut(&mut Self, &MemberName) -> Parsed<()>) -> Parsed<()> {
        loop {
            match self.next()? {
                (Event::StreamStart | Event::DocumentStart(_), _) => {}
                (Event::MappingStart(..), _) => break,
                (_, spot) => return Err(mistake("a map of keys and values should stand here", spot)),
            }
        }
        let mut keys = Vec::new();
        while let Some(key) = self.key()? {
            each(self, &key)?;
            keys.push(key);
        }
        self.refuse_twins(keys.iter().collect());
        match self.next()? {
            (Event::DocumentEnd, _) => {}
            (_, spot) => return Err(mistake("the text should end here", spot)),
        }
        match self.next()? {
            (Event::StreamEnd, _) => Ok(()),
            (_, spot) => Err(mistake("only the first document of a file is read", spot)),
        }
    }

    /// Goes through the list that stands here; nothing is an empty list.
    ///
    /// # Errors
    /// The text is no YAML, or a bound is reached.
    pub fn each(&mut self, mut each: impl FnMut(&Value) -> Parsed<()>) -> Parsed<()> {
        let (event, spot) = self.next()?;
        if matches!(event, Event::SequenceStart(0, _)) {
            loop {
                match self.next()? {
                    (Event::SequenceEnd, _) => return Ok(()),
                    (event, spot) => each(&*self.of(event, spot, 1)?)?,
                }
            }
        }
        let value = self.of(event, spot, 0)?;
        match &value.content {
            Content::List(values) => values.iter().try_for_each(|value| each(value)),
            Content::Null => Ok(()),
            _ => {
                self.wrong.at(value.spot, "a list should stand here");
                Ok(())
            }
        }
    }

    /// The value that stands here.
    ///
    /// # Errors
    /// The text is no YAML, or a bound is reached.
    pub fn value(&mut self) -> Parsed<Rc<Value>> {
        let (event, spot) = self.next()?;
        self.of(event, spot, 0)
    }

    /// Mistakes so far that did not end the reading.
    pub fn mistakes(self) -> Mistakes<Mistake> {
        self.wrong
    }

    fn next(&mut self) -> Parsed<(Event<'t>, Spot)> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                let at = self.bytes(span.start.index());
                let end = self.bytes(span.end.index()).max(at);
                let is_text = matches!(event, Event::Scalar(..) | Event::Alias(_));
                let width = if is_text { self.text[at..end].trim_end().len() } else { (at < end).into() };
                Ok((event, Spot::new(at as u64, width)))
            }
            Some(Err(broken)) => {
                let at = self.bytes(broken.marker().index());
                Err(mistake(&format!("this is no YAML: {}", broken.info()), Spot::new(at as u64, 0)))
            }
            None => Err(mistake("the text ends too early", Spot::new(self.text.len() as u64, 0))),
        }
    }

    /// The bytes before so many characters.
    fn bytes(&mut self, characters: usize) -> usize {
        let (from, at) = self.last;
        let moved: usize = if characters >= from {
            self.text[at..].chars().take(characters - from).map(char::len_utf8).sum()
        } else {
            self.text[..at].chars().rev().take(from - characters).map(char::len_utf8).sum()
        };
        let bytes = if characters >= from { at + moved } else { at - moved };
        self.last = (characters, bytes);
        bytes
    }

    /// The next key of a map; `None` at its end.
    fn key(&mut self) -> Parsed<Option<MemberName>> {
        let (event, spot) = self.next()?;
        let name: Box<str> = match event {
            Event::MappingEnd => return Ok(None),
            Event::Scalar(name, ..) => name.into(),
            _ => return Err(mistake("a key that is a word should stand here", spot)),
        };
        if *name == *"<<" {
            self.wrong.at(spot, "a map that is merged into another is not read");
        }
        Ok(Some(MemberName { name, spot }))
    }

    /// Refuses keys of a map that are there already.
    fn refuse_twins(&mut self, mut keys: Vec<&MemberName>) {
        keys.sort_by_key(|key| (&key.name, key.spot));
        for twins in keys.windows(2).filter(|twins| twins[0].name == twins[1].name) {
            let MemberName { name, spot } = twins[1];
            self.wrong.at(*spot, format!("the key `{name}` is there twice"));
        }
    }

    /// The value that begins with this event, so deep within others.
    fn of(&mut self, event: Event<'t>, spot: Spot, depth: usize) -> Parsed<Rc<Value>> {
        if depth > DEEPEST {
            return Err(mistake(&format!("more than {DEEPEST} values within each other"), spot));
        }
        let (anchor, content, count) = match event {
            Event::Alias(anchor) => return self.alias(anchor, spot),
            Event::Scalar(text, style, anchor, _) => (anchor, scalar(text, style), 1),
            Event::SequenceStart(anchor, _) => {
                let (mut values, mut count) = (Vec::new(), 1);
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break (anchor, Content::List(values), count),
                        (event, spot) => {
                            let value = self.of(event, spot, depth + 1)?;
                            count += value.count;
                            values.push(value);
                        }
                    }
                }
            }
            Event::MappingStart(anchor, _) => {
                let (mut entries, mut count) = (Vec::new(), 1);
                while let Some(key) = self.key()? {
                    let (event, spot) = self.next()?;
                    let value = self.of(event, spot, depth + 1)?;
                    count += value.count;
                    entries.push((key, value));
                }
                self.refuse_twins(entries.iter().map(|(key, _)| key).collect());
                (anchor, Content::Map(entries), count)
            }
            _ => return Err(mistake("a value should stand here", spot)),
        };
        let value = Rc::new(Value { content, spot, count });
        if anchor != 0 {
            let numbers = self.anchors.len().max(anchor + 1);
            self.anchors.resize(numbers, None);
            self.anchors[anchor] = Some(Rc::clone(&value));
        }
        Ok(value)
    }

    fn alias(&mut self, anchor: usize, spot: Spot) -> Parsed<Rc<Value>> {
        let Some(Some(value)) = self.anchors.get(anchor) else {
            return Err(mistake("an alias stands within the value that it names", spot));
        };
        self.aliased = self.aliased.saturating_add(value.count);
        if self.aliased > MOST_ALIASED {
            return Err(mistake(&format!("aliases stand for more than {MOST_ALIASED} values"), spot));
        }
        Ok(Rc::clone(value))
    }
}

fn mistake(message: &str, spot: Spot) -> Mistake {
    Mistake { message: message.to_owned(), help: None, spot }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Content {
    let is_null = style == ScalarStyle::Plain && matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
    if is_null { Content::Null } else { Content::Text(text.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of the keys of a text, and what is wrong with it.
    fn read(text: &str) -> (Vec<(MemberName, Rc<Value>)>, Mistakes<Mistake>) {
        let (mut reader, mut found) = (Reader::new(text), Vec::new());
        let end = reader.map(|reader, key| {
            found.push((key.clone(), reader.value()?));
            Ok(())
        });
        let mut wrong = reader.mistakes();
        wrong.extend(end.err());
        (found, wrong)
    }

    #[test]
    fn values_are_read_in_every_style_with_their_places() {
        let text = "é: [a, 'b c', \"d\\n\"]\r\nmap: {x: 1, y: ~}\nlong: |\n  two\n  lines\nnone:\n";
        let (found, wrong) = read(text);
        assert!(wrong.is_empty(), "{wrong:?}");
        let texts: Vec<_> = found[0].1.list().iter().filter_map(|value| value.text()).collect();
        assert_eq!(texts, ["a", "b c", "d\n"]);
        assert_eq!(found[1].1.get("x").and_then(Value::text), Some("1"));
        assert_eq!((found[1].1.get("y"), found[1].1.get("z")), (None, None));
        assert_eq!(found[2].1.text(), Some("two\nlines\n"));
        assert_eq!(found[3].1.content, Content::Null);
        let at = |value: &Value| &text[value.spot.at as usize..][..value.spot.width as usize];
        assert_eq!(
            found[0].1.list().iter().map(|value| at(value)).collect::<Vec<_>>(),
            ["a", "'b c'", "\"d\\n\""]
        );
        assert_eq!(found[1].1.get("x").map(at), Some("1"));
        assert_eq!(&text[found[3].0.spot.at as usize..][..4], "none");
    }

    #[test]
    fn an_alias_is_its_anchor_and_many_are_bounded() {
        let (found, wrong) = read("a: &one [1, 2]\nb: *one\nc: {d: *one}\n");
        assert!(wrong.is_empty() && Rc::ptr_eq(&found[0].1, &found[1].1));
        assert_eq!(found[2].1.get("d").map(|value| value.list().len()), Some(2));
        let mut laughs = "a0: &a0 [x, x]\n".to_owned();
        for level in 1..40 {
            let below = format!("*a{}", level - 1);
            laughs += &format!("a{level}: &a{level} [{below}, {below}]\n");
        }
        let (_, wrong) = read(&laughs);
        assert!(wrong[0].message.contains("aliases stand for more than"), "{wrong:?}");
        assert!(read("a: &a [*a]\n").1[0].message.contains("within the value"));
        assert!(read("a: *b\n").1[0].message.contains("no YAML"));
    }

    #[test]
    fn wrong_texts_are_refused_at_their_places() {
        for (text, at, message) in [
            ("a: 1\na: 2\n", 5, "`a` is there twice"),
            ("a:\n  <<: {b: 1}\n", 5, "merged"),
            ("- a\n", 0, "a map of keys"),
            ("a: 1\n---\nb: 2\n", 5, "first document"),
            ("a: {b: [1, 2}\n", 12, "no YAML"),
            ("a: {[b]: 1}\n", 4, "a key that is a word"),
            ("", 0, "a map of keys"),
        ] {
            let wrong = read(text).1;
            assert_eq!(wrong.first().map(|wrong| wrong.spot.at), Some(at), "{text}: {wrong:?}");
            assert!(wrong[0].message.contains(message), "{text}: {wrong:?}");
        }
        for deep in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000)] {
            assert_eq!(read(&format!("a:\n {deep}")).1.count(), 1);
        }
    }
}
