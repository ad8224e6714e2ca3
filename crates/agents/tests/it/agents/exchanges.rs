//! Puts and gets: when transfers start and end, who gets what, and what is given up.

use clustersim_agents::{AgentError, Channel, Task};
use clustersim_kernel::{Either, SimDuration, race, timed};

use super::{A, B, C, Notes, run, secs, span, world};

const FIRST: Channel = Channel(0);

fn task(name: &'static str, size: f64) -> Task {
    Task::new(name, 0.0, size)
}

/// The transfer of 5 starts when both are there, and both go on at its end.
#[test]
fn a_transfer_starts_when_the_task_is_put_and_got_whoever_comes_first() {
    for (put_at, get_at) in [(1.0, 3.0), (3.0, 1.0), (3.0, 3.0)] {
        let mut world = world();
        world.agent(A, "sender", async move |me| {
            me.sleep(span(put_at)).await;
            me.put(task("t", 5.0), B, FIRST).await?;
            assert_eq!(me.now(), secs(8.0));
            Ok(())
        });
        world.agent(B, "receiver", async move |me| {
            me.sleep(span(get_at)).await;
            let got = me.get(FIRST).await?;
            assert_eq!((me.now(), got.name.as_ref()), (secs(8.0), "t"));
            assert_eq!(got.sender().unwrap().host, A);
            Ok(())
        });
        assert_eq!(run(world).ended_at, secs(8.0));
    }
}

#[test]
fn an_eager_put_starts_at_once_and_who_gets_it_later_waits_for_what_is_left() {
    for (get_at, got_at) in [(1.0, 5.0), (5.0, 5.0), (9.0, 9.0)] {
        let mut world = world();
        world.agent(A, "sender", async move |me| {
            me.put_eager(task("t", 5.0), B, FIRST).await?;
            assert_eq!(me.now(), secs(5.0));
            Ok(())
        });
        world.agent(B, "receiver", async move |me| {
            me.sleep(span(get_at)).await;
            me.get(FIRST).await?;
            assert_eq!(me.now(), secs(got_at));
            Ok(())
        });
        run(world);
    }
}

#[test]
fn a_put_to_ones_own_host_takes_no_time_however_large_the_task() {
    let mut world = world();
    world.agent(A, "both", async move |me| {
        let putting = me.start_put(task("t", 1e9), A, FIRST)?;
        assert!(me.probe(FIRST) && !putting.is_over());
        assert_eq!(me.get(FIRST).await?.size.to_bits(), 1e9_f64.to_bits());
        assert!(putting.is_over());
        putting.done().await?;
        Ok(())
    });
    assert_eq!(run(world).ended_at, secs(0.0));
}

#[test]
fn a_bounded_put_is_slower_than_its_link_and_leaves_the_rest_to_others() {
    let mut world = world();
    for (name, channel) in [("bounded", 0), ("free", 1)] {
        world.agent(A, name, async move |me| {
            if channel == 0 {
                me.put_bounded(task("t", 1.0), B, Channel(channel), 0.25).await?;
                assert_eq!(me.now(), secs(4.0));
            } else {
                me.put(task("t", 3.0), B, Channel(channel)).await?;
                assert_eq!(me.now(), secs(4.0));
            }
            Ok(())
        });
        world.agent(B, "receiver", async move |me| me.get(Channel(channel)).await.map(drop));
    }
    run(world);
}

/// Put in the order a, b, c at 0 s, 1 s and 2 s; got in the order x, y, z.
#[test]
fn tasks_are_got_in_the_order_of_putting_by_agents_in_the_order_of_getting() {
    for getters_first in [false, true] {
        let notes = Notes::default();
        let mut world = world();
        let (puts_at, gets_at) = if getters_first { (10.0, 0.0) } else { (0.0, 10.0) };
        for (place, name) in ["a", "b", "c"].into_iter().enumerate() {
            world.agent(B, name, async move |me| {
                me.sleep(span(puts_at + place as f64)).await;
                me.put(task(name, 0.0), B, FIRST).await?;
                Ok(())
            });
        }
        for (place, name) in ["x", "y", "z"].into_iter().enumerate() {
            let notes = notes.clone();
            world.agent(B, name, async move |me| {
                me.sleep(span(gets_at + place as f64)).await;
                let got = me.get(FIRST).await?;
                notes.note(format!("{name} gets {}", got.name));
                Ok(())
            });
        }
        run(world);
        assert_eq!(notes.told(), ["10 x gets a", "11 y gets b", "12 z gets c"]);
    }
}

