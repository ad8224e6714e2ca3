//! The policy of a site, from its `slurm.conf` and tables of `sacctmgr`, as tables of a scenario.
//!
//! A parameter of the policy language is written as its key. Every other key that changes
//! schedules is a comment at the part of the policy that it is about, with its value, so that a
//! reader sees what the model lacks. Queues go by the numbers that the dump gives to partitions and
//! qualities of service; those that no job of the dump is in are comments too.

use std::path::Path;

use crate::collections::OrderedMap;
use crate::convert_args::{Convert, Count, ResourcesOf};
use crate::failure::Failure;
use crate::import::slurm::{
    self, ConfTime, Group, Partition, PolicyPart, Site, SiteAmounts, SiteQos, SiteShares,
};
use crate::registry::{Problem, toml_text};
use crate::workload::swf::Log;
use crate::written::{open, printable};

/// Words behind a key that the model lacks.
const LACKING: &str = "not represented yet";

/// Tables and comments of a scenario.
#[derive(Debug, Default)]
pub(super) struct SitePolicy {
    /// Comments on the machine.
    pub(super) machine: String,
    /// Keys of the workload.
    pub(super) workload: String,
    /// Tables of the policy.
    pub(super) policy: String,
    /// Number of keys and limits that are not represented.
    pub(super) lacking: u64,
}

/// Tables of `sacctmgr`.
#[derive(Debug)]
pub(super) struct Accounting {
    qos: Vec<SiteQos>,
    shares: Option<SiteShares>,
    resources: [Option<&'static str>; 3],
}

impl Accounting {
    /// These tables and the configuration of the site.
    pub(super) fn stated<'a>(&'a self, site: &'a Site) -> SiteStatements<'a> {
        SiteStatements { site, qos: &self.qos, shares: self.shares.as_ref(), resources: self.resources }
    }
}

/// Reads the tables of `sacctmgr` that are named.
pub(super) fn accounting(args: &Convert, site: &Site) -> Result<Accounting, Failure> {
    let resources = limited(args, site);
    let wrong = |path: &Path| {
        let name = path.display().to_string();
        move |problem: Problem| Failure::usage(problem.complaint(&name, None))
    };
    let qos = match &args.qos {
        Some(path) => slurm::read_qos(open(path)?, resources).map_err(wrong(path))?,
        None => Vec::new(),
    };
    let shares = match &args.shares {
        Some(path) => Some(slurm::read_shares(open(path)?, site.name.as_deref()).map_err(wrong(path))?),
        None => None,
    };
    Ok(Accounting { qos, shares, resources })
}

/// Names of the resources that queues limit: the one of which jobs take the machine, nodes beside
/// it where jobs are on nodes, and GPUs where all are whole ones, as those that Slurm counts.
fn limited(args: &Convert, site: &Site) -> [Option<&'static str>; 3] {
    if args.count == Some(Count::Nodes) {
        return [Some("node"), None, None];
    }
    let on_nodes = args.resources == Some(ResourcesOf::Allocated);
    let mut listed = site.groups.iter().filter_map(Group::listed_gpus).flatten();
    let whole = site.groups.iter().any(|group| group.gpus() > 0)
        && listed.all(|one| one.parts == 1 && !one.is_instance);
    [Some("cpu"), on_nodes.then_some("node"), (on_nodes && whole).then_some("gres/gpu")]
}

/// Statements of a site on its scheduler.
#[derive(Clone, Copy, Debug)]
pub(super) struct SiteStatements<'a> {
    site: &'a Site,
    qos: &'a [SiteQos],
    shares: Option<&'a SiteShares>,
    resources: [Option<&'static str>; 3],
}

/// Minutes as a duration of a scenario.
fn duration(minutes: u64) -> String {
    match minutes {
        0 => "0s".to_owned(),
        days if days.is_multiple_of(1440) => format!("{}d", days / 1440),
        hours if hours.is_multiple_of(60) => format!("{}h", hours / 60),
        _ => format!("{minutes}min"),
    }
}

/// A number with six digits that count.
fn rounded(number: f64) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(number)
}

