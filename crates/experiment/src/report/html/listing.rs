//! Rows of a table as they stand there: the first, or those with the greatest values in a column.
//! Columns that the table of a run does not have, or that are empty in all these rows, are left
//! out.

use serde_json::{Value as Json, json};

use crate::output::{Cell, Rows};

use super::cells::{Cells, Gather, number};
use super::curve::rounded;

/// Rows that are gathered before those with lesser values are left out.
const MOST_KEPT: usize = 4096;

/// Rows that are gathered.
pub(super) struct Listing {
    of: Rows,
    /// Each with its unit.
    columns: Vec<(&'static str, &'static str)>,
    most: usize,
    /// True if those with the greatest values in the last column are kept, and their values.
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

    /// Leaves those with the greatest values, of equal ones the first, in their order.
    fn cut(&mut self) {
        let mut order: Vec<usize> = (0..self.kept.len()).collect();
        let value = |place: usize| self.kept[place].0;
        order.sort_by(|&one, &other| value(other).total_cmp(&value(one)).then(one.cmp(&other)));
        let mut is_left = vec![false; self.kept.len()];
        order.iter().take(self.most).for_each(|&place| is_left[place] = true);
        let mut is_left = is_left.into_iter();
        self.kept.retain(|_| is_left.next().unwrap_or(false));
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
            if self.by_value && self.kept.len() >= MOST_KEPT.max(2 * self.most) {
                self.cut();
            }
        }
    }

    fn drawn(mut self: Box<Self>, _: (u64, u64)) -> Option<Json> {
        if self.by_value {
            self.cut();
        }
        let Listing { of, columns, by_value, kept, count, there, .. } = *self;
        let has_value = |place: &usize| kept.iter().any(|(_, row)| !row[*place].is_null());
        let filled: Vec<usize> = (0..there.len()).filter(has_value).collect();
        let columns: Vec<_> = filled.iter().map(|&place| columns[there[place]]).collect();
        let rows: Vec<Vec<&Json>> =
            kept.iter().map(|(_, row)| filled.iter().map(|&place| &row[place]).collect()).collect();
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

    /// A long table is cut now and then while it is read, which does not show.
    #[test]
    fn of_many_more_rows_no_more_are_listed() {
        let listed = |rows: u32| {
            let mut hosts = Listing::new(&Rows::of("hosts", "hosts"), "host busy:s", (3, Some("busy")));
            for number in 0..rows {
                let busy = Cell::Real(if number % 5000 == 7 { 9.0 } else { 1.0 });
                add(&mut hosts, &[Cell::Count(number.into()), busy, busy]);
            }
            assert!(hosts.kept.len() < MOST_KEPT);
            Box::new(hosts).drawn((0, 0)).expect("rows")
        };
        assert_eq!(listed(4999)["rows"], json!([[0, 1], [1, 1], [7, 9]]));
        let drawn = listed(30_000);
        assert_eq!(
            (&drawn["rows"], &drawn["of"]),
            (&json!([[7, 9], [5007, 9], [10_007, 9]]), &json!(30_000))
        );
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
