//! Durations of tasks, predicted beforehand.

use crate::kernel::{SimDuration, SimTime};
use crate::platform::Trace;

use super::task::{State, Task, TaskId};
use super::toolkit::{Refused, Resource, ResourceId, Toolkit};

/// Knowledge of availability when a duration is predicted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Knowledge {
    /// Present availability, which is taken to stay.
    Now,
    /// Future availability.
    Future,
}

impl Toolkit {
    /// Predicts the duration of a task on these resources if no other task were there, begun now;
    /// as wrong as the toolkit's predictions are. `None` if it would never end.
    ///
    /// # Errors
    /// Resources that it does not go on.
    pub fn predict(
        &self,
        task: TaskId,
        resources: &[ResourceId],
        known: Knowledge,
    ) -> Result<Option<SimDuration>, Refused> {
        self.check(task, resources)?;
        let amount = self.tasks[task.index()].amount;
        let mut at = Some(self.now);
        for id in resources {
            let resource = &self.stations[id.index()].resource;
            let availability = self.seen(&resource.availability, known);
            let done = at.and_then(|from| availability.finish(from, amount / resource.speed));
            at = done.map(|done| self.after_latency(resource, done, known));
        }
        Ok(self.wrong(task, resources, at))
    }

    /// Predicts the end of a task on these resources if it were scheduled now, behind all that is
    /// on them, each of which is taken to be ready; as a span from now and as wrong as the
    /// toolkit's predictions are. `None` if it would never end.
    ///
    /// # Errors
    /// Resources that it does not go on.
    ///
    /// # Complexity
    /// O(n log n) for n tasks on the resources.
    pub fn predict_behind_the_queue(
        &self,
        task: TaskId,
        resources: &[ResourceId],
        known: Knowledge,
    ) -> Result<Option<SimDuration>, Refused> {
        self.check(task, resources)?;
        let Task { amount, priority, .. } = self.tasks[task.index()];
        let mut at = Some(self.now);
        for id in resources {
            let station = &self.stations[id.index()];
            let Some(from) = at else { break };
            let availability = self.seen(&station.resource.availability, known);
            let mut copy = station.service.clone();
            copy.catch_up(self.now);
            copy = copy.under(availability);
            for (&place, other) in &station.tasks {
                if self.tasks[other.index()].record.state == State::Scheduled {
                    copy.make_ready(place);
                }
            }
            let own = copy.schedule(amount, priority, from);
            at = None;
            while let Some(next) = copy.next_event() {
                if let Some((end, _)) = copy.advance(next).into_iter().find(|(_, place)| *place == own) {
                    at = Some(self.after_latency(&station.resource, end, known));
                    break;
                }
            }
        }
        Ok(self.wrong(task, resources, at))
    }

    fn seen(&self, trace: &Trace, known: Knowledge) -> Trace {
        match known {
            Knowledge::Now => Trace::constant(trace.value_at(self.now)),
            Knowledge::Future => trace.clone(),
        }
    }

    fn after_latency(&self, resource: &Resource, done: SimTime, known: Knowledge) -> SimTime {
        let at = if known == Knowledge::Now { self.now } else { done };
        let latency = resource.latency.as_ref().map_or(0.0, |latency| latency.value_at(at));
        done.saturating_add(SimDuration::ceil_secs(latency))
    }

    fn wrong(&self, task: TaskId, resources: &[ResourceId], end: Option<SimTime>) -> Option<SimDuration> {
        let right = end.filter(|&end| end < SimTime::MAX)?.since(self.now);
        let numbers = resources.iter().map(|id| id.index());
        let question: Vec<u64> = std::iter::once(task.index()).chain(numbers).map(|n| n as u64).collect();
        let factor = self.factors.of(&question);
        let exact = (factor - 1.0).abs() <= 0.0;
        Some(if exact { right } else { SimDuration::ceil_secs(right.as_secs_f64() * factor) })
    }
}
