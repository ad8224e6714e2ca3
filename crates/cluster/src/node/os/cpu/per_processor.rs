//! A run queue for each processor of a node, and idle processors that steal.
//!
//! A task has a home: the processor with the fewest tasks when it first becomes ready, the first of
//! equals. It enters and leaves the run queue of its home, which keeps its rank. A processor whose
//! own queue is empty takes the first task of the longest other one; a task that was stolen so
//! stands behind those that are at home there, and goes back to its own queue when its turn is
//! over. A task that is raised runs on whichever processor picks next.
//!
//! Source: the practice of Linux since 2.6, without its periodic balancing.

use std::ops::ControlFlow;

use slotmap::SecondaryMap;

use crate::kernel::{SimDuration, SimTime};

use super::{Entering, Reservation, RunQueue, TaskKey, TimedQueue};

/// The run queues of a node's processors.
#[derive(Debug)]
pub(in crate::node) struct PerProcessor {
    queues: Box<[Box<dyn RunQueue>]>,
    /// Tasks at home with each processor, whether ready or not.
    at_home: Box<[usize]>,
    home: SecondaryMap<TaskKey, usize>,
    /// The processor for which a task was picked last.
    on: SecondaryMap<TaskKey, usize>,
    /// Ready tasks that were raised, the last one first to run.
    raised: Vec<TaskKey>,
}

impl PerProcessor {
    /// A queue for each of `count` processors.
    pub(in crate::node) fn new(count: usize, queue: impl Fn() -> Box<dyn RunQueue>) -> Self {
        PerProcessor {
            queues: (0..count).map(|_| queue()).collect(),
            at_home: vec![0; count].into(),
            home: SecondaryMap::new(),
            on: SecondaryMap::new(),
            raised: Vec::new(),
        }
    }

    /// The processor that a task is at home with.
    pub(in crate::node) fn home_of(&self, task: TaskKey) -> Option<usize> {
        self.home.get(task).copied()
    }

    /// Gives a task its home, if it has none.
    pub(in crate::node) fn settle(&mut self, task: TaskKey) {
        if !self.home.contains_key(task) {
            let places = 0..self.at_home.len();
            let home = places.min_by_key(|&place| (self.at_home[place], place)).unwrap_or(0);
            self.at_home[home] += 1;
            self.home.insert(task, home);
        }
    }

    fn home(&self, task: TaskKey) -> &dyn RunQueue {
        self.queues[self.home[task]].as_ref()
    }

    fn home_mut(&mut self, task: TaskKey) -> &mut dyn RunQueue {
        self.queues[self.home[task]].as_mut()
    }

    /// The queue of the processor on which a task runs, and whether the task is at home there.
    fn queue_of(&self, running: TaskKey) -> (&dyn RunQueue, bool) {
        let cpu = self.on[running];
        (self.queues[cpu].as_ref(), self.home[running] == cpu)
    }
}

impl RunQueue for PerProcessor {
    fn enter(&mut self, task: TaskKey, how: Entering) {
        self.settle(task);
        if how == Entering::Boosted {
            self.raised.push(task);
        }
        self.home_mut(task).enter(task, how);
    }

    fn pick(&mut self, cpu: usize) -> Option<TaskKey> {
        let picked = if let Some(raised) = self.raised.pop() {
            self.home_mut(raised).take(raised);
            Some(raised)
        } else if self.queues[cpu].is_empty() {
            let longest =
                (0..self.queues.len()).max_by_key(|&place| (self.queues[place].len(), usize::MAX - place));
            longest.and_then(|place| self.queues[place].pick(place))
        } else {
            self.queues[cpu].pick(cpu)
        };
        if let Some(task) = picked {
            self.on.insert(task, cpu);
        }
        picked
    }

    fn remove(&mut self, task: TaskKey) -> bool {
        self.raised.retain(|&other| other != task);
        self.home.contains_key(task) && self.home_mut(task).remove(task)
    }

    fn quantum(&self, task: TaskKey) -> Option<SimDuration> {
        self.home(task).quantum(task)
    }

    fn ran(&mut self, task: TaskKey, span: SimDuration) {
        self.home_mut(task).ran(task, span);
    }

    fn outranks(&self, running: TaskKey) -> bool {
        let (queue, at_home) = self.queue_of(running);
        if at_home { queue.outranks(running) } else { !queue.is_empty() }
    }

    fn boosted_outranks(&self, running: TaskKey) -> bool {
        let (queue, at_home) = self.queue_of(running);
        !self.raised.is_empty() || if at_home { queue.boosted_outranks(running) } else { !queue.is_empty() }
    }

