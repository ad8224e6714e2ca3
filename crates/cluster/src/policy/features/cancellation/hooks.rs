//! Cancelling jobs in their time.

use std::rc::Rc;

use crate::ids::JobId;
use crate::kernel::{Either, now, race, spawn_daemon, timer};
use crate::policy::front_end::{FrontEnd, Run, RunEnd, Site, SiteFeature, Submission};

use super::times::CancellationTimes;

/// Users who cancel jobs.
#[derive(Debug)]
pub(super) struct Cancelling(pub(super) Rc<CancellationTimes>);

impl SiteFeature for Cancelling {
    fn watches(&self, front: &FrontEnd) {
        spawn_daemon("patience", cancel_in_time(Rc::clone(&self.0), front.clone()));
    }

    fn withdraws(&self) -> bool {
        true
    }

    fn submitted(&mut self, _: &mut Site<'_>, job: JobId) -> Submission {
        self.0.submitted(job);
        Submission::Considered
    }

    /// One that holds its processors for a time ends when it is cancelled, if that is before; what
    /// is served otherwise is cancelled there and then.
    fn run(&mut self, _: &mut Site<'_>, run: &mut Run) {
        let while_it_runs = self.0.while_it_runs(run.id);
        if while_it_runs && !run.timed {
            return;
        }
        if let Some(at) = self.0.starts(run.id).filter(|_| while_it_runs) {
            run.ends_after(at.since(now()), RunEnd::Cancelled);
        }
    }

    fn waits_again(&mut self, _: &mut Site<'_>, job: JobId) {
        self.0.waits_again(job);
    }

    fn left(&mut self, _: &mut Site<'_>, job: JobId) {
        self.0.gone(job);
    }
}

/// Cancels jobs in their time.
async fn cancel_in_time(times: Rc<CancellationTimes>, front: FrontEnd) {
    loop {
        match times.next() {
            None => times.sooner.wait().await,
            Some(at) => {
                let over = race(timer(at.since(now())), times.sooner.wait()).await;
                if let Either::Left(()) = over {
                    cancel_due(&times, &front);
                }
            }
        }
    }
}

fn cancel_due(times: &CancellationTimes, front: &FrontEnd) {
    let mut any = false;
    while let Some(job) = times.take_due() {
        any |= front.cancel(job);
    }
    if any {
        front.wake_policy();
    }
}
