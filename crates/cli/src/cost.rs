//! The cost of a study: processor time, and time by the clock, from the runs that were made so far.
//!
//! The next runs of a point are taken to cost what its runs cost so far. A point of which no run is
//! over costs the mean of the others, and at least the time that its run has taken already. Where
//! replications follow from a pilot, the same account says what its further runs cost.

use std::fs;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
#[expect(clippy::disallowed_types, reason = "the cost of a study is printed, and is in no result")]
use std::time::Instant;

use crate::scenario::Watch;
use clustersim_experiment::output::number::{counted, grouped, plain, time_unit_of};
use clustersim_experiment::study::execute::RunsLeft;
use clustersim_experiment::study::row::{Row, RunKey};
use clustersim_experiment::study::run::BrokenOff;

/// Time after which an estimate is made of the runs that are over by then.
const PATIENCE: Duration = Duration::from_secs(10);
/// Seconds above which a study begins with its estimate.
const LONG_STUDY: f64 = 60.0;
/// Runs of a point that are timed: a look at the clocks takes a twentieth of a short run.
const MEASURED: u64 = 20;
/// The time that a thread was on a processor, in nanoseconds, before other figures; of Linux.
const OF_THREAD: &str = "/proc/thread-self/schedstat";

/// Times of runs in seconds: on a processor, and by the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Spent {
    processor: f64,
    clock: f64,
}

/// The clocks of a run.
#[expect(clippy::disallowed_types, reason = "the cost of a study is printed, and is in no result")]
struct Stopwatch {
    clock: Instant,
    processor: Option<f64>,
}

impl Stopwatch {
    #[expect(clippy::disallowed_types, reason = "the cost of a study is printed, and is in no result")]
    fn start() -> Self {
        Stopwatch { clock: Instant::now(), processor: processor_secs() }
    }

    /// The times since the start; where the system does not report that of the thread, it was on a
    /// processor all the time.
    fn spent(&self) -> Spent {
        let clock = self.clock.elapsed().as_secs_f64();
        let processor = self.processor.zip(processor_secs()).map(|(before, now)| now - before);
        Spent { processor: processor.unwrap_or(clock), clock }
    }
}

/// Seconds that this thread has been on a processor; `None` where the system does not report it.
fn processor_secs() -> Option<f64> {
    let text = fs::read_to_string(OF_THREAD).ok()?;
    text.split_whitespace().next()?.parse().ok().map(|nanos: f64| nanos / 1e9)
}

/// Runs of a point: those that it wanted when the session began, and those that were timed since.
#[derive(Clone, Copy, Debug, Default)]
struct PointCost {
    left: RunsLeft,
    /// Runs that are over, of the first [`MEASURED`].
    made: u64,
    /// Times of these runs.
    spent: Spent,
    /// Seconds after which its first run was begun.
    begun: Option<f64>,
}

impl PointCost {
    /// Runs that it wanted, at the least and at the most.
    fn wanted(&self) -> [u64; 2] {
        [self.left.least, self.left.most].map(|replications| self.left.recorded + replications)
    }

    /// Times of a run, if one is over.
    fn each(&self) -> Option<Spent> {
        let made = self.made as f64;
        let Spent { processor, clock } = self.spent;
        (self.made > 0).then(|| Spent { processor: processor / made, clock: clock / made })
    }
}

/// The cost of a session of a study; two numbers are the least and the most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    processor: [f64; 2],
    clock: [f64; 2],
    runs: [u64; 2],
    threads: usize,
    /// Points with runs to be made.
    points: usize,
    /// Points of which a run is over.
    seen: usize,
    /// True if a run has taken longer than those that are over: it takes at least so long.
    is_bound: bool,
}

