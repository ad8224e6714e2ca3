//! Nodes give no more memory and GPUs than they have, and only to jobs that may be there.

use std::borrow::Cow;

use crate::collections::OrderedMap;
use crate::judge::instances::fitting;
use crate::kernel::SimTime;
use crate::workload::resources::{
    Demand, DemandId, GpuGroup, Mig, NodeKind, NodeUse, Nodes, PartsOf, Resources,
};

use super::changes::holds;
use super::on_gpus::on_gpus;
use super::{Row, ScheduledJobs, Violation, violation_of};

/// The parts of a node that jobs hold.
#[derive(Clone, Copy, Default)]
struct Held {
    memory: u128,
    gpus: u64,
    jobs: u32,
    /// Of them, those that have it to themselves.
    alone: u32,
}

/// Each chunk of a job is on one node, and has its GPUs there; each node has the features that its
/// jobs ask for, and at no time gives them more memory or GPUs than it has; a job that has a node
/// to itself is alone there.
///
/// # Complexity
/// n log n in the jobs, and a step for each node of each job.
pub fn on_nodes(rows: &[Row], resources: &Resources) -> Vec<Violation> {
    in_all_runs(rows, resources)
}

/// The same of all runs of a schedule: `earlier` are those that were interrupted, which ask for
/// what their jobs do.
pub(super) fn on_nodes_with(
    schedule: &ScheduledJobs,
    earlier: &[Row],
    resources: &Resources,
) -> Vec<Violation> {
    in_all_runs(&with_earlier(schedule, earlier), resources)
}

fn in_all_runs(rows: &[Row], resources: &Resources) -> Vec<Violation> {
    let Resources { nodes, demands } = resources;
    let kinds: Vec<&NodeKind> = nodes.each().collect();
    let mut held = vec![Held::default(); kinds.len()];
    let distinguishes_gpus = resources.distinguishes_gpus();
    let mut violations = if distinguishes_gpus { on_gpus(rows, resources) } else { Vec::new() };
    for (at, starts, place) in holds(rows) {
        let (row, demand) = (&rows[place], demands.of(rows[place].demand));
        let mut broken = |what: String| violations.push(violation_of(row, at, what));
        let parts = parts(row, nodes);
        let chunks = |procs: u32| procs.div_ceil(demand.procs);
        if starts && parts.values().map(|&procs| chunks(procs)).sum::<u32>() > chunks(row.procs) {
            broken(format!("its chunks of {} processors are torn apart", demand.procs));
        }
        for (&node, &procs) in &parts {
            let (of, kind) = (&mut held[node as usize], kinds[node as usize]);
            let memory = u128::from(chunks(procs)) * u128::from(demand.memory);
            let gpus = u64::from(chunks(procs)) * u64::from(demand.gpus);
            let alone = u32::from(demand.node_use == NodeUse::Exclusive);
            if !starts {
                (of.memory, of.gpus) = (of.memory - memory, of.gpus - gpus);
                (of.jobs, of.alone) = (of.jobs - 1, of.alone - alone);
                continue;
            }
            (of.memory, of.gpus) = (of.memory + memory, of.gpus + gpus);
            (of.jobs, of.alone) = (of.jobs + 1, of.alone + alone);
            if !demands.features().cover(kind.features, demand.features) {
                broken(format!("node {node} has not all the features that it asks for"));
            }
            if kind.memory != NodeKind::ENDLESS && of.memory > u128::from(kind.memory) {
                broken(format!("jobs hold {} bytes of node {node}, which has {}", of.memory, kind.memory));
            }
            if !distinguishes_gpus && of.gpus > u64::from(kind.gpus) {
                broken(format!("jobs hold {} GPUs of node {node}, which has {}", of.gpus, kind.gpus));
            }
            if of.alone > 0 && of.jobs > 1 {
                broken(format!("there are {} jobs on node {node}, which one has to itself", of.jobs));
            }
        }
    }
    violations
}

/// The last runs of jobs, and those that were interrupted.
fn with_earlier<'a>(schedule: &'a ScheduledJobs, earlier: &[Row]) -> Cow<'a, [Row]> {
    if earlier.is_empty() {
        return Cow::Borrowed(&schedule.ran);
    }
    // one that was interrupted may have left without another run
    let jobs = schedule.ran.iter().chain(&schedule.cancelled).chain(&schedule.refused);
    let demands: OrderedMap<(u64, SimTime), DemandId> =
        jobs.map(|row| ((row.number, row.submit_time), row.demand)).collect();
    let of_job = |row: &Row| {
        let demand = demands.get(&(row.number, row.submit_time)).copied().unwrap_or_default();
        Row { demand, ..row.clone() }
    };
    Cow::Owned(schedule.ran.iter().cloned().chain(earlier.iter().map(of_job)).collect())
}

