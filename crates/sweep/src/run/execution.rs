//! The processes of a run: one for each link and each processor that has had something to do, one
//! for arrivals, one for changes of the grid, and one that decides once an instant, when all else
//! is over.
//!
//! At one instant ends of transfers and of computations come first, then changes of the grid, then
//! arrivals, then the scheduler.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::estimate::Estimator;
use crate::kernel::{
    Either, SimError, SimTime, Simulation, hold, note_decision, now, race, settle, spawn, spawn_daemon,
};
use crate::results::record::SweepOutcomes;
use crate::run::grid_state::ServerPlace;
use crate::run::running::{SweepProblem, SweepRun};
use crate::scheduler::interfaces::SweepScheduler;
use crate::workflow::TaskNumber;

/// Decisions in a row after which a run ends in which nothing has started and nothing is in
/// progress: where the grid stays as it is, and where it changes.
const IDLE_DECISIONS: [u32; 2] = [1_000, 100_000];

/// Runs an application on a grid by a scheduler, to the last completion or to the end of the
/// instant `until`.
///
/// # Errors
/// Nothing goes on, or the scheduler asks for what cannot be
/// (`SweepFailed`); everything that ends a simulation.
pub fn execute(
    problem: Rc<SweepProblem>,
    scheduler: Box<dyn SweepScheduler>,
    estimator: Box<dyn Estimator>,
    mut simulation: Simulation,
    until: Option<SimTime>,
) -> Result<SweepOutcomes, SimError> {
    let run = simulation.enter(|| {
        let run = SweepRun::new(problem, scheduler, estimator);
        spawn("scheduler", decide(Rc::clone(&run)));
        spawn_daemon("arrivals", arrive(Rc::clone(&run)));
        spawn_daemon("changes of the grid", watch(Rc::clone(&run)));
        run
    });
    let outcome = simulation.run_until(until.unwrap_or(SimTime::MAX))?;
    drop(simulation);
    Ok(run.outcomes(&outcome))
}

/// Decides when everything of an instant is over.
async fn decide(run: Rc<SweepRun>) {
    run.news.set();
    let mut idle_decisions = 0;
    while !run.over.get() {
        let wakes = run.scheduler.borrow().wakes();
        if wakes.is_some() {
            note_decision(|_, from| run.never_completed(from));
        }
        match wakes {
            Some(at) if at <= now() => {}
            Some(at) => drop(race(run.news.wait(), hold(at.since(now()))).await),
            None => run.news.wait().await,
        }
        settle().await;
        run.news.clear();
        if run.grid_changed.replace(false) {
            run.apply_grid_changes();
        }
        run.apply_arrivals();
        if run.is_finished() && !run.more_arrive.get() {
            run.scheduler.borrow_mut().ends();
            run.over.set(true);
            return run.wrong().into_iter().for_each(|wrong| run.fail(wrong));
        }
        let started = run.decide();
        if let Some(wrong) = run.wrong() {
            return run.fail(wrong);
        }
        for (place, is_new) in started {
            let work = Rc::clone(&run.state.borrow_mut().server(place).work);
            work.set();
            if is_new {
                match place {
                    ServerPlace::Link(link) => {
                        spawn_daemon(("link", link.0), serve(Rc::clone(&run), place));
                    }
                    ServerPlace::Processor(host, _) => {
                        spawn_daemon(("host", host.0), serve(Rc::clone(&run), place));
                    }
                }
            }
        }
        // what has started and never ends is nothing to wait for
        let goes_on = run.is_busy() || run.more_arrive.get();
        idle_decisions = if goes_on { 0 } else { idle_decisions + 1 };
        let may_change = run.more_changes.get() || run.scheduler.borrow().wakes().is_some();
        let is_planning = run.scheduler.borrow().is_planning();
        let most = IDLE_DECISIONS[usize::from(run.more_changes.get())];
        // a scheduler that always plans, and has nothing planned, would go on for ever
        if !goes_on && (!may_change && !is_planning || idle_decisions > most) {
            return run.fail(run.stuck());
        }
    }
}

/// Lets tasks arrive.
async fn arrive(run: Rc<SweepRun>) {
    let mut arrivals: OrderedMap<SimTime, Vec<TaskNumber>> = OrderedMap::new();
    for task in run.problem.sweep.task_numbers() {
        arrivals.entry(run.problem.sweep.task(task).arrival).or_default().push(task);
    }
    let last = arrivals.keys().next_back().copied();
    for (instant, tasks) in arrivals {
        if instant > now() {
            hold(instant.since(now())).await;
        }
        run.arrived.borrow_mut().extend(tasks);
        run.more_arrive.set(Some(instant) < last);
        run.news.set();
    }
    run.more_arrive.set(false);
    run.news.set();
}

/// Reports when hosts or clusters may have come or gone.
async fn watch(run: Rc<SweepRun>) {
    let grid = Rc::clone(&run.problem.grid);
    let clusters = grid.clusters.iter().map(|cluster| &cluster.present);
    let traces: Vec<_> = clusters.chain(grid.hosts.iter().map(|host| &host.present)).collect();
    let mut changes: BinaryHeap<Reverse<(SimTime, usize)>> = BinaryHeap::new();
    let next = |place: usize, at: SimTime| Some(Reverse((traces[place].next_change(at)?, place)));
    changes.extend((0..traces.len()).filter_map(|place| next(place, SimTime::ZERO)));
    while let Some(Reverse((at, place))) = changes.pop() {
        if at > now() {
            hold(at.since(now())).await;
        }
        changes.extend(next(place, at));
        run.grid_changed.set(true);
        run.more_changes.set(!changes.is_empty());
        run.news.set();
    }
    run.more_changes.set(false);
    run.news.set();
}

/// The process of a link or a processor: does what it is given.
async fn serve(run: Rc<SweepRun>, place: ServerPlace) {
    let (work, aborted) = {
        let mut state = run.state.borrow_mut();
        let server = state.server(place);
        (Rc::clone(&server.work), Rc::clone(&server.aborted))
    };
    loop {
        work.wait().await;
        let serving = run.state.borrow_mut().server(place).task;
        let Some(serving) = serving else { continue };
        match serving.end {
            // it stays there until it is broken off
            None => aborted.wait().await,
            Some(end) => {
                if let Either::Left(()) = race(hold(end.since(now())), aborted.wait()).await {
                    run.finish(place);
                }
            }
        }
        aborted.clear();
    }
}
