//! GPUs of nodes, by what `slurm.conf` counts and what `gres.conf` lists.
//!
//! How many GPUs, shards and per cents of MPS a node has is what `Gres=` of the `slurm.conf` says:
//! Slurm drains a node with fewer and gives out no more. Which kinds these are is said by either,
//! and how many parts each GPU has by the `gres.conf`, if its parts are as many in all. Where the
//! two contradict each other `Gres=` holds, and it is told.

use crate::collections::{OrderedMap, OrderedSet};
use crate::workload::resources::MigProfile;

use super::gres::{PARTS, gres_of};
use super::gres_conf::{GresConf, Said};

/// GPUs of a node of one kind.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ListedGpus {
    /// Type, if stated.
    pub kind: Option<String>,
    /// Number of them.
    pub count: u32,
    /// Parts of each, by its shards or its MPS.
    pub parts: u32,
    /// True if they are instances of MIG.
    pub is_instance: bool,
}

impl ListedGpus {
    fn new(kind: Option<String>, count: u32) -> Self {
        let is_instance = kind.as_deref().and_then(MigProfile::of_kind).is_some();
        ListedGpus { kind, count, parts: 1, is_instance }
    }
}

/// GPUs of each node with these resources, as `gpu:a100:2,shard:16` and so on, by kind. Parts are
/// those of the type divided among its GPUs, else those without a type divided among all that are
/// no instances.
pub(super) fn counted(gres: &str) -> Vec<ListedGpus> {
    let gpus = gres_of(gres, "gpu").into_iter().filter(|(_, count)| *count > 0);
    let mut list: Vec<_> = gpus.map(|(kind, count)| ListedGpus::new(kind, count)).collect();
    divide_parts(gres, &mut list);
    list
}

/// Divides the parts of GPUs among these.
fn divide_parts(gres: &str, list: &mut [ListedGpus]) {
    let parts: Vec<_> = PARTS.iter().flat_map(|name| gres_of(gres, name)).collect();
    let divisible = list.iter().filter(|one| !one.is_instance);
    let all_gpus = divisible.map(|one| one.count).fold(0, u32::saturating_add);
    for one in list.iter_mut().filter(|one| !one.is_instance) {
        let typed = parts.iter().find(|(of, _)| one.kind.is_some() && *of == one.kind);
        let typed = typed.and_then(|(_, parts)| parts.checked_div(one.count));
        let untyped = parts.iter().find(|(of, _)| of.is_none());
        let untyped = untyped.and_then(|(_, parts)| parts.checked_div(all_gpus));
        one.parts = typed.or(untyped).unwrap_or(1).max(1);
    }
}

/// A device that the `gres.conf` lists.
#[derive(Clone, Debug)]
struct Device<'a> {
    kind: Option<&'a str>,
    file: Option<&'a str>,
    parts: u64,
}

/// GPUs of nodes that are alike, and what the two files contradict each other in, in words.
#[derive(Debug, Default)]
struct Agreed {
    gpus: Vec<ListedGpus>,
    odd: Vec<String>,
}

