//! `convert`: foreign workloads as logs or scenarios, the nodes of a site as a cluster, and
//! measurements or a grid as a platform.
//!
//! What comes out does not hide what was lost: causes and lines are reported on stderr, and stand
//! in the output as notes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::convert_args::{Convert, Count, Detail, Foreign, ResourcesOf, Submitted};
use crate::failure::Failure;
use crate::import::batsim;
use crate::import::slurm::{self, Reading, Site, SiteClock, Unit};
use crate::job_tables;
use crate::kernel::SimDuration;
use crate::kinds;
use crate::registry::Problem;
use crate::registry::{Registry, toml_text};
use crate::render::Renderer;
use crate::request::not_for;
use crate::scenario::recognition::{JSON, TABLE, recognize};
use crate::site_policy::{self, SitePolicy};
use crate::units::Speed;
use crate::units::calendar::utc_offset;
use crate::units::share;
use crate::workload::estimate::{Floor, Rule};
use crate::workload::swf::{self, Line, Log, Options};
use crate::workload::{Attribute, Job, LogSummary, UNKNOWN_ID};
use crate::written::{open, path_as_written, printable, refuse_idle_flags, refused, write};
use crate::{measured, print, sweep_texts};
use clustersim_experiment::output::number::{counted, grouped};

/// Format that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Log { gzip: bool },
    Scenario,
}

pub(super) fn convert(registry: &Registry, args: &Convert, renderer: &Renderer) -> Result<(), Failure> {
    if let Some(done) = kinds::convert(registry, args, renderer) {
        return done;
    }
    if let Some(done) = sweep_texts::convert(registry, args, renderer) {
        return done;
    }
    let to = target(registry, &args.output)?;
    if let Some(tables) = job_tables::tables_in(registry, args)? {
        return job_tables::convert(args, tables, renderer);
    }
    let from = from(registry, args)?;
    refuse_idle_flags(args, Some(from))?;
    if args.inputs.len() > 1 && from != Foreign::Measured {
        return Err(refused("only measurements come in several files", "convert the others one by one"));
    }
    Failure::if_there(&args.output, args.force)?;
    if from == Foreign::Measured {
        return match to {
            Target::Scenario => measured::convert(args),
            Target::Log { .. } => {
                Err(refused("measurements hold no jobs", "write the platform to a .toml file"))
            }
        };
    }
    if from == Foreign::SlurmConf {
        if to != Target::Scenario {
            return Err(refused("a slurm.conf holds no jobs", "write the nodes to a .toml file"));
        }
        if args.gres.is_some() && args.detail == Some(Detail::Task) {
            return Err(refused("at detail `task` nodes have no devices", "leave --gres or --detail out"));
        }
        let site = site(args.input(), devices(args, args.input()).as_deref())?;
        write(&args.output, |out| out.write_all(cluster(&site, args.detail).as_bytes()))?;
        site.remarks.iter().for_each(|remark| renderer.note(remark));
        scheduler_left_out(&site).iter().for_each(|remark| renderer.note(remark));
        let (nodes, procs) = (grouped(site.nodes()), grouped(site.processors()));
        return print(&format!("{}: {nodes} nodes, {procs} processors\n", args.output.display()));
    }
    let named = args.conf.iter().map(PathBuf::as_path).chain([args.input()]);
    if let Some(path) = named.filter(|_| to == Target::Scenario).find(|path| path.to_str().is_none()) {
        let message = format!("cannot name {} in a scenario: its name is not UTF-8", path.display());
        return Err(refused(&message, "rename it, or make a link to it: ln -s OLD NEW"));
    }
    if to != Target::Scenario && (args.qos.is_some() || args.shares.is_some()) {
        return Err(refused(
            "a log has no policy, which --qos and --shares are about",
            "write a scenario (.toml), or leave them out",
        ));
    }
    let asks = args.resources == Some(ResourcesOf::Allocated);
    if asks && to != Target::Scenario {
        return Err(refused(
            "a log has no fields for what jobs had of nodes",
            "write a scenario (.toml), or leave --resources out",
        ));
    }
    if asks && args.conf.is_none() {
        return Err(refused(
            "it is not stated what the nodes have",
            "name the slurm.conf of the site by --conf",
        ));
    }
    if asks && args.count == Some(Count::Nodes) {
        return Err(refused(
            "what a job had of its nodes means nothing where nodes are given whole",
            "leave --resources or --count out",
        ));
    }
    let gres = devices_of_dump(args, asks)?;
    let site = args.conf.as_deref().map(|conf| self::site(conf, gres.as_deref())).transpose()?;
    let tables = site.as_ref().map(|site| site_policy::accounting(args, site)).transpose()?;
    let log = read(args, from, site.as_ref())?;
    let policy = site.as_ref().zip(tables.as_ref()).filter(|_| to == Target::Scenario);
    let policy = policy.map(|(site, tables)| SitePolicy::new(tables.stated(site), &log));
    match to {
        Target::Scenario => {
            let text = scenario(args, from, &log, (site.as_ref(), policy.as_ref()));
            write(&args.output, |out| out.write_all(text.as_bytes()))?;
        }
        Target::Log { gzip: false } => write(&args.output, |out| write_log(&log, from, out))?,
        Target::Log { gzip: true } => write(&args.output, |out| {
            let mut packed = GzEncoder::new(out, Compression::default());
            write_log(&log, from, &mut packed)?;
            packed.finish().map(drop)
        })?,
    }
    log.report.long().iter().for_each(|line| renderer.note(line));
    site.iter().flat_map(|site| &site.remarks).for_each(|remark| renderer.note(remark));
    notes(&log, from).for_each(|note| renderer.note(note));
    if let Some(lacking) = policy.map(|policy| policy.lacking).filter(|&lacking| lacking > 0) {
        let output = args.output.display();
        renderer.note(&format!("keys and limits of the site's scheduler that are not represented yet, comments in {output}: {lacking}"));
    }
    let (jobs, records) = (counted(log.jobs.len() as u64, "job"), counted(log.report.jobs, "record"));
    print(&format!("{}: {jobs} of {records}\n", args.output.display()))
}

