//! Whole runs: the same twice, nothing lost, and what is told of them.

use std::sync::Arc;

use clustersim_agents::record::{Operation, Outcome};
use clustersim_agents::tables::OperationRows;
use clustersim_agents::{
    Agent, AgentError, Channel, DeployedAgent, Outcomes, Recording, Task, World, simulate,
};
use clustersim_experiment::measure::metric::Value;
use clustersim_experiment::output::TableFormat;
use clustersim_kernel::{Simulation, stream, timed};
use clustersim_language::collections::OrderedMap;
use clustersim_platform::network::{Flow, Packet, Transport};
use clustersim_platform::sharing::Discipline;
use clustersim_platform::{Builder, Disk, Host, HostId, Link, Platform, Trace};

use super::{A, B, secs, span, world};

/// A master and workers behind links of different speed, `extra` of them with a second core.
fn star(workers: u32) -> Arc<Platform> {
    let mut builder = Builder::new();
    let master = builder.host(Host::new("master", 10.0)).unwrap();
    let trunk = builder.link("trunk", Link::new(500.0, 0.001)).unwrap();
    for worker in 0..workers {
        let host =
            Host { cores: 1 + worker % 2, ..Host::new(format!("w{worker}"), f64::from(1 + worker % 7)) };
        let host = builder.host(host).unwrap();
        let link = Link::new(f64::from(10 + worker * 13 % 50), 0.01);
        let link = builder.link(format!("l{worker}"), link).unwrap();
        builder.symmetric_route(master, host, &[trunk, link]);
    }
    Arc::new(builder.build())
}

/// Workers ask, the master answers with tasks of drawn amounts.
fn master_and_workers(transport: Box<dyn Transport>, recording: Recording) -> Outcomes {
    const WORKERS: u32 = 9;
    const TASKS: u32 = 200;
    let mut world = World::new(star(WORKERS)).over(transport).recording(recording);
    world.agent(HostId::new(0), "master", async move |me| {
        let mut amounts = stream("amounts");
        for number in 0..TASKS {
            let request = me.get(Channel(0)).await?;
            let to = request.sender().expect("it was put").host;
            let task = Task::new(format!("t{number}"), 50.0 * amounts.uniform01(), 20.0);
            me.put(task, to, Channel(0)).await?;
        }
        for _ in 0..WORKERS {
            let request = me.get(Channel(0)).await?;
            let to = request.sender().expect("it was put").host;
            me.put(Task::new("stop", 0.0, 0.0), to, Channel(0)).await?;
        }
        Ok(())
    });
    for worker in 1..=WORKERS {
        let host = HostId::new(worker);
        world.agent(host, format!("worker {worker}"), async move |me| {
            loop {
                me.put(Task::new("request", 0.0, 1.0), HostId::new(0), Channel(0)).await?;
                let task = me.get(Channel(0)).await?;
                if task.name == "stop" {
                    return Ok(());
                }
                me.execute(&task).await?;
            }
        });
    }
    let outcomes = simulate(world, Simulation::new(42), None).unwrap();
    assert!(outcomes.failures.is_empty(), "{:?}", outcomes.failures);
    outcomes
}

fn transports() -> Vec<Box<dyn Transport>> {
    let packet = |discipline| -> Box<dyn Transport> { Box::new(Packet { size: Some(3.0), discipline }) };
    vec![
        Box::new(Flow::default()),
        Box::new(Flow::lv08()),
        packet(Discipline::Fifo),
        packet(Discipline::Frfo),
        packet(Discipline::Shared),
        Box::new(Packet { size: None, discipline: Discipline::Frfo }),
    ]
}

