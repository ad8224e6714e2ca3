//! Second copies of tasks: a host that has nothing to do computes the task that is predicted to end
//! last, if it would end there earlier.
//!
//! ```text
//!   slow   ├──────────── task 7 ────────────┄┄┄┄┄┄┤   cancelled
//!   fast          ├─ input ─┼─── task 7 ────┤         its outputs are sent
//! ```
//!
//! There is one second copy of a task at most. What ends first counts; the other is cancelled at
//! the same instant.
//!
//! Source: section 7.3.4 of the report of the Parameter Sweep Template names the action for this;
//! the rule is a choice of ours.

use std::cmp::Reverse;

use crate::collections::OrderedMap;
use crate::estimate::predictions::{Predictions, SubTask, SweepTransfer};
use crate::kernel::SimTime;
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber};
use crate::plan::chart::Chart;
use crate::scheduler::dispatch::Queues;
use crate::scheduler::interfaces::Interfaces;
use crate::workflow::{FileNumber, TaskNumber};

/// A second copy of a task.
#[derive(Clone, Copy, Debug)]
struct SecondCopy {
    /// The host that computes the task already.
    first: HostNumber,
    host: HostNumber,
    /// True if it computes; else its inputs are being sent.
    is_running: bool,
}

/// The second copies of a run.
#[derive(Debug, Default)]
pub(crate) struct Duplicates {
    copies: OrderedMap<TaskNumber, SecondCopy>,
    /// Computations whose tasks have ended on other hosts.
    late: Vec<(TaskNumber, HostNumber)>,
}

fn cluster_of(host: HostNumber, grid: &dyn Interfaces) -> ClusterNumber {
    grid.grid().host(host).cluster
}

/// Instant from which another cluster can send a file over a link: now if it has it, or once the
/// file that is in transit has arrived.
fn there_from(
    file: FileNumber,
    cluster: ClusterNumber,
    (link, source): (LinkNumber, ClusterNumber),
    grid: &dyn Interfaces,
) -> Option<u64> {
    if grid.is_at_source(link, cluster, file) {
        return grid.can_spare(link, cluster, file).then(|| grid.now().as_nanos());
    }
    let described = grid.grid();
    let keeps = grid.is_linked(source) && described.cluster(source).has_storage;
    let mut carried = described.links_of(source).filter_map(|link| grid.carried(link));
    let (_, end) = carried
        .find(|(transfer, _)| (transfer.cluster, transfer.file) == (source, SubTask::Input(file)))
        .filter(|_| keeps)?;
    Some(end.as_nanos())
}

/// Earliest arrival of an input on a cluster, and the link that carries it, each link being free
/// from an instant on: as in plans ([`input_span`](Chart::input_span)) from its origin or from
/// another cluster, of equals from its origin, then over the lowest link.
fn first_arrival(
    file: FileNumber,
    cluster: ClusterNumber,
    free: &[(LinkNumber, u64)],
    predictions: &Predictions,
    grid: &dyn Interfaces,
) -> Option<(u64, LinkNumber)> {
    let bytes = grid.known().bytes(file);
    let over = |link: LinkNumber, from: u64| {
        let (_, at) = free.iter().find(|(other, _)| *other == link)?;
        Some((predictions.transfer_end(link, SubTask::Input(file), bytes, from.max(*at))?, link))
    };
    let neighbours = grid.grid().neighbours(cluster).iter();
    let copies = neighbours.filter_map(|&joined| over(joined.0, there_from(file, cluster, joined, grid)?));
    over(grid.link_of(file, cluster), 0).into_iter().chain(copies).min_by_key(|(end, _)| *end)
}

