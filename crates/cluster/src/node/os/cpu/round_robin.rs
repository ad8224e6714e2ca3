//! Round robin: ready tasks take turns of one quantum, in order of arrival.
//!
//! No task outranks another. A boost puts a task to the front.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use slotmap::SecondaryMap;

use crate::kernel::SimDuration;
use crate::registry::{Bounds, Entry, Kind, entry};

use super::{CpuScheduler, Entering, RunQueue, TaskKey};

pub(super) const ENTRY: Entry<dyn CpuScheduler> = entry! {
    "round-robin" => "turns of one quantum, in order of arrival",
    keys {
        "quantum" Kind::Duration(Bounds::Positive), or "100ms" => "length of the quantum";
    },
    reads |params| RoundRobin { quantum: params.read("quantum")? }
};

#[derive(Clone, Copy, Debug)]
struct RoundRobin {
    quantum: SimDuration,
}

impl CpuScheduler for RoundRobin {
    fn run_queue(&self) -> Box<dyn RunQueue> {
        turns(self.quantum)
    }
}

/// An empty run queue in round robin.
pub(super) fn turns(quantum: SimDuration) -> Box<dyn RunQueue> {
    Box::new(Turns { quantum, line: VecDeque::new(), left: SecondaryMap::new() })
}

#[derive(Debug)]
struct Turns {
    quantum: SimDuration,
    line: VecDeque<TaskKey>,
    /// Rest of the turns of those that were preempted or run.
    left: SecondaryMap<TaskKey, SimDuration>,
}

impl RunQueue for Turns {
    fn enter(&mut self, task: TaskKey, how: Entering) {
        let spent = self.left.get(task).is_none_or(|left| left.is_zero());
        let (keeps, first) = match how {
            Entering::New | Entering::Woken | Entering::Expired | Entering::Yielded => (false, false),
            Entering::Preempted => (!spent, !spent),
            Entering::Boosted => (false, true),
            Entering::Displaced => (!spent, false),
        };
        if !keeps {
            self.left.insert(task, self.quantum);
        }
        if first {
            self.line.push_front(task);
        } else {
            self.line.push_back(task);
        }
    }

    fn pick(&mut self, _: usize) -> Option<TaskKey> {
        self.line.pop_front()
    }

    fn remove(&mut self, task: TaskKey) -> bool {
        let place = self.line.iter().position(|&ready| ready == task);
        place.is_some_and(|place| self.line.remove(place).is_some())
    }

    fn quantum(&self, task: TaskKey) -> Option<SimDuration> {
        Some(self.left[task])
    }

    fn ran(&mut self, task: TaskKey, span: SimDuration) {
        self.left[task] = self.left[task].saturating_sub(span);
    }

    fn outranks(&self, _: TaskKey) -> bool {
        false
    }

    fn boosted_outranks(&self, _: TaskKey) -> bool {
        !self.line.is_empty()
    }

    fn len(&self) -> usize {
        self.line.len()
    }

    fn scan(&self, look: &mut dyn FnMut(TaskKey) -> ControlFlow<()>) {
        let _ = self.line.iter().try_for_each(|&task| look(task));
    }

    fn forget(&mut self, task: TaskKey) {
        self.left.remove(task);
    }
}

#[cfg(test)]
mod tests {
    use slotmap::SlotMap;

    use super::*;

    #[test]
    fn turns_go_round_and_a_preempted_turn_goes_on() {
        let mut keys = SlotMap::with_key();
        let task: Vec<TaskKey> = (0..3).map(|_| keys.insert(())).collect();
        let ms = SimDuration::from_millis;
        let mut queue = RoundRobin { quantum: ms(10) }.run_queue();
        for &task in &task {
            queue.enter(task, Entering::New);
        }
        assert_eq!(queue.pick(0), Some(task[0]));
        queue.ran(task[0], ms(4));
        queue.enter(task[0], Entering::Preempted);
        assert_eq!(queue.pick(0), Some(task[0]));
        assert_eq!(queue.quantum(task[0]), Some(ms(6)));
        queue.ran(task[0], ms(6));
        queue.enter(task[0], Entering::Expired);
        queue.remove(task[2]);
        queue.enter(task[2], Entering::Boosted);
        assert_eq!(
            (queue.pick(0), queue.pick(0), queue.pick(0)),
            (Some(task[2]), Some(task[1]), Some(task[0]))
        );
    }
}
