//! Rows of a site with 1,024 nodes of four processors: each feature alone beside none, then all of
//! them at once; the memory of a job; and `fgd` on openb's pods.
//!
//! The log is made up: a job is of one of three partitions, which have the same load, and of one of
//! a hundred users. Rows are whole runs without files, in processor time, the workload not read
//! again.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::Path;

use clustersim::system::standard;
use clustersim_cluster::batch::devices::{GpuRule, TaskMix, free_amount};
use clustersim_experiment::scenario::{Ready, Session, check, from_text};
use clustersim_kernel::rng::Streams;
use clustersim_language::collections::OrderedMap;

use crate::bare::{bare_best, median};
use crate::table::{seconds_of, verdict, whole_run};

#[path = "../tests/cluster/openb.rs"]
#[expect(dead_code, reason = "shared with the test, which compares all rules")]
mod openb;

/// Rounds of a row; rows take turns.
const ROUNDS: usize = 3;

const JOBS: u32 = 100_000;

/// Jobs of a row that takes long.
const FEWER: u32 = 5_000;

/// Seconds from one job to the next, on the average.
const BETWEEN: f64 = 22.5;

/// Reservations that are all known from the beginning.
const AHEAD: u32 = 12_000;

/// A site: what stands in `[cluster]`, in tables behind it, in `[workload]` and in `[policy]`.
#[derive(Clone, Copy, Default)]
struct Part {
    name: &'static str,
    cluster: &'static str,
    tables: &'static str,
    workload: &'static str,
    policy: &'static str,
}

/// Demands of jobs for whole GPUs, and for parts of them.
macro_rules! gpu_demands {
    () => {
        r#"
[[workload.demand]]
partitions = [2]
share = 0.6
procs = 2
gpus = { count = 1, kind = "a100" }
memory = "8GiB"
[[workload.demand]]
partitions = [2]
gpus = { parts = 1, kind = "t4" }
memory = "2GiB"
"#
    };
}

/// Nodes that list nothing, and nodes of three partitions with what jobs of these ask for.
const PROCESSORS: Part =
    Part { name: "none", cluster: "procs = 4096\n", tables: "", workload: "", policy: "" };
const NODES: Part = Part {
    name: "memory, kinds of GPUs and parts of them, exclusive nodes",
    cluster: "",
    tables: r#"
[[cluster.group]]
nodes = 716
processors = 4
memory = "16GiB"
features = ["batch"]
[[cluster.group]]
nodes = 154
processors = 4
memory = "64GiB"
gpus = [{ kind = "a100", count = 2 }, { kind = "t4", count = 1, parts = 4 }]
features = ["gpu"]
[[cluster.group]]
nodes = 154
processors = 4
memory = "128GiB"
features = ["large"]
"#,
    workload: concat!(
        gpu_demands!(),
        r#"[[workload.demand]]
partitions = [3]
features = ["large"]
exclusive = true
[[workload.demand]]
partitions = [1]
features = ["batch"]
memory = "3GiB"
"#
    ),
    policy: "",
};
const MEMORY: Part = Part {
    name: "memory",
    cluster: "",
    tables: "[[cluster.group]]\nnodes = 1024\nprocessors = 4\nmemory = \"16GiB\"\n",
    workload: "[[workload.demand]]\nmemory = \"3GiB\"\n",
    policy: "",
};
const QUEUES: Part = Part {
    name: "queues of partitions",
    cluster: "",
    tables: "",
    workload: "",
    policy: r#"
[[policy.queues]]
name = "batch"
of = "partition"
numbers = [1]
nodes = ["batch"]
order = { kind = "priority", age = 1.0, fairshare = 2.0 }
max-running-per-user = 50
[[policy.queues]]
name = "gpu"
of = "partition"
numbers = [2]
nodes = ["gpu"]
[[policy.queues]]
name = "large"
of = "partition"
numbers = [3]
nodes = ["large"]
"#,
};
const COURSE: Part = Part {
    name: "a course's reservation of nodes",
    cluster: "",
    tables: "[[cluster.reservation]]\nat = \"14h\"\nfor = \"2h\"\nevery = \"24h\"\ntimes = 25\nfeatures = [\"gpu\"]\nnodes = 2\nuse = \"advance\"\nnotice = \"7d\"\n",
    workload: "",
    policy: "",
};
const POOLS: Part = Part {
    name: "licences",
    cluster: "pools = { matlab = 400, abaqus = 800 }\n",
    tables: "",
    workload: "[[workload.demand]]\npartitions = [1]\nshare = 0.15\npools = { matlab = 1 }\n[[workload.demand]]\npartitions = [3]\npools = { abaqus = 8 }\n",
    policy: "",
};

