//! The jobs of a run at detail `job`, separated by queue, partition, user, group, or by a text that
//! the input states of them: account, quality of service, class.
//!
//! | metric of a class | definition |
//! |---|---|
//! | jobs.completed | observed jobs that ended by themselves |
//! | wait-time.mean, response-time.mean, slowdown.mean, bounded-slowdown.mean | as of all jobs |
//!
//! and of the run `fairness`, the coefficient of variation of the mean response times of its
//! classes; lower is fairer ("ClusterSchedSim", SIMULATION 80(4-5), 2004, section 6). Classes are
//! in order of their numbers, texts in the order in which they come up; jobs of which neither is
//! known are the last one.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::stats::{Table, ratio};
use crate::measure::class::Class;
use crate::measure::family::{Family, families};
use crate::measure::metric::Metric;
use crate::workload::{Attribute, Job, Labels, UNKNOWN_ID};

use super::metric::{NANOS_PER_SEC, counted, real};
use super::observations::{CLUSTERSCHEDSIM, OBSERVED};
use super::run::{FinishedRun, Observed};
use super::task_metrics::unevenness;

/// The metric that a run has besides its classes.
pub(super) const FAMILIES: &[Family] = &families! {
    "fairness" [] Lower, OBSERVED =>
        "coefficient of variation of the mean response times of the classes; 0 is the fairest",
        shown "jobs have classes (`record.classes`), or detail is `task`", source CLUSTERSCHEDSIM;
};

/// Attribute that separates jobs into classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    /// Queues of the jobs.
    Queue,
    /// Partitions of the jobs.
    Partition,
    /// Users of the jobs.
    User,
    /// The groups of their users.
    Group,
    /// Accounts that are charged.
    Account,
    /// Qualities of service.
    Qos,
    /// Classes, in the words of the input.
    Class,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            By::Queue => "queue",
            By::Partition => "partition",
            By::User => "user",
            By::Group => "group",
            By::Account => "account",
            By::Qos => "qos",
            By::Class => "class",
        }
    }

    /// The attribute of the input that it is, if it is one.
    pub fn attribute(self) -> Option<Attribute> {
        match self {
            By::Queue | By::Partition | By::User | By::Group => None,
            By::Account => Some(Attribute::Account),
            By::Qos => Some(Attribute::Qos),
            By::Class => Some(Attribute::Class),
        }
    }

    /// The number of the class of the job at a place, if it is known.
    fn of(self, run: &FinishedRun<'_>, id: JobId, job: &Job) -> Option<u32> {
        let known = |id: u32| (id != UNKNOWN_ID).then_some(id);
        match self {
            By::Queue => job.queue().map(u32::from),
            By::Partition => job.partition().map(u32::from),
            By::User => known(job.user),
            By::Group => known(job.group),
            By::Account | By::Qos | By::Class => self.labels(run)?.number(id.index()),
        }
    }

    fn labels<'a>(self, run: &FinishedRun<'a>) -> Option<&'a Labels> {
        run.record.attributes().labels(self.attribute()?)
    }

    /// Name of the class of a number. No text is taken for what is not known.
    fn class(self, run: &FinishedRun<'_>, number: Option<u32>) -> String {
        match (number, self.labels(run)) {
            (Some(number), Some(labels)) => format!("{}-{}", self.name(), labels.names()[number as usize]),
            (Some(number), None) => format!("{}-{number}", self.name()),
            (None, None) => format!("{}-unknown", self.name()),
            (None, Some(_)) => format!("no-{}", self.name()),
        }
    }
}

/// Sums over the jobs of a class.
#[derive(Default)]
struct Sums {
    completed: u64,
    all: u128,
    wait: u128,
    response: u128,
    slowdown: Table,
    bounded: Table,
}

impl Sums {
    fn add(&mut self, job: &Observed) {
        self.completed += u64::from(!job.killed);
        self.all += 1;
        self.wait += u128::from(job.wait.as_nanos());
        self.response += u128::from(job.response.as_nanos());
        self.slowdown.record(job.slowdown());
        self.bounded.record(job.bounded_slowdown());
    }
}

