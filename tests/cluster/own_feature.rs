//! A feature of a site of a user's own crate: `examples/own_feature.rs`, as it stands there.

#[path = "../../examples/own_feature.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod example;

use std::fs;

use clustersim::cli;
use clustersim::ids::JobId;
use clustersim::policy::{FeatureSite, FeatureVerdict, OwnFeature};
use clustersim::registry::{Catalogue, Entry, Key, Kind, Registry};
use clustersim::system::standard;
use clustersim_cli::definitions;
use clustersim_testing::program::Place;
use serde_json::Value as Json;

use super::random_sites::{Draws, site};

/// Calls the program that has the feature; gives its exit status.
fn call(place: &Place, words: &[&str]) -> u8 {
    call_of(&example::registry(), place, words)
}

fn call_of(registry: &Registry, place: &Place, words: &[&str]) -> u8 {
    let at = |word: &&str| match word.strip_prefix("./") {
        Some(name) => place.path(name).into_os_string(),
        None => (*word).into(),
    };
    cli::status(registry, std::iter::once("own".into()).chain(words.iter().map(at)))
}

/// Runs a scenario in the place and lets `check` look at it, which has to find nothing.
fn run(place: &Place, name: &str) {
    let (out, text) = (format!("./{name}"), fs::read_to_string(place.path("scenario.toml")).unwrap());
    assert_eq!(call(place, &["run", "./scenario.toml", "-o", &out, "--no-progress", "-q"]), 0, "{text}");
    assert_eq!(call(place, &["check", &out]), 0, "{text}");
}

/// A site of 10 processors whose server has this, and its jobs: number, submission, run time, user;
/// each on two processors.
fn server(jobs: &[(u32, u32, u32, u32)], licences: &str, cluster: &str) -> Place {
    let place = Place::new();
    let job = |(number, submit, run, user): &(u32, u32, u32, u32)| {
        format!("{number} {submit} -1 {run} 2 -1 -1 2 {run} -1 1 {user} 1 1 1 1 -1 -1\n")
    };
    place.file("log.swf", jobs.iter().map(job).collect::<String>());
    place.file("nodes.csv", "node,from,to\n0,50,60\n");
    place.file(
        "scenario.toml",
        format!(
            "title = 'Licences'\n[cluster]\nprocs = 10\n{cluster}[[cluster.site-feature]]\nkind = 'licences'\n{licences}\
             [workload]\nkind = 'swf'\nfile = 'log.swf'\n"
        ),
    );
    place
}

/// A column of a table of a run, in order of its rows.
fn column(place: &Place, file: &str, name: &str) -> Vec<String> {
    let text = fs::read_to_string(place.path("out").join(file)).unwrap();
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().to_owned()).collect()
}

/// Start and end of each job, by number.
fn spans(place: &Place) -> Vec<String> {
    let [number, start, end] =
        ["job_id", "starting_time", "finish_time"].map(|name| column(place, "jobs.csv", name));
    let mut rows: Vec<String> =
        (0..number.len()).map(|row| format!("{}: {}-{}", number[row], start[row], end[row])).collect();
    rows.sort();
    rows
}

const FIVE: [(u32, u32, u32, u32); 5] =
    [(1, 0, 100, 1), (2, 1, 50, 1), (3, 2, 10, 1), (4, 3, 10, 2), (5, 4, 20, 1)];

#[test]
fn licences_are_granted_in_order_of_request_and_others_pass_by() {
    let place = server(&FIVE, "number = 2\nusers = [1]\n", "");
    run(&place, "out");
    assert_eq!(spans(&place), ["1: 0-100", "2: 1-51", "3: 51-61", "4: 3-13", "5: 61-81"]);
    let text = fs::read_to_string(place.path("out").join("features.csv")).unwrap();
    let held = "job_id,submission_time,feature,kind,action,from,to\n\
                3,2,1,licences,held,2,51\n5,4,1,licences,held,4,61\n";
    assert_eq!(text, held);
    let summary = fs::read_to_string(place.path("out").join("summary.json")).unwrap();
    let summary: Json = serde_json::from_str(&summary).unwrap();
    let metric = |name: &str| summary["metrics"][name]["value"].as_f64();
    assert_eq!(metric("licences.waiting.mean"), Some(26.5));
    assert_eq!(metric("licences.waiting.max"), Some(57.0));
    assert_eq!(metric("licences.use"), Some(0.9));
    // rows stand in order of end; the fourth job needs none
    assert_eq!(column(&place, "jobs.csv", "licences.grants"), ["", "1", "1", "1", "1"]);
    let mut waited = column(&place, "jobs.csv", "licences.waited");
    assert_eq!(waited.remove(0), "");
    waited.sort();
    assert_eq!(waited, ["0", "0", "49", "57"]);
}