/// A speed of the command line, in operations a second.
pub(super) fn speed(args: &Convert) -> Result<Option<f64>, Failure> {
    let speed = args.speed.as_deref().map(Speed::parse).transpose();
    let speed = speed.map_err(|bad| refused(&bad.problem, &bad.help))?.map(Speed::flops_per_sec);
    if speed.is_some_and(|speed| speed <= 0.0) {
        return Err(refused("nothing is ever computed at this speed", "give one above 0, such as 1Gf"));
    }
    Ok(speed)
}

/// Format of the input, as stated, by its content or by its name.
fn from(registry: &Registry, args: &Convert) -> Result<Foreign, Failure> {
    if let Some(name) = &args.from {
        return Foreign::from_str(name, true).map_err(|_| {
            let message = format!("a file of {name} holds no jobs");
            refused(&message, &format!("end the output otherwise{}", kinds::endings(registry)))
        });
    }
    if let Some((key, _)) = args.keys.first() {
        let message = format!("--{key} means nothing to {}", args.output.display());
        return Err(refused(
            &message,
            &format!("take it out, or end the output otherwise{}", kinds::endings(registry)),
        ));
    }
    let logs = [
        (swf::MARK, Foreign::Swf),
        (slurm::DUMP, Foreign::Sacct),
        (slurm::CONF, Foreign::SlurmConf),
        (batsim::MARK, Foreign::Batsim),
    ];
    if let Some(mark) = recognize(registry, args.input()).filter(|mark| **mark != TABLE && **mark != JSON) {
        let found = logs.into_iter().find(|(known, _)| *known == *mark).map(|(_, format)| format);
        return found.ok_or_else(|| not_for("convert", args.input(), mark));
    }
    let name = args.input().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let by_name = [(".json", Foreign::Batsim), (".swf", Foreign::Swf), (".conf", Foreign::SlurmConf)];
    let guess = by_name.into_iter().find(|(ending, _)| name.ends_with(ending));
    let or_else = || if measured::is_measured(args.input()) { Foreign::Measured } else { Foreign::Sacct };
    Ok(guess.map_or_else(or_else, |(_, format)| format))
}

fn target(registry: &Registry, output: &Path) -> Result<Target, Failure> {
    let name = output.to_string_lossy().to_lowercase();
    let known = [
        (".toml", Target::Scenario),
        (".swf", Target::Log { gzip: false }),
        (".swf.gz", Target::Log { gzip: true }),
    ];
    let target = known.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, target)| target);
    target.ok_or_else(|| {
        let message = format!("the name of {} does not say what to write", output.display());
        let others = kinds::endings(registry);
        refused(&message, &format!("end it in .swf or .swf.gz for a log, in .toml for a scenario{others}"))
    })
}

