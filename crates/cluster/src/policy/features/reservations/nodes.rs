//! Nodes of reservations, where jobs ask for more than processors.
//!
//! A reservation names its nodes, or says how many it needs: then they are chosen when it becomes
//! known, in service, and not of another one meanwhile: those that running jobs leave first by
//! their estimates, but no matter when before it begins, the highest of equals. From its beginning
//! on nothing else starts on its nodes, and it has each processor of them as soon as it is free.
//!
//! Where every job has its nodes whole, a number of nodes is a number of each class: at the
//! beginning the highest free ones of the class are taken, then those that become free.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::batch::machine::{Reservation, ReservationUse, ReservedNodes};
use crate::batch::node_resources::{Asking, FreeResources};
use crate::batch::planned::PlannedNodes;
use crate::collections::{Interval, IntervalSet, OrderedMap};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime, now};
use crate::policy::SiteEvent;
use crate::policy::front_end::Site;
use crate::workload::Job;
use crate::workload::resources::{GpuShare, Resources};

/// Place of a reservation in time: its beginning, its number, and which time it is.
pub(super) type Turn = (SimTime, u32, u32);

/// The place of a reservation in time.
pub(super) fn turn(what: &Reservation) -> Turn {
    (what.from, what.number, what.time)
}

/// Nodes of one reservation that is known and not over.
#[derive(Clone, Debug)]
struct Own {
    what: Reservation,
    nodes: IntervalSet,
    /// Those that it has, where any of a class will do.
    taken: IntervalSet,
    /// Number of nodes that it is to have.
    wanted: u64,
    /// Processors of its nodes.
    procs: u64,
}

impl Own {
    /// Changes its nodes.
    fn has(&mut self, nodes: IntervalSet, resources: &Resources) {
        let procs = each(&nodes).map(|node| u64::from(resources.nodes.processors(node).1));
        (self.procs, self.nodes) = (procs.sum(), nodes);
    }
}

/// The nodes of reservations.
#[derive(Debug)]
pub(super) struct SiteNodes {
    resources: Arc<Resources>,
    of: OrderedMap<u32, ReservedNodes>,
    /// The reservations that name their nodes, in the order in which they begin.
    named: Vec<Reservation>,
    /// The longest of all.
    longest: SimDuration,
    own: OrderedMap<Turn, Own>,
    /// Free parts of nodes, as jobs that run inside see them.
    inside: FreeResources,
}

fn only(node: u32) -> Interval {
    Interval::new(node, node)
}

fn has(nodes: &IntervalSet, node: u32) -> bool {
    nodes.within(only(node)).next().is_some()
}

fn each(nodes: &IntervalSet) -> impl DoubleEndedIterator<Item = u32> {
    let runs: Vec<Interval> = nodes.iter().collect();
    runs.into_iter().flat_map(|run| run.first..=run.last)
}

fn overlap(one: &Reservation, other: &Reservation) -> bool {
    turn(one) != turn(other) && one.from < other.to && other.from < one.to
}

impl SiteNodes {
    /// Nodes of a site, of which these reservations have some.
    pub(super) fn new(
        resources: Arc<Resources>,
        jobs: &[Job],
        (all, of): (&[Reservation], OrderedMap<u32, ReservedNodes>),
    ) -> Self {
        let is_named = |one: &&Reservation| of.get(&one.number).is_some_and(|nodes| nodes.count.is_none());
        let mut named: Vec<Reservation> = all.iter().filter(is_named).copied().collect();
        named.sort_unstable_by_key(turn);
        let longest = all.iter().map(|one| one.to.since(one.from)).max().unwrap_or_default();
        let sets = by_name(&of);
        let inside = FreeResources::new(Arc::clone(&resources)).of_jobs(jobs, &sets);
        SiteNodes { resources, of, named, longest, own: OrderedMap::new(), inside }
    }

    fn processors(&self, node: u32) -> Interval {
        let (first, count) = self.resources.nodes.processors(node);
        Interval::new(first, first + (count - 1))
    }

    fn is_free(&self, site: &Site<'_>, node: u32) -> bool {
        let all = self.processors(node);
        site.machine().free().within(all).next() == Some(all)
    }

