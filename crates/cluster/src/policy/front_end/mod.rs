//! The front end as a policy sees it: news of the cluster, and the verbs that act on it.
//!
//! ```text
//! submission ──▶ (held) ──▶ waiting ──start──▶ running ──run time──▶ departed
//!     └─ too large, or it depends └──refuse──▶ rejected      (or killed at its limit)
//!        on one that failed: rejected
//! ```
//!
//! News are gathered while an instant goes on and handed out when it is closed, so a policy decides
//! once an instant, knowing everything that happened in it; once more only if its own deeds brought
//! further news. They stay with the front end until they are handed out: a `news()` that is raced,
//! timed out or dropped loses none. A job that depends on others is news when the last of them has
//! left.

mod actions;
mod deserted;
mod events;
mod hooks;
mod interruptions;
mod lifecycle;
mod molding;
mod observed;
mod run;
mod site;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use crate::batch::machine::Machine;
use crate::collections::{Interval, OrderedMap, OrderedSet};
use crate::ids::JobId;
use crate::instrument::explanation::Explanation;
use crate::instrument::{LossOfCapacity, Requeue};
use crate::kernel::primitive::Event;
use crate::kernel::rng::Stream;
use crate::kernel::{Process, SimTime};
use crate::workload::Job;
use crate::workload::resources::Resources;

use super::execution::Execution;
use events::Gathered;
pub use events::{Interruption, News, SiteEvent};
pub(in crate::policy) use hooks::{SiteFeature, SiteParts, Submission};
use interruptions::Runs;
use lifecycle::FreeSlots;
pub(in crate::policy) use molding::Molds;
pub(in crate::policy) use run::{Run, RunEnd};
pub(in crate::policy) use site::Site;

/// The verbs of a policy; clones are the same front end.
#[derive(Clone, Debug)]
pub struct FrontEnd(Rc<Shared>);

#[derive(Debug)]
pub(in crate::policy) struct Shared {
    /// As the workload has them.
    jobs: Arc<Vec<Job>>,
    policy: &'static str,
    execution: Execution,
    /// Resources of nodes beyond processors, if they are known.
    resources: Option<Arc<Resources>>,
    /// Rules for other sizes of jobs, if any may have them.
    molds: Option<Molds>,
    state: RefCell<State>,
    /// Rule for jobs that were interrupted and wait again.
    requeue: Requeue,
    /// Features that join in, in order. Apart from the state, as their hooks change that.
    features: RefCell<Vec<Box<dyn SiteFeature>>>,
    /// Set when there are news.
    something: Event,
    /// Explanation of the one job that is asked about.
    explanation: Option<RefCell<Explanation>>,
}

#[derive(Debug)]
struct State {
    machine: Machine,
    /// Events since the policy heard of any.
    news: Gathered,
    /// Jobs that are not in this run as the workload has them.
    revised: OrderedMap<JobId, Job>,
    /// Jobs submitted so far: those before this place, but for some that are submitted when others
    /// have left.
    submitted: usize,
    /// Jobs that have left for good, of which features have not heard yet.
    leaving: VecDeque<JobId>,
    /// Jobs that features took over: no policy knows of them.
    taken_over: OrderedSet<JobId>,
    /// Jobs that were interrupted and cannot start again yet, with the processes that wait for that.
    delayed: OrderedMap<JobId, Process>,
    /// Jobs that were interrupted and of which features have not heard yet that they wait again.
    waiting_again: VecDeque<JobId>,
    /// Jobs that features took over and that have started, and whose runs are still to begin.
    beginning: VecDeque<JobId>,
    /// Buffer for the choice of [`FrontEnd::start_on`].
    chosen: Vec<Interval>,
    /// Stream of random allocations, once one has drawn.
    draws: Option<Stream>,
    /// True if the policy has returned.
    deserted: bool,
    slots: FreeSlots,
    /// Reservations that could not be kept, where all jobs have one.
    moved: Option<u64>,
    /// The runs that are under way, where they may be interrupted.
    runs: Option<Runs>,
}

impl FrontEnd {
    pub(in crate::policy) fn new(
        jobs: Arc<Vec<Job>>,
        machine: Machine,
        policy: &'static str,
        execution: Execution,
        SiteParts { resources, molds, features, requeue }: SiteParts,
        explained: Option<JobId>,
    ) -> Self {
        let free = u64::from(machine.procs()) * u64::from(execution.level());
        let slots = FreeSlots { waiting: 0, free, loss: LossOfCapacity::new(SimTime::ZERO), marked: false };
        let interrupts = features.iter().any(|feature| feature.interrupts());
        let checkpoint = features.iter().find_map(|feature| feature.checkpoint());
        let state = State {
            machine,
            news: Gathered::default(),
            revised: OrderedMap::new(),
            submitted: 0,
            leaving: VecDeque::new(),
            taken_over: OrderedSet::new(),
            delayed: OrderedMap::new(),
            waiting_again: VecDeque::new(),
            beginning: VecDeque::new(),
            chosen: Vec::new(),
            draws: None,
            deserted: false,
            slots,
            moved: None,
            runs: interrupts.then(|| Runs::new(checkpoint)),
        };
        FrontEnd(Rc::new(Shared {
            jobs,
            policy,
            execution,
            resources,
            molds,
            requeue,
            state: RefCell::new(state),
            features: RefCell::new(features),
            something: Event::new("news"),
            explanation: explained.map(|job| RefCell::new(Explanation::new(job))),
        }))
    }
}

impl Shared {
    /// A job as it is in this run.
    fn job(&self, state: &State, id: JobId) -> Job {
        if state.revised.is_empty() {
            return self.jobs[id.index()];
        }
        state.revised.get(&id).copied().unwrap_or(self.jobs[id.index()])
    }
}
