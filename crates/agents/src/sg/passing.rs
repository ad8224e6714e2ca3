//! Passing time: which tasks are served, which end, what fails.

use crate::kernel::{SimDuration, SimTime};
use crate::platform::sharing::Discipline;

use super::task::{State, TaskId};
use super::toolkit::{Event, ResourceId, Toolkit};

/// Nothing is left to happen, and what was waited for has not.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("nothing is left to happen at {at}, and these wait: {}", waiting.join(", "))]
pub struct Stuck {
    /// Instant.
    pub at: SimTime,
    /// The tasks that are on resources and have not ended.
    pub waiting: Vec<String>,
}

/// End of the time that passes. Other events of the last instant happen, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopCondition {
    /// So long.
    For(SimDuration),
    /// To the end of this task, completed or failed.
    Completed(TaskId),
    /// To the end of whichever task ends first.
    Any,
    /// To the end of all that can end.
    Nothing,
}

impl Toolkit {
    /// Lets time pass; gives the tasks that ended, completed or failed, in order.
    ///
    /// # Errors
    /// What was waited for cannot happen any more.
    pub fn simulate(&mut self, until: StopCondition) -> Result<Vec<TaskId>, Stuck> {
        let limit = match until {
            StopCondition::For(span) => self.now.saturating_add(span),
            _ => SimTime::MAX,
        };
        let mut ended = Vec::new();
        loop {
            let next = self.events.first().into_iter().chain(self.changes.first()).min().copied();
            let satisfied = match until {
                StopCondition::Completed(task) => self.has_ended(task),
                StopCondition::Any => !ended.is_empty(),
                StopCondition::For(_) | StopCondition::Nothing => false,
            };
            if satisfied && next.is_none_or(|(at, _)| at > self.now) {
                return Ok(ended);
            }
            // what would end after the last instant does not
            let Some((at, event)) = next.filter(|&(at, _)| at <= limit && at < SimTime::MAX) else { break };
            if limit == SimTime::MAX && self.events.is_empty() && !self.may_fail() {
                break;
            }
            self.events.remove(&(at, event));
            self.changes.remove(&(at, event));
            self.now = at;
            self.happen(event, &mut ended);
        }
        match until {
            StopCondition::For(_) => {
                self.now = limit;
                Ok(ended)
            }
            StopCondition::Nothing => Ok(ended),
            StopCondition::Completed(_) | StopCondition::Any => Err(self.stuck()),
        }
    }

    fn has_ended(&self, task: TaskId) -> bool {
        let state = self.tasks.get(task.index()).map(|task| task.record.state);
        matches!(state, Some(State::Completed | State::Failed))
    }

    /// Returns true if a task that is going nowhere is on a resource that will change.
    fn may_fail(&self) -> bool {
        let changing = self.changes.iter().filter_map(|(_, event)| match event {
            Event::Change(id) => Some(&self.stations[id.index()]),
            _ => None,
        });
        let stands = |task: &TaskId| self.tasks[task.index()].record.state != State::Scheduled;
        changing.into_iter().any(|station| station.tasks.values().any(stands))
    }

    fn stuck(&self) -> Stuck {
        let waiting = self.tasks.iter().filter(|task| task.is_on()).map(|task| task.record.name.clone());
        Stuck { at: self.now, waiting: waiting.collect() }
    }

    fn happen(&mut self, event: Event, ended: &mut Vec<TaskId>) {
        match event {
            Event::Service(id) => self.serve(id, ended),
            Event::Change(id) => self.change(id, ended),
            Event::Arrival(task) => self.arrive(task, ended),
        }
    }

    /// Lets a resource end the tasks that end now.
    fn serve(&mut self, id: ResourceId, ended: &mut Vec<TaskId>) {
        let station = &mut self.stations[id.index()];
        station.due = None;
        let done = station.service.advance(self.now);
        let done: Vec<TaskId> = done.iter().filter_map(|(_, place)| station.tasks.remove(place)).collect();
        for task in done {
            let record = &mut self.tasks[task.index()].record;
            (record.state, record.begun) = (State::Running, record.begun.or(Some(self.now)));
            let resource = &self.stations[id.index()].resource;
            match &resource.latency {
                Some(latency) => {
                    let latency = SimDuration::ceil_secs(latency.value_at(self.now));
                    let at = self.now.saturating_add(latency);
                    self.tasks[task.index()].arrival = Some(at);
                    self.events.insert((at, Event::Arrival(task)));
                }
                None => self.complete(task, ended),
            }
        }
        self.look(id);
    }