    /// Processors of these nodes that are in service.
    fn in_service(&self, site: &Site<'_>, nodes: &IntervalSet) -> u64 {
        let all: Vec<Interval> = each(nodes).map(|node| self.processors(node)).collect();
        site.machine().in_service(&all).into_iter().map(Interval::count).sum()
    }

    /// Returns true if any nodes of a class will do for a reservation, as many as it needs.
    fn floats(&self, number: u32) -> bool {
        let counted = self.of.get(&number).is_some_and(|of| of.count.is_some());
        counted && self.inside.classes_of_nodes().is_some()
    }

    /// Nodes that a reservation cannot have, as others have them meanwhile.
    fn others(&self, what: &Reservation) -> IntervalSet {
        let mut others = IntervalSet::default();
        // what begins earlier than this is over
        let since = SimTime::ZERO + what.from.since(SimTime::ZERO).saturating_sub(self.longest);
        let known = self.own.range((since, 0, 0)..(what.to, 0, 0)).map(|(_, own)| own);
        let known = known.filter(|own| overlap(&own.what, what)).map(|own| &own.nodes);
        let named = &self.named[self.named.partition_point(|one| one.from < since)..];
        let named = named.iter().take_while(|one| one.from < what.to).filter(|one| overlap(one, what));
        let named = named.filter_map(|one| Some(&self.of.get(&one.number)?.among));
        for run in known.chain(named).flat_map(IntervalSet::iter) {
            for part in others.missing(run) {
                others.insert(part);
            }
        }
        others
    }

    /// A reservation is known from now on: its nodes are chosen, unless it names them.
    pub(super) fn known(&mut self, site: &Site<'_>, what: &Reservation) {
        let Some(of) = self.of.get(&what.number) else { return };
        let wanted = of.count.map_or(of.among.count(), u64::from);
        let nodes = if of.count.is_none() { of.among.clone() } else { self.chosen(site, what, wanted) };
        let (taken, empty) = (IntervalSet::default(), IntervalSet::default());
        let mut own = Own { what: *what, nodes: empty, taken, wanted, procs: 0 };
        own.has(nodes, &self.resources);
        self.own.insert(turn(what), own);
    }

    fn chosen(&self, site: &Site<'_>, what: &Reservation, wanted: u64) -> IntervalSet {
        let mut left: OrderedMap<u32, SimTime> = OrderedMap::new();
        for job in site.underway() {
            let record = site.machine().record();
            let end = record.start_time(job).saturating_add(site.job(job).estimate);
            for node in self.nodes_of(&record.processors(job)) {
                let last = left.entry(node).or_insert(end);
                *last = end.max(*last);
            }
        }
        let others = self.others(what);
        let there = |&node: &u32| !has(&others, node) && self.in_service(site, &set([node])) > 0;
        let mut able: Vec<(SimTime, Reverse<u32>)> = each(&self.of[&what.number].among)
            .filter(there)
            .map(|node| (left.get(&node).map_or(what.from, |&end| end.max(what.from)), Reverse(node)))
            .collect();
        able.sort_unstable();
        set(able.into_iter().take(wanted as usize).map(|(_, Reverse(node))| node))
    }