#[test]
fn two_runs_of_one_world_and_seed_are_the_same_and_recording_changes_nothing() {
    for (one, (two, three)) in transports().into_iter().zip(transports().into_iter().zip(transports())) {
        let named = format!("{one:?}");
        let one = master_and_workers(one, Recording::Operations);
        let two = master_and_workers(two, Recording::Operations);
        assert_eq!((one.digest, one.events, one.ended_at), (two.digest, two.events, two.ended_at), "{named}");
        assert_eq!(one.records, two.records, "{named}");
        let bare = master_and_workers(three, Recording::Counts);
        assert_eq!((one.digest, one.tasks), (bare.digest, bare.tasks), "{named}");
        assert!(bare.records.is_empty() && bare.completed.is_empty() && one.drew);
    }
}

#[test]
fn what_is_sent_arrives_and_what_is_computed_is_computed_whole() {
    for transport in transports() {
        let named = format!("{transport:?}");
        let outcomes = master_and_workers(transport, Recording::Operations);
        assert_eq!(outcomes.departed.to_bits(), outcomes.transferred.to_bits(), "{named}");
        assert_eq!((outcomes.tasks, outcomes.lost_transfers), (200, 0), "{named}");
        // 200 tasks of 20, 209 requests of 1, and stops of nothing
        assert_eq!(outcomes.transferred.to_bits(), (200.0 * 20.0 + 209.0_f64).to_bits(), "{named}");
        let sum = |operation: Operation, outcome: Outcome| -> f64 {
            let rows = outcomes.records.iter().map(|(_, entry)| entry);
            rows.filter(|row| (row.operation, row.outcome) == (operation, outcome))
                .map(|row| row.amount)
                .sum()
        };
        let (put, got) = (sum(Operation::Put, Outcome::Done), sum(Operation::Get, Outcome::Done));
        assert_eq!((put.to_bits(), got.to_bits()), (put.to_bits(), put.to_bits()), "{named}");
        let asked = sum(Operation::Execute, Outcome::Done);
        let done: f64 = outcomes.computed.iter().map(|computed| computed.0).sum();
        assert!((asked - done).abs() < 1e-6 * asked, "{named}: {done} of {asked}");
        assert!(outcomes.records.iter().all(|(_, row)| row.end >= row.start));
    }
}

#[test]
fn records_tell_every_operation_with_its_times() {
    let mut world = world().recording(Recording::Operations);
    world.agent(A, "ann", async move |me| {
        me.sleep(span(1.0)).await;
        me.put(Task::new("t", 4.0, 2.0), B, Channel(0)).await?;
        let late = me.put_within(Task::new("u", 0.0, 2.0), B, Channel(0), span(1.0)).await;
        assert!(late.is_err());
        Ok(())
    });
    world.agent(B, "bob", async move |me| {
        let task = me.get(Channel(0)).await?;
        me.execute(&task).await
    });
    let outcomes = simulate(world, Simulation::new(1), None).unwrap();
    let csv = TableFormat::Csv.bytes(&OperationRows::of(&outcomes)).unwrap();
    assert_eq!(
        String::from_utf8(csv).unwrap(),
        "operation,agent,name,host,task,amount,start,end,outcome\n\
         transfer,0,ann,a,t,2,1,3,done\n\
         put,0,ann,a,t,2,1,3,done\n\
         get,1,bob,b,t,2,0,3,done\n\
         put,0,ann,a,u,2,3,4,aborted\n\
         execute,1,bob,b,t,4,3,7,done\n"
    );
}

#[test]
fn metrics_are_those_of_the_run() {
    let mut world = world();
    world.agent(A, "ann", async move |me| Ok(me.put(Task::new("t", 4.0, 2.0), B, Channel(0)).await?));
    world.agent(B, "bob", async move |me| {
        let task = me.get(Channel(0)).await?;
        me.execute(&task).await?;
        me.sleep(span(10.0)).await;
        Err(AgentError::Fatal("for the count".to_owned()))
    });
    let outcomes = simulate(world, Simulation::new(1), None).unwrap();
    let told: Vec<String> = outcomes
        .metrics()
        .iter()
        .map(|metric| match metric.value {
            Value::Count(count) => format!("{} {count}", metric.name),
            Value::Real(value) => format!("{} {value:.4}", metric.name),
            Value::Nothing => format!("{} -", metric.name),
        })
        .collect();
    assert_eq!(
        told,
        [
            "makespan 6.0000",
            "tasks.completed 1",
            "throughput 0.1667",
            "transfers.completed 1",
            "transfers.failed 0",
            "bytes.transferred 2.0000",
            "host-utilization.mean 0.2222",
            "agents.created 2",
            "agents.failed 1",
        ]
    );
}

