//! Reservations of nodes: the nodes that each is to have over time, and if it has them.
//!
//! A reservation names its nodes, or says how many it needs of some. Then they are those that
//! running jobs leave first by their estimates, of nodes that are in service when it becomes known
//! and that no other reservation has meanwhile; when before it begins is all the same, and of
//! equals the highest are taken. Where jobs share nodes it waits for these, and in place of one
//! that fails it takes one that is free, if it does not do without. Where every job has its nodes
//! whole, as many of each class of nodes are meant, whichever they are.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::collections::{Interval, OrderedMap, OrderedSet};
use crate::kernel::SimTime;
use crate::workload::resources::{DemandId, NodeKind, Nodes, Resources};

use super::super::on_nodes::could_take_on;
use super::super::{Piece, RequestedReservation, Violation};
use super::classes::classes;

/// Nodes that a reservation asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestedNodes {
    /// The nodes that will do, in order.
    pub among: Vec<u32>,
    /// Number of them that it needs; `None` for all of them.
    pub count: Option<u32>,
}

/// Nodes that a reservation is to have, from one instant to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::judge::schedule) struct NodePlan {
    pub(in crate::judge::schedule) asked: RequestedReservation,
    pub(in crate::judge::schedule) nodes: OrderedSet<u32>,
    /// Instants at which this is planned and at which it is no more.
    pub(in crate::judge::schedule) since: SimTime,
    pub(in crate::judge::schedule) until: SimTime,
}

/// Reservations of nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeReservations {
    pub(super) site: Arc<Resources>,
    /// Nodes asked for, by the number of the reservation.
    pub(super) asked: OrderedMap<u32, RequestedNodes>,
    /// The demands of all jobs.
    demands: OrderedSet<DemandId>,
    /// Class of each node, where every job has its nodes whole.
    pub(super) classes: Option<Vec<usize>>,
    pub(in crate::judge::schedule) plans: Vec<NodePlan>,
    /// The plans as reservations that become known, and when those end that end early.
    pub(in crate::judge::schedule) requested: Vec<RequestedReservation>,
    pub(in crate::judge::schedule) dropped: Vec<(SimTime, usize)>,
    /// Processors on which nothing starts any more.
    pub(in crate::judge::schedule) closed: Vec<Piece>,
    /// Instant at which each had all of its nodes that were in service, if it had.
    pub whole: OrderedMap<(u32, u32), SimTime>,
    pub(in crate::judge::schedule) violations: Vec<Violation>,
}

impl NodeReservations {
    /// Reservations of nodes of a site, whose jobs have these demands.
    pub fn new(
        site: Arc<Resources>,
        asked: OrderedMap<u32, RequestedNodes>,
        demands: OrderedSet<DemandId>,
    ) -> Self {
        let classes = classes(&site, &demands, &by_name(&asked)).map(|classes| classes.of_nodes);
        NodeReservations {
            site,
            asked,
            demands,
            classes,
            plans: Vec::new(),
            requested: Vec::new(),
            dropped: Vec::new(),
            closed: Vec::new(),
            whole: OrderedMap::new(),
            violations: Vec::new(),
        }
    }

    /// The same without what is planned.
    pub(super) fn unplanned(self) -> Self {
        NodeReservations {
            plans: Vec::new(),
            requested: Vec::new(),
            dropped: Vec::new(),
            closed: Vec::new(),
            whole: OrderedMap::new(),
            violations: Vec::new(),
            ..self
        }
    }

    /// Returns true if any nodes of a class will do for a reservation, as many as it needs.
    pub(super) fn floats(&self, number: u32) -> bool {
        self.classes.is_some() && self.asked.get(&number).is_some_and(|of| of.count.is_some())
    }

    /// The demands of all jobs.
    pub(super) fn demands(&self) -> &OrderedSet<DemandId> {
        &self.demands
    }

    /// The sets of nodes that are reserved by name.
    pub(super) fn named(&self) -> Vec<&[u32]> {
        by_name(&self.asked)
    }

    /// Class of each node, where every job has its nodes whole.
    pub(in crate::judge::schedule) fn classes(&self) -> Option<&[usize]> {
        self.classes.as_deref()
    }

    /// Returns true if a reservation of this number names its nodes.
    pub fn is_named(&self, number: u32) -> bool {
        self.asked.get(&number).is_some_and(|of| of.count.is_none())
    }

    /// The most processors that a reservation of this number may have.
    pub fn procs(&self, number: u32) -> u32 {
        let Some(asked) = self.asked.get(&number) else { return 0 };
        let mut procs: Vec<u32> =
            asked.among.iter().map(|&node| self.site.nodes.processors(node).1).collect();
        procs.sort_unstable_by_key(|&procs| Reverse(procs));
        procs.into_iter().take(asked.count.unwrap_or(u32::MAX) as usize).sum()
    }

    /// Returns true if a job fits on nodes that a reservation of this number may have.
    pub(in crate::judge::schedule) fn could_take(
        &self,
        number: u32,
        (demand, procs): (DemandId, u32),
    ) -> bool {
        let Some(asked) = self.asked.get(&number) else { return false };
        let Resources { nodes, demands } = &*self.site;
        let mut end = 0;
        let count = |kind: &NodeKind| {
            let first = end;
            end += kind.nodes;
            asked.among.iter().filter(|&&node| first <= node && node < end).count() as u64
        };
        let counts: Vec<u64> = nodes.kinds().iter().map(count).collect();
        could_take_on(&self.site, demands.of(demand), procs, &counts)
    }
}

fn by_name(asked: &OrderedMap<u32, RequestedNodes>) -> Vec<&[u32]> {
    asked.values().filter(|one| one.count.is_none()).map(|one| &one.among[..]).collect()
}

pub(super) fn processors(nodes: &Nodes, node: u32) -> Interval {
    let (first, count) = nodes.processors(node);
    Interval::new(first, first + (count - 1))
}
