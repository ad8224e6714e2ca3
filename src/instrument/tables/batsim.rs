//! The columns of Batsim's `jobs.csv`, in its order, so that its users' tools load what any system calls a job.
//!
//! Header and meaning: Batsim 5, `export.cpp` and its documentation. Times are exact to the nanosecond; stretch is response
//! time over run time, to the millionth. What has no run leaves the columns of a run empty. Metadata are empty.

use crate::collections::Interval;
use crate::kernel::{SimDuration, SimTime};
use crate::output::{Cell, Column, columns};

/// The columns.
pub static COLUMNS: [Column; 17] = columns! {
    "job_id" Count "", "its number in the workload";
    "workload_name" Text "", "what the workload is called";
    "profile" Text "", "always `rigid`; of a task its name";
    "submission_time" Time "s", "when it was submitted; of a task, when its parents had ended";
    "requested_number_of_resources" Integer "", "processors that it asked for";
    "requested_time" Time "s", "the run time that it asked for; of a task the predicted one";
    "success" Integer "", "1 if it completed, 0 if it was rejected, killed at its limit, cancelled or lost with a node";
    "final_state" Text "", "what became of it, in Batsim's words";
    "starting_time" Time "s", "when its last run started; empty if it never ran";
    "execution_time" Time "s", "from there to its end; empty if it never ran";
    "finish_time" Time "s", "when it ended, or was cancelled before it started; empty if it was rejected";
    "waiting_time" Time "s", "from submission to its last start without its earlier runs, or until it was cancelled; empty if it was rejected";
    "turnaround_time" Time "s", "from submission to end; empty if it never ran";
    "stretch" Decimal(6) "", "turnaround time over run time, to the nearest millionth; empty if it never ran";
    "allocated_resources" Intervals "", "the processors of its last run; empty if it never ran";
    "consumed_energy" Decimal(12) "J", "what its processors drew while it had them; -1 where power is not known, processors are shared, or it never ran";
    "metadata" Text "", "always empty";
};

/// The place of `consumed_energy` among them.
pub const ENERGY: usize = 15;

/// Millionths of one.
const MILLION: u128 = 1_000_000;

/// A job as a row of that file.
#[derive(Clone, Copy, Debug)]
pub struct BatsimJob<'a> {
    /// Its number in the workload.
    pub number: u64,
    /// What the workload is called.
    pub workload: &'a str,
    /// What Batsim calls its profile.
    pub profile: Cell<'a>,
    /// When it was submitted.
    pub submitted: SimTime,
    /// Processors that it asked for.
    pub procs: u32,
    /// The run time that it asked for, if it did.
    pub requested_time: Option<SimDuration>,
    /// Whether it completed.
    pub success: bool,
    /// What became of it, in Batsim's words.
    pub final_state: &'static str,
    /// When it ended or was cancelled, if it was accepted.
    pub finished: Option<SimTime>,
    /// How long it waited, if it was accepted.
    pub waited: Option<SimDuration>,
    /// Its last run, if it had one.
    pub run: Option<LastRun<'a>>,
}

/// The last run of a job.
#[derive(Clone, Copy, Debug)]
pub struct LastRun<'a> {
    /// When it started.
    pub start: SimTime,
    /// The run time that stretch is over.
    pub alone: SimDuration,
    /// Its processors.
    pub on: &'a [Interval],
    /// What these drew, if that is known [10^-12 J].
    pub picojoules: Option<u128>,
}

impl<'a> BatsimJob<'a> {
    /// Its cells.
    pub fn cells(&self) -> [Cell<'a>; COLUMNS.len()] {
        let (mut start, mut execution, mut turnaround, mut stretch, mut on) = Default::default();
        let mut energy = Cell::Integer(-1);
        if let (Some(run), Some(end)) = (self.run, self.finished) {
            let response = end.since(self.submitted);
            start = Cell::at(run.start);
            execution = Cell::Time(end.since(run.start));
            turnaround = Cell::Time(response);
            stretch = Cell::Decimal(in_millionths(response, run.alone), 6);
            on = Cell::Intervals(run.on);
            if let Some(consumed) = run.picojoules {
                energy = Cell::Decimal(consumed, 12);
            }
        }
        [
            Cell::Count(self.number),
            Cell::Text(self.workload),
            self.profile,
            Cell::at(self.submitted),
            Cell::Integer(i64::from(self.procs)),
            self.requested_time.map(Cell::Time).unwrap_or_default(),
            Cell::Integer(i64::from(self.success)),
            Cell::Word(self.final_state),
            start,
            execution,
            self.finished.map(Cell::at).unwrap_or_default(),
            self.waited.map(Cell::Time).unwrap_or_default(),
            turnaround,
            stretch,
            on,
            energy,
            Cell::Empty,
        ]
    }
}

/// Response time over run time, to the nearest millionth.
fn in_millionths(turnaround: SimDuration, run_time: SimDuration) -> u128 {
    let (turnaround, run_time) = (u128::from(turnaround.as_nanos()), u128::from(run_time.as_nanos()));
    if turnaround == run_time || run_time == 0 {
        return MILLION;
    }
    (turnaround * MILLION + run_time / 2) / run_time
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretch_is_rounded_to_the_millionth() {
        let stretch = |turnaround, run| {
            in_millionths(SimDuration::from_nanos(turnaround), SimDuration::from_nanos(run))
        };
        assert_eq!(stretch(3, 2), 1_500_000);
        assert_eq!(stretch(5, 3), 1_666_667);
        assert_eq!(stretch(1_999_999_999, 1_000_000_000), 2 * MILLION);
        assert_eq!(stretch(100_000_003, 100_000_000), MILLION);
        assert_eq!(stretch(u64::MAX, 1), u128::from(u64::MAX) * MILLION);
    }
}
