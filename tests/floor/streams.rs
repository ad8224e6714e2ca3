//! The signs that a series of subjects has, the same in every system: an overloaded server, host of
//! a sweep, site of graphs and cluster say the same, a steady one says nothing, and a comparison of
//! a saturated point says so with its verdict.

use serde_json::Value;

use clustersim_testing::program::Place;

/// The warning, as terminal and page have it.
const SATURATED: &str = "saturated: work comes faster than it is done";

/// Tasks for servers that these laws and this scheduler give.
fn calls(servers: &str, load: f64, tasks: u32, scheduler: &str) -> String {
    format!(
        "title = \"Calls\"\n[platform]\n[[platform.server]]\nname = \"s\"\nperformance = \"10Mop/s\"\n{servers}\n\
         [platform.queues]\nbandwidth = \"1GBps\"\n[[client]]\nname = \"c\"\ntasks = {tasks}\narrivals.load = {load}\n\
         class = [{{ instructions = {{ kind = \"exponential\", mean = \"20Mop\" }} }}]\n[scheduler]\nkind = \"{scheduler}\"\n"
    )
}

/// Jobs of one processor.
fn jobs(load: f64) -> String {
    format!(
        "title = \"Jobs\"\ncluster.nodes = 2\n[workload]\nkind = \"synthetic\"\njobs = 1200\nsizes = 1\n\
         arrivals = {{ kind = \"exponential\", mean = \"{}s\" }}\nrun-times = {{ kind = \"exponential\", mean = \"20s\" }}\n",
        10.0 / load
    )
}

/// Tasks of a sweep that arrive one after another on two hosts.
fn sweep(load: f64) -> String {
    format!(
        "title = \"A sweep\"\nseed = 4\n[platform]\norigin = \"o\"\n[[platform.cluster]]\nname = \"h\"\nhosts = 2\n\
         link = {{ bandwidth = \"10MBps\" }}\n[application]\nkind = \"generated\"\ntasks = 500\noutput = \"1kB\"\n\
         files = [{{ name = \"f\", sharing = \"private\", size = \"1kB\" }}]\ntime = {{ kind = \"exponential\", mean = \"20s\" }}\n\
         arrivals = {{ kind = \"exponential\", mean = \"{}s\" }}\n[scheduler]\nkind = \"plan\"\nheuristic = \"mct\"\n",
        10.0 / load
    )
}

/// Graphs that arrive one after another on two hosts.
fn graphs(load: f64) -> String {
    format!(
        "title = \"Graphs\"\nseed = 4\n[[platform.cluster]]\nname = \"h\"\ntopology = \"mesh\"\nhosts = 2\nspeed = \"1Gf\"\n\
         bandwidth = \"1GBps\"\n[application]\nkind = \"chain\"\ntasks = 2\ncount = 300\ndata = \"1kB\"\n\
         cost = {{ kind = \"exponential\", mean = \"10Gf\" }}\narrivals = {{ kind = \"exponential\", mean = \"{}s\" }}\n\
         [scheduler]\nkind = \"heft\"\n",
        10.0 / load
    )
}

fn codes(warnings: &Value) -> Vec<&str> {
    warnings.as_array().unwrap().iter().map(|warning| warning["code"].as_str().unwrap()).collect()
}

#[test]
fn every_system_says_that_work_comes_faster_than_it_is_done() {
    let systems: [(&str, &dyn Fn(f64) -> String); 4] = [
        ("calls", &|load| calls("count = 2", load, 1200, "round-robin")),
        ("jobs", &jobs),
        ("sweep", &sweep),
        ("graphs", &graphs),
    ];
    let place = Place::new();
    for (name, text) in systems {
        place.file("over.toml", text(1.6)).file("below.toml", text(0.6));
        let over = place.run(&["run", "over.toml", "-o", "over", "--force"]);
        assert_eq!(over.status, 0, "{name}: {}", over.stderr);
        assert!(over.stdout.contains(&format!(" warning: {SATURATED}")), "{name}: {}", over.stdout);
        let summary: Value = serde_json::from_slice(&place.read("over/summary.json")).unwrap();
        assert!(codes(&summary["warnings"]).contains(&"saturated"), "{name}: {}", summary["warnings"]);
        let page = String::from_utf8(place.read("over/report.html")).unwrap();
        assert!(page.contains(SATURATED), "{name}");
        let below = place.run(&["run", "below.toml", "-o", "below", "--force"]);
        assert_eq!(below.status, 0, "{name}: {}", below.stderr);
        assert!(!below.stdout.contains("saturated") && !below.stdout.contains("warm-up"), "{}", below.stdout);
    }
}

