//! A simulation from the outside: set up, run, read.

use std::sync::atomic::{AtomicU32, Ordering};

use super::core::{Core, Step, TABLE};
use super::digest::Digest;
use super::error::{Blocked, SimError};
use super::event_list::{EventList, ListKind};
use super::executor::{Kernel, with, with_if_running};
use super::name::{Name, flag};
use super::places::Places;
use super::process::{Process, spawn, spawn_daemon};
use super::rng::{Stream, Streams};
use super::time::SimTime;
use super::wait::FIRST_SIMULATION;

/// One simulation: a clock, its processes and its random streams.
///
/// It runs on the thread that made it. Inside [`Simulation::enter`], and while it runs, it is
/// *ambient*: `hold`, `now`, `spawn` and all primitives find it without a handle.
///
/// ```
/// use clustersim_kernel::{Simulation, SimDuration, hold, now, spawn};
///
/// let mut simulation = Simulation::new(7);
/// simulation.spawn("clock", async {
///     hold(SimDuration::from_secs(3)).await;
///     assert_eq!(now().as_secs_f64(), 3.0);
/// });
/// let outcome = simulation.run()?;
/// assert_eq!(outcome.ended_at.as_secs_f64(), 3.0);
/// # Ok::<(), clustersim_kernel::SimError>(())
/// ```
pub struct Simulation {
    kernel: Kernel,
    /// The error that the run ended with, in words.
    failed: Option<String>,
}

/// Report of a run about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// End of the run.
    pub ended_at: SimTime,
    /// Resumptions of processes, observers aside.
    pub events: u64,
    /// Hash over these resumptions.
    pub digest: Digest,
}

/// Numbers the simulations of this operating-system process.
static SIMULATIONS: AtomicU32 = AtomicU32::new(FIRST_SIMULATION);

impl Simulation {
    /// A simulation whose streams derive from `seed`, as replication 0.
    pub fn new(seed: u64) -> Self {
        Self::with_streams(Streams::new(seed, 0))
    }

    /// A simulation with given random streams.
    pub fn with_streams(streams: Streams) -> Self {
        let number = SIMULATIONS.fetch_add(1, Ordering::Relaxed).max(FIRST_SIMULATION);
        let core = Core::new(number, EventList::default(), streams);
        Simulation { kernel: Kernel::new(core, number), failed: None }
    }

    /// Chooses the structure of the event list, before anything is scheduled. It changes no result.
    #[must_use]
    pub fn event_list(self, kind: ListKind) -> Self {
        self.kernel.with(|core, _| core.choose_list(EventList::new(kind)));
        self
    }

    /// Resumptions of one process without time moving that count as a livelock (default: a
    /// million).
    #[must_use]
    pub fn livelock_after(self, resumptions: u64) -> Self {
        self.kernel.with(|core, _| core.livelock_after = resumptions);
        self
    }

    /// Ends the run with [`SimError::NoProgress`] after so many decisions in a row that completed
    /// nothing ([`note_decision`](super::note_decision)); by default it goes on.
    #[must_use]
    pub fn give_up_after(self, decisions: u64) -> Self {
        self.kernel.with(|core, _| core.watchdog.most = decisions.max(1));
        self
    }

    /// Sequence numbers are assigned again when this one is reached; for tests of that.
    #[doc(hidden)]
    #[must_use]
    pub fn sequence_limit(self, limit: u64) -> Self {
        self.kernel.with(|core, _| core.sequence_limit = limit);
        self
    }

    /// Ends the run with [`SimError::Exhausted`] once so many resumptions have been scheduled: a
    /// bound for scenarios of unknown length.
    #[must_use]
    pub fn at_most(self, resumptions: impl Into<Option<u64>>) -> Self {
        if let Some(resumptions) = resumptions.into() {
            self.kernel.with(|core, _| {
                core.is_bounded = true;
                core.sequence_limit = core.sequence_limit.min(resumptions);
            });
        }
        self
    }