#[test]
fn a_run_that_is_stopped_leaves_its_agents_where_they_are_and_counts_none_as_failed() {
    let mut world = world();
    world.agent(A, "ann", async move |me| Ok(me.put(Task::new("t", 4.0, 20.0), B, Channel(0)).await?));
    world.agent(B, "bob", async move |me| me.get(Channel(0)).await.map(drop));
    let outcomes = simulate(world, Simulation::new(1), Some(secs(5.0))).unwrap();
    assert!(outcomes.stopped && outcomes.failures.is_empty());
    assert_eq!((outcomes.ended_at, outcomes.transfers, outcomes.drew), (secs(5.0), 0, false));
}

#[test]
fn a_deployment_on_a_host_that_is_not_there_is_an_error() {
    let mut world = world();
    world.agent(HostId::new(99), "lost", async move |_| Ok(()));
    let error = simulate(world, Simulation::new(1), None).expect_err("there are three hosts");
    assert!(error.to_string().contains("`lost`"), "{error}");
}

/// Agents that do whatever comes to their minds: puts and gets of all kinds that run out of time,
/// suspend and kill each other, move, and are on hosts that fail and come back.
fn turmoil(seed: u64, transport: Box<dyn Transport>) -> Outcomes {
    const HOSTS: u32 = 4;
    let mut builder = Builder::new();
    let hosts: Vec<HostId> = (0..HOSTS)
        .map(|host| {
            let down = secs(f64::from(20 + 15 * host));
            let up = down + span(5.0);
            let working = Trace::new(&[(down, 0.0), (up, 1.0)], Some(span(40.0))).unwrap().before(1.0);
            builder.host(Host { working, cores: 1 + host % 2, ..Host::new(format!("h{host}"), 2.0) }).unwrap()
        })
        .collect();
    let middle = builder.link("middle", Link::new(3.0, 0.1)).unwrap();
    for from in 0..4 {
        let working =
            Trace::new(&[(secs(30.0), 0.0), (secs(31.0), 1.0)], Some(span(9.0))).unwrap().before(1.0);
        let link = builder.link(format!("l{from}"), Link { working, ..Link::new(2.0, 0.2) }).unwrap();
        for to in 0..4 {
            if from != to {
                builder.route(hosts[from], hosts[to], &[link, middle]);
            }
        }
    }
    let mut world = World::new(builder.build()).over(transport).recording(Recording::Operations);
    for agent in 0..12 {
        world.deploy(DeployedAgent::restarting(hosts[agent % 4], format!("agent {agent}"), move |me| {
            whim(me, agent)
        }));
    }
    simulate(world, Simulation::new(seed), Some(secs(300.0))).unwrap()
}

