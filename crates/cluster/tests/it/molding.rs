//! Moldable jobs: examples by hand, and what holds for any jobs under any rule that gives them
//! sizes.

use std::sync::Arc;

use async_trait::async_trait;
use clustersim_cluster::batch::machine::Reservations;
use clustersim_cluster::instrument::{Reason, SiteModel, State};
use clustersim_cluster::judge;
use clustersim_cluster::policy::{
    Detail, FrontEnd, Outcomes, Policy, PolicyError, Setting, SiteEvent, Watching, simulate, simulate_watched,
};
use clustersim_experiment::measure::metric::Metric;
use clustersim_jobs::workload::moldable::{Moldable, Sizes};
use clustersim_jobs::workload::resources::{
    Demand, Demands, FeatureNames, Features, NodeKind, Nodes, Resources,
};
use clustersim_jobs::workload::speedup::{self, Law};
use clustersim_jobs::workload::{Job, Walltime, Workload};
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimError, SimTime, Simulation};
use clustersim_language::collections::Interval;
use clustersim_language::ids::JobId;
use clustersim_language::registry::{
    Key, Kind, Node, Params, Registry, Sources, Span, Value, check as check_keys, parse_file,
};
use proptest::prelude::*;

use crate::cluster::{jobs, policy, rows};

const LAW: &[Key] = &[Key::new("law", Kind::Component("speedup")).about("a law")];

