//! Rules in plain forms, which look at everything each time, against those that keep what they have
//! found.

use std::cmp::Reverse;

use proptest::prelude::*;

use crate::CannotPlan;
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::Core;
use crate::planning::plan::TaskPlan;
use crate::planning::ranks::{
    ByRank, Data, Ordered, children_now_ready, mean_executions, open_parents, upward,
};
use crate::planning::view::{ExecutionState, Progress, TimeSlot, View};
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::dls::{Behind, median, static_levels};
use crate::scheduler::tests::{Like, contention, problem, rules, stream_of, width};
use crate::scheduler::{Batch, Dls, DlsDagsim, LookaheadHeft, ReadyWhen, Scheduler};
use crate::tests::scheduler;
use crate::workflow::TaskNumber;

/// Places the pair of a ready task and a core of the least key next, all looked at each time.
fn plain<K: Ord>(
    mut schedule: PartialSchedule<'_>,
    key: impl Fn(TaskNumber, TimeSlot) -> K,
) -> Result<TaskPlan, CannotPlan> {
    let view = schedule.view();
    let mut missing = open_parents(view);
    let mut ready: Vec<TaskNumber> = view.open().filter(|task| missing[task.index()] == 0).collect();
    while !ready.is_empty() {
        let mut best: Option<(K, TaskNumber, TimeSlot)> = None;
        ready.sort_unstable();
        for &task in &ready {
            let mut any = false;
            for core in view.places(task) {
                let Some(slot) = schedule.earliest(task, core, Search::Tail) else { continue };
                any = true;
                let own = key(task, slot);
                if best.as_ref().is_none_or(|(least, ..)| own < *least) {
                    best = Some((own, task, slot));
                }
            }
            if !any {
                return Err(schedule.no_host(task));
            }
        }
        let (_, task, slot) = best.expect("some task is ready");
        schedule.place(task, slot);
        ready.retain(|other| *other != task);
        ready.extend(children_now_ready(view, &mut missing, task));
    }
    Ok(schedule.into_plan())
}

/// Places the ready task of the least key next, where it ends first; the key is of its best and its
/// second best end.
fn plain_by_ends<K: Ord>(
    mut schedule: PartialSchedule<'_>,
    key: impl Fn(SimTime, Option<SimTime>) -> K,
) -> Result<TaskPlan, CannotPlan> {
    let view = schedule.view();
    let mut missing = open_parents(view);
    let mut ready: Vec<TaskNumber> = view.open().filter(|task| missing[task.index()] == 0).collect();
    while !ready.is_empty() {
        let mut best: Option<(K, TaskNumber, TimeSlot)> = None;
        ready.sort_unstable();
        for &task in &ready {
            let slots = view.places(task).filter_map(|core| schedule.earliest(task, core, Search::Tail));
            let mut slots: Vec<TimeSlot> = slots.collect();
            slots.sort_by_key(|slot| (slot.end, view.place_of(slot.core)));
            let Some(first) = slots.first() else {
                return Err(schedule.no_host(task));
            };
            let own = key(first.end, slots.get(1).map(|second| second.end));
            if best.as_ref().is_none_or(|(least, ..)| own < *least) {
                best = Some((own, task, *first));
            }
        }
        let (_, task, slot) = best.expect("some task is ready");
        schedule.place(task, slot);
        ready.retain(|other| *other != task);
        ready.extend(children_now_ready(view, &mut missing, task));
    }
    Ok(schedule.into_plan())
}

/// The slot in which a task ends first.
fn first_end(schedule: &mut PartialSchedule<'_>, task: TaskNumber) -> Option<TimeSlot> {
    let view = schedule.view();
    let slots = view.places(task).filter_map(|core| schedule.earliest(task, core, Search::Gaps));
    slots.min_by_key(|slot| (slot.end, view.place_of(slot.core)))
}

