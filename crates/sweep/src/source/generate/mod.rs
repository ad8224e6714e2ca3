//! Generated applications: tasks, and classes of files that they share by a rule each.
//!
//! Files are numbered class by class, then come the outputs in the order of the tasks. Every law
//! has a stream of its own, so that another law of one quantity moves no draw of another.
//!
//! Source: section 8 of the report of the Parameter Sweep Template names the applications; their
//! keys are the simulator's own.

mod generated;
mod sharing;
mod times;

pub(crate) use generated::ENTRIES;

#[cfg(test)]
mod tests;
