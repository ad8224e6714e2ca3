//! Lines and columns of bytes of a stream, which is read again: its text is not held.

use std::io::{Read, Seek};

use crate::text::position::begins_letter;
use crate::text::{Broken, Place, Unpacked};

/// The place of byte `at` of a text, plain or packed.
///
/// # Errors
/// The stream cannot be read again: it is a pipe, or has changed.
pub fn place(input: impl Read + Seek, at: u64, width: usize) -> Result<Place, Broken> {
    let mut found = places(input, &[(at, width)])?;
    Ok(found.swap_remove(0))
}

/// The places of several bytes of a text, in the order of `wanted`: offset and width of each. The
/// text is read once.
///
/// # Errors
/// As [`place`].
pub fn places(input: impl Read + Seek, wanted: &[(u64, usize)]) -> Result<Vec<Place>, Broken> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&own| wanted[own].0);
    let sorted: Vec<u64> = order.iter().map(|&own| wanted[own].0).collect();
    let mut all = vec![None; wanted.len()];
    for (found, own) in surroundings(input, &sorted)?.into_iter().zip(order) {
        all[own] = Some(found.place(wanted[own].1));
    }
    Ok(all.into_iter().flatten().collect())
}

/// Surroundings of a byte of a text, in its line.
#[derive(Clone, Default)]
struct Surroundings {
    /// The line, from 1.
    line: u64,
    /// Bytes and letters of the line before it.
    column: usize,
    letters: usize,
    /// Last bytes of the line before it, at most [`Place::SHOWN`].
    before: Vec<u8>,
    /// The byte and the next ones of the line, at most [`Place::SHOWN`].
    after: Vec<u8>,
}

impl Surroundings {
    /// The place of `width` bytes from this byte on.
    fn place(&self, width: usize) -> Place {
        let letters = self.letters - letters(&self.before);
        let from = (self.column - self.before.len(), letters);
        let width = width.min(self.after.len());
        let text = [&self.before[..], &self.after].concat();
        Place::within(self.line, &text, from, (self.column, width))
    }
}

/// The number of letters that begin in bytes.
fn letters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| begins_letter(byte)).count()
}

/// The surroundings of the bytes at `wanted`, which are in order.
fn surroundings(mut input: impl Read + Seek, wanted: &[u64]) -> Result<Vec<Surroundings>, Broken> {
    input.rewind().map_err(|error| Broken::Io(error.to_string()))?;
    let mut input = Unpacked::new(input)?;
    // the line so far
    let mut here = Surroundings { line: 1, ..Surroundings::default() };
    let mut found: Vec<Surroundings> = Vec::new();
    // the first of them whose line goes on
    let mut open = 0;
    let mut block = vec![0; 1 << 16];
    let mut from = 0;
    loop {
        let count = input.read(&mut block)?;
        for (&byte, at) in block[..count].iter().zip(from..) {
            while wanted.get(found.len()).is_some_and(|&wanted| wanted <= at) {
                let before = here.before[here.before.len().saturating_sub(Place::SHOWN)..].to_vec();
                found.push(Surroundings { before, after: Vec::new(), ..here });
            }
            if byte == b'\n' {
                here.line += 1;
                (here.column, here.letters) = (0, 0);
                here.before.clear();
                open = found.len();
            } else {
                here.column += 1;
                here.letters += usize::from(begins_letter(byte));
                here.before.push(byte);
                found[open..].iter_mut().for_each(|one| one.after.push(byte));
                let is_whole = |one: &Surroundings| one.after.len() >= Place::SHOWN;
                open += usize::from(found.get(open).is_some_and(is_whole));
            }
        }
        // of a line without end only the surroundings are kept
        let extra = here.before.len().saturating_sub(Place::SHOWN);
        here.before.drain(..extra);
        let is_all = found.len() == wanted.len() && open == found.len();
        if count == 0 || is_all {
            found.resize(wanted.len(), here);
            return Ok(found);
        }
        from += count as u64;
    }
}
