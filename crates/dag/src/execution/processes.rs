//! The processes of a run: cores that compute, transfers, arrivals, and the one that decides.

use std::rc::Rc;

use tracing::debug;

use crate::collections::OrderedMap;
use crate::error::{CannotPlan, RunFailed};
use crate::execution::links::Links;
use crate::execution::run::Run;
use crate::execution::sending::Observer;
use crate::execution::state::State;
use crate::execution::{
    Attempt, AttemptNumber, DataSource, Dispatcher, ExecutedTask, PlanCause, Replan, failures,
};
use crate::kernel::{Either, Signal, SimDuration, SimTime, hold, now, race, settle, spawn, spawn_daemon};
use crate::model::grid::Core;
use crate::planning::view::{Progress, TimeSlot};
use crate::scheduler::{DynamicScheduler, Switch};
use crate::workflow::{EdgeNumber, TaskNumber};

/// Begins them; inside the simulation.
pub(super) fn begin(run: &Rc<Run>) {
    spawn("execution", decide(Rc::clone(run)));
    begin_scheduler(run);
    spawn_daemon("arrivals", arrive(Rc::clone(run)));
    failures::begin(run);
    if let Links::Timed(_) = run.links {
        spawn_daemon("transfers", carry(Rc::clone(run)));
    }
    begin_clocks(run);
}

/// Begins those of a scheduler that takes over.
pub(super) fn begin_phase(run: &Rc<Run>) {
    begin_scheduler(run);
    begin_clocks(run);
}

/// The process of a scheduler that places tasks as the run goes on.
fn begin_scheduler(run: &Rc<Run>) {
    if let Some(dynamic) = run.present().rule.scheduler.dynamic() {
        spawn_daemon("scheduler", dispatch(Rc::clone(run), dynamic));
    }
}

/// Starts the clocks of the present scheduler.
fn begin_clocks(run: &Rc<Run>) {
    if let Replan::Period(period) = run.present().replan {
        spawn_daemon("period of plans", remind(Rc::clone(run), period));
    }
    if let (Switch::After(span), true) = (run.succession.switch, run.has_successor()) {
        spawn_daemon("switch of schedulers", switch(Rc::clone(run), span));
    }
}

/// Decides when everything of an instant is over: plans, and starts what may start.
async fn decide(run: Rc<Run>) {
    while !run.over.get() {
        run.news.wait().await;
        settle().await;
        run.news.clear();
        let cause = run.cause();
        let planned = match cause {
            _ if run.is_to_switch() => run.take_over(),
            _ if run.is_dynamic() => {
                run.dispatched.set();
                Ok(())
            }
            Some(cause) => run.plan_or_give_up(cause),
            None => Ok(()),
        };
        if let Err(why) = planned {
            return run.fail(why);
        }
        for (core, work) in run.cores_without_process() {
            spawn_daemon(("core", core.0), compute(Rc::clone(&run), core, work));
        }
        for transfer in std::mem::take(&mut run.state.borrow_mut().broken_off) {
            spawn_daemon("transfer to be sent again", failures::send_again(Rc::clone(&run), transfer));
        }
        run.start();
        run.over.set(run.over.get() || run.is_finished());
    }
}

/// The scheduler that places tasks as the run goes on.
async fn dispatch(run: Rc<Run>, dynamic: Rc<dyn DynamicScheduler>) {
    let (scheduler, phase) = (run.present().rule.name.clone(), run.phase.get());
    if phase > 0 {
        // what there is to place when it takes over
        run.dispatched.set();
    }
    let running = dynamic.run(Dispatcher(Rc::clone(&run)));
    let ended = if run.has_successor() {
        match race(replaced(&run, phase), running).await {
            Either::Left(()) => return,
            Either::Right(ended) => ended,
        }
    } else {
        running.await
    };
    match ended {
        Err(why) => run.fail(RunFailed::Unlawful { scheduler, at: now(), why: why.into() }),
        Ok(()) if !run.is_computed() && run.has_successor() => {
            run.state.borrow_mut().is_replaced = true;
            run.news.set();
        }
        Ok(()) if !run.is_computed() => {
            let why = CannotPlan::Own("it ended while tasks have no place".to_owned());
            run.fail(RunFailed::NoPlan { scheduler, at: now(), why });
        }
        Ok(()) => {}
    }
}

/// Lets workflows arrive.
async fn arrive(run: Rc<Run>) {
    let mut arrivals: OrderedMap<SimTime, Vec<usize>> = OrderedMap::new();
    for (place, application) in run.problem.graph.applications().iter().enumerate() {
        arrivals.entry(application.arrival).or_default().push(place);
    }
    for (instant, arrived) in arrivals {
        if instant > now() {
            hold(instant.since(now())).await;
        }
        run.arrive(&arrived);
    }
}

/// Carries transfers whose ends are known when they start.
async fn carry(run: Rc<Run>) {
    if let Links::Timed(timed) = &run.links {
        let arrivals = Observer(Rc::clone(&run));
        timed.carry(&arrivals, &|transfer| run.send(transfer)).await;
    }
}

/// Waits until another scheduler than that of this phase is at work.
async fn replaced(run: &Run, phase: usize) {
    while run.phase.get() == phase {
        run.replaced.wait().await;
    }
}

/// Asks for a plan after each period, as long as the present scheduler is at work.
async fn remind(run: Rc<Run>, period: SimDuration) {
    let phase = run.phase.get();
    loop {
        hold(period).background().await;
        if run.phase.get() != phase {
            return;
        }
        run.state.borrow_mut().since.periods += 1;
        run.news.set();
    }
}

