//! Keys and limits of a site one by one, from `slurm.conf` and `sacctmgr` to lines of a scenario.

use clustersim_testing::program::{Output, Place};

const HEAD: &str = "JobID|User|Account|Partition|QOS|Submit|Start|ElapsedRaw|Timelimit|State|AllocCPUS\n";

/// A job of 100 s on each of these: user, partition, quality of service, limit.
fn dump(rows: &[(&str, &str, &str, &str)]) -> String {
    let row = |(place, (user, partition, qos, limit)): (usize, &(&str, &str, &str, &str))| {
        let (number, submit) = (place + 1, 1000 + 10 * place);
        format!("{number}|{user}|physics|{partition}|{qos}|{submit}|{submit}|100|{limit}|COMPLETED|2\n")
    };
    HEAD.to_owned() + &rows.iter().enumerate().map(row).collect::<String>()
}

const NODES: &str = "NodeName=n1 CPUs=4\nPartitionName=p Nodes=ALL\n";

struct Written {
    output: Output,
    scenario: String,
}

/// The scenario of a dump with a configuration and tables of `sacctmgr`.
fn written(place: &Place, dump: &str, conf: &str, tables: &[(&str, &str)], more: &[&str]) -> Written {
    place.file("dump.txt", dump).file("slurm.conf", conf);
    let mut words = vec!["convert", "dump.txt", "s.toml", "--conf", "slurm.conf", "--force"];
    for (flag, text) in tables {
        let name = if *flag == "--qos" { "qos.txt" } else { "assoc.txt" };
        place.file(name, *text);
        words.extend([*flag, name]);
    }
    words.extend(more);
    let output = place.run(&words);
    if output.status != 0 {
        return Written { output, scenario: String::new() };
    }
    let scenario = String::from_utf8(place.read("s.toml")).unwrap();
    let valid = place.run(&["validate", "s.toml"]);
    assert_eq!(valid.status, 0, "{scenario}\n{}", valid.stderr);
    Written { output, scenario }
}

/// The scenario of one job in partition `p` with more lines of `slurm.conf`.
fn with(conf: &str) -> String {
    let place = Place::new();
    let one = written(&place, &dump(&[("ada", "p", "normal", "2")]), &format!("{NODES}{conf}"), &[], &[]);
    assert_eq!(one.output.status, 0, "{}", one.output.stderr);
    one.scenario
}

#[track_caller]
fn has(text: &str, line: &str) {
    assert!(text.lines().any(|other| other == line), "no line {line:?} in\n{text}");
}

#[track_caller]
fn lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "{part:?} in\n{text}");
}

#[test]
fn weights_keep_all_their_digits_where_the_highest_priority_has_jobs() {
    let place = Place::new();
    let conf = "NodeName=n1 CPUs=4\nPartitionName=p Nodes=ALL PriorityJobFactor=3\nPartitionName=q Nodes=ALL \
                PriorityJobFactor=2\nPriorityWeightPartition=123456789\nPriorityWeightQOS=4294967295\n";
    let qos = "Name|Priority\nnormal|7\nother|1\n";
    let of = |partition: &str| {
        written(&place, &dump(&[("ada", partition, "normal", "2")]), conf, &[("--qos", qos)], &[]).scenario
    };
    let highest = of("p");
    has(&highest, "partition = 123456789");
    has(&highest, "qos = 4294967295");
    // two thirds of the weight
    has(&of("q"), "partition = 82304500");
}

#[test]
fn a_limit_of_nothing_is_a_comment() {
    let zero = with("PartitionName=p Nodes=ALL MaxTime=0 MaxNodes=0\n");
    has(&zero, "# MaxTime=0: not represented yet");
    has(&zero, "# MaxNodes=0: not represented yet");
    lacks(&zero, "max-run-time");
    // the limit of its quality of service is the stricter one that can be met
    let place = Place::new();
    let conf = "NodeName=n1 CPUs=4\nPartitionName=p Nodes=ALL MaxTime=0 QOS=part\n";
    let qos = "Name|Priority|MaxWall\npart|0|00:30:00\n";
    let both = written(&place, &dump(&[("ada", "p", "normal", "2")]), conf, &[("--qos", qos)], &[]).scenario;
    has(&both, "# MaxTime=0: not represented yet");
    has(&both, "max-run-time = \"30min\"");
}

