//! Global computing by scenarios: values worked out by hand, orders of schedulers, determinism, and
//! mistakes.

use serde_json::Value;

use clustersim_testing::program::{Place, repository};

/// Two clients and ten servers at a load of 0.6.
fn ten_servers(scheduler: &str) -> String {
    format!(
        r#"
title = "Ten servers"
seed = 4
platform.server = [{{ name = "s", count = 10, performance = {{ kind = "log-uniform", low = "50Mop/s", high = "500Mop/s" }} }}]
platform.queues = {{ bandwidth = "10MBps" }}
monitor.server.every = "1s"
scheduler = {{ kind = "{scheduler}", load-correction = true }}
[[client]]
name = "c"
count = 2
tasks = 2000
arrivals = {{ load = 0.6 }}
class = [{{ send = "10kB", receive = "10kB", instructions = {{ kind = "exponential", mean = "500Mop" }} }}]
"#
    )
}

/// A client with one task, a server, and more lines.
fn one_task(more: &str) -> String {
    format!(
        r#"
title = "One task"
platform.server = [{{ name = "s", performance = "100Mop/s" }}]
platform.queue = [{{ name = "up", bandwidth = "100kBps" }}, {{ name = "down", bandwidth = "50kBps" }}]
platform.path = [{{ send = ["up"], receive = ["down"] }}]
client = [{{ name = "c", tasks = 1, arrivals = "0s", class = [{{ send = "1000kB", receive = "200kB", instructions = "500Mop" }}] }}]
{more}
"#
    )
}

fn metric(place: &Place, name: &str) -> f64 {
    let summary: Value = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    summary["metrics"][name]["value"].as_f64().unwrap_or_else(|| panic!("{name} in {summary}"))
}

