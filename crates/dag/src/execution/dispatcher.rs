//! Handle of a scheduler that places tasks as the run goes on.

use std::rc::Rc;

use crate::error::Unlawful;
use crate::execution::lawful;
use crate::execution::run::Run;
use crate::kernel::{Either, SimTime, now, race, settle, timer};
use crate::model::grid::Core;
use crate::planning::plan::SlotReasons;
use crate::planning::view::{Progress, TimeSlot, View};
use crate::platform::HostId;
use crate::workflow::TaskNumber;

/// The verbs of a [`DynamicScheduler`](crate::scheduler::DynamicScheduler).
#[derive(Clone, Debug)]
pub struct Dispatcher(pub(super) Rc<Run>);

impl Dispatcher {
    /// Waits until something has happened: a task ended, or a workflow arrived. False when every
    /// task has ended.
    pub async fn news(&self) -> bool {
        if self.0.is_computed() {
            return false;
        }
        self.0.dispatched.wait().await;
        !self.0.is_computed()
    }

    /// Waits as [`Dispatcher::news`] does, but until an instant after this one at the latest.
    pub async fn news_until(&self, at: SimTime) -> bool {
        match race(self.news(), timer(at.since(now()))).await {
            Either::Left(more) => more,
            Either::Right(()) => {
                settle().await;
                !self.0.is_computed()
            }
        }
    }

    /// The tasks that have no place and whose parents have all ended, by number.
    pub fn ready(&self) -> Vec<TaskNumber> {
        self.0.state.borrow().ready.iter().copied().collect()
    }

    /// The cores of hosts that work, compute nothing and have nothing placed, by number.
    pub fn idle(&self) -> Vec<Core> {
        let state = self.0.state.borrow();
        let works = |core: &&Core| !state.standing.down.contains(&self.0.problem.grid.host_of(**core));
        state.idle.iter().filter(works).copied().collect()
    }

    /// Returns true if a core can have a task: its host can run it, and the data of all parents can
    /// be sent there.
    pub fn can_have(&self, task: TaskNumber, core: Core) -> bool {
        self.0.may_place(task, core).is_ok()
    }

    /// Returns true if a core computes nothing and has nothing placed.
    pub(crate) fn is_idle(&self, core: Core) -> bool {
        self.0.state.borrow().idle.contains(&core)
    }

    /// Number of cores of one host that a task holds.
    pub(crate) fn width(&self, task: TaskNumber) -> u32 {
        self.0.problem.width(task)
    }

    /// The cores at which a place of a task is looked for, as [`View::places`].
    pub(crate) fn places(&self, task: TaskNumber) -> Vec<Core> {
        self.0.problem.places(task).collect()
    }

    /// Number of idle cores of each host; empty if no task asks for several cores.
    pub(crate) fn room(&self) -> Vec<u32> {
        let problem = &self.0.problem;
        if !problem.graph.has_wide_tasks() {
            return Vec::new();
        }
        let mut room = vec![0; problem.grid.hosts().len()];
        for core in self.idle() {
            room[problem.grid.host_of(core).index()] += 1;
        }
        room
    }

    /// The host of a core.
    pub(crate) fn host_of(&self, core: Core) -> HostId {
        self.0.problem.grid.host_of(core)
    }

    /// Returns true if a task could start on a core as soon as its data are there: of a task of
    /// several cores, whether as many of the host are idle.
    pub fn has_room(&self, task: TaskNumber, core: Core) -> bool {
        let grid = &self.0.problem.grid;
        let idle = grid.cores_of(grid.host_of(core)).filter(|core| self.is_idle(*core)).count();
        idle >= self.0.problem.width(task) as usize
    }

    /// Puts a task behind what a core has; its data are sent as soon as its parents have ended. A
    /// task of several cores gets others of the host besides, or those that the number stands for:
    /// idle ones first, then those that have nothing placed and are predicted to end first what
    /// they compute, then the lower.
    ///
    /// # Errors
    /// The task has a place, a parent has none, or the core cannot have it.
    pub fn place(&self, task: TaskNumber, core: Core) -> Result<(), Unlawful> {
        self.0.may_place(task, core)?;
        self.0.place(task, self.0.held(task, core));
        Ok(())
    }

