//! The promises to the head of a queue, and to every job under a discipline that starts whatever
//! fits, on nodes.
//!
//! The head is blocked whenever an instant is over, and starts by its shadow time: the first
//! estimated end of a running job at which it fits, with everything that it asks for. Where nodes
//! fail, EASY looks at the first job in the queue that the nodes in service could take, and what is
//! promised lasts until a node fails or is back.

use crate::collections::OrderedSet;
use crate::kernel::SimTime;
use crate::workload::resources::Resources;

use super::super::changes::{Change, State};
use super::super::supply::{Event, SupplyChange, events, instants, jobs};
use super::super::{Away, Order, QueueHead, Row, Supply, Violation, violation_of};
use super::machine::Machine;

const WAITS: &str = "it is first in the queue and waits, though nodes have room for it";

/// Nodes with what they have, and the spans in which some are out of service.
#[derive(Clone, Copy, Debug)]
pub struct NodeSupply<'a> {
    /// The nodes, and what jobs ask of them.
    pub resources: &'a Resources,
    /// The spans; each is of whole nodes.
    pub away: &'a [Away],
}

impl<'a> NodeSupply<'a> {
    /// The processors of the nodes.
    pub(in crate::judge::schedule) fn processors(&self) -> Supply<'a> {
        Supply::failing(self.resources.nodes.procs(), self.away)
    }
}

impl<'a> From<&'a Resources> for NodeSupply<'a> {
    /// Nodes that are always there.
    fn from(resources: &'a Resources) -> Self {
        NodeSupply { resources, away: &[] }
    }
}

/// No job is first in the queue and waits though it fits; rows stand in order of submission and are
/// all runs of all jobs.
///
/// # Complexity
/// n log n, and for each instant a look at the nodes that have changed.
pub fn head_starts_on_nodes(
    rows: &[Row],
    supply: NodeSupply<'_>,
    order: Order,
    head: QueueHead,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    sweep(rows, supply, order, |now, scene, _| {
        let Some((_, head)) = scene.head(head) else { return };
        if scene.machine.fits(&rows[head]) {
            violations.push(violation_of(&rows[head], now, WAITS));
        }
    });
    violations
}

/// No job starts later than at its first shadow time as the head of the queue; rows stand in order
/// of submission, are all runs of all jobs, and none outlasts its estimate.
///
/// # Complexity
/// n log n, and for each job that becomes a blocked head one pass over the nodes and over the jobs
/// that run then.
pub fn shadow_time_on_nodes(rows: &[Row], supply: NodeSupply<'_>, order: Order) -> Vec<Violation> {
    let mut promised: Vec<Option<SimTime>> = vec![None; rows.len()];
    let mut stands: Option<(u64, usize)> = None;
    sweep(rows, supply, order, |now, scene, instant| {
        // a job that comes to stand before the head ends its promise, unless that is past
        let before = |head: (u64, usize)| {
            jobs(instant, Change::Submission).map(|job| scene.state.stand(job)).any(|stand| stand < head)
        };
        let ends = |head: &(u64, usize)| scene.shaken || before(*head);
        if let Some(head) = stands.filter(|head| scene.state.waiting.contains(head) && ends(head)) {
            promised[head.1] = promised[head.1].filter(|&promised| promised < now);
        }
        let Some(head) = scene.head(QueueHead::Able) else { return };
        if promised[head.1].is_none() && !scene.machine.fits(&rows[head.1]) {
            promised[head.1] = scene.machine.shadow(&rows[head.1], &scene.state.running);
        }
        stands = Some(head);
    });
    let broken = |(row, promised): (&Row, Option<SimTime>)| {
        let promised = promised.filter(|&promised| row.start > promised)?;
        let what = format!("it was promised a start at {promised} when it came to the head of the queue");
        Some(violation_of(row, row.start, what))
    };
    rows.iter().zip(promised).filter_map(broken).collect()
}

/// No job waits past an instant at whose end nodes have room for it; rows are all runs of all jobs.
///
/// # Complexity
/// n log n, and for each instant at which a job ends or a node is back a look at each that waits.
pub fn nothing_fits_on_nodes(rows: &[Row], supply: NodeSupply<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    // smaller jobs first: of a demand only the first that does not fit is looked at
    sweep(rows, supply, Order::Fewest, |now, scene, instant| {
        let frees = scene.shaken || jobs(instant, Change::End).next().is_some();
        let new: OrderedSet<usize> = jobs(instant, Change::Submission).collect();
        let mut blocked = OrderedSet::new();
        for &(_, index) in scene.state.waiting.iter().filter(|one| frees || new.contains(&one.1)) {
            let row = &rows[index];
            if blocked.contains(&row.demand) {
                continue;
            }
            if scene.machine.fits(row) {
                let what = format!("it waits, though nodes have room for its {} processors", row.procs);
                return violations.push(violation_of(row, now, what));
            }
            blocked.insert(row.demand);
        }
    });
    violations
}

/// The jobs and the nodes at an instant.
struct Scene<'a> {
    state: State<'a>,
    machine: Machine<'a>,
    /// True if a node failed or came back at it.
    shaken: bool,
}

impl Scene<'_> {
    /// The job that is first in the queue.
    fn head(&mut self, head: QueueHead) -> Option<(u64, usize)> {
        let (rows, machine) = (self.state.rows, &mut self.machine);
        let mut waiting = self.state.waiting.iter().copied();
        waiting.find(|stand| head == QueueHead::First || machine.is_able(&rows[stand.1]))
    }
}

/// Goes through a schedule, and shows each instant when it is over, with its events.
fn sweep(
    rows: &[Row],
    supply: NodeSupply<'_>,
    order: Order,
    mut over: impl FnMut(SimTime, &mut Scene<'_>, &[(SimTime, Event)]),
) {
    let machine = Machine::new(supply.resources);
    let mut scene = Scene { state: State::new(rows, order), machine, shaken: false };
    for (now, instant) in instants(&events(rows, &supply.processors())) {
        scene.shaken = false;
        for &(_, event) in instant {
            match event {
                Event::Machine(change, index) => {
                    scene.machine.serves(supply.away[index].on, change == SupplyChange::Fails);
                    scene.shaken = true;
                }
                Event::Job(change, index) => {
                    let row = &rows[index];
                    scene.state.take(change, index);
                    match change {
                        Change::Start if row.start < row.end => scene.machine.starts(index, row),
                        Change::End if row.start < row.end => scene.machine.ends(index),
                        _ => {}
                    }
                }
            }
        }
        over(now, &mut scene, instant);
    }
}
