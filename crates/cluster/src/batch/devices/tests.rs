//! Rules of GPUs against worked examples and against a plain second implementation.

use proptest::prelude::*;

use crate::workload::resources::{
    GpuChoice, GpuGroup, GpuKind, GpuLists, Mig, MigProfile, MigSlice, PartsOf,
};

use super::*;

/// Rules that draw nothing.
pub(in crate::batch) const RULES: [GpuRule; 8] = [
    GpuRule::FirstFit,
    GpuRule::Pack,
    GpuRule::Spread,
    GpuRule::BestFit,
    GpuRule::WorstFit,
    GpuRule::DotProduct,
    GpuRule::Clustering,
    GpuRule::Fgd,
];

const ANY: GpuKind = GpuKind::ANY;

fn parts(parts: u32) -> GpuChoice {
    GpuChoice::parts(ANY, parts)
}

/// A node with so many processors and these GPUs, whose jobs are of no size that counts.
fn node(procs: u32, gpus: &NodeGpus) -> GpuNode<'_> {
    const NONE: &GpuSizes = &GpuSizes::NONE;
    GpuNode { procs, gpus, sizes: NONE }
}

/// GPUs of 1,000 parts with so many of them free.
fn thousands(free: &[u32]) -> NodeGpus {
    let mut gpus = NodeGpus::new(&[GpuGroup::plain(ANY, free.len() as u32, 1000)]);
    let held = (0..).zip(free).filter(|(_, free)| **free < 1000);
    let held: Vec<HeldGpu> = held.map(|(slot, free)| HeldGpu::parts(slot, 1000 - free)).collect();
    gpus.take(&held);
    gpus
}

#[test]
fn each_rule_gives_the_worked_example_its_node_and_gpu() {
    let nodes = [thousands(&[1000, 400]), thousands(&[600, 500])];
    let task = |gpus, choice| GpuTask { procs: 0, gpus, choice };
    let mix = TaskMix::new([(task(1, parts(500)), 1), (task(1, GpuChoice::default()), 1)]);
    let doubled = nodes.each_ref().map(|gpus| mix.fragmentation(8, gpus, 1000));
    assert_eq!(doubled, [2 * 400, 2 * 550]);
    let site = GpuSite {
        procs: 8,
        gpus: 2000,
        common: 1000,
        mix,
        scores: GpuScores::Exact,
        starts: MigStarts::First,
    };
    let own = task(1, parts(400));
    let growths = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(node, slot): (usize, u32)| {
        let mut after = nodes[node].clone();
        after.take(&[HeldGpu::parts(slot, 400)]);
        site.mix.fragmentation(8, &after, 1000).cast_signed() / 2 - doubled[node].cast_signed() / 2
    });
    assert_eq!(growths, [300, -400, -100, -150]);
    let chosen = |rule: GpuRule| {
        let place = |gpus| rule.choose(&site, own, node(8, gpus), &mut |_| 0).expect("it fits on both");
        let [first, second] = nodes.each_ref().map(place);
        if first.0 <= second.0 { (0, first.1[0].slot) } else { (1, second.1[0].slot) }
    };
    let expected = [
        (GpuRule::FirstFit, (0, 0)),
        (GpuRule::Pack, (0, 1)),
        (GpuRule::Spread, (0, 0)),
        (GpuRule::BestFit, (1, 1)),
        (GpuRule::WorstFit, (0, 0)),
        (GpuRule::DotProduct, (1, 1)),
        (GpuRule::Clustering, (1, 1)),
        (GpuRule::Fgd, (0, 1)),
    ];
    for (rule, place) in expected {
        assert_eq!(chosen(rule), place, "{rule:?}");
    }
    // growths of 0.3 and -0.4 GPUs are 42 and 59 per cent, -0.1 and -0.15 are 52 and 53
    let site = GpuSite { scores: GpuScores::Percent, ..site };
    let percents = nodes.each_ref().map(|gpus| {
        GpuRule::Fgd
            .choose(&site, own, node(8, gpus), &mut |_| 0)
            .map(|(score, held)| (score.1, held[0].slot))
    });
    assert_eq!(percents, [Some((-59, 1)), Some((-53, 1))]);
    // of the shared GPUs 40 and 50 per cent are free
    let tenths = nodes.each_ref().map(|gpus| {
        GpuRule::Pack.choose(&site, own, node(8, gpus), &mut |_| 0).map(|(score, held)| (score, held[0].slot))
    });
    assert_eq!(tenths, [Some(((0, 4), 1)), Some(((0, 5), 1))]);
}