/// The law that a scenario describes by `law = …`.
fn law(value: &str) -> Arc<dyn Law> {
    let mut registry = Registry::new();
    registry.table(speedup::table());
    let mut sources = Sources::new(".");
    let text = format!("law = {value}");
    let id = sources.add("scenario.toml", &text, "");
    let mut complaints = Vec::new();
    let tree = parse_file(&text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    let node = check_keys(&registry, &sources, &node, LAW, &mut complaints);
    let node = node.unwrap_or_else(|| panic!("{complaints:?}"));
    Arc::from(Params::new(&registry, &sources, &node).component::<dyn Law>("law", "speedup").unwrap())
}

fn work(all: &Arc<Vec<Job>>, of_law: &str, sizes: Sizes, which: Option<&[u32]>) -> Workload {
    let which = which.map(|which| which.iter().copied().map(JobId).collect());
    let moldable = Some(Arc::new(Moldable::new(law(of_law), sizes, which)));
    Workload { jobs: Arc::clone(all), moldable, ..Workload::default() }
}

fn run_at(
    work: &Workload,
    (procs, level): (u32, u32),
    name: &str,
    site: SiteModel,
) -> Result<Outcomes, SimError> {
    let setting = Setting { procs, level, until: None, warm_up: WarmUp::None, site };
    simulate(work.clone(), setting, policy(name), Simulation::new(1))
}

fn run(work: &Workload, procs: u32, name: &str) -> Outcomes {
    run_at(work, (procs, 1), name, SiteModel::default()).unwrap()
}

/// Processors of each job, its start and its end [ns].
fn told(outcomes: &Outcomes) -> Vec<(u32, u64, u64)> {
    let all = outcomes.jobs.iter().zip(outcomes.record.outcomes());
    all.map(|(job, one)| (job.procs, one.start.as_nanos(), one.end.as_nanos())).collect()
}

/// The same in seconds, all of which are whole.
fn in_seconds(outcomes: &Outcomes) -> Vec<(u32, u64, u64)> {
    let secs = |nanos: u64| {
        assert_eq!(nanos % 1_000_000_000, 0, "{nanos}");
        nanos / 1_000_000_000
    };
    told(outcomes).into_iter().map(|(procs, start, end)| (procs, secs(start), secs(end))).collect()
}

fn metric(outcomes: &Outcomes, name: &str) -> Option<f64> {
    outcomes.metrics().iter().find(|metric| metric.name == name).and_then(Metric::number)
}

const UP_TO_8: Sizes = Sizes { most: 8, ..Sizes::ANY };

#[test]
fn the_size_of_the_earliest_end_is_chosen_among_those_that_run_and_wait() {
    // (submission, processors, run time, estimate) on 10 processors, up to 8 for a job, all
    // perfectly parallel
    let all = jobs(&[(0, 4, 100, 100), (10, 2, 60, 60), (20, 1, 20, 20)]);
    let work = work(&all, "'linear'", UP_TO_8, None);
    // the first gets 8 and ends at 50 s; the second could have the 2 that are free and end at 70 s,
    // or wait for 8 and end at 65 s; the third may not start before the second, and then 2 are
    // left, to 60 s, where 8 would end at 67.5 s
    let fcfs = run(&work, 10, "{ kind = 'fcfs', molding = 'earliest-end' }");
    assert_eq!(in_seconds(&fcfs), [(8, 0, 50), (8, 50, 65), (2, 50, 60)]);
    assert_eq!(metric(&fcfs, "jobs.molded"), Some(3.0));
    assert!((metric(&fcfs, "molding.size-ratio").unwrap() - 8.0 / 3.0).abs() < 1e-12);
    // over the dedicated times of 100, 60 and 20 s: 50, 55 and 40 s of response
    let slowdown = (50.0 / 100.0 + 55.0 / 60.0 + 40.0 / 20.0) / 3.0;
    assert!((metric(&fcfs, "slowdown.mean").unwrap() - slowdown).abs() < 1e-12);
    // the machine is full from the first start to the last end, but for 2 processors up to 50 s and
    // from 60 s on
    assert!((metric(&fcfs, "utilization").unwrap() - 540.0 / 650.0).abs() < 1e-12);
    // where it may overtake, it has the 2 that are free at once
    for name in ["easy", "conservative"] {
        let outcomes = run(&work, 10, &format!("{{ kind = '{name}', molding = 'earliest-end' }}"));
        assert_eq!(in_seconds(&outcomes), [(8, 0, 50), (8, 50, 65), (2, 20, 30)], "{name}");
    }
    let asked = fcfs.record.asked(JobId(2)).map(|job| (job.procs, job.run_time.as_nanos()));
    assert_eq!(asked, Some((1, 20_000_000_000)));
}

/// Two nodes of 4 processors and 8 bytes; jobs have 2 bytes for each processor, but for the first,
/// which takes all the memory of node 0 with one.
#[test]
fn sizes_are_those_that_nodes_can_hold() {
    let mut demands = Demands::default();
    let [all_of_it, two] = [8, 2].map(|memory| demands.number(Demand { memory, ..Demand::PLAIN }));
    let kind = NodeKind { nodes: 2, processors: 4, memory: 8, gpus: 0, features: Features::NONE };
    let nodes = Nodes::new(vec![kind], FeatureNames::default()).unwrap();
    let resources = Arc::new(Resources { nodes, demands });
    let mut all = jobs(&[(0, 1, 40, 40), (1, 2, 60, 60), (2, 2, 30, 30)]).to_vec();
    all[0].demand = all_of_it;
    all[1..].iter_mut().for_each(|job| job.demand = two);
    let work = work(&Arc::new(all), "'linear'", UP_TO_8, Some(&[1, 2]));
    let setting =
        Setting { procs: 8, level: 1, until: None, warm_up: WarmUp::None, site: SiteModel::default() };
    let run = |rule: &str| {
        let detail = Detail::Job {
            resources: Some(Arc::clone(&resources)),
            faults: None,
            reservations: Reservations::NONE,
            pools: Vec::new(),
        };
        let (rule, simulation) = (policy(rule), Simulation::new(1));
        let work = work.clone();
        in_seconds(&simulate_watched(work, setting, rule, simulation, detail, Watching::default()).unwrap())
    };
    // three processors of node 0 are free, without memory: the second has node 1, to 31 s, where 8
    // processors would end at 55 s; the third waits for node 1, to 46 s, where 8 at 40 s would end
    // at 47.5 s
    for rule in ["'easy'", "'conservative'"] {
        let molding = rule.trim_matches('\'');
        let found = run(&format!("{{ kind = '{molding}', molding = 'earliest-end' }}"));
        assert_eq!(found, [(1, 0, 40), (4, 1, 31), (4, 31, 46)], "{rule}");
    }
    // as much as is free
    assert_eq!(run("{ kind = 'easy', molding = 'fits-now' }"), [(1, 0, 40), (4, 1, 31), (4, 31, 46)]);
}

#[test]
fn the_largest_efficient_size_is_chosen_whatever_runs() {
    let all = jobs(&[(0, 4, 100, 300), (0, 30, 100, 100), (0, 1, 100, 100)]);
    // S(n) / n = 1 / (1 + (n - 1) / 16) is a half at 17
    let work = work(&all, "{ kind = 'amdahl', serial = 0.0625 }", Sizes::ANY, Some(&[0, 1]));
    let outcomes = run(&work, 64, "{ kind = 'fcfs', molding = 'efficient' }");
    // S(4) = 64/19, S(17) = 17/2 and S(30) = 480/45: 100 s take 39.62848297213... s and
    // 125.4901960784... s
    assert_eq!(told(&outcomes), [(17, 0, 39_628_482_973), (17, 0, 125_490_196_079), (1, 0, 100_000_000_000)]);
    assert_eq!(outcomes.jobs[0].estimate.as_nanos(), 118_885_448_917, "three times as long, rounded up");
    let most = run(&work, 64, "{ kind = 'fcfs', molding = { kind = 'efficient', at-least = 0.99 } }");
    assert_eq!(most.jobs.iter().map(|job| job.procs).collect::<Vec<_>>(), [1, 1, 1]);
}

#[test]
fn the_head_of_the_queue_takes_what_is_free() {
    let sizes = Sizes { least: 2, ..Sizes::ANY };
    // 6 of 10 processors are held up to 100 s; the second and the third are moldable
    let all = jobs(&[(0, 6, 100, 100), (1, 8, 50, 50), (2, 4, 20, 20), (3, 1, 10, 10)]);
    let work = work(&all, "'linear'", sizes, Some(&[1, 2]));
    for name in ["fcfs", "easy", "sjf"] {
        let outcomes = run(&work, 10, &format!("{{ kind = '{name}', molding = 'fits-now' }}"));
        let second = (4, 1_000_000_000, 101_000_000_000);
        // with 6 of them 80 processor seconds last for 13.33... s
        let third = (6, 100_000_000_000, 113_333_333_334);
        let fourth = (1, 101_000_000_000, 111_000_000_000);
        let found = told(&outcomes);
        assert_eq!(found[0], (6, 0, 100_000_000_000), "{name}");
        assert_eq!(found[1], second, "{name}");
        if name == "sjf" {
            // the third, which has become longer as the head that waits, lets the fourth come
            // before it
            assert_eq!(found[3].1, 100_000_000_000);
            assert_eq!((found[2].0, found[2].1), (5, 100_000_000_000));
        } else {
            assert_eq!(found[2..], [third, fourth], "{name}");
        }
    }
}

#[test]
fn the_head_has_its_reservation_for_the_fewest_processors_that_it_can_run_on() {
    // 5 of 10 processors are held up to 100 s; the second asks for all, and can run on 6
    let all = jobs(&[(0, 5, 100, 100), (1, 10, 60, 60), (2, 4, 500, 500)]);
    let work = work(&all, "'linear'", Sizes { least: 6, ..Sizes::ANY }, Some(&[1]));
    // so it leaves 4 to the third, which is not over by 100 s
    let outcomes = run(&work, 10, "{ kind = 'easy', molding = 'fits-now' }");
    assert_eq!(in_seconds(&outcomes), [(5, 0, 100), (6, 100, 200), (4, 2, 502)]);
    let rigid = run(&work, 10, "'easy'");
    assert_eq!(in_seconds(&rigid), [(5, 0, 100), (10, 100, 160), (4, 160, 660)]);
}

#[test]
fn who_is_killed_at_its_limit_is_killed_at_the_limit_of_its_size() {
    // asks for 4 processors and 100 s, and would run for 200 s; the other ends by itself in any
    // case
    let all = jobs(&[(0, 4, 200, 100), (1000, 4, 100, 100)]);
    let work = work(&all, "'linear'", UP_TO_8, None);
    let site = |grace| SiteModel {
        walltime: Some(Walltime { grace: SimDuration::from_secs(grace), ..Walltime::default() }),
        ..SiteModel::default()
    };
    let run = |molding, grace| {
        let name = format!("{{ kind = 'fcfs', molding = '{molding}' }}");
        let outcomes = run_at(&work, (8, 1), &name, site(grace)).unwrap();
        let states: Vec<State> = outcomes.record.outcomes().map(|one| one.state).collect();
        assert_eq!(states, [State::Killed, State::Completed]);
        outcomes
    };
    assert_eq!(in_seconds(&run("as-requested", 10)), [(4, 0, 110), (4, 1000, 1100)]);
    // on 8 it requests 50 s, and would run for 100 s; the grace is that of the site
    let earliest = run("earliest-end", 10);
    assert_eq!(in_seconds(&earliest), [(8, 0, 60), (8, 1000, 1050)]);
    assert_eq!(judge::limit(&rows(&earliest), SimDuration::from_secs(10), judge::LimitBasis::Held), []);
    // alone on what it asked for it would have been killed after 110 s
    assert!((metric(&earliest, "slowdown.max").unwrap() - 60.0 / 110.0).abs() < 1e-12);
    assert_eq!(in_seconds(&run("earliest-end", 0)), [(8, 0, 50), (8, 1000, 1050)]);
}

#[test]
fn under_gang_scheduling_a_job_has_the_columns_of_its_size() {
    let all = jobs(&[(0, 8, 100, 100), (0, 8, 100, 100)]);
    // on 4 each is half as fast, and both find room in one row
    let work = work(&all, "{ kind = 'amdahl', serial = 1 }", Sizes::ANY, None);
    let gang = |molding: &str| format!("{{ kind = 'gang', quantum = '10s', switch = '0s'{molding} }}");
    let site = SiteModel::default();
    let outcomes = run_at(&work, (8, 2), &gang(", molding = { kind = 'efficient', at-least = 0.2 }"), site);
    // S(n) = 1: a fifth is reached on 5 processors
    assert_eq!(in_seconds(&outcomes.unwrap()), [(5, 0, 190), (5, 0, 200)]);
    let outcomes = run_at(&work, (8, 2), &gang(", molding = { kind = 'efficient', at-least = 0.25 }"), site);
    assert_eq!(in_seconds(&outcomes.unwrap()), [(4, 0, 100), (4, 0, 100)]);
}

/// A policy of one's own that gives the first job a size, and starts every job when it comes.
#[derive(Debug)]
struct Own(u32, bool);

#[async_trait(?Send)]
impl Policy for Own {
    fn name(&self) -> &'static str {
        "own"
    }

    fn molds(&self) -> bool {
        self.1
    }

    async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
        while let Some(news) = front.news().await {
            for event in news {
                let SiteEvent::Arrived(id) = event else { continue };
                if id == JobId(0) {
                    front.mold(id, self.0)?;
                }
                let first = Interval::new(0, front.job(id).procs - 1);
                front.start(id, &[first], Reason::Head)?;
                assert!(front.moldable(id).is_none());
            }
        }
        Ok(())
    }
}

