//! Streams of workflows of which each is planned over what is planned.

use std::rc::Rc;

use proptest::prelude::*;

use crate::execution::{Execution, LinkOrder};
use crate::kernel::rng::Streams;
use crate::model::prediction::{Prediction, PredictionError, PredictionQuestion};
use crate::scheduler::tests::{Like, contention, rules, stream_of, width};
use crate::scheduler::{NamedScheduler, Optimal, Scheduler};
use crate::tests::{at, executed, scheduler};

/// Predictions that are wrong for the first plan, and right from then on.
#[derive(Debug)]
struct WrongAtFirst;

impl PredictionError for WrongAtFirst {
    fn factor(&self, question: PredictionQuestion, sweep: u64) -> f64 {
        let [one, other] = match question {
            PredictionQuestion::Execution(task, host) => [task.0 as usize, host.index()],
            PredictionQuestion::Transfer(edge, from, to) => [edge.index(), from.index() * 7 + to.index()],
        };
        let drawn = || Streams::new(7, 0).of("wrong", &one.to_string(), other as u64).uniform01();
        if sweep == 0 { 0.5 + drawn() } else { 1.0 }
    }
}

/// Tasks that had not started when the last workflow arrived are executed as planned then:
/// predictions were right, and what was planned by wrong ones has times again.
fn is_executed_as_planned(seed: u64, name: &str, queued: bool) -> Result<(), TestCaseError> {
    let width = width(seed % 2 == 1);
    let like = Like { tasks: 12, hosts: 4, width, contention: contention(queued), ..Like::default() };
    let mut problem = stream_of(seed, &[0, 9, 60], like);
    problem.prediction = Prediction::wrong(WrongAtFirst);
    let optimal = || Rc::new(Optimal { nodes: 100 }) as Rc<dyn Scheduler>;
    let scheduler = if name == "optimal" { optimal() } else { scheduler(name).into() };
    let rule = NamedScheduler { name: name.to_owned(), scheduler };
    let links = if queued { LinkOrder::Planned } else { LinkOrder::Free };
    let outcomes = match executed(problem, &rule, Execution { links, ..Execution::default() }) {
        Err(why) if name.starts_with("dcp") && why.to_string().contains("too small") => return Ok(()),
        outcomes => outcomes.map_err(|why| TestCaseError::fail(format!("{name}: {why}")))?,
    };
    for (number, record) in outcomes.tasks.iter().enumerate() {
        if record.start > Some(at(60)) {
            let done = record.start.zip(record.end);
            prop_assert_eq!(record.planned, done, "{}: {}, task {}", seed, name, number);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn what_keeps_its_place_is_planned_as_it_is_executed(seed: u64) {
        for name in rules().filter(|name| *name != "self-scheduling") {
            is_executed_as_planned(seed, name, false)?;
        }
    }

    #[test]
    fn transfers_to_what_keeps_its_place_stay_in_front_on_links(seed: u64) {
        is_executed_as_planned(seed, "dls-dagsim", true)?;
    }
}
