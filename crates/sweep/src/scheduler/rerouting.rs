//! Inputs that come from other clusters than their origins: over which link, and what becomes of
//! them where such a cluster has them no more.
//!
//! An input that is to be sent on from a cluster waits until it is there. If the cluster leaves, or
//! its storage removes the file, or it will not get it any more, the input comes from its origin,
//! before all else that this link is to carry: the task has waited for it.

use crate::collections::OrderedSet;
use crate::estimate::predictions::{SubTask, SweepTransfer};
use crate::model::grid::{ClusterNumber, LinkNumber};
use crate::model::storage::LimitedStorage;
use crate::scheduler::dispatch::Queues;
use crate::scheduler::interfaces::Interfaces;
use crate::workflow::{FileNumber, TaskNumber};

impl Queues {
    /// A transfer has ended: something may start where it has arrived, and where it came from.
    pub(crate) fn transfer_done(&mut self, transfer: SweepTransfer) {
        self.touch(transfer.cluster);
        if let Some(source) = self.grid.source_of(transfer.link, transfer.cluster) {
            self.touch(source);
        }
        if let SubTask::Input(file) = transfer.file {
            for &(link, other) in self.grid.neighbours(transfer.cluster) {
                self.links[link.index()].source_ready(other, file);
            }
        }
    }

    /// Has inputs sent from their origins that no other cluster will send. Whether there are any.
    pub(crate) fn reroute(&mut self, grid: &dyn Interfaces) -> bool {
        if !grid.grid().has_links_between() {
            return false;
        }
        let is_short = |cluster| grid.storage(cluster).is_some_and(LimitedStorage::is_short);
        let may_strand = std::mem::take(&mut self.may_strand) || grid.grid().cluster_numbers().any(is_short);
        may_strand && {
            self.drop_stranded(grid);
            self.request_missing(grid)
        }
    }

    /// Drops what is to be sent on from clusters that neither have it nor get it.
    fn drop_stranded(&mut self, grid: &dyn Interfaces) {
        let between =
            || grid.grid().link_numbers().filter(|link| grid.grid().clusters_of_link(*link).1.is_some());
        loop {
            let mut has_dropped = false;
            for link in between() {
                let mut queue = std::mem::take(&mut self.links[link.index()]);
                queue.retain(|transfer| {
                    let is_kept = self.will_be_at_source(transfer, grid);
                    has_dropped |= !is_kept;
                    is_kept
                });
                self.links[link.index()] = queue;
            }
            if !has_dropped {
                return;
            }
        }
    }

    fn will_be_at_source(&self, transfer: &SweepTransfer, grid: &dyn Interfaces) -> bool {
        let (SubTask::Input(file), Some(source)) =
            (transfer.file, grid.grid().source_of(transfer.link, transfer.cluster))
        else {
            return true;
        };
        grid.is_at_source(transfer.link, transfer.cluster, file)
            || grid.is_linked(source)
                && (self.sends(source, file, grid) || grid.is_carried(source, SubTask::Input(file)))
    }

    /// Returns true if an input of a task that is not on a cluster is in transit there, or waits
    /// for a link.
    pub(crate) fn is_requested(
        &self,
        task: TaskNumber,
        file: FileNumber,
        cluster: ClusterNumber,
        grid: &dyn Interfaces,
    ) -> bool {
        if grid.grid().cluster(cluster).has_storage {
            return self.sends(cluster, file, grid) || grid.is_carried(cluster, SubTask::Input(file));
        }
        grid.grid().links_of(cluster).any(|link| {
            let carries = |carried: SweepTransfer| {
                (carried.cluster, carried.file, carried.task) == (cluster, SubTask::Input(file), task)
            };
            self.links[link.index()].sends_for(cluster, file, task)
                || grid.carried(link).is_some_and(|(carried, _)| carries(carried))
        })
    }

    /// Requests the inputs of queued tasks that are neither there nor requested, where links join
    /// clusters. Whether there are any.
    fn request_missing(&mut self, grid: &dyn Interfaces) -> bool {
        let described = grid.grid();
        let mut missing: Vec<SweepTransfer> = Vec::new();
        let mut seen = OrderedSet::new();
        for cluster in
            described.cluster_numbers().filter(|cluster| !described.neighbours(*cluster).is_empty())
        {
            for task in described.cluster(cluster).hosts.clone().flat_map(|host| &self.hosts[host as usize]) {
                for &file in grid.known().inputs(*task) {
                    if grid.has_input(*task, file, cluster) || self.is_requested(*task, file, cluster, grid) {
                        continue;
                    }
                    let link = grid.link_of(file, cluster);
                    let transfer = SweepTransfer { cluster, link, file: SubTask::Input(file), task: *task };
                    let stays = described.cluster(cluster).has_storage;
                    if seen.insert((cluster, file, (!stays).then_some(*task))) {
                        missing.push(transfer);
                    }
                }
            }
        }
        for transfer in missing.iter().rev() {
            self.links[transfer.link.index()].push_first(*transfer);
            self.touch(transfer.cluster);
        }
        !missing.is_empty()
    }

    /// The link over which an input comes to a cluster first, by what is predicted, after all that
    /// links are to carry before it.
    pub(crate) fn soonest(
        &self,
        file: FileNumber,
        cluster: ClusterNumber,
        grid: &dyn Interfaces,
    ) -> LinkNumber {
        let (origin, neighbours) = (grid.link_of(file, cluster), grid.grid().neighbours(cluster));
        if neighbours.is_empty() {
            return origin;
        }
        let others = neighbours.iter().map(|(link, _)| *link);
        let having = others.filter(|link| grid.is_at_source(*link, cluster, file));
        let ends = std::iter::once(origin)
            .chain(having)
            .filter_map(|link| Some((self.sent_by(link, file, grid)?, link)));
        ends.min_by_key(|(end, _)| *end).map_or(origin, |(_, link)| link)
    }

    /// Instant at which a file would have been sent over a link after all that this is to carry.
    fn sent_by(&self, link: LinkNumber, file: FileNumber, grid: &dyn Interfaces) -> Option<u64> {
        let (predictions, known) = (grid.last_predictions()?, grid.known());
        let carried = grid.carried(link).map_or(grid.now(), |(_, end)| end).as_nanos();
        let queued = self.links[link.index()].iter().filter_map(|transfer| match transfer.file {
            SubTask::Output(file) => grid.has_computed(transfer.task).then_some((transfer.file, file)),
            SubTask::Input(file) => Some((transfer.file, file)),
            SubTask::Computation(_) => None,
        });
        let last = [(SubTask::Input(file), file)];
        queued.chain(last).try_fold(carried, |at, (sub_task, file)| {
            predictions.transfer_end(link, sub_task, known.bytes(file), at)
        })
    }
}
