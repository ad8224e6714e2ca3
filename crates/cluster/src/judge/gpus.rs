//! Free GPUs of no use, where GPUs are distinguished: stranded ones, and their fragmentation, node
//! by node from the rows of the jobs.
//!
//! Between two changes of its jobs a node stays as it is: the chunks that fit on it are found once,
//! and a free GPU is stranded for as long as some chunk waits and none of these does. Amounts are
//! whole parts, of which each GPU has as many.

use crate::check::Recomputation;
use crate::collections::{Interval, OrderedMap, StableSort as _};
use crate::kernel::SimTime;
use crate::workload::resources::{
    Demand, GpuChoice, GpuGroup, GpuKind, GpuShare, Mig, MixOf, NodeKind, NodeUse, PartsOf, Resources,
};

use super::instances::{fitting, sizes, slices};
use super::rows::Fate;
use super::run::{JobRun, Window};
use super::{STOPPED, Submitted};

/// A span of time.
type Span = (SimTime, SimTime);

/// A GPU: its kind, its parts, those that are free, and free memory slices, where it is divided.
#[derive(Clone, Copy)]
struct Gpu {
    kind: GpuKind,
    parts: u32,
    free: u32,
    mig: Mig,
    slices: [bool; 8],
}

impl Gpu {
    fn serves(&self, choice: GpuChoice) -> bool {
        let is_divided = self.mig == Mig::AtStarts;
        let is_enough = match choice.of {
            PartsOf::Instance(profile) => is_divided && fitting(profile, self.free, self.slices) > 0,
            PartsOf::One if choice.parts == 0 => self.free == self.parts,
            PartsOf::One => !is_divided && self.free >= choice.parts,
            PartsOf::Several => !is_divided && self.free > 0,
        };
        is_enough && (choice.kind == GpuKind::ANY || choice.kind == self.kind)
    }

    fn amount(&self, common: u64) -> u128 {
        let sevenths = match self.mig {
            Mig::Beforehand(profile) => sizes(profile).1,
            Mig::Never | Mig::AtStarts => 7,
        };
        u128::from(self.free) * u128::from(common) * u128::from(sevenths) / (u128::from(self.parts) * 7)
    }
}

/// Free parts of a node.
struct Node<'a> {
    kind: &'a NodeKind,
    procs: u32,
    memory: u64,
    jobs: u32,
    is_closed: bool,
    gpus: Vec<Gpu>,
}

/// Returns true if these have what a chunk asks for that asks for so many of them.
fn are_enough(gpus: &[Gpu], count: u32, choice: GpuChoice) -> bool {
    let each = |gpu: &Gpu| match choice.of {
        PartsOf::One => 1,
        PartsOf::Several => gpu.free,
        PartsOf::Instance(profile) => fitting(profile, gpu.free, gpu.slices),
    };
    let needed = if choice.of == PartsOf::Several { choice.parts } else { count };
    gpus.iter().filter(|gpu| gpu.serves(choice)).map(|gpu| u64::from(each(gpu))).sum::<u64>() >= needed.into()
}

impl Node<'_> {
    fn holds(&self, all: &Resources, demand: &Demand, procs: u32) -> bool {
        !self.is_closed
            && (demand.node_use == NodeUse::Shared || self.jobs == 0)
            && all.demands.features().cover(self.kind.features, demand.features)
            && self.procs >= procs
            && (self.kind.memory == NodeKind::ENDLESS || self.memory >= demand.memory)
            && are_enough(&self.gpus, demand.gpus, demand.gpu_choice)
    }
}

/// A task of the mix: processors, GPUs, and what of them.
type Task = (u32, u32, GpuChoice);

/// Finds both numbers.
pub(super) fn find(run: &JobRun<'_>, submitted: &Submitted<'_>, found: &mut Recomputation) {
    let Some(all) = run.facts.resources.filter(|all| all.distinguishes_gpus()) else { return };
    let names = ["gpus.stranded", "fragmentation"];
    let never_ran = |place: &usize| {
        let outcome = run.outcomes[*place].as_ref();
        outcome.is_some_and(|outcome| outcome.fate == Fate::Cancelled && outcome.start.is_none())
    };
    if run.facts.stopped {
        return names.into_iter().for_each(|name| found.never(name, STOPPED));
    }
    let mut seen = Seen::new(run, submitted, all);
    for (node, changes) in changes(run, all).into_iter().enumerate() {
        seen.go_through(run, node as u32, &changes);
    }
    let length = seen.window.length() as f64;
    let known = |value: f64| (length > 0.0).then_some(value);
    // from when on such a job was considered is not known
    let is_unknown = submitted.held.is_some() && (0..run.jobs.len()).any(|place| never_ran(&place));
    let share = if seen.free == 0 { 0.0 } else { seen.stranded as f64 / seen.free as f64 };
    found.is(names[0], known(share).filter(|_| !is_unknown));
    found.is(names[1], known(seen.fragmentation() / length));
}