    /// The granules of 16 bytes that processes have at most, before there are any, and the waits
    /// beyond one a process; for tests of what happens then.
    #[doc(hidden)]
    #[must_use]
    pub fn room(self, granules: u32, waits: u32) -> Self {
        self.kernel.with(|core, _| {
            core.store.places = Places::up_to(granules.min(TABLE));
            core.wait_limit = waits.clamp(1, core.wait_limit);
        });
        self
    }

    /// Makes the simulation ambient while `act` sets it up or reads it.
    pub fn enter<R>(&self, act: impl FnOnce() -> R) -> R {
        self.kernel.enter(act)
    }

    /// Starts a process; see [`spawn`].
    pub fn spawn(&self, name: impl Into<Name>, body: impl Future<Output = ()> + 'static) -> Process {
        self.enter(|| spawn(name, body))
    }

    /// Starts a daemon; see [`spawn_daemon`].
    pub fn spawn_daemon(&self, name: impl Into<Name>, body: impl Future<Output = ()> + 'static) -> Process {
        self.enter(|| spawn_daemon(name, body))
    }

    /// Runs until every process that is not a daemon has ended, or a process calls [`stop`]. The
    /// instant in which that happens is served to its end. Then the processes that are left are
    /// dropped, while the kernel still answers.
    ///
    /// # Errors
    /// [`SimError::Deadlock`] if nothing is left to happen and a process still waits;
    /// [`SimError::Livelock`]; [`SimError::TimeOverflow`]; [`SimError::Exhausted`]; what a model
    /// gave to [`fail`].
    pub fn run(mut self) -> Result<Outcome, SimError> {
        self.run_until(SimTime::MAX)
    }

    /// Runs as [`Simulation::run`] does, at most to the end of the instant `until`, and leaves the
    /// processes where they are: the run can be continued. If there are still things to happen
    /// later, the clock then shows `until`.
    ///
    /// # Errors
    /// As [`Simulation::run`]; and [`SimError::Over`], at once, if a part before has ended with an
    /// error: what it left behind is the middle of something, and whatever followed would mean
    /// nothing.
    pub fn run_until(&mut self, until: SimTime) -> Result<Outcome, SimError> {
        if let Some(error) = &self.failed {
            return Err(SimError::Over { error: error.clone() });
        }
        let ended = self.run_part(until);
        self.failed = ended.as_ref().err().map(SimError::to_string);
        ended
    }

    fn run_part(&mut self, until: SimTime) -> Result<Outcome, SimError> {
        self.kernel.with(|core, _| {
            core.until = until;
            core.update_limit();
        });
        let step = self.kernel.run();
        let (error, live, now) = self.kernel.with(|core, _| (core.error.take(), core.live, core.now));
        if let Some(error) = error {
            return Err(error);
        }
        match step {
            Step::Idle if live > 0 => {
                return Err(SimError::Deadlock { at: now, blocked: self.blocked(), before: Vec::new() });
            }
            Step::Limit if live > 0 => self.kernel.with(|core, _| core.reach_limit()),
            _ => {}
        }
        Ok(self.kernel.with(|core, _| Outcome {
            ended_at: core.now,
            events: core.events,
            digest: core.digest,
        }))
    }

    /// Every process that still waits, daemons and observers aside, with what it waits for.
    fn blocked(&self) -> Vec<Blocked> {
        let waiting = |slot: u32| {
            self.kernel.with(|core, _| {
                let id = core.store.id(slot);
                (id & flag::ALIVE != 0 && id & flag::DAEMON == 0).then(|| core.name(slot))
            })
        };
        self.enter(|| {
            let slots = self.kernel.with(|core, _| core.store.alive()).into_iter();
            slots
                .filter_map(|slot| {
                    Some(Blocked { process: waiting(slot)?, waits_for: self.kernel.ask(slot) })
                })
                .collect()
        })
    }

    /// Returns true if any process has asked for a random [`stream`]: if none has, every
    /// replication of the run is the same.
    pub fn streamed(&self) -> bool {
        self.kernel.with(|core, _| core.streams_taken > 0)
    }

    /// The clock.
    pub fn now(&self) -> SimTime {
        self.kernel.with(|core, _| core.now)
    }

