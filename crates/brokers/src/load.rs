//! The load of a server: tasks of others (HPDC 1999, section 3.1.3).

use std::fmt;

use crate::kernel::rng::distribution::{Moments, Sampler};
use crate::registry::{Bounds, Complaint, Entry, Kind, Params, Quantity, Table, entry};
use crate::station::ExtraneousLaw;

/// Work of others on a server.
pub trait ServerLoad: fmt::Debug {
    /// The law of their tasks on a server of `performance` operations per second, all processors
    /// together.
    fn law(&self, performance: f64) -> ExtraneousLaw;
}

/// The loads by name.
pub fn table() -> Table<dyn ServerLoad> {
    Table::new("server-load", "the tasks of others on a server", &[EXTRANEOUS])
}

const EXTRANEOUS: Entry<dyn ServerLoad> = entry!(
    "extraneous" => "tasks of others arrive, so many that they take a share of the server",
    source "A. Takefusa and others, HPDC 1999",
    keys {
        "utilization" Kind::Share(Bounds::NotNegative) => "the share that they take; below 1";
        "size" Kind::Distribution(Quantity::Flops) => "their operations";
        "gaps" Kind::Distribution(Quantity::Number), or_written "{ kind = \"exponential\", mean = 1 }" =>
            "the law of times between them; they are scaled to the rate that takes the share";
    },
    reads |params| Extraneous::read(params)?
);

#[derive(Clone, Debug)]
struct Extraneous {
    utilization: f64,
    size: Sampler,
    gaps: Sampler,
}

impl Extraneous {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let utilization: f64 = params.read("utilization")?;
        if utilization >= 1.0 {
            let complaint = params.complaint(
                "utilization",
                "others would take all of the server, and its queue grow without end",
            );
            return Err(complaint.label("expected a share below 1"));
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
        Ok(Extraneous { utilization, size, gaps })
    }
}

impl ServerLoad for Extraneous {
    fn law(&self, performance: f64) -> ExtraneousLaw {
        let (size, gaps) = (self.size.clone(), self.gaps.clone());
        let actual = performance * (1.0 - self.utilization);
        ExtraneousLaw { capacity: performance, actual, size, gaps, spread: None }
    }
}
