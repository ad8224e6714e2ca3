//! Rules by which a chunk gets its node, and its GPUs there.
//!
//! Among the nodes that hold it a chunk goes to the one with the least score; ties go to the lower
//! node. On its node it gets the lowest empty GPUs if it asks for whole ones; the one GPU of which
//! it gets parts or an instance is the rule's choice, ties going to the lower one. Parts of several
//! GPUs fill them one after the other in the order of that choice, under `fgd` from the lowest.
//!
//! | rule | score of a node | GPU for parts |
//! |---|---|---|
//! | `first-fit` | none: the lowest | the lowest |
//! | `pack` | free parts of a shared GPU; else, in use; else, its GPUs | shared first, least free |
//! | `spread` | minus the free GPUs | most free |
//! | `best-fit`, `worst-fit` | c / 2C + f / 2F after the start, or minus that | least, most free |
//! | `clustering` | whose jobs ask for as many GPUs, all of them; some; idle; f | least free |
//! | `dot-product` | (c x processors / C^2) + (f x GPUs / F^2) | least free |
//! | `fgd` | growth of the fragmentation | the one with the least growth |
//! | `random` | drawn | drawn |
//!
//! c and f are the free processors and GPUs of the node, C and F those of the largest. Scores are
//! whole numbers, multiplied by what they would be divided by, or per cents ([`GpuScores`]).
//!
//! Source: Q. Weng et al., USENIX ATC 2023, and its authors' simulator (pack, clustering, best-fit,
//! dot-product, fgd); `spread` as Slurm's `LL_SHARED_GRES` and Volcano do it. Published figures are
//! those of scores in whole per cents.

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::rng::math::exp;
use crate::registry::choices;
use crate::workload::resources::{GpuChoice, MigProfile, MigSlice, PartsOf};

use super::fragmentation::{GpuTask, TaskMix, free_amount};
use super::node_gpus::{Gpu, HeldGpu, NodeGpus};

choices! {
    /// Rule by which a chunk gets its node and its GPUs.
    pub enum GpuRule {
        FirstFit = "first-fit", "the lowest node that holds it, and the lowest GPUs there";
        Pack = "pack", "GPUs that are shared already before empty ones, nodes in use before idle ones";
        Spread = "spread", "the node with most GPUs free, and the GPU of which most is free";
        BestFit = "best-fit", "the node of which least of processors and GPUs together stays free";
        WorstFit = "worst-fit", "the node of which most of processors and GPUs together stays free";
        DotProduct = "dot-product", "the node whose free processors and GPUs weigh least by what the chunk asks for";
        Clustering = "clustering", "nodes whose jobs ask for as many GPUs each before idle ones, these before others, \
                                   and of these the fullest";
        Fgd = "fgd", "the node and GPU where free GPUs lose least of their use to the jobs of the workload";
        Random = "random", "drawn among the nodes and GPUs that hold it";
    }
}

choices! {
    /// Fineness of scores.
    pub enum GpuScores {
        Exact = "exact", "exact: nodes tie only where they are equally good";
        Percent = "percent", "in whole per cents as the published simulator of `fgd` counts them, so that more nodes tie";
    }
}

choices! {
    /// Place of an instance on its GPU.
    pub enum MigStarts {
        First = "first", "the lowest start that is free";
        Best = "best", "the start after which most instances, counted over all profiles and starts, are possible";
    }
}

impl MigStarts {
    /// The start of an instance on a GPU; `None` if it does not fit.
    pub fn choose(self, gpu: &Gpu, profile: MigProfile) -> Option<MigSlice> {
        let possible = |slice: &MigSlice| {
            let (free, taken) = (gpu.free - profile.sevenths(), gpu.taken | slice.mask());
            let after = Gpu { free, taken, ..*gpu };
            MigProfile::ALL.map(|other| after.starts(other).count()).into_iter().sum::<usize>()
        };
        let mut starts = gpu.starts(profile);
        match self {
            MigStarts::First => starts.next(),
            MigStarts::Best => starts.min_by_key(|slice| std::cmp::Reverse(possible(slice))),
        }
    }
}

