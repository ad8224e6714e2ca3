//! Moldable jobs from a scenario to the files of its run.

use std::fs;

use clustersim_testing::program::Place;

const SCENARIO: &str = "\
title = \"Moldable\"
[cluster]
procs = 10
power = { idle = \"100 W\", busy = \"200 W\" }
[workload]
kind = \"swf\"
file = \"log.swf\"
[workload.moldable]
law = \"linear\"
most = 8
[policy]
kind = \"fcfs\"
molding = \"earliest-end\"
[record]
swf = true
";
/// The jobs of the first example of `molding`, and one that is too large.
const LOG: &str = "\
1 0 -1 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1
2 10 -1 60 2 -1 -1 2 160 -1 1 1 1 1 1 1 -1 -1
3 20 -1 20 1 -1 -1 1 40 -1 1 1 1 1 1 1 -1 -1
4 30 -1 20 11 -1 -1 11 40 -1 1 1 1 1 1 1 -1 -1
";

#[test]
fn files_tell_what_was_asked_for_and_what_was_given() {
    let place = Place::new();
    place.file("scenario.toml", SCENARIO).file("log.swf", LOG);
    let output = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress", "--explain", "2"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let told = "Job 2, 2 processors for 2.667 min, submitted at 00:00:10\n\nGiven 8 processors for 40 s: with them it was to end first, \
                by the estimates at its submission.\n";
    assert!(output.stdout.contains(told), "{}", output.stdout);
    let text = |name: &str| fs::read_to_string(place.path("out").join(name)).unwrap();
    let csv = text("jobs.csv");
    let rows: Vec<&str> = csv.lines().collect();
    assert!(rows[0].ends_with(",reason,given_number_of_resources,given_time,dedicated_time"), "{}", rows[0]);
    // by the estimates, which are twice the run times, the third takes the 2 processors that the
    // second leaves, after it
    assert_eq!(rows[1], "4,log,rigid,30,11,40,0,REJECTED,,,,,,,,-1,,too-large,11,40,");
    assert_eq!(
        rows[2],
        "1,log,rigid,0,4,200,1,COMPLETED_SUCCESSFULLY,0,50,50,0,50,0.5,0-7,80000,,head,8,100,100"
    );
    assert_eq!(
        rows[3],
        "3,log,rigid,20,1,40,1,COMPLETED_SUCCESSFULLY,50,10,60,30,40,2,8-9,4000,,head,2,20,20"
    );
    assert_eq!(
        rows[4],
        "2,log,rigid,10,2,160,1,COMPLETED_SUCCESSFULLY,50,15,65,40,55,0.916667,0-7,24000,,head,8,40,60"
    );
    let log = text("jobs.swf");
    let lines: Vec<&str> = log.lines().filter(|line| !line.starts_with(';')).collect();
    assert_eq!(lines[1], "2 10 40 15 8 -1 -1 2 40 -1 1 1 1 1 1 1 -1 -1");

    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    let kept = " kept         moldable jobs have sizes that they can have, and run on them for as long as their law says\n";
    assert!(checked.stdout.contains(kept), "{}", checked.stdout);
    let page = text("report.html");
    let again = place.run(&["report", "out"]);
    assert_eq!((again.status, text("report.html") == page), (0, true), "{}", again.stderr);
    for (from, to, told) in [
        (",50,15,65,40,55,", ",50,16,66,40,56,", "it runs for 16 s on 8 processors, and for 60 s on 2"),
        (",8,40,60", ",8,41,60", "its request of 160 s is 41 s on 8 processors"),
        (",8,40,60", ",8,40,61", "it runs for 60 s alone on what it asked for"),
        (",2,160,1,", ",2,161,1,", "it asked for 160 s and not for 161 s"),
        (",0-7,24000,,head,8,40,60", ",0-9,24000,,head,10,32,60", "asked for 2, and cannot run on so many"),
        (",2,160,1,", ",8,160,1,", "the workload has no such job with this size and submission"),
    ] {
        assert!(csv.contains(from), "{from}");
        fs::write(place.path("out/jobs.csv"), csv.replace(from, to)).unwrap();
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 1, "{to}");
        assert!(checked.stdout.contains(told), "{to}: {}", checked.stdout);
    }
}

