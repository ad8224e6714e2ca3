//! The starts of tasks as a table: a row each, in their order, and where the data of each came
//! from.

use std::io;

use crate::dag::execution::{Attempt, Attempts, DataSource, Outcomes};
use crate::output::{Row as _, RowSink, RowSource, Table, Text};
use crate::rows::dag::{AttemptColumns, AttemptRow};

/// The starts of tasks.
#[derive(Clone, Copy, Debug)]
pub struct StartRows<'a>(pub &'a Outcomes);

impl RowSource for StartRows<'_> {
    fn table(&self) -> Table {
        AttemptRow::table(AttemptColumns { wide_tasks: self.0.graph().has_wide_tasks() })
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let outcomes = self.0;
        let columns = AttemptColumns { wide_tasks: outcomes.graph().has_wide_tasks() };
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
            let (host, core, further) = outcomes.place(core);
            let row = AttemptRow {
                task: (&*outcomes.graph().task(task).name).into(),
                application: outcomes.application_name(task).into(),
                attempt: ordinal,
                host: host.into(),
                core,
                further_cores: further.map(Text::from),
                ready,
                start,
                end,
                lost,
                data: data.into(),
            };
            row.push(columns, sink)
        })
    }
}
