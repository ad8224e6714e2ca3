//! Transfers: after the end of the parent, before the start of the child, over links that have
//! room, for as long as they take.

use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::{SimDuration, SimTime};

use super::attempts::{Attempt, had_data};
use super::graph::Edge;
use super::run::{Run, TaskRow, TransferRow};
use super::tasks::{Held, out_of_order, overlaps};
use super::{
    DRAWN, DrawnLoad, Judgement, LinkUse, NO_TRANSFERS, PartFailure, PartLeft, STOPPED, TOGETHER, Violation,
};
use crate::check::loads::{Holds, finish, is_end, is_same};

fn rows<'a>(run: &'a Run<'_>) -> Result<&'a [TransferRow], &'static str> {
    run.transfers.as_deref().ok_or(NO_TRANSFERS)
}

/// Returns a violation of a transfer.
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

/// No task starts before its data are on its host: of those that other hosts had, some copy has
/// arrived.
pub(super) fn arrived(run: &Run<'_>) -> Judgement {
    if run.attempts.is_recorded && run.transfers.is_some() {
        return Ok(had_data(run));
    }
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
    // what was written there once stays there, also where its task was computed again
    let ended_at_home = |attempt: &&Attempt| {
        attempt.end.is_some() && attempt.place.is_some_and(|(host, _)| Some(host) == run.home)
    };
    let at_home: OrderedSet<u32> =
        run.attempts.all.iter().filter(ended_at_home).map(|attempt| attempt.task).collect();
    let found = run.graph.loads.iter().zip(&run.copies).filter_map(|(load, copies)| {
        let (writer, home) = (load.from.filter(|_| load.to.is_none())?, run.home?);
        run.row(writer)?.host?;
        let is_there = at_home.contains(&writer) || first.contains_key(&(*copies, home));
        (!is_there).then(|| run.of_task(writer, SimTime::ZERO, "has written a file that is not returned"))
    });
    Ok(found.collect())
}

/// Returns true if the data of an edge have to be sent from one host that exists to another.
fn is_sent(edge: Edge, parent: Option<&TaskRow>, child: &TaskRow) -> bool {
    let ends = parent.and_then(|parent| parent.host).zip(child.host);
    edge.bytes.is_some() && ends.is_some_and(|(from, to)| from != to)
}

/// Host and instant at which data arrived; `None` if they had not when the run ended.
type Arrived = Option<(usize, SimTime)>;

/// Transfers carry the data of the graph, after the ends of their parents.
pub(super) fn sent(run: &Run<'_>) -> Judgement {
    let mut found = Vec::new();
    // of loads, and of files that are sent by themselves and hosts: where and when the last
    // transfer that was not broken off arrived
    let mut arrived: OrderedMap<(usize, Option<usize>), Arrived> = OrderedMap::new();
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
        let earlier = arrived.get(&copy).copied();
        if !is_broken_off {
            arrived.insert(copy, row.ends.map(|(_, to)| to).zip(row.end));
        }
        // a host that failed may have lost them
        let is_lost = || {
            let (host, end) = earlier.flatten()?;
            let failed = run.platform.fails(host, host, end).filter(|_| !run.files.keeps_data)?;
            Some(row.start.or(row.ready).is_none_or(|again| failed <= again))
        };
        let parent = run.writer(row).map(|writer| &run.attempts.all[writer]);
        let (from, to) = row.ends.unzip();
        let written = parent.and_then(|parent| parent.place).map(|(host, _)| host);
        let origin = if load.from.is_some() { written } else { run.home };
        let before = |earlier: Option<SimTime>, later: Option<SimTime>| {
            later.is_some_and(|later| earlier.is_none_or(|earlier| earlier > later))
        };
        let what = match () {
            () if row.ends.is_none() => "is between hosts that do not exist",
            () if !is_named(run, load, &row.file) => "has the name of another file",
            () if load.bytes != row.bytes => "has another size than in the graph",
            () if from.is_some() && (origin.is_some() || load.from.is_none()) && origin != from => {
                "is not from the host of its parent"
            }
            () if load.to.is_none() && to.is_some() && to != run.home => "is not to the home host",
            () if before(row.start, row.end) => "ends before it starts",
            () if before(row.ready, row.start) => "starts before it is ready",
            () if parent.is_some_and(|parent| before(parent.end, row.ready)) => {
                "is ready before its parent has ended"
            }
            () if earlier.is_some() && run.has_one_plan() && is_lost() != Some(true) => {
                "is made again without another plan"
            }
            () => continue,
        };
        found.push(of_transfer(row, what));
    }
    Ok(found)
}

