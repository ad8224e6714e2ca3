//! The columns of a row that came free since the last look.

use crate::collections::Interval;

/// Time for which the list may grow before it is put in order.
const LONG: usize = 64;

/// Columns as intervals, in any order; some may be named twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Freed {
    parts: Vec<Interval>,
    /// Time that the list was when it was last put in order.
    least: usize,
}

impl Freed {
    /// Takes in columns; at most about as many intervals are kept as disjoint ones are needed.
    pub(super) fn add(&mut self, part: Interval) {
        self.parts.push(part);
        if self.parts.len() >= LONG.max(2 * self.least) {
            Interval::join(&mut self.parts);
            self.least = self.parts.len();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(super) fn parts(&self) -> &[Interval] {
        &self.parts
    }

    /// Forgets them.
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.least = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collections::OrderedSet;

    proptest! {
        #[test]
        fn nothing_is_lost_and_the_list_stays_short(parts in prop::collection::vec((0_u32..90, 0_u32..9), 0..900)) {
            let (mut freed, mut plain) = (Freed::default(), OrderedSet::new());
            for (first, more) in parts {
                freed.add(Interval::new(first, first + more));
                plain.extend(first..=first + more);
                prop_assert!(freed.parts().len() < 2 * LONG);
            }
            let held: OrderedSet<u32> = freed.parts().iter().flat_map(|part| part.first..=part.last).collect();
            prop_assert_eq!(&held, &plain);
            freed.clear();
            prop_assert!(freed.is_empty());
        }
    }
}