    /// A resource fails or comes back.
    fn change(&mut self, id: ResourceId, ended: &mut Vec<TaskId>) {
        let station = &self.stations[id.index()];
        if let Some(at) = station.resource.working.next_change(self.now) {
            self.changes.insert((at, Event::Change(id)));
        }
        if station.resource.working.least_at(self.now) > 0.0 {
            return;
        }
        let here = |task: &&TaskId| {
            let task = &self.tasks[task.index()];
            let is_here = task.record.resources.get(task.hop) == Some(&id);
            is_here && matches!(task.record.state, State::Ready | State::Running)
        };
        let lost: Vec<TaskId> = station.tasks.values().filter(here).copied().collect();
        for task in lost {
            self.fail(task, ended);
        }
    }

    /// The latency of a link is over for a transfer.
    fn arrive(&mut self, task: TaskId, ended: &mut Vec<TaskId>) {
        let entry = &mut self.tasks[task.index()];
        entry.arrival = None;
        entry.hop += 1;
        if entry.hop == entry.places.len() {
            self.complete(task, ended);
        } else if !self.enter(task) {
            self.fail(task, ended);
        }
    }

    fn complete(&mut self, task: TaskId, ended: &mut Vec<TaskId>) {
        let entry = &mut self.tasks[task.index()];
        (entry.record.state, entry.record.ended) = (State::Completed, Some(self.now));
        ended.push(task);
        for follower in std::mem::take(&mut entry.followers) {
            let entry = &mut self.tasks[follower.index()];
            entry.missing -= 1;
            if entry.missing == 0 && entry.record.state == State::Scheduled && !self.become_ready(follower) {
                self.fail(follower, ended);
            }
        }
    }

    /// All that a task depends on has completed; says whether its resource works.
    pub(super) fn become_ready(&mut self, task: TaskId) -> bool {
        let record = &mut self.tasks[task.index()].record;
        (record.state, record.ready) = (State::Ready, Some(self.now));
        let works = self.enter(task);
        if !works {
            self.take_off(task);
            let record = &mut self.tasks[task.index()].record;
            (record.state, record.ended) = (State::Failed, Some(self.now));
        }
        works
    }

    /// Lets the resource of a task's path that is its turn serve it; says whether that works.
    fn enter(&mut self, task: TaskId) -> bool {
        let entry = &self.tasks[task.index()];
        let (id, place) = (entry.record.resources[entry.hop], entry.places[entry.hop]);
        let station = &mut self.stations[id.index()];
        if station.resource.working.value_at(self.now) <= 0.0 {
            return false;
        }
        station.service.catch_up(self.now);
        station.service.make_ready(place);
        if station.resource.order == Discipline::Shared {
            self.begin(task);
        }
        self.look(id);
        true
    }

    fn begin(&mut self, task: TaskId) {
        let record = &mut self.tasks[task.index()].record;
        if record.state == State::Ready {
            (record.state, record.begun) = (State::Running, Some(self.now));
        }
    }

    fn fail(&mut self, task: TaskId, ended: &mut Vec<TaskId>) {
        self.take_off(task);
        let record = &mut self.tasks[task.index()].record;
        (record.state, record.ended) = (State::Failed, Some(self.now));
        ended.push(task);
    }

    /// Takes a task from the resources that it is still on.
    pub(super) fn take_off(&mut self, task: TaskId) {
        let entry = &mut self.tasks[task.index()];
        if let Some(at) = entry.arrival.take() {
            self.events.remove(&(at, Event::Arrival(task)));
        }
        let places = std::mem::take(&mut entry.places);
        let resources = entry.record.resources.clone();
        for (id, place) in resources.into_iter().zip(places) {
            let station = &mut self.stations[id.index()];
            if station.tasks.remove(&place).is_some() {
                station.service.catch_up(self.now);
                station.service.cancel(place);
                self.look(id);
            }
        }
    }

    /// Notes which task a resource serves now, and when it is to be asked again.
    fn look(&mut self, id: ResourceId) {
        let station = &mut self.stations[id.index()];
        let (served, due) = (station.service.served(), station.service.next_event());
        let task = served.and_then(|place| station.tasks.get(&place).copied());
        if due != station.due {
            if let Some(before) = std::mem::replace(&mut station.due, due) {
                self.events.remove(&(before, Event::Service(id)));
            }
            if let Some(at) = due {
                self.events.insert((at, Event::Service(id)));
            }
        }
        if let Some(task) = task {
            self.begin(task);
        }
    }
}
