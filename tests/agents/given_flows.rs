//! Given flows: SimGrid's completion times out of scenarios, failures, other networks, and what is
//! wrong with those that cannot be.

use std::fmt::Write as _;

use serde_json::Value as Json;

use clustersim_testing::program::{Place, repository};

/// Two hosts `a` and `b` with a link of 10 MB/s between them, and a third without a route.
const PAIR: &str = "title = \"Flows\"\n[platform]\n\
    host = [{ name = \"a\", speed = \"1Gf\" }, { name = \"b\", speed = \"1Gf\" }, { name = \"c\", speed = \"1Gf\" }]\n\
    link = [{ name = \"wire\", bandwidth = \"10MBps\" }]\n\
    route = [{ from = \"a\", to = \"b\", links = [\"wire\"] }]\n";

/// A reference case as a scenario, and its flows as a file.
fn scenario(case: &Json) -> (String, String) {
    let mut text = format!("title = {}\nflows = \"flows.csv\"\n", case["name"]);
    let text_of = |value: &Json| value.as_str().unwrap().to_owned();
    let list = |value: &'_ Json| value.as_array().unwrap().clone();
    let routes = list(&case["platform"]["routes"]);
    let mut hosts: Vec<String> = Vec::new();
    for end in routes.iter().flat_map(|route| [&route["src"], &route["dst"]]) {
        if !hosts.contains(&text_of(end)) {
            hosts.push(text_of(end));
        }
    }
    for host in hosts {
        write!(text, "[[platform.host]]\nname = \"{host}\"\nspeed = \"1Gf\"\n").unwrap();
    }
    for link in list(&case["platform"]["links"]) {
        let sharing = if link["policy"] == "FATPIPE" { "fatpipe" } else { "shared" };
        let (bandwidth, latency) = (&link["bandwidth"], link["latency"].as_f64().unwrap() * 1e9);
        write!(
            text,
            "[[platform.link]]\nname = {}\nbandwidth = \"{bandwidth}Bps\"\nlatency = \"{latency:.0}ns\"\nsharing = \"{sharing}\"\n",
            link["name"]
        )
        .unwrap();
    }
    for route in &routes {
        let (from, to, links) = (&route["src"], &route["dst"], &route["links"]);
        write!(text, "[[platform.route]]\nfrom = {from}\nto = {to}\nlinks = {links}\nsymmetric = false\n")
            .unwrap();
    }
    let mut flows = "name,from,to,size,start,rate-cap\n".to_owned();
    for flow in list(&case["flows"]) {
        let [name, from, to] = ["id", "src", "dst"].map(|key| text_of(&flow[key]));
        let rate = flow["rate"].as_f64().map(|rate| rate.to_string()).unwrap_or_default();
        writeln!(flows, "{name},{from},{to},{},{},{rate}", flow["bytes"], flow["start"]).unwrap();
    }
    (text, flows)
}

/// The rows of `flows.csv`, by column.
fn rows(place: &Place, file: &str) -> Vec<Vec<String>> {
    let text = String::from_utf8(place.read(file)).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("flow,from,to,size,rate-cap,start,end,time,rate,state,reason"));
    lines.map(|line| line.split(',').map(ToOwned::to_owned).collect()).collect()
}

#[test]
fn scenarios_of_flows_complete_when_simgrid_says() {
    let mut files: Vec<_> =
        std::fs::read_dir(repository("tests/data/flows")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 17);
    for file in files {
        let case: Json = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let place = Place::new();
        let (text, flows) = scenario(&case);
        place.file("case.toml", text).file("flows.csv", flows);
        let output = place.run(&["run", "case.toml", "-o", "out", "-q"]);
        assert_eq!(output.status, 0, "{}: {}", case["name"], output.stderr);
        let (rows, tolerance) = (rows(&place, "out/flows.csv"), case["tolerance_rel"].as_f64().unwrap());
        let completions = case["completion"].as_array().unwrap();
        assert_eq!(rows.len(), completions.len());
        for (row, completion) in rows.iter().zip(completions) {
            let (found, expected) = (row[6].parse::<f64>().unwrap(), completion["simgrid"].as_f64().unwrap());
            assert_eq!((row[0].as_str(), row[9].as_str()), (completion["id"].as_str().unwrap(), "completed"));
            let off = (found - expected).abs();
            assert!(off <= tolerance * expected, "{} {}: {found}, not {expected}", case["name"], row[0]);
        }
    }
}