/// A weight for priorities of which the highest is `share` of the highest that the site has.
fn scaled(weight: u32, share: f64) -> f64 {
    let weight = f64::from(weight);
    if share < 1.0 { rounded(weight * share) } else { weight }
}

/// Numbers that a log gives to names: from 1 in their order.
fn numbers(names: &[String]) -> OrderedMap<&str, u32> {
    names.iter().map(String::as_str).zip(1..).collect()
}

/// Queues that are written, and their keys.
#[derive(Debug, Default)]
struct Tables {
    text: String,
    /// Ratio of the highest priority that is written to the highest of all.
    share: f64,
    limits_time: bool,
}

impl SitePolicy {
    fn lacks(&mut self, prefix: &str, key: &str, value: &str) -> String {
        self.lacking += 1;
        format!("# {}{}={}: {LACKING}\n", printable(prefix), printable(key), printable(value))
    }

    /// Comments on keys of the whole site that are about a part of the policy.
    fn lost(&mut self, site: &Site, part: PolicyPart) -> String {
        let mut text = String::new();
        for lost in site.scheduler.lost.iter().filter(|lost| lost.part == part) {
            if lost.key.eq_ignore_ascii_case("SchedulerParameters") {
                for option in lost.value.split(',').filter(|option| !option.is_empty()) {
                    text += &self.lacks("", &lost.key, option.trim());
                }
            } else {
                text += &self.lacks("", &lost.key, &lost.value);
            }
        }
        text
    }

    /// The policy of a site for the jobs of its dump.
    pub(super) fn new(stated: SiteStatements<'_>, log: &Log) -> Self {
        let mut all = SitePolicy::default();
        let site = stated.site;
        all.machine = all.lost(site, PolicyPart::Machine);
        for ((key, value), nodes) in &site.lost_of_nodes.0 {
            let more =
                if nodes.len() > 1 { format!(" and {} more lines", nodes.len() - 1) } else { String::new() };
            let line = all.lacks(&format!("NodeName={}{more}: ", nodes[0]), key, value);
            all.machine += &line;
        }
        let partitions = all.partitions(stated, &numbers(&log.names.partitions));
        let qualities = all.qualities(stated, &numbers(&log.names.queues));
        let order = all.order(stated, log, [partitions.share, qualities.share]);
        if partitions.limits_time || qualities.limits_time {
            all.workload.push_str(
                "# limits are about the time that was asked for, even if a job ran longer\nestimate-floor = \"none\"\n",
            );
        }
        let tables = partitions.text + &qualities.text;
        let overtakes = all.overtakes(site);
        let plain = order.is_none() && overtakes.0 == "easy" && !tables.contains("[[policy.queues]]");
        let name = site.name.as_deref().unwrap_or("the site");
        let mut text = format!(
            "# The scheduler of {}, as far as it is represented: a comment that ends in \"{LACKING}\"\n\
             # has a key that changes schedules there, and none here.\n",
            printable(name)
        );
        text += &format!("kind = \"{}\"\n", if plain { "easy" } else { "space-sharing" });
        text += &all.lost(site, PolicyPart::Policy);
        if !plain {
            text += &format!("backfill = \"{}\"\n", overtakes.0);
        }
        text += &overtakes.1;
        text += &all.lost(site, PolicyPart::Backfill);
        match order {
            Some(order) => text += &order,
            None => text += &all.lost(site, PolicyPart::Order),
        }
        text += &tables;
        all.policy = text;
        all
    }

    /// The rule of backfilling, and a comment on it.
    fn overtakes(&mut self, site: &Site) -> (&'static str, String) {
        match site.scheduler.scheduler_type.as_deref() {
            None => ("easy", String::new()),
            Some(kind) if kind.eq_ignore_ascii_case("sched/backfill") => (
                "easy",
                "# sched/backfill promises a start to many jobs, EASY to the first alone\n".to_owned(),
            ),
            Some(kind) if kind.eq_ignore_ascii_case("sched/builtin") => ("none", String::new()),
            Some(kind) => ("easy", self.lacks("", "SchedulerType", kind)),
        }
    }

