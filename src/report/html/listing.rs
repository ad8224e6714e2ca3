//! Rows of a table as they stand there: the first, or those with the greatest values in a column. Columns that the table of a run does
//! not have are left out.

use serde_json::{Value as Json, json};

use crate::output::{Cell, Rows};

use super::cells::{Cells, Gather, number};
use super::curve::rounded;

/// Rows that are gathered.
pub(super) struct Listing {
    of: Rows,
    /// Each with its unit.
    columns: Vec<(&'static str, &'static str)>,
    most: usize,
    /// Whether those with the greatest values in the last column are kept, and their values.
    by_value: bool,
    kept: Vec<(f64, Vec<Json>)>,
    count: usize,
    /// The columns that the table has.
    there: Vec<usize>,
}

impl Listing {
    pub(super) fn new(of: &Rows, columns: &'static str, (most, by): (usize, Option<&'static str>)) -> Self {
        let columns = columns.split(' ').map(|column| column.split_once(':').unwrap_or((column, "")));
        Listing {
            of: *of,
            columns: columns.collect(),
            most,
            by_value: by.is_some(),
            kept: Vec::new(),
            count: 0,
            there: Vec::new(),
        }
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|(column, _)| *column)
    }
}

impl Gather for Listing {
    fn row(&mut self, _: usize, cells: Cells<'_>) {
        let width = self.columns.len();
        let value = if self.by_value { number(cells.at(width)).unwrap_or(0.0) } else { 1.0 };
        if value <= 0.0 {
            return;
        }
        if self.count == 0 {
            self.there = (0..width).filter(|&column| cells.has(column)).collect();
        }
        self.count += 1;
        if self.by_value || self.kept.len() < self.most {
            let row = self.there.iter().map(|&column| shown(cells.at(column)));
            self.kept.push((value, row.collect()));
        }
    }

    fn drawn(self: Box<Self>, _: (u64, u64)) -> Option<Json> {
        let Listing { of, columns, most, by_value, kept, count, there } = *self;
        let columns: Vec<_> = there.into_iter().map(|column| columns[column]).collect();
        let mut order: Vec<usize> = (0..kept.len()).collect();
        if by_value {
            order.sort_by(|&one, &other| kept[other].0.total_cmp(&kept[one].0).then(one.cmp(&other)));
            order.truncate(most);
            order.sort_unstable();
        }
        let rows: Vec<&Vec<Json>> = order.iter().map(|&row| &kept[row].1).collect();
        (count > 0).then(|| {
            json!({
                "kind": "rows", "what": of.what, "table": of.table, "by-value": by_value, "of": count, "rows": rows,
                "columns": columns,
            })
        })
    }
}

/// A cell as a document.
fn shown(cell: Cell<'_>) -> Json {
    match cell {
        Cell::Word(text) | Cell::Text(text) => json!(text),
        cell => number(cell).map_or(Json::Null, rounded),
    }
}

#[cfg(test)]
mod tests {
    use crate::report::html::cells::add;

    use super::*;

    #[test]
    fn of_many_rows_the_greatest_are_listed_in_their_order() {
        let mut hosts = Listing::new(&Rows::of("hosts", "hosts"), "host busy:s", (60, Some("busy")));
        for number in 0..100_u32 {
            let (name, busy) = (format!("h-{number}"), Cell::Real(f64::from(number * 37 % 100)));
            add(&mut hosts, &[Cell::Text(&name), busy, busy]);
        }
        let drawn = Box::new(hosts).drawn((0, 0)).expect("rows");
        let rows = drawn["rows"].as_array().expect("rows");
        assert_eq!((rows.len(), &drawn["of"]), (60, &json!(99)));
        assert!(rows.iter().all(|row| row[1].as_f64() >= Some(40.0)) && rows[0][0] == "h-2");
    }

    #[test]
    fn a_column_that_the_table_lacks_is_left_out() {
        let mut hosts = Listing::new(&Rows::of("hosts", "hosts"), "host busy:s cost", (60, None));
        let row = [Cell::Text("h"), Cell::Real(2.5)];
        hosts.row(0, Cells::new(&row, &[Some(0), None, Some(1)]));
        let drawn = Box::new(hosts).drawn((0, 0)).expect("rows");
        assert_eq!(
            (&drawn["columns"], &drawn["rows"]),
            (&json!([["host", ""], ["cost", ""]]), &json!([["h", 2.5]]))
        );
    }
}
