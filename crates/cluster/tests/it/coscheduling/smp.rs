//! Nodes of several processors, nodes that differ, memory, and a front end on a node: small cases
//! by hand.

use std::sync::Arc;

use clustersim_cluster::instrument::profile::{Activity, Spent};
use clustersim_jobs::workload::parallel::{Application, RecordedStep};
use clustersim_kernel::SimDuration;
use clustersim_language::units::Bytes;

use super::support::{Came, Machine, ends, layout, node, published, recorded, run, simulate_on};

const fn ms(millis: u64) -> RecordedStep {
    RecordedStep::Compute(SimDuration::from_millis(millis))
}

fn one(steps: &[RecordedStep]) -> Arc<Application> {
    recorded(&[steps])
}

/// Jobs of one task, all at time 0 on node 0.
fn beside(keys: &str, scheme: &str, jobs: Vec<Arc<Application>>) -> Came {
    let jobs = jobs.into_iter().map(|application| (0, application, vec![0])).collect();
    run(&layout(1, &node(keys), ""), published(scheme), 1, jobs)
}

fn same(found: &[f64], expected: &[f64]) {
    let close = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 5e-7);
    assert!(close && found.len() == expected.len(), "{found:?} ms, not {expected:?} ms");
}

#[test]
fn two_tasks_run_at_once_on_two_processors() {
    let came = beside("processors = 2", "local", vec![one(&[ms(100)]), one(&[ms(100)])]);
    same(&came.jobs, &[100.0, 100.0]);
    assert!(came.profile.processors.iter().all(|spent| spent.of(Activity::Compute) == 100_000_000));
}

#[test]
fn three_tasks_share_two_processors_in_one_line() {
    let came = beside("processors = 2", "local", vec![one(&[ms(100)]), one(&[ms(100)]), one(&[ms(100)])]);
    // to 20: A and B; C on the first from 20.2, A on the second; B from 40.4, C from 60.4, A from
    // 80.6 to its end, B from 100.6 to its end, and C from 120.8
    same(&came.jobs, &[120.6, 140.6, 160.8]);
}

#[test]
fn an_idle_processor_takes_a_ready_task_at_once() {
    let io = RecordedStep::Io(SimDuration::from_millis(5));
    let came = beside("processors = 2", "local", vec![one(&[ms(50)]), one(&[ms(1), io, ms(1)])]);
    same(&came.jobs, &[50.0, 7.0]);
    assert_eq!(came.profile.processors[1].of(Activity::IoWait), 5_000_000);
}

#[test]
fn two_tasks_of_higher_rank_preempt_two_processors_at_one_tick() {
    let io = RecordedStep::Io(SimDuration::from_micros(24_300));
    let short = || one(&[ms(1), io, ms(5)]);
    let came = beside("processors = 2", "local", vec![short(), short(), one(&[ms(100)]), one(&[ms(100)])]);
    // as with one of each on one processor: the two that compute go on at 1.2 and sink to 58 at
    // 21.2, the I/O is over at 25.3, and at the tick of 26 both make room
    same(&came.jobs, &[31.2, 31.2, 106.6, 106.6]);
}

#[test]
fn an_interrupt_goes_to_the_processor_with_least_to_lose() {
    let size = Bytes::new(0);
    let receiver: &[RecordedStep] = &[RecordedStep::Receive { from: 1 }];
    let sender: &[RecordedStep] = &[ms(10), RecordedStep::Send { to: 0, size }];
    let jobs = vec![(0, recorded(&[receiver, sender]), vec![0, 1]), (0, one(&[ms(30)]), vec![0])];
    let came = run(&layout(2, &node("processors = 2"), ""), published("sb"), 1, jobs);
    // the first processor has been idle since its task blocked: the one that computes on the second
    // is not disturbed
    same(&came.jobs, &[10.074, 30.0]);
    let interrupts = came.profile.processors.iter().map(|spent| spent.of(Activity::Interrupt));
    assert_eq!(interrupts.collect::<Vec<_>>(), [50_000, 0, 0, 0]);
}

#[test]
fn processors_that_are_idle_cost_no_events() {
    let few = beside("processors = 1", "pb", vec![one(&[ms(10_000)])]).events;
    let many = beside("processors = 64", "pb", vec![one(&[ms(10_000)])]).events;
    // each processor has four processes, which begin
    assert!(many <= few + 63 * 4, "{many} events instead of {few}");
}