/// Features that need no nodes; all of them at once, with licences and nodes, are a site.
const FEATURES: [Part; 7] = [
    Part {
        name: "time limits with grace",
        cluster: "kill-at-estimate = true\nkill-grace = \"5min\"\n",
        ..NOTHING
    },
    Part { name: "dependencies", workload: "dependencies = \"dependencies.csv\"\n", ..NOTHING },
    Part { name: "patience", workload: "patience = { kind = \"exponential\", mean = \"6d\" }\n", ..NOTHING },
    Part {
        name: "failures with checkpoints",
        cluster: "requeue-delay = \"121s\"\n",
        tables: "[cluster.failures]\nup = { kind = \"exponential\", mean = \"100d\" }\ndown = { kind = \"exponential\", mean = \"2h\" }\ncheckpoint = { interval = \"2h\", cost = \"2min\" }\n",
        ..NOTHING
    },
    Part {
        name: "maintenance every week",
        tables: "[[cluster.reservation]]\nat = \"80h\"\nfor = \"6h\"\nevery = \"7d\"\ntimes = 4\nnotice = \"14d\"\n",
        ..NOTHING
    },
    Part {
        name: "moldable jobs",
        workload: "moldable = { law = { kind = \"downey\", variance = 0.3, parallelism = 16 }, share = 0.15 }\n",
        policy: "molding = \"efficient\"\n",
        ..NOTHING
    },
    Part { name: "energy", cluster: "power = { idle = \"20W\", busy = \"90W\" }\n", ..NOTHING },
];
const NOTHING: Part = Part { name: "", cluster: "", tables: "", workload: "", policy: "" };

/// Features of the policy that are left out where queues have orders and limits of their own.
const OF_POLICY: [Part; 3] = [
    Part {
        name: "fair share",
        policy: "queue = { kind = \"priority\", age = 1.0, fairshare = 2.0 }\n",
        ..NOTHING
    },
    Part {
        name: "limits of users",
        policy: "[[policy.queues]]\nname = \"all\"\nmax-running-per-user = 50\n",
        ..NOTHING
    },
    Part { name: "estimates of EASY++", policy: "estimates = \"last-two\"\n", ..NOTHING },
];

/// The scenario of a site in a folder, which has a log of so many jobs.
fn scenario(parts: &[Part], backfill: &str) -> String {
    let mut text =
        "title = \"A site\"\nseed = 45\nrecord = { report = false, jobs = false }\n[cluster]\n".to_owned();
    let all = |what: fn(&Part) -> &'static str| -> String {
        let (keys, tables): (Vec<_>, Vec<_>) =
            parts.iter().map(what).partition(|text| !text.trim_start().starts_with('['));
        keys.into_iter().chain(tables).collect()
    };
    text += &all(|part| part.cluster);
    text += &all(|part| part.tables);
    text += "[workload]\nkind = \"swf\"\nfile = \"log.swf\"\nload = 0.8\nestimate-floor = \"none\"\n";
    text += &all(|part| part.workload);
    writeln!(text, "[policy]\nkind = \"space-sharing\"\nbackfill = \"{backfill}\"").unwrap();
    text + &all(|part| part.policy)
}

/// Everything at once.
fn everything() -> Vec<Part> {
    // the first demand that concerns a job holds, so licences stand with the others
    let demands = Part {
        workload: concat!(
            gpu_demands!(),
            r#"[[workload.demand]]
partitions = [3]
exclusive = true
pools = { abaqus = 8 }
[[workload.demand]]
partitions = [1]
share = 0.15
memory = "2GiB"
pools = { matlab = 1 }
[[workload.demand]]
partitions = [1]
memory = "3GiB"
"#
        ),
        ..NODES
    };
    let mut parts = FEATURES.to_vec();
    parts.extend([demands, COURSE, Part { workload: "", ..POOLS }, QUEUES]);
    parts
}

