//! The promises to the head of a queue, and to every job under a discipline that starts whatever
//! fits, on nodes.
//!
//! The head is blocked whenever an instant is over, and starts by its shadow time: the first
//! estimated end of a running job at which it fits, with everything that it asks for. Where nodes
//! fail, EASY looks at the first job in the queue that the nodes in service could take, and what is
//! promised lasts until a node fails or is back.

use crate::collections::OrderedSet;
use crate::kernel::SimTime;

use super::super::changes::{Change, State};
use super::super::pool_lines::{PoolLines, later_of};
use super::super::supply::{Event, events, instants, jobs};
use super::super::{Order, QueueHead, Row, Stand, Violation, violation_of};
use super::ahead::NodesAhead;
use super::machine::Machine;
use super::node_supply::NodeSupply;

const WAITS: &str = "it is first in the queue and waits, though nodes have room for it";

/// No job is first in the queue and waits though it fits; rows stand in order of submission and are
/// all runs of all jobs.
///
/// # Complexity
/// n log n, and for each instant a look at the nodes that have changed.
pub fn head_starts_on_nodes(
    rows: &[Row],
    supply: NodeSupply<'_>,
    order: Order<'_>,
    head: QueueHead,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    sweep(rows, supply, order, |now, scene, _| {
        let Some(Stand { row: head, .. }) = scene.head(head) else { return };
        if scene.fits(now, head) && scene.is_clear(head) {
            violations.push(violation_of(&rows[head], now, WAITS));
        }
    });
    violations
}

/// No job starts later than at its first shadow time as the head of the queue, unless one outlasts
/// its estimate before; rows stand in order of submission, and are all runs of all jobs.
///
/// # Complexity
/// n log n, and for each job that becomes a blocked head one pass over the nodes and over the jobs
/// that run then.
pub fn shadow_time_on_nodes(rows: &[Row], supply: NodeSupply<'_>, order: Order<'_>) -> Vec<Violation> {
    let mut promised: Vec<Option<SimTime>> = vec![None; rows.len()];
    let mut stands: Option<usize> = None;
    sweep(rows, supply, order, |now, scene, instant| {
        let first = scene.head(QueueHead::Able).map(|head| head.row).filter(|&head| scene.is_clear(head));
        // a job that comes to stand before the head, or starts there, ends its promise, unless that
        // is past, as does a limit that holds it back
        let ends = |head: usize, change: Change, job: usize| {
            let comes = change.considers() || change == Change::Start;
            let before = job != head && scene.state.stand(job) < scene.state.stand(head);
            comes && before || change.holds() && job == head
        };
        let mut all = instant.iter().filter_map(|&(_, event)| match event {
            Event::Job(change, job) => Some((change, job)),
            Event::Machine(..) => None,
        });
        if let Some((head, since)) = stands.zip(scene.overdue) {
            promised[head] = promised[head].filter(|&promised| promised < since);
        }
        let other = |head: usize| first != Some(head) || scene.shaken;
        let ends = |head: &usize| other(*head) || all.any(|(change, job)| ends(*head, change, job));
        if let Some(head) = stands.take().filter(|&head| rows[head].start > now).filter(ends) {
            promised[head] = promised[head].filter(|&promised| promised < now);
        }
        let Some(head) = first else { return };
        let outlasts = scene.state.running.first().is_some_and(|&(end, _)| end <= now);
        if promised[head].is_none() && !outlasts && !scene.fits(now, head) {
            promised[head] = scene.shadow(now, head);
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
        // a job may also fit as reservations lie no more in its way
        let frees = supply.reserved.is_some() || scene.shaken || jobs(instant, Change::End).next().is_some();
        let new: OrderedSet<usize> =
            [Change::Submission, Change::FreedByStart].iter().flat_map(|&one| jobs(instant, one)).collect();
        let mut blocked = OrderedSet::new();
        let waiting = scene.state.waiting.iter().filter(|one| frees || new.contains(&one.row));
        for index in waiting.map(|one| one.row).collect::<Vec<_>>() {
            let row = &rows[index];
            if blocked.contains(&row.demand) || !scene.pools.fits(row) {
                continue;
            }
            if scene.fits(now, index) {
                let what = format!("it waits, though nodes have room for its {} processors", row.procs);
                return violations.push(violation_of(row, now, what));
            }
            if !scene.machine.fits(row) {
                blocked.insert(row.demand);
            }
        }
    });
    violations
}

/// The jobs and the nodes at an instant.
struct Scene<'a> {
    state: State<'a>,
    machine: Machine<'a>,
    /// The nodes from now on, where some are reserved.
    ahead: Option<NodesAhead<'a>>,
    pools: PoolLines<'a>,
    /// True if a node failed or came back at it.
    shaken: bool,
    /// Instant since which a job ran past its estimate before it, if one did.
    overdue: Option<SimTime>,
}

