//! `slurm.conf`: the nodes and partitions of a site.
//!
//! Source: slurm.conf(5) of Slurm 22.05 and 24.05. Lines join, and keys are read, as
//! [`super::conf_lines`] says; other lines state the scheduler. `NodeName=DEFAULT` and
//! `PartitionName=DEFAULT` set what later lines leave out. Processors of a node are `CPUs`, or else
//! boards × sockets × cores × threads. Nodes in state FUTURE are not there. What is read and what
//! is not is reported ([`Site::remarks`]).

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::collections::OrderedMap;
use crate::registry::Problem;
use crate::registry::code;
use crate::workload::resources::gpu_feature;

use super::conf_lines::{ConfFiles, ConfLine, Defaults, Line, first_pair};
use super::conf_values::{BadValue, ConfTime, read_flag, read_time, read_u16, read_u32, read_u64};
use super::demand::{can_be_asked_for, of_partition};
use super::gres::{PARTS, gpu_types_in_gres, gpus_in_gres, gres_of, has_other_gres};
use super::gres_conf::GresConf;
use super::hostlist::{MOST_HOSTS, hosts};
use super::node_devices::{self, ListedGpus, NodeDevices};
use super::scheduler::{FirstFew, LostOfNodes, SiteScheduler};
use super::scheduler_keys::{self, KeyEffect};
use super::usual;

/// Nodes that are alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Names of the nodes, as the file has them.
    pub names: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Processors of each, as Slurm gives them out.
    pub processors: u32,
    /// Memory of each \[MiB\], if stated.
    pub memory: Option<u64>,
    /// Generic resources, as written.
    pub gres: String,
    /// GPUs of each by what a `gres.conf` says of them, if it says something.
    pub listed: Option<Vec<ListedGpus>>,
    /// Features, as written.
    pub features: String,
    /// The partitions that they are in and that have not all nodes, in the order of the file.
    pub partitions: Vec<String>,
}

impl Group {
    /// GPUs of each.
    pub fn gpus(&self) -> u32 {
        match &self.listed {
            Some(listed) => listed.iter().map(|one| one.count).fold(0, u32::saturating_add),
            None => gpus_in_gres(&self.gres),
        }
    }

    /// GPUs of each by kind, where types or parts of them are stated.
    pub fn listed_gpus(&self) -> Option<Vec<ListedGpus>> {
        let list = self.listed.clone().unwrap_or_else(|| node_devices::counted(&self.gres));
        let is_plain = |one: &ListedGpus| one.kind.is_none() && one.parts == 1;
        (!list.iter().all(is_plain)).then_some(list)
    }

    /// Names that jobs may ask for: the features of each node, `gpu:TYPE` for each type of its
    /// GPUs, and `partition:NAME` for each of its partitions.
    pub fn feature_names(&self) -> Vec<String> {
        let own = self.features.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        let types = match &self.listed {
            Some(listed) => listed.iter().filter_map(|one| one.kind.clone()).collect(),
            None => gpu_types_in_gres(&self.gres),
        };
        let mut gpus: Vec<String> = types.iter().map(|kind| gpu_feature(kind)).collect();
        gpus.dedup();
        let all = own.chain(gpus).chain(self.partitions.iter().map(|name| of_partition(name)));
        all.filter(|name| can_be_asked_for(name)).collect()
    }
}

/// A partition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partition {
    /// Name.
    pub name: String,
    /// Nodes and the processors they have together.
    pub nodes: u32,
    /// Processors of its nodes.
    pub processors: u64,
    /// The longest time a job may ask for \[ms\], if there is a limit.
    pub most_time: Option<u64>,
    /// Time limit of jobs that ask for none \[ms\], if it is another than that.
    pub default_time: Option<u64>,
    /// True if jobs that name none go there.
    pub default: bool,
    /// Priority of its jobs, if stated; 1 if not.
    pub priority: Option<u16>,
    /// The most nodes of a job, if there is a limit.
    pub most_nodes: Option<u32>,
    /// Quality of service whose limits its jobs have, if it has one.
    pub qos: Option<String>,
    /// Keys and values that are not represented.
    pub lost: Vec<(String, String)>,
}

