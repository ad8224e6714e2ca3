//! Clients of a scenario, and what their tasks are.

use std::path::PathBuf;
use std::rc::Rc;

use crate::client::{Arrivals, Client, Deadline, TaskClass, TaskSizes};
use crate::info::ClientNumber;
use crate::kernel::rng::distribution::{Constant, Exponential, Moments, Sampler};
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Complaint, Params, code};
use crate::system::named::{names, report_twice};
use crate::text::{LONGEST_TEXT, read_file};

/// Clients as they were read.
#[derive(Debug, Default)]
pub(super) struct DescribedClients {
    pub(super) names: Vec<String>,
    pub(super) clients: Vec<Client>,
    pub(super) draws: bool,
    /// True if each has so many tasks, so that the run ends by itself.
    pub(super) ends: bool,
}

/// The names of all clients.
///
/// # Errors
/// A name that is given twice.
pub(super) fn all_names(root: &Params<'_>) -> Result<Vec<String>, Vec<Complaint>> {
    let mut complaints = Vec::new();
    let mut all = Vec::new();
    for node in root.items("client") {
        let table = root.with(node);
        match names(&table) {
            Ok(names) => all.extend(names.into_iter().map(|name| {
                let complaint = table.complaint("name", format!("a second client is called `{name}`"));
                (name, complaint)
            })),
            Err(complaint) => complaints.push(complaint),
        }
    }
    report_twice(all.iter().map(|(name, complaint)| (name.as_str(), complaint.clone())), &mut complaints);
    if complaints.is_empty() { Ok(all.into_iter().map(|(name, _)| name).collect()) } else { Err(complaints) }
}

/// Number of tasks that a client issues if nothing ends the run before; `None` if they come until
/// then.
pub(super) fn count(client: &Client) -> Option<u64> {
    match &client.arrivals {
        Arrivals::Given(instants) => {
            let given = instants.len() as u64;
            Some(client.tasks.map_or(given, |tasks| tasks.min(given)))
        }
        Arrivals::Open(_) | Arrivals::Closed { .. } => client.tasks,
    }
}

/// Reads `[\[client\]]`; all processors of all servers together do `performance` operations a
/// second, and the widest server has so many.
///
/// # Errors
/// Everything that is wrong with it, and with the files it names.
pub(super) fn read(
    root: &Params<'_>,
    performance: f64,
    widest: u32,
) -> Result<DescribedClients, Vec<Complaint>> {
    let mut complaints = Vec::new();
    let mut all = DescribedClients { ends: true, ..DescribedClients::default() };
    for node in root.items("client") {
        if let Err(wrong) = read_table(&root.with(node), (performance, widest), &mut all) {
            complaints.extend(wrong);
        }
    }
    if complaints.is_empty() { Ok(all) } else { Err(complaints) }
}