/// 100 MB and 50 MB share 10 MB/s until 10 s; a third has 2 MB/s of it from 20 s on.
#[test]
fn flows_are_written_in_the_scenario_too_and_measured_everywhere() {
    let place = Place::new();
    let flows = "[[flows.flow]]\nfrom = \"a\"\nto = \"b\"\nsize = \"100MB\"\n\
         [[flows.flow]]\nname = \"short\"\nfrom = \"a\"\nto = \"b\"\nsize = \"50MB\"\n\
         [[flows.flow]]\nfrom = \"b\"\nto = \"a\"\nsize = \"10MB\"\nstart = \"20s\"\nrate-cap = \"2MBps\"\n\
         [expect]\n\"flow-time.max\" = \"<= 15s\"\n\"flows.completed\" = \">= 3\"\n";
    place.file("flows.toml", format!("{PAIR}{flows}"));
    let output = place.run(&["run", "flows.toml", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    for words in ["flows        3 completed", "flow time   10 s   15 s", "transfers    3, 160,000,000 B"] {
        assert!(output.stdout.contains(words), "{words}: {}", output.stdout);
    }
    assert!(!output.stdout.contains("tasks"), "there are no agents: {}", output.stdout);
    let found: Vec<String> = rows(&place, "out/flows.csv").iter().map(|row| row.join(",")).collect();
    let expected = [
        "flow-0,a,b,100000000,,0,15,15,6666666.666666667,completed,",
        "short,a,b,50000000,,0,10,10,5000000,completed,",
        "flow-2,b,a,10000000,2000000,20,25,5,2000000,completed,",
    ];
    assert_eq!(found, expected);
    let summary: Json = serde_json::from_slice(&place.read("out/summary.json")).unwrap();
    let metric = |name: &str| summary["metrics"][name]["value"].clone();
    assert_eq!(
        [metric("flows.completed"), metric("flows.failed"), metric("flows.unfinished")],
        [3, 0, 0].map(Json::from)
    );
    assert_eq!(
        [metric("flow-time.mean"), metric("flow-time.max"), metric("makespan")],
        [10.0, 15.0, 25.0].map(Json::from)
    );
    let report = String::from_utf8(place.read("out/report.html")).unwrap();
    assert!(report.contains("[\"short\",\"a\",\"b\","), "the report has the flows");
    let broken =
        place.run(&["run", "flows.toml", "-o", "slow", "--set", "flows.flow.short.size=\"60MB\"", "-q"]);
    assert_eq!(broken.status, 3, "160 MB in 16 s: {}", broken.stderr);
    let study = place.run(&[
        "compare",
        "flows.toml",
        "--vary",
        "flows.flow.short.size=10MB,50MB",
        "-o",
        "study",
        "--metric",
        "flow-time.mean",
    ]);
    assert!([0, 3].contains(&study.status), "{}", study.stderr);
    assert!(study.stdout.contains("flow time"), "{}", study.stdout);
}

#[test]
fn a_flow_whose_link_or_host_fails_has_a_row_that_says_so() {
    let place = Place::new();
    place.file("down.csv", "time,value\n5,0\n30,1\n");
    place.file(
        "flows.csv",
        "from,to,size,start,name\na,b,100MB,0,cut\na,b,1MB,10,refused\na,b,10MB,40,late\na,a,1GB,1,own\nb,a,30000000,,early\n",
    );
    let text = format!("{PAIR}flows = \"flows.csv\"\n")
        .replace("[platform]\n", "")
        .replace("host =", "platform.host =");
    let text = text.replace("\nlink =", "\nplatform.link =").replace("\nroute =", "\nplatform.route =");
    place.file("flows.toml", &text);
    for (key, reason) in [
        ("platform.link.wire.state-trace", "link `wire` failed"),
        ("platform.host.b.state-trace", "host `b` failed"),
    ] {
        let set = format!("{key}=down.csv");
        let output = place.run(&["run", "flows.toml", "-o", key, "--set", &set]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(output.stdout.contains("2 completed, 3 failed"), "{}", output.stdout);
        let all: Vec<(String, String, String, String)> = rows(&place, &format!("{key}/flows.csv"))
            .into_iter()
            .map(|row| (row[0].clone(), row[6].clone(), row[9].clone(), row[10].clone()))
            .collect();
        let row = |name: &str, end: &str, state: &str, reason: &str| {
            (name.to_owned(), end.to_owned(), state.to_owned(), reason.to_owned())
        };
        let expected = [
            row("cut", "5", "failed", reason),
            row("refused", "10", "failed", reason),
            row("late", "41", "completed", ""),
            row("own", "1", "completed", ""),
            row("early", "5", "failed", reason),
        ];
        assert_eq!(all, expected, "{key}");
    }
    let output = place.run(&["run", "flows.toml", "-o", "cut", "--set", "run.until=3s"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.contains("1 completed, 4 unfinished"), "{}", output.stdout);
}

/// Over two links of 1 MB/s: 1 s as a flow, 1.1 s in packets of 100 kB, 2 s stored and forwarded.
#[test]
fn flows_go_over_every_network() {
    let place = Place::new();
    let text = PAIR.replace(
        "{ name = \"wire\", bandwidth = \"10MBps\" }",
        "{ name = \"wire\", bandwidth = \"1MBps\" }, { name = \"more\", bandwidth = \"1MBps\" }",
    );
    let text = text.replace("[\"wire\"]", "[\"wire\", \"more\"]");
    place.file("flows.toml", format!("{text}[[flows.flow]]\nfrom = \"a\"\nto = \"b\"\nsize = \"1MB\"\n"));
    for (network, end) in
        [("flow", "1"), ("{ kind = \"packet\", size = \"100kB\" }", "1.1"), ("store-and-forward", "2")]
    {
        let set = format!("platform.network={network}");
        let output = place.run(&["run", "flows.toml", "-o", "out", "--force", "-q", "--set", &set]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert_eq!(rows(&place, "out/flows.csv")[0][6], end, "{network}");
    }
    let set =
        ["--set", "platform.network={ kind = \"packet\", size = \"1B\" }", "--set", "flows.flow.0.size=1GB"];
    let output = place.run(&[&["run", "flows.toml", "-o", "more"], &set[..]].concat());
    assert_eq!(output.status, 2, "{}", output.stdout);
    assert!(output.stderr.contains("at most 1e7 were expected"), "{}", output.stderr);
}

#[test]
fn cells_of_a_file_may_be_quoted() {
    let place = Place::new();
    place.file("flows.toml", PAIR.replace("title", "flows = \"flows.csv\"\ntitle"));
    let run = |text: &str, out: &str| {
        place.file("flows.csv", text);
        let output = place.run(&["run", "flows.toml", "-o", out, "-q"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        place.read(&format!("{out}/flows.csv"))
    };
    let plain = run("from,to,size,name\na,b,1MB,x\nb,a,2MB,\n", "plain");
    let quoted =
        "\"from\",\"to\",\"name\",\"size\"\r\n\"a\",\"b\",\"x\",\"1MB\"\r\n# back\r\n b ,a,\"\", \"2MB\"\r\n";
    assert_eq!(run(quoted, "quoted"), plain);
    let named = run("from,to,size,name\na,b,1MB,\"x, \"\"y\"\"\"\n", "named");
    assert!(std::str::from_utf8(&named).unwrap().contains("\n\"x, \"\"y\"\"\",a,b,"), "{named:?}");
}

#[test]
fn mistakes_of_flows_are_reported_where_they_are() {
    let place = Place::new();
    let scenario = |more: &str| PAIR.replace("title", &format!("{more}\ntitle"));
    place.file("file.toml", scenario("flows = \"wrong.csv\""));
    place.file(
        "wrong.csv",
        "from,to,size,start,rate-cap,name\na,d,1MB,0,,x\na,c,1MB,0,,\na,b,many,0,,x\na,b,1,-1,0,y\nb,a,1 ZB,1e30,1MBps,y\n",
    );
    place.file("columns.toml", scenario("flows = \"columns.csv\""));
    place.file("columns.csv", "from,tu,size\na,b,1\n");
    place.file("empty.toml", scenario("flows = \"empty.csv\""));
    place.file("empty.csv", "from,to,size\n");
    place.file("bare.toml", "title = \"no platform\"\nflows = \"empty.csv\"\n");
    place.file("agents.toml", "title = \"no platform\"\n[[agent]]\nhost = \"a\"\nrole = \"server\"\n");
    place.file("none.toml", scenario("flows = \"none.csv\""));
    place.file(
        "inline.toml",
        format!("{PAIR}[[flows.flow]]\nfrom = \"a\"\nto = \"d\"\nsize = \"1MB\"\n[[flows.flow]]\nfrom = \"a\"\nto = \"c\"\nsize = \"1MB\"\nspeed = 1\n"),
    );
    for (file, words) in [
        (
            "file.toml",
            &[
                "wrong.csv:2:3",
                "wrong.csv:3:3",
                "wrong.csv:4:5",
                "wrong.csv:4:13",
                "wrong.csv:5:7",
                "wrong.csv:5:10",
                "wrong.csv:6:5",
                "wrong.csv:6:10",
                "wrong.csv:6:21",
                "no host is called `d`",
                "`0` is no rate cap",
                "two flows are called `x`",
            ][..],
        ),
        ("columns.toml", &["columns.csv:1:6", "there is no column `tu`", "does not name the columns to"]),
        ("empty.toml", &["there are no flows"]),
        ("bare.toml", &["`platform`"]),
        ("agents.toml", &["`platform`"]),
        ("none.toml", &["cannot read `none.csv`: there is no such file"]),
        ("inline.toml", &["unknown key `speed`"]),
    ] {
        let output = place.run(&["validate", file]);
        assert_eq!(output.status, 2, "{file}: {}", output.stdout);
        for words in words {
            assert!(output.stderr.contains(words), "{file}, {words}: {}", output.stderr);
        }
    }
    let text = std::str::from_utf8(&place.read("inline.toml")).unwrap().replace("speed = 1\n", "");
    place.file("inline.toml", text);
    let output = place.run(&["validate", "inline.toml"]);
    for words in ["no host is called `d`", "inline.toml:8:6", "inline.toml:12:6"] {
        assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    }
}

/// A flow takes its half of the link from what agents send, and counts as a transfer.
#[test]
fn flows_share_the_network_with_agents() {
    let place = Place::new();
    let text = PAIR.to_owned()
        + "[[agent]]\nhost = \"a\"\nrole = { kind = \"dispatcher\", tasks = 1, data = \"50MB\", work = \"1Gf\" }\n\
           [[agent]]\nhost = \"b\"\nrole = \"server\"\n[[flows.flow]]\nfrom = \"a\"\nto = \"b\"\nsize = \"50MB\"\n";
    place.file("both.toml", text);
    let output = place.run(&["run", "both.toml", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stdout.contains("tasks        1 computed"), "{}", output.stdout);
    assert_eq!(rows(&place, "out/flows.csv")[0][6], "10", "{}", output.stdout);
}

#[test]
fn the_flows_of_the_shipped_scenario_share_what_the_capped_one_leaves() {
    let place = Place::new();
    let path = repository("scenarios/given-flows.toml");
    let times = |set: &[&str], out: &str| -> Vec<f64> {
        let run = ["run", path.to_str().unwrap(), "-q", "-o", out];
        let output = place.run(&[&run, set].concat());
        assert_eq!(output.status, 0, "{}", output.stderr);
        rows(&place, &format!("{out}/flows.csv")).iter().map(|row| row[7].parse().unwrap()).collect()
    };
    let (as_shipped, slow) =
        (times(&[], "shipped"), times(&["--set", "flows.flow.backup.rate-cap=\"5MBps\""], "slow"));
    let [first, second, third, backup] = as_shipped[..] else { panic!("{as_shipped:?}") };
    assert!(slow[0] < first && slow[1] < second && slow[3] > backup, "{as_shipped:?} and {slow:?}");
    // 40 MB over 10 MB/s and 1.05 ms
    assert!(
        [third, slow[2]].iter().all(|time| (time - 4.001_05).abs() < 1e-6),
        "{as_shipped:?} and {slow:?}"
    );
}
