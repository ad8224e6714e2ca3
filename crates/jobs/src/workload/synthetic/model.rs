//! Parts that all sources share whose jobs come from a published model: number of jobs, the load
//! they are stretched to, and estimates, on which the models are silent.

use std::fmt;

use tracing::info;

use crate::kernel::SimDuration;
use crate::kernel::rng::{Sampler, Streams};
use crate::registry::{Complaint, Kind, Params, Quantity, Span, code, named_keys};
use crate::workload::source::{LoadRequest, LoadedWorkload, Source};
use crate::workload::{Job, load};

use super::DrawError;

named_keys! {
    pub(in crate::workload) JOBS = "jobs" Kind::Count { least: 1, most: 100_000_000 } =>
        "how many jobs are submitted";
    pub(in crate::workload) ESTIMATES = "estimates" Kind::Distribution(Quantity::Number), or_number 1.0 =>
        "a job's estimate over its run time; below 1 counts as 1";
}

/// Bytes that a job takes from its draw to its record, about.
const JOB_BYTES: usize = size_of::<Job>() + 64;

/// The value of [`JOBS`].
pub(in crate::workload) fn count_of_jobs(params: &Params<'_>) -> Result<u32, Complaint> {
    let jobs: u32 = params.read(JOBS.name)?;
    params.fits(JOBS.name, "jobs", jobs.into(), JOB_BYTES)?;
    Ok(jobs)
}

/// A published model of rigid jobs.
pub(super) trait Model: fmt::Debug {
    /// The name of the workload in outputs.
    const NAME: &'static str;

    /// Draws jobs for a machine of `procs` processors, in order of submission, and counts how many
    /// random numbers that took. Estimates are not its business.
    ///
    /// # Errors
    /// Parameters that such a machine cannot have, at their key.
    fn draw(&self, jobs: u32, streams: &Streams, procs: u32) -> Result<(Vec<Job>, u64), Complaint>;
}

/// The jobs of a published model as the source of a run.
#[derive(Debug)]
pub(super) struct Drawn<M> {
    model: M,
    jobs: u32,
    load: Option<f64>,
    estimates: Sampler,
    at_jobs: Span,
    at_load: Span,
    at_table: Span,
}

impl<M: Model> Drawn<M> {
    /// Reads what every such source has: [`JOBS`], [`ESTIMATES`] and
    /// [`LOAD`](crate::workload::source::LOAD).
    pub(super) fn read(params: &Params<'_>, model: M) -> Result<Self, Complaint> {
        Ok(Drawn {
            model,
            jobs: count_of_jobs(params)?,
            load: params.read("load")?,
            estimates: *params.component::<Sampler>("estimates", "distribution")?,
            at_jobs: params.span("jobs"),
            at_load: params.span("load"),
            at_table: params.span("kind"),
        })
    }

    fn draw(&self, request: &LoadRequest) -> Result<LoadedWorkload, Complaint> {
        let procs = request.processors("a synthetic workload", self.at_table)?;
        let (mut jobs, mut taken) = self.model.draw(self.jobs, &request.streams, procs)?;
        let mut factors = request.streams.stream("workload/estimates");
        for job in &mut jobs {
            let factor = self.estimates.draw(&mut factors);
            let estimate = SimDuration::ceil_secs(job.run_time.as_secs_f64() * factor);
            job.estimate = estimate.max(job.run_time);
        }
        taken += factors.draws();
        load::scale_to(&mut jobs, procs, self.load, self.at_load)?;
        if let Some(late) = jobs.iter().find(|job| job.submit_time.checked_add(job.run_time).is_none()) {
            let error = DrawError::TooLate { number: late.number };
            return Err(Complaint::new(code::CONTRADICTION, error.to_string(), self.at_jobs));
        }
        info!(jobs = jobs.len(), model = M::NAME, "workload drawn");
        Ok(LoadedWorkload { drew: taken > 0, ..LoadedWorkload::new(jobs, procs, M::NAME) })
    }
}

impl<M: Model> Source for Drawn<M> {
    fn load(&self, request: &LoadRequest) -> Result<LoadedWorkload, Vec<Complaint>> {
        self.draw(request).map_err(|complaint| vec![complaint])
    }
}
