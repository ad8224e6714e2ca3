//! Signals: given to whoever waits, once, and forgotten otherwise.

use std::cell::RefCell;
use std::rc::Rc;

use clustersim::kernel::{Signal, SimDuration, SimError, Simulation, hold, now, race};

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
