//! Jobs that wait for others to leave before they may be considered.
//!
//! ```text
//! submitted ──▶ held ──(every job it depends on has left)──▶ waits, as any other job
//!                 └────(one that had to succeed did not)───▶ rejected
//! ```
//!
//! An [`Edge`] holds one job until another has left: ended by itself, killed, or rejected. What has
//! to have become of that job, and when the dependent is submitted, is the edge's [`Rule`]. Edges
//! come from a log, whose jobs name the one before them and the think time of their user between
//! the two (`links`; SWF fields 17 and 18), and from a table of one's own (`table`). Jobs that
//! depend on each other in a circle would wait for ever, so there are no circles.
//!
//! Source: S. J. Chapin et al., JSSPP 1999 (preceding job, think time); N. Zakay and D. G.
//! Feitelson, "Preserving user behavior characteristics in trace-based simulation of parallel job
//! scheduling", MASCOTS 2014 (submissions that follow ends).

mod from_table;
mod graph;
pub mod links;
pub mod table;

use crate::ids::JobId;
use crate::kernel::SimDuration;

pub use from_table::with_dependency_table;
pub use graph::{Circle, Dependencies};
pub use links::Preceding;
pub use table::join as join_table;

/// A rule by which a job is held back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rule {
    /// Until the other has left, whatever became of it.
    AfterAny,
    /// Until the other has ended by itself; if it was killed or rejected, or failed by its log, the
    /// job is rejected.
    AfterOk,
    /// The job is submitted so long after the other has left, and not when its log says. A job has
    /// one such edge at most.
    ThinkTime(SimDuration),
}

/// One job is held until another has left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The job that is held.
    pub job: JobId,
    /// The job that it depends on.
    pub on: JobId,
    /// The rule by which it is held.
    pub rule: Rule,
}
