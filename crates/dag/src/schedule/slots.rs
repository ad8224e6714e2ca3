//! Places in a schedule under construction: the slot that a task would have on a core, or on
//! several of a host, and its transfers over links, one after another in the order in which they
//! were planned.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::collections::{BusySpans, OrderedMap};
use crate::kernel::SimTime;
use crate::model::grid::{Core, Grid};
use crate::planning::plan::PlannedTransfer;
use crate::planning::view::{TimeSlot, View};
use crate::platform::sharing::LinkId;
use crate::platform::{HostId, Platform};
use crate::schedule::partial::{PartialSchedule, Search};
use crate::workflow::{EdgeNumber, TaskNumber};

impl PartialSchedule<'_> {
    /// The slot that a task would have on a core if it is ready then; `None` if it would never
    /// end. A task of several cores has it on those of the host that are free first; on cores that
    /// a number stands for ([`View::together`](crate::View::together)) it has it on these.
    pub fn slot_on(&self, task: TaskNumber, core: Core, ready: SimTime, search: Search) -> Option<TimeSlot> {
        let slot = if self.view.width(task) > 1 {
            self.wide_slot_on(task, core, ready, search)
        } else {
            self.next_slot_on(task, core, ready, search)
        };
        slot.filter(|slot| slot.end < SimTime::MAX)
    }

    /// The same of a task of several cores.
    fn wide_slot_on(&self, task: TaskNumber, core: Core, ready: SimTime, search: Search) -> Option<TimeSlot> {
        let (view, width) = (self.view, self.view.width(task) as usize);
        let host = view.host_of(core);
        let members = view.members(core);
        let cores: Vec<Core> =
            if members.len() > 1 { members.collect() } else { view.cores_of(host).collect() };
        if cores.len() < width {
            return None;
        }
        let steady = view.steady_execution(task, host);
        let free = |core: Core, from: u64| {
            let column = &self.columns[core.index()];
            match steady {
                _ if search == Search::Tail => Some(column.end().max(from)),
                Some(span) => Some(column.earliest(from, span.as_nanos())),
                None => {
                    let alone = self.next_slot_on(task, core, SimTime::from_nanos(from), search)?;
                    Some(alone.start.as_nanos())
                }
            }
        };
        let (start, held) = first_together(&cores, width, ready.max(view.now()).as_nanos(), free)?;
        let start = SimTime::from_nanos(start);
        let end = start.saturating_add(view.execution(task, host, start)?);
        Some(TimeSlot { core: view.together(&held), start, end })
    }

    fn next_slot_on(&self, task: TaskNumber, core: Core, ready: SimTime, search: Search) -> Option<TimeSlot> {
        let (view, host) = (self.view, self.view.host_of(core));
        let column = &self.columns[core.index()];
        let ready = ready.max(view.now());
        if search == Search::Tail || column.end() <= ready.as_nanos() {
            let start = SimTime::from_nanos(column.end()).max(ready);
            let end = start.saturating_add(view.execution(task, host, start)?);
            return Some(TimeSlot { core, start, end });
        }
        if let Some(span) = view.steady_execution(task, host) {
            let start = SimTime::from_nanos(column.earliest(ready.as_nanos(), span.as_nanos()));
            return Some(TimeSlot { core, start, end: start.saturating_add(span) });
        }
        let mut from = ready.as_nanos();
        loop {
            // the first instant of the next gap, and what the task would take from there on
            let start = column.earliest(from, 0);
            let instant = SimTime::from_nanos(start);
            let end = instant.saturating_add(view.execution(task, host, instant)?);
            match column.next_busy(start) {
                Some(busy) if busy.start < end.as_nanos() => from = busy.end,
                _ => return Some(TimeSlot { core, start: instant, end }),
            }
        }
    }
}

/// The first instant from `from` on at which so many of these cores are free, and the lowest that
/// are; `free` is the first instant from another on at which a core is, if ever.
pub(crate) fn first_together(
    cores: &[Core],
    count: usize,
    from: u64,
    free: impl Fn(Core, u64) -> Option<u64>,
) -> Option<(u64, Vec<Core>)> {
    let mut at = from;
    loop {
        let from_then = |core: &Core| Some((free(*core, at)?, *core));
        let next: Vec<(u64, Core)> = cores.iter().filter_map(from_then).collect();
        let mut instants: Vec<u64> = next.iter().map(|(instant, _)| *instant).collect();
        instants.sort_unstable();
        // before that fewer are free
        let later = *instants.get(count.checked_sub(1)?)?;
        if later == at {
            let now = next.into_iter().filter(|(instant, _)| *instant == at).map(|(_, core)| core);
            return Some((at, now.take(count).collect()));
        }
        at = later;
    }
}

