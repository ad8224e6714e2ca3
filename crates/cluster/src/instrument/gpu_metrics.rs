//! Free GPUs that are of no use, where GPUs are distinguished: to the jobs that wait, and to the
//! workload.
//!
//! `FAMILIES` defines the metrics. A free GPU is stranded if no chunk of a waiting job that asks
//! for GPUs fits on its node and could have it or a part of it; while no such job waits, none is.
//! The fragmentation of free GPUs is that of the rule `fgd` ([`TaskMix`]), of all jobs of the run.
//!
//! The run is gone through once more, from the record, instant by instant; of jobs that leave at an
//! instant and others that start at it only the outcome counts. Amounts are whole parts of GPUs.
//! Choice: of a job that waits, the smallest chunk counts.

use std::sync::Arc;

use crate::batch::devices::{TaskMix, free_amount};
use crate::batch::node_resources::{Asking, FreeResources};
use crate::batch::record::{FeatureSteps, State};
use crate::collections::{Interval, OrderedMap, OrderedSet, StableSort as _};
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::kernel::stats::ratio;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;
use crate::workload::Job;
use crate::workload::resources::{DemandId, GpuShare, Resources};

use super::metrics::{FinishedRun, real};
use super::observations::WINDOW;
use super::run::Window;

const DISTINGUISHED: &str =
    "nodes list GPUs, or jobs ask for kinds or parts of them (`cluster.group.gpus`, `workload.demand.gpus`)";

/// The metrics of runs whose GPUs are distinguished, in the order in which they are shown.
pub(super) const FAMILIES: &[Family] = &families! {
    "gpus.stranded" [share] Lower, WINDOW =>
        "free GPUs that no waiting job could use where they are, over time / free GPUs, over time; a job could use \
         one if its smallest chunk fits on the node now, and the GPU is of its kind and has enough free. While no \
         job waits that asks for GPUs, none is stranded. Unknown where jobs depend on others and some never ran",
        shown DISTINGUISHED;
    "fragmentation" [share] Lower, WINDOW =>
        "mean over time of: free GPUs that the jobs of the workload could not use where they are / free GPUs; of \
         each node the mean over its tasks by their shares, the most frequent until 95 % of all jobs",
        shown DISTINGUISHED, source "Q. Weng et al., USENIX ATC 2023";
};

/// The metrics; none where GPUs are counted.
pub(super) fn metrics(run: &FinishedRun<'_>) -> Vec<Metric> {
    let Some(resources) = run.record.with_distinct_gpus() else { return Vec::new() };
    let window = run.window();
    let jobs = run.ids().map(|(id, _)| run.asked(id));
    let mix = TaskMix::of_jobs(jobs, &resources.demands);
    let mut seen = Seen::new(Arc::clone(resources), mix);
    let length = u128::from(window.to.since(window.from).as_nanos());
    if length > 0 {
        seen.go_through(&events(run, window), window);
    }
    let stranded = if seen.free_time > 0 { ratio(seen.stranded_time, seen.free_time) } else { 0.0 };
    let is_observed = |value| (length > 0).then_some(value);
    vec![
        real("gpus.stranded", is_observed(stranded).filter(|_| !is_unknown(run))),
        real("fragmentation", is_observed(seen.fragmented / length as f64)),
    ]
}

/// An event of a job, or of a node.
#[derive(Debug)]
enum Event<'a> {
    /// A job gives its processors and GPUs back.
    Leaves(JobId),
    /// A node with these processors comes back into service.
    Returns(Interval),
    /// A node goes out of service, and has no free GPUs from now on.
    Fails(Interval),
    /// A job has these from now on.
    Starts(JobId, DemandId, Vec<Interval>, &'a [GpuShare]),
    /// A chunk of so many processors waits from now on.
    Waits(DemandId, u32),
    /// A chunk waits no more.
    Waited(DemandId, u32),
}

