//! Use of memory and GPUs of nodes, where jobs ask for them.
//!
//! `FAMILIES` defines the metrics.
//!
//! What a job asked for is held from its start to its end, be it used or not. Nodes whose memory is
//! unknown count neither above nor below. Sums are whole bytes times nanoseconds, rounded once.

use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::kernel::stats::ratio;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;
use crate::workload::Job;
use crate::workload::resources::{GpuGroup, GpuShare, NodeKind, Nodes, Resources};

use super::metrics::{FinishedRun, real};
use super::observations::WINDOW;
use crate::batch::record::State;

const DEMANDS: &str =
    "jobs ask for more than processors (`workload.demand`, logs with memory, GPUs or features)";

/// The metrics of runs in which jobs ask for more than processors, in the order in which they are
/// shown.
pub(super) const FAMILIES: &[Family] = &families! {
    "memory.utilization" [share] None, WINDOW =>
        "memory that running jobs asked for, over time / (memory of the nodes x length of the window); \
         nodes of unknown memory are left out",
        shown DEMANDS;
    "gpus.utilization" [share] None, WINDOW =>
        "GPUs that running jobs asked for, over time / (GPUs of the nodes x length of the window); parts of \
         one count in proportion, instances by their compute sevenths",
        shown DEMANDS;
};

/// The metrics, in the order in which they are shown; none if no job asks for more than processors.
pub(super) fn metrics(run: &FinishedRun<'_>) -> Vec<Metric> {
    let Some(Resources { nodes, demands }) = run.record.resources() else { return Vec::new() };
    let window = run.window();
    let (mut memory, mut gpus) = (0_u128, 0_u128);
    let (common, by_shares) = (nodes.gpus().common_parts(), run.record.with_distinct_gpus().is_some());
    let mut holds = |job: &Job, (start, end): (SimTime, SimTime), shares: &[GpuShare]| {
        let demand = demands.of(job.demand);
        let chunks = u128::from(demand.chunks(job.procs));
        let time = u128::from(end.min(window.to).since(start.max(window.from)).as_nanos());
        memory = memory.saturating_add((chunks * time).saturating_mul(u128::from(demand.memory)));
        let held =
            if by_shares { parts_held(nodes, shares, common) } else { chunks * u128::from(demand.gpus) };
        gpus = gpus.saturating_add(time.saturating_mul(held));
    };
    for ((outcome, job), id) in run.record.outcomes().zip(run.jobs).zip((0..).map(JobId)) {
        let end = match outcome.state {
            State::Expected | State::Rejected => continue,
            State::Running => window.to,
            _ => outcome.end,
        };
        holds(job, (outcome.start, end), run.record.gpus(id));
    }
    for one in run.record.outages().attempts() {
        let mut job = run.jobs[one.job.index()];
        job.procs = one.procs();
        holds(&job, (one.start, one.end), &one.gpus);
    }
    let kinds = || nodes.kinds().iter();
    let known = kinds().filter(|kind| kind.memory != NodeKind::ENDLESS);
    let all_memory: u128 = known.map(|kind| u128::from(kind.nodes) * u128::from(kind.memory)).sum();
    let amounts = nodes.gpu_amounts();
    let all_gpus: u128 =
        kinds().zip(amounts).map(|(kind, gpus)| u128::from(kind.nodes) * u128::from(gpus)).sum();
    let span = u128::from(window.to.since(window.from).as_nanos());
    let share = |used: u128, all: u128| (span > 0 && all > 0).then(|| ratio(used, all.saturating_mul(span)));
    vec![
        real("memory.utilization", share(memory, all_memory)),
        real("gpus.utilization", share(gpus, all_gpus)),
    ]
}

/// Parts of GPUs that a job holds, in common parts of them.
fn parts_held(nodes: &Nodes, shares: &[GpuShare], common: u64) -> u128 {
    let of_gpu = |gpu: u64, parts: u32| {
        let held =
            |group: GpuGroup| u64::from(if parts == 0 { group.parts } else { parts }) * group.unit(common);
        u128::from(nodes.gpu(gpu).map_or(0, |(_, group)| held(group)))
    };
    let of_share =
        |share: &GpuShare| (share.first..=share.last).map(|gpu| of_gpu(gpu, share.parts)).sum::<u128>();
    shares.iter().map(of_share).sum()
}
