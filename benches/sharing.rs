//! Flows that share a network of 1,024 hosts: what it takes to let them all complete.
//!
//! `cargo bench --bench sharing` prints the table. A row starts 1,000, 3,000 or 10,000 flows at
//! once between random hosts, of random sizes, and ends with the last of them; making the network
//! is not timed. Seconds are the median over the rounds; the exponent is how they grow with the
//! number of flows, and the ratio is one flow's time in events of the bare loop, which takes turns
//! with the rows. Three networks:
//! - *crossbar*: each host has a link in and one out, of 1 GB/s.
//! - *fat tree*: two levels, 32 leaf switches of 32 hosts and 16 spines; leaf and spine have links
//!   of 2 GB/s, the spine is chosen by hash of source and destination.
//! - *dragonfly*: 16 groups of 8 routers of 8 hosts; routers of a group are joined each to each,
//!   groups by one link of 4 GB/s a pair between routers chosen by number; routes are minimal.
//!
//! `-- TEXT` runs only the rows whose name holds TEXT.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark reads the wall clock; nothing here is a result of a model"
)]
#![expect(clippy::disallowed_methods, reason = "the bare loop draws with the machine's own logarithm")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

#[expect(dead_code, reason = "shared with the kernel's rows, which use more of it")]
mod bare;

use std::time::Instant;

use bare::{Source, bare_best, median};
use clustersim_kernel::SimTime;
use clustersim_platform::network::Carrier;
use clustersim_platform::sharing::LinkId;
use clustersim_platform::{Flows, Link, Model, Request};

const HOSTS: u32 = 1_024;
const COUNTS: [usize; 3] = [1_000, 3_000, 10_000];
/// Seconds for the largest count.
const FLOOR: f64 = 5.0;
const GOAL: f64 = 1.0;
const LATENCY: f64 = 1e-6;

/// A network by the bandwidths of its links [B/s], and the links between two hosts.
struct Network {
    name: &'static str,
    links: Vec<f64>,
    route: fn(u32, u32) -> Vec<u32>,
}

fn crossbar() -> Network {
    let route = |from, to| vec![from, HOSTS + to];
    Network { name: "crossbar", links: vec![1e9; 2 * HOSTS as usize], route }
}

fn fat_tree() -> Network {
    const LEAVES: u32 = 32;
    const SPINES: u32 = 16;
    let route = |from: u32, to: u32| {
        let (leaf, other) = (from / (HOSTS / LEAVES), to / (HOSTS / LEAVES));
        let spine = (from.wrapping_mul(2_654_435_761) ^ to.wrapping_mul(40_503)) / 7 % SPINES;
        let up = 2 * HOSTS + leaf * SPINES + spine;
        let down = 2 * HOSTS + (LEAVES + other) * SPINES + spine;
        if leaf == other { vec![from, HOSTS + to] } else { vec![from, up, down, HOSTS + to] }
    };
    let ends = std::iter::repeat_n(1e9, 2 * HOSTS as usize);
    let links = ends.chain(std::iter::repeat_n(2e9, (2 * LEAVES * SPINES) as usize)).collect();
    Network { name: "fat tree", links, route }
}

fn dragonfly() -> Network {
    const GROUPS: u32 = 16;
    const ROUTERS: u32 = 8;
    const LOCAL: u32 = 2 * HOSTS;
    const GLOBAL: u32 = LOCAL + GROUPS * ROUTERS * ROUTERS;
    let route = |from: u32, to: u32| {
        let (router, other) = (from / 8, to / 8);
        let (group, away) = (router / ROUTERS, other / ROUTERS);
        let local = |from: u32, to: u32| LOCAL + from * ROUTERS + to % ROUTERS;
        let (mut at, mut links) = (router, vec![from]);
        if group != away {
            let gate = group * ROUTERS + away % ROUTERS;
            if gate != at {
                links.push(local(at, gate));
            }
            links.push(GLOBAL + group * GROUPS + away);
            at = away * ROUTERS + group % ROUTERS;
        }
        if at != other {
            links.push(local(at, other));
        }
        links.push(HOSTS + to);
        links
    };
    let ends = std::iter::repeat_n(1e9, 2 * HOSTS as usize);
    let local = std::iter::repeat_n(2e9, (GROUPS * ROUTERS * ROUTERS) as usize);
    let global = std::iter::repeat_n(4e9, (GROUPS * GROUPS) as usize);
    Network { name: "dragonfly", links: ends.chain(local).chain(global).collect(), route }
}

/// Seconds until the last of `count` flows has completed.
fn run(network: &Network, count: usize) -> f64 {
    let source = Source::new();
    let mut flows = Flows::new(Model::default()).unwrap();
    for &bandwidth in &network.links {
        flows.add_link(Link::new(bandwidth, LATENCY)).unwrap();
    }
    let begun = Instant::now();
    for _ in 0..count {
        let host = || (source.unit() * f64::from(HOSTS)) as u32 % HOSTS;
        let (from, to) = (host(), host());
        let route: Vec<LinkId> = (network.route)(from, to).into_iter().map(LinkId::new).collect();
        let size = 1e6 + 99e6 * source.unit();
        flows.start(Request { size, route: &route, back: &[], bound: None, extra_latency: 0.0 }).unwrap();
    }
    let ended = flows.advance(SimTime::MAX);
    assert_eq!(ended.len(), count, "every flow completes");
    begun.elapsed().as_secs_f64()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let rounds = if std::env::args().any(|arg| arg == "--quick") { 1 } else { 3 };
    let heads = ["flows", "seconds", "flows/s", "exponent", "bare events"];
    let [flows, seconds, rate, exponent, events] = heads;
    println!("{:<12}{flows:>8}{seconds:>10}{rate:>12}{exponent:>10}{events:>13}", "network");
    for network in [crossbar(), fat_tree(), dragonfly()] {
        if args.first().is_some_and(|text| !network.name.contains(text.as_str())) {
            continue;
        }
        let mut before: Option<(usize, f64)> = None;
        for count in COUNTS {
            let (mut times, mut bare) = (Vec::new(), Vec::new());
            for _ in 0..rounds {
                bare.push(bare_best(100, 4_000_000));
                times.push(run(&network, count));
            }
            let (seconds, bare) = (median(times), median(bare));
            let growth =
                |(fewer, less): (usize, f64)| (seconds / less).ln() / (count as f64 / fewer as f64).ln();
            let exponent = before.map(growth).map_or(String::new(), |exponent| format!("{exponent:.2}"));
            before = Some((count, seconds));
            let verdict = match seconds {
                _ if count < COUNTS[2] => "",
                seconds if seconds <= GOAL => "goal reached",
                seconds if seconds <= FLOOR => "floor reached",
                _ => "ABOVE THE FLOOR",
            };
            let (rate, events) = (count as f64 / seconds, seconds / count as f64 * bare);
            let name = network.name;
            println!(
                "{name:<12}{count:>8}{seconds:>10.3}{rate:>12.0}{exponent:>10}{events:>13.0}  {verdict}"
            );
        }
    }
}
