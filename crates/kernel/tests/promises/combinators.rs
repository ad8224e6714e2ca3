//! A process may have many waits pending at once, under our combinators and those of the `futures`
//! crate.

use std::cell::RefCell;
use std::rc::Rc;

use clustersim_kernel::{
    Either, Event, SimDuration, Simulation, hold, join, now, race, settle, spawn, timed,
};
use futures::future::{self, join_all, select};
use futures::stream::{FuturesUnordered, StreamExt};

fn ns(nanos: u64) -> SimDuration {
    SimDuration::from_nanos(nanos)
}

/// Runs one process and gives what it logged.
fn log_of<F: Future<Output = ()> + 'static>(body: impl FnOnce(Log) -> F) -> Vec<(u64, String)> {
    let log = Log::default();
    let simulation = Simulation::new(1);
    simulation.spawn("body", body(log.clone()));
    simulation.run().expect("the program ends");
    log.0.take()
}

#[derive(Clone, Default)]
struct Log(Rc<RefCell<Vec<(u64, String)>>>);

impl Log {
    fn note(&self, text: impl Into<String>) {
        self.0.borrow_mut().push((now().as_nanos(), text.into()));
    }
}

#[test]
fn join_of_two_holds_in_falling_order_ends_with_the_longer() {
    let log = log_of(|log| async move {
        futures::join!(hold(ns(5)), hold(ns(3)));
        log.note("both");
        join(hold(ns(2)), hold(ns(9))).await;
        log.note("both again");
    });
    assert_eq!(log, [(5, "both".into()), (14, "both again".into())]);
}

#[test]
fn select_of_two_holds_ends_with_the_shorter_and_undoes_the_other() {
    let log = log_of(|log| async move {
        match select(hold(ns(8)), hold(ns(3))).await {
            future::Either::Left(_) => log.note("first"),
            future::Either::Right(_) => log.note("second"),
        }
        hold(ns(2)).await;
        log.note("after");
    });
    assert_eq!(log, [(3, "second".into()), (5, "after".into())]);
}

#[test]
fn select_biased_works_and_prefers_its_first_branch() {
    use futures::FutureExt;
    let log = log_of(|log| async move {
        let (mut a, mut b) = (hold(ns(4)).fuse(), hold(ns(4)).fuse());
        futures::select_biased! {
            () = a => log.note("a"),
            () = b => log.note("b"),
        }
    });
    assert_eq!(log, [(4, "a".into())]);
}

#[test]
fn holds_in_an_unordered_set_come_in_order_of_their_ends() {
    let log = log_of(|log| async move {
        let mut set: FuturesUnordered<_> = [7, 2, 5]
            .map(|d| async move {
                hold(ns(d)).await;
                d
            })
            .into_iter()
            .collect();
        while let Some(d) = set.next().await {
            log.note(d.to_string());
        }
    });
    assert_eq!(log, [(2, "2".into()), (5, "5".into()), (7, "7".into())]);
}

#[test]
fn join_all_of_31_and_of_1000_holds_wait_for_the_last() {
    for n in [31, 1_000] {
        let log = log_of(move |log| async move {
            let sums = join_all((0..n).map(|i| async move {
                hold(ns(n - i)).await;
                hold(ns(i)).await;
                1
            }))
            .await;
            log.note(sums.iter().sum::<u64>().to_string());
        });
        assert_eq!(log, [(n, n.to_string())]);
    }
}

#[test]
fn at_one_instant_the_first_argument_of_a_race_wins() {
    let log = log_of(|log| async move {
        match race(hold(ns(4)), hold(ns(4))).await {
            Either::Left(()) => log.note("first"),
            Either::Right(()) => log.note("second"),
        }
        let (a, b) = (Event::new("a"), Event::new("b"));
        let (a2, b2) = (a.clone(), b.clone());
        spawn("setter", async move {
            hold(ns(1)).await;
            b2.set();
            a2.set();
        });
        match race(a.wait(), b.wait()).await {
            Either::Left(()) => log.note("a"),
            Either::Right(()) => log.note("b"),
        }
    });
    assert_eq!(log, [(4, "first".into()), (5, "a".into())]);
}

#[test]
fn an_event_at_the_very_instant_of_the_time_out_wins_even_through_a_cascade() {
    let log = log_of(|log| async move {
        let (first, second) = (Event::new("first"), Event::new("second"));
        let (f, s) = (first.clone(), second.clone());
        spawn("relay", async move {
            f.wait().await;
            hold(ns(0)).await;
            s.set();
        });
        spawn("source", async move {
            hold(ns(10)).await;
            first.set();
        });
        log.note(format!("{:?}", timed(ns(10), second.wait()).await));
        log.note(format!("{:?}", second.timed_wait(ns(5)).await));
    });
    assert_eq!(log, [(10, "Some(())".into()), (15, "None".into())]);
}

#[test]
fn settle_sees_the_instant_closed_and_again_after_later_rounds() {
    let log = log_of(|log| async move {
        let l = log.clone();
        spawn("scheduler", async move {
            settle().await;
            l.note("decides");
            hold(ns(0)).await;
            settle().await;
            l.note("decides again");
        });
        for i in 0..3 {
            hold(ns(0)).await;
            log.note(format!("cascade {i}"));
        }
    });
    let texts: Vec<&str> = log.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["cascade 0", "cascade 1", "cascade 2", "decides", "decides again"]);
}

#[test]
fn a_pending_wait_moved_into_an_unordered_set_still_wakes_its_process() {
    let log = log_of(|log| async move {
        let mut moved = Box::pin(hold(ns(6)));
        assert!(futures::poll!(&mut moved).is_pending());
        let mut set = FuturesUnordered::from_iter([moved]);
        set.next().await;
        log.note("woken");
    });
    assert_eq!(log, [(6, "woken".into())]);
}

#[test]
fn a_limit_past_the_end_of_time_never_runs_out() {
    let log = log_of(|log| async move {
        let event = Event::new("late");
        let setter = event.clone();
        spawn("setter", async move {
            for _ in 0..3 {
                hold(ns(5)).await;
                setter.set();
            }
        });
        hold(ns(1)).await; // from here on, the longest duration leads past the end
        let always = SimDuration::MAX;
        log.note(format!("{:?}", timed(always, event.wait()).await));
        log.note(format!("{:?}", event.timed_wait(always).await));
        log.note(format!("{:?}", timed(always, join(event.wait(), hold(ns(1)))).await));
        log.note(format!("{:?}", timed(ns(3), timed(always, event.wait())).await));
    });
    let expected = [(5, "Some(())"), (10, "Some(())"), (15, "Some(((), ()))"), (18, "None")]
        .map(|(at, text)| (at, text.to_owned()));
    assert_eq!(log, expected);
}
