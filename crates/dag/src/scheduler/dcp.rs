//! DCP: the most urgent task at each step, where it and the most critical of its children start
//! first; tasks move until the end.
//!
//! The most urgent task is the one whose latest and earliest start are closest; of equal ones that
//! of the earliest start, then the lowest. Hosts that are looked at for it: those of its parents
//! and children, and the first that is unused. On each it goes into the first gap that holds it
//! before the next task starts as planned, else the first that holds it before the next task must
//! start, else behind the last; never before a task that it needs or behind one that needs it. A
//! child may have a place before its parent.
//!
//! | form | least of, both on the host | virtual host |
//! |---|---|---|
//! | `dcp` | start of the task + start of a child | mean times and mean transfers |
//! | `dcp-dagsim` | end of the task + end of a child | mean speed and links; worst if `cautious` |
//!
//! The child is the one that is greatest there of those without a place, with `critical-child =
//! "least-mobility"` the most urgent of them. A child that cannot be on the host counts as without
//! a place. Equal hosts: one that is used already, then the lower.
//!
//! With `tail = "gap"` of `dcp` the time behind the last task is a gap as any other, so that no
//! task is ever pushed.
//!
//! Where no host is unused, one like the virtual host is looked at in its place; if that is best,
//! the grid is too small.
//!
//! A task of several cores is looked at on the hosts of its parents and children as such, and on
//! the first with as many unused cores. It starts there at the first instant at which as many cores
//! have a gap that holds it and pushes nothing, the time behind the last task being one, and holds
//! the lowest of these. A child is looked at on the cores of its parent, one of several cores on
//! those of the host. This is a choice of ours: the published rule knows tasks of one processor.
//!
//! Sources: Y.-K. Kwok, I. Ahmad, "Dynamic critical-path scheduling", IEEE TPDS 7(5), 1996;
//! "DAGSim" for its form and the choice of the child. The cores of a host are hosts of their own
//! here between which transfers take no time.

use crate::error::CannotPlan;
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::Core;
use crate::model::prediction::{Caution, MeanTransfer};
use crate::model::problem::Contention;
use crate::output::number::{grouped, plain};
use crate::planning::assumption::Assumption;
use crate::planning::no_host::no_host;
use crate::planning::plan::{CandidateSlot, Choice, FigureName, TaskPlan};
use crate::planning::view::{TimeSlot, View};
use crate::planning::window::OfTasks;
use crate::registry::{Entry, Key, Kind};
use crate::schedule::starts::Starts;
use crate::scheduler::Scheduler;
use crate::workflow::TaskNumber;

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::published(
    "dcp",
    "the most urgent task where it and its most critical child start first; tasks move until the end",
    "Y.-K. Kwok, I. Ahmad, IEEE TPDS 7(5), 1996",
    KEYS,
    |params| {
        let children =
            [("max-aest", CriticalChild::MaxStart), ("least-mobility", CriticalChild::LeastMobility)];
        let tails = [("last", Tail::Last), ("gap", Tail::Gap)];
        let critical_child = params.pick("critical-child", &children)?;
        Ok(Box::new(Dcp { critical_child, tail: params.pick("tail", &tails)? }))
    },
);

const KEYS: &[Key] = &[
    Key::new("critical-child", Kind::Choice(CRITICAL_CHILD))
        .or("max-aest")
        .about("the child that counts for a host")
        .source("DAGSim; least-mobility: as published"),
    Key::new("tail", Kind::Choice(TAIL))
        .or("last")
        .about("when the time behind the last task of a host is taken"),
];

pub(super) const DAGSIM: Entry<dyn Scheduler> = Entry::published(
    "dcp-dagsim",
    "the most urgent task where it and the last of its children end first; tasks move until the end",
    "A. Jarry, H. Casanova, F. Berman, DAGSim, 2000",
    &[Key::new("cautious", Kind::Flag)
        .or_flag(false)
        .about("tasks without a place count as on the slowest host behind the slowest links, not the mean")
        .source("DAGSim")],
    |params| {
        let caution = if params.read("cautious")? { Caution::Worst } else { Caution::Mean };
        Ok(Box::new(DcpDagsim { caution }))
    },
);

const CRITICAL_CHILD: &[(&str, &str)] = &[
    ("max-aest", "the one that would start last there"),
    ("least-mobility", "the one whose latest and earliest start are closest"),
];

const TAIL: &[(&str, &str)] = &[
    ("last", "if no gap holds the task, not even one where it pushes those behind it within their slack"),
    ("gap", "if no gap holds the task without pushing another"),
];

/// Dynamic critical path.
#[derive(Clone, Copy, Debug)]
pub struct Dcp {
    /// The child that counts for a host.
    pub critical_child: CriticalChild,
    /// Instant at which the time behind the last task of a host is taken.
    pub tail: Tail,
}

