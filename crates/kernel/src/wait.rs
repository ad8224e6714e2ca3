//! Waits: the part that every awaitable thing shares, and those that wait for nothing but time.

use std::pin::Pin;
use std::task::{Context, Poll};

use super::core::{Caller, Core};
use super::event_list::Phase;
use super::executor::{with, with_if_running};
use super::time::{SimDuration, SimTime};

/// Names a wait to the primitive that will grant it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WaitKey {
    pub(super) target: u32,
    simulation: u32,
}

impl WaitKey {
    /// Hands the wait over: its owner is resumed behind everything already scheduled for this
    /// instant.
    #[inline]
    pub(super) fn grant(self) {
        self.with(|core| core.grant(self.target));
    }

    /// Makes the wait end `delay` from now, in `phase` of that instant, unless it is over or has an
    /// end already. An end past the end of time is none for a limit, and fails the run otherwise.
    #[inline]
    pub(super) fn end_after(self, delay: SimDuration, phase: Phase) {
        self.with(|core| core.end_after(self.target, delay, phase));
    }

    /// Takes [`WaitKey::end_after`] back.
    pub(super) fn unschedule(self) {
        self.with(|core| core.unschedule(self.target));
    }

    #[inline]
    fn with(self, act: impl FnOnce(&mut Core)) {
        with(|core, simulation| {
            assert!(simulation == self.simulation, "a wait of one simulation was touched in another");
            act(core);
        });
    }
}

/// The wait of one future. It gives its record back when it is dropped.
#[derive(Debug)]
pub(super) struct Wait {
    target: u32,
    simulation: u32,
}

const UNARMED: u32 = u32::MAX;

/// Purpose of a wait for time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// The wait itself.
    Plain,
    /// A background wait: it keeps no run from ending.
    Background,
    /// The limit of another wait; past the end of time there is none.
    Limit,
}

/// Result of a poll.
#[derive(Clone, Copy)]
enum Found {
    Over,
    /// Still pending, and still this process's own affair.
    Pending,
    /// Still pending; perhaps polled by another process than before, perhaps asked what it waits
    /// for.
    MaybeMoved,
}

impl Wait {
    pub(super) const fn new() -> Self {
        Wait { target: UNARMED, simulation: 0 }
    }

    #[inline]
    pub(super) fn is_armed(&self) -> bool {
        self.target != UNARMED
    }

    #[inline]
    pub(super) fn key(&self) -> Option<WaitKey> {
        self.is_armed().then_some(WaitKey { target: self.target, simulation: self.simulation })
    }

    /// Arms the wait; another process will grant it. Gives its key, and the present instant.
    #[expect(clippy::inline_always, reason = "on the path of every wait at a primitive")]
    #[inline(always)]
    pub(super) fn queue(&mut self, cx: &Context<'_>) -> (WaitKey, SimTime) {
        let waker = cx.waker();
        let usual = with(|core, simulation| Some((core.queue_usual(waker)?, simulation, core.now)));
        let now = match usual {
            Some((target, simulation, now)) => {
                (self.target, self.simulation) = (target, simulation);
                now
            }
            None => self.arm(cx, Core::queue),
        };
        (WaitKey { target: self.target, simulation: self.simulation }, now)
    }

    /// Arms the wait for a later time.
    #[inline]
    fn time(&mut self, cx: &Context<'_>, delay: SimDuration, phase: Phase, how: How) {
        let background = how == How::Background;
        let waker = cx.waker();
        let usual = with(|core, simulation| {
            let armed = if background { None } else { core.time_lent(waker, delay, phase) };
            armed.map(|target| (target, simulation))
        });
        match usual {
            Some(armed) => (self.target, self.simulation) = armed,
            None => self.time_unusual(cx, delay, phase, how),
        }
    }

    #[cold]
    fn time_unusual(&mut self, cx: &Context<'_>, delay: SimDuration, phase: Phase, how: How) {
        if how == How::Limit && with(|core, _| core.now.checked_add(delay).is_none()) {
            return;
        }
        let background = how == How::Background;
        self.arm(cx, |core, caller| core.time(caller, delay, phase, background));
    }

