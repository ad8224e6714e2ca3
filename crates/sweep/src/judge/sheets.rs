//! Tables that follow from others: `hosts.csv`, `clusters.csv`, `files.csv` and `jobs.csv`.

use crate::check::sheet::{BatsimTask, Right};
use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::{SimDuration, SimTime};
use crate::output::Always;
use crate::rows::{ClusterCells, ClusterColumns, FileCells, FileColumns, HostCells};
use clustersim_experiment::rows::jobs::JobColumns;

use super::run::{AGAIN, DECISIONS, LOST, NO_TRANSFERS, Run, STOPPED, TransferRow};
use super::transfers::rows;

/// Of each host: tasks that ended on it, and the nanoseconds of its processors in these.
pub(super) fn by_host(run: &Run<'_>) -> Vec<(u64, u64)> {
    let mut hosts = vec![(0, 0); run.grid.hosts()];
    for (_, row) in run.rows() {
        if let (Some(host), Some(start), Some(end)) = (row.host, row.start, row.end) {
            hosts[host].0 += 1;
            hosts[host].1 += end.since(start).as_nanos();
        }
    }
    hosts
}

/// Time of processors, or why it is not known: that of lost attempts is in no file.
pub(super) fn busy(run: &Run<'_>, nanos: u64) -> Right {
    if run.misses_attempts() { Right::Open(AGAIN) } else { Right::span(SimDuration::from_nanos(nanos)) }
}

fn share(run: &Run<'_>, nanos: u64, times: f64) -> Right {
    match run.until() {
        _ if run.misses_attempts() => Right::Open(AGAIN),
        None => Right::Open(STOPPED),
        Some(until) => {
            let whole = until.as_secs_f64() * times;
            Right::real((whole > 0.0).then(|| nanos as f64 / 1e9 / whole))
        }
    }
}

/// The cells of `hosts.csv`.
pub(super) fn hosts(run: &Run<'_>) -> Vec<Vec<Right>> {
    let grid = run.grid;
    let cells = |(host, (tasks, nanos)): (usize, (u64, u64))| {
        let cells = HostCells {
            host: Right::text(grid.host_name(host)),
            cluster: Right::text(grid.cluster_name(grid.cluster_of(host))),
            processors: Right::Count(grid.processors(host).into()),
            tasks: Right::Count(tasks),
            busy: busy(run, nanos),
            utilization: share(run, nanos, grid.processors(host).into()),
        };
        cells.list(Always)
    };
    by_host(run).into_iter().enumerate().map(cells).collect()
}

/// Columns of `clusters.csv`.
pub(super) fn cluster_columns(run: &Run<'_>) -> ClusterColumns {
    ClusterColumns { prices: run.has_prices() }
}

/// Of each cluster: bytes that came and went, and the nanoseconds of its links.
fn carried(run: &Run<'_>, rows: &[TransferRow]) -> Vec<(u64, u64, u64)> {
    let mut clusters = vec![(0, 0, 0); run.grid.clusters()];
    for row in rows {
        let (Some(cluster), Some(end)) = (row.cluster, row.end) else { continue };
        let nanos = end.since(row.start).as_nanos();
        let (received, returned, busy) = &mut clusters[cluster];
        *if row.is_input { received } else { returned } += row.bytes;
        *busy += nanos;
        if let Some(source) = run.source_of(row) {
            clusters[source].2 += nanos;
        }
    }
    clusters
}

/// The cells of `clusters.csv`.
pub(super) fn clusters(run: &Run<'_>) -> Vec<Vec<Right>> {
    let (grid, by_host) = (run.grid, by_host(run));
    let rows = run.transfers.as_deref();
    let carried = rows.map(|rows| carried(run, rows));
    let cells = |cluster: usize| {
        let hosts: Vec<usize> = (0..grid.hosts()).filter(|host| grid.cluster_of(*host) == cluster).collect();
        let tasks = hosts.iter().map(|host| by_host[*host].0).sum();
        let nanos = hosts.iter().map(|host| by_host[*host].1).sum();
        let of_links = |take: &dyn Fn((u64, u64, u64)) -> Right| {
            carried.as_ref().map_or(Right::Open(NO_TRANSFERS), |carried| take(carried[cluster]))
        };
        let links = grid.links_of(cluster).len() as f64;
        let until = run.until().map(|until| until.as_secs_f64() * links);
        let link_share = |nanos: u64| match until {
            None => Right::Open(STOPPED),
            Some(whole) => Right::real((whole > 0.0).then(|| nanos as f64 / 1e9 / whole)),
        };
        let cells = ClusterCells {
            cluster: Right::text(grid.cluster_name(cluster)),
            hosts: Right::Count(hosts.len() as u64),
            tasks: Right::Count(tasks),
            busy: busy(run, nanos),
            received: of_links(&|(received, ..)| Right::Count(received)),
            returned: of_links(&|(_, returned, _)| Right::Count(returned)),
            link_busy: of_links(&|(.., busy)| Right::span(SimDuration::from_nanos(busy))),
            link_utilization: of_links(&|(.., busy)| link_share(busy)),
            cost: match costs(run) {
                Err(why) => Right::Open(why),
                Ok(costs) => Right::Real(costs[cluster].0 + costs[cluster].1),
            },
        };
        cells.list(cluster_columns(run))
    };
    (0..grid.clusters()).map(cells).collect()
}

/// Columns of `files.csv`.
pub(super) fn file_columns(run: &Run<'_>) -> FileColumns {
    FileColumns { removals: run.stays.is_some() }
}

