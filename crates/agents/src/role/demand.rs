//! Demands of tasks of a role: the amount that is sent with one, and the amount that it computes.

use crate::Task;
use crate::registry::{Complaint, Key, Kind, Params};
use crate::units::{Bytes, Flops};

/// Demand of a task.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Demand {
    /// Amount that is sent with it, in bytes.
    pub(super) data: f64,
    /// Amount that it computes, in operations.
    pub(super) work: f64,
}

impl Demand {
    /// Reads the keys `data` and `work`, with `prefix` before their names.
    pub(super) fn read(params: &Params<'_>, prefix: &str) -> Result<Self, Complaint> {
        let data: Bytes = params.read(&format!("{prefix}data"))?;
        let work: Flops = params.read(&format!("{prefix}work"))?;
        Ok(Demand { data: data.get() as f64, work: work.get() })
    }

    /// A task that asks for this.
    pub(super) fn task(self, name: &'static str) -> Task {
        Task::new(name, self.work, self.data)
    }
}

/// The key of how much is sent.
pub(super) const fn data(name: &'static str, default: &'static str, about: &'static str) -> Key {
    Key::new(name, Kind::Bytes).or(default).about(about)
}

/// The key of how much is computed.
pub(super) const fn work(name: &'static str, default: &'static str, about: &'static str) -> Key {
    Key::new(name, Kind::Flops).or(default).about(about)
}
