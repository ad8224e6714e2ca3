//! Processes: how they are named, started, joined, interrupted and killed.
//!
//! A process is a future that the executor owns. A [`Process`] is a ticket to it, small and copyable: it stays valid
//! after the process has ended, and then says so.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::core::Core;
use super::event_list::Phase;
use super::executor::{self, with};
use super::time::SimTime;
use super::wait::{Wait, WaitKey};

/// Bits of a process's identity word below its number.
pub(super) mod flag {
    pub(in crate::kernel) const BITS: u32 = 12;
    pub(in crate::kernel) const ALIVE: u64 = 1;
    pub(in crate::kernel) const DAEMON: u64 = 1 << 1;
    pub(in crate::kernel) const OBSERVER: u64 = 1 << 2;
    pub(in crate::kernel) const WOKEN: u64 = 1 << 3;
    /// Killed while it was running: it ends at its next await.
    pub(in crate::kernel) const KILLED: u64 = 1 << 4;
    pub(in crate::kernel) const EXTRA: u64 = 1 << 5;
    pub(in crate::kernel) const REDIRECT: u64 = 1 << 6;
    pub(in crate::kernel) const ENDING: u64 = 1 << 7;
    pub(in crate::kernel) const FRESH: u64 = 1 << 8;
}

/// Observers are numbered apart, so that adding one moves no other process's number.
const OBSERVER_NUMBERS: u64 = 1 << 48;

/// The name of a process: what it is and which one of them. Formatted only when printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    kind: &'static str,
    index: Option<u64>,
}

impl Name {
    const ALONE: u32 = u32::MAX;

    /// As the head of a process has it.
    pub(super) fn stored(kind: &'static str, index: u32) -> Self {
        Name { kind, index: (index != Self::ALONE).then_some(index.into()) }
    }

    /// The number in the head of a process.
    pub(super) fn index_stored(self) -> u32 {
        self.index.map_or(Self::ALONE, |index| index as u32)
    }

    /// What the process is.
    pub fn kind(self) -> &'static str {
        self.kind
    }

    /// Which one of them; `None` if there is only one.
    pub fn index(self) -> Option<u64> {
        self.index
    }

    /// The same kind with another number.
    #[must_use]
    pub fn numbered(self, index: u64) -> Self {
        Name { index: Some(index), ..self }
    }
}

impl From<&'static str> for Name {
    fn from(kind: &'static str) -> Self {
        Name { kind, index: None }
    }
}

