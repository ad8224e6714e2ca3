//! The programs that tasks run: iterations, a pipeline, or what was recorded.

use std::sync::Arc;

use crate::kernel::SimDuration;
use crate::kernel::rng::{Moments, Sampler};
use crate::units::Bytes;

use super::pattern::Pattern;

/// The program of each task of a job.
#[derive(Clone, Debug)]
pub enum Program {
    /// Iterations of computing, I/O, a send to every peer and a receive from every peer.
    Iterations(Iterations),
    /// Stages that frames pass through.
    Pipeline(Pipeline),
    /// A recorded sequence of steps for each task.
    Recorded(Arc<[Box<[RecordedStep]>]>),
}

/// A program of equal iterations: compute, do I/O, send to every peer, receive from every peer.
///
/// A receive waits for its peer's message of the same iteration. To a peer, all
/// [`Iterations::messages`] are sent before the next peer's turn; so do receives.
#[derive(Clone, Debug)]
pub struct Iterations {
    /// Number of iterations; above zero.
    pub iterations: u32,
    /// Computing in one iteration, in seconds.
    pub compute: Times,
    /// I/O in one iteration, in seconds.
    pub io: Times,
    /// Imbalance: the computing of task `k` of `n` is multiplied by 1 + skew × k / (n - 1); zero or
    /// more.
    pub skew: f64,
    /// Pattern by which tasks send to each other.
    pub pattern: Arc<dyn Pattern>,
    /// Messages to each peer in one iteration; above zero.
    pub messages: u32,
    /// The size of a message.
    pub size: Bytes,
}

/// A chain of stages, one a task: each receives its frame, computes, and sends it on; the first has
/// a frame released every period instead of receiving it.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Number of frames that pass; above zero.
    pub frames: u32,
    /// Time from the release of a frame to that of the next; frame `k` is released `k` periods
    /// after the job's start.
    pub period: SimDuration,
    /// Time from the release of a frame to when the last stage should be done with it.
    pub deadline: SimDuration,
    /// Computing of one stage on one frame, in seconds.
    pub compute: Times,
    /// The size of a frame as it is sent on.
    pub size: Bytes,
}

/// One recorded step of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordedStep {
    /// Computes.
    Compute(SimDuration),
    /// Does I/O.
    Io(SimDuration),
    /// Sends a message.
    Send {
        /// The task it goes to.
        to: u32,
        /// Size.
        size: Bytes,
    },
    /// Waits for the next message of a task; a task's messages arrive in the order of sending.
    Receive {
        /// The task it comes from.
        from: u32,
    },
}

/// The law of the times of tasks, in seconds.
#[derive(Clone, Debug)]
pub enum Times {
    /// Always zero.
    None,
    /// One law for all tasks.
    All(Sampler),
    /// A law for each task.
    Each(Arc<[Sampler]>),
}

impl Times {
    /// The law of task `rank`; `None` for no time at all.
    pub fn of(&self, rank: u32) -> Option<&Sampler> {
        match self {
            Times::None => None,
            Times::All(sampler) => Some(sampler),
            Times::Each(samplers) => samplers.get(rank as usize),
        }
    }

    /// The mean of task `rank`, in seconds; `None` where it is infinite.
    pub fn mean(&self, rank: u32) -> Option<f64> {
        self.of(rank).map_or(Some(0.0), Moments::mean)
    }

    fn is_of_each_task(&self) -> bool {
        matches!(self, Times::Each(_))
    }
}

impl Iterations {
    /// The factor by which the computing of task `rank` of `tasks` is multiplied.
    pub fn factor(&self, rank: u32, tasks: u32) -> f64 {
        if tasks < 2 { 1.0 } else { 1.0 + self.skew * f64::from(rank) / f64::from(tasks - 1) }
    }

    /// The mean computing and I/O of the slowest task in one iteration, in seconds; `None` if a law
    /// has no mean.
    pub fn mean_length(&self, tasks: u32) -> Option<f64> {
        let mean =
            |rank: u32| Some(self.compute.mean(rank)? * self.factor(rank, tasks) + self.io.mean(rank)?);
        let last = tasks.saturating_sub(1);
        // of tasks with one law the last is slowest: skew only grows
        let first = if self.compute.is_of_each_task() || self.io.is_of_each_task() { 0 } else { last };
        (first..=last).try_fold(0.0_f64, |longest, rank| Some(longest.max(mean(rank)?)))
    }

    pub(super) fn dedicated_time(&self, tasks: u32) -> Option<SimDuration> {
        finite(self.mean_length(tasks)? * f64::from(self.iterations))
    }
}

impl Pipeline {
    pub(super) fn dedicated_time(&self, tasks: u32) -> Option<SimDuration> {
        let mut slowest = self.period.as_secs_f64();
        let mut sum = 0.0;
        for rank in 0..tasks {
            let mean = self.compute.mean(rank)?;
            slowest = slowest.max(mean);
            sum += mean;
        }
        finite(slowest * f64::from(self.frames - 1) + sum)
    }
}

/// `secs` as a span of virtual time, if there is such a span.
fn finite(secs: f64) -> Option<SimDuration> {
    let span = SimDuration::ceil_secs(secs);
    (span < SimDuration::MAX).then_some(span)
}
