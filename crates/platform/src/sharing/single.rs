//! One resource and the tasks that want it: a host's processor, or a link by itself.
//!
//! Tasks are scheduled in some order, and each becomes ready at some time, known when it is
//! scheduled. Three rules say which task the resource serves, at its speed times what its trace
//! leaves of it:
//! - *FIFO*: strictly in the order of scheduling. If the next one is not ready, the resource waits
//!   for it.
//! - *FRFO* (first ready, first out): in the order of becoming ready, at equal times in that of
//!   scheduling; no task is interrupted.
//! - *SHARED*: all that are ready at once, each with its priority's share of the sum of priorities.
//!
//! Source: H. Casanova, "Simgrid: a toolkit for the simulation of application scheduling", CCGrid
//! 2001.
//!
//! Under SHARED the work per priority that has been given to each ready task is one number,
//! `given`; a task ends when that has grown by its own work per priority since it was ready. So a
//! task costs a place in an ordered set and not a visit at every event: O(log n) each.

use crate::Trace;
use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::SimTime;

use super::exact::{Exact, LEAST};

/// The order in which a resource serves its tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Discipline {
    /// In the order of scheduling, idle while the next is not ready.
    Fifo,
    /// In the order of becoming ready, then of scheduling.
    Frfo,
    /// All that are ready, by priority.
    Shared,
}

/// A task on a [`SingleResource`], by its place in the order of scheduling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ServiceId(u64);

/// A task that has not ended.
#[derive(Clone, Copy, Debug)]
struct Task {
    work: f64,
    priority: f64,
    /// Place among those that are ready, by which the discipline serves or ends first.
    rank: u64,
}

/// A resource and the tasks scheduled on it, driven by [`SingleResource::next_event`] and
/// [`SingleResource::advance`].
#[derive(Clone, Debug)]
pub struct SingleResource {
    discipline: Discipline,
    /// Work per second where the trace is 1.
    speed: f64,
    trace: Trace,
    now: SimTime,
    scheduled: u64,
    tasks: OrderedMap<ServiceId, Task>,
    /// Tasks that will be ready, by the instant at which they will.
    expected: OrderedSet<(SimTime, ServiceId)>,
    /// Tasks that are ready, in the order in which the discipline serves or ends them.
    ready: OrderedSet<(u64, ServiceId)>,
    /// The task that is served (under SHARED: that ends first), and when it ends if ever.
    served: Option<(ServiceId, Option<SimTime>)>,
    /// Under SHARED, work per priority given since the resource was last idle.
    given: f64,
    priorities: Exact,
}

impl SingleResource {
    /// A resource that does `speed` of work a second times the value of `trace`.
    pub fn new(discipline: Discipline, speed: f64, trace: Trace) -> Self {
        SingleResource {
            discipline,
            speed,
            trace,
            now: SimTime::ZERO,
            scheduled: 0,
            tasks: OrderedMap::new(),
            expected: OrderedSet::new(),
            ready: OrderedSet::new(),
            served: None,
            given: 0.0,
            priorities: Exact::default(),
        }
    }

    /// Schedules `work`, which is ready at `ready` or at once if that is past. `priority` counts
    /// under SHARED only and is at least [`LEAST`], what is less being taken as that.
    pub fn schedule(&mut self, work: f64, priority: f64, ready: SimTime) -> ServiceId {
        let id = self.enter(work, priority);
        if ready > self.now {
            self.expected.insert((ready, id));
        } else {
            self.becomes_ready(id);
            self.serve();
        }
        id
    }

    /// Takes a task back, whatever was done of it; nothing if it has ended.
    /// [`SingleResource::catch_up`] first.
    pub fn cancel(&mut self, id: ServiceId) {
        let Some(task) = self.tasks.remove(&id) else { return };
        if self.ready.remove(&(task.rank, id)) {
            if self.discipline == Discipline::Shared {
                self.priorities -= Exact::of(task.priority);
                if self.ready.is_empty() {
                    self.given = 0.0;
                }
            }
        } else {
            self.expected.retain(|&(_, expected)| expected != id);
        }
        if self.served.is_some_and(|(served, _)| served == id) || self.discipline == Discipline::Shared {
            self.served = None;
        }
        self.serve();
    }

