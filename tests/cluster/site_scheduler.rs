//! The scheduler of a site, from its `slurm.conf` and tables of `sacctmgr` to a scenario that runs.

use clustersim_testing::program::{Output, Place};

const DUMP: &str = "\
JobID|User|Account|Partition|QOS|Submit|Start|ElapsedRaw|Timelimit|State|AllocCPUS|AllocTRES
1|ada|physics|batch|normal|1000|1000|100|00:02:00|COMPLETED|4|cpu=4,node=1
2|cyd|chemistry|gpu|normal|1010|1100|100|00:02:00|COMPLETED|4|cpu=4,node=1
3|ben|physics|batch|high|1020|1200|130|00:02:00|TIMEOUT|4|cpu=4,node=1
";

const CONF: &str = "\
ClusterName=ours
SchedulerType=sched/backfill
SchedulerParameters=bf_window=4320,bf_continue
SelectType=select/cons_tres
PriorityType=priority/multifactor
PriorityWeightAge=1000
priorityweightfairshare=20000   # in small letters
PriorityWeightJobSize=500
PriorityWeightPartition=3000
PriorityWeightQOS=7
PriorityWeightQOS=10000
PriorityWeightTRES=CPU=1000,Mem=2000
PriorityFavorSmall=YES
PriorityDecayHalfLife=14-0
PriorityMaxAge=2-12
PriorityFlags=MAX_TRES
PreemptType=preempt/qos
PreemptMode=REQUEUE
SlurmdDebug=info
Colour=red
NodeName=n[1-4] CPUs=4 RealMemory=16000 Weight=10
PartitionName=DEFAULT MaxTime=1-0 State=UP
PartitionName=batch Nodes=n[1-2],\\
n[3-4] Default=YES PriorityJobFactor=10 OverSubscribe=\"FORCE:2\"
PartitionName=gpu Nodes=n4 MaxTime=UNLIMITED PriorityJobFactor=100 PriorityTier=2 QOS=gpulimits
PartitionName=idle Nodes=ALL PriorityJobFactor=200
";

const QOS: &str = "\
Name|Priority|PreemptMode|Flags|UsageFactor|GrpTRES|MaxWall|MaxJobsPU|MaxSubmitPU
normal|0|cluster||1.000000||||
high|100|cluster|DenyOnLimit|1.000000||12:00:00|1|
gpulimits|0|cluster||1.000000|cpu=8,gres/gpu=2|||10
unused|50|cluster||1.000000||||
";

const SHARES: &str = "\
Cluster|Account|User|Share|MaxJobs
ours|root||1|
ours|physics||3|
ours|physics|ada|1|5
ours|physics|ben|1|
ours|chemistry||1|
ours|chemistry|cyd|parent|
";

const SITE: &str = r#"title = "dump.txt"

[cluster]
procs = 16
# SelectType=select/cons_tres: not represented yet
# NodeName=n[1-4]: Weight=10: not represented yet

[workload]
kind = "slurm"
file = "dump.txt"
conf = "slurm.conf"
# limits are about the time that was asked for, even if a job ran longer
estimate-floor = "none"

[policy]
# The scheduler of ours, as far as it is represented: a comment that ends in "not represented yet"
# has a key that changes schedules there, and none here.
kind = "space-sharing"
# PreemptType=preempt/qos: not represented yet
# PreemptMode=REQUEUE: not represented yet
backfill = "easy"
# sched/backfill promises a start to many jobs, EASY to the first alone
# SchedulerParameters=bf_window=4320: not represented yet
# SchedulerParameters=bf_continue: not represented yet

[policy.queue]
kind = "priority"
age = 1000
size = -500
fairshare = 20000
partition = 1500
qos = 10000
max-age = "60h"
half-life = "14d"
# fair tree=the classic formula stands for it, with shares of one level: not represented yet
# share of the whole machine, down from the root; 1 is the mean
shares = { "1" = 1.125, "2" = 0.75, "3" = 1.125 }
# every account stands directly below the root: no column says which is below which
# Share=parent, of 1 accounts and users: not represented yet
# MaxJobs=a limit of 1 accounts and users: not represented yet
# PriorityFlags=MAX_TRES: not represented yet
# PriorityWeightTRES=CPU=1000,Mem=2000: not represented yet

[[policy.queues]]
name = "batch"
of = "partition"
numbers = [1]
priority = 10
max-run-time = "1d"
# OverSubscribe=FORCE:2: not represented yet

