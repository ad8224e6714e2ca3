//! The cluster as a front end has it: nodes on which the tasks of a job are started, and a profile
//! of where time went.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::LocalBoxFuture;

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::instrument::execution::{Execution, ExecutionProfile, Mark};
use crate::instrument::profile::{Activity, Spent};
use crate::instrument::timeline::Timeline;
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime, hold, now, spawn, spawn_daemon};
use crate::units::Bytes;
use crate::workload::parallel::{Application, Quality, TaskTimes};

use super::cluster_state::{Carried, ClusterState, LastSize};
use super::params::NodeParams;
use super::scheme::Scheme;
use crate::node::app::job::JobTasks;
use crate::node::app::process::{Part, Peer, Peers, TaskProcess};
use crate::node::app::task::Task;
use crate::node::net::interconnect::Interconnect;
use crate::node::net::nic;
use crate::node::os::clock::{self, Clock};
use crate::node::os::cpu::{Entering, Reservation, TaskKey};
use crate::node::os::daemon::{self, Daemon};
use crate::node::os::node::{CpuRequest, Local, Node, Slot};
use crate::node::os::periodic::PeriodicAction;
use crate::node::os::{noise, scheduler};

/// The nodes of a cluster, and the interconnect between them.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Nodes by kind, in the order of their numbers.
    pub groups: Vec<(u32, Rc<NodeParams>)>,
    /// The interconnect, which takes messages from one node to another.
    pub interconnect: Rc<dyn Interconnect>,
    /// Stand-ins for clocks and boost daemons. No key sets it: for tests.
    #[doc(hidden)]
    pub reference: Option<Reference>,
}

/// Processes that do what clocks and boost daemons do in a plainer form, to compare with.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// The process of a clock.
    pub clock: fn(Clock) -> LocalBoxFuture<'static, ()>,
    /// The process of a boost daemon.
    pub boost: fn(Daemon) -> LocalBoxFuture<'static, ()>,
}

impl Layout {
    /// Number of nodes there are.
    pub fn nodes(&self) -> u32 {
        self.groups.iter().map(|(count, _)| count).sum()
    }

    /// Every processor, in the order of nodes.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        let kinds =
            self.groups.iter().flat_map(|(count, params)| (0..*count).map(move |_| params.processors));
        (0..).zip(kinds).flat_map(|(node, cpus)| (0..cpus).map(move |cpu| Slot { node, cpu }))
    }
}

/// The end of a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// Job.
    pub job: JobId,
    /// The slot at which it was started.
    pub slot: Slot,
    /// True if it was the last of its job.
    pub last: bool,
}

/// Costly recordings of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// The windows by which the computing of jobs is recorded; above zero.
    pub pace: Option<SimDuration>,
    /// True if a timeline of processors and messages is kept.
    pub timeline: bool,
}

/// Called at the end of every task.
type OnEnd = Rc<dyn Fn(Ended)>;

/// A cluster in a simulation; clones are the same cluster.
#[derive(Clone)]
pub struct Cluster(Rc<Shared>);

struct Shared {
    state: Rc<ClusterState>,
    streams: Streams,
    from: SimTime,
    running: RefCell<Vec<Rc<JobTasks>>>,
    drew: Cell<bool>,
    over: RefCell<Vec<Execution>>,
    /// The slots of the running jobs' tasks, by job.
    places: RefCell<OrderedMap<JobId, Vec<(Slot, TaskKey)>>>,
    on_end: OnEnd,
    recording: Cell<Recording>,
    mark: RefCell<Option<Mark>>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("nodes", &self.0.state.nodes.len()).finish_non_exhaustive()
    }
}