#[test]
fn a_comparison_of_a_saturated_point_says_so_beside_its_verdict() {
    let place = Place::new();
    place.file("a.toml", calls("count = 2", 1.5, 600, "random"));
    let vary =
        ["compare", "a.toml", "--vary", "scheduler=random,round-robin", "--replications", "5", "-o", "out"];
    let compare = place.run(&vary);
    assert_eq!(compare.status, 0, "{}", compare.stderr);
    assert!(compare.stdout.contains("\no saturated, no verdict\n"), "{}", compare.stdout);
    assert!(
        compare.stdout.contains("\nsaturated: at one of the two points more work came"),
        "{}",
        compare.stdout
    );
    let study: Value = serde_json::from_slice(&place.read("out/study.json")).unwrap();
    assert!(
        codes(&study["points"][0]["warnings"]).contains(&"saturated"),
        "{}",
        study["points"][0]["warnings"]
    );
    let pair = &study["comparisons"][0]["pairs_list"][0];
    assert_eq!((&pair["saturated"], &pair["verdict"]), (&true.into(), &"saturated".into()));
}

#[test]
fn a_scheduler_that_goes_by_measurements_and_has_none_is_told_what_to_add() {
    let place = Place::new();
    let two = calls("count = 2", 0.8, 300, "greedy");
    place.file("blind.toml", &two).file("seeing.toml", format!("{two}[monitor.server]\nevery = \"1s\"\n"));
    let blind = place.run(&["run", "blind.toml", "-o", "blind"]).stdout;
    assert!(blind.contains("all tasks went to server `s-0` and waited for each other"), "{blind}");
    assert!(blind.contains("add [monitor.server] with `every`"), "{blind}");
    let seeing = place.run(&["run", "seeing.toml", "-o", "seeing"]).stdout;
    assert!(!seeing.contains("all tasks went to"), "{seeing}");
    // alone there is no other
    place.file("one.toml", calls("", 0.8, 300, "greedy"));
    let one = place.run(&["run", "one.toml", "-o", "one"]).stdout;
    assert!(one.contains("response") && !one.contains("all tasks went to"), "{one}");
}

#[test]
fn plans_that_move_tasks_for_ever_are_told_from_those_that_do_not() {
    let place = Place::new();
    let graph = |period: &str| {
        format!(
            "title = \"Moves\"\nseed = 12\n[[platform.cluster]]\nname = \"g\"\nhosts = 3\nspeed = \"1Gf\"\n\
             bandwidth = \"1MBps\"\nload = {{ kind = \"uniform\", low = 0, high = 0.5, every = \"10s\" }}\n\
             [application]\nkind = \"montage-like\"\nimages = 3\nccr = 2\n[scheduler]\nkind = \"heft\"\n\
             replan = {{ period = \"{period}\" }}\n[prediction]\nkind = \"now\"\n[run]\nlinks = \"ready\"\nuntil = \"2000s\"\n"
        )
    };
    place.file("often.toml", graph("7s")).file("seldom.toml", graph("300s"));
    let often = place.run(&["run", "often.toml", "-o", "often"]).stdout;
    assert!(often.contains(" warning: nothing was computed after "), "{often}");
    let summary: Value = serde_json::from_slice(&place.read("often/summary.json")).unwrap();
    assert_eq!(codes(&summary["warnings"]), ["no-progress"]);
    let seldom = place.run(&["run", "seldom.toml", "-o", "seldom"]).stdout;
    assert!(!seldom.contains("nothing was computed"), "{seldom}");
}
