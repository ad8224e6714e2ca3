//! `slurm.conf`: the nodes and partitions of a site.
//!
//! Source: slurm.conf(5) of Slurm 22.05 and 24.05. Keys are known in any case; a line that ends
//! with a backslash goes on in the next; `#` begins a comment. `NodeName=DEFAULT` and
//! `PartitionName=DEFAULT` set what later lines leave out. Processors of a node are `CPUs`, or else
//! boards × sockets × cores × threads. Nodes in state FUTURE are not there. What is read and what
//! is not is reported ([`Site::remarks`]); lines that speak of neither nodes nor partitions say
//! nothing about the machine.

use std::io::Read;

use crate::collections::{OrderedMap, OrderedSet};
use crate::registry::Problem;
use crate::registry::code;
use crate::text::{LONGEST_LINE, Lines, Place};
use crate::workload::resources::gpu_feature;

use super::demand::{can_be_asked_for, of_partition};
use super::fields::{Limit, gpu_types_in_gres, gpus_in_gres, has_other_gres, limit, number};
use super::hostlist::{MOST_HOSTS, hosts};

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
    /// Features, as written.
    pub features: String,
    /// The partitions that they are in and that have not all nodes, in the order of the file.
    pub partitions: Vec<String>,
}

impl Group {
    /// GPUs of each.
    pub fn gpus(&self) -> u32 {
        gpus_in_gres(&self.gres)
    }

    /// Names that jobs may ask for: the features of each node, `gpu:TYPE` for each type of its
    /// GPUs, and `partition:NAME` for each of its partitions.
    pub fn feature_names(&self) -> Vec<String> {
        let own = self.features.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        let mut gpus: Vec<String> =
            gpu_types_in_gres(&self.gres).iter().map(|kind| gpu_feature(kind)).collect();
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
    /// True if jobs that name none go there.
    pub default: bool,
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
}

impl Site {
    /// All nodes.
    pub fn nodes(&self) -> u64 {
        self.groups.iter().map(|group| u64::from(group.nodes)).sum()
    }

    /// All processors.
    pub fn processors(&self) -> u64 {
        self.groups.iter().map(|group| u64::from(group.nodes) * u64::from(group.processors)).sum()
    }

    /// The longest time [ms] of a job in the partition `name`, if that is known and limited.
    pub(super) fn most_time(&self, name: &str) -> Option<u64> {
        self.partitions.iter().find(|partition| partition.name == name)?.most_time
    }
}

/// One `Key=Value` of a line and the column it begins at.
struct Pair<'a> {
    /// In small letters.
    key: String,
    value: &'a str,
    column: usize,
}

/// A line while it is read.
struct Line<'a> {
    text: &'a str,
    number: u64,
    pairs: Vec<Pair<'a>>,
}

impl<'a> Line<'a> {
    fn new(text: &'a str, number: u64) -> Result<Self, Problem> {
        let mut line = Line { text, number, pairs: Vec::new() };
        let mut at = 0;
        while let Some(begin) = text[at..].find(|letter: char| !letter.is_whitespace()).map(|skip| at + skip)
        {
            let end = word_end(text, begin);
            let word = &text[begin..end];
            let Some((key, value)) = word.split_once('=') else {
                let what = format!("`{word}` is no KEY=VALUE");
                return Err(line.wrong(begin, word.len(), what));
            };
            let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
            line.pairs.push(Pair { key: key.to_ascii_lowercase(), value, column: begin });
            at = end;
        }
        Ok(line)
    }

    fn wrong(&self, column: usize, width: usize, message: String) -> Problem {
        let place = Place::new(self.number, self.text.as_bytes(), column, width);
        Problem::new(code::SLURM_CONF, message).at(place)
    }

    fn wrong_at(&self, pair: &Pair<'_>, message: String) -> Problem {
        self.wrong(pair.column, pair.key.len() + 1 + pair.value.len(), message)
    }

    fn get(&self, key: &str) -> Option<&Pair<'a>> {
        self.pairs.iter().find(|pair| pair.key == key)
    }

    fn text_of<'b>(&'b self, defaults: &'b OrderedMap<String, String>, keys: &[&str]) -> Option<&'b str> {
        let own = keys.iter().find_map(|key| self.get(key)).map(|pair| pair.value);
        own.or_else(|| keys.iter().find_map(|key| defaults.get(*key)).map(String::as_str))
    }

    fn count(&self, defaults: &OrderedMap<String, String>, key: &str) -> Result<Option<u64>, Problem> {
        let Some(text) = self.text_of(defaults, &[key]) else { return Ok(None) };
        let count = number(text).filter(|&count| count <= u64::from(u32::MAX) * 1024).ok_or_else(|| {
            let message = format!("`{key}` is {text}, which is no such number");
            match self.get(key) {
                Some(pair) => self.wrong_at(pair, message),
                None => self.wrong(0, self.text.len(), message),
            }
        })?;
        Ok(Some(count))
    }
}

