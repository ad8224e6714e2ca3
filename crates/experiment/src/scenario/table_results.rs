//! Results that are figures, tables, and lanes of one of the tables: what a system of one's own
//! hands over unless it has more.

use std::io;

use serde_json::{Map, Value as Json, json};

use crate::output::{LaneSource, RowLanes, RowSink, RowSource, RowSpans, Table, TableFormat};
use crate::scenario::run::{Figures, Results};
use crate::scenario::valid::Scenario;

/// Results of a run whose record is rows of tables.
pub struct TableResults {
    figures: Figures,
    tables: Vec<Box<dyn RowSource>>,
    lanes: Option<OwnLanes>,
}

struct OwnLanes {
    title: &'static str,
    names: Vec<String>,
    spans: RowSpans,
}

impl TableResults {
    /// Results without tables.
    pub fn new(figures: Figures) -> Self {
        TableResults { figures, tables: Vec::new(), lanes: None }
    }

    /// The same with a table, written as text, and as Parquet where the scenario asks for that.
    #[must_use]
    pub fn with_table(mut self, rows: impl RowSource + 'static) -> Self {
        self.tables.push(Box::new(rows));
        self
    }

    /// The same with a timeline of lanes of these names: the spans of one of the tables.
    #[must_use]
    pub fn with_lanes(mut self, title: &'static str, names: Vec<String>, spans: RowSpans) -> Self {
        self.lanes = Some(OwnLanes { title, names, spans });
        self
    }
}

/// Rows that results hold.
struct Held<'a>(&'a dyn RowSource);

impl RowSource for Held<'_> {
    fn table(&self) -> Table {
        self.0.table()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        self.0.push(sink)
    }
}

impl Results for TableResults {
    fn figures(&self) -> &Figures {
        &self.figures
    }

    fn manifest(&self) -> Map<String, Json> {
        Map::from_iter([("counters".to_owned(), json!({ "events": self.figures.events }))])
    }

    fn tables(&self, scenario: &Scenario) -> Vec<(Box<dyn RowSource + '_>, TableFormat)> {
        let formats = [Some(TableFormat::Csv), scenario.record_parquet.then_some(TableFormat::Parquet)];
        let mut tables = Vec::new();
        for rows in &self.tables {
            for format in formats.into_iter().flatten() {
                tables.push((Box::new(Held(&**rows)) as Box<dyn RowSource + '_>, format));
            }
        }
        tables
    }

    fn lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        let OwnLanes { title, names, spans } = self.lanes.as_ref()?;
        let rows = self.tables.iter().find(|rows| rows.table().name == spans.table)?;
        Some(Box::new(RowLanes { title, names, spans: *spans, rows: &**rows }))
    }
}