#[test]
fn processors_with_lines_of_their_own_steal_when_idle() {
    let keys = "processors = 2\nrun-queue = \"per-processor\"";
    let came = beside(keys, "local", vec![one(&[ms(100)]), one(&[ms(100)]), one(&[ms(100)])]);
    // A and C take turns on the first processor: A has 60 ms at 80.4, and C runs from 80.6. B has
    // the second to itself until 100, which then steals A: a switch, and 40 ms. C has 60 ms at
    // 120.6, and goes on alone
    same(&came.jobs, &[140.2, 100.0, 160.6]);
}

#[test]
fn nodes_that_differ_take_their_own_time() {
    let groups = vec![(1, node("speed = 2.0")), (2, node("context-switch = \"1ms\""))];
    let machine = Machine { groups, interconnect: "", level: 5, front_end: None, reference: None };
    let all: &[RecordedStep] = &[ms(100)];
    let jobs = vec![(0, recorded(&[all, all, all])), (0, one(&[ms(100)])), (0, one(&[ms(100)]))];
    let outcomes = simulate_on(&machine, "policy = \"local\"", 1, jobs);
    let profile = outcomes.profile.as_ref().expect("detail task");
    let of = |activity| profile.processors.iter().map(|spent| spent.of(activity)).collect::<Vec<_>>();
    assert_eq!(of(Activity::Compute), [100_000_000, 200_000_000, 100_000_000]);
    // two tasks of 50 ms on the fast node: 20, 20, 30 and 30 ms and three switches. Two of 100 ms
    // on the first slow one, as published but with switches of 1 ms: 160 ms and four switches, 40
    // ms and a switch more
    same(&ends(&outcomes), &[164.0, 100.6, 205.0]);
}

#[test]
fn a_working_set_is_brought_in_at_dispatch_and_the_oldest_makes_room() {
    let keys = "memory = \"100MB\"\npaging-bandwidth = \"1GB/s\"\ncontext-switch = \"0us\"\n\
                scheduler = { kind = \"round-robin\", quantum = \"10ms\" }";
    let task = || {
        let plain = one(&[ms(20)]);
        Arc::new(Application { memory: Bytes::new(60_000_000), ..(*plain).clone() })
    };
    let came = beside(keys, "local", vec![task(), task()]);
    // 60 ms to bring in the first, which runs to 70; 60 ms for the second, which takes 20 MB of the
    // first and runs to 140; 20 ms each for what was taken
    same(&came.jobs, &[170.0, 200.0]);
    assert_eq!(came.profile.processors[0].of(Activity::Paging), 160_000_000);
    let unlimited = beside("context-switch = \"0us\"", "local", vec![task(), task()]);
    assert_eq!(unlimited.profile.processors[0].of(Activity::Paging), 0);
}

#[test]
fn a_front_end_on_a_node_takes_its_time_there() {
    let machine = Machine {
        groups: vec![(2, node(""))],
        interconnect: "",
        level: 5,
        front_end: Some((0, SimDuration::from_millis(1))),
        reference: None,
    };
    let jobs = vec![(0, one(&[ms(10)])), (5, one(&[ms(3)]))];
    let outcomes = simulate_on(&machine, "policy = \"local\"", 1, jobs);
    // the first job starts at 1 on node 0, which decides again from 5 to 6 and from 9 to 10; the
    // second starts at 6 on node 1
    same(&ends(&outcomes), &[13.0, 9.0]);
    let scheduler = |spent: &Spent| spent.of(Activity::Scheduler);
    let profile = outcomes.profile.expect("detail task");
    assert_eq!(profile.processors.iter().map(scheduler).collect::<Vec<_>>(), [4_000_000, 0]);
}

#[test]
fn slices_go_on_while_a_front_end_on_a_node_decides() {
    let machine = Machine {
        groups: vec![(1, node(""))],
        interconnect: "",
        level: 5,
        front_end: Some((0, SimDuration::from_millis(50))),
        reference: None,
    };
    let policy = "policy = { kind = \"gang\", quantum = \"20ms\", switch = \"0us\", replicas = false }";
    let jobs = vec![(0, one(&[ms(100)])), (55, one(&[ms(10)]))];
    let outcomes = simulate_on(&machine, policy, 1, jobs);
    // the first runs from 50 to 55; the decision about the second takes until 105, whatever slices
    // begin meanwhile at 70 and 90. The first goes on until 110, the second has the slice after
    // that and ends at 120; its end is decided on until 170, and then the first goes on with the 90
    // ms that are left
    same(&ends(&outcomes), &[260.0, 120.0]);
}