/// The end of the word that begins at `begin`; quotes hold blanks together.
fn word_end(text: &str, begin: usize) -> usize {
    let mut quoted = false;
    for (at, letter) in text[begin..].char_indices() {
        match letter {
            '"' => quoted = !quoted,
            blank if blank.is_whitespace() && !quoted => return begin + at,
            _ => {}
        }
    }
    text.len()
}

/// Reads a `slurm.conf`.
///
/// # Errors
/// The first thing that is wrong with it, at its place; any bytes give a site or an error.
pub fn read(reader: impl Read) -> Result<Site, Problem> {
    let mut lines = Lines::new(reader)?;
    let mut reading = Reading::default();
    let mut pending = String::new();
    let (mut line, mut began) = (0_u64, 1_u64);
    while let Some(block) = lines.next_block()? {
        for bytes in block.split_inclusive(|&byte| byte == b'\n') {
            line += 1;
            let text = std::str::from_utf8(bytes).map_err(|error| {
                let place = Place::new(line, bytes, error.valid_up_to(), 1);
                Problem::new(code::SLURM_CONF, "the line is no text in UTF-8").at(place)
            })?;
            let text = text.split('#').next().unwrap_or_default().trim_end();
            if pending.is_empty() {
                began = line;
            }
            if let Some(text) = text.strip_suffix('\\') {
                if pending.len() > LONGEST_LINE {
                    return Err(Problem::new(code::SLURM_CONF, "a line that goes on and on is too long"));
                }
                pending += text;
                pending.push(' ');
                continue;
            }
            pending += text;
            reading.line(&pending, began)?;
            pending.clear();
        }
    }
    if !pending.is_empty() {
        reading.line(&pending, began)?;
    }
    reading.finish()
}

#[derive(Default)]
struct Reading {
    site: Site,
    node_defaults: OrderedMap<String, String>,
    partition_defaults: OrderedMap<String, String>,
    /// The group of every node.
    group_of: OrderedMap<String, usize>,
    sets: OrderedMap<String, String>,
    /// Partitions as written, resolved when all nodes are known: text and number of the line.
    partitions: Vec<(String, u64)>,
    counts: OrderedMap<&'static str, u64>,
}

impl Reading {
    fn line(&mut self, text: &str, number: u64) -> Result<(), Problem> {
        let first = text.split(['=', ' ', '\t']).find(|word| !word.is_empty()).unwrap_or_default();
        match first.to_ascii_lowercase().as_str() {
            "nodename" => self.nodes(&Line::new(text, number)?)?,
            "partitionname" => self.partition(text, number)?,
            "nodeset" => {
                let line = Line::new(text, number)?;
                if let (Some(set), Some(nodes)) = (line.get("nodeset"), line.get("nodes")) {
                    self.sets.insert(set.value.to_owned(), nodes.value.to_owned());
                } else {
                    self.count("sets of nodes by feature", 1);
                }
            }
            "clustername" => {
                self.site.name =
                    Line::new(text, number)?.get("clustername").map(|pair| pair.value.to_owned());
            }
            "include" => {
                let file = text.split_whitespace().nth(1).unwrap_or_default();
                self.site.remarks.push(format!(
                    "line {number} includes {file}, which was not read: convert the parts joined"
                ));
            }
            "downnodes" => self.count("lines of nodes that are down", 1),
            _ => {}
        }
        Ok(())
    }

    /// Counts what is in the file and not in the machine.
    fn count(&mut self, what: &'static str, more: u64) {
        *self.counts.entry(what).or_default() += more;
    }

