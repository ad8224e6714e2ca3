//! Limits that a scenario can reach: each is an error with a reason, before anything is allocated
//! where numbers alone reach it.

use clustersim_kernel::{Event, SimDuration, SimError, Simulation, hold, spawn, timer};

use clustersim_testing::program::Place;

const AGENTS: &str = "\
title = \"Many\"
[platform]
host = [{ name = \"a\", speed = \"1Gf\" }, { name = \"b\", speed = \"1Gf\" }]
link = [{ name = \"wire\", bandwidth = \"10MBps\", latency = \"1ms\" }]
route = [{ from = \"a\", to = \"b\", links = [\"wire\"] }]
[[agent]]
host = \"a\"
role = { kind = \"dispatcher\", tasks = 1, data = \"1kB\", work = \"1Mf\" }
[[agent]]
host = \"b\"
role = \"server\"
each = EACH
";

const JOBS: &str = "\
title = \"Limits\"
cluster.nodes = 8
[workload]
kind = \"synthetic\"
jobs = 3
arrivals = \"60s\"
sizes = 1
run-times = \"1h\"
";

const TASKS: &str = "\
title = \"Limits of tasks\"
cluster = { nodes = 4, detail = \"task\" }
policy = { kind = \"gang\", quantum = \"50ms\", skew = \"SKEW\" }
[workload]
kind = \"parallel\"
jobs = 2
class = [{ kind = \"iterations\", tasks = 2, iterations = ITERATIONS, compute = \"10ms\" }]
";

/// What `validate`, or `run` where only that builds the models, has to say of a scenario that it
/// refuses.
fn refused(command: &str, text: &str) -> String {
    let place = Place::new();
    place.file("s.toml", text);
    let ended = place.run(&[command, "s.toml"]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
    ended.stderr
}

#[test]
fn numbers_that_need_more_memory_than_a_scenario_may_ask_for_are_refused() {
    let text = refused("run", &AGENTS.replace("EACH", "10000000"));
    assert!(text.contains("10,000,000 agents need more memory than a scenario may ask for"), "{text}");
    assert!(text.contains("expected 2,097,152 agents at most, which need 4 GiB"), "{text}");

    let text = refused("run", &JOBS.replace("jobs = 3", "jobs = 100000000"));
    assert!(text.contains("100,000,000 jobs need more memory"), "{text}");

    let failing = "[cluster.failures]\nup = \"1d\"\ndown = \"1h\"\nprocessors-per-node = 1\n";
    let text = refused("run", &(JOBS.replace("nodes = 8", "nodes = 4294967295") + failing));
    assert!(text.contains("4,294,967,295 nodes that fail need more memory"), "{text}");

    let sharing = "[policy]\nkind = \"gang\"\n";
    let text = refused("run", &(JOBS.replace("nodes = 8", "nodes = 4294967295") + sharing));
    assert!(text.contains("4,294,967,295 processors that jobs share need more memory"), "{text}");

    let tasks = TASKS.replace("SKEW", "0s");
    let text = refused("run", &tasks.replace("ITERATIONS", "1e308"));
    assert!(text.contains("a job cannot have so many iterations"), "{text}");

    let cluster = "title = \"x\"\nagent = [{ role = \"server\", hosts = [\"*\"] }]\n[platform]\n\
                   cluster = [{ name = \"c\", hosts = 4000000, speed = \"1Gf\", bandwidth = \"1GBps\", latency = \"0s\" }]\n";
    let text = refused("run", cluster);
    assert!(
        text.contains("a cluster of 4,000,000 hosts") && text.contains("expected 1,048,576 at most"),
        "{text}"
    );
}

#[test]
fn agents_without_a_platform_are_refused() {
    let text = refused("validate", "title = \"x\"\nagent = [{ host = \"a\", role = \"server\" }]\n");
    assert!(text.contains("missing key `platform`"), "{text}");
}

#[test]
fn a_skew_as_long_as_a_slice_is_refused() {
    let tasks = TASKS.replace("ITERATIONS", "1");
    let text = refused("validate", &tasks.replace("SKEW", "50ms"));
    assert!(text.contains("a node would hear of a slice when that is over"), "{text}");
    let place = Place::new();
    place.file("s.toml", tasks.replace("SKEW", "49ms"));
    assert_eq!(place.run(&["validate", "s.toml"]).status, 0);
}

#[test]
fn processes_that_need_more_memory_than_there_is_end_the_run_with_an_error() {
    let mut simulation = Simulation::new(1).room(1 << 16, 1 << 20);
    simulation.spawn("crowd", async {
        for index in 0.. {
            spawn(("walker", index), async { Event::new("never").wait().await });
            if index % 100 == 0 {
                hold(SimDuration::from_secs(1)).await;
            }
        }
    });
    simulation.spawn("other", async { hold(SimDuration::from_secs(10_000_000)).await });
    let error = simulation.run_until(clustersim_kernel::SimTime::MAX).unwrap_err();
    let text = error.to_string();
    let SimError::Exhausted { at, processes, kind, count, .. } = error else { panic!("{text}") };
    assert_eq!((kind, processes), ("walker", count + 2));
    assert!(at.as_secs_f64() > 10.0 && count > 1_000, "{text}");
    assert!(
        text.contains(&format!("its processes need more than 2 GiB of memory at once; {count} of its {processes} processes are `walker`")),
        "{text}"
    );
    assert!(matches!(simulation.run(), Err(SimError::Over { .. })));
}

#[test]
fn waits_that_are_more_than_there_is_room_for_end_the_run_with_an_error() {
    let simulation = Simulation::new(1).room(1 << 26, 100);
    simulation.spawn("patient", async {
        let mut timers = Vec::new();
        for _ in 0..200 {
            timers.push(Box::pin(timer(SimDuration::from_secs(1))));
        }
        futures::future::join_all(timers).await;
    });
    let error = simulation.run().unwrap_err();
    assert!(matches!(error, SimError::Exhausted { kind: "patient", count: 1, .. }), "{error}");
    assert!(error.to_string().contains("2^27 things at once"), "{error}");
}

#[test]
fn a_bounded_run_ends_with_an_error_and_one_within_its_bound_is_as_without() {
    let busy = |bound: Option<u64>| {
        let simulation = Simulation::new(1);
        let simulation = bound.map_or(Simulation::new(1), |bound| simulation.at_most(bound));
        simulation.spawn("busy", async {
            for _ in 0..1_000 {
                hold(SimDuration::from_secs(1)).await;
            }
        });
        simulation.run()
    };
    let free = busy(None).unwrap();
    assert_eq!(busy(Some(5_000)).unwrap(), free);
    assert!(matches!(busy(Some(500)), Err(SimError::Exhausted { .. })));
}

/// A scenario of the agents of two hosts, each a host and a role.
fn of_agents(agents: &[(&str, &str)], record: &str) -> String {
    let head = AGENTS.split("[[agent]]").next().unwrap();
    let agents: Vec<String> =
        agents.iter().map(|(host, role)| format!("[[agent]]\nhost = \"{host}\"\nrole = {role}\n")).collect();
    format!("{head}{}[record]\n{record}\n", agents.concat())
}

#[test]
fn tasks_of_agents_that_are_kept_are_counted_at_the_key_that_says_how_many() {
    const MASTER: &str = "{ kind = \"master\", tasks = 4000000000 }";
    const DISPATCHER: &str = "{ kind = \"dispatcher\", tasks = 4000000000, ahead = 1000 }";
    const CUTTER: &str = "{ kind = \"divisible-master\", rounds = 1000000 }";
    const RING: &str = "{ kind = \"ring-peer\", rounds = 4000000000 }";
    const PLAYER: &str = "{ kind = \"token-player\", tokens = 4000000000, passes = 1 }";
    let few = "report = false\ntasks = false";
    let all = "report = false\noperations = true";
    for (first, second, record, most) in [
        (MASTER, "\"worker\"", "", "4,668,442"),
        (MASTER, "\"worker\"", all, "12,632,256"),
        (MASTER, "\"worker\"", "report = false", "107,374,182"),
        (DISPATCHER, "\"server\"", all, "12,"),
        (RING, RING, all, "12,632,256"),
        (PLAYER, PLAYER, few, "11,930,464"),
    ] {
        let text = refused("run", &of_agents(&[("a", first), ("b", second)], record));
        assert!(text.contains("00,000,000 tasks of agents need more memory than a scenario"), "{text}");
        assert!(text.contains(&format!("expected {most}")) && text.contains("4000000000"), "{text}");
    }
    // what is sent ahead of those that receive it lies in memory whatever is recorded
    let mut many = vec![("a", CUTTER)];
    many.extend([("b", "\"divisible-worker\""); 20]);
    let text = refused("run", &of_agents(&many, few));
    assert!(
        text.contains("20,000,000 tasks of agents need more memory") && text.contains("1000000"),
        "{text}"
    );
    // each fits by itself
    let half = "{ kind = \"dispatcher\", tasks = 3000000 }";
    let text = refused("run", &of_agents(&[("a", half), ("a", half), ("b", "\"server\"")], ""));
    assert!(text.contains("6,000,000 tasks of agents need more memory"), "{text}");
}

#[test]
fn tasks_of_graphs_are_counted_with_their_edges_and_their_copies() {
    const GRAPH: &str = "title = \"G\"\n[[platform.cluster]]\nname = \"c\"\ntopology = \"mesh\"\nhosts = 100\nspeed = \"1Gf\"\n\
                         bandwidth = \"1MBps\"\n[application]\n";
    for (application, counted, most) in [
        ("kind = \"independent\"\ntasks = 10000000", "10,000,000 tasks of a graph", "6,710,886 tasks"),
        ("kind = \"chain\"\ntasks = 6000000", "6,000,000 tasks of a graph", "5,302,428 tasks"),
        (
            "kind = \"independent\"\ntasks = 1000\ncount = 100000",
            "100,000,000 tasks of graphs",
            "6,710,886 tasks",
        ),
        (
            "kind = \"dag-text\"\nfile = \"g.dag\"\ncount = 100000",
            "200,000,000 tasks of graphs",
            "6,710,886 tasks",
        ),
        (
            "kind = \"independent\"\ntasks = 1000000\nbeta = 0.5",
            "100,000,000 times of tasks on hosts",
            "65,075,262 times",
        ),
    ] {
        let place = Place::new();
        let nodes: Vec<String> = (0..2000).map(|number| format!("node n{number} 1\n")).collect();
        let nodes = nodes.concat();
        place
            .file("g.dag", format!("DagDescription 1\n{nodes}"))
            .file("s.toml", format!("{GRAPH}{application}\n"));
        let ended = place.run(&["run", "s.toml"]);
        assert_eq!(ended.status, 2, "{application}: {}", ended.stderr);
        let why = format!("{counted} need more memory than a scenario may ask for");
        assert!(
            ended.stderr.contains(&why) && ended.stderr.contains(most),
            "{application}: {}",
            ended.stderr
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn where_memory_ends_the_program_says_of_what_there_is_most() {
    let place = Place::new();
    place.file("s.toml", JOBS.replace("jobs = 3", "jobs = 3000000"));
    let program = clustersim_testing::program::program();
    let script = format!("ulimit -v 200000; exec {program} run s.toml -q --no-progress -o out");
    let ended = place.wait(std::process::Command::new("bash").args(["-c", &script]));
    assert_eq!(ended.status, 1, "{}{}", ended.stdout, ended.stderr);
    let counted = "error: memory ended: the system gave no ";
    assert!(ended.stderr.starts_with(counted), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("jobs are most, 3000000 of them") && ended.stderr.lines().count() == 1,
        "{}",
        ended.stderr
    );
}
