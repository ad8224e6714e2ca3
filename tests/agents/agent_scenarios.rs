//! Scenarios of agents: the case study of the master and its workers, divisible loads, rings and
//! token games, and what is wrong with those that cannot be.

use std::any::Any;
use std::fmt::Write as _;
use std::path::Path;

use clustersim::system::standard;
use clustersim_agents::role::divisible_load::{WholeLoad, cut};
use clustersim_agents::system::Ended;
use clustersim_experiment::measure::metric::Metric;
use clustersim_experiment::scenario::{Override, Session, check, from_text, study};
use clustersim_kernel::SimTime;
use clustersim_kernel::rng::Streams;
use clustersim_kernel::rng::math::{exp, ln};

use clustersim_testing::program::{Place, repository};

fn run(text: &str, set: &[&str]) -> Ended {
    let registry = standard();
    let overrides: Vec<Override> = set.iter().map(|set| Override::set(set)).collect();
    let scenario = check(&registry, from_text("test.toml", text.to_owned(), Path::new(""), &overrides));
    let scenario = scenario.unwrap_or_else(|rejected| panic!("{rejected}\n{text}"));
    let ready = scenario.system.assemble(&registry, &scenario);
    let ready = ready.unwrap_or_else(|rejected| panic!("{rejected}\n{text}"));
    let results: Box<dyn Any> = ready.run.run(&Session::default()).unwrap();
    *results.downcast().expect("a scenario of agents")
}

fn metric(ended: &Ended, name: &str) -> f64 {
    let found = ended.figures.metrics.iter().find(|metric| metric.name == name);
    found.and_then(Metric::number).unwrap_or_else(|| panic!("no {name}"))
}

/// A star: a link to each of these (bandwidth [B/s], speed [f/s]) around a host `m`.
fn star(spokes: &[(f64, f64)]) -> String {
    let mut text = "title = \"A star\"\n[[platform.host]]\nname = \"m\"\nspeed = \"100Mf\"\n".to_owned();
    for (number, (bandwidth, speed)) in spokes.iter().enumerate() {
        writeln!(
            text,
            "[[platform.host]]\nname = \"w{number}\"\nspeed = \"{speed}f\"\n[[platform.link]]\nname = \"l{number}\"\n\
             bandwidth = \"{bandwidth}Bps\"\n[[platform.route]]\nfrom = \"m\"\nto = \"w{number}\"\nlinks = [\"l{number}\"]"
        )
        .unwrap();
    }
    text
}

const STRATEGIES: [&str; 5] = ["workqueue", "cpu", "bandwidth", "throughput-literal", "throughput-swapped"];

/// Makespans and shares of the steady-state optimum of the five strategies: 300 tasks of 100 MB to
/// 16 workers whose bandwidths (1 to 100 MB/s) and speeds (20 to 200 Mf/s) are log-uniform; a task
/// takes `ratio` times as long to compute as to send, in the means over the workers. The master
/// chooses among `pool` requests.
fn case_study(seed: u64, ratio: f64, pool: usize) -> [(f64, f64); 5] {
    let mut draws = Streams::new(seed, 0).stream("workers");
    let mut between = |low: f64, high: f64| exp(ln(low) + draws.uniform01() * (ln(high) - ln(low)));
    let spokes: Vec<(f64, f64)> = (0..16).map(|_| (between(1e6, 1e8), between(2e7, 2e8))).collect();
    let send: f64 = spokes.iter().map(|(bandwidth, _)| 1e8 / bandwidth).sum();
    let per_work: f64 = spokes.iter().map(|(_, speed)| 1.0 / speed).sum();
    let work = ratio * send / per_work;
    let agents = format!(
        "[[agent]]\nhost = \"m\"\nrole = {{ kind = \"master\", tasks = 300, data = \"100MB\", work = \"{work}f\" }}\n\
         [[agent]]\nhosts = [\"w*\"]\nrole = \"worker\"\n"
    );
    let text = star(&spokes) + &agents;
    STRATEGIES.map(|strategy| {
        let pool = if strategy == "workqueue" { 1 } else { pool };
        let sets =
            [format!("agent.master.role.strategy={strategy}"), format!("agent.master.role.pool={pool}")];
        let ended = run(&text, &[&sets[0], &sets[1], "record.report=false"]);
        assert_eq!(ended.outcomes.tasks, 300, "{strategy}");
        (metric(&ended, "makespan"), metric(&ended, "steady-state.share"))
    })
}

