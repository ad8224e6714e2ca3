//! The tables of a run of task graphs. A cell that cannot be read is an error with its file, line
//! and column.

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::output::{RowFile, Text};
use crate::rows::{self as rows, PlanRow};

use super::attempts::Attempts;
use super::cores::{self, further_cores};
use super::graph::{Edge, Load, TaskGraph};
use super::loads::Loads;
use super::{NO_TRANSFERS, PlanFiles, PlatformFacts, Violation};

/// A row of `tasks.csv`.
#[derive(Debug)]
pub(super) struct TaskRow {
    /// Nothing if it has none, or one that does not exist.
    pub(super) host: Option<usize>,
    /// Lowest core, by its place among those of the host, from 0.
    pub(super) core: Option<u32>,
    /// The others.
    pub(super) further: Box<[u32]>,
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
    pub(super) file: String,
    /// The place of what it carries among the loads, if the graph has it.
    pub(super) load: Option<usize>,
    pub(super) is_return: bool,
    /// Both hosts, if they exist.
    pub(super) ends: Option<(usize, usize)>,
    pub(super) bytes: u64,
    pub(super) ready: Option<SimTime>,
    pub(super) start: Option<SimTime>,
    pub(super) end: Option<SimTime>,
    /// The attempt of the parent that wrote what it carries, and when a failure broke it off, where
    /// the file says so.
    pub(super) attempt: Option<u64>,
    pub(super) broken_off: Option<SimTime>,
}

impl PlanRow<'_> {
    /// Returns true if the plan was made because a host failed or was repaired.
    pub(super) fn is_by_failure(&self) -> bool {
        &*self.cause == "failure"
    }

    /// Returns true if the plan was made by a scheduler that took over then.
    pub(super) fn is_by_take_over(&self) -> bool {
        &*self.cause == "take-over"
    }
}