#[test]
fn a_policy_of_ones_own_may_give_sizes_and_is_told_which_cannot_be() {
    let all = jobs(&[(0, 4, 100, 100), (200, 2, 10, 10)]);
    let sizes = Sizes { powers_of_two: true, ..Sizes::ANY };
    let run = |own: Own, which| {
        let setting =
            Setting { procs: 8, level: 1, until: None, warm_up: WarmUp::None, site: SiteModel::default() };
        let work = work(&all, "'linear'", sizes, which);
        simulate(work, setting, Box::new(own), Simulation::new(1)).map_err(|error| error.to_string())
    };
    let good = run(Own(2, true), None).unwrap();
    assert_eq!(in_seconds(&good), [(2, 0, 200), (2, 200, 210)]);
    for (own, which, expected) in [
        (Own(3, true), None, "it cannot run on 3 processors"),
        (Own(16, true), None, "it cannot run on 16 processors"),
        (Own(0, true), None, "it cannot run on 0 processors"),
        (Own(2, true), Some(&[1][..]), "it cannot be given another size: it is rigid, or has been started"),
        (Own(2, false), None, "it cannot be given another size: it is rigid, or has been started"),
    ] {
        let error = run(own, which).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

const LAWS: [&str; 6] = [
    "'linear'",
    "{ kind = 'amdahl', serial = 0.2 }",
    "{ kind = 'power', exponent = 0.6 }",
    "{ kind = 'downey', parallelism = 1.3, variance = 0.4 }",
    "{ kind = 'downey', parallelism = 2, variance = 3 }",
    "{ kind = 'downey', average = 5, variance = 0 }",
];
const SPACE: [&str; 8] = [
    "kind = 'fcfs'",
    "kind = 'easy'",
    "kind = 'conservative'",
    "kind = 'sjf'",
    "kind = 'first-fit'",
    "kind = 'easy-plus-plus'",
    "kind = 'easy', decide = 'event'",
    "kind = 'easy', queues = [{ name = 'all', max-running = 3, max-procs = 6, max-queued-per-user = 2 }]",
];

fn any_sizes() -> impl Strategy<Value = Sizes> {
    let factors = (prop::sample::select(vec![0.0, 0.5, 1.0]), prop::sample::select(vec![1.0, 2.0, 64.0]));
    (1..=4_u32, 4..=16_u32, factors, any::<bool>()).prop_map(
        |(least, most, (least_factor, most_factor), powers_of_two)| Sizes {
            least,
            most,
            least_factor,
            most_factor,
            powers_of_two,
        },
    )
}

/// (submission, processors, run time, estimate); `exact` if estimates are run times.
fn any_jobs(exact: bool) -> impl Strategy<Value = Arc<Vec<Job>>> {
    let job = (0..40_u64, 1..=9_u32, 1..80_u64, 0..60_u64);
    prop::collection::vec(job, 1..40).prop_map(move |all| {
        let mut at = 0;
        let row = |(gap, procs, run, more)| {
            at += gap;
            (at, procs, run, run + if exact { 0 } else { more })
        };
        jobs(&all.into_iter().map(row).collect::<Vec<_>>())
    })
}

fn which(all: &[Job]) -> Vec<u32> {
    (0..all.len() as u32).filter(|id| id % 3 != 0).collect()
}

/// Under first come, first served with exact estimates and nothing that overtakes every end is
/// known when a job comes: what a rule that goes for the earliest one has to find, by trying all
/// sizes at all ends.
fn earliest_by_trial(all: &[Job], moldable: &Moldable, procs: u32) -> Vec<(u32, u64, u64)> {
    let mut held: Vec<(u32, u64, u64)> = Vec::new();
    let mut last = 0;
    for job in all {
        if job.procs > procs {
            held.push((job.procs, u64::MAX, u64::MAX));
            continue;
        }
        let submit = job.submit_time.as_nanos();
        let ends = held.iter().map(|one| one.2).filter(|&at| at < u64::MAX);
        let soonest = submit.max(last);
        let instants: Vec<u64> = ends.filter(|&at| at > soonest).chain([soonest]).collect();
        let free = |at: u64| {
            let used: u32 = held.iter().filter(|one| one.1 <= at && at < one.2).map(|one| one.0).sum();
            procs - used
        };
        let ends = instants.into_iter().flat_map(|at| {
            let sizes = moldable.sizes(job.procs, procs).into_iter();
            let fits = sizes.filter(move |&size| size <= free(at)).collect::<Vec<_>>().into_iter();
            fits.map(move |size| (at + moldable.time(job.run_time, job.procs, size).as_nanos(), size, at))
        });
        let (end, size, start) = ends.min().unwrap();
        last = start;
        held.push((size, start, end));
    }
    held
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whoever_gets_what_it_asks_for_is_as_if_rigid(all in any_jobs(false), of_law in 0..LAWS.len(), sizes in any_sizes()) {
        let molds = work(&all, LAWS[of_law], sizes, None);
        for name in SPACE {
            let rigid = run(&Workload::from(Arc::clone(&all)), 8, &format!("{{ {name} }}"));
            for policy in [format!("{{ {name} }}"), format!("{{ {name}, molding = 'as-requested' }}")] {
                let asked = run(&molds, 8, &policy);
                prop_assert_eq!(rigid.digest, asked.digest, "{}", name);
                prop_assert_eq!(rigid.metrics(), asked.metrics(), "{}", name);
                prop_assert_eq!(rows(&rigid), rows(&asked), "{}", name);
            }
        }
    }

    #[test]
    fn the_end_that_was_promised_is_kept_where_all_ends_are_known(all in any_jobs(true), of_law in 0..LAWS.len(), sizes in any_sizes()) {
        let work = work(&all, LAWS[of_law], sizes, None);
        let outcomes = run(&work, 8, "{ kind = 'fcfs', molding = 'earliest-end' }");
        let expected = earliest_by_trial(&all, work.moldable.as_deref().unwrap(), 8);
        for (place, (found, expected)) in told(&outcomes).into_iter().zip(expected).enumerate() {
            if expected.1 != u64::MAX {
                prop_assert_eq!(found, expected, "job {}", place + 1);
            }
        }
    }

    #[test]
    fn on_an_idle_machine_no_other_size_ends_earlier(procs in 1..=40_u32, run_time in 1..10_000_u64, of_law in 0..LAWS.len(), sizes in any_sizes()) {
        let all = jobs(&[(7, procs, run_time, run_time)]);
        let work = work(&all, LAWS[of_law], sizes, None);
        let moldable = work.moldable.as_deref().unwrap();
        let time = |size| moldable.time(all[0].run_time, procs, size);
        let best = moldable.sizes(procs, 40).into_iter().min_by_key(|&size| (time(size), size)).unwrap();
        for molding in ["earliest-end", "fits-now"] {
            let outcomes = run(&work, 40, &format!("{{ kind = 'easy', molding = '{molding}' }}"));
            let end = SimTime::from_secs(7).unwrap().saturating_add(time(best));
            prop_assert_eq!(told(&outcomes), [(best, 7_000_000_000, end.as_nanos())], "{}", molding);
        }
    }

    #[test]
    fn promises_are_kept_and_perfectly_parallel_work_stays_the_same(
        all in any_jobs(false),
        of_law in 0..LAWS.len(),
        sizes in any_sizes(),
        grace in prop::option::of(0..20_u64),
    ) {
        let work = work(&all, LAWS[of_law], sizes, Some(&which(&all)));
        let moldable = work.moldable.as_deref().unwrap();
        let walltime = grace.map(|grace| Walltime { grace: SimDuration::from_secs(grace), ..Walltime::default() });
        let site = SiteModel { walltime, ..SiteModel::default() };
        let mut cases = Vec::new();
        for (space, molding) in SPACE.iter().flat_map(|space| {
            ["earliest-end", "efficient", "fits-now"].iter().map(move |molding| (*space, *molding))
        }) {
            let head = ["'fcfs'", "'easy'", "'sjf'", "plus'"].iter().any(|name| space.contains(name));
            if molding != "fits-now" || head && !space.contains("queues") {
                cases.push((format!("{{ {space}, molding = '{molding}' }}"), 1));
            }
        }
        cases.push(("{ kind = 'bmgs', quantum = '20s', switch = '1s', molding = 'efficient' }".to_owned(), 3));
        for (name, level) in &cases {
            let outcomes = run_at(&work, (8, *level), name, site).unwrap();
            prop_assert_eq!(outcomes.record.left_count(), all.len(), "{}", name);
            let again = run_at(&work, (8, *level), name, site).unwrap();
            prop_assert_eq!(outcomes.digest, again.digest, "{}", name);
            for (id, (job, asked)) in (0..).map(JobId).zip(outcomes.jobs.iter().zip(all.iter())) {
                let size = job.procs == asked.procs
                    || moldable.concerns(id) && moldable.sizes(asked.procs, 8).contains(&job.procs);
                prop_assert!(size, "{}: job {} has {}", name, job.number, job.procs);
                prop_assert_eq!(outcomes.record.asked(id).is_some(), job.procs != asked.procs, "{}", name);
                if of_law == 0 && walltime.is_none() {
                    let more = job.area() - asked.area();
                    prop_assert!(more < u128::from(job.procs), "{}: {} more", name, more);
                }
            }
            let ran = rows(&outcomes);
            if let Some(walltime) = walltime {
                let counted = if *level == 1 { judge::LimitBasis::Held } else { judge::LimitBasis::Served };
                prop_assert_eq!(judge::limit(&ran, walltime.grace, counted), [], "{}", name);
            }
            if *level > 1 {
                continue;
            }
            prop_assert_eq!(judge::schedule(&ran, 8), [], "{}", name);
            let kind = name.split('\'').nth(1).unwrap_or_default();
            let found = match kind {
                "fcfs" => judge::in_order(&ran),
                "easy" if !name.contains("queues") && !name.contains("event") => judge::head_promise(&ran, 8),
                "conservative" => judge::reservation_promise(&ran, 8),
                "first-fit" => judge::nothing_fits(&ran, 8),
                _ => Vec::new(),
            };
            prop_assert_eq!(found, [], "{}", name);
        }
    }
}
