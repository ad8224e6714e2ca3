//! The first family of models: packets of others slow ours down (HPDC 1999, section 3.1.2).

use crate::kernel::SimDuration;
use crate::kernel::rng::distribution::{Moments, Sampler};
use crate::queue::{LoadedModel, QueueModel};
use crate::registry::{Bounds, Complaint, Entry, Kind, Params, Quantity, entry};
use crate::station::{ExtraneousLaw, Rate, Spread};
use crate::units::Bandwidth;

pub(super) const ENTRY: Entry<dyn QueueModel> = entry!(
    "extraneous" => "packets of others are in the queue, so many that a sender gets the actual bandwidth",
    source "A. Takefusa and others, HPDC 1999",
    keys {
        "actual" Kind::Bandwidth => "what a sender that has one packet outstanding gets in the mean";
        "size" Kind::Distribution(Quantity::Bytes) => "the packets of others";
        "gaps" Kind::Distribution(Quantity::Number), or_written "{ kind = \"exponential\", mean = 1 }" =>
            "the law of times between packets of others; they are scaled to the rate that leaves the actual bandwidth";
        "spread" Kind::Bandwidth, absent "the actual bandwidth stays as it is" =>
            "the standard deviation of the actual bandwidth over time: it is drawn from a normal law, cut at 1 % and at all of the ideal one";
        "every" Kind::Duration(Bounds::Positive), or "60s" => "with `spread`: after how long it is drawn again";
    },
    reads |params| ExtraneousModel::read(params)?
);

#[derive(Clone, Debug)]
struct ExtraneousModel {
    actual: f64,
    size: Sampler,
    gaps: Sampler,
    spread: Option<Spread>,
}

impl ExtraneousModel {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let actual: Bandwidth = params.read("actual")?;
        let spread: Option<Bandwidth> = params.read("spread")?;
        let every: SimDuration = params.read("every")?;
        let spread = spread.map(|spread| Spread { deviation: spread.bytes_per_sec(), every });
        if actual.bytes_per_sec() <= 0.0 {
            let complaint = params.complaint("actual", "others leave nothing to a sender");
            return Err(complaint.label("expected a bandwidth above zero"));
        }
        let size: Sampler = *params.component("size", "distribution")?;
        let gaps: Sampler = *params.component("gaps", "distribution")?;
        for (key, law) in [("size", &size), ("gaps", &gaps)] {
            if law.mean().is_none_or(|mean| !mean.is_finite() || mean <= 0.0) {
                return Err(params
                    .complaint(key, "a law without a mean above zero")
                    .label("expected one that has"));
            }
        }
        Ok(ExtraneousModel { actual: actual.bytes_per_sec(), size, gaps, spread })
    }
}

impl QueueModel for ExtraneousModel {
    fn load(&self, bandwidth: Option<f64>) -> Result<LoadedModel, Vec<Complaint>> {
        let capacity = bandwidth.unwrap_or(self.actual);
        let ExtraneousModel { actual, size, gaps, spread } = self.clone();
        let others = ExtraneousLaw { capacity, actual: actual.min(capacity), size, gaps, spread };
        Ok(LoadedModel {
            rate: Rate::Constant(capacity),
            others: Some(others),
            nominal: capacity,
            series: None,
        })
    }

    fn draws(&self) -> bool {
        true
    }

    fn idle_above(&self) -> Option<f64> {
        Some(self.actual)
    }
}
