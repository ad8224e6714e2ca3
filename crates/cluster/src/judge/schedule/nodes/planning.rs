//! A passage through a schedule, in which the nodes of reservations are planned, and what they have
//! is compared with that.
//!
//! At the end of each instant nothing is free that a reservation lacks, and maintenance lacks
//! nothing that jobs have: it interrupts these when it begins.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::collections::{Interval, OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::SimTime;
use crate::workload::resources::Resources;

use super::super::on_nodes::parts;
use super::super::{Attempt, Away, Piece, RequestedReservation, Reservations, Row, Violation};
use super::occupied::Occupied;
use super::reserved::{NodePlan, NodeReservations, processors};
use super::stock::nodes_of;

impl NodeReservations {
    /// The same with what is planned, by the runs of all jobs, each with the estimate of its job;
    /// the last ends at `over`.
    #[must_use]
    pub fn planned(self, known: &Reservations, rows: &[Row], away: &[Away], over: SimTime) -> Self {
        let mut reserved = plan(self.unplanned(), known, rows, (away, over));
        let nodes = &reserved.site.nodes;
        for (place, plan) in reserved.plans.iter().enumerate() {
            reserved.requested.push(RequestedReservation { known: plan.since, ..plan.asked });
            if plan.until < plan.asked.to {
                reserved.dropped.push((plan.until, place));
            }
            let (which, from, to) = (plan.asked.which, plan.asked.from.max(plan.since), plan.until);
            if from < to && !reserved.floats(which.0) {
                let all = plan.nodes.iter().map(|&node| processors(nodes, node));
                reserved.closed.extend(all.map(|on| Piece { which, on, from, to }));
            }
        }
        let floating = known.pieces.iter().filter(|piece| reserved.floats(piece.which.0));
        let floating: Vec<Piece> = floating.copied().collect();
        reserved.closed.extend(floating);
        reserved
    }
}

/// Plans reservations by what is known of them, the runs of all jobs, and the spans in which nodes
/// are out of service, up to the end of the run.
fn plan(
    reserved: NodeReservations,
    known: &Reservations,
    rows: &[Row],
    (away, over): (&[Away], SimTime),
) -> NodeReservations {
    let (site, classes) = (Arc::clone(&reserved.site), reserved.classes.clone());
    let (occupied, own) = (Occupied::new(&site.nodes), OrderedMap::new());
    let (classes, lacking) = (classes.as_deref(), OrderedSet::new());
    let mut planning = Planning { reserved, known, rows, away, over, occupied, own, lacking, classes };
    planning.run();
    planning.reserved
}

/// A reservation that is known and not over.
struct Own {
    asked: RequestedReservation,
    nodes: OrderedSet<u32>,
    wanted: usize,
    has_begun: bool,
    /// Processors that it has of each node.
    taken: OrderedMap<u32, u64>,
    /// Nodes that failed, and that it does without.
    without: OrderedSet<u32>,
    /// Place of its plan.
    plan: usize,
    /// True if it takes other nodes in place of some that are missing.
    replaces: bool,
    /// True if it lacks nothing, as far as only jobs come and go.
    is_settled: bool,
}

/// An event of reservations; in this order at one instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    JobEnds,
    Back,
    Fails,
    Gives,
    Ends,
    Known,
    Begins,
    Takes,
    JobStarts,
}

/// A passage through a schedule, in which reservations are planned.
struct Planning<'a> {
    reserved: NodeReservations,
    known: &'a Reservations,
    /// All runs of all jobs.
    rows: &'a [Row],
    away: &'a [Away],
    over: SimTime,
    occupied: Occupied<'a>,
    own: OrderedMap<(u32, u32), Own>,
    /// Reservations that were found to lack something that they could have.
    lacking: OrderedSet<(u32, u32)>,
    classes: Option<&'a [usize]>,
}

