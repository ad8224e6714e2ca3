//! Hosts and links that fail, agents that are killed, and runs that cannot go on.

use clustersim_agents::{Agent, AgentError, Channel, DeployedAgent, Task, simulate};
use clustersim_kernel::{SimError, Simulation, timed};
use clustersim_platform::network::{Flow, Packet, Transport};
use clustersim_platform::sharing::Discipline;
use clustersim_platform::{Builder, Host, Link, Trace};

use super::{A, B, C, Notes, run, secs, span, triangle_of, world, world_of};

const FIRST: Channel = Channel(0);

/// Fails at `from` and is repaired at `to`.
fn down(from: f64, to: f64) -> Trace {
    Trace::new(&[(secs(from), 0.0), (secs(to), 1.0)], None).unwrap().before(1.0)
}

fn hosts_with(b: Trace) -> [Host; 3] {
    [Host::new("a", 1.0), Host { working: b, ..Host::new("b", 1.0) }, Host::new("c", 1.0)]
}

#[test]
fn a_host_that_fails_ends_its_agents_and_whoever_deals_with_them_is_told_at_that_instant() {
    let mut world = world_of(triangle_of(hosts_with(down(3.0, 50.0)), &Link::new(1.0, 0.0)));
    world.agent(B, "victim", async move |me| {
        let task = me.get(FIRST).await?;
        me.execute(&task).await
    });
    world.agent(B, "computer", async move |me| me.execute(&Task::new("t", 10.0, 0.0)).await);
    world.agent(A, "sender", async move |me| {
        let lost = me.put(Task::new("t", 0.0, 5.0), B, FIRST).await.expect_err("the host fails");
        assert_eq!(lost.error, AgentError::HostFailure("b".to_owned()));
        assert_eq!(me.now(), secs(3.0));
        let again = me.put(lost.task, B, FIRST).await.expect_err("it does not work");
        assert_eq!(again.error, AgentError::HostFailure("b".to_owned()));
        assert_eq!(me.now(), secs(3.0));
        Ok(())
    });
    world.agent(C, "unmatched", async move |me| {
        let lost = me.put(Task::new("t", 0.0, 5.0), B, Channel(9)).await.expect_err("nobody gets it");
        assert_eq!((lost.error, me.now()), (AgentError::HostFailure("b".to_owned()), secs(3.0)));
        Ok(())
    });
    world.agent(C, "receiver", async move |me| {
        let lost = me.get(FIRST).await.expect_err("its sender fails");
        assert_eq!((lost, me.now()), (AgentError::HostFailure("b".to_owned()), secs(3.0)));
        Ok(())
    });
    world.agent(B, "other sender", async move |me| Ok(me.put(Task::new("t", 0.0, 9.0), C, FIRST).await?));
    let outcomes = simulate(world, Simulation::new(1), None).unwrap();
    let failed: Vec<&str> = outcomes.failures.iter().map(|failure| failure.agent.as_str()).collect();
    assert_eq!(failed, ["victim", "computer", "other sender"]);
    assert!(outcomes.failures.iter().all(|failure| failure.at == secs(3.0) && failure.host == B));
    assert_eq!(outcomes.failures[0].error, Some(AgentError::HostFailure("b".to_owned())));
    assert_eq!(outcomes.ended_at, secs(3.0));
}

/// Two transfers that start at one instant on a host that fails as they end.
#[test]
fn what_ends_at_the_instant_of_a_failure_has_ended() {
    let mut world = world_of(triangle_of(hosts_with(down(3.0, 4.0)), &Link::new(1.0, 0.0)));
    let notes = Notes::default();
    let noted = notes.clone();
    world.agent(B, "receiver", async move |me| {
        noted.note(format!("got {}", me.get(FIRST).await?.name));
        me.sleep(span(1.0)).await;
        unreachable!("the host has failed")
    });
    world.agent(A, "sender", async move |me| Ok(me.put(Task::new("t", 0.0, 3.0), B, FIRST).await?));
    let outcomes = simulate(world, Simulation::new(1), None).unwrap();
    assert_eq!(notes.told(), ["3 got t"]);
    assert_eq!((outcomes.failures.len(), outcomes.transfers), (1, 1));
}

