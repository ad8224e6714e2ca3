//! The choice of nodes and GPUs, where they are distinguished: chunk by chunk, by a rule.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::batch::devices::{
    GpuNode, GpuRule, GpuScores, GpuSite, GpuSizes, GpuTask, HeldGpu, MigStarts, Score, TaskMix,
};
use crate::collections::OrderedMap;
use crate::kernel::rng::Stream;
use crate::workload::resources::{Demand, DemandId, Resources};

use super::chunk::Chunk;
use super::free::Free;
use super::offered::Offered;
use super::placement::Part;

/// Nodes and GPUs for a job, from the lowest node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GpuPlace {
    pub(super) parts: Vec<Part>,
    pub(super) gpus: Vec<(u32, Vec<HeldGpu>)>,
}

/// Nodes, processors and GPUs that a job holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Held {
    pub(super) demand: DemandId,
    pub(super) parts: Vec<Part>,
    /// GPUs by node, where they are distinguished.
    pub(super) gpus: Vec<(u32, Vec<HeldGpu>)>,
}

impl Held {
    /// GPUs that it holds on a node, where they are distinguished.
    pub(super) fn gpus_on(&self, node: u32) -> &[HeldGpu] {
        let place = self.gpus.binary_search_by_key(&node, |(node, _)| *node);
        place.map_or(&[], |place| &self.gpus[place].1)
    }
}

/// Score of a node for a chunk when the node had changed so often; `None` if it did not hold it.
#[derive(Clone, Copy, Debug)]
struct Known {
    changes: u32,
    score: Option<Score>,
}

/// Choice of nodes and GPUs for chunks.
///
/// # Complexity
/// A step for each node with a free processor, and the logarithm of their number for each chunk.
/// The rule `fgd` scores only nodes that changed since the last job with the same demand.
#[derive(Debug)]
pub(super) struct GpuChooser {
    rule: GpuRule,
    site: GpuSite,
    draws: Option<Stream>,
    /// Number of changes of each node, from 1 on.
    changes: Vec<u32>,
    /// Sizes of the jobs on each node, under the rule that looks at them; else of none.
    sizes: Vec<GpuSizes>,
    known: OrderedMap<DemandId, Vec<Known>>,
}

/// Most scores that are kept.
const MOST_KNOWN: usize = 1 << 23;

/// A node that gets chunks: its free parts without them, and they.
#[derive(Debug)]
struct Chosen {
    rest: Free,
    /// Sizes of jobs there, this one's too.
    sizes: GpuSizes,
    procs: u32,
    gpus: Vec<HeldGpu>,
}

impl GpuChooser {
    /// The first-fit rule on these nodes.
    pub(super) fn new(resources: &Resources) -> Self {
        let procs = resources.nodes.kinds().iter().map(|kind| kind.processors).max().unwrap_or(0);
        let common = resources.nodes.gpus().common_parts();
        let gpus = resources.nodes.gpu_amounts().into_iter().max().unwrap_or(0);
        let (mix, scores, starts) = (TaskMix::default(), GpuScores::Exact, MigStarts::First);
        let site = GpuSite { procs, gpus, common, mix, scores, starts };
        let changes = vec![1; resources.nodes.count() as usize];
        let (sizes, known) = (Vec::new(), OrderedMap::new());
        GpuChooser { rule: GpuRule::FirstFit, site, draws: None, changes, sizes, known }
    }

    /// The same by this rule, and by the tasks of these jobs; `draws` for a rule that draws.
    pub(super) fn by(
        self,
        (rule, scores, starts): (GpuRule, GpuScores, MigStarts),
        jobs: impl FnOnce() -> TaskMix,
        draws: Option<Stream>,
    ) -> Self {
        let mix = if rule == GpuRule::Fgd { jobs() } else { TaskMix::default() };
        let looked_at = if rule == GpuRule::Clustering { self.changes.len() } else { 0 };
        let sizes = vec![GpuSizes::NONE; looked_at];
        GpuChooser { rule, draws, sizes, site: GpuSite { mix, scores, starts, ..self.site }, ..self }
    }

