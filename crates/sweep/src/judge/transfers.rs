//! Transfers: one at a time on a link, for as long as it takes, inputs before
//! computations and outputs after them.

use crate::check::loads::{finish, is_same};
use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::{SimDuration, SimTime};

use super::facts::NotKnown;
use super::run::{AGAIN, ANY_ORDER, NO_PLANS, NO_TRANSFERS, ROOM, Run, SEVERAL, TransferRow};
use super::storages::{Copies, Stays};
use super::{Judgement, SweepValue, Violation};

pub(super) fn rows<'a>(run: &'a Run<'_>) -> Result<&'a [TransferRow], &'static str> {
    run.transfers.as_deref().ok_or(NO_TRANSFERS)
}

fn of_transfer(row: &TransferRow, what: &str) -> Violation {
    Violation::of_no_job(row.start, format!("the transfer of file `{}` {what}", row.file))
}

/// Transfers carry files of the tasks that they are for, of their sizes, from or to clusters that
/// exist, over the links between these and the origins of the files, or others that have them, once
/// the tasks have arrived.
pub(super) fn sent(run: &Run<'_>) -> Judgement {
    let mut found = Vec::new();
    let copies = Copies::of(run)?;
    for row in rows(run)? {
        let what = match (row.task, row.place) {
            (None, _) => "is for a task that is not in the application",
            (_, None) => "is for a task that has no such file",
            _ if row.cluster.is_none() => "is to or from a cluster that does not exist",
            (_, Some(place)) if run.sizes[place].bytes != row.bytes => "is of another size than the file",
            (_, Some(_)) if row.is_copy && run.source_of(row).is_none() => {
                "is on no link between its cluster and another"
            }
            (_, Some(_)) if row.is_copy && !copies.is_there(row) => {
                "comes from a cluster that does not have it"
            }
            (_, Some(place)) if !row.is_copy && !is_on_its_link(run, place, row) => {
                "is on another link than that to its origin"
            }
            (Some(task), _) if row.start < run.works[task].arrival => "begins before its task has arrived",
            _ if row.end.is_some_and(|end| end < row.start) => "ends before it starts",
            _ => continue,
        };
        found.push(of_transfer(row, what));
    }
    Ok(found)
}

/// Returns true if a transfer is on the link that leads to the origin of its file.
fn is_on_its_link(run: &Run<'_>, place: usize, row: &TransferRow) -> bool {
    let origin = run.sizes[place].origin;
    let right = origin.zip(row.cluster).map(|(origin, cluster)| run.grid.link_of(origin, cluster));
    right.is_some() && row.link == right
}

/// The first instant in a span at which a cluster of a transfer is not there.
pub(super) fn absence(
    run: &Run<'_>,
    row: &TransferRow,
    span: (SimTime, SimTime),
) -> Result<Option<SimTime>, NotKnown> {
    let clusters = row.cluster.into_iter().chain(run.source_of(row));
    let of = |cluster| run.values.first_absence(run.grid, (SweepValue::ClusterPresence, cluster), span);
    let all = clusters.map(of).collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().flatten().min())
}

/// Instant at which a link leaves while it carries a transfer that has no end; nothing if it does
/// not, or that is not known.
pub(super) fn broken_off(run: &Run<'_>, row: &TransferRow) -> Result<Option<SimTime>, NotKnown> {
    absence(run, row, (row.start, SimTime::MAX))
}

/// No link carries two transfers at once.
pub(super) fn apart(run: &Run<'_>) -> Judgement {
    let mut on_links: OrderedMap<usize, Vec<(SimTime, SimTime, usize)>> = OrderedMap::new();
    for (place, row) in rows(run)?.iter().enumerate() {
        let Some((_, link)) = row.cluster.zip(row.link) else { continue };
        let open = || broken_off(run, row).ok().flatten().unwrap_or(row.start);
        let end = row.end.unwrap_or_else(open);
        on_links.entry(link).or_default().push((row.start, end, place));
    }
    let mut found = Vec::new();
    for spans in on_links.values_mut() {
        spans.stable_sort();
        let mut free = (SimTime::ZERO, 0);
        for &(start, end, place) in &*spans {
            if start < free.0 {
                let what = format!("starts on a link that carries file `{}`", rows(run)?[free.1].file);
                found.push(of_transfer(&rows(run)?[place], &what));
            }
            free = free.max((end, place));
        }
    }
    Ok(found)
}

