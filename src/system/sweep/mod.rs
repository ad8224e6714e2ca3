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

use crate::measure::family::Family;
use crate::measure::metric::Metric;
use crate::output::{Figure, Pictures, Table};
use crate::registry::definition::Words;
use crate::registry::{Complaint, Key, Node, Params, Registry, Tree};
use crate::scenario::{
    Checked, FileKind, Ready, Rejected, RunDirectory, Scenario, ScheduleColumns, System, all_metrics,
};
use crate::sweep::scheduler::kind as scheduler;
use crate::sweep::{self, estimate, heuristic, interval, plan::subset, source};

use assembly::Settings;

/// Adds the components of parameter sweeps.
pub(crate) fn register_components(registry: &mut Registry) {
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

impl System for ParameterSweeps {
    fn name(&self) -> &'static str {
        "sweep"
    }

    fn about(&self) -> &'static str {
        "a parameter sweep"
    }

    fn keys(&self) -> &'static [Key] {
        keys::KEYS
    }

    fn claims(&self) -> &'static [&'static str] {
        &["application"]
    }

    fn required(&self) -> &'static [&'static str] {
        &["platform", "application"]
    }

    fn families(&self) -> &'static [&'static [Family]] {
        words::FAMILIES
    }

    fn metrics(&self, scenarios: &[&Scenario]) -> Vec<Metric> {
        let settings: Vec<&Settings> = scenarios.iter().filter_map(|scenario| scenario.own()).collect();
        all_metrics(&words::families_of(&settings))
    }

    fn headline(&self, _: &[&Scenario]) -> &'static [&'static str] {
        &["makespan", "gap", "bytes.sent"]
    }

    fn judged_by(&self, _: &Tree) -> &'static [&'static str] {
        &["tasks", "transfers", "loads"]
    }

    fn tables(&self) -> Vec<Table> {
        sweep::tables::declared()
    }

    fn words(&self) -> Vec<Words> {
        vec![words::of_tables()]
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

    fn schedule(&self) -> Option<ScheduleColumns> {
        Some(ScheduleColumns {
            file: "jobs.csv",
            what: "task",
            key: &["profile", "workload_name"],
            start: "starting_time",
            end: "finish_time",
            lanes: "allocated_resources",
            reason: "reason",
        })
    }

    /// By its files alone.
    fn judge(&self, run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
        judge::judge(run)
    }

    fn how_to_draw(&self, _: &Registry, _: &Scenario) -> Result<&'static str, Box<Rejected>> {
        Ok(
            "for intervals, draw the application, what hosts and links have available, or the errors of estimates: `clustersim explain application`",
        )
    }

    fn file_kinds(&self) -> &'static [&'static dyn FileKind] {
        &[&file_kind::Applications]
    }

    fn figures(&self) -> Vec<Figure> {
        pictures::figures()
    }

    fn pictures(&self, run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
        pictures::of_files(run)
    }
}
