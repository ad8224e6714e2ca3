//! Knowledge of a scheduler about the application: its tasks, their files, and estimates of sizes
//! and times.

use std::rc::Rc;

use crate::estimate::outputs::{LearnedOutputs, OutputSizes};
use crate::kernel::SimTime;
use crate::model::application::Sweep;
use crate::model::grid::OriginNumber;
use crate::registry::choices;
use crate::workflow::{FileNumber, TaskNumber};

choices! {
    /// Sizes and times that a scheduler plans with.
    #[derive(Default)]
    pub enum EstimateBasis {
        #[default]
        File = "file", "the estimates of the application";
        Real = "real", "the real sizes and times";
    }
}

/// The application as a scheduler sees it.
#[derive(Debug)]
pub struct KnownSweep {
    sweep: Rc<Sweep>,
    estimates: EstimateBasis,
    /// Knowledge of outputs, if their sizes are not given.
    outputs: Option<LearnedOutputs>,
    /// The tasks that read each file, one file after the other; where those of each begin.
    users: Vec<TaskNumber>,
    firsts: Vec<u32>,
    architectures: usize,
}

impl KnownSweep {
    /// The application, known by these estimates.
    pub fn new(sweep: Rc<Sweep>, estimates: EstimateBasis) -> Self {
        let mut firsts = vec![0_u32; sweep.files.len() + 1];
        let inputs = || {
            sweep.task_numbers().flat_map(|task| sweep.task(task).inputs.iter().map(move |file| (task, file)))
        };
        for (_, file) in inputs() {
            firsts[file.index() + 1] += 1;
        }
        for at in 1..firsts.len() {
            firsts[at] += firsts[at - 1];
        }
        let mut next = firsts.clone();
        let mut users = vec![TaskNumber(0); *firsts.last().expect("one more than files") as usize];
        for (task, file) in inputs() {
            users[next[file.index()] as usize] = task;
            next[file.index()] += 1;
        }
        let architectures = sweep.tasks.iter().map(|task| task.times.len()).max().unwrap_or(0);
        KnownSweep { sweep, estimates, outputs: None, users, firsts, architectures }
    }

    /// The same, where outputs are expected to be of these sizes.
    #[must_use]
    pub fn expecting(self, sizes: OutputSizes) -> Self {
        KnownSweep { outputs: LearnedOutputs::new(sizes, &self.sweep), ..self }
    }

    /// A task has computed: the sizes of its outputs are known.
    pub fn learn(&self, task: TaskNumber) {
        if let Some(outputs) = &self.outputs {
            outputs.learn(&self.sweep, task, self.bytes_read(task));
        }
    }

    /// The sizes of the inputs of a task, added up.
    fn bytes_read(&self, task: TaskNumber) -> f64 {
        self.inputs(task).iter().map(|file| self.given_bytes(*file) as f64).sum()
    }

    /// Number of tasks there are, those that are yet to arrive among them.
    pub fn len(&self) -> usize {
        self.sweep.tasks.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.sweep.tasks.is_empty()
    }

    /// Number of files there are.
    pub fn file_count(&self) -> usize {
        self.sweep.files.len()
    }

    /// Name of a task.
    pub fn task_name(&self, task: TaskNumber) -> &str {
        &self.sweep.task(task).name
    }

    /// Name of a file.
    pub fn file_name(&self, file: FileNumber) -> &str {
        &self.sweep.file(file).name
    }

    /// The origin of a file.
    #[inline]
    pub fn origin(&self, file: FileNumber) -> OriginNumber {
        self.sweep.file(file).origin
    }

    /// The files that a task reads.
    pub fn inputs(&self, task: TaskNumber) -> &[FileNumber] {
        &self.sweep.task(task).inputs
    }

    /// The files that a task writes.
    pub fn outputs(&self, task: TaskNumber) -> &[FileNumber] {
        &self.sweep.task(task).outputs
    }

