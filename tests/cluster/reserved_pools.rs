//! Reservations that hold amounts of pools: worked examples, jobs inside them, and what is refused.

use clustersim_testing::program::Place;

use crate::pools::column;

const TABLE: &str = "[workload]\nkind = \"table\"\nfile = \"jobs.csv\"\n[workload.columns]\nsubmit = \"submit\"\n\
    start = \"submit\"\nend = \"end\"\nprocs = \"cores\"\npools = \"licences\"\ntimes = { unit = \"s\" }\n";

/// A site with two licences, one of which is reserved from 100 on.
fn scenario(policy: &str, reservation: &str) -> String {
    let machine = "procs = 10\npools = { matlab = 2 }";
    format!(
        "title = \"T\"\npolicy = {policy}\n[cluster]\n{machine}\n[[cluster.reservation]]\nat = \"100s\"\n\
         processors = 1\nuse = \"advance\"\n{reservation}\n{TABLE}"
    )
}

/// Starts of jobs, by number, after `check` has agreed.
fn starts(place: &Place, text: &str, jobs: &str) -> Vec<String> {
    place.file("jobs.csv", format!("submit,end,cores,licences\n{jobs}")).file("s.toml", text);
    let run = place.run(&["run", "s.toml", "-o", "out", "--force"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    column(place, "starting_time")
}

/// Job 1 has both until 80. Job 2 wants both for 60, and would have what is reserved from 100 on.
/// Job 3 is over by then; job 5 has the other one. Job 4 runs inside, where job 6 asks for more
/// than there is.
const AHEAD: &str =
    "0,80,1,matlab:2\n10,70,1,matlab:2\n20,40,1,matlab\n30,70,1,matlab\n40,70,1,matlab\n45,50,1,matlab:2\n";

#[test]
fn a_licence_that_is_reserved_is_no_other_jobs_and_planned_with() {
    for (policy, expected) in [
        ("\"fcfs\"", ["0", "150", "210", "100", "210"]),
        ("\"first-fit\"", ["0", "150", "80", "100", "80"]),
        ("\"easy\"", ["0", "150", "80", "100", "80"]),
        ("\"conservative\"", ["0", "150", "80", "100", "80"]),
        (
            "{ kind = \"space-sharing\", backfill = { kind = \"easy\", reservations = 2 } }",
            ["0", "150", "80", "100", "80"],
        ),
    ] {
        let place = Place::new();
        let text = scenario(policy, "for = \"50s\"\njobs = [4, 6]\npools = { matlab = 1 }");
        assert_eq!(starts(&place, &text, AHEAD)[..5], expected, "{policy}");
        assert_eq!(
            column(&place, "reason")[3..],
            ["inside-reservation", column(&place, "reason")[4].as_str(), "no-reservation"]
        );
        let told = place.run(&["run", "s.toml", "-o", "told", "--explain", "2"]).stdout;
        assert!(policy.contains("conservative") || told.contains("reservation 1"), "{policy}: {told}");
    }
    // the same on nodes, where each job asks for memory
    let nodes = "[[cluster.group]]\nnodes = 5\nprocessors = 2\nmemory = \"4GiB\"\n[[workload.demand]]\nmemory = \"1GiB\"\n";
    for policy in ["\"easy\"", "\"conservative\"", "\"first-fit\""] {
        let text = scenario(policy, "for = \"50s\"\njobs = [4, 6]\npools = { matlab = 1 }");
        let text = text.replace("procs = 10\n", "").replace("processors = 1\nuse", "nodes = 1\nuse") + nodes;
        assert_eq!(starts(&Place::new(), &text, AHEAD)[..5], ["0", "150", "80", "100", "80"], "{policy}");
    }
}

/// Nobody knows of the reservation before it begins, and job 1 has both licences until 140. What
/// comes back then is first the reservation's, in which job 2 runs; job 3 gets the other, and job 4
/// both when it is over.
#[test]
fn a_reservation_takes_what_it_lacks_before_any_job() {
    for policy in ["\"fcfs\"", "\"easy\"", "\"conservative\"", "\"first-fit\""] {
        let text = scenario(policy, "for = \"100s\"\njobs = [2]\nnotice = \"0s\"\npools = { matlab = 1 }");
        let jobs = "0,140,1,matlab:2\n50,80,1,matlab\n105,115,1,matlab\n106,116,1,matlab:2\n";
        assert_eq!(starts(&Place::new(), &text, jobs), ["0", "140", "140", "200"], "{policy}");
    }
}

#[test]
fn what_cannot_be_reserved_of_pools_is_refused_at_its_place() {
    let place = Place::new();
    place.file("jobs.csv", format!("submit,end,cores,licences\n{AHEAD}"));
    for (reservation, says) in [
        ("for = \"50s\"\npools = { matlap = 1 }", ["s.toml:11:11", "did you mean `matlab`?"]),
        (
            "for = \"50s\"\npools = { matlab = 3 }",
            ["s.toml:11:11", "3 of pool `matlab` are reserved at once"],
        ),
        ("for = \"50s\"\npools = { matlab = 0 }", ["s.toml:11:20", "expected"]),
        (
            "for = \"50s\"\npools = { matlab = 1 }\n[[cluster.reservation]]\nat = \"120s\"\nfor = \"9s\"\nprocessors = 1\npools = { matlab = 2 }",
            ["s.toml:16:11", "3 of pool `matlab` are reserved at once"],
        ),
    ] {
        place.file("s.toml", scenario("\"easy\"", reservation));
        let output = place.run(&["validate", "s.toml"]);
        assert_eq!(output.status, 2, "{}", output.stdout);
        assert!(says.iter().all(|text| output.stderr.contains(text)), "{says:?}: {}", output.stderr);
    }
    // a site without pools
    let text = scenario("\"easy\"", "for = \"50s\"\npools = { matlab = 1 }");
    let text = text.replace("pools = { matlab = 2 }\n", "").replace("pools = \"licences\"\n", "");
    place.file("s.toml", text);
    assert!(place.run(&["validate", "s.toml"]).stderr.contains("the site has no pool `matlab`"));
}
