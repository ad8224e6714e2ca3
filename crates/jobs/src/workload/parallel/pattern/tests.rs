//! The patterns worked by hand, and what holds for all of them.

use proptest::prelude::*;

use super::*;

const SYMMETRIC: [&str; 5] = ["a2a", "linear", "nn", "none", "tree"];

fn pattern(name: &str) -> Box<dyn Pattern> {
    use crate::registry::{Node, Params, Registry, Sources, Span, Value};
    let (registry, mut sources) = (Registry::new(), Sources::new(""));
    let span = Span::new(sources.add("none", "", ""), 0..0);
    let node = Node::new(Value::Table(crate::registry::Tree::default()), span);
    let entry = *table().find(name).expect("a name of the table");
    (entry.build)(&Params::new(&registry, &sources, &node)).expect("takes no keys")
}

/// The peers of every task.
fn peers(name: &str, tasks: u32) -> Vec<Vec<u32>> {
    let pattern = pattern(name);
    (0..tasks).map(|rank| pattern.sends_to(rank, tasks).collect()).collect()
}

#[test]
fn a_task_alone_has_no_peers() {
    for name in SYMMETRIC {
        assert_eq!(peers(name, 1), [Vec::<u32>::new()], "{name}");
    }
}

#[test]
fn a_chain_is_open_at_its_ends() {
    assert_eq!(peers("linear", 4), [vec![1], vec![0, 2], vec![1, 3], vec![2]]);
    assert_eq!(peers("linear", 2), [vec![1], vec![0]]);
}

#[test]
fn neighbours_of_a_torus_are_above_below_left_and_right() {
    // 12 = 3 rows of 4:  0 1 2 3 / 4 5 6 7 / 8 9 10 11
    let torus = peers("nn", 12);
    assert_eq!(torus[5], [1, 9, 4, 6]);
    assert_eq!(torus[0], [8, 4, 3, 1]);
    assert_eq!(torus[11], [7, 3, 10, 8]);
}

#[test]
fn two_rows_or_columns_give_one_neighbour_and_a_prime_gives_a_ring() {
    // 6 = 2 rows of 3:  0 1 2 / 3 4 5
    assert_eq!(peers("nn", 6)[1], [4, 0, 2]);
    assert_eq!(peers("nn", 4), [vec![2, 1], vec![3, 0], vec![0, 3], vec![1, 2]]);
    assert_eq!(peers("nn", 5), [vec![4, 1], vec![0, 2], vec![1, 3], vec![2, 4], vec![3, 0]]);
    assert_eq!(peers("nn", 2), [vec![1], vec![0]]);
    assert_eq!(peers("nn", 3), [vec![2, 1], vec![0, 2], vec![1, 0]]);
}

#[test]
fn a_tree_is_a_heap() {
    assert_eq!(peers("tree", 6), [vec![1, 2], vec![0, 3, 4], vec![0, 5], vec![1], vec![1], vec![2]]);
}

#[test]
fn all_to_all_begins_with_the_next_task() {
    assert_eq!(peers("a2a", 4), [vec![1, 2, 3], vec![2, 3, 0], vec![3, 0, 1], vec![0, 1, 2]]);
}

#[test]
fn explicit_peers_are_turned_round_for_receiving() {
    let explicit = Explicit::new(&[vec![2, 1], vec![], vec![1]]).expect("right");
    let receives = |rank| explicit.receives_from(rank, 3).collect::<Vec<u32>>();
    assert_eq!(explicit.sends_to(0, 3).collect::<Vec<u32>>(), [2, 1]);
    assert_eq!((receives(0), receives(1), receives(2)), (vec![], vec![0, 2], vec![0]));
    assert_eq!(explicit.tasks(), Some(3));
}

#[test]
fn explicit_peers_that_cannot_be_are_reported_with_their_place() {
    let reason = |lists: &[Vec<u32>]| {
        let bad = Explicit::new(lists).expect_err("wrong");
        (bad.rank, bad.at, bad.reason)
    };
    let at = |rank, at, reason: &str| (rank, Some(at), reason.to_owned());
    assert_eq!(reason(&[vec![1], vec![0, 2]]), at(1, 1, "there is no task 2: tasks are 0 to 1"));
    assert_eq!(reason(&[vec![0]]), at(0, 0, "task 0 cannot be its own peer"));
    assert_eq!(reason(&[vec![], vec![], vec![1, 0, 1]]), at(2, 2, "task 1 is a peer of task 2 already"));
    assert_eq!(reason(&[]).1, None);
}

#[test]
fn a_million_tasks_are_answered_for_one_by_one() {
    let tasks = 1_000_003; // a prime
    assert_eq!(pattern("nn").sends_to(0, tasks).collect::<Vec<_>>(), [tasks - 1, 1]);
    assert_eq!(pattern("a2a").sends_to(7, tasks).len(), tasks as usize - 1);
    assert_eq!(pattern("tree").sends_to(tasks - 1, tasks).collect::<Vec<_>>(), [(tasks - 2) / 2]);
    assert_eq!(pattern("linear").sends_to(u32::MAX - 1, u32::MAX).collect::<Vec<_>>(), [u32::MAX - 2]);
}

proptest! {
    #[test]
    fn patterns_are_symmetric_without_self_and_repetition(tasks in 1_u32..150) {
        for name in SYMMETRIC {
            let all = peers(name, tasks);
            for (rank, list) in (0..tasks).zip(&all) {
                let mut sorted = list.clone();
                sorted.sort_unstable();
                sorted.dedup();
                prop_assert_eq!(sorted.len(), list.len(), "{} of {} repeats a peer: {:?}", rank, tasks, list);
                prop_assert!(list.iter().all(|&peer| peer < tasks && peer != rank), "{name}: {list:?}");
                prop_assert!(list.iter().all(|&peer| all[peer as usize].contains(&rank)), "{name} {rank}");
                let pattern = pattern(name);
                prop_assert_eq!(pattern.receives_from(rank, tasks).collect::<Vec<_>>(), list.clone());
                prop_assert_eq!(pattern.sends_to(rank, tasks).len(), list.len());
            }
        }
    }
}
