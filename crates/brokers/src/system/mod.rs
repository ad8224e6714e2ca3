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

use crate::measure::own_warnings::OwnWarnings;
use crate::output::Pictures;
use crate::registry::{Complaint, Node, Params, Registry};
use crate::scenario::{
    Checked, Ready, Rejected, RunDirectory, Scenario, ScheduleColumns, StartedProgram, System, SystemData,
};
use crate::tables;
use crate::{agreement, curve, database, load, metrics, predictor, queue, scheduler};

use assembly::Settings;

/// Adds the components of global computing.
fn components(registry: &mut Registry) {
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

static DATA: SystemData = SystemData {
    components,
    required: &["platform", "client"],
    headline: &["response-time.mean", "deadline-failures", "cost", "throughput"],
    judged_by: &["tasks", "measurements", "forecasts", "packets", "regret"],
    how_to_draw: "for intervals, draw arrivals, sizes of tasks, or what others do: `clustersim list distributions`",
    warnings: OwnWarnings { of_runs: &[warnings::IDLE_SERVERS], ..OwnWarnings::NONE },
    tables: tables::declared,
    words: || vec![words::of_tables()],
    figures: pictures::figures,
    schedule: Some(ScheduleColumns::of_jobs("task", &["job_id", "workload_name"])),
    ..SystemData::new(
        "brokers",
        "global computing",
        keys::KEYS,
        &["client"],
        &[&metrics::FAMILIES, &agreement::FAMILIES],
    )
};

impl System for Brokers {
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

    fn programs(&self, registry: &Registry, scenario: &Scenario) -> Vec<StartedProgram> {
        foreign::started(&scenario.params(registry))
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
