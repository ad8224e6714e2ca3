//! The queue of a link: what it is to carry, in order, and what of it can be carried now.

use crate::collections::ordered_map::Entry;

use smallvec::SmallVec;

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::SimTime;
use crate::registry::choices;
use crate::sweep::estimate::predictions::{SubTask, SweepTransfer};
use crate::sweep::model::grid::ClusterNumber;
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
pub(in crate::sweep) struct LinkQueue {
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
    pub(in crate::sweep) fn clear(&mut self) {
        let (next, first) = (self.next, self.first);
        *self = LinkQueue { next, first, ..LinkQueue::default() };
    }

    /// Appends a transfer.
    pub(in crate::sweep) fn push(&mut self, transfer: SweepTransfer, is_ready: bool) {
        let place = self.next;
        self.next += 1;
        self.put(place, transfer, is_ready);
    }

    /// Puts a transfer that can go before all others.
    pub(in crate::sweep) fn push_first(&mut self, transfer: SweepTransfer) {
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
    pub(in crate::sweep) fn push_planned(&mut self, transfer: SweepTransfer, is_ready: bool, start: SimTime) {
        self.planned.insert(self.next, start);
        self.push(transfer, is_ready);
    }

    /// Returns true if a file waits to be sent to a cluster.
    pub(in crate::sweep) fn sends(&self, cluster: ClusterNumber, file: FileNumber) -> bool {
        self.inputs.contains_key(&(cluster, file))
    }

    /// The same, for a task.
    pub(in crate::sweep) fn sends_for(
        &self,
        cluster: ClusterNumber,
        file: FileNumber,
        task: TaskNumber,
    ) -> bool {
        let places = self.inputs.get(&(cluster, file));
        places.into_iter().flatten().any(|place| self.entries[place].task == task)
    }

    /// A file that is sent on to a cluster is where it comes from.
    pub(in crate::sweep) fn source_ready(&mut self, cluster: ClusterNumber, file: FileNumber) {
        for place in self.inputs.get(&(cluster, file)).into_iter().flatten() {
            if self.awaited.remove(place) {
                self.ready.insert(*place);
            }
        }
    }

    /// Instant at which a transfer of a plan is planned to start.
    pub(in crate::sweep) fn planned(&self, place: i64) -> Option<SimTime> {
        self.planned.get(&place).copied()
    }

    /// The outputs of a task can go now. Whether there are any.
    pub(in crate::sweep) fn outputs_ready(&mut self, task: TaskNumber) -> bool {
        let places = self.outputs.get(&task);
        for place in places.into_iter().flatten() {
            self.awaited.remove(place);
            self.started.remove(place);
            self.ready.insert(*place);
        }
        places.is_some()
    }

    /// A task has started.
    pub(in crate::sweep) fn starts(&mut self, task: TaskNumber) {
        let places = self.outputs.get(&task).into_iter().flatten();
        self.started.extend(places.filter(|place| self.awaited.contains(place)));
    }

    /// A file has got room on a cluster.
    pub(in crate::sweep) fn has_room(&mut self, cluster: ClusterNumber, file: FileNumber) {
        let places = self.inputs.get(&(cluster, file)).into_iter().flatten();
        self.ready.extend(places.filter(|place| !self.awaited.contains(place)));
    }

    /// The first transfer, and whether it can go.
    pub(in crate::sweep) fn head(&self) -> Option<(i64, SweepTransfer, bool)> {
        let (place, transfer) = self.entries.first_key_value()?;
        Some((*place, *transfer, self.ready.contains(place)))
    }

    /// The first transfer that can go.
    pub(in crate::sweep) fn first_ready(&self) -> Option<(i64, SweepTransfer)> {
        let place = self.ready.first()?;
        Some((*place, self.entries[place]))
    }

    /// The first transfer that can go where inputs need room. Those without are not met again until
    /// they [get it](LinkQueue::has_room).
    pub(in crate::sweep) fn first_with_room(
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
    pub(in crate::sweep) fn first_awaited(&self) -> Option<(i64, SweepTransfer)> {
        let place = self.awaited.first()?;
        Some((*place, self.entries[place]))
    }

    /// The first output of a task that has started and not computed.
    pub(in crate::sweep) fn first_started(
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
    pub(in crate::sweep) fn take(&mut self, place: i64) -> Option<SimTime> {
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
    pub(in crate::sweep) fn retain(&mut self, mut is_wanted: impl FnMut(&SweepTransfer) -> bool) {
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
    pub(in crate::sweep) fn iter(&self) -> impl Iterator<Item = &SweepTransfer> {
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
