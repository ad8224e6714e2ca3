//! Two levels: real-time tasks with a reserved share of every period above whatever order the
//! others have.
//!
//! A task that has reserved a share has a budget of share × period, full again at the beginning of
//! every period from its start. While it has budget left it runs before all tasks without a
//! reservation; among such tasks the one whose period ends first does (earliest deadline first).
//! When its budget is used up it competes as one of the others until its next period.
//!
//! ```text
//!   reserved, budget left:  earliest end of period first
//!   ───────────────────── budget used up ▼   ▲ next period ─────
//!   best effort:            solaris, round-robin, fair …
//! ```
//!
//! Source: C. L. Liu, J. W. Layland, Journal of the ACM 20(1), 1973 (earliest deadline first);
//! budgets after C. W. Mercer, S. Savage, H. Tokuda, "Processor Capacity Reserves", 1994.
//! "ClusterSchedSim", section 7, mentions such work without its rules. Reservations past a whole
//! processor delay each other: it is for the front end to admit no more.

use std::ops::ControlFlow;

use slotmap::SecondaryMap;

use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Entry, Kind, entry};

use super::{CpuScheduler, Entering, RunQueue, TaskKey, TimedQueue};

pub(super) const ENTRY: Entry<dyn CpuScheduler> = entry! {
    "two-level" => "tasks with a reserved share first, earliest end of period first; the others as they would be by themselves",
    source "Liu and Layland, Journal of the ACM, 1973; Mercer, Savage and Tokuda, 1994",
    keys {
        "best-effort" Kind::Component("cpu-scheduler"), or "solaris" =>
            "the order of tasks without a reservation, or with a budget that is used up";
    },
    reads |params| {
        let best_effort = params.component::<dyn CpuScheduler>("best-effort", "cpu-scheduler")?;
        TwoLevel { best_effort }
    }
};

/// A share of a processor that a task has asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reservation {
    /// Number of times that it comes; above zero.
    pub period: SimDuration,
    /// Processor time in every period; above zero.
    pub budget: SimDuration,
}

#[derive(Debug)]
struct TwoLevel {
    best_effort: Box<dyn CpuScheduler>,
}

impl CpuScheduler for TwoLevel {
    fn run_queue(&self) -> Box<dyn RunQueue> {
        Box::new(Levels {
            below: self.best_effort.run_queue(),
            now: SimTime::ZERO,
            next_end: SimTime::MAX,

            reserved: SecondaryMap::new(),
            keys: Vec::new(),
            above: Vec::new(),
        })
    }

    fn keeps_reservations(&self) -> bool {
        true
    }
}

/// The reservation of a task.
#[derive(Clone, Copy, Debug)]
struct Reserved {
    of: Reservation,
    /// Rest of the budget of this period.
    left: SimDuration,
    /// Instant at which its period ends; `None` before it first becomes ready.
    ends: Option<SimTime>,
    /// True if it runs or is ready below.
    is_below: bool,
    /// True if it runs, on its budget.
    runs_above: bool,
}

#[derive(Debug)]
struct Levels {
    below: Box<dyn RunQueue>,
    now: SimTime,
    /// No period ends before this.
    next_end: SimTime,
    reserved: SecondaryMap<TaskKey, Reserved>,
    /// The tasks that have reserved a share.
    keys: Vec<TaskKey>,
    /// Ready tasks with budget left, in the order of entering.
    above: Vec<TaskKey>,
}

impl Levels {
    /// Instant at which the period of a task that runs above ends.
    fn ends(&self, task: TaskKey) -> Option<SimTime> {
        self.reserved.get(task).filter(|reserved| !reserved.is_below).and_then(|reserved| reserved.ends)
    }

    /// Returns true if a task above has an earlier end than `running`, or that is below; `None` if
    /// none is above.
    fn above_outranks(&self, running: TaskKey) -> Option<bool> {
        let first = self.above.iter().filter_map(|&task| self.ends(task)).min()?;
        Some(self.ends(running).is_none_or(|ends| first < ends))
    }
}

/// A task sleeps, which a queue without account of time need not know.
fn sleeps(queue: &mut dyn RunQueue, task: TaskKey) {
    if let Some(queue) = queue.timed() {
        queue.sleeps(task);
    }
}

impl RunQueue for Levels {
    fn enter(&mut self, task: TaskKey, how: Entering) {
        if let Some(reserved) = self.reserved.get_mut(task) {
            let ends = *reserved.ends.get_or_insert(self.now.saturating_add(reserved.of.period));
            self.next_end = self.next_end.min(ends);
            reserved.runs_above = false;
            let was_below = std::mem::replace(&mut reserved.is_below, reserved.left.is_zero());
            if !reserved.is_below {
                self.above.push(task);
                if was_below {
                    sleeps(self.below.as_mut(), task);
                }
                return;
            }
            if !was_below {
                self.below.enter(task, Entering::Woken);
                return;
            }
        }
        self.below.enter(task, how);
    }

