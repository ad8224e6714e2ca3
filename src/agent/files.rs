//! The files of a run: the tasks that were computed, what hosts did, every operation, and the timeline.
//!
//! - `tasks.csv`: `task,host,agent,name,end`, in the order of ending: the x-th row tells when the x-th task was computed.
//! - `hosts.csv`: `host,cores,work,busy,utilization`, in the order of the platform: work done in the unit of speeds, seconds of cores
//!   in use, and their share of cores × makespan.
//! - `flows.csv`: `flow,from,to,size,rate-cap,start,end,time,rate,state,reason`, a row for each given flow in the order of the list:
//!   `time` from start to end, `rate` is size over time, and both are empty where the flow did not complete; `reason` is why it failed.
//! - `operations.csv`: as at [`Records::write`](super::Records::write).
//! - `trace.pftrace`: a line an agent, with what it put, got and computed; transfers are on the line of whoever sent. A line for each
//!   given flow that has ended.
//!
//! Times in seconds, with all nanoseconds.

use std::io::{self, Write};

use crate::instrument::sink::{Lane, write_lanes};
use crate::kernel::SimTime;

use super::record::{field, seconds};
use super::{FlowOutcome, FlowState, Outcomes};

impl Outcomes {
    /// Writes `tasks.csv`.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_tasks(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"task,host,agent,name,end\n")?;
        for done in &self.completed {
            let name = self.agents.get(done.agent.index()).map_or("", String::as_str);
            let host = &self.platform().host(done.host).name;
            let (task, host, name) = (field(&done.task), field(host), field(name));
            writeln!(out, "{task},{host},{},{name},{}", done.agent.index(), seconds(done.at))?;
        }
        Ok(())
    }

    /// Writes `hosts.csv`.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_hosts(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"host,cores,work,busy,utilization\n")?;
        let makespan = self.makespan.as_secs_f64();
        for (host, (work, busy)) in self.platform().hosts().iter().zip(&self.computed) {
            let whole = f64::from(host.cores) * makespan;
            let share = if whole > 0.0 { busy / whole } else { 0.0 };
            writeln!(out, "{},{},{work},{busy},{share}", field(&host.name), host.cores)?;
        }
        Ok(())
    }

    /// Writes `flows.csv`.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_flows(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"flow,from,to,size,rate-cap,start,end,time,rate,state,reason\n")?;
        for FlowOutcome { flow, end, state } in &self.flows {
            let [from, to] = [flow.from, flow.to].map(|host| self.platform().host(host).name.as_str());
            let rate_cap = flow.rate_cap.map(|rate| rate.to_string()).unwrap_or_default();
            write!(out, "{},{},{},{},{rate_cap},", field(&flow.name), field(from), field(to), flow.size)?;
            write!(out, "{},{},", seconds(flow.start), end.map(seconds).unwrap_or_default())?;
            let (time, rate) = match (state, end) {
                (FlowState::Completed, Some(end)) => {
                    let time = end.since(flow.start);
                    let secs = time.as_secs_f64();
                    let rate = if secs > 0.0 { (flow.size / secs).to_string() } else { String::new() };
                    (seconds(SimTime::ZERO + time), rate)
                }
                _ => (String::new(), String::new()),
            };
            let reason = if let FlowState::Failed(reason) = state { reason.as_str() } else { "" };
            writeln!(out, "{time},{rate},{},{}", state.name(), field(reason))?;
        }
        Ok(())
    }

    /// Writes `operations.csv`.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_operations(&self, out: &mut impl Write) -> io::Result<()> {
        self.records.write(self.platform(), &self.agents, out)
    }

    /// Writes `trace.pftrace`.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write_trace(&self, out: &mut impl Write) -> io::Result<()> {
        let mut lines: Vec<String> =
            self.agents.iter().enumerate().map(|(number, name)| format!("{name} {number}")).collect();
        let named: Vec<(String, _)> = self
            .records
            .iter()
            .map(|(task, entry)| (format!("{} {task}", entry.operation.name()), entry))
            .collect();
        let mut spans: Vec<Lane<'_>> = named
            .iter()
            .map(|(name, entry)| Lane {
                line: entry.agent.index() as u32,
                name,
                start: entry.start,
                end: entry.end,
            })
            .collect();
        for FlowOutcome { flow, end, .. } in &self.flows {
            let Some(end) = *end else { continue };
            spans.push(Lane { line: lines.len() as u32, name: &flow.name, start: flow.start, end });
            lines.push(format!("flow {}", flow.name));
        }
        write_lanes("agents", &lines, &spans, out)
    }
}