/// Sizes of the jobs on a node: GPUs that their chunks ask for whole, and parts as one size.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GpuSizes(OrderedMap<u32, u32>);

impl GpuSizes {
    /// Those of a node without jobs.
    pub const NONE: GpuSizes = GpuSizes(OrderedMap::new());

    /// The size of a chunk: its whole GPUs, 0 for parts and instances; `None` if it asks for none.
    fn of(task: GpuTask) -> Option<u32> {
        let is_whole = task.choice == GpuChoice::parts(task.choice.kind, 0);
        (task.gpus > 0).then_some(if is_whole { task.gpus } else { 0 })
    }

    /// A job with such chunks is on the node from now on.
    pub fn starts(&mut self, task: GpuTask) {
        GpuSizes::of(task).into_iter().for_each(|size| *self.0.entry(size).or_insert(0) += 1);
    }

    /// A job with such chunks has left.
    pub fn leaves(&mut self, task: GpuTask) {
        let Some(size) = GpuSizes::of(task) else { return };
        if let Some(jobs) = self.0.get_mut(&size) {
            *jobs -= 1;
            if *jobs == 0 {
                self.0.remove(&size);
            }
        }
    }

    /// Class of the node for such a chunk, the best first: jobs of its size alone, with others, no
    /// job, others alone.
    fn class(&self, task: GpuTask) -> u8 {
        let Some(size) = GpuSizes::of(task) else { return 0 };
        match (self.0.contains_key(&size), self.0.len()) {
            (true, 1) => 0,
            (true, _) => 1,
            (false, 0) => 2,
            (false, _) => 3,
        }
    }
}

/// Free parts of a node, and who has the others.
#[derive(Clone, Copy, Debug)]
pub struct GpuNode<'a> {
    /// Free processors.
    pub procs: u32,
    /// GPUs.
    pub gpus: &'a NodeGpus,
    /// Sizes of its jobs; looked at under the rule `clustering` alone.
    pub sizes: &'a GpuSizes,
}

/// Quality of a node for a chunk; the least is best.
pub type Score = (u8, i128);

/// Facts of a site that scores are relative to.
#[derive(Clone, Debug)]
pub struct GpuSite {
    /// Processors of the largest node.
    pub procs: u32,
    /// GPUs of the largest node, in common parts.
    pub gpus: u64,
    /// Common parts of a GPU.
    pub common: u64,
    /// Tasks of the workload, for `fgd`.
    pub mix: TaskMix,
    /// Fineness of scores.
    pub scores: GpuScores,
    /// Start of an instance.
    pub starts: MigStarts,
}

impl GpuSite {
    /// The part of a GPU, or what is left of the parts of several, that a chunk gets of it.
    fn part(&self, choice: GpuChoice, slot: u32, gpu: &Gpu) -> Option<HeldGpu> {
        match choice.of {
            PartsOf::One => Some(HeldGpu::parts(slot, choice.parts)),
            PartsOf::Several => Some(HeldGpu::parts(slot, choice.parts.min(gpu.free))),
            PartsOf::Instance(profile) => {
                self.starts.choose(gpu, profile).map(|slice| HeldGpu::instance(slot, slice))
            }
        }
    }

    /// The parts of GPUs that a chunk gets, one after the other, each of the GPU that `next` gives;
    /// `None` if they do not fit.
    fn one_by_one(
        &self,
        task: GpuTask,
        slots: &NodeGpus,
        mut next: impl FnMut(&NodeGpus) -> Option<u32>,
    ) -> Option<Vec<HeldGpu>> {
        let (mut rest, mut held, mut choice) = (slots.clone(), Vec::new(), task.choice);
        let mut missing = task.gpus;
        while missing > 0 {
            let slot = next(&rest)?;
            let one = self.part(choice, slot, &rest.each()[slot as usize])?;
            rest.take(&[one]);
            held.push(one);
            if choice.of == PartsOf::Several {
                choice.parts -= one.parts;
                missing = u32::from(choice.parts > 0);
            } else {
                missing -= 1;
            }
        }
        Some(held)
    }
}

