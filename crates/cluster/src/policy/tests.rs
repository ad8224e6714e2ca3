//! Reports and refusals of the front end, by a policy that starts whatever fits and writes down its
//! news.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;

use crate::batch::machine::{Faults, Reservation, ReservationUse, Reservations};
use crate::collections::Interval;
use crate::ids::JobId;
use crate::instrument::{Failures, OnNodeFailure, OwnReason, Reason, SiteModel, State};
use crate::kernel::stats::WarmUp;
use crate::kernel::{SimDuration, SimTime, Simulation, now};
use crate::workload::cancellation::{Cancel, Cancellations};
use crate::workload::dependency::{Dependencies, Edge, Rule};
use crate::workload::{Job, Workload};

use super::*;

const OWN: Reason = Reason::Own(&OwnReason { name: "any", about: "it fitted" });

/// Starts jobs in order of submission, each as soon as it fits; refuses those of 9 processors.
#[derive(Debug)]
struct Greedy(Rc<RefCell<String>>);

#[async_trait(?Send)]
impl Policy for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }

    async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
        let mut waiting: Vec<JobId> = Vec::new();
        while let Some(news) = front.news().await {
            let mut line = format!("{}", now().as_nanos() / 1_000_000_000);
            for event in news {
                let (sign, job) = match event {
                    SiteEvent::Ended(job) => ("-", job),
                    SiteEvent::Withdrawn(job) => ("x", job),
                    SiteEvent::Interrupted(one) => ("!", one.job),
                    SiteEvent::Arrived(job) => ("+", job),
                    _ => continue,
                };
                write!(line, " {sign}{}", job.0).expect("a text takes it");
                waiting.retain(|&other| other != job);
                waiting.extend((sign == "+").then_some(job));
            }
            waiting.sort();
            let of = |job: JobId| u64::from(front.job(job).procs);
            for job in std::mem::take(&mut waiting) {
                match of(job) {
                    9 => front.refuse_for(job, OWN)?,
                    procs if procs <= front.free_count() => {
                        let on = front.with_free(|free| free.iter().next().expect("some are free").first);
                        front.start(job, &[Interval::new(on, on + procs as u32 - 1)], OWN)?;
                        write!(line, " >{}", job.0).expect("a text takes it");
                    }
                    _ => waiting.push(job),
                }
            }
            writeln!(self.0.borrow_mut(), "{line}").expect("a text takes it");
        }
        Ok(())
    }
}

fn at(seconds: u64) -> SimTime {
    SimTime::from_secs(seconds).expect("in range")
}

fn secs(seconds: u64) -> SimDuration {
    SimDuration::from_secs(seconds)
}

/// Jobs as (submission, processors, run time) [s].
fn work(jobs: &[(u64, u32, u64)]) -> Workload {
    let job = |(number, &(submit, procs, run))| Job::new(number, at(submit), procs, secs(run));
    Workload { jobs: Arc::new((1..).zip(jobs).map(job).collect()), ..Workload::default() }
}

/// A run on 10 processors: the news of the policy, and the outcomes of the jobs.
fn run(work: Workload, site: SiteModel, faults: Option<Faults>, all: Vec<Reservation>) -> (Outcomes, String) {
    let setting = Setting { procs: 10, level: 1, until: None, warm_up: WarmUp::None, site };
    let detail = Detail::Job {
        resources: None,
        faults,
        reservations: Reservations { all, ..Reservations::NONE },
        pools: Vec::new(),
    };
    let log = Rc::new(RefCell::new(String::new()));
    let policy = Box::new(Greedy(Rc::clone(&log)));
    let outcomes = simulate_watched(work, setting, policy, Simulation::new(1), detail, Watching::default())
        .expect("it runs");
    let log = log.take();
    (outcomes, log)
}

fn plain(work: Workload) -> (Outcomes, String) {
    run(work, SiteModel::default(), None, Vec::new())
}

#[test]
fn jobs_of_one_instant_are_one_report_and_ends_come_before_arrivals() {
    let (outcomes, log) = plain(work(&[(0, 6, 10), (0, 4, 10), (10, 10, 5)]));
    assert_eq!(log, "0 +0 +1 >0 >1\n10 -0 -1 +2 >2\n15 -2\n");
    assert!(outcomes.record.outcomes().all(|one| (one.state, one.reason) == (State::Completed, OWN)));
}

