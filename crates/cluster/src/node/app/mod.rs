//! The applications: the tasks of a job on their nodes, and the programs that they run.

pub(in crate::node) mod job;
pub(in crate::node) mod process;
pub(in crate::node) mod task;
