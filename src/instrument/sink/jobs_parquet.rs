//! `jobs.parquet`: the rows of `jobs.csv`, for tools that read columns (DuckDB, pandas, polars, R).
//!
//! The same columns under the same names in the same order, typed: numbers are numbers, times seconds in double
//! precision, the nearest to the exact value that `jobs.csv` has, and what is empty there is null here.

use std::io::{self, Write as _};

use crate::ids::JobId;
use crate::instrument::energy;
use crate::instrument::metrics::Run;
use crate::instrument::record::{Outcome, State};
use crate::kernel::stats::ratio;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;

use super::columns::{Column, write_columns};
use super::jobs_csv::{MILLION, intervals, stretch_in_millionths};

/// Writes the table; `workload` names the workload in every row.
///
/// # Errors
/// What the writer says; [`io::ErrorKind::Unsupported`] if this build cannot.
pub fn write(run: &Run<'_>, workload: &str, out: &mut (impl io::Write + Send)) -> io::Result<()> {
    write_columns(&columns(run, workload), &run.record.left(), out)
}

fn columns<'a>(run: &'a Run<'_>, workload: &'a str) -> Vec<Column<'a, JobId>> {
    let job = move |id: &JobId| &run.jobs[id.index()];
    let ran = move |id: &JobId| {
        let outcome = run.record.outcome(*id);
        outcome.ran().then_some((job(id), outcome))
    };
    let waited = move |id: &JobId| {
        let outcome = run.record.outcome(*id);
        (outcome.state != State::Rejected).then_some((job(id), outcome))
    };
    let ran_secs = move |name, span: fn(&Job, &Outcome) -> SimDuration| {
        Column::real(name, move |id| ran(id).map(|(job, outcome)| seconds(span(job, &outcome))))
    };
    let mut columns = vec![
        Column::count("job_id", move |id| Some(job(id).number)),
        Column::text("workload_name", move |_, text| put(text, workload)),
        Column::text("profile", |_, text| put(text, "rigid")),
        Column::real("submission_time", move |id| Some(seconds(job(id).submit_time.since(SimTime::ZERO)))),
        Column::whole("requested_number_of_resources", move |id| Some(i64::from(run.asked_procs(*id)))),
        Column::real("requested_time", move |id| Some(seconds(run.asked_time(*id)))),
        Column::whole("success", move |id| {
            Some(i64::from(run.record.outcome(*id).state == State::Completed))
        }),
        Column::text("final_state", move |id, text| {
            put(text, run.record.outcome(*id).state.final_state().unwrap_or_default())
        }),
        ran_secs("starting_time", |_, outcome| outcome.start.since(SimTime::ZERO)),
        ran_secs("execution_time", |_, outcome| outcome.end.since(outcome.start)),
        Column::real("finish_time", move |id| {
            waited(id).map(|(_, outcome)| seconds(outcome.end.since(SimTime::ZERO)))
        }),
        Column::real("waiting_time", move |id| waited(id).map(|_| seconds(run.waited(*id)))),
        ran_secs("turnaround_time", |job, outcome| outcome.end.since(job.submit_time)),
        Column::real("stretch", move |id| {
            let (job, outcome) = ran(id)?;
            let turnaround = outcome.end.since(job.submit_time);
            Some(ratio(stretch_in_millionths(turnaround, run.dedicated_time(*id)), MILLION))
        }),
        Column::text("allocated_resources", move |id, text| {
            intervals(text, &run.record.processors(*id));
            ran(id).is_some()
        }),
        match run.record.site().power {
            None => Column::whole("consumed_energy", |_| Some(-1)),
            Some(_) => Column::real("consumed_energy", move |id| {
                Some(energy::of_job(run, *id).map_or(-1.0, energy::Energy::joules))
            }),
        },
        Column::text("metadata", |_, _| false),
        Column::text("reason", move |id, text| put(text, run.record.outcome(*id).reason.name())),
    ];
    if run.record.site().users.molds {
        columns.extend([
            Column::whole("given_number_of_resources", move |id| Some(i64::from(job(id).procs))),
            Column::real("given_time", move |id| Some(seconds(job(id).estimate))),
            Column::real("dedicated_time", move |id| ran(id).map(|_| seconds(run.dedicated_time(*id)))),
        ]);
    }
    columns
}

fn put(text: &mut Vec<u8>, value: &str) -> bool {
    // writing into memory cannot fail
    text.write_all(value.as_bytes()).is_ok()
}

/// Seconds, rounded once.
fn seconds(span: SimDuration) -> f64 {
    ratio(u128::from(span.as_nanos()), 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use crate::instrument::sink::{HEADER, MOLDED};
    use crate::instrument::{Record, Site};
    use crate::kernel::stats::WarmUp;
    use crate::workload::Habits;

    use super::*;

    #[test]
    fn the_columns_are_those_of_the_text_in_its_order() {
        for users in [Habits::default(), Habits::ALL] {
            let record = Record::new(0).at(Site { users, ..Site::default() });
            let run = Run { jobs: &[], record: &record, procs: 1, until: None, warm_up: WarmUp::None };
            let names: Vec<String> = columns(&run, "w").into_iter().map(|column| column.name).collect();
            assert_eq!(names.join(","), [HEADER, if users.molds { MOLDED } else { "" }].concat());
        }
    }

    #[test]
    fn seconds_are_what_the_text_is_read_back_as() {
        for (nanos, text) in [
            (1_000_000_001, "1.000000001"),
            (12_340_000_000, "12.34"),
            (9_007_199_254_740_993, "9007199.254740993"),
            (u64::MAX, "18446744073.709551615"),
        ] {
            let read: f64 = text.parse().expect("a number");
            assert_eq!(seconds(SimDuration::from_nanos(nanos)).to_bits(), read.to_bits(), "{text}");
        }
    }
}
