//! Places of jobs with GPUs against a plain search, chunk by chunk over all nodes.

use std::sync::Arc;

use proptest::prelude::*;

use crate::batch::devices::tests::RULES;
use crate::batch::devices::{
    GpuNode, GpuRule, GpuScores, GpuSite, GpuSizes, GpuTask, HeldGpu, MigStarts, NodeGpus, TaskMix,
};
use crate::collections::{IntervalSet, OrderedMap};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;
use crate::workload::resources::{
    Demand, DemandId, Demands, FeatureNames, Features, GpuChoice, GpuGroup, GpuKind, GpuLists, GpuShare,
    NodeKind, Nodes, Resources,
};

use super::*;

/// Three nodes of 4 processors with two old GPUs of 2 parts, two of 6 with an old and two new ones
/// of 3 parts, one of 3 without.
fn site(asked: &[(u32, u32, usize, u32)]) -> (Arc<Resources>, Vec<DemandId>) {
    let mut lists = GpuLists::default();
    let kinds = [GpuKind::ANY, lists.kind("old").expect("few"), lists.kind("new").expect("few")];
    let group = |kind: usize, count, parts| GpuGroup::plain(kinds[kind], count, parts);
    let groups = vec![vec![group(1, 2, 2)], vec![group(1, 1, 2), group(2, 2, 3)], Vec::new()];
    let nodes = [(3, 4), (2, 6), (1, 3)].into_iter().zip(&groups).map(|((nodes, processors), groups)| {
        let gpus = groups.iter().map(|group| group.count).sum();
        NodeKind { nodes, processors, memory: NodeKind::ENDLESS, gpus, features: Features::NONE }
    });
    let nodes = Nodes::new(nodes.collect(), FeatureNames::default()).expect("some");
    lists.set(groups);
    let mut demands = Demands::default();
    let number = |&(procs, gpus, kind, parts): &(u32, u32, usize, u32)| {
        let gpu_choice = GpuChoice::parts(kinds[kind], parts);
        let gpus = if parts > 0 { 1 } else { gpus };
        demands.number(Demand { procs, gpus, gpu_choice, ..Demand::PLAIN })
    };
    let numbers = asked.iter().map(number).collect();
    (Arc::new(Resources { nodes: nodes.with_gpus(lists), demands }), numbers)
}

/// Nodes as the plain search has them: free processors and GPUs, and the sizes of jobs.
type Plain = Vec<(u32, NodeGpus, GpuSizes)>;

/// A chunk of a demand.
fn of_demand(demand: &Demand) -> GpuTask {
    GpuTask { procs: demand.procs, gpus: demand.gpus, choice: demand.gpu_choice }
}

/// Gives a job its chunks one by one, each the best of all nodes; the processors of each node, and
/// its GPUs.
fn searched(
    rule: GpuRule,
    site: &GpuSite,
    nodes: &mut Plain,
    demand: &Demand,
    procs: u32,
) -> Option<OrderedMap<u32, (u32, Vec<HeldGpu>)>> {
    let mut found: OrderedMap<u32, (u32, Vec<HeldGpu>)> = OrderedMap::new();
    let mut left = procs;
    while left > 0 {
        let task = GpuTask { procs: left.min(demand.procs), ..of_demand(demand) };
        let scored =
            nodes.iter().enumerate().filter(|(_, node)| node.0 >= task.procs).filter_map(|(at, node)| {
                let state = GpuNode { procs: node.0, gpus: &node.1, sizes: &node.2 };
                let (score, gpus) = rule.choose(site, task, state, &mut |_| 0)?;
                Some((score, at, gpus))
            });
        let (_, at, gpus) = scored.min_by_key(|(score, at, _)| (*score, *at))?;
        nodes[at].0 -= task.procs;
        nodes[at].1.take(&gpus);
        if !found.contains_key(&(at as u32)) {
            nodes[at].2.starts(task);
        }
        left -= task.procs;
        let part = found.entry(at as u32).or_default();
        part.0 += task.procs;
        part.1.extend(gpus);
    }
    Some(found)
}

