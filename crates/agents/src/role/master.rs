//! A master: gives independent tasks that are all alike to workers that ask for them, one at a
//! time.
//!
//! ```text
//! worker      request ──▶                ◀── task ──        computes        request ──▶
//! master        gets it, computes it, puts it in the pool;  serves the best of the pool
//! ```
//!
//! The pool has a place for half of the workers if the strategy chooses, and else for one, unless
//! `pool` says otherwise. The master takes in the requests that wait, as far as the pool has
//! places, whenever it is free, and serves one as soon as there is one; with `wait-for-pool` it
//! waits until the pool is full first, or every worker that is left is in it. When no task is left,
//! a worker that asks is dismissed.
//!
//! What it knows of its workers is what the platform's author wrote (`nominal`), or what a small
//! first task of each took (`probed`).
//!
//! A task whose worker failed before it asked again is given to another; nothing is when a worker
//! is slow. A worker that asks again after its host failed is a worker again.
//!
//! Source: "Scheduling Distributed Applications: the SimGrid Simulation Framework", 2003, section
//! V. When a pool is full enough is a choice of ours.

use std::pin::pin;
use std::rc::Rc;

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;

use super::demand::{Demand, data, work};
use super::steady_state::{Crew, Optimum, steady_state};
use super::strategy::{Chooses, Strategy, Waiting};
use super::{Assignment, Deployment, Role, TaskCount, nominal, worker};
use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::{Either, SimTime, race};
use crate::platform::network::Unloaded;
use crate::platform::{Host, HostId, Platform, Trace};
use crate::registry::{Entry, Key, Kind, choices, entry, keys, named_keys};
use crate::{Agent, AgentError, AgentId, Behaviour, Channel, Task};

/// The channel on which a master gets requests.
pub(super) const REQUESTS: Channel = Channel(0);

pub(super) const ENTRY: Entry<dyn Role> = entry! {
    "master" =>
        "gives tasks that are all alike to the agents of the role `worker`, one at a time, as they ask",
    source "\"Scheduling Distributed Applications: the SimGrid Simulation Framework\", 2003, section V",
    keys KEYS,
    reads |params| Master {
        tasks: params.read(TASKS.name)?,
        size: Demand::read(params, "")?,
        probe: Demand::read(params, "probe-")?,
        knows: params.read::<Knows>("knows")?,
        serves: params.read::<Serves>("serves")?,
        pool: params.read("pool")?,
        strategy: Rc::from(params.component::<dyn Strategy>("strategy", "strategy")?),
    }
};

named_keys! {
    TASKS = "tasks" Kind::count_from(0), or_count 100 => "how many tasks there are";
}

const KEYS: &[Key] = &keys! {
    ..TASKS;
    ..data("data", "100MB", "what is sent with a task");
    ..work("work", "1Gf", "what a task is to compute");
    "strategy" Kind::Component("strategy"), or "workqueue" =>
        "which of the workers that wait is served next";
    "serves" Serves::CHOICES, or "at-once" => "when it serves the best of the pool";
    "pool" Kind::Count { least: 1, most: u32::MAX as u64 },
        absent "half of the workers, or 1 if the strategy does not choose" =>
        "requests that it takes in before it serves one";
    "knows" Knows::CHOICES, or "nominal" => "what it knows of its workers";
    ..data("probe-data", "1MB", "what is sent with a small first task");
    ..work("probe-work", "10Mf", "what a small first task is to compute");
};

/// Answer of a master to a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// A task.
    Compute,
    /// A small first task, which is timed.
    Probe,
    /// No task is left.
    Over,
}

/// Request of a worker.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Request {
    /// Index of the worker in the deployment.
    pub(super) index: usize,
    /// Seconds that it took to compute what it got last.
    pub(super) took: f64,
}

choices! {
    /// Source of a master's knowledge of its workers.
    enum Knows {
        Nominal = "nominal", "speeds of hosts and bandwidths of links as the platform has them at the start";
        Probed = "probed", "how long a small first task of each worker took to be sent and computed";
    }
}

choices! {
    /// Time at which a master serves the best of the pool.
    enum Serves {
        AtOnce = "at-once", "as soon as it is free and a worker waits";
        FullPool = "full-pool", "when the pool is full, or every worker that is left waits";
    }
}

#[derive(Clone, Debug)]
struct Master {
    tasks: u64,
    size: Demand,
    probe: Demand,
    knows: Knows,
    serves: Serves,
    pool: Option<usize>,
    strategy: Rc<dyn Strategy>,
}

impl Role for Master {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn tasks(&self, _: &Deployment, agents: u64) -> Option<TaskCount> {
        Some(TaskCount { key: TASKS.name, computed: self.tasks.saturating_mul(agents), ahead: 0 })
    }

