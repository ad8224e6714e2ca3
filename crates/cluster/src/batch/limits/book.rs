//! The book of what runs and waits in each queue, by user, and whose turn a start or an end makes
//! it.

use crate::batch::holding::Footprint;
use crate::collections::{OrderedMap, OrderedSet};
use crate::ids::JobId;
use crate::workload::Job;

use super::{Limit, QueueLimits, QueueOf};

/// Kinds of numbers by which a job belongs to queues.
const KINDS: [QueueOf; 3] = [QueueOf::Queue, QueueOf::Partition, QueueOf::Qos];

/// Processors, nodes and GPUs of a job.
#[derive(Clone, Copy, Debug, Default)]
struct Need {
    procs: u64,
    on: Footprint,
}

/// Running jobs, and what they have.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    jobs: u64,
    procs: u64,
    nodes: u64,
    gpus: u64,
}

impl Use {
    fn start(&mut self, need: Need) {
        self.jobs += 1;
        self.procs += need.procs;
        self.nodes += need.on.nodes;
        self.gpus += need.on.gpus;
    }

    fn end(&mut self, need: Need) {
        self.jobs -= 1;
        self.procs -= need.procs;
        self.nodes -= need.on.nodes;
        self.gpus -= need.on.gpus;
    }
}

/// Places of the queues of a job, one of a kind at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Places([Option<u16>; KINDS.len()]);

impl Places {
    fn each(self) -> impl Iterator<Item = u16> {
        self.0.into_iter().flatten()
    }

    fn none(self) -> bool {
        self.each().next().is_none()
    }
}

/// A waiting job.
#[derive(Clone, Copy, Debug)]
struct Held {
    need: Need,
    places: Places,
    considered: bool,
    /// Limit that its turn met, and the place of the queue, if it was passed over.
    passed_over: Option<(Limit, u16)>,
}

/// A user's jobs that may share a queue.
#[derive(Clone, Debug, Default)]
struct Share {
    /// Running jobs by queue, of queues that have some.
    used: OrderedMap<u16, Use>,
    waiting: OrderedMap<JobId, Held>,
}

impl Share {
    fn used(&self, place: u16) -> Use {
        self.used.get(&place).copied().unwrap_or_default()
    }

    /// The number of considered jobs of a queue before `id`.
    fn ahead(&self, place: u16, id: JobId) -> u64 {
        let before = self.waiting.range(..id).map(|(_, held)| held);
        before.filter(|held| held.considered && held.places.each().any(|other| other == place)).count() as u64
    }
}

#[derive(Clone, Debug)]
struct Line {
    limits: QueueLimits,
    used: Use,
    /// Common parts of a GPU, in which GPUs are counted.
    whole_gpu: u64,
}

/// The queues of a run, and which of their jobs are held back.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    lines: Vec<Line>,
    /// The highest priority of a queue of each kind.
    highest: [f64; KINDS.len()],
    /// True if queues are of one kind, so that no job belongs to two.
    apart: bool,
    /// Jobs by queue, or by 0 if queues are not apart, and by user.
    shares: OrderedMap<(u16, u32), Share>,
    /// Nodes and GPUs of running jobs, where limits count them.
    running: OrderedMap<JobId, Footprint>,
    /// Keys of the shares with a job that was passed over.
    passed_over: OrderedSet<(u16, u32)>,
}

/// The priorities of the queues of a job, each as a share of the highest of its kind, from 0 to 1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct QueuePriorities {
    /// The queue by its own number.
    pub queue: f64,
    /// The queue by the number of its partition.
    pub partition: f64,
    /// The queue by its quality of service.
    pub qos: f64,
}

/// A job that is considered from now on, or no longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HoldChange {
    /// The job.
    pub job: JobId,
    /// True if it is considered now.
    pub considered: bool,
}

impl Line {
    /// The limit that keeps a job from running now, the number of its user's considered jobs before
    /// it being `ahead`.
    fn holds(&self, user: Use, need: Need, ahead: u64) -> Option<Limit> {
        let (limits, used, procs) = (&self.limits, self.used, need.procs);
        let over = |used: u64, most: Option<u64>, more: u64| most.filter(|&most| used + more > most);
        None.or(over(used.jobs, limits.max_running, 1).map(Limit::Running))
            .or(over(used.procs, limits.max_running_procs, procs).map(Limit::RunningProcs))
            .or(over(user.jobs, limits.max_running_per_user, 1).map(Limit::RunningPerUser))
            .or(over(user.procs, limits.max_running_procs_per_user, procs).map(Limit::RunningProcsPerUser))
            .or(over(used.nodes, limits.max_running_nodes, need.on.nodes).map(Limit::RunningNodes))
            .or(over(user.nodes, limits.max_running_nodes_per_user, need.on.nodes)
                .map(Limit::RunningNodesPerUser))
            .or(self.over_gpus(used.gpus, limits.max_running_gpus, need).map(Limit::RunningGpus))
            .or(self
                .over_gpus(user.gpus, limits.max_running_gpus_per_user, need)
                .map(Limit::RunningGpusPerUser))
            .or(over(ahead, limits.max_queued_per_user, 1).map(Limit::QueuedPerUser))
    }

