//! A schedule read from its `jobs.csv`, without anything that wrote it.
//!
//! Columns are found by their names in the first line, so that others may stand between them. Times
//! are seconds with up to nine decimals.

use crate::collections::{NumberedTexts, StableSort as _};
use crate::kernel::SimDuration;
use crate::output::{NoRows, Row as _, Whole, each_line};
use crate::text::TextSource;
use crate::workload::resources::{DemandId, GpuShare};
use clustersim_experiment::rows::jobs::JobRow;

use super::{Requested, Row};

/// The jobs of a schedule that have left, each list in order of submission, at equal times of
/// number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduledJobs {
    /// Jobs that ran.
    pub ran: Vec<Row>,
    /// Jobs that were refused; their start is their submission.
    pub refused: Vec<Row>,
    /// Jobs that were cancelled before they started; their start and end is the cancellation.
    pub cancelled: Vec<Row>,
    /// Lists of amounts of pools that jobs ask for, by number.
    pub pools: Vec<String>,
}

/// Reads a `jobs.csv`, of which little is in memory. What a job had to run is not in it: until it
/// is known, it is what it did run.
///
/// # Errors
/// It cannot be read, a line is no row of a job, or a column is missing.
pub fn read(source: TextSource<'_>) -> Result<ScheduledJobs, NoRows> {
    let (mut schedule, mut lists) = (ScheduledJobs::default(), NumberedTexts::default());
    each_line::<JobRow<'_>>(
        source,
        |met| met,
        |line, _| {
            let read = JobRow::read(line)?;
            let pools = read.pools.as_ref().filter(|text| !text.is_empty()).map(|text| lists.number(text));
            let (row, refused) = job(read).ok_or_else(|| line.wrong("the row is none of a job"))?;
            let row = Row { pools, ..row };
            let rows = match (refused, row.cancelled && row.on.is_empty()) {
                (true, _) => &mut schedule.refused,
                (false, true) => &mut schedule.cancelled,
                (false, false) => &mut schedule.ran,
            };
            rows.push(row);
            Ok(())
        },
    )?;
    for rows in [&mut schedule.ran, &mut schedule.refused, &mut schedule.cancelled] {
        rows.stable_sort_by_key(|row| (row.submit_time, row.number));
    }
    schedule.pools = lists.into_texts();
    Ok(schedule)
}

impl ScheduledJobs {
    /// The same with the sizes and times that jobs requested.
    #[must_use]
    pub fn as_requested(mut self) -> Self {
        for row in self.ran.iter_mut().chain(&mut self.refused).chain(&mut self.cancelled) {
            if let Some(asked) = row.requested {
                (row.procs, row.estimate) = (asked.procs, asked.estimate);
            }
        }
        self
    }
}

/// The job of a row, and true if it was refused.
fn job(row: JobRow<'_>) -> Option<(Row, bool)> {
    let count = |Whole(count): Whole| u32::try_from(count).ok();
    let (refused, killed) = (&*row.state == "REJECTED", &*row.state == "COMPLETED_WALLTIME_REACHED");
    let mut job = Row {
        number: row.job,
        submit_time: row.submitted,
        considered: row.submitted,
        follows: false,
        start: row.submitted,
        end: row.submitted,
        run_time: SimDuration::ZERO,
        work: None,
        estimate: row.requested?,
        killed,
        own_limit: false,
        cancelled: &*row.state == "CANCELLED",
        lost: &*row.state == "COMPLETED_FAILED",
        procs: count(row.procs)?,
        requested: None,
        demand: DemandId::default(),
        queue: None,
        job: None,
        turns: Vec::new(),
        pools: None,
        on: Vec::new(),
        gpus: row.gpus_held.map_or(Some(Vec::new()), |text| GpuShare::parse_all(&text))?,
    };
    if job.cancelled && row.start.is_none() {
        (job.start, job.end) = (row.end?, row.end?);
    } else if !refused {
        (job.start, job.run_time, job.end) = (row.start?, row.execution?, row.end?);
        job.on = row.on?.into_owned();
    }
    if let Some(given) = row.given_procs {
        job.requested =
            Some(Requested { procs: job.procs, estimate: job.estimate, dedicated: row.dedicated });
        (job.procs, job.estimate) = (count(given)?, row.given_time?);
    }
    (job.start <= job.end).then_some((job, refused))
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;

    use super::super::row;
    use super::*;

    fn read(text: &str) -> Result<ScheduledJobs, String> {
        super::read(TextSource::Text(text)).map_err(|why| why.to_string())
    }

    const HEAD: &str = "job_id,name,workload_name,profile,submission_time,requested_number_of_resources,requested_time,\
                        success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,\
                        stretch,allocated_resources,consumed_energy,metadata";

    #[test]
    fn rows_are_read_by_the_names_of_their_columns() {
        let text = format!(
            "{HEAD}\n7,\"a \"\"b\"\", c\",w,p,1,3,9.5,1,COMPLETED_SUCCESSFULLY,2,0.000000003,2.000000003,,,,0 4-5,-1,\n\
             3,x,w,p,0,99,1,0,REJECTED,,,,,,,,-1,\n"
        );
        let schedule = read(&text).expect("a schedule");
        let second = 1_000_000_000;
        let expected = Row {
            estimate: SimDuration::from_nanos(9_500_000_000),
            procs: 3,
            on: vec![Interval::new(0, 0), Interval::new(4, 5)],
            ..row(7, second, 2 * second, 3, (0, 2))
        };
        assert_eq!(schedule.ran, [expected]);
        assert_eq!(schedule.refused.iter().map(|row| (row.number, row.procs)).collect::<Vec<_>>(), [(3, 99)]);
    }

    #[test]
    fn a_mistake_is_reported_with_its_line() {
        assert_eq!(read(""), Err("jobs.csv is empty".to_owned()));
        let good = ["1", "n", "w", "p", "0", "1", "1", "1", "C", "0", "1", "1", "0", "1", "1", "0", "-1", ""];
        let read_with = |place: usize, cell: &str| {
            let mut cells = good;
            cells[place] = cell;
            read(&format!("{HEAD}\n{}\n", cells.join(",")))
        };
        assert_eq!(read_with(0, "1").map(|schedule| schedule.ran.len()), Ok(1));
        for (place, cell) in
            [(0, "x"), (15, "5-4"), (10, "1.0000000001"), (1, "\"w"), (9, "2"), (17, "x,x"), (5, "-1")]
        {
            let wrong = read_with(place, cell).expect_err(cell);
            assert!(wrong.starts_with("jobs.csv, line 2, column "), "{wrong}");
        }
    }
}