    fn behaviour(&self, assignment: &Assignment, platform: &Platform) -> Result<Box<dyn Behaviour>, String> {
        let workers = assignment.deployment.of_role("worker").iter();
        assignment.reaches(platform, workers.map(|&index| assignment.deployment.host(index)))?;
        let mut crew = Vec::new();
        for &index in assignment.deployment.of_role("worker") {
            let host = assignment.deployment.host(index);
            let known = match self.knows {
                Knows::Nominal => Some(self.nominal(platform, assignment.host(), host)),
                Knows::Probed => None,
            };
            crew.push(Worker { index, host, known, stands: Stands::Unheard, agent: None, sent: 0.0 });
        }
        Ok(Box::new(Mastering {
            rule: self.clone(),
            left: self.tasks,
            crew,
            pool: OrderedSet::new(),
            asked: 0,
        }))
    }

    /// Returns the optimum if all other agents are its workers and nothing changes over time;
    /// requests are not counted.
    fn optimum(&self, assignment: &Assignment, network: &mut Unloaded<'_>) -> Option<Optimum> {
        let workers = assignment.deployment.of_role("worker");
        if workers.len() + 1 != assignment.deployment.members().len() {
            return None;
        }
        let mut on_host: OrderedMap<HostId, usize> = OrderedMap::new();
        workers.iter().for_each(|&index| *on_host.entry(assignment.deployment.host(index)).or_default() += 1);
        let crew = |(host, workers): (HostId, usize)| {
            let Host { cores, availability, working, .. } = network.platform().host(host);
            let is_constant = |trace: &Trace| trace.next_change(SimTime::ZERO).is_none();
            if !is_constant(availability) || !is_constant(working) || working.value_at(SimTime::ZERO) <= 0.0 {
                return None;
            }
            let speed = network.platform().host(host).speed() * availability.value_at(SimTime::ZERO);
            let send = network.secs(assignment.host(), host, self.size.data)?;
            Some(Crew { send, compute: self.size.work / speed, workers, cores: *cores })
        };
        let crews: Option<Vec<Crew>> = on_host.into_iter().map(crew).collect();
        steady_state(&crews?)
    }
}

impl Master {
    /// Cost of a task at a host, alone and by the platform as it is at the start.
    fn nominal(&self, platform: &Platform, from: HostId, to: HostId) -> Waiting {
        let speed = platform.host(to).speed();
        let receive = nominal(platform, from, to).secs(self.size.data);
        Waiting { speed, process: self.size.work / speed, receive }
    }
}

/// Knowledge of a master about a worker.
#[derive(Debug)]
struct Worker {
    index: usize,
    host: HostId,
    known: Option<Waiting>,
    stands: Stands,
    /// The agent that asked last.
    agent: Option<AgentId>,
    /// Seconds that its probe took to arrive.
    sent: f64,
}

/// The worker that is served first: the least, by merit and then by the order of asking.
type Rank = (u64, u64);

/// State of a worker, as its master has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stands {
    /// Never asked, or not since it was lost.
    Unheard,
    /// Waits with its request in the pool, at this rank.
    Waits(Rank),
    /// Has a task.
    HasTask,
    /// Has a probe.
    HasProbe,
    /// Dismissed: there are no tasks any more.
    Dismissed,
}

/// A master at work.
#[derive(Debug)]
struct Mastering {
    rule: Master,
    left: u64,
    crew: Vec<Worker>,
    /// The workers that wait, as indices in `crew`.
    pool: OrderedSet<(Rank, usize)>,
    /// Requests so far.
    asked: u64,
}

/// The ends of workers, as indices in `crew`.
type Ends = FuturesUnordered<LocalBoxFuture<'static, usize>>;

#[async_trait(?Send)]
impl Behaviour for Mastering {
    async fn run(mut self: Box<Self>, me: Agent) -> Result<(), AgentError> {
        let mut ends = Ends::new();
        let capacity = match (self.rule.pool, self.rule.strategy.chooses()) {
            (Some(capacity), _) => capacity,
            (None, Chooses::AmongAPool) => (self.crew.len() / 2).max(1),
            (None, Chooses::Never) => 1,
        };
        while self.expects_workers(&me) {
            while self.takes_in(&me, capacity) {
                self.hear(&me, &mut ends).await?;
            }
            if !self.pool.is_empty() {
                self.serve(&me).await?;
            }
        }
        Ok(())
    }
}

