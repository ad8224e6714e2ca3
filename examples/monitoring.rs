//! Monitoring: sensors sample their hosts and links, a collector keeps what they find, and a
//! scheduler goes by it.
//!
//! ```sh
//! cargo run --release --example monitoring
//! ```
//!
//! On each worker's host a *sensor* computes a little now and then, and sends what it took to the
//! *collector*, which keeps the last sample of every host as data of its own host. The time that
//! such a report is in transit is a sample of the link: it is reported with the next one. The
//! *scheduler* lives on the collector's host and reads what is kept there: every two minutes it
//! sends a task to the worker that would be done first if all stayed as it was last seen.
//!
//! One worker is loaded for two minutes of every six, the other has a link that is thin later on.
//! Who goes by the speeds as they are written sends everything to `a`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::rc::Rc;

use clustersim::agents::{Agent, AgentError, Channel, Task, World, simulate};
use clustersim::kernel::{SimDuration, SimTime, Simulation};
use clustersim::platform::{Builder, Host, HostId, Link, Trace};

const REPORTS: Channel = Channel(0);
const WORK: Channel = Channel(1);
const ROUNDS: u32 = 44;
const TASKS: u32 = 5;
/// What a task of the application computes [flop], and what is sent with it [B].
const TASK: (f64, f64) = (5e9, 20e6);
/// What a sensor computes, and what its report weighs.
const SAMPLE: (f64, f64) = (1e6, 100e3);

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", monitor()?);
    Ok(())
}

/// What was last seen of a host.
#[derive(Clone, Copy)]
struct Seen {
    /// Work per second.
    speed: f64,
    /// Size per second of the way to the collector, once a report has gone it.
    bandwidth: Option<f64>,
}

/// Last samples by host, as the collector keeps them.
type Samples = RefCell<BTreeMap<HostId, Seen>>;

/// Samples every fifteen seconds.
async fn sensor(me: Agent, to: HostId) -> Result<(), AgentError> {
    let mut bandwidth = None;
    for _ in 0..ROUNDS {
        let begun = me.now();
        me.execute_aside(&Task::new("sample", SAMPLE.0, 0.0)).await?;
        let speed = SAMPLE.0 / me.now().since(begun).as_secs_f64();
        let sent = me.now();
        me.put(Task::new("report", 0.0, SAMPLE.1).carrying(Seen { speed, bandwidth }), to, REPORTS).await?;
        bandwidth = Some(SAMPLE.1 / me.now().since(sent).as_secs_f64());
        me.sleep(SimDuration::from_secs(15)).await;
    }
    Ok(())
}

/// Keeps the last sample of each host as data of its own host.
async fn collector(me: Agent, sensors: u32) -> Result<(), AgentError> {
    me.keep_on_host(Samples::default());
    for _ in 0..sensors * ROUNDS {
        let mut report = me.get(REPORTS).await?;
        let (seen, sender) = (report.take::<Seen>(), report.sender());
        if let (Some(seen), Some(sender), Some(kept)) = (seen, sender, me.kept_on_host::<Samples>()) {
            kept.borrow_mut().insert(sender.host, seen);
        }
    }
    Ok(())
}

/// Computes what it gets, until a message says that this was the last.
async fn worker(me: Agent) -> Result<(), AgentError> {
    loop {
        let task = me.get(WORK).await?;
        if task.amount == 0.0 {
            return Ok(());
        }
        me.execute(&task).await?;
    }
}

/// Sends each task to the host that would be done first.
async fn scheduler(me: Agent, hosts: Vec<HostId>, reported: Rc<RefCell<String>>) -> Result<(), AgentError> {
    for number in 0..TASKS {
        me.sleep(SimDuration::from_secs(120)).await;
        let Some(kept) = me.kept_on_host::<Samples>() else { break };
        let samples = kept.borrow().clone();
        let secs = |seen: &Seen| TASK.0 / seen.speed + TASK.1 / seen.bandwidth.unwrap_or(f64::INFINITY);
        let first = samples.iter().min_by(|one, other| secs(one.1).total_cmp(&secs(other.1)));
        let Some((&host, seen)) = first else { break };
        let (at, name, secs) = (me.now().as_secs_f64(), &me.platform().host(host).name, secs(seen));
        // writing into a String cannot fail
        let _ = writeln!(
            reported.borrow_mut(),
            "at {at:.0} s: task {number} to {name}, {secs:.1} s are forecast"
        );
        me.put(Task::new(format!("task {number}"), TASK.0, TASK.1), host, WORK).await?;
    }
    for host in hosts {
        me.put(Task::new("over", 0.0, 0.0), host, WORK).await?;
    }
    Ok(())
}

/// Runs it; what it has to say.
pub(crate) fn monitor() -> Result<String, Box<dyn Error>> {
    let mut builder = Builder::new();
    let home = builder.host(Host::new("home", 100e6))?;
    let minutes = |minutes: u64| SimDuration::from_secs(60 * minutes);
    let after = |span| SimTime::ZERO.saturating_add(span);
    let busy = Trace::new(&[(after(minutes(3)), 0.2), (after(minutes(5)), 1.0)], Some(minutes(4)))?;
    let thin = Trace::new(&[(after(minutes(8)), 0.4e6)], None)?.before(5e6);
    let a = builder.host(Host { availability: busy, ..Host::new("a", 200e6) })?;
    let b = builder.host(Host::new("b", 100e6))?;
    let wire = builder.link("wire", Link::new(5e6, 0.001))?;
    let radio = builder.link("radio", Link { bandwidth: thin, ..Link::new(5e6, 0.002) })?;
    builder.symmetric_route(home, a, &[wire]);
    builder.symmetric_route(home, b, &[radio]);
    let hosts = vec![a, b];

    let mut world = World::new(builder.build());
    world.agent(home, "collector", |me| collector(me, 2));
    for &host in &hosts {
        world.agent(host, "sensor", move |me| sensor(me, home));
        world.agent(host, "worker", worker);
    }
    let reported = Rc::new(RefCell::new(String::new()));
    let book = Rc::clone(&reported);
    world.agent(home, "scheduler", move |me| scheduler(me, hosts, book));
    let outcomes = simulate(world, Simulation::new(1), None)?;
    let mut reported = reported.take();
    for done in &outcomes.completed {
        let host = &outcomes.platform().host(done.host).name;
        writeln!(reported, "{} was done by {host} at {:.1} s", done.task, done.at.as_secs_f64())?;
    }
    writeln!(reported, "{} agents, {} reports", outcomes.agents.len(), 2 * ROUNDS)?;
    Ok(reported)
}
