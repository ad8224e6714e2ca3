//! Marks of jobs: reasons for which the wait that a log records may be another one than that of a
//! simulation of the same jobs.
//!
//! A reader marks a job by the fields of its record. A simulation does not look at marks; an
//! account of how far it is from the log does.

/// A reason of the log for a wait of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WaitMark {
    /// A submission before the job could start: a dependency, a begin time, a hold, a limit.
    Held,
    /// A start in an advance reservation.
    Reserved,
    /// Demands that are left out of the simulation.
    LeftOut,
    /// A requeue, a preemption or a lost node.
    TriedAgain,
}

/// The marks of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct JobMarks(u8);

impl JobMarks {
    /// No mark.
    pub const NONE: JobMarks = JobMarks(0);

    /// The same marks, and another one if it holds.
    #[must_use]
    pub fn with(self, mark: WaitMark, holds: bool) -> Self {
        if holds { JobMarks(self.0 | 1 << mark as u8) } else { self }
    }

    /// The marks of either.
    #[must_use]
    pub fn or(self, other: JobMarks) -> Self {
        JobMarks(self.0 | other.0)
    }

    /// Returns true if the job has this mark.
    pub fn has(self, mark: WaitMark) -> bool {
        self.0 & 1 << mark as u8 != 0
    }

    /// Returns true if the job has no mark.
    pub fn are_none(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_is_one_of_its_own() {
        let all = [WaitMark::Held, WaitMark::Reserved, WaitMark::LeftOut, WaitMark::TriedAgain];
        for mark in all {
            let one = JobMarks::NONE.with(mark, true);
            assert_eq!(all.map(|other| one.has(other)), all.map(|other| other == mark));
            assert!(one.with(mark, false) == one && !one.are_none());
            assert!(one.or(JobMarks::NONE.with(WaitMark::Held, true)).has(WaitMark::Held));
        }
    }
}
