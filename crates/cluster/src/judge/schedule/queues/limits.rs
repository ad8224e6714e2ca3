//! Queues and their limits, as a scenario has them.

use crate::kernel::SimDuration;
use crate::workload::Job;

use super::super::Row;

/// Number of a job by which it belongs to a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueueNumber {
    /// Number of its queue.
    Queue,
    /// Number of its partition.
    Partition,
    /// Number of its quality of service.
    Qos,
}

impl QueueNumber {
    /// Number of a job, if its input states one.
    pub(in crate::judge::schedule) fn of(self, job: &Job) -> Option<u16> {
        match self {
            QueueNumber::Queue => job.queue(),
            QueueNumber::Partition => job.partition(),
            QueueNumber::Qos => job.qos(),
        }
    }
}

/// The lists of queues: a job is in one of each at most.
const LISTS: [QueueNumber; 3] = [QueueNumber::Queue, QueueNumber::Partition, QueueNumber::Qos];

/// Something that a limit counts of the runs of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LimitMeasure {
    /// Runs.
    Jobs,
    /// Processors that they hold.
    Procs,
    /// Nodes that they have processors of, each for each of its runs.
    Nodes,
    /// GPUs that they hold, parts in proportion.
    Gpus,
}

impl LimitMeasure {
    fn name(self) -> &'static str {
        match self {
            LimitMeasure::Jobs => "jobs",
            LimitMeasure::Procs => "processors",
            LimitMeasure::Nodes => "nodes",
            LimitMeasure::Gpus => "GPUs",
        }
    }
}

/// Amounts of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::judge::schedule) struct Counted {
    pub(super) procs: u64,
    pub(super) nodes: u64,
    /// GPUs in common parts, of which a whole one has so many.
    pub(super) gpus: u64,
    pub(super) whole_gpu: u64,
}

impl Counted {
    pub(super) fn of(&self, measure: LimitMeasure) -> u64 {
        match measure {
            LimitMeasure::Jobs => 1,
            LimitMeasure::Procs => self.procs,
            LimitMeasure::Nodes => self.nodes,
            LimitMeasure::Gpus => self.gpus,
        }
    }

    /// The amount that a limit grants, of GPUs in common parts.
    pub(super) fn most(&self, measure: LimitMeasure, most: u64) -> u64 {
        if measure == LimitMeasure::Gpus { most.saturating_mul(self.whole_gpu) } else { most }
    }

    /// Common parts of GPUs that it counts more than another does.
    pub(super) fn more_gpus(&self, other: &Counted) -> u64 {
        self.gpus.saturating_sub(other.gpus)
    }
}

/// Amounts that a job counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::judge::schedule) struct RunCounts {
    /// While it waits.
    pub(super) needs: Counted,
    /// While it runs.
    pub(super) has: Counted,
    /// Nodes that it cannot exceed if it starts on as few as hold it then.
    pub(super) most_nodes: u64,
}

/// The most that runs of a queue may have together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitBound {
    /// Something that is counted.
    pub measure: LimitMeasure,
    /// True if it is that of the runs of one user.
    pub per_user: bool,
    /// The most.
    pub most: u64,
}

impl LimitBound {
    pub(super) fn words(self) -> String {
        let whose = if self.per_user { "of a user " } else { "" };
        format!("{} {} {whose}at a time", self.most, self.measure.name())
    }
}

/// A queue with its limits.
#[derive(Clone, PartialEq, Debug)]
pub struct LimitedQueue {
    /// Name in messages.
    pub name: String,
    /// Number by which jobs belong to it.
    pub of: QueueNumber,
    /// Numbers of its jobs; none: all that no other queue of this kind lists.
    pub numbers: Vec<u16>,
    /// Priority beside other queues of its kind.
    pub priority: f64,
    /// The longest request.
    pub longest: Option<SimDuration>,
    /// The most processors, nodes or GPUs of a job.
    pub largest: Vec<(LimitMeasure, u64)>,
    /// The most that its runs may have together.
    pub bounds: Vec<LimitBound>,
    /// The most waiting jobs of a user that are considered, the earliest ones.
    pub considered: Option<u64>,
}

impl LimitedQueue {
    /// Limit that a job exceeds by itself.
    fn forbids(&self, row: &Row, asks_for_time: bool, needs: Counted) -> Option<String> {
        let too_long = self.longest.filter(|&most| asks_for_time && row.estimate > most);
        let what = too_long.map(|most| format!("requests of {most}"));
        let what = what.or_else(|| self.too_large(needs));
        let bound =
            self.bounds.iter().find(|bound| needs.of(bound.measure) > needs.most(bound.measure, bound.most));
        what.or_else(|| bound.map(|bound| bound.words()))
    }

