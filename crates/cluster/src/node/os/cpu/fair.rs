//! Fair shares as today's Linux has them: earliest eligible virtual deadline first (EEVDF).
//!
//! Each task has a virtual time, the processor time it has had. A task is *eligible* while it has
//! had no more than its share, that is, while its virtual time is not past the average of all that
//! want to run; of the eligible ones the one with the earliest virtual deadline runs, its deadline
//! being the virtual time at which it will have had one more slice. How far a task is past the
//! average is its lag. One that sleeps leaves with its lag, and comes back with the same, so that
//! sleeping neither earns nor forgives anything. Because a task that joins moves the average, its
//! virtual time is set so that its lag is right afterwards: with `n` others, `(n + 1) / n` of the
//! lag from the average before.
//!
//! Source: I. Stoica, H. Abdel-Wahab, "Earliest Eligible Virtual Deadline First", Old Dominion
//! University TR-95-22, 1995 (section 5: joining and leaving with lag), in the form of Linux 6.6
//! with equal weights. Deviations: a lag counts up to one slice, not two, and a new task has a
//! whole slice, not half of one. A task that becomes ready preempts at the next tick, if it was
//! eligible then and its deadline is earlier than that of the one that runs; a task that becomes
//! eligible later waits for the end of a slice. A boosted task is first, whatever its lag, for a
//! slice that it pays back like all processor time.

use std::ops::ControlFlow;

use slotmap::SecondaryMap;

use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Bounds, Entry, Kind, entry};

use super::{CpuScheduler, Entering, RunQueue, TaskKey, TimedQueue};

pub(super) const ENTRY: Entry<dyn CpuScheduler> = entry! {
    "fair" => "equal shares, earliest eligible virtual deadline first, as in Linux since 6.6",
    source "I. Stoica, H. Abdel-Wahab, ODU TR-95-22, 1995",
    keys {
        "slice" Kind::Duration(Bounds::Positive), or "3ms" =>
            "the processor time that a virtual deadline grants",
            source "Linux, base_slice_ns (0.75 ms times 1 + log2 of the processors, 8 counted at most)";
    },
    reads |params| Fair { slice: params.read("slice")? }
};

#[derive(Clone, Copy, Debug)]
struct Fair {
    slice: SimDuration,
}

impl CpuScheduler for Fair {
    fn run_queue(&self) -> Box<dyn RunQueue> {
        Box::new(Eevdf::new(i128::from(self.slice.as_nanos())))
    }
}

/// The part that a task has had of its share [virtual ns].
#[derive(Clone, Copy, Debug)]
struct Share {
    /// Processor time it has had; while it sleeps, how far that was past the average when it left.
    time: i128,
    deadline: i128,
    /// True if it has been raised over all others.
    boosted: bool,
    /// True if it was eligible when it became ready, and no task has been picked since.
    preempts: bool,
    /// True if it is ready or runs.
    competes: bool,
    /// Since when it goes on, while it does: what it has had since is not in `time` [ns].
    since: Option<i128>,
}

#[derive(Debug)]
struct Eevdf {
    slice: i128,
    tasks: SecondaryMap<TaskKey, Share>,
    /// The ready tasks, in order of entering.
    ready: Vec<TaskKey>,
    /// The present instant [ns].
    now: i128,
    /// Number of tasks that are ready or run: their average counts.
    competing: i128,
    /// The sum of their virtual times, each as if it went on since the beginning of time if it goes
    /// on now: so the time that passes for those that run needs no look at any of them.
    sum: i128,
    /// Number of go on now.
    going: i128,
}

impl Eevdf {
    fn new(slice: i128) -> Self {
        let (tasks, ready) = (SecondaryMap::new(), Vec::new());
        Eevdf { slice, tasks, ready, now: 0, competing: 0, sum: 0, going: 0 }
    }

    /// The average virtual time of those that compete, rounded down; 0 if none does.
    fn average(&self) -> i128 {
        let sum = self.sum + self.going * self.now;
        if self.competing == 0 { 0 } else { sum.div_euclid(self.competing) }
    }

