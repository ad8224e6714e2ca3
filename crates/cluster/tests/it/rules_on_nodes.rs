//! Every rule of backfilling on nodes: the schedule of counts where nodes have one processor, and a
//! slow reading of conservative backfilling where jobs share nodes.

use std::sync::Arc;

use clustersim_cluster::batch::machine::{Faults, Reservation, ReservationUse, Reservations, ReservedNodes};
use clustersim_cluster::instrument::{Failures, OnNodeFailure, SiteModel};
use clustersim_cluster::judge;
use clustersim_cluster::policy::{Detail, Outcomes, Setting, Watching, simulate_watched};
use clustersim_jobs::workload::resources::{
    Demand, DemandId, Demands, FeatureNames, Features, NodeKind, NodeUse, Nodes, Resources,
};
use clustersim_jobs::workload::{Checkpoint, Job};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimTime, Simulation};
use clustersim_language::collections::{Interval, IntervalSet};
use clustersim_language::ids::JobId;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use crate::cluster::{jobs, policy, rows, secs, starts};

/// Rules of backfilling with all that they can be told, and disciplines that need none.
pub(crate) const RULES: [&str; 25] = [
    "'fcfs'",
    "'easy'",
    "'conservative'",
    "'sjf'",
    "'first-fit'",
    "'best-fit'",
    "'worst-fit'",
    "'easy-plus-plus'",
    "{ kind = 'easy', allocation = 'random' }",
    "{ kind = 'conservative', allocation = 'random' }",
    "{ kind = 'conservative', allocation = 'contiguous' }",
    "{ kind = 'conservative', estimates = 'last-two' }",
    "{ kind = 'conservative', queue = 'sjf' }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', reservations = 3 } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', reservations = 3, order = 'sjbf' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', extra = 'none' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', extra = 'all' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', order = 'smallest' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', order = 'largest' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', judged-by = 'run-time' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', judged-by = 'run-time', reservations = 2 } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', head-reservation = 'kept' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', head-reservation = 'kept', extra = 'all' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', overdue = '20s' } }",
    "{ kind = 'space-sharing', backfill = { kind = 'easy', overdue = '20s', reservations = 2 } }",
];

/// More cases where `CLUSTERSIM_CASES` says so.
fn config(cases: u32) -> Config {
    let more = std::env::var("CLUSTERSIM_CASES").ok().and_then(|cases| cases.parse().ok());
    Config {
        cases: more.unwrap_or(cases),
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..Config::default()
    }
}

/// Spans in which each node is out of service.
type Away = Vec<Vec<(SimTime, SimTime)>>;

/// Runs jobs to their ends on nodes, or on as many processors without them, where nodes of one
/// processor, or those of the site, fail in these spans; jobs write a checkpoint after each 10 s.
fn run_with(
    jobs: &Arc<Vec<Job>>,
    (procs, resources): (u32, Option<&Arc<Resources>>),
    away: Option<&Away>,
    rule: &str,
) -> Outcomes {
    run_reserved(jobs, (procs, resources), (away, Reservations::NONE), rule)
}

/// The same where some of the machine is reserved.
fn run_reserved(
    jobs: &Arc<Vec<Job>>,
    (procs, resources): (u32, Option<&Arc<Resources>>),
    (away, reservations): (Option<&Away>, Reservations),
    rule: &str,
) -> Outcomes {
    let checkpoint = Some(Checkpoint { interval: secs(10), cost: secs(1) });
    let failures = Failures { processors_per_node: 1, then: OnNodeFailure::Requeued, checkpoint };
    let site = SiteModel { failures: away.map(|_| failures), ..SiteModel::default() };
    let setting = Setting { procs, level: 1, until: None, warm_up: WarmUp::None, site };
    let faults = away.map(|away| Faults::Traced(Arc::new(away.clone())));
    let resources = resources.cloned();
    let detail = Detail::Job { resources, faults, reservations, pools: Vec::new() };
    let work = Arc::clone(jobs);
    simulate_watched(work, setting, policy(rule), Simulation::new(1), detail, Watching::default()).unwrap()
}

/// True of rules that go by other times than jobs request.
fn predicts(rule: &str) -> bool {
    ["last-two", "plus-plus", "run-time"].iter().any(|option| rule.contains(option))
}