    /// Looks at what a planning scheduler would see.
    pub fn view<R>(&self, look: impl FnOnce(&View<'_>) -> R) -> R {
        let state = self.0.state.borrow();
        let view =
            View::new(&self.0.problem, &state.standing, now(), 0).explaining(self.0.execution.explained);
        let seen = look(&view);
        let reasons = view.reasons();
        drop(view);
        drop(state);
        if let Some(new) = reasons {
            self.note(new);
        }
        seen
    }

    /// Says in a sentence why a task gets its place, if that is to be explained, as
    /// [`View::explain`].
    pub fn explain(&self, task: TaskNumber, why: impl FnOnce() -> String) {
        if self.0.execution.explained == Some(task) {
            self.note(SlotReasons { at: now(), plan: 0, said: vec![why()], choice: None });
        }
    }

    /// Adds to what was said in this instant.
    fn note(&self, new: SlotReasons) {
        let reasons = &mut self.0.state.borrow_mut().reasons;
        match reasons.last_mut().filter(|last| last.at == new.at) {
            Some(last) => {
                last.said.extend(new.said);
                last.choice = new.choice.or(last.choice.take());
            }
            None => reasons.push(new),
        }
    }
}

impl Run {
    /// Returns `Ok` if a core may have a task, by itself.
    ///
    /// # Errors
    /// It has a place, a parent has none, or the host cannot have it.
    pub(super) fn may_place(&self, task: TaskNumber, core: Core) -> Result<(), Unlawful> {
        let (state, problem) = (self.state.borrow(), &self.problem);
        let (graph, grid) = (&problem.graph, &problem.grid);
        let name = |task: TaskNumber| graph.task(task).name.to_string();
        if state.standing.tasks.get(task.index()) != Some(&Progress::Open) {
            let known = task.index() < graph.len();
            return Err(Unlawful::NotOpen(if known { name(task) } else { task.0.to_string() }));
        }
        if !grid.knows(core) {
            return Err(Unlawful::NoCore(name(task), core.0, state.columns.len() as u32));
        }
        if grid.members(core).len() > 1 {
            lawful::check_cores(problem, task, core)?;
        }
        let host = grid.host_of(core);
        let host_name = |host| grid.host(host).name.clone();
        if !problem.can_run(task, host) || state.standing.down.contains(&host) {
            return Err(Unlawful::CannotRun(name(task), host_name(host)));
        }
        for parent in graph.incoming(task).iter().map(|edge| graph.edge(*edge).from) {
            let Some(slot) = state.standing.slot(parent) else {
                return Err(Unlawful::BeforeParent(name(task), name(parent)));
            };
            let from = grid.host_of(slot.core);
            if from != host && grid.pair(from, host).is_none() {
                return Err(Unlawful::Void(name(task), host_name(host), host_name(from), name(parent)));
            }
        }
        Ok(())
    }

    /// The cores that a task holds if it gets this one.
    fn held(&self, task: TaskNumber, core: Core) -> Core {
        let (grid, width) = (&self.problem.grid, self.problem.width(task) as usize);
        if grid.members(core).len() == width {
            return core;
        }
        let state = self.state.borrow();
        let free = |core: Core| {
            let column = &state.columns[core.index()];
            let running = column.running.and_then(|(task, _)| state.standing.slot(task));
            (!column.order.is_empty(), running.map(|slot| slot.end), core)
        };
        let mut others: Vec<Core> =
            grid.cores_of(grid.host_of(core)).filter(|other| *other != core).collect();
        others.sort_by_key(|other| free(*other));
        others.truncate(width.saturating_sub(1));
        others.push(core);
        grid.together(&others)
    }

    /// Puts a task that may be there behind what a core has, or several.
    pub(super) fn place(&self, task: TaskNumber, core: Core) {
        let mut state = self.state.borrow_mut();
        state.standing.tasks[task.index()] = Progress::Kept(TimeSlot { core, start: now(), end: now() });
        state.ready.remove(&task);
        for member in self.problem.grid.members(core) {
            state.idle.remove(&member);
            state.columns[member.index()].order.push_back(task);
        }
        let record = &mut state.records[task.index()];
        (record.core, record.planned) = (Some(core), None);
        state.touched.push(core);
        for edge in self.data_of(task) {
            self.plan_edge(&mut state, edge);
        }
        if state.missing[task.index()] == 0 {
            state.records[task.index()].ready = Some(now());
        }
        drop(state);
        self.news.set();
    }
}