/// Lets the next scheduler take over when the time of the present one is over.
async fn switch(run: Rc<Run>, span: SimDuration) {
    let phase = run.phase.get();
    hold(span).background().await;
    if run.phase.get() == phase {
        run.state.borrow_mut().is_replaced = true;
        run.news.set();
    }
}

/// The process of a core: computes what it is given.
async fn compute(run: Rc<Run>, core: Core, work: Rc<Signal>) {
    let aborted = Rc::clone(&run.state.borrow().columns[core.index()].aborted);
    let grid = &run.problem.grid;
    let may_fail = grid.host(grid.host_of(core)).working.next_change(SimTime::ZERO).is_some();
    loop {
        work.wait().await;
        let running = run.state.borrow().columns[core.index()].running;
        let Some((_, end)) = running else { continue };
        if !may_fail {
            hold(end.since(now())).await;
            run.finish(core);
        } else if let Either::Left(()) = race(hold(end.since(now())), aborted.wait()).await {
            run.finish(core);
        }
    }
}

impl Run {
    /// Cause of a new plan now, if there is one.
    fn cause(&self) -> Option<PlanCause> {
        let mut state = self.state.borrow_mut();
        let arrived = std::mem::take(&mut state.arrived);
        let replan = self.present().replan;
        // tasks that no plan could have get a place as soon as their hosts work
        let is_repair = state.since.failures > 0 && !state.set_aside.is_empty();
        let repair = (replan == Replan::Never && !arrived && is_repair).then_some(PlanCause::Failure);
        // what is planned again for another reason keeps no place as a workflow arrives at the same
        // instant
        let cause = repair.or(replan.cause(&state.since)).or(arrived.then_some(PlanCause::Arrival));
        if cause.is_some() {
            state.since = super::state::Since::default();
        }
        cause
    }

    /// Returns true if every task has ended.
    pub(super) fn is_computed(&self) -> bool {
        let state = self.state.borrow();
        state.finished == state.records.len()
    }

    /// Returns true if every task has ended, and all that is to go home is there.
    pub(super) fn is_finished(&self) -> bool {
        self.is_computed() && self.state.borrow().not_returned == 0
    }
}

impl Run {
    /// Starts a task on its core, or on all cores that it holds.
    pub(super) fn compute(self: &Rc<Self>, task: TaskNumber, core: Core) {
        let problem = &self.problem;
        let (grid, host) = (&problem.grid, problem.grid.host_of(core));
        let (work, speed) = problem.work_and_speed(task, host);
        let end = grid.host(host).availability.finish_at(now(), work, speed);
        let end = end.filter(|end| *end < SimTime::MAX);
        let Some(end) = end else {
            return self.fail(RunFailed::Never(format!("task `{}`", problem.graph.task(task).name)));
        };
        let on = &*problem.grid.host(host).name;
        debug!(at = now().as_secs_f64(), task = &*problem.graph.task(task).name, host = on, "starts");
        let mut state = self.state.borrow_mut();
        let sweep = (state.plans.len() as u64).saturating_sub(1);
        let predicted = problem.predicted_end(task, host, now(), sweep);
        for member in grid.members(core) {
            let column = &mut state.columns[member.index()];
            let place = column.order.iter().position(|planned| *planned == task);
            column.order.remove(place.expect("the core has the task in its order"));
            column.running = Some((task, end));
        }
        // the lowest core has the time for all
        let column = &state.columns[grid.first_of(core).index()];
        let work = Rc::clone(column.work.as_ref().expect("the core has a process"));
        state.standing.tasks[task.index()] =
            Progress::Running(TimeSlot { core, start: now(), end: predicted });
        let place = AttemptNumber(state.begun);
        state.begun += 1;
        let record = &mut state.records[task.index()];
        let earlier = (record.attempts > 0).then_some(record.place);
        record.start = Some(now());
        record.predicted = Some(predicted);
        record.attempts += 1;
        record.place = place;
        if state.log.is_some() {
            self.note_attempt(&mut state, task, core, earlier);
        }
        drop(state);
        work.set();
    }

    /// Notes what a task that starts now begins with: where its data are.
    fn note_attempt(&self, state: &mut State, task: TaskNumber, core: Core, earlier: Option<AttemptNumber>) {
        let (graph, host) = (&self.problem.graph, self.problem.grid.host_of(core));
        let State { log: Some(log), records, standing, transfer_of, transfers, .. } = state else { return };
        let is_there = |parent: TaskNumber| match standing.tasks[parent.index()] {
            Progress::Finished(slot) => self.problem.grid.host_of(slot.core) == host,
            _ => false,
        };
        let source = |edge: &EdgeNumber| {
            let data = graph.data(*edge);
            let is_sent = data.bytes.is_some() && !data.from.is_some_and(is_there);
            let transfer = transfer_of[edge.index()].filter(|number| {
                let record = &transfers[number.index()];
                is_sent && record.to == host && record.end.get().is_some()
            });
            let writer = match transfer {
                Some(number) => log.sent(number.0).writer,
                None => data.from.and_then(|parent| log.last_ended(records[parent.index()].place)),
            };
            DataSource { edge: *edge, writer, transfer: transfer.map(|number| number.0) }
        };
        let sources: Vec<DataSource> =
            graph.inputs(task).iter().chain(graph.incoming(task)).map(source).collect();
        let ExecutedTask { attempts: ordinal, ready, .. } = records[task.index()];
        let attempt = Attempt { task, ordinal, core, ready, start: now(), end: None, lost: None, earlier };
        log.begin(attempt, sources);
    }
}
