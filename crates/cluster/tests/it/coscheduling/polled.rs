//! The clock and the boost daemon in their plain form: they fire at every multiple of their
//! periods.
//!
//! It is what the lazily armed processes of [`clustersim_cluster::node`] stand for, and costs an event a
//! period whether there is anything to decide or not. A property test runs both and compares.
//!
//! Whatever comes to be at the very instant of a tick, in whichever order, is seen by that tick.

use clustersim_cluster::node::{Clock, Daemon, Reference};
use clustersim_kernel::{Either, SimDuration, now, race, settle, settle_after};

/// Both processes.
pub(super) const POLLED: Reference =
    Reference { clock: |node| Box::pin(clock(node)), boost: |daemon| Box::pin(boost(daemon)) };

/// The clock of a node.
async fn clock(clock: Clock) {
    let mut next = clock.next_tick(now());
    loop {
        let raise = clock.next_raise();
        let armed = race(clock.armed(), settle_after(next.min(raise).since(now()))).await;
        if matches!(armed, Either::Left(())) {
            if clock.next_tick(now()) != now() {
                continue;
            }
        } else if now() < next {
            continue;
        }
        settle().await;
        clock.tick().await;
        if now() >= next {
            next = clock.next_tick(next.saturating_add(SimDuration::from_nanos(1)));
        }
    }
}

/// The process of a boost daemon.
async fn boost(mut daemon: Daemon) {
    let mut next = daemon.next_look(now());
    let mut looked = None;
    loop {
        let armed = race(daemon.armed(), settle_after(next.since(now()))).await;
        if matches!(armed, Either::Left(())) {
            if daemon.next_look(now()) != now() || looked == Some(now()) {
                continue;
            }
            settle().await;
        }
        let instant = now();
        if daemon.has_reason() {
            looked = Some(instant);
            daemon.look().await;
        }
        next = daemon.next_look(now().max(instant.saturating_add(SimDuration::from_nanos(1))));
    }
}
