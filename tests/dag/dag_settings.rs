//! Task graphs by settings of a scenario: forecasters, schedulers that take over, files from and to
//! a home host, and memory.

use clustersim_testing::program::{Place, repository};

#[test]
fn an_explanation_of_a_task_has_spans_candidates_and_ties_as_a_document() {
    let place = Place::new();
    let scenario = repository("scenarios/task-graph.toml");
    let command = ["run", scenario.to_str().unwrap(), "--explain", "t20", "--json", "--no-progress"];
    let output = place.run(&command);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let summary: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let explained = &summary["explanation"];
    let candidates = explained["candidates"].as_array().unwrap();
    assert!(!candidates.is_empty() && explained["ties"].as_u64() >= Some(1), "{explained}");
    assert!(explained["before"].is_u64() && explained["tie"].is_string(), "{explained}");
    let spans = explained["spans"].as_array().unwrap();
    assert!(!spans.is_empty(), "{explained}");
    let text = place.run(&command[..4]).stdout;
    // the text names them one by one
    assert_eq!(text.matches("\n  - from ").count(), spans.len(), "{text}");
}

#[test]
fn forecasts_are_made_by_the_forecasters_that_are_named() {
    let place = Place::new();
    let scenario = repository("scenarios/task-graph.toml");
    let scenario = scenario.to_str().unwrap();
    let listed = place.run(&["list", "forecasters"]);
    assert!(listed.status == 0 && listed.stdout.contains("sliding-median"), "{}", listed.stdout);
    let run = |keys: &str, out: &str| {
        let set = format!("prediction={{kind=\"forecast\"{keys}}}");
        let replan = "scheduler={kind=\"heft\",replan={every=3}}";
        place.run(&["run", scenario, "--set", &set, "--set", replan, "-o", out])
    };
    let plans = ["", ",forecasters=[\"mean\"],every=\"10s\"", ",select=\"mae\",window=5,horizon=3"];
    for (number, keys) in plans.into_iter().enumerate() {
        let done = run(keys, &number.to_string());
        assert!(done.status == 0, "{keys}: {}", done.stderr);
        let judged = place.run(&["check", &number.to_string()]);
        assert!(judged.status == 0, "{keys}: {}", judged.stdout);
    }
    let [battery, mean] = ["0", "1"].map(|run| place.read(&format!("{run}/plans.csv")));
    assert!(battery != mean, "a mean forecasts otherwise than the battery");
    for (keys, part) in [
        (",forecasters=[]", "nothing forecasts"),
        (",forecasters=[\"lust\"]", "did you mean `last`?"),
        (",horizon=0", "a whole number from 1 to 1000"),
    ] {
        let done = run(keys, "wrong");
        assert!(done.status == 2 && done.stderr.contains(part), "{keys}: {}", done.stderr);
    }
}

