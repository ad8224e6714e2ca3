//! Pools beside processors as scenarios say them: worked examples, what is rejected, refused and
//! explained, and what `check` makes of it.

use clustersim_testing::program::Place;

const COLUMNS: &str = "[workload]\nkind = \"table\"\nfile = \"jobs.csv\"\n[workload.columns]\nsubmit = \"submit\"\n\
    start = \"submit\"\nend = \"end\"\nprocs = \"cores\"\npools = \"licences\"\ntimes = { unit = \"s\" }\n";

/// Jobs by (submission, end if they started at once, processors, licences).
const EXAMPLE: &str = "submit,end,cores,licences\n0,100,2,matlab:2\n5,55,8,\n10,40,1,matlab\n15,215,1,\n\
    20,30,1,matlab:3\n21,31,1,\"abaqus:1,matlab:1\"\n";

fn scenario(policy: &str, cluster: &str) -> String {
    format!("title = \"T\"\npolicy = {policy}\n[cluster]\nprocs = 10\n{cluster}\n{COLUMNS}")
}

/// Cells of a column of `jobs.csv`, in order of the jobs.
pub(crate) fn column(place: &Place, name: &str) -> Vec<String> {
    let text = String::from_utf8(place.read("out/jobs.csv")).unwrap().replace("\"abaqus:1,matlab:1\"", "two");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let at = lines.next().unwrap().iter().position(|other| other == name).unwrap();
    let mut rows: Vec<(u64, String)> =
        lines.map(|cells| (cells[0].parse().unwrap(), cells[at].clone())).collect();
    rows.sort();
    rows.into_iter().map(|(_, cell)| cell).collect()
}

#[test]
fn jobs_start_by_processors_and_licences_and_check_agrees() {
    for (policy, starts) in [
        ("\"easy\"", ["0", "5", "100", "55"]),
        ("\"fcfs\"", ["0", "5", "100", "100"]),
        ("\"first-fit\"", ["0", "5", "100", "55"]),
        ("\"conservative\"", ["0", "5", "100", "55"]),
    ] {
        let place = Place::new();
        place.file("jobs.csv", EXAMPLE).file("s.toml", scenario(policy, "pools = { matlab = 2 }"));
        let output = place.run(&["run", "s.toml", "-o", "out", "--explain", "3"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert_eq!(column(&place, "starting_time")[..4], starts, "{policy}");
        assert_eq!(column(&place, "reason")[4..], ["no-such-pool"; 2]);
        assert_eq!(column(&place, "pools"), ["matlab:2", "", "matlab", "", "matlab:3", "two"]);
        let booked = policy.contains("conservative");
        let lacks = "it needs 1 of pool matlab, and none is free";
        let why = if booked { "holds a reservation for 00:01:40" } else { lacks };
        assert!(output.stdout.contains(why), "{policy}: {}", output.stdout);
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
        assert!(checked.stdout.contains("no more of a pool is held than there is"), "{}", checked.stdout);
    }
}

#[test]
fn rejected_jobs_are_explained_with_what_there_is() {
    let place = Place::new();
    place.file("jobs.csv", EXAMPLE).file("s.toml", scenario("\"easy\"", "pools = { matlab = 2 }"));
    for (job, why) in [
        ("5", "it asks for 3 of pool `matlab`, of which there are 2"),
        ("6", "it asks for 1 of pool `abaqus`, which the site has not"),
    ] {
        let output = place.run(&["run", "s.toml", "-o", "none", "--explain", job]);
        assert!(output.stdout.contains(why), "{}", output.stdout);
    }
}

#[test]
fn what_cannot_be_is_refused_at_its_place() {
    let complaint = |text: &str, says: &str| {
        let place = Place::new();
        place.file("jobs.csv", EXAMPLE).file("s.toml", text);
        let output = place.run(&["validate", "s.toml"]);
        assert_eq!(output.status, 2, "{says}: {}", output.stdout);
        assert!(output.stderr.contains(says), "{}", output.stderr);
    };
    complaint(&scenario("\"easy\"", ""), "it is not stated how much there is of the pools");
    let demand = scenario("\"easy\"", "pools = { matlab = 2 }").replace("pools = \"licences\"\n", "");
    let demand = format!("{demand}[[workload.demand]]\npools = {{ matlab = 1 }}\n[[workload.demand]]\n");
    complaint(&format!("{demand}pools = {{ matlap = 1 }}\n"), "s.toml:18:11");
    complaint(&format!("{demand}pools = {{ matlap = 1 }}\n"), "the site has no pool `matlap`");
    complaint(&format!("{demand}pools = {{ matlap = 1 }}\n"), "did you mean `matlab`?");
    let wrong_word = "pools = { matlab = 2 }\non-failed-dependency = \"holt\"";
    complaint(&scenario("\"easy\"", wrong_word), "did you mean `hold`?");
    complaint(&scenario("\"easy\"", "pools = { \"a b\" = 2 }"), "a pool cannot be called `a b`");
    complaint(&scenario("\"easy\"", "pools = { matlab = 0 }"), "expected");
    let place = Place::new();
    let odd = EXAMPLE.replace("matlab:3", "matlab:three");
    place.file("jobs.csv", odd).file("s.toml", scenario("\"easy\"", "pools = { matlab = 2 }"));
    let output = place.run(&["run", "s.toml", "-o", "out"]);
    assert_eq!(output.status, 2, "{}", output.stdout);
    assert!(output.stderr.contains("`matlab:three`, which is no list of pools"), "{}", output.stderr);
}

#[test]
fn demands_of_pools_are_drawn_and_judged_where_nodes_fail_and_have_memory() {
    let text = "title = \"T\"\n[cluster]\npools = { abaqus = 9, matlab = 5 }\n\
        failures = { up = \"2d\", down = \"1h\" }\n[[cluster.group]]\nnodes = 8\nprocessors = 8\nmemory = \"32GiB\"\n\
        [workload]\nkind = \"lublin-feitelson\"\njobs = 150\nload = 0.8\n\
        [[workload.demand]]\nshare = 0.4\nmemory = \"4GiB\"\npools = { matlab = 2 }\n\
        [[workload.demand]]\nshare = 0.5\npools = { abaqus = 4, matlab = 1 }\n";
    for policy in ["easy", "conservative", "first-fit"] {
        let place = Place::new();
        place.file("s.toml", text);
        let output = place.run(&["run", "s.toml", "-q", "-o", "out", "--policy", policy]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let summary = String::from_utf8(place.read("out/summary.json")).unwrap();
        assert!(summary.contains("pools.utilization.max"), "{summary}");
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 0, "{policy}: {}{}", checked.stdout, checked.stderr);
    }
}
