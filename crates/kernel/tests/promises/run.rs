//! How runs end: by themselves, stopped, cut, or failed.

use clustersim_kernel::{
    Event, SimDuration, SimError, SimTime, Simulation, fail, hold, observe, settle, spawn, spawn_daemon,
    spawn_observer, stop, timer,
};

use super::support::{Log, logged, ns, scene, scene_and_end, tick_tock};

#[test]
fn a_run_ends_with_its_last_worker_and_serves_that_instant_to_its_end() {
    let log = scene(|log| {
        let [a, b, c, d] = [(); 4].map(|()| log.clone());
        let event = Event::new("event");
        let waited = event.clone();
        spawn_daemon("clock", async move {
            loop {
                timer(ns(3)).await;
                a.note("tick");
            }
        });
        spawn_daemon("scheduler", async move {
            waited.wait().await;
            settle().await;
            b.note("decides");
        });
        spawn_observer("monitor", async move {
            observe(ns(6)).await;
            c.note("sample");
        });
        spawn("worker", async move {
            hold(ns(6)).await;
            event.set();
            d.note("ends");
        });
    });
    assert_eq!(log, logged(&[(3, "tick"), (6, "ends"), (6, "tick"), (6, "decides"), (6, "sample")]));
}

#[test]
fn a_run_without_workers_is_over_at_once() {
    let simulation = Simulation::new(1);
    simulation.spawn_daemon("daemon", async {
        loop {
            hold(ns(1)).await;
        }
    });
    assert_eq!(simulation.run().unwrap().ended_at, SimTime::ZERO);
}

#[test]
fn stop_ends_the_run_when_the_instant_is_over() {
    let (log, result) = scene_and_end(|log| {
        let [a, b] = [(); 2].map(|()| log.clone());
        spawn("stopper", async move {
            hold(ns(4)).await;
            stop();
            hold(ns(0)).await;
            a.note("same instant");
            hold(ns(1)).await;
            a.note("never");
        });
        spawn("other", async move {
            timer(ns(4)).await;
            b.note("clock of the same instant");
            hold(ns(90)).await;
            b.note("never");
        });
    });
    assert_eq!(log, logged(&[(4, "same instant"), (4, "clock of the same instant")]));
    assert_eq!(result.unwrap().ended_at, SimTime::from_nanos(4));
}

#[test]
fn a_run_can_be_cut_at_a_time_and_continued() {
    let whole = scene(tick_tock);
    let log = Log::default();
    let mut simulation = Simulation::new(1);
    simulation.enter(|| tick_tock(&log));
    for until in [0, 1, 4, 5, 5, 9] {
        let outcome = simulation.run_until(SimTime::from_nanos(until)).unwrap();
        assert_eq!((outcome.ended_at, simulation.now()), (SimTime::from_nanos(until), simulation.now()));
        assert_eq!(simulation.now(), SimTime::from_nanos(until));
    }
    let outcome = simulation.run_until(SimTime::MAX).unwrap();
    assert_eq!(outcome.ended_at, SimTime::from_nanos(25));
    assert_eq!(log.take(), whole);
    // nothing is left: it can be asked again
    assert_eq!(simulation.run_until(SimTime::MAX).unwrap(), outcome);
}

#[test]
fn what_happens_at_the_very_end_of_a_cut_run_belongs_to_it() {
    let log = Log::default();
    let mut simulation = Simulation::new(1);
    let inner = log.clone();
    simulation.spawn("p", async move {
        hold(ns(5)).await;
        inner.note("event");
        settle().await;
        inner.note("decision");
        hold(ns(1)).await;
        inner.note("later");
    });
    simulation.run_until(SimTime::from_nanos(5)).unwrap();
    assert_eq!(log.take(), logged(&[(5, "event"), (5, "decision")]));
}

#[test]
fn a_process_may_be_spawned_between_two_parts_of_a_run() {
    let log = Log::default();
    let mut simulation = Simulation::new(1);
    simulation.spawn("a", hold(ns(10)));
    simulation.run_until(SimTime::from_nanos(3)).unwrap();
    let inner = log.clone();
    simulation.spawn("b", async move {
        inner.note("starts");
        hold(ns(20)).await;
        inner.note("ends");
    });
    assert_eq!(simulation.run_until(SimTime::MAX).unwrap().ended_at, SimTime::from_nanos(23));
    assert_eq!(log.take(), logged(&[(3, "starts"), (23, "ends")]));
}

#[test]
fn a_model_that_fails_ends_the_run_at_once_with_its_words() {
    for at in [0, 3] {
        let (log, result) = scene_and_end(|log| {
            let [a, b] = [(); 2].map(|()| log.clone());
            spawn(("node", 7), async move {
                hold(ns(at)).await;
                fail("no such job");
                a.note("to its next await");
                hold(ns(0)).await;
                a.note("never");
            });
            spawn("other", async move {
                hold(ns(at)).await;
                hold(ns(0)).await;
                b.note("never");
            });
        });
        assert_eq!(log, logged(&[(at, "to its next await")]));
        let error = result.unwrap_err();
        assert!(matches!(&error, SimError::Model { .. }));
        let time = SimTime::from_nanos(at);
        assert_eq!(error.to_string(), format!("no such job (at {time}, in process `node 7`)"));
    }
}

#[test]
fn after_a_failure_at_instant_zero_no_clock_of_that_instant_ticks() {
    let (log, result) = scene_and_end(|log| {
        let log = log.clone();
        spawn("clock", async move {
            timer(ns(0)).await;
            log.note("ticks");
        });
        spawn("failing", async { fail("enough") });
    });
    assert!(result.is_err());
    assert_eq!(log, []);
}

#[test]
fn a_run_that_ended_with_an_error_does_not_go_on() {
    let failing = |log: &Log| {
        let log = log.clone();
        spawn("failing", async move {
            hold(ns(2)).await;
            fail("no such job");
            hold(ns(1)).await;
            log.note("never");
        });
    };
    let stuck = |log: &Log| {
        let log = log.clone();
        spawn("stuck", async move {
            Event::new("never set").wait().await;
            log.note("never");
        });
    };
    let too_long = |log: &Log| {
        let log = log.clone();
        spawn("late", async move {
            hold(ns(1)).await;
            hold(SimDuration::MAX).await;
            log.note("never");
        });
    };
    let models: [&dyn Fn(&Log); 3] = [&failing, &stuck, &too_long];
    for model in models {
        let log = Log::default();
        let mut simulation = Simulation::new(1);
        simulation.enter(|| model(&log));
        let first = simulation.run_until(SimTime::MAX).unwrap_err().to_string();
        let at = simulation.now();
        for until in [at, SimTime::MAX] {
            let again = simulation.run_until(until).unwrap_err();
            assert!(matches!(&again, SimError::Over { error } if *error == first), "{again}");
            assert_eq!(again.to_string(), format!("the run cannot go on: it ended with an error ({first})"));
        }
        assert_eq!((simulation.now(), log.take()), (at, vec![]));
    }
}