    /// The ready task that is to run next, and its place in order of entering.
    fn first(&self) -> Option<(usize, TaskKey)> {
        let average = self.average();
        let eligible = |task: TaskKey| self.tasks[task].time <= average;
        let lines = self.ready.iter().copied().enumerate();
        // a task is always eligible, but perhaps only the running one: then the earliest deadline
        // counts alone
        lines.min_by_key(|&(place, task)| {
            let share = &self.tasks[task];
            (!share.boosted, !eligible(task), share.deadline, place)
        })
    }
}

impl RunQueue for Eevdf {
    fn enter(&mut self, task: TaskKey, how: Entering) {
        let new =
            Share { time: 0, deadline: 0, boosted: false, preempts: false, competes: false, since: None };
        let mut share = self.tasks.get(task).copied().unwrap_or(new);
        if !share.competes {
            let others = self.competing;
            let lag = if others == 0 { 0 } else { share.time * (others + 1) / others };
            share.time = self.average() + lag;
            share.deadline = share.time + self.slice;
            share.competes = true;
            self.competing += 1;
            self.sum += share.time;
        }
        share.boosted = how == Entering::Boosted;
        let next = matches!(how, Entering::Expired | Entering::Yielded | Entering::Boosted);
        if next || share.deadline <= share.time {
            share.deadline = share.time + self.slice;
        }
        self.tasks.insert(task, share);
        let fresh = matches!(how, Entering::New | Entering::Woken);
        self.tasks[task].preempts = fresh && share.time <= self.average();
        self.ready.push(task);
    }

    fn pick(&mut self, _: usize) -> Option<TaskKey> {
        let (place, task) = self.first()?;
        self.ready.remove(place);
        for &task in &self.ready {
            self.tasks[task].preempts = false;
        }
        Some(task)
    }

    fn remove(&mut self, task: TaskKey) -> bool {
        let place = self.ready.iter().position(|&ready| ready == task);
        place.map(|place| self.ready.remove(place)).is_some()
    }

    fn quantum(&self, task: TaskKey) -> Option<SimDuration> {
        let share = &self.tasks[task];
        // a task that was charged past its deadline when it was picked has had its slice all but
        // for an instant
        let left = (share.deadline - share.time).clamp(1, self.slice);
        Some(SimDuration::from_nanos(u64::try_from(left).unwrap_or(1)))
    }

    fn ran(&mut self, task: TaskKey, span: SimDuration) {
        let (share, span) = (&mut self.tasks[task], i128::from(span.as_nanos()));
        share.time += span;
        self.sum += span;
        if let Some(since) = share.since.take() {
            self.going -= 1;
            self.sum += since;
        }
    }

    fn outranks(&self, running: TaskKey) -> bool {
        let deadline = self.tasks[running].deadline;
        self.ready.iter().any(|&task| {
            let share = &self.tasks[task];
            share.boosted || share.preempts && share.deadline < deadline
        })
    }

    fn rank(&self, running: TaskKey) -> i128 {
        -self.tasks[running].deadline
    }

    fn len(&self) -> usize {
        self.ready.len()
    }

    fn scan(&self, look: &mut dyn FnMut(TaskKey) -> ControlFlow<()>) {
        let average = self.average();
        let mut order = self.ready.clone();
        order.sort_by_key(|&task| {
            let share = &self.tasks[task];
            (!share.boosted, share.time > average, share.deadline)
        });
        let _ = order.into_iter().try_for_each(look);
    }

    fn forget(&mut self, task: TaskKey) {
        if let Some(share) = self.tasks.remove(task).filter(|share| share.competes) {
            self.competing -= 1;
            self.sum -= share.time;
        }
    }

    fn timed(&mut self) -> Option<&mut dyn TimedQueue> {
        Some(self)
    }
}

impl TimedQueue for Eevdf {
    fn at(&mut self, now: SimTime) {
        self.now = i128::from(now.as_nanos());
    }

    fn resumes(&mut self, task: TaskKey) {
        let before = self.tasks[task].since.replace(self.now);
        debug_assert!(before.is_none(), "a task that goes on was paused before");
        self.going += 1;
        self.sum -= self.now;
    }

