//! Judging a finished run: whether its schedule keeps what its policy promised, by code that shares
//! nothing with the policy.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::check::Judgement;
use crate::collections::{Interval, OrderedMap, OrderedSet};
use crate::judge::{
    DecisionRules, Facts, FeatureActs, Holding, Interruptions, Law, Moldable, NodeReservations, Parallelism,
    PoolSupply, Promise, Replayed, RequestedNodes, RequestedReservation, Reservations, ScheduledJobs,
    asks_beyond, dependencies_inside, judge as judge_promises, read,
};
use crate::kernel::{SimDuration, SimTime};
use crate::output::NoRows;
use crate::output::number::grouped;
use crate::registry::{Complaint, code};
use crate::scenario::{Checked, Rejected, RunDirectory};
use crate::system::judged_queues as queues;
use crate::system::numbers;
use crate::system::workload_again::{Reloaded, jobs};
use crate::units::{Calendar, Moment, duration, share};
use crate::workload::Job;
use crate::workload::resources::{NodeKind, Nodes};

/// Judges a run by its schedule, its scenario and the jobs of its workload.
pub(super) fn judge(run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
    let cannot = |message: &str| refused(run, message);
    let path = run.place.join("jobs.csv");
    let schedule = read(run.source(&path)).map_err(|why| match why {
        NoRows::Unreadable(why) => run.unreadable(&path, &why),
        NoRows::Wrong(message) => cannot(&message),
    })?;
    let (failing, reserved, acts) = (failing(run)?, reserved(run)?, acts(run)?);
    let resolved = run.scenario.resolved().parse().map_err(|_| cannot("its scenario is no TOML"))?;
    let workload = jobs(run);
    if let Err(why) = &workload {
        (run.note)(&format!("the jobs of the workload are not judged at: {why}"));
    }
    let workload = workload.as_ref().map_err(|_| "the workload cannot be read as it was");
    let [ran, refused] = [schedule.ran.len(), schedule.refused.len()].map(|count| grouped(count as u64));
    let depending = workload.ok().filter(|all| all.work.dependencies.is_some());
    let reserved = reserved.map(|known| with_requests(known, run, &schedule, &resolved, workload));
    let replayed = depending.map(|all| {
        let of = |job: &Job| reservations_of(&resolved).into_iter().find_map(|one| one.of(job));
        let none = FeatureActs::default();
        let acts = acts.as_ref().unwrap_or(&none);
        let inside = |job: &Job, from| Some(reserved.as_ref()?.refused_at(of(job)?, job, from));
        let refused = |job: &Job, from| {
            Some(acts.refused_at((job.number, job.submit_time), from, |from| inside(job, from)))
        };
        let rows = &mut schedule.clone().as_requested();
        let holds = resolved.get("cluster").and_then(|cluster| cluster.get("on-failed-dependency"));
        let holds = holds.and_then(toml::Value::as_str) == Some("hold");
        dependencies_inside(rows, &all.work, (processors(run.manifest), holds), &refused)
    });
    let reserved = reserved.map(|known| {
        let known = with_jobs_inside(known, &resolved, workload, replayed.as_ref());
        known.planned(&schedule, failing.as_ref())
    });
    // the rows of the schedule are gone before the tables are read again for their numbers
    let files = RunFiles { schedule, failing, reserved, acts, manifest: run.manifest };
    let (promises, reserved) = look_at(files, &resolved, workload);
    let numbers = numbers::judged(run, &resolved, workload, replayed.as_ref(), reserved.as_ref())
        .map_err(|message| cannot(&message))?;
    let promises = promises.into_iter().map(|(promise, judged)| (promise.about().to_owned(), judged));
    Ok(Checked {
        about: format!("{ran} jobs ran, {refused} were refused"),
        promises: promises.chain(numbers).collect(),
    })
}

/// Rejection of a run whose schedule cannot be judged.
#[expect(
    clippy::unnecessary_box_returns,
    reason = "the error of every step, boxed because it carries the texts"
)]
fn refused(run: &RunDirectory<'_>, why: &str) -> Box<Rejected> {
    let message = format!("the schedule in {} cannot be checked: {why}", run.place.display());
    run.reject(Complaint::nowhere(code::MANIFEST, message))
}

/// Contents of the files of a run.
struct RunFiles<'a> {
    schedule: ScheduledJobs,
    /// Outcome of nodes that fail, if they do.
    failing: Option<Interruptions>,
    /// Outcome of reservations of processors, if there are any.
    reserved: Option<Reservations>,
    /// Acts of features of another crate, if there are any.
    acts: Option<FeatureActs>,
    manifest: &'a Json,
}

