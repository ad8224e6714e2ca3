//! What running jobs are charged, and limits of nodes and GPUs: worked by hand, by the program; and
//! against slow counts of random runs.

use std::sync::Arc;

use clustersim_cluster::instrument::{Outcome, Reason, State};
use clustersim_cluster::policy::Outcomes;
use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::resources::{
    Demand, DemandId, Demands, FeatureNames, GpuKind, GpuShare, NodeKind, NodeUse, Resources,
};
use clustersim_kernel::SimTime;
use clustersim_language::ids::JobId;
use proptest::prelude::*;

use crate::cluster::jobs;
use crate::gpus;
use crate::node_resources::{asking, plain, random_demand, random_jobs, run_on, site};
use clustersim_testing::program::Place;

/// Jobs as (partition, user, submission, processors, run time).
type Line = (u32, u32, u32, u32, u32);

/// A site with a cluster, demands of its jobs, and a policy.
fn place(cluster: &str, policy: &str, lines: &[Line]) -> Place {
    let place = Place::new();
    let line = |(number, &(queue, user, submit, procs, run)): (u32, &Line)| {
        format!("{number} {submit} -1 {run} {procs} -1 -1 {procs} {run} -1 1 {user} 1 1 -1 {queue} -1 -1\n")
    };
    place.file("log.swf", (1..).zip(lines).map(line).collect::<String>());
    place.file("nodes.csv", "node,from,to\n0,50,70\n");
    let head = "title = \"Charged\"\n";
    let log = "[workload]\nkind = \"swf\"\nfile = \"log.swf\"\n";
    let (cluster, demands) = cluster.split_once("---\n").unwrap_or((cluster, ""));
    place.file("scenario.toml", format!("{head}{cluster}{log}{demands}{policy}"));
    place
}

/// Cells of a column of the jobs that the program writes, which check finds nothing wrong with.
fn cells(place: &Place, column: &str) -> Vec<String> {
    let _ = std::fs::remove_dir_all(place.path("out"));
    let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 0, "{}", checked.stdout);
    let text = String::from_utf8(place.read("out/jobs.csv")).unwrap();
    let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    let place = |name: &str| head.iter().position(|column| *column == name).unwrap();
    let (number, cell) = (place("job_id"), place(column));
    let mut found: Vec<(u32, &str)> = rows.map(|row| (row[number].parse().unwrap(), row[cell])).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, cell)| cell.to_owned()).collect()
}

/// The job that starts first of two that wait for the whole machine, under a charge.
fn first(cluster: &str, lines: &[Line], charge: &str) -> usize {
    let policy = format!(
        "[policy]\nkind = \"space-sharing\"\nbackfill = \"none\"\nqueue = {{ kind = \"priority\", age = 0, \
         fairshare = 1, interval = \"0s\"{charge} }}\n"
    );
    let found = cells(&place(cluster, &policy, lines), "starting_time");
    let start = |place: usize| found[place].parse::<f64>().unwrap();
    let last = lines.len();
    if start(last - 2) < start(last - 1) { last - 1 } else { last }
}

const GPUS: &str = "[[cluster.group]]\nnodes = 1\nprocessors = 8\ngpus = 4\nmemory = \"32GiB\"\n---\n\
    [[workload.demand]]\npartitions = [2]\ngpus = 2\n\
    [[workload.demand]]\npartitions = [3]\nmemory = \"12GiB\"\n";

/// User 1 has one processor and two of four GPUs, user 2 two processors; then both wait for the
/// whole node. By processor time user 1 has used less; its dominant share is half a node, four
/// processors. At a weight of 1 for a GPU both are charged two, and the earlier job is first.
#[test]
fn a_user_of_gpus_is_charged_for_them() {
    let lines = [(2, 1, 0, 1, 100), (1, 2, 0, 2, 100), (1, 1, 10, 8, 10), (1, 2, 11, 8, 10)];
    let first = |charge: &str| first(GPUS, &lines, charge);
    assert_eq!([first(""), first(", charge = \"processor-time\"")], [3, 3]);
    assert_eq!(first(", charge = \"dominant\""), 4);
    assert_eq!(first(", charge = { processor = 1, gpu = 1 }"), 3);
    assert_eq!(first(", charge = { processor = 1, gpu = 1.01 }"), 4);
    assert_eq!(
        first(", charge = { processor = 1, gpu = 0.99, memory-gib = 5 }"),
        3,
        "no memory is asked for"
    );
    // 12 of 32 GiB are three of eight processors
    let lines = [(3, 1, 0, 1, 100), (1, 2, 0, 2, 100), (1, 1, 10, 8, 10), (1, 2, 11, 8, 10)];
    let first = |charge: &str| self::first(GPUS, &lines, charge);
    assert_eq!([first(""), first(", charge = \"dominant\"")], [3, 4]);
    assert_eq!(first(", charge = { processor = 1, memory-gib = 0.125 }"), 3);
    assert_eq!(first(", charge = { processor = 1, memory-gib = 0.25 }"), 4);
}