/// Site that a `slurm.conf` states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Site {
    /// The name of the cluster, if stated.
    pub name: Option<String>,
    /// Nodes, in the order of the file.
    pub groups: Vec<Group>,
    /// Partitions, in the order of the file.
    pub partitions: Vec<Partition>,
    /// Parts of the file that the machine leaves out, in words.
    pub remarks: Vec<String>,
    /// The scheduler.
    pub scheduler: SiteScheduler,
    /// Values of nodes that are not represented.
    pub lost_of_nodes: LostOfNodes,
    /// The files that it includes.
    pub included: Vec<PathBuf>,
}

/// Time that Slurm plans with where there is no limit \[ms\].
const YEAR: u64 = 365 * 86_400_000;

impl Site {
    /// All nodes.
    pub fn nodes(&self) -> u64 {
        self.groups.iter().map(|group| u64::from(group.nodes)).sum()
    }

    /// All processors.
    pub fn processors(&self) -> u64 {
        self.groups.iter().map(|group| u64::from(group.nodes) * u64::from(group.processors)).sum()
    }

    /// The time [ms] that Slurm plans with for a job of the partition `name` that has no limit of
    /// its own: the shorter of `DefaultTime` and `MaxTime`, else a year. `None` if the partition is
    /// not known.
    pub(super) fn granted_time(&self, name: &str) -> Option<u64> {
        let partition = self.partitions.iter().find(|partition| partition.name == name)?;
        let limits = [partition.default_time, partition.most_time];
        limits.into_iter().flatten().filter(|&limit| limit > 0).min().or(Some(YEAR))
    }
}

/// Reads a `slurm.conf`.
///
/// # Errors
/// The first thing that is wrong with it, at its place; any bytes give a site or an error.
pub fn read(reader: impl Read) -> Result<Site, Problem> {
    read_all(reader, None, None)
}

/// Reads a `slurm.conf` and the files that it includes, which lie in the folder of this path.
///
/// # Errors
/// As [`read`], or a file that it includes cannot be read or lies elsewhere.
pub fn read_at(reader: impl Read, path: &Path) -> Result<Site, Problem> {
    read_all(reader, Some(path), None)
}

/// Reads a `slurm.conf` of this path, as [`read_at`], and the `gres.conf` with the devices of its
/// nodes.
///
/// # Errors
/// As [`read_at`], of either file.
pub fn read_with_gres(conf: (impl Read, &Path), gres: (impl Read, &Path)) -> Result<Site, Problem> {
    let devices = GresConf::read(gres.0, gres.1)?;
    read_all(conf.0, Some(conf.1), Some(devices))
}

fn read_all(reader: impl Read, path: Option<&Path>, devices: Option<GresConf>) -> Result<Site, Problem> {
    let mut reading = Reading { devices, ..Reading::default() };
    let mut files = ConfFiles::default();
    files.read(reader, path, &mut |line| reading.line(line))?;
    reading.site.included = files.included;
    reading.site.remarks = files.remarks;
    reading.finish()
}

#[derive(Default)]
struct Reading {
    site: Site,
    node_defaults: Defaults,
    partition_defaults: Defaults,
    /// The group of every node.
    group_of: OrderedMap<String, usize>,
    sets: OrderedMap<String, String>,
    /// Partitions as written, resolved when all nodes are known: name, line, and defaults of then.
    partitions: Vec<(String, ConfLine, Defaults)>,
    counts: OrderedMap<&'static str, u64>,
    /// Lines that are no `KEY=VALUE`.
    no_pair: FirstFew,
    /// Processors of all nodes so far.
    processors: u64,
    /// What a `gres.conf` says.
    devices: Option<GresConf>,
}

impl Reading {
    fn line(&mut self, conf: &ConfLine) -> Result<(), Problem> {
        let first = first_pair(conf).map(|(pair, _)| pair.name.to_ascii_lowercase()).unwrap_or_default();
        match first.as_str() {
            "nodename" => self.nodes(&Line::new(conf)?)?,
            "partitionname" => self.partition(conf)?,
            "nodeset" => {
                let line = Line::new(conf)?;
                if let (Some(set), Some(nodes)) = (line.get("nodeset"), line.get("nodes")) {
                    self.sets.insert(set.value.to_owned(), nodes.value.to_owned());
                } else {
                    self.count("sets of nodes by feature", 1);
                }
            }
            "clustername" => self.site.name = first_pair(conf).map(|(pair, _)| pair.value.to_owned()),
            "downnodes" => self.count("lines of nodes that are down", 1),
            "" if conf.text.to_ascii_lowercase().starts_with("nodename") => {
                return Err(conf.wrong_whole("nodes without a name".to_owned()));
            }
            "" if conf.text.to_ascii_lowercase().starts_with("partitionname") => {
                return Err(conf.wrong_whole("a partition without a name".to_owned()));
            }
            "" => self.no_pair.push(conf.number.to_string()),
            _ => self.site.scheduler.line(conf)?,
        }
        Ok(())
    }

