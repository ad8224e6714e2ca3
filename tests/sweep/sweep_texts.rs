//! Grids of the template to tables of a scenario and back, and what a scenario with several
//! mistakes says.

use clustersim_testing::program::Place;

/// Clusters and hosts that come, change, leave and return, with series that begin at offsets;
/// latencies change with them.
const GRID: &str = "GridDescription 1
0:ADD_CLUSTER <a> <up> <0>
0:ADD_HOST <a> <a1> <stable_80> <0> <0>
0:ADD_HOST <a> <a2> <tide> <2> <0>
0:ADD_CLUSTER <b> <down> <1>
0:ADD_HOST <b> <b1> <stable_40> <0> <1>
8:REMOVE_CLUSTER <a>
17:CHANGE_CLUSTER_BEHAVIOR <b> <up> <0>
22:REMOVE_HOST <b1>
22:ADD_HOST <b> <b1> <tide> <1> <1>
24:ADD_CLUSTER <a> <down> <2>
24:ADD_HOST <a> <a1> <tide> <0> <0>
45:ADD_HOST <a> <a2> <third> <0> <0>
";

const APPLICATION: &str = "WorkDescription 2 7 6
File: <0> <all> <90000> <80000>
File: <1> <x> <12000> <12000>
File: <2> <y> <7000> <9000>
File: <3> <r0> <10000> <10000>
File: <4> <r1> <20000> <10000>
File: <5> <r2> <5000> <5000>
File: <6> <r3> <5000> <5000>
Work: <0> <2: 0 1> <1 : 3> <2 : 11 15> <2 : 12 16>
Work: <1> <1: 0> <1 : 4> <2 : 13 9> <2 : 9 9>
Work: <2> <2: 0 2> <1 : 5> <2 : 17 20> <2 : 17 21>
Work: <3> <1: 0> <0 : > <2 : 8 8> <2 : 8 8>
14:Work: <4> <1: 0> <1 : 6> <2 : 10 14> <2 : 11 14>
31:Work: <5> <0: > <0 : > <2 : 10 14> <2 : 11 14>
";

fn place() -> Place {
    let place = Place::new();
    place
        .file("g.pstgrid", GRID)
        .file("app.txt", APPLICATION)
        .file("up.txt", "1\n0.5 9000\n")
        .file("down.txt", "3\n100 15000\n0 6000\n40 9000\n")
        .file("tide.txt", "4\n90\n10\n0\n45.5\n")
        .file("third", "0 0.25\n7 0.333\n11 1\n");
    place
}

/// The tables of a run on a platform.
fn ran(place: &Place, platform: &str, heuristic: &str) -> [Vec<u8>; 2] {
    let plans = if heuristic == "h0" { "" } else { "interval = '20s'\nsteal = true\n" };
    let scenario = format!(
        "title = 'texts'\nseed = 3\n{platform}\n[application]\nkind = 'pst'\nfile = 'app.txt'\n[scheduler]\nkind = 'plan'\n\
         heuristic = '{heuristic}'\n{plans}duplicate = true\n[record]\ntransfers = true\n"
    );
    place.file("s.toml", scenario);
    let done = place.run(&["run", "s.toml", "-o", "out", "--force", "--no-progress", "-q"]);
    assert_eq!(done.status, 0, "{}", done.stderr);
    ["out/tasks.csv", "out/transfers.csv"].map(|name| place.read(name))
}

#[test]
fn a_grid_that_becomes_tables_and_a_text_again_runs_as_before() {
    let place = place();
    assert_eq!(place.run(&["convert", "g.pstgrid", "tables.toml"]).status, 0);
    place.file(
        "home.toml",
        "title = 'tables'\ninclude = ['tables.toml']\n[application]\nkind = 'pst'\nfile = 'app.txt'\n",
    );
    let back = place.run(&["convert", "home.toml", "back.pstgrid"]);
    assert_eq!(back.status, 0, "{}", back.stderr);
    assert!(back.stderr.is_empty() || back.stderr.contains("written up to"), "{}", back.stderr);
    assert!(back.stdout.contains("files of behaviours beside it"), "{}", back.stdout);
    for heuristic in ["h0", "h1", "h9", "xsufferage"] {
        let first = ran(&place, "[platform]\nfile = 'g.pstgrid'", heuristic);
        assert_eq!(ran(&place, "include = ['tables.toml']", heuristic), first, "{heuristic}");
        assert_eq!(ran(&place, "[platform]\nfile = 'back.pstgrid'", heuristic), first, "{heuristic}");
    }
}

