//! Input of the judge of the numbers of a run: its scenario, its files, and its jobs as they were
//! submitted.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::check::Judgement;
use crate::instrument::by_class::By;
use crate::judge::{
    ClassRule, GangRules, HeldForEver, JobFacts, JobFiles, LimitedQueues, Replayed, Reservations, Submitted,
    WarmUpRule, judge_jobs,
};
use crate::kernel::{SimDuration, SimTime};
use crate::output::NoRows;
use crate::scenario::RunDirectory;
use crate::system::description::Cluster;
use crate::system::judged_queues as queues;
use crate::system::workload_again::Reloaded;
use crate::text::TextSource;
use crate::text::csv::{Field, each_row};
use crate::units::{duration, share};
use crate::workload::{Attributes, Job};

/// A resolved scenario, asked by the paths of its keys.
struct Keys<'a>(&'a toml::Table);

impl<'a> Keys<'a> {
    fn at(&self, path: &[&str]) -> Option<&'a toml::Value> {
        let mut here = self.0.get(path[0])?;
        for key in &path[1..] {
            here = here.get(key)?;
        }
        Some(here)
    }

    fn text(&self, path: &[&str]) -> &'a str {
        self.at(path).and_then(toml::Value::as_str).unwrap_or_default()
    }

    fn is(&self, path: &[&str]) -> bool {
        self.at(path).and_then(toml::Value::as_bool) == Some(true)
    }

    fn span(&self, path: &[&str]) -> Option<SimDuration> {
        duration(self.text(path)).ok().map(SimDuration::from_nanos)
    }

    fn share(&self, path: &[&str]) -> Option<f64> {
        match self.at(path)? {
            toml::Value::Float(number) => Some(*number),
            toml::Value::Integer(number) => Some(*number as f64),
            toml::Value::String(text) => share(text).ok(),
            _ => None,
        }
    }

    /// Returns true if a reservation names jobs or users.
    fn names_jobs(&self) -> bool {
        let list = self.at(&["cluster", "reservation"]).and_then(toml::Value::as_array);
        let names = |one: &toml::Value| ["jobs", "users"].iter().any(|key| one.get(*key).is_some());
        list.is_some_and(|list| list.iter().any(names))
    }

    /// Names and amounts of pools, in order of their names.
    fn pools(&self) -> Option<Vec<(String, u32)>> {
        let table = self.at(&["cluster", "pools"]).and_then(toml::Value::as_table)?;
        let count = |count: &toml::Value| count.as_integer().and_then(|count| u32::try_from(count).ok());
        Some(table.iter().map(|(name, value)| (name.clone(), count(value).unwrap_or(0))).collect())
    }

    /// The rules of the matrix.
    fn gang(&self) -> Option<GangRules<'a>> {
        let of = |key| self.text(&["policy", key]);
        let quantum = self.span(&["policy", "quantum"])?;
        let switch = match self.share(&["policy", "switch-share"]) {
            Some(share) => SimDuration::from_nanos((quantum.as_nanos() as f64 * share).ceil() as u64),
            None => self.span(&["policy", "switch"])?,
        };
        let limits = queues::limits(self.0);
        Some(GangRules {
            quantum,
            switch,
            queue: self.text(&["policy", "queue", "kind"]),
            best: of("row") == "best",
            buddy: of("packing") == "buddy",
            replicas: self.is(&["policy", "replicas"]),
            unification: self.is(&["policy", "unification"]),
            keeps_empty: of("empty-rows") == "kept",
            backfills: of("backfill") == "easy",
            behind: self.text(&["cluster", "requeue-place"]) == "back",
            limited: limits.as_ref().is_some_and(LimitedQueues::hold),
            in_turns: limits.as_ref().is_some_and(LimitedQueues::in_turns),
            migration: (of("migration") == "compaction")
                .then(|| self.span(&["policy", "migration-cost"]))
                .flatten(),
        })
    }
}

