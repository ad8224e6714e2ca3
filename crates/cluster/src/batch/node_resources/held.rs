//! Amounts that jobs hold of nodes, and numbers of nodes that jobs need.

use std::cmp::Reverse;
use std::ops::Index;

use crate::batch::holding::{Footprint, HeldAmounts, NodeShare};
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::workload::resources::{Demand, DemandId, GpuGroup, Mig, NodeKind, NodeUse, PartsOf};

use super::chunk::Chunk;
use super::free::Free;
use super::free_resources::{Asking, FreeResources};
use super::gpu_choice::Held;
use super::placement::{Part, place};
use super::reservation::Reservation;

impl FreeResources {
    /// Common parts of a whole GPU, in which amounts of GPUs are counted.
    pub fn whole_gpu(&self) -> u64 {
        self.resources.nodes.gpus().common_parts()
    }

    /// The shares of nodes that a job holds: all of nodes that it has to itself.
    pub fn shares(&self, job: JobId) -> Vec<NodeShare> {
        let Some(held) = self.jobs.get(&job) else { return Vec::new() };
        let (demand, whole) = (*self.resources.demands.of(held.demand), self.whole_gpu());
        let share = |part: &Part| {
            let of = self.empty[part.node as usize].amounts(whole);
            let chunks = demand.chunks(part.procs);
            let asked = u64::from(chunks) * demand.memory;
            let held = match demand.node_use {
                NodeUse::Shared => {
                    let gpus = self.gpus_held(held, &demand, *part, whole);
                    HeldAmounts { procs: part.procs, memory: asked, gpus }
                }
                NodeUse::Exclusive if of.memory == NodeKind::ENDLESS => HeldAmounts { memory: asked, ..of },
                NodeUse::Exclusive => of,
            };
            NodeShare { held, of }
        };
        held.parts.iter().map(share).collect()
    }

    /// Numbers of the nodes and GPUs that a job holds.
    pub fn footprint(&self, job: JobId) -> Footprint {
        let Some(held) = self.jobs.get(&job) else { return Footprint::default() };
        let (demand, whole) = (*self.resources.demands.of(held.demand), self.whole_gpu());
        let gpus = held.parts.iter().map(|part| self.gpus_held(held, &demand, *part, whole)).sum();
        Footprint { nodes: held.parts.len() as u64, gpus }
    }

    /// GPUs that a job holds on a node, in common parts.
    fn gpus_held(&self, held: &Held, demand: &Demand, part: Part, whole: u64) -> u64 {
        let Some(slots) = self.empty[part.node as usize].node_gpus() else {
            return u64::from(demand.chunks(part.procs)) * u64::from(demand.gpus) * whole;
        };
        let amount = |slot: u32, parts: u32| {
            let slot = &slots.each()[slot as usize];
            u64::from(if parts == 0 { slot.parts } else { parts }) * slot.unit(whole)
        };
        held.gpus_on(part.node).iter().map(|one| amount(one.slot, one.parts)).sum()
    }

    /// Numbers of nodes and GPUs that a job needs: as few nodes as could hold it without others,
    /// and the GPUs that it asks for; where GPUs of several sizes would serve it, of the largest.
    pub fn needed(&self, of: Asking) -> Footprint {
        let chunk = self.chunk(of.demand);
        let known = self.needs.borrow().get(&(of.demand, of.procs)).copied();
        known.unwrap_or_else(|| {
            let all = || 0..self.empty.len() as u32;
            let chunks = u64::from(chunk.demand.chunks(of.procs));
            let fewest = fewest(&self.empty, all, chunk, of.procs).map(|nodes| nodes.len() as u64);
            let gpus = chunks * self.gpus_of_chunk(of.demand);
            let needed = Footprint { nodes: fewest.unwrap_or(chunks), gpus };
            self.needs.borrow_mut().insert((of.demand, of.procs), needed);
            needed
        })
    }

    /// The GPUs of a chunk, in common parts: of the largest that would serve.
    fn gpus_of_chunk(&self, demand: DemandId) -> u64 {
        let (demand, whole) = (self.resources.demands.of(demand), self.whole_gpu());
        let choice = demand.gpu_choice;
        let of_group = |group: &GpuGroup| {
            let parts = match (choice.of, choice.parts) {
                (PartsOf::One, 0) => group.parts,
                (_, parts) => parts,
            };
            u64::from(demand.gpus) * u64::from(parts) * group.unit(whole)
        };
        let serves = |group: &GpuGroup| {
            let is_divided = group.mig == Mig::AtStarts;
            let as_asked = match (choice.of, choice.parts) {
                (PartsOf::Instance(_), _) => is_divided,
                (PartsOf::One, 0) => true,
                (PartsOf::One, parts) => !is_divided && group.parts >= parts,
                (PartsOf::Several, _) => !is_divided,
            };
            as_asked && group.kind.serves(choice.kind)
        };
        let groups = self.resources.nodes.gpu_groups().into_iter().flatten();
        let most = groups.filter(serves).map(|group| of_group(&group)).max();
        most.unwrap_or(u64::from(demand.gpus) * whole)
    }

    /// A number of nodes that a job cannot exceed, wherever it is placed.
    pub fn most_nodes(&self, of: Asking) -> u64 {
        let chunks = self.resources.demands.of(of.demand).chunks(of.procs);
        u64::from(chunks).min(self.empty.len() as u64)
    }

    /// The fewest nodes that can hold a job now, next to a reservation if one is given: how many,
    /// and a reservation that leaves these alone. `None` if it does not fit.
    pub fn on_fewest_nodes(&self, of: Asking, alongside: Option<&Reservation>) -> Option<(u64, Reservation)> {
        let free = self.offered(of, alongside);
        let nodes = fewest(&free, || self.open_nodes(), self.chunk(of.demand), of.procs)?;
        let left = nodes.iter().map(|&node| (node, free[node as usize].clone())).collect();
        Some((nodes.len() as u64, Reservation::of_only(SimTime::ZERO, left)))
    }
}

/// As few of these nodes as hold a job, in order of their numbers: first those with room for most
/// chunks, then those with most free processors; ties lowest. `None` if it does not fit.
fn fewest<I: Iterator<Item = u32>>(
    free: &(impl Index<usize, Output = Free> + ?Sized),
    nodes: impl Fn() -> I,
    chunk: Chunk<'_>,
    procs: u32,
) -> Option<Vec<u32>> {
    let (mut missing, rest) = (procs / chunk.demand.procs, procs % chunk.demand.procs);
    let room = |node: u32| (free[node as usize].chunks(&chunk), free[node as usize].procs(), node);
    let mut able: Vec<(u32, u32, u32)> = nodes().map(room).filter(|(chunks, ..)| *chunks > 0).collect();
    able.sort_unstable_by_key(|&(chunks, procs, node)| (Reverse(chunks), Reverse(procs), node));
    let mut chosen: Vec<u32> = Vec::new();
    for (chunks, _, node) in able {
        if missing == 0 {
            break;
        }
        missing -= chunks.min(missing);
        chosen.push(node);
    }
    if missing > 0 {
        return None;
    }
    chosen.sort_unstable();
    let fits = |nodes: &[u32]| place(free, || nodes.iter().copied(), chunk, procs).is_some();
    if rest > 0 && !fits(&chosen) {
        let last = chunk.of_procs(rest);
        let holds = |node: &u32| !chosen.contains(node) && free[*node as usize].chunks(&last) > 0;
        let more = nodes().find(holds)?;
        chosen.insert(chosen.partition_point(|&node| node < more), more);
    }
    Some(chosen)
}
