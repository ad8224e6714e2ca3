//! What a run of a cluster hands over: figures, files, pictures and text.

use std::io;

use serde_json::{Map, Value as Json};

use crate::ids::JobId;
use crate::instrument::lanes::{JobLanes, TaskLanes};
use crate::instrument::tables::{self, JobRows};
use crate::instrument::{Keep, jobs_swf};
use crate::kernel::SimError;
use crate::output::number::grouped;
use crate::output::{Explanation, Files, LaneSource, Pictures, RowSource, TableFormat};
use crate::registry::{Complaint, code};
use crate::scenario::{Figures, Making, Results, Run, Scenario};
use crate::system::cluster::description::Cluster;
use crate::system::cluster::experiment::{Experiment, Finished};
use crate::system::cluster::{explanation, origin, pictures, text};
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
        Ok(Box::new(self.at_most(making.at_most).run(making.watch)?))
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

    fn tables(&self, scenario: &Scenario) -> Vec<(Box<dyn RowSource + '_>, TableFormat)> {
        let Some(cluster) = scenario.own::<Cluster>() else { return Vec::new() };
        let (run, task_run) = (self.outcomes.run(), self.outcomes.task_run());
        let mut tables: Vec<(Box<dyn RowSource + '_>, TableFormat)> = Vec::new();
        let csv = |table| (table, TableFormat::Csv);
        if cluster.record_jobs {
            tables.extend(tables::of_run(run, &self.workload).into_iter().map(csv));
        }
        if scenario.record_parquet {
            tables.push((Box::new(JobRows { run, workload: &self.workload }), TableFormat::Parquet));
        }
        if let Some(run) = task_run.filter(|_| cluster.record_profile) {
            tables.extend(tables::of_task_run(run).into_iter().map(csv));
        }
        tables
    }

    fn lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        let (run, task_run) = (self.outcomes.run(), self.outcomes.task_run());
        Some(
            match task_run.and_then(|run| Some(TaskLanes { run, timeline: run.profile.timeline.as_ref()? })) {
                Some(lanes) => Box::new(lanes),
                None => Box::new(JobLanes(run)),
            },
        )
    }

    fn write_others(&self, scenario: &Scenario, identity: &str, files: &mut dyn Files) -> io::Result<()> {
        if scenario.own::<Cluster>().is_some_and(|cluster| cluster.record_swf) {
            let header = origin::log_header(scenario, identity, &self.origin, self);
            files
                .file("jobs.swf", &mut |mut out| jobs_swf::write(&self.outcomes.run(), &header, &mut out))?;
        }
        Ok(())
    }

    fn pictures(&self, _: &Scenario) -> Pictures<'_> {
        pictures::of_run(self)
    }

    fn text(&self, scenario: &Scenario, width: Option<usize>) -> Option<String> {
        Some(text::text(scenario, self, width))
    }

    fn explanation(&self) -> Option<Explanation> {
        explanation::explanation(&self.outcomes)
    }
}