/// User 1 has a node of four processors to itself with one, user 2 two of another, then both wait
/// for both nodes.
#[test]
fn an_exclusive_node_is_charged_whole() {
    let cluster = "[[cluster.group]]\nnodes = 2\nprocessors = 4\ngpus = 1\n---\n\
        [[workload.demand]]\npartitions = [2]\nexclusive = true\n";
    let lines = [(2, 1, 0, 1, 100), (1, 2, 0, 2, 100), (1, 1, 10, 8, 10), (1, 2, 11, 8, 10)];
    let first = |charge: &str| first(cluster, &lines, charge);
    assert_eq!(
        [first(""), first(", charge = \"dominant\""), first(", charge = { processor = 1 }")],
        [3, 4, 4]
    );
    assert_eq!(first(", charge = { gpu = 1 }"), 4);
}

/// User 1 has half the GPUs of the first node until it fails at 50 s, and the job is lost; user 2 has
/// two processors of the second from 20 s to 80 s. Then both want both nodes. By processor time they
/// used 50 and 120, by the dominant share 200 and 120; and 200 and 300 with five processors: did the
/// lost run count until 80 s or to its end, it would be 320 or 400.
#[test]
fn interrupted_runs_are_charged_for_the_time_they_had() {
    let site = "[cluster.failures]\nprocessors-per-node = 8\ntrace = \"nodes.csv\"\non-failure = \"lose\"\n\
        [[cluster.group]]\nnodes = 1\nprocessors = 8\ngpus = 4\nfeatures = [\"first\"]\n\
        [[cluster.group]]\nnodes = 1\nprocessors = 8\ngpus = 4\nfeatures = [\"second\"]\n---\n\
        [[workload.demand]]\npartitions = [2]\ngpus = 2\nfeatures = [\"first\"]\n\
        [[workload.demand]]\npartitions = [3]\nfeatures = [\"second\"]\n";
    let lines =
        |procs: u32| [(2, 1, 0, 1, 100), (3, 2, 20, procs, 60), (1, 1, 60, 16, 10), (1, 2, 61, 16, 10)];
    let dominant = ", charge = \"dominant\"";
    assert_eq!([first(site, &lines(2), ""), first(site, &lines(2), dominant)], [3, 4]);
    assert_eq!(first(site, &lines(5), dominant), 3);
}

/// User 1 has one processor and two licences, user 2 three processors, of eight that are counted.
#[test]
fn pools_are_charged_on_top_where_they_have_weights() {
    let cluster = "[cluster]\nprocs = 8\npools = { matlab = 4 }\n---\n\
        [[workload.demand]]\npartitions = [2]\npools = { matlab = 2 }\n";
    let lines = [(2, 1, 0, 1, 100), (1, 2, 0, 3, 100), (1, 1, 10, 8, 10), (1, 2, 11, 8, 10)];
    let first = |charge: &str| first(cluster, &lines, charge);
    assert_eq!(
        [first(""), first(", charge = \"dominant\""), first(", charge = { processor = 1 }")],
        [3, 3, 3]
    );
    assert_eq!(first(", charge = { processor = 1, pools = { matlab = 0.9 } }"), 3);
    assert_eq!(first(", charge = { processor = 1, pools = { matlab = 1.1 } }"), 4);
    assert_eq!(first(", charge = { pools = { matlab = 1 } }"), 4);
}

