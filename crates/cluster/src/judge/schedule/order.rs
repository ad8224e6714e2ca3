//! The order of a queue: by submission, by estimate, by size, or by a priority that moves.

use super::{PriorityOrder, Row};

/// By what jobs are ordered that wait; equal ones in order of submission.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Order<'a> {
    /// Earlier submissions first.
    Submission,
    /// Shorter estimates first.
    Estimate,
    /// Fewer processors first.
    Fewest,
    /// More processors first.
    Most,
    /// Higher priorities first.
    Priority(&'a PriorityOrder<'a>),
}

impl Order<'_> {
    /// The order of a discipline in which only the head of the queue may start, if it is one that
    /// stands while jobs wait.
    pub fn of(queue: &str) -> Option<Self> {
        match queue {
            "fcfs" => Some(Order::Submission),
            "sjf" => Some(Order::Estimate),
            "smallest" => Some(Order::Fewest),
            "largest" => Some(Order::Most),
            _ => None,
        }
    }

    /// The key by which a job stands in an order that does not move.
    pub(super) fn key(self, row: &Row) -> u64 {
        match self {
            Order::Submission | Order::Priority(_) => 0,
            Order::Estimate => row.estimate.as_nanos(),
            Order::Fewest => u64::from(row.procs),
            Order::Most => u64::MAX - u64::from(row.procs),
        }
    }
}