[[policy.queues]]
name = "gpu"
of = "partition"
numbers = [2]
priority = 100
max-running-procs = 8
# with the limits of its QOS=gpulimits
# GrpTRES=gres/gpu=2: not represented yet
# MaxSubmitPU=10: not represented yet
# PriorityTier=2: not represented yet

# Partition idle: no job of the dump is in it

[[policy.queues]]
name = "high"
of = "qos"
numbers = [2]
priority = 100
max-run-time = "12h"
max-running-per-user = 1
# Flags=DenyOnLimit: not represented yet

# QOS unused: no job of the dump is in it
"#;

fn good(place: &Place, arguments: &[&str]) -> Output {
    let output = place.run(arguments);
    assert_eq!(output.status, 0, "{arguments:?}\n{}{}", output.stdout, output.stderr);
    output
}

/// Starts of jobs by their numbers, in seconds.
fn starts(place: &Place, directory: &str) -> Vec<(String, String)> {
    let text = String::from_utf8(place.read(&format!("{directory}/jobs.csv"))).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name: &str| head.iter().position(|column| *column == name).unwrap();
    let (job, start) = (column("job_id"), column("starting_time"));
    let mut found: Vec<(String, String)> =
        lines.map(|cells| (cells[job].to_owned(), cells[start].to_owned())).collect();
    found.sort();
    found
}

fn pairs(found: &[(&str, &str)]) -> Vec<(String, String)> {
    found.iter().map(|(job, start)| ((*job).to_owned(), (*start).to_owned())).collect()
}

#[test]
fn a_scheduler_becomes_keys_and_comments_at_their_places() {
    let place = Place::new();
    place.file("dump.txt", DUMP).file("slurm.conf", CONF).file("qos.txt", QOS).file("assoc.txt", SHARES);
    let asked = [
        "convert",
        "dump.txt",
        "site.toml",
        "--conf",
        "slurm.conf",
        "--qos",
        "qos.txt",
        "--shares",
        "assoc.txt",
    ];
    let output = good(&place, &asked);
    assert_eq!(String::from_utf8(place.read("site.toml")).unwrap(), SITE);
    let notes = output.stderr;
    assert!(notes.contains("keys that are not known, and are left out: 1: Colour (line 20)"), "{notes}");
    assert!(notes.contains("not represented yet, comments in site.toml: 16"), "{notes}");
    good(&place, &["validate", "site.toml"]);
    good(&place, &["run", "site.toml", "-o", "out"]);
    good(&place, &["check", "out"]);
    // a job that outlived its limit by half a minute is no job that asked for more than it may
    assert_eq!(starts(&place, "out").len(), 3);
    let summary = String::from_utf8(place.read("out/summary.json")).unwrap();
    assert!(!summary.contains("queue-limit"), "{summary}");
}

