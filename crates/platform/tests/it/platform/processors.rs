//! Execution on hosts: shares, traces, failures, and what comes of them at exact instants.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use clustersim_kernel::{SimDuration, SimTime, Simulation, hold, now, spawn};
use clustersim_platform::{
    Builder, ExecutionFailed, Host, HostId, HostObserver, Platform, Processors, Trace, watch_hosts,
};
use proptest::prelude::*;

fn secs(secs: f64) -> SimTime {
    SimTime::ZERO + SimDuration::ceil_secs(secs)
}

fn platform(host: Host) -> Arc<Platform> {
    let mut builder = Builder::new();
    builder.host(host).unwrap();
    Arc::new(builder.build())
}

const HOST: HostId = HostId::new(0);

/// A task of the tests: when it begins, work, priority.
type Task = (f64, f64, f64);

/// Ends of tasks on one host, in the order in which they are given, and how many resumptions it
/// took.
fn run(host: Host, tasks: &[Task]) -> (Vec<SimTime>, u64) {
    let simulation = Simulation::new(1);
    let processors = Processors::new(&platform(host));
    let ends = Rc::new(RefCell::new(vec![SimTime::ZERO; tasks.len()]));
    for (place, &(start, work, priority)) in tasks.iter().enumerate() {
        let (processors, ends) = (processors.clone(), Rc::clone(&ends));
        simulation.spawn("task", async move {
            hold(SimDuration::ceil_secs(start)).await;
            processors.execute(HOST, work, priority, None).await.unwrap();
            ends.borrow_mut()[place] = now();
        });
    }
    let outcome = simulation.run().unwrap();
    let total: f64 = tasks.iter().map(|task| task.1).sum();
    let done = processors_done(&processors, outcome.ended_at);
    assert!((done - total).abs() <= 1e-6 * total, "{done} of {total} was done");
    (ends.take(), outcome.events)
}

/// The work that was done, asked for in a simulation of its own, since the other is over.
fn processors_done(processors: &Processors, at: SimTime) -> f64 {
    let simulation = Simulation::new(1);
    let (asked, done) = (processors.clone(), Rc::new(RefCell::new(0.0)));
    let told = Rc::clone(&done);
    simulation.spawn("asks", async move {
        hold(at.since(SimTime::ZERO)).await;
        *told.borrow_mut() = asked.work_done(HOST);
    });
    simulation.run().unwrap();
    done.take()
}

/// EXPERIMENTS C3, SHARED, and C4.
#[test]
fn the_examples_of_the_models_end_at_their_instants() {
    let (ends, _) = run(Host::new("h", 1.0), &[(3.0, 4.0, 1.0), (0.0, 2.0, 1.0), (1.0, 2.0, 1.0)]);
    assert_eq!(ends, [8.0, 3.0, 5.0].map(secs));
    let points = [(secs(0.0), 1.0), (secs(5.0), 0.5), (secs(8.0), 0.0), (secs(10.0), 1.0)];
    let availability = Trace::new(&points, Some(SimDuration::from_secs(2))).unwrap();
    let (ends, events) = run(Host { availability, ..Host::new("h", 10.0) }, &[(0.0, 100.0, 1.0)]);
    assert_eq!(ends, [secs(13.5)]);
    assert_eq!(events, 3, "start, hold, and the end of the task: the trace wakes nobody");
}

/// Two cores: alone each has one; three share them; priority 2 counts double but is never more than
/// a core.
#[test]
fn cores_are_shared_by_priority_and_nobody_has_more_than_one() {
    let host = || Host { cores: 2, ..Host::new("h", 1.0) };
    assert_eq!(run(host(), &[(0.0, 4.0, 1.0), (0.0, 2.0, 5.0)]).0, [4.0, 2.0].map(secs));
    assert_eq!(run(host(), &[(0.0, 2.0, 1.0); 3]).0, [3.0, 3.0, 3.0].map(secs));
    // 1, 1/2, 1/2 until 2 s, then a core each
    let tasks = [(0.0, 2.0, 2.0), (0.0, 2.0, 1.0), (0.0, 2.0, 1.0)];
    assert_eq!(run(host(), &tasks).0, [2.0, 3.0, 3.0].map(secs));
}