    /// Entries of the event list, cancelled ones that have not left it yet included.
    pub fn pending(&self) -> usize {
        self.kernel.with(|core, _| core.pending())
    }
}

/// The present instant.
///
/// # Panics
/// Outside a simulation.
#[inline]
pub fn now() -> SimTime {
    with(|core, _| core.now)
}

/// Resumptions so far, as [`Outcome::events`] counts them: for reports of how far a run is.
///
/// # Panics
/// Outside a simulation.
pub fn events() -> u64 {
    with(|core, _| core.events)
}

/// Notes that so many more of the subjects of the run (jobs, tasks, calls) are over, or, below 0,
/// that so many are to be done again: for reports of how far a run is.
///
/// # Panics
/// Outside a simulation.
pub fn note_over(more: i64) {
    with(|core, _| core.over += more);
}

/// Subjects that are over by [`note_over`].
///
/// # Panics
/// Outside a simulation.
pub fn subjects_over() -> u64 {
    with(|core, _| core.over.max(0).unsigned_abs())
}

/// The present instant, if there is a simulation: for destructors.
pub(super) fn now_if_running() -> Option<SimTime> {
    with_if_running(|core, _| Some(core.now))
}

/// The random stream of this name: the same one in every run with this seed and replication,
/// whatever else the model draws.
///
/// # Panics
/// Outside a simulation.
pub fn stream(name: &str) -> Stream {
    with(|core, _| {
        core.streams_taken += 1;
        core.streams.stream(name)
    })
}

/// Ends the run when the present instant is over.
///
/// # Panics
/// Outside a simulation.
pub fn stop() {
    with(|core, _| core.stop());
}

/// Ends the run with an error of the model, at once.
///
/// # Panics
/// Outside a simulation.
pub fn fail(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) {
    let error = error.into();
    with(|core, _| {
        let (process, at) = (core.name(core.current), core.now);
        core.fail(SimError::Model { process, at, error });
    });
}

/// Decisions in a row after which a run is given up (see [`Simulation::give_up_after`]).
///
/// # Panics
/// Outside a simulation.
pub fn patience() -> u64 {
    with(|core, _| core.watchdog.most)
}

/// Rounds of decisions before the first end of what goes on, from which on the run is given up.
const ROUNDS_TO_THE_END: u64 = 100;

/// Says that what goes on ends practically never: before `end`, which is the first, more than a
/// hundred rounds of decisions would follow, each of as many as a run is given up after and as long
/// as that from the instant `from` to now. `None` while it ends sooner, and in the first round.
///
/// # Panics
/// Outside a simulation.
pub fn ends_too_late(from: SimTime, end: SimTime) -> Option<String> {
    let now = now();
    let round = now.since(from).as_nanos();
    let rounds = end.max(now).since(now).as_nanos().checked_div(round)?;
    (rounds >= ROUNDS_TO_THE_END).then(|| {
        let decisions = rounds.saturating_mul(patience());
        format!("what goes on ends at {end} at the earliest, {decisions} decisions from now at this pace")
    })
}

/// Notes that something the model is for was completed: the count of decisions starts again.
///
/// # Panics
/// Outside a simulation.
pub fn note_completion() {
    with(|core, _| core.watchdog.completed(core.now));
}

/// Notes a decision that completes nothing by itself. Once too many have followed each other the
/// run ends for the reason that `why` gives, from the number of times that the limit was reached
/// since the last completion, and the instant of the time before, the first time this one. With
/// `None` the run goes on, and the model is asked again after as many decisions: something has been
/// going on ever since that instant, or many things are tried side by side.
///
/// # Panics
/// Outside a simulation.
pub fn note_decision(why: impl FnOnce(u64, SimTime) -> Option<String>) {
    let Some((rounds, from)) = with(|core, _| core.watchdog.decided(core.now)) else { return };
    let Some(why) = why(rounds, from) else { return };
    with(|core, _| {
        let (process, at) = (core.name(core.current), core.now);
        let (since, decisions) = (core.watchdog.since, core.watchdog.decisions);
        core.fail(SimError::NoProgress { process, at, since, decisions, why });
    });
}
