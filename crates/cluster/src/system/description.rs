//! Settings of a cluster in a checked scenario, apart from its workload and its policy.

use crate::instrument::SiteModel;
use crate::instrument::by_class::By;
use crate::kernel::SimDuration;
use crate::kernel::stats::WarmUp;
use crate::measure::metric::Metric;
use crate::workload::resources::Nodes;

/// A cluster, with every default filled in.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the scenario")]
pub struct Cluster {
    /// Part left out of the statistics at the start; none if that is found after the run.
    pub warm_up: WarmUp,
    /// True if what is left out is found after the run, by MSER-5 over the wait times.
    pub finds_warm_up: bool,
    /// Processors of the machine; `None`: as the log's header says.
    pub procs: Option<u32>,
    /// Tasks that a processor takes, if the policy shares processors.
    pub level: u32,
    /// Features of the site beyond giving processors, at detail `job`.
    pub site: SiteModel,
    /// Number of nodes it has, at detail `task`; `None` at detail `job`.
    pub nodes: Option<u32>,
    /// Equipment of its nodes beyond processors, at detail `job`, if the scenario states it.
    pub kinds: Option<Nodes>,
    /// Metrics of features of another crate.
    pub own_metrics: Vec<Metric>,
    /// By what jobs are classified, at detail `job`.
    pub classes: Option<By>,
    /// True if `jobs.csv` is written.
    pub record_jobs: bool,
    /// True if `jobs.swf` is written.
    pub record_swf: bool,
    /// True if `profile.csv` and `executions.csv` are written, at detail `task`.
    pub record_profile: bool,
    /// The windows by which the computing of jobs is recorded, at detail `task`.
    pub pace: Option<SimDuration>,
}
