//! The times of one task as it runs: each draw of its computing and of its I/O, in order.

use crate::kernel::SimDuration;
use crate::kernel::rng::{Sampler, Stream, Streams};

use super::application::Application;
use super::program::Program;

/// Draws the times of one task. Computing and I/O have a stream each, named after job, task and
/// purpose.
#[derive(Debug)]
pub struct TaskTimes {
    compute: Option<(Sampler, Stream)>,
    io: Option<(Sampler, Stream)>,
    factor: f64,
}

impl TaskTimes {
    /// The times of task `rank` of `application`, run as the job of number `job`.
    ///
    /// A recorded program draws nothing: its steps have their times, and every draw here is zero.
    pub fn new(application: &Application, rank: u32, job: u64, streams: &Streams) -> Self {
        let (compute, io, factor) = match &application.program {
            Program::Iterations(iterations) => (
                iterations.compute.of(rank),
                iterations.io.of(rank),
                iterations.factor(rank, application.tasks),
            ),
            Program::Pipeline(pipeline) => (pipeline.compute.of(rank), None, 1.0),
            Program::Recorded(_) => (None, None, 1.0),
        };
        let own = |sampler: Option<&Sampler>, purpose: &str| {
            sampler.map(|sampler| {
                (sampler.clone(), streams.stream(&format!("task/{purpose}/job-{job}/rank-{rank}")))
            })
        };
        TaskTimes { compute: own(compute, "compute"), io: own(io, "io"), factor }
    }

    /// Computing time of its next iteration, or on its next frame.
    pub fn compute(&mut self) -> SimDuration {
        draw(&mut self.compute, self.factor)
    }

    /// Time that its I/O takes in its next iteration.
    pub fn io(&mut self) -> SimDuration {
        draw(&mut self.io, 1.0)
    }

    /// Random numbers taken so far; none if every law is a constant.
    pub fn draws(&self) -> u64 {
        [&self.compute, &self.io].into_iter().flatten().map(|(_, stream)| stream.draws()).sum()
    }
}

fn draw(from: &mut Option<(Sampler, Stream)>, factor: f64) -> SimDuration {
    match from {
        Some((sampler, stream)) => SimDuration::ceil_secs(sampler.draw(stream) * factor),
        None => SimDuration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::kernel::rng::distribution::{Constant, Uniform};
    use crate::units::Bytes;
    use crate::workload::parallel::application::Quality;
    use crate::workload::parallel::pattern;
    use crate::workload::parallel::program::{Iterations, Times};

    use super::*;

    fn application(tasks: u32, skew: f64, compute: Times, io: Times) -> Application {
        let lists = vec![Vec::new(); tasks as usize];
        let pattern = Arc::new(pattern::Explicit::new(&lists).expect("right"));
        let size = Bytes::new(1);
        let iterations = Iterations { iterations: 3, compute, io, skew, pattern, messages: 1, size };
        Application {
            class: 0,
            tasks,
            program: Program::Iterations(iterations),
            memory: Bytes::new(0),
            quality: Quality::BestEffort,
        }
    }

    fn uniform() -> Times {
        Times::All(Sampler::new(Uniform::new(0.9, 1.1).expect("in order")))
    }

    fn first_three(application: &Application, rank: u32, job: u64) -> Vec<u64> {
        let mut times = TaskTimes::new(application, rank, job, &Streams::new(3, 0));
        (0..3).map(|_| times.compute().as_nanos()).collect()
    }

    #[test]
    fn tasks_and_jobs_draw_from_streams_of_their_own() {
        let two = application(2, 0.0, uniform(), Times::None);
        let four = application(4, 0.0, uniform(), uniform());
        assert_ne!(first_three(&two, 0, 1), first_three(&two, 1, 1));
        assert_ne!(first_three(&two, 0, 1), first_three(&two, 0, 2));
        assert_eq!(first_three(&two, 0, 1), first_three(&four, 0, 1), "more tasks and I/O move nothing");
        assert!(first_three(&two, 0, 1).iter().all(|nanos| (900_000_000..=1_100_000_000).contains(nanos)));
    }

    #[test]
    fn skew_slows_later_tasks_and_constants_draw_nothing() {
        let second = || Times::All(Sampler::new(Constant::new(1.0).expect("finite")));
        let skewed = application(3, 1.0, second(), second());
        let mut times = TaskTimes::new(&skewed, 1, 1, &Streams::new(3, 0));
        assert_eq!(
            (times.compute(), times.io()),
            (SimDuration::from_millis(1500), SimDuration::from_secs(1))
        );
        assert_eq!(times.draws(), 0);
        let alone = application(1, 1.0, second(), Times::None);
        let mut times = TaskTimes::new(&alone, 0, 1, &Streams::new(3, 0));
        assert_eq!((times.compute(), times.io()), (SimDuration::from_secs(1), SimDuration::ZERO));
    }
}
