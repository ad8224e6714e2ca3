//! Mistakes in files that a scenario names: reported where the file is named, with the line of the
//! file itself.

use crate::registry::{Complaint, Excerpt, Sources, Span};

/// Mistakes of a text of `sources` that is named at `at`.
pub fn elsewhere(sources: &Sources, complaint: Complaint, at: Span) -> Complaint {
    let Some(span) = complaint.span else { return Complaint { span: Some(at), ..complaint } };
    let (line, column) = sources.place(span);
    let text = sources.text(span.source).lines().nth(line - 1).unwrap_or("").to_owned();
    let start = text.char_indices().nth(column - 1).map_or(text.len(), |(byte, _)| byte);
    let end = (start + span.range().len()).min(text.len());
    let file = sources.name(span.source).to_owned();
    let complaint = Complaint { span: Some(at), notes: Box::default(), ..complaint };
    complaint.excerpt(Excerpt { file, line: line as u64, text, range: start..end, column: None })
}
