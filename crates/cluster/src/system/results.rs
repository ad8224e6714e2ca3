//! Results of a run of a cluster: figures, files, pictures and text.

use std::io;

use serde_json::{Map, Value as Json};

use crate::fidelity::ReplayedJob;
use crate::instrument::jobs_swf;
use crate::instrument::lanes::{JobLanes, TaskLanes};
use crate::instrument::tables::{self, JobRows};
use crate::output::{
    Explanation, Files, LaneSource, LevelOverTime, Pictures, RowSource, Shown, ShownStrip, TableFormat,
};
use crate::scenario::{Figures, Results, Scenario};
use crate::system::description::Cluster;
use crate::system::experiment::Finished;
use crate::system::{explanation, origin, pictures, replay, words};

impl Results for Finished {
    fn figures(&self) -> &Figures {
        &self.figures
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
        let holds_all = task_run.is_none();
        Some(
            match task_run.and_then(|run| Some(TaskLanes { run, timeline: run.profile.timeline.as_ref()? })) {
                Some(lanes) => Box::new(lanes),
                None => Box::new(JobLanes { run, holds_all }),
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

    fn replayed(&self) -> Vec<ReplayedJob> {
        replay::replayed(self)
    }

    fn pictures(&self, scenario: &Scenario) -> Pictures<'_> {
        pictures::of_run(self, scenario)
    }

    fn shown(&self) -> Shown<'_> {
        let run = self.outcomes.run();
        let window = run.window();
        let spans = run.spans_in_use(window).map(|(start, end, procs)| (start, end, u64::from(procs)));
        words::on_the_terminal(
            self,
            ShownStrip {
                title: "utilization over time, 0 to 100 %",
                from: window.from,
                to: window.to,
                level: LevelOverTime::InUse { spans: Box::new(spans), of: u64::from(run.procs) },
            },
        )
    }

    fn explanation(&self) -> Option<Explanation> {
        explanation::explanation(&self.outcomes)
    }
}