fn run(text: &str) -> Place {
    let place = Place::new();
    place
        .file("s.toml", text)
        .file("cpu.txt", "0 1\n60 0.5\n120 0.25\n300 0.9\n")
        .file("state.txt", "0 1\n12 0\n40 1\n")
        .file("net.txt", "0 100000\n60 20000\n120 150000\n240 60000\n");
    let output = place.run(&["run", "s.toml", "--no-progress", "-q", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    place
}

/// HPDC 1999, steps (7) to (10): 10 s to send, 5 s of service, 4 s to receive.
#[test]
fn a_task_takes_nineteen_seconds() {
    let place = run(&one_task(""));
    for (name, expected) in
        [("response-time.mean", 19.0), ("time.send", 10.0), ("time.service", 5.0), ("time.receive", 4.0)]
    {
        assert!((metric(&place, name) - expected).abs() < 1e-9, "{name}");
    }
    let tasks = String::from_utf8(place.read("out/tasks.csv")).unwrap();
    assert!(
        tasks.ends_with("0,c,0,s,completed,0,0,10,10,10,15,19,,0,19,1000000,200000,500000000,1\n"),
        "{tasks}"
    );
}

#[test]
fn schedulers_that_know_more_are_faster() {
    let mean = |scheduler: &str| metric(&run(&ten_servers(scheduler)), "response-time.mean");
    let [greedy, random, in_turn, oracle] = ["greedy", "random", "round-robin", "oracle"].map(mean);
    assert!(greedy < in_turn && in_turn <= 1.05 * random, "{greedy} {in_turn} {random}");
    assert!(oracle <= 1.02 * greedy, "{oracle} {greedy}");
}

/// Without load correction all tasks between two measurements go to the same server.
#[test]
fn a_burst_is_spread_by_load_correction_alone() {
    let used = |corrects: bool| {
        let text = format!(
            r#"
title = "A burst"
platform.server = [{{ name = "s", count = 4, performance = "100Mop/s" }}]
platform.queues = {{ bandwidth = "100MBps" }}
monitor.server.every = "10min"
scheduler = {{ kind = "greedy", load-correction = {corrects} }}
client = [{{ name = "c", tasks = 8, arrivals = "1ms", class = [{{ instructions = "1Gop" }}] }}]
"#
        );
        let servers = String::from_utf8(run(&text).read("out/servers.csv")).unwrap();
        servers.lines().skip(1).filter(|line| !line.contains(",1,0,")).count()
    };
    assert_eq!((used(false), used(true)), (1, 4));
}

#[test]
fn a_run_is_the_same_again() {
    let text = std::fs::read_to_string(repository("scenarios/global-computing.toml")).unwrap();
    let (one, other) = (run(&text), run(&text));
    for file in ["tasks.csv", "servers.csv", "queues.csv", "summary.json"] {
        let path = format!("out/{file}");
        assert_eq!(one.read(&path), other.read(&path), "{file}");
    }
}

/// What is kept changes nothing else, and each forecast meets the value that was measured then.
#[test]
fn measurements_and_forecasts_are_written_on_request() {
    let more = "monitor.network.every = \"5s\"\nmonitor.server.every = \"2s\"\n";
    let (plain, kept) = (
        run(&one_task(more)),
        run(&one_task(&format!(
            "{more}record = {{ measurements = true, forecasts = true, packets = true }}"
        ))),
    );
    assert_eq!(plain.read("out/tasks.csv"), kept.read("out/tasks.csv"));
    let measured = String::from_utf8(kept.read("out/measurements.csv")).unwrap();
    let forecasts = String::from_utf8(kept.read("out/forecasts.csv")).unwrap();
    assert!(measured.starts_with("time,kind,from,to,value\n") && measured.lines().count() > 20);
    for line in forecasts.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let found = format!("{},{},{},{},{}", cells[0], cells[1], cells[2], cells[3], cells[6]);
        assert!(measured.lines().any(|line| line == found), "{found}");
    }
}

/// A path of two measured queues, a measured server, and tasks of several processors.
const MEASURED: &str = r#"
title = "Measured"
seed = 12
[platform]
server = [
    { name = "s", performance = "100Mop/s", procs = 4, availability = "cpu.txt" },
    { name = "t", performance = "80Mop/s", procs = 4 },
]
queue = [
    { name = "lan", latency = "5ms", model = { kind = "measured", file = "net.txt", unit = "Bps" } },
    { name = "wan", latency = "20ms", model = { kind = "measured", file = "net.txt", unit = "Bps", curve = "linear" } },
    { name = "back", bandwidth = "1MBps" },
]
path = [{ send = ["lan", "wan"], receive = ["back"] }]
[monitor]
network = { every = "60s", probe = "300kB" }
server = { every = "10s" }
[record]
packets = true
measurements = true
forecasts = true
[[client]]
name = "c"
tasks = 60
arrivals = { kind = "exponential", mean = "10s" }
class = [
    { send = "250kB", receive = "25kB", instructions = { kind = "exponential", mean = "1Gop" } },
    { send = "55kB", instructions = { kind = "exponential", mean = "2Gop" }, procs = 3 },
]
"#;

/// A queue that is refused is no unknown name for the paths over it.
#[test]
fn a_mistake_is_reported_once() {
    let place = Place::new();
    place.file("s.toml", MEASURED).file("cpu.txt", "0 1\n").file("net.txt", "0 0\n0 1\n");
    let output = place.run(&["run", "s.toml", "--no-progress", "-q", "-o", "out"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("net.txt:2:") && !output.stderr.contains("s.toml"), "{}", output.stderr);
}

/// Failures, fallbacks, copies, loads and all disciplines: `check` finds nothing, and says what it
/// cannot judge.
#[test]
fn finished_runs_are_judged() {
    let text = |discipline: &str, packets: &str, scheduler: &str| {
        format!(
            r#"
title = "Judged"
seed = 11
[platform]
server = [
    {{ name = "s", count = 3, performance = {{ kind = "log-uniform", low = "50Mop/s", high = "500Mop/s" }}, procs = 2, discipline = "{discipline}", load = {{ kind = "extraneous", utilization = 0.3, size = {{ kind = "exponential", mean = "200Mop" }} }} }},
    {{ name = "f", performance = "300Mop/s", discipline = "{discipline}", failures = {{ after = {{ kind = "exponential", mean = "100s" }}, repair = "20s" }} }},
]
queues = {{ bandwidth = "1MBps", latency = "20ms", discipline = "{packets}", model = {{ kind = "extraneous", actual = "400kBps", size = {{ kind = "exponential", mean = "10kB" }} }} }}
[monitor]
network = {{ every = "60s", probe = "300kB", stagger = true }}
server = {{ every = "10s" }}
[scheduler]
kind = "deadline"
opt = 0.9
fallbacks = 2
{scheduler}
[record]
packets = true
measurements = true
forecasts = true
regret = true
[run]
warm-up = "30s"
[[client]]
name = "c"
count = 2
tasks = 100
arrivals = {{ load = 0.6 }}
class = [{{ send = "500kB", receive = "200kB", instructions = {{ kind = "exponential", mean = "1Gop" }}, deadline = 3.0 }}]
"#
        )
    };
    let judged = |text: &str| {
        let place = run(text);
        let output = place.run(&["check", "out"]);
        assert_eq!(output.status, 0, "{text}\n{}{}", output.stdout, output.stderr);
        // columns and numbers that no file gives have lines of their own
        let is_promise = |line: &&str| !line.contains(".csv: ") && !line.contains("summary.json: ");
        let count = |state: &str| {
            let lines = output.stdout.lines().filter(|line| line.starts_with(state));
            lines.filter(is_promise).count()
        };
        (count(" kept "), count(" not checked "))
    };
    // the run ends while a task that came back waits for an answer
    let asking = one_task(
        "run.until = \"20s\"\nscheduler = { kind = \"random\", query-time = \"5s\", fallbacks = 1 }",
    )
    .replace("send = \"1000kB\"", "deadline-after = \"1s\", send = \"1000kB\"")
    .replace("{ name = \"s\",", "{ name = \"s\", count = 2,");
    let runs = [
        &text("fcfs", "fcfs", ""),
        &text("sjf", "fair", ""),
        &text("priority", "priority", ""),
        &text("ps", "ps", ""),
        &text("fcfs", "fcfs", "use = \"all\""),
        MEASURED,
        &asking,
    ];
    // promises kept, and those not checked
    let expected = [(24, 1), (23, 2), (23, 2), (21, 4), (23, 2), (23, 2), (14, 9)];
    assert_eq!(runs.map(judged), expected);
}

/// A burst of eight tasks without load correction: all see an idle server, and from the second on
/// another one would have been sooner.
#[test]
fn a_decision_is_explained_and_nothing_else_changes() {
    let text = r#"
title = "A burst"
platform.server = [{ name = "s", count = 2, performance = "100Mop/s" }]
platform.queues = { bandwidth = "100MBps" }
monitor.server.every = "10min"
scheduler.kind = "greedy"
client = [{ name = "c", tasks = 4, arrivals = "1s", class = [{ send = "1MB", instructions = "1Gop" }] }]
"#;
    let place = run(text);
    let output = place.run(&["run", "s.toml", "--no-progress", "-o", "explained", "--explain", "1"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    for file in ["tasks.csv", "queues.csv", "servers.csv", "summary.json"] {
        assert_eq!(place.read(&format!("out/{file}")), place.read(&format!("explained/{file}")), "{file}");
    }
    for said in [
        "Task 1 of client `c`",
        "At 00:00:02 `greedy` chose among 2 servers",
        "It chose `s-0`; `s-1` has the same score",
        // task 0 was there from 1.01 s to 11.01 s
        "results would have been back at 00:00:21.01, from `s-1` at 00:00:12.01: the choice cost 9 s",
        "executed from 00:00:11.01 to 00:00:21.01",
    ] {
        assert!(output.stdout.contains(said), "{said} in {}", output.stdout);
    }
    let output = place.run(&["run", "s.toml", "--no-progress", "-o", "more", "--explain", "4"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("the run has 4 tasks"), "{}", output.stderr);
    assert!(!place.path("more").exists() && !place.path("none").exists());
    let output = place.run(&["run", "s.toml", "--no-progress", "-o", "none", "--explain", "s-7"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("no task is called `s-7`"), "{}", output.stderr);
}

/// The burst again: what each decision cost comes from the age of the one measurement, at the
/// start.
#[test]
fn the_regret_of_decisions_is_divided_into_its_causes() {
    let text = r#"
title = "A burst"
record.regret = true
platform.server = [{ name = "s", count = 2, performance = "100Mop/s" }]
platform.queues = { bandwidth = "100MBps" }
monitor.server.every = "10min"
scheduler.kind = "greedy"
client = [{ name = "c", tasks = 4, arrivals = "1s", class = [{ send = "1MB", instructions = "1Gop" }] }]
"#;
    let regrets = |text: &str| -> Vec<f64> {
        let place = run(text);
        ["mean", "rule", "forecast", "age", "estimate"]
            .map(|part| metric(&place, &format!("decision-regret.{part}")))
            .to_vec()
    };
    // all four go to one server, from which results return at 11.01, 21.01, 31.01 and 41.01 s
    assert_eq!(regrets(text), [13.5, 0.0, 0.0, 13.5, 0.0]);
    // with what was sent among the load, every second task goes to the other server
    let corrected = text.replace("kind = \"greedy\"", "{ kind = \"greedy\", load-correction = true }");
    let corrected = corrected.replace("scheduler.{", "scheduler = {").replace("scheduler.kind", "scheduler");
    assert_eq!(regrets(&corrected)[..1], [0.0]);
    // the oracle takes the best; greedy would not have
    let oracle = regrets(&text.replace("greedy", "oracle"));
    assert_eq!(oracle[..1], [0.0]);
    assert!(oracle[1] < 0.0 && oracle[3] > 0.0, "{oracle:?}");
}

/// Networks and servers that others use, and forecasts: causes add up decision by decision, and
/// nothing else changes.
#[test]
fn what_decisions_cost_adds_up_and_is_only_looked_at() {
    let text = ten_servers("deadline")
        .replace("{ bandwidth = \"10MBps\" }", "{ bandwidth = \"1MBps\", model = { kind = \"extraneous\", actual = \"400kBps\", size = { kind = \"exponential\", mean = \"10kB\" } } }")
        .replace("tasks = 2000", "tasks = 40")
        .replace("monitor.server", "monitor.network.every = \"20s\"\nmonitor.server")
        .replace("class = [{ ", "class = [{ deadline = 3.0, ");
    let kept = run(&format!("record = {{ regret = true, measurements = true }}{text}"));
    let without = run(&format!("record = {{ measurements = true }}{text}"));
    for file in ["tasks.csv", "queues.csv", "servers.csv", "measurements.csv"] {
        assert_eq!(kept.read(&format!("out/{file}")), without.read(&format!("out/{file}")), "{file}");
    }
    assert!(!without.path("out/decisions.csv").exists());
    let judged = kept.run(&["check", "out"]);
    assert_eq!(judged.status, 0, "{}{}", judged.stdout, judged.stderr);
    assert!(!judged.stdout.contains("record.regret"), "{}", judged.stdout);
    let rows = String::from_utf8(kept.read("out/decisions.csv")).unwrap();
    let rows: Vec<Vec<&str>> = rows.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 80);
    let tasks = String::from_utf8(kept.read("out/tasks.csv")).unwrap();
    let servers: Vec<&str> = tasks.lines().skip(1).map(|line| line.split(',').nth(3).unwrap()).collect();
    let mut total = 0.0;
    for row in &rows {
        assert_eq!(row[2], servers[row[1].parse::<usize>().unwrap()]);
        let times: Vec<f64> = [3, 5, 7, 9, 11].map(|column: usize| row[column].parse().unwrap()).to_vec();
        assert!(times.iter().all(|time| *time >= times[4]), "{row:?}");
        total += times[0] - times[4];
    }
    let mean = metric(&kept, "decision-regret.mean");
    assert!((mean - total / 80.0).abs() < 1e-6, "{mean} and {}", total / 80.0);
    let parts: f64 = ["rule", "forecast", "age", "estimate"]
        .map(|part| metric(&kept, &format!("decision-regret.{part}")))
        .iter()
        .sum();
    assert!((mean - parts).abs() < 1e-9 && mean > 0.0, "{mean} and {parts}");
}

/// What is wrong, and what its complaint says.
#[test]
fn mistakes_are_reported_at_their_places() {
    let server = "platform.server = [{ name = \"s\", performance = \"1Mop/s\" }]\n";
    let client =
        "client = [{ name = \"c\", tasks = 1, arrivals = \"1s\", class = [{ instructions = \"1Mop\" }] }]\n";
    let with = |queues: &str| format!("title = \"x\"\n{server}{client}platform.queues = {queues}\n");
    let cases = [
        (with("{}"), "nothing says how fast the queue is"),
        (
            with("{ bandwidth = \"1MBps\", model = { kind = \"extraneous\", actual = \"0Bps\", size = \"1kB\" } }"),
            "expected a data rate above 0",
        ),
        (with("{ bandwidth = \"1MBps\", packet = \"0B\" }"), "packets of 0 bytes"),
        (with("{ model = { kind = \"measured\", file = \"none.csv\" } }"), "cannot read `none.csv`"),
        (with("{ model = { kind = \"measured\", file = \"bad.csv\" } }"), "bad.csv:3"),
        (with("{ bandwidth = \"1MBps\" }\nscheduler = { kind = \"greedy\", opt = 0.0 }"), "opt"),
        (with("{ bandwidth = \"1MBps\" }\nmonitor.server.every = \"0s\""), "every"),
        (with("{ bandwidth = \"1MBps\" }\nrun = { warm-up = \"2h\", until = \"1h\" }"), "nothing is observed"),
        (
            with("{ bandwidth = \"1MBps\" }\nplatform.path = [{ server = \"t\", send = [\"a\"], receive = [] }]"),
            "no server is called `t`",
        ),
        (
            with("{ bandwidth = \"1MBps\" }").replace("arrivals = \"1s\"", "arrivals = { load = 0.5, users = 2 }"),
            "one of `load`, `users` and `file`",
        ),
        (with("{ bandwidth = \"1MBps\" }").replace("tasks = 1, ", ""), "nothing says when the run ends"),
        (
            with("{ bandwidth = \"1MBps\" }").replace(server, "").replace("1Mop\" }", "1Mop\", deadline = 3.0 }"),
            "there is no server that could execute a task",
        ),
        (
            with("{ bandwidth = \"1MBps\" }\nscheduler = { kind = \"greedy\", copies = 2 }"),
            "no copies are sent",
        ),
        (
            with("{ bandwidth = \"1MBps\" }\nscheduler = { kind = \"greedy\", retry = { after = \"0s\" } }"),
            "after",
        ),
        (
            with("{ bandwidth = \"1MBps\" }").replace(
                "performance = \"1Mop/s\"",
                "performance = \"1Mop/s\", load = { kind = \"extraneous\", utilization = 1.0, size = \"1Mop\" }",
            ),
            "others would take all of the server",
        ),
    ];
    for (text, expected) in cases {
        let place = Place::new();
        place.file("s.toml", &text).file("bad.csv", "time,value\n0,1MBps\n0,2MBps\n");
        let output = place.run(&["run", "s.toml", "--no-progress", "-q", "-o", "out"]);
        let said = &output.stderr;
        assert_eq!(output.status, 2, "{text}\n{said}");
        assert!(said.contains(expected), "{expected}:\n{said}");
        assert!(place.names(".").iter().all(|name| !name.starts_with("out")), "{text}");
    }
}

/// Servers fail, and tasks find others: none is lost.
#[test]
fn tasks_of_servers_that_fail_are_executed_elsewhere() {
    let text = ten_servers("greedy").replace(
        "high = \"500Mop/s\" } }]",
        "high = \"500Mop/s\" }, failures = { after = { kind = \"exponential\", mean = \"5min\" }, repair = \"1min\" } }]",
    );
    let place = run(&text);
    assert!(metric(&place, "failures") > 0.0);
    let over = metric(&place, "tasks.completed") + metric(&place, "rejected");
    assert_eq!(over as u64, 4000);
}

/// A server is down from 12 s to 40 s: the task that it executed since 10 s is sent to the other
/// one, and is back 19 s later.
#[test]
fn a_state_trace_takes_a_server_down_and_up() {
    let state = "count = 2, state-trace = { file = \"state.txt\", stagger = \"60s\" },";
    let text =
        one_task("scheduler.kind = \"greedy\"").replace("name = \"s\",", &format!("name = \"s\", {state}"));
    let place = run(&text);
    assert_eq!(
        [metric(&place, "response-time.max"), metric(&place, "failures")].map(|value| value as u64),
        [31, 1]
    );
    assert_eq!(place.run(&["check", "out"]).status, 0);
    // on the server that is down it could not have been executed
    let tasks = String::from_utf8(place.read("out/tasks.csv")).unwrap();
    place.file("out/tasks.csv", tasks.replace(",s-1,", ",s-0,"));
    let output = place.run(&["check", "out"]);
    assert!(
        output.status == 1 && output.stdout.contains("by `s-0`, which"),
        "{}{}",
        output.stdout,
        output.stderr
    );
    let both = text.replace("state-trace", "failures = { after = \"1h\", repair = \"1h\" }, state-trace");
    let refused = Place::new();
    refused.file("s.toml", &both).file("state.txt", "0 1\n");
    let output = refused.run(&["validate", "s.toml"]);
    assert!(output.status == 2 && output.stderr.contains("so do `failures`"), "{}", output.stderr);
}

/// A server has one task from 10 s to 15 s; a load average of a minute has taken it in once, and
/// then loses a twelfth.
#[test]
fn a_load_average_is_read_on_request() {
    let place = run(&one_task(
        "monitor.server = { every = \"5s\", load-average = \"1min\" }\nrecord.measurements = true",
    ));
    let rows = String::from_utf8(place.read("out/measurements.csv")).unwrap();
    let load = |at: &str| -> f64 {
        let row = rows.lines().find(|row| row.starts_with(&format!("{at},load,"))).expect("a reading");
        row.rsplit(',').next().unwrap().parse().unwrap()
    };
    let kept = clustersim_kernel::rng::math::exp(-1.0 / 12.0);
    for (at, expected) in [("0", 0.0), ("5", 0.0), ("10", 1.0 - kept), ("15", (1.0 - kept) * kept)] {
        assert!((load(at) - expected).abs() < 1e-12, "{at}: {rows}");
    }
    assert_eq!(place.run(&["check", "out"]).status, 0);
}
