//! Processes: how they are named, started, joined, interrupted and killed.
//!
//! A process is a future that the executor owns. A [`Process`] is a ticket to it, small and
//! copyable: it stays valid after the process has ended, and then says so.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::core::{Core, Role, Started};
use super::executor::{self, with};
use super::name::{Name, flag};
use super::time::SimTime;
use super::wait::Wait;

/// Reason that a process was interrupted.
pub type InterruptReason = Cow<'static, str>;

/// The awaited process was killed before its work was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Killed;

impl fmt::Display for Killed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the process was killed")
    }
}

impl std::error::Error for Killed {}

/// The process was interrupted while it waited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interrupted {
    /// Reason given to [`Process::interrupt`].
    pub reason: InterruptReason,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted: {}", self.reason)
    }
}

impl std::error::Error for Interrupted {}

/// A ticket to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(Started);

/// Starts a process. It runs for the first time at the present instant, behind everything already
/// scheduled for it.
///
/// The run goes on while such a process is alive.
///
/// # Panics
/// Outside a simulation.
pub fn spawn(name: impl Into<Name>, body: impl Future<Output = ()> + 'static) -> Process {
    Process(executor::spawn(name.into(), Role::Worker, body))
}

/// Starts a process that does not keep the run going: a server loop, a scheduler, a load generator
/// without end.
///
/// # Panics
/// Outside a simulation.
pub fn spawn_daemon(name: impl Into<Name>, body: impl Future<Output = ()> + 'static) -> Process {
    Process(executor::spawn(name.into(), Role::Daemon, body))
}

/// Starts an observer: a daemon that first runs in the *observations* phase of the present instant
/// and is no part of the digest, the count of events or the numbering of processes. It waits with
/// [`observe`](super::observe) only, and changes nothing in the model.
///
/// # Panics
/// Outside a simulation.
pub fn spawn_observer(name: impl Into<Name>, body: impl Future<Output = ()> + 'static) -> Process {
    Process(executor::spawn(name.into(), Role::Observer, body))
}

/// The process that is running.
///
/// # Panics
/// Outside a process.
pub fn current() -> Process {
    with(|core, simulation| {
        assert!(core.current != u32::MAX, "no process is running");
        let number = core.store.id(core.current) >> flag::BITS;
        Process(Started { slot: core.current, simulation, number })
    })
}

impl Process {
    fn is_in(self, core: &Core, simulation: u32) -> bool {
        let alive = simulation == self.0.simulation && core.store.places.holds(self.0.slot) && {
            let id = core.store.id(self.0.slot);
            id & flag::ALIVE != 0 && id >> flag::BITS == self.0.number
        };
        alive && !core.ending
    }

    /// Returns true if the process has not ended yet.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn is_alive(self) -> bool {
        with(|core, simulation| self.is_in(core, simulation))
    }

    /// Waits until the process has ended.
    ///
    /// Processes that join one process are resumed in order of joining. Joining one that has ended
    /// returns at once.
    ///
    /// # Errors
    /// [`Killed`] if it did not end by itself.
    pub fn join(self) -> Join {
        Join { process: self, wait: Wait::new(), since: SimTime::ZERO }
    }

    /// Interrupts the process in its present, or else its next, [`interruptible`] wait. Interrupts
    /// that find it elsewhere queue up. Says whether the process was alive.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn interrupt(self, reason: impl Into<InterruptReason>) -> bool {
        with(|core, simulation| {
            if !self.is_in(core, simulation) {
                return false;
            }
            let extra = core.extra(self.0.slot);
            extra.reasons.push_back(reason.into());
            if let Some(wait) = extra.interruptible.last().copied()
                && !core.is_over(wait)
            {
                core.grant(wait);
            }
            true
        })
    }

    /// Kills the process: its future is dropped at once, or, if it is the one that is running, at
    /// its next await. What it holds is given back, what was handed to it goes to the next in line,
    /// and its joiners get an error. Says whether there was a process to kill.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn kill(self) -> bool {
        let alive = with(|core, simulation| self.is_in(core, simulation));
        if alive {
            executor::kill(self.0.slot);
        }
        alive
    }
}

/// The future of [`Process::join`].
#[derive(Debug)]
#[must_use = "nothing is awaited before `.await`"]
pub struct Join {
    process: Process,
    wait: Wait,
    since: SimTime,
}

impl Future for Join {
    type Output = Result<(), Killed>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let process = self.process;
        if self.wait.is_armed() {
            let since = self.since;
            std::task::ready!(self.wait.poll_granted(cx, || with(|core, _| {
                let name = core.name(process.0.slot);
                format!("joins `{name}` since {since}")
            })));
        } else if with(|core, simulation| process.is_in(core, simulation)) {
            let (key, now) = self.wait.queue(cx);
            self.since = now;
            with(|core, _| core.extra(process.0.slot).joiners.push(key.target));
            return Poll::Pending;
        }
        Poll::Ready(if with(|core, _| core.killed.contains(&process.0.number)) {
            Err(Killed)
        } else {
            Ok(())
        })
    }
}

impl Drop for Join {
    fn drop(&mut self) {
        let slot = self.process.0.slot;
        self.wait.withdraw(|core, target| {
            if let Some(extra) = core.extras.get_mut(&slot) {
                extra.joiners.retain(|joiner| *joiner != target);
            }
        });
    }
}

/// Awaits `future` unless [`Process::interrupt`] comes first; the only place where an interrupt is
/// delivered.
///
/// If both happen at one instant the future wins, and the interrupt waits for the next
/// interruptible wait. Of nested ones the innermost is interrupted. The future is dropped with this
/// one.
pub fn interruptible<F: Future>(future: F) -> Interruptible<F> {
    Interruptible { future, listening: Listening { wait: Wait::new(), slot: 0 } }
}

pin_project! {
    /// The future of [`interruptible`].
    #[derive(Debug)]
    #[must_use = "nothing is awaited before `.await`"]
    pub struct Interruptible<F> {
        #[pin]
        future: F,
        listening: Listening,
    }
}

#[derive(Debug)]
struct Listening {
    wait: Wait,
    slot: u32,
}

impl<F: Future> Future for Interruptible<F> {
    type Output = Result<F::Output, Interrupted>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(value) = this.future.poll(cx) {
            return Poll::Ready(Ok(value));
        }
        this.listening.poll(cx).map(|reason| Err(Interrupted { reason }))
    }
}

impl Listening {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<InterruptReason> {
        if !self.wait.is_armed() {
            self.slot = with(|core, _| core.current);
        }
        let slot = self.slot;
        if let Some(reason) = with(|core, _| core.extras.get_mut(&slot)?.reasons.pop_front()) {
            self.stop();
            return Poll::Ready(reason);
        }
        if let Some(key) = self.wait.key() {
            if self.wait.poll_granted(cx, String::new).is_pending() {
                return Poll::Pending;
            }
            // woken for a reason that a nested wait has taken: listen again
            with(|core, _| core.extra(slot).interruptible.retain(|wait| *wait != key.target));
        }
        let (key, _) = self.wait.queue(cx);
        with(|core, _| core.extra(slot).interruptible.push(key.target));
        Poll::Pending
    }

    fn stop(&mut self) {
        let slot = self.slot;
        self.wait.withdraw(|core, target| {
            if let Some(extra) = core.extras.get_mut(&slot) {
                extra.interruptible.retain(|wait| *wait != target);
            }
        });
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop();
    }
}
