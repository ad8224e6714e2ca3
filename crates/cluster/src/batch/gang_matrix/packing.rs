//! Rules that choose the columns of a job among the vacant ones of a row.

use crate::collections::{Interval, IntervalSet};
use crate::registry::choices;

choices! {
    /// Columns that a job gets, of the vacant ones of a row.
    #[derive(Default)]
    pub enum Packing {
        #[default]
        Leftmost = "leftmost", "the first ones that are free";
        /// The first columns of the leftmost block of 2^k columns that begins at a multiple of 2^k
        /// and is vacant, 2^k being the least that holds the tasks. The rest of the block is lost
        /// while the job is there. A block may reach beyond the last column if the tasks do not.
        Buddy = "buddy", "the first aligned block of a power of two, the rest of which is lost (DHC)";
    }
}

/// The columns of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Columns {
    /// Columns that its tasks are on, as intervals in rising order.
    pub(super) used: Vec<Interval>,
    /// The block they are part of, if one is kept whole.
    block: Option<Interval>,
}

impl Columns {
    /// The columns no other job may have in the same row.
    pub(super) fn booked(&self) -> &[Interval] {
        match &self.block {
            Some(block) => std::slice::from_ref(block),
            None => &self.used,
        }
    }

    /// Number of booked columns.
    pub(super) fn count(&self) -> u64 {
        self.booked().iter().map(|part| part.count()).sum()
    }
}

impl Packing {
    /// Number of the vacant columns that `tasks` tasks would book, above zero; `None` if they do
    /// not fit.
    pub(super) fn need(self, vacant: &IntervalSet, tasks: u32, nodes: u32) -> Option<u64> {
        match self {
            Packing::Leftmost => (u64::from(tasks) <= vacant.count()).then_some(u64::from(tasks)),
            Packing::Buddy => block(vacant, tasks, nodes).map(Interval::count),
        }
    }

    /// The columns for `tasks` tasks; `None` if they do not fit.
    pub(super) fn columns(self, vacant: &IntervalSet, tasks: u32, nodes: u32) -> Option<Columns> {
        self.need(vacant, tasks, nodes)?;
        match self {
            Packing::Leftmost => {
                let mut used = Vec::new();
                vacant.lowest(u64::from(tasks), &mut used);
                Some(Columns { used, block: None })
            }
            Packing::Buddy => {
                let block = block(vacant, tasks, nodes)?;
                let used = vec![Interval::new(block.first, block.first + (tasks - 1))];
                Some(Columns { used, block: Some(block) })
            }
        }
    }

    /// The most tasks that fit; all smaller numbers do.
    pub(super) fn capacity(self, vacant: &IntervalSet, nodes: u32) -> u64 {
        match self {
            Packing::Leftmost => vacant.count(),
            Packing::Buddy => {
                let sizes = (0..=u32::BITS).rev().map(|power| 1_u64 << power);
                let mut largest = sizes.map(|size| {
                    let cells =
                        vacant.iter().filter_map(|run| aligned(run, size, nodes)).map(Interval::count);
                    cells.max().filter(|&cells| cells > size / 2)
                });
                largest.find_map(|cells| cells).unwrap_or(0)
            }
        }
    }
}

/// The leftmost vacant block for `tasks` tasks.
fn block(vacant: &IntervalSet, tasks: u32, nodes: u32) -> Option<Interval> {
    let size = u64::from(tasks).next_power_of_two();
    vacant.iter().filter_map(|run| aligned(run, size, nodes)).find(|block| block.count() >= u64::from(tasks))
}

/// The only block of `size` columns that can be in `run` and hold its first aligned column; cut
/// where the row ends.
fn aligned(run: Interval, size: u64, nodes: u32) -> Option<Interval> {
    let first = u64::from(run.first).next_multiple_of(size);
    let last = (first + size).min(u64::from(nodes)).checked_sub(1)?;
    // a run that ends before the first multiple holds no block, and `last` is then beyond it
    (first <= last && last <= u64::from(run.last)).then(|| Interval::new(first as u32, last as u32))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vacant(columns: &[bool]) -> IntervalSet {
        let mut set = IntervalSet::default();
        for (column, _) in (0..).zip(columns).filter(|(_, vacant)| **vacant) {
            set.insert(Interval::new(column, column));
        }
        set
    }

    #[test]
    fn a_buddy_block_is_aligned_and_may_be_cut_at_the_end() {
        let columns = |tasks, nodes: u32, taken: &[u32]| {
            let free: Vec<bool> = (0..nodes).map(|column| !taken.contains(&column)).collect();
            let columns = Packing::Buddy.columns(&vacant(&free), tasks, nodes)?;
            Some(format!("{} of {}", columns.used[0], columns.block?))
        };
        assert_eq!(columns(3, 16, &[]).as_deref(), Some("0-2 of 0-3"));
        assert_eq!(columns(3, 16, &[3]).as_deref(), Some("4-6 of 4-7"));
        assert_eq!(columns(5, 16, &[0]).as_deref(), Some("8-12 of 8-15"));
        assert_eq!(columns(1, 4, &[0, 2]).as_deref(), Some("1 of 1"));
        assert_eq!(columns(2, 4, &[0, 2]), None);
        // a machine of 320: 300 tasks have all of it, 100 the last 64 and no more
        assert_eq!(columns(300, 320, &[]).as_deref(), Some("0-299 of 0-319"));
        assert_eq!(columns(100, 320, &[0, 128]), None);
        assert_eq!(columns(33, 320, &[0, 64, 128, 192]).as_deref(), Some("256-288 of 256-319"));
    }

    proptest! {
        #[test]
        fn what_fits_is_what_is_not_more_than_the_room(columns in prop::collection::vec(any::<bool>(), 1..40)) {
            let (vacant, nodes) = (vacant(&columns), columns.len() as u32);
            for packing in [Packing::Leftmost, Packing::Buddy] {
                let capacity = packing.capacity(&vacant, nodes);
                for tasks in 1..=nodes + 1 {
                    prop_assert_eq!(packing.need(&vacant, tasks, nodes).is_some(), u64::from(tasks) <= capacity);
                }
            }
        }
    }
}