fn means(studies: &[[(f64, f64); 5]], of: fn(&(f64, f64)) -> f64) -> [f64; 5] {
    std::array::from_fn(|place| studies.iter().map(|one| of(&one[place])).sum::<f64>() / studies.len() as f64)
}

/// Experiment C8: where communication counts, bandwidth is the best of what a master can go by; the
/// ratio as the paper prints it is the worst, and with its letters swapped the second best. Held in
/// the mean of ten seeds and in eight of them each.
#[test]
fn a_master_that_goes_by_bandwidth_is_the_best_where_communication_counts() {
    let studies: Vec<[(f64, f64); 5]> = (1..=10).map(|seed| case_study(seed, 2.0, 8)).collect();
    let ordered = |makespans: &[f64; 5]| {
        let [workqueue, cpu, bandwidth, literal, swapped] = *makespans;
        bandwidth < swapped && swapped < cpu.min(workqueue) && literal > cpu.max(workqueue)
    };
    let mean = means(&studies, |one| one.0);
    assert!(ordered(&mean), "{mean:?}");
    let held = studies.iter().filter(|one| ordered(&one.map(|(makespan, _)| makespan))).count();
    assert!(held >= 8, "{held} of 10: {studies:?}");
}

/// What the strategies reach of the steady state when they choose among all who wait: 0.21, 0.28,
/// 0.81, 0.08 and 0.64 were worked out without requests and for other draws.
#[test]
fn the_strategies_reach_what_was_worked_out_for_them() {
    let studies: Vec<[(f64, f64); 5]> = (1..=20).map(|seed| case_study(seed, 2.0, 16)).collect();
    let shares = means(&studies, |one| one.1);
    for (share, expected) in shares.into_iter().zip([0.21, 0.28, 0.81, 0.08, 0.64]) {
        assert!((share - expected).abs() < 0.06, "{shares:?}");
    }
    assert!(shares[2] >= 0.7, "{shares:?}");
}

/// Experiment C9: where computing counts, it does not matter who is served first.
#[test]
fn what_a_master_goes_by_does_not_matter_where_computing_counts() {
    let studies: Vec<[(f64, f64); 5]> = (1..=10).map(|seed| case_study(seed, 100.0, 8)).collect();
    let [workqueue, cpu, bandwidth, ..] = means(&studies, |one| one.0);
    let (least, most) = (workqueue.min(cpu).min(bandwidth), workqueue.max(cpu).max(bandwidth));
    assert!(most / least < 1.03, "{workqueue} {cpu} {bandwidth}");
}

/// Two workers, 10 s each to send; the first is told of one task each, 40 s to compute:
/// 10 + 40, 20 + 40, and so on by hand.
#[test]
fn a_work_queue_serves_workers_as_they_ask() {
    let text = star(&[(1e7, 1e8), (1e7, 1e8)])
        + "[[agent]]\nhost = \"m\"\nrole = { kind = \"master\", tasks = 4, data = \"100MB\", work = \"4Gf\" }\n\
           [[agent]]\nhosts = [\"w*\"]\nrole = { kind = \"worker\", request-data = \"0B\", request-work = \"0f\" }\n";
    let ended = run(&text, &[]);
    let secs: Vec<f64> = ended.outcomes.completed.iter().map(|done| done.at.as_secs_f64()).collect();
    assert_eq!(format!("{secs:?}"), "[50.0, 60.0, 100.0, 110.0]");
    assert_eq!(metric(&ended, "agents.failed").to_bits(), 0.0_f64.to_bits());
    assert!((metric(&ended, "steady-state.throughput") - 0.04).abs() < 1e-12, "2 workers of 50 s");
}

