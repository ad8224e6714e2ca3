//! Storage: units in order, strict or first fit, and all of them back.

use std::pin::Pin;

use clustersim_kernel::{Storage, hold, spawn};
use futures::FutureExt;

use super::support::{ENDS, Log, SURVIVED, logged, lose, ns, scene};

fn user(log: &Log, store: &Storage, name: &'static str, at: u64, units: u64, span: u64) {
    let (log, store) = (log.clone(), store.clone());
    spawn(name, async move {
        hold(ns(at)).await;
        let allocation = store.allocate(units).await;
        assert_eq!(allocation.units(), units);
        log.note(name);
        hold(ns(span)).await;
        allocation.deallocate();
    });
}

#[test]
fn a_request_that_does_not_fit_holds_back_those_behind_it() {
    let log = scene(|log| {
        let store = Storage::new("store", 10);
        user(log, &store, "six", 0, 6, 10);
        user(log, &store, "five", 1, 5, 10);
        user(log, &store, "one", 2, 1, 1);
        user(log, &store, "four", 3, 4, 1);
    });
    assert_eq!(log, logged(&[(0, "six"), (10, "five"), (10, "one"), (10, "four")]));
}

#[test]
fn with_first_fit_any_that_fits_goes_in_order() {
    let log = scene(|log| {
        let store = Storage::first_fit("store", 10);
        user(log, &store, "six", 0, 6, 10);
        user(log, &store, "five", 1, 5, 10);
        user(log, &store, "three", 2, 3, 2);
        user(log, &store, "four", 3, 4, 5);
    });
    // three fits at once; four waits until it is back at 4 and passes five, which waits for six
    assert_eq!(log, logged(&[(0, "six"), (2, "three"), (4, "four"), (10, "five")]));
}

#[test]
fn units_are_counted() {
    scene(|log| {
        let store = Storage::new("store", 10);
        user(log, &store, "a", 0, 7, 5);
        user(log, &store, "b", 1, 7, 5);
        spawn("reader", async move {
            hold(ns(2)).await;
            assert_eq!((store.capacity(), store.available(), store.waiting()), (10, 3, 1));
            hold(ns(4)).await;
            assert_eq!((store.available(), store.waiting()), (3, 0));
            hold(ns(9)).await;
            assert_eq!(store.available(), 10);
        });
    });
}

#[test]
fn an_impatient_request_lets_those_behind_it_go() {
    let log = scene(|log| {
        let store = Storage::new("store", 10);
        user(log, &store, "six", 0, 6, 100);
        let large = store.clone();
        spawn("large", async move {
            hold(ns(1)).await;
            assert!(clustersim_kernel::timed(ns(4), large.allocate(9)).await.is_none());
        });
        user(log, &store, "small", 2, 4, 1);
    });
    assert_eq!(log, logged(&[(0, "six"), (5, "small")]));
}

fn taken(first_fit: bool) -> (&'static Storage, impl FnOnce() + 'static) {
    let store = if first_fit { Storage::first_fit("store", 3) } else { Storage::new("store", 3) };
    let store: &'static Storage = Box::leak(Box::new(store));
    let units = store.allocate(3).now_or_never().unwrap();
    (store, move || units.deallocate())
}

fn take(store: &'static Storage) -> Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(async { store.allocate(2).await.deallocate() })
}

#[test]
fn lost_requests_leave_their_units_to_the_next() {
    for (by, first_fit) in SURVIVED.into_iter().flat_map(|by| [(by, false), (by, true)]) {
        let (store, give) = taken(first_fit);
        assert_eq!(lose(by, move || take(store), give), logged(&[(9, "other")]), "{by:?}");
        assert_eq!((store.available(), store.waiting()), (3, 0), "{by:?}");
    }
}

#[test]
fn at_the_end_of_a_run_every_unit_is_back() {
    for (by, first_fit) in ENDS.into_iter().flat_map(|by| [(by, false), (by, true)]) {
        let (store, give) = taken(first_fit);
        assert_eq!(lose(by, move || take(store), give), [], "{by:?}");
        assert_eq!((store.available(), store.waiting()), (3, 0), "{by:?}");
    }
}