proptest! {
    #![proptest_config(crate::batch::tests::seeded(256))]

    /// Jobs come and go under each rule: each gets the place that the plain search finds, or none
    /// if that finds none; and when all have left, everything is free again.
    #[test]
    fn places_are_those_of_a_plain_search(
        asked in prop::collection::vec((1_u32..4, 1_u32..3, 0_usize..3, 0_u32..4), 3),
        events in prop::collection::vec((0_usize..3, 1_u32..7, any::<bool>()), 1..40),
    ) {
        let (resources, numbers) = site(&asked);
        let jobs: Vec<Job> = events.iter().map(|&(which, procs, _)| {
            let mut job = Job::new(1, SimTime::ZERO, procs, SimDuration::ZERO);
            job.demand = numbers[which];
            job
        }).collect();
        for rule in RULES {
            let mut ours = FreeResources::new(Arc::clone(&resources)).placed_by((rule, GpuScores::Exact, MigStarts::First), &jobs, None);
            let site = GpuSite {
                procs: 6,
                gpus: 18,
                common: 6,
                scores: GpuScores::Exact,
                starts: MigStarts::First,
                mix: if rule == GpuRule::Fgd { TaskMix::of_jobs(&jobs, &resources.demands) } else { TaskMix::default() },
            };
            let mut nodes: Plain = Vec::new();
            for (kind, groups) in resources.nodes.kinds().iter().zip(resources.nodes.gpu_groups()) {
                nodes.extend((0..kind.nodes).map(|_| (kind.processors, NodeGpus::new(&groups), GpuSizes::NONE)));
            }
            let empty = nodes.clone();
            let mut free = IntervalSet::full(resources.nodes.procs());
            let mut running = Vec::new();
            for (id, (job, &(_, _, ends))) in (0..).map(JobId).zip(jobs.iter().zip(&events)) {
                let of = Asking { procs: job.procs, demand: job.demand };
                let demand = *resources.demands.of(job.demand);
                let mut after = nodes.clone();
                let expected = searched(rule, &site, &mut after, &demand, job.procs);
                prop_assert_eq!(ours.fits(of, None), expected.is_some(), "{:?}", rule);
                let place = ours.gpu_place(of, None);
                if let Some(place) = place {
                    let on = ours.processors_of(&place, &free);
                    prop_assert!(on.iter().all(|run| free.remove(run)));
                    ours.take_place(id, of, place);
                    let expected = expected.expect("a place");
                    let mut shares = Vec::new();
                    for (node, (_, gpus)) in &expected {
                        let mut gpus: Vec<(u32, u32)> = gpus.iter().map(|one| (one.slot, one.parts)).collect();
                        gpus.sort_unstable();
                        let first = resources.nodes.first_gpu(*node);
                        gpus.iter().for_each(|one| GpuShare::append(&mut shares, first + u64::from(one.0), one.1, None));
                    }
                    prop_assert_eq!(ours.gpus(id), shares, "{:?}", rule);
                    nodes = after;
                    running.push((id, on, expected, of_demand(&demand)));
                } else {
                    prop_assert!(expected.is_none(), "{:?}", rule);
                }
                if ends && !running.is_empty() {
                    let (id, on, held, task) = running.remove(0);
                    ours.give_back(id);
                    prop_assert!(on.iter().all(|run| free.insert(run)));
                    for (node, (procs, gpus)) in held {
                        nodes[node as usize].0 += procs;
                        nodes[node as usize].1.give_back(&gpus);
                        nodes[node as usize].2.leaves(task);
                    }
                }
            }
            for (id, _, held, task) in running {
                ours.give_back(id);
                for (node, (procs, gpus)) in held {
                    nodes[node as usize].0 += procs;
                    nodes[node as usize].1.give_back(&gpus);
                    nodes[node as usize].2.leaves(task);
                }
            }
            prop_assert_eq!(&nodes, &empty);
            prop_assert_eq!(&ours.now, &FreeResources::new(Arc::clone(&resources)).now);
        }
    }
}
