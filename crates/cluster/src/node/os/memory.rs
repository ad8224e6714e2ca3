//! The memory of a node: how much of each task's working set is there.
//!
//! A task that is dispatched needs its whole working set. What of it is not there is brought in
//! first, which keeps the processor; what has to make room belongs to the tasks that were
//! dispatched longest ago. A working set larger than the memory never fits: what is too much of it
//! is brought in at every dispatch.
//!
//! The multiprogramming level is the usual limit on the memory that jobs take ("ClusterSchedSim",
//! SIMULATION 80(4-5), 2004, section 2.1). This is for scenarios that ask what exceeding it costs.
//! Whole tasks are counted, not pages, and nothing is written back.

use super::cpu::TaskKey;

/// Memory of a node, and the working sets that are there.
#[derive(Debug)]
pub(in crate::node) struct Memory {
    size: u64,
    used: u64,
    /// Resident memory of each task, from the one that was dispatched longest ago.
    resident: Vec<(TaskKey, u64)>,
}

impl Memory {
    /// Empty memory of `size` bytes.
    pub(in crate::node) fn new(size: u64) -> Self {
        Memory { size, used: 0, resident: Vec::new() }
    }

    /// A task with a working set of `wanted` bytes is dispatched: how many of them have to be
    /// brought in.
    pub(in crate::node) fn dispatch(&mut self, task: TaskKey, wanted: u64) -> u64 {
        if wanted == 0 {
            return 0;
        }
        let there = self.forget(task);
        let holds = wanted.min(self.size);
        while self.used + holds > self.size {
            let excess = self.used + holds - self.size;
            let (_, oldest) = &mut self.resident[0];
            let gone = excess.min(*oldest);
            *oldest -= gone;
            self.used -= gone;
            if *oldest == 0 {
                self.resident.remove(0);
            }
        }
        self.used += holds;
        self.resident.push((task, holds));
        wanted - there
    }

    /// A task gives up what it has there: how much that was.
    pub(in crate::node) fn forget(&mut self, task: TaskKey) -> u64 {
        let place = self.resident.iter().position(|&(other, _)| other == task);
        let there = place.map_or(0, |place| self.resident.remove(place).1);
        self.used -= there;
        there
    }
}

#[cfg(test)]
mod tests {
    use slotmap::SlotMap;

    use super::*;

    #[test]
    fn the_task_dispatched_longest_ago_makes_room() {
        let mut keys = SlotMap::with_key();
        let [a, b, c]: [TaskKey; 3] = std::array::from_fn(|_| keys.insert(()));
        let mut memory = Memory::new(100);
        assert_eq!((memory.dispatch(a, 40), memory.dispatch(b, 50), memory.dispatch(a, 40)), (40, 50, 0));
        // 90 are used: 30 of b make room
        assert_eq!((memory.dispatch(c, 40), memory.dispatch(c, 40)), (40, 0));
        // 20 of b are left; it takes 30 of a, which is then the oldest
        assert_eq!((memory.dispatch(b, 50), memory.dispatch(a, 40)), (30, 30));
        // which took 30 of c: 10 are left of it
        assert_eq!((memory.forget(b), memory.dispatch(c, 40), memory.forget(b)), (50, 30, 0));
    }

    #[test]
    fn what_never_fits_is_brought_in_again_and_again() {
        let mut keys = SlotMap::with_key();
        let [a, b]: [TaskKey; 2] = std::array::from_fn(|_| keys.insert(()));
        let mut memory = Memory::new(100);
        assert_eq!((memory.dispatch(a, 130), memory.dispatch(a, 130)), (130, 30));
        assert_eq!((memory.dispatch(b, 0), memory.dispatch(b, 100), memory.dispatch(a, 130)), (0, 100, 130));
    }
}
