//! Pairs of a ready task and a host, the one of the least key first, where keys grow as hosts get
//! more to compute.
//!
//! A task that waits for nothing but cores starts as soon as its host has so many free. What a host
//! gets puts off all that wait for as many of its cores by the same time, and leaves their order as
//! it is. So each host has a heap of them, which is made once: its first is found by the keys that
//! all would have if cores were free from the beginning. Tasks whose data come later lie in another
//! heap until cores are what they wait for.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::collections::OrderedMap;
use crate::planning::view::TimeSlot;
use crate::platform::HostId;
use crate::schedule::steady_tasks::SteadyTasks;
use crate::workflow::TaskNumber;

/// Keys of tasks, the least first, each with the line of its task.
type Keys<B> = BinaryHeap<Reverse<(B, TaskNumber, u32)>>;

/// Entries of placed tasks that may be left in heaps, next to as many of others.
const MOST_LEFT: usize = 1_024;

/// The tasks that want as many cores of one host.
struct Queue<B> {
    host: HostId,
    first: Option<(B, TaskNumber)>,
    /// Number of times that the first was another: the entry of the heap with it counts.
    changes: u32,
    /// By keys that hold if the task starts once its data are there.
    for_data: Keys<B>,
    /// By keys of a start at the beginning of time.
    for_cores: Keys<B>,
}

/// All pairs; see the module's essay.
pub(crate) struct PairHeaps<B> {
    queues: Vec<Queue<B>>,
    /// The queues of each host, by number of cores.
    numbers: OrderedMap<(HostId, u32), usize>,
    /// The first of each queue, and outdated ones.
    firsts: BinaryHeap<First<B>>,
    /// Number of entries in all queues.
    entries: usize,
}

/// The first of a queue: its key, task, host, the queue, and its count of changes then.
type First<B> = Reverse<(B, TaskNumber, HostId, usize, u32)>;

/// Key of a task in a slot.
type KeyOf<'k, B> = &'k dyn Fn(TaskNumber, TimeSlot) -> B;

impl<B: Ord + Copy> PairHeaps<B> {
    pub(crate) fn new() -> Self {
        let (numbers, firsts) = (OrderedMap::new(), BinaryHeap::new());
        PairHeaps { queues: Vec::new(), numbers, firsts, entries: 0 }
    }

    /// Puts a task in; gives the number of hosts that can have it.
    pub(crate) fn insert(
        &mut self,
        tasks: &SteadyTasks,
        task: TaskNumber,
        line: u32,
        key: KeyOf<'_, B>,
    ) -> usize {
        let mut count = 0;
        for host in tasks.hosts() {
            let Some(slot) = tasks.slot(line, host) else { continue };
            count += 1;
            let number = self.queue(host, tasks.width(line));
            if tasks.waits_for_cores(line, host) {
                self.queues[number].wait_for_cores(tasks, task, line, key);
            } else {
                self.queues[number].for_data.push(Reverse((key(task, slot), task, line)));
            }
            self.look(tasks, number, key);
        }
        self.entries += count;
        self.clear_up(tasks);
        count
    }

    fn queue(&mut self, host: HostId, width: u32) -> usize {
        let next = self.queues.len();
        let number = *self.numbers.entry((host, width)).or_insert(next);
        if number == next {
            let (for_data, for_cores) = (Keys::new(), Keys::new());
            self.queues.push(Queue { host, first: None, changes: 0, for_data, for_cores });
        }
        number
    }

    /// Takes in that a host has got something.
    pub(crate) fn renew(&mut self, tasks: &SteadyTasks, host: HostId, key: KeyOf<'_, B>) {
        let of_host: Vec<usize> =
            self.numbers.range((host, 0)..=(host, u32::MAX)).map(|(_, number)| *number).collect();
        of_host.into_iter().for_each(|number| self.look(tasks, number, key));
    }

    /// Looks for the first of a queue.
    fn look(&mut self, tasks: &SteadyTasks, number: usize, key: KeyOf<'_, B>) {
        let queue = &mut self.queues[number];
        let before = queue.for_data.len() + queue.for_cores.len();
        let first = queue.least(tasks, key);
        self.entries -= before - queue.for_data.len() - queue.for_cores.len();
        if first == queue.first {
            return;
        }
        queue.first = first;
        queue.changes += 1;
        if let Some((key, task)) = first {
            self.firsts.push(Reverse((key, task, queue.host, number, queue.changes)));
        }
    }

    /// The least key, its task and host.
    pub(crate) fn first(
        &mut self,
        tasks: &SteadyTasks,
        key: KeyOf<'_, B>,
    ) -> Option<(B, TaskNumber, HostId)> {
        loop {
            let Reverse((least, task, host, number, changes)) = *self.firsts.peek()?;
            let is_last = self.queues[number].changes == changes;
            if is_last && tasks.knows(task) {
                return Some((least, task, host));
            }
            self.firsts.pop();
            if is_last {
                self.look(tasks, number, key);
            }
        }
    }

    /// Takes entries of tasks that were placed out of the heaps once they are most.
    fn clear_up(&mut self, tasks: &SteadyTasks) {
        if self.entries <= 2 * tasks.len() * tasks.hosts().len() + MOST_LEFT {
            return;
        }
        for queue in &mut self.queues {
            for keys in [&mut queue.for_data, &mut queue.for_cores] {
                keys.retain(|Reverse((_, task, line))| tasks.is(*line, *task));
            }
        }
        self.entries = self.queues.iter().map(|queue| queue.for_data.len() + queue.for_cores.len()).sum();
    }
}

impl<B: Ord + Copy> Queue<B> {
    fn wait_for_cores(&mut self, tasks: &SteadyTasks, task: TaskNumber, line: u32, key: KeyOf<'_, B>) {
        if let Some(slot) = tasks.slot_at_once(line, self.host) {
            self.for_cores.push(Reverse((key(task, slot), task, line)));
        }
    }

    /// The least key and its task, as it is now.
    fn least(&mut self, tasks: &SteadyTasks, key: KeyOf<'_, B>) -> Option<(B, TaskNumber)> {
        let for_data = loop {
            let Some(&Reverse((least, task, line))) = self.for_data.peek() else { break None };
            let is_there = tasks.is(line, task);
            if is_there && !tasks.waits_for_cores(line, self.host) {
                break Some((least, task));
            }
            self.for_data.pop();
            if is_there {
                self.wait_for_cores(tasks, task, line, key);
            }
        };
        let for_cores = loop {
            let Some(&Reverse((_, task, line))) = self.for_cores.peek() else { break None };
            let slot = if tasks.is(line, task) { tasks.slot(line, self.host) } else { None };
            match slot {
                Some(slot) => break Some((key(task, slot), task)),
                // it is placed, or would never end
                None => self.for_cores.pop(),
            };
        };
        [for_data, for_cores].into_iter().flatten().min()
    }
}
