//! Features of a site that meet: limits of time, failures, and what users do, worked by hand.

use std::fs;

use clustersim_testing::program::Place;

/// Two nodes of two processors; node 0 is out of service from 30 to 50 s.
const FAILING: &str = "[cluster.failures]\nprocessors-per-node = 2\ntrace = \"nodes.csv\"\n";
const ONE_OUTAGE: &str = "node,from,to\n0,30,50\n";

/// A site of 4 processors and its jobs.
#[derive(Clone, Copy, Default)]
struct Case<'a> {
    /// Jobs: number, submission, processors, run time, request.
    jobs: &'a [(u32, u32, u32, u32, u32)],
    /// Keys of `[cluster]`, then tables of it.
    cluster: &'a str,
    workload: &'a str,
    policy: &'a str,
    files: &'a [(&'a str, &'a str)],
}

/// Outcomes of jobs: of each its number, its last run, and its state; then of each run that was
/// interrupted its job and its time.
type Became = (Vec<String>, Vec<String>);

fn of(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|&part| part.to_owned()).collect()
}

impl Case<'_> {
    fn scenario(&self) -> Place {
        let place = Place::new();
        let job = |(number, submit, procs, run, request): &(u32, u32, u32, u32, u32)| {
            format!("{number} {submit} -1 {run} {procs} -1 -1 {procs} {request} -1 1 1 1 1 1 1 -1 -1\n")
        };
        place.file("log.swf", self.jobs.iter().map(job).collect::<String>());
        for (name, text) in self.files {
            place.file(name, text);
        }
        let policy = if self.policy.is_empty() { "\"easy\"" } else { self.policy };
        let text = format!(
            "title = \"A site\"\npolicy = {policy}\n[cluster]\nprocs = 4\n{}[workload]\nkind = \"swf\"\n\
             file = \"log.swf\"\nestimate-floor = \"none\"\n{}[run]\nuntil = \"1d\"\n",
            self.cluster, self.workload
        );
        place.file("scenario.toml", text);
        place
    }

    /// Runs it, and lets `check` look at it, which has to find nothing.
    fn run(&self) -> Became {
        let place = self.scenario();
        let ran = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 0, "{}", checked.stdout);
        let read = |name: &str| fs::read_to_string(place.path("out").join(name)).unwrap_or_default();
        let rows = |text: &str| -> Vec<Vec<String>> {
            let cells = |line: &str| line.split(',').map(ToOwned::to_owned).collect();
            text.lines().skip(1).map(cells).collect()
        };
        let mut jobs = rows(&read("jobs.csv"));
        jobs.sort_by_key(|cells| cells[0].parse::<u32>().unwrap());
        let short = |state: &str| match state {
            "COMPLETED_SUCCESSFULLY" => "ended",
            "COMPLETED_WALLTIME_REACHED" => "killed",
            "COMPLETED_FAILED" => "lost",
            "CANCELLED" => "cancelled",
            _ => "rejected",
        };
        let job =
            |cells: &Vec<String>| format!("{} {}-{} {}", cells[0], cells[8], cells[10], short(&cells[7]));
        let attempt = |cells: &Vec<String>| format!("{} {}-{}", cells[0], cells[3], cells[4]);
        (jobs.iter().map(job).collect(), rows(&read("attempts.csv")).iter().map(attempt).collect())
    }
}

#[test]
fn a_limit_is_of_the_time_with_processors_in_each_run_checkpoints_included() {
    // a checkpoint of 2 s after 10 s of work: the first would have its processors for 35 + 3 x 2 s,
    // and may for 40; interrupted at 30, it keeps 20 s, and has 15 + 2 s to go
    let cluster =
        format!("kill-at-estimate = true\n{FAILING}checkpoint = {{ interval = \"10s\", cost = \"2s\" }}\n");
    let jobs = [(1, 0, 2, 35, 40), (2, 1, 4, 10, 10), (3, 2, 2, 100, 60)];
    let case =
        Case { jobs: &jobs, cluster: &cluster, files: &[("nodes.csv", ONE_OUTAGE)], ..Case::default() };
    // its second run has 40 s again; the third may have its processors for 60 s, which is what is
    // planned
    let (ran, interrupted) = case.run();
    assert_eq!(ran, of(&["1 30-47 ended", "2 107-117 ended", "3 47-107 killed"]));
    assert_eq!(interrupted, of(&["1 0-30"]));
    // of all runs together it has 10 s left, of which it needs 17
    let cluster = cluster.replace("true\n", "true\nlimit-of = \"job\"\n");
    let (ran, _) = Case { cluster: &cluster, ..case }.run();
    assert_eq!(ran, of(&["1 30-40 killed", "2 100-110 ended", "3 40-100 killed"]));
    // uninterrupted it is killed when its last checkpoint is written and a second of work is left
    let never = Case { files: &[("nodes.csv", "node,from,to\n")], cluster: &cluster, ..case };
    assert_eq!(never.run().0[0], "1 0-40 killed");
}

