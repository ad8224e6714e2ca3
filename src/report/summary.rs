//! `summary.json`, and what `--json` prints: the figures of a run as one object.
//!
//! `{"schema": "clustersim/run-summary/1", "title", "seed", "digest", "events", "metrics": {NAME: {"value",
//! "unit"}}}`. Within a version of the schema members are only added. Times are in seconds; a metric without
//! observations is null. Real numbers are written with the fewest digits that read back the same.

use serde_json::{Map, Value as Json, json};

use crate::scenario::{Finished, Scenario};

/// The summary of a run.
pub fn summary(scenario: &Scenario, finished: &Finished) -> Json {
    let metrics: Map<String, Json> =
        finished.metrics.iter().map(|metric| (metric.name.clone(), json!(metric))).collect();
    json!({
        "schema": "clustersim/run-summary/1",
        "title": scenario.title,
        "seed": scenario.seed,
        "digest": finished.outcomes.digest.to_string(),
        "events": finished.outcomes.events,
        "metrics": metrics,
    })
}

/// The bytes of a JSON document on disk: indented, with a line end.
pub fn document(json: &Json) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(json).expect("a JSON value is always JSON");
    bytes.push(b'\n');
    bytes
}