fn queues(limits: &[(u32, &str)]) -> String {
    let table = |(number, limit): &(u32, &str)| {
        format!(
            "[[policy.queues]]\nname = \"q{number}\"\nof = \"partition\"\nnumbers = [{number}]\n{limit}\n"
        )
    };
    let tables: String = limits.iter().map(table).collect();
    format!("[policy]\nkind = \"easy\"\n{tables}")
}

/// MODELS-SITE S10 without its spot job: N (partition 1) has six at most, a user of H (partition 2)
/// two, once of processors and once of nodes of one processor.
#[test]
fn limits_of_a_group_and_of_a_user() {
    let lines = [(1, 1, 0, 6, 300), (1, 2, 3, 1, 2), (2, 1, 4, 2, 5), (2, 1, 6, 1, 2), (2, 3, 6, 1, 1)];
    let of = |kind: &str| {
        let (group, user) = (format!("max-running-{kind} = 6"), format!("max-running-{kind}-per-user = 2"));
        let cluster = "[[cluster.group]]\nnodes = 8\n---\n";
        cells(&place(cluster, &queues(&[(1, &group), (2, &user)]), &lines), "starting_time")
    };
    assert_eq!(of("nodes"), ["0", "300", "4", "9", "9"]);
    assert_eq!(of("nodes"), of("procs"));
}

/// Three nodes of four processors, of which jobs 1 and 2 of no limited queue have three of the first
/// until 60 s and two of the second until 100 s. Job 3 of seven processors may have two nodes and
/// finds room on three: it is passed over, and keeps job 4 waiting no longer, which has a processor
/// on each of the first two. At 60 s four and four are free on two nodes.
#[test]
fn a_job_starts_on_as_few_nodes_as_limits_leave_or_is_passed_over() {
    let cluster = "[[cluster.group]]\nnodes = 3\nprocessors = 4\n---\n\
        [[workload.demand]]\npartitions = [3]\nprocs = 2\n";
    let lines = [(1, 1, 0, 3, 60), (3, 1, 0, 2, 100), (2, 2, 1, 7, 10), (2, 2, 2, 2, 10)];
    let site = place(cluster, &queues(&[(2, "max-running-nodes = 2")]), &lines);
    assert_eq!(cells(&site, "starting_time"), ["0", "0", "60", "2"]);
    assert_eq!(cells(&site, "allocated_resources"), ["0-2", "4-5", "0-3 8-10", "3 6"]);
    assert_eq!(cells(&site, "reason")[2], "limit-lifted");
    let words = site.run(&["run", "scenario.toml", "--explain", "3", "--no-progress"]).stdout;
    assert!(words.contains("jobs of its queue may have 2 nodes (q2)"), "{words}");

    // of twelve processors nine need three nodes wherever they are
    let lines = [(2, 1, 0, 9, 10), (2, 1, 0, 8, 10)];
    for limit in ["max-nodes", "max-running-nodes", "max-running-nodes-per-user"] {
        let site = place(cluster, &queues(&[(2, &format!("{limit} = 2"))]), &lines);
        assert_eq!(cells(&site, "reason"), ["queue-limit", "head"]);
        let words = site.run(&["run", "scenario.toml", "--explain", "1", "--no-progress"]).stdout;
        assert!(words.contains("it asks for at least 3 nodes"), "{words}");
    }
}

/// GPUs of four parts: three parts and two are more than the one GPU that the queue may hold, and
/// the job of one part passes by.
#[test]
fn gpus_are_counted_in_parts() {
    let cluster = "[[cluster.group]]\nnodes = 2\nprocessors = 4\n\
        gpus = [{ kind = \"a100\", count = 1, parts = 4 }]\n---\n\
        [[workload.demand]]\npartitions = [1]\ngpus = { parts = 3 }\n\
        [[workload.demand]]\npartitions = [2]\ngpus = { parts = 2 }\n\
        [[workload.demand]]\npartitions = [3]\ngpus = { parts = 1 }\n\
        [[workload.demand]]\npartitions = [4]\ngpus = { count = 1 }\n";
    let all = "[policy]\nkind = \"easy\"\n[[policy.queues]]\nname = \"all\"\n";
    let lines = [(1, 1, 0, 1, 100), (2, 1, 1, 1, 10), (3, 1, 2, 1, 10), (2, 2, 3, 1, 10), (4, 1, 4, 2, 10)];
    let of = |limit: &str| place(cluster, &format!("{all}{limit}\n"), &lines);
    assert_eq!(cells(&of("max-running-gpus = 1"), "starting_time"), ["0", "100", "2", "100", ""]);
    assert_eq!(cells(&of("max-running-gpus-per-user = 1"), "starting_time")[..4], ["0", "100", "2", "3"]);
    let site = of("max-gpus = 1");
    assert_eq!(cells(&site, "reason")[4], "queue-limit");
    let words = site.run(&["run", "scenario.toml", "--explain", "5", "--no-progress"]).stdout;
    assert!(words.contains("it asks for 2 GPUs; its queue grants a job at most 1 GPUs (all)"), "{words}");
}

