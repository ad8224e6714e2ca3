//! What was sent: after the end of the parent, before the start of the child, over links that have room, for as long as it takes.

use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::{SimDuration, SimTime};

use super::graph::Edge;
use super::loads::{Holds, Loads, finish, is_same};
use super::run::{Run, TaskRow, TransferRow};
use super::tasks::{Held, out_of_order, overlaps};
use super::{
    DRAWN, Judgement, LinkUse, NO_ORDER, NO_TRANSFERS, SEVERAL, STOPPED, TOGETHER, TransferEnd, Violation,
};

fn rows<'a>(run: &'a Run<'_>) -> Result<&'a [TransferRow], &'static str> {
    run.transfers.as_deref().ok_or(NO_TRANSFERS)
}

/// That something happened to a transfer.
fn of_transfer(row: &TransferRow, what: &str) -> Violation {
    let at = row.start.or(row.ready).unwrap_or_default();
    Violation::of_no_job(at, format!("{} {what}", row.name))
}

/// By copies of a load and host: when the first of them was there.
fn arrivals(run: &Run<'_>) -> Result<OrderedMap<(usize, usize), SimTime>, &'static str> {
    let mut first: OrderedMap<(usize, usize), SimTime> = OrderedMap::new();
    for row in rows(run)? {
        let (Some(load), Some(end), Some((_, to))) = (row.load, row.end, row.ends) else { continue };
        let known = first.entry((run.copies[load], to)).or_insert(end);
        *known = end.min(*known);
    }
    Ok(first)
}

/// No task starts before its data are on its host: of those that other hosts had, some copy has arrived.
pub(super) fn arrived(run: &Run<'_>) -> Judgement {
    let first = arrivals(run)?;
    let found = run.graph.loads.iter().zip(&run.copies).filter_map(|(load, copies)| {
        let (child, from) = (load.to?, run.origin(load)?);
        let row = run.row(child)?;
        let (start, to) = (row.start?, row.host.filter(|to| *to != from)?);
        let what = || match load.from {
            Some(parent) => format!("starts before the data of `{}` are on its host", run.name(parent)),
            None => "starts before its data from the home host are on its host".to_owned(),
        };
        let arrival = first.get(&(*copies, to));
        arrival.is_none_or(|arrival| *arrival > start).then(|| run.of_task(child, start, &what()))
    });
    Ok(found.collect())
}

/// Files that are to be returned are on the home host at the end.
pub(super) fn returned(run: &Run<'_>) -> Judgement {
    if run.files.stopped {
        return Err(STOPPED);
    }
    let first = arrivals(run)?;
    let found = run.graph.loads.iter().zip(&run.copies).filter_map(|(load, copies)| {
        let (writer, home) = (load.from.filter(|_| load.to.is_none())?, run.home?);
        let from = run.row(writer)?.host?;
        let is_there = from == home || first.contains_key(&(*copies, home));
        (!is_there).then(|| run.of_task(writer, SimTime::ZERO, "has written a file that is not returned"))
    });
    Ok(found.collect())
}

/// Whether the data of an edge have to be sent from one host that exists to another.
fn is_sent(edge: Edge, parent: Option<&TaskRow>, child: &TaskRow) -> bool {
    let ends = parent.and_then(|parent| parent.host).zip(child.host);
    edge.bytes.is_some() && ends.is_some_and(|(from, to)| from != to)
}

/// Transfers carry the data of the graph, after the ends of their parents.
pub(super) fn sent(run: &Run<'_>) -> Judgement {
    let mut found = Vec::new();
    // of loads, and of files that are sent by themselves and hosts: those of which a transfer is there that was not broken off
    let mut is_sent: OrderedSet<(usize, Option<usize>)> = OrderedSet::new();
    for row in rows(run)? {
        let Some((place, load)) = row.load.map(|place| (place, &run.graph.loads[place])) else {
            found.push(of_transfer(row, "has no edge of the graph that has data"));
            continue;
        };
        let is_broken_off = row.start.is_some() && row.end.is_none();
        let copy = match load.file {
            Some(_) => (run.copies[place], row.ends.map(|(_, to)| to)),
            None => (place, None),
        };
        let is_again = is_sent.contains(&copy);
        if !is_broken_off {
            is_sent.insert(copy);
        }
        let parent = load.from.and_then(|parent| run.row(parent)).filter(|parent| parent.attempts <= 1);
        let (from, to) = row.ends.unzip();
        let origin = if load.from.is_some() { parent.and_then(|parent| parent.host) } else { run.home };
        let before = |earlier: Option<SimTime>, later: Option<SimTime>| {
            later.is_some_and(|later| earlier.is_none_or(|earlier| earlier > later))
        };
        let what = match () {
            () if load.bytes != row.bytes => "has another size than in the graph",
            () if from.is_some() && (parent.is_some() || load.from.is_none()) && origin != from => {
                "is not from the host of its parent"
            }
            () if load.to.is_none() && to.is_some() && to != run.home => "is not to the home host",
            () if before(row.start, row.end) => "ends before it starts",
            () if before(row.ready, row.start) => "starts before it is ready",
            () if parent.is_some_and(|parent| before(parent.end, row.ready)) => {
                "is ready before its parent has ended"
            }
            () if is_again && run.has_one_plan() => "is made again without another plan",
            () => continue,
        };
        found.push(of_transfer(row, what));
    }
    Ok(found)
}

/// Nothing is sent between hosts that no route joins.
pub(super) fn joined(run: &Run<'_>) -> Vec<Violation> {
    let is_void = |(from, to): &(usize, usize)| !run.platform.is_joined(*from, *to);
    if let Ok(rows) = rows(run) {
        let void = rows.iter().filter(|row| row.start.is_some() && row.ends.as_ref().is_some_and(is_void));
        return void.map(|row| of_transfer(row, "is between hosts that no route joins")).collect();
    }
    let found = run.edges().filter_map(|(_, edge, parent, child)| {
        let start = child.start.filter(|_| is_sent(edge, parent, child))?;
        parent?.host.zip(child.host).filter(is_void)?;
        let what = format!("has data of `{}`, to which no route joins its host", run.name(edge.from));
        Some(run.of_task(edge.to, start, &what))
    });
    found.collect()
}

/// Transfers take as long as latency and bandwidth make them.
pub(super) fn carried(run: &Run<'_>) -> Judgement {
    let (mut found, mut is_open) = (Vec::new(), false);
    let are_together = run.platform.link_use() == LinkUse::Together;
    for row in rows(run)? {
        let (Some(start), Some((from, to))) = (row.start, row.ends) else { continue };
        if !run.platform.is_joined(from, to) {
            continue;
        }
        let failure = run.platform.fails(from, to, start);
        let Some(end) = row.end else {
            if failure.is_none() && !run.files.stopped && run.has_one_plan() {
                found.push(of_transfer(row, "does not arrive, and nothing fails"));
            }
            continue;
        };
        if end < start {
            continue;
        }
        if let Some(failure) = failure.filter(|failure| *failure < end) {
            found.push(of_transfer(row, &format!("arrives, and is broken off at {failure}")));
            continue;
        }
        match run.platform.carried(from, to, row.bytes, start) {
            TransferEnd::At(right) if right != end => {
                found.push(of_transfer(row, &format!("ends at {end}, by its route at {right}")));
            }
            TransferEnd::NotBefore(least) if end < least => {
                found.push(of_transfer(row, &format!("ends at {end}, by its route not before {least}")));
            }
            TransferEnd::Unknown => match &run.loads {
                Some(loads) if !are_together => {
                    let right = under_loads(run, loads, row.bytes, (from, to), start);
                    if right.is_none_or(|right| !is_same(right, end)) {
                        let right = right.map_or("never".to_owned(), |right| format!("at {right}"));
                        found.push(of_transfer(
                            row,
                            &format!("ends at {end}, by the loads of its route {right}"),
                        ));
                    }
                }
                _ => is_open = true,
            },
            _ => {}
        }
    }
    let why = if are_together { TOGETHER } else { DRAWN };
    if is_open && found.is_empty() { Err(why) } else { Ok(found) }
}

/// When a transfer that has its links to itself ends, where some of these have loads that were drawn; nothing if it never does.
fn under_loads(
    run: &Run<'_>,
    loads: &Loads,
    bytes: u64,
    (from, to): (usize, usize),
    start: SimTime,
) -> Option<SimTime> {
    let mut route = Vec::new();
    run.platform.route(from, to, &mut route);
    let latency = run.platform.latency(from, to, start);
    // the least bandwidth of the route, until one of them changes
    let rate = |at| {
        let mut least: Holds = (f64::INFINITY, None);
        for &link in &route {
            let (value, until) = run.platform.bandwidth(link, at).or_else(|| loads.of_link(link, at))?;
            least = (least.0.min(value), least.1.into_iter().chain(until).min());
        }
        Some(least)
    };
    finish(start.saturating_add(SimDuration::ceil_secs(latency)), bytes as f64, rate)
}

/// When links carry what, in the rank of the rows, if they carry one after another.
fn on_links(run: &Run<'_>) -> Result<Vec<Held<usize>>, &'static str> {
    let rows = rows(run)?;
    if run.platform.link_use() == LinkUse::Together {
        return Err(TOGETHER);
    }
    let (mut spans, mut route) = (Vec::new(), Vec::new());
    for (holder, row) in (0..).zip(rows) {
        let (Some(start), Some((from, to))) = (row.start, row.ends) else { continue };
        if run.platform.is_joined(from, to) {
            route.clear();
            run.platform.route(from, to, &mut route);
            route.stable_sort();
            route.dedup();
            // what is broken off ends with a failure
            let last = if run.files.stopped { SimTime::MAX } else { start };
            let end = row.end.or_else(|| run.platform.fails(from, to, start)).unwrap_or(last);
            let rank = u64::from(holder);
            spans.extend(route.iter().map(|&resource| Held { resource, start, end, rank, holder }));
        }
    }
    Ok(spans)
}

/// That something happened to the first transfer of each pair because of the other.
fn of_pairs(run: &Run<'_>, pairs: Vec<(Held<usize>, Held<usize>)>, what: &str) -> Judgement {
    let rows = rows(run)?;
    let of_pair = |(span, other): (Held<usize>, Held<usize>)| {
        of_transfer(&rows[span.holder as usize], &format!("{what} {}", rows[other.holder as usize].name))
    };
    Ok(pairs.into_iter().map(of_pair).collect())
}

/// No link carries two transfers at once.
pub(super) fn apart(run: &Run<'_>) -> Judgement {
    of_pairs(run, overlaps(&mut on_links(run)?), "starts on a link that carries")
}

/// Links carry transfers in the planned order.
pub(super) fn in_order(run: &Run<'_>) -> Judgement {
    let mut spans = on_links(run)?;
    if run.platform.link_use() == LinkUse::OneByOne {
        return Err(NO_ORDER);
    }
    if !run.has_one_plan() {
        return Err(SEVERAL);
    }
    of_pairs(run, out_of_order(&mut spans), "overtakes on a link")
}
