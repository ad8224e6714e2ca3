//! A system of one's own: customers at a ticket counter, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`, and `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_system -- run examples/own_system.toml --open
//! cargo run --release --example own_system -- compare examples/own_system.toml --vary counter.windows=2,3
//! cargo run --release --example own_system -- explain counter.patience
//! ```
//!
//! Customers arrive one after another and queue for the first free window. One who waits longer than the patience leaves.

use std::any::Any;
use std::cell::{Cell as Shared, RefCell};
use std::collections::BTreeSet;
use std::io;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use clustersim::cli;
use clustersim::kernel::rng::Streams;
use clustersim::kernel::rng::distribution::Sampler;
use clustersim::kernel::stats::WarmUp;
use clustersim::kernel::{Facility, SimDuration, SimError, SimTime, hold, now, spawn, stream, timed};
use clustersim::measure::cohort::{ListedCohort, Subject};
use clustersim::measure::family::{Aim, Family, Part};
use clustersim::measure::metric::{Metric, Value};
use clustersim::output::{
    Cell, CellType, Column, Drawn, Figure, LaneCause, LaneSink, LaneSource, Lanes, NamedSpan, RowSink,
    RowSource, Rows, Series, Table, TableFormat, push_spans,
};
use clustersim::registry::{Bounds, Complaint, Key, Kind, Node, Params, Quantity, Registry};
use clustersim::scenario::schema::{PARQUET, RECORD, REPORT, RUN, TRACE};
use clustersim::scenario::{
    Figures, Ready, Rejected, Results, Run, Scenario, Session, System, keep, register,
};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the ticket counter.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    register(&mut registry, &TicketCounter);
    registry
}

// ---- what scenarios say ----

const COUNTER: Key = Key::new(
    "counter",
    Kind::Table(&[
        count("windows", 1, "windows that serve"),
        count("customers", 1000, "customers that arrive"),
        times("arrivals", "60s", "times between arrivals"),
        times("service", "90s", "times that a window takes for a customer"),
        Key::new("patience", Kind::Duration(Bounds::Positive))
            .or("5min")
            .about("how long a customer waits before leaving"),
    ]),
)
.absent("must be written in a scenario of a ticket counter")
.about("a ticket counter and its customers")
.source("C. Palm, 1937 (impatient customers)");

const fn count(name: &'static str, default: u64, about: &'static str) -> Key {
    let kind = Kind::Count { least: 1, most: 10_000_000 };
    Key::new(name, kind).or_count(default).about(about)
}

const fn times(name: &'static str, default: &'static str, about: &'static str) -> Key {
    Key::new(name, Kind::Distribution(Quantity::Duration)).or(default).about(about)
}

/// What the system reads of a scenario.
#[derive(Clone, Debug)]
struct Counter {
    windows: u32,
    customers: u64,
    arrivals: Sampler,
    service: Sampler,
    patience: SimDuration,
}

#[derive(Clone, Copy, Debug)]
struct TicketCounter;

impl System for TicketCounter {
    fn name(&self) -> &'static str {
        "ticket-counter"
    }

    fn about(&self) -> &'static str {
        "customers at a ticket counter"
    }

    fn keys(&self) -> &'static [Key] {
        const KEYS: &[Key] = &[RUN, Key { kind: Kind::Table(&[REPORT, TRACE, PARQUET]), ..RECORD }, COUNTER];
        KEYS
    }

    fn claims(&self) -> &'static [&'static str] {
        &["counter"]
    }

    fn families(&self) -> &'static [&'static [Family]] {
        &[FAMILIES]
    }

    fn tables(&self) -> Vec<Table> {
        vec![customers_table()]
    }

    fn figures(&self) -> Vec<Figure> {
        let here = Series::between("customers", "customers", "arrival", "end");
        let waiting = Series::between("customers who wait", "customers", "arrival", "start");
        let left = Drawn::Distribution { of: Rows::of("customers", "customers"), value: "end", label: "end" };
        vec![
            Figure::new(
                "Customers at the counter",
                "Those who wait and those who are served.",
                Drawn::Series(here),
            ),
            Figure::new("Queue", "Customers who are served later.", Drawn::Series(waiting)),
            Figure::new("Departures", "", left),
        ]
    }

    fn read(
        &self,
        params: &Params<'_>,
        _: &Node,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        let table = params.section("counter");
        let windows = keep(table.read("windows"), complaints);
        let customers = keep(table.read("customers"), complaints);
        let arrivals = keep(table.component::<Sampler>("arrivals", "distribution"), complaints);
        let service = keep(table.component::<Sampler>("service", "distribution"), complaints);
        let patience = keep(table.read("patience"), complaints);
        Some(Arc::new(Counter {
            windows: windows?,
            customers: customers?,
            arrivals: *arrivals?,
            service: *service?,
            patience: patience?,
        }))
    }

    fn assemble(&self, _: &Registry, scenario: &Scenario) -> Result<Ready, Box<Rejected>> {
        let counter = scenario.own::<Counter>().expect("what `read` gave").clone();
        let streams = Streams::new(scenario.seed, scenario.replication);
        Ok(Ready::new(Day { counter, streams, until: scenario.until }))
    }
}

