//! The tables of a run of task graphs. A cell that cannot be read is an error with its file, line
//! and column.

use crate::collections::OrderedMap;
use crate::kernel::SimTime;

use super::attempts::Attempts;
use super::cores;
use super::graph::{Edge, Load, TaskGraph};
use super::loads::Loads;
use super::rows::{each_row, instant};
use super::{NO_TRANSFERS, PlanFiles, PlatformFacts, Violation};

/// Columns of transfers where something can fail.
const NOTES: [&str; 2] = ["attempt", "broken-off"];

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

/// A row of `plans.csv`.
#[derive(Debug)]
pub(super) struct PlanRow {
    pub(super) at: SimTime,
    pub(super) cause: String,
    pub(super) tasks: u64,
    pub(super) moved: u64,
    pub(super) end: SimTime,
    pub(super) questions: u64,
    pub(super) looked_at: u64,
}

impl PlanRow {
    /// Returns true if the plan was made because a host failed or was repaired.
    pub(super) fn is_by_failure(&self) -> bool {
        self.cause == "failure"
    }

    /// Returns true if the plan was made by a scheduler that took over then.
    pub(super) fn is_by_take_over(&self) -> bool {
        self.cause == "take-over"
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
    pub(super) plans: Option<Vec<PlanRow>>,
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
        run.plans = files.plans.map(read_plans).transpose()?.filter(|plans| !plans.is_empty());
        run.attempts = Attempts::of(&run)?;
        run.loads = files.loads.map(|text| Loads::read(text, platform)).transpose()?;
        Ok(run)
    }

    /// Which loads are copies of each other: files of one name, of one writer or from the home host
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
        let mut further = cores::further_of("tasks.csv", text)?.into_iter();
        each_row("tasks.csv", text, names, |row| {
            let (name, host) = (row.joined(0, 1), row.cells[2].text());
            let found = TaskRow {
                host: self.platform.host(&host),
                core: row.any(3, "core", |text| text.parse().ok())?,
                further: further.next().unwrap_or_default(),
                planned: row.time(4)?.zip(row.time(5)?),
                ready: row.time(6)?,
                start: row.time(7)?,
                end: row.time(8)?,
                predicted: row.time(9)?,
                attempts: row.count(10)?,
            };
            let at = found.start.unwrap_or_default();
            if row.time(4)?.is_some() != row.time(5)?.is_some() {
                self.strays
                    .push(Violation::of_no_job(at, format!("task `{name}` has half a place in a plan")));
            }
            let number = self.graph.task_named(&name);
            if let Some(number) = number {
                applications[number as usize] = row.cells[0].text().into_owned();
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
        let names = [
            "application",
            "from-task",
            "to-task",
            "file",
            "from-host",
            "to-host",
            "bytes",
            "ready",
            "start",
            "end",
        ];
        let mut rows = Vec::new();
        each_row("transfers.csv", text, names, |row| {
            // without a task it is the home host
            let end = |column: usize| match row.cells[column].raw() {
                "" => (Some(None), "the home host".to_owned()),
                _ => {
                    let name = row.joined(0, column);
                    (self.graph.task_named(&name).map(Some), format!("`{name}`"))
                }
            };
            let ((writer, parent), (reader, child)) = (end(1), end(2));
            let [from, to] = [4, 5].map(|column| self.platform.host(&row.cells[column].text()));
            let file = row.cells[3].text();
            rows.push(TransferRow {
                load: writer.zip(reader).and_then(|(from, to)| self.graph.load_between(from, to, &file)),
                name: format!("the transfer from {parent} to {child}"),
                file: file.clone().into_owned(),
                is_return: row.cells[2].raw().is_empty(),
                ends: from.zip(to),
                bytes: row.count(6)?,
                ready: row.time(7)?,
                start: row.time(8)?,
                end: row.time(9)?,
                attempt: None,
                broken_off: None,
            });
            Ok(())
        })?;
        // two columns more where something can fail
        if text.lines().next().is_some_and(|head| NOTES.iter().all(|name| head.contains(name))) {
            let mut rows = rows.iter_mut();
            each_row("transfers.csv", text, NOTES, |cells| {
                let row = rows.next().expect("the same rows were read before");
                row.attempt = cells.any(0, "count", |text| text.parse().ok())?;
                row.broken_off = cells.time(1)?;
                Ok(())
            })?;
        }
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

    /// Returns true if no more than one plan was made, as far as is known.
    pub(super) fn has_one_plan(&self) -> bool {
        self.plans.as_ref().is_some_and(|plans| plans.len() <= 1)
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

    /// That something happened to a task.
    pub(super) fn of_task(&self, task: u32, at: SimTime, what: &str) -> Violation {
        Violation::of_no_job(at, format!("task `{}` {what}", self.name(task)))
    }
}

fn read_plans(text: &str) -> Result<Vec<PlanRow>, String> {
    let mut rows = Vec::new();
    let names = ["at", "cause", "tasks", "moved", "end", "questions", "looked-at"];
    each_row("plans.csv", text, names, |row| {
        rows.push(PlanRow {
            at: row.read(0, "time", instant)?,
            cause: row.cells[1].text().into_owned(),
            tasks: row.count(2)?,
            moved: row.count(3)?,
            end: row.read(4, "time", instant)?,
            questions: row.count(5)?,
            looked_at: row.count(6)?,
        });
        Ok(())
    })?;
    Ok(rows)
}
