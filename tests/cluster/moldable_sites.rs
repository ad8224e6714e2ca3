//! Moldable jobs at sites whose nodes fail or whose processors are reserved, worked by hand.

use std::fs;

use clustersim_testing::program::Place;

/// Two nodes of two processors; node 0 is out of service from 30 to 50 s.
const FAILING: &str = "[cluster.failures]\ntrace = \"nodes.csv\"\n\
                       checkpoint = { interval = \"10s\", cost = \"2s\" }\n";
const OF_TWO: &str = "processors-per-node = 2\n";
const ONE_OUTAGE: &str = "node,from,to\n0,30,50\n";

/// A site of four processors.
#[derive(Clone, Copy)]
struct Case<'a> {
    policy: &'a str,
    /// Keys of `[cluster]`, then tables of it.
    cluster: &'a str,
    /// Tables of `[workload]`.
    workload: &'a str,
    /// Jobs: submission, processors, run time.
    jobs: &'a [(u32, u32, u32)],
    nodes: &'a str,
}

impl Case<'_> {
    /// Runs it, and lets `check` look at it, which has to find nothing.
    fn run(&self) -> Place {
        let place = Place::new();
        let job = |(number, (submit, procs, run)): (usize, &(u32, u32, u32))| {
            format!("{number} {submit} -1 {run} {procs} -1 -1 {procs} {run} -1 1 1 1 1 1 1 -1 -1\n")
        };
        place.file("log.swf", (1..).zip(self.jobs).map(job).collect::<String>());
        place.file("nodes.csv", self.nodes);
        let Case { policy, cluster, workload, .. } = self;
        place.file(
            "scenario.toml",
            format!(
                "title = \"A site\"\n[policy]\n{policy}[cluster]\n{cluster}[workload]\nkind = \"swf\"\n\
                 file = \"log.swf\"\n[workload.moldable]\nlaw = \"linear\"\n{workload}[run]\nuntil = \"1d\"\n"
            ),
        );
        let ran = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 0, "{}", checked.stdout);
        place
    }

    /// Of each run, interrupted ones first: job, processors, start, end.
    fn runs(&self) -> Vec<String> {
        runs(&self.run())
    }
}

fn runs(place: &Place) -> Vec<String> {
    let read = |name: &str| fs::read_to_string(place.path("out").join(name)).unwrap_or_default();
    let rows = |name: &str| -> Vec<Vec<String>> {
        let cells = |line: &str| line.split(',').map(ToOwned::to_owned).collect();
        read(name).lines().skip(1).map(cells).collect()
    };
    let mut all: Vec<String> = rows("attempts.csv")
        .iter()
        .map(|cells| format!("{} on {} {}-{}, keeps {}", cells[0], cells[5], cells[3], cells[4], cells[6]))
        .collect();
    let mut jobs = rows("jobs.csv");
    jobs.sort_by_key(|cells| cells[0].parse::<u32>().unwrap());
    all.extend(jobs.iter().map(|cells| format!("{} on {} {}-{}", cells[0], cells[14], cells[8], cells[10])));
    all
}