/// Reservations, each as beginning, length, thousandths of a third of the machine, notice, and true
/// if it is maintenance, and if it shrinks.
type Drawn = Vec<(u64, u64, u32, u64, bool, bool)>;

fn reserving() -> impl Strategy<Value = Drawn> {
    let one = (1_u64..150, 1_u64..60, 0_u32..1000, 0_u64..200, any::<bool>(), prop::bool::weighted(0.3));
    prop::collection::vec(one, 1..4)
}

/// The reservations of so many processors or nodes; some jobs run inside those that are no
/// maintenance.
fn reservations(drawn: &Drawn, procs: u32, jobs: usize, nodes: bool) -> Reservations {
    let at = |seconds| SimTime::from_secs(seconds).unwrap();
    let mut of = Reservations::default();
    for (number, &(from, length, part, notice, maintains, shrinks)) in (1..).zip(drawn) {
        let most = procs / drawn.len() as u32;
        let count = (procs / 3 * part).div_ceil(1000).clamp(1, most.max(1));
        let purpose = if maintains { ReservationUse::Maintenance } else { ReservationUse::Advance };
        let (from, to, known) = (at(from), at(from + length), at(from.saturating_sub(notice)));
        of.all.push(Reservation { number, time: 1, from, to, known, procs: count, purpose, shrinks });
        if !maintains {
            let inside = (0..jobs).filter(|job| job % 7 == number as usize);
            of.inside.extend(inside.map(|job| (JobId(job as u32), number)));
        }
        if nodes {
            of.nodes.insert(number, ReservedNodes { among: IntervalSet::full(procs), count: Some(count) });
        }
    }
    of
}

/// Spans out of service of some nodes, as (node, beginning, length).
fn away() -> impl Strategy<Value = Vec<(usize, u64, u64)>> {
    prop::collection::vec((0_usize..20, 1_u64..150, 1_u64..60), 0..8)
}

fn spans(of: &[(usize, u64, u64)], nodes: u32) -> Away {
    let at = |seconds| SimTime::from_secs(seconds).unwrap();
    let mut all: Away = vec![Vec::new(); nodes as usize];
    let mut of = of.to_vec();
    of.sort_by_key(|&(_, from, _)| from);
    for (node, from, length) in of {
        let spans = &mut all[node % nodes as usize];
        if spans.last().is_none_or(|&(_, to)| to <= at(from)) {
            spans.push((at(from), at(from + length)));
        }
    }
    all
}

fn plain(nodes: u32, processors: u32) -> NodeKind {
    NodeKind { nodes, processors, memory: NodeKind::ENDLESS, gpus: 0, features: Features::NONE }
}

/// Jobs as (submission, processors, run time, estimate); some estimates are too short.
pub(crate) fn any_jobs(most: usize) -> impl Strategy<Value = Vec<(u64, u32, u64, u64)>> {
    let job = (0_u64..60, 1_u32..12, 1_u64..80, 0_u64..60);
    prop::collection::vec(job, 1..most).prop_map(|mut rows| {
        rows.sort_by_key(|row| row.0);
        let estimate = |run: u64, over: u64| (run + over).saturating_sub(15).max(1);
        rows.into_iter().map(|(submit, procs, run, over)| (submit, procs, run, estimate(run, over))).collect()
    })
}

