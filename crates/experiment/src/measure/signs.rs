//! Signs that the figures of a run cannot be trusted, read off the run itself: of any [`Cohort`],
//! whatever the system.
//!
//! **Saturated.** Where more work comes than is done, the queue grows as long as work comes, and
//! every mean says how long the run was and nothing else. The span from the first subject to the
//! last is cut into [`PARTS`] equal parts. A run counts as saturated if more than a hundredth of
//! all the work still waits at the end of that span, and one of two quantities is above 0 in the
//! mean over the parts by more than chance (one-sided, at 5 %):
//!
//! - the work that comes in a part less the work that can be done in it: the offered load is above
//!   1, and no policy can serve that; or
//! - the growth of the backlog, the work asked for by all that waits, after the first quarter, in
//!   which an empty system fills. That is how a policy shows that loses too much of the capacity to
//!   serve a load below 1.
//!
//! The level is that of a queue at load 1 exactly; below it the chance of a false alarm vanishes
//! with the length of the run. Both tests need no assumption on the laws beyond that the parts are
//! long.
//!
//! **Warm-up not over.** The test of [`InitialBias`] over the waits of the observed subjects, in
//! their order: waits are the first to show an empty start. A saturated run never settles, so it
//! has this sign too. Where it has, MSER-5 ([`Mser5`]) says where the waits settle; that is advice,
//! and decides nothing. A recorded workload has no steady state to settle to, so for it the same
//! finding is a note and no warning.
//!
//! A cohort of fewer than [`LEAST`] subjects is never called saturated, one of fewer than
//! [`InitialBias::LEAST`] observations never cold: of so few nothing can be said. Nor is one that
//! comes at fewer than [`LEAST_INSTANTS`] instants: that is a set of work and no stream, and has no
//! steady state. How often either warning is wrong is in `docs/warnings.md`.

use serde::{Deserialize, Serialize};

use crate::kernel::SimTime;
use crate::kernel::stats::{InitialBias, Mser5, Table, WarmUp, student_quantile};

use super::cohort::{Cohort, Subject};

/// Subjects that a cohort needs before it can be called saturated.
pub const LEAST: usize = 200;
/// Instants at which the subjects of a stream come, at least: five in each part.
pub const LEAST_INSTANTS: usize = 5 * PARTS;
/// Equal parts of the span in which subjects come.
pub const PARTS: usize = 20;
/// Observations that MSER-5 needs: ten batches of five.
const LEAST_FOR_MSER: u64 = 50;

/// Chance that a mean which is 0 is taken to be above it.
const LEVEL: f64 = 0.05;
/// Share of the work that must be left waiting at the last arrival of a saturated run.
const LEFT: f64 = 0.01;

/// Point at which the waits of a run settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Settled {
    /// After so many of the subjects, counted from the first one.
    After(u64),
    /// Not before half of the run is over.
    Never,
    /// Too few subjects to say.
    TooShort,
}

/// Signs of a run's trustworthiness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Signs {
    /// True if work came faster than it was done.
    pub saturated: bool,
    /// Subjects that the metrics leave out at the beginning.
    pub warm_up_cut: u64,
    /// Point at which what the warm-up leaves settles, by MSER-5.
    pub settled: Settled,
    /// True if the beginning of what the warm-up leaves differs from the rest.
    pub warm_up_not_over: bool,
}

/// A reason to doubt a figure, shown with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Name, for programs.
    pub code: &'static str,
    /// Text, as a sentence without a full stop.
    pub text: String,
}

/// The code of the warning that work comes faster than it is done.
pub const SATURATED: &str = "saturated";
/// The code of the warning that the beginning still shows.
pub const WARM_UP_NOT_OVER: &str = "warm-up-not-over";

/// Shows the place and the wait [s] of every observed subject: of those that were served and came
/// to their end.
fn waits(cohort: &dyn Cohort, warm_up: WarmUp, mut see: impl FnMut(u64, f64)) {
    let mut place = 0;
    cohort.each(&mut |subject| {
        let observed = subject.done && warm_up.keeps(place, subject.begin);
        if let Some(wait) = subject.waited().filter(|_| observed) {
            see(place, wait.as_secs_f64());
        }
        place += 1;
    });
}