    fn pick(&mut self, cpu: usize) -> Option<TaskKey> {
        let places = 0..self.above.len();
        let Some(first) = places.min_by_key(|&place| (self.ends(self.above[place]), place)) else {
            return self.below.pick(cpu);
        };
        let task = self.above.remove(first);
        self.reserved[task].runs_above = true;
        Some(task)
    }

    fn remove(&mut self, task: TaskKey) -> bool {
        match self.above.iter().position(|&ready| ready == task) {
            Some(place) => {
                self.above.remove(place);
                true
            }
            None => self.below.remove(task),
        }
    }

    fn take(&mut self, task: TaskKey) {
        self.remove(task);
        if let Some(reserved) = self.reserved.get_mut(task) {
            reserved.runs_above = !reserved.is_below;
        }
    }

    fn quantum(&self, task: TaskKey) -> Option<SimDuration> {
        if let Some(reserved) = self.reserved.get(task).filter(|reserved| !reserved.is_below) {
            return Some(reserved.left);
        }
        self.below.quantum(task)
    }

    fn ran(&mut self, task: TaskKey, span: SimDuration) {
        match self.reserved.get_mut(task) {
            Some(reserved) if !reserved.is_below => {
                // what it ran before the present period began came from the budget of the one
                // before
                let since = reserved.ends.map_or(SimDuration::ZERO, |ends| ends.since(self.now));
                let span = span.min(reserved.of.period.saturating_sub(since));
                reserved.left = reserved.left.saturating_sub(span);
            }
            _ => self.below.ran(task, span),
        }
    }

    fn outranks(&self, running: TaskKey) -> bool {
        let above = self.above_outranks(running);
        above.unwrap_or_else(|| self.ends(running).is_none() && self.below.outranks(running))
    }

    fn boosted_outranks(&self, running: TaskKey) -> bool {
        let above = self.above_outranks(running);
        above.unwrap_or_else(|| self.ends(running).is_none() && self.below.boosted_outranks(running))
    }

    fn rank(&self, running: TaskKey) -> i128 {
        match self.ends(running) {
            Some(ends) => i128::MAX - i128::from(ends.as_nanos()),
            None => self.below.rank(running),
        }
    }

    fn len(&self) -> usize {
        self.above.len() + self.below.len()
    }

    fn scan(&self, look: &mut dyn FnMut(TaskKey) -> ControlFlow<()>) {
        let mut order = self.above.clone();
        order.sort_by_key(|&task| self.ends(task));
        if order.into_iter().try_for_each(&mut *look).is_continue() {
            self.below.scan(look);
        }
    }

    fn forget(&mut self, task: TaskKey) {
        if self.reserved.remove(task).is_some() {
            self.keys.retain(|&other| other != task);
        }
        self.below.forget(task);
    }

    fn timed(&mut self) -> Option<&mut dyn TimedQueue> {
        Some(self)
    }
}

impl TimedQueue for Levels {
    fn at(&mut self, now: SimTime) {
        self.now = now;
        if let Some(below) = self.below.timed() {
            below.at(now);
        }
        if now < self.next_end {
            return;
        }
        self.next_end = SimTime::MAX;
        for &task in &self.keys {
            let reserved = &mut self.reserved[task];
            let Some(ends) = reserved.ends else { continue };
            if ends > now {
                self.next_end = self.next_end.min(ends);
                continue;
            }
            let period = reserved.of.period.as_nanos();
            let passed = now.since(ends).as_nanos() / period + 1;
            let ends = ends.saturating_add(SimDuration::from_nanos(period.saturating_mul(passed)));
            self.next_end = self.next_end.min(ends);
            reserved.ends = Some(ends);
            reserved.left = reserved.of.budget;
            if reserved.is_below && self.below.remove(task) {
                sleeps(self.below.as_mut(), task);
                reserved.is_below = false;
                self.above.push(task);
            }
        }
    }

    fn reserve(&mut self, task: TaskKey, of: Reservation) {
        self.reserved
            .insert(task, Reserved { of, left: of.budget, ends: None, is_below: false, runs_above: false });
        self.keys.push(task);
    }

    fn resumes(&mut self, task: TaskKey) {
        if self.reserved.get(task).is_none_or(|reserved| reserved.is_below)
            && let Some(below) = self.below.timed()
        {
            below.resumes(task);
        }
    }

