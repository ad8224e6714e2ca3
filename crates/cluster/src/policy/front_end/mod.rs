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
mod due;
mod events;
mod hooks;
mod in_pools;
mod in_slices;
mod interruptions;
mod lifecycle;
mod molding;
mod observed;
mod run;
mod run_end;
mod runs;
mod site;
mod state;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::batch::machine::Machine;
use crate::batch::pools::{FreePools, Pools};
use crate::ids::JobId;
use crate::instrument::explanation::Explanation;
use crate::instrument::{LossOfCapacity, Requeue};
use crate::kernel::SimTime;
use crate::kernel::primitive::Event;
use crate::workload::Job;
use crate::workload::resources::Resources;

use super::execution::Execution;
pub use events::{Interruption, News, SiteEvent};
pub(in crate::policy) use hooks::{SiteFeature, SiteParts, Submission};
pub(in crate::policy) use molding::Molds;
pub(in crate::policy) use run::Run;
pub(in crate::policy) use run_end::RunEnd;
use runs::Runs;
pub(in crate::policy) use site::Site;
use state::{FreeSlots, State};

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
    /// True if a feature may keep jobs back that others let be considered.
    gated: bool,
    /// Pools beside processors, if there are any.
    pools: Option<Arc<Pools>>,
    /// Features that join in, in order. Apart from the state, as their hooks change that.
    features: RefCell<Vec<Box<dyn SiteFeature>>>,
    /// Set when there are news.
    something: Event,
    /// Explanation of the one job that is asked about.
    explanation: Option<RefCell<Explanation>>,
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
        let gated = features.iter().any(|feature| feature.gates());
        let checkpoint = features.iter().find_map(|feature| feature.checkpoint());
        let runs = interrupts.then(|| Runs::new(checkpoint));
        let declared = features.iter().flat_map(|feature| feature.pools()).collect();
        let pools = Pools::of(declared, jobs.len());
        let state = State { pools: pools.clone().map(FreePools::new), ..State::new(machine, slots, runs) };
        FrontEnd(Rc::new(Shared {
            jobs,
            policy,
            execution,
            resources,
            molds,
            requeue,
            pools,
            state: RefCell::new(state),
            gated,
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