    fn nodes(&mut self, line: &Line<'_>) -> Result<(), Problem> {
        let Some(names) = line.get("nodename").filter(|names| !names.value.is_empty()) else {
            return Err(line.wrong(0, line.text.len(), "nodes without a name".to_owned()));
        };
        if names.value.eq_ignore_ascii_case("default") {
            self.node_defaults
                .extend(line.pairs.iter().map(|pair| (pair.key.clone(), pair.value.to_owned())));
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
        let memory = line.count(&self.node_defaults, "realmemory")?;
        let types: OrderedSet<String> = gpu_types_in_gres(&gres).into_iter().collect();
        if types.len() > 1 {
            let what = "nodes with GPUs of several types, any of which serve a job that asks for one";
            self.count(what, hosts.len() as u64);
        }
        if self.group_of.len() + hosts.len() > MOST_HOSTS {
            return Err(line.wrong_at(names, format!("more than {MOST_HOSTS} nodes")));
        }
        let (group, nodes) = (self.site.groups.len(), hosts.len() as u32);
        for host in hosts {
            if self.group_of.contains_key(&host) {
                return Err(line.wrong_at(names, format!("node {host} is there twice")));
            }
            self.group_of.insert(host, group);
        }
        let names = names.value.to_owned();
        let partitions = Vec::new();
        self.site.groups.push(Group { names, nodes, processors, memory, gres, features, partitions });
        Ok(())
    }

    /// Processors of the nodes of a line.
    fn processors(&self, line: &Line<'_>) -> Result<u32, Problem> {
        let read = |key: &str| line.count(&self.node_defaults, key);
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
        lawful.ok_or_else(|| line.wrong(0, line.text.len(), format!("a node of {count} processors")))
    }

    fn partition(&mut self, text: &str, number: u64) -> Result<(), Problem> {
        let line = Line::new(text, number)?;
        let name = line.get("partitionname").map_or("", |pair| pair.value);
        if name.is_empty() {
            return Err(line.wrong(0, text.len(), "a partition without a name".to_owned()));
        }
        if name.eq_ignore_ascii_case("default") {
            let pairs = line.pairs.iter().map(|pair| (pair.key.clone(), pair.value.to_owned()));
            self.partition_defaults.extend(pairs);
            return Ok(());
        }
        for (key, remark) in [
            ("prioritytier", "partitions with a priority of their own"),
            ("preemptmode", "partitions with a rule of preemption"),
            ("oversubscribe", "partitions with a rule of sharing nodes"),
            ("maxnodes", "partitions with a most of nodes a job"),
            ("qos", "partitions with a quality of service"),
        ] {
            if line.text_of(&self.partition_defaults, &[key]).is_some() {
                self.count(remark, 1);
            }
        }
        // what a default line said is written into the line, since a later default must not change
        // it
        let mut whole = text.to_owned();
        for key in ["nodes", "maxtime", "default"] {
            if let (None, Some(value)) = (line.get(key), self.partition_defaults.get(key)) {
                whole += &format!(" {key}={value}");
            }
        }
        self.partitions.push((whole, number));
        Ok(())
    }

    /// The nodes of a partition's list and their groups, each node once.
    fn reach(&self, line: &Line<'_>) -> Result<OrderedMap<String, usize>, Problem> {
        let Some(nodes) = line.get("nodes").filter(|nodes| !nodes.value.is_empty()) else {
            return Ok(OrderedMap::new());
        };
        if nodes.value.eq_ignore_ascii_case("all") {
            return Ok(self.group_of.clone());
        }
        let mut reached: OrderedMap<String, usize> = OrderedMap::new();
        let listed = hosts(nodes.value).map_err(|bad| line.wrong_at(nodes, bad.to_string()))?;
        for name in listed {
            let members = match self.sets.get(&name) {
                Some(list) => hosts(list).map_err(|bad| line.wrong_at(nodes, bad.to_string()))?,
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

    /// Divides groups so that all nodes of one are in the same partitions, of those that have not
    /// all nodes; these are given with their nodes.
    fn divide(&mut self, partial: &[(String, OrderedMap<String, usize>)]) {
        let mut members: OrderedMap<&str, Vec<usize>> = OrderedMap::new();
        for (place, (_, reached)) in partial.iter().enumerate() {
            reached.keys().for_each(|host| members.entry(host).or_default().push(place));
        }
        let mut parts: OrderedMap<(usize, Vec<usize>), u32> = OrderedMap::new();
        for (host, &group) in &self.group_of {
            *parts.entry((group, members.remove(host.as_str()).unwrap_or_default())).or_default() += 1;
        }
        let whole = std::mem::take(&mut self.site.groups);
        self.site.groups = parts
            .into_iter()
            .map(|((group, places), nodes)| {
                let partitions = places.iter().map(|&place| partial[place].0.clone()).collect();
                Group { nodes, partitions, ..whole[group].clone() }
            })
            .collect();
    }

    fn finish(mut self) -> Result<Site, Problem> {
        let mut partial = Vec::new();
        for (text, number) in std::mem::take(&mut self.partitions) {
            let line = Line::new(&text, number)?;
            let reached = self.reach(&line)?;
            let processors = |&group: &usize| u64::from(self.site.groups[group].processors);
            let (nodes, processors) = (reached.len() as u32, reached.values().map(processors).sum());
            let most_time = match line.get("maxtime") {
                Some(pair) => match limit(pair.value) {
                    Some(Limit::Millis(millis)) => Some(millis),
                    Some(_) => None,
                    None => return Err(line.wrong_at(pair, format!("`{}` is no time limit", pair.value))),
                },
                None => None,
            };
            let name = line.get("partitionname").map_or("", |pair| pair.value).to_owned();
            let default = line.get("default").is_some_and(|pair| pair.value.eq_ignore_ascii_case("yes"));
            if nodes > 0 && reached.len() < self.group_of.len() {
                partial.push((name.clone(), reached));
            }
            self.site.partitions.push(Partition { name, nodes, processors, most_time, default });
        }
        self.divide(&partial);
        if self.site.groups.is_empty() {
            let problem = Problem::new(code::SLURM_CONF, "it has no line that begins with NodeName=");
            return Err(problem.help("nodes may stand in an included file: join the parts first"));
        }
        if u32::try_from(self.site.processors()).is_err() {
            return Err(Problem::new(code::SLURM_CONF, "the site has more processors than can be numbered"));
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
        Ok(self.site)
    }
}