    /// Counts what is in the file and not in the machine.
    fn count(&mut self, what: &'static str, more: u64) {
        *self.counts.entry(what).or_default() += more;
    }

    fn nodes(&mut self, line: &Line<'_>) -> Result<(), Problem> {
        let Some(names) = line.get("nodename").filter(|names| !names.value.is_empty()) else {
            return Err(line.conf.wrong_whole("nodes without a name".to_owned()));
        };
        self.unknown_of(line, scheduler_keys::of_nodes);
        if names.value.eq_ignore_ascii_case("default") {
            line.set(&mut self.node_defaults);
            return Ok(());
        }
        let hosts = hosts(names.value).map_err(|bad| line.wrong_at(names, bad.to_string()))?;
        let processors = self.processors(line)?;
        let state = line.text_of(&self.node_defaults, &["state"]).unwrap_or_default().to_ascii_uppercase();
        if state.starts_with("FUTURE") {
            self.count("nodes in state FUTURE, left out", hosts.len() as u64);
            return Ok(());
        }
        if ["DOWN", "DRAIN", "FAIL", "CLOUD"].iter().any(|word| state.starts_with(word)) {
            let what = "nodes that begin down, drained or in the cloud, counted as any other";
            self.count(what, hosts.len() as u64);
        }
        let text = |keys: &[&str]| line.text_of(&self.node_defaults, keys).unwrap_or_default().to_owned();
        let (gres, features) = (text(&["gres"]), text(&["features", "feature"]));
        let memory = line.read(&self.node_defaults, "realmemory", read_u64)?;
        for key in scheduler_keys::NODE_LOST {
            let value = line.text_of(&self.node_defaults, &[&key.to_ascii_lowercase()]);
            if let Some(value) = value.filter(|value| !usual::of_nodes(key, value)) {
                self.site.lost_of_nodes.note(key, value, names.value);
            }
        }
        if PARTS.iter().filter(|name| !gres_of(&gres, name).is_empty()).count() > 1 {
            let what = "nodes with shards and MPS of GPUs, of which shards are taken";
            self.count(what, hosts.len() as u64);
        }
        if self.group_of.len() + hosts.len() > MOST_HOSTS {
            return Err(line.wrong_at(names, format!("more than {MOST_HOSTS} nodes")));
        }
        let (group, nodes) = (self.site.groups.len(), hosts.len() as u32);
        self.processors += u64::from(nodes) * u64::from(processors);
        if self.processors > u64::from(u32::MAX) {
            let message = "the site has more processors than can be numbered".to_owned();
            return Err(line.wrong_at(names, message).help(format!("expected {} at most in all", u32::MAX)));
        }
        for host in hosts {
            if self.group_of.contains_key(&host) {
                return Err(line.wrong_at(names, format!("node {host} is there twice")));
            }
            self.group_of.insert(host, group);
        }
        let names = names.value.to_owned();
        let (listed, partitions) = (None, Vec::new());
        self.site.groups.push(Group { names, nodes, processors, memory, gres, listed, features, partitions });
        Ok(())
    }

