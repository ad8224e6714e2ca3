//! What a run of a cluster hands over: figures, files, page and text.

use std::io;

use serde_json::{Map, Value as Json};

use crate::ids::JobId;
use crate::instrument::Keep;
use crate::instrument::sink::{
    write_attempts, write_executions, write_jobs_csv, write_jobs_parquet, write_jobs_swf, write_outages,
    write_profile, write_reservations, write_task_trace, write_trace,
};
use crate::kernel::SimError;
use crate::registry::Complaint;
use crate::registry::code;
use crate::report::number::grouped;
use crate::scenario::{Figures, Files, Making, Results, Run, Scenario};
use crate::system::cluster::experiment::{Experiment, Finished};
use crate::system::cluster::page::{About, Rows, draw};
use crate::system::cluster::settings::Cluster;
use crate::system::cluster::{explanation, origin, text};
use crate::workload::Job;

impl Run for Experiment {
    fn explain(&mut self, asked: &str) -> Result<(), Complaint> {
        self.explained = Some(explained(&self.loaded.jobs, asked)?);
        Ok(())
    }

    fn size(&self) -> Option<u64> {
        Some(self.loaded.jobs.len() as u64)
    }

    fn run(mut self: Box<Self>, making: Making) -> Result<Box<dyn Results>, SimError> {
        if making.only_figures {
            self.keep = Keep::WhileRunning;
        }
        let experiment = match making.at_most {
            Some(resumptions) => self.at_most(resumptions),
            None => *self,
        };
        Ok(Box::new(experiment.run(making.watch)?))
    }
}

/// The job of this number.
fn explained(jobs: &[Job], asked: &str) -> Result<JobId, Complaint> {
    let count = grouped(jobs.len() as u64);
    let Ok(number) = asked.trim().parse::<u64>() else {
        let complaint = Complaint::nowhere(code::JOB, format!("`{asked}` is no number of a job"));
        return Err(complaint.help(format!("jobs are numbered as in the workload; it has {count} jobs")));
    };
    if let Some(found) = (0..).map(JobId).zip(jobs).find(|(_, job)| job.number == number) {
        return Ok(found.0);
    }
    let complaint = Complaint::nowhere(code::JOB, format!("the workload has no job {number}"));
    let nearest = jobs.iter().map(|job| job.number).min_by_key(|other| (other.abs_diff(number), *other));
    Err(match nearest {
        Some(nearest) => complaint.help(format!("did you mean {nearest}? it has {count} jobs")),
        None => complaint,
    })
}

impl Results for Finished {
    fn figures(&self) -> Figures<'_> {
        Figures {
            metrics: &self.metrics,
            classes: &self.classes,
            // which users and queues there are differs from run to run
            stable_classes: self.outcomes.profile.is_some(),
            digest: self.outcomes.digest,
            events: self.outcomes.events,
            drew: self.drew,
            cut: Some(self.warm_up_cut),
            half_widths: &self.half_widths,
            saturated: self.signs.saturated,
            unsettled: self.signs.warm_up_not_over && !self.recorded,
            log: self.log,
            warnings: self.warnings(),
            notes: self.notes(),
        }
    }

    fn manifest(&self) -> Map<String, Json> {
        origin::manifest(&self.origin, self)
    }

    fn write(&self, scenario: &Scenario, identity: &str, files: &mut dyn Files) -> io::Result<()> {
        let Some(cluster) = scenario.own::<Cluster>() else { return Ok(()) };
        let run = self.outcomes.run();
        if cluster.record_jobs {
            files.file("jobs.csv", &mut |mut out| write_jobs_csv(&run, &self.workload, &mut out))?;
            self.write_interruptions(files)?;
        }
        if scenario.record_parquet {
            files.file("jobs.parquet", &mut |mut out| write_jobs_parquet(&run, &self.workload, &mut out))?;
        }
        if cluster.record_swf {
            let header = origin::log_header(scenario, identity, &self.origin, self);
            files.file("jobs.swf", &mut |mut out| write_jobs_swf(&run, &header, &mut out))?;
        }
        if cluster.record_profile
            && let Some(tasks) = self.outcomes.task_run()
        {
            files.file("profile.csv", &mut |mut out| write_profile(&tasks, &mut out))?;
            files.file("executions.csv", &mut |mut out| write_executions(&tasks, &mut out))?;
        }
        if scenario.record_trace {
            files.file("trace.pftrace", &mut |mut out| match self
                .outcomes
                .task_run()
                .and_then(|run| Some((run, run.profile.timeline.as_ref()?)))
            {
                Some((run, timeline)) => write_task_trace(&run, timeline, &mut out),
                None => write_trace(&run, &mut out),
            })?;
        }
        Ok(())
    }

    fn page(&self, scenario: &Scenario, summary: &Json) -> Vec<u8> {
        let about = About {
            summary,
            workload: &self.workload,
            procs: self.outcomes.setting.procs,
            resolved: &scenario.resolved(),
        };
        draw(&about, &Rows::of_run(&self.outcomes.run()))
    }

    fn text(&self, scenario: &Scenario, width: Option<usize>) -> String {
        text::text(scenario, self, width) + &explanation::text(&self.outcomes)
    }

    fn explanation(&self) -> Option<Json> {
        Some(explanation::json(&self.outcomes))
    }
}

impl Finished {
    /// `attempts.csv`, and where nodes fail `outages.csv`, where processors are reserved `reservations.csv`.
    fn write_interruptions(&self, files: &mut dyn Files) -> io::Result<()> {
        let run = self.outcomes.run();
        let (fails, reserves) = (run.record.site().failures.is_some(), run.record.site().reserves);
        if fails || reserves {
            files.file("attempts.csv", &mut |mut out| write_attempts(&run, &mut out))?;
        }
        if fails {
            files.file("outages.csv", &mut |mut out| write_outages(&run, &mut out))?;
        }
        if reserves {
            files.file("reservations.csv", &mut |mut out| write_reservations(&run, &mut out))?;
        }
        Ok(())
    }
}
