//! The report of a study: its summary, drawn. What the page shows is `study.json` and nothing else.

use serde_json::{Value as Json, json};

use crate::report::html::page::page;

const SCRIPT: &str = concat!(include_str!("profile.js"), include_str!("study.js"));

/// The shape this page is drawn from.
const SCHEMA: &str = "clustersim/study-summary/1";

/// The page of a study, from its `study.json`.
///
/// # Errors
/// The document is of another schema, or a part that is drawn is not there.
pub fn draw(summary: &Json) -> Result<Vec<u8>, String> {
    if summary["schema"] != SCHEMA {
        return Err(format!("it is no summary of a study (schema {SCHEMA})"));
    }
    for part in ["axes", "metrics", "points"] {
        if !summary[part].is_array() {
            return Err(format!("`{part}` is not a list"));
        }
    }
    let title = summary["title"].as_str().unwrap_or("study");
    let mut data = summary.clone();
    data["version"] = json!(crate::output::VERSION);
    Ok(page(title, &data, SCRIPT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_is_drawn_and_anything_else_is_refused() {
        let study = json!({ "schema": SCHEMA, "title": "<x>", "axes": [], "metrics": [], "points": [] });
        let text = String::from_utf8(draw(&study).expect("drawn")).expect("text");
        assert!(text.contains("<h1>&lt;x&gt;</h1>"));
        assert!(draw(&json!({ "schema": "other" })).is_err());
        let why = draw(&json!({ "schema": SCHEMA, "axes": [], "metrics": [] })).expect_err("refused");
        assert_eq!(why, "`points` is not a list");
        assert!(draw(&Json::Null).is_err());
    }
}
