//! Conditions: predicates tested again only when the state says that it changed.

use std::cell::Cell;
use std::rc::Rc;

use clustersim_kernel::{Condition, hold, spawn};

use super::support::{ENDS, SURVIVED, logged, lose, ns, scene};

#[test]
fn a_predicate_that_holds_does_not_yield() {
    let log = scene(|log| {
        let condition = Condition::new("level", 3);
        let (a, b) = (log.clone(), log.clone());
        spawn("a", async move {
            condition.until(|level| *level == 3).await;
            a.note("at once");
        });
        spawn("b", async move { b.note("other") });
    });
    assert_eq!(log, logged(&[(0, "at once"), (0, "other")]));
}

#[test]
fn every_change_lets_all_who_wait_test_in_order_of_arrival() {
    let log = scene(|log| {
        let condition = Condition::new("level", 0);
        for (name, least) in [("three", 3), ("one", 1), ("two", 2), ("also one", 1)] {
            let (log, condition) = (log.clone(), condition.clone());
            spawn(name, async move {
                condition.until(|level| *level >= least).await;
                log.note(name);
            });
        }
        spawn("changer", async move {
            for level in 1..=3 {
                hold(ns(1)).await;
                condition.change(|state| *state = level);
            }
            assert_eq!(*condition.state(), 3);
        });
    });
    assert_eq!(log, logged(&[(1, "one"), (1, "also one"), (2, "two"), (3, "three")]));
}

#[test]
fn a_later_one_sees_what_an_earlier_one_did() {
    let log = scene(|log| {
        let condition = Condition::new("tokens", 0);
        for name in ["first", "second"] {
            let (log, condition) = (log.clone(), condition.clone());
            spawn(name, async move {
                condition.until(|tokens| *tokens > 0).await;
                condition.change(|tokens| *tokens -= 1);
                log.note(name);
            });
        }
        spawn("giver", async move {
            hold(ns(1)).await;
            condition.change(|tokens| *tokens += 1);
            hold(ns(1)).await;
            condition.change(|tokens| *tokens += 1);
        });
    });
    assert_eq!(log, logged(&[(1, "first"), (2, "second")]));
}

#[test]
fn nothing_is_tested_unless_the_state_changed() {
    let tests = Rc::new(Cell::new(0));
    let counted = Rc::clone(&tests);
    scene(|_| {
        let condition = Condition::new("flag", false);
        let watched = condition.clone();
        spawn("waiter", async move {
            let test = |flag: &bool| {
                counted.set(counted.get() + 1);
                *flag
            };
            clustersim_kernel::join(watched.until(test), async {
                for _ in 0..50 {
                    hold(ns(1)).await;
                }
            })
            .await;
        });
        spawn("changer", async move {
            hold(ns(10)).await;
            condition.change(|_| ());
            hold(ns(10)).await;
            condition.change(|flag| *flag = true);
        });
    });
    assert_eq!(tests.get(), 3);
}

#[test]
fn a_lost_wait_leaves_the_condition_to_the_others() {
    for by in SURVIVED.into_iter().chain(ENDS) {
        let condition = Condition::new("flag", false);
        let (watched, changed) = (condition.clone(), condition.clone());
        let wait = move || {
            let condition = watched.clone();
            async move { condition.until(|flag| *flag).await }
        };
        let log = lose(by, wait, move || changed.change(|flag| *flag = true));
        let expected = if ENDS.contains(&by) { vec![] } else { logged(&[(9, "other")]) };
        assert_eq!(log, expected, "{by:?}");
        assert_eq!(condition.waiting(), 0, "{by:?}");
    }
}