#[test]
fn a_scheduler_takes_over_from_another() {
    let place = Place::new();
    let scenario = repository("scenarios/task-graph.toml");
    let scenario = scenario.to_str().unwrap();
    let run =
        |set: &str, out: &str| place.run(&["run", scenario, "--set", set, "-o", out, "--explain", "t20"]);
    for (number, (set, cause)) in [
        ("scheduler=[\"sequential\",\"heft\"]", false),
        ("scheduler={kind=\"take-over\",schedulers=[\"sequential\",\"heft\"],switch={after=\"200s\"}}", true),
        ("scheduler={kind=\"take-over\",schedulers=[{kind=\"self-scheduling\",order=\"rank\"},{kind=\"dls\",replan={every=4}}],switch={completions=5}}", true),
        ("scheduler={kind=\"take-over\",schedulers=[\"heft\",\"self-scheduling\"],switch={after=\"1min\"}}", true),
    ]
    .into_iter()
    .enumerate()
    {
        let out = number.to_string();
        let done = run(set, &out);
        assert!(done.status == 0, "{set}: {}", done.stderr);
        assert_eq!(done.stdout.contains("had taken over at"), cause, "{set}: {}", done.stdout);
        let plans = String::from_utf8(place.read(&format!("{out}/plans.csv"))).unwrap();
        assert_eq!(plans.contains("take-over"), cause, "{set}: {plans}");
        let judged = place.run(&["check", &out]);
        assert!(judged.status == 0, "{set}: {}", judged.stdout);
    }
    for (set, part) in [
        ("scheduler=[\"heft\"]", "two are needed"),
        ("scheduler=[\"heft\",\"peftt\"]", "did you mean `peft`?"),
        ("scheduler=[\"heft\",[\"dls\",\"heft\"]]", "cannot stand in such a list"),
        (
            "scheduler={kind=\"take-over\",schedulers=[\"dls\",\"heft\"],switch={after=\"1s\",completions=3}}",
            "`after` and `completions` both say when",
        ),
        (
            "scheduler={kind=\"take-over\",schedulers=[\"dls\",\"heft\"],replan=\"never\"}",
            "unknown key `replan`",
        ),
    ] {
        let done = run(set, "wrong");
        assert!(done.status == 2 && done.stderr.contains(part), "{set}: {}", done.stderr);
    }
    let vary = "scheduler=heft,[\"sequential\",\"heft\"]";
    let compared = place.run(&["compare", scenario, "--vary", vary, "--set", "repeat.replications=2"]);
    // the bound on the gap is missed, by both
    assert!(
        compared.stderr.contains("(scheduler = [\"sequential\", \"heft\"]): expected gap"),
        "{}",
        compared.stderr
    );
}

/// A fork of four and a join, by files that they read and write; the first reads a file that no
/// task writes, the last leaves one.
const FORK: &str = r#"<adag version="3.6" name="fork">
  <job id="first" name="a" runtime="2"><uses name="in" link="input" size="4000000"/><uses name="f" link="output" size="3000000"/></job>
  <job id="b1" name="b" runtime="6"><uses name="f" link="input" size="3000000"/><uses name="g1" link="output" size="1000000"/></job>
  <job id="b2" name="b" runtime="6"><uses name="f" link="input" size="3000000"/><uses name="g2" link="output" size="1000000"/></job>
  <job id="b3" name="b" runtime="6"><uses name="f" link="input" size="3000000"/><uses name="g3" link="output" size="1000000"/></job>
  <job id="b4" name="b" runtime="6"><uses name="f" link="input" size="3000000"/><uses name="in" link="input" size="4000000"/><uses name="g4" link="output" size="1000000"/></job>
  <job id="last" name="c" runtime="2"><uses name="g1" link="input" size="1000000"/><uses name="g2" link="input" size="1000000"/><uses name="g3" link="input" size="1000000"/><uses name="g4" link="input" size="1000000"/><uses name="out" link="output" size="2000000"/></job>
</adag>
"#;

