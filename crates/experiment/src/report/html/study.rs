//! The report of a study: its summary, drawn. The page shows `study.json` and nothing else; the
//! values of single replications are not in it.

use serde_json::{Value as Json, json};

use crate::report::html::page::page;

const SCRIPT: &str =
    concat!(include_str!("profile.js"), include_str!("study_figures.js"), include_str!("study.js"));

/// The shape this page is drawn from.
const SCHEMA: &str = "clustersim/study-summary/1";

/// The page of a study, from its `study.json`, with or without the values of single replications.
///
/// # Errors
/// The document is of another schema, or a part that is drawn is not there.
pub fn draw(mut summary: Json) -> Result<Vec<u8>, String> {
    if summary["schema"] != SCHEMA {
        return Err(format!("it is no summary of a study (schema {SCHEMA})"));
    }
    for part in ["axes", "metrics", "points"] {
        if !summary[part].is_array() {
            return Err(format!("`{part}` is not a list"));
        }
    }
    let figures = summary["points"].as_array_mut().into_iter().flatten();
    for figures in figures.filter_map(|point| point.get_mut("metrics")?.as_object_mut()) {
        for figures in figures.values_mut().filter_map(Json::as_object_mut) {
            figures.shift_remove("values");
        }
    }
    let title = summary["title"].as_str().unwrap_or("study").to_owned();
    summary["version"] = json!(crate::output::VERSION);
    Ok(page(&title, &summary, SCRIPT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figures::sign;

    #[test]
    fn a_study_is_drawn_and_anything_else_is_refused() {
        let study = json!({ "schema": SCHEMA, "title": "<x>", "axes": [], "metrics": [], "points": [] });
        let text = String::from_utf8(draw(study).expect("drawn")).expect("text");
        assert!(text.contains("<h1>&lt;x&gt;</h1>"));
        assert!(draw(json!({ "schema": "other" })).is_err());
        let why = draw(json!({ "schema": SCHEMA, "axes": [], "metrics": [] })).expect_err("refused");
        assert_eq!(why, "`points` is not a list");
        assert!(draw(Json::Null).is_err());
    }

    #[test]
    fn values_of_replications_are_not_in_the_page() {
        let figures = |values: Json| json!({ "n": 2, "values": values, "mean": 1.5 });
        let study = |values: Json| {
            let points = json!([{ "point": 0, "metrics": { "makespan": figures(values) } }]);
            draw(json!({ "schema": SCHEMA, "axes": [], "metrics": [], "points": points })).expect("drawn")
        };
        assert_eq!(study(json!([1.0, 2.0])), study(json!([])));
        let text = String::from_utf8(study(json!([1.0, 2.0]))).expect("text");
        assert!(text.contains(r#""makespan":{"n":2,"mean":1.5}"#));
    }

    #[test]
    fn the_page_has_the_marks_of_print_and_whole_matrices() {
        for mark in ['v', '^', '.', 'o'] {
            let key = if mark.is_alphabetic() { mark.to_string() } else { format!("'{mark}'") };
            let entry = format!("{key}: '\\u{:04x}'", u32::from(sign(mark)));
            assert!(SCRIPT.contains(&entry), "{entry}");
        }
        // on a narrow screen its cells are below each other, and none may be cut off
        assert!(SCRIPT.contains("scrolled(matrix.heading, true, whole)"));
    }
}
