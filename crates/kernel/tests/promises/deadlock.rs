//! What a deadlock says, and what is none.

use clustersim_kernel::{
    Buffer, Condition, Event, Facility, Mailbox, PreemptiveFacility, SharedFacility, SimDuration, SimError,
    SimTime, Simulation, Storage, hold, join, observe, race, spawn, spawn_daemon, spawn_observer, timed,
};
use futures::stream::{FuturesUnordered, StreamExt};

use super::support::{logged, ns, scene, scene_and_end};

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
    assert_eq!(format!("{error}\n"), include_str!("deadlock.txt"));
    let SimError::Deadlock { at, blocked, .. } = error else { panic!("{error}") };
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
