//! `check`: whether the schedule of a finished run keeps what its policy promised, by code that shares nothing with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::check::{
    Decides, Facts, Holding, Interruptions, Law, Looked, Moldable, Parallelism, Promise, Reservations,
    Schedule, Violation, Window, look, read,
};
use crate::cli::args::Check;
use crate::cli::failure::Failure;
use crate::cli::finished::{self, Workload};
use crate::cli::print;
use crate::cli::print_json;
use crate::cli::render::Renderer;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::code;
use crate::registry::{Complaint, Registry};
use crate::report::directory::read_manifest;
use crate::report::manifest;
use crate::report::number::grouped;
use crate::scenario::{check_again, load};
use crate::units::{Calendar, Moment, duration, share};

/// Name and version of what `--json` prints.
const SCHEMA: &str = "clustersim/check/1";
/// Violations of one promise that are told in words.
const TOLD: usize = 10;

pub(super) fn check(registry: &Registry, args: &Check, renderer: &Renderer) -> Result<(), Failure> {
    let directory = &args.directory;
    let manifest = read_manifest(directory).ok_or_else(|| finished::none(directory))?;
    if manifest["schema"] != manifest::SCHEMA {
        let complaint = Complaint::nowhere(code::MANIFEST, format!("{} holds a study", directory.display()));
        let help = "a study keeps no schedules; run one of its runs alone, with --point and --replication";
        return Err(Failure::usage(complaint.help(help)));
    }
    if manifest.get("agents").is_some() {
        let message = format!("{} holds a run of agents, which have no schedule", directory.display());
        return Err(Failure::usage(Complaint::nowhere(code::MANIFEST, message)));
    }
    let schedule =
        read(&finished::text(directory, "jobs.csv")?).map_err(|message| refused(directory, &message))?;
    let (failing, reserved) = (failing(directory, &manifest)?, reserved(directory, &manifest)?);
    let base = manifest["invocation"]["directory"].as_str().map(Path::new);
    let scenario = check_again(registry, load(&directory.join("scenario.resolved.toml"), base, &[]))?;
    let resolved: toml::Table =
        scenario.resolved().parse().map_err(|_| refused(directory, "its scenario is no TOML"))?;
    let workload = finished::jobs(registry, &scenario, &manifest);
    if let Err(why) = &workload {
        renderer.note(&format!("the jobs of the workload are not looked at: {why}"));
    }
    let workload = workload.as_ref().map_err(|_| "the workload cannot be read as it was");
    let counted = [schedule.ran.len(), schedule.refused.len()].map(|count| grouped(count as u64));
    let run = RunFiles { schedule, failing, reserved, manifest: &manifest };
    let looked = look_at(run, &resolved, workload);
    let broken = looked.iter().filter(|(_, looked)| is_broken(looked)).count();
    if args.json {
        print_json(&as_json(&looked))?;
    } else {
        print(&in_words(directory, &counted, &looked))?;
    }
    match broken {
        0 => Ok(()),
        1 => Err(Failure::Failed("the schedule breaks a promise".to_owned())),
        _ => Err(Failure::Failed(format!("the schedule breaks {broken} promises"))),
    }
}

/// What the files of a run tell.
struct RunFiles<'a> {
    schedule: Schedule,
    /// What became of nodes that fail, if they do.
    failing: Option<Interruptions>,
    /// What reservations of processors had, if there are any.
    reserved: Option<Reservations>,
    manifest: &'a Json,
}

/// What became of nodes that fail, if the run tells of it.
fn failing(directory: &Path, manifest: &Json) -> Result<Option<Interruptions>, Failure> {
    if manifest["outputs"].get("outages.csv").is_none() {
        return Ok(None);
    }
    let (attempts, outages) =
        (finished::text(directory, "attempts.csv")?, finished::text(directory, "outages.csv")?);
    Interruptions::read(&attempts, &outages).map(Some).map_err(|message| refused(directory, &message))
}