impl GpuRule {
    /// The GPUs that a chunk gets on a node, and the score of the node; `None` if its GPUs do not
    /// hold it. `draw` draws a whole number below the one it is given, for the rule `random` alone.
    pub fn choose(
        self,
        site: &GpuSite,
        task: GpuTask,
        node: GpuNode<'_>,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Option<(Score, Vec<HeldGpu>)> {
        let (score, held) = if self == GpuRule::Fgd {
            fgd(site, task, (node.procs, node.gpus))?
        } else {
            let held = self.slots(site, task, node.gpus, draw)?;
            (self.score(site, task, node, &held), held)
        };
        Some((if site.scores == GpuScores::Percent { self.in_percent(site, score) } else { score }, held))
    }

    /// The same score in whole per cents of the best, as the authors' simulator rounds it; that of
    /// `fgd` is a logistic function of the growth in GPUs.
    fn in_percent(self, site: &GpuSite, (class, score): Score) -> Score {
        let [c, f] = [f64::from(site.procs).max(1.0), (site.gpus as f64).max(1.0)];
        let of_best = match self {
            GpuRule::BestFit => 1.0 - score as f64 / (2.0 * c * f),
            GpuRule::WorstFit => -score as f64 / (2.0 * c * f),
            GpuRule::DotProduct => 1.0 - score as f64 / (2.0 * c * c * f * f),
            GpuRule::Fgd => {
                let jobs = site.mix.jobs().max(1) as f64;
                1.0 / (1.0 + exp(score as f64 / (jobs * site.common as f64)))
            }
            // of a quarter of a hundred that each class has, by what is not free
            GpuRule::Clustering => {
                let most = i128::from(site.gpus).max(1);
                return (class, -((most - score) * 25 / most));
            }
            // a tenth of the per cents that are free of shared GPUs is taken off
            GpuRule::Pack if class == 0 => return (0, score * 100 / i128::from(site.common) / 10),
            GpuRule::FirstFit | GpuRule::Pack | GpuRule::Spread | GpuRule::Random => return (class, score),
        };
        (class, -((of_best * 100.0) as i128))
    }