#[test]
fn probing_tells_who_put_the_first_task_and_takes_nothing() {
    let mut world = world();
    world.agent(A, "sender", async move |me| Ok(me.put(task("t", 1.0), B, FIRST).await?));
    world.agent(B, "receiver", async move |me| {
        assert!(!me.probe(Channel(7)));
        me.sleep(span(1.0)).await;
        let from = me.probe_from(FIRST).expect("it was put");
        assert_eq!((from.host, me.peer(from.agent).unwrap().name()), (A, "sender"));
        assert!(me.probe(FIRST));
        me.get(FIRST).await?;
        assert!(!me.probe(FIRST));
        Ok(())
    });
    run(world);
}

#[test]
fn a_put_whose_time_is_over_gives_the_task_back_and_leaves_the_line() {
    let mut world = world();
    world.agent(A, "hasty", async move |me| {
        let late = me.put_within(task("hasty", 1.0), B, FIRST, span(2.0)).await.expect_err("nobody gets it");
        assert_eq!((late.task.name.as_ref(), late.error), ("hasty", AgentError::TimedOut(span(2.0))));
        assert_eq!(me.now(), secs(2.0));
        // in progress when its time is over: half of it has been carried, and is lost
        let late = me.put_within(task("hasty", 4.0), C, FIRST, span(2.0)).await.expect_err("it takes 4 s");
        assert_eq!(late.error, AgentError::TimedOut(span(2.0)));
        // done at the very instant at which its time is over
        me.put_within(late.task, C, FIRST, span(4.0)).await?;
        assert_eq!(me.now(), secs(8.0));
        Ok(())
    });
    world.agent(A, "patient", async move |me| Ok(me.put(task("patient", 1.0), B, FIRST).await?));
    world.agent(B, "receiver", async move |me| {
        me.sleep(span(5.0)).await;
        assert_eq!(me.get(FIRST).await?.name, "patient");
        Ok(())
    });
    world.agent(C, "disappointed", async move |me| {
        let lost = me.get(FIRST).await.expect_err("the sender gave up");
        assert!(matches!(lost, AgentError::TransferFailure(_)), "{lost}");
        assert_eq!(me.now(), secs(4.0));
        me.get(FIRST).await.map(drop)
    });
    run(world);
}

#[test]
fn a_get_whose_time_is_over_leaves_the_line_and_breaks_off_what_is_in_progress() {
    let mut world = world();
    world.agent(B, "receiver", async move |me| {
        assert_eq!(me.get_within(FIRST, span(1.0)).await.unwrap_err(), AgentError::TimedOut(span(1.0)));
        me.sleep(span(2.0)).await;
        assert_eq!(me.get_within(FIRST, span(1.0)).await.unwrap_err(), AgentError::TimedOut(span(1.0)));
        assert_eq!(me.get_within(FIRST, span(5.0)).await?.name, "t");
        assert_eq!(me.now(), secs(9.0));
        Ok(())
    });
    world.agent(A, "sender", async move |me| {
        me.sleep(span(2.0)).await;
        let broken = me.put(task("t", 5.0), B, FIRST).await.expect_err("got from 3 s to 4 s");
        assert_eq!(me.now(), secs(4.0));
        me.put(broken.task, B, FIRST).await?;
        Ok(())
    });
    let outcomes = run(world);
    assert_eq!((outcomes.transfers, outcomes.lost_transfers), (1, 1));
}

/// A thousand gets that are given up leave nothing behind that later ones would walk over.
#[test]
fn gets_that_were_given_up_again_and_again_get_nothing_later() {
    let mut world = world();
    world.agent(B, "receiver", async move |me| {
        let held = me.start_get(Channel(1));
        for _ in 0..1_000 {
            assert!(me.get_within(Channel(1), SimDuration::from_millis(1)).await.is_err());
        }
        assert!(!held.is_over());
        assert_eq!(held.done().await?.name, "t");
        Ok(())
    });
    world.agent(B, "sender", async move |me| {
        me.sleep(span(2.0)).await;
        Ok(me.put(task("t", 0.0), B, Channel(1)).await?)
    });
    run(world);
}

