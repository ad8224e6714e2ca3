//! The state of a run: what is planned, in progress and over.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use smallvec::SmallVec;
use tracing::{debug, trace};

use crate::error::{RunFailed, Unlawful};
use crate::execution::attempts::AttemptLog;
use crate::execution::lawful::{self, Lawful};
use crate::execution::links::{LinkOrder, Links, Timed, TransferNumber};
use crate::execution::state::{BrokenOff, Column, EdgeSet, State};
use crate::execution::{
    ExecutedTask, Execution, Merge, Outcomes, PlanCause, PlanRecord, Replan, TransferRecord,
};
use crate::kernel::{Outcome, Signal, SimError, SimTime, fail, note_completion, note_over, now};
use crate::model::graph::DataTransfer;
use crate::model::grid::Core;
use crate::model::problem::SchedulingProblem;
use crate::planning::plan::PlannedTask;
use crate::planning::view::{ExecutionState, Progress, TimeSlot, View};
use crate::platform::HostId;
use crate::platform::network::Network;
use crate::scheduler::{NamedScheduler, SchedulerPhase, Succession, Switch};
use crate::workflow::{EdgeNumber, TaskNumber};

/// A run; see the module's essay.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) problem: Rc<SchedulingProblem>,
    pub(super) execution: Execution,
    /// The schedulers, and which of them is at work.
    pub(super) succession: Rc<Succession>,
    pub(super) phase: Cell<usize>,
    pub(super) links: Links,
    pub(super) state: RefCell<State>,
    /// Something has happened that the deciding process looks at.
    pub(super) news: Signal,
    /// Given when a scheduler that places tasks as the run goes on has something to look at.
    pub(super) dispatched: Signal,
    /// Given when another scheduler takes over.
    pub(super) replaced: Signal,
    pub(super) over: Cell<bool>,
}

impl Run {
    /// Begins the processes of a run.
    ///
    /// # Errors
    /// A link that the network model cannot have.
    pub(super) fn begin(
        problem: Rc<SchedulingProblem>,
        rule: &NamedScheduler,
        execution: Execution,
    ) -> Result<Rc<Self>, SimError> {
        let (graph, grid) = (&problem.graph, &problem.grid);
        let links = match &execution.links {
            LinkOrder::Free => Links::Timed(Timed::new(false)),
            LinkOrder::Planned => Links::Timed(Timed::new(true)),
            LinkOrder::Network(transport) => {
                let network = Network::begin(grid.platform(), &**transport);
                let refused = |wrong| SimError::Model {
                    process: "network".into(),
                    at: SimTime::ZERO,
                    error: Box::new(wrong),
                };
                Links::Network(network.map_err(refused)?, RefCell::default())
            }
        };
        let state = State {
            standing: ExecutionState {
                tasks: vec![Progress::Absent; graph.len()],
                current: 0..0,
                ..ExecutionState::all_open(graph)
            },
            columns: grid.cores().map(|_| Column::default()).collect(),
            records: vec![ExecutedTask::default(); graph.len()],
            transfer_of: vec![None; graph.data_count()],
            not_returned: graph.tasks().map(|task| graph.outputs(task).len()).sum(),
            awaited: EdgeSet::none_of(graph.data_count()),
            missing: vec![0; graph.len()],
            log: grid.platform().may_fail().then(AttemptLog::default),
            parents: graph.tasks().map(|task| graph.incoming(task).len() as u32).collect(),
            idle: grid.cores().collect(),
            ..State::default()
        };
        let alone = || {
            let phase =
                SchedulerPhase { rule: rule.clone(), replan: execution.replan, merge: execution.merge };
            Rc::new(Succession { phases: vec![phase], switch: Switch::GivesUp })
        };
        let run = Rc::new(Run {
            succession: rule.scheduler.succession().unwrap_or_else(alone),
            phase: Cell::new(0),
            execution,
            links,
            state: RefCell::new(state),
            news: Signal::new("something to decide"),
            dispatched: Signal::new("something to place"),
            replaced: Signal::new("another scheduler"),
            over: Cell::new(false),
            problem,
        });
        Ok(run)
    }

