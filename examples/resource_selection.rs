//! Resource selection: one large task, four hosts that could compute it, and small probes that show
//! which one should.
//!
//! ```sh
//! cargo run --release --example resource_selection
//! ```
//!
//! The selector knows nothing of the hosts but their names. It sends each of them three probes, one
//! after the other: an empty one, which takes the latency of the route; one with data, from which
//! it has the bandwidth; and one with work, whose answer says how long it computed. From these it
//! predicts when each host would be done with the task, and gives it to the first.
//!
//! What is written on a host may be far from what it gives: `old-glory` is the fastest by name, and
//! busy with the work of others (its availability). The task is then computed by every host, one
//! after the other, so that each forecast can be compared with the result.

use std::cell::RefCell;
use std::error::Error;
use std::fmt::Write;
use std::rc::Rc;

use clustersim::agents::{Agent, AgentError, Channel, Task, World, simulate};
use clustersim::kernel::Simulation;
use clustersim::platform::{Builder, Host, HostId, Link, Trace};

/// Name, speed [flop/s], share of it that is available, bandwidth [B/s] and latency [s] of the
/// route there.
const CANDIDATES: [(&str, f64, f64, f64, f64); 4] = [
    ("near", 50e6, 1.0, 10e6, 0.001),
    ("middling", 120e6, 0.9, 4e6, 0.02),
    ("old-glory", 400e6, 0.1, 8e6, 0.01),
    ("far", 300e6, 1.0, 0.25e6, 0.2),
];
/// What is to be computed [flop], and what is sent for it [B].
const TASK: (f64, f64) = (6e9, 100e6);
const PROBE: (f64, f64) = (1e6, 100e3);
const WORK: Channel = Channel(0);
const ANSWERS: Channel = Channel(1);

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", select()?);
    Ok(())
}

/// What an agent of this program says when there is no more work.
struct Over;

/// Computes what it is sent, and answers how many seconds that took.
async fn server(me: Agent, selector: HostId) -> Result<(), AgentError> {
    loop {
        let mut task = me.get(WORK).await?;
        if task.take::<Over>().is_some() {
            return Ok(());
        }
        let begun = me.now();
        me.execute(&task).await?;
        let took = me.now().since(begun).as_secs_f64();
        me.put(Task::new("answer", 0.0, 0.0).carrying(took), selector, ANSWERS).await?;
    }
}

/// Sends a task to a host; seconds until it was there, and seconds that it computed.
async fn ask(me: &Agent, host: HostId, task: Task) -> Result<(f64, f64), AgentError> {
    let begun = me.now();
    me.put(task, host, WORK).await?;
    let sent = me.now().since(begun).as_secs_f64();
    let computed = me.get(ANSWERS).await?.take::<f64>();
    Ok((sent, computed.unwrap_or(0.0)))
}

/// Seconds that the task would take on a host, by what three probes take.
async fn forecast(me: &Agent, host: HostId) -> Result<f64, AgentError> {
    let (latency, _) = ask(me, host, Task::new("ping", 0.0, 0.0)).await?;
    let (sent, _) = ask(me, host, Task::new("data", 0.0, PROBE.1)).await?;
    let (_, computed) = ask(me, host, Task::new("work", PROBE.0, 0.0)).await?;
    let (speed, bandwidth) = (PROBE.0 / computed, PROBE.1 / (sent - latency));
    Ok(latency + TASK.1 / bandwidth + TASK.0 / speed)
}

/// Probes, chooses, and compares the forecasts with the results.
async fn selector(me: Agent, hosts: Vec<HostId>, output: Rc<RefCell<String>>) -> Result<(), AgentError> {
    let mut forecasts = Vec::new();
    for &host in &hosts {
        forecasts.push((forecast(&me, host).await?, host));
    }
    let chosen = forecasts.iter().min_by(|one, other| one.0.total_cmp(&other.0)).map(|&(_, host)| host);
    // in every line: writing into a String cannot fail
    let _ = writeln!(output.borrow_mut(), "after {:.3} s of probes", me.now().as_secs_f64());
    for (forecast, host) in forecasts {
        let (sent, computed) = ask(&me, host, Task::new("task", TASK.0, TASK.1)).await?;
        let name = &me.platform().host(host).name;
        let mark = if Some(host) == chosen { "  chosen" } else { "" };
        let took = sent + computed;
        let _ = writeln!(output.borrow_mut(), "{name:<10} {forecast:>7.2} s, took {took:>7.2} s{mark}");
        me.put(Task::new("over", 0.0, 0.0).carrying(Over), host, WORK).await?;
    }
    Ok(())
}

/// Runs it; gives its output.
pub(crate) fn select() -> Result<String, Box<dyn Error>> {
    let mut builder = Builder::new();
    let home = builder.host(Host::new("selector", 100e6))?;
    let mut hosts = Vec::new();
    for (name, speed, share, bandwidth, latency) in CANDIDATES {
        let availability = Trace::constant(share);
        let host = builder.host(Host { availability, ..Host::new(name, speed) })?;
        let link = builder.link(format!("to {name}"), Link::new(bandwidth, latency))?;
        builder.symmetric_route(home, host, &[link]);
        hosts.push(host);
    }
    let mut world = World::new(builder.build());
    for &host in &hosts {
        world.agent(host, "server", move |me| server(me, home));
    }
    let output = Rc::new(RefCell::new(String::new()));
    let book = Rc::clone(&output);
    world.agent(home, "selector", move |me| selector(me, hosts, book));
    let outcomes = simulate(world, Simulation::new(1), None)?;
    let mut output = output.take();
    writeln!(output, "{} agents, all over at {}", outcomes.agents.len(), outcomes.ended_at)?;
    Ok(output)
}