    /// Returns true if it chooses the nodes of jobs that ask for no GPU.
    pub(super) fn places_all(&self) -> bool {
        self.rule != GpuRule::FirstFit
    }

    /// Notes that a node is not what it was.
    pub(super) fn changed(&mut self, node: u32) {
        self.changes[node as usize] += 1;
    }

    /// Notes that a job with this demand has a node from now on, or has left it.
    pub(super) fn changed_by(&mut self, node: u32, demand: &Demand, starts: bool) {
        self.changed(node);
        let task = GpuTask { procs: demand.procs, gpus: demand.gpus, choice: demand.gpu_choice };
        if let Some(sizes) = self.sizes.get_mut(node as usize) {
            if starts { sizes.starts(task) } else { sizes.leaves(task) }
        }
    }

    /// A node that gets its first chunk of a job.
    fn chosen(&self, task: GpuTask, node: u32, free: &Free) -> Chosen {
        let mut sizes = self.sizes.get(node as usize).cloned().unwrap_or_default();
        sizes.starts(task);
        Chosen { rest: free.clone(), sizes, procs: 0, gpus: Vec::new() }
    }

    fn choose(&mut self, task: GpuTask, node: u32, free: &Free) -> Option<(Score, Vec<HeldGpu>)> {
        let none = GpuSizes::NONE;
        let sizes = self.sizes.get(node as usize).unwrap_or(&none);
        let draws = &mut self.draws;
        let mut draw = |bound| draws.as_mut().map_or(0, |draws| draws.below(bound));
        let node = GpuNode { procs: free.procs(), gpus: free.node_gpus()?, sizes };
        self.rule.choose(&self.site, task, node, &mut draw)
    }

    /// The same on a node that has chunks of the job.
    fn choose_again(&mut self, task: GpuTask, chosen: &Chosen) -> Option<(Score, Vec<HeldGpu>)> {
        let draws = &mut self.draws;
        let mut draw = |bound| draws.as_mut().map_or(0, |draws| draws.below(bound));
        let rest = &chosen.rest;
        let node = GpuNode { procs: rest.procs(), gpus: rest.node_gpus()?, sizes: &chosen.sizes };
        self.rule.choose(&self.site, task, node, &mut draw)
    }

    /// The score of a node as it is, known if it has not changed.
    fn score(
        &mut self,
        (id, is_now): (DemandId, bool),
        task: GpuTask,
        node: u32,
        free: &Free,
    ) -> Option<Score> {
        let keeps = is_now && self.rule == GpuRule::Fgd;
        let nodes = self.changes.len();
        if !keeps || ((self.known.len() + 1) * nodes > MOST_KNOWN && !self.known.contains_key(&id)) {
            return Some(self.choose(task, node, free)?.0);
        }
        let changes = self.changes[node as usize];
        let none = Known { changes: 0, score: None };
        let known = self.known.entry(id).or_insert_with(|| vec![none; nodes])[node as usize];
        if known.changes == changes {
            return known.score;
        }
        let score = self.choose(task, node, free).map(|(score, _)| score);
        self.known.entry(id).or_default()[node as usize] = Known { changes, score };
        score
    }

