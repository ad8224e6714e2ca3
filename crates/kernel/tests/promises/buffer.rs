//! Buffers: a bounded level, filled and drained in order.

use std::pin::Pin;

use clustersim_kernel::{Buffer, hold, spawn};

use super::support::{By, ENDS, Log, SURVIVED, logged, lose, ns, scene};

fn mover(log: &Log, buffer: &Buffer, name: &'static str, at: u64, gets: bool, units: u64) {
    let (log, buffer) = (log.clone(), buffer.clone());
    spawn(name, async move {
        hold(ns(at)).await;
        if gets {
            buffer.get(units).await;
        } else {
            buffer.put(units).await;
        }
        log.note(name);
    });
}

#[test]
fn getters_wait_for_units_and_putters_for_room_each_in_order() {
    let log = scene(|log| {
        let buffer = Buffer::new("buffer", 10, 4);
        mover(log, &buffer, "get 6", 1, true, 6);
        mover(log, &buffer, "get 1", 2, true, 1);
        mover(log, &buffer, "put 3", 3, false, 3);
        mover(log, &buffer, "put 9", 4, false, 9);
        mover(log, &buffer, "put 1", 5, false, 1);
        mover(log, &buffer, "get 1 more", 6, true, 1);
        spawn("reader", async move {
            hold(ns(9)).await;
            // 4 + 3 - 6 - 1 = 0, then 9, 1 and again 1 out
            assert_eq!((buffer.level(), buffer.room()), (9, 1));
        });
    });
    // put 3 makes 7: get 6 and get 1 go, one after the other; then put 9 fits and put 1 after it
    let order = [(3, "put 3"), (3, "get 6"), (3, "get 1"), (4, "put 9"), (5, "put 1"), (6, "get 1 more")];
    assert_eq!(log, logged(&order));
}

#[test]
fn a_putter_waits_until_enough_was_taken() {
    let log = scene(|log| {
        let buffer = Buffer::new("buffer", 5, 4);
        mover(log, &buffer, "put 3", 0, false, 3);
        mover(log, &buffer, "put 1", 0, false, 1);
        mover(log, &buffer, "get 1", 1, true, 1);
        mover(log, &buffer, "get 2", 2, true, 2);
    });
    // put 1 would fit but stands behind put 3
    let order = [(1, "get 1"), (2, "get 2"), (2, "put 3"), (2, "put 1")];
    assert_eq!(log, logged(&order));
}

fn moves(buffer: Buffer, gets: bool) -> impl Fn() -> Pin<Box<dyn Future<Output = ()>>> + Clone + 'static {
    move || {
        let buffer = buffer.clone();
        Box::pin(async move { if gets { buffer.get(2).await } else { buffer.put(2).await } })
    }
}

/// A move that needs no waiting.
fn at_once(buffer: Buffer, gets: bool) -> impl FnOnce() + 'static {
    use futures::FutureExt;
    move || {
        let moved = if gets { buffer.get(2).now_or_never() } else { buffer.put(2).now_or_never() };
        assert!(moved.is_some());
    }
}

#[test]
fn a_lost_get_leaves_the_units_to_the_next() {
    for by in SURVIVED {
        let buffer = Buffer::new("buffer", 3, 0);
        let log = lose(by, moves(buffer.clone(), true), at_once(buffer.clone(), false));
        assert_eq!(log, logged(&[(9, "other")]), "{by:?}");
        assert_eq!((buffer.level(), buffer.room()), (0, 3), "{by:?}");
    }
}

#[test]
fn a_lost_put_leaves_the_room_to_the_next() {
    for by in SURVIVED {
        let buffer = Buffer::new("buffer", 3, 3);
        let log = lose(by, moves(buffer.clone(), false), at_once(buffer.clone(), true));
        assert_eq!(log, logged(&[(9, "other")]), "{by:?}");
        assert_eq!((buffer.level(), buffer.room()), (3, 0), "{by:?}");
    }
}

#[test]
fn at_the_end_of_a_run_what_was_on_its_way_is_back() {
    for (by, gets) in ENDS.into_iter().flat_map(|by| [(by, false), (by, true)]) {
        let buffer = Buffer::new("buffer", 3, if gets { 0 } else { 3 });
        assert_eq!(lose(by, moves(buffer.clone(), gets), at_once(buffer.clone(), !gets)), [], "{by:?}");
        let moved = if by == By::EndOnceServed { 2 } else { 0 };
        let level = if gets { moved } else { 3 - moved };
        assert_eq!((buffer.level(), buffer.room()), (level, 3 - level), "{by:?}");
    }
}

#[test]
fn an_impatient_mover_lets_those_behind_it_go() {
    let log = scene(|log| {
        let buffer = Buffer::new("buffer", 5, 1);
        let large = buffer.clone();
        spawn("large", async move {
            assert!(clustersim_kernel::timed(ns(4), large.get(3)).await.is_none());
        });
        mover(log, &buffer, "small", 1, true, 1);
    });
    assert_eq!(log, logged(&[(4, "small")]));
}