/// Spans in which chunks wait that ask for GPUs, by demand and processors; they do not meet.
struct Waits {
    each: Vec<(Demand, u32, Vec<Span>)>,
    any: Vec<Span>,
}

/// Spans in order, joined where they meet.
fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.stable_sort();
    let mut joined: Vec<Span> = Vec::new();
    for (from, to) in spans {
        match joined.last_mut().filter(|last| last.1 >= from) {
            Some(last) => last.1 = last.1.max(to),
            None => joined.push((from, to)),
        }
    }
    joined
}

/// The parts of spans, in order, that are in another.
fn within(spans: &[Span], (from, to): Span) -> impl Iterator<Item = Span> {
    let first = spans.partition_point(|span| span.1 <= from);
    let inside = spans[first..].iter().take_while(move |span| span.0 < to);
    inside.map(move |span| (span.0.max(from), span.1.min(to)))
}

/// Parts of a span that are in none of others, which are in order and do not meet.
fn without(others: &[Span], (from, to): Span) -> Vec<Span> {
    let (mut parts, mut since) = (Vec::new(), from);
    for (begins, ends) in within(others, (from, to)) {
        parts.push((since, begins));
        since = ends;
    }
    parts.push((since, to));
    parts
}

fn waits(run: &JobRun<'_>, submitted: &Submitted<'_>, all: &Resources) -> Waits {
    let mut of_chunks: OrderedMap<(Demand, u32), Vec<Span>> = OrderedMap::new();
    let held: OrderedMap<usize, SimTime> = submitted.held.into_iter().flatten().copied().collect();
    let mut from: Vec<SimTime> = run.jobs.iter().map(|job| job.submit_time).collect();
    held.into_iter().for_each(|(place, at)| from[place] = from[place].max(at));
    let mut wait = |place: usize, (from, to): Span, procs: u32| {
        let (demand, from) = (all.demands.of(run.jobs[place].demand), run.waits_from(place, from, to));
        if demand.gpus > 0 && from < to {
            let rest = procs % demand.procs;
            let chunk = if rest == 0 { demand.procs } else { rest };
            of_chunks.entry((*demand, chunk)).or_default().push((from, to));
        }
    };
    for (place, attempt) in &run.attempts {
        let before = std::mem::replace(&mut from[*place], attempt.end);
        wait(*place, (before, attempt.start), attempt.on.iter().map(|on| on.count()).sum::<u64>() as u32);
    }
    for (place, (from, outcome)) in from.into_iter().zip(&run.outcomes).enumerate() {
        if let Some(outcome) = outcome.as_ref().filter(|outcome| outcome.fate != Fate::Rejected) {
            wait(place, (from, outcome.start.unwrap_or(outcome.end)), outcome.procs);
        }
    }
    let each: Vec<_> =
        of_chunks.into_iter().map(|((demand, procs), spans)| (demand, procs, joined(spans))).collect();
    let any = joined(each.iter().flat_map(|(_, _, spans)| spans).copied().collect());
    Waits { each, any }
}

/// A run of a job: its processors and GPUs.
struct HeldRun<'a> {
    place: usize,
    span: Span,
    on: &'a [Interval],
    gpus: &'a [GpuShare],
}

/// All runs, interrupted ones too.
fn runs<'a>(run: &'a JobRun<'_>) -> impl Iterator<Item = HeldRun<'a>> {
    let last = run.outcomes.iter().enumerate().filter_map(|(place, outcome)| {
        let outcome = outcome.as_ref()?;
        let (start, end, _) = outcome.last_run()?;
        Some(HeldRun { place, span: (start, end), on: &outcome.on, gpus: &outcome.gpus })
    });
    let earlier = run.attempts.iter().map(|(place, one)| HeldRun {
        place: *place,
        span: (one.start, one.end),
        on: &one.on,
        gpus: &one.gpus,
    });
    last.chain(earlier).filter(|run| run.span.0 < run.span.1)
}

/// A start (`true`) or an end of a job on a node, with its processors there and its GPUs.
type Change<'a> = (SimTime, bool, usize, u32, &'a [GpuShare]);

