//! The toolkit: resources, tasks, what waits for what, and what is put where.

use crate::collections::{OrderedMap, OrderedSet};
use crate::ids::index;
use crate::kernel::SimTime;
use crate::kernel::rng::Streams;
use crate::platform::sharing::{self, Discipline};
use crate::platform::{Errors, Factors, Trace};

use super::task::{State, Task, TaskId, TaskRecord};

index! {
    /// A resource of a [`Toolkit`], numbered from 0 in the order of creation.
    pub struct ResourceId(u32);
}

/// A host or a link.
#[derive(Clone, PartialEq, Debug)]
pub struct Resource {
    /// Name.
    pub name: String,
    /// Work, or size, per second.
    pub speed: f64,
    /// The share of its speed that is available, over time.
    pub availability: Trace,
    /// Seconds that a transfer takes besides its size over the speed; `None` of a host.
    pub latency: Option<Trace>,
    /// Above 0 while it works.
    pub working: Trace,
    /// The order in which it serves tasks.
    pub order: Discipline,
}

impl Resource {
    /// A host of this speed in work per second, all available, which works for ever.
    pub fn host(name: impl Into<String>, speed: f64, order: Discipline) -> Self {
        let [availability, working] = [1.0, 1.0].map(Trace::constant);
        Resource { name: name.into(), speed, availability, latency: None, working, order }
    }

    /// A link of this bandwidth in size per second and latency in seconds, all available, which
    /// works for ever.
    pub fn link(name: impl Into<String>, bandwidth: f64, latency: f64, order: Discipline) -> Self {
        Resource { latency: Some(Trace::constant(latency)), ..Resource::host(name, bandwidth, order) }
    }
}

/// Reason that nothing was done.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Refused {
    /// A task that is scheduled, or has ended, gets no more to wait for, no other resource, no
    /// other priority.
    #[error("task `{0}` is on a resource, or has ended")]
    On(String),
    /// Only a task that is on a resource, or has failed, is taken back.
    #[error("task `{0}` is on no resource")]
    NotOn(String),
    /// A computation goes on one host, a transfer on links, at least one.
    #[error("task `{0}` does not go on such resources")]
    WrongKind(String),
    /// A task would wait for itself.
    #[error("task `{0}` would wait for itself")]
    Cycle(String),
    /// No such task or resource here.
    #[error("there is no {0} of the number {1}")]
    NotThere(&'static str, usize),
    /// A priority that is not above 0.
    #[error("a priority of {0} is not above 0")]
    Priority(f64),
}

/// Event to come; variants are in the order of one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Event {
    /// A task ends on a resource.
    Service(ResourceId),
    /// A resource fails or comes back.
    Change(ResourceId),
    /// The latency of a link is over for a transfer.
    Arrival(TaskId),
}

#[derive(Clone, Debug)]
pub(super) struct Station {
    pub(super) resource: Resource,
    pub(super) service: sharing::SingleResource,
    pub(super) tasks: OrderedMap<sharing::ServiceId, TaskId>,
    pub(super) due: Option<SimTime>,
}

/// Resources, tasks and a clock; the module's documentation has the rules.
#[derive(Clone, Debug)]
pub struct Toolkit {
    pub(super) now: SimTime,
    pub(super) stations: Vec<Station>,
    pub(super) tasks: Vec<Task>,
    /// Events of tasks to come.
    pub(super) events: OrderedSet<(SimTime, Event)>,
    /// Failures and returns of resources to come, which may go on for ever.
    pub(super) changes: OrderedSet<(SimTime, Event)>,
    /// No task waits for one that was created after it: then nothing new can be a cycle.
    in_order: bool,
    pub(super) factors: Factors,
}

impl Default for Toolkit {
    fn default() -> Self {
        Toolkit::new(&Errors::None, &Streams::new(1, 0))
    }
}

impl Toolkit {
    /// No resources and no tasks, and predictions that are as wrong as `errors` say; the question
    /// that these are asked is the number of a task and those of the resources that it would go on.
    pub fn new(errors: &Errors, streams: &Streams) -> Self {
        Toolkit {
            now: SimTime::ZERO,
            stations: Vec::new(),
            tasks: Vec::new(),
            events: OrderedSet::new(),
            changes: OrderedSet::new(),
            in_order: true,
            factors: errors.factors(streams),
        }
    }

    /// A resource.
    pub fn resource(&mut self, resource: Resource) -> ResourceId {
        let id = ResourceId(self.stations.len() as u32);
        if let Some(at) = resource.working.next_change(self.now) {
            self.changes.insert((at, Event::Change(id)));
        }
        let service =
            sharing::SingleResource::new(resource.order, resource.speed, resource.availability.clone());
        self.stations.push(Station { resource, service, tasks: OrderedMap::new(), due: None });
        id
    }

    /// A computation of this amount of work, from 0; what is less, or no number, is 0.
    pub fn computation(&mut self, name: impl Into<String>, amount: f64) -> TaskId {
        self.task(Task::new(name.into(), amount.max(0.0), false))
    }

    /// A transfer of this size, from 0; what is less, or no number, is 0.
    pub fn transfer(&mut self, name: impl Into<String>, size: f64) -> TaskId {
        self.task(Task::new(name.into(), size.max(0.0), true))
    }