    /// The number of GPUs that a limit grants, if that would be exceeded.
    fn over_gpus(&self, used: u64, most: Option<u64>, need: Need) -> Option<u64> {
        most.filter(|&most| used + need.on.gpus > most.saturating_mul(self.whole_gpu))
    }

    /// Nodes that limits leave to a job of a user, and the limit that leaves fewest.
    fn nodes_left(&self, user: Use) -> Option<(u64, Limit)> {
        let (limits, used) = (&self.limits, self.used);
        let left = |most: Option<u64>, used: u64, limit: fn(u64) -> Limit| {
            most.map(|most| (most.saturating_sub(used), limit(most)))
        };
        let all = [
            left(limits.max_nodes, 0, Limit::Nodes),
            left(limits.max_running_nodes, used.nodes, Limit::RunningNodes),
            left(limits.max_running_nodes_per_user, user.nodes, Limit::RunningNodesPerUser),
        ];
        all.into_iter().flatten().min_by_key(|(left, _)| *left)
    }

    /// The limit that can never let a job run.
    fn forbids(&self, job: &Job, on: Footprint) -> Option<Limit> {
        let limits = &self.limits;
        let need = Need { procs: job.procs.into(), on };
        let above = |most: Option<u64>| most.filter(|&most| need.procs > most);
        let above_nodes = |most: Option<u64>| most.filter(|&most| on.nodes > most);
        let above_gpus = |most: Option<u64>| self.over_gpus(0, most, need);
        let too_long = limits.max_run_time.filter(|&most| job.asks_for_time() && job.estimate > most);
        too_long
            .map(Limit::RunTime)
            .or(above(limits.max_procs).map(Limit::Procs))
            .or(above(limits.max_running_procs).map(Limit::RunningProcs))
            .or(above(limits.max_running_procs_per_user).map(Limit::RunningProcsPerUser))
            .or(above_nodes(limits.max_nodes).map(Limit::Nodes))
            .or(above_nodes(limits.max_running_nodes).map(Limit::RunningNodes))
            .or(above_nodes(limits.max_running_nodes_per_user).map(Limit::RunningNodesPerUser))
            .or(above_gpus(limits.max_gpus).map(Limit::Gpus))
            .or(above_gpus(limits.max_running_gpus).map(Limit::RunningGpus))
            .or(above_gpus(limits.max_running_gpus_per_user).map(Limit::RunningGpusPerUser))
    }

    /// After the whole queue's use has changed from `before`: whether that may matter to other
    /// users' jobs.
    fn matters(&self, before: Use) -> bool {
        let reached = |used: u64, most: Option<u64>| most.is_some_and(|most| used >= most);
        let jobs =
            reached(before.jobs, self.limits.max_running) != reached(self.used.jobs, self.limits.max_running);
        let limits = &self.limits;
        jobs || [limits.max_running_procs, limits.max_running_nodes, limits.max_running_gpus]
            .iter()
            .any(Option::is_some)
    }
}

impl Limits {
    /// These queues.
    pub fn new(queues: Vec<QueueLimits>) -> Self {
        let of = |kind: QueueOf| queues.iter().filter(move |queue| queue.of == kind);
        let highest = KINDS.map(|kind| of(kind).map(|queue| queue.priority).fold(0.0, f64::max));
        let apart = KINDS.iter().filter(|&&kind| of(kind).next().is_some()).count() <= 1;
        let line = |limits| Line { limits, used: Use::default(), whole_gpu: 1 };
        let lines = queues.into_iter().map(line).collect();
        let (shares, running, passed_over) = (OrderedMap::new(), OrderedMap::new(), OrderedSet::new());
        Limits { lines, highest, apart, shares, running, passed_over }
    }

    /// The same where GPUs are counted in parts, of which a whole one has so many.
    pub fn count_gpus_in(&mut self, parts: u64) {
        self.lines.iter_mut().for_each(|line| line.whole_gpu = parts);
    }

    /// Returns true if some limit is about nodes or GPUs.
    pub fn count_nodes(&self) -> bool {
        self.queues().any(QueueLimits::count_nodes)
    }

