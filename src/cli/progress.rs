//! One line on a terminal: how far the run is. It goes to stderr, and nowhere if that is no terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::args::Output;
use crate::cli::verbose;
use crate::kernel::SimTime;
use crate::report::number::span;
use crate::scenario::{Experiment, Watch};

/// The line, if one is drawn.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// A line for this run, and who keeps it.
    pub(super) fn start(experiment: &Experiment, output: &Output) -> (Self, Option<Watch>) {
        let target = ProgressDrawTarget::stderr_with_hz(8);
        if output.quiet || output.no_progress || verbose::wanted(output) || target.is_hidden() {
            return (Progress(None), None);
        }
        let submits: Vec<SimTime> = experiment.loaded.jobs.iter().map(|job| job.submit_time).collect();
        let bar = ProgressBar::with_draw_target(Some(submits.len() as u64), target);
        let style = ProgressStyle::with_template(
            "{wide_bar} {human_pos}/{human_len} jobs submitted, {msg}, {eta} left",
        );
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let line = bar.clone();
        let watch: Watch = Box::new(move |now| {
            let submitted = submits.partition_point(|&submit| submit <= now);
            line.set_position(submitted as u64);
            line.set_message(format!("{} simulated", span(now.as_secs_f64())));
        });
        (Progress(Some(bar)), Some(watch))
    }

    /// Takes the line away.
    pub(super) fn end(self) {
        if let Some(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}
