//! Hosts: what they are, what they compute, read and write, and how they fail.

mod disks;
mod failures;
mod host;
mod parallel;
mod prediction;
mod processors;

pub use disks::{Access, AccessFailed, Disks};
pub use failures::{HostObserver, HostWatch, watch_hosts};
pub use host::{Disk, Host, HostId};
pub use parallel::{Parallel, ParallelFailed, execute_parallel};
pub use prediction::{Errors, Factors, Law};
pub use processors::{Execution, ExecutionFailed, Processors, Ticket};
