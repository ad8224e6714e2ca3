//! The optimum of small problems, by branch and bound, depth first.
//!
//! A step appends a task whose parents have places to a core, at the earliest. Every schedule in
//! which no task can start earlier is met so, by the steps in the order of its starts; so the best
//! that is met is the optimum where transfers have links to themselves and hosts are as fast at one
//! time as at another, and otherwise the best of those that append. The search begins with the plan
//! of HEFT.
//!
//! A task of several cores has one place on each host: the lowest of the cores that are free when
//! as many are. By the steps in the order of starts no other choice of cores leads to a shorter
//! plan: what starts later meets as many free cores at each instant.
//!
//! A step is left out if what it leads to cannot be shorter than the best plan known: by the least
//! times of the longest chain from it on, by the chain from any other task that is ready, or by the
//! work left over all cores. Of hosts that are alike and unused only the first is tried. Schedules
//! that are met again, by steps in another order, are looked at once.
//!
//! The search ends after so many steps, never by the clock. The plan says what no plan is shorter
//! than ([`TaskPlan::bound`]); if that is its own end, it is the optimum.

use crate::collections::OrderedSet;
use crate::error::CannotPlan;
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::Core;
use crate::output::number::{grouped, plain};
use crate::planning::assumption::Assumption;
use crate::planning::plan::TaskPlan;
use crate::planning::ranks::missing_parents;
use crate::planning::view::{TimeSlot, View};
use crate::platform::HostId;
use crate::registry::{Entry, Key, Kind};
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::{Heft, Scheduler};
use crate::workflow::TaskNumber;

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::new(
    "optimal",
    "the shortest plan there is, by branch and bound; for graphs of some 15 tasks",
    &[Key::new("nodes", Kind::Count { least: 1, most: 1 << 40 })
        .or_count(10_000_000)
        .about("steps of the search after which the best plan so far is taken")],
    |params| Ok(Box::new(Optimal { nodes: params.read("nodes")? })),
);

/// Schedules that were met and are kept \[count\]; those met later are looked at again.
const MOST_MET: usize = 4_000_000;
/// Hosts among which those that are alike are looked for.
const MOST_COMPARED: usize = 64;

/// Branch and bound.
#[derive(Clone, Copy, Debug)]
pub struct Optimal {
    /// Steps of the search after which the best plan so far is taken.
    pub nodes: u64,
}

impl Scheduler for Optimal {
    fn assumptions(&self) -> &[Assumption] {
        &[Assumption::ContentionFree]
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let first = Heft.plan(view);
        let mut search = Branches::new(view, self.nodes, first.as_ref().map_or(SimTime::MAX, TaskPlan::end));
        let bound = search.run();
        let plan = match search.best.take() {
            None if first.is_err() && search.nodes == 0 => {
                return Err(CannotPlan::Own(format!("no plan was found in {} steps", self.nodes)));
            }
            None => first?,
            Some(steps) => {
                // what HEFT said is of another plan
                drop(view.reasons());
                let mut schedule = PartialSchedule::new(view);
                steps.into_iter().for_each(|(task, slot)| schedule.place(task, slot));
                schedule.into_plan()
            }
        };
        view.count(search.looked_at);
        let (steps, bound, end) = (grouped(search.nodes), bound.min(plan.end()), plan.end());
        for task in view.open() {
            view.explain(task, || {
                if bound == end {
                    format!("No plan is shorter than this one: {steps} steps of the search were looked at")
                } else {
                    let bound = plain(bound.as_secs_f64());
                    format!("The plan is the shortest found in {steps} steps; none ends before {bound} s")
                }
            });
        }
        Ok(TaskPlan { bound: Some(bound), ..plan })
    }
}

/// A step that may follow, and what no plan that follows from it is shorter than.
#[derive(Clone, Copy, Debug)]
struct Step {
    bound: SimTime,
    task: TaskNumber,
    slot: TimeSlot,
}

/// The steps that follow one another: the last is the one to be tried next.
type Level = Vec<Step>;

struct Branches<'v> {
    view: &'v View<'v>,
    schedule: PartialSchedule<'v>,
    /// Of each task: least nanoseconds from its start to the end of the longest chain from it on.
    behind: Vec<u64>,
    /// Of each task: its least nanoseconds.
    least: Vec<u64>,
    missing: Vec<u32>,
    ready: OrderedSet<TaskNumber>,
    /// The steps that led here.
    steps: Vec<(TaskNumber, TimeSlot)>,
    /// Least nanoseconds of all tasks without a place.
    work_left: u64,
    /// Of each host: the first of those that are like it.
    alike: Vec<HostId>,
    met: OrderedSet<u128>,
    /// A number for the schedule that led here.
    state: u128,
    /// The end of the best plan known, and the steps to it if they were met here.
    end: SimTime,
    best: Option<Vec<(TaskNumber, TimeSlot)>>,
    looked_at: u64,
    nodes: u64,
}

