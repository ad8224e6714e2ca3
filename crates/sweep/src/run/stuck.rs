//! Reason that a run cannot go on: which tasks are not completed, what each waits for, and since
//! when.

use crate::estimate::predictions::SubTask;
use crate::kernel::{PAST_THE_END, SimDuration, SimTime, ends_too_late, now};
use crate::model::grid::{ClusterNumber, HostNumber};
use crate::platform::Trace;
use crate::run::error::SweepFailed;
use crate::run::grid_state::{GridState, Serving, TaskState};
use crate::run::running::SweepRun;
use crate::scheduler::interfaces::GridInformation;
use crate::workflow::{FileNumber, TaskNumber};

/// Tasks that are named.
const REPORTED: usize = 5;

/// Lack of a task on a host that could run it, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Lacks {
    Plan,
    Link,
    Processor,
    Host,
}

impl SweepRun {
    /// Error of a run in which nothing goes on.
    pub(crate) fn stuck(&self) -> SweepFailed {
        let (open, waiting) = self.open_tasks();
        SweepFailed::Stuck { at: now(), open, waiting }
    }

    /// Reason that decisions, which have followed each other since then, complete nothing; `None`
    /// if something goes on that ends soon enough.
    pub(crate) fn never_completed(&self, from: SimTime) -> Option<String> {
        let late = match self.next_end(from) {
            Some(end) => format!("; {}", ends_too_late(from, end)?),
            None => String::new(),
        };
        let (open, waiting) = self.open_tasks();
        Some(format!(
            "decisions follow each other faster than tasks end, and {open} are not completed: {waiting}{late}"
        ))
    }

    /// The number of tasks that are not completed, and what some of them wait for.
    fn open_tasks(&self) -> (usize, String) {
        let state = self.state.borrow();
        let open = state.problem.sweep.task_numbers().filter(|task| !state.is_completed(*task));
        let mut waiting: Vec<String> = open.take(REPORTED).map(|task| state.waits(task)).collect();
        let open = state.tasks.len() - state.completed;
        if open > waiting.len() {
            waiting.push(format!("{} more", open - waiting.len()));
        }
        (open, waiting.join("; "))
    }
}

/// Returns true if some work is done at some time from now on.
fn ends(trace: &Trace, work: f64) -> bool {
    trace.finish(now(), work).is_some_and(|end| end < SimTime::MAX)
}

impl GridState {
    fn is_completed(&self, task: TaskNumber) -> bool {
        self.tasks[task.index()] == TaskState::Completed
    }

    /// Describes the wait of a task that is not completed.
    fn waits(&self, task: TaskNumber) -> String {
        let name = &self.problem.sweep.task(task).name;
        let record = &self.records[task.index()];
        match (self.tasks[task.index()], record.host) {
            (TaskState::Computing, Some(host)) => format!(
                "task `{name}` has computed on host `{}` since {}, which ends {PAST_THE_END}",
                self.problem.grid.host(host).name,
                record.start.unwrap_or_default()
            ),
            (TaskState::Computed(_), Some(host)) => {
                let cluster = self.problem.grid.host(host).cluster;
                format!(
                    "task `{name}` has waited {}",
                    self.waits_for_output(task, cluster, record.end.unwrap_or_default())
                )
            }
            _ => format!("task `{name}` has waited {}", self.waits_to_start(task)),
        }
    }

    fn name_of(&self, file: FileNumber) -> &str {
        &self.problem.sweep.file(file).name
    }

    /// Transfer that the link of a cluster carries without end.
    fn for_ever(&self, cluster: ClusterNumber) -> Option<(&Serving, FileNumber)> {
        self.carried(cluster).filter(|(serving, _)| serving.end.is_none())
    }

    /// Task and file that the link of a cluster carries.
    fn carried(&self, cluster: ClusterNumber) -> Option<(&Serving, FileNumber)> {
        let serving = self.links[cluster.index()].task.as_ref()?;
        match serving.transfer?.file {
            SubTask::Input(file) | SubTask::Output(file) => Some((serving, file)),
            SubTask::Computation(_) => None,
        }
    }

    fn waits_for_output(&self, task: TaskNumber, cluster: ClusterNumber, since: SimTime) -> String {
        let outputs = &self.problem.sweep.task(task).outputs;
        let output = outputs.iter().find(|file| !self.is_returned(**file));
        let output = output.map_or("", |file| self.name_of(*file));
        let name = &self.problem.grid.cluster(cluster).name;
        match self.for_ever(cluster) {
            Some((serving, file)) => format!(
                "for the arrival of its output `{output}` since {since}: the link of `{name}` has carried `{}` since {}, \
                 which ends {PAST_THE_END}",
                self.name_of(file),
                serving.start
            ),
            None => format!("for the link of `{name}` since {since}, to send its output `{output}`"),
        }
    }

    fn waits_to_start(&self, task: TaskNumber) -> String {
        let (grid, sweep) = (&self.problem.grid, &self.problem.sweep);
        let inputs = &sweep.task(task).inputs;
        let on_link = grid.cluster_numbers().find_map(|cluster| {
            let (serving, file) = self.carried(cluster)?;
            (serving.task == task || inputs.contains(&file)).then_some((cluster, serving, file))
        });
        if let Some((cluster, serving, file)) = on_link {
            let (file, cluster) = (self.name_of(file), &grid.cluster(cluster).name);
            let end = serving.end.map_or(PAST_THE_END.to_owned(), |end| format!("at {end}"));
            return format!(
                "for its input `{file}` since {}, when the link of `{cluster}` began to carry it, which ends {end}",
                serving.start
            );
        }
        let lost = self.lost_runs.iter().filter(|run| run.task == task).map(|run| run.end);
        let since = lost.fold(sweep.task(task).arrival, SimTime::max);
        let why = match grid.host_numbers().filter_map(|host| self.lacks(task, host)).min() {
            Some(Lacks::Plan) => "the scheduler gives it none".to_owned(),
            Some(Lacks::Link) => format!(
                "over the links of the clusters whose hosts can run it its files would arrive {PAST_THE_END}"
            ),
            Some(Lacks::Processor) => format!("it would end {PAST_THE_END} on the hosts that can run it"),
            Some(Lacks::Host) | None => "no host that can run it is there".to_owned(),
        };
        format!("for a host since {since}: {why}")
    }

    /// Lack of a task on a host; `None` if the host could not run it at any time.
    fn lacks(&self, task: TaskNumber, host: HostNumber) -> Option<Lacks> {
        let (grid, sweep) = (&self.problem.grid, &self.problem.sweep);
        let described = grid.host(host);
        let time = sweep.task(task).time_on(described.architecture)?;
        let cluster = described.cluster;
        if !self.fits(task, cluster) {
            return None;
        }
        let of_task = sweep.task(task);
        let missing = of_task.inputs.iter().filter(|file| !self.has_input(task, **file, cluster));
        let cluster = grid.cluster(cluster);
        // its files go one after another, each after a latency
        let over_link = |at: Option<SimTime>, file: &FileNumber| {
            let begun = at?.saturating_add(SimDuration::ceil_secs(cluster.latency.value_at(at?)));
            cluster.bandwidth.finish(begun, sweep.file(*file).bytes as f64).filter(|end| *end < SimTime::MAX)
        };
        Some(if !self.present[host.index()] {
            Lacks::Host
        } else if !ends(&described.availability, time.real / described.speed) {
            Lacks::Processor
        } else if missing.chain(&*of_task.outputs).fold(Some(now()), over_link).is_none() {
            Lacks::Link
        } else {
            Lacks::Plan
        })
    }
}
