//! Position of a byte of a stream: the stream is read again, as its text was not kept.

use std::io::{Read, Seek};

use crate::text::{Broken, Place, Unpacked};

/// The place of byte `at` of a text, plain or packed. Of a long line its surroundings are shown.
///
/// # Errors
/// The stream cannot be read again: it is a pipe, or has changed.
pub fn place(input: impl Read + Seek, at: u64, width: usize) -> Result<Place, Broken> {
    let found = Surroundings::read(input, at)?;
    let far = found.column > Place::SHOWN / 2;
    let cut = if far { found.before.len().saturating_sub(Place::SHOWN / 4) } else { 0 };
    let from = found.column - (found.before.len() - cut);
    let width = width.min(found.after.len());
    let text = [&found.before[cut..], &found.after].concat();
    Ok(Place::within(found.line, &text, from, (found.column, width)))
}

/// Surroundings of a byte of a text, in its line.
#[derive(Default)]
struct Surroundings {
    /// The line, from 1.
    line: u64,
    /// Bytes of the line before it.
    column: usize,
    /// The last of these bytes, as many as are shown.
    before: Vec<u8>,
    /// The byte itself and the next ones, as many as are shown.
    after: Vec<u8>,
}

impl Surroundings {
    fn read(mut input: impl Read + Seek, at: u64) -> Result<Self, Broken> {
        input.rewind().map_err(|error| Broken::Io(error.to_string()))?;
        let mut input = Unpacked::new(input)?;
        let mut found = Surroundings { line: 1, ..Surroundings::default() };
        let mut block = vec![0; 1 << 16];
        let mut from = 0;
        loop {
            let count = input.read(&mut block)?;
            for (&byte, place) in block[..count].iter().zip(from..) {
                match byte {
                    b'\n' if place >= at => return Ok(found),
                    b'\n' => {
                        found.line += 1;
                        found.column = 0;
                        found.before.clear();
                    }
                    _ if place < at => {
                        found.column += 1;
                        found.before.push(byte);
                    }
                    _ => found.after.push(byte),
                }
            }
            // of a line without end only the surroundings are kept
            let extra = found.before.len().saturating_sub(Place::SHOWN);
            found.before.drain(..extra);
            if count == 0 || found.after.len() >= Place::SHOWN {
                return Ok(found);
            }
            from += count as u64;
        }
    }
}