/// What reservations of processors had, if the run tells of it.
fn reserved(directory: &Path, manifest: &Json) -> Result<Option<Reservations>, Failure> {
    if manifest["outputs"].get("reservations.csv").is_none() {
        return Ok(None);
    }
    let (attempts, reservations) =
        (finished::text(directory, "attempts.csv")?, finished::text(directory, "reservations.csv")?);
    Reservations::read(&attempts, &reservations).map(Some).map_err(|message| refused(directory, &message))
}

/// The date of time 0 as the manifest has it, to the second.
fn dated(manifest: &Json) -> Option<Calendar> {
    let start = i128::from(manifest["workload"]["unix-time-of-0"].as_i64()?) * 1_000_000_000;
    Some(Calendar { start, offset: manifest["workload"]["utc-offset"].as_i64() })
}

/// The reservations that a resolved scenario asks for, on so many processors: each as often as it begins before `over`.
fn asked(resolved: &toml::Table, procs: u32, calendar: Option<Calendar>, over: SimTime) -> Vec<Window> {
    let list = resolved.get("cluster").and_then(|cluster| cluster.get("reservation"));
    let tables = list.and_then(toml::Value::as_array).into_iter().flatten();
    let one = |(number, table): (u32, &toml::Value)| {
        let nanos = |key| table.get(key).and_then(toml::Value::as_str).and_then(|text| duration(text).ok());
        let count = |key| {
            table.get(key).and_then(toml::Value::as_integer).and_then(|count| u32::try_from(count).ok())
        };
        let at = table.get("at").and_then(toml::Value::as_str).and_then(|text| Moment::parse(text).ok());
        let at = at.and_then(|at| at.after_start(calendar).ok()).unwrap_or(0);
        let (lasts, every, notice) = (nanos("for").unwrap_or(0), nanos("every"), nanos("notice"));
        let times = count("times").unwrap_or(if every.is_some() { u32::MAX } else { 1 });
        let interrupts = table.get("use").and_then(toml::Value::as_str) == Some("maintenance");
        let begins = (1..=times).map(move |time| {
            (time, at.saturating_add(every.unwrap_or(0).saturating_mul(u64::from(time - 1))))
        });
        let begins = begins.take_while(move |&(_, from)| SimTime::from_nanos(from) < over);
        begins
            .map(move |(time, from)| Window {
                which: (number, time),
                from: SimTime::from_nanos(from),
                to: SimTime::from_nanos(from.saturating_add(lasts)),
                known: SimTime::from_nanos(notice.map_or(0, |notice| from.saturating_sub(notice))),
                procs: count("processors").unwrap_or(procs),
                interrupts,
            })
            .collect::<Vec<_>>()
    };
    (1..).zip(tables).flat_map(one).collect()
}

/// The jobs of a workload that a resolved scenario lets run inside reservations, and the number of each one's; `None` if that is not known.
fn inside(
    resolved: &toml::Table,
    workload: Result<&Workload, &'static str>,
) -> Option<BTreeMap<(u64, SimTime), u32>> {
    let list = resolved.get("cluster").and_then(|cluster| cluster.get("reservation"));
    let mut inside = BTreeMap::new();
    for (number, table) in (1..).zip(list.and_then(toml::Value::as_array).into_iter().flatten()) {
        let all = |key: &str| {
            let list = table.get(key).and_then(toml::Value::as_array).into_iter().flatten();
            list.filter_map(toml::Value::as_integer).map(i64::cast_unsigned).collect::<BTreeSet<u64>>()
        };
        let (jobs, users) = (all("jobs"), all("users"));
        if jobs.is_empty() && users.is_empty() {
            continue;
        }
        for job in &*workload.ok()?.work.jobs {
            if jobs.contains(&job.number) || users.contains(&u64::from(job.user)) {
                inside.entry((job.number, job.submit_time)).or_insert(number);
            }
        }
    }
    Some(inside)
}