    /// A foreign waker is cloned outside the kernel, which is why there are two ways in.
    fn arm(&mut self, cx: &Context<'_>, arm: impl Fn(&mut Core, Caller) -> u32) -> SimTime {
        debug_assert!(!self.is_armed());
        let waker = cx.waker();
        let armed = with(|core, simulation| {
            let lent = Core::lent(waker);
            lent.then(|| (arm(core, Caller::Process(core.current)), simulation, core.now))
        });
        let (target, simulation, now) = armed.unwrap_or_else(|| {
            let waker = waker.clone();
            with(|core, simulation| (arm(core, Caller::Foreign(waker)), simulation, core.now))
        });
        (self.target, self.simulation) = (target, simulation);
        now
    }

    /// Ready, and free again, once the wait is granted or fired.
    #[inline]
    pub(super) fn poll_granted(&mut self, cx: &Context<'_>, waits_for: impl FnOnce() -> String) -> Poll<()> {
        let target = self.target;
        self.poll_if(|core| core.is_over(target), cx, waits_for)
    }

    /// Ready, and free again, once the wait has ended.
    #[inline(never)]
    fn poll_fired(&mut self, cx: &Context<'_>, waits_for: impl FnOnce() -> String) -> Poll<()> {
        let target = self.target;
        self.poll_if(|core| core.has_fired(target), cx, waits_for)
    }

    /// Frees the wait if it has fired in the usual way.
    #[expect(clippy::inline_always, reason = "on the path of every wait")]
    #[inline(always)]
    fn collect(&mut self) -> bool {
        let (target, mine) = (self.target, self.simulation);
        let collected = with(|core, simulation| {
            assert!(mine == simulation, "a wait of one simulation was polled in another");
            core.collect(target)
        });
        if collected {
            self.target = UNARMED;
        }
        collected
    }

    #[inline]
    fn poll_if(
        &mut self,
        over: impl FnOnce(&Core) -> bool,
        cx: &Context<'_>,
        waits_for: impl FnOnce() -> String,
    ) -> Poll<()> {
        let target = self.target;
        if self.collect() {
            return Poll::Ready(());
        }
        let (found, waker) = with(|core, _| {
            if over(core) {
                (Found::Over, core.release(target))
            } else if core.is_usual(target) && Core::lent(cx.waker()) {
                (Found::Pending, None)
            } else {
                (Found::MaybeMoved, None)
            }
        });
        match found {
            Found::Over => {
                drop(waker);
                self.target = UNARMED;
                return Poll::Ready(());
            }
            Found::Pending => {}
            Found::MaybeMoved => self.still_pending(cx, waits_for),
        }
        Poll::Pending
    }

    #[cold]
    fn still_pending(&self, cx: &Context<'_>, waits_for: impl FnOnce() -> String) {
        let caller = with(|core, _| Core::lent(cx.waker()).then_some(Caller::Process(core.current)))
            .unwrap_or_else(|| Caller::Foreign(cx.waker().clone()));
        let (old, reporting) = with(|core, _| (core.refresh(self.target, caller), core.report.is_some()));
        drop(old);
        if reporting {
            let line = waits_for();
            with(|core, _| core.report.as_mut().expect("a report is being written").push(line));
        }
    }

    /// Ends the wait, which is queued, `limit` from now at the latest; never, if that is past the
    /// end of time.
    pub(super) fn limit(&self, limit: SimDuration) {
        with(|core, _| {
            if let Some(at) = core.now.checked_add(limit) {
                core.put_in_list(self.target, at, Phase::Timeouts);
            }
        });
    }

    /// Returns true if the wait has ended, by what it waited for or by its limit.
    #[inline]
    pub(super) fn has_fired(&self) -> bool {
        self.is_armed() && with(|core, _| core.has_fired(self.target))
    }

    /// Gives up the wait, if there is one, and lets the primitive forget it in the same step.
    #[inline]
    pub(super) fn withdraw(&mut self, forget: impl FnOnce(&mut Core, u32)) {
        if self.is_armed() {
            let (target, mine) = (self.target, self.simulation);
            self.target = UNARMED;
            let waker = with_if_running(|core, simulation| {
                if simulation != mine {
                    return None;
                }
                forget(core, target);
                core.release(target)
            });
            drop(waker);
        }
    }
}

impl Drop for Wait {
    #[inline]
    fn drop(&mut self) {
        self.withdraw(|_, _| ());
    }
}

