//! Keys of queues and their limits.

use crate::kernel::SimDuration;
use crate::registry::{Bounds, Complaint, Key, Kind, Params, key, keys};

use super::{Limits, QueueLimits, QueueOf};

const fn count(name: &'static str, about: &'static str) -> Key {
    Key::new(name, Kind::count_from(1)).absent("no limit").about(about)
}

const QUEUE: &[Key] = &keys! {
    "name" Kind::Text => "its name in messages";
    "of" QueueOf::CHOICES, or "queue" =>
        "which number of a job `numbers` are about; a job has the limits of one queue of each kind",
        source "Slurm, limits of partitions and of qualities of service";
    "numbers" Kind::List(&Kind::Count { least: 0, most: 65_534 }),
        absent "the queue of all jobs that no other queue lists" =>
        "the numbers by which a log calls it", source "SWF field 15";
    "nodes" Kind::List(&Kind::Text),
        absent "all, and one order with all other queues" =>
        "features of groups: its jobs have nodes with any of them, and no others; queues whose nodes are apart \
         have each their own head, and their own promises (detail `job` only)",
        source "Slurm, Nodes of a partition";
    "order" Kind::Component("queue"), absent "the `queue` of the policy" =>
        "the order of its jobs, where it has nodes of its own that no other queue has";
    "priority" Kind::Number(Bounds::NotNegative), or_number 0.0 =>
        "its priority relative to other queues, for the discipline `priority`",
        source "Slurm, partition factor";
    "max-run-time" Kind::Duration(Bounds::Positive), absent "no limit" =>
        "the longest time that a job may request; others are rejected, but not those that request none";
    ..count("max-procs", "the most processors that a job may need; others are rejected");
    ..count("max-nodes", "the most nodes that a job may have; others are rejected");
    ..count("max-gpus", "the most GPUs that a job may need, parts in proportion; others are rejected");
    ..count("max-running", "the most jobs of this queue that run at a time");
    ..count("max-running-procs", "the most processors that jobs of this queue hold at a time");
    ..count("max-running-nodes", "the most nodes that jobs of this queue have at a time, each counted for \
             each of its jobs");
    ..count("max-running-gpus", "the most GPUs that jobs of this queue hold at a time, parts in proportion");
    ..count("max-running-per-user", "the most jobs of a user that run at a time");
    ..count("max-running-procs-per-user", "the most processors that jobs of a user hold at a time");
    ..count("max-running-nodes-per-user", "the most nodes that jobs of a user have at a time");
    ..count("max-running-gpus-per-user", "the most GPUs that jobs of a user hold at a time");
    ..count("max-queued-per-user", "the most waiting jobs of a user that are considered, the earliest ones");
};

/// The key under which a policy takes queues.
pub const KEY: Key = key! {
    "queues" Kind::List(&Kind::Table(QUEUE)), absent "no queues: jobs have no limits" =>
        "queues with limits, a table each; a job that no queue lists has none",
        source "as site schedulers have them: PBS queues, Slurm partitions, Maui's throttling policies"
};

/// The queues under [`KEY`].
///
/// # Errors
/// Two queues that would have the same jobs, or nodes of queues of several kinds.
pub fn read(params: &Params<'_>) -> Result<Limits, Complaint> {
    let mut queues: Vec<QueueLimits> = Vec::new();
    for table in params.items(KEY.name) {
        let one = params.with(table);
        let numbers: Option<Vec<u16>> = one.read("numbers")?;
        let numbers = numbers.unwrap_or_default();
        let of: QueueOf = one.read("of")?;
        let clash = queues.iter().filter(|other| other.of == of).find(|other| {
            let shared = other.numbers.iter().any(|number| numbers.contains(number));
            shared || (numbers.is_empty() && other.numbers.is_empty())
        });
        let limits = QueueLimits {
            name: one.read("name")?,
            of,
            nodes: nodes(&one, of, &queues)?,
            priority: one.read("priority")?,
            max_run_time: one.read::<Option<SimDuration>>("max-run-time")?,
            max_procs: one.read("max-procs")?,
            max_nodes: one.read("max-nodes")?,
            max_gpus: one.read("max-gpus")?,
            max_running: one.read("max-running")?,
            max_running_procs: one.read("max-running-procs")?,
            max_running_nodes: one.read("max-running-nodes")?,
            max_running_gpus: one.read("max-running-gpus")?,
            max_running_per_user: one.read("max-running-per-user")?,
            max_running_procs_per_user: one.read("max-running-procs-per-user")?,
            max_running_nodes_per_user: one.read("max-running-nodes-per-user")?,
            max_running_gpus_per_user: one.read("max-running-gpus-per-user")?,
            max_queued_per_user: one.read("max-queued-per-user")?,
            numbers,
        };
        if let Some(other) = clash {
            let message = format!("queues `{}` and `{}` would have the same jobs", other.name, limits.name);
            let complaint = one.complaint("numbers", message);
            return Err(complaint.help("a number may be listed once, and one queue may list none"));
        }
        queues.push(limits);
    }
    Ok(Limits::new(queues))
}

/// The features of the nodes of a queue; none: it has all nodes.
fn nodes(one: &Params<'_>, of: QueueOf, before: &[QueueLimits]) -> Result<Vec<String>, Complaint> {
    let nodes: Option<Vec<String>> = one.read("nodes")?;
    if nodes.is_none() && one.has("order") {
        let complaint = one.complaint("order", "a queue without nodes of its own has no order of its own");
        return Err(complaint.help("state its `nodes`, or write the order as `queue` of the policy"));
    }
    if nodes.as_ref().is_some_and(Vec::is_empty) {
        let complaint = one.complaint("nodes", "a queue without any node could start no job");
        return Err(complaint.help("name features of its nodes, or leave `nodes` out: then it has all"));
    }
    let nodes = nodes.unwrap_or_default();
    let other = before.iter().find(|other| !other.nodes.is_empty() && other.of != of);
    if let Some(other) = other.filter(|_| !nodes.is_empty()) {
        let message = format!("queues of two kinds have nodes: `{}` is another", other.name);
        let complaint = one.complaint("nodes", message);
        return Err(complaint.help("let all queues that have nodes go by the same number, as `of` says"));
    }
    Ok(nodes)
}
