//! Two agents: a master that sends tasks, and a worker that computes them.
//!
//! ```sh
//! cargo run --release --example agents
//! ```

use std::error::Error;

use clustersim::agents::{Agent, AgentError, Channel, Task, World, simulate};
use clustersim::kernel::Simulation;
use clustersim::platform::network::Flow;
use clustersim::platform::{Builder, Host, HostId, Link};

const WORK: Channel = Channel(0);

/// Sends five tasks of 2 Gflop and 10 MB, one after the other, and then one that means the end.
async fn master(me: Agent, worker: HostId) -> Result<(), AgentError> {
    for number in 0..5 {
        me.put(Task::new(format!("task {number}"), 2e9, 10e6), worker, WORK).await?;
        println!("{:>8.4} s  sent task {number}", me.now().as_secs_f64());
    }
    me.put(Task::new("stop", 0.0, 0.0), worker, WORK).await?;
    Ok(())
}

/// Computes whatever comes until the end is told.
async fn worker(me: Agent) -> Result<(), AgentError> {
    loop {
        let task = me.get(WORK).await?;
        if task.name == "stop" {
            return Ok(());
        }
        me.execute(&task).await?;
        println!("{:>8.4} s  computed {}", me.now().as_secs_f64(), task.name);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut builder = Builder::new();
    let alice = builder.host(Host::new("alice", 1e9))?;
    let bob = builder.host(Host::new("bob", 1e9))?;
    let wire = builder.link("wire", Link::new(12.5e6, 0.001))?;
    builder.symmetric_route(alice, bob, &[wire]);

    let mut world = World::new(builder.build()).over(Box::new(Flow::lv08()));
    world.agent(alice, "master", async move |me| master(me, bob).await);
    world.agent(bob, "worker", worker);
    let outcomes = simulate(world, Simulation::new(1), None)?;
    for metric in outcomes.metrics() {
        println!("{:<22} {:?} {}", metric.name, metric.value, metric.unit);
    }
    Ok(())
}
