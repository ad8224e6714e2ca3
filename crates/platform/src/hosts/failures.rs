//! Hosts that fail and are repaired, by their state traces.
//!
//! There is a process for each host whose trace changes, and none for the others. It acts among the
//! *time-outs* of an instant: what ends on a host as it fails has ended. First the tasks of the
//! host are lost, then the observer is notified.
//!
//! The processes are daemons, and their waits are background holds while nothing
//! [depends](HostObserver::depends) on the host: then the trace keeps no run from being over, nor a
//! deadlock from being found. What begins to depend on a host reports it
//! ([`HostWatch::look_again`]).

use std::rc::Rc;
use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::kernel::{Either, Signal, now, race, spawn_daemon, timer};
use crate::{HostId, Processors};

/// An observer that is notified when hosts fail and are repaired.
pub trait HostObserver {
    /// The host has failed, and its tasks are lost.
    fn failed(&self, host: HostId);

    /// The host works again.
    fn repaired(&self, host: HostId);

    /// Returns true if it matters for the end of the run what becomes of the host: an agent lives
    /// there, or will again.
    fn depends(&self, host: HostId) -> bool;
}

/// The processes that let hosts fail.
#[derive(Clone, Debug)]
pub struct HostWatch(Rc<OrderedMap<HostId, Signal>>);

impl HostWatch {
    /// Something may depend on a host from now on.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn look_again(&self, host: HostId) {
        if let Some(signal) = self.0.get(&host) {
            signal.give();
        }
    }
}

/// Starts the processes that let hosts fail.
///
/// # Panics
/// Outside a simulation.
pub fn watch_hosts(processors: &Processors, news: &Rc<dyn HostObserver>) -> HostWatch {
    let hosts = processors.platform().hosts().iter().enumerate();
    let fails = hosts.filter(|(_, host)| host.working.next_change(now()).is_some());
    let signal = |(index, _): (usize, _)| {
        (HostId::new(index as u32), Signal::new(("dependents of host", index as u32)))
    };
    let watched = HostWatch(Rc::new(fails.map(signal).collect()));
    for &host in watched.0.keys() {
        let watching = watch(processors.clone(), Rc::clone(news), watched.clone(), host);
        spawn_daemon(("state of host", host.index() as u32), watching);
    }
    watched
}

/// Lets a host fail and be repaired as its trace says.
async fn watch(processors: Processors, news: Rc<dyn HostObserver>, watched: HostWatch, host: HostId) {
    let (platform, inhabited) = (Arc::clone(processors.platform()), &watched.0[&host]);
    let trace = &platform.host(host).working;
    let mut worked = trace.value_at(now()) > 0.0;
    while let Some(change) = trace.next_change(now()) {
        let until = timer(change.since(now()));
        if news.depends(host) {
            until.await;
        } else if let Either::Right(()) = race(until.background(), inhabited.wait()).await {
            continue;
        }
        // it may leave and return at one instant
        if worked && trace.least_at(now()) <= 0.0 {
            processors.fail(host);
            news.failed(host);
            worked = false;
        }
        if !worked && trace.value_at(now()) > 0.0 {
            processors.repair(host);
            news.repaired(host);
            worked = true;
        }
    }
}
