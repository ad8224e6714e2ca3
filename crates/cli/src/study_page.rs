//! The page of a study while its runs are made: points and intervals so far, and the time left.
//!
//! A thread whose run ends writes it anew when its time has come, and no thread begins a run
//! meanwhile. So that no study spends more than one fiftieth of its time on this, the pause behind
//! a writing that took long is longer. A browser finds the final page at the same address.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::ProgressBar;
use serde_json::json;

use crate::Console;
use crate::progress::{of_session, time_left};
use crate::registry::reason;
use crate::scenario::Study;
use clustersim_experiment::report::html::{Unfinished, draw_unfinished};
use clustersim_experiment::study::StudyStatus;
use clustersim_experiment::study::directory::PartialStudy;
use clustersim_experiment::study::execute::settled_so_far;
use clustersim_experiment::study::question::Question;
use clustersim_experiment::study::row::Rows;
use clustersim_experiment::study::summarise::summarise_so_far;

/// Least time between two writings, and before the first.
const BETWEEN: Duration = Duration::from_secs(10);
/// Pause behind a writing, as a multiple of the time that it took: 2 % of all time is for writing.
const PAUSE: u32 = 49;

/// The time of the next writing, since the start.
struct Pace {
    next: Duration,
}

impl Pace {
    fn is_due(&self, now: Duration) -> bool {
        now >= self.next
    }

    /// Takes note of a writing.
    fn wrote(&mut self, begun: Duration, ended: Duration) {
        self.next = ended + BETWEEN.max(ended.saturating_sub(begun) * PAUSE);
    }
}

/// The page of a study that runs.
pub(super) struct StudyPage<'a> {
    console: Console<'a>,
    study: &'a Study,
    question: &'a Question,
    partial: &'a PartialStudy<'a>,
    /// Runs that earlier sessions made.
    before: u64,
    /// Never drawn: it knows how long it has been there.
    clock: ProgressBar,
    /// `None`: no page is written.
    pace: Mutex<Option<Pace>>,
}

impl<'a> StudyPage<'a> {
    /// The page of a study of which earlier sessions made `before` runs.
    pub(super) fn start(
        console: Console<'a>,
        study: &'a Study,
        question: &'a Question,
        partial: &'a PartialStudy<'a>,
        before: u64,
    ) -> Self {
        let pace = study.first().record_report.then_some(Pace { next: BETWEEN });
        let (clock, pace) = (ProgressBar::hidden(), Mutex::new(pace));
        StudyPage { console, study, question, partial, before, clock, pace }
    }

    /// Writes the page, if its time has come and runs are left to be made.
    pub(super) fn show(&self, standing: StudyStatus, rows: &Rows) {
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = self.clock.elapsed();
        let due = pace.as_mut().filter(|pace| pace.is_due(begun) && standing.done < standing.wanted);
        let Some(due) = due else { return };
        let shown = self
            .drawn(standing, rows, begun)
            .and_then(|page| self.partial.show(&page).map_err(|error| reason(&error)));
        due.wrote(begun, self.clock.elapsed());
        match shown {
            Ok(true) => {}
            // results stand there
            Ok(false) => *pace = None,
            Err(why) => {
                *pace = None;
                self.console.renderer.note(&format!("no page is shown while the study runs: {why}"));
            }
        }
    }

    /// The page after this time: of the rows that count so far.
    fn drawn(&self, standing: StudyStatus, rows: &Rows, elapsed: Duration) -> Result<Vec<u8>, String> {
        let rows = settled_so_far(self.study, rows);
        let summary = summarise_so_far(self.study, self.question, &rows);
        let (done, wanted) = of_session(standing, self.before);
        let state = Unfinished {
            done: standing.done,
            wanted: standing.wanted,
            failed: standing.failed,
            left: time_left(elapsed.as_secs_f64(), Some(done as f64 / wanted.max(1) as f64)),
            axis: summary.axis_to_compare(self.question.axis.as_deref()),
            asked: self.question.asked(&summary.headline).to_vec(),
        };
        draw_unfinished(json!(summary), &state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_every_ten_seconds_in_a_fiftieth_of_the_time() {
        let at = Duration::from_millis;
        let mut pace = Pace { next: BETWEEN };
        assert!(!pace.is_due(at(9_999)) && pace.is_due(at(10_000)));
        pace.wrote(at(12_000), at(12_200));
        assert!(!pace.is_due(at(22_199)) && pace.is_due(at(22_200)));
        // a second of writing and 49 s without it
        pace.wrote(at(30_000), at(31_000));
        assert!(!pace.is_due(at(79_999)) && pace.is_due(at(80_000)));
    }
}
