//! The text of a file of SimGrid, as it is or compressed by gzip.

use std::path::Path;

use crate::registry::{Complaint, Complaints, SourceId, Sources, code};
use crate::text::xml::{self, Element};
use crate::text::{LONGEST_TEXT, Mistakes, Unreadable, read_file};

/// Adds the text of a file, which may be compressed by gzip, to `sources`; its path is relative to
/// their root.
///
/// # Errors
/// It cannot be read, is no text, or is larger than 256 MiB.
pub fn add(path: &Path, sources: &mut Sources) -> Result<SourceId, Complaint> {
    let name = path.to_string_lossy().into_owned();
    let wrong = |code, why: &str| Complaint::nowhere(code, format!("cannot read `{name}`: {why}"));
    let whole = sources.root().join(path);
    let text = read_file(&whole, LONGEST_TEXT).map_err(|why| {
        let code = match why {
            Unreadable::Damaged(_) => code::COMPRESSED,
            Unreadable::NotText(_) => code::PLATFORM,
            Unreadable::Io(_) | Unreadable::Long(_) => code::FILE,
        };
        wrong(code, &why.to_string())
    })?;
    let base = path.parent().unwrap_or(Path::new(""));
    Ok(sources.add(name.clone(), text, base))
}

/// The element that a text is. What is wrong with it as XML goes to `complaints`.
pub(super) fn root(text: &str, source: SourceId, complaints: &mut Complaints) -> Option<Element> {
    let mut mistakes = Mistakes::new();
    let root = xml::parse(text, source, &mut mistakes);
    let complaint = |mistake: xml::Mistake| Complaint::new(code::PLATFORM, mistake.message, mistake.at);
    complaints.append(mistakes.map(complaint));
    root.map_err(|broken| complaints.push(complaint(broken))).ok()
}