proptest! {
    #![proptest_config(config(25))]

    /// A processor is a node of its own, of whatever kind: every rule starts the same jobs at the
    /// same time on the same processors, for the same reason.
    #[test]
    fn on_nodes_of_one_processor_every_rule_gives_the_schedule_of_counts(
        rows in any_jobs(60),
        kinds in prop::collection::vec(1_u32..8, 1..4),
        memory in any::<bool>(),
        away in prop::option::of(away()),
    ) {
        // kinds that are alike are one class, in bookings as in counts
        let mut kinds: Vec<NodeKind> = kinds.into_iter().map(|nodes| plain(nodes, 1)).collect();
        if memory { kinds.iter_mut().for_each(|kind| kind.memory = 8); }
        let mut demands = Demands::default();
        let asks = demands.number(Demand { memory: if memory { 8 } else { 0 }, ..Demand::PLAIN });
        let nodes = Nodes::new(kinds, FeatureNames::default()).unwrap();
        let resources = Arc::new(Resources { nodes, demands });
        let procs = resources.nodes.procs();
        let rows: Vec<_> =
            rows.into_iter().map(|(submit, wide, run, says)| (submit, wide.min(procs), run, says)).collect();
        let counted = jobs(&rows);
        let mut asking = counted.to_vec();
        asking.iter_mut().for_each(|job| job.demand = asks);
        let asking = Arc::new(asking);
        for rule in RULES {
            let away = away.as_ref().map(|away| spans(away, procs));
            let on_nodes = run_with(&asking, (procs, Some(&resources)), away.as_ref(), rule);
            let counts = run_with(&counted, (procs, None), away.as_ref(), rule);
            prop_assert_eq!(starts(&on_nodes), starts(&counts), "{}", rule);
            for (ours, theirs) in on_nodes.record.outcomes().zip(counts.record.outcomes()) {
                prop_assert_eq!(ours, theirs, "{}", rule);
            }
        }
    }

    /// The same where some are reserved, in numbers.
    #[test]
    fn on_reserved_nodes_of_one_processor_every_rule_gives_the_schedule_of_counts(
        rows in any_jobs(60),
        nodes in 4_u32..20,
        away in prop::option::of(away()),
        drawn in reserving(),
    ) {
        let mut demands = Demands::default();
        let asks = demands.number(Demand { memory: 8, ..Demand::PLAIN });
        let kind = NodeKind { memory: 8, ..plain(nodes, 1) };
        let nodes = Nodes::new(vec![kind], FeatureNames::default()).unwrap();
        let resources = Arc::new(Resources { nodes, demands });
        let procs = resources.nodes.procs();
        let rows: Vec<_> =
            rows.into_iter().map(|(submit, wide, run, says)| (submit, wide.min(procs), run, says)).collect();
        let counted = jobs(&rows);
        let mut asking = counted.to_vec();
        asking.iter_mut().for_each(|job| job.demand = asks);
        let asking = Arc::new(asking);
        for rule in RULES {
            let away = away.as_ref().map(|away| spans(away, procs));
            let reserved = |nodes| (away.as_ref(), reservations(&drawn, procs, rows.len(), nodes));
            let on_nodes = run_reserved(&asking, (procs, Some(&resources)), reserved(true), rule);
            let counts = run_reserved(&counted, (procs, None), reserved(false), rule);
            prop_assert_eq!(starts(&on_nodes), starts(&counts), "{}", rule);
            for (ours, theirs) in on_nodes.record.outcomes().zip(counts.record.outcomes()) {
                prop_assert_eq!(ours, theirs, "{}", rule);
            }
            let (ours, theirs) = (on_nodes.record.reserved(), counts.record.reserved());
            prop_assert_eq!(ours.begun(), theirs.begun(), "{}", rule);
        }
    }

    /// Whatever is asked for: everybody leaves, nobody has more than there is, and twice is the
    /// same.
    #[test]
    fn on_shared_nodes_nobody_has_more_than_there_is_by_any_rule(
        drawn in any_jobs(50),
        asked in prop::collection::vec((1_u32..4, 0_u64..9, 0_u32..3, prop::bool::weighted(0.2)), 4),
        which in prop::collection::vec(0_usize..4, 50),
        away in prop::option::of(away()),
    ) {
        let mut demands = Demands::default();
        let numbers: Vec<DemandId> = asked.iter().map(|&(procs, memory, gpus, alone)| {
            let node_use = if alone { NodeUse::Exclusive } else { NodeUse::Shared };
            demands.number(Demand { procs, memory, gpus: gpus / 2, node_use, ..Demand::PLAIN })
        }).collect();
        let kinds =
            vec![NodeKind { memory: 16, ..plain(3, 4) }, NodeKind { memory: 40, gpus: 2, ..plain(2, 6) }];
        let resources = Arc::new(Resources { nodes: Nodes::new(kinds, FeatureNames::default()).unwrap(), demands });
        let mut all = jobs(&drawn).to_vec();
        all.iter_mut().zip(which).for_each(|(job, place)| job.demand = numbers[place]);
        let all = Arc::new(all);
        for rule in RULES {
            let away = away.as_ref().map(|away| spans(away, resources.nodes.count()));
            let run = || run_with(&all, (resources.nodes.procs(), Some(&resources)), away.as_ref(), rule);
            let outcomes = run();
            prop_assert!(!outcomes.stopped, "{}", rule);
            if away.is_some() {
                prop_assert_eq!(run().digest, outcomes.digest, "{}", rule);
                continue;
            }
            let rows = rows(&outcomes);
            prop_assert_eq!(judge::schedule(&rows, resources.nodes.procs()), [], "{}", rule);
            prop_assert_eq!(judge::on_nodes(&rows, &resources), [], "{}", rule);
            prop_assert_eq!(run().digest, outcomes.digest, "{}", rule);
        }
    }
}

