//! Agents that communicate, and given flows, on a platform of hosts and links.

mod assembly;
mod deploy;
mod deployment;
mod file_kind;
mod flows;
mod judge;
mod keys;
mod manual;
mod memory;
mod pictures;
mod results;
mod words;

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use crate::agent::{self, Outcomes, flow_metrics};
use crate::measure::family::Family;
use crate::measure::metric::Metric;
use crate::output::{Figure, Pictures, Table};
use crate::registry::definition::Words;
use crate::registry::{Complaint, Key, Node, Params, Registry, Tree};
use crate::scenario::manual::ManualParts;
use crate::scenario::{Checked, FileKind, Ready, Rejected, RunDirectory, Scenario, System};

pub use assembly::{Assembly, Ended};
pub use deploy::Settings;

use flows::FLOWS;

/// Agents and flows on a platform.
#[derive(Clone, Copy, Debug)]
pub struct Agents;

impl Agents {
    fn metrics_of(has_flows: bool) -> Vec<Metric> {
        let mut metrics = Outcomes::metrics_of_nothing();
        if has_flows {
            metrics.extend(flow_metrics(&[]));
        }
        metrics.extend(assembly::steady_state_metrics(&[], None));
        metrics
    }
}

impl System for Agents {
    fn name(&self) -> &'static str {
        "agents"
    }

    fn about(&self) -> &'static str {
        "agents on a platform"
    }

    fn keys(&self) -> &'static [Key] {
        keys::KEYS
    }

    fn claims(&self) -> &'static [&'static str] {
        &["agent", "deployment", "flows"]
    }

    fn required(&self) -> &'static [&'static str] {
        &["platform"]
    }

    fn families(&self) -> &'static [&'static [Family]] {
        &[&agent::FAMILIES, &agent::FLOW_FAMILIES, &assembly::FAMILIES]
    }

    /// Headline metrics of given flows, or those of agents.
    fn headline(&self, scenarios: &[&Scenario]) -> &'static [&'static str] {
        if scenarios.iter().filter_map(|scenario| scenario.own::<Settings>()).any(|settings| settings.flows) {
            return &["flow-time.mean", "flow-time.max", "makespan", "host-utilization.mean"];
        }
        &["steady-state.share", "throughput", "host-utilization.mean", "makespan"]
    }

    fn judged_by(&self, _: &Tree) -> &'static [&'static str] {
        &["tasks", "operations"]
    }

    fn tables(&self) -> Vec<Table> {
        agent::tables::declared()
    }

    fn manual(&self) -> ManualParts {
        ManualParts { chapters: manual::chapter(), ..ManualParts::default() }
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

    fn bounded(&self, root: &Node) -> Vec<Metric> {
        Agents::metrics_of(root.at(FLOWS.name).is_some())
    }

    fn metrics(&self, scenarios: &[&Scenario]) -> Vec<Metric> {
        let mut settings = scenarios.iter().filter_map(|scenario| scenario.own::<Settings>());
        Agents::metrics_of(settings.any(|settings| settings.flows))
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
        assembly::assemble(registry, scenario, *settings)
    }

    /// By its files alone.
    fn judge(&self, run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
        judge::judge(run)
    }

    fn how_to_draw(&self, _: &Registry, _: &Scenario) -> Result<&'static str, Box<Rejected>> {
        Ok("for intervals, draw the platform: [platform] perturb or random, `clustersim explain platform`")
    }

    fn file_kinds(&self) -> &'static [&'static dyn FileKind] {
        &[&file_kind::Platforms]
    }

    fn figures(&self) -> Vec<Figure> {
        pictures::figures()
    }

    fn pictures(&self, run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
        pictures::of_files(run)
    }
}
