//! A system of one's own: customers at a ticket counter, with the whole command line around it.
//!
//! In a crate of your own this file is `src/main.rs`, and `Cargo.toml` names `clustersim`. Here:
//!
//! ```sh
//! cargo run --release --example own_system -- run examples/own_system.toml -o out --open
//! cargo run --release --example own_system -- check out
//! cargo run --release --example own_system -- compare examples/own_system.toml --vary counter.windows=2,3
//! cargo run --release --example own_system -- explain counter.patience
//! ```
//!
//! Customers arrive one after another and queue for the first free window. One who waits longer
//! than the patience leaves.

use std::any::Any;
use std::cell::{RefCell, RefMut};
use std::collections::BTreeSet;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;

use clustersim::cli;
use clustersim::kernel::rng::distribution::{Moments, Sampler};
use clustersim::kernel::stats::WarmUp;
use clustersim::kernel::{
    Facility, SimDuration, SimError, SimTime, Simulation, hold, now, spawn, stream, timed,
};
use clustersim::measure::cohort::{ListedCohort, Subject};
use clustersim::measure::family::{Family, SPREAD, families};
use clustersim::output::{Drawn, Figure, ListedRows, Row, RowSpans, Rows, Series, row};
use clustersim::registry::{Bounds, Complaint, Key, Kind, Node, Params, Quantity, Registry, keys};
use clustersim::scenario::schema::{RECORD, RUN};
use clustersim::scenario::{
    Checked, Figures, Ready, Rejected, Results, RunDirectory, Scenario, Session, System, SystemData,
    TableResults, keep_all, register,
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

const COUNT: Kind = Kind::Count { least: 1, most: 10_000_000 };
const TIMES: Kind = Kind::Distribution(Quantity::Duration);

const COUNTER: &[Key] = &keys! {
    "windows" COUNT, or_count 1 => "windows that serve";
    "customers" COUNT, or_count 1000 => "customers that arrive";
    "arrivals" TIMES, or "60s" => "times between arrivals";
    "service" TIMES, or "90s" => "times that a window takes for a customer";
    "patience" Kind::Duration(Bounds::Positive), or "5min" => "how long a customer waits before leaving";
};

const KEYS: &[Key] = &keys! {
    ..RUN;
    ..RECORD;
    "counter" Kind::Table(COUNTER), absent "must be written in a scenario of a ticket counter" =>
        "a ticket counter and its customers", source "C. Palm, 1937 (impatient customers)";
};

/// What the system reads of a scenario.
#[derive(Clone, Debug)]
struct Counter {
    windows: u32,
    customers: u64,
    arrivals: Box<Sampler>,
    service: Box<Sampler>,
    patience: SimDuration,
}

// ---- what comes out ----

row! {
    /// A customer who came.
    struct Customer = "customers", "of a ticket counter: a row a customer, in order of arrival" {
        number: u64 = "customer" "", "the number of the customer, from 1";
        arrival: SimTime = "arrival" "s", "when the customer arrived";
        service: SimDuration = "service" "s", "how long a window takes for the customer";
        start: Option<SimTime> = "start" "s", "when a window began to serve; empty for one who gave up";
        end: Option<SimTime> = "end" "s", "when the customer left; empty for one who is still there";
        window: Option<u32> = "window" "", "the window; empty for one who gave up";
    }
}

impl Customer {
    /// The customer as a subject of statistics: signs of saturation and half-widths come from these
    /// alone.
    fn subject(&self) -> Subject {
        Subject::new(self.arrival, self.start, self.end, self.service.as_secs_f64())
    }

    /// Seconds until service, of a customer who was served and left.
    fn waited(&self) -> Option<f64> {
        self.end.and(self.start).map(|start| start.since(self.arrival).as_secs_f64())
    }
}

const FAMILIES: &[Family] = &families! {
    "customers.served" [] Higher, "all who left" => "customers that a window served";
    "customers.lost" [] Lower, "all who left" => "customers that left without being served";
    "queueing-time" ["s"] Lower, "customers who were served" => "start of service - arrival", parts SPREAD;
    "windows.busy" [share] None, "the whole run" =>
        "time of the services that ended / (windows x time to the last departure)";
};

/// The spans of the timeline: what each window did, which `--explain "window 1"` adds up.
const SERVICES: RowSpans =
    RowSpans::new(Customer::NAME, "window", ["start", "end"], "customer", &[("serves", "a customer")]);

fn figures() -> Vec<Figure> {
    let here = Series::between("customers", "customers", "arrival", "end");
    let waiting = Series::between("customers who wait", "customers", "arrival", "start");
    let left = Drawn::Distribution { of: Rows::of("customers", "customers"), value: "end", label: "end" };
    vec![
        Figure::new("Customers at the counter", "Those who wait and those who are served.", here),
        Figure::new("Queue", "Customers who are served later.", waiting),
        Figure::new("Departures", "", left),
    ]
}

// ---- the system ----

static DATA: SystemData = SystemData {
    tables: || vec![Customer::declared()],
    figures,
    ..SystemData::new("ticket-counter", "customers at a ticket counter", KEYS, &["counter"], &[FAMILIES])
};

#[derive(Clone, Copy, Debug)]
struct TicketCounter;

impl System for TicketCounter {
    fn data(&self) -> &'static SystemData {
        &DATA
    }

    fn read(
        &self,
        params: &Params<'_>,
        _: &Node,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        let table = params.section("counter");
        let counter = keep_all!(complaints => Counter {
            windows: table.read("windows"),
            customers: table.read("customers"),
            arrivals: table.component("arrivals", "distribution"),
            service: table.component("service", "distribution"),
            patience: table.read("patience"),
        });
        Some(Arc::new(counter?))
    }

    fn assemble(&self, _: &Registry, scenario: &Scenario) -> Result<Ready, Box<Rejected>> {
        let counter = scenario.own::<Counter>().expect("what `read` gave").clone();
        let (streams, until) = (scenario.streams(), scenario.until.unwrap_or(SimTime::MAX));
        let names = SERVICES.numbered(counter.windows);
        Ok(Ready::of(names, move |session: &Session| day(counter, session.simulation(streams), until)))
    }

    fn judge(&self, run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
        judge(run, run.scenario.own::<Counter>().expect("what `read` gave"))
    }
}

