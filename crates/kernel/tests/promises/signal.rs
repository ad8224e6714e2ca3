//! Signals: they resume whoever waits, once; otherwise they are forgotten or remembered.

use std::cell::RefCell;
use std::rc::Rc;

use clustersim_kernel::{Event, Signal, SimDuration, SimError, Simulation, hold, now, race};

fn nanos(nanos: u64) -> SimDuration {
    SimDuration::from_nanos(nanos)
}

/// When a process that waits time and again was resumed, if signals are given after such holds.
fn resumed(gives: &'static [u64]) -> Vec<u64> {
    let simulation = Simulation::new(1);
    let signal = Rc::new(Signal::new("test"));
    let times: Rc<RefCell<Vec<u64>>> = Rc::default();
    let (waits, noted) = (Rc::clone(&signal), Rc::clone(&times));
    simulation.spawn_daemon("waiter", async move {
        loop {
            waits.wait().await;
            noted.borrow_mut().push(now().as_nanos());
        }
    });
    simulation.spawn("giver", async move {
        for &span in gives {
            if span > 0 {
                hold(nanos(span)).await;
            }
            signal.give();
        }
        hold(nanos(1)).await;
    });
    simulation.run().expect("the giver ends");
    times.take()
}

#[test]
fn a_signal_resumes_who_waits_once() {
    assert_eq!(resumed(&[5, 3]), [5, 8]);
    assert_eq!(resumed(&[5, 0, 0, 3]), [5, 8], "the second and third find nobody who waits");
}

#[test]
fn a_signal_that_nobody_waits_for_is_forgotten() {
    let simulation = Simulation::new(1);
    simulation.spawn("alone", async {
        let signal = Signal::new("never given again");
        signal.give();
        signal.wait().await;
    });
    let Err(SimError::Deadlock { blocked, .. }) = simulation.run() else { panic!("nobody gives it again") };
    let told = format!("{blocked:?}");
    assert!(told.contains("waits for signal `never given again` since"), "{told}");
}

#[test]
fn a_wait_that_is_dropped_makes_room_for_another() {
    let simulation = Simulation::new(1);
    simulation.spawn("twice", async {
        let signal = Signal::new("test");
        race(signal.wait(), hold(nanos(2))).await;
        assert_eq!(now().as_nanos(), 2);
        race(signal.wait(), hold(nanos(3))).await;
        assert_eq!(now().as_nanos(), 5);
    });
    simulation.run().expect("both waits are dropped");
}

#[test]
fn a_signal_that_is_set_is_remembered_once_until_a_wait_or_a_clear() {
    let simulation = Simulation::new(1);
    simulation.spawn("alone", async {
        let signal = Signal::new("test");
        signal.set();
        signal.set();
        signal.wait().await;
        race(signal.wait(), hold(nanos(2))).await;
        assert_eq!(now().as_nanos(), 2, "set twice is set once");
        signal.set();
        signal.clear();
        race(signal.wait(), hold(nanos(3))).await;
        assert_eq!(now().as_nanos(), 5, "cleared");
    });
    simulation.run().expect("no wait is for ever");
}

/// When a process that waits time and again, and now and then gives up waiting, is resumed, and the
/// digest of that.
macro_rules! resumed_by_set {
    ($what:ty) => {{
        let simulation = Simulation::new(1);
        let (of, times) = (Rc::new(<$what>::new("test")), Rc::new(RefCell::new(Vec::new())));
        let (waits, noted) = (Rc::clone(&of), Rc::clone(&times));
        simulation.spawn_daemon("waiter", async move {
            for turn in 0_u64.. {
                if turn % 3 == 2 {
                    race(waits.wait(), hold(nanos(1))).await;
                } else {
                    waits.wait().await;
                }
                noted.borrow_mut().push(now().as_nanos());
                hold(nanos(turn % 4)).await;
            }
        });
        simulation.spawn("setter", async move {
            for span in [5, 0, 0, 3, 1, 1, 0, 1, 2, 7, 0, 1, 1, 1, 4, 9] {
                hold(nanos(span)).await;
                of.set();
                if span == 7 {
                    of.clear();
                }
            }
        });
        let outcome = simulation.run().expect("the setter ends");
        (times.take(), outcome.events, outcome.digest)
    }};
}

#[test]
fn for_one_process_a_signal_that_is_set_is_an_event() {
    let (by_signal, by_event) = (resumed_by_set!(Signal), resumed_by_set!(Event));
    assert_eq!(by_signal, by_event);
    assert!(by_signal.0.len() > 8, "{by_signal:?}");
}
