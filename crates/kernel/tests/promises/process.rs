//! Processes started, joined and interrupted; daemons, sizes and panics.

use std::cell::Cell;
use std::rc::Rc;

use clustersim_kernel::{Event, Killed, Process, Simulation, hold, interruptible, join, spawn, spawn_daemon};

use super::support::{ENDS, Log, SURVIVED, logged, lose, ns, scene, scene_and_end};

#[test]
fn a_new_process_first_runs_behind_what_is_scheduled_for_the_instant() {
    let log = scene(|log| {
        let [a, b] = [(); 2].map(|()| log.clone());
        spawn("parent", async move {
            let child = a.clone();
            spawn("child", async move { child.note("child") });
            a.note("parent");
        });
        spawn("other", async move { b.note("other") });
    });
    assert_eq!(log, logged(&[(0, "parent"), (0, "other"), (0, "child")]));
}

// ---- join ----

#[test]
fn those_who_join_a_process_are_resumed_in_order_of_joining() {
    let log = scene(|log| {
        let worker = spawn("worker", hold(ns(5)));
        for (name, at) in [("second", 2), ("first", 1)] {
            let log = log.clone();
            spawn(name, async move {
                hold(ns(at)).await;
                assert_eq!(worker.join().await, Ok(()));
                log.note(name);
            });
        }
    });
    assert_eq!(log, logged(&[(5, "first"), (5, "second")]));
}

#[test]
fn joining_a_process_that_has_ended_does_not_yield() {
    let log = scene(|log| {
        let worker = spawn("worker", async {});
        let [a, b] = [(); 2].map(|()| log.clone());
        spawn("joiner", async move {
            hold(ns(1)).await;
            a.note("before");
            worker.join().await.unwrap();
            a.note("after");
        });
        spawn("other", async move {
            hold(ns(1)).await;
            b.note("other");
        });
    });
    assert_eq!(log, logged(&[(1, "before"), (1, "after"), (1, "other")]));
}

#[test]
fn joining_a_killed_process_is_an_error_before_and_after() {
    let log = scene(|log| {
        let victim = spawn("victim", hold(ns(100)));
        let log = log.clone();
        spawn("joiner", async move {
            assert_eq!(victim.join().await, Err(Killed));
            assert_eq!(victim.join().await, Err(Killed));
            log.note("told twice");
        });
        spawn("killer", async move {
            hold(ns(3)).await;
            assert!(victim.is_alive());
            assert!(victim.kill());
            assert!(!victim.is_alive());
            assert!(!victim.kill());
            assert!(!victim.interrupt("too late"));
        });
    });
    assert_eq!(log, logged(&[(3, "told twice")]));
}

#[test]
fn a_lost_join_leaves_the_end_to_the_others() {
    for by in SURVIVED.into_iter().chain(ENDS) {
        let joined: Rc<Cell<Option<Process>>> = Rc::default();
        let shared = Rc::clone(&joined);
        let wait = move || {
            let joined = Rc::clone(&shared);
            async move {
                let process = joined.get().unwrap_or_else(|| spawn_daemon("joined", hold(ns(1_000))));
                joined.set(Some(process));
                process.join().await.unwrap_err();
            }
        };
        let log = lose(by, wait, move || assert!(joined.get().unwrap().kill()));
        let expected = if ENDS.contains(&by) { vec![] } else { logged(&[(9, "other")]) };
        assert_eq!(log, expected, "{by:?}");
    }
}

#[test]
fn a_ticket_is_not_taken_for_the_next_process_at_the_same_place() {
    scene(|_| {
        spawn("parent", async {
            let old = spawn("old", hold(ns(1)));
            old.join().await.unwrap();
            let new = spawn("new", hold(ns(1)));
            assert!(new.is_alive() && !old.is_alive() && old != new);
            assert!(!old.kill() && new.is_alive());
            old.join().await.unwrap();
            new.kill();
            old.join().await.unwrap();
        });
    });
}

// ---- interrupt ----

#[test]
fn an_interrupt_is_delivered_only_inside_an_interruptible_wait() {
    let log = scene(|log| {
        let log = log.clone();
        let sleeper = spawn("sleeper", async move {
            hold(ns(10)).await;
            log.note("slept");
            let interrupted = interruptible(hold(ns(10))).await.unwrap_err();
            log.note(interrupted.to_string());
            assert!(interruptible(hold(ns(10))).await.is_ok());
            log.note("rested");
        });
        spawn("alarm", async move {
            hold(ns(4)).await;
            assert!(sleeper.interrupt("wake up"));
        });
    });
    assert_eq!(log, logged(&[(10, "slept"), (10, "interrupted: wake up"), (20, "rested")]));
}

#[test]
fn interrupts_queue_up_in_order() {
    let log = scene(|log| {
        let log = log.clone();
        let sleeper = spawn("sleeper", async move {
            for _ in 0..3 {
                match interruptible(hold(ns(10))).await {
                    Ok(()) => log.note("slept"),
                    Err(interrupted) => log.note(interrupted.reason),
                }
            }
        });
        spawn("alarm", async move {
            hold(ns(4)).await;
            sleeper.interrupt("one");
            sleeper.interrupt(String::from("two"));
        });
    });
    assert_eq!(log, logged(&[(4, "one"), (4, "two"), (14, "slept")]));
}

