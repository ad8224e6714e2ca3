//! Signs that the figures of a run cannot be trusted, read off the run itself.
//!
//! **Saturated.** Where more work arrives than is served, the queue grows as long as jobs come, and every mean says how
//! long the run was and nothing else. A run counts as saturated if
//!
//! - the offered load over the span of submissions ([`load::offered`]) is 1 or more: no policy can serve that; or
//! - the backlog, the processor time asked for by the jobs that wait, rises through the three thirds of that span, in
//!   the last one to 1.25 times its mean in the middle one or more, and more than a fiftieth of all the processor time
//!   asked for still waits at the last submission. That is how a policy shows that loses too much of the machine to
//!   gaps to serve a load below 1.
//!
//! A queue that grows evenly from empty has thirds of 1 : 3 : 5; a queue that is only long (M/M/1 at load 0.95 holds
//! 18 jobs in the mean) leaves some thousandths of its work at the end of 10,000 jobs.
//!
//! **Warm-up not over.** The test of [`InitialBias`] over the wait times of the observed jobs, in order of submission:
//! waits are what most metrics are of, and the first to show an empty start. Where the test fires, MSER-5 ([`Mser5`])
//! says where the waits settle; that is advice, and decides nothing. A recorded workload has no steady state to settle
//! to, so for it the same finding is a note and no warning.
//!
//! A run of fewer than [`LEAST_JOBS`] accepted jobs is never called saturated, one of fewer than [`InitialBias::LEAST`]
//! observations never cold: of so few nothing can be said. How often either warning is wrong is in `docs/warnings.md`.

use serde::{Deserialize, Serialize};

use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::kernel::stats::{InitialBias, Mser5, WarmUp};
use crate::workload::{Job, load};

use super::metrics::FinishedRun;

/// Accepted jobs that a run needs before it can be called saturated: of 500 jobs at load 0.8, one run in thirty is.
pub const LEAST_JOBS: usize = 500;
/// Observations that MSER-5 needs: ten batches of five.
const LEAST_FOR_MSER: u64 = 50;

/// Growth of the mean backlog from the middle third to the last one from which a queue counts as growing.
const GROWTH: f64 = 1.25;
/// Share of the work that must be left waiting at the last submission of a saturated run.
const LEFT: f64 = 0.02;

/// Where the waits of a run settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Settled {
    /// After so many of the accepted jobs, counted from the first one.
    After(u64),
    /// Not before half of the run is over.
    Never,
    /// Too few jobs to say.
    TooShort,
}

/// What a run shows of its own trustworthiness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Signs {
    /// Whether jobs came faster than they were served.
    pub saturated: bool,
    /// Accepted jobs that the metrics leave out at the beginning.
    pub warm_up_cut: u64,
    /// Where what the warm-up leaves settles, by MSER-5.
    pub settled: Settled,
    /// Whether the beginning of what the warm-up leaves differs from the rest.
    pub warm_up_not_over: bool,
}

/// A reason to doubt a figure, shown with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Its name, for programs.
    pub code: &'static str,
    /// What it is, as a sentence without a full stop.
    pub text: String,
}

/// The observed accepted jobs of a run that were completed: the place of each among the accepted ones, and its wait [s].
fn waits<'a>(run: &FinishedRun<'a>, warm_up: WarmUp) -> impl Iterator<Item = (u64, f64)> + use<'a> {
    let run = *run;
    (0..).zip(run.accepted()).filter_map(move |(place, (id, job))| {
        let observed = run.record.state(id).has_run() && warm_up.keeps(place, job.submit_time);
        observed.then(|| (place, run.waited(id).as_secs_f64()))
    })
}

/// Where the waits settle of the jobs that `warm_up` leaves: the cut of MSER-5, as a number of accepted jobs.
///
/// It is rounded up to a job that was completed: in a run that was stopped, others may lie between.
pub fn settled(run: &FinishedRun<'_>, warm_up: WarmUp) -> Settled {
    let mut seen = Mser5::default();
    waits(run, warm_up).for_each(|(_, wait)| seen.record(wait));
    if seen.count() < LEAST_FOR_MSER {
        return Settled::TooShort;
    }
    match seen.cut() {
        // nothing to cut, so nothing beyond what was cut before
        Some(0) => Settled::After(cut_by(run, warm_up)),
        Some(cut) => {
            let (place, _) = waits(run, warm_up).nth(cut).expect("it cuts at most half of what it saw");
            Settled::After(place)
        }
        None => Settled::Never,
    }
}