/// The nodes of the example above, with 1.4 and 1.1 GPUs free, whose jobs have these sizes: whole
/// GPUs of a chunk, 0 for parts.
#[test]
fn clustering_looks_for_jobs_of_the_same_size_and_then_for_full_nodes() {
    let nodes = [thousands(&[1000, 400]), thousands(&[600, 500])];
    let task = |size: u32| match size {
        0 => GpuTask { procs: 0, gpus: 1, choice: parts(400) },
        gpus => GpuTask { procs: 0, gpus, choice: GpuChoice::default() },
    };
    let (mix, starts) = (TaskMix::default(), MigStarts::First);
    let site = GpuSite { procs: 8, gpus: 2000, common: 1000, mix, scores: GpuScores::Percent, starts };
    let scores = |size: u32, sizes: [&[u32]; 2]| {
        let score = |(gpus, list): (&NodeGpus, &[u32])| {
            let mut sizes = GpuSizes::default();
            list.iter().for_each(|&size| sizes.starts(task(size)));
            // one that comes and goes leaves nothing behind
            [7, 2].into_iter().for_each(|other| sizes.starts(task(other)));
            [2, 7].into_iter().for_each(|other| sizes.leaves(task(other)));
            let node = GpuNode { procs: 8, gpus, sizes: &sizes };
            GpuRule::Clustering.choose(&site, task(size), node, &mut |_| 0).map(|(score, _)| score)
        };
        let [one, other] = sizes;
        [score((&nodes[0], one)), score((&nodes[1], other))]
    };
    // a node is full by 0.6 or 0.9 of two GPUs, which is 7 or 11 of 25
    assert_eq!(scores(0, [&[0], &[0, 0]]), [Some((0, -7)), Some((0, -11))]);
    assert_eq!(scores(0, [&[0], &[0, 1]]), [Some((0, -7)), Some((1, -11))]);
    assert_eq!(scores(0, [&[], &[1]]), [Some((2, -7)), Some((3, -11))]);
    assert_eq!(scores(1, [&[1, 1], &[0]]), [Some((0, -7)), None]);
    assert_eq!(scores(1, [&[2], &[0]]), [Some((3, -7)), None]);
}

#[test]
fn what_a_half_of_the_jobs_cannot_use_is_fragmented_by_a_half() {
    let whole = |gpus| GpuTask { procs: 1, gpus, choice: GpuChoice::default() };
    let mix = TaskMix::new([(whole(1), 1), (whole(4), 1)]);
    let nodes = [1, 2, 1].map(|count| NodeGpus::new(&[GpuGroup::plain(ANY, count, 1)]));
    let fragmented: u128 = nodes.iter().map(|gpus| mix.fragmentation(8, gpus, 1)).sum();
    let free: u64 = nodes.iter().map(|gpus| free_amount(gpus, 1)).sum();
    assert_eq!((fragmented, mix.jobs(), free), (4, 2, 4));
    // without processors all of it is of no use
    assert_eq!(mix.fragmentation(0, &nodes[1], 1), 2 * 2);
}

#[test]
fn the_mix_has_the_most_frequent_tasks_until_95_of_100_jobs() {
    let whole = |gpus| GpuTask { procs: 1, gpus, choice: GpuChoice::default() };
    let mix = TaskMix::new([(whole(1), 4), (whole(2), 90), (whole(3), 1), (whole(4), 5)]);
    assert_eq!(mix, TaskMix::new([(whole(2), 90), (whole(4), 5)]));
}

