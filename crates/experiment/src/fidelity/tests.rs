//! Accounts by hand, and by a plain second computation.

use proptest::prelude::*;

use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};

use super::*;

const DAY: u64 = 86_400;

/// Rules with all bounds.
pub(crate) const RULES: FidelityRules = {
    let bounds = WordBounds { ratio_of_means: 1.25, within_time: 0.8, within_factor: 0.6, kendall_tau: 0.95 };
    FidelityRules {
        edge: SimDuration::ZERO,
        within: SimDuration::from_secs(600),
        factor: 2.0,
        machine: ReplayMachine::RecordedPeak,
        good: bounds,
        usable: WordBounds { ratio_of_means: 2.0, within_time: 0.5, within_factor: 0.3, kendall_tau: 0.5 },
    }
};

/// A job by its begin, recorded wait and simulated wait [s].
pub(crate) fn job(begin: u64, recorded: u64, simulated: u64) -> ReplayedJob {
    ReplayedJob {
        begin: SimTime::from_nanos(begin * 1_000_000_000),
        recorded: SimDuration::from_secs(recorded),
        simulated: SimDuration::from_secs(simulated),
        procs: 1,
        queue: None,
        partition: None,
        group: None,
        causes: ErrorCauses::NONE,
        is_fixed: false,
    }
}

fn facts(jobs: &[ReplayedJob]) -> ReplayFacts {
    let last = jobs.iter().map(|job| job.begin).max().unwrap_or_default();
    ReplayFacts { procs: 4, stated: 4, peak: 4, jobs: jobs.len() as u64, last, ..ReplayFacts::default() }
}

fn account(rules: FidelityRules, jobs: &[ReplayedJob]) -> FidelityAccount {
    FidelityAccount::of(rules, facts(jobs), jobs, &Streams::new(1, 0))
}

#[test]
fn five_jobs_of_two_weeks_by_hand() {
    let week = 7 * DAY;
    let jobs = [
        job(0, 0, 0),
        job(10, 100, 700),
        job(20, 1000, 1601),
        job(week, 100, 250),
        // it starts before the one above in the simulation, and after it in the log
        job(week + 1, 800, 200),
    ];
    let found = account(RULES, &jobs);
    let value = |figure| found.whole.value(figure);
    assert_eq!((found.whole.jobs, found.whole.weeks), (5, 2));
    assert_eq!(value(WaitFigure::RecordedMean), Some(400.0));
    assert_eq!(value(WaitFigure::SimulatedMean), Some(2751.0 / 5.0));
    assert_eq!(value(WaitFigure::RecordedP50), Some(100.0));
    assert_eq!(value(WaitFigure::RecordedP90), Some(1000.0));
    assert_eq!(value(WaitFigure::SimulatedP50), Some(250.0));
    assert_eq!(value(WaitFigure::RatioOfMeans), Some(2751.0 / 2000.0));
    // differences 0, 600, 601, 150, 600
    assert_eq!(value(WaitFigure::WithinTime), Some(0.8));
    assert_eq!(value(WaitFigure::ErrorMean), Some(1951.0 / 5.0));
    // 0 and 0, 1000 and 1601
    assert_eq!(value(WaitFigure::WithinFactor), Some(0.4));
    // three pairs of the first week in order, the one of the second not
    assert_eq!(value(WaitFigure::KendallTau), Some(0.5));
    assert!(WaitFigure::ALL.into_iter().all(|figure| found.whole.interval(figure).is_none()));
    // 1.3755 and 0.8 and 0.4 and 0.5
    let words = [
        (WaitFigure::RatioOfMeans, Some(FidelityWord::Usable)),
        (WaitFigure::WithinTime, Some(FidelityWord::Good)),
        (WaitFigure::WithinFactor, Some(FidelityWord::Usable)),
        (WaitFigure::KendallTau, Some(FidelityWord::Usable)),
        (WaitFigure::RecordedMean, None),
    ];
    for (figure, word) in words {
        assert_eq!(RULES.word(figure, value(figure)), word, "{}", figure.name());
    }
    assert_eq!(found.word(), Some(FidelityWord::Usable));
    assert_eq!(RULES.word(WaitFigure::RatioOfMeans, Some(0.4)), Some(FidelityWord::Poor));
    let weeks: Vec<(&str, u64)> =
        found.groupings[0].groups.iter().map(|group| (group.name.as_str(), group.compared.jobs)).collect();
    assert_eq!((found.groupings[0].by, weeks), ("week", vec![("0", 3), ("1", 2)]));
}

