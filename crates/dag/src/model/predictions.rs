//! The predictions by name: what is known of availability, and the law of the error.
//!
//! A [`PredictionKind`] is what a scenario describes; it becomes a [`Prediction`] for the tasks and
//! the hosts of a run. One of one's own joins the table `prediction` by an entry with its keys:
//!
//! ```
//! use clustersim_dag::graph::Graph;
//! use clustersim_dag::grid::Grid;
//! use clustersim_dag::prediction::{Knowledge, Prediction, PredictionQuestion};
//! use clustersim_dag::predictions::PredictionKind;
//! use clustersim_kernel::rng::Streams;
//! use clustersim_language::registry::{Bounds, Entry, Key, Kind, Registry};
//!
//! /// Transfers are taken to last longer than they do.
//! #[derive(Debug)]
//! struct Pessimist {
//!     by: f64,
//! }
//!
//! impl PredictionKind for Pessimist {
//!     fn prediction(&self, _: &Streams, _: &Grid, _: &Graph) -> Prediction {
//!         let by = self.by;
//!         Prediction::by(Knowledge::Perfect, move |question, _| match question {
//!             PredictionQuestion::Execution(..) => 1.0,
//!             PredictionQuestion::Transfer(..) => by,
//!         })
//!     }
//! }
//!
//! const PESSIMIST: Entry<dyn PredictionKind> = Entry::new(
//!     "pessimist",
//!     "right answers, but for transfers",
//!     &[Key::new("by", Kind::Number(Bounds::Positive))
//!         .or_number(2.0)
//!         .about("the factor of transfers")],
//!     |params| Ok(Box::new(Pessimist { by: params.read("by")? })),
//! );
//!
//! let mut registry = Registry::new();
//! clustersim_experiment::scenario::register(&mut registry, &clustersim_dag::system::TaskGraphs);
//! registry.add("prediction", PESSIMIST);
//! ```
//!
//! Sources: "DAGSim" (perfect, random and user-given predictions); R. Wolski, Cluster Computing
//! 1(1), 1998 (forecasts).

use std::fmt;

use crate::collections::OrderedMap;
use crate::forecast::{self, ForecastSettings};
use crate::kernel::rng::Streams;
use crate::model::forecasting::Forecasting;
use crate::model::graph::Graph;
use crate::model::grid::Grid;
use crate::model::prediction::{Knowledge, Prediction, PredictionError, PredictionQuestion};
use crate::platform::{Errors, Factors, HostId};
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Params, Table, Value};
use crate::workflow::TaskNumber;

/// A prediction as a scenario describes it, for the tasks and hosts of any run.
pub trait PredictionKind: fmt::Debug {
    /// Returns true if it draws random numbers.
    fn draws(&self) -> bool {
        false
    }

    /// Returns the settings that do not fit these tasks and hosts: each time the key, and what is
    /// wrong with its value.
    fn misfits(&self, grid: &Grid, graph: &Graph) -> Vec<(&'static str, String)> {
        let _ = (grid, graph);
        Vec::new()
    }

    /// The prediction for these tasks on this grid. What it draws, it draws from streams of these
    /// that are named after it.
    fn prediction(&self, streams: &Streams, grid: &Grid, graph: &Graph) -> Prediction;
}

/// A prediction of the table below.
#[derive(Clone, Debug)]
struct Predicting {
    knowledge: Knowledge,
    error: Law,
    /// True if a factor holds for the whole run.
    per_run: bool,
}

/// The law of the error.
#[derive(Clone, Debug)]
enum Law {
    Drawn(Errors),
    /// Factors of executions by host, and by category of the task.
    Biased {
        hosts: OrderedMap<String, f64>,
        categories: OrderedMap<String, f64>,
    },
}

const OF: Key = Key::new(
    "of",
    Kind::Choice(&[
        ("perfect", "the availability as it will be"),
        ("now", "the present availability, which is taken to stay"),
        ("mean", "the mean availability"),
    ]),
)
.or("perfect")
.about("what would be right without the error");

