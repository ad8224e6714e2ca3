//! The metrics of a machine whose jobs share processors in slices, at detail `job`.
//!
//! `FAMILIES` defines the metrics.
//!
//! A slot is a cell of the Ousterhout matrix; those lost in blocks of buddy packing and those with
//! replicas are free. The loss is observed from the end of the warm-up to the end of the run, the
//! counts are of the whole run.

use crate::kernel::SimTime;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;

use super::LossOfCapacity;
use super::metrics::{counted, real};

const SLICES: &str = "detail is `job` and the policy runs jobs in slices (`gang` and its kin)";

/// The metrics of runs in slices, after the loss of capacity, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &families! {
    "gang.slices" [] None, WHOLE_RUN => "slices that began", shown SLICES;
    "gang.switches" [] None, WHOLE_RUN => "slices that began with a switch", shown SLICES;
    "gang.migrations" [] None, WHOLE_RUN => "times that a job was moved to other processors", shown SLICES;
};

const WHOLE_RUN: &str = "the whole run, the warm-up included";

/// Observations of slices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SliceSide {
    /// The slots that stayed free.
    pub capacity: LossOfCapacity,
    /// The end of the run.
    pub until: SimTime,
    /// Processors of the machine.
    pub procs: u64,
    /// Slots of the machine.
    pub slots: u64,
    /// Slices begun.
    pub slices: u64,
    /// Slices that began with a switch.
    pub switches: u64,
    /// Moves of jobs to other processors.
    pub migrations: u64,
}

impl SliceSide {
    /// A machine on which nothing happens.
    const NOTHING: SliceSide = SliceSide {
        capacity: LossOfCapacity::new(SimTime::ZERO),
        until: SimTime::ZERO,
        procs: 1,
        slots: 1,
        slices: 0,
        switches: 0,
        migrations: 0,
    };

    /// The metrics, in the order in which they are shown.
    pub fn metrics(&self) -> Vec<Metric> {
        let loss = |units| self.capacity.share(self.until, units);
        vec![
            real("loss-of-capacity", loss(self.procs)),
            real("loss-of-capacity.per-slot", loss(self.slots)),
            counted("gang.slices", self.slices),
            counted("gang.switches", self.switches),
            counted("gang.migrations", self.migrations),
        ]
    }
}

/// The metrics of a run in which nothing happens: their names and units.
pub fn of_nothing() -> Vec<Metric> {
    SliceSide::NOTHING.metrics()
}