/// Waits and runs of all jobs, in order of time.
fn events<'a>(run: &'a FinishedRun<'_>, window: Window) -> Vec<(SimTime, Event<'a>)> {
    let (record, mut all) = (run.record, Vec::new());
    let demands = record.resources().map(|all| &all.demands);
    let mut waits_from: OrderedMap<JobId, SimTime> = record.releases().clone();
    let waits = |all: &mut Vec<_>, job: &Job, from: SimTime, to: SimTime| {
        let demand = demands.map(|demands| demands.of(job.demand)).filter(|demand| demand.gpus > 0);
        let Some(demand) = demand.filter(|_| from < to) else { return };
        let rest = job.procs % demand.procs;
        let chunk = if rest > 0 { rest } else { demand.procs };
        all.extend([(from, Event::Waits(job.demand, chunk)), (to, Event::Waited(job.demand, chunk))]);
    };
    let has = |all: &mut Vec<_>, id: JobId, (start, end): (SimTime, SimTime), on: &[Interval], gpus| {
        if start < end {
            let demand = run.jobs[id.index()].demand;
            all.push((start, Event::Starts(id, demand, on.to_vec(), gpus)));
            all.push((end, Event::Leaves(id)));
        }
    };
    let holds = record.steps().map(FeatureSteps::holds).unwrap_or_default();
    // a job that a feature holds is considered behind its last hold
    let considered = |id: JobId, from: SimTime, until: SimTime| {
        let own = holds.get(&id).into_iter().flatten();
        let held = own.filter(|hold| hold.from >= from && hold.from <= until);
        held.map(|hold| hold.to.min(until)).max().unwrap_or(from)
    };
    for attempt in record.outages().attempts() {
        let mut job = run.jobs[attempt.job.index()];
        job.procs = attempt.procs();
        let from = waits_from.insert(attempt.job, attempt.end).unwrap_or(job.submit_time);
        waits(&mut all, &job, considered(attempt.job, from, attempt.start), attempt.start);
        has(&mut all, attempt.job, (attempt.start, attempt.end), &attempt.on, &attempt.gpus);
    }
    for (id, job) in run.ids() {
        let outcome = record.outcome(id);
        let from = waits_from.get(&id).copied().unwrap_or(job.submit_time);
        let from = match outcome.state {
            State::Expected => considered(id, from, window.to),
            State::Cancelled if !outcome.ran() => considered(id, from, outcome.end),
            _ => considered(id, from, outcome.start),
        };
        match outcome.state {
            State::Rejected => {}
            State::Expected if record.never_submitted().contains(&id) => {}
            State::Expected => waits(&mut all, job, from, window.to),
            State::Cancelled if !outcome.ran() => waits(&mut all, job, from, outcome.end),
            _ => {
                let end = if outcome.state == State::Running { window.to } else { outcome.end };
                waits(&mut all, job, from, outcome.start);
                has(&mut all, id, (outcome.start, end), &record.processors(id), record.gpus(id));
            }
        }
    }
    for one in record.outages().spans().iter().filter(|one| one.from < one.to) {
        all.extend([(one.from, Event::Fails(one.processors)), (one.to, Event::Returns(one.processors))]);
    }
    // at one instant ends come first
    let turn = |event: &Event<'_>| match event {
        Event::Leaves(_) => 0,
        Event::Returns(_) => 1,
        Event::Fails(_) => 2,
        Event::Starts(..) | Event::Waits(..) | Event::Waited(..) => 3,
    };
    all.stable_sort_by_key(|(at, event)| (*at, turn(event)));
    all
}

/// Returns true if it is not known from when on each job was considered: it was held until others
/// had left, or not, when it was cancelled or the run was stopped.
fn is_unknown(run: &FinishedRun<'_>) -> bool {
    let never_ran = |(id, _)| {
        let outcome = run.record.outcome(id);
        matches!(outcome.state, State::Cancelled | State::Expected) && !outcome.ran()
    };
    run.record.site().users.depends && run.ids().any(never_ran)
}

/// Free GPUs of a node and of all nodes, in parts of which each GPU has as many.
#[derive(Clone, Copy, Default, Debug)]
struct Sums {
    free: u64,
    stranded: u64,
    /// Times the number of jobs of the mix.
    fragmented: u128,
}

/// A chunk that jobs wait with.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    of: Asking,
    jobs: u32,
    /// True if it counts in the uses of GPUs.
    counts: bool,
}

/// The nodes, and what of their GPUs is free and of no use.
///
/// # Complexity
/// For each node of each job that starts or ends a step for each chunk that waits and for each task
/// of the mix; for each chunk that begins or ceases to wait, a step for each node with free GPUs.
struct Seen {
    resources: Arc<Resources>,
    nodes: FreeResources,
    mix: TaskMix,
    common: u64,
    first_gpus: Vec<usize>,
    /// Chunks that wait and could have each GPU.
    uses: Vec<u32>,
    waiting: Vec<Waiting>,
    known: OrderedMap<(DemandId, u32), usize>,
    each: Vec<Sums>,
    all: Sums,
    /// Nodes with free GPUs.
    able: OrderedSet<u32>,
    free_time: u128,
    stranded_time: u128,
    fragmented: f64,
}

impl Seen {
    /// Nodes without jobs.
    fn new(resources: Arc<Resources>, mix: TaskMix) -> Self {
        let nodes = &resources.nodes;
        let (count, common) = (nodes.count(), nodes.gpus().common_parts());
        let first_gpus: Vec<usize> = (0..count).map(|node| nodes.first_gpu(node) as usize).collect();
        let gpus: u64 = nodes.kinds().iter().map(|kind| u64::from(kind.nodes) * u64::from(kind.gpus)).sum();
        let mut seen = Seen {
            nodes: FreeResources::new(Arc::clone(&resources)),
            mix,
            common,
            resources,
            first_gpus,
            uses: vec![0; gpus as usize],
            waiting: Vec::new(),
            known: OrderedMap::new(),
            each: vec![Sums::default(); count as usize],
            all: Sums::default(),
            able: OrderedSet::new(),
            free_time: 0,
            stranded_time: 0,
            fragmented: 0.0,
        };
        (0..count).for_each(|node| seen.changed(node));
        seen
    }