/// A master and workers of these (transfer, compute) seconds, with requests that take no time.
fn crew(costs: &[(f64, f64)], tasks: u32, each: u32) -> String {
    let spokes: Vec<(f64, f64)> = costs.iter().map(|(send, compute)| (1e8 / send, 1e9 / compute)).collect();
    let agents = format!(
        "[[agent]]\nhost = \"m\"\n\
         role = {{ kind = \"master\", tasks = {tasks}, data = \"100MB\", work = \"1Gf\", strategy = \"bandwidth\" }}\n\
         [[agent]]\nname = \"crew\"\nhosts = [\"w*\"]\neach = {each}\n\
         role = {{ kind = \"worker\", request-data = \"0B\", request-work = \"0f\" }}\n"
    );
    star(&spokes) + &agents
}

const FIVE: [(f64, f64); 5] = [(2.0, 10.0), (1.0, 8.0), (5.0, 5.0), (4.0, 16.0), (10.0, 1.0)];

/// The optima by hand: 1/9 + 1/12 + 1/20 + 1/10 and what is left of the port for the last; with
/// overlap 1/8 + 1/10 + 1/16, and the third host has the rest of the port.
#[test]
fn no_run_exceeds_the_optimum_of_the_steady_state_and_many_workers_reach_it() {
    for (each, optimum, overlap) in
        [(1, 0.346_666_667, 0.0), (2, 0.3725, 1.0), (3, 0.3725, 1.0), (4, 0.3725, 1.0), (6, 0.3725, 1.0)]
    {
        let ended = run(&crew(&FIVE, 5000, each), &["record.report=false"]);
        let [stated, share] =
            ["steady-state.throughput", "steady-state.share"].map(|name| metric(&ended, name));
        assert!((stated - optimum).abs() < 1e-9, "{each}: {stated}");
        assert!(share <= 1.0, "{each}: {share}");
        assert!(metric(&ended, "throughput") <= stated, "{each}");
        assert!((metric(&ended, "steady-state.overlap") - overlap).abs() < 1e-12, "{each}");
        if each == 4 {
            assert!(share > 0.99, "{share}");
        }
    }
}

/// What is stated for other shapes, and that the run stays within it: cores, tables that share a
/// host, the master's own host, and what the network makes of latencies and bandwidths.
#[test]
fn the_optimum_counts_cores_and_hosts_and_what_the_network_takes() {
    let two = [(1.0, 4.0), (2.0, 4.0)];
    let again = "[[agent]]\nhost = \"w0\"\nrole = { kind = \"worker\", request-data = \"0B\", request-work = \"0f\" }\n";
    let own = again.replace("w0", "m");
    let zone = |kind: &str| format!("platform.network={{ kind = \"{kind}\" }}");
    for (more, each, sets, optimum, overlap) in [
        // 1/5 and 1/6 of one worker each; twice that; the cores of the first
        ("", 1, vec![], 1.0 / 5.0 + 1.0 / 6.0, 0.0),
        (
            "",
            2,
            vec!["platform.host.w0.cores=2".to_owned(), "platform.host.w1.cores=2".to_owned()],
            0.4 + 0.3,
            0.0,
        ),
        ("", 3, vec!["platform.host.w0.cores=2".to_owned()], 0.5 + 0.25, 1.0),
        (again, 1, vec![], 1.0 / 4.0 + 1.0 / 6.0, 0.5),
        // 100 Mf/s, and nothing to send
        (own.as_str(), 1, vec![], 1.0 / 5.0 + 1.0 / 6.0 + 0.1, 0.0),
        // twice as fast as written
        (
            "",
            1,
            vec!["platform.network={ kind = \"flow\", bandwidth-factor = 2 }".to_owned()],
            1.0 / 4.5 + 1.0 / 5.0,
            0.0,
        ),
        ("", 1, vec![zone("store-and-forward")], 1.0 / 5.0 + 1.0 / 6.0, 0.0),
    ] {
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let ended = run(&(crew(&two, 500, each) + more), &sets);
        let stated = metric(&ended, "steady-state.throughput");
        assert!((stated - optimum).abs() < 1e-9, "{more} {each} {sets:?}: {stated}, not {optimum}");
        assert!((metric(&ended, "steady-state.overlap") - overlap).abs() < 1e-9, "{more} {each} {sets:?}");
        let share = metric(&ended, "steady-state.share");
        assert!(share <= 1.0 && share > 0.8, "{more} {each} {sets:?}: {share}");
    }
}