    fn task(&mut self, task: Task) -> TaskId {
        self.tasks.push(task);
        TaskId(self.tasks.len() as u32 - 1)
    }

    /// The share that a task has of a shared resource is its priority over the sum of those that
    /// are ready; 1 unless it is set.
    ///
    /// # Errors
    /// A priority that is not above 0, and a task that is on a resource.
    pub fn prioritize(&mut self, task: TaskId, priority: f64) -> Result<(), Refused> {
        if !(priority.is_finite() && priority > 0.0) {
            return Err(Refused::Priority(priority));
        }
        self.off(task)?.priority = priority;
        Ok(())
    }

    /// `task` is not ready before `on` has completed.
    ///
    /// # Errors
    /// A task that is on a resource or has ended, and one that would wait for itself.
    ///
    /// # Complexity
    /// O(1) if tasks are created before those that wait for them, else O(n) for n dependencies.
    pub fn depends(&mut self, task: TaskId, on: TaskId) -> Result<(), Refused> {
        self.known(on)?;
        let name = self.off(task)?.record.name.clone();
        self.in_order &= on < task;
        if !self.in_order && self.leads_to(task, on) {
            return Err(Refused::Cycle(name));
        }
        if self.tasks[on.index()].record.state != State::Completed {
            self.tasks[on.index()].followers.push(task);
            self.tasks[task.index()].missing += 1;
        }
        Ok(())
    }

    /// Returns true if `to` waits for `from`, or is it.
    fn leads_to(&self, from: TaskId, to: TaskId) -> bool {
        let (mut open, mut seen) = (vec![from], OrderedSet::new());
        while let Some(task) = open.pop() {
            if task == to {
                return true;
            }
            if seen.insert(task) {
                open.extend(&self.tasks[task.index()].followers);
            }
        }
        false
    }

    /// Puts a task on a resource, a transfer on the links of its path. Its place in the order of
    /// scheduling is this one, on all of them.
    ///
    /// # Errors
    /// A task that is on a resource or has ended, and resources that it does not go on.
    pub fn schedule(&mut self, task: TaskId, resources: &[ResourceId]) -> Result<(), Refused> {
        let is_transfer = self.off(task)?.is_transfer;
        self.check(task, resources)?;
        let Task { amount, priority, .. } = self.tasks[task.index()];
        let mut places = Vec::with_capacity(resources.len());
        for &id in resources {
            let station = &mut self.stations[id.index()];
            station.service.catch_up(self.now);
            let place = station.service.schedule_unready(amount, priority);
            station.tasks.insert(place, task);
            places.push(place);
        }
        let entry = &mut self.tasks[task.index()];
        debug_assert_eq!(entry.is_transfer, is_transfer, "a task stays what it is");
        (entry.places, entry.hop) = (places, 0);
        let record = &mut entry.record;
        (record.state, record.scheduled) = (State::Scheduled, Some(self.now));
        (record.ready, record.begun, record.ended) = (None, None, None);
        record.resources = resources.to_vec();
        if entry.missing == 0 {
            self.become_ready(task);
        }
        Ok(())
    }

    /// Takes a task back from its resources, whatever was done of it.
    ///
    /// # Errors
    /// A task that is on no resource and has not failed.
    pub fn unschedule(&mut self, task: TaskId) -> Result<(), Refused> {
        self.known(task)?;
        let entry = &self.tasks[task.index()];
        if !entry.is_on() && entry.record.state != State::Failed {
            return Err(Refused::NotOn(entry.record.name.clone()));
        }
        self.take_off(task);
        self.tasks[task.index()].record.state = State::Unscheduled;
        Ok(())
    }

    /// The present instant.
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Record of a task so far.
    pub fn record(&self, task: TaskId) -> Option<&TaskRecord> {
        self.tasks.get(task.index()).map(|task| &task.record)
    }

    /// Records of all tasks so far, in the order of creation.
    pub fn records(&self) -> impl Iterator<Item = &TaskRecord> {
        self.tasks.iter().map(|task| &task.record)
    }

    fn known(&self, task: TaskId) -> Result<(), Refused> {
        let there = task.index() < self.tasks.len();
        if there { Ok(()) } else { Err(Refused::NotThere("task", task.index())) }
    }

    /// A task that is on no resource and has not ended.
    fn off(&mut self, task: TaskId) -> Result<&mut Task, Refused> {
        self.known(task)?;
        let entry = &mut self.tasks[task.index()];
        match entry.record.state {
            State::Unscheduled => Ok(entry),
            _ => Err(Refused::On(entry.record.name.clone())),
        }
    }

    pub(super) fn check(&self, task: TaskId, resources: &[ResourceId]) -> Result<(), Refused> {
        self.known(task)?;
        if let Some(id) = resources.iter().find(|id| id.index() >= self.stations.len()) {
            return Err(Refused::NotThere("resource", id.index()));
        }
        let entry = &self.tasks[task.index()];
        let links =
            resources.iter().filter(|id| self.stations[id.index()].resource.latency.is_some()).count();
        let fits = if entry.is_transfer {
            links == resources.len() && links > 0
        } else {
            links == 0 && resources.len() == 1
        };
        if fits { Ok(()) } else { Err(Refused::WrongKind(entry.record.name.clone())) }
    }
}