impl Estimate {
    /// Estimates the session `now` seconds after its start; `None` if no run is wanted.
    fn of(points: &[PointCost], threads: usize, now: f64) -> Option<Self> {
        let wanting = || points.iter().filter(|point| point.wanted()[1] > 0);
        let known: Vec<Spent> = wanting().filter_map(PointCost::each).collect();
        let mean = |time: fn(&Spent) -> f64| known.iter().map(time).sum::<f64>() / known.len().max(1) as f64;
        let usual = Spent { processor: mean(|one| one.processor), clock: mean(|one| one.clock) };
        let longest_so_far = wanting().filter_map(|point| point.begun).map(|begun| now - begun);
        // where nothing is over, all points are taken to be as those that were begun
        let least = if known.is_empty() { longest_so_far.fold(0.0, f64::max) } else { 0.0 };
        let mut estimate = Estimate {
            processor: [0.0; 2],
            clock: [0.0; 2],
            runs: [0; 2],
            threads,
            points: wanting().count(),
            seen: known.len(),
            is_bound: known.is_empty(),
        };
        let mut longest = 0.0;
        for point in wanting() {
            let each = point.each().unwrap_or_else(|| {
                let so_far = point.begun.map_or(least, |begun| now - begun);
                estimate.is_bound |= so_far > usual.clock;
                Spent { processor: usual.processor.max(so_far), clock: usual.clock.max(so_far) }
            });
            longest = f64::max(longest, each.clock);
            for (end, runs) in point.wanted().into_iter().enumerate() {
                estimate.processor[end] += each.processor * runs as f64;
                estimate.clock[end] += each.clock * runs as f64;
                estimate.runs[end] += runs;
            }
        }
        for (clock, runs) in estimate.clock.iter_mut().zip(estimate.runs) {
            let at_once = (threads as u64).min(runs).max(1) as f64;
            *clock = (*clock / at_once).max(longest);
        }
        (estimate.points > 0).then_some(estimate)
    }

    /// `about 2 to 20 min`; `at least` where the estimate is a bound.
    fn about(&self, seconds: [f64; 2]) -> String {
        format!("{} {}", if self.is_bound { "at least" } else { "about" }, spans(seconds))
    }

    /// The runs that it was made from.
    fn basis(&self) -> String {
        match (self.seen, self.points) {
            (0, _) => format!("no run was over after {} s", PATIENCE.as_secs()),
            (1, 1) => "by its first run".to_owned(),
            (seen, points) if seen == points => "by the first run of each point".to_owned(),
            (1, points) => format!("by the first run of 1 of {} points", grouped(points as u64)),
            (seen, points) => {
                format!("by the first runs of {} of {} points", grouped(seen as u64), grouped(points as u64))
            }
        }
    }

    /// Lines of a plan.
    pub(super) fn lines(&self) -> String {
        format!(
            " CPU time       {}, {}\n time           {} with {}\n",
            self.about(self.processor),
            self.basis(),
            self.about(self.clock),
            counted(self.threads as u64, "thread")
        )
    }

    /// The first line of a session that has taken so many seconds.
    fn first_line(&self, now: f64) -> String {
        let runs = match self.runs.map(grouped) {
            [least, most] if least == most => least,
            [least, most] => format!("{least} to {most}"),
        };
        self.line(&format!("{runs} runs"), now, &self.basis())
    }

    /// The line between a pilot and the runs that it asks for.
    fn line_after_pilot(&self) -> String {
        let [_, runs] = self.runs;
        let line = self.line(&format!("{} further runs", grouped(runs)), 0.0, "by the runs so far");
        format!("the pilot is over: {line}")
    }

    /// Processor time and end of these runs, in a session that has taken so many seconds.
    fn line(&self, runs: &str, now: f64, basis: &str) -> String {
        format!(
            "{} of CPU time for {runs} with {}: over in {} ({basis})",
            self.about(self.processor),
            counted(self.threads as u64, "thread"),
            self.about(self.clock.map(|clock| (clock - now).max(0.0)))
        )
    }
}

/// Two times, the first at most the second, with two digits and in one unit where they share it.
fn spans(seconds: [f64; 2]) -> String {
    let [low, high] = seconds.map(|seconds| {
        let (scale, unit) = time_unit_of([seconds].into_iter());
        (plain(format!("{:.1e}", seconds / scale).parse().unwrap_or(seconds / scale)), unit)
    });
    match (low, high) {
        (low, high) if low == high => format!("{} {}", low.0, low.1),
        ((low, unit), (high, same)) if unit == same => format!("{low} to {high} {unit}"),
        ((low, unit), (high, other)) => format!("{low} {unit} to {high} {other}"),
    }
}

/// The account of a session: the times of the runs of each point.
#[expect(clippy::disallowed_types, reason = "the cost of a study is printed, and is in no result")]
pub(super) struct Account {
    clock: Instant,
    threads: usize,
    kept: Mutex<Kept>,
}

struct Kept {
    points: Vec<PointCost>,
    /// True once the first line was reported, or was not worth it.
    reported: bool,
}