#[test]
fn a_server_that_starts_its_jobs_passes_those_that_wait() {
    // ten processors: job 3 waits for all of them, behind job 1; job 4 has a licence when job 2
    // ends, and starts before job 3, of which no policy would let it
    let jobs = [(1, 0, 100, 2), (2, 1, 50, 1), (3, 2, 10, 3), (4, 3, 90, 1)];
    let of = |licences: &str| {
        let place = server(&jobs, licences, "");
        let log = fs::read_to_string(place.path("log.swf")).unwrap();
        place.file("log.swf", log.replace("3 2 -1 10 2 -1 -1 2", "3 2 -1 10 10 -1 -1 10"));
        let text = fs::read_to_string(place.path("scenario.toml")).unwrap();
        place.file("scenario.toml", text.replace("[workload]", "[policy]\nkind = 'easy'\n[workload]"));
        run(&place, "out");
        (spans(&place), place)
    };
    let (in_queue, _) = of("number = 1\nusers = [1]\n");
    assert_eq!(in_queue, ["1: 0-100", "2: 1-51", "3: 100-110", "4: 110-200"]);
    let (by_server, place) = of("number = 1\nusers = [1]\nstart = 'server'\n");
    assert_eq!(by_server, ["1: 0-100", "2: 1-51", "3: 141-151", "4: 51-141"]);
    let acts = fs::read_to_string(place.path("out").join("features.csv")).unwrap();
    let rows = "2,1,1,licences,started,1,1\n4,3,1,licences,held,3,51\n4,3,1,licences,started,51,51\n";
    assert!(acts.ends_with(&format!("\n{rows}")), "{acts}");
    assert_eq!(column(&place, "jobs.csv", "reason")[..2], ["by-feature", "head"]);
    // a job that cannot start when it has its licence waits for processors in the list
    let all = [(1, 0, 100, 2), (2, 1, 50, 1)];
    let place = server(&all, "number = 1\nusers = [1]\nstart = 'server'\n", "");
    let log = fs::read_to_string(place.path("log.swf")).unwrap();
    place.file("log.swf", log.replace("-1 100 2 -1 -1 2", "-1 100 10 -1 -1 10"));
    run(&place, "out");
    assert_eq!(spans(&place), ["1: 0-100", "2: 100-150"]);
    assert_eq!(column(&place, "features.csv", "action"), ["held", "started"]);
    assert_eq!(column(&place, "jobs.csv", "licences.waited"), ["", "99"]);
}

#[test]
fn what_a_feature_adds_is_explained_judged_by_none_and_refused_by_some() {
    let registry = example::registry();
    let all = definitions(&registry);
    for (name, about) in [
        ("jobs.csv.licences.waited", "how long it waited for that, all times together [s]"),
        ("licences.waiting.max", "the maximum: grant - request"),
    ] {
        let found: Vec<_> = all.iter().filter(|word| word.name == name).collect();
        assert!(found.len() == 1 && found[0].about == about, "{name}: {found:?}");
    }
    let place = server(&FIVE, "number = 2\nstart = 'server'\n", "");
    run(&place, "out");
    assert_eq!(call(&place, &["report", "./out"]), 0);
    let text = fs::read_to_string(place.path("scenario.toml")).unwrap();
    place.file("scenario.toml", text.replace("[workload]", "[policy]\nkind = 'gang'\n[workload]"));
    let words = ["run", "./scenario.toml", "-o", "./refused", "--no-progress", "-q"];
    assert_eq!(call(&place, &words), 2);
}

#[test]
fn an_interrupted_job_keeps_its_licences_or_asks_anew() {
    let jobs = [(1, 0, 100, 1), (2, 1, 10, 1)];
    let fails = "[cluster.failures]\nprocessors-per-node = 2\ntrace = 'nodes.csv'\n";
    let of = |licences: &str| {
        let place = server(&jobs, licences, fails);
        run(&place, "out");
        spans(&place)
    };
    assert_eq!(of("number = 1\n"), ["1: 50-150", "2: 150-160"]);
    assert_eq!(of("number = 1\nwhen-interrupted = 'return'\n"), ["1: 60-160", "2: 50-60"]);
}

#[test]
fn a_lease_ends_a_run_and_the_licence_goes_on() {
    let place = server(&[(1, 0, 100, 1), (2, 1, 10, 1)], "number = 1\nlease = '30s'\n", "");
    run(&place, "out");
    assert_eq!(spans(&place), ["1: 0-30", "2: 30-40"]);
    assert_eq!(column(&place, "features.csv", "action"), ["held", "ended"]);
    assert_eq!(column(&place, "jobs.csv", "final_state")[0], "COMPLETED_WALLTIME_REACHED");
}

