//! The files of a run: the tasks that were computed, what hosts did, every operation, and the timeline.
//!
//! - `tasks.csv`: `task,host,agent,name,end`, in the order of ending: the x-th row tells when the x-th task was computed.
//! - `hosts.csv`: `host,cores,work,busy,utilization`, in the order of the platform: work done in the unit of speeds, seconds of cores
//!   in use, and their share of cores × makespan.
//! - `operations.csv`: as at [`Records::write`](super::Records::write).
//! - `trace.pftrace`: a line an agent, with what it put, got and computed; transfers are on the line of whoever sent.
//!
//! Times in seconds, with all nanoseconds.

use std::io::{self, Write};

use crate::instrument::sink::{Lane, write_lanes};

use super::Outcomes;
use super::record::{field, seconds};

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
        let lines: Vec<String> =
            self.agents.iter().enumerate().map(|(number, name)| format!("{name} {number}")).collect();
        let named: Vec<(String, _)> = self
            .records
            .iter()
            .map(|(task, entry)| (format!("{} {task}", entry.operation.name()), entry))
            .collect();
        let spans: Vec<Lane<'_>> = named
            .iter()
            .map(|(name, entry)| Lane {
                line: entry.agent.index() as u32,
                name,
                start: entry.start,
                end: entry.end,
            })
            .collect();
        write_lanes("agents", &lines, &spans, out)
    }
}
