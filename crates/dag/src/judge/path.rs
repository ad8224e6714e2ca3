//! The critical path of an execution, found again from rows: backwards from the last end to what
//! let each attempt start when it did.

use std::cmp::Reverse;

use crate::kernel::{SimDuration, SimTime};

use super::NO_TRANSFERS;
use super::attempts::Origin;
use super::run::{Run, TransferRow};

/// Activity that takes the time of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Takes {
    Computing,
    Transfer,
    WaitForLink,
    Waiting,
}

impl Takes {
    /// All of them, in the order of the summary.
    pub(super) const ALL: [Takes; 4] =
        [Takes::Computing, Takes::Transfer, Takes::WaitForLink, Takes::Waiting];

    /// Word of the activity in the files.
    pub(super) fn word(self) -> &'static str {
        match self {
            Takes::Computing => "computes",
            Takes::Transfer => "transfers",
            Takes::WaitForLink => "waits-for-link",
            Takes::Waiting => "waits",
        }
    }
}

/// A step of the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) task: u32,
    /// The host of its attempt.
    pub(super) host: Option<usize>,
    pub(super) takes: Takes,
    pub(super) start: SimTime,
    pub(super) end: SimTime,
}

/// Data that an attempt waited for last, as far as they are known.
struct Data<'a> {
    there: SimTime,
    parent: Option<u32>,
    writer: Option<usize>,
    transfer: Option<&'a TransferRow>,
}

/// A path that is walked backwards, from attempts to such as began before them.
struct Walk<'a> {
    run: &'a Run<'a>,
    /// The attempt before each on its core.
    before: Vec<Option<usize>>,
    steps: Vec<Step>,
}

/// The steps in order of time; none if something has not ended.
pub(super) fn critical_path(run: &Run<'_>) -> Result<Vec<Step>, &'static str> {
    let transfers = run.transfers.as_ref().ok_or(NO_TRANSFERS)?;
    if run.makespan().is_none() {
        return Ok(Vec::new());
    }
    let mut walk = Walk { run, before: run.attempts.before_on_core(), steps: Vec::new() };
    let ends = run.rows().filter_map(|(task, row)| Some((row.end?, Reverse(task))));
    let Some((end, Reverse(task))) = ends.max() else { return Ok(Vec::new()) };
    let mut next = run.attempts.last[task as usize];
    let returned = transfers.iter().filter(|row| row.is_return && row.end > Some(end));
    if let Some(home) = returned.max_by_key(|row| row.end)
        && let (Some(sent), Some(arrived)) = (home.start, home.end)
        && let Some(writer) = run.writer(home)
    {
        let written = run.attempts.all[writer].end;
        walk.push(writer, Takes::Transfer, sent, arrived);
        walk.push(writer, Takes::WaitForLink, written.unwrap_or(sent), sent);
        next = Some(writer);
    }
    while let Some(place) = next {
        let attempt = &run.attempts.all[place];
        let Some(over) = attempt.over() else { break };
        walk.push(place, Takes::Computing, attempt.start, over);
        next = walk.before(place).filter(|before| *before < place);
    }
    walk.steps.reverse();
    Ok(walk.steps)
}

impl<'a> Walk<'a> {
    fn push(&mut self, attempt: usize, takes: Takes, start: SimTime, end: SimTime) {
        if end > start {
            let of = &self.run.attempts.all[attempt];
            let host = of.place.map(|(host, _)| host);
            self.steps.push(Step { task: of.task, host, takes, start, end });
        }
    }

    fn ended(&self, attempt: usize) -> Option<SimTime> {
        self.run.attempts.all.get(attempt)?.end
    }

    /// Data that arrived last of all that an attempt waited for; of data that did at one instant,
    /// those of the first parent.
    fn data(&self, attempt: usize) -> Option<Data<'a>> {
        let rows = self.run.transfers.as_deref().unwrap_or_default();
        let there = |origin: &Origin| {
            let transfer = origin.transfer.and_then(|place| rows.get(place));
            let arrived = transfer.and_then(|row| row.end);
            let there = arrived.or_else(|| self.ended(origin.writer?))?;
            Some(Data { there, parent: origin.parent, writer: origin.writer, transfer })
        };
        let all = self.run.attempts.all[attempt].data.iter().filter_map(there);
        all.max_by_key(|data| (data.there, data.parent.is_some(), Reverse(data.parent)))
    }

    /// The attempt that a start waited for last: of what was over last before it; at one instant
    /// the data, then the core, then the loss of an earlier attempt.
    fn before(&mut self, attempt: usize) -> Option<usize> {
        let all = &self.run.attempts.all;
        let start = all[attempt].start;
        let core = self.before[attempt].and_then(|before| Some((all[before].over()?, before)));
        let lost = all[attempt].earlier.and_then(|before| Some((all[before].lost?, before)));
        let other = match (core, lost) {
            (Some(core), Some(lost)) if lost.0 > core.0 => Some(lost),
            (None, lost) => lost,
            (core, _) => core,
        };
        match (self.data(attempt), other) {
            (Some(data), other) if other.is_none_or(|(free, _)| data.there >= free) => {
                let ready = data.transfer.and_then(|row| row.ready).unwrap_or(data.there);
                let written = match data.writer {
                    Some(writer) => self.ended(writer).unwrap_or(data.there),
                    None => ready,
                };
                self.push(attempt, Takes::Waiting, data.there, start);
                let mut from = data.there;
                if let Some((sent, arrived)) = data.transfer.and_then(|row| row.start.zip(row.end)) {
                    self.push(attempt, Takes::Transfer, sent, arrived);
                    from = sent;
                }
                self.push(attempt, Takes::WaitForLink, written, from);
                if data.writer.is_none() {
                    self.push(attempt, Takes::Waiting, SimTime::ZERO, written);
                }
                data.writer
            }
            (_, other) => {
                let over = other.and_then(|(_, before)| all[before].over());
                self.push(attempt, Takes::Waiting, over.unwrap_or(SimTime::ZERO), start);
                other.map(|(_, before)| before)
            }
        }
    }
}

/// The task that was computed before each on its core.
pub(super) fn before_on_core(run: &Run<'_>) -> Vec<Option<u32>> {
    let mut before = vec![None; run.tasks.len()];
    for (attempt, earlier) in run.attempts.all.iter().zip(run.attempts.before_on_core()) {
        before[attempt.task as usize] = earlier.map(|earlier| run.attempts.all[earlier].task);
    }
    before
}

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
