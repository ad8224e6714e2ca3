//! The elements of an XML text, each with its place.
//!
//! Only what platform files need is made of XML: elements, attributes and text. Comments and processing instructions are passed over,
//! and so is the document type: it declares nothing here, so that an entity other than the five of XML is a mistake and
//! nothing ever grows. A blank line before the declaration, which XML forbids and some files have, does no harm.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use crate::registry::code;
use crate::registry::{Complaint, SourceId, Span};

/// How deep elements may lie within each other.
const DEEPEST: usize = 64;

/// An element.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub(super) name: String,
    /// Its name in the opening tag.
    pub(super) at: Span,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Element>,
    /// The text in it, without that of its children, and where it begins.
    pub(super) text: Option<(usize, String)>,
}

/// An attribute.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    /// Its name.
    pub(super) at: Span,
    pub(super) value: String,
    /// Its value, without the quotes.
    pub(super) value_at: Span,
}

impl Element {
    /// The attribute of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The value of an attribute; nothing if there is none.
    pub(super) fn value(&self, name: &str) -> &str {
        self.get(name).map_or("", |attribute| &attribute.value)
    }

    /// The place of an attribute's value, or else of the element.
    pub(super) fn place(&self, name: &str) -> Span {
        self.get(name).map_or(self.at, |attribute| attribute.value_at)
    }

    /// The children of this name.
    pub(super) fn children<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// Where parts of a text stand in it.
#[derive(Clone, Copy)]
struct Text<'a> {
    text: &'a str,
    source: SourceId,
}

impl Text<'_> {
    /// The place of `part`, which is a piece of the text.
    fn span(self, part: &str) -> Span {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let start = start.min(self.text.len());
        Span::new(self.source, start..(start + part.len()).min(self.text.len()))
    }

    fn at(self, start: u64, end: u64) -> Span {
        let [start, end] =
            [start, end].map(|at| usize::try_from(at).map_or(self.text.len(), |at| at.min(self.text.len())));
        Span::new(self.source, start..end.max(start))
    }
}

/// The element that the whole text is. What is wrong with the text goes to `complaints`; there is no element if it cannot be told where
/// elements begin and end.
pub(super) fn parse(text: &str, source: SourceId, complaints: &mut Vec<Complaint>) -> Option<Element> {
    let mut reader = Reader::from_str(text);
    let text = Text { text, source };
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    let wrong = |what: String, at: Span| Complaint::new(code::PLATFORM, what, at);
    loop {
        let before = reader.buffer_position();
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                let at = reader.error_position();
                complaints.push(wrong(format!("this is no XML: {error}"), text.at(at, at + 1)));
                return None;
            }
        };
        match event {
            Event::Start(tag) | Event::Empty(tag) if root.is_some() && open.is_empty() => {
                complaints.push(wrong(
                    "a second element after the first has ended".to_owned(),
                    text.span(tag_name(&tag, text)),
                ));
                return None;
            }
            Event::Start(tag) => {
                open.push(element(&tag, text, complaints));
                if open.len() > DEEPEST {
                    let at = text.at(before, reader.buffer_position());
                    complaints.push(wrong(format!("more than {DEEPEST} elements within each other"), at));
                    return None;
                }
            }
            Event::Empty(tag) => {
                let element = element(&tag, text, complaints);
                close(element, &mut open, &mut root);
            }
            Event::End(_) => {
                if let Some(element) = open.pop() {
                    close(element, &mut open, &mut root);
                }
            }
            Event::Text(words) if !words.trim().is_empty() => {
                let start = usize::try_from(before).unwrap_or(0);
                match open.last_mut() {
                    Some(element) if element.text.is_none() => {
                        element.text = Some((start, words.to_string()));
                    }
                    Some(_) => {}
                    None => {
                        let at = text.at(before, reader.buffer_position());
                        complaints.push(wrong("text outside of all elements".to_owned(), at));
                        return None;
                    }
                }
            }
            Event::GeneralRef(_) => {
                let at = text.at(before, reader.buffer_position());
                complaints.push(wrong("a reference in text means nothing here".to_owned(), at));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let end = text.text.len() as u64;
    if let Some(element) = open.pop() {
        let what = format!("`<{}>` is not closed", element.name);
        complaints.push(wrong(what, element.at));
        return None;
    }
    if root.is_none() {
        complaints.push(wrong("the file has no elements".to_owned(), text.at(end, end)));
    }
    root
}

fn close(element: Element, open: &mut [Element], root: &mut Option<Element>) {
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None => *root = Some(element),
    }
}

/// The name of a tag as it stands in the text.
fn tag_name<'a>(tag: &BytesStart<'a>, text: Text<'a>) -> &'a str {
    let name = tag.name();
    let at = text.span(name.as_ref()).range();
    text.text.get(at).unwrap_or("")
}

fn element(tag: &BytesStart<'_>, text: Text<'_>, complaints: &mut Vec<Complaint>) -> Element {
    let name = tag.name();
    let at = text.span(name.as_ref());
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = match attribute {
            Ok(attribute) => attribute,
            Err(error) => {
                complaints.push(Complaint::new(code::PLATFORM, format!("this tag is no XML: {error}"), at));
                continue;
            }
        };
        let value_at = text.span(&attribute.value);
        let value = match unescape(&attribute.value) {
            Ok(value) => value.into_owned(),
            Err(error) => {
                let what = format!("this value is no XML: {error}");
                complaints.push(Complaint::new(code::PLATFORM, what, value_at));
                attribute.value.to_string()
            }
        };
        let key = attribute.key.as_ref();
        attributes.push(Attribute { name: key.to_owned(), at: text.span(key), value, value_at });
    }
    Element { name: name.as_ref().to_owned(), at, attributes, children: Vec::new(), text: None }
}
