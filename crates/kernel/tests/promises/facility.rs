//! Facilities of the three kinds, worked by hand.

use std::cell::Cell;
use std::pin::Pin;

use clustersim_kernel::primitive::Server;
use clustersim_kernel::{Facility, PreemptiveFacility, SharedFacility, hold, now, race, spawn, timed};
use futures::FutureExt;

use super::support::{ENDS, Log, SURVIVED, logged, lose, ns, scene};

/// Arrives at `at`, needs `span`, notes when it is done.
fn customer(log: &Log, server: &Facility, name: &'static str, at: u64, priority: i64, span: u64) {
    let (log, server) = (log.clone(), server.clone());
    spawn(name, async move {
        hold(ns(at)).await;
        server.use_for_at(priority, ns(span)).await;
        log.note(name);
    });
}

#[test]
fn one_server_serves_in_order_of_arrival() {
    let log = scene(|log| {
        let server = Facility::new("server", 1);
        customer(log, &server, "a", 1, 0, 4);
        customer(log, &server, "b", 0, 0, 3);
        customer(log, &server, "c", 3, 0, 2);
        customer(log, &server, "d", 20, 0, 1);
    });
    assert_eq!(log, logged(&[(3, "b"), (7, "a"), (9, "c"), (21, "d")]));
}

#[test]
fn two_servers_serve_two_at_a_time() {
    let log = scene(|log| {
        let server = Facility::new("servers", 2);
        for (name, span) in [("a", 5), ("b", 2), ("c", 2), ("d", 9)] {
            customer(log, &server, name, 0, 0, span);
        }
    });
    assert_eq!(log, logged(&[(2, "b"), (4, "c"), (5, "a"), (13, "d")]));
}

#[test]
fn larger_priorities_go_first_and_arrival_decides_among_equals_but_nobody_is_preempted() {
    let log = scene(|log| {
        let server = Facility::new("server", 1);
        customer(log, &server, "running", 0, 0, 10);
        customer(log, &server, "low", 1, -3, 1);
        customer(log, &server, "usual", 2, 0, 1);
        customer(log, &server, "high 1", 3, 5, 1);
        customer(log, &server, "high 2", 4, 5, 1);
        customer(log, &server, "higher", 5, 6, 1);
    });
    let order = ["running", "higher", "high 1", "high 2", "usual", "low"];
    let times = [10, 11, 12, 13, 14, 15];
    assert_eq!(log, logged(&[0, 1, 2, 3, 4, 5].map(|i| (times[i], order[i]))));
}

#[test]
fn nobody_barges_in_between_a_release_and_the_turn_of_the_next() {
    let log = scene(|log| {
        let server = Facility::new("server", 1);
        let (a, first) = (log.clone(), server.clone());
        spawn("a", async move {
            let served = first.reserve().await;
            hold(ns(5)).await;
            served.release();
            assert_eq!((first.busy(), first.queued()), (1, 0));
            // handed to b already: a queues behind it
            first.use_for(ns(1)).await;
            a.note("a again");
        });
        customer(log, &server, "b", 1, 0, 2);
    });
    assert_eq!(log, logged(&[(7, "b"), (8, "a again")]));
}

/// A facility whose only server is taken, and what gives it back.
fn taken() -> (&'static Facility, impl FnOnce() + 'static) {
    let facility: &'static Facility = Box::leak(Box::new(Facility::new("server", 1)));
    let server: Server<'static> = facility.reserve().now_or_never().unwrap();
    (facility, move || server.release())
}

fn take(facility: &'static Facility) -> Pin<Box<dyn Future<Output = ()>>> {
    Box::pin(async { facility.reserve().await.release() })
}

#[test]
fn a_lost_reservation_leaves_the_server_to_the_next() {
    for by in SURVIVED {
        let (facility, give) = taken();
        assert_eq!(lose(by, move || take(facility), give), logged(&[(9, "other")]), "{by:?}");
        assert_eq!((facility.busy(), facility.queued()), (0, 0), "{by:?}");
    }
}

#[test]
fn at_the_end_of_a_run_every_server_is_back() {
    for by in ENDS {
        let (facility, give) = taken();
        let held = Cell::new(Some(give));
        let give = move || held.take().into_iter().for_each(|give| give());
        assert_eq!(lose(by, move || take(facility), give), [], "{by:?}");
        // if the run ended at 5 the server was never given back, and the closure that has it is
        // dropped with its process
        assert_eq!((facility.busy(), facility.queued()), (0, 0), "{by:?}");
    }
}

#[test]
fn a_user_that_is_killed_gives_its_server_back_at_once() {
    let log = scene(|log| {
        let server = Facility::new("server", 1);
        let used = server.clone();
        let victim = spawn("victim", async move { used.use_for(ns(100)).await });
        customer(log, &server, "next", 1, 0, 2);
        spawn("fate", async move {
            hold(ns(4)).await;
            victim.kill();
        });
    });
    assert_eq!(log, logged(&[(6, "next")]));
}