fn reported(problem: Problem, path: &Path) -> Failure {
    Failure::usage(problem.complaint(&path.display().to_string(), None))
}

/// The `gres.conf` of a dump, if its jobs ask for what nodes have: else the machine is a number of
/// processors.
fn devices_of_dump(args: &Convert, asks: bool) -> Result<Option<PathBuf>, Failure> {
    if args.gres.is_some() && !asks {
        return Err(refused(
            "no job asks for devices of nodes",
            "write a scenario with --conf and --resources allocated, or leave --gres out",
        ));
    }
    Ok(args.conf.as_deref().filter(|_| asks).and_then(|conf| devices(args, conf)))
}

/// The `gres.conf` that is named, or that is beside a `slurm.conf`.
fn devices(args: &Convert, conf: &Path) -> Option<PathBuf> {
    let own = || Some(conf.with_file_name("gres.conf")).filter(|path| path.is_file());
    args.gres.clone().or_else(own)
}

fn site(path: &Path, gres: Option<&Path>) -> Result<Site, Failure> {
    let read = match gres {
        Some(gres) => slurm::read_with_gres((open(path)?, path), (open(gres)?, gres)),
        None => slurm::read_conf_at(open(path)?, path),
    };
    read.map_err(|problem| reported(problem, path))
}

fn read(args: &Convert, from: Foreign, site: Option<&Site>) -> Result<Log, Failure> {
    // times that were requested are kept as they are, and so is that none was
    let estimate = Rule { floor: Floor::None, ..Rule::default() };
    let options = Options { estimate, keep_unrequested: true, ..Options::default() };
    let file = open(args.input())?;
    let read = match from {
        Foreign::Sacct => slurm::read(file, &reading(args)?, site, &options),
        Foreign::Batsim => batsim::read(file, speed(args)?, &options),
        Foreign::Swf | Foreign::SlurmConf | Foreign::Measured | Foreign::Table => {
            swf::read_from(file, &options).map_err(Problem::from)
        }
    };
    read.map_err(|problem| reported(problem, args.input()))
}

/// Options for reading a dump.
fn reading(args: &Convert) -> Result<Reading, Failure> {
    let clock = match (&args.timezone, args.utc_offset.as_deref().unwrap_or("+00:00")) {
        (Some(zone), _) => SiteClock::parse(zone).ok_or_else(|| {
            let message = format!("`{zone}` is no zone that is known");
            refused(&message, "write one such as Europe/Paris")
        })?,
        (None, offset) => utc_offset(offset).map(SiteClock::Fixed).ok_or_else(|| {
            let message = format!("`{offset}` is no offset from UTC");
            refused(&message, "write one such as +01:00 or -05:30")
        })?,
    };
    let plain = Reading::default();
    let most_unread = match &args.most_unread {
        _ if args.strict => 0.0,
        None => plain.most_unread,
        Some(text) => match share(text) {
            Ok(share) if (0.0..=1.0).contains(&share) => share,
            Ok(_) => {
                return Err(refused(&format!("`{text}` is more than all records"), "write 100% at most"));
            }
            Err(bad) => return Err(refused(&bad.problem, &bad.help)),
        },
    };
    Ok(Reading {
        clock,
        most_unread,
        eligible: args.submitted == Some(Submitted::Eligible),
        unit: if args.count == Some(Count::Nodes) { Unit::Nodes } else { Unit::Processors },
        resources: args.resources == Some(ResourcesOf::Allocated),
        attributes: false,
    })
}

/// Notes on the log that no count of jobs gives.
fn notes(log: &Log, from: Foreign) -> impl Iterator<Item = &str> {
    let unkept = "average CPU time, memory, preceding job and think time are not carried over";
    let extended = log.attributes.has(Attribute::Nodes).then_some("fields 19 to 21 are not carried over");
    let pools = log.attributes.has(Attribute::Pools);
    let pools = pools.then_some("amounts of pools that jobs ask for are not carried over");
    // those of another log than a dump are carried over as they are
    let own = |(key, value): &(&str, &str)| {
        let begins = ["columns not used", "times of day: "].iter().any(|begin| value.starts_with(begin));
        *key == "Note" && begins
    };
    let own = log.header.entries().filter(own).map(|(_, value)| value);
    (from == Foreign::Swf).then_some(unkept).into_iter().chain(extended).chain(pools).chain(own)
}

