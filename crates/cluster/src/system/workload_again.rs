//! The jobs of a finished run, read or drawn once more: they have what `jobs.csv` does not.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::judge::{dependencies, read};
use crate::output::NoRows;
use crate::scenario::RunDirectory;
use crate::system::experiment::{build, workload};
use crate::system::origin::Origin;
use crate::units::Calendar;
use crate::workload::parallel::Applications;
use crate::workload::resources::Resources;
use crate::workload::{Job, Workload};

/// Workload of a run, read once more.
pub(super) struct Reloaded {
    /// Jobs, and which of them wait for others.
    pub(super) work: Workload,
    /// Equipment of nodes and requests of jobs beyond processors, if that counts.
    pub(super) resources: Option<Arc<Resources>>,
    /// The date of time 0, if the workload says so.
    pub(super) calendar: Option<Calendar>,
    /// Behaviour of the tasks of the jobs, at detail `task`.
    pub(super) applications: Option<Arc<Applications>>,
    /// Description of the workload in a manifest.
    pub(super) described: Json,
}

/// The jobs of the workload, read or drawn again: they hold what `jobs.csv` does not. Else, why
/// not.
pub(super) fn jobs(run: &RunDirectory<'_>) -> Result<Reloaded, String> {
    let RunDirectory { registry, scenario, .. } = *run;
    let source = workload(registry, scenario).map_err(|rejected| rejected.to_string())?;
    run.has_its_inputs()?;
    let experiment = build(registry, scenario, source.as_ref()).map_err(|rejected| rejected.to_string())?;
    let loaded = experiment.loaded;
    let (calendar, described) = (loaded.calendar, Origin::of(&loaded).described(&loaded.name));
    let applications = loaded.applications;
    let work = Workload {
        jobs: Arc::new(loaded.jobs),
        attributes: loaded.attributes,
        dependencies: loaded.dependencies,
        cancellations: loaded.cancellations,
        moldable: experiment.moldable,
        kills: loaded.kills,
    };
    Ok(Reloaded { work, resources: experiment.resources, calendar, applications, described })
}

/// The jobs of the workload as they were submitted in a run: with dependencies its `jobs.csv` holds
/// when.
pub(super) fn submitted(work: Workload, run: &RunDirectory<'_>) -> Result<Workload, String> {
    if work.dependencies.is_none() {
        return Ok(work);
    }
    let procs = run.manifest["processors"].as_u64().and_then(|procs| u32::try_from(procs).ok());
    let path = run.place.join("jobs.csv");
    let schedule = read(run.source(&path)).map_err(|why| match why {
        NoRows::Unreadable(why) => run.unreadable(&path, &why).to_string(),
        NoRows::Wrong(why) => why,
    })?;
    let found = dependencies(&mut schedule.as_requested(), &work, procs.unwrap_or(0));
    let (ids, jobs): (Vec<u32>, Vec<Job>) = found.jobs.into_iter().map(|(id, job)| (id.0, job)).unzip();
    let attributes = Arc::new(Arc::unwrap_or_clone(Arc::clone(&work.attributes)).gather(&ids));
    Ok(Workload { jobs: Arc::new(jobs), attributes, ..work })
}