    /// The order of the queue, if it is not that of submission.
    fn order(&mut self, stated: SiteStatements<'_>, log: &Log, shares: [f64; 2]) -> Option<String> {
        let scheduler = &stated.site.scheduler;
        let weights = scheduler.weights;
        let known = ["priority/basic", "priority/multifactor"];
        let kind = scheduler.priority_type.as_deref();
        let other = kind.filter(|kind| !known.iter().any(|known| kind.eq_ignore_ascii_case(known)));
        let is_basic = kind.is_some_and(|kind| kind.eq_ignore_ascii_case(known[0])) || other.is_some();
        let all = [weights.age, weights.size, weights.fairshare, weights.partition, weights.qos];
        if is_basic || all.iter().all(|&weight| weight == 0) {
            return other
                .map(|kind| self.lacks("", "PriorityType", kind))
                .map(|text| text + &self.lost(stated.site, PolicyPart::Order));
        }
        let mut text = "\n[policy.queue]\nkind = \"priority\"\n".to_owned();
        let size = if scheduler.favor_small { -f64::from(weights.size) } else { f64::from(weights.size) };
        text += &format!("age = {}\n", weights.age);
        for (key, weight) in [
            ("size", size),
            ("fairshare", f64::from(weights.fairshare)),
            ("partition", scaled(weights.partition, shares[0])),
            ("qos", scaled(weights.qos, shares[1])),
        ] {
            if weight.abs() > 0.0 {
                text += &format!("{key} = {weight}\n");
            }
        }
        if weights.qos > 0 && stated.qos.is_empty() {
            text += &self.lacks(
                "",
                "PriorityWeightQOS",
                &format!("{} (name the priorities by --qos)", weights.qos),
            );
        }
        match scheduler.max_age {
            None => {}
            // it is the largest number of seconds that Slurm has
            Some(ConfTime::Unlimited) => text += "max-age = \"49710d\"\n",
            Some(ConfTime::Minutes(0)) => text += "max-age = \"1us\"\n",
            Some(ConfTime::Minutes(minutes)) => text += &format!("max-age = \"{}\"\n", duration(minutes)),
        }
        match scheduler.half_life {
            None => {}
            Some(ConfTime::Unlimited | ConfTime::Minutes(0)) => {
                text += "# usage never fades\nhalf-life = \"36500d\"\n";
            }
            Some(ConfTime::Minutes(minutes)) => text += &format!("half-life = \"{}\"\n", duration(minutes)),
        }
        if let Some(ConfTime::Minutes(minutes)) = scheduler.calc_period {
            text += &format!("interval = \"{}\"\n", duration(minutes));
        }
        if weights.fairshare > 0 {
            text += &self.fair_share(stated, log);
        }
        for flag in scheduler.flags.iter().filter(|flag| !flag.eq_ignore_ascii_case("NO_FAIR_TREE")) {
            text += &self.lacks("", "PriorityFlags", flag);
        }
        text += &self.lost(stated.site, PolicyPart::Order);
        Some(text)
    }

