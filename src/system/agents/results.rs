//! What a run of agents hands over: figures, files, page and text.

use std::io;

use serde_json::{Map, Value as Json, json};

use crate::kernel::SimError;
use crate::scenario::{Figures, Files, Making, Results, Run, Scenario};
use crate::system::agents::assembly::{Assembly, Ended};
use crate::system::agents::deploy::Settings;
use crate::system::agents::{page, text};

impl Run for Assembly {
    fn run(self: Box<Self>, making: Making) -> Result<Box<dyn Results>, SimError> {
        let assembly = self.telling(making.verbosity);
        let assembly = match making.at_most {
            Some(resumptions) => assembly.at_most(resumptions),
            None => assembly,
        };
        Ok(Box::new(assembly.run()?))
    }
}

impl Results for Ended {
    fn figures(&self) -> Figures<'_> {
        Figures {
            metrics: &self.metrics,
            classes: &[],
            stable_classes: false,
            digest: self.outcomes.digest,
            events: self.outcomes.events,
            drew: self.drew,
            cut: None,
            half_widths: &[],
            saturated: false,
            unsettled: false,
            log: None,
            warnings: Vec::new(),
            notes: Vec::new(),
        }
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

    fn write(&self, scenario: &Scenario, _: &str, files: &mut dyn Files) -> io::Result<()> {
        let Some(settings) = scenario.own::<Settings>() else { return Ok(()) };
        let outcomes = &self.outcomes;
        if settings.record_tasks {
            files.file("tasks.csv", &mut |mut out| outcomes.write_tasks(&mut out))?;
            files.file("hosts.csv", &mut |mut out| outcomes.write_hosts(&mut out))?;
        }
        if settings.flows {
            files.file("flows.csv", &mut |mut out| outcomes.write_flows(&mut out))?;
        }
        if settings.record_operations {
            files.file("operations.csv", &mut |mut out| outcomes.write_operations(&mut out))?;
        }
        if scenario.record_trace {
            files.file("trace.pftrace", &mut |mut out| outcomes.write_trace(&mut out))?;
        }
        Ok(())
    }

    fn page(&self, scenario: &Scenario, summary: &Json) -> Vec<u8> {
        page::draw(self, summary, &scenario.resolved())
    }

    fn text(&self, scenario: &Scenario, width: Option<usize>) -> String {
        text::text(scenario, self, width)
    }
}