#[test]
fn a_station_counts_stays_queueing_and_busy_servers_exactly() {
    scene(|log| {
        let server = Facility::new("server", 1).observed();
        customer(log, &server, "a", 0, 0, 4);
        customer(log, &server, "b", 1, 0, 3);
        let impatient = server.clone();
        spawn("c", async move {
            hold(ns(2)).await;
            assert!(timed(ns(3), impatient.reserve()).await.is_none());
        });
        spawn("reader", async move {
            hold(ns(10)).await;
            let station = server.station().unwrap();
            // inside: 0..4, 1..7, 2..5; queueing: none, 1..4, 2..5; busy: 0..7
            assert_eq!(station.inside().time_in_station(now()), 4 + 6 + 3);
            assert_eq!(station.queue().time_in_station(now()), 3 + 3);
            assert_eq!(station.busy().area(now()), 7);
            assert_eq!((station.inside().entered(), station.inside().left()), (3, 3));
            assert!(station.inside().identity_holds(now()) && station.queue().identity_holds(now()));
        });
    });
}

// ---- preemptive resume
// --------------------------------------------------------------------------------------------

fn preempting(log: &Log, server: &PreemptiveFacility, name: &'static str, at: u64, priority: i64, span: u64) {
    let (log, server) = (log.clone(), server.clone());
    spawn(name, async move {
        hold(ns(at)).await;
        server.use_for(priority, ns(span)).await;
        log.note(name);
    });
}

#[test]
fn a_larger_priority_preempts_and_the_preempted_resumes_where_it_was() {
    let log = scene(|log| {
        let server = PreemptiveFacility::new("server", 1);
        preempting(log, &server, "low", 0, 0, 10);
        preempting(log, &server, "high", 4, 1, 3);
        preempting(log, &server, "highest", 5, 2, 1);
    });
    // low 0..4 and 8..14, high 4..5 and 6..8, highest 5..6
    assert_eq!(log, logged(&[(6, "highest"), (8, "high"), (14, "low")]));
}

#[test]
fn the_preempted_goes_to_the_head_of_its_priority() {
    let log = scene(|log| {
        let server = PreemptiveFacility::new("server", 1);
        preempting(log, &server, "first", 0, 0, 10);
        preempting(log, &server, "second", 1, 0, 1);
        preempting(log, &server, "high", 2, 1, 5);
    });
    assert_eq!(log, logged(&[(7, "high"), (15, "first"), (16, "second")]));
}

#[test]
fn equal_priorities_do_not_preempt() {
    let log = scene(|log| {
        let server = PreemptiveFacility::new("server", 1);
        preempting(log, &server, "first", 0, 3, 10);
        preempting(log, &server, "second", 1, 3, 1);
    });
    assert_eq!(log, logged(&[(10, "first"), (11, "second")]));
}

#[test]
fn who_ends_at_the_very_instant_of_a_preemption_has_finished() {
    let log = scene(|log| {
        let server = PreemptiveFacility::new("server", 1);
        // scheduled first, so that it arrives before the end of the other is served
        preempting(log, &server, "high", 5, 1, 2);
        preempting(log, &server, "low", 0, 0, 5);
    });
    assert_eq!(log, logged(&[(5, "low"), (7, "high")]));
}

#[test]
fn of_several_in_service_the_least_priority_and_then_the_latest_is_preempted() {
    let log = scene(|log| {
        let server = PreemptiveFacility::new("servers", 2);
        preempting(log, &server, "early", 0, 0, 10);
        preempting(log, &server, "late", 1, 0, 10);
        preempting(log, &server, "high", 3, 1, 4);
    });
    // late 1..3 and 7..15
    assert_eq!(log, logged(&[(7, "high"), (10, "early"), (15, "late")]));
}

#[test]
fn a_lost_use_of_a_preemptive_server_leaves_it_to_the_next() {
    for by in SURVIVED {
        let server = PreemptiveFacility::new("server", 1);
        let used = server.clone();
        // the victim is served from 1 and would be done at 101; the other, behind it, needs 8
        let wait = move || {
            let span = if now().as_nanos() == 1 { 100 } else { 8 };
            let server = used.clone();
            async move { server.use_for(0, ns(span)).await }
        };
        let log = lose(by, wait, || ());
        let lost_at: u64 = if SURVIVED[..3].contains(&by) { 5 } else { 9 };
        assert_eq!(log, logged(&[(lost_at + 8, "other")]), "{by:?}");
        assert_eq!((server.busy(), server.queued()), (0, 0), "{by:?}");
    }
    for by in ENDS {
        let server = PreemptiveFacility::new("server", 1);
        let used = server.clone();
        let wait = move || {
            let server = used.clone();
            async move { server.use_for(0, ns(50)).await }
        };
        assert_eq!(lose(by, wait, || ()), [], "{by:?}");
        assert_eq!((server.busy(), server.queued()), (0, 0), "{by:?}");
    }
}

