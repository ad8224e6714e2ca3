//! `results.csv` and the manifest of a study.
//!
//! A row a run, sorted by point and replication: `point,replication`, the varied keys, `state,digest,events,warm-up`, the
//! metrics, those of classes (`class.NAME.METRIC`, if there are several) last, `error`. Where replications randomize a log, the first
//! row of a point is the run of the log as recorded: its replication is empty and its state `recorded`. Elsewhere an empty field means
//! that nothing was observed. Times are in seconds; real numbers have the fewest
//! digits that read back the same.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::report::hash;
use crate::report::manifest::Identity;
use crate::scenario::Study;
use crate::study::plan;
use crate::study::question::Question;
use crate::study::row::{RECORDED, Row, State, metrics};

/// The version of the manifest's shape.
pub const SCHEMA: &str = "clustersim/study-manifest/1";
/// Where the question stands in it.
const QUESTION: &str = "question";

/// The bytes of `results.csv`; `rows` in their order.
pub fn csv(study: &Study, rows: &[Row]) -> Vec<u8> {
    let metrics = metrics(study, rows);
    let names: Vec<&str> = metrics.iter().map(|(name, _)| name.as_str()).collect();
    let mut head: Vec<String> = vec!["point".to_owned(), "replication".to_owned()];
    head.extend(study.keys().map(field));
    head.extend(["state", "digest", "events", "warm-up"].map(str::to_owned));
    head.extend(names.iter().map(|name| (*name).to_owned()));
    head.push("error".to_owned());
    let mut text = head.join(",") + "\n";
    for row in rows {
        let point = &study.points[row.point as usize];
        let replication = row.replication.map_or_else(String::new, |number| number.to_string());
        let mut fields = vec![row.point.to_string(), replication];
        fields.extend(point.settings.iter().map(|(_, value)| field(value)));
        let figure = |value: u64| if row.state == State::Done { value.to_string() } else { String::new() };
        fields.extend([state(row).to_owned(), row.digest.clone(), figure(row.events), figure(row.warm_up)]);
        fields.extend(names.iter().map(|name| row.metric(name).map_or_else(String::new, number)));
        fields.push(row.error.as_deref().map_or_else(String::new, field));
        // writing into a String cannot fail
        let _ = writeln!(text, "{}", fields.join(","));
    }
    text.into_bytes()
}

/// How a run ended: `done` and `failed` of replications, `recorded` of the log as recorded, which is no replication.
pub(super) fn state(row: &Row) -> &'static str {
    match (row.state, row.replication) {
        (State::Failed, _) => "failed",
        (State::Done, Some(_)) => "done",
        (State::Done, None) => RECORDED,
    }
}

/// A number as JSON writes it, a whole one without a point.
fn number(value: f64) -> String {
    format!("{value}")
}

/// A field of a CSV file (RFC 4180).
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// The manifest without its `invocation`; a question that was asked stands in it.
pub fn manifest(
    study: &Study,
    question: &Question,
    identity: &Identity,
    rows: &[Row],
    outputs: &[(&str, String)],
) -> Json {
    let outputs: serde_json::Map<String, Json> =
        outputs.iter().map(|(name, sha256)| ((*name).to_owned(), json!(sha256))).collect();
    let digests: Vec<&str> = rows.iter().map(|row| row.digest.as_str()).collect();
    let mut manifest = json!({
        "schema": SCHEMA,
        "title": study.first().title,
        "seed": study.first().seed,
        "identity": identity.to_json(),
        "points": study.points.len(),
        "repeat": plan::repeat(&study.repeat),
        "counters": {
            "runs": rows.len(),
            "failed": rows.iter().filter(|row| row.state == State::Failed).count(),
            "events": rows.iter().map(|row| row.events).sum::<u64>(),
        },
        "digest": &hash::of_bytes(digests.join("\n").as_bytes())[..16],
        "outputs": outputs,
    });
    if !question.is_default() {
        manifest[QUESTION] = json!(question);
    }
    manifest
}

/// The question that the study of this manifest answers.
pub fn question(manifest: &Json) -> Question {
    serde_json::from_value(manifest[QUESTION].clone()).unwrap_or_default()
}
