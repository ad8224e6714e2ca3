//! The places of the machine, as far as loss of capacity is concerned.

use crate::instrument::LossOfCapacity;
use crate::kernel::now;

/// The slots of the machine, as far as loss of capacity is concerned.
#[derive(Debug)]
pub(super) struct FreeSlots {
    /// Jobs that wait.
    pub(super) waiting: u64,
    /// Slots without a task.
    pub(super) free: u64,
    pub(super) loss: LossOfCapacity,
    /// Whether what is observed has begun.
    pub(super) marked: bool,
}

impl FreeSlots {
    /// Something changes now.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Self)) {
        change(self);
        self.loss.update(now(), self.waiting > 0, self.free);
    }
}