    /// The size of a job that one of such amounts exceeds.
    pub(super) fn too_large(&self, amounts: Counted) -> Option<String> {
        let met =
            self.largest.iter().find(|(measure, most)| amounts.of(*measure) > amounts.most(*measure, *most));
        met.map(|(measure, most)| format!("jobs of {most} {}", measure.name()))
    }

    /// Nodes that its limits leave to a job that may have no more, if some are about them.
    pub(super) fn nodes_left(&self, used: impl Fn(usize) -> u64) -> Option<u64> {
        let is_of_nodes = |measure: LimitMeasure| measure == LimitMeasure::Nodes;
        let of_job = self.largest.iter().filter(|one| is_of_nodes(one.0)).map(|one| one.1);
        let of_all = self.bounds.iter().enumerate().filter(|(_, bound)| is_of_nodes(bound.measure));
        of_job.chain(of_all.map(|(index, bound)| bound.most.saturating_sub(used(index)))).min()
    }
}

/// All queues of a policy, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LimitedQueues(pub Vec<LimitedQueue>);

impl LimitedQueues {
    /// Returns true if some limit may hold jobs back: one of the nodes of a job does where it finds
    /// room on more.
    pub fn hold(&self) -> bool {
        let holds = |queue: &LimitedQueue| !queue.bounds.is_empty() || queue.nodes_left(|_| 0).is_some();
        self.in_turns() || self.0.iter().any(holds)
    }

    /// Returns true if in some queue only some waiting jobs of a user are considered.
    pub fn in_turns(&self) -> bool {
        self.0.iter().any(|queue| queue.considered.is_some())
    }

    /// Returns true if there is any limit.
    pub(in crate::judge::schedule) fn limit(&self) -> bool {
        self.hold() || self.0.iter().any(|queue| queue.longest.is_some() || !queue.largest.is_empty())
    }

    /// Returns true if some limit is about nodes or GPUs.
    pub(in crate::judge::schedule) fn count_nodes(&self) -> bool {
        let counts = |measure: LimitMeasure| matches!(measure, LimitMeasure::Nodes | LimitMeasure::Gpus);
        let of_queue = |queue: &LimitedQueue| {
            let of_jobs = queue.largest.iter().map(|one| one.0);
            of_jobs.chain(queue.bounds.iter().map(|bound| bound.measure)).any(counts)
        };
        self.0.iter().any(of_queue)
    }

    /// Returns true if all queues are of one list.
    pub(super) fn are_one_list(&self) -> bool {
        self.0.windows(2).all(|pair| pair[0].of == pair[1].of)
    }

    fn place_in(&self, list: QueueNumber, job: &Job) -> Option<usize> {
        let number = list.of(job);
        let of_list = || self.0.iter().enumerate().filter(|(_, queue)| queue.of == list);
        let lists = |queue: &LimitedQueue| number.is_some_and(|number| queue.numbers.contains(&number));
        let found = of_list().find(|(_, queue)| lists(queue));
        found.or_else(|| of_list().find(|(_, queue)| queue.numbers.is_empty())).map(|(place, _)| place)
    }

    /// Places of the queues of a job.
    pub(super) fn places(&self, job: &Job) -> Vec<usize> {
        LISTS.iter().filter_map(|&list| self.place_in(list, job)).collect()
    }

    /// Priority of the queue of a job in a list, as a share of the highest in it.
    pub(super) fn priority(&self, list: QueueNumber, job: &Job) -> f64 {
        let of_list = self.0.iter().filter(|queue| queue.of == list);
        let highest = of_list.map(|queue| queue.priority).fold(0.0, f64::max);
        let place = self.place_in(list, job).filter(|_| highest > 0.0);
        place.map_or(0.0, |place| self.0[place].priority / highest)
    }

    /// The queue whose limit a job exceeds by itself, and that limit: such a job is rejected.
    pub(in crate::judge::schedule) fn forbids(
        &self,
        job: &Job,
        row: &Row,
        needs: impl FnOnce(&Row) -> Counted,
    ) -> Option<(&str, String)> {
        let asked = row.requested.map_or((row.procs, row.estimate), |asked| (asked.procs, asked.estimate));
        let row = Row { procs: asked.0, estimate: asked.1, requested: None, ..row.clone() };
        let needs = needs(&row);
        let queues = self.places(job).into_iter().map(|place| &self.0[place]);
        let mut met = queues.filter_map(|queue| {
            Some((queue.name.as_str(), queue.forbids(&row, job.asks_for_time(), needs)?))
        });
        met.next()
    }
}