/// The processors of a job, node by node.
pub(super) fn parts(row: &Row, nodes: &Nodes) -> OrderedMap<u32, u32> {
    let mut parts = OrderedMap::new();
    for on in &row.on {
        // processors that there are not are another promise's business
        for processor in on.first..=on.last.min(nodes.procs() - 1) {
            *parts.entry(nodes.node_of(processor)).or_insert(0) += 1;
        }
    }
    parts
}

/// Returns true if nodes with no job on them could take a job of `procs` processors.
pub(super) fn could_take(resources: &Resources, demand: &Demand, procs: u32) -> bool {
    let all: Vec<u64> = resources.nodes.kinds().iter().map(|kind| u64::from(kind.nodes)).collect();
    could_take_on(resources, demand, procs, &all)
}

/// The same of so many nodes of each kind.
pub(super) fn could_take_on(resources: &Resources, demand: &Demand, procs: u32, counts: &[u64]) -> bool {
    let Resources { nodes, demands } = resources;
    let (whole, rest) = (u64::from(procs / demand.procs), procs % demand.procs);
    // with `chunks` whole chunks on a node already, does one more fit of `of` processors?
    let fits = |(kind, gpus): (&NodeKind, &[GpuGroup]), chunks: u64, of: u32| {
        let memory = (u128::from(chunks) + 1) * u128::from(demand.memory);
        demands.features().cover(kind.features, demand.features)
            && chunks * u64::from(demand.procs) + u64::from(of) <= u64::from(kind.processors)
            && (kind.memory == NodeKind::ENDLESS || memory <= u128::from(kind.memory))
            && (chunks < most_by_gpus(gpus, demand))
    };
    let most = |node: (&NodeKind, &[GpuGroup])| {
        let each = 0..u64::from(node.0.processors);
        each.take_while(|&chunks| fits(node, chunks, demand.procs)).count() as u64
    };
    let gpus = nodes.gpu_groups();
    let each = || nodes.kinds().iter().zip(gpus.iter().map(Vec::as_slice)).zip(counts);
    let all: u64 = each().map(|(node, &count)| count * most(node)).sum();
    let last = || each().any(|(node, &count)| count > 0 && fits(node, most(node), rest));
    all > whole || (all == whole && (rest == 0 || last()))
}