#[test]
fn a_feature_that_never_acts_leaves_the_jobs_as_they_are() {
    let with = server(&FIVE, "number = 5\n", "");
    run(&with, "out");
    let without = server(&FIVE, "", "");
    let text = fs::read_to_string(without.path("scenario.toml")).unwrap();
    without.file("scenario.toml", text.replace("[[cluster.site-feature]]\nkind = 'licences'\n", ""));
    run(&without, "out");
    let jobs = |place: &Place| fs::read_to_string(place.path("out").join("jobs.csv")).unwrap();
    // but for its own columns: each job had its licences at once
    let columns =
        |row: &str| if row.starts_with("job_id") { ",licences.grants,licences.waited" } else { ",1,0" };
    let added: Vec<String> = jobs(&without).lines().map(|row| format!("{row}{}\n", columns(row))).collect();
    assert_eq!(jobs(&with), added.concat());
    assert!(!without.path("out").join("features.csv").exists());
}

#[test]
fn its_mistakes_have_places_and_its_metrics_have_bounds() {
    let wrong = |licences: &str, more: &str| {
        let place = server(&FIVE, licences, "");
        let text = fs::read_to_string(place.path("scenario.toml")).unwrap();
        place.file("scenario.toml", text + more);
        call(&place, &["run", "./scenario.toml", "-o", "./out", "--no-progress", "-q"])
    };
    assert_eq!(wrong("number = 1\nneeds = 2\n", ""), 2);
    assert_eq!(wrong("number = 1\nusers = [7]\n", ""), 2);
    assert_eq!(wrong("number = 1\nneed = 1\n", ""), 2);
    assert_eq!(wrong("number = 2\n", "[expect]\n'licences.waiting.mean' = '< 100'\n"), 0);
    assert_eq!(wrong("number = 2\n", "[expect]\n'licences.waiting.mean' = '< 10'\n"), 3);
    let registry = example::registry();
    let rows = registry.find("site-feature").map(Catalogue::rows).unwrap();
    assert_eq!(rows.iter().map(|row| row.name).collect::<Vec<_>>(), ["licences"]);
}

/// A feature that releases what it does not hold, or never releases.
#[derive(Debug)]
struct Mistaken {
    releases: bool,
}

impl OwnFeature for Mistaken {
    fn name(&self) -> &'static str {
        "mistaken"
    }

    fn considers(&mut self, site: &mut FeatureSite<'_>, job: JobId) -> FeatureVerdict {
        if !self.releases {
            return FeatureVerdict::Hold;
        }
        site.release(job);
        FeatureVerdict::LetIn
    }
}

#[test]
fn a_feature_that_is_mistaken_ends_the_run_with_an_error() {
    const KEYS: &[Key] = &[Key::new("releases", Kind::Flag).about("which")];
    let mut registry = standard();
    registry.add::<dyn OwnFeature>(
        "site-feature",
        Entry {
            name: "mistaken",
            about: "it makes a mistake",
            source: "",
            keys: KEYS,
            build: |params| Ok(Box::new(Mistaken { releases: params.read("releases")? })),
        },
    );
    for releases in ["true", "false"] {
        let place = server(&FIVE, "", "");
        let text = fs::read_to_string(place.path("scenario.toml")).unwrap();
        let text = text.replace("'licences'\n", &format!("'mistaken'\nreleases = {releases}\n"));
        place.file("scenario.toml", text);
        let words = ["run", "./scenario.toml", "-o", "./out", "--no-progress", "-q"];
        assert_eq!(call_of(&registry, &place, &words), 1);
    }
}

#[test]
fn at_sites_that_are_drawn_every_promise_is_kept_with_licences() {
    let more = std::env::var("CLUSTERSIM_SITES").ok().and_then(|count| count.parse().ok());
    for seed in 1..=more.unwrap_or(60) {
        let place = Place::new();
        let mut draws = Draws::new(seed + 7_000);
        site(&place, &mut draws);
        let mut tables = String::new();
        for _ in 0..draws.within(1, 2) {
            let number = draws.within(1, 3);
            tables += &format!("[[cluster.site-feature]]\nkind = 'licences'\nnumber = {number}\n");
            tables += draws.of(&["", "users = [1]\n", "users = [1, 2]\n"]);
            tables += draws.of(&["", "when-interrupted = 'return'\n"]);
            tables += draws.of(&["", "", "lease = '20s'\n"]);
            tables += draws.of(&["", "start = 'server'\n"]);
        }
        let text = fs::read_to_string(place.path("scenario.toml")).unwrap();
        let log = fs::read_to_string(place.path("log.swf")).unwrap();
        let users = |user: u64| log.lines().any(|job| job.split(' ').nth(11) == Some(&user.to_string()));
        if !(users(1) && users(2)) {
            tables = tables.replace("users = [1]\n", "").replace("users = [1, 2]\n", "");
        }
        place.file("scenario.toml", text.replace("[workload]\n", &format!("{tables}[workload]\n")));
        run(&place, "out");
        let jobs = fs::read_to_string(place.path("out").join("jobs.csv")).unwrap();
        run(&place, "again");
        assert_eq!(jobs, fs::read_to_string(place.path("again").join("jobs.csv")).unwrap(), "site {seed}");
    }
}
