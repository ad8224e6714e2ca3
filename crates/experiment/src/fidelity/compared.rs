//! Simulated and recorded waits of a set of jobs, compared.

use crate::collections::OrderedMap;
use crate::kernel::stats::{nearest_rank, ratio};
use crate::kernel::{SimDuration, SimTime};
use crate::registry::definition::words;

use super::kendall::OrderedPairs;
use super::replayed::ReplayedJob;
use super::resamples::WeekResamples;
use super::rules::{FidelityRules, FidelityWord};

words! {
    /// Figure of simulated and recorded waits.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum WaitFigure {
        RecordedMean = "recorded.mean", "mean recorded wait [s]";
        RecordedP50 = "recorded.p50", "median recorded wait [s]";
        RecordedP90 = "recorded.p90", "recorded wait that 90 % of jobs do not exceed [s]";
        RecordedP99 = "recorded.p99", "recorded wait that 99 % of jobs do not exceed [s]";
        SimulatedMean = "simulated.mean", "mean simulated wait [s]";
        SimulatedP50 = "simulated.p50", "median simulated wait [s]";
        SimulatedP90 = "simulated.p90", "simulated wait that 90 % of jobs do not exceed [s]";
        SimulatedP99 = "simulated.p99", "simulated wait that 99 % of jobs do not exceed [s]";
        ErrorMean = "error.mean", "mean absolute difference of the two waits of a job [s]";
        RatioOfMeans = "ratio-of-means", "mean simulated wait / mean recorded wait";
        WithinTime = "within-time", "share of jobs whose two waits differ by `fidelity.within` at most";
        WithinFactor = "within-factor", "share of jobs whose longer wait is at most `fidelity.factor` times the shorter one; a wait of 0 is within a factor of 0 alone";
        KendallTau = "kendall-tau", "Kendall's τ-b of recorded and simulated starts, over pairs of jobs of the same week";
    }
}

/// Number of figures.
const FIGURES: usize = WaitFigure::ALL.len();
/// The quantiles, in percent.
const QUANTILES: [u64; 3] = [50, 90, 99];

/// Length of a week.
const WEEK: u64 = 7 * 86_400 * 1_000_000_000;

/// The week of an instant, from 0, counted from the start of the log.
pub(super) fn week_of(begin: SimTime) -> u32 {
    (begin.as_nanos() / WEEK) as u32
}

/// Figures of a set of jobs.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedWaits {
    /// Jobs.
    pub jobs: u64,
    /// Weeks in which waits of them begin.
    pub weeks: u64,
    values: [Option<f64>; FIGURES],
    intervals: [Option<(f64, f64)>; FIGURES],
}

impl ComparedWaits {
    /// The figures of these jobs, with intervals where there are draws of weeks, of which `weeks`
    /// has the place of each.
    pub(super) fn of<'a>(
        jobs: impl Iterator<Item = &'a ReplayedJob>,
        rules: &FidelityRules,
        draws: Option<(&WeekResamples, &OrderedMap<u32, usize>)>,
        quantiles_too: bool,
    ) -> Self {
        let sample = WaitSample::of(jobs, rules);
        let whole = vec![1; sample.weeks.len()];
        let values = sample.figures(&whole, true);
        let mut intervals = [None; FIGURES];
        if let Some((draws, places)) = draws
            && sample.weeks.len() >= WeekResamples::LEAST_WEEKS
        {
            let places: Vec<Option<usize>> =
                sample.weeks.iter().map(|week| places.get(&week.number).copied()).collect();
            let mut drawn: [Vec<f64>; FIGURES] = Default::default();
            for counts in draws.draws() {
                let times: Vec<u32> =
                    places.iter().map(|place| place.map_or(0, |place| counts[place])).collect();
                let figures = sample.figures(&times, quantiles_too);
                for (values, value) in drawn.iter_mut().zip(figures) {
                    values.extend(value);
                }
            }
            intervals = drawn.map(WeekResamples::interval);
        }
        ComparedWaits { jobs: sample.jobs(), weeks: sample.weeks.len() as u64, values, intervals }
    }

    /// Value of a figure; `None` where nothing was observed.
    pub fn value(&self, figure: WaitFigure) -> Option<f64> {
        self.values[figure as usize]
    }

    /// The 95 % interval of a figure, if there are weeks enough.
    pub fn interval(&self, figure: WaitFigure) -> Option<(f64, f64)> {
        self.intervals[figure as usize]
    }

    /// The word for all of it: the worst of those of its figures.
    pub fn word(&self, rules: &FidelityRules) -> Option<FidelityWord> {
        WaitFigure::ALL.into_iter().filter_map(|figure| rules.word(figure, self.value(figure))).max()
    }
}

/// Sums over the jobs of a week.
#[derive(Debug, Default)]
struct WeekSums {
    number: u32,
    jobs: u64,
    recorded: u128,
    simulated: u128,
    error: u128,
    within_time: u64,
    within_factor: u64,
    pairs: OrderedPairs,
}