/// Judges the numbers of a run.
///
/// # Errors
/// The first file that cannot be read, and where.
pub(super) fn judged(
    run: &RunDirectory<'_>,
    resolved: &toml::Table,
    workload: Result<&Reloaded, &'static str>,
    replayed: Option<&Replayed>,
    reserved: Option<&Reservations>,
) -> Result<Vec<(String, Judgement)>, String> {
    let read = |name: &str| {
        let text = run.has(name).then(|| run.text(name));
        text.transpose().map_err(|rejected| rejected.to_string())
    };
    let path = run.place.join("jobs.csv");
    let jobs = if run.has("jobs.csv") { run.source(&path) } else { TextSource::Text("") };
    let (attempts, outages) = (read("attempts.csv")?, read("outages.csv")?);
    let (reservations, log) = (read("reservations.csv")?, read("jobs.swf")?);
    let features = read("features.csv")?;
    let (executions, profile) = (read("executions.csv")?, read("profile.csv")?);
    let (usage, matrix) = (read("usage.csv")?, read("matrix.csv")?);
    let summary = run.json("summary.json").map_err(|rejected| rejected.to_string())?;
    let files = JobFiles {
        jobs,
        attempts: attempts.as_deref(),
        outages: outages.as_deref(),
        reservations: reservations.as_deref(),
        features: features.as_deref(),
        usage: usage.as_deref(),
        matrix: matrix.as_deref(),
        executions: executions.as_deref(),
        profile: profile.as_deref(),
        log: log.as_deref(),
        summary: &summary,
        manifest: run.manifest,
    };
    let head = Head::of(jobs)?;
    let facts = facts(run, &Keys(resolved), workload.ok(), reserved, head.molds);
    let of_tasks = facts.of_tasks;
    let moved: Option<Moved<'_>> =
        workload.ok().zip(replayed).map(|(all, replayed)| Moved::of(all, replayed));
    let submitted = workload.map(|all| match &moved {
        Some(moved) => moved.submitted(of_tasks, all),
        None => Submitted {
            jobs: &all.work.jobs,
            attributes: &all.work.attributes,
            planned: None,
            held: None,
            followers: None,
            for_ever: None,
        },
    });
    let mut judged = judge_jobs(&files, &facts, submitted).map_err(|why| match why {
        NoRows::Unreadable(why) => run.unreadable(&path, &why).to_string(),
        NoRows::Wrong(why) => why,
    })?;
    let described = workload.map(|all| described(&all.described, &run.manifest["workload"]));
    judged.push(("the manifest has the workload as it is read again".to_owned(), described));
    let own = head.added.into_iter();
    judged.extend(own.map(|name| (format!("the column `{name}` of jobs.csv"), Err(OF_FEATURES))));
    Ok(judged)
}

/// Reason that cells of features of another crate are not judged.
const OF_FEATURES: &str = "the feature alone says it";

/// Header of a `jobs.csv`.
#[derive(Default)]
struct Head {
    /// True if rows have the sizes that moldable jobs were given.
    molds: bool,
    /// Columns that features of another crate added.
    added: Vec<String>,
}

impl Head {
    fn of(jobs: TextSource<'_>) -> Result<Self, String> {
        let mut found = Head::default();
        let mut parts = jobs.parts().map_err(|why| why.to_string())?;
        let read = each_row(&mut parts, &mut |head| {
            let names = || head.cells().map(Field::text);
            found.molds = names().any(|name| name == "given_number_of_resources");
            found.added = names().filter(|name| name.contains('.')).map(Cow::into_owned).collect();
            Ok(false)
        });
        read.map(|()| found).map_err(|why| why.to_string())
    }
}

fn described(again: &Json, stated: &Json) -> Vec<crate::check::Violation> {
    let differs = |what: String| crate::check::Violation {
        job: crate::check::Violation::NO_JOB,
        at: SimTime::ZERO,
        what,
    };
    let members = again.as_object().into_iter().flatten();
    let other = members.filter(|(name, value)| stated[name] != **value);
    other
        .map(|(name, value)| differs(format!("{name} is {}, and {value} when read again", stated[name])))
        .collect()
}

/// Jobs that depend on others, as they were submitted.
struct Moved<'a> {
    jobs: Vec<Job>,
    attributes: Attributes,
    planned: Vec<SimTime>,
    held: Vec<(usize, SimTime)>,
    followers: Vec<usize>,
    for_ever: HeldForEver<'a>,
}

impl<'a> Moved<'a> {
    fn of(all: &Reloaded, replayed: &'a Replayed) -> Self {
        let ties = all.work.dependencies.as_deref();
        let ids: Vec<u32> = replayed.jobs.iter().map(|(id, _)| id.0).collect();
        let places = || replayed.jobs.iter().map(|(id, _)| *id).enumerate();
        Moved {
            jobs: replayed.jobs.iter().map(|(_, job)| *job).collect(),
            attributes: (*all.work.attributes).clone().gather(&ids),
            planned: places().map(|(_, id)| all.work.jobs[id.index()].submit_time).collect(),
            held: places().filter_map(|(place, id)| Some((place, *replayed.others_left.get(&id)?))).collect(),
            followers: places()
                .filter(|(_, id)| ties.is_some_and(|ties| ties.follows(*id)))
                .map(|(place, _)| place)
                .collect(),
            for_ever: HeldForEver { all: &replayed.held, never_submitted: &replayed.never_submitted },
        }
    }