#[test]
fn a_deployment_that_restarts_begins_anew_when_its_host_works_again() {
    let working =
        Trace::new(&[(secs(2.0), 0.0), (secs(5.0), 1.0), (secs(6.0), 0.0), (secs(10.0), 1.0)], None);
    let mut world = world_of(triangle_of(hosts_with(working.unwrap().before(1.0)), &Link::new(1.0, 0.0)));
    let notes = Notes::default();
    let noted = notes.clone();
    world.deploy(DeployedAgent::restarting(B, "phoenix", move |me| {
        let noted = noted.clone();
        async move {
            noted.note("begins");
            me.execute(&Task::new("t", 3.0, 0.0)).await?;
            noted.note("is done");
            Ok(())
        }
    }));
    let noted = notes.clone();
    world.agent(B, "mortal", async move |me| {
        noted.note("mortal begins");
        me.execute(&Task::new("t", 30.0, 0.0)).await
    });
    let outcomes = simulate(world, Simulation::new(1), None).unwrap();
    let expected = ["0 begins", "0 mortal begins", "5 begins", "10 begins", "13 is done"];
    assert_eq!(notes.told(), expected);
    assert_eq!(outcomes.failures.len(), 3);
    assert_eq!(outcomes.ended_at, secs(13.0));
    // one core for 2 s, 1 s and 3 s
    assert_eq!(outcomes.computed[B.index()].1.to_bits(), 6.0_f64.to_bits());
}

#[test]
fn a_host_that_is_down_at_the_start_begins_no_agents_but_those_that_restart() {
    let working = Trace::new(&[(secs(4.0), 1.0)], None).unwrap().before(0.0);
    let mut world = world_of(triangle_of(hosts_with(working), &Link::new(1.0, 0.0)));
    let notes = Notes::default();
    let noted = notes.clone();
    world.deploy(DeployedAgent::restarting(B, "late", move |me| {
        let noted = noted.clone();
        async move {
            noted.note(format!("begins on {}", me.host().index()));
            Ok(())
        }
    }));
    world.agent(B, "never", async move |_| unreachable!("its host does not work"));
    let outcomes = simulate(world, Simulation::new(1), None).unwrap();
    assert_eq!(notes.told(), ["4 begins on 1"]);
    assert_eq!(outcomes.failures.len(), 2);
}

#[test]
fn a_link_that_fails_is_a_transfer_failure_on_both_sides() {
    let working = down(2.0, 7.0);
    let mut world = world_of(triangle_of(
        ["a", "b", "c"].map(|name| Host::new(name, 1.0)),
        &Link { working, ..Link::new(1.0, 0.0) },
    ));
    world.agent(A, "sender", async move |me| {
        let lost = me.put(Task::new("t", 0.0, 3.0), B, FIRST).await.expect_err("the link fails");
        assert_eq!(lost.error, AgentError::TransferFailure("link `l01` failed".to_owned()));
        assert_eq!(me.now(), secs(2.0));
        let again = me.put(lost.task, B, FIRST).await.expect_err("it has not been repaired");
        assert_eq!(me.now(), secs(2.0));
        me.sleep(span(5.0)).await;
        me.put(again.task, B, FIRST).await?;
        assert_eq!(me.now(), secs(10.0));
        Ok(())
    });
    world.agent(B, "receiver", async move |me| {
        for _ in 0..2 {
            let lost = me.get(FIRST).await.expect_err("the link fails");
            assert_eq!(
                (me.now(), lost),
                (secs(2.0), AgentError::TransferFailure("link `l01` failed".into()))
            );
        }
        me.get(FIRST).await.map(drop)
    });
    assert_eq!(run(world).lost_transfers, 2);
}

#[test]
fn an_agent_that_is_killed_leaves_its_rendezvous_and_gives_back_what_it_used() {
    let mut world = world();
    world.agent(A, "killer", async move |me| {
        let victim = me.spawn(B, "victim", async move |me| {
            me.get(FIRST).await?;
            unreachable!("killed while the transfer is in progress")
        })?;
        let idle = me.spawn(B, "idle", async move |me| me.get(Channel(1)).await.map(drop))?;
        me.sleep(span(2.0)).await;
        assert!(victim.is_alive() && victim.kill() && !victim.is_alive() && !victim.kill());
        assert!(idle.kill());
        victim.join().await;
        Ok(())
    });
    world.agent(A, "sender", async move |me| {
        let lost = me.put(Task::new("t", 0.0, 5.0), B, FIRST).await.expect_err("the receiver is killed");
        assert!(matches!(lost.error, AgentError::TransferFailure(_)));
        assert_eq!(me.now(), secs(2.0));
        Ok(())
    });
    let outcomes = simulate(world, Simulation::new(1), None).unwrap();
    assert_eq!(outcomes.failures.iter().filter(|failure| failure.error.is_none()).count(), 2);
}

