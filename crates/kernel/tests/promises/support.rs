//! What the tests of the kernel share: a log with times, and the ways in which a wait can be lost.

use std::cell::RefCell;
use std::rc::Rc;

use clustersim_kernel::{
    Either, Event, SimDuration, SimError, Simulation, fail, hold, interruptible, now, race, settle, spawn,
    timed, timer,
};

pub(super) fn ns(nanos: u64) -> SimDuration {
    SimDuration::from_nanos(nanos)
}

/// What happened, and when \[ns\].
#[derive(Clone, Default)]
pub(super) struct Log(Rc<RefCell<Vec<(u64, String)>>>);

impl Log {
    pub(super) fn note(&self, text: impl Into<String>) {
        self.0.borrow_mut().push((now().as_nanos(), text.into()));
    }

    /// Notes `text` when it is dropped.
    pub(super) fn at_drop(&self, text: &'static str) -> AtDrop {
        AtDrop(self.clone(), text)
    }

    pub(super) fn take(&self) -> Vec<(u64, String)> {
        self.0.take()
    }
}

pub(super) struct AtDrop(Log, &'static str);

impl Drop for AtDrop {
    fn drop(&mut self) {
        self.0.note(self.1);
    }
}

/// Sets a scene inside a simulation, runs it to its end and gives what was noted.
pub(super) fn scene(set: impl FnOnce(&Log)) -> Vec<(u64, String)> {
    let (log, result) = scene_and_end(set);
    result.unwrap();
    log
}

/// [`scene`], with how it ended.
pub(super) fn scene_and_end(
    set: impl FnOnce(&Log),
) -> (Vec<(u64, String)>, Result<clustersim_kernel::Outcome, SimError>) {
    let log = Log::default();
    let simulation = Simulation::new(1);
    simulation.enter(|| set(&log));
    let result = simulation.run();
    (log.take(), result)
}

pub(super) fn logged(lines: &[(u64, &str)]) -> Vec<(u64, String)> {
    lines.iter().map(|&(at, text)| (at, text.to_owned())).collect()
}

/// How the victim of [`lose`] loses its wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// At 5, by running out of time.
    Timeout,
    /// At 5, by an interrupt.
    Interrupt,
    /// At 5, killed.
    Kill,
    /// At 9, killed when the thing had been handed to it already.
    KillOnceServed,
    /// At 9, by something else that it waited for and that comes first, when the thing had been
    /// handed to it.
    RaceOnceServed,
    /// At 9 the run ends, when the thing had been handed to the victim.
    EndOnceServed,
    /// At 5 the run ends.
    End,
}

/// The ways after which somebody else must get what the victim lost.
pub(super) const SURVIVED: [By; 5] =
    [By::Timeout, By::Interrupt, By::Kill, By::KillOnceServed, By::RaceOnceServed];

/// The ways in which a run ends over the victim's wait.
pub(super) const ENDS: [By; 2] = [By::End, By::EndOnceServed];

/// A victim waits from instant 1 and another process from 2; `give` hands out one thing at 9. The
/// victim loses its wait. Gives who got something, and when.
pub(super) fn lose<F: Future<Output = ()> + 'static>(
    by: By,
    wait: impl Fn() -> F + Clone + 'static,
    give: impl FnOnce() + 'static,
) -> Vec<(u64, String)> {
    let (log, result) = scene_and_end(|log| {
        let flag = Event::new("flag");
        let (victims, victims_wait, victims_flag) = (log.clone(), wait.clone(), flag.clone());
        let victim = spawn("victim", async move {
            hold(ns(1)).await;
            let got = match by {
                By::Timeout => timed(ns(4), victims_wait()).await.is_some(),
                By::Interrupt => interruptible(victims_wait()).await.is_ok(),
                By::RaceOnceServed => {
                    matches!(race(victims_flag.wait(), victims_wait()).await, Either::Right(()))
                }
                _ => {
                    victims_wait().await;
                    true
                }
            };
            if got {
                victims.note("victim");
            }
        });
        let log = log.clone();
        spawn("other", async move {
            hold(ns(2)).await;
            wait().await;
            log.note("other");
        });
        spawn("fate", async move {
            hold(ns(5)).await;
            match by {
                By::Interrupt => assert!(victim.interrupt("enough")),
                By::Kill => assert!(victim.kill()),
                By::End => return fail("the end"),
                _ => {}
            }
            hold(ns(4)).await;
            give();
            match by {
                By::KillOnceServed => assert!(victim.kill()),
                By::RaceOnceServed => flag.set(),
                By::EndOnceServed => fail("the end"),
                _ => {}
            }
        });
    });
    assert_eq!(result.is_err(), ENDS.contains(&by), "{by:?}: {result:?}");
    log
}

/// Two processes that tick at different periods, through all phases.
pub(super) fn tick_tock(log: &Log) {
    for (name, period) in [("tick", 4), ("tock", 5)] {
        let log = log.clone();
        spawn(name, async move {
            for _ in 0..5 {
                hold(ns(period)).await;
                log.note(name);
                settle().await;
                timer(ns(0)).await;
            }
        });
    }
}