#[test]
fn the_order_of_a_site_and_its_limits_by_hand() {
    let place = Place::new();
    let head = "JobID|User|Partition|QOS|Submit|Start|ElapsedRaw|Timelimit|State|AllocCPUS\n";
    let conf = |more: &str| {
        format!(
            "NodeName=n1 CPUs=4\nPartitionName=p Nodes=ALL\nPartitionName=q Nodes=ALL PriorityJobFactor=9\n{more}"
        )
    };
    let qos = "Name|Priority|MaxJobsPU|GrpTRES\nnormal|0||\nhigh|10||\none|0|1|\nfew|0||cpu=2\n";
    let full = |rows: &[(&str, &str, &str, u32)]| {
        let row = |(place, (user, partition, qos, cpus)): (usize, &(&str, &str, &str, u32))| {
            let (number, submit) = (place + 1, 1000 + 10 * place);
            format!("{number}|{user}|{partition}|{qos}|{submit}|{submit}|100|2|COMPLETED|{cpus}\n")
        };
        head.to_owned() + &rows.iter().enumerate().map(row).collect::<String>()
    };
    let round = std::cell::Cell::new(0);
    let found = |conf: &str, rows: &[(&str, &str, &str, u32)]| {
        place.file("dump.txt", full(rows)).file("slurm.conf", conf).file("qos.txt", qos);
        good(
            &place,
            &["convert", "dump.txt", "s.toml", "--conf", "slurm.conf", "--qos", "qos.txt", "--force"],
        );
        round.set(round.get() + 1);
        let out = format!("out{}", round.get());
        good(&place, &["run", "s.toml", "-o", &out]);
        starts(&place, &out)
    };
    let three = [("ada", "p", "normal", 4), ("ben", "p", "normal", 4), ("cyd", "p", "high", 4)];
    // without weights in order of submission, else the job of high quality of service goes first
    let plain = found(&conf(""), &three);
    assert_eq!(plain, pairs(&[("1", "0"), ("2", "100"), ("3", "200")]));
    let weighed = found(&conf("PriorityWeightQOS=5\n"), &three);
    assert_eq!(weighed, pairs(&[("1", "0"), ("2", "200"), ("3", "100")]));
    // priority/basic has no weights
    let basic = found(&conf("PriorityWeightQOS=5\nPriorityType=priority/basic\n"), &three);
    assert_eq!(basic, plain);
    // partition q is worth 9 of 9 of the weight, p 1 of 9
    let partitions = [("ada", "p", "normal", 4), ("ben", "p", "normal", 4), ("cyd", "q", "normal", 4)];
    assert_eq!(found(&conf("PriorityWeightPartition=1\n"), &partitions), weighed);
    // one job of a user at a time; another user's runs beside it
    let one = [("ada", "p", "one", 1), ("ada", "p", "one", 1), ("ben", "q", "one", 1)];
    assert_eq!(found(&conf(""), &one), pairs(&[("1", "0"), ("2", "100"), ("3", "20")]));
    // two processors of this quality of service, in whichever partition
    let few = [("ada", "p", "few", 2), ("ben", "q", "few", 1), ("cyd", "p", "normal", 2)];
    assert_eq!(found(&conf(""), &few), pairs(&[("1", "0"), ("2", "100"), ("3", "20")]));
    // small jobs first
    let sizes = [("ada", "p", "normal", 4), ("ben", "p", "normal", 4), ("cyd", "p", "normal", 3)];
    let small = found(&conf("PriorityWeightJobSize=5\nPriorityFavorSmall=1\n"), &sizes);
    assert_eq!(small, pairs(&[("1", "0"), ("2", "200"), ("3", "100")]));
}

