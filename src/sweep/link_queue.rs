//! The queue of a link: what it is to carry, in order, and what of it can be carried now.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;

use crate::kernel::SimTime;
use crate::registry::choices;
use crate::sweep::predictions::{SubTask, SweepTransfer};
use crate::workflow::{FileNumber, TaskNumber};

choices! {
    /// What a link carries next.
    #[derive(Default)]
    pub enum LinkDiscipline {
        #[default]
        Greedy = "greedy", "the first transfer of the plan that can go";
        InOrder = "in-order", "the first transfer of the plan, for which the link waits";
        Hybrid = "hybrid", "the first that can go, unless an earlier one is predicted to be ready before that would end";
    }
}

/// Transfers in order. Inputs can go at once, outputs when their tasks have computed.
#[derive(Clone, Debug, Default)]
pub(in crate::sweep) struct LinkQueue {
    entries: BTreeMap<u64, SweepTransfer>,
    ready: BTreeSet<u64>,
    outputs: BTreeMap<TaskNumber, SmallVec<[u64; 1]>>,
    inputs: BTreeMap<FileNumber, u32>,
    /// When those of a plan are planned to start.
    planned: BTreeMap<u64, SimTime>,
    next: u64,
}

impl LinkQueue {
    pub(in crate::sweep) fn clear(&mut self) {
        let next = self.next;
        *self = LinkQueue { next, ..LinkQueue::default() };
    }

    /// Appends a transfer.
    pub(in crate::sweep) fn push(&mut self, transfer: SweepTransfer, is_ready: bool) {
        let place = self.next;
        self.next += 1;
        self.entries.insert(place, transfer);
        match transfer.file {
            SubTask::Input(file) => *self.inputs.entry(file).or_default() += 1,
            _ => self.outputs.entry(transfer.task).or_default().push(place),
        }
        if is_ready {
            self.ready.insert(place);
        }
    }

    /// Appends a transfer that is planned to start at an instant.
    pub(in crate::sweep) fn push_planned(&mut self, transfer: SweepTransfer, is_ready: bool, start: SimTime) {
        self.planned.insert(self.next, start);
        self.push(transfer, is_ready);
    }

    /// Whether a file waits to be sent to the cluster.
    pub(in crate::sweep) fn sends(&self, file: FileNumber) -> bool {
        self.inputs.contains_key(&file)
    }

    /// The outputs of a task can go now. Whether there are any.
    pub(in crate::sweep) fn outputs_ready(&mut self, task: TaskNumber) -> bool {
        let places = self.outputs.get(&task);
        self.ready.extend(places.into_iter().flatten());
        places.is_some()
    }

    /// The first transfer, and whether it can go.
    pub(in crate::sweep) fn head(&self) -> Option<(u64, SweepTransfer, bool)> {
        let (place, transfer) = self.entries.first_key_value()?;
        Some((*place, *transfer, self.ready.contains(place)))
    }

    /// The first transfer that can go.
    pub(in crate::sweep) fn first_ready(&self) -> Option<(u64, SweepTransfer)> {
        let place = self.ready.first()?;
        Some((*place, self.entries[place]))
    }

    /// Takes a transfer out. When it was planned to start, if it was planned.
    pub(in crate::sweep) fn take(&mut self, place: u64) -> Option<SimTime> {
        let transfer = self.entries.remove(&place)?;
        self.ready.remove(&place);
        match transfer.file {
            SubTask::Input(file) => {
                if let Some(count) = self.inputs.get_mut(&file) {
                    *count -= 1;
                    if *count == 0 {
                        self.inputs.remove(&file);
                    }
                }
            }
            _ => {
                if let Some(places) = self.outputs.get_mut(&transfer.task) {
                    places.retain(|other| *other != place);
                    if places.is_empty() {
                        self.outputs.remove(&transfer.task);
                    }
                }
            }
        }
        self.planned.remove(&place)
    }

    /// Keeps what is wanted.
    pub(in crate::sweep) fn retain(&mut self, is_wanted: impl Fn(&SweepTransfer) -> bool) {
        let dropped: Vec<u64> = self
            .entries
            .iter()
            .filter(|(_, transfer)| !is_wanted(transfer))
            .map(|(place, _)| *place)
            .collect();
        for place in dropped {
            self.take(place);
        }
    }

    /// All with their places, in order, and whether they can go.
    pub(in crate::sweep) fn entries(&self) -> impl Iterator<Item = (u64, SweepTransfer, bool)> + '_ {
        self.entries.iter().map(|(place, transfer)| (*place, *transfer, self.ready.contains(place)))
    }

    /// All, in order.
    pub(in crate::sweep) fn iter(&self) -> impl Iterator<Item = &SweepTransfer> {
        self.entries.values()
    }
}