#[test]
fn a_gpu_is_held_whole_or_in_parts() {
    let mut lists = GpuLists::default();
    let (old, new) = (lists.kind("old").expect("few"), lists.kind("new").expect("few"));
    let group = |kind, parts| GpuGroup::plain(kind, 2, parts);
    let mut gpus = NodeGpus::new(&[group(old, 1), group(new, 4)]);
    let of = GpuChoice::parts;
    assert_eq!(
        (gpus.chunks(1, of(ANY, 0)), gpus.chunks(2, of(new, 0)), gpus.chunks(1, of(new, 3))),
        (4, 1, 2)
    );
    gpus.take(&gpus.lowest(1, 1, of(new, 1)).expect("it fits"));
    assert_eq!(
        (gpus.chunks(1, of(new, 0)), gpus.chunks(1, of(new, 1)), gpus.chunks(1, of(ANY, 0))),
        (1, 7, 3)
    );
    gpus.take(&gpus.lowest(1, 1, of(new, 0)).expect("it fits"));
    assert_eq!(
        (gpus.chunks(1, of(new, 1)), gpus.chunks(1, of(new, 4)), gpus.lowest(3, 1, of(ANY, 0))),
        (3, 0, None)
    );
}

/// A GPU that is divided at starts, and where instances begin on it one after the other.
fn begins(starts: MigStarts, profiles: &[MigProfile]) -> Vec<Option<u8>> {
    let group = GpuGroup { mig: Mig::AtStarts, ..GpuGroup::plain(ANY, 1, 7) };
    let mut gpus = NodeGpus::new(&[group]);
    let place = |profile: &MigProfile| {
        let slice = starts.choose(&gpus.each()[0], *profile)?;
        gpus.take(&[HeldGpu::instance(0, slice)]);
        Some(slice.start)
    };
    profiles.iter().map(place).collect()
}

#[test]
fn instances_begin_at_the_lowest_start_or_where_they_leave_most() {
    use MigProfile::{Four, One, Three, Two};
    let six = [One, Two, Three, Three, Four, One];
    let at = |start: u8| Some(start);
    assert_eq!(begins(MigStarts::First, &six), [at(0), at(2), at(4), None, None, at(1)]);
    assert_eq!(begins(MigStarts::Best, &six), [at(6), at(4), at(0), None, None, None]);
    assert_eq!(begins(MigStarts::First, &[One, Four]), [at(0), None]);
    assert_eq!(begins(MigStarts::Best, &[One, Four]), [at(6), at(0)]);
    let empty = NodeGpus::new(&[GpuGroup { mig: Mig::AtStarts, ..GpuGroup::plain(ANY, 1, 7) }]);
    let possible = MigProfile::ALL.map(|profile| empty.each()[0].starts(profile).count());
    assert_eq!(possible.into_iter().sum::<usize>(), 18);
}

#[test]
fn a_divided_gpu_is_whole_or_has_instances_and_no_equal_parts() {
    let mut gpus = NodeGpus::new(&[GpuGroup { mig: Mig::AtStarts, ..GpuGroup::plain(ANY, 2, 7) }]);
    let of = |profile| GpuChoice::instance(ANY, profile);
    let most = |gpus: &NodeGpus| MigProfile::ALL.map(|profile| gpus.chunks(1, of(profile)));
    assert_eq!((most(&gpus), gpus.chunks(1, parts(1))), ([14, 8, 6, 4, 2, 2], 0));
    assert_eq!(gpus.chunks(3, of(MigProfile::Three)), 1);
    gpus.take(&gpus.lowest(1, 3, of(MigProfile::Three)).expect("it fits"));
    // the second has slices 4 to 7 and four compute parts
    assert_eq!((most(&gpus), gpus.chunks(1, parts(0))), ([3, 2, 1, 1, 0, 0], 0));
    let before = gpus.clone();
    let held = [HeldGpu::instance(1, MigSlice { profile: MigProfile::Two, start: 4 })];
    gpus.take(&held);
    assert_eq!(free_amount(&gpus, 7), 1 + 2);
    gpus.give_back(&held);
    assert_eq!(gpus, before);
    let mut whole = NodeGpus::new(&[GpuGroup { mig: Mig::AtStarts, ..GpuGroup::plain(ANY, 1, 7) }]);
    whole.take(&whole.lowest(1, 1, parts(0)).expect("it fits"));
    assert_eq!(whole.chunks(1, of(MigProfile::One)), 0);
}

