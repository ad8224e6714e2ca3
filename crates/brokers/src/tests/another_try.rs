//! Servers that are tried after others, or together with them.

use super::*;
use crate::platform::Trace;
use crate::registry::Catalogue as _;
use crate::scheduler;

#[test]
fn every_scheduler_has_an_order_of_all_servers_for_copies() {
    for row in scheduler::table().rows() {
        for (wanted, expected) in [(1, 1), (2, 2), (usize::MAX, 3)] {
            // these have keys that must be written
            if ["power-of-d", "program"].contains(&row.name) {
                continue;
            }
            let mut small = Small::new(3);
            small.performance = [1e8, 2e8, 4e8].map(Rate::Constant).to_vec();
            small.scheduler = row.name;
            small.terms.wanted = wanted;
            let outcomes = small.run();
            let queues: Vec<u32> = outcomes.packets.iter().map(|packet| packet.queue).collect();
            let sent = |server: &u32| queues.contains(&(2 * server));
            assert_eq!((0..3).filter(sent).count(), expected, "{} {wanted}", row.name);
            assert_eq!(outcomes.tasks[0].state, TaskState::Completed, "{}", row.name);
        }
    }
}

/// One server, which is down from 5 s to 6 s; tasks of 10 s.
#[test]
fn a_task_that_no_server_is_left_for_tries_again() {
    for (times, expected) in [(1000, [25.02, 35.02, 45.02].map(Some)), (0, [None, None, Some(30.02)])] {
        let mut small = Small::new(1);
        small.layout.bandwidth = [1e6, 1e6];
        small.class.sizes = sizes(1e4, constant(1e9), 1e4);
        small.arrivals = Arrivals::Given([1.0, 5.5, 20.0].map(secs).into_iter().collect());
        small.tasks = 3;
        small.terms.retry.times = times;
        let state = Trace::new(&[(SimTime::ZERO, 1.0), (secs(5.0), 0.0), (secs(6.0), 1.0)], None);
        small.failures = vec![(ServerNumber(0), ServerFailures::Traced(state.expect("a trace")))];
        let outcomes = small.run();
        let back = outcomes.tasks.iter().map(|task| Some(task.received).filter(|at| *at < SimTime::MAX));
        assert_eq!(back.collect::<Vec<_>>(), expected.map(|at: Option<f64>| at.map(secs)), "{times}");
    }
}

/// Nothing can be in time; a task may ask again as often as it likes, and two servers take turns.
#[test]
fn a_late_task_goes_round_all_servers() {
    let mut small = Small::new(1);
    small.performance = [1e8, 2e8].map(Rate::Constant).to_vec();
    small.class.deadline = Deadline::After(SimDuration::from_secs(1));
    small.terms.fallbacks = 4;
    let outcomes = small.run();
    let tried: Vec<u32> = outcomes.lost.iter().map(|lost| lost.server.0).collect();
    assert_eq!(tried, [1, 0, 1, 0]);
    assert_eq!((outcomes.tasks[0].state, outcomes.tasks[0].server), (TaskState::Completed, ServerNumber(1)));
}
