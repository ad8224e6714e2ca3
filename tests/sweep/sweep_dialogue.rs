//! Recorded dialogues of parameter sweeps, by the whole program: a replayed run has the same files,
//! and what differs is named.

use clustersim_testing::program::Place;

/// Failures, links between clusters and storages that hold little, as far as `with` says.
fn scenario(scheduler: &str, with: &str) -> String {
    format!(
        r#"title = "dialogue"
seed = 7
[[platform.cluster]]
name = "near"
hosts = 2
link = {{ bandwidth = "20kBps" }}
CAPACITY
[[platform.cluster]]
name = "far"
hosts = 3
availability = 0.5
link = {{ bandwidth = "5kBps" }}
FAILURES
[[platform.link]]
name = "near-far"
bandwidth = "50kBps"
[[platform.route]]
from = "near"
to = "far"
links = ["near-far"]
[application]
kind = "generated"
tasks = 24
time = {{ kind = "uniform", low = "20s", high = "60s" }}
output = "10kB"
files = [{{ name = "shared", sharing = {{ chunk = 6 }}, size = "200kB" }}, {{ name = "own", sharing = "private", size = "20kB" }}]
[record]
transfers = true
dialogue = true
[scheduler]
{scheduler}
"#
    )
    .replace("CAPACITY", if with.contains("limit") { "capacity = \"300kB\"" } else { "" })
    .replace("FAILURES", if with.contains("failures") { "failures = { up = \"200s\", down = \"40s\" }" } else { "" })
}

fn text(place: &Place, name: &str) -> String {
    String::from_utf8(place.read(name)).expect("a text")
}

/// The same scenario with the recorded dialogue in the place of the scheduler.
fn replaying(scenario: &str) -> String {
    let (tables, _) = scenario.split_once("[scheduler]\n").expect("a scheduler");
    format!("{tables}[scheduler]\nkind = \"recorded\"\nfile = \"first/dialogue.jsonl\"\n")
}

#[test]
fn a_replayed_run_has_the_same_files_and_is_lawful() {
    const PLAN: &str = "kind = \"plan\"\ninterval = { kind = \"constant\", every = \"60s\" }";
    for (scheduler, with) in [
        (PLAN.to_owned(), "failures"),
        (format!("{PLAN}\nplanning-time = \"7s\"\nsteal = true"), "failures"),
        (format!("{PLAN}\nduplicate = true\nlinks = \"in-order\""), ""),
        (format!("{PLAN}\nkeep = 2"), "limit"),
        ("kind = \"plan\"\nheuristic = \"workqueue\"\nduplicate = true".to_owned(), "failures"),
        ("kind = \"plan\"\nheuristic = \"data-aware-workqueue\"".to_owned(), "failures, limit"),
    ] {
        let place = Place::new();
        let first = scenario(&scheduler, with);
        place.file("first.toml", &first);
        let output = place.run(&["run", "first.toml", "-o", "first"]);
        assert_eq!(output.status, 0, "{scheduler}: {}", output.stderr);
        place.file("again.toml", replaying(&first));
        let output = place.run(&["run", "again.toml", "-o", "again"]);
        assert_eq!(output.status, 0, "{scheduler}: {}", output.stderr);
        let files =
            ["tasks", "transfers", "files", "hosts", "clusters", "jobs"].map(|table| format!("{table}.csv"));
        for file in files.iter().map(String::as_str).chain(["dialogue.jsonl"]) {
            let [one, other] = ["first", "again"].map(|run| text(&place, &format!("{run}/{file}")));
            assert!(one == other, "{scheduler}, {with}: {file}\n{one}\n{other}");
        }
        let judged = place.run(&["check", "again"]);
        assert_eq!(judged.status, 0, "{scheduler}: {}{}", judged.stdout, judged.stderr);
    }
}

#[test]
fn where_a_run_differs_from_its_dialogue_it_ends() {
    let place = Place::new();
    let first = scenario("kind = \"plan\"", "");
    place.file("first.toml", &first);
    assert_eq!(place.run(&["run", "first.toml", "-o", "first"]).status, 0);
    place.file("again.toml", replaying(&first));
    let output = place.run(&[
        "run",
        "again.toml",
        "--set",
        "platform.cluster.near.link.bandwidth=21kBps",
        "-o",
        "out",
    ]);
    assert_eq!(output.status, 1, "{}", output.stderr);
    for what in [
        "the scheduler cannot go on at ",
        "of `first/dialogue.jsonl` is {\"at\":",
        "\"entry\":\"transfer-done\"",
        "and in its place there is {\"at\":",
    ] {
        assert!(output.stderr.contains(what), "{}", output.stderr);
    }
}

#[test]
fn a_wrong_dialogue_is_reported_at_its_places() {
    let place = Place::new();
    let first = scenario("kind = \"plan\"", "");
    place.file("first.toml", &first);
    assert_eq!(place.run(&["run", "first.toml", "-o", "first"]).status, 0);
    let dialogue = text(&place, "first/dialogue.jsonl");
    place.file("again.toml", replaying(&first));
    let cut = dialogue.len() - 10;
    for (old, new, what) in [
        ("\"host\":\"near-0\"", "\"host\":\"nera-0\"", "first/dialogue.jsonl:1:35"),
        ("\"host\":\"near-0\"", "\"host\":\"nera-0\"", "there is no host `nera-0`"),
        ("{\"at\":0,", "{\"at\":-1,", "first/dialogue.jsonl:1:7"),
        ("{\"at\":0,", "{\"at\":-1,", "`at` is to be seconds from 0"),
        (&dialogue[cut..], "", "first/dialogue.jsonl:"),
        (&dialogue[cut..], "", "the text has no end"),
    ] {
        place.file("first/dialogue.jsonl", dialogue.replacen(old, new, 1));
        let output = place.run(&["run", "again.toml", "-o", "out"]);
        assert_eq!(output.status, 2, "{what}: {}", output.stderr);
        assert!(output.stderr.contains(what), "{what}: {}", output.stderr);
    }
    let none = replaying(&first).replace("first/dialogue.jsonl", "none.jsonl");
    place.file("none.toml", none);
    let output = place.run(&["run", "none.toml", "-o", "out"]);
    assert!(output.status == 2 && output.stderr.contains("cannot read `none.jsonl`"), "{}", output.stderr);
}
