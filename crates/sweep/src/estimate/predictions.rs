//! Predictions of links and hosts at one planning, and the times of sub-tasks by these.
//!
//! An estimate follows from the known size or time of a sub-task and the predicted performance of
//! its resource, from the instant at which it would start. Perfect predictions are the resource
//! itself: an estimate then is what happens. Others are a constant for a resource, or come with an
//! error for each sub-task.
//!
//! Source: section 5.2 of the report of the Parameter Sweep Template.

use std::fmt;
use std::rc::Rc;

use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber};
use crate::platform::Trace;
use crate::workflow::{FileNumber, TaskNumber};

/// A sub-task: a transfer, or a computation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SubTask {
    /// A file is sent to a cluster.
    Input(FileNumber),
    /// A task computes.
    Computation(TaskNumber),
    /// A file is sent to the origin.
    Output(FileNumber),
}

/// A file that is sent to a cluster, or from it to the origin.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SweepTransfer {
    /// The cluster.
    pub cluster: ClusterNumber,
    /// The link that carries it.
    pub link: LinkNumber,
    /// An input or an output.
    pub file: SubTask,
    /// The task for which it is sent.
    pub task: TaskNumber,
}

/// A link or a host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SweepResource {
    /// A link.
    Link(LinkNumber),
    /// A host.
    Host(HostNumber),
}

/// By which factor the predicted time of a sub-task on a resource is wrong, at the planning of this
/// number.
///
/// It is a pure function: the same question has the same answer.
pub trait EstimateError: fmt::Debug {
    /// The factor, above 0.
    fn factor(&self, planning: u64, sub_task: SubTask, resource: SweepResource) -> f64;
}

/// A value that is predicted: constant from now on, or changing.
#[derive(Clone, Debug)]
pub struct PredictedValue {
    trace: Trace,
    constant: Option<f64>,
}

impl PredictedValue {
    /// The value of a trace from an instant on.
    pub fn new(trace: Trace, from: SimTime) -> Self {
        let constant = trace.next_change(from).is_none().then(|| trace.value_at(from));
        PredictedValue { trace, constant }
    }

    /// The same value for ever.
    pub fn constant(value: f64) -> Self {
        PredictedValue { trace: Trace::constant(value), constant: Some(value) }
    }

    /// The value at an instant.
    pub fn at(&self, at: SimTime) -> f64 {
        self.constant.unwrap_or_else(|| self.trace.value_at(at))
    }

    /// The instant at which `work` is done that begins at `from`, at `speed` of it a second where
    /// the value is 1; `None` if it never is.
    fn finish(&self, from: u64, work: f64, speed: f64) -> Option<u64> {
        match self.constant {
            _ if work <= 0.0 => Some(from),
            Some(value) if value > 0.0 => {
                let exact = SimDuration::exact_ratio(work, speed * value);
                let span = exact.unwrap_or_else(|| SimDuration::ceil_secs(work / speed / value));
                from.checked_add(span.as_nanos())
            }
            Some(_) => None,
            None => self.trace.finish_at(SimTime::from_nanos(from), work, speed).map(SimTime::as_nanos),
        }
        .filter(|end| *end < u64::MAX)
    }
}

/// Predicted performance of a link.
#[derive(Clone, Debug)]
pub struct PredictedLink {
    /// In seconds; a transfer has the one that holds when it starts.
    pub latency: PredictedValue,
    /// Bytes per second.
    pub bandwidth: PredictedValue,
}

/// Predicted performance of a host.
#[derive(Clone, Debug)]
pub struct PredictedHost {
    /// The share of it that is available.
    pub availability: PredictedValue,
    /// Seconds that a task waits before it computes.
    pub queue_wait: f64,
    /// Divisor of times.
    pub speed: f64,
    /// Architecture: the place of its time among those of a task.
    pub architecture: usize,
}