    /// Outcomes of the run.
    pub(super) fn outcomes(self: Rc<Self>, outcome: &Outcome) -> Outcomes {
        let mut state = self.state.take();
        let grid = &self.problem.grid;
        let place = |task: Option<TaskNumber>| match task {
            Some(task) => state.standing.slot(task).map(|slot| grid.host_of(slot.core)),
            None => self.home(),
        };
        // what an earlier plan wanted to send and a later one does not
        let is_kept = |(number, record): (u32, &TransferRecord)| {
            let ends = self.problem.graph.data(record.edge);
            let is_wanted = place(ends.from) == Some(record.from) && place(ends.to) == Some(record.to);
            let goes = |edge| state.goes_by(edge, TransferNumber(number));
            record.start.get().is_some() || (is_wanted && self.problem.graph.same_data(record.edge).any(goes))
        };
        let kept = (0..).zip(&state.transfers).filter(|one| is_kept(*one));
        let mut order: Vec<TransferNumber> = kept.map(|(number, _)| TransferNumber(number)).collect();
        if let Links::Timed(timed) = &self.links {
            timed.in_turn(&mut order);
        }
        if let Some(log) = &mut state.log {
            log.put_in_order(&order, state.transfers.len());
        }
        if order.len() < state.transfers.len() || !order.is_sorted() {
            state.transfers = order.iter().map(|number| state.transfers[number.index()]).collect();
        }
        Outcomes {
            problem: Rc::clone(&self.problem),
            stopped: state.finished < state.records.len() || state.not_returned > 0,
            tasks: state.records,
            transfers: state.transfers,
            log: state.log,
            plans: state.plans,
            take_overs: state.take_overs,
            reasons: state.reasons,
            ended_at: outcome.ended_at,
            events: outcome.events,
            digest: outcome.digest,
        }
    }

    /// Host where files begin that no task writes, if it is one.
    pub(super) fn home(&self) -> Option<HostId> {
        self.problem.graph.file_rules().home
    }

    /// The cores that have an order and no process yet; each gets what its process waits for.
    pub(super) fn cores_without_process(&self) -> Vec<(Core, Rc<Signal>)> {
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        let is_without = |core: &Core| {
            let column = &state.columns[core.index()];
            column.work.is_none() && !column.order.is_empty()
        };
        let grid = &self.problem.grid;
        let touched = state.touched.iter().flat_map(|core| grid.members(*core));
        let mut cores: Vec<Core> = touched.filter(is_without).collect();
        cores.sort_unstable();
        cores.dedup();
        let begin = |core: Core| {
            let work = Rc::new(Signal::new("a task to compute"));
            state.columns[core.index()].work = Some(Rc::clone(&work));
            (core, work)
        };
        cores.into_iter().map(begin).collect()
    }

    /// Ends the run with an error.
    pub(super) fn fail(&self, why: RunFailed) {
        self.over.set(true);
        fail(why);
    }

    /// The workflows at these places arrive now, and may be scheduled.
    pub(super) fn arrive(&self, arrived: &[usize]) {
        let mut state = self.state.borrow_mut();
        for &place in arrived {
            let workflow = &*self.problem.graph.applications()[place].name;
            trace!(at = now().as_secs_f64(), workflow, "arrives");
            for task in self.problem.graph.applications()[place].tasks() {
                state.standing.current.end = state.standing.current.end.max(task.0 + 1);
                state.standing.tasks[task.index()] = Progress::Open;
                if state.parents[task.index()] == 0 {
                    state.ready.insert(task);
                }
            }
        }
        state.arrived = true;
        drop(state);
        self.news.set();
    }

