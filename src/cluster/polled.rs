//! The clock and the boost daemon in their plain form: they fire at every multiple of their periods.
//!
//! It is what the lazily armed forms ([`super::processor::clock`], [`super::daemon`]) stand for, and costs an event a period
//! whether there is anything to decide or not. Tests run both and compare; no scenario can ask for it.
//!
//! Whatever comes to be at the very instant of a tick, in whichever order, is seen by that tick.

use std::rc::Rc;

use futures::future::Either;

use crate::kernel::{SimDuration, SimTime, now, race, settle, settle_after};

use super::daemon;
use super::node::{Node, next_multiple};
use super::periodic::PeriodicAction;
use super::processor;

/// The clock of a node.
pub(in crate::cluster) async fn clock(node: Rc<Node>) {
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

/// The boost daemon of processor `cpu`, whose looks fall at whole `period`s after `phase`.
pub(in crate::cluster) async fn boost(
    node: Rc<Node>,
    cpu: usize,
    action: Rc<dyn PeriodicAction>,
    period: SimDuration,
    phase: u64,
) {
    let processor = &node.cpus[cpu];
    let multiple = |from: SimTime| next_multiple(period.as_nanos(), phase, from);
    let mut next = multiple(now());
    let mut looked = None;
    loop {
        let told = race(processor.spinning.wait(), settle_after(next.since(now()))).await;
        if matches!(told, Either::Left(())) {
            if multiple(now()) != now() || looked == Some(now()) {
                continue;
            }
            settle().await;
        }
        let instant = now();
        if daemon::has_reason(&node, processor) {
            looked = Some(instant);
            daemon::look(&node, processor, action.as_ref(), &mut daemon::Seen::default()).await;
        }
        next = multiple(now().max(instant.saturating_add(SimDuration::from_nanos(1))));
    }
}