impl<'v> Branches<'v> {
    fn new(view: &'v View<'v>, nodes: u64, end: SimTime) -> Self {
        let graph = view.graph();
        let least = |task| {
            let spans = view.hosts().filter_map(|host| view.execution(task, host, view.now()));
            spans.min().map_or(0, SimDuration::as_nanos)
        };
        // of hosts whose speed changes only the bound by full availability holds
        let at_best = |task| {
            let spans = view.hosts().map(|host| view.problem().span(task, host, 1.0));
            spans.min().unwrap_or(SimDuration::MAX).as_nanos()
        };
        let is_right = view.problem().prediction.error.is_none();
        let of = |task| match view.is_open(task) {
            true if view.is_steady() => least(task),
            true if is_right => at_best(task),
            _ => 0,
        };
        let least: Vec<u64> = graph.tasks().map(of).collect();
        let mut behind = vec![0_u64; graph.len()];
        for &task in graph.order().iter().rev() {
            let below = graph.outgoing(task).iter().map(|edge| behind[graph.edge(*edge).to.index()]);
            behind[task.index()] = least[task.index()].saturating_add(below.max().unwrap_or(0));
        }
        let missing = missing_parents(view, |task| view.is_open(task));
        let ready = view.open().filter(|task| missing[task.index()] == 0).collect();
        let mut search = Branches {
            schedule: PartialSchedule::new(view),
            work_left: 0,
            alike: alike(view),
            met: OrderedSet::new(),
            state: 0,
            steps: Vec::new(),
            best: None,
            looked_at: 0,
            view,
            behind,
            least,
            missing,
            ready,
            end,
            nodes,
        };
        search.work_left = view.open().fold(0, |sum, task| sum.saturating_add(search.work(task)));
        search
    }

    /// Searches, and gives what no plan is shorter than.
    fn run(&mut self) -> SimTime {
        let mut levels: Vec<Level> = vec![self.next_steps()];
        while let Some(level) = levels.last_mut() {
            let Some(step) = level.pop() else {
                levels.pop();
                self.back();
                continue;
            };
            if step.bound >= self.end {
                continue;
            }
            if self.nodes == 0 {
                level.push(step);
                break;
            }
            self.nodes -= 1;
            self.forward(&step);
            if self.met.contains(&self.state) {
                self.back();
                continue;
            }
            if self.met.len() < MOST_MET {
                self.met.insert(self.state);
            }
            if self.ready.is_empty() {
                self.end = self.steps.iter().map(|(_, slot)| slot.end).max().unwrap_or_default();
                self.best = Some(self.steps.clone());
                self.back();
                continue;
            }
            let next = self.next_steps();
            levels.push(next);
        }
        // of what was not searched the least may be the optimum
        let left = levels.iter().flatten().map(|step| step.bound).min();
        left.map_or(self.end, |left| left.min(self.end))
    }

    /// The steps that may lead to a shorter plan, the most promising last.
    fn next_steps(&mut self) -> Level {
        let view = self.view;
        let mut steps = Vec::new();
        // what every plan from here on has to wait for
        let busy: u128 = view.cores().map(|core| u128::from(self.schedule.tail(core).as_nanos())).sum();
        let mut all = self.by_work(busy);
        for task in self.ready.clone() {
            let mut earliest = SimTime::MAX;
            let width = view.width(task);
            for core in view.places(task) {
                if !self.is_first_alike(core, width) {
                    continue;
                }
                let Some(slot) = self.schedule.earliest(task, core, Search::Tail) else { continue };
                self.looked_at += 1;
                let below = self.behind[task.index()] - self.least[task.index()];
                let bound = slot.end.saturating_add(SimDuration::from_nanos(below));
                earliest = earliest.min(bound);
                let longer = |core| u128::from(slot.end.since(self.schedule.tail(core)).as_nanos());
                let longer: u128 = view.members(slot.core).map(longer).sum();
                let shorter = u128::from(self.work(task));
                let bound = bound.max(self.by_work(busy + longer - longer.min(shorter)));
                if bound < self.end {
                    steps.push(Step { bound, task, slot });
                }
            }
            all = all.max(earliest);
        }
        if all >= self.end {
            return Vec::new();
        }
        for step in &mut steps {
            step.bound = step.bound.max(all);
        }
        steps.sort_by_key(|step| {
            std::cmp::Reverse((step.bound, step.slot.end, step.task, view.place_of(step.slot.core)))
        });
        steps
    }