// ---- the model ----

/// A day at the counter, ready to begin.
#[derive(Debug)]
struct Day {
    counter: Counter,
    streams: Streams,
    until: Option<SimTime>,
}

/// What became of a customer.
#[derive(Clone, Copy, Debug)]
struct Visit {
    customer: u64,
    arrived: SimTime,
    service: SimDuration,
    /// The window and when it began to serve; `None` for one who left.
    served: Option<(u32, SimTime)>,
    left: SimTime,
}

/// What customers share.
struct Hall {
    windows: Facility,
    free: RefCell<BTreeSet<u32>>,
    patience: SimDuration,
    visits: RefCell<Vec<Visit>>,
}

/// Queues for a window, and leaves when the patience is over.
async fn customer(hall: Rc<Hall>, customer: u64, service: SimDuration) {
    let arrived = now();
    let window = timed(hall.patience, hall.windows.reserve()).await;
    let mut served = None;
    if let Some(window) = window {
        let number = hall.free.borrow_mut().pop_first().expect("a window that is reserved was free");
        served = Some((number, now()));
        hold(service).await;
        hall.free.borrow_mut().insert(number);
        window.release();
    }
    hall.visits.borrow_mut().push(Visit { customer, arrived, service, served, left: now() });
}

/// Lets customers arrive; notes how many random numbers that took.
async fn street(hall: Rc<Hall>, counter: Counter, draws: Rc<Shared<u64>>) {
    let (mut gaps, mut services) = (stream("counter/arrivals"), stream("counter/service"));
    for number in 1..=counter.customers {
        hold(SimDuration::ceil_secs(counter.arrivals.draw(&mut gaps))).await;
        let service = SimDuration::ceil_secs(counter.service.draw(&mut services));
        draws.set(gaps.draws() + services.draws());
        spawn("customer", customer(Rc::clone(&hall), number, service));
    }
}

impl Run for Day {
    fn explain_lane(&mut self, asked: &str) -> bool {
        (1..=self.counter.windows).any(|window| asked == format!("window {window}"))
    }

    fn run(self: Box<Self>, session: &Session) -> Result<Box<dyn Results>, SimError> {
        let Day { counter, streams, until } = *self;
        let mut simulation = session.simulation(streams);
        let windows = counter.windows;
        let hall = Rc::new(Hall {
            windows: Facility::new("windows", windows),
            free: RefCell::new((1..=windows).collect()),
            patience: counter.patience,
            visits: RefCell::default(),
        });
        let draws = Rc::new(Shared::new(0));
        simulation.spawn("street", street(Rc::clone(&hall), counter, Rc::clone(&draws)));
        let outcome = simulation.run_until(until.unwrap_or(SimTime::MAX))?;
        let mut visits = hall.visits.take();
        visits.sort_by_key(|visit| visit.customer);
        let cohort = cohort(&visits, windows);
        let metrics = metrics(&visits, &cohort, windows, outcome.ended_at);
        let figures = Figures::new(metrics, outcome.digest, outcome.events, draws.get() > 0);
        let figures = figures.with_signs_of(&cohort, WarmUp::None);
        Ok(Box::new(Evening { visits, windows, figures }))
    }
}

// ---- what comes out ----

const PARTS: &[Part] = &[("mean", "the arithmetic mean"), ("max", "the maximum")];