#[test]
fn parts_of_several_gpus_fill_them_one_by_one() {
    let several = |parts| GpuChoice { of: PartsOf::Several, ..GpuChoice::parts(ANY, parts) };
    let gpus = thousands(&[1000, 400, 600]);
    assert_eq!([500, 1500, 2000, 2001].map(|parts| gpus.chunks(1, several(parts))), [4, 1, 1, 0]);
    let (mix, starts) = (TaskMix::default(), MigStarts::First);
    let site = GpuSite { procs: 8, gpus: 3000, common: 1000, mix, scores: GpuScores::Exact, starts };
    let chosen = |rule: GpuRule| {
        let task = GpuTask { procs: 0, gpus: 1, choice: several(1200) };
        let (_, held) = rule.choose(&site, task, node(8, &gpus), &mut |_| 0).expect("it fits");
        held.iter().map(|one| (one.slot, one.parts)).collect::<Vec<_>>()
    };
    assert_eq!(chosen(GpuRule::FirstFit), [(0, 1000), (1, 200)]);
    assert_eq!(chosen(GpuRule::Pack), [(1, 400), (2, 600), (0, 200)]);
    assert_eq!(chosen(GpuRule::Spread), [(0, 1000), (2, 200)]);
    assert_eq!(chosen(GpuRule::Fgd), [(0, 1000), (1, 200)]);
}

/// Instances made beforehand count as their sevenths.
#[test]
fn an_instance_made_beforehand_is_its_sevenths_of_a_gpu() {
    let mig = Mig::Beforehand(MigProfile::Three);
    let gpus = NodeGpus::new(&[GpuGroup { mig, ..GpuGroup::plain(ANY, 2, 1) }, GpuGroup::plain(ANY, 1, 1)]);
    assert_eq!(free_amount(&gpus, 7), 3 + 3 + 7);
    assert_eq!(gpus.chunks(1, parts(0)), 3);
}

/// A GPU of the plain implementation: kind, parts, free parts.
type Plain = (u8, u32, u32);

fn usable(gpu: Plain, (kind, share): (u8, u32)) -> bool {
    (kind == 0 || kind == gpu.0) && if share == 0 { gpu.2 == gpu.1 } else { gpu.2 >= share }
}

/// A task of the plain implementation: processors, GPUs, and what of them.
type PlainTask = (u32, u32, (u8, u32));

fn sum(node: &[Plain]) -> f64 {
    node.iter().map(|gpu| f64::from(gpu.2) / f64::from(gpu.1)).sum()
}

fn fragmentation(mix: &[(PlainTask, u64)], procs: u32, node: &[Plain]) -> f64 {
    let all: u64 = mix.iter().map(|(_, count)| count).sum();
    let each = mix.iter().map(|&((needed, gpus, of), count)| {
        let able = node.iter().filter(|gpu| usable(**gpu, of)).count() as u32;
        let lost = if gpus == 0 || procs < needed || able < gpus {
            sum(node)
        } else {
            sum(&node.iter().copied().filter(|gpu| !usable(*gpu, of)).collect::<Vec<_>>())
        };
        lost * count as f64 / all as f64
    });
    each.sum()
}

/// Every choice of GPUs for a task on a node: the only one for whole ones, one for each GPU for
/// parts.
fn choices(node: &[Plain], (_, gpus, of): PlainTask) -> Vec<Vec<(usize, u32)>> {
    let able: Vec<usize> = (0..node.len()).filter(|&place| usable(node[place], of)).collect();
    match (gpus, of.1) {
        (0, _) => vec![Vec::new()],
        (_, 0) if able.len() < gpus as usize => Vec::new(),
        (_, 0) => vec![able[..gpus as usize].iter().map(|&place| (place, node[place].1)).collect()],
        (_, parts) => able.into_iter().map(|place| vec![(place, parts)]).collect(),
    }
}