#[test]
fn plans_take_the_lesser_of_an_estimate_with_checkpoints_and_the_limit() {
    // the first requests 30 s, which with two checkpoints are 34, and may have its processors for
    // 30: the head is promised 30; the third would be over at 31, and the fourth is over by then
    let cluster =
        format!("kill-at-estimate = true\n{FAILING}checkpoint = {{ interval = \"10s\", cost = \"2s\" }}\n");
    let jobs = [(1, 0, 2, 50, 30), (2, 1, 4, 10, 10), (3, 21, 2, 10, 10), (4, 22, 2, 8, 8)];
    let files = [("nodes.csv", "node,from,to\n")];
    let case = Case { jobs: &jobs, cluster: &cluster, files: &files, ..Case::default() };
    assert_eq!(case.run().0, of(&["1 0-30 killed", "2 30-40 ended", "3 40-50 ended", "4 22-30 ended"]));
}

#[test]
fn a_job_that_waits_again_has_its_old_place_or_the_last_one_and_may_be_delayed() {
    let jobs = [(1, 0, 2, 40, 40), (2, 1, 2, 60, 60), (3, 5, 2, 20, 20)];
    let with = |keys: &str| {
        let cluster = format!("{keys}{FAILING}");
        let files = [("nodes.csv", ONE_OUTAGE)];
        Case { jobs: &jobs, cluster: &cluster, policy: "\"fcfs\"", files: &files, ..Case::default() }.run().0
    };
    // node 0 is back at 50, and the second job leaves node 1 at 61
    assert_eq!(with(""), of(&["1 50-90 ended", "2 1-61 ended", "3 61-81 ended"]));
    let back = of(&["1 61-101 ended", "2 1-61 ended", "3 50-70 ended"]);
    assert_eq!(with("requeue-place = \"back\"\n"), back);
    // at 55 it comes to wait again, in its place; at 50 the third is alone in the queue
    assert_eq!(with("requeue-delay = \"25s\"\n"), back);
    assert_eq!(with("requeue-delay = \"15s\"\n"), with(""));
}

#[test]
fn a_dependency_is_decided_when_the_other_job_has_left_for_good() {
    let jobs = [(1, 0, 4, 40, 40), (2, 1, 1, 10, 10), (3, 2, 1, 20, 20)];
    let files = [("nodes.csv", ONE_OUTAGE), ("ties.csv", "job,kind,on\n2,after-ok,1\n3,after-any,1\n")];
    let case =
        Case { jobs: &jobs, workload: "dependencies = \"ties.csv\"\n", files: &files, ..Case::default() };
    let (ran, interrupted) = Case { cluster: FAILING, ..case }.run();
    assert_eq!(ran, of(&["1 50-90 ended", "2 90-100 ended", "3 90-110 ended"]));
    assert_eq!(interrupted, of(&["1 0-30"]));
    let lost = format!("{FAILING}on-failure = \"lose\"\n");
    let (ran, _) = Case { cluster: &lost, ..case }.run();
    assert_eq!(ran, of(&["1 0-30 lost", "2 - rejected", "3 30-50 ended"]));
}

