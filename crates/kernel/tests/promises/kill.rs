//! Processes killed: by others, by themselves, before they start and while they are dropped.

use std::cell::Cell;
use std::rc::Rc;

use clustersim_kernel::{Event, Killed, Mailbox, Process, Simulation, current, hold, spawn, spawn_daemon};

use super::support::{AtDrop, Log, logged, ns, scene};

#[test]
fn a_killed_process_drops_what_it_has_at_once() {
    let log = scene(|log| {
        let log = log.clone();
        let kept = log.at_drop("dropped");
        let victim = spawn("victim", async move {
            let _kept = kept;
            hold(ns(100)).await;
        });
        spawn("killer", async move {
            hold(ns(3)).await;
            victim.kill();
            log.note("killed");
        });
    });
    assert_eq!(log, logged(&[(3, "dropped"), (3, "killed")]));
}

#[test]
fn a_process_that_kills_itself_ends_at_its_next_await() {
    let log = scene(|log| {
        let [a, b] = [(); 2].map(|()| log.clone());
        let suicide = spawn("suicide", async move {
            let _kept = a.at_drop("dropped");
            hold(ns(2)).await;
            assert!(current().kill());
            a.note("still here");
            hold(ns(1)).await;
            a.note("never");
        });
        spawn("joiner", async move {
            assert_eq!(suicide.join().await, Err(Killed));
            b.note("joined");
        });
    });
    assert_eq!(log, logged(&[(2, "still here"), (2, "dropped"), (2, "joined")]));
}

#[test]
fn a_process_that_kills_itself_and_awaits_no_more_has_ended_by_itself() {
    scene(|_| {
        let process = spawn("p", async {
            current().kill();
        });
        spawn("joiner", async move { assert_eq!(process.join().await, Ok(())) });
    });
}

#[test]
fn a_process_killed_before_it_started_never_runs() {
    let log = scene(|log| {
        let log = log.clone();
        spawn("parent", async move {
            let kept = log.at_drop("dropped");
            let inner = log.clone();
            let child = spawn("child", async move {
                inner.note("never");
                drop(kept);
            });
            assert!(child.kill());
            // its place may be taken before its turn comes up
            let next = log.clone();
            spawn("next", async move { next.note("next") });
            assert_eq!(child.join().await, Err(Killed));
            log.note("joined");
        });
    });
    assert_eq!(log, logged(&[(0, "dropped"), (0, "joined"), (0, "next")]));
}

#[test]
fn a_destructor_may_kill_another_process_the_running_one_and_its_own() {
    struct Kills(Rc<Cell<Option<Process>>>);
    impl Drop for Kills {
        fn drop(&mut self) {
            if let Some(process) = self.0.get() {
                process.kill();
            }
        }
    }
    let log = scene(|log| {
        let targets: [Rc<Cell<Option<Process>>>; 3] = Default::default();
        let held = targets.clone().map(Kills);
        let (a, b) = (log.clone(), log.clone());
        let victim = spawn("victim", async move {
            let _held = held;
            hold(ns(100)).await;
        });
        let bystander = spawn("bystander", async move {
            let _kept = a.at_drop("bystander dropped");
            hold(ns(100)).await;
        });
        let killer = spawn("killer", async move {
            hold(ns(1)).await;
            victim.kill();
            b.note("killer goes on to its next await");
            hold(ns(1)).await;
            b.note("never");
        });
        for (target, process) in targets.iter().zip([bystander, killer, victim]) {
            target.set(Some(process));
        }
        let log = log.clone();
        spawn("joiner", async move {
            for process in [victim, bystander, killer] {
                assert_eq!(process.join().await, Err(Killed));
            }
            log.note("all killed");
        });
    });
    let order = ["bystander dropped", "killer goes on to its next await", "all killed"];
    assert_eq!(log, logged(&order.map(|text| (1, text))));
}

#[test]
fn a_destructor_may_send_set_and_spawn() {
    struct Says(Mailbox<&'static str>, Event, Log);
    impl Drop for Says {
        fn drop(&mut self) {
            self.0.send("farewell");
            self.1.set();
            let log = self.2.clone();
            spawn("heir", async move { log.note("heir") });
        }
    }
    let log = scene(|log| {
        let (mailbox, event) = (Mailbox::new("mailbox"), Event::new("event"));
        let says = Says(mailbox.clone(), event.clone(), log.clone());
        let victim = spawn("victim", async move {
            let _says = says;
            hold(ns(50)).await;
        });
        let [a, b] = [(); 2].map(|()| log.clone());
        spawn("receiver", async move { a.note(mailbox.receive().await) });
        spawn("waiter", async move {
            event.wait().await;
            b.note("event");
        });
        spawn("killer", async move {
            hold(ns(1)).await;
            victim.kill();
        });
    });
    assert_eq!(log, logged(&[(1, "farewell"), (1, "event"), (1, "heir")]));
}

#[test]
fn every_future_is_dropped_once_whatever_becomes_of_its_process() {
    struct Counts(Rc<Cell<u32>>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
        }
    }
    let drops: Rc<Cell<u32>> = Rc::default();
    let counted = || Counts(Rc::clone(&drops));
    let mut simulation = Simulation::new(1);
    simulation.enter(|| {
        for at in [0, 1, 5] {
            let (kept, span) = (counted(), ns(at));
            spawn("ends", async move {
                let _kept = kept;
                hold(span).await;
            });
        }
        let victims = [(); 4].map(|()| {
            let kept = counted();
            spawn("victim", async move {
                let _kept = kept;
                hold(ns(100)).await;
            })
        });
        victims[0].kill();
        let kept = counted();
        spawn("killer", async move {
            let _kept = kept;
            victims[1].kill();
            hold(ns(2)).await;
            victims[2].kill();
            current().kill();
            hold(ns(1)).await;
        });
        let kept = counted();
        spawn_daemon("daemon", async move {
            let _kept = kept;
            hold(ns(1_000)).await;
        });
    });
    simulation.run_until(clustersim_kernel::SimTime::from_nanos(10)).unwrap();
    assert_eq!(drops.get(), 7);
    drop(simulation);
    assert_eq!(drops.get(), 9);
}

#[test]
fn what_a_destructor_spawns_at_the_end_of_a_run_is_dropped_too() {
    struct AtEnd(Option<AtDrop>);
    impl Drop for AtEnd {
        fn drop(&mut self) {
            let kept = self.0.take();
            spawn("heir", async move {
                let _kept = kept;
                hold(ns(1)).await;
            });
        }
    }
    let log = scene(|log| {
        let at_end = AtEnd(Some(log.at_drop("heir dropped")));
        spawn_daemon("daemon", async move {
            let _at_end = at_end;
            hold(ns(100)).await;
        });
        spawn("worker", hold(ns(2)));
    });
    assert_eq!(log, logged(&[(2, "heir dropped")]));
}
