//! Parameter sweeps on clusters behind one link each, planned again and again.

mod assembly;
mod drawing;
mod explanation;
mod file_kind;
mod judge;
mod keys;
mod lanes;
mod misfits;
mod pictures;
mod results;
mod words;

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use crate::measure::metric::Metric;
use crate::output::Pictures;
use crate::platform::file_kind::Platforms;
use crate::registry::{Complaint, Node, Params, Registry};
use crate::scenario::{
    Checked, Ready, Rejected, RunDirectory, Scenario, ScheduleColumns, System, SystemData, all_metrics,
};
use crate::scheduler::kind as scheduler;
use crate::{estimate, heuristic, interval, plan::subset, source};

use assembly::Settings;

/// Adds the components of parameter sweeps.
fn components(registry: &mut Registry) {
    registry
        .table(source::table())
        .table(estimate::table().shared(keys::OF_ESTIMATES))
        .table(heuristic::table())
        .table(interval::table())
        .table(scheduler::table())
        .table(subset::table());
}

/// Independent tasks with shared files, on clusters around one origin.
#[derive(Clone, Copy, Debug)]
pub struct ParameterSweeps;

static DATA: SystemData = SystemData {
    components,
    required: &["platform", "application"],
    headline: &["makespan", "gap", "bytes.sent"],
    judged_by: &["tasks", "transfers", "loads"],
    how_to_draw: "for intervals, draw the application, what hosts and links have available, or the errors of estimates: `clustersim explain application`",
    tables: crate::tables::declared,
    words: || vec![words::of_tables()],
    figures: pictures::figures,
    schedule: Some(
        ScheduleColumns::of_jobs("task", &["profile", "workload_name"]).pictured(&[pictures::SCHEDULE]),
    ),
    file_kinds: &[&file_kind::Applications, &Platforms],
    ..SystemData::new("sweep", "a parameter sweep", keys::KEYS, &["application"], words::FAMILIES)
};

impl System for ParameterSweeps {
    fn data(&self) -> &'static SystemData {
        &DATA
    }

    fn metrics(&self, scenarios: &[&Scenario]) -> Vec<Metric> {
        let settings: Vec<&Settings> = scenarios.iter().filter_map(|scenario| scenario.own()).collect();
        all_metrics(&words::families_of(&settings))
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

    /// By its files alone.
    fn judge(&self, run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
        judge::judge(run)
    }

    fn pictures(&self, run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
        pictures::of_files(run)
    }
}
