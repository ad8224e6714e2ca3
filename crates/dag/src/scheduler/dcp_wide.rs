//! Places of tasks of several cores by DCP.

use crate::model::grid::Core;
use crate::platform::HostId;
use crate::scheduler::dcp::{Place, Planner};
use crate::workflow::TaskNumber;

impl Planner<'_> {
    /// The place that a task of several cores would have on a host where it is ready then.
    pub(super) fn wide_place_on(&self, task: TaskNumber, host: HostId, ready: u64) -> Option<Place> {
        let cores: Vec<Core> = self.view.cores_of(host).collect();
        let (start, held) = self.starts.first_gap(task, &cores, ready, |core| {
            let (first, last) = self.starts.sequences.places(core);
            (first.max(self.started(core)), last)
        })?;
        let core = self.view.together(&held);
        let end = start.saturating_add(self.starts.span_on(task, core, start)?);
        (end < u64::MAX).then_some(Place { core: Some(core), at: 0, ready, start, end })
    }

    /// The first host that has as many unused cores as a task asks for and can have it, besides
    /// those of relatives; and whether some host has as many.
    pub(super) fn unused_host(&mut self, task: TaskNumber, related: &[Core]) -> (Option<Core>, bool) {
        let width = self.view.width(task) as usize;
        let is_empty = |core: &Core| self.starts.sequences.column(*core).is_empty();
        let cores = |place: Core| self.view.cores_of(self.view.host_of(place));
        let can_run = |place: Core| self.view.can_run(task, self.view.host_of(place));
        let has_room = |place: &Core| can_run(*place) && cores(*place).filter(is_empty).count() >= width;
        let places: Vec<Core> = self.view.places(task).filter(has_room).collect();
        let mut new = places.iter().copied().filter(|place| !related.contains(place));
        (new.find(|place| self.place_on(task, *place).is_some()), !places.is_empty())
    }

    /// Start and end of a child on the cores of its parent if it is ready there then; of several
    /// cores, on those of the host.
    pub(super) fn child_among(&self, child: TaskNumber, parent: Core, ready: u64) -> Option<[u64; 2]> {
        let (view, starts) = (self.view, &self.starts);
        let cores: Vec<Core> = match view.width(child) {
            1 => view.members(parent).collect(),
            _ => view.cores_of(view.host_of(parent)).collect(),
        };
        let anywhere = |core| (0, starts.sequences.column(core).len());
        let (start, held) = starts.first_gap(child, &cores, ready, anywhere)?;
        Some([start, start.saturating_add(starts.span_on(child, held[0], start)?)])
    }
}
