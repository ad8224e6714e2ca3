//! Where a task would go in a chart, and where it goes: the earliest gaps of its link for its files, and a processor behind what its host has.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::kernel::SimDuration;
use crate::sweep::chart::{Chart, ChartBasis, ChartSlot, ClusterCompletion, CompletedWhen};
use crate::sweep::grid::{ClusterNumber, HostNumber};
use crate::sweep::interfaces::Interfaces;

use crate::sweep::planned_storage::PlannedStorage;
use crate::sweep::predictions::{FixedTime, Predictions, SubTask, SweepTransfer};
use crate::workflow::{FileNumber, TaskNumber};

impl Chart {
    /// An empty chart of all that is there, from `delay` after now on.
    pub fn of_grid(
        grid: &dyn Interfaces,
        predictions: Rc<Predictions>,
        completed_when: CompletedWhen,
        delay: SimDuration,
    ) -> Self {
        let described = grid.grid();
        let basis = ChartBasis {
            known: Rc::clone(grid.known()),
            predictions,
            stored: Rc::clone(grid.stored()),
            usage: grid.usage().into(),
            cluster_of: described.hosts.iter().map(|host| host.cluster).collect(),
            completed_when,
        };
        let processors = described
            .host_numbers()
            .map(|host| if grid.is_present(host) { described.host(host).processors } else { 0 });
        let storages = described.clusters.iter().map(|cluster| cluster.has_storage);
        let mut chart = Chart::new(&basis, (grid.now() + delay).as_nanos(), processors, storages);
        for (cluster, columns) in described.cluster_numbers().zip(&mut chart.clusters) {
            columns.limit = grid.storage(cluster).map(|storage| PlannedStorage::new(storage, &basis.known));
        }
        chart
    }

