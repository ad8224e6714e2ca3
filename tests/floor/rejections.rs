//! A rejection says why: what is asked for and what there is, counted by reason wherever the counts
//! stand.

use serde_json::{Value, json};

use clustersim_testing::program::Place;

/// Two kinds of nodes, a queue with a limit, and a log: jobs of one processor and of four on a
/// node, with memory.
const SITE: &str = "title = \"Too much\"\n\
    [[cluster.group]]\nnodes = 2\nprocessors = 4\nmemory = \"8GiB\"\n\
    [[cluster.group]]\nnodes = 1\nprocessors = 4\nmemory = \"20GiB\"\n\
    [workload]\nkind = \"swf\"\nfile = \"log.swf\"\nmemory = \"requested\"\n\
    [policy]\nkind = \"space-sharing\"\nbackfill = \"easy\"\nqueues = [{ name = \"all\", max-run-time = \"1h\" }]\n";

/// A job that asks for so many processors, seconds and KiB of memory a processor.
fn job(number: u32, procs: u32, seconds: u32, memory: u32) -> String {
    format!("{number} {number} -1 60 {procs} -1 -1 {procs} {seconds} {memory} 1 1 -1 -1 -1 -1 -1 -1\n")
}

fn place() -> Place {
    let place = Place::new();
    let gib = 1 << 20;
    let log = [
        job(1, 1, 100, gib),
        job(2, 1, 100, 24 * gib),
        job(3, 13, 100, gib),
        job(4, 1, 7200, gib),
        job(5, 1, 100, 25 * gib),
    ];
    place.file("log.swf", log.concat()).file("site.toml", SITE);
    place
}

#[test]
fn a_job_that_is_rejected_says_what_it_asks_for_and_what_there_is() {
    let place = place();
    for (number, why) in [
        ("2", "it asks for 24 GiB on a node; the largest has 20"),
        ("3", "it asks for 13 processors; the machine has 12"),
        ("4", "it asks for 7200 s; its queue grants at most 3600 s (all)"),
    ] {
        let run = place.run(&["run", "site.toml", "-o", "out", "--force", "--explain", number]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        assert!(run.stdout.contains(why), "job {number}: {}", run.stdout);
    }
}

#[test]
fn rejections_are_counted_by_reason_on_the_terminal_in_the_summary_and_on_the_page() {
    let place = place();
    let run = place.run(&["run", "site.toml", "-o", "out"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let line = " rejected        2  node-memory: it asks for more memory on a node than any has\n";
    assert!(run.stdout.contains(line), "{}", run.stdout);
    let summary: Value = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    let expected = json!([
        { "reason": "node-memory", "count": 2 },
        { "reason": "queue-limit", "count": 1 },
        { "reason": "too-large", "count": 1 },
    ]);
    assert_eq!(summary["rejections"], expected);
    assert_eq!(summary["metrics"]["jobs.rejected"]["value"], 4);
    let page = String::from_utf8(place.read("out/report.html")).unwrap();
    assert!(page.contains("\"rejections\":[{") && page.contains("'rejected: ' + reason"), "{}", page.len());
    let rows = String::from_utf8(place.read("out/jobs.csv")).unwrap();
    assert_eq!(rows.lines().filter(|row| row.ends_with(",node-memory")).count(), 2, "{rows}");
}

#[test]
fn a_task_that_no_server_takes_says_why() {
    let place = Place::new();
    // the server is down from 5 s to the end, and the second task comes at 10 s
    let text = "title = \"Down\"\n[platform]\n[[platform.server]]\nname = \"s\"\nperformance = \"1Mop/s\"\n\
                state-trace = \"down.txt\"\n[platform.queues]\nbandwidth = \"1GBps\"\n[[client]]\nname = \"c\"\ntasks = 2\n\
                arrivals.file = \"at.txt\"\nclass = [{ instructions = \"1Mop\" }]\n[scheduler]\nkind = \"round-robin\"\nretry.times = 0\n\
                [monitor]\nserver.every = \"1s\"\n";
    place.file("a.toml", text).file("down.txt", "0 1\n5 0\n").file("at.txt", "1\n10\n");
    let run = place.run(&["run", "a.toml", "-o", "out", "--explain", "1"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("It was rejected: no server with enough processors was up"),
        "{}",
        run.stdout
    );
    let summary: Value = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    assert_eq!(summary["rejections"], json!([{ "reason": "no-server-up", "count": 1 }]));
}
