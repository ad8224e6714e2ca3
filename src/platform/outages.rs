//! Hosts that fail and are repaired, by their state traces.
//!
//! There is a process for each host whose trace changes, and none for the others. It acts among the *time-outs* of an instant: what
//! ends on a host as it fails has ended. First the tasks of the host are lost, then whoever listens is told.
//!
//! The processes are daemons, and their waits are background holds while nobody [depends](HostNews::depends) on the host: then the
//! trace keeps no run from being over, nor a deadlock from being found.

use std::rc::Rc;

use crate::kernel::{now, spawn_daemon, timer};
use crate::platform::{HostId, Processors};

/// Who is told that hosts fail and are repaired.
pub trait HostNews {
    /// The host has failed, and its tasks are lost.
    fn failed(&self, host: HostId);

    /// The host works again.
    fn repaired(&self, host: HostId);

    /// Whether it matters for the end of the run what becomes of the host: somebody lives there, or will again.
    fn depends(&self, host: HostId) -> bool;
}

/// Starts the processes that let hosts fail.
///
/// # Panics
/// Outside a simulation.
pub fn watch_hosts(processors: &Processors, news: &Rc<dyn HostNews>) {
    let platform = processors.platform();
    for (index, host) in platform.hosts().iter().enumerate() {
        let (index, id) = (index as u32, HostId::new(index as u32));
        if host.working.next_change(now()).is_some() {
            spawn_daemon(("state of host", index), watch(processors.clone(), Rc::clone(news), id));
        }
    }
}

async fn watch(processors: Processors, news: Rc<dyn HostNews>, host: HostId) {
    let platform = std::sync::Arc::clone(processors.platform());
    let trace = &platform.host(host).working;
    let mut worked = trace.value_at(now()) > 0.0;
    while let Some(change) = trace.next_change(now()) {
        let until = timer(change.since(now()));
        if news.depends(host) {
            until.await;
        } else {
            until.background().await;
        }
        let works = trace.value_at(now()) > 0.0;
        if works == std::mem::replace(&mut worked, works) {
            continue;
        }
        if works {
            processors.repair(host);
            news.repaired(host);
        } else {
            processors.fail(host);
            news.failed(host);
        }
    }
}
