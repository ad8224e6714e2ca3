//! Agents: a master that sends tasks to workers, and agents that only wait.
//!
//! `cargo bench --bench agents` prints, for 100, 1,000 and 10,000 workers, how many tasks a second
//! go from the master to a worker, over a link with latency and bandwidth, and are computed there;
//! how that grows with the workers (the exponent of seconds against workers); and what a task costs
//! in events of the bare loop. Then what agents cost that wait on a channel each. One argument is
//! part of a row's name. `--quick` is for a look.
//!
//! What SimGrid does at the same sizes (4.1, S4U, on another machine, one put and one execution a
//! task): 249,000, 128,000 and 106,000 tasks a second.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark reads the wall clock; nothing here is a result of a model"
)]
#![expect(clippy::disallowed_methods, reason = "the bare loop draws with the machine's own logarithm")]

#[expect(dead_code, reason = "shared with the kernel's rows, which use more of it")]
mod bare;

use std::sync::Arc;
use std::time::Instant;

use clustersim_agents::{Channel, Recording, Task, World, simulate};
use clustersim_kernel::{SimTime, Simulation};
use clustersim_platform::{Builder, Host, HostId, Link, Platform};

use bare::{bare_best, median};

const TASKS: u32 = 100_000;
const WORKERS: [u32; 3] = [100, 1_000, 10_000];
/// Tasks a second that were promised.
const GOAL: f64 = 500_000.0;

fn star(workers: u32) -> Arc<Platform> {
    let mut builder = Builder::new();
    let master = builder.host(Host::new("master", 1e9)).expect("the first host");
    for worker in 0..workers {
        let host = builder.host(Host::new(format!("w{worker}"), 1e9)).expect("a new name");
        let link = builder.link(format!("l{worker}"), Link::new(1e8, 1e-4)).expect("a new name");
        builder.symmetric_route(master, host, &[link]);
    }
    Arc::new(builder.build())
}

/// Seconds until the last of the tasks was computed.
fn master_and_workers(platform: &Arc<Platform>, workers: u32) -> f64 {
    let begun = Instant::now();
    let mut world = World::new(Arc::clone(platform)).recording(Recording::Counts);
    world.agent(HostId::new(0), "master", async move |me| {
        for number in 0..TASKS {
            let to = HostId::new(1 + number % workers);
            me.put(Task::new("task", 1e8, 1e6), to, Channel(0)).await?;
        }
        Ok(())
    });
    for worker in 0..workers {
        let share = TASKS / workers + u32::from(worker < TASKS % workers);
        world.agent(HostId::new(1 + worker), "worker", async move |me| {
            for _ in 0..share {
                let task = me.get(Channel(0)).await?;
                me.execute(&task).await?;
            }
            Ok(())
        });
    }
    let outcomes = simulate(world, Simulation::new(1), None).expect("nobody waits for ever");
    assert_eq!(outcomes.tasks, u64::from(TASKS), "every task is computed");
    begun.elapsed().as_secs_f64()
}

/// Seconds to begin, run and end `agents` that wait on a channel each, a thousand hosts for all.
fn idle(agents: u32) -> f64 {
    let platform = star(1_000);
    let begun = Instant::now();
    let mut world = World::new(platform).recording(Recording::Counts);
    for agent in 0..agents {
        world.agent(HostId::new(agent % 1_000), "idle", async move |me| {
            me.get(Channel(agent / 1_000)).await.map(drop)
        });
    }
    world.agent(HostId::new(0), "clock", async move |me| {
        me.sleep(clustersim_kernel::SimDuration::from_secs(10)).await;
        Ok(())
    });
    let outcomes = simulate(world, Simulation::new(1), Some(SimTime::from_nanos(1_000_000_000)));
    assert!(outcomes.expect("stopped before the deadlock").stopped);
    begun.elapsed().as_secs_f64()
}

/// The most memory that this program has had so far, in megabytes, where the system tells.
fn peak_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let rounds = if std::env::args().any(|arg| arg == "--quick") { 1 } else { 5 };
    let wanted = |name: &str| args.first().is_none_or(|text| name.contains(text.as_str()));
    if wanted("master and workers") {
        let heads = ["workers", "seconds", "tasks/s", "exponent", "bare events"];
        let [workers, seconds, rate, exponent, events] = heads;
        println!("{workers:>28}{seconds:>10}{rate:>12}{exponent:>10}{events:>13}");
        let mut before: Option<(u32, f64)> = None;
        for workers in WORKERS {
            let platform = star(workers);
            let (mut times, mut bare) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                bare.push(bare_best(100, 4_000_000));
                times.push(master_and_workers(&platform, workers));
            }
            let (seconds, bare) = (median(times), median(bare));
            let growth = |(fewer, less): (u32, f64)| (seconds / less).ln() / f64::from(workers / fewer).ln();
            let exponent = before.map(growth).map_or(String::new(), |exponent| format!("{exponent:.2}"));
            before = Some((workers, seconds));
            let (rate, events) = (f64::from(TASKS) / seconds, seconds / f64::from(TASKS) * bare);
            let verdict = if rate >= GOAL { "goal reached" } else { "BELOW THE GOAL" };
            let name = "master and workers";
            println!("{name}{workers:>10}{seconds:>10.3}{rate:>12.0}{exponent:>10}{events:>13.1}  {verdict}");
        }
    }
    if wanted("idle") {
        for agents in [10_000, 100_000, 1_000_000] {
            let seconds = idle(agents);
            let peak =
                peak_megabytes().map_or(String::new(), |peak| format!(", at most {peak:.0} MB so far"));
            println!("idle agents{agents:>17}{seconds:>10.3} s{peak}");
        }
    }
}