/// A future that waits for nothing but time; see [`hold`], [`timer`], [`observe`] and [`settle`].
///
/// Two words, because most processes of most models are little more than one of these: while the
/// wait is not armed, the place of its simulation says whether it is `NEW`, new and
/// `IN_BACKGROUND`, or over.
#[derive(Debug)]
#[must_use = "no time passes before `.await`"]
pub struct Delay<const PHASE: u8> {
    span: SimDuration,
    wait: Wait,
}

const NEW: u32 = 0;
const IN_BACKGROUND: u32 = 1;
/// Simulations are numbered from here.
pub(super) const FIRST_SIMULATION: u32 = 2;

/// The future of [`hold`].
pub type Hold = Delay<0>;
/// The future of [`timer`].
pub type Timer = Delay<1>;
/// The future of [`settle`].
pub type Settle = Delay<2>;
/// The future of [`observe`].
pub type Observe = Delay<3>;

const fn delay<const PHASE: u8>(span: SimDuration) -> Delay<PHASE> {
    Delay { span, wait: Wait { target: UNARMED, simulation: NEW } }
}

/// Lets `delay` pass.
///
/// The end of a hold is an *event* of its instant: holds that end together end in the order in
/// which they began, and before any time-out of that instant. `hold(SimDuration::ZERO)` lets
/// everything go first that is already scheduled for the present instant.
pub fn hold(span: SimDuration) -> Hold {
    delay(span)
}

/// Lets `delay` pass and ends in the *timeouts* phase of that instant: whatever occurs at the same
/// instant goes first. Clock ticks and time limits are of this kind.
pub fn timer(span: SimDuration) -> Timer {
    delay(span)
}

/// Resumes in the *decisions* phase of the present instant, when everything in it, cascades
/// included, is over. If what is then decided causes events, they open a new round of the same
/// instant, and a new `settle` sees that closed too.
pub fn settle() -> Settle {
    delay(SimDuration::ZERO)
}

/// Lets `delay` pass and resumes as [`settle`] does: in the *decisions* phase of that instant, when
/// everything in it is over, time-outs included. Before those that began to settle only in that
/// instant.
pub fn settle_after(span: SimDuration) -> Settle {
    delay(span)
}

/// Lets `delay` pass, one nanosecond at least, and resumes in the *observations* phase, after all
/// else of that instant.
///
/// For processes started by [`spawn_observer`](super::spawn_observer). It is a background hold.
pub fn observe(span: SimDuration) -> Observe {
    delay(span.max(SimDuration::from_nanos(1))).background()
}

impl<const PHASE: u8> Delay<PHASE> {
    /// The same wait, in the background: a run of which only background holds are left is a
    /// deadlock if a process still waits, and is over otherwise. For the periods of monitors and
    /// probes.
    pub fn background(mut self) -> Self {
        if !self.wait.is_armed() && self.wait.simulation == NEW {
            self.wait.simulation = IN_BACKGROUND;
        }
        self
    }

    const PHASE: Phase = match PHASE {
        0 => Phase::Events,
        1 => Phase::Timeouts,
        2 => Phase::Decisions,
        _ => Phase::Observations,
    };

    #[inline(never)]
    fn begin(&mut self, cx: &Context<'_>, how: How) -> Poll<()> {
        if self.wait.simulation >= FIRST_SIMULATION {
            return Poll::Ready(());
        }
        let span = self.span;
        self.wait.time(cx, span, Self::PHASE, how);
        Poll::Pending
    }
}

impl Timer {
    /// The same as a poll, for a time limit: one that leads past the end of time never ends.
    #[inline]
    pub(super) fn poll_limit(mut self: Pin<&mut Self>, cx: &Context<'_>) -> Poll<()> {
        if self.wait.is_armed() {
            return self.wait.poll_fired(cx, || format!("holds (phase {:?})", Self::PHASE));
        }
        self.begin(cx, How::Limit)
    }
}

impl<const PHASE: u8> Future for Delay<PHASE> {
    type Output = ();

    #[expect(clippy::inline_always, reason = "on the path of every wait for time")]
    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if !self.wait.is_armed() {
            let background = self.wait.simulation == IN_BACKGROUND;
            return self.begin(cx, if background { How::Background } else { How::Plain });
        }
        if self.wait.collect() {
            return Poll::Ready(());
        }
        self.wait.poll_fired(cx, || format!("holds (phase {:?})", Self::PHASE))
    }
}