/// Where a job has a node for each processor, none is passed over. Two jobs that might be on two
/// nodes of the site, of which one may be had, are in doubt, and all else is judged.
#[test]
fn check_judges_limits_of_nodes_and_heads_that_are_in_no_doubt() {
    let said = |cluster: &str, limit: &str| {
        let policy = format!("[policy]\nkind = \"fcfs\"\n[[policy.queues]]\nname = \"all\"\n{limit}\n");
        let site = place(cluster, &policy, &[(1, 1, 0, 1, 9), (1, 2, 0, 2, 9), (1, 2, 0, 2, 9)]);
        let ran = site.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        site.run(&["check", "out"]).stdout
    };
    let kept = |words: &str, promise: &str| words.contains(&format!("kept         {promise}"));
    let head = "the head of the queue starts once it fits";
    let of_one = ("[[cluster.group]]\nnodes = 3\n---\n", ["max-nodes = 2", "max-running-nodes = 2"]);
    let of_two = ("[[cluster.group]]\nnodes = 2\nprocessors = 2\n---\n", ["max-running-nodes = 1"; 2]);
    for (cluster, limit) in
        [of_one, of_two].into_iter().flat_map(|(cluster, all)| all.map(|one| (cluster, one)))
    {
        let words = said(cluster, limit);
        for promise in ["no queue exceeds its limits", "nothing overtakes", head] {
            assert!(kept(&words, promise), "{promise}: {words}");
        }
    }
}

/// Jobs of three users in two queues.
fn of_users(rows: &[(u64, u32, u64, u64)]) -> Arc<Vec<Job>> {
    let mut all = jobs(rows).to_vec();
    for (place, job) in all.iter_mut().enumerate() {
        job.user = (place % 3) as u32;
        *job = job.in_queue(Some((place % 2) as u16), None);
    }
    Arc::new(all)
}

/// Jobs on nodes with GPUs, each with one of four demands.
fn on_nodes(
    rows: &[(u64, u32, u64, u64)],
    kinds: &[(u32, u32, u32)],
    asked: &[Demand],
    which: &[usize],
) -> (Arc<Vec<Job>>, Arc<Resources>) {
    let kinds = kinds
        .iter()
        .map(|&(nodes, processors, gpus)| NodeKind { memory: 8, gpus, ..plain(nodes, processors) })
        .collect();
    let mut demands = Demands::default();
    let plain = |demand: &Demand| Demand { features: Demand::PLAIN.features, ..*demand };
    let numbers: Vec<DemandId> = asked.iter().map(|demand| demands.number(plain(demand))).collect();
    let which: Vec<DemandId> = which.iter().map(|&place| numbers[place]).collect();
    (asking(&of_users(rows), &which), site(kinds, FeatureNames::default(), demands))
}

/// Number of nodes that a job had a processor of.
fn nodes_held(outcomes: &Outcomes, resources: &Resources, id: usize) -> u64 {
    let on = outcomes.record.processors(JobId(id as u32));
    let processors = on.iter().flat_map(|run| run.first..=run.last);
    let mut nodes: Vec<u32> = processors.map(|processor| resources.nodes.node_of(processor)).collect();
    nodes.dedup();
    nodes.len() as u64
}

const RULES: [&str; 4] = ["'none'", "'easy'", "{ kind = 'easy', reservations = 3 }", "'conservative'"];

