//! Cohorts: what a run is about, one by one, as statistics of any system read it after the run.
//!
//! A cohort is a series of subjects in the system's own order: jobs, workflows, tasks, calls,
//! customers. Of each it says when it came, when its service began, when it left, and how much work
//! it asks for. From that alone the floor finds saturation and a warm-up that is not
//! over ([`signs`](super::signs)), in every system alike. Of values of which metrics are means
//! it fills batches, which half-widths are found from ([`half_widths`](super::half_widths)).
//! Nothing is copied: a cohort walks over the record that the run has anyway, as often as it is
//! asked.

use crate::kernel::stats::{BatchMeans, WarmUp};
use crate::kernel::{SimDuration, SimTime};

use super::family::Family;
use super::metric::{Metric, Value, part_of};
use super::signs::is_stream;

/// One of what a run is about.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Subject {
    /// Arrival of the subject.
    pub begin: SimTime,
    /// Start of its service. Of what is served in turns with others, its end less the time that it
    /// takes alone; of what was interrupted, its last start less the time for which it was served
    /// before. `None` if it was not served.
    pub served: Option<SimTime>,
    /// Departure of the subject; `None` if it had not left when the run ended.
    pub end: Option<SimTime>,
    /// Work that it asks for [capacity × s].
    pub area: f64,
    /// Class of the subject, where the system has classes; else 0.
    pub class: u16,
    /// True if the subject came to its end, so that means are over it.
    pub done: bool,
}

impl Subject {
    /// A subject of no class that came to its end if it left.
    pub fn new(begin: SimTime, served: Option<SimTime>, end: Option<SimTime>, area: f64) -> Self {
        Subject { begin, served, end, area, class: 0, done: end.is_some() }
    }

    /// A subject that others share the service with: it began so late that, `alone` from then on,
    /// it would have left as it did.
    pub fn shared(begin: SimTime, end: Option<SimTime>, alone: SimDuration, area: f64) -> Self {
        let late = end.map(|end| end.since(begin).saturating_sub(alone));
        Subject::new(begin, late.map(|late| begin.saturating_add(late)), end, area)
    }

    /// Duration of the wait; `None` if the subject was not served.
    pub fn waited(&self) -> Option<SimDuration> {
        self.served.map(|served| served.since(self.begin))
    }

    /// End of the wait: the start of service, or else the departure; the end of time if neither
    /// came.
    pub fn waits_until(&self) -> SimTime {
        self.served.or(self.end).unwrap_or(SimTime::MAX)
    }
}

/// The subjects of a run, in the system's own order.
pub trait Cohort {
    /// Work that can be done in a second, in the unit of [`Subject::area`] per second; `None` if
    /// there is no such bound.
    fn capacity(&self) -> Option<f64>;

    /// Shows every subject that came before the run ended, those of a warm-up too.
    fn each(&self, see: &mut dyn FnMut(&Subject));

    /// Metrics that are means over the subjects and have half-widths: one for each kind of values.
    fn means(&self) -> &'static [&'static str] {
        &[]
    }

    /// Batches of the values that each of these metrics is the mean of: those of the subjects that
    /// `warm_up` leaves and that came to their end, in the cohort's own order.
    fn batches(&self, _warm_up: WarmUp) -> Vec<BatchMeans> {
        Vec::new()
    }
}

/// A cohort that is kept as a list, with values of several kinds.
///
/// Its means have half-widths where its subjects come as a stream: a set of work that is there from
/// the beginning is no sample of anything that goes on.
#[derive(Clone, Debug, Default)]
pub struct ListedCohort {
    capacity: Option<f64>,
    subjects: Vec<Subject>,
    means: &'static [&'static str],
    /// Values of the subjects, a row each; not a number where a subject has none.
    values: Vec<f64>,
}

