//! The numbers of the summary, and tables that follow from others, from rows.

use serde_json::Value as Json;

use crate::check::sheet::{BatsimTask, Right, Sheet};
use crate::check::{JudgedPromise, Judgement, Recomputation, Violation};
use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::{SimDuration, SimTime};
use crate::output::Always;
use crate::rows::{BelievedCells, QueueRow, ServerCells, ServerRow};
use clustersim_experiment::rows::jobs::JobColumns;

use super::WholeRun;
use super::facts::JudgedStation;
use super::observed::{others, window};
use super::run::{Run, TaskEnd, TaskRow};
use super::summary::{PARTS, counted, late_share, spent};
use super::unjudged::{
    AGREEMENT, COPIES, DRAWN, ENDED, LOST, NO_ATTEMPTS, NO_DECISIONS, NO_MEASUREMENTS, NO_PACKETS, PAIRS,
    PROBES, SHARED, TIED, TRUTH, UNFINISHED,
};

/// All numbers of a summary; `servers` and `queues` are the tables of these names.
pub(super) fn summary(
    run: &Run<'_>,
    whole: &WholeRun<'_>,
    (servers, queues): (Option<&Sheet<'_, ServerRow<'_>>>, Option<&Sheet<'_, QueueRow<'_>>>),
) -> Vec<JudgedPromise> {
    let (mut found, summary) = (Recomputation::default(), whole.summary);
    found.of_run(whole.named, whole.manifest);
    if run.files.warm_up > SimTime::ZERO {
        let before = run.tasks.iter().filter(|task| !run.is_observed(task)).count();
        found.count("warm-up/jobs", before as u64);
        found.is("warm-up/found", None);
    } else {
        found.value("warm-up", Json::Null);
    }
    of_responses(run, whole, &mut found);
    of_counts(run, whole, &mut found);
    of_servers(run, whole, servers, &mut found);
    super::queues::of_queues(run, whole, queues, &mut found);
    of_decisions(run, whole, &mut found);
    found.never("agreement", AGREEMENT);
    found.compare(summary)
}

/// The tasks that were observed and are back, with their response times.
fn completed<'a>(run: &'a Run<'_>) -> impl Iterator<Item = (&'a TaskRow, SimTime, SimTime)> + Clone {
    let observed = run.tasks.iter().filter(|task| run.is_observed(task) && task.state == TaskEnd::Completed);
    observed.filter_map(|task| Some((task, task.steps[0]?, task.steps[6]?)))
}

fn of_responses(run: &Run<'_>, whole: &WholeRun<'_>, found: &mut Recomputation) {
    let mut all: Vec<(SimTime, f64)> =
        completed(run).map(|(_, issued, back)| (back, back.since(issued).as_secs_f64())).collect();
    found.spread("response-time", all.iter().map(|(_, response)| *response).collect());
    found.known("slowdown.mean", slowdown(run, whole));
    // in the order in which they came back
    all.stable_sort_by_key(|(back, _)| *back);
    if all.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        found.never("response-time.mean/half-width", TIED);
    } else {
        let responses = all.iter().map(|(_, response)| *response);
        found.half_width("response-time.mean", responses, whole.summary);
    }
    match spent(run) {
        Err(why) => found.never("time.", why),
        Ok(spent) => {
            let mean = |sum: u128| (spent.count > 0).then(|| sum as f64 / 1e9 / f64::from(spent.count));
            PARTS.iter().zip(spent.sums).for_each(|(name, sum)| found.is(*name, mean(sum)));
        }
    }
}

/// The mean of response times over the times of the tasks alone on the servers that are fastest for
/// them; a task of nothing has none.
fn slowdown(run: &Run<'_>, whole: &WholeRun<'_>) -> Result<Option<f64>, &'static str> {
    let (mut sum, mut count) = (0.0, 0_u64);
    for (task, issued, back) in completed(run) {
        let alone = super::alone::on_fastest(run, whole, task)?.as_secs_f64();
        if alone > 0.0 {
            (sum, count) = (sum + back.since(issued).as_secs_f64() / alone, count + 1);
        }
    }
    Ok((count > 0).then(|| sum / count as f64))
}