impl From<(&'static str, u32)> for Name {
    fn from((kind, index): (&'static str, u32)) -> Self {
        Name::stored(kind, index)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            None => f.write_str(self.kind),
            Some(index) => write!(f, "{} {index}", self.kind),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What few processes have: somebody who waits for their end, or an interrupt.
#[derive(Debug, Default)]
pub(super) struct Extra {
    joiners: Vec<WaitKey>,
    reasons: VecDeque<Reason>,
    interruptible: Vec<WaitKey>,
}

/// Why a process was interrupted.
pub type Reason = Cow<'static, str>;

/// The awaited process was killed before its work was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the process was killed")]
pub struct Killed;

/// The process was interrupted while it waited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("interrupted: {reason}")]
pub struct Interrupted {
    /// What [`Process::interrupt`] was given.
    pub reason: Reason,
}

/// A ticket to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    slot: u32,
    simulation: u32,
    number: u64,
}

/// How a process takes part in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Worker,
    Daemon,
    Observer,
}

/// Starts a process. It runs for the first time at the present instant, behind everything already scheduled for it.
///
/// The run goes on while such a process is alive.
///
/// # Panics
/// Outside a simulation.
pub fn spawn(name: impl Into<Name>, body: impl Future<Output = ()> + 'static) -> Process {
    executor::spawn(name.into(), Role::Worker, body)
}

/// Starts a process that does not keep the run going: a server loop, a scheduler, a load generator without end.
///
/// # Panics
/// Outside a simulation.
pub fn spawn_daemon(name: impl Into<Name>, body: impl Future<Output = ()> + 'static) -> Process {
    executor::spawn(name.into(), Role::Daemon, body)
}

/// Starts an observer: a daemon that first runs in the *observations* phase of the present instant and is no part of
/// the digest, the count of events or the numbering of processes. It waits with [`observe`](super::observe) only, and
/// changes nothing in the model.
///
/// # Panics
/// Outside a simulation.
pub fn spawn_observer(name: impl Into<Name>, body: impl Future<Output = ()> + 'static) -> Process {
    executor::spawn(name.into(), Role::Observer, body)
}

/// The process that is running.
///
/// # Panics
/// Outside a process.
pub fn current() -> Process {
    with(|core, simulation| {
        assert!(core.current != u32::MAX, "no process is running");
        Process { slot: core.current, simulation, number: core.store.id(core.current) >> flag::BITS }
    })
}

#[inline]
pub(super) fn enrol(core: &mut Core, slot: u32, name: Name, role: Role, simulation: u32) -> Process {
    let (number, flags) = match role {
        Role::Worker => (core.next_pid, 0),
        Role::Daemon => (core.next_pid, flag::DAEMON),
        Role::Observer => (core.next_observer + OBSERVER_NUMBERS, flag::DAEMON | flag::OBSERVER),
    };
    let flags = flags | flag::ALIVE | flag::FRESH;
    match role {
        Role::Observer => core.next_observer += 1,
        _ => core.next_pid += 1,
    }
    if role == Role::Worker {
        core.live += 1;
        if core.live == 1 {
            core.update_limit();
        }
    }
    let kind = kind_of(core, name.kind);
    let word = core.start(slot, if role == Role::Observer { Phase::Observations } else { Phase::Events });
    core.store.enter(slot, number << flag::BITS | flags, (kind, name.index_stored()), word);
    Process { slot, simulation, number }
}

/// The number of a kind. Most processes are of the kind of the one that was started before them.
#[inline]
fn kind_of(core: &mut Core, kind: &'static str) -> u32 {
    if !core.kinds.get(core.latest_kind as usize).is_some_and(|latest| std::ptr::eq(*latest, kind)) {
        core.latest_kind = find_kind(core, kind);
    }
    core.latest_kind
}

fn find_kind(core: &mut Core, kind: &'static str) -> u32 {
    let known = core.kinds.iter().position(|known| std::ptr::eq(*known, kind));
    let place = known.unwrap_or_else(|| {
        // each literal once, even if two are equal: a kind is only ever printed
        core.kinds.push(kind);
        core.kinds.len() - 1
    });
    place as u32
}

/// Books the end of a process, whose future is dropped already; wakes those who wait for it.
#[inline]
pub(super) fn leave(core: &mut Core, slot: u32, killed: bool) {
    let (id, mut word) = core.store.leave(slot);
    if id & flag::DAEMON == 0 {
        core.live -= 1;
        if core.live == 0 {
            core.update_limit();
        }
    }
    if id & flag::FRESH != 0 {
        word = core.forget_start(slot);
    }
    if killed {
        core.killed.insert(id >> flag::BITS);
    }
    if id & flag::EXTRA != 0
        && let Some(extra) = core.extras.remove(&slot)
    {
        extra.joiners.into_iter().for_each(|joiner| core.grant(joiner.target));
    }
    if word == super::core::word::FREE {
        core.store.reuse(slot);
    }
}

impl Process {
    /// A ticket to a process that could not be started, as if it had ended. Its future is dropped outside the kernel, which the
    /// destructors may call.
    pub(super) fn never<F>(simulation: u32, future: F) -> Self {
        drop(future);
        Process { slot: 0, simulation, number: u64::MAX }
    }

    fn is_in(self, core: &Core, simulation: u32) -> bool {
        let alive = simulation == self.simulation && core.store.holds(self.slot) && {
            let id = core.store.id(self.slot);
            id & flag::ALIVE != 0 && id >> flag::BITS == self.number
        };
        alive && !core.ending
    }

    /// Whether the process has not ended yet.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn is_alive(self) -> bool {
        with(|core, simulation| self.is_in(core, simulation))
    }

    /// Waits until the process has ended.
    ///
    /// Those who join one process are resumed in order of joining. Joining one that has ended returns at once.
    ///
    /// # Errors
    /// [`Killed`] if it did not end by itself.
    pub fn join(self) -> Join {
        Join { process: self, wait: Wait::new(), since: SimTime::ZERO }
    }

    /// Interrupts the process in its present, or else its next, [`interruptible`] wait. Interrupts that find it
    /// elsewhere queue up. Says whether the process was alive to hear it.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn interrupt(self, reason: impl Into<Reason>) -> bool {
        with(|core, simulation| {
            if !self.is_in(core, simulation) {
                return false;
            }
            let extra = extra(core, self.slot);
            extra.reasons.push_back(reason.into());
            if let Some(wait) = extra.interruptible.last().copied()
                && !core.is_over(wait.target)
            {
                core.grant(wait.target);
            }
            true
        })
    }

    /// Kills the process: its future is dropped at once, or, if it is the one that is running, at its next await. What
    /// it holds is given back, what was handed to it goes to the next in line, and its joiners get an error. Says
    /// whether there was a process to kill.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn kill(self) -> bool {
        let alive = with(|core, simulation| self.is_in(core, simulation));
        if alive {
            executor::kill(self.slot);
        }
        alive
    }
}

fn extra(core: &mut Core, slot: u32) -> &mut Extra {
    let id = core.store.id(slot);
    core.store.set_id(slot, id | flag::EXTRA);
    core.extras.entry(slot).or_default()
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
                let name = core.name(process.slot);
                format!("joins `{name}` since {since}")
            })));
        } else if with(|core, simulation| process.is_in(core, simulation)) {
            let (key, now) = self.wait.queue(cx);
            self.since = now;
            with(|core, _| extra(core, process.slot).joiners.push(key));
            return Poll::Pending;
        }
        Poll::Ready(if with(|core, _| core.killed.contains(&process.number)) { Err(Killed) } else { Ok(()) })
    }
}

impl Drop for Join {
    fn drop(&mut self) {
        let (slot, key) = (self.process.slot, self.wait.key());
        self.wait.withdraw(|core| {
            if let Some(extra) = core.extras.get_mut(&slot) {
                extra.joiners.retain(|joiner| Some(*joiner) != key);
            }
        });
    }
}

/// Awaits `future` unless [`Process::interrupt`] comes first; the only place where an interrupt is delivered.
///
/// If both happen at one instant the future wins, and the interrupt waits for the next interruptible wait. Of nested
/// ones the innermost is interrupted. The future is dropped with this one.
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
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Reason> {
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
            with(|core, _| extra(core, slot).interruptible.retain(|wait| *wait != key));
        }
        let (key, _) = self.wait.queue(cx);
        with(|core, _| extra(core, slot).interruptible.push(key));
        Poll::Pending
    }

    fn stop(&mut self) {
        let (slot, key) = (self.slot, self.wait.key());
        self.wait.withdraw(|core| {
            if let Some(extra) = core.extras.get_mut(&slot) {
                extra.interruptible.retain(|wait| Some(*wait) != key);
            }
        });
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop();
    }
}
