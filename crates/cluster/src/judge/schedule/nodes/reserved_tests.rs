//! Reservations of nodes, by hand.

use std::sync::Arc;

use crate::collections::{Interval, OrderedMap, OrderedSet};
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::{DemandId, Demands, FeatureNames, Features, NodeKind, Nodes, Resources};

use super::super::{Away, NodeSupply, Order, Piece, QueueHead, RequestedReservation, Reservations, Row, row};
use super::{
    NodeReservations, RequestedNodes, head_starts_on_nodes, respects_reserved_nodes, shadow_time_on_nodes,
};

fn at(nanos: u64) -> SimTime {
    SimTime::from_nanos(nanos)
}

/// Four nodes of so many processors.
fn site(processors: u32) -> Arc<Resources> {
    let kind =
        NodeKind { nodes: 4, processors, memory: NodeKind::ENDLESS, gpus: 0, features: Features::NONE };
    let nodes = Nodes::new(vec![kind], FeatureNames::default()).expect("some");
    Arc::new(Resources { nodes, demands: Demands::of_nodes(&FeatureNames::default()) })
}

/// Two nodes from 50 to 90, which are known from 10 on.
fn two(interrupts: bool) -> RequestedReservation {
    RequestedReservation {
        which: (1, 1),
        from: at(50),
        to: at(90),
        known: at(10),
        procs: 4,
        interrupts,
        shrinks: false,
    }
}

fn piece(first: u32, last: u32, from: u64, to: u64) -> Piece {
    Piece { which: (1, 1), on: Interval::new(first, last), from: at(from), to: at(to) }
}

fn planned(
    site: &Arc<Resources>,
    asked: RequestedReservation,
    (rows, pieces, away): (&[Row], &[Piece], &[Away]),
) -> NodeReservations {
    let nodes = OrderedMap::from([(1, RequestedNodes { among: vec![0, 1, 2, 3], count: Some(2) })]);
    let known = Reservations { requested: vec![asked], pieces: pieces.to_vec(), ..Reservations::default() };
    let demands = OrderedSet::from([DemandId::default()]);
    NodeReservations::new(Arc::clone(site), nodes, demands).planned(&known, rows, away, at(200))
}

fn estimated(estimate: u64, row: Row) -> Row {
    Row { estimate: SimDuration::from_nanos(estimate), ..row }
}

/// Job 1 leaves node 3 by its estimate before the reservation begins, job 2 leaves node 2 at 70.
fn two_jobs() -> [Row; 2] {
    [row(1, 0, 0, 20, (6, 7)), estimated(70, row(2, 0, 0, 55, (4, 4)))]
}

#[test]
fn a_number_of_nodes_is_those_that_are_left_first_the_highest_of_equals() {
    let (site, rows) = (site(2), two_jobs());
    let found = |pieces: &[Piece]| planned(&site, two(false), (&rows, pieces, &[])).violations.len();
    let right = [piece(6, 7, 50, 90), piece(2, 3, 50, 90)];
    assert_eq!(found(&right), 0);
    let reserved = planned(&site, two(false), (&rows, &right, &[]));
    assert_eq!(reserved.plans[0].nodes, OrderedSet::from([1, 3]));
    assert_eq!(reserved.whole[&(1, 1)], at(50));
    // one is not there, late, early, over too soon, or another node
    assert_eq!([&right[..1], &[]].map(found), [1, 1]);
    let with = |other| found(&[right[0], other]);
    assert_eq!([piece(2, 3, 51, 90), piece(2, 3, 49, 90), piece(2, 3, 50, 89)].map(with), [1, 1, 2]);
    assert_eq!(with(piece(0, 1, 50, 90)), 2);
}

#[test]
fn a_node_that_fails_makes_room_for_a_free_one() {
    let (site, rows) = (site(2), two_jobs());
    let away = [Away { on: Interval::new(6, 7), from: at(60), to: at(80) }];
    let found = |pieces: &[Piece]| planned(&site, two(false), (&rows, pieces, &away)).violations.len();
    let before = [piece(2, 3, 50, 90), piece(6, 7, 50, 60)];
    let with = |other: &[Piece]| found(&[&before, other].concat());
    assert_eq!(with(&[piece(4, 5, 60, 90)]), 0);
    assert_eq!(with(&[piece(0, 1, 60, 90)]), 0, "either is free");
    assert_eq!(with(&[]), 1);
    assert_eq!(with(&[piece(4, 5, 60, 90), piece(0, 1, 60, 90)]), 1, "one is enough");
    let shrinks = RequestedReservation { shrinks: true, ..two(false) };
    assert_eq!(planned(&site, shrinks, (&rows, &before, &away)).violations, []);
}