/// The classes of a run with their figures, and its fairness; `None` for fewer than two classes of
/// which jobs are observed.
///
/// # Complexity
/// Linear in the jobs, with a search among the classes for each.
pub fn by_class(run: &FinishedRun<'_>, by: By) -> (Vec<Class>, Option<f64>) {
    let mut sums: OrderedMap<(bool, u32), Sums> = OrderedMap::new();
    for (id, job) in run.observed() {
        let number = by.of(run, id, job);
        let key = (number.is_none(), number.unwrap_or_default());
        sums.entry(key).or_default().add(&run.observe(id, job));
    }
    let fairness = unevenness(sums.values().map(|sums| (sums.response, sums.all)));
    let class = |((unknown, number), sums): (&(bool, u32), &Sums)| {
        let mean = |sum: u128| Some(ratio(sum, sums.all * NANOS_PER_SEC));
        let metrics = vec![
            counted("jobs.completed", sums.completed),
            real("wait-time.mean", mean(sums.wait)),
            real("response-time.mean", mean(sums.response)),
            real("slowdown.mean", sums.slowdown.mean()),
            real("bounded-slowdown.mean", sums.bounded.mean()),
        ];
        Class { name: by.class(run, (!unknown).then_some(*number)), metrics }
    };
    (sums.iter().map(class).collect(), fairness)
}

/// The metric that a run has besides its classes.
pub fn fairness(found: Option<f64>) -> Metric {
    real("fairness", found)
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::instrument::{Reason, Record};
    use crate::kernel::stats::WarmUp;
    use crate::kernel::{SimDuration, SimTime};
    use crate::workload::{Attributes, Stated};

    use super::*;

    #[test]
    fn texts_are_classes_in_the_order_in_which_they_come_up() {
        let accounts = [Some("zoo"), None, Some("unknown"), Some("zoo")];
        let mut attributes = Attributes::keeping(&[Attribute::Account]);
        accounts.iter().for_each(|&account| attributes.push(&Stated { account, ..Stated::default() }));
        let jobs = vec![Job::new(1, SimTime::ZERO, 1, SimDuration::from_secs(10)); 4];
        let mut record = Record::new(4).of_jobs_with(attributes.into());
        for place in 0..4 {
            record.started(JobId(place), SimTime::ZERO, &[Interval::new(place, place)], Reason::Head);
            record.ended(JobId(place), SimTime::from_nanos(10_000_000_000));
        }
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 4, until: None, warm_up: WarmUp::None };
        let (classes, _) = by_class(&run, By::Account);
        let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
        assert_eq!(names, ["account-zoo", "account-unknown", "no-account"]);
        let (classes, _) = by_class(&run, By::Qos);
        assert_eq!((classes.len(), classes[0].name.as_str()), (1, "qos-unknown"));
    }

    #[test]
    fn two_users_and_an_unknown_one_by_hand() {
        let at = |secs: u64| SimTime::from_nanos(secs * 1_000_000_000);
        // (user, start, run time), all submitted at 0: responses 30 and 10 of user 7, 40 of user 2,
        // 10 of no user
        let rows = [(7, 10, 20), (2, 20, 20), (7, 0, 10), (UNKNOWN_ID, 0, 10)];
        let (mut jobs, mut record) = (Vec::new(), Record::new(rows.len()));
        for (place, &(user, start, run)) in (0..).zip(&rows) {
            let mut job = Job::new(1, at(0), 1, SimDuration::from_secs(run));
            job.user = user;
            jobs.push(job);
            record.started(JobId(place), at(start), &[Interval::new(0, 0)], Reason::Head);
            record.ended(JobId(place), at(start + run));
        }
        let run = FinishedRun { jobs: &jobs, record: &record, procs: 4, until: None, warm_up: WarmUp::None };
        let (classes, found) = by_class(&run, By::User);
        let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
        assert_eq!(names, ["user-2", "user-7", "user-unknown"]);
        let of = |class: usize, name: &str| {
            classes[class].metrics.iter().find(|metric| metric.name == name).expect("a metric").number()
        };
        assert_eq!((of(0, "wait-time.mean"), of(1, "wait-time.mean")), (Some(20.0), Some(5.0)));
        assert_eq!((of(1, "response-time.mean"), of(1, "slowdown.mean")), (Some(20.0), Some(1.25)));
        // means 40, 20 and 10: mean 70/3, variance 1400/9
        let expected = (1400.0_f64 / 9.0).sqrt() / (70.0 / 3.0);
        assert!(found.is_some_and(|found| (found - expected).abs() < 1e-12), "{found:?}");
        let (classes, found) = by_class(&run, By::Queue);
        assert_eq!((classes.len(), classes[0].name.as_str(), found), (1, "queue-unknown", None));
    }
}
