//! The components of a batch scheduler: the keys by which scenarios choose them, and which go
//! together.

use crate::batch::allocation::Allocation;
use crate::batch::backfill::{Backfill, Decides};
use crate::batch::devices::{GpuRule, GpuScores, MigStarts};
use crate::batch::estimate::Estimates;
use crate::batch::limits::{self, Limits};
use crate::batch::molding::{AsRequested, Molding, When};
use crate::batch::node_resources::FreeResources;
use crate::batch::queue::Discipline;
use crate::kernel::stream;
use crate::registry::{Complaint, Key, Kind, Node, Params, key, keys};

use super::{FrontEnd, QUEUE};

/// Parts by which a [`BatchScheduler`](super::BatchScheduler) decides.
#[derive(Debug)]
pub struct Components {
    /// The order of the queue.
    pub discipline: Box<dyn Discipline>,
    /// Rule by which jobs may overtake.
    pub backfill: Box<dyn Backfill>,
    /// Rule by which a job gets its processors.
    pub allocation: Box<dyn Allocation>,
    /// Rule by which a job gets its GPUs, where they are distinguished.
    pub allocation_gpus: GpuRule,
    /// Fineness of the scores of that rule.
    pub gpu_scores: GpuScores,
    /// Start of an instance on a GPU that is divided.
    pub mig_start: MigStarts,
    /// Time for which jobs are taken to run.
    pub estimates: Box<dyn Estimates>,
    /// Limits that hold jobs back or reject them.
    pub limits: Limits,
    /// Rule for the sizes of moldable jobs.
    pub molding: Box<dyn Molding>,
    /// Orders and rules of queues with nodes of their own.
    pub(super) queues: Vec<QueueParts>,
}

/// Order and rule of a queue with nodes of its own.
#[derive(Debug)]
pub(super) struct QueueParts {
    /// Place of the queue in the list.
    pub(super) place: usize,
    /// Order of its jobs.
    pub(super) discipline: Box<dyn Discipline>,
    /// Rule by which they overtake.
    pub(super) backfill: Box<dyn Backfill>,
}

impl Components {
    /// The keys of a policy that has them: `queue`, `backfill`, `estimates`, `queues`, `molding`,
    /// `allocation`, `allocation-gpus`, `gpu-scores`, `mix-without-cpu`, `mig-start`.
    pub const KEYS: &[Key] = &keys! {
        ..QUEUE;
        "backfill" Kind::Component("backfill"), or "easy" =>
            "which jobs may overtake others that wait, and what these are promised";
        "estimates" Kind::Component("estimate"), or "requested" => "how long jobs are taken to run";
        ..limits::KEY;
        ..MOLDING;
        "allocation" Kind::Component("allocation"), or "lowest-first" =>
            "which of the free processors a job gets";
        ..ALLOCATION_GPUS;
        ..GPU_SCORES;
        ..MIX_WITHOUT_CPU;
        ..MIG_START;
    };

    /// The components as a scenario has them under these keys.
    ///
    /// # Errors
    /// Components that do not go together.
    pub fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let components = Components {
            discipline: params.component("queue", "queue")?,
            backfill: params.component("backfill", "backfill")?,
            allocation: params.component("allocation", "allocation")?,
            allocation_gpus: params
                .read::<Option<GpuRule>>(ALLOCATION_GPUS.name)?
                .unwrap_or(GpuRule::FirstFit),
            gpu_scores: params.read::<Option<GpuScores>>(GPU_SCORES.name)?.unwrap_or(GpuScores::Exact),
            mig_start: params.read::<Option<MigStarts>>(MIG_START.name)?.unwrap_or(MigStarts::First),
            estimates: params.component("estimates", "estimate")?,
            limits: limits::read(params)?,
            molding: molding(params)?,
            queues: queue_parts(params)?,
        };
        let overtakes = components.backfill.capabilities().decides != Decides::Nothing;
        if components.discipline.overtakes() && overtakes {
            return Err(nothing_to_backfill(params));
        }
        molding_fits(params, &components)?;
        Ok(components)
    }

    /// Free parts of the nodes of a run, where they have more than processors.
    pub(super) fn free_resources(&self, front: &FrontEnd) -> Option<FreeResources> {
        let free = FreeResources::new(front.resources()?).of_jobs(&front.jobs(), &front.named_nodes());
        let draws = (self.allocation_gpus == GpuRule::Random).then(|| stream(ALLOCATION_GPUS.name));
        let rule = (self.allocation_gpus, self.gpu_scores, self.mig_start);
        Some(free.placed_by(rule, &front.jobs(), draws))
    }
}

/// The key of the rule by which jobs get GPUs.
pub(super) const ALLOCATION_GPUS: Key = key! {
    "allocation-gpus" GpuRule::CHOICES, absent "first-fit" =>
        "which nodes and GPUs a job gets, where nodes list GPUs or jobs ask for kinds or parts of them; jobs \
         that ask for no GPU get their nodes by it too, unless it is first-fit",
        source "Q. Weng et al., USENIX ATC 2023 (pack, clustering, best-fit, dot-product, fgd)"
};