impl Cluster {
    /// A cluster of idle nodes, its processes started. `on_end` is called at the end of every task.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn new(
        layout: &Layout,
        scheme: Scheme,
        local: Local,
        streams: Streams,
        on_end: impl Fn(Ended) + 'static,
    ) -> Self {
        let kinds = layout.groups.iter().flat_map(|(count, params)| (0..*count).map(move |_| params));
        let nodes: Vec<Rc<Node>> =
            (0..).zip(kinds).map(|(index, params)| node(index, params, local, &streams)).collect();
        let periodic = scheme.periodic.period().is_some() && local == Local::Own;
        let drew = periodic || layout.groups.iter().any(|(_, params)| params.random_phase);
        let carrier = layout.interconnect.carrier(nodes.len() as u32);
        let latency = layout.interconnect.latency(Bytes::new(0));
        let of_kind = |(kind, &(count, _)): (u32, &(u32, _))| (0..count).map(move |_| kind);
        let state = Rc::new(ClusterState {
            nodes: nodes.into(),
            kinds: layout.groups.iter().map(|(_, params)| (Rc::clone(params), LastSize::default())).collect(),
            kind_of: (0..).zip(&layout.groups).flat_map(of_kind).collect(),
            wait: scheme.wait,
            arrival: scheme.arrival,
            carrier,
            latency,
        });
        Rc::clone(&state.carrier).start(&Carried(Rc::clone(&state)));
        for node in &state.nodes {
            start_processes(&state, node, (local, layout.reference, &scheme.periodic), &streams);
        }
        Cluster(Rc::new(Shared {
            state,
            streams,
            from: now(),
            running: RefCell::default(),
            drew: Cell::new(drew),
            over: RefCell::default(),
            places: RefCell::default(),
            on_end: Rc::new(on_end),
            recording: Cell::default(),
            mark: RefCell::default(),
        }))
    }

    /// Records this of the jobs that are started from now on.
    pub fn record(&self, what: Recording) {
        self.0.recording.set(what);
        if !what.timeline {
            return;
        }
        let timeline: Rc<RefCell<Timeline>> = Rc::default();
        let mut first = 0;
        for node in &self.0.state.nodes {
            node.keep_timeline(&timeline, first);
            first += node.cpus.len() as u32;
        }
    }

    /// Begins observation: a profile keeps the time before apart.
    pub fn mark(&self) {
        let mark = Mark { at: now(), processors: self.spent(now()) };
        *self.0.mark.borrow_mut() = Some(mark);
    }

    /// Starts the tasks of a job, the one of rank `k` at `on[k]`. `number` names its streams.
    ///
    /// # Panics
    /// If there are not as many slots as tasks, or a slot does not exist.
    pub fn start(&self, id: JobId, number: u64, application: &Arc<Application>, on: &[Slot]) {
        assert!(on.len() == application.tasks as usize, "a job has a slot for each of its tasks");
        let job = Rc::new(JobTasks::new(id, application.tasks, self.0.recording.get().pace));
        self.0.running.borrow_mut().push(Rc::clone(&job));
        let nodes = &self.0.state.nodes;
        let started = (0..).zip(on).map(|(rank, slot)| {
            let (node, job) = (&nodes[slot.node as usize], Some(Rc::clone(&job)));
            let senders = application.receives_from(rank).count();
            let task = node.insert(|key| Task::new(key, job, (id.0, rank), senders, application.memory));
            if let Some(reservation) = reservation(application) {
                node.reserve(task.key, reservation);
            }
            (*slot, task)
        });
        let tasks: Vec<(Slot, Rc<Task>)> = started.collect();
        let peers = Self::peers(application, &tasks);
        for ((slot, task), peers) in tasks.iter().zip(peers) {
            self.start_task(application, number, (*slot, task), peers);
        }
        let places = tasks.iter().map(|(slot, task)| (*slot, task.key)).collect();
        self.0.places.borrow_mut().insert(id, places);
    }

    fn start_task(
        &self,
        application: &Arc<Application>,
        number: u64,
        (slot, task): (Slot, &Rc<Task>),
        peers: Peers,
    ) {
        let state = Rc::clone(&self.0.state);
        let node = Rc::clone(&state.nodes[slot.node as usize]);
        let (task, rank) = (Rc::clone(task), task.rank);
        // apart from what every resumption of the task touches
        let mut times = Box::new(TaskTimes::new(application, rank, number, &self.0.streams));
        let mut stream = self.0.streams.of("dispatch", "job", (number << 32) | u64::from(rank));
        let latency = SimDuration::ceil_secs(node.params.dispatch_latency.draw(&mut stream));
        if !self.0.drew.get() {
            let draws = stream.draws() > 0 || draws(application, rank, number, &self.0.streams);
            self.0.drew.set(draws);
        }
        let application = Arc::clone(application);
        let round_trip = state.round_trip(&node);
        let job = task.job.clone().expect("an application task belongs to a job");
        let cluster = self.clone();
        let process = TaskProcess { node, task, cluster: state, round_trip };
        if latency.is_zero() {
            process.node.make_ready(&process.task, Entering::New, CpuRequest::Ready);
        }
        spawn(("task of job", job.id.0), async move {
            if !latency.is_zero() {
                hold(latency).await;
                process.node.make_ready(&process.task, Entering::New, CpuRequest::Ready);
            }
            let part = Part { process: &process, application: &application, rank, peers: &peers };
            part.run(&mut times).await;
            process.end().await;
            cluster.task_ended(&job, slot);
        });
    }

    /// The peers of each task, by rank.
    fn peers(application: &Application, tasks: &[(Slot, Rc<Task>)]) -> Vec<Peers> {
        // which of its senders each sender is to each receiver
        let ranks = 0..application.tasks;
        let receives =
            |to| (0..).zip(application.receives_from(to)).map(move |(number, from)| (from, to, number));
        let mut links: Vec<(u32, u32, u32)> = ranks.clone().flat_map(receives).collect();
        links.sort_unstable();
        let at = |rank: u32, sender: u32| {
            let (slot, task) = &tasks[rank as usize];
            Peer { node: slot.node, task: Rc::clone(task), sender }
        };
        ranks
            .map(|rank| {
                let link = |to| links.binary_search_by_key(&(rank, to), |&(from, to, _)| (from, to));
                let sender = |to| links[link(to).expect("a task to which messages are sent receives them")].2;
                Peers {
                    to: application.sends_to(rank).map(|to| (at(to, sender(to)), to)).collect(),
                    from: application.receives_from(rank).map(|from| (at(from, 0), from)).collect(),
                }
            })
            .collect()
    }

    fn task_ended(&self, job: &Rc<JobTasks>, slot: Slot) {
        let last = job.task_ended();
        if last {
            self.0.running.borrow_mut().retain(|other| !Rc::ptr_eq(other, job));
            self.0.over.borrow_mut().push(job.execution());
            self.0.places.borrow_mut().remove(&job.id);
        }
        (self.0.on_end)(Ended { job: job.id, slot, last });
    }

    /// The use of the processors' time so far.
    ///
    /// # Panics
    /// If the account of a processor does not add up to the time since the cluster was made: a bug.
    pub fn profile(&self) -> ExecutionProfile {
        let to = now();
        let nodes = self.0.state.nodes.iter();
        let cpus = nodes.flat_map(|node| node.cpus.iter().map(move |cpu| (node, cpu)));
        let nodes = cpus
            .map(|(node, cpu)| {
                cpu.charge(node);
                node.index
            })
            .collect();
        let processors = self.spent(to);
        let length = to.since(self.0.from).as_nanos();
        assert!(
            processors.iter().all(|spent| spent.total() == length),
            "every nanosecond of every processor is in exactly one activity"
        );
        let running = self.0.running.borrow();
        let mut jobs = self.0.over.borrow().clone();
        jobs.extend(running.iter().map(|job| job.execution()));
        let timeline = self.0.state.nodes.first().and_then(|node| node.take_timeline());
        ExecutionProfile {
            processors,
            nodes,
            jobs,
            from: self.0.from,
            to,
            mark: self.0.mark.borrow().clone(),
            drew: self.0.drew.get(),
            timeline,
        }
    }

    /// The use of each processor's time.
    fn spent(&self, now: SimTime) -> Vec<Spent> {
        let cpus = self.0.state.nodes.iter().flat_map(|node| node.cpus.iter());
        cpus.map(|cpu| cpu.spent(now)).collect()
    }

    /// Begins a slice: from now on each processor runs the task that one of `jobs` has there, or
    /// none, after a switch of `cost`. It reaches each node later by a call of `late`.
    ///
    /// # Panics
    /// If the nodes have schedulers of their own.
    pub fn begin_slice(&self, jobs: &[JobId], cost: SimDuration, mut late: impl FnMut() -> SimDuration) {
        let places = self.0.places.borrow();
        let mut assigned: Vec<(Slot, TaskKey)> =
            jobs.iter().filter_map(|job| places.get(job)).flatten().copied().collect();
        assigned.sort_unstable_by_key(|&(slot, _)| slot);
        let mut rest = assigned.as_slice();
        for node in &self.0.state.nodes {
            let count = rest.iter().take_while(|(slot, _)| slot.node == node.index).count();
            let (tasks, others) = rest.split_at(count);
            rest = others;
            let late = late();
            if late.is_zero() {
                node.begin_slice(tasks, cost);
            } else {
                let (node, tasks) = (Rc::clone(node), tasks.to_vec());
                spawn_daemon(("slice", node.index), async move {
                    hold(late).await;
                    node.begin_slice(&tasks, cost);
                });
            }
        }
    }

    /// Lets the tasks of a job run in the present slice, from now on.
    ///
    /// # Panics
    /// If the nodes have schedulers of their own.
    pub fn assign(&self, job: JobId) {
        let places = self.0.places.borrow();
        for (slot, key) in places.get(&job).into_iter().flatten() {
            let node = &self.0.state.nodes[slot.node as usize];
            // a task that has ended before the others has given its slot up
            if node.task(*key).is_some() {
                node.assign(slot.cpu as usize, Some(*key));
                node.cpus[slot.cpu as usize].assigned(*key);
            }
        }
    }

    /// Decides something on a node, for `cost` of its first processor's time.
    ///
    /// # Panics
    /// If there is no such node.
    pub async fn decide(&self, node: u32, cost: SimDuration) {
        let node = &self.0.state.nodes[node as usize];
        node.cpus[0].in_kernel(node, Activity::Scheduler, cost).await;
    }

    /// Gives up everything that is still on the nodes, after the last instant.
    pub fn clear(&self) {
        for node in &self.0.state.nodes {
            node.clear();
        }
    }
}

