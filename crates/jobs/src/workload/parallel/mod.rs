//! Parallel applications: what the tasks of a job do.
//!
//! At detail `job` a job is a number of processors and a run time. Here it is a program for each of
//! its tasks: iterations of computing, input and output, sending and receiving; a pipeline of
//! stages; or a recorded sequence of steps. [`Application`] says what the tasks do and not how long
//! a node takes for it: no process, no node, no network. What stays in
//! [`Job`](crate::workload::Job) is what a front end may know, its number of tasks and the time it
//! takes on nodes of its own.
//!
//! No time of a task is drawn when a workload is loaded. A task draws its own as it runs, by
//! [`TaskTimes`], from a stream of its own for each purpose. So a task's times do not depend on the
//! scheduler, on other jobs or on the number of tasks with it.
//!
//! Source: the job model of ClusterSchedSim (SIMULATION 80(4-5), 2004, section 2.2), where a job is
//! its arrival, iterations, tasks, laws of computing and of I/O for each task, and a pattern of
//! communication.

mod application;
pub mod class;
mod keys;
pub mod pattern;
mod playback;
mod program;
pub(in crate::workload) mod stream;
pub mod structure;
mod task_times;
pub mod trace;
pub(in crate::workload) mod trace_source;

pub use application::{Application, Applications, Quality};
pub use playback::{Unplayable, dedicated_time, faults};
pub use program::{Iterations, Pipeline, Program, RecordedStep, Times};
pub use task_times::TaskTimes;
pub use trace_source::MARK;
