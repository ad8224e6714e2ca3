//! From bytes to lines and columns: mistakes become complaints that show their lines.

use std::io::{Read, Seek};

use crate::registry::code::Code;
use crate::registry::{Complaint, Excerpt};
use crate::text::{Mistake, Mistakes, Place, Spot, json};

/// Mistakes in a text that is held, in order of their places.
pub fn in_text(mistakes: Mistakes<Mistake>, text: &str, file: &str, code: &'static Code) -> Vec<Complaint> {
    let bytes = text.as_bytes();
    // the line of the last mistake and where it begins
    let (mut line, mut start) = (1, 0);
    let placed = |mistake: Mistake| {
        if mistake.spot == Spot::NOWHERE {
            return complaint(mistake, None, file, code);
        }
        let at = usize::try_from(mistake.spot.at).map_or(bytes.len(), |at| at.min(bytes.len()));
        if at < start {
            (line, start) = (1, 0);
        }
        while let Some(end) = bytes[start..at].iter().position(|byte| *byte == b'\n') {
            (line, start) = (line + 1, start + end + 1);
        }
        let whole = bytes[start..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
        let place = Place::new(line, whole, at - start, mistake.spot.width as usize);
        complaint(mistake, Some(place), file, code)
    };
    mistakes.map(placed).into()
}

/// Mistakes in a text that was read as a stream: it is read again up to each.
pub fn in_stream(
    mistakes: Mistakes<Mistake>,
    mut input: impl Read + Seek,
    file: &str,
    code: &'static Code,
) -> Vec<Complaint> {
    let placed = |mistake: Mistake| {
        let spot = mistake.spot;
        let place = (spot != Spot::NOWHERE).then(|| json::place(&mut input, spot.at, spot.width as usize));
        complaint(mistake, place.and_then(Result::ok), file, code)
    };
    mistakes.map(placed).into()
}

/// A mistake at its place.
fn complaint(mistake: Mistake, place: Option<Place>, file: &str, code: &'static Code) -> Complaint {
    let complaint = match place {
        Some(place) => Complaint::nowhere(code, mistake.message).excerpt(Excerpt::at(place, file)),
        None => Complaint::nowhere(code, format!("cannot use `{file}`: {}", mistake.message)),
    };
    match mistake.help {
        Some(help) => complaint.help(help),
        None => complaint,
    }
}