#[test]
fn edges_are_left_out_at_both_ends_and_their_last_instants_are_not() {
    let jobs = [0, DAY - 1, DAY, 2 * DAY, 3 * DAY, 3 * DAY + 1, 4 * DAY].map(|begin| job(begin, 1, 1));
    let rules = FidelityRules { edge: SimDuration::from_secs(DAY), ..RULES };
    let found = account(rules, &jobs);
    assert_eq!((found.whole.jobs, found.left_out.in_edges), (3, 4));
    let wide = FidelityRules { edge: SimDuration::from_secs(5 * DAY), ..RULES };
    let found = account(wide, &jobs);
    assert_eq!((found.whole.jobs, found.word()), (0, None));
}

#[test]
fn causes_carry_the_error_by_hand() {
    let held = ErrorCauses::NONE.with(ErrorCause::Held, true);
    let mut jobs = [job(0, 0, 300), job(1, 0, 100), job(2, 500, 0), job(3, 0, 100)];
    jobs[0].causes = held;
    jobs[2].causes = held.with(ErrorCause::TriedAgain, true);
    let found = account(RULES, &jobs);
    let shares: Vec<_> = found.causes.iter().map(|one| (one.jobs, one.share, one.error_share)).collect();
    let expected = [
        (2, Some(0.5), Some(0.8)),
        (0, Some(0.0), Some(0.0)),
        (0, Some(0.0), Some(0.0)),
        (1, Some(0.25), Some(0.5)),
        (2, Some(0.5), Some(0.2)),
    ];
    assert_eq!(shares, expected);
    // without them the others are looked at alone, before and after
    let mut second = jobs;
    second[1].simulated = SimDuration::from_secs(10);
    for place in [0, 2] {
        second[place].simulated = second[place].recorded;
        second[place].is_fixed = true;
    }
    let found = found.without(&[ErrorCause::Held], &jobs, &second, &Streams::new(1, 0));
    let without = found.without.expect("a second run");
    let error = |compared: &ComparedWaits| compared.value(WaitFigure::ErrorMean);
    assert_eq!((without.fixed, without.before.jobs, without.after.jobs), (2, 2, 2));
    assert_eq!((error(&without.before), error(&without.after)), (Some(100.0), Some(55.0)));
}

#[test]
fn sizes_are_in_classes_of_powers_of_four() {
    let jobs: Vec<ReplayedJob> =
        [1, 2, 4, 5, 16, 17, 65].map(|procs| ReplayedJob { procs, ..job(0, 1, 1) }).to_vec();
    let found = account(RULES, &jobs);
    let sizes = found.groupings.iter().find(|grouping| grouping.by == "size").expect("sizes");
    let names: Vec<(&str, u64)> =
        sizes.groups.iter().map(|group| (group.name.as_str(), group.compared.jobs)).collect();
    assert_eq!(names, [("1", 1), ("2-4", 2), ("5-16", 2), ("17-64", 1), ("65-256", 1)]);
    // neither queue nor group is stated of any job
    assert_eq!(found.groupings.iter().map(|one| one.by).collect::<Vec<_>>(), ["week", "size"]);
}

/// Jobs of ten weeks whose error grows from week to week.
fn ten_weeks() -> Vec<ReplayedJob> {
    let one = |place: u64| job(place * DAY, 1000 + place % 7, 1000 + place % 5 + place * 30);
    (0..70).map(one).collect()
}