/// Writes a log of so many jobs and dependencies of a twentieth of them into a folder; one comes
/// every so many seconds.
fn write_log(folder: &Path, jobs: u32, every_secs: f64) {
    let log = super::overestimated(&super::scaled(jobs, every_secs, 1));
    let (mut text, mut after) = ("; MaxProcs: 4096\n".to_owned(), "job,kind,on\n".to_owned());
    for job in log.iter() {
        let (number, procs, user) = (job.number, job.procs, job.user + 1);
        let [submit, run, request] =
            [job.submit_time.as_nanos(), job.run_time.as_nanos(), job.estimate.as_nanos()]
                .map(|nanos| nanos.div_ceil(1_000_000_000));
        // of the area 70, 15 and 15 per cent, as of the nodes
        let partition =
            [1, 1, 1, 1, 1, 1, 1, 2, 3, 1, 1, 1, 1, 1, 1, 1, 2, 3, 2, 3][number as usize * 7 % 20];
        writeln!(
            text,
            "{number} {submit} -1 {run} {procs} -1 -1 {procs} {request} -1 1 {user} 1 1 1 {partition} -1 -1"
        )
        .unwrap();
        if number % 20 == 9 {
            writeln!(after, "{number},after-ok,{}", number - 7).unwrap();
        }
    }
    fs::write(folder.join("log.swf"), text).unwrap();
    fs::write(folder.join("dependencies.csv"), after).unwrap();
}

/// Seconds of processor time of a run, without reading its workload.
fn run(text: &str, folder: &Path) -> f64 {
    let registry = standard();
    let scenario = check(&registry, from_text("site.toml", text.to_owned(), folder, &[])).unwrap();
    let Ready { run, .. } = scenario.system.assemble(&registry, &scenario).unwrap();
    let session = Session { only_figures: true, ..Session::default() };
    seconds_of(|| {
        black_box(run.run(&session).unwrap().figures().events);
    })
}

/// A row: its name, its jobs, its floor and its goal in jobs per second, and its scenario.
type Row = (String, u32, Option<(f64, f64)>, String);

/// Measures the rows whose name is asked for; those of all features have their floor and goal.
pub(crate) fn print(asked: impl Fn(&str) -> bool) {
    let folders = [JOBS, FEWER].map(|jobs| (jobs, tempfile::tempdir().unwrap()));
    folders.iter().for_each(|(jobs, folder)| write_log(folder.path(), *jobs, BETWEEN));
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |name: &str, bounds, parts: &[Part], backfill| {
        rows.push((format!("{name}, {backfill}"), JOBS, bounds, scenario(parts, backfill)));
    };
    add("site: none", None, &[PROCESSORS], "easy");
    for part in FEATURES.into_iter().chain(OF_POLICY).chain([POOLS]) {
        add(&format!("site: {}", part.name), None, &[PROCESSORS, part], "easy");
    }
    add("site: memory", None, &[MEMORY], "easy");
    add("site: memory, GPUs, exclusive nodes", None, &[NODES], "easy");
    add(
        "site: the same by fgd",
        None,
        &[NODES, Part { policy: "allocation-gpus = \"fgd\"\n", ..NOTHING }],
        "easy",
    );
    add("site: queues of partitions", None, &[NODES, QUEUES], "easy");
    add("site: a course on nodes", None, &[NODES, COURSE], "easy");
    add("site: none", None, &[PROCESSORS], "conservative");
    add("site: memory, GPUs, exclusive nodes", None, &[NODES], "conservative");
    // bounds of the last but one: neither nodes nor queues cost anything, nor does backfilling
    let counted: Vec<Part> = FEATURES.into_iter().chain([PROCESSORS, POOLS]).collect();
    add("site: everything but nodes", None, &counted, "none");
    add("site: everything but nodes", None, &counted, "easy");
    add("site: everything", None, &everything(), "none");
    add("site: everything", Some((50_000.0, 200_000.0)), &everything(), "easy");
    let name = format!("site: everything, conservative, {FEWER} jobs");
    rows.push((name, FEWER, None, scenario(&everything(), "conservative")));
    rows.retain(|(name, ..)| asked(name));
    if !rows.is_empty() {
        let mut seconds = vec![Vec::new(); rows.len()];
        let mut bare = Vec::new();
        for _ in 0..ROUNDS {
            bare.push(bare_best(100, 4_000_000));
            for ((_, jobs, _, text), seconds) in rows.iter().zip(&mut seconds) {
                let folder = folders.iter().find(|(of, _)| of == jobs).map(|(_, folder)| folder.path());
                seconds.push(run(text, folder.unwrap()));
            }
        }
        let bare = median(bare);
        println!("{:<54} {:>9} {:>12}  floor, goal", "1,024 nodes, 10^5 jobs", "jobs/s", "bare events");
        for ((name, jobs, bounds, _), seconds) in rows.into_iter().zip(seconds) {
            let (seconds, jobs) = (median(seconds), f64::from(jobs));
            let (rate, events) = (jobs / seconds, seconds / jobs * bare);
            let bounds = bounds.map_or(String::new(), |(floor, goal)| {
                let verdict = verdict(seconds, jobs / floor, jobs / goal);
                format!("{floor:.0}, {goal:.0}  {verdict}")
            });
            println!("{name:<54} {rate:>9.0} {events:>12.1}  {bounds}");
        }
    }
    if asked("known reservations") {
        reservations();
    }
    if asked("memory of a job") {
        memory();
    }
    if asked("fgd over openb") {
        fgd();
    }
}