    /// Asks for a plan of everything that is open, and takes it up.
    ///
    /// # Errors
    /// There is none, or it is unlawful.
    pub(super) fn plan(&self, cause: PlanCause) -> Result<(), RunFailed> {
        let SchedulerPhase { rule: NamedScheduler { name, scheduler }, merge, replan } = self.present();
        let problem = &*self.problem;
        let mut state = self.state.borrow_mut();
        state.leave_ended(&problem.graph);
        let sweep = state.plans.len() as u64;
        // without plans that are made again only what was set aside gets a place
        let keeps = *replan == Replan::Never && cause == PlanCause::Failure;
        if !keeps && (cause != PlanCause::Arrival || *merge == Merge::Interleave) {
            let taken = scheduler.take_back(&View::new(problem, &state.standing, now(), sweep));
            for task in taken {
                if let Progress::Kept(_) = state.standing.tasks[task.index()] {
                    state.standing.tasks[task.index()] = Progress::Open;
                }
            }
        }
        self.open_beyond_reach(&mut state);
        self.set_aside(&mut state);
        let Range { start, end } = state.standing.current;
        let current = &state.standing.tasks[start as usize..end as usize];
        if !current.contains(&Progress::Open) {
            self.wait_for_repair(&mut state);
            return Ok(());
        }
        self.retime(&mut state);
        let look = || View::new(problem, &state.standing, now(), sweep).explaining(self.execution.explained);
        let mut view = look().avoiding_failed_links();
        let mut plan = scheduler.plan(&view);
        if plan.is_err() && !state.standing.links_down.is_empty() {
            // then with transfers that wait for a repair
            view = look();
            plan = scheduler.plan(&view);
        }
        let refused = |why| RunFailed::NoPlan { scheduler: name.clone(), at: now(), why };
        if let (Err(why), true) = (&plan, self.would_plan(&state)) {
            drop(view);
            self.lay_aside_all(&mut state, why.clone());
            self.wait_for_repair(&mut state);
            return Ok(());
        }
        let plan = plan.map_err(refused)?;
        let unlawful =
            |why: Unlawful| RunFailed::Unlawful { scheduler: name.clone(), at: now(), why: why.into() };
        let Lawful { assignments, order } = lawful::check(problem, &state.standing, &plan, &|edge, host| {
            state.was_sent(&problem.graph, edge, host)
        })
        .map_err(unlawful)?;
        let moved =
            |new: &&PlannedTask| state.records[new.task.index()].core.is_some_and(|old| old != new.core);
        let record = PlanRecord {
            at: now(),
            cause,
            tasks: plan.assignments.len() as u64,
            moved: plan.assignments.iter().filter(moved).count() as u64,
            end: plan.end(),
            bound: plan.bound,
            lengthened: plan.lengthened,
            questions: view.questions(),
            looked_at: view.looked_at(),
        };
        let reasons = view.reasons();
        state.plans.push(record);
        // one that is made as a task has ended follows a completion, or a failure that counts
        if matches!(cause, PlanCause::Period | PlanCause::Failure) {
            self.completes_nothing(&state);
        }
        state.reasons.extend(reasons);
        self.take_up(&mut state, &assignments, &order, plan.transfers.as_deref());
        state.give_back();
        Ok(())
    }