#[test]
fn a_bound_is_the_most_a_task_has_and_work_of_nothing_takes_no_time() {
    let simulation = Simulation::new(1);
    let processors = Processors::new(&platform(Host::new("h", 10.0)));
    let other = processors.clone();
    simulation.spawn("bounded", async move {
        processors.execute(HOST, 0.0, 1.0, None).await.unwrap();
        assert_eq!(now(), SimTime::ZERO);
        processors.execute(HOST, 8.0, 1.0, Some(2.0)).await.unwrap();
        assert_eq!(now(), secs(4.0));
        let wrong = processors.execute(HOST, f64::NAN, 1.0, None).await;
        assert!(matches!(wrong, Err(ExecutionFailed::Wrong(_))));
    });
    simulation.spawn("free", async move {
        other.execute(HOST, 32.0, 1.0, None).await.unwrap();
        assert_eq!(now(), secs(4.0));
    });
    simulation.run().unwrap();
}

#[test]
fn a_power_state_changes_the_pace_of_what_is_in_progress() {
    let simulation = Simulation::new(1);
    let host = Host { speeds: vec![10.0, 5.0], ..Host::new("h", 10.0) };
    let processors = Processors::new(&platform(host));
    let other = processors.clone();
    simulation.spawn("task", async move {
        processors.execute(HOST, 100.0, 1.0, None).await.unwrap();
        assert_eq!(now(), secs(16.0));
        assert_eq!(processors.busy(HOST).to_bits(), 16.0_f64.to_bits());
    });
    simulation.spawn("governor", async move {
        hold(SimDuration::from_secs(4)).await;
        assert!(other.set_power_state(HOST, 1));
        assert!(!other.set_power_state(HOST, 2));
        assert_eq!(other.power_state(HOST), 1);
    });
    simulation.run().unwrap();
}

#[test]
fn a_task_that_stands_still_leaves_the_cores_to_others_and_goes_on_with_what_is_left() {
    let simulation = Simulation::new(1);
    let processors = Processors::new(&platform(Host::new("h", 1.0)));
    let other = processors.clone();
    simulation.spawn("paused", async move {
        let task = Rc::new(processors.begin(HOST, 4.0, 1.0, None).unwrap());
        let paused = Rc::clone(&task);
        spawn("pauses", async move {
            hold(SimDuration::from_secs(2)).await;
            paused.pause();
            assert_eq!(paused.left().to_bits(), 3.0_f64.to_bits());
            hold(SimDuration::from_secs(10)).await;
            paused.resume();
        });
        task.done().await.unwrap();
        assert_eq!(now(), secs(15.0));
    });
    simulation.spawn("other", async move {
        other.execute(HOST, 3.0, 1.0, None).await.unwrap();
        assert_eq!(now(), secs(4.0), "half of the host until 2 s, then all");
    });
    simulation.run().unwrap();
}

#[derive(Default)]
struct Nobody(RefCell<Vec<(bool, SimTime)>>);

impl HostObserver for Nobody {
    fn failed(&self, _: HostId) {
        self.0.borrow_mut().push((false, now()));
    }
    fn repaired(&self, _: HostId) {
        self.0.borrow_mut().push((true, now()));
    }
    fn depends(&self, _: HostId) -> bool {
        false
    }
}