    fn next_raise(&mut self) -> Option<SimTime> {
        let concerned = |reserved: &&Reserved| reserved.is_below || reserved.runs_above;
        let reserved = self.keys.iter().map(|&task| &self.reserved[task]);
        reserved.filter(concerned).filter_map(|reserved| reserved.ends).min()
    }

    fn sleeps(&mut self, task: TaskKey) {
        match self.reserved.get_mut(task) {
            Some(reserved) if !reserved.is_below => reserved.runs_above = false,
            reserved => {
                if let Some(reserved) = reserved {
                    reserved.is_below = false;
                }
                sleeps(self.below.as_mut(), task);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use slotmap::SlotMap;

    use super::*;
    use crate::node::os::cpu::round_robin;

    fn ms(millis: u64) -> SimDuration {
        SimDuration::from_millis(millis)
    }

    fn at(millis: u64) -> SimTime {
        SimTime::from_nanos(millis * 1_000_000)
    }

    /// Two tasks with shares of 5 of 20 and 5 of 50 ms, and two without, in turns of 10 ms.
    fn levels() -> (Levels, [TaskKey; 4]) {
        let mut keys = SlotMap::with_key();
        let task: [TaskKey; 4] = std::array::from_fn(|_| keys.insert(()));
        let below = round_robin::turns(ms(10));
        let (reserved, keys, above) = (SecondaryMap::new(), Vec::new(), Vec::new());
        let (now, next_end) = (SimTime::ZERO, SimTime::MAX);
        let mut levels = Levels { below, now, next_end, reserved, keys, above };
        levels.reserve(task[0], Reservation { period: ms(50), budget: ms(5) });
        levels.reserve(task[1], Reservation { period: ms(20), budget: ms(5) });
        for &task in &task {
            levels.enter(task, Entering::New);
        }
        (levels, task)
    }

    #[test]
    fn the_earliest_end_of_a_period_is_first_and_a_budget_is_all_of_it() {
        let (mut levels, task) = levels();
        assert_eq!((levels.pick(0), levels.quantum(task[1])), (Some(task[1]), Some(ms(5))));
        assert!(!levels.outranks(task[1]));
        levels.at(at(5));
        levels.ran(task[1], ms(5));
        levels.enter(task[1], Entering::Expired);
        assert_eq!((levels.pick(0), levels.quantum(task[0])), (Some(task[0]), Some(ms(5))));
        levels.at(at(8));
        levels.ran(task[0], ms(3));
        // it sleeps with 2 ms left; of the others the first has a turn
        levels.sleeps(task[0]);
        assert_eq!((levels.pick(0), levels.quantum(task[2])), (Some(task[2]), Some(ms(10))));
        levels.at(at(9));
        levels.ran(task[2], ms(1));
        levels.enter(task[0], Entering::Woken);
        assert!(levels.outranks(task[2]));
        levels.enter(task[2], Entering::Preempted);
        assert_eq!((levels.pick(0), levels.quantum(task[0])), (Some(task[0]), Some(ms(2))));
    }

    #[test]
    fn time_before_a_period_is_not_charged_to_it() {
        let (mut levels, task) = levels();
        levels.pick(0);
        levels.at(at(4));
        levels.ran(task[1], ms(1));
        // 4 ms are left; it runs from 18 to 21, and the last of that belongs to the period that
        // begins at 20
        levels.at(at(21));
        levels.ran(task[1], ms(3));
        levels.enter(task[1], Entering::Preempted);
        assert_eq!((levels.pick(0), levels.quantum(task[1])), (Some(task[1]), Some(ms(4))));
    }

    #[test]
    fn a_new_period_brings_a_task_back_above() {
        let (mut levels, task) = levels();
        levels.pick(0);
        levels.at(at(5));
        levels.ran(task[1], ms(5));
        levels.enter(task[1], Entering::Expired);
        assert!(levels.remove(task[0]));
        assert_eq!(levels.pick(0), Some(task[2]));
        levels.at(at(15));
        levels.ran(task[2], ms(10));
        levels.enter(task[2], Entering::Expired);
        assert_eq!((levels.pick(0), levels.next_raise()), (Some(task[3]), Some(at(20))));
        levels.at(at(20));
        levels.ran(task[3], ms(5));
        assert!(levels.outranks(task[3]));
        assert_eq!(levels.next_raise(), None);
        levels.enter(task[3], Entering::Preempted);
        assert_eq!((levels.pick(0), levels.quantum(task[1])), (Some(task[1]), Some(ms(5))));
        assert_eq!((levels.pick(0), levels.quantum(task[3])), (Some(task[3]), Some(ms(5))));
    }
}