fn of_counts(run: &Run<'_>, whole: &WholeRun<'_>, found: &mut Recomputation) {
    for (name, count) in counted(run) {
        let is_known = run.attempts.is_some() || !["fallbacks", "failures"].contains(&name);
        found.known(name, if is_known { Ok(Some(count as f64)) } else { Err(NO_ATTEMPTS) });
    }
    let hours = window(run, whole).map(|window| window.as_secs_f64() / 3600.0);
    let per_hour = |hours: f64| (hours > 0.0).then(|| completed(run).count() as f64 / hours);
    found.known("throughput", hours.map(per_hour).ok_or(ENDED));
    found.known("deadline-failures", late_share(run));
    let cost = completed(run).map(|(task, ..)| {
        let service = task.steps[5]?.since(task.steps[4]?).as_secs_f64();
        let server = whole.servers.get(run.facts.server(&task.server)?)?;
        Some(server.price.map_or(server.performance, |price| price * service))
    });
    super::choices::rejections(run, whole, found);
    found.is("cost", Some(cost.sum::<Option<f64>>().unwrap_or(f64::NAN) + 0.0));
}

fn of_servers(
    run: &Run<'_>,
    whole: &WholeRun<'_>,
    servers: Option<&Sheet<'_, ServerRow<'_>>>,
    found: &mut Recomputation,
) {
    if whole.probed[0] {
        found.never("probes.lost", PROBES);
    } else {
        found.is("probes.lost", Some(0.0));
    }
    let window = window(run, whole).map(SimDuration::as_secs_f64).filter(|window| *window > 0.0);
    let (Some(sheet), Some(window)) = (servers, window) else {
        return found.never("server-utilization", ENDED);
    };
    let busy = |row: &ServerRow<'_>| [row.own, row.probe, row.extraneous];
    for (owner, name) in ["own", "probe", "extraneous"].into_iter().enumerate() {
        let share =
            |row: &ServerRow<'_>| busy(row)[owner].as_secs_f64() / (f64::from(row.processors) * window);
        let shares: Vec<f64> = sheet.rows.iter().map(share).collect();
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        found.is(format!("server-utilization.{name}"), Some(mean).filter(|_| !shares.is_empty()));
    }
}

fn of_decisions(run: &Run<'_>, whole: &WholeRun<'_>, found: &mut Recomputation) {
    found.value("decisions", whole.manifest["counters"]["decisions"].clone());
    // the promise of decisions has their means
    if run.decisions.is_none() && whole.has_regret {
        return found.never("decision-regret", NO_DECISIONS);
    }
    let stated = |name: &str| whole.summary["metrics"][name]["value"].as_f64();
    for name in super::decisions::PARTS {
        found.is(name, stated(name).filter(|_| run.decisions.is_some()));
    }
}

