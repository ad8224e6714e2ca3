//! `run` for a scenario of agents: what is written and printed after.

use std::io;

use serde_json::{Map, Value as Json, json};

use crate::cli::args::Output;
use crate::cli::failure::Failure;
use crate::cli::output::terminal_width;
use crate::cli::over::Over;
use crate::cli::verbose;
use crate::report::agents_table;
use crate::report::directory::Partial;
use crate::report::html::draw_agents;
use crate::report::manifest::Identity;
use crate::scenario::{AgentsEnded, Assembly, Figures, Scenario};

/// A run of agents that is over.
struct Ended(AgentsEnded);

/// Runs it, and tells what is asked for.
pub(super) fn simulate(assembly: Assembly, output: &Output) -> Result<Box<dyn Over>, Failure> {
    let assembly = assembly.telling(verbose::of_agents(output));
    Ok(Box::new(Ended(assembly.run()?)))
}

impl Over for Ended {
    fn figures(&self) -> Figures<'_> {
        self.0.figures()
    }

    fn manifest(&self) -> Map<String, Json> {
        let outcomes = &self.0.outcomes;
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

    fn write(&self, scenario: &Scenario, _: &Identity, partial: &mut Partial) -> io::Result<()> {
        let Some(agents) = scenario.agents() else { return Ok(()) };
        if agents.record_tasks {
            partial.write_tasks(&self.0.outcomes)?;
        }
        if agents.flows {
            partial.write_flows(&self.0.outcomes)?;
        }
        if agents.record_operations {
            partial.write_operations(&self.0.outcomes)?;
        }
        if scenario.record_trace {
            partial.write_agents_trace(&self.0.outcomes)?;
        }
        Ok(())
    }

    fn report(&self, scenario: &Scenario, summary: &Json) -> Vec<u8> {
        draw_agents(&self.0, summary, &scenario.resolved())
    }

    fn text(&self, scenario: &Scenario) -> String {
        agents_table::text(scenario, &self.0, terminal_width())
    }
}
