//! The elements of an XML text, each with its place.
//!
//! Only what files of other simulators need is made of XML: elements, attributes and text. Comments
//! and processing instructions are passed over, and so is the document type: it declares nothing
//! here, so that an entity other than the five of XML is a mistake and nothing ever grows. A blank
//! line before the declaration, which XML forbids and some files have, does no harm.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use crate::text::{Mistakes, SourceId, Span};

/// Greatest depth of elements within each other.
const DEEPEST: usize = 64;

/// An element.
#[derive(Clone, Debug)]
pub struct Element {
    /// Name.
    pub name: String,
    /// Span of its name in the opening tag.
    pub at: Span,
    /// Attributes, in the order of the text.
    pub attributes: Vec<XmlAttribute>,
    /// The elements in it, in the order of the text.
    pub children: Vec<Element>,
    /// The text in it, without that of its children, and where it begins.
    pub text: Option<(usize, String)>,
}

/// Mistakes of a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Message, in one line without a full stop.
    pub message: String,
    /// Place of the mistake.
    pub at: Span,
}

/// An attribute.
#[derive(Clone, Debug)]
pub struct XmlAttribute {
    /// Name.
    pub name: String,
    /// Span of its name.
    pub at: Span,
    /// Value, without escapes.
    pub value: String,
    /// Span of its value, without the quotes.
    pub value_at: Span,
}

impl Element {
    /// The attribute of this name.
    pub fn get(&self, name: &str) -> Option<&XmlAttribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The value of an attribute; nothing if there is none.
    pub fn value(&self, name: &str) -> &str {
        self.get(name).map_or("", |attribute| &attribute.value)
    }

    /// The place of an attribute's value, or else of the element.
    pub fn place(&self, name: &str) -> Span {
        self.get(name).map_or(self.at, |attribute| attribute.value_at)
    }