    fn slots(
        self,
        site: &GpuSite,
        task: GpuTask,
        slots: &NodeGpus,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Option<Vec<HeldGpu>> {
        if task.gpus == 0 || task.choice == GpuChoice::parts(task.choice.kind, 0) {
            return slots.lowest(1, task.gpus, task.choice);
        }
        site.one_by_one(task, slots, |slots| self.slot(site, task, slots, draw))
    }

    /// The GPU of which a chunk gets parts; `None` if none holds them.
    fn slot(
        self,
        site: &GpuSite,
        task: GpuTask,
        slots: &NodeGpus,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Option<u32> {
        let able = || (0_u32..).zip(slots.each()).filter(|(_, slot)| slot.holds(task.choice));
        let free = |slot: &Gpu| slot.amount(site.common);
        let found = match self {
            GpuRule::FirstFit | GpuRule::Fgd => able().next(),
            GpuRule::Pack => able().min_by_key(|(_, slot)| (slot.is_empty(), free(slot))),
            GpuRule::BestFit | GpuRule::DotProduct | GpuRule::Clustering => {
                able().min_by_key(|(_, slot)| free(slot))
            }
            GpuRule::Spread | GpuRule::WorstFit => {
                able().min_by_key(|(_, slot)| std::cmp::Reverse(free(slot)))
            }
            GpuRule::Random => {
                let count = able().count() as u64;
                if count > 0 { able().nth(draw(count) as usize) } else { None }
            }
        };
        found.map(|(slot, _)| slot)
    }

    fn score(
        self,
        site: &GpuSite,
        task: GpuTask,
        GpuNode { procs, gpus: slots, sizes }: GpuNode<'_>,
        held: &[HeldGpu],
    ) -> Score {
        let each = slots.each();
        let of_slot = |one: &HeldGpu| {
            let slot = &each[one.slot as usize];
            let parts = if one.parts == 0 { slot.parts } else { one.parts };
            u64::from(parts) * slot.unit(site.common)
        };
        let asked: u64 = held.iter().map(of_slot).sum();
        let free = free_amount(slots, site.common);
        // sizes of nodes have 32 and at most 36 bits, so that no product here needs 127
        let [c, f] = [u64::from(procs), free].map(i128::from);
        let [most_c, most_f] = [u64::from(site.procs), site.gpus].map(i128::from);
        match self {
            GpuRule::FirstFit | GpuRule::Random | GpuRule::Fgd => (0, 0),
            GpuRule::Pack => pack(site, each, held),
            GpuRule::Clustering if task.gpus == 0 => (0, 0),
            GpuRule::Clustering => (sizes.class(task), f),
            GpuRule::Spread => (0, -f),
            GpuRule::BestFit | GpuRule::WorstFit => {
                let [c, f] = [c - i128::from(task.procs), f - i128::from(asked)];
                let rest = c * most_f + f * most_c;
                (0, if self == GpuRule::BestFit { rest } else { -rest })
            }
            GpuRule::DotProduct => {
                let of_procs = c * i128::from(task.procs) * most_f * most_f;
                (0, of_procs.saturating_add(f * i128::from(asked) * most_c * most_c))
            }
        }
    }
}

fn pack(site: &GpuSite, each: &[Gpu], held: &[HeldGpu]) -> Score {
    let taken = || held.iter().map(|one| &each[one.slot as usize]);
    let broken = taken().filter(|slot| slot.is_empty()).count();
    if broken == 0 {
        return (0, taken().map(|slot| i128::from(slot.amount(site.common))).sum());
    }
    let is_idle = each.iter().all(Gpu::is_empty);
    if is_idle { (2, each.len() as i128) } else { (1, broken as i128) }
}

/// The GPUs with the least growth of the fragmentation, GPUs of the same free parts looked at once.
fn fgd(site: &GpuSite, task: GpuTask, (procs, slots): (u32, &NodeGpus)) -> Option<(Score, Vec<HeldGpu>)> {
    let before = site.mix.fragmentation(procs, slots, site.common).cast_signed();
    let growth = |held: Vec<HeldGpu>| {
        let mut after = slots.clone();
        after.take(&held);
        let after = site.mix.fragmentation(procs - task.procs, &after, site.common).cast_signed();
        ((0, after - before), held)
    };
    let choice = task.choice;
    if task.gpus == 0 || choice == GpuChoice::parts(choice.kind, 0) || choice.of == PartsOf::Several {
        return slots.lowest(1, task.gpus, choice).map(growth);
    }
    let best = |slots: &NodeGpus| {
        let able = (0_u32..).zip(slots.each()).filter(|(_, slot)| slot.holds(choice));
        let mut seen = OrderedSet::new();
        let first_of_its_like = able.filter(|(_, gpu)| seen.insert(**gpu));
        let held = first_of_its_like.filter_map(|(slot, gpu)| Some((slot, site.part(choice, slot, gpu)?)));
        let fragmented = |one: HeldGpu| {
            let mut after = slots.clone();
            after.take(&[one]);
            site.mix.fragmentation(procs - task.procs, &after, site.common)
        };
        held.min_by_key(|(_, one)| fragmented(*one)).map(|(slot, _)| slot)
    };
    site.one_by_one(task, slots, best).map(growth)
}
