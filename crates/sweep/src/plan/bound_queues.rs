//! The least of many bounds of completions, cluster by cluster, of which most rise together: each
//! with the instant when a host is free.
//!
//! The bound of a class on a cluster is that of its last look, or when the first host is free there
//! and the least time from then on (its span), whichever is greater. A class is *late* where the
//! first holds, *early* where the second does. Early classes are in the order of their spans,
//! whenever the host is free; late ones are in the order of their bounds. A late class becomes
//! early when the host is free at its bound less its span. So when a host gets a task no bound need
//! be touched, but for those that become early.
//!
//! Queues are heaps. An entry that does not hold any more is taken out when it is the first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::workflow::TaskNumber;

/// A key, the first task of a class, and the place of the class.
type QueueEntry = Reverse<(u64, TaskNumber, u32)>;

/// The bounds of all classes on all clusters.
#[derive(Debug, Default)]
pub(crate) struct BoundQueues(Vec<BoundQueue>);

impl BoundQueues {
    /// Queues of clusters whose first hosts are free at these instants, and of classes with spans
    /// on each of them, class by class.
    pub(crate) fn new(free: &[u64], spans: &[u64]) -> Self {
        let of = |place: usize| spans.iter().skip(place).step_by(free.len()).copied().collect();
        BoundQueues(free.iter().enumerate().map(|(place, free)| BoundQueue::new(*free, of(place))).collect())
    }

    /// Returns true if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the bound of a class on a cluster; the class has this first task, if it has tasks.
    pub(crate) fn set(&mut self, place: usize, class: usize, first: Option<&TaskNumber>, bound: u64) {
        if let (Some(queue), Some(first)) = (self.0.get_mut(place), first) {
            queue.set(class, *first, bound);
        }
    }

    /// The class has another first task.
    pub(crate) fn set_first(&mut self, class: usize, first: TaskNumber) {
        self.0.iter_mut().for_each(|queue| queue.set_first(class, first));
    }

    /// The first host of a cluster is free from a later instant on.
    pub(crate) fn set_free(&mut self, place: usize, free: u64) {
        self.0.get_mut(place).into_iter().for_each(|queue| queue.set_free(free));
    }

    /// A class completes nowhere before this instant, as long as no cluster changes; nor later on
    /// those that stay as they are.
    pub(crate) fn raise(&mut self, class: usize, first: TaskNumber, completion: u64) {
        self.0.iter_mut().for_each(|queue| queue.raise(class, first, completion));
    }

    /// The classes that were raised on a cluster since it changed last: their bounds are to be set
    /// again.
    pub(crate) fn take_raised(&mut self, place: usize) -> Vec<usize> {
        self.0.get_mut(place).map_or_else(Vec::new, |queue| std::mem::take(&mut queue.raised))
    }

    /// The least bound, of equal ones that of the first task, and its class; `first` is the first
    /// task of a class that has tasks.
    pub(crate) fn least(
        &mut self,
        first: impl Fn(usize) -> Option<TaskNumber>,
    ) -> Option<(u64, TaskNumber, usize)> {
        self.0.iter_mut().filter_map(|queue| queue.least(&first)).min()
    }
}

/// The bounds of all classes on one cluster.
#[derive(Debug, Default)]
struct BoundQueue {
    /// Instant at which the first host is free.
    free: u64,
    spans: Vec<u64>,
    /// Of each class its first task.
    firsts: Vec<TaskNumber>,
    /// Of each class the bound that was set last.
    bounds: Vec<u64>,
    is_late: Vec<bool>,
    /// True if an early class has an entry by its span.
    has_entry: Vec<bool>,
    late: BinaryHeap<QueueEntry>,
    early: BinaryHeap<QueueEntry>,
    /// Instants at which late classes become early.
    turns: BinaryHeap<Reverse<(u64, u32)>>,
    /// Classes whose bounds are raised until the cluster changes.
    raised: Vec<usize>,
}

impl BoundQueue {
    /// A queue of classes with these spans, none of which has a bound.
    fn new(free: u64, spans: Vec<u64>) -> Self {
        let classes = spans.len();
        BoundQueue {
            free,
            spans,
            firsts: vec![TaskNumber(0); classes],
            bounds: vec![u64::MAX; classes],
            is_late: vec![true; classes],
            has_entry: vec![false; classes],
            ..BoundQueue::default()
        }
    }

    /// Sets the bound of a class whose first task is this; no host ends it if that is the greatest
    /// number.
    fn set(&mut self, class: usize, task: TaskNumber, bound: u64) {
        let span = self.spans[class];
        let was_set = self.bounds[class] == bound;
        (self.bounds[class], self.firsts[class]) = (bound, task);
        let is_late = bound > self.free.saturating_add(span);
        let was_late = std::mem::replace(&mut self.is_late[class], is_late);
        if !is_late {
            if !std::mem::replace(&mut self.has_entry[class], true) {
                self.early.push(Reverse((span, task, class as u32)));
            }
        } else if bound < u64::MAX && !(was_set && was_late) {
            self.late.push(Reverse((bound, task, class as u32)));
            self.turns.push(Reverse((bound - span, class as u32)));
        }
    }

