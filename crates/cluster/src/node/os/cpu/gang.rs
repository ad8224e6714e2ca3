//! The run queue of a gang-scheduled node: the slice says which tasks run.
//!
//! The front end assigns one task to each processor for the slice; no other runs in it, even if the
//! one assigned waits for its I/O. There are no quanta and no ranks: the slices are the quanta.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 4.2.2 (exact coscheduling).

use std::ops::ControlFlow;

use crate::kernel::SimDuration;

use super::{Entering, RunQueue, TaskKey};

/// Ready tasks, and which may run where.
#[derive(Debug)]
pub(in crate::node) struct Gang {
    ready: Vec<TaskKey>,
    assigned: Box<[Option<TaskKey>]>,
}

impl Gang {
    /// For a node of `cpus` processors, none of them assigned.
    pub(in crate::node) fn new(cpus: usize) -> Self {
        Gang { ready: Vec::new(), assigned: vec![None; cpus].into() }
    }

    /// The processor that a task is assigned to in this slice.
    pub(in crate::node) fn cpu_of(&self, task: TaskKey) -> Option<usize> {
        self.assigned.iter().position(|&assigned| assigned == Some(task))
    }

    /// Assigns processor `cpu` to a task, or to none; gives the task that had it.
    pub(in crate::node) fn assign(&mut self, cpu: usize, task: Option<TaskKey>) -> Option<TaskKey> {
        std::mem::replace(&mut self.assigned[cpu], task)
    }
}

impl RunQueue for Gang {
    fn enter(&mut self, task: TaskKey, _: Entering) {
        self.ready.push(task);
    }

    fn pick(&mut self, cpu: usize) -> Option<TaskKey> {
        let task = self.assigned[cpu]?;
        self.remove(task).then_some(task)
    }

    fn remove(&mut self, task: TaskKey) -> bool {
        let place = self.ready.iter().position(|&ready| ready == task);
        place.map(|place| self.ready.remove(place)).is_some()
    }

    fn quantum(&self, _: TaskKey) -> Option<SimDuration> {
        None
    }

    fn ran(&mut self, _: TaskKey, _: SimDuration) {}

    fn outranks(&self, _: TaskKey) -> bool {
        false
    }

    fn len(&self) -> usize {
        self.ready.len()
    }

    fn scan(&self, look: &mut dyn FnMut(TaskKey) -> ControlFlow<()>) {
        let _ = self.ready.iter().try_for_each(|&task| look(task));
    }

    fn forget(&mut self, task: TaskKey) {
        for assigned in &mut self.assigned {
            if *assigned == Some(task) {
                *assigned = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use slotmap::SlotMap;

    use super::*;

    #[test]
    fn only_the_assigned_runs_and_only_when_it_is_ready() {
        let mut keys = SlotMap::with_key();
        let (first, second): (TaskKey, TaskKey) = (keys.insert(()), keys.insert(()));
        let mut queue = Gang::new(2);
        queue.enter(first, Entering::New);
        assert_eq!(queue.pick(0), None);
        queue.assign(1, Some(first));
        assert_eq!((queue.pick(0), queue.pick(1), queue.pick(1)), (None, Some(first), None));
        queue.enter(second, Entering::New);
        queue.enter(first, Entering::Woken);
        assert_eq!((queue.len(), queue.pick(1)), (2, Some(first)));
        queue.forget(first);
        assert_eq!(queue.pick(1), None);
    }
}