/// Dynamic critical path as DAGSim has it.
#[derive(Clone, Copy, Debug)]
pub struct DcpDagsim {
    /// Caution about the speed and the links of the virtual host.
    pub caution: Caution,
}

/// The child that counts for a host, of those without a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CriticalChild {
    /// The one that would start last there.
    #[default]
    MaxStart,
    /// The one whose latest and earliest start are closest.
    LeastMobility,
}

/// Instant at which the time behind the last task of a host is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tail {
    /// If no gap holds the task.
    #[default]
    Last,
    /// If no gap holds it that pushes nothing.
    Gap,
}

/// Objective that is least on the host that a task gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Objective {
    Starts(CriticalChild),
    Ends,
}

impl Scheduler for Dcp {
    fn assumptions(&self) -> &[Assumption] {
        &[
            Assumption::Homogeneous,
            Assumption::FullCrossbar,
            Assumption::ContentionFree,
            Assumption::UnlimitedHosts,
        ]
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let span = |task| if view.is_open(task) { view.mean_execution(task) } else { 0.0 };
        let objective = Objective::Starts(self.critical_child);
        plan(view, span, view.mean_transfer(), (objective, self.tail), false)
    }
}

impl Scheduler for DcpDagsim {
    fn assumptions(&self) -> &[Assumption] {
        &[Assumption::FullCrossbar, Assumption::UnlimitedHosts]
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let host = view.virtual_host(self.caution);
        let span = |task| view.nominal_seconds(task) / host.speed;
        let waits = view.contention() == Contention::Queued;
        plan(view, span, host.link, (Objective::Ends, Tail::Last), waits)
    }
}

fn plan(
    view: &View<'_>,
    span: impl Fn(TaskNumber) -> f64,
    link: MeanTransfer,
    (objective, tail): (Objective, Tail),
    waits: bool,
) -> Result<TaskPlan, CannotPlan> {
    let mut spans = OfTasks::new(view, 0);
    for task in view.tasks() {
        spans[task] = SimDuration::ceil_secs(span(task)).as_nanos();
    }
    let starts = Starts::new(view, spans, link, waits);
    let mut rule = Planner { view, starts, length: 0, objective, tail, unused: 0, looked_at: 0 };
    let mut left: Vec<TaskNumber> = view.open().collect();
    let (mut before, mut lengthened) = (0, 0);
    while let Some(place) = rule.most_urgent(&left) {
        let task = left.swap_remove(place);
        view.explain(task, || rule.turn(task, left.len() + 1));
        rule.put(task, before)?;
        before += 1;
        lengthened += u64::from(rule.starts.length() > rule.length);
        #[cfg(test)]
        rule.starts.check();
    }
    view.count(rule.looked_at);
    Ok(TaskPlan { lengthened: Some(lengthened), ..rule.starts.plan() })
}

/// A place that a task could have; without a core it is on a host that there is not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) core: Option<Core>,
    /// Place in the order of the core; it has no meaning for a task of several cores.
    pub(super) at: usize,
    pub(super) ready: u64,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// A plan that is being made.
pub(super) struct Planner<'v> {
    pub(super) view: &'v View<'v>,
    pub(super) starts: Starts<'v>,
    /// The longest chain.
    length: u64,
    objective: Objective,
    tail: Tail,
    /// All cores before this one are used.
    unused: u32,
    looked_at: u64,
}

