//! A message for a task that does not run is stored, and that is all.

use crate::registry::{Entry, entry};

use super::{Arrival, ArrivalAction, Reaction};

pub(super) const ENTRY: Entry<dyn ArrivalAction> = entry! {
    "none" => "the message is stored", builds Store
};

#[derive(Debug)]
pub(super) struct Store;

impl ArrivalAction for Store {
    fn on(&self, _: &Arrival) -> Reaction {
        Reaction::Store
    }
}