    /// Makes `now` the present instant, before which nothing is left to happen:
    /// [`SingleResource::next_event`] is not earlier. What is scheduled or taken back then is so at
    /// it.
    pub fn catch_up(&mut self, now: SimTime) {
        if now > self.now {
            self.pass(now);
        }
    }

    /// Instant at which the next task becomes ready or ends; `None` if nothing will happen any
    /// more.
    pub fn next_event(&self) -> Option<SimTime> {
        let ready = self.expected.first().map(|&(at, _)| at);
        let end = self.served.and_then(|(_, end)| end);
        ready.into_iter().chain(end).min()
    }

    /// Schedules `work` that is not ready before [`SingleResource::make_ready`] says so; its place
    /// in the order of scheduling is this one.
    pub fn schedule_unready(&mut self, work: f64, priority: f64) -> ServiceId {
        let id = self.enter(work, priority);
        self.serve();
        id
    }

    fn enter(&mut self, work: f64, priority: f64) -> ServiceId {
        let id = ServiceId(self.scheduled);
        self.scheduled += 1;
        self.tasks.insert(id, Task { work, priority: priority.max(LEAST), rank: 0 });
        id
    }

    /// A task that was scheduled unready is ready at the present instant.
    /// [`SingleResource::catch_up`] first.
    pub fn make_ready(&mut self, id: ServiceId) {
        self.becomes_ready(id);
        if self.discipline == Discipline::Shared {
            self.served = None;
        }
        self.serve();
    }

    /// The same resource and tasks under another trace from now on.
    #[must_use]
    pub fn under(mut self, trace: Trace) -> Self {
        if self.discipline != Discipline::Shared
            && let Some((id, Some(end))) = self.served
            && let Some(task) = self.tasks.get_mut(&id)
        {
            // what is left of the task that is served; one that never ends keeps all of its work
            task.work = self.speed * self.trace.integral(self.now, end);
        }
        (self.trace, self.served) = (trace, None);
        self.serve();
        self
    }

    /// The task that the resource serves, under SHARED the one that ends first.
    pub fn served(&self) -> Option<ServiceId> {
        self.served.map(|(id, _)| id)
    }

    /// Lets everything happen up to and at `to`; gives which tasks ended and when, in order, at
    /// equal times in the order of scheduling. A task that ends at an instant leaves before others
    /// become ready at it.
    pub fn advance(&mut self, to: SimTime) -> Vec<(SimTime, ServiceId)> {
        let mut ended = Vec::new();
        while let Some(at) = self.next_event().filter(|&at| at <= to) {
            let from = ended.len();
            self.pass(at);
            while let Some((id, _)) = self.served.filter(|&(_, end)| end == Some(at)) {
                self.end(id);
                ended.push((at, id));
                self.serve();
            }
            ended[from..].sort_unstable();
            while let Some(&(_, id)) = self.expected.first().filter(|&&(ready, _)| ready <= at) {
                self.expected.pop_first();
                self.becomes_ready(id);
            }
            self.serve();
        }
        if to > self.now {
            self.pass(to);
        }
        ended
    }

    /// Time passes, in which no task becomes ready or ends.
    fn pass(&mut self, to: SimTime) {
        if self.discipline == Discipline::Shared && !self.priorities.is_nothing() {
            let work = self.speed * self.trace.integral(self.now, to);
            self.given += work / self.priorities.value();
        }
        self.now = to;
    }

    fn becomes_ready(&mut self, id: ServiceId) {
        let Some(task) = self.tasks.get_mut(&id) else { return };
        let rank = match self.discipline {
            Discipline::Fifo => 0,
            Discipline::Frfo => self.now.as_nanos(),
            Discipline::Shared => {
                self.priorities += Exact::of(task.priority);
                // bits of numbers that are not negative are in their order
                (self.given + (task.work / task.priority).max(0.0)).to_bits()
            }
        };
        task.rank = rank;
        self.ready.insert((rank, id));
    }

    fn end(&mut self, id: ServiceId) {
        let task = self.tasks.remove(&id).expect("what is served has not ended");
        self.ready.remove(&(task.rank, id));
        self.served = None;
        if self.discipline == Discipline::Shared {
            self.priorities -= Exact::of(task.priority);
            // the instant was rounded up: the tasks that should have ended with this one do
            self.given = self.given.max(f64::from_bits(task.rank));
            if self.ready.is_empty() {
                self.given = 0.0;
            }
        }
    }