    fn rank(&self, running: TaskKey) -> i128 {
        self.home(running).rank(running)
    }

    fn len(&self) -> usize {
        self.queues.iter().map(|queue| queue.len()).sum()
    }

    fn scan(&self, look: &mut dyn FnMut(TaskKey) -> ControlFlow<()>) {
        let mut over = false;
        for queue in &self.queues {
            queue.scan(&mut |task| {
                let seen = look(task);
                over = seen.is_break();
                seen
            });
            if over {
                return;
            }
        }
    }

    fn forget(&mut self, task: TaskKey) {
        if let Some(home) = self.home.remove(task) {
            self.queues[home].forget(task);
            self.at_home[home] -= 1;
        }
        self.on.remove(task);
    }

    fn timed(&mut self) -> Option<&mut dyn TimedQueue> {
        let timed = self.queues[0].timed().is_some();
        if timed { Some(self) } else { None }
    }
}

impl TimedQueue for PerProcessor {
    fn at(&mut self, now: SimTime) {
        self.queues.iter_mut().filter_map(|queue| queue.timed()).for_each(|queue| queue.at(now));
    }

    fn reserve(&mut self, task: TaskKey, of: Reservation) {
        self.settle(task);
        if let Some(queue) = self.home_mut(task).timed() {
            queue.reserve(task, of);
        }
    }

    fn resumes(&mut self, task: TaskKey) {
        if let Some(queue) = self.home_mut(task).timed() {
            queue.resumes(task);
        }
    }

    fn next_raise(&mut self) -> Option<SimTime> {
        self.queues.iter_mut().filter_map(|queue| queue.timed()?.next_raise()).min()
    }

    fn sleeps(&mut self, task: TaskKey) {
        if self.home.contains_key(task)
            && let Some(queue) = self.home_mut(task).timed()
        {
            queue.sleeps(task);
        }
    }
}

#[cfg(test)]
mod tests {
    use slotmap::SlotMap;

    use super::*;
    use crate::node::os::cpu::gang::Gang;
    use crate::node::os::cpu::round_robin;

    fn queues(count: usize) -> PerProcessor {
        PerProcessor::new(count, || round_robin::turns(SimDuration::from_millis(10)))
    }

    #[test]
    fn tasks_are_spread_and_an_idle_processor_steals() {
        let mut keys = SlotMap::with_key();
        let task: [TaskKey; 5] = std::array::from_fn(|_| keys.insert(()));
        let mut queue = queues(2);
        for &task in &task {
            queue.enter(task, Entering::New);
        }
        // 0, 2 and 4 are at home with the first processor, 1 and 3 with the second
        assert_eq!(task.map(|task| queue.home_of(task)), [0, 1, 0, 1, 0].map(Some));
        assert_eq!([0, 1, 1, 1].map(|cpu| queue.pick(cpu)), [0, 1, 3, 2].map(|place| Some(task[place])));
        // 2 was stolen: a task at home there comes first
        assert!(!queue.outranks(task[2]));
        queue.enter(task[1], Entering::Woken);
        assert!(queue.outranks(task[2]));
        queue.ran(task[2], SimDuration::from_millis(10));
        queue.enter(task[2], Entering::Expired);
        assert_eq!([0, 0, 0].map(|cpu| queue.pick(cpu)), [4, 2, 1].map(|place| Some(task[place])));
        assert_eq!(queue.pick(1), None);
    }

    #[test]
    fn a_raised_task_runs_on_whichever_processor_picks_next() {
        let mut keys = SlotMap::with_key();
        let task: [TaskKey; 4] = std::array::from_fn(|_| keys.insert(()));
        let mut queue = queues(2);
        for &task in &task {
            queue.enter(task, Entering::New);
        }
        assert_eq!(queue.pick(1), Some(task[1]));
        assert!(queue.remove(task[2]));
        queue.enter(task[2], Entering::Boosted);
        assert!(queue.boosted_outranks(task[1]));
        assert_eq!((queue.pick(1), queue.len()), (Some(task[2]), 2));
        queue.forget(task[2]);
        assert_eq!(queue.home_of(task[2]), None);
    }

    #[test]
    fn a_look_ends_when_it_has_seen_enough() {
        let mut keys = SlotMap::with_key();
        let mut queue = PerProcessor::new(2, || Box::new(Gang::new(1)));
        for _ in 0..4 {
            queue.enter(keys.insert(()), Entering::New);
        }
        let mut seen = 0;
        queue.scan(&mut |_| {
            seen += 1;
            if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(seen, 3);
    }
}