#[test]
fn patience_runs_on_from_the_submission_and_counts_when_a_job_waits_again() {
    let jobs = [(1, 0, 4, 35, 35), (2, 1, 2, 100, 100)];
    let with = |patience: &str| {
        let workload = format!("patience = \"{patience}\"\n");
        let files = [("nodes.csv", ONE_OUTAGE)];
        Case { jobs: &jobs, cluster: FAILING, workload: &workload, files: &files, ..Case::default() }.run().0
    };
    // the first waits again at 30, and node 0 is back at 50
    assert_eq!(with("60s"), of(&["1 -60 cancelled", "2 30-130 ended"]));
    assert_eq!(with("40s"), of(&["1 -40 cancelled", "2 30-130 ended"]));
    // its patience was over while it ran
    assert_eq!(with("20s"), of(&["1 -30 cancelled", "2 -21 cancelled"]));
}

#[test]
fn cancelling_a_job_that_was_interrupted_is_a_cancellation() {
    let with = |wait: u32| {
        let log = format!("1 0 {wait} -1 4 -1 -1 4 100 -1 5 1 1 1 1 1 -1 -1\n");
        let files = [("log.swf", log.as_str()), ("nodes.csv", ONE_OUTAGE)];
        Case { cluster: FAILING, workload: "cancelled = \"replayed\"\n", files: &files, ..Case::default() }
            .run()
    };
    assert_eq!(with(45), (of(&["1 -45 cancelled"]), of(&["1 0-30"])));
    // it runs then: its run time is what it did
    assert_eq!(with(70), (of(&["1 50-70 cancelled"]), of(&["1 0-30"])));
    assert_eq!(with(25), (of(&["1 0-25 cancelled"]), Vec::new()));
}

#[test]
fn a_failing_node_takes_reserved_processors_which_are_replaced_or_done_without() {
    let jobs = [(1, 0, 2, 25, 25), (2, 31, 2, 10, 10), (3, 35, 4, 5, 5)];
    let with = |keys: &str| {
        let cluster =
            format!("{FAILING}[[cluster.reservation]]\nat = \"20s\"\nfor = \"40s\"\nprocessors = 2\n{keys}");
        let files = [("nodes.csv", "node,from,to\n1,30,40\n")];
        Case { jobs: &jobs, cluster: &cluster, files: &files, ..Case::default() }.run().0
    };
    // it has node 1, and node 0 from 30 on
    assert_eq!(with(""), of(&["1 0-25 ended", "2 40-50 ended", "3 60-65 ended"]));
    // a repair inside the window frees nothing
    let shrinks = "on-failure = \"shrink\"\n";
    assert_eq!(with(shrinks), of(&["1 0-25 ended", "2 31-41 ended", "3 60-65 ended"]));
    let advance = with(&format!("{shrinks}use = \"advance\"\n"));
    assert_eq!(advance, of(&["1 0-25 ended", "2 31-41 ended", "3 41-46 ended"]));
}

#[test]
fn a_job_interrupted_inside_a_reservation_waits_there_again() {
    let cluster = format!(
        "{FAILING}[[cluster.reservation]]\nat = \"20s\"\nfor = \"60s\"\nprocessors = 2\nuse = \"advance\"\njobs = [1]\n"
    );
    let files = [("nodes.csv", "node,from,to\n1,30,100\n")];
    let with = |jobs: &[(u32, u32, u32, u32, u32)]| {
        Case { jobs, cluster: &cluster, files: &files, ..Case::default() }.run()
    };
    let interrupted = of(&["1 20-30"]);
    assert_eq!(with(&[(1, 0, 2, 20, 20)]), (of(&["1 30-50 ended"]), interrupted.clone()));
    // the reservation is short until 55, when it still can take the job, or until 70, when it
    // cannot
    let late = with(&[(1, 0, 2, 20, 20), (2, 0, 2, 55, 55)]);
    assert_eq!(late, (of(&["1 55-75 ended", "2 0-55 ended"]), interrupted.clone()));
    let too_late = with(&[(1, 0, 2, 20, 20), (2, 0, 2, 70, 70)]);
    assert_eq!(too_late, (of(&["1 - rejected", "2 0-70 ended"]), interrupted));
}

