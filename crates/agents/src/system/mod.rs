//! Agents that communicate, and given flows, on a platform of hosts and links.

mod assembly;
mod deploy;
mod deployment;
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

use crate::measure::family::Family;
use crate::measure::metric::Metric;
use crate::output::Pictures;
use crate::platform::file_kind::Platforms;
use crate::registry::{Complaint, Node, Params, Registry};
use crate::scenario::manual::Block;
use crate::scenario::{Checked, Ready, Rejected, RunDirectory, Scenario, System, SystemData};
use crate::{Outcomes, flow_metrics};

pub use assembly::{Assembly, Ended};
pub use deploy::Settings;

use flows::FLOWS;

/// Adds the components of agents.
fn components(registry: &mut Registry) {
    registry.table(crate::role::table()).table(crate::role::strategy::table());
}

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

static DATA: SystemData = SystemData {
    components,
    required: &["platform"],
    judged_by: &["tasks", "operations"],
    how_to_draw: "for intervals, draw the platform: [platform] perturb or random, `clustersim explain platform`",
    tables: crate::tables::declared,
    words: || vec![words::of_tables()],
    figures: pictures::figures,
    file_kinds: &[&Platforms],
    ..SystemData::new(
        "agents",
        "agents on a platform",
        keys::KEYS,
        &["agent", "deployment", "flows"],
        FAMILIES,
    )
};

const FAMILIES: &[&[Family]] = &[&crate::FAMILIES, &crate::FLOW_FAMILIES, &assembly::FAMILIES];

impl System for Agents {
    fn data(&self) -> &'static SystemData {
        &DATA
    }

    /// Headline metrics of given flows, or those of agents.
    fn headline(&self, scenarios: &[&Scenario]) -> &'static [&'static str] {
        if scenarios.iter().filter_map(|scenario| scenario.own::<Settings>()).any(|settings| settings.flows) {
            return &["flow-time.mean", "flow-time.max", "makespan", "host-utilization.mean"];
        }
        &["steady-state.share", "throughput", "host-utilization.mean", "makespan"]
    }

    fn manual(&self) -> Vec<Block> {
        manual::sections()
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

    fn pictures(&self, run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
        pictures::of_files(run)
    }
}
