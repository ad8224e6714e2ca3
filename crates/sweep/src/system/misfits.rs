//! Misfits of an application and a grid: tasks that no host can run, hosts that
//! no task can use, and inputs that no storage holds.

use crate::collections::OrderedSet;
use crate::model::application::{Sweep, SweepTask};
use crate::model::grid::{SweepGrid, SweepHost};
use crate::output::number::grouped;
use crate::platform::Trace;
use crate::platform::clustered::read::events::architecture_of;
use crate::registry::in_text;
use crate::registry::{Complaint, Node, Params, code};
use crate::text::{LONGEST_TEXT, Mistake, read_file};
use crate::workflow::TaskNumber;

/// Most tasks, and hosts, that are reported of a kind.
const REPORTED: usize = 5;

/// All that does not fit.
pub(super) fn misfits(params: &Params<'_>, sweep: &Sweep, grid: &SweepGrid) -> Vec<Complaint> {
    let architectures: OrderedSet<usize> = grid.hosts.iter().map(|host| host.architecture).collect();
    let runs =
        |task: &SweepTask| architectures.iter().any(|architecture| task.time_on(*architecture).is_some());
    let mut complaints: Vec<Complaint> = never_there(params, grid).into_iter().collect();
    complaints.extend(unusable(params, sweep, grid, &architectures));
    let homeless = sweep.tasks.iter().filter(|task| !runs(task)).take(REPORTED);
    complaints.extend(homeless.map(|task| {
        let message = format!("no host is of an architecture that task `{}` has a time for", task.name);
        params.complaint("application", message)
    }));
    complaints.extend(too_large(params, sweep, grid, runs));
    complaints
}

/// Reports that no host is ever there.
fn never_there(params: &Params<'_>, grid: &SweepGrid) -> Option<Complaint> {
    let is_ever = |present: &Trace| present.values().any(|value| value > 0.0);
    let comes = |host: &SweepHost| is_ever(&host.present) && is_ever(&grid.cluster(host.cluster).present);
    if grid.hosts.iter().any(comes) {
        return None;
    }
    let platform = params.section("platform");
    let key = if platform.has("file") { "file" } else { "cluster" };
    Some(platform.complaint(key, "no host is there at any time"))
}

/// Reports hosts of architectures that no task has a time for.
fn unusable(
    params: &Params<'_>,
    sweep: &Sweep,
    grid: &SweepGrid,
    architectures: &OrderedSet<usize>,
) -> Vec<Complaint> {
    let is_used = |architecture: usize| sweep.tasks.iter().any(|task| task.time_on(architecture).is_some());
    let unused: OrderedSet<usize> =
        architectures.iter().copied().filter(|architecture| !is_used(*architecture)).collect();
    let most = sweep.tasks.iter().map(|task| task.times.len()).max().unwrap_or(0);
    let hosts = grid.hosts.iter().filter(|host| unused.contains(&host.architecture));
    let mut complaints: Vec<Complaint> = hosts
        .take(REPORTED)
        .map(|host| {
            let message = format!(
                "host `{}` is of architecture {}, and tasks have times for {most}, from 0 to {}",
                host.name,
                host.architecture,
                most.saturating_sub(1)
            );
            at_architecture(&params.section("platform"), grid, host, message)
        })
        .collect();
    // hosts of one cluster have one place
    complaints.dedup_by(|one, other| one.excerpt.is_none() && one.span == other.span);
    complaints
}

/// A complaint at the place of a host's architecture, in the grid of the template or the cluster of
/// the scenario, or at the platform.
fn at_architecture(platform: &Params<'_>, grid: &SweepGrid, host: &SweepHost, message: String) -> Complaint {
    if platform.has("file") {
        let name: String = platform.read("file").unwrap_or_default();
        let text = platform.path("file").ok().and_then(|path| read_file(&path, LONGEST_TEXT).ok());
        let placed = text.and_then(|text| {
            let spot = architecture_of(&text, &host.name)?;
            let mistake = Mistake { message: message.clone(), help: None, spot };
            in_text(mistake.into(), &text, &name, code::SWEEP).pop()
        });
        let nowhere = || platform.complaint("file", message.clone());
        return Complaint { span: Some(platform.span("file")), ..placed.unwrap_or_else(nowhere) };
    }
    let cluster = &grid.cluster(host.cluster).name;
    let is_own = |node: &&Node| node.at("name").and_then(Node::as_text) == Some(cluster);
    let own = platform.items("cluster").iter().find(is_own).and_then(|node| node.at("architecture"));
    let span = own.map_or(platform.span("cluster"), |node| node.span);
    Complaint::new(code::CONTRADICTION, message, span)
}

/// Reports tasks whose inputs no storage of a cluster with a host for them can hold.
fn too_large(
    params: &Params<'_>,
    sweep: &Sweep,
    grid: &SweepGrid,
    runs: impl Fn(&SweepTask) -> bool,
) -> Vec<Complaint> {
    let limits: OrderedSet<(usize, u64)> = grid
        .hosts
        .iter()
        .map(|host| (host.architecture, grid.cluster(host.cluster).limit().unwrap_or(u64::MAX)))
        .collect();
    let most = |task: &SweepTask| {
        let of_hosts = limits.iter().filter(|(architecture, _)| task.time_on(*architecture).is_some());
        of_hosts.map(|(_, limit)| *limit).max().unwrap_or(0)
    };
    let platform = params.section("platform");
    let storages = platform.span(if platform.has("file") { "file" } else { "cluster" });
    let complain = |task: TaskNumber| {
        let task = sweep.task(task);
        let most = most(task);
        let file = task.inputs.iter().map(|file| sweep.file(*file)).find(|file| file.bytes > most);
        let message = match file {
            Some(file) => format!("file `{}` of {} bytes fits in no storage", file.name, grouped(file.bytes)),
            None => format!("the inputs of task `{}` do not fit in any storage together", task.name),
        };
        let largest = format!(
            "the storages of clusters that can run task `{}` hold {} bytes at most",
            task.name,
            grouped(most)
        );
        params.complaint("application", message).note(largest, Some(storages))
    };
    let runs = |task: &TaskNumber| runs(sweep.task(*task));
    let too_large = sweep.task_numbers().filter(runs);
    let too_large = too_large.filter(|task| !sweep.fits(*task, most(sweep.task(*task))));
    let mut complaints: Vec<Complaint> = too_large.take(REPORTED).map(complain).collect();
    // a file that several tasks read
    complaints.dedup_by(|one, other| one.message == other.message);
    complaints
}