    /// The class has another first task.
    fn set_first(&mut self, class: usize, task: TaskNumber) {
        let bound = std::mem::replace(&mut self.bounds[class], u64::MAX);
        self.has_entry[class] = false;
        self.set(class, task, bound);
    }

    /// The first host is free from a later instant on.
    fn set_free(&mut self, free: u64) {
        self.free = self.free.max(free);
        while let Some(&Reverse((turn, class))) = self.turns.peek()
            && turn <= self.free
        {
            self.turns.pop();
            let place = class as usize;
            if self.is_late[place] && self.bounds[place] <= self.free.saturating_add(self.spans[place]) {
                self.set(place, self.firsts[place], self.bounds[place]);
            }
        }
    }

    /// Until the cluster changes, a class that has this first task has no bound below this one.
    fn raise(&mut self, class: usize, task: TaskNumber, bound: u64) {
        if self.bounds[class] < bound {
            self.raised.push(class);
            self.set(class, task, bound);
        }
    }

    /// The least bound, of equal ones that of the first task, and its class; `first` is the first
    /// task of a class that has tasks.
    fn least(&mut self, first: &impl Fn(usize) -> Option<TaskNumber>) -> Option<(u64, TaskNumber, usize)> {
        while let Some(&Reverse((bound, task, class))) = self.late.peek() {
            let place = class as usize;
            if self.is_late[place] && self.bounds[place] == bound && first(place) == Some(task) {
                break;
            }
            self.late.pop();
        }
        while let Some(&Reverse((_, task, class))) = self.early.peek() {
            let place = class as usize;
            let is_first = first(place) == Some(task);
            if !self.is_late[place] && is_first {
                break;
            }
            self.early.pop();
            if is_first {
                self.has_entry[place] = false;
            }
        }
        let late = self.late.peek().map(|Reverse(entry)| *entry);
        let early = self
            .early
            .peek()
            .map(|&Reverse((span, task, class))| (self.free.saturating_add(span), task, class));
        let (bound, task, class) = late.into_iter().chain(early).min()?;
        Some((bound, task, class as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;

    /// Contents of queues as lists: of each class its first task, and of each cluster its bounds
    /// and the instant at which a host is free.
    #[derive(Debug)]
    struct Lists {
        firsts: Vec<Option<TaskNumber>>,
        bounds: Vec<Vec<u64>>,
        spans: Vec<u64>,
        free: Vec<u64>,
    }

    impl Lists {
        fn least(&self) -> Option<(u64, TaskNumber, usize)> {
            let width = self.free.len();
            let cells = (0..width).flat_map(|place| (0..self.firsts.len()).map(move |class| (place, class)));
            let key = |(place, class): (usize, usize)| {
                let early = self.free[place] + self.spans[class * width + place];
                Some((self.bounds[place][class].max(early), self.firsts[class]?, class))
            };
            cells.filter_map(key).min()
        }
    }

    #[test]
    fn the_least_of_queues_is_the_least_of_lists() {
        for case in 0..200 {
            let mut stream = Streams::new(case, 0).stream("test");
            let mut below = |bound: u64| stream.below(bound);
            let (classes, width) = (1 + below(8) as usize, 1 + below(3) as usize);
            let mut lists = Lists {
                firsts: (0..classes as u32).map(|class| Some(TaskNumber(class))).collect(),
                bounds: vec![vec![0; classes]; width],
                spans: (0..classes * width).map(|_| below(9)).collect(),
                free: vec![0; width],
            };
            let mut queues = BoundQueues::new(&lists.free, &lists.spans);
            for (place, bounds) in lists.bounds.iter().enumerate() {
                (0..classes)
                    .for_each(|class| queues.set(place, class, lists.firsts[class].as_ref(), bounds[class]));
            }
            for _ in 0..100 {
                let (place, class) = (below(width as u64) as usize, below(classes as u64) as usize);
                match below(6) {
                    0 => {
                        lists.free[place] += below(4);
                        queues.set_free(place, lists.free[place]);
                    }
                    1 if below(8) == 0 => lists.firsts[class] = None,
                    1 => {
                        let next = lists.firsts[class].map(|first| TaskNumber(first.0 + classes as u32));
                        lists.firsts[class] = next;
                        next.into_iter().for_each(|next| queues.set_first(class, next));
                    }
                    _ => {
                        lists.bounds[place][class] = below(40);
                        let bound = lists.bounds[place][class];
                        queues.set(place, class, lists.firsts[class].as_ref(), bound);
                    }
                }
                let firsts = lists.firsts.clone();
                assert_eq!(queues.least(|class| firsts[class]), lists.least(), "case {case}");
            }
        }
    }
}
