//! Characters that a terminal acts on, or that change or hide what stands around them, made
//! visible.
//!
//! These are control characters, marks of writing direction, and characters of no width. Titles,
//! names and quoted input may hold them: an escape sequence in a title could clear the screen, and
//! a direction mark could show `a` for `b`. What goes to a terminal shows them as TOML and JSON
//! write them: `\u001B`. Files keep the true text.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns true if a terminal does not show this character as a mark or a blank of its own.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Text of several lines for a terminal: every hidden character but tabs and line ends is escaped.
pub fn escaped(text: &str) -> Cow<'_, str> {
    escape(text, |letter| is_hidden(letter) && !matches!(letter, '\n' | '\t'), in_toml)
}

/// A name or a value for a terminal: as [`escaped`], and it stays in its line.
pub fn in_one_line(text: &str) -> Cow<'_, str> {
    escape(text, is_hidden, in_toml)
}

/// A JSON document for a terminal: as [`escaped`], by escapes of JSON, so that it holds the same
/// values.
pub fn escaped_json(text: &str) -> Cow<'_, str> {
    escape(text, |letter| is_hidden(letter) && !matches!(letter, '\n' | '\t'), in_json)
}

/// A text as the content of an element of HTML or SVG: as [`in_one_line`], and it is no markup.
pub fn in_markup(text: &str) -> String {
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

/// A line of a source with one visible character for each hidden one, so that columns stay what
/// they are; tabs stay.
pub fn pictured(text: &str) -> Cow<'_, str> {
    escape(
        text,
        |letter| is_hidden(letter) && !matches!(letter, '\n' | '\t' | '\r'),
        |letter, out| {
            let picture = match letter {
                '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(letter)),
                '\x7f' => Some('\u{2421}'),
                _ => None,
            };
            out.push(picture.unwrap_or(char::REPLACEMENT_CHARACTER));
        },
    )
}

fn escape(text: &str, hidden: impl Fn(char) -> bool, write: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let Some(first) = text.find(&hidden) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for letter in text[first..].chars() {
        if hidden(letter) { write(letter, &mut out) } else { out.push(letter) }
    }
    Cow::Owned(out)
}

/// Appends a character as a basic string of TOML escapes it.
pub fn in_toml(letter: char, out: &mut String) {
    let code = u32::from(letter);
    // writing into a String cannot fail
    let _ = match letter {
        '\n' => out.write_str("\\n"),
        '\t' => out.write_str("\\t"),
        '\r' => out.write_str("\\r"),
        _ if code > 0xffff => write!(out, "\\U{code:08X}"),
        _ => write!(out, "\\u{code:04X}"),
    };
}

fn in_json(letter: char, out: &mut String) {
    for unit in letter.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04X}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_escaped_and_other_text_is_not() {
        for plain in ["a b", "ä, ß, 漢字, 😀", "nbsp\u{a0}", "`a`\n\tb"] {
            assert!(matches!(escaped(plain), Cow::Borrowed(_)), "{plain}");
        }
        assert_eq!(escaped("\x1b[2J a\r\n\u{202e}b\u{9b}"), "\\u001B[2J a\\r\n\\u202Eb\\u009B");
        assert_eq!(in_one_line("a\nb\tc\u{e0001}\u{200b}"), "a\\nb\\tc\\U000E0001\\u200B");
        assert_eq!(pictured("a\x1b\tb\u{202e}"), "a\u{241b}\tb\u{fffd}");
    }

    #[test]
    fn an_escaped_document_holds_the_same_values() {
        let value = serde_json::json!({ "a\u{202e}": "\u{e0001}\x1b\u{7f}\n" });
        let text = serde_json::to_string_pretty(&value).expect("a value");
        let shown = escaped_json(&text);
        assert!(!shown.chars().any(|letter| is_hidden(letter) && letter != '\n'), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("JSON"), value);
    }
}
