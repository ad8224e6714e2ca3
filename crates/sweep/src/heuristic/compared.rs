//! The numbers that decide which task is next, as an explanation states them.

use crate::kernel::SimTime;

/// A number that the rule of a heuristic compares.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DecidingNumber {
    /// Name of the number for programs.
    pub name: &'static str,
    /// Name of the number in a sentence.
    pub about: &'static str,
    /// The number.
    pub value: ComparedValue,
}

/// A number of some kind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ComparedValue {
    /// An instant.
    At(SimTime),
    /// A difference between instants, in nanoseconds.
    Span(f64),
    /// A count.
    Count(u64),
    /// No such number: no second cluster, no jump.
    None,
}

impl DecidingNumber {
    /// An instant in nanoseconds, if there is one.
    pub fn at(name: &'static str, about: &'static str, nanos: Option<u64>) -> Self {
        let value = nanos.map_or(ComparedValue::None, |nanos| ComparedValue::At(SimTime::from_nanos(nanos)));
        DecidingNumber { name, about, value }
    }

    /// A difference in nanoseconds, if there is one.
    pub fn span(name: &'static str, about: &'static str, nanos: Option<f64>) -> Self {
        DecidingNumber { name, about, value: nanos.map_or(ComparedValue::None, ComparedValue::Span) }
    }

    /// A count, if there is one.
    pub fn count(name: &'static str, about: &'static str, count: Option<u64>) -> Self {
        DecidingNumber { name, about, value: count.map_or(ComparedValue::None, ComparedValue::Count) }
    }

    /// The completion of a task on its best host.
    pub(super) fn best(completion: u64) -> Self {
        DecidingNumber::at("completion", "its completion", Some(completion))
    }
}