const PER: Key = Key::new(
    "per",
    Kind::Choice(&[("sweep", "each time that a plan is made"), ("run", "once for the whole run")]),
)
.or("sweep")
.about("how often the error of a question is drawn");

const fn error(name: &'static str, bounds: Bounds, about: &'static str) -> Key {
    Key::new(name, Kind::Share(bounds)).about(about)
}

const DAGSIM: &str = "\"DAGSim: a simulator for DAG scheduling algorithms\", 2000";

const fn known(
    name: &'static str,
    about: &'static str,
    build: fn(&Params<'_>) -> Result<Box<dyn PredictionKind>, Complaint>,
) -> Entry<dyn PredictionKind> {
    Entry::published(name, about, DAGSIM, &[], build)
}

/// The predictions by name.
pub fn table() -> Table<dyn PredictionKind> {
    const ENTRIES: &[Entry<dyn PredictionKind>] = &[
        Entry::new(
            "biased",
            "the right answer times a factor of the host, and one of the task's category",
            &[
                factors("hosts", "the factor by host"),
                factors("categories", "the factor by category of the task"),
                OF,
            ],
            |params| {
                let error =
                    Law::Biased { hosts: read(params, "hosts"), categories: read(params, "categories") };
                Ok(Box::new(Predicting { knowledge: knowledge(params)?, error, per_run: true }))
            },
        ),
        Entry::published(
            "forecast",
            "the availability that forecasters expect by samples of it, which is taken to stay",
            "R. Wolski, Cluster Computing 1(1), 1998",
            FORECAST,
            |params| Ok(Box::new(Predicting::right(Knowledge::Forecast(forecasting(params)?)))),
        ),
        Entry::new(
            "gaussian",
            "the right answer times a normal factor around 1, of 0.05 at least",
            &[error("deviation", Bounds::NotNegative, "standard deviation of the factor"), OF, PER],
            |params| drawn(params, Errors::Gaussian { deviation: params.read("deviation")? }),
        ),
        Entry::new(
            "lognormal",
            "the right answer times a lognormal factor of median 1",
            &[error("cv", Bounds::NotNegative, "coefficient of variation of the factor"), OF, PER],
            |params| drawn(params, Errors::LogNormal { cv: params.read("cv")? }),
        ),
        known("mean", "the mean availability, all the time", |_| {
            Ok(Box::new(Predicting::right(Knowledge::Mean)))
        }),
        known("now", "the present availability, which is taken to stay", |_| {
            Ok(Box::new(Predicting::right(Knowledge::Now)))
        }),
        known("perfect", "what will be", |_| Ok(Box::new(Predicting::right(Knowledge::Perfect)))),
        Entry::published(
            "uniform",
            "the right answer times a factor that is uniform around 1",
            DAGSIM,
            &[error("error", Bounds::Within(0.0, 1.0), "the greatest relative error"), OF, PER],
            |params| drawn(params, Errors::Uniform { bound: params.read("error")? }),
        ),
    ];
    Table::new("prediction", "what a scheduler knows of durations beforehand, and how wrong it is", ENTRIES)
}

const FORECAST: &[Key] = &Key::joined::<6>(&[
    &forecast::KEYS,
    &[
        Key::new("every", Kind::Duration(Bounds::Positive)).or("60s").about("from one sample to the next"),
        Key::new("samples", Kind::Count { least: 1, most: 1 << 20 })
            .or_count(100)
            .about("how many of the last samples count"),
    ],
]);

/// Reads the keys of a `forecast`.
fn forecasting(params: &Params<'_>) -> Result<Forecasting, Complaint> {
    let ForecastSettings { battery, select, horizon } = ForecastSettings::read(params)?;
    Ok(Forecasting {
        battery,
        select,
        every: params.read("every")?,
        samples: params.read("samples")?,
        horizon,
        ..Forecasting::default()
    })
}

const fn factors(name: &'static str, about: &'static str) -> Key {
    Key::new(name, Kind::Map(&Kind::Number(Bounds::Positive))).or_table().about(about)
}

fn read(params: &Params<'_>, name: &str) -> OrderedMap<String, f64> {
    let table = params.section(name);
    let slots = table.tree().slots().iter();
    let factor = |value: &Value| match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        _ => 1.0,
    };
    slots.map(|slot| (slot.name.clone(), factor(&slot.node.value))).collect()
}

