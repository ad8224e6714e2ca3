//! `gres.conf`: the devices of nodes, beside the `slurm.conf` that counts them.
//!
//! Source: gres.conf(5) of Slurm 22.05 and 24.05, and its guide to generic resources. Lines join
//! and include others as those of a `slurm.conf` do. A line is about the nodes of `NodeName`,
//! without it about all of them.
//!
//! | line | says |
//! |---|---|
//! | `Name=gpu` | GPUs of `Type`: one for each of `File`, else `Count`, else one |
//! | `Name=gpu MultipleFiles=…` | one device, an instance of MIG |
//! | `Name=shard`, `Name=mps` | so many parts (`Count`) of the GPUs of `File`, else of all GPUs |
//! | `AutoDetect=…` | what the machine finds is there too, and is not in the file |
//! | another `Name` | nothing here; counted |
//!
//! Of `Type` two lines may say the same; a device of a `File` that is listed twice is one.

use std::io::Read;
use std::path::Path;

use crate::collections::OrderedMap;
use crate::registry::Problem;

use super::conf_lines::{ConfFiles, ConfLine, Line, Pair};
use super::conf_values::BadValue;
use super::gres::PARTS;
use super::hostlist::{MOST_HOSTS, hosts};
use super::scheduler::FirstFew;

/// Most devices that a line may state for a node, as in Slurm.
const MOST_DEVICES: u64 = 1024;

/// What a line says of each of its nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Said {
    /// GPUs.
    Gpus(DeviceList),
    /// Parts of GPUs, by the name of the resource.
    Parts(&'static str, DeviceList),
    /// True if the machine finds devices itself.
    Detected(bool),
}

/// Devices of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct DeviceList {
    /// Type, if stated.
    pub(super) kind: Option<String>,
    /// Their files; of an instance of MIG as one.
    pub(super) files: Vec<String>,
    /// Number of devices, or of their parts together.
    pub(super) count: u32,
}

/// Keys that say nothing of what jobs can have.
const IDLE: [&str; 4] = ["cores", "cpus", "links", "flags"];
/// Keys that are read.
const READ: [&str; 7] = ["nodename", "name", "type", "file", "multiplefiles", "count", "autodetect"];

/// Lines of a `gres.conf`, and the nodes that they are about.
#[derive(Debug, Default)]
pub(super) struct GresConf {
    /// What lines say, in the order of the file.
    pub(super) said: Vec<Said>,
    /// Lines about all nodes.
    everywhere: Vec<usize>,
    /// Lines about single nodes.
    of: OrderedMap<String, Vec<usize>>,
    /// Nodes that lines name, each as often as it is named.
    named: usize,
    /// What the file has and is not taken, in words.
    pub(super) remarks: Vec<String>,
    others: FirstFew,
    idle: FirstFew,
    unknown: FirstFew,
    no_type: u64,
}

impl GresConf {
    /// Reads a `gres.conf`, and the files that it includes from its folder.
    pub(super) fn read(reader: impl Read, path: &Path) -> Result<Self, Problem> {
        let (mut all, mut files) = (GresConf::default(), ConfFiles::default());
        let name = path.display().to_string();
        let read = files.read(reader, Some(path), &mut |line| all.line(line));
        read.map_err(|problem| Problem { included: problem.included.or(Some(name.into())), ..problem })?;
        all.remarks = files.remarks;
        all.remarks.extend(all.others.remark("lines of other resources than GPUs", ""));
        all.remarks.extend(all.idle.remark("keys that change nothing of what jobs can have", ""));
        all.remarks.extend(all.unknown.remark("keys that are not known", ""));
        if all.no_type > 0 {
            let what = "instances of MIG without a type, taken as GPUs";
            all.remarks.push(format!("{what}: lines: {}", all.no_type));
        }
        Ok(all)
    }

    fn line(&mut self, conf: &ConfLine) -> Result<(), Problem> {
        let line = Line::new(conf)?;
        for pair in &line.pairs {
            let key = pair.name.to_ascii_lowercase();
            if IDLE.contains(&key.as_str()) {
                self.idle.push(format!("{} (line {})", pair.name, conf.number));
            } else if !READ.contains(&key.as_str()) {
                self.unknown.push(format!("{} (line {})", pair.name, conf.number));
            }
        }
        let said = self.said(&line)?;
        if said.is_empty() {
            return Ok(());
        }
        let places = self.said.len()..self.said.len() + said.len();
        self.said.extend(said);
        let Some(names) = line.get("nodename") else {
            self.everywhere.extend(places);
            return Ok(());
        };
        let named = hosts(names.value).map_err(|bad| line.wrong_at(names, bad.to_string()))?;
        self.named += named.len();
        if self.named > MOST_HOSTS {
            return Err(line.wrong_at(names, format!("more than {MOST_HOSTS} nodes are named in all")));
        }
        named.into_iter().for_each(|host| self.of.entry(host).or_default().extend(places.clone()));
        Ok(())
    }

