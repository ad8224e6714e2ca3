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

use crate::dag;
use crate::measure::family::Family;
use crate::measure::own_warnings::OwnWarnings;
use crate::output::{Figure, Pictures, Table};
use crate::registry::definition::Words;
use crate::registry::{Complaint, Key, Node, Params, Registry, Tree};
use crate::scenario::{Checked, FileKind, Ready, Rejected, RunDirectory, Scenario, ScheduleColumns, System};
use crate::workflow::{applications, efficiencies};

use assembly::Settings;

/// Adds the components of task graphs.
pub(crate) fn register_components(registry: &mut Registry) {
    registry
        .table(applications().shared(keys::OF_APPLICATIONS))
        .table(efficiencies())
        .table(crate::forecast::table())
        .table(dag::predictions::table())
        .table(schedulers::schedulers());
}

/// Task graphs on hosts and links.
#[derive(Clone, Copy, Debug)]
pub struct TaskGraphs;

impl System for TaskGraphs {
    fn name(&self) -> &'static str {
        "dag"
    }

    fn about(&self) -> &'static str {
        "task graphs on a platform"
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
        &[&dag::FAMILIES]
    }

    fn warnings(&self) -> OwnWarnings {
        OwnWarnings { of_runs: &[warnings::NO_PROGRESS], ..OwnWarnings::NONE }
    }

    fn headline(&self, _: &[&Scenario]) -> &'static [&'static str] {
        &["makespan", "gap", "schedule-length-ratio"]
    }

    fn judged_by(&self, _: &Tree) -> &'static [&'static str] {
        &["tasks", "transfers", "loads"]
    }

    fn tables(&self) -> Vec<Table> {
        dag::tables::declared()
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

    fn judge(&self, run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
        judge::judge(run)
    }

    fn how_to_draw(&self, _: &Registry, _: &Scenario) -> Result<&'static str, Box<Rejected>> {
        Ok(
            "for intervals, draw the graph, the platform's loads or the errors of predictions: `clustersim explain application`",
        )
    }

    fn file_kinds(&self) -> &'static [&'static dyn FileKind] {
        &[&file_kind::Graphs]
    }

    fn figures(&self) -> Vec<Figure> {
        pictures::figures()
    }

    fn pictures(&self, run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
        pictures::of_files(run)
    }
}
