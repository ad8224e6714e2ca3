//! The second family of models: the bandwidth is what was measured of a real network (HPDC 1999,
//! section 3.1.2).

use std::path::Path;

use crate::curve::CurveCursor;
use crate::queue::{LoadedModel, QueueModel};
use crate::registry::{Complaint, Entry, entry};
use crate::series::{BANDWIDTH, SeriesSource};
use crate::station::Rate;

pub(super) const ENTRY: Entry<dyn QueueModel> = entry!(
    "measured" => "the bandwidth is that of a measured series, interpolated",
    source "A. Takefusa and others, HPDC 1999",
    keys &BANDWIDTH,
    reads |params| Measured(SeriesSource::bandwidth(params)?)
);

#[derive(Debug)]
struct Measured(SeriesSource);

impl QueueModel for Measured {
    fn has_bandwidth(&self) -> bool {
        true
    }

    /// The nominal bandwidth is that which is written, else the mean of the samples.
    fn load(&self, bandwidth: Option<f64>) -> Result<LoadedModel, Vec<Complaint>> {
        let (series, curve) = self.0.load()?;
        let mean = || series.points.iter().map(|(_, value)| value).sum::<f64>() / series.points.len() as f64;
        let nominal = bandwidth.unwrap_or_else(mean).max(1.0);
        let rate = Rate::Measured(CurveCursor::new(curve));
        Ok(LoadedModel { rate, others: None, nominal, series: Some(series) })
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        vec![self.0.input()]
    }
}
