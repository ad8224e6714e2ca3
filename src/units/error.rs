//! What is wrong with a quantity, in words that let its author mend it.

use thiserror::Error;

/// A text that is no quantity of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct BadQuantity {
    /// What is wrong, naming the offending text.
    pub problem: String,
    /// What a value of this kind looks like, for example `a duration such as "90s" or "2h30m"`.
    pub expected: &'static str,
    /// The units that are known for it, or the correction when there is an obvious one.
    pub help: String,
}

impl BadQuantity {
    /// A complaint about `problem`, with the list of `units` as help.
    pub(super) fn new(problem: String, expected: &'static str, units: &[&str]) -> Self {
        BadQuantity { problem, expected, help: format!("units: {}", units.join(", ")) }
    }
}
