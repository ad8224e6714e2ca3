//! Jobs that ask for GPUs by kind, whole and in parts, on nodes that list theirs.

use std::sync::Arc;

use clustersim_cluster::instrument::{Reason, State};
use clustersim_cluster::judge;
use clustersim_jobs::workload::resources::{
    Demand, DemandId, Demands, FeatureNames, GpuChoice, GpuGroup, GpuKind, GpuLists, Mig, MigProfile, MixOf,
    NodeKind, Nodes, PartsOf, Resources,
};
use clustersim_language::ids::JobId;
use clustersim_testing::program::Place;
use proptest::prelude::*;

use crate::cluster::{jobs, metric, rows, starts};
use crate::node_resources::{asking, plain, random_jobs, run_on};
use crate::promises::broken_on_nodes;

pub(crate) const RULES: [&str; 9] =
    ["first-fit", "pack", "spread", "best-fit", "worst-fit", "dot-product", "clustering", "fgd", "random"];

/// Two nodes of 6 processors with two old GPUs of one part, two of 8 with an old one and two new
/// ones of 4 parts; the kinds of both.
pub(crate) fn site(demands: impl FnOnce([GpuKind; 2]) -> Vec<Demand>) -> (Arc<Resources>, Vec<DemandId>) {
    let mut lists = GpuLists::default();
    let [old, new] = ["old", "new"].map(|name| lists.kind(name).unwrap());
    let group = GpuGroup::plain;
    lists.set(vec![vec![group(old, 2, 1)], vec![group(old, 1, 1), group(new, 2, 4)]]);
    let kinds = vec![NodeKind { gpus: 2, ..plain(2, 6) }, NodeKind { gpus: 3, ..plain(2, 8) }];
    let nodes = Nodes::new(kinds, FeatureNames::default()).unwrap().with_gpus(lists);
    let mut known = Demands::default();
    let numbers = demands([old, new]).into_iter().map(|demand| known.number(demand)).collect();
    (Arc::new(Resources { nodes, demands: known }), numbers)
}

/// The same nodes, where those of the second kind have one more GPU, which is divided.
fn divided_site(demands: impl FnOnce([GpuKind; 3]) -> Vec<Demand>) -> (Arc<Resources>, Vec<DemandId>) {
    let mut lists = GpuLists::default();
    let [old, new, a100] = ["old", "new", "a100"].map(|name| lists.kind(name).unwrap());
    let group = GpuGroup::plain;
    let divided = GpuGroup { mig: Mig::AtStarts, ..group(a100, 1, 7) };
    lists.set(vec![vec![group(old, 2, 1)], vec![group(old, 1, 1), group(new, 2, 4), divided]]);
    let kinds = vec![NodeKind { gpus: 2, ..plain(2, 6) }, NodeKind { gpus: 4, ..plain(2, 8) }];
    let nodes = Nodes::new(kinds, FeatureNames::default()).unwrap().with_gpus(lists);
    let mut known = Demands::default();
    let numbers = demands([old, new, a100]).into_iter().map(|demand| known.number(demand)).collect();
    (Arc::new(Resources { nodes, demands: known }), numbers)
}

pub(crate) fn gpu(gpus: u32, kind: GpuKind, parts: u32) -> Demand {
    Demand { gpus, gpu_choice: GpuChoice::parts(kind, parts), ..Demand::PLAIN }
}