#[test]
fn a_latency_and_series_of_a_described_platform_become_files() {
    let place = Place::new();
    place.file("half.csv", "time,value\n0,1\n5,0.5\n").file(
        "s.toml",
        "title = 'described'\n[[platform.cluster]]\nname = 'a'\nhosts = 2\nlink = { bandwidth = '10kBps', latency = '250ms' }\n\
         availability-trace = { file = 'half.csv', periodicity = '10s' }\n[application]\nkind = 'generated'\ntasks = 2\ntime = '10s'\n\
         output = '10kB'\nfiles = []\n",
    );
    let done = place.run(&["convert", "s.toml", "a.pstgrid"]);
    assert_eq!((done.status, done.stderr.as_str()), (0, ""));
    let text = |name: &str| String::from_utf8(place.read(name)).unwrap();
    assert_eq!(
        text("a.pstgrid"),
        "GridDescription 1\n0:ADD_CLUSTER <a> <a-1> <0>\n0:ADD_HOST <a> <a-0> <a-0-2> <0> <0>\n".to_owned()
            + "0:ADD_HOST <a> <a-1> <a-0-2> <0> <0>\n"
    );
    assert_eq!(
        (text("a-1.txt"), text("a-0-2.txt")),
        ("1\n250 10000\n".to_owned(), "3\n100\n50\n50\n".to_owned())
    );
    // what is there and differs is not written over
    assert_eq!(place.run(&["convert", "s.toml", "b.pstgrid"]).status, 0);
    place.file("a-1.txt", "1\n0 10000\n");
    let again = place.run(&["convert", "s.toml", "c.pstgrid"]);
    assert!(again.status != 0 && again.stderr.contains("a-1.txt"), "{}", again.stderr);
    assert_eq!(place.run(&["convert", "s.toml", "c.pstgrid", "--force"]).status, 0);
    assert_eq!(text("a-1.txt"), "1\n250 10000\n");
}

#[test]
fn a_contradiction_of_the_scheduler_hides_no_mistake_of_grid_or_application() {
    let place = place();
    place.file("bad.pstgrid", "GridDescription 1\n0:ADD_HOST <nowhere> <h> <stable_100> <0> <0>\n").file(
        "s.toml",
        "title = 'three mistakes'\n[platform]\nfile = 'bad.pstgrid'\n[application]\nkind = 'pst'\nfile = 'nothing.txt'\n\
         [scheduler]\nkind = 'plan'\nheuristic = 'h0'\nfill = 'all'\n",
    );
    let done = place.run(&["run", "s.toml", "-o", "out"]);
    assert_eq!(done.status, 2, "{}", done.stdout);
    for what in ["a workqueue makes no plan", "there is no cluster `nowhere`", "nothing.txt"] {
        assert!(done.stderr.contains(what), "{what}: {}", done.stderr);
    }
}

#[test]
fn no_zero_has_a_sign() {
    let place = Place::new();
    place.file(
        "s.toml",
        "title = 'nothing is sent'\n[[platform.cluster]]\nname = 'a'\nhosts = 1\nlink = { bandwidth = '10kBps' }\nprice = 0.1\n\
         [application]\nkind = 'generated'\ntasks = 3\ntime = '10s'\noutput = '0B'\nfiles = []\n[run]\nbudget = 3\n[record]\ntransfers = true\n",
    );
    let done = place.run(&["run", "s.toml", "-o", "out", "--explain", "1"]);
    assert_eq!(done.status, 0, "{}", done.stderr);
    let explained = place.run(&["run", "s.toml", "--explain", "1", "--json"]);
    let mut all = vec![done.stdout, explained.stdout];
    for name in [
        "summary.json",
        "manifest.json",
        "tasks.csv",
        "clusters.csv",
        "hosts.csv",
        "plans.csv",
        "transfers.csv",
    ] {
        all.push(String::from_utf8(place.read(&format!("out/{name}"))).unwrap());
    }
    for text in all {
        let signed = text.match_indices("-0").find(|(at, _)| {
            let before = text[..*at].chars().next_back().unwrap_or(' ');
            let after = text[at + 2..].chars().next().unwrap_or(' ');
            !before.is_alphanumeric() && !matches!(after, '1'..='9' | '-')
        });
        assert!(signed.is_none(), "{signed:?}: {text}");
    }
}
