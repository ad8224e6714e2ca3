//! Keys of the limits of a site.
//!
//! Estimates that are raised to run times would leave no job to be killed, so where jobs are killed
//! they stay as requested (MODELS 2.6).

use crate::instrument::SiteModel;
use crate::kernel::SimDuration;
use crate::registry::{Bounds, Complaint, Key, Kind, Node, Params, Registry, Tree, Value, code, key};
use crate::workload::{LimitOf, Walltime};

/// True if jobs are killed.
const KILL: Key = Key::new("kill-at-estimate", Kind::Flag).absent("jobs run to their ends").about(
    "whether a job that is still running when the time it requested is over is \
                killed; one that ends just then has ended by itself (detail `job` only)",
);
/// Time for which after the requested time.
const GRACE: Key = key! {
    "kill-grace" Kind::Duration(Bounds::NotNegative), absent "no grace" =>
        "how long a job may go on after the time it requested before it is killed; counts only with \
         `kill-at-estimate`", source "as OverTimeLimit of Slurm"
};
/// The runs that a limit is of.
const LIMIT_OF: Key = key! {
    "limit-of" Kind::Choice(&[
        ("run", "each run: a job that was interrupted has its full limit again"),
        ("job", "all runs of a job together: it has what its earlier runs have left"),
    ]), absent "each run" =>
        "the runs of a job that was interrupted of which its limit is; counts only with `kill-at-estimate`",
        source "Slurm: each run"
};

pub(super) const KEYS: &[Key] = &[KILL, GRACE, LIMIT_OF];

/// Floor of the estimates of a workload.
const FLOOR: &str = "estimate-floor";

/// Leaves estimates as requested where jobs are killed, and reports what means nothing where none
/// is.
pub(super) fn prepare(registry: &Registry, tree: &mut Tree, complaints: &mut Vec<Complaint>) {
    let Some(cluster) = tree.get("cluster").and_then(Node::as_table) else { return };
    let Some(kill) = cluster.slot(KILL.name) else {
        let meaningless = [GRACE.name, LIMIT_OF.name].into_iter().filter_map(|key| cluster.slot(key));
        complaints.extend(meaningless.map(|slot| {
            let message = format!("`{}` means nothing where no job is killed", slot.name);
            let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
            complaint.help("write kill-at-estimate = true with it, or take it out")
        }));
        return;
    };
    let at = kill.span;
    if !matches!(kill.node.value, Value::Boolean(true)) {
        return;
    }
    let Some(workload) = tree.table_mut("workload") else { return };
    match workload.get(FLOOR) {
        Some(floor) if floor.as_text() == Some("run-time") => {
            let message = "estimates that are raised to run times leave no job to be killed";
            let complaint =
                Complaint::new(code::CONTRADICTION, message, floor.span).label("expected \"none\"");
            complaints.push(complaint.note("jobs are killed here", Some(at)));
        }
        None if has_floor(registry, workload) => workload.set(FLOOR, at, Value::String("none".to_owned())),
        Some(_) | None => {}
    }
}

/// Returns true if workloads of this kind raise estimates.
fn has_floor(registry: &Registry, workload: &Tree) -> bool {
    let kind = workload.get("kind").and_then(Node::as_text);
    let Some(table) = registry.find("workload") else { return false };
    let mut rows = table.rows().into_iter();
    rows.any(|row| Some(row.name) == kind && row.keys.iter().any(|key| key.name == FLOOR))
}

/// Reads the rule of a site, if it kills jobs.
pub(super) fn read(cluster: &Params<'_>, site: &mut SiteModel) -> Result<(), Complaint> {
    let kills = cluster.read::<Option<bool>>(KILL.name)?.unwrap_or(false);
    let grace = cluster.read::<Option<SimDuration>>(GRACE.name)?.unwrap_or(SimDuration::ZERO);
    let limits = [("run", LimitOf::Run), ("job", LimitOf::Job)];
    let of = if cluster.has(LIMIT_OF.name) { cluster.pick(LIMIT_OF.name, &limits)? } else { LimitOf::Run };
    site.walltime = kills.then_some(Walltime { grace, of });
    Ok(())
}