impl Planner<'_> {
    /// The place among these of the most urgent task.
    fn most_urgent(&mut self, left: &[TaskNumber]) -> Option<usize> {
        self.length = self.starts.length();
        (0..left.len()).min_by_key(|place| self.urgency(left[*place]))
    }

    /// Key that is less for a more urgent task: its latest start less its earliest, but for the
    /// length of the path.
    fn urgency(&self, task: TaskNumber) -> (std::cmp::Reverse<u64>, u64, TaskNumber) {
        (std::cmp::Reverse(self.starts.through(task)), self.starts.start(task), task)
    }

    /// Reason that it is the turn of a task, one of so many.
    fn turn(&self, task: TaskNumber, left: usize) -> String {
        let mobility = self.length.saturating_sub(self.starts.through(task));
        let [mobility, start] =
            [mobility, self.starts.start(task)].map(|nanos| plain(SimTime::from_nanos(nanos).as_secs_f64()));
        let left = grouped(left as u64);
        format!(
            "It is the most urgent of {left} tasks without a place: its latest start is {mobility} s behind its earliest, {start} s; of equal ones the earlier start and then the lower task is first"
        )
    }

    /// Name of the figure of a core.
    fn figure_name(&self) -> FigureName {
        let name = match self.objective {
            Objective::Ends => "its end and the latest end of a child, in seconds",
            Objective::Starts(CriticalChild::MaxStart) => {
                "its start and the latest start of a child, in seconds"
            }
            Objective::Starts(CriticalChild::LeastMobility) => {
                "its start and that of the most urgent child, in seconds"
            }
        };
        FigureName { name, tie: "a core of a relative before an unused one" }
    }

    /// Gives a task its place.
    fn put(&mut self, task: TaskNumber, before: usize) -> Result<(), CannotPlan> {
        let cores = self.related(task);
        if self.view.width(task) == 1 {
            self.starts.sequences.look_around(task, &cores);
        } else {
            self.starts.sequences.look_around(task, &self.view.cores().collect::<Vec<_>>());
        }
        let mut best: Option<(u64, Place)> = None;
        let mut candidates = Vec::new();
        let (new, is_unused) = self.unused(task, &cores);
        for core in cores.into_iter().chain(new) {
            let Some(place) = self.place_on(task, core) else { continue };
            let figure = self.figure(task, &place);
            self.looked_at += 1;
            if self.view.explains(task) {
                let ready = SimTime::from_nanos(place.ready);
                let slot = place.slot(place.core.unwrap_or(core));
                candidates.push((figure, CandidateSlot { ready, slot, figure: figure as f64 / 1e9 }));
            }
            if best.is_none_or(|(least, _)| figure < least) {
                best = Some((figure, place));
            }
        }
        if !is_unused && self.view.hosts().any(|host| self.view.can_run(task, host)) {
            let place = self.place_nowhere(task);
            if best.is_none_or(|(least, _)| self.figure(task, &place) < least) {
                return Err(CannotPlan::GridTooSmall(self.view.name(task).to_owned()));
            }
        }
        let host = |parent| self.starts.core(parent).map(|core| self.view.host_of(core));
        let (least, place) = best.ok_or_else(|| no_host(self.view, task, host))?;
        let core = place.core.expect("a place that was looked at is on a core");
        if self.view.explains(task) {
            // of equal figures the one that was looked at first
            candidates.sort_by_key(|(figure, _)| *figure);
            let equal = candidates.iter().filter(|(figure, _)| *figure == least).count();
            let candidates = candidates.into_iter().map(|(_, candidate)| candidate).collect();
            let (figure, slot) = (self.figure_name(), place.slot(core));
            self.view.chose(Choice { task, before, figure, candidates, equal, slot });
        }
        self.starts.place(task, core, place.at, [place.start, place.end]);
        Ok(())
    }

    /// The cores of the parents and children of a task, in order; for one of several cores the
    /// first of each host.
    fn related(&self, task: TaskNumber) -> Vec<Core> {
        let graph = self.view.graph();
        let parents = graph.incoming(task).iter().map(|edge| graph.edge(*edge).from);
        let children = graph.outgoing(task).iter().map(|edge| graph.edge(*edge).to);
        let mut cores: Vec<Core> =
            parents.chain(children).filter_map(|task| self.starts.core(task)).collect();
        cores = if self.view.width(task) == 1 {
            cores.into_iter().flat_map(|core| self.view.members(core)).collect()
        } else {
            let places = cores.into_iter().map(|core| self.view.host_of(core));
            places.flat_map(|host| self.view.places_on(task, host)).collect()
        };
        cores.sort_unstable();
        cores.dedup();
        cores
    }

    /// The first core that nothing is on and that can have the task; and whether nothing is on some
    /// core. For a task of several cores: the first host with as many.
    fn unused(&mut self, task: TaskNumber, related: &[Core]) -> (Option<Core>, bool) {
        if self.view.width(task) > 1 {
            return self.unused_host(task, related);
        }
        let cores = self.view.cores().len() as u32;
        let is_empty = |rule: &Self, core| rule.starts.sequences.column(core).is_empty();
        while self.unused < cores && !is_empty(self, Core(self.unused)) {
            self.unused += 1;
        }
        let mut is_unused = false;
        for core in (self.unused..cores).map(Core) {
            if is_empty(self, core) && !related.contains(&core) {
                is_unused = true;
                if self.place_on(task, core).is_some() {
                    return (Some(core), true);
                }
            }
        }
        (None, is_unused)
    }

    /// The place that a task would have on a core.
    pub(super) fn place_on(&mut self, task: TaskNumber, core: Core) -> Option<Place> {
        let (view, host) = (self.view, self.view.host_of(core));
        if !view.can_run(task, host) {
            return None;
        }
        let graph = view.graph();
        let mut placed =
            graph.outgoing(task).iter().filter_map(|edge| self.starts.core(graph.edge(*edge).to));
        if !placed.all(|child| view.is_joined(host, view.host_of(child))) {
            return None;
        }
        let ready = self.starts.ready(task, host)?;
        let starts = &self.starts;
        if view.width(task) > 1 {
            return self.wide_place_on(task, host, ready);
        }
        let (first, last) = starts.sequences.places(core);
        let column = starts.sequences.column(core);
        let started = self.started(core);
        let at = |place: usize| {
            let before = place.checked_sub(1).map_or(0, |before| starts.end(column[before]));
            let start = ready.max(before);
            let end = start.saturating_add(starts.span_on(task, core, start)?);
            (end < u64::MAX).then_some(Place { core: Some(core), at: place, ready, start, end })
        };
        let gaps = first.max(started)..column.len().min(last + 1);
        let planned = |next| starts.start(next);
        let latest = |next| self.length.saturating_sub(starts.behind(next));
        let first_before = |limit: &dyn Fn(TaskNumber) -> u64| {
            gaps.clone().filter_map(at).find(|place| place.end <= limit(column[place.at]))
        };
        let tail = || if last == column.len() { at(last) } else { None };
        let first = first_before(&planned);
        if self.tail == Tail::Gap {
            return first.or_else(tail).or_else(|| first_before(&latest));
        }
        first.or_else(|| first_before(&latest)).or_else(tail)
    }

    /// Number of tasks of a core that have started.
    pub(super) fn started(&self, core: Core) -> usize {
        self.starts.sequences.column(core).iter().take_while(|task| self.starts.is_fixed(**task)).count()
    }

    /// The place that a task would have on a host like the virtual one that there is not.
    fn place_nowhere(&self, task: TaskNumber) -> Place {
        let graph = self.view.graph();
        let data = graph.inputs(task).iter().chain(graph.incoming(task));
        let arrivals = data.map(|edge| self.starts.virtual_arrival(*edge));
        let ready = arrivals.fold(self.view.now().as_nanos(), u64::max);
        let end = ready.saturating_add(self.starts.span(task));
        Place { core: None, at: 0, ready, start: ready, end }
    }

    /// Value of the objective for a task in a place.
    fn figure(&self, task: TaskNumber, place: &Place) -> u64 {
        let graph = self.view.graph();
        let children = graph.outgoing(task).iter().map(|edge| graph.edge(*edge).to);
        let children = children.filter(|child| self.starts.core(*child).is_none());
        let on_place = |child| self.child_on(task, child, place);
        let (own, child) = match self.objective {
            Objective::Ends => (place.end, children.map(|child| on_place(child)[1]).max()),
            Objective::Starts(CriticalChild::MaxStart) => {
                (place.start, children.map(|child| on_place(child)[0]).max())
            }
            Objective::Starts(CriticalChild::LeastMobility) => {
                let most_urgent = children.min_by_key(|child| self.urgency(*child));
                (place.start, most_urgent.map(|child| on_place(child)[0]))
            }
        };
        own.saturating_add(child.unwrap_or(0))
    }

    /// Instant at which a child would start and end behind its parent in this place.
    fn child_on(&self, task: TaskNumber, child: TaskNumber, place: &Place) -> [u64; 2] {
        if let Some(span) = place.core.and_then(|core| self.child_on_core(task, child, place, core)) {
            return span;
        }
        let (graph, starts) = (self.view.graph(), &self.starts);
        let mut start = place.end;
        for &edge in graph.inputs(child).iter().chain(graph.incoming(child)) {
            start = start.max(match graph.data(edge).from == Some(task) {
                false => starts.virtual_arrival(edge),
                true if place.core.is_some() => place.end.saturating_add(starts.virtually_sent(edge)),
                true => place.end,
            });
        }
        [start, start.saturating_add(starts.span(child))]
    }

    /// The same on the core of its parent; `None` if it cannot be there.
    fn child_on_core(
        &self,
        task: TaskNumber,
        child: TaskNumber,
        place: &Place,
        core: Core,
    ) -> Option<[u64; 2]> {
        let (view, starts) = (self.view, &self.starts);
        let (graph, host) = (view.graph(), view.host_of(core));
        if !view.can_run(child, host) {
            return None;
        }
        let mut ready = place.end;
        let data = graph.inputs(child).iter().chain(graph.incoming(child));
        for &edge in data.filter(|edge| graph.data(**edge).from != Some(task)) {
            ready = ready.max(starts.arrival(edge, host)?);
        }
        if view.width(task) > 1 || view.width(child) > 1 {
            return self.child_among(child, core, ready);
        }
        let mut before = place.end;
        for &next in &starts.sequences.column(core)[place.at..] {
            let start = ready.max(before);
            let end = start.saturating_add(starts.span_on(child, core, start)?);
            if end <= starts.start(next) {
                return Some([start, end]);
            }
            before = starts.end(next);
        }
        let start = ready.max(before);
        Some([start, start.saturating_add(starts.span_on(child, core, start)?)])
    }
}

impl Place {
    /// The same as a slot.
    fn slot(&self, core: Core) -> TimeSlot {
        let [start, end] = [self.start, self.end].map(SimTime::from_nanos);
        TimeSlot { core, start, end }
    }
}