/// A random workload whose users also kill, cancel and wait for jobs.
const RANDOM: &str = "\
title = \"R\"
[cluster]
procs = 24
mpl = MPL
kill-at-estimate = true
kill-grace = \"30s\"
[workload]
kind = \"synthetic\"
jobs = 150
arrivals = { kind = \"exponential\", mean = \"5min\" }
sizes = { kind = \"log-uniform\", low = 1, high = 24 }
run-times = { kind = \"hyperexponential\", mean = \"30min\", cv = 2 }
estimates = { kind = \"uniform\", low = 1, high = 3 }
patience = { kind = \"exponential\", mean = \"3h\" }
dependencies = \"after.csv\"
load = 0.8
[workload.moldable]
law = LAW
share = \"70 %\"
least = 2
most-factor = 3
SIZES
[policy]
POLICY
";

#[test]
fn every_rule_under_every_policy_passes_the_validator_that_reads_the_files() {
    let place = Place::new();
    place.file("after.csv", "job,kind,on\n9,after-any,3\n30,after-ok,21\n31,after-any,30\n");
    let laws = [
        "{ kind = \"downey\", parallelism = 1.5, variance = 0.7 }",
        "{ kind = \"downey\", variance = 2.5 }",
        "{ kind = \"amdahl\", serial = 0.1 }",
        "{ kind = \"power\", exponent = 0.7 }",
        "\"linear\"",
    ];
    let policies = [
        ("kind = \"fcfs\"", true),
        ("kind = \"easy\"", true),
        ("kind = \"conservative\"", false),
        ("kind = \"best-fit\"", false),
        ("kind = \"easy-plus-plus\"", true),
        ("kind = \"space-sharing\"\nestimates = \"phi\"", true),
        ("kind = \"space-sharing\"\nqueue = \"priority\"", true),
    ];
    let gang = "kind = \"bmgs\"\nquantum = \"100s\"\nmolding = \"efficient\"".to_owned();
    let mut cases = vec![(gang, 3)];
    for (policy, head) in policies {
        for molding in ["earliest-end", "{ kind = \"efficient\", at-least = 0.7 }", "fits-now"] {
            if head || molding != "fits-now" {
                let molding =
                    if molding.starts_with('{') { molding.to_owned() } else { format!("\"{molding}\"") };
                cases.push((format!("{policy}\nmolding = {molding}"), 1));
            }
        }
    }
    for (number, (policy, level)) in cases.iter().enumerate() {
        let sizes = if number % 2 == 0 { "sizes = \"powers-of-two\"" } else { "" };
        let text = RANDOM.replace("MPL", &level.to_string()).replace("LAW", laws[number % laws.len()]);
        place.file("s.toml", text.replace("SIZES", sizes).replace("POLICY", policy));
        let output = place.run(&["run", "s.toml", "-o", "out", "--force", "--no-progress"]);
        assert_eq!(output.status, 0, "{policy}: {}", output.stderr);
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 0, "{policy}: {}{}", checked.stdout, checked.stderr);
        assert!(checked.stdout.contains(" kept         moldable jobs"), "{policy}: {}", checked.stdout);
        let csv = fs::read_to_string(place.path("out/jobs.csv")).unwrap();
        let fields = csv.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        assert!(fields.filter(|row| row[4] != row[18]).count() > 10, "{policy}");
        let page = fs::read(place.path("out/report.html")).unwrap();
        assert_eq!(place.run(&["report", "out"]).status, 0);
        assert_eq!(place.read("out/report.html"), page, "{policy}");
    }
}

#[test]
fn whoever_is_given_what_it_asks_for_leaves_the_files_of_rigid_jobs() {
    let place = Place::new();
    let rigid = SCENARIO.replace("[workload.moldable]\nlaw = \"linear\"\nmost = 8\n", "");
    let rigid = rigid.replace("molding = \"earliest-end\"\n", "");
    place.file("rigid.toml", &rigid).file("log.swf", LOG);
    place.file("asked.toml", SCENARIO.replace("earliest-end", "as-requested"));
    place.file("silent.toml", SCENARIO.replace("molding = \"earliest-end\"\n", ""));
    for name in ["rigid", "asked", "silent"] {
        let output = place.run(&["run", &format!("{name}.toml"), "-o", name, "--no-progress"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        // the header names the scenario
        let lines = |name: &str| {
            let text = String::from_utf8(place.read(&format!("{name}/jobs.swf"))).unwrap();
            text.lines().filter(|line| !line.starts_with(';')).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(place.read(&format!("{name}/jobs.csv")), place.read("rigid/jobs.csv"), "{name}");
        assert_eq!(lines(name), lines("rigid"), "{name}");
    }
}

#[test]
fn which_jobs_are_moldable_is_drawn_from_a_stream_of_its_own() {
    let place = Place::new();
    let text = RANDOM.replace("MPL", "1").replace("LAW", "\"linear\"").replace("SIZES", "");
    let text = text.replace("dependencies = \"after.csv\"\n", "");
    let asked = |share: &str| {
        let text = text.replace("70 %", share).replace("POLICY", "kind = \"fcfs\"\nmolding = \"efficient\"");
        place.file("s.toml", text);
        let output = place.run(&["run", "s.toml", "-o", "out", "--force", "--no-progress"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let csv = fs::read_to_string(place.path("out/jobs.csv")).unwrap();
        let mut rows: Vec<Vec<String>> =
            csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect();
        rows.sort();
        let molded = rows.iter().filter(|row| row[4] != row[18]).count();
        (rows.iter().map(|row| row[..6].to_vec()).collect::<Vec<_>>(), molded)
    };
    let (all, none) = (asked("100 %"), asked("0 %"));
    let some = asked("30 %");
    assert_eq!((&all.0, &some.0), (&none.0, &none.0), "the same jobs ask for the same");
    assert_eq!(none.1, 0);
    assert!(some.1 > 0 && some.1 < all.1, "{} of {}", some.1, all.1);
}
