//! Contents of storages: removals of files, and that no storage holds more than it can.

use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::SimTime;
use crate::rows::FileRow;

use super::run::{NO_FILES, Run, TransferRow};
use super::transfers::{There, broken_off, input_there, rows};
use crate::check::{Judgement, Violation};

/// Removals of files that have arrived.
#[derive(Debug, Default)]
pub(super) struct Stays<'a> {
    removals: OrderedMap<(usize, &'a str, SimTime), SimTime>,
    names: Vec<&'a str>,
}

impl<'a> Stays<'a> {
    /// Stays of the files of a run.
    ///
    /// # Errors
    /// They are not in the files of a run in which a storage has a limit.
    pub(super) fn of(run: &'a Run<'_>) -> Result<Self, &'static str> {
        let Some(rows) = &run.stays else {
            let limited = |row: &super::run::TransferRow| {
                row.cluster.is_some_and(|cluster| run.grid.capacity(cluster).is_some())
            };
            let is_limited = run.transfers.as_deref().is_some_and(|rows| rows.iter().any(limited));
            return if is_limited { Err(NO_FILES) } else { Ok(Stays::default()) };
        };
        let removed = |row: &'a FileRow<'_>| {
            Some(((run.grid.cluster(&row.cluster)?, &*row.file, row.arrived), row.removed?))
        };
        let removed = rows.iter().filter_map(removed);
        let names = run.sizes.iter().map(|file| &*file.name).collect();
        Ok(Stays { removals: removed.collect(), names })
    }

    /// Instant at which a file was removed that arrived at this instant.
    pub(super) fn removed(&self, (cluster, place, _): There, arrived: SimTime) -> Option<SimTime> {
        self.removals.get(&(cluster, *self.names.get(place)?, arrived)).copied()
    }
}

/// Arrivals of files that may be sent on.
pub(super) struct Copies<'a> {
    run: &'a Run<'a>,
    arrivals: OrderedMap<(usize, usize), OrderedSet<SimTime>>,
    stays: Stays<'a>,
}

impl<'a> Copies<'a> {
    /// Arrivals of a run; none if no file is sent on.
    ///
    /// # Errors
    /// Files may have been removed, and the run does not have when.
    pub(super) fn of(run: &'a Run<'_>) -> Result<Self, &'static str> {
        let mut copies = Copies { run, arrivals: OrderedMap::new(), stays: Stays::default() };
        if rows(run)?.iter().any(|row| row.is_copy) {
            copies.stays = Stays::of(run)?;
            for row in rows(run)? {
                if let (Some((cluster, place, None)), Some(end)) = (input_there(run, row), row.end) {
                    copies.arrivals.entry((cluster, place)).or_default().insert(end);
                }
            }
        }
        Ok(copies)
    }

    /// Returns true if the cluster from which a file is sent on has it all that time.
    pub(super) fn is_there(&self, row: &TransferRow) -> bool {
        let Some((source, place)) = self.run.source_of(row).zip(row.place) else { return false };
        let arrivals = self.arrivals.get(&(source, place));
        let arrival = arrivals.and_then(|all| all.range(..=row.start).next_back());
        arrival.is_some_and(|arrival| {
            let removed = self.stays.removed((source, place, None), *arrival);
            removed.is_none_or(|removed| removed >= row.end.unwrap_or(row.start).max(row.start))
        })
    }
}

/// No storage holds more than it can, files in progress included, and every file that is there has
/// arrived.
pub(super) fn within(run: &Run<'_>) -> Judgement {
    let stays = Stays::of(run)?;
    let mut found = Vec::new();
    let mut arrived = OrderedSet::new();
    // what a transfer takes from its start on, and a removal gives back; at one instant the latter
    // comes first
    let mut changes: OrderedMap<usize, Vec<(SimTime, i128)>> = OrderedMap::new();
    for row in rows(run)? {
        let Some(there @ (cluster, place, _)) = input_there(run, row) else { continue };
        arrived.extend(row.end.map(|end| (cluster, &*row.file, end)));
        if run.grid.capacity(cluster).is_none() {
            continue;
        }
        let bytes = i128::from(run.sizes[place].bytes);
        let until = match row.end {
            Some(end) => stays.removed(there, end),
            // a value that was drawn and is not in the files: no more than is certain
            None => broken_off(run, row).unwrap_or(Some(row.start)),
        };
        let changes = changes.entry(cluster).or_default();
        changes.push((row.start, bytes));
        changes.extend(until.map(|until| (until, -bytes)));
    }
    for (cluster, mut changes) in changes {
        changes.stable_sort();
        let capacity = run.grid.capacity(cluster).map_or(i128::MAX, i128::from);
        let mut held = 0;
        for (at, bytes) in changes {
            held += bytes;
            if bytes > 0 && held > capacity {
                let what = format!("a storage of {capacity} bytes holds {held}");
                found.push(Violation::of_no_job(at, what));
            }
        }
    }
    for row in run.stays.iter().flatten() {
        let there = run.grid.cluster(&row.cluster).map(|cluster| (cluster, &*row.file, row.arrived));
        if there.is_none_or(|there| !arrived.contains(&there)) {
            let what = format!("file `{}` is on a cluster where it did not arrive then", row.file);
            found.push(Violation::of_no_job(row.arrived, what));
        }
    }
    Ok(found)
}