impl Mastering {
    /// Returns true if a worker waits, works, or has yet to ask.
    fn expects_workers(&self, me: &Agent) -> bool {
        self.crew.iter().any(|worker| match worker.stands {
            Stands::Unheard => me.works(worker.host),
            Stands::Dismissed => false,
            _ => true,
        })
    }

    /// Returns true if it takes in a request before it serves one.
    fn takes_in(&self, me: &Agent, capacity: usize) -> bool {
        if self.pool.len() >= capacity || !self.may_hear(me) {
            return false;
        }
        self.pool.is_empty() || self.rule.serves == Serves::FullPool || me.probe(REQUESTS)
    }

    /// Returns true if there is a worker that may ask.
    fn may_hear(&self, me: &Agent) -> bool {
        self.crew.iter().any(|worker| match worker.stands {
            Stands::HasTask | Stands::HasProbe => true,
            Stands::Unheard => me.works(worker.host),
            Stands::Waits(_) | Stands::Dismissed => false,
        })
    }

    /// Gets a request, or learns that a worker is gone.
    async fn hear(&mut self, me: &Agent, ends: &mut Ends) -> Result<(), AgentError> {
        // a worker that asks is not to be broken off by the end of another
        let mut get = pin!(me.get(REQUESTS));
        let mut request = loop {
            if ends.is_empty() {
                break get.await?;
            }
            match race(get.as_mut(), ends.next()).await {
                Either::Left(request) => break request?,
                Either::Right(Some(gone)) => self.lose(gone),
                Either::Right(None) => {}
            }
            if !self.may_hear(me) {
                return Ok(());
            }
        };
        let Some(Request { index, took }) = request.take() else { return Ok(()) };
        let Ok(number) = self.crew.binary_search_by_key(&index, |worker| worker.index) else {
            return Ok(());
        };
        me.execute_aside(&request).await?;
        self.note(number, took);
        let Some(agent) = request.sender().map(|sender| sender.agent) else { return Ok(()) };
        if self.crew[number].agent.replace(agent) != Some(agent)
            && let Some(peer) = me.peer(agent)
        {
            ends.push(Box::pin(async move {
                peer.join().await;
                number
            }));
        }
        Ok(())
    }

    /// A worker asks.
    fn note(&mut self, number: usize, took: f64) {
        let Master { size, probe, .. } = self.rule;
        let worker = &mut self.crew[number];
        if worker.stands == Stands::HasProbe {
            let process = took * size.work / probe.work.max(1.0);
            let receive = worker.sent * size.data / probe.data.max(1.0);
            let speed = if took > 0.0 { probe.work / took } else { f64::INFINITY };
            worker.known = Some(Waiting { speed, process, receive });
        }
        // a worker that is not known yet is probed first
        let merit = worker.known.and_then(|known| self.rule.strategy.merit(&known));
        let rank = (merit.map_or(0, falling), self.asked);
        self.asked += 1;
        worker.stands = Stands::Waits(rank);
        self.pool.insert((rank, number));
    }

    /// A worker is gone, and what it had is to be done again.
    fn lose(&mut self, number: usize) {
        let worker = &mut self.crew[number];
        if worker.stands == Stands::Dismissed {
            return;
        }
        self.left += u64::from(worker.stands == Stands::HasTask);
        if let Stands::Waits(rank) = worker.stands {
            self.pool.remove(&(rank, number));
        }
        worker.stands = Stands::Unheard;
    }

    /// Gives the best of the pool what it gets.
    async fn serve(&mut self, me: &Agent) -> Result<(), AgentError> {
        let Some((_, number)) = self.pool.pop_first() else { return Ok(()) };
        let Master { size, probe, .. } = self.rule;
        let (answer, task) = match (self.left, self.crew[number].known) {
            (0, _) => (Answer::Over, Task::new("over", 0.0, 0.0)),
            (_, None) => (Answer::Probe, probe.task("probe")),
            (_, Some(_)) => (Answer::Compute, size.task("task")),
        };
        let worker = &self.crew[number];
        let begun = me.now();
        let sent = me.put(task.carrying(answer), worker.host, worker::channel(worker.index)).await;
        let worker = &mut self.crew[number];
        if sent.is_err() {
            worker.stands = Stands::Unheard;
            return Ok(());
        }
        worker.sent = me.now().since(begun).as_secs_f64();
        worker.stands = match answer {
            Answer::Over => Stands::Dismissed,
            Answer::Probe => Stands::HasProbe,
            Answer::Compute => Stands::HasTask,
        };
        self.left -= u64::from(answer == Answer::Compute);
        Ok(())
    }
}

/// A number that falls as the merit rises.
fn falling(merit: f64) -> u64 {
    let bits = merit.to_bits();
    let rising = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    !rising
}
