//! Rows of a text that comes in parts.

use crate::text::{LONGEST_LINE, TextParts, Unreadable};

use super::{Mistake, Reader, Row};

/// Bytes behind the beginning of a row on which it depends, at most.
const LONGEST_ROW: usize = 2 * LONGEST_LINE + 2;

/// Reason that rows end before the end of their text.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// The text cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The text is no CSV.
    #[error("{}", .0.message)]
    Mistake(Mistake),
    /// The taker of the rows said so.
    #[error("{0}")]
    Taker(String),
}

/// Hands over row after row of a text that comes in parts, until `take` answers false. Each row is
/// what it would be if the text came whole.
///
/// # Errors
/// The text cannot be read, is no CSV, or `take` fails.
pub fn each_row(
    parts: &mut TextParts<'_>,
    take: &mut dyn FnMut(&Row<'_>) -> Result<bool, String>,
) -> Result<(), Stopped> {
    let mut line = 1;
    let mut is_more = parts.advance(0)?;
    loop {
        let text = parts.text()?;
        let (mut reader, mut row) = (Reader::of_part(text, line), Row::default());
        let used = loop {
            let left = reader.left();
            line = reader.line();
            match reader.read(&mut row) {
                Ok(true) => {
                    if !take(&row).map_err(Stopped::Taker)? {
                        return Ok(());
                    }
                }
                Ok(false) => break text.len(),
                // a quoted cell may go on in the next part
                Err(_) if is_more && left < LONGEST_ROW => break text.len() - left,
                Err(mistake) => return Err(Stopped::Mistake(mistake)),
            }
        };
        let is_open = used < text.len();
        is_more = parts.advance(used)?;
        if !is_more && !is_open {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of a text with their lines, and the mistake that ends them, of the whole text and
    /// of its parts.
    fn both(text: &str) -> [(Vec<String>, Option<Mistake>); 2] {
        let shown = |row: &Row<'_>| {
            let cells: Vec<_> = row.cells().map(|cell| cell.text().into_owned()).collect();
            format!("{} {cells:?}", row.line())
        };
        let (mut rows, mut reader, mut row) = (Vec::new(), Reader::new(text), Row::default());
        let mistake = loop {
            match reader.read(&mut row) {
                Ok(true) => rows.push(shown(&row)),
                Ok(false) => break None,
                Err(mistake) => break Some(mistake),
            }
        };
        let (mut of_parts, mut parts) = (Vec::new(), TextParts::new(text.as_bytes(), 1 << 30).expect("text"));
        let stopped = each_row(&mut parts, &mut |row| {
            of_parts.push(shown(row));
            Ok(true)
        });
        let stopped = match stopped {
            Ok(()) => None,
            Err(Stopped::Mistake(mistake)) => Some(mistake),
            Err(other) => panic!("{other:?}"),
        };
        [(rows, mistake), (of_parts, stopped)]
    }

    #[test]
    fn rows_of_parts_are_those_of_the_whole() {
        let long = |cell: &str| format!("{cell},b,{}\n", "x".repeat(99)).repeat(6_000);
        let quoted = format!("\"{}\",1\n", "in quotes, \"\"twice\"\"\n".repeat(30_000));
        let texts = [
            String::new(),
            "a,b".to_owned(),
            long("a"),
            format!("{}last,without an end", long("a")),
            // a quote within a cell opens nothing
            long("a\"b"),
            [long("a"), quoted.clone(), long("c"), quoted.clone()].concat(),
            [long("a"), "\"left open,1\n".to_owned(), long("c")].concat(),
            [long("a"), quoted, "\"closed\" and more,1\n".to_owned(), long("c")].concat(),
        ];
        for text in texts {
            let [whole, parts] = both(&text);
            assert!(whole == parts, "{} rows, {} in parts", whole.0.len(), parts.0.len());
        }
    }

    #[test]
    fn a_taker_ends_the_rows() {
        let (mut seen, mut parts) = (0, TextParts::new(&b"1\n2\n3\n"[..], 100).expect("text"));
        let mut take = |_: &Row<'_>| {
            seen += 1;
            if seen == 2 { Err("enough".to_owned()) } else { Ok(true) }
        };
        assert!(matches!(each_row(&mut parts, &mut take), Err(Stopped::Taker(why)) if why == "enough"));
        assert_eq!(seen, 2);
    }
}