#[test]
fn no_optimum_is_stated_where_none_is_known() {
    let place = Place::new();
    place.file("half.csv", "time,value\n100,0.5\n");
    let half = format!("{:?}", place.path("half.csv"));
    let others = "[[agent]]\nhosts = [\"m\", \"w0\"]\nrole = \"ring-peer\"\n";
    let star = "[[agent]]\nhosts = [\"w*\"]\nrole = \"worker\"\n";
    let traffic = "[[platform.traffic]]\nfrom = [\"w0\"]\nto = [\"m\"]\nsize = \"1MB\"\ninterval = \"10s\"\n";
    for (more, set) in [
        (others, String::new()),
        (star, "agent.crew.kill=1000s".to_owned()),
        (traffic, String::new()),
        ("", format!("platform.host.w0.availability-trace={half}")),
        ("", "agent.master.role.data=0B".to_owned() + ",agent.master.role.work=0f"),
    ] {
        let sets: Vec<&str> = set.split(',').filter(|set| !set.is_empty()).collect();
        let ended = run(&(crew(&[(1.0, 4.0), (2.0, 4.0)], 20, 1) + more), &sets);
        for metric in ended.figures.metrics.iter().filter(|metric| metric.name.starts_with("steady-state.")) {
            assert_eq!(metric.number(), None, "{more} {set}: {metric:?}");
        }
    }
}

#[test]
fn a_master_may_probe_its_workers_and_wait_for_its_pool() {
    let text = star(&[(1e7, 1e8), (2e7, 5e7), (4e7, 2e8), (5e6, 1e8)])
        + "[[agent]]\nhost = \"m\"\nrole = { kind = \"master\", tasks = 40, strategy = \"bandwidth\" }\n\
           [[agent]]\nhosts = [\"w*\"]\nrole = \"worker\"\n";
    let long = "agent.master.role.work=100Gf";
    let sets: [&[&str]; 3] =
        [&[long], &[long, "agent.master.role.knows=probed"], &[long, "agent.master.role.serves=full-pool"]];
    let [plain, probed, waiting] = sets.map(|set| run(&text, set));
    for ended in [&plain, &probed, &waiting] {
        assert_eq!(ended.outcomes.tasks, 40, "probes and requests are none");
    }
    assert!(probed.outcomes.transfers > plain.outcomes.transfers, "probes are sent");
    // who has a task for 500 to 2,000 s is waited for before the other gets one
    assert!(waiting.outcomes.makespan > plain.outcomes.makespan, "the pool is waited for");
}

