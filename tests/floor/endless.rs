//! Runs that would never end, in every system: those that get nowhere are given up, and those whose
//! time passes the end of virtual time are errors. Each says what is not completed, and why.

use clustersim_kernel::{PAST_THE_END, SimDuration, Simulation, hold, note_completion, note_decision};

use clustersim_language::units::calendar::NoInstant;

use clustersim_testing::program::Place;
use clustersim_testing::sources::{SourceFile, sources};

const JOBS: &str = "\
title = \"Jobs\"
cluster.nodes = 8
[workload]
kind = \"synthetic\"
jobs = 3
arrivals = \"60s\"
sizes = 8
";

/// The message of a run that ends with an error.
fn given_up(scenario: &str) -> String {
    let place = Place::new();
    place.file("s.toml", scenario);
    let ended = place.run(&["run", "s.toml", "-q", "-o", "out", "--no-progress"]);
    assert_eq!(ended.status, 1, "{scenario}\n{}{}", ended.stdout, ended.stderr);
    assert!(!place.path("out/summary.json").exists(), "{scenario}");
    ended.stderr
}

fn graph(bandwidth: &str, rest: &str) -> String {
    format!(
        "title = \"Graph\"\n{rest}\n[[platform.cluster]]\nname = \"g\"\nhosts = 3\nspeed = \"1Gf\"\nbandwidth = \"{bandwidth}\"\n"
    )
}

fn sweep(link: &str, rest: &str) -> String {
    format!(
        "title = \"Sweep\"\n[[platform.cluster]]\nname = \"a\"\nhosts = 2\n{link}\n[application]\nkind = \"mcell\"\n{rest}\n"
    )
}

fn calls(server: &str, queues: &str, rest: &str) -> String {
    format!(
        "title = \"Calls\"\n[[platform.server]]\nname = \"s\"\nperformance = \"100Mop/s\"\n{server}\n[platform.queues]\n{queues}\n\
         [[client]]\nname = \"c\"\ntasks = 3\narrivals = \"10s\"\n\
         class = [{{ send = \"1kB\", receive = \"1kB\", instructions = \"1Gop\" }}]\n{rest}\n"
    )
}