fn read_table(
    table: &Params<'_>,
    (performance, widest): (f64, u32),
    all: &mut DescribedClients,
) -> Result<(), Vec<Complaint>> {
    let mut classes = Vec::new();
    let mut complaints = Vec::new();
    for node in table.items("class") {
        let class = table.with(node);
        match read_class(&class, widest) {
            Ok(class) => classes.push(class),
            Err(complaint) => complaints.push(complaint),
        }
    }
    if table.items("class").is_empty() {
        complaints.push(table.complaint("class", "a client without any class of tasks"));
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    let names = names(table)?;
    let tasks: Option<u64> = table.read("tasks")?;
    let arrivals = arrivals(table, &classes, performance, names.len())?;
    let is_drawn = |law: &Sampler| law.variance() != Some(0.0);
    all.draws |=
        classes.len() > 1 || classes.iter().any(|class| class.sizes.laws().into_iter().any(is_drawn));
    all.draws |= match &arrivals {
        Arrivals::Open(law) | Arrivals::Closed { think: law, .. } => is_drawn(law),
        Arrivals::Given(_) => false,
    };
    all.ends &= tasks.is_some() || matches!(arrivals, Arrivals::Given(_));
    let classes: Rc<[TaskClass]> = classes.into();
    for name in names {
        let number = ClientNumber(all.names.len() as u32);
        all.names.push(name);
        all.clients.push(Client { number, tasks, arrivals: arrivals.clone(), classes: Rc::clone(&classes) });
    }
    Ok(())
}

fn arrivals(
    table: &Params<'_>,
    classes: &[TaskClass],
    performance: f64,
    count: usize,
) -> Result<Arrivals, Vec<Complaint>> {
    let section = table.section("arrivals");
    if section.has("kind") {
        return Ok(Arrivals::Open(*table.component("arrivals", "distribution")?));
    }
    let given = ["load", "users", "file"].map(|key| section.has(key));
    if given.iter().filter(|given| **given).count() != 1 {
        let complaint = table.complaint("arrivals", "tasks come by one of `load`, `users` and `file`");
        return Err(complaint.label("expected one of them").into());
    }
    if section.has("load") {
        let weights: f64 = classes.iter().map(|class| class.weight).sum();
        let mean =
            |class: &TaskClass| class.sizes.mean_instructions().map(|mean| mean * class.weight / weights);
        let instructions: Option<f64> = classes.iter().map(mean).sum();
        let Some(instructions) = instructions.filter(|mean| mean.is_finite() && *mean > 0.0) else {
            let message =
                "the mean of the operations of tasks is not known, or 0: no rate follows from a load";
            return Err(section.complaint("load", message).into());
        };
        let load: f64 = section.read("load")?;
        let gap = count as f64 * instructions / (load * performance);
        let law = Exponential::new(gap).map_err(|bad| section.complaint("load", bad.to_string()))?;
        return Ok(Arrivals::Open(Sampler::new(law)));
    }
    if section.has("users") {
        let think = *section.component("think", "distribution")?;
        return Ok(Arrivals::Closed { users: section.read("users")?, think });
    }
    instants(&section, "file").map(Arrivals::Given)
}

fn read_class(class: &Params<'_>, widest: u32) -> Result<TaskClass, Complaint> {
    let law = |key: &str| -> Result<Sampler, Complaint> {
        let law = class.component_if_any::<Sampler>(key, "distribution")?;
        Ok(law.map_or_else(|| Sampler::new(Constant::new(0.0).expect("a number")), |law| *law))
    };
    let preset: Option<String> = class.read("preset")?;
    let sizes = match preset.as_deref() {
        Some(preset) => {
            if let Some(key) = ["send", "receive", "instructions"].into_iter().find(|key| class.has(key)) {
                return Err(class
                    .complaint(key, format!("the preset `{preset}` says it"))
                    .label("take it out"));
            }
            let n = *class.component("n", "distribution")?;
            if preset == "ep" { TaskSizes::Ep(n) } else { TaskSizes::Linpack(n) }
        }
        None => TaskSizes::Drawn {
            send: law("send")?,
            receive: law("receive")?,
            instructions: law("instructions")?,
        },
    };
    let factor: Option<f64> = class.read("deadline")?;
    let after: Option<SimDuration> = class.read("deadline-after")?;
    let deadline = match (factor, after) {
        (Some(_), Some(_)) => {
            return Err(class
                .complaint("deadline-after", "`deadline` says when results are wanted")
                .label("take one out"));
        }
        (Some(factor), None) => Deadline::Factor(factor),
        (None, Some(after)) => Deadline::After(after),
        (None, None) => Deadline::None,
    };
    let processors: u32 = class.read("procs")?;
    if processors > widest {
        let complaint = class.complaint("procs", format!("no server has {processors} processors"));
        return Err(complaint.label(format!("expected {widest} at most")));
    }
    let priority: u64 = class.read("priority")?;
    let weight = class.read("weight")?;
    Ok(TaskClass { weight, sizes, deadline, priority: priority.cast_signed(), processors })
}

/// Instants from a file, one a line in seconds, in order.
///
/// # Errors
/// The file cannot be read, or a line is no instant or before the one above it.
pub(super) fn instants(table: &Params<'_>, key: &str) -> Result<Rc<[SimTime]>, Vec<Complaint>> {
    let (named, path): (String, PathBuf) = (table.read(key)?, table.path(key)?);
    let text = read_file(&path, LONGEST_TEXT).map_err(|why| {
        let complaint = table.complaint(key, format!("cannot read `{named}`: {why}"));
        vec![Complaint { code: code::FILE, ..complaint }.label("named here")]
    })?;
    let mut instants: Vec<SimTime> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let word = line.trim();
        if word.is_empty() || word.starts_with('#') {
            continue;
        }
        let at = word.parse().ok().filter(|at: &f64| (0.0..1e10).contains(at));
        let at = at.map(|at| SimTime::ZERO + SimDuration::ceil_secs(at));
        match at.filter(|at| instants.last().is_none_or(|last| at >= last)) {
            Some(at) => instants.push(at),
            None => {
                let message = format!("{named}:{number}: `{word}` is no instant, or before the one above it");
                return Err(table.complaint(key, message).label("expected seconds, in order").into());
            }
        }
    }
    Ok(instants.into())
}

/// The files that clients name.
pub(super) fn inputs(root: &Params<'_>) -> Vec<(String, PathBuf)> {
    let tables = root.items("client").iter().map(|node| root.with(node).section("arrivals"));
    tables
        .filter(|section| !section.has("kind") && section.has("file"))
        .filter_map(|section| Some((section.read::<String>("file").ok()?, section.path("file").ok()?)))
        .collect()
}
