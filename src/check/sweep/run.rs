//! The tables of a run of a parameter sweep. A cell that cannot be read is an error with its file,
//! line and column.

use crate::check::plan::rows::{Cells, each_row, instant};
use crate::collections::OrderedMap;
use crate::kernel::SimTime;

use super::unjudged::DRAWN;
use super::values::Values;
use super::{Judgement, SweepFacts, SweepFiles, SweepValue, Violation};

/// A row of `sizes.csv`.
#[derive(Debug)]
pub(super) struct FileRow {
    pub(super) name: String,
    pub(super) bytes: u64,
    /// Nothing if there is none of its name.
    pub(super) origin: Option<usize>,
}

/// A row of `works.csv`.
#[derive(Debug)]
pub(super) struct WorkRow {
    pub(super) name: String,
    pub(super) arrival: SimTime,
    pub(super) times: Vec<f64>,
    /// By their places in `sizes.csv`.
    pub(super) inputs: Vec<usize>,
    pub(super) outputs: Vec<usize>,
}

/// A row of `tasks.csv`.
#[derive(Debug)]
pub(super) struct TaskRow {
    /// Nothing if it has none, or one that does not exist.
    pub(super) host: Option<usize>,
    pub(super) planned: Option<SimTime>,
    pub(super) planned_end: Option<SimTime>,
    pub(super) start: Option<SimTime>,
    pub(super) end: Option<SimTime>,
    pub(super) completed: Option<SimTime>,
    pub(super) attempts: u64,
}

/// A row of `transfers.csv`.
#[derive(Debug)]
pub(super) struct TransferRow {
    pub(super) file: String,
    pub(super) is_input: bool,
    /// True if it comes from another cluster.
    pub(super) is_copy: bool,
    /// If it exists.
    pub(super) cluster: Option<usize>,
    /// If it exists.
    pub(super) link: Option<usize>,
    /// The task, if the application has it, and the place of the file if the task has that.
    pub(super) task: Option<usize>,
    pub(super) place: Option<usize>,
    pub(super) bytes: u64,
    pub(super) planned: Option<SimTime>,
    pub(super) start: SimTime,
    pub(super) end: Option<SimTime>,
}

/// A row of `files.csv`.
#[derive(Debug)]
pub(super) struct StayRow {
    pub(super) file: String,
    /// If it exists.
    pub(super) cluster: Option<usize>,
    pub(super) arrived: SimTime,
    pub(super) removed: Option<SimTime>,
}

/// A row of `plans.csv`.
#[derive(Debug)]
pub(super) struct PlanRow {
    pub(super) at: SimTime,
    pub(super) trigger: String,
    pub(super) tasks: u64,
    pub(super) looks: u64,
    /// Spans are instants from the beginning of time.
    pub(super) interval: Option<SimTime>,
    pub(super) correctness: Option<f64>,
    pub(super) delta: Option<SimTime>,
    pub(super) horizon: Option<SimTime>,
    pub(super) end: SimTime,
}

/// A row of `duplicates.csv`.
#[derive(Debug)]
pub(super) struct DuplicateRow {
    pub(super) name: String,
    /// Nothing if the application does not have it.
    pub(super) task: Option<usize>,
    /// Nothing if there is no such host on that cluster.
    pub(super) host: Option<usize>,
    pub(super) start: SimTime,
    pub(super) end: SimTime,
}

/// The files of a run, as read.
pub(super) struct Run<'a> {
    pub(super) files: SweepFiles<'a>,
    pub(super) grid: &'a dyn SweepFacts,
    pub(super) sizes: Vec<FileRow>,
    pub(super) works: Vec<WorkRow>,
    /// By task of the application.
    pub(super) tasks: Vec<Option<TaskRow>>,
    /// Rows of tasks that the application does not have, or that have one already.
    pub(super) strays: Vec<Violation>,
    /// Tasks on hosts or clusters that are not so.
    pub(super) nowhere: Vec<Violation>,
    pub(super) transfers: Option<Vec<TransferRow>>,
    pub(super) duplicates: Option<Vec<DuplicateRow>>,
    /// Stays of files on storages; `None` if they are not written, as nothing is removed.
    pub(super) stays: Option<Vec<StayRow>>,
    /// The plans that were made.
    pub(super) plans: Option<Vec<PlanRow>>,
    pub(super) values: Values,
}