/// How many of the accepted jobs `warm_up` leaves out.
pub fn cut_by(run: &FinishedRun<'_>, warm_up: WarmUp) -> u64 {
    let numbered = (0..).zip(run.accepted());
    numbered.filter(|&(place, (_, job))| !warm_up.keeps(place, job.submit_time)).count() as u64
}

impl Signs {
    /// The signs of a run.
    ///
    /// # Complexity
    /// Linear in its jobs, which are passed over several times; nothing is kept of them but the means of batches of waits.
    pub fn of(run: &FinishedRun<'_>) -> Self {
        let warm_up_cut = cut_by(run, run.warm_up);
        let settled = settled(run, run.warm_up);
        let count = waits(run, run.warm_up).count();
        let bias = InitialBias::of(waits(run, run.warm_up).map(|(_, wait)| wait), count);
        let warm_up_not_over = bias.is_some_and(|bias| bias.is_found());
        Signs { saturated: saturated(run), warm_up_cut, settled, warm_up_not_over }
    }

    /// The warning of saturation, if jobs came faster than they were served.
    pub fn saturation(&self) -> Option<Warning> {
        let text = "saturated: jobs come faster than they are served, so means only show how long the run is";
        self.saturated.then(|| Warning { code: "saturated", text: text.to_owned() })
    }

    /// What the beginning shows, if it differs from the rest: a warning, or of a `recorded` workload a note.
    pub fn beginning(&self, recorded: bool) -> Option<Warning> {
        if !self.warm_up_not_over {
            return None;
        }
        let found = match self.settled {
            Settled::After(jobs) if jobs > self.warm_up_cut => {
                format!("they settle after {jobs} jobs (MSER-5)")
            }
            Settled::After(_) | Settled::TooShort => "no cut mends that (MSER-5)".to_owned(),
            Settled::Never => "they never settle (MSER-5)".to_owned(),
        };
        let what = if recorded { "the recorded workload changes over time" } else { "warm-up not over" };
        let cut = self.warm_up_cut;
        let text = format!(
            "{what}: waits at the beginning differ from the others, {found}, and the first {cut} are left out"
        );
        Some(Warning { code: "warm-up-not-over", text })
    }
}