fn with_order(backfill: &str, charge: &str) -> String {
    let queue = format!(
        "{{ kind = 'priority', age = 1, fairshare = 50, half-life = '50s', interval = '7s'{charge} }}"
    );
    format!("{{ kind = 'space-sharing', backfill = {backfill}, queue = {queue} }}")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// A weight of processors alone is processor time where nodes are shared, and so is the dominant
    /// share of jobs that ask for processors alone.
    #[test]
    fn processors_alone_are_charged_as_processor_time(
        rows in random_jobs(),
        kinds in prop::collection::vec((1_u32..4, 1_u32..6, 0_u32..3), 1..3),
        asked in prop::collection::vec(random_demand(), 4),
        which in prop::collection::vec(0_usize..4, 60),
    ) {
        let shared: Vec<Demand> =
            asked.iter().map(|one| Demand { node_use: NodeUse::Shared, ..*one }).collect();
        let (all, resources) = on_nodes(&rows, &kinds, &shared, &which);
        let (simple, plain) = on_nodes(&rows, &kinds, &[Demand::PLAIN; 4], &which);
        for rule in RULES {
            let usual = run_on(&all, &resources, &with_order(rule, ""));
            for charge in [", charge = 'processor-time'", ", charge = { processor = 1 }"] {
                let weighed = run_on(&all, &resources, &with_order(rule, charge));
                prop_assert!(usual.record.outcomes().eq(weighed.record.outcomes()), "{}{}", rule, charge);
            }
            let usual = run_on(&simple, &plain, &with_order(rule, ""));
            let dominant = run_on(&simple, &plain, &with_order(rule, ", charge = 'dominant'"));
            prop_assert!(usual.record.outcomes().eq(dominant.record.outcomes()), "{}", rule);
        }
    }

    /// On nodes of one processor limits of nodes are those of processors, job by job.
    #[test]
    fn nodes_of_one_processor_are_limited_as_processors(
        rows in random_jobs(),
        nodes in 4_u32..16,
        limits in prop::collection::vec(1_u32..9, 3),
    ) {
        let (all, resources) = on_nodes(&rows, &[(nodes, 1, 0)], &[Demand::PLAIN; 4], &[0; 60]);
        for rule in RULES {
            let of = |what: &str| {
                let [job, queue, user] = [limits[0], limits[1] + 2, limits[2]];
                let queue = format!(
                    "{{ name = 'q', numbers = [0], max-{what} = {job}, max-running-{what} = {queue}, \
                     max-running-{what}-per-user = {user} }}"
                );
                format!("{{ kind = 'space-sharing', backfill = {rule}, queues = [{queue}] }}")
            };
            let (by_nodes, by_procs) =
                (run_on(&all, &resources, &of("nodes")), run_on(&all, &resources, &of("procs")));
            prop_assert!(by_nodes.record.outcomes().eq(by_procs.record.outcomes()), "{}", rule);
        }
    }

    /// At no start more nodes or GPUs are held than limits grant, counted from the places of all
    /// jobs; and every job that could run alone runs.
    #[test]
    fn no_more_nodes_and_gpus_are_held_than_limits_grant(
        rows in random_jobs(),
        kinds in prop::collection::vec((1_u32..4, 1_u32..6, 0_u32..3), 1..3),
        asked in prop::collection::vec(random_demand(), 4),
        which in prop::collection::vec(0_usize..4, 60),
        most in prop::collection::vec(1_u64..6, 6),
        rule in 0_usize..4,
        random in any::<bool>(),
    ) {
        let (all, resources) = on_nodes(&rows, &kinds, &asked, &which);
        let keys = ["max-nodes", "max-running-nodes", "max-running-nodes-per-user", "max-gpus", "max-running-gpus",
            "max-running-gpus-per-user"];
        let limits: Vec<String> = keys.iter().zip(&most).map(|(key, most)| format!("{key} = {most}")).collect();
        let allocation = if random { "random" } else { "lowest-first" };
        let text = format!(
            "{{ kind = 'space-sharing', backfill = {}, allocation = '{allocation}', \
             queues = [{{ name = 'q', numbers = [0], {} }}] }}",
            RULES[rule], limits.join(", ")
        );
        let outcomes = run_on(&all, &resources, &text);
        let nodes_of = |id: usize| nodes_held(&outcomes, &resources, id);
        let gpus_of = |id: usize| {
            let demand = resources.demands.of(all[id].demand);
            u64::from(demand.chunks(all[id].procs)) * u64::from(demand.gpus)
        };
        let found: Vec<_> = outcomes.record.outcomes().collect();
        for (id, one) in found.iter().enumerate().filter(|(id, one)| id % 2 == 0 && one.state.has_run()) {
            prop_assert!(nodes_of(id) <= most[0] && gpus_of(id) <= most[3], "job {}", id);
            let at: SimTime = one.start;
            let runs = |other: &usize| other.is_multiple_of(2) && found[*other].state.has_run()
                && found[*other].start <= at && at < found[*other].end;
            let with: Vec<usize> = (0..found.len()).filter(runs).collect();
            let own: Vec<usize> = with.iter().copied().filter(|other| other % 3 == id % 3).collect();
            let sum = |ids: &[usize], of: &dyn Fn(usize) -> u64| ids.iter().map(|&id| of(id)).sum::<u64>();
            prop_assert!(sum(&with, &nodes_of) <= most[1] && sum(&own, &nodes_of) <= most[2], "nodes at {}", at);
            prop_assert!(sum(&with, &gpus_of) <= most[4] && sum(&own, &gpus_of) <= most[5], "GPUs at {}", at);
        }
        let left = |one: &&Outcome| !one.state.has_run() && one.state != State::Rejected;
        prop_assert_eq!(found.iter().filter(left).count(), 0);
        let refused = |(id, one): &(usize, &Outcome)| id % 2 == 1 && one.reason == Reason::QueueLimit;
        prop_assert_eq!(found.iter().enumerate().filter(refused).count(), 0);
    }

    /// The same where GPUs have parts, of which two kinds of nodes have one or four, under every rule
    /// that places them.
    #[test]
    fn no_more_parts_of_gpus_are_held_than_limits_grant(
        rows in random_jobs(),
        which in prop::collection::vec(0_usize..5, 60),
        (nodes, gpus) in (1_u64..5, 1_u64..5),
        rule in 0_usize..4,
        placed in prop::sample::select(&gpus::RULES[..]),
    ) {
        let (resources, ids) = gpus::site(|[old, new]| {
            let gpu = gpus::gpu;
            let plain = Demand { procs: 2, ..Demand::PLAIN };
            vec![gpu(1, GpuKind::ANY, 0), gpu(1, new, 1), gpu(1, new, 3), gpu(2, old, 0), plain]
        });
        let which: Vec<DemandId> = which.iter().map(|&place| ids[place]).collect();
        let all = asking(&of_users(&rows), &which);
        let text = format!(
            "{{ kind = 'space-sharing', backfill = {}, allocation-gpus = '{placed}', queues = [{{ name = 'q', \
             numbers = [0], max-running-nodes = {nodes}, max-running-gpus-per-user = {gpus} }}] }}",
            RULES[rule]
        );
        let outcomes = run_on(&all, &resources, &text);
        let nodes_of = |id: usize| nodes_held(&outcomes, &resources, id);
        let quarters = |id: usize| -> u64 {
            let shares = outcomes.record.gpus(JobId(id as u32));
            let of = |share: &GpuShare| (share.last - share.first + 1) * if share.parts == 0 { 4 } else { share.parts.into() };
            shares.iter().map(of).sum()
        };
        let found: Vec<_> = outcomes.record.outcomes().collect();
        for (id, one) in found.iter().enumerate().filter(|(id, one)| id % 2 == 0 && one.state.has_run()) {
            let runs = |other: &usize| other.is_multiple_of(2) && found[*other].state.has_run()
                && found[*other].start <= one.start && one.start < found[*other].end;
            let with: Vec<usize> = (0..found.len()).filter(runs).collect();
            let held: u64 = with.iter().map(|&id| nodes_of(id)).sum();
            let parts: u64 = with.iter().filter(|other| **other % 3 == id % 3).map(|&id| quarters(id)).sum();
            prop_assert!(held <= nodes && parts <= 4 * gpus, "{} nodes, {} quarters at {}", held, parts, one.start);
        }
        let left = |one: &&Outcome| !one.state.has_run() && one.state != State::Rejected;
        prop_assert_eq!(found.iter().filter(left).count(), 0);
    }
}
