//! The starts of tasks as a table: a row each, in their order, and where the data of each came from.

use std::io;

use crate::dag::execution::{Attempt, Attempts, DataSource, Outcomes};
use crate::dag::tables::{instant, table};
use crate::output::{Cell, RowSink, RowSource, Table};

/// The starts of tasks.
#[derive(Clone, Copy, Debug)]
pub struct StartRows<'a>(pub &'a Outcomes);

impl RowSource for StartRows<'_> {
    fn table(&self) -> Table {
        table("attempts")
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let (outcomes, grid) = (self.0, &self.0.problem.grid);
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
            let data: Vec<String> = attempts.sources(number).into_iter().map(source).collect();
            sink.row(&[
                Cell::Text(&outcomes.graph().task(task).name),
                Cell::Text(outcomes.application_name(task)),
                Cell::Count(u64::from(ordinal)),
                Cell::Text(&grid.host(grid.host_of(core)).name),
                Cell::Count(u64::from(grid.rank(core))),
                instant(ready),
                Cell::at(start),
                instant(end),
                instant(lost),
                Cell::Text(&data.join(" ")),
            ])
        })
    }
}
