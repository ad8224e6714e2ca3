//! What agents and flows did when, as the lanes of a page: a lane an agent, named with its host, and a lane a flow.
//!
//! From the outcomes of a run, or from `operations.csv` and `flows.csv`; both give the same lanes and spans. What did not come to a
//! good end says so in its name.

use std::io;

use crate::agent::Outcomes;
use crate::kernel::SimTime;
use crate::output::{LaneSink, LaneSource, Lanes, NamedSpan, push_spans};
use crate::system::agents::page::FlowRow;
use crate::text::csv::NamedRows;
use crate::units::seconds;

/// The lanes of agents and flows, with their spans.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    lanes: Vec<String>,
    spans: Vec<Line>,
}

/// A span.
#[derive(Debug)]
struct Line {
    lane: u32,
    name: String,
    start: SimTime,
    end: SimTime,
}

/// What an agent did.
struct Recorded<'a> {
    operation: &'a str,
    task: &'a str,
    outcome: &'a str,
    agent: u32,
    name: &'a str,
    host: &'a str,
    start: SimTime,
    end: SimTime,
}

impl Timeline {
    /// That of a run.
    pub(super) fn of_run(outcomes: &Outcomes) -> Self {
        let mut timeline = Timeline::default();
        for (task, entry) in outcomes.records.iter() {
            timeline.add(&Recorded {
                operation: entry.operation.name(),
                task,
                outcome: entry.outcome.name(),
                agent: entry.agent.index() as u32,
                name: outcomes.agents.get(entry.agent.index()).map_or("", String::as_str),
                host: outcomes
                    .platform()
                    .hosts()
                    .get(entry.host.index())
                    .map_or("", |host| host.name.as_str()),
                start: entry.start,
                end: entry.end,
            });
        }
        timeline
    }

    /// That of an `operations.csv`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub(super) fn of_csv(text: &str) -> Result<Self, String> {
        let columns = ["operation", "agent", "name", "host", "task", "start", "end", "outcome"];
        let mut rows = NamedRows::of(text, &columns)?;
        let mut timeline = Timeline::default();
        while let Some(row) = rows.next_row()? {
            let at = |column| row.read(column, seconds).map(SimTime::from_nanos);
            timeline.add(&Recorded {
                operation: &row.text("operation"),
                task: &row.text("task"),
                outcome: &row.text("outcome"),
                // agents are numbered from 0 without gaps; a number beyond this is no agent
                agent: row.read("agent", |text| text.parse().ok().filter(|number| *number < 1 << 24))?,
                name: &row.text("name"),
                host: &row.text("host"),
                start: at("start")?,
                end: at("end")?,
            });
        }
        Ok(timeline)
    }

    fn add(&mut self, operation: &Recorded<'_>) {
        let place = operation.agent as usize;
        if self.lanes.len() <= place {
            self.lanes.resize(place + 1, String::new());
        }
        if self.lanes[place].is_empty() {
            self.lanes[place] = format!("{} {} on {}", operation.name, operation.agent, operation.host);
        }
        let name = match operation.outcome {
            "done" => format!("{} {}", operation.operation, operation.task),
            outcome => format!("{} {} ({outcome})", operation.operation, operation.task),
        };
        self.spans.push(Line { lane: operation.agent, name, start: operation.start, end: operation.end });
    }

    /// Adds a lane for each flow, below the agents.
    pub(super) fn with_flows(mut self, flows: &[FlowRow]) -> Self {
        let known = self.spans.iter().map(|span| span.end.as_nanos());
        let last = known.chain(flows.iter().map(|flow| flow.end.unwrap_or(flow.start))).max().unwrap_or(0);
        for flow in flows {
            let name = match flow.state.as_str() {
                "completed" => flow.flow.clone(),
                state => format!("{} ({state})", flow.flow),
            };
            let [start, end] = [flow.start, flow.end.unwrap_or(last)].map(SimTime::from_nanos);
            self.spans.push(Line { lane: self.lanes.len() as u32, name, start, end });
            self.lanes.push(format!("flow {}", flow.flow));
        }
        self
    }
}

impl LaneSource for Timeline {
    fn lanes(&self) -> Lanes {
        Lanes { title: "agents and flows", number: 1, counters: &[] }
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let spans = self.spans.iter().map(|Line { lane, name, start, end }| NamedSpan {
            lane: *lane,
            name,
            start: *start,
            end: *end,
        });
        let spans: Vec<NamedSpan<'_>> = spans.collect();
        push_spans(&self.lanes, &spans, sink)
    }
}

#[cfg(test)]
mod tests {
    use crate::report::html::lanes::lanes;

    use super::*;

    #[test]
    fn operations_and_flows_have_lanes_and_say_how_they_ended() {
        let text = "operation,agent,name,host,task,amount,start,end,outcome\n\
                    execute,1,worker,h-2,t-1,5,0,2,done\nexecute,1,worker,h-2,t-2,5,2,3.5,left\n";
        let flow = |flow: &str, end, state: &str| FlowRow {
            flow: flow.to_owned(),
            start: 1_000_000_000,
            end,
            state: state.to_owned(),
            ..FlowRow::default()
        };
        let flows = [flow("a", Some(9_000_000_000), "completed"), flow("b", None, "unfinished")];
        let drawn = lanes(&Timeline::of_csv(text).expect("spans").with_flows(&flows));
        let names: Vec<&str> =
            drawn["lanes"].as_array().expect("lanes").iter().filter_map(|run| run[0].as_str()).collect();
        assert_eq!(names, ["worker \u{1} on h-\u{1}", "flow a", "flow b"]);
        let mut stems: Vec<&str> =
            drawn["stems"].as_array().expect("stems").iter().filter_map(|stem| stem.as_str()).collect();
        stems.sort_unstable();
        assert_eq!(stems, ["a", "b (unfinished)", "execute t-\u{1}", "execute t-\u{1} (left)"]);
        assert_eq!((&drawn["spans"], drawn["to"].as_f64()), (&serde_json::json!(4), Some(9.0)));
        assert!(Timeline::of_csv("operation,agent\n").is_err());
    }
}