    fn go_through(&mut self, events: &[(SimTime, Event<'_>)], window: Window) {
        let mut since = window.from;
        for instant in events.chunk_by(|one, other| one.0 == other.0) {
            let at = instant[0].0.clamp(window.from, window.to);
            self.lasts(u128::from(at.since(since).as_nanos()));
            since = at;
            self.happens(instant);
        }
        self.lasts(u128::from(window.to.since(since).as_nanos()));
    }

    /// Nothing happens for so long \[ns\].
    fn lasts(&mut self, time: u128) {
        if self.all.free == 0 || time == 0 {
            return;
        }
        self.free_time += u128::from(self.all.free) * time;
        if self.waiting.iter().any(|waiting| waiting.counts) {
            self.stranded_time += u128::from(self.all.stranded) * time;
        }
        let whole = u128::from(self.all.free) * u128::from(self.mix.jobs());
        if whole > 0 {
            self.fragmented += ratio(self.all.fragmented, whole) * time as f64;
        }
    }

    /// All that happens at an instant.
    fn happens(&mut self, events: &[(SimTime, Event<'_>)]) {
        let (mut nodes, mut chunks) = (OrderedSet::new(), OrderedSet::new());
        for (_, event) in events {
            match event {
                Event::Leaves(job) => {
                    nodes.extend(self.nodes.nodes_of(*job));
                    self.nodes.give_back(*job);
                }
                Event::Returns(part) | Event::Fails(part) => {
                    self.nodes.in_service(*part, matches!(event, Event::Returns(_)));
                    nodes.insert(self.resources.nodes.node_of(part.first));
                }
                Event::Starts(job, demand, on, gpus) => {
                    let procs = on.iter().map(|on| on.count() as u32).sum();
                    let of = Asking { procs, demand: *demand };
                    nodes.extend(self.nodes.take_recorded(*job, of, on, gpus));
                }
                Event::Waits(demand, procs) | Event::Waited(demand, procs) => {
                    let of = Asking { procs: *procs, demand: *demand };
                    let next = self.waiting.len();
                    let place = *self.known.entry((*demand, *procs)).or_insert(next);
                    if place == next {
                        self.waiting.push(Waiting { of, jobs: 0, counts: false });
                    }
                    let jobs = &mut self.waiting[place].jobs;
                    *jobs = if matches!(event, Event::Waits(..)) { *jobs + 1 } else { *jobs - 1 };
                    chunks.insert(place);
                }
            }
        }
        for place in chunks {
            let counts = self.waiting[place].jobs > 0;
            if counts != std::mem::replace(&mut self.waiting[place].counts, counts) {
                for node in self.able.clone().into_iter().filter(|node| !nodes.contains(node)) {
                    self.count_uses(node, place, counts);
                    self.sum_stranded(node);
                }
            }
        }
        nodes.into_iter().for_each(|node| self.changed(node));
    }

    /// Counts a chunk among those that could have the GPUs of a node, or no more.
    fn count_uses(&mut self, node: u32, place: usize, more: bool) {
        let of = self.waiting[place].of;
        let Some((_, gpus)) = self.nodes.free_on(node).filter(|_| self.nodes.holds_chunk(node, of)) else {
            return;
        };
        let choice = self.resources.demands.of(of.demand).gpu_choice;
        let uses = &mut self.uses[self.first_gpus[node as usize]..];
        for (_, uses) in gpus.each().iter().zip(uses).filter(|(gpu, _)| gpu.holds(choice)) {
            *uses = if more { *uses + 1 } else { *uses - 1 };
        }
    }

    /// Adds up the free GPUs of a node that nobody could use.
    fn sum_stranded(&mut self, node: u32) {
        let Some((_, gpus)) = self.nodes.free_on(node) else { return };
        let uses = &self.uses[self.first_gpus[node as usize]..];
        let is_there = !self.nodes.is_down(node);
        let of_no_use = gpus.each().iter().zip(uses).filter(|(_, uses)| is_there && **uses == 0);
        let stranded = of_no_use.map(|(gpu, _)| gpu.amount(self.common)).sum();
        self.all.stranded -= std::mem::replace(&mut self.each[node as usize].stranded, stranded);
        self.all.stranded += stranded;
    }

    /// Looks at a node whose jobs are others.
    fn changed(&mut self, node: u32) {
        let Some((procs, gpus)) = self.nodes.free_on(node) else { return };
        let (free, fragmented) = if self.nodes.is_down(node) {
            (0, 0)
        } else {
            (free_amount(gpus, self.common), self.mix.fragmentation(procs, gpus, self.common))
        };
        let count = gpus.each().len();
        let before = &mut self.each[node as usize];
        self.all.free = self.all.free - before.free + free;
        self.all.fragmented = self.all.fragmented - before.fragmented + fragmented;
        (before.free, before.fragmented) = (free, fragmented);
        if free > 0 {
            self.able.insert(node);
        } else {
            self.able.remove(&node);
        }
        let first = self.first_gpus[node as usize];
        self.uses[first..first + count].fill(0);
        for place in 0..self.waiting.len() {
            if self.waiting[place].counts {
                self.count_uses(node, place, true);
            }
        }
        self.sum_stranded(node);
    }
}
