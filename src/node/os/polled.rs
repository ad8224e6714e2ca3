//! The clock and the boost daemon in their plain form: they fire at every multiple of their periods.
//!
//! It is what the lazily armed forms ([`super::processor::clock`], [`super::daemon`]) stand for, and costs an event a period
//! whether there is anything to decide or not. Tests run both and compare; no scenario can ask for it.
//!
//! Whatever comes to be at the very instant of a tick, in whichever order, is seen by that tick.

use std::rc::Rc;

use crate::kernel::{Either, SimDuration, now, race, settle, settle_after};

use super::daemon::{self, Daemon};
use super::node::Node;
use super::processor;

/// The clock of a node.
pub(in crate::node) async fn clock(node: Rc<Node>) {
    let mut next = node.next_tick();
    loop {
        let raise = node.expect_raise();
        let told = race(node.tick.wait(), settle_after(next.min(raise).since(now()))).await;
        if matches!(told, Either::Left(())) {
            if node.next_tick() != now() {
                continue;
            }
        } else if now() < next {
            continue;
        }
        settle().await;
        processor::tick(&node).await;
        if now() >= next {
            next = next.saturating_add(node.params.tick);
        }
    }
}

/// The process of a boost daemon.
pub(in crate::node) async fn boost(daemon: Daemon) {
    let (node, processor) = (&*daemon.node, &daemon.node.cpus[daemon.cpu]);
    let mut next = daemon.next_look(now());
    let mut looked = None;
    loop {
        let told = race(processor.spinning.wait(), settle_after(next.since(now()))).await;
        if matches!(told, Either::Left(())) {
            if daemon.next_look(now()) != now() || looked == Some(now()) {
                continue;
            }
            settle().await;
        }
        let instant = now();
        if daemon::has_reason(node, processor) {
            looked = Some(instant);
            daemon::look(node, processor, daemon.action.as_ref(), &mut daemon::Seen::default()).await;
        }
        next = daemon.next_look(now().max(instant.saturating_add(SimDuration::from_nanos(1))));
    }
}
