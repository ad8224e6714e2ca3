//! GPUs where they are distinguished: each is of the kind that its job asks for, on a node of the
//! job, and is held whole by one job or in parts that it has.

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::workload::resources::{Demand, GpuShare, Nodes, Resources};

use super::changes::holds;
use super::on_nodes::parts;
use super::{Row, Violation, violation_of};

/// The parts of a GPU that jobs hold.
#[derive(Clone, Copy, Default)]
struct Held {
    whole: u32,
    parts: u64,
}

/// Each chunk of a job has the GPUs that it asks for, on its node and of its kind, parts of one GPU
/// on that alone; no GPU is held by two jobs whole, by one whole and another in parts, or in more
/// parts than it has.
///
/// # Complexity
/// n log n in the jobs, and the logarithm of their number for each GPU of each job.
pub(super) fn on_gpus(rows: &[Row], resources: &Resources) -> Vec<Violation> {
    let nodes = &resources.nodes;
    let mut held: OrderedMap<u64, Held> = OrderedMap::new();
    let mut violations = Vec::new();
    for (at, starts, place) in holds(rows) {
        let row = &rows[place];
        if starts {
            violations.extend(own(row, at, nodes, resources.demands.of(row.demand)));
        }
        for (gpu, parts) in row.gpus.iter().flat_map(each).take_while(|(gpu, _)| nodes.gpu(*gpu).is_some()) {
            let of = held.entry(gpu).or_default();
            if !starts {
                (of.whole, of.parts) = (of.whole - u32::from(parts == 0), of.parts - u64::from(parts));
                continue;
            }
            (of.whole, of.parts) = (of.whole + u32::from(parts == 0), of.parts + u64::from(parts));
            let all = nodes.gpu(gpu).map_or(0, |(_, group)| u64::from(group.parts));
            let wrong = match *of {
                Held { whole: 0, parts } if parts > all => {
                    format!("jobs hold {parts} parts of GPU {gpu}, which has {all}")
                }
                Held { whole: 1, parts: 0 } | Held { whole: 0, .. } => continue,
                Held { whole: 1, .. } => format!("GPU {gpu} is held whole, and in parts beside that"),
                Held { whole, .. } => format!("GPU {gpu} is held whole by {whole} jobs"),
            };
            violations.push(violation_of(row, at, wrong));
        }
    }
    violations
}

/// Every GPU of a share with the parts that are held of it.
fn each(share: &GpuShare) -> impl Iterator<Item = (u64, u32)> {
    let parts = share.parts;
    (share.first..=share.last).map(move |gpu| (gpu, parts))
}

/// Faults of a job by itself: its GPUs against its nodes and its demand.
fn own(row: &Row, at: SimTime, nodes: &Nodes, demand: &Demand) -> Vec<Violation> {
    let mut missing: OrderedMap<u32, i64> = OrderedMap::new();
    for (node, procs) in parts(row, nodes) {
        missing.insert(node, i64::from(procs.div_ceil(demand.procs)) * i64::from(demand.gpus));
    }
    let choice = demand.gpu_choice;
    let mut wrong = Vec::new();
    for (gpu, parts) in row.gpus.iter().flat_map(each) {
        let Some((node, group)) = nodes.gpu(gpu) else {
            wrong.push(format!("it has GPU {gpu}, which no node has"));
            // of a range that leads beyond all nodes the first is enough
            break;
        };
        *missing.entry(node).or_default() -= 1;
        if !group.kind.serves(choice.kind) {
            wrong.push(format!("GPU {gpu} is not of the kind that it asks for"));
        }
        if parts != choice.parts {
            let words = |parts| if parts == 0 { "all".to_owned() } else { format!("{parts} parts") };
            wrong.push(format!("it has {} of GPU {gpu}, and asks for {}", words(parts), words(choice.parts)));
        }
    }
    for (node, missing) in missing {
        if missing != 0 {
            let (size, sign) = (missing.unsigned_abs(), if missing > 0 { "few" } else { "many" });
            wrong.push(format!("it has {size} GPUs too {sign} on node {node}"));
        }
    }
    wrong.into_iter().map(|what| violation_of(row, at, what)).collect()
}