/// Returns true if a task draws any of its times: every iteration of it has the same laws.
pub fn draws(application: &Application, rank: u32, number: u64, streams: &Streams) -> bool {
    let mut times = TaskTimes::new(application, rank, number, streams);
    times.compute();
    times.io();
    times.draws() > 0
}

fn node(index: u32, params: &Rc<NodeParams>, local: Local, streams: &Streams) -> Rc<Node> {
    let phase = if params.random_phase { phase(streams, "tick", (index, 0), params.tick) } else { 0 };
    Rc::new(Node::new(index, Rc::clone(params), local, phase))
}

/// A phase of `period` that is the processor's own [ns].
fn phase(streams: &Streams, purpose: &str, (node, cpu): (u32, usize), period: SimDuration) -> u64 {
    streams.of(purpose, "node", u64::from(node) | (cpu as u64) << 32).below(period.as_nanos())
}

fn start_processes(
    state: &Rc<ClusterState>,
    node: &Rc<Node>,
    (local, reference, periodic): (Local, Option<Reference>, &Rc<dyn PeriodicAction>),
    streams: &Streams,
) {
    let index = node.index;
    spawn_daemon(("network interface", index), nic::serve(Rc::clone(state), Rc::clone(node)));
    if let Some(period) = node.params.daemon_period
        && local == Local::Own
    {
        let phase = if node.params.random_phase { phase(streams, "daemon", (index, 0), period) } else { 0 };
        let burst = node.params.daemon_burst;
        let noise = noise::run(Rc::clone(state), Rc::clone(node), period, burst, phase);
        spawn_daemon(("operating-system daemon", index), noise);
    }
    let clock = Clock(Rc::clone(node));
    match reference {
        Some(reference) => spawn_daemon(("clock", index), (reference.clock)(clock)),
        None => spawn_daemon(("clock", index), clock::clock(clock)),
    };
    let period = periodic.period().filter(|_| local == Local::Own);
    for cpu in 0..node.cpus.len() {
        spawn_daemon(("scheduler", index), scheduler::schedule(Rc::clone(node), cpu));
        spawn_daemon(("interrupt service", index), scheduler::serve_interrupts(Rc::clone(node), cpu));
        if let Some(period) = period {
            let daemon =
                Daemon::new((node, cpu), periodic, period, phase(streams, "boost", (index, cpu), period));
            match reference {
                Some(reference) => spawn_daemon(("boost", index), (reference.boost)(daemon)),
                None => spawn_daemon(("boost", index), daemon::boost(daemon)),
            };
        }
    }
}

/// The share that each task of an application asks for.
fn reservation(application: &Application) -> Option<Reservation> {
    match application.quality {
        Quality::BestEffort => None,
        Quality::RealTime { period, share, .. } => {
            let budget = SimDuration::ceil_secs(period.as_secs_f64() * share);
            Some(Reservation { period, budget: budget.max(SimDuration::from_nanos(1)) })
        }
    }
}