    /// Lets cores and links have the orders of a plan.
    pub(super) fn take_up(
        &self,
        state: &mut State,
        assignments: &[PlannedTask],
        order: &[TaskNumber],
        transfers: Option<&[EdgeNumber]>,
    ) {
        let graph = &self.problem.graph;
        self.take_back_transfers(state);
        state.columns.iter_mut().for_each(|column| column.order.clear());
        for &PlannedTask { task, core, start, end } in assignments {
            state.standing.tasks[task.index()] = Progress::Kept(TimeSlot { core, start, end });
            let record = &mut state.records[task.index()];
            let host = |core| self.problem.grid.host_of(core);
            if record.core.is_some_and(|before| host(before) != host(core)) {
                record.ready = None;
            }
            record.core = Some(core);
            record.planned = Some((start, end));
            for member in self.problem.grid.members(core) {
                state.columns[member.index()].order.push_back(task);
            }
            state.touched.push(core);
        }
        // links carry in the order in which parents end, inputs first, unless the plan has an order
        // of its own; then what it does not name is for tasks that keep their places, and keeps its
        // order
        let mut rank = vec![0_u32; graph.len()];
        for (place, task) in order.iter().enumerate() {
            rank[task.index()] = place as u32 + 1;
        }
        let of = |task: Option<TaskNumber>| task.map_or(0, |task| rank[task.index()]);
        let all = assignments.iter().flat_map(|planned| self.data_of(planned.task));
        let mut edges: Vec<(u32, u32, EdgeNumber)> = all
            .map(|edge| match graph.data(edge) {
                DataTransfer { from: None, to, .. } => (0, of(to), edge),
                DataTransfer { from, .. } => (of(from), 0, edge),
            })
            .collect();
        if let Some(own) = transfers {
            let mut place = vec![0_u32; graph.data_count()];
            for (number, edge) in (1..).zip(state.link_order.iter().chain(own)) {
                place[edge.index()] = number;
            }
            // files that go home are in no plan: they follow
            let of = |edge: EdgeNumber| graph.data(edge).to.map_or(u32::MAX, |_| place[edge.index()]);
            edges.iter_mut().for_each(|(rank, _, edge)| *rank = of(*edge));
        }
        edges.sort_unstable();
        state.link_order = edges.iter().map(|(.., edge)| *edge).collect();
        if state.transfers.is_empty() {
            // most plans are the only one: then there is as much room as they need
            let host = |task: Option<TaskNumber>| match task {
                Some(task) => state.standing.slot(task).map(|slot| self.problem.grid.host_of(slot.core)),
                None => self.home(),
            };
            let is_sent = |(_, _, edge): &&(u32, u32, EdgeNumber)| {
                let data = graph.data(*edge);
                data.bytes.is_some() && host(data.from) != host(data.to)
            };
            let count = edges.iter().filter(is_sent).count();
            state.transfers.reserve_exact(count);
            if let Links::Timed(timed) = &self.links {
                timed.expect(count);
            }
        }
        for (_, _, edge) in edges {
            self.plan_edge(state, edge);
        }
        // what tasks have written, or are about to, still goes home
        for task in
            state.standing.current.clone().map(TaskNumber).filter(|_| graph.file_rules().return_outputs)
        {
            if let Progress::Running(_) | Progress::Finished(_) = state.standing.tasks[task.index()] {
                for &edge in graph.outputs(task) {
                    self.plan_edge(state, edge);
                }
            }
        }
        for planned in assignments.iter().filter(|planned| state.missing[planned.task.index()] == 0) {
            let ready = &mut state.records[planned.task.index()].ready;
            *ready = ready.or(Some(now()));
        }
    }

