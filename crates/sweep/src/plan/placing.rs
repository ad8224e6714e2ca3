//! Placing of a task in a chart, tried or done: the earliest gaps of its link for its files, and a
//! processor behind the tasks that its host has.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::estimate::predictions::{FixedTime, Predictions, SubTask, SweepTransfer};
use crate::kernel::SimDuration;
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber};
use crate::plan::alike::AlikeHosts;
use crate::plan::chart::{Chart, ChartBasis, ChartSlot, ClusterCompletion, CompletedWhen, SentSpan};
use crate::plan::inputs::PlannedStorage;
use crate::scheduler::interfaces::Interfaces;
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
            grid: Rc::clone(described),
            cluster_of: described.hosts.iter().map(|host| host.cluster).collect(),
            completed_when,
        };
        let processors = described
            .host_numbers()
            .map(|host| if grid.is_present(host) { described.host(host).processors } else { 0 });
        let storages = described.clusters.iter().map(|cluster| cluster.has_storage);
        let mut chart = Chart::new(&basis, (grid.now() + delay).as_nanos(), processors, storages);
        for (cluster, columns) in described.cluster_numbers().zip(&mut chart.clusters) {
            columns.is_linked = grid.is_linked(cluster);
            columns.limit = grid.storage(cluster).map(|storage| PlannedStorage::new(storage, &basis.known));
        }
        chart
    }

    /// The best that a task can have on a cluster, its inputs in the order of
    /// [`in_order`](Chart::in_order); `None` if no host there can run it. `second` asks for the
    /// second-best host, too.
    ///
    /// With it comes what the completion will not be less than, whatever else gets slots on the
    /// cluster, as long as none of the inputs is sent there and what is predicted of the cluster
    /// stays as it is. Completions do not simply grow: each transfer goes into the first gap that
    /// those before it leave, and of *three* one that must move may leave its place to another, so
    /// that the last of them ends sooner. Inputs of 5, 3 and 3 s into the gaps 1-8, 9-14, 15-16 and
    /// from 20 on end at 23 s; if 4-5 is taken, they end at 14 s.
    ///
    /// The last end of *two*, first x and then y, never falls when more is taken. Let it be that of
    /// y, and suppose that x and y, placed again as x' and y', both end before. The place of y' was
    /// free, so it was x that kept y from it: x meets y'. As x' does not begin before x, y' lies
    /// before x'. If x is shorter than y, x' could lie where y' does, which is sooner: it would.
    /// Else y fits into the end of x', which was free but for x; so x reaches into it, and x'
    /// begins less than the length of y after x. Thus y' begins before x and reaches into it, all
    /// was free from there to the end of x, and x would have begun there. Either is impossible.
    ///
    /// So the bound is what follows from the first two inputs that are sent on each link and the
    /// first two outputs: the end of a computation grows with the instant at which its inputs are
    /// there, by no more than that does, and with what else hosts have to do; and outputs, which
    /// are sent later, never meet inputs of their task.
    pub(crate) fn look(
        &mut self,
        task: TaskNumber,
        inputs: &[FileNumber],
        cluster: ClusterNumber,
        second: bool,
    ) -> (Option<ClusterCompletion>, u64) {
        let mut scratch = std::mem::take(&mut self.scratch);
        let found = self.look_with(task, inputs, cluster, second, &mut scratch);
        self.scratch = scratch;
        found.map_or((None, u64::MAX), |(found, bound)| (Some(found), bound))
    }

    /// Counts looks at so many tasks on a cluster.
    pub(crate) fn count_looks(&mut self, tasks: u64, cluster: ClusterNumber) {
        self.looks += tasks * self.clusters[cluster.index()].usable.len() as u64;
    }

    fn look_with(
        &self,
        task: TaskNumber,
        inputs: &[FileNumber],
        cluster: ClusterNumber,
        second: bool,
        sent: &mut Vec<SentSpan>,
    ) -> Option<(ClusterCompletion, u64)> {
        if !self.fits(task, cluster) {
            return None;
        }
        let (ready, ready_of_two) = self.place_inputs(inputs, cluster, self.floor, sent, |_, _| {})?;
        let sent_inputs = sent.len();
        // the least end, of equal ones that of the lowest host, and the next
        let (mut best, mut runner_up) = ((u64::MAX, HostNumber(u32::MAX)), u64::MAX);
        self.each_end(task, cluster, ready, |alike, start, end| {
            let lowest = alike.lowest_free(start).filter(|host| (end, *host) < best);
            let Some(host) = lowest else {
                runner_up = runner_up.min(end);
                return runner_up;
            };
            let next = alike.starts(ready).1.map_or(u64::MAX, |next| end.saturating_add(next - start));
            runner_up = next.min(best.0);
            best = (end, host);
            runner_up
        });
        let (end, mut host) = best;
        if end == u64::MAX {
            return None;
        }
        let runner_up = Some(runner_up).filter(|end| *end < u64::MAX);
        let outputs = self.known.outputs(task);
        let completion = self.place_outputs(outputs, cluster, end, sent, |_, _| {})?;
        let first_sent = sent[sent_inputs..].iter().map(|span| span.1).min().unwrap_or(end);
        let mut returned = |outputs: &[FileNumber], end: u64| {
            sent.truncate(sent_inputs);
            self.place_outputs(outputs, cluster, end, sent, |_, _| {})
        };
        let mut bound = completion;
        if ready_of_two < ready || outputs.len() > 2 {
            let sooner = end - (ready - ready_of_two);
            bound = returned(&outputs[..outputs.len().min(2)], sooner).unwrap_or(sooner);
        }
        let has_several = outputs.len() > 1;
        if self.returns(task) && runner_up.is_some() && (has_several || first_sent > end) {
            // a host that computes later may have its outputs sent at the same time: then the lower
            // one has it
            self.each_end(task, cluster, ready, |alike, start, end| {
                let length = end - start;
                let lowest = if has_several {
                    let mut is_same = |start: u64| {
                        start.checked_add(length).is_some_and(|later| {
                            later <= first_sent
                                || later < completion && returned(outputs, later) == Some(completion)
                        })
                    };
                    let mut lower = alike.each_start(ready).take_while(|(other, _)| *other < host);
                    lower.find(|(_, start)| is_same(*start)).map(|(other, _)| other)
                } else {
                    let latest = first_sent.checked_sub(length).filter(|latest| start <= *latest);
                    latest.and_then(|latest| alike.lowest_free(latest))
                };
                host = lowest.map_or(host, |lowest| lowest.min(host));
                u64::MAX
            });
        }
        let second = runner_up.filter(|_| second).and_then(|end| returned(outputs, end));
        // where latencies fall, or of three outputs, what is computed later may be at the origin
        // sooner; then neither host is better
        let second = second.map(|second| second.max(completion));
        Some((ClusterCompletion { cluster, host, completion, second }, bound))
    }

    /// Gives a task its slots on a host; `None`, and the chart as it was, if it cannot run there.
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
        let mut files: SmallVec<[(SubTask, SentSpan); 4]> = SmallVec::new();
        let (ready, _) = self.place_inputs(&inputs, cluster, from, &mut sent, |file, span| {
            files.push((SubTask::Input(file), span));
        })?;
        let end = self.computed(task, host, ready)?;
        let known = Rc::clone(&self.known);
        let completion = self.place_outputs(known.outputs(task), cluster, end, &mut sent, |file, span| {
            files.push((SubTask::Output(file), span));
        })?;
        let (processor, tail) = self.hosts[host.index()].first_free();
        let start = ready.max(tail);
        self.set_tail(host, processor, end);
        let columns = &mut self.clusters[cluster.index()];
        for (sub_task, (link, start, end)) in files {
            self.links[link.index()].insert(start, end, sub_task);
            if let (SubTask::Input(file), true) = (sub_task, columns.has_storage) {
                // a file of one task will not be asked for again
                if self.known.users(file).len() > 1 {
                    columns.arrivals.insert(file, end);
                }
            }
            self.transfers.push((start, SweepTransfer { cluster, link, file: sub_task, task }));
        }
        self.keep_within_limit(cluster, &inputs);
        let slot = ChartSlot { host, processor, start, end, completion };
        self.slots.push((task, slot));
        Some(slot)
    }

    /// The hosts of a cluster that are alike and can have a task, when it can start on the first of
    /// them, and when it then ends; `each` says which later starts do not matter any more.
    fn each_end(
        &self,
        task: TaskNumber,
        cluster: ClusterNumber,
        ready: u64,
        mut each: impl FnMut(&AlikeHosts, u64, u64) -> u64,
    ) {
        let mut latest = u64::MAX;
        for alike in &self.clusters[cluster.index()].alike {
            let (host, start) = (alike.any(), alike.starts(ready).0);
            if start > latest {
                continue;
            }
            let seconds = self.known.seconds(task, self.predictions.hosts[host.index()].architecture);
            let end =
                seconds.and_then(|seconds| self.predictions.computation_end(host, task, seconds, start));
            if let Some(end) = end {
                latest = each(alike, start, end);
            }
        }
    }

    /// Instant at which the first host of a cluster has a processor free for ever; `None` where
    /// what is predicted of hosts or the link changes.
    pub(crate) fn first_free(&self, cluster: ClusterNumber) -> Option<u64> {
        let columns = &self.clusters[cluster.index()];
        let free = columns.alike.iter().map(|alike| alike.starts(0).0);
        free.min().filter(|_| columns.is_constant)
    }

    /// Least span of a task on a cluster whose predictions all stay as they are: from the instant
    /// at which a host is free to the end of its computation, and then to the arrival of its
    /// outputs, which each link sends one after the other.
    pub(crate) fn least_span(&self, task: TaskNumber, cluster: ClusterNumber) -> u64 {
        let mut least = u64::MAX;
        self.each_end(task, cluster, self.floor, |_, start, end| {
            least = least.min(end - start);
            u64::MAX
        });
        if self.returns(task) {
            let mut by_link: SmallVec<[(LinkNumber, u64); 2]> = SmallVec::new();
            for &file in self.known.outputs(task) {
                let link = self.link_of(file, cluster);
                let output = SubTask::Output(file);
                if let FixedTime::Takes(length) =
                    self.predictions.fixed_transfer(link, output, self.known.bytes(file))
                {
                    match by_link.iter_mut().find(|(other, _)| *other == link) {
                        Some((_, sum)) => *sum = sum.saturating_add(length),
                        None => by_link.push((link, length)),
                    }
                }
            }
            let sending = by_link.iter().map(|(_, sum)| *sum).max();
            least = least.saturating_add(sending.unwrap_or(0));
        }
        least
    }

    /// Instant at which the computation of a task would end on a host.
    fn computed(&self, task: TaskNumber, host: HostNumber, ready: u64) -> Option<u64> {
        let architecture = self.predictions.hosts[host.index()].architecture;
        let seconds = self.known.seconds(task, architecture)?;
        let start = ready.max(self.free_from(host));
        self.predictions.computation_end(host, task, seconds, start)
    }

    fn returns(&self, task: TaskNumber) -> bool {
        self.completed_when == CompletedWhen::Returned && !self.known.outputs(task).is_empty()
    }

    /// Instant at which all inputs of a task are on a cluster, none sent before `from`, and the
    /// same if only two of them had to be sent on each link; those that must be go into `sent`.
    fn place_inputs(
        &self,
        inputs: &[FileNumber],
        cluster: ClusterNumber,
        from: u64,
        sent: &mut Vec<SentSpan>,
        mut placed: impl FnMut(FileNumber, SentSpan),
    ) -> Option<(u64, u64)> {
        sent.clear();
        let columns = &self.clusters[cluster.index()];
        let (mut ready, mut of_two) = (from, from);
        for &file in inputs {
            if columns.has_storage {
                if self.stored.is_stored(cluster, file) {
                    continue;
                }
                if let Some(&arrival) = columns.arrivals.get(&file) {
                    (ready, of_two) = (ready.max(arrival), of_two.max(arrival));
                    continue;
                }
            }
            let span = self.input_span(file, cluster, from, sent)?;
            let (link, _, end) = span;
            sent.push(span);
            placed(file, span);
            ready = ready.max(end);
            if sent.len() <= 2 || sent.iter().filter(|other| other.0 == link).count() <= 2 {
                of_two = of_two.max(end);
            }
        }
        Some((ready, of_two))
    }

    /// Completion of a task whose computation ends at `end` and that has these outputs, which go
    /// into `sent`.
    fn place_outputs(
        &self,
        outputs: &[FileNumber],
        cluster: ClusterNumber,
        end: u64,
        sent: &mut Vec<SentSpan>,
        mut placed: impl FnMut(FileNumber, SentSpan),
    ) -> Option<u64> {
        let mut returned = end;
        for &file in outputs {
            let link = self.link_of(file, cluster);
            let (start, end) = self.gap(link, SubTask::Output(file), self.known.bytes(file), end, sent)?;
            sent.push((link, start, end));
            placed(file, (link, start, end));
            returned = returned.max(end);
        }
        Some(if self.completed_when == CompletedWhen::Returned { returned } else { end })
    }

    /// The earliest gap of a link for a transfer from `ready` on, between those in `sent`.
    pub(crate) fn gap(
        &self,
        link: LinkNumber,
        sub_task: SubTask,
        bytes: u64,
        ready: u64,
        sent: &[SentSpan],
    ) -> Option<(u64, u64)> {
        let column = &self.links[link.index()];
        let overlapped = |start: u64, end: u64, sent: &[SentSpan]| {
            let meets = |span: &&SentSpan| start < span.2 && span.1 < end && span.0 == link;
            sent.iter().find(meets).map(|span| span.2)
        };
        let mut start = ready;
        match self.predictions.fixed_transfer(link, sub_task, bytes) {
            FixedTime::Never => None,
            FixedTime::Takes(length) => loop {
                start = column.earliest(start, length);
                match overlapped(start, start.checked_add(length)?, sent) {
                    Some(later) => start = later,
                    None => break Some((start, start + length)),
                }
            },
            FixedTime::Varies => loop {
                start = column.earliest(start, 0);
                let end = self.predictions.transfer_end(link, sub_task, bytes, start)?;
                if !column.is_free(start, end) {
                    start = column.next_busy(start)?.end;
                } else if let Some(later) = overlapped(start, end, sent) {
                    start = later;
                } else {
                    break Some((start, end));
                }
            },
        }
    }
}
