//! The results of a study as a table, and its manifest.
//!
//! A row a run, sorted by point and replication: `point,replication`, the varied keys,
//! `state,digest,events,warm-up`, the metrics, those of classes (`class.NAME.METRIC`, if there are
//! several) last, `error`. Where replications randomize a log, the first row of a point is the run
//! of the log as recorded: its replication is empty and its state `recorded`. Elsewhere an empty
//! field means that nothing was observed. A varied key is a column of whole numbers if each of its
//! values is one, of real numbers if each is a number, else of texts; the text file has its values
//! as they are written in the scenario.

use std::io;

use serde_json::{Map, Value as Json, json};

use crate::output::manifest::Identity;
use crate::output::{Cell, CellType, Column, RowSink, RowSource, Table, columns, hash};
use crate::scenario::Study;
use crate::study::kept::RUNS;
use crate::study::plan;
use crate::study::question::Question;
use crate::study::row::{RECORDED, Row, Rows, State, metrics};

/// The version of the manifest's shape.
pub const SCHEMA: &str = "clustersim/study-manifest/1";
/// The key of the question in the manifest.
const QUESTION: &str = "question";

/// The runs of a study.
#[derive(Clone, Copy, Debug)]
pub struct ResultRows<'a> {
    /// The study.
    pub study: &'a Study,
    /// The runs.
    pub rows: &'a Rows,
}

/// The columns of every study before its metrics; the varied keys stand between the first two and
/// the others.
const COLUMNS: &[Column] = &columns! {
    "point" Integer "", "the point, from 0";
    "replication" Integer "", "the replication of the point, from 0; empty for the run of the log as recorded";
    "state" Category "", "`done`, `failed`, or `recorded` for the run of the log as recorded, which is no replication";
    "digest" Text "", "the hash over its events; empty if it failed";
    "events" Count "", "its events; empty if it failed";
    "warm-up" Count "", "jobs left out as warm-up; empty if it failed";
};

/// The place of the varied keys.
const VARIED: usize = 2;

/// The table of any study, without its varied keys and its metrics.
pub fn declared() -> Table {
    let error = Column::new("error", CellType::Text, "", "why it failed");
    Table::new(
        "results",
        "a row a run, by point and replication, with columns for the varied keys, behind `replication`, and for the metrics, before `error`; empty where nothing was observed",
        COLUMNS,
    )
    .with([error])
}

impl RowSource for ResultRows<'_> {
    fn table(&self) -> Table {
        let mut table = declared();
        let metrics = metrics(self.study, self.rows);
        let metrics =
            metrics.into_iter().map(|(name, _)| Column::named(name, CellType::Real, "", "a metric"));
        table.columns.splice(COLUMNS.len()..COLUMNS.len(), metrics);
        let varied = self.study.keys().enumerate().map(|(place, key)| {
            let kind = kind(|| self.study.points.iter().map(|point| point.settings[place].1.as_str()));
            Column::named(key.to_owned(), kind, "", "a varied key")
        });
        table.columns.splice(VARIED..VARIED, varied);
        table
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let metrics = metrics(self.study, self.rows);
        let kinds: Vec<CellType> =
            self.table().columns.iter().skip(VARIED).map(|column| column.kind).collect();
        let (mut last, mut places): (Option<&Row>, Vec<Option<usize>>) = (None, Vec::new());
        for row in self.rows.values() {
            if !last.replace(row).is_some_and(|last| last.metrics.shares_names_with(&row.metrics)) {
                places = metrics.iter().map(|(name, _)| row.metrics.place(name)).collect();
            }
            let digest = row.digest.map(|digest| digest.to_string());
            let mut cells = Vec::with_capacity(kinds.len() + VARIED);
            cells.push(Cell::Integer(i64::from(row.point)));
            cells.push(row.replication.map(|number| Cell::Integer(i64::from(number))).unwrap_or_default());
            let settings = self.study.points[row.point as usize].settings.iter().zip(&kinds);
            cells.extend(settings.map(|((_, value), kind)| match kind {
                CellType::Text => Cell::Text(value),
                _ => Cell::Spelled(value),
            }));
            let figure = |value| if row.state == State::Done { Cell::Count(value) } else { Cell::Empty };
            let digest = digest.as_deref().map(Cell::Text).unwrap_or_default();
            cells.extend([Cell::Word(state(row)), digest, figure(row.events), figure(row.warm_up)]);
            let metric = |place: &Option<usize>| place.and_then(|place| row.metrics.at(place));
            cells.extend(places.iter().map(|place| metric(place).map(Cell::Real).unwrap_or_default()));
            cells.push(row.error().map(Cell::Text).unwrap_or_default());
            sink.row(&cells)?;
        }
        Ok(())
    }
}

