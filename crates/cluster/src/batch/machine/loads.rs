//! Numbers of tasks on each processor of a time-shared machine.

use crate::collections::{Interval, IntervalSet};

/// Tasks by processor, up to a multiprogramming level.
#[derive(Clone, Debug)]
pub(super) struct Loads {
    level: u32,
    tasks: Vec<u32>,
    in_use: u32,
}

impl Loads {
    /// No tasks on `procs` processors that take up to `level` each.
    pub(super) fn new(procs: u32, level: u32) -> Self {
        Loads { level, tasks: vec![0; procs as usize], in_use: 0 }
    }

    /// Processors with a task.
    pub(super) fn in_use(&self) -> u32 {
        self.in_use
    }

    /// Puts a task on each of these processors; false, and nothing done, unless all have free
    /// slots. Those that are then full leave `free`.
    pub(super) fn take(&mut self, interval: Interval, free: &mut IntervalSet) -> bool {
        let range = interval.first as usize..=interval.last as usize;
        let fits =
            self.tasks.get(range.clone()).is_some_and(|tasks| tasks.iter().all(|&load| load < self.level));
        if fits {
            for (processor, load) in (interval.first..).zip(&mut self.tasks[range]) {
                self.in_use += u32::from(*load == 0);
                *load += 1;
                if *load == self.level {
                    free.remove(Interval::new(processor, processor));
                }
            }
        }
        fits
    }

    /// Slots of these processors that no task has.
    pub(super) fn free_slots(&self, processors: impl Iterator<Item = Interval>) -> u64 {
        let of = |part: Interval| &self.tasks[part.first as usize..=part.last as usize];
        processors.flat_map(of).map(|&load| u64::from(self.level - load)).sum()
    }

    /// Processors of these on which no task is.
    pub(super) fn idle(&self, of: &IntervalSet) -> IntervalSet {
        let mut idle = IntervalSet::default();
        for part in of.iter() {
            let mut first = part.first;
            let tasks = &self.tasks[part.first as usize..=part.last as usize];
            for alike in tasks.chunk_by(|one, other| (*one == 0) == (*other == 0)) {
                let last = first + (alike.len() as u32 - 1);
                if alike[0] == 0 {
                    idle.insert(Interval::new(first, last));
                }
                first = last + 1;
            }
        }
        idle
    }

    /// Takes a task off each of these processors, which are in `free` again unless they are out of
    /// service.
    ///
    /// # Panics
    /// If one of them has none.
    pub(super) fn give_back(&mut self, interval: Interval, free: &mut IntervalSet, out: &IntervalSet) {
        let range = interval.first as usize..=interval.last as usize;
        for (processor, load) in (interval.first..).zip(&mut self.tasks[range]) {
            let one = Interval::new(processor, processor);
            if *load == self.level && out.within(one).next().is_none() {
                free.insert(one);
            }
            *load = load.checked_sub(1).expect("a task that leaves a processor was on it");
            self.in_use -= u32::from(*load == 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_has_room_up_to_its_level() {
        let mut free = IntervalSet::full(4);
        let mut loads = Loads::new(4, 2);
        let all = Interval::new(0, 3);
        assert!(loads.take(all, &mut free) && loads.take(Interval::new(1, 2), &mut free));
        assert_eq!(
            (loads.in_use(), free.iter().collect::<Vec<_>>()),
            (4, vec![Interval::new(0, 0), Interval::new(3, 3)])
        );
        assert!(!loads.take(Interval::new(2, 3), &mut free) && !loads.take(Interval::new(3, 4), &mut free));
        assert_eq!(loads.idle(&free).count(), 0);
        let none = IntervalSet::default();
        loads.give_back(Interval::new(1, 1), &mut free, &none);
        loads.give_back(Interval::new(0, 0), &mut free, &none);
        assert_eq!((loads.in_use(), free.count()), (3, 3));
        assert_eq!(loads.free_slots([all].into_iter()), 4);
        loads.give_back(Interval::new(1, 1), &mut free, &none);
        assert_eq!(loads.idle(&free).iter().collect::<Vec<_>>(), [Interval::new(0, 1)]);
        loads.give_back(Interval::new(3, 3), &mut free, &none);
        assert_eq!(loads.idle(&free).count(), 3);
    }
}
