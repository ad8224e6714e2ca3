//! A job, or a task of another system, as a row in the columns of Batsim's `jobs.csv`.

use std::io;

use crate::collections::Interval;
use crate::kernel::{SimDuration, SimTime};
use crate::output::{Cell, RowSink};
use crate::rows::jobs::{JobCells, JobColumns};

/// Millionths of one.
const MILLION: u128 = 1_000_000;

/// A job as a row of that file.
#[derive(Clone, Copy, Debug)]
pub struct BatsimJob<'a> {
    /// Number in the workload.
    pub number: u64,
    /// Name of the workload.
    pub workload: &'a str,
    /// Name of its profile in Batsim.
    pub profile: Cell<'a>,
    /// Instant of submission.
    pub submitted: SimTime,
    /// Processors that it asked for.
    pub procs: u32,
    /// The run time that it asked for, if it did.
    pub requested_time: Option<SimDuration>,
    /// True if it completed.
    pub success: bool,
    /// Final state, in Batsim's words.
    pub final_state: &'static str,
    /// Instant at which it ended or was cancelled, if it was accepted.
    pub finished: Option<SimTime>,
    /// Waiting time, if it was accepted.
    pub waited: Option<SimDuration>,
    /// Last run, if it had one.
    pub run: Option<LastRun<'a>>,
}

/// The last run of a job.
#[derive(Clone, Copy, Debug)]
pub struct LastRun<'a> {
    /// Instant of the start.
    pub start: SimTime,
    /// The run time that stretch is over.
    pub alone: SimDuration,
    /// Processors of the run.
    pub on: &'a [Interval],
    /// Energy that these drew, if that is known [10^-12 J].
    pub picojoules: Option<u128>,
}

impl<'a> BatsimJob<'a> {
    /// Cells of the row.
    pub fn cells(&self) -> JobCells<Cell<'a>> {
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
        JobCells {
            job: Cell::Count(self.number),
            workload: Cell::Text(self.workload),
            profile: self.profile,
            submitted: Cell::at(self.submitted),
            procs: Cell::Integer(i64::from(self.procs)),
            requested: self.requested_time.into(),
            success: Cell::Integer(i64::from(self.success)),
            state: Cell::Word(self.final_state),
            start,
            execution,
            end: self.finished.into(),
            waiting: self.waited.into(),
            turnaround,
            stretch,
            on,
            energy,
            metadata: Cell::Empty,
            reason: Cell::Empty,
            given_procs: Cell::Empty,
            given_time: Cell::Empty,
            dedicated: Cell::Empty,
            gpus_held: Cell::Empty,
            qos: Cell::Empty,
            account: Cell::Empty,
            class: Cell::Empty,
            pools: Cell::Empty,
            nodes: Cell::Empty,
            gpus: Cell::Empty,
            recorded_energy: Cell::Empty,
            recorded_power: Cell::Empty,
        }
    }

    /// Hands over the row of a task of another system, as
    /// [`JobRow::of_tasks`](crate::rows::jobs::JobRow::of_tasks) declares it.
    ///
    /// # Errors
    /// What the sink says.
    pub fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        self.cells().push(JobColumns::OF_TASKS, sink)
    }
}

/// Response time over run time, to the nearest millionth.
pub fn in_millionths(turnaround: SimDuration, run_time: SimDuration) -> u128 {
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
