//! Clients: they have tasks executed (HPDC 1999, sections 3.1 and 3.3, steps (1) and (6) to (10)).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use crate::call::Call;
use crate::environment::Environment;
use crate::info::{ClientNumber, Path, PathDirection, ServerNumber};
use crate::kernel::rng::distribution::{Moments, Sampler};
use crate::kernel::rng::{Stream, math};
use crate::kernel::{SimDuration, SimTime, hold, note_decision, now, spawn};
use crate::record::{CalledTask, GivenUp, LostAttempt, Recorder, SentPacket, TaskState, TimeSpent};
use crate::retry::{GivenUpServers, Retry};
use crate::station::{StationDemand, StationTraffic};
use crate::transfer::{PacketRun, PacketTransfer, TransferTimes, send};
use crate::unit::{Answer, SchedulingUnit};
use crate::view::ServerSelection;

/// Instant at which a client wants results.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Deadline {
    /// No deadline.
    None,
    /// This multiple of the time that the task takes alone on the mean server.
    Factor(f64),
    /// This time after issue.
    After(SimDuration),
}

/// Sizes of tasks: bytes of arguments and results, and operations.
#[derive(Clone, Debug)]
pub enum TaskSizes {
    /// Each by a law of its own.
    Drawn {
        /// Bytes of arguments.
        send: Sampler,
        /// Bytes of results.
        receive: Sampler,
        /// Operations.
        instructions: Sampler,
    },
    /// A dense system of n linear equations: 8 n² bytes there, 2/3 n³ + 2 n² operations, 8 n bytes
    /// back.
    Linpack(Sampler),
    /// Independent trials: 2^n operations, no data.
    Ep(Sampler),
}

impl TaskSizes {
    /// Laws.
    pub fn laws(&self) -> Vec<&Sampler> {
        match self {
            TaskSizes::Drawn { send, receive, instructions } => vec![send, receive, instructions],
            TaskSizes::Linpack(n) | TaskSizes::Ep(n) => vec![n],
        }
    }

    /// The mean of the operations; nothing if it is infinite, or n is drawn.
    pub fn mean_instructions(&self) -> Option<f64> {
        match self {
            TaskSizes::Drawn { instructions, .. } => instructions.mean(),
            TaskSizes::Linpack(n) | TaskSizes::Ep(n) => {
                let fixed = n.mean().filter(|_| n.variance() == Some(0.0))?;
                Some(self.of(fixed)[1])
            }
        }
    }

    /// Bytes there, operations, bytes back, by n.
    fn of(&self, n: f64) -> [f64; 3] {
        match self {
            TaskSizes::Ep(_) => [0.0, math::exp2(n.round()), 0.0],
            _ => {
                let n = n.round();
                [8.0 * n * n, 2.0 / 3.0 * n * n * n + 2.0 * n * n, 8.0 * n]
            }
        }
    }

    fn draw(&self, streams: &mut ClientStreams) -> [f64; 3] {
        let bytes = |law: &Sampler, stream: &mut Stream| law.draw(stream).round().max(0.0);
        match self {
            TaskSizes::Drawn { send, receive, instructions } => [
                bytes(send, &mut streams.send),
                instructions.draw(&mut streams.instructions).max(0.0),
                bytes(receive, &mut streams.receive),
            ],
            TaskSizes::Linpack(n) | TaskSizes::Ep(n) => self.of(n.draw(&mut streams.instructions)),
        }
    }
}

/// A kind of task.
#[derive(Clone, Debug)]
pub struct TaskClass {
    /// Number of times that it is drawn, next to the weights of others.
    pub weight: f64,
    /// Sizes of its tasks.
    pub sizes: TaskSizes,
    /// Deadline of its tasks.
    pub deadline: Deadline,
    /// Priority, where that counts.
    pub priority: i64,
    /// Processors of its server that it needs at once.
    pub processors: u32,
}

/// Instant at which a client issues tasks.
#[derive(Clone, Debug)]
pub enum Arrivals {
    /// Times from one to the next \[s\].
    Open(Sampler),
    /// Users who each wait for results, and think before the next task \[s\].
    Closed {
        /// Number of users.
        users: u32,
        /// Time for which each thinks.
        think: Sampler,
    },
    /// At these instants.
    Given(Rc<[SimTime]>),
}

