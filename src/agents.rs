//! Agents: programs on the hosts of a platform that compute, and send each other tasks.

pub use clustersim_agents::{
    Agent, AgentError, AgentId, Behaviour, Channel, Completed, DeployedAgent, Failure, FlowOutcome,
    FlowState, GetHandle, GivenFlow, Mailbox, NotSent, OnFailure, Outcome, Outcomes, Peer, PutHandle,
    Recording, Records, Sender, Task, World, simulate,
};

/// Records: every operation of every agent, in columns.
pub mod record {
    pub use clustersim_agents::record::{Entry, Operation};
}

/// Roles: what the agents of a scenario do, one file a role or pair of roles.
pub mod role {
    pub use clustersim_agents::role::{Assignment, Deployment, Member, Role, TaskCount};

    /// The bound on the long-run rate of a master.
    pub mod steady_state {
        pub use clustersim_agents::role::steady_state::Optimum;
    }

    /// Strategies by which a master chooses the waiting worker that it serves next.
    pub mod strategy {
        pub use clustersim_agents::role::strategy::{Chooses, Strategy, Waiting};
    }
}

/// SG: tasks that a program schedules on resources by itself, and lets run.
pub mod sg {
    pub use clustersim_agents::sg::{
        Knowledge, Order, Refused, Resource, ResourceId, State, StopCondition, Stuck, TaskId, TaskRecord,
        Toolkit,
    };
}

/// Tables that a run of agents hands over, and its timeline.
pub mod tables {
    pub use clustersim_agents::tables::OperationRows;
}