    /// Shares of the accounts of the dump's jobs.
    fn fair_share(&mut self, stated: SiteStatements<'_>, log: &Log) -> String {
        let mut text = String::new();
        let flags = &stated.site.scheduler.flags;
        let of_users = !log.names.users.is_empty();
        let of_accounts = log.names.groups_are_accounts && !log.names.groups.is_empty();
        if !flags.iter().any(|flag| flag.eq_ignore_ascii_case("NO_FAIR_TREE")) {
            text +=
                &self.lacks("", "fair tree", "the classic formula stands for it, with shares of one level");
        } else if of_users || stated.shares.is_none_or(|shares| shares.nested) {
            text += &self.lacks("", "fair share", "of one level, without the usage of accounts above");
        }
        if !of_users && of_accounts {
            text += "accounts = \"group\"\n";
        }
        let Some(shares) = stated.shares else {
            text += "# every account has the same share: name those of the site by --shares\n";
            return text;
        };
        let (names, targets) = match (of_users, of_accounts) {
            (true, _) => (&log.names.users, &shares.users),
            (false, true) => (&log.names.groups, &shares.accounts),
            (false, false) => {
                text += "# the dump has neither users nor accounts, which shares are about\n";
                return text;
            }
        };
        // those without a share have 1: the mean of all
        let mean = targets.values().sum::<f64>() / targets.len().max(1) as f64;
        let share = |(name, number): (&String, u32)| {
            let target = targets.get(name)?;
            Some(format!("\"{number}\" = {}", rounded(target / mean)))
        };
        let found: Vec<String> = names.iter().zip(1..).filter_map(share).collect();
        let unknown = names.len() - found.len();
        if mean > 0.0 && !found.is_empty() {
            text += "# share of the whole machine, down from the root; 1 is the mean\n";
            text += &format!("shares = {{ {} }}\n", found.join(", "));
        }
        if unknown > 0 {
            text += &format!("# {unknown} of the dump are in no line of --shares, and have a share of 1\n");
        }
        if !shares.nested {
            text += "# every account stands directly below the root: no column says which is below which\n";
        }
        if shares.of_parents > 0 {
            text += &self.lacks("", "Share", &format!("parent, of {} accounts and users", shares.of_parents));
        }
        for (limit, count) in &shares.lost {
            text += &self.lacks("", limit, &format!("a limit of {count} accounts and users"));
        }
        text
    }

    /// Tables of partitions.
    fn partitions(&mut self, stated: SiteStatements<'_>, numbers: &OrderedMap<&str, u32>) -> Tables {
        let SiteStatements { site, qos, resources, .. } = stated;
        let is_weighed = site.scheduler.weights.partition > 0;
        let priority = |partition: &Partition| u64::from(partition.priority.unwrap_or(1));
        let used = |partition: &&Partition| numbers.contains_key(partition.name.as_str());
        let mut tables = Tables {
            share: ratio(
                site.partitions.iter().filter(used).map(priority),
                site.partitions.iter().map(priority),
            ),
            ..Tables::default()
        };
        for partition in &site.partitions {
            let Some(&number) = numbers.get(partition.name.as_str()) else {
                tables.without_jobs("Partition", &partition.name);
                continue;
            };
            let mut keys = String::new();
            let mut lost = String::new();
            let mut limits = SiteQos {
                most_minutes: partition.most_time.map(|millis| millis / 60_000).filter(|&most| most > 0),
                ..SiteQos::default()
            };
            if partition.most_time == Some(0) {
                lost += &self.lacks("", "MaxTime", "0");
            }
            if is_weighed {
                keys += &format!("priority = {}\n", priority(partition));
            }
            let of_nodes = resources.iter().position(|name| *name == Some("node"));
            match (partition.most_nodes, of_nodes) {
                (Some(most @ 1..), Some(place)) => limits.most_of_job[place] = Some(most.into()),
                (Some(most), _) => lost += &self.lacks("", "MaxNodes", &most.to_string()),
                (None, _) => {}
            }
            if let Some(name) = &partition.qos {
                let known = qos.iter().find(|one| one.name == *name);
                let alone =
                    site.partitions.iter().filter(|other| other.qos.as_ref() == Some(name)).count() == 1;
                match known {
                    Some(known) if alone => {
                        lost += &format!("# with the limits of its QOS={}\n", printable(name));
                        limits = both(&limits, known);
                        for (key, value) in &known.lost {
                            lost += &self.lacks("", key, value);
                        }
                    }
                    Some(_) => {
                        lost += &self.lacks("", "QOS", &format!("{name} (shared with other partitions)"));
                    }
                    None => lost += &self.lacks("", "QOS", &format!("{name} (name its limits by --qos)")),
                }
            }
            for (key, value) in &partition.lost {
                lost += &self.lacks("", key, value);
            }
            keys += &of_limits(&limits);
            tables.put(("Partition", &partition.name, "partition"), number, &keys, &lost);
        }
        tables
    }

