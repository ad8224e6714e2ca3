//! The four phases of an instant, and the order within one.

use std::cell::Cell;
use std::rc::Rc;

use clustersim_kernel::{
    Event, Simulation, hold, now, observe, race, settle, spawn, spawn_daemon, spawn_observer, timed, timer,
};

use super::support::{logged, ns, scene};

#[test]
fn events_go_before_timeouts_before_decisions_before_observations() {
    let log = scene(|log| {
        let [o, d, t, e] = [(); 4].map(|()| log.clone());
        spawn_observer("observer", async move {
            observe(ns(5)).await;
            o.note("observation");
        });
        spawn("decider", async move {
            hold(ns(5)).await;
            settle().await;
            d.note("decision");
        });
        spawn("clock", async move {
            timer(ns(5)).await;
            t.note("timeout");
        });
        spawn("source", async move {
            hold(ns(5)).await;
            e.note("event");
        });
    });
    assert_eq!(log, logged(&[(5, "event"), (5, "timeout"), (5, "decision"), (5, "observation")]));
}

#[test]
fn an_event_caused_by_a_timeout_goes_before_the_next_timeout() {
    let log = scene(|log| {
        let alarm = Event::new("alarm");
        let [a, b, c] = [(); 3].map(|()| log.clone());
        let set = alarm.clone();
        spawn("first clock", async move {
            timer(ns(5)).await;
            a.note("first timeout");
            set.set();
        });
        spawn("second clock", async move {
            timer(ns(5)).await;
            b.note("second timeout");
        });
        spawn("waiter", async move {
            alarm.wait().await;
            c.note("event");
            hold(ns(0)).await;
            c.note("cascade");
        });
    });
    assert_eq!(log, logged(&[(5, "first timeout"), (5, "event"), (5, "cascade"), (5, "second timeout")]));
}

#[test]
fn a_decision_that_causes_events_or_timeouts_opens_a_new_round_before_the_next_decision() {
    let log = scene(|log| {
        let started = Event::new("started");
        let [a, b, c] = [(); 3].map(|()| log.clone());
        let set = started.clone();
        spawn("first scheduler", async move {
            hold(ns(3)).await;
            settle().await;
            a.note("first decides");
            set.set();
            settle().await;
            a.note("first again");
        });
        spawn("second scheduler", async move {
            hold(ns(3)).await;
            settle().await;
            b.note("second decides");
        });
        spawn("job", async move {
            started.wait().await;
            c.note("job starts");
            timer(ns(0)).await;
            c.note("job's clock");
        });
    });
    let order = ["first decides", "job starts", "job's clock", "second decides", "first again"];
    assert_eq!(log, logged(&order.map(|text| (3, text))));
}

#[test]
fn a_hold_of_no_time_lets_everything_already_scheduled_go_first() {
    let log = scene(|log| {
        for (name, zeros) in [("a", 2), ("b", 1), ("c", 0)] {
            let log = log.clone();
            spawn(name, async move {
                for _ in 0..zeros {
                    log.note(name);
                    hold(ns(0)).await;
                }
                log.note(name.to_uppercase());
            });
        }
    });
    assert_eq!(log, logged(&[(0, "a"), (0, "b"), (0, "C"), (0, "a"), (0, "B"), (0, "A")]));
}

#[test]
fn holds_that_end_at_one_instant_end_in_the_order_in_which_they_began() {
    let log = scene(|log| {
        for (name, begin) in [("late", 4), ("early", 0), ("middle", 2)] {
            let log = log.clone();
            spawn(name, async move {
                hold(ns(begin)).await;
                hold(ns(9 - begin)).await;
                log.note(name);
                hold(ns(0)).await;
                log.note(name);
            });
        }
    });
    // what the list has for the instant goes before the zero-time turns that it causes; "late"
    // began at 4 by two holds
    let order = ["early", "middle", "late", "early", "middle", "late"];
    assert_eq!(log, logged(&order.map(|text| (9, text))));
}