/// A client.
#[derive(Clone, Debug)]
pub struct Client {
    /// Place among all.
    pub number: ClientNumber,
    /// Number of tasks it has; as many as come until the run ends, if nothing is given.
    pub tasks: Option<u64>,
    /// Instant at which they are issued.
    pub arrivals: Arrivals,
    /// Classes of its tasks, at least one.
    pub classes: Rc<[TaskClass]>,
}

/// The streams of a client, so that no scheduler changes a draw.
#[derive(Debug)]
pub(crate) struct ClientStreams {
    /// Times between tasks, or of thinking.
    pub arrivals: Stream,
    /// Classes.
    pub classes: Stream,
    /// Bytes of arguments.
    pub send: Stream,
    /// Bytes of results.
    pub receive: Stream,
    /// Operations.
    pub instructions: Stream,
}

/// Parts that all clients share.
#[derive(Debug)]
pub(crate) struct Brokerage {
    /// Servers and network.
    pub environment: Rc<Environment>,
    /// The scheduling unit.
    pub unit: Rc<SchedulingUnit>,
    /// Records of the run.
    pub recorder: Rc<Recorder>,
    /// Time that the scheduler takes to answer.
    pub queries: RefCell<Stream>,
    /// Tasks so far.
    pub tasks: Cell<u64>,
}

/// A client whose tasks are yet to come.
#[derive(Debug)]
pub(crate) struct ActiveClient {
    client: Client,
    streams: RefCell<ClientStreams>,
    left: Cell<Option<u64>>,
    brokerage: Rc<Brokerage>,
}

impl ActiveClient {
    /// A client that has issued nothing.
    pub(crate) fn new(client: Client, streams: ClientStreams, brokerage: Rc<Brokerage>) -> Rc<Self> {
        let left = Cell::new(client.tasks);
        Rc::new(ActiveClient { client, streams: RefCell::new(streams), left, brokerage })
    }

    /// Issues tasks until there are no more.
    pub(crate) async fn issue(self: Rc<Self>) {
        match self.client.arrivals.clone() {
            Arrivals::Open(gaps) => {
                while self.has_more() {
                    self.pause(&gaps).await;
                    spawn("task", call(Rc::clone(&self)));
                }
            }
            Arrivals::Given(instants) => {
                for at in &*instants {
                    if !self.has_more() {
                        return;
                    }
                    hold(at.since(now())).await;
                    spawn("task", call(Rc::clone(&self)));
                }
            }
            Arrivals::Closed { users, think } => {
                for user in 0..users {
                    let (client, think) = (Rc::clone(&self), think.clone());
                    spawn(("user", user), async move {
                        while client.has_more() {
                            client.pause(&think).await;
                            call(Rc::clone(&client)).await;
                        }
                    });
                }
            }
        }
    }

    /// Takes one of the tasks that are left.
    fn has_more(&self) -> bool {
        match self.left.get() {
            None => true,
            Some(0) => false,
            Some(left) => {
                self.left.set(Some(left - 1));
                true
            }
        }
    }

    async fn pause(&self, law: &Sampler) {
        let span = SimDuration::ceil_secs(law.draw(&mut self.streams.borrow_mut().arrivals));
        hold(span).await;
    }

    /// Draws a task: its class, then its sizes.
    fn draw(&self) -> (u32, Call) {
        let streams = &mut *self.streams.borrow_mut();
        let all = &self.client.classes;
        let mut point = match &**all {
            [_] => 0.0,
            _ => streams.classes.uniform01() * all.iter().map(|class| class.weight).sum::<f64>(),
        };
        let place = all.iter().position(|class| {
            point -= class.weight;
            point < 0.0
        });
        let place = place.unwrap_or(all.len() - 1);
        let class = &all[place];
        let [send, instructions, receive] = class.sizes.draw(streams);
        let mut drawn = Call {
            task: self.brokerage.tasks.get(),
            client: self.client.number,
            send,
            receive,
            instructions,
            priority: class.priority,
            deadline: None,
            processors: class.processors,
            fallbacks: 0,
        };
        self.brokerage.tasks.set(drawn.task + 1);
        drawn.deadline = match class.deadline {
            Deadline::None => None,
            Deadline::After(span) => now().checked_add(span),
            Deadline::Factor(factor) => {
                let alone = self.brokerage.environment.alone_on_mean(&drawn);
                now().checked_add(SimDuration::ceil_secs(factor * alone))
            }
        };
        (place as u32, drawn)
    }
}

