//! Jobs that fit on nodes, their places, and the instant at which the head of a queue will fit.

use std::sync::Arc;

use proptest::prelude::*;

use crate::batch::Running;
use crate::batch::planned::{Planned, PlannedNodes};
use crate::collections::{Interval, IntervalSet};
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::workload::resources::{
    Demand, DemandId, Demands, FeatureNames, Features, NodeKind, NodeUse, Nodes, Resources,
};

use super::*;

const GB: u64 = 1_000_000_000;

/// Four nodes of 4 processors and 16 GB, and two of 8 with 64 GB and two GPUs, which are called
/// "big".
fn site(demands: &[Demand]) -> (FreeResources, Vec<DemandId>) {
    let mut names = FeatureNames::default();
    let big = names.take_in("big");
    let small = NodeKind { nodes: 4, processors: 4, memory: 16 * GB, gpus: 0, features: Features::NONE };
    let large = NodeKind { nodes: 2, processors: 8, memory: 64 * GB, gpus: 2, features: big };
    let nodes = Nodes::new(vec![small, large], names).expect("some");
    let mut known = Demands::of_nodes(nodes.features());
    let numbers = demands.iter().map(|&demand| known.number(demand)).collect();
    (FreeResources::new(Arc::new(Resources { nodes, demands: known })), numbers)
}

fn big() -> Features {
    let mut names = FeatureNames::default();
    names.take_in("big")
}

