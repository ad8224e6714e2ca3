//! Slack, from rows: by how much the end of each task could be later without delaying the last one.
//!
//! Each task keeps its cores, its duration and its place in the order of each, and its data take as
//! long as they did.

use crate::kernel::{SimDuration, SimTime};

use super::run::Run;

/// The slack of each task, if all have these spans; `lags` are how long loads take once their
/// writers have ended.
pub(super) fn slacks(run: &Run<'_>, spans: &[(SimTime, SimTime)], lags: &[SimDuration]) -> Vec<SimDuration> {
    let graph = &run.graph;
    let attempts = &run.attempts;
    let is_last = |place: &usize| attempts.last[attempts.all[*place].task as usize] == Some(*place);
    let order: Vec<u32> =
        (0..attempts.all.len()).filter(is_last).map(|place| attempts.all[place].task).collect();
    let mut home = vec![SimDuration::ZERO; spans.len()];
    // of each task, its followers and how long after its end they could start
    let mut followers: Vec<Vec<(u32, SimDuration)>> = vec![Vec::new(); spans.len()];
    for (load, lag) in graph.loads.iter().zip(lags) {
        if let (Some(from), None) = (load.from, load.to) {
            home[from as usize] = home[from as usize].max(*lag);
        }
    }
    // a child follows a parent if it used what the last attempt of it wrote
    for attempt in order.iter().filter_map(|task| attempts.all.get(attempts.last[*task as usize]?)) {
        for origin in &attempt.data {
            if let Some(parent) =
                origin.parent.filter(|parent| attempts.last[*parent as usize] == origin.writer)
            {
                let lag =
                    origin.load.map_or(SimDuration::ZERO, |load| lags.get(load).copied().unwrap_or_default());
                followers[parent as usize].push((attempt.task, lag));
            }
        }
    }
    let over = |task: usize| spans[task].1.saturating_add(home[task]);
    let last = (0..spans.len()).map(over).max().unwrap_or_default();
    let mut next_on_core = crate::collections::OrderedMap::new();
    let mut slack = vec![SimDuration::ZERO; spans.len()];
    for task in order.into_iter().rev() {
        let place = task as usize;
        let cores = run.cores_of(task);
        let on_cores = cores.into_iter().filter_map(|core| next_on_core.insert(core, task));
        let on_cores: Vec<_> = on_cores.map(|follower| (follower, SimDuration::ZERO)).collect();
        let left = |(follower, lag): (u32, SimDuration)| {
            let latest = spans[follower as usize].0.saturating_add(slack[follower as usize]);
            latest.since(spans[place].1.saturating_add(lag))
        };
        let all = followers[place].iter().copied().chain(on_cores).map(left);
        slack[place] = all.fold(last.since(over(place)), SimDuration::min);
    }
    slack
}
