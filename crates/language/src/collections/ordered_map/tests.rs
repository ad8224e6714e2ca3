//! The map against that of the standard library.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// A key of 300 bytes: a full block has 16 entries.
type Wide = [u32; 75];

fn wide(number: u32) -> Wide {
    let mut key = [0; 75];
    key[0] = number;
    key
}

#[derive(Clone, Debug)]
enum Change {
    Insert(u32, u32),
    Add(u32),
    Remove(u32),
    First,
    Keep(u32),
    Extract(u32),
    Extend(Vec<(u32, u32)>),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let key = || 0..400_u32;
    let change = prop_oneof![
        12 => (key(), 0..100_u32).prop_map(|(key, value)| Change::Insert(key, value)),
        6 => key().prop_map(Change::Add),
        6 => key().prop_map(Change::Remove),
        2 => Just(Change::First),
        1 => (2..9_u32).prop_map(Change::Keep),
        1 => (2..9_u32).prop_map(Change::Extract),
        1 => prop::collection::vec((key(), 0..100_u32), 0..60).prop_map(Change::Extend),
    ];
    prop::collection::vec(change, 0..300)
}

fn check<K: Ord + Clone + Debug>(changes: &[Change], of: fn(u32) -> K) {
    let (mut map, mut model) = (OrderedMap::new(), BTreeMap::new());
    for change in changes {
        match change {
            Change::Insert(key, value) => {
                assert_eq!(map.insert(of(*key), *value), model.insert(of(*key), *value));
            }
            Change::Add(key) => {
                *map.entry(of(*key)).or_default() += 1;
                *model.entry(of(*key)).or_default() += 1;
            }
            Change::Remove(key) => assert_eq!(map.remove(&of(*key)), model.remove(&of(*key))),
            Change::First => assert_eq!(map.pop_first(), model.pop_first()),
            Change::Keep(of) => {
                map.retain(|_, value| *value % of != 0);
                model.retain(|_, value| *value % of != 0);
            }
            Change::Extract(of) => {
                let extracted = map.extract_if(|_, value| *value % of == 0);
                assert!(extracted.into_iter().eq(model.extract_if(.., |_, value| *value % of == 0)));
            }
            Change::Extend(entries) => {
                let entries = || entries.iter().map(|(key, value)| (of(*key), *value));
                map.extend(entries());
                model.extend(entries());
            }
        }
        assert_eq!((map.len(), map.is_empty()), (model.len(), model.is_empty()));
        assert!(
            map.blocks.iter().all(|block| !block.is_empty() && block.len() <= OrderedMap::<K, u32>::FULL)
        );
    }
    assert!(map.iter().eq(&model) && map.iter().rev().eq(model.iter().rev()));
    assert!(map.iter_mut().rev().eq(model.iter_mut().rev()));
    assert_eq!(map.first_key_value(), model.first_key_value());
    for (from, to) in [(0, 400), (17, 201), (399, 400), (50, 50)] {
        let (from, to) = (of(from), of(to));
        assert_eq!(map.get(&from), model.get(&from));
        assert!(map.range(&from..&to).eq(model.range(&from..&to)));
        assert!(map.range(&from..=&to).rev().eq(model.range(&from..=&to).rev()));
        assert!(map.range_mut(&from..).eq(model.range_mut(&from..)));
        assert!(map.range(..&to).eq(model.range(..&to)));
        let after = (Bound::Excluded(&from), Bound::Unbounded);
        assert!(map.range(after).next_back() == model.range(after).next_back());
        assert!(map.range_mut(after).rev().eq(model.range_mut(after).rev()));
    }
    // from both ends in turn
    let (mut entries, mut expected) = (map.clone().into_iter(), model.clone().into_iter());
    while let Some(first) = entries.next() {
        assert_eq!((Some(first), entries.next_back()), (expected.next(), expected.next_back()));
        assert_eq!(entries.len(), expected.len());
    }
    let again: OrderedMap<K, u32> = map.iter().rev().map(|(key, value)| (key.clone(), *value)).collect();
    assert_eq!(again, map);
}

proptest! {
    #[test]
    fn it_is_the_map_of_the_standard_library(changes in changes()) {
        check(&changes, |number| number);
        check(&changes, wide);
    }
}

#[test]
fn what_is_appended_leaves_full_blocks_and_what_empties_is_joined() {
    let mut map: OrderedMap<u64, u64> = (0..10_000).map(|number| (number, number)).collect();
    let full = OrderedMap::<u64, u64>::FULL;
    assert_eq!(map.blocks.len(), 10_000_usize.div_ceil(full));
    for number in 0..10_000 {
        if number % 1_000 != 0 {
            map.remove(&number);
        }
    }
    assert_eq!(map.len(), 10);
    assert!(map.blocks.len() <= 2, "{} blocks", map.blocks.len());
}
