//! A timeline of the rows of a table: a span a row, on the lane that the row names.
//!
//! A system whose table has a lane, a beginning and an end in each row needs no ledger of its own:
//! it names the columns ([`RowSpans`]), and the lanes ([`RowLanes`]).

use std::io;

use crate::kernel::SimTime;

use super::row::{Conditions as _, Row};
use super::{Cell, LaneCause, LaneSink, LaneSource, Lanes, NamedSpan, RowSink, RowSource, push_spans};

/// Spans of the rows of a table, by the names of its columns.
///
/// A number stands behind the name of its column: under `window` the cell 1 names the lane
/// `window 1`. A row without a lane, a beginning or an end has no span.
#[derive(Clone, Copy, Debug)]
pub struct RowSpans {
    /// Name of the table.
    pub table: &'static str,
    /// Column of the lane.
    pub lane: &'static str,
    /// Columns of the beginning and the end.
    pub span: [&'static str; 2],
    /// Column that names the span.
    pub name: &'static str,
    /// Column of the word of the cause; `None` if all spans have the first cause.
    pub cause: Option<&'static str>,
    /// Causes of spans.
    pub causes: &'static [LaneCause],
}

impl RowSpans {
    /// Spans of a table that all have one cause: its name, the column of the lane, those of the
    /// beginning and the end, that which names the span, and the cause.
    pub const fn new(
        table: &'static str,
        lane: &'static str,
        span: [&'static str; 2],
        name: &'static str,
        causes: &'static [LaneCause],
    ) -> Self {
        RowSpans { table, lane, span, name, cause: None, causes }
    }

    /// Names of the lanes 1 to `count`.
    pub fn numbered(&self, count: u32) -> Vec<String> {
        (1..=count).map(|number| format!("{} {number}", self.lane)).collect()
    }
}

/// Name of a row by its first column, as in `customer 7`.
pub(crate) fn name_of<'a, R: Row<'a>>(row: &R) -> String {
    let (table, mut name) = (R::declared(), String::new());
    let mut sink = EachRow(&mut |cells| {
        let first = table.columns.first().zip(cells.first());
        name = first.and_then(|(column, cell)| words(&column.name, cell)).unwrap_or_default();
    });
    row.push(R::Conditions::ALL, &mut sink).expect("what looks at cells has no errors");
    name
}

/// Lanes of the rows of a table.
pub struct RowLanes<'a> {
    /// Title of all lanes together.
    pub title: &'static str,
    /// Names of the lanes, in order.
    pub names: &'a [String],
    /// Spans of the rows.
    pub spans: RowSpans,
    /// The table.
    pub rows: &'a dyn RowSource,
}

impl LaneSource for RowLanes<'_> {
    fn lanes(&self) -> Lanes {
        Lanes { title: self.title, number: 1, counters: &[], causes: self.spans.causes }
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let RowSpans { lane, span: [start, end], name, cause, causes, .. } = self.spans;
        let table = self.rows.table();
        let place = |column: &str| table.place(&[column]);
        let places = [lane, start, end, name].map(place);
        let [Some(lane_at), Some(start_at), Some(end_at), Some(name_at)] = places else {
            let missing = format!("{} has not the columns of its spans", table.name);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, missing));
        };
        let cause_at = cause.and_then(place);
        let (mut spans, mut labels) = (Vec::new(), Vec::new());
        self.rows.push(&mut EachRow(&mut |cells| {
            let on = words(lane, &cells[lane_at]);
            let on = on.and_then(|on| self.names.iter().position(|name| *name == on));
            let (start, end) = (instant(&cells[start_at]), instant(&cells[end_at]));
            let word = cause_at.and_then(|place| words("", &cells[place]));
            let known = |word: &String| causes.iter().find(|(cause, _)| cause == word).copied();
            let cause = word.as_ref().map_or(causes.first().copied(), known).map_or("", |(cause, _)| cause);
            if let (Some(lane), Some(start), Some(end)) = (on, start, end) {
                labels.push(words(name, &cells[name_at]).unwrap_or_default());
                spans.push(NamedSpan { lane: lane as u32, name: "", cause, start, end });
            }
        }))?;
        for (span, name) in spans.iter_mut().zip(&labels) {
            span.name = name;
        }
        push_spans(self.names, &spans, sink)
    }
}