/// The type of a column of these values of a scenario.
fn kind<'a, V: Iterator<Item = &'a str>>(values: impl Fn() -> V) -> CellType {
    if values().all(is_whole) {
        CellType::Integer
    } else if values().all(is_real) {
        CellType::Real
    } else {
        CellType::Text
    }
}

/// Returns true if the text is a whole number as it is usually written: "007" is a text.
fn is_whole(text: &str) -> bool {
    text.parse().is_ok_and(|value: i64| value.to_string() == text)
}

/// Returns true if the text is a number.
fn is_real(text: &str) -> bool {
    text.parse().is_ok_and(|value: f64| value.is_finite())
}

/// The end of a run: `done` and `failed` of replications, `recorded` of the log as recorded, which
/// is no replication.
fn state(row: &Row) -> &'static str {
    match (row.state, row.replication) {
        (State::Failed, _) => "failed",
        (State::Done, Some(_)) => "done",
        (State::Done, None) => RECORDED,
    }
}

/// The files of a study, each with its hash.
#[derive(Clone, Copy, Debug)]
pub struct StudyFiles<'a> {
    /// Files of the study itself.
    pub outputs: &'a [(String, String)],
    /// Directories of kept runs, with the hashes of their manifests ([`RunKeeper::settle`]).
    ///
    /// [`RunKeeper::settle`]: crate::study::kept::RunKeeper::settle
    pub runs: &'a [(String, String)],
}

/// The manifest without its `invocation`; a question that was asked stands in it.
pub fn manifest(
    study: &Study,
    question: &Question,
    identity: &Identity,
    rows: &Rows,
    files: StudyFiles<'_>,
) -> Json {
    let hashes = |files: &[(String, String)]| -> Json {
        files.iter().map(|(name, sha256)| (name.clone(), json!(sha256))).collect::<Map<_, _>>().into()
    };
    let digest = |row: &Row| row.digest.map(|digest| digest.to_string()).unwrap_or_default();
    let digests: Vec<String> = rows.values().map(digest).collect();
    let mut manifest = json!({
        "schema": SCHEMA,
        "title": study.first().title,
        "seed": study.first().seed,
        "identity": identity.to_json(),
        "points": study.points.len(),
        "repeat": plan::repeat(&study.repeat),
        "counters": {
            "runs": rows.len(),
            "failed": rows.values().filter(|row| row.state == State::Failed).count(),
            "events": rows.values().map(|row| row.events).sum::<u64>(),
        },
        "digest": &hash::of_bytes(digests.join("\n").as_bytes())[..16],
        "outputs": hashes(files.outputs),
    });
    if !files.runs.is_empty() {
        manifest[RUNS] = hashes(files.runs);
    }
    if !question.is_default() {
        manifest[QUESTION] = json!(question);
    }
    manifest
}

/// The question that the study of this manifest answers.
pub fn question(manifest: &Json) -> Question {
    serde_json::from_value(manifest[QUESTION].clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::output::TableFormat;
    use crate::registry::Registry;
    use crate::scenario::served::Served;
    use crate::scenario::{from_text, register, study};

    use super::*;

    #[test]
    fn varied_numbers_are_numbers_and_stand_behind_the_replication() {
        let mut registry = Registry::new();
        register(&mut registry, &Served);
        let text = "title = \"T\"\n[workload]\n[[vary]]\n\
                    policy = [\"fcfs\", \"easy\"]\n[[vary]]\nseed = [1, 2]\n\
                    \"workload.load\" = [0.5, 1]\n\"run.until\" = [\"2h\", \"3h\"]\n";
        let written = from_text("t.toml", text.to_owned(), Path::new(""), &[]);
        let study = study(&registry, written).expect("valid");
        let results = ResultRows { study: &study, rows: &Rows::new() };
        let table = results.table();
        let kinds: Vec<CellType> = table.columns[2..6].iter().map(|column| column.kind).collect();
        assert_eq!(kinds, [CellType::Text, CellType::Integer, CellType::Real, CellType::Text]);
        let csv = String::from_utf8(TableFormat::Csv.bytes(&results).expect("into memory")).expect("text");
        let head = "point,replication,policy,seed,workload.load,run.until,state,digest,events,warm-up,";
        assert!(csv.starts_with(head) && csv.ends_with(",error\n"), "{csv}");
        assert_eq!(csv.matches(',').count() + 1, table.columns.len());
    }

    #[test]
    fn only_what_is_written_as_a_number_is_one() {
        assert_eq!(["-3", "007", "+5", "1.0"].map(is_whole), [true, false, false, false]);
        assert_eq!(["1.0", "1e3", "inf", "2h"].map(is_real), [true, true, false, false]);
    }
}
