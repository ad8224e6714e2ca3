//! A session: bounds, watch and wants of a run. None of it changes a result.
//!
//! The caller says it once, and a system takes its simulations from it: bounded, given up where
//! nothing is completed, and watched. A run that is not watched has nothing that would watch it.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime, Simulation, events, now, observe, spawn_observer, subjects_over};
use crate::scenario::schema::USUAL_PATIENCE;

/// Progress of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunStatus {
    /// The instant it has reached.
    pub now: SimTime,
    /// Subjects that are over, by [`note_over`](crate::kernel::note_over).
    pub over: u64,
    /// Resumptions of processes so far.
    pub events: u64,
}

/// Receiver of the progress of a run.
pub type Watch = Rc<dyn Fn(RunStatus)>;

/// Resumptions between two reports, about: so many and up to four times as many.
const BETWEEN: u64 = 1 << 14;

/// Bounds of a run, its watch and its wants; see the module's essay.
#[derive(Clone)]
pub struct Session {
    /// True if nothing but its figures is asked for, so that rows of files need not be kept.
    pub only_figures: bool,
    /// Resumptions that may be scheduled before the run ends with an error.
    pub at_most: Option<u64>,
    /// Decisions in a row that complete nothing before the run ends with an error.
    pub give_up_after: u64,
    /// Receiver of its progress.
    pub watch: Option<Watch>,
    /// Receiver of the files that it leaves if it fails.
    pub left: LeftFiles,
}

impl Default for Session {
    fn default() -> Self {
        Session {
            only_figures: false,
            at_most: None,
            give_up_after: USUAL_PATIENCE,
            watch: None,
            left: LeftFiles::default(),
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Session { only_figures, at_most, give_up_after, watch, left } = self;
        out.debug_struct("Session")
            .field("only_figures", only_figures)
            .field("at_most", at_most)
            .field("give_up_after", give_up_after)
            .field("watch", &watch.is_some())
            .field("left", left)
            .finish()
    }
}

impl Session {
    /// The simulation of the run: bounded and watched.
    pub fn simulation(&self, streams: Streams) -> Simulation {
        let simulation = self.another_simulation(streams);
        if let Some(watch) = &self.watch {
            let reports = report(Rc::clone(watch));
            simulation.enter(|| spawn_observer("progress", reports));
        }
        simulation
    }

    /// Another simulation, run for comparison: bounded, and not watched.
    pub fn another_simulation(&self, streams: Streams) -> Simulation {
        Simulation::with_streams(streams).at_most(self.at_most).give_up_after(self.give_up_after)
    }
}

/// Reports progress until the run ends; the time between two reports follows the events in it.
async fn report(watch: Watch) {
    let (mut period, mut before) = (1_000_000_000, 0);
    loop {
        // what is left of time bounds it
        let left = SimTime::MAX.since(now()).as_nanos() / 2;
        if left == 0 {
            return;
        }
        observe(SimDuration::from_nanos(period.min(left))).await;
        let so_far = events();
        period = match so_far - before {
            few if few < BETWEEN => u64::saturating_mul(period, 2),
            many if many > 4 * BETWEEN => (period / 2).max(1),
            _ => period,
        };
        before = so_far;
        watch(RunStatus { now: now(), over: subjects_over(), events: so_far });
    }
}

/// Subjects of a run, where they are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Subjects {
    /// Number of jobs, tasks, calls or whatever it has.
    pub count: u64,
    /// Noun for several of them.
    pub called: &'static str,
}

/// Files that a run leaves if it fails, such as the transcript up to then.
#[derive(Clone, Debug, Default)]
pub struct LeftFiles(Rc<RefCell<Vec<(String, String)>>>);

impl LeftFiles {
    /// Leaves a file of this name and text.
    pub fn leave(&self, name: String, text: String) {
        self.0.borrow_mut().push((name, text));
    }

    /// The files, by name and text.
    pub fn take(&self) -> Vec<(String, String)> {
        self.0.take()
    }
}
