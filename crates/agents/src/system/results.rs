//! Results of a run of agents: figures, files, pictures and text.

use serde_json::{Map, Value as Json, json};

use crate::kernel::SimError;
use crate::output::{LaneSource, Pictures, RowSource, Shown, TableFormat};
use crate::registry::{Complaint, code};
use crate::scenario::{Figures, Results, Run, Scenario, Session};
use crate::system::assembly::{Assembly, Ended};
use crate::system::deploy::Settings;
use crate::system::{pictures, words};
use crate::tables::{AgentLanes, FlowRows, HostRows, OperationRows, ResourceLanes, TaskRows};

impl Run for Assembly {
    fn explain(&mut self, _: &str) -> Result<(), Complaint> {
        let message = "agents have no jobs whose waits could be explained";
        let complaint = Complaint::nowhere(code::JOB, message);
        Err(complaint.help("a host is explained by its name, and a link where only flows are given"))
    }

    fn explain_lane(&mut self, asked: &str) -> bool {
        let platform = self.world.platform();
        let is_host = platform.host_named(asked).is_some();
        let is_link = self.world.has_only_flows() && platform.link_named(asked).is_some();
        if is_host {
            self.world.record_operations();
        }
        is_host || is_link
    }

    fn run(self: Box<Self>, session: &Session) -> Result<Box<dyn Results>, SimError> {
        Ok(Box::new((*self).run(session)?))
    }
}

impl Results for Ended {
    fn figures(&self) -> &Figures {
        &self.figures
    }

    fn manifest(&self) -> Map<String, Json> {
        let outcomes = &self.outcomes;
        let platform = outcomes.platform();
        let own = json!({
            "platform": { "hosts": platform.hosts().len(), "links": platform.links().len() },
            "agents": outcomes.agents.len(),
            "counters": {
                "events": outcomes.events,
                "tasks.completed": outcomes.tasks,
                "transfers.completed": outcomes.transfers,
            },
        });
        match own {
            Json::Object(members) => members,
            _ => Map::new(),
        }
    }

    fn tables(&self, scenario: &Scenario) -> Vec<(Box<dyn RowSource + '_>, TableFormat)> {
        let Some(settings) = scenario.own::<Settings>() else { return Vec::new() };
        let outcomes = &self.outcomes;
        let mut tables: Vec<Box<dyn RowSource + '_>> = Vec::new();
        if settings.record_tasks {
            tables.extend([
                Box::new(TaskRows(outcomes)) as Box<dyn RowSource + '_>,
                Box::new(HostRows(outcomes)),
            ]);
        }
        if settings.flows {
            tables.push(Box::new(FlowRows(outcomes)));
        }
        if settings.record_operations {
            tables.push(Box::new(OperationRows::of(outcomes)));
        }
        tables.into_iter().map(|table| (table, TableFormat::Csv)).collect()
    }

    fn explained_lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        Some(Box::new(ResourceLanes(&self.outcomes)))
    }

    fn lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        Some(Box::new(AgentLanes(&self.outcomes)))
    }

    fn pictures(&self, _: &Scenario) -> Pictures<'_> {
        pictures::of_run(self)
    }

    fn shown(&self) -> Shown<'_> {
        words::on_the_terminal(&self.outcomes)
    }
}