impl Planning<'_> {
    fn steps(&self) -> Vec<(SimTime, Step, usize)> {
        let mut steps = Vec::new();
        // jobs inside are on processors that reservations have
        let comes = |row: &Row| row.start < row.end && self.known.of(row).is_none();
        for (place, row) in self.rows.iter().enumerate().filter(|(_, row)| comes(row)) {
            steps.extend([(row.start, Step::JobStarts, place), (row.end, Step::JobEnds, place)]);
        }
        for (place, one) in self.away.iter().enumerate() {
            steps.extend([(one.from, Step::Fails, place), (one.to, Step::Back, place)]);
        }
        for (place, one) in self.known.requested.iter().enumerate() {
            steps.extend([
                (one.known, Step::Known, place),
                (one.from, Step::Begins, place),
                (one.to, Step::Ends, place),
            ]);
        }
        for (place, piece) in self.known.pieces.iter().enumerate().filter(|(_, piece)| piece.from < piece.to)
        {
            steps.extend([(piece.from, Step::Takes, place), (piece.to, Step::Gives, place)]);
        }
        steps.stable_sort();
        steps
    }

    fn run(&mut self) {
        let steps = self.steps();
        let for_no_time = self.known.pieces.iter().filter(|piece| piece.from == piece.to);
        let mut passing: OrderedMap<SimTime, Vec<Piece>> = OrderedMap::new();
        for_no_time.for_each(|piece| passing.entry(piece.from).or_default().push(*piece));
        for instant in steps.chunk_by(|one, other| one.0 == other.0) {
            let now = instant[0].0;
            let passing = passing.get(&now).map_or(&[][..], Vec::as_slice);
            let nodes_of = |piece: &Piece| Some((piece.which, self.own.get(&piece.which)?.nodes.clone()));
            let before: OrderedMap<(u32, u32), OrderedSet<u32>> =
                passing.iter().filter_map(nodes_of).collect();
            for &(_, step, place) in instant {
                self.take(now, step, place);
            }
            let takes = instant.iter().filter(|one| one.1 == Step::Takes);
            let takers: OrderedSet<(u32, u32)> = takes.map(|one| self.known.pieces[one.2].which).collect();
            for which in takers {
                let own = self.own.get(&which).filter(|own| own.has_begun);
                if own.is_some_and(|own| self.lacks_nothing(own)) {
                    self.reserved.whole.entry(which).or_insert(now);
                }
            }
            for (which, nodes) in before {
                let own = self.own.get(&which).filter(|own| own.has_begun);
                if own.is_some_and(|own| self.had_all(now, (own, &nodes), passing)) {
                    self.reserved.whole.entry(which).or_insert(now);
                }
            }
            if now < self.over {
                self.look(now);
            }
        }
    }

    /// Returns true if a reservation had all of its nodes at an instant, with what it got and lost
    /// at it.
    fn had_all(&self, now: SimTime, (own, nodes): (&Own, &OrderedSet<u32>), passing: &[Piece]) -> bool {
        let site = &self.reserved.site;
        let passing = || passing.iter().filter(|piece| piece.which == own.asked.which);
        let has = |&node: &u32| {
            let all = processors(&site.nodes, node);
            let got: u64 = passing().map(|piece| common(piece.on, all)).sum();
            let fails = self.away.iter().any(|away| away.from == now && common(away.on, all) > 0);
            own.lacks_of(node, site) <= got || !fails && !self.occupied.is_up(node)
        };
        nodes.len() >= own.wanted && nodes.iter().all(has)
    }

    fn broken(&mut self, at: SimTime, number: u32, what: &str) {
        self.reserved.violations.push(Violation::of_no_job(at, format!("reservation {number} {what}")));
    }

    fn take(&mut self, now: SimTime, step: Step, place: usize) {
        let settles = matches!(step, Step::JobEnds | Step::JobStarts);
        self.own.values_mut().for_each(|own| own.is_settled &= settles);
        match step {
            Step::JobEnds => self.rows[place].on.iter().for_each(|&on| self.occupied.job(on, false)),
            Step::JobStarts => self.rows[place].on.iter().for_each(|&on| self.occupied.job(on, true)),
            Step::Back => self.back(now, place),
            Step::Fails => self.fails(now, place),
            Step::Gives => self.gives(now, place),
            Step::Takes => self.takes(now, place),
            Step::Known => self.becomes_known(now, place),
            Step::Begins => self.begins(now, self.known.requested[place].which),
            Step::Ends => {
                let which = self.known.requested[place].which;
                let has = self.own.remove(&which).is_some_and(|own| !own.taken.is_empty());
                if has && now < self.over {
                    self.broken(now, which.0, "has processors when it is over");
                }
            }
        }
    }

    fn becomes_known(&mut self, now: SimTime, place: usize) {
        let asked = self.known.requested[place];
        let Some(of) = self.reserved.asked.get(&asked.which.0) else { return };
        let (wanted, is_counted) =
            (of.count.map_or(of.among.len(), |count| count as usize), of.count.is_some());
        let nodes = if is_counted { self.chosen(now, &asked) } else { of.among.iter().copied().collect() };
        let plan = self.reserved.plans.len();
        self.reserved.plans.push(NodePlan { asked, nodes: nodes.clone(), since: now, until: asked.to });
        let own = Own {
            asked,
            nodes,
            wanted,
            has_begun: false,
            taken: OrderedMap::new(),
            without: OrderedSet::new(),
            plan,
            replaces: is_counted && !asked.shrinks && self.classes.is_none(),
            is_settled: false,
        };
        self.own.insert(asked.which, own);
    }

    /// Nodes that others have while a reservation lasts.
    fn others(&self, asked: &RequestedReservation) -> OrderedSet<u32> {
        let meets = |other: &RequestedReservation| {
            other.which != asked.which && other.from < asked.to && asked.from < other.to
        };
        let mut others = OrderedSet::new();
        for own in self.own.values().filter(|own| meets(&own.asked)) {
            others.extend(&own.nodes);
        }
        for other in self.known.requested.iter().filter(|other| meets(other)) {
            let of = self.reserved.asked.get(&other.which.0).filter(|of| of.count.is_none());
            others.extend(of.into_iter().flat_map(|of| &of.among));
        }
        others
    }

    fn chosen(&self, now: SimTime, asked: &RequestedReservation) -> OrderedSet<u32> {
        let mut left: OrderedMap<u32, SimTime> = OrderedMap::new();
        let runs = |row: &&Row| row.start < now && (now < row.end || self.makes_room(now, row));
        for row in self.rows.iter().filter(runs) {
            let end = row.start.saturating_add(row.estimate);
            for &node in parts(row, &self.reserved.site.nodes).keys() {
                let last = left.entry(node).or_insert(end);
                *last = end.max(*last);
            }
        }
        let (of, others) = (&self.reserved.asked[&asked.which.0], self.others(asked));
        let able = of.among.iter().filter(|node| !others.contains(node) && self.occupied.is_up(**node));
        let free = |node| left.get(node).map_or(asked.from, |&end| end.max(asked.from));
        let mut order: Vec<(SimTime, Reverse<u32>)> = able.map(|node| (free(node), Reverse(*node))).collect();
        order.sort_unstable();
        let count = of.count.map_or(order.len(), |count| count as usize);
        order.into_iter().take(count).map(|(_, Reverse(node))| node).collect()
    }

    /// Returns true if a run is interrupted now by a reservation, which becomes known before.
    fn makes_room(&self, now: SimTime, row: &Row) -> bool {
        let is_own = |one: &Attempt| {
            (one.number, one.submit_time, one.start, one.end) == (row.number, row.submit_time, row.start, now)
        };
        let fails = |away: &Away| {
            let meets = |on: &Interval| away.on.first <= on.last && on.first <= away.on.last;
            away.from == now && row.on.iter().any(meets)
        };
        row.end == now && self.known.attempts.iter().any(is_own) && !self.away.iter().any(fails)
    }

    fn begins(&mut self, now: SimTime, which: (u32, u32)) {
        let Some(own) = self.own.get_mut(&which) else { return };
        own.has_begun = true;
        if own.replaces && own.nodes.iter().any(|&node| !self.occupied.is_up(node)) {
            own.nodes.retain(|&node| self.occupied.is_up(node));
            self.plan_again(now, which);
        }
    }

    /// The nodes of a reservation have changed.
    fn plan_again(&mut self, now: SimTime, which: (u32, u32)) {
        let (Some(own), plans) = (self.own.get_mut(&which), &mut self.reserved.plans) else { return };
        let (plan, nodes) = (&mut plans[own.plan], own.nodes.clone());
        if plan.since == now {
            plan.nodes = nodes;
            return;
        }
        plan.until = now;
        own.plan = plans.len();
        plans.push(NodePlan { asked: own.asked, nodes, since: now, until: own.asked.to });
    }

    fn fails(&mut self, now: SimTime, place: usize) {
        let on = self.away[place].on;
        self.occupied.serves(on, false);
        let (mut changed, classes) = (Vec::new(), self.classes);
        for node in nodes_of(&self.reserved.site, on).map(|node| node as u32) {
            for (&which, own) in self.own.iter_mut().filter(|(_, own)| own.has_begun) {
                let asked = own.asked;
                let is_counted = self.reserved.asked[&which.0].count.is_some();
                let lost = match classes {
                    Some(classes) if own.taken.contains_key(&node) && is_counted && asked.shrinks => {
                        own.without.insert(node);
                        own.drop_of_class(node, classes)
                    }
                    None if is_counted && (!asked.shrinks || !asked.interrupts) => own.nodes.remove(&node),
                    _ => false,
                };
                if lost {
                    own.wanted -= usize::from(asked.shrinks);
                    changed.push(which);
                }
            }
        }
        changed.into_iter().for_each(|which| self.plan_again(now, which));
    }

    fn back(&mut self, now: SimTime, place: usize) {
        let on = self.away[place].on;
        self.occupied.serves(on, true);
        let mut changed = Vec::new();
        for node in nodes_of(&self.reserved.site, on).map(|node| node as u32) {
            for (&which, own) in self.own.iter_mut().filter(|(_, own)| own.asked.interrupts) {
                if own.without.remove(&node) && own.nodes.insert(node) {
                    own.wanted += 1;
                    changed.push(which);
                }
            }
        }
        changed.into_iter().for_each(|which| self.plan_again(now, which));
    }

    fn gives(&mut self, now: SimTime, place: usize) {
        let piece = self.known.pieces[place];
        self.occupied.piece(piece.on, false);
        let site = Arc::clone(&self.reserved.site);
        let mut early = false;
        for node in nodes_of(&site, piece.on).map(|node| node as u32) {
            let Some(own) = self.own.get_mut(&piece.which) else { continue };
            let Some(count) = own.taken.get_mut(&node) else { continue };
            *count = count.saturating_sub(common(piece.on, processors(&site.nodes, node)));
            if *count == 0 {
                own.taken.remove(&node);
            }
            early |= now < own.asked.to && self.occupied.is_up(node);
        }
        if early && now < self.over {
            self.broken(now, piece.which.0, "gives processors back before it is over");
        }
    }

    fn takes(&mut self, now: SimTime, place: usize) {
        let piece = self.known.pieces[place];
        self.occupied.piece(piece.on, true);
        let number = piece.which.0;
        let Some(own) = self.own.get_mut(&piece.which).filter(|own| own.has_begun) else {
            return self.broken(now, number, "has processors out of its time");
        };
        let (site, classes) = (Arc::clone(&self.reserved.site), self.classes);
        let (mut changed, mut stray) = (false, false);
        for node in nodes_of(&site, piece.on).map(|node| node as u32) {
            *own.taken.entry(node).or_default() += common(piece.on, processors(&site.nodes, node));
            if own.nodes.contains(&node) {
                continue;
            }
            let of = &self.reserved.asked[&number];
            let is_able = of.count.is_some() && of.among.binary_search(&node).is_ok();
            let has_place = |own: &mut Own| match classes {
                Some(classes) => own.drop_of_class(node, classes),
                None => own.replaces && own.nodes.len() < own.wanted,
            };
            if is_able && has_place(own) {
                own.nodes.insert(node);
                changed = true;
            } else {
                stray = true;
            }
        }
        if changed {
            self.plan_again(now, piece.which);
        }
        if stray {
            self.broken(now, number, &format!("has processors among {}, which are not for it", piece.on));
        }
    }

    /// Returns true if a reservation has all of its nodes that are in service.
    fn lacks_nothing(&self, own: &Own) -> bool {
        if self.reserved.floats(own.asked.which.0) {
            return own.taken.len() >= own.nodes.len();
        }
        let has = |&node: &u32| !self.occupied.is_up(node) || own.lacks_of(node, &self.reserved.site) == 0;
        own.nodes.len() >= own.wanted && own.nodes.iter().all(has)
    }

    /// The instant is over: nothing is free that a reservation lacks.
    fn look(&mut self, now: SimTime) {
        let looked_at = |(which, own): &(&(u32, u32), &Own)| {
            own.has_begun && !own.is_settled && !self.lacking.contains(which)
        };
        let unsettled: Vec<(u32, u32)> = self.own.iter().filter(looked_at).map(|(&which, _)| which).collect();
        for which in unsettled {
            let own = &self.own[&which];
            let settled = self.lacks_nothing(own);
            let found = self
                .has_what_there_is_not(own)
                .or_else(|| if settled { None } else { self.could_have(now, own) });
            if let Some(own) = self.own.get_mut(&which) {
                own.is_settled = settled;
            }
            if let Some(found) = found {
                self.lacking.insert(which);
                self.broken(now, which.0, &found);
            }
        }
    }

    fn has_what_there_is_not(&self, own: &Own) -> Option<String> {
        let node = own.taken.keys().find(|&&node| !self.occupied.is_up(node))?;
        Some(format!("has node {node}, which is out of service"))
    }

    /// Processors that a reservation lacks, though it could have them.
    fn could_have(&self, now: SimTime, own: &Own) -> Option<String> {
        let of = &self.reserved.asked[&own.asked.which.0];
        let in_time = own.asked.interrupts;
        if let Some(classes) = self.classes.filter(|_| of.count.is_some()) {
            let class = |node: &u32| classes[*node as usize];
            let mut lacks: OrderedMap<usize, usize> = OrderedMap::new();
            own.nodes.iter().for_each(|node| *lacks.entry(class(node)).or_default() += 1);
            own.taken.keys().for_each(|node| {
                if let Some(count) = lacks.get_mut(&class(node)) {
                    *count = count.saturating_sub(1);
                }
            });
            let lacking = |node: &&u32| lacks.get(&class(node)).is_some_and(|&count| count > 0);
            // maintenance interrupts jobs when it begins
            let begins = in_time && now == own.asked.from;
            let could =
                |node: &&u32| self.occupied.is_free(**node) || begins && self.occupied.has_only_jobs(**node);
            let node = of.among.iter().filter(lacking).find(could)?;
            return Some(format!("lacks nodes, and could have node {node}"));
        }
        let lacks =
            |node: &&u32| self.occupied.is_up(**node) && own.lacks_of(**node, &self.reserved.site) > 0;
        if let Some(node) =
            own.nodes.iter().filter(lacks).find(|&&node| in_time || self.occupied.has_idle(node))
        {
            return Some(format!("lacks processors of node {node}, which it could have"));
        }
        if !own.replaces || own.nodes.len() >= own.wanted {
            return None;
        }
        let others = self.others(&own.asked);
        let able = |node: &&u32| {
            !own.nodes.contains(node) && !others.contains(node) && self.occupied.is_free(**node)
        };
        let node = of.among.iter().find(able)?;
        Some(format!("lacks nodes, and node {node} is free"))
    }
}

impl Own {
    /// Takes a node out, or another one of its class that it has not yet.
    fn drop_of_class(&mut self, node: u32, classes: &[usize]) -> bool {
        if self.nodes.remove(&node) {
            return true;
        }
        let class = classes[node as usize];
        let mut waiting = self.nodes.iter().filter(|other| !self.taken.contains_key(other));
        let other = waiting.find(|&&other| classes[other as usize] == class).copied();
        other.is_some_and(|other| self.nodes.remove(&other))
    }

    fn lacks_of(&self, node: u32, site: &Resources) -> u64 {
        let has = self.taken.get(&node).copied().unwrap_or(0);
        u64::from(site.nodes.processors(node).1).saturating_sub(has)
    }
}

/// Number of processors of both.
fn common(one: Interval, other: Interval) -> u64 {
    let (first, last) = (one.first.max(other.first), one.last.min(other.last));
    u64::from((last + 1).saturating_sub(first))
}
