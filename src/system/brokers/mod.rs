//! Global computing: clients call servers over networks of queues, as a scheduling unit says.

mod assembly;
mod clients;
mod explanation;
mod foreign;
mod judge;
mod keys;
mod lanes;
mod named;
mod network;
mod pictures;
mod results;
mod run_on;
mod servers;
mod warnings;
mod words;

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use crate::broker::tables;
use crate::broker::{agreement, curve, database, load, metrics, predictor, queue, scheduler};
use crate::measure::family::Family;
use crate::measure::own_warnings::OwnWarnings;
use crate::output::{Figure, Pictures, Table};
use crate::registry::definition::Words;
use crate::registry::{Complaint, Key, Node, Params, Registry, Tree};
use crate::scenario::{
    Checked, Ready, Rejected, RunDirectory, Scenario, ScheduleColumns, StartedProgram, System,
};

use assembly::Settings;

/// Adds the components of global computing.
pub(crate) fn register_components(registry: &mut Registry) {
    registry
        .table(curve::table())
        .table(database::table())
        .table(load::table())
        .table(predictor::table())
        .table(queue::table())
        .table(scheduler::table());
}

/// Clients, servers, queues between them, and a scheduling unit.
#[derive(Clone, Copy, Debug)]
pub struct Brokers;

impl System for Brokers {
    fn name(&self) -> &'static str {
        "brokers"
    }

    fn about(&self) -> &'static str {
        "global computing"
    }

    fn keys(&self) -> &'static [Key] {
        keys::KEYS
    }

    fn claims(&self) -> &'static [&'static str] {
        &["client"]
    }

    fn required(&self) -> &'static [&'static str] {
        &["platform", "client"]
    }

    fn families(&self) -> &'static [&'static [Family]] {
        &[&metrics::FAMILIES, &agreement::FAMILIES]
    }

    fn warnings(&self) -> OwnWarnings {
        OwnWarnings { of_runs: &[warnings::IDLE_SERVERS], ..OwnWarnings::NONE }
    }

    fn headline(&self, _: &[&Scenario]) -> &'static [&'static str] {
        &["response-time.mean", "deadline-failures", "cost", "throughput"]
    }

    fn judged_by(&self, _: &Tree) -> &'static [&'static str] {
        &["tasks", "measurements", "forecasts", "packets", "regret"]
    }

    fn tables(&self) -> Vec<Table> {
        tables::declared()
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

    fn programs(&self, registry: &Registry, scenario: &Scenario) -> Vec<StartedProgram> {
        foreign::started(&scenario.params(registry))
    }

    fn assemble(&self, registry: &Registry, scenario: &Scenario) -> Result<Ready, Box<Rejected>> {
        let settings = scenario.own::<Settings>().expect("what the system read of its scenario");
        assembly::assemble(registry, scenario, settings)
    }

    fn schedule(&self) -> Option<ScheduleColumns> {
        Some(ScheduleColumns {
            file: "jobs.csv",
            what: "task",
            key: &["job_id", "workload_name"],
            start: "starting_time",
            end: "finish_time",
            lanes: "allocated_resources",
            reason: "reason",
        })
    }

    fn how_to_draw(&self, _: &Registry, _: &Scenario) -> Result<&'static str, Box<Rejected>> {
        Ok("for intervals, draw arrivals, sizes of tasks, or what others do: `clustersim list distributions`")
    }

    fn judge(&self, run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
        judge::judge(run)
    }

    fn figures(&self) -> Vec<Figure> {
        pictures::figures()
    }

    fn pictures(&self, run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
        pictures::of_files(run)
    }
}
