//! The tables of a run of task graphs. A cell that cannot be read is an error with its file, line and column.

use crate::kernel::SimTime;

use super::graph::{Edge, TaskGraph};
use super::loads::Loads;
use super::rows::{each_row, instant};
use super::{PlanFiles, PlatformFacts, Violation};

/// A row of `tasks.csv`.
#[derive(Debug)]
pub(super) struct TaskRow {
    /// Nothing if it has none, or one that does not exist.
    pub(super) host: Option<usize>,
    /// Its place among the cores of the host, from 0.
    pub(super) core: Option<u32>,
    pub(super) planned: Option<(SimTime, SimTime)>,
    pub(super) ready: Option<SimTime>,
    pub(super) start: Option<SimTime>,
    pub(super) end: Option<SimTime>,
    pub(super) predicted: Option<SimTime>,
    pub(super) attempts: u64,
}

/// A row of `transfers.csv`.
#[derive(Debug)]
pub(super) struct TransferRow {
    pub(super) name: String,
    /// The place of its edge, if the graph has it.
    pub(super) edge: Option<usize>,
    /// Both hosts, if they exist.
    pub(super) ends: Option<(usize, usize)>,
    pub(super) bytes: u64,
    pub(super) ready: Option<SimTime>,
    pub(super) start: Option<SimTime>,
    pub(super) end: Option<SimTime>,
}

/// A row of `plans.csv`.
#[derive(Debug)]
pub(super) struct PlanRow {
    pub(super) at: SimTime,
    /// Whether it was made because a host failed or was repaired.
    pub(super) by_failure: bool,
    pub(super) tasks: u64,
    pub(super) moved: u64,
    pub(super) end: SimTime,
}

/// A row of `hosts.csv`.
#[derive(Debug)]
pub(super) struct HostRow {
    pub(super) name: String,
    pub(super) host: Option<usize>,
    pub(super) cores: u64,
    pub(super) tasks: u64,
    pub(super) busy: f64,
    pub(super) utilization: f64,
}

/// What a run left.
pub(super) struct Run<'a> {
    pub(super) files: PlanFiles<'a>,
    pub(super) platform: &'a dyn PlatformFacts,
    pub(super) graph: TaskGraph,
    /// By task of the graph.
    pub(super) tasks: Vec<Option<TaskRow>>,
    /// Rows of tasks that the graph does not have, or that have one already.
    pub(super) strays: Vec<Violation>,
    /// Tasks on hosts that do not exist.
    pub(super) nowhere: Vec<Violation>,
    pub(super) transfers: Option<Vec<TransferRow>>,
    pub(super) plans: Option<Vec<PlanRow>>,
    pub(super) hosts: Option<Vec<HostRow>>,
    pub(super) loads: Option<Loads>,
}

impl<'a> Run<'a> {
    /// Reads all files.
    ///
    /// # Errors
    /// What is wrong with the first that cannot be read, and where.
    pub(super) fn read(
        files: &PlanFiles<'a>,
        tasks: &str,
        graph: &str,
        platform: &'a dyn PlatformFacts,
    ) -> Result<Self, String> {
        let graph = TaskGraph::read(graph, platform)?;
        let mut run = Run {
            files: *files,
            platform,
            tasks: graph.names.iter().map(|_| None).collect(),
            graph,
            strays: Vec::new(),
            nowhere: Vec::new(),
            transfers: None,
            plans: None,
            hosts: None,
            loads: None,
        };
        run.read_tasks(tasks)?;
        run.transfers = files.transfers.map(|text| run.read_transfers(text)).transpose()?;
        run.plans = files.plans.map(read_plans).transpose()?;
        run.hosts = files.hosts.map(|text| read_hosts(text, platform)).transpose()?;
        run.loads = files.loads.map(|text| Loads::read(text, platform)).transpose()?;
        Ok(run)
    }

