//! The tables of a run of a parameter sweep. A cell that cannot be read is an error with its file,
//! line and column.

use crate::collections::{Interval, OrderedMap};
use crate::kernel::SimTime;
use crate::output::RowFile;
use crate::rows::{self as rows, FileRow, PlanRow};

use super::facts::Values;
use super::{Judgement, SweepFacts, SweepFiles, SweepValue, Violation};

/// A row of `sizes.csv`.
#[derive(Debug)]
pub(super) struct SizeRow {
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

impl TaskRow {
    /// Returns true if its last attempt was lost, and it waits.
    pub(super) fn is_lost(&self) -> bool {
        self.attempts > 0 && self.host.is_none()
    }
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
    pub(super) sizes: Vec<SizeRow>,
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
    pub(super) stays: Option<Vec<FileRow<'a>>>,
    /// The plans that were made.
    pub(super) plans: Option<Vec<PlanRow<'a>>>,
    pub(super) values: Values,
}

/// The numbers of intervals, if all are below `most`.
fn numbers(intervals: &[Interval], most: usize) -> Option<Vec<usize>> {
    let is_below = |one: &Interval| (one.last as usize) < most;
    let all = || intervals.iter().flat_map(|one| one.first as usize..=one.last as usize);
    intervals.iter().all(is_below).then(|| all().collect())
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
        let sizes = RowFile::<rows::SizeRow<'_>>::new(sizes)?;
        sizes.each(|row, _| {
            let origin = row.origin.map_or(Some(0), |name| grid.origin(&name));
            run.sizes.push(SizeRow { name: row.file.into_owned(), bytes: row.bytes, origin });
            Ok(())
        })?;
        let most = run.sizes.len();
        RowFile::<rows::WorkRow<'_>>::new(works)?.each(|row, line| {
            let time = |text: &str| text.parse::<f64>().ok().filter(|time| time.is_finite() && *time >= 0.0);
            let times = |text: &str| text.split_whitespace().map(time).collect::<Option<Vec<f64>>>();
            let list = |intervals: &[Interval]| {
                numbers(intervals, most)
                    .ok_or_else(|| line.wrong("the task has files that are not in sizes.csv"))
            };
            run.works.push(WorkRow {
                times: line.find(&row.times, "list of times", times)?,
                inputs: list(&row.inputs)?,
                outputs: list(&row.outputs)?,
                name: row.task.into_owned(),
                arrival: row.arrival,
            });
            Ok(())
        })?;
        run.tasks = run.works.iter().map(|_| None).collect();
        run.read_tasks(tasks)?;
        run.transfers = files.transfers.map(|text| run.read_transfers(text)).transpose()?;
        let places: OrderedMap<&str, usize> = run.works.iter().map(|work| &*work.name).zip(0..).collect();
        let task = |name: &str| places.get(name).copied();
        run.duplicates = files.duplicates.map(|text| read_duplicates(text, grid, task)).transpose()?;
        if let Some(text) = files.files {
            let file = RowFile::<FileRow<'_>>::new(text)?;
            run.stays = if file.met().removals { Some(file.all()?) } else { None };
        }
        run.plans = files.plans.map(|text| RowFile::new(text)?.all()).transpose()?;
        if let Some(text) = files.loads {
            run.values = Values::read(text, grid)?;
        }
        Ok(run)
    }

    fn read_tasks(&mut self, text: &str) -> Result<(), String> {
        let places: OrderedMap<String, usize> =
            self.works.iter().enumerate().map(|(place, work)| (work.name.clone(), place)).collect();
        let mut next = 0;
        RowFile::<rows::TaskRow<'_>>::new(text)?.each(|row, _| {
            let [cluster, host] = [row.cluster, row.host].map(Option::unwrap_or_default);
            let (name, found) = (
                row.task,
                TaskRow {
                    host: self.grid.host(&host),
                    planned: row.planned_start,
                    planned_end: row.planned_end,
                    start: row.start,
                    end: row.end,
                    completed: row.output_arrived,
                    attempts: row.attempts.into(),
                },
            );
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
        let mut rows = Vec::new();
        RowFile::<rows::TransferRow<'_>>::new(text)?.each(|row, line| {
            let direction = |text: &str| ["output", "input", "copy"].iter().position(|word| *word == text);
            let direction = line.find(&row.direction, "direction", direction)?;
            let is_input = direction > 0;
            let task = tasks.get(&*row.task).copied();
            let of_task = task.map(|task| &self.works[task]);
            let its = of_task.map_or(&[][..], |work| if is_input { &work.inputs } else { &work.outputs });
            let cluster = self.grid.cluster(&row.cluster);
            rows.push(TransferRow {
                place: its.iter().copied().find(|place| self.sizes[*place].name == row.file),
                file: row.file.into_owned(),
                is_input,
                is_copy: direction == 2,
                cluster,
                link: row.link.map_or(cluster, |link| self.grid.link(&link)),
                task,
                bytes: row.bytes,
                planned: row.planned,
                start: row.start,
                end: row.end,
            });
            Ok(())
        })?;
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

    /// Returns true if something was started again, or lost at last, so that not all attempts are
    /// in the files.
    pub(super) fn misses_attempts(&self) -> bool {
        self.rows().any(|(_, row)| row.attempts > 1 || row.is_lost())
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

    /// Judgement of values some of which may not be known.
    pub(super) fn unless_drawn(is_open: bool, found: Vec<Violation>) -> Judgement {
        if is_open && found.is_empty() { Err(DRAWN) } else { Ok(found) }
    }

    /// Returns a violation of a task.
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
    RowFile::<rows::DuplicateRow<'_>>::new(text)?.each(|row, _| {
        let cluster = grid.cluster(&row.cluster);
        rows.push(DuplicateRow {
            task: task(&row.task),
            host: grid.host(&row.host).filter(|host| cluster == Some(grid.cluster_of(*host))),
            start: row.start,
            end: row.end,
            name: row.task.into_owned(),
        });
        Ok(())
    })?;
    Ok(rows)
}