/// A node, a choice of GPUs there, and its score.
type Scored = (usize, Vec<(usize, u32)>, (f64, f64));

/// The score of a choice by the published formula, in floating point; and the number by which a
/// rule orders the choices on one node.
fn score(
    rule: GpuRule,
    most: (f64, f64),
    mix: &[(PlainTask, u64)],
    procs: u32,
    node: &[Plain],
    task: PlainTask,
    choice: &[(usize, u32)],
) -> (f64, f64) {
    let mut after = node.to_vec();
    choice.iter().for_each(|&(place, parts)| after[place].2 -= parts);
    let free = |gpu: Plain| f64::from(gpu.2) / f64::from(gpu.1);
    let own = choice.first().map_or(0.0, |&(place, _)| free(node[place]));
    let (c, f) = (f64::from(procs), sum(node));
    let left = (c - f64::from(task.0)) / most.0 / 2.0 + sum(&after) / most.1 / 2.0;
    let is_empty = |gpu: &Plain| gpu.1 == gpu.2;
    match rule {
        GpuRule::FirstFit | GpuRule::Random => (0.0, 0.0),
        GpuRule::Pack => {
            let broken = choice.iter().filter(|(place, _)| is_empty(&node[*place])).count();
            let within = f64::from(u8::from(broken > 0)) * 1000.0 + own;
            if broken == 0 {
                (choice.iter().map(|&(place, _)| free(node[place])).sum(), within)
            } else if node.iter().any(|gpu| !is_empty(gpu)) {
                (1e6 + broken as f64, within)
            } else {
                (1e9 + node.len() as f64, within)
            }
        }
        // no node has jobs of any size
        GpuRule::Clustering => (if task.1 == 0 { 0.0 } else { f }, own),
        GpuRule::Spread => (-f, -own),
        GpuRule::BestFit => (left, own),
        GpuRule::WorstFit => (-left, -own),
        GpuRule::DotProduct => {
            let needed = sum(node) - sum(&after);
            (c * f64::from(task.0) / (most.0 * most.0) + f * needed / (most.1 * most.1), own)
        }
        GpuRule::Fgd => {
            let growth = fragmentation(mix, procs - task.0, &after) - fragmentation(mix, procs, node);
            (growth, growth)
        }
    }
}