#[test]
fn a_deployment_begins_and_is_killed_at_its_times() {
    let mut world = world();
    let notes = Notes::default();
    let noted = notes.clone();
    let deployment = DeployedAgent::new(A, "short", async move |me: clustersim_agents::Agent| {
        noted.note("begins");
        me.execute(&Task::new("t", 2.0, 0.0)).await?;
        noted.note("computed");
        me.get(FIRST).await.map(drop)
    });
    world.deploy(deployment.starting_at(secs(1.0)).killed_at(secs(3.0)));
    let outcomes = simulate(world, Simulation::new(1), None).unwrap();
    assert_eq!(notes.told(), ["1 begins", "3 computed"]);
    assert_eq!(outcomes.ended_at, secs(3.0));
}

/// EXPERIMENTS C10: who waits for what never comes, and since when.
#[test]
fn a_deadlock_names_every_agent_what_it_waits_for_and_since_when() {
    let mut world = world();
    world.agent(A, "eve", async move |me| me.get(Channel(3)).await.map(drop));
    world.agent(B, "bob", async move |me| {
        me.sleep(span(2.0)).await;
        Ok(me.put(Task::new("t", 0.0, 1.0), C, Channel(7)).await?)
    });
    world.agent(C, "carol", async move |me| {
        let mailbox = me.mailbox("orders");
        me.get_from(mailbox).await.map(drop)
    });
    world.agent(C, "dan", async move |me| {
        me.suspend().await;
        Ok(())
    });
    let error = simulate(world, Simulation::new(1), None).expect_err("nothing is left to happen");
    let SimError::Deadlock { at, blocked, .. } = &error else { panic!("{error}") };
    assert_eq!((*at, blocked.len()), (secs(2.0), 4));
    let told = error.to_string();
    for line in [
        "agent 0: `eve` on host `a`: get on channel 3 of host `a` since 0 s",
        "agent 1: `bob` on host `b`: put on channel 7 of host `c` since 2 s",
        "agent 2: `carol` on host `c`: get on mailbox `orders` since 0 s",
        "agent 3: `dan` is suspended since 0 s",
    ] {
        assert!(told.contains(line), "{told}");
    }
}

#[test]
fn a_link_that_stands_still_for_ever_is_a_deadlock_and_one_that_may_move_again_is_not() {
    let stopped = Trace::new(&[(secs(1.0), 0.0)], None).unwrap().before(1.0);
    let slow = Trace::new(&[(secs(1.0), 0.0), (secs(100.0), 1.0)], None).unwrap().before(1.0);
    for (bandwidth, end) in [(stopped, None), (slow, Some(101.0))] {
        let link = Link { bandwidth, ..Link::new(1.0, 0.0) };
        let mut world = world_of(triangle_of(["a", "b", "c"].map(|name| Host::new(name, 1.0)), &link));
        world.agent(A, "sender", async move |me| Ok(me.put(Task::new("t", 0.0, 2.0), B, FIRST).await?));
        world.agent(B, "receiver", async move |me| me.get(FIRST).await.map(drop));
        match (simulate(world, Simulation::new(1), None), end) {
            (Ok(outcomes), Some(end)) => assert_eq!(outcomes.ended_at, secs(end)),
            (Err(error), None) => {
                assert!(error.to_string().contains("whose transfer is in progress"), "{error}");
            }
            (result, _) => panic!("{result:?}"),
        }
    }
}

/// The host of one that waits for ever comes and goes, but nobody depends on it any more.
#[test]
fn hosts_that_fail_again_and_again_hide_no_deadlock() {
    let working = Trace::new(&[(secs(0.0), 1.0), (secs(1.0), 0.0)], Some(span(1.0))).unwrap();
    let mut world = world_of(triangle_of(hosts_with(working), &Link::new(1.0, 0.0)));
    world.agent(B, "victim", async move |me| me.get(FIRST).await.map(drop));
    world.agent(A, "eve", async move |me| me.get(FIRST).await.map(drop));
    let error = simulate(world, Simulation::new(1), None).expect_err("eve waits for ever");
    assert!(error.to_string().contains("`eve`"), "{error}");
}

