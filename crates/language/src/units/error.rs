//! Mistakes in quantities, in words that let their author mend them.

use thiserror::Error;

/// A text that is no quantity of the wanted kind.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct BadQuantity {
    /// Message, naming the offending text.
    pub problem: String,
    /// Form of a value of this kind, for example `a duration such as "90s" or "2h30m"`.
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