/// The GPUs of a node of these resources of which the `gres.conf` says this.
fn agreed(gres: &str, said: &[&Said]) -> Agreed {
    let mut odd = Vec::new();
    let mut devices = devices(said, &mut odd);
    let is_detected = said.iter().rev().find_map(|one| match one {
        Said::Detected(is) => Some(*is),
        Said::Gpus(_) | Said::Parts(..) => None,
    });
    let has_parts = give_parts(gres, said, &mut devices, &mut odd);
    let stated = gres_of(gres, "gpu");
    let is_listed = !devices.is_empty();
    let (typed, untyped): (Vec<_>, Vec<_>) = stated.into_iter().partition(|(kind, _)| kind.is_some());
    let mut list: Vec<(ListedGpus, u64)> = Vec::new();
    let mut push = |kind: Option<String>, count: u32, parts: u64| {
        let one = ListedGpus::new(kind, count);
        match list.iter_mut().find(|(known, of)| known.kind == one.kind && *of == parts) {
            Some((known, _)) => known.count = known.count.saturating_add(count),
            None if count > 0 => list.push((one, parts)),
            None => {}
        }
    };
    for (kind, count) in typed.into_iter().chain(untyped) {
        let mut left = count;
        // GPUs without a type in the one file have that of the other
        for exact in [true, false] {
            devices.retain(|device| {
                let is_own = if exact || kind.is_none() {
                    kind.is_none() || device.kind == kind.as_deref()
                } else {
                    device.kind.is_none()
                };
                let is_taken = is_own && left > 0;
                if is_taken {
                    push(kind.clone().or_else(|| device.kind.map(str::to_owned)), 1, device.parts);
                    left -= 1;
                }
                !is_taken
            });
        }
        if left > 0 && is_listed && is_detected != Some(true) {
            let of = kind.as_ref().map(|kind| format!(" of type {kind}")).unwrap_or_default();
            let listed = count - left;
            odd.push(format!(
                "gres.conf lists {listed} GPUs{of} where slurm.conf says {count}, which are taken"
            ));
        }
        push(kind, left, 0);
    }
    let mut more: OrderedMap<Option<&str>, u64> = OrderedMap::new();
    devices.iter().for_each(|device| *more.entry(device.kind).or_default() += 1);
    for (kind, count) in more {
        let of = kind.map(|kind| format!(" of type {kind}")).unwrap_or_default();
        odd.push(format!("gres.conf lists {count} GPUs{of} more than slurm.conf says, left out"));
    }
    let mut gpus: Vec<ListedGpus> = list
        .iter()
        .map(|(one, parts)| ListedGpus {
            parts: u32::try_from(*parts).unwrap_or(u32::MAX).max(1),
            ..one.clone()
        })
        .collect();
    if !has_parts {
        divide_parts(gres, &mut gpus);
    }
    Agreed { gpus, odd }
}

/// The devices that lines list, each file once.
fn devices<'a>(said: &[&'a Said], odd: &mut Vec<String>) -> Vec<Device<'a>> {
    let (mut all, mut seen, mut twice) = (Vec::new(), OrderedSet::new(), 0_u64);
    for one in said {
        let Said::Gpus(list) = one else { continue };
        for place in 0..list.count as usize {
            let file = list.files.get(place).map(String::as_str);
            if file.is_some_and(|file| !seen.insert(file)) {
                twice += 1;
            } else {
                all.push(Device { kind: list.kind.as_deref(), file, parts: 0 });
            }
        }
    }
    if twice > 0 {
        odd.push(format!("gres.conf lists {twice} GPUs twice, taken once"));
    }
    all
}

/// Gives devices the parts that lines state; false if these are those of the `slurm.conf`, which
/// states others or none.
fn give_parts(gres: &str, said: &[&Said], devices: &mut [Device<'_>], odd: &mut Vec<String>) -> bool {
    let listed = |name: &str| {
        let lines = said.iter().filter_map(|one| match one {
            Said::Parts(of, list) if *of == name => Some(list),
            _ => None,
        });
        lines.collect::<Vec<_>>()
    };
    let total = |name: &str| gres_of(gres, name).iter().map(|(_, count)| u64::from(*count)).sum::<u64>();
    // of shards and MPS the first that the slurm.conf has
    let name = PARTS.into_iter().find(|name| total(name) > 0);
    for other in PARTS.into_iter().filter(|other| Some(*other) != name) {
        if !listed(other).is_empty() && total(other) == 0 {
            odd.push(format!("gres.conf lists `{other}` where slurm.conf has none, left out"));
        }
    }
    let Some(name) = name else { return false };
    let lines = listed(name);
    let sum: u64 = lines.iter().map(|list| u64::from(list.count)).sum();
    if lines.is_empty() {
        return false;
    }
    if sum != total(name) {
        let all = total(name);
        odd.push(format!("gres.conf lists {sum} of `{name}` where slurm.conf says {all}, which are taken"));
        return false;
    }
    if devices.is_empty() {
        return false;
    }
    let is_whole = |device: &Device<'_>| device.kind.and_then(MigProfile::of_kind).is_none();
    let mut unplaced = 0;
    for list in lines {
        let is_own = |device: &Device<'_>| {
            let is_of_file = device.file.is_some_and(|file| list.files.iter().any(|one| one == file));
            is_whole(device) && (is_of_file || list.files.is_empty())
        };
        let own: Vec<usize> = (0..devices.len()).filter(|&place| is_own(&devices[place])).collect();
        let among = own.len().max(list.files.len()) as u64;
        let Some(each) = u64::from(list.count).checked_div(among) else {
            unplaced += u64::from(list.count);
            continue;
        };
        unplaced += u64::from(list.count) - each * own.len() as u64;
        own.into_iter().for_each(|place| devices[place].parts += each);
    }
    if unplaced > 0 {
        odd.push(format!(
            "`{name}` that no GPU gets, for they do not divide or their files are no GPUs: {unplaced}"
        ));
    }
    true
}