    /// Instant at which all work would be done if all cores shared what is left, being busy for
    /// `busy` nanoseconds in all.
    fn by_work(&self, busy: u128) -> SimTime {
        let all = busy + u128::from(self.work_left);
        let count = self.view.cores().len().max(1) as u128;
        SimTime::from_nanos(u64::try_from(all.div_ceil(count)).unwrap_or(u64::MAX))
    }

    /// The least nanoseconds of cores that a task takes.
    fn work(&self, task: TaskNumber) -> u64 {
        self.least[task.index()].saturating_mul(u64::from(self.view.width(task)))
    }

    /// Returns true if no unused core before this one is like it; for a task of several cores, no
    /// unused host.
    fn is_first_alike(&self, core: Core, width: u32) -> bool {
        if !self.schedule.is_unused(core) && width == 1 {
            return true;
        }
        let view = self.view;
        let host = view.host_of(core);
        let is_unused = |host| view.cores_of(host).all(|core| self.schedule.is_unused(core));
        let first = view.cores_of(host).find(|core| self.schedule.is_unused(*core));
        if first != Some(core) && width == 1 {
            return false;
        }
        let alike = self.alike[host.index()];
        let before = (alike.index()..host.index()).map(|host| HostId::new(host as u32));
        !is_unused(host) || !before.filter(|host| self.alike[host.index()] == alike).any(is_unused)
    }

    fn forward(&mut self, step: &Step) {
        let &Step { task, slot, .. } = step;
        self.schedule.place(task, slot);
        self.steps.push((task, slot));
        self.state ^= number(task, slot);
        self.work_left -= self.work(task);
        self.ready.remove(&task);
        let graph = self.view.graph();
        for child in graph.outgoing(task).iter().map(|edge| graph.edge(*edge).to) {
            self.missing[child.index()] -= 1;
            if self.missing[child.index()] == 0 && self.view.is_open(child) {
                self.ready.insert(child);
            }
        }
    }

    /// Takes the last step back.
    fn back(&mut self) {
        let Some((task, slot)) = self.steps.pop() else { return };
        self.schedule.take_back(task);
        self.state ^= number(task, slot);
        self.work_left += self.work(task);
        let graph = self.view.graph();
        for child in graph.outgoing(task).iter().map(|edge| graph.edge(*edge).to) {
            self.missing[child.index()] += 1;
            self.ready.remove(&child);
        }
        self.ready.insert(task);
    }
}

/// A number for a task in a slot; those of a set, combined by exclusive or, stand for the set.
fn number(task: TaskNumber, slot: TimeSlot) -> u128 {
    // the finalizer of SplitMix64
    let mix = |mut bits: u64| {
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    };
    let place = u64::from(task.0) << 32 | u64::from(slot.core.0);
    let half = |seed: u64| mix(mix(place.wrapping_add(seed)) ^ slot.end.as_nanos().wrapping_add(seed));
    u128::from(half(0x9e37_79b9_7f4a_7c15)) << 64 | u128::from(half(0x3c6e_f372_fe94_f82a))
}

/// The first host that each is like: that computes every task as long, and from and to which
/// everything takes as long.
fn alike(view: &View<'_>) -> Vec<HostId> {
    let mut first: Vec<HostId> = view.hosts().collect();
    let problem = view.problem();
    let is_plain = view.is_steady() && view.has_steady_links() && problem.prediction.error.is_none();
    if !is_plain || first.len() > MOST_COMPARED || view.sweep() > 0 {
        return first;
    }
    let pair = |from, to| problem.grid.pair(from, to);
    let is_like = |one: HostId, other: HostId| {
        view.cores_of(one).len() == view.cores_of(other).len()
            && pair(one, other) == pair(other, one)
            && view
                .open()
                .all(|task| view.execution(task, one, view.now()) == view.execution(task, other, view.now()))
            && view
                .hosts()
                .filter(|host| *host != one && *host != other)
                .all(|host| pair(one, host) == pair(other, host) && pair(host, one) == pair(host, other))
    };
    for host in view.hosts() {
        let representatives = view.hosts().take(host.index()).filter(|other| first[other.index()] == *other);
        if let Some(other) = representatives.into_iter().find(|other| is_like(*other, host)) {
            first[host.index()] = other;
        }
    }
    first
}