    /// The place of a job on these nodes, which are in order; `None` if it does not fit.
    pub(super) fn place(
        &mut self,
        free: &Offered<'_>,
        nodes: &[u32],
        (id, is_now): (DemandId, bool),
        chunk: Chunk<'_>,
        procs: u32,
    ) -> Option<GpuPlace> {
        let demand = &chunk.demand;
        let task = |procs| GpuTask { procs, gpus: demand.gpus, choice: demand.gpu_choice };
        let (mut whole, rest) = (procs / demand.procs, procs % demand.procs);
        let mut chosen: OrderedMap<u32, Chosen> = OrderedMap::new();
        if self.rule == GpuRule::Random {
            self.draw_nodes(free, nodes, &chunk, &mut whole, &mut chosen)?;
        }
        let mut best: BinaryHeap<Reverse<(Score, u32)>> = BinaryHeap::new();
        for &node in if whole > 0 { nodes } else { &[] } {
            let state = &free[node as usize];
            if state.chunks(&chunk) == 0 {
                continue;
            }
            let score = self.score((id, is_now), task(demand.procs), node, state)?;
            best.push(Reverse((score, node)));
            if self.rule == GpuRule::FirstFit && best.len() as u32 == whole {
                break;
            }
        }
        while whole > 0 {
            let Reverse((_, node)) = best.pop()?;
            let of = task(demand.procs);
            let one = chosen.entry(node).or_insert_with(|| self.chosen(of, node, &free[node as usize]));
            let (_, gpus) = self.choose_again(of, one)?;
            one.add(&chunk, demand.procs, gpus);
            whole -= 1;
            if whole > 0 && one.rest.chunks(&chunk) > 0 {
                let (score, _) = self.choose_again(of, one)?;
                best.push(Reverse((score, node)));
            }
        }
        if rest > 0 {
            let last = chunk.of_procs(rest);
            let mut best: Option<(Score, u32, Vec<HeldGpu>)> = None;
            for &node in nodes {
                let own = chosen.get(&node);
                let state = own.map_or(&free[node as usize], |chosen| &chosen.rest);
                if state.chunks(&last) == 0 {
                    continue;
                }
                let (score, gpus) = match own {
                    Some(chosen) => self.choose_again(task(rest), chosen)?,
                    None => self.choose(task(rest), node, state)?,
                };
                if best.as_ref().is_none_or(|(least, _, _)| score < *least) {
                    best = Some((score, node, gpus));
                }
                if self.rule == GpuRule::FirstFit {
                    break;
                }
            }
            let (_, node, gpus) = best?;
            let one =
                chosen.entry(node).or_insert_with(|| self.chosen(task(rest), node, &free[node as usize]));
            one.add(&last, rest, gpus);
        }
        let parts = chosen.iter().map(|(&node, chosen)| Part { node, procs: chosen.procs }).collect();
        Some(GpuPlace { parts, gpus: chosen.into_iter().map(|(node, chosen)| (node, chosen.gpus)).collect() })
    }

    /// Draws a node for each whole chunk.
    fn draw_nodes(
        &mut self,
        free: &Offered<'_>,
        nodes: &[u32],
        chunk: &Chunk<'_>,
        whole: &mut u32,
        chosen: &mut OrderedMap<u32, Chosen>,
    ) -> Option<()> {
        let demand = &chunk.demand;
        let task = GpuTask { procs: demand.procs, gpus: demand.gpus, choice: demand.gpu_choice };
        let holds = |node: &u32| free[*node as usize].chunks(chunk) > 0;
        let mut able: Vec<u32> = nodes.iter().copied().filter(holds).collect();
        while *whole > 0 {
            let draws = self.draws.as_mut().filter(|_| !able.is_empty())?;
            let place = draws.below(able.len() as u64) as usize;
            let node = able[place];
            let one = chosen.entry(node).or_insert_with(|| self.chosen(task, node, &free[node as usize]));
            let (_, gpus) = self.choose_again(task, one)?;
            one.add(chunk, demand.procs, gpus);
            *whole -= 1;
            if one.rest.chunks(chunk) == 0 {
                able.remove(place);
            }
        }
        Some(())
    }
}

impl Chosen {
    fn add(&mut self, chunk: &Chunk<'_>, procs: u32, gpus: Vec<HeldGpu>) {
        self.rest.add_with(&chunk.demand, procs, &gpus);
        self.procs += procs;
        self.gpus.extend(gpus);
    }
}