    /// Finds the task that is served next, and when it ends.
    fn serve(&mut self) {
        if self.served.is_some() && self.discipline != Discipline::Shared {
            return;
        }
        let first = self.ready.first().copied();
        self.served = match (self.discipline, first) {
            (Discipline::Fifo, Some((_, id))) if self.tasks.keys().next() != Some(&id) => None,
            (_, first) => first.map(|(rank, id)| {
                let work = match self.discipline {
                    Discipline::Shared => (f64::from_bits(rank) - self.given) * self.priorities.value(),
                    _ => self.tasks[&id].work,
                };
                (id, self.trace.finish_at(self.now, work, self.speed))
            }),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimDuration;

    fn secs(secs: f64) -> SimTime {
        SimTime::ZERO + SimDuration::ceil_secs(secs)
    }

    /// Ends of tasks given as (work, priority, ready), in the order of scheduling.
    fn ends(discipline: Discipline, trace: Trace, tasks: &[(f64, f64, f64)]) -> Vec<SimTime> {
        let mut resource = SingleResource::new(discipline, 1.0, trace);
        for &(work, priority, ready) in tasks {
            resource.schedule(work, priority, secs(ready));
        }
        let mut ended = resource.advance(secs(1_000.0));
        ended.sort_by_key(|&(_, id)| id);
        ended.into_iter().map(|(at, _)| at).collect()
    }

    /// Speed 1, tasks in the order A (4, ready at 3), B (2, at 0), C (2, at 1).
    #[test]
    fn the_three_disciplines_end_three_tasks_at_the_times_worked_out_by_hand() {
        let tasks = [(4.0, 1.0, 3.0), (2.0, 1.0, 0.0), (2.0, 1.0, 1.0)];
        let steady = || Trace::constant(1.0);
        assert_eq!(ends(Discipline::Fifo, steady(), &tasks), [7.0, 9.0, 11.0].map(secs));
        assert_eq!(ends(Discipline::Frfo, steady(), &tasks), [8.0, 2.0, 4.0].map(secs));
        assert_eq!(ends(Discipline::Shared, steady(), &tasks), [8.0, 3.0, 5.0].map(secs));
    }

    /// Priorities 3 and 1: 3/4 and 1/4 until the first has its 6 at 8 s; the second has 2 by then,
    /// and 4 more at full speed.
    #[test]
    fn priorities_are_shares_of_their_sum() {
        let tasks = [(6.0, 3.0, 0.0), (6.0, 1.0, 0.0)];
        assert_eq!(ends(Discipline::Shared, Trace::constant(1.0), &tasks), [8.0, 12.0].map(secs));
    }

    /// Half speed from 2 s to 6 s, and nothing from 6 s to 8 s.
    #[test]
    fn a_trace_slows_and_stops_the_request_that_is_served() {
        let points = [(secs(2.0), 0.5), (secs(6.0), 0.0), (secs(8.0), 1.0)];
        let trace = Trace::new(&points, None).expect("a trace");
        let tasks = [(3.0, 1.0, 0.0), (3.0, 1.0, 0.0)];
        assert_eq!(ends(Discipline::Fifo, trace.clone(), &tasks), [4.0, 10.0].map(secs));
        // 4 by the time it stops, 2 each; then 2 s for the other 2
        assert_eq!(ends(Discipline::Shared, trace, &tasks), [10.0, 10.0].map(secs));
    }

    #[test]
    fn at_equal_times_the_order_of_scheduling_decides_and_what_takes_no_work_ends_at_once() {
        let tasks = [(1.0, 1.0, 2.0), (1.0, 1.0, 2.0), (0.0, 1.0, 0.0)];
        assert_eq!(ends(Discipline::Frfo, Trace::constant(1.0), &tasks), [3.0, 4.0, 0.0].map(secs));
        assert_eq!(ends(Discipline::Fifo, Trace::constant(1.0), &tasks), [3.0, 4.0, 4.0].map(secs));
        assert_eq!(ends(Discipline::Shared, Trace::constant(1.0), &tasks), [4.0, 4.0, 0.0].map(secs));
        let mut stopped = SingleResource::new(Discipline::Shared, 1.0, Trace::constant(0.0));
        stopped.schedule(1.0, 1.0, SimTime::ZERO);
        assert_eq!(stopped.next_event(), None);
    }
}