    /// The best that a task can have on a cluster, its inputs in the order of [`in_order`](Chart::in_order); nothing if no host there can
    /// run it. `second` asks for the second-best host, too.
    pub fn look(
        &mut self,
        task: TaskNumber,
        inputs: &[FileNumber],
        cluster: ClusterNumber,
        second: bool,
    ) -> Option<ClusterCompletion> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let found = self.look_with(task, inputs, cluster, second, &mut scratch);
        self.scratch = scratch;
        self.looks += self.clusters[cluster.index()].usable.len() as u64;
        found
    }

    fn look_with(
        &self,
        task: TaskNumber,
        inputs: &[FileNumber],
        cluster: ClusterNumber,
        second: bool,
        sent: &mut Vec<(u64, u64)>,
    ) -> Option<ClusterCompletion> {
        if !self.fits(task, cluster) {
            return None;
        }
        let ready = self.place_inputs(inputs, cluster, self.floor, sent, |_, _| {})?;
        // the least end, of equal ones that of the lowest host, and the next
        let (mut best, mut runner_up) = ((u64::MAX, HostNumber(u32::MAX)), u64::MAX);
        self.each_end(task, cluster, ready, |host, end| {
            if (end, host) < best {
                runner_up = best.0;
                best = (end, host);
            } else {
                runner_up = runner_up.min(end);
            }
        });
        let (end, mut host) = best;
        if end == u64::MAX {
            return None;
        }
        let runner_up = Some(runner_up).filter(|end| *end < u64::MAX);
        let sent_inputs = sent.len();
        let completion = self.place_outputs(task, cluster, end, sent, |_, _| {})?;
        if self.returns(task) && runner_up.is_some() {
            // a host that computes later may have its outputs sent at the same time: then the lower one has it
            let first_sent = sent[sent_inputs..].iter().map(|span| span.0).min().unwrap_or(end);
            let has_several = self.known.outputs(task).len() > 1;
            self.each_end(task, cluster, ready, |other, later| {
                let is_same = other < host
                    && (later <= first_sent || {
                        has_several && later < completion && {
                            sent.truncate(sent_inputs);
                            self.place_outputs(task, cluster, later, sent, |_, _| {}) == Some(completion)
                        }
                    });
                if is_same {
                    host = other;
                }
            });
        }
        let second = match runner_up.filter(|_| second) {
            Some(end) => {
                sent.truncate(sent_inputs);
                self.place_outputs(task, cluster, end, sent, |_, _| {})
            }
            None => None,
        };
        Some(ClusterCompletion { cluster, host, completion, second })
    }

    /// Gives a task its slots on a host; nothing, and the chart as it was, if it cannot run there.
    pub fn assign(&mut self, task: TaskNumber, host: HostNumber) -> Option<ChartSlot> {
        self.assign_from(task, host, self.floor)
    }

    /// The same, where no input is sent for it before an instant.
    pub fn assign_from(&mut self, task: TaskNumber, host: HostNumber, from: u64) -> Option<ChartSlot> {
        let cluster = self.cluster_of[host.index()];
        if !self.fits(task, cluster) {
            return None;
        }
        let (inputs, mut sent) = (self.in_order(task), Vec::new());
        let mut files: SmallVec<[(SubTask, (u64, u64)); 4]> = SmallVec::new();
        let ready = self.place_inputs(&inputs, cluster, from, &mut sent, |file, span| {
            files.push((SubTask::Input(file), span));
        })?;
        let end = self.computed(task, host, ready)?;
        let completion = self.place_outputs(task, cluster, end, &mut sent, |file, span| {
            files.push((SubTask::Output(file), span));
        })?;
        let (processor, tail) = self.hosts[host.index()].first_free();
        let start = ready.max(tail);
        self.hosts[host.index()].tails[processor as usize] = end;
        let columns = &mut self.clusters[cluster.index()];
        for (sub_task, (start, end)) in files {
            columns.link.insert(start, end, sub_task);
            if let (SubTask::Input(file), true) = (sub_task, columns.has_storage) {
                columns.arrivals.insert(file, end);
            }
            self.transfers.push((start, SweepTransfer { cluster, file: sub_task, task }));
        }
        self.keep_within_limit(cluster, &inputs);
        let slot = ChartSlot { host, processor, start, end, completion };
        self.slots.push((task, slot));
        Some(slot)
    }

    /// The end of a computation on each host of a cluster that can have it.
    fn each_end(
        &self,
        task: TaskNumber,
        cluster: ClusterNumber,
        ready: u64,
        mut each: impl FnMut(HostNumber, u64),
    ) {
        for alike in &self.clusters[cluster.index()].alike {
            let architecture = self.predictions.hosts[alike[0].index()].architecture;
            let Some(seconds) = self.known.seconds(task, architecture) else { continue };
            match self.predictions.fixed_computation(alike[0], seconds) {
                FixedTime::Takes(length) => {
                    for &host in alike {
                        each(host, ready.max(self.free_from(host)).saturating_add(length));
                    }
                }
                FixedTime::Never => {}
                FixedTime::Varies => {
                    let ends =
                        alike.iter().filter_map(|host| Some((*host, self.computed(task, *host, ready)?)));
                    ends.for_each(|(host, end)| each(host, end));
                }
            }
        }
    }

    /// When the computation of a task would end on a host.
    fn computed(&self, task: TaskNumber, host: HostNumber, ready: u64) -> Option<u64> {
        let architecture = self.predictions.hosts[host.index()].architecture;
        let seconds = self.known.seconds(task, architecture)?;
        let start = ready.max(self.free_from(host));
        self.predictions.computation_end(host, task, seconds, start)
    }

    fn returns(&self, task: TaskNumber) -> bool {
        self.completed_when == CompletedWhen::Returned && !self.known.outputs(task).is_empty()
    }

    /// When all inputs of a task are on a cluster, none sent before `from`; those that must be sent go into `sent`.
    fn place_inputs(
        &self,
        inputs: &[FileNumber],
        cluster: ClusterNumber,
        from: u64,
        sent: &mut Vec<(u64, u64)>,
        mut placed: impl FnMut(FileNumber, (u64, u64)),
    ) -> Option<u64> {
        sent.clear();
        let columns = &self.clusters[cluster.index()];
        let mut ready = from;
        for &file in inputs {
            if columns.has_storage {
                if self.stored.is_stored(cluster, file) {
                    continue;
                }
                if let Some(&arrival) = columns.arrivals.get(&file) {
                    ready = ready.max(arrival);
                    continue;
                }
            }
            let span = self.gap(cluster, SubTask::Input(file), self.known.bytes(file), from, sent)?;
            placed(file, span);
            ready = ready.max(span.1);
        }
        Some(ready)
    }

    /// When a task is completed whose computation ends at `end`; its outputs go into `sent`.
    fn place_outputs(
        &self,
        task: TaskNumber,
        cluster: ClusterNumber,
        end: u64,
        sent: &mut Vec<(u64, u64)>,
        mut placed: impl FnMut(FileNumber, (u64, u64)),
    ) -> Option<u64> {
        let mut returned = end;
        for &file in self.known.outputs(task) {
            let span = self.gap(cluster, SubTask::Output(file), self.known.bytes(file), end, sent)?;
            placed(file, span);
            returned = returned.max(span.1);
        }
        Some(if self.completed_when == CompletedWhen::Returned { returned } else { end })
    }

    /// The earliest gap of a link for a transfer from `ready` on, between those in `sent`, which it joins.
    pub(super) fn gap(
        &self,
        cluster: ClusterNumber,
        sub_task: SubTask,
        bytes: u64,
        ready: u64,
        sent: &mut Vec<(u64, u64)>,
    ) -> Option<(u64, u64)> {
        let column = &self.clusters[cluster.index()].link;
        let overlapped = |start: u64, end: u64, sent: &[(u64, u64)]| {
            sent.iter().find(|span| start < span.1 && span.0 < end).map(|span| span.1)
        };
        let mut start = ready;
        let span = match self.predictions.fixed_transfer(cluster, sub_task, bytes) {
            FixedTime::Never => return None,
            FixedTime::Takes(length) => loop {
                start = column.earliest(start, length);
                match overlapped(start, start.checked_add(length)?, sent) {
                    Some(later) => start = later,
                    None => break (start, start + length),
                }
            },
            FixedTime::Varies => loop {
                start = column.earliest(start, 0);
                let end = self.predictions.transfer_end(cluster, sub_task, bytes, start)?;
                if !column.is_free(start, end) {
                    start = column.next_busy(start)?.end;
                } else if let Some(later) = overlapped(start, end, sent) {
                    start = later;
                } else {
                    break (start, end);
                }
            },
        };
        sent.push(span);
        Some(span)
    }
}
