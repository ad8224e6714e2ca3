//! Suspending, moving, beginning others, and what hosts keep.

use clustersim_agents::{Agent, AgentError, Behaviour, Channel, DeployedAgent, Task, simulate};
use clustersim_kernel::Simulation;
use clustersim_platform::{Host, Link, Parallel};

use super::{A, B, C, run, secs, span, triangle_of, world, world_of};

const FIRST: Channel = Channel(0);

#[test]
fn an_agent_that_is_suspended_computes_nothing_and_goes_on_with_what_is_left() {
    let mut world = world();
    world.agent(A, "boss", async move |me| {
        let worker = me.spawn(A, "worker", async move |me| {
            me.execute(&Task::new("t", 4.0, 0.0)).await?;
            // 1 s at half of the host, 1 s of the other alone, and the rest
            assert_eq!(me.now(), secs(7.0));
            Ok(())
        })?;
        let other = me.spawn(A, "other", async move |me| {
            me.execute(&Task::new("t", 3.0, 0.0)).await?;
            assert_eq!(me.now(), secs(5.0));
            Ok(())
        })?;
        me.sleep(span(1.0)).await;
        worker.suspend();
        assert!(worker.is_suspended());
        me.sleep(span(1.0)).await;
        worker.resume();
        other.join().await;
        Ok(())
    });
    assert_eq!(run(world).ended_at, secs(7.0));
}

/// The transfer of 4 goes on while the receiver is suspended, and is found when it is resumed.
#[test]
fn transfers_and_sleeps_go_on_while_an_agent_is_suspended() {
    let mut world = world();
    world.agent(A, "sender", async move |me| {
        me.put(Task::new("t", 0.0, 4.0), B, FIRST).await?;
        assert_eq!(me.now(), secs(4.0));
        Ok(())
    });
    world.agent(B, "receiver", async move |me| {
        me.get(FIRST).await?;
        assert_eq!(me.now(), secs(10.0));
        Ok(())
    });
    world.agent(B, "sleeper", async move |me| {
        me.sleep(span(3.0)).await;
        assert_eq!(me.now(), secs(10.0));
        Ok(())
    });
    world.agent(C, "boss", async move |me| {
        let others = ["receiver", "sleeper"].map(|name| me.peer_named(name).unwrap());
        me.sleep(span(1.0)).await;
        others.iter().for_each(clustersim_agents::Peer::suspend);
        me.sleep(span(9.0)).await;
        others.iter().for_each(clustersim_agents::Peer::resume);
        Ok(())
    });
    run(world);
}

#[test]
fn an_agent_that_suspends_itself_waits_for_another_to_resume_it() {
    let mut world = world();
    world.agent(A, "sleeper", async move |me| {
        me.suspend().await;
        assert_eq!(me.now(), secs(5.0));
        Ok(())
    });
    world.agent(B, "prince", async move |me| {
        me.sleep(span(5.0)).await;
        me.peer_named("sleeper").unwrap().resume();
        Ok(())
    });
    run(world);
}

#[test]
fn an_agent_that_moves_computes_and_gets_where_it_is() {
    let hosts = [Host::new("a", 1.0), Host::new("b", 4.0), Host::new("c", 1.0)];
    let mut world = world_of(triangle_of(hosts, &Link::new(1.0, 0.0)));
    world.agent(A, "nomad", async move |me| {
        me.execute(&Task::new("t", 4.0, 0.0)).await?;
        assert_eq!((me.now(), me.speed().to_bits()), (secs(4.0), 1.0_f64.to_bits()));
        me.migrate(B)?;
        me.execute(&Task::new("t", 4.0, 0.0)).await?;
        assert_eq!((me.now(), me.host()), (secs(5.0), B));
        assert_eq!(me.get(FIRST).await?.name, "for b");
        assert_eq!(me.now(), secs(7.0));
        Ok(())
    });
    world.agent(C, "sender", async move |me| Ok(me.put(Task::new("for b", 0.0, 2.0), B, FIRST).await?));
    run(world);
}

#[test]
fn what_a_host_keeps_is_seen_by_the_agents_on_it_and_by_no_others() {
    let mut world = world();
    world.agent(A, "writer", async move |me| {
        assert_eq!(me.kept_on_host::<u32>(), None);
        me.keep_on_host(7_u32);
        me.keep_on_host("text");
        me.keep_on_host(8_u32);
        Ok(())
    });
    for (host, expected) in [(A, Some(8)), (B, None)] {
        world.agent(host, "reader", async move |me| {
            me.sleep(span(1.0)).await;
            assert_eq!(me.kept_on_host::<u32>().map(|value| *value), expected);
            Ok(())
        });
    }
    run(world);
}

#[derive(Debug)]
struct Worker {
    tasks: u32,
}

#[async_trait::async_trait(?Send)]
impl Behaviour for Worker {
    async fn run(self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        for _ in 0..self.tasks {
            let task = me.get(FIRST).await?;
            me.execute(&task).await?;
        }
        Ok(())
    }
}

#[test]
fn a_behaviour_is_a_program_like_any_other() {
    let mut world = world();
    world.deploy(DeployedAgent::behaving(B, "worker", Box::new(Worker { tasks: 2 })));
    world.agent(A, "master", async move |me| {
        for name in ["t0", "t1"] {
            me.put(Task::new(name, 3.0, 1.0), B, FIRST).await?;
        }
        Ok(())
    });
    let outcomes = run(world);
    let completed: Vec<String> = outcomes
        .completed
        .iter()
        .map(|one| format!("{} {} {}", one.task, one.host.index(), one.at))
        .collect();
    assert_eq!(completed, ["t0 1 4 s", "t1 1 8 s"]);
}

/// Three parts of 4, 2 and 3 s at once: the last decides.
#[test]
fn a_parallel_task_ends_with_the_last_of_its_parts() {
    let mut world = world();
    world.agent(A, "leader", async move |me| {
        let task = Parallel { computations: vec![(A, 4.0), (B, 2.0)], transfers: vec![(A, B, 3.0)] };
        me.execute_parallel(&task).await?;
        assert_eq!(me.now(), secs(4.0));
        let wrong = Parallel { transfers: vec![(A, B, -1.0)], ..Parallel::default() };
        assert!(me.execute_parallel(&wrong).await.is_err());
        Ok(())
    });
    run(world);
}

#[test]
fn a_program_that_returns_an_error_has_failed_and_the_run_goes_on() {
    let mut world = world();
    world.agent(A, "unlucky", async move |me| {
        me.sleep(span(1.0)).await;
        Err(AgentError::Fatal("no more ideas".to_owned()))
    });
    world.agent(B, "lucky", async move |me| {
        me.sleep(span(2.0)).await;
        Ok(())
    });
    let outcomes = simulate(world, Simulation::new(1), None).unwrap();
    assert_eq!((outcomes.failures.len(), outcomes.ended_at), (1, secs(2.0)));
    let told = outcomes.failures[0].error.as_ref().unwrap().to_string();
    assert_eq!((told.as_str(), outcomes.failures[0].at), ("fatal: no more ideas", secs(1.0)));
}
