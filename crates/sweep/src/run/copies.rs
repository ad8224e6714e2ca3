//! Computations that are lost, cancelled or thrown away. Where two processors compute a task, what
//! ends first counts.

use std::rc::Rc;

use crate::kernel::{SimDuration, SimTime, note_decision, now};
use crate::model::grid::HostNumber;
use crate::results::record::DiscardedRun;
use crate::run::grid_state::{GridState, ServerPlace, Serving, TaskState};
use crate::workflow::TaskNumber;

impl GridState {
    /// Place of the computation of a task that may be started a second time, on this host; `None`
    /// if it may not.
    pub(crate) fn first_of(&self, task: TaskNumber, host: HostNumber) -> Option<ServerPlace> {
        let first = self.records[task.index()].host.filter(|first| *first != host)?;
        if self.tasks[task.index()] != TaskState::Computing || self.copies.contains_key(&task) {
            return None;
        }
        let computes =
            |server: &super::grid_state::Server| server.task.is_some_and(|serving| serving.task == task);
        let processor = self.processors_of(first).iter().position(computes)?;
        Some(ServerPlace::Processor(first, processor as u32))
    }

    /// A computation has ended or was broken off after its task was computed elsewhere, or while it
    /// is.
    pub(crate) fn discard(&mut self, host: HostNumber, serving: &Serving) {
        let (task, start) = (serving.task, serving.start);
        self.discarded.push(DiscardedRun { task, host, start, end: now() });
        // the room on another cluster than that of the computation that counts
        let cluster = |host: HostNumber| self.problem.grid.host(host).cluster;
        if self.records[task.index()].host.is_some_and(|counted| cluster(counted) != cluster(host)) {
            self.give_back_room(task, host);
        }
    }

    /// A computation of a task that another processor computes as well is over, and the other goes
    /// on. Whether there is another.
    fn goes_on_elsewhere(&mut self, place: ServerPlace, task: TaskNumber) -> bool {
        let Some([first, second]) = self.copies.remove(&task) else { return false };
        let other = if first == place { second } else { first };
        let start = self.server(other).task.map(|serving| serving.start);
        if let ServerPlace::Processor(host, _) = other {
            let record = &mut self.records[task.index()];
            (record.host, record.start) = (Some(host), start);
        }
        true
    }

    /// Loses a computation with its host. Returns true if the task is to be done again.
    pub(crate) fn lose_computation(
        &mut self,
        place: ServerPlace,
        host: HostNumber,
        serving: &Serving,
    ) -> bool {
        let task = serving.task;
        if self.tasks[task.index()] != TaskState::Computing {
            self.discard(host, serving);
            return false;
        }
        if self.goes_on_elsewhere(place, task) {
            self.failed += 1;
            self.lost = self.lost.saturating_add(now().since(serving.start));
            self.lost_runs.push(DiscardedRun { task, host, start: serving.start, end: now() });
            return false;
        }
        self.lose(task, Some(serving.start));
        true
    }

    /// A computation was cancelled.
    pub(crate) fn cancelled(&mut self, place: ServerPlace, host: HostNumber, serving: &Serving) {
        let is_late = self.tasks[serving.task.index()] != TaskState::Computing;
        if is_late || self.goes_on_elsewhere(place, serving.task) {
            self.discard(host, serving);
        } else {
            self.lose(serving.task, Some(serving.start));
        }
    }

    /// A task has to be done again that ran from `started` on, or whose outputs are lost.
    pub(crate) fn lose(&mut self, task: TaskNumber, started: Option<SimTime>) {
        self.tasks[task.index()] = TaskState::Waiting;
        self.failed += 1;
        let record = &mut self.records[task.index()];
        let span = match (started, record.start, record.end) {
            (None, Some(start), Some(end)) => Some((start, end)),
            (started, ..) => started.map(|start| (start, now())),
        };
        if let (Some((start, end)), Some(host)) = (span, record.host) {
            self.lost = self.lost.saturating_add(end.since(start));
            self.lost_runs.push(DiscardedRun { task, host, start, end });
        }
        let host = record.host;
        note_decision(|_, _| {
            let sweep = &self.problem.sweep;
            let where_to = host.map_or("a host", |host| &*self.problem.grid.host(host).name);
            let open = sweep.tasks.len() - self.completed;
            Some(format!(
                "task `{}` was lost on `{where_to}` and is to be computed again; {open} tasks are not completed: hosts fail \
                 sooner than tasks end",
                sweep.task(task).name
            ))
        });
        // it is nowhere until it starts again
        (record.host, record.start, record.end) = (None, None, None);
        host.into_iter().for_each(|host| self.give_back_room(task, host));
        let sweep = Rc::clone(&self.problem.sweep);
        for file in &*sweep.task(task).inputs {
            self.usage[file.index()] += 1;
        }
        for file in &*sweep.task(task).outputs {
            self.returned[file.index() / 64] &= !(1 << (file.index() % 64));
        }
    }

    /// Throws away what is still computed as the run ends, though its task has been computed.
    pub(crate) fn discard_late(&mut self, end: SimTime) {
        let grid = Rc::clone(&self.problem.grid);
        for host in grid.host_numbers() {
            let late = self.processors_of(host).iter().filter_map(|server| server.task);
            let late = late.filter(|serving| {
                matches!(self.tasks[serving.task.index()], TaskState::Computed(_) | TaskState::Completed)
            });
            let runs =
                late.map(|serving| DiscardedRun { task: serving.task, host, start: serving.start, end });
            let runs: Vec<DiscardedRun> = runs.collect();
            self.discarded.extend(runs);
        }
    }
}

/// The time of processors in computations that were thrown away.
pub(crate) fn discarded_time(runs: &[DiscardedRun]) -> SimDuration {
    runs.iter().fold(SimDuration::ZERO, |sum, run| sum.saturating_add(run.end.since(run.start)))
}