/// Jobs 1 and 2 take all new GPUs of node 2 whole and of node 3 in three of four parts each. Job 3,
/// the head, asks for two new ones: node 2 has them at 100. Job 4 has the last part of a GPU until
/// 40, and job 5 one part until 200: both are on node 3, which is not promised. Job 6 asks for an
/// old one, whose kind nobody waits for.
#[test]
fn a_head_is_promised_gpus_of_its_kind_and_others_get_what_it_does_not_need() {
    let (resources, id) =
        site(|[old, new]| vec![gpu(2, new, 0), gpu(1, new, 3), gpu(1, new, 1), gpu(1, old, 0)]);
    let all = jobs(&[
        (0, 1, 100, 100),
        (0, 2, 300, 300),
        (1, 1, 10, 10),
        (2, 1, 38, 38),
        (3, 1, 197, 197),
        (4, 1, 500, 500),
    ]);
    let all = asking(&all, &[id[0], id[1], id[0], id[2], id[2], id[3]]);
    let easy = run_on(&all, &resources, "'easy'");
    assert_eq!(starts(&easy), [0, 0, 100, 2, 3, 4]);
    let held =
        |job| easy.record.gpus(JobId(job)).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!([0, 1, 2, 3, 4, 5].map(held), ["5-6", "8:3 9:3", "5-6", "8:1", "9:1", "0"]);
    assert_eq!(judge::on_nodes(&rows(&easy), &resources), []);
    // of 10 GPUs: two for 110 s, 3/4 of two for 300 s, 1/4 for 38 s and 197 s, one for 500 s
    let held = 220.0 + 450.0 + 9.5 + 49.25 + 500.0;
    assert_eq!(metric(&easy, "gpus.utilization"), Some(held / (10.0 * 504.0)));
}

/// Three nodes of 8 GPUs, of which jobs hold 7, 6 and 7 until 110 (Volcano#3948). From 10 on a job
/// waits that asks for four, so that none of the four free ones is of use; from 60 on one for two
/// waits as well, whose processors are free on the second node alone.
#[test]
fn free_gpus_are_stranded_where_no_waiting_job_fits() {
    let stranded = |second: u32| {
        let mut lists = GpuLists::default();
        let kind = lists.kind("a100").unwrap();
        lists.set(vec![vec![GpuGroup::plain(kind, 8, 1)]]);
        let nodes = Nodes::new(vec![NodeKind { gpus: 8, ..plain(3, 9) }], FeatureNames::default()).unwrap();
        let mut demands = Demands::default();
        let mut of = |gpus, procs| demands.number(Demand { procs, ..gpu(gpus, GpuKind::ANY, 0) });
        let ids = [of(7, 8), of(6, 8), of(7, 8), of(4, 1), of(second, 1)];
        let resources = Arc::new(Resources { nodes: nodes.with_gpus(lists), demands });
        let rows = [(0, 8, 110, 110), (0, 8, 110, 110), (0, 8, 110, 110), (10, 1, 90, 90), (60, 1, 90, 90)];
        let outcomes = run_on(&asking(&jobs(&rows), &ids), &resources, "'fcfs'");
        assert_eq!(starts(&outcomes), [0, 0, 0, 110, 110]);
        metric(&outcomes, "gpus.stranded").unwrap()
    };
    // 4 GPUs free for 110 s, then 24 less 4 and 2 or 3 for 90 s
    assert!((stranded(3) - 4.0 * 100.0 / (4.0 * 110.0 + 17.0 * 90.0)).abs() < 1e-12);
    let with_two = 4.0 * 50.0 + 2.0 * 50.0;
    assert!((stranded(2) - with_two / (4.0 * 110.0 + 18.0 * 90.0)).abs() < 1e-12);
}

/// One node of two GPUs of four parts. Until 100 a job holds one whole, and another three parts:
/// the last part is of use to a job for one part, not to one for two. The workload has two jobs for
/// a whole one, one for three parts and one for none, to which all that is free is of no use.
#[test]
fn fragmentation_is_of_the_mix_of_all_jobs_and_over_time() {
    let fragmentation = |mix| {
        let mut lists = GpuLists::default();
        let kind = lists.kind("a100").unwrap();
        lists.set(vec![vec![GpuGroup::plain(kind, 2, 4)]]);
        let nodes = Nodes::new(vec![NodeKind { gpus: 2, ..plain(1, 4) }], FeatureNames::default()).unwrap();
        let mut demands = Demands::default().mixing(mix);
        let ids = [(1, 0), (1, 3), (1, 0), (0, 0)];
        let ids = ids.map(|(gpus, parts)| demands.number(gpu(gpus, GpuKind::ANY, parts)));
        let resources = Arc::new(Resources { nodes: nodes.with_gpus(lists), demands });
        let rows = [(0, 1, 100, 100), (0, 1, 100, 100), (100, 1, 60, 60), (100, 1, 100, 100)];
        let outcomes = run_on(&asking(&jobs(&rows), &ids), &resources, "'fcfs'");
        assert_eq!(starts(&outcomes), [0, 0, 100, 100]);
        (metric(&outcomes, "fragmentation").unwrap(), metric(&outcomes, "gpus.stranded").unwrap())
    };
    // 100 s: the free part serves nobody. 60 s: a whole one serves all but the last. 40 s: two do
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
    let (all, stranded) = fragmentation(MixOf::AllJobs);
    close(all, (100.0 + 60.0 * 0.25 + 40.0 * 0.25) / 200.0);
    close(stranded, 0.0);
    close(fragmentation(MixOf::GpuJobs).0, 100.0 / 200.0);
}

