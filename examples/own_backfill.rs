//! A backfilling rule of one's own, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`; `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_backfill -- list backfills
//! cargo run --release --example own_backfill -- run scenarios/quickstart.toml --set policy.backfill=slack
//! cargo run --release --example own_backfill -- compare scenarios/study.toml --vary policy.backfill=none,easy,slack
//! ```
//!
//! The rule: when a job becomes the head of the queue and does not fit, it is promised its earliest
//! start by the estimates, and `slack` after that. A job may overtake it if it fits and ends by
//! then, by its estimate. With no slack this is EASY without extra processors, except that the
//! promise of the head is made once.
//!
//! After D. Talby and D. G. Feitelson, IPPS 1999, in which every job has a slack of its own.

use std::process::ExitCode;

use clustersim::batch::backfill::{Backfill, Picks, View};
use clustersim::cli;
use clustersim::ids::JobId;
use clustersim::instrument::{OwnReason, Reason};
use clustersim::kernel::{SimDuration, SimTime};
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the rule.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn Backfill>("backfill", ENTRY);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the rule.
const ENTRY: Entry<dyn Backfill> = Entry {
    name: "slack",
    about: "a job may overtake if it ends within a slack after the start promised to the head of the queue",
    source: "after D. Talby and D. G. Feitelson, IPPS 1999",
    keys: &[Key::new("slack", Kind::Duration(Bounds::NotNegative))
        .or("1h")
        .about("how much later than promised the head of the queue may start")],
    build: |params| Ok(Box::new(Slack { slack: params.read("slack")?, promised: None })),
};

/// What `jobs.csv`, the report and `--explain` say of a job that overtook.
const WITHIN_SLACK: Reason = Reason::Own(&OwnReason {
    name: "within-slack",
    about: "it overtook, and ends by its estimate within the slack of the head of the queue",
});

#[derive(Debug)]
struct Slack {
    slack: SimDuration,
    /// The head of the queue, and the instant by which overtaking jobs must have ended.
    promised: Option<(JobId, SimTime)>,
}

impl Backfill for Slack {
    fn pick(&mut self, view: &View<'_>, picks: &mut Picks) {
        let Some(head) = view.queue.head() else { return };
        if self.promised.is_none_or(|(job, _)| job != head.job) {
            let shadow = view.running.shadow(view.now, view.free, u64::from(head.procs));
            self.promised = shadow.map(|shadow| (head.job, shadow.time.saturating_add(self.slack)));
        }
        let Some((_, latest)) = self.promised else { return };
        let mut free = view.free;
        for waiting in view.queue.iter().skip(1) {
            let procs = u64::from(waiting.procs);
            if procs <= free && view.now.saturating_add(waiting.estimate) <= latest {
                free -= procs;
                picks.start(*waiting, WITHIN_SLACK);
            }
        }
    }
}