async fn whim(me: Agent, number: usize) -> Result<(), AgentError> {
    let mut draws = stream(&format!("whims/{number}/{}", me.now().as_nanos()));
    let host = |draw: u64| HostId::new((draw % 4) as u32);
    for turn in 0..60 {
        let limit = span(3.0 * draws.uniform01());
        let (to, channel) = (host(draws.below(4)), Channel(draws.below(2) as u32));
        let task = || Task::new("whim", 4.0, 3.0).of_priority(1.0 + number as f64);
        let result = match draws.below(9) {
            0 => me.put_within(task(), to, channel, limit).await.map_err(AgentError::from),
            1 => timed(limit, me.put_eager(task(), to, channel)).await.map_or(Ok(()), |sent| Ok(sent?)),
            2 | 3 => me.get_within(channel, limit).await.map(drop),
            4 => timed(limit, me.execute(&task())).await.unwrap_or(Ok(())),
            5 => me.migrate(to),
            6 => {
                if let Some(peer) = me.peer_named(&format!("agent {}", draws.below(12))) {
                    peer.suspend();
                    me.sleep(limit).await;
                    peer.resume();
                }
                Ok(())
            }
            7 if turn % 5 == 0 => {
                if let Some(peer) = me.peer_named(&format!("agent {}", draws.below(12))) {
                    peer.kill();
                }
                Ok(())
            }
            _ => {
                let (put, got) = (me.start_put(task(), to, channel)?, me.start_get(channel));
                me.sleep(limit).await;
                drop(if draws.below(2) == 0 { (Some(put), None) } else { (None, Some(got)) });
                Ok(())
            }
        };
        if let Err(AgentError::Fatal(why)) = result {
            return Err(AgentError::Fatal(why));
        }
    }
    Ok(())
}

#[test]
fn whatever_agents_do_to_each_other_nothing_is_lost_but_what_failed_and_it_is_the_same_twice() {
    for seed in 0..40 {
        let transport = || transports().swap_remove(seed as usize % 6);
        let one = turmoil(seed, transport());
        let two = turmoil(seed, transport());
        assert_eq!((one.digest, one.events), (two.digest, two.events), "seed {seed}");
        assert_eq!(one.records, two.records, "seed {seed}");
        assert!(one.transfers > 10 && one.lost_transfers > 0 && one.tasks > 0, "seed {seed}: {one:?}");
        let rows = || one.records.iter().map(|(_, row)| row);
        let count = |operation, outcome| {
            rows().filter(|row| (row.operation, row.outcome) == (operation, outcome)).count() as u64
        };
        assert_eq!(count(Operation::Transfer, Outcome::Done), one.transfers, "seed {seed}");
        assert_eq!(count(Operation::Transfer, Outcome::Failed), one.lost_transfers, "seed {seed}");
        assert!(count(Operation::Get, Outcome::Done) <= one.transfers, "seed {seed}");
        let fatal =
            |failure: &clustersim_agents::Failure| matches!(failure.error, Some(AgentError::Fatal(_)));
        assert!(!one.failures.iter().any(fatal), "seed {seed}: {:?}", one.failures);
    }
}

/// Two agents read 30 of a disk of 10 a second at once, and one writes what it has read.
#[test]
fn agents_share_the_disks_of_their_host() {
    let disk = Disk {
        name: "d".to_owned(),
        read_bandwidth: 10.0,
        write_bandwidth: 5.0,
        properties: OrderedMap::new(),
    };
    let mut builder = Builder::new();
    let host = builder.host(Host { disks: vec![disk], ..Host::new("h", 1.0) }).unwrap();
    let mut world = World::new(builder.build()).recording(Recording::Operations);
    for name in ["reader", "writer"] {
        world.agent(host, name, async move |me| {
            me.read("d", 30.0).await?;
            if me.name() == "writer" {
                me.write("d", 30.0).await?;
            }
            let missing = me.read("e", 1.0).await;
            assert_eq!(missing, Err(AgentError::Fatal("host `h` has no disk `e`".to_owned())));
            Ok(())
        });
    }
    let outcomes = simulate(world, Simulation::new(1), None).unwrap();
    let rows: Vec<_> =
        outcomes.records.iter().map(|(disk, row)| (row.operation, disk, row.end.as_secs_f64())).collect();
    let done: Vec<_> = rows.iter().filter(|(_, disk, _)| *disk == "d").copied().collect();
    let read = (Operation::Read, "d", 6.0);
    assert_eq!(done, [read, read, (Operation::Write, "d", 12.0)]);
    assert_eq!(rows.len(), 5, "what failed is told, too");
}
