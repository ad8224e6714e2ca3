//! The account of a replay: all jobs, groups of them, and who carries the error.

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::kernel::rng::Streams;
use crate::kernel::stats::ratio;

use super::compared::{ComparedWaits, week_of};
use super::replayed::{ErrorCause, ReplayFacts, ReplayedJob};
use super::resamples::WeekResamples;
use super::rules::{FidelityRules, FidelityWord};

/// The account of one replay.
#[derive(Clone, PartialEq, Debug)]
pub struct FidelityAccount {
    /// The rules.
    pub rules: FidelityRules,
    /// Machine, jobs and names.
    pub facts: ReplayFacts,
    /// All jobs that are compared.
    pub whole: ComparedWaits,
    /// Jobs that are not compared.
    pub left_out: LeftOut,
    /// The jobs by week, queue, partition, size and user group.
    pub groupings: Vec<FidelityGrouping>,
    /// Shares of the error by cause.
    pub causes: Vec<CauseShare>,
    /// The second run, if it was asked for.
    pub without: Option<WithoutCauses>,
}

/// Counts of jobs that are not compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// Jobs whose waits begin in an edge of the log.
    pub in_edges: u64,
    /// Jobs without a recorded wait.
    pub unrecorded: u64,
    /// Jobs that did not run in the simulation: rejected, cancelled, or not over.
    pub not_run: u64,
}

/// The jobs by one of their properties.
#[derive(Clone, PartialEq, Debug)]
pub struct FidelityGrouping {
    /// Property.
    pub by: &'static str,
    /// Groups in order: weeks by time, sizes from the smallest, others by their numbers, last of
    /// all jobs of which it is not known.
    pub groups: Vec<FidelityGroup>,
}

/// Jobs that have one property alike.
#[derive(Clone, PartialEq, Debug)]
pub struct FidelityGroup {
    /// Name.
    pub name: String,
    /// Figures of its jobs.
    pub compared: ComparedWaits,
    /// Share of the absolute error of all jobs that is theirs.
    pub error_share: Option<f64>,
    /// The word for them.
    pub word: Option<FidelityWord>,
}

/// Part of the absolute error on the jobs that have a cause.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CauseShare {
    /// The cause; `None`: jobs that have none.
    pub cause: Option<ErrorCause>,
    /// Jobs; one that has several causes counts at each.
    pub jobs: u64,
    /// Share of the jobs that are compared.
    pub share: Option<f64>,
    /// Share of the absolute error.
    pub error_share: Option<f64>,
}

/// A second run in which the jobs of some causes start as recorded, by the other jobs.
#[derive(Clone, PartialEq, Debug)]
pub struct WithoutCauses {
    /// The causes.
    pub causes: Vec<ErrorCause>,
    /// Jobs that started as recorded.
    pub fixed: u64,
    /// The other jobs in the first run.
    pub before: ComparedWaits,
    /// The other jobs in the second run.
    pub after: ComparedWaits,
}

impl FidelityAccount {
    /// The account of these jobs.
    pub fn of(rules: FidelityRules, facts: ReplayFacts, jobs: &[ReplayedJob], streams: &Streams) -> Self {
        let compared: Vec<&ReplayedJob> =
            jobs.iter().filter(|job| rules.compares(job.begin, facts.last)).collect();
        let weeks = DrawnWeeks::of(&compared, streams);
        let left_out = LeftOut {
            in_edges: (jobs.len() - compared.len()) as u64,
            unrecorded: facts.unrecorded,
            not_run: facts.jobs.saturating_sub(facts.unrecorded).saturating_sub(jobs.len() as u64),
        };
        FidelityAccount {
            whole: ComparedWaits::of(compared.iter().copied(), &rules, Some(weeks.draws()), true),
            left_out,
            groupings: groupings(&compared, &rules, &facts, &weeks),
            causes: causes(&compared),
            without: None,
            rules,
            facts,
        }
    }

    /// The same with a second run of the jobs, in which those of these causes start as recorded.
    #[must_use]
    pub fn without(
        self,
        causes: &[ErrorCause],
        first: &[ReplayedJob],
        second: &[ReplayedJob],
        streams: &Streams,
    ) -> Self {
        let compare = |jobs: &[ReplayedJob]| {
            let is_other = |job: &&ReplayedJob| {
                self.rules.compares(job.begin, self.facts.last) && !job.causes.has_any(causes)
            };
            let others: Vec<&ReplayedJob> = jobs.iter().filter(is_other).collect();
            let weeks = DrawnWeeks::of(&others, streams);
            ComparedWaits::of(others.into_iter(), &self.rules, Some(weeks.draws()), true)
        };
        let (before, after) = (compare(first), compare(second));
        let fixed = second.iter().filter(|job| job.is_fixed).count() as u64;
        let without = WithoutCauses { causes: causes.to_vec(), fixed, before, after };
        FidelityAccount { without: Some(without), ..self }
    }

