//! Execution of jobs on nodes: the plain account of a run at detail `task`.
//!
//! The nodes fill it in while they run; [`task_metrics`](super::task_metrics) and the sinks read it
//! after the run. Times of processors are kept twice, by processor and by job: the first adds up to
//! the length of the run exactly, the second says what the time was for.

use std::cmp::Ordering;

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::stats::Table;
use crate::kernel::{SimDuration, SimTime};

use super::profile::Spent;
use super::timeline::Timeline;

/// Counts of what happens to the tasks of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Messages sent.
    pub messages: u64,
    /// Times that a task gave up its processor until a message came.
    pub blocks: u64,
    /// Times that a task that spun gave its processor to another.
    pub yields: u64,
    /// Interrupts serviced for its tasks.
    pub interrupts: u64,
    /// Times that a task was put at the front of its run queue, by a message or by the boost
    /// daemon.
    pub boosts: u64,
    /// Times that a task was put on a processor.
    pub dispatches: u64,
    /// Dispatches before which another task had the processor, so that a context switch was made.
    pub switches: u64,
    /// Waits for a message that began while the counterpart did not run, and that ended with its
    /// dispatch.
    pub skewed_waits: u64,
    /// Time from the beginning of those waits to the dispatch of the counterpart \[ns\].
    pub skew: u128,
    /// Frames, or periods, that were due.
    pub due: u64,
    /// Frames that were over after their deadline.
    pub missed: u64,
    /// Pairs of successive frames of the job.
    pub pairs: u64,
    /// Sum of the differences between the response times of successive frames \[ns\].
    pub jitter: u128,
}

impl Counts {
    /// Adds all of another's counts.
    pub fn merge(&mut self, other: &Counts) {
        self.messages += other.messages;
        self.blocks += other.blocks;
        self.yields += other.yields;
        self.interrupts += other.interrupts;
        self.boosts += other.boosts;
        self.dispatches += other.dispatches;
        self.switches += other.switches;
        self.skewed_waits += other.skewed_waits;
        self.skew += other.skew;
        self.due += other.due;
        self.missed += other.missed;
        self.pairs += other.pairs;
        self.jitter += other.jitter;
    }
}

/// Account of the execution of a job.
#[derive(Clone, PartialEq, Debug)]
pub struct Execution {
    /// The job.
    pub job: JobId,
    /// Time of processors while its tasks had them, or while those that ran interrupted
    /// them.
    pub spent: Spent,
    /// Counts of events of its tasks.
    pub counts: Counts,
    /// Instant at which the first of its tasks ran first.
    pub first_dispatch: Option<SimTime>,
    /// Computing of all its tasks in each whole window since its start \[s\]; empty if that was not
    /// recorded.
    pub pace: Table,
}

/// Computing by window of time since the start of a job.
///
/// Only windows in which a span begins or ends are kept, and how many spans fill each of those
/// between: memory grows with what the tasks do, and not with the time that passes.
#[derive(Clone, Debug)]
pub struct Pace {
    start: SimTime,
    window: SimDuration,
    /// The window that was added to last, and its sum [ns].
    latest: (u64, u64),
    /// The other windows that are filled in part [ns].
    sums: OrderedMap<u64, u64>,
    /// From which window on how many more spans fill whole windows, or how many fewer.
    filling: OrderedMap<u64, i64>,
}

impl Pace {
    /// Nothing computed yet, from `start` on; `window` is above zero.
    pub fn new(start: SimTime, window: SimDuration) -> Self {
        Pace { start, window, latest: (0, 0), sums: OrderedMap::new(), filling: OrderedMap::new() }
    }

    /// Computing for the `span` that ends `now`. Spans of several tasks may come in any order.
    pub fn computed(&mut self, span: SimDuration, now: SimTime) {
        let window = self.window.as_nanos();
        let end = now.since(self.start).as_nanos();
        let from = end - span.as_nanos();
        let (first, last) = (from / window, end / window);
        if first == last {
            self.add(first, end - from);
            return;
        }
        // to the end of the first window, which may be all of it, and in the last one
        self.add(first, (first + 1) * window - from);
        if end > last * window {
            self.add(last, end - last * window);
        }
        if last > first + 1 {
            *self.filling.entry(first + 1).or_insert(0) += 1;
            *self.filling.entry(last).or_insert(0) -= 1;
        }
    }

    fn add(&mut self, place: u64, nanos: u64) {
        match place.cmp(&self.latest.0) {
            Ordering::Equal => self.latest.1 += nanos,
            Ordering::Greater => {
                let (before, sum) = std::mem::replace(&mut self.latest, (place, nanos));
                *self.sums.entry(before).or_insert(0) += sum;
            }
            Ordering::Less => *self.sums.entry(place).or_insert(0) += nanos,
        }
    }

    /// The windows that are whole when the job ends, or is looked at, at `end` \[s\].
    pub fn whole(&self, end: SimTime) -> Table {
        let window = self.window.as_nanos();
        let count = end.since(self.start).as_nanos() / window;
        let mut table = Table::new();
        let (mut next, mut spans) = (0, 0_i64);
        let mut filling = self.filling.iter().peekable();
        let mut until = |place: u64, table: &mut Table| {
            let filled = |spans: i64| SimDuration::from_nanos(window * spans as u64).as_secs_f64();
            while let Some((&change, more)) = filling.next_if(|(change, _)| **change <= place) {
                table.record_times(filled(spans), change.saturating_sub(next));
                (next, spans) = (next.max(change), spans + more);
            }
            table.record_times(filled(spans), place.saturating_sub(next));
            next = place + 1;
            window * spans as u64
        };
        let latest = (!self.sums.contains_key(&self.latest.0)).then_some((&self.latest.0, &self.latest.1));
        for (&place, &sum) in self.sums.range(..count).chain(latest.filter(|(place, _)| **place < count)) {
            let nanos = until(place, &mut table) + sum;
            table.record(SimDuration::from_nanos(nanos).as_secs_f64());
        }
        until(count, &mut table);
        table
    }
}

