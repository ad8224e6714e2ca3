//! How runs end, what their errors say, and what changes nothing about them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use clustersim::kernel::event_list::ListKind;
use clustersim::kernel::{
    Buffer, Condition, Event, Facility, Mailbox, Outcome, PreemptiveFacility, SharedFacility, SimDuration,
    SimError, SimTime, Simulation, Storage, fail, hold, join, now, observe, race, settle, spawn,
    spawn_daemon, spawn_observer, stop, stream, timed, timer,
};
use futures::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};

use super::support::{logged, ns, scene, scene_and_end};

// ---- ends ---------------------------------------------------------------------------------------------------------

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
    let log = super::support::Log::default();
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

fn tick_tock(log: &super::support::Log) {
    for (name, period) in [("tick", 4), ("tock", 5)] {
        let log = log.clone();
        spawn(name, async move {
            for _ in 0..5 {
                hold(ns(period)).await;
                log.note(name);
                settle().await;
                timer(ns(0)).await;
            }
        });
    }
}

#[test]
fn what_happens_at_the_very_end_of_a_cut_run_belongs_to_it() {
    let log = super::support::Log::default();
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
    let log = super::support::Log::default();
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

// ---- deadlock -----------------------------------------------------------------------------------------------------

#[test]
fn a_deadlock_lists_every_blocked_process_with_what_it_waits_for_and_since_when() {
    let simulation = Simulation::new(1);
    simulation.enter(|| {
        let event = Event::new("go");
        let (mailbox, condition) = (Mailbox::<u32>::new(("inbox", 3)), Condition::new("level", 0));
        let (cpu, disk) = (Facility::new("cpu", 1), PreemptiveFacility::new("disk", 1));
        let (memory, belt) = (Storage::new("memory", 64), Buffer::new("belt", 8, 2));
        let line = SharedFacility::new("line", 1);
        let hog = {
            let (cpu, event) = (cpu.clone(), event.clone());
            spawn("hog", async move {
                let _server = cpu.reserve().await;
                event.queue().await;
            })
        };
        spawn(("reader", 0), async move {
            hold(SimDuration::from_secs(2)).await;
            mailbox.receive().await;
        });
        let waited = event.clone();
        spawn(("reader", 1), async move { waited.wait().await });
        spawn("user", async move {
            hold(SimDuration::from_millis(1_500)).await;
            line.use_for(ns(3)).await;
            disk.use_for(0, ns(5)).await;
            cpu.use_for(ns(5)).await;
        });
        spawn("greedy", async move { drop(memory.allocate(65).await) });
        let full = belt.clone();
        spawn("getter", async move { belt.get(3).await });
        spawn("putter", async move { full.put(7).await });
        spawn("watcher", async move { condition.until(|level| *level > 0).await });
        spawn("joiner", async move { hog.join().await.unwrap() });
        let (a, b) = (event.clone(), event.clone());
        spawn("both", async move {
            join(a.wait(), race(b.queue(), hog.join())).await;
        });
        let unordered = event.clone();
        spawn("crowd", async move {
            let mut waits: FuturesUnordered<_> = [unordered.wait(), unordered.wait()].into_iter().collect();
            waits.next().await;
        });
        spawn_daemon("server", async move { event.wait().await });
        spawn_daemon("monitor", async {
            loop {
                hold(ns(100)).background().await;
            }
        });
    });
    let error = simulation.run().unwrap_err();
    assert_eq!(format!("{error}\n"), include_str!("../../golden/deadlock.txt"));
    let SimError::Deadlock { at, blocked } = error else { panic!("{error}") };
    assert_eq!((at, blocked.len()), (SimTime::from_secs(2).unwrap(), 11));
    assert_eq!(blocked[0].process.kind(), "hog");
}

#[test]
fn a_deadlock_of_many_shows_the_first_twenty() {
    let simulation = Simulation::new(1);
    simulation.enter(|| {
        for index in 0..23 {
            spawn(("waiter", index), async { Event::new("never").wait().await });
        }
    });
    let text = simulation.run().unwrap_err().to_string();
    assert!(text.starts_with("deadlock at 0 s: nothing is left to happen and 23 processes wait\n"), "{text}");
    assert!(text.ends_with("waiter 19: waits for event `never` since 0 s\n  … and 3 more"), "{text}");
}

#[test]
fn a_request_that_can_never_be_met_is_a_deadlock_not_a_hang() {
    let (_, result) = scene_and_end(|_| {
        spawn("greedy", async {
            Storage::new("small", 1).allocate(2).await.deallocate();
        });
        spawn_daemon("monitor", async {
            loop {
                hold(ns(1)).background().await;
            }
        });
        spawn_observer("probe", async {
            loop {
                observe(ns(1)).await;
            }
        });
    });
    assert!(matches!(result, Err(SimError::Deadlock { .. })));
}

#[test]
fn background_holds_alone_keep_nobody_waiting_but_count_while_others_hold() {
    let log = scene(|log| {
        let log = log.clone();
        spawn("worker", async move {
            // raced, so that a background hold is also dropped
            race(hold(ns(3)), hold(ns(100)).background()).await;
            log.note("first");
            timed(ns(5), hold(ns(2)).background()).await.unwrap();
            log.note("second");
        });
    });
    assert_eq!(log, logged(&[(3, "first"), (5, "second")]));
}

#[test]
fn a_daemon_that_holds_in_the_foreground_may_still_wake_somebody() {
    let log = scene(|log| {
        let (event, log) = (Event::new("event"), log.clone());
        let set = event.clone();
        spawn_daemon("late", async move {
            hold(ns(50)).await;
            set.set();
        });
        spawn("waiter", async move {
            event.wait().await;
            log.note("woken");
        });
    });
    assert_eq!(log, logged(&[(50, "woken")]));
}

// ---- livelock and the end of time ---------------------------------------------------------------------------------

/// A process that goes round in a circle; the limit is 1,000, and it gives up far behind it.
fn circle<F: Future<Output = ()>>(
    step: impl Fn() -> F + 'static,
    begin: u64,
) -> (Result<Outcome, SimError>, u32) {
    let rounds = Rc::new(Cell::new(0));
    let counted = Rc::clone(&rounds);
    let simulation = Simulation::new(1).livelock_after(1_000);
    simulation.spawn("innocent", async {
        loop {
            hold(ns(1)).await;
            if now().as_nanos() > 9 {
                break;
            }
        }
    });
    simulation.spawn(("spinner", 4), async move {
        hold(ns(begin)).await;
        while counted.get() < 10_000 {
            counted.set(counted.get() + 1);
            step().await;
        }
    });
    (simulation.run(), rounds.get())
}

fn assert_livelock((result, rounds): (Result<Outcome, SimError>, u32), at: u64) {
    let error = result.expect_err("it goes round for ever");
    let expected = format!(
        "livelock at {}: process `spinner 4` was resumed more than 1000 times without time moving",
        SimTime::from_nanos(at)
    );
    assert_eq!(error.to_string(), expected);
    assert!((1_000..=2_100).contains(&rounds), "{rounds}");
}

#[test]
fn a_process_that_holds_for_no_time_for_ever_is_a_livelock() {
    assert_livelock(circle(|| hold(ns(0)), 5), 5);
    assert_livelock(circle(|| hold(ns(0)), 0), 0);
}

#[test]
fn a_process_that_settles_for_ever_is_a_livelock() {
    assert_livelock(circle(settle, 5), 5);
}

#[test]
fn a_clock_without_a_period_is_a_livelock() {
    assert_livelock(circle(|| timer(ns(0)), 5), 5);
}

#[test]
fn a_clock_without_a_period_at_instant_zero_is_a_livelock() {
    assert_livelock(circle(|| timer(ns(0)), 0), 0);
}

#[test]
fn a_circle_inside_a_foreign_combinator_is_a_livelock() {
    let step = || async {
        let mut set: FuturesUnordered<_> = [hold(ns(0))].into_iter().collect();
        set.next().await;
    };
    assert_livelock(circle(step, 5), 5);
    // one that never asks for a turn itself
    assert_livelock(circle(|| hold(ns(0)).shared(), 5), 5);
}

#[test]
fn two_processes_that_wake_each_other_for_ever_are_a_livelock() {
    let simulation = Simulation::new(1).livelock_after(500);
    simulation.enter(|| {
        let (ping, pong) = (Mailbox::new("ping"), Mailbox::new("pong"));
        for (name, inbox, outbox) in [("a", ping.clone(), pong.clone()), ("b", pong, ping.clone())] {
            spawn(name, async move {
                for _ in 0..5_000 {
                    inbox.receive().await;
                    outbox.send(());
                }
            });
        }
        ping.send(());
    });
    let result = simulation.run();
    let Err(SimError::Livelock { process, .. }) = result else { panic!("{result:?}") };
    assert!(["a", "b"].contains(&process.kind()));
}

#[test]
fn many_processes_at_one_instant_are_no_livelock() {
    let simulation = Simulation::new(1).livelock_after(10);
    simulation.enter(|| {
        for index in 0..1_000 {
            spawn(("p", index), async {
                for _ in 0..5 {
                    hold(ns(0)).await;
                }
                hold(ns(1)).await;
            });
        }
    });
    simulation.run().unwrap();
}

#[test]
fn time_past_its_end_is_an_error_that_names_the_process() {
    type Begin = fn() -> std::pin::Pin<Box<dyn Future<Output = ()>>>;
    let wait_too_long: [Begin; 4] = [
        || Box::pin(hold(SimDuration::MAX)),
        || Box::pin(async { timed(SimDuration::MAX, settle()).await.unwrap() }),
        || Box::pin(async { PreemptiveFacility::new("f", 1).use_for(0, SimDuration::MAX).await }),
        || Box::pin(async { SharedFacility::new("f", 1).use_for(SimDuration::MAX).await }),
    ];
    for wait in wait_too_long {
        let simulation = Simulation::new(1);
        simulation.spawn(("eternal", 2), async move {
            hold(SimDuration::from_secs(1)).await;
            wait().await;
        });
        let error = simulation.run().unwrap_err();
        assert!(
            error.to_string().starts_with("process `eternal 2` waits 18446744073.709551615 s at 1 s: "),
            "{error}"
        );
    }
}

#[test]
fn the_last_instant_of_time_can_be_reached() {
    let simulation = Simulation::new(1);
    simulation.spawn("patient", async {
        hold(ns(7)).await;
        hold(SimDuration::from_nanos(u64::MAX - 7)).await;
        settle().await;
    });
    assert_eq!(simulation.run().unwrap().ended_at, SimTime::MAX);
}

// ---- what changes nothing -----------------------------------------------------------------------------------------

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

/// "dropper" gives up a settle and is then woken by the event, so that an old turn and a new one name the same wait:
/// whatever number the new one gets, it is not to be confused with the old one.
#[test]
fn sequence_numbers_given_anew_do_not_revive_a_turn_that_was_dropped() {
    for (limit, before) in (24..40).flat_map(|limit| (0..8).map(move |before| (limit, before))) {
        let log = super::support::Log::default();
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
    let (a, b) = (super::support::Log::default(), super::support::Log::default());
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
