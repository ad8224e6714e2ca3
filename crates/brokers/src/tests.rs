//! Runs whose results are worked out by hand or by queueing theory.

use std::rc::Rc;

use crate::client::{Arrivals, Client, Deadline, TaskClass, TaskSizes};
use crate::curve::{Curve, CurveCursor, Linear, Stepwise};
use crate::database::InMemory;
use crate::environment::{BrokerServer, DescribedQueue, Environment, QueueLayout};
use crate::info::{ClientNumber, Path, PathDirection, ServerNumber};
use crate::kernel::rng::Streams;
use crate::kernel::rng::distribution::{Constant, Exponential, Sampler};
use crate::kernel::{SimDuration, SimTime, Simulation};
use crate::monitor::{Drops, MonitorSchedule, NetworkMonitor, ServerMonitor};
use crate::outcomes::BrokerOutcomes;
use crate::queue::PacketQueue;
use crate::record::{Kept, TaskState};
use crate::retry::Retry;
use crate::run::{BrokerProblem, Monitors, ServerFailures, execute};
use crate::scheduler::SchedulerTerms;
use crate::station::served::StationTerms;
use crate::station::{
    Discipline, Extraneous, ExtraneousLaw, ExtraneousStreams, Rate, Served, StationTraffic,
};

mod another_try;
mod choices;

fn constant(value: f64) -> Sampler {
    Sampler::new(Constant::new(value).expect("finite"))
}

fn exponential(mean: f64) -> Sampler {
    Sampler::new(Exponential::new(mean).expect("positive"))
}

/// Bytes there, operations, bytes back.
fn sizes(send: f64, instructions: Sampler, receive: f64) -> TaskSizes {
    TaskSizes::Drawn { send: constant(send), receive: constant(receive), instructions }
}

fn secs(secs: f64) -> SimTime {
    SimTime::ZERO + SimDuration::ceil_secs(secs)
}

/// A queue of its own for each client, server and direction.
#[derive(Clone, Debug)]
struct Pairs {
    servers: usize,
    count: usize,
    /// Bandwidth there and back.
    bandwidth: [f64; 2],
    latency: SimDuration,
    discipline: Discipline,
    /// Rate left to a sender, and the mean size of others' packets.
    others: Option<(f64, Sampler)>,
    streams: Streams,
}

impl QueueLayout for Pairs {
    fn route(&self, path: Path) -> Vec<usize> {
        vec![2 * (path.client.index() * self.servers + path.server.index()) + path.direction as usize]
    }

    fn queue(&self, number: usize) -> PacketQueue {
        let capacity = self.bandwidth[number % 2];
        let name = format!("q{number}");
        let others = self.others.clone().map(|(actual, size)| {
            let law = ExtraneousLaw { capacity, actual, size, gaps: exponential(1.0), spread: None };
            Extraneous::new(law, ExtraneousStreams::new(&self.streams, &name))
        });
        let terms = StationTerms {
            discipline: self.discipline,
            processors: 1,
            rate: Rate::Constant(capacity),
            extraneous: others,
            from: SimTime::ZERO,
        };
        PacketQueue::new(name, number as u32, self.latency, capacity, terms)
    }

    fn len(&self) -> usize {
        self.count
    }

    fn described(&self, number: usize) -> DescribedQueue {
        let nominal = self.bandwidth[number % 2];
        DescribedQueue { number, rate: Rate::Constant(nominal), nominal, latency: self.latency }
    }
}

/// A small run, to be changed.
struct Small {
    clients: usize,
    performance: Vec<Rate>,
    processors: u32,
    server_discipline: Discipline,
    server_others: Option<(f64, Sampler)>,
    layout: Pairs,
    class: TaskClass,
    arrivals: Arrivals,
    tasks: u64,
    scheduler: &'static str,
    predictor: &'static str,
    terms: SchedulerTerms,
    monitors: Monitors,
    failures: Vec<(ServerNumber, ServerFailures)>,
    until: Option<SimTime>,
}

impl Small {
    /// One task of 1000 KB, 500 Mop, 200 KB.
    fn new(seed: u64) -> Self {
        let layout = Pairs {
            servers: 1,
            count: 0,
            bandwidth: [1e5, 5e4],
            latency: SimDuration::ZERO,
            discipline: Discipline::Fcfs,
            others: None,
            streams: Streams::new(seed, 0),
        };
        let class = TaskClass {
            weight: 1.0,
            sizes: sizes(1e6, constant(5e8), 2e5),
            deadline: Deadline::None,
            priority: 0,
            processors: 1,
        };
        Small {
            clients: 1,
            performance: vec![Rate::Constant(1e8)],
            processors: 1,
            server_discipline: Discipline::Fcfs,
            server_others: None,
            layout,
            class,
            arrivals: Arrivals::Given(Rc::from([SimTime::ZERO])),
            tasks: 1,
            scheduler: "greedy",
            predictor: "last",
            terms: SchedulerTerms {
                opt: None,
                corrects_load: false,
                fallbacks: 0,
                retry: Retry { after: SimDuration::from_secs(10), times: 1000 },
                wanted: 1,
                query_time: constant(0.0),
            },
            monitors: Monitors::default(),
            failures: Vec::new(),
            until: None,
        }
    }