impl ListedCohort {
    /// A cohort without subjects, with the work that can be done in a second and the metrics that
    /// are means of its values.
    pub fn new(capacity: Option<f64>, means: &'static [&'static str]) -> Self {
        ListedCohort { capacity, means, ..ListedCohort::default() }
    }

    /// The cohort of these subjects, each with its values.
    pub fn of<const N: usize>(
        capacity: Option<f64>,
        means: &'static [&'static str],
        subjects: impl IntoIterator<Item = (Subject, [Option<f64>; N])>,
    ) -> Self {
        let mut cohort = ListedCohort::new(capacity, means);
        subjects.into_iter().for_each(|(subject, values)| cohort.push(subject, &values));
        cohort
    }

    /// Counts of subjects that left with and without service, and the share of the capacity in
    /// service up to the last departure (0 to 1). The capacity is a number of servers.
    pub fn service(&self) -> [Value; 3] {
        let left = || self.subjects.iter().filter_map(|subject| Some((subject.served, subject.end?)));
        let served = left().filter(|(start, _)| start.is_some()).count();
        let busy: f64 = left().filter_map(|(start, end)| Some(end.since(start?).as_secs_f64())).sum();
        let last = left().map(|(_, end)| end).max().unwrap_or_default();
        let offered = self.capacity.unwrap_or(0.0) * last.as_secs_f64();
        let share = if offered > 0.0 { Value::Real(busy / offered) } else { Value::Nothing };
        [Value::Count(served as u64), Value::Count((left().count() - served) as u64), share]
    }

    /// Adds a subject, with a value for each of the means, or `None`.
    ///
    /// # Panics
    /// If there are more or fewer values than means.
    pub fn push(&mut self, subject: Subject, values: &[Option<f64>]) {
        assert_eq!(values.len(), self.means.len(), "a value for each of {:?}", self.means);
        self.subjects.push(subject);
        self.values.extend(values.iter().map(|value| value.unwrap_or(f64::NAN)));
    }

    /// The values of a kind of the subjects that `warm_up` leaves and that came to their end.
    fn values(&self, kind: usize, warm_up: WarmUp) -> impl Iterator<Item = f64> + '_ {
        let observed = (0..)
            .zip(&self.subjects)
            .map(move |(place, subject)| subject.done && warm_up.keeps(place, subject.begin));
        let of_kind = self.values.iter().skip(kind).step_by(self.means.len().max(1));
        of_kind
            .zip(observed)
            .filter(|(value, observed)| *observed && !value.is_nan())
            .map(|(value, _)| *value)
    }

    /// The metrics of `families` in their order, of the subjects that `warm_up` leaves. Parts of a
    /// family of which the cohort has the mean are made of its values; `others` are the values of
    /// all other metrics, in order.
    pub fn metrics(
        &self,
        families: &[Family],
        warm_up: WarmUp,
        others: impl IntoIterator<Item = Value>,
    ) -> Vec<Metric> {
        let mut others = others.into_iter();
        let mut metrics = Vec::new();
        for family in families {
            let kind = self.means.iter().position(|mean| family.has(mean));
            let mut values: Vec<f64> = kind.into_iter().flat_map(|kind| self.values(kind, warm_up)).collect();
            for (place, name) in family.names().into_iter().enumerate() {
                let value = match (kind, family.parts.get(place)) {
                    (Some(_), Some((part, _))) => {
                        part_of(&mut values, part).map_or(Value::Nothing, Value::Real)
                    }
                    _ => others.next().unwrap_or(Value::Nothing),
                };
                metrics.push(Metric { name, value, unit: family.unit });
            }
        }
        metrics
    }
}

impl Cohort for ListedCohort {
    fn capacity(&self) -> Option<f64> {
        self.capacity
    }

    fn each(&self, see: &mut dyn FnMut(&Subject)) {
        self.subjects.iter().for_each(see);
    }

