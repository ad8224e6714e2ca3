//! The book of what runs and waits in each queue, by user, and whose turn a start or an end makes
//! it.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::workload::Job;

use super::{Limit, QueueLimits, QueueOf};

/// Kinds of numbers by which a job belongs to queues.
const KINDS: [QueueOf; 3] = [QueueOf::Queue, QueueOf::Partition, QueueOf::Qos];

/// Running jobs, and their processors.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    jobs: u64,
    procs: u64,
}

impl Use {
    fn start(&mut self, procs: u64) {
        self.jobs += 1;
        self.procs += procs;
    }

    fn end(&mut self, procs: u64) {
        self.jobs -= 1;
        self.procs -= procs;
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
    procs: u64,
    places: Places,
    considered: bool,
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
    fn holds(&self, user: Use, procs: u64, ahead: u64) -> Option<Limit> {
        let limits = &self.limits;
        let over = |used: u64, most: Option<u64>, more: u64| most.filter(|&most| used + more > most);
        None.or(over(self.used.jobs, limits.max_running, 1).map(Limit::Running))
            .or(over(self.used.procs, limits.max_running_procs, procs).map(Limit::RunningProcs))
            .or(over(user.jobs, limits.max_running_per_user, 1).map(Limit::RunningPerUser))
            .or(over(user.procs, limits.max_running_procs_per_user, procs).map(Limit::RunningProcsPerUser))
            .or(over(ahead, limits.max_queued_per_user, 1).map(Limit::QueuedPerUser))
    }

    /// The limit that can never let a job run.
    fn forbids(&self, job: &Job) -> Option<Limit> {
        let limits = &self.limits;
        let procs = u64::from(job.procs);
        let above = |most: Option<u64>| most.filter(|&most| procs > most);
        let too_long = limits.max_run_time.filter(|&most| job.asks_for_time() && job.estimate > most);
        too_long
            .map(Limit::RunTime)
            .or(above(limits.max_procs).map(Limit::Procs))
            .or(above(limits.max_running_procs).map(Limit::RunningProcs))
            .or(above(limits.max_running_procs_per_user).map(Limit::RunningProcsPerUser))
    }

    /// After the whole queue's use has changed from `before`: whether that may matter to other
    /// users' jobs.
    fn matters(&self, before: Use) -> bool {
        let reached = |used: u64, most: Option<u64>| most.is_some_and(|most| used >= most);
        let jobs =
            reached(before.jobs, self.limits.max_running) != reached(self.used.jobs, self.limits.max_running);
        jobs || self.limits.max_running_procs.is_some()
    }
}

impl Limits {
    /// These queues.
    pub fn new(queues: Vec<QueueLimits>) -> Self {
        let of = |kind: QueueOf| queues.iter().filter(move |queue| queue.of == kind);
        let highest = KINDS.map(|kind| of(kind).map(|queue| queue.priority).fold(0.0, f64::max));
        let apart = KINDS.iter().filter(|&&kind| of(kind).next().is_some()).count() <= 1;
        let lines = queues.into_iter().map(|limits| Line { limits, used: Use::default() }).collect();
        Limits { lines, highest, apart, shares: OrderedMap::new() }
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
    pub fn forbids(&self, job: &Job) -> Option<(Limit, &str)> {
        let met = |place| Some((self.at(place).forbids(job)?, self.at(place).limits.name.as_str()));
        self.places(job).each().find_map(met)
    }

    /// The limit that keeps a job of a share from running now, and the name of its queue.
    fn holds(&self, share: &Share, id: JobId, places: Places, procs: u64) -> Option<(Limit, &str)> {
        places.each().find_map(|place| {
            let line = self.at(place);
            let ahead = if line.limits.max_queued_per_user.is_some() { share.ahead(place, id) } else { 0 };
            Some((line.holds(share.used(place), procs, ahead)?, line.limits.name.as_str()))
        })
    }

    /// A job comes to wait: the limit that holds it back and the name of its queue, or `None` if it
    /// is considered at once.
    pub fn submitted(&mut self, id: JobId, job: &Job) -> Option<(Limit, &str)> {
        let (places, procs) = (self.places(job), u64::from(job.procs));
        if places.none() {
            return None;
        }
        let key = self.key(places, job.user);
        let share = self.shares.remove(&key).unwrap_or_default();
        // one that waits again stands before later jobs, and all that are considered count
        let considered = self.holds(&share, JobId(u32::MAX), places, procs).is_none();
        let share = self.shares.entry(key).or_insert(share);
        share.waiting.insert(id, Held { procs, places, considered });
        if considered { None } else { self.holds(&self.shares[&key], JobId(u32::MAX), places, procs) }
    }

    /// The limit that holds a waiting job back now, if one does, and the name of its queue.
    pub fn holds_back(&self, id: JobId, job: &Job) -> Option<(Limit, &str)> {
        let places = self.places(job);
        let share = self.shares.get(&self.key(places, job.user))?;
        let held = share.waiting.get(&id)?;
        if held.considered { None } else { self.holds(share, id, places, held.procs) }
    }

    /// A job that was considered has started. Gives the jobs that are released, and those that are
    /// held again.
    pub fn started(&mut self, id: JobId, job: &Job, turns: &mut Vec<HoldChange>) {
        self.change(job, turns, |share| _ = share.waiting.remove(&id), Some(Use::start));
    }

    /// A job that waits is cancelled. Gives the jobs that are released.
    pub fn withdrawn(&mut self, id: JobId, job: &Job, turns: &mut Vec<HoldChange>) {
        self.change(job, turns, |share| _ = share.waiting.remove(&id), None);
    }

    /// A running job has ended. Gives the jobs that are released.
    pub fn ended(&mut self, job: &Job, turns: &mut Vec<HoldChange>) {
        self.change(job, turns, |_| {}, Some(Use::end));
    }

    fn change(
        &mut self,
        job: &Job,
        turns: &mut Vec<HoldChange>,
        change: impl FnOnce(&mut Share),
        count: Option<fn(&mut Use, u64)>,
    ) {
        let (places, procs) = (self.places(job), u64::from(job.procs));
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
            count(used, procs);
            if used.jobs == 0 {
                share.used.remove(&place);
            }
            let line = &mut self.lines[usize::from(place)];
            let before = line.used;
            count(&mut line.used, procs);
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
                self.at(place).holds(share.used(place), held.procs, before).is_some()
            };
            let now = !held.places.each().any(holds);
            if now {
                let counted = |place: &u16| self.at(*place).limits.max_queued_per_user.is_some();
                held.places.each().filter(counted).for_each(|place| *ahead.entry(place).or_default() += 1);
            }
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
