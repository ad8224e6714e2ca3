//! The distribution of the values of a column: its curve of shares, and what there is to say of all
//! values.

use serde_json::{Value as Json, json};

use crate::kernel::stats::nearest_rank;
use crate::output::Cell;

use super::cells::{Cells, Gather, number};
use super::curve::{curve, in_order};
use super::thinned::Thinned;

/// Values that a curve is drawn from, at most; of more, every second.
const MOST_VALUES: usize = 1_000_000;

/// Values that are gathered.
#[derive(Default)]
pub(super) struct Distribution {
    what: &'static str,
    label: &'static str,
    is_time: bool,
    thinned: Thinned<f64>,
    ends: Option<(f64, f64)>,
    sum: f64,
}

impl Distribution {
    /// Nothing yet.
    pub(super) fn new(what: &'static str, label: &'static str) -> Self {
        Distribution { what, label, ..Distribution::default() }
    }
}

impl Gather for Distribution {
    fn row(&mut self, _: usize, cells: Cells<'_>) {
        let cell = cells.at(0);
        let Some(value) = number(cell) else { return };
        self.is_time |= matches!(cell, Cell::Time(_));
        let (least, greatest) = self.ends.unwrap_or((value, value));
        self.ends = Some((least.min(value), greatest.max(value)));
        self.sum += value;
        self.thinned.push(value, MOST_VALUES);
    }

    /// Values that are all 0 have no curve.
    fn drawn(mut self: Box<Self>, _: (u64, u64)) -> Option<Json> {
        let count = self.thinned.count;
        let (least, greatest) = self.ends.filter(|(least, greatest)| *least < 0.0 || *greatest > 0.0)?;
        let is_whole = self.thinned.kept.len() as u64 == count;
        if !is_whole {
            self.thinned.kept.extend([least, greatest]);
        }
        let values = in_order(self.thinned.kept);
        let mut drew = json!({ "mean": self.sum / count as f64, "max": greatest });
        for (part, percent) in [("median", 50), ("p95", 95)].into_iter().filter(|_| is_whole) {
            let rank = nearest_rank(count, percent, 100)? as usize;
            drew[part] = json!(values[rank - 1]);
        }
        Some(json!({
            "kind": "distribution", "what": self.what, "label": self.label,
            "unit": if self.is_time { "s" } else { "" }, "count": count, "curve": curve(&values), "drew": drew,
        }))
    }
}