#[test]
fn what_would_come_after_the_end_of_time_is_an_error_in_every_system() {
    let plan = "[scheduler]\nkind = \"plan\"\nheuristic = \"h1\"\n";
    let link = "link = { bandwidth = \"10kBps\" }";
    let agents = "\
title = \"Agents\"
[platform]
host = [{ name = \"a\", speed = \"1Gf\" }, { name = \"b\", speed = \"1Gf\" }]
link = [{ name = \"wire\", bandwidth = \"1Bps\" }]
route = [{ from = \"a\", to = \"b\", links = [\"wire\"] }]
[[agent]]
host = \"a\"
role = { kind = \"dispatcher\", tasks = 1, data = \"100000TB\", work = \"1Gf\" }
[[agent]]
host = \"b\"
role = \"server\"
";
    let long = "application = { kind = \"random\", tasks = 3, cost = { kind = \"uniform\", low = \"1e11Gf\", high = \"1e11Gf\" } }\n\
                scheduler = \"dls\"";
    for scenario in [
        JOBS.to_owned() + "run-times = \"100000d\"\n",
        sweep(link, &format!("{plan}planning-time = \"213503d\"")),
        sweep(link, &format!("{plan}per-look = \"100000d\"")),
        sweep("link = { bandwidth = \"10kBps\", latency = \"71168d\" }", plan),
        sweep("link = { bandwidth = \"10kBps\" }\navailability = 1e-12", plan),
        calls("", "bandwidth = \"1e-9Bps\"", ""),
        agents.to_owned(),
        graph("1MBps", long),
    ] {
        let message = given_up(&scenario);
        assert!(message.contains(PAST_THE_END), "{scenario}\n{message}");
    }
}

#[test]
fn an_input_that_lies_after_the_end_of_time_is_refused_in_the_same_words() {
    let trace = "{\"arrival\": \"213000d\", \"steps\": [[\"compute 1000d\"]]}\n";
    let of_trace =
        "title = \"T\"\n[workload]\nkind = \"task-trace\"\nfile = \"t.jsonl\"\n[cluster]\nnodes = 1\n";
    let flow = "title = \"F\"\n[[platform.host]]\nname = \"h\"\nspeed = \"1Gf\"\n[flows]\nfile = \"f.csv\"\n";
    let reservation = "run-times = \"1h\"\n[[cluster.reservation]]\nat = \"213000d\"\nfor = \"1000d\"\n";
    for scenario in [
        JOBS.replace("60s", "213000d") + "run-times = \"1h\"\n",
        JOBS.to_owned() + reservation,
        of_trace.to_owned(),
        flow.to_owned(),
    ] {
        let place = Place::new();
        place
            .file("s.toml", &scenario)
            .file("t.jsonl", trace)
            .file("f.csv", "from,to,size,start\nh,h,1B,1e11\n");
        let ended = place.run(&["run", "s.toml", "-q", "-o", "out"]);
        assert_eq!(ended.status, 2, "{scenario}\n{}{}", ended.stdout, ended.stderr);
        assert!(ended.stderr.contains(PAST_THE_END), "{scenario}\n{}", ended.stderr);
    }
    // dates lie below the kernel, and have the words of their own
    assert!(NoInstant::Late.to_string().ends_with(PAST_THE_END));
    // nothing else says it in other words
    for SourceFile { path: name, text } in sources() {
        if name.contains("tests") {
            continue;
        }
        let code = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
        for line in code.filter(|line| line.contains('"')) {
            let others = ["after 584 years", "past the end of time"];
            assert!(!others.iter().any(|words| line.contains(words)), "{name}: {line}");
        }
    }
}

#[test]
fn a_plan_leaves_alone_what_would_come_after_the_end_of_time() {
    let heavy = "data = { kind = \"uniform\", low = \"1000GB\", high = \"1000GB\" }";
    for scheduler in ["dcp-dagsim", "dcp", "dls", "heft", "peft"] {
        let rest =
            format!("application = {{ kind = \"random\", tasks = 5, {heavy} }}\nscheduler = \"{scheduler}\"");
        let place = Place::new();
        place.file("s.toml", graph("1Bps", &rest));
        let ended = place.run(&["run", "s.toml", "-q", "-o", "out", "--no-progress"]);
        assert_eq!(ended.status, 0, "{scheduler}: {}", ended.stderr);
    }
}

#[test]
fn a_run_that_gets_nowhere_is_given_up_and_says_why_in_every_system() {
    let run = "[run]\ngive-up-after = 50\n";
    let plans = "application = { kind = \"random\", tasks = 3, cost = { kind = \"uniform\", low = \"100Gf\", high = \"100Gf\" } }\n\
                 scheduler = { kind = \"dls\", replan = \"on-failure\" }\nrun = { give-up-after = 50 }";
    let hosts_fail = "100MBps\"\nfailures = { up = \"10s\", down = \"1s\" }\nlatency = \"1ms";
    let failing = "[cluster.failures]\nup = \"20min\"\ndown = \"1min\"\nprocessors-per-node = 1\n";
    let hosts = "link = { bandwidth = \"1GBps\" }\nfailures = { up = \"10s\", down = \"1s\" }";
    let retry = "[scheduler]\nkind = \"greedy\"\nretry = { after = \"1s\", times = 1000000 }\n";
    for (scenario, says) in [
        (JOBS.to_owned() + "run-times = \"10h\"\n" + failing + run, "nodes fail sooner than jobs end"),
        (graph(hosts_fail, plans), "hosts fail sooner than tasks end; task `t"),
        (
            sweep(hosts, &format!("[scheduler]\nkind = \"plan\"\nheuristic = \"h1\"\n{run}")),
            "hosts fail sooner than tasks end",
        ),
        (
            calls(
                "failures = { after = \"5s\", repair = \"1s\" }",
                "bandwidth = \"1MBps\"",
                &format!("{retry}{run}"),
            ),
            "is tried again, as ",
        ),
    ] {
        let message = given_up(&scenario);
        assert!(message.contains("no progress: nothing was completed from"), "{scenario}\n{message}");
        assert!(message.contains(says) && message.contains("`run.give-up-after`"), "{scenario}\n{message}");
    }
}

/// A transfer or tasks of years, and plans every minute or so meanwhile: some millions.
#[test]
fn a_run_in_which_what_goes_on_ends_practically_never_is_given_up() {
    let run = "[run]\ngive-up-after = 20\n";
    let plan = "[scheduler]\nkind = \"plan\"\nheuristic = \"xsufferage\"\n";
    let redrawn = "link = { bandwidth = \"0.01Bps\" }\n\
                   availability = { kind = \"uniform\", low = 0.1, high = 1, every = \"5s\" }";
    let cost = "cost = { kind = \"uniform\", low = \"1e9Gf\", high = \"1e9Gf\" }";
    let again = |every: &str| {
        format!(
            "application = {{ kind = \"random\", tasks = 8, {cost} }}\nrun = {{ give-up-after = 20 }}\n\
             scheduler = {{ kind = \"heft\", replan = {{ period = \"{every}\" }} }}"
        )
    };
    for scenario in [sweep(redrawn, &format!("{plan}{run}")), graph("1MBps", &again("60s"))] {
        let message = given_up(&scenario);
        assert!(
            message.contains("no progress") && message.contains("what goes on ends at"),
            "{scenario}\n{message}"
        );
    }
    // thirty plans for each task are no reason
    let place = Place::new();
    place.file("s.toml", graph("1MBps", &again("30000000s")));
    let ended = place.run(&["run", "s.toml", "-q", "-o", "out", "--no-progress"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
}

#[test]
fn a_graph_that_failures_keep_from_its_end_says_which_task_they_take() {
    let place = Place::new();
    // the parent of a task that is too long ends again and again, and that is no news
    for (graph, task) in [("node a 60\nnode b 1\n", "a"), ("node a 0.3\nnode b 40\nedge a b\n", "b")] {
        place.file("g.dag", format!("DagDescription 1\n{graph}"));
        for scheduler in ["\"self-scheduling\"", "{ kind = \"heft\", replan = \"on-failure\" }"] {
            place.file(
                "s.toml",
                format!(
                    "title = \"Graph\"\napplication = {{ kind = \"dag-text\", file = \"g.dag\" }}\n\
                     scheduler = {scheduler}\nrun = {{ give-up-after = 50 }}\n[[platform.cluster]]\nname = \"g\"\n\
                     hosts = 1\nspeed = \"1Gf\"\nbandwidth = \"1MBps\"\nfailures = {{ up = \"10s\", down = \"1s\" }}\n"
                ),
            );
            let message = place.run(&["run", "s.toml", "-q", "-o", "out", "--force", "--no-progress"]);
            assert_eq!(message.status, 1, "{}", message.stderr);
            let says = format!("hosts fail sooner than tasks end; task `{task}` was lost");
            assert!(
                message.stderr.contains("no progress") && message.stderr.contains(&says),
                "{}",
                message.stderr
            );
        }
    }
}

#[test]
fn decisions_are_counted_from_the_last_completion_on() {
    let decide = |most: u64, between: u64, rounds: u64| {
        let simulation = Simulation::new(1).give_up_after(most);
        simulation.spawn("decider", async move {
            for _ in 0..10 {
                for _ in 0..between {
                    hold(SimDuration::from_secs(1)).await;
                    note_decision(|times, _| (times >= rounds).then(|| "it is in vain".to_owned()));
                }
                note_completion();
            }
        });
        simulation.run().map_err(|error| error.to_string())
    };
    assert!(decide(5, 4, 1).is_ok() && decide(5, 9, 2).is_ok());
    let message = "no progress: nothing was completed from 0 s to 10 s, in 10 decisions, the last of process `decider`: \
                it is in vain; `run.give-up-after` says after how many a run is given up";
    assert_eq!(decide(5, 11, 2).map(drop), Err(message.to_owned()));
}

/// Files that add nanoseconds of a span or of a phase to each other, which stay below a period that
/// was checked.
const BELOW_A_PERIOD: [&str; 5] = [
    "crates/cluster/src/judge/gang.rs",
    "crates/cluster/src/node/os/clock.rs",
    "crates/jobs/src/workload/swf/read.rs",
    "crates/platform/src/clustered/write/behaviour.rs",
    "crates/platform/src/stretches.rs",
];

#[test]
fn instants_are_added_as_times_which_stop_at_never() {
    let mut found = Vec::new();
    for file in sources() {
        let adds =
            |line: &str| line.contains("as_nanos() +") && !line.contains("u128") && !line.contains("f64");
        if file.package() != "kernel" && file.text.lines().any(adds) {
            found.push(file.path.clone());
        }
    }
    found.sort();
    assert_eq!(
        found, BELOW_A_PERIOD,
        "write `at + span` for a sum of nanoseconds: it cannot pass the end of time"
    );
}
