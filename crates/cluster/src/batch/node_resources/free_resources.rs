//! Free parts of each node, as jobs come and go.

use std::cell::RefCell;
use std::sync::Arc;

use crate::batch::devices::NodeGpus;
use crate::batch::holding::Footprint;
use crate::batch::planned::Planned;
use crate::collections::{Interval, IntervalSet, OrderedMap, OrderedSet};
use crate::ids::JobId;
use crate::workload::Job;
use crate::workload::resources::{Demand, DemandId, NodeUse, Resources};

use super::chunk::{Chunk, Makes};
use super::free::Free;
use super::gpu_choice::{GpuChooser, Held};
use super::lack::Lack;
use super::offered::Offered;
use super::placement::{Part, place};
use super::reservation::Reservation;

/// A job that asks for capacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asking {
    /// Processors it needs.
    pub procs: u32,
    /// Demand beyond them.
    pub demand: DemandId,
}

/// Free parts of each node, and the parts that jobs have.
///
/// # Complexity
/// Whether a job fits costs a step for each node with a free processor at the most, and next to
/// nothing for the next job that asks for the same. Starts and ends cost one for each node of the
/// job and each of the few demands that were asked about.
#[derive(Debug)]
pub struct FreeResources {
    pub(super) resources: Arc<Resources>,
    pub(super) makes: Arc<Makes>,
    /// Free parts of nodes without jobs.
    pub(super) empty: Vec<Free>,
    pub(super) now: Vec<Free>,
    /// Class of each node where every job has its nodes whole: nodes that are alike to all jobs.
    /// `None` where jobs share nodes.
    pub(super) classes: Option<Arc<Vec<usize>>>,
    /// The nodes with a free processor that a job may have.
    open: IntervalSet,
    /// The nodes that reservations have.
    closed: IntervalSet,
    pub(super) jobs: OrderedMap<JobId, Held>,
    /// The choice of GPUs, where they are distinguished.
    pub(super) chooser: Option<GpuChooser>,
    /// Answers of [`FreeResources::capacity`], kept up to date as long as they are few.
    known: RefCell<OrderedMap<DemandId, u64>>,
    /// Answers of [`FreeResources::needed`].
    pub(super) needs: RefCell<OrderedMap<(DemandId, u32), Footprint>>,
    /// The processors of the largest job of whole chunks that nodes without jobs hold.
    ever: RefCell<OrderedMap<DemandId, u64>>,
    /// Number of changes of nodes by service and reservations.
    changes: u64,
}

/// Answers up to which a change of a node changes each; more are forgotten.
const FEW: usize = if cfg!(test) { 2 } else { 16 };

impl FreeResources {
    /// Nodes without jobs.
    pub fn new(resources: Arc<Resources>) -> Self {
        let makes = Arc::new(Makes::of(&resources));
        let distinguishes = resources.distinguishes_gpus();
        let mut empty = Vec::with_capacity(resources.nodes.count() as usize);
        for (kind, groups) in resources.nodes.kinds().iter().zip(resources.nodes.gpu_groups()) {
            let node =
                Free::all(kind, makes.make(kind.features), distinguishes.then(|| NodeGpus::new(&groups)));
            empty.extend((0..kind.nodes).map(|_| node.clone()));
        }
        let chooser = distinguishes.then(|| GpuChooser::new(&resources));
        let (now, open) = (empty.clone(), IntervalSet::full(resources.nodes.count()));
        let (jobs, closed, classes) = (OrderedMap::new(), IntervalSet::default(), None);
        let (known, needs, ever) = (RefCell::default(), RefCell::default(), RefCell::default());
        FreeResources {
            resources,
            makes,
            empty,
            now,
            classes,
            open,
            closed,
            jobs,
            chooser,
            known,
            needs,
            ever,
            changes: 0,
        }
    }

    /// The same for these jobs: if they all have their nodes whole, bookings count nodes. Nodes
    /// that are reserved by name (`named`, a set for each reservation) are a class of their own.
    #[must_use]
    pub fn of_jobs(self, jobs: &[Job], named: &[IntervalSet]) -> Self {
        let asked: OrderedSet<DemandId> = jobs.iter().map(|job| job.demand).collect();
        let single = self.empty.iter().all(|node| node.procs() == 1);
        let alone = |&id: &DemandId| self.resources.demands.of(id).node_use == NodeUse::Exclusive;
        let classes = (single || asked.iter().all(alone)).then(|| Arc::new(self.classes(&asked, named)));
        FreeResources { classes, ..self }
    }

