//! Stated durations of calls against actual ones: random scenarios of global computing.
//!
//! A task alone takes what is predicted and has slowdown 1; with others, predictions are right in
//! the mean; a reading is what a probe finds; the oracle is a bound where tasks do not meet, and
//! regret is what other choices would have brought.

use std::fmt::Write as _;

use serde_json::Value;

use clustersim_testing::program::Place;

/// A generator of scenarios.
struct Draw(u64);

impl Draw {
    /// Below a bound.
    fn below(&mut self, bound: u64) -> u64 {
        // Knuth's MMIX generator
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

const QUEUE_DISCIPLINES: [&str; 4] = ["fcfs", "fair", "priority", "ps"];
const SERVER_DISCIPLINES: [&str; 4] = ["fcfs", "priority", "ps", "sjf"];

/// Parts of a scenario apart from servers, queues and paths.
#[derive(Clone, Copy, PartialEq)]
enum Others {
    None,
    Sending,
}

/// Servers behind routes of one to four queues, of all disciplines; some queues and servers follow
/// series.
fn platform(draw: &mut Draw, count: u64, (others, has_series): (Others, bool)) -> String {
    let mut queues = String::new();
    let mut paths = String::new();
    let mut servers = String::new();
    let mut number = 0;
    for server in 0..count {
        let mut routes: [Vec<String>; 2] = Default::default();
        for route in &mut routes {
            for _ in 0..=draw.below(4) {
                let name = format!("q{number}");
                number += 1;
                let (bandwidth, latency) = (200 + draw.below(1800), draw.below(40));
                let discipline = draw.of(&QUEUE_DISCIPLINES);
                let model = if others == Others::Sending && draw.below(2) == 0 {
                    let left = bandwidth * (20 + draw.below(70)) / 100;
                    format!(
                        ", model = {{ kind = \"extraneous\", actual = \"{left}kBps\", size = {{ kind = \"exponential\", mean = \"{}kB\" }} }}",
                        2 + draw.below(20)
                    )
                } else if has_series && draw.below(3) == 0 {
                    ", model = { kind = \"measured\", file = \"net.txt\", unit = \"Bps\", curve = \"linear\" }".to_owned()
                } else {
                    String::new()
                };
                writeln!(queues, "[[platform.queue]]\nname = \"{name}\"\nbandwidth = \"{bandwidth}kBps\"\nlatency = \"{latency}ms\"\ndiscipline = \"{discipline}\"\n{}", model.replace(", model", "model")).unwrap();
                route.push(format!("\"{name}\""));
            }
        }
        let [send, receive] = routes.map(|route| route.join(", "));
        writeln!(paths, "[[platform.path]]\nserver = \"s{server}\"\nsend = [{send}]\nreceive = [{receive}]")
            .unwrap();
        let load = if others == Others::Sending && draw.below(2) == 0 {
            format!(
                "load = {{ kind = \"extraneous\", utilization = 0.{}, size = {{ kind = \"exponential\", mean = \"100Mop\" }} }}",
                1 + draw.below(7)
            )
        } else if has_series && draw.below(3) == 0 {
            "availability = \"cpu.txt\"".to_owned()
        } else {
            String::new()
        };
        writeln!(servers, "[[platform.server]]\nname = \"s{server}\"\nperformance = \"{}Mop/s\"\nprocs = {}\ndiscipline = \"{}\"\n{load}", 50 + draw.below(500), 2 + draw.below(3), draw.of(&SERVER_DISCIPLINES)).unwrap();
    }
    format!("{servers}{queues}[platform.queues]\npacket = \"{}kB\"\n{paths}", 5 + draw.below(30))
}

fn place(text: &str) -> Place {
    let place = Place::new();
    place
        .file("s.toml", text)
        .file("cpu.txt", "0 1\n60 0.5\n120 0.25\n300 0.9\n900 0.4\n4000 0.7\n9000 0.3\n")
        .file(
            "net.txt",
            "0 100000\n60 400000\n120 150000\n240 600000\n900 90000\n4000 500000\n9000 150000\n",
        );
    place
}

fn run(text: &str, more: &[&str]) -> Place {
    let place = place(text);
    let command = ["run", "s.toml", "--no-progress", "-q", "-o", "out"];
    let output = place.run(&[&command[..], more].concat());
    assert!([0, 3].contains(&output.status), "{text}\n{}", output.stderr);
    place
}

fn metric(place: &Place, name: &str) -> f64 {
    let summary: Value = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    summary["metrics"][name]["value"].as_f64().unwrap_or(f64::NAN)
}

/// A column of a table.
fn column(place: &Place, table: &str, name: &str) -> Vec<f64> {
    let text = String::from_utf8(place.read(&format!("out/{table}.csv"))).unwrap();
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap_or(f64::NAN)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// A client whose tasks do not meet.
fn client(draw: &mut Draw, tasks: u32, deadline: &str) -> String {
    let mut classes = String::new();
    for _ in 0..3 {
        writeln!(
            classes,
            "  {{ send = \"{}B\", receive = \"{}B\", instructions = \"{}Mop\", procs = {}, priority = {}{deadline} }},",
            draw.below(3) * draw.below(1_500_000),
            draw.below(3) * draw.below(400_000),
            draw.below(4) * draw.below(400),
            1 + draw.below(2),
            draw.below(2),
        )
        .unwrap();
    }
    format!("[[client]]\nname = \"c\"\ntasks = {tasks}\narrivals = \"400s\"\nclass = [\n{classes}]\n")
}

#[test]
fn a_task_alone_takes_what_is_predicted_and_has_slowdown_one() {
    for seed in 0..16 {
        let draw = &mut Draw(seed);
        let text = format!(
            "title = \"alone\"\nseed = {seed}\npredictor.kind = \"perfect\"\nscheduler.kind = \"greedy\"\n{}{}",
            client(draw, 6, ""),
            platform(draw, 2 + seed % 3, (Others::None, seed % 2 == 0))
        );
        let place = run(&text, &[]);
        let of = |name| column(&place, "tasks", name);
        let (issued, received, predicted) = (of("issued"), of("received"), of("predicted"));
        for ((issued, received), predicted) in issued.iter().zip(&received).zip(&predicted) {
            assert!(
                (received - issued - predicted).abs() < 5e-9,
                "{text}\n{} {predicted}",
                received - issued
            );
        }
        let slowdown = metric(&place, "slowdown.mean");
        assert!((slowdown - 1.0).abs() < 1e-8, "{text}\n{slowdown}");
        // nothing is measured, and no series is known: what was built
        if seed % 2 == 1 {
            let place = run(&text, &["--set", "predictor.kind=nominal"]);
            let nominal = column(&place, "tasks", "predicted");
            for ((issued, received), nominal) in issued.iter().zip(&received).zip(&nominal) {
                assert!(
                    (received - issued - nominal).abs() < 1e-6,
                    "{text}\n{} {nominal}",
                    received - issued
                );
            }
        }
    }
}

/// One server is the mean server: a deadline of once the time alone is met by a task alone, and a
/// shorter one is missed.
#[test]
fn a_deadline_of_once_the_time_alone_is_met_by_a_task_alone() {
    for seed in 20..26 {
        let missed = ["1.0", "0.999"].map(|factor| {
            let draw = &mut Draw(seed);
            let client = client(draw, 5, &format!(", deadline = {factor}"));
            // no task of nothing
            let client = client.replace("send = \"0B", "send = \"1kB");
            let platform = platform(draw, 1, (Others::None, false));
            let text = format!("title = \"deadline\"\nseed = {seed}\n{client}{platform}");
            metric(&run(&text, &[]), "deadline-failures")
        });
        assert!(missed[0] < 1e-9 && missed[1] > 1.0 - 1e-9, "{seed}: {missed:?}");
    }
}

#[test]
fn no_slowdown_is_below_one() {
    for seed in 40..60 {
        let draw = &mut Draw(seed);
        let client = client(draw, 1, "").replace("400s", "30s");
        let others = draw.of(&[Others::None, Others::Sending]);
        let text = format!(
            "title = \"slowdown\"\nseed = {seed}\nscheduler.kind = \"{}\"\nmonitor.network.every = \"20s\"\n{client}{}",
            draw.of(&["random", "greedy", "fastest", "oracle"]),
            platform(draw, 3, (others, true))
        );
        let slowdown = metric(&run(&text, &[]), "slowdown.mean");
        assert!(slowdown >= 1.0 || slowdown.is_nan(), "{text}\n{slowdown}");
    }
}

/// A path of queues of 1 MB/s with the same others, one priority, and packets of 10 kB.
fn one_path(queues: u32, discipline: &str, [left, size]: [u32; 2], more: &str) -> String {
    let mut text = r#"
title = "one path"
seed = 5
[platform]
server = [{ name = "s", performance = "1Gop/s" }]
queue = [
    { name = "back", bandwidth = "1MBps" },
"#
    .to_owned();
    for queue in 0..queues {
        let model = format!(
            r#"{{ kind = "extraneous", actual = "{left}kBps", size = {{ kind = "exponential", mean = "{size}kB" }} }}"#
        );
        writeln!(
            text,
            r#"    {{ name = "q{queue}", bandwidth = "1MBps", latency = "5ms", discipline = "{discipline}", model = {model} }},"#
        )
        .unwrap();
    }
    let names: Vec<String> = (0..queues).map(|queue| format!("\"q{queue}\"")).collect();
    let names = names.join(", ");
    text + &format!("]\npath = [{{ send = [{names}], receive = [\"back\"] }}]\n{more}")
}

/// A free reading is the bandwidth that a sender that never stops gets, whatever the discipline.
#[test]
fn a_reading_is_what_a_long_transfer_gets() {
    let sender = "[monitor]\nnetwork = { every = \"50s\", free = true }\n[record]\nmeasurements = true\n[[client]]\nname = \"c\"\ntasks = 1\narrivals = \"10s\"\nclass = [{ send = \"150MB\" }]\n";
    for (queues, discipline, others) in [
        (1, "fcfs", [300, 10]),
        (1, "priority", [300, 10]),
        (1, "ps", [300, 10]),
        // others want more than their turns
        (1, "fair", [300, 10]),
        // and less
        (1, "fair", [300, 40]),
        (1, "sjf", [300, 10]),
        (2, "fcfs", [400, 10]),
        (3, "ps", [500, 10]),
        (2, "priority", [600, 20]),
    ] {
        let text = one_path(queues, discipline, others, sender);
        let place = run(&text, &[]);
        let took = column(&place, "tasks", "sent")[0] - column(&place, "tasks", "decided")[0];
        let measured = String::from_utf8(place.read("out/measurements.csv")).unwrap();
        let reading = measured.lines().find(|line| line.contains("bandwidth,c,s,")).unwrap();
        let reading: f64 = reading.rsplit(',').next().unwrap().parse().unwrap();
        let ratio = reading * took / 150e6;
        println!("{queues} {discipline} {others:?}: {reading} {ratio}");
        assert!((ratio - 1.0).abs() < 0.06, "{queues} {discipline} {others:?}: {reading} {ratio}");
    }
}

/// A greater priority is before all that waits: only a packet that is served delays the first one.
#[test]
fn a_priority_queue_leaves_a_task_of_higher_priority_more() {
    let client = |priority: u32| {
        let more =
            "[predictor]\nkind = \"perfect\"\n[[client]]\nname = \"c\"\ntasks = 600\narrivals = \"60s\"\n";
        let class = format!("class = [{{ send = \"500kB\", priority = {priority} }}]\n");
        run(&one_path(1, "priority", [100, 10], &(more.to_owned() + &class)), &[])
    };
    let [low, high] = [0, 1].map(|priority| {
        let place = client(priority);
        [mean(&column(&place, "tasks", "predicted")), metric(&place, "response-time.mean")]
    });
    assert!((low[0] / low[1] - 1.0).abs() < 0.05, "{low:?}");
    assert!((high[0] / high[1] - 1.0).abs() < 0.01 && high[1] < 0.2 * low[1], "{high:?} {low:?}");
}

/// Predictions by the state are right in the mean, on queues and servers of all disciplines.
#[test]
fn predictions_by_the_state_are_right_in_the_mean() {
    let tasks = "[predictor]\nkind = \"perfect\"\n[[client]]\nname = \"c\"\ntasks = 400\narrivals = \"60s\"\nclass = [{ send = \"200kB\", instructions = \"500Mop\" }]\n";
    for (queues, discipline, others) in [
        (1, "fcfs", [200, 10]),
        (1, "ps", [300, 10]),
        (1, "fair", [300, 30]),
        (1, "sjf", [300, 10]),
        (2, "fcfs", [400, 20]),
        (3, "priority", [400, 10]),
        (2, "ps", [500, 10]),
    ] {
        let place = run(&one_path(queues, discipline, others, tasks), &[]);
        let (predicted, taken) =
            (mean(&column(&place, "tasks", "predicted")), metric(&place, "response-time.mean"));
        println!("{queues} {discipline}: {predicted} {taken}");
        assert!((predicted / taken - 1.0).abs() < 0.08, "{queues} {discipline}: {predicted} {taken}");
    }
    for (discipline, procs) in [("fcfs", 1), ("ps", 1), ("sjf", 1), ("priority", 1), ("fcfs", 3), ("ps", 3)] {
        let load = format!(
            "procs = {procs}, discipline = \"{discipline}\", load = {{ kind = \"extraneous\", utilization = 0.7, size = {{ kind = \"exponential\", mean = \"1Gop\" }} }} }}]"
        );
        let text =
            one_path(1, "fcfs", [999, 10], tasks).replace("\"1Gop/s\" }]", &format!("\"1Gop/s\", {load}"));
        let place = run(&text, &[]);
        let (predicted, taken) =
            (mean(&column(&place, "tasks", "predicted")), metric(&place, "response-time.mean"));
        println!("{procs} {discipline}: {predicted} {taken}");
        assert!((predicted / taken - 1.0).abs() < 0.12, "{procs} {discipline}: {predicted} {taken}");
    }
}

/// Tasks do not meet, and others send and compute: the oracle is the best for each task, and the
/// regret of any other is what it loses.
#[test]
fn where_tasks_do_not_meet_the_oracle_is_a_bound_and_regret_is_the_way_to_it() {
    const RULES: &str =
        "scheduler.kind=oracle,greedy,best-network,fastest,least-load,power-of-d,deadline,random,round-robin";
    for (seed, predictor) in [(80, "perfect"), (81, "battery"), (82, "battery"), (83, "perfect")] {
        let draw = &mut Draw(seed);
        let text = format!(
            "title = \"bound\"\nseed = {seed}\nrecord.regret = true\nmonitor.network = {{ every = \"60s\", free = true }}\nmonitor.server.every = \"20s\"\n{}{}",
            client(draw, 12, ", deadline = 2.0").replace("400s", "600s"),
            platform(draw, 2 + seed % 3, (Others::Sending, seed % 2 == 0))
        );
        let set = format!("predictor.kind={predictor}");
        let place = run(&text, &["--vary", RULES, "--set", &set, "--replications", "1"]);
        let study: Value = serde_json::from_slice(&place.read("out/study.json")).unwrap();
        let points = study["points"].as_array().unwrap();
        let of = |point: &Value, name: &str| point["metrics"][name]["mean"].as_f64().unwrap();
        let bound = of(&points[0], "response-time.mean");
        for point in points {
            let (mean, regret) = (of(point, "response-time.mean"), of(point, "decision-regret.mean"));
            assert!(mean >= bound - 1e-9, "{text}\n{mean} < {bound}: {point}");
            assert!((mean - bound - regret).abs() < 1e-8, "{text}\n{mean} - {bound} is not {regret}");
        }
    }
}

/// Tasks that meet: what a run that goes on with another server brings is in the regret of the
/// decision; its causes add up.
#[test]
fn a_decision_that_is_run_on_has_what_follows_in_its_regret() {
    // both go to the near server, and the second waits for the first; on the far one it would not
    // have
    let text = r#"
title = "Two tasks"
platform.server = [{ name = "near", performance = "100Mop/s" }, { name = "far", performance = "100Mop/s" }]
platform.queue = [{ name = "short", bandwidth = "1MBps" }, { name = "long", bandwidth = "500kBps" }, { name = "back", bandwidth = "1MBps" }]
platform.path = [{ server = "near", send = ["short"], receive = ["back"] }, { server = "far", send = ["long"], receive = ["back"] }]
scheduler.kind = "greedy"
client = [{ name = "c", tasks = 2, arrivals = "1s", class = [{ send = "2MB", instructions = "1Gop" }] }]
record.regret = true
"#;
    let ahead = run(text, &[]);
    // both decisions are made while no task has arrived
    assert!(column(&ahead, "decisions", "regret").iter().all(|regret| regret.abs() < 1e-9));
    let exact = run(text, &["--set", "record.run-on=2"]);
    assert_eq!(ahead.read("out/tasks.csv"), exact.read("out/tasks.csv"));
    let received = column(&exact, "tasks", "received");
    let regret = column(&exact, "decisions", "regret");
    // the first has near to itself whatever it does; by the far one the second is back at 2 + 4 +
    // 10 s
    assert!((regret[1] - (received[1] - 16.0)).abs() < 1e-9 && regret[1] > 1.0, "{regret:?} {received:?}");
    let parts: Vec<f64> =
        ["rule", "forecast", "age", "estimate"].map(|part| column(&exact, "decisions", part)[1]).into();
    assert!((parts.iter().sum::<f64>() - regret[1]).abs() < 1e-9, "{parts:?}");
    let one = String::from_utf8(run(text, &["--set", "record.run-on=1"]).read("out/decisions.csv")).unwrap();
    assert_eq!(one.lines().count(), 2);
    assert_eq!(exact.run(&["check", "out"]).status, 0);
}

/// A server that is down when arguments arrive fails the task: the oracle knows the trace, and the
/// others pay for the way there.
#[test]
fn an_outage_is_known_to_the_oracle_and_costs_the_others_the_time_until_it() {
    let text = |scheduler: &str| {
        format!(
            r#"
title = "Down"
record.regret = true
scheduler.kind = "{scheduler}"
[platform]
server = [{{ name = "fast", performance = "1Gop/s", state-trace = "down.csv" }}, {{ name = "slow", performance = "500Mop/s" }}]
queues.bandwidth = "1MBps"
[[client]]
name = "c"
tasks = 1
arrivals = "100s"
class = [{{ send = "10MB", instructions = "1Gop" }}]
"#
        )
    };
    let of = |scheduler: &str| {
        let place = Place::new();
        place.file("s.toml", text(scheduler)).file("down.csv", "time,value\n0,1\n105,0\n1000,1\n");
        let output = place.run(&["run", "s.toml", "--no-progress", "-q", "-o", "out", "--explain", "0"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        [metric(&place, "response-time.mean"), metric(&place, "decision-regret.mean")]
    };
    // 10 s to send and 2 s of service; by `fast` the 10 s are lost
    let [oracle, greedy] = ["oracle", "greedy"].map(of);
    assert!((oracle[0] - 12.0).abs() < 1e-6 && oracle[1].abs() < 1e-9, "{oracle:?}");
    assert!((greedy[0] - 22.0).abs() < 1e-6, "{greedy:?}");
    // two decisions: the first cost 10 s, the second nothing
    assert!((greedy[1] - 5.0).abs() < 1e-6, "{greedy:?}");
}
