//! Judging a finished run of agents by its files.

use crate::judge::{AgentFiles, judge_agents};
use crate::kernel::SimTime;
use crate::output::number::grouped;
use crate::platform::network::Transport;
use crate::registry::{Complaint, code};
use crate::scenario::{Checked, Rejected, RunDirectory};

pub(super) fn judge(run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
    let text = |name| run.has(name).then(|| run.text(name)).transpose();
    let (tasks, hosts) = (text("tasks.csv")?, text("hosts.csv")?);
    let (flows, operations) = (text("flows.csv")?, text("operations.csv")?);
    let summary = run.json("summary.json")?;
    let value = |metric: &str| &summary["metrics"][metric]["value"];
    let files = AgentFiles {
        tasks: tasks.as_deref(),
        hosts: hosts.as_deref(),
        flows: flows.as_deref(),
        operations: operations.as_deref(),
        makespan: value("makespan").as_f64(),
        computed: value("tasks.completed").as_u64(),
        until: run.scenario.until.map(SimTime::as_secs_f64),
        at_once: at_once(run).map_err(|complaint| run.reject(complaint))?,
    };
    let judged = judge_agents(&files).map_err(|why| {
        let message = format!("the run in {} cannot be checked: {why}", run.place.display());
        run.reject(Complaint::nowhere(code::MANIFEST, message))
    })?;
    let counted = |metric: &str| grouped(value(metric).as_u64().unwrap_or(0));
    let about = format!("{} tasks, {} transfers", counted("tasks.completed"), counted("transfers.completed"));
    let promises = judged.into_iter().map(|(promise, judged)| (promise.to_owned(), judged)).collect();
    Ok(Checked { about, promises })
}

/// Data that the network of the scenario sends of a flow before its cap slows it.
fn at_once(run: &RunDirectory<'_>) -> Result<f64, Complaint> {
    let params = run.scenario.params(run.registry);
    let network: Box<dyn Transport> = params.section("platform").component("network", "network")?;
    Ok(network.at_once())
}
