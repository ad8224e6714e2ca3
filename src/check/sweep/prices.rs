//! Cost of a run: computations, those that were thrown away among them, and transfers, at the
//! prices of their clusters.

use super::run::Run;
use super::transfers::rows;
use super::unjudged::{AGAIN, LOST, STOPPED};

/// Costs of processors and links, cluster by cluster.
///
/// # Errors
/// Not everything that was paid for is in the files.
pub(super) fn of_clusters(run: &Run<'_>) -> Result<Vec<(f64, f64)>, &'static str> {
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
