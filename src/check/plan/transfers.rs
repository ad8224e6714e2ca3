//! What was sent: after the end of the parent, before the start of the child, over links that have room, for as long as it takes.

use crate::kernel::SimTime;

use super::graph::Edge;
use super::run::{Run, TaskRow, TransferRow};
use super::tasks::{Held, out_of_order, overlaps};
use super::{DRAWN, Judgement, LinkUse, NO_ORDER, NO_TRANSFERS, SEVERAL, TOGETHER, TransferEnd, Violation};

fn rows<'a>(run: &'a Run<'_>) -> Result<&'a [TransferRow], &'static str> {
    run.transfers.as_deref().ok_or(NO_TRANSFERS)
}

/// That something happened to a transfer.
fn of_transfer(row: &TransferRow, what: &str) -> Violation {
    let at = row.start.or(row.ready).unwrap_or_default();
    Violation::of_no_job(at, format!("{} {what}", row.name))
}

/// No task starts before its data are on its host: of those that other hosts had, some copy has arrived.
pub(super) fn arrived(run: &Run<'_>) -> Judgement {
    let mut first: Vec<Option<SimTime>> = vec![None; run.graph.edges.len()];
    for row in rows(run)? {
        let (Some(edge), Some(end), Some((_, to))) = (row.edge, row.end, row.ends) else { continue };
        if run.row(run.graph.edges[edge].to).is_some_and(|child| child.host == Some(to)) {
            first[edge] = Some(first[edge].map_or(end, |known| known.min(end)));
        }
    }
    let found = run.edges().filter_map(|(number, edge, parent, child)| {
        let start = child.start.filter(|_| is_sent(edge, parent, child))?;
        let what = || format!("starts before the data of `{}` are on its host", run.name(edge.from));
        first[number].is_none_or(|arrival| arrival > start).then(|| run.of_task(edge.to, start, &what()))
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
    // by edge: whether a transfer is there that was not broken off
    let mut is_sent = vec![false; run.graph.edges.len()];
    for row in rows(run)? {
        let edge = row.edge.map(|place| (place, run.graph.edges[place]));
        let Some((place, edge)) = edge.filter(|(_, edge)| edge.bytes.is_some()) else {
            found.push(of_transfer(row, "has no edge of the graph that has data"));
            continue;
        };
        let is_broken_off = row.start.is_some() && row.end.is_none();
        let is_again = std::mem::replace(&mut is_sent[place], !is_broken_off);
        let parent = run.row(edge.from).filter(|parent| parent.attempts <= 1);
        let from = row.ends.map(|(from, _)| from);
        let before = |earlier: Option<SimTime>, later: Option<SimTime>| {
            later.is_some_and(|later| earlier.is_none_or(|earlier| earlier > later))
        };
        let what = match () {
            () if edge.bytes != Some(row.bytes) => "has another size than in the graph",
            () if from.is_some() && parent.is_some_and(|parent| parent.host != from) => {
                "is not from the host of its parent"
            }
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
            TransferEnd::Unknown => is_open = true,
            _ => {}
        }
    }
    if is_open && found.is_empty() { Err(DRAWN) } else { Ok(found) }
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
            route.sort_unstable();
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