/// Shows every row.
struct EachRow<'a>(&'a mut dyn FnMut(&[Cell<'_>]));

impl RowSink for EachRow<'_> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        (self.0)(cells);
        Ok(())
    }
}

/// A cell as a name; `None` if it is empty.
fn words(column: &str, cell: &Cell<'_>) -> Option<String> {
    match *cell {
        Cell::Count(count) => Some(format!("{column} {count}")),
        Cell::Text(text) => Some(text.to_owned()),
        Cell::Word(word) => Some(word.to_owned()),
        _ => None,
    }
}

fn instant(cell: &Cell<'_>) -> Option<SimTime> {
    match *cell {
        Cell::Time(span) => Some(SimTime::ZERO.saturating_add(span)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::output::{Arrow, FileRows, Label, Table, columns};

    use super::*;

    const SPANS: RowSpans = RowSpans {
        table: "visits",
        lane: "window",
        span: ["start", "end"],
        name: "customer",
        cause: Some("what"),
        causes: &[("serves", "a customer"), ("rests", "")],
    };

    /// Beginnings and ends, in words.
    #[derive(Default)]
    struct Said(Vec<String>);

    impl LaneSink for Said {
        fn lane(&mut self, number: u32, name: &str) -> io::Result<()> {
            self.0.push(format!("{number} is {name}"));
            Ok(())
        }

        fn begin(&mut self, at: SimTime, on: &[Interval], label: Label<'_>) -> io::Result<()> {
            let name = label.name.unwrap_or_default();
            self.0.push(format!("{} {name} on {} {}", at.as_secs_f64(), on[0].first, label.cause));
            Ok(())
        }

        fn end(&mut self, at: SimTime, on: &[Interval]) -> io::Result<()> {
            self.0.push(format!("{} ends on {}", at.as_secs_f64(), on[0].first));
            Ok(())
        }

        fn mark(&mut self, _: SimTime, _: u32, _: Label<'_>, _: Arrow) -> io::Result<()> {
            unreachable!("rows have no arrows")
        }

        fn count(&mut self, _: SimTime, _: usize, _: u64) -> io::Result<()> {
            unreachable!("rows have no counters")
        }
    }

    #[test]
    fn a_row_with_a_lane_a_beginning_and_an_end_is_a_span() {
        let columns = columns! {
            "customer" Count "", "a number";
            "window" Count "", "a lane";
            "start" Time "s", "a beginning";
            "end" Time "s", "an end";
            "what" Text "", "a cause";
        };
        let text = "customer,window,start,end,what\n7,2,1,3,rests\n8,,,4,\n9,1,2,4,\n";
        let rows = FileRows::new(&Table::new("visits", "rows", &columns), text.to_owned()).expect("a table");
        let names = ["window 1".to_owned(), "window 2".to_owned()];
        let mut said = Said::default();
        let lanes = RowLanes { title: "windows", names: &names, spans: SPANS, rows: &rows };
        lanes.push(&mut said).expect("taken");
        assert_eq!(
            said.0,
            [
                "0 is window 1",
                "1 is window 2",
                "1 customer 7 on 1 rests",
                "2 customer 9 on 0 serves",
                "3 ends on 1",
                "4 ends on 0"
            ]
        );
        let wrong = RowSpans { lane: "desk", ..SPANS };
        let lanes = RowLanes { title: "windows", names: &names, spans: wrong, rows: &rows };
        assert!(lanes.push(&mut said).is_err());
    }
}
