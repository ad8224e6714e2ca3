//! Answers of a peer: how a line is read as it comes, key by key, each once.
//!
//! An answer is a JSON object with the keys that the question asks for, and no others. Instead of
//! any of them a peer may write `{"error":"…"}`, which ends the run with these words.

use crate::dialogue::in_short;
use crate::text::json::{Mistake, ObjectKey, Reader};

/// A value, or the mistake in its place in the line.
pub type ReadAnswer<T> = Result<T, Mistake>;

/// Reads the object that a line is; `each` reads the value of a key, or says that it does not know
/// the key.
///
/// # Errors
/// Something is wrong with the line, or it is a refusal.
pub fn object(
    line: &str,
    mut each: impl FnMut(&mut Reader<'_>, &str) -> ReadAnswer<bool>,
) -> Result<(), String> {
    let mut reader = Reader::of_line(line);
    let mut refusal = None;
    let read = members(&mut reader, &mut |reader, key| {
        if key == "error" {
            refusal = Some(reader.string()?);
            return Ok(true);
        }
        each(reader, key)
    });
    read.and_then(|()| reader.finish()).map_err(|mistake| at_byte(&mistake))?;
    refusal.map_or(Ok(()), |words| Err(format!("the program says: {}", in_short(&words))))
}

fn at_byte(mistake: &Mistake) -> String {
    format!("byte {}: {}", mistake.at + 1, mistake.sentence())
}

/// Reads an object whose keys are known, none twice.
///
/// # Errors
/// Another key, or a value that cannot be read.
pub fn members(
    reader: &mut Reader<'_>,
    each: &mut dyn FnMut(&mut Reader<'_>, &str) -> ReadAnswer<bool>,
) -> ReadAnswer<()> {
    let mut seen: Vec<String> = Vec::new();
    reader.object(|reader, ObjectKey { name, at, width }| {
        let shown = in_short(&name);
        if seen.contains(&name) {
            return Err(Mistake::new(at, width, format!("the key `{shown}` is there twice")));
        }
        if !each(reader, &name)? {
            return Err(Mistake::new(at, width, format!("the key `{shown}` is not known here")));
        }
        seen.push(name);
        Ok(())
    })
}

/// Reads a number between two others.
///
/// # Errors
/// The next value is none.
pub fn number(reader: &mut Reader<'_>, least: f64, most: f64) -> ReadAnswer<f64> {
    let at = reader.place();
    let text = reader.number()?;
    let value = text.parse::<f64>().unwrap_or(f64::NAN);
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    let expected = if least > 0.0 {
        format!("a number above 0 of at most {most:e}")
    } else {
        format!("a number from 0 to {most:e}")
    };
    Err(Mistake { expected, ..Mistake::new(at, text.len(), format!("{} is out of range", in_short(&text))) })
}

/// Reads a whole number from 0.
///
/// # Errors
/// The next value is none.
pub fn count(reader: &mut Reader<'_>) -> ReadAnswer<u64> {
    let at = reader.place();
    let text = reader.number()?;
    let wrong = || Mistake::new(at, text.len(), format!("{} is no count", in_short(&text)));
    text.parse().map_err(|_| wrong())
}

/// Reads true or false.
///
/// # Errors
/// The next value is neither.
pub fn flag(reader: &mut Reader<'_>) -> ReadAnswer<bool> {
    let at = reader.place();
    let word = reader.word()?;
    word.ok_or_else(|| Mistake::new(at, 4, "null is neither true nor false"))
}

/// Puts a value where none was; the key is known.
///
/// # Errors
/// The value could not be read.
pub fn put<T>(into: &mut Option<T>, value: ReadAnswer<T>) -> ReadAnswer<bool> {
    *into = Some(value?);
    Ok(true)
}

/// The value of a key that an answer must have.
///
/// # Errors
/// The key was not there.
pub fn given<T>(value: Option<T>, key: &str) -> Result<T, String> {
    value.ok_or_else(|| format!("`{key}` is missing"))
}

/// Reads an answer that says nothing else.
///
/// # Errors
/// Something is wrong with the line.
pub fn done(line: &str) -> Result<(), String> {
    let mut ok = None;
    object(line, |reader, key| if key == "ok" { put(&mut ok, flag(reader)) } else { Ok(false) })?;
    is_ok(ok)
}

/// Requires the key `ok`, which must be true.
///
/// # Errors
/// It is missing or false.
pub fn is_ok(ok: Option<bool>) -> Result<(), String> {
    if given(ok, "ok")? { Ok(()) } else { Err("`ok` is false".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_of_an_answer_is_known_and_there_once() {
        let read = |line: &str| {
            let (mut share, mut tasks) = (None, None);
            object(line, |reader, key| match key {
                "share" => put(&mut share, number(reader, 0.0, 1.0)),
                "tasks" => put(&mut tasks, count(reader)),
                _ => Ok(false),
            })?;
            Ok((given(share, "share")?, given(tasks, "tasks")?))
        };
        assert_eq!(read(r#" {"tasks":3,"share":0.5} "#), Ok((0.5, 3)));
        for (line, expected) in [
            (r#"{"share":1}"#, "`tasks` is missing"),
            (r#"{"tasks":1,"tasks":1}"#, "byte 12: the key `tasks` is there twice"),
            (r#"{"tasks":1.5}"#, "byte 10: 1.5 is no count"),
            (r#"{"tasks":1,"hosts":2}"#, "byte 12: the key `hosts` is not known here"),
            (r#"{"share":2}"#, "byte 10: 2 is out of range, a number from 0 to 1e0 should stand here"),
            (r#"{"tasks":1,"error":"no\nroom"}"#, "the program says: no\\nroom"),
        ] {
            assert_eq!(read(line), Err::<(f64, u64), String>(expected.to_owned()), "{line}");
        }
        assert_eq!(done(r#"{"ok":true}"#), Ok(()));
        assert_eq!(done(r#"{"ok":false}"#), Err("`ok` is false".to_owned()));
        assert_eq!(done("{}"), Err("`ok` is missing".to_owned()));
    }

    #[test]
    fn long_words_are_cut() {
        assert_eq!(in_short("a\tb"), "a\\tb");
        assert_eq!(in_short(&"é".repeat(302)), format!("{}… and 4 more bytes", "é".repeat(300)));
    }
}
