//! The report of a study: its summary, drawn. The page shows `study.json` and nothing else; the
//! values of single replications are not in it.

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::report::html::page::{page, unfinished_page};

const SCRIPT: &str =
    concat!(include_str!("profile.js"), include_str!("study_figures.js"), include_str!("study.js"));

/// The shape this page is drawn from.
const SCHEMA: &str = "clustersim/study-summary/1";

/// The page of a study, from its `study.json`, with or without the values of single replications.
///
/// # Errors
/// The document is of another schema, or a part that is drawn is not there.
pub fn draw(summary: Json) -> Result<Vec<u8>, String> {
    let (title, data) = drawable(summary)?;
    Ok(page(&title, &data, SCRIPT))
}

/// Progress of a study whose runs are being made, and the question to it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Unfinished {
    /// Runs that are over.
    pub done: u64,
    /// Runs that are known to be wanted, over or not.
    pub wanted: u64,
    /// Runs that failed.
    pub failed: u64,
    /// The time left, for people; `None` if it is not known.
    pub left: Option<String>,
    /// The axis that will be compared.
    pub axis: Option<usize>,
    /// The metrics that are asked for.
    pub asked: Vec<String>,
}

/// The page of a study while its runs are made, which a browser reads again until the last one:
/// points and intervals of `summary`, and no verdict.
///
/// # Errors
/// As those of [`draw`].
pub fn draw_unfinished(summary: Json, state: &Unfinished) -> Result<Vec<u8>, String> {
    let (title, mut data) = drawable(summary)?;
    data["unfinished"] = json!(state);
    Ok(unfinished_page(&title, &data, SCRIPT))
}

/// The title of a summary and the parts of it that are drawn.
fn drawable(mut summary: Json) -> Result<(String, Json), String> {
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
    Ok((title, summary))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::directory::UNFINISHED_PAGE;
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
    fn a_study_that_runs_is_marked_and_says_how_far_it_is() {
        let study = || json!({ "schema": SCHEMA, "title": "t", "axes": [], "metrics": [], "points": [] });
        let left = Some("3 min".to_owned());
        let state =
            Unfinished { done: 37, wanted: 48, left, asked: vec!["m".to_owned()], ..Unfinished::default() };
        let text = String::from_utf8(draw_unfinished(study(), &state).expect("drawn")).expect("text");
        let state =
            r#""unfinished":{"done":37,"wanted":48,"failed":0,"left":"3 min","axis":null,"asked":["m"]}"#;
        assert!(text.contains(state), "{text}");
        let head = &text[..text.find("<title>").expect("a title")];
        assert!(head.contains(UNFINISHED_PAGE) && head.len() < 600);
        let text = String::from_utf8(draw(study()).expect("drawn")).expect("text");
        assert!(!text.contains(UNFINISHED_PAGE) && !text.contains("\"unfinished\":"));
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
