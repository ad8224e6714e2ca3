//! GPUs where they are distinguished: each is of the kind that its job asks for, on a node of the
//! job, and is held whole by one job or in parts that it has.

use crate::collections::OrderedMap;
use crate::judge::instances::slices;
use crate::kernel::SimTime;
use crate::workload::resources::{
    Demand, GpuChoice, GpuGroup, GpuShare, Mig, MigSlice, Nodes, PartsOf, Resources,
};

use super::changes::holds;
use super::on_nodes::parts;
use super::{Row, Violation, violation_of};

/// The parts of a GPU that jobs hold.
#[derive(Clone, Copy, Default)]
struct Held {
    whole: u32,
    parts: u64,
    /// Jobs with each memory slice.
    slices: [u32; 8],
}

/// Each chunk of a job has the GPUs that it asks for, on its node and of its kind, parts of one GPU
/// on that alone; no GPU is held by two jobs whole, by one whole and another in parts, or in more
/// parts than it has. Instances begin where they may, and no memory slice is of two.
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
        for (gpu, parts, slice) in
            row.gpus.iter().flat_map(each).take_while(|(gpu, ..)| nodes.gpu(*gpu).is_some())
        {
            let of = held.entry(gpu).or_default();
            let slices = &mut of.slices[slice.map_or(0..0, slices)];
            if !starts {
                (of.whole, of.parts) = (of.whole - u32::from(parts == 0), of.parts - u64::from(parts));
                slices.iter_mut().for_each(|jobs| *jobs -= 1);
                continue;
            }
            (of.whole, of.parts) = (of.whole + u32::from(parts == 0), of.parts + u64::from(parts));
            slices.iter_mut().for_each(|jobs| *jobs += 1);
            if let Some(slice) = of.slices.iter().position(|jobs| *jobs > 1) {
                violations.push(violation_of(
                    row,
                    at,
                    format!("memory slice {slice} of GPU {gpu} is of two jobs"),
                ));
            }
            let all = nodes.gpu(gpu).map_or(0, |(_, group)| u64::from(group.parts));
            let wrong = match *of {
                Held { whole: 0, parts, .. } if parts > all => {
                    format!("jobs hold {parts} parts of GPU {gpu}, which has {all}")
                }
                Held { whole: 1, parts: 0, .. } | Held { whole: 0, .. } => continue,
                Held { whole: 1, .. } => format!("GPU {gpu} is held whole, and in parts beside that"),
                Held { whole, .. } => format!("GPU {gpu} is held whole by {whole} jobs"),
            };
            violations.push(violation_of(row, at, wrong));
        }
    }
    violations
}

/// Every GPU of a share with the parts that are held of it, and the instance that they are.
fn each(share: &GpuShare) -> impl Iterator<Item = (u64, u32, Option<MigSlice>)> {
    let GpuShare { parts, slice, .. } = *share;
    (share.first..=share.last).map(move |gpu| (gpu, parts, slice))
}

/// Faults of a job by itself: its GPUs against its nodes and its demand.
fn own(row: &Row, at: SimTime, nodes: &Nodes, demand: &Demand) -> Vec<Violation> {
    let mut missing: OrderedMap<u32, i64> = OrderedMap::new();
    for (node, procs) in parts(row, nodes) {
        let of_chunk =
            if demand.gpu_choice.of == PartsOf::Several { demand.gpu_choice.parts } else { demand.gpus };
        missing.insert(node, i64::from(procs.div_ceil(demand.procs)) * i64::from(of_chunk));
    }
    let choice = demand.gpu_choice;
    let mut wrong = Vec::new();
    for (gpu, parts, slice) in row.gpus.iter().flat_map(each) {
        let Some((node, group)) = nodes.gpu(gpu) else {
            wrong.push(format!("it has GPU {gpu}, which no node has"));
            // of a range that leads beyond all nodes the first is enough
            break;
        };
        *missing.entry(node).or_default() -= if choice.of == PartsOf::Several { i64::from(parts) } else { 1 };
        if !group.kind.serves(choice.kind) {
            wrong.push(format!("GPU {gpu} is not of the kind that it asks for"));
        }
        if let Some(fault) = wrong_instance(gpu, &group, slice, choice) {
            wrong.push(fault);
        } else if parts != choice.parts && (parts == 0 || choice.of != PartsOf::Several) {
            let words = |parts| if parts == 0 { "all".to_owned() } else { format!("{parts} parts") };
            wrong.push(format!("it has {} of GPU {gpu}, and asks for {}", words(parts), words(choice.parts)));
        }
    }
    for (node, missing) in missing {
        if missing != 0 {
            let (size, sign) = (missing.unsigned_abs(), if missing > 0 { "few" } else { "many" });
            let what = if choice.of == PartsOf::Several { "parts of GPUs" } else { "GPUs" };
            wrong.push(format!("it has {size} {what} too {sign} on node {node}"));
        }
    }
    wrong.into_iter().map(|what| violation_of(row, at, what)).collect()
}

