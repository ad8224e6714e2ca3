//! `convert`, and foreign workloads as sources of runs.
//!
//! `INSTA_UPDATE=always cargo test --test floor convert` writes the golden files anew; they are then
//! reviewed.

use std::fs;
use std::path::PathBuf;

use clustersim_jobs::import::batsim;
use clustersim_jobs::import::slurm::{self, Reading};
use clustersim_jobs::workload::swf::{self, Options};
use insta::assert_snapshot;

use clustersim_testing::evidence;
use clustersim_testing::program::{Place, repository};

/// A place with the foreign files of `tests/data`.
fn place() -> Place {
    let place = Place::new();
    for name in ["sacct.txt", "slurm.conf", "batsim.json"] {
        place.file(name, fs::read(repository("tests/data").join(name)).unwrap());
    }
    place
}

/// What converting says: results, then messages.
fn converted(place: &Place, arguments: &[&str]) -> String {
    let output = place.run(&[&["convert"], arguments].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    format!("{}{}", output.stdout, output.stderr)
}

fn text(place: &Place, name: &str) -> String {
    String::from_utf8(place.read(name)).unwrap()
}

#[test]
fn a_dump_becomes_a_log_that_tells_what_is_lost() {
    let place = place();
    let told = converted(&place, &["sacct.txt", "site.swf", "--conf", "slurm.conf"]);
    assert_snapshot!("a_dump_converted", format!("{told}\n{}", text(&place, "site.swf")));
    let site = slurm::read_conf(&place.read("slurm.conf")[..]).unwrap();
    let mut direct =
        slurm::read(&place.read("sacct.txt")[..], &Reading::default(), Some(&site), &Options::default())
            .unwrap();
    // a log has no field of its own for the quality of service, which is the queue, and none for who
    // set the limit of a job
    assert_eq!(direct.jobs.iter().filter(|job| !job.asks_for_time()).count(), 3);
    direct.jobs.iter_mut().for_each(|job| *job = job.with_qos(None).asking_for_time(true));
    let written = swf::read(&place.read("site.swf"), &Options::default()).unwrap();
    assert_eq!(
        (written.jobs.as_slice(), written.unix_origin()),
        (direct.jobs.as_slice(), direct.unix_origin())
    );
    assert_eq!(
        (written.header.procs(), written.header.nodes()),
        (direct.header.procs(), direct.header.nodes())
    );
    // again, packed: the same jobs
    converted(&place, &["site.swf", "again.swf.gz"]);
    let again = swf::read(&place.read("again.swf.gz"), &Options::default()).unwrap();
    assert_eq!((again.unix_origin(), again.jobs), (direct.unix_origin(), written.jobs));
}

#[test]
fn a_dump_becomes_a_scenario_that_runs() {
    let place = place();
    let told = converted(
        &place,
        &[
            "sacct.txt",
            "site.toml",
            "--conf",
            "slurm.conf",
            "--submitted",
            "eligible",
            "--utc-offset",
            "-05:00",
        ],
    );
    assert_snapshot!("a_scenario_of_a_dump", format!("{told}\n{}", text(&place, "site.toml")));
    let run = place.run(&["run", "site.toml", "-o", "out", "--no-progress"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(text(&place, "out/jobs.csv").lines().count(), 1 + 6);
    // both inputs make the run
    let manifest = text(&place, "out/manifest.json");
    assert!(manifest.contains("\"sacct.txt\"") && manifest.contains("\"slurm.conf\""), "{manifest}");
}

#[test]
fn a_configuration_becomes_a_cluster_at_either_detail() {
    let place = place();
    let told = converted(&place, &["slurm.conf", "nodes.toml"]);
    assert_snapshot!("a_cluster_of_a_configuration", format!("{told}\n{}", text(&place, "nodes.toml")));
    converted(&place, &["slurm.conf", "groups.toml", "--detail", "task"]);
    assert_snapshot!("groups_of_a_configuration", text(&place, "groups.toml"));
    let workload = "[workload]\nkind = \"parallel\"\njobs = 3\n[[workload.class]]\nkind = \"comm\"\ntasks = 4\niterations = 2\n";
    place.file(
        "own.toml",
        format!("title = \"own\"\ninclude = [\"groups.toml\"]\npolicy = \"gang\"\n{workload}"),
    );
    let valid = place.run(&["validate", "own.toml"]);
    assert_eq!((valid.status, valid.stdout.as_str()), (0, "own.toml: valid\n"), "{}", valid.stderr);
}

#[test]
fn jobs_of_a_dump_ask_for_what_they_had() {
    let place = place();
    let asked = ["sacct.txt", "site.toml", "--conf", "slurm.conf", "--resources", "allocated"];
    let told = converted(&place, &asked);
    assert_snapshot!("resources_of_a_dump", format!("{told}\n{}", text(&place, "site.toml")));
    let run = place.run(&["run", "site.toml", "-o", "out", "--no-progress"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let jobs = text(&place, "out/jobs.csv");
    // jobs of `batch` are on its nodes, n[001-120]; those of `gpu` on g[01-08], which come behind
    let on = |number: &str| {
        let row = jobs.lines().find(|row| row.starts_with(&format!("{number},"))).unwrap();
        row.split(',').nth(14).unwrap().split('-').next().unwrap().parse::<u32>().unwrap()
    };
    assert!(on("1001") < 120 * 64 && on("1003") < 120 * 64, "{jobs}");
    assert!((120 * 64..120 * 64 + 8 * 32).contains(&on("1012")), "{jobs}");
    // the two parts together ask for 160 processors with GPUs: five of its nodes
    assert!((120 * 64..120 * 64 + 8 * 32).contains(&on("1010")), "{jobs}");
    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 0, "{}", checked.stdout);
}

#[test]
fn a_workload_of_batsim_becomes_a_log_and_a_run() {
    let place = place();
    let told = converted(&place, &["batsim.json", "jobs.swf", "--speed", "1Gf"]);
    assert_snapshot!("a_workload_of_batsim_converted", format!("{told}\n{}", text(&place, "jobs.swf")));
    let mut direct =
        batsim::read(std::io::Cursor::new(place.read("batsim.json")), Some(1e9), &Options::default())
            .unwrap();
    assert_eq!(direct.jobs.iter().filter(|job| job.killed).count(), 2);
    // a log has no word for it but its status
    direct.jobs.iter_mut().for_each(|job| job.killed = false);
    let written = swf::read(&place.read("jobs.swf"), &Options::default()).unwrap();
    assert_eq!((written.jobs, written.origin), (direct.jobs, direct.origin));
    converted(&place, &["batsim.json", "batsim.toml"]);
    let run = place.run(&["run", "batsim.toml", "-o", "out", "--no-progress"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(text(&place, "out/jobs.csv").lines().count(), 1 + 3);
    killed_at_its_walltime(&place);
}

/// Job 3 runs until its walltime of 10 s is over, with and without a limit of the site, whatever
/// that allows.
fn killed_at_its_walltime(place: &Place) {
    let (kill, grace) = (["--set", "cluster.kill-at-estimate=true"], ["--set", "cluster.kill-grace='5s'"]);
    let limits = [("own", Vec::new()), ("site", kill.to_vec()), ("graced", [kill, grace].concat())];
    for (out, keys) in limits {
        let mut words = vec!["run", "batsim.toml", "-o", out, "--no-progress", "--json"];
        words.extend(keys);
        let run = place.run(&words);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let summary: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let of = |name: &str| summary["metrics"][name]["value"].as_u64();
        assert_eq!([of("jobs.completed"), of("jobs.killed")], [Some(2), Some(1)], "{out}");
        let csv = text(place, &format!("{out}/jobs.csv"));
        let killed: Vec<&str> =
            csv.lines().filter(|row| row.contains("COMPLETED_WALLTIME_REACHED")).collect();
        assert_eq!(killed.len(), 1, "{csv}");
        assert!(killed[0].contains(",0,COMPLETED_WALLTIME_REACHED,2,10,"), "{killed:?}");
        let checked = place.run(&["check", out]);
        assert_eq!(checked.status, 0, "{}", checked.stdout);
        // one that runs on is found
        let spared = csv.replace("0,COMPLETED_WALLTIME_REACHED", "1,COMPLETED_SUCCESSFULLY");
        fs::write(place.path(&format!("{out}/jobs.csv")), spared).unwrap();
        let checked = place.run(&["check", out]);
        assert!(checked.stdout.contains("it was not killed at its limit"), "{}", checked.stdout);
    }
}

#[test]
fn a_real_log_is_converted_into_itself() {
    let place = Place::new();
    let log = repository("scenarios/data/KTH-SP2-1996-2.1-cln-4-weeks.swf.gz");
    converted(&place, &[log.to_str().unwrap(), "log.swf"]);
    let (before, after) = (
        swf::read_file(&log, &Options::default()).unwrap(),
        swf::read(&place.read("log.swf"), &Options::default()).unwrap(),
    );
    assert_eq!((after.jobs, after.origin), (before.jobs, before.origin));
    assert_eq!(after.header.unix_start_time(), before.header.unix_start_time());
    assert!(after.header.acknowledgements().eq(before.header.acknowledgements()));
}

#[test]
fn an_output_that_is_there_is_left_alone() {
    let place = place();
    place.file("site.swf", "mine");
    assert_eq!(place.run(&["convert", "sacct.txt", "site.swf"]).status, 2);
    assert_eq!(text(&place, "site.swf"), "mine");
    converted(&place, &["sacct.txt", "site.swf", "--force"]);
    assert_ne!(text(&place, "site.swf"), "mine");
    assert!(place.names(".").iter().all(|name| !name.ends_with(".partial")));
}

/// A dump of 200 jobs, of which those of these numbers state no number of processors.
fn dump_with_odd(odd: &[u64]) -> String {
    let mut dump = "JobID|Partition|Submit|Start|ElapsedRaw|State|AllocCPUS\n".to_owned();
    for number in 1..=200 {
        let procs = if odd.contains(&number) { "16?" } else { "4" };
        let clock = format!("2026-03-01T{:02}:{:02}:00", 8 + number / 60, number % 60);
        dump += &format!("{number}|batch|{clock}|{clock}|60|COMPLETED|{procs}\n");
    }
    dump
}

#[test]
fn records_that_cannot_be_read_are_counted_up_to_a_share() {
    let place = Place::new();
    place.file("two.txt", dump_with_odd(&[7, 90]));
    place.file("three.txt", dump_with_odd(&[7, 90, 91]));
    let told = converted(&place, &["two.txt", "two.swf"]);
    assert!(told.contains("two.swf: 198 jobs of 200 records"), "{told}");
    let line = "note: 2 records not read: an amount of processors or nodes is no number: line 8, 91\n";
    assert!(told.contains(line), "{told}");
    assert!(
        text(&place, "two.swf").contains("; Note: 2 not read: an amount of processors"),
        "in the log too"
    );
    // above the share nothing is written
    let over = place.run(&["convert", "three.txt", "three.toml"]);
    assert_eq!((over.status, place.path("three.toml").exists()), (2, false));
    let cause = "`16?` is no number: 3 of 200 records cannot be read (1.5 %), and at most 1 % may be";
    assert!(over.stderr.contains(cause) && over.stderr.contains("three.txt:8:"), "{}", over.stderr);
    let strict = place.run(&["convert", "two.txt", "strict.swf", "--strict"]);
    assert_eq!((strict.status, place.path("strict.swf").exists()), (2, false));
    assert!(strict.stderr.contains("CS0028]: `16?` is no number\n"), "{}", strict.stderr);
    // a scenario reads the dump by the same bound
    converted(&place, &["three.txt", "three.toml", "--most-unread", "1.5%"]);
    let scenario = text(&place, "three.toml");
    assert!(scenario.contains("most-unread = \"1.5%\"\n"), "{scenario}");
    place.file("run.toml", &scenario);
    let run = place.run(&["run", "run.toml", "-o", "out", "--no-progress"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(text(&place, "out/jobs.csv").lines().count(), 1 + 197);
    place.file("less.toml", scenario.replace("1.5%", "1%"));
    let less = place.run(&["validate", "less.toml"]);
    assert!(less.status == 2 && less.stderr.contains(cause), "{}", less.stderr);
    for (flags, message) in [
        (["--most-unread", "101%"], "`101%` is more than all records"),
        (["--most-unread", "few"], "`few` is no share"),
        (["--timezone", "Europe/Pariss"], "`Europe/Pariss` is no zone that is known"),
    ] {
        let refused = place.run(&[&["convert", "two.txt", "no.swf"], &flags[..]].concat());
        assert!(refused.status == 2 && refused.stderr.contains(message), "{}", refused.stderr);
    }
}

#[test]
fn a_dump_in_local_time_is_read_in_its_zone() {
    let place = Place::new();
    let head = "JobID|Submit|Start|End|ElapsedRaw|State|AllocCPUS\n";
    let row = "1|2026-10-25T01:00:00|2026-10-25T02:50:00|2026-10-25T02:30:00|2400|COMPLETED|4\n\
               2|2026-11-01T12:00:00|2026-11-01T12:00:00|2026-11-01T13:00:00|3600|COMPLETED|4\n";
    place.file("local.txt", format!("{head}{row}"));
    let told = converted(&place, &["local.txt", "local.swf", "--timezone", "Europe/Paris"]);
    assert!(!told.contains("clock"), "{told}");
    let log = swf::read(&place.read("local.swf"), &Options::default()).unwrap();
    let submits: Vec<u64> = log.jobs.iter().map(|job| job.submit_time.as_nanos() / 1_000_000_000).collect();
    // an hour more than the clock says
    assert_eq!(submits, [0, 7 * 86_400 + 12 * 3600]);
    converted(&place, &["local.txt", "local.toml", "--timezone", "Europe/Paris"]);
    assert!(text(&place, "local.toml").contains("timezone = \"Europe/Paris\"\n"));
    let told = converted(&place, &["local.txt", "other.swf"]);
    assert!(told.contains("rule of the EU (") && told.contains("--timezone"), "{told}");
    let wrong = place.run(&[
        "convert",
        "local.txt",
        "no.swf",
        "--timezone",
        "Europe/Paris",
        "--utc-offset",
        "+01:00",
    ]);
    assert_eq!(wrong.status, 2);
    place.file("spring.txt", format!("{head}{}", row.replace("2026-10-25", "2026-03-29")));
    let skipped = place.run(&["convert", "spring.txt", "no.swf", "--timezone", "Europe/Paris"]);
    assert!(skipped.status == 2 && skipped.stderr.contains("spring.txt:2:23"), "{}", skipped.stderr);
    assert!(skipped.stderr.contains("the zone named is not that of the dump"), "{}", skipped.stderr);
}

#[test]
fn jobs_with_alternatives_run_on_the_kinds_of_nodes_that_meet_them() {
    let place = Place::new();
    let nodes = [("a", "zen2"), ("b", "zen3"), ("c", "zen4,ib")];
    let line = |(name, features)| format!("NodeName={name}[1-2] CPUs=4 RealMemory=1000 Feature={features}\n");
    place.file("slurm.conf", nodes.map(line).concat());
    let asked = ["zen3|zen4", "(zen3|zen4)&ib", "zen2|gone", "zen4|zen2&ib", "[zen2|zen3]", "a&b*2", ""];
    let row = |(number, asked): (usize, &&str)| {
        format!("{number}|{}|{}|60|COMPLETED|4|cpu=4,mem=500M,node=1|{asked}\n", number * 100, number * 100)
    };
    let rows: String = asked.iter().enumerate().map(|(number, asked)| row((number + 1, asked))).collect();
    place.file(
        "dump.txt",
        format!("JobID|Submit|Start|ElapsedRaw|State|AllocCPUS|AllocTRES|Constraints\n{rows}"),
    );
    let told =
        converted(&place, &["dump.txt", "site.toml", "--conf", "slurm.conf", "--resources", "allocated"]);
    assert!(
        told.contains("2 jobs asked for nodes with features, which are not simulated: line 6, 7"),
        "{told}"
    );
    let run = place.run(&["run", "site.toml", "-o", "out", "--no-progress"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let jobs = text(&place, "out/jobs.csv");
    let on = |number: usize| {
        let row = jobs.lines().find(|row| row.starts_with(&format!("{number},"))).unwrap();
        row.split(',').nth(14).unwrap().split('-').next().unwrap().parse::<u32>().unwrap()
    };
    // each kind has eight processors; of those that serve the first are taken, as all are free
    assert_eq!([1, 2, 3, 4, 5, 6, 7].map(on), [8, 16, 0, 16, 0, 0, 0], "{jobs}");
    assert_eq!(place.run(&["check", "out"]).status, 0);
    // alternatives that no node has
    place.file("dump.txt", text(&place, "dump.txt").replace("zen2|gone", "zen9|gone"));
    let wrong = place.run(&["validate", "site.toml"]);
    assert!(
        wrong.stderr.contains("jobs ask for the feature `zen9|gone`, which no node has"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn sizes_of_logs_with_commas_and_words_are_read_or_refused_by_their_cause() {
    let place = Place::new();
    let scenario =
        "title = \"t\"\n[workload]\nkind = \"swf\"\nfile = \"log.swf\"\n[policy]\nkind = \"fcfs\"\n";
    place.file("run.toml", scenario);
    let log = |size: &str| format!("; MaxProcs: {size}\n1 0 0 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n");
    place.file("log.swf", log("1,152 in 72 nodes"));
    let run = place.run(&["run", "run.toml", "-o", "out", "--no-progress"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(text(&place, "out/manifest.json").contains("1152"));
    place.file("log.swf", log("about 1,152"));
    let wrong = place.run(&["validate", "run.toml"]);
    assert!(
        wrong.stderr.contains("its `MaxProcs: about 1,152` does not begin with a number"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn dumps_that_lack_their_names_or_ends_of_lines_are_refused_by_their_cause() {
    let place = Place::new();
    let row = |number: u64| {
        format!("{number:<12} 2026-03-01T08:00:{number:02}   01:00:00  COMPLETED         64 \n")
    };
    let rows = (1..=9).map(row).collect::<String>();
    let head = "       JobID              Submit    Elapsed      State  AllocCPUS \n\
                ------------ ------------------- ---------- ---------- ---------- \n";
    place.file("bare.txt", &rows);
    place.file("bare-bars.txt", "u1|2026-03-01T08:00:00|60|4\n".repeat(2));
    for name in ["bare.txt", "bare-bars.txt"] {
        let bare = place.run(&["convert", name, "bare.swf"]);
        assert_eq!((bare.status, place.path("bare.swf").exists()), (2, false), "{}", bare.stderr);
        let missing = "no line names its columns: JobID, Submit, ElapsedRaw, AllocCPUS";
        assert!(bare.stderr.contains(missing) && bare.stderr.contains("--noheader"), "{}", bare.stderr);
    }
    place.file("cut.txt", format!("{head}{rows}{}", &row(10)[..50]));
    let strict = place.run(&["convert", "cut.txt", "strict.swf", "--strict"]);
    assert_eq!((strict.status, place.path("strict.swf").exists()), (2, false));
    let cause = "a record has 5 fields, this one has 3";
    assert!(strict.stderr.contains(cause) && strict.stderr.contains("cut.txt:12:"), "{}", strict.stderr);
    let told = converted(&place, &["cut.txt", "cut.swf", "--most-unread", "10%"]);
    assert!(told.contains("cut.swf: 9 jobs of 10 records"), "{told}");
    // names that hold ends of lines, and other records that are cut short within theirs
    let names = "User|Submit|JobName|JobID|ElapsedRaw|State|AllocCPUS\n\
                 a|1000|one\ntwo|1|60|CD|4\na|1500|cut\na|2000|x\ny|2|60|CD|4\n";
    place.file("names.txt", names);
    let told = converted(&place, &["names.txt", "names.swf", "--most-unread", "40%"]);
    assert!(told.contains("names.swf: 2 jobs of 3 records") && told.contains(": line 4"), "{told}");
}

#[test]
fn what_cannot_be_converted_is_told() {
    let place = place();
    place.file("short.txt", "JobID|Submit|Start|ElapsedRaw|State|AllocCPUS\n1|10|11|5|CD|2\n2|10|11\n");
    place.file("names.txt", "JobID|User|Submit|ElapsedRaw|AllocCPUS\n7|a|b|10|5|2\n");
    place.file("wrong.conf", "ClusterName=x\nNodeName=n[1-3 CPUs=4\n");
    place.file(
        "wrong.json",
        "{\"nb_res\": 4,\n \"jobs\": [{\"id\": 1, \"subtime\": -3}],\n \"profiles\": {}}\n",
    );
    let cases: [&[&str]; 12] = [
        &["convert", "short.txt", "out.swf"],
        &["convert", "names.txt", "out.swf"],
        &["convert", "wrong.conf", "out.toml"],
        &["convert", "sacct.txt", "out.swf", "--conf", "wrong.conf"],
        &["convert", "wrong.json", "out.swf"],
        &["convert", "sacct.txt", "out.csv"],
        &["convert", "slurm.conf", "out.swf"],
        &["convert", "batsim.json", "out.swf", "--count", "nodes"],
        &["convert", "missing.txt", "out.swf"],
        &["convert", "sacct.txt", "out.swf", "--conf", "slurm.conf", "--resources", "allocated"],
        &["convert", "sacct.txt", "out.toml", "--resources", "allocated"],
        &[
            "convert",
            "sacct.txt",
            "out.toml",
            "--conf",
            "slurm.conf",
            "--resources",
            "allocated",
            "--count",
            "nodes",
        ],
    ];
    let told: Vec<String> = cases.iter().map(|arguments| place.transcript(arguments)).collect();
    assert_snapshot!("what_cannot_be_converted", told.join("\n"));
}

#[test]
fn wrong_foreign_workloads_are_told_by_validate() {
    let place = place();
    place.file("wrong.conf", "NodeName=n1 CPUs=many\n");
    place.file("bad.txt", "JobID|Submit|ElapsedRaw|AllocCPUS\n1|yesterday|5|2\n");
    let head = "title = \"Test\"\n\n[cluster]\nprocs = 64\n\n[workload]\n";
    let cases = [
        "kind = \"slurm\"\nfile = \"bad.txt\"\n",
        "kind = \"slurm\"\nfile = \"sacct.txt\"\nconf = \"wrong.conf\"\n",
        "kind = \"slurm\"\nfile = \"sacct.txt\"\nconf = \"missing.conf\"\n",
        "kind = \"slurm\"\nfile = \"sacct.txt\"\nutc-offset = \"CET\"\n",
        "kind = \"batsim\"\nfile = \"sacct.txt\"\n",
        "kind = \"slurm\"\nfile = \"sacct.txt\"\nresources = \"allocated\"\ncount = \"nodes\"\n",
        "kind = \"slurm\"\nfile = \"sacct.txt\"\nresources = \"allocated\"\n",
        "kind = \"slurm\"\nfile = \"sacct.txt\"\nresources = \"allocated\"\n[[cluster.group]]\nnodes = 64\n",
    ];
    let told: Vec<String> = cases
        .iter()
        .map(|workload| {
            place.file("scenario.toml", format!("{head}{workload}"));
            place.transcript(&["validate", "scenario.toml"])
        })
        .collect();
    assert_snapshot!("wrong_foreign_workloads", told.join("\n"));
}

#[test]
fn workloads_that_come_with_batsim_are_read() {
    let Some(folder) = evidence::needed("batsim-workloads") else { return };
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 10, "only {} files", files.len());
    for file in files {
        let read = batsim::read(fs::File::open(&file).unwrap(), Some(1e9), &Options::default());
        match read {
            Ok(log) => println!("{}: {} of {} jobs", file.display(), log.jobs.len(), log.report.jobs),
            // a file may hold nothing but communication
            Err(problem) => {
                assert!(
                    problem.message.starts_with("none of its"),
                    "{}: {}",
                    file.display(),
                    problem.message
                );
            }
        }
    }
}

/// Both samples of the report of the Parameter Sweep Template; of one behaviour the file is lost.
#[test]
fn texts_of_the_parameter_sweep_template_become_tables_and_texts_again() {
    let place = Place::new();
    for name in ["appendix_a.txt", "appendix_b.txt"] {
        place.file(name, fs::read(repository("tests/data/sweeps").join(name)).unwrap());
    }
    let lost = place.run(&["convert", "appendix_a.txt", "grid.toml"]);
    assert_eq!((lost.status, place.path("grid.toml").exists()), (2, false));
    assert!(
        lost.stderr.contains("there is no behaviour `loaded_2`") && lost.stderr.contains("appendix_a.txt:15")
    );
    place.file("loaded_2.txt", "1\n40\n");
    let told = converted(&place, &["appendix_a.txt", "grid.toml"]);
    assert!(
        told.starts_with("grid.toml: 6 clusters, 12 hosts, ") && told.contains("has no effect"),
        "{told}"
    );
    let tables = text(&place, "grid.toml");
    assert!(
        tables.contains("[platform]\norigin = \"origin\"\n") && tables.contains("zone = \"cluster3\"\n"),
        "{tables}"
    );
    // the tables describe the grid that the text does, and are written as such a text again
    converted(&place, &["grid.toml", "again.pstgrid"]);
    let first = text(&place, "again.pstgrid");
    converted(&place, &["appendix_a.txt", "first.pstgrid"]);
    assert_eq!(first, text(&place, "first.pstgrid"));
    assert!(first.starts_with("GridDescription 1\n0:ADD_CLUSTER <cluster3> <stable_100Kb> <0>\n"), "{first}");
    assert!(first.contains("553:CHANGE_HOST_BEHAVIOR <host4.2> <stable_40> <0>\n"), "{first}");
    let told = converted(&place, &["appendix_b.txt", "application.toml"]);
    assert_eq!(told, "application.toml: 12 tasks, 22 files\n");
    assert!(text(&place, "application.toml").ends_with("kind = \"pst\"\nfile = \"appendix_b.txt\"\n"));
}