/// Causes of changes to jobs, in words, each with the first lines.
fn causes(log: &Log) -> impl Iterator<Item = String> {
    log.report.tallies().map(|(cause, tally)| {
        let lines: Vec<String> = tally.lines.iter().map(ToString::to_string).collect();
        let place = if lines.is_empty() { String::new() } else { format!(" (line {})", lines.join(", ")) };
        format!("{} {}{place}", tally.count, cause.about())
    })
}

/// Entries of a header that are written again.
const OWN_ENTRIES: [&str; 6] =
    ["Version", "Conversion", "MaxJobs", "MaxRecords", "UnixStartTime", "MaxRuntime"];

fn write_log(log: &Log, from: Foreign, out: &mut impl Write) -> io::Result<()> {
    // submit times that are dates become seconds from the first one
    let dated = log.header.unix_start_time().is_none() && log.unix_origin().is_some();
    let unix_start = if dated { log.unix_origin() } else { log.header.unix_start_time() };
    let origin = if dated { SimDuration::ZERO } else { log.origin };
    let jobs = log.jobs.len().to_string();
    let longest = log.jobs.iter().map(|job| job.run_time).max().unwrap_or_default();
    let mut header = vec![
        ("Version", "2.2".to_owned()),
        ("Conversion", format!("clustersim {}", clustersim_experiment::output::VERSION)),
        ("MaxJobs", jobs.clone()),
        ("MaxRecords", jobs),
    ];
    header.extend(unix_start.map(|start| ("UnixStartTime", start.to_string())));
    header.push(("MaxRuntime", longest.as_nanos().div_ceil(1_000_000_000).to_string()));
    let own = |key: &str| OWN_ENTRIES.iter().any(|known| key.eq_ignore_ascii_case(known));
    header.extend(
        log.header.entries().filter(|(key, _)| !own(key)).map(|(key, value)| (key, value.to_owned())),
    );
    header.extend(causes(log).map(|cause| ("Note", cause)));
    header.extend(notes(log, from).filter(|_| from == Foreign::Swf).map(|note| ("Note", note.to_owned())));
    let line = |(place, &job): (usize, &Job)| Line {
        executable: log.attributes.of(place).executable.unwrap_or(UNKNOWN_ID),
        ..Line::from(job)
    };
    swf::write(&header, log.jobs.iter().enumerate().map(line), origin, out)
}

/// A scenario that reads the input itself.
fn scenario(
    args: &Convert,
    from: Foreign,
    log: &Log,
    (site, policy): (Option<&Site>, Option<&SitePolicy>),
) -> String {
    let title = args.input().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut text = format!("title = {}\n\n[cluster]\n", toml_text(&title));
    let asks = args.resources == Some(ResourcesOf::Allocated);
    match log.header.procs() {
        Some(_) if asks => text += &site.map(groups).unwrap_or_default(),
        Some(procs) => text += &format!("procs = {procs}\n"),
        None => {
            if let Some((key, value)) = log.header.odd_size() {
                text += &format!("# `{key}: {}` does not begin with a number.\n", printable(value));
            }
            text += &job_tables::guessed_machine("log", LogSummary::of(log).processors());
        }
    }
    text += policy.map(|policy| policy.machine.as_str()).unwrap_or_default();
    let kind = match from {
        Foreign::Sacct | Foreign::SlurmConf | Foreign::Measured => "slurm",
        Foreign::Table => "table",
        Foreign::Batsim => "batsim",
        Foreign::Swf => "swf",
    };
    text +=
        &format!("\n[workload]\nkind = \"{kind}\"\nfile = {}\n", path_as_written(&args.output, args.input()));
    if let Some(conf) = &args.conf {
        text += &format!("conf = {}\n", path_as_written(&args.output, conf));
    }
    if args.count == Some(Count::Nodes) {
        text += "count = \"nodes\"\n";
    }
    if asks {
        text += "resources = \"allocated\"\n";
    }
    if args.submitted == Some(Submitted::Eligible) {
        text += "submitted = \"eligible\"\n";
    }
    let strict = args.strict.then(|| "0%".to_owned());
    let most_unread = args.most_unread.clone().or(strict);
    for (key, value) in [
        ("utc-offset", &args.utc_offset),
        ("timezone", &args.timezone),
        ("most-unread", &most_unread),
        ("speed", &args.speed),
    ] {
        text += &value.as_ref().map(|value| format!("{key} = {}\n", toml_text(value))).unwrap_or_default();
    }
    text += policy.map(|policy| policy.workload.as_str()).unwrap_or_default();
    let reported: Vec<String> = causes(log).collect();
    if !reported.is_empty() {
        text += &format!("\n# Of {} records {} are jobs here:\n", log.report.jobs, log.jobs.len());
        reported.iter().for_each(|cause| text += &format!("# {cause}\n"));
    }
    let policy = policy.map_or("kind = \"easy\"\n", |policy| policy.policy.as_str());
    text + "\n[policy]\n" + policy
}

