//! Counts of the records of an input, read and dropped: a study says of how many its figures are.

use serde::{Deserialize, Serialize};

/// Counts of the records of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputCounts {
    /// Records that the input holds; files call them jobs, as those of all logs are.
    #[serde(rename = "jobs")]
    pub records: u64,
    /// Records that were dropped.
    pub dropped: u64,
    /// Records that the most frequent cause of repair befell, of the causes that change what a
    /// record is.
    pub repaired: u64,
}
