//! A policy of one's own, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`; `Cargo.toml` names `clustersim`.
//! `docs/policies.md` explains each part. Here:
//!
//! ```sh
//! cargo run --release --example own_policy -- list policies
//! cargo run --release --example own_policy -- run scenarios/quickstart.toml --policy smallest-first
//! cargo run --release --example own_policy -- explain policy.patience
//! ```
//!
//! The rule: of the jobs that wait, start the one that needs the fewest processors, as long as it
//! fits. Large jobs would starve, so a job that has waited for `patience` goes before all others,
//! and nothing overtakes it.

use std::process::ExitCode;

use clustersim::batch::allocation::Allocation;
use clustersim::cli;
use clustersim::ids::JobId;
use clustersim::instrument::{OwnReason, Reason};
use clustersim::kernel::{SimDuration, now};
use clustersim::policy::{FrontEnd, Policy, PolicyError, SiteEvent, async_trait};
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the policy.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn Policy>("policy", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the policy.
const ENTRY: Entry<dyn Policy> = Entry {
    name: "smallest-first",
    about: "the waiting job that needs the fewest processors starts first",
    source: "",
    keys: &[
        Key::new("patience", Kind::Duration(Bounds::NotNegative))
            .or("1d")
            .about("a job that has waited this long goes first"),
        Key::new("allocation", Kind::Component("allocation"))
            .or("lowest-first")
            .about("which of the free processors a job gets"),
    ],
    build: |params| {
        Ok(Box::new(SmallestFirst {
            patience: params.read("patience")?,
            allocation: params.component("allocation", "allocation")?,
        }))
    },
};

/// What `jobs.csv`, the report and `--explain` say of a job that overtook others.
const SMALLEST: Reason = Reason::Own(&OwnReason {
    name: "smallest",
    about: "it needed the fewest processors of the jobs that waited",
});

#[derive(Debug)]
struct SmallestFirst {
    patience: SimDuration,
    allocation: Box<dyn Allocation>,
}

#[async_trait(?Send)]
impl Policy for SmallestFirst {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
        let jobs = front.jobs();
        let mut waiting: Vec<JobId> = Vec::new(); // in order of submission
        while let Some(news) = front.news().await {
            for event in news {
                match event {
                    SiteEvent::Arrived(job) => waiting.push(job),
                    SiteEvent::Withdrawn(job) => waiting.retain(|&other| other != job),
                    _ => {}
                }
            }
            while let Some(place) = self.first(&front, &waiting) {
                let job = waiting[place];
                if u64::from(jobs[job.index()].procs) > front.free_count() {
                    break;
                }
                let reason = if place == 0 { Reason::Head } else { SMALLEST };
                front.start_on(job, &*self.allocation, reason)?;
                waiting.remove(place);
            }
        }
        Ok(())
    }
}

impl SmallestFirst {
    /// Where the job to be started next waits.
    fn first(&self, front: &FrontEnd, waiting: &[JobId]) -> Option<usize> {
        let jobs = front.jobs();
        let oldest = &jobs[waiting.first()?.index()];
        if now().since(oldest.submit_time) >= self.patience {
            return Some(0);
        }
        (0..waiting.len()).min_by_key(|&place| jobs[waiting[place].index()].procs)
    }
}