    fn read_tasks(&mut self, text: &str) -> Result<(), String> {
        let names = [
            "application",
            "task",
            "host",
            "core",
            "planned-start",
            "planned-end",
            "ready",
            "start",
            "end",
            "predicted",
            "attempts",
        ];
        each_row("tasks.csv", text, names, |row| {
            let (name, host) = (row.joined(0, 1), row.cells[2].text());
            let found = TaskRow {
                host: self.platform.host(&host),
                core: row.any(3, "core", |text| text.parse().ok())?,
                planned: row.time(4)?.zip(row.time(5)?),
                ready: row.time(6)?,
                start: row.time(7)?,
                end: row.time(8)?,
                predicted: row.time(9)?,
                attempts: row.count(10)?,
            };
            let at = found.start.unwrap_or_default();
            let open = self.graph.task_named(&name).map(|task| &mut self.tasks[task as usize]);
            if let Some(open @ None) = open {
                if found.host.is_none() && !host.is_empty() {
                    let what = format!("task `{name}` is on host {host}, which does not exist");
                    self.nowhere.push(Violation::of_no_job(at, what));
                }
                *open = Some(found);
            } else {
                let what = if open.is_some() { "has another row" } else { "is not in the graph" };
                self.strays.push(Violation::of_no_job(at, format!("task `{name}` {what}")));
            }
            Ok(())
        })
    }

    fn read_transfers(&mut self, text: &str) -> Result<Vec<TransferRow>, String> {
        let names =
            ["application", "from-task", "to-task", "from-host", "to-host", "bytes", "ready", "start", "end"];
        let mut rows = Vec::new();
        each_row("transfers.csv", text, names, |row| {
            let (parent, child) = (row.joined(0, 1), row.joined(0, 2));
            let tasks = self.graph.task_named(&parent).zip(self.graph.task_named(&child));
            let [from, to] = [3, 4].map(|column| self.platform.host(&row.cells[column].text()));
            rows.push(TransferRow {
                edge: tasks.and_then(|(from, to)| self.graph.edge_between(from, to)),
                name: format!("the transfer from `{parent}` to `{child}`"),
                ends: from.zip(to),
                bytes: row.count(5)?,
                ready: row.time(6)?,
                start: row.time(7)?,
                end: row.time(8)?,
            });
            Ok(())
        })?;
        Ok(rows)
    }

    pub(super) fn row(&self, task: u32) -> Option<&TaskRow> {
        self.tasks[task as usize].as_ref()
    }

    /// Every task that has a row.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u32, &TaskRow)> {
        (0..).zip(&self.tasks).filter_map(|(task, row)| Some((task, row.as_ref()?)))
    }

    /// Every edge between tasks that have rows: edge, parent, child. The parent is nothing if not all its attempts are in the files.
    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, Edge, Option<&TaskRow>, &TaskRow)> {
        (0..).zip(&self.graph.edges).filter_map(|(number, edge)| {
            let (parent, child) = (self.row(edge.from)?, self.row(edge.to)?);
            Some((number, *edge, Some(parent).filter(|parent| parent.attempts <= 1), child))
        })
    }

    /// Whether no more than one plan was made, as far as is known.
    pub(super) fn has_one_plan(&self) -> bool {
        self.plans.as_ref().is_some_and(|plans| plans.len() <= 1)
    }

    /// What a task is called.
    pub(super) fn name(&self, task: u32) -> &str {
        &self.graph.names[task as usize]
    }

    /// That something happened to a task.
    pub(super) fn of_task(&self, task: u32, at: SimTime, what: &str) -> Violation {
        Violation::of_no_job(at, format!("task `{}` {what}", self.name(task)))
    }
}

fn read_hosts(text: &str, platform: &dyn PlatformFacts) -> Result<Vec<HostRow>, String> {
    let mut rows = Vec::new();
    each_row("hosts.csv", text, ["host", "cores", "tasks", "busy", "utilization"], |row| {
        let name = row.cells[0].text().into_owned();
        rows.push(HostRow {
            host: platform.host(&name),
            name,
            cores: row.count(1)?,
            tasks: row.count(2)?,
            busy: row.number(3)?,
            utilization: row.number(4)?,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_plans(text: &str) -> Result<Vec<PlanRow>, String> {
    let mut rows = Vec::new();
    each_row("plans.csv", text, ["at", "cause", "tasks", "moved", "end"], |row| {
        rows.push(PlanRow {
            at: row.read(0, "time", instant)?,
            by_failure: row.cells[1].raw() == "failure",
            tasks: row.count(2)?,
            moved: row.count(3)?,
            end: row.read(4, "time", instant)?,
        });
        Ok(())
    })?;
    Ok(rows)
}