    fn means(&self) -> &'static [&'static str] {
        if is_stream(self) { self.means } else { &[] }
    }

    fn batches(&self, warm_up: WarmUp) -> Vec<BatchMeans> {
        let filled = |kind: usize| {
            let mut batches = BatchMeans::default();
            self.values(kind, warm_up).for_each(|value| {
                batches.record(value);
            });
            batches
        };
        (0..self.means().len()).map(filled).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::family::{Aim, SPREAD};
    use super::*;

    const FAMILIES: &[Family] = &[
        Family::count("served", Aim::Higher, "subjects that were served", "all"),
        Family::new("wait", "s", Aim::Lower, "start - arrival", "the served").parts(SPREAD),
        Family::count("lost", Aim::Lower, "subjects that were not served", "all"),
    ];

    /// Subjects that come every so many seconds; each waits for the seconds that are given, if any.
    fn waiting(every: u64, waits: &[Option<u64>]) -> ListedCohort {
        let mut cohort = ListedCohort::new(Some(1.0), &["wait.mean"]);
        for (place, wait) in (0..).zip(waits) {
            let begin = SimTime::from_nanos(place * every * 1_000_000_000);
            let served = wait.map(|wait| begin.saturating_add(SimDuration::from_secs(wait)));
            cohort.push(Subject::new(begin, served, served, 1.0), &[wait.map(|wait| wait as f64)]);
        }
        cohort
    }

    #[test]
    fn families_of_a_mean_are_made_of_its_values_and_the_others_are_given() {
        let cohort = waiting(1, &[Some(4), None, Some(1), Some(2), Some(2)]);
        let metrics = cohort.metrics(FAMILIES, WarmUp::None, [Value::Count(4), Value::Count(1)]);
        let found: Vec<_> = metrics.iter().map(|metric| (metric.name.as_str(), metric.number())).collect();
        let [mean, median, p95, max] =
            [("wait.mean", 2.25), ("wait.median", 2.0), ("wait.p95", 4.0), ("wait.max", 4.0)]
                .map(|(name, value)| (name, Some(value)));
        assert_eq!(found, [("served", Some(4.0)), mean, median, p95, max, ("lost", Some(1.0))]);
        let cut = cohort.metrics(FAMILIES, WarmUp::Count(1), []);
        assert_eq!((cut[1].value, cut[0].value), (Value::Real(5.0 / 3.0), Value::Nothing));
        let none = waiting(1, &[None]).metrics(FAMILIES, WarmUp::None, []);
        assert!(none.iter().all(|metric| metric.value == Value::Nothing));
    }

    #[test]
    fn subjects_that_left_are_served_or_lost_and_keep_servers_busy() {
        let at = |seconds: Option<u64>| seconds.map(|seconds| SimTime::from_nanos(seconds * 1_000_000_000));
        let subject = |served, end| (Subject::new(SimTime::ZERO, at(served), at(end), 1.0), []);
        let subjects = [subject(Some(1), Some(4)), subject(None, Some(8)), subject(Some(4), None)];
        let cohort = ListedCohort::of(Some(2.0), &[], subjects);
        assert_eq!(cohort.service(), [Value::Count(1), Value::Count(1), Value::Real(3.0 / 16.0)]);
        let none = ListedCohort::new(Some(2.0), &[]).service();
        assert_eq!(none, [Value::Count(0), Value::Count(0), Value::Nothing]);
    }

    #[test]
    fn service_that_is_shared_begins_as_late_as_it_could() {
        let at = |seconds: u64| SimTime::from_nanos(seconds * 1_000_000_000);
        let shared = |end| Subject::shared(at(2), end, SimDuration::from_secs(3), 1.0);
        assert_eq!(shared(Some(at(9))), Subject::new(at(2), Some(at(6)), Some(at(9)), 1.0));
        assert_eq!((shared(Some(at(4))).served, shared(None).served), (Some(at(2)), None));
    }

    #[test]
    fn only_a_stream_has_batches_and_they_hold_what_came_to_its_end() {
        let waits: Vec<_> = (0..120).map(|place| (place % 6 > 0).then_some(place)).collect();
        let stream = waiting(1, &waits);
        assert_eq!(stream.means(), ["wait.mean"]);
        let [batches] = &stream.batches(WarmUp::Count(60))[..] else { panic!("of one mean") };
        assert_eq!((batches.batch_size(), batches.count()), (2, 50));
        let at_once = waiting(0, &waits);
        assert!(at_once.means().is_empty() && at_once.batches(WarmUp::None).is_empty());
    }
}
