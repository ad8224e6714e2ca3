//! Servers: how many tasks each executes at once, in which order, and for how long.

use crate::check::{Judgement, Violation};
use crate::collections::{OrderedMap, StableSort as _};
use crate::kernel::SimTime;

use super::facts::{JudgedStation, StationFacts};
use super::run::{Run, TaskRow, of_task};
use super::speed::is_done;
use super::unjudged::{NO_ORDER, SHARED};

/// A task that was executed, from its start to its end.
type Executed<'a> = (SimTime, SimTime, &'a TaskRow);

/// The tasks that each server executed, by server, in the order of their starts.
fn by_server<'a>(run: &'a Run<'_>) -> OrderedMap<usize, Vec<Executed<'a>>> {
    let mut all: OrderedMap<usize, Vec<Executed<'a>>> = OrderedMap::new();
    for task in &run.tasks {
        if let (Some(server), Some(start), Some(end)) =
            (run.facts.server(&task.server), task.steps[4], task.steps[5])
        {
            all.entry(server).or_default().push((start, end, task));
        }
    }
    all.values_mut().for_each(|tasks| tasks.stable_sort_by_key(|(start, _, task)| (*start, task.steps[3])));
    all
}

/// The judgement of all servers for which a question makes sense, or the reason why there are none.
fn each(
    run: &Run<'_>,
    why_none: &'static str,
    is_asked: impl Fn(&StationFacts) -> bool,
    mut judge: impl FnMut((usize, &StationFacts), &[Executed<'_>]) -> Vec<Violation>,
) -> Judgement {
    let all = by_server(run);
    let mut asked = all
        .iter()
        .map(|(server, tasks)| (*server, run.facts.station(JudgedStation::Server(*server)), tasks))
        .filter(|(_, facts, _)| is_asked(facts))
        .peekable();
    if asked.peek().is_none() && !all.is_empty() {
        return Err(why_none);
    }
    Ok(asked.flat_map(|(server, facts, tasks)| judge((server, &facts), tasks)).collect())
}

/// No more tasks at once than processors.
pub(super) fn apart(run: &Run<'_>) -> Judgement {
    each(
        run,
        SHARED,
        |facts| !facts.is_shared,
        |(_, facts), tasks| {
            let mut found = Vec::new();
            // by end, how many processors become free
            let mut ends: OrderedMap<SimTime, u128> = OrderedMap::new();
            let mut held = 0_u128;
            for (start, end, task) in tasks {
                while let Some(first) = ends.first_entry().filter(|first| first.key() <= start) {
                    held -= first.remove();
                }
                if start == end {
                    continue;
                }
                let taken = u128::from(task.processors);
                held += taken;
                *ends.entry(*end).or_default() += taken;
                if held > u128::from(facts.processors) {
                    let what = format!(
                        "starts on `{}` while {} of its {} processors are taken",
                        task.server,
                        held - taken,
                        facts.processors
                    );
                    found.push(of_task(task.number, Some(*start), &what));
                }
            }
            found
        },
    )
}

/// Tasks start in the order of arrival.
pub(super) fn in_order(run: &Run<'_>) -> Judgement {
    each(
        run,
        NO_ORDER,
        |facts| facts.in_order,
        |_, tasks| {
            let overtakes = |pair: &&[Executed<'_>]| pair[0].2.steps[3] > pair[1].2.steps[3];
            let violation = |pair: &[Executed<'_>]| {
                let (start, _, task) = pair[0];
                let what = format!("starts before task {}, which came earlier", pair[1].2.number);
                of_task(task.number, Some(start), &what)
            };
            tasks.windows(2).filter(overtakes).map(violation).collect()
        },
    )
}

/// For as long as instructions take at the performance of the server, or along its series.
pub(super) fn served(run: &Run<'_>) -> Judgement {
    each(
        run,
        SHARED,
        |facts| !facts.is_shared,
        |(server, _), tasks| {
            let takes_other = |(start, end, task): &&Executed<'_>| {
                let work = task.instructions / task.processors.max(1) as f64;
                !is_done(run.facts, JudgedStation::Server(server), (*start, *end), work)
            };
            let violation = |(start, end, task): &Executed<'_>| {
                let what = format!(
                    "is executed for {} by `{}`, which {} operations do not take",
                    end.since(*start),
                    task.server,
                    task.instructions
                );
                of_task(task.number, Some(*start), &what)
            };
            tasks.iter().filter(takes_other).map(violation).collect()
        },
    )
}