/// Returns true if a table has a column that only some runs have.
fn has_last_column(text: &str, name: &str) -> bool {
    let last = text.lines().next().and_then(|head| head.rsplit(',').next());
    last == Some(name)
}

/// The numbers of intervals such as `0-3 7`; `most` is what they are below.
fn numbers(text: &str, most: usize) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    for part in text.split_whitespace() {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last >= most {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

impl<'a> Run<'a> {
    /// Reads all files.
    ///
    /// # Errors
    /// What is wrong with the first that cannot be read, and where.
    pub(super) fn read(
        files: &SweepFiles<'a>,
        [tasks, works, sizes]: [&str; 3],
        grid: &'a dyn SweepFacts,
    ) -> Result<Self, String> {
        let mut run = Run {
            files: *files,
            grid,
            sizes: Vec::new(),
            works: Vec::new(),
            tasks: Vec::new(),
            strays: Vec::new(),
            nowhere: Vec::new(),
            transfers: None,
            duplicates: None,
            stays: None,
            plans: None,
            values: Values::default(),
        };
        each_row("sizes.csv", sizes, ["file", "bytes"], |row| {
            let name = row.cells[0].text().into_owned();
            run.sizes.push(FileRow { name, bytes: row.count(1)?, origin: Some(0) });
            Ok(())
        })?;
        if has_last_column(sizes, "origin") {
            let mut files = run.sizes.iter_mut();
            each_row("sizes.csv", sizes, ["origin"], |row| {
                let origin = grid.origin(&row.cells[0].text());
                files.by_ref().take(1).for_each(|file| file.origin = origin);
                Ok(())
            })?;
        }
        let most = run.sizes.len();
        each_row("works.csv", works, ["task", "arrival", "times", "inputs", "outputs"], |row| {
            let time = |text: &str| text.parse::<f64>().ok().filter(|time| time.is_finite() && *time >= 0.0);
            let list = |text: &str| numbers(text, most);
            run.works.push(WorkRow {
                name: row.cells[0].text().into_owned(),
                arrival: row.read(1, "time", instant)?,
                times: row.read(2, "list of times", |text| text.split_whitespace().map(time).collect())?,
                inputs: row.any(3, "list of files", list)?.unwrap_or_default(),
                outputs: row.any(4, "list of files", list)?.unwrap_or_default(),
            });
            Ok(())
        })?;
        run.tasks = run.works.iter().map(|_| None).collect();
        run.read_tasks(tasks)?;
        run.transfers = files.transfers.map(|text| run.read_transfers(text)).transpose()?;
        let places: OrderedMap<&str, usize> = run.works.iter().map(|work| &*work.name).zip(0..).collect();
        let task = |name: &str| places.get(name).copied();
        run.duplicates = files.duplicates.map(|text| read_duplicates(text, grid, task)).transpose()?;
        let removals = files.files.filter(|text| has_last_column(text, "removed"));
        run.stays = removals.map(|text| read_stays(text, grid)).transpose()?;
        run.plans = files.plans.map(read_plans).transpose()?;
        if let Some(text) = files.loads {
            run.values = Values::read(text, grid)?;
        }
        Ok(run)
    }

    fn read_tasks(&mut self, text: &str) -> Result<(), String> {
        let places: OrderedMap<String, usize> =
            self.works.iter().enumerate().map(|(place, work)| (work.name.clone(), place)).collect();
        let names = [
            "task",
            "cluster",
            "host",
            "planned-start",
            "planned-end",
            "start",
            "end",
            "output-arrived",
            "attempts",
        ];
        let mut next = 0;
        each_row("tasks.csv", text, names, |row| {
            let (name, cluster, host) = (row.cells[0].text(), row.cells[1].text(), row.cells[2].text());
            let found = TaskRow {
                host: self.grid.host(&host),
                planned: row.time(3)?,
                planned_end: row.time(4)?,
                start: row.time(5)?,
                end: row.time(6)?,
                completed: row.time(7)?,
                attempts: row.count(8)?,
            };
            let at = found.start.unwrap_or_default();
            // tasks may have one name; rows are in the order of the application
            let is_next = self.works.get(next).is_some_and(|work| work.name == *name);
            let place = if is_next { Some(next) } else { places.get(&*name).copied() };
            next += 1;
            let Some(place) = place.filter(|place| self.tasks[*place].is_none()) else {
                let what = if place.is_some() { "has another row" } else { "is not in the application" };
                self.strays.push(Violation::of_no_job(at, format!("task `{name}` {what}")));
                return Ok(());
            };
            let is_there = found.host.map(|host| self.grid.cluster_of(host)) == self.grid.cluster(&cluster);
            let is_no_cluster = !cluster.is_empty() && self.grid.cluster(&cluster).is_none();
            if !is_there || is_no_cluster || (found.host.is_none() && !host.is_empty()) {
                let what = format!("is on host {host} of cluster {cluster}, which does not exist");
                self.nowhere.push(self.of_task(place, at, &what));
            }
            self.tasks[place] = Some(found);
            Ok(())
        })
    }

    fn read_transfers(&self, text: &str) -> Result<Vec<TransferRow>, String> {
        let tasks: OrderedMap<&str, usize> =
            self.works.iter().enumerate().map(|(place, work)| (&*work.name, place)).collect();
        let names = ["file", "cluster", "direction", "for-task", "bytes", "planned", "start", "end"];
        let mut rows = Vec::new();
        each_row("transfers.csv", text, names, |row: &Cells<'_, 8>| {
            let direction = |text: &str| ["output", "input", "copy"].iter().position(|word| *word == text);
            let direction = row.read(2, "direction", direction)?;
            let is_input = direction > 0;
            let file = row.cells[0].text().into_owned();
            let task = tasks.get(&*row.cells[3].text()).copied();
            let of_task = task.map(|task| &self.works[task]);
            let its = of_task.map_or(&[][..], |work| if is_input { &work.inputs } else { &work.outputs });
            rows.push(TransferRow {
                place: its.iter().copied().find(|place| self.sizes[*place].name == file),
                file,
                is_input,
                is_copy: direction == 2,
                cluster: self.grid.cluster(&row.cells[1].text()),
                link: self.grid.cluster(&row.cells[1].text()),
                task,
                bytes: row.count(4)?,
                planned: row.time(5)?,
                start: row.read(6, "time", instant)?,
                end: row.time(7)?,
            });
            Ok(())
        })?;
        if has_last_column(text, "link") {
            let mut next = rows.iter_mut();
            each_row("transfers.csv", text, ["link"], |row| {
                let link = self.grid.link(&row.cells[0].text());
                next.by_ref().take(1).for_each(|row| row.link = link);
                Ok(())
            })?;
        }
        Ok(rows)
    }

    /// The cluster from which a transfer comes that is no transfer from or to an origin.
    pub(super) fn source_of(&self, row: &TransferRow) -> Option<usize> {
        let ends = self.grid.between(row.link?)?;
        let cluster = row.cluster?;
        ends.contains(&cluster).then(|| if ends[0] == cluster { ends[1] } else { ends[0] })
    }

    /// The last completion; nothing if some task was not completed.
    pub(super) fn makespan(&self) -> Option<SimTime> {
        let completed = self.tasks.iter().map(|row| row.as_ref()?.completed);
        completed.collect::<Option<Vec<_>>>().map(|all| all.into_iter().max().unwrap_or_default())
    }

    /// The makespan, or when the run was stopped, if that is known.
    pub(super) fn until(&self) -> Option<SimTime> {
        self.makespan().or(self.files.until)
    }

    /// Returns true if something was started again, so that not all attempts are in the files.
    pub(super) fn is_again(&self) -> bool {
        self.rows().any(|(_, row)| row.attempts > 1)
    }

    /// Returns true if a host or a cluster may leave, and with it what was computed there.
    pub(super) fn may_lose(&self) -> bool {
        let leaves = |of, number| self.grid.extremes(of, number)[0] <= 0.0;
        (0..self.grid.hosts()).any(|host| leaves(SweepValue::HostPresence, host))
            || (0..self.grid.clusters()).any(|cluster| leaves(SweepValue::ClusterPresence, cluster))
    }

    /// Returns true if something has a price.
    pub(super) fn has_prices(&self) -> bool {
        (0..self.grid.clusters()).any(|cluster| self.grid.prices(cluster).is_some())
    }

    /// Every task that has a row.
    pub(super) fn rows(&self) -> impl Iterator<Item = (usize, &TaskRow)> {
        self.tasks.iter().enumerate().filter_map(|(task, row)| Some((task, row.as_ref()?)))
    }

    /// The computations that were thrown away: task, host, start and end of those that have them.
    pub(super) fn thrown_away(&self) -> impl Iterator<Item = (usize, usize, SimTime, SimTime)> {
        let rows = self.duplicates.iter().flatten();
        rows.filter_map(|row| Some((row.task?, row.host?, row.start, row.end)))
    }

    /// Why nothing can be said of values that are not known.
    pub(super) fn unless_drawn(is_open: bool, found: Vec<Violation>) -> Judgement {
        if is_open && found.is_empty() { Err(DRAWN) } else { Ok(found) }
    }

    /// That something happened to a task.
    pub(super) fn of_task(&self, task: usize, at: SimTime, what: &str) -> Violation {
        Violation::of_no_job(at, format!("task `{}` {what}", self.works[task].name))
    }
}

/// Reads `duplicates.csv`; `task` has the place of a task.
fn read_duplicates(
    text: &str,
    grid: &dyn SweepFacts,
    task: impl Fn(&str) -> Option<usize>,
) -> Result<Vec<DuplicateRow>, String> {
    let mut rows = Vec::new();
    each_row("duplicates.csv", text, ["task", "cluster", "host", "start", "end"], |row| {
        let (name, cluster) = (row.cells[0].text().into_owned(), grid.cluster(&row.cells[1].text()));
        rows.push(DuplicateRow {
            task: task(&name),
            host: grid.host(&row.cells[2].text()).filter(|host| cluster == Some(grid.cluster_of(*host))),
            start: row.read(3, "time", instant)?,
            end: row.read(4, "time", instant)?,
            name,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_stays(text: &str, grid: &dyn SweepFacts) -> Result<Vec<StayRow>, String> {
    let mut rows = Vec::new();
    each_row("files.csv", text, ["file", "cluster", "arrived", "removed"], |row| {
        rows.push(StayRow {
            file: row.cells[0].text().into_owned(),
            cluster: grid.cluster(&row.cells[1].text()),
            arrived: row.read(2, "time", instant)?,
            removed: row.time(3)?,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_plans(text: &str) -> Result<Vec<PlanRow>, String> {
    let names = ["time", "trigger", "tasks", "looks", "interval", "correctness", "delta", "horizon", "end"];
    let mut rows = Vec::new();
    each_row("plans.csv", text, names, |row| {
        rows.push(PlanRow {
            at: row.read(0, "time", instant)?,
            trigger: row.cells[1].text().into_owned(),
            tasks: row.count(2)?,
            looks: row.count(3)?,
            interval: row.time(4)?,
            correctness: row.any_number(5)?,
            delta: row.time(6)?,
            horizon: row.time(7)?,
            end: row.read(8, "time", instant)?,
        });
        Ok(())
    })?;
    Ok(rows)
}
