//! The page that holds everything: style, data and script in one file.
//!
//! A title may hold any text, and so may the names in the data: markup is escaped in the one, and in the other every
//! `<` is written as `\u003c`, so that no text ends the script element it stands in.

use std::io::{self, Write};

use serde_json::Value as Json;

use crate::text::in_one_line;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const DRAW: &str = include_str!("draw.js");

/// The page of this title, with the data and the script that draws them.
pub(crate) fn page(title: &str, data: &Json, script: &str) -> Vec<u8> {
    let title = markup(title);
    let mut bytes = Vec::with_capacity(PAGE.len() + STYLE.len() + DRAW.len() + script.len() + 256);
    let mut rest = PAGE;
    // pieces are put in one after another: what a piece holds is never looked at again
    while let Some(begin) = rest.find('@') {
        bytes.extend_from_slice(&rest.as_bytes()[..begin]);
        let after = &rest[begin + 1..];
        let end = after.find('@').expect("the page's marks come in pairs");
        match &after[..end] {
            "TITLE" => bytes.extend_from_slice(title.as_bytes()),
            "STYLE" => bytes.extend_from_slice(STYLE.as_bytes()),
            "DATA" => {
                serde_json::to_writer(Script(&mut bytes), data).expect("memory takes all");
            }
            "SCRIPT" => {
                bytes.extend_from_slice(DRAW.as_bytes());
                bytes.extend_from_slice(script.as_bytes());
            }
            mark => unreachable!("the page has no mark {mark}"),
        }
        rest = &after[end + 1..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// A text as the content of an element; hidden characters are shown by their escapes.
fn markup(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in in_one_line(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter => safe.push(letter),
        }
    }
    safe
}

/// Writes a document as the content of a script element. Outside strings JSON has none of the characters that are escaped.
struct Script<'a>(&'a mut Vec<u8>);

impl Write for Script<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut rest = text;
        let marked = |byte: &u8| matches!(byte, b'<' | b'>' | b'&' | 0xe2);
        // many bytes are looked at together, which is faster than to stop at the first
        let found = |bytes: &[u8]| bytes.iter().fold(false, |found, byte| found | marked(byte));
        while let Some(part) = rest.chunks(256).position(found) {
            let at = part * 256 + rest[part * 256..].iter().position(marked).unwrap_or_default();
            let (before, from) = rest.split_at(at);
            self.0.extend_from_slice(before);
            // what is written at once are whole letters
            let (written, length): (&[u8], usize) = match from {
                [b'<', ..] => (b"\\u003c", 1),
                [b'>', ..] => (b"\\u003e", 1),
                [b'&', ..] => (b"\\u0026", 1),
                [0xe2, 0x80, 0xa8, ..] => (b"\\u2028", 3),
                [0xe2, 0x80, 0xa9, ..] => (b"\\u2029", 3),
                _ => (&from[..1], 1),
            };
            self.0.extend_from_slice(written);
            rest = &from[length..];
        }
        self.0.extend_from_slice(rest);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_text_leaves_its_place() {
        let evil = "</script><!--<script>@DATA@ & \"x\" 'y' \u{2028}";
        let data = json!({ "title": evil });
        let text = String::from_utf8(page(evil, &data, "draw();\n")).expect("text");
        assert_eq!(text.matches("</script>").count(), 2, "the page's own two");
        assert!(!text.contains("<!--"), "no comment is opened");
        let begin = text.find("id=\"data\">").expect("the data") + 10;
        let end = begin + text[begin..].find("</script>").expect("their end");
        let read: Json = serde_json::from_str(&text[begin..end]).expect("JSON");
        assert_eq!(read["title"], evil);
        assert!(
            text.contains("<h1>&lt;/script&gt;&lt;!--&lt;script&gt;@DATA@ &amp; &quot;x&quot; &#39;y&#39;")
        );
    }

    #[test]
    fn the_page_fetches_nothing() {
        let text = String::from_utf8(page("t", &json!({}), include_str!("study.js"))).expect("text");
        for word in ["src=", "url(", "@import", "fetch(", "XMLHttpRequest", "import(", "<link"] {
            assert!(!text.contains(word), "{word}");
        }
        assert_eq!(text.matches("https://").count(), 0);
    }
}