/// A worker's host is down from 15 s to 35 s: its first task is lost and done by somebody, and it
/// begins anew.
#[test]
fn the_task_of_a_worker_that_failed_is_done_by_another() {
    let place = Place::new();
    place.file("state", "0 1\n15 0\n35 1\n");
    let text = star(&[(1e8, 1e8), (1e8, 1e8)])
        + "[[agent]]\nhost = \"m\"\nrole = { kind = \"master\", tasks = 9, data = \"100MB\", work = \"2Gf\" }\n\
           [[agent]]\nhosts = [\"w*\"]\nrole = \"worker\"\non-failure = \"restart\"\n";
    let text = text.replacen("name = \"w1\"\n", "name = \"w1\"\nstate-trace = \"state\"\n", 1);
    place.file("s.toml", &text);
    let told = place.run(&["run", "s.toml", "-o", "out"]).stdout;
    assert!(told.contains(" tasks        9 computed\n") && told.contains("1 agent failed"), "{told}");
    let tasks = String::from_utf8(place.read("out/tasks.csv")).unwrap();
    let on = |host: &str| tasks.lines().filter(|line| line.contains(host)).count();
    assert_eq!(on(",w0,") + on(",w1,"), 9);
    assert!(on(",w1,") > 0, "it begins anew: {tasks}");
}

/// All who get a share end at once, when the closed form says.
#[test]
fn the_shares_of_a_divisible_load_end_together() {
    let spokes = [(1e8, 1e9), (5e7, 2e9), (2e7, 5e8), (1e7, 4e9)];
    let text = star(&spokes)
        + "[[agent]]\nhost = \"m\"\nrole = { kind = \"divisible-master\", data = \"1GB\", work = \"100Gf\" }\n\
           [[agent]]\nhosts = [\"w*\"]\nrole = \"divisible-worker\"\n";
    let whole = spokes.map(|(bandwidth, speed)| WholeLoad {
        latency: 0.0,
        send: 1e9 / bandwidth,
        compute: 1e11 / speed,
    });
    let expected = cut(&whole).unwrap();
    let ended = run(&text, &[]);
    assert!((metric(&ended, "makespan") / expected.makespan - 1.0).abs() < 1e-9);
    for done in &ended.outcomes.completed {
        assert!((done.at.as_secs_f64() / expected.makespan - 1.0).abs() < 1e-9, "{done:?}");
    }
    let [equal, turned] =
        [["agent.divisible-master.role.shares=equal"], ["agent.divisible-master.role.order=scenario"]]
            .map(|set| metric(&run(&text, &set), "makespan"));
    assert!(equal > expected.makespan * 1.2 && turned > expected.makespan * 0.999, "{equal} {turned}");
}

/// A worker behind 10 MB/s and one behind 100 MB/s: all of the load takes 100 s or 10 s to be sent,
/// and 100 s to be computed. Both end at once, and the second waits for the first one's share: the
/// near one first gets 2/3, (10 + 100) 2/3 s; the far one first gets 110/210, (100 + 100) 11/21 s.
#[test]
fn a_divisible_load_is_sent_first_to_the_worker_that_it_reaches_soonest() {
    let text = star(&[(1e7, 1e9), (1e8, 1e9)])
        + "[[agent]]\nhost = \"m\"\nrole = { kind = \"divisible-master\", data = \"1GB\", work = \"100Gf\" }\n\
           [[agent]]\nhosts = [\"w*\"]\nrole = \"divisible-worker\"\n";
    for (order, expected) in [("bandwidth", 220.0 / 3.0), ("scenario", 2200.0 / 21.0)] {
        let ended = run(&text, &[&format!("agent.divisible-master.role.order={order}")]);
        assert!((metric(&ended, "makespan") / expected - 1.0).abs() < 1e-6, "{order}");
    }
}

/// Each of three sends 10 MB to the next over a switch, a link of 10 MB/s up and one down: a second
/// a round, and one to compute.
#[test]
fn a_ring_sends_and_gets_at_once() {
    let text = "title = \"Ring\"\n[[platform.cluster]]\nname = \"c\"\nhosts = 3\nspeed = \"1Gf\"\nbandwidth = \"10MBps\"\n\
                [[agent]]\nhosts = [\"*\"]\nrole = { kind = \"ring-peer\", rounds = 5, data = \"10MB\", work = \"1Gf\" }\n";
    let ended = run(text, &[]);
    assert_eq!(ended.outcomes.ended_at, SimTime::from_nanos(10_000_000_000));
    assert_eq!((ended.outcomes.tasks, ended.outcomes.transfers), (15, 15));
    let alone = run(text, &["platform.cluster.c.hosts=1"]);
    assert_eq!(alone.outcomes.ended_at, SimTime::from_nanos(5_000_000_000), "to itself in no time");
}