fn look_at(
    RunFiles { schedule, failing, reserved, manifest }: RunFiles<'_>,
    resolved: &toml::Table,
    workload: Result<&Workload, &'static str>,
) -> Vec<(Promise, Looked)> {
    let at = |path: &[&str]| {
        let mut here = resolved.get(path[0])?;
        for key in &path[1..] {
            here = here.get(key)?;
        }
        Some(here)
    };
    let name = |path: &[&str]| at(path).and_then(toml::Value::as_str).unwrap_or_default();
    let whole = |value: Option<i64>| value.and_then(|value| u32::try_from(value).ok());
    let policy = name(&["policy", "kind"]);
    let of_tasks = name(&["cluster", "detail"]) == "task";
    let level = whole(at(&["cluster", "mpl"]).and_then(toml::Value::as_integer)).unwrap_or(1);
    let holding = match (policy, of_tasks) {
        ("space-sharing", _) => Holding::Alone,
        (_, false) if name(&["policy", "migration"]) == "compaction" => Holding::Moving(level),
        (_, false) => Holding::Shared(level),
        (_, true) => Holding::Leaving,
    };
    let option = |key| name(&["policy", "backfill", key]);
    let decides = Decides {
        when: name(&["policy", "decide"]),
        estimates: name(&["policy", "estimates", "kind"]),
        limits: at(&["policy", "queues"]).is_some(),
        molding: name(&["policy", "molding", "kind"]),
        order: option("order"),
        extra: option("extra"),
        judged_by: option("judged-by"),
        reservation: option("reservation"),
        overdue: option("overdue"),
    };
    let kills = at(&["cluster", "kill-at-estimate"]).and_then(toml::Value::as_bool) == Some(true);
    let grace = SimDuration::from_nanos(duration(name(&["cluster", "kill-grace"])).unwrap_or(0));
    let grace = kills.then_some(grace);
    let nanos = |path: &[&str]| duration(name(path)).ok().map(SimDuration::from_nanos);
    let (interval, cost) = (
        nanos(&["cluster", "failures", "checkpoint", "interval"]),
        nanos(&["cluster", "failures", "checkpoint", "cost"]),
    );
    let failing = failing.map(|known| Interruptions { checkpoint: interval.zip(cost), ..known });
    let moldable = at(&["workload", "moldable"]).and_then(toml::Value::as_table);
    let molds = !matches!(name(&["policy", "molding", "kind"]), "" | "as-requested");
    let moldable = moldable.filter(|_| molds).map(rules_of_sizes);
    let procs = whole(manifest["processors"].as_i64()).unwrap_or(0);
    let over = schedule.ran.iter().map(|row| row.end).max().unwrap_or_default();
    // who waits may be in the way of a reservation that would have come later
    let longest = schedule.ran.iter().map(|row| row.estimate).max().unwrap_or_default();
    let inside = inside(resolved, workload);
    let calendar = workload.ok().and_then(|workload| workload.calendar).or_else(|| dated(manifest));
    let asked = |known| Reservations {
        asked: asked(resolved, procs, calendar, over.saturating_add(longest)),
        untold: inside.is_none(),
        inside: inside.unwrap_or_default(),
        ..known
    };
    let reserved = reserved.map(asked);
    let facts = Facts {
        policy,
        queue: name(&["policy", "queue", "kind"]),
        backfill: name(&["policy", "backfill", "kind"]),
        decides,
        procs,
        holding,
        grace,
        rigid: !of_tasks && policy == "space-sharing",
        resources: workload.ok().and_then(|workload| workload.resources.as_deref()),
        depends: at(&["workload", "dependencies"]).is_some()
            || !["", "ignored"].contains(&name(&["workload", "preceding"])),
        cancels: at(&["workload", "patience"]).is_some() || name(&["workload", "cancelled"]) == "replayed",
        failing: failing.as_ref(),
        moldable: moldable.as_ref(),
        reserved: reserved.as_ref(),
        stopped: manifest["stopped"] != false,
    };
    look(schedule, &facts, workload.map(|workload| &workload.work))
}