/// Chunks that the GPUs of a node without jobs are enough for.
fn most_by_gpus(gpus: &[GpuGroup], demand: &Demand) -> u64 {
    let of_kind = gpus.iter().filter(|group| group.kind.serves(demand.gpu_choice.kind));
    let choice = demand.gpu_choice;
    let each = |group: &GpuGroup| {
        let is_divided = group.mig == Mig::AtStarts;
        u64::from(group.count)
            * u64::from(match choice.of {
                PartsOf::Instance(profile) if is_divided => fitting(profile, group.parts, [true; 8]),
                PartsOf::One if choice.parts == 0 => 1,
                PartsOf::One if !is_divided => group.parts / choice.parts,
                PartsOf::Several if !is_divided => group.parts,
                _ => 0,
            })
    };
    let of_chunk = if choice.of == PartsOf::Several { choice.parts } else { demand.gpus };
    let of_chunk = if demand.gpus == 0 { 0 } else { of_chunk };
    of_kind.map(each).sum::<u64>().checked_div(of_chunk.into()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use crate::workload::resources::{Demands, FeatureNames, GpuChoice, GpuLists, GpuShare};

    use super::super::row;
    use super::*;

    /// Two nodes of 4 processors, 8 bytes and a GPU, of which only the second is "big"; rows of
    /// these demands.
    fn found(rows: &[(Row, Demand)]) -> Vec<String> {
        let mut names = FeatureNames::default();
        let big = names.take_in("big");
        let kind = |features| NodeKind { nodes: 1, processors: 4, memory: 8, gpus: 1, features };
        let kinds = vec![kind(crate::workload::resources::Features::NONE), kind(big)];
        let mut demands = Demands::of_nodes(&names);
        let rows: Vec<Row> =
            rows.iter().map(|(row, demand)| Row { demand: demands.number(*demand), ..row.clone() }).collect();
        let nodes = Nodes::new(kinds, names).expect("some");
        on_nodes(&rows, &Resources { nodes, demands }).into_iter().map(|found| found.what).collect()
    }

    #[test]
    fn what_nodes_have_not_is_found() {
        let plain = Demand::PLAIN;
        let heavy = Demand { memory: 4, ..plain };
        let good = [(row(1, 0, 0, 10, (0, 1)), heavy), (row(2, 0, 10, 10, (0, 0)), heavy)];
        assert_eq!(found(&good), Vec::<String>::new());
        let both = [(row(1, 0, 0, 10, (0, 1)), heavy), (row(2, 0, 9, 10, (2, 2)), heavy)];
        assert_eq!(found(&both), ["jobs hold 12 bytes of node 0, which has 8"]);
        let gpu = Demand { gpus: 1, ..plain };
        assert_eq!(found(&[(row(1, 0, 0, 1, (0, 1)), gpu)]), ["jobs hold 2 GPUs of node 0, which has 1"]);
        let pair = Demand { procs: 2, ..plain };
        assert_eq!(found(&[(row(1, 0, 0, 1, (3, 4)), pair)]), ["its chunks of 2 processors are torn apart"]);
        let mut names = FeatureNames::default();
        let big = Demand { features: names.take_in("big"), ..plain };
        assert_eq!(found(&[(row(1, 0, 0, 1, (3, 4)), big)]).len(), 1);
        let alone = Demand { node_use: NodeUse::Exclusive, ..plain };
        let crowd = [(row(1, 0, 0, 9, (0, 0)), alone), (row(2, 0, 8, 9, (1, 1)), plain)];
        assert_eq!(found(&crowd), ["there are 2 jobs on node 0, which one has to itself"]);
    }

    #[test]
    fn gpus_of_interrupted_runs_are_held_too() {
        let mut lists = GpuLists::default();
        let new = lists.kind("new").expect("few");
        lists.set(vec![vec![GpuGroup::plain(new, 2, 4)]]);
        let features = crate::workload::resources::Features::NONE;
        let kind = NodeKind { nodes: 1, processors: 4, memory: NodeKind::ENDLESS, gpus: 2, features };
        let nodes = Nodes::new(vec![kind], FeatureNames::default()).expect("some").with_gpus(lists);
        let mut demands = Demands::default();
        let demand =
            demands.number(Demand { gpus: 1, gpu_choice: GpuChoice::parts(new, 3), ..Demand::PLAIN });
        let resources = Resources { nodes, demands };
        let held = |row, gpus| Row { demand, gpus: GpuShare::parse_all(gpus).expect("shares"), ..row };
        let found = |gpus| {
            // job 1 is interrupted at 10 and does not run again
            let earlier = Row { demand: DemandId::default(), ..held(row(1, 0, 0, 10, (0, 0)), gpus) };
            let left = Row { demand, cancelled: true, ..Row::default() };
            let schedule = ScheduledJobs {
                ran: vec![held(row(2, 0, 9, 5, (1, 1)), "0:3")],
                cancelled: vec![Row { number: 1, ..left }],
                ..ScheduledJobs::default()
            };
            let found = on_nodes_with(&schedule, &[earlier], &resources);
            found.into_iter().map(|one| one.what).collect::<Vec<_>>()
        };
        assert_eq!(found("1:3"), Vec::<String>::new());
        assert_eq!(found("0:3"), ["jobs hold 6 parts of GPU 0, which has 4"]);
        assert_eq!(found(""), ["it has 1 GPUs too few on node 0"]);
    }

    #[test]
    fn what_empty_nodes_could_take_is_counted() {
        let nodes = |count| {
            let features = crate::workload::resources::Features::NONE;
            let kind = NodeKind { nodes: count, processors: 5, memory: 9, gpus: 2, features };
            let nodes = Nodes::new(vec![kind], FeatureNames::default()).expect("some");
            Resources { nodes, demands: Demands::default() }
        };
        let chunk = Demand { procs: 2, memory: 4, gpus: 1, ..Demand::PLAIN };
        assert!(could_take(&nodes(2), &chunk, 8) && !could_take(&nodes(2), &chunk, 9));
        let light = Demand { gpus: 0, memory: 3, ..chunk };
        // two whole chunks and one of a single processor on each node
        assert!(could_take(&nodes(2), &light, 9) && !could_take(&nodes(2), &light, 10));
    }
}
