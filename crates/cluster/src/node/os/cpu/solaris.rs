//! Solaris time sharing: a multilevel feedback queue of 60 levels, 59 the highest.
//!
//! The head of the highest level that has a task runs. Low levels have long quanta: a task that
//! uses up a quantum sinks, one that sleeps comes back at the top, so tasks with much I/O start it
//! early and tasks that only compute share what is left in long turns.
//!
//! ```text
//!               (1) new: tail of 59        (2) woken, boosted: head of 59 (or by the table)
//!   level 59 ─────────────▶ runs ──(3) quantum used up: tail of a lower level──▶ …
//!                             ├───(4) preempted: head of its level, rest of its quantum kept
//!                             ├───(5) displaced by one of its level: tail of its level, rest kept
//!                             └───(6) yields: tail of one level below the highest other
//! ```
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 3.2 (60 levels, 20 ms to 200 ms,
//! one level down, top on waking); quanta between the end points and the `solaris` columns from the
//! `ts_dptbl` listing of the Solaris System Administration Guide. Deviations: a new task enters at
//! the tail of 59; a task that yields goes to the tail of one level below the highest other; the
//! aging of tasks that wait long (`ts_maxwait`) is left out.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use slotmap::SecondaryMap;

use crate::kernel::SimDuration;
use crate::registry::{Entry, Kind, entry};

use super::{CpuScheduler, Entering, RunQueue, TaskKey};

const SOURCE: &str = "\"ClusterSchedSim\", section 3.2; Solaris System Administration Guide, ts_dptbl";

pub(super) const ENTRY: Entry<dyn CpuScheduler> = entry! {
    "solaris" => "60 levels with feedback: a task that computes long sinks, one that sleeps returns to the top",
    source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 3.2",
    keys {
        "demotion" Kind::Choice(&[
            ("step1", "one level down, as in ClusterSchedSim"),
            ("solaris", "ten levels down, as in Solaris' own table"),
        ]), or "step1" =>
            "where a task goes that has used up its quantum", source SOURCE;
        "sleep-return" Kind::Choice(&[
            ("top", "to the head of level 59, as in ClusterSchedSim"),
            ("table", "to the level that Solaris' own table gives for its old one"),
        ]), or "top" =>
            "where a task goes that wakes up", source SOURCE;
    },
    reads |params| {
        let demotion = params.pick("demotion", &[("step1", 1), ("solaris", 10)])?;
        let by_table = params.pick("sleep-return", &[("top", false), ("table", true)])?;
        Solaris { demotion, by_table }
    }
};

const TOP: u8 = 59;

/// The scheduler's options.
#[derive(Clone, Copy, Debug)]
struct Solaris {
    /// Levels down at the end of a quantum.
    demotion: u8,
    /// True if a task wakes up where the dispatch table says, not at the top.
    by_table: bool,
}

impl CpuScheduler for Solaris {
    fn run_queue(&self) -> Box<dyn RunQueue> {
        Box::new(Levels {
            options: *self,
            by_level: std::array::from_fn(|_| VecDeque::new()),
            occupied: 0,
            len: 0,
            progress: SecondaryMap::new(),
        })
    }
}

/// The quantum of a level.
const fn quantum_of(level: u8) -> SimDuration {
    SimDuration::from_millis(match level {
        0..10 => 200,
        10..20 => 160,
        20..30 => 120,
        30..40 => 80,
        40..59 => 40,
        _ => 20,
    })
}

/// The level after sleep in the dispatch table.
const fn slept_return(level: u8) -> u8 {
    match level {
        0..10 => 50,
        10..20 => 51,
        20..30 => 52,
        30..40 => 53,
        40..45 => 54,
        45 => 55,
        46 => 56,
        47..59 => 58,
        _ => 59,
    }
}

/// The level of a task, be it ready, running or asleep.
#[derive(Clone, Copy, Debug)]
struct Progress {
    level: u8,
    /// Rest of its quantum.
    left: SimDuration,
}

#[derive(Debug)]
struct Levels {
    options: Solaris,
    by_level: [VecDeque<TaskKey>; 60],
    /// Bit by level: whether it has a task.
    occupied: u64,
    len: usize,
    progress: SecondaryMap<TaskKey, Progress>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Head,
    Tail,
}

impl Levels {
    fn put(&mut self, task: TaskKey, level: u8, end: End) {
        let queue = &mut self.by_level[usize::from(level)];
        match end {
            End::Head => queue.push_front(task),
            End::Tail => queue.push_back(task),
        }
        self.occupied |= 1 << level;
        self.len += 1;
    }

    fn highest(&self) -> Option<u8> {
        self.occupied.checked_ilog2().map(|highest| highest as u8)
    }

    fn progress(&self, task: TaskKey) -> Progress {
        self.progress[task]
    }
}

impl RunQueue for Levels {
    fn enter(&mut self, task: TaskKey, how: Entering) {
        let fresh = |level| Progress { level, left: quantum_of(level) };
        let old = self.progress.get(task).copied().unwrap_or(fresh(TOP));
        let (progress, end) = match how {
            Entering::New => (fresh(TOP), End::Tail),
            Entering::Woken if self.options.by_table => (fresh(slept_return(old.level)), End::Head),
            Entering::Woken | Entering::Boosted => (fresh(TOP), End::Head),
            Entering::Preempted | Entering::Displaced if old.left.is_zero() => (fresh(old.level), End::Tail),
            Entering::Preempted => (old, End::Head),
            Entering::Expired => (fresh(old.level.saturating_sub(self.options.demotion)), End::Tail),
            Entering::Yielded => {
                let below = self.highest().map_or(old.level, |highest| highest.saturating_sub(1));
                (fresh(below), End::Tail)
            }
            Entering::Displaced => (old, End::Tail),
        };
        self.progress.insert(task, progress);
        self.put(task, progress.level, end);
    }

    fn pick(&mut self, _: usize) -> Option<TaskKey> {
        let highest = self.highest()?;
        let queue = &mut self.by_level[usize::from(highest)];
        let task = queue.pop_front();
        if queue.is_empty() {
            self.occupied &= !(1 << highest);
        }
        self.len -= 1;
        task
    }

    fn remove(&mut self, task: TaskKey) -> bool {
        let Some(progress) = self.progress.get(task) else { return false };
        let level = progress.level;
        let queue = &mut self.by_level[usize::from(level)];
        let Some(place) = queue.iter().position(|&ready| ready == task) else { return false };
        queue.remove(place);
        if queue.is_empty() {
            self.occupied &= !(1 << level);
        }
        self.len -= 1;
        true
    }

    fn quantum(&self, task: TaskKey) -> Option<SimDuration> {
        Some(self.progress(task).left)
    }

    fn ran(&mut self, task: TaskKey, span: SimDuration) {
        let progress = &mut self.progress[task];
        progress.left = progress.left.saturating_sub(span);
    }

    fn outranks(&self, running: TaskKey) -> bool {
        self.highest().is_some_and(|highest| highest > self.progress(running).level)
    }

    fn boosted_outranks(&self, running: TaskKey) -> bool {
        self.highest().is_some_and(|highest| highest >= self.progress(running).level)
    }

    fn rank(&self, running: TaskKey) -> i128 {
        i128::from(self.progress(running).level)
    }

    fn len(&self) -> usize {
        self.len
    }

    fn scan(&self, look: &mut dyn FnMut(TaskKey) -> ControlFlow<()>) {
        let mut left = self.occupied;
        while let Some(level) = left.checked_ilog2() {
            left &= !(1 << level);
            for &task in &self.by_level[level as usize] {
                if look(task).is_break() {
                    return;
                }
            }
        }
    }

    fn forget(&mut self, task: TaskKey) {
        self.progress.remove(task);
    }
}

#[cfg(test)]
mod tests {
    use slotmap::SlotMap;

    use super::*;

    fn tasks(count: usize) -> Vec<TaskKey> {
        let mut keys = SlotMap::with_key();
        (0..count).map(|_| keys.insert(())).collect()
    }

    fn queue(demotion: u8) -> Box<dyn RunQueue> {
        Solaris { demotion, by_table: false }.run_queue()
    }

    /// Processor time that a task which only computes gets in its first `turns` quanta [ms].
    fn received(demotion: u8, turns: u32) -> u64 {
        let task = tasks(1)[0];
        let mut queue = queue(demotion);
        queue.enter(task, Entering::New);
        let turn = |_| {
            assert_eq!(queue.pick(0), Some(task));
            let quantum = queue.quantum(task).expect("a quantum");
            queue.ran(task, quantum);
            queue.enter(task, Entering::Expired);
            quantum.as_nanos() / 1_000_000
        };
        (0..turns).map(turn).sum()
    }

    /// Experiment A2: the time before the first slice at level 0.
    #[test]
    fn a_task_that_only_computes_sinks_as_published() {
        // every level from 59 to 1
        assert_eq!(received(1, 59), 6180);
        // 59 49 39 29 19 9
        assert_eq!(received(10, 6), 620);
        // and from then on it stays at the bottom
        assert_eq!((received(1, 60) - received(1, 59), received(10, 7) - received(10, 6)), (200, 200));
    }

    #[test]
    fn a_task_that_wakes_up_is_first_and_a_preempted_one_keeps_its_place_and_quantum() {
        let task = tasks(4);
        let mut queue = queue(1);
        for &task in &task[..3] {
            queue.enter(task, Entering::New);
        }
        assert_eq!(queue.pick(0), Some(task[0]));
        queue.ran(task[0], SimDuration::from_millis(5));
        assert!(!queue.outranks(task[0]));
        queue.enter(task[0], Entering::Preempted);
        queue.enter(task[3], Entering::Woken);
        assert_eq!(queue.pick(0), Some(task[3]));
        assert_eq!(queue.pick(0), Some(task[0]));
        assert_eq!(queue.quantum(task[0]), Some(SimDuration::from_millis(15)));
        queue.ran(task[0], SimDuration::from_millis(15));
        queue.enter(task[0], Entering::Expired);
        // 58 now, behind those of 59
        assert_eq!(
            (queue.pick(0), queue.pick(0), queue.pick(0)),
            (Some(task[1]), Some(task[2]), Some(task[0]))
        );
        queue.enter(task[1], Entering::New);
        assert!(queue.outranks(task[0]));
        assert_eq!(queue.len(), 1);
    }

    #[test]
    fn a_task_that_yields_stands_one_level_below_the_highest_other() {
        let task = tasks(2);
        let mut queue = queue(1);
        for &task in &task {
            queue.enter(task, Entering::New);
        }
        queue.pick(0);
        queue.enter(task[0], Entering::Yielded);
        assert_eq!(queue.pick(0), Some(task[1]));
        assert!(!queue.outranks(task[1]));
        assert_eq!(queue.quantum(task[0]), Some(SimDuration::from_millis(40)));
    }

    #[test]
    fn a_task_is_taken_out_of_the_middle_and_the_rest_is_seen_in_order() {
        let task = tasks(3);
        let mut queue = queue(1);
        for &task in &task {
            queue.enter(task, Entering::New);
        }
        assert!(queue.remove(task[1]) && !queue.remove(task[1]));
        queue.enter(task[1], Entering::Boosted);
        let mut seen = Vec::new();
        queue.scan(&mut |task| {
            seen.push(task);
            if seen.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(seen, [task[1], task[0]]);
    }
}