    fn run(mut self) -> BrokerOutcomes {
        let streams = self.layout.streams;
        let servers = self.performance.len();
        self.layout.servers = servers;
        self.layout.count = 2 * self.clients * servers;
        let layout = Box::new(self.layout.clone());
        let server = |(number, rate): (usize, Rate)| {
            let performance = rate.at(SimTime::ZERO);
            let name = format!("s{number}");
            let others = self.server_others.clone().map(|(utilization, size)| {
                let actual = performance * (1.0 - utilization);
                let law = ExtraneousLaw {
                    capacity: performance,
                    actual,
                    size,
                    gaps: exponential(1.0),
                    spread: None,
                };
                Extraneous::new(law, ExtraneousStreams::new(&streams, &name))
            });
            let terms = StationTerms {
                discipline: self.server_discipline,
                processors: self.processors,
                rate,
                extraneous: others,
                from: SimTime::ZERO,
            };
            let station = Served::new(("server", number as u32), terms);
            BrokerServer {
                name,
                performance,
                processors: self.processors,
                price: None,
                availability: None,
                station,
            }
        };
        let simulation = Simulation::with_streams(streams);
        let environment = simulation.enter(|| {
            let servers = std::mem::take(&mut self.performance).into_iter().enumerate().map(server).collect();
            let clients = (0..self.clients).map(|client| format!("c{client}")).collect();
            Rc::new(Environment::new(clients, servers, layout, 1e4))
        });
        let client = |number: u32| Client {
            number: ClientNumber(number),
            tasks: Some(self.tasks),
            arrivals: self.arrivals.clone(),
            classes: Rc::from([self.class.clone()]),
        };
        let problem = BrokerProblem {
            programs: Vec::new(),
            clients: (0..self.clients as u32).map(client).collect(),
            environment,
            monitors: self.monitors,
            db: Box::new(InMemory::new(1000)),
            predictor: super::predictor::table().find(self.predictor).map(built).expect("known"),
            scheduler: super::scheduler::table().find(self.scheduler).map(built).expect("known"),
            terms: self.terms,
            failures: self.failures,
            streams,
            warm_up: SimTime::ZERO,
            kept: Kept {
                tasks: true,
                measurements: true,
                forecasts: true,
                packets: true,
                regret: true,
                candidates: false,
                probes: true,
                subjects: true,
            },
            agreement: None,
            explained: None,
            forced: None,
        };
        execute(problem, simulation, self.until).expect("it ends")
    }
}

/// A component without keys.
fn built<T: ?Sized>(entry: &crate::registry::Entry<T>) -> Box<T> {
    use crate::registry::{Node, Params, Registry, Sources, Span, Tree, Value};
    let (registry, mut sources) = (Registry::new(), Sources::new(""));
    let span = Span::new(sources.add("none", "", ""), 0..0);
    let node = Node::new(Value::Table(Tree::default()), span);
    (entry.build)(&Params::new(&registry, &sources, &node)).expect("no key can be wrong")
}

/// 1000 KB at 100 KB/s, 500 Mop at 100 Mop/s, 200 KB at 50 KB/s: 10 + 5 + 4 s.
#[test]
fn a_task_takes_its_transfers_and_its_service() {
    let outcomes = Small::new(1).run();
    let task = outcomes.tasks[0];
    assert_eq!(task.state, TaskState::Completed);
    assert_eq!([task.sent, task.queued, task.started].map(SimTime::as_nanos), [10_000_000_000; 3]);
    assert_eq!([task.ended, task.received].map(SimTime::as_nanos), [15_000_000_000, 19_000_000_000]);
    assert!((task.predicted - 19.0).abs() < 1e-9);
}

#[test]
fn latency_counts_once_a_transfer() {
    let mut small = Small::new(1);
    small.layout.latency = SimDuration::from_millis(250);
    assert_eq!(small.run().tasks[0].received.as_nanos(), 19_500_000_000);
}