#[test]
fn gpus_that_no_node_has_are_no_such_nodes() {
    let other = |_: [GpuKind; 2]| {
        let mut lists = GpuLists::default();
        let kinds = ["old", "new", "newest"].map(|name| lists.kind(name).unwrap());
        vec![gpu(1, kinds[2], 0), gpu(1, kinds[1], 5), gpu(1, kinds[0], 2), gpu(3, kinds[1], 0)]
    };
    let (resources, id) = site(other);
    let mut resources = Arc::unwrap_or_clone(resources);
    resources.nodes.gpus_mut().kind("newest");
    let all = asking(&jobs(&[(0, 1, 9, 9); 4]), &id);
    let outcomes = run_on(&all, &Arc::new(resources), "'easy'");
    let fates: Vec<_> = outcomes.record.outcomes().map(|one| (one.state, one.reason)).collect();
    let none = (State::Rejected, Reason::NoSuchNodes);
    assert_eq!(fates, [none, none, none, (State::Rejected, Reason::NodeGpus)]);
}

fn random_demand() -> impl Strategy<Value = (u32, u32, usize, u32)> {
    (1_u32..4, 0_u32..3, 0_usize..8, 0_u32..5)
}

fn demand(kinds: [GpuKind; 3], (procs, gpus, kind, parts): (u32, u32, usize, u32)) -> Demand {
    if let Some(profile) = kind.checked_sub(4).and_then(|place| MigProfile::ALL.get(place)) {
        let gpu_choice = GpuChoice::instance(kinds[2], *profile);
        return Demand { procs, gpus, gpu_choice, ..Demand::PLAIN };
    }
    if kind == 3 && gpus > 0 {
        let gpu_choice = GpuChoice { of: PartsOf::Several, ..GpuChoice::parts(kinds[1], 1 + parts) };
        return Demand { procs, gpus: 1, gpu_choice, ..Demand::PLAIN };
    }
    let kind = [GpuKind::ANY, kinds[0], kinds[1], kinds[2]][kind];
    let parts = if gpus == 0 { 0 } else { parts };
    Demand { procs, ..gpu(if parts > 0 { 1 } else { gpus }, kind, parts) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Under every rule everybody leaves, no GPU is given twice, and twice is the same.
    #[test]
    fn no_gpu_is_given_twice(
        drawn in random_jobs(),
        asked in prop::collection::vec(random_demand(), 4),
        which in prop::collection::vec(0_usize..4, 60),
    ) {
        let (resources, numbers) = divided_site(|kinds| asked.iter().map(|&one| demand(kinds, one)).collect());
        let chosen: Vec<DemandId> = which.iter().map(|&place| numbers[place]).collect();
        let all = asking(&jobs(&drawn), &chosen);
        for rule in RULES {
            for kind in ["easy", "first-fit", "sjf"] {
                let name = format!("{{ kind = '{kind}', allocation-gpus = '{rule}' }}");
                let outcomes = run_on(&all, &resources, &name);
                prop_assert!(!outcomes.stopped);
                let rows = rows(&outcomes);
                prop_assert_eq!(judge::schedule(&rows, resources.nodes.procs()), [], "{}", name);
                prop_assert_eq!(judge::on_nodes(&rows, &resources), [], "{}", name);
                // who waits for instances, or for parts of several, is not judged
                if numbers.iter().all(|&id| resources.demands.of(id).gpu_choice.of == PartsOf::One) {
                    prop_assert_eq!(broken_on_nodes(&name, &rows, &resources), [], "{}", name);
                }
                prop_assert_eq!(run_on(&all, &resources, &name).digest, outcomes.digest);
            }
        }
    }

    /// Under EASY with exact estimates the job that is the head when it comes is not delayed by
    /// jobs that come later, under every rule that draws nothing.
    #[test]
    fn easy_keeps_its_promise_on_gpus(
        rows in random_jobs(),
        asked in prop::collection::vec(random_demand(), 3),
        which in prop::collection::vec(0_usize..3, 60),
        rule in 0_usize..7,
    ) {
        let (resources, numbers) = divided_site(|kinds| asked.iter().map(|&one| demand(kinds, one)).collect());
        let chosen: Vec<DemandId> = which.iter().map(|&place| numbers[place]).collect();
        let exact: Vec<_> = rows.iter().map(|&(submit, procs, run, _)| (submit, procs, run, run)).collect();
        let all = asking(&jobs(&exact), &chosen);
        // the mix of `fgd` is that of all jobs, which those who come later change
        let rule = if RULES[rule] == "fgd" { "first-fit" } else { RULES[rule] };
        let name = format!("{{ kind = 'easy', allocation-gpus = '{rule}' }}");
        let easy = run_on(&all, &resources, &name);
        for (place, outcome) in easy.record.outcomes().enumerate() {
            let job = &all[place];
            let before = easy.record.outcomes().take(place).all(|one| one.start <= job.submit_time);
            if outcome.state == State::Rejected || !before {
                continue;
            }
            let alone = Arc::new(all[..=place].to_vec());
            let without = run_on(&alone, &resources, &name).record.outcome(JobId(place as u32));
            prop_assert!(outcome.start <= without.start, "job {}", job.number);
        }
    }
}

const SCENARIO: &str = "title = \"GPUs\"\nseed = 3\n[[cluster.group]]\nnodes = 3\nprocessors = 8\n\
    gpus = [{ kind = \"a100\", count = 2, parts = 4 }, { kind = \"t4\", count = 1 }]\n\
    [[cluster.group]]\nnodes = 1\nprocessors = 8\ngpus = 2\n\
    [workload]\nkind = \"synthetic\"\njobs = 300\narrivals = { kind = \"exponential\", mean = \"6min\" }\n\
    sizes = 2\nrun-times = \"1h\"\n\
    [[workload.demand]]\nshare = 0.3\nprocs = 2\ngpus = { parts = 3, kind = \"a100\" }\n\
    [[workload.demand]]\nshare = 0.3\ngpus = { count = 1 }\n\
    [[workload.demand]]\nshare = 0.1\ngpus = { count = 1, kind = \"v100\" }\n";

#[test]
fn runs_with_listed_gpus_are_judged_by_their_files() {
    let place = Place::new();
    place.file("s.toml", format!("{SCENARIO}[policy]\nkind = \"easy\"\nallocation-gpus = \"fgd\"\n"));
    let run = place.run(&["run", "s.toml", "-o", "out", "--no-progress"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let check = place.run(&["check", "out"]);
    assert_eq!(check.status, 0, "{}{}", check.stdout, check.stderr);
    let text = std::fs::read_to_string(place.path("out/jobs.csv")).unwrap();
    assert!(text.lines().next().unwrap().ends_with("reason,allocated_gpus"));
    assert!(text.contains(",no-such-nodes,\n") && text.contains(":3\n"), "{text}");
    for (from, to, fault) in [
        (":3\n", ":2\n", "it has 2 parts of GPU 0, and asks for 3 parts"),
        (",0:3\n", ",\n", "it has 1 GPUs too few on node 0"),
    ] {
        std::fs::write(place.path("out/jobs.csv"), text.replacen(from, to, 1)).unwrap();
        let check = place.run(&["check", "out"]);
        assert_eq!(check.status, 1, "{}{}", check.stdout, check.stderr);
        assert!(check.stdout.contains(fault), "{fault}: {}", check.stdout);
    }
}

/// Two jobs at once on one node with a divided GPU and an instance made beforehand.
#[test]
fn runs_on_divided_gpus_are_judged_by_their_files() {
    let place = Place::new();
    let scenario = "title = \"MIG\"\nseed = 1\n[[cluster.group]]\nnodes = 1\nprocessors = 8\ngpus = [\
        { kind = \"a100\", count = 1, mig = \"a100\" }, { kind = \"h100-3g.40gb\", count = 1, mig = \"static\" }]\n\
        [workload]\nkind = \"synthetic\"\njobs = 4\narrivals = \"1min\"\nsizes = 1\nrun-times = \"1h\"\n\
        [[workload.demand]]\ngpus = { count = 1, kind = \"a100_3g.20gb\" }\n[policy]\nkind = \"easy\"\n";
    place.file("s.toml", scenario);
    let run = place.run(&["run", "s.toml", "-o", "out", "--no-progress"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(place.run(&["check", "out"]).status, 0);
    let text = std::fs::read_to_string(place.path("out/jobs.csv")).unwrap();
    let held: Vec<&str> = text.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
    assert_eq!(held, ["0:3g@0", "0:3g@4", "0:3g@0", "0:3g@4"]);
    let stated = std::fs::read_to_string(place.path("out/summary.json")).unwrap();
    let metrics: serde_json::Value = serde_json::from_str(&stated).unwrap();
    // two of three sevenths each for an hour, of ten sevenths, in 121 minutes
    let held = metrics["metrics"]["gpus.utilization"]["value"].as_f64().unwrap();
    assert!((held - 4.0 * 60.0 * 3.0 / (121.0 * 10.0)).abs() < 1e-9, "{held}");
    std::fs::write(place.path("out/jobs.csv"), text.replacen("0:3g@4", "0:3g@1", 1)).unwrap();
    let check = place.run(&["check", "out"]);
    assert_eq!(check.status, 1, "{}{}", check.stdout, check.stderr);
    assert!(check.stdout.contains("where such an instance cannot begin"), "{}", check.stdout);
}

const NODES: &str = "ClusterName=kinds\nNodeName=a1 CPUs=8 RealMemory=1000 Gres=gpu:a100:4(S:0-1),shard:a100:16\n\
    NodeName=h1 CPUs=8 RealMemory=1000 Gres=gpu:h100:2\n\
    NodeName=m1 CPUs=8 RealMemory=1000 Gres=gpu:a100_3g.20gb:2\n";

const DUMP: &str = "JobID|Submit|Start|Elapsed|State|AllocCPUS|AllocTRES\n\
    1|100|100|60|COMPLETED|1|cpu=1,gres/gpu:h100=2,gres/gpu=2,node=1\n\
    2|100|100|60|COMPLETED|1|cpu=1,gres/shard=3,node=1\n\
    3|100|100|60|COMPLETED|1|cpu=1,gres/gpu:a100_3g.20gb=1,gres/gpu=1,node=1\n\
    4|100|100|60|COMPLETED|1|cpu=1,gres/gpu:a100=1,gres/gpu=1,node=1\n\
    5|100|100|60|COMPLETED|1|cpu=1,gres/gpu:v100=1,gres/gpu=1,node=1\n\
    6|100|100|60|COMPLETED|1|cpu=1,gres/gpu:h100=1,gres/gpu=1,node=1\n";

/// Converts these nodes, runs the dump on them, and gives the start, the GPUs and the reason of
/// each job, and what the run said.
fn run_of_dump(place: &Place, nodes: &str) -> (Vec<[String; 3]>, String) {
    place.file("slurm.conf", nodes);
    place.file("jobs.txt", DUMP);
    let converted = place.run(&["convert", "slurm.conf", "nodes.toml", "--force"]);
    assert_eq!(converted.status, 0, "{}", converted.stderr);
    place.file(
        "s.toml",
        "title = \"kinds\"\ninclude = [\"nodes.toml\"]\n[workload]\nkind = \"slurm\"\nfile = \"jobs.txt\"\n\
         resources = \"allocated\"\n[policy]\nkind = \"easy\"\n",
    );
    let run = place.run(&["run", "s.toml", "-o", "out", "--no-progress", "--force"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let check = place.run(&["check", "out"]);
    assert_eq!(check.status, 0, "{}{}", check.stdout, check.stderr);
    let text = std::fs::read_to_string(place.path("out/jobs.csv")).unwrap();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| head.iter().position(|known| *known == name);
    let columns = ["starting_time", "allocated_gpus", "reason"].map(column);
    let mut rows: Vec<(u64, [String; 3])> = lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let cell = |column: Option<usize>| column.map_or("", |column| cells[column]).to_owned();
            (cells[0].parse().unwrap(), columns.map(cell))
        })
        .collect();
    rows.sort();
    (rows.into_iter().map(|(_, row)| row).collect(), run.stdout + &run.stderr)
}

/// GPUs of a dump are of their kinds, slices and parts on the nodes of its site, and of no other.
#[test]
fn kinds_slices_and_shards_of_a_dump_are_those_of_the_converted_nodes() {
    let place = Place::new();
    let (rows, _) = run_of_dump(&place, NODES);
    let nodes = std::fs::read_to_string(place.path("nodes.toml")).unwrap();
    for list in [
        "gpus = [{ kind = \"a100\", count = 4, parts = 4 }]",
        "gpus = [{ kind = \"h100\", count = 2 }]",
        "gpus = [{ kind = \"a100_3g.20gb\", count = 2, mig = \"static\" }]",
    ] {
        assert!(nodes.contains(list), "{nodes}");
    }
    let held = rows.iter().map(|[_, gpus, _]| gpus.as_str()).collect::<Vec<_>>();
    assert_eq!(held, ["4-5", "0:3", "6", "1", "", "4"]);
    assert_eq!(rows[4][2], "no-such-nodes");
    assert!(rows[5][0].parse::<f64>().unwrap() >= 60.0, "the H100s are free again then: {:?}", rows[5]);
}

/// Where no node has the kind, nobody gets another one in its place; where nodes have no parts, a
/// whole one is held, and counted.
#[test]
fn a_kind_that_no_node_has_is_no_other_kind() {
    let place = Place::new();
    let (rows, said) = run_of_dump(&place, "NodeName=a1 CPUs=8 RealMemory=1000 Gres=gpu:a100:4\n");
    let fates = rows.iter().map(|[_, gpus, reason]| (gpus.as_str(), reason.as_str())).collect::<Vec<_>>();
    let none = ("", "no-such-nodes");
    assert_eq!([fates[0], fates[4], fates[5]], [none; 3]);
    // the slice of an A100 is a whole one as well
    assert_eq!(fates[1..4].iter().map(|(gpus, _)| *gpus).collect::<Vec<_>>(), ["0", "1", "2"]);
    assert!(said.contains("2 gpu-part"), "{said}");
}

#[test]
fn gpus_that_contradict_themselves_are_complained_of() {
    let told = |from: &str, to: &str| {
        let place = Place::new();
        place.file("s.toml", SCENARIO.replace(from, to));
        let output = place.run(&["validate", "s.toml"]);
        assert_eq!(output.status, 2, "{to}");
        output.stderr
    };
    let both = told("{ count = 1 }", "{ count = 1, parts = 2 }");
    assert!(both.contains("expected `count` or `parts`, not both"), "{both}");
    for none in ["{}", "{ kind = \"a100\" }"] {
        let none = told("{ count = 1 }", none);
        assert!(
            none.contains("it is not said how many GPUs") && none.contains("expected `count` or"),
            "{none}"
        );
        assert!(none.contains("help: write gpus = 1, {"), "{none}");
    }
    let several = told("{ count = 1 }", "{ count = 1, several = true }");
    assert!(several.contains("expected `parts` beside it"), "{several}");
    let equal = told("count = 2, parts = 4", "count = 2, parts = 4, mig = \"a100\"");
    assert!(equal.contains("has no equal parts"), "{equal}");
    let profile = told("count = 2, parts = 4", "count = 2, mig = \"static\"");
    assert!(profile.contains("does not end in its profile"), "{profile}");
    let key = told("count = 2, parts", "number = 2, parts");
    assert!(key.contains("unknown key `number`") && key.contains("missing key `count`"), "{key}");
    let text = told("gpus = 2", "gpus = \"two\"");
    assert!(text.contains("a whole number from 0 to 65535, or an array of"), "{text}");
    let primes = told("count = 1 }]", "count = 1, parts = 999983 }]");
    assert!(primes.contains("no common multiple up to 1000000"), "{primes}");
    let rule = told("[workload]", "[policy]\nkind = \"easy\"\nallocation-gpus = \"fdg\"\n[workload]");
    assert!(rule.contains("did you mean `fgd`"), "{rule}");
}
