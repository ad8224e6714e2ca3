//! Fair shares as today's Linux has them: earliest eligible virtual deadline first (EEVDF).
//!
//! Each task has a virtual time, the processor time it has had. A task is *eligible* while it has had no more than its
//! share, that is, while its virtual time is not past the average of all that want to run; of the eligible ones the one
//! with the earliest virtual deadline runs, its deadline being the virtual time at which it will have had one more slice.
//! A task that slept comes back with the lag it left with, so sleeping earns no credit beyond what was owed.
//!
//! Source: I. Stoica, H. Abdel-Wahab, "Earliest Eligible Virtual Deadline First", Old Dominion University TR-95-22, 1995,
//! in the form of Linux 6.6 with equal weights. Deviations: a task that becomes ready preempts at the next tick if its
//! deadline is earlier than that of the one that runs; a boost makes a task's deadline the present average, so that it is
//! first, and is paid back like all processor time.

use std::ops::ControlFlow;

use slotmap::SecondaryMap;

use crate::kernel::SimDuration;
use crate::registry::{Absent, Bounds, Entry, Key, Kind};

use super::{CpuScheduler, Entering, RunQueue, TaskKey};

pub(super) const ENTRY: Entry<dyn CpuScheduler> = Entry {
    name: "fair",
    about: "equal shares, earliest eligible virtual deadline first, as in Linux since 6.6",
    source: "I. Stoica, H. Abdel-Wahab, ODU TR-95-22, 1995",
    keys: &[Key {
        name: "slice",
        kind: Kind::Duration(Bounds::Positive),
        default: Absent::Text("3ms"),
        about: "the processor time that a virtual deadline grants",
        source: "Linux, base_slice_ns (0.75 ms times 1 + log2 of the processors, 8 counted at most)",
    }],
    build: |params| Ok(Box::new(Fair { slice: params.read("slice")? })),
};

#[derive(Clone, Copy, Debug)]
struct Fair {
    slice: SimDuration,
}

impl CpuScheduler for Fair {
    fn run_queue(&self) -> Box<dyn RunQueue> {
        let slice = i128::from(self.slice.as_nanos());
        Box::new(Eevdf { slice, tasks: SecondaryMap::new(), ready: Vec::new(), competing: Vec::new() })
    }
}

/// Where a task stands [virtual ns].
#[derive(Clone, Copy, Debug)]
struct Standing {
    /// Processor time it has had; while it sleeps, how far that was past the average when it left.
    time: i128,
    deadline: i128,
    /// Whether it is ready or runs.
    competes: bool,
}

#[derive(Debug)]
struct Eevdf {
    slice: i128,
    tasks: SecondaryMap<TaskKey, Standing>,
    /// The ready tasks, in order of entering.
    ready: Vec<TaskKey>,
    /// Ready and running ones: those whose average counts.
    competing: Vec<TaskKey>,
}

impl Eevdf {
    /// The average virtual time of those that compete, rounded down; 0 if nobody does.
    fn average(&self) -> i128 {
        let sum: i128 = self.competing.iter().map(|&task| self.tasks[task].time).sum();
        let count = self.competing.len() as i128;
        if count == 0 { 0 } else { sum.div_euclid(count) }
    }

    /// The ready task that is to run next, and its place in the line.
    fn first(&self) -> Option<(usize, TaskKey)> {
        let average = self.average();
        let eligible = |task: TaskKey| self.tasks[task].time <= average;
        let lines = self.ready.iter().copied().enumerate();
        // somebody is always eligible, but perhaps only whoever runs: then the earliest deadline counts alone
        lines.min_by_key(|&(place, task)| (!eligible(task), self.tasks[task].deadline, place))
    }
}

impl RunQueue for Eevdf {
    fn enter(&mut self, task: TaskKey, how: Entering) {
        let new = Standing { time: 0, deadline: 0, competes: false };
        let mut standing = self.tasks.get(task).copied().unwrap_or(new);
        if !standing.competes {
            standing.time += self.average();
            standing.deadline = standing.time + self.slice;
            standing.competes = true;
            self.competing.push(task);
        }
        match how {
            Entering::Expired | Entering::Yielded => standing.deadline = standing.time + self.slice,
            Entering::Boosted => {
                standing.time = standing.time.min(self.average());
                standing.deadline = standing.time.min(self.earliest_deadline());
            }
            _ => {}
        }
        self.tasks.insert(task, standing);
        self.ready.push(task);
    }

    fn pick(&mut self, _: usize) -> Option<TaskKey> {
        let (place, task) = self.first()?;
        self.ready.remove(place);
        Some(task)
    }

