//! Task graphs on a platform, planned by a scheduler that sees predictions.

mod assembly;
mod drawing;
mod explanation;
mod file_kind;
mod graph_file;
mod judge;
mod keys;
mod lanes;
mod pictures;
mod results;
mod schedulers;
mod warnings;
mod words;

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use crate::measure::own_warnings::OwnWarnings;
use crate::output::Pictures;
use crate::platform::file_kind::Platforms;
use crate::registry::{Complaint, Node, Params, Registry};
use crate::scenario::{
    Checked, Ready, Rejected, RunDirectory, Scenario, ScheduleColumns, System, SystemData,
};
use crate::workflow::{applications, efficiencies};

use assembly::Settings;

/// Adds the components of task graphs.
fn components(registry: &mut Registry) {
    registry
        .table(applications().shared(keys::OF_APPLICATIONS))
        .table(efficiencies())
        .table(crate::predictions::table())
        .table(schedulers::schedulers());
}

/// Task graphs on hosts and links.
#[derive(Clone, Copy, Debug)]
pub struct TaskGraphs;

static DATA: SystemData = SystemData {
    components,
    required: &["platform", "application"],
    headline: &["makespan", "gap", "schedule-length-ratio"],
    judged_by: &["tasks", "transfers", "loads"],
    how_to_draw: "for intervals, draw the graph, the platform's loads or the errors of predictions: `clustersim explain application`",
    warnings: OwnWarnings { of_runs: &[warnings::NO_PROGRESS], ..OwnWarnings::NONE },
    tables: crate::tables::declared,
    words: || vec![words::of_tables()],
    figures: pictures::figures,
    schedule: Some(
        ScheduleColumns::of_jobs("task", &["profile", "workload_name"]).pictured(&[pictures::SCHEDULE]),
    ),
    file_kinds: &[&file_kind::Graphs, &Platforms],
    ..SystemData::new("dag", "task graphs on a platform", keys::KEYS, &["application"], &[&crate::FAMILIES])
};

impl System for TaskGraphs {
    fn data(&self) -> &'static SystemData {
        &DATA
    }

    fn read(
        &self,
        params: &Params<'_>,
        _: &Node,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        Some(Arc::new(Settings::read(params, complaints)?))
    }

    fn inputs(
        &self,
        registry: &Registry,
        scenario: &Scenario,
    ) -> Result<Vec<(String, PathBuf)>, Box<Rejected>> {
        Ok(assembly::inputs(&scenario.params(registry)))
    }

    fn assemble(&self, registry: &Registry, scenario: &Scenario) -> Result<Ready, Box<Rejected>> {
        let settings = scenario.own::<Settings>().expect("what the system read of its scenario");
        assembly::assemble(registry, scenario, settings)
    }

    fn judge(&self, run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
        judge::judge(run)
    }

    fn pictures(&self, run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
        pictures::of_files(run)
    }
}
