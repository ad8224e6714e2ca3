//! A description as a JSON object.

use serde_json::{Map, Value as Json, json};

use crate::import::table::{ColumnSurvey, NodeGroup, SHOWN_VALUES, TableSurvey};
use crate::registry::{Problem, toml_text};
use crate::workload::swf::Log;
use crate::workload::{LogSummary, MiddleRange};

use super::Description;
use super::content::Content;
use super::expected::Expected;

const SCHEMA: &str = "clustersim/describe/1";

/// The description as an object.
pub(super) fn document(description: &Description<'_>) -> Json {
    let mut document = json!({
        "schema": SCHEMA,
        "file": description.file.display().to_string(),
        "bytes": description.bytes,
        "kind": description.about,
        "reader": description.reader,
    });
    match &description.content {
        Content::Unread => {}
        Content::Facts(facts, _) => {
            document["facts"] = facts.iter().map(|(label, value)| (label.clone(), json!(value))).collect();
        }
        Content::Log(log) => document["jobs"] = jobs(log),
        Content::Table(survey) => {
            document["rows"] = json!(survey.rows);
            document["all-columns"] = json!(survey.all_columns);
            document["columns"] = survey.columns.iter().map(column).collect();
            document["named-twice"] = json!(survey.twice);
            if let Some(Ok(groups)) = &survey.nodes {
                document["nodes"] = groups.iter().map(nodes).collect();
            }
            if survey.guess.has("header") || survey.is_of_jobs() {
                document["guess"] = guess(survey, description);
            }
            if survey.is_of_jobs() {
                read(&mut document, survey);
            }
        }
    }
    document
}

/// Adds the jobs of a table, or why it is refused.
fn read(document: &mut Json, survey: &TableSurvey) {
    match &survey.jobs {
        Ok((log, totals)) => {
            document["jobs"] = jobs(log);
            document["jobs"]["with-gpus"] = json!(totals.with_gpus);
            document["jobs"]["processor-seconds"] = json!(totals.processor_seconds);
            document["jobs"]["node-seconds"] = json!(totals.node_seconds);
            document["jobs"]["gpu-seconds"] = json!(totals.gpu_seconds);
        }
        Err(mistakes) => {
            document["refused"] = mistakes.iter().map(refused).collect();
            document["mistakes"] = json!(mistakes.count());
        }
    }
}

fn nodes(group: &NodeGroup) -> Json {
    json!({
        "nodes": group.nodes,
        "processors": group.processors,
        "gpus": group.gpus,
        "gpu-type": group.gpu_type,
        "memory-bytes": group.memory,
    })
}

fn refused(problem: &Problem) -> Json {
    let place = problem.place.as_ref();
    json!({
        "code": problem.code.id,
        "message": problem.message,
        "help": problem.help,
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.letter),
    })
}

fn column(column: &ColumnSurvey) -> Json {
    let values: Vec<&String> = column.values.iter().take(SHOWN_VALUES).collect();
    json!({
        "name": column.name,
        "type": column.kind().name(),
        "stated": column.stated,
        "unknown": column.unknown,
        "least": column.range.map(|(least, _)| least),
        "greatest": column.range.map(|(_, greatest)| greatest),
        "first-unix-s": column.times.map(|(first, _)| first),
        "last-unix-s": column.times.map(|(_, last)| last),
        "values": values,
        "more": column.has_more || column.values.len() > SHOWN_VALUES,
    })
}

fn guess(survey: &TableSurvey, description: &Description<'_>) -> Json {
    let file = toml_text(&description.file.to_string_lossy());
    let keys = survey.guess.columns.iter();
    let keys = keys.map(|own| json!({ "key": own.key, "value": own.value, "doubt": own.doubt }));
    json!({ "like": survey.guess.like, "toml": survey.guess.workload(&file, false), "keys": keys.collect::<Vec<_>>() })
}

fn middle<T: Copy>(range: MiddleRange<T>, of: impl Fn(T) -> Json) -> Json {
    json!({ "least": of(range.least), "median": of(range.median), "greatest": of(range.greatest) })
}

fn jobs(log: &Log) -> Json {
    let summary = LogSummary::of(log);
    let report = log.report.tallies().map(|(cause, tally)| {
        json!({ "cause": cause.name(), "about": cause.about(), "count": tally.count, "lines": tally.lines })
    });
    let week = |week: &_| {
        let load = summary.load(*week);
        json!({ "jobs": week.jobs, "processor-seconds": week.area as f64 / 1e9, "load": load })
    };
    let weeks: Vec<Json> = summary.weeks.iter().map(week).collect();
    let expected = Expected::of(log.report.jobs, summary.jobs);
    let limits = (summary.limits.requested > 0).then(|| {
        let limits = summary.limits;
        json!({ "requested": limits.requested, "reached": limits.reached, "mean-share": limits.mean_share })
    });
    let mut jobs = Map::new();
    for (name, value) in [
        ("records", json!(log.report.jobs)),
        ("jobs", json!(summary.jobs)),
        ("report", report.collect()),
        ("first-unix-s", json!(log.unix_origin())),
        ("origin-s", json!(log.origin.as_secs_f64())),
        ("span-s", json!(summary.span.as_secs_f64())),
        ("users", json!(summary.users)),
        ("groups", json!(summary.groups)),
        ("queues", json!(summary.queues)),
        ("partitions", json!(summary.partitions)),
        ("machine", json!(summary.machine)),
        ("most-in-use", json!(summary.peak)),
        ("processors", middle(summary.sizes, |size| json!(size))),
        ("by-size", json!(summary.by_size)),
        ("run-time-s", middle(summary.run_times, |time| json!(time.as_secs_f64()))),
        ("wait-s", summary.waits.map_or(Json::Null, |waits| middle(waits, |time| json!(time.as_secs_f64())))),
        ("limits", json!(limits)),
        ("weeks", json!(weeks)),
        (
            "expected",
            json!({ "read-s": expected.read, "run-s": expected.run, "memory-bytes": expected.memory }),
        ),
    ] {
        jobs.insert(name.to_owned(), value);
    }
    Json::Object(jobs)
}
