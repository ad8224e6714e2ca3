//! The page of a finished run once more: from its tables, its summary and the platform of its scenario, as far as they are there.

use crate::kernel::rng::Streams;
use crate::output::hash;
use crate::registry::reason;
use crate::report::platform::svg;
use crate::scenario::{Rejected, RunDirectory, platform};
use crate::system::agents::assembly::inputs;
use crate::system::agents::page::{FlowRow, HostRow, Shown, draw};
use crate::system::agents::timeline::Timeline;
use crate::text::csv::NamedRows;
use crate::units::seconds;

/// Draws the page.
pub(super) fn redraw(run: &RunDirectory<'_>) -> Result<Vec<u8>, Box<Rejected>> {
    let summary = run.json("summary.json")?;
    let mut missing = Vec::new();
    let mut lacks = |what: &str, why: &str| missing.push(format!("{what}: {why}"));
    let platform = picture(run).map_err(|why| lacks("the platform", &why)).ok();
    let tasks = table(run, "tasks.csv", completed)?;
    let by_host = table(run, "hosts.csv", hosts)?;
    let operations = table(run, "operations.csv", Timeline::of_csv)?;
    let flows = table(run, "flows.csv", flows)?.unwrap_or_default();
    let metric = |name: &str| summary["metrics"][name]["value"].as_u64().unwrap_or(0);
    let not_recorded = |file: &str, key: &str| format!("there is no {file} (record.{key})");
    if tasks.is_none() && metric("tasks.completed") > 0 {
        lacks("when tasks were computed", &not_recorded("tasks.csv", "tasks"));
    }
    if by_host.is_none() && metric("tasks.completed") > 0 {
        lacks("what each host did", &not_recorded("hosts.csv", "tasks"));
    }
    if operations.is_none() && metric("agents.begun") > 0 {
        lacks("what agents did when", &not_recorded("operations.csv", "operations"));
    }
    if metric("agents.failed") > 0 {
        lacks("which agents failed", "no file holds it");
    }
    missing.iter().for_each(|what| (run.note)(&format!("left out is {what}")));
    let of = |part: &str| run.manifest["platform"][part].as_u64().unwrap_or(0);
    let shown = Shown {
        hosts: of("hosts"),
        links: of("links"),
        agents: run.manifest["agents"].as_u64().unwrap_or(0),
        platform,
        completed: tasks.unwrap_or_default(),
        timeline: operations.unwrap_or_default().with_flows(&flows),
        by_host: by_host.unwrap_or_default(),
        flows,
        failures: (Vec::new(), 0),
        missing,
    };
    Ok(draw(&shown, &summary, &run.scenario.resolved()))
}

/// What one of the tables holds, if the run wrote it.
fn table<T>(
    run: &RunDirectory<'_>,
    name: &str,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, Box<Rejected>> {
    if !run.has(name) {
        return Ok(None);
    }
    read(&run.text(name)?).map(Some).map_err(|message| run.not_understood(name, "drawn", &message))
}

/// The picture of the platform, if it is what it was.
fn picture(run: &RunDirectory<'_>) -> Result<String, String> {
    let params = run.scenario.params(run.registry);
    for (place, (written, path)) in inputs(&params).into_iter().enumerate() {
        let sha256 =
            hash::of_file(&path).map_err(|error| format!("cannot read {written}: {}", reason(&error)))?;
        if run.manifest["identity"]["inputs"][place]["sha256"] != sha256 {
            return Err(format!("{written} is no longer what it was"));
        }
    }
    let streams = Streams::new(run.scenario.seed, run.scenario.replication);
    let described = platform::read(&params.section("platform"), &streams)
        .map_err(|complaints| complaints.first().map_or_else(String::new, |first| first.message.clone()))?;
    Ok(svg("", &described.platform))
}

/// When each task was computed.
fn completed(text: &str) -> Result<Vec<u64>, String> {
    let mut rows = NamedRows::of(text, &["end"])?;
    let mut ends = Vec::new();
    while let Some(row) = rows.next_row()? {
        ends.push(row.read("end", seconds)?);
    }
    Ok(ends)
}

fn hosts(text: &str) -> Result<Vec<HostRow>, String> {
    let mut rows = NamedRows::of(text, &["host", "cores", "busy", "utilization"])?;
    let mut hosts = Vec::new();
    while let Some(row) = rows.next_row()? {
        hosts.push(HostRow {
            host: row.text("host").into_owned(),
            cores: row.read("cores", |text| text.parse().ok())?,
            busy: row.read("busy", |text| text.parse().ok())?,
            share: row.read("utilization", |text| text.parse().ok())?,
        });
    }
    Ok(hosts)
}

fn flows(text: &str) -> Result<Vec<FlowRow>, String> {
    let mut rows = NamedRows::of(text, &["flow", "from", "to", "size", "start", "end", "state", "reason"])?;
    let mut flows = Vec::new();
    while let Some(row) = rows.next_row()? {
        let [flow, from, to, state, reason] =
            ["flow", "from", "to", "state", "reason"].map(|column| row.text(column).into_owned());
        flows.push(FlowRow {
            flow,
            from,
            to,
            size: row.read("size", |text| text.parse().ok())?,
            start: row.read("start", seconds)?,
            end: row.read_any("end", seconds)?,
            state,
            reason,
        });
    }
    Ok(flows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_and_what_is_wrong_with_them_is_said() {
        assert_eq!(completed("task,end\na,1.5\n\"b,c\",2\n"), Ok(vec![1_500_000_000, 2_000_000_000]));
        assert!(completed("task,end\na,soon\n").is_err_and(|why| why.contains("`end` of line 2")));
        let read = hosts("host,cores,work,busy,utilization\nh,2,1e9,0.1,0.05\n").expect("a host");
        assert_eq!((read[0].host.as_str(), read[0].cores), ("h", 2));
        let header = "flow,from,to,size,rate-cap,start,end,time,rate,state,reason";
        let read = flows(&format!("{header}\nx,a,b,10,,0,,,,unfinished,\n")).expect("a flow");
        assert_eq!((read[0].end, read[0].state.as_str()), (None, "unfinished"));
        assert!(flows("flow\n").is_err());
    }
}
