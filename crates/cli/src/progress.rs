//! Progress of a run or a study, on stderr: a line that changes on a terminal, and elsewhere a line
//! every half minute.

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::general::Output;
use crate::kernel::SimTime;
use crate::render::Renderer;
use crate::scenario::{RunStatus, Subjects, Watch};
use crate::verbose;
use clustersim_experiment::output::number::{grouped, plain, span};
use clustersim_experiment::study::StudyStatus;

/// Time between two lines where these do not replace each other.
const BETWEEN: Duration = Duration::from_secs(30);

/// Place of the words.
enum Line {
    /// On a line that changes.
    Bar(ProgressBar),
    /// As notes.
    Notes(Notes),
}

/// Notes that follow each other at intervals.
struct Notes {
    renderer: Renderer,
    /// Never drawn: it knows how long it has been there.
    clock: ProgressBar,
    last: Duration,
}

impl Notes {
    /// Prints how far it is, if the time has come: the share that is done, where it is known, says
    /// how much time is left.
    fn show(&mut self, done: Option<f64>, text: impl FnOnce(f64) -> String) {
        let elapsed = self.clock.elapsed();
        if elapsed.saturating_sub(self.last) < BETWEEN {
            return;
        }
        self.last = elapsed;
        let elapsed = elapsed.as_secs_f64();
        let left = time_left(elapsed, done).map_or_else(String::new, |left| format!(", {left} left"));
        self.renderer.note(&format!("{}{left}", text(elapsed)));
    }
}

/// The time left after so many seconds, if this share is done.
pub(super) fn time_left(elapsed_secs: f64, done: Option<f64>) -> Option<String> {
    done.filter(|done| *done > 0.0).map(|done| span((elapsed_secs * (1.0 - done) / done).round()))
}

/// Runs of this session that are over, and that are wanted; earlier ones made `before`.
pub(super) fn of_session(standing: StudyStatus, before: u64) -> (u64, u64) {
    let wanted = standing.wanted.max(standing.done).saturating_sub(before);
    (standing.done.saturating_sub(before), wanted)
}

impl Line {
    /// A line of such a length, if one is to be drawn; without a length its end is not known.
    fn start(output: &Output, length: Option<u64>) -> Option<Self> {
        if output.quiet || output.no_progress || verbose::wanted(output) {
            return None;
        }
        let target = ProgressDrawTarget::stderr_with_hz(8);
        if target.is_hidden() {
            let (renderer, clock) = (Renderer::new(output), ProgressBar::hidden());
            return Some(Line::Notes(Notes { renderer, clock, last: Duration::ZERO }));
        }
        Some(Line::Bar(ProgressBar::with_draw_target(length, target).with_style(style(length.is_some()))))
    }

