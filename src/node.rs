//! The cluster at detail `task`: nodes with processors, an operating system, a network interface,
//! and what lies between.

pub use clustersim_cluster::node::Scheme;

/// The network of the nodes: the interface of each, and the interconnect between them.
pub mod net {
    /// Interconnects: how long a message takes from one network interface to the other.
    pub mod interconnect {
        pub use clustersim_cluster::node::net::interconnect::{Carrier, Interconnect};
    }
}

/// The operating system of a node: its processors and the order of the tasks on them, its daemons,
/// and what it does about messages.
pub mod os {
    /// Arrival actions: what the arrival of a message means for its destination task.
    pub mod arrival {
        pub use clustersim_cluster::node::os::arrival::{Arrival, ArrivalAction, Reaction};
    }

    /// CPU schedulers: the order in which the ready tasks of a node run.
    pub mod cpu {
        pub use clustersim_cluster::node::os::cpu::{
            CpuScheduler, Entering, Reservation, RunQueue, TaskKey, TimedQueue,
        };
    }

    /// Periodic actions: what a daemon of the operating system does periodically about tasks that
    /// spin without a message.
    pub mod periodic {
        pub use clustersim_cluster::node::os::periodic::{Candidate, PeriodicAction};
    }

    /// Wait actions: what a task does while the message it needs is not there.
    pub mod wait {
        pub use clustersim_cluster::node::os::wait::{Spinning, Step, WaitAction};
    }
}
