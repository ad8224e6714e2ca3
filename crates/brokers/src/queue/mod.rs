//! Queues of a network, and what their bandwidth is made of: nothing but ours is in a queue
//! (`ideal`), packets of others are too (`extraneous`), or it is as it was measured (`measured`).
//!
//! Source: A. Takefusa and others, HPDC 1999, section 3.1.2 and figure 2 (Qns, Qnr).

mod extraneous;
mod ideal;
mod measured;
mod packet_queue;

use std::fmt;
use std::path::Path;

use crate::registry::{Complaint, Table};
use crate::series::MeasuredSeries;
use crate::station::{ExtraneousLaw, Rate};

pub use packet_queue::{PacketQueue, QueuedPacket};

/// Model of the bandwidth of a queue.
pub trait QueueModel: fmt::Debug {
    /// Returns true if it has a bandwidth of its own, so that none need be written.
    fn has_bandwidth(&self) -> bool {
        false
    }

    /// Reads what it needs; `bandwidth` is the ideal one, if it is written \[bytes/s\].
    ///
    /// # Errors
    /// Everything that is wrong with its input.
    fn load(&self, bandwidth: Option<f64>) -> Result<LoadedModel, Vec<Complaint>>;

    /// The files that it reads: as the scenario names them, and from where the program runs.
    fn inputs(&self) -> Vec<(&str, &Path)> {
        Vec::new()
    }

    /// Returns true if it draws random numbers.
    fn draws(&self) -> bool {
        false
    }

    /// The ideal bandwidth up to which the model has no effect, if there is one.
    fn idle_above(&self) -> Option<f64> {
        None
    }
}

/// A model that is ready to make queues.
#[derive(Clone, Debug)]
pub struct LoadedModel {
    /// Rate at which packets are served.
    pub rate: Rate,
    /// Traffic of others.
    pub others: Option<ExtraneousLaw>,
    /// Bandwidth known without any measurement \[bytes/s\].
    pub nominal: f64,
    /// Measured series, if the model has one.
    pub series: Option<MeasuredSeries>,
}

/// The models by name.
pub fn table() -> Table<dyn QueueModel> {
    Table::new(
        "queue-model",
        "what the bandwidth of a queue is made of",
        &[extraneous::ENTRY, ideal::ENTRY, measured::ENTRY],
    )
}
