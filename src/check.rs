//! Judges of finished runs: whether their files keep what was promised, whatever made them.

pub use clustersim_experiment::check::{Judgement, Recomputation, Violation};

/// The judge of jobs on a cluster: the promises of published policies, for tests of your own.
#[cfg(feature = "cluster")]
pub mod cluster {
    pub use clustersim_cluster::judge::{
        LimitTurn, Requested, Row, head_promise, in_order, nothing_fits, reservation_promise, schedule,
    };
}