impl Account {
    /// Begins with the runs that are left of each point.
    #[expect(clippy::disallowed_types, reason = "the cost of a study is printed, and is in no result")]
    pub(super) fn start(left: &[RunsLeft], threads: usize) -> Self {
        let points = left.iter().map(|left| PointCost { left: *left, ..PointCost::default() }).collect();
        Account { clock: Instant::now(), threads, kept: Mutex::new(Kept { points, reported: false }) }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> f64 {
        self.clock.elapsed().as_secs_f64()
    }

    /// Makes a run and notes its times, if it came to a row.
    pub(super) fn note<R>(
        &self,
        (point, replication): RunKey,
        make: impl FnOnce() -> R,
        row: impl FnOnce(&R) -> Option<&Row>,
    ) -> R {
        let begun = self.now();
        let known = {
            let cost = &mut self.kept().points[point as usize];
            cost.begun.get_or_insert(begun);
            cost.made
        };
        if known >= MEASURED {
            return make();
        }
        let stopwatch = Stopwatch::start();
        let made = make();
        let Some(row) = row(&made) else { return made };
        let spent = stopwatch.spent();
        let mut kept = self.kept();
        let cost = &mut kept.points[point as usize];
        cost.made += 1;
        cost.spent.processor += spent.processor;
        cost.spent.clock += spent.clock;
        if replication.is_some() && !row.drew {
            // every other replication would be the same
            (cost.left.least, cost.left.most) = (cost.left.least.min(1), cost.left.most.min(1));
        }
        made
    }

    /// The estimate so far.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        Estimate::of(&self.kept().points, self.threads, self.now())
    }

    /// The line with which a long session begins, once: as soon as a run of each point is over, or
    /// when patience is.
    pub(super) fn first_line(&self) -> Option<String> {
        let now = self.now();
        let mut kept = self.kept();
        if kept.reported {
            return None;
        }
        let estimate = Estimate::of(&kept.points, self.threads, now)?;
        kept.reported = estimate.seen == estimate.points || now >= PATIENCE.as_secs_f64();
        (kept.reported && estimate.clock[1] > LONG_STUDY).then(|| estimate.first_line(now))
    }

    /// The line between a pilot that this session made and the runs that it asks for, if they take
    /// long; `left` is what each point wants now.
    pub(super) fn after_pilot(&self, left: &[RunsLeft]) -> Option<String> {
        let mut kept = self.kept();
        if kept.points.iter().all(|point| point.made == 0) {
            return None;
        }
        kept.reported = true;
        kept.points.iter_mut().zip(left).for_each(|(point, left)| point.left = *left);
        let estimate = Estimate::of(&kept.points, self.threads, self.now())?;
        (estimate.clock[1] > LONG_STUDY).then(|| estimate.line_after_pilot())
    }

    /// Returns true while no run should wait for longer.
    pub(super) fn is_patient(&self) -> bool {
        self.clock.elapsed() < PATIENCE
    }