/// The changes of each node in order of time, ends first.
fn changes<'a>(run: &'a JobRun<'_>, all: &Resources) -> Vec<Vec<Change<'a>>> {
    let mut changes: Vec<Vec<Change<'_>>> = vec![Vec::new(); all.nodes.count() as usize];
    for HeldRun { place, span: (start, end), on, gpus } in runs(run) {
        let mut procs: OrderedMap<u32, u32> = OrderedMap::new();
        for on in on {
            // processors that there are not are another promise's business
            for processor in on.first..=on.last.min(all.nodes.procs() - 1) {
                *procs.entry(all.nodes.node_of(processor)).or_default() += 1;
            }
        }
        for (node, procs) in procs {
            changes[node as usize]
                .extend([(start, true, place, procs, gpus), (end, false, place, procs, gpus)]);
        }
    }
    changes.iter_mut().for_each(|changes| changes.stable_sort_by_key(|change| (change.0, change.1)));
    changes
}

/// The most frequent tasks until 95 of 100 jobs, with their numbers.
fn mix(run: &JobRun<'_>, all: &Resources) -> Vec<(Task, u64)> {
    let mut counts: OrderedMap<Task, u64> = OrderedMap::new();
    for job in run.jobs {
        let demand = all.demands.of(job.demand);
        if demand.gpus > 0 || all.demands.mix() == MixOf::AllJobs {
            *counts.entry((demand.procs.min(job.procs), demand.gpus, demand.gpu_choice)).or_default() += 1;
        }
    }
    let jobs: u64 = counts.values().sum();
    let mut tasks: Vec<(Task, u64)> = counts.into_iter().collect();
    tasks.stable_sort_by_key(|(_, count)| u64::MAX - count);
    let mut before = 0;
    tasks.retain(|(_, count)| {
        let is_frequent = before * 20 < jobs * 19;
        before += count;
        is_frequent
    });
    tasks
}

/// Sums over the nodes seen so far.
struct Seen<'a> {
    all: &'a Resources,
    window: Window,
    common: u64,
    mix: Vec<(Task, u64)>,
    waits: Waits,
    free: u128,
    stranded: u128,
    /// Changes of free GPUs, and of fragmented ones times the jobs of the mix.
    changes: Vec<(SimTime, i128, i128)>,
}

impl<'a> Seen<'a> {
    fn new(run: &JobRun<'_>, submitted: &Submitted<'_>, all: &'a Resources) -> Self {
        Seen {
            all,
            window: run.window(),
            common: all.nodes.gpus().common_parts(),
            mix: mix(run, all),
            waits: waits(run, submitted, all),
            free: 0,
            stranded: 0,
            changes: Vec::new(),
        }
    }