fn knowledge(params: &Params<'_>) -> Result<Knowledge, Complaint> {
    Ok(match params.read::<String>("of")?.as_str() {
        "now" => Knowledge::Now,
        "mean" => Knowledge::Mean,
        _ => Knowledge::Perfect,
    })
}

fn drawn(params: &Params<'_>, errors: Errors) -> Result<Box<dyn PredictionKind>, Complaint> {
    let per_run = params.pick("per", &[("sweep", false), ("run", true)])?;
    Ok(Box::new(Predicting { knowledge: knowledge(params)?, error: Law::Drawn(errors), per_run }))
}

impl Predicting {
    fn right(knowledge: Knowledge) -> Self {
        Predicting { knowledge, error: Law::Drawn(Errors::None), per_run: true }
    }
}

impl PredictionKind for Predicting {
    fn draws(&self) -> bool {
        matches!(&self.error, Law::Drawn(errors) if !matches!(errors, Errors::None))
    }

    fn misfits(&self, grid: &Grid, graph: &Graph) -> Vec<(&'static str, String)> {
        let Law::Biased { hosts, categories } = &self.error else { return Vec::new() };
        let no_host = hosts.keys().filter(|name| grid.platform().host_named(name).is_none());
        let has = |name: &str| {
            graph
                .tasks()
                .any(|task| graph.task(task).category.as_deref().is_some_and(|category| category == name))
        };
        let no_task = categories.keys().filter(|name| !has(name));
        let hosts = no_host.map(|name| ("hosts", format!("the platform has no host `{name}`")));
        let categories = no_task.map(|name| ("categories", format!("no task is of the category `{name}`")));
        hosts.chain(categories).collect()
    }

    fn prediction(&self, streams: &Streams, grid: &Grid, graph: &Graph) -> Prediction {
        let error: Option<Box<dyn PredictionError>> = match &self.error {
            Law::Drawn(Errors::None) => None,
            Law::Drawn(errors) => {
                Some(Box::new(DrawnError { factors: errors.factors(streams), per_run: self.per_run }))
            }
            Law::Biased { hosts, categories } => {
                let of =
                    |factors: &OrderedMap<String, f64>, name: &str| factors.get(name).copied().unwrap_or(1.0);
                let by_host = grid.hosts().map(|host| of(hosts, &grid.host(host).name)).collect();
                let category =
                    |task| graph.task(task).category.as_deref().map_or(1.0, |name| of(categories, name));
                Some(Box::new(Bias { by_host, by_task: graph.tasks().map(category).collect() }))
            }
        };
        Prediction { knowledge: self.knowledge.clone(), error }
    }
}

/// Factors that are drawn.
#[derive(Debug)]
struct DrawnError {
    factors: Factors,
    per_run: bool,
}

impl PredictionError for DrawnError {
    fn factor(&self, question: PredictionQuestion, sweep: u64) -> f64 {
        let sweep = if self.per_run { 0 } else { sweep };
        let number = |host: HostId| host.index() as u64;
        match question {
            PredictionQuestion::Execution(TaskNumber(task), host) => {
                self.factors.of(&[u64::from(task), number(host), sweep])
            }
            PredictionQuestion::Transfer(edge, from, to) => {
                self.factors.of(&[u64::from(edge.0), number(from), number(to), sweep])
            }
        }
    }
}

/// Factors of hosts and tasks.
#[derive(Debug)]
struct Bias {
    by_host: Vec<f64>,
    by_task: Vec<f64>,
}

impl PredictionError for Bias {
    fn factor(&self, question: PredictionQuestion, _: u64) -> f64 {
        match question {
            PredictionQuestion::Execution(task, host) => {
                self.by_host[host.index()] * self.by_task[task.index()]
            }
            PredictionQuestion::Transfer(..) => 1.0,
        }
    }
}