/// Cells of `servers.csv`.
pub(super) fn servers(
    run: &Run<'_>,
    whole: &WholeRun<'_>,
    sheet: &Sheet<'_, ServerRow<'_>>,
) -> Vec<Vec<Right>> {
    let window = window(run, whole).map(SimDuration::as_secs_f64);
    let own = |server: usize| {
        let of_it = || run.tasks.iter().filter(|task| run.facts.server(&task.server) == Some(server));
        let is_lost =
            run.attempts.as_ref().is_none_or(|attempts| attempts.iter().any(|attempt| !attempt.is_late));
        match () {
            () if run.facts.station(JudgedStation::Server(server)).is_shared => Right::Open(SHARED),
            () if run.files.has_copies => Right::Open(COPIES),
            () if is_lost => Right::Open(LOST),
            () if of_it().any(|task| task.state == TaskEnd::Unfinished) => Right::Open(UNFINISHED),
            () => {
                let nanos = of_it().filter_map(|task| {
                    let span = task.steps[5]?.since(task.steps[4]?.max(run.files.warm_up));
                    Some(span.as_nanos().saturating_mul(task.processors))
                });
                Right::span(SimDuration::from_nanos(nanos.sum()))
            }
        }
    };
    let cells = |(server, row): (usize, &ServerRow<'_>)| {
        let completed = completed(run).filter(|(task, ..)| run.facts.server(&task.server) == Some(server));
        let described = &whole.servers[server];
        let processors = run.facts.station(JudgedStation::Server(server)).processors;
        let busy = [row.own, row.probe, row.extraneous].map(SimDuration::as_secs_f64).iter().sum::<f64>();
        let share = match window {
            None => Right::Open(ENDED),
            Some(window) => {
                let whole = window * f64::from(processors);
                Right::real(Some(busy / whole).filter(|_| whole > 0.0))
            }
        };
        let right = ServerCells {
            server: Right::text(&described.name),
            performance: Right::Real(described.performance),
            processors: Right::Count(processors.into()),
            tasks: Right::Count(completed.count() as u64),
            own: own(server),
            probe: if whole.probed[1] { Right::Open(PROBES) } else { Right::Count(0) },
            extraneous: others(run, JudgedStation::Server(server)),
            utilization: share,
        };
        right.list(Always)
    };
    sheet.rows.iter().enumerate().filter(|(server, _)| *server < whole.servers.len()).map(cells).collect()
}

/// Cells of `jobs.csv`: tasks that were executed, in the order of issue.
pub(super) fn jobs(run: &Run<'_>) -> Vec<Vec<Right>> {
    let cells = |task: &TaskRow| {
        let (issued, start, end) = (task.steps[0]?, task.steps[4]?, task.steps[5]?);
        let class = format!("class {}", task.class);
        let job = BatsimTask {
            number: task.number,
            workload: &task.client,
            name: &class,
            submitted: issued,
            start,
            end,
            cores: 1,
        };
        let on = run.facts.server(&task.server).map_or(Right::Nothing, |server| Right::Count(server as u64));
        let mut cells = job.cells(Right::Nothing, on);
        if task.state != TaskEnd::Completed {
            (cells.success, cells.state) = (Right::Count(0), Right::text("EXECUTION_TIMEOUT"));
        }
        Some(cells.list(JobColumns::OF_TASKS))
    };
    run.tasks.iter().filter_map(cells).collect()
}

/// A span in which a forecaster of a series was believed: begin, end, series, forecaster, values.
type BelievedSpan<'a> = (SimTime, Option<SimTime>, &'a [String; 3], &'a str, u64);

/// Cells of `believed.csv`: a row for each span in which one forecaster was believed.
pub(super) fn believed(run: &Run<'_>) -> Vec<Vec<Right>> {
    let mut spans: Vec<BelievedSpan<'_>> = Vec::new();
    let mut last: OrderedMap<&[String; 3], usize> = OrderedMap::new();
    for found in run.forecasts.iter().flatten() {
        if let Some(span) = last.get(&found.series).map(|place| &mut spans[*place]) {
            if span.3 == found.forecaster {
                span.4 += 1;
                continue;
            }
            span.1 = Some(found.time);
        }
        last.insert(&found.series, spans.len());
        spans.push((found.time, None, &found.series, &found.forecaster, 1));
    }
    let cells =
        |(begin, end, series, forecaster, values): &(SimTime, Option<SimTime>, &[String; 3], &str, u64)| {
            let [kind, from, to] = series.each_ref().map(|name| Right::text(name));
            let right = BelievedCells {
                begin: Right::Time(*begin),
                end: end.map_or(Right::Open(ENDED), Right::Time),
                kind,
                from,
                to,
                forecaster: Right::text(forecaster),
                values: Right::Count(*values),
            };
            right.list(Always)
        };
    spans.iter().map(cells).collect()
}