    /// Tables of qualities of service.
    fn qualities(&mut self, stated: SiteStatements<'_>, numbers: &OrderedMap<&str, u32>) -> Tables {
        let SiteStatements { site, qos, .. } = stated;
        let used = |one: &&SiteQos| numbers.contains_key(one.name.as_str());
        let mut tables = Tables {
            share: ratio(qos.iter().filter(used).map(|one| one.priority), qos.iter().map(|one| one.priority)),
            ..Tables::default()
        };
        for one in qos {
            let Some(&number) = numbers.get(one.name.as_str()) else {
                // those of partitions are in their tables
                if site.partitions.iter().all(|partition| partition.qos.as_ref() != Some(&one.name)) {
                    tables.without_jobs("QOS", &one.name);
                }
                continue;
            };
            let mut keys = String::new();
            if one.priority > 0 && site.scheduler.weights.qos > 0 {
                keys += &format!("priority = {}\n", one.priority);
            }
            keys += &of_limits(one);
            let lost: Vec<String> = one.lost.iter().map(|(key, value)| self.lacks("", key, value)).collect();
            tables.put(("QOS", &one.name, "qos"), number, &keys, &lost.concat());
        }
        tables
    }
}

impl Tables {
    /// Says that a queue is left out.
    fn without_jobs(&mut self, word: &str, name: &str) {
        self.text += &format!("\n# {word} {}: no job of the dump is in it\n", printable(name));
    }

    /// Writes a queue, or comments if it has no keys.
    fn put(&mut self, (word, name, of): (&str, &str, &str), number: u32, keys: &str, lost: &str) {
        let name = printable(name);
        if keys.is_empty() {
            if !lost.is_empty() {
                self.text += &format!("\n# {word} {name}:\n{lost}");
            }
            return;
        }
        self.limits_time |= keys.contains("max-run-time");
        self.text += &format!(
            "\n[[policy.queues]]\nname = {}\nof = \"{of}\"\nnumbers = [{number}]\n{keys}{lost}",
            toml_text(&name)
        );
    }
}

/// Ratio of the highest of some numbers to the highest of all, 1 if there is none.
fn ratio(some: impl Iterator<Item = u64>, all: impl Iterator<Item = u64>) -> f64 {
    match (some.max(), all.max()) {
        (Some(some), Some(all)) if all > 0 => some as f64 / all as f64,
        _ => 1.0,
    }
}

/// The stricter ones of two sets of limits.
fn both(one: &SiteQos, other: &SiteQos) -> SiteQos {
    let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
    let least_of =
        |one: SiteAmounts, other: SiteAmounts| std::array::from_fn(|place| least(one[place], other[place]));
    SiteQos {
        most_minutes: least(one.most_minutes, other.most_minutes),
        most_of_job: least_of(one.most_of_job, other.most_of_job),
        most_running: least(one.most_running, other.most_running),
        most_of_running: least_of(one.most_of_running, other.most_of_running),
        most_running_of_user: least(one.most_running_of_user, other.most_running_of_user),
        most_of_user: least_of(one.most_of_user, other.most_of_user),
        ..SiteQos::default()
    }
}

/// Limits as keys of a queue.
fn of_limits(limits: &SiteQos) -> String {
    let mut text = limits
        .most_minutes
        .map(|minutes| format!("max-run-time = \"{}\"\n", duration(minutes)))
        .unwrap_or_default();
    let mut put = |key: &str, most: Option<u64>| {
        text += &most.map(|most| format!("{key} = {most}\n")).unwrap_or_default();
    };
    let amounts = ["procs", "nodes", "gpus"];
    amounts.iter().zip(limits.most_of_job).for_each(|(name, most)| put(&format!("max-{name}"), most));
    put("max-running", limits.most_running);
    for (name, most) in amounts.iter().zip(limits.most_of_running) {
        put(&format!("max-running-{name}"), most);
    }
    put("max-running-per-user", limits.most_running_of_user);
    for (name, most) in amounts.iter().zip(limits.most_of_user) {
        put(&format!("max-running-{name}-per-user"), most);
    }
    if limits.most_of_running[1].or(limits.most_of_user[1]).is_some() {
        text += "# a node that its jobs share counts for each of them here, and once in Slurm\n";
    }
    text
}
