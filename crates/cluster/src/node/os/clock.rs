//! The clock of a node: calls schedulers at the next tick after a ready task has come to outrank a
//! running one.
//!
//! A real timer interrupts at every tick, to find out whether preemption is needed. Here a tick is
//! armed by what makes one matter, so that a clock with nothing to decide costs no events; where
//! time alone changes the order of the run queue, the clock looks when it does.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 3.2 (the event `EScheduler`).

use std::rc::Rc;

use crate::kernel::{Either, SimTime, now, race, settle, settle_after};

use super::cpu::Entering;
use super::node::Node;

/// The clock of a node, as its process has it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Clock(pub(in crate::node) Rc<Node>);

impl Clock {
    /// Waits until a ready task outranks a running one, or time alone may change the order sooner
    /// than was expected.
    pub async fn armed(&self) {
        self.0.tick.wait().await;
    }

    /// The first instant of a tick from `from` on.
    pub fn next_tick(&self, from: SimTime) -> SimTime {
        next_multiple(self.0.params.tick.as_nanos(), self.0.tick_phase, from)
    }

    /// The instant at which time alone next changes the order of the run queue, from now on
    /// expected; [`SimTime::MAX`] if never.
    pub fn next_raise(&self) -> SimTime {
        self.0.expect_raise()
    }

    /// A tick: as long as a ready task outranks a running one, the lowest of those that are
    /// outranked makes room.
    pub async fn tick(&self) {
        let cpus = &self.0.cpus;
        for _ in cpus {
            let outranked = cpus.iter().filter(|cpu| self.0.is_outranked(cpu));
            let Some(lowest) = outranked.min_by_key(|cpu| self.0.rank(cpu)) else { return };
            lowest.preempt(Entering::Preempted);
            if cpus.len() == 1 {
                return;
            }
            // its scheduler takes one of the ready tasks before the next processor is looked at
            settle().await;
        }
    }
}

/// Process.
pub(in crate::node) async fn clock(clock: Clock) {
    let mut next = SimTime::MAX;
    loop {
        let raise = clock.next_raise();
        match raise.min(next) {
            SimTime::MAX => {
                clock.armed().await;
                next = clock.next_tick(now());
                continue;
            }
            until if !clock.0.keeps_time() => settle_after(until.since(now())).await,
            until => {
                if let Either::Left(()) = race(clock.armed(), settle_after(until.since(now()))).await {
                    next = next.min(clock.next_tick(now()));
                    continue;
                }
            }
        }
        if now() >= raise {
            next = next.min(clock.next_tick(now()));
        }
        if now() >= next {
            next = SimTime::MAX;
            // after all that began to settle in this instant, as a tick that is armed only now
            settle().await;
            clock.tick().await;
        }
    }
}

/// The first instant from `now` on that is a whole number of `period`s after `phase`.
pub(in crate::node) fn next_multiple(period: u64, phase: u64, now: SimTime) -> SimTime {
    let passed = (now.as_nanos() + period - phase % period) % period;
    let wait = if passed == 0 { 0 } else { period - passed };
    SimTime::from_nanos(now.as_nanos().saturating_add(wait))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_counted_from_the_phase() {
        let at = |nanos| next_multiple(10, 3, SimTime::from_nanos(nanos)).as_nanos();
        assert_eq!([at(0), at(3), at(4), at(12), at(13), at(14)], [3, 3, 13, 13, 13, 23]);
    }
}