/// Seconds in which 100 jobs run among reservations that are all known from the beginning.
fn reservations() {
    let folder = tempfile::tempdir().unwrap();
    write_log(folder.path(), 100, f64::from(AHEAD) * 36.0);
    for (name, part, what) in [
        ("counts", PROCESSORS, "processors = 400"),
        ("nodes", MEMORY, "nodes = 100"),
        ("nodes with GPUs", NODES, "features = [\"gpu\"]\nnodes = 2"),
    ] {
        for backfill in ["easy", "conservative"] {
            let ahead = format!(
                "[[cluster.reservation]]\nat = \"1h\"\nfor = \"10min\"\nevery = \"1h\"\ntimes = {AHEAD}\n\
                 {what}\nuse = \"advance\"\nnotice = \"{AHEAD}h\"\n[workload]\n"
            );
            let text =
                scenario(&[part], backfill).replace("[workload]\n", &ahead).replace("load = 0.8\n", "");
            let seconds = median((0..ROUNDS).map(|_| run(&text, folder.path())).collect());
            let name = format!("{AHEAD} known reservations, {name}, {backfill} [s]");
            println!("{name:<54} {seconds:>9.3}");
        }
    }
}

/// Bytes that each further job takes in a run of the program without files of single jobs.
fn memory() {
    for (name, floor, parts, jobs) in [
        ("memory of a job, none [bytes]", Some(100.0), vec![PROCESSORS], [100_000, 500_000]),
        ("memory of a job, everything [bytes]", None, everything(), [20_000, 100_000]),
    ] {
        let [few, many] = jobs.map(|jobs| {
            let parts = parts.clone();
            whole_run(
                &(Box::new(move |folder: &Path| {
                    write_log(folder, jobs, BETWEEN);
                    scenario(&parts, "easy")
                }) as _),
            )
            .1
        });
        let bytes = (many - few) * 1e6 / f64::from(jobs[1] - jobs[0]);
        let bounds =
            floor.map_or(String::new(), |floor| format!("{floor}  {}", verdict(bytes, floor, floor)));
        println!("{name:<54} {bytes:>9.0} {:>12}  {bounds}", "");
    }
}

/// Seconds in which the pods find their nodes by `fgd`, as the published runs place them.
fn fgd() {
    let (Some(nodes), Some(pods)) = (openb::nodes(), openb::pods()) else { return };
    let mut tasks = OrderedMap::new();
    pods.iter().for_each(|pod| *tasks.entry(pod.task).or_insert(0) += 1);
    let mix = TaskMix::new(tasks);
    let all: u64 = nodes.iter().map(|node| free_amount(&node.gpus, openb::PARTS.into())).sum();
    let mut draws = Streams::new(0, 0).stream("openb");
    let arriving = openb::arrivals(&pods, all, &mut draws);
    let seconds = (0..ROUNDS).map(|_| {
        let nodes = nodes.clone();
        seconds_of(|| {
            black_box(openb::placed(GpuRule::Fgd, nodes, &arriving, &mix, &mut draws));
        })
    });
    let (seconds, name) = (median(seconds.collect()), format!("fgd over openb, {} pods [s]", arriving.len()));
    println!("{name:<54} {seconds:>9.3} {:>12}  2, 2  {}", "", verdict(seconds, 2.0, 2.0));
}