/// HEFT's order, each task where the last of its children would end first, all of them placed for a
/// trial on every core.
fn plain_lookahead(view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
    let rank = upward(view, &mean_executions(view), Data::Counts);
    let mut schedule = PartialSchedule::new(view);
    for task in ByRank::new(view, rank.clone()) {
        let graph = view.graph();
        let mut children: Vec<TaskNumber> =
            graph.outgoing(task).iter().map(|edge| graph.edge(*edge).to).collect();
        children.sort_by_key(|child| (Reverse(Ordered(rank[child.index()])), *child));
        let mut best: Option<(SimTime, SimTime, Core, TimeSlot)> = None;
        for core in view.places(task) {
            let Some(slot) = schedule.earliest(task, core, Search::Gaps) else { continue };
            schedule.place(task, slot);
            let mut placed = Vec::new();
            let mut last = if children.is_empty() { slot.end } else { SimTime::ZERO };
            for &child in &children {
                let Some(own) = first_end(&mut schedule, child) else {
                    last = SimTime::MAX;
                    break;
                };
                schedule.place(child, own);
                placed.push(child);
                last = last.max(own.end);
            }
            placed.into_iter().for_each(|child| schedule.take_back(child));
            schedule.take_back(task);
            if best.is_none_or(|(least, end, ..)| (last, slot.end) < (least, end)) {
                best = Some((last, slot.end, core, slot));
            }
        }
        let (.., slot) = best.ok_or_else(|| schedule.no_host(task))?;
        schedule.place(task, slot);
    }
    Ok(schedule.into_plan())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn what_is_looked_at_again_gives_the_plan_of_looking_at_everything(
        seed: u64, tasks in 1_u64..25, changes: bool, void: bool, wrong: bool, queued: bool, wide: bool,
    ) {
        let like = Like { tasks, hosts: 5, changes, void, wrong, width: width(wide), contention: contention(queued) };
        let problem = problem(seed, like);
        let standing = ExecutionState::all_open(&problem.graph);
        let view = View::new(&problem, &standing, SimTime::ZERO, 0);
        let medians: Vec<u64> = problem.graph.tasks().map(|task| median(&view, task)).collect();
        let levels = static_levels(&view, &medians);
        let level = |task: TaskNumber| levels[task.index()] + medians[task.index()];
        prop_assert_eq!(
            Dls.plan(&view),
            plain(PartialSchedule::new(&view), |task, slot| (Behind::new(level(task), slot), task, view.place_of(slot.core)))
        );
        let speed = view.virtual_speed();
        let span = |task| SimDuration::ceil_secs(view.nominal_seconds(task) / speed).as_nanos();
        let spans: Vec<u64> = problem.graph.tasks().map(span).collect();
        let levels = static_levels(&view, &spans);
        prop_assert_eq!(
            DlsDagsim { constant: 1.0, ready: ReadyWhen::Placed }.plan(&view),
            plain(PartialSchedule::queued(&view), |task, slot| {
                (Behind::new(levels[task.index()], slot), task, view.place_of(slot.core))
            })
        );
        prop_assert_eq!(
            Batch::MinMin.plan(&view),
            plain(PartialSchedule::new(&view), |task, slot| (slot.end, task, view.place_of(slot.core)))
        );
        prop_assert_eq!(
            Batch::MaxMin.plan(&view),
            plain_by_ends(PartialSchedule::new(&view), |best, _| Reverse(best))
        );
        prop_assert_eq!(
            Batch::Sufferage.plan(&view),
            plain_by_ends(PartialSchedule::new(&view), |best, second| Reverse(second.map_or(SimDuration::MAX, |second| second.since(best))))
        );
        let level = upward(&view, &mean_executions(&view), Data::Ignored);
        prop_assert_eq!(
            Batch::Etf.plan(&view),
            plain(PartialSchedule::new(&view), |task, slot| {
                (slot.start, Reverse(Ordered(level[task.index()])), task, view.place_of(slot.core))
            })
        );
    }

    #[test]
    fn a_trial_that_is_broken_off_loses(
        seed: u64, tasks in 1_u64..25, changes: bool, void: bool, wrong: bool, wide: bool,
    ) {
        let like = Like { tasks, hosts: 5, changes, void, wrong, width: width(wide), ..Like::default() };
        let problem = problem(seed, like);
        let standing = ExecutionState::all_open(&problem.graph);
        let view = View::new(&problem, &standing, SimTime::ZERO, 0);
        prop_assert_eq!(LookaheadHeft.plan(&view), plain_lookahead(&view));
    }

    #[test]
    fn a_workflow_that_has_ended_changes_no_plan(
        seed: u64, tasks in 1_u64..16, changes: bool, wrong: bool, queued: bool,
    ) {
        let contention = contention(queued);
        let like = Like { tasks, hosts: 5, changes, wrong, contention, ..Like::default() };
        // those that draw or have no plan, and the search that takes long
        let rules = rules().filter(|name| !["self-scheduling", "optimal"].contains(name));
        for name in rules {
            let problem = stream_of(seed, &[0, 9], like);
            let [first, second] = [0, 1].map(|place| problem.graph.applications()[place].tasks());
            let mut standing = ExecutionState::all_open(&problem.graph);
            for (at, task) in (0..).map(SimTime::from_nanos).zip(first) {
                standing.tasks[task.index()] =
                    Progress::Finished(TimeSlot { core: Core(0), start: at, end: at });
            }
            let now = SimTime::from_nanos(9_000_000_000);
            let rule = scheduler(name);
            let all = rule.plan(&View::new(&problem, &standing, now, 0));
            standing.current.start = second.clone().next().expect("a workflow has tasks").0;
            prop_assert_eq!(rule.plan(&View::new(&problem, &standing, now, 0)), all, "{}", name);
        }
    }
}

#[test]
fn a_rule_keeps_what_it_has_found() {
    // 40 tasks without edges on 5 hosts: each is looked at on all, and then only where something
    // was placed
    let like = Like { tasks: 40, hosts: 5, ..Like::default() };
    let problem = problem(11, like);
    let (tasks, cores) = (problem.graph.len() as u64, problem.grid.cores().len() as u64);
    let standing = ExecutionState::all_open(&problem.graph);
    let view = View::new(&problem, &standing, SimTime::ZERO, 0);
    Batch::MinMin.plan(&view).expect("there is a plan");
    assert!(view.looked_at() < tasks * tasks * cores / 4, "{} of {tasks} and {cores}", view.looked_at());
}