/// Which sizes a scenario lets jobs have.
fn rules_of_sizes(table: &toml::Table) -> Moldable {
    let number = |value: Option<&toml::Value>| match value {
        Some(toml::Value::Float(number)) => Some(*number),
        Some(toml::Value::Integer(number)) => Some(*number as f64),
        Some(toml::Value::String(text)) => share(text).ok(),
        _ => None,
    };
    let count = |key| number(table.get(key)).map(|count| count as u32);
    let law = table.get("law").and_then(toml::Value::as_table);
    let of_law = |key| number(law.and_then(|law| law.get(key)));
    let kind = law.and_then(|law| law.get("kind")).and_then(toml::Value::as_str).unwrap_or_default();
    let law = match kind {
        "amdahl" => of_law("serial").map(|serial| Law::Amdahl { serial }),
        "downey" => of_law("variance").map(|variance| {
            let factor = Parallelism::Factor(of_law("parallelism").unwrap_or(1.0));
            Law::Downey { parallelism: of_law("average").map_or(factor, Parallelism::Fixed), variance }
        }),
        "linear" => Some(Law::Linear),
        "power" => of_law("exponent").map(|exponent| Law::Power { exponent }),
        _ => None,
    };
    Moldable {
        law,
        least: count("least").unwrap_or(1),
        most: count("most"),
        least_factor: number(table.get("least-factor")),
        most_factor: number(table.get("most-factor")),
        powers_of_two: table.get("sizes").and_then(toml::Value::as_str) == Some("powers-of-two"),
    }
}

fn is_broken(looked: &Looked) -> bool {
    matches!(looked, Looked::At(violations) if !violations.is_empty())
}

fn in_words(directory: &Path, [ran, refused]: &[String; 2], looked: &[(Promise, Looked)]) -> String {
    let mut text = format!("{}: {ran} jobs ran, {refused} were refused\n\n", directory.display());
    for (promise, looked) in looked {
        // writing into a String cannot fail
        let _ = match looked {
            Looked::Not(why) => writeln!(text, " not checked  {}: {why}", promise.text()),
            Looked::At(violations) if violations.is_empty() => {
                writeln!(text, " kept         {}", promise.text())
            }
            Looked::At(violations) => {
                let _ = writeln!(text, " BROKEN       {}", promise.text());
                for violation in violations.iter().take(TOLD) {
                    let _ = writeln!(text, "                {violation}");
                }
                let more = violations.len().saturating_sub(TOLD);
                if more > 0 {
                    writeln!(text, "                and {} more", grouped(more as u64))
                } else {
                    Ok(())
                }
            }
        };
    }
    text
}

fn as_json(looked: &[(Promise, Looked)]) -> Json {
    let promises: Vec<Json> = looked
        .iter()
        .map(|(promise, looked)| match looked {
            Looked::Not(why) => json!({ "promise": promise.text(), "state": "not-checked", "why": why }),
            Looked::At(violations) => {
                let each = |violation: &Violation| {
                    let job = Some(violation.job).filter(|&job| job != Violation::NOBODY);
                    json!({ "job": job, "at": violation.at.as_secs_f64(), "what": violation.what })
                };
                let state = if violations.is_empty() { "kept" } else { "broken" };
                let violations: Vec<Json> = violations.iter().map(each).collect();
                json!({ "promise": promise.text(), "state": state, "violations": violations })
            }
        })
        .collect();
    json!({ "schema": SCHEMA, "promises": promises })
}

fn refused(directory: &Path, message: &str) -> Failure {
    let message = format!("the schedule in {} cannot be checked: {message}", directory.display());
    Failure::usage(Complaint::nowhere(code::MANIFEST, message))
}
