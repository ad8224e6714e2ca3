//! `summary.json`, and what `--json` prints: the figures of a run as one object.
//!
//! `{"schema": "clustersim/run-summary/1", "title", "seed", "digest", "events", "metrics": {NAME:
//! {"value", "unit"}}, ...}`, and: `drew` (whether random numbers were drawn), `interval`
//! (`batch-means` where a mean has a `half-width` at 95 %, else `none`), `warm-up` (`jobs` left
//! out, `found` where MSER-5 looked for it), `warnings` and `notes` (both `[{"code", "text"}]`),
//! where something was rejected `rejections` (`[{"reason", "count"}]`, the most frequent first); at
//! detail `task` also `classes` (`{CLASS: {NAME: {"value", "unit"}}}`). Within a version of the
//! schema members are only added. Times are in seconds; a metric without observations is null. Real
//! numbers are written with the fewest digits that read back the same.

use serde_json::{Map, Value as Json, json};

use crate::measure::class::Class;
use crate::measure::metric::Metric;
use crate::scenario::{Figures, Rejected, RunDirectory, Scenario};

/// The schema of a summary.
pub const SCHEMA: &str = "clustersim/run-summary/1";

/// The summary of a finished run, which is to be `used` (a participle, for people).
///
/// # Errors
/// There is none, or it is of another schema.
pub fn read_summary(run: &RunDirectory<'_>, used: &str) -> Result<Json, Box<Rejected>> {
    let summary = run.json("summary.json")?;
    if summary["schema"] != SCHEMA || !summary["metrics"].is_object() {
        let why = format!("it is no summary of a run (schema {SCHEMA})");
        return Err(run.not_understood("summary.json", used, &why));
    }
    Ok(summary)
}

/// The summary of a run.
pub fn summary(scenario: &Scenario, figures: &Figures) -> Json {
    let metrics: Map<String, Json> =
        figures.metrics.iter().map(|metric| (metric.name.clone(), figure(metric, figures))).collect();
    let mut whole = json!({
        "schema": SCHEMA,
        "title": scenario.title,
        "seed": scenario.seed,
        "digest": figures.digest.to_string(),
        "events": figures.events,
        "drew": figures.drew,
        "interval": if figures.half_widths.is_empty() { "none" } else { "batch-means" },
        "warm-up": figures.cut.map(|cut| json!({ "jobs": cut.jobs, "found": cut.found })),
        "warnings": figures.warnings,
        "notes": figures.notes,
        "metrics": metrics,
    });
    if !figures.rejections.is_empty() {
        whole["rejections"] = json!(figures.rejections);
    }
    if !figures.classes.is_empty() {
        let class = |class: &Class| {
            let figures: Map<String, Json> =
                class.metrics.iter().map(|metric| (metric.name.clone(), json!(metric))).collect();
            (class.name.clone(), Json::Object(figures))
        };
        whole["classes"] = Json::Object(figures.classes.iter().map(class).collect());
    }
    whole
}

/// A metric with its half-width, if it has one.
fn figure(metric: &Metric, figures: &Figures) -> Json {
    let mut figure = json!(metric);
    if let Some(found) = figures.half_widths.iter().find(|found| found.metric == metric.name) {
        figure["half-width"] = json!(found.half_width);
        figure["interval"] = json!("batch-means");
    }
    figure
}