fn metric(place: &Place, name: &str) -> f64 {
    let summary = fs::read_to_string(place.path("out").join("summary.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&summary).unwrap();
    json["metrics"][name]["value"].as_f64().unwrap()
}

#[test]
fn a_job_is_molded_again_from_the_work_that_it_has_left_or_keeps_its_size() {
    // on four processors 30 s of work and two checkpoints, of which the failure at 30 leaves 10 s;
    // on the two of node 1 these are 20 s and a checkpoint, to 52, and on one 40 s and three
    let cluster = format!("procs = 4\n{FAILING}{OF_TWO}");
    let case = Case {
        policy: "kind = \"fcfs\"\nmolding = \"earliest-end\"\n",
        cluster: &cluster,
        workload: "",
        jobs: &[(0, 2, 60)],
        nodes: ONE_OUTAGE,
    };
    let place = case.run();
    assert_eq!(runs(&place), ["1 on 0-3 0-30, keeps 20", "1 on 2-3 30-52"]);
    assert!((metric(&place, "processor-time.lost") - 24.0).abs() < 1e-9);
    assert!((metric(&place, "processor-time.checkpoints") - 20.0).abs() < 1e-9);
    let kept = format!("requeue-size = \"kept\"\n{cluster}");
    let kept = Case { cluster: &kept, ..case };
    assert_eq!(kept.runs(), ["1 on 0-3 0-30, keeps 20", "1 on 0-3 50-60"]);
    // a second failure at 45: on two processors 40 s were done of 60, and 10 s more are kept; no
    // node is there, so that it keeps its size
    let twice = Case { nodes: "node,from,to\n0,30,50\n1,45,46\n", ..case };
    let (first, last) = ("1 on 0-3 0-30, keeps 20", "1 on 2-3 46-56");
    assert_eq!(twice.runs(), [first, "1 on 2-3 30-45, keeps 10", last]);
}

#[test]
fn on_nodes_with_memory_a_size_is_one_that_the_nodes_in_service_hold() {
    let cluster = format!("{FAILING}[[cluster.group]]\nnodes = 2\nprocessors = 2\nmemory = \"8GiB\"\n");
    let case = Case {
        policy: "kind = \"fcfs\"\nmolding = \"earliest-end\"\n",
        cluster: &cluster,
        workload: "[[workload.demand]]\nmemory = \"4GiB\"\n",
        jobs: &[(0, 2, 60)],
        nodes: ONE_OUTAGE,
    };
    assert_eq!(case.runs(), ["1 on 0-3 0-30, keeps 20", "1 on 2-3 30-52"]);
}

#[test]
fn the_turn_of_a_job_comes_when_a_head_needs_more_than_is_in_service() {
    // the first needs three processors or more, of which there are two up to 50; the second gets
    // both of them for 20 s
    let cluster = format!("procs = 4\n{FAILING}{OF_TWO}");
    let case = Case {
        policy: "kind = \"easy\"\nmolding = \"fits-now\"\n",
        cluster: &cluster,
        workload: "least-factor = 1\n",
        jobs: &[(0, 1, 12), (31, 3, 16), (32, 1, 20)],
        nodes: ONE_OUTAGE,
    };
    // and the first has all four when node 0 is back, for 12 s and a checkpoint
    assert_eq!(case.runs(), ["1 on 0-3 0-3", "2 on 0-3 50-64", "3 on 2-3 32-42"]);
}

#[test]
fn a_size_is_free_if_it_delays_no_reservation_and_forecasts_go_around_these() {
    // maintenance of all from 40 to 60: the second would end at 45 at the earliest, and is over
    // at 85 on all four; the third overtakes it on four, to 30
    let cluster = "procs = 4\n[[cluster.reservation]]\nat = \"40s\"\nfor = \"20s\"\n";
    let jobs = [(0, 4, 20), (1, 2, 50), (2, 1, 40)];
    let case = Case {
        policy: "kind = \"easy\"\nmolding = \"earliest-end\"\n",
        cluster,
        workload: "",
        jobs: &jobs,
        nodes: "",
    };
    assert_eq!(case.runs(), ["1 on 0-3 0-20", "2 on 0-3 60-85", "3 on 0-3 20-30"]);
    // in order and with the sizes that are free at its turn, the second waits for the end of the
    // maintenance, and the third for that of the second
    let in_order = Case { policy: "kind = \"fcfs\"\nmolding = \"fits-now\"\n", ..case };
    assert_eq!(in_order.runs(), ["1 on 0-3 0-20", "2 on 0-3 60-85", "3 on 0-3 85-95"]);
}

#[test]
fn a_job_that_maintenance_interrupts_is_molded_again() {
    let reservation =
        "[[cluster.reservation]]\nat = \"10s\"\nfor = \"30s\"\nprocessors = 2\nnotice = \"0s\"\n";
    let cluster = format!("procs = 4\n{reservation}");
    let case = Case {
        policy: "kind = \"conservative\"\nmolding = \"earliest-end\"\n",
        cluster: &cluster,
        workload: "",
        jobs: &[(0, 4, 20)],
        nodes: "",
    };
    // two processors for 40 s at once are over before four for 20 s from 40 on
    assert_eq!(case.runs(), ["1 on 0-3 0-10, keeps 0", "1 on 0-1 10-50"]);
    let kept = format!("requeue-size = \"kept\"\n{cluster}");
    assert_eq!(Case { cluster: &kept, ..case }.runs(), ["1 on 0-3 0-10, keeps 0", "1 on 0-3 40-60"]);
}

#[test]
fn nodes_of_a_reservation_are_chosen_by_the_ends_of_the_sizes_that_jobs_have() {
    // on four processors the first is over at 25, before the second, and the maintenance has the
    // higher of its nodes in time; on two, on which it runs after that, it would have been at 50
    let reservation = "[[cluster.reservation]]\nat = \"20s\"\nfor = \"90s\"\nnodes = 1\nnotice = \"0s\"\n";
    let cluster = format!("[[cluster.group]]\nnodes = 3\nprocessors = 2\nmemory = \"8GiB\"\n{reservation}");
    let case = Case {
        policy: "kind = \"fcfs\"\nmolding = \"earliest-end\"\n",
        cluster: &cluster,
        workload: "most = 4\n[[workload.demand]]\nmemory = \"1GiB\"\n",
        jobs: &[(0, 2, 50), (0, 2, 47)],
        nodes: "",
    };
    let place = case.run();
    assert_eq!(runs(&place), ["1 on 0-3 0-20, keeps 0", "1 on 0-1 20-70", "2 on 4-5 0-47"]);
    assert!(metric(&place, "reservations.late").abs() < 1e-9);
}

#[test]
fn an_exact_estimate_is_of_the_size_that_a_job_has_with_the_limit_that_it_has_there() {
    // asked for on one processor, where it may run for 50 s of its 60; on two it may for 30 s, and
    // is over then: the second is booked there, and not at 25
    let place = Place::new();
    let jobs = [(1, 0, 60, 40), (2, 1, 20, 20)];
    let job = |(number, submit, run, request)| {
        format!("{number} {submit} -1 {run} 1 -1 -1 1 {request} -1 1 1 1 1 1 1 -1 -1\n")
    };
    place.file("log.swf", jobs.into_iter().map(job).collect::<String>());
    place.file(
        "scenario.toml",
        "title = \"Exact\"\n[policy]\nkind = \"conservative\"\nestimates = \"exact\"\n\
         molding = \"earliest-end\"\n[cluster]\nprocs = 2\nkill-at-estimate = true\nkill-grace = \"10s\"\n\
         [workload]\nkind = \"swf\"\nfile = \"log.swf\"\n[workload.moldable]\nlaw = \"linear\"\n",
    );
    let ran = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert_eq!(runs(&place), ["1 on 0-1 0-30", "2 on 0-1 30-40"]);
    assert!(metric(&place, "reservations.moved").abs() < 1e-9);
    let checked = place.run(&["check", "out"]);
    assert_eq!(checked.status, 0, "{}", checked.stdout);
}