/// A task from issue to results.
async fn call(client: Rc<ActiveClient>) {
    let (class, drawn) = client.draw();
    let mut task = Task::issue(&client, class, drawn);
    task.run().await;
}

/// A task of a client.
#[derive(Debug)]
struct Task<'a> {
    client: &'a ActiveClient,
    call: Call,
    run: CalledTask,
    spent: TimeSpent,
    place: usize,
    given_up: GivenUpServers,
    /// Number of waits of the task because no server was in question.
    waits: u32,
}

impl<'a> Task<'a> {
    fn issue(client: &'a ActiveClient, class: u32, call: Call) -> Self {
        let never = SimTime::MAX;
        let run = CalledTask {
            client: call.client,
            class,
            server: ServerNumber(u32::MAX),
            fallbacks: 0,
            state: TaskState::Unfinished,
            rejected: None,
            issued: now(),
            decided: never,
            sent: never,
            queued: never,
            started: never,
            ended: never,
            received: never,
            deadline: call.deadline.unwrap_or(never),
            predicted: f64::NAN,
            bytes: [call.send, call.receive],
            instructions: call.instructions,
            processors: call.processors,
        };
        let place = client.brokerage.recorder.issued(run);
        let (spent, given_up) = (TimeSpent::default(), GivenUpServers::default());
        Task { client, call, run, spent, place, given_up, waits: 0 }
    }

    /// (1) and (6) to (10), again for each server that is given up.
    async fn run(&mut self) {
        let Brokerage { unit, recorder, environment, .. } = &*self.client.brokerage;
        loop {
            let servers = self.ask(unit).await;
            let Some(first) = servers.first() else {
                self.run.state = TaskState::Rejected;
                return recorder.over(self.place, &self.run, &self.spent, (SimDuration::ZERO, 0.0));
            };
            self.run.server = *first;
            recorder.went_on(self.place, &self.run);
            let results = match &servers[..] {
                [only] => self.attempt(*only).await,
                several => self.first_of(several).await,
            };
            let (reason, attempt) = match results {
                Ok(attempt) => {
                    self.took(&attempt);
                    break;
                }
                Err(given_up) => given_up,
            };
            self.took(&attempt);
            self.given_up.give_up(&servers, reason, now());
            self.note_failure("its server failed, or it was too late there");
            self.run.fallbacks += 1;
            self.call.fallbacks += u32::from(reason == GivenUp::Late);
            let CalledTask { issued, server, decided, queued, .. } = self.run;
            let lost = LostAttempt { task: self.call.task, server, reason, decided, queued, until: now() };
            recorder.came_back(issued, lost);
            let never = SimTime::MAX;
            let (decided, sent, queued) = (never, never, never);
            self.run = CalledTask { decided, sent, queued, ..self.run };
            recorder.went_on(self.place, &self.run);
        }
        self.run.state = TaskState::Completed;
        let figures = (
            environment.alone_on_fastest(&self.call, self.run.issued),
            environment.cost(self.run.server, self.run.ended - self.run.started),
        );
        recorder.over(self.place, &self.run, &self.spent, figures);
    }

    /// A try that completed nothing. Calls that are tried side by side have as many tries each.
    fn note_failure(&self, why: &str) {
        note_decision(|rounds, _| {
            let open = self.client.brokerage.recorder.open();
            (rounds >= open).then(|| {
                let (task, client) = (self.call.task, self.client.client.number.0);
                format!("task {task} of client {client} is tried again, as {why}; {open} tasks are open")
            })
        });
    }

    /// Adds the times of an attempt to the task, successful or not.
    fn took(&mut self, attempt: &Attempt) {
        let Attempt { server, sent, queued, started, ended, received, spent } = *attempt;
        self.run = CalledTask { server, sent, queued, started, ended, received, ..self.run };
        self.spent.send += spent.send;
        self.spent.queue += spent.queue;
        self.spent.service += spent.service;
        self.spent.receive += spent.receive;
    }