/// Outcome of nodes that fail, if the run has it.
fn failing(run: &RunDirectory<'_>) -> Result<Option<Interruptions>, Box<Rejected>> {
    if !run.has("outages.csv") {
        return Ok(None);
    }
    let (attempts, outages) = (run.text("attempts.csv")?, run.text("outages.csv")?);
    Interruptions::read(&attempts, &outages).map(Some).map_err(|message| refused(run, &message))
}

/// Outcome of reservations of processors, if the run has it.
fn reserved(run: &RunDirectory<'_>) -> Result<Option<Reservations>, Box<Rejected>> {
    if !run.has("reservations.csv") {
        return Ok(None);
    }
    let (attempts, reservations) = (run.text("attempts.csv")?, run.text("reservations.csv")?);
    Reservations::read(&attempts, &reservations).map(Some).map_err(|message| refused(run, &message))
}

/// Acts of features of another crate, if the run has any.
fn acts(run: &RunDirectory<'_>) -> Result<Option<FeatureActs>, Box<Rejected>> {
    if !run.has("features.csv") {
        return Ok(None);
    }
    FeatureActs::read(&run.text("features.csv")?).map(Some).map_err(|message| refused(run, &message))
}

/// The date of time 0 as the manifest has it, to the second.
fn dated(manifest: &Json) -> Option<Calendar> {
    let start = i128::from(manifest["workload"]["unix-time-of-0"].as_i64()?) * 1_000_000_000;
    Some(Calendar { start, offset: manifest["workload"]["utc-offset"].as_i64() })
}

/// The tables of reservations in a resolved scenario, with their numbers.
fn tables(resolved: &toml::Table) -> impl Iterator<Item = (u32, &toml::Value)> {
    let list = resolved.get("cluster").and_then(|cluster| cluster.get("reservation"));
    (1..).zip(list.and_then(toml::Value::as_array).into_iter().flatten())
}

/// The nodes that reservations ask for, where jobs ask for more than processors.
fn nodes_asked(resolved: &toml::Table, workload: &Reloaded) -> Option<NodeReservations> {
    let site = workload.resources.as_ref()?;
    let demands = workload.work.jobs.iter().map(|job| job.demand).collect();
    let all = tables(resolved).map(|(number, table)| (number, of_table(table, &site.nodes))).collect();
    Some(NodeReservations::new(Arc::clone(site), all, demands))
}

/// The nodes that one table asks for.
fn of_table(table: &toml::Value, nodes: &Nodes) -> RequestedNodes {
    let texts = |key: &str| {
        let list = table.get(key).and_then(toml::Value::as_array);
        list.map(|list| list.iter().filter_map(toml::Value::as_str).collect::<Vec<&str>>())
    };
    if let Some(named) = texts("nodes") {
        let parts = named.into_iter().filter_map(Interval::parse);
        let mut among: Vec<u32> = parts.flat_map(|part| part.first..=part.last).collect();
        among.sort_unstable();
        return RequestedNodes { among, count: None };
    }
    let features = texts("features").unwrap_or_default();
    let has = |kind: &NodeKind| {
        let feature = |name: &&str| nodes.features().find(name);
        features.iter().filter_map(feature).all(|feature| nodes.features().cover(kind.features, feature))
    };
    let among = (0..).zip(nodes.each()).filter(|(_, kind)| has(kind)).map(|(node, _)| node).collect();
    let count = table.get("nodes").and_then(toml::Value::as_integer);
    RequestedNodes { among, count: count.and_then(|count| u32::try_from(count).ok()) }
}

/// The reservations that a resolved scenario asks for, on so many processors or these nodes: each
/// as often as it begins before `over`.
fn asked(
    resolved: &toml::Table,
    (procs, nodes): (u32, Option<&NodeReservations>),
    calendar: Option<Calendar>,
    over: SimTime,
) -> Vec<RequestedReservation> {
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
        let shrinks = table.get("on-failure").and_then(toml::Value::as_str) == Some("shrink")
            || nodes.is_some_and(|nodes| nodes.is_named(number));
        let procs = nodes.map_or_else(|| count("processors").unwrap_or(procs), |nodes| nodes.procs(number));
        let begins = (1..=times).map(move |time| {
            (time, at.saturating_add(every.unwrap_or(0).saturating_mul(u64::from(time - 1))))
        });
        let begins = begins.take_while(move |&(_, from)| SimTime::from_nanos(from) < over);
        begins
            .map(move |(time, from)| RequestedReservation {
                which: (number, time),
                from: SimTime::from_nanos(from),
                to: SimTime::from_nanos(from.saturating_add(lasts)),
                known: SimTime::from_nanos(notice.map_or(0, |notice| from.saturating_sub(notice))),
                procs,
                interrupts,
                shrinks,
            })
            .collect::<Vec<_>>()
    };
    tables(resolved).flat_map(one).collect()
}

