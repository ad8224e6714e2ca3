//! Gang scheduling at a site whose nodes fail, with licences and limits: worked by hand, faults that
//! `check` names, and sites that are drawn.

use std::fmt::Write as _;

use clustersim_experiment::output::hash;
use serde_json::Value as Json;

use clustersim_testing::program::Place;

use super::random_sites::{Draws, digest};

/// Jobs as (submission, processors, run time, user), and a policy beyond two rows, slices of 10 s,
/// no switch and no replicas, on two nodes of two processors.
fn place(jobs: &[(u32, u32, u32, u32)], policy: &str, cluster: &str, rest: &str) -> Place {
    let place = Place::new();
    let line = |(number, &(submit, procs, run, user)): (usize, &(u32, u32, u32, u32))| {
        format!("{number} {submit} -1 {run} {procs} -1 -1 {procs} {run} -1 1 {user} 1 1 1 {user} -1 -1\n")
    };
    place.file("log.swf", format!("; MaxProcs: 4\n{}", (1..).zip(jobs).map(line).collect::<String>()));
    place.file(
        "gang.toml",
        format!(
            "title = \"A site in slices\"\n[policy]\nkind = \"gang\"\nquantum = \"10s\"\nswitch = \"0s\"\n\
             replicas = false\n{policy}[cluster]\nprocs = 4\nmpl = 2\n{cluster}\
             [workload]\nkind = \"swf\"\nfile = \"log.swf\"\n{rest}"
        ),
    );
    place
}

