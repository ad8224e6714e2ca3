//! An explanation as data: what is known of what was asked about, and span by span what held it up.
//!
//! A terminal prints it in words, `--json` as a document: `{…, "spans": [{"from", "to", …, "text",
//! …}]}`, times in seconds; both of the same declaration.

use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use super::number::{clock, grouped, lasting};
use crate::kernel::SimTime;

/// Points of a span that the text names.
const NAMED: usize = 12;

/// An explanation.
#[derive(Clone, PartialEq, Debug)]
pub struct Explanation {
    /// Subject, as the first line of the text.
    pub title: String,
    /// Facts of it, as members of the document; `spans` among them come before those of paragraphs.
    pub members: Map<String, Json>,
    /// Paragraphs, in order of time.
    pub paragraphs: Vec<Paragraph>,
}

/// A paragraph, without its full stop.
#[derive(Clone, PartialEq, Debug)]
pub struct Paragraph {
    /// Text.
    pub text: String,
    /// The span of time that it is about; the document has no others.
    pub span: Option<ExplainedSpan>,
}

/// A span of time that is explained.
#[derive(Clone, PartialEq, Debug)]
pub struct ExplainedSpan {
    /// Start.
    pub from: SimTime,
    /// End.
    pub to: SimTime,
    /// Known facts, as members of the document.
    pub members: Map<String, Json>,
    /// Name of its points in words, and as a member of the document.
    pub points_are: (&'static str, &'static str),
    /// Events in the span, each in words and as a document.
    pub points: Vec<(String, Json)>,
}

impl Explanation {
    /// As text, with its last line end.
    pub fn text(&self) -> String {
        let mut text = format!("\n{}\n", self.title);
        for Paragraph { text: said, span } in &self.paragraphs {
            // writing into a String cannot fail
            let Some(ExplainedSpan { from, to, points_are: (are, _), points, .. }) = span else {
                let _ = writeln!(text, "\n{said}.");
                continue;
            };
            let lasts = lasting(to.since(*from));
            let _ = writeln!(text, "\nfrom {} to {} ({lasts}): {said}.", clock(*from), clock(*to));
            for (point, _) in points.iter().take(NAMED) {
                let _ = writeln!(text, "  - {are} {point}");
            }
            let more = points.len().saturating_sub(NAMED);
            if more > 0 {
                let _ = writeln!(text, "  - and by {} more (--json names them all)", grouped(more as u64));
            }
        }
        text
    }

    /// As a document.
    pub fn to_json(&self) -> Json {
        let of = |Paragraph { text, span }: &Paragraph| {
            let ExplainedSpan { from, to, members, points_are: (_, are), points } = span.as_ref()?;
            let mut document = json!({ "from": from.as_secs_f64(), "to": to.as_secs_f64() });
            members.iter().for_each(|(name, value)| document[name] = value.clone());
            document["text"] = json!(text);
            document[are] = points.iter().map(|(_, point)| point.clone()).collect();
            Some(document)
        };
        let mut document = Json::Object(self.members.clone());
        let own = self.members.get("spans").and_then(Json::as_array).into_iter().flatten().cloned();
        document["spans"] = own.chain(self.paragraphs.iter().filter_map(of)).collect();
        document
    }
}
