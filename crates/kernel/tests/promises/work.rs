//! Work that is paused: it is over when its whole span has passed, and at equal times as the phases
//! say.

use std::cell::RefCell;
use std::rc::Rc;

use clustersim_kernel::{Either, Event, SimDuration, SimError, Simulation, Work, hold, now, race, timed};

const fn secs(seconds: u64) -> SimDuration {
    SimDuration::from_secs(seconds)
}

/// What happened when, in seconds.
type Diary = Rc<RefCell<Vec<(f64, &'static str)>>>;

fn note(diary: &Diary, what: &'static str) {
    diary.borrow_mut().push((now().as_secs_f64(), what));
}

/// What a master does, each thing some seconds after the one before.
type Steps = &'static [(u64, fn(&Work))];

/// A worker that does work of 10 s, and somebody who goes and pauses as told: (after how long,
/// what).
fn done_at(steps: Steps) -> Vec<(f64, &'static str)> {
    let diary = Diary::default();
    let simulation = Simulation::new(1);
    let work = Rc::new(Work::new("test"));
    work.set(secs(10));
    let (theirs, written) = (Rc::clone(&work), diary.clone());
    simulation.spawn("worker", async move {
        theirs.done().await;
        note(&written, "done");
    });
    simulation.spawn("master", async move {
        for &(wait, act) in steps {
            hold(secs(wait)).await;
            act(&work);
        }
    });
    simulation.run().expect("the work is done");
    diary.take()
}

#[test]
fn work_lasts_as_long_as_it_goes_on() {
    assert_eq!(done_at(&[(0, Work::go)]), [(10.0, "done")]);
    assert_eq!(done_at(&[(3, Work::go), (4, Work::pause), (5, Work::go)]), [(18.0, "done")]);
    // to let it go or pause it twice changes nothing
    assert_eq!(
        done_at(&[(3, Work::go), (1, Work::go), (3, Work::pause), (1, Work::pause), (4, Work::go)]),
        [(18.0, "done")]
    );
}

#[test]
fn work_paused_at_the_instant_of_its_end_has_been_done() {
    assert_eq!(done_at(&[(0, Work::go), (10, Work::pause)]), [(10.0, "done")]);
    assert_eq!(
        done_at(&[
            (0, Work::go),
            (10, |work| {
                work.pause();
                work.go();
                work.pause();
            })
        ]),
        [(10.0, "done")]
    );
}

#[test]
fn work_of_no_length_is_over_once_it_goes_on() {
    const EMPTY: fn(&Work) = |work| work.set(SimDuration::ZERO);
    assert_eq!(done_at(&[(0, EMPTY), (7, Work::go)]), [(7.0, "done")]);
    assert_eq!(done_at(&[(0, Work::go), (4, EMPTY)]), [(4.0, "done")]);
}

#[test]
fn what_is_left_can_be_replaced_and_asked_for() {
    assert_eq!(done_at(&[(0, Work::go), (4, |work| work.set(secs(1)))]), [(5.0, "done")]);
    done_at(&[
        (0, Work::go),
        (4, |work| assert_eq!(work.left(), secs(6))),
        (1, Work::pause),
        (9, |work| {
            assert_eq!((work.left(), work.is_going()), (secs(5), false));
            work.go();
        }),
    ]);
}

#[test]
fn a_wait_that_is_dropped_leaves_the_work_as_it_is() {
    let simulation = Simulation::new(1);
    simulation.spawn("worker", async {
        let work = Work::new("test");
        work.set(secs(10));
        work.go();
        assert_eq!(timed(secs(4), work.done()).await, None);
        assert_eq!(work.left(), secs(6));
        work.done().await;
        assert_eq!(now().as_nanos(), 10_000_000_000);
        // it is still going: more of it is work at once
        work.set(secs(2));
        work.done().await;
        assert_eq!(now().as_nanos(), 12_000_000_000);
        work.done().await;
        assert_eq!(now().as_nanos(), 12_000_000_000);
    });
    simulation.run().expect("ends");
}

#[test]
fn whatever_occurs_at_the_end_of_a_limit_comes_first() {
    let simulation = Simulation::new(1);
    simulation.spawn("spinner", async {
        let (limit, message) = (Work::limit("limit"), Event::new("message"));
        limit.set(secs(5));
        limit.go();
        let sent = message.clone();
        clustersim_kernel::spawn("sender", async move {
            hold(secs(5)).await;
            hold(SimDuration::ZERO).await;
            sent.set();
        });
        let first = race(limit.done(), message.wait()).await;
        assert!(matches!(first, Either::Right(())));
    });
    simulation.run().expect("ends");
}

#[test]
fn a_deadlock_tells_what_stands_still() {
    let simulation = Simulation::new(1);
    simulation.spawn("worker", async {
        let work = Work::new("compute");
        work.set(secs(10));
        work.done().await;
    });
    match simulation.run() {
        Err(SimError::Deadlock { blocked, .. }) => {
            assert_eq!(
                blocked[0].to_string(),
                "worker: waits for the end of work `compute`, which stands still, since 0 s"
            );
        }
        other => panic!("{other:?}"),
    }
}
