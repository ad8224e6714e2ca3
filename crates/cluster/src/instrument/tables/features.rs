//! `features`: the jobs that features of another crate held back, rejected or ended.

use crate::instrument::metrics::FinishedRun;
use crate::output::{Word, rows};
use crate::rows::FeatureRow;

use super::ended;

rows! {
    /// The steps of the features of another crate in a run.
    pub struct FeatureRows<'a>(FinishedRun<'a>) of FeatureRow;
    from run, run.record.steps().iter().flat_map(|steps| steps.all());
    step => {
        job: run.jobs[step.job.index()].number,
        submitted: run.jobs[step.job.index()].submit_time,
        feature: step.feature,
        kind: step.name.into(),
        action: Word(step.act.name()),
        from: step.from,
        to: ended(step.to),
    }
}
