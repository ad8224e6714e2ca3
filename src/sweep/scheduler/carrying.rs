//! Choice of the next transfer of each link, from its queue.

use crate::kernel::SimTime;
use crate::sweep::estimate::predictions::{SubTask, SweepTransfer};
use crate::sweep::model::grid::{ClusterNumber, LinkNumber};
use crate::sweep::model::storage::LimitedStorage;
use crate::sweep::scheduler::dispatch::Queues;
use crate::sweep::scheduler::interfaces::Interfaces;
use crate::sweep::scheduler::link_queue::{LinkDiscipline, LinkQueue};

/// The transfer that is next on a link: its place in the queue, and whether it can go.
type QueueHead = (i64, SweepTransfer, bool);

impl Queues {
    /// Lets an idle link carry the next transfer.
    pub(in crate::sweep) fn carry(
        &mut self,
        link: LinkNumber,
        grid: &mut dyn Interfaces,
        discipline: LinkDiscipline,
    ) {
        let (one, other) = grid.grid().clusters_of_link(link);
        let is_linked = grid.is_linked(one) && other.is_none_or(|other| grid.is_linked(other));
        if !is_linked || grid.carried(link).is_some() {
            return;
        }
        while let Some((place, transfer)) = self.next_of(link, grid, discipline) {
            let planned = self.links[link.index()].take(place);
            let cluster = transfer.cluster;
            match transfer.file {
                SubTask::Input(file) if grid.has_input(transfer.task, file, cluster) => {}
                // where a storage has a limit a plan may have a file come twice, over two links
                SubTask::Input(_) if Self::is_coming(transfer, grid) => {}
                SubTask::Input(file) if other.is_none() => {
                    self.sent.push(planned);
                    return grid.store(cluster, file, transfer.task);
                }
                SubTask::Input(file) => {
                    if grid.is_at_source(link, cluster, file) && grid.can_spare(link, cluster, file) {
                        self.sent.push(planned);
                        return grid.copy(link, cluster, file, transfer.task);
                    }
                    self.may_strand = true;
                }
                SubTask::Output(file) => {
                    self.sent.push(planned);
                    return grid.retrieve(cluster, file, transfer.task);
                }
                SubTask::Computation(_) => {}
            }
        }
    }

    /// Returns true if another link carries an input to a storage.
    fn is_coming(transfer: SweepTransfer, grid: &dyn Interfaces) -> bool {
        let SweepTransfer { cluster, file, .. } = transfer;
        let described = grid.grid();
        !described.neighbours(cluster).is_empty()
            && described.cluster(cluster).has_storage
            && grid.is_carried(cluster, file)
    }

    /// Variant of [`head`](LinkQueue::head) and [`first_ready`](LinkQueue::first_ready) for
    /// storages with a limit: inputs can go that have room, and where room is short nothing waits
    /// for the outputs of tasks that have not started.
    fn with_room(
        queue: &mut LinkQueue,
        clusters: (ClusterNumber, Option<ClusterNumber>),
        grid: &dyn Interfaces,
    ) -> (Option<QueueHead>, Option<(i64, SweepTransfer)>) {
        let storage = |cluster| grid.storage(cluster);
        let ready = queue
            .first_with_room(|cluster, file| storage(cluster).is_none_or(|storage| storage.is_needed(file)));
        let is_short = |cluster| storage(cluster).is_some_and(LimitedStorage::is_short);
        let awaited = if is_short(clusters.0) || clusters.1.is_some_and(is_short) {
            queue.first_started(|task| grid.has_started(task))
        } else {
            queue.first_awaited()
        };
        let head = match (ready, awaited) {
            (Some((first, transfer)), other) if other.is_none_or(|(place, _)| first < place) => {
                Some((first, transfer, true))
            }
            (_, other) => other.map(|(place, transfer)| (place, transfer, false)),
        };
        (head, ready)
    }

    fn next_of(
        &mut self,
        link: LinkNumber,
        grid: &mut dyn Interfaces,
        discipline: LinkDiscipline,
    ) -> Option<(i64, SweepTransfer)> {
        let queue = &mut self.links[link.index()];
        let clusters = grid.grid().clusters_of_link(link);
        let has_limit = |cluster| grid.storage(cluster).is_some();
        let is_limited = has_limit(clusters.0) || clusters.1.is_some_and(has_limit);
        let with_room = is_limited.then(|| Self::with_room(queue, clusters, grid));
        let head = with_room.map_or_else(|| queue.head(), |(head, _)| head);
        let (place, transfer, is_ready) = head?;
        if is_ready {
            return Some((place, transfer));
        }
        let first_ready = || with_room.map_or_else(|| queue.first_ready(), |(_, ready)| ready);
        match discipline {
            LinkDiscipline::InOrder => None,
            LinkDiscipline::Greedy => first_ready(),
            LinkDiscipline::Hybrid => {
                let (instead, other) = first_ready()?;
                let ready = match transfer.file {
                    SubTask::Input(_) => queue.planned(place),
                    _ => self.computed.get(&transfer.task).copied(),
                };
                let ready = ready.unwrap_or(SimTime::MAX);
                let (SubTask::Input(file) | SubTask::Output(file)) = other.file else { return None };
                let (now, bytes) = (grid.now().as_nanos(), grid.known().bytes(file));
                let predictions = grid.last_predictions()?;
                let end = predictions.transfer_end(link, other.file, bytes, now);
                (end.is_none_or(|end| ready.as_nanos() > end)).then_some((instead, other))
            }
        }
    }
}
