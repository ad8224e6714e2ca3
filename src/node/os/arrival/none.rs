//! A message for a task that does not run is stored, and that is all.

use crate::registry::Entry;

use super::{Arrival, ArrivalAction, Reaction};

pub(super) const ENTRY: Entry<dyn ArrivalAction> = Entry {
    name: "none",
    about: "the message is stored",
    source: "",
    keys: &[],
    build: |_| Ok(Box::new(Store)),
};

#[derive(Debug)]
pub(super) struct Store;

impl ArrivalAction for Store {
    fn on(&self, _: &Arrival) -> Reaction {
        Reaction::Store
    }
}