#[test]
fn a_job_larger_than_the_machine_never_arrives_and_a_refused_one_leaves() {
    let (outcomes, log) = plain(work(&[(0, 11, 10), (1, 9, 10), (2, 1, 3)]));
    assert_eq!(log, "1 +1\n2 +2 >2\n5 -2\n");
    let ends = outcomes.record.outcomes().map(|one| (one.state, one.reason, one.end));
    let ends: Vec<_> = ends.collect();
    assert_eq!(ends[0], (State::Rejected, Reason::TooLarge, at(0)));
    assert_eq!(ends[1], (State::Rejected, OWN, at(1)));
    assert_eq!(ends[2], (State::Completed, OWN, at(5)));
}

#[test]
fn a_waiting_job_is_cancelled_and_a_running_one_ends_early() {
    let cancels = vec![(JobId(0), Cancel::Anyhow(secs(7))), (JobId(1), Cancel::Waiting(secs(3)))];
    let cancellations = Some(Arc::new(Cancellations::new(cancels)));
    let (outcomes, log) = plain(Workload { cancellations, ..work(&[(0, 6, 10), (1, 6, 10), (2, 6, 1)]) });
    assert_eq!(log, "0 +0 >0\n1 +1\n2 +2\n4 x1\n7 -0 >2\n8 -2\n");
    let states: Vec<_> = outcomes.record.outcomes().map(|one| one.state).collect();
    assert_eq!(states, [State::Cancelled, State::Cancelled, State::Completed]);
}

#[test]
fn a_job_held_by_a_dependency_arrives_when_the_other_has_left() {
    let edge = |job, on, rule| Edge { job: JobId(job), on: JobId(on), rule };
    let edges = vec![edge(1, 0, Rule::AfterOk), edge(3, 2, Rule::AfterOk)];
    let dependencies = Some(Arc::new(Dependencies::new(edges).expect("no circle")));
    let (outcomes, log) =
        plain(Workload { dependencies, ..work(&[(0, 1, 10), (1, 1, 5), (2, 9, 1), (3, 1, 1)]) });
    assert_eq!(log, "0 +0 >0\n2 +2\n10 -0 +1 >1\n15 -1\n");
    assert_eq!(outcomes.record.outcome(JobId(3)).reason, Reason::Dependency);
    assert_eq!(outcomes.record.releases().get(&JobId(1)), Some(&at(10)));
}

#[test]
fn an_interrupted_job_waits_again_and_starts_on_what_is_in_service() {
    let failures = Failures { processors_per_node: 5, then: OnNodeFailure::Requeued, checkpoint: None };
    let site = SiteModel { failures: Some(failures), ..SiteModel::default() };
    let faults = Faults::Traced(Arc::new(vec![vec![(at(4), at(6))], Vec::new()]));
    let (outcomes, log) = run(work(&[(0, 5, 10), (1, 6, 2)]), site, Some(faults), Vec::new());
    assert_eq!(log, "0 +0 >0\n1 +1\n4 !0 +0 >0\n6\n14 -0 >1\n16 -1\n");
    assert_eq!(outcomes.record.outages().attempts().len(), 1);
    assert_eq!(outcomes.record.outcome(JobId(0)).start, at(4));
}

/// A run on two nodes of 5, one of which is out of service from 4 s to 6 s.
fn failing(node: usize, jobs: &[(u64, u32, u64)]) -> (Outcomes, String) {
    let failures = Failures { processors_per_node: 5, then: OnNodeFailure::Requeued, checkpoint: None };
    let site = SiteModel { failures: Some(failures), ..SiteModel::default() };
    let mut spans = vec![Vec::new(); 2];
    spans[node] = vec![(at(4), at(6))];
    run(work(jobs), site, Some(Faults::Traced(Arc::new(spans))), Vec::new())
}

#[test]
fn a_job_is_hit_by_the_failure_of_a_node_of_which_it_has_one_processor() {
    // of six processors the last is on the second node, of five none
    assert_eq!(failing(1, &[(0, 6, 10)]).1, "0 +0 >0\n4 !0 +0\n6 >0\n16 -0\n");
    assert_eq!(failing(1, &[(0, 5, 10)]).1, "0 +0 >0\n4\n6\n10 -0\n");
}

