//! `run` for a scenario of a cluster: what is looked at before, and what is written and printed after.

use std::io;

use serde_json::{Map, Value as Json};

use crate::cli::args::Output;
use crate::cli::failure::Failure;
use crate::cli::output::terminal_width;
use crate::cli::over::Over;
use crate::cli::progress::Progress;
use crate::ids::JobId;
use crate::registry::Complaint;
use crate::registry::code;
use crate::report::directory::Partial;
use crate::report::html::{About, Rows, draw_run};
use crate::report::manifest::{self, Identity, Workload};
use crate::report::number::grouped;
use crate::report::{explanation, table};
use crate::scenario::{Experiment, Figures, Finished, Scenario};
use crate::workload::Job;

/// A run of a cluster that is over.
struct Ended {
    finished: Finished,
    known: Workload,
}

/// Runs it.
pub(super) fn simulate(experiment: Experiment, output: &Output) -> Result<Box<dyn Over>, Failure> {
    let known = Workload::of(&experiment.loaded);
    let (progress, watch) = Progress::start(&experiment, output);
    let finished = experiment.run(watch);
    progress.end();
    Ok(Box::new(Ended { finished: finished?, known }))
}

/// The job of this number.
pub(super) fn explained(jobs: &[Job], number: u64) -> Result<JobId, Failure> {
    if let Some(found) = (0..).map(JobId).zip(jobs).find(|(_, job)| job.number == number) {
        return Ok(found.0);
    }
    let complaint = Complaint::nowhere(code::JOB, format!("the workload has no job {number}"));
    let nearest = jobs.iter().map(|job| job.number).min_by_key(|other| (other.abs_diff(number), *other));
    Err(Failure::usage(match nearest {
        Some(nearest) => {
            complaint.help(format!("did you mean {nearest}? it has {} jobs", grouped(jobs.len() as u64)))
        }
        None => complaint,
    }))
}

impl Over for Ended {
    fn figures(&self) -> Figures<'_> {
        self.finished.figures()
    }

    fn manifest(&self) -> Map<String, Json> {
        manifest::of_cluster(&self.known, &self.finished)
    }

    fn write(&self, scenario: &Scenario, identity: &Identity, partial: &mut Partial) -> io::Result<()> {
        let finished = &self.finished;
        let Some(cluster) = scenario.cluster() else { return Ok(()) };
        if cluster.record_jobs {
            partial.write_jobs(finished)?;
            partial.write_outages(finished)?;
        }
        if scenario.record_parquet {
            partial.write_parquet(finished)?;
        }
        if cluster.record_swf {
            let header = manifest::log_header(scenario, identity, &self.known, finished);
            partial.write_swf(finished, &header)?;
        }
        if cluster.record_profile {
            partial.write_profile(finished)?;
        }
        if scenario.record_trace {
            partial.write_trace(finished)?;
        }
        Ok(())
    }

    fn report(&self, scenario: &Scenario, summary: &Json) -> Vec<u8> {
        let about = About {
            summary,
            workload: &self.finished.workload,
            procs: self.finished.outcomes.setting.procs,
            resolved: &scenario.resolved(),
        };
        draw_run(&about, &Rows::of_run(&self.finished.outcomes.run()))
    }

    fn text(&self, scenario: &Scenario) -> String {
        let text = table::text(scenario, &self.finished, terminal_width());
        text + &explanation::text(&self.finished.outcomes)
    }

    fn explanation(&self) -> Option<Json> {
        Some(explanation::json(&self.finished.outcomes))
    }
}
