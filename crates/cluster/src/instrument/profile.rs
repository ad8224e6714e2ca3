//! The execution profile: where the time of every processor goes.
//!
//! A processor is in exactly one [`Activity`] at every instant, and its [`Account`] gets each
//! change. Spans are whole nanoseconds, so the account of a processor adds up to the length of the
//! run without any rounding, and a run checks that at its end.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 5.1 and 6 (figure 9): compute,
//! spin, interrupt, switch, idle. Deviation: idle time during which a task of the node waits for
//! its I/O is an activity of its own, as are message overheads, the scheduler's own work,
//! operating-system daemons and paging.

use crate::kernel::{SimDuration, SimTime};
use crate::registry::definition::words;

words! {
    /// Activity of a processor.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum Activity {
        Compute = "compute", "a task computes";
        Message = "message-overhead", "a task composes or decomposes a message";
        Spin = "spin", "a task busy-waits for a message";
        Switch = "switch", "a context switch, or the switch to another slice";
        Interrupt = "interrupt", "the service of an interrupt";
        Scheduler = "scheduler", "the scheduler itself: run-queue manipulation, the boost daemon, a front end's decisions";
        Daemon = "daemon", "a daemon of the operating system";
        Paging = "paging", "pages of a task are brought in";
        IoWait = "io-wait", "nothing, while a task of the node waits for its I/O";
        Idle = "idle", "nothing";
    }
}

/// Number of activities there are.
pub const ACTIVITIES: usize = Activity::ALL.len();

impl Activity {
    /// Returns true if it is what a task does by itself.
    pub const fn is_of_one_task(self) -> bool {
        matches!(self, Activity::Compute | Activity::Message | Activity::Spin)
    }

    /// Returns true if a job can be charged with it: not with what a processor does of itself.
    pub const fn is_of_a_task(self) -> bool {
        !matches!(
            self,
            Activity::Switch | Activity::Daemon | Activity::Paging | Activity::IoWait | Activity::Idle
        )
    }

    /// Returns true if it is what users want done: compute and message overheads.
    pub const fn is_useful(self) -> bool {
        matches!(self, Activity::Compute | Activity::Message)
    }
}

/// Spans of time by activity \[ns\].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent([u64; ACTIVITIES]);

impl Spent {
    /// Adds a span.
    #[inline]
    pub fn add(&mut self, activity: Activity, span: SimDuration) {
        self.0[activity as usize] += span.as_nanos();
    }

    /// Adds all of another's spans.
    pub fn merge(&mut self, other: &Spent) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }

    /// The spans of `self` that `earlier` did not have yet.
    #[must_use]
    pub fn since(&self, earlier: &Spent) -> Spent {
        let mut spent = *self;
        for (mine, theirs) in spent.0.iter_mut().zip(earlier.0) {
            *mine -= theirs;
        }
        spent
    }

    /// The time spent so \[ns\].
    pub fn of(&self, activity: Activity) -> u64 {
        self.0[activity as usize]
    }

    /// All the time \[ns\].
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Compute and message overheads \[ns\].
    pub fn useful(&self) -> u64 {
        self.sum(Activity::is_useful)
    }

    /// Time in which the processor did anything at all \[ns\].
    pub fn busy(&self) -> u64 {
        self.sum(|activity| !matches!(activity, Activity::IoWait | Activity::Idle))
    }

    fn sum(&self, which: impl Fn(Activity) -> bool) -> u64 {
        Activity::ALL.into_iter().filter(|&activity| which(activity)).map(|activity| self.of(activity)).sum()
    }
}

/// The account of one processor.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Account {
    since: SimTime,
    activity: Activity,
    spent: Spent,
}

impl Account {
    /// A processor that is idle from `start` on.
    pub fn new(start: SimTime) -> Self {
        Account { activity: Activity::Idle, since: start, spent: Spent::default() }
    }

    /// From now on the processor is in `activity`; gives what it was in, and for how long.
    #[inline]
    pub fn enter(&mut self, activity: Activity, now: SimTime) -> (Activity, SimDuration) {
        let (before, span) = (self.activity, now.since(self.since));
        self.spent.add(before, span);
        (self.activity, self.since) = (activity, now);
        (before, span)
    }

    /// Present activity of the processor.
    #[inline]
    pub fn activity(&self) -> Activity {
        self.activity
    }

    /// The spans up to `now`.
    pub fn spent(&self, now: SimTime) -> Spent {
        let mut spent = self.spent;
        spent.add(self.activity, now.since(self.since));
        spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nanosecond_is_in_exactly_one_activity() {
        let at = SimTime::from_nanos;
        let mut account = Account::new(at(5));
        assert_eq!(account.enter(Activity::Compute, at(7)), (Activity::Idle, SimDuration::from_nanos(2)));
        account.enter(Activity::Spin, at(17));
        account.enter(Activity::Interrupt, at(17));
        account.enter(Activity::Spin, at(20));
        let spent = account.spent(at(24));
        let of = |activity| spent.of(activity);
        assert_eq!(Activity::ALL.map(of), [10, 0, 4, 0, 3, 0, 0, 0, 0, 2]);
        assert_eq!((spent.total(), spent.busy(), spent.useful()), (19, 17, 10));
    }

    #[test]
    fn activities_are_numbered_in_their_order_and_named_apart() {
        assert!(Activity::ALL.iter().enumerate().all(|(place, &activity)| activity as usize == place));
        let mut names = Activity::ALL.map(Activity::name);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