// ---- the model ----

/// What customers share.
struct Hall {
    windows: Facility,
    free: RefCell<BTreeSet<u32>>,
    patience: SimDuration,
    customers: RefCell<Vec<Customer>>,
}

/// Queues for a window, and leaves when the patience is over.
async fn customer(hall: Rc<Hall>, number: u64, service: SimDuration) {
    let (start, end, window) = (None, None, None);
    let came = Customer { number, arrival: now(), service, start, end, window };
    hall.customers.borrow_mut().push(came);
    let me = || RefMut::map(hall.customers.borrow_mut(), |all| &mut all[number as usize - 1]);
    if let Some(reserved) = timed(hall.patience, hall.windows.reserve()).await {
        let window = hall.free.borrow_mut().pop_first();
        me().start = Some(now());
        me().window = window;
        hold(service).await;
        hall.free.borrow_mut().extend(window);
        reserved.release();
    }
    me().end = Some(now());
}

/// Lets customers arrive.
async fn street(hall: Rc<Hall>, counter: Counter) {
    let (mut gaps, mut services) = (stream("counter/arrivals"), stream("counter/service"));
    for number in 1..=counter.customers {
        hold(SimDuration::ceil_secs(counter.arrivals.draw(&mut gaps))).await;
        let service = SimDuration::ceil_secs(counter.service.draw(&mut services));
        spawn("customer", customer(Rc::clone(&hall), number, service));
    }
}