/// Four hosts, each joined to the next one only; one of the four links is slow.
#[test]
fn a_ring_needs_no_way_but_those_to_the_next_ones() {
    let mut text = "title = \"Ring\"\n[[agent]]\nhosts = [\"*\"]\n\
                    role = { kind = \"ring-peer\", rounds = 5, data = \"10MB\" }\n"
        .to_owned();
    for number in 0..4 {
        let (next, bandwidth) = ((number + 1) % 4, if number == 3 { 5 } else { 10 });
        writeln!(
            text,
            "[[platform.host]]\nname = \"h{number}\"\nspeed = \"1Gf\"\n[[platform.link]]\nname = \"l{number}\"\n\
             bandwidth = \"{bandwidth}MBps\"\n[[platform.route]]\nfrom = \"h{number}\"\nto = \"h{next}\"\n\
             links = [\"l{number}\"]"
        )
        .unwrap();
    }
    let ended = run(&text, &[]);
    assert_eq!(ended.outcomes.transfers, 20);
    // a round lasts as long as the slow link takes
    assert_eq!(ended.outcomes.ended_at, SimTime::from_nanos(10_000_000_000));
}

/// In a mesh a master sends to all of its workers at once, each over a link of its own: 10 MB in a
/// second, and another to compute.
#[test]
fn transfers_of_a_mesh_never_meet() {
    let text = "title = \"Mesh\"\n[[platform.cluster]]\nname = \"c\"\ntopology = \"mesh\"\nhosts = 6\nspeed = \"1Gf\"\n\
                bandwidth = \"10MBps\"\n[[agent]]\nhosts = [\"*\"]\nrole = { kind = \"ring-peer\", rounds = 5, data = \"10MB\", work = \"1Gf\" }\n";
    let ended = run(text, &[]);
    assert_eq!(ended.outcomes.ended_at, SimTime::from_nanos(10_000_000_000));
    assert!(!ended.figures.drew, "nothing is drawn");
    assert_eq!(ended.outcomes.digest, run(text, &["seed=2"]).outcomes.digest);
    let drawn = "platform.cluster.c.speed={ kind = \"uniform\", low = \"0.5Gf\", high = \"2Gf\" }";
    let [one, same] = [1, 1].map(|_| run(text, &[drawn]));
    assert_eq!(one.outcomes.digest, same.outcomes.digest);
    assert_ne!(one.outcomes.digest, run(text, &[drawn, "seed=2"]).outcomes.digest);
    assert!(one.figures.drew, "speeds are drawn");
}

#[test]
fn a_token_is_passed_as_often_as_it_is_to_be_and_the_game_ends() {
    let text = "title = \"Tokens\"\n[[platform.cluster]]\nname = \"c\"\nhosts = 20\nspeed = \"1Gf\"\nbandwidth = \"10MBps\"\n\
                latency = \"1ms\"\n[[agent]]\nhosts = [\"*\"]\nrole = { kind = \"token-player\", tokens = 7, passes = 30 }\n";
    for set in [&[][..], &["agent.0.each=3"], &["platform.cluster.c.hosts=1"], &["agent.0.role.tokens=50"]] {
        let ended = run(text, set);
        let tokens = if set == ["agent.0.role.tokens=50"] { 50 } else { 7 };
        assert_eq!(ended.outcomes.tasks, tokens * 30, "{set:?}");
        assert_eq!(metric(&ended, "agents.failed").to_bits(), 0.0_f64.to_bits());
    }
    let [one, same] = [1, 1].map(|_| run(text, &[]));
    assert_eq!(one.outcomes.digest, same.outcomes.digest);
    assert_ne!(one.outcomes.digest, run(text, &["seed=2"]).outcomes.digest);
    assert!(one.figures.drew, "who gets a token is drawn");
}