/// Names of nodes, and their resources and features, as the file declares them.
fn about(group: &slurm::Group) -> String {
    let more = [("resources", &group.gres), ("features", &group.features)].into_iter();
    let more = more.filter(|(_, text)| !text.is_empty());
    let more: Vec<String> = more.map(|(what, text)| format!(", {what} {}", printable(text))).collect();
    format!("# {}{}\n", printable(&group.names), more.concat())
}

fn in_mebibytes(memory: Option<u64>) -> String {
    memory.map(|memory| format!("memory = \"{memory} MiB\"\n")).unwrap_or_default()
}

/// GPUs of a node as a table of a list.
fn in_list(gpus: &slurm::ListedGpus) -> String {
    let kind = gpus.kind.as_ref().map(|kind| format!("kind = {}, ", toml_text(&printable(kind))));
    let parts = if gpus.parts > 1 { format!(", parts = {}", gpus.parts) } else { String::new() };
    let mig = if gpus.is_instance { ", mig = \"static\"" } else { "" };
    format!("{{ {}count = {}{parts}{mig} }}", kind.unwrap_or_default(), gpus.count)
}

/// A site's nodes as groups at detail `job`.
fn groups(site: &Site) -> String {
    let mut text = String::new();
    for group in &site.groups {
        text += &format!("\n{}[[cluster.group]]\nnodes = {}\n", about(group), group.nodes);
        text += &format!("processors = {}\n{}", group.processors, in_mebibytes(group.memory));
        if let Some(gpus) = group.listed_gpus() {
            let gpus: Vec<String> = gpus.iter().map(in_list).collect();
            text += &format!("gpus = [{}]\n", gpus.join(", "));
        } else if group.gpus() > 0 {
            text += &format!("gpus = {}\n", group.gpus());
        }
        let names: Vec<String> =
            group.feature_names().iter().map(|name| toml_text(&printable(name))).collect();
        if !names.is_empty() {
            text += &format!("features = [{}]\n", names.join(", "));
        }
    }
    text
}

/// A remark on the scheduler of a site, of which only its nodes are written.
fn scheduler_left_out(site: &Site) -> Option<String> {
    let lines = site.scheduler.stated;
    (lines > 0).then(|| {
        format!("lines on the scheduler, which is left out here and converted with a dump by --conf: {lines}")
    })
}

/// A site's nodes as tables of a scenario.
fn cluster(site: &Site, detail: Option<Detail>) -> String {
    let name = site.name.as_deref().unwrap_or("a site");
    let mut text =
        format!("# The nodes of {}, to be taken into a scenario by `include = [\"…\"]`.\n", printable(name));
    for partition in &site.partitions {
        let most = match partition.most_time {
            Some(millis) => format!("at most {} min", millis / 60_000),
            None => "no time limit".to_owned(),
        };
        let default = if partition.default { ", the default" } else { "" };
        let (name, nodes) = (printable(&partition.name), partition.nodes);
        text += &format!(
            "# Partition {name}: {nodes} nodes, {} processors, {most}{default}\n",
            partition.processors
        );
    }
    text += "# Not represented: which users may use which partition, and with what priority.\n";
    let remarks = site.remarks.iter().cloned().chain(scheduler_left_out(site));
    remarks.for_each(|remark| text += &format!("# {}\n", printable(&remark)));
    text += "\n[cluster]\n";
    match detail.unwrap_or(Detail::Job) {
        Detail::Job => {
            text += &groups(site);
        }
        Detail::Task => {
            text += &format!("detail = \"task\"\nnodes = {}\n", site.nodes());
            for group in &site.groups {
                text += &format!("\n{}[[cluster.group]]\nnodes = {}\n", about(group), group.nodes);
                text += &format!("processors = {}\n", group.processors);
                text += &in_mebibytes(group.memory);
            }
        }
    }
    text
}
