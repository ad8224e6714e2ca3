//! The work of one job's tasks, and the applications of all jobs of a run.

use std::sync::Arc;

use crate::ids::JobId;
use crate::kernel::SimDuration;
use crate::units::Bytes;

use super::pattern::Peers;
use super::playback;
use super::program::{Program, RecordedStep};

/// The work of a job's tasks; shared by all jobs of one recipe.
#[derive(Clone, Debug)]
pub struct Application {
    /// Class: the place of its name in [`Applications::classes`].
    pub class: u16,
    /// Tasks; above zero.
    pub tasks: u32,
    /// The program of each task.
    pub program: Program,
    /// Memory that each task holds; 0 if none is stated.
    pub memory: Bytes,
    /// The service that it asks for.
    pub quality: Quality,
}

/// The service that a job asks for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Quality {
    /// Processor time that others leave.
    BestEffort,
    /// A share of every processor it runs on, period by period. An iteration (or a frame) is
    /// released at the start of each period and is due `deadline` after.
    RealTime {
        /// Time from one release to the next; above zero.
        period: SimDuration,
        /// Time from a release to when its work is due; above zero.
        deadline: SimDuration,
        /// Share of a processor that each task reserves, above 0 and at most 1.
        share: f64,
    },
}

impl Quality {
    /// Returns true if it is a share of time, and not whatever is left.
    pub fn is_real_time(self) -> bool {
        matches!(self, Quality::RealTime { .. })
    }
}

/// The applications of all jobs of a run.
#[derive(Clone, Debug)]
pub struct Applications {
    /// The names of the classes, in the order of the scenario or of the trace.
    pub classes: Vec<String>,
    /// The application of each job, by its place in the workload.
    pub of: Vec<Arc<Application>>,
}

impl Application {
    /// The tasks that task `rank` sends to, in the order of sending.
    ///
    /// Iterating does not allocate; a task that iterates asks once and clones the answer. For a
    /// recorded program it is each task once, in the order of the first message to it, and asking
    /// allocates.
    pub fn sends_to(&self, rank: u32) -> Peers {
        match &self.program {
            Program::Iterations(iterations) => iterations.pattern.sends_to(rank, self.tasks),
            Program::Pipeline(_) => Peers::few(rank, rank.checked_add(1).filter(|&after| after < self.tasks)),
            Program::Recorded(tasks) => listed(tasks, rank, |step| match step {
                RecordedStep::Send { to, .. } => Some(*to),
                _ => None,
            }),
        }
    }

    /// The tasks that task `rank` receives from, in the order of receiving; see
    /// [`Application::sends_to`].
    pub fn receives_from(&self, rank: u32) -> Peers {
        match &self.program {
            Program::Iterations(iterations) => iterations.pattern.receives_from(rank, self.tasks),
            Program::Pipeline(_) => Peers::few(rank, rank.checked_sub(1)),
            Program::Recorded(tasks) => listed(tasks, rank, |step| match step {
                RecordedStep::Receive { from } => Some(*from),
                _ => None,
            }),
        }
    }

    /// Time that it takes on nodes of its own, plainly: the mean computing and I/O of the slowest
    /// task, messages not counted. `None` if a law has no mean or the time is past 584 years.
    ///
    /// Iterations take that of the slowest task each. A pipeline takes one period (or its slowest
    /// stage, if that is slower) for every frame but the last, which takes the sum of all stages. A
    /// recorded program is played with messages that take no time.
    ///
    /// # Complexity
    /// The tasks, if each has a law of its own; the steps of a recorded program.
    pub fn dedicated_time(&self) -> Option<SimDuration> {
        let span = match &self.program {
            Program::Iterations(iterations) => iterations.dedicated_time(self.tasks)?,
            Program::Pipeline(pipeline) => pipeline.dedicated_time(self.tasks)?,
            Program::Recorded(tasks) => playback::dedicated_time(tasks).ok()?,
        };
        Some(span.max(SimDuration::from_nanos(1)))
    }
}

impl Applications {
    /// The application of job `job`.
    ///
    /// # Panics
    /// If the workload has no such job.
    pub fn application(&self, job: JobId) -> &Arc<Application> {
        &self.of[job.index()]
    }

    /// The name of the class of job `job`.
    ///
    /// # Panics
    /// If the workload has no such job.
    pub fn class(&self, job: JobId) -> &str {
        &self.classes[usize::from(self.application(job).class)]
    }
}

