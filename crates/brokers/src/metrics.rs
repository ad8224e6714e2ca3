//! The metrics of a run of global computing.

use crate::kernel::stats::DurationTable;
use crate::measure::family::{Aim, Family, Part, metrics_of};
use crate::measure::metric::{Metric, Value};
use crate::outcomes::BrokerOutcomes;
use crate::station::{StationTraffic, Usage};
use crate::tables::utilization;

const TASKS: &str = "tasks issued after the warm-up and completed";
const ISSUED: &str = "tasks issued after the warm-up";
const WHOLE: &str = "from the end of the warm-up to the end of the run";
const TAKEFUSA: &str = "A. Takefusa and others, HPDC 1999";
const DEADLINES: &str = "A. Takefusa, H. Casanova, S. Matsuoka, F. Berman, HPDC-10, 2001";

const RESPONSE: &[Part] = &[
    ("mean", "the arithmetic mean"),
    ("median", "half of the tasks take no longer"),
    ("p95", "95 % of the tasks take no longer"),
    ("max", "the longest"),
];
const MEAN: &[Part] = &[("mean", "the arithmetic mean")];
const SPENT: &[Part] = &[
    ("query", "until the scheduler had answered"),
    ("send", "until the arguments had arrived, on servers that were given up too"),
    ("queue", "in the queues of servers"),
    ("service", "in service"),
    ("receive", "until the results were back"),
];
const REGRET: &[Part] = &[
    ("mean", "the arithmetic mean: what the four causes add up to"),
    ("rule", "the server is not the one with the least predicted time"),
    ("forecast", "what was predicted was not what was measured last; below 0 forecasts help"),
    ("age", "what was measured last is not so any more"),
    ("estimate", "what others will do is not in the state at the instant"),
];
const OF_TRAFFIC: &[Part] =
    &[("own", "tasks of clients"), ("probe", "monitors"), ("extraneous", "packets and tasks of others")];

/// The families, in the order in which they are shown.
pub const FAMILIES: [Family; 17] = [
    Family::new("response-time", "s", Aim::Lower, "from the issue of a task to its results", TASKS)
        .parts(RESPONSE)
        .source(TAKEFUSA),
    Family::new(
        "slowdown",
        "",
        Aim::Lower,
        "response time over the time of the task alone on the server that is fastest for it: idle, behind idle queues; 1 at least",
        TASKS,
    )
    .parts(MEAN),
    Family::new("time", "s", Aim::Lower, "mean parts of the response time, which they add up to", TASKS)
        .parts(SPENT),
    Family::count("tasks.issued", Aim::None, "tasks that clients had", ISSUED),
    Family::count("tasks.completed", Aim::Higher, "tasks whose results came back", ISSUED),
    Family::count(
        "rejected",
        Aim::Lower,
        "tasks that no server was chosen for, or that each server failed",
        ISSUED,
    ),
    Family::count("unfinished", Aim::Lower, "tasks that were not over when the run ended", ISSUED),
    Family::new("throughput", "/h", Aim::Higher, "completed tasks over the window", WHOLE),
    Family::count(
        "fallbacks",
        Aim::None,
        "returns to the scheduler of tasks that would have been late",
        ISSUED,
    )
    .source(DEADLINES),
    Family::count("failures", Aim::Lower, "attempts that were lost with their servers", ISSUED),
    Family::share(
        "deadline-failures",
        Aim::Lower,
        "tasks with a deadline whose results were back later or never",
        ISSUED,
    )
    .source(DEADLINES),
    Family::new(
        "cost",
        "",
        Aim::Lower,
        "sum of the performances of the servers of completed tasks, or of price x service time",
        TASKS,
    )
    .source(DEADLINES),
    Family::share(
        "server-utilization",
        Aim::None,
        "mean over servers of the time of processors in service / window",
        WHOLE,
    )
    .parts(OF_TRAFFIC),
    Family::share("queue-utilization", Aim::None, "the same of queues that something went through", WHOLE)
        .parts(OF_TRAFFIC),
    Family::count("probes.lost", Aim::Lower, "probes that were not back in time", "the whole run"),
    Family::count("decisions", Aim::None, "how often the scheduler was asked", "the whole run"),
    Family::new(
        "decision-regret",
        "s",
        Aim::Lower,
        "how much later than from the best server results are back, by all that others are going to do, if no further work of ours comes; with record.run-on, by all that happened in runs with each server. With record.regret",
        "decisions after the warm-up",
    )
    .parts(REGRET),
];

/// The values of the families, in their order.
pub fn metrics(outcomes: &mut BrokerOutcomes) -> Vec<Metric> {
    let real =
        |value: Option<f64>| value.filter(|value| value.is_finite()).map_or(Value::Nothing, Value::Real);
    let window = outcomes.window();
    let figures = &mut outcomes.figures;
    let quantiles = [
        figures.quantiles.quantile(50, 100),
        figures.quantiles.quantile(95, 100),
        figures.quantiles.quantile(100, 100),
    ];
    let figures = &outcomes.figures;
    let [issued, completed, rejected] = figures.counts;
    let hours = window.as_secs_f64() / 3600.0;
    let unfinished = issued - completed - rejected;
    let [with_deadline, late] = outcomes.deadlines();
    let mut values = vec![real(figures.response.mean())];
    values.extend(quantiles.map(real));
    values.push(real(figures.slowdown.mean()));
    values.extend(figures.spent.iter().map(|table| real(DurationTable::mean_secs(table))));
    values.extend([issued, completed, rejected, unfinished].map(Value::Count));
    values.push(real((hours > 0.0).then(|| completed as f64 / hours)));
    values.extend([figures.fallbacks, figures.failures].map(Value::Count));
    values.push(real((with_deadline > 0).then(|| late as f64 / with_deadline as f64)));
    values.push(real(Some(figures.cost)));
    let of_servers: Vec<(&Usage, u32)> =
        outcomes.servers.iter().map(|server| (&server.usage, server.processors)).collect();
    let of_queues: Vec<(&Usage, u32)> = outcomes.queues.iter().map(|queue| (&queue.usage, 1)).collect();
    for stations in [of_servers, of_queues] {
        values.extend(StationTraffic::ALL.map(|traffic| {
            let share = |(usage, processors): &(&Usage, u32)| {
                let mut own = Usage::default();
                own.busy[traffic as usize] = usage.busy[traffic as usize];
                utilization(&own, *processors, window)
            };
            let shares: Option<Vec<f64>> = stations.iter().map(share).collect();
            real(
                shares
                    .filter(|shares| !shares.is_empty())
                    .map(|shares| shares.iter().sum::<f64>() / shares.len() as f64),
            )
        }));
    }
    values.extend([outcomes.lost_probes, outcomes.asked].map(Value::Count));
    values.extend(figures.regret.means().map(real));
    metrics_of(&FAMILIES, values)
}
