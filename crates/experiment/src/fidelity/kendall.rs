//! Kendall's τ-b in n log n steps.
//!
//! Pairs are sorted by the first value, then by the second; the exchanges that a merge sort by the
//! second value then makes are the discordant pairs. Ties are counted in runs of equal values.

use crate::kernel::SimTime;

/// Pairs of jobs, counted by their orders in two rankings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OrderedPairs {
    /// Concordant pairs less discordant ones.
    pub balance: i128,
    /// Pairs that are not tied in the first ranking.
    pub first: u128,
    /// Pairs that are not tied in the second ranking.
    pub second: u128,
}

/// Number of pairs among so many.
fn pairs(count: u64) -> u128 {
    u128::from(count) * u128::from(count.saturating_sub(1)) / 2
}

/// Pairs that are tied: those within runs of neighbours that are alike.
fn tied<T>(sorted: &[T], alike: impl Fn(&T, &T) -> bool) -> u128 {
    sorted.chunk_by(|one, other| alike(one, other)).map(|run| pairs(run.len() as u64)).sum()
}

impl OrderedPairs {
    /// The pairs among these, each with its two values.
    ///
    /// # Complexity
    /// O(n log n).
    pub fn of(values: &mut [(SimTime, SimTime)]) -> Self {
        values.sort_unstable();
        let all = pairs(values.len() as u64);
        let of_first = tied(values, |one, other| one.0 == other.0);
        let of_both = tied(values, |one, other| one == other);
        let mut second: Vec<SimTime> = values.iter().map(|&(_, second)| second).collect();
        let mut buffer = second.clone();
        let discordant = exchanges(&mut second, &mut buffer);
        let of_second = tied(&second, |one, other| one == other);
        let ordered = signed(all + of_both) - signed(of_first + of_second);
        OrderedPairs {
            balance: ordered - 2 * signed(discordant),
            first: all - of_first,
            second: all - of_second,
        }
    }

    /// These pairs, and `times` as many as the others are.
    #[must_use]
    pub fn and(self, other: OrderedPairs, times: u32) -> Self {
        OrderedPairs {
            balance: self.balance + other.balance * i128::from(times),
            first: self.first + other.first * u128::from(times),
            second: self.second + other.second * u128::from(times),
        }
    }

    /// Kendall's τ-b; `None` where one ranking has ties alone.
    pub fn tau(self) -> Option<f64> {
        let scale = (self.first as f64 * self.second as f64).sqrt();
        (scale > 0.0).then(|| (self.balance as f64 / scale).clamp(-1.0, 1.0))
    }
}

fn signed(count: u128) -> i128 {
    i128::try_from(count).unwrap_or(i128::MAX)
}

/// Sorts the values, and counts the pairs of them that stood in the wrong order.
fn exchanges(values: &mut [SimTime], buffer: &mut [SimTime]) -> u128 {
    let middle = values.len() / 2;
    if middle == 0 {
        return 0;
    }
    let (low, high) = values.split_at_mut(middle);
    let (low_buffer, high_buffer) = buffer.split_at_mut(middle);
    let mut count = exchanges(low, low_buffer) + exchanges(high, high_buffer);
    buffer.copy_from_slice(values);
    let (low, high) = buffer.split_at(middle);
    let (mut left, mut right) = (0, 0);
    for value in values {
        let takes_high = left == low.len() || right < high.len() && high[right] < low[left];
        if takes_high {
            count += (low.len() - left) as u128;
            *value = high[right];
            right += 1;
        } else {
            *value = low[left];
            left += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(secs: u64) -> SimTime {
        SimTime::from_nanos(secs)
    }

    /// Looks at every pair.
    fn slow(values: &[(SimTime, SimTime)]) -> OrderedPairs {
        let mut found = OrderedPairs::default();
        for (place, one) in values.iter().enumerate() {
            for other in &values[..place] {
                let (first, second) = (one.0.cmp(&other.0) as i128, one.1.cmp(&other.1) as i128);
                found.balance += first * second;
                found.first += u128::from(first != 0);
                found.second += u128::from(second != 0);
            }
        }
        found
    }

    #[test]
    fn five_jobs_by_hand() {
        // orders 1 2 3 4 5 and 2 1 3 5 4: two of ten pairs are discordant
        let mut values = [(1, 20), (2, 10), (3, 30), (4, 50), (5, 40)].map(|(a, b)| (at(a), at(b)));
        let found = OrderedPairs::of(&mut values);
        assert_eq!(found, OrderedPairs { balance: 6, first: 10, second: 10 });
        assert_eq!(found.tau(), Some(0.6));
        assert_eq!(OrderedPairs::of(&mut [(at(1), at(1)), (at(1), at(2))]).tau(), None);
        assert_eq!(OrderedPairs::of(&mut []).tau(), None);
    }

    proptest! {
        #[test]
        fn sorting_counts_what_a_look_at_every_pair_counts(
            values in prop::collection::vec((0_u64..12, 0_u64..12), 0..60), times in 0_u32..4,
        ) {
            let mut values: Vec<_> = values.into_iter().map(|(a, b)| (at(a), at(b))).collect();
            let expected = slow(&values);
            let found = OrderedPairs::of(&mut values);
            prop_assert_eq!(found, expected);
            let mut twice = OrderedPairs::default();
            (0..times).for_each(|_| twice = twice.and(expected, 1));
            prop_assert_eq!(OrderedPairs::default().and(found, times), twice);
        }
    }
}
