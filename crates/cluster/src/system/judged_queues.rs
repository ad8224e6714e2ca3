//! Queues of a resolved scenario, as the judge of its runs reads them.

use crate::collections::{Interval, OrderedMap};
use crate::judge::{
    ChargeRule, JudgedQueue, LimitBound, LimitMeasure, LimitedQueue, LimitedQueues, OwnNodes, PriorityRule,
    QueueNumber,
};
use crate::kernel::SimDuration;
use crate::units::duration;
use crate::workload::Job;

/// The tables of queues.
fn tables(resolved: &toml::Table) -> impl Iterator<Item = &toml::Value> {
    let queues = resolved.get("policy").and_then(|policy| policy.get("queues"));
    queues.and_then(toml::Value::as_array).into_iter().flatten()
}

fn text<'a>(table: &'a toml::Value, key: &str) -> &'a str {
    table.get(key).and_then(toml::Value::as_str).unwrap_or_default()
}

fn texts<'a>(table: &'a toml::Value, key: &str) -> Option<Vec<&'a str>> {
    Some(table.get(key)?.as_array()?.iter().filter_map(toml::Value::as_str).collect())
}

/// Keys of the most that runs of a queue may have together, each also with `-per-user`.
const BOUNDS: [(&str, LimitMeasure); 4] = [
    ("max-running", LimitMeasure::Jobs),
    ("max-running-procs", LimitMeasure::Procs),
    ("max-running-nodes", LimitMeasure::Nodes),
    ("max-running-gpus", LimitMeasure::Gpus),
];

/// Keys of the most that one job may have.
const SIZES: [(&str, LimitMeasure); 3] = [
    ("max-procs", LimitMeasure::Procs),
    ("max-nodes", LimitMeasure::Nodes),
    ("max-gpus", LimitMeasure::Gpus),
];

fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

fn span(table: &toml::Value, key: &str) -> Option<SimDuration> {
    duration(table.get(key)?.as_str()?).ok().map(SimDuration::from_nanos)
}

/// The numbers that a queue lists.
fn numbers(table: &toml::Value) -> Vec<u16> {
    let list = table.get("numbers").and_then(toml::Value::as_array).into_iter().flatten();
    list.filter_map(toml::Value::as_integer).filter_map(|number| u16::try_from(number).ok()).collect()
}

/// The number that `of` is about.
fn list_of(kind: &str) -> QueueNumber {
    match kind {
        "partition" => QueueNumber::Partition,
        "qos" => QueueNumber::Qos,
        _ => QueueNumber::Queue,
    }
}

/// The queues with their limits, if there are any.
pub(super) fn limits(resolved: &toml::Table) -> Option<LimitedQueues> {
    let count = |table: &toml::Value, key: &str| {
        table.get(key).and_then(toml::Value::as_integer).map(i64::cast_unsigned)
    };
    let queue = |table: &toml::Value| {
        let bound = |(key, measure): (&str, LimitMeasure)| {
            [(key.to_owned(), false), (format!("{key}-per-user"), true)]
                .map(|(key, per_user)| count(table, &key).map(|most| LimitBound { measure, per_user, most }))
        };
        LimitedQueue {
            name: text(table, "name").to_owned(),
            of: list_of(text(table, "of")),
            numbers: numbers(table),
            priority: table.get("priority").and_then(number).unwrap_or(0.0),
            longest: span(table, "max-run-time"),
            largest: SIZES
                .into_iter()
                .filter_map(|(key, measure)| Some((measure, count(table, key)?)))
                .collect(),
            bounds: BOUNDS.into_iter().flat_map(bound).flatten().collect(),
            considered: count(table, "max-queued-per-user"),
        }
    };
    let all: Vec<LimitedQueue> = tables(resolved).map(queue).collect();
    (!all.is_empty()).then_some(LimitedQueues(all))
}

/// The rule of an order, if it is by priority.
pub(super) fn priority(order: Option<&toml::Value>) -> Option<PriorityRule> {
    let table = order.filter(|order| text(order, "kind") == "priority")?;
    let weight = |key: &str| table.get(key).and_then(number).unwrap_or(0.0);
    let by_account = |key: &str| -> OrderedMap<u32, f64> {
        let all = table.get(key).and_then(toml::Value::as_table).into_iter().flatten();
        all.filter_map(|(account, value)| Some((account.parse().ok()?, number(value)?))).collect()
    };
    Some(PriorityRule {
        age: weight("age"),
        size: weight("size"),
        fairshare: weight("fairshare"),
        queues: ["queue", "partition", "qos"].map(weight),
        run_time: weight("run-time"),
        max_age: span(table, "max-age")?,
        longest: span(table, "longest")?,
        half_life: span(table, "half-life")?,
        interval: span(table, "interval")?,
        by_group: text(table, "accounts") == "group",
        shares: by_account("shares"),
        grant: by_account("grant"),
        charge: charge(table),
    })
}

/// The rule of charges of an order by priority.
fn charge(order: &toml::Value) -> ChargeRule {
    let Some(table) = order.get("charge") else { return ChargeRule::ProcessorTime };
    let weight = |key: &str| table.get(key).and_then(number).unwrap_or(0.0);
    let pools = table.get("pools").and_then(toml::Value::as_table).into_iter().flatten();
    match table.as_str().unwrap_or_else(|| text(table, "by")) {
        "processor-time" => ChargeRule::ProcessorTime,
        "dominant" => ChargeRule::Dominant,
        _ => ChargeRule::Weights {
            processor: weight("processor"),
            gpu: weight("gpu"),
            memory_gib: weight("memory-gib"),
            pools: pools.filter_map(|(name, weight)| Some((name.clone(), number(weight)?))).collect(),
        },
    }
}

/// Queues with nodes of their own and those that go by the same number, if there are any with
/// nodes; `jobs` are those of the workload, if they are known.
pub(super) fn own_nodes(resolved: &toml::Table, jobs: Option<&[Job]>) -> Option<OwnNodes> {
    let has_nodes = |table: &&toml::Value| table.get("nodes").is_some();
    let kind = text(tables(resolved).find(has_nodes)?, "of");
    let queue = |table: &toml::Value| JudgedQueue {
        name: text(table, "name").to_owned(),
        numbers: numbers(table),
        on: texts(table, "nodes").map(|names| processors(resolved, &names)),
        order: table.get("order").map(|order| text(order, "kind").to_owned()),
        priority: priority(table.get("order")),
    };
    let of = list_of(kind);
    let queues = tables(resolved).filter(|table| text(table, "of") == kind).map(queue).collect();
    let own = OwnNodes { of, queues, are_open: false };
    let are_open = jobs.is_some_and(|jobs| jobs.iter().any(|job| own.queue_of(job).is_none()));
    Some(OwnNodes { are_open, ..own })
}

/// Processors of the groups that have one of these features.
fn processors(resolved: &toml::Table, names: &[&str]) -> Vec<Interval> {
    let groups = resolved.get("cluster").and_then(|cluster| cluster.get("group"));
    let (mut first, mut found) = (0_u32, Vec::new());
    for group in groups.and_then(toml::Value::as_array).into_iter().flatten() {
        let count = |key: &str, or: u32| {
            let stated = group.get(key).and_then(toml::Value::as_integer);
            stated.and_then(|count| u32::try_from(count).ok()).unwrap_or(or)
        };
        let all = count("nodes", 0).saturating_mul(count("processors", 1));
        let features = texts(group, "features").unwrap_or_default();
        if all > 0 && features.iter().any(|name| names.contains(name)) {
            found.push(Interval::new(first, first + (all - 1)));
        }
        first = first.saturating_add(all);
    }
    found
}