/// Whether jobs came faster than they were served.
fn saturated(run: &FinishedRun<'_>) -> bool {
    let until = run.until;
    let came = move |(_, job): &(JobId, &Job)| until.is_none_or(|end| job.submit_time <= end);
    let accepted = || run.accepted().filter(came);
    let submits = || accepted().map(|(_, job)| job.submit_time);
    // in order of submission
    let (Some(first), Some(last)) = (submits().next(), submits().last()) else { return false };
    if accepted().count() < LEAST_JOBS || first == last {
        return false;
    }
    if load::offered(accepted().map(|(_, job)| job), run.procs).is_some_and(|load| load >= 1.0) {
        return true;
    }
    let third = last.since(first).as_nanos() / 3;
    let bound = |part: u64| SimTime::from_nanos(first.as_nanos() + part * third);
    let thirds = [(first, bound(1)), (bound(1), bound(2)), (bound(2), last)];
    let mut backlog = [0.0_f64; 3];
    let (mut asked, mut left) = (0.0, 0.0);
    for (id, job) in accepted() {
        let area = job.area() as f64;
        let start = run.record.start_time(id);
        for (sum, (from, to)) in backlog.iter_mut().zip(thirds) {
            let waiting = start.min(to).since(job.submit_time.max(from));
            *sum += area * waiting.as_secs_f64();
        }
        asked += area;
        left += if start > last { area } else { 0.0 };
    }
    backlog[0] < backlog[1] && backlog[2] >= GROWTH * backlog[1] && left > LEFT * asked
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::instrument::{Reason, Record};
    use crate::kernel::SimDuration;
    use crate::kernel::rng::Streams;
    use crate::kernel::rng::distribution::{Exponential, Sampler};

    use super::*;

    /// A single server, first come first served, with exponential gaps of mean `1 / load` and run times of mean 1 s.
    fn queue(load: f64, count: u32, seed: u64) -> (Vec<Job>, Record) {
        let law = |mean| Sampler::new(Exponential::new(mean).expect("positive"));
        let (gaps, services) = (law(1.0 / load), law(1.0));
        let streams = Streams::new(seed, 0);
        let (mut arrivals, mut service) = (streams.stream("arrivals"), streams.stream("service"));
        let (mut now, mut free) = (SimTime::ZERO, SimTime::ZERO);
        let (mut jobs, mut record) = (Vec::new(), Record::new(count as usize));
        for place in 0..count {
            now = now.saturating_add(SimDuration::ceil_secs(gaps.draw(&mut arrivals)));
            let run_time = SimDuration::ceil_secs(services.draw(&mut service));
            jobs.push(Job::new(u64::from(place) + 1, now, 1, run_time));
            let start = now.max(free);
            free = start.saturating_add(run_time);
            record.started(JobId(place), start, &[Interval::new(0, 0)], Reason::Head);
            record.ended(JobId(place), free);
        }
        (jobs, record)
    }

    fn signs(load: f64, count: u32, seed: u64, procs: u32, warm_up: WarmUp) -> Signs {
        let (jobs, record) = queue(load, count, seed);
        Signs::of(&FinishedRun { jobs: &jobs, record: &record, procs, until: None, warm_up })
    }

    fn how_many(seeds: u64, sign: impl Fn(u64) -> bool) -> usize {
        (0..seeds).filter(|&seed| sign(seed)).count()
    }

    #[test]
    fn a_queue_is_saturated_from_load_1_on() {
        let saturated = |load| how_many(40, |seed| signs(load, 10_000, seed, 1, WarmUp::None).saturated);
        assert_eq!(saturated(0.7), 0);
        assert!(saturated(0.95) <= 4, "{}", saturated(0.95));
        assert_eq!(saturated(1.1), 40);
    }

    #[test]
    fn a_machine_that_is_half_lost_saturates_below_load_1() {
        // the run states two processors, of which the record only ever uses one: offered loads of 0.35 and 0.6
        let saturated = |load| how_many(40, |seed| signs(load, 10_000, seed, 2, WarmUp::None).saturated);
        assert_eq!(saturated(0.7), 0);
        assert_eq!(saturated(1.2), 40);
    }

    #[test]
    fn what_comes_all_at_once_or_is_too_little_shows_no_sign() {
        let few = signs(1.5, 499, 1, 1, WarmUp::None);
        assert_eq!((few.saturated, few.warm_up_not_over), (false, false));
        assert_eq!((few.saturation(), few.beginning(false)), (None, None));
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
        let (jobs, mut record) = (queue(0.5, 10_000, 3).0, Record::new(10_000));
        for (place, job) in (0..).zip(&jobs) {
            let wait = SimDuration::from_secs(if place < 2000 {
                500 + u64::from(place % 7)
            } else {
                u64::from(place % 7)
            });
            let start = job.submit_time.saturating_add(wait);
            record.started(JobId(place), start, &[Interval::new(0, 0)], Reason::Head);
            record.ended(JobId(place), start.saturating_add(job.run_time));
        }
        let run =
            FinishedRun { jobs: &jobs, record: &record, procs: 1, until: None, warm_up: WarmUp::Count(100) };
        let short = Signs::of(&run);
        assert_eq!((short.warm_up_cut, short.warm_up_not_over), (100, true));
        assert!(matches!(short.settled, Settled::After(2000..2010)), "{:?}", short.settled);
        let warning = short.beginning(false).expect("it is cold");
        assert_eq!(warning.code, "warm-up-not-over");
        assert!(warning.text.contains("settle after 200"), "{}", warning.text);
        let note = short.beginning(true).expect("a note");
        assert!(note.text.starts_with("the recorded workload changes over time"), "{}", note.text);
        let enough = Signs::of(&FinishedRun { warm_up: WarmUp::Count(2010), ..run });
        assert!(!enough.warm_up_not_over, "{enough:?}");
    }
}