/// The amounts of pools that reservations of a resolved scenario hold, by their numbers.
fn amounts_reserved(resolved: &toml::Table) -> OrderedMap<u32, Vec<(String, u32)>> {
    let amount = |(name, amount): (&String, &toml::Value)| {
        Some((name.clone(), u32::try_from(amount.as_integer()?).ok()?))
    };
    let share = |(number, table): (u32, &toml::Value)| {
        let pools = table.get("pools").and_then(toml::Value::as_table)?;
        Some((number, pools.iter().filter_map(amount).collect()))
    };
    tables(resolved).filter_map(share).collect()
}

/// The jobs of a workload that a resolved scenario lets run inside reservations, and the number of
/// each one's; `None` if that is not known.
fn inside(
    resolved: &toml::Table,
    workload: Result<&Reloaded, &'static str>,
    replayed: Option<&Replayed>,
) -> Option<OrderedMap<(u64, SimTime), u32>> {
    let all = reservations_of(resolved);
    if all.is_empty() {
        return Some(OrderedMap::new());
    }
    let jobs: Vec<&Job> = match replayed {
        // submitted when they were
        Some(replayed) => replayed.jobs.iter().map(|(_, job)| job).collect(),
        None => workload.ok()?.work.jobs.iter().collect(),
    };
    let number = |job: &Job| Some(((job.number, job.submit_time), all.iter().find_map(|one| one.of(job))?));
    Some(jobs.into_iter().filter_map(number).collect())
}

/// A reservation that names jobs or users.
struct NamingReservation {
    number: u32,
    jobs: OrderedSet<u64>,
    users: OrderedSet<u64>,
}

impl NamingReservation {
    /// Number of the reservation inside which a job is to run.
    fn of(&self, job: &Job) -> Option<u32> {
        let own = self.jobs.contains(&job.number) || self.users.contains(&u64::from(job.user));
        own.then_some(self.number)
    }
}

/// The reservations of a resolved scenario that name jobs or users.
fn reservations_of(resolved: &toml::Table) -> Vec<NamingReservation> {
    let one = |(number, table): (u32, &toml::Value)| {
        let all = |key: &str| {
            let list = table.get(key).and_then(toml::Value::as_array).into_iter().flatten();
            list.filter_map(toml::Value::as_integer).map(i64::cast_unsigned).collect::<OrderedSet<u64>>()
        };
        NamingReservation { number, jobs: all("jobs"), users: all("users") }
    };
    tables(resolved).map(one).filter(|one| !(one.jobs.is_empty() && one.users.is_empty())).collect()
}

/// The processors of the machine.
fn processors(manifest: &Json) -> u32 {
    manifest["processors"].as_u64().and_then(|procs| u32::try_from(procs).ok()).unwrap_or(0)
}

/// The reservations of a run with what was asked for.
fn with_requests(
    known: Reservations,
    run: &RunDirectory<'_>,
    schedule: &ScheduledJobs,
    resolved: &toml::Table,
    workload: Result<&Reloaded, &'static str>,
) -> Reservations {
    let over = schedule.ran.iter().map(|row| row.end).max().unwrap_or_default();
    // a waiting job may be in the way of a reservation that would have come later
    let longest = schedule.ran.iter().map(|row| row.estimate).max().unwrap_or_default();
    let mut over = over.saturating_add(longest);
    if !(schedule.refused.is_empty() && schedule.cancelled.is_empty() && known.attempts.is_empty()) {
        // the run may have gone on for jobs that did not run in the end
        over = run.scenario.until.unwrap_or(SimTime::MAX);
    }
    let calendar = workload.ok().and_then(|workload| workload.calendar).or_else(|| dated(run.manifest));
    let nodes = workload.ok().and_then(|workload| nodes_asked(resolved, workload));
    let site = (processors(run.manifest), nodes.as_ref());
    let amounts = amounts_reserved(resolved);
    let (named, mut beyond_share) = (reservations_of(resolved), OrderedSet::new());
    if let Ok(Reloaded { work, .. }) = workload {
        for (place, job) in work.jobs.iter().enumerate() {
            let number = named.iter().find_map(|one| one.of(job));
            let share = number.map(|number| amounts.get(&number).map_or(&[][..], Vec::as_slice));
            if let Some((text, share)) = work.attributes.of(place).pools.zip(share)
                && asks_beyond(text, share)
            {
                beyond_share.insert(job.number);
            }
        }
    }
    let requested = asked(resolved, site, calendar, over);
    Reservations { requested, nodes, amounts, beyond_share, ..known }
}