#[test]
fn a_job_that_ends_when_its_node_fails_has_ended() {
    for (run_time, attempts, end) in [(4, 0, 4), (5, 1, 9)] {
        let (outcomes, _) = failing(0, &[(0, 5, run_time)]);
        let outcome = outcomes.record.outcome(JobId(0));
        assert_eq!((outcome.state, outcome.end), (State::Completed, at(end)));
        assert_eq!(outcomes.record.outages().attempts().len(), attempts);
    }
}

#[test]
fn a_job_that_ends_when_it_is_to_be_cancelled_is_completed() {
    for (run_time, state) in [(9, State::Completed), (10, State::Completed), (11, State::Cancelled)] {
        let cancellations = Some(Arc::new(Cancellations::new(vec![(JobId(0), Cancel::Anyhow(secs(10)))])));
        let (outcomes, _) = plain(Workload { cancellations, ..work(&[(0, 6, run_time)]) });
        let outcome = outcomes.record.outcome(JobId(0));
        assert_eq!((outcome.state, outcome.end), (state, at(run_time.min(10))));
    }
}

/// An advance reservation of six processors.
fn reservation(from: SimTime, to: SimTime, known: SimTime) -> Reservation {
    let purpose = ReservationUse::Advance;
    Reservation { number: 1, time: 1, from, to, known, procs: 6, purpose, shrinks: false }
}

#[test]
fn a_reservation_takes_its_processors_and_gives_them_back() {
    let (from, to) = (at(2), at(8));
    let one = reservation(from, to, SimTime::ZERO);
    let (outcomes, log) = run(work(&[(0, 3, 20), (3, 5, 1)]), SiteModel::default(), None, vec![one]);
    assert_eq!(log, "0 +0 >0\n2\n3 +1\n8 >1\n9 -1\n20 -0\n");
    let taken: Vec<_> = outcomes.record.reserved().taken().iter().map(|one| (one.from, one.to)).collect();
    assert_eq!(taken, [(from, to)]);
}

#[test]
fn a_start_before_the_submission_is_refused_with_its_instant() {
    #[derive(Debug)]
    struct Hasty;
    #[async_trait(?Send)]
    impl Policy for Hasty {
        fn name(&self) -> &'static str {
            "hasty"
        }

        async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
            let on = [Interval::new(0, 3)];
            front.news().await;
            let error = front.start(JobId(1), &on, OWN).expect_err("it is not submitted");
            assert_eq!(error.why, Wrong::NotSubmitted);
            assert_eq!((error.number, error.at), (2, at(1)));
            front.start(JobId(0), &on, OWN)?;
            let again = front.refuse(JobId(0)).expect_err("it runs");
            assert_eq!(again.why, Wrong::NotWaiting);
            front.news().await;
            front.news().await;
            front.start(JobId(1), &on, OWN)
        }
    }
    let setting =
        Setting { procs: 10, level: 1, until: None, warm_up: WarmUp::None, site: SiteModel::default() };
    // the policy returns while job 2 runs, which is no deadlock
    let outcomes = simulate(work(&[(1, 4, 2), (5, 4, 2)]), setting, Box::new(Hasty), Simulation::new(1));
    assert_eq!(outcomes.expect("it runs").record.outcome(JobId(1)).start, at(5));
}

#[test]
fn features_that_never_act_change_nothing_that_a_policy_hears() {
    let jobs = [(0, 6, 10), (1, 6, 10), (2, 3, 4), (30, 10, 5)];
    let plain = plain(work(&jobs));
    let edges = vec![Edge { job: JobId(3), on: JobId(0), rule: Rule::AfterOk }];
    let dependencies = Some(Arc::new(Dependencies::new(edges).expect("no circle")));
    let patience = (0..4).map(|job| (JobId(job), Cancel::Anyhow(secs(100)))).collect();
    let cancellations = Some(Arc::new(Cancellations::new(patience)));
    let all = Workload { dependencies, cancellations, ..work(&jobs) };
    let failures = Failures { processors_per_node: 5, then: OnNodeFailure::Lost, checkpoint: None };
    let site = SiteModel { failures: Some(failures), ..SiteModel::default() };
    let one = reservation(at(50), at(60), at(50));
    let all = run(all, site, Some(Faults::Traced(Arc::new(Vec::new()))), vec![one]);
    assert_eq!(all.1, plain.1);
    let ends = |outcomes: &Outcomes| outcomes.record.outcomes().collect::<Vec<_>>();
    assert_eq!(ends(&all.0), ends(&plain.0));
}