/// The tasks of all cores in one order that keeps the order of each: core by core, a task of
/// several cores where the last of these comes to it. Tasks that wait for each other by the orders
/// of cores are left out.
pub(crate) fn core_by_core(
    grid: &Grid,
    columns: &[Vec<TaskNumber>],
    core_of: impl Fn(TaskNumber) -> Core,
) -> Vec<TaskNumber> {
    let mut next = vec![0; columns.len()];
    let mut order = Vec::with_capacity(columns.iter().map(Vec::len).sum());
    let mut open: VecDeque<Core> = grid.cores().collect();
    while let Some(core) = open.pop_front() {
        while let Some(&task) = columns[core.index()].get(next[core.index()]) {
            let held = core_of(task);
            let is_next = |other: Core| columns[other.index()].get(next[other.index()]) == Some(&task);
            if held != core && !grid.members(held).all(is_next) {
                break;
            }
            order.push(task);
            for member in grid.members(held) {
                next[member.index()] += 1;
                if member != core {
                    open.push_front(member);
                }
            }
        }
    }
    order
}

/// Spans of planned transfers on links.
pub(crate) type BusyLinks = OrderedMap<LinkId, BusySpans<EdgeNumber>>;

/// Transfers that were planned over links one after another.
#[derive(Clone, Debug)]
pub(crate) struct Queues {
    /// Instant at which each link has carried all of them.
    pub(crate) tails: Vec<SimTime>,
    /// The edges whose transfers were planned, in order.
    pub(crate) order: Vec<EdgeNumber>,
    /// Planned arrival of each file on a host, by the first of the edges that carry it, where files
    /// are sent by themselves.
    pub(crate) copies: OrderedMap<(EdgeNumber, HostId), SimTime>,
    /// By pair of hosts: the links of its route, once they were asked for; empty if there are too
    /// many pairs.
    routes: Vec<Option<Rc<[LinkId]>>>,
}

/// Pairs of hosts of which the routes are kept.
const MOST_ROUTES: usize = 1 << 20;

impl Queues {
    /// Behind what links carry now, and what they are to carry for tasks that keep their places.
    pub(crate) fn new(view: &View<'_>) -> Self {
        let platform = view.problem().grid.platform();
        let pairs = platform.hosts().len().pow(2);
        let routes = if pairs <= MOST_ROUTES { vec![None; pairs] } else { Vec::new() };
        let tails = vec![SimTime::ZERO; platform.links().len()];
        let mut queues = Queues { tails, order: Vec::new(), copies: OrderedMap::new(), routes };
        for &PlannedTransfer { edge, from, to, end, .. } in view.booked() {
            for link in queues.route(platform, from, to).iter().flat_map(|route| route.iter()) {
                let tail = &mut queues.tails[link.index()];
                *tail = end.max(*tail);
            }
            if view.graph().file_rules().cache {
                queues.copies.insert((view.graph().first_of(edge), to), end);
            }
        }
        queues
    }

    /// The links from one host to another; `None` if no route joins them.
    pub(crate) fn route(&mut self, platform: &Platform, from: HostId, to: HostId) -> Option<Rc<[LinkId]>> {
        let place = from.index() * platform.hosts().len() + to.index();
        if let Some(Some(route)) = self.routes.get(place) {
            return Some(Rc::clone(route));
        }
        let mut route = Vec::new();
        platform.route(from, to, &mut route).ok()?;
        let route: Rc<[LinkId]> = route.into();
        if let Some(kept) = self.routes.get_mut(place) {
            *kept = Some(Rc::clone(&route));
        }
        Some(route)
    }
}

/// The first instant from which on all links of a route are free for so long.
pub(crate) fn free_from(busy: &BusyLinks, route: &[LinkId], from: u64, span: u64) -> u64 {
    let mut start = from;
    loop {
        let links = route.iter().filter_map(|link| busy.get(link));
        let free = links.fold(start, |start, busy| busy.earliest(start, span));
        if free == start {
            return start;
        }
        start = free;
    }
}