/// GPUs of the nodes of a site by both files.
#[derive(Debug, Default)]
pub(super) struct NodeDevices {
    /// The different lists.
    lists: Vec<Vec<ListedGpus>>,
    /// That of each node.
    of: OrderedMap<String, usize>,
}

impl NodeDevices {
    /// By this `gres.conf`, of nodes of these groups, each with these resources; and remarks.
    pub(super) fn new(
        conf: &GresConf,
        group_of: &OrderedMap<String, usize>,
        resources: &[String],
    ) -> (Self, Vec<String>) {
        let mut all = NodeDevices::default();
        let mut known: OrderedMap<(usize, Vec<usize>), (usize, Vec<String>)> = OrderedMap::new();
        let mut numbers: OrderedMap<Vec<ListedGpus>, usize> = OrderedMap::new();
        let mut tally = Tally::default();
        for (host, &group) in group_of {
            let gres = &resources[group];
            if counted(gres).is_empty() {
                if conf.names_gpus_of(host) {
                    tally.add("gres.conf lists GPUs where slurm.conf has none, left out", host);
                }
                continue;
            }
            let places = conf.of_node(host);
            if places.is_empty() {
                continue;
            }
            let said: Vec<&Said> = places.iter().map(|&place| &conf.said[place]).collect();
            let (list, odd) = known.entry((group, places)).or_insert_with(|| {
                let Agreed { gpus, odd } = agreed(gres, &said);
                let next = all.lists.len();
                let list = *numbers.entry(gpus.clone()).or_insert(next);
                if list == next {
                    all.lists.push(gpus);
                }
                (list, odd)
            });
            all.of.insert(host.clone(), *list);
            odd.iter().for_each(|what| tally.add(what, host));
        }
        for host in conf.named().filter(|host| !group_of.contains_key(*host)) {
            tally.add("gres.conf names nodes that slurm.conf does not have", host);
        }
        let remarks = conf.remarks.iter().map(|remark| format!("gres.conf: {remark}"));
        (all, remarks.chain(tally.remarks()).collect())
    }

    /// The number of a node's list, if the `gres.conf` says something of it.
    pub(super) fn of(&self, host: &str) -> Option<usize> {
        self.of.get(host).copied()
    }

    /// The GPUs of a list.
    pub(super) fn list(&self, number: usize) -> Vec<ListedGpus> {
        self.lists[number].clone()
    }
}

/// Remarks, each with how many nodes it is on and the first of them.
#[derive(Debug, Default)]
struct Tally(OrderedMap<String, (u64, String)>);

/// Most remarks that are told one by one.
const MOST_NAMED: usize = 12;

impl Tally {
    fn add(&mut self, what: &str, host: &str) {
        match self.0.get_mut(what) {
            Some((nodes, _)) => *nodes += 1,
            None => drop(self.0.insert(what.to_owned(), (1, host.to_owned()))),
        }
    }

    fn remarks(self) -> Vec<String> {
        let more = self.0.len().saturating_sub(MOST_NAMED);
        let odd = |(what, (nodes, first)): (String, (u64, String))| match nodes {
            1 => format!("{what}: node {first}"),
            _ => format!("{what}: {nodes} nodes, the first is {first}"),
        };
        let mut all: Vec<String> = self.0.into_iter().take(MOST_NAMED).map(odd).collect();
        all.extend((more > 0).then(|| format!("gres.conf contradicts slurm.conf in {more} ways more")));
        all
    }
}