/// The inputs of a task that must be sent to a cluster, with their links, and when all are there;
/// `None` if they never are.
fn inputs_there(
    task: TaskNumber,
    cluster: ClusterNumber,
    queues: &Queues,
    predictions: &Predictions,
    grid: &dyn Interfaces,
) -> Option<(Vec<(FileNumber, LinkNumber)>, u64)> {
    let known = grid.known();
    let stays = grid.grid().cluster(cluster).has_storage;
    let mut missing = known.inputs(task).to_vec();
    missing.retain(|file| !grid.has_input(task, *file, cluster));
    missing.sort_by_key(|file| (Reverse(grid.usage()[file.index()]), *file));
    let now = grid.now().as_nanos();
    let mut ready = now;
    let described = grid.grid();
    let mut free: Vec<(LinkNumber, u64)> = described.links_of(cluster).map(|link| (link, now)).collect();
    let mut arrives = |transfer: &SweepTransfer, end: u64| {
        if let SubTask::Input(file) = transfer.file
            && transfer.cluster == cluster
            && (stays || transfer.task == task)
            && let Some(place) = missing.iter().position(|other| *other == file)
        {
            missing.remove(place);
            ready = ready.max(end);
        }
    };
    for (link, at) in &mut free {
        if let Some((transfer, end)) = grid.carried(*link) {
            *at = end.as_nanos();
            arrives(&transfer, *at);
        }
        for transfer in queues.links[link.index()].iter() {
            let file = match transfer.file {
                SubTask::Output(file) if grid.has_computed(transfer.task) => file,
                SubTask::Input(file) => file,
                _ => continue,
            };
            *at = predictions.transfer_end(*link, transfer.file, known.bytes(file), *at)?;
            arrives(transfer, *at);
        }
    }
    let mut sent = Vec::new();
    for file in missing {
        let (end, link) = first_arrival(file, cluster, &free, predictions, grid)?;
        free.iter_mut().filter(|(other, _)| *other == link).for_each(|(_, at)| *at = end);
        ready = ready.max(end);
        sent.push((file, link));
    }
    Some((sent, ready))
}

/// Instant at which a task would end on a host that has its inputs at `ready`; `None` if never.
fn end_on(
    task: TaskNumber,
    host: HostNumber,
    ready: u64,
    predictions: &Predictions,
    grid: &dyn Interfaces,
) -> Option<SimTime> {
    let seconds = grid.known().seconds(task, grid.grid().host(host).architecture)?;
    predictions.computation_end(host, task, seconds, ready).map(SimTime::from_nanos)
}

impl Duplicates {
    /// Blocks the processors of a host for what it computes; outputs are sent by which of two
    /// computations of a task ends first.
    pub(crate) fn draw_running(&self, chart: &mut Chart, host: HostNumber, grid: &dyn Interfaces) {
        for running in grid.computing(host) {
            let other = self.other(running.task, host).and_then(|other| {
                let end = grid.computing(other).into_iter().find(|one| one.task == running.task)?.end;
                Some((end, other))
            });
            let end = other.map_or(running.end, |(end, _)| end.min(running.end)).as_nanos();
            chart.occupy_host(host, running.processor, running.task, end);
            if other.is_none_or(|other| (running.end, host) < other) {
                chart.send_outputs(running.task, cluster_of(host, grid), end);
            }
        }
    }

    /// The host that computes a task as well.
    fn other(&self, task: TaskNumber, host: HostNumber) -> Option<HostNumber> {
        let copy = self.copies.get(&task).filter(|copy| copy.is_running)?;
        Some(if host == copy.host { copy.first } else { copy.host })
    }

    /// The computation of a task has ended on a host: what was to be done for it on another is not.
    pub(crate) fn work_done(
        &mut self,
        task: TaskNumber,
        host: HostNumber,
        queues: &mut Queues,
        grid: &dyn Interfaces,
    ) {
        let Some(copy) = self.copies.remove(&task) else { return };
        let other = if host == copy.host { copy.first } else { copy.host };
        if copy.is_running {
            self.late.push((task, other));
        }
        let (cluster, of_first) = (cluster_of(other, grid), cluster_of(host, grid));
        let stays = grid.grid().cluster(cluster).has_storage;
        let also_for = |file: FileNumber| {
            let mut waiting = self.copies.iter().filter(|(_, copy)| cluster_of(copy.host, grid) == cluster);
            stays && waiting.any(|(other, _)| grid.known().inputs(*other).contains(&file))
        };
        for link in grid.grid().links_of(cluster) {
            queues.links[link.index()].retain(|transfer| match transfer.file {
                _ if transfer.task != task || transfer.cluster != cluster => true,
                SubTask::Input(file) => also_for(file),
                _ => cluster == of_first,
            });
        }
    }

