//! What a run of a cluster hands over: figures, files, pictures and text.

use std::io;

use serde_json::{Map, Value as Json};

use crate::instrument::jobs_swf;
use crate::instrument::lanes::{JobLanes, TaskLanes};
use crate::instrument::tables::{self, JobRows};
use crate::output::{Explanation, Files, LaneSource, Pictures, RowSource, TableFormat};
use crate::scenario::{Figures, Results, Scenario};
use crate::system::cluster::description::Cluster;
use crate::system::cluster::experiment::Finished;
use crate::system::cluster::{explanation, origin, pictures, text};

impl Results for Finished {
    fn figures(&self) -> Figures<'_> {
        Figures {
            metrics: &self.metrics,
            classes: &self.classes,
            // which users and queues there are differs from run to run
            stable_classes: self.outcomes.profile.is_some(),
            digest: self.outcomes.digest,
            events: self.outcomes.events,
            ended: Some(self.outcomes.ended_at),
            drew: self.drew,
            cut: Some(self.warm_up_cut),
            half_widths: &self.half_widths,
            log: self.log,
            rejections: self.outcomes.run().rejections(),
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

    fn pictures(&self, scenario: &Scenario) -> Pictures<'_> {
        pictures::of_run(self, scenario)
    }

    fn text(&self, scenario: &Scenario, width: Option<usize>) -> Option<String> {
        Some(text::text(scenario, self, width))
    }

    fn explanation(&self) -> Option<Explanation> {
        explanation::explanation(&self.outcomes)
    }
}