    /// The nodes of processors, in order.
    fn nodes_of(&self, on: &[Interval]) -> Vec<u32> {
        let mut nodes: Vec<u32> = Vec::new();
        for run in on {
            nodes.extend(self.resources.nodes.node_of(run.first)..=self.resources.nodes.node_of(run.last));
        }
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// A reservation is over.
    pub(super) fn over(&mut self, what: &Reservation) {
        self.own.remove(&turn(what));
    }

    /// The nodes that a reservation is to have, and those on which nothing else may start now, if
    /// it has begun; with the number of processors in service of the former.
    pub(super) fn planned(&self, what: &Reservation, begun: bool) -> (PlannedNodes, u64) {
        let Some(own) = self.own.get(&turn(what)) else { return (PlannedNodes::default(), 0) };
        let booked: Vec<Interval> = own.nodes.iter().collect();
        let closed = match (begun, self.floats(what.number)) {
            (false, _) => Vec::new(),
            (true, false) => booked.clone(),
            (true, true) => own.taken.iter().collect(),
        };
        (PlannedNodes { booked, closed }, own.procs)
    }

    /// Processors that a reservation lacks which has begun, and has so many.
    pub(super) fn lacks(&self, site: &Site<'_>, what: &Reservation, has: u64) -> u64 {
        let Some(own) = self.own.get(&turn(what)) else { return 0 };
        if self.floats(what.number) {
            return own.nodes.count() - own.taken.count();
        }
        // of one that takes others in their place, nodes out of service are missing
        let is_down = |&node: &u32| !what.shrinks && self.in_service(site, &set([node])) == 0;
        let down = each(&own.nodes).filter(is_down).count() as u64;
        let missing = own.wanted.saturating_sub(own.nodes.count()) + down;
        self.in_service(site, &own.nodes).saturating_sub(has) + missing
    }

    /// Returns true if a job is on nodes that a reservation waits for.
    pub(super) fn hinders(&self, site: &Site<'_>, what: &Reservation, job: JobId) -> bool {
        let Some(own) = self.own.get(&turn(what)) else { return false };
        let on = self.nodes_of(&site.machine().record().processors(job));
        let Some(classes) = self.inside.classes_of_nodes().filter(|_| self.floats(what.number)) else {
            return on.iter().any(|&node| has(&own.nodes, node));
        };
        let lacking =
            |class| each(&own.nodes).any(|node| !has(&own.taken, node) && classes[node as usize] == class);
        let among = &self.of[&what.number].among;
        on.iter().any(|&node| has(among, node) && lacking(classes[node as usize]))
    }

    /// Takes what is free for a reservation that has begun.
    pub(super) fn take(&mut self, site: &mut Site<'_>, what: &Reservation) -> Vec<Interval> {
        if self.floats(what.number) {
            return self.take_of_classes(site, what);
        }
        if !what.shrinks {
            self.replace(site, what);
        }
        let Some(own) = self.own.get(&turn(what)) else { return Vec::new() };
        let free = |node| site.machine().free().within(self.processors(node)).collect::<Vec<_>>();
        let taken: Vec<Interval> = each(&own.nodes).flat_map(free).collect();
        site.machine_mut().take_away(&taken);
        taken
    }

    /// Puts others in the place of nodes that are out of service, the highest that are free.
    fn replace(&mut self, site: &mut Site<'_>, what: &Reservation) {
        let Some(own) = self.own.get(&turn(what)) else { return };
        let down: Vec<u32> =
            each(&own.nodes).filter(|&node| self.in_service(site, &set([node])) == 0).collect();
        if down.is_empty() && own.nodes.count() >= own.wanted {
            return;
        }
        let (mut nodes, others) = (own.nodes.clone(), self.others(what));
        down.into_iter().for_each(|node| {
            nodes.remove(only(node));
        });
        let able = |&node: &u32| !has(&others, node) && !has(&nodes, node) && self.is_free(site, node);
        let missing = own.wanted.saturating_sub(nodes.count()) as usize;
        let found: Vec<u32> = each(&self.of[&what.number].among).rev().filter(able).take(missing).collect();
        found.iter().for_each(|&node| {
            nodes.insert(only(node));
        });
        if !found.is_empty() {
            // jobs are to be planned around other nodes
            site.report(SiteEvent::Announced(what.number));
        }
        if let Some(own) = self.own.get_mut(&turn(what)) {
            own.has(nodes, &self.resources);
        }
    }

    /// Takes the highest free nodes, as many of each class as are missing.
    fn take_of_classes(&mut self, site: &mut Site<'_>, what: &Reservation) -> Vec<Interval> {
        let Some(classes) = self.inside.classes_of_nodes() else { return Vec::new() };
        let Some(own) = self.own.get(&turn(what)) else { return Vec::new() };
        let mut missing: OrderedMap<usize, Vec<u32>> = OrderedMap::new();
        for node in each(&own.nodes).filter(|&node| !has(&own.taken, node)).rev() {
            missing.entry(classes[node as usize]).or_default().push(node);
        }
        let (mut nodes, mut taken) = (own.taken.clone(), own.taken.clone());
        let mut processors = Vec::new();
        for (class, before) in missing {
            let able = |&node: &u32| classes[node as usize] == class && self.is_free(site, node);
            let among = each(&self.of[&what.number].among).rev();
            let found: Vec<u32> = among.filter(able).take(before.len()).collect();
            let left = before.iter().filter(|node| !found.contains(node)).take(before.len() - found.len());
            left.chain(&found).for_each(|&node| {
                nodes.insert(only(node));
            });
            for node in found {
                taken.insert(only(node));
                processors.push(self.processors(node));
            }
        }
        if let Some(own) = self.own.get_mut(&turn(what)) {
            own.taken = taken;
            own.has(nodes, &self.resources);
        }
        Interval::join(&mut processors);
        site.machine_mut().take_away(&processors);
        processors
    }

    /// These processors went out of service, which a reservation had that has begun, or had
    /// reserved for it.
    pub(super) fn failed(&mut self, what: &Reservation, part: Interval) {
        let nodes = self.nodes_of(&[part]);
        let (floats, named) = (self.floats(what.number), self.of[&what.number].count.is_none());
        let Some(own) = self.own.get_mut(&turn(what)) else { return };
        let mut left = own.nodes.clone();
        for node in nodes {
            let had = if floats { own.taken.remove(only(node)) } else { has(&own.nodes, node) };
            let does_without = what.shrinks && (floats || what.purpose == ReservationUse::Advance);
            let is_replaced = !what.shrinks && !floats;
            if had && !named && (does_without || is_replaced) {
                left.remove(only(node));
                own.wanted -= u64::from(does_without);
            }
        }
        own.has(left, &self.resources);
    }

    /// These processors are back, which maintenance did without.
    pub(super) fn back(&mut self, what: &Reservation, part: Interval) {
        let (nodes, floats) = (self.nodes_of(&[part]), self.floats(what.number));
        let Some(own) = self.own.get_mut(&turn(what)).filter(|_| floats) else { return };
        let mut all = own.nodes.clone();
        for node in nodes {
            own.wanted += u64::from(all.insert(only(node)));
        }
        own.has(all, &self.resources);
    }

    /// The processors of a node are in service for jobs inside, or not.
    pub(super) fn in_service_inside(&mut self, part: Interval, is_there: bool) {
        self.inside.in_service(part, is_there);
    }

    /// Returns true if a reservation may have nodes that a job fits on.
    pub(super) fn could_hold(&self, number: u32, job: &Job) -> bool {
        let asking = Asking { procs: job.procs, demand: job.demand };
        self.of.get(&number).is_some_and(|of| self.inside.could_hold(asking, &of.among))
    }

    /// Places a job on nodes which a reservation has as a whole, where it has these processors
    /// without a job: its processors and GPUs. `None` if it does not fit.
    pub(super) fn place_inside(
        &mut self,
        what: &Reservation,
        (on, idle): (&[Interval], &IntervalSet),
        (id, job): (JobId, &Job),
    ) -> Option<(Vec<Interval>, Vec<GpuShare>)> {
        let own = self.own.get(&turn(what))?;
        let mut had = IntervalSet::default();
        on.iter().for_each(|&part| {
            had.insert(part);
        });
        let whole = |&node: &u32| had.missing(self.processors(node)).is_empty();
        let nodes = set(each(&own.nodes).filter(whole));
        let asking = Asking { procs: job.procs, demand: job.demand };
        let only = self.inside.only(now(), &nodes);
        if let Some(place) = self.inside.gpu_place(asking, Some(&only)) {
            let processors = self.inside.processors_of(&place, idle).iter().collect();
            self.inside.take_place(id, asking, place);
            return Some((processors, self.inside.gpus(id)));
        }
        let chosen = self.inside.among(asking, Some(&only), (idle, false))?.highest(u64::from(job.procs));
        self.inside.take(id, asking, &chosen);
        Some((chosen, self.inside.gpus(id)))
    }

    /// A job inside has left.
    pub(super) fn leaves_inside(&mut self, id: JobId) {
        self.inside.give_back(id);
    }
}

/// The sets of nodes that reservations name.
pub(super) fn by_name(of: &OrderedMap<u32, ReservedNodes>) -> Vec<IntervalSet> {
    of.values().filter(|nodes| nodes.count.is_none()).map(|nodes| nodes.among.clone()).collect()
}

fn set(nodes: impl IntoIterator<Item = u32>) -> IntervalSet {
    let mut set = IntervalSet::default();
    for node in nodes {
        set.insert(only(node));
    }
    set
}