    /// Processors of the nodes of a line.
    fn processors(&self, line: &Line<'_>) -> Result<u32, Problem> {
        let read = |key: &str| -> Result<Option<u64>, Problem> {
            Ok(line.read(&self.node_defaults, key, read_u16)?.map(u64::from))
        };
        let count = match (read("cpus")?, read("procs")?) {
            (Some(count), _) | (None, Some(count)) => count,
            (None, None) => {
                let sockets = match (read("sockets")?, read("socketsperboard")?) {
                    (Some(sockets), _) => sockets,
                    (None, Some(sockets)) => sockets.saturating_mul(read("boards")?.unwrap_or(1)),
                    (None, None) => read("boards")?.unwrap_or(1),
                };
                let (cores, threads) = (read("corespersocket")?, read("threadspercore")?);
                sockets.saturating_mul(cores.unwrap_or(1)).saturating_mul(threads.unwrap_or(1))
            }
        };
        let lawful = u32::try_from(count).ok().filter(|&count| count > 0);
        lawful.ok_or_else(|| {
            let problem = line.conf.wrong_whole(format!("a node of {count} processors"));
            problem
                .help(format!("expected 1 to {}: CPUs, or else boards × sockets × cores × threads", u32::MAX))
        })
    }

    /// Counts unknown keys of a line.
    fn unknown_of(&mut self, line: &Line<'_>, of: fn(&str) -> Option<KeyEffect>) {
        for pair in line.pairs.iter().filter(|pair| of(pair.name).is_none()) {
            self.site.scheduler.unknown(pair.name, line.conf.number);
        }
    }

    fn partition(&mut self, conf: &ConfLine) -> Result<(), Problem> {
        let line = Line::new(conf)?;
        let name = line.get("partitionname").map_or("", |pair| pair.value);
        if name.is_empty() {
            return Err(conf.wrong_whole("a partition without a name".to_owned()));
        }
        self.unknown_of(&line, scheduler_keys::of_partition);
        if name.eq_ignore_ascii_case("default") {
            line.set(&mut self.partition_defaults);
            return Ok(());
        }
        for (key, remark) in [
            ("prioritytier", "partitions with a priority of their own"),
            ("preemptmode", "partitions with a rule of preemption"),
            ("oversubscribe", "partitions with a rule of sharing nodes"),
            ("maxnodes", "partitions with a most of nodes a job"),
            ("qos", "partitions with a quality of service"),
        ] {
            let value = line.text_of(&self.partition_defaults, &[key]);
            if value.is_some_and(|value| !usual::of_partition(key, value)) {
                self.count(remark, 1);
            }
        }
        // of two lines of a name Slurm takes the last
        let before = self.partitions.len();
        self.partitions.retain(|(known, ..)| known != name);
        self.count("partitions that a later line states again", (before - self.partitions.len()) as u64);
        // a later default must not change it
        self.partitions.push((name.to_owned(), conf.clone(), self.partition_defaults.clone()));
        Ok(())
    }

    /// The nodes of a partition's list and their groups, each node once.
    fn reach(&self, line: &Line<'_>, defaults: &Defaults) -> Result<OrderedMap<String, usize>, Problem> {
        let list = |list: &str| hosts(list).map_err(|bad| BadValue::from(bad.to_string()));
        let listed = line.read(defaults, "nodes", |text| {
            let is_all = text.eq_ignore_ascii_case("all");
            if is_all || text.is_empty() { Ok((is_all, Vec::new())) } else { Ok((false, list(text)?)) }
        })?;
        let listed = match listed {
            Some((true, _)) => return Ok(self.group_of.clone()),
            Some((false, listed)) => listed,
            None => Vec::new(),
        };
        let mut reached: OrderedMap<String, usize> = OrderedMap::new();
        for name in listed {
            let members = match self.sets.get(&name) {
                Some(set) => list(set).map_err(|bad| line.conf.wrong_whole(bad.message))?,
                None => vec![name],
            };
            // a node that is not there is in state FUTURE, in an included file, or in a set by
            // feature
            let known =
                members.into_iter().filter_map(|host| self.group_of.get(&host).map(|&group| (host, group)));
            reached.extend(known);
        }
        Ok(reached)
    }