/// A set of jobs, so that figures of any number of times each week are found soon.
struct WaitSample {
    weeks: Vec<WeekSums>,
    /// Recorded waits in rising order, each with the place of its week.
    recorded: Vec<(SimDuration, u32)>,
    simulated: Vec<(SimDuration, u32)>,
}

fn is_within_factor(job: &ReplayedJob, factor: f64) -> bool {
    let (short, long) = (job.recorded.min(job.simulated), job.recorded.max(job.simulated));
    long.as_nanos() as f64 <= short.as_nanos() as f64 * factor
}

impl WaitSample {
    fn of<'a>(jobs: impl Iterator<Item = &'a ReplayedJob>, rules: &FidelityRules) -> Self {
        let mut sums: OrderedMap<u32, (WeekSums, Vec<(SimTime, SimTime)>)> = OrderedMap::new();
        let (mut recorded, mut simulated) = (Vec::new(), Vec::new());
        for job in jobs {
            let number = week_of(job.begin);
            let (week, starts) = sums.entry(number).or_default();
            week.number = number;
            week.jobs += 1;
            week.recorded += u128::from(job.recorded.as_nanos());
            week.simulated += u128::from(job.simulated.as_nanos());
            week.error += u128::from(job.error().as_nanos());
            week.within_time += u64::from(job.error() <= rules.within);
            week.within_factor += u64::from(is_within_factor(job, rules.factor));
            starts.push(job.starts());
            recorded.push((job.recorded, number));
            simulated.push((job.simulated, number));
        }
        let places: OrderedMap<u32, u32> = sums.keys().copied().zip(0..).collect();
        for waits in [&mut recorded, &mut simulated] {
            waits.sort_unstable();
            for (_, week) in waits.iter_mut() {
                *week = places.get(week).copied().unwrap_or_default();
            }
        }
        let sum = |(week, mut starts): (WeekSums, Vec<(SimTime, SimTime)>)| WeekSums {
            pairs: OrderedPairs::of(&mut starts),
            ..week
        };
        WaitSample { weeks: sums.into_values().map(sum).collect(), recorded, simulated }
    }

    fn jobs(&self) -> u64 {
        self.weeks.iter().map(|week| week.jobs).sum()
    }

    /// The figures where each week counts so many times.
    fn figures(&self, times: &[u32], with_quantiles: bool) -> [Option<f64>; FIGURES] {
        let mut all = WeekSums::default();
        for (week, &times) in self.weeks.iter().zip(times) {
            let often = u128::from(times);
            all.jobs += week.jobs * u64::from(times);
            all.recorded += week.recorded * often;
            all.simulated += week.simulated * often;
            all.error += week.error * often;
            all.within_time += week.within_time * u64::from(times);
            all.within_factor += week.within_factor * u64::from(times);
            all.pairs = all.pairs.and(week.pairs, times);
        }
        let mut figures = [None; FIGURES];
        if all.jobs == 0 {
            return figures;
        }
        let mut put = |figure: WaitFigure, value: Option<f64>| figures[figure as usize] = value;
        let mean = |sum: u128| Some(ratio(sum, u128::from(all.jobs) * 1_000_000_000));
        let share = |count: u64| Some(ratio(u128::from(count), u128::from(all.jobs)));
        put(WaitFigure::RecordedMean, mean(all.recorded));
        put(WaitFigure::SimulatedMean, mean(all.simulated));
        put(WaitFigure::ErrorMean, mean(all.error));
        put(WaitFigure::RatioOfMeans, (all.recorded > 0).then(|| ratio(all.simulated, all.recorded)));
        put(WaitFigure::WithinTime, share(all.within_time));
        put(WaitFigure::WithinFactor, share(all.within_factor));
        put(WaitFigure::KendallTau, all.pairs.tau());
        if with_quantiles {
            let recorded = quantiles(&self.recorded, times, all.jobs);
            let simulated = quantiles(&self.simulated, times, all.jobs);
            let names = [WaitFigure::RecordedP50, WaitFigure::RecordedP90, WaitFigure::RecordedP99];
            names.into_iter().zip(recorded).for_each(|(figure, value)| put(figure, value));
            let names = [WaitFigure::SimulatedP50, WaitFigure::SimulatedP90, WaitFigure::SimulatedP99];
            names.into_iter().zip(simulated).for_each(|(figure, value)| put(figure, value));
        }
        figures
    }
}

/// The quantiles of waits in rising order, of which each counts as often as its week does.
fn quantiles(sorted: &[(SimDuration, u32)], times: &[u32], count: u64) -> [Option<f64>; 3] {
    let mut found = [None; 3];
    let ranks = QUANTILES.map(|parts| nearest_rank(count, parts, 100).unwrap_or(u64::MAX));
    let (mut passed, mut next) = (0, 0);
    for &(wait, week) in sorted {
        passed += u64::from(times[week as usize]);
        while next < ranks.len() && passed >= ranks[next] {
            found[next] = Some(wait.as_secs_f64());
            next += 1;
        }
        if next == ranks.len() {
            break;
        }
    }
    found
}
