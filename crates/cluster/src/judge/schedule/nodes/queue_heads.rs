//! The heads of queues that share nodes.
//!
//! At each decision the first jobs of each queue are looked at, in the order of all: one that fits
//! as long as its estimate, beside the jobs that run and what those before it are promised, starts;
//! another is promised the earliest start at which it does. The decision is gone through once more
//! here: the jobs that were started get what they have, the others are booked, and what is booked
//! is given up again when the decision is over.

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::SimTime;

use super::super::calendar::Calendar;
use super::super::changes::{Change, State, estimated_end};
use super::super::supply::{Event, events, instants, jobs};
use super::super::{Order, Row, Violation, violation_of};
use super::{NodeSupply, NodesByKind, NodesByName};

/// Rows of queues that share nodes.
#[derive(Clone, Copy, Debug)]
pub struct SharingQueues<'a> {
    /// Rows of the queues, in order of submission: all runs of all jobs.
    pub rows: &'a [Row],
    /// Rows of all jobs of the machine.
    pub machine: &'a [Row],
    /// The order of all jobs.
    pub order: Order<'a>,
    /// Promised starts of each queue.
    pub promises: usize,
    /// True if it is decided after each event: then at the last one, at which all others of the
    /// instant have started.
    pub by_event: bool,
}

/// No job that is among the first of its queue waits though it fits beside what those before it are
/// promised; nothing is said while one outlasts its estimate.
///
/// # Complexity
/// For each instant a search for each of the first jobs.
pub fn queue_heads_start(queues: SharingQueues<'_>, supply: NodeSupply<'_>) -> Vec<Violation> {
    match NodesByKind::of(supply, queues.machine) {
        Some(nodes) => replay(queues, supply, nodes),
        None => replay(queues, supply, NodesByName::new(supply)),
    }
}

fn replay<C: Calendar>(queues: SharingQueues<'_>, supply: NodeSupply<'_>, calendar: C) -> Vec<Violation> {
    let rows = queues.rows;
    let (state, violations) = (State::new(rows, queues.order), Vec::new());
    let mut replay = Replay { queues, state, calendar, running: OrderedSet::new(), violations };
    for (now, instant) in instants(&events(rows, &supply.processors())) {
        replay.calendar.advance(now);
        replay.state.at(now);
        let starts: OrderedSet<usize> = jobs(instant, Change::Start).collect();
        for &(_, event) in instant {
            match event {
                Event::Machine(change, index) => _ = replay.calendar.changes(now, change, index),
                Event::Job(Change::End, job) if rows[job].start < rows[job].end => {
                    replay.calendar.ends(now, &rows[job]);
                    replay.running.remove(&(estimated_end(&rows[job]), job));
                }
                Event::Job(Change::Start | Change::End, _) => {}
                // with what limits let through once the jobs of the instant have started
                Event::Job(change, job) => replay.state.take(change, job),
            }
        }
        replay.state.decide();
        replay.decide(now, starts);
    }
    replay.violations
}

struct Replay<'a, C> {
    queues: SharingQueues<'a>,
    state: State<'a>,
    calendar: C,
    /// Estimated ends of the running jobs.
    running: OrderedSet<(SimTime, usize)>,
    violations: Vec<Violation>,
}

impl<C: Calendar> Replay<'_, C> {
    /// The decision of an instant, at which these jobs start.
    fn decide(&mut self, now: SimTime, mut starts: OrderedSet<usize>) {
        let mut promised: OrderedMap<Option<u16>, usize> = OrderedMap::new();
        let mut bookings = Vec::new();
        let waiting: Vec<usize> = self.state.waiting.iter().map(|stand| stand.row).collect();
        let outlasts = self.running.first().is_some_and(|&(end, _)| end <= now);
        let is_clear = !outlasts && self.state.is_sure();
        let (by_event, had) = (self.queues.by_event, starts.clone());
        if by_event {
            had.iter().for_each(|&job| self.start(now, job));
        }
        for &job in waiting.iter().filter(|&&job| !(by_event && had.contains(&job))) {
            let row = &self.queues.rows[job];
            let of_queue = promised.entry(row.queue).or_default();
            if *of_queue == self.queues.promises {
                continue;
            }
            let Some(booking) = self.calendar.earliest(now, row, now) else { continue };
            if booking.start > now {
                *of_queue += 1;
                bookings.push((job, booking));
                continue;
            }
            self.calendar.give_up(now, row, &booking);
            if starts.remove(&job) {
                self.start(now, job);
            } else if is_clear {
                let what = "it is among the first of its queue and waits, though nodes have room for it beside \
                            all that is promised before it";
                self.violations.push(violation_of(row, now, what));
            }
        }
        for (job, booking) in &bookings {
            self.calendar.give_up(now, &self.queues.rows[*job], booking);
        }
        if !by_event {
            starts.into_iter().for_each(|job| self.start(now, job));
        }
        for job in waiting.into_iter().filter(|&job| self.queues.rows[job].start <= now) {
            self.state.take(Change::Start, job);
        }
    }

    fn start(&mut self, now: SimTime, job: usize) {
        let row = &self.queues.rows[job];
        if row.start < row.end {
            self.calendar.starts(now, row);
            self.running.insert((estimated_end(row), job));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::workload::resources::{Demands, FeatureNames, Features, NodeKind, Nodes, Resources};

    use super::super::super::row;
    use super::*;

    /// Six nodes of one processor. One job has four of them until 10; the head of the first queue
    /// needs all. That of the second needs two, for 10 or for longer.
    #[test]
    fn the_head_of_a_queue_waits_only_for_what_is_promised_before_it() {
        let kind = NodeKind {
            nodes: 6,
            processors: 1,
            memory: NodeKind::ENDLESS,
            gpus: 0,
            features: Features::NONE,
        };
        let nodes = Nodes::new(vec![kind], FeatureNames::default()).expect("some");
        let resources = Resources { nodes, demands: Demands::default() };
        let of = |queue, row: Row| Row { queue: Some(queue), ..row };
        let on = |first, last| vec![Interval::new(first, last)];
        let rows = |starts, run| {
            let last = Row { on: on(4, 5), ..row(3, 0, starts, run, (0, 1)) };
            [of(0, row(1, 0, 0, 10, (0, 3))), of(0, row(2, 0, 10, 5, (0, 5))), of(1, last)]
        };
        let found = |starts, run, promises| {
            let rows = &rows(starts, run);
            let queues =
                SharingQueues { rows, machine: rows, order: Order::Submission, promises, by_event: false };
            queue_heads_start(queues, (&resources).into()).iter().map(|one| one.job).collect::<Vec<_>>()
        };
        let none: Vec<u64> = Vec::new();
        assert_eq!(
            [found(0, 10, 1), found(15, 10, 1), found(15, 11, 1)],
            [none.clone(), vec![3], none.clone()]
        );
        assert_eq!(found(15, 11, 2), none);
    }
}