    /// Divides groups so that all nodes of one have the same devices and are in the same
    /// partitions, of those that have not all nodes; these are given with their nodes.
    fn divide(&mut self, partial: &[(String, OrderedMap<String, usize>)]) {
        let devices = self.devices.take().map(|conf| {
            let resources: Vec<String> = self.site.groups.iter().map(|group| group.gres.clone()).collect();
            let (devices, remarks) = NodeDevices::new(&conf, &self.group_of, &resources);
            self.site.remarks.extend(remarks);
            devices
        });
        let devices = devices.unwrap_or_default();
        let mut members: OrderedMap<&str, Vec<usize>> = OrderedMap::new();
        for (place, (_, reached)) in partial.iter().enumerate() {
            reached.keys().for_each(|host| members.entry(host).or_default().push(place));
        }
        let mut parts: OrderedMap<(usize, Vec<usize>, Option<usize>), u32> = OrderedMap::new();
        for (host, &group) in &self.group_of {
            let places = members.remove(host.as_str()).unwrap_or_default();
            *parts.entry((group, places, devices.of(host))).or_default() += 1;
        }
        let whole = std::mem::take(&mut self.site.groups);
        self.site.groups = parts
            .into_iter()
            .map(|((group, places, list), nodes)| {
                let partitions = places.iter().map(|&place| partial[place].0.clone()).collect();
                let listed = list.map(|list| devices.list(list));
                Group { nodes, listed, partitions, ..whole[group].clone() }
            })
            .collect();
    }

    /// A partition of these nodes.
    fn resolved(
        &self,
        name: String,
        line: &Line<'_>,
        defaults: &Defaults,
        reached: &OrderedMap<String, usize>,
    ) -> Result<Partition, Problem> {
        let processors = |&group: &usize| u64::from(self.site.groups[group].processors);
        let limit = |key: &str| -> Result<Option<u64>, Problem> {
            let read = |time: &str| {
                read_time(time)
                    .map_err(|bad| BadValue { message: format!("`{time}` is no time limit"), ..bad })
            };
            Ok(match line.read(defaults, key, read)? {
                Some(ConfTime::Minutes(minutes)) => Some(minutes * 60_000),
                Some(ConfTime::Unlimited) | None => None,
            })
        };
        let (most_time, default_time) = (limit("maxtime")?, limit("defaulttime")?);
        // both of what the older key stood for
        let factor = line.read(defaults, "priorityjobfactor", read_u16)?;
        let priority = factor.or(line.read(defaults, "priority", read_u16)?);
        let most_nodes = line.read(defaults, "maxnodes", read_u32)?.filter(|&most| most < u32::MAX);
        let qos = line.text_of(defaults, &["qos"]).filter(|qos| !qos.is_empty()).map(str::to_owned);
        let lost = scheduler_keys::PARTITION_LOST.iter().filter_map(|&key| {
            let value = line.text_of(defaults, &[&key.to_ascii_lowercase()])?;
            // a partition may leave out what the site does
            let is_usual = usual::of_partition(key, value)
                && (key != "PreemptMode" || !self.site.scheduler.loses("PreemptMode"));
            (!is_usual).then(|| (key.to_owned(), value.to_owned()))
        });
        Ok(Partition {
            name,
            nodes: reached.len() as u32,
            processors: reached.values().map(processors).sum(),
            most_time,
            default_time,
            default: line.read(defaults, "default", read_flag)?.unwrap_or(false),
            priority,
            most_nodes,
            qos,
            lost: lost.collect(),
        })
    }

    fn finish(mut self) -> Result<Site, Problem> {
        let mut partial = Vec::new();
        for (name, conf, defaults) in std::mem::take(&mut self.partitions) {
            let line = Line::new(&conf)?;
            let reached = self.reach(&line, &defaults)?;
            let partition = self.resolved(name, &line, &defaults, &reached)?;
            if partition.nodes > 0 && reached.len() < self.group_of.len() {
                partial.push((partition.name.clone(), reached));
            }
            self.site.partitions.push(partition);
        }
        self.divide(&partial);
        if self.site.groups.is_empty() {
            let problem = Problem::new(code::SLURM_CONF, "it has no line that begins with NodeName=");
            return Err(problem.help("nodes may stand in an included file: join the parts first"));
        }
        let gres = self
            .site
            .groups
            .iter()
            .filter(|group| has_other_gres(&group.gres))
            .map(|group| u64::from(group.nodes));
        self.counts.insert("nodes with generic resources other than GPUs", gres.sum());
        let counted = self.counts.iter().filter(|(_, count)| **count > 0);
        self.site.remarks.extend(counted.map(|(what, count)| format!("{what}: {count}")));
        self.site.remarks.extend(self.no_pair.remark("lines that are no KEY=VALUE", "line "));
        self.site.remarks.extend(self.site.scheduler.remarks());
        Ok(self.site)
    }
}