// reasons that promises are not judged

pub(super) const NO_TASKS: &str = "the run has no tasks.csv, works.csv and sizes.csv (record.tasks)";
pub(super) const NO_TRANSFERS: &str = "the run has no transfers.csv (record.transfers)";
pub(super) const NO_PLANS: &str = "the run has no plans.csv, or made no plan";
pub(super) const NO_MAKESPAN: &str = "the summary has no makespan";
pub(super) const STOPPED: &str = "the run was stopped, and tasks were not completed";
pub(super) const DRAWN: &str = "values were drawn, and the run has no loads.csv (record.loads)";
pub(super) const AGAIN: &str = "tasks were started again, and the time of lost attempts is not in the files";
pub(super) const SEVERAL: &str = "there were several plans";
pub(super) const OUT_OF_ORDER: &str = "hosts take tasks of others, or have no queues";
pub(super) const ANY_ORDER: &str = "links carry what can go first (scheduler.links)";
pub(super) const NO_FILES: &str =
    "a storage has a limit, and the run has no files.csv with removals (record.tasks)";
pub(super) const LOST: &str = "hosts or clusters may leave, and what is lost with them is in no file";
pub(super) const STEALS: &str = "hosts take tasks of others, and whose they were is in no file";
pub(super) const QUEUES: &str = "when tasks came into the queues of hosts is in no file";
pub(super) const WAITS: &str = "tasks wait in batch queues, and until when is in no file";
pub(super) const SEARCH: &str = "the search for the optimum is not made again";
pub(super) const DECISIONS: &str = "no rule of a scheduler is followed here";
pub(super) const ROOM: &str = "storages have limits, and what has room goes before what was planned first";
pub(super) const OWN: &str = "the scheduler may act at any instant";