#[test]
fn a_host_that_fails_ends_its_tasks_with_an_error_and_what_ends_as_it_fails_has_ended() {
    let working = Trace::new(&[(secs(3.0), 0.0), (secs(5.0), 1.0)], None).unwrap().before(1.0);
    let processors = Processors::new(&platform(Host { cores: 2, working, ..Host::new("h", 1.0) }));
    let simulation = Simulation::new(1);
    let news = Rc::new(Nobody::default());
    let told: Rc<dyn HostObserver> = Rc::<Nobody>::clone(&news);
    simulation.enter(|| watch_hosts(&processors, &told));
    let failed = || Err(ExecutionFailed::Host("h".to_owned()));
    for (start, work, end, result) in [
        (0.0, 3.0, 3.0, Ok(())),
        (0.0, 3.5, 3.0, failed()),
        (4.0, 1.0, 4.0, failed()),
        (5.5, 1.0, 6.5, Ok(())),
    ] {
        let processors = processors.clone();
        simulation.spawn("task", async move {
            hold(SimDuration::ceil_secs(start)).await;
            assert_eq!(processors.execute(HOST, work, 1.0, None).await, result);
            assert_eq!(now(), secs(end));
        });
    }
    simulation.run().unwrap();
    assert_eq!(*news.0.borrow(), [(false, secs(3.0)), (true, secs(5.0))]);
}

/// Rates of tasks (priority) on `cores` by the book: whoever would have more than a core has one,
/// and the others share the rest.
fn rates(cores: f64, priorities: &[f64]) -> Vec<f64> {
    let mut rates = vec![None; priorities.len()];
    loop {
        let taken: f64 = rates.iter().flatten().sum();
        let open: f64 =
            (0..rates.len()).filter(|&task| rates[task].is_none()).map(|task| priorities[task]).sum();
        let level = (cores - taken) / open;
        let over = (0..rates.len()).filter(|&task| rates[task].is_none() && priorities[task] * level >= 1.0);
        let over: Vec<usize> = over.collect();
        if over.is_empty() {
            let share = |(rate, priority): (&Option<f64>, &f64)| rate.unwrap_or(priority * level);
            return rates.iter().zip(priorities).map(share).collect();
        }
        over.into_iter().for_each(|task| rates[task] = Some(1.0));
    }
}

/// Ends by stepping from one start or end to the next.
fn stepped(cores: f64, tasks: &[Task]) -> Vec<f64> {
    let mut left: Vec<f64> = tasks.iter().map(|task| task.1).collect();
    let mut ends = vec![f64::NAN; tasks.len()];
    let mut time = 0.0;
    while ends.iter().any(|end| end.is_nan()) {
        let active: Vec<usize> =
            (0..tasks.len()).filter(|&t| ends[t].is_nan() && tasks[t].0 <= time).collect();
        let rates = rates(cores, &active.iter().map(|&task| tasks[task].2).collect::<Vec<_>>());
        let starts = tasks.iter().map(|task| task.0).filter(|&start| start > time);
        let spans = active.iter().zip(&rates).map(|(&task, rate)| time + left[task] / rate);
        let next = starts.chain(spans).fold(f64::INFINITY, f64::min);
        for (&task, rate) in active.iter().zip(&rates) {
            left[task] -= rate * (next - time);
            if left[task] < 1e-9 {
                ends[task] = next;
            }
        }
        time = next;
    }
    ends
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn tasks_end_when_a_plain_stepper_says(
        cores in 1_u32..5,
        tasks in prop::collection::vec((0_u32..20, 1_u32..30, prop::sample::select(vec![0.5, 1.0, 1.0, 2.0, 7.0])), 1..12),
    ) {
        let tasks: Vec<Task> =
            tasks.into_iter().map(|(start, work, priority)| (f64::from(start), f64::from(work), priority)).collect();
        let (ends, _) = run(Host { cores, ..Host::new("h", 1.0) }, &tasks);
        for (found, expected) in ends.iter().zip(stepped(f64::from(cores), &tasks)) {
            prop_assert!((found.as_secs_f64() - expected).abs() < 1e-6, "{found} {expected}");
        }
    }
}