/// Fault of what a job holds of a GPU as an instance, or as none where it asks for one.
fn wrong_instance(gpu: u64, group: &GpuGroup, slice: Option<MigSlice>, choice: GpuChoice) -> Option<String> {
    let asked = match choice.of {
        PartsOf::Instance(profile) => Some(profile),
        PartsOf::One | PartsOf::Several => None,
    };
    let is_divided = group.mig == Mig::AtStarts;
    match slice {
        None if asked.is_some() => Some(format!("it asks for an instance, and has none on GPU {gpu}")),
        Some(slice) if !is_divided => Some(format!("it has {slice} of GPU {gpu}, which is not divided")),
        Some(slice) if asked != Some(slice.profile) => {
            Some(format!("it has {slice} of GPU {gpu}, and asks for another instance"))
        }
        Some(slice) if slices(slice).is_empty() => {
            Some(format!("it has {slice} of GPU {gpu}, where such an instance cannot begin"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::workload::resources::{
        Demands, FeatureNames, Features, GpuGroup, GpuKind, GpuLists, MigProfile, NodeKind,
    };

    use super::super::row;
    use super::*;

    /// Two nodes of 4 processors with an old GPU, two new ones of 4 parts, and rows of these
    /// demands with these GPUs.
    fn found(rows: &[(Row, GpuChoice, u32, &str)]) -> Vec<String> {
        let (mut lists, mut demands) = (GpuLists::default(), Demands::default());
        let kinds = kinds(&mut lists);
        let group = |kind: usize, count, parts| GpuGroup::plain(kinds[kind], count, parts);
        let divided = GpuGroup { mig: Mig::AtStarts, ..group(2, 1, 7) };
        lists.set(vec![vec![group(0, 1, 1), group(1, 2, 4), divided]]);
        let (memory, features) = (NodeKind::ENDLESS, Features::NONE);
        let kind = NodeKind { nodes: 2, processors: 4, memory, gpus: 4, features };
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

    fn kinds(lists: &mut GpuLists) -> [GpuKind; 3] {
        ["old", "new", "a100"].map(|name| lists.kind(name).expect("few"))
    }

    #[test]
    fn gpus_that_are_held_twice_or_elsewhere_are_found() {
        let [old, new, _] = kinds(&mut GpuLists::default());
        let any = GpuChoice::default();
        let of = GpuChoice::parts;
        let on = |number, at, on| row(number, 0, at, 10, on);
        let good = [
            (on(1, 0, (0, 0)), of(old, 0), 1, "0"),
            (on(2, 0, (1, 1)), of(new, 3), 1, "1:3"),
            (on(3, 0, (2, 2)), of(new, 1), 1, "1:1"),
            (on(4, 10, (4, 5)), any, 1, "4-5"),
            (on(5, 10, (6, 7)), of(new, 2), 1, "6:2 6:2"),
        ];
        assert_eq!(found(&good), Vec::<String>::new());
        let twice = [(on(1, 0, (0, 0)), any, 1, "1"), (on(2, 9, (1, 1)), any, 1, "1")];
        assert_eq!(found(&twice), ["GPU 1 is held whole by 2 jobs"]);
        let mixed = [(on(1, 0, (0, 0)), any, 1, "1"), (on(2, 9, (1, 1)), of(ANY, 1), 1, "1:1")];
        assert_eq!(found(&mixed), ["GPU 1 is held whole, and in parts beside that"]);
        let crowd = [(on(1, 0, (0, 0)), of(new, 3), 1, "2:3"), (on(2, 9, (1, 1)), of(new, 2), 1, "2:2")];
        assert_eq!(found(&crowd), ["jobs hold 5 parts of GPU 2, which has 4"]);
        for (choice, gpus, held, fault) in [
            (any, 1, "4", "it has 1 GPUs too few on node 0"),
            (any, 2, "0", "it has 1 GPUs too few on node 0"),
            (any, 0, "0", "it has 1 GPUs too many on node 0"),
            (of(old, 0), 1, "2", "GPU 2 is not of the kind that it asks for"),
            (of(new, 2), 1, "2", "it has all of GPU 2, and asks for 2 parts"),
            (any, 1, "9", "it has GPU 9, which no node has"),
        ] {
            assert_eq!(found(&[(on(1, 0, (0, 0)), choice, gpus, held)])[0], fault, "{held}");
        }
    }

    #[test]
    fn parts_of_several_gpus_add_up_on_the_node() {
        let [_, new, _] = kinds(&mut GpuLists::default());
        let several = GpuChoice { of: PartsOf::Several, ..GpuChoice::parts(new, 5) };
        let rows = |held| [(row(1, 0, 0, 10, (0, 0)), several, 1, held)];
        assert_eq!(found(&rows("1:4 2:1")), Vec::<String>::new());
        assert_eq!(found(&rows("1:4"))[0], "it has 1 parts of GPUs too few on node 0");
        assert_eq!(found(&rows("1:4 6:1")).len(), 2);
    }

    #[test]
    fn instances_that_overlap_or_begin_elsewhere_are_found() {
        let [_, _, a100] = kinds(&mut GpuLists::default());
        let of = |profile| GpuChoice::instance(a100, profile);
        let on = |number, on| row(number, 0, 0, 10, on);
        let good = [
            (on(1, (0, 0)), of(MigProfile::Three), 1, "3:3g@0"),
            (on(2, (1, 1)), of(MigProfile::Two), 1, "3:2g@4"),
            (on(3, (4, 4)), GpuChoice::parts(a100, 0), 1, "7"),
        ];
        assert_eq!(found(&good), Vec::<String>::new());
        let overlapping = [
            (on(1, (0, 0)), of(MigProfile::Three), 1, "3:3g@0"),
            (on(2, (1, 1)), of(MigProfile::Two), 1, "3:2g@2"),
        ];
        assert_eq!(found(&overlapping), ["memory slice 2 of GPU 3 is of two jobs"]);
        let both = [
            (on(1, (0, 0)), of(MigProfile::Three), 1, "3:3g@0"),
            (on(2, (1, 1)), GpuChoice::parts(a100, 0), 1, "3"),
        ];
        assert_eq!(found(&both), ["GPU 3 is held whole, and in parts beside that"]);
        for (profile, held, fault) in [
            (MigProfile::Three, "3:3g@1", "it has 3g@1 of GPU 3, where such an instance cannot begin"),
            (MigProfile::Three, "3:2g@0", "it has 2g@0 of GPU 3, and asks for another instance"),
            (MigProfile::Three, "3", "it asks for an instance, and has none on GPU 3"),
        ] {
            assert_eq!(found(&[(on(1, (0, 0)), of(profile), 1, held)])[0], fault);
        }
        let whole = [(on(1, (0, 0)), GpuChoice::parts(a100, 0), 1, "3:1g@0")];
        assert_eq!(found(&whole)[0], "it has 1g@0 of GPU 3, and asks for another instance");
    }

    const ANY: GpuKind = GpuKind::ANY;
}