/// Of two transfers of a link, that which is planned first starts first, where one plan was made
/// and links wait for what is next: not for what a storage has no room for.
pub(super) fn in_order(run: &Run<'_>) -> Judgement {
    let rows = rows(run)?;
    match run.plans.as_ref().map(Vec::len) {
        _ if !run.files.links_in_order => return Err(ANY_ORDER),
        None | Some(0) => return Err(NO_PLANS),
        Some(1) => {}
        Some(_) => return Err(SEVERAL),
    }
    if run.rows().any(|(_, row)| row.attempts > 1) {
        return Err(AGAIN);
    }
    let is_limited = |cluster: usize| run.grid.capacity(cluster).is_some();
    if (0..run.grid.clusters()).all(is_limited) {
        return Err(ROOM);
    }
    let mut on_links: OrderedMap<usize, Vec<(SimTime, SimTime, usize)>> = OrderedMap::new();
    for (place, row) in rows.iter().enumerate() {
        if row.cluster.into_iter().chain(run.source_of(row)).any(is_limited) {
            continue;
        }
        if let Some((link, planned)) = row.link.zip(row.planned) {
            on_links.entry(link).or_default().push((planned, row.start, place));
        }
    }
    let mut found = Vec::new();
    for planned in on_links.values_mut() {
        planned.stable_sort();
        for pair in planned.windows(2) {
            let [(first, start, one), (second, earlier, other)] = [pair[0], pair[1]];
            // transfers that are planned for one instant may start in any order
            if first < second && earlier < start {
                let what = format!("starts before file `{}`, which is planned before it", rows[one].file);
                found.push(of_transfer(&rows[other], &what));
            }
        }
    }
    Ok(found)
}

/// Instant at which a transfer arrives by the latency and the bandwidth of its link; nothing if it
/// never does.
fn by_its_link(run: &Run<'_>, link: usize, row: &TransferRow) -> Result<Option<SimTime>, NotKnown> {
    let latency = run.values.at(run.grid, (SweepValue::Latency, link), row.start);
    let bandwidth = |at| run.values.at(run.grid, (SweepValue::Bandwidth, link), at);
    let (Some((latency, _)), Some(_)) = (latency, bandwidth(row.start)) else { return Err(NotKnown) };
    let begins = row.start.saturating_add(SimDuration::ceil_secs(latency));
    Ok(if row.bytes == 0 { Some(begins) } else { finish(begins, row.bytes as f64, bandwidth) })
}

/// Links that are not there carry nothing, and what does not arrive was broken off, or was in
/// progress as the last task was completed.
pub(super) fn present(run: &Run<'_>) -> Judgement {
    let (mut found, mut is_open) = (Vec::new(), false);
    let last = run.rows().filter_map(|(_, row)| row.completed).max().unwrap_or_default();
    for row in rows(run)? {
        let Some((_, link)) = row.cluster.zip(row.link) else { continue };
        let until = row.end.unwrap_or(SimTime::MAX).max(row.start);
        match (absence(run, row, (row.start, until)), row.end) {
            (Ok(Some(at)), _) if at <= row.start => {
                found.push(of_transfer(row, "begins on a link that is not there"));
            }
            (Ok(Some(at)), Some(_)) => {
                found.push(of_transfer(row, &format!("arrives, and its link is not there at {at}")));
            }
            (Ok(None), None) if !run.files.stopped => match by_its_link(run, link, row) {
                Ok(end) if end.is_some_and(|end| end < last) => {
                    found.push(of_transfer(row, "does not arrive, and its link is there"));
                }
                Ok(_) => {}
                Err(NotKnown) => is_open = true,
            },
            (Err(NotKnown), _) => is_open = true,
            _ => {}
        }
    }
    Run::unless_drawn(is_open, found)
}

/// Transfers take as long as latency and bandwidth make them.
pub(super) fn carried(run: &Run<'_>) -> Judgement {
    let (mut found, mut is_open) = (Vec::new(), false);
    for row in rows(run)? {
        let (Some(link), Some(end)) = (row.link, row.end) else { continue };
        if end < row.start {
            continue;
        }
        let Ok(right) = by_its_link(run, link, row) else {
            is_open = true;
            continue;
        };
        if right.is_none_or(|right| !is_same(right, end)) {
            let right = right.map_or("never".to_owned(), |right| format!("at {right}"));
            found.push(of_transfer(row, &format!("ends at {end}, by its link {right}")));
        }
    }
    Run::unless_drawn(is_open, found)
}

/// An input on a cluster: for which task, where files do not stay.
pub(super) type There = (usize, usize, Option<usize>);

pub(super) fn input_there(run: &Run<'_>, row: &TransferRow) -> Option<There> {
    let (cluster, place) = (row.cluster?, row.place?);
    let whose = row.task.filter(|_| !run.grid.has_storage(cluster));
    row.is_input.then_some((cluster, place, whose))
}