    /// Breaks a run off when patience is over.
    pub(super) fn watch(&self) -> Watch {
        let clock = self.clock;
        Rc::new(move |_| {
            if clock.elapsed() >= PATIENCE {
                resume_unwind(Box::new(BrokenOff));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point([least, most]: [u64; 2], processor: f64, clock: f64) -> PointCost {
        let left = RunsLeft { recorded: 0, least, most };
        PointCost { left, made: 1, spent: Spent { processor, clock }, begun: Some(0.0) }
    }

    #[test]
    fn the_cost_of_a_study_follows_from_one_run_of_each_point() {
        // 10 runs of 2 s and 10 of 4 s on a processor; 30 s and 50 s by the clock, on two threads
        let known = [point([10; 2], 2.0, 3.0), point([10; 2], 4.0, 5.0)];
        let all = Estimate::of(&known, 2, 5.0).expect("20 runs are wanted");
        assert_eq!((all.processor, all.clock, all.runs), ([60.0; 2], [40.0; 2], [20; 2]));
        let lines = " CPU time       about 60 s, by the first run of each point\n \
                     time           about 40 s with 2 threads\n";
        assert_eq!(all.lines(), lines);
        assert_eq!(
            all.first_line(5.0),
            "about 60 s of CPU time for 20 runs with 2 threads: over in about 35 s (by the first run of each point)"
        );
        // a point of which no run is over costs the mean: 3 s and 4 s
        let left = RunsLeft { recorded: 1, least: 9, most: 9 };
        let open = PointCost { left, ..PointCost::default() };
        let part = Estimate::of(&[known[0], known[1], open], 2, 10.0).expect("30 runs are wanted");
        assert_eq!((part.processor, part.clock), ([90.0; 2], [60.0; 2]));
        assert!(part.lines().contains("about 90 s, by the first runs of 2 of 3 points"), "{}", part.lines());
        // and at least what it took so far: 10 s
        let begun = PointCost { begun: Some(1.0), ..open };
        let bound = Estimate::of(&[known[0], known[1], begun], 2, 11.0).expect("30 runs are wanted");
        assert_eq!((bound.processor, bound.clock), ([160.0; 2], [90.0; 2]));
        assert!(bound.lines().contains("at least 2.7 min, by the first runs of 2 of 3 points"), "{bound:?}");
    }

    #[test]
    fn targets_give_a_range_and_a_study_lasts_as_long_as_its_longest_run() {
        let until = Estimate::of(&[point([10, 100], 6.0, 6.0)], 4, 6.0).expect("runs are wanted");
        assert_eq!((until.processor, until.clock, until.runs), ([60.0, 600.0], [15.0, 150.0], [10, 100]));
        assert!(until.lines().contains("about 60 s to 10 min, by its first run"), "{}", until.lines());
        let line = "about 60 s to 10 min of CPU time for 10 to 100 runs with 4 threads: \
                    over in about 9 s to 2.4 min (by its first run)";
        assert_eq!(until.first_line(6.0), line);
        let few = Estimate::of(&[point([1; 2], 9.0, 9.0), point([1; 2], 1.0, 1.0)], 8, 0.0);
        assert_eq!(few.map(|few| few.clock), Some([9.0; 2]));
        // nothing is over, and the one run that was begun takes 12 s so far
        let begun = PointCost { made: 0, spent: Spent::default(), ..point([2; 2], 0.0, 0.0) };
        let bound = Estimate::of(&[begun, PointCost { begun: None, ..begun }], 1, 12.0).expect("four");
        assert_eq!((bound.clock, bound.is_bound), ([48.0; 2], true));
        assert!(bound.lines().contains("at least 48 s, no run was over after 10 s"), "{}", bound.lines());
        assert_eq!(Estimate::of(&[PointCost::default()], 1, 0.0), None);
    }

    #[test]
    fn the_runs_that_a_pilot_asks_for_cost_what_its_runs_cost() {
        // a pilot of 10 runs of 2 s and 10 of 4 s; 290 and 40 further runs on two threads
        let account = Account::start(&[RunsLeft { recorded: 0, least: 10, most: 1000 }; 2], 2);
        let further = [290, 40].map(|runs| RunsLeft { recorded: 0, least: runs, most: runs });
        assert_eq!(account.after_pilot(&further), None);
        for (point, seconds) in [(0, 2.0), (1, 4.0)] {
            let spent = Spent { processor: 10.0 * seconds, clock: 10.0 * seconds };
            let point = &mut account.kept().points[point];
            *point = PointCost { made: 10, spent, begun: Some(0.0), ..*point };
        }
        let line = "the pilot is over: about 12 min of CPU time for 330 further runs with 2 threads: \
                    over in about 6.2 min (by the runs so far)";
        assert_eq!(account.after_pilot(&further).as_deref(), Some(line));
        assert_eq!(account.first_line(), None);
        // a minute or less
        let few = [RunsLeft { recorded: 0, least: 20, most: 20 }; 2];
        assert_eq!(account.after_pilot(&few), None);
    }

    #[test]
    fn without_draws_one_run_is_all_that_a_point_costs() {
        let left = RunsLeft { recorded: 1, least: 5, most: 5 };
        let account = Account::start(&[left, RunsLeft::default()], 1);
        account.note((0, None), || Some(Row { drew: false, ..Row::default() }), Option::as_ref);
        assert_eq!(account.estimate().map(|all| (all.runs, all.points)), Some(([6; 2], 1)));
        account.note((0, Some(0)), || Some(Row { drew: false, ..Row::default() }), Option::as_ref);
        assert_eq!(account.estimate().map(|all| all.runs), Some([2; 2]));
        assert_eq!(account.first_line(), None);
    }
}
