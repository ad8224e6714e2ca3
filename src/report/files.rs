//! The files of a run that need what it was: each by what writes it.

use std::io;

use crate::agent::Outcomes;
use crate::instrument::sink::{
    write_attempts, write_executions, write_jobs_csv, write_jobs_parquet, write_jobs_swf, write_outages,
    write_profile, write_reservations, write_task_trace, write_trace,
};
use crate::output::directory::Partial;
use crate::scenario::Finished;

impl Partial {
    /// Writes `jobs.csv`.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_jobs(&mut self, finished: &Finished) -> io::Result<()> {
        self.write_by("jobs.csv", |out| write_jobs_csv(&finished.outcomes.run(), &finished.workload, out))
    }

    /// Writes `attempts.csv` and, where nodes fail, `outages.csv`, where processors are reserved, `reservations.csv`; nothing where
    /// neither is.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn write_outages(&mut self, finished: &Finished) -> io::Result<()> {
        let run = finished.outcomes.run();
        let (fails, reserves) = (run.record.site().failures.is_some(), run.record.site().reserves);
        if fails || reserves {
            self.write_by("attempts.csv", |out| write_attempts(&run, out))?;
        }
        if fails {
            self.write_by("outages.csv", |out| write_outages(&run, out))?;
        }
        if reserves {
            self.write_by("reservations.csv", |out| write_reservations(&run, out))?;
        }
        Ok(())
    }

    /// Writes `jobs.parquet`.
    ///
    /// # Errors
    /// It cannot be written, or this build cannot write such files.
    pub fn write_parquet(&mut self, finished: &Finished) -> io::Result<()> {
        let run = finished.outcomes.run();
        self.write_by("jobs.parquet", |out| write_jobs_parquet(&run, &finished.workload, out))
    }

    /// Writes `jobs.swf` under a header of these entries.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_swf(&mut self, finished: &Finished, header: &[(&str, String)]) -> io::Result<()> {
        self.write_by("jobs.swf", |out| write_jobs_swf(&finished.outcomes.run(), header, out))
    }

    /// Writes `profile.csv` and `executions.csv`; nothing at detail `job`.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn write_profile(&mut self, finished: &Finished) -> io::Result<()> {
        let Some(run) = finished.outcomes.task_run() else { return Ok(()) };
        self.write_by("profile.csv", |out| write_profile(&run, out))?;
        self.write_by("executions.csv", |out| write_executions(&run, out))
    }

    /// Writes `trace.pftrace`.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_trace(&mut self, finished: &Finished) -> io::Result<()> {
        let run = finished.outcomes.task_run();
        self.write_by("trace.pftrace", |out| {
            match run.and_then(|run| Some((run, run.profile.timeline.as_ref()?))) {
                Some((run, timeline)) => write_task_trace(&run, timeline, out),
                None => write_trace(&finished.outcomes.run(), out),
            }
        })
    }

    /// Writes `tasks.csv` and `hosts.csv` of a run of agents.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn write_tasks(&mut self, outcomes: &Outcomes) -> io::Result<()> {
        self.write_by("tasks.csv", |out| outcomes.write_tasks(out))?;
        self.write_by("hosts.csv", |out| outcomes.write_hosts(out))
    }

    /// Writes `flows.csv` of a run with given flows.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_flows(&mut self, outcomes: &Outcomes) -> io::Result<()> {
        self.write_by("flows.csv", |out| outcomes.write_flows(out))
    }

    /// Writes `operations.csv` of a run of agents.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_operations(&mut self, outcomes: &Outcomes) -> io::Result<()> {
        self.write_by("operations.csv", |out| outcomes.write_operations(out))
    }

    /// Writes `trace.pftrace` of a run of agents.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_agents_trace(&mut self, outcomes: &Outcomes) -> io::Result<()> {
        self.write_by("trace.pftrace", |out| outcomes.write_trace(out))
    }
}