    /// The spans of one node.
    fn go_through(&mut self, run: &JobRun<'_>, number: u32, changes: &[Change<'_>]) {
        let nodes = &self.all.nodes;
        let (mut before, mut kinds) = (0, nodes.kinds().iter().zip(nodes.gpu_groups()));
        let (kind, groups) = kinds
            .find(|(kind, _)| {
                before += kind.nodes;
                number < before
            })
            .expect("a node is of a kind");
        let gpus = groups.iter().flat_map(|group| {
            let GpuGroup { kind, parts, mig, .. } = *group;
            let gpu = Gpu { kind, parts, free: parts, mig, slices: [true; 8] };
            std::iter::repeat_n(gpu, group.count as usize)
        });
        let mut node = Node {
            kind,
            procs: kind.processors,
            memory: kind.memory,
            jobs: 0,
            is_closed: false,
            gpus: gpus.collect(),
        };
        let mut since = self.window.from;
        let (first, count) = nodes.processors(number);
        let on_node = run.away.iter().filter(|away| away.on.first < first + count && first <= away.on.last);
        let away = joined(on_node.map(|away| (away.from, away.to)).collect());
        let there = |from, to| without(&away, (from, to));
        for instant in changes.chunk_by(|one, other| one.0 == other.0) {
            let at = instant[0].0.clamp(self.window.from, self.window.to);
            there(since, at).into_iter().for_each(|span| self.stays(&node, span));
            since = at;
            for change in instant {
                self.change(run, &mut node, number, change);
            }
        }
        there(since, self.window.to).into_iter().for_each(|span| self.stays(&node, span));
    }

    /// A job starts or ends on a node.
    fn change(
        &self,
        run: &JobRun<'_>,
        node: &mut Node<'_>,
        number: u32,
        &(_, starts, place, procs, gpus): &Change<'_>,
    ) {
        let demand = self.all.demands.of(run.jobs[place].demand);
        let memory = u64::from(procs.div_ceil(demand.procs)).saturating_mul(demand.memory);
        let by = |value: u32, by: u32| if starts { value.saturating_sub(by) } else { value + by };
        node.procs = by(node.procs, procs);
        if node.kind.memory != NodeKind::ENDLESS {
            node.memory = if starts { node.memory.saturating_sub(memory) } else { node.memory + memory };
        }
        node.jobs = if starts { node.jobs + 1 } else { node.jobs.saturating_sub(1) };
        node.is_closed = starts && demand.node_use == NodeUse::Exclusive;
        let first = self.all.nodes.first_gpu(number);
        for share in gpus {
            for gpu in share.first.max(first)..=share.last.min(first + u64::from(node.kind.gpus)) {
                let Some(gpu) = node.gpus.get_mut((gpu - first) as usize) else { continue };
                gpu.free = by(gpu.free, if share.parts == 0 { gpu.parts } else { share.parts });
                let slices = share.slice.map_or(if share.parts == 0 { 0..8 } else { 0..0 }, slices);
                gpu.slices[slices].fill(!starts);
            }
        }
    }

    /// A node stays as it is for a span.
    fn stays(&mut self, node: &Node<'_>, span: Span) {
        let time = span.1.since(span.0).as_nanos();
        let free: u128 = node.gpus.iter().map(|gpu| gpu.amount(self.common)).sum();
        if time == 0 || free == 0 {
            return;
        }
        self.free += free * u128::from(time);
        let fragmented = self.fragmented(node, free);
        self.changes.push((span.0, free.cast_signed(), fragmented.cast_signed()));
        self.changes.push((span.1, -free.cast_signed(), -fragmented.cast_signed()));
        let length = |spans: &mut dyn Iterator<Item = Span>| -> u128 {
            spans.map(|(from, to)| u128::from(to.since(from).as_nanos())).sum()
        };
        let all = length(&mut within(&self.waits.any, span));
        if all == 0 {
            return;
        }
        let fits = |(demand, procs, _): &&(Demand, u32, Vec<Span>)| node.holds(self.all, demand, *procs);
        let fitting: Vec<_> = self.waits.each.iter().filter(fits).collect();
        let mut known: OrderedMap<Vec<usize>, u128> = OrderedMap::new();
        for gpu in node.gpus.iter().filter(|gpu| gpu.free > 0) {
            let able = fitting.iter().enumerate().filter(|(_, (demand, ..))| gpu.serves(demand.gpu_choice));
            let able: Vec<usize> = able.map(|(place, _)| place).collect();
            let used = || {
                let spans = able.iter().flat_map(|place| within(&fitting[*place].2, span)).collect();
                length(&mut joined(spans).into_iter())
            };
            let used = match known.get(&able) {
                Some(used) => *used,
                None => used(),
            };
            self.stranded += gpu.amount(self.common) * (all - used);
            known.insert(able, used);
        }
    }

    /// Free GPUs of a node of no use to each task, times its jobs.
    fn fragmented(&self, node: &Node<'_>, free: u128) -> u128 {
        let procs = if node.is_closed { 0 } else { node.procs };
        let of_task = |&((needed, gpus, choice), jobs): &(Task, u64)| {
            let others = node.gpus.iter().filter(|gpu| !gpu.serves(choice));
            let is_of_use = gpus > 0 && procs >= needed && are_enough(&node.gpus, gpus, choice);
            let lost = if is_of_use { others.map(|gpu| gpu.amount(self.common)).sum() } else { free };
            u128::from(jobs) * lost
        };
        self.mix.iter().map(of_task).sum()
    }

    /// Share of free GPUs that are fragmented, over time \[ns\].
    fn fragmentation(&mut self) -> f64 {
        self.changes.stable_sort_by_key(|change| change.0);
        let jobs: u64 = self.mix.iter().map(|(_, jobs)| jobs).sum();
        let (mut since, mut free, mut fragmented, mut sum) = (self.window.from, 0, 0, 0.0);
        for (at, more, more_fragmented) in &self.changes {
            if free > 0 && jobs > 0 {
                let time = at.since(since).as_nanos() as f64;
                sum += time * (fragmented as f64 / jobs as f64 / free as f64);
            }
            since = *at;
            (free, fragmented) = (free + more, fragmented + more_fragmented);
        }
        sum
    }
}