#[test]
fn if_both_happen_at_one_instant_the_future_wins_and_the_interrupt_waits() {
    let log = scene(|log| {
        let (event, log) = (Event::new("event"), log.clone());
        let set = event.clone();
        let waiter = spawn("waiter", async move {
            assert!(interruptible(event.wait()).await.is_ok());
            log.note("event");
            assert!(interruptible(hold(ns(3))).await.is_err());
            log.note("interrupt");
        });
        spawn("both", async move {
            hold(ns(2)).await;
            waiter.interrupt("at once");
            set.set();
        });
    });
    assert_eq!(log, logged(&[(2, "event"), (2, "interrupt")]));
}

#[test]
fn of_nested_interruptible_waits_the_innermost_is_interrupted() {
    let log = scene(|log| {
        let log = log.clone();
        let sleeper = spawn("sleeper", async move {
            let notes = log.clone();
            let outer = interruptible(async move {
                for _ in 0..2 {
                    let inner = interruptible(hold(ns(10))).await;
                    notes.note(format!("inner {}", inner.is_err()));
                }
                hold(ns(10)).await;
                notes.note("not reached");
            });
            log.note(format!("outer {}", outer.await.is_err()));
        });
        spawn("alarm", async move {
            for _ in 0..3 {
                hold(ns(4)).await;
                sleeper.interrupt("again");
            }
        });
    });
    assert_eq!(log, logged(&[(4, "inner true"), (8, "inner true"), (12, "outer true")]));
}

#[test]
fn a_daemon_does_not_keep_the_run_going_and_is_dropped_at_its_end() {
    let log = scene(|log| {
        let log = log.clone();
        spawn_daemon("daemon", async move {
            let _kept = log.at_drop("dropped");
            loop {
                log.note("tick");
                hold(ns(4)).await;
            }
        });
        spawn("worker", hold(ns(6)));
    });
    assert_eq!(log, logged(&[(0, "tick"), (4, "tick"), (6, "dropped")]));
}

// ---- sizes and panics ----

#[test]
fn futures_of_any_size_and_alignment_have_a_place() {
    #[repr(align(128))]
    struct Aligned(u8);
    let log = scene(|log| {
        let [a, b, c] = [(); 3].map(|()| log.clone());
        spawn("empty", async {});
        spawn("large", async move {
            let bytes = [7_u8; 16_000];
            let more = [7_u8; 4_000];
            hold(ns(1)).await;
            a.note(bytes.iter().chain(&more).map(|&byte| u32::from(byte)).sum::<u32>().to_string());
        });
        spawn("aligned", async move {
            let value = Aligned(3);
            hold(ns(1)).await;
            assert!((&raw const value).addr().is_multiple_of(128));
            b.note(value.0.to_string());
        });
        // around the largest place there is
        for length in 0..40 {
            let c = c.clone();
            spawn(("edge", length), async move {
                edge(length as usize, &c).await;
            });
        }
    });
    assert_eq!(log[..2], logged(&[(1, "140000"), (1, "3")]));
    assert_eq!(log.len(), 42);
}

async fn edge(length: usize, log: &Log) {
    let bytes = [1_u8; 16_200];
    hold(ns(1)).await;
    log.note(bytes[length..].len().to_string());
}

#[test]
fn a_hundred_thousand_processes_wait_on_one_event_and_each_other() {
    let count = Rc::new(Cell::new(0_u64));
    let simulation = Simulation::new(1);
    simulation.enter(|| {
        let event = Event::new("start");
        let mut before = spawn("first", hold(ns(1)));
        for index in 0..100_000 {
            let (event, count) = (event.clone(), Rc::clone(&count));
            let next = before;
            before = spawn(("process", index), async move {
                join(event.wait(), next.join()).await.1.unwrap();
                count.set(count.get() + 1);
                assert_eq!(count.get(), u64::from(index) + 1);
            });
        }
        spawn("starter", async move {
            hold(ns(1)).await;
            event.set();
        });
    });
    simulation.run().unwrap();
    assert_eq!(count.get(), 100_000);
}

#[test]
fn a_panic_in_a_process_leaves_a_simulation_that_can_be_dropped() {
    struct Sets(Rc<Cell<bool>>);
    impl Drop for Sets {
        fn drop(&mut self) {
            self.0.set(true);
        }
    }
    let simulation = Simulation::new(1);
    let dropped = Rc::new(Cell::new(false));
    let sets = Sets(Rc::clone(&dropped));
    simulation.spawn("bystander", async move {
        let _sets = sets;
        hold(ns(100)).await;
    });
    simulation.spawn("fool", async {
        hold(ns(1)).await;
        panic!("a mistake of the model");
    });
    let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| simulation.run()));
    assert!(run.is_err() && dropped.get());
    // the thread can go on with another
    let (after, result) = scene_and_end(|log| {
        let log = log.clone();
        spawn("p", async move {
            hold(ns(1)).await;
            log.note("fine");
        });
    });
    assert!(result.is_ok());
    assert_eq!(after, logged(&[(1, "fine")]));
}