/// No file is sent to a cluster that has it.
pub(super) fn once(run: &Run<'_>) -> Judgement {
    let stays = Stays::of(run)?;
    let mut arrived: OrderedMap<There, SimTime> = OrderedMap::new();
    let mut found = Vec::new();
    for row in rows(run)? {
        let Some((there, end)) = input_there(run, row).zip(row.end) else { continue };
        let is_again = arrived
            .get(&there)
            .is_some_and(|before| stays.removed(there, *before).is_none_or(|removed| removed > row.start));
        if is_again {
            found.push(of_transfer(row, "is to a cluster that has it"));
        }
        arrived.insert(there, end);
    }
    Ok(found)
}

/// No task starts before its inputs are on its cluster.
pub(super) fn arrived(run: &Run<'_>) -> Judgement {
    let stays = Stays::of(run)?;
    let mut arrivals: OrderedMap<There, OrderedSet<SimTime>> = OrderedMap::new();
    for row in rows(run)? {
        if let Some((there, end)) = input_there(run, row).zip(row.end) {
            arrivals.entry(there).or_default().insert(end);
        }
    }
    let mut found = Vec::new();
    let counted = run.rows().filter_map(|(task, row)| Some((task, row.host?, row.start?, row.end)));
    let thrown_away = run.thrown_away().map(|(task, host, start, end)| (task, host, start, Some(end)));
    for (task, host, start, end) in counted.chain(thrown_away) {
        let cluster = run.grid.cluster_of(host);
        let whose = Some(task).filter(|_| !run.grid.has_storage(cluster));
        for &input in &run.works[task].inputs {
            let there = (cluster, input, whose);
            let arrival = arrivals.get(&there).and_then(|all| all.range(..=start).next_back());
            // of the stays that began before, one that is over at the start is none
            let removed = arrival.and_then(|arrival| stays.removed(there, *arrival));
            let name = &run.sizes[input].name;
            if arrival.is_none() || removed.is_some_and(|removed| removed <= start) {
                let what = format!("starts before its input `{name}` is there");
                found.push(run.of_task(task, start, &what));
            } else if let (Some(removed), Some(end)) = (removed, end)
                && removed < end
            {
                let what = format!("reads its input `{name}`, which is removed at {removed}");
                found.push(run.of_task(task, start, &what));
            }
        }
    }
    Ok(found)
}

/// Outputs are sent once, after the computation and from its cluster, and the last to arrive
/// completes the task.
pub(super) fn returned(run: &Run<'_>) -> Judgement {
    // of each task and output the arrivals; what broke off counts for nothing
    let mut arrivals: OrderedMap<(usize, usize), Vec<&TransferRow>> = OrderedMap::new();
    for row in rows(run)?.iter().filter(|row| !row.is_input && row.end.is_some()) {
        if let Some(output) = row.task.zip(row.place) {
            arrivals.entry(output).or_default().push(row);
        }
    }
    let mut found = Vec::new();
    for (task, row) in run.rows() {
        let cluster = row.host.map(|host| run.grid.cluster_of(host));
        let mut last = row.end;
        for &output in &run.works[task].outputs {
            let sent = arrivals.get(&(task, output)).map_or(&[][..], |sent| sent);
            // of a task that was started again, or is lost and waits, the outputs of earlier
            // attempts may have been sent
            let is_of_last = |sent: &&&TransferRow| {
                row.end.is_some_and(|end| sent.start >= end) && sent.cluster == cluster
            };
            let of_last: Vec<_> = sent.iter().filter(is_of_last).collect();
            let name = &run.sizes[output].name;
            if row.attempts <= 1 && !row.is_lost() && of_last.len() < sent.len() {
                let what = format!("has its output `{name}` sent before it ends, or from elsewhere");
                found.push(run.of_task(task, sent[0].start, &what));
            }
            if of_last.len() > 1 {
                found.push(run.of_task(
                    task,
                    of_last[1].start,
                    &format!("has its output `{name}` sent twice"),
                ));
            }
            last = last.zip(of_last.first().and_then(|sent| sent.end)).map(|(last, end)| last.max(end));
        }
        if row.completed != last {
            let said = |at: Option<SimTime>| at.map_or("never".to_owned(), |at| format!("at {at}"));
            let what = format!("is completed {}, by its outputs {}", said(row.completed), said(last));
            found.push(run.of_task(task, row.completed.or(row.end).unwrap_or_default(), &what));
        }
    }
    Ok(found)
}