#[test]
fn a_station_under_preemption_counts_the_preempted_as_queueing_again() {
    scene(|log| {
        let server = PreemptiveFacility::new("server", 1).observed();
        preempting(log, &server, "low", 0, 0, 10);
        preempting(log, &server, "high", 4, 1, 3);
        spawn("reader", async move {
            hold(ns(20)).await;
            let station = server.station().unwrap();
            assert_eq!(station.inside().time_in_station(now()), 13 + 3);
            assert_eq!(station.queue().time_in_station(now()), 3);
            assert_eq!(station.busy().area(now()), 13);
            assert!(station.queue().identity_holds(now()));
        });
    });
}

// ---- processor sharing
// --------------------------------------------------------------------------------------------

fn sharing(log: &Log, server: &SharedFacility, name: &'static str, at: u64, span: u64) {
    let (log, server) = (log.clone(), server.clone());
    spawn(name, async move {
        hold(ns(at)).await;
        server.use_for(ns(span)).await;
        log.note(name);
    });
}

#[test]
fn sharers_of_one_server_progress_at_equal_rates() {
    let log = scene(|log| {
        let server = SharedFacility::new("server", 1);
        sharing(log, &server, "a", 0, 10);
        sharing(log, &server, "b", 4, 3);
        sharing(log, &server, "c", 30, 5);
    });
    // a alone has 4 by 4; both at half speed: b ends at 10 with a at 7; a alone ends at 13
    assert_eq!(log, logged(&[(10, "b"), (13, "a"), (35, "c")]));
}

#[test]
fn equal_sharers_end_at_one_instant_in_order_of_arrival() {
    let log = scene(|log| {
        let server = SharedFacility::new("server", 1);
        for name in ["a", "b", "c"] {
            sharing(log, &server, name, 2, 7);
        }
    });
    assert_eq!(log, logged(&[(23, "a"), (23, "b"), (23, "c")]));
}

#[test]
fn as_many_sharers_as_servers_do_not_slow_each_other() {
    let log = scene(|log| {
        let server = SharedFacility::new("servers", 2);
        sharing(log, &server, "a", 0, 6);
        sharing(log, &server, "b", 0, 8);
        sharing(log, &server, "c", 2, 4);
    });
    // from 2 on each at 2/3: a needs 4 more (8), c 4 (8), then b has 2 of 8 left, alone
    assert_eq!(log, logged(&[(8, "a"), (8, "c"), (10, "b")]));
}

#[test]
fn service_rounds_up_to_the_next_nanosecond() {
    let log = scene(|log| {
        let server = SharedFacility::new("servers", 2);
        for name in ["a", "b", "c"] {
            sharing(log, &server, name, 0, 1);
        }
    });
    // 1.5 ns each
    assert_eq!(log, logged(&[(2, "a"), (2, "b"), (2, "c")]));
}

#[test]
fn a_lost_share_speeds_the_others_up() {
    for by in SURVIVED {
        let server = SharedFacility::new("server", 1);
        let used = server.clone();
        let wait = move || {
            let span = if now().as_nanos() == 1 { 100 } else { 10 };
            let server = used.clone();
            async move { server.use_for(ns(span)).await }
        };
        let log = lose(by, wait, || ());
        // the other has had half of the time since 2
        let lost_at: u64 = if SURVIVED[..3].contains(&by) { 5 } else { 9 };
        let half_nanos_left = 20 - (lost_at - 2);
        let end = (2 * lost_at + half_nanos_left).div_ceil(2);
        assert_eq!(log, [(end, "other".to_owned())], "{by:?}");
        assert_eq!(server.present(), 0, "{by:?}");
    }
    for by in ENDS {
        let server = SharedFacility::new("server", 1);
        let used = server.clone();
        let wait = move || {
            let server = used.clone();
            async move { server.use_for(ns(50)).await }
        };
        assert_eq!(lose(by, wait, || ()), [], "{by:?}");
        assert_eq!(server.present(), 0, "{by:?}");
    }
}

#[test]
fn a_share_may_be_raced_without_harm() {
    let log = scene(|log| {
        let server = SharedFacility::new("server", 1);
        sharing(log, &server, "steady", 0, 10);
        spawn("fickle", async move {
            for _ in 0..3 {
                race(server.use_for(ns(100)), hold(ns(2))).await;
                hold(ns(1)).await;
            }
        });
    });
    // steady at half speed in 0..2, 3..5, 6..8: 3 of service, and all of 2..3, 5..6: at 8 it has 5,
    // then alone
    assert_eq!(log, logged(&[(13, "steady")]));
}
