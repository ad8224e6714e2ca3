//! The page that holds everything: style, data and script in one file.
//!
//! A title may hold any text, and so may the names in the data: markup is escaped in the one, and
//! in the other every `<` is written as `\u003c`, so that no text ends the script element it stands
//! in. Neither shows a hidden character but by its escape.

use std::io::{self, Write};

use serde::Serialize as _;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};
use serde_json::{Serializer, Value as Json};

use crate::output::directory::UNFINISHED_PAGE;
use crate::text::{escaped, in_markup};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const DRAW: &str = include_str!("draw.js");

/// The page of this title, with the data and the script that draws them.
pub(crate) fn page(title: &str, data: &Json, script: &str) -> Vec<u8> {
    page_of("", title, data, script)
}

/// The page of a study that is not over, marked as that.
pub(super) fn unfinished_page(title: &str, data: &Json, script: &str) -> Vec<u8> {
    page_of(UNFINISHED_PAGE, title, data, script)
}

fn page_of(state: &str, title: &str, data: &Json, script: &str) -> Vec<u8> {
    let title = in_markup(title);
    let mut bytes = Vec::with_capacity(PAGE.len() + STYLE.len() + DRAW.len() + script.len() + 256);
    let mut rest = PAGE;
    // pieces are put in one after another: what a piece holds is never looked at again
    while let Some(begin) = rest.find('@') {
        bytes.extend_from_slice(&rest.as_bytes()[..begin]);
        let after = &rest[begin + 1..];
        let end = after.find('@').expect("the page's marks come in pairs");
        match &after[..end] {
            "STATE" => bytes.extend_from_slice(state.as_bytes()),
            "TITLE" => bytes.extend_from_slice(title.as_bytes()),
            "STYLE" => bytes.extend_from_slice(STYLE.as_bytes()),
            "DATA" => {
                let mut serializer = Serializer::with_formatter(&mut bytes, InScript);
                data.serialize(&mut serializer).expect("memory takes all");
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

/// Data as the content of a script element: a text shows its hidden characters by their escapes, as
/// everywhere, and ends no element. Outside of texts JSON has none of the characters that are
/// escaped.
struct InScript;

impl Formatter for InScript {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~') & !matches!(byte, b'<' | b'>' | b'&');
        // all bytes are looked at together, which is faster than to stop at the first that is not
        // plain
        if fragment.bytes().fold(true, |all, byte| all & is_plain(byte)) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut safe = String::with_capacity(fragment.len() + 16);
        for letter in escaped(fragment).chars() {
            match letter {
                '<' => safe.push_str("\\u003c"),
                '>' => safe.push_str("\\u003e"),
                '&' => safe.push_str("\\u0026"),
                // of an escape: a fragment itself has none
                '\\' => safe.push_str("\\\\"),
                letter => safe.push(letter),
            }
        }
        writer.write_all(safe.as_bytes())
    }

    fn write_char_escape<W: Write + ?Sized>(&mut self, writer: &mut W, letter: CharEscape) -> io::Result<()> {
        let control = match letter {
            CharEscape::AsciiControl(byte) => byte,
            CharEscape::Backspace => 0x08,
            CharEscape::FormFeed => 0x0c,
            CharEscape::CarriageReturn => b'\r',
            plain => return CompactFormatter.write_char_escape(writer, plain),
        };
        self.write_string_fragment(writer, char::from(control).encode_utf8(&mut [0; 4]))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::text::is_hidden;

    #[test]
    fn no_text_leaves_its_place() {
        let evil = "</script><!--<script>@DATA@ & \"x\" 'y' \\ \n";
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
    fn hidden_characters_are_seen_in_the_data() {
        let data = json!({ "a\u{202e}": ["\u{e0001}\x1b[2J\r\x08\x7f\u{2028}", "\n\tä \\ 漢\\n"] });
        let text = String::from_utf8(page("t", &data, "")).expect("text");
        assert!(!text.chars().any(|letter| is_hidden(letter) && letter != '\n'), "{text}");
        let begin = text.find("id=\"data\">").expect("the data") + 10;
        let read: Json =
            serde_json::from_str(text[begin..].split("</script>").next().expect("all")).expect("JSON");
        let shown =
            json!({ "a\\u202E": ["\\U000E0001\\u001B[2J\\r\\u0008\\u007F\\u2028", "\n\tä \\ 漢\\n"] });
        assert_eq!(read, shown);
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