    /// Returns true if there are none, so that every job is considered at once.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn places(&self, job: &Job) -> Places {
        Places(KINDS.map(|kind| {
            let number = kind.of(job);
            let of_kind = || (0_u16..).zip(&self.lines).filter(|(_, line)| line.limits.of == kind);
            let listed = |line: &Line| number.is_some_and(|number| line.limits.numbers.contains(&number));
            let found = of_kind().find(|(_, line)| listed(line));
            found
                .or_else(|| of_kind().find(|(_, line)| line.limits.numbers.is_empty()))
                .map(|(place, _)| place)
        }))
    }

    fn at(&self, place: u16) -> &Line {
        &self.lines[usize::from(place)]
    }

    /// The queues, in their order.
    pub(super) fn queues(&self) -> impl Iterator<Item = &QueueLimits> {
        self.lines.iter().map(|line| &line.limits)
    }

    /// Place of the queue with nodes of its own to which a job belongs, and their features.
    pub fn nodes_of(&self, job: &Job) -> Option<(usize, &[String])> {
        let place = self.with_nodes(job)?;
        Some((place.into(), &self.at(place).limits.nodes))
    }

    /// Name of the queue at this place.
    pub fn name(&self, place: usize) -> Option<&str> {
        self.lines.get(place).map(|line| line.limits.name.as_str())
    }

    /// Place of the queue with nodes of its own to which a job belongs.
    pub(super) fn with_nodes(&self, job: &Job) -> Option<u16> {
        self.places(job).each().find(|&place| !self.at(place).limits.nodes.is_empty())
    }

    /// Key of the share of a job's user.
    fn key(&self, places: Places, user: u32) -> (u16, u32) {
        (if self.apart { places.each().next().unwrap_or_default() } else { 0 }, user)
    }

    /// The priorities of a job's queues.
    pub fn priorities(&self, job: &Job) -> QueuePriorities {
        let places = self.places(job);
        let share = |kind: usize| {
            let place = places.0[kind].filter(|_| self.highest[kind] > 0.0);
            place.map_or(0.0, |place| self.at(place).limits.priority / self.highest[kind])
        };
        QueuePriorities { queue: share(0), partition: share(1), qos: share(2) }
    }

    /// The limit that can never let a job run, and the name of its queue.
    ///
    /// `on` is what it needs at least.
    pub fn forbids(&self, job: &Job, on: Footprint) -> Option<(Limit, &str)> {
        let met = |place| Some((self.at(place).forbids(job, on)?, self.at(place).limits.name.as_str()));
        self.places(job).each().find_map(met)
    }

    /// The limit that keeps a job of a share from running now, and the name of its queue.
    fn holds(&self, share: &Share, id: JobId, places: Places, need: Need) -> Option<(Limit, &str)> {
        places.each().find_map(|place| {
            let line = self.at(place);
            let ahead = if line.limits.max_queued_per_user.is_some() { share.ahead(place, id) } else { 0 };
            Some((line.holds(share.used(place), need, ahead)?, line.limits.name.as_str()))
        })
    }

    /// A job comes to wait, which needs at least so many nodes and GPUs: the limit that holds it
    /// back and the name of its queue, or `None` if it is considered at once.
    pub fn submitted(&mut self, id: JobId, job: &Job, on: Footprint) -> Option<(Limit, &str)> {
        let (places, need) = (self.places(job), Need { procs: job.procs.into(), on });
        if places.none() {
            return None;
        }
        let key = self.key(places, job.user);
        let share = self.shares.remove(&key).unwrap_or_default();
        // one that waits again stands before later jobs, and all that are considered count
        let considered = self.holds(&share, JobId(u32::MAX), places, need).is_none();
        let share = self.shares.entry(key).or_insert(share);
        share.waiting.insert(id, Held { need, places, considered, passed_over: None });
        if considered { None } else { self.holds(&self.shares[&key], JobId(u32::MAX), places, need) }
    }

    /// The limit that holds a waiting job back now, if one does, and the name of its queue.
    pub fn holds_back(&self, id: JobId, job: &Job) -> Option<(Limit, &str)> {
        let places = self.places(job);
        let share = self.shares.get(&self.key(places, job.user))?;
        let held = share.waiting.get(&id)?;
        if let Some((limit, place)) = held.passed_over {
            return Some((limit, &self.at(place).limits.name));
        }
        if held.considered { None } else { self.holds(share, id, places, held.need) }
    }

    /// Nodes that limits leave to a job that is considered; `None` if no limit is about them.
    pub fn nodes_left(&self, job: &Job) -> Option<u64> {
        self.fewest_left(job).map(|(left, ..)| left)
    }

    /// Nodes that limits leave to a job, the limit that leaves fewest, and the place of its queue.
    fn fewest_left(&self, job: &Job) -> Option<(u64, Limit, u16)> {
        let places = self.places(job);
        let share = self.shares.get(&self.key(places, job.user))?;
        let left = |place: u16| {
            let (left, limit) = self.at(place).nodes_left(share.used(place))?;
            Some((left, limit, place))
        };
        places.each().filter_map(left).min_by_key(|(left, ..)| *left)
    }

    /// A job whose turn it is would have more nodes now than limits leave: it is considered no
    /// longer, until something else starts or ends or [`Limits::look_again`].
    pub fn passes_over(&mut self, id: JobId, job: &Job) {
        let key = self.key(self.places(job), job.user);
        let met = self.fewest_left(job).map(|(_, limit, place)| (limit, place));
        if let Some(held) = self.shares.get_mut(&key).and_then(|share| share.waiting.get_mut(&id)) {
            (held.considered, held.passed_over) = (false, met);
            self.passed_over.insert(key);
        }
    }

    /// Gives the jobs that were passed over another turn.
    pub fn look_again(&mut self, turns: &mut Vec<HoldChange>) {
        let keys = std::mem::take(&mut self.passed_over);
        keys.into_iter().for_each(|key| self.look(key, turns));
    }

    /// A job that was considered has started, on so many nodes. Gives the jobs that are released,
    /// and those that are held again.
    pub fn started(&mut self, id: JobId, job: &Job, on: Footprint, turns: &mut Vec<HoldChange>) {
        if on != Footprint::default() {
            self.running.insert(id, on);
        }
        self.change((job, on), turns, |share| _ = share.waiting.remove(&id), Some(Use::start));
    }

    /// A job that waits is cancelled. Gives the jobs that are released.
    pub fn withdrawn(&mut self, id: JobId, job: &Job, turns: &mut Vec<HoldChange>) {
        let none = Footprint::default();
        self.change((job, none), turns, |share| _ = share.waiting.remove(&id), None);
    }

    /// A running job has ended. Gives the jobs that are released.
    pub fn ended(&mut self, id: JobId, job: &Job, turns: &mut Vec<HoldChange>) {
        let on = self.running.remove(&id).unwrap_or_default();
        self.change((job, on), turns, |_| {}, Some(Use::end));
    }

    fn change(
        &mut self,
        (job, on): (&Job, Footprint),
        turns: &mut Vec<HoldChange>,
        change: impl FnOnce(&mut Share),
        count: Option<fn(&mut Use, Need)>,
    ) {
        let (places, need) = (self.places(job), Need { procs: job.procs.into(), on });
        if places.none() {
            return;
        }
        let key = self.key(places, job.user);
        let share = self.shares.entry(key).or_default();
        change(share);
        let mut matters = false;
        for place in count.iter().flat_map(|_| places.each()) {
            let count = count.unwrap_or(|_, _| {});
            let used = share.used.entry(place).or_default();
            count(used, need);
            if used.jobs == 0 {
                share.used.remove(&place);
            }
            let line = &mut self.lines[usize::from(place)];
            let before = line.used;
            count(&mut line.used, need);
            matters |= line.matters(before);
        }
        if !matters {
            return self.look(key, turns);
        }
        let of_line = (key.0, 0)..=(key.0, u32::MAX);
        let keys: Vec<(u16, u32)> = self.shares.range(of_line).map(|(&key, _)| key).collect();
        keys.into_iter().for_each(|key| self.look(key, turns));
    }

    /// Looks at the waiting jobs of a share again.
    fn look(&mut self, key: (u16, u32), turns: &mut Vec<HoldChange>) {
        let Some(mut share) = self.shares.remove(&key) else { return };
        let mut waiting = std::mem::take(&mut share.waiting);
        // considered jobs so far, by queue
        let mut ahead: OrderedMap<u16, u64> = OrderedMap::new();
        for (&job, held) in &mut waiting {
            let holds = |place: u16| {
                let before = ahead.get(&place).copied().unwrap_or_default();
                self.at(place).holds(share.used(place), held.need, before).is_some()
            };
            let now = !held.places.each().any(holds);
            if now {
                let counted = |place: &u16| self.at(*place).limits.max_queued_per_user.is_some();
                held.places.each().filter(counted).for_each(|place| *ahead.entry(place).or_default() += 1);
            }
            held.passed_over = None;
            if now != held.considered {
                held.considered = now;
                turns.push(HoldChange { job, considered: now });
            }
        }
        share.waiting = waiting;
        if !(share.used.is_empty() && share.waiting.is_empty()) {
            self.shares.insert(key, share);
        }
    }
}
