//! Events: set, clear, wait, queue, and what happens to a wake-up that is not taken.

use clustersim_kernel::{Event, hold, spawn};

use super::support::{ENDS, SURVIVED, logged, lose, ns, scene};

#[test]
fn set_resumes_all_waiters_in_order_of_arrival_then_the_first_of_the_queue() {
    let log = scene(|log| {
        let event = Event::new("event");
        for (name, queues) in [("q1", true), ("w1", false), ("q2", true), ("w2", false)] {
            let (log, event) = (log.clone(), event.clone());
            spawn(name, async move {
                if queues {
                    event.queue().await;
                } else {
                    event.wait().await;
                }
                log.note(name);
            });
        }
        spawn("setter", async move {
            hold(ns(1)).await;
            assert_eq!(event.waiting(), 4);
            event.set();
            assert_eq!(event.waiting(), 1);
            assert!(!event.has_occurred());
            hold(ns(1)).await;
            event.set();
            assert!(!event.has_occurred());
            hold(ns(1)).await;
            event.set();
            assert!(event.has_occurred());
        });
    });
    assert_eq!(log, logged(&[(1, "w1"), (1, "w2"), (1, "q1"), (2, "q2")]));
}

#[test]
fn with_nobody_there_the_event_stays_occurred_and_setting_it_again_changes_nothing() {
    let log = scene(|log| {
        let (event, log) = (Event::new("event"), log.clone());
        event.set();
        event.set();
        assert!(event.has_occurred());
        spawn("p", async move {
            event.wait().await;
            log.note("first");
            assert!(!event.has_occurred());
            assert_eq!(event.timed_wait(ns(5)).await, None);
            log.note("one set, one wait");
            event.set();
            event.queue().await;
            log.note("queue resets too");
            assert!(!event.has_occurred());
        });
    });
    assert_eq!(log, logged(&[(0, "first"), (5, "one set, one wait"), (5, "queue resets too")]));
}

#[test]
fn waiting_for_what_has_occurred_does_not_yield() {
    let log = scene(|log| {
        let event = Event::new("event");
        event.set();
        let (a, b) = (log.clone(), log.clone());
        spawn("a", async move {
            a.note("before");
            event.wait().await;
            a.note("after");
        });
        spawn("b", async move { b.note("other") });
    });
    assert_eq!(log, logged(&[(0, "before"), (0, "after"), (0, "other")]));
}

#[test]
fn a_cleared_event_has_not_occurred() {
    let log = scene(|log| {
        let (event, log) = (Event::new("event"), log.clone());
        event.set();
        event.clear();
        spawn("p", async move {
            assert!(event.timed_queue(ns(2)).await.is_none());
            log.note("waited");
            event.clear();
            assert!(!event.has_occurred());
        });
    });
    assert_eq!(log, logged(&[(2, "waited")]));
}

#[test]
fn who_waits_again_in_the_instant_of_a_set_waits_for_the_next_one() {
    let log = scene(|log| {
        let event = Event::new("event");
        let (log, waited) = (log.clone(), event.clone());
        spawn("p", async move {
            for _ in 0..2 {
                waited.wait().await;
                log.note("set");
            }
        });
        spawn("setter", async move {
            hold(ns(1)).await;
            event.set();
            hold(ns(3)).await;
            event.set();
        });
    });
    assert_eq!(log, logged(&[(1, "set"), (4, "set")]));
}

#[test]
fn a_lost_wait_leaves_the_event_to_the_others() {
    for by in SURVIVED {
        let event = Event::new("event");
        let (waited, set) = (event.clone(), event.clone());
        let wait = move || {
            let event = waited.clone();
            async move { event.wait().await }
        };
        assert_eq!(lose(by, wait, move || set.set()), logged(&[(9, "other")]), "{by:?}");
        assert_eq!((event.waiting(), event.has_occurred()), (0, false), "{by:?}");
    }
}

#[test]
fn a_lost_turn_in_the_queue_goes_to_the_next() {
    for by in SURVIVED {
        let event = Event::new("event");
        let (waited, set) = (event.clone(), event.clone());
        let wait = move || {
            let event = waited.clone();
            async move { event.queue().await }
        };
        assert_eq!(lose(by, wait, move || set.set()), logged(&[(9, "other")]), "{by:?}");
        assert_eq!((event.waiting(), event.has_occurred()), (0, false), "{by:?}");
    }
}

#[test]
fn at_the_end_of_a_run_nobody_is_left_at_the_event() {
    for (by, queues) in ENDS.into_iter().flat_map(|by| [(by, false), (by, true)]) {
        let event = Event::new("event");
        let (waited, set) = (event.clone(), event.clone());
        let wait = move || {
            let event = waited.clone();
            async move { if queues { event.queue().await } else { event.wait().await } }
        };
        assert_eq!(lose(by, wait, move || set.set()), [], "{by:?}");
        assert_eq!(event.waiting(), 0, "{by:?}");
    }
}

#[test]
fn a_turn_that_nobody_is_left_to_take_makes_the_event_occurred() {
    let log = scene(|log| {
        let event = Event::new("event");
        let (log, queued) = (log.clone(), event.clone());
        let victim = spawn("victim", async move { queued.queue().await });
        spawn("fate", async move {
            hold(ns(1)).await;
            event.set();
            victim.kill();
            assert!(event.has_occurred());
            event.wait().await;
            log.note("taken");
        });
    });
    assert_eq!(log, logged(&[(1, "taken")]));
}