/// A day at the counter, with all that comes out.
fn day(counter: Counter, mut simulation: Simulation, until: SimTime) -> Result<Box<dyn Results>, SimError> {
    let (count, patience) = (counter.windows, counter.patience);
    let drew = [&counter.arrivals, &counter.service].iter().any(|law| law.variance() != Some(0.0));
    let (free, customers) = (RefCell::new((1..=count).collect()), RefCell::default());
    let hall = Rc::new(Hall { windows: Facility::new("windows", count), free, patience, customers });
    simulation.spawn("street", street(Rc::clone(&hall), counter));
    let outcome = simulation.run_until(until)?;
    let customers = hall.customers.take();
    let subjects = customers.iter().map(|customer| (customer.subject(), [customer.waited()]));
    let cohort = ListedCohort::of(Some(f64::from(count)), &["queueing-time.mean"], subjects);
    let metrics = cohort.metrics(FAMILIES, WarmUp::None, cohort.service());
    let figures = Figures::new(metrics, outcome.digest, outcome.events, drew);
    let figures = figures.with_signs_of(&cohort, WarmUp::None);
    let results = TableResults::new(figures).with_table(ListedRows(customers));
    Ok(Box::new(results.with_lanes("windows", SERVICES.numbered(count), SERVICES)))
}

// ---- what `check` holds the files against ----

/// Judges a run by its rows, with nothing of the model above.
fn judge(run: &RunDirectory<'_>, counter: &Counter) -> Result<Checked, Box<Rejected>> {
    let customers: Vec<Customer> = run.rows()?;
    let mut judging = run.judging()?;
    let in_time = "customers leave when they were served or their patience is over";
    let leaves_in_time = |customer: &Customer| leaves_in_time(customer, counter.patience);
    judging.each(in_time, &customers, |customer| customer.arrival, leaves_in_time);
    let turns = out_of_turn(&customers, counter.windows);
    judging.promise("customers are served in turn, each at the first window that is free", turns);
    let waits: Vec<_> = customers.iter().map(|customer| (customer.arrival, customer.waited())).collect();
    judging.spread("queueing-time", &waits);
    let metrics = ["customers.served", "customers.lost", "windows.busy"];
    let times = customers.iter().map(|customer| (customer.start, customer.end));
    judging.service(metrics, counter.windows, times);
    Ok(judging.judged(format!("{} customers", customers.len())))
}

/// Returns true if a customer starts and leaves when it must, as far as it has.
fn leaves_in_time(customer: &Customer, patience: SimDuration) -> bool {
    let limit = customer.arrival.saturating_add(patience);
    let due = customer.start.map_or(limit, |start| start.saturating_add(customer.service));
    customer.start.is_none_or(|start| (customer.arrival..=limit).contains(&start))
        && customer.end.is_none_or(|end| end == due)
}

/// The customers that were served before an earlier one, or at a window that was not free or behind
/// another that was.
fn out_of_turn(customers: &[Customer], windows: u32) -> Vec<(SimTime, String)> {
    let (mut busy_until, mut last) = (vec![SimTime::ZERO; windows as usize], SimTime::ZERO);
    let mut found = Vec::new();
    for (number, customer) in (1..).zip(customers) {
        let start = customer.start.unwrap_or(last);
        let place = customer.window.map_or(0, |window| window as usize).checked_sub(1);
        let is_first_free = place.map_or(customer.start.is_none(), |place| {
            let others_are_busy = busy_until.iter().take(place).all(|until| *until >= start);
            others_are_busy && busy_until.get(place).is_some_and(|until| *until <= start)
        });
        if customer.number != number || start < last || !is_first_free {
            found.push((start, format!("customer {number} is not served in turn")));
        }
        if let Some(until) = place.and_then(|place| busy_until.get_mut(place)) {
            *until = customer.end.unwrap_or(SimTime::MAX);
        }
        last = start;
    }
    found
}
