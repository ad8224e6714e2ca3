//! A level over time, by its changes.

use serde_json::{Value as Json, json};

use crate::output::Series;
use crate::report::levels::{Changes, level_curve};

use super::cells::{Cells, Gather, whole};

/// A level that is gathered.
pub(super) struct Level {
    series: Series,
    changes: Changes,
    extent: Option<(u64, u64)>,
    /// From when to when metrics observe [ns].
    window: Option<(u64, u64)>,
    /// The level times the time for which it lasts in the window [ns].
    area: u128,
    /// All weights together.
    sum: u128,
}

impl Level {
    /// Nothing yet.
    pub(super) fn new(series: Series, window: Option<(u64, u64)>) -> Self {
        Level { series, changes: Changes::default(), extent: None, window, area: 0, sum: 0 }
    }

    /// The mean over the window of a level that rises and falls, the end of one that only rises.
    fn summary(&self) -> Option<f64> {
        if self.series.to.is_none() {
            return Some(self.sum as f64 / self.series.whole);
        }
        let (from, to) = self.window.filter(|(from, to)| from < to)?;
        Some(self.area as f64 / (to - from) as f64 / self.series.whole)
    }
}

impl Gather for Level {
    fn row(&mut self, _: usize, cells: Cells<'_>) {
        let (Some(from), to) = (whole(cells.at(0)), whole(cells.at(1))) else { return };
        if self.series.to.is_some() && to.is_none() {
            return;
        }
        let weight = i64::try_from(whole(cells.at(2)).unwrap_or(1)).unwrap_or(i64::MAX);
        self.changes.push(from, weight);
        self.changes.extend(to.map(|to| (to, -weight)));
        let (least, greatest) = self.extent.unwrap_or((from, from));
        self.sum += u128::from(weight.unsigned_abs());
        if let (Some((begin, end)), Some(to)) = (self.window, to) {
            let inside = to.min(end).saturating_sub(from.max(begin));
            self.area += u128::from(inside) * u128::from(weight.unsigned_abs());
        }
        let to = to.unwrap_or(from);
        self.extent = Some((least.min(from).min(to), greatest.max(from).max(to)));
    }

    fn extent(&self) -> Option<(u64, u64)> {
        let (from, to) = self.extent?;
        // what counts for ever counts from the start of time on
        Some((if self.series.to.is_some() { from } else { 0 }, to))
    }

    fn drawn(self: Box<Self>, axis: (u64, u64)) -> Option<Json> {
        let summary = self.summary();
        let Level { series, changes, .. } = *self;
        // no line of zero
        if changes.is_empty() {
            return None;
        }
        let whole = if series.unit == "%" { series.whole / 100.0 } else { series.whole };
        let curve = level_curve(changes, axis.0, axis.1);
        if curve.is_zero() {
            return None;
        }
        let mut drawn = curve.to_json(whole);
        drawn["kind"] = json!("series");
        drawn["name"] = json!(series.name);
        drawn["unit"] = json!(series.unit);
        drawn["counts"] = json!(series.to.is_none());
        drawn["drew"] = json!(summary.map(|summary| json!({ "": summary })));
        Some(drawn)
    }
}