    /// Ends the task that a core computes, on all cores that it held.
    pub(super) fn finish(&self, core: Core) {
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        let (task, _) = state.columns[core.index()].running.expect("the core computes something");
        let core = state.standing.slot(task).map_or(core, |slot| slot.core);
        for member in self.problem.grid.members(core) {
            state.columns[member.index()].running = None;
        }
        let record = &mut state.records[task.index()];
        record.end = Some(now());
        let (start, predicted) =
            (record.start.expect("it has started"), record.predicted.expect("it has started"));
        let place = record.place;
        state.standing.tasks[task.index()] = Progress::Finished(TimeSlot { core, start, end: now() });
        // what is computed again and again does not bring the run further
        let mut is_new = true;
        if let Some(log) = &mut state.log {
            is_new = !log.has_ended_before(place);
            log.end(place, now());
            state.gone.remove(&task);
        }
        if is_new {
            note_completion();
            state.fruitless = BrokenOff { since: now(), ..BrokenOff::default() };
        }
        state.finished += 1;
        note_over(1);
        debug!(at = now().as_secs_f64(), task = &*self.problem.graph.task(task).name, "ends");
        state.since.completions += 1;
        state.under_present += 1;
        state.since.deviations += u64::from(self.present().replan.deviates(start, predicted, now()));
        state.touched.push(core);
        let graph = &self.problem.graph;
        let host = self.problem.grid.host_of(core);
        for member in self.problem.grid.members(core) {
            if state.columns[member.index()].order.is_empty() {
                state.idle.insert(member);
            }
        }
        for &edge in graph.outgoing(task) {
            let dependence = graph.edge(edge);
            state.parents[dependence.to.index()] -= 1;
            if state.parents[dependence.to.index()] == 0
                && state.standing.tasks[dependence.to.index()] == Progress::Open
            {
                state.ready.insert(dependence.to);
            }
            let Progress::Kept(slot) = state.standing.tasks[dependence.to.index()] else { continue };
            if !state.awaited.has(edge) {
                // it has what an earlier attempt wrote
                continue;
            }
            if dependence.bytes.is_none() || self.problem.grid.host_of(slot.core) == host {
                state.delivered(edge, dependence.to, slot.core);
            } else if let Some(transfer) = state.transfer_of[edge.index()] {
                Self::is_ready(state, transfer);
            } else {
                // a failure undid what was planned
                self.plan_edge(state, edge);
            }
        }
        for &edge in graph.outputs(task) {
            match state.transfer_of[edge.index()] {
                _ if self.home() == Some(host) => state.is_home(edge),
                Some(transfer) if !state.returned.contains(&edge) => Self::is_ready(state, transfer),
                None if self.home().is_some() && !state.returned.contains(&edge) => {
                    self.plan_edge(state, edge);
                }
                _ => {}
            }
        }
        drop(guard);
        self.news.set();
    }

    /// Starts everything that may start: transfers by edge, then tasks by number.
    pub(super) fn start(self: &Rc<Self>) {
        if let Links::Timed(timed) = &self.links {
            timed.freed().into_iter().for_each(|transfer| self.send(transfer));
        }
        let mut guard = self.state.borrow_mut();
        let state = &mut *guard;
        if !state.sendable.is_empty() {
            let mut sendable = std::mem::take(&mut state.sendable);
            if state.standing.has_failures() {
                (sendable, state.sendable) = self.sendable_now(state, sendable);
            }
            sendable.sort_unstable_by_key(|transfer| state.transfers[transfer.index()].edge);
            drop(guard);
            self.send_all(sendable);
            guard = self.state.borrow_mut();
        }
        let touched = std::mem::take(&mut guard.touched);
        drop(guard);
        // where a core takes what is behind a task of several cores, another of these may have
        // begun something in this same pass
        let is_repeated = self.execution.work_conserving && self.problem.graph.has_wide_tasks();
        while self.start_on(&touched) && is_repeated && !self.over.get() {}
        let mut state = self.state.borrow_mut();
        if state.touched.is_empty() {
            state.touched = touched;
            state.touched.clear();
        }
    }

    /// Starts what may start on these cores; returns true if something did.
    fn start_on(self: &Rc<Self>, touched: &[Core]) -> bool {
        let state = self.state.borrow();
        let grid = &self.problem.grid;
        let works = |core: &Core| !state.standing.down.contains(&grid.host_of(*core));
        let next = |core: Core| state.next(grid, core, self.execution.work_conserving);
        let touched = touched.iter().flat_map(|core| grid.members(*core));
        let mut startable: SmallVec<[(TaskNumber, Core); 4]> =
            touched.filter(works).filter_map(next).collect();
        startable.sort_unstable();
        startable.dedup();
        drop(state);
        for &(task, core) in &startable {
            self.compute(task, core);
        }
        !startable.is_empty()
    }

    /// Sends these transfers, as far as their links carry them now.
    fn send_all(self: &Rc<Self>, sendable: Vec<TransferNumber>) {
        for transfer in sendable {
            let cargo = self.state.borrow().cargo(transfer);
            if let Links::Timed(timed) = &self.links
                && !timed.ready(cargo)
            {
                continue;
            }
            self.send(transfer);
        }
    }
}