/// The files of a run, as read.
pub(super) struct Run<'a> {
    pub(super) files: PlanFiles<'a>,
    pub(super) platform: &'a dyn PlatformFacts,
    pub(super) graph: TaskGraph,
    pub(super) home: Option<usize>,
    /// By load of the graph: those of one number are one file of one writer.
    pub(super) copies: Vec<usize>,
    /// By task of the graph.
    pub(super) tasks: Vec<Option<TaskRow>>,
    /// Rows of tasks that the graph does not have, or that have one already.
    pub(super) strays: Vec<Violation>,
    /// Tasks on hosts that do not exist.
    pub(super) nowhere: Vec<Violation>,
    pub(super) transfers: Option<Vec<TransferRow>>,
    /// Nothing also if none was made.
    pub(super) plans: Option<Vec<PlanRow<'a>>>,
    pub(super) loads: Option<Loads>,
    pub(super) attempts: Attempts,
    /// Of each task, the place of its workflow among those of the scenario.
    pub(super) workflow_of: Vec<Option<usize>>,
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
            home: files.home.and_then(|home| platform.host(home)),
            copies: Vec::new(),
            graph,
            strays: Vec::new(),
            nowhere: Vec::new(),
            transfers: None,
            plans: None,
            loads: None,
            attempts: Attempts::default(),
            workflow_of: Vec::new(),
        };
        let applications = run.read_tasks(tasks)?;
        run.copies = run.copies(&applications);
        let workflow = |name: &String| files.workflows.iter().position(|workflow| workflow.name == *name);
        run.workflow_of = applications.iter().map(workflow).collect();
        run.transfers = files.transfers.map(|text| run.read_transfers(text)).transpose()?;
        let plans = files.plans.map(|text| RowFile::new(text)?.all()).transpose()?;
        run.plans = plans.filter(|plans: &Vec<PlanRow<'_>>| !plans.is_empty());
        run.attempts = Attempts::of(&run)?;
        run.loads = files.loads.map(|text| Loads::read(text, platform)).transpose()?;
        Ok(run)
    }

    /// By load, the first of its copies: files of one name, of one writer or from the home host
    /// for one application.
    fn copies(&self, applications: &[String]) -> Vec<usize> {
        let mut known: OrderedMap<(Option<u32>, &str, &str), usize> = OrderedMap::new();
        let mut copies = Vec::with_capacity(self.graph.loads.len());
        for (place, load) in self.graph.loads.iter().enumerate() {
            copies.push(match (&load.file, load.to) {
                (Some(file), Some(to)) => {
                    let application = if load.from.is_none() { &*applications[to as usize] } else { "" };
                    *known.entry((load.from, application, file)).or_insert(place)
                }
                _ => place,
            });
        }
        copies
    }

    /// Reads the rows; gives the application of each task.
    fn read_tasks(&mut self, text: &str) -> Result<Vec<String>, String> {
        let mut applications = vec![String::new(); self.tasks.len()];
        RowFile::<rows::TaskRow<'_>>::new(text)?.each(|row, line| {
            let name = named(&row.application, &row.task);
            let host = row.host.unwrap_or_default();
            let found = TaskRow {
                host: self.platform.host(&host),
                core: row.core,
                further: further_cores(row.further_cores.as_deref(), line)?,
                planned: row.planned_start.zip(row.planned_end),
                ready: row.ready,
                start: row.start,
                end: row.end,
                predicted: row.predicted,
                attempts: row.attempts.into(),
            };
            let at = found.start.unwrap_or_default();
            if row.planned_start.is_some() != row.planned_end.is_some() {
                self.strays
                    .push(Violation::of_no_job(at, format!("task `{name}` has half a place in a plan")));
            }
            let number = self.graph.task_named(&name);
            if let Some(number) = number {
                applications[number as usize] = row.application.0.into_owned();
            }
            let open = number.map(|task| &mut self.tasks[task as usize]);
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
        })?;
        Ok(applications)
    }

    fn read_transfers(&mut self, text: &str) -> Result<Vec<TransferRow>, String> {
        let mut rows = Vec::new();
        RowFile::<rows::TransferRow<'_>>::new(text)?.each(|row, _| {
            let application = row.application.unwrap_or_default();
            // without a task it is the home host
            let end = |task: Option<Text<'_>>| match task {
                None => (Some(None), "the home host".to_owned()),
                Some(task) => {
                    let name = named(&application, &task);
                    (self.graph.task_named(&name).map(Some), format!("`{name}`"))
                }
            };
            let is_return = row.to_task.is_none();
            let ((writer, parent), (reader, child)) = (end(row.from_task), end(row.to_task));
            let [from, to] = [row.from_host, row.to_host].map(|host| self.platform.host(&host));
            let file = row.file.unwrap_or_default();
            rows.push(TransferRow {
                load: writer.zip(reader).and_then(|(from, to)| self.graph.load_between(from, to, &file)),
                name: format!("the transfer from {parent} to {child}"),
                file: file.into_owned(),
                is_return,
                ends: from.zip(to),
                bytes: row.bytes,
                ready: row.ready,
                start: row.start,
                end: row.end,
                attempt: row.attempt.map(u64::from),
                broken_off: row.broken_off,
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

    /// Every edge between tasks that have rows: edge, parent, child. The parent is nothing if not
    /// all its attempts are in the files.
    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, Edge, Option<&TaskRow>, &TaskRow)> {
        (0..).zip(&self.graph.edges).filter_map(|(number, edge)| {
            let (parent, child) = (self.row(edge.from)?, self.row(edge.to)?);
            Some((number, *edge, Some(parent).filter(|parent| parent.attempts <= 1), child))
        })
    }

    /// The host at which a load begins, if that is known: not of a task of which not all attempts
    /// are in the files.
    pub(super) fn origin(&self, load: &Load) -> Option<usize> {
        match load.from {
            Some(writer) => self.row(writer).filter(|writer| writer.attempts <= 1)?.host,
            None => self.home,
        }
    }

    /// Returns true if no more than one plan was made, as far as is known, and no other scheduler
    /// had placed tasks before it.
    pub(super) fn has_one_plan(&self) -> bool {
        let is_only = |plans: &[PlanRow]| plans.len() <= 1 && !plans.iter().any(PlanRow::is_by_take_over);
        self.plans.as_deref().is_some_and(is_only)
    }

    /// The end of the last task, or when the last file came home; nothing if something has not
    /// ended.
    pub(super) fn makespan(&self) -> Option<SimTime> {
        let is_returned = self.graph.loads.iter().any(|load| load.to.is_none());
        if is_returned && self.transfers.is_none() {
            // when the last file came home is in no other file
            let stated = self.files.makespan.filter(|_| !self.files.stopped)?;
            return Some(SimTime::from_nanos((stated * 1e9).round() as u64));
        }
        let ends = self.tasks.iter().map(|row| row.as_ref()?.end);
        let last = ends.collect::<Option<Vec<_>>>()?.into_iter().max().unwrap_or_default();
        let returned = self.transfers.iter().flatten().filter(|row| row.is_return).filter_map(|row| row.end);
        (!self.files.stopped).then(|| returned.fold(last, SimTime::max))
    }

    /// The makespan, or when the run was stopped, if that is known.
    pub(super) fn until(&self) -> Option<SimTime> {
        self.makespan().or(self.files.until)
    }

    /// Start and end of a task, if it began and ended.
    pub(super) fn span(&self, task: u32) -> Option<(SimTime, SimTime)> {
        let row = self.row(task)?;
        Some((row.start?, row.end?)).filter(|(start, end)| start <= end)
    }

    /// The numbers of a task's cores among those of all hosts.
    pub(super) fn cores_of(&self, task: u32) -> Vec<u64> {
        let Some(row) = self.row(task) else { return Vec::new() };
        let before = (0..row.host.unwrap_or(0)).map(|host| u64::from(self.platform.cores(host)));
        let before = before.sum::<u64>();
        let held = cores::held(row.host.zip(row.core), &row.further);
        held.map(|(_, core)| before + u64::from(core)).collect()
    }

    /// The host that a load is for, if its end is known.
    pub(super) fn target(&self, load: &Load) -> Option<usize> {
        match load.to {
            Some(reader) => self.row(reader)?.host,
            None => self.home,
        }
    }

    /// Of each load, the place of the last transfer by which it got where it was used.
    pub(super) fn last_transfers(&self) -> Result<Vec<Option<usize>>, &'static str> {
        let rows = self.transfers.as_ref().ok_or(NO_TRANSFERS)?;
        let mut last: OrderedMap<(usize, usize), usize> = OrderedMap::new();
        for (place, row) in rows.iter().enumerate().filter(|(_, row)| row.end.is_some()) {
            if let (Some(load), Some((_, to))) = (row.load, row.ends) {
                last.insert((self.copies[load], to), place);
            }
        }
        let of = |(load, copy): (&Load, &usize)| last.get(&(*copy, self.target(load)?)).copied();
        Ok(self.graph.loads.iter().zip(&self.copies).map(of).collect())
    }

    /// The attempt that wrote what a transfer carries.
    pub(super) fn writer(&self, row: &TransferRow) -> Option<usize> {
        let parent = self.graph.loads[row.load?].from?;
        match row.attempt {
            Some(ordinal) => self.attempts.of_task(parent, ordinal),
            None => self.attempts.only(self, parent),
        }
    }

    /// Returns true if a host or a link may fail, or something was started again.
    pub(super) fn has_failures(&self) -> bool {
        let is_again = self.rows().any(|(_, row)| row.attempts > 1);
        is_again || self.platform.may_fail() || self.plans.iter().flatten().any(PlanRow::is_by_failure)
    }

    /// Name of a task.
    pub(super) fn name(&self, task: u32) -> &str {
        &self.graph.names[task as usize]
    }

    /// Returns a violation of a task.
    pub(super) fn of_task(&self, task: u32, at: SimTime, what: &str) -> Violation {
        Violation::of_no_job(at, format!("task `{}` {what}", self.name(task)))
    }
}

/// Name of a task of an application in the graph.
pub(super) fn named(application: &str, task: &str) -> String {
    format!("{application}/{task}")
}