fn run(place: &Place) {
    let output = place.run(&["run", "gang.toml", "-o", "out", "-q"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let output = place.run(&["check", "out"]);
    assert_eq!(output.status, 0, "{}", output.stdout);
}

fn text(place: &Place, file: &str) -> String {
    String::from_utf8(place.read(file)).unwrap()
}

/// Start and end of each job by its last run, in order of their numbers.
fn times(place: &Place) -> Vec<(String, String)> {
    let jobs = text(place, "out/jobs.csv");
    let head: Vec<&str> = jobs.lines().next().unwrap().split(',').collect();
    let column = |name: &str| head.iter().position(|other| *other == name).unwrap();
    let (start, end) = (column("starting_time"), column("finish_time"));
    let mut rows: Vec<Vec<&str>> = jobs.lines().skip(1).map(|line| line.split(',').collect()).collect();
    rows.sort_by_key(|row| row[0].parse::<u32>().unwrap());
    rows.iter().map(|row| (row[start].to_owned(), row[end].to_owned())).collect()
}

fn expected(times: &[(u32, u32)]) -> Vec<(String, String)> {
    times.iter().map(|(start, end)| (start.to_string(), end.to_string())).collect()
}

fn metric(place: &Place, name: &str) -> f64 {
    let summary: Json = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    summary["metrics"][name]["value"].as_f64().unwrap()
}

/// Node 0, of processors 0 and 1, is out of service from 25 to 45 s; checkpoints of a second after
/// 5 s of work.
fn failing(then: &str) -> Place {
    let jobs = [(0, 2, 35, 1), (0, 4, 30, 2), (0, 2, 20, 3)];
    let failures = format!("[cluster.failures]\nprocessors-per-node = 2\ntrace = \"nodes.csv\"\n{then}");
    let place = place(&jobs, "", &failures, "");
    place.file("nodes.csv", "node,from,to\n0,25,45\n");
    place
}

const CHECKPOINTS: &str = "checkpoint = { interval = \"5s\", cost = \"1s\" }\n";

#[test]
fn a_failing_node_interrupts_jobs_of_all_rows_which_keep_what_their_slices_have_done() {
    // the case of the manual: at 25 the first job has run for 15 s, two rounds of 6 and more, and
    // the second, whose row does not run, for 10 s
    let place = failing(CHECKPOINTS);
    run(&place);
    assert_eq!(times(&place), expected(&[(25, 79), (45, 94), (0, 43)]));
    let attempts = text(&place, "out/attempts.csv");
    let rows: Vec<&str> = attempts.lines().skip(1).collect();
    assert_eq!(rows, ["1,0,1,0,25,0-1,10", "2,0,1,0,25,0-3,5"]);
    // 15 - 10 - 2 on two processors and 10 - 5 - 1 on four; 2 + 4 checkpoints on two, 1 + 4 on four
    // and 3 on two
    let found = ["processor-time.lost", "processor-time.checkpoints"].map(|name| metric(&place, name));
    assert_eq!(found.map(|value| format!("{value:.0}")), ["22", "38"]);
}

#[test]
fn jobs_that_are_lost_lose_what_they_have_run_for() {
    let place = failing("on-failure = \"lose\"\n");
    run(&place);
    // the third has its 20 s in the slice that runs then
    assert_eq!(times(&place), expected(&[(0, 25), (0, 25), (0, 30)]));
    let lost = metric(&place, "processor-time.lost");
    assert_eq!(format!("{lost:.0}"), (15 * 2 + 10 * 4).to_string());
}

#[test]
fn a_limit_is_of_the_service_of_each_run_or_of_all_runs() {
    for (of, end) in [("run", 94), ("job", 75)] {
        let jobs = [(0, 4, 30, 1)];
        let keys = format!(
            "kill-at-estimate = true\nlimit-of = \"{of}\"\n[cluster.failures]\nprocessors-per-node = 2\n\
             trace = \"nodes.csv\"\n"
        );
        let place = place(&jobs, "", &keys, "");
        place.file("nodes.csv", "node,from,to\n0,19,64\n");
        run(&place);
        // 19 s are lost; with 11 s left of the limit it is killed
        assert_eq!(times(&place), expected(&[(64, end)]), "{of}");
    }
}

#[test]
fn licences_are_held_from_start_to_end_and_a_head_that_lacks_one_has_a_promise() {
    let jobs = [(0, 4, 20, 1), (0, 4, 20, 1), (0, 4, 20, 2)];
    let licences = "[[workload.demand]]\npartitions = [1]\npools = { matlab = 1 }\n";
    let site = |policy: &str| place(&jobs, policy, "pools = { matlab = 1 }\n", licences);
    let plain = site("");
    run(&plain);
    // the second waits for the licence and keeps the third waiting; then both take turns
    assert_eq!(times(&plain), expected(&[(0, 20), (20, 50), (20, 60)]));
    let backfilled = site("backfill = \"easy\"\n");
    run(&backfilled);
    // by its estimate the third is over when the licence is free
    assert_eq!(times(&backfilled), expected(&[(0, 30), (30, 60), (0, 40)]));
}

#[test]
fn limits_of_queues_hold_jobs_back_in_slices_too() {
    let jobs = [(0, 2, 20, 1), (0, 2, 20, 1), (0, 2, 20, 2)];
    let place = place(&jobs, "queues = [{ name = \"all\", max-running-per-user = 1 }]\n", "", "");
    run(&place);
    assert_eq!(times(&place), expected(&[(0, 20), (20, 40), (0, 20)]));
    assert!(text(&place, "out/jobs.csv").contains("limit-lifted"));
}

#[test]
fn queues_with_nodes_of_their_own_are_refused_at_their_place() {
    let queues = "queues = [{ name = \"one\", of = \"partition\", numbers = [1], nodes = [\"big\"] }]\n";
    let place = place(&[(0, 2, 20, 1)], queues, "", "");
    let output = place.run(&["validate", "gang.toml"]);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("the rows of a matrix go over all nodes"), "{}", output.stderr);
    assert!(output.stderr.contains("gang.toml:7:68"), "{}", output.stderr);
    let limits = "reserved = 0.5\nqueues = [{ name = \"all\", max-running = 1 }]\n";
    let reserved = self::place(&[(0, 2, 20, 1)], limits, "", "").run(&["validate", "gang.toml"]);
    let said = "limits of queues are not kept where slices are reserved";
    assert!(reserved.status == 2 && reserved.stderr.contains(said), "{}", reserved.stderr);
    assert!(reserved.stderr.contains("gang.toml:8:10"), "{}", reserved.stderr);
}

/// Changes a file of a run, and gives what `check` says of it.
fn planted(place: &Place, file: &str, from: &str, to: &str) -> String {
    let (path, whole) = (format!("out/{file}"), text(place, &format!("out/{file}")));
    let changed = whole.replacen(from, to, 1);
    assert_ne!(changed, whole, "{from}");
    let manifest = text(place, "out/manifest.json");
    let mut hidden: Json = serde_json::from_str(&manifest).unwrap();
    hidden["outputs"][file] = Json::String(hash::of_bytes(changed.as_bytes()));
    place.file(&path, &changed);
    place.file("out/manifest.json", hidden.to_string());
    let output = place.run(&["check", "out"]);
    place.file(&path, whole);
    place.file("out/manifest.json", manifest);
    assert_eq!(output.status, 1, "{from} as {to}: {}{}", output.stdout, output.stderr);
    output.stdout
}

#[test]
fn what_a_failure_cannot_leave_behind_is_found_and_named() {
    let place = failing(CHECKPOINTS);
    run(&place);
    let is_found = |file, from, to, said: &str| {
        let found = planted(&place, file, from, to);
        assert!(found.contains(said), "{from} as {to}: {found}");
    };
    let kept = "it keeps 15 s of its work, and not 10 s, having run for 15 s";
    is_found("attempts.csv", "25,0-1,10", "25,0-1,15", kept);
    is_found("attempts.csv", "2,0,1,0,25,0-3,5\n", "", "it finds its columns then, and starts at 45 s");
    is_found("attempts.csv", "2,0,1,0,25,", "2,0,1,0,26,", "a node of it fails, and it continues");
    is_found("attempts.csv", "1,0,1,0,25,0-1,10", "1,0,1,0,24,0-1,10", "no node of it fails");
    let out = "it starts on processors among 0-3, which are out of service";
    is_found("jobs.csv", ",2-3,-1,,row-with-room", ",0-1,-1,,row-with-room", "out of service");
    is_found("outages.csv", "0,0-1,25,45", "0,0-1,25,46", out);
}

#[test]
fn a_licence_too_many_is_found() {
    let jobs = [(0, 4, 20, 1), (20, 4, 20, 1)];
    let licences = "[[workload.demand]]\npartitions = [1]\npools = { matlab = 1 }\n";
    let place = place(&jobs, "", "pools = { matlab = 1 }\n", licences);
    run(&place);
    let found = planted(&place, "jobs.csv", ",0,20,20,0,20,1,", ",0,21,21,0,21,1,");
    assert!(found.contains("jobs hold 2 of pool matlab, of which there are 1"), "{found}");
}

/// Of the jobs of the failing node: two in the first row and one in the second. Maintenance of two
/// processors goes from 25 to 45 s.
fn maintained() -> Place {
    let jobs = [(0, 2, 35, 1), (0, 4, 30, 2), (0, 2, 20, 3)];
    place(&jobs, "", "[[cluster.reservation]]\nat = \"25s\"\nfor = \"20s\"\nprocessors = 2\n", "")
}

#[test]
fn maintenance_takes_the_highest_columns_out_of_all_rows() {
    // no column is without a job: those of the highest one leave, of both rows. The second job needs
    // all columns, and keeps the third waiting; the first runs on alone, to 45
    let place = maintained();
    run(&place);
    assert_eq!(times(&place), expected(&[(0, 45), (45, 95), (45, 80)]));
    let rows = |file: &str| text(&place, file).lines().skip(1).map(str::to_owned).collect::<Vec<String>>();
    assert_eq!(rows("out/attempts.csv"), ["2,0,1,0,25,0-3,0", "3,0,1,0,25,2-3,0"]);
    assert_eq!(rows("out/reservations.csv"), ["1,1,2-3,25,45"]);
    let names = ["processor-time.lost", "reservations.processor-time", "reservations.late", "interruptions"];
    let found = names.map(|name| format!("{:.0}", metric(&place, name)));
    assert_eq!(found, ["70", "40", "0", "2"]);
    // columns without a job are taken first: nobody is in the way of the third alone
    let alone = self::place(
        &[(0, 2, 35, 1)],
        "",
        "[[cluster.reservation]]\nat = \"25s\"\nfor = \"20s\"\nprocessors = 2\n",
        "",
    );
    run(&alone);
    assert_eq!(times(&alone), expected(&[(0, 35)]));
}

#[test]
fn maintenance_of_all_columns_keeps_those_that_are_repaired_meanwhile() {
    // node 0 fails at 20: the first two jobs have run for 10 s, and keep 5. The first starts again on
    // node 1, in a row of its own, and has run for 5 s at 25, where the third has for 10
    let jobs = [(0, 2, 35, 1), (0, 4, 30, 2), (0, 2, 20, 3)];
    let tables = format!(
        "[cluster.failures]\nprocessors-per-node = 2\ntrace = \"nodes.csv\"\n{CHECKPOINTS}\
         [[cluster.reservation]]\nat = \"25s\"\nfor = \"20s\"\n"
    );
    let place = place(&jobs, "", &tables, "");
    place.file("nodes.csv", "node,from,to\n0,20,30\n");
    run(&place);
    // at 45 they are due 35, 29 and 17 s with their checkpoints
    assert_eq!(times(&place), expected(&[(45, 110), (45, 104), (45, 72)]));
    let rows = |file: &str| text(&place, file).lines().skip(1).map(str::to_owned).collect::<Vec<String>>();
    let attempts = ["1,0,1,0,20,0-1,5", "2,0,1,0,20,0-3,5", "1,0,2,20,25,2-3,0", "3,0,1,0,25,2-3,5"];
    assert_eq!(rows("out/attempts.csv"), attempts);
    assert_eq!(rows("out/reservations.csv"), ["1,1,2-3,25,45", "1,1,0-1,30,45"]);
    let names = ["processor-time.lost", "reservations.late", "reservations.lateness"];
    let found = names.map(|name| format!("{:.0}", metric(&place, name)));
    assert_eq!(found, ["42", "1", "5"]);
}

#[test]
fn what_maintenance_cannot_leave_behind_is_found_and_named() {
    let place = maintained();
    run(&place);
    let is_found = |file, from, to, said: &str| {
        let found = planted(&place, file, from, to);
        assert!(found.contains(said), "{from} as {to}: {found}");
    };
    let continues = "maintenance takes processors of it, and it continues";
    is_found("reservations.csv", "1,1,2-3,25", "1,1,0-1,25", continues);
    is_found("reservations.csv", "25,45", "25,46", "reservation 1 has processors out of its time");
    is_found("reservations.csv", "1,1,2-3", "1,1,3-3", "reservation 1 has 1 processors and needs 2");
    is_found("attempts.csv", "3,0,1,0,25,", "3,0,1,0,24,", "no maintenance begins that takes processors");
    is_found("attempts.csv", "2,0,1,0,25,0-3,0\n", "", "it finds its columns then");
    is_found("jobs.csv", ",45,50,95,", ",44,51,95,", "which reservation 1 has");
}

#[test]
fn what_would_have_to_be_planned_around_is_refused_at_its_place_all_at_once() {
    let tables = "pools = { matlab = 1 }\n[[cluster.reservation]]\nat = \"25s\"\nfor = \"20s\"\n\
        use = \"advance\"\n[[cluster.reservation]]\nat = \"65s\"\nfor = \"20s\"\npools = { matlab = 1 }\n";
    let place = place(&[(0, 2, 20, 1)], "", tables, "");
    for command in ["run", "validate"] {
        let refused = place.run(&[command, "gang.toml"]);
        assert_eq!(refused.status, 2);
        let said = [
            "policy `gang` does not plan around reservations of processors, so that none can be kept",
            "14 │ use = \"advance\"",
            "policy `gang` does not hold amounts of pools back for reservations",
            "18 │ pools = { matlab = 1 }",
        ];
        for said in said {
            assert!(refused.stderr.contains(said), "{command}: {said}: {}", refused.stderr);
        }
    }
}

/// Tables of maintenance of a part of the machine, or of all of it.
fn maintenance(draws: &mut Draws, procs: u64, fails: bool) -> String {
    let mut tables = String::new();
    let mut left = procs;
    for _ in 0..draws.within(1, 2) {
        let (at, lasts) = (draws.within(0, 90), draws.within(1, 50));
        write!(tables, "[[cluster.reservation]]\nat = \"{at}s\"\nfor = \"{lasts}s\"\n").unwrap();
        let count = draws.within(1, left);
        if count < procs {
            writeln!(tables, "processors = {count}").unwrap();
        }
        let every = lasts + draws.within(0, 60);
        let repeated = format!("every = \"{every}s\"\ntimes = {}\n", draws.within(2, 4));
        tables += draws.of(&["", &repeated]);
        tables += draws.of(&["", "notice = \"0s\"\n", "notice = \"15s\"\n"]);
        tables += if fails { draws.of(&["", "on-failure = \"shrink\"\n"]) } else { "" };
        left -= count;
        if left == 0 {
            break;
        }
    }
    tables
}

/// Writes a site in slices, and its jobs.
fn drawn(place: &Place, draws: &mut Draws) {
    let (procs, jobs) = (draws.within(4, 10), draws.within(3, 25));
    let (mut log, mut submit) = (String::new(), 0);
    let cancelled = draws.often(30);
    for number in 1..=jobs {
        submit += [0, 0, 1, 2, 5, 10, 20][draws.within(0, 6) as usize];
        let (run, size, user) = (draws.within(1, 60), draws.within(1, procs), draws.within(1, 3));
        let request = [run, run + draws.within(0, 39), run.div_ceil(2)][draws.within(0, 2) as usize];
        let leaves = cancelled && draws.often(30);
        let (wait, run) = if leaves {
            (draws.within(1, 80).to_string(), "-1".to_owned())
        } else {
            ("-1".to_owned(), run.to_string())
        };
        let status = if leaves { 5 } else { 1 };
        writeln!(
            log,
            "{number} {submit} {wait} {run} {size} -1 -1 {size} {request} -1 {status} {user} 1 1 1 1 -1 -1"
        )
        .unwrap();
    }
    place.file("log.swf", log);
    let mut cluster = format!("procs = {procs}\nmpl = {}\n", draws.within(1, 5));
    if draws.often(50) {
        cluster += "kill-at-estimate = true\n";
        cluster += draws.of(&["", "kill-grace = \"7s\"\n", "limit-of = \"job\"\n"]);
    }
    cluster += draws.of(&["", "power = { idle = \"100W\", busy = \"200W\" }\n"]);
    let (mut tables, mut workload) = (String::new(), String::new());
    let (fails, is_maintained) = (draws.often(60), draws.often(60));
    if fails || is_maintained {
        cluster += draws.of(&["", "requeue-place = \"back\"\n", "requeue-delay = \"9s\"\n"]);
    }
    if is_maintained {
        tables += &maintenance(draws, procs, fails);
    }
    if fails {
        let size = draws.within(1, 3);
        let mut outages = "node,from,to\n".to_owned();
        for node in 0..procs.div_ceil(size) {
            let mut now = 0;
            for _ in 0..draws.within(0, 5) {
                let from = now + draws.within(1, 60);
                now = from + draws.within(1, 40);
                writeln!(outages, "{node},{from},{now}").unwrap();
            }
        }
        place.file("nodes.csv", outages);
        writeln!(tables, "[cluster.failures]\nprocessors-per-node = {size}\ntrace = \"nodes.csv\"").unwrap();
        let (interval, cost) = (draws.within(3, 15), draws.within(0, 3));
        let checkpoint = format!("checkpoint = {{ interval = \"{interval}s\", cost = \"{cost}s\" }}\n");
        tables += draws.of(&["", "on-failure = \"lose\"\n", &checkpoint, &checkpoint]);
    }
    let mut demands = String::new();
    if draws.often(40) {
        let (few, many) = (draws.within(1, 3), draws.within(2, 9));
        writeln!(cluster, "pools = {{ few = {few}, many = {many} }}").unwrap();
        for _ in 0..2 {
            let (few, many) = (draws.within(0, few), draws.within(0, many));
            writeln!(demands, "[[workload.demand]]\nshare = 0.5\npools = {{ few = {few}, many = {many} }}")
                .unwrap();
        }
    }
    if cancelled {
        workload += "cancelled = \"replayed\"\n";
    }
    if draws.often(40) {
        let high = draws.within(10, 150);
        writeln!(workload, "patience = {{ kind = \"uniform\", low = \"1s\", high = \"{high}s\" }}").unwrap();
    }
    if draws.often(40) {
        let mut ties = "job,kind,on\n".to_owned();
        for job in (2..=jobs).filter(|_| draws.often(30)).collect::<Vec<u64>>() {
            let (kind, on) = (draws.of(&["after-ok", "after-any"]), draws.within(1, job - 1));
            writeln!(ties, "{job},{kind},{on}").unwrap();
        }
        place.file("ties.csv", ties);
        workload += "dependencies = \"ties.csv\"\n";
        cluster += draws.of(&["", "on-failed-dependency = \"hold\"\n"]);
    }
    let policy = policy(draws, procs);
    let sizes = draws.often(15);
    let molding = if sizes { "molding = \"efficient\"\n" } else { "" };
    let moldable = if sizes { "[workload.moldable]\nlaw = \"linear\"\n" } else { "" };
    place.file(
        "scenario.toml",
        format!(
            "title = \"A site\"\n[policy]\nkind = \"gang\"\n{policy}{molding}[cluster]\n{cluster}{tables}\
             [workload]\nkind = \"swf\"\nfile = \"log.swf\"\nestimate-floor = \"none\"\n{workload}{moldable}{demands}\
             [run]\nuntil = \"1d\"\n"
        ),
    );
}

/// Keys of the policy.
fn policy(draws: &mut Draws, procs: u64) -> String {
    let (quantum, switch, cost) = (draws.within(1, 20), draws.within(0, 3), draws.within(0, 20));
    let queue =
        draws.of(&["fcfs", "fcfs", "sjf", "smallest", "largest", "first-fit", "best-fit", "worst-fit"]);
    let mut keys = format!("quantum = \"{quantum}s\"\nswitch = \"{switch}s\"\nqueue = \"{queue}\"\n");
    keys += draws.of(&["", "row = \"best\"\n"]);
    keys += draws.of(&["", "packing = \"buddy\"\n"]);
    keys += draws.of(&["", "empty-rows = \"kept\"\n"]);
    keys += draws.of(&["", "replicas = false\n"]);
    keys += draws.of(&["", "unification = false\n"]);
    if !queue.ends_with("fit") && draws.often(50) {
        keys += "backfill = \"easy\"\n";
    }
    if draws.often(30) {
        writeln!(keys, "migration = \"compaction\"\nmigration-cost = \"{cost}s\"").unwrap();
    }
    if draws.often(30) {
        let procs = format!("max-running-procs = {procs}");
        let limit = draws.of(&[
            "max-running-per-user = 2",
            "max-running = 3",
            &procs,
            "max-queued-per-user = 1",
            "max-procs = 3",
        ]);
        writeln!(keys, "queues = [{{ name = \"all\", {limit} }}]").unwrap();
    }
    keys
}

#[test]
fn at_sites_in_slices_that_are_drawn_every_promise_is_kept() {
    let more = std::env::var("CLUSTERSIM_SITES").ok().and_then(|count| count.parse().ok());
    for seed in 1..=more.unwrap_or(100) {
        let (place, mut draws) = (Place::new(), Draws::new(seed + 7_000));
        drawn(&place, &mut draws);
        let first = digest(&place, "first", seed);
        assert_eq!(first, digest(&place, "again", seed), "site {seed}");
        let checked = place.run(&["check", "first"]);
        assert_eq!(checked.status, 0, "site {seed}: {}", checked.stdout);
    }
}