impl Scene<'_> {
    /// Returns true if a job fits now, and by the estimates delays no reservation that is known.
    fn fits(&mut self, now: SimTime, job: usize) -> bool {
        let (rows, running) = (self.state.rows, &self.state.running);
        let overdue = running.iter().take_while(|one| one.0 <= now).map(|one| &rows[one.1]);
        let (row, stocks) = (&rows[job], self.pools.fits(&rows[job]) && self.machine.fits(&rows[job]));
        stocks
            && self.ahead.as_mut().is_none_or(|ahead| ahead.holds(now, row, self.machine.stocks(), overdue))
    }

    /// The first instant at which a job that does not fit now does, by the estimates.
    fn shadow(&mut self, now: SimTime, job: usize) -> Option<SimTime> {
        let row = &self.state.rows[job];
        let Some(ahead) = &mut self.ahead else {
            // on the nodes it fits from an end on
            let of_nodes = self.machine.shadow(row, &self.state.running);
            return later_of(of_nodes, self.pools.earliest(row, now));
        };
        let mut from = now;
        loop {
            let start = ahead.first((now, from), row)?;
            from = self.pools.earliest(row, start);
            if from == start || from == SimTime::MAX {
                return Some(from).filter(|&from| from < SimTime::MAX);
            }
        }
    }

    /// Returns true if it is sure that a job that waits stands before all behind it.
    fn is_clear(&self, job: usize) -> bool {
        self.state.is_first(self.state.stand(job))
    }

    /// The job that is first in the queue.
    fn head(&mut self, head: QueueHead) -> Option<Stand> {
        let (rows, machine) = (self.state.rows, &mut self.machine);
        let mut waiting = self.state.waiting.iter().copied();
        waiting.find(|stand| head == QueueHead::First || machine.is_able(&rows[stand.row]))
    }
}

/// Goes through a schedule, and shows each instant when it is over, with its events.
fn sweep(
    rows: &[Row],
    supply: NodeSupply<'_>,
    order: Order<'_>,
    mut over: impl FnMut(SimTime, &mut Scene<'_>, &[(SimTime, Event)]),
) {
    let machine = Machine::new(supply.resources);
    let ahead = supply.reserved.map(|_| NodesAhead::new(supply, rows));
    let pools = PoolLines::new(supply.pools);
    let mut scene =
        Scene { state: State::new(rows, order), machine, ahead, pools, shaken: false, overdue: None };
    let spans = supply.processors();
    for (now, instant) in instants(&events(rows, &spans)) {
        scene.shaken = false;
        scene.state.at(now);
        scene.overdue = scene.state.overdue();
        scene.ahead.iter_mut().for_each(|ahead| ahead.advance(now));
        for &(_, event) in instant {
            match event {
                Event::Machine(change, index) => {
                    scene.machine.changes(&spans, change, index);
                    scene.ahead.iter_mut().for_each(|ahead| ahead.changes(now, change, index));
                    scene.shaken |= change.moves_promises();
                }
                Event::Job(change, index) => {
                    let row = &rows[index];
                    scene.state.take(change, index);
                    scene.pools.job(now, change, row);
                    match change {
                        Change::Start if row.start < row.end => scene.machine.starts(index, row),
                        Change::End if row.start < row.end => scene.machine.ends(index),
                        _ => continue,
                    }
                    scene.ahead.iter_mut().for_each(|ahead| ahead.job(now, change, row));
                }
            }
        }
        scene.pools.advance(now);
        scene.state.decide();
        over(now, &mut scene, instant);
    }
}
