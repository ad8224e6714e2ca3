//! `--explain` of parameter sweeps: the numbers that decided, and where the time of processors
//! went.

use serde_json::{Value, json};

use clustersim_testing::program::Place;

/// Four clusters of a host each, and two tasks without files: to the first all clusters are alike,
/// to the second one is good.
fn two_tasks() -> Place {
    let place = Place::new();
    let mut grid = "GridDescription 1\n".to_owned();
    for cluster in 0..4 {
        grid += &format!("0:ADD_CLUSTER <c{cluster}> <stable_1Mb> <0>\n");
        grid += &format!("0:ADD_HOST <c{cluster}> <h{cluster}> <stable_100> <0> <{cluster}>\n");
    }
    let work = |number: usize, times: &str| {
        format!("Work: <{number}> < 0 : > < 0 : > < 4 : {times} > < 4 : {times} >\n")
    };
    let application = format!("WorkDescription 1 0 2\n{}{}", work(0, "12 12 24 36"), work(1, "20 65 65 65"));
    place.file("grid.txt", grid).file("app.txt", application);
    place
}

fn explained(place: &Place, heuristic: &str, task: &str) -> (Value, String) {
    let plans = if ["h0", "data-aware-workqueue"].contains(&heuristic) {
        ""
    } else {
        "interval = 'once'\nfill = 'all'\n"
    };
    let scenario = format!(
        "title = 'decided'\n[platform]\nfile = 'grid.txt'\n[application]\nkind = 'pst'\nfile = 'app.txt'\n\
         [scheduler]\nkind = 'plan'\nheuristic = '{heuristic}'\n{plans}"
    );
    place.file("s.toml", scenario);
    let said = place.run(&["run", "s.toml", "--explain", task, "--no-progress"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let found = place.run(&["run", "s.toml", "--explain", task, "--json", "--no-progress"]);
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    (found["explanation"].clone(), said.stdout)
}

#[test]
fn the_numbers_that_each_heuristic_compares_are_said() {
    let place = two_tasks();
    let second = |name: &str| json!({ "sufferage": 45.0, "completion": 20.0, name: 65.0 });
    for (heuristic, task, compared, of_next) in [
        ("h1", "0", json!({ "completion": 12.0 }), json!({ "completion": 20.0 })),
        ("h2", "1", json!({ "completion": 20.0 }), json!({ "completion": 12.0 })),
        (
            "h3",
            "1",
            second("second-host"),
            json!({ "sufferage": 0.0, "completion": 12.0, "second-host": 12.0 }),
        ),
        (
            "xsufferage",
            "1",
            second("second-cluster"),
            json!({ "sufferage": 0.0, "completion": 12.0, "second-cluster": 12.0 }),
        ),
        (
            "h4",
            "1",
            json!({ "jump": 45.0, "clusters-before": 1 }),
            json!({ "jump": null, "clusters-before": null }),
        ),
        (
            "h9",
            "1",
            json!({ "clusters-before": 1, "jump": 45.0 }),
            json!({ "clusters-before": null, "jump": null }),
        ),
        (
            "h12",
            "1",
            json!({ "min-min-end": 32.0, "max-min-end": 20.0, "completion": 20.0 }),
            json!({ "completion": 12.0 }),
        ),
    ] {
        let (found, said) = explained(&place, heuristic, task);
        assert_eq!((&found["compared"], &found["tie"]), (&compared, &Value::Null), "{heuristic}: {found}");
        assert_eq!(found["next"]["compared"], of_next, "{heuristic}: {found}");
        assert!(said.contains("Its heuristic compared "), "{heuristic}: {said}");
        assert!(said.contains(" would have been next: "), "{heuristic}: {said}");
    }
    let (found, said) = explained(&place, "h9", "1");
    assert_eq!((&found["rank"], &found["next"]["rank"]), (&json!([-1.0, 45e9]), &json!([-4.0, 0.0])));
    assert!(said.contains("Its heuristic compared clusters before its jump 1, its jump 45 s."), "{said}");
}

#[test]
fn rules_of_order_and_of_chance_say_so() {
    let place = two_tasks();
    let (found, said) = explained(&place, "h10", "1");
    assert_eq!(
        (&found["compared"], &found["tie"]),
        (&json!({ "completion": 32.0 }), &json!("first-in-order"))
    );
    assert!(said.contains("It was the first in order"), "{said}");
    let (found, _) = explained(&place, "h11", "1");
    assert_eq!(found["compared"], json!({ "free-from": 0.0 }));
    let (found, _) = explained(&place, "h7", "1");
    assert_eq!((&found["drawn-from"], &found["compared"]["sufferage"]), (&json!(1), &json!(45.0)));
    let (found, said) = explained(&place, "h0", "1");
    assert_eq!((&found["among"], &found["tie"]), (&json!(1), &json!("first-in-order")));
    assert!(said.contains("Nothing was planned: host `h1` was idle at 00:00:00"), "{said}");
    let (found, _) = explained(&place, "data-aware-workqueue", "0");
    assert_eq!((&found["among"], &found["compared"]), (&json!(2), &json!({ "bytes-there": 0 })));
}

#[test]
fn the_time_of_processors_in_the_summary_is_that_of_the_spans_of_its_hosts() {
    let place = Place::new();
    let scenario = "title = 'time'\nseed = 4\n\
        [[platform.cluster]]\nname = 'a'\nhosts = 2\ncores = 2\nlink = { bandwidth = '10kBps', latency = '1s' }\n\
        failures = { up = { kind = 'exponential', mean = '100s' }, down = '20s' }\n\
        [[platform.cluster]]\nname = 'b'\nhosts = 2\nlink = { bandwidth = '5kBps' }\navailability = 0.4\n\
        [application]\nkind = 'generated'\ntasks = 20\ntime = '15s'\noutput = '5kB'\n\
        files = [{ name = 'big', sharing = { chunk = 5 }, size = '50kB' }, { name = 'own', sharing = 'private', size = '3kB' }]\n\
        [scheduler]\nkind = 'plan'\ninterval = '40s'\nduplicate = true\n";
    place.file("s.toml", scenario);
    assert_eq!(place.run(&["run", "s.toml", "-o", "out", "-q", "--no-progress"]).status, 0);
    let summary: Value = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    let is = |metric: &str| summary["metrics"][metric]["value"].as_f64().unwrap();
    let mut seconds: Vec<(String, f64)> = Vec::new();
    for host in ["a-0", "a-1", "b-0", "b-1"] {
        let found = place.run(&["run", "s.toml", "--explain", host, "--json", "--no-progress"]);
        let found: Value = serde_json::from_str(&found.stdout).unwrap();
        let of_host = found["explanation"]["seconds"].as_object().unwrap();
        seconds.extend(of_host.iter().map(|(used, seconds)| (used.clone(), seconds.as_f64().unwrap())));
    }
    let sum = |uses: &[&str]| -> f64 {
        seconds.iter().filter(|(used, _)| uses.contains(&used.as_str())).map(|(_, seconds)| seconds).sum()
    };
    let whole: f64 = seconds.iter().map(|(_, seconds)| seconds).sum();
    assert!((whole - 6.0 * is("makespan")).abs() < 1e-6, "{whole}");
    for (part, uses) in [
        ("computing", &["computes"][..]),
        ("waiting", &["waits-for-file"]),
        ("idle", &["no-task", "not-first", "nothing-left"]),
        ("lost", &["lost"]),
        ("absent", &["absent"]),
        ("discarded", &["discarded"]),
    ] {
        let share = is(&format!("processor-time.{part}"));
        assert!((share * whole - sum(uses)).abs() < 1e-6, "{part}: {share}, {}", sum(uses) / whole);
    }
    assert!(is("processor-time.absent") > 0.0 && is("processor-time.waiting") > 0.0);
}