#[test]
fn files_begin_at_home_go_to_a_host_once_and_come_back() {
    let place = Place::new();
    place.file("fork.dax", FORK);
    let scenario = |keys: &str, links: &str| {
        format!(
            "title = \"files\"\n[platform]\n[[platform.cluster]]\nname = \"c\"\ntopology = \"mesh\"\nhosts = 3\n\
             cores = 2\nspeed = \"10Gf\"\nbandwidth = \"1MBps\"\n[application]\nkind = \"dax\"\nfile = \"fork.dax\"\n{keys}\n\
             [scheduler]\nkind = \"heft\"\n[run]\nlinks = \"{links}\"\n[record]\ntransfers = true\n"
        )
    };
    let home = "home = \"c-1\"\nreturn-outputs = true\nfile-cache = true";
    for links in ["planned", "ready", "contention-free"] {
        place.file("files.toml", scenario(home, links));
        for (number, scheduler) in [
            "heft",
            "dcp",
            "dls-dagsim",
            "self-scheduling",
            "random",
            "{kind=\"heft\",replan=\"on-completion\"}",
        ]
        .into_iter()
        .enumerate()
        {
            let (out, set) = (format!("{links}-{number}"), format!("scheduler={scheduler}"));
            let done = place.run(&["run", "files.toml", "--set", &set, "-o", &out]);
            assert!(done.status == 0, "{links} {scheduler}: {}", done.stderr);
            let judged = place.run(&["check", &out]);
            assert!(judged.status == 0, "{links} {scheduler}: {}", judged.stdout);
            let transfers = String::from_utf8(place.read(&format!("{out}/transfers.csv"))).unwrap();
            let to_home = transfers.lines().filter(|row| row.starts_with("last,,fork,out,")).count();
            let tasks = String::from_utf8(place.read(&format!("{out}/tasks.csv"))).unwrap();
            let is_at_home = tasks.lines().any(|row| row.starts_with("last,fork,c-1,"));
            assert_eq!(to_home, usize::from(!is_at_home), "{links} {scheduler}: {transfers}");
        }
    }
    for (keys, part) in [
        ("home = \"c-9\"", "the platform has no host `c-9`"),
        ("return-outputs = true", "there is no `home`"),
        ("home = 3", "`home` cannot be"),
    ] {
        place.file("wrong.toml", scenario(keys, "planned"));
        let done = place.run(&["run", "wrong.toml", "-o", "wrong"]);
        assert!(done.status == 2 && done.stderr.contains(part), "{keys}: {}", done.stderr);
        assert!(done.stderr.contains("wrong.toml:13"), "{keys}: {}", done.stderr);
    }
    // generated graphs have no files with two readers
    let graph = repository("scenarios/task-graph.toml");
    let sets = ["application.file-cache=true", "application.home=grid-3"];
    let done =
        place.run(&["run", graph.to_str().unwrap(), "--set", sets[0], "--set", sets[1], "-o", "drawn"]);
    assert!(done.status == 0 && done.stderr.contains("nothing is saved"), "{}", done.stderr);
    assert!(done.stderr.contains("no files that begin or end at a home host"), "{}", done.stderr);
}

#[test]
fn a_task_that_no_host_has_the_memory_for_is_refused() {
    let place = Place::new();
    let tasks = r#"{"name": "w", "schemaVersion": "1.3", "workflow": {"tasks": [
        {"name": "a", "type": "compute", "runtime": 1, "memoryInBytes": 5000, "parents": [], "children": [], "files": []},
        {"name": "b", "type": "compute", "runtime": 1, "memoryInBytes": 100, "parents": [], "children": [], "files": []}]}}"#;
    place.file("w.json", tasks);
    let scenario = |memory: &str, respect: &str| {
        format!(
            "title = \"memory\"\n[platform]\n[[platform.host]]\nname = \"a\"\nspeed = \"1Gf\"\n\
             properties = {{ memory = \"{memory}\" }}\n[application]\n\
             kind = \"wfformat\"\nfile = \"w.json\"\nmemory = \"{respect}\"\n[scheduler]\nkind = \"heft\"\n"
        )
    };
    for (memory, respect, refused) in [
        ("4000 B", "respect", Some("asks for 5000 bytes of memory")),
        ("a lot", "respect", Some("is no amount of data")),
        ("5000 B", "respect", None),
        ("4000 B", "ignore", None),
    ] {
        place.file("m.toml", scenario(memory, respect));
        let done = place.run(&["run", "m.toml", "-o", &format!("{memory}-{respect}").replace(' ', "")]);
        match refused {
            Some(part) => {
                assert!(done.status == 2 && done.stderr.contains(part), "{memory}: {}", done.stderr);
            }
            None => assert!(done.status == 0, "{memory}: {}", done.stderr),
        }
    }
}