    /// A host is gone: computations on it are lost, and copies that wait are looked at again.
    pub(crate) fn host_failed(&mut self, host: HostNumber, queues: &mut Queues, grid: &dyn Interfaces) {
        self.forget_waiting(queues, grid);
        let lost = self.copies.extract_if(|_, copy| copy.first == host || copy.host == host);
        for (task, copy) in lost {
            let other = if host == copy.host { copy.first } else { copy.host };
            let (cluster, of_other) = (cluster_of(host, grid), cluster_of(other, grid));
            // its outputs were to be sent from there, if it was predicted to end first
            for link in grid.grid().links_of(cluster).filter(|_| cluster != of_other) {
                let is_output = |file| matches!(file, SubTask::Output(_));
                queues.links[link.index()]
                    .retain(|transfer| transfer.task != task || !is_output(transfer.file));
            }
        }
    }

    /// Gives up the copies that wait for inputs.
    pub(crate) fn forget_waiting(&mut self, queues: &mut Queues, grid: &dyn Interfaces) {
        let waiting = self.copies.extract_if(|_, copy| !copy.is_running);
        for (_, copy) in waiting {
            queues.prune_link(cluster_of(copy.host, grid), grid);
        }
    }

    /// Cancels computations whose tasks have ended on other hosts.
    pub(crate) fn cancel_late(&mut self, queues: &mut Queues, grid: &mut dyn Interfaces) {
        for (task, host) in std::mem::take(&mut self.late) {
            grid.cancel(task, host);
            queues.touch(cluster_of(host, grid));
        }
    }

    /// Starts copies whose inputs are there, and begins others on hosts that have nothing to do.
    /// Whether links have got something.
    pub(crate) fn begin(&mut self, queues: &mut Queues, grid: &mut dyn Interfaces) -> bool {
        let Some(predictions) = grid.last_predictions().cloned() else { return false };
        let predictions = &*predictions;
        self.start_waiting(predictions, grid);
        // a cluster that was to send an input on may have lost it
        if grid.grid().has_links_between() && self.lacks_inputs(queues, grid) {
            self.forget_waiting(queues, grid);
        }
        let waits = |copies: &OrderedMap<TaskNumber, SecondCopy>, host: HostNumber| {
            copies.values().filter(|copy| !copy.is_running && copy.host == host).count() as u32
        };
        // where a storage has a limit a copy could keep tasks of its queues from their room
        let has_limit = |host: &HostNumber| grid.grid().cluster(cluster_of(*host, grid)).capacity.is_some();
        let hosts: Vec<HostNumber> = grid
            .grid()
            .host_numbers()
            .filter(|host| !has_limit(host))
            .filter(|host| queues.hosts[host.index()].is_empty())
            .filter(|host| grid.idle_processors(*host) > waits(&self.copies, *host))
            .collect();
        if hosts.is_empty() {
            return false;
        }
        let mut running: Vec<(Reverse<SimTime>, TaskNumber, HostNumber)> = Vec::new();
        for host in grid.grid().host_numbers().filter(|host| !has_limit(host)) {
            let computed =
                grid.computing(host).into_iter().filter(|one| !self.copies.contains_key(&one.task));
            running.extend(computed.map(|one| (Reverse(one.end), one.task, host)));
        }
        running.sort_unstable();
        let mut sends = false;
        for host in hosts {
            while grid.idle_processors(host) > waits(&self.copies, host) {
                let architecture = grid.grid().host(host).architecture;
                let last = running.iter().position(|(_, task, first)| {
                    *first != host && grid.known().seconds(*task, architecture).is_some()
                });
                let Some(place) = last else { break };
                let (Reverse(end), task, first) = running[place];
                let cluster = cluster_of(host, grid);
                let found = inputs_there(task, cluster, queues, predictions, grid);
                let Some((missing, ready)) = found else { break };
                if end_on(task, host, ready, predictions, grid).is_none_or(|own| own >= end) {
                    break;
                }
                running.remove(place);
                // what takes no time to send is not there yet
                let inputs = grid.known().inputs(task);
                let is_running = inputs.iter().all(|file| grid.has_input(task, *file, cluster));
                self.copies.insert(task, SecondCopy { first, host, is_running });
                if is_running {
                    grid.compute(task, host);
                }
                for (file, link) in missing {
                    let is_ready = grid.is_at_source(link, cluster, file);
                    let transfer = SweepTransfer { cluster, link, file: SubTask::Input(file), task };
                    queues.send(transfer, is_ready);
                    queues.touch(cluster);
                    sends = true;
                }
            }
        }
        sends
    }

