//! Features of a site beyond giving processors to jobs, as `[cluster]` declares them: power, what
//! becomes of jobs that are interrupted, and the keys that features declare in their folders.
//!
//! A feature is absent unless it is written, and means something at detail `job` only.

use crate::instrument::{Draw, Requeue, RequeuePlace, RequeueSize, SiteModel};
use crate::kernel::SimDuration;
use crate::policy::features;
use crate::registry::{
    Bounds, Complaint, Key, KeyValue, Kind, Node, Params, Registry, Value, code, key, keys,
};
use crate::system::task_detail::{Detail, detail_of, misplaced};
use crate::system::{failures, pools, reservations};
use crate::units::Power;
use crate::workload::moldable::MOLDABLE;

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
/// Size of moldable jobs that wait again.
pub(super) const REQUEUE_SIZE: Key = key! {
    "requeue-size" Kind::Choice(&[
        ("molded", "the policy gives it a size again, for the work that it has left"),
        ("kept", "that which it has had"),
    ]), absent "it is molded again" =>
        "the number of processors of a moldable job that was interrupted, and waits again; counts only with \
         `molding` of the policy"
};
/// Fate of jobs whose dependencies failed.
pub(super) const FAILED_DEPENDENCY: Key = key! {
    "on-failed-dependency" Kind::Choice(&[
        ("reject", "it is rejected"),
        ("hold", "it is held for ever, unless its user cancels it, and counts as unfinished"),
    ]), absent "it is rejected" =>
        "what becomes of a job when another is lost, killed, cancelled or rejected that had to end by itself \
         before it (`after-ok`), and of the jobs that wait for it", source "Slurm, kill_invalid_depend"
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
pub(super) fn job_only() -> impl Iterator<Item = &'static str> {
    let others = [
        REQUEUE_PLACE,
        REQUEUE_DELAY,
        REQUEUE_SIZE,
        FAILED_DEPENDENCY,
        POWER,
        failures::FAILURES,
        reservations::RESERVATION,
        SITE_FEATURE,
        pools::POOLS,
    ];
    features::KEYS.iter().map(|key| key.name).chain(others.map(|key| key.name))
}

/// Reports what means nothing at detail `task`, or where no job is interrupted, and what features
/// report.
pub(super) fn prepare(registry: &Registry, root: &mut Node, complaints: &mut Vec<Complaint>) {
    let detail = detail_of(root);
    let Value::Table(tree) = &mut root.value else { return };
    let Some(cluster) = tree.get("cluster").and_then(Node::as_table) else { return };
    if detail == Detail::Task {
        let written = job_only().filter_map(|key| cluster.slot(key));
        complaints.extend(written.map(|slot| misplaced(slot, "", detail)));
        return;
    }
    if [failures::FAILURES, reservations::RESERVATION].iter().all(|key| cluster.slot(key.name).is_none()) {
        let keys = [REQUEUE_PLACE.name, REQUEUE_DELAY.name, REQUEUE_SIZE.name];
        let meaningless = keys.into_iter().filter_map(|key| cluster.slot(key));
        complaints.extend(meaningless.map(|slot| {
            let message = format!("`{}` means nothing where no job is interrupted", slot.name);
            let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
            complaint.help("write [cluster.failures] or [[cluster.reservation]] with it, or take it out")
        }));
    }
    let workload = tree.get("workload").and_then(Node::as_table);
    let has = |key: &str| workload.is_some_and(|workload| workload.slot(key).is_some());
    let depends = has("dependencies") || has("preceding");
    for (key, is_there, where_not, with) in [
        (REQUEUE_SIZE, has(MOLDABLE.name), "no job is moldable", "[workload.moldable]"),
        (FAILED_DEPENDENCY, depends, "no job depends on another", "`dependencies` in [workload]"),
    ] {
        // a word that is none is reported as such
        let is_word = |slot: &&KeyValue| match key.kind {
            Kind::Choice(words) => words.iter().any(|(word, _)| slot.node.as_text() == Some(word)),
            _ => true,
        };
        if let Some(slot) = cluster.slot(key.name).filter(is_word).filter(|_| !is_there) {
            let message = format!("`{}` means nothing where {where_not}", slot.name);
            let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
            complaints.push(complaint.help(format!("write {with} with it, or take it out")));
        }
    }
    features::ALL.iter().for_each(|one| (one.prepare)(registry, tree, complaints));
}

/// Reads the features of a site from a checked `[cluster]`.
pub(super) fn read(cluster: &Params<'_>) -> Result<SiteModel, Complaint> {
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
    let sizes = [("molded", RequeueSize::Molded), ("kept", RequeueSize::Kept)];
    let size = if cluster.has(REQUEUE_SIZE.name) {
        cluster.pick(REQUEUE_SIZE.name, &sizes)?
    } else {
        RequeueSize::default()
    };
    let requeue = Requeue { place, delay, size };
    let fates = [("reject", false), ("hold", true)];
    let holds_failed = cluster.has(FAILED_DEPENDENCY.name) && cluster.pick(FAILED_DEPENDENCY.name, &fates)?;
    let inside = reservations::name_jobs(cluster);
    let reserves = reservations::are_there(cluster);
    let mut site =
        SiteModel { power, failures, reserves, inside, requeue, holds_failed, ..SiteModel::default() };
    features::ALL.iter().try_for_each(|one| (one.read)(cluster, &mut site))?;
    Ok(site)
}