const FAMILIES: &[Family] = &[
    Family::count("customers.served", Aim::Higher, "customers that a window served", "all who left"),
    Family::count("customers.lost", Aim::Lower, "customers that left without being served", "all who left"),
    Family::new("queueing-time", "s", Aim::Lower, "start of service - arrival", "customers who were served")
        .parts(PARTS),
    Family::share(
        "windows.busy",
        Aim::None,
        "time of windows in use / (windows x length of the run)",
        "the whole run",
    ),
];

/// The metrics: those of queueing times are made of the values of the cohort.
fn metrics(visits: &[Visit], cohort: &ListedCohort, windows: u32, ended_at: SimTime) -> Vec<Metric> {
    let served = visits.iter().filter(|visit| visit.served.is_some()).count();
    let busy: f64 =
        visits.iter().filter_map(|visit| Some(visit.left.since(visit.served?.1).as_secs_f64())).sum();
    let offered = f64::from(windows) * ended_at.as_secs_f64();
    let busy = if offered > 0.0 { Value::Real(busy / offered) } else { Value::Nothing };
    let others = [Value::Count(served as u64), Value::Count((visits.len() - served) as u64), busy];
    cohort.metrics(FAMILIES, WarmUp::None, others)
}

/// The customers as a series, of which any system can be told whether more come than are served,
/// and how far off the mean of their queueing times may be.
fn cohort(visits: &[Visit], windows: u32) -> ListedCohort {
    let mut cohort = ListedCohort::new(Some(f64::from(windows)), &["queueing-time.mean"]);
    for visit in visits {
        let served = visit.served.map(|(_, start)| start);
        let subject = Subject {
            begin: visit.arrived,
            served,
            end: Some(visit.left),
            area: visit.service.as_secs_f64(),
            class: 0,
            done: served.is_some(),
        };
        cohort.push(subject, &[subject.waited().map(SimDuration::as_secs_f64)]);
    }
    cohort
}

/// A day that is over.
struct Evening {
    visits: Vec<Visit>,
    windows: u32,
    figures: Figures,
}

impl Results for Evening {
    fn figures(&self) -> &Figures {
        &self.figures
    }

    fn tables(&self, scenario: &Scenario) -> Vec<(Box<dyn RowSource + '_>, TableFormat)> {
        let mut tables: Vec<(Box<dyn RowSource + '_>, TableFormat)> =
            vec![(Box::new(self), TableFormat::Csv)];
        if scenario.record_parquet {
            tables.push((Box::new(self), TableFormat::Parquet));
        }
        tables
    }

    fn lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        Some(Box::new(self))
    }
}

fn customers_table() -> Table {
    const COLUMNS: &[Column] = &[
        Column::new("customer", CellType::Count, "", "the number of the customer, from 1"),
        Column::new("arrival", CellType::Time, "s", "when the customer arrived"),
        Column::new("start", CellType::Time, "s", "when a window began to serve; empty for one who left"),
        Column::new("end", CellType::Time, "s", "when the customer left"),
        Column::new("window", CellType::Count, "", "the window; empty for one who left"),
    ];
    Table::new("customers", "of a ticket counter: a row a customer, in order of arrival", COLUMNS)
}

impl RowSource for &Evening {
    fn table(&self) -> Table {
        customers_table()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        for visit in &self.visits {
            let (start, window) = match visit.served {
                Some((window, start)) => (Cell::at(start), Cell::Count(window.into())),
                None => (Cell::Empty, Cell::Empty),
            };
            let (arrival, end) = (Cell::at(visit.arrived), Cell::at(visit.left));
            sink.row(&[Cell::Count(visit.customer), arrival, start, end, window])?;
        }
        Ok(())
    }
}

/// What a window does; `--explain "window 1"` adds it up.
const SERVES: LaneCause = ("serves", "a customer");

impl LaneSource for &Evening {
    fn lanes(&self) -> Lanes {
        Lanes { title: "windows", number: 1, counters: &[], causes: &[SERVES] }
    }

    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
        let names: Vec<String> = (1..=self.windows).map(|window| format!("window {window}")).collect();
        let labels: Vec<String> =
            self.visits.iter().map(|visit| format!("customer {}", visit.customer)).collect();
        let spans: Vec<NamedSpan<'_>> = self
            .visits
            .iter()
            .zip(&labels)
            .filter_map(|(visit, name)| {
                let (window, start) = visit.served?;
                Some(NamedSpan { lane: window - 1, name, cause: SERVES.0, start, end: visit.left })
            })
            .collect();
        push_spans(&names, &spans, sink)
    }
}
