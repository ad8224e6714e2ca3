//! Pictures of the report of a run of global computing: response times, servers and queues, and
//! what was measured and forecast.

use crate::kernel::SimTime;
use crate::output::{Drawn, Figure, On, Pictures, RowSource, Rows, Series, Spans};
use crate::scenario::{Rejected, RunDirectory};
use crate::system::assembly::Ended;
use crate::system::assembly::Settings;
use crate::tables::BrokerTable;

const HEADLINE: &str = "response-time.mean response-time.p95 slowdown.mean throughput deadline-failures cost decision-regret.mean tasks.completed rejected \
    server-utilization.own server-utilization.extraneous queue-utilization.own queue-utilization.extraneous fallbacks probes.lost";

/// Figures of measurements and forecasts.
fn of_forecasts() -> Vec<Figure> {
    let values = |table, values| Drawn::Values {
        of: Rows::of(table, "instants"),
        at: "time",
        series: "{kind} {from} {to}",
        values,
    };
    let believed = Spans {
        table: "believed",
        span: ["begin", "end"],
        on: On::Named("{kind} {from} {to}", None),
        name: "{forecaster}",
        unless: None,
        facts: &[("values", &["values"])],
        behind: None,
    };
    vec![
        Figure::new(
            "Measured again, and forecast",
            "A replay: the points of a series, what monitors measured of it in the run, and the forecasts from both.",
            values(
                "agreement",
                &[
                    ("point", "point of the series"),
                    ("measured", "measured"),
                    ("forecast_of_point", "forecast from points"),
                    ("forecast_of_measured", "forecast from measurements"),
                ],
            ),
        ),
        Figure::new(
            "Measured and forecast",
            "What monitors measured, and what had been forecast of it.",
            values("forecasts", &[("actual", "measured"), ("forecast", "forecast")]),
        ),
        Figure::new(
            "Which forecaster was believed",
            "A lane is a series, a span the time in which one forecaster had the least error.",
            Drawn::Lanes { spans: vec![believed], numbered: None, words: ("forecaster", "series") },
        ),
        Figure::new(
            "Errors of forecasters",
            "Of each series and forecaster, at the end of the run: the mean absolute error, in the unit of the series, and the mean squared one.",
            Drawn::Listing {
                of: Rows::of("forecasters", "forecasters"),
                columns: "kind from to forecaster mae mse believed",
                most: (MOST_ERRORS, None),
            },
        ),
    ]
}

/// Figures of the tables.
pub(super) fn figures() -> Vec<Figure> {
    let listing = |table, what, columns, most| Drawn::Listing { of: Rows::of(table, what), columns, most };
    let tasks = |name, from, to| Series::between(name, "tasks", from, to);
    let decisions = Rows::since("decisions", "decisions", "time");
    let mut figures = vec![
        Figure::new(
            "Where the time went",
            "Mean parts of the response time, as shares of it.",
            Drawn::Shares {
                family: "time",
                whole: Some("response-time.mean"),
                label: "share of the mean response time",
            },
        ),
        Figure::new(
            "Tasks in the system",
            "Tasks whose results came back, from issue to results.",
            tasks("tasks", "issued", "received"),
        ),
        Figure::new(
            "Tasks in service",
            "Tasks that servers executed to their ends, at each time.",
            tasks("tasks in service", "started", "ended"),
        ),
        Figure::new(
            "What decisions cost",
            "Regret: how much later results are back from the chosen server than from the best one, by all that others are going to do. A curve of shares: so many decisions cost no more.",
            Drawn::Distribution { of: decisions, value: "regret", label: "regret" },
        )
        .of_metric("decision-regret"),
        Figure::new(
            "Decisions that cost most",
            "What the regret comes from: the scheduler's rule, forecasts, the age of measurements, and the estimate: what others will do is not in the state at the instant. A cause below 0 helped.",
            Drawn::Listing {
                of: decisions,
                columns: "time:s task server best regret:s rule:s forecast:s age:s estimate:s",
                most: (MOST_DECISIONS, Some("regret")),
            },
        ),
        Figure::new(
            "Servers",
            "",
            listing(
                "servers",
                "servers",
                "server processors tasks own:s probe:s extraneous:s utilization:%",
                (100, Some("own")),
            ),
        ),
        Figure::new(
            "Queues",
            "",
            listing(
                "queues",
                "queues",
                "queue own:B probe:B extraneous:B utilization:% delay:s",
                (60, Some("own")),
            ),
        ),
    ];
    figures.extend(of_forecasts());
    figures
}

/// The tables that these figures are of.
const DRAWN: [BrokerTable; 3] = [BrokerTable::Tasks, BrokerTable::Servers, BrokerTable::Queues];
/// Tables of forecasts and comparisons, where these were kept.
const OF_FORECASTS: [BrokerTable; 3] =
    [BrokerTable::Forecasts, BrokerTable::Forecasters, BrokerTable::Believed];
/// Series and forecasters that are listed.
const MOST_ERRORS: usize = 200;
/// The decisions that are listed.
const MOST_DECISIONS: usize = 40;

/// Pictures of the report of a run.
pub(super) fn of_run(ended: &Ended) -> Pictures<'_> {
    let outcomes = &ended.outcomes;
    let rows = |table: BrokerTable| Box::new(table.rows(outcomes)) as Box<dyn RowSource + '_>;
    let decisions = (!outcomes.regrets.is_empty()).then_some(BrokerTable::Decisions);
    let forecasts = OF_FORECASTS.into_iter().filter(|_| !outcomes.forecasts.is_empty());
    let agreement = outcomes.agreement.as_ref().map(|_| BrokerTable::Agreement);
    let tables = DRAWN.into_iter().chain(decisions).chain(forecasts).chain(agreement);
    let mut pictures = Pictures::new(figures(), tables.map(rows).collect());
    let counts = [outcomes.issued, outcomes.clients.len() as u64, outcomes.servers.len() as u64];
    pictures.about = about(counts, &ended.called[0]);
    pictures.headline = HEADLINE;
    pictures.window = Some((outcomes.warm_up, SimTime::MAX));
    pictures
}

/// Pictures of the report of a finished run, from its files.
pub(super) fn of_files(run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
    let mut pictures = Pictures::new(figures(), run.tables()?);
    if !run.has("tasks.csv") {
        pictures.missing.push("tasks over time: there is no tasks.csv (record.tasks)".to_owned());
    }
    let count = |group: &str, name: &str| run.manifest[group][name].as_u64().unwrap_or(0);
    let counts = [count("counters", "tasks"), count("platform", "clients"), count("platform", "servers")];
    pictures.about = about(counts, run.manifest["scheduler"].as_str().unwrap_or_default());
    pictures.headline = HEADLINE;
    let settings = run.scenario.own::<Settings>().expect("what the system read of its scenario");
    pictures.window = Some((settings.observed_from(), SimTime::MAX));
    Ok(pictures)
}

fn about([tasks, clients, servers]: [u64; 3], scheduler: &str) -> String {
    format!("{tasks} tasks of {clients} clients on {servers} servers, scheduled by {scheduler}")
}
