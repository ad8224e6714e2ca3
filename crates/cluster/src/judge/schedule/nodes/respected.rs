//! Reservations of nodes that are known ahead: no job that starts delays one.

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::Resources;

use super::super::changes::{Change, State, changes, instants};
use super::super::on_nodes::parts;
use super::super::{Away, Order, Row, Violation, violation_of};
use super::reserved::{NodePlan, NodeReservations};
use super::stock::nodes_of;

/// No job is started that by the estimates is still on a node when a reservation that is known is
/// to have it; where nodes count, as every job has its nodes whole, too few of a class are left
/// then. Rows are all runs of all jobs outside, each with the estimate of its job.
///
/// # Complexity
/// For each start a step for each node and each reservation of it; where nodes count, for each that
/// may meet a reservation, a step for each job that runs and each reservation.
pub(in crate::judge::schedule) fn respects_reserved_nodes(
    rows: &[Row],
    reserved: &NodeReservations,
    resources: &Resources,
    away: &[Away],
) -> Vec<Violation> {
    let mut of_nodes: OrderedMap<u32, Vec<&NodePlan>> = OrderedMap::new();
    for plan in &reserved.plans {
        plan.nodes.iter().for_each(|&node| of_nodes.entry(node).or_default().push(plan));
    }
    let held: Vec<Vec<u32>> =
        rows.iter().map(|row| parts(row, &resources.nodes).into_keys().collect()).collect();
    let mut state = State::new(rows, Order::Fewest);
    let mut violations = Vec::new();
    for (now, instant) in instants(&changes(rows)) {
        instant.iter().for_each(|&(_, change, index)| state.take(change, index));
        let started = instant.iter().filter(|one| one.1 == Change::Start && rows[one.2].end > now);
        for &(_, _, index) in started {
            let row = &rows[index];
            let to = now.saturating_add(row.estimate.max(SimDuration::from_nanos(1)));
            let delayed = match reserved.classes() {
                None => {
                    let plans = held[index].iter().filter_map(|node| of_nodes.get(node)).flatten();
                    plans.copied().find(|plan| meets(plan, now, to))
                }
                Some(classes) => {
                    let counts = Counts { classes, resources, plans: &reserved.plans, away, held: &held };
                    let mut plans = reserved.plans.iter().filter(|plan| meets(plan, now, to));
                    plans.find(|plan| counts.lacks(now, plan, &held[index], &state))
                }
            };
            if let Some(plan) = delayed {
                let number = plan.asked.which.0;
                let what = format!("it starts, though by the estimates it delays reservation {number}");
                violations.push(violation_of(row, now, what));
            }
        }
    }
    violations
}

/// Returns true if a reservation is planned now that takes place in a span from now on.
fn meets(plan: &NodePlan, now: SimTime, to: SimTime) -> bool {
    plan.since <= now && now < plan.until && plan.asked.from < to
}

/// Nodes by their classes.
struct Counts<'a> {
    classes: &'a [usize],
    resources: &'a Resources,
    plans: &'a [NodePlan],
    away: &'a [Away],
    held: &'a [Vec<u32>],
}

impl Counts<'_> {
    fn of<'n>(&self, nodes: impl Iterator<Item = &'n u32>) -> OrderedMap<usize, usize> {
        let mut counts = OrderedMap::new();
        nodes.for_each(|&node| *counts.entry(self.classes[node as usize]).or_default() += 1);
        counts
    }

    /// Returns true if a reservation would lack nodes of a class of which a job has some.
    fn lacks(&self, now: SimTime, plan: &NodePlan, own: &[u32], state: &State<'_>) -> bool {
        let at = plan.asked.from.max(now);
        let live = |other: &&NodePlan| {
            other.since <= now && now < other.until && other.asked.from <= at && at < other.asked.to
        };
        let reserved = self.of(self.plans.iter().filter(live).flat_map(|other| &other.nodes));
        let running = state.running.iter().filter(|(end, _)| *end > at || at == now);
        let held = self.of(running.flat_map(|&(_, index)| &self.held[index]));
        let down = self.away.iter().filter(|one| one.from <= now && now < one.to);
        let down: Vec<u32> =
            down.flat_map(|one| nodes_of(self.resources, one.on)).map(|node| node as u32).collect();
        let down = self.of(down.iter());
        let needs = self.of(plan.nodes.iter());
        let count = |counts: &OrderedMap<usize, usize>, class| counts.get(&class).copied().unwrap_or(0);
        let all = |class| self.classes.iter().filter(|&&other| other == class).count();
        self.of(own.iter()).into_keys().any(|class| {
            let taken = count(&reserved, class) + count(&held, class) + count(&down, class);
            needs.contains_key(&class) && taken > all(class)
        })
    }
}
