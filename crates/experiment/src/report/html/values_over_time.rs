//! Values over time, series by series: those of the first series, and of each every 2^k-th row, so
//! that there are not too many.

use serde_json::{Value as Json, json};
use smallvec::SmallVec;

use crate::collections::{OrderedMap, StableSort as _};
use crate::output::Rows;

use super::cells::{Cells, Gather, Wanted, number, whole};
use super::curve::rounded;
use super::row_names::{Piece, pieces, put_name};
use super::thinned::Thinned;

/// Series that are drawn.
const MOST_SERIES: usize = 12;
/// Instants of a series that are drawn, at most.
const MOST_INSTANTS: usize = 3000;

/// Values at an instant [ns], in the order of the columns; nothing where a cell is empty.
type Instant = (u64, SmallVec<[Option<f64>; 4]>);

/// Values that are gathered.
pub(super) struct ValuesOverTime {
    of: Rows,
    series: Vec<Piece>,
    values: &'static [(&'static str, &'static str)],
    /// By name: its place among them.
    places: OrderedMap<String, usize>,
    drawn: Vec<Thinned<Instant>>,
    extent: Option<(u64, u64)>,
    /// Holds the name of a row.
    text: String,
}

impl ValuesOverTime {
    /// Columns that such a figure asks for, and the gatherer of its values.
    pub(super) fn gather(
        of: &Rows,
        at: &'static str,
        series: &'static str,
        values: &'static [(&'static str, &'static str)],
    ) -> (Vec<Wanted>, Box<dyn Gather>) {
        let mut columns: Vec<Vec<&'static str>> = vec![vec![at]];
        columns.extend(values.iter().map(|(column, _)| vec![*column]));
        let series = pieces(series, &mut columns);
        let gather = ValuesOverTime {
            of: *of,
            series,
            values,
            places: OrderedMap::new(),
            drawn: Vec::new(),
            extent: None,
            text: String::new(),
        };
        (vec![Wanted { of: *of, columns }], Box::new(gather))
    }
}

impl Gather for ValuesOverTime {
    fn row(&mut self, _: usize, cells: Cells<'_>) {
        let Some(at) = whole(cells.at(0)) else { return };
        self.text.clear();
        put_name(&mut self.text, &self.series, cells);
        let name = self.text.trim_end();
        let place = match self.places.get(name) {
            Some(place) => *place,
            None => {
                let place = self.places.len();
                self.places.insert(name.to_owned(), place);
                place
            }
        };
        if place >= MOST_SERIES {
            return;
        }
        if place == self.drawn.len() {
            self.drawn.push(Thinned::default());
        }
        let values = (1..=self.values.len()).map(|column| number(cells.at(column)));
        self.drawn[place].push((at, values.collect()), MOST_INSTANTS);
        let (least, greatest) = self.extent.unwrap_or((at, at));
        self.extent = Some((least.min(at), greatest.max(at)));
    }

    fn extent(&self) -> Option<(u64, u64)> {
        self.extent
    }

    fn drawn(self: Box<Self>, (from, _): (u64, u64)) -> Option<Json> {
        let ValuesOverTime { of, values, places, drawn, .. } = *self;
        let has_value = |(_, values): &Instant| values.iter().any(Option::is_some);
        if !drawn.iter().any(|series| series.kept.iter().any(has_value)) {
            return None;
        }
        let of_series = |(name, place): (String, usize)| {
            let Thinned { kept, count, .. } = drawn.get(place)?;
            let at = kept.iter().map(|(at, _)| (at - from) / 1_000_000);
            let curve = |column: usize| -> Vec<Json> {
                kept.iter().map(|(_, values)| values[column].map_or(Json::Null, rounded)).collect()
            };
            let curves: Vec<Vec<Json>> = (0..values.len()).map(curve).collect();
            let document =
                json!({ "name": name, "of": count, "at": at.collect::<Vec<_>>(), "values": curves });
            Some((place, document))
        };
        let count = places.len();
        let mut series: Vec<(usize, Json)> = places.into_iter().filter_map(of_series).collect();
        series.stable_sort_by_key(|(place, _)| *place);
        let series: Vec<Json> = series.into_iter().map(|(_, document)| document).collect();
        let names: Vec<&str> = values.iter().map(|(_, name)| *name).collect();
        Some(json!({ "kind": "values", "what": of.what, "names": names, "count": count, "series": series }))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use crate::output::{Drawn, Figure, FileRows, Pictures, Table, columns};
    use crate::report::html::gather::gathered;

    use super::*;

    fn drawn(text: &str) -> Json {
        let columns = columns! {
            "time" Time "s", ""; "kind" Text "", ""; "to" Text "", ""; "actual" Real "", ""; "forecast" Real "", "";
        };
        let rows = FileRows::new(&Table::new("forecasts", "", &columns), text.to_owned()).expect("rows");
        let figure = Figure::new(
            "t",
            "",
            Drawn::Values {
                of: Rows::of("forecasts", "values"),
                at: "time",
                series: "{kind} {to}",
                values: &[("actual", "measured"), ("forecast", "forecast")],
            },
        );
        let pictures = Pictures::new(vec![figure], vec![Box::new(rows)]);
        let (figures, _) = gathered(pictures).expect("figures");
        figures.into_iter().next().unwrap_or_default()
    }

    #[test]
    fn each_series_has_its_instants_and_values_in_order() {
        let drawn = drawn("time,kind,to,actual,forecast\n1,load,,2,\n1.5,latency,s,3,4\n2,load,,5,6.5\n");
        assert_eq!(drawn["names"], json!(["measured", "forecast"]));
        // the axis begins with the first instant, in milliseconds
        let load = json!({ "name": "load", "of": 2, "at": [0, 1000], "values": [[2, 5], [null, 6.5]] });
        let latency = json!({ "name": "latency s", "of": 1, "at": [500], "values": [[3], [4]] });
        assert_eq!(drawn["series"], json!([load, latency]));
    }

    #[test]
    fn of_many_series_the_first_are_drawn_and_of_many_instants_every_second() {
        let mut text = "time,kind,to,actual,forecast\n".to_owned();
        (0..MOST_INSTANTS + 2).for_each(|at| writeln!(text, "{at},load,,1,1").expect("into memory"));
        (0..20).for_each(|server| writeln!(text, "1,load,s-{server},1,1").expect("into memory"));
        let drawn = drawn(&text);
        let length = |list: &Json| list.as_array().map_or(0, Vec::len);
        assert_eq!((length(&drawn["series"]), &drawn["count"]), (MOST_SERIES, &json!(21)));
        assert_eq!(length(&drawn["series"][0]["at"]), MOST_INSTANTS / 2 + 1);
        assert_eq!(drawn["series"][0]["of"], json!(MOST_INSTANTS + 2));
    }

    #[test]
    fn without_rows_nothing_is_drawn() {
        assert_eq!(drawn("time,kind,to,actual,forecast\n"), Json::Null);
    }
}
