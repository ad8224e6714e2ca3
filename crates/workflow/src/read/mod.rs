//! Files of task graphs, of every format, plain or gzip.
//!
//! | format | work | bytes | names |
//! |---|---|---|---|
//! | DAX 2, 3 | `runtime` \[s\] | sizes of common files | `id` |
//! | YAML of Pegasus 5 | `runtime` of `profiles` \[s\] | sizes of common files | `id` |
//! | WfFormat 1.0 to 1.6 | `runtimeInSeconds`, `runtime` | common files | `id`, before 1.5 `name` |
//! | DOT, as SimGrid writes it | `size` \[flop\] | `size` of an edge | those of DOT |
//! | STG | time × time unit | none | numbers |
//! | text of DAGSim | seconds | of an edge | as written |
//!
//! Seconds become flop by the reference speed. Sizes are whole bytes: fractions are rounded. Each
//! reader puts what it finds into a [`Draft`](crate::Draft); whatever is wrong is
//! reported at once, each mistake with its line and column.

mod costs;
mod dax;
mod dot;
mod dot_words;
mod file;
mod format;
pub mod marks;
mod pegasus;
mod stg;
mod text;
mod wfformat;

use crate::draft::Irregularities;
use crate::graph::{TaskNumber, Workflow};

pub use crate::units::REFERENCE_SPEED;
pub use file::read;
pub use format::GraphFormat;

/// Settings that the text of a file leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Flop in a second of the machines on which times were measured.
    pub reference_speed: f64,
    /// True if tasks ask for the cores that the file states; else for one.
    pub cores: bool,
    /// True if the speed of the machine that ran a task counts, where the file states it, and not
    /// the reference speed.
    pub machine_speed: bool,
    /// Seconds in a unit of time of a file that states none (STG).
    pub time_unit: f64,
    /// True if costs that the file lacks come from elsewhere: it may state those of some tasks
    /// only.
    pub without_costs: bool,
    /// The attribute of a node that is its work (DOT).
    pub cost_attribute: Box<str>,
    /// The attribute of an edge that is its bytes (DOT).
    pub bytes_attribute: Box<str>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            reference_speed: REFERENCE_SPEED,
            cores: false,
            machine_speed: false,
            time_unit: 1.0,
            without_costs: false,
            cost_attribute: "size".into(),
            bytes_attribute: "size".into(),
        }
    }
}

/// A graph from outside, and what was irregular in its description.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedWorkflow {
    /// The graph.
    pub workflow: Workflow,
    /// Irregularities that were read all the same, by kind.
    pub irregularities: Vec<Irregularities>,
    /// Tasks of which the file states no cost.
    pub without_cost: Vec<TaskNumber>,
}

#[cfg(test)]
mod pegasus_tests;
#[cfg(test)]
mod tests;