#[test]
fn a_job_inside_a_reservation_waits_for_others_first_and_may_be_cancelled() {
    let jobs = [(1, 0, 1, 30, 30), (2, 0, 2, 10, 10)];
    let cluster = "[[cluster.reservation]]\nat = \"10s\"\nfor = \"60s\"\nprocessors = 2\nuse = \"advance\"\njobs = [2]\n";
    let files = [("ties.csv", "job,kind,on\n2,after-ok,1\n")];
    let case = Case { jobs: &jobs, cluster, files: &files, ..Case::default() };
    let (ran, _) = Case { workload: "dependencies = \"ties.csv\"\n", ..case }.run();
    assert_eq!(ran, of(&["1 0-30 ended", "2 30-40 ended"]));
    let (ran, _) = Case { workload: "patience = \"5s\"\n", ..case }.run();
    assert_eq!(ran, of(&["1 0-30 ended", "2 -5 cancelled"]));
}

#[test]
fn decided_after_each_event_a_repair_or_the_end_of_a_reservation_goes_before_jobs_that_come() {
    let policy = |decide: &str| {
        format!("{{ kind = \"space-sharing\", queue = \"sjf\", backfill = \"easy\", decide = \"{decide}\" }}")
    };
    let run = |cluster: &str, jobs: &[(u32, u32, u32, u32, u32)], decide: &str| {
        let files = [("nodes.csv", ONE_OUTAGE)];
        Case { jobs, cluster, policy: &policy(decide), files: &files, ..Case::default() }.run().0
    };
    // at 50 node 0 is back, the third ends, and the fourth comes, which is shorter than the second
    let jobs = [(1, 0, 4, 30, 30), (2, 5, 4, 40, 40), (3, 6, 2, 20, 20), (4, 50, 4, 10, 10)];
    let before = ["1 0-30 ended", "3 30-50 ended"];
    let at_once = run(FAILING, &jobs, "instant");
    assert_eq!(at_once, of(&[before[0], "2 60-100 ended", before[1], "4 50-60 ended"]));
    let one_by_one = run(FAILING, &jobs, "event");
    assert_eq!(one_by_one, of(&[before[0], "2 50-90 ended", before[1], "4 90-100 ended"]));
    // the maintenance is over when a shorter job comes
    let reserved = "[[cluster.reservation]]\nat = \"10s\"\nfor = \"10s\"\n";
    let jobs = [(1, 0, 4, 5, 5), (2, 5, 4, 20, 20), (3, 20, 4, 5, 5)];
    assert_eq!(run(reserved, &jobs, "instant"), of(&["1 0-5 ended", "2 25-45 ended", "3 20-25 ended"]));
    assert_eq!(run(reserved, &jobs, "event"), of(&["1 0-5 ended", "2 20-40 ended", "3 40-45 ended"]));
}

#[test]
fn a_job_before_which_another_failed_is_held_for_ever_and_so_are_those_that_wait_for_it() {
    let jobs = [(1, 0, 4, 100, 60), (2, 1, 2, 50, 50), (3, 2, 4, 60, 60), (4, 3, 3, 10, 10)];
    let files = [("ties.csv", "job,kind,on\n2,after-ok,1\n4,after-any,2\n")];
    let ties = "dependencies = \"ties.csv\"\n";
    let case = Case { jobs: &jobs, workload: ties, files: &files, ..Case::default() };
    let killed = Case { cluster: "kill-at-estimate = true\n", ..case };
    let rejected = of(&["1 0-60 killed", "2 - rejected", "3 60-120 ended", "4 60-70 ended"]);
    let at_120 = Case { jobs: &[jobs[0], jobs[1], (3, 2, 1, 60, 60), jobs[3]], ..killed };
    assert_eq!(at_120.run().0, rejected);
    let cluster = "kill-at-estimate = true\non-failed-dependency = \"hold\"\n";
    let held = Case { cluster, ..killed };
    assert_eq!(held.run().0, of(&["1 0-60 killed", "3 60-120 ended"]));
    // their users cancel them when the others are over
    let patient = format!("{ties}patience = \"500s\"\n");
    let cancelled = Case { workload: &patient, ..held };
    let ran = ["1 0-60 killed", "2 -501 cancelled", "3 60-120 ended", "4 501-511 ended"];
    assert_eq!(cancelled.run().0, of(&ran));
}
