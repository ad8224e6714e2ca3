//! The text of a file of SimGrid, as it is or compressed by gzip.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::registry::code;
use crate::registry::{Complaint, SourceId, Sources, reason};

/// The longest file that is read, after decompression.
const LONGEST: u64 = 1 << 28;

/// Adds the text of a file, which may be compressed by gzip, to `sources`; its path is relative to their root.
///
/// # Errors
/// It cannot be read, is no text, or is larger than 256 MiB.
pub fn add(path: &Path, sources: &mut Sources) -> Result<SourceId, Complaint> {
    let name = path.to_string_lossy().into_owned();
    let wrong = |code, why: &str| Complaint::nowhere(code, format!("cannot read `{name}`: {why}"));
    let whole = sources.root().join(path);
    let file = File::open(&whole).map_err(|error| wrong(code::FILE, &reason(&error)))?;
    let mut bytes = Vec::new();
    let short = |reader: &mut dyn Read, bytes: &mut Vec<u8>| reader.take(LONGEST + 1).read_to_end(bytes);
    short(&mut &file, &mut bytes).map_err(|error| wrong(code::FILE, &reason(&error)))?;
    if bytes.starts_with(b"\x1f\x8b") {
        let packed = std::mem::take(&mut bytes);
        let mut reader = MultiGzDecoder::new(&packed[..]);
        short(&mut reader, &mut bytes).map_err(|error| wrong(code::COMPRESSED, &error.to_string()))?;
    }
    if bytes.len() as u64 > LONGEST {
        return Err(wrong(code::FILE, "it is larger than 256 MiB"));
    }
    let text = String::from_utf8(bytes).map_err(|_| wrong(code::PLATFORM, "it is not text in UTF-8"))?;
    let text = match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    };
    let base = path.parent().unwrap_or(Path::new(""));
    Ok(sources.add(name.clone(), text, base))
}
