//! Agents: what they wait for, how long it takes, and what happens when something fails.

mod against_simgrid;
mod exchanges;
mod failures;
mod lives;
mod runs;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use clustersim_agents::{Outcomes, World, simulate};
use clustersim_kernel::{SimDuration, SimTime, Simulation, now};
use clustersim_platform::{Builder, Host, HostId, Link, Platform};

fn secs(secs: f64) -> SimTime {
    SimTime::ZERO + SimDuration::ceil_secs(secs)
}

fn span(secs: f64) -> SimDuration {
    SimDuration::ceil_secs(secs)
}

const A: HostId = HostId::new(0);
const B: HostId = HostId::new(1);
const C: HostId = HostId::new(2);

/// Hosts `a`, `b` and `c` of speed 1, each pair joined by a link of its own of bandwidth 1 without
/// latency.
fn triangle() -> Builder {
    triangle_of([Host::new("a", 1.0), Host::new("b", 1.0), Host::new("c", 1.0)], &Link::new(1.0, 0.0))
}

fn triangle_of(hosts: [Host; 3], link: &Link) -> Builder {
    let mut builder = Builder::new();
    let ids = hosts.map(|host| builder.host(host).unwrap());
    for (from, to) in [(0, 1), (0, 2), (1, 2)] {
        let id = builder.link(format!("l{from}{to}"), link.clone()).unwrap();
        builder.symmetric_route(ids[from], ids[to], &[id]);
    }
    builder
}

fn world() -> World {
    world_of(triangle())
}

fn world_of(builder: Builder) -> World {
    World::new(Arc::<Platform>::new(builder.build()))
}

fn run(world: World) -> Outcomes {
    let outcomes = simulate(world, Simulation::new(1), None).unwrap();
    assert!(outcomes.failures.is_empty(), "{:?}", outcomes.failures);
    outcomes
}

/// What agents note, and when.
#[derive(Clone, Default)]
struct Notes(Rc<RefCell<Vec<(f64, String)>>>);

impl Notes {
    fn note(&self, what: impl Into<String>) {
        self.0.borrow_mut().push((now().as_secs_f64(), what.into()));
    }

    fn told(&self) -> Vec<String> {
        self.0.borrow().iter().map(|(at, what)| format!("{at} {what}")).collect()
    }
}