/// Each has one packet outstanding, so they take turns.
#[test]
fn two_senders_on_one_queue_end_a_packet_apart() {
    for discipline in [Discipline::Fcfs, Discipline::Fair] {
        let simulation = Simulation::new(1);
        let ends = simulation.enter(|| {
            let mut layout = Small::new(1).layout;
            layout.discipline = discipline;
            let route: crate::transfer::QueueRoute = Rc::from([Rc::new(layout.queue(0))]);
            let flows = Rc::new(crate::transfer::TransferNumbers::default());
            let ends = Rc::new(std::cell::RefCell::new(Vec::new()));
            for _ in 0..2 {
                let (route, flows, ends) = (Rc::clone(&route), Rc::clone(&flows), Rc::clone(&ends));
                crate::kernel::spawn("sender", async move {
                    let transfer = crate::transfer::PacketTransfer {
                        bytes: 1e6,
                        packet: 1e4,
                        traffic: StationTraffic::Own,
                        priority: 0,
                    };
                    let carried = crate::transfer::send(&flows, &route, transfer, |_| ()).await;
                    ends.borrow_mut().push(carried.left);
                });
            }
            ends
        });
        simulation.run().expect("it ends");
        assert_eq!(*ends.borrow(), [secs(19.9), secs(20.0)], "{discipline:?}");
    }
}

/// A queue of 100 KB/s that leaves 40 KB/s to a sender, by 10 KB packets of others: ten seeds.
#[test]
fn a_sender_gets_what_others_leave() {
    for size in [exponential(1e4), constant(1e4)] {
        let mut sum = 0.0;
        for seed in 0..10 {
            let mut small = Small::new(seed);
            small.layout.bandwidth = [1e5, 1e5];
            small.layout.others = Some((4e4, size.clone()));
            small.class.sizes = sizes(1e8, constant(5e8), 0.0);
            let task = small.run().tasks[0];
            sum += 1e8 / task.sent.as_secs_f64() / 10.0;
        }
        assert!((sum / 4e4 - 1.0).abs() < 0.02, "{sum}");
    }
}

/// Others take 0.6 of a server, in tasks of 0.5 s: 0.6/0.4 × 0.5 + 2 s.
#[test]
fn a_rare_task_waits_for_the_tasks_of_others() {
    let mut small = Small::new(3);
    small.layout.bandwidth = [1e12, 1e12];
    small.class.sizes = sizes(1e6, constant(2e8), 2e5);
    small.server_others = Some((0.6, exponential(5e7)));
    small.arrivals = Arrivals::Open(constant(40.0));
    small.tasks = 3_000;
    let outcomes = small.run();
    let mean = outcomes.figures.response.mean().expect("tasks");
    assert!((mean / 2.75 - 1.0).abs() < 0.05, "{mean}");
    assert!(outcomes.servers[0].identity_holds);
    let busy = outcomes.servers[0].usage.busy[StationTraffic::Extraneous as usize].as_secs_f64();
    let share = busy / outcomes.ended.as_secs_f64();
    assert!((share / 0.6 - 1.0).abs() < 0.03, "{share}");
}

/// M/M/1 at 0.8 and M/G/1-PS at 0.7, where tasks are those of a client.
#[test]
fn servers_keep_the_laws_of_queues() {
    for (discipline, rho, expected) in [(Discipline::Fcfs, 0.8, 5.0), (Discipline::Ps, 0.7, 10.0 / 3.0)] {
        let mut mean = 0.0;
        for seed in 0..3 {
            let mut small = Small::new(seed);
            small.layout.bandwidth = [1e15, 1e15];
            small.class.sizes = sizes(0.0, exponential(1e8), 0.0);
            small.server_discipline = discipline;
            small.arrivals = Arrivals::Open(exponential(1.0 / rho));
            small.tasks = 10_000;
            let outcomes = small.run();
            assert!(outcomes.servers[0].identity_holds);
            mean += outcomes.figures.response.mean().expect("tasks") / 3.0;
        }
        assert!((mean / expected - 1.0).abs() < 0.1, "{discipline:?} {mean}");
    }
}

/// 100 Mop/s, all of it for 60 s and then a quarter: 2000 Mop from 50 s on end at 100 s.
#[test]
fn a_server_follows_its_series() {
    let points = [(SimTime::ZERO, 1e8), (secs(60.0), 2.5e7)];
    let curve = Curve::new(&points, &Stepwise, 1.0).expect("a curve");
    let mut small = Small::new(1);
    small.layout.bandwidth = [1e5, 1e12];
    small.performance = vec![Rate::Measured(CurveCursor::new(curve))];
    small.class.sizes = sizes(5e6, constant(2e9), 0.0);
    let task = small.run().tasks[0];
    assert_eq!([task.started, task.ended], [secs(50.0), secs(100.0)]);
    let linear = Curve::new(&[(SimTime::ZERO, 1e4), (secs(60.0), 2e4)], &Linear, 1.0).expect("a curve");
    assert_eq!(linear.end(SimTime::ZERO, 1.5e5).map(SimTime::as_nanos), Some(13_484_692_284));
}

