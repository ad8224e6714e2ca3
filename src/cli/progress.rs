//! One line on a terminal: how far the run is. It goes to stderr, and nowhere if that is no terminal.

use std::fmt::Write;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::cli::args::Output;
use crate::cli::verbose;
use crate::policy::{Standing, Watch};
use crate::report::number::{grouped, plain, span};
use crate::scenario::Experiment;

/// The line, if one is drawn.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// A line for this run, and who keeps it.
    pub(super) fn start(experiment: &Experiment, output: &Output) -> (Self, Option<Watch>) {
        let target = ProgressDrawTarget::stderr_with_hz(8);
        if output.quiet || output.no_progress || verbose::wanted(output) || target.is_hidden() {
            return (Progress(None), None);
        }
        let jobs = experiment.loaded.jobs.len() as u64;
        let bar = ProgressBar::with_draw_target(Some(jobs), target);
        bar.set_style(style());
        let line = bar.clone();
        let watch: Watch = Box::new(move |standing| {
            line.set_position(standing.left as u64);
            line.set_message(text(jobs, &standing, line.elapsed().as_secs_f64()));
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

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{wide_bar} {msg}, {left} left");
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key(
        "left",
        |state: &ProgressState, out: &mut dyn Write| {
            // nobody is left to be told of a line that cannot be drawn
            let _ = out.write_str(&span(state.eta().as_secs_f64().round()));
        },
    )
}

/// What stands behind the bar.
fn text(jobs: u64, standing: &Standing, elapsed_secs: f64) -> String {
    let (left, total) = (grouped(standing.left as u64), grouped(jobs));
    let rate = standing.events as f64 / elapsed_secs.max(1e-3);
    let simulated = span(standing.now.as_secs_f64());
    format!("{left}/{total} jobs, {simulated} simulated, {} events/s", rough(rate))
}

/// A rate in thousands or millions, as far as it matters on a line that changes.
fn rough(rate: f64) -> String {
    match rate {
        rate if rate >= 1e6 => format!("{:.1} M", rate / 1e6),
        rate if rate >= 1e3 => format!("{:.0} k", rate / 1e3),
        rate => plain(rate.round()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{SimDuration, SimTime};

    #[test]
    fn the_line_tells_jobs_simulated_time_and_speed() {
        let now = SimTime::ZERO + SimDuration::from_secs(36 * 3600);
        let standing = Standing { now, left: 1_200, events: 4_200_000 };
        assert_eq!(text(30_000, &standing, 2.0), "1,200/30,000 jobs, 36 h simulated, 2.1 M events/s");
        assert_eq!(rough(999.6), "1,000");
        assert_eq!(rough(12_345.0), "12 k");
    }
}