    /// Class of each node: nodes of one processor are alike if the same demands may have a chunk of
    /// one there, others if they have the same.
    fn classes(&self, asked: &OrderedSet<DemandId>, named: &[IntervalSet]) -> Vec<usize> {
        let able = |node: &Free| -> Vec<bool> {
            asked.iter().map(|&demand| node.chunks(&self.chunk(demand).of_procs(1)) > 0).collect()
        };
        let reserved = |place: usize| -> Vec<bool> {
            let at = Interval::new(place as u32, place as u32);
            named.iter().map(|nodes| nodes.within(at).next().is_some()).collect()
        };
        let mut known: Vec<(&Free, Vec<bool>, Vec<bool>)> = Vec::new();
        let mut classes: Vec<usize> = Vec::with_capacity(self.empty.len());
        for (place, node) in self.empty.iter().enumerate() {
            let own = reserved(place);
            let same = |&before: &usize| self.empty[before] == *node && reserved(before) == own;
            let before = place.checked_sub(1).filter(same);
            let class = before.map_or_else(
                || {
                    let able = able(node);
                    let same = |(other, others, named): &(&Free, Vec<bool>, Vec<bool>)| {
                        let alike =
                            *other == node || node.procs() == 1 && other.procs() == 1 && able == *others;
                        alike && *named == own
                    };
                    known.iter().position(same).unwrap_or_else(|| {
                        known.push((node, able, own.clone()));
                        known.len() - 1
                    })
                },
                |before| classes[before],
            );
            classes.push(class);
        }
        classes
    }

    fn demand(&self, of: Asking) -> Demand {
        *self.resources.demands.of(of.demand)
    }