    fn sleeps(&mut self, task: TaskKey) {
        if self.tasks.get(task).is_some_and(|share| share.competes) {
            let average = self.average();
            let share = &mut self.tasks[task];
            self.competing -= 1;
            self.sum -= share.time;
            share.time = (share.time - average).clamp(-self.slice, self.slice);
            share.competes = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use slotmap::SlotMap;

    use super::*;
    use crate::kernel::rng::Streams;

    fn tasks(count: usize) -> Vec<TaskKey> {
        let mut keys = SlotMap::with_key();
        (0..count).map(|_| keys.insert(())).collect()
    }

    const MS: u64 = 1_000_000;

    /// With slices of 3 ms.
    fn eevdf() -> Eevdf {
        Eevdf::new(i128::from(3 * MS))
    }

    #[test]
    fn tasks_that_only_compute_get_equal_shares() {
        let task = tasks(3);
        let mut queue = eevdf();
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
    fn a_task_that_slept_is_owed_a_slice_at_most() {
        let task = tasks(2);
        let mut queue = eevdf();
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

    fn ms(millis: u64) -> SimDuration {
        SimDuration::from_nanos(millis * MS)
    }

    #[test]
    fn a_task_that_slept_comes_back_with_the_lag_it_left_with() {
        let task = tasks(2);
        let mut queue = eevdf();
        queue.enter(task[0], Entering::New);
        queue.enter(task[1], Entering::New);
        queue.pick(0);
        // it has had 2 ms, the average is 1: it leaves with a lag of 1 ms, and the other goes on
        // alone to 3 ms
        queue.ran(task[0], ms(2));
        queue.sleeps(task[0]);
        assert_eq!((queue.pick(0), queue.quantum(task[1])), (Some(task[1]), Some(ms(3))));
        queue.ran(task[1], ms(3));
        // it comes back at 5: the average is then 4, and it is 1 ms past that. Its deadline is 8
        queue.enter(task[0], Entering::Woken);
        assert!(!queue.outranks(task[1]));
        queue.enter(task[1], Entering::Expired);
        // the other, at 3 with deadline 6, has the processor for a slice; at 6 it is past the
        // average of 5.5
        assert_eq!((queue.pick(0), queue.quantum(task[1])), (Some(task[1]), Some(ms(3))));
        queue.ran(task[1], ms(3));
        queue.enter(task[1], Entering::Expired);
        assert_eq!((queue.pick(0), queue.quantum(task[0])), (Some(task[0]), Some(ms(3))));
    }

    #[test]
    fn an_eligible_task_with_an_earlier_deadline_outranks_and_what_is_left_of_a_slice_is_kept() {
        let task = tasks(3);
        let mut queue = eevdf();
        for &task in &task[..2] {
            queue.enter(task, Entering::New);
        }
        queue.pick(0);
        queue.ran(task[0], ms(3));
        queue.enter(task[0], Entering::Expired);
        // at 3 and 0, deadlines 6 and 3; the second runs to 1, then a third joins at the average of
        // 2 with deadline 5
        assert_eq!(queue.pick(0), Some(task[1]));
        queue.ran(task[1], ms(1));
        queue.enter(task[2], Entering::New);
        assert!(!queue.outranks(task[1]), "its own deadline is 3");
        queue.enter(task[1], Entering::Preempted);
        assert_eq!((queue.pick(0), queue.quantum(task[1])), (Some(task[1]), Some(ms(2))));
        queue.ran(task[1], ms(2));
        queue.enter(task[1], Entering::Expired);
        // 3, 3 and 2: the average is 2.67, so only the third is eligible
        assert_eq!(queue.pick(0), Some(task[2]));
        queue.ran(task[2], ms(1));
        // all at 3: the first two have deadline 6, the third 5
        assert!(!queue.outranks(task[2]));
        queue.ran(task[2], ms(2));
        queue.enter(task[2], Entering::Expired);
        assert_eq!(
            (queue.pick(0), queue.pick(0), queue.pick(0)),
            (Some(task[0]), Some(task[1]), Some(task[2]))
        );
    }

    #[test]
    fn a_task_that_has_had_just_its_share_is_eligible() {
        let task = tasks(3);
        let mut queue = eevdf();
        for &task in &task[..2] {
            queue.enter(task, Entering::New);
        }
        queue.pick(0);
        queue.ran(task[0], ms(3));
        queue.enter(task[0], Entering::Expired);
        // the second has had 1 ms when a third joins at the average of 2, with deadline 5
        assert_eq!(queue.pick(0), Some(task[1]));
        queue.ran(task[1], ms(1));
        queue.enter(task[2], Entering::New);
        // at 3, 2.5 and 2 the second is at the average, and its deadline of 3 is the earliest
        queue.ran(task[1], SimDuration::from_micros(1500));
        queue.enter(task[1], Entering::Preempted);
        assert_eq!(queue.pick(0), Some(task[1]));
    }

    #[test]
    fn a_task_that_is_owed_time_when_it_wakes_up_outranks_one_that_is_not() {
        let task = tasks(2);
        let mut queue = eevdf();
        queue.enter(task[0], Entering::New);
        queue.enter(task[1], Entering::New);
        queue.pick(0);
        queue.ran(task[0], ms(3));
        queue.enter(task[0], Entering::Expired);
        // at 3 and 1 the average is 2: the second leaves with 1 ms owed
        queue.pick(0);
        queue.ran(task[1], ms(1));
        queue.sleeps(task[1]);
        assert_eq!(queue.pick(0), Some(task[0]));
        // it comes back at 1 with deadline 4; the first, at 3, has deadline 6
        queue.enter(task[1], Entering::Woken);
        assert!(queue.outranks(task[0]));
        queue.enter(task[0], Entering::Preempted);
        assert_eq!(queue.pick(0), Some(task[1]));
        assert!(!queue.outranks(task[1]));
    }

    #[test]
    fn a_boosted_task_is_first_for_a_slice_and_pays_it_back() {
        let task = tasks(3);
        let mut queue = eevdf();
        for &task in &task {
            queue.enter(task, Entering::New);
        }
        assert_eq!(queue.pick(0), Some(task[0]));
        queue.remove(task[2]);
        queue.enter(task[2], Entering::Boosted);
        assert!(queue.boosted_outranks(task[0]));
        queue.enter(task[0], Entering::Displaced);
        assert_eq!((queue.pick(0), queue.quantum(task[2])), (Some(task[2]), Some(ms(3))));
        queue.ran(task[2], ms(3));
        queue.enter(task[2], Entering::Expired);
        assert_eq!((queue.pick(0), queue.pick(0)), (Some(task[1]), Some(task[0])));
    }

    #[test]
    fn time_charged_at_the_end_of_a_stretch_counts_from_its_beginning() {
        let mut random = Streams::new(7, 0).stream("test");
        // one queue learns when a task goes on and when it is paused, the other of all that pass at
        // every step
        let (mut late, mut soon) = (eevdf(), eevdf());
        let (mut now, mut running, mut asleep) = (0, Vec::new(), tasks(7));
        for _ in 0..2_000 {
            let passed = random.below(2 * MS);
            now += passed;
            late.at(SimTime::from_nanos(now));
            running.iter().for_each(|&(task, _)| soon.ran(task, SimDuration::from_nanos(passed)));
            match random.below(3) {
                0 if running.len() < 3 && !late.is_empty() => {
                    let picked = late.pick(0);
                    assert_eq!((picked, late.len()), (soon.pick(0), soon.len()));
                    let task = picked.expect("one is ready");
                    assert_eq!(late.quantum(task), soon.quantum(task));
                    late.resumes(task);
                    running.push((task, now));
                }
                1 if !asleep.is_empty() => {
                    let task = asleep.swap_remove(random.below(asleep.len() as u64) as usize);
                    late.enter(task, Entering::Woken);
                    soon.enter(task, Entering::Woken);
                }
                _ if !running.is_empty() => {
                    let (task, since) = running.swap_remove(random.below(running.len() as u64) as usize);
                    late.ran(task, SimDuration::from_nanos(now - since));
                    let how = [Entering::Expired, Entering::Preempted][random.below(2) as usize];
                    if random.below(3) == 0 {
                        late.sleeps(task);
                        soon.sleeps(task);
                        asleep.push(task);
                    } else {
                        late.enter(task, how);
                        soon.enter(task, how);
                    }
                }
                _ => {}
            }
            assert!(running.iter().all(|&(task, _)| late.outranks(task) == soon.outranks(task)));
            let order = |queue: &dyn RunQueue| {
                let mut seen = Vec::new();
                queue.scan(&mut |task| {
                    seen.push(task);
                    ControlFlow::Continue(())
                });
                seen
            };
            assert_eq!(order(&late), order(&soon));
        }
    }
}
