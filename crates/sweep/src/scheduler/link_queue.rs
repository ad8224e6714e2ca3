//! The queue of a link: what it is to carry, in order, what of it can be carried now, and which
//! transfer is next.

use smallvec::SmallVec;

use crate::collections::ordered_map::Entry;
use crate::collections::{OrderedMap, OrderedSet};
use crate::estimate::predictions::{SubTask, SweepTransfer};
use crate::kernel::SimTime;
use crate::model::grid::{ClusterNumber, LinkNumber};
use crate::model::storage::LimitedStorage;
use crate::registry::choices;
use crate::scheduler::dispatch::Queues;
use crate::scheduler::interfaces::Interfaces;
use crate::workflow::{FileNumber, TaskNumber};

choices! {
    /// Rule for the next transfer of a link.
    #[derive(Default)]
    pub enum LinkDiscipline {
        #[default]
        Greedy = "greedy", "the first transfer of the plan that can go";
        InOrder = "in-order", "the first transfer of the plan, for which the link waits";
        Hybrid = "hybrid", "the first that can go, unless an earlier one is predicted to be ready before that would end";
    }
}

/// Transfers in order. Inputs can go at once, or when they have room, or are on the cluster from
/// which they are sent on; outputs when their tasks have computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkQueue {
    entries: OrderedMap<i64, SweepTransfer>,
    /// Transfers that can go, and inputs that are not yet found to lack room.
    ready: OrderedSet<i64>,
    /// Outputs of tasks that have not computed, and inputs that are not where they come from.
    awaited: OrderedSet<i64>,
    /// Of these, those of tasks that have started.
    started: OrderedSet<i64>,
    outputs: OrderedMap<TaskNumber, SmallVec<[i64; 1]>>,
    inputs: OrderedMap<(ClusterNumber, FileNumber), SmallVec<[i64; 1]>>,
    /// Planned starts of the transfers of a plan.
    planned: OrderedMap<i64, SimTime>,
    next: i64,
    /// The place before all others.
    first: i64,
}

impl LinkQueue {
    pub(crate) fn clear(&mut self) {
        let (next, first) = (self.next, self.first);
        *self = LinkQueue { next, first, ..LinkQueue::default() };
    }

    /// Appends a transfer.
    pub(crate) fn push(&mut self, transfer: SweepTransfer, is_ready: bool) {
        let place = self.next;
        self.next += 1;
        self.put(place, transfer, is_ready);
    }

    /// Puts a transfer that can go before all others.
    pub(crate) fn push_first(&mut self, transfer: SweepTransfer) {
        self.first -= 1;
        self.put(self.first, transfer, true);
    }

    fn put(&mut self, place: i64, transfer: SweepTransfer, is_ready: bool) {
        self.entries.insert(place, transfer);
        match transfer.file {
            SubTask::Input(file) => self.inputs.entry((transfer.cluster, file)).or_default().push(place),
            _ => self.outputs.entry(transfer.task).or_default().push(place),
        }
        if is_ready {
            self.ready.insert(place);
        } else {
            self.awaited.insert(place);
        }
    }

    /// Appends a transfer that is planned to start at an instant.
    pub(crate) fn push_planned(&mut self, transfer: SweepTransfer, is_ready: bool, start: SimTime) {
        self.planned.insert(self.next, start);
        self.push(transfer, is_ready);
    }

    /// Returns true if a file waits to be sent to a cluster.
    pub(crate) fn sends(&self, cluster: ClusterNumber, file: FileNumber) -> bool {
        self.inputs.contains_key(&(cluster, file))
    }

    /// The same, for a task.
    pub(crate) fn sends_for(&self, cluster: ClusterNumber, file: FileNumber, task: TaskNumber) -> bool {
        let places = self.inputs.get(&(cluster, file));
        places.into_iter().flatten().any(|place| self.entries[place].task == task)
    }

    /// A file that is sent on to a cluster is where it comes from.
    pub(crate) fn source_ready(&mut self, cluster: ClusterNumber, file: FileNumber) {
        for place in self.inputs.get(&(cluster, file)).into_iter().flatten() {
            if self.awaited.remove(place) {
                self.ready.insert(*place);
            }
        }
    }

    /// Instant at which a transfer of a plan is planned to start.
    pub(crate) fn planned(&self, place: i64) -> Option<SimTime> {
        self.planned.get(&place).copied()
    }