/// Place at which the waits of the subjects that `warm_up` leaves settle: the cut of MSER-5, as a
/// number of subjects.
///
/// The cut is rounded up to a subject that came to its end: in a run that was stopped, others may
/// lie between.
pub fn settled(cohort: &dyn Cohort, warm_up: WarmUp) -> Settled {
    Passed::over(cohort, warm_up).settled(cohort, warm_up)
}

/// Findings of one pass over a cohort.
struct Passed {
    /// Subjects that the warm-up leaves out.
    cut: u64,
    /// Waits of the observed subjects.
    waits: Mser5,
    /// The span in which subjects come, if they are a stream.
    stream: Option<Stream>,
}

impl Passed {
    fn over(cohort: &dyn Cohort, warm_up: WarmUp) -> Self {
        let (mut place, mut cut, mut waits) = (0, 0, Mser5::default());
        let (mut instants, mut before) = (0, None);
        let mut stream = Stream { first: SimTime::MAX, last: SimTime::ZERO, count: 0 };
        cohort.each(&mut |subject| {
            let is_kept = warm_up.keeps(place, subject.begin);
            cut += u64::from(!is_kept);
            if let Some(wait) = subject.waited().filter(|_| is_kept && subject.done) {
                waits.record(wait.as_secs_f64());
            }
            place += 1;
            instants += usize::from(before != Some(subject.begin));
            before = Some(subject.begin);
            stream.add(subject.begin);
        });
        let is_stream = instants >= LEAST_INSTANTS && stream.first < stream.last;
        Passed { cut, waits, stream: is_stream.then_some(stream) }
    }

    /// Place at which the waits settle.
    fn settled(&self, cohort: &dyn Cohort, warm_up: WarmUp) -> Settled {
        if self.waits.count() < LEAST_FOR_MSER {
            return Settled::TooShort;
        }
        match self.waits.cut() {
            // nothing to cut, so nothing beyond what was cut before
            Some(0) => Settled::After(self.cut),
            Some(cut) => {
                let (mut number, mut found) = (0, 0);
                waits(cohort, warm_up, |place, _| {
                    if number == cut {
                        found = place;
                    }
                    number += 1;
                });
                Settled::After(found)
            }
            None => Settled::Never,
        }
    }

    /// Returns true if the waits at the beginning differ from the others, or grow without end.
    fn starts_cold(&self, cohort: &dyn Cohort, warm_up: WarmUp, saturated: bool) -> bool {
        let Some(mut batches) = InitialBias::collecting(self.waits.count() as usize) else { return false };
        waits(cohort, warm_up, |_, wait| batches.record(wait));
        saturated || batches.judged().is_found()
    }
}

impl Signs {
    /// The signs of a cohort.
    ///
    /// # Complexity
    /// Linear in its subjects, which are passed over several times; nothing is kept of them but the
    /// means of batches of waits.
    pub fn of(cohort: &dyn Cohort, warm_up: WarmUp) -> Self {
        let passed = Passed::over(cohort, warm_up);
        let settled = passed.settled(cohort, warm_up);
        let saturated = passed.stream.is_some_and(|stream| stream.is_saturated(cohort));
        let warm_up_not_over = passed.stream.is_some() && passed.starts_cold(cohort, warm_up, saturated);
        Signs { saturated, warm_up_cut: passed.cut, settled, warm_up_not_over }
    }

    /// The warning of saturation, if work came faster than it was done.
    pub fn saturation(&self) -> Option<Warning> {
        let text = "saturated: work comes faster than it is done, so means only show how long the run is";
        self.saturated.then(|| Warning { code: SATURATED, text: text.to_owned() })
    }

    /// Warning if the beginning differs from the rest; of a `recorded`
    /// workload a note.
    pub fn beginning(&self, recorded: bool) -> Option<Warning> {
        if !self.warm_up_not_over {
            return None;
        }
        let found = match self.settled {
            Settled::After(first) if first > self.warm_up_cut => {
                format!("they settle after the first {first} (MSER-5)")
            }
            Settled::After(_) | Settled::TooShort => "no cut mends that (MSER-5)".to_owned(),
            Settled::Never => "they never settle (MSER-5)".to_owned(),
        };
        let what = if recorded { "the recorded workload changes over time" } else { "warm-up not over" };
        let cut = self.warm_up_cut;
        let text = format!(
            "{what}: waits at the beginning differ from the others, {found}, and the first {cut} are left out"
        );
        Some(Warning { code: WARM_UP_NOT_OVER, text })
    }

