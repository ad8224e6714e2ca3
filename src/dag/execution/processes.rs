//! The processes of a run: cores that compute, transfers, arrivals, and the one that decides.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::dag::error::{CannotPlan, RunFailed};
use crate::dag::execution::links::Links;
use crate::dag::execution::run::Run;
use crate::dag::execution::sending::Observer;
use crate::dag::execution::{Dispatcher, PlanCause, Replan, failures};
use crate::dag::grid::Core;
use crate::dag::scheduler::DynamicScheduler;
use crate::kernel::{Either, Signal, SimTime, hold, now, race, settle, spawn, spawn_daemon};

/// Begins them; inside the simulation.
pub(super) fn begin(run: &Rc<Run>) {
    spawn("execution", decide(Rc::clone(run)));
    if let Some(dynamic) = run.scheduler.1.dynamic() {
        spawn_daemon("scheduler", dispatch(Rc::clone(run), dynamic));
    }
    spawn_daemon("arrivals", arrive(Rc::clone(run)));
    failures::begin(run);
    if let Links::Timed(_) = run.links {
        spawn_daemon("transfers", carry(Rc::clone(run)));
    }
    if let Replan::Period(_) = run.execution.replan {
        spawn_daemon("period of plans", remind(Rc::clone(run)));
    }
}

/// Decides when everything of an instant is over: plans, and starts what may start.
async fn decide(run: Rc<Run>) {
    while !run.over.get() {
        run.news.wait().await;
        settle().await;
        run.news.clear();
        let cause = run.cause();
        if run.scheduler.1.dynamic().is_some() {
            run.dispatched.set();
        } else if let Some(cause) = cause
            && let Err(why) = run.plan(cause)
        {
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
    let scheduler = run.scheduler.0.clone();
    match dynamic.run(Dispatcher(Rc::clone(&run))).await {
        Err(why) => run.fail(RunFailed::Unlawful { scheduler, at: now(), why: why.into() }),
        Ok(()) if !run.is_finished() => {
            let why = CannotPlan::Own("it ended while tasks have no place".to_owned());
            run.fail(RunFailed::NoPlan { scheduler, at: now(), why });
        }
        Ok(()) => {}
    }
}

/// Lets workflows arrive.
async fn arrive(run: Rc<Run>) {
    let mut arrivals: BTreeMap<SimTime, Vec<usize>> = BTreeMap::new();
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

/// Asks for a plan after each period.
async fn remind(run: Rc<Run>) {
    if let Replan::Period(period) = run.execution.replan {
        loop {
            hold(period).background().await;
            run.state.borrow_mut().since.periods += 1;
            run.news.set();
        }
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
    /// Why a plan is to be made now, if it is.
    fn cause(&self) -> Option<PlanCause> {
        let mut state = self.state.borrow_mut();
        let arrived = std::mem::take(&mut state.arrived);
        let cause =
            if arrived { Some(PlanCause::Arrival) } else { self.execution.replan.cause(&state.since) };
        if cause.is_some() {
            state.since = super::replanning::Since::default();
        }
        cause
    }

    /// Whether every task has ended.
    pub(super) fn is_finished(&self) -> bool {
        let state = self.state.borrow();
        state.finished == state.records.len()
    }
}