    /// The children of this name.
    pub fn children<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// A text, for the spans of its parts.
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

/// The element that the whole text is. What is wrong within it goes to `mistakes`.
///
/// # Errors
/// The mistake from which on it is unknown where elements begin and end.
pub fn parse(text: &str, source: SourceId, mistakes: &mut Mistakes<Mistake>) -> Result<Element, Mistake> {
    read(text, source, mistakes, None)
}

/// As [`parse`], but each element in the outermost one goes to `each` and is not kept, so that a
/// long text needs little memory. Text may hold references, which are passed over.
///
/// # Errors
/// As there.
pub fn parse_each(
    text: &str,
    source: SourceId,
    mistakes: &mut Mistakes<Mistake>,
    mut each: impl FnMut(Element),
) -> Result<Element, Mistake> {
    read(text, source, mistakes, Some(&mut each))
}

/// Consumer of the elements in the outermost one, if they are not kept.
type Each<'a> = Option<&'a mut dyn FnMut(Element)>;

fn read(
    text: &str,
    source: SourceId,
    mistakes: &mut Mistakes<Mistake>,
    mut each: Each<'_>,
) -> Result<Element, Mistake> {
    let mut reader = Reader::from_str(text);
    let text = Text { text, source };
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    let wrong = |message: String, at: Span| Mistake { message, at };
    loop {
        let before = reader.buffer_position();
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                let at = reader.error_position();
                return Err(wrong(format!("this is no XML: {error}"), text.at(at, at + 1)));
            }
        };
        match event {
            Event::Start(tag) | Event::Empty(tag) if root.is_some() && open.is_empty() => {
                return Err(wrong(
                    "a second element after the first has ended".to_owned(),
                    text.span(tag_name(&tag, text)),
                ));
            }
            Event::Start(tag) => {
                open.push(element(&tag, text, mistakes));
                if open.len() > DEEPEST {
                    let at = text.at(before, reader.buffer_position());
                    return Err(wrong(format!("more than {DEEPEST} elements within each other"), at));
                }
            }
            Event::Empty(tag) => {
                let element = element(&tag, text, mistakes);
                close(element, &mut open, &mut root, &mut each);
            }
            Event::End(_) => {
                if let Some(element) = open.pop() {
                    close(element, &mut open, &mut root, &mut each);
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
                        return Err(wrong("text outside of all elements".to_owned(), at));
                    }
                }
            }
            Event::GeneralRef(_) if each.is_none() => {
                let at = text.at(before, reader.buffer_position());
                mistakes.push(wrong("a reference in text means nothing here".to_owned(), at));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let end = text.text.len() as u64;
    if let Some(element) = open.pop() {
        let what = format!("`<{}>` is not closed", element.name);
        return Err(wrong(what, element.at));
    }
    root.ok_or_else(|| wrong("the file has no elements".to_owned(), text.at(end, end)))
}

fn close(element: Element, open: &mut [Element], root: &mut Option<Element>, each: &mut Each<'_>) {
    match (open, each) {
        ([_], Some(each)) => each(element),
        ([.., parent], _) => parent.children.push(element),
        ([], _) => *root = Some(element),
    }
}

/// The name of a tag as it stands in the text.
fn tag_name<'a>(tag: &BytesStart<'a>, text: Text<'a>) -> &'a str {
    let name = tag.name();
    let at = text.span(name.as_ref()).range();
    text.text.get(at).unwrap_or("")
}

fn element(tag: &BytesStart<'_>, text: Text<'_>, mistakes: &mut Mistakes<Mistake>) -> Element {
    let name = tag.name();
    let at = text.span(name.as_ref());
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = match attribute {
            Ok(attribute) => attribute,
            Err(error) => {
                mistakes.push(Mistake { message: format!("this tag is no XML: {error}"), at });
                continue;
            }
        };
        let value_at = text.span(&attribute.value);
        let value = match unescape(&attribute.value) {
            Ok(value) => value.into_owned(),
            Err(error) => {
                let message = format!("this value is no XML: {error}");
                mistakes.push(Mistake { message, at: value_at });
                attribute.value.to_string()
            }
        };
        let key = attribute.key.as_ref();
        attributes.push(XmlAttribute { name: key.to_owned(), at: text.span(key), value, value_at });
    }
    Element { name: name.as_ref().to_owned(), at, attributes, children: Vec::new(), text: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;

    fn read(text: &str) -> (Option<Element>, Vec<(String, std::ops::Range<usize>)>) {
        let source = Sources::new("").add("a.xml", "", "");
        let mut mistakes = Mistakes::new();
        let root = parse(text, source, &mut mistakes).map_err(|broken| mistakes.push(broken)).ok();
        let (kept, _) = mistakes.map(|mistake| (mistake.message, mistake.at.range())).into_parts();
        (root, kept)
    }

    #[test]
    fn elements_and_attributes_have_their_places() {
        let text = "\n<?xml version='1.0'?>\n<!-- a --><a b=\"1 &lt; 2\"> t <c/><c d='e'/></a>";
        let (root, mistakes) = read(text);
        let root = root.expect("an element");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert_eq!((&*root.name, &text[root.at.range()], root.value("b")), ("a", "a", "1 < 2"));
        assert_eq!(&text[root.place("b").range()], "1 &lt; 2");
        assert_eq!(root.children("c").map(|c| c.value("d")).collect::<Vec<_>>(), ["", "e"]);
        assert_eq!(root.text.map(|(at, words)| (&text[at..at + 3], words)), Some((" t ", " t ".to_owned())));
    }

    #[test]
    fn elements_may_be_handed_over_one_by_one() {
        let text = "<a n='1'><b><c/></b>&lt;<d/></a>";
        let source = Sources::new("").add("a.xml", "", "");
        let (mut mistakes, mut seen) = (Mistakes::new(), Vec::new());
        let root = parse_each(text, source, &mut mistakes, |element| {
            seen.push((element.name, element.children.len()));
        });
        let root = root.expect("an element");
        assert_eq!((root.value("n"), root.children.len(), mistakes.count()), ("1", 0, 0));
        assert_eq!(seen, [("b".to_owned(), 1), ("d".to_owned(), 0)]);
    }

    #[test]
    fn what_is_no_xml_is_reported_at_its_place() {
        let problems = |text: &str| read(text).1;
        assert_eq!(problems("<a><b></a>")[0].1, 6..7);
        assert_eq!(problems("<a>"), [("`<a>` is not closed".to_owned(), 1..2)]);
        assert_eq!(problems("<a/><b/>"), [("a second element after the first has ended".to_owned(), 5..6)]);
        assert_eq!(problems("<a>&x;</a>"), [("a reference in text means nothing here".to_owned(), 3..6)]);
        assert_eq!(problems(" "), [("the file has no elements".to_owned(), 1..1)]);
        assert!(problems(&"<a>".repeat(DEEPEST + 1))[0].0.starts_with("more than 64 elements"));
    }
}