    fn remove(&mut self, task: TaskKey) -> bool {
        let place = self.ready.iter().position(|&ready| ready == task);
        place.map(|place| self.ready.remove(place)).is_some()
    }

    fn quantum(&self, task: TaskKey) -> Option<SimDuration> {
        let standing = &self.tasks[task];
        let left = (standing.deadline - standing.time).clamp(1, self.slice);
        Some(SimDuration::from_nanos(u64::try_from(left).unwrap_or(1)))
    }

    fn ran(&mut self, task: TaskKey, span: SimDuration) {
        self.tasks[task].time += i128::from(span.as_nanos());
    }

    fn outranks(&self, running: TaskKey) -> bool {
        let average = self.average();
        let deadline = self.tasks[running].deadline;
        self.ready.iter().any(|&task| {
            let standing = &self.tasks[task];
            standing.time <= average && standing.deadline < deadline
        })
    }

    fn equals(&self, running: TaskKey) -> bool {
        self.outranks(running)
    }

    fn len(&self) -> usize {
        self.ready.len()
    }

    fn scan(&self, look: &mut dyn FnMut(TaskKey) -> ControlFlow<()>) {
        let mut order = self.ready.clone();
        order.sort_by_key(|&task| self.tasks[task].deadline);
        let _ = order.into_iter().try_for_each(look);
    }

    fn sleeps(&mut self, task: TaskKey) {
        if let Some(place) = self.competing.iter().position(|&other| other == task) {
            let average = self.average();
            self.competing.remove(place);
            let standing = &mut self.tasks[task];
            standing.time = (standing.time - average).clamp(-self.slice, self.slice);
            standing.competes = false;
        }
    }

    fn forget(&mut self, task: TaskKey) {
        self.competing.retain(|&other| other != task);
        self.tasks.remove(task);
    }
}

impl Eevdf {
    fn earliest_deadline(&self) -> i128 {
        let deadlines = self.ready.iter().map(|&task| self.tasks[task].deadline);
        deadlines.min().map_or(i128::MAX, |deadline| deadline - 1)
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

    const MS: u64 = 1_000_000;

    #[test]
    fn tasks_that_only_compute_get_equal_shares() {
        let task = tasks(3);
        let mut queue = Fair { slice: SimDuration::from_nanos(3 * MS) }.run_queue();
        let mut had = [0_u64; 3];
        for &task in &task {
            queue.enter(task, Entering::New);
        }
        for _ in 0..300 {
            let picked = queue.pick(0).expect("three are ready");
            let quantum = queue.quantum(picked).expect("a quantum");
            queue.ran(picked, quantum);
            had[task.iter().position(|&task| task == picked).expect("one of them")] += quantum.as_nanos();
            queue.enter(picked, Entering::Expired);
            assert!(had.iter().max().expect("three") - had.iter().min().expect("three") <= 3 * MS);
        }
    }

    #[test]
    fn who_slept_is_owed_a_slice_at_most() {
        let task = tasks(2);
        let mut queue = Fair { slice: SimDuration::from_nanos(3 * MS) }.run_queue();
        queue.enter(task[0], Entering::New);
        queue.enter(task[1], Entering::New);
        assert_eq!(queue.pick(0), Some(task[0]));
        // it sleeps after a millisecond, and the other computes for a second
        queue.ran(task[0], SimDuration::from_nanos(MS));
        queue.sleeps(task[0]);
        for _ in 0..333 {
            assert_eq!(queue.pick(0), Some(task[1]));
            queue.ran(task[1], SimDuration::from_nanos(3 * MS));
            queue.enter(task[1], Entering::Expired);
        }
        queue.enter(task[0], Entering::Woken);
        let mut ahead = 0;
        while queue.pick(0) == Some(task[0]) {
            queue.ran(task[0], SimDuration::from_nanos(3 * MS));
            queue.enter(task[0], Entering::Expired);
            ahead += 1;
        }
        assert!(ahead <= 2, "{ahead} slices ahead");
    }

    #[test]
    fn a_boosted_task_is_first_and_pays_it_back() {
        let task = tasks(3);
        let mut queue = Fair { slice: SimDuration::from_nanos(3 * MS) }.run_queue();
        for &task in &task {
            queue.enter(task, Entering::New);
        }
        queue.remove(task[2]);
        queue.enter(task[2], Entering::Boosted);
        assert_eq!(queue.pick(0), Some(task[2]));
        queue.ran(task[2], SimDuration::from_nanos(3 * MS));
        queue.enter(task[2], Entering::Expired);
        assert_eq!(queue.pick(0), Some(task[0]));
    }
}