    /// The word for all jobs; `None` if nothing was compared.
    pub fn word(&self) -> Option<FidelityWord> {
        self.whole.word(&self.rules)
    }

    /// First and last instant at which waits begin that are compared.
    pub fn window(&self) -> (SimTime, SimTime) {
        self.rules.window(self.facts.last)
    }
}

/// The weeks of a set of jobs, and draws of them.
struct DrawnWeeks {
    places: OrderedMap<u32, usize>,
    draws: WeekResamples,
}

impl DrawnWeeks {
    fn of(jobs: &[&ReplayedJob], streams: &Streams) -> Self {
        let mut places: OrderedMap<u32, usize> = jobs.iter().map(|job| (week_of(job.begin), 0)).collect();
        places.values_mut().zip(0..).for_each(|(own, place)| *own = place);
        let draws = WeekResamples::draw(places.len(), streams);
        DrawnWeeks { places, draws }
    }

    fn draws(&self) -> (&WeekResamples, &OrderedMap<u32, usize>) {
        (&self.draws, &self.places)
    }
}

/// The class of a size: 0 for one processor, then up to 4, 16, 64 and so on.
fn size_class(procs: u32) -> u32 {
    if procs <= 1 { 0 } else { (procs - 1).ilog(4) + 1 }
}

/// Sizes of a class.
fn sizes(class: u32) -> String {
    match class {
        0 => "1".to_owned(),
        class => format!("{}-{}", 4_u64.pow(class - 1) + 1, 4_u64.pow(class)),
    }
}

fn groupings(
    jobs: &[&ReplayedJob],
    rules: &FidelityRules,
    facts: &ReplayFacts,
    weeks: &DrawnWeeks,
) -> Vec<FidelityGrouping> {
    let named = |names: &OrderedMap<u32, String>, number: u32| {
        names.get(&number).cloned().unwrap_or_else(|| number.to_string())
    };
    let names = &facts.names;
    let all = total_error(jobs.iter().copied());
    let by = |by, of: &dyn Fn(&ReplayedJob) -> Option<u32>, name: &dyn Fn(u32) -> String| {
        let mut groups: OrderedMap<(bool, u32), Vec<&ReplayedJob>> = OrderedMap::new();
        for &job in jobs {
            let number = of(job);
            groups.entry((number.is_none(), number.unwrap_or_default())).or_default().push(job);
        }
        let draws = (by != "week").then(|| weeks.draws());
        let group = |((unknown, number), own): ((bool, u32), Vec<&ReplayedJob>)| {
            let compared = ComparedWaits::of(own.iter().copied(), rules, draws, false);
            FidelityGroup {
                name: if unknown { "unknown".to_owned() } else { name(number) },
                error_share: (all > 0).then(|| ratio(total_error(own.into_iter()), all)),
                word: compared.word(rules),
                compared,
            }
        };
        FidelityGrouping { by, groups: groups.into_iter().map(group).collect() }
    };
    let all = [
        by("week", &|job| Some(week_of(job.begin)), &|week| week.to_string()),
        by("queue", &|job| job.queue, &|number| named(&names.queues, number)),
        by("partition", &|job| job.partition, &|number| named(&names.partitions, number)),
        by("size", &|job| Some(size_class(job.procs)), &sizes),
        by("group", &|job| job.group, &|number| named(&names.groups, number)),
    ];
    // a property that the log states of no job separates nothing
    let is_stated = |grouping: &FidelityGrouping| grouping.groups.iter().any(|group| group.name != "unknown");
    all.into_iter().filter(is_stated).collect()
}

fn total_error<'a>(jobs: impl Iterator<Item = &'a ReplayedJob>) -> u128 {
    jobs.map(|job| u128::from(job.error().as_nanos())).sum()
}

/// Shares of the error by cause.
fn causes(jobs: &[&ReplayedJob]) -> Vec<CauseShare> {
    let (count, all) = (jobs.len() as u128, total_error(jobs.iter().copied()));
    let of = |cause: Option<ErrorCause>, has: &dyn Fn(&ReplayedJob) -> bool| {
        let own = || jobs.iter().copied().filter(|job| has(job));
        let number = own().count();
        CauseShare {
            cause,
            jobs: number as u64,
            share: (count > 0).then(|| ratio(number as u128, count)),
            error_share: (all > 0).then(|| ratio(total_error(own()), all)),
        }
    };
    let each = ErrorCause::ALL.map(|cause| of(Some(cause), &|job| job.causes.has(cause)));
    each.into_iter().chain([of(None, &|job| job.causes.are_none())]).collect()
}