    /// Both as warnings, the gravest first, of a workload that is not recorded.
    pub fn warnings(&self) -> Vec<Warning> {
        self.saturation().into_iter().chain(self.beginning(false)).collect()
    }
}

/// The span of a cohort whose subjects come one after the other.
#[derive(Clone, Copy)]
struct Stream {
    first: SimTime,
    last: SimTime,
    count: usize,
}

/// Returns true if the subjects of a cohort come at so many instants that it is a stream.
pub(super) fn is_stream(cohort: &dyn Cohort) -> bool {
    Passed::over(cohort, WarmUp::None).stream.is_some()
}

impl Stream {
    /// A subject comes at this instant.
    fn add(&mut self, begin: SimTime) {
        self.first = self.first.min(begin);
        self.last = self.last.max(begin);
        self.count += 1;
    }

    /// Returns true if work came faster than it was done.
    fn is_saturated(self, cohort: &dyn Cohort) -> bool {
        if self.count < LEAST {
            return false;
        }
        let mut parts = Parts::new(self.first, self.last);
        cohort.each(&mut |subject| parts.add(subject));
        let overloaded = cohort.capacity().is_some_and(|capacity| is_above_zero(&parts.excess(capacity)));
        parts.left > LEFT * parts.asked && (overloaded || is_above_zero(parts.growth()))
    }
}

/// Work that comes and work that waits, in equal parts of the span in which subjects come.
struct Parts {
    first: SimTime,
    /// Length of a part [ns].
    length: f64,
    /// Work that comes in each.
    came: [f64; PARTS],
    /// Changes of the backlog up to each border, the first at the beginning.
    change: [f64; PARTS + 1],
    /// All the work.
    asked: f64,
    /// Work that waits at the end.
    left: f64,
}

impl Parts {
    fn new(first: SimTime, last: SimTime) -> Self {
        let length = last.since(first).as_nanos() as f64 / PARTS as f64;
        Parts { first, length, came: [0.0; PARTS], change: [0.0; PARTS + 1], asked: 0.0, left: 0.0 }
    }

    /// Number of parts between the beginning and an instant.
    fn place(&self, at: SimTime) -> f64 {
        at.since(self.first).as_nanos() as f64 / self.length
    }

    fn add(&mut self, subject: &Subject) {
        let (begin, until) = (self.place(subject.begin), self.place(subject.waits_until()));
        self.came[(begin as usize).min(PARTS - 1)] += subject.area;
        self.asked += subject.area;
        let (from, to) = (begin.ceil() as usize, until.ceil() as usize);
        if from > PARTS || from == to {
            return;
        }
        self.change[from] += subject.area;
        match self.change.get_mut(to) {
            Some(change) => *change -= subject.area,
            None => self.left += subject.area,
        }
    }

    /// Work that comes in each part less what can be done in it.
    fn excess(&self, capacity: f64) -> [f64; PARTS] {
        let done = capacity * self.length / 1e9;
        self.came.map(|came| came - done)
    }

    /// By how much the backlog grows in each part after the first quarter.
    fn growth(&self) -> &[f64] {
        &self.change[PARTS / 4 + 1..]
    }
}

