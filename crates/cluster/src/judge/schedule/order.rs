//! The order of a queue, as far as a schedule has it: by submission, by estimate or by size.

use super::Row;

/// By what jobs are ordered that wait; equal ones in order of submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Earlier submissions first.
    Submission,
    /// Shorter estimates first.
    Estimate,
    /// Fewer processors first.
    Fewest,
    /// More processors first.
    Most,
}

impl Order {
    /// The order of a discipline in which only the head of the queue may start, if it is known
    /// here.
    pub fn of(queue: &str) -> Option<Self> {
        match queue {
            "fcfs" => Some(Order::Submission),
            "sjf" => Some(Order::Estimate),
            "smallest" => Some(Order::Fewest),
            "largest" => Some(Order::Most),
            _ => None,
        }
    }

    /// The position in the queue of a job at this place in order of submission.
    pub(super) fn stand(self, row: &Row, place: usize) -> (u64, usize) {
        let key = match self {
            Order::Submission => 0,
            Order::Estimate => row.estimate.as_nanos(),
            Order::Fewest => u64::from(row.procs),
            Order::Most => u64::MAX - u64::from(row.procs),
        };
        (key, place)
    }
}
