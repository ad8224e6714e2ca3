//! `[cluster.pools]`: pools beside processors, licences above all, and what jobs ask of them.

use crate::batch::pools::Pool;
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::registry::{Complaint, Key, Kind, Params, Span, Tree, code, key, suggestion};
use crate::workload::resources::{DEMAND, amounts_of_pools};
use crate::workload::source::LoadedWorkload;
use crate::workload::{Attribute, Labels};

/// Pools of a site.
pub(super) const POOLS: Key = key! {
    "pools" Kind::Map(&Kind::Count { least: 1, most: u32::MAX as u64 }), absent "there are none" =>
        "pools beside processors, of which jobs hold amounts while they run: how much there is of each, by its name, \
         as of licences (detail `job` only)", source "Slurm, Licenses"
};

/// Place at which jobs ask for amounts of pools, if they do.
pub(super) fn asked(params: &Params<'_>, loaded: &LoadedWorkload) -> Option<Span> {
    let workload = params.section("workload");
    let rule = workload.items(DEMAND.name).iter().find_map(|rule| rule.at("pools"));
    let column = workload.tree().at("columns.pools");
    let stated = || loaded.attributes.has(Attribute::Pools).then(|| workload.span("columns"));
    rule.or(column).map(|node| node.span).or_else(stated)
}

/// The pools of a run; empty if the site has none.
///
/// # Errors
/// Jobs ask for amounts of pools where the site has none, or in words that are no list of them.
pub(super) fn pools(params: &Params<'_>, loaded: &LoadedWorkload) -> Result<Vec<Pool>, Complaint> {
    let (cluster, at) = (params.section("cluster"), asked(params, loaded));
    if !cluster.has(POOLS.name) {
        return match at {
            None => Ok(Vec::new()),
            Some(at) => {
                let message = "it is not stated how much there is of the pools that these jobs ask for";
                let complaint = Complaint::new(code::MISSING_KEY, message, at);
                Err(complaint.help("write [cluster.pools] with the amount of each, as matlab = 10"))
            }
        };
    }
    let table = cluster.section(POOLS.name);
    let mut amounts: OrderedMap<String, u32> = OrderedMap::new();
    for slot in table.tree().slots() {
        if amounts_of_pools(&slot.name).is_none_or(|list| list != [(slot.name.as_str(), 1)]) {
            let message = format!("a pool cannot be called `{}`", slot.name);
            let complaint = Complaint::new(code::RANGE, message, slot.span);
            return Err(complaint.label("expected letters, digits and `_-.@/`"));
        }
        amounts.insert(slot.name.clone(), table.read(&slot.name)?);
    }
    unknown(params, &amounts)?;
    let asked = match loaded.attributes.labels(Attribute::Pools) {
        None => OrderedMap::new(),
        Some(labels) => by_pool(labels, loaded.jobs.len()).map_err(|text| {
            let at = at.unwrap_or_else(|| params.span("workload"));
            let message = format!("a job asks for `{text}`, which is no list of pools");
            let complaint = Complaint::new(code::RANGE, message, at);
            complaint.label("expected names with amounts, as matlab:2,abaqus:10")
        })?,
    };
    // a pool that the site has not is one of nothing
    asked.keys().for_each(|name| _ = amounts.entry(name.clone()).or_insert(0));
    let mut asked = asked;
    let pool = |(name, count): (String, u32)| {
        let asked = asked.remove(&name).unwrap_or_default();
        Pool { name, count, asked }
    };
    Ok(amounts.into_iter().map(pool).collect())
}

/// Reports a pool that a rule of demands names and that the site has not; in columns of a table it
/// is a matter of the jobs, which are rejected.
fn unknown(params: &Params<'_>, amounts: &OrderedMap<String, u32>) -> Result<(), Complaint> {
    let workload = params.section("workload");
    let rules = workload.items(DEMAND.name).iter().filter_map(|rule| rule.at("pools")?.as_table());
    match rules.flat_map(Tree::slots).find(|slot| !amounts.contains_key(&slot.name)) {
        None => Ok(()),
        Some(slot) => {
            let message = format!("the site has no pool `{}`", slot.name);
            let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
            Err(complaint.help(suggestion(&slot.name, amounts.keys().map(String::as_str))))
        }
    }
}

/// Amounts that jobs ask for, by the names of the pools.
type AskedByPool = OrderedMap<String, Vec<(JobId, u32)>>;

/// Amounts that so many jobs ask for; the first text that is no list.
fn by_pool(labels: &Labels, jobs: usize) -> Result<AskedByPool, &str> {
    let lists = labels.names().iter().map(|text| amounts_of_pools(text).ok_or(text.as_str()));
    let lists = lists.collect::<Result<Vec<_>, _>>()?;
    let mut all = AskedByPool::new();
    for place in 0..jobs {
        let list = labels.number(place).map_or(&[][..], |number| &lists[number as usize]);
        for &(name, amount) in list.iter().filter(|(_, amount)| *amount > 0) {
            all.entry(name.to_owned()).or_default().push((JobId(place as u32), amount));
        }
    }
    Ok(all)
}
