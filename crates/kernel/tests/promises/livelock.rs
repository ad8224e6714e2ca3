//! Instants that never end, and the end of time.

use std::cell::Cell;
use std::rc::Rc;

use clustersim_kernel::{
    Mailbox, Outcome, PreemptiveFacility, SharedFacility, SimDuration, SimError, SimTime, Simulation, hold,
    now, settle, spawn, timer,
};
use futures::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};

use super::support::ns;

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
    let wait_too_long: [Begin; 3] = [
        || Box::pin(hold(SimDuration::MAX)),
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
            error.to_string().starts_with("process `eternal 2` waits for ever from 1 s on: that ends past"),
            "{error}"
        );
    }
}

#[test]
fn the_last_instant_of_time_is_never_and_the_one_before_is_not() {
    let waits = |nanos| {
        let simulation = Simulation::new(1);
        simulation.spawn("patient", async move {
            hold(ns(7)).await;
            hold(ns(nanos)).await;
            settle().await;
        });
        simulation.run()
    };
    let last = SimTime::from_nanos(u64::MAX - 1);
    assert_eq!(waits(u64::MAX - 8).unwrap().ended_at, last);
    let error = waits(u64::MAX - 7).unwrap_err().to_string();
    assert!(error.starts_with("process `patient` waits for ever from 0.000000007 s on: "), "{error}");
}
