//! Sorting of many things by numbers that are spread, as times are, and sorting of which little
//! code is made.
//!
//! [`sort_by_numbers`] puts things into buckets of equal width, about eight to a bucket, which are
//! sorted one by one: two passes over things that are spread evenly, where sorting by comparison
//! makes as many as their number has binary digits. At worst all but a few are in one bucket, and
//! sorting that is most of the work, as it would be without buckets.

use std::cmp::Ordering;

/// Sorting before or after a run, of lists that do not grow with it: equal things keep their order.
///
/// The indices of the things are sorted, by one function that is compiled once; the standard
/// library's sort is compiled again for each kind of thing and each order. The price is an indirect
/// call a comparison: rooms that work during a run, and the pages of one, sort with the standard
/// library.
///
/// # Complexity
/// O(n log n) comparisons, at most n swaps, and memory for n indices.
pub trait StableSort<T> {
    /// Sorts by what `compare` says.
    fn stable_sort_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key of each.
    fn stable_sort_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.stable_sort_by(|one, other| key(one).cmp(&key(other)));
    }

    /// Sorts by the order of the things themselves.
    fn stable_sort(&mut self)
    where
        T: Ord,
    {
        self.stable_sort_by(T::cmp);
    }
}

impl<T> StableSort<T> for [T] {
    fn stable_sort_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let mut order = order_of(self.len(), &mut |one, other| compare(&self[one], &self[other]));
        // around each cycle of the permutation
        for first in 0..order.len() {
            let mut index = first;
            loop {
                let from = std::mem::replace(&mut order[index], index);
                if from == first {
                    break;
                }
                self.swap(index, from);
                index = from;
            }
        }
    }
}

/// The indices of so many things, in the order of the things.
fn order_of(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&one, &other| compare(one, other));
    order
}

/// Fewer things are sorted as they are.
const FEW: usize = 64;
/// Things in a bucket, were they spread evenly.
const IN_A_BUCKET: usize = 8;

/// Sorts in place by a number and, where that is equal, by another one.
///
/// # Complexity
/// O(n log n), and O(n) for numbers that are spread evenly; memory for two numbers a bucket.
pub fn sort_by_numbers<T>(things: &mut [T], numbers: impl Fn(&T) -> (u64, u64)) {
    let all = || things.iter().map(|thing| numbers(thing).0);
    let (Some(least), Some(greatest)) = (all().min(), all().max()) else { return };
    if things.len() < FEW {
        return things.sort_unstable_by_key(numbers);
    }
    if things.is_sorted_by_key(&numbers) {
        return;
    }
    let most = (things.len() / IN_A_BUCKET) as u64;
    // the least power of two as width that gives no more buckets
    let shift = 64 - ((greatest - least) / most).leading_zeros();
    let bucket = |thing: &T| ((numbers(thing).0 - least) >> shift) as usize;
    let mut ends = vec![0; ((greatest - least) >> shift) as usize + 1];
    things.iter().for_each(|thing| ends[bucket(thing)] += 1);
    let (mut begins, mut before) = (Vec::with_capacity(ends.len()), 0);
    for end in &mut ends {
        begins.push(before);
        before += *end;
        *end = before;
    }
    let mut begin = 0;
    for (number, &end) in ends.iter().enumerate() {
        // whatever is in the way goes to its own bucket
        while begins[number] < end {
            let own = bucket(&things[begins[number]]);
            things.swap(begins[number], begins[own]);
            begins[own] += 1;
        }
        things[begin..end].sort_unstable_by_key(&numbers);
        begin = end;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_stable_sort_is_that_of_the_library(numbers in prop::collection::vec(0..40_u8, 0..200)) {
            let mut things: Vec<(u8, usize)> = numbers.into_iter().zip(0..).collect();
            let mut expected = things.clone();
            expected.sort_by_key(|thing| thing.0);
            things.stable_sort_by_key(|thing| thing.0);
            prop_assert_eq!(&things, &expected);
            things.stable_sort_by(|one, other| other.1.cmp(&one.1));
            prop_assert!(things.is_sorted_by_key(|thing| std::cmp::Reverse(thing.1)));
            things.stable_sort();
            prop_assert_eq!(&things, &expected);
        }

        #[test]
        fn it_is_the_sort_of_the_library(
            spread in prop::collection::vec(0..1_000_000_u64, 0..600),
            crowd in prop::collection::vec(prop::sample::select(vec![0, 1, 7, u64::MAX - 1, u64::MAX]), 0..200),
        ) {
            for numbers in [spread.clone(), crowd.clone(), [spread, crowd].concat()] {
                let mut things: Vec<(u64, usize)> = numbers.into_iter().zip(0..).collect();
                let mut expected = things.clone();
                expected.sort_by_key(|thing| thing.0);
                sort_by_numbers(&mut things, |thing| (thing.0, thing.1 as u64));
                prop_assert_eq!(things, expected);
            }
        }
    }
}