/// The cells of `files.csv`: a row for each arrival of an input.
///
/// # Errors
/// Transfers are not in the files.
pub(super) fn files(run: &Run<'_>) -> Result<Vec<Vec<Right>>, &'static str> {
    let rows = run.transfers.as_ref().ok_or(NO_TRANSFERS)?;
    let arrival = |row: &TransferRow| Some((row.end?, row.cluster?, row.place?, row.task?));
    let mut arrivals: Vec<_> = rows.iter().filter(|row| row.is_input).filter_map(arrival).collect();
    arrivals.stable_sort();
    let mut starts: OrderedMap<(usize, usize), Vec<SimTime>> = OrderedMap::new();
    for (task, row) in run.rows() {
        let (Some(host), Some(start)) = (row.host, row.start) else { continue };
        for file in &run.works[task].inputs {
            starts.entry((run.grid.cluster_of(host), *file)).or_default().push(start);
        }
    }
    let uses = |place: usize| {
        let (at, cluster, file, task) = arrivals[place];
        if !run.grid.has_storage(cluster) {
            let host = run.tasks[task].as_ref().and_then(|row| row.host);
            return u64::from(host.map(|host| run.grid.cluster_of(host)) == Some(cluster));
        }
        let later = arrivals[place + 1..].iter();
        let next = later
            .filter(|(_, other, same, _)| (*other, *same) == (cluster, file))
            .map(|later| later.0)
            .next();
        let starts = starts.get(&(cluster, file)).map_or(&[][..], |starts| starts);
        starts.iter().filter(|start| **start >= at && next.is_none_or(|next| **start < next)).count() as u64
    };
    let cells = |place: usize| {
        let (at, cluster, file, _) = arrivals[place];
        let cells = FileCells {
            file: Right::text(&run.sizes[file].name),
            cluster: Right::text(run.grid.cluster_name(cluster)),
            arrived: Right::Time(at),
            bytes: Right::Count(run.sizes[file].bytes),
            uses: Right::Count(uses(place)),
            removed: Right::Open(DECISIONS),
        };
        cells.list(file_columns(run))
    };
    Ok((0..arrivals.len()).map(cells).collect())
}

/// A computation on a host: its start, true if it takes time, task, end, true if it is thrown away.
type HostSpan = (SimTime, bool, usize, SimTime, bool);

/// The cells of `jobs.csv`, in order of end; the processor of a host is the first that is free. Of
/// those that start at one instant, those of no time come first.
pub(super) fn jobs(run: &Run<'_>) -> Vec<Vec<Right>> {
    let mut on_host: Vec<Vec<HostSpan>> = vec![Vec::new(); run.grid.hosts()];
    for (task, row) in run.rows() {
        // what computes as the run is stopped holds its processor
        if let (Some(host), Some(start)) = (row.host, row.start) {
            let end = row.end.unwrap_or(SimTime::MAX);
            on_host[host].push((start, end > start, task, end, row.end.is_none()));
        }
    }
    for (task, host, start, end) in run.thrown_away() {
        on_host[host].push((start, end > start, task, end, true));
    }
    let (mut ended, mut first) = (Vec::new(), 0);
    for (host, mut spans) in on_host.into_iter().enumerate() {
        spans.stable_sort();
        let mut free = vec![SimTime::ZERO; run.grid.processors(host) as usize];
        for (start, _, task, end, is_thrown_away) in spans {
            let Some(place) = free.iter().position(|free| *free <= start) else { continue };
            free[place] = end;
            if !is_thrown_away {
                ended.push((end, task, first + place as u64));
            }
        }
        first += u64::from(run.grid.processors(host));
    }
    ended.stable_sort();
    let has_open = run.rows().any(|(_, row)| row.start.is_some() && row.end.is_none());
    let is_open = run.misses_attempts() || (run.may_lose() && has_open);
    let cells = |(end, task, processor): (SimTime, usize, u64)| {
        let row = run.tasks[task].as_ref();
        let job = BatsimTask {
            number: task as u64,
            workload: "sweep",
            name: &run.works[task].name,
            submitted: run.works[task].arrival,
            start: row.and_then(|row| row.start).unwrap_or_default(),
            end,
            cores: 1,
        };
        // which processor was free may hang on attempts that were lost
        let on = if is_open { Right::Open(AGAIN) } else { Right::Count(processor) };
        job.cells(Right::Nothing, on).list(JobColumns::OF_TASKS)
    };
    ended.into_iter().map(cells).collect()
}

/// Costs of processors and links, cluster by cluster.
///
/// # Errors
/// Not everything that was paid for is in the files.
pub(super) fn costs(run: &Run<'_>) -> Result<Vec<(f64, f64)>, &'static str> {
    match () {
        () if run.files.stopped => return Err(STOPPED),
        () if run.misses_attempts() => return Err(AGAIN),
        () if run.may_lose() => return Err(LOST),
        () => {}
    }
    let price = |cluster: usize, what: usize| run.grid.prices(cluster).map_or(0.0, |prices| prices[what]);
    let mut costs = vec![(0.0, 0.0); run.grid.clusters()];
    let counted = run.rows().filter_map(|(_, row)| Some((row.host?, row.start?, row.end?)));
    let thrown_away = run.thrown_away().map(|(_, host, start, end)| (host, start, end));
    for (host, start, end) in counted.chain(thrown_away) {
        let cluster = run.grid.cluster_of(host);
        costs[cluster].0 += end.since(start).as_secs_f64() * price(cluster, 0);
    }
    for row in rows(run)?.iter().filter(|row| row.end.is_some()) {
        if let Some(cluster) = row.cluster {
            costs[cluster].1 += row.bytes as f64 * price(cluster, 1);
        }
    }
    Ok(costs)
}