/// The same with the jobs that are to run inside them.
fn with_jobs_inside(
    known: Reservations,
    resolved: &toml::Table,
    workload: Result<&Reloaded, &'static str>,
    replayed: Option<&Replayed>,
) -> Reservations {
    let inside = inside(resolved, workload, replayed);
    Reservations { jobs_unknown: inside.is_none(), inside: inside.unwrap_or_default(), ..known }
}

fn look_at(
    RunFiles { schedule, failing, reserved, acts, manifest }: RunFiles<'_>,
    resolved: &toml::Table,
    workload: Result<&Reloaded, &'static str>,
) -> (Vec<(Promise, Judgement)>, Option<Reservations>) {
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
    let decides = DecisionRules {
        when: name(&["policy", "decide"]),
        estimates: name(&["policy", "estimates", "kind"]),
        corrects: at(&["policy", "estimates", "correct"]).and_then(toml::Value::as_bool) == Some(true),
        reservations: whole(at(&["policy", "backfill", "reservations"]).and_then(toml::Value::as_integer))
            .map_or(1, |count| count as usize),
        molding: name(&["policy", "molding", "kind"]),
        order: option("order"),
        extra: option("extra"),
        judged_by: option("judged-by"),
        reservation: option("head-reservation"),
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
    let delay = nanos(&["cluster", "requeue-delay"]).unwrap_or_default();
    let behind = name(&["cluster", "requeue-place"]) == "back";
    let checkpoint = interval.zip(cost);
    let failing = failing.map(|known| {
        let acts = acts.clone().unwrap_or_default();
        Interruptions { checkpoint, delay, behind, acts, ..known }
    });
    let reserved = reserved.map(|known| Reservations { delay, behind, ..known });
    let moldable = at(&["workload", "moldable"]).and_then(toml::Value::as_table);
    let molds = !matches!(name(&["policy", "molding", "kind"]), "" | "as-requested");
    let keeps_sizes = name(&["cluster", "requeue-size"]) == "kept";
    let moldable = moldable.filter(|_| molds).map(rules_of_sizes);
    let moldable = moldable.map(|rules| Moldable { keeps_sizes, ..rules });
    let procs = processors(manifest);
    let (limits, priority) = (queues::limits(resolved), queues::priority(at(&["policy", "queue"])));
    let own_nodes = queues::own_nodes(resolved, workload.ok().map(|workload| &workload.work.jobs[..]));
    let pools = at(&["cluster", "pools"]).and_then(toml::Value::as_table).map(|table| {
        let counts =
            table.iter().map(|(name, count)| (name.as_str(), whole(count.as_integer()).unwrap_or(0)));
        let supply = PoolSupply::new(counts, &schedule.pools);
        match &reserved {
            Some(known) => supply.reserving(&known.requested, &known.amounts),
            None => supply,
        }
    });
    let facts = Facts {
        policy,
        queue: name(&["policy", "queue", "kind"]),
        backfill: name(&["policy", "backfill", "kind"]),
        decides,
        procs,
        holding,
        grace,
        limit_of_job: name(&["cluster", "limit-of"]) == "job",
        rigid: !of_tasks && policy == "space-sharing",
        priority: priority.as_ref(),
        limits: limits.as_ref(),
        own_nodes: own_nodes.as_ref(),
        resources: workload.ok().and_then(|workload| workload.resources.as_deref()),
        pools: pools.as_ref(),
        depends: at(&["workload", "dependencies"]).is_some()
            || !["", "ignored"].contains(&name(&["workload", "preceding"])),
        holds_failed: name(&["cluster", "on-failed-dependency"]) == "hold",
        cancellation: at(&["workload", "patience"]).is_some()
            || name(&["workload", "cancelled"]) == "replayed",
        failing: failing.as_ref(),
        moldable: moldable.as_ref(),
        reserved: reserved.as_ref(),
        acts: acts.as_ref(),
        stopped: manifest["stopped"] != false,
    };
    judge_promises(schedule, &facts, workload.map(|workload| &workload.work))
}

/// Sizes that a scenario lets jobs have.
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
        keeps_sizes: false,
    }
}