/// Starts a job on the lowest processors it may have, and tells them.
fn start(resources: &mut FreeResources, free: &mut IntervalSet, job: u32, of: Asking) -> Option<String> {
    let among = resources.among(of, None, (free, false))?;
    let mut on = Vec::new();
    among.lowest(u64::from(of.procs), &mut on);
    resources.take(JobId(job), of, &on);
    assert!(on.iter().all(|&run| free.remove(run)));
    Some(on.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

#[test]
fn memory_gpus_and_features_decide_where_a_job_can_be() {
    let heavy = Demand { memory: 8 * GB, ..Demand::PLAIN };
    let gpu = Demand { procs: 2, gpus: 1, ..Demand::PLAIN };
    let on_big = Demand { features: big(), ..Demand::PLAIN };
    let (mut resources, id) = site(&[heavy, gpu, on_big]);
    let mut free = IntervalSet::full(32);
    let asks = |procs, demand| Asking { procs, demand };
    // two processors a small node have 8 GB each
    assert_eq!(start(&mut resources, &mut free, 0, asks(5, id[0])).as_deref(), Some("0-1 4-5 8"));
    // four chunks of a GPU and two processors
    assert_eq!(start(&mut resources, &mut free, 1, asks(7, id[1])).as_deref(), Some("16-19 24-26"));
    assert!(!resources.fits(asks(1, id[1]), None) && resources.lack(asks(8, id[1])).is_none());
    assert_eq!(resources.lack(asks(9, id[1])), Some(Lack::Together(9, 8)));
    assert_eq!(start(&mut resources, &mut free, 2, asks(9, id[2])).as_deref(), Some("20-23 27-31"));
    assert!(!resources.fits(asks(1, id[2]), None));
    // what is left: two processors each on nodes 0 and 1 without memory, and three on node 2
    assert!(!resources.fits(asks(4, id[0]), None) && resources.fits(asks(3, id[0]), None));
    resources.give_back(JobId(1));
    assert!(resources.fits(asks(1, id[1]), None));
}

#[test]
fn a_job_that_has_its_nodes_to_itself_waits_for_empty_ones() {
    let alone = Demand { node_use: NodeUse::Exclusive, ..Demand::PLAIN };
    let (mut resources, id) = site(&[alone]);
    let mut free = IntervalSet::full(32);
    let plain = |procs| Asking { procs, demand: DemandId::default() };
    let exclusive = |procs| Asking { procs, demand: id[0] };
    assert_eq!(start(&mut resources, &mut free, 0, plain(1)).as_deref(), Some("0"));
    assert_eq!(start(&mut resources, &mut free, 1, exclusive(6)).as_deref(), Some("4-9"));
    // nobody comes to nodes 1 and 2, though processors are free there
    assert_eq!(start(&mut resources, &mut free, 2, plain(4)).as_deref(), Some("1-3 12"));
    assert!(resources.fits(exclusive(16), None) && !resources.fits(exclusive(17), None));
    resources.give_back(JobId(1));
    assert!(resources.fits(exclusive(24), None));
}

#[test]
fn a_reservation_takes_first_what_is_not_free_now() {
    let gpu = Demand { procs: 4, gpus: 1, ..Demand::PLAIN };
    let (mut resources, id) = site(&[gpu]);
    let mut free = IntervalSet::full(32);
    let asks = |procs| Asking { procs, demand: id[0] };
    assert_eq!(start(&mut resources, &mut free, 0, asks(12)).as_deref(), Some("16-27"));
    let head = asks(8);
    let at = SimTime::from_nanos;
    assert!(!resources.fits(head, None));
    let reservation = resources.reserve(head, [(at(50), JobId(0))]).expect("they make room");
    assert_eq!(reservation.time, at(50));
    // a GPU and four processors of the last node are free now, and not needed then
    assert!(resources.fits(asks(4), Some(&reservation)));
    assert!(resources.reserve(asks(17), [(at(50), JobId(0))]).is_none());
    let wide = resources.reserve(asks(16), [(at(50), JobId(0))]).expect("they make room");
    assert!(!resources.fits(asks(4), Some(&wide)));
}

/// A course on two nodes, and maintenance of all of them that begins later.
#[test]
fn a_job_goes_around_all_reservations_that_it_meets_though_they_have_nodes_in_common() {
    let (mut resources, _) = site(&[]);
    let reservation = |from: u64, first, last| Planned {
        number: 1,
        from: SimTime::from_nanos(from),
        to: SimTime::from_nanos(from + 10),
        procs: 4,
        taken: 0,
        nodes: PlannedNodes { booked: vec![Interval::new(first, last)], closed: Vec::new() },
        pools: Vec::new(),
    };
    let planned = [reservation(100, 0, 5), reservation(50, 2, 3)];
    let fits = |resources: &FreeResources, procs, to| {
        let around = resources.around(&planned, SimTime::ZERO, SimTime::from_nanos(to));
        resources.fits(Asking { procs, demand: DemandId::default() }, Some(&around))
    };
    assert!(fits(&resources, 32, 50) && fits(&resources, 24, 60) && !fits(&resources, 25, 60));
    assert!(!fits(&resources, 1, 101), "the nodes of the course are reserved twice");
    let begun = |one: &Planned| Planned {
        nodes: PlannedNodes { closed: one.nodes.booked.clone(), ..PlannedNodes::default() },
        ..one.clone()
    };
    resources.close(&[begun(&planned[1]), begun(&planned[0])]);
    assert!(!resources.any(), "so they are if both have begun");
}

proptest! {
    #![proptest_config(crate::batch::tests::seeded(256))]

    /// On nodes of processors alone, whatever their sizes, room is what a plain machine counts, and
    /// so is what a reservation leaves.
    #[test]
    fn nodes_with_processors_alone_are_a_plain_machine(
        sizes in prop::collection::vec((1_u32..4, 1_u32..5), 1..5),
        jobs in prop::collection::vec((1_u32..12, 1_u64..100), 1..12),
        needs in prop::collection::vec(1_u32..30, 8),
    ) {
        let kind = |&(nodes, processors)| {
            NodeKind { nodes, processors, memory: NodeKind::ENDLESS, gpus: 0, features: Features::NONE }
        };
        let nodes = Nodes::new(sizes.iter().map(kind).collect(), FeatureNames::default()).expect("some");
        let procs = nodes.procs();
        let mut resources = FreeResources::new(Arc::new(Resources { nodes, demands: Demands::default() }));
        let (mut free, mut running) = (IntervalSet::full(procs), Running::new());
        let mut placed = Vec::new();
        for (job, &(need, end)) in (0..).zip(&jobs) {
            let of = Asking { procs: need, demand: DemandId::default() };
            let fits = u64::from(need) <= free.count();
            prop_assert_eq!(resources.fits(of, None), fits);
            let before = free.clone();
            placed.push(Vec::new());
            if fits {
                start(&mut resources, &mut free, job, of);
                placed[job as usize] = before.iter().flat_map(|run| run.first..=run.last)
                    .filter(|&one| free.within(Interval::new(one, one)).next().is_none())
                    .map(|one| Interval::new(one, one)).collect();
                running.insert(JobId(job), need, SimTime::from_nanos(end));
            }
            if job % 3 == 2 && resources.jobs.contains_key(&JobId(job - 1)) {
                let (need, end) = jobs[job as usize - 1];
                prop_assert!(placed[job as usize - 1].iter().all(|&run| free.insert(run)));
                resources.give_back(JobId(job - 1));
                running.remove(JobId(job - 1), need, SimTime::from_nanos(end));
            }
        }
        for pair in needs.chunks(2) {
            let head = Asking { procs: pair[0], demand: DemandId::default() };
            if u64::from(head.procs) <= free.count() {
                continue;
            }
            let shadow = running.shadow(SimTime::ZERO, free.count(), u64::from(head.procs));
            let reservation = resources.reserve(head, running.jobs(SimTime::ZERO));
            prop_assert_eq!(shadow.map(|shadow| shadow.time), reservation.as_ref().map(|one| one.time));
            let other = Asking { procs: pair[1], demand: DemandId::default() };
            if let Some((shadow, reservation)) = shadow.zip(reservation) {
                let alongside = u64::from(other.procs) <= shadow.extra.min(free.count());
                prop_assert_eq!(resources.fits(other, Some(&reservation)), alongside);
            }
        }
    }
}
