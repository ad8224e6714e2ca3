//! The last value.

use crate::registry::Entry;

use super::Forecaster;

pub(super) const ENTRY: Entry<dyn Forecaster> =
    Entry::new("last", "the value before", &[], |_| Ok(Box::new(Last::default())));

/// The next value is the last one.
#[derive(Clone, Debug, Default)]
pub struct Last(Option<f64>);

impl Forecaster for Last {
    fn add(&mut self, value: f64) {
        self.0 = Some(value);
    }

    fn next(&self) -> Option<f64> {
        self.0
    }
}