    /// Takes the line away.
    fn end(&self) {
        if let Line::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// The line of a run, if one is drawn.
pub(super) struct Progress(Option<Rc<RefCell<Line>>>);

impl Progress {
    /// A line for a run that is about so many subjects or lasts until then, if either is known; and
    /// the watch that keeps it.
    pub(super) fn start(
        subjects: Option<Subjects>,
        until: Option<SimTime>,
        output: &Output,
    ) -> (Self, Option<Watch>) {
        let Some(line) = Line::start(output, Share::length(subjects, until)) else {
            return (Progress(None), None);
        };
        let line = Rc::new(RefCell::new(line));
        let kept = Rc::clone(&line);
        let watch: Watch = Rc::new(move |status| {
            let share = Share { subjects, until, status };
            match &mut *kept.borrow_mut() {
                Line::Bar(bar) => {
                    bar.set_position(share.position());
                    bar.set_message(share.text(bar.elapsed().as_secs_f64()));
                }
                Line::Notes(notes) => notes.show(share.done(), |elapsed| share.text(elapsed)),
            }
        });
        (Progress(Some(line)), Some(watch))
    }

    /// Takes the line away.
    pub(super) fn end(self) {
        if let Some(line) = self.0 {
            line.borrow().end();
        }
    }
}

/// Steps of a line that shows a share of time.
const STEPS: u64 = 1_000;

/// The part of a run that is done.
struct Share {
    subjects: Option<Subjects>,
    until: Option<SimTime>,
    status: RunStatus,
}

impl Share {
    fn length(subjects: Option<Subjects>, until: Option<SimTime>) -> Option<u64> {
        subjects.map(|subjects| subjects.count).or(until.map(|_| STEPS))
    }

    /// The share that is done: of the subjects, or else of time; `None` if neither is known.
    fn done(&self) -> Option<f64> {
        let of_time = || Some(self.status.now.as_secs_f64() / self.until?.as_secs_f64());
        let of_subjects = |subjects: Subjects| self.status.over as f64 / subjects.count.max(1) as f64;
        self.subjects.map(of_subjects).or_else(of_time).map(|share| share.min(1.0))
    }

    fn position(&self) -> u64 {
        match self.subjects {
            Some(subjects) => self.status.over.min(subjects.count),
            None => (self.done().unwrap_or(0.0) * STEPS as f64) as u64,
        }
    }

    /// The words after so many seconds.
    fn text(&self, elapsed_secs: f64) -> String {
        let RunStatus { now, over, events } = self.status;
        let rate = events as f64 / elapsed_secs.max(1e-3);
        let simulated = span(now.as_secs_f64());
        let mut text = match (self.subjects, self.done()) {
            (Some(Subjects { count, called }), _) => {
                format!("{}/{} {called}, {simulated} simulated", grouped(over.min(count)), grouped(count))
            }
            (None, Some(done)) => {
                let whole = self.until.map_or_else(String::new, |until| span(until.as_secs_f64()));
                format!("{:.0} % of {whole} simulated", done * 100.0)
            }
            (None, None) => format!("{simulated} simulated"),
        };
        // writing into a String cannot fail
        let _ = write!(text, ", {} events/s", rough(rate));
        text
    }
}

/// The line of a study, if one is drawn: points done, runs being made and failed, time left.
pub(super) struct StudyProgress {
    line: Option<Mutex<Line>>,
    /// Runs that earlier sessions made.
    before: u64,
}

impl StudyProgress {
    /// A line for a study of which earlier sessions made `before` runs.
    pub(super) fn start(output: &Output, before: u64) -> Self {
        StudyProgress { line: Line::start(output, Some(1)).map(Mutex::new), before }
    }

    /// Draws how far the study is.
    pub(super) fn show(&self, standing: StudyStatus) {
        let Some(line) = &self.line else { return };
        // the time left is that of this session's runs
        let (done, wanted) = of_session(standing, self.before);
        match &mut *line.lock().unwrap_or_else(PoisonError::into_inner) {
            Line::Bar(bar) => {
                bar.set_length(wanted);
                bar.set_position(done);
                bar.set_message(study_text(&standing));
            }
            Line::Notes(notes) => {
                notes.show(Some(done as f64 / wanted.max(1) as f64), |_| study_text(&standing));
            }
        }
    }

    /// Writes something else while the line is away.
    pub(super) fn aside(&self, write: impl FnOnce()) {
        let line = self.line.as_ref().map(|line| line.lock().unwrap_or_else(PoisonError::into_inner));
        match line.as_deref() {
            Some(Line::Bar(bar)) => bar.suspend(write),
            _ => write(),
        }
    }

    /// Takes the line away.
    pub(super) fn end(&self) {
        if let Some(line) = &self.line {
            line.lock().unwrap_or_else(PoisonError::into_inner).end();
        }
    }
}

/// Words behind the bar of a study.
fn study_text(standing: &StudyStatus) -> String {
    let StudyStatus { points_done, points, done, wanted, running, failed } = *standing;
    let wanted = wanted.max(done);
    let failed = if failed > 0 { format!(", {} failed", grouped(failed)) } else { String::new() };
    let [points_done, points, done, wanted] = [points_done, points, done, wanted].map(grouped);
    format!("{points_done}/{points} points, {done}/{wanted} runs, {running} running{failed}")
}

/// A bar and its words, and the time that is left if its end is known.
fn style(has_end: bool) -> ProgressStyle {
    if !has_end {
        let style = ProgressStyle::with_template("{spinner} {msg}");
        return style.unwrap_or_else(|_| ProgressStyle::default_spinner());
    }
    let style = ProgressStyle::with_template("{wide_bar} {msg}, {left} left");
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key(
        "left",
        |state: &ProgressState, out: &mut dyn Write| {
            // a line that cannot be drawn is not reported
            let _ = out.write_str(&span(state.eta().as_secs_f64().round()));
        },
    )
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
    use crate::kernel::SimDuration;

    #[test]
    fn the_line_of_a_study_shows_points_runs_and_failures() {
        let standing =
            StudyStatus { points_done: 2, points: 10, done: 24, wanted: 100, running: 2, failed: 1 };
        assert_eq!(study_text(&standing), "2/10 points, 24/100 runs, 2 running, 1 failed");
        let calm = StudyStatus { failed: 0, ..standing };
        assert_eq!(study_text(&calm), "2/10 points, 24/100 runs, 2 running");
    }

    #[test]
    fn the_line_shows_how_much_of_what_is_done_simulated_time_and_speed() {
        let now = SimTime::ZERO + SimDuration::from_secs(36 * 3600);
        let status = RunStatus { now, over: 1_200, events: 4_200_000 };
        let subjects = Some(Subjects { count: 30_000, called: "jobs" });
        let until = Some(now + SimDuration::from_secs(36 * 3600));
        let share = |subjects, until| Share { subjects, until, status };
        let of_jobs = share(subjects, until);
        assert_eq!(of_jobs.text(2.0), "1,200/30,000 jobs, 36 h simulated, 2.1 M events/s");
        assert_eq!((of_jobs.done(), of_jobs.position()), (Some(0.04), 1_200));
        let of_time = share(None, until);
        assert_eq!(of_time.text(2.0), "50 % of 3 d simulated, 2.1 M events/s");
        assert_eq!((of_time.done(), of_time.position()), (Some(0.5), 500));
        let of_neither = share(None, None);
        assert_eq!(of_neither.text(2.0), "36 h simulated, 2.1 M events/s");
        assert_eq!((of_neither.done(), of_neither.position()), (None, 0));
        assert_eq!(rough(999.6), "1,000");
        assert_eq!(rough(12_345.0), "12 k");
    }
}
