//! Estimated sizes of outputs that are not written yet, from those of tasks that have ended.
//!
//! ```text
//!   inputs 10, 20, 30 and outputs 12, 21, 33:  output = 1 + 1.05 x inputs,  so 43 for inputs of 40
//! ```
//!
//! The outputs of a task are estimated together, and each is a share of that as in the estimates of
//! the application.
//!
//! Source: section 5.2 of the report of the Parameter Sweep Template names unknown output sizes;
//! the rules are a choice of ours.

use std::cell::Cell;

use crate::model::application::Sweep;
use crate::registry::choices;
use crate::workflow::{FileNumber, TaskNumber};

choices! {
    /// Expected sizes of outputs.
    #[derive(Default)]
    pub enum OutputSizes {
        #[default]
        Given = "given", "as the application has them, by `estimates`";
        Mean = "mean", "the mean of the tasks that have computed; as estimated before the first";
        Regression = "regression", "by their inputs, on a line through the tasks that have computed; the mean where there is no line";
    }
}

/// The line through pairs of a task's inputs and outputs, in bytes, with least squares.
///
/// Means and sums are brought up to date pair by pair (B. P. Welford, Technometrics 4(3), 1962).
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct OutputLine {
    count: f64,
    inputs: f64,
    outputs: f64,
    squares: f64,
    products: f64,
}

impl OutputLine {
    /// Adds a pair.
    pub(crate) fn add(&mut self, inputs: f64, outputs: f64) {
        self.count += 1.0;
        let (from_inputs, from_outputs) = (inputs - self.inputs, outputs - self.outputs);
        self.inputs += from_inputs / self.count;
        self.outputs += from_outputs / self.count;
        self.squares += from_inputs * (inputs - self.inputs);
        self.products += from_inputs * (outputs - self.outputs);
    }

    /// The mean of the outputs; `None` without pairs.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.count > 0.0).then_some(self.outputs)
    }

    /// The outputs on the line at such inputs, not below 0; their mean if all inputs were equal.
    pub(crate) fn at(&self, inputs: f64) -> Option<f64> {
        let mean = self.mean()?;
        if self.squares <= 0.0 {
            return Some(mean);
        }
        Some((mean + self.products / self.squares * (inputs - self.inputs)).max(0.0))
    }
}

/// Knowledge of outputs from the tasks that have computed.
#[derive(Debug)]
pub(crate) struct LearnedOutputs {
    /// True if inputs are looked at.
    by_inputs: bool,
    line: Cell<OutputLine>,
    /// Of each task, whether its outputs are there, or were.
    measured: Vec<Cell<bool>>,
    /// The task that writes each file.
    writers: Vec<Option<TaskNumber>>,
}

impl LearnedOutputs {
    /// Creates it without any pair; `None` if sizes are given.
    pub(crate) fn new(sizes: OutputSizes, sweep: &Sweep) -> Option<Self> {
        let mut writers = vec![None; sweep.files.len()];
        for task in sweep.task_numbers() {
            sweep.task(task).outputs.iter().for_each(|file| writers[file.index()] = Some(task));
        }
        (sizes != OutputSizes::Given).then(|| LearnedOutputs {
            by_inputs: sizes == OutputSizes::Regression,
            line: Cell::default(),
            measured: vec![Cell::new(false); sweep.tasks.len()],
            writers,
        })
    }

    /// The outputs of a task are there, which reads so much.
    pub(crate) fn learn(&self, sweep: &Sweep, task: TaskNumber, inputs: f64) {
        let outputs = &sweep.task(task).outputs;
        if outputs.is_empty() || self.measured[task.index()].replace(true) {
            return;
        }
        let mut line = self.line.get();
        line.add(inputs, outputs.iter().map(|file| sweep.file(*file).bytes as f64).sum());
        self.line.set(line);
    }

    /// The size of an output, where `inputs` is what a task reads; `None` of inputs.
    pub(crate) fn bytes(
        &self,
        sweep: &Sweep,
        file: FileNumber,
        inputs: impl FnOnce(TaskNumber) -> f64,
    ) -> Option<u64> {
        let task = self.writers[file.index()]?;
        if self.measured[task.index()].get() {
            return Some(sweep.file(file).bytes);
        }
        let (line, estimated) = (self.line.get(), sweep.file(file).estimated);
        let whole = if self.by_inputs { line.at(inputs(task)) } else { line.mean() };
        let Some(whole) = whole else { return Some(estimated) };
        let outputs = &sweep.task(task).outputs;
        let all: f64 = outputs.iter().map(|file| sweep.file(*file).estimated as f64).sum();
        let share = if all > 0.0 { estimated as f64 / all } else { 1.0 / outputs.len() as f64 };
        Some((whole * share).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(pairs: &[(f64, f64)]) -> OutputLine {
        let mut line = OutputLine::default();
        pairs.iter().for_each(|(inputs, outputs)| line.add(*inputs, *outputs));
        line
    }

    #[test]
    fn the_line_through_three_tasks_is_that_of_the_model() {
        let line = line(&[(10.0, 12.0), (20.0, 21.0), (30.0, 33.0)]);
        assert_eq!(line.at(0.0), Some(1.0));
        assert_eq!(line.at(20.0), Some(22.0));
        assert_eq!(line.at(40.0), Some(43.0));
        assert_eq!(line.mean(), Some(22.0));
    }

    #[test]
    fn where_there_is_no_line_the_mean_is_taken() {
        assert_eq!(line(&[]).at(5.0), None);
        assert_eq!(line(&[(10.0, 12.0)]).at(40.0), Some(12.0));
        assert_eq!(line(&[(10.0, 12.0), (10.0, 14.0)]).at(40.0), Some(13.0));
        // falling steeply: no output is less than nothing
        assert_eq!(line(&[(10.0, 20.0), (20.0, 10.0)]).at(40.0), Some(0.0));
    }
}
