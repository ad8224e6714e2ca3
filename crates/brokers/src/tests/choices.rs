//! Choices of schedulers between servers that take 19 s and 16.5 s for the task, and their costs.

use super::*;

/// 10 s there, 5 s or 2.5 s of service, 4 s back.
fn two_servers(scheduler: &'static str) -> Small {
    let mut small = Small::new(1);
    small.performance = [1e8, 2e8].map(Rate::Constant).to_vec();
    small.scheduler = scheduler;
    small
}

fn servers(outcomes: &BrokerOutcomes) -> Vec<u32> {
    outcomes.tasks.iter().map(|task| task.server.0).collect()
}

#[test]
fn round_robin_begins_with_the_first_server_and_leaves_out_none() {
    let mut small = two_servers("round-robin");
    small.performance.push(Rate::Constant(4e8));
    small.arrivals = Arrivals::Given([0.0, 100.0, 200.0, 300.0, 400.0].map(secs).into_iter().collect());
    small.tasks = 5;
    assert_eq!(servers(&small.run()), [0, 1, 2, 0, 1]);
}

/// 20 s to the deadline are enough for both, nine tenths of them for the faster one only.
#[test]
fn a_server_is_in_time_within_the_share_of_the_time_to_the_deadline() {
    for (opt, expected) in [(1.0, 0), (0.96, 0), (0.9, 1)] {
        let mut small = two_servers("round-robin");
        small.class.deadline = Deadline::After(SimDuration::from_secs(20));
        small.terms.opt = Some(opt);
        assert_eq!(servers(&small.run()), [expected], "{opt}");
    }
}

/// All is predicted as it is: the cost is that of the rule, which does not look at times.
#[test]
fn the_regret_of_a_choice_is_the_cost_of_its_rule_where_predictions_are_right() {
    let outcomes = two_servers("round-robin").run();
    let decision = outcomes.regrets[0];
    let [chosen, others @ ..] = decision.steps();
    assert_eq!((chosen.server, chosen.at), (ServerNumber(0), secs(19.0)));
    assert!(
        others.iter().all(|other| (other.server, other.at) == (ServerNumber(1), secs(16.5))),
        "{others:?}"
    );
    assert_eq!(decision.costs(), Some([2.5, 0.0, 0.0, 0.0]));
}