/// Packets go through the queues of a route between the client and a server of their task, hop by
/// hop; those of monitors of any route.
pub(super) fn routes(run: &Run<'_>, whole: &WholeRun<'_>) -> Judgement {
    let rows = run.packets.as_ref().ok_or(NO_PACKETS)?;
    if whole.routes.first_key_value().is_none() {
        return Err(PAIRS);
    }
    let any: OrderedSet<(u64, usize)> =
        whole.routes.values().flatten().flat_map(|route| (0..).zip(route.iter().copied())).collect();
    let mut servers: OrderedMap<u64, Vec<&str>> = OrderedMap::new();
    for task in &run.tasks {
        servers.entry(task.number).or_default().push(&task.server);
    }
    for attempt in run.attempts.iter().flatten() {
        servers.entry(attempt.task).or_default().push(&attempt.server);
    }
    let leads = |task: u64, row: &super::run::PacketRow| {
        let client =
            usize::try_from(task).ok().and_then(|place| run.tasks.get(place)).map(|task| &*task.client);
        let (Some(client), Some(queue)) = (client, row.queue) else { return false };
        let its = servers.get(&task).map_or(&[][..], |servers| servers);
        let hop = usize::try_from(row.hop).unwrap_or(usize::MAX);
        its.iter().any(|server| {
            let routes = whole.routes.get(&(client.to_owned(), (*server).to_owned()));
            routes.is_some_and(|routes| routes.iter().any(|route| route.get(hop) == Some(&queue)))
        })
    };
    let is_elsewhere = |row: &&super::run::PacketRow| match (row.task, row.queue) {
        // a task has one row for all of its copies, and its servers are those that brought results
        (Some(task), Some(_)) if !run.files.has_copies => {
            let is_over = run.tasks.get(task as usize).is_some_and(|task| task.state == TaskEnd::Completed);
            is_over && !leads(task, row)
        }
        (_, Some(queue)) => !any.contains(&(row.hop, queue)),
        (_, None) => true,
    };
    let violation = |row: &super::run::PacketRow| {
        let what = format!(
            "packet {} of transfer {} goes through a queue of no route of it",
            row.packet, row.transfer
        );
        Violation::of_no_job(row.entered, what)
    };
    Ok(rows.iter().filter(is_elsewhere).map(violation).collect())
}

/// The tasks that the manifest counts.
pub(super) fn counters(run: &Run<'_>, whole: &WholeRun<'_>) -> Vec<Violation> {
    let (stated, right) = (&whole.manifest["counters"]["tasks"], Json::from(run.tasks.len()));
    let what = format!("manifest.json has {stated} tasks, and there are {right}");
    if *stated == right { Vec::new() } else { vec![Violation::of_no_job(SimTime::ZERO, what)] }
}

/// Columns that are in no other file, and follow from models that are not here.
pub(super) fn not_found(run: &Run<'_>, whole: &WholeRun<'_>) -> Vec<JudgedPromise> {
    let drawn = "issued, deadline, predicted, send, receive, instructions, processors of tasks.csv";
    let mut all = vec![(drawn.to_owned(), Err(DRAWN))];
    if run.decisions.is_some() {
        let columns = "task, by_predictions, completion, best and all other completions of decisions.csv";
        all.push((columns.to_owned(), Err(TRUTH)));
    }
    let has_failed = run.attempts.iter().flatten().any(|attempt| !attempt.is_late);
    if has_failed && run.files.asking.reads_servers && run.measurements.is_none() {
        let what = "servers that have failed a task are found up before it tries them again";
        all.push((what.to_owned(), Err(NO_MEASUREMENTS)));
    }
    if run.measurements.is_some() {
        all.push(("bandwidth, latency and load value of measurements.csv".to_owned(), Err(PROBES)));
    }
    if whole.has_agreement {
        let columns =
            "time, kind, from, to, point, measured, forecast_of_point, forecast_of_measured of agreement.csv";
        all.push((columns.to_owned(), Err(AGREEMENT)));
    }
    all
}