#[test]
fn several_puts_may_be_in_progress_at_once_and_are_awaited_in_any_order() {
    let mut world = world();
    world.agent(A, "sender", async move |me| {
        let long = me.start_put(task("long", 6.0), B, Channel(0))?;
        let short = me.start_put(task("short", 1.0), C, Channel(0))?;
        short.done().await?;
        assert_eq!((me.now(), long.is_over()), (secs(1.0), false));
        long.done().await?;
        assert_eq!(me.now(), secs(6.0));
        Ok(())
    });
    for host in [B, C] {
        world.agent(host, "receiver", async move |me| me.get(FIRST).await.map(drop));
    }
    run(world);
}

#[test]
fn a_task_that_arrived_for_a_get_that_was_dropped_goes_to_the_next_in_line() {
    let notes = Notes::default();
    let mut world = world();
    let noted = notes.clone();
    world.agent(B, "torn", async move |me| {
        // both are over at 1 s, the transfer just before, and the first argument wins
        let twice = async {
            me.sleep(span(0.5)).await;
            me.sleep(span(0.5)).await;
        };
        match race(std::pin::pin!(twice), me.get(FIRST)).await {
            Either::Left(()) => noted.note("torn slept"),
            Either::Right(_) => noted.note("torn got it"),
        }
        me.sleep(span(1.0)).await;
        Ok(())
    });
    let noted = notes.clone();
    world.agent(B, "next", async move |me| {
        me.sleep(span(0.5)).await;
        noted.note(format!("next gets {}", me.get(FIRST).await?.name));
        Ok(())
    });
    world.agent(A, "sender", async move |me| Ok(me.put(task("t", 1.0), B, FIRST).await?));
    run(world);
    assert_eq!(notes.told(), ["1 torn slept", "1 next gets t"]);
}

#[test]
fn named_mailboxes_join_agents_wherever_they_are() {
    let mut world = world();
    world.agent(A, "sender", async move |me| {
        let mailbox = me.mailbox("results");
        me.put_into(task("t", 2.0), mailbox).await?;
        assert_eq!(me.now(), secs(3.0));
        // from here on they are for host c, and start at once
        me.sleep(span(1.0)).await;
        me.put_into(task("u", 2.0), mailbox).await?;
        assert_eq!(me.now(), secs(6.0));
        Ok(())
    });
    world.agent(C, "receiver", async move |me| {
        me.sleep(span(1.0)).await;
        let mailbox = me.mailbox("results");
        assert_eq!(me.get_from(mailbox).await?.name, "t");
        me.receive_on(mailbox);
        me.sleep(span(4.0)).await;
        assert_eq!(me.get_from(mailbox).await?.name, "u");
        assert_eq!(me.now(), secs(7.0));
        Ok(())
    });
    run(world);
}

#[test]
fn data_travels_with_a_task_and_sizes_that_are_none_are_fatal_values() {
    let mut world = world();
    world.agent(A, "sender", async move |me| {
        let wrong = me.put(task("t", f64::NAN), B, FIRST).await.expect_err("no size");
        assert!(matches!(wrong.error, AgentError::Fatal(_)));
        let wrong = me.execute(&Task::new("t", -1.0, 0.0)).await.expect_err("no amount");
        assert!(matches!(wrong, AgentError::Fatal(_)));
        me.put(task("t", 1.0).carrying(vec![1_u32, 2, 3]), B, FIRST).await?;
        Ok(())
    });
    world.agent(B, "receiver", async move |me| {
        let mut got = me.get(FIRST).await?;
        assert_eq!(got.take::<String>(), None);
        assert_eq!(got.take::<Vec<u32>>(), Some(vec![1, 2, 3]));
        assert!(timed(span(1.0), me.get(FIRST)).await.is_none());
        Ok(())
    });
    run(world);
}
