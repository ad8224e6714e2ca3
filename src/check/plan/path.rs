//! The critical path of an execution, found again from rows: backwards from the last end to what let each task start when it did.

use std::cmp::Reverse;

use crate::collections::StableSort as _;
use crate::kernel::SimTime;

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
    pub(super) takes: Takes,
    pub(super) start: SimTime,
    pub(super) end: SimTime,
}

/// Data that a task waited for last, as far as they are known.
struct Data<'a> {
    there: SimTime,
    parent: Option<u32>,
    transfer: Option<&'a TransferRow>,
}

/// A path that is walked backwards.
struct Walk<'a> {
    run: &'a Run<'a>,
    /// Of each task: the parents that it waited for, and what they sent.
    waited_for: Vec<Vec<(Option<u32>, Option<usize>)>>,
    /// Of each load, the transfer by which it got where it was used.
    last: Vec<Option<usize>>,
    /// The task before each on its core.
    before: Vec<Option<u32>>,
    steps: Vec<Step>,
}

/// The steps in order of time; none if something has not ended.
pub(super) fn critical_path(run: &Run<'_>) -> Result<Vec<Step>, &'static str> {
    let last = run.last_transfers()?;
    if run.makespan().is_none() {
        return Ok(Vec::new());
    }
    let loads = run.graph.loads_into().into_iter();
    let sent = |load: usize| (run.graph.loads[load].from, Some(load));
    let mut waited_for: Vec<Vec<_>> = loads.map(|loads| loads.into_iter().map(sent).collect()).collect();
    for edge in run.graph.edges.iter().filter(|edge| edge.bytes.is_none()) {
        waited_for[edge.to as usize].push((Some(edge.from), None));
    }
    let mut walk = Walk { run, waited_for, last, before: before_on_core(run), steps: Vec::new() };
    let ends = run.rows().filter_map(|(task, row)| Some((row.end?, Reverse(task))));
    let Some((end, Reverse(task))) = ends.max() else { return Ok(Vec::new()) };
    let mut next = Some(task);
    let returned = run.transfers.iter().flatten().filter(|row| row.is_return && row.end > Some(end));
    if let Some(home) = returned.max_by_key(|row| row.end)
        && let (Some(sent), Some(arrived)) = (home.start, home.end)
        && let Some(writer) = home.load.and_then(|load| run.graph.loads[load].from)
    {
        walk.push(writer, Takes::Transfer, sent, arrived);
        let written = run.row(writer).and_then(|row| row.end).unwrap_or(sent);
        walk.push(writer, Takes::WaitForLink, written, sent);
        next = Some(writer);
    }
    while let Some(task) = next {
        let Some((start, end)) = run.span(task) else { break };
        walk.push(task, Takes::Computing, start, end);
        next = walk.before(task, start);
        if walk.steps.len() > 4 * run.tasks.len() + 2 {
            break;
        }
    }
    walk.steps.reverse();
    Ok(walk.steps)
}

impl<'a> Walk<'a> {
    fn push(&mut self, task: u32, takes: Takes, start: SimTime, end: SimTime) {
        if end > start {
            self.steps.push(Step { task, takes, start, end });
        }
    }

    fn ended(&self, task: u32) -> Option<SimTime> {
        self.run.row(task)?.end
    }

    /// Data that arrived last of all that a task waited for; of data that did at one instant, those of the
    /// first parent.
    fn data(&self, task: u32) -> Option<Data<'a>> {
        let rows = self.run.transfers.as_deref().unwrap_or_default();
        let there = |&(parent, load): &(Option<u32>, Option<usize>)| {
            let transfer = load.and_then(|load| rows.get(self.last[load]?));
            let arrived = transfer.and_then(|row| row.end);
            let there = arrived.or_else(|| self.ended(parent?))?;
            Some(Data { there, parent, transfer })
        };
        let all = self.waited_for[task as usize].iter().filter_map(there);
        all.max_by_key(|data| (data.there, data.parent.is_some(), Reverse(data.parent)))
    }

    /// The task that a start waited for last: of what was over last before it; at one instant the data.
    fn before(&mut self, task: u32, start: SimTime) -> Option<u32> {
        let core = self.before[task as usize].and_then(|before| Some((self.ended(before)?, before)));
        match (self.data(task), core) {
            (Some(data), core) if core.is_none_or(|(free, _)| data.there >= free) => {
                let ready = data.transfer.and_then(|row| row.ready).unwrap_or(data.there);
                let written = match data.parent {
                    Some(parent) => self.ended(parent).unwrap_or(data.there),
                    None => ready,
                };
                self.push(task, Takes::Waiting, data.there, start);
                let mut from = data.there;
                if let Some((sent, arrived)) = data.transfer.and_then(|row| row.start.zip(row.end)) {
                    self.push(task, Takes::Transfer, sent, arrived);
                    from = sent;
                }
                self.push(task, Takes::WaitForLink, written, from);
                if data.parent.is_none() {
                    self.push(task, Takes::Waiting, SimTime::ZERO, written);
                }
                data.parent
            }
            (_, Some((free, before))) => {
                self.push(task, Takes::Waiting, free, start);
                Some(before)
            }
            _ => {
                self.push(task, Takes::Waiting, SimTime::ZERO, start);
                None
            }
        }
    }
}

/// The task that ended before each on its core.
pub(super) fn before_on_core(run: &Run<'_>) -> Vec<Option<u32>> {
    let spans = run.rows().filter_map(|(task, row)| {
        let (start, end) = run.span(task)?;
        Some(((row.host?, row.core?), start, end, task))
    });
    let mut spans: Vec<_> = spans.collect();
    spans.stable_sort();
    let mut before = vec![None; run.tasks.len()];
    for pair in spans.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        before[pair[1].3 as usize] = Some(pair[0].3);
    }
    before
}
