//! What a run is given to do: jobs, and what their users do with them besides submitting them.
//!
//! All but the jobs is kept next to them and only where it is asked for, so that a job stays small and a run without it pays
//! nothing.

use std::sync::Arc;

use super::Job;
use super::cancellation::Cancellations;
use super::dependency::Dependencies;
use super::moldable::Moldable;

/// The work of a run.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// The jobs, in order of submission.
    pub jobs: Arc<Vec<Job>>,
    /// Which of them wait for others.
    pub dependencies: Option<Arc<Dependencies>>,
    /// Which of them are cancelled, and when.
    pub cancellations: Option<Arc<Cancellations>>,
    /// Which of them may be given other sizes, and how long they run then.
    pub moldable: Option<Arc<Moldable>>,
}

/// What users do in a run, as far as its figures depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub struct Habits {
    /// Their jobs may wait for others.
    pub depends: bool,
    /// They submit jobs when others have ended.
    pub follows: bool,
    /// They may cancel jobs.
    pub cancels: bool,
    /// They let the scheduler choose how many processors their jobs get.
    pub molds: bool,
}

impl Workload {
    /// What their users do.
    pub fn habits(&self) -> Habits {
        Habits {
            depends: self.dependencies.is_some(),
            follows: self.dependencies.as_ref().is_some_and(|all| all.has_think_times()),
            cancels: self.cancellations.is_some(),
            molds: self.moldable.is_some(),
        }
    }
}

impl Habits {
    /// All that there is.
    pub const ALL: Habits = Habits { depends: true, follows: true, cancels: true, molds: true };

    /// What is done in either.
    #[must_use]
    pub fn or(self, other: Habits) -> Habits {
        Habits {
            depends: self.depends || other.depends,
            follows: self.follows || other.follows,
            cancels: self.cancels || other.cancels,
            molds: self.molds || other.molds,
        }
    }
}

impl From<Arc<Vec<Job>>> for Workload {
    fn from(jobs: Arc<Vec<Job>>) -> Self {
        Workload { jobs, ..Workload::default() }
    }
}