#[cfg(test)]
mod tests {
    use crate::workload::resources::{
        Demands, FeatureNames, Features, GpuChoice, GpuGroup, GpuKind, GpuLists, NodeKind,
    };

    use super::super::row;
    use super::*;

    /// Two nodes of 4 processors with an old GPU, two new ones of 4 parts, and rows of these
    /// demands with these GPUs.
    fn found(rows: &[(Row, GpuChoice, u32, &str)]) -> Vec<String> {
        let (mut lists, mut demands) = (GpuLists::default(), Demands::default());
        let kinds = kinds(&mut lists);
        let group = |kind: usize, count, parts| GpuGroup { kind: kinds[kind], count, parts };
        lists.set(vec![vec![group(0, 1, 1), group(1, 2, 4)]]);
        let (memory, features) = (NodeKind::ENDLESS, Features::NONE);
        let kind = NodeKind { nodes: 2, processors: 4, memory, gpus: 3, features };
        let nodes = Nodes::new(vec![kind], FeatureNames::default()).expect("some").with_gpus(lists);
        let rows: Vec<Row> = rows
            .iter()
            .map(|(row, gpu_choice, gpus, held)| Row {
                demand: demands.number(Demand { gpus: *gpus, gpu_choice: *gpu_choice, ..Demand::PLAIN }),
                gpus: GpuShare::parse_all(held).expect("shares"),
                ..row.clone()
            })
            .collect();
        on_gpus(&rows, &Resources { nodes, demands }).into_iter().map(|found| found.what).collect()
    }

    fn kinds(lists: &mut GpuLists) -> [GpuKind; 2] {
        ["old", "new"].map(|name| lists.kind(name).expect("few"))
    }

    #[test]
    fn gpus_that_are_held_twice_or_elsewhere_are_found() {
        let [old, new] = kinds(&mut GpuLists::default());
        let any = GpuChoice::default();
        let of = |kind, parts| GpuChoice { kind, parts };
        let on = |number, at, on| row(number, 0, at, 10, on);
        let good = [
            (on(1, 0, (0, 0)), of(old, 0), 1, "0"),
            (on(2, 0, (1, 1)), of(new, 3), 1, "1:3"),
            (on(3, 0, (2, 2)), of(new, 1), 1, "1:1"),
            (on(4, 10, (4, 5)), any, 1, "3-4"),
            (on(5, 10, (6, 7)), of(new, 2), 1, "5:2 5:2"),
        ];
        assert_eq!(found(&good), Vec::<String>::new());
        let twice = [(on(1, 0, (0, 0)), any, 1, "1"), (on(2, 9, (1, 1)), any, 1, "1")];
        assert_eq!(found(&twice), ["GPU 1 is held whole by 2 jobs"]);
        let mixed = [(on(1, 0, (0, 0)), any, 1, "1"), (on(2, 9, (1, 1)), of(ANY, 1), 1, "1:1")];
        assert_eq!(found(&mixed), ["GPU 1 is held whole, and in parts beside that"]);
        let crowd = [(on(1, 0, (0, 0)), of(new, 3), 1, "2:3"), (on(2, 9, (1, 1)), of(new, 2), 1, "2:2")];
        assert_eq!(found(&crowd), ["jobs hold 5 parts of GPU 2, which has 4"]);
        for (choice, gpus, held, fault) in [
            (any, 1, "3", "it has 1 GPUs too few on node 0"),
            (any, 2, "0", "it has 1 GPUs too few on node 0"),
            (any, 0, "0", "it has 1 GPUs too many on node 0"),
            (of(old, 0), 1, "2", "GPU 2 is not of the kind that it asks for"),
            (of(new, 2), 1, "2", "it has all of GPU 2, and asks for 2 parts"),
            (any, 1, "9", "it has GPU 9, which no node has"),
        ] {
            assert_eq!(found(&[(on(1, 0, (0, 0)), choice, gpus, held)])[0], fault, "{held}");
        }
    }

    const ANY: GpuKind = GpuKind::ANY;
}