    /// What a line says.
    fn said(&mut self, line: &Line<'_>) -> Result<Vec<Said>, Problem> {
        let mut said = Vec::new();
        if let Some(found) = line.get("autodetect") {
            said.push(Said::Detected(!found.value.eq_ignore_ascii_case("off")));
        }
        let Some(name) = line.get("name") else {
            if said.is_empty() {
                let problem = line.conf.wrong_whole("a line without the name of a resource".to_owned());
                return Err(problem.help("expected Name=gpu, Name=shard, Name=mps or another"));
            }
            return Ok(said);
        };
        let is = |known: &&str| name.value.eq_ignore_ascii_case(known);
        if is(&"gpu") {
            said.extend(self.gpus(line)?.map(Said::Gpus));
        } else if let Some(parts) = PARTS.into_iter().find(is) {
            said.extend(parts_of(line)?.map(|list| Said::Parts(parts, list)));
        } else {
            self.others.push(format!("{} (line {})", name.value, line.conf.number));
        }
        Ok(said)
    }

    /// The GPUs of a line, if there are some.
    fn gpus(&mut self, line: &Line<'_>) -> Result<Option<DeviceList>, Problem> {
        let kind = kind(line);
        let instance = line.get("multiplefiles");
        let files = match (line.get("file"), instance) {
            (Some(_), Some(both)) => {
                let problem = line.wrong_at(both, "files of several devices, and of one".to_owned());
                return Err(problem.help("leave File or MultipleFiles out"));
            }
            (Some(pair), None) => files(line, pair)?,
            (None, Some(pair)) => {
                self.no_type += u64::from(kind.is_none());
                vec![files(line, pair)?.join(",")]
            }
            (None, None) => Vec::new(),
        };
        let stated = count(line)?;
        if let (Some((stated, pair)), false) = (stated, files.is_empty())
            && stated != files.len() as u64
        {
            let message = format!("{stated} devices of {} files", files.len());
            return Err(line.wrong_at(pair, message).help("leave Count out where files are named"));
        }
        // without a number it is one device, or one for each file
        let unstated = if files.is_empty() { 1 } else { files.len() as u64 };
        let count = stated.map_or(unstated, |(count, _)| count);
        if let Some((_, pair)) = stated.filter(|&(count, _)| count > MOST_DEVICES) {
            let message = format!("a node of {count} GPUs");
            return Err(line.wrong_at(pair, message).help(format!("expected {MOST_DEVICES} at most")));
        }
        Ok((count > 0).then_some(DeviceList { kind, files, count: count as u32 }))
    }

    /// What the file says of a node: first of all nodes, then of it.
    pub(super) fn of_node(&self, host: &str) -> Vec<usize> {
        let own = self.of.get(host).map_or(&[][..], Vec::as_slice);
        [self.everywhere.as_slice(), own].concat()
    }

    /// Returns true if the file names a node and says that it has GPUs.
    pub(super) fn names_gpus_of(&self, host: &str) -> bool {
        let own = self.of.get(host).map_or(&[][..], Vec::as_slice);
        own.iter().any(|&place| matches!(self.said[place], Said::Gpus(_)))
    }

    /// The nodes that the file names.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        self.of.keys().map(String::as_str)
    }
}

fn kind(line: &Line<'_>) -> Option<String> {
    line.get("type").map(|pair| pair.value.to_owned()).filter(|kind| !kind.is_empty())
}

/// The parts of GPUs of a line, if there are some.
fn parts_of(line: &Line<'_>) -> Result<Option<DeviceList>, Problem> {
    let pair = line.get("file").or_else(|| line.get("multiplefiles"));
    let files = pair.map(|pair| files(line, pair)).transpose()?.unwrap_or_default();
    let unstated = if files.is_empty() { 1 } else { files.len() as u64 };
    let (count, pair) = match count(line)? {
        Some((count, pair)) => (count, Some(pair)),
        None => (unstated, None),
    };
    let Ok(count) = u32::try_from(count) else {
        let message = format!("{count} parts of GPUs");
        let problem = pair.map_or_else(
            || line.conf.wrong_whole(message.clone()),
            |pair| line.wrong_at(pair, message.clone()),
        );
        return Err(problem.help(format!("expected {} at most", u32::MAX)));
    };
    Ok((count > 0).then_some(DeviceList { kind: kind(line), files, count }))
}

/// The files of a list as `/dev/nvidia[0-3]`.
fn files(line: &Line<'_>, pair: &Pair<'_>) -> Result<Vec<String>, Problem> {
    let files = hosts(pair.value).map_err(|bad| line.wrong_at(pair, bad.to_string()))?;
    if files.len() as u64 > MOST_DEVICES {
        let problem = line.wrong_at(pair, format!("{} files of devices", files.len()));
        return Err(problem.help(format!("expected {MOST_DEVICES} at most")));
    }
    Ok(files)
}

/// `Count` of a line, if it states one.
fn count<'l>(line: &'l Line<'_>) -> Result<Option<(u64, &'l Pair<'l>)>, Problem> {
    let Some(pair) = line.get("count") else { return Ok(None) };
    let text = pair.value;
    let powers = ['k', 'm', 'g', 't', 'p'];
    let last = text.chars().next_back().map(|letter| letter.to_ascii_lowercase());
    let power = powers.iter().position(|&letter| Some(letter) == last);
    let digits = if power.is_some() { &text[..text.len() - 1] } else { text };
    let times = power.map_or(1, |power| 1_u64 << (10 * (power + 1)));
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| digits.parse::<u64>().ok()?.checked_mul(times)).flatten();
    let bad = || BadValue {
        message: format!("`{text}` is no number of devices"),
        expected: "expected a whole number from 0 on, or one such as 2K",
    };
    number.map(|number| Some((number, pair))).ok_or_else(|| line.wrong_at(pair, bad()))
}