    /// The tasks that read a file, in order.
    pub fn users(&self, file: FileNumber) -> &[TaskNumber] {
        &self.users[self.firsts[file.index()] as usize..self.firsts[file.index() + 1] as usize]
    }

    /// The size of a file in bytes.
    #[inline]
    pub fn bytes(&self, file: FileNumber) -> u64 {
        let learned = self
            .outputs
            .as_ref()
            .and_then(|outputs| outputs.bytes(&self.sweep, file, |task| self.bytes_read(task)));
        learned.unwrap_or_else(|| self.given_bytes(file))
    }

    fn given_bytes(&self, file: FileNumber) -> u64 {
        let file = self.sweep.file(file);
        if self.estimates == EstimateBasis::Real { file.bytes } else { file.estimated }
    }

    /// Returns true if all inputs of a task, by their real sizes, fit in a storage of so many
    /// bytes.
    pub fn fits(&self, task: TaskNumber, capacity: u64) -> bool {
        self.sweep.fits(task, capacity)
    }

    /// Returns true if the known sizes are the real ones.
    pub fn has_real_sizes(&self) -> bool {
        self.estimates == EstimateBasis::Real
            || self.sweep.files.iter().all(|file| file.bytes == file.estimated)
    }

    /// Computing time of a task on a fully available host of an architecture, in seconds; `None` if
    /// it cannot run there.
    pub fn seconds(&self, task: TaskNumber, architecture: usize) -> Option<f64> {
        let time = self.sweep.task(task).time_on(architecture)?;
        Some(if self.estimates == EstimateBasis::Real { time.real } else { time.estimated })
    }

    /// Number of architectures some task has a time for.
    pub fn architectures(&self) -> usize {
        self.architectures
    }

    /// Instant at which a task becomes known.
    pub fn arrival(&self, task: TaskNumber) -> SimTime {
        self.sweep.task(task).arrival
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "worked out by hand, and exact")]
mod tests {
    use super::*;
    use crate::heuristic::MinimumCompletionTime;
    use crate::interval::constant::ConstantInterval;
    use crate::kernel::SimDuration;
    use crate::kernel::rng::Streams;
    use crate::plan::planner::Planner;
    use crate::plan::settings::PlanSettings;
    use crate::tests::{grid, secs, settings, sweep, try_expecting};

    #[test]
    fn plans_expect_outputs_like_those_of_tasks_that_have_computed() {
        // inputs of 10, 20, 30 and 40 bytes, outputs of 12, 21, 33 and 43, of which nothing is
        // known beforehand
        let plan_ends = |sizes: OutputSizes| {
            let own: Vec<[u32; 1]> = (0..4).map(|file| [file]).collect();
            let tasks: Vec<(&[u32], f64, u64)> =
                own.iter().zip([12, 21, 33, 43]).map(|(file, output)| (&file[..], 100.0, output)).collect();
            let mut sweep = sweep(&[10, 20, 30, 40], &tasks);
            sweep.files[4..].iter_mut().for_each(|output| output.estimated = 0);
            let settings = PlanSettings {
                interval: Box::new(ConstantInterval { every: Some(SimDuration::from_secs(310)) }),
                ..settings(Box::new(MinimumCompletionTime))
            };
            let planner = Box::new(Planner::new(settings, Streams::new(7, 0)));
            let outcomes = try_expecting(grid(&[(1.0, &[1.0])]), sweep, planner, sizes).expect("it ends");
            assert_eq!(secs(&outcomes), 410.0 + 43.0);
            outcomes.plans.iter().map(|plan| plan.end.as_secs_f64()).collect::<Vec<_>>()
        };
        assert_eq!(plan_ends(OutputSizes::Given), [410.0, 410.0]);
        assert_eq!(plan_ends(OutputSizes::Mean), [410.0, 410.0 + 22.0]);
        assert_eq!(plan_ends(OutputSizes::Regression), [410.0, 410.0 + 43.0]);
    }
}