/// Returns true if the mean of these values is above 0 by more than chance.
fn is_above_zero(values: &[f64]) -> bool {
    let table: Table = values.iter().copied().collect();
    let (mean, variance) = (table.mean().unwrap_or(0.0), table.variance().unwrap_or(0.0));
    let error = (variance / values.len() as f64).sqrt();
    mean > student_quantile(1.0 - LEVEL, (values.len() - 1) as f64) * error
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimDuration;
    use crate::kernel::rng::Streams;
    use crate::kernel::rng::distribution::{Exponential, Sampler};
    use crate::measure::cohort::ListedCohort;

    use super::*;

    fn served(begin: SimTime, start: SimTime, service: SimDuration) -> Subject {
        let end = Some(start.saturating_add(service));
        let area = service.as_secs_f64();
        Subject { begin, served: Some(start), end, area, class: 0, done: true }
    }

    /// A single server of this capacity, first come first served, with exponential gaps of mean
    /// `1 / load` and run times of mean 1 s.
    fn queue(load: f64, count: u32, seed: u64, capacity: u32) -> ListedCohort {
        let law = |mean| Sampler::new(Exponential::new(mean).expect("positive"));
        let (gaps, services) = (law(1.0 / load), law(1.0));
        let streams = Streams::new(seed, 0);
        let (mut arrivals, mut service) = (streams.stream("arrivals"), streams.stream("service"));
        let (mut now, mut free) = (SimTime::ZERO, SimTime::ZERO);
        let mut cohort = ListedCohort::new(Some(f64::from(capacity)), &[]);
        for _ in 0..count {
            now = now.saturating_add(SimDuration::ceil_secs(gaps.draw(&mut arrivals)));
            let run_time = SimDuration::ceil_secs(services.draw(&mut service));
            let start = now.max(free);
            free = start.saturating_add(run_time);
            cohort.push(served(now, start, run_time), &[]);
        }
        cohort
    }

    fn signs(load: f64, count: u32, seed: u64, capacity: u32, warm_up: WarmUp) -> Signs {
        Signs::of(&queue(load, count, seed, capacity), warm_up)
    }

    fn how_many(seeds: u64, sign: impl Fn(u64) -> bool) -> usize {
        (0..seeds).filter(|&seed| sign(seed)).count()
    }

    #[test]
    fn a_queue_is_saturated_from_load_1_on() {
        let saturated = |load| how_many(40, |seed| signs(load, 10_000, seed, 1, WarmUp::None).saturated);
        assert_eq!((saturated(0.7), saturated(0.95)), (0, 0));
        assert_eq!(saturated(1.1), 40);
    }

    #[test]
    fn a_machine_that_is_half_lost_saturates_below_load_1() {
        // the capacity is that of two servers, of which only one ever serves: offered loads of
        // 0.35 and 0.6
        let saturated = |load| how_many(40, |seed| signs(load, 10_000, seed, 2, WarmUp::None).saturated);
        assert_eq!(saturated(0.7), 0);
        assert_eq!(saturated(1.2), 40);
    }

    #[test]
    fn what_comes_all_at_once_or_is_too_little_shows_no_sign() {
        let few = signs(1.5, 199, 1, 1, WarmUp::None);
        assert_eq!((few.saturated, few.warm_up_not_over), (false, false));
        assert_eq!(few.warnings(), []);
        assert_eq!(signs(1.5, 49, 1, 1, WarmUp::None).settled, Settled::TooShort);
    }

    #[test]
    fn a_steady_queue_is_warm_and_one_that_grows_never_is() {
        let cold =
            |load, warm_up| how_many(40, |seed| signs(load, 10_000, seed, 1, warm_up).warm_up_not_over);
        let found = [cold(0.5, WarmUp::None), cold(0.8, WarmUp::Count(500)), cold(1.1, WarmUp::Count(500))];
        assert!(found[0] <= 2 && found[1] <= 2 && found[2] == 40, "{found:?}");
    }

    #[test]
    fn a_bad_beginning_is_found_and_a_warm_up_that_covers_it_is_enough() {
        // 2,000 jobs that waited 500 s each before a steady queue of 8,000
        let mut cohort = ListedCohort::new(Some(1.0), &[]);
        let mut place = 0;
        queue(0.5, 10_000, 3, 1).each(&mut |subject| {
            let wait = SimDuration::from_secs(if place < 2000 { 500 + place % 7 } else { place % 7 });
            let service = SimDuration::ceil_secs(subject.area);
            cohort.push(served(subject.begin, subject.begin.saturating_add(wait), service), &[]);
            place += 1;
        });
        let short = Signs::of(&cohort, WarmUp::Count(100));
        assert_eq!((short.warm_up_cut, short.warm_up_not_over), (100, true));
        assert!(matches!(short.settled, Settled::After(2000..2010)), "{:?}", short.settled);
        let warning = short.beginning(false).expect("it is cold");
        assert_eq!(warning.code, "warm-up-not-over");
        assert!(warning.text.contains("settle after the first 200"), "{}", warning.text);
        let note = short.beginning(true).expect("a note");
        assert!(note.text.starts_with("the recorded workload changes over time"), "{}", note.text);
        let enough = Signs::of(&cohort, WarmUp::Count(2010));
        assert!(!enough.warm_up_not_over, "{enough:?}");
    }
}