#[test]
fn zero_time_turns_come_in_the_order_in_which_they_were_caused_whatever_their_kind() {
    let log = scene(|log| {
        let event = Event::new("event");
        let [a, b, c, d] = [(); 4].map(|()| log.clone());
        let waited = event.clone();
        spawn("waiter", async move {
            waited.wait().await;
            a.note("woken");
        });
        spawn("cause", async move {
            hold(ns(1)).await;
            spawn("child", async move { b.note("started") });
            event.set();
            spawn("second child", async move { c.note("started too") });
            hold(ns(0)).await;
            d.note("held");
        });
    });
    assert_eq!(log, logged(&[(1, "started"), (1, "woken"), (1, "started too"), (1, "held")]));
}

#[test]
fn an_observer_sees_an_instant_when_everything_in_it_is_over() {
    let seen = Rc::new(Cell::new(0));
    let level = Rc::new(Cell::new(0));
    let simulation = Simulation::new(1);
    let (sees, watched) = (Rc::clone(&seen), Rc::clone(&level));
    simulation.enter(|| {
        spawn_observer("probe", async move {
            observe(ns(4)).await;
            sees.set(watched.get());
        });
        spawn("model", async move {
            hold(ns(4)).await;
            level.set(1);
            settle().await;
            level.set(2);
            timer(ns(0)).await;
            settle().await;
            level.set(3);
            hold(ns(1)).await;
            level.set(4);
        });
    });
    simulation.run().unwrap();
    assert_eq!(seen.get(), 3);
}

#[test]
fn an_observation_never_repeats_within_an_instant() {
    let log = scene(|log| {
        let log = log.clone();
        spawn_observer("probe", async move {
            loop {
                log.note("tick");
                observe(ns(0)).await;
            }
        });
        spawn("model", hold(ns(2)));
    });
    assert_eq!(log, logged(&[(0, "tick"), (1, "tick"), (2, "tick")]));
}

#[test]
fn a_time_limit_of_zero_lets_the_instant_happen_first() {
    let log = scene(|log| {
        let event = Event::new("event");
        let (log, set) = (log.clone(), event.clone());
        spawn("hasty", async move {
            let came = timed(ns(0), event.wait()).await;
            log.note(format!("{came:?}"));
            let came = timed(ns(0), event.wait()).await;
            log.note(format!("{came:?}"));
        });
        spawn("setter", async move {
            hold(ns(0)).await;
            hold(ns(0)).await;
            set.set();
        });
    });
    assert_eq!(log, logged(&[(0, "Some(())"), (0, "None")]));
}

#[test]
fn a_settle_or_a_timer_that_is_dropped_does_not_come_back() {
    let log = scene(|log| {
        let event = Event::new("event");
        let (log, set) = (log.clone(), event.clone());
        spawn("waiter", async move {
            hold(ns(1)).await;
            race(event.wait(), settle()).await;
            log.note("event");
            // the settle of before must not end this
            event.wait().await;
            log.note("event again");
            race(hold(ns(2)), timer(ns(9))).await;
            hold(ns(20)).await;
            log.note("late");
        });
        spawn("setter", async move {
            hold(ns(1)).await;
            set.set();
            hold(ns(6)).await;
            set.set();
        });
    });
    assert_eq!(log, logged(&[(1, "event"), (7, "event again"), (29, "late")]));
}

#[test]
fn cancelled_timers_do_not_pile_up() {
    let most = Rc::new(Cell::new(0));
    let simulation = Simulation::new(1);
    let rounds = 20_000;
    simulation.spawn("impatient", async move {
        let event = Event::new("event");
        let set = event.clone();
        spawn_daemon("setter", async move {
            loop {
                hold(ns(10)).await;
                set.set();
            }
        });
        for _ in 0..rounds {
            assert!(event.timed_wait(ns(1_000_000_000)).await.is_some());
        }
    });
    let mut simulation = simulation;
    for step in 1..=20 {
        simulation.run_until(clustersim_kernel::SimTime::from_nanos(step * rounds / 2)).unwrap();
        most.set(most.get().max(simulation.pending()));
    }
    assert!(most.get() < 150, "{} entries for two live ones", most.get());
}

#[test]
fn the_clock_stands_still_while_processes_compute() {
    let log = scene(|log| {
        let log = log.clone();
        spawn("p", async move {
            let before = now();
            hold(ns(3)).await;
            assert_eq!((now() - before).as_nanos(), 3);
            log.note("done");
        });
    });
    assert_eq!(log, logged(&[(3, "done")]));
}
