//! Lower bounds on the end of every run: from the application and the values of hosts and links,
//! added up change by change.

use crate::check::loads::{Holds, finish};
use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};

use super::facts::NotKnown;
use super::run::Run;
use super::tasks::seconds;
use super::{SweepFacts, SweepValue};

/// Factor of sums, so that their rounding does not lift a bound above what can be.
const ROUNDED: f64 = 1.0 - 1e-13;

/// Changes that are looked at before a bound is given up: values that repeat change for ever.
const MOST_CHANGES: usize = 10_000_000;

/// A bound in seconds: nothing where nothing ever ends, an error where values are not known.
pub(super) type Bound = Result<Option<f64>, NotKnown>;

/// A supply of `times` times a value, while others are above 0.
struct Supply {
    times: f64,
    value: (SweepValue, usize),
    present: Vec<(SweepValue, usize)>,
}

/// A value at an instant.
fn at(run: &Run<'_>, of: (SweepValue, usize), instant: SimTime) -> Result<Holds, NotKnown> {
    run.values.at(run.grid, of, instant).ok_or(NotKnown)
}

impl Supply {
    /// Present rate, and the instant until which it holds.
    fn rate(&self, run: &Run<'_>, now: SimTime) -> Result<Holds, NotKnown> {
        let (value, mut until) = at(run, self.value, now)?;
        let mut rate = self.times * value;
        for present in &self.present {
            let (value, change) = at(run, *present, now)?;
            rate = if value > 0.0 { rate } else { 0.0 };
            until = until.into_iter().chain(change).min();
        }
        Ok((rate, until))
    }
}

/// Instant at which all supplies together have done `work`, if they begin at an instant.
fn reached(run: &Run<'_>, supplies: &[Supply], from: SimTime, work: f64) -> Bound {
    let mut left = work * ROUNDED;
    if left <= 0.0 {
        return Ok(Some(0.0));
    }
    // each with its present rate, at the instant of its next change
    let mut changes: OrderedMap<(SimTime, usize), f64> = OrderedMap::new();
    let mut total = Vec::with_capacity(supplies.len());
    for (place, supply) in supplies.iter().enumerate() {
        let (rate, until) = supply.rate(run, from)?;
        changes.insert((until.unwrap_or(SimTime::MAX), place), rate);
        total.push(rate);
    }
    let mut now = from;
    for _ in 0..MOST_CHANGES {
        let rate: f64 = total.iter().sum();
        let Some(((next, place), _)) = changes.first_key_value().map(|(key, rate)| (*key, *rate)) else {
            return Ok(None);
        };
        let done = rate * next.since(now).as_secs_f64();
        if done >= left || next == SimTime::MAX {
            let end = now.saturating_add(SimDuration::ceil_secs(left / rate));
            return Ok((rate > 0.0 && end < SimTime::MAX).then(|| end.as_secs_f64()));
        }
        (now, left) = (next, left - done);
        changes.remove(&(next, place));
        let (rate, until) = supplies[place].rate(run, now)?;
        total[place] = rate;
        changes.insert((until.unwrap_or(SimTime::MAX), place), rate);
    }
    Err(NotKnown)
}

/// By what all processors together can compute.
pub(super) fn compute(run: &Run<'_>) -> Bound {
    let grid = run.grid;
    let least = |task: usize| {
        let on = (0..grid.hosts()).filter_map(|host| seconds(run, task, host));
        on.min_by(f64::total_cmp)
    };
    // hosts of one architecture take the same
    let work: f64 = (0..run.works.len())
        .filter_map(|task| match &*run.works[task].times {
            [all] => Some(*all),
            _ => least(task),
        })
        .sum();
    let supply = |host: usize| Supply {
        times: grid.speed(host) * f64::from(grid.processors(host)),
        value: (SweepValue::Availability, host),
        present: vec![(SweepValue::HostPresence, host), (SweepValue::ClusterPresence, grid.cluster_of(host))],
    };
    let supplies: Vec<Supply> = (0..grid.hosts()).map(supply).collect();
    let first = run.works.iter().map(|work| work.arrival).min().unwrap_or_default();
    reached(run, &supplies, first, work)
}

/// By what all links of origins together can carry: each file that is read or written once.
pub(super) fn link(run: &Run<'_>) -> Bound {
    let grid = run.grid;
    let mut is_sent = vec![false; run.sizes.len()];
    for work in &run.works {
        work.inputs.iter().chain(&work.outputs).for_each(|file| is_sent[*file] = true);
    }
    let sent = run.sizes.iter().zip(is_sent).filter(|(_, is_sent)| *is_sent);
    let bytes: f64 = sent.map(|(file, _)| file.bytes as f64).sum();
    let supply = |link: usize| Supply {
        times: 1.0,
        value: (SweepValue::Bandwidth, link),
        present: vec![(SweepValue::ClusterPresence, grid.cluster_of_link(link))],
    };
    let links = (0..grid.links()).filter(|link| grid.between(*link).is_none());
    reached(run, &links.map(supply).collect::<Vec<_>>(), SimTime::ZERO, bytes)
}

