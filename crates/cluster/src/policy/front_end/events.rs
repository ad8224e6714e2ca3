//! Events that a policy hears of, and the order of what happens at one instant: it stands here and
//! nowhere else.
//!
//! What happens at an instant happens in this order:
//!
//! | | what happens | the process waits by |
//! |---|---|---|
//! | 1 | jobs end, by themselves, at limits, or cancelled while they run; tasks leave | `hold` |
//! | 2 | nodes fail, and interrupt jobs that do not end now; others are repaired | `hold` |
//! | 3 | jobs are submitted, or released by others that left | `hold` |
//! | 4 | reservations end, become known, begin; waiting jobs are cancelled | `timer` |
//! | 5 | the policy decides, once, when all of that is over | `settle` |
//!
//! Among the first three only that order matters that the table tells: one decision sees them all.
//! The policy hears of an instant in the order of [`Turn`]: first of ends, then of jobs that leave
//! its queue, then of other changes of capacity, at last of jobs that come. Within a turn the order
//! is that in which things happened.

use std::vec;

use crate::collections::{Interval, StableSort};
use crate::ids::JobId;
use crate::instrument::OnNodeFailure;
use crate::kernel::{SimDuration, SimTime};

/// Turns in which a policy hears of an instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Turn {
    /// Jobs and tasks that ended.
    Ends,
    /// Waiting jobs that are cancelled.
    Withdrawals,
    /// Jobs that were interrupted, each followed by its arrival if it waits again at once.
    Interruptions,
    /// Processors and reservations.
    Capacity,
    /// Jobs that come.
    Arrivals,
}

/// Event of a site, as a policy hears of it. Further versions may have more.
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SiteEvent {
    /// A job ended, by itself, at its limit, or cancelled while it ran: its processors are free.
    Ended(JobId),
    /// A task left this processor before its job ends, where tasks do.
    Left(u32),
    /// A job that had arrived, and has not started since, was cancelled by its user.
    Withdrawn(JobId),
    /// A job lost its processors, to a node that failed or to maintenance. If it waits again it
    /// arrives again: that is the event that follows, or comes later where the site delays it.
    Interrupted(Interruption),
    /// Processors went out of service: they are not free until they come back, which may be at the
    /// same instant.
    Failed(Interval),
    /// Processors came back into service.
    Repaired(Interval),
    /// The reservation of this number became known:
    /// [`FrontEnd::planned`](super::FrontEnd::planned) describes it.
    Announced(u32),
    /// The reservation of this number began: its processors are not free until it ends. Jobs that
    /// were on them are interrupted.
    Begun(u32),
    /// A reservation that had so many processors is over.
    Returned(u64),
    /// A job may be started from now on: it was submitted and is not held, or the others have left
    /// that held it, or it was interrupted and waits again.
    Arrived(JobId),
    /// A feature of another crate took over this job, and wants it to start now, before all that
    /// wait: a policy starts it, or hands it back if it cannot start
    /// ([`FrontEnd::hand_back`](super::FrontEnd::hand_back)).
    Due(JobId),
}

/// Interruption of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interruption {
    /// The job.
    pub job: JobId,
    /// Instant at which the run that was interrupted had started.
    pub start: SimTime,
    /// Work of all its runs that the job need not do again.
    pub kept: SimDuration,
    /// True if it waits again; else it is lost, and over.
    pub then: OnNodeFailure,
}

/// News of one closed instant: its events in their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct News(Vec<SiteEvent>);

impl News {
    /// Returns true if nothing happened.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<SiteEvent> for News {
    fn from_iter<I: IntoIterator<Item = SiteEvent>>(events: I) -> Self {
        News(events.into_iter().collect())
    }
}

impl IntoIterator for News {
    type Item = SiteEvent;
    type IntoIter = vec::IntoIter<SiteEvent>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Events that no policy has heard of yet, in the order in which they happened.
#[derive(Debug, Default)]
pub(super) struct Gathered(Vec<(Turn, SiteEvent)>);

impl Gathered {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Something happens now.
    pub(super) fn push(&mut self, event: SiteEvent) {
        let turn = match event {
            SiteEvent::Ended(_) | SiteEvent::Left(_) => Turn::Ends,
            SiteEvent::Withdrawn(_) => Turn::Withdrawals,
            SiteEvent::Interrupted(_) => Turn::Interruptions,
            SiteEvent::Failed(_)
            | SiteEvent::Repaired(_)
            | SiteEvent::Announced(_)
            | SiteEvent::Begun(_)
            | SiteEvent::Returned(_) => Turn::Capacity,
            SiteEvent::Arrived(_) | SiteEvent::Due(_) => Turn::Arrivals,
        };
        self.0.push((turn, event));
    }

    /// A job that was interrupted waits again at once.
    pub(super) fn waits_again(&mut self, job: JobId) {
        self.0.push((Turn::Interruptions, SiteEvent::Arrived(job)));
    }

    /// A waiting job is cancelled: a policy that has not heard of it hears nothing.
    pub(super) fn withdraw(&mut self, job: JobId) {
        let comes = |event| event == SiteEvent::Arrived(job) || event == SiteEvent::Due(job);
        match self.0.iter().position(|&(_, event)| comes(event)) {
            Some(place) => {
                self.0.remove(place);
            }
            None => self.push(SiteEvent::Withdrawn(job)),
        }
    }

    /// Gives the events of an instant to a policy: none are left.
    pub(super) fn hand_out(&mut self) -> News {
        let mut events = std::mem::take(&mut self.0);
        let turn = |&(turn, _): &(Turn, SiteEvent)| turn;
        if !events.is_sorted_by_key(turn) {
            events.stable_sort_by_key(turn);
        }
        events.into_iter().map(|(_, event)| event).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(job: u32, then: OnNodeFailure) -> SiteEvent {
        let (start, kept) = (SimTime::ZERO, SimDuration::ZERO);
        SiteEvent::Interrupted(Interruption { job: JobId(job), start, kept, then })
    }

    #[test]
    fn an_instant_is_handed_out_in_turns_and_within_a_turn_as_it_happened() {
        let (again, over) = (lost(3, OnNodeFailure::Requeued), lost(4, OnNodeFailure::Lost));
        let part = Interval::new(0, 3);
        let (ended, arrived) = (|job| SiteEvent::Ended(JobId(job)), |job| SiteEvent::Arrived(JobId(job)));
        let mut gathered = Gathered::default();
        for event in [arrived(6), SiteEvent::Failed(part), again, over, ended(2), arrived(5), ended(1)] {
            gathered.push(event);
            if event == again {
                gathered.waits_again(JobId(3));
            }
        }
        let heard: Vec<SiteEvent> = gathered.hand_out().into_iter().collect();
        let expected =
            [ended(2), ended(1), again, arrived(3), over, SiteEvent::Failed(part), arrived(6), arrived(5)];
        assert_eq!(heard, expected);
        assert!(gathered.is_empty());
    }

    #[test]
    fn a_job_that_comes_and_is_cancelled_within_an_instant_is_not_mentioned() {
        let mut gathered = Gathered::default();
        gathered.push(SiteEvent::Arrived(JobId(1)));
        gathered.withdraw(JobId(1));
        assert!(gathered.is_empty());
        gathered.withdraw(JobId(1));
        let heard: Vec<SiteEvent> = gathered.hand_out().into_iter().collect();
        assert_eq!(heard, [SiteEvent::Withdrawn(JobId(1))]);
    }
}
