//! Reasons for starts, and reports of a policy on the one job that is asked about (`--explain`):
//! what keeps it back, after each decision.
//!
//! The front end holds the [`Explanation`], if there is one, and notes submissions, starts and ends
//! in it; nothing is looked at and nothing kept where none is asked for. The words are made after
//! the run.

use std::cell::RefMut;

use crate::batch::queue::{Queue, Waiting};
use crate::instrument::explanation::{Explanation, Obstacle, Of, Shortage, WaitCause};
use crate::kernel::now;

use super::FrontEnd;

/// Capacity on which jobs may start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    /// The largest need that can be met.
    pub(super) count: u64,
    /// Of what.
    pub(super) of: Of,
    /// True if the discipline starts any job that fits.
    pub(super) any: bool,
}

/// The explanation, if one is asked for and its job waits.
pub(super) fn waits(front: &FrontEnd) -> Option<RefMut<'_, Explanation>> {
    front.explanation().filter(|explanation| explanation.waits())
}

/// Notes that a job of the queue is about to start; its estimate counts `stretch` times.
pub(super) fn note_start(front: &FrontEnd, queue: &Queue, next: &Waiting, stretch: u64) {
    let Some(mut explanation) = waits(front) else { return };
    let before = |waiting: &&Waiting| *waiting < next;
    // a job submitted later overtakes in any case
    let behind = next.job < explanation.job()
        && queue.iter().take_while(before).any(|waiting| waiting.job == explanation.job());
    let estimate = next.estimate.checked_mul(stretch).unwrap_or(next.estimate);
    explanation.passes(next.job, behind, estimate);
}

/// Explains what keeps the job back, if it is in the queue; `obstacle` says why it may not overtake
/// the head.
pub(super) fn explain(
    front: &FrontEnd,
    queue: &Queue,
    free: Free,
    obstacle: impl FnOnce(&Waiting, &Waiting) -> Obstacle,
) {
    let shortage = |of: &Waiting| Shortage { need: u64::from(of.procs), free: free.count, of: free.of };
    explain_by(front, queue, free.any, shortage, obstacle);
}

/// The same where a shortage is of what a job asks for; `any` as in [`Free`].
pub(super) fn explain_by(
    front: &FrontEnd,
    queue: &Queue,
    any: bool,
    shortage: impl Fn(&Waiting) -> Shortage,
    obstacle: impl FnOnce(&Waiting, &Waiting) -> Obstacle,
) {
    let Some(mut explanation) = waits(front) else { return };
    let Some(head) = queue.head() else { return };
    let Some(&own) = queue.iter().find(|waiting| waiting.job == explanation.job()) else { return };
    let cause = match (any, own.job == head.job) {
        (true, _) => WaitCause::NoRoom(shortage(&own)),
        (false, true) => WaitCause::First(shortage(&own), obstacle(&head, &own)),
        (false, false) => WaitCause::Behind(head.job, shortage(&head), obstacle(&head, &own)),
    };
    explanation.note(cause, now());
}

/// Obstacle of a job where no job may overtake.
pub(super) fn in_order(_: &Waiting, _: &Waiting) -> Obstacle {
    Obstacle::Order
}