    /// The chunk of a demand.
    pub(super) fn chunk(&self, demand: DemandId) -> Chunk<'_> {
        self.makes.chunk(*self.resources.demands.of(demand))
    }

    /// Number of changes of nodes so far by what goes out of service, comes back, or is reserved.
    pub(in crate::batch) fn changes(&self) -> u64 {
        self.changes
    }

    pub(super) fn open_nodes(&self) -> impl Iterator<Item = u32> {
        self.open.iter().flat_map(|nodes| nodes.first..=nodes.last)
    }

    /// Returns true if a job may have any node.
    pub fn any(&self) -> bool {
        self.open.count() > 0
    }

    /// Returns true if a job fits on nodes without jobs.
    pub fn holds_ever(&self, of: Asking) -> bool {
        let (procs, chunk) = (u64::from(of.procs), self.chunk(of.demand));
        let size = u64::from(chunk.demand.procs);
        let all = || self.empty.iter().map(|node| u64::from(node.chunks(&chunk))).sum::<u64>() * size;
        let most = *self.ever.borrow_mut().entry(of.demand).or_insert_with(all);
        // a last chunk of fewer processors may fit where a whole one does not
        let nodes = || 0..self.empty.len() as u32;
        procs <= most || procs < most + size && place(&self.empty[..], nodes, chunk, of.procs).is_some()
    }

    /// Lack of nodes without jobs for a job; `None` if it fits on them. A job with a lack never
    /// fits.
    pub fn lack(&self, of: Asking) -> Option<Lack> {
        (!self.holds_ever(of)).then(|| Lack::of(&self.resources, (of.demand, of.procs)))
    }

    /// Returns true if the job fits on these nodes without jobs.
    pub fn could_hold(&self, of: Asking, nodes: &IntervalSet) -> bool {
        let nodes = || nodes.iter().flat_map(|run| run.first..=run.last);
        place(&self.empty, nodes, self.chunk(of.demand), of.procs).is_some()
    }

    /// Returns true if the job fits now; next to a reservation, if one is given.
    pub fn fits(&self, of: Asking, alongside: Option<&Reservation>) -> bool {
        let capacity = self.capacity(of.demand);
        if u64::from(of.procs) > capacity {
            // a last chunk of fewer processors may fit where a whole one does not
            let chunk = self.demand(of).procs;
            return u64::from(of.procs) < capacity + u64::from(chunk) && self.parts(of, alongside).is_some();
        }
        alongside.is_none() || self.parts(of, alongside).is_some()
    }

    /// Returns true if the job would fit now on what is free, reserved or not.
    pub fn fits_without_reservations(&self, of: Asking) -> bool {
        let open = |node: &Free| {
            let mut node = node.clone();
            node.set_reserved(false);
            node
        };
        let now: Vec<Free> = self.now.iter().map(open).collect();
        place(&now, || 0..now.len() as u32, self.chunk(of.demand), of.procs).is_some()
    }

    /// Free parts of nodes as a job may have them, next to a reservation if one is given.
    pub(super) fn offered<'r>(&'r self, of: Asking, alongside: Option<&'r Reservation>) -> Offered<'r> {
        alongside.map_or_else(|| Offered::all(&self.now), |one| one.alongside(&self.now, of.procs))
    }

    fn parts(&self, of: Asking, alongside: Option<&Reservation>) -> Option<Vec<Part>> {
        place(&self.offered(of, alongside), || self.open_nodes(), self.chunk(of.demand), of.procs)
    }

    /// The processors of the largest job of whole chunks that fits now.
    pub fn capacity(&self, demand: DemandId) -> u64 {
        if let Some(&known) = self.known.borrow().get(&demand) {
            return known;
        }
        let of = self.chunk(demand);
        let chunks: u64 = self.open_nodes().map(|node| u64::from(self.now[node as usize].chunks(&of))).sum();
        let capacity = chunks * u64::from(of.demand.procs);
        self.known.borrow_mut().insert(demand, capacity);
        capacity
    }

    /// The processors of the largest job of whole chunks that fits now, next to a reservation.
    pub fn capacity_alongside(&self, demand: DemandId, reservation: &Reservation) -> u64 {
        let of = self.chunk(demand);
        let free = reservation.alongside(&self.now, u32::MAX);
        let chunks = self.open_nodes().map(|node| u64::from(free[node as usize].chunks(&of)));
        chunks.sum::<u64>() * u64::from(of.demand.procs)
    }

    /// The processors among which a choice may be made for a job, of those that are free: for a job
    /// whose processors may be anywhere, as many on each node as fit there; for others, and where
    /// the `lowest` are chosen, exactly the first that fit. `None` if it does not fit.
    pub fn among(
        &self,
        of: Asking,
        alongside: Option<&Reservation>,
        (free, lowest): (&IntervalSet, bool),
    ) -> Option<IntervalSet> {
        let (demand, chunk) = (self.demand(of), self.chunk(of.demand));
        let parts = self.parts(of, alongside)?;
        let anywhere = demand.procs == 1 && demand.node_use == NodeUse::Shared;
        let parts = if anywhere && !lowest {
            let free = self.offered(of, alongside);
            let capacity = |node: u32| free[node as usize].chunks(&chunk);
            self.open_nodes().map(|node| Part { node, procs: capacity(node) }).collect()
        } else {
            parts
        };
        let mut among = IntervalSet::default();
        for part in parts {
            self.lowest_on(part, free, &mut among);
        }
        Some(among)
    }

    /// Puts the lowest free processors of a node into `among`, as many as its part has.
    pub(super) fn lowest_on(&self, part: Part, free: &IntervalSet, among: &mut IntervalSet) {
        let (first, count) = self.resources.nodes.processors(part.node);
        let mut missing = part.procs;
        for run in free.within(Interval::new(first, first + count - 1)) {
            if missing == 0 {
                break;
            }
            let taken = missing.min(run.count() as u32);
            among.insert(Interval::new(run.first, run.first + taken - 1));
            missing -= taken;
        }
    }

    /// A job has these processors from now on.
    ///
    /// # Panics
    /// If it does not fit there.
    pub fn take(&mut self, job: JobId, of: Asking, on: &[Interval]) {
        let (demand, parts) = (self.demand(of), self.parts_on(on));
        let on_node = |part: &Part| {
            let free = &self.now[part.node as usize];
            (part.node, free.lowest_gpus(&demand, demand.chunks(part.procs)))
        };
        let gpus = if demand.gpus > 0 { parts.iter().map(on_node).collect() } else { Vec::new() };
        self.hold(job, Held { demand: of.demand, parts, gpus });
    }

    /// A job holds this from now on.
    pub(super) fn hold(&mut self, job: JobId, held: Held) {
        let demand = *self.resources.demands.of(held.demand);
        for part in &held.parts {
            self.change(part.node, |node| node.take_with(&demand, part.procs, held.gpus_on(part.node)));
            if !self.now[part.node as usize].is_open() {
                self.open.remove(Interval::new(part.node, part.node));
            }
            self.chooser.iter_mut().for_each(|chooser| chooser.changed_by(part.node, &demand, true));
        }
        self.jobs.insert(job, held);
    }

    /// Changes a node, and what is known of capacities.
    fn change(&mut self, node: u32, how: impl FnOnce(&mut Free)) {
        let (known, node) = (self.known.get_mut(), &mut self.now[node as usize]);
        if known.len() > FEW {
            known.clear();
        }
        let of_node = |node: &Free, demand: DemandId| {
            let chunk = self.makes.chunk(*self.resources.demands.of(demand));
            u64::from(node.chunks(&chunk)) * u64::from(chunk.demand.procs)
        };
        for (&demand, capacity) in known.iter_mut() {
            *capacity -= of_node(node, demand);
        }
        how(node);
        for (&demand, capacity) in known.iter_mut() {
            *capacity += of_node(node, demand);
        }
    }

    /// The nodes of processors, with how many of them are on each.
    pub(super) fn parts_on(&self, on: &[Interval]) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for run in on {
            let mut at = run.first;
            while at <= run.last {
                let node = self.resources.nodes.node_of(at);
                let (first, count) = self.resources.nodes.processors(node);
                let last = (first + (count - 1)).min(run.last);
                match parts.last_mut().filter(|part| part.node == node) {
                    Some(part) => part.procs += last - at + 1,
                    None => parts.push(Part { node, procs: last - at + 1 }),
                }
                if last == u32::MAX {
                    break;
                }
                at = last + 1;
            }
        }
        parts
    }

    /// The nodes of these processors go out of service, which no job is on, or come back.
    pub fn in_service(&mut self, processors: Interval, is_there: bool) {
        self.changes += 1;
        for part in self.parts_on(&[processors]) {
            self.change(part.node, |node| node.set_down(!is_there));
            let at = Interval::new(part.node, part.node);
            if self.now[part.node as usize].is_open() {
                self.open.insert(at)
            } else {
                self.open.remove(at)
            };
            self.chooser.iter_mut().for_each(|chooser| chooser.changed(part.node));
        }
    }

    /// These nodes are closed now, as reservations have them, and no others.
    pub fn close(&mut self, planned: &[Planned]) {
        let mut closed = IntervalSet::default();
        for nodes in planned.iter().flat_map(|one| &one.nodes.closed) {
            closed.cover(*nodes);
        }
        let changed = |set: &IntervalSet, other: &IntervalSet| -> Vec<u32> {
            let parts = set.iter().flat_map(|run| other.missing(run)).collect::<Vec<_>>();
            parts.into_iter().flat_map(|run| run.first..=run.last).collect()
        };
        let (shut, opened) = (changed(&closed, &self.closed), changed(&self.closed, &closed));
        self.changes += u64::from(!shut.is_empty() || !opened.is_empty());
        for (node, is_shut) in
            shut.into_iter().map(|node| (node, true)).chain(opened.into_iter().map(|node| (node, false)))
        {
            self.change(node, |node| node.set_reserved(is_shut));
            let at = Interval::new(node, node);
            if self.now[node as usize].is_open() {
                self.open.insert(at)
            } else {
                self.open.remove(at)
            };
            self.chooser.iter_mut().for_each(|chooser| chooser.changed(node));
        }
        self.closed = closed;
    }

    /// Class of each node where every job has its nodes whole; else `None`.
    pub fn classes_of_nodes(&self) -> Option<&Arc<Vec<usize>>> {
        self.classes.as_ref()
    }

    /// A job has left.
    pub fn give_back(&mut self, job: JobId) {
        let Some(held) = self.jobs.remove(&job) else { return };
        let demand = *self.resources.demands.of(held.demand);
        for part in &held.parts {
            self.chooser.iter_mut().for_each(|chooser| chooser.changed_by(part.node, &demand, false));
            let was_open = self.now[part.node as usize].is_open();
            self.change(part.node, |node| node.give_back(&demand, part.procs, held.gpus_on(part.node)));
            if !was_open && self.now[part.node as usize].is_open() {
                self.open.insert(Interval::new(part.node, part.node));
            }
        }
    }
}