proptest! {
    #![proptest_config(config(10))]

    /// A reservation that no job meets changes no start, whatever the options.
    #[test]
    fn a_reservation_in_a_distant_future_changes_no_start(
        rows in any_jobs(60), procs in 12_u32..20, away in prop::option::of(away()),
    ) {
        let all = jobs(&rows);
        let far = vec![(1_000_000, 10, 500, 1_000_000, true, false)];
        for rule in RULES {
            let away = away.as_ref().map(|away| spans(away, procs));
            let far = (away.as_ref(), reservations(&far, procs, 0, false));
            let with = run_reserved(&all, (procs, None), far, rule);
            let without = run_with(&all, (procs, None), away.as_ref(), rule);
            prop_assert_eq!(starts(&with), starts(&without), "{}", rule);
        }
    }
}

/// Processors of these nodes of a site.
fn processors(resources: &Resources, among: &IntervalSet) -> Vec<(u32, u32)> {
    let nodes = among.iter().flat_map(|run| run.first..=run.last);
    let ends = |(first, count): (u32, u32)| (first, first + count - 1);
    nodes.map(|node| ends(resources.nodes.processors(node))).collect()
}

proptest! {
    #![proptest_config(config(10))]

    /// No job starts, by its estimate, into the time of nodes that are reserved by name once that is
    /// known, and maintenance has its nodes at once, whatever is asked for and whichever nodes fail.
    #[test]
    fn reserved_nodes_have_no_jobs_by_any_rule(
        drawn in any_jobs(50),
        asked in prop::collection::vec((1_u32..4, 0_u64..9, 0_u32..3, prop::bool::weighted(0.2)), 4),
        all_alone in prop::bool::weighted(0.2),
        which in prop::collection::vec(0_usize..4, 50),
        away in prop::option::of(away()),
        reserved in reserving(),
        named in prop::collection::vec((0_u32..5, 0_u32..5), 3),
    ) {
        let mut demands = Demands::default();
        let numbers: Vec<DemandId> = asked.iter().map(|&(procs, memory, gpus, alone)| {
            let node_use = if alone || all_alone { NodeUse::Exclusive } else { NodeUse::Shared };
            demands.number(Demand { procs, memory, gpus: gpus / 2, node_use, ..Demand::PLAIN })
        }).collect();
        let kinds =
            vec![NodeKind { memory: 16, ..plain(3, 4) }, NodeKind { memory: 40, gpus: 2, ..plain(2, 6) }];
        let resources = Arc::new(Resources { nodes: Nodes::new(kinds, FeatureNames::default()).unwrap(), demands });
        let mut all = jobs(&drawn).to_vec();
        all.iter_mut().zip(which).for_each(|(job, place)| job.demand = numbers[place]);
        let all = Arc::new(all);
        let mut of = reservations(&reserved, 24, all.len(), true);
        for (place, one) in of.all.iter_mut().enumerate() {
            let (first, last) = named[place];
            let mut among = IntervalSet::default();
            among.insert(Interval::new(first.min(last), first.max(last)));
            let count = (place == 1).then_some(1);
            (one.shrinks, one.procs) = (one.shrinks || count.is_none(), 24);
            of.nodes.insert(one.number, ReservedNodes { among, count });
        }
        // those that could be at the same time are left out
        let overlaps: Vec<u32> = of.all.iter().filter(|one| {
            of.all.iter().any(|other| other.number < one.number && other.from < one.to && one.from < other.to)
        }).map(|one| one.number).collect();
        of.all.retain(|one| !overlaps.contains(&one.number));
        for rule in RULES.into_iter().filter(|rule| !predicts(rule)) {
            let away = away.as_ref().map(|away| spans(away, resources.nodes.count()));
            let run = || {
                let reserved = (away.as_ref(), of.clone());
                run_reserved(&all, (resources.nodes.procs(), Some(&resources)), reserved, rule)
            };
            let outcomes = run();
            prop_assert!(!outcomes.stopped, "{}", rule);
            prop_assert_eq!(run().digest, outcomes.digest, "{}", rule);
            if away.is_none() {
                let rows = rows(&outcomes);
                prop_assert_eq!(judge::on_nodes(&rows, &resources), [], "{}", rule);
            }
            for one in of.all.iter().filter(|one| of.nodes[&one.number].count.is_none()) {
                let own = processors(&resources, &of.nodes[&one.number].among);
                // a run that goes on from a checkpoint is planned for what is left
                for (place, job) in all.iter().enumerate().filter(|_| away.is_none()) {
                    let id = JobId(place as u32);
                    let outcome = outcomes.record.outcome(id);
                    let starts = outcome.start;
                    if of.inside.contains_key(&id) || outcome.start >= outcome.end || starts < one.known {
                        continue;
                    }
                    let meets = starts < one.to && starts.saturating_add(job.estimate) > one.from;
                    let held = outcomes.record.processors(id);
                    let on = held.iter().any(|part| {
                        own.iter().any(|&(first, last)| part.first <= last && first <= part.last)
                    });
                    prop_assert!(!(meets && on), "{} job {} {:?}", rule, place, one);
                }
                if one.purpose == ReservationUse::Maintenance && away.is_none() {
                    let begun = outcomes.record.reserved().begun().iter();
                    let begun = begun.filter(|begun| begun.which == (one.number, one.time));
                    prop_assert!(begun.into_iter().all(|begun| begun.whole == Some(begun.from)), "{}", rule);
                }
            }
        }
    }
}