#[test]
fn a_node_that_is_got_and_lost_at_one_instant_was_had() {
    // node 3 is held until 60, when it fails
    let (site, rows) = (site(2), [estimated(30, row(1, 0, 0, 60, (6, 7)))]);
    let away = [Away { on: Interval::new(6, 7), from: at(60), to: at(80) }];
    let named = RequestedReservation { shrinks: true, ..two(false) };
    let whole = |pieces: &[Piece]| {
        let nodes = OrderedMap::from([(1, RequestedNodes { among: vec![1, 3], count: None })]);
        let (requested, pieces) = (vec![named], pieces.to_vec());
        let known = Reservations { requested, pieces, ..Reservations::default() };
        let demands = OrderedSet::from([DemandId::default()]);
        let reserved = NodeReservations::new(Arc::clone(&site), nodes, demands);
        reserved.planned(&known, &rows, &away, at(200)).whole.get(&(1, 1)).copied()
    };
    let other = piece(2, 3, 50, 90);
    assert_eq!(whole(&[other, piece(6, 7, 60, 60), piece(6, 7, 80, 90)]), Some(at(60)));
    assert_eq!(whole(&[other, piece(6, 7, 80, 90)]), Some(at(80)));
}

#[test]
fn maintenance_has_its_nodes_in_time_where_nodes_count() {
    // a job of its own node each; the reservation interrupts the second
    let site = site(1);
    let rows = [row(1, 0, 0, 100, (0, 0)), row(2, 0, 0, 50, (2, 2)), row(3, 0, 0, 150, (3, 3))];
    let found =
        |interrupts, pieces: &[Piece]| planned(&site, two(interrupts), (&rows, pieces, &[])).violations.len();
    assert_eq!(found(true, &[piece(1, 2, 50, 90)]), 0);
    assert_eq!(found(true, &[piece(1, 1, 50, 90)]), 1);
    assert_eq!(found(false, &[piece(1, 1, 50, 90)]), 1, "node 2 is free");
    assert_eq!(found(false, &[piece(1, 1, 50, 90), piece(2, 2, 51, 90)]), 1);
}

#[test]
fn a_job_that_starts_delays_no_reservation_of_its_nodes() {
    let (site, before) = (site(2), two_jobs());
    let found = |start, estimate, on| {
        let one = estimated(estimate, row(3, start, start, 1, on));
        let rows = [&before[..], &[one]].concat();
        let pieces = [piece(6, 7, 50, 90), piece(2, 3, 50, 90)];
        let reserved = planned(&site, two(false), (&rows, &pieces, &[]));
        respects_reserved_nodes(&rows, &reserved, &site, &[]).len()
    };
    assert_eq!([found(11, 39, (2, 3)), found(11, 40, (2, 3)), found(11, 99, (0, 1))], [0, 1, 0]);
    // before it is known, and when it is over
    assert_eq!([found(9, 99, (3, 3)), found(10, 99, (3, 3)), found(90, 9, (3, 3))], [0, 1, 0]);
}

#[test]
fn the_head_waits_for_nodes_that_are_reserved_and_no_longer() {
    let (site, before) = (site(2), two_jobs());
    let found = |start, run| {
        let rows = [&before[..], &[row(3, 30, start, run, (0, 7))]].concat();
        let pieces = [piece(6, 7, 50, 90), piece(2, 3, 50, 90)];
        let reserved = planned(&site, two(false), (&before, &pieces, &[]));
        let supply = NodeSupply { reserved: Some(&reserved), ..NodeSupply::from(&*site) };
        let head = head_starts_on_nodes(&rows, supply, Order::Submission, QueueHead::Able);
        (head.len(), shadow_time_on_nodes(&rows, supply, Order::Submission).len())
    };
    // all nodes are free by 70, and two of them reserved up to 90
    assert_eq!([found(90, 10), found(91, 10)], [(0, 0), (1, 1)]);
}
