//! Queues with nodes of their own: each job is on nodes of its queue, and queues that share no node
//! are judged each as if it were alone.
//!
//! A queue is known by the numbers of its jobs and the processors of its nodes. Queues that share
//! one are in one division; jobs of no queue with nodes share all, so they join all queues.

use std::borrow::Cow;

use crate::collections::Interval;
use crate::workload::Job;

use super::{PriorityRule, QueueNumber, Row, Violation, violation_of};

/// A queue, of all that go by the same number as those with nodes.
#[derive(Clone, PartialEq, Debug)]
pub struct JudgedQueue {
    /// Name in messages.
    pub name: String,
    /// Numbers of its jobs; none: all that no other queue lists.
    pub numbers: Vec<u16>,
    /// Processors of its nodes; `None`: those of all.
    pub on: Option<Vec<Interval>>,
    /// Discipline of its own; `None`: that of the policy.
    pub order: Option<String>,
    /// Rule of that, if it is by priority.
    pub priority: Option<PriorityRule>,
}

/// Queues, some of which have nodes of their own.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnNodes {
    /// Number by which jobs belong to them.
    pub of: QueueNumber,
    /// The queues.
    pub queues: Vec<JudgedQueue>,
    /// True if some job of the workload may have all nodes.
    pub are_open: bool,
}

/// Jobs that share nodes.
pub(super) struct Division<'a> {
    /// Rows of its jobs.
    pub(super) rows: Cow<'a, [Row]>,
    /// Discipline of its queue.
    pub(super) order: &'a str,
    /// Rule of that, if it is by priority.
    pub(super) priority: Option<&'a PriorityRule>,
    /// Places of its queues, that of jobs without one behind all.
    pub(super) members: Vec<usize>,
}

impl OwnNodes {
    /// The queue of a job, by its place, if that has nodes of its own.
    pub fn queue_of(&self, job: &Job) -> Option<u16> {
        let number = self.of.of(job);
        let lists = |queue: &JudgedQueue| number.is_some_and(|number| queue.numbers.contains(&number));
        let listed = self.queues.iter().position(lists);
        let place = listed.or_else(|| self.queues.iter().position(|queue| queue.numbers.is_empty()))?;
        self.queues[place].on.as_ref().map(|_| place as u16)
    }

    /// Division of each queue, and behind them that of jobs that may have all nodes.
    fn divisions(&self) -> Vec<usize> {
        let rest = self.queues.len();
        let mut of: Vec<usize> = (0..=rest).collect();
        let meet = |one: &Interval, other: &Interval| one.first <= other.last && other.first <= one.last;
        let share = |one: usize, other: usize| match (&self.queues[one].on, self.queues.get(other)) {
            (Some(_), None) => self.are_open,
            (Some(on), Some(JudgedQueue { on: Some(others), .. })) => {
                on.iter().any(|one| others.iter().any(|other| meet(one, other)))
            }
            _ => false,
        };
        // each takes the least number of those that it shares nodes with, until none changes
        let mut changes = true;
        while changes {
            changes = false;
            for one in 0..rest {
                for other in (one + 1)..=rest {
                    if of[one] != of[other] && share(one, other) {
                        let least = of[one].min(of[other]);
                        (of[one], of[other], changes) = (least, least, true);
                    }
                }
            }
        }
        of
    }

    /// Disciplines of the divisions, where the policy has this one.
    pub(super) fn orders<'a>(&'a self, order: &'a str) -> Vec<&'a str> {
        self.parts(&[], (order, None)).into_iter().map(|part| part.order).collect()
    }

    /// Returns true if some queues share nodes.
    pub(super) fn share(&self) -> bool {
        self.parts(&[], ("", None)).iter().any(|part| part.members.len() > 1)
    }

    /// Rows by division, where the policy has this order.
    pub(super) fn parts<'a>(
        &'a self,
        rows: &'a [Row],
        (order, priority): (&'a str, Option<&'a PriorityRule>),
    ) -> Vec<Division<'a>> {
        let (of, rest) = (self.divisions(), self.queues.len());
        let has_nodes = |place: usize| self.queues.get(place).map_or(self.are_open, |one| one.on.is_some());
        let mut parts = Vec::new();
        for division in 0..=rest {
            let members: Vec<usize> =
                (0..=rest).filter(|&place| of[place] == division && has_nodes(place)).collect();
            let Some(&first) = members.first() else { continue };
            let is_here = |row: &&Row| of[row.queue.map_or(rest, usize::from)] == division;
            let own = self.queues.get(first).filter(|queue| queue.order.is_some());
            parts.push(Division {
                rows: rows.iter().filter(is_here).cloned().collect(),
                order: own.and_then(|queue| queue.order.as_deref()).unwrap_or(order),
                priority: own.map_or(priority, |queue| queue.priority.as_ref()),
                members,
            });
        }
        parts
    }
}

/// Each job of a queue with nodes of its own is on these; rows are all runs.
pub fn on_own_nodes(rows: &[Row], own: &OwnNodes) -> Vec<Violation> {
    let strays = |row: &&Row| {
        let queue = row.queue.and_then(|place| own.queues.get(usize::from(place)));
        let Some(nodes) = queue.and_then(|queue| queue.on.as_ref()) else { return false };
        let is_inside = |on: &Interval| {
            (on.first..=on.last).all(|one| nodes.iter().any(|of| of.first <= one && one <= of.last))
        };
        !row.on.iter().all(is_inside)
    };
    let name = |row: &Row| row.queue.map_or("", |place| own.queues[usize::from(place)].name.as_str());
    let broken = |row: &Row| {
        violation_of(row, row.start, format!("it is on nodes that its queue `{}` does not have", name(row)))
    };
    rows.iter().filter(strays).map(broken).collect()
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;

    fn own(nodes: &[Option<(u32, u32)>], are_open: bool) -> OwnNodes {
        let queue = |(number, on): (u16, &Option<(u32, u32)>)| JudgedQueue {
            name: "q".to_owned(),
            numbers: vec![number],
            on: on.map(|(first, last)| vec![Interval::new(first, last)]),
            order: None,
            priority: None,
        };
        let queues = (0..).zip(nodes).map(queue).collect();
        OwnNodes { of: QueueNumber::Partition, queues, are_open }
    }

    #[test]
    fn queues_that_share_processors_are_judged_together() {
        let sizes = |own: &OwnNodes| {
            own.parts(&[], ("fcfs", None)).iter().map(|part| part.members.len()).collect::<Vec<_>>()
        };
        let apart = [Some((0, 3)), Some((4, 7)), Some((3, 3)), None];
        assert_eq!(sizes(&own(&apart, false)), [2, 1]);
        assert_eq!(sizes(&own(&apart, true)), [4]);
        assert_eq!((own(&apart, false).share(), own(&apart[..2], false).share()), (true, false));
    }

    #[test]
    fn a_job_on_nodes_of_another_queue_is_found() {
        let of = |queue, on| Row { queue, ..row(1, 0, 0, 9, on) };
        let own = own(&[Some((0, 3)), Some((4, 7))], false);
        let rows = [of(Some(0), (0, 3)), of(Some(1), (4, 4)), of(None, (0, 7)), of(Some(0), (3, 4))];
        assert_eq!(on_own_nodes(&rows[..3], &own), []);
        let found = on_own_nodes(&rows, &own);
        assert_eq!(found[0].what, "it is on nodes that its queue `q` does not have");
    }
}