/// The first instant at which a value is above 0.
fn first_above(run: &Run<'_>, of: (SweepValue, usize)) -> Result<Option<SimTime>, NotKnown> {
    let mut now = SimTime::ZERO;
    for _ in 0..MOST_CHANGES {
        match at(run, of, now)? {
            (value, _) if value > 0.0 => return Ok(Some(now)),
            (_, Some(until)) => now = until,
            (_, None) => return Ok(None),
        }
    }
    Err(NotKnown)
}

/// The links between a cluster and the origins at their best, as one.
struct BestLink {
    from: SimTime,
    latency: f64,
    bandwidth: f64,
}

impl BestLink {
    fn of(run: &Run<'_>, cluster: usize) -> Result<Option<Self>, NotKnown> {
        let grid = run.grid;
        let links: Vec<usize> =
            grid.links_of(cluster).into_iter().filter(|link| grid.between(*link).is_none()).collect();
        let latency = links.iter().map(|link| grid.extremes(SweepValue::Latency, *link)[0]);
        let bandwidths: Vec<f64> =
            links.iter().map(|link| grid.extremes(SweepValue::Bandwidth, *link)[1]).collect();
        let bandwidth: f64 = bandwidths.iter().sum();
        let least = bandwidths.iter().copied().fold(f64::INFINITY, f64::min);
        // of several, the last file ends no sooner than the mean link, each with a latency for it
        let share = if links.len() == 1 || bandwidth <= 0.0 { 1.0 } else { least / bandwidth };
        let from = first_above(run, (SweepValue::ClusterPresence, cluster))?;
        let latency = latency.fold(f64::INFINITY, f64::min) * share;
        Ok(from.map(|from| BestLink { from, latency, bandwidth }))
    }

    /// Instant at which `files` files have been sent, one after the other.
    fn sent(&self, from: SimTime, files: usize, bytes: f64) -> SimTime {
        let carried = if bytes > 0.0 { bytes / self.bandwidth } else { 0.0 };
        from.saturating_add(SimDuration::ceil_secs((files as f64 * self.latency + carried) * ROUNDED))
    }
}

/// By the task that takes longest if each has the grid to itself.
pub(super) fn task(run: &Run<'_>) -> Bound {
    let grid = run.grid;
    let links =
        (0..grid.clusters()).map(|cluster| BestLink::of(run, cluster)).collect::<Result<Vec<_>, _>>()?;
    let presence = |host| first_above(run, (SweepValue::HostPresence, host));
    let present = (0..grid.hosts()).map(presence).collect::<Result<Vec<_>, _>>()?;
    // hosts that never change are as the fastest of their cluster and architecture
    let mut seen: OrderedMap<(usize, usize), (usize, f64)> = OrderedMap::new();
    let mut hosts = Vec::new();
    for host in (0..grid.hosts()).filter(|host| grid.processors(*host) > 0) {
        let (value, until) = at(run, (SweepValue::Availability, host), SimTime::ZERO)?;
        let stays = until.is_none() && at(run, (SweepValue::HostPresence, host), SimTime::ZERO)?.1.is_none();
        let (key, rate) = ((grid.cluster_of(host), grid.architecture(host)), value * grid.speed(host));
        if !stays {
            hosts.push(host);
        } else if seen.get(&key).is_none_or(|(_, before)| *before < rate) {
            seen.insert(key, (host, rate));
        }
    }
    hosts.extend(seen.values().map(|(host, _)| *host));
    let mut known = vec![SimTime::MAX; run.sizes.len()];
    for work in &run.works {
        work.inputs.iter().for_each(|file| known[*file] = known[*file].min(work.arrival));
    }
    let sum = |files: &[usize]| files.iter().map(|file| run.sizes[*file].bytes as f64).sum::<f64>();
    let mut last = SimTime::ZERO;
    for (task, work) in run.works.iter().enumerate() {
        let known = work.inputs.iter().map(|file| known[*file]).min().unwrap_or(work.arrival);
        let mut first = SimTime::MAX;
        for &host in &hosts {
            let cluster = grid.cluster_of(host);
            let (Some(link), Some(from)) = (&links[cluster], present[host]) else { continue };
            let Some(seconds) = seconds(run, task, host) else { continue };
            let begins = if grid.has_storage(cluster) { known } else { work.arrival }.max(link.from);
            let has_others = grid.links_of(cluster).into_iter().any(|link| grid.between(link).is_some());
            let there =
                if has_others { begins } else { link.sent(begins, work.inputs.len(), sum(&work.inputs)) };
            let start = there.max(work.arrival).max(from);
            let availability = |now| run.values.at(run.grid, (SweepValue::Availability, host), now);
            let end = finish(start, seconds / grid.speed(host), availability);
            first = first
                .min(end.map_or(SimTime::MAX, |end| link.sent(end, work.outputs.len(), sum(&work.outputs))));
            if first <= last {
                break;
            }
        }
        last = last.max(first);
    }
    Ok((last < SimTime::MAX).then(|| last.as_secs_f64()))
}

/// A bound, or why it is not known.
pub(super) fn known(bound: Bound) -> Result<Option<f64>, &'static str> {
    bound.map_err(|NotKnown| super::run::DRAWN)
}

/// The numbers of a grid.
pub(super) fn processors(grid: &dyn SweepFacts) -> f64 {
    (0..grid.hosts()).map(|host| f64::from(grid.processors(host))).sum()
}
