//! The starts of tasks as a table: a row each, in their order, and where the data of each came
//! from.

use std::io;

use crate::dag::execution::{Attempt, Attempts, DataSource, Outcomes};
use crate::dag::tables::instant;
use crate::output::{Cell, RowSink, RowSource, Table};

/// The starts of tasks.
#[derive(Clone, Copy, Debug)]
pub struct StartRows<'a>(pub &'a Outcomes);

impl RowSource for StartRows<'_> {
    fn table(&self) -> Table {
        self.0.table_of_places("attempts")
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let outcomes = self.0;
        let attempts = Attempts::of(outcomes);
        attempts.numbers().try_for_each(|number| {
            let Attempt { task, ordinal, core, ready, start, end, lost, .. } = attempts.get(number);
            let source = |source: DataSource| {
                let writer = source.writer.map(|writer| attempts.get(writer).ordinal.to_string());
                match (writer, source.transfer) {
                    (None, None) => "-".to_owned(),
                    (writer, None) => writer.unwrap_or_default(),
                    (writer, Some(transfer)) => format!("{}@{transfer}", writer.unwrap_or_default()),
                }
            };
            let data = attempts.sources(number).into_iter().map(source).collect::<Vec<_>>().join(" ");
            let of_task = [
                Cell::Text(&outcomes.graph().task(task).name),
                Cell::Text(outcomes.application_name(task)),
                Cell::Count(u64::from(ordinal)),
            ];
            let times = [instant(ready), Cell::at(start), instant(end), instant(lost), Cell::Text(&data)];
            outcomes.row_with_place(sink, Some(core), (&of_task, &times))
        })
    }
}