/// Two nodes of 4 processors and 8 bytes. The first two jobs have the memory of a node each. Node 0
/// fails at 10 s with the first job and the third: the first finds processors on node 1, and no
/// memory; the third asks for none, and is over before the second. Node 0 is back at 50 s.
#[test]
fn a_failing_node_takes_its_memory_with_it() {
    let mut demands = Demands::default();
    let heavy = demands.number(Demand { memory: 4, ..Demand::PLAIN });
    let kind = NodeKind { memory: 8, ..plain(2, 4) };
    let nodes = Nodes::new(vec![kind], FeatureNames::default()).unwrap();
    let resources = Arc::new(Resources { nodes, demands });
    let mut all = jobs(&[(0, 2, 20, 20), (0, 2, 100, 100), (5, 2, 30, 30)]).to_vec();
    all[..2].iter_mut().for_each(|job| job.demand = heavy);
    let all = Arc::new(all);
    let away = spans(&[(0, 10, 40)], 2);
    let begun = |rule| starts(&run_with(&all, (8, Some(&resources)), Some(&away), rule));
    for rule in ["'easy'", "'conservative'", "'first-fit'"] {
        assert_eq!(begun(rule), [50, 0, 10], "{rule}");
    }
    assert_eq!(begun("'fcfs'"), [50, 0, 50], "it waits behind the first");
}