/// The peers that the steps of a task name, each once.
fn listed(tasks: &[Box<[RecordedStep]>], rank: u32, peer: impl Fn(&RecordedStep) -> Option<u32>) -> Peers {
    let steps = tasks.get(rank as usize).map_or(&[][..], |steps| steps);
    let mut peers: Vec<u32> = Vec::new();
    for named in steps.iter().filter_map(peer) {
        if !peers.contains(&named) {
            peers.push(named);
        }
    }
    Peers::listed(peers.into())
}

#[cfg(test)]
mod tests {
    use crate::kernel::rng::Sampler;
    use crate::kernel::rng::distribution::{Constant, Pareto, Uniform};
    use crate::workload::parallel::pattern;
    use crate::workload::parallel::program::{Iterations, Pipeline, Times};

    use super::*;

    fn constant(secs: f64) -> Sampler {
        Sampler::new(Constant::new(secs).expect("finite"))
    }

    fn job(tasks: u32, program: Program) -> Application {
        Application { class: 0, tasks, program, memory: Bytes::new(0), quality: Quality::BestEffort }
    }

    fn iterations(compute: Times, io: Times, skew: f64) -> Program {
        let pattern = Arc::new(pattern::Explicit::new(&[vec![1], vec![]]).expect("right"));
        let size = Bytes::new(1024);
        Program::Iterations(Iterations { iterations: 10, compute, io, skew, pattern, messages: 1, size })
    }

    #[test]
    fn the_dedicated_time_is_that_of_the_slowest_task() {
        let uniform = Sampler::new(Uniform::new(0.9, 1.1).expect("in order"));
        // the last of two tasks computes 1 × (1 + 0.5) s and does 2 s of I/O, ten times
        let even = job(2, iterations(Times::All(uniform), Times::All(constant(2.0)), 0.5));
        assert_eq!(even.dedicated_time(), Some(SimDuration::from_secs(35)));
        let each = Times::Each([constant(3.0), constant(1.0)].into());
        let own = job(2, iterations(each, Times::None, 0.0));
        assert_eq!(own.dedicated_time(), Some(SimDuration::from_secs(30)));
    }

    #[test]
    fn a_law_without_a_mean_and_a_time_past_all_have_no_dedicated_time() {
        let heavy = Sampler::new(Pareto::new(1.0, 0.9).expect("positive"));
        assert_eq!(job(2, iterations(Times::All(heavy), Times::None, 0.0)).dedicated_time(), None);
        assert_eq!(job(2, iterations(Times::All(constant(1e10)), Times::None, 0.0)).dedicated_time(), None);
        let nothing = job(2, iterations(Times::None, Times::None, 0.0));
        assert_eq!(nothing.dedicated_time(), Some(SimDuration::from_nanos(1)), "no job takes no time");
    }

    #[test]
    fn a_pipeline_passes_frames_on() {
        let pipeline = |compute| {
            let period = SimDuration::from_millis(33);
            let size = Bytes::new(1024);
            Program::Pipeline(Pipeline { frames: 11, period, deadline: period, compute, size })
        };
        let video = job(3, pipeline(Times::All(constant(0.005))));
        // ten periods, and three stages of the last frame
        assert_eq!(video.dedicated_time(), Some(SimDuration::from_millis(345)));
        let slow = job(3, pipeline(Times::Each([constant(0.005), constant(0.1), constant(0.005)].into())));
        assert_eq!(slow.dedicated_time(), Some(SimDuration::from_millis(1_110)));
        let peers = |rank| (video.receives_from(rank).next(), video.sends_to(rank).next());
        assert_eq!((peers(0), peers(1), peers(2)), ((None, Some(1)), (Some(0), Some(2)), (Some(1), None)));
    }

    #[test]
    fn explicit_peers_send_one_way() {
        let pair = job(2, iterations(Times::All(constant(1.0)), Times::None, 0.0));
        assert_eq!((pair.sends_to(0).next(), pair.receives_from(0).next()), (Some(1), None));
        assert_eq!((pair.sends_to(1).next(), pair.receives_from(1).next()), (None, Some(0)));
    }

    #[test]
    fn a_recorded_program_names_each_peer_once() {
        let size = Bytes::new(8);
        let send = |to| RecordedStep::Send { to, size };
        let first = [send(2), send(1), send(2), RecordedStep::Receive { from: 1 }];
        let second = [RecordedStep::Receive { from: 0 }, RecordedStep::Send { to: 0, size }];
        let third = [RecordedStep::Receive { from: 0 }, RecordedStep::Receive { from: 0 }];
        let recorded = job(3, Program::Recorded([first.into(), second.into(), third.into()].into()));
        assert_eq!(recorded.sends_to(0).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(recorded.receives_from(2).collect::<Vec<_>>(), [0]);
    }
}