#[test]
fn files_are_included_from_their_folder_once_each() {
    let place = Place::new();
    let partition = "PartitionName=p Nodes=ALL\n";
    place
        .file("dump.txt", DUMP)
        .file(
            "site/slurm.conf",
            format!("ClusterName=Ours\ninclude nodes/%c.conf\nInclude nodes/ours.conf\n{partition}"),
        )
        .file("site/nodes/ours.conf", "NodeName=n[1-2] CPUs=4\nInclude more.conf\n")
        .file("site/nodes/more.conf", "NodeName=n3 \\\n CPUs=8\nInclude ../slurm.conf\n");
    let output = good(&place, &["convert", "dump.txt", "site/site.toml", "--conf", "site/slurm.conf"]);
    assert!(String::from_utf8(place.read("site/site.toml")).unwrap().contains("procs = 16\n"));
    for again in ["line 3 includes nodes/ours.conf once more", "line 3 includes ../slurm.conf once more"] {
        assert!(output.stderr.contains(again), "{}", output.stderr);
    }
    good(&place, &["validate", "site/site.toml"]);
    good(&place, &["run", "site/site.toml", "-o", "out"]);
    good(&place, &["check", "out"]);
    // a change of an included file is one of an input
    let manifest = String::from_utf8(place.read("out/manifest.json")).unwrap();
    assert!(manifest.contains("ours.conf") && manifest.contains("more.conf"), "{manifest}");
    place.file("site/nodes/more.conf", "NodeName=n3 CPUs=16\n");
    let changed = place.run(&["check", "out"]).stderr;
    assert!(changed.contains("more.conf is no longer what it was"), "{changed}");

    place.file("out.conf", "NodeName=n4 CPUs=4\n");
    let refused = |conf: &str, expected: &str| {
        place.file("site/slurm.conf", conf);
        let output = place.run(&["convert", "dump.txt", "x.toml", "--conf", "site/slurm.conf"]);
        assert_eq!(output.status, 2, "{}", output.stderr);
        assert!(output.stderr.contains(expected), "{}", output.stderr);
        output.stderr
    };
    refused("NodeName=n1\nInclude ../out.conf\n", "`../out.conf` is outside the folder of this file");
    refused("NodeName=n1\nInclude /etc/passwd\n", "`/etc/passwd` is outside the folder of this file");
    refused("NodeName=n1\nInclude /no/such.conf\n", "`/no/such.conf` is outside the folder of this file");
    refused("NodeName=n1\nInclude missing.conf\n", "cannot read `missing.conf`: there is no such file");
    refused("Include %c.conf\nClusterName=x\n", "which no line before states");
    // a mistake is at its place in the included file
    place.file("site/bad.conf", "\nPriorityWeightAge=-1\n");
    let told = refused("NodeName=n1\nInclude bad.conf\n", "`-1` is below zero");
    assert!(told.contains("bad.conf:2:1"), "{told}");
    // 16 files within each other are read, 17 are not
    for deep in [16, 17] {
        for number in 1..=deep {
            let next = if number < deep { format!("Include d{}.conf\n", number + 1) } else { String::new() };
            place.file(&format!("site/d{number}.conf"), format!("NodeName=d{number} CPUs=1\n{next}"));
        }
        place.file("site/slurm.conf", "Include d1.conf\n");
        let output = place.run(&["convert", "site/slurm.conf", "deep.toml", "--force"]);
        if deep == 16 {
            assert!(
                output.status == 0 && output.stdout.contains("16 nodes"),
                "{}{}",
                output.stdout,
                output.stderr
            );
        } else {
            assert!(output.stderr.contains("more than 16 deep"), "{}", output.stderr);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_folder_is_not_followed() {
    let place = Place::new();
    place
        .file("dump.txt", DUMP)
        .file("nodes.conf", "NodeName=n1 CPUs=4\n")
        .file("site/slurm.conf", "Include nodes.conf\n");
    std::os::unix::fs::symlink(place.path("nodes.conf"), place.path("site/nodes.conf")).unwrap();
    let output = place.run(&["convert", "dump.txt", "x.toml", "--conf", "site/slurm.conf"]);
    assert!(output.status == 2 && output.stderr.contains("is outside the folder"), "{}", output.stderr);
}

#[test]
fn flags_and_tables_that_mean_nothing_are_refused() {
    let place = Place::new();
    place
        .file("dump.txt", DUMP)
        .file("slurm.conf", CONF)
        .file("qos.txt", QOS)
        .file("wrong.txt", "Name|MaxWall\nlong|soon\n");
    let refused = |arguments: &[&str], expected: &str| {
        let output = place.run(arguments);
        assert!(output.status == 2 && output.stderr.contains(expected), "{arguments:?}\n{}", output.stderr);
    };
    refused(&["convert", "dump.txt", "x.toml", "--qos", "qos.txt"], "--conf");
    refused(
        &["convert", "dump.txt", "x.swf", "--conf", "slurm.conf", "--qos", "qos.txt"],
        "a log has no policy",
    );
    let with =
        |table: &'static str| ["convert", "dump.txt", "x.toml", "--conf", "slurm.conf", "--qos", table];
    refused(&with("wrong.txt"), "wrong.txt:2:6");
    refused(&with("dump.txt"), "the table has no column `name`");
    refused(&with("missing.txt"), "there is no such file");
}

#[test]
fn queues_go_by_a_kind_of_number_each() {
    let place = Place::new();
    let scenario = |queues: &str| {
        format!(
            "title = \"Q\"\n[cluster]\nprocs = 4\n[workload]\nkind = \"slurm\"\nfile = \"dump.txt\"\n\
             [policy]\nkind = \"space-sharing\"\n{queues}"
        )
    };
    let queue = |name: &str, of: &str| {
        format!("[[policy.queues]]\nname = \"{name}\"\nof = \"{of}\"\nnumbers = [1]\n")
    };
    place.file("dump.txt", DUMP).file("two.toml", scenario(&(queue("a", "partition") + &queue("b", "qos"))));
    good(&place, &["validate", "two.toml"]);
    place.file("clash.toml", scenario(&(queue("a", "partition") + &queue("b", "partition"))));
    let clash = place.run(&["validate", "clash.toml"]);
    assert!(clash.status == 2 && clash.stderr.contains("would have the same jobs"), "{}", clash.stderr);
    place.file("wrong.toml", scenario(&queue("a", "account")));
    let wrong = place.run(&["validate", "wrong.toml"]);
    assert!(wrong.status == 2 && wrong.stderr.contains("known: queue, partition, qos"), "{}", wrong.stderr);
    let log = "; MaxProcs: 4\n1 0 0 10 4 -1 -1 4 10 -1 1 1 1 -1 1 1 -1 -1\n";
    let swf = scenario(&queue("b", "qos")).replace("\"slurm\"", "\"swf\"").replace("dump.txt", "log.swf");
    place.file("log.swf", log).file("swf.toml", swf);
    let none = place.run(&["run", "swf.toml", "-o", "none"]);
    assert!(
        none.status == 2 && none.stderr.contains("the workload states no quality of service"),
        "{}",
        none.stderr
    );
}