proptest! {
    #![proptest_config(crate::batch::tests::seeded(256))]

    /// The choice is one that the formulas in floating point rank first, up to their rounding, and
    /// whatever is taken can be given back.
    #[test]
    fn rules_choose_as_a_plain_implementation_does(
        nodes in prop::collection::vec((0_u32..9, prop::collection::vec((1_u8..3, 0_usize..4, 0_u32..5), 0..5)), 1..5),
        tasks in prop::collection::vec(((0_u32..5, 0_u32..4, 0_u8..3, 0_u32..4), 1_u64..9), 1..6),
    ) {
        let mut lists = GpuLists::default();
        let kinds = [ANY, lists.kind("x").expect("few"), lists.kind("y").expect("few")];
        let sizes = [1_u32, 2, 3, 4];
        let plain: Vec<(u32, Vec<Plain>)> = nodes.iter().map(|(procs, gpus)| {
            let gpu = |&(kind, size, held): &(u8, usize, u32)| (kind, sizes[size], sizes[size].saturating_sub(held));
            (*procs, gpus.iter().map(gpu).collect())
        }).collect();
        let ours: Vec<NodeGpus> = plain.iter().map(|(_, gpus)| {
            let groups: Vec<GpuGroup> = gpus.iter()
                .map(|gpu| GpuGroup::plain(kinds[usize::from(gpu.0)], 1, gpu.1)).collect();
            let mut node = NodeGpus::new(&groups);
            let held = (0..).zip(gpus).filter(|(_, gpu)| gpu.2 < gpu.1);
            node.take(&held.map(|(slot, gpu)| HeldGpu::parts(slot, gpu.1 - gpu.2)).collect::<Vec<_>>());
            node
        }).collect();
        // parts are of one GPU
        let task = |&((procs, gpus, kind, share), count): &((u32, u32, u8, u32), u64)| {
            let share = if gpus == 0 { 0 } else { share };
            ((procs, if share > 0 { 1 } else { gpus }, (kind, share)), count)
        };
        let mix: Vec<(PlainTask, u64)> = tasks.iter().map(task).collect();
        let of = |(procs, gpus, (kind, parts)): PlainTask| {
            GpuTask { procs, gpus, choice: GpuChoice::parts(kinds[usize::from(kind)], parts) }
        };
        // twenty times as much as all others would leave those out
        let own = mix[0].0;
        let full = TaskMix { tasks: mix.iter().map(|&(task, count)| (of(task), count)).collect() };
        let common = 12;
        let most_procs = plain.iter().map(|node| node.0).max().unwrap_or(0).max(1);
        let most_gpus = plain.iter().map(|node| node.1.len()).max().unwrap_or(0).max(1) as u64;
        let site = GpuSite { procs: most_procs, gpus: most_gpus * common, common, mix: full, scores: GpuScores::Exact, starts: MigStarts::First };
        let most = (f64::from(most_procs), most_gpus as f64);
        for ((procs, gpus), node) in plain.iter().zip(&ours) {
            let found = fragmentation(&mix, *procs, gpus);
            let exact = site.mix.fragmentation(*procs, node, common) as f64 / common as f64 / site.mix.jobs() as f64;
            prop_assert!((found - exact).abs() < 1e-9, "{found} and {exact}");
        }
        for rule in RULES {
            let able = plain.iter().zip(&ours).enumerate().filter(|(_, ((procs, _), _))| *procs >= own.0);
            let choose = |(place, ((procs, _), node)): (usize, (&(u32, Vec<Plain>), &NodeGpus))| {
                rule.choose(&site, of(own), self::node(*procs, node), &mut |_| 0).map(|(score, held)| (score, place, held))
            };
            let ours_best = able.clone().filter_map(choose).min_by_key(|(score, place, _)| (*score, *place));
            let all: Vec<Scored> = able.flat_map(|(place, ((procs, gpus), _))| {
                let scored = |choice: Vec<(usize, u32)>| {
                    let score = score(rule, most, &mix, *procs, gpus, own, &choice);
                    (place, choice, score)
                };
                choices(gpus, own).into_iter().map(scored).collect::<Vec<_>>()
            }).collect();
            let Some((_, place, held)) = ours_best else {
                prop_assert!(all.is_empty(), "{rule:?}");
                continue;
            };
            let choice: Vec<(usize, u32)> = held.iter().map(|one| {
                let slot = one.slot as usize;
                (slot, if one.parts == 0 { plain[place].1[slot].1 } else { one.parts })
            }).collect();
            let (_, _, own_score) = all.iter().find(|(at, one, _)| *at == place && *one == choice).expect("a choice");
            // within the node first, then among nodes by the choice on each
            let within = all.iter().filter(|(at, ..)| *at == place).map(|(.., (_, within))| *within);
            prop_assert!(within.fold(f64::INFINITY, f64::min) >= own_score.1 - 1e-9, "{rule:?} on its node");
            for at in 0..plain.len() {
                let best = all.iter().filter(|(one, ..)| *one == at)
                    .min_by(|one, other| one.2.1.total_cmp(&other.2.1));
                prop_assert!(best.is_none_or(|(.., (score, _))| *score >= own_score.0 - 1e-9), "{rule:?} of nodes");
            }
            let mut after = ours[place].clone();
            after.take(&held);
            prop_assert_eq!(free_amount(&after, common) <= free_amount(&ours[place], common), true);
            after.give_back(&held);
            prop_assert_eq!(&after, &ours[place]);
        }
    }
}
