//! Failures of plans.

use crate::kernel::{PAST_THE_END, SimTime};

/// Reason that a scheduler has no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CannotPlan {
    /// No host can have this task: none can run it, or nothing can be sent there from its parents.
    #[error("no host can have task `{task}`: {because}")]
    NoHost {
        /// The task.
        task: String,
        /// Reason that keeps it off hosts.
        because: String,
    },
    /// The rule wants a host that nothing runs on yet, and every host is used.
    #[error("the grid is too small: the rule wants an unused host for task `{0}`, and all hosts are used")]
    GridTooSmall(String),
    /// Objection of a rule of one's own.
    #[error("{0}")]
    Own(String),
}

/// Mistakes of a plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unlawful {
    /// No such task, or one that is not to be planned.
    #[error("task `{0}` is not to be planned now")]
    NotOpen(String),
    /// No such core.
    #[error("task `{0}` is on core {1} of {2}")]
    NoCore(String, u32, u32),
    /// A task has more or fewer cores than it asks for.
    #[error("task `{0}` asks for {1} of the cores of a host and is on {2}")]
    Cores(String, u32, u32),
    /// A task has cores of several hosts.
    #[error("task `{0}` is on cores of several hosts")]
    Apart(String),
    /// The host cannot run the task.
    #[error("task `{0}` is on host `{1}`, which cannot run it")]
    CannotRun(String, String),
    /// A task stands in the plan twice.
    #[error("task `{0}` is planned twice")]
    Twice(String),
    /// A task is left out.
    #[error("task `{0}` is left out")]
    LeftOut(String),
    /// Parent and child are on hosts of a void pair.
    #[error("task `{0}` is on host `{1}`, where nothing can be sent from host `{2}` of its parent `{3}`")]
    Void(String, String, String, String),
    /// The orders of the cores and the edges go round.
    #[error("tasks would wait for each other: {0}")]
    Circle(String),
    /// A task is placed, and its parent has no place.
    #[error("task `{0}` is placed before its parent `{1}`")]
    BeforeParent(String, String),
    /// A core that computes something else.
    #[error("task `{0}` is placed on core {1}, which is busy")]
    Busy(String, u32),
}

/// Reason that a run ended before its last task.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum RunFailed {
    /// A scheduler has no plan.
    #[error("scheduler `{scheduler}` has no plan at {at}: {why}")]
    NoPlan {
        /// The scheduler.
        scheduler: String,
        /// Instant at which it was asked.
        at: SimTime,
        /// Reason.
        why: CannotPlan,
    },
    /// A plan that cannot be executed.
    #[error("scheduler `{scheduler}` made an unlawful plan at {at}: {why}")]
    Unlawful {
        /// The scheduler.
        scheduler: String,
        /// Instant at which it was asked.
        at: SimTime,
        /// The mistake.
        why: Box<Unlawful>,
    },
    /// A task that never ends on its host, or a transfer that never arrives.
    #[error("{0} would end {PAST_THE_END}: too little is available for it, or nothing any more")]
    Never(String),
    /// A task was lost with its host, and nothing is planned again.
    #[error("task `{task}` was lost when host `{host}` failed at {at}, and nothing is planned again")]
    Lost {
        /// The task.
        task: String,
        /// Host.
        host: String,
        /// Instant.
        at: SimTime,
    },
    /// Nothing happens any more, and tasks have not ended.
    #[error("nothing happens after {at}: {waits}")]
    Stuck {
        /// Instant of the last event.
        at: SimTime,
        /// The tasks and transfers that wait, for which hosts and links, and since when.
        waits: String,
    },
}