    /// (1), (6): the servers that are to have the task. As long as none is in question it waits for
    /// another try.
    async fn ask(&mut self, unit: &SchedulingUnit) -> ServerSelection {
        let asked = now();
        let answer = loop {
            let query_time = unit.terms.query_time.draw(&mut self.client.brokerage.queries.borrow_mut());
            if query_time > 0.0 {
                hold(SimDuration::ceil_secs(query_time)).await;
            }
            let answer = unit.ask(self.call, &self.given_up).await;
            let Retry { after, times } = unit.terms.retry;
            if answer.has_candidates || self.waits >= times {
                break answer;
            }
            self.waits += 1;
            self.note_failure("no server can be had");
            hold(after).await;
            self.given_up.clear();
        };
        let Answer { servers, predicted, all_were_tried, rejected, .. } = answer;
        if all_were_tried {
            self.given_up.all_were_tried();
        }
        self.spent.query += now() - asked;
        self.run.decided = now();
        self.run.predicted = predicted.unwrap_or(f64::NAN);
        self.run.rejected = rejected;
        servers.iter().for_each(|server| unit.sent(*server));
        servers
    }

    /// Copies on several servers: the first results count; of the others, those that wait still are
    /// withdrawn.
    async fn first_of(&self, servers: &[ServerNumber]) -> Result<Attempt, (GivenUp, Attempt)> {
        let mut copies: FuturesUnordered<_> = servers.iter().map(|server| self.attempt(*server)).collect();
        let mut last = None;
        while let Some(results) = copies.next().await {
            match results {
                Ok(attempt) => return Ok(attempt),
                Err(given_up) => last = Some(given_up),
            }
        }
        Err(last.expect("there is one copy at least"))
    }

    /// (7) to (10) on one server.
    async fn attempt(&self, server: ServerNumber) -> Result<Attempt, (GivenUp, Attempt)> {
        let Brokerage { unit, environment, .. } = &*self.client.brokerage;
        let class = &self.client.client.classes[self.run.class as usize];
        let mut attempt = Attempt::new(server);
        let begun = now();
        attempt.sent = self.carry(server, PathDirection::Send, self.call.send).await.left;
        attempt.queued = now();
        attempt.spent.send = now() - begun;
        let is_late = |deadline: SimTime| {
            now().saturating_add(SimDuration::ceil_secs(unit.rest(&self.call, server))) > deadline
        };
        if self.call.fallbacks < unit.terms.fallbacks && self.call.deadline.is_some_and(is_late) {
            return Err((GivenUp::Late, attempt));
        }
        let demand = StationDemand {
            work: self.call.instructions,
            priority: class.priority,
            flow: self.call.task + 1,
            processors: class.processors,
        };
        let served = environment.server(server).station.serve(demand, StationTraffic::Own).await;
        let Ok(service) = served else {
            attempt.spent.queue = now() - attempt.queued;
            return Err((GivenUp::Failed, attempt));
        };
        (attempt.started, attempt.ended) = (service.start, service.end);
        attempt.spent.queue = service.start - attempt.queued;
        attempt.spent.service = service.end - service.start;
        self.carry(server, PathDirection::Receive, self.call.receive).await;
        attempt.received = now();
        attempt.spent.receive = now() - service.end;
        Ok(attempt)
    }

    async fn carry(&self, server: ServerNumber, direction: PathDirection, bytes: f64) -> TransferTimes {
        let Brokerage { environment, recorder, .. } = &*self.client.brokerage;
        let class = &self.client.client.classes[self.run.class as usize];
        let route = environment.network.route(Path { client: self.call.client, server, direction });
        let (packet, priority) = (environment.packet, class.priority);
        let transfer = PacketTransfer { bytes, packet, traffic: StationTraffic::Own, priority };
        let task = Some(self.call.task);
        let watch = |run: &PacketRun| {
            recorder.packet(SentPacket { task, queue: route[run.hop].number, run: *run });
        };
        send(&environment.network.flows, route, transfer, watch).await
    }
}

/// Times of a task on one server.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    server: ServerNumber,
    sent: SimTime,
    queued: SimTime,
    started: SimTime,
    ended: SimTime,
    received: SimTime,
    spent: TimeSpent,
}

impl Attempt {
    fn new(server: ServerNumber) -> Self {
        let never = SimTime::MAX;
        let spent = TimeSpent::default();
        Attempt { server, sent: never, queued: never, started: never, ended: never, received: never, spent }
    }
}