    /// The outputs of a task can go now. Whether there are any.
    pub(crate) fn outputs_ready(&mut self, task: TaskNumber) -> bool {
        let places = self.outputs.get(&task);
        for place in places.into_iter().flatten() {
            self.awaited.remove(place);
            self.started.remove(place);
            self.ready.insert(*place);
        }
        places.is_some()
    }

    /// A task has started.
    pub(crate) fn starts(&mut self, task: TaskNumber) {
        let places = self.outputs.get(&task).into_iter().flatten();
        self.started.extend(places.filter(|place| self.awaited.contains(place)));
    }

    /// A file has got room on a cluster.
    pub(crate) fn has_room(&mut self, cluster: ClusterNumber, file: FileNumber) {
        let places = self.inputs.get(&(cluster, file)).into_iter().flatten();
        self.ready.extend(places.filter(|place| !self.awaited.contains(place)));
    }

    /// The first transfer, and whether it can go.
    pub(crate) fn head(&self) -> Option<(i64, SweepTransfer, bool)> {
        let (place, transfer) = self.entries.first_key_value()?;
        Some((*place, *transfer, self.ready.contains(place)))
    }

    /// The first transfer that can go.
    pub(crate) fn first_ready(&self) -> Option<(i64, SweepTransfer)> {
        let place = self.ready.first()?;
        Some((*place, self.entries[place]))
    }

    /// The first transfer that can go where inputs need room. Those without are not met again until
    /// they [get it](LinkQueue::has_room).
    pub(crate) fn first_with_room(
        &mut self,
        has_room: impl Fn(ClusterNumber, FileNumber) -> bool,
    ) -> Option<(i64, SweepTransfer)> {
        while let Some((place, transfer)) = self.first_ready() {
            match transfer.file {
                SubTask::Input(file) if !has_room(transfer.cluster, file) => self.ready.remove(&place),
                _ => return Some((place, transfer)),
            };
        }
        None
    }

    /// The first output of a task that has not computed, or input that is not where it comes from.
    pub(crate) fn first_awaited(&self) -> Option<(i64, SweepTransfer)> {
        let place = self.awaited.first()?;
        Some((*place, self.entries[place]))
    }

    /// The first output of a task that has started and not computed.
    pub(crate) fn first_started(
        &mut self,
        has_started: impl Fn(TaskNumber) -> bool,
    ) -> Option<(i64, SweepTransfer)> {
        while let Some(&place) = self.started.first() {
            let transfer = self.entries[&place];
            if has_started(transfer.task) {
                return Some((place, transfer));
            }
            // it was lost
            self.started.remove(&place);
        }
        None
    }

    /// Takes a transfer out. When it was planned to start, if it was planned.
    pub(crate) fn take(&mut self, place: i64) -> Option<SimTime> {
        let transfer = self.entries.remove(&place)?;
        for places in [&mut self.ready, &mut self.awaited, &mut self.started] {
            places.remove(&place);
        }
        match transfer.file {
            SubTask::Input(file) => leave(&mut self.inputs, (transfer.cluster, file), place),
            _ => leave(&mut self.outputs, transfer.task, place),
        }
        self.planned.remove(&place)
    }

    /// Keeps what is wanted.
    pub(crate) fn retain(&mut self, mut is_wanted: impl FnMut(&SweepTransfer) -> bool) {
        let dropped: Vec<i64> = self
            .entries
            .iter()
            .filter(|(_, transfer)| !is_wanted(transfer))
            .map(|(place, _)| *place)
            .collect();
        for place in dropped {
            self.take(place);
        }
    }

    /// All, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SweepTransfer> {
        self.entries.values()
    }
}

/// Takes one of the places of a key out.
fn leave<K: Ord>(places: &mut OrderedMap<K, SmallVec<[i64; 1]>>, key: K, place: i64) {
    if let Entry::Occupied(mut entry) = places.entry(key) {
        entry.get_mut().retain(|other| *other != place);
        if entry.get().is_empty() {
            entry.remove();
        }
    }
}

/// The transfer that is next on a link: its place in the queue, and whether it can go.
type QueueHead = (i64, SweepTransfer, bool);

impl Queues {
    /// Lets an idle link carry the next transfer.
    pub(crate) fn carry(&mut self, link: LinkNumber, grid: &mut dyn Interfaces, discipline: LinkDiscipline) {
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