#[test]
fn strategies_are_an_axis_like_any_key() {
    let text = star(&[(1e7, 1e8)])
        + "[[agent]]\nhost = \"m\"\nrole = \"master\"\n[[agent]]\nhost = \"w0\"\nrole = \"worker\"\n\
           [[vary]]\n\"agent.master.role.strategy\" = [\"workqueue\", \"bandwidth\"]\n";
    let study = study(&standard(), from_text("t.toml", text, Path::new(""), &[])).unwrap();
    assert_eq!(study.points[1].label(), "agent.master.role.strategy = bandwidth");
    let written = from_text("r.toml", study.resolved().to_owned(), Path::new(""), &[]);
    let again = clustersim_experiment::scenario::study(&standard(), written).unwrap();
    assert_eq!(again.resolved(), study.resolved());
}

/// Every mistake at its place, all at once.
#[test]
fn scenarios_of_agents_that_cannot_be() {
    let place = Place::new();
    let head = star(&[(1e7, 1e8), (1e7, 1e8)]);
    let whole = |agents: &str| {
        place.file("s.toml", format!("{head}{agents}"));
        let output = place.run(&["run", "s.toml", "-o", "out"]);
        assert_eq!(output.status, 2, "{agents}");
        assert!(!place.path("out").exists());
        output.stderr
    };
    let lines = |agents: &str| -> Vec<String> {
        let text = whole(agents);
        text.lines().filter(|line| line.starts_with("error")).map(ToOwned::to_owned).collect()
    };
    assert_eq!(
        lines(
            "[[agent]]\nhost = \"w7\"\nrole = \"master\"\n[[agent]]\nhosts = [\"x*\", \"w0\"]\nrole = \"worker\"\n\
             [[agent]]\nrole = \"server\"\n[[agent]]\nhost = \"m\"\nhosts = [\"m\"]\nrole = \"worker\"\n"
        ),
        [
            "error[CS0007]: no host is called `w7`",
            "error[CS0007]: no host is called `x*`",
            "error[CS0013]: it is not stated where they are",
            "error[CS0013]: `host` and `hosts` both state where they are",
        ]
    );
    assert_eq!(
        lines("[[agent]]\nhosts = [\"w*\"]\nrole = \"worker\"\n"),
        ["error[CS0013]: role `worker` needs an agent of the role `master`, and there is none"]
    );
    // each table once, however many of its agents cannot send
    assert_eq!(
        lines(
            "[[agent]]\nhosts = [\"w*\"]\nrole = \"worker\"\n[[agent]]\nhost = \"island\"\nrole = \"master\"\n\
             [[platform.host]]\nname = \"island\"\nspeed = \"1Gf\"\n"
        ),
        [
            "error[CS0013]: role `worker` has nothing to send over: no route from `w0` to `island`",
            "error[CS0013]: role `master` has nothing to send over: no route from `island` to `w0`",
        ]
    );
    assert_eq!(
        lines("[[agent]]\nhost = \"m\"\nrole = \"mastr\"\n[record]\nswf = true\n"),
        ["error[CS0007]: unknown role `mastr`", "error[CS0005]: unknown key `swf`"]
    );
    assert_eq!(lines(""), ["error[CS0006]: nothing says what is simulated"]);
    assert!(whole("[[agent]]\nhost = \"w7\"\nrole = \"master\"\n").contains("did you mean `w0`?"));
}

#[test]
fn a_scenario_without_a_recorded_schedule_is_compared_with_none() {
    let place = Place::new();
    let output = place.run(&["fidelity", repository("scenarios/agents.toml").to_str().unwrap()]);
    assert_eq!(output.status, 2, "{}{}", output.stdout, output.stderr);
    assert!(output.stderr.contains("has no recorded schedule"), "{}", output.stderr);
}