#[test]
fn a_deadlock_tells_who_had_failed_before() {
    let mut builder = Builder::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| builder.host(Host::new(name, 1.0)).unwrap());
    let link = builder.link("l", Link::new(1.0, 0.0)).unwrap();
    builder.symmetric_route(a, b, &[link]);
    let mut world = world_of(builder);
    world.agent(a, "alice", async move |me| Ok(me.put(Task::new("t", 0.0, 1.0), c, Channel(0)).await?));
    world.agent(b, "bob", async move |me| {
        me.sleep(span(2.0)).await;
        me.get(Channel(1)).await.map(drop)
    });
    world.agent(c, "carol", async move |me| me.get(Channel(0)).await.map(drop));
    world.deploy(
        DeployedAgent::new(c, "dan", async |me: Agent| me.get(Channel(2)).await.map(drop))
            .killed_at(secs(1.0)),
    );
    let told = simulate(world, Simulation::new(1), None).expect_err("bob waits").to_string();
    for line in [
        "1 process waits",
        "`bob` on host `b`",
        "before, `alice` on host `a` had ended at 0 s: transfer failure: no route from `a` to `c`",
        "before, `carol` on host `c` had ended at 0 s: transfer failure: no route from `a` to `c`",
        "before, `dan` on host `c` had ended at 1 s: it was killed",
    ] {
        assert!(told.contains(line), "{told}");
    }
}

/// Work and transfers that end after 584 years are no deadlock, unless nothing carries them on.
#[test]
fn what_ends_after_the_last_instant_is_told_as_time_past_its_end() {
    let models: [Box<dyn Transport>; 4] = [
        Box::new(Flow::default()),
        Box::new(Packet { size: Some(1e28), discipline: Discipline::Fifo }),
        Box::new(Packet { size: None, discipline: Discipline::Frfo }),
        Box::new(Packet { size: None, discipline: Discipline::Shared }),
    ];
    for model in models {
        let mut world = world().over(model);
        world.agent(A, "alice", async |me| Ok(me.put(Task::new("t", 0.0, 1e30), B, Channel(0)).await?));
        world.agent(B, "bob", async |me| me.get(Channel(0)).await.map(drop));
        let error = simulate(world, Simulation::new(1), None).expect_err("a transfer of 3e22 years");
        assert!(matches!(error, SimError::TimeOverflow { .. }), "{error}");
    }
    let computing = |availability: Trace| {
        let host = Host { availability, ..Host::new("a", 1.0) };
        let mut world =
            world_of(triangle_of([host, Host::new("b", 1.0), Host::new("c", 1.0)], &Link::new(1.0, 0.0)));
        world.agent(A, "alice", async |me| me.execute(&Task::new("t", 1e30, 0.0)).await);
        simulate(world, Simulation::new(1), None).expect_err("work of 3e22 years")
    };
    let error = computing(Trace::constant(1.0));
    assert!(matches!(error, SimError::TimeOverflow { .. }), "{error}");
    let error = computing(Trace::new(&[(secs(5.0), 0.0)], None).unwrap());
    assert!(matches!(error, SimError::Deadlock { .. }), "{error}");
    // somebody else may still put an end to it
    let mut world = world();
    world.agent(A, "alice", async |me| {
        let task = Task::new("t", 1e30, 0.0);
        assert!(timed(span(3.0), me.execute(&task)).await.is_none());
        let put = me.put_within(Task::new("t", 0.0, 1e30), B, Channel(0), span(2.0)).await;
        assert!(matches!(put.unwrap_err().error, AgentError::TimedOut(_)));
        Ok(())
    });
    world.agent(B, "bob", async |me| me.get(Channel(0)).await.map(drop).or(Ok(())));
    assert_eq!(run(world).ended_at, secs(5.0));
}

#[test]
fn agents_that_only_wait_are_given_up_unless_something_is_computed() {
    let waiting = |computes: bool| {
        let mut world = world();
        world.agent(A, "idle", async |me| {
            for _ in 0..1_000 {
                me.sleep(span(1.0)).await;
            }
            Ok(())
        });
        if computes {
            world.agent(B, "busy", async |me| me.execute(&Task::new("t", 1e3, 0.0)).await);
        }
        simulate(world, Simulation::new(1).give_up_after(100), None)
    };
    let error = waiting(false).expect_err("nothing is computed").to_string();
    assert!(error.contains("agent `idle` on host `a` waits again"), "{error}");
    assert!(waiting(true).is_ok());
}
