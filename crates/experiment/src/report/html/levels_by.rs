//! Levels over time by the values of a column: a curve for each of the highest, and one for all
//! others together.

use std::cmp::Reverse;

use serde_json::{Value as Json, json};

use crate::collections::OrderedMap;
use crate::output::{Cell, Series};
use crate::report::levels::level_curve;

use super::cells::{Cells, Gather, whole};

/// Curves of values of their own.
const MOST: usize = 7;

/// Changes of a level: instants [ns] and amounts.
type Changes = Vec<(u64, i64)>;

/// The changes of a level by the values of a column.
pub(super) struct LevelsBy {
    series: Series,
    /// By value: its place among them, and the changes.
    by: OrderedMap<String, (usize, Changes)>,
    extent: Option<(u64, u64)>,
}

impl LevelsBy {
    /// Nothing yet.
    pub(super) fn new(series: Series) -> Self {
        LevelsBy { series, by: OrderedMap::new(), extent: None }
    }
}

/// The highest level of these changes.
fn highest(changes: &[(u64, i64)]) -> i64 {
    let mut changes = changes.to_vec();
    // at one instant what falls comes first: what does not last is not seen
    changes.sort_unstable();
    let mut level = 0_i64;
    changes.iter().fold(0, |highest, (_, change)| {
        level = level.saturating_add(*change);
        highest.max(level)
    })
}

impl Gather for LevelsBy {
    fn row(&mut self, _: usize, cells: Cells<'_>) {
        let (Some(from), to) = (whole(cells.at(0)), whole(cells.at(1))) else { return };
        let (Cell::Word(value) | Cell::Text(value)) = cells.at(3) else { return };
        let weight = i64::try_from(whole(cells.at(2)).unwrap_or(1)).unwrap_or(i64::MAX);
        if !self.by.contains_key(value) {
            self.by.insert(value.to_owned(), (self.by.len(), Vec::new()));
        }
        if let Some((_, changes)) = self.by.get_mut(value) {
            changes.push((from, weight));
            changes.extend(to.map(|to| (to, -weight)));
        }
        let last = to.map_or(from, |to| to.max(from));
        let known = self.extent.unwrap_or((0, last));
        self.extent = Some((known.0, known.1.max(last)));
    }

    fn extent(&self) -> Option<(u64, u64)> {
        self.extent
    }

    fn drawn(self: Box<Self>, (from, to): (u64, u64)) -> Option<Json> {
        let LevelsBy { series, by, .. } = *self;
        let mut curves: Vec<(String, usize, Changes)> =
            by.into_iter().map(|(value, (place, changes))| (value, place, changes)).collect();
        if curves.iter().all(|(.., changes)| highest(changes) == 0) {
            return None;
        }
        if curves.len() > MOST + 1 {
            curves.sort_by_cached_key(|(_, place, changes)| (Reverse(highest(changes)), *place));
            let others = curves.split_off(MOST);
            let name = format!("the {} others", others.len());
            let changes = others.into_iter().flat_map(|(.., changes)| changes).collect();
            curves.push((name, usize::MAX, changes));
        }
        curves.sort_by_key(|(_, place, _)| *place);
        let curve = |(name, _, changes): (String, usize, Changes)| {
            let mut drawn = level_curve(changes.into_iter().collect(), from, to).to_json(series.whole);
            drawn["name"] = json!(name);
            drawn
        };
        let curves: Vec<Json> = curves.into_iter().map(curve).collect();
        Some(json!({ "kind": "series-by", "name": series.name, "unit": series.unit, "curves": curves }))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use crate::output::{Drawn, Figure, FileRows, Pictures, Table, columns};
    use crate::report::html::gather::gathered;
    use crate::report::levels::SPANS;

    use super::*;

    fn drawn(text: &str) -> Json {
        let columns = columns! {
            "file" Text "", ""; "cluster" Text "", ""; "arrived" Time "s", ""; "removed" Time "s", "";
            "bytes" Count "B", "";
        };
        let table = Table::new("files", "", &columns);
        let rows = FileRows::new(&table, text.to_owned()).expect("rows");
        let series = Series {
            unit: "B",
            weight: &["bytes"],
            ..Series::between("bytes", "files", "arrived", "removed")
        };
        let figure = Figure::new("t", "", Drawn::SeriesBy { series, by: "cluster" });
        let pictures = Pictures::new(vec![figure], vec![Box::new(rows)]);
        let (figures, _) = gathered(pictures).expect("figures");
        figures.into_iter().next().unwrap_or_default()
    }

    #[test]
    fn a_file_counts_on_its_cluster_until_it_is_removed() {
        let text = "file,cluster,arrived,removed,bytes\nx,b,0,5,100\ny,a,0,,20\nz,b,5,,40\nx,a,10,,1\n";
        let drawn = drawn(text);
        let curve = |place: usize, part: usize| {
            let curve = &drawn["curves"][place];
            (curve["name"].as_str().unwrap_or_default().to_owned(), curve["mean"][part].as_f64())
        };
        // in order of first use; the axis ends with the last arrival
        assert_eq!(curve(0, 0), ("b".to_owned(), Some(100.0)));
        assert_eq!(curve(0, SPANS - 1), ("b".to_owned(), Some(40.0)));
        assert_eq!(curve(1, SPANS - 1), ("a".to_owned(), Some(20.0)));
    }

    #[test]
    fn without_the_column_of_ends_all_count_for_ever_and_many_curves_become_few() {
        let mut text = "file,cluster,arrived,bytes\n".to_owned();
        for number in 0..20 {
            writeln!(text, "f{number},c{number},{number},{}", 1 + number).expect("into memory");
        }
        let drawn = drawn(&text);
        let names: Vec<&str> = drawn["curves"]
            .as_array()
            .expect("curves")
            .iter()
            .filter_map(|one| one["name"].as_str())
            .collect();
        // those with the most bytes, in their order
        assert_eq!(names, ["c13", "c14", "c15", "c16", "c17", "c18", "c19", "the 13 others"]);
        assert_eq!(drawn["curves"][7]["greatest"][SPANS - 1], (1..=13).sum::<u64>());
    }
}
