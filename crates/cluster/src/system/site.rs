//! Features of a site beyond giving processors to jobs, as `[cluster]` declares them: killing of
//! jobs, power.
//!
//! A feature is absent unless it is written, and means something at detail `job` only. Estimates
//! that are raised to run times would leave no job to be killed, so where jobs are killed they stay
//! as requested (MODELS 2.6).

use crate::instrument::{Draw, Requeue, RequeuePlace, SiteModel};
use crate::kernel::SimDuration;
use crate::registry::{Bounds, Complaint, Key, Kind, Node, Params, Registry, Tree, Value, code, key, keys};
use crate::system::task_detail::{Detail, detail_of, misplaced};
use crate::system::{failures, reservations};
use crate::units::Power;
use crate::workload::{LimitOf, Walltime};

/// True if jobs are killed.
pub(super) const KILL: Key = Key::new("kill-at-estimate", Kind::Flag).absent("jobs run to their ends").about(
    "whether a job that is still running when the time it requested is over is \
                killed; one that ends just then has ended by itself (detail `job` only)",
);
/// Time for which after the requested time.
pub(super) const GRACE: Key = key! {
    "kill-grace" Kind::Duration(Bounds::NotNegative), absent "no grace" =>
        "how long a job may go on after the time it requested before it is killed; counts only with \
         `kill-at-estimate`", source "as OverTimeLimit of Slurm"
};
/// The runs that a limit is of.
pub(super) const LIMIT_OF: Key = key! {
    "limit-of" Kind::Choice(&[
        ("run", "each run: a job that was interrupted has its full limit again"),
        ("job", "all runs of a job together: it has what its earlier runs have left"),
    ]), absent "each run" =>
        "the runs of a job that was interrupted of which its limit is; counts only with `kill-at-estimate`",
        source "Slurm: each run"
};
/// Place of jobs that wait again.
pub(super) const REQUEUE_PLACE: Key = key! {
    "requeue-place" Kind::Choice(&[
        ("submission", "that which its submission gives it"),
        ("back", "that of a job which is submitted when it waits again, and its age begins then"),
    ]), absent "that of its submission" =>
        "the place in the queue of a job that was interrupted, by a node or by maintenance, and waits again",
        source "Slurm: the back"
};
/// Time before jobs that were interrupted wait again.
pub(super) const REQUEUE_DELAY: Key = key! {
    "requeue-delay" Kind::Duration(Bounds::NotNegative), absent "no time" =>
        "how long after its interruption a job cannot be started again",
        source "Slurm: 121 s"
};
/// Power that processors draw.
pub(super) const POWER: Key = Key::new(
    "power",
    Kind::Table(&keys! {
        "idle" Kind::Power =>
            "what a processor draws while no job has it, in whole milliwatts, 1 MW at the most";
        "busy" Kind::Power =>
            "what a processor draws while a job has it, `idle` included; not less than `idle`";
    }),
)
.absent("energy is not counted")
.about(
    "what each processor draws, for the metrics `energy` and the consumed energy \
                of jobs (detail `job` only)",
);

/// Features of another crate.
pub(super) const SITE_FEATURE: Key =
    Key::new("site-feature", Kind::List(&Kind::Component("site-feature"))).absent("none").about(
        "a feature of the site that another crate brings, a table each, [[cluster.site-feature]] (detail `job` only)",
    );

/// The keys of `[cluster]` that mean something at detail `job` only.
pub(super) const JOB_ONLY: [&str; 9] = [
    KILL.name,
    GRACE.name,
    LIMIT_OF.name,
    REQUEUE_PLACE.name,
    REQUEUE_DELAY.name,
    POWER.name,
    failures::FAILURES.name,
    reservations::RESERVATION.name,
    SITE_FEATURE.name,
];
/// Floor of the estimates of a workload.
const FLOOR: &str = "estimate-floor";

/// Reports what means nothing at detail `task`, and leaves estimates as requested where jobs are
/// killed.
pub(super) fn prepare(registry: &Registry, root: &mut Node, complaints: &mut Vec<Complaint>) {
    let detail = detail_of(root);
    let Value::Table(tree) = &mut root.value else { return };
    let Some(cluster) = tree.get("cluster").and_then(Node::as_table) else { return };
    if detail == Detail::Task {
        let written = JOB_ONLY.iter().filter_map(|key| cluster.slot(key));
        complaints.extend(written.map(|slot| misplaced(slot, "", detail)));
        return;
    }
    if [failures::FAILURES, reservations::RESERVATION].iter().all(|key| cluster.slot(key.name).is_none()) {
        let meaningless =
            [REQUEUE_PLACE.name, REQUEUE_DELAY.name].into_iter().filter_map(|key| cluster.slot(key));
        complaints.extend(meaningless.map(|slot| {
            let message = format!("`{}` means nothing where no job is interrupted", slot.name);
            let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
            complaint.help("write [cluster.failures] or [[cluster.reservation]] with it, or take it out")
        }));
    }
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

/// Reads the features of a site from a checked `[cluster]`.
pub(super) fn read(cluster: &Params<'_>) -> Result<SiteModel, Complaint> {
    let kills = cluster.read::<Option<bool>>(KILL.name)?.unwrap_or(false);
    let grace = cluster.read::<Option<SimDuration>>(GRACE.name)?.unwrap_or(SimDuration::ZERO);
    let limits = [("run", LimitOf::Run), ("job", LimitOf::Job)];
    let of = if cluster.has(LIMIT_OF.name) { cluster.pick(LIMIT_OF.name, &limits)? } else { LimitOf::Run };
    let power = if cluster.has(POWER.name) {
        let table = cluster.section(POWER.name);
        let (idle, busy): (Power, Power) = (table.read("idle")?, table.read("busy")?);
        if busy < idle {
            let message = format!("a processor draws {busy} while a job has it, and {idle} while none has");
            let complaint = table.complaint("busy", message).label("expected as much as `idle`, or more");
            return Err(complaint.note("`idle` is here", Some(table.span("idle"))));
        }
        Some(Draw { idle, busy })
    } else {
        None
    };
    let failures = failures::rules(cluster)?;
    let places = [("submission", RequeuePlace::Submission), ("back", RequeuePlace::Back)];
    let place = if cluster.has(REQUEUE_PLACE.name) {
        cluster.pick(REQUEUE_PLACE.name, &places)?
    } else {
        RequeuePlace::default()
    };
    let delay = cluster.read::<Option<SimDuration>>(REQUEUE_DELAY.name)?.unwrap_or(SimDuration::ZERO);
    let requeue = Requeue { place, delay };
    let inside = reservations::name_jobs(cluster);
    let (walltime, reserves) = (kills.then_some(Walltime { grace, of }), reservations::are_there(cluster));
    Ok(SiteModel { walltime, power, failures, reserves, inside, requeue, ..SiteModel::default() })
}