#[test]
fn values_that_are_usual_are_no_comments() {
    let usual = with(
        "PartitionName=p Nodes=ALL PriorityTier=1 OverSubscribe=NO State=UP PreemptMode=OFF\n\
         PreemptType=preempt/none\nPreemptMode=OFF\nTopologyPlugin=topology/none\nEnforcePartLimits=NO\n\
         SchedulerType=sched/backfill\nPriorityType=priority/basic\n",
    );
    lacks(&usual, ": not represented yet");
    let other = with(
        "PartitionName=p Nodes=ALL PriorityTier=2 PreemptMode=OFF\nPreemptType=preempt/partition_prio\n\
         PreemptMode=CANCEL\n",
    );
    for line in
        ["PriorityTier=2", "PreemptMode=OFF", "PreemptType=preempt/partition_prio", "PreemptMode=CANCEL"]
    {
        has(&other, &format!("# {line}: not represented yet"));
    }
}

#[test]
fn a_job_that_asked_for_no_time_is_rejected_by_no_limit_of_time() {
    let place = Place::new();
    // the second and third jobs ran longer than the longest time of their quality of service
    let rows = [("ada", "p", "normal", "1"), ("ben", "p", "short", "UNLIMITED"), ("cyd", "p", "short", "2")];
    let conf = "NodeName=n1 CPUs=4\nPartitionName=p Nodes=ALL DefaultTime=3 MaxTime=1-0\n";
    let qos = "Name|Priority|MaxWall\nnormal|0|\nshort|0|00:01:00\n";
    let found = written(&place, &dump(&rows), conf, &[("--qos", qos)], &[]);
    has(&found.scenario, "max-run-time = \"1min\"");
    let run = place.run(&["run", "s.toml", "-o", "out"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let jobs = String::from_utf8(place.read("out/jobs.csv")).unwrap();
    let mut lines = jobs.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name: &str| head.iter().position(|column| *column == name).unwrap();
    let (job, asked, state) = (column("job_id"), column("requested_time"), column("final_state"));
    let mut rows: Vec<(String, String)> = lines
        .filter(|cells| cells[state] != "REJECTED")
        .map(|cells| (cells[job].to_owned(), cells[asked].to_owned()))
        .collect();
    rows.sort();
    // the one that asked for two minutes is rejected; the other is planned with the default of its
    // partition
    let expected = [("1", "60"), ("2", "180")].map(|(job, asked)| (job.to_owned(), asked.to_owned()));
    assert_eq!(rows, expected);
    let check = place.run(&["check", "out"]);
    assert_eq!(check.status, 0, "{}{}", check.stdout, check.stderr);
}

#[test]
fn tables_that_contradict_each_other_are_refused_at_their_place() {
    let place = Place::new();
    let one = dump(&[("ada", "p", "normal", "2")]);
    let refused = |conf: &str, flag: &str, table: &str, expected: &[&str]| {
        let stderr = written(&place, &one, conf, &[(flag, table)], &[]).output.stderr;
        assert!(expected.iter().all(|part| stderr.contains(part)), "{stderr}");
    };
    let twice = "Name|Priority\nnormal|1\nlong|2\nnormal|3\n";
    refused(NODES, "--qos", twice, &["`normal` is there twice, first in line 2", "qos.txt:4:1"]);
    let named = format!("ClusterName=our\n{NODES}");
    let shares = "Cluster|Account|User|Share\nours|root||1\ntheirs|root||1\n";
    refused(&named, "--shares", shares, &["no row is of `our`", "did you mean `ours`?", "assoc.txt:2:1"]);
    refused(NODES, "--shares", shares, &["rows of 2 clusters", "assoc.txt:2:1"]);
}

#[test]
fn rules_of_backfilling_and_order_by_their_names() {
    has(&with("SchedulerType=sched/builtin\n"), "backfill = \"none\"");
    let own = with(
        "SchedulerType=sched/wiki\nPriorityType=priority/own\nPriorityWeightAge=5\nPriorityWeightAssoc=3\n",
    );
    has(&own, "# SchedulerType=sched/wiki: not represented yet");
    has(&own, "# PriorityType=priority/own: not represented yet");
    has(&own, "# PriorityWeightAssoc=3: not represented yet");
    lacks(&own, "[policy.queue]");
    let ages = with(
        "PriorityWeightAge=5\nPriorityMaxAge=UNLIMITED\nPriorityDecayHalfLife=0\nPriorityCalcPeriod=5\n",
    );
    for line in ["age = 5", "max-age = \"49710d\"", "half-life = \"36500d\"", "interval = \"5min\""] {
        has(&ages, line);
    }
    has(&with("PriorityWeightAge=5\nPriorityMaxAge=0\n"), "max-age = \"1us\"");
    has(
        &with("PriorityWeightQOS=9\n"),
        "# PriorityWeightQOS=9 (name the priorities by --qos): not represented yet",
    );
}

#[test]
fn limits_of_partitions_and_their_qualities_of_service() {
    let place = Place::new();
    let rows = [("ada", "p", "normal", "2"), ("ben", "q", "normal", "2")];
    let rows =
        dump(&rows).replace("AllocCPUS", "AllocCPUS|AllocNodes").replace("COMPLETED|2", "COMPLETED|2|1");
    let conf = "NodeName=n[1-4] CPUs=4\nPartitionName=p Nodes=ALL MaxNodes=2 QOS=both\n\
                PartitionName=q Nodes=ALL MaxNodes=3 QOS=both\nPartitionName=r Nodes=ALL QOS=alone\n";
    let qos = "Name|Priority|GrpTRES\nboth|0|node=3\nalone|0|node=1\nnormal|0|\n";
    let nodes = written(&place, &rows, conf, &[("--qos", qos)], &["--count", "nodes"]).scenario;
    has(&nodes, "max-procs = 2");
    has(&nodes, "max-procs = 3");
    has(&nodes, "# QOS=both (shared with other partitions): not represented yet");
    has(&nodes, "# Partition r: no job of the dump is in it");
    lacks(&nodes, "QOS alone");
    let unnamed = written(&place, &rows, conf, &[], &["--count", "nodes"]).scenario;
    has(&unnamed, "# QOS=both (name its limits by --qos): not represented yet");
    let processors = with("PartitionName=p Nodes=ALL MaxNodes=2\n");
    has(&processors, "# MaxNodes=2: not represented yet");
}

/// Jobs of 100 s at the same instant, with their users, processors and what else they had of nodes.
fn on_nodes(jobs: &[(&str, u32, &str)]) -> String {
    let head = "JobID|User|Partition|QOS|Submit|Start|ElapsedRaw|Timelimit|State|AllocCPUS|AllocTRES\n";
    let row = |(number, (user, cpus, tres)): (usize, &(&str, u32, &str))| {
        format!("{number}|{user}|p|normal|1000|1000|100|2|COMPLETED|{cpus}|cpu={cpus},{tres}\n")
    };
    head.to_owned() + &(1..).zip(jobs).map(row).collect::<String>()
}

const QUALITIES: &str = "Name|Priority|GrpTRES|MaxTRES|MaxTRESPU\n\
                         part|0|gres/gpu=6|node=2|gres/gpu:h100=1\n\
                         normal|0|node=3|mem=1G,gres/gpu=4|node=2,gres/gpu=2\n";

const QUEUES: &str = r#"
[[policy.queues]]
name = "p"
of = "partition"
numbers = [1]
max-nodes = 2
max-running-gpus = 6
# with the limits of its QOS=part
# MaxTRESPU=gres/gpu:h100=1: not represented yet

[[policy.queues]]
name = "normal"
of = "qos"
numbers = [1]
max-gpus = 4
max-running-nodes = 3
max-running-nodes-per-user = 2
max-running-gpus-per-user = 2
# a node that its jobs share counts for each of them here, and once in Slurm
# MaxTRES=mem=1G: not represented yet
"#;

#[test]
fn limits_of_nodes_and_gpus_are_keys_where_jobs_are_on_nodes() {
    let place = Place::new();
    let jobs = on_nodes(&[
        ("ada", 4, "node=1,gres/gpu=2"),
        ("ada", 4, "node=1,gres/gpu=1"),
        ("ben", 12, "node=3"),
        ("cyd", 4, "node=1,gres/gpu=2"),
    ]);
    let conf = "NodeName=n[1-4] CPUs=4 Gres=gpu:4\nPartitionName=p Nodes=ALL MaxNodes=3 QOS=part\n";
    let asked = ["--resources", "allocated"];
    let scenario = written(&place, &jobs, conf, &[("--qos", QUALITIES)], &asked).scenario;
    assert!(scenario.ends_with(QUEUES), "{scenario}");
    // ada has two GPUs already, and no job has three nodes
    assert_eq!(place.run(&["run", "s.toml", "-o", "out"]).status, 0);
    let text = String::from_utf8(place.read("out/jobs.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let cell =
        |row: &[&str], name: &str| row[head.iter().position(|column| *column == name).unwrap()].to_owned();
    let told = |row: Vec<&str>| ["job_id", "starting_time", "final_state"].map(|name| cell(&row, name));
    let mut found: Vec<[String; 3]> = lines.map(told).collect();
    found.sort();
    let starts: Vec<&str> = found.iter().map(|row| row[1].as_str()).collect();
    assert_eq!((found[2][2].as_str(), starts), ("REJECTED", vec!["0", "100", "", "0"]), "{text}");
    let check = place.run(&["check", "out"]);
    assert_eq!(check.status, 0, "{}{}", check.stdout, check.stderr);
    // a shard is no GPU to Slurm, and a part of one here
    let shared = conf.replace("gpu:4", "gpu:4,shard:8");
    let shared = written(&place, &jobs, &shared, &[("--qos", QUALITIES)], &asked).scenario;
    for line in ["max-nodes = 2", "max-running-nodes = 3", "# GrpTRES=gres/gpu=6: not represented yet"] {
        has(&shared, line);
    }
    lacks(&shared, "gpus = 6");
    // and where jobs are on no nodes neither is a limit
    let plain = written(&place, &jobs, conf, &[("--qos", QUALITIES)], &[]).scenario;
    for limit in ["MaxNodes=3", "MaxTRES=node=2", "GrpTRES=gres/gpu=6", "MaxTRESPU=node=2"] {
        has(&plain, &format!("# {limit}: not represented yet"));
    }
    lacks(&plain, "max-");
}

#[test]
fn shares_are_said_to_have_one_level() {
    let fair = "PriorityWeightFairshare=10\n";
    let classic = format!("{fair}PriorityFlags=NO_FAIR_TREE\n");
    let tree = with(fair);
    has(
        &tree,
        "# fair tree=the classic formula stands for it, with shares of one level: not represented yet",
    );
    has(&tree, "# every account has the same share: name those of the site by --shares");
    let level = "# fair share=of one level, without the usage of accounts above: not represented yet";
    has(&with(&classic), level);
    // accounts directly below the root are all the levels that there are
    let place = Place::new();
    let rows = dump(&[("ada", "p", "normal", "2"), ("ada", "p", "normal", "2")]);
    let rows = rows.replacen("User|", "Comment|", 1).replacen("2|ada|physics", "2|ada|chemistry", 1);
    let conf = format!("{NODES}{classic}");
    let shares = "Account|User|Share\nroot||1\nphysics||3\n";
    let flat = written(&place, &rows, &conf, &[("--shares", shares)], &[]).scenario;
    has(&flat, "accounts = \"group\"");
    has(&flat, "shares = { \"1\" = 1 }");
    has(&flat, "# 1 of the dump are in no line of --shares, and have a share of 1");
    lacks(&flat, level);
    let nested = "Account|User|ParentName|Share\nroot|||1\nphysics||root|3\n";
    has(&written(&place, &rows, &conf, &[("--shares", nested)], &[]).scenario, level);
    let nobody = rows.replacen("Account|", "Reason|", 1);
    has(
        &written(&place, &nobody, &conf, &[("--shares", shares)], &[]).scenario,
        "# the dump has neither users nor accounts, which shares are about",
    );
}

#[test]
fn nodes_alone_say_that_the_scheduler_is_left_out() {
    let place = Place::new();
    place.file(
        "slurm.conf",
        format!("{NODES}PriorityWeightAge=5\nSchedulerParameters=bf_window=9\nPreemptMode=OFF\n"),
    );
    let output = place.run(&["convert", "slurm.conf", "nodes.toml"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let remark = "lines on the scheduler, which is left out here and converted with a dump by --conf: 2";
    assert!(output.stderr.contains(remark), "{}", output.stderr);
    has(&String::from_utf8(place.read("nodes.toml")).unwrap(), &format!("# {remark}"));
}
