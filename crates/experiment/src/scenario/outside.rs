//! Complaints about files outside the folder of a scenario: they say where a mistake is, and quote
//! nothing.
//!
//! A scenario of a stranger may name any file of the machine. What stands there is not shown to
//! whoever sees the messages of a run.

use std::path::Path;

use crate::registry::{Complaint, Excerpt, Sources, Span, code};
use crate::text::is_outside;

/// Longest part of a scenario in which names of files are looked for \[bytes\].
const LOOKED_AT: usize = 10_000;

/// The complaint without what it quotes of a file outside the folder.
pub(super) fn unquoted(sources: &Sources, complaint: Complaint) -> Complaint {
    let Some(place) = outside(sources, &complaint) else { return complaint };
    let message = format!("{}: {place}", complaint.code.title);
    let within = complaint.span.filter(|span| !is_text_outside(sources, *span));
    Complaint { span: within, ..Complaint::nowhere(complaint.code, message) }
        .label(if within.is_some() { "named here" } else { "" })
        .help("what stands there is not quoted, as the file is outside the folder of the scenario")
}

/// The place in a file outside the folder that a complaint is about, if it is about one.
fn outside(sources: &Sources, complaint: &Complaint) -> Option<String> {
    // what the command line names is the user's own
    complaint.span.filter(|span| Path::new(sources.name(span.source)).exists())?;
    if let Some(Excerpt { file, line, .. }) = complaint.excerpt.as_deref() {
        let named = complaint.span.map_or_else(|| file.into(), |span| sources.from_root(span.source, file));
        let is_outside = is_file_outside(sources, &named) || is_file_outside(sources, Path::new(file));
        let is_outside = is_outside || named_at(sources, complaint).is_some();
        return is_outside.then(|| format!("line {line} of `{file}`"));
    }
    if let Some(span) = complaint.span.filter(|span| is_text_outside(sources, *span)) {
        return Some(format!("line {} of `{}`", sources.place(span).0, sources.name(span.source)));
    }
    // that a file cannot be read or included quotes nothing of it
    let quotes = ![code::FILE, code::INCLUDE].contains(&complaint.code);
    let named = named_at(sources, complaint).filter(|_| quotes)?;
    Some(format!("`{named}`"))
}

fn is_file_outside(sources: &Sources, file: &Path) -> bool {
    is_outside(sources.root(), &sources.root().join(file))
}

/// Returns true if a span points into an included text that is outside the folder.
fn is_text_outside(sources: &Sources, span: Span) -> bool {
    // the main text is the user's choice, wherever it is
    !span.source.is_first() && is_outside(sources.root(), Path::new(sources.name(span.source)))
}

/// The first file outside the folder that is named in the part of the scenario that a complaint
/// points to.
fn named_at<'a>(sources: &'a Sources, complaint: &Complaint) -> Option<&'a str> {
    let span = complaint.span?;
    let part = sources.text(span.source).get(span.range()).filter(|part| part.len() < LOOKED_AT)?;
    let mut words = part.split(['"', '\'', '\n']).filter(|word| !word.is_empty());
    words.find(|word| is_file_outside(sources, &sources.from_root(span.source, word)))
}
