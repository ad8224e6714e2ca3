//! NeXosim: models that schedule events for themselves and send to each other's ports, on one
//! thread. It has no processes and no resource: a customer of M/M/1 is an entry of the server's
//! queue.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use common::{INTERVAL, Outcome, SERVICE, Source};
use nexosim::model::{Context, Model, schedulable};
use nexosim::ports::Output;
use nexosim::simulation::{Mailbox, SimInit};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};

static OUTCOME: Mutex<Outcome> = Mutex::new(Outcome { events: 0, check: 0.0 });

fn seconds(span: f64) -> Duration {
    // an event of the present instant cannot be scheduled
    Duration::from_nanos(((span * 1e9) as u64).max(1))
}

fn since_start<M: Model>(cx: &Context<M>) -> f64 {
    cx.time().duration_since(MonotonicTime::EPOCH).as_secs_f64()
}

fn run(simulation: SimInit) -> Outcome {
    simulation.init(MonotonicTime::EPOCH).expect("a start").run().expect("a run");
    std::mem::take(&mut OUTCOME.lock().expect("one thread"))
}

/// The next random time of a model, whose state has to be plain data.
fn draw(source: &mut u64, mean: f64) -> Duration {
    let mut drawn = Source(*source);
    let span = drawn.exponential(mean);
    *source = drawn.0;
    seconds(span)
}

#[derive(Serialize, Deserialize)]
struct Holder {
    source: u64,
    left: u64,
    size: u64,
}

#[Model]
impl Holder {
    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>) {
        self.hold(cx);
    }

    fn hold(&mut self, cx: &Context<Self>) {
        let delay = draw(&mut self.source, 1.0);
        cx.schedule_event(delay, schedulable!(Self::over), ()).expect("a later instant");
    }

    #[nexosim(schedulable)]
    async fn over(&mut self, _: (), cx: &Context<Self>) {
        self.left -= 1;
        OUTCOME.lock().expect("one thread").events += 1;
        if self.left > 0 {
            self.hold(cx);
        } else {
            OUTCOME.lock().expect("one thread").check += since_start(cx) / self.size as f64;
        }
    }
}

fn hold(size: u64, each: u64) -> Outcome {
    let mut bench = SimInit::with_num_threads(1);
    for i in 0..size {
        let holder = Holder { source: Source::new(i).0, left: each, size };
        bench = bench.add_model(holder, Mailbox::with_capacity(1), "holder");
    }
    run(bench)
}

#[derive(Serialize, Deserialize)]
struct Arrivals {
    source: u64,
    left: u64,
    customer: Output<f64>,
}

#[Model]
impl Arrivals {
    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>) {
        self.next(cx);
    }

    fn next(&mut self, cx: &Context<Self>) {
        let delay = draw(&mut self.source, INTERVAL);
        cx.schedule_event(delay, schedulable!(Self::arrive), ()).expect("a later instant");
    }

    #[nexosim(schedulable)]
    async fn arrive(&mut self, _: (), cx: &Context<Self>) {
        let service = draw(&mut self.source, SERVICE).as_secs_f64();
        self.customer.send(service).await;
        self.left -= 1;
        if self.left > 0 {
            self.next(cx);
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Server {
    /// Arrival and service time of everybody inside, the first of them in service.
    inside: VecDeque<(f64, f64)>,
    customers: u64,
}

#[Model]
impl Server {
    async fn enter(&mut self, service: f64, cx: &Context<Self>) {
        self.inside.push_back((since_start(cx), service));
        if self.inside.len() == 1 {
            self.serve(cx);
        }
    }

    fn serve(&mut self, cx: &Context<Self>) {
        if let Some(&(_, service)) = self.inside.front() {
            let delay = seconds(service);
            cx.schedule_event(delay, schedulable!(Self::leave), ()).expect("a later instant");
        }
    }

    #[nexosim(schedulable)]
    async fn leave(&mut self, _: (), cx: &Context<Self>) {
        let (arrival, _) = self.inside.pop_front().expect("somebody is in service");
        {
            let mut outcome = OUTCOME.lock().expect("one thread");
            outcome.events += 1;
            outcome.check += (since_start(cx) - arrival) / self.customers as f64;
        }
        self.serve(cx);
    }
}

fn mm1(_: u64, customers: u64) -> Outcome {
    let (arrivals_box, server_box) = (Mailbox::new(), Mailbox::new());
    let mut arrivals = Arrivals { source: Source::new(0).0, left: customers, customer: Output::default() };
    arrivals.customer.connect(Server::enter, &server_box);
    let server = Server { inside: VecDeque::new(), customers };
    let bench = SimInit::with_num_threads(1);
    run(bench.add_model(arrivals, arrivals_box, "arrivals").add_model(server, server_box, "server"))
}

#[derive(Serialize, Deserialize)]
struct Station {
    source: u64,
    left: u64,
    messages: u64,
    waits: bool,
    next: Output<()>,
}

#[Model]
impl Station {
    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>) {
        self.hold(cx);
    }

    fn hold(&mut self, cx: &Context<Self>) {
        let delay = draw(&mut self.source, 1.0);
        cx.schedule_event(delay, schedulable!(Self::over), ()).expect("a later instant");
    }

    #[nexosim(schedulable)]
    async fn over(&mut self, _: (), cx: &Context<Self>) {
        self.waits = true;
        self.next.send(()).await;
        self.receive(cx);
    }

    async fn put(&mut self, _: (), cx: &Context<Self>) {
        self.messages += 1;
        self.receive(cx);
    }

    fn receive(&mut self, cx: &Context<Self>) {
        if !self.waits || self.messages == 0 {
            return;
        }
        self.waits = false;
        self.messages -= 1;
        self.left -= 1;
        {
            let mut outcome = OUTCOME.lock().expect("one thread");
            outcome.events += 1;
            outcome.check = since_start(cx);
        }
        if self.left > 0 {
            self.hold(cx);
        }
    }
}

fn ring(size: u64, each: u64) -> Outcome {
    let boxes: Vec<Mailbox<Station>> = (0..size).map(|_| Mailbox::new()).collect();
    let mut stations = Vec::new();
    for i in 0..size {
        let source = Source::new(i).0;
        let mut station = Station { source, left: each, messages: 0, waits: false, next: Output::default() };
        station.next.connect(Station::put, &boxes[((i + 1) % size) as usize]);
        stations.push(station);
    }
    let bench = SimInit::with_num_threads(1);
    run(stations
        .into_iter()
        .zip(boxes)
        .fold(bench, |bench, (station, own)| bench.add_model(station, own, "station")))
}

fn main() {
    common::main(hold, mm1, ring);
}
