//! Every structure against a sorted vector.

use proptest::prelude::*;

use super::key::TARGET_BITS;
use super::{EventKey, EventList, ListKind, Phase, SEQUENCE_BITS};
use crate::time::SimTime;

fn key(at: u64, phase: Phase, sequence: u64) -> EventKey {
    EventKey::new(SimTime::from_nanos(at), phase, sequence, 7)
}

#[test]
fn a_key_gives_back_its_parts_and_orders_by_time_then_phase_then_sequence() {
    let k = EventKey::new(SimTime::MAX, Phase::Timeouts, (1 << SEQUENCE_BITS) - 1, (1 << TARGET_BITS) - 1);
    assert_eq!(k.time(), SimTime::MAX);
    assert_eq!(k.phase(), Phase::Timeouts);
    assert_eq!(k.sequence(), (1 << SEQUENCE_BITS) - 1);
    assert_eq!(k.target(), (1 << TARGET_BITS) - 1);
    assert!(key(1, Phase::Observations, 9) < key(2, Phase::Events, 1));
    assert!(key(1, Phase::Events, 9) < key(1, Phase::Timeouts, 1));
    assert!(key(1, Phase::Events, 1) < key(1, Phase::Events, 2));
}

#[derive(Clone, Debug)]
enum Op {
    Push(u64, u8),
    Pop,
    Peek,
    Retain(u64),
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let increment = prop_oneof![Just(0_u64), 0..4_u64, 0..1_000_u64, 0..u64::from(u32::MAX), Just(1 << 40)];
    let op = prop_oneof![
        6 => (increment, 0..4_u8).prop_map(|(d, p)| Op::Push(d, p)),
        4 => Just(Op::Pop),
        1 => Just(Op::Peek),
        1 => (1..50_u64).prop_map(Op::Retain),
    ];
    prop::collection::vec(op, 1..600)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 256 }))]
    #[test]
    fn every_structure_pops_what_a_sorted_vector_pops(ops in ops(), crowd in 0..3_000_u64) {
        for kind in [ListKind::Heap, ListKind::Runs, ListKind::Adaptive] {
            let mut list = EventList::new(kind);
            let mut sorted: Vec<EventKey> = Vec::new();
            let (mut now, mut sequence) = (0, 0);
            let mut push = |list: &mut EventList, sorted: &mut Vec<EventKey>, at: u64, phase: u8| {
                sequence += 1;
                let phase = [Phase::Events, Phase::Timeouts, Phase::Decisions, Phase::Observations][phase as usize];
                let k = EventKey::new(SimTime::from_nanos(at), phase, sequence, sequence as u32);
                list.push(k);
                sorted.insert(sorted.partition_point(|x| *x < k), k);
            };
            for i in 0..crowd {
                push(&mut list, &mut sorted, i * 7919 % 10_007, 0);
            }
            for op in &ops {
                match op {
                    Op::Push(d, phase) => push(&mut list, &mut sorted, now + d, *phase),
                    Op::Pop => {
                        let expected = if sorted.is_empty() { None } else { Some(sorted.remove(0)) };
                        prop_assert_eq!(list.pop(), expected);
                        now = expected.map_or(now, |k| k.time().as_nanos());
                    }
                    Op::Peek => prop_assert_eq!(list.peek(), sorted.first().copied()),
                    Op::Retain(m) => {
                        list.retain(|k| k.sequence() % m != 0);
                        sorted.retain(|k| k.sequence() % m != 0);
                    }
                }
                prop_assert_eq!(list.len(), sorted.len());
            }
            while let Some(k) = list.pop() {
                prop_assert_eq!(k, sorted.remove(0));
            }
            prop_assert!(sorted.is_empty());
        }
    }
}