#[test]
fn intervals_come_from_eight_weeks_on_and_hold_the_value() {
    let jobs = ten_weeks();
    let found = account(RULES, &jobs);
    let (low, high) = found.whole.interval(WaitFigure::ErrorMean).expect("ten weeks");
    let value = found.whole.value(WaitFigure::ErrorMean).expect("jobs");
    assert!(low < value && value < high, "{low} {value} {high}");
    assert_eq!(account(RULES, &jobs), found);
    assert!(
        found.groupings[0].groups.iter().all(|week| week.compared.interval(WaitFigure::ErrorMean).is_none())
    );
    let seven: Vec<ReplayedJob> = jobs.into_iter().take(49).collect();
    assert_eq!(account(RULES, &seven).whole.interval(WaitFigure::ErrorMean), None);
}

#[test]
fn a_draw_of_weeks_has_the_figures_of_the_jobs_of_these_weeks() {
    let jobs = ten_weeks();
    let draws = resamples::WeekResamples::draw(10, &Streams::new(1, 0));
    let mut means = Vec::new();
    for counts in draws.draws() {
        // the second computation: the jobs again and again, by their definition
        let drawn: Vec<ReplayedJob> = jobs
            .iter()
            .flat_map(|job| std::iter::repeat_n(*job, counts[compared::week_of(job.begin) as usize] as usize))
            .collect();
        means.push(slow(&drawn)[1]);
    }
    let expected = WeekResamples::interval(means).expect("all");
    let found = account(RULES, &jobs).whole.interval(WaitFigure::SimulatedP90).expect("ten weeks");
    assert_eq!(found, expected);
}

/// Ratio of means, simulated 90 % quantile, shares within time and factor, by definition.
fn slow(jobs: &[ReplayedJob]) -> [f64; 4] {
    let secs = |waits: &dyn Fn(&ReplayedJob) -> SimDuration| -> Vec<f64> {
        jobs.iter().map(|job| waits(job).as_secs_f64()).collect()
    };
    let (recorded, mut simulated) = (secs(&|job| job.recorded), secs(&|job| job.simulated));
    let share = |holds: &dyn Fn(f64, f64) -> bool| {
        let count = recorded.iter().zip(&simulated).filter(|(one, other)| holds(**one, **other)).count();
        count as f64 / jobs.len() as f64
    };
    let shares = [
        share(&|one, other| (one - other).abs() <= 600.0),
        share(&|one, other| one <= 2.0 * other && other <= 2.0 * one),
    ];
    let ratio = simulated.iter().sum::<f64>() / recorded.iter().sum::<f64>();
    simulated.sort_by(f64::total_cmp);
    let rank = (simulated.len() * 90).div_ceil(100);
    [ratio, simulated[rank - 1], shares[0], shares[1]]
}

proptest! {
    #[test]
    fn figures_are_those_of_their_definitions(
        jobs in prop::collection::vec((0_u64..40, 0_u64..4000, 0_u64..4000), 1..80),
    ) {
        let jobs: Vec<ReplayedJob> = jobs.into_iter().map(|(day, recorded, simulated)| job(day * DAY, recorded + 1, simulated)).collect();
        let found = account(RULES, &jobs);
        let figures = [WaitFigure::RatioOfMeans, WaitFigure::SimulatedP90, WaitFigure::WithinTime, WaitFigure::WithinFactor];
        for (figure, expected) in figures.into_iter().zip(slow(&jobs)) {
            let value = found.whole.value(figure).expect("jobs");
            prop_assert!((value - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{} {value} {expected}", figure.name());
        }
        // groups divide the jobs and their error
        for grouping in &found.groupings {
            prop_assert_eq!(grouping.groups.iter().map(|group| group.compared.jobs).sum::<u64>(), jobs.len() as u64);
        }
    }
}