/// Probes of 300 KB and readings, which the scheduler believes.
#[test]
fn monitors_measure_what_is_there() {
    let mut small = Small::new(1);
    small.performance = vec![Rate::Constant(1e8), Rate::Constant(2e8)];
    small.arrivals = Arrivals::Given(Rc::from([secs(100.0)]));
    let path = |server, direction| Path { client: ClientNumber(0), server: ServerNumber(server), direction };
    let every = |secs| MonitorSchedule { period: SimDuration::from_secs(secs), phase: SimDuration::ZERO };
    small.monitors = Monitors {
        network: Some(NetworkMonitor {
            probe: 3e5,
            timeout: SimDuration::from_secs(60),
            measures_latency: true,
            is_free: false,
            drift: None,
            drops: Drops::default(),
        }),
        paths: [0, 1]
            .into_iter()
            .flat_map(|server| PathDirection::ALL.map(|direction| (path(server, direction), every(60))))
            .collect(),
        server: Some(ServerMonitor { cost: 0.0, average: None, drift: None, drops: Drops::default() }),
        servers: [0, 1].map(|server| (ServerNumber(server), every(10))).to_vec(),
    };
    small.predictor = "last";
    let outcomes = small.run();
    let task = outcomes.tasks[0];
    assert_eq!((task.server, task.received), (ServerNumber(1), secs(116.5)));
    let bandwidths: Vec<f64> = outcomes
        .measurements
        .iter()
        .filter(|measured| matches!(measured.series, super::info::SeriesKey::Bandwidth(_)))
        .map(|measured| measured.value)
        .collect();
    assert_eq!(bandwidths.len(), 8);
    assert!(bandwidths.iter().all(|value| [1e5, 5e4].contains(&value.round())), "{bandwidths:?}");
    assert_eq!(outcomes.lost_probes, 0);
}

/// Of several copies the first result counts; the others are withdrawn where they wait.
#[test]
fn copies_go_to_every_server_that_is_answered() {
    let mut small = Small::new(5);
    small.performance = vec![Rate::Constant(1e8), Rate::Constant(2e8)];
    small.terms.wanted = usize::MAX;
    small.scheduler = "greedy";
    small.tasks = 3;
    small.arrivals = Arrivals::Open(exponential(5.0));
    let outcomes = small.run();
    assert!(outcomes.tasks.iter().all(|task| task.state == TaskState::Completed));
    assert!(outcomes.servers.iter().all(|server| server.identity_holds));
}

/// Eight senders keep a queue of 100 KB/s busy by packets of 10 KB; the tenth packet ends when one
/// of a higher priority comes.
#[test]
fn no_packet_of_others_comes_between_those_of_a_higher_priority() {
    let simulation = Simulation::new(1);
    let ends = simulation.enter(|| {
        let mut layout = Small::new(1).layout;
        layout.discipline = Discipline::Priority;
        let route: crate::transfer::QueueRoute = Rc::from([Rc::new(layout.queue(0))]);
        let flows = Rc::new(crate::transfer::TransferNumbers::default());
        let ends = Rc::new(std::cell::RefCell::new(Vec::new()));
        for sender in 0..9 {
            let (route, flows, ends) = (Rc::clone(&route), Rc::clone(&flows), Rc::clone(&ends));
            crate::kernel::spawn("sender", async move {
                let priority = if sender == 8 { 3 } else { 0 };
                crate::kernel::hold(SimDuration::from_secs(u64::from(priority > 0))).await;
                // as the scheduler decides, last of all at an instant
                crate::kernel::settle().await;
                let transfer = crate::transfer::PacketTransfer {
                    bytes: 1e5,
                    packet: 1e4,
                    traffic: StationTraffic::Own,
                    priority,
                };
                let carried = crate::transfer::send(&flows, &route, transfer, |_| ()).await;
                ends.borrow_mut().push(carried.left);
            });
        }
        ends
    });
    simulation.run().expect("it ends");
    assert_eq!([ends.borrow()[0], ends.borrow()[8]], [secs(2.0), secs(9.0)]);
}

#[test]
fn the_same_run_twice_is_the_same() {
    let run = || {
        let mut small = Small::new(11);
        small.layout.others = Some((4e4, exponential(1e4)));
        small.arrivals = Arrivals::Open(exponential(30.0));
        small.tasks = 20;
        small.scheduler = "random";
        let outcomes = small.run();
        (outcomes.digest, outcomes.tasks)
    };
    let (one, other) = (run(), run());
    assert_eq!(one.0, other.0);
    assert!(one.1.iter().zip(&other.1).all(|(one, other)| one.received == other.received));
}
