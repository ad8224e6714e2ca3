//! SG: tasks that a program schedules on resources by itself, and lets run.
//!
//! The lower of SimGrid's two layers. There are no agents: the scheduler holds the [`Toolkit`],
//! says what the resources are, which tasks there are and which wait for which, puts tasks on
//! resources, lets time pass until something of interest has happened, and decides again.
//!
//! ```
//! use clustersim_agents::sg::{Order, Resource, StopCondition, Toolkit};
//! use clustersim_kernel::SimTime;
//!
//! let mut sg = Toolkit::default();
//! let host = sg.resource(Resource::host("h", 10.0, Order::Fifo));
//! let link = sg.resource(Resource::link("l", 5.0, 0.5, Order::Fifo));
//! let data = sg.transfer("data", 20.0);
//! let work = sg.computation("work", 100.0);
//! sg.depends(work, data).unwrap();
//! sg.schedule(data, &[link]).unwrap();
//! sg.schedule(work, &[host]).unwrap();
//! sg.simulate(StopCondition::Completed(work)).unwrap();
//! assert_eq!(sg.now(), SimTime::from_nanos(14_500_000_000)); // 0.5 + 20/5, then 100/10
//! ```
//!
//! ```text
//! unscheduled --1--> scheduled --2--> ready --3--> running --4--> completed
//!      ^------------------5-----------------'         '-----6--> failed --5--> unscheduled
//! ```
//! 1. The program puts it on a resource; a transfer on the links of a path, in order.
//! 2. All that it depends on has completed.
//! 3. The resource serves it ([`Order`]).
//! 4. Its work is done, on the last link of its path; the latency of that is over.
//! 5. The program takes it back; what was done is lost.
//! 6. Its resource fails while it is ready or running, or is down as it becomes ready.
//!
//! At equal times resources are served in the order of creation; a task that ends makes room before
//! another becomes ready. Links carry a transfer one after the other, all of it each (store and
//! forward), and are free for others while its latency passes.
//!
//! Source: H. Casanova, "Simgrid: a toolkit for the simulation of application scheduling", CCGrid
//! 2001; "Scheduling Distributed Applications: the SimGrid Simulation Framework", 2003, sections
//! III.A and IV.A. Failures, and that a transfer may have a path of several links, are choices of
//! ours.

mod passing;
mod predict;
mod task;
#[cfg(test)]
mod tests;
mod toolkit;

pub use crate::platform::sharing::Discipline as Order;
pub use passing::{StopCondition, Stuck};
pub use predict::Knowledge;
pub use task::{State, TaskId, TaskRecord};
pub use toolkit::{Refused, Resource, ResourceId, Toolkit};
