//! What changes nothing about a run.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use clustersim_kernel::event_list::ListKind;
use clustersim_kernel::{
    Event, Facility, Mailbox, Outcome, SimDuration, SimTime, Simulation, hold, now, observe, race, settle,
    spawn, spawn_observer, stream, timed, timer,
};
use futures::stream::{FuturesUnordered, StreamExt};

use super::support::{Log, logged, ns, scene, tick_tock};

type Notes = Rc<RefCell<Vec<(u64, u32, u64)>>>;

/// A model with ties, time-outs, kills, cascades and random numbers.
fn busy_model(notes: &Notes) {
    let (event, mailbox, server) = (Event::new("event"), Mailbox::new("mailbox"), Facility::new("server", 2));
    for index in 0..30_u32 {
        let (event, mailbox, server, notes) =
            (event.clone(), mailbox.clone(), server.clone(), Rc::clone(notes));
        spawn(("worker", index), async move {
            let mut draws = stream(&format!("worker/{index}"));
            for round in 0..40 {
                let span = ns(draws.below(4));
                match draws.below(7) {
                    0 => hold(span).await,
                    1 => drop(event.timed_wait(span).await),
                    2 => drop(timed(span, event.queue()).await),
                    3 => event.set(),
                    4 => mailbox.send(round),
                    5 => drop(mailbox.timed_receive(span).await),
                    _ => {
                        let child = spawn("child", race_for(server.clone(), span));
                        if draws.below(3) == 0 {
                            hold(span).await;
                            child.kill();
                        }
                        settle().await;
                    }
                }
                notes.borrow_mut().push((now().as_nanos(), index, round));
            }
        });
    }
}

async fn race_for(server: Facility, span: SimDuration) {
    race(server.use_for(span), timer(ns(2))).await;
    let mut set: FuturesUnordered<_> = [hold(span), hold(ns(1))].into_iter().collect();
    while set.next().await.is_some() {}
}

fn run_busy(
    configure: impl FnOnce(Simulation) -> Simulation,
    watch: impl FnOnce(),
) -> (Outcome, Vec<(u64, u32, u64)>) {
    let notes = Notes::default();
    let simulation = configure(Simulation::new(11));
    simulation.enter(|| {
        watch();
        busy_model(&notes);
    });
    let outcome = simulation.run().unwrap();
    (outcome, notes.take())
}

#[test]
fn the_structure_of_the_event_list_changes_nothing() {
    let usual = run_busy(|simulation| simulation, || ());
    assert_eq!(usual.1.len(), 1_200);
    assert!(usual.0.events > 1_500, "{usual:?}");
    for kind in [ListKind::Heap, ListKind::Runs, ListKind::Adaptive] {
        assert_eq!(run_busy(|simulation| simulation.event_list(kind), || ()), usual);
    }
}

#[test]
fn sequence_numbers_given_anew_change_nothing() {
    let usual = run_busy(|simulation| simulation, || ());
    for limit in [150, 170, 211, 500, 1_000] {
        assert_eq!(run_busy(|simulation| simulation.sequence_limit(limit), || ()), usual, "limit {limit}");
    }
}

/// "dropper" gives up a settle and is then woken by the event, so that an old turn and a new one
/// name the same wait: whatever number the new one gets, it is not to be confused with the old one.
#[test]
fn sequence_numbers_given_anew_do_not_revive_a_turn_that_was_dropped() {
    for (limit, before) in (24..40).flat_map(|limit| (0..8).map(move |before| (limit, before))) {
        let log = Log::default();
        let simulation = Simulation::new(1).sequence_limit(limit);
        simulation.enter(|| {
            let (event, last, log) = (Event::new("event"), log.clone(), log.clone());
            let set = event.clone();
            spawn("dropper", async move {
                race(settle(), async {}).await;
                event.wait().await;
                log.note("woken");
            });
            spawn("setter", async move {
                (0..before).for_each(|index| _ = spawn(("before", index), async {}));
                set.set();
                (before..20).for_each(|index| _ = spawn(("after", index), async {}));
                hold(ns(0)).await;
                last.note("later");
            });
        });
        let result = simulation.run();
        assert!(result.is_ok(), "limit {limit}, {before} before: {result:?}");
        assert_eq!(log.take(), logged(&[(0, "woken"), (0, "later")]), "limit {limit}, {before} before");
    }
}

#[test]
fn observers_change_nothing() {
    let usual = run_busy(|simulation| simulation, || ());
    let samples = Rc::new(Cell::new(0));
    let seen = Rc::clone(&samples);
    let watch = || {
        for period in [1, 3] {
            let seen = Rc::clone(&seen);
            spawn_observer("probe", async move {
                loop {
                    seen.set(seen.get() + 1);
                    observe(ns(period)).await;
                }
            });
        }
    };
    assert_eq!(run_busy(|simulation| simulation, watch), usual);
    assert!(samples.get() > 20);
}

#[test]
fn cutting_a_run_changes_nothing() {
    let usual = run_busy(|simulation| simulation, || ());
    let notes = Notes::default();
    let mut simulation = Simulation::new(11);
    simulation.enter(|| busy_model(&notes));
    for until in (0..usual.0.ended_at.as_nanos()).step_by(3) {
        simulation.run_until(SimTime::from_nanos(until)).unwrap();
    }
    assert_eq!((simulation.run().unwrap(), notes.take()), usual);
}

#[test]
fn a_simulation_may_run_inside_a_process_of_another() {
    let alone = run_busy(|simulation| simulation, || ());
    let log = scene(|log| {
        let log = log.clone();
        spawn("outer", async move {
            hold(ns(3)).await;
            assert_eq!(run_busy(|simulation| simulation, || ()), alone);
            log.note("inner run is over");
            hold(ns(4)).await;
            log.note("outer goes on");
        });
    });
    assert_eq!(log, logged(&[(3, "inner run is over"), (7, "outer goes on")]));
}

#[test]
fn simulations_may_take_turns() {
    let (a, b) = (Log::default(), Log::default());
    let mut simulations = [Simulation::new(1), Simulation::new(1)];
    simulations[0].enter(|| tick_tock(&a));
    simulations[1].enter(|| tick_tock(&b));
    for until in 1..=30 {
        for simulation in &mut simulations {
            simulation.run_until(SimTime::from_nanos(until)).unwrap();
        }
    }
    assert_eq!(a.take(), b.take());
}

#[test]
fn streams_are_the_same_whatever_else_is_drawn() {
    let draw = |other: bool| {
        let simulation = Simulation::new(5);
        simulation.enter(|| {
            if other {
                stream("noise").uniform01();
            }
            stream("arrivals").below(u64::MAX)
        })
    };
    assert_eq!(draw(false), draw(true));
}
