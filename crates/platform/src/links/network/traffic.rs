//! Background traffic: flows that no process waits for and that take bandwidth from the others.
//!
//! A process starts transfers from one host to another, with spans between their starts and sizes
//! drawn from two streams of its own, from a start on and as many as are asked for; how many are in
//! progress at once is not limited. One that fails is forgotten. The process is a daemon and its
//! holds are background holds, so traffic keeps no run from being over.
//!
//! Traffic that was measured is better written as the bandwidth trace of a link. Source: the
//! "stochastic external load" of H. Casanova, "Simgrid: a toolkit for the simulation of application
//! scheduling", CCGrid 2001.

use crate::HostId;
use crate::kernel::rng::Sampler;
use crate::kernel::{Process, SimDuration, SimTime, hold, now, spawn_daemon, stream};

use super::{Network, TransferClass, Transfers};

/// Transfers from one host to another, again and again.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// Name: its streams are `traffic/<name>/interarrival` and `traffic/<name>/size`.
    pub name: String,
    /// The sending host.
    pub from: HostId,
    /// The receiving host.
    pub to: HostId,
    /// From when on.
    pub start: SimTime,
    /// Number of transfers there are; `None`: as long as the run lasts.
    pub count: Option<u64>,
    /// Seconds between one start and the next, and from `start` to the first.
    pub interarrival: Sampler,
    /// Size of a transfer, in the unit of bandwidths.
    pub size: Sampler,
}

impl Traffic {
    /// Starts the process of the traffic; it ends by itself if a transfer cannot be started at all,
    /// since no other could.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn begin(self, network: &Network) -> Process {
        let network = network.clone();
        let [mut spans, mut sizes] =
            ["interarrival", "size"].map(|what| stream(&format!("traffic/{}/{what}", self.name)));
        spawn_daemon("background traffic", async move {
            let Traffic { from, to, start, count, interarrival, size, .. } = self;
            if start > now() {
                hold(start.since(now())).background().await;
            }
            let mut left = count.unwrap_or(u64::MAX);
            while left > 0 {
                left -= u64::from(count.is_some());
                // a span of no time over and over would stop the clock
                let span = SimDuration::ceil_secs(interarrival.draw(&mut spans));
                hold(span.max(SimDuration::from_nanos(1))).background().await;
                let what = Transfers { from, to, size: size.draw(&mut sizes), bound: None };
                if network.start(what, None, TransferClass::Background).is_err() {
                    return;
                }
            }
        })
    }
}
