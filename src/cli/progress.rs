//! One line on a terminal: how far the run is. It goes to stderr, and nowhere if that is no terminal.

use std::fmt::Write;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::cli::general::Output;
use crate::cli::verbose;
use crate::output::number::{grouped, plain, span};
use crate::policy::{RunStatus, Watch};
use crate::study::StudyStatus;

/// The line, if one is drawn.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    /// A line for a run of so many jobs, and what keeps it.
    pub(super) fn start(jobs: Option<u64>, output: &Output) -> (Self, Option<Watch>) {
        let Some(jobs) = jobs else { return (Progress(None), None) };
        let Some(bar) = bar(output, jobs) else { return (Progress(None), None) };
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

/// The line of a study, if one is drawn: points done, runs being made and failed, time left.
pub(super) struct StudyProgress {
    bar: Option<ProgressBar>,
    /// Runs that earlier sessions made.
    before: u64,
}

impl StudyProgress {
    /// A line for a study of which earlier sessions made `before` runs.
    pub(super) fn start(output: &Output, before: u64) -> Self {
        StudyProgress { bar: bar(output, 1), before }
    }

    /// Draws how far the study is.
    pub(super) fn show(&self, standing: StudyStatus) {
        if let Some(bar) = &self.bar {
            // the time left is that of this session's runs
            bar.set_length(standing.wanted.max(standing.done).saturating_sub(self.before));
            bar.set_position(standing.done.saturating_sub(self.before));
            bar.set_message(study_text(&standing));
        }
    }

    /// Takes the line away.
    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What stands behind the bar of a study.
fn study_text(standing: &StudyStatus) -> String {
    let StudyStatus { points_done, points, done, wanted, running, failed } = *standing;
    let wanted = wanted.max(done);
    let failed = if failed > 0 { format!(", {} failed", grouped(failed)) } else { String::new() };
    let [points_done, points, done, wanted] = [points_done, points, done, wanted].map(grouped);
    format!("{points_done}/{points} points, {done}/{wanted} runs, {running} running{failed}")
}

/// A bar of such a length, if one is to be drawn.
fn bar(output: &Output, length: u64) -> Option<ProgressBar> {
    let target = ProgressDrawTarget::stderr_with_hz(8);
    if output.quiet || output.no_progress || verbose::wanted(output) || target.is_hidden() {
        return None;
    }
    Some(ProgressBar::with_draw_target(Some(length), target).with_style(style()))
}

fn style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{wide_bar} {msg}, {left} left");
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key(
        "left",
        |state: &ProgressState, out: &mut dyn Write| {
            // a line that cannot be drawn is not reported
            let _ = out.write_str(&span(state.eta().as_secs_f64().round()));
        },
    )
}

/// What stands behind the bar.
fn text(jobs: u64, standing: &RunStatus, elapsed_secs: f64) -> String {
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
    fn the_line_of_a_study_shows_points_runs_and_failures() {
        let standing =
            StudyStatus { points_done: 2, points: 10, done: 24, wanted: 100, running: 2, failed: 1 };
        assert_eq!(study_text(&standing), "2/10 points, 24/100 runs, 2 running, 1 failed");
        let calm = StudyStatus { failed: 0, ..standing };
        assert_eq!(study_text(&calm), "2/10 points, 24/100 runs, 2 running");
    }

    #[test]
    fn the_line_shows_jobs_simulated_time_and_speed() {
        let now = SimTime::ZERO + SimDuration::from_secs(36 * 3600);
        let standing = RunStatus { now, left: 1_200, events: 4_200_000 };
        assert_eq!(text(30_000, &standing, 2.0), "1,200/30,000 jobs, 36 h simulated, 2.1 M events/s");
        assert_eq!(rough(999.6), "1,000");
        assert_eq!(rough(12_345.0), "12 k");
    }
}
