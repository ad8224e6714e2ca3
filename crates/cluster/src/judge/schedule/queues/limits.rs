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
}

impl LimitMeasure {
    /// The amount of a run.
    pub(super) fn of(self, row: &Row) -> u64 {
        match self {
            LimitMeasure::Jobs => 1,
            LimitMeasure::Procs => u64::from(row.procs),
        }
    }

    fn name(self) -> &'static str {
        match self {
            LimitMeasure::Jobs => "jobs",
            LimitMeasure::Procs => "processors",
        }
    }
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
    /// The most processors of a job.
    pub largest: Option<u64>,
    /// The most that its runs may have together.
    pub bounds: Vec<LimitBound>,
    /// The most waiting jobs of a user that are considered, the earliest ones.
    pub considered: Option<u64>,
}

impl LimitedQueue {
    /// Limit that a job exceeds by itself.
    fn forbids(&self, row: &Row, asks_for_time: bool) -> Option<String> {
        let over = |most: u64, amount: u64| amount > most;
        let too_long = self.longest.filter(|&most| asks_for_time && row.estimate > most);
        let too_large = self.largest.filter(|&most| over(most, u64::from(row.procs)));
        let bound = self.bounds.iter().find(|bound| over(bound.most, bound.measure.of(row)));
        let what = too_long.map(|most| format!("requests of {most}"));
        let what = what.or_else(|| too_large.map(|most| format!("jobs of {most} processors")));
        what.or_else(|| bound.map(|bound| bound.words()))
    }
}

/// All queues of a policy, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LimitedQueues(pub Vec<LimitedQueue>);

impl LimitedQueues {
    /// Returns true if some limit may hold jobs back.
    pub fn hold(&self) -> bool {
        self.in_turns() || self.0.iter().any(|queue| !queue.bounds.is_empty())
    }

    /// Returns true if in some queue only some waiting jobs of a user are considered.
    pub fn in_turns(&self) -> bool {
        self.0.iter().any(|queue| queue.considered.is_some())
    }

    /// Returns true if there is any limit.
    pub(in crate::judge::schedule) fn limit(&self) -> bool {
        self.hold() || self.0.iter().any(|queue| queue.longest.is_some() || queue.largest.is_some())
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
    pub(in crate::judge::schedule) fn forbids(&self, job: &Job, row: &Row) -> Option<(&str, String)> {
        let asked = row.requested.map_or((row.procs, row.estimate), |asked| (asked.procs, asked.estimate));
        let row = Row { procs: asked.0, estimate: asked.1, requested: None, ..row.clone() };
        let queues = self.places(job).into_iter().map(|place| &self.0[place]);
        let mut met =
            queues.filter_map(|queue| Some((queue.name.as_str(), queue.forbids(&row, job.asks_for_time())?)));
        met.next()
    }
}
