//! Queues: what they carried, and for how long.

use crate::check::Recomputation;
use crate::check::sheet::{Right, Sheet};
use crate::collections::OrderedMap;
use crate::kernel::SimDuration;
use crate::output::Always;
use crate::rows::{QueueCells, QueueRow};

use super::facts::{JudgedStation, WholeRun};
use super::observed::{others, window};
use super::run::{Run, TaskEnd};
use super::unjudged::{ALL_AT_ONCE, ENDED, NO_PACKETS, OTHERS, PROBES, UNFINISHED};

/// Bytes of the packets of tasks, and of probes, through a queue after the warm-up.
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    bytes: [f64; 2],
    busy: [u128; 2],
    /// Time of packets of tasks in the queue, and their number.
    delays: (u128, u64),
}

fn carried(run: &Run<'_>) -> OrderedMap<usize, Carried> {
    let mut all: OrderedMap<usize, Carried> = OrderedMap::new();
    let from = run.files.warm_up;
    for row in run.packets.iter().flatten() {
        let Some(queue) = row.queue else { continue };
        let (of_it, owner) = (all.entry(queue).or_default(), usize::from(row.task.is_none()));
        if row.left > from {
            of_it.bytes[owner] += row.bytes;
            of_it.busy[owner] += u128::from(row.left.since(row.started.max(from)).as_nanos());
        }
        if row.task.is_some() && row.entered >= from {
            let (sum, count) = of_it.delays;
            of_it.delays = (sum + u128::from(row.left.since(row.entered).as_nanos()), count + 1);
        }
    }
    all
}

/// Reason that not all packets of tasks are in the files.
fn why_not(run: &Run<'_>) -> Option<&'static str> {
    // what is on its way when the run ends is in no row
    let is_whole = run.tasks.iter().all(|task| task.state == TaskEnd::Completed) && !run.files.has_copies;
    if run.packets.is_none() { Some(NO_PACKETS) } else { Some(UNFINISHED).filter(|_| !is_whole) }
}

/// Cells of `queues.csv`: what packets say of clients and probes.
pub(super) fn cells(run: &Run<'_>, whole: &WholeRun<'_>, sheet: &Sheet<'_, QueueRow<'_>>) -> Vec<Vec<Right>> {
    let (all, why) = (carried(run), why_not(run));
    let window = window(run, whole);
    let cells = |row: &QueueRow<'_>| {
        let Some(queue) = run.facts.queue(&row.queue) else {
            return vec![Right::text("a queue that exists")];
        };
        let (of, found) = (JudgedStation::Queue(queue), all.get(&queue).copied().unwrap_or_default());
        let delay = found.delays.0 as f64 / 1e9 / found.delays.1 as f64;
        let known = |right: Right| why.map_or(right, Right::Open);
        // where packets share a queue, they leave within the nanosecond in which their service ends
        let stated = row.delay;
        let is_same = stated.is_some_and(|stated| (delay - stated).abs() <= 2e-9);
        let busy = SimDuration::from_nanos(u64::try_from(found.busy[0]).unwrap_or(u64::MAX)).as_secs_f64();
        let utilization = match window.map(SimDuration::as_secs_f64) {
            _ if why.is_some() => known(Right::Nothing),
            _ if run.facts.has_others(of) => Right::Open(OTHERS),
            _ if whole.probed[0] => Right::Open(PROBES),
            _ if run.facts.station(of).is_shared => Right::Open(ALL_AT_ONCE),
            None => Right::Open(ENDED),
            Some(window) => Right::real(Some(busy / window)),
        };
        let right = QueueCells {
            queue: Right::text(&row.queue),
            own: known(Right::Real(found.bytes[0])),
            // a probe that is on its way when the run ends is in no row
            probe: if whole.probed[0] { Right::Open(PROBES) } else { Right::Count(0) },
            extraneous: others(run, of),
            utilization,
            delay: known(if is_same { Right::real(stated) } else { Right::real(Some(delay)) }),
        };
        right.list(Always)
    };
    sheet.rows.iter().map(cells).collect()
}

/// The shares of the window in which the queues of a table were busy, in the mean.
pub(super) fn of_queues(
    run: &Run<'_>,
    whole: &WholeRun<'_>,
    queues: Option<&Sheet<'_, QueueRow<'_>>>,
    found: &mut Recomputation,
) {
    let Some(sheet) = queues else { return found.never("queue-utilization", NO_PACKETS) };
    let used: Vec<usize> = sheet.rows.iter().filter_map(|row| run.facts.queue(&row.queue)).collect();
    let has_others = used.iter().any(|queue| run.facts.has_others(JudgedStation::Queue(*queue)));
    let is_shared = used.iter().any(|queue| run.facts.station(JudgedStation::Queue(*queue)).is_shared);
    let all = carried(run);
    let window = window(run, whole).map(SimDuration::as_secs_f64).filter(|window| *window > 0.0);
    let own = match (why_not(run), window) {
        (Some(why), _) => Err(why),
        _ if is_shared => Err(ALL_AT_ONCE),
        (_, None) => Err(ENDED),
        (_, Some(window)) => {
            let busy = used.iter().filter_map(|queue| all.get(queue)).map(|found| found.busy[0] as f64 / 1e9);
            Ok((!used.is_empty()).then(|| busy.sum::<f64>() / window / used.len() as f64))
        }
    };
    let none = |is_known: bool, why: &'static str| match window {
        _ if !is_known => Err(why),
        None => Err(ENDED),
        Some(_) => Ok((!used.is_empty()).then_some(0.0)),
    };
    found.known("queue-utilization.own", own);
    found.known("queue-utilization.probe", none(!whole.probed[0], PROBES));
    found.known("queue-utilization.extraneous", none(!has_others, OTHERS));
}