/// Two nodes of 4 processors and 8 bytes, of which one is maintained from 50 to 80 s. By name, or as
/// the one that is to be free by then and has the highest number, it is node 1: the second job is on
/// it until just then, the third waits for node 0, and the fourth for the end of the maintenance.
/// Where nothing is known before 40 s, and the second job lasts longer than the first, node 0 is
/// chosen, and the first job has to go: it begins again where the second was, or, as under
/// conservative backfilling others have been promised that meanwhile, behind the third.
#[test]
fn maintenance_of_a_node_by_name_and_by_number() {
    let at = |seconds| SimTime::from_secs(seconds).unwrap();
    let mut demands = Demands::default();
    let heavy = demands.number(Demand { memory: 1, ..Demand::PLAIN });
    let nodes = Nodes::new(vec![NodeKind { memory: 8, ..plain(2, 4) }], FeatureNames::default()).unwrap();
    let resources = Arc::new(Resources { nodes, demands });
    let begun = |rule, second: u64, known, count: Option<u32>| {
        let rows = [(0, 4, 60, 60), (0, 4, second, second), (0, 4, 30, 30), (10, 2, 40, 40)];
        let mut all = jobs(&rows).to_vec();
        all.iter_mut().for_each(|job| job.demand = heavy);
        let mut of = Reservations::default();
        let purpose = ReservationUse::Maintenance;
        let (from, to, known) = (at(50), at(80), at(known));
        of.all.push(Reservation { number: 1, time: 1, from, to, known, procs: 4, purpose, shrinks: false });
        let mut among = IntervalSet::default();
        among.insert(if count.is_some() { Interval::new(0, 1) } else { Interval::new(1, 1) });
        of.nodes.insert(1, ReservedNodes { among, count });
        starts(&run_reserved(&Arc::new(all), (8, Some(&resources)), (None, of), rule))
    };
    for rule in ["'easy'", "'conservative'", "'first-fit'", "'fcfs'"] {
        assert_eq!(begun(rule, 50, 0, None), [0, 0, 60, 80], "{rule}");
        assert_eq!(begun(rule, 50, 0, Some(1)), [0, 0, 60, 80], "{rule}");
        assert_eq!(begun(rule, 50, 40, Some(1)), [0, 0, 60, 80], "{rule}");
        let expected = if rule == "'conservative'" { [100, 0, 70, 80] } else { [70, 0, 80, 110] };
        assert_eq!(begun(rule, 70, 40, Some(1)), expected, "{rule}");
    }
}

/// One reservation of a node for each of these spans.
fn one_node(spans: &[(u64, u64)], purpose: ReservationUse) -> Reservations {
    let at = |seconds| SimTime::from_secs(seconds).unwrap();
    let mut of = Reservations::default();
    for (number, &(from, to)) in (1..).zip(spans) {
        let (from, to, known) = (at(from), at(to), SimTime::ZERO);
        of.all.push(Reservation { number, time: 1, from, to, known, procs: 1, purpose, shrinks: false });
        of.nodes.insert(number, ReservedNodes { among: IntervalSet::full(2), count: Some(1) });
    }
    of
}

/// Of two nodes one is maintained three times, one time after the other: a job may have the other
/// one all the while.
#[test]
fn reservations_that_follow_each_other_are_not_added_up() {
    let nodes = Nodes::new(vec![plain(2, 1)], FeatureNames::default()).unwrap();
    let resources = Arc::new(Resources { nodes, demands: Demands::default() });
    let all = jobs(&[(0, 1, 100, 100), (0, 1, 20, 20)]);
    for rule in ["'easy'", "'conservative'", "'first-fit'", "'fcfs'"] {
        let of = one_node(&[(10, 20), (30, 40), (50, 60)], ReservationUse::Maintenance);
        let begun = starts(&run_reserved(&all, (2, Some(&resources)), (None, of), rule));
        assert_eq!(begun, [0, 60], "{rule}");
    }
}

/// The one node that is chosen for a reservation is out of service when that begins: it takes the
/// other one, which is free.
#[test]
fn a_reservation_whose_only_node_is_down_takes_another() {
    let mut demands = Demands::default();
    let heavy = demands.number(Demand { memory: 1, ..Demand::PLAIN });
    let nodes = Nodes::new(vec![NodeKind { memory: 8, ..plain(2, 4) }], FeatureNames::default()).unwrap();
    let resources = Arc::new(Resources { nodes, demands });
    let mut all = jobs(&[(55, 2, 5, 5)]).to_vec();
    all[0].demand = heavy;
    let (all, away) = (Arc::new(all), spans(&[(1, 20, 100)], 2));
    for rule in ["'easy'", "'conservative'", "'first-fit'", "'fcfs'"] {
        let of = one_node(&[(50, 80)], ReservationUse::Advance);
        let begun = starts(&run_reserved(&all, (8, Some(&resources)), (Some(&away), of), rule));
        assert_eq!(begun, [80], "{rule}");
    }
}