/// Returns true if a transfer of a load may have this name: one that the scenario has, or none if
/// it has none.
fn is_named(run: &Run<'_>, load: &super::graph::Load, name: &str) -> bool {
    let task = |task: Option<u32>| task.map(|task| run.name(task).to_owned());
    let (from, to) = (task(load.from), task(load.to));
    let first = run.files.sent_files.partition_point(|file| (&file.from, &file.to) < (&from, &to));
    let mut files =
        run.files.sent_files[first..].iter().take_while(|file| (&file.from, &file.to) == (&from, &to));
    match &load.file {
        Some(file) => **file == *name,
        None if run.files.summary.is_none() => true,
        None if run.files.cache => name.is_empty(),
        None => (name.is_empty() && files.clone().next().is_none()) || files.any(|file| file.name == name),
    }
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
    let (mut found, mut is_open) = (Vec::new(), None);
    for row in rows(run)? {
        let (Some(start), Some((from, to))) = (row.start, row.ends) else { continue };
        if !run.platform.is_joined(from, to) {
            continue;
        }
        let failures = run.platform.failures(from, to, start);
        let Some(end) = row.end else {
            let is_before =
                |failure: &PartFailure, at| failure.left == PartLeft::AtArrival && failure.at < at;
            let breaks_off = |at: SimTime| {
                failures.iter().any(|failure| failure.at == at)
                    && !failures.iter().any(|failure| is_before(failure, at))
            };
            if row.broken_off.is_some_and(|at| !breaks_off(at)) {
                found.push(of_transfer(row, "is broken off, and nothing fails then"));
            }
            if failures.is_empty() && !run.files.stopped && run.has_one_plan() {
                found.push(of_transfer(row, "does not arrive, and nothing fails"));
            }
            continue;
        };
        if end < start {
            continue;
        }
        if let Some(failure) = failures.iter().find(|failure| failure.precludes(end)) {
            found.push(of_transfer(row, &format!("arrives, and is broken off at {}", failure.at)));
            continue;
        }
        if run.platform.link_use() == LinkUse::Shared {
            is_open = Some(TOGETHER);
            continue;
        }
        match alone(run, row.bytes, (from, to), start) {
            Err(why) => is_open = Some(why),
            Ok(right) => {
                let route = Route::of(run, (from, to));
                let begun = route.begun(run, start);
                let rate = |at| route.rate(run, at);
                let is_exact = rate(begun).is_some_and(|(_, until)| until.is_none()) && route.links.len() < 2;
                let is_right = match right {
                    Some(right) if is_exact => right == end,
                    right => {
                        is_end((begun, end), row.bytes as f64, right, rate)
                            || right.is_some_and(|right| is_same(right, end))
                    }
                };
                if !is_right {
                    let right = right.map_or("never".to_owned(), |right| format!("at {right}"));
                    found.push(of_transfer(row, &format!("ends at {end}, by its route {right}")));
                }
            }
        }
    }
    match is_open {
        Some(why) if found.is_empty() => Err(why),
        _ => Ok(found),
    }
}

/// The links between two hosts.
struct Route {
    ends: (usize, usize),
    links: Vec<usize>,
}

impl Route {
    fn of(run: &Run<'_>, (from, to): (usize, usize)) -> Self {
        let mut links = Vec::new();
        run.platform.route(from, to, &mut links);
        Route { ends: (from, to), links }
    }

    /// Instant at which the first byte is on its way.
    fn begun(&self, run: &Run<'_>, start: SimTime) -> SimTime {
        let latency = run.platform.latency(self.ends.0, self.ends.1, start);
        start.saturating_add(SimDuration::ceil_secs(latency))
    }

    /// The least bandwidth, until one of them changes; nothing if one is not known.
    fn rate(&self, run: &Run<'_>, at: SimTime) -> Option<Holds> {
        self.least(run, at, |link| run.loads.as_ref().and_then(|loads| loads.of_link(link, at)))
    }

    /// The same, where `drawn` has what was drawn.
    fn least(&self, run: &Run<'_>, at: SimTime, drawn: impl Fn(usize) -> Option<Holds>) -> Option<Holds> {
        let mut least: Holds = (f64::INFINITY, None);
        for &link in &self.links {
            let (value, until) = run.platform.bandwidth(link, at).or_else(|| drawn(link))?;
            least = (least.0.min(value), least.1.into_iter().chain(until).min());
        }
        Some(least)
    }
}

/// End of a transfer that has its links to itself: nothing if it never ends.
///
/// # Errors
/// The bandwidth of a link was drawn, and is in no file.
pub(super) fn alone(
    run: &Run<'_>,
    bytes: u64,
    ends: (usize, usize),
    start: SimTime,
) -> Result<Option<SimTime>, &'static str> {
    let route = Route::of(run, ends);
    let begun = route.begun(run, start);
    if route.rate(run, begun).is_none() {
        return if run.loads.is_some() { Ok(None) } else { Err(DRAWN) };
    }
    Ok(finish(begun, bytes as f64, |at| route.rate(run, at)))
}

/// The same as plans see it that know all loads, which the file has up to the end of the run.
///
/// # Errors
/// The bandwidth of a link was drawn, and is in no file.
pub(super) fn as_planned(
    run: &Run<'_>,
    bytes: u64,
    ends: (usize, usize),
    start: SimTime,
) -> Result<Option<SimTime>, &'static str> {
    let route = Route::of(run, ends);
    let begun = route.begun(run, start);
    let known = |link, at| run.platform.drawn(DrawnLoad::Link(link), at).filter(|_| run.loads.is_some());
    let rate = |at| route.least(run, at, |link| known(link, at));
    rate(begun).ok_or(DRAWN)?;
    Ok(finish(begun, bytes as f64, rate))
}

/// The spans in which links carry transfers, in the rank of the rows, if they carry one after
/// another.
pub(super) fn on_links(run: &Run<'_>) -> Result<Vec<Held<usize>>, &'static str> {
    let rows = rows(run)?;
    if run.platform.link_use() != LinkUse::OneByOne {
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
            let last = if run.files.stopped || run.attempts.is_recorded { SimTime::MAX } else { start };
            let fails = || run.platform.fails(from, to, start).filter(|_| !run.attempts.is_recorded);
            let end = row.end.or(row.broken_off).or_else(fails).unwrap_or(last);
            let rank = u64::from(holder);
            spans.extend(route.iter().map(|&resource| Held { resource, start, end, rank, holder }));
        }
    }
    Ok(spans)
}

/// Returns a violation of the first transfer of each pair, by the other.
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
///
/// Rows are in the order of the last plan that had them: what a later plan sends has another place,
/// behind all that had started.
pub(super) fn in_order(run: &Run<'_>) -> Judgement {
    of_pairs(run, out_of_order(&mut on_links(run)?), "overtakes on a link")
}