    /// Returns true if a copy waits for an input that is not requested.
    fn lacks_inputs(&self, queues: &Queues, grid: &dyn Interfaces) -> bool {
        self.copies.iter().filter(|(_, copy)| !copy.is_running).any(|(task, copy)| {
            let cluster = cluster_of(copy.host, grid);
            grid.known().inputs(*task).iter().any(|file| {
                !grid.has_input(*task, *file, cluster) && !queues.is_requested(*task, *file, cluster, grid)
            })
        })
    }

    /// Starts copies whose inputs are there now, if they still would end earlier.
    fn start_waiting(&mut self, predictions: &Predictions, grid: &mut dyn Interfaces) {
        let mut given_up = Vec::new();
        for (&task, copy) in self.copies.iter_mut().filter(|(_, copy)| !copy.is_running) {
            let cluster = cluster_of(copy.host, grid);
            if !grid.known().inputs(task).iter().all(|file| grid.has_input(task, *file, cluster)) {
                continue;
            }
            let first = grid.computing(copy.first).into_iter().find(|one| one.task == task);
            let own = end_on(task, copy.host, grid.now().as_nanos(), predictions, grid);
            if grid.idle_processors(copy.host) > 0
                && own.zip(first).is_some_and(|(own, first)| own < first.end)
            {
                copy.is_running = true;
                grid.compute(task, copy.host);
            } else {
                given_up.push(task);
            }
        }
        self.copies.retain(|task, _| !given_up.contains(task));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heuristic::WorkqueueOrder;
    use crate::kernel::rng::Streams;
    use crate::model::application::Sweep;
    use crate::model::grid::SweepGrid;
    use crate::plan::planner::Planner;
    use crate::plan::settings::PlanSettings;
    use crate::platform::Trace;
    use crate::results::host_time::HostTimeAccount;
    use crate::results::record::{DiscardedRun, SweepOutcomes};
    use crate::scheduler::link_queue::LinkDiscipline;
    use crate::scheduler::workqueue::WorkqueueScheduler;
    use crate::tests::{grid, lawful, random_case, run_with, secs, secs_at, sweep};

    /// A long task on a slow host, where a fast one is free at 10 s; the task is known to end last.
    fn one_is_slow() -> (SweepGrid, Sweep) {
        let grid = grid(&[(10e3, &[0.1]), (10e3, &[1.0])]);
        let sweep = sweep(&[20_000], &[(&[] as &[u32], 10.0, 0), (&[0], 20.0, 10_000)]);
        (grid, sweep)
    }

    fn duplicating(grid: SweepGrid, sweep: Sweep, duplicate: bool) -> SweepOutcomes {
        let workqueue = WorkqueueScheduler::new(WorkqueueOrder::First, LinkDiscipline::Greedy);
        run_with(grid, sweep, Box::new(workqueue.duplicating(duplicate)))
    }

    #[test]
    fn an_idle_host_computes_the_task_that_ends_last_and_the_first_to_end_cancels_the_other() {
        let (grid, mut sweep) = one_is_slow();
        // the first host gets task 0, the second task 1; on the second 0 would end at 2 + 20 + 10
        sweep.tasks.swap(0, 1);
        let alone = duplicating(grid.clone(), sweep.clone(), false);
        assert_eq!((secs(&alone), alone.duplicates), (2.0 + 200.0 + 1.0, 0));
        let outcomes = duplicating(grid, sweep, true);
        // the other task is computed until 10 s; the file is sent for 2 s, and the output for 1 s
        let task = &outcomes.tasks[0];
        assert_eq!((task.start, task.end, task.attempts), (Some(secs_at(12)), Some(secs_at(32)), 1));
        assert_eq!((secs(&outcomes), outcomes.duplicates, outcomes.failed), (33.0, 1, 0));
        let run =
            DiscardedRun { task: TaskNumber(0), host: HostNumber(0), start: secs_at(2), end: secs_at(32) };
        assert_eq!(outcomes.discarded, [run]);
        let [computing, waiting, idle, lost, absent, discarded] = HostTimeAccount::of(&outcomes).seconds();
        assert_eq!((computing, discarded, lost, absent), (30.0, 30.0, 0.0, 0.0));
        assert_eq!((waiting, idle), (2.0 + 2.0, 2.0));
    }

    #[test]
    fn an_input_that_takes_no_time_is_sent_before_the_second_copy_starts() {
        let (grid, mut sweep) = one_is_slow();
        sweep.tasks.swap(0, 1);
        sweep.files[0].bytes = 0;
        sweep.files[0].estimated = 0;
        let outcomes = duplicating(grid, sweep, true);
        let task = &outcomes.tasks[0];
        assert_eq!((task.start, task.end), (Some(secs_at(10)), Some(secs_at(30))));
        assert_eq!((outcomes.duplicates, outcomes.transfers.len()), (1, 3));
    }

    /// The file takes longer than was thought, so that both copies would end at the same instant.
    #[test]
    fn a_second_copy_that_would_end_no_earlier_is_not_started() {
        let grid = grid(&[(10e3, &[0.5]), (10e3, &[1.0])]);
        let mut sweep = sweep(&[20_000], &[(&[0], 20.0, 0), (&[] as &[u32], 20.0, 0)]);
        sweep.files[0].estimated = 10_000;
        let outcomes = duplicating(grid, sweep, true);
        assert_eq!((secs(&outcomes), outcomes.discarded.len()), (42.0, 0));
    }

    #[test]
    fn a_second_copy_goes_on_where_the_first_is_lost_and_the_first_where_the_second_is() {
        for (gone, end) in [(0, 32), (1, 202)] {
            let (mut grid, mut sweep) = one_is_slow();
            sweep.tasks.swap(0, 1);
            grid.hosts[gone].present =
                Trace::new(&[(secs_at(0), 1.0), (secs_at(20), 0.0)], None).expect("a trace");
            let outcomes = duplicating(grid, sweep, true);
            assert_eq!((outcomes.tasks[0].end, outcomes.failed), (Some(secs_at(end)), 1));
            assert_eq!((outcomes.duplicates, outcomes.discarded.len()), (1, 0));
            assert_eq!(outcomes.tasks[0].attempts, 1);
        }
    }

    #[test]
    fn runs_with_second_copies_are_lawful_and_throw_away_what_they_say() {
        let (mut copies, mut sooner, mut later) = (0, 0, 0);
        for case in 0..300 {
            let run = |duplicate: bool| {
                let (grid, sweep, settings) = random_case(case);
                let settings = PlanSettings { duplicate, ..settings };
                run_with(grid, sweep, Box::new(Planner::new(settings, Streams::new(case, 0))))
            };
            let (outcomes, alone) = (run(true), run(false));
            lawful(&outcomes);
            copies += outcomes.duplicates;
            sooner += u32::from(secs(&outcomes) < secs(&alone));
            later += u32::from(secs(&outcomes) > secs(&alone));
            let mut spans: Vec<_> =
                outcomes.tasks.iter().map(|task| (task.host, task.start, task.end)).collect();
            for run in &outcomes.discarded {
                let task = &outcomes.tasks[run.task.index()];
                assert!(task.attempts > 1 || task.end == Some(run.end), "case {case}");
                assert!(task.attempts > 1 || task.host != Some(run.host), "case {case}");
                spans.push((Some(run.host), Some(run.start), Some(run.end)));
            }
            spans.sort_unstable();
            for pair in spans.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                assert!(pair[0].2 <= pair[1].1, "case {case}: two computations at once on a host");
            }
            if alone.duplicates == 0 && outcomes.duplicates == 0 {
                assert_eq!(outcomes.tasks, alone.tasks, "case {case}");
            }
            let (grid, sweep, settings) = random_case(case);
            let order =
                if case.is_multiple_of(2) { WorkqueueOrder::First } else { WorkqueueOrder::MostBytes };
            let workqueue = WorkqueueScheduler::new(order, settings.links).duplicating(true);
            lawful(&run_with(grid, sweep, Box::new(workqueue)));
        }
        assert!(copies > 100 && sooner > 4 * later, "{copies} copies, {sooner} sooner, {later} later");
    }
}
