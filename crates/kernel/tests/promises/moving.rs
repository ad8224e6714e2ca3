//! Futures that move from process to process, and wakers that outlive them.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use clustersim_kernel::{Either, Mailbox, Process, Simulation, hold, race, spawn};
use futures::future::poll_fn;

use super::support::{Log, logged, ns, scene};

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