/// Duration of a sub-task that is the same whenever it starts, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FixedTime {
    /// Depends on the start.
    Varies,
    /// Never ends.
    Never,
    /// The same at any time.
    Takes(u64),
}

/// Availability, wait and speed as bits, and architecture.
pub(crate) type HostKind = (u64, u64, u64, usize);

/// Predictions of one planning.
#[derive(Clone, Debug)]
pub struct Predictions {
    /// The number of the planning, from 0.
    pub planning: u64,
    /// By link.
    pub links: Vec<PredictedLink>,
    /// By host.
    pub hosts: Vec<PredictedHost>,
    /// Error of predictions, if each sub-task has one of its own.
    pub error: Option<Rc<dyn EstimateError>>,
}

impl Predictions {
    /// Returns true if sub-tasks of equal sizes or times may have different estimates.
    pub fn are_individual(&self) -> bool {
        self.error.is_some()
    }

    /// Duration of a transfer of `bytes`, if that is the same at any time.
    pub(crate) fn fixed_transfer(&self, link: LinkNumber, sub_task: SubTask, bytes: u64) -> FixedTime {
        if !self.is_constant_link(link) {
            return FixedTime::Varies;
        }
        self.transfer_end(link, sub_task, bytes, 0).map_or(FixedTime::Never, FixedTime::Takes)
    }

    /// Instant at which a transfer ends that starts at `start`; `None` if never.
    pub fn transfer_end(&self, link: LinkNumber, sub_task: SubTask, bytes: u64, start: u64) -> Option<u64> {
        let predicted = &self.links[link.index()];
        let latency = predicted
            .latency
            .constant
            .unwrap_or_else(|| predicted.latency.trace.value_at(SimTime::from_nanos(start)));
        let begins = start.checked_add(SimDuration::ceil_secs(latency).as_nanos())?;
        let end = predicted.bandwidth.finish(begins, bytes as f64, 1.0)?;
        self.wrong(start, end, sub_task, SweepResource::Link(link))
    }

    /// Instant at which a computation of `seconds` on a fully available host ends if it starts at
    /// `start`; `None` if never.
    pub fn computation_end(
        &self,
        host: HostNumber,
        task: TaskNumber,
        seconds: f64,
        start: u64,
    ) -> Option<u64> {
        let predicted = &self.hosts[host.index()];
        let begins = start.checked_add(SimDuration::ceil_secs(predicted.queue_wait).as_nanos())?;
        let end = predicted.availability.finish(begins, seconds, predicted.speed)?;
        self.wrong(start, end, SubTask::Computation(task), SweepResource::Host(host))
    }

    /// Returns true if what is predicted of a link stays as it is.
    pub(crate) fn is_constant_link(&self, link: LinkNumber) -> bool {
        let predicted = &self.links[link.index()];
        predicted.latency.constant.is_some() && predicted.bandwidth.constant.is_some()
    }

    /// Returns true if what is predicted of a host stays as it is.
    pub(crate) fn is_constant_host(&self, host: HostNumber) -> bool {
        self.hosts[host.index()].availability.constant.is_some()
    }

    /// Common properties of hosts on which all computations take equally long; `None` if a host is
    /// like no other.
    pub(crate) fn kind_of_host(&self, host: HostNumber) -> Option<HostKind> {
        let host = &self.hosts[host.index()];
        let availability = host.availability.constant.filter(|_| self.error.is_none())?;
        Some((availability.to_bits(), host.queue_wait.to_bits(), host.speed.to_bits(), host.architecture))
    }

    fn wrong(&self, start: u64, end: u64, sub_task: SubTask, resource: SweepResource) -> Option<u64> {
        let Some(error) = &self.error else { return Some(end) };
        let factor = error.factor(self.planning, sub_task, resource);
        let span = SimDuration::from_nanos(end - start).as_secs_f64() * factor;
        start.checked_add(SimDuration::ceil_secs(span).as_nanos()).filter(|end| *end < u64::MAX)
    }
}