    fn submitted(&self, of_tasks: bool, all: &Reloaded) -> Submitted<'_> {
        let follow = all
            .work
            .dependencies
            .as_deref()
            .is_some_and(crate::workload::dependency::Dependencies::has_think_times);
        Submitted {
            jobs: &self.jobs,
            attributes: &self.attributes,
            planned: Some(&self.planned),
            held: (!of_tasks).then_some(&self.held),
            followers: (follow && !of_tasks).then_some(&self.followers),
            for_ever: (!of_tasks).then_some(self.for_ever),
        }
    }
}

fn facts<'a>(
    run: &RunDirectory<'a>,
    keys: &Keys<'a>,
    workload: Option<&'a Reloaded>,
    reserved: Option<&'a Reservations>,
    molds: bool,
) -> JobFacts<'a> {
    let (scenario, manifest) = (run.scenario, run.manifest);
    let cluster = scenario.own::<Cluster>();
    let site = cluster.map(|cluster| cluster.site).unwrap_or_default();
    let policy = keys.text(&["policy", "kind"]);
    let of_tasks = keys.text(&["cluster", "detail"]) == "task";
    let level = match policy {
        "space-sharing" => 1,
        _ => cluster.map_or(1, |cluster| cluster.level),
    };
    let rules = cluster.and_then(|cluster| cluster.classes).map(|by| match by {
        By::Queue => ClassRule::Queue,
        By::Partition => ClassRule::Partition,
        By::User => ClassRule::User,
        By::Group => ClassRule::Group,
        By::Account => ClassRule::Account,
        By::Qos => ClassRule::Qos,
        By::Class => ClassRule::Class,
    });
    let nanos = |path: &[&str]| keys.span(path);
    let checkpoint = nanos(&["cluster", "failures", "checkpoint", "interval"]).zip(nanos(&[
        "cluster",
        "failures",
        "checkpoint",
        "cost",
    ]));
    let stays = policy == "gang" && keys.text(&["policy", "migration"]) != "compaction";
    JobFacts {
        workload: manifest["workload"]["name"].as_str().unwrap_or_default(),
        procs: manifest["processors"].as_u64().and_then(|procs| u32::try_from(procs).ok()).unwrap_or(0),
        level,
        shares: level > 1,
        stays,
        leaves: policy == "coscheduling",
        of_tasks,
        dedicates: of_tasks
            && keys.at(&["cluster", "dedicated"]).and_then(toml::Value::as_bool) != Some(false),
        grace: site.walltime.map(|walltime| walltime.grace),
        limit_of_job: keys.text(&["cluster", "limit-of"]) == "job",
        power: site.power.map(|draw| (draw.idle.milliwatts(), draw.busy.milliwatts())),
        fails_by: site.failures.map(|failures| failures.processors_per_node),
        checkpoint,
        inside: keys.names_jobs(),
        delay: site.requeue.delay,
        reserved: reserved.filter(|_| site.reserves),
        cancels: !of_tasks && workload.is_some_and(|all| all.work.cancellations.is_some()),
        holds_failed: keys.text(&["cluster", "on-failed-dependency"]) == "hold",
        requests: matches!(keys.text(&["policy", "estimates", "kind"]), "" | "requested"),
        molds,
        resources: workload.and_then(|all| all.resources.as_deref()),
        pools: keys.pools(),
        warm_up: match cluster {
            Some(cluster) if cluster.finds_warm_up => WarmUpRule::Found,
            Some(cluster) => WarmUpRule::Given(cluster.warm_up),
            None => WarmUpRule::Given(crate::kernel::stats::WarmUp::None),
        },
        until: scenario.until,
        stopped: manifest["stopped"] != false,
        classes: rules.filter(|_| !of_tasks),
        applications: workload.and_then(|all| all.applications.as_deref()),
        gang: keys.gang().filter(|_| policy == "gang" && !of_tasks),
        named: (&scenario.title, scenario.seed),
    }
}