#[test]
fn the_memory_of_a_cluster_counts_and_links_of_hosts_to_themselves_do_not() {
    let place = Place::new();
    let tasks = r#"{"name": "w", "schemaVersion": "1.3", "workflow": {"tasks": [
        {"name": "a", "type": "compute", "runtime": 1, "memoryInBytes": 5000, "parents": [], "children": ["b"]},
        {"name": "b", "type": "compute", "runtime": 1, "memoryInBytes": 100, "parents": ["a"], "children": []}]}}"#;
    place.file("w.json", tasks);
    let scenario = |large: &str| {
        format!(
            "title = \"memory\"\n[[platform.cluster]]\nname = \"small\"\nhosts = 2\nspeed = \"9Gf\"\nbandwidth = \"1MBps\"\n\
             properties = {{ memory = \"4000 B\" }}\nloopback = {{ bandwidth = \"1Bps\" }}\n\
             [[platform.cluster]]\nname = \"large\"\nhosts = 2\nspeed = \"1Gf\"\nbandwidth = \"1MBps\"\n\
             properties = {{ memory = \"{large}\" }}\n\
             [[platform.link]]\nname = \"wire\"\nbandwidth = \"1MBps\"\n[[platform.route]]\nfrom = \"small\"\nto = \"large\"\nlinks = [\"wire\"]\n\
             [application]\nkind = \"wfformat\"\nfile = \"w.json\"\nmemory = \"respect\"\n"
        )
    };
    place.file("m.toml", scenario("4000 B"));
    let refused = place.run(&["run", "m.toml", "-o", "none"]);
    assert!(
        refused.status == 2 && refused.stderr.contains("task `a` asks for 5000 bytes"),
        "{}",
        refused.stderr
    );
    place.file("m.toml", scenario("1 MiB"));
    let done = place.run(&["run", "m.toml", "-o", "out"]);
    assert_eq!(done.status, 0, "{}", done.stderr);
    assert!(
        done.stderr.contains("a link from a host to itself carries nothing of a graph"),
        "{}",
        done.stderr
    );
    let rows = String::from_utf8(place.read("out/tasks.csv")).unwrap();
    assert!(rows.lines().nth(1).unwrap().starts_with("a,w,large-"), "{rows}");
    // a grid of DAGSim whose diagonal has an entry
    place.file(
        "g.grid",
        "DagGrid 1\nhost a 1 0\nhost b 1 0\nlink l 0 1e6 0\npath a b l\npath b a l\npath a a l\n",
    );
    place.file("g.toml", "title = \"g\"\n[platform]\nfile = \"g.grid\"\n[application]\nkind = \"wfformat\"\nfile = \"w.json\"\n");
    let done = place.run(&["run", "g.toml", "-o", "grid"]);
    assert!(done.status == 0 && done.stderr.contains("a link from a host to itself"), "{}", done.stderr);
}

#[test]
fn a_scheduler_without_plans_is_not_said_to_make_them_again() {
    let place = Place::new();
    let text = "title = \"t\"\n[platform]\n[[platform.cluster]]\nname = \"c\"\ntopology = \"mesh\"\nhosts = 3\nspeed = \"1Gf\"\n\
                bandwidth = \"1MBps\"\n[application]\nkind = \"random\"\n";
    for (number, (scheduler, key)) in [
        ("{kind=\"self-scheduling\",replan=\"on-completion\"}", Some("replan")),
        ("{kind=\"self-scheduling\",merge=\"interleave\"}", Some("merge")),
        ("self-scheduling", None),
        ("{kind=\"heft\",replan=\"on-completion\"}", None),
    ]
    .into_iter()
    .enumerate()
    {
        place.file("t.toml", text);
        let (set, out) = (format!("scheduler={scheduler}"), format!("out-{number}"));
        let done = place.run(&["run", "t.toml", "--set", &set, "-o", &out, "--no-progress"]);
        assert_eq!(done.status, 0, "{}", done.stderr);
        let warned = ["replan", "merge"]
            .into_iter()
            .find(|key| (done.stdout.clone() + &done.stderr).contains(&format!("`{key}` has no effect")));
        assert_eq!(warned, key, "{scheduler}: {} {}", done.stdout, done.stderr);
    }
}