/// Time of every processor up to an instant, by activity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The instant.
    pub at: SimTime,
    /// By processor.
    pub processors: Vec<Spent>,
}

/// Time of the processors by activity, and the account of the execution of each job.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ExecutionProfile {
    /// By processor, in the order of nodes: every nanosecond from `from` to `to` in exactly one
    /// activity.
    pub processors: Vec<Spent>,
    /// The node of each processor.
    pub nodes: Vec<u32>,
    /// By job, in the order of their ends; then those that were running, in the order of their
    /// starts.
    pub jobs: Vec<Execution>,
    /// Instant at which the account began.
    pub from: SimTime,
    /// Instant at which it was closed.
    pub to: SimTime,
    /// The beginning of what is observed, if that is not `from`.
    pub mark: Option<Mark>,
    /// True if a time of a task, a latency or a phase was drawn: if none was, every replication is
    /// the same.
    pub drew: bool,
    /// Timeline of every processor, if that was recorded.
    pub timeline: Option<Timeline>,
}

impl ExecutionProfile {
    /// Start of the observation: the end of the warm-up, or the first job.
    pub fn observed_from(&self) -> SimTime {
        self.mark.as_ref().map_or(self.from, |mark| mark.at)
    }

    /// Time of each processor by activity while it was observed; the spans of each add up to
    /// that time.
    pub fn observed(&self) -> impl Iterator<Item = Spent> {
        let before = self.mark.as_ref().map_or(&[][..], |mark| &mark.processors);
        self.processors.iter().enumerate().map(|(place, spent)| match before.get(place) {
            Some(before) => spent.since(before),
            None => *spent,
        })
    }

    /// Time of all processors by activity while they were observed.
    pub fn total(&self) -> Spent {
        let mut total = Spent::default();
        self.observed().for_each(|spent| total.merge(&spent));
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> SimDuration {
        SimDuration::from_millis(millis)
    }

    fn at(millis: u64) -> SimTime {
        SimTime::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn computing_is_divided_among_the_windows_it_lies_in() {
        let mut pace = Pace::new(at(500), ms(1000));
        // 1500..3000 of the job's time, and a second task 0..200, reported later
        pace.computed(ms(1500), at(3500));
        pace.computed(ms(200), at(700));
        let whole = pace.whole(at(4200));
        // windows 0.2, 0.5, 1.0; the fourth is not whole
        assert_eq!((whole.count(), whole.min(), whole.max()), (3, Some(0.2), Some(1.0)));
        assert!((whole.mean().expect("three") - 1.7 / 3.0).abs() < 1e-15);
        assert_eq!(pace.whole(at(1400)).count(), 0, "no window is whole");
        assert_eq!(pace.whole(at(6500)).min(), Some(0.0), "a window without computing is one");
    }

    #[test]
    fn windows_are_as_if_each_were_kept() {
        let mut state = 7_u64;
        let mut draw = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % end
        };
        for _ in 0..200 {
            let mut pace = Pace::new(at(0), ms(10));
            let mut sums = vec![0_u64; 100];
            for _ in 0..draw(20) {
                let end = draw(1000);
                let from = end - draw(end + 1);
                pace.computed(ms(end - from), at(end));
                (from..end).for_each(|milli| sums[milli as usize / 10] += 1);
            }
            let end = draw(1000);
            let mut expected = Table::new();
            let whole = &sums[..end as usize / 10];
            whole.iter().for_each(|&millis| expected.record(ms(millis).as_secs_f64()));
            assert_eq!(pace.whole(at(end)), expected, "{sums:?} to {end}");
        }
    }

    #[test]
    fn a_window_in_which_nothing_happens_takes_no_memory_and_no_time() {
        let second = |secs: u64| SimTime::from_nanos(secs * 1_000_000_000);
        let mut pace = Pace::new(at(0), ms(1));
        pace.computed(SimDuration::from_secs(4_000_000_000), second(4_000_000_000));
        pace.computed(ms(1), second(8_000_000_000));
        assert!(pace.sums.len() + pace.filling.len() <= 5);
        let whole = pace.whole(second(8_000_000_000));
        assert_eq!((whole.count(), whole.min(), whole.max()), (8_000_000_000_000, Some(0.0), Some(0.001)));
        assert!((whole.mean().expect("many") - 0.0005).abs() < 1e-12);
    }

    #[test]
    fn what_was_before_the_mark_is_not_observed() {
        use super::super::profile::Activity;
        let mut spent = Spent::default();
        spent.add(Activity::Compute, ms(3));
        let before = spent;
        spent.add(Activity::Spin, ms(4));
        let profile = ExecutionProfile {
            processors: vec![spent],
            nodes: vec![0],
            to: at(7),
            ..ExecutionProfile::default()
        };
        assert_eq!((profile.total().total(), profile.observed_from()), (7_000_000, SimTime::ZERO));
        let mark = Some(Mark { at: at(3), processors: vec![before] });
        let marked = ExecutionProfile { mark, ..profile };
        assert_eq!((marked.total().of(Activity::Compute), marked.total().total()), (0, 4_000_000));
    }
}