/// The key of the fineness of scores.
pub(super) const GPU_SCORES: Key = key! {
    "gpu-scores" GpuScores::CHOICES, absent "exact" => "how finely `allocation-gpus` tells nodes apart",
        source "Q. Weng et al., USENIX ATC 2023: their simulator has whole per cents"
};

/// The key of the start of an instance.
pub(super) const MIG_START: Key = key! {
    "mig-start" MigStarts::CHOICES, absent "first" =>
        "where an instance begins on a GPU that nodes divide (`cluster.group.gpus.mig`)"
};

/// The key of the jobs in the mix of `fgd` and of the metric `fragmentation`, which the nodes read.
pub(crate) const MIX_WITHOUT_CPU: Key = key! {
    "mix-without-cpu" Kind::Flag, or_flag false =>
        "whether jobs that ask for no GPU are left out of the mix of tasks by which `fgd` and the metric \
         `fragmentation` call free GPUs of use",
        source "Q. Weng et al., USENIX ATC 2023: in their simulator to such a task all free GPUs are of no use"
};

/// The orders and rules of the queues that have nodes of their own.
fn queue_parts(params: &Params<'_>) -> Result<Vec<QueueParts>, Complaint> {
    let tables = params.items(limits::KEY.name).iter().map(|table| params.with(table));
    let mut parts = Vec::new();
    for (place, table) in tables.enumerate().filter(|(_, table)| table.has("nodes")) {
        let own: Option<Box<dyn Discipline>> = table.component_if_any("order", "queue")?;
        let backfill: Box<dyn Backfill> = params.component("backfill", "backfill")?;
        let overtakes = backfill.capabilities().decides != Decides::Nothing;
        if overtakes && own.as_ref().is_some_and(|order| order.overtakes()) {
            let message = "this order starts every job that fits, which leaves nothing to backfilling";
            let complaint = table.complaint("order", message).label("expected an order with a head");
            return Err(complaint.note("backfilling is here", Some(params.span("backfill"))));
        }
        let discipline = own.map_or_else(|| params.component("queue", "queue"), Ok)?;
        parts.push(QueueParts { place, discipline, backfill });
    }
    Ok(parts)
}

/// The complaint about a rule of backfilling with a queue that starts whatever fits.
pub(super) fn nothing_to_backfill(params: &Params<'_>) -> Complaint {
    let text = |key| params.tree().at(key).and_then(Node::as_text);
    let queue = text("queue.kind").unwrap_or_default();
    let backfill = text("backfill.kind").or(text("backfill")).unwrap_or_default();
    let message =
        format!("queue `{queue}` starts every job that fits, so backfill `{backfill}` has none to start");
    let complaint = params.complaint("backfill", message).label("expected \"none\"");
    complaint.help("write backfill = \"none\"").note("the queue is here", Some(params.span("queue")))
}

/// The key of the rule, which policies have that mold.
pub(super) const MOLDING: Key = key! {
    "molding" Kind::Component("molding"), absent "every job gets the processors that it asks for" =>
        "how many processors a moldable job gets, where `workload.moldable` says which jobs are (detail \
         `job` only)", source "W. Cirne and F. Berman, JPDC 62(10), 2002"
};

/// The rule of a policy.
fn molding(params: &Params<'_>) -> Result<Box<dyn Molding>, Complaint> {
    let rule: Option<Box<dyn Molding>> = params.component_if_any(MOLDING.name, "molding")?;
    Ok(rule.unwrap_or_else(|| Box::new(AsRequested)))
}

fn refuse(params: &Params<'_>, why: &str) -> Complaint {
    let rule = params.tree().at("molding.kind").and_then(Node::as_text).unwrap_or_default();
    params.complaint(MOLDING.name, format!("molding `{rule}` {why}"))
}

/// The rule of a policy that gives a job its place in a matrix once, and makes no forecasts.
pub(super) fn molding_of_matrix(params: &Params<'_>) -> Result<Box<dyn Molding>, Complaint> {
    let rule = molding(params)?;
    let why = match rule.when() {
        When::Never | When::Submission => return Ok(rule),
        When::Forecast => "needs forecasts of ends, which are not made for the rows of a matrix",
        When::Start => "takes what is free of the whole machine, and jobs share the rows of a matrix",
    };
    Err(refuse(params, why).label("expected \"as-requested\" or \"efficient\""))
}

/// Objects to a rule that the other components make impossible.
fn molding_fits(params: &Params<'_>, components: &Components) -> Result<(), Complaint> {
    if components.molding.when() != When::Start {
        return Ok(());
    }
    if components.discipline.overtakes() {
        let why = "is about the head of the queue, and this queue starts whatever fits";
        return Err(refuse(params, why).note("the queue is here", Some(params.span("queue"))));
    }
    if components.backfill.capabilities().decides == Decides::Everything {
        let why =
            "is about the head of the queue, and this backfilling keeps reservations for sizes as they were";
        let complaint = refuse(params, why).note("backfilling is here", Some(params.span("backfill")));
        return Err(complaint.help("write backfill = \"none\" or \"easy\""));
    }
    if !components.limits.is_empty() {
        let why = "changes sizes of jobs that limits have been applied to";
        return Err(refuse(params, why).note("limits are here", Some(params.span("queues"))));
    }
    Ok(())
}
