//! The life of a process: started, joined, interrupted, killed, moved about and outlived.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use clustersim::kernel::{
    Event, Killed, Mailbox, Process, Simulation, current, hold, interruptible, join, race, spawn,
    spawn_daemon,
};
use futures::future::{Either, poll_fn};

use super::support::{AtDrop, ENDS, Log, SURVIVED, logged, lose, ns, scene, scene_and_end};

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

// ---- join ---------------------------------------------------------------------------------------------------------

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

// ---- interrupt ----------------------------------------------------------------------------------------------------

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

// ---- kill ---------------------------------------------------------------------------------------------------------

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
    simulation.run_until(clustersim::kernel::SimTime::from_nanos(10)).unwrap();
    assert_eq!(drops.get(), 7);
    drop(simulation);
    assert_eq!(drops.get(), 9);
}

// ---- daemons ------------------------------------------------------------------------------------------------------

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

// ---- futures and wakers that move ---------------------------------------------------------------------------------

type Moved = Rc<RefCell<Option<Pin<Box<dyn Future<Output = ()>>>>>>;

/// Arms `future` in a first process, which then does `then`; a second one awaits it from instant 2.
fn moved<T: Future<Output = ()> + 'static>(
    log: &Log,
    future: impl Future<Output = ()> + 'static,
    then: impl FnOnce() -> T + 'static,
) -> Process {
    let place: Moved = Rc::default();
    let (from, to, log) = (Rc::clone(&place), place, log.clone());
    let first = spawn("first", async move {
        let mut future: Pin<Box<dyn Future<Output = ()>>> = Box::pin(future);
        poll_fn(|cx| {
            assert!(future.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
        *from.borrow_mut() = Some(future);
        then().await;
    });
    spawn("second", async move {
        hold(ns(2)).await;
        let future = to.take().unwrap();
        future.await;
        log.note("second");
    });
    first
}

#[test]
fn a_wait_may_move_to_another_process_whether_the_first_lives_ends_or_is_killed() {
    let log = scene(|log| {
        moved(log, hold(ns(5)), || hold(ns(9)));
        moved(log, hold(ns(6)), || async {});
        let victim = moved(log, hold(ns(7)), || hold(ns(100)));
        // the wait fires before it is polled in its new process
        moved(log, hold(ns(1)), || async {});
        spawn("killer", async move {
            hold(ns(3)).await;
            victim.kill();
        });
    });
    assert_eq!(log, logged(&[(2, "second"), (5, "second"), (6, "second"), (7, "second")]));
}

#[test]
fn a_moved_wait_leaves_its_queue_with_the_process_it_moved_to() {
    let log = scene(|log| {
        let mailbox = Mailbox::new("mailbox");
        let (inbox, place, last) = (mailbox.clone(), Moved::default(), log.clone());
        let to = Rc::clone(&place);
        spawn("first", async move {
            let mut future: Pin<Box<dyn Future<Output = ()>>> = Box::pin(async move {
                let _: u32 = inbox.receive().await;
            });
            assert!(futures::poll!(&mut future).is_pending());
            *place.borrow_mut() = Some(future);
        });
        let second = spawn("second", async move {
            hold(ns(1)).await;
            let future = to.take().unwrap();
            future.await;
        });
        spawn("fate", async move {
            hold(ns(2)).await;
            assert_eq!(mailbox.receivers(), 1);
            mailbox.send(4);
            second.kill();
            assert_eq!((mailbox.receivers(), mailbox.len()), (0, 1));
            last.note(mailbox.receive().await.to_string());
        });
    });
    assert_eq!(log, logged(&[(2, "4")]));
}

/// The waker of a process, handed out.
async fn own_waker() -> Waker {
    poll_fn(|cx| Poll::Ready(cx.waker().clone())).await
}

#[test]
fn a_waker_resumes_its_process_and_outlives_it_and_the_simulation() {
    let kept: Rc<RefCell<Option<Waker>>> = Rc::default();
    let (shared, flag) = (Rc::clone(&kept), Rc::new(Cell::new(false)));
    let log = scene(|log| {
        let (log, set) = (log.clone(), Rc::clone(&flag));
        let keeper = Rc::clone(&shared);
        spawn("sleeper", async move {
            *keeper.borrow_mut() = Some(own_waker().await);
            poll_fn(|_| if flag.get() { Poll::Ready(()) } else { Poll::Pending }).await;
            log.note("woken");
        });
        let waking = Rc::clone(&shared);
        spawn("waker", async move {
            hold(ns(3)).await;
            let waker = waking.borrow().clone().unwrap();
            waker.wake_by_ref();
            hold(ns(3)).await;
            set.set(true);
            waker.wake_by_ref();
            waker.wake_by_ref();
            hold(ns(3)).await;
            // its process has ended, and another is in its place
            spawn("next", hold(ns(5)));
            waker.wake();
        });
    });
    assert_eq!(log, logged(&[(6, "woken")]));
    let waker = kept.take().unwrap();
    waker.wake_by_ref();
    let other = Simulation::new(2);
    other.spawn("p", hold(ns(1)));
    other.enter(|| waker.wake_by_ref());
    assert_eq!(other.run().unwrap().events, 2);
    std::thread::spawn(move || waker.wake()).join().unwrap();
}

#[test]
fn a_waker_woken_on_another_thread_does_nothing_here() {
    let log = scene(|log| {
        let log = log.clone();
        spawn("p", async move {
            let waker = own_waker().await;
            std::thread::spawn(move || {
                let simulation = Simulation::new(3);
                simulation.spawn("q", hold(ns(1)));
                simulation.enter(|| waker.wake());
                simulation.run().unwrap();
            })
            .join()
            .unwrap();
            hold(ns(4)).await;
            log.note("undisturbed");
        });
    });
    assert_eq!(log, logged(&[(4, "undisturbed")]));
}

#[test]
fn channels_of_the_futures_crate_work_between_processes() {
    let log = scene(|log| {
        let (log, (sender, receiver)) = (log.clone(), futures::channel::oneshot::channel::<u32>());
        spawn("receiver", async move {
            match race(receiver, hold(ns(9))).await {
                Either::Left(message) => log.note(message.unwrap().to_string()),
                Either::Right(()) => log.note("nothing"),
            }
        });
        spawn("sender", async move {
            hold(ns(4)).await;
            sender.send(7).unwrap();
        });
    });
    assert_eq!(log, logged(&[(4, "7")]));
}

// ---- sizes --------------------------------------------------------------------------------------------------------

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

// ---- panics -------------------------------------------------------------------------------------------------------

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
